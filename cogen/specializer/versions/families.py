"""Constructor specialization: data that outlive what is known, by which of their parts are known.

    family   ::= a set of pairs and records of the program that only each other's places hold
    variant  ::= what is known of one of them, without its dynamic parts: (13 . _)

A stack of return addresses that grows while an interpreted program recurs cannot stay known, but
each of its pairs has an address that is.  Advice (`advice.boxes`) wraps what a place of
such a family makes into a box, a record of the type `Family`.  While it is known, the box is
nothing but its content.  When it becomes dynamic, it becomes a residual record of its variant, with
the dynamic parts of the content as fields; and where one that is dynamic is looked into
(`%reveal`), there is an arm for each variant, in which the content has its known parts again
(Mogensen, "Constructor specialization", 1993; Dussart, Bevers and De Vlaminck, "Polyvariant
constructor specialisation", 1995).

Law: what a place that looks into a box gets has the parts that were put in.

Variants are found on the way: where one is made that is new, the blocks that have looked into
boxes of the family are made again.  Which of them a variable may be is followed, from where they
are made through parameters (`memo.arrivals`) and the fields of others: there is an arm for each of
these alone, as a procedure of the interpreted program goes back to where it is called, and not to
where any is.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from typing import Final, NamedTuple

from cogen import kinds
from cogen.lang.datum import RecordType, Symbol, iterate
from cogen.lang.ilutil import base_name
from cogen.specializer.programs.liveness import Liveness
from cogen.specializer.values.domain import (
    Closure,
    Dynamic,
    PartialPair,
    PartialRecord,
    Primitive,
    Ref,
    Static,
    Value,
)
from cogen.specializer.values.facts import Facts
from cogen.specializer.values.fixed import FixedPart, Parts, part_tokens
from cogen.specializer.values.freeze import Token, static_token
from cogen.specializer.versions.effort import TooMuch
from cogen.specializer.versions.memo import ResidualBlock, Restart
from cogen.specializer.versions.worklist import Worklist

MOST_VARIANTS: Final = 200
"""Of one family."""


class Family(RecordType):
    """The type of the boxes of a family; `holds` is the type of the records in them, if they are
    a family because of that.  One that `opens` is of lists, or of vectors as lists: for operations
    that do not know of boxes, they are what is in them (`advice.tagged`)."""

    def __init__(self, name: str, holds: RecordType | None = None, *, opens: bool = False) -> None:
        super().__init__(name, ("content",))
        self.holds = holds
        self.opens = opens
        self.is_vector = False
        self.holds_code = opens
        """Whether what is in boxes holds pieces of an interpreted program: a procedure of it."""
        self.front = 0
        """Of vectors: so many elements are in front of an object's fields.  What is in the box is a
        list of these, with the vector as its end; else a list of all."""
        self.is_of_objects = False
        """Whether what is in boxes are objects of an interpreted program, which has loops in which
        an object is of another class in the first round only: that is worth no version."""

    @property
    def is_among_values(self) -> bool:
        """Whether boxes may be where other values are."""
        return self.holds is not None or self.opens


class Variant(NamedTuple):
    """The residual type of boxes with the same known parts, what is in one of them, which parts
    of its fields are fixed, the objects in it that are known (`paths.heldobjects`) and the
    procedures, and whether blocks are told which dynamic boxes are of it."""

    type: RecordType
    content: Value
    fixed: tuple[Parts, ...]
    held: frozenset[int]
    closures: frozenset[Closure]
    is_told: bool

    def told_of(self, name: str) -> dict[str, frozenset[RecordType]]:
        """What is known of a variable that holds such a box."""
        return {name: frozenset((self.type,))} if self.is_told else {}

    def made_of(self, fields: Sequence[Value]) -> Value:
        """The content, of these dynamic parts."""
        return _filled(self.content, iter(fields), self.held | self.closures)


class Families:
    """The variants of all families in one specialization."""

    def __init__(self, worklist: Worklist) -> None:
        self._worklist = worklist
        self._variants: dict[Family, dict[tuple[Token, ...], Variant]] = {}
        self._looking: dict[Family, dict[ResidualBlock, None]] = {}
        self._held: dict[tuple[RecordType, int], frozenset[RecordType] | None] = {}
        """By field of a variant: which boxes it holds; None if it may be any."""
        self._reading: dict[RecordType, dict[ResidualBlock, None]] = {}

    def types(self) -> tuple[RecordType, ...]:
        """The residual record types."""
        return tuple(
            variant.type for found in self._variants.values() for variant in found.values()
        )

    def opening(self) -> dict[str, Family]:
        """Those of families that open, by name.  `TooMuch`: it was looked into such boxes, and
        there are none, so nothing would tell where that was."""
        if any(family.opens and family not in self._variants for family in self._looking):
            raise TooMuch
        return {
            variant.type.name: family
            for family, found in self._variants.items()
            if family.opens
            for variant in found.values()
        }

    def variants(self, family: Family, block: ResidualBlock) -> list[Variant]:
        """The variants of a family, for a block that looks into any of its boxes."""
        self._looking.setdefault(family, {})[block] = None
        return self.made(family)

    def made(self, family: Family) -> list[Variant]:
        """The variants of a family that have been made."""
        return list(self._variants.get(family, {}).values())

    def _put(
        self, block: ResidualBlock, variant: Variant, boxes: Sequence[frozenset[RecordType] | None]
    ) -> None:
        """A block's code puts into the fields of a variant what may be these boxes (None: any)."""
        is_news = False
        for number, arriving in enumerate(boxes):
            key = variant.type, number
            known = self._held.setdefault(key, arriving)
            if known is not None and (arriving is None or not arriving <= known):
                self._held[key] = None if arriving is None else known | arriving
                is_news = True
        if is_news:
            reading = self._reading.get(variant.type, {})
            self._worklist.make_again(reading, block)
            if block in reading:
                raise Restart(block)

    def held(
        self, block: ResidualBlock, variant: Variant
    ) -> Iterator[tuple[int, frozenset[RecordType]]]:
        """The fields of a variant of which it is known which boxes they may hold, for a block that
        reads them."""
        self._reading.setdefault(variant.type, {})[block] = None
        for number in range(len(variant.type.fields)):
            boxes = self._held.get((variant.type, number))
            if boxes is not None:
                yield number, boxes

    def variant(
        self,
        block: ResidualBlock,
        box: PartialRecord,
        apart: BoxApart,
        fields: Sequence[Dynamic],
        facts: Facts,
    ) -> Variant:
        """What a box becomes in the code of a block, with these as its dynamic parts; some parts
        of them are fixed."""
        family = box.type
        assert type(family) is Family
        fixed = [facts.parts.get(field.name, {}) for field in fields]
        key = *apart.tokens, *(part_tokens(parts) for parts in fixed)
        found = self._variants.get(family, {}).get(key)
        if found is None:
            found = self._new(block, family, key, box.fields[0], apart, tuple(fixed))
        self._put(block, found, [facts.variants.get(field.name) for field in fields])
        return found

    def _new(
        self,
        block: ResidualBlock,
        family: Family,
        key: tuple[Token, ...],
        content: Value,
        apart: BoxApart,
        fixed: tuple[Parts, ...],
    ) -> Variant:
        found = self._variants.setdefault(family, {})
        if len(found) >= MOST_VARIANTS:
            raise TooMuch
        name = content.type.name if type(content) is PartialRecord else family.name
        name = name.strip("<>")
        names: dict[str, None] = {}
        for (known_as, _), parts in zip(apart.dynamic, fixed, strict=True):
            hint = next((name for name in map(_name_of, parts.values()) if name), known_as)
            names[_unused(hint.rstrip("0123456789") or hint, names)] = None
        type_ = RecordType(f"{name}-{len(found) + 1}", tuple(names))
        held = frozenset(token[1] for token in apart.tokens if _is_held(token))
        closures, is_told = frozenset(apart.closures), not family.is_of_objects
        variant = Variant(type_, content, fixed, held, closures, is_told)
        found[key] = variant
        looking = self._looking.get(family, {})
        self._worklist.make_again(looking, block)
        if block in looking:
            raise Restart(block)
        return variant


