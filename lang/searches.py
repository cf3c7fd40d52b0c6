"""Loops of the language's own text that go through a list, which may be a circular one.

Where a procedure of lists may give an answer before it has seen the end (`memq`), it cannot look
ahead whether there is one.  So its loop looks every so many rounds: here are the loops that do,
wherever specialization, inlining or nesting have put them.
"""

from __future__ import annotations

from typing import Final

from lang import il
from lang.chain import LANGUAGE, library_of
from lang.errors import Span
from lang.ilutil import blocks

EXPECTED: Final = ": expected a list, got"
"""How the error of such a loop ends that finds something else than a list."""


def refusal(place: Span | None, body: il.Block) -> il.Let | None:
    """The error of a loop that goes through a list: its arguments are the message and the whole
    list.  None for other loops."""
    if library_of(place) != LANGUAGE:
        return None
    for block in blocks(body):
        for binding in block.bindings:
            if type(binding) is il.Let and binding.op == "error" and is_refusal(binding.arguments):
                return binding
    return None


def is_refusal(arguments: tuple[il.Atom, ...]) -> bool:
    """Whether an error says that a procedure expects a list."""
    first = arguments[0] if len(arguments) == 2 else None
    return type(first) is il.Const and type(first.value) is str and first.value.endswith(EXPECTED)


def searcher(message: str) -> str:
    """The name of the procedure, from the message of the error."""
    return message.removesuffix(EXPECTED)
