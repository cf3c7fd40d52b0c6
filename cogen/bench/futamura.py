"""`futamura`: what self-application costs and gains, beside the bars of published systems."""

from __future__ import annotations

import subprocess
from functools import partial
from statistics import median
from time import process_time
from typing import Final

import cogen
from cogen import binding_times
from cogen.backends.native.compile import compile_program
from cogen.bench.latency import without_cache
from cogen.binding_times import BT
from cogen.lang.datum import from_iterable, symbol
from cogen.lang.errors import InternalError
from cogen.lang.load import loads
from cogen.lang.printer import write_datum
from cogen.lang.reader import read_datum
from cogen.measure.report import Column, Report
from cogen.measure.turns import interleaved
from cogen.mix.cases import ENTRY, INTERPRETERS, InterpreterCase, load_case, path_of
from cogen.mix.compilers import STANDALONE_ENTRY, write_standalone
from cogen.mix.futamura import CompilerGenerator, compile_with, experiment, generator
from cogen.mix.native import native_phase, native_procedure, text_of
from cogen.mix.system import DEFAULT_LIMIT, phase
from cogen.mix.towers import towers_report

COLUMNS = (
    Column("what", ""),
    Column("measured", "measured", ".1fx"),
    Column("bar", "bar", ".1fx"),
    Column("met", "met"),
)

TARGET_BARS: Final = {"mp": 12.0, "lazy": 15.0, "mixwell": 100.0}
"""How many times as fast as its interpretation a target program has to be."""

COMPILER_BAR: Final = 2.7
"""How many times as fast as `mix` a compiler has to be."""

SIZE_BAR: Final = 7.3
"""How many times the size of `mix` its compiler generator may have."""

GENERATE_BAR: Final = 30.0
"""How many times as fast as mix(mix, int) `cogen.generate` has to make a compiler."""

NATIVE_BAR: Final = 50.0
"""How many times as fast as interpreted the specializer has to be as native code."""

NATIVE_COMPILER_BAR: Final = 10.0
"""The same of compilers, which take a millisecond interpreted, so that texts weigh."""

NATIVE_CASES: Final = ("mp", "mixwell", "lazy")

COMPILED_CASES: Final = ("mixwell", "scheme", "machine", "arrays")
"""Interpreters whose compilers are compared with those of `cogen.generate`."""

COMPILED_BAR: Final = 1.0
"""How many times as long the compiler of `cogen.generate` has to take as that of `cogen`."""

TOWER_BAR: Final = 2.0
"""How many times as long as the program itself what two levels leave may run."""


def bench() -> Report:
    """Ratios of times, measured in turns, and of sizes, each with the bar it has to meet."""
    report = Report("futamura", "self-application of the specializer in the language", COLUMNS)

    def row(what: str, measured: float, bar: float, least: bool = True) -> None:
        met = measured >= bar if least else measured <= bar
        limit = "at least" if least else "at most"
        report.rows.append(
            {
                "what": f"{what} ({limit})",
                "measured": measured,
                "bar": bar,
                "met": "yes" if met else "no",
            }
        )

    made_by = generator()
    done = [experiment(load_case(name), made_by, 2.0) for name in INTERPRETERS]
    for outcome in done:
        report.failures += outcome.failures
        bar = TARGET_BARS.get(outcome.case.name)
        if bar is not None:
            row(f"interpreting / target, {outcome.case.name}", outcome.target_ratio, bar)
    for outcome in done:
        row(f"mix / compiler, {outcome.case.name}", outcome.compile_ratio, COMPILER_BAR)
    against = [_against_generate(outcome.case, made_by) for outcome in done]
    making, loading = (median(ratios) for ratios in zip(*against, strict=True))
    row("mix(mix, int) / cogen.generate, median", making, GENERATE_BAR)
    report.notes.append(
        f"the compiler made by cogen.generate written and loaded: {loading:.1f}x (in the median)"
    )
    report.notes.append("mix is run by the interpreter of the language, cogen.generate by Python")
    for outcome in done:
        if outcome.case.name in NATIVE_CASES:
            analysed, specialized, compiled = _native_ratios(outcome.case, made_by)
            name = outcome.case.name
            row(f"bta interpreted / native, {name}", analysed, NATIVE_BAR)
            row(f"mix interpreted / native, {name}", specialized, NATIVE_BAR)
            row(f"compiler interpreted / native, {name}", compiled, NATIVE_COMPILER_BAR)
    for outcome in done:
        if outcome.case.name in COMPILED_CASES:
            interpreted, native = _against_its_compiler(outcome.case, made_by)
            name = outcome.case.name
            row(f"generate's compiler / cogen's, {name}", interpreted, COMPILED_BAR)
            row(f"generate's compiler / cogen's, native, {name}", native, COMPILED_BAR)
    report.notes.append(
        "a compiler made by cogen, native, is a process of its own, which starts, reads the "
        "source and writes the target; interpreted, tidying and printing are counted as well"
    )
    row("size of cogen / mix", made_by.ratio, SIZE_BAR, least=False)
    towers = towers_report(2.0)
    report.failures += towers.failures
    for tower in towers.rows:
        if tower["level"] == 2:
            ratio = tower["ratio"]
            assert isinstance(ratio, float)
            row(f"two levels by {tower['way']} / the program", ratio, TOWER_BAR, least=False)
    if not made_by.is_fixed_point:
        report.failures.append("cogen(mix) is not cogen")
    return report


