"""The command line's dealings with the outside: streams, files, diagnostics, exit status."""

from __future__ import annotations

import io
import os
import re
import sys
import traceback
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO, TextIO

from cogen.errorindex import code_of
from cogen.lang.errors import CogenError, InternalError, Note, Warnings
from cogen.lang.warning import CogenWarning
from cogen.reporting import REPORT
from cogen.writing import GuardedFile, StreamError, replaced


class UsageError(CogenError):
    """A wrong command line: exit status 2 instead of 1."""


def prepare_streams() -> None:
    """Let standard output and error show what their encoding lacks as escapes, and all three
    streams say what is wrong if they cannot be read or written."""
    sys.stdin = _prepared(sys.stdin, 0, "rb", "standard input")
    sys.stdout = _prepared(sys.stdout, 1, "wb", "standard output")
    sys.stderr = _prepared(sys.stderr, 2, "wb", "standard error")


class _TerminalOutput(GuardedFile):
    """Standard output: after a failure, what buffers still hold is lost quietly."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except (StreamError, BrokenPipeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            raise


class _Unheard(GuardedFile):
    """Standard error: if it cannot be written to, there is nobody to tell."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except (StreamError, BrokenPipeError):
            return len(data)


def _prepared(stream: TextIO | None, number: int, mode: str, shown: str) -> TextIO:
    """A standard stream as `prepare_streams` says; one of another kind is left as it is."""
    kind = (GuardedFile, _TerminalOutput, _Unheard)[number]
    if stream is None:  # it was closed before we began: each use of it is an error
        number = os.open(os.devnull, os.O_RDONLY if mode == "wb" else os.O_WRONLY)
    else:
        buffer = getattr(stream, "buffer", None)
        raw = getattr(buffer, "raw", buffer)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="strict" if mode == "rb" else "backslashreplace")
        if type(raw) is not io.FileIO or raw.fileno() != number:
            return stream
        stream.flush()
    made = kind(number, mode, shown, closefd=False)
    at_once = getattr(stream, "write_through", False)  # as PYTHONUNBUFFERED asks for
    whole = io.BufferedReader(made) if mode == "rb" else io.BufferedWriter(made)
    return io.TextIOWrapper(
        whole,
        encoding=getattr(stream, "encoding", "utf-8"),
        errors="strict" if mode == "rb" else "backslashreplace",
        line_buffering=at_once or getattr(stream, "line_buffering", number == 2),
        write_through=at_once,
    )


def standard_input() -> str:
    """All of standard input, which must be UTF-8."""
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise CogenError(
            f"standard input is not UTF-8 text: byte {error.start} cannot be read"
        ) from None


def write_output(path: str | None, data: str | bytes, executable: bool = False) -> None:
    """Write a result to a file, whole or not at all, or to standard output (None or `-`)."""
    with output_stream(path, executable) as stream:
        stream.write(data.encode("utf-8") if isinstance(data, str) else data)


@contextmanager
def output_stream(path: str | None, executable: bool = False) -> Iterator[BinaryIO]:
    """A stream to a file, which appears whole when the block ends without an error, or to
    standard output (None or `-`)."""
    if path is None or path == "-":
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with replaced(path, executable) as stream:
        yield stream


@contextmanager
def warnings_shown() -> Iterator[None]:
    """Print warnings of Python's kind that are ours as other warnings are printed."""
    usual = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *place: Any, **given: Any) -> None:
        report = REPORT.get()
        if issubclass(category, CogenWarning) and report is not None:
            report.warnings([Note(str(message))])
        elif issubclass(category, CogenWarning):
            _show(f"warning: {message}", "warning", "bold yellow")
        else:
            usual(message, category, *place, **given)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


def interrupted(told: CogenError | None = None) -> None:
    """Tell that somebody has ended the command; where it was, if that is known."""
    report = REPORT.get()
    if told is not None:
        show_error(told)
    elif report is None:
        print("interrupted", file=sys.stderr)
    else:
        report.error(CogenError("interrupted"))


def flush_output() -> None:
    """Hand on what standard output holds back; a failure is told, but ends nothing."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        pass
    except StreamError as error:
        show_error(error)


def internal_error(error: Exception) -> InternalError:
    """The diagnostic of an exception that is a bug of ours; COGEN_DEBUG=1 shows the traceback."""
    if os.environ.get("COGEN_DEBUG"):
        traceback.print_exception(error)
    place = traceback.extract_tb(error.__traceback__)[-1]
    return InternalError(
        f"{type(error).__name__}: {error} ({os.path.basename(place.filename)}:{place.lineno})",
        hint="this is a bug of cogen: please report it, with the program; "
        "COGEN_DEBUG=1 shows the traceback",
    )


def show_error(error: CogenError) -> None:
    """Print a diagnostic to standard error, coloured on a terminal; or put it into the report, if
    there is one."""
    report = REPORT.get()
    if report is not None:
        report.error(error)
        return
    _show(error.render(), error.family, "bold red")
    code = code_of(error.message) if sys.stderr.isatty() else None
    if code is not None:
        _show(f"more: cogen errors {code}", "more", "dim")


def show_warnings(warnings: Warnings) -> None:
    """Print warnings, if there are any, to standard error, or put them into the report."""
    report = REPORT.get()
    if report is not None:
        report.warnings(warnings.messages)
    elif warnings.messages:
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


def write_code(text: str, language: str) -> None:
    """Write a program's text to standard output, coloured on a terminal; `language` is scheme, l0,
    c or python, or any other that is not coloured."""
    if language not in ("scheme", "l0", "c", "python") or not sys.stdout.isatty():
        write_output(None, text)
        return
    from pygments.lexers import get_lexer_by_name
    from rich.console import Console
    from rich.syntax import Syntax

    from cogen.editors.lexers import CogenLexer, L0Lexer

    ours = {"scheme": CogenLexer, "l0": L0Lexer}
    given = {"stripnl": False, "ensurenl": False}
    lexer = ours[language](**given) if language in ours else get_lexer_by_name(language, **given)
    styled = Syntax("", lexer, theme="ansi_dark", background_color="default").highlight(text)
    Console(highlight=False).print(styled, soft_wrap=True, end="")


def show_explanation(text: str) -> None:
    """Print an explanation to standard output, coloured on a terminal."""
    if not sys.stdout.isatty():
        write_output(None, text)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    for line in text.splitlines():
        styled = Text(line)
        if not re.match(r" *\d+ \|", line):  # none of the program's own
            styled.highlight_regex(r"(?<=\| ) *\^+(?= |$)", "bold cyan")
            for verdicts, style in _VERDICTS:
                styled.highlight_regex(rf"\b(?:{verdicts})\b(?=:|,| in \d| \[|$)", style)
            styled.highlight_regex(r"\[[a-z-]+\]", "dim")
        styled.highlight_regex(r"^ *\d* *\|", "dim")
        console.print(styled, soft_wrap=True)


_VERDICTS = (
    ("static|decided|unfolded", "green"),
    ("partially static|cyclic", "cyan"),
    ("dynamic|residual|residual call|escaped", "yellow"),
    ("generalised|kept|split|loop|memo point|residual procedure", "magenta"),
)


def show_statistics(statistics: Mapping[str, float]) -> None:
    """Print a table of statistics to standard error, unless they are in the report."""
    if REPORT.get() is not None:
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(title="specialization", title_justify="left")
    table.add_column("what")
    table.add_column("how much", justify="right")
    for name, value in statistics.items():
        shown = f"{value:,.4f}" if isinstance(value, float) else f"{value:,}"
        table.add_row(name.replace("_", " "), shown)
    Console(stderr=True).print(table)
