"""What checks say when they fail: a template with `{}` for each value -> a message.

    assert(n < 3, "too many:", n, "of", x)     "too many: {} of {}", (n, x)     too many: 5 of 2.5

In a template a brace of the text is written twice. Values are scalars, which are written as data of
the Scheme-like language are: `2.5`, `#t`, `#\\a`. Compiled code notes them as ints, reals as the
bits of 64-bit or 32-bit ones: a template of such code says of which type (`{:f64}`, `{:bool}`).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from string import Formatter
from typing import Final

import numpy as np

from cogen.array.l0 import tree
from cogen.lang.datum import Char
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


Told = int | float | bool | str
"""A value that is told; a character is a string."""


def say(message: str, values: Sequence[Told]) -> str:
    """The message of a template with its values; what they are noted as, where it says so."""
    return message.format(*map(_ToldValue, values))


NOTED: Final[Mapping[str, str]] = {"f64": "f64", "f32": "f32", "bool": "bool", "u32": "char"}
"""By the type of a number in code, what a template says of it; nothing of ints."""


def of_noted(message: str, types: Sequence[str]) -> str:
    """The template of code that notes values as ints, which are of these types of numbers."""
    left = iter(types)
    found = []
    for text, name, _, _ in Formatter().parse(message):
        found.append(escaped(text))
        if name is not None:
            kind = NOTED.get(next(left))
            found.append("{}" if kind is None else f"{{:{kind}}}")
    return "".join(found)


class _ToldValue:
    """A value as a template writes it."""

    def __init__(self, value: Told) -> None:
        self.value = value

    def __format__(self, spec: str) -> str:
        if spec == "f64":
            return brief(_real("<q", "<d", int(self.value)))
        if spec == "f32":
            return brief(_real("<i", "<f", int(self.value)))
        if spec == "bool" or isinstance(self.value, (bool, np.bool_)):
            return brief(bool(self.value))
        if spec == "char":
            return brief(Char(chr(int(self.value))))
        if isinstance(self.value, str):
            return brief(Char(self.value))
        return brief(float(self.value)) if isinstance(self.value, float) else str(int(self.value))


def _real(of_bits: str, real: str, bits: int) -> float:
    """The real that has these bits."""
    found: float = struct.unpack(real, struct.pack(of_bits, bits))[0]
    return found
