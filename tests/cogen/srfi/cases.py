"""Cases of a library, from a file, and programs of them that give their results as a text.

A file has the import in its first line, then definitions, and cases

    (fold + 0 '(1 2 3)) => 6
    (reduce + 0 5) => error: reduce: expected a list, got 5

A case is one line, or goes on in lines that are indented.  Its quoted data and its strings are what
a program gets from outside in `dynamic`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cogen.lang.datum import Datum, Symbol
from cogen.lang.errors import Source
from cogen.lang.reader import read
from cogen.lang.syntax import Syntax, SyntaxList, to_datum

DIRECTORY = Path(__file__).parents[2] / "programs" / "srfi"
FILES = sorted(DIRECTORY.glob("*.cases"))
ERROR = "error: "


@dataclass(frozen=True)
class Case:
    """An expression, and the text of its value or of its error."""

    line: int
    expression: str
    expected: str

    @property
    def fails(self) -> bool:
        return self.expected.startswith(ERROR)


@dataclass(frozen=True)
class Cases:
    """What a file has."""

    name: str
    head: str
    cases: tuple[Case, ...]

    @property
    def answers(self) -> list[Case]:
        return [case for case in self.cases if not case.fails]

    @property
    def refusals(self) -> list[Case]:
        return [case for case in self.cases if case.fails]


def load(path: Path) -> Cases:
    head, cases = [], []
    for line, text in _paragraphs(path.read_text(encoding="utf-8")):
        expression, arrow, expected = text.rpartition(" => ")
        if arrow:
            cases.append(Case(line, expression, expected))
        else:
            head.append(text)
    return Cases(path.stem, "\n".join(head), tuple(cases))


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    lines: list[str] = []
    start = 1
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if lines and not line.startswith(" "):
            yield start, "\n".join(lines)
            lines = []
        if line and not line.startswith(";"):
            start = start if lines else number
            lines.append(line)


def plain(cases: Cases, chosen: Sequence[Case]) -> str:
    """A program that writes what the cases give."""
    lines = [cases.head]
    lines += [f"(write {case.expression}) (newline)" for case in chosen]
    return "\n".join(lines)


def answers(chosen: Sequence[Case]) -> str:
    return "".join(f"{case.expected}\n" for case in chosen)


def dynamic(cases: Cases, chosen: Sequence[Case]) -> tuple[str, list[Datum]]:
    """A program whose `main` takes the data of the cases and gives the text of the answers, and
    the data."""
    lines: list[str] = []
    data: list[Datum] = []
    for case in chosen:
        text, end = "", 0
        for form in _literals(read(Source("<case>", case.expression))):
            text += case.expression[end : form.span.start] + f"p{len(data)}"
            end = form.span.end
            data.append(_datum(form))
        lines.append(f"  (write {text}{case.expression[end:]} port) (newline port)")
    parameters = " ".join(f"p{number}" for number in range(len(data)))
    return "\n".join(
        [
            cases.head,
            f"(define (main {parameters})",
            " (let ((port (open-output-string)))",
            *lines,
            "  (get-output-string port)))",
        ]
    ), data


def _literals(forms: Sequence[Syntax]) -> Iterator[Syntax]:
    for form in forms:
        if isinstance(form.value, str) or _is_quotation(form):
            yield form
        elif isinstance(form.value, SyntaxList):
            yield from _literals(form.value.items)


def _is_quotation(form: Syntax) -> bool:
    value = form.value
    return (
        isinstance(value, SyntaxList)
        and len(value.items) == 2
        and isinstance(value.items[0].value, Symbol)
        and value.items[0].value.name == "quote"
    )


def _datum(form: Syntax) -> Datum:
    if isinstance(form.value, SyntaxList):
        return to_datum(form.value.items[1])
    return form.value
