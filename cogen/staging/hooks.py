"""What rewritten functions call: control flow that runs as it was where everything is known, and is
staged where a run decides (`cogen.staging.rewritefunctions` makes the calls)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from cogen.array.l0.types import BOOL
from cogen.lang.errors import CogenError
from cogen.staging import stagedcalls as calls
from cogen.staging import stageditems as items
from cogen.staging.comparing import compared
from cogen.staging.comprehensions import StagedGenerator, emit, finished, go_through
from cogen.staging.convertfunctions import HOOKS_CELL
from cogen.staging.joinvalues import UNRETURNED, UNSET, Missing, StepOutcome, Unreturned
from cogen.staging.library import StagedDeque
from cogen.staging.pooledlists import PooledList
from cogen.staging.pooledlists import born as born_list
from cogen.staging.scalaroperations import truth
from cogen.staging.sequencecalls import LoopSteps, steps_of, walking
from cogen.staging.sourceplaces import cannot, fail, here, shown
from cogen.staging.stagedarrays import Array
from cogen.staging.stagedcells import assigns_global, changes, owns
from cogen.staging.stagedcomplex import StagedComplex
from cogen.staging.stagedconditionals import Get, Raised, Set, conditional, go, no_change, no_state
from cogen.staging.stagedexpressions import require, text
from cogen.staging.stagedlists import StagedList
from cogen.staging.stagedloops import Stop, repeat
from cogen.staging.stagedoptionals import StagedOptional, demanded, is_none
from cogen.staging.stagedrecords import Records, StagedRecord
from cogen.staging.stagedscalars import Scalar, Staged, apply, expression, scalar
from cogen.staging.stagedtables import StagedTable
from cogen.staging.stagedtexts import StagedString, length_of
from cogen.staging.stagedunions import UnionCase
from cogen.staging.tableoperations import StagedDict, born
from cogen.staging.tracer import current

LONG: Final = 32
"""So many rounds of a loop that is known are not written out if their code can be one loop."""


def tested(x: Any) -> Any:
    """A test: a staged truth value, or whether a known value is true."""
    if isinstance(x, Scalar):
        return truth(x)
    if isinstance(x, StagedOptional):
        return apply("logical_and", x.is_there, tested(x.value))
    if isinstance(x, StagedString):
        return tested(apply("less", 0, length_of(x)))
    if isinstance(x, StagedComplex):
        return np.not_equal(x, 0)  # type: ignore[call-overload]  # it has NumPy's protocol
    if isinstance(x, Array):
        if x.known is not None:
            return bool(x.known)
        fail(
            f"{shown()}the truth of an array of several elements is not one",
            "use np.any or np.all, and & and | for elements",
        )
    if isinstance(x, Missing):
        x.refuse()
    if isinstance(x, StagedTable | StagedDeque | PooledList) or (
        isinstance(x, StagedList) and not x.is_known
    ):
        return tested(apply("less", 0, x.staged_length()))
    return bool(x)


def unset(name: str) -> Missing:
    """A variable before it is assigned."""
    return Missing(name, UNSET)


def if_(
    test: Any,
    then: Callable[[], Any],
    otherwise: Callable[[], Any],
    get: Get,
    put: Set,
    names: Sequence[str],
) -> None:
    """`if`."""
    found = tested(test)
    if isinstance(found, Scalar):
        conditional(found, then, otherwise, get, put, names)
    elif found:
        then()
    else:
        otherwise()


def choice(test: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    """`then if test else otherwise`."""
    found = tested(test)
    if not isinstance(found, Scalar):
        return then() if found else otherwise()
    return _checked(conditional(found, then, otherwise))


def _checked(x: Any) -> Any:
    if isinstance(x, Missing):
        x.refuse()
    return x


def and_(*thunks: Callable[[], Any]) -> Any:
    """`a and b`."""
    return _logical(thunks, True)


def or_(*thunks: Callable[[], Any]) -> Any:
    """`a or b`."""
    return _logical(thunks, False)


def both(*thunks: Callable[[], Any]) -> Any:
    """`a and b`, of which only the truth is asked."""
    return _logical([_truth_of(x) for x in thunks], True)


def either(*thunks: Callable[[], Any]) -> Any:
    """`a or b`, of which only the truth is asked."""
    return _logical([_truth_of(x) for x in thunks], False)


def _truth_of(thunk: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: tested(thunk())


def _logical(thunks: Sequence[Callable[[], Any]], goes_on: bool) -> Any:
    first, *rest = thunks
    value = first()
    if not rest:
        return value
    test = tested(value)
    if not isinstance(test, Scalar):
        return _logical(rest, goes_on) if test == goes_on else value

    def others() -> Any:
        return _logical(rest, goes_on)

    def itself() -> Any:
        return value

    return _checked(conditional(test, others, itself) if goes_on
                    else conditional(test, itself, others))  # fmt: skip


def not_(x: Any) -> Any:
    """`not x`."""
    found = tested(x)
    return apply("logical_not", found) if isinstance(found, Scalar) else not found


def compare(names: Sequence[str], *thunks: Callable[[], Any]) -> Any:
    """`a < b <= c`."""
    left = thunks[0]()

    def rest(left: Any, k: int) -> Any:
        right = thunks[k + 1]()
        found = compared(names[k], left, right)
        if k + 1 == len(names):
            return found
        return and_(lambda: found, lambda: rest(right, k + 1))

    return rest(left, 0)


def unreturned() -> Any:
    """A function's result before there is one."""
    return UNRETURNED


