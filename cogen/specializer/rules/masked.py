"""Masked values: where each bit of an integer comes from, and how to assemble it (seed 004,
speculation at the end of the chapter: a binding time with the source of each dynamic bit).

`values.bitgroups` has what is known of each.  Shifts by constants, masks, ors and xors of
disjoint bits, and the products, quotients, remainders and sums that amount to one of these, only
rearrange groups.  The result is then built in the cheapest of two ways: by the operation itself,
or from whole fields of the sources (`_assemble`): nothing, a mask, a shift, a shift and a mask for
each group, or one multiplication for several groups of one source (`rules.gather`), and ors in
between.  What that leaves unused is dropped later.  So

    (v & 1) | ((v >> 1 & 1) << 1) | ((v >> 2 & 1) << 2)  ->  v & 7
    (v & 255) | ((v >> 8 & 255) << 8)                    ->  v & 65535

Laws: the bits of the result are those of the operation; a source is an integer for certain;
what could overflow is a source of its own, so nothing is assembled past an overflow.
"""

from __future__ import annotations

from cogen.specializer.paths.operation_site import OperationSite
from cogen.specializer.paths.path import Path
from cogen.specializer.rules.bits import note_bits, possible_bits
from cogen.specializer.rules.gather import FULL, LEAST, Gather, gather
from cogen.specializer.rules.rule import Rule, general, known
from cogen.specializer.values.bitgroups import Bits, Groups
from cogen.specializer.values.domain import Dynamic, Static, Value

SIGN = 1 << 63


def bits_of(path: Path, value: Value) -> Bits | None:
    """The bits of an integer; None if the value is no plain integer."""
    if type(value) is Static and type(value.datum) is int:
        return Bits({}, value.datum & FULL)
    if type(value) is not Dynamic or value.type != "int":
        return None
    found = path.facts.masked.get(value.name)
    if found is None:
        possible = possible_bits(path, value) & FULL
        return Bits({(value.name, 0): possible} if possible else {}, 0)
    return found


def rearranged(path: Path, op: str, values: tuple[Value, ...], site: OperationSite) -> Value | None:
    """The operation as a rearrangement of the bits of its operands; None if it is none."""
    a, b = bits_of(path, values[0]), bits_of(path, values[1])
    if a is None or b is None:
        return None
    result = _MEANINGS[op](a, b)
    if result is None:
        return None
    if not result.groups:
        return Static(_signed(result.ones))
    parts = _parts(path, result)
    assembled = _cost(path, result, parts)
    for operand, same in ((a, values[0]), (b, values[1])):
        unchanged = result.ones == operand.ones and result.groups == operand.groups
        if unchanged and operand.cost < assembled:
            return same
    plain = a.cost + b.cost + 1
    if assembled < plain:
        result.cost = assembled
        value = _assemble(path, result, parts, site)
    else:
        result.cost = plain
        value = path.emit(op, values, site)
    if assembled and value.name not in path.facts.masked:
        path.facts.masked[value.name] = result
        note_bits(path, op, values, value)
        total = result.total()
        if total < SIGN:
            path.facts.bits[value.name] = total
    return Dynamic(value.name, "int")


def note_clash(path: Path, op: str, values: tuple[Value, ...], result: Dynamic) -> Dynamic:
    """Remember the bits of an or or xor in which bits of different origin meet: there the result is
    a source of its own."""
    a, b = bits_of(path, values[0]), bits_of(path, values[1])
    if a is not None and b is not None and result.name not in path.facts.masked:
        clash = a.total() & b.total()
        groups = {(result.name, 0): clash}
        for operand in (a, b):
            for key, mask in operand.groups.items():
                if mask & ~clash:
                    groups[key] = groups.get(key, 0) | (mask & ~clash)
        path.facts.masked[result.name] = Bits(groups, (a.ones | b.ones) & ~clash, 1)
    return note_bits(path, op, values, result)


# -- rearranging: bits of operands to bits of the result, or None ---------------------------------


def _constant(bits: Bits) -> int | None:
    return _signed(bits.ones) if not bits.groups else None


def _signed(pattern: int) -> int:
    """The integer whose two's complement the 64 bits are."""
    return pattern - (1 << 64) if pattern & SIGN else pattern


def _and(a: Bits, b: Bits) -> Bits | None:
    if b.groups:
        a, b = b, a
    return None if b.groups else _keep(a, b.ones)


def _keep(a: Bits, mask: int) -> Bits:
    kept = {key: bits & mask for key, bits in a.groups.items() if bits & mask}
    return Bits(kept, a.ones & mask)


