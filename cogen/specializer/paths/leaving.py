"""Mutable objects that leave a path with a procedure, or as a constant: they are settled.

A settled object is taken for never assigned again, as what a program sets up when it starts; it is
known on both sides.  When one is assigned all the same, everything begins again without settling
what its site makes (`Unsettled`), but for what it has made before, while the program started:

    (define (bind names values env) … (cons (cons (car names) (vector (car values))) …) …)

makes the boxes of globals first, then those of variables that the interpreted program assigns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from cogen.lang.datum import Datum
from cogen.specializer.paths.path import Path
from cogen.specializer.values.domain import Cell, Ref, Reified, Static, Value
from cogen.specializer.values.freeze import static_token


def leave(path: Path, values: Iterable[Any]) -> None:
    """The values go to what the specializer does not see.  Their objects become residual, but
    for those that are part of procedures' states alone, and may be settled when these are made
    (`hand_over`): nothing else gets at them."""
    direct = {
        one.number for one in path.reachable(values, through_procedures=False) if type(one) is Ref
    }

    def stays_known(one: Ref | Reified) -> bool:
        if type(one) is not Ref or one.number in direct:
            return False
        return _may_be_settled(path, path.store[one.number])

    path.escape([one for one in path.reachable(values) if not stays_known(one)])


def _may_be_settled(path: Path, content: Any) -> bool:
    """Whether an object may be settled with a procedure that leaves; a variable that is
    assigned is not: that will be done again."""
    return type(content) is Cell and content.kind != "cell" and path.context.may_settle(content)


def table(path: Path, value: Value) -> Datum | None:
    """The constant vector that an object is taken for, which is settled with that: one whose
    elements are known, and not all the same, so that something has filled it."""
    cell = path.content(value) if type(value) is Ref else None
    if type(cell) is not Cell or cell.kind != "vector" or not path.context.may_settle(cell):
        return None
    if not all(type(item) is Static for item in cell.items):
        return None
    items = [item.datum for item in cell.items]  # type: ignore[union-attr]
    if len({static_token(item) for item in items}) < 2:
        return None
    settle(path, value)  # type: ignore[arg-type]
    return path.context.constants.vector(items)


def settle(path: Path, ref: Ref) -> None:
    """Take an object for never assigned any more."""
    cell = path.store[ref.number]
    if cell.is_settled:
        return
    path.seen = None
    path.store[ref.number] = cell.settled(path.owner)


def hand_over(path: Path, values: Sequence[Any], kept: Sequence[Any] | None) -> None:
    """Make the static mutable objects that values lead to part of a residual procedure's state.

    Those that `kept` values lead to as well (None: any may) are known in two places from now
    on, and neither sees what the other assigns.  So they are *settled*: taken for never
    assigned again, as what a program sets up when it starts.  When one is all the same, or
    becomes an object of the residual program, everything begins again without settling what
    its site makes (`Unsettled`): such objects become residual here.
    """
    found = list(path.reachable(values))
    for one in found:
        if type(one) is Reified:
            path.context.lift_continuation(one)
    owned = [one for one in found if type(one) is Ref and type(path.content(one)) is Cell]
    if not owned:
        return
    if kept is not None:
        others = [*kept, *path.context.globals.roots().values()]
        shared = {one.number for one in path.reachable(others) if type(one) is Ref}
        owned = [ref for ref in owned if ref.number in shared]
    path.escape([ref for ref in owned if not path.context.may_settle(path.store[ref.number])])
    path.seen = None
    for ref in owned:
        cell = path.store[ref.number]
        if type(cell) is Cell:
            settle(path, ref)


def changed(path: Path, values: Sequence[Any]) -> list[Ref]:
    """The objects reachable from values to which the path's block has given other constants."""
    before = path.block.store
    found = [ref for ref in path.reachable(values) if type(ref) is Ref]
    return [r for r in found if _differ(path.store[r.number], before.get(r.number))]


def _differ(now: Any, then: Any) -> bool:
    """Whether an object holds other constants than it did."""
    return (
        type(now) is Cell
        and type(then) is Cell
        and any(
            type(a) is Static is type(b) and static_token(a.datum) != static_token(b.datum)
            for a, b in zip(now.items, then.items, strict=True)
        )
    )
