"""Stages of streams as texts: what `cogen signal stream` is told.

    step ::= fir TAP ... [decimate=N] | decimate N | times X | plus X | NAME
           | process PROGRAM ENTRY LAYOUT OUT [history=N] [step=N] [ARG ...]
    NAME ::= abs | square | real | imag | angle | log10

A TAP is a number or `@FILE`, a file of numbers; an ARG a datum that is known, after the output.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cogen.expected import shown
from cogen.lang.errors import CogenError

if TYPE_CHECKING:
    from cogen.signals.buffers import Array
    from cogen.signals.pipeline import Stream

FUNCTIONS: Final[dict[str, Callable[[Array], Any]]] = {
    "abs": np.abs,
    "square": np.square,
    "real": np.real,
    "imag": np.imag,
    "angle": np.angle,
    "log10": np.log10,
}
"""Steps that are functions of NumPy."""

FORMS: Final = {
    "fir": "fir TAP ... [decimate=N]",
    "decimate": "decimate N",
    "times": "times X",
    "plus": "plus X",
    "process": "process PROGRAM ENTRY LAYOUT OUT [history=N] [step=N] [ARG ...]",
    **{name: name for name in FUNCTIONS},
}


def arithmetic(operation: str, number: float) -> Callable[[Array], Array]:
    """Each item times a factor, or plus a number; integers become floats of 64 bits."""

    def apply(block: Array) -> Array:
        if block.dtype.kind not in "fc":
            block = block.astype(np.float64)
        made: Array = block * number if operation == "times" else block + number
        return made.astype(block.dtype, copy=False)

    apply.__qualname__ = f"{operation} {number!r}"  # a run goes on with the same one only
    return apply


def with_steps(stream: Stream, steps: Sequence[str]) -> Stream:
    """The stream with stages that texts say; CogenError, with its number, for one that is none."""
    for number, text in enumerate(steps, 1):
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise CogenError(f"step {number}, {shown(text)}, cannot be read: {error}") from None
        if not words or words[0] not in FORMS:
            raise CogenError(
                f"step {number} is {shown(text)}, which is no stage",
                hint="stages are: " + "; ".join(FORMS.values()),
            )
        stream = _with(stream, words[0], _Words(f"step {number}", words))
    return stream


def _with(stream: Stream, name: str, words: _Words) -> Stream:
    match name:
        case "fir":
            decimate = words.integer("decimate", 1)
            return stream.fir(words.taps(), decimate)
        case "decimate":
            return stream.decimate(int(words.number(whole=True)))
        case "times" | "plus":
            return stream.map(arithmetic(name, words.number()))
        case "process":
            return _processed(stream, words)
    words.end()
    return stream.map(FUNCTIONS[name])


def _processed(stream: Stream, words: _Words) -> Stream:
    import cogen
    from cogen import signals
    from cogen.convert import from_datum
    from cogen.lang.reader import read_datum
    from cogen.signals.rows import to_shape

    history, step = words.integer("history", 0), words.integer("step", 1)
    if len(words.rest) < 4:
        raise words.wrong()
    program, entry, layout, out, *arguments = words.rest
    known = [cogen.static(from_datum(read_datum(text, words.told))) for text in arguments]
    made = signals.compile(program, entry, layout, signals.Out(to_shape(out)), *known)
    return stream.process(made, history=history, step=step)


class _Words:
    """The words of a step behind its name."""

    def __init__(self, told: str, words: Sequence[str]) -> None:
        self.told = told
        self.name = words[0]
        self.rest = list(words[1:])

    def wrong(self) -> CogenError:
        return CogenError(f"{self.told} is not of the form {FORMS[self.name]}")

    def end(self) -> None:
        """Nothing may be left."""
        if self.rest:
            raise self.wrong()

    def integer(self, key: str, otherwise: int) -> int:
        """The number of a `key=`, which is taken away."""
        found = [word for word in self.rest if word.startswith(f"{key}=")]
        self.rest = [word for word in self.rest if word not in found]
        if not found:
            return otherwise
        try:
            return int(found[-1].partition("=")[2])
        except ValueError:
            raise self.wrong() from None

    def number(self, whole: bool = False) -> float:
        """The only word, a number."""
        try:
            (word,) = self.rest
            return int(word) if whole else float(word)
        except ValueError:
            raise self.wrong() from None

    def taps(self) -> Array:
        """The words as numbers, or what is in a file."""
        words = self.rest
        if len(words) == 1 and words[0].startswith("@"):
            try:
                words = Path(words[0][1:]).read_text(encoding="utf-8").split()
            except (OSError, UnicodeDecodeError) as error:
                reason = getattr(error, "strerror", None) or error
                raise CogenError(f"{self.told}: cannot read {words[0][1:]}: {reason}") from None
        try:
            taps = np.array([float(word) for word in words])
        except ValueError:
            raise self.wrong() from None
        if not taps.size:
            raise self.wrong()
        return taps
