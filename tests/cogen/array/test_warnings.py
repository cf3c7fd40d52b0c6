"""The C of array programs compiles without a warning: no conversion that changes a value or a sign
unsaid, and no name that nothing uses."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings

from cogen.array import Program, loads
from cogen.array.c.nativeprogram import c_text
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.backends.objectcode.toolchain import find_compiler
from cogen.lang.errors import CogenError
from tests.cogen.array.programs import PROGRAMS, headers
from tests.cogen.array.randomprograms import programs

WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wsign-conversion", "-Werror")

RIGHT = sorted(
    path for path in PROGRAMS.rglob("*.l0") if not any(kind == "error" for kind, _ in headers(path))
)
SPREAD = (
    "arrays", "assembled", "strings", "concat_of_unique", "distinct_unique", "filter_append",
    "filter_group", "filter_of_unique", "groups_unique", "iswim", "scan_append", "scatter_reads",
    "unique_rows",
)  # fmt: skip


def compiles(program: Program, entry: str, arithmetic: Arithmetic = WIDE) -> None:
    command = [*find_compiler().command, "-std=gnu11", *WARNINGS, "-fopenmp", "-fsyntax-only"]
    done = subprocess.run(
        [*command, "-x", "c", "-"],
        input=c_text(program, entry, arithmetic=arithmetic).text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def entry_of(program: Program) -> str:
    return "main" if "main" in program.entries else program.entries[-1]


@pytest.mark.one_in(64)
@pytest.mark.parametrize("path", RIGHT, ids=lambda path: path.stem)
def test_programs(path: Path) -> None:
    program = loads(path.read_text(encoding="utf-8"))
    compiles(program, entry_of(program))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", SPREAD)
def test_programs_of_32_bits(name: str) -> None:
    (path,) = PROGRAMS.rglob(f"{name}.l0")
    program = loads(path.read_text(encoding="utf-8"))
    compiles(program, entry_of(program), Arithmetic(32, 32))


@settings(max_examples=max(6, settings().max_examples // 10))
@given(case=programs())
def test_random_programs(case: tuple[str, str]) -> None:
    try:
        program = loads(case[0])
    except CogenError:  # rows that visibly differ
        return
    compiles(program, "main")
