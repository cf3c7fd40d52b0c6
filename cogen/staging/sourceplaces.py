"""Where staged code stands: frames of Python -> spans of its files.

Rewritten functions have the places of the functions that they were made of, so the innermost
frame of a rewritten function tells where a program is.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from functools import lru_cache
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Final, NoReturn

from cogen.lang.errors import CogenError, LimitationError, Source, Span

HOOKS: Final = "_cogen_"
"""The free variable of rewritten functions that holds what their control flow calls."""


@lru_cache(maxsize=256)
def source_of(filename: str) -> Source:
    """The file, or cell of a notebook, that code was compiled from."""
    text = "".join(linecache.getlines(filename))
    if not text:
        try:
            text = Path(filename).read_text(encoding="utf-8")
        except (OSError, ValueError):
            text = ""
    return Source(filename, text)


def offset(source: Source, line: int, column: int) -> int:
    """The character of a line, which counts from 1, and a column in bytes of UTF-8."""
    if not 1 <= line <= len(source.line_starts):
        return 0
    text = source.line_text(line)
    shown = text if text.isascii() else text.encode()[:column].decode(errors="ignore")
    return source.line_starts[line - 1] + min(column, len(shown))


def span(filename: str, line: int, column: int, end_line: int, end_column: int) -> Span:
    """A place by lines from 1 and columns from 0, in bytes of UTF-8, as Python counts."""
    source = source_of(filename)
    start = offset(source, line, column)
    return Span(source, start, max(start, offset(source, end_line, end_column)))


_places: dict[tuple[int, int], tuple[CodeType, Span]] = {}
"""By the identity of code, which is kept, and the instruction."""


def place_of(code: CodeType, instruction: int) -> Span:
    """Where an instruction's expression stands."""
    known = _places.get((id(code), instruction))
    if known is None:
        at = next(islice(code.co_positions(), instruction // 2, None), None)
        line, end_line, column, end_column = at or (None, None, None, None)
        start = line or code.co_firstlineno
        found = span(
            code.co_filename, start, column or 0, end_line or start, end_column or (column or 0)
        )
        known = _places[id(code), instruction] = code, found
    return known[1]


def definition_of(function: FunctionType) -> Span:
    """Where the name of a function stands in its `def`."""
    code = function.__code__
    source = span(code.co_filename, code.co_firstlineno, 0, code.co_firstlineno, 1 << 20)
    text = source.source.text[source.start :]
    word = f"def {function.__name__}"
    at = text.find(word)
    if 0 <= at < 10_000:
        start = source.start + at + len("def ")
        return Span(source.source, start, start + len(function.__name__))
    return source


_rewritten: dict[int, CodeType] = {}


def register(code: CodeType) -> None:
    """Note code that was rewritten, and the functions in it."""
    _rewritten[id(code)] = code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            register(inner)


def rewritten_frame() -> FrameType | None:
    """The innermost frame of a rewritten function."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not _is_persons(frame.f_code):
        frame = frame.f_back
    return frame


def _is_persons(code: CodeType) -> bool:
    """Whether code was rewritten, and is of none of `convertfunctions.LIBRARIES`."""
    return id(code) in _rewritten and code.co_filename not in _LIBRARIES


_LIBRARIES: Final = frozenset([
    str(Path(__file__).with_name(name)) for name in ("library.py", "textlibrary.py")
])  # fmt: skip


def unread() -> str | None:
    """What is told if the program is in a function whose source cannot be read, as that of
    `python -c` (before 3.13): it runs as it is."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_product(frame):
        frame = frame.f_back
    if frame is None or id(frame.f_code) in _rewritten:
        return None
    code = frame.f_code
    if not code.co_filename.startswith("<") or source_of(code.co_filename).text:
        return None
    return (
        f"the source of `{code.co_name}` cannot be read (line {frame.f_lineno} of "
        f"{code.co_filename}), so its loops and tests cannot be staged: put it into a file"
    )


def _is_product(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] == "cogen"


def here() -> Span | None:
    """Where the program is."""
    frame = rewritten_frame()
    return None if frame is None else place_of(frame.f_code, frame.f_lasti)


def raised_at(error: BaseException) -> Span | None:
    """Where an exception was raised; the innermost place in a rewritten function, which may have
    called one of `convertfunctions.LIBRARIES` that was left by it."""
    found = None
    of_library = False
    step = error.__traceback__
    while step is not None:
        of_library |= step.tb_frame.f_code.co_filename in _LIBRARIES
        if _is_persons(step.tb_frame.f_code):
            found = place_of(step.tb_frame.f_code, step.tb_lasti)
        step = step.tb_next
    return here() if found is None and of_library else found


def text_of(place: Span) -> str:
    """What stands at a place, on one line."""
    return " ".join(place.source.text[place.start : place.end].split())


def fail(message: str, hint: str | None = None, place: Span | None = None) -> NoReturn:
    """Refuse what the program does, where it does it."""
    raise CogenError(message, place or here(), hint)


def cannot(message: str, hint: str | None = None) -> NoReturn:
    """Say that something cannot be staged (yet), where it is asked for."""
    raise LimitationError(message, here(), hint)


def shown() -> str:
    """The expression that is evaluated, for the beginning of a message."""
    place = here()
    text = text_of(place) if place is not None else ""
    return f"`{text}`: " if 0 < len(text) <= 80 else ""


def refuses(what: str, hint: str) -> Callable[..., NoReturn]:
    """A method of staged values that refuses what only values do that are known."""

    def refuse(*given: object) -> NoReturn:
        why = unread()
        fail(f"{shown()}a staged value cannot be {what}: only a run knows it", why or hint)

    return refuse


def lacks(what: str, hint: str) -> Callable[..., NoReturn]:
    """A method that values of this kind do not have, known or not."""

    def refuse(*given: object, **options: object) -> NoReturn:
        fail(f"{shown()}a staged {what}", hint)

    return refuse