def _or(a: Bits, b: Bits) -> Bits | None:
    if b.ones:
        a = _keep(a, ~b.ones)
    if a.ones:
        b = _keep(b, ~a.ones)
    groups = dict(a.groups)
    rest = a.total()
    for key, mask in b.groups.items():
        if mask & rest & ~groups.get(key, 0):
            return None  # bits of different origin meet
        groups[key] = groups.get(key, 0) | mask
    return Bits(groups, a.ones | b.ones)


def _xor(a: Bits, b: Bits) -> Bits | None:
    if a.total() & b.total() == 0:
        return _or(a, b)
    if a.groups and b.groups:
        return Bits({}, 0) if a.groups == b.groups and a.ones == b.ones else None
    return Bits({}, a.ones ^ b.ones) if not a.groups and not b.groups else None


def _sum(a: Bits, b: Bits) -> Bits | None:
    """A sum without carries is an or."""
    disjoint = a.total() & b.total() == 0
    return _or(a, b) if disjoint and (a.total() | b.total()) < SIGN else None


def _up(a: Bits, count: int) -> Bits:
    """The 64 bits moved up."""
    moved = {
        (source, shift + count): mask << count & FULL
        for (source, shift), mask in a.groups.items()
        if mask << count & FULL
    }
    return Bits(moved, a.ones << count & FULL)


def _down(a: Bits, count: int) -> Bits | None:
    """The 64 bits moved down, the highest one repeated."""
    top = FULL & ~(FULL >> count)
    groups: Groups = {}
    for (source, shift), mask in a.groups.items():
        moved = mask >> count
        if mask & SIGN:
            if shift > 0:
                return None  # not the source's own sign
            moved |= top
        if moved:
            groups[source, shift - count] = moved
    return Bits(groups, a.ones >> count | (top if a.ones & SIGN else 0))


def _word_up(a: Bits, b: Bits) -> Bits | None:
    count = _constant(b)
    return _up(a, count) if count is not None and 0 <= count < 64 else None


def _word_down(a: Bits, b: Bits) -> Bits | None:
    count = _constant(b)
    if count is None or not 0 <= count < 64:
        return None
    groups = {
        (source, shift - count): mask >> count
        for (source, shift), mask in a.groups.items()
        if mask >> count
    }
    return Bits(groups, a.ones >> count)


def _shift(a: Bits, b: Bits) -> Bits | None:
    count = _constant(b)
    if count is None:
        return None
    if count <= 0:
        return _down(a, min(-count, 63))
    return _up(a, count) if count < 63 and a.total() << count < SIGN else None


def _exponent(bits: Bits) -> int | None:
    """n if the bits are the constant 2^n."""
    number = _constant(bits)
    if number is None or number <= 0 or number & (number - 1):
        return None
    return number.bit_length() - 1


def _times(a: Bits, b: Bits) -> Bits | None:
    if b.groups:
        a, b = b, a
    count = _exponent(b)
    return _up(a, count) if count is not None and a.total() << count < SIGN else None


def _quotient(a: Bits, b: Bits) -> Bits | None:
    count = _exponent(b)
    return None if count is None else _down(a, count)


def _remainder(a: Bits, b: Bits) -> Bits | None:
    count = _exponent(b)
    return None if count is None else _keep(a, (1 << count) - 1)


_MEANINGS = {
    "bitwise-and": _and,
    "bitwise-ior": _or,
    "bitwise-xor": _xor,
    "arithmetic-shift": _shift,
    "word-shift-left": _word_up,
    "word-shift-right": _word_down,
    "+": _sum,
    "*": _times,
    "floor-quotient": _quotient,
    "floor-remainder": _remainder,
    "modulo": _remainder,
}


# -- assembling ----------------------------------------------------------------------------------


Part = tuple[str, Gather | tuple[int, int]]
"""A source, and how fields of it are moved: by a multiplication, or one by a shift and a mask."""


def _parts(path: Path, bits: Bits) -> list[Part]:
    """The bits in parts that are built one by one, the lowest first."""
    sources: dict[str, list[tuple[int, int]]] = {}
    for (source, shift), mask in bits.groups.items():
        sources.setdefault(source, []).append((shift, mask))
    parts: list[tuple[int, Part]] = []
    for source, moves in sources.items():
        lowest = min(mask & -mask for _, mask in moves)
        plan = None
        if len(moves) >= LEAST:
            possible = possible_bits(path, Dynamic(source, "int")) & FULL
            plan = gather(possible, moves)
            single = len(moves) - 1 + sum(_steps(path, (source, k), mask) for k, mask in moves)
            plan = plan if plan is not None and plan.steps < single else None
        if plan is not None:
            parts.append((lowest, (source, plan)))
        else:
            parts.extend((mask & -mask, (source, (shift, mask))) for shift, mask in moves)
    return [part for _, part in sorted(parts, key=lambda item: item[0])]


