"""Source files: reading them, and finding the ones that programs name.

Every failure (missing, a directory, not readable, not UTF-8) is a `CogenError` at the place
that named the file, if there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Final

from cogen.lang.errors import CogenError, Source, Span

LOOKED: Final[ContextVar[Callable[[Path, bytes | None], None] | None]] = ContextVar(
    "looked", default=None
)
"""Is told of each file that is read, with what it holds, and of those that are not there."""


UNSAVED: Final[ContextVar[Mapping[str, str] | None]] = ContextVar("unsaved", default=None)
"""Texts that count instead of what files hold, by the absolute path: people are changing them."""


def read_source(path: Path, span: Span | None = None) -> Source:
    """The text of a file, called after its path."""
    unsaved = UNSAVED.get()
    if unsaved is not None:
        text = unsaved.get(str(path.resolve()))
        if text is not None:
            tell(path, text.encode())
            return Source(str(path), text)
    try:
        text = read_bytes(path, span).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CogenError(
            f"{path} is not UTF-8 text: byte {error.start} cannot be read",
            span,
            "save the file as UTF-8",
        ) from None
    return Source(str(path), text.replace("\r\n", "\n"))


def read_bytes(path: Path, span: Span | None = None) -> bytes:
    """What a file holds."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        hint = None
        if str(path).lstrip().startswith(("(", ";")):
            hint = "cogen.loads(text) makes a program of a text"
        raise CogenError(f"there is no file {path}", span, hint) from None
    except IsADirectoryError:
        raise CogenError(f"{path} is a directory, not a file", span) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise CogenError(f"cannot read {path}: {reason}", span) from None
    tell(path, content)
    return content


def tell(path: Path, content: bytes | None) -> None:
    """Tell who wants to know what was looked for."""
    listener = LOOKED.get()
    if listener is not None:
        listener(path, content)


def directory_of(span: Span) -> Path:
    """The directory of the file that a span is in; the current one for texts without a file."""
    name = span.source.path
    return Path() if name.startswith("<") or name == "-" else Path(name).parent


def find_include(name: str, span: Span) -> Path:
    """The file that `(include "name")`, the name being at `span`, means."""
    path = directory_of(span) / name
    if not path.exists():
        raise CogenError(f"there is no file {name} to include", span, f"looked for {path}")
    return path
