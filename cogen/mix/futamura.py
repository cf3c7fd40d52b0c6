"""The Futamura projections, performed, timed, sized and compared.

For an interpreter `int` with a program `src` for it, and `mix` the specializer of mix.scm:

    1. target = mix(int, src)        gives the same answers as int(src, data)
    2. comp   = mix(mix, int)        comp(src) is the same text as target
    3. cogen  = mix(mix, mix)        cogen(int) is the same text as comp
    4.                               cogen(mix) is the same text as cogen

`mix` always runs as the program that is written, and everything made is a text that is loaded
again before it runs.  Source: Futamura, "Partial evaluation of computation process" (1971);
Jones, Sestoft, Sondergaard, "An experiment in partial evaluation" (1985).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from time import perf_counter

from cogen.lang.datum import Datum
from cogen.lang.primtable.equivalence import equal
from cogen.measure.report import Column, Figure, Report
from cogen.measure.turns import Candidate, interleaved
from cogen.mix.cases import InterpreterCase
from cogen.mix.system import (
    DEFAULT_LIMIT,
    MIX,
    Annotated,
    MixProgram,
    first_that_ends,
    phase,
    tidy,
)

ENTRY = "mix"
DIVISION = "ssdd"
"""The specializer's program and entry are known, the limit and the arguments are not."""


@dataclass(frozen=True, slots=True)
class MadeProgram:
    """A program that was made, and the seconds that it took."""

    program: MixProgram
    seconds: float


def timed(action: Callable[[], MixProgram]) -> MadeProgram:
    start = perf_counter()
    program = action()
    return MadeProgram(program, perf_counter() - start)


class CompilerGenerator:
    """The specializer applied to itself: `cogen` and what it makes."""

    def __init__(self) -> None:
        self.mix = MixProgram.load(MIX)
        self.annotated: Annotated = self.mix.annotate(ENTRY, DIVISION)

    def compiler_by_mix(self, annotated: Annotated) -> MixProgram:
        """mix(mix, p), a program whose `mix` takes what is known of p's arguments."""
        return self.annotated.specialize(annotated.as_known())

    @cached_property
    def cogen(self) -> MadeProgram:
        """mix(mix, mix)."""
        return timed(lambda: self.compiler_by_mix(self.annotated))

    def compiler_by_cogen(self, annotated: Annotated) -> MixProgram:
        """cogen(p)."""
        return compile_with(self.cogen.program, self.annotated, annotated.as_known())

    @cached_property
    def cogen_by_cogen(self) -> MadeProgram:
        """cogen(mix)."""
        self.cogen.program.runnable  # noqa: B018 (loading is not what is timed)
        return timed(lambda: self.compiler_by_cogen(self.annotated))

    @property
    def is_fixed_point(self) -> bool:
        """Whether cogen(mix) is cogen."""
        return self.cogen_by_cogen.program.text == self.cogen.program.text

    @property
    def ratio(self) -> float:
        """The size of cogen in sizes of mix, in pairs."""
        return self.cogen.program.size / self.mix.size


@cache
def generator() -> CompilerGenerator:
    """The generator, the same for all of a process: mix(mix, mix) is made once."""
    return CompilerGenerator()


def compile_with(compiler: MixProgram, annotated: Annotated, known: list[Datum]) -> MixProgram:
    """comp(known): the target that a compiler makes.

    CogenError if it does not seem to end by this compiler, which may be one of several.
    """
    return compile_with_any([compiler], annotated, known)


def compile_with_any(
    compilers: Iterable[MixProgram], annotated: Annotated, known: list[Datum]
) -> MixProgram:
    """The target that the first compiler makes by which it ends, of those for the levels of an
    annotated program; CogenError if it does not by any."""
    statics = annotated.statics(known)
    raw = first_that_ends(
        annotated.entry,
        compilers,
        lambda compiler: compiler.run(ENTRY, [DEFAULT_LIMIT, statics]),
    )
    return tidy(raw, "target")


@dataclass(slots=True)
class Experiment:
    """The projections of one interpreter: figures of a row, and what is wrong."""

    case: InterpreterCase
    target: MixProgram
    compiler: MixProgram
    target_ratio: float = 0.0
    """How many times as long interpreting the source takes as running the target."""
    compile_ratio: float = 0.0
    """How many times as long `mix` takes to make the target as the compiler."""
    figures: dict[str, Figure] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)


