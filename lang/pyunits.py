"""What the translation of IL to Python is made of: units of text, functions being written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cogen.lang import il

Site = il.Let | il.If | il.Jump | il.Call
"""What a line of the text does, and where in the source."""


def takes(function: il.Function, count: int) -> bool:
    """Does the procedure take exactly that many arguments, and no others?"""
    return function.rest is None and len(function.parameters) == count


@dataclass(slots=True)
class Target:
    """A continuation in scope: its IL, what it needs from outside, in order, and whether it or
    one it is bound with jumps to it."""

    cont: il.Cont
    needs: tuple[str, ...]
    recursive: bool


@dataclass(slots=True)
class Definition:
    """A Python function being written: its name and what jumps back to its start."""

    name: str
    loop_cont: str | None = None
    loop_function: il.Function | None = None
    variables: tuple[str, ...] = ()
    exit: str = ""
    """The IL continuation that is the frame `K`."""


@dataclass(slots=True)
class PythonUnit:
    """The Python text of one item: `namespace` is what it needs besides what it defines,
    `entry` the name of the function that starts it; `sites` the fallible operation of a line
    (from 1); `calls` by name the call that each returned-to function continues."""

    entry: str
    text: str
    namespace: dict[str, Any]
    sites: dict[int, Site]
    calls: dict[str, il.Call]
