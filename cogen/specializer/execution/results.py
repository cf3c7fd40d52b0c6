"""Results of residual procedures that are known in part: only their dynamic parts are returned.

A residual procedure may give a structure of which a part is known: a store of an interpreted
program, with the names in it; a pair of a value and such a store.  If all that it returns are
alike, it returns the dynamic parts, and whoever calls it goes on with the structure.  Otherwise
the names would have to be looked up again in each run.

    (define (run code store) …)    store is (list (cons 'n x) (cons 'result y)), and run gives such
                                   a list: it returns x and y, and its callers know n and result

The *shape* of a result is what all returns have in common: a constant, a pair or record of shapes,
or of procedures that stand for maps (`values.overriding`), or `ANY`, a dynamic part.  It is found
while the procedure is made: calls of one that has not returned yet take its result for dynamic.
Calls and returns are made again when the shape changes, which then only becomes more general.
What a procedure makes anew, as a syntax tree, is mostly put into something else; what it was given
and gives back, as a store, is looked at again: so a shape is `ANY` if none of its constants was in
a structure that the procedure was called with.

Law: a procedure whose result has a shape is called by calls that know it alone.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from cogen.lang import il
from cogen.lang.datum import NIL, Char, Datum, Pair, RecordType, Symbol
from cogen.specializer.paths.path import Path
from cogen.specializer.rules.rule import make_pair
from cogen.specializer.values.domain import (
    Closure,
    Dynamic,
    PartialPair,
    PartialRecord,
    Static,
    Value,
)
from cogen.specializer.values.freeze import Token, static_token
from cogen.specializer.values.overriding import parts_of_map
from cogen.specializer.versions.families import Family
from cogen.specializer.versions.memo import Restart, VersionedProcedure

MOST_CHANGES: Final = 4
"""How often a shape may become more general before it is `ANY`."""

MOST_PARTS: Final = 200
"""The parts of a shape."""


@dataclass(frozen=True, slots=True)
class DynamicPart:
    """A dynamic part."""


@dataclass(frozen=True, slots=True)
class KnownResult:
    """A constant."""

    token: Token
    datum: Datum

    def __eq__(self, other: object) -> bool:
        return type(other) is KnownResult and other.token == self.token

    def __hash__(self) -> int:
        return hash(self.token)


@dataclass(frozen=True, slots=True)
class Composite:
    """A pair, a record of a type whose fields nothing assigns, or a procedure that stands for a map
    (`values.overriding`).  Of a pair that may be assigned after all, the `site` that made it is
    known (`paths.pairs`)."""

    type: RecordType | il.Function | None
    parts: tuple[Shape, ...]
    site: Hashable = None


Shape = DynamicPart | KnownResult | Composite

ANY: Final = DynamicPart()


def shape_of(value: Value) -> Shape:
    """The shape of a value."""
    return _shape(value, [MOST_PARTS])


def _shape(value: Value, left: list[int]) -> Shape:
    left[0] -= 1
    if left[0] < 0:
        return ANY
    if type(value) is Static:
        if type(value.datum) in _ATOMS or value.datum is NIL or type(value.datum) is Pair:
            return KnownResult(static_token(value.datum), value.datum)
        return ANY
    if type(value) is PartialPair:
        car = _shape(value.car, left)
        return Composite(None, (car, _shape(value.cdr, left)), value.site)
    if type(value) is PartialRecord:
        if type(value.type) is Family and value.type.is_among_values:
            return ANY  # an object stays one and the same
        return Composite(value.type, tuple([_shape(field, left) for field in value.fields]))
    if type(value) is Closure and (names := parts_of_map(value.function)) is not None:
        parts = tuple([_shape(value.environment[name], left) for name in names])
        return Composite(value.function, parts)
    return ANY


_ATOMS: Final = frozenset({Symbol, int, float, bool, Char})


def constants(shape: Shape) -> Iterator[Token]:
    """What is known in a composite, other than that a list ends."""
    work: list[Shape] = [shape] if type(shape) is Composite else []
    while work:
        part = work.pop()
        if type(part) is KnownResult and part.datum is not NIL:
            yield part.token
        if type(part) is Composite:
            work += part.parts


def joined(a: Shape, b: Shape) -> Shape:
    """What two shapes have in common."""
    if a == b:
        return a
    a, b = _opened(a), _opened(b)
    if type(a) is not Composite or type(b) is not Composite:
        return ANY
    if a.type is b.type and a.site == b.site:
        return Composite(a.type, tuple(map(joined, a.parts, b.parts)), a.site)
    return ANY


def _opened(shape: Shape) -> Shape:
    """A constant pair as a pair of constants."""
    if type(shape) is not KnownResult or type(shape.datum) is not Pair:
        return shape
    parts = shape.datum.car, shape.datum.cdr
    return Composite(None, tuple([_shape(Static(part), [MOST_PARTS]) for part in parts]))


def dynamic_parts(shape: Shape, value: Value) -> Iterator[Value]:
    """The parts of a value that are dynamic in a shape, left to right."""
    if shape == ANY:
        yield value
    elif type(shape) is Composite:
        for inner, part in zip(shape.parts, _parts(value), strict=True):
            yield from dynamic_parts(inner, part)


def _parts(value: Value) -> Sequence[Value]:
    """What a value is made of that has a composite shape."""
    if type(value) is PartialPair:
        return value.car, value.cdr
    if type(value) is PartialRecord:
        return value.fields
    if type(value) is Closure:
        names = parts_of_map(value.function)
        assert names is not None
        return [value.environment[name] for name in names]
    assert type(value) is Static
    return Static(value.datum.car), Static(value.datum.cdr)


def count(shape: Shape) -> int:
    """How many parts are dynamic."""
    if type(shape) is Composite:
        return sum(map(count, shape.parts))
    return int(shape == ANY)


def returned(path: Path, procedure: VersionedProcedure, value: Value) -> list[Value]:
    """What a procedure returns for a value."""
    procedure.result.returning[path.block] = None
    shape = join(path, procedure, shape_of(value))
    return list(dynamic_parts(shape, value))


def join(path: Path, procedure: VersionedProcedure, shape: Shape) -> Shape:
    """The shape of a procedure's results, one of this shape included; `Restart` if that is
    news for the path's block."""
    result = procedure.result
    before = result.shape
    after = shape if before is None else joined(before, shape)
    if after != before:
        result.changes += 1
        if result.changes > MOST_CHANGES or result.given.isdisjoint(constants(after)):
            after = ANY
    if after != before:
        _change(path, procedure, after)
    return after