def experiment(
    case: InterpreterCase, made_by: CompilerGenerator, seconds: float = 1.0
) -> Experiment:
    """Perform everything for one interpreter; measure each ratio for about so many seconds."""
    annotated = case.annotated
    known = [case.source]
    target = annotated.specialize(known)
    comp = made_by.compiler_by_mix(annotated)
    outcome = Experiment(case, target, comp)
    compiled = compile_with(comp, annotated, known)
    by_cogen = made_by.compiler_by_cogen(annotated)
    answer = case.interpret()

    def check(key: str, holds: bool, what: str) -> None:
        outcome.figures.setdefault(key, "yes")
        if not holds:
            outcome.figures[key] = "no"
            outcome.failures.append(f"{case.name}: {what}")

    right = equal(target.run(case.entry, case.data), answer)
    check("target_equal", right, "target(data) is not int(src, data)")
    right = equal(compiled.run(case.entry, case.data), answer)
    check("target_equal", right, "what comp(src) made is not int(src, data)")
    check("compile_equal", compiled.text == target.text, "comp(src) is not mix(int, src)")
    check("make_equal", by_cogen.text == comp.text, "cogen(int) is not mix(mix, int)")

    statics = annotated.statics(known)
    run = _ratio(case.interpret, lambda: target.run(case.entry, case.data), seconds)
    compiling = _ratio(
        lambda: phase(ENTRY).call(ENTRY, [*annotated.as_known(), DEFAULT_LIMIT, statics]),
        lambda: comp.run(ENTRY, [DEFAULT_LIMIT, statics]),
        seconds,
    )
    generating = _ratio(
        lambda: made_by.compiler_by_mix(annotated),
        lambda: made_by.compiler_by_cogen(annotated),
        seconds,
    )
    outcome.target_ratio = run.ratio
    outcome.compile_ratio = compiling.ratio
    outcome.figures |= {
        "name": case.name,
        "interpreter_pairs": case.interpreter.size,
        "target_lines": target.lines,
        "interpreted_ms": 1000 * run.slow,
        "target_ms": 1000 * run.fast,
        "target_ratio": run.ratio,
        "mix_ms": 1000 * compiling.slow,
        "compile_ms": 1000 * compiling.fast,
        "compile_ratio": compiling.ratio,
        "compiler_pairs": comp.size,
        "compiler_lines": comp.lines,
        "make_by_mix_ms": 1000 * generating.slow,
        "make_by_cogen_ms": 1000 * generating.fast,
        "make_ratio": generating.ratio,
    }
    return outcome


@dataclass(frozen=True, slots=True)
class Ratio:
    """Seconds of a slow and a fast way, and how many times as long the slow one takes."""

    slow: float
    fast: float
    ratio: float


def _ratio(slow: Candidate, fast: Candidate, seconds: float) -> Ratio:
    times = interleaved({"slow": slow, "fast": fast}, 9, seconds)
    return Ratio(times.seconds("slow"), times.seconds("fast"), times.ratio("slow", "fast"))


TARGET_COLUMNS = (
    Column("name", ""),
    Column("interpreter_pairs", "int pairs", ","),
    Column("target_lines", "target lines", ","),
    Column("interpreted_ms", "int ms", ".2f"),
    Column("target_ms", "target ms", ".3f"),
    Column("target_ratio", "ratio", ".1fx"),
    Column("target_equal", "equal"),
)

COMPILER_COLUMNS = (
    Column("name", ""),
    Column("compiler_pairs", "comp pairs", ","),
    Column("compiler_lines", "comp lines", ","),
    Column("mix_ms", "mix ms", ".1f"),
    Column("compile_ms", "comp ms", ".2f"),
    Column("compile_ratio", "ratio", ".1fx"),
    Column("compile_equal", "equal"),
)

MAKING_COLUMNS = (
    Column("name", ""),
    Column("make_by_mix_ms", "mix ms", ".0f"),
    Column("make_by_cogen_ms", "cogen ms", ".0f"),
    Column("make_ratio", "ratio", ".1fx"),
    Column("make_equal", "equal"),
)

GENERATOR_COLUMNS = (
    Column("name", ""),
    Column("pairs", "pairs", ","),
    Column("lines", "lines", ","),
    Column("made_ms", "made in ms", ",.0f"),
    Column("equal", "equal"),
)


def interpreters_reports(experiments: list[Experiment]) -> list[Report]:
    """The tables of the three projections, one row an interpreter."""
    reports = [
        Report("targets", "1. target = mix(int, src): target(d) = int(src, d)", TARGET_COLUMNS),
        Report("compilers", "2. comp = mix(mix, int): comp(src) = mix(int, src)", COMPILER_COLUMNS),
        Report("making", "3. cogen = mix(mix, mix): cogen(int) = mix(mix, int)", MAKING_COLUMNS),
    ]
    for report in reports:
        for done in experiments:
            figures = done.figures
            report.rows.append({column.key: figures[column.key] for column in report.columns})
    for done in experiments:
        reports[0].failures += done.failures
    return reports


def generator_report(made_by: CompilerGenerator) -> Report:
    """The table of the specializer and of what it makes of itself."""
    report = Report("generator", "4. the specializer and itself", GENERATOR_COLUMNS)
    mix, cogen, again = made_by.mix, made_by.cogen, made_by.cogen_by_cogen
    report.rows = [
        {"name": "mix", "pairs": mix.size, "lines": mix.lines},
        {
            "name": "cogen = mix(mix, mix)",
            "pairs": cogen.program.size,
            "lines": cogen.program.lines,
            "made_ms": 1000 * cogen.seconds,
        },
        {
            "name": "cogen(mix)",
            "pairs": again.program.size,
            "lines": again.program.lines,
            "made_ms": 1000 * again.seconds,
            "equal": "yes" if made_by.is_fixed_point else "no",
        },
    ]
    report.notes.append(f"cogen has {made_by.ratio:.1f} times the pairs of mix")
    if not made_by.is_fixed_point:
        report.failures.append("cogen(mix) is not cogen")
    return report
