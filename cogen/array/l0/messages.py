"""What checks say when they fail: a template with `{}` for each value -> a message.

    assert(n < 3, "too many:", n, "of", x)     "too many: {} of {}", (n, x)     too many: 5 of 2.5

In a template a brace of the text is written twice. Values are ints and reals, which are written as
the language writes them. Compiled code notes reals as the bits of 64-bit or 32-bit ones: a
template of such code has `{:f64}` and `{:f32}` for them.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from string import Formatter
from typing import Final

from cogen.array.l0 import tree
from cogen.lang.primtable.checks import brief

UNTOLD: Final = "the assertion does not hold"
"""What an assertion says that was not told what to say."""


def template(operands: Sequence[tree.Expression]) -> str:
    """The template of an assertion with these operands, of which the first is the condition."""
    if len(operands) < 2:
        return UNTOLD
    return " ".join(
        [escaped(e.value) if isinstance(e, tree.StringLiteral) else "{}" for e in operands[1:]]
    )


def told_values(operands: Sequence[tree.Expression]) -> list[tree.Expression]:
    """What of an assertion's operands only a run knows and is told."""
    return [e for e in operands[1:] if not isinstance(e, tree.StringLiteral)]


def escaped(text: str) -> str:
    """A text as a part of a template."""
    return text.replace("{", "{{").replace("}", "}}")


def fields(message: str) -> int:
    """How many values a template has."""
    return sum(name is not None for _, name, _, _ in Formatter().parse(message))


def say(message: str, values: Sequence[int | float]) -> str:
    """The message of a template with its values; of reals their bits, where it says so."""
    return message.format(*map(_ToldValue, values))


def of_bits(message: str, kinds: Sequence[str]) -> str:
    """The template of code that notes bits; `kinds` are those of the values, such as `f64`."""
    left = iter(kinds)
    found = []
    for text, name, _, _ in Formatter().parse(message):
        found.append(escaped(text))
        if name is not None:
            kind = next(left)
            found.append(f"{{:{kind}}}" if kind.startswith("f") else "{}")
    return "".join(found)


class _ToldValue:
    """A value as a template writes it."""

    def __init__(self, value: int | float) -> None:
        self.value = value

    def __format__(self, spec: str) -> str:
        if spec == "f64":
            return brief(_real("<q", "<d", int(self.value)))
        if spec == "f32":
            return brief(_real("<i", "<f", int(self.value)))
        return brief(float(self.value)) if isinstance(self.value, float) else str(int(self.value))


def _real(of_bits: str, real: str, bits: int) -> float:
    """The real that has these bits."""
    found: float = struct.unpack(real, struct.pack(of_bits, bits))[0]
    return found
