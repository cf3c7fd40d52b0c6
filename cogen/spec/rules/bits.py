"""What is known of the bits of a dynamic integer, and masks that this makes needless.

`possible_bits` is a mask outside of which a value surely has no bit set (-1: nothing is known,
it may be negative).  It is found from the operation that made the value, which a path remembers:
a word has N bits, a mask those of its constant, a sample put together from pieces those of the
pieces.  With it

    x & m -> 0                        if x has no bit of m
    x & m -> x                        if x has no bit outside m
    (x | y) & m -> (x & m) | (y & m)  if this simplifies one of the two
    (x & k) & m -> x & (k & m)

so that a word that stores have filled sample by sample forgets what it was before (seed 004,
partially dirty cache lines).
"""

from __future__ import annotations

from cogen.spec.domain import Dynamic, Static, Value
from cogen.spec.path import Path
from lang.errors import Span

UNKNOWN = -1


def possible_bits(path: Path, value: Value) -> int:
    """The mask of the bits that may be set."""
    if type(value) is Static:
        return value.datum if type(value.datum) is int and value.datum >= 0 else UNKNOWN
    if type(value) is Dynamic:
        return path.bits.get(value.name, UNKNOWN)
    return UNKNOWN


def note_bits(path: Path, op: str, values: tuple[Value, ...], result: Dynamic) -> Dynamic:
    """Remember how a result was made, and the bits that follow from it."""
    path.definitions[result.name] = (op, values)
    bits = _bits_of(path, op, values)
    if bits != UNKNOWN:
        path.bits[result.name] = bits
    return result


def _bits_of(path: Path, op: str, values: tuple[Value, ...]) -> int:
    if op == "load-word":
        size = path.spec.options.word_size
        return UNKNOWN if size == 64 else (1 << size) - 1
    a, b = possible_bits(path, values[0]), possible_bits(path, values[1])
    if op == "bitwise-and":
        return b if a == UNKNOWN else a if b == UNKNOWN else a & b
    if a == UNKNOWN:
        return UNKNOWN
    if op in ("bitwise-ior", "bitwise-xor"):
        return UNKNOWN if b == UNKNOWN else a | b
    if op == "arithmetic-shift" and type(values[1]) is Static:
        count = values[1].datum
        moved = a << count if 0 <= count < 64 else a >> min(-count, 64) if count < 0 else UNKNOWN
        return moved if moved < 1 << 63 else UNKNOWN
    return UNKNOWN


def masked(path: Path, value: Value, mask: int, span: Span | None, hint: str) -> Value | None:
    """`value & mask` without an operation for it, or with simpler ones; None if there is no
    such way."""
    bits = possible_bits(path, value)
    if bits != UNKNOWN:
        if bits & mask == 0:
            return Static(0)
        if bits & ~mask == 0:
            return value
    if type(value) is Static:
        return Static(value.datum & mask)
    if type(value) is not Dynamic:
        return None
    op, values = path.definitions.get(value.name, ("", ()))
    if op == "bitwise-and" and type(values[1]) is Static:
        return both(path, values[0], values[1].datum & mask, span, hint)
    if op == "bitwise-ior":
        left = _simpler(path, values[0], mask, span, hint)
        right = _simpler(path, values[1], mask, span, hint)
        if left is None and right is None:
            return None
        left = both(path, values[0], mask, span, hint) if left is None else left
        right = both(path, values[1], mask, span, hint) if right is None else right
        return path.spec.rule("bitwise-ior")(path, (left, right), span, hint, False)
    return None


def _simpler(path: Path, value: Value, mask: int, span: Span | None, hint: str) -> Value | None:
    """`value & mask` if that needs no operation, or only moves a mask inside."""
    bits = possible_bits(path, value)
    if type(value) is Static or (bits != UNKNOWN and (bits & mask == 0 or bits & ~mask == 0)):
        return masked(path, value, mask, span, hint)
    if type(value) is Dynamic:
        op, values = path.definitions.get(value.name, ("", ()))
        if op == "bitwise-and" and type(values[1]) is Static:
            return masked(path, value, mask, span, hint)
    return None


def both(path: Path, value: Value, mask: int, span: Span | None, hint: str) -> Value:
    """`value & mask`."""
    return path.spec.rule("bitwise-and")(path, (value, Static(mask)), span, hint, False)
