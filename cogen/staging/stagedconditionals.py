"""Staged conditionals: both ways are gone, one after the other, and what they did is joined.

if x > 0: y = 1; a[0] = x           {y, a} = if x > 0 then let ... in {1, a'} else {y, a}
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from cogen.array.l0 import tree
from cogen.array.l0.types import BOOL
from cogen.array.scheme.l0code import Code
from cogen.lang.errors import Span
from cogen.staging.joinvalues import Selection, chosen, leaf_expression, root_of
from cogen.staging.listelements import differ, join_contents, rows_of, with_room
from cogen.staging.scalaroperations import truth
from cogen.staging.sourceplaces import fail, raised_at
from cogen.staging.stagedarrays import Array, as_array
from cogen.staging.stagedexpressions import choose, constant, require
from cogen.staging.stagedlists import ListRows, StagedList
from cogen.staging.stagedscalars import Scalar, expression, scalar
from cogen.staging.stagedtables import demand_table
from cogen.staging.stagedunions import CONDITIONAL
from cogen.staging.tracer import TracedRegion, content_of, current, restore
from cogen.staging.wholearrays import bound, together

Get = Callable[[], tuple[Any, ...]]
Set = Callable[[tuple[Any, ...]], None]


class Raised(BaseException):  # it is an exception of the program's that is raised
    """An exception that the program raises where only a run knows whether it comes there."""

    def __init__(self, error: BaseException, place: Span) -> None:
        super().__init__(str(error))
        self.error = error
        self.place = place


class NoResultYet(Raised):
    """A procedure is called whose result is not known yet: this way gives none
    (`cogen.staging.stagedprocedures`)."""


@dataclass(slots=True, eq=False)
class BranchOutcome:
    """What one way did: the values that it gave and assigned, and what objects held at its end."""

    code: Code
    values: list[Any] = field(default_factory=list)
    heap: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    raised: Raised | None = None
    region: TracedRegion | None = None


def go(way: Callable[[], Any], get: Get, put: Set, before: tuple[Any, ...]) -> BranchOutcome:
    """Go one way; what it did to objects is undone, and noted."""
    tracer = current()
    put(before)
    with tracer.region("branch") as region, tracer.block() as code:
        arm = BranchOutcome(code, region=region)
        try:
            value = way()
        except Raised as raised:
            arm.raised = raised
        except (LookupError, ArithmeticError) as error:  # of what is known, if a run comes here
            place = raised_at(error)
            if place is None:
                raise
            arm.raised = Raised(error, place)
        else:
            arm.values = [value, *get()]
        for key, (thing, _) in region.log.items():
            arm.heap[key] = thing, content_of(thing)
    return arm


def no_state() -> tuple[Any, ...]:
    """The variables of an expression: none."""
    return ()


def no_change(values: tuple[Any, ...]) -> None:
    """Set the variables of an expression."""


def conditional(
    test: Any,
    then: Callable[[], Any],
    otherwise: Callable[[], Any],
    get: Get = no_state,
    put: Set = no_change,
    names: Sequence[str] = (),
) -> Any:
    """The value of one of two ways, which a run chooses; variables and objects are joined."""
    tracer = current()
    condition = scalar(truth(test))
    before = get()
    arms = [go(way, get, put, before) for way in (then, otherwise)]
    put(before)
    if arms[0].raised is not None or arms[1].raised is not None:
        return _without(condition, arms, (then, otherwise))
    _alike_lists(arms)
    selection = Selection([arm.heap for arm in arms])
    names = ["the value", *names]
    builds = [
        selection.join(a, b, name)
        for a, b, name in zip(arms[0].values, arms[1].values, names, strict=True)
    ]
    things = {
        key: thing
        for arm in arms
        for key, (thing, _) in arm.heap.items()
        if tracer.is_older(thing)  # what a way makes, the other has not
    }
    contents = [_content(selection, thing, arms) for thing in things.values()]
    found = _chosen(condition, arms, selection)
    for thing, content in zip(things.values(), contents, strict=True):
        new = content(found)
        if new is not None:
            tracer.touch(thing)
            restore(thing, new)
    value, *variables = [build(found) for build in builds]
    for arm in arms:
        assert arm.region is not None
        tracer.adopt(arm.region)
    arrays = selection.arrays
    chosen([a for a, _, _ in arrays], [[b for _, b, _ in arrays], [c for _, _, c in arrays]])
    for made, *given in arrays:
        if any(map(_is_stale_after, arms, given)):
            tracer.make_stale(made)
    put(tuple(variables))
    return value


def _is_stale_after(arm: BranchOutcome, given: Any) -> bool:
    """Whether an array may have been assigned to on a way under another name."""
    assert arm.region is not None
    _, place = arm.region.stale.get(id(root_of(as_array(given))), (None, None))
    return place is not None


def _without(
    condition: Scalar, arms: Sequence[BranchOutcome], ways: Sequence[Callable[[], Any]]
) -> Any:
    """One way raises an exception: a run must go the other."""
    first, second = arms
    if first.raised is not None and second.raised is not None:
        yet = isinstance(second.raised, NoResultYet)  # another attempt tells what this way gives
        raise second.raised if yet else first.raised
    raised = first.raised or second.raised
    assert raised is not None
    test = expression(condition)
    place = raised.place
    if first.raised is not None:
        test = tree.UnaryExpression(place, "not", test)
    else:
        test = tree.BinaryExpression(place, "&&", test, tree.LiteralExpression(place, True, BOOL))
    said = str(raised.error)
    require(test, *([tree.StringLiteral(place, said)] if said else []))
    return ways[1 if first.raised is not None else 0]()


CONDITIONAL.append(conditional)


def _content(
    selection: Selection, thing: Any, arms: Sequence[BranchOutcome]
) -> Callable[[list[Any]], Any]:
    """What makes the content of an object after both ways; of None when it is what it was."""
    held = [arm.heap[id(thing)][1] if id(thing) in arm.heap else content_of(thing) for arm in arms]
    if isinstance(thing, Array):
        (value, known), (other, known_too) = (content[:2] for content in held)
        if value == other and (known is known_too or _are_same(known, known_too)):
            return lambda found: held[0]
        a, b = (holding(thing, content) for content in held)
        build = selection.leaf(a, b, "an array")

        def made(found: list[Any]) -> Any:
            value = build(found)
            selection.arrays.pop()
            return value.content()

        return made
    if isinstance(thing, StagedList) and differ(*held):
        rows = _rows(held, arms)
        return join_contents(selection, [([], r, thing.sealed) for r in rows], "a list")
    if isinstance(thing, StagedList):
        build = selection.join(held[0][0], held[1][0], "an element")
        return lambda found: (build(found), None, thing.sealed)
    if isinstance(thing, set) or (isinstance(thing, list) and len(held[0]) != len(held[1])) or (
        isinstance(thing, dict) and list(held[0]) != list(held[1])
    ):  # fmt: skip
        if held[0] == held[1]:
            return lambda found: held[0]
        demand_table(thing)
        fail(
            f"a {type(thing).__name__} grows or shrinks under a condition that only a run decides",
            "use an array and a mask, cogen.filter, or make the condition static",
        )
    return selection.join(held[0], held[1], "an element")


def _alike_lists(arms: Sequence[BranchOutcome]) -> None:
    """Lists of different lengths, of which a run chooses, as arrays."""
    first, second = arms
    for k, (a, b) in enumerate(zip(first.values, second.values, strict=True)):
        if not isinstance(a, StagedList) or not isinstance(b, StagedList) or a is b:
            continue
        held = [arm.heap[id(x)][1] if id(x) in arm.heap else x.content()
                for arm, x in zip(arms, (a, b), strict=True)]  # fmt: skip
        if differ(*held):
            for arm, rows in zip(arms, _rows(held, arms), strict=True):
                arm.values[k] = StagedList((), rows)


def _rows(held: Sequence[Any], arms: Sequence[BranchOutcome]) -> list[ListRows]:
    """The elements of a list as arrays, as each way made them."""
    found: list[ListRows | None] = [content[1] for content in held]
    first = 0 if found[0] is not None or held[0][0] else 1
    for side in (first, 1 - first):
        arm, other = arms[side], found[1 - side]
        with current().within(arm.code), _as_at_the_end_of(arm):
            found[side] = rows_of(held[side], other)
    whole = [rows for rows in found if rows is not None]
    if all(rows.count is None for rows in whole):
        return whole
    roomy: list[ListRows] = []
    for arm, rows in zip(arms, whole, strict=True):
        with current().within(arm.code), _as_at_the_end_of(arm):
            roomy.append(with_room(rows))
    return roomy


def _are_same(a: Any, b: Any) -> bool:
    """Whether known contents of arrays are the same, to the sign of 0 and the bits of what is no
    number."""
    if a is None or b is None or a.shape != b.shape:
        return False
    return bool(a.dtype == b.dtype and a.tobytes() == b.tobytes())


def holding(thing: Array, content: Any) -> Array:
    """An array of its own that holds what another one held."""
    value, known, block, _ = content
    made = Array(value, thing.element, thing.ndim, known, thing.ones)
    made.block = block
    return made


@contextmanager
def _as_at_the_end_of(arm: BranchOutcome) -> Iterator[None]:
    """Objects hold what they held at the end of a way: what variables have on it may be these."""
    before = [(thing, content_of(thing)) for thing, _ in arm.heap.values()]
    for thing, content in arm.heap.values():
        restore(thing, content)
    try:
        yield
    finally:
        for thing, content in before:
            restore(thing, content)


def _chosen(condition: Scalar, arms: Sequence[BranchOutcome], selection: Selection) -> list[Any]:
    """The results of the conditional."""
    tracer = current()
    pairs = selection.pairs
    if not pairs and not any(arm.code.frames for arm in arms):
        return []
    made: list[tree.Expression] = []
    for side, arm in enumerate(arms):
        with tracer.within(arm.code), _as_at_the_end_of(arm):
            if pairs:
                e = together([leaf_expression(pair[side], pair[2]) for pair in pairs])
            else:
                e = constant(True)
        made.append(arm.code.close(e))
    chosen = choose(expression(condition), *made)
    types = [pair[2] for pair in pairs] or [BOOL]
    return bound(chosen, types, "r")
