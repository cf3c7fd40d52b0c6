"""Interpreters and their cases: text -> `Interpreter`, `Case`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import cogen
from cogen import binding_times
from cogen.binding_times import BT, parse_bt
from cogen.lang import il
from cogen.lang.datum import NIL, Datum, Pair, Symbol, from_iterable, iterate, symbol
from cogen.lang.printer import write_datum
from cogen.lang.reader import read_datum

HERE = Path(__file__).parent
FACTORS = (1, 2, 4, 8)
"""How many times as large the programs that grow are made."""


@dataclass(frozen=True)
class Case:
    """A program for an interpreter, what it gives, and what its residual program should be."""

    interpreter: Interpreter
    name: str
    program: Datum
    runs: tuple[tuple[tuple[Datum, ...], Datum | None], ...]
    """Inputs and result; None where nobody has said it."""
    ideal: Datum | None
    """Definitions, if they were written for this program."""

    @property
    def id(self) -> str:
        return f"{self.interpreter.name}/{self.name}"

    @property
    def times(self) -> list[BT]:
        """The binding times of the entry's parameters."""
        return [
            binding_times.Static(self.program) if bt is None else bt
            for bt in self.interpreter.times
        ]

    def arguments(self, inputs: tuple[Datum, ...]) -> list[Datum]:
        """The entry's arguments: the static ones and these inputs."""
        rest = iter(inputs)
        return [
            bt.value if isinstance(bt, binding_times.Static) else next(rest) for bt in self.times
        ]

    @property
    def ideal_pairs(self) -> float:
        """Pairs of the ideal; if there is none, in proportion to that of the first case."""
        if self.ideal is not None:
            return pairs(self.ideal)
        first = self.interpreter.cases[0]
        assert first.ideal is not None, f"{first.id} needs an ideal"
        return pairs(first.ideal) * weight(self.program) / weight(first.program)


@dataclass
class Interpreter:
    """An interpreter in a file, with its cases."""

    name: str
    entry: str
    times: tuple[BT | None, ...]
    """None stands for the program."""
    left: frozenset[str]
    data: frozenset[str]
    cases: list[Case] = field(default_factory=list)
    template: tuple[int, Datum, list[tuple[Datum, ...]]] | None = None

    @property
    def path(self) -> Path:
        return HERE / f"{self.name}.scm"

    @property
    def loaded(self) -> il.Program:
        """The interpreter as a program."""
        return cogen.load(self.path)

    def grown(self, factor: int) -> Case:
        """A case so many times as large as the smallest that `grow` makes."""
        assert self.template is not None, f"{self.name} has nothing to grow"
        units, template, runs = self.template
        program = grow(template, units * factor)
        return Case(self, f"grow-{factor}", program, tuple((run, None) for run in runs), None)


def names() -> list[str]:
    """The interpreters there are."""
    return sorted(path.stem for path in HERE.glob("*.cases"))


@cache
def interpreter(name: str) -> Interpreter:
    """The interpreter of that name with its cases."""
    text = (HERE / f"{name}.cases").read_text(encoding="utf-8")
    forms = [list(iterate(form)) for form in iterate(read_datum(f"({text}\n)", f"{name}.cases"))]
    assert forms[0][0] is symbol("interpreter"), f"{name}.cases starts with (interpreter …)"
    said = {form.car.name: list(iterate(form.cdr)) for form in forms[0][1:]}
    entry, *times = said["call"]
    found = Interpreter(
        name,
        entry.name,
        tuple(None if time is symbol("program") else parse_bt(write_datum(time)) for time in times),
        frozenset(write_datum(name) for name in said["left"]),
        frozenset(write_datum(name) for name in said.get("data", [])),
    )
    for head, *rest in forms[1:]:
        if head is symbol("grow"):
            units, (_, template), *runs = rest[0], *map(list, map(iterate, rest[1:]))
            found.template = units, template, [tuple(iterate(run[1])) for run in runs]
        elif head is symbol("same"):
            others = interpreter(rest[0].name).cases
            found.cases += [replace(c, interpreter=found) for c in others if c.name == rest[1].name]
        else:
            found.cases.append(_case(found, rest))
    return found