def is_passed_on(
    path: Path, owner: VersionedProcedure | None, callee: VersionedProcedure | None
) -> bool:
    """Whether what a call in tail position gives is what the path's procedure returns, which
    is none with a shape if there is no `owner`."""
    shape = ANY if callee is None else callee.result.shape
    if owner is None:
        return shape is None or shape == ANY
    if shape is None:  # if there is one later, the call is made again
        assert callee is not None
        callee.result.passing[path.block] = None
        return True
    owner.result.returning[path.block] = None
    return join(path, owner, shape) == shape


def give_up(path: Path, procedure: VersionedProcedure) -> None:
    """A procedure is called by what does not know its shape."""
    if procedure.result.shape != ANY:
        _change(path, procedure, ANY)


def received(path: Path, procedure: VersionedProcedure, arguments: Sequence[Value]) -> Shape:
    """The shape of what a call in the path's block gives; `ANY` until there is one."""
    result = procedure.result
    if result.shape is None:
        given = {token for value in arguments for token in constants(shape_of(value))}
        result.given = frozenset(given)
        if not given:
            give_up(path, procedure)
    result.calling[path.block] = None
    return ANY if result.shape is None else result.shape


def _change(path: Path, procedure: VersionedProcedure, shape: Shape) -> None:
    """Give a procedure's results a shape, and make the code again that relies on another."""
    result, current = procedure.result, path.block
    blocks = dict(result.passing)
    if result.shape is not None or shape != ANY:
        blocks.update(result.calling)
    if result.shape is not None:
        blocks.update(result.returning)
    result.shape = shape
    path.context.worklist.make_again(blocks, current)
    if current in blocks:
        raise Restart(current)


def value_of(path: Path, shape: Shape, parts: Iterator[Dynamic]) -> Value:
    """The value of a shape with these dynamic parts, left to right."""
    if type(shape) is KnownResult:
        return Static(shape.datum)
    if type(shape) is Composite:
        found = [value_of(path, part, parts) for part in shape.parts]
        if type(shape.type) is il.Function:
            names = parts_of_map(shape.type)
            assert names is not None
            return Closure(shape.type, dict(zip(names, found, strict=True)))
        if shape.type is not None:
            return PartialRecord(shape.type, tuple(found))
        car, cdr = found
        if path.context.pairs.may_be_assigned:
            return PartialPair(car, cdr, None, shape.site)
        return make_pair(path, car, cdr)
    return next(parts)
