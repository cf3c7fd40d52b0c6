"""The command line's dealings with the outside: streams, files, diagnostics, exit status."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from lang.errors import CogenError, Warnings


class UsageError(CogenError):
    """A wrong command line: exit status 2 instead of 1."""


def prepare_streams() -> None:
    """Let standard output and error show what their encoding lacks as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def standard_input() -> str:
    """All of standard input, which must be UTF-8."""
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise CogenError(
            f"standard input is not UTF-8 text: byte {error.start} cannot be read"
        ) from None


def write_output(path: str | None, data: str | bytes) -> None:
    """Write a result to a file, whole or not at all, or to standard output (None or `-`)."""
    content = data.encode("utf-8") if isinstance(data, str) else data
    if path is None or path == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    try:
        _write_file(Path(path), content)
    except OSError as error:
        raise CogenError(f"cannot write {path}: {error.strerror}") from None


def _write_file(path: Path, content: bytes) -> None:
    with _replaced(path) as stream:
        stream.write(content)


@contextmanager
def output_stream(path: str | None) -> Iterator[BinaryIO]:
    """A stream to a file, which appears whole when the block ends without an error, or to
    standard output (None or `-`)."""
    if path is None or path == "-":
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        with _replaced(Path(path)) as stream:
            yield stream
    except OSError as error:
        raise CogenError(f"cannot write {path}: {error.strerror}") from None


@contextmanager
def _replaced(path: Path) -> Iterator[BinaryIO]:
    """Replace the file in one step at the end; a device or a pipe is written to as it stands."""
    target = path.resolve()
    if target.exists() and not target.is_file():
        with target.open("wb") as stream:
            yield stream
        return
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "w+b") as stream:
            yield stream
        os.chmod(name, _usual_mode(target))
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def _usual_mode(target: Path) -> int:
    """The permissions that the file has, or would have been given."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def show_error(error: CogenError) -> None:
    """Print a diagnostic to standard error, coloured on a terminal."""
    _show(error.render(), error.family, "bold red")


def show_warnings(warnings: Warnings) -> None:
    """Print warnings, if there are any, to standard error."""
    if warnings.messages:
        _show(warnings.render(), "warning", "bold yellow")


def _show(text: str, family: str, style: str) -> None:
    if not sys.stderr.isatty():
        print(text, file=sys.stderr)
        return
    from rich.console import Console
    from rich.text import Text

    styled = Text(text)
    styled.highlight_regex(rf"(?m)(?:^|(?<=: )){family}(?=: )", style)
    styled.highlight_regex(r"(?m)^ *\|[ \t]+\^+$", style)
    styled.highlight_regex(r"(?m)^hint(?=: )", "bold cyan")
    Console(stderr=True, highlight=False).print(styled, soft_wrap=True)


def show_statistics(statistics: Mapping[str, float]) -> None:
    """Print a table of statistics to standard error."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title="specialization", title_justify="left")
    table.add_column("what")
    table.add_column("how much", justify="right")
    for name, value in statistics.items():
        shown = f"{value:,.4f}" if isinstance(value, float) else f"{value:,}"
        table.add_row(name.replace("_", " "), shown)
    Console(stderr=True).print(table)


def abandon_standard_output() -> None:
    """Nobody reads standard output any more: let nothing complain about it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
