"""Programs as one C file: `cc FILE.c -lm` makes what the interpreter does of them."""

from __future__ import annotations

import itertools
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cogen
from cogen import binding_times as bt
from cogen.backends.native.compile import c_text
from cogen.backends.native.load import ProgramLibrary
from cogen.backends.native.single import single_file
from cogen.backends.objectcode.toolchain import find_compiler
from cogen.cli import main
from cogen.lang.datum import Datum
from cogen.lang.errors import CogenError
from cogen.lang.printer import write_datum
from cogen.lang.reader import read_datum
from tests.cogen.nativecode.running import STRESS, Run, interpreted
from tests.everyday import is_long
from tests.randomprograms import RandomProgram, programs

PROGRAMS = Path(__file__).parents[2] / "programs" / "native"
NUMBERS = itertools.count()


def built(text: str, place: Path, *options: str) -> Path:
    """The executable of a C file, by a compiler that is told no more than the options."""
    source = place / f"program{next(NUMBERS)}.c"
    source.write_text(text, encoding="utf-8")
    made = source.with_suffix("")
    command = [*find_compiler().command, *options, str(source), "-lm", "-o", str(made)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return made


def quickly_built(text: str, place: Path, *options: str) -> Path:
    """The same of a text that asks for less of the compiler; as it is for users with --long, and
    every day in `test_a_residual_program_with_everything`."""
    if not is_long():
        assert OPTIMIZED in text
        text = text.replace(OPTIMIZED, 'optimize("O1", ')
    return built(text, place, *options)


OPTIMIZED = 'optimize("O2", '


def started(path: Path, arguments: Sequence[Datum], environment: dict[str, str]) -> Run:
    words = [str(path), *map(write_datum, arguments)]
    done = subprocess.run(words, capture_output=True, env=environment, timeout=300, check=False)
    return Run(done.stdout.decode(), done.stderr.decode(), done.returncode)


DEEP = """
(define (compose f g) (lambda (x) (f (g x))))
(define (count n) (if (= n 0) 0 (+ 1 (count (- n 1)))))
(define (spin n) (if (> n 0) (spin (- n 1)) 'spun))
(define (f x l)
  (write (spin (* x 100000)))
  (write (map (compose list (lambda (y) (+ x y))) l))
  (write (call/cc (lambda (k) (for-each (lambda (y) (if (> y 5) (k y))) l) 'none)))
  (write (guard (e ((string? e) (string-append e "!")))
    (raise (number->string (count (* 20000 x))))))
  (sqrt (exact->inexact x)))
"""


def test_a_residual_program_with_everything(tmp_path: Path) -> None:
    """Tail calls, deep recursion, closures, control, strings: with the compiler's defaults."""
    program = cogen.loads(DEEP)
    residual = cogen.specialize(program, "f", cogen.dynamic("int"), cogen.dynamic())
    path = built(residual.c, tmp_path)
    arguments = [4, read_datum("(1 6 7)")]
    done = started(path, arguments, {})
    assert done == Run('spun((5) (10) (11))6"80000!"\n2.0\n', "", 0)
    assert done == interpreted(residual.program.program, "f", arguments)
    less = [1, arguments[1]]
    assert started(path, less, STRESS) == started(path, less, {})


def test_the_command_writes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "(define (pairs n l)\n  (if (= n 0) l (pairs (- n 1) (cons n (cdr l)))))"
    Path("p.scm").write_text(text, encoding="utf-8")
    assert (
        main(["specialize", "p.scm", "--entry", "pairs", "_", "_", "--emit", "c", "-o", "p.c"]) == 0
    )
    path = quickly_built(
        Path("p.c").read_text(encoding="utf-8"), tmp_path, "-O1", "-foptimize-sibling-calls"
    )
    assert started(path, [2, read_datum("(0 5)")], {}) == Run("(1 5)\n", "", 0)
    failed = started(path, [2, 7], {})
    assert failed.status == 1
    assert failed.err.startswith("p.scm:2:40: error: cdr: expected a pair, got 7\n")
    assert main(["generate", "p.scm", "--entry", "pairs", "(static)", "_", "-o", "p.py"]) == 0
    assert main(["compile-with", "p.py", "(static 3)", "_", "--emit", "c", "-o", "three.c"]) == 0
    known = ["specialize", "p.scm", "--entry", "pairs", "(static 3)", "_", "--emit", "c"]
    assert main([*known, "-o", "same.c"]) == 0
    assert Path("three.c").read_text(encoding="utf-8") == Path("same.c").read_text("utf-8")


def test_it_is_a_library_too(tmp_path: Path) -> None:
    residual = cogen.specialize(cogen.loads("(define (f x) (list x x))"), "f", cogen.dynamic())
    made = quickly_built(residual.c, tmp_path, "-DCOGEN_LIBRARY", "-fPIC", "-shared")
    library = ProgramLibrary(made)
    instance = library.new()
    assert library.call(instance, b"(5)") == b"v((5 5))"
    library.free(instance)


@settings(
    max_examples=max(2, settings.default.max_examples // 20 if settings.default else 2),
    suppress_health_check=list(HealthCheck),
)
@given(programs(size=40), st.data())
def test_every_residual_program_has_c(
    tmp_path_factory: pytest.TempPathFactory, program: RandomProgram, data: st.DataObject
) -> None:
    """The C of a residual program compiles; where it is a command, it does what the residual
    program does by the interpreter."""
    arguments = program.arguments[0]
    known = data.draw(st.lists(st.booleans(), min_size=len(arguments), max_size=len(arguments)))
    bts = [
        bt.Static(value) if is_known else bt.Dynamic()
        for value, is_known in zip(arguments, known, strict=True)
    ]
    try:
        loaded = cogen.loads(program.text)
        residual = cogen.specialize(loaded, program.entry, *bts)
    except CogenError:
        return  # a mistake that is found when the program is loaded or specialised
    place = tmp_path_factory.getbasetemp()
    text = residual.c
    if "int main(" not in text:
        built(text, place, "-c", "-std=c11")
        return
    dynamic = [value for value, is_known in zip(arguments, known, strict=True) if not is_known]
    path = quickly_built(text, place)
    assert started(path, dynamic, {}) == interpreted(
        residual.program.program, program.entry, dynamic
    )
    path.unlink()


SANITIZERS = (
    "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
)  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("path", sorted(PROGRAMS.glob("*.scm")), ids=lambda path: path.stem)
def test_sanitizers_find_nothing(path: Path, tmp_path: Path) -> None:
    """Compiling with the sanitizers takes half a minute (`make sanitize` does more with them)."""
    program = cogen.loads(path.read_text(encoding="utf-8"), path.name)
    made = quickly_built(single_file(c_text(program).text), tmp_path, *SANITIZERS)
    quiet = {"ASAN_OPTIONS": "detect_leaks=0"}
    expected = interpreted(program)
    for environment in (quiet, quiet | STRESS):
        assert started(made, [], environment) == expected