def _cost(path: Path, bits: Bits, parts: list[Part]) -> int:
    """How many operations `_assemble` takes."""
    total = len(parts) - 1 + (bits.ones != 0)
    for source, plan in parts:
        total += (
            plan.steps if isinstance(plan, Gather) else _steps(path, (source, plan[0]), plan[1])
        )
    return total


def _steps(path: Path, group: tuple[str, int], mask: int) -> int:
    source, shift = group
    possible = possible_bits(path, Dynamic(source, "int")) & FULL
    if shift == 0:
        return int(not _covers(mask, possible))
    moved = _covers(mask, _moved(possible, shift)) or _is_logical(mask, possible, shift)
    return 1 if moved else 2


def _covers(mask: int, bits: int) -> bool:
    """Whether masking these bits changes nothing."""
    return bits & ~mask == 0


def _moved(possible: int, shift: int) -> int:
    """The bits that a shifted variable can have."""
    if shift >= 0:
        return possible << shift & FULL
    sign = FULL & ~(FULL >> -shift) if possible & SIGN else 0
    return possible >> -shift | sign


def _is_logical(mask: int, possible: int, shift: int) -> bool:
    """Whether a shift down with zeros coming in from above gives the bits under the mask."""
    return -64 < shift < 0 and mask >> (64 + shift) == 0 and _covers(mask, possible >> -shift)


def _assemble(path: Path, bits: Bits, parts: list[Part], site: OperationSite) -> Dynamic:
    """Build the bits from their sources."""
    result: Dynamic | None = None
    for source, plan in parts:
        if isinstance(plan, Gather):
            part = _multiplied(path, source, plan, site)
        else:
            part = _field(path, source, *plan, site)
        if result is not None:
            part = path.emit("bitwise-ior", (result, part), site)
        result = part
    assert result is not None
    if bits.ones:
        result = path.emit("bitwise-ior", (result, Static(_signed(bits.ones))), site)
    return result


def _multiplied(path: Path, source: str, plan: Gather, site: OperationSite) -> Dynamic:
    """The fields that a multiplication moves."""
    result = Dynamic(source, "int")
    if plan.first:
        result = path.emit("word-shift-right", (result, Static(plan.first)), site)
    if plan.kept is not None:
        result = path.emit("bitwise-and", (result, Static(_signed(plan.kept))), site)
    result = path.emit("word-mul", (result, Static(_signed(plan.factor))), site)
    if plan.last:
        op, count = ("word-shift-right", plan.last) if plan.width == 64 else (
            "arithmetic-shift", -plan.last
        )  # fmt: skip
        result = path.emit(op, (result, Static(count)), site)
    if plan.rest is not None:
        result = path.emit("bitwise-and", (result, Static(_signed(plan.rest))), site)
    return result


def _field(path: Path, source: str, shift: int, mask: int, site: OperationSite) -> Dynamic:
    """The bits under `mask` of a variable that is moved up by `shift`."""
    variable = Dynamic(source, "int")
    possible = possible_bits(path, variable) & FULL
    if shift > 0:
        if not _covers(mask, _moved(possible, shift)):
            possible = mask >> shift
            variable = path.emit("bitwise-and", (variable, Static(_signed(possible))), site)
        op = "arithmetic-shift" if possible << shift < SIGN else "word-shift-left"
        return path.emit(op, (variable, Static(shift)), site)
    if shift < 0:
        moved = _moved(possible, shift)
        if not _covers(mask, moved) and _is_logical(mask, possible, shift):
            return path.emit("word-shift-right", (variable, Static(-shift)), site)
        variable = path.emit("arithmetic-shift", (variable, Static(max(shift, -63))), site)
        possible = moved
    if _covers(mask, possible):
        return variable
    return path.emit("bitwise-and", (variable, Static(_signed(mask))), site)


def _word_shift(op: str) -> Rule:
    otherwise = general(op)

    def rule(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
        if not known(values):
            found = rearranged(path, op, values, site)
            if found is not None:
                return found
        return otherwise(path, values, site)

    return rule


RULES: dict[str, Rule] = {
    "word-shift-left": _word_shift("word-shift-left"),
    "word-shift-right": _word_shift("word-shift-right"),
}
