"""`cogen compile`, and `cogen run --backend c` on whole programs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from cogen.cli import main

PROGRAM = """\
(define (power x n)
  (if (= n 0) 1 (* x (power x (- n 1)))))
(display "λ")
(newline)
"""


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "power.scm"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


def run(path: Path, *words: str) -> tuple[int, str, str]:
    done = subprocess.run([path, *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_an_executable(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", "power.scm", "-o", "power"]) == 0
    assert capsys.readouterr() == ("", "")
    program = source.with_name("power")
    assert os.access(program, os.X_OK)
    assert run(program) == (0, "λ\n", "")
    assert run(program, "1") == (2, "", f"{program}: this program takes no arguments\n")


def test_an_executable_with_an_entry(source: Path) -> None:
    assert main(["compile", "power.scm", "--entry", "power", "-o", "power"]) == 0
    program = source.with_name("power")
    assert run(program, "2", "10") == (0, "λ\n1024\n", "")
    status, out, err = run(program, "a", "1")
    assert (status, out) == (1, "λ\n")
    assert err.startswith("power.scm:2:17: error: *: expected a number, got a\n")
    status, out, err = run(program, "2")
    assert err.startswith("power.scm:1:1: error: power: expected 2 arguments, got 1\n")
    assert run(program, "(", "2") == (2, "", "ARG 1: error: unclosed `(`\n")
    assert run(program, "1 2", "2")[0] == 2


def test_what_cannot_be_compiled_leaves_no_file(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compile", "power.scm", "--entry", "powr", "-o", "power"]) == 2
    assert "does not define `powr`" in capsys.readouterr().err
    source.write_text("(display y)", encoding="utf-8")
    assert main(["compile", "power.scm", "-o", "power"]) == 1
    assert not source.with_name("power").exists()
    assert main(["compile", "power.scm"]) == 2


def test_word_size(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source.write_text("(write (list (word-size) (load-word (bytevector 1 2 3) 1)))")
    for size, shown in (("8", "(8 2)"), ("16", "(16 3)")):
        assert main(["run", "power.scm", "--backend", "c", "--word-size", size]) == 0
        assert capsys.readouterr().out == shown


def test_arguments_that_are_too_long(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source.write_text("(define (f x) (string-length x))")
    word = '"' + "x" * 200_000 + '"'
    assert main(["run", "power.scm", "--backend", "c", "--entry", "f", word]) == 1
    assert "the compiled program does not start: " in capsys.readouterr().err


def test_a_long_message(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source.write_text("(display (make-string 300000 #\\a))(error (make-string 300000 #\\b))")
    assert main(["run", "power.scm", "--backend", "c"]) == 1
    done = capsys.readouterr()
    assert done.out == "a" * 300_000
    assert "error: " + "b" * 300_000 + "\n" in done.err


def test_a_whole_program_runs(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source.write_text("(display 1)\n(define (f . l) (apply values l))\n(display (car '()))")
    assert main(["run", "power.scm", "--backend", "c"]) == 1
    done = capsys.readouterr()
    assert done.out == "1"
    assert done.err.startswith("power.scm:3:10: error: car: expected a pair, got ()\n")
    source.write_text("(define (f . l) (apply values l))")
    assert main(["run", "power.scm", "--backend", "c", "--entry", "f", "1", "b"]) == 0
    assert capsys.readouterr().out == "1\nb\n"
