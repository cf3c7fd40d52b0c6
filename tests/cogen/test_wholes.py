"""Values without leaves and numbers are one token of a state (`…values.freeze`)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cogen
from cogen.bench.specializing import case_of
from cogen.lang import il
from cogen.lang.datum import NIL, RecordType, symbol
from cogen.specializer.programs.liveness import Liveness
from cogen.specializer.values.domain import (
    Cell,
    Dynamic,
    PartialPair,
    PartialRecord,
    Ref,
    Several,
    Static,
)
from cogen.specializer.values.freeze import Frozen, Lifted, Store
from cogen.specializer.values.states import States
from cogen.specializer.values.thaw import Thawed, thaw

pytestmark = pytest.mark.quick

KINDS = ("pair", "several", "record")
POINT = RecordType("point", ("x", "y"))

Plan = list[tuple[str, int, int]]
"""Composite values: of a kind, with two parts, each an atom or an earlier one."""


@st.composite
def plans(draw: st.DrawFn) -> tuple[Plan, Plan, list[int], list[int]]:
    """Two states that differ in little or nothing, and in each some values that are the roots;
    values of which residual variables stand for."""
    kinds, parts = st.sampled_from(KINDS), st.integers(-6, 12)
    plan = draw(st.lists(st.tuples(kinds, parts, parts), min_size=1, max_size=12))
    other = list(plan)
    if draw(st.booleans()):
        at = draw(st.integers(0, len(plan) - 1))
        other[at] = draw(st.tuples(kinds, parts, parts))
    places = st.lists(st.integers(0, len(plan) - 1), min_size=1, max_size=4)
    lifted = draw(st.lists(st.integers(0, len(plan) - 1), max_size=1))
    return plan, other, draw(places), lifted


def _state(plan: Plan, places: list[int], stand: list[int]) -> tuple[Any, Store, Lifted]:
    store: Store = {1: Cell("box", [Static(symbol("held"))], None)}
    made: list[Any] = []

    def part(number: int) -> Any:
        if number >= 0 and made:
            return made[number % len(made)]
        atoms = [Static(symbol("a")), Static(symbol("b")), Static(NIL), Static(3), Dynamic("x")]
        return atoms[abs(number)] if abs(number) < len(atoms) else Ref(1)

    for kind, first, second in plan:
        one, two = part(first), part(second)
        if kind == "pair":
            made.append(PartialPair(one, two))
        elif kind == "several":
            made.append(Several((one, two)))
        else:
            made.append(PartialRecord(POINT, (one, two)))
    roots = [(f"r{at}", made[place]) for at, place in enumerate(places)]
    lifted = {id(made[number]): (made[number], il.Var("stand")) for number in stand}
    return roots, store, lifted


@given(plans())
def test_keys_tell_states_apart_as_when_all_is_gone_into(
    drawn: tuple[Plan, Plan, list[int], list[int]],
) -> None:
    plan, other, places, stand = drawn
    liveness, states = Liveness(), States(Liveness())
    first, second = _state(plan, places, stand), _state(other, places, stand)
    whole = [Frozen(*state, liveness, form=states.form) for state in (first, second)]
    opened = [Frozen(*state, liveness) for state in (first, second)]
    assert (whole[0].key == whole[1].key) == (opened[0].key == opened[1].key)
    for one, all_of_it in zip(whole, opened, strict=True):
        assert [leaf.name for leaf in one.leaves] == [leaf.name for leaf in all_of_it.leaves]


@given(plans())
def test_copies_are_as_when_all_is_copied(
    drawn: tuple[Plan, Plan, list[int], list[int]],
) -> None:
    plan, _, places, stand = drawn
    liveness, states = Liveness(), States(Liveness())
    state = _state(plan, places, stand)
    frozen = Frozen(*state, liveness, form=states.form)
    names = {(leaf.name, leaf.offset): Dynamic(f"new {leaf.name}") for leaf in frozen.leaves}
    copy = Frozen(*thaw(frozen, names), liveness)
    assert copy.key == Frozen(*state, liveness).key
    assert [leaf.name for leaf in copy.leaves] == [f"new {leaf.name}" for leaf in frozen.leaves]
    kept = Thawed(frozen, names, shares=True)
    assert all(kept.copy(value) is value for value in frozen.wholes)
    opened = Thawed(frozen, names)
    assert not any(opened.copy(value) is value for value in frozen.wholes)


def test_a_table_of_a_program_costs_a_token() -> None:
    """However long it is, beside a mutable object."""
    liveness, states = Liveness(), States(Liveness())

    def tokens(length: int) -> int:
        table: Any = Static(NIL)
        for number in range(length):
            entry = PartialRecord(POINT, (Static(symbol(f"m{number}")), Static(NIL)))
            table = PartialPair(entry, table)
        roots = [("table", table), ("object", Ref(1))]
        return len(
            Frozen(
                roots, {1: Cell("box", [Static(3)], None)}, {}, liveness, form=states.form
            ).tokens
        )

    assert tokens(5) == tokens(500)


@pytest.mark.slow
def test_states_of_objects_do_not_grow_with_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    init = Frozen.__init__

    def watched(self: Frozen, *arguments: Any, **others: Any) -> None:
        init(self, *arguments, **others)
        sizes.append(len(self.tokens))

    monkeypatch.setattr(Frozen, "__init__", watched)
    most = []
    for lines in (150, 600):
        sizes.clear()
        case = case_of(f"large/objects/{lines}")
        cogen.specialize(case.program, case.entry, *case.bts)
        most.append(sorted(sizes)[len(sizes) // 2])
    assert most[1] <= 1.5 * most[0]
