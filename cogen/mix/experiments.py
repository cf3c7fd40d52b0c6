"""All experiments of `cogen futamura`, and the programs that they make as files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from cogen.measure.report import Report
from cogen.mix.cases import load_case
from cogen.mix.futamura import (
    CompilerGenerator,
    Experiment,
    experiment,
    generator,
    generator_report,
    interpreters_reports,
)
from cogen.mix.towers import towers_report
from cogen.terminal import write_output

TOWERS: Final = "towers"
"""The name of the experiment with towers of self-interpreters."""


def perform(
    names: Sequence[str], seconds: float, tell: Callable[[str], object], keep: Path | None = None
) -> list[Report]:
    """The reports on interpreters of those names (`cases.load_case`), on the generator, and on
    towers if they are named.

    `tell` is told what is being done; `keep` is a directory for the programs that are made.
    """
    reports = []
    chosen = [name for name in names if name != TOWERS]
    if chosen:
        tell("the specializer applied to itself")
        made_by = generator()
        done = []
        for name in chosen:
            tell(f"{name}: target, compiler, generator")
            done.append(experiment(load_case(name), made_by, seconds))
        reports += [*interpreters_reports(done), generator_report(made_by)]
        if keep is not None:
            _write(keep, made_by, done)
    if TOWERS in names:
        tell("towers of self-interpreters")
        reports.append(towers_report(seconds))
    return reports


def _write(directory: Path, made_by: CompilerGenerator, done: Sequence[Experiment]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    write_output(str(directory / "cogen.scm"), made_by.cogen.program.text)
    for outcome in done:
        name = outcome.case.name
        write_output(str(directory / f"{name}-target.scm"), outcome.target.text)
        write_output(str(directory / f"{name}-compiler.scm"), outcome.compiler.text)
