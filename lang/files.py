"""Source files: reading them, and finding the ones that programs name.

Every failure (missing, a directory, not readable, not UTF-8) is a `CogenError` at the place
that named the file, if there is one.
"""

from __future__ import annotations

from pathlib import Path

from cogen.lang.errors import CogenError, Source, Span


def read_source(path: Path, span: Span | None = None) -> Source:
    """The text of a file, called after its path."""
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
        return path.read_bytes()
    except FileNotFoundError:
        raise CogenError(f"there is no file {path}", span) from None
    except IsADirectoryError:
        raise CogenError(f"{path} is a directory, not a file", span) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise CogenError(f"cannot read {path}: {reason}", span) from None


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