def returned(result: Any, done: Any, falls: bool) -> Any:
    """A function's result at its end; `done`: whether it has one; `falls`: whether a run may come
    to the end of its text, where it gives None."""
    if isinstance(result, Unreturned) or result is None:
        return None
    if isinstance(done, Scalar):
        if isinstance(result, StepOutcome) and isinstance(result.result, Unreturned):
            recursion = current().recursions[-1]
            if not recursion.gives:  # it ends here without a result, as all ways do
                ended = StepOutcome(-1, (), UNRETURNED)
                return conditional(done, lambda: result, lambda: ended)
        if falls and not isinstance(result, StepOutcome):
            return conditional(done, lambda: result, lambda: None)
        require(expression(done), text("the function ends here without a result"))
    elif not done:
        return None
    return result


# Loops.


def for_(
    values: Any, body: Callable[[Any], Any], get: Get, put: Set, names: Sequence[str], stop: Stop
) -> None:
    """`for`."""
    steps = _steps_of(values)
    if steps is not None and not isinstance(steps.length, int):
        with walking(steps.lists):
            repeat(steps.length, steps.at, body, get, put, names, stop)
        return
    if isinstance(values, range) and len(values) > LONG and _rolled(values, body, get, put, names,
                                                                    stop):  # fmt: skip
        return
    _each(iter(values), body, get, put, names, stop)


def _steps_of(values: Any) -> LoopSteps | None:
    values = demanded(values)
    own = None if isinstance(values, Staged) else getattr(values, "staged_steps", None)
    return own() if own is not None else steps_of(values)


def _each(
    items: Iterator[Any], body: Callable[[Any], Any], get: Get, put: Set, names: Sequence[str],
    stop: Stop,
) -> None:  # fmt: skip
    """A loop of known rounds, one after the other."""
    for item in items:
        stopped = stop() if stop is not None else False
        if isinstance(stopped, Scalar):
            rest = item
            conditional(stopped, _nothing, lambda rest=rest: body(rest), get, put, names)  # type: ignore[misc]  # mypy cannot infer the type of the lambda
        elif stopped:
            return
        else:
            body(item)


def _nothing() -> None:
    """What a round that is skipped does."""


def _rolled(
    values: range, body: Callable[[Any], Any], get: Get, put: Set, names: Sequence[str], stop: Stop
) -> bool:
    """Stage a long loop of known rounds as one, if it stages anything."""
    before = get()
    arm = go(lambda: body(values[0]), get, put, before)
    put(before)
    if not arm.code.frames:
        return False
    start, step = values.start, values.step
    simple = start == 0 and step == 1
    try:
        repeat(len(values), lambda k: k if simple else start + k * step, body, get, put, names,
               stop)  # fmt: skip
    except CogenError:
        put(before)
        return False
    return True


