"""What a benchmark reports, as a table for people or JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
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

    def tables(self, console: Console) -> Iterator[Table]:
        """The table, so that no word is broken: if it is too wide, with titles of several lines;
        if that is too wide as well, in parts that all have the first column."""
        whole = self._table(self.columns, narrow=False)
        if _width(whole, console) <= console.width:
            yield whole
            return
        first, *others = self.columns
        part: list[Column] = []
        for column in others:
            wider = self._table([first, *part, column], narrow=True)
            if part and _width(wider, console) > console.width:
                yield self._table([first, *part], narrow=True)
                part = []
            part.append(column)
        yield self._table([first, *part], narrow=True)

    def _table(self, columns: Sequence[Column], narrow: bool) -> Table:
        """The columns; `narrow` ones are as wide as a figure, or the longest word of the title."""
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        if list(columns[:2]) == list(self.columns[:2]):
            table.title, table.title_justify = self.title, "left"
        cells = [[column.show(row.get(column.key)) for row in self.rows] for column in columns]
        for k, (column, texts) in enumerate(zip(columns, cells, strict=True)):
            side: Literal["left", "right"] = "right" if k else "left"
            least = max(map(len, [*texts, *column.title.split(), " "]))
            width = least if narrow and k else None
            table.add_column(column.title, justify=side, no_wrap=k == 0, width=width)
        for row in zip(*cells, strict=True):
            table.add_row(*map(escape, row))
        return table

    def print(self, console: Console) -> None:
        for table in self.tables(console):
            console.print(table)
        for note in self.notes:
            console.print(note, style="dim", highlight=False)
        for failure in self.failures:
            console.print(f"wrong: {failure}", style="bold red", highlight=False)


def _width(table: Table, console: Console) -> int:
    """How wide a table is if nothing confines it."""
    return Measurement.get(console, console.options.update_width(10_000), table).maximum


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
