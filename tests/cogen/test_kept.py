"""Programs and residual programs that are kept from one process to the next."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import cogen
from cogen import kept_programs
from cogen.array.programs.targettext import source_text
from cogen.lang.datum import NIL

native = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
)

CHILD = """
import json, sys
import cogen
program = cogen.load("main.scm")
residual = cogen.specialize(program, "f", cogen.dynamic("int"), cogen.static(7))
what = {"scheme": residual.scheme if "map" in sys.argv else None}
if "compile" in sys.argv:
    f = residual.compile()
    what["value"] = f(2)
    try:
        f("x")
    except cogen.CogenError as error:
        what["error"] = str(error.message)
what["modules"] = [m for m in sys.modules if m.startswith(("cogen.", "cffi", "pycparser"))]
what["map"] = len(residual.source_map()["regions"]) if "map" in sys.argv else None
print(json.dumps(what))
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a program that imports a library of its own; everything is worth keeping."""
    monkeypatch.setenv("COGEN_KEEP", "1")
    (tmp_path / "store").mkdir(mode=0o700)
    monkeypatch.setenv("COGEN_CACHE_DIR", str(tmp_path / "store"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(kept_programs, "WORTH", 0.0)
    Path("main.scm").write_text("(import (signals) (lib)) (define (f x n) (+ (power x n) more))")
    Path("lib.scm").write_text(
        "(define more 5) (define (power x n) (if (= n 0) 1 (* x (power x (- n 1)))))"
    )
    return tmp_path


def child(*words: str) -> dict[str, Any]:
    """What another process finds."""
    path = os.pathsep.join([str(Path(cogen.__file__).parents[1])])
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import cogen.kept_programs\ncogen.kept_programs.WORTH = 0.0\n{CHILD}",
            *words,
        ],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@native
def test_the_second_process_goes_straight_to_the_code(place: Path) -> None:
    first, second = child("compile"), child("compile")
    assert first["value"] == second["value"] == 2**7 + 5
    assert first["error"] == second["error"]
    assert {"cogen.specializer.specialize", "cogen.lang.expand", "cogen.backends.kernel.c"} <= {
        *first["modules"]
    }
    for module in second["modules"]:
        assert not module.startswith(
            ("cogen.specializer.execution", "cogen.lang.expand", "cffi", "pycparser")
        )
    assert "cogen.specializer.specialize" not in second["modules"]
    assert "cogen.backends.kernel.c" not in second["modules"]


def test_texts_and_maps_are_the_same(place: Path) -> None:
    first, second = child("map"), child("map")
    assert first["scheme"] == second["scheme"]
    assert first["map"] == second["map"] > 0


def test_a_changed_library_is_noticed(place: Path) -> None:
    assert cogen.load("main.scm").digest == cogen.load("main.scm").digest != ""
    before = cogen.load("main.scm")
    Path("lib.scm").write_text("(define more 6) (define (power x n) 1)")
    after = cogen.load("main.scm")
    assert before.digest != after.digest
    bts = cogen.dynamic("int"), cogen.static(7)
    assert cogen.specialize(before, "f", *bts).to_python()(2) == 2**7 + 5
    assert cogen.specialize(after, "f", *bts).to_python()(2) == 7
    Path("lib.scm").unlink()
    with pytest.raises(cogen.CogenError, match="there is no library"):
        cogen.load("main.scm")


def test_a_library_that_appears_beside_the_program_is_noticed(place: Path) -> None:
    """It is looked for there before it is found among the installed ones."""
    Path("main.scm").write_text("(import (signals)) (define (f x) (signal? x))")
    cogen.load("main.scm")
    Path("signals.scm").write_text("(define (signal? x) 12)")
    program = cogen.load("main.scm")
    assert cogen.specialize(program, "f", cogen.static(1)).to_python()() == 12


def test_values_that_are_only_themselves_stay_so(place: Path) -> None:
    text = '(define l \'(1 #\\a "s" sym)) (define (f x) (if (null? x) l (list x)))'
    for _ in range(2):
        program = cogen.loads(text)
        f = cogen.specialize(program, "f", cogen.dynamic()).to_python()
        assert f([]) == cogen.convert.from_datum(cogen.convert.to_datum([1, *f([])[1:]]))
        assert f([])[3] == cogen.symbol("sym")
    found = kept_programs._get("program", "none of this name")
    assert found is None
    kept_programs._put("program", "nil", content=NIL)
    assert kept_programs._get("program", "nil") is NIL


def test_what_is_different_is_kept_apart(place: Path) -> None:
    program = cogen.load("main.scm")
    seven = cogen.specialize(program, "f", cogen.dynamic("int"), cogen.static(7))
    eight = cogen.specialize(program, "f", cogen.dynamic("int"), cogen.static(8))
    assert seven.scheme != eight.scheme
    again = cogen.specialize(program, "f", cogen.dynamic("int"), cogen.static(7))
    assert again.scheme == seven.scheme
    assert again.warnings.messages == seven.warnings.messages
    checked = cogen.specialize(program, "f", cogen.dynamic("int"), cogen.static(7), checked=True)
    assert checked.program.checked


def test_warnings_are_kept(place: Path) -> None:
    text = "(import (signals)) (define (f x) x) (display 1)"
    for _ in range(2):
        residual = cogen.specialize(cogen.loads(text), "f", cogen.dynamic())
        assert len(residual.warnings.messages) == 1


def test_errors_are_not_kept(place: Path) -> None:
    for _ in range(2):
        with pytest.raises(cogen.CogenError, match="oops"):
            cogen.loads("(import (signals)) (define (f x) (oops x))")


def test_nothing_is_kept_if_that_is_said(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COGEN_KEEP", "0")
    assert cogen.load("main.scm").digest == ""
    assert not list((place / "store").glob("*.program"))


def test_deep_programs_are_not_kept(place: Path) -> None:
    text = "(define (f x) " + "(+ 1 " * 5000 + "x" + ")" * 5000 + ")"
    assert cogen.loads(text).items


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    "asks",
    [
        '(call-with-input-file "data" read)',
        '(string->number (get-environment-variable "COGEN_TEST_DATA"))',
        '(let ((read-it read)) (with-input-from-file "data" (lambda () (read-it))))',
    ],
)
def test_what_the_top_level_asked_for_is_asked_again(
    asks: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("asks.scm").write_text(f"(define data {asks}) (define (f x) (+ x data))")
    for data in (5, 6):
        Path("data").write_text(f"{data}\n")
        monkeypatch.setenv("COGEN_TEST_DATA", str(data))
        program = cogen.load("asks.scm")
        assert program.digest == ""
        residual = cogen.specialize(program, "f", cogen.dynamic("int"))
        assert residual.scheme.endswith(f"(define (f x) (+ x {data}))\n")


ARRAY = """fun int pick([int] a, int i) =
  a[i]
