"""Stages of streams as texts: what `cogen signal stream` is told.

    step ::= fir TAP ... [decimate=N] | decimate N | times X | plus X | NAME
           | dither [seed=N] | process PROGRAM ENTRY LAYOUT OUT [history=N] [step=N] [ARG ...]
    NAME ::= abs | square | real | imag | angle | log10 | round

A TAP is a number or `@FILE`, a file of numbers; an ARG a datum that is known, after the output.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cogen.expected import shown
from cogen.lang.errors import CogenError, Source, Span

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
    "round": np.rint,
}
"""Steps that are functions of NumPy."""

FORMS: Final = {
    "fir": "fir TAP ... [decimate=N]",
    "decimate": "decimate N",
    "times": "times X",
    "plus": "plus X",
    "dither": "dither [seed=N]",
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
    """The stream with stages that texts say; CogenError for one that is none, with the place in
    the text, which is called after its number."""
    for number, text in enumerate(steps, 1):
        step = _Step(Source(f"STEP {number}", text))
        if step.name.text not in FORMS:
            raise CogenError(
                f"there is no stage {shown(step.name.text)}",
                step.name.span,
                hint="stages are: " + "; ".join(FORMS.values()),
            )
        with blamed(step.whole):
            stream = _with(stream, step)
    return stream


def _with(stream: Stream, step: _Step) -> Stream:
    match step.name.text:
        case "fir":
            decimate = step.integer("decimate", 1)
            return stream.fir(step.taps(), decimate)
        case "decimate":
            return stream.decimate(int(step.number(whole=True)))
        case "times" | "plus":
            return stream.map(arithmetic(step.name.text, step.number()))
        case "dither":
            seed = step.integer("seed", 0)
            step.end()
            return stream.dither(seed)
        case "process":
            return _processed(stream, step)
    step.end()
    return stream.map(FUNCTIONS[step.name.text])


def _processed(stream: Stream, step: _Step) -> Stream:
    import cogen
    from cogen import signals
    from cogen.signals.rows import to_shape

    history, every = step.integer("history", 0), step.integer("step", 1)
    if len(step.rest) < 4:
        raise step.wrong()
    program, entry, layout, out, *arguments = step.rest
    with blamed(program.span):
        loaded = cogen.load(program.text)
    with blamed(layout.span):
        shape = to_shape(layout.text)
    with blamed(out.span):
        made = signals.Out(to_shape(out.text))
    known = [cogen.static(word.datum()) for word in arguments]
    with blamed(entry.span):
        processor = signals.compile(loaded, entry.text, shape, made, *known)
    return stream.process(processor, history=history, step=every)


@contextmanager
def blamed(span: Span) -> Iterator[None]:
    """Whatever is wrong, and has no place of its own, is told there."""
    try:
        yield
    except CogenError as error:
        if error.span is None:
            error.reached(span, ())
        raise


@dataclass(frozen=True, slots=True)
class StageWord:
    """A word, without its quotes, and where it stands."""

    text: str
    span: Span

    def datum(self) -> Any:
        """What it writes; a mistake is told where it is in the step's text."""
        from cogen.convert import from_datum
        from cogen.lang.reader import read_datum

        try:
            return from_datum(read_datum(self.text, self.span.source.name))
        except CogenError as error:
            first, text = self.span.start, self.span.source.text
            inner = error.span
            if inner is None or not text.startswith(self.text, first):  # it is quoted
                error.reached(self.span, ())
            else:
                error.reached(Span(self.span.source, first + inner.start, first + inner.end), ())
            raise


_WORD: Final = re.compile(r"""(?:[^\s'"\\]|\\.|'[^']*'|"(?:\\.|[^"\\])*")+""", re.DOTALL)
"""A word as a shell reads it."""


def words_of(source: Source) -> list[StageWord]:
    """The words of a text, which are divided as by a shell; CogenError for a quote that nothing
    closes."""
    found: list[StageWord] = []
    place, text = 0, source.text
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        word = _WORD.match(text, place)
        if word is None or (word.end() < len(text) and not text[word.end()].isspace()):
            start = place if word is None else word.end()
            raise CogenError(
                "nothing closes this quote" if text[start] in "'\"" else "nothing is quoted here",
                Span(source, start, start + 1),
            )
        span = Span(source, place, word.end())
        found.append(StageWord("".join(shlex.split(word[0])), span))
        place = word.end()
    return found


class _Step:
    """A step: its name, and the words behind it."""

    def __init__(self, source: Source) -> None:
        words = words_of(source)
        self.whole = Span(source, 0, len(source.text))
        if not words:
            raise CogenError("a stage has a name", self.whole)
        self.name = words[0]
        self.rest = words[1:]

    def wrong(self, word: StageWord | None = None) -> CogenError:
        """The word, or the whole, is not as it must be."""
        span = self.whole if word is None else word.span
        return CogenError(f"this is not of the form {FORMS[self.name.text]}", span)

    def end(self) -> None:
        """Nothing may be left."""
        if self.rest:
            raise self.wrong(self.rest[0])

    def integer(self, key: str, otherwise: int) -> int:
        """The number of a `key=`, which is taken away."""
        found = [word for word in self.rest if word.text.startswith(f"{key}=")]
        self.rest = [word for word in self.rest if word not in found]
        if not found:
            return otherwise
        try:
            return int(found[-1].text.partition("=")[2])
        except ValueError:
            raise self.wrong(found[-1]) from None

    def number(self, whole: bool = False) -> float:
        """The only word, a number."""
        if len(self.rest) != 1:
            raise self.wrong(*self.rest[1:2])
        (word,) = self.rest
        try:
            return int(word.text) if whole else float(word.text)
        except ValueError:
            raise self.wrong(word) from None

    def taps(self) -> Array:
        """The words as numbers, or what is in a file."""
        if not self.rest:
            raise self.wrong()
        if len(self.rest) > 1 or not self.rest[0].text.startswith("@"):
            return np.array([_tap(word, self.wrong(word)) for word in self.rest])
        (named,) = self.rest
        path = named.text[1:]
        with blamed(named.span):
            try:
                source = Source(path, Path(path).read_text(encoding="utf-8"))
            except (OSError, UnicodeDecodeError) as error:
                reason = getattr(error, "strerror", None) or error
                raise CogenError(f"cannot read {path}: {reason}") from None
        words = [StageWord(m[0], Span(source, *m.span())) for m in re.finditer(r"\S+", source.text)]
        if not words:
            raise CogenError(f"there are no numbers in {path}", named.span)
        return np.array([_tap(word, CogenError("this is no number", word.span)) for word in words])


def _tap(word: StageWord, wrong: CogenError) -> float:
    try:
        return float(word.text)
    except ValueError:
        raise wrong from None
