"""Loops over pieces: in which round their generators have what they take, and what is combined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from cogen.array.distributed import roundplaces
from cogen.array.ir.generators import (
    Bucket,
    Collect,
    Reduce,
    Scan,
    is_hashed,
    is_numbered,
)
from cogen.array.ir.node import (
    Multiloop,
    Node,
    Yield,
)

if TYPE_CHECKING:
    from cogen.array.distributed.pieceplaces import PiecePlaces


_GROUPED: Final = "rows are numbered by their values, or put into groups"


def over_pieces(
    places: PiecePlaces, node: Multiloop, inputs: Sequence[roundplaces.Place]
) -> tuple[roundplaces.Place, ...]:
    """The places of the results of a loop over pieces."""
    size = places.cut_size(node)
    for place in inputs:
        if isinstance(place, roundplaces.Pieces):
            if place.axis:
                places.refuse(node, "rows and columns of arrays in pieces are taken together")
            _join(places, node, size, place.size)
    offset = places.offset(size)
    start = max([1, *[place.usable for place in (*inputs, *map(places.place, node.certs))]])
    places.rows[node.index] = node
    places.found[node.index] = roundplaces.RowPlace(max(start, offset))
    places.found[node.body.token] = roundplaces.RowPlace(start)
    for parameter, place in zip(node.elements, inputs, strict=True):
        at = max(start, place.usable)
        places.found[parameter] = roundplaces.RowPlace(
            at if isinstance(place, roundplaces.Pieces) else max(at, offset)
        )
    found: list[roundplaces.Place] = []
    running = iter(node.running)
    places.waiting |= dict.fromkeys(node.running, node)
    for number, y in enumerate(node.yields()):
        last = _taken(places, node, y, start)
        places.taken[node, number] = last
        if y.generator.runs:
            for parameter in [next(running) for _ in y.values]:
                places.found[parameter] = roundplaces.RowPlace(last + 1)
                del places.waiting[parameter]
        found += _given(places, node, number, y, size, last)
    checks = [places.check(effect) for effect in node.body.effects]
    if checks:
        places.forced.append((node, max([start, *checks]), _checked_path(places, node)))
        places.checks[node] = max([start, *checks])
    return tuple(found)


def _join(places: PiecePlaces, node: Node, one: Node, other: Node) -> None:
    """Arrays are taken row by row together."""
    first, second = places.root(one), places.root(other)
    assert second is not None
    if first is None:
        places.same[one] = first = second
    if first is second:
        return
    if first in places.counted or second in places.counted:
        places.refuse(node, "arrays in different pieces are taken row by row",
                    "filter them together, as an array of records or tuples")  # fmt: skip
    places.same[second] = first


def _checked_path(places: PiecePlaces, node: Node) -> tuple[Multiloop, ...]:
    path = places.path(node)
    if path is None:
        places.refuse(
            node, "a loop over pieces stands in a sequential loop or under a condition",
            roundplaces.SEQUENTIAL,
        )  # fmt: skip
    return path


def _taken(places: PiecePlaces, node: Multiloop, y: Yield, start: int) -> int:
    """The round in which a generator has what it takes."""
    taken = [places.place(n) for n in (y.condition, *y.taken) if n is not None]
    extras = [places.place(n) for n in y.extras]
    for place in (*taken, *extras):
        if isinstance(place, roundplaces.Pieces):
            places.refuse(node, "for each row, all rows of an array in pieces are read")
    if y.operator is not None:
        extras += places.bound(y.operator, roundplaces.RowPlace(1))
    return max([start, *[place.usable for place in (*taken, *extras)]])


def _given(
    places: PiecePlaces, node: Multiloop, number: int, y: Yield, size: Node, last: int
) -> list[roundplaces.Place]:
    """The results of one generator of a loop over pieces."""
    generator = y.generator
    count = y.gives
    used = [k - y.first for k in places.uses(node, y)]
    match generator:
        case Collect() if y.one_each:
            return [roundplaces.Pieces(last, 0, size)] * count
        case Scan():
            lift(places, node, number, "carry", last, is_prefix=True)
            if not y.leads:
                return [roundplaces.Pieces(last + 1, 0, size)] * count
            return _counted(places, node, number, y, last + 1, size)
        case Reduce() | Bucket(collects=False):
            if is_numbered(generator) and count - 1 in used:
                places.refuse(node, _GROUPED, "reduce each group by an associative operator")
            if used:
                lift(places, node, number, "value", last)
            return [roundplaces.KnownPlace(last)] * count
        case Bucket(hashed=True):
            places.refuse(node, _GROUPED, "reduce each group by an associative operator")
        case Collect():
            return _counted(places, node, number, y, last, size)
    places.refuse(
        node,
        "rows are stored at computed places, or sorted by keys",
        "combine what has one key by an associative operator: bucketReduce, reduceSegments",
    )


def _counted(
    places: PiecePlaces, node: Multiloop, number: int, y: Yield, at: int, size: Node
) -> list[roundplaces.Place]:
    """The results of a generator that lets some elements through, in a round."""
    if _checked_path(places, node):
        places.refuse(node, "columns of an array in pieces are filtered one by one")
    own = places.graph.part(node, y.first)
    places.same[own] = own
    places.counted[own] = roundplaces.Count(node, number, at, places.origin(size))
    if (node, y.first) in places.used:
        lift(places, node, number, "count", at)
    return [roundplaces.KnownPlace(at), *[roundplaces.Pieces(at, 0, own)] * (y.gives - 1)]


def lift(
    places: PiecePlaces, node: Multiloop, number: int, what: str, last: int, is_prefix: bool = False
) -> None:
    """What pieces find with a generator is combined."""
    path = _checked_path(places, node)
    if path and is_hashed(node.generators[number]):
        places.refuse(node, "columns of an array in pieces are put into tables one by one")
    before = places.lifts.get((node, number, what))
    is_prefix = is_prefix or (before is not None and before.is_prefix)
    if before is None or before.is_prefix != is_prefix:
        places.lifts[node, number, what] = roundplaces.RoundLift(
            node, number, what, path, last, is_prefix
        )
