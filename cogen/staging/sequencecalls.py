"""Python's own functions of sequences, in staged code: `range`, `len`, `sum`, `zip`, ..."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, Final

import numpy as np

from cogen.staging.comprehensions import StagedGenerator, any_of, next_of
from cogen.staging.convertfunctions import convert, is_foreign
from cogen.staging.library import CALL, StagedDeque
from cogen.staging.listelements import append
from cogen.staging.listoperations import array_of_list, as_list, sorted_list
from cogen.staging.numpyreductions import reduction
from cogen.staging.orderedvalues import has_staged_parts, less
from cogen.staging.pooledlists import PooledList, born
from cogen.staging.sourceplaces import fail, shown
from cogen.staging.stagedarrays import Array
from cogen.staging.stagedcomplex import ComplexArray, StagedComplex
from cogen.staging.stagedconditionals import conditional, no_change, no_state
from cogen.staging.stagedexpressions import constant, op, require, text
from cogen.staging.stageditems import getitem
from cogen.staging.stagedlists import StagedList
from cogen.staging.stagedloops import repeat
from cogen.staging.stagedreading import iota
from cogen.staging.stagedrecords import Records
from cogen.staging.stagedscalars import Scalar, Staged, apply, expression, scalar
from cogen.staging.stagedtables import StagedTable
from cogen.staging.stagedtexts import StagedString, length_of
from cogen.staging.stagedunions import UnionCase
from cogen.staging.wholearrays import mapped


def as_callable(x: Any) -> Any:
    """A function that is passed to one that is not rewritten, rewritten."""
    if isinstance(x, FunctionType) and not is_foreign(x):
        return convert(x)
    if isinstance(x, MethodType) and isinstance(x.__self__, StagedTable) and x.__name__ == "get":
        return x.__self__.value_of
    return SEQUENCE_CALLS.get(x, x) if isinstance(x, type | BuiltinFunctionType) else x


class LoopSteps(Staged):
    """What a staged `for` goes through: how many steps there are, and what each is."""

    __slots__ = ("at", "length", "lists")

    def __init__(self, length: Any, at: Callable[[Any], Any], lists: Sequence[Any] = ()) -> None:
        self.length = length
        self.at = at
        self.lists = lists
        """The lists that are gone through, which keep their lengths meanwhile."""

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


@contextmanager
def walking(lists: Sequence[Any]) -> Iterator[None]:
    """A loop that goes through lists, which keep their lengths."""
    for xs in lists:
        xs.walked += 1
    try:
        yield
    finally:
        for xs in lists:
            xs.walked -= 1


def steps_of(x: Any) -> LoopSteps | None:
    """The steps of what only a run can go through; None for what is known."""
    if isinstance(x, LoopSteps):
        return x
    if isinstance(x, StagedGenerator):
        return steps_of(x.staged_list()) if x.staged else None
    if isinstance(x, StagedList):
        return None if x.is_known else LoopSteps(x.staged_length(), lambda k: x[k], [x])
    if isinstance(x, StagedTable):
        found: LoopSteps | None = x.staged_steps()
        return found
    if isinstance(x, StagedDeque):
        known = x.items.is_known and isinstance(x.taken, int)
        length = x.staged_length()
        return None if known else LoopSteps(length, lambda k: x.items[x.taken + k], [x.items])
    if isinstance(x, PooledList):
        return LoopSteps(x.staged_length(), lambda k: x[k], [x])
    if isinstance(x, StagedString):
        return LoopSteps(length_of(x), lambda k: x[k])
    if isinstance(x, Array | Records | ComplexArray) and x.ndim:
        if isinstance(x, Array) and x.known is not None:
            return None
        size = x.size_of(0) if isinstance(x, Array) else x.first().size_of(0)
        return LoopSteps(size, lambda k: x[k])
    return None


def is_of_a_run(x: Any) -> bool:
    """Whether a value is staged, or one goes through it as only a run knows."""
    return isinstance(x, Staged | StagedTable) or steps_of(x) is not None


def each_of(values: Any, f: Callable[[Any], Any]) -> None:
    """Do something with each element."""
    steps = steps_of(values)
    if steps is None or isinstance(steps.length, int):
        for x in values if steps is None else steps:
            f(x)
        return
    with walking(steps.lists):
        repeat(steps.length, steps.at, f, no_state, no_change, ())


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
    if isinstance(x, Scalar):
        fail(f"{shown()}a staged number has no length")
    if isinstance(x, StagedString):
        return length_of(x)
    if isinstance(x, LoopSteps):
        return x.length
    own = None if isinstance(x, Staged) else getattr(x, "staged_length", None)
    return own() if own is not None else len(x)


def _extreme(name: str) -> Callable[..., Any]:
    plain = getattr(builtins, name)

    def extreme(*given: Any, key: Any = None, **options: Any) -> Any:
        if isinstance(given[0], StagedGenerator | PooledList) and len(given) == 1:
            given = (given[0].staged_list(),)
        if key is not None:
            return _extreme_by(name, given, as_callable(key), options)
        if len(given) == 1 and _has_parts(given[0]):
            return _extreme_by(name, given, _itself, options)
        given = tuple([_all_of(x) for x in given]) if len(given) == 1 else given
        if len(given) == 1 and isinstance(given[0], Array):
            return _extreme_of("minimum" if name == "min" else "maximum", given[0], options)
        values = list(given[0]) if len(given) == 1 else list(given)
        if not any(isinstance(x, Scalar | StagedString) or has_staged_parts(x) for x in values):
            return plain(*given, **options)
        return _extreme_of_known(name, values, _itself)

    return extreme


def _has_parts(x: Any) -> bool:
    """Whether it is a list, of which only a run knows the length, of what has several parts."""
    return (
        isinstance(x, StagedList) and not x.is_known and x.rows is not None
        and x.rows.shape is not None
    )  # fmt: skip


def _itself(x: Any) -> Any:
    return x


def _extreme_by(name: str, given: Sequence[Any], key: Any, options: dict[str, Any]) -> Any:
    """The first element with the least or the largest key."""
    steps = steps_of(given[0]) if len(given) == 1 else None
    if steps is None or isinstance(steps.length, int):
        values = list(given if len(given) > 1 else given[0] if steps is None else steps)
        if not values:
            return getattr(builtins, name)([], **options)
        return _extreme_of_known(name, values, key)
    some = apply("less", 0, steps.length)

    def found() -> Any:
        return convert(_best)(steps, key, _BEFORE[name])  # type: ignore[arg-type]  # a function

    if "default" in options:
        return conditional(some, found, _giving(options["default"]))
    require(expression(scalar(some)), text(f"{name}() of what has no element"))
    return found()


_BEFORE: Final[dict[str, Callable[[Any, Any], Any]]] = {"min": less, "max": lambda a, b: less(b, a)}
"""Whether a key is further to that end than another one."""


def _best(steps: Any, key: Any, before: Any) -> Any:
    best = steps[0]
    first = key(best)
    for k in range(1, len(steps)):
        x = steps[k]
        own = key(x)
        if before(own, first):
            best, first = x, own
    return best


def _extreme_of_known(name: str, values: Sequence[Any], key: Any) -> Any:
    found = values[0], key(values[0])
    for x in values[1:]:
        own = x, key(x)
        test = _BEFORE[name](own[1], found[1])
        if isinstance(test, Scalar):
            found = conditional(test, _giving(own), _giving(found))
        elif test:
            found = own
    return found[0]


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


def _all_of(x: Any) -> Any:
    """What a function of all elements gets: an array of what only a run knows, and the list of what
    a generator gives."""
    if isinstance(x, StagedGenerator):
        x = x.staged_list()
    if isinstance(x, StagedTable | PooledList):
        x = x.staged_list()
    if isinstance(x, StagedList) and not x.is_known:
        return array_of_list(x)
    return as_array_of_steps(x) if isinstance(x, LoopSteps) else x


def as_array_of_steps(steps: LoopSteps) -> Any:
    """The array of what a staged `for` would go through."""
    return mapped(steps.at, [iota(steps.length)])


def _sum(values: Any, start: Any = 0) -> Any:
    values = _all_of(values)
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
    if isinstance(values, StagedGenerator):
        return any_of(values, decisive)
    values = _all_of(values)
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
    return LoopSteps(steps.length, lambda k: (start + k, steps.at(k)), steps.lists)


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
    lists = [xs for s in whole for xs in s.lists]
    return LoopSteps(count, lambda k: tuple([s.at(k) for s in whole]), lists)


def _reversed(values: Any) -> Any:
    steps = steps_of(values)
    if steps is None:
        return reversed(values)
    return LoopSteps(steps.length, lambda k: steps.at(steps.length - 1 - k), steps.lists)


def _isinstance(x: Any, kinds: Any) -> Any:
    if isinstance(x, UnionCase):
        return x.is_instance(kinds)
    if not isinstance(x, Staged):
        return isinstance(x, kinds)
    given = kinds if isinstance(kinds, tuple) else (kinds,)
    if isinstance(x, Scalar):
        own = {"int": int, "real": float, "bool": bool}.get(x.type.name, str)
        return any(issubclass(own, k) for k in given if isinstance(k, type))
    if isinstance(x, StagedString):
        return any(issubclass(str, k) for k in given if isinstance(k, type))
    if isinstance(x, StagedComplex):
        return complex in given or np.complexfloating in given
    return np.ndarray in given or type(x) in given


def _next(values: Any, *default: Any) -> Any:
    if isinstance(values, StagedGenerator):
        return next_of(values, *default)
    return next(values, *default)


def _sorted(values: Any, *, key: Any = None, reverse: Any = False) -> Any:
    own = isinstance(values, StagedGenerator | StagedList | StagedTable | Array)
    whole = as_list(values) if own else _list(values)
    return sorted_list(whole, None if key is None else as_callable(key), reverse)


def _list(*given: Any) -> Any:
    steps = steps_of(given[0]) if len(given) == 1 else None
    if steps is not None and not isinstance(steps.length, int):
        out = StagedList()
        repeat(steps.length, steps.at, functools.partial(append, out), no_state, no_change, ())
        return out
    return born(StagedList(*given))


def _tuple(*given: Any) -> Any:
    if len(given) == 1 and isinstance(given[0], LoopSteps | Array | StagedList | StagedGenerator):
        given = (list(given[0]),)
    return tuple(*given)


def _mapped(f: Any, *values: Any) -> Any:
    """`map`: steps that are zipped, with a function of them."""
    run = as_callable(f) if isinstance(f, FunctionType) else functools.partial(CALL[0], f)
    found = _zip(*values)
    if not isinstance(found, LoopSteps):
        return map(run, *values)
    return LoopSteps(found.length, lambda k: run(*found.at(k)), found.lists)


SEQUENCE_CALLS: Final[dict[Any, Callable[..., Any]]] = {
    len: length, range: range_of, min: _extreme("min"), max: _extreme("max"), sum: _sum, any: _any,
    all: _all, enumerate: _enumerate, zip: _zip, reversed: _reversed, isinstance: _isinstance,
    map: _mapped, next: _next, sorted: _sorted, list: _list, tuple: _tuple,
}  # fmt: skip
"""Functions of sequences that staged code has others for."""
