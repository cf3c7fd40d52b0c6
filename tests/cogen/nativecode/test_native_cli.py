"""`cogen compile`, and `cogen run --backend c` on whole programs."""

from __future__ import annotations

import io
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


def run(path: Path, *words: str, given: bytes = b"") -> tuple[int, str, str]:
    done = subprocess.run([path, *words], input=given, capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


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
    assert run(program, "(", "2") == (2, "", "ARG 1:1:1: error: unclosed `(`\n")
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


def test_long_arguments(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A word may be longer than the system lets a process be given."""
    source.write_text("(define (f x y) (list (string-length x) y))")
    word = '"' + "λ" * 200_000 + '"'
    assert main(["run", "power.scm", "--backend", "c", "--entry", "f", word, "2"]) == 0
    assert capsys.readouterr().out == "(200000 2)\n"


def test_too_many_arguments(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source.write_text("(define (f . l) (length l))")
    words = ['"' + "x" * 300 + '"'] * 30_000
    assert main(["run", "power.scm", "--backend", "c", "--entry", "f", *words]) == 1
    assert "the compiled program does not start: " in capsys.readouterr().err


@pytest.fixture
def identity(source: Path) -> Path:
    """The executable of a program that gives its argument; `power.scm` is its text."""
    source.write_text("(define (same x) x)")
    assert main(["compile", "power.scm", "--entry", "same", "-o", "same"]) == 0
    return source.with_name("same")


def by_the_interpreter(
    word: str, given: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str, str]:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given)))
    status = main(["run", "power.scm", "--entry", "same", word])
    done = capsys.readouterr()
    return status, done.out, done.err


GOOD_DATA = [
    b'(a\n b "c\nd")',
    b'\xef\xbb\xbf(a\r\n b "c\r\nd") ; behind\r\n',
    "#| λ |# λx #;(no more".encode() + b")",
    b"(" * 5000 + b"x" * 100_000 + b")" * 5000,
]

WRONG_DATA = [
    "(a\n  (b", "1 2", "\n'1 '2", "(1 . )", "a\\b", '(a\n "x\\q")', '"\\xg;"', '"\\xd800;"',
    "(1\n #;)", "", " ; nothing\n", ")", "1 ; x\n  1/2", '(\n"abc', "#|a", "(. 1)", "[1]",
    "(a . b . c)", "(a ')", "#!fold-case", "(#foo)", "1 2 (", "(λ λ\n λ 99999999999999999999)",
    "#\\foo", "(1 2abc)", "(a \x01)",
]  # fmt: skip


@pytest.mark.parametrize("data", GOOD_DATA, ids=range(len(GOOD_DATA)))
def test_arguments_in_files(
    identity: Path,
    data: bytes,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """@FILE and @- are the data in a file and on standard input, for `cogen run` too."""
    Path("data").write_bytes(data)
    done = by_the_interpreter("@data", b"", monkeypatch, capsys)
    assert (done[0], done[2]) == (0, "")
    assert run(identity, "@data") == run(identity, "@-", given=data) == done
    assert by_the_interpreter("@-", data, monkeypatch, capsys) == done


@pytest.mark.parametrize("data", WRONG_DATA)
def test_files_that_are_no_datum(
    identity: Path,
    data: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The place and the message are the interpreter's."""
    Path("data").write_text(data, encoding="utf-8")
    status, out, err = by_the_interpreter("@data", b"", monkeypatch, capsys)
    headline = err.partition("\n")[0] + "\n"
    assert (status, out) == (2, "")
    assert headline.startswith("data:")
    assert run(identity, "@data") == (2, "", headline)
    assert run(identity, "@-", given=data.encode()) == (2, "", "<stdin>" + headline[4:])


@pytest.mark.parametrize("word", ["@missing", "@.", "@", "@-", "@latin"])
def test_files_that_cannot_be_read(
    identity: Path, word: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("latin").write_bytes(b"(a \xe4)")
    status, out, err = by_the_interpreter(word, b"\xff", monkeypatch, capsys)
    assert (status, out) == (2, "")
    assert run(identity, word, given=b"\xff") == (2, "", err.partition("\n")[0] + "\n")


def test_symbols_that_begin_with_an_at_sign_stand_between_bars(
    identity: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(identity, "|@x|") == (0, "|@x|\n", "")
    assert main(["run", "power.scm", "--backend", "c", "--entry", "same", "|@x|"]) == 0
    assert capsys.readouterr().out == "|@x|\n"
    assert main(["run", "power.scm", "--entry", "same", "@x"]) == 2
    assert "the symbol is written |@x|" in capsys.readouterr().err


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