def _case(owner: Interpreter, form: list[Datum]) -> Case:
    name, *clauses = form
    runs = []
    program: list[Datum] = []
    ideal = None
    for clause in clauses:
        if clause.car is symbol("program"):
            program.append(clause.cdr.car)
        elif clause.car is symbol("run"):
            runs.append((tuple(iterate(clause.cdr.car)), clause.cdr.cdr.car))
        else:
            assert clause.car is symbol("ideal"), f"{owner.name}.cases: {write_datum(clause.car)}"
            ideal = clause.cdr
    return Case(owner, name.name, program[0], tuple(runs), ideal)


# Templates


def grow(template: Datum, count: int) -> Datum:
    """What a template makes of so many parts."""
    return _fill(template, 0, count)


def _fill(template: Datum, index: int, count: int) -> Datum:
    if isinstance(template, Symbol):
        return _name(template.name, index, count)
    if isinstance(template, list):
        return _filled(from_iterable(template), index, count)
    if not isinstance(template, Pair):
        return template
    head = template.car
    if head is symbol("%at"):
        a, b = iterate(template.cdr)
        return a * index + b
    if head is symbol("%nest"):
        part, result = template.cdr.car, _fill(template.cdr.cdr.car, index, count)
        for i in reversed(range(count)):
            result = _fill(_replaced(part, result), i, count)
        return result
    if head is symbol("%string"):
        return "".join(map(str, _filled(template.cdr, index, count)))
    if isinstance(head, Pair) and head.car is symbol("%each"):
        parts = [part for i in range(count) for part in _filled(head.cdr, i, count)]
        return from_iterable(parts, _fill(template.cdr, index, count))
    return Pair(_fill(head, index, count), _fill(template.cdr, index, count))


def _filled(templates: Datum, index: int, count: int) -> list[Datum]:
    return list(iterate(_fill(templates, index, count)))


def _replaced(part: Datum, rest: Datum) -> Datum:
    if isinstance(part, Pair):
        return Pair(_replaced(part.car, rest), _replaced(part.cdr, rest))
    return rest if part is symbol("%rest") else part


def _name(name: str, index: int, count: int) -> Datum:
    numbers = {"%": index, "%+": index + 1, "%n": count}
    if name in numbers:
        return numbers[name]
    for mark in ("%n", "%+", "%"):
        name = name.replace(mark, str(numbers[mark]))
    return symbol(name)


# Sizes


def pairs(datum: Datum) -> int:
    """Pairs in a datum; what stands at several places counts at each."""
    count = 0
    work = [datum]
    while work:
        datum = work.pop()
        if isinstance(datum, Pair):
            count += 1
            work += (datum.cdr, datum.car)
        elif isinstance(datum, list):
            work += datum
    return count


def weight(program: Datum) -> int:
    """The size of a program: its pairs, elements of vectors and characters of strings."""
    count = 0
    work = [program]
    while work:
        datum = work.pop()
        if isinstance(datum, Pair):
            count += 1
            work += (datum.cdr, datum.car)
        elif isinstance(datum, list):
            count += len(datum)
            work += datum
        elif isinstance(datum, str):
            count += len(datum)
    return count


def symbols(datum: Datum) -> Iterator[str]:
    """The symbols in a datum."""
    work = [datum]
    while work:
        datum = work.pop()
        if isinstance(datum, Pair):
            work += (datum.cdr, datum.car)
        elif isinstance(datum, list):
            work += datum
        elif isinstance(datum, Symbol):
            yield datum.name


def quoted(datum: Datum) -> Iterator[Datum]:
    """The constants in a program's text that are quoted, the empty list apart, or vectors."""
    work = [datum]
    while work:
        datum = work.pop()
        if isinstance(datum, list):
            yield datum
        elif isinstance(datum, Pair):
            if datum.car is symbol("quote"):
                if datum.cdr.car is not NIL:
                    yield datum.cdr.car
            else:
                work += (datum.cdr, datum.car)