def while_(
    test: Callable[[], Any], body: Callable[[], Any], get: Get, put: Set, names: Sequence[str],
    stop: Stop,
) -> None:  # fmt: skip
    """`while`."""
    first = True
    while True:
        stopped = stop() if stop is not None else False
        if isinstance(stopped, Scalar):
            _while_staged(lambda: and_(lambda: not_(stop()), test), body, get, put, names)  # type: ignore[misc]  # it is there
            return
        if stopped:
            return
        before = get()
        arm = go(lambda: tested(test()), get, put, before)
        put(before)
        if arm.raised is None and isinstance(arm.values[0], Scalar):
            _while_staged(test, body, get, put, names, stop)
            return
        known = arm.raised is None and not arm.code.frames and not arm.heap
        if not (arm.values[0] if known else tested(test())):
            return
        if first and _becomes_staged(test, body, get, put):
            _while_staged(test, body, get, put, names, stop)
            return
        first = False
        body()


def _becomes_staged(test: Callable[[], Any], body: Callable[[], Any], get: Get, put: Set) -> bool:
    """Whether a round stages something, after which only a run knows whether there is another."""
    before = get()
    found = False

    def once() -> Any:
        body()
        return tested(test())

    try:
        arm = go(once, get, put, before)
        found = arm.raised is None and isinstance(arm.values[0], Scalar)
    except CogenError:
        found = False
    put(before)
    return found


def _while_staged(
    test: Callable[[], Any], body: Callable[[], Any], get: Get, put: Set, names: Sequence[str],
    stop: Stop = None,
) -> None:  # fmt: skip
    repeat(None, lambda k: k, lambda k: body(), get, put, names, stop, lambda: tested(test()))


# Exceptions.


@contextmanager
def handling() -> Iterator[None]:
    """The body of a `try` with handlers."""
    tracer = current()
    tracer.handling.append(len(tracer.regions))
    try:
        yield
    finally:
        tracer.handling.pop()


def raise_(error: Any, cause: Any) -> None:
    """`raise`: where only a run knows whether it comes here, the run fails."""
    made = error() if isinstance(error, type) else error
    if cause is not None:
        made.__cause__ = cause
    tracer = current()
    if not tracer.regions:
        raise made
    if tracer.handling and tracer.handling[-1] < len(tracer.regions):
        cannot("an exception that is caught is raised where only a run knows whether")
    raise Raised(made, here() or tracer.span)


def assert_(test: Any, message: Callable[[], Any]) -> None:
    """`assert`."""
    found = tested(test)
    if isinstance(found, Scalar):
        require(expression(found), *_said(message()))
    elif not found:
        raise AssertionError(message())


def _said(message: Any) -> list[Any]:
    """What an assertion says when it fails."""
    return [text(message)] if isinstance(message, str) and message else []


# Parts and changes.


def parts(values: Any, count: int | None) -> Any:
    """A value that is taken apart by an assignment."""
    values = demanded(values)
    if isinstance(values, Array) and values.known is None and count is not None:
        size = values.size_of(0)
        if not isinstance(size, int):
            require(expression(scalar(size == count)))
        return [values[k] for k in range(count)]
    if isinstance(values, StagedList) and not values.is_known and count is not None:
        require(expression(scalar(values.staged_length() == count)))
        return [values[k] for k in range(count)]
    if isinstance(values, StagedString) and count is not None:
        require(expression(scalar(apply("equal", length_of(values), count))))
        return [values[k] for k in range(count)]
    if isinstance(values, StagedRecord | Records):
        return list(values.fields.values())
    if isinstance(values, Missing):
        values.refuse()
    return values


def made(x: Any) -> Any:
    """A list, dictionary or set that is new."""
    if type(x) is list:
        return born_list(current().made(StagedList(x)))
    return born(x) if type(x) in (dict, set) else current().made(x)


def comprehension(kind: str, values: Any, step: Callable[..., None]) -> Any:
    """A comprehension, or a generator expression."""
    steps = _steps_of(values)
    if kind == "generator":
        staged = steps is not None and not isinstance(steps.length, int)
        return StagedGenerator(for_, values if staged else iter(values), step, staged)
    out = StagedList()
    go_through(for_, out, values, lambda item: step(out, item))
    return finished(kind, out)


