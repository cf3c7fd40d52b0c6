"""What is known of the bits of a dynamic integer.

`possible_bits` is a mask outside of which a value surely has no bit set (-1: nothing is known,
it may be negative).  It is found from the operation that made the value, which a path remembers:
a word has N bits, a mask those of its constant, a sample put together from pieces those of the
pieces; else from the value's interval.  Where single bits come from, `rules.masked` knows.
"""

from __future__ import annotations

from cogen.interval import bits_of
from cogen.lang.errors import Span
from cogen.specializer.paths.operation_site import OperationSite
from cogen.specializer.paths.path import Path
from cogen.specializer.values.domain import Dynamic, Static, Value

UNKNOWN = -1


def possible_bits(path: Path, value: Value) -> int:
    """The mask of the bits that may be set."""
    if type(value) is Static:
        return value.datum if type(value.datum) is int and value.datum >= 0 else UNKNOWN
    if type(value) is Dynamic:
        found = path.facts.bits.get(value.name, UNKNOWN)
        return found if found != UNKNOWN else bits_of(path.interval(value))
    return UNKNOWN


def note_bits(path: Path, op: str, values: tuple[Value, ...], result: Dynamic) -> Dynamic:
    """Remember how a result was made, and the bits that follow from it."""
    path.facts.definitions[result.name] = (op, values)
    bits = _bits_of(path, op, values)
    if bits != UNKNOWN:
        path.facts.bits[result.name] = bits
    return result


def _bits_of(path: Path, op: str, values: tuple[Value, ...]) -> int:
    if op == "load-word":
        size = path.context.options.word_size
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


def both(path: Path, value: Value, mask: int, span: Span | None, hint: str) -> Value:
    """`value & mask`."""
    return path.context.rule("bitwise-and")(path, (value, Static(mask)), OperationSite(span, hint))
