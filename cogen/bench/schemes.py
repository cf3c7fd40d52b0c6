"""`native`: programs compiled to native code, against Chez Scheme and Guile where they are there.

The programs stand in programs/; many have the names, and do the kind of work, of the collection
known as r7rs-benchmarks.  Each system runs them as processes, in turns; times are those of the
processor, less what an empty program takes in the same round.  Chez Scheme compiles a program as
one body (optimize-level 2, which checks types and indices as we do); Guile compiles files to its
virtual machine, and to machine code as it runs.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import geometric_mean, median
from time import perf_counter
from typing import Final

import cogen
from cogen.backends.native.build import executable
from cogen.backends.native.compile import c_text
from cogen.bench import collected
from cogen.bench.collected import CollectedProgram
from cogen.lang.errors import CogenError
from cogen.measure.report import Column, Figure, Report

PROGRAMS: Final = Path(__file__).with_name("programs")

CHEZ: Final = Path(__file__).with_name("chez.ss")
"""What R7RS has and Chez Scheme has not."""

EMPTY: Final = "(display 0)\n"

ROUNDS: Final = 5
"""Rounds for each program, after one that compares the answers."""

SHORTEST: Final = 0.005
"""Seconds below which a time, without start-up, counts as this."""

Command = list[str]


def bench(suite: Path | None = None, only: Sequence[str] = ()) -> Report:
    """Times of the compiled programs, and how many times as long others take.

    A `suite` is a folder with a collection of programs (`cogen.bench.collected`), which are run
    in place of ours; those that cannot be compiled are told.  `only` names those that are run.
    """
    programs = ours() if suite is None else collected.programs(suite)
    wanted = [program for program in programs if not only or program.name in only]
    report = Report(
        "native",
        "native code, against other Schemes",
        (
            Column("program", "program"),
            Column("compile", "compiled in s", ".2f"),
            Column("seconds", "runs s", ".2f"),
            Column("over_chez", "time over Chez", ".2fx"),
            Column("over_guile", "time over Guile", ".2fx"),
        ),
    )
    with tempfile.TemporaryDirectory(prefix="cogen-bench-") as place:
        systems = _systems(Path(place))
        empty = {name: prepare("empty", EMPTY) for name, prepare in systems.items()}
        for program in wanted:
            try:
                report.rows.append(_row(program, systems, empty, report, Path(place)))
            except CogenError as error:
                if suite is None:
                    raise
                report.notes.append(f"{program.name}: {error.message}")
    for name in ("chez", "guile"):
        ratios = [float(row[f"over_{name}"]) for row in report.rows if f"over_{name}" in row]
        if ratios:
            report.notes.append(
                f"times over {name.capitalize()}: median {median(ratios):.2f}x, geometric mean "
                f"{geometric_mean(ratios):.2f}x; {sum(r < 1 for r in ratios)} of {len(ratios)} "
                "programs are faster"
            )
        else:
            report.notes.append(f"{name.capitalize()} is not installed")
    return report


def ours() -> Iterator[CollectedProgram]:
    """The programs in programs/."""
    for path in sorted(PROGRAMS.glob("*.scm")):
        yield CollectedProgram(path.stem, path.read_text(encoding="utf-8"))


def _row(
    program: CollectedProgram,
    systems: Mapping[str, Callable[[str, str], Command]],
    empty: Mapping[str, Command],
    report: Report,
    folder: Path,
) -> dict[str, Figure]:
    place = program.settle(folder)
    started = perf_counter()
    commands = {"native": systems["native"](program.name, program.text)}
    row: dict[str, Figure] = {"program": program.name, "compile": perf_counter() - started}
    for name, prepare in systems.items():
        commands.setdefault(name, prepare(program.name, program.text))
    answers = {name: _answer(command, place, program) for name, command in commands.items()}
    if len(set(answers.values())) > 1:
        report.failures.append(f"{program.name}: the systems disagree: {answers}")
    rounds: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            took = _run(command, place, program.input)[1] - _run(empty[name], place)[1]
            rounds[name].append(max(took, SHORTEST))
    row["seconds"] = median(rounds["native"])
    for name in systems:
        if name != "native":
            pairs = zip(rounds["native"], rounds[name], strict=True)
            row[f"over_{name}"] = median(ours / theirs for ours, theirs in pairs)
    return row


def _answer(command: Command, place: Path, program: CollectedProgram) -> str:
    """What a program answers; of one from a collection, which tells times as well, whether that is
    right."""
    output = _run(command, place, program.input)[0]
    if not program.links:
        return output
    return "wrong" if collected.is_wrong(output) else "right"


_SMALLER: Final = re.compile(r"^; smaller: (.*) gives (.*)$", re.MULTILINE)

_LAST: Final = re.compile(r"^\(write .*\)\s*\Z", re.MULTILINE)


def smaller(text: str) -> tuple[str, str] | None:
    """A program with less to do, as its second line says, and what it writes then; None for one
    that does not say so."""
    told = _SMALLER.search(text)
    if told is None:
        return None
    return _LAST.sub(lambda _: f"(write {told[1]})\n", text), told[2]


def _run(command: Command, place: Path, given: str = "") -> tuple[str, float]:
    """What a command prints that is given a text, and the processor's seconds it takes; CogenError
    if it fails.  Files that it makes are made in a place of ours, less those of runs before."""
    for path in place.iterdir():
        if path.is_file() and not path.is_symlink():
            path.unlink()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command, cwd=place, input=given, capture_output=True, text=True, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise CogenError(f"{command[0]} failed: {(done.stderr or done.stdout).strip()[:500]}")
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout.strip(), took


def _systems(place: Path) -> dict[str, Callable[[str, str], Command]]:
    """By name, what makes a command of a program's name and text."""
    systems: dict[str, Callable[[str, str], Command]] = {"native": _native}
    chez = next(filter(None, map(shutil.which, ("chezscheme", "chez", "scheme"))), None)
    if chez is not None:
        systems["chez"] = lambda name, text: _chez(chez, place, name, text)
    guile = shutil.which("guile")
    if guile is not None:
        systems["guile"] = lambda name, text: _guile(guile, place, name, text)
    return systems


def _native(name: str, text: str) -> Command:
    return [str(executable(c_text(cogen.loads(text, f"{name}.scm")).text))]


def _chez(chez: str, place: Path, name: str, text: str) -> Command:
    source, compiled = place / f"{name}.ss", place / f"{name}.so"
    source.write_text(f"(let ()\n{_for_chez(text)}\n(void))\n", encoding="utf-8")
    command = f'(optimize-level 2) (compile-file "{source}" "{compiled}")'
    subprocess.run([chez, "-q"], input=command, text=True, capture_output=True, check=True)
    return [chez, "--script", str(compiled)]


def _for_chez(text: str) -> str:
    """A program without its imports, with what Chez Scheme lacks or means something else by."""
    body = re.sub(r"^\(import .*\)\n", "", text, flags=re.MULTILINE)
    body = body.replace("(define-record-type ", "(srfi-9-record ")
    return CHEZ.read_text(encoding="utf-8") + body


def _guile(guile: str, place: Path, name: str, text: str) -> Command:
    source = place / f"{name}.scm"
    source.write_text(text, encoding="utf-8")
    cache = {**os.environ, "XDG_CACHE_HOME": str(place / "cache")}
    subprocess.run([guile, "-q", str(source)], env=cache, capture_output=True, check=True)
    return ["env", f"XDG_CACHE_HOME={cache['XDG_CACHE_HOME']}", guile, "-q", str(source)]
