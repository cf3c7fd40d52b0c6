"""Towers of self-interpreters: a program run through one, two, three levels, and what is left.

Level 1 is `mix(self, p)`.  For the next level, the self-interpreter itself is compiled in the same
way: `self' = mix(self, self)` takes a program and its arguments like `self`, and level 2 is
`mix(self', p)`; and so on.  If specialization removes a level of interpretation completely
("Jones optimality"), all levels leave the same text, up to names; and that runs as fast as p.
`cogen.specialize` is given the whole tower at once: self run on self run on p.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Final

import cogen
from cogen import binding_times
from cogen.binding_times import BT
from cogen.lang.datum import Datum, iterate
from cogen.lang.interp import Interpreter
from cogen.lang.primtable.equivalence import equal
from cogen.measure.report import Column, Report
from cogen.measure.turns import Candidate, interleaved
from cogen.mix import show
from cogen.mix.anonymous import anonymous, with_entry
from cogen.mix.cases import ENTRY, load_case, path_of
from cogen.mix.system import MixProgram

LEVELS: Final = 3
"""The height of the towers that are specialised level by level."""

WHOLE_LEVELS: Final = 2
"""The height of those that are specialised at once: each level costs some thirty times as much."""


@dataclass(frozen=True, slots=True)
class Level:
    """What is left of a program under so many self-interpreters, and how it was made."""

    height: int
    way: str
    """`mix` or `specialize`."""
    text: str
    skeleton: str
    """The text up to names."""
    run: Interpreter
    entry: str
    seconds: float


MAX_UNFOLDINGS: Final = 1 << 40
"""A tower unfolds the more the higher it is; what it leaves is bounded as usual."""


def by_mix(program: Datum, levels: int = LEVELS) -> list[Level]:
    """The residuals of a program of the small language, by the specializer in the language."""
    self = load_case("self").interpreter
    made = []
    current, entry = self, ENTRY
    for height in range(1, levels + 1):
        start = perf_counter()
        annotated = current.annotate(entry, "sd")
        residual = annotated.specialize([program])
        seconds = perf_counter() - start
        skeleton = show.show(anonymous(residual.definitions))
        made.append(
            Level(height, "mix", residual.text, skeleton, residual.runnable, entry, seconds)
        )
        if height < levels:
            compiled = annotated.specialize([self.definitions])
            name = f"level{height}"
            wrapped = with_entry(compiled.definitions, name, ("program", "arguments"), entry)
            current, entry = MixProgram.loads(MixProgram(wrapped).text, f"<{name}>"), name
    return made


def by_specialize(program: Datum, levels: int = WHOLE_LEVELS) -> list[Level]:
    """The same by `cogen.specialize`, each tower at once."""
    loaded = cogen.load(path_of("self"))
    self = load_case("self").interpreter.definitions
    made = []
    for height in range(1, levels + 1):
        start = perf_counter()
        known: BT = binding_times.Static(program)
        arguments: BT = cogen.dynamic()
        for _ in range(height - 1):
            known, arguments = binding_times.Static(self), cogen.list_(known, arguments)
        residual = cogen.specialize(loaded, ENTRY, known, arguments, max_unfoldings=MAX_UNFOLDINGS)
        seconds = perf_counter() - start
        text = residual.scheme
        run = Interpreter(residual.program.program)
        run.run()
        made.append(
            Level(height, "specialize", text, skeleton_of(text), run, residual.entry, seconds)
        )
    return made


def skeleton_of(text: str) -> str:
    """A program's text up to names, if it is in the subset of the small language."""
    return show.show(anonymous(MixProgram.loads(text, "<residual>").definitions))


def direct(program: Datum) -> tuple[Interpreter, str]:
    """The program itself ready to run, and the name of its entry."""
    own = MixProgram(program)
    return own.runnable, own.names_in_text[next(iterate(program)).car.name]


def same_text(levels: list[Level]) -> bool:
    """Whether all levels leave the same text up to names."""
    return len({level.skeleton for level in levels}) == 1


COLUMNS = (
    Column("way", ""),
    Column("level", "level", ".0f"),
    Column("lines", "lines", ".0f"),
    Column("made_ms", "made in ms", ".0f"),
    Column("run_ms", "run ms", ".3f"),
    Column("ratio", "run / itself", ".2fx"),
    Column("equal", "equal"),
)


def towers_report(seconds: float = 1.0) -> Report:
    """The table of the towers: how fast what is left runs, beside the program itself."""
    report = Report("towers", "towers of self-interpreters", COLUMNS)
    case = load_case("self")
    program, arguments = case.source, case.data[0]
    own, entry = direct(program)
    answer = own.call(entry, list(iterate(arguments)))
    levels = [(by_mix(program), "mix"), (by_specialize(program), "specialize")]
    candidates: dict[str, Candidate] = {"itself": lambda: own.call(entry, list(iterate(arguments)))}
    for made, _ in levels:
        for level in made:
            candidates[f"{level.way} {level.height}"] = _runner(level, arguments)
    candidates["interpreted"] = case.interpret
    times = interleaved(candidates, 15, seconds)
    for made, way in levels:
        equal_text = same_text(made)
        if not equal_text:
            report.failures.append(f"towers: {way} leaves different texts at different levels")
        for level in made:
            if not equal(level.run.call(level.entry, [arguments]), answer):
                report.failures.append(f"towers: {way}, level {level.height}: a wrong answer")
            name = f"{way} {level.height}"
            report.rows.append(
                {
                    "way": way,
                    "level": level.height,
                    "lines": sum(1 for line in level.text.splitlines() if line.strip()),
                    "made_ms": 1000 * level.seconds,
                    "run_ms": 1000 * times.seconds(name),
                    "ratio": times.ratio(name, "itself"),
                    "equal": "yes" if equal_text else "no",
                }
            )
    report.notes.append(
        f"interpreted by one level: {times.ratio('interpreted', 'itself'):.0f} times the program "
        "itself; equal: all levels leave the same text up to names"
    )
    return report


def _runner(level: Level, arguments: Datum) -> Candidate:
    return lambda: level.run.call(level.entry, [arguments])
