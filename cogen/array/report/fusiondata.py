"""What fusion did to a function, as data: operations, loops that remain, arrays in memory."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from cogen.lang.errors import Span
from cogen.lang.shown import counted


@dataclass(frozen=True, slots=True)
class Soac:
    """A loop over arrays that remains; `path` are the kinds of what it stands in."""

    id: int
    kind: str
    path: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ReportedOperation:
    """An operation of the source; `into` are the ids of the loops that evaluate it."""

    id: int
    operation: str
    name: str | None
    span: Span
    into: tuple[int, ...]
    rule: str | None
    because: str | None
    blocker: Span | None


@dataclass(frozen=True, slots=True)
class FusionReport:
    """What fusion did to a function of a program."""

    file: str
    entry: str
    operations: tuple[ReportedOperation, ...]
    soacs: tuple[Soac, ...]
    arrays: int

    def __repr__(self) -> str:
        operations, loops = len(self.operations), len(self.soacs)
        return (
            f"<fusion of {self.entry} in {self.file}: {counted(operations, 'operation')}, "
            f"{counted(loops, 'loop')}, {counted(self.arrays, 'array')} in memory>"
        )

    def _repr_html_(self) -> str:
        """The report as `cogen array fuse-report` prints it, for notebooks."""
        from io import StringIO

        from rich.console import Console

        from cogen.array.report.fusiontable import fusion_table

        if not self.operations:
            return f"<pre>{escape(repr(self))}</pre>"
        console = Console(record=True, file=StringIO(), width=120)
        console.print(fusion_table(self, self.operations[0].span.source), soft_wrap=True)
        return console.export_html(inline_styles=True, code_format="<pre>{code}</pre>")

    def json(self) -> dict[str, Any]:
        """The report as data; columns count from 1, in characters."""
        return {
            "version": 1,
            "file": self.file,
            "entry": self.entry,
            "operations": [
                {
                    "id": operation.id,
                    **_place(operation.span),
                    "operation": operation.operation,
                    "name": operation.name,
                    "into": list(operation.into),
                    "rule": operation.rule,
                    "because": operation.because,
                    "blocker": None if operation.blocker is None else _place(operation.blocker),
                }
                for operation in self.operations
            ],
            "soacs": [
                {"id": soac.id, "kind": soac.kind, "path": list(soac.path), **_place(soac.span)}
                for soac in self.soacs
            ],
            "arrays": self.arrays,
        }


def _place(span: Span) -> dict[str, int]:
    return {"line": span.line, "column": span.column}
