"""What `make sanitize` is made of; the run itself takes minutes and is no test."""

from __future__ import annotations

import subprocess
from pathlib import Path

from cogen.array import loads
from cogen.array.c.flags import OPTIONS
from cogen.array.c.nativeprogram import c_text
from cogen.backends.objectcode.cache import shared_object
from cogen.backends.objectcode.toolchain import find_compiler
from tests.sanitizers.__main__ import OPENMP, ROOT, SANITIZERS


def test_what_is_run_is_there() -> None:
    for sanitizer in SANITIZERS.values():
        assert [path for path in sanitizer.modules if not (ROOT / path).is_file()] == []


def test_the_threads_for_arrays_compile_without_a_warning() -> None:
    warned = ("-std=gnu11", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-fsyntax-only")
    command = [*find_compiler().command, *warned, str(OPENMP)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_threads_for_arrays_have_what_compiled_arrays_ask_for(tmp_path: Path) -> None:
    made = tmp_path / "openmp.so"
    compiler = find_compiler().command
    subprocess.run([*compiler, "-fPIC", "-shared", str(OPENMP), "-o", str(made)], check=True)
    program = loads("fun {int, [int]} main([int] a) = {reduce(op +, 0, a), distinct(a)}")
    arrays = shared_object(c_text(program, "main").text, OPTIONS)
    asked = {name for name in symbols(arrays, " U ") if name.startswith(("GOMP_", "omp_"))}
    assert "GOMP_parallel" in asked
    assert asked <= symbols(made, " T ")


def symbols(path: Path, kind: str) -> set[str]:
    listed = subprocess.run(["nm", "-D", str(path)], capture_output=True, text=True, check=True)
    lines = listed.stdout.splitlines()
    return {line.split()[-1].split("@")[0] for line in lines if kind in line}
