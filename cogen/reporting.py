"""What a command tells as data, with `--json`: one line of JSON on standard error, at its end.

    report     ::= {"version": 1, "status", "diagnostics": [diagnostic ...], "statistics": {...}}
    diagnostic ::= {"severity", "kind", "code", "message", "hint", "place", "notes", "calls",
                    "library"}
    note       ::= {"message", "place"}
    place      ::= {"file", "start": [line, column], "end": [line, column]} or null

Lines and columns count from 1, columns in characters; ends are exclusive.  `severity` is error or
warning, `kind` error, limitation or internal error, `code` that of the index of errors, or null.
`calls` are the places of the calls that led there, the innermost first; `library` is the place in a
library of the product where it went wrong.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

import click

from cogen.errorindex import code_of
from cogen.lang.errors import CogenError, Note, Span

VERSION: Final = 1
"""That of what reports are made of: a change that is no addition makes it another."""

CONVERSING: Final = ("lsp", "repl", "view")
"""Commands that have no report: they do not end by themselves."""


def place(span: Span | None) -> dict[str, Any] | None:
    """A place as data."""
    if span is None:
        return None
    source = span.source
    return {
        "file": source.name,
        "start": list(source.position(span.start)),
        "end": list(source.position(max(span.start, span.end))),
    }


def _note(note: Note) -> dict[str, Any]:
    return {"message": note.message, "place": place(note.span)}


def diagnostics(error: CogenError) -> list[dict[str, Any]]:
    """An error and its others as data."""
    return [
        {
            "severity": "error",
            "kind": one.family,
            "code": code_of(one.message),
            "message": one.message,
            "hint": one.hint,
            "place": place(one.span),
            "notes": [_note(note) for note in one.notes],
            "calls": [place(site) for site in one.chain],
            "library": place(one.inner),
        }
        for one in (error, *error.others)
    ]


def warning(message: str, span: Span | None = None) -> dict[str, Any]:
    """A warning as data."""
    of_no_error: dict[str, Any] = {
        "code": None,
        "hint": None,
        "notes": [],
        "calls": [],
        "library": None,
    }
    told = {"severity": "warning", "kind": "warning", "message": message, "place": place(span)}
    return {**told, **of_no_error}


@dataclass
class CommandReport:
    """What a command tells, while it runs."""

    diagnostics: list[dict[str, Any]] = field(default_factory=list)
    statistics: dict[str, float] = field(default_factory=dict)
    is_wanted: bool = False
    """Whether it is written though there is nothing to tell: not by commands whose results are JSON
    by the same option."""

    def __bool__(self) -> bool:
        return self.is_wanted or bool(self.diagnostics or self.statistics)

    def error(self, error: CogenError) -> None:
        """Tell an error."""
        self.diagnostics += diagnostics(error)

    def warnings(self, notes: Iterable[Note]) -> None:
        """Tell warnings."""
        self.diagnostics += [warning(note.message, note.span) for note in notes]

    def text(self, status: int) -> str:
        """The report of a command that ends with a status."""
        told = {
            "version": VERSION,
            "status": status,
            "diagnostics": self.diagnostics,
            "statistics": self.statistics,
        }
        return json.dumps(told, ensure_ascii=False)


REPORT: Final[ContextVar[CommandReport | None]] = ContextVar("report", default=None)
"""That of the command that runs, if it was asked for."""


def statistics(found: Mapping[str, float]) -> None:
    """Put statistics into the report, if there is one."""
    report = REPORT.get()
    if report is not None:
        report.statistics.update(found)


def asked(words: Sequence[str]) -> bool:
    """Whether a command line asks for a report."""
    options = words[: words.index("--")] if "--" in words else words
    return "--json" in options and not set(CONVERSING) & {*options[:1]}


HELP: Final = "Tell diagnostics and statistics as JSON, on standard error."


def with_json(command: click.Command, words: str) -> click.Command:
    """The command with the option `--json`, its commands too if it is a group."""
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            inner = command.get_command(click.Context(command), name)
            if inner is not None:
                with_json(inner, f"{words} {name}")
    elif words not in CONVERSING and not any("--json" in one.opts for one in command.params):
        command.params.append(
            click.Option(
                ["--json"], is_flag=True, expose_value=False, help=HELP, callback=_is_wanted
            )
        )
    return command


def _is_wanted(_context: click.Context, _option: click.Parameter, value: bool) -> None:
    report = REPORT.get()
    if report is not None and value:
        report.is_wanted = True
