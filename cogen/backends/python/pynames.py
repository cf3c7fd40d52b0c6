"""Python names made from source names: readable, no keywords, each used once in its scope."""

from __future__ import annotations

import builtins
import keyword
import re
from typing import Final

RESERVED: Final = (
    frozenset(keyword.kwlist) | frozenset(keyword.softkwlist) | frozenset(dir(builtins))
)

PRIMITIVE_NAMES: Final = {
    "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "<": "less", ">": "greater",
    "<=": "at_most", ">=": "at_least", "=": "equal", "not": "is_false", "abs": "absolute",
    "max": "maximum", "min": "minimum", "list": "make_list", "vector": "make_vector_of",
}  # fmt: skip
"""Primitives whose own names say nothing in Python, or mean something else there."""

_WORDS: Final = {
    "->": "_to_", "?": "", "!": "", "*": "_star", "+": "_plus", "/": "_", "<": "_less",
    ">": "_greater", "=": "_equal", "%": "_", "&": "_and",
}  # fmt: skip


def python_name(name: str, taken: set[str]) -> str:
    """A Python identifier after a source name that is not in `taken`; it is then."""
    base = readable(name)
    found, number = base, 2
    while found in taken or found in RESERVED:
        found = f"{base}_{number}"
        number += 1
    taken.add(found)
    return found


def primitive_name(name: str, taken: set[str]) -> str:
    """The Python name of a primitive: `vector_ref`, `is_null`, `set_car`, `add`."""
    return python_name(PRIMITIVE_NAMES.get(name, name), taken)


def readable(name: str) -> str:
    """An identifier that resembles a source name; `.N` at its end is dropped."""
    base, dot, number = name.rpartition(".")
    text = base if dot and base and number.isdigit() else name
    if text.endswith("?") and len(text) > 1:
        text = "is_" + text[:-1]
    for part, word in _WORDS.items():
        text = text.replace(part, word)
    text = re.sub(r"[^0-9A-Za-z_]+", "_", text).strip("_")
    return text if text and not text[0].isdigit() else f"v{text}"