def _unused(hint: str, names: Container[str]) -> str:
    """The name, with a number if it is used."""
    name, number = hint, 1
    while name in names:
        number += 1
        name = f"{hint}{number}"
    return name


def _name_of(part: FixedPart) -> str:
    """The name that a fixed part is, if it is one."""
    value = part.value
    return value.datum.name if type(value) is Static and type(value.datum) is Symbol else ""


def is_box(value: Value) -> bool:
    """Whether a value is a box that is known."""
    return type(value) is PartialRecord and type(value.type) is Family


class BoxApart(NamedTuple):
    """What is known of a box's content, its dynamic parts with what people would call them, and
    the procedures that are known."""

    tokens: tuple[Token, ...]
    dynamic: list[tuple[str, Value]]
    closures: list[Closure]


def taken_apart(box: PartialRecord, held: Container[int], liveness: Liveness) -> BoxApart:
    """A box taken apart; objects of the numbers that are `held` are known."""
    tokens: list[Token] = []
    parts: list[tuple[str, Value]] = []
    closures: list[Closure] = []

    def known_as(closure: Closure) -> tuple[Token, ...] | None:
        found = _closure_tokens(closure, liveness)
        if found is not None:
            closures.append(closure)
        return found

    _take_apart(box.type.name, box.fields[0], tokens, parts, held, known_as)
    return BoxApart(tuple(tokens), parts, closures)


MOST_CLOSED_OVER: Final = 200
"""Parts of what a known procedure has closed over."""


