"""The C of array programs has no conversion that changes a value or a sign unsaid."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cogen.array import loads
from cogen.array.codegen.native import c_text
from cogen.target.toolchain import find_compiler

PROGRAMS = Path(__file__).parents[2] / "programs" / "l0"

WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wsign-conversion", "-Werror", "-Wno-unused")
"""Variables and parameters that a program has no use for are declared all the same."""

SPREAD = (
    "arrays", "assembled", "strings", "concat_of_unique", "distinct_unique", "filter_append",
    "filter_group", "filter_of_unique", "groups_unique", "iswim", "scan_append", "scatter_reads",
    "unique_rows",
)  # fmt: skip


@pytest.mark.parametrize("name", SPREAD)
def test_no_conversion_is_left_to_the_compiler(name: str) -> None:
    (path,) = PROGRAMS.rglob(f"{name}.l0")
    program = loads(path.read_text(encoding="utf-8"))
    entry = "main" if "main" in program.entries else program.entries[-1]
    command = [*find_compiler().command, "-std=gnu11", *WARNINGS, "-Wno-unused-parameter"]
    done = subprocess.run(
        [*command, "-fopenmp", "-fsyntax-only", "-x", "c", "-"],
        input=c_text(program, entry).text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
