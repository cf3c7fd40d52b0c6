"""Calls in staged code: which functions are rewritten, which are ours, which run as they are."""

from __future__ import annotations

import builtins
import functools
import operator
from collections.abc import Callable, Iterator
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, Final

import numpy as np

from cogen.staging.convertfunctions import convert, is_foreign
from cogen.staging.joinvalues import Missing
from cogen.staging.numbercalls import NUMBER_CALLS
from cogen.staging.numpyfunctions import CREATING, function
from cogen.staging.numpyreductions import reduction
from cogen.staging.sourceplaces import cannot, fail, shown
from cogen.staging.stagedarrays import Array, known
from cogen.staging.stagedcomplex import (
    ComplexArray,
    StagedComplex,
)
from cogen.staging.stagedconditionals import conditional
from cogen.staging.stagedrecords import Records
from cogen.staging.stagedrecursion import rolled, see_recursion
from cogen.staging.stagedscalars import (
    Scalar,
    Staged,
    apply,
    constant,
    expression,
    op,
    require,
    scalar,
    text,
)
from cogen.staging.stagedunions import UnionCase
from cogen.staging.tracer import current

MUTATORS: Final = frozenset({
    "append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "update", "popitem",
    "setdefault", "add", "discard",
})  # fmt: skip
"""Methods that change lists, dictionaries and sets."""


class LoopSteps(Staged):
    """What a staged `for` goes through: how many steps there are, and what each is."""

    __slots__ = ("at", "length")

    def __init__(self, length: Any, at: Callable[[Any], Any]) -> None:
        self.length = length
        self.at = at

    def __len__(self) -> int:
        if isinstance(self.length, int):
            return self.length
        fail("only a run knows how many steps there are")

    def __getitem__(self, index: Any) -> Any:
        return self.at(index)

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self.length, int):
            return iter([self.at(k) for k in range(self.length)])
        fail(
            "only a run knows how many steps there are",
            "write a `for` loop or cogen.map; comprehensions and generators are not staged",
        )


def steps_of(x: Any) -> LoopSteps | None:
    """The steps of what only a run can go through; None for what is known."""
    if isinstance(x, LoopSteps):
        return x
    if isinstance(x, Array | Records | ComplexArray) and x.ndim:
        if isinstance(x, Array) and x.known is not None:
            return None
        size = x.size_of(0) if isinstance(x, Array) else x.first().size_of(0)
        return LoopSteps(size, lambda k: x[k])
    return None


def range_of(*given: Any) -> Any:
    """`range`, of bounds that a run knows."""
    if not any(isinstance(x, Scalar) for x in given):
        return range(*given)
    start, stop, step = (0, given[0], 1) if len(given) == 1 else (*given, 1)[:3]
    for x in (start, stop, step):
        if isinstance(x, Scalar) and x.type.name != "int":
            fail("a range is counted with ints", "use x.astype(int)")
    by_one, width = False, step
    if isinstance(step, Scalar):
        says = text("a computed step of a range is not above 0:"), expression(step)
        require(op("<", constant(0), expression(step)), *says)
    elif step == 0:
        fail("the step of a range is 0")
    else:
        by_one, width = abs(step) == 1, abs(step)
    walks_up = isinstance(step, Scalar) or step > 0
    simple = by_one and walks_up and isinstance(start, int) and start == 0
    distance = stop if simple else stop - start if walks_up else start - stop
    count = distance if by_one else (distance + (width - 1)) // width
    return LoopSteps(apply("maximum", count, 0), lambda k: k if simple else start + k * step)


def length(x: Any) -> Any:
    """`len`."""
    if isinstance(x, Array | Records | ComplexArray):
        if x.ndim == 0:
            fail("a number has no length")
        return x.size_of(0) if isinstance(x, Array) else x.first().size_of(0)
    if isinstance(x, LoopSteps):
        return x.length
    own = None if isinstance(x, Staged) else getattr(x, "staged_length", None)
    return own() if own is not None else len(x)


