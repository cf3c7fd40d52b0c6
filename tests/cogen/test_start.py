"""Commands start at once: what is imported for them, and that nothing is said that is not so."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

import cogen
from cogen.bench.start import CASES, FILES, PYTHON, StartCase, bench
from cogen.cli import COMMANDS, commands

CHILD = """
import sys
before = set(sys.modules)
from cogen.cli import main
try:
    status = main(sys.argv[1:])
except SystemExit as end:
    status = end.code
imported = {name for name in set(sys.modules) - before if name.partition(".")[0] not in KNOWN}
print("\\n", *sorted(imported), file=sys.stderr)
sys.exit(status)
"""
"""Runs a command line and tells which modules it imported, but for Python's own and click's."""

START = {
    "cogen",
    "cogen.cli",
    "cogen.compiled",
    "cogen.endings",
    "cogen.errorindex",
    "cogen.commands",
    "cogen.commands.helpexamples",
    "cogen.lang",
    "cogen.lang.chain",
    "cogen.lang.errors",
    "cogen.lang.warning",
    "cogen.commands.later",
    "cogen.reporting",
    "cogen.terminal",
    "cogen.version",
    "cogen.writing",
}
"""What every command imports."""

OPTIONS = {
    "cogen.lang.files",
    "cogen.lang.governor",
    "cogen.lang.shown",
    "cogen.programarguments",
    "cogen.programfiles",
}
"""What the commands on programs import to know their options."""


def imported(*words: str, place: Path | None = None, given: str = "") -> set[str]:
    """The modules that a command line imports; in a place that has a store."""
    known = sys.stdlib_module_names | {"click"}
    own = {"PYTHONPATH": str(Path(cogen.__file__).parents[1])}
    if place is not None:
        own |= {"COGEN_KEEP": "1", "COGEN_CACHE_DIR": str(place / "store")}
    done = subprocess.run(
        [sys.executable, "-c", f"KNOWN = {set(known)!r}\n{CHILD}", *words],
        env=os.environ | own,
        cwd=place,
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("words", ["--version", "--help"])
def test_what_is_imported_at_the_start(words: str) -> None:
    assert imported(words) == START


@pytest.mark.parametrize(
    ("words", "more"),
    [
        ("run --help", {"cogen.commands.run"}),
        ("specialize --help", {"cogen.commands.specialize"}),
        ("array check --help", {"cogen.commands.array"}),
        ("dev show --help", {"cogen.commands.dev"}),
    ],
)
def test_what_is_imported_for_the_help_of_a_command(words: str, more: set[str]) -> None:
    assert imported(*words.split()) == START | OPTIONS | more


def test_the_list_of_signals_formats_needs_no_numpy() -> None:
    found = imported("signal", "formats")
    assert "cogen.signals.formats" in found
    assert not found & {"numpy", "cffi", "rich", "cogen.api", "cogen.signals.streaming"}


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_list_of_commands_says_what_they_say(name: str) -> None:
    assert COMMANDS[name].summary == commands.commands[name].get_short_help_str(1000)


def test_what_is_listed_is_there() -> None:
    assert commands.list_commands(click.Context(commands)) == sorted(COMMANDS)
    assert len(commands.commands) == len(COMMANDS)
    assert commands.get_command(click.Context(commands), "nothing") is None


NATIVE = any(map(shutil.which, ("cc", "gcc", "clang")))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the input of the benchmark, and a store."""
    path = tmp_path_factory.mktemp("start")
    (path / "store").mkdir(mode=0o700)
    for name, text in FILES.items():
        (path / name).write_text(text)
    return path


SECOND = {
    "cogen signal unpack": "cogen.api cogen.signals.unpacking",
    "cogen signal kernel": "cogen.api cogen.signals.unpacking",
    "cogen run": "cogen.lang.load cogen.lang.expand",
    "cogen run, (import (signals))": "cogen.lang.load cogen.lang.expand",
    "cogen array check": "cogen.array.l0.parse cogen.array.optimise.optimise cogen.lang.il",
    "cogen array compile": "cogen.array.l0.parse cogen.array.optimise.optimise "
    "cogen.array.l0.arithmetic",
    "cogen specialize": "cogen.lang.load cogen.specializer.specialize cogen.backends.kernel.c",
    "cogen specialize --emit c": "cogen.lang.load cogen.specializer.specialize",
}
"""What the second process of a command does without."""


@pytest.mark.one_in(3)
@pytest.mark.parametrize("case", [case for case in CASES if not case.python], ids=lambda c: c.title)
def test_each_command_finds_what_it_needs(case: StartCase, place: Path) -> None:
    """In a process that has imported nothing else; what is kept spares the next one modules."""
    if "--target" in case.words and not NATIVE:
        pytest.skip("there is no C compiler")
    imported(*case.words, place=place, given=case.input)
    if case.title in SECOND:
        found = imported(*case.words, place=place, given=case.input)
        assert not found & {"numpy", "rich", "lark", "cffi", *SECOND[case.title].split()}


def test_the_benchmark_of_starting() -> None:
    wrong = StartCase("a wrong command", ("nothing",))
    report = bench((PYTHON, wrong), rounds=1)
    assert [row["command"] for row in report.rows] == [PYTHON.title, wrong.title]
    assert all(row["second_ms"] > 0 for row in report.rows)
    assert report.rows[0]["over_python"] == 1
    assert report.notes[0].startswith("a later call of a staged function takes ")
    (failure,) = report.failures
    assert failure.startswith("a wrong command: Usage: ")


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_programs_that_were_compiled_need_no_compiler_of_ours(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    words = ["array", "run", "mean.l0", "--target", "c", "[1.0, 2.5]"]
    compiler = {"cogen.array.loops", "cogen.array.fusion", "cogen.backends.ctree", "pycparser"}
    assert compiler - {"pycparser"} <= imported(*words, place=tmp_path)
    assert not compiler & imported(*words, place=tmp_path)
