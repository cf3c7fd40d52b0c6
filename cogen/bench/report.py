"""What a benchmark reports, as a table for people or JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

Figure = float | int | str


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a report: the key of its figures in JSON, its title, how numbers are shown."""

    key: str
    title: str
    form: str = ""
    """A format specification such as `.2f`; a trailing `x` is shown after the number."""

    def show(self, figure: Figure | None) -> str:
        if figure is None:
            return "-"
        if isinstance(figure, str):
            return figure
        if self.form.endswith("x"):
            return f"{figure:{self.form[:-1]}}x"
        return f"{figure:{self.form}}"


@dataclass(slots=True)
class Report:
    """The outcome of a benchmark: rows of figures, one by key; `failures` name wrong answers."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: list[dict[str, Figure]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def table(self) -> Table:
        table = Table(title=self.title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
        for k, column in enumerate(self.columns):
            side: Literal["left", "right"] = "right" if k else "left"
            table.add_column(column.title, justify=side, no_wrap=k == 0, overflow="fold")
        for row in self.rows:
            table.add_row(*(column.show(row.get(column.key)) for column in self.columns))
        return table

    def print(self, console: Console) -> None:
        console.print(self.table())
        for note in self.notes:
            console.print(note, style="dim", highlight=False)
        for failure in self.failures:
            console.print(f"wrong: {failure}", style="bold red", highlight=False)


def to_json(reports: Sequence[Report]) -> str:
    """The reports as a JSON document."""
    benches = [
        {
            "name": report.name,
            "title": report.title,
            "rows": report.rows,
            "notes": report.notes,
            "failures": report.failures,
        }
        for report in reports
    ]
    return json.dumps({"version": 1, "benches": benches}, indent=2)