def _extreme(name: str) -> Callable[..., Any]:
    plain = getattr(builtins, name)

    def extreme(*given: Any, **options: Any) -> Any:
        if len(given) == 1 and isinstance(given[0], Array) and "key" not in options:
            return _extreme_of("minimum" if name == "min" else "maximum", given[0], options)
        if "key" in options and any(isinstance(x, Staged) for x in given):
            cannot(f"{name}() with a key is not staged", "write a loop, or use np.argmax")
        values = list(given[0]) if len(given) == 1 else list(given)
        if not any(isinstance(x, Scalar) for x in values) or "key" in options:
            return plain(*given, **_converted(options))
        found = values[0]
        for x in values[1:]:
            test = x < found if name == "min" else found < x
            found = conditional(test, _giving(x), _giving(found))
        return found

    return extreme


def _extreme_of(name: str, a: Array, options: dict[str, Any]) -> Any:
    """The least or the largest element of an array; `default` where there is none."""
    if "default" not in options:
        return reduction(name, a)
    some = apply("less", 0, length(a))
    if not isinstance(some, Scalar):
        return reduction(name, a) if some else options["default"]
    return conditional(some, lambda: reduction(name, a), _giving(options["default"]))


def _giving(x: Any) -> Callable[[], Any]:
    return lambda: x


def _sum(values: Any, start: Any = 0) -> Any:
    if isinstance(values, Array):
        return start + reduction("add", values, 0)
    if isinstance(values, ComplexArray):
        return start + np.sum(values, axis=0)
    found = start
    for x in values:
        found = found + x
    return found


def _any(values: Any) -> Any:
    return _joined("logical_or", values, decisive=True)


def _all(values: Any) -> Any:
    return _joined("logical_and", values, decisive=False)


def _joined(name: str, values: Any, decisive: bool) -> Any:
    """What `any` or `all` gives; the `decisive` one of known values ends the search."""
    if isinstance(values, Array):
        return reduction(name, values)
    found: Any = not decisive
    for x in values:
        if not isinstance(x, Scalar) and bool(x) is decisive and found is (not decisive):
            return decisive
        found = apply(name, found, x)
    return found


def _enumerate(values: Any, start: Any = 0) -> Any:
    steps = steps_of(values)
    if steps is None:
        return enumerate(values, start)
    return LoopSteps(steps.length, lambda k: (start + k, steps.at(k)))


def _zip(*values: Any, **options: Any) -> Any:
    found = [steps_of(v) for v in values]
    if not any(s is not None for s in found):
        return zip(*values, **options)  # noqa: B905  # as the program says
    whole = [
        s if s is not None else LoopSteps(len(v), functools.partial(getitem, v))
        for s, v in zip(found, values, strict=True)
    ]
    count = whole[0].length
    for other in whole[1:]:
        if other.length is not count and options.get("strict"):
            same = apply("equal", count, other.length)
            require(expression(scalar(same)), text("zip() of what has different lengths"))
        elif other.length is not count:
            count = apply("minimum", count, other.length)
    return LoopSteps(count, lambda k: tuple([s.at(k) for s in whole]))


def _reversed(values: Any) -> Any:
    steps = steps_of(values)
    if steps is None:
        return reversed(values)
    return LoopSteps(steps.length, lambda k: steps.at(steps.length - 1 - k))


def _isinstance(x: Any, kinds: Any) -> Any:
    if isinstance(x, UnionCase):
        return x.is_instance(kinds)
    if not isinstance(x, Staged):
        return isinstance(x, kinds)
    given = kinds if isinstance(kinds, tuple) else (kinds,)
    if isinstance(x, Scalar):
        own = {"int": int, "real": float, "bool": bool}.get(x.type.name, str)
        return any(issubclass(own, k) for k in given if isinstance(k, type))
    if isinstance(x, StagedComplex):
        return complex in given or np.complexfloating in given
    return np.ndarray in given or type(x) in given