def _closure_tokens(closure: Closure, liveness: Liveness) -> tuple[Token, ...] | None:
    """What tells a procedure from others that has closed over nothing that only a run knows; None
    for another one.  Methods in the table of a class are such procedures."""
    tokens: list[Token] = []
    seen: dict[Closure, int] = {}
    work: list[Value] = [closure]
    while work:
        value = work.pop()
        if type(value) is Closure:
            tokens.append(("closure", seen.setdefault(value, len(seen)), value.function))
            if len(seen) - 1 == tokens[-1][1]:
                work += [value.environment[n] for n in sorted(liveness.of_function(value.function))]
        elif _is_known(value):
            tokens.append(_token(value))
        elif type(value) is PartialPair:
            tokens.append("pair")
            work += [value.cdr, value.car]
        elif type(value) is PartialRecord and type(value.type) is not Family:
            tokens.append(("record", value.type))
            work += value.fields
        else:
            return None
        if len(tokens) > MOST_CLOSED_OVER:
            return None
    return tuple(tokens)


def _is_known(value: Value) -> bool:
    kind = type(value)
    if kind is PartialPair:
        return value.ground is not None  # type: ignore[union-attr]
    if kind is PartialRecord and type(value.type) is Family:  # type: ignore[union-attr]
        return type(value.fields[0]) is Static  # type: ignore[union-attr]
    return kind is Static or kind is Primitive


def _take_apart(
    hint: str,
    content: Value,
    tokens: list[Token],
    parts: list[tuple[str, Value]],
    held: Container[int] = (),
    known_as: Callable[[Closure], tuple[Token, ...] | None] = lambda closure: None,
) -> None:
    """What is known of a content, as tokens, and its dynamic parts; boxes in it are such, and
    procedures that are not `known_as` anything."""
    work: list[tuple[str, Value]] = [(hint, content)]
    while work:
        hint, value = work.pop()
        if _is_known(value):
            tokens.append(_token(value))
        elif type(value) is PartialPair:
            tokens.append("pair")
            work += [(hint, value.cdr), (_hint(value.car, hint), value.car)]
        elif type(value) is PartialRecord and type(value.type) is not Family:
            tokens.append(("record", value.type))
            work += reversed(list(zip(value.type.fields, value.fields, strict=True)))
        elif type(value) is Ref and value.number in held:
            tokens.append((_HELD, value.number))
        elif type(value) is Closure and (found := known_as(value)) is not None:
            tokens += found
        else:
            tokens.append("dynamic")
            parts.append((_hint(value, hint), value))


_HELD: Final = "held"


def _is_held(token: Token) -> bool:
    """Whether a token is that of an object that is known."""
    return type(token) is tuple and len(token) == 2 and token[0] == _HELD


def _hint(value: Value, otherwise: str) -> str:
    """What people would call a part."""
    return base_name(value.name) if type(value) is Dynamic else otherwise


def _token(value: Value) -> Token:
    """A stand-in for something that is known."""
    if type(value) is Static:
        return static_token(value.datum)
    if type(value) is Primitive:
        return ("p", value.name)
    if type(value) is PartialPair:
        return ("ground", value.ground)
    assert type(value) is PartialRecord
    return ("box", _token(value.fields[0]))


def _filled(content: Value, fields: Iterator[Value], held: Container[int | Closure] = ()) -> Value:
    """A content with other dynamic parts, in the order in which `_take_apart` finds them.  A list
    is gone through without recursion."""
    chain: list[tuple[PartialPair, Value]] = []
    while type(content) is PartialPair and not _is_known(content):
        chain.append((content, _filled(content.car, fields, held)))
        content = content.cdr
    is_held = (content.number if type(content) is Ref else content) in held
    if _is_known(content) or is_held:
        filled = content
    elif type(content) is PartialRecord and type(content.type) is not Family:
        items = tuple([_filled(field, fields, held) for field in content.fields])
        filled = PartialRecord(content.type, items)
    else:
        filled = next(fields)
    for pair, car in reversed(chain):
        filled = PartialPair(car, filled, None, pair.site)
    return filled


def kinds_in(family: Family) -> kinds.Kinds:
    """The kind of what is in the boxes of a family that opens."""
    return kinds.VECTOR if family.is_vector else kinds.LIST


def items_of(content: Value) -> list[Value]:
    """The items of a list that is known."""
    items: list[Value] = []
    while type(content) is PartialPair:
        items.append(content.car)
        content = content.cdr
    if type(content) is Static:
        items += map(Static, iterate(content.datum))
    return items


def shown(value: Value) -> Value:
    """A value as an error tells it: without boxes.  There must be none that is dynamic."""
    if type(value) is PartialRecord and type(value.type) is Family:
        return shown(_without_boxes(value.fields[0]))
    return value


def _without_boxes(content: Value) -> Value:
    """A content with what is in its boxes, if that is known."""
    tokens: list[Token] = []
    parts: list[tuple[str, Value]] = []
    _take_apart("", content, tokens, parts)
    if any(type(part) is Dynamic for _, part in parts):
        raise TooMuch
    return _filled(content, iter([shown(part) for _, part in parts]))
