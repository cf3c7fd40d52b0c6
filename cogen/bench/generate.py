"""`generate`: generating extensions against the specializer, on the interpreters of `futamura`.

Each interpreter is specialized to its program, with the inputs unknown: by `specialize` (with
the interpreter loaded, and from its text), and by the compiler that `generate` makes of it.  All
give the same residual text.  Cleaning and printing the residual program, which both ways have in
common, are shown as parts of the compiler's time, and the ratio is given for the whole and for what
comes before these.  Making a compiler is writing its text; loading it is measured apart, with byte
code that is made anew, not found in the build cache.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from statistics import median
from time import process_time
from typing import NoReturn
from unittest import mock

import cogen
import cogen.specializer.specialization as driver
from cogen.backends.scheme.scheme import emit
from cogen.bench.latency import without_cache
from cogen.binding_times import BT, parse_bt
from cogen.generating.extension import Extension
from cogen.lang.printer import write_datum
from cogen.measure.report import Column, Figure, Report
from cogen.measure.turns import interleaved
from cogen.mix.cases import ENTRY, INTERPRETERS, InterpreterCase, load_case, path_of
from cogen.specializer.versions.graph import RawProgram

COLUMNS = (
    Column("case", ""),
    Column("specialize_ms", "specialize ms", ".1f"),
    Column("compiler_ms", "compiler ms", ".1f"),
    Column("clean_ms", "of it cleaning ms", ".1f"),
    Column("print_ms", "of it printing ms", ".1f"),
    Column("speedup", "specialize / compiler", ".1fx"),
    Column("speedup_before", "before cleaning", ".1fx"),
    Column("speedup_loading", "load and specialize / compiler", ".1fx"),
    Column("generate_ms", "generate ms", ".1f"),
    Column("load_ms", "load ms", ".1f"),
    Column("generate_over_specialize", "generate / specialize", ".1fx"),
)


def bench() -> Report:
    """Times to the residual text."""
    report = Report("generate", "compilers made by `generate`, against `specialize`", COLUMNS)
    for name in INTERPRETERS:
        row, same = _row(load_case(name))
        report.rows.append({"case": name, **row})
        if not same:
            report.failures.append(f"{name}: the compiler makes another text than specialize")
    for key, what in (
        ("speedup", "specialize / compiler"),
        ("speedup_before", "specialize / compiler, before cleaning and printing"),
        ("speedup_loading", "load and specialize / compiler"),
        ("generate_over_specialize", "generate / specialize"),
    ):
        middle = median(float(row[key]) for row in report.rows)
        report.notes.append(f"median of {what}: {middle:.1f}x")
    return report


def _row(case: InterpreterCase) -> tuple[dict[str, Figure], bool]:
    path = path_of(case.name)
    program = cogen.load(path)
    inputs: list[BT] = [cogen.dynamic()] * len(case.data)
    bts = [parse_bt(f"(static {write_datum(case.source)})"), *inputs]

    def generate() -> Extension:
        return cogen.generate(program, ENTRY, cogen.static(), *inputs)

    def load() -> object:
        with without_cache():
            return generate().load()

    compiler = generate()
    residual = compiler(*bts).program.program
    cleaning: list[float] = []

    def compile_program() -> str:
        compiled = compiler(*bts)
        cleaning.append(compiled.statistics["seconds cleaning"])
        return compiled.scheme

    ways: dict[str, Callable[[], object]] = {
        "specialize": lambda: cogen.specialize(program, ENTRY, *bts).scheme,
        "load and specialize": lambda: cogen.specialize(cogen.load(path), ENTRY, *bts).scheme,
        "compiler": compile_program,
        "print": lambda: emit(residual),
        "generate": generate,
        "generate and load": load,
    }
    times = interleaved(ways, 15, 5.0, process_time)
    with mock.patch.object(driver, "clean", _stop):
        before = interleaved(
            {
                "specialize": lambda: _raw(lambda: cogen.specialize(program, ENTRY, *bts)),
                "compiler": lambda: _raw(lambda: compiler(*bts)),
            },
            15,
            2.0,
            process_time,
        )
    same = ways["specialize"]() == ways["compiler"]()
    row: dict[str, Figure] = {
        "specialize_ms": 1000 * times.seconds("specialize"),
        "compiler_ms": 1000 * times.seconds("compiler"),
        "clean_ms": 1000 * median(cleaning),
        "print_ms": 1000 * times.seconds("print"),
        "speedup": times.ratio("specialize", "compiler"),
        "speedup_before": before.ratio("specialize", "compiler"),
        "speedup_loading": times.ratio("load and specialize", "compiler"),
        "generate_ms": 1000 * times.seconds("generate"),
        "load_ms": 1000 * (times.seconds("generate and load") - times.seconds("generate")),
        "generate_over_specialize": times.ratio("generate", "specialize"),
    }
    return row, same


class _Raw(Exception):
    """The residual program is there, before it is cleaned."""


def _stop(raw: RawProgram) -> NoReturn:
    raise _Raw


def _raw(make: Callable[[], object]) -> None:
    """Make a residual program, up to the cleaning, which is `_stop`."""
    with contextlib.suppress(_Raw):
        make()