def _mapped(f: Any, *values: Any) -> Any:
    for v in values:
        if steps_of(v) is not None:
            fail("map() of a staged array is not staged", "use cogen.map(f, a)")
    return map(_callable(f), *values)


HANDLERS: Final[dict[Any, Callable[..., Any]]] = {
    len: length, range: range_of, min: _extreme("min"), max: _extreme("max"), sum: _sum, any: _any,
    all: _all, enumerate: _enumerate, zip: _zip, reversed: _reversed, isinstance: _isinstance,
    map: _mapped, **NUMBER_CALLS,
    **CREATING,
}  # fmt: skip
"""Functions that staged code has others for."""


def _is_numpys(f: Any) -> bool:
    """Whether it is a function of NumPy's that asks the values it gets for another one."""
    return type(f) is type(np.sum)


def _holds_staged(x: Any) -> bool:
    if isinstance(x, list | tuple):
        return any(map(_holds_staged, x))
    return isinstance(x, Staged)


def call(f: Any, /, *args: Any, **options: Any) -> Any:
    """A call in staged code."""
    try:
        handler = HANDLERS.get(f)
    except TypeError:
        handler = None
    if handler is not None:
        return handler(*args, **options)
    if _is_numpys(f) and any(isinstance(x, list | tuple) and _holds_staged(x) for x in args):
        return function(f, args, options)
    if isinstance(f, FunctionType):
        return _function(f, args, options)
    if isinstance(f, MethodType):
        return call(f.__func__, f.__self__, *args, **options)
    own = getattr(f, "_cogen_function_", None)
    if own is not None:
        return call(own, *args, **options)
    if isinstance(f, BuiltinFunctionType):
        return _builtin(f, args, options)
    if isinstance(f, type):
        return _object(f, args, options)
    if isinstance(f, functools.partial):
        return call(f.func, *f.args, *args, **{**f.keywords, **options})
    if isinstance(f, Missing):
        f.refuse()
    method = vars(type(f)).get("__call__")
    if isinstance(method, FunctionType):
        return _function(method, (f, *args), options)
    return f(*args, **options)


def call_last(f: Any, /, *args: Any, **options: Any) -> Any:
    """A call whose result is that of the function that it stands in."""
    own = getattr(f, "_cogen_function_", f)
    if isinstance(own, MethodType):
        return call_last(own.__func__, own.__self__, *args, **options)
    if isinstance(own, FunctionType) and HANDLERS.get(own) is None:
        return _function(own, args, options, last=True)
    return call(f, *args, **options)


def _function(f: FunctionType, args: Any, options: Any, last: bool = False) -> Any:
    if is_foreign(f):
        return f(*args, **options)
    tracer = current()
    tracer.used[f] = None
    if f.__code__ in tracer.rolling.codes:
        return rolled(f, args, options, last)
    see_recursion(f, last)
    tracer.enter_call(f.__code__, last)
    try:
        return convert(f)(*args, **options)
    finally:
        tracer.calling.pop()


def _builtin(f: Any, args: Any, options: Any) -> Any:
    """A function or method that is not written in Python."""
    owner = getattr(f, "__self__", None)
    if isinstance(owner, list | dict | set) and f.__name__ in MUTATORS:
        current().touch(owner, f"a {type(owner).__name__}")
    if f.__name__ == "copyto" and f.__module__ == "numpy" and isinstance(args[0], Array):
        args[0][...] = args[1]
        return None
    found = f(*[_callable(x) for x in args], **_converted(options))
    if isinstance(found, list | dict | set):
        current().made(found)
    return found


def _converted(options: dict[str, Any]) -> dict[str, Any]:
    return {name: _callable(x) for name, x in options.items()}


def _callable(x: Any) -> Any:
    """A function that is passed to one that is not rewritten, rewritten."""
    if isinstance(x, FunctionType) and not is_foreign(x):
        return convert(x)
    return x