fun real main([real] a) = reduce(op +, 0.0, a) / toReal(size(a))
"""


def told_of_array_program() -> tuple[str, str, float, str, str]:
    """What it is kept by, its text, a result, an error, its C."""
    program = cogen.array.loads(ARRAY)
    with pytest.raises(cogen.CogenError) as caught:
        program.run([1, 2], 5, entry="pick")
    c = source_text(program, "c")
    return program.digest, program.text, program.run([1.0, 4.0]), str(caught.value), c


@pytest.mark.usefixtures("place")
def test_array_programs_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found again computes, fails and prints as it did; mistakes are found each time."""
    first = told_of_array_program()
    assert first[0] != ""
    assert first[2] == 2.5
    assert ":2:3: error:" in first[3]
    with monkeypatch.context() as without:
        without.setattr("cogen.array.l0.parse.parse", None)
        without.setattr("cogen.array.programs.targettext._source_text", int)
        assert told_of_array_program() == first
    for _ in range(2):
        with pytest.raises(cogen.CogenError, match="nothing"):
            cogen.array.loads("fun int main() = nothing")


@pytest.mark.usefixtures("place")
def test_array_programs_are_kept_with_the_files_that_they_import() -> None:
    Path("main.l0").write_text('import "other.l0"\nfun [int] main([int] a) = map(times, a)\n')
    digests = set()
    for factor in (2, 7):
        Path("other.l0").write_text(f"fun int times(int x) = x * {factor}\n")
        for _ in range(2):
            program = cogen.array.load("main.l0")
            assert program.run([1, 2]).tolist() == [factor, 2 * factor]
            digests.add(program.digest)
    assert len(digests) == 2


STAGED = """
import sys
import numpy as np
import cogen

@cogen.stage
def distance(a, b, scale: cogen.static):
    d = (a - b) * scale
    return np.sqrt(np.sum(d * d)) WHAT

print(distance(np.array([3.0, 0.0]), np.array([0.0, 4.0]), float(sys.argv[1])))
print("cogen.array.c.cprogram" in sys.modules)
"""


@native
@pytest.mark.slow
def test_staged_functions_are_compiled_once(place: Path) -> None:
    """A process that stages what another one has staged does not import the compiler of arrays."""

    def ran(scale: str, what: str = "") -> list[str]:
        Path("distance.py").write_text(STAGED.replace("WHAT", what))
        path = str(Path(cogen.__file__).parents[1])
        done = subprocess.run(
            [sys.executable, "distance.py", scale], env={**os.environ, "PYTHONPATH": path},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout.split()

    assert ran("2.0") == ["10.0", "True"]
    assert ran("2.0") == ["10.0", "False"]
    assert ran("3.0") == ["15.0", "True"]
    assert ran("2.0", "+ 1.0") == ["11.0", "True"]
    assert ran("2.0") == ["10.0", "False"]
