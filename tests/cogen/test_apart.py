"""Values that are apart differ in more than data: as laying them side by side finds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogen.lang.datum import NIL, Char, Pair, RecordType, symbol
from cogen.specializer.programs.liveness import Liveness
from cogen.specializer.values.apart import SkeletonsApart
from cogen.specializer.values.domain import (
    Dynamic,
    PartialPair,
    PartialRecord,
    Primitive,
    Several,
    Static,
)
from cogen.specializer.values.domain import Test as Predicate
from cogen.specializer.values.states import States
from cogen.specializer.versions.embedding import Alignment, EmbeddedState, is_leaf
from cogen.specializer.versions.trials import is_liftable_data

pytestmark = pytest.mark.quick

POINT = RecordType("point", ("x", "y"))
LISTED = Pair(1, NIL)
"""A piece of the interpreted program: the same object wherever it occurs."""

GROUNDS: dict[object, int] = {}


def _pair(car: Any, cdr: Any) -> PartialPair:
    tokens = _ground(car), _ground(cdr)
    if None in tokens:
        return PartialPair(car, cdr)
    return PartialPair(car, cdr, GROUNDS.setdefault(tokens, len(GROUNDS)))


def _ground(value: Any) -> object:
    if type(value) is Static:
        return (type(value.datum).__name__, repr(value.datum))
    return (
        ("ground", value.ground)
        if type(value) is PartialPair and value.ground is not None
        else None
    )


SIMPLE = st.one_of(
    st.sampled_from([NIL, 1, 2, 1.5, True, False, "s", Char("c"), symbol("a"), symbol("b"), LISTED])
    .map(Static),
    st.sampled_from(["x", "y"]).map(Dynamic),
    st.sampled_from(["car", "cdr"]).map(Primitive),
)  # fmt: skip
VALUES = st.recursive(
    SIMPLE,
    lambda part: st.one_of(
        st.builds(_pair, part, part),
        st.builds(_pair, part, part),
        st.builds(lambda x, y: PartialRecord(POINT, (x, y)), part, part),
        st.builds(lambda x, y: Several((x, y)), part, part),
        st.builds(lambda x: Predicate("null?", (x,), False, None), part),
    ),
    max_leaves=12,
)


@st.composite
def _versions(draw: st.DrawFn) -> tuple[Any, Any]:
    """Two values, mostly alike."""
    ways = draw(st.lists(st.booleans(), min_size=16, max_size=16))

    def version(value: Any) -> Any:
        if ways and ways.pop() and draw(st.integers(0, 3)) == 0:
            return draw(VALUES)
        if type(value) is PartialPair:
            return _pair(version(value.car), version(value.cdr))
        if type(value) is PartialRecord:
            return PartialRecord(value.type, tuple(map(version, value.fields)))
        if type(value) is Several:
            return Several(tuple(map(version, value.values)))
        return value

    value = draw(VALUES)
    return value, version(value)


def _is_data(values: Any) -> bool:
    old, new = values
    if type(old) is PartialPair and type(new) is PartialPair:
        return False
    return is_liftable_data(old) and (is_leaf(new) or is_liftable_data(new))


def _differ_in_data(states: States, old: Any, new: Any) -> bool:
    sides = [EmbeddedState([("", value)], {}) for value in (old, new)]
    return bool(Alignment(sides, states, _is_data, lambda _: False).differences)


@pytest.mark.slow
@given(_versions())
def test_what_is_apart_differs_in_more_than_data(versions: tuple[Any, Any]) -> None:
    states = States(Liveness())
    old, new = versions
    if SkeletonsApart(states).are_states([("", old)], [("", new)]):
        assert not _differ_in_data(states, old, new)


def _list(*items: Any, end: Any = NIL) -> Any:
    value: Any = Static(end)
    for item in reversed(items):
        value = _pair(item if type(item) in (Dynamic, PartialPair) else Static(item), value)
    return value


def _are_apart(old: Any, new: Any) -> bool:
    return SkeletonsApart(States(Liveness())).are_states([("", old)], [("", new)])


def test_what_tells_values_apart_is_seen() -> None:
    x, a, b = Dynamic("x"), symbol("a"), symbol("b")
    assert _are_apart(_list(x, a), _list(x, b))
    assert _are_apart(_list(x, _list(x, a)), _list(x, _list(x, b)))
    assert _are_apart(_list(x), _list(x, 1, end=NIL))  # what is more is constant
    assert _are_apart(_list(a, 1), _list(x, 1))
    assert not _are_apart(_list(x, 1), _list(x, 2))
    assert not _are_apart(_list(x), _list(x, x))
    assert not _are_apart(_list(x, "s"), _list(x, x))


def test_equal_summaries_are_not_looked_into() -> None:
    old, new = (_list(Dynamic(name), _list(1, Dynamic(name))) for name in ("x", "y"))
    states = States(Liveness())
    assert states.are_equal([old, new])
    assert not states.are_equal([old, _list(Dynamic("x"), _list(2, Dynamic("x")))])
    sides = [EmbeddedState([("", value)], {}) for value in (old, new)]
    assert not Alignment(sides, states, _is_data, lambda _: False).differences