def _object(kind: type, args: Any, options: Any) -> Any:
    """A new object of a class; its `__init__` is code like other."""
    init = kind.__init__  # type: ignore[misc]  # of the class as it is
    maker: Any = kind.__new__
    plain = type(kind) is type and maker is object.__new__
    if plain and isinstance(init, FunctionType) and not is_foreign(init):
        made = maker(kind)
        current().made(made)
        if convert(init) is not init:
            _function(init, (made, *args), options)
        else:
            made.__init__(*args, **options)
        return made
    if kind in (filter, sorted):
        args = [_callable(x) for x in args]
    if kind in (list, tuple) and len(args) == 1 and isinstance(args[0], LoopSteps | Array):
        args = [list(args[0])]
    return (
        current().made(kind(*args, **options))
        if kind in (list, dict, set)
        else kind(*args, **options)
    )


def slice_of(*given: Any) -> slice:
    """`a[i:j:k]`."""
    return slice(*given)


def getitem(whole: Any, index: Any) -> Any:
    """`whole[index]`."""
    if isinstance(whole, Staged) or not _is_staged(index):
        return whole[index]
    if isinstance(whole, Missing):
        whole.refuse()
    if isinstance(whole, np.ndarray):
        if whole.dtype.names:
            return Records({n: known(whole[n]) for n in whole.dtype.names})[index]
        return known(whole)[index]
    if isinstance(whole, list | tuple) and isinstance(index, Scalar):
        return _listed(whole, index)
    if isinstance(whole, dict):
        fail(
            f"{shown()}a staged value cannot be a key of a dictionary: only a run knows it",
            "make it an array: a[x]; or test the keys one by one",
        )
    return whole[index]


def _is_staged(index: Any) -> bool:
    if isinstance(index, tuple):
        return any(map(_is_staged, index))
    if isinstance(index, slice):
        return any(map(_is_staged, (index.start, index.stop, index.step)))
    return isinstance(index, Staged)


def _listed(values: Any, index: Scalar) -> Any:
    """An element of a list or tuple, as of an array."""
    from cogen.staging.numpymaking import array

    try:
        return array(list(values))[index]
    except (ValueError, TypeError):
        fail("an element of a list is chosen by what only a run knows",
             "its elements must be numbers; np.array(...) makes an array")  # fmt: skip


def setitem(value: Any, whole: Any, index: Any) -> None:
    """`whole[index] = value`."""
    if isinstance(whole, np.ndarray) and (_is_staged(index) or _is_staged(value)):
        fail(
            "an array that is known while staging is assigned to, with what only a run knows",
            "make a copy in the function first: a = np.array(a)",
        )
    if isinstance(whole, dict) and isinstance(index, Staged):
        fail(
            f"{shown()}a staged value cannot be a key of a dictionary: only a run knows it",
            "use an array, cogen.bucket_reduce or cogen.group_by",
        )
    if isinstance(whole, list | dict):
        current().touch(whole, f"a {type(whole).__name__}")
    whole[index] = value


def setattr_(value: Any, whole: Any, name: str) -> None:
    """`whole.name = value`."""
    tracer = current()
    if tracer.regions and not isinstance(whole, type):
        if not hasattr(whole, "__dict__"):
            cannot("an object with slots is changed where only a run knows whether")
        tracer.touch(whole, f"`{name}`")
    setattr(whole, name, value)


def delitem(whole: Any, index: Any) -> None:
    """`del whole[index]`."""
    if isinstance(whole, list | dict):
        current().touch(whole, f"a {type(whole).__name__}")
    del whole[index]


def augment(name: str, old: Any, value: Any) -> Any:
    """`old += value`."""
    if isinstance(old, list | dict | set):
        current().touch(old, f"a {type(old).__name__}")
    if isinstance(old, np.ndarray) and isinstance(value, Staged):
        fail(
            "an array that is known while staging is assigned to, with what only a run knows",
            "make a copy in the function first: a = np.array(a)",
        )
    return getattr(operator, name)(old, value)