def _against_generate(case: InterpreterCase, made_by: CompilerGenerator) -> tuple[float, float]:
    """How many times as long as the hand-written generator `mix` takes to make a compiler: one
    that is written down, as that of `mix` is then, and one that is loaded as well."""
    program = cogen.load(path_of(case.name))
    bts: list[BT] = [cogen.static(), *[cogen.dynamic()] * len(case.data)]

    def load() -> object:
        with without_cache():
            return cogen.generate(program, ENTRY, *bts).load()

    times = interleaved(
        {
            "mix": lambda: made_by.compiler_by_mix(case.annotated),
            "generate": lambda: cogen.generate(program, ENTRY, *bts),
            "load": load,
        },
        5,
        2.0,
        process_time,
    )
    return times.ratio("mix", "generate"), times.ratio("mix", "load")


def _against_its_compiler(case: InterpreterCase, made_by: CompilerGenerator) -> tuple[float, float]:
    """How many times as long the compiler of `cogen.generate` takes to the text of a target as
    that which `cogen` makes, run by the interpreter of the language, and as it stands alone,
    compiled by `cogen compile`.  InternalError if that gives another text.
    """
    known = [case.source]
    annotated = case.annotated
    compiler = made_by.compiler_by_cogen(annotated)
    inputs: list[BT] = [cogen.dynamic()] * len(case.data)
    generated = cogen.generate(cogen.load(path_of(case.name)), ENTRY, cogen.static(), *inputs)
    bts = [binding_times.Static(case.source), *inputs]
    levels = [made_by.compiler_by_cogen(level) for level in annotated.levels]
    alone = compile_program(loads(write_standalone(levels, annotated)), STANDALONE_ENTRY)
    command = [str(alone), write_datum(case.source)]

    def run_alone() -> str:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    made = compile_with(compiler, annotated, known).text
    if write_datum(read_datum(f"({made})")) != write_datum(read_datum(f"({run_alone()})")):
        raise InternalError(f"{case.name}: the compiler that stands alone gives another text")
    times = interleaved(
        {
            "generate": lambda: generated(*bts).scheme,
            "interpreted": lambda: compile_with(compiler, annotated, known).text,
            "native": run_alone,
        },
        15,
        2.0,
    )
    return times.ratio("generate", "interpreted"), times.ratio("generate", "native")


def _native_ratios(case: InterpreterCase, made_by: CompilerGenerator) -> tuple[float, float, float]:
    """How many times as long as native code the interpreter takes for the analysis of an
    interpreter, for its specialisation, and for compiling by the compiler that is made of it.

    Native code reads and writes all data as text, which counts.  InternalError if it gives another
    text than the interpreter.
    """
    annotated = case.annotated
    statics = annotated.statics([case.source])
    kinds = from_iterable(map(symbol, annotated.division))
    compiler = made_by.compiler_by_cogen(annotated)
    work = (
        (
            phase("bta"),
            native_phase("bta", "analyse", 4),
            "analyse",
            [case.interpreter.definitions, symbol(ENTRY), kinds, symbol(annotated.care)],
        ),
        (
            phase("mix"),
            native_phase("mix", "mix", 4),
            "mix",
            [annotated.definitions, symbol(ENTRY), DEFAULT_LIMIT, statics],
        ),
        (
            compiler.runnable,
            native_procedure(compiler, "mix", 2),
            "mix",
            [DEFAULT_LIMIT, statics],
        ),
    )
    ratios = []
    for interpreter, native, entry, arguments in work:
        text = text_of(arguments)
        expected = write_datum(interpreter.call(entry, arguments))
        if native.on_text(text) != expected:
            raise InternalError(f"{case.name}: native `{entry}` gives another text")
        times = interleaved(
            {
                "interpreted": partial(interpreter.call, entry, arguments),
                "native": partial(native.on_text, text),
            },
            5,
            1.0,
        )
        ratios.append(times.ratio("interpreted", "native"))
    return ratios[0], ratios[1], ratios[2]