def each(out: Any, values: Any, step: Callable[..., None]) -> None:
    """A loop within a comprehension."""
    go_through(for_, out, values, step)


def when(test: Callable[[], Any], then: Callable[[], Any]) -> None:
    """A test of a comprehension."""
    if_(test(), then, _nothing, no_state, no_change, ())


def augment_item(name: str, whole: Any, index: Any, value: Any) -> None:
    """`whole[index] += value`."""
    if isinstance(whole, StagedDict):
        whole.augment(name, index, value)
        return
    old = items.getitem(whole, index)
    items.setitem(items.augment(name, old, value), whole, index)


def augment_attr(operator_: str, whole: Any, name: str, value: Any) -> None:
    """`whole.name += value`."""
    items.setattr_(items.augment(operator_, getattr(whole, name), value), whole, name)


def match(
    value: Any, kinds: tuple[type, ...], before: tuple[type, ...], names: tuple[str, ...]
) -> Any:
    """Whether a value is an object of one of some classes, for a pattern that asks for some
    attributes, where it is none of those `before`."""
    if isinstance(value, UnionCase):
        return value.is_instance(kinds, before)
    return isinstance(value, kinds) and all(hasattr(value, name) for name in names)


def instance(value: Any, kind: type) -> Any:
    """What is known of a value that a pattern has found to be of a class."""
    return value.as_instance(kind) if isinstance(value, UnionCase) else value


def field(value: Any, kind: type, key: int | str) -> Any:
    """What a pattern finds of an object of a class: a field by its place, or by its name."""
    if kind in ITSELF:
        return value
    return getattr(instance(value, kind), key if isinstance(key, str) else kind.__match_args__[key])  # type: ignore[attr-defined]  # a class that patterns take apart


def is_constant(value: Any, constant: bool | None) -> Any:
    """Whether a value is True, False or None, for a pattern that asks for this one."""
    if isinstance(value, Scalar) and value.type == BOOL and constant is not None:
        return value if constant else apply("logical_not", value)
    return is_none(value) if constant is None else value is constant


def has_length(value: Any, length: int, more: bool) -> bool:
    """Whether a value is a tuple, a list or another sequence of so many elements, or `more`, for a
    pattern."""
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes, bytearray)):
        return False
    return len(value) >= length if more else len(value) == length


def rest(value: Sequence[Any], first: int, after: int) -> list[Any]:
    """The elements of a sequence but for some at its ends, for a pattern."""
    return list(value[first : len(value) - after])


def has_keys(value: Any, *keys: Any) -> bool:
    """Whether a value is a dictionary with some keys, for a pattern."""
    return isinstance(value, Mapping) and all(key in value for key in keys)


def without(value: Mapping[Any, Any], *keys: Any) -> dict[Any, Any]:
    """A dictionary without some keys, for a pattern."""
    return {key: found for key, found in value.items() if key not in keys}


def known(value: Any) -> Any:
    """What a `match` asks for that is not staged: no object of one of several classes."""
    if isinstance(value, UnionCase):
        cannot(
            "a guard whose own names are the pattern's too tells no object of several classes",
            "give other names to what the guard makes",
        )
    return value


ITSELF: Final = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
"""Classes of which `Kind(x)` is the value itself."""

HOOKS_CELL.cell_contents = SimpleNamespace(
    unset=unset, unreturned=unreturned, returned=returned, if_=if_, choice=choice, and_=and_,
    or_=or_, not_=not_, compare=compare, compared=compared, for_=for_,
    while_=while_, handling=handling, raise_=raise_, assert_=assert_, parts=parts, made=made,
    augment=items.augment, augment_item=augment_item, augment_attr=augment_attr,
    call=calls.call, call_last=calls.call_last,
    getitem=items.getitem, setitem=items.setitem, setattr_=items.setattr_, delitem=items.delitem,
    slice=items.slice_of, match=match, instance=instance, field=field,
    comprehension=comprehension, each=each, when=when, emit=emit,
    is_constant=is_constant, has_length=has_length, rest=rest,
    has_keys=has_keys, without=without, known=known,
    both=both, either=either, owns=owns, changes=changes, assigns_global=assigns_global,
)  # fmt: skip
