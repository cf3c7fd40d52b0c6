"""The world outside of a program: files, standard input and output, the process, in every way of
running."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import cogen
from cogen.cli import main

BACKENDS = ("interp", "python", "c")


@dataclass
class Done:
    """What a program did."""

    status: int
    out: str
    err: str


class Shell:
    """Runs programs in a directory of their own."""

    def __init__(self, capfd: pytest.CaptureFixture[str]) -> None:
        self.capfd = capfd

    def __call__(self, text: str, backend: str, *arguments: str) -> Done:
        Path("p.scm").write_text(text, encoding="utf-8")
        self.capfd.readouterr()
        try:
            status = main(["run", "p.scm", "--backend", backend, *arguments])
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else -1
        sys.stdout.flush()
        captured = self.capfd.readouterr()
        return Done(status, captured.out, captured.err)


@pytest.fixture
def shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(capfd)


def fed(text: str, backend: str, given: str) -> str:
    """The output of a program with that as standard input."""
    Path("p.scm").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "cogen", "run", "p.scm", "--backend", backend],
        input=given.encode(),
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONUTF8": "1"},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    name = request.param
    assert isinstance(name, str)
    return name


@pytest.mark.usefixtures("shell")
def test_standard_input(backend: str) -> None:
    text = """
      (write (read-char)) (write (peek-char)) (write (read-line)) (write (char-ready?))
      (write (read)) (write (read-string 4)) (write (read)) (write (read-line))
      (write (read-line)) (write (read)) (write (read-char)) (write (read-line))
      (write (read-string 0)) (write (read-string 2))"""
    given = 'ab\n(1 . #(2\n"ä"))xyz\n€ 7 \nlast'
    expected = '#\\a#\\b"b"#t(1 . #(2 "ä"))"xyz\\n"€" 7 ""last"#<eof>#<eof>#<eof>""#<eof>'
    assert fed(text, backend, given) == expected


@pytest.mark.usefixtures("shell")
def test_a_datum_of_many_lines(backend: str) -> None:
    given = "(" + "\n".join(str(i) for i in range(20_000)) + "\n) rest"
    text = "(write (apply + (read))) (write (read)) (write (read))"
    assert fed(text, backend, given) == f"{sum(range(20_000))}rest#<eof>"


def test_files_of_characters(shell: Shell, backend: str) -> None:
    text = """
      (call-with-output-file "made" (lambda (p)
        (write '(a "ü") p) (newline p) (display "and more" p) (write-char #\\λ p)
        (flush-output-port p) (write (file-exists? "made"))))
      (define p (open-input-file "made"))
      (write (list (input-port? p) (output-port? p) (textual-port? p) (binary-port? p)))
      (write (read p)) (write (read-line p)) (write (read-line p)) (write (read-line p))
      (close-port p) (write (input-port-open? p))
      (with-output-to-file "other" (lambda () (display 1) (write "x") 7))
      (write (with-input-from-file "other" (lambda () (list (read) (read-char) (read-line)))))
      (delete-file "made") (write (file-exists? "made"))"""
    done = shell(text, backend)
    assert done.err == ""
    assert done.out == '#t(#t #f #t #f)(a "ü")"""and moreλ"#<eof>#f(1 #\\" "x\\"")#f'
    assert Path("other").read_text() == '1"x"'


def test_files_of_bytes(shell: Shell, backend: str) -> None:
    text = """
      (define (numbers n)
        (do ((i 0 (+ i 1))) ((= i n)) (write-u8 (modulo i 256))))
      (define out (open-binary-output-file "made"))
      (write-bytevector #u8(9 8 7 6) out 1 3) (write-u8 255 out)
      (write (binary-port? out))
      (parameterize ((current-output-port out)) (numbers 100000))
      (close-port out)
      (define in (open-binary-input-file "made"))
      (write (list (u8-ready? in) (peek-u8 in) (read-u8 in) (read-bytevector 3 in)))
      (define b (make-bytevector 4 1))
      (write (list (read-bytevector! b in 1 3) b (read-bytevector! b in 2)  b))
      (define rest (read-bytevector 1000000 in))
      (write (list (bytevector-length rest) (bytevector-u8-ref rest 99994)))
      (write (list (read-u8 in) (peek-u8 in) (read-bytevector 1 in) (read-bytevector! b in)))
      (write in) (write out)"""
    done = shell(text, backend)
    assert done.err == ""
    assert done.out == (
        "#t(#t 8 8 #u8(7 255 0))(2 #u8(1 1 3 4) 2 #u8(1 1 3 4))"
        "(99995 159)(#<eof> #<eof> #<eof> #<eof>)#<binary input port>#<binary output port>"
    )


def test_ports_of_bytevectors(shell: Shell, backend: str) -> None:
    text = """
      (define out (open-output-bytevector))
      (write-u8 1 out) (write-bytevector #u8(2 3) out)
      (write (get-output-bytevector out)) (write-u8 4 out) (write (get-output-bytevector out))
      (define source (bytevector 5 6 7))
      (define in (open-input-bytevector source))
      (bytevector-u8-set! source 0 99)
      (write (list (read-u8 in) (read-bytevector 9 in) (read-u8 in)))
      (write (call-with-output-string (lambda (p) (write 'a p))))
      (write (with-output-to-string (lambda () (display "b"))))
      (write (with-input-from-string "c d" (lambda () (list (read) (read)))))"""
    done = shell(text, backend)
    assert (done.out, done.err) == (
        '#u8(1 2 3)#u8(1 2 3 4)(5 #u8(6 7) #<eof>)"a""b"(c d)', ""
    )  # fmt: skip


FAILURES = {
    '(open-input-file "no/such")': (
        "open-input-file: cannot open no/such: No such file or directory"
    ),
    '(open-output-file "no/such")': (
        "open-output-file: cannot open no/such: No such file or directory"
    ),
    '(open-binary-input-file ".")': "open-binary-input-file: cannot open .: Is a directory",
    '(delete-file "none")': "delete-file: cannot delete none: No such file or directory",
    '(read-line (open-input-file "latin"))': "read-line: the file is not UTF-8 text",
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("text", FAILURES)
def test_files_that_fail(shell: Shell, backend: str, text: str) -> None:
    Path("latin").write_bytes(b"\xe4\n")
    told = f"(write (guard (e ((file-error? e) (error-object-message e))) {text}))"
    done = shell(told, backend)
    assert done.out == f'"{FAILURES[text]}"'
    done = shell(text, backend)
    assert done.status == 1
    assert done.err.startswith("p.scm:1:1: error: ") or "latin" in text
    assert FAILURES[text] in done.err


WRONG = {
    '(read-u8 (open-input-string "a"))': "read-u8: expected a binary input port, got",
    "(read-char (open-input-bytevector #u8(1)))": "read-char: expected a textual input port, got",
    "(write-u8 1)": "write-u8: expected a binary output port, got",
    "(write 1 (open-output-bytevector))": "write: expected a textual output port, got",
    "(read-char 5)": "read-char: expected an input port, got 5",
    "(write-u8 256 (open-output-bytevector))": "write-u8: 256 is no byte (0 to 255)",
    "(let ((p (open-input-bytevector #u8(1)))) (close-port p) (read-u8 p))": (
        "read-u8: the port is closed"
    ),
    "(parameterize ((current-output-port 1)) 2)": (
        "current-output-port: expected an output port, got 1"
    ),
    '(read (open-input-string "(1"))': "read: ",
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("text", WRONG)
def test_wrong_uses_of_ports(shell: Shell, backend: str, text: str) -> None:
    done = shell(text, backend)
    assert (done.status, done.out) == (1, "")
    assert WRONG[text] in done.err


def test_errors_can_be_told_apart(shell: Shell, backend: str) -> None:
    text = """
      (define (sort-of thunk)
        (guard (e ((file-error? e) 'file) ((read-error? e) 'read) ((error-object? e) 'other))
          (thunk)))
      (write (map sort-of (list
        (lambda () (open-input-file "none"))
        (lambda () (read (open-input-string ")")))
        (lambda () (car 1))
        (lambda () (error "x")))))
      (write (map file-error? '(1 #f)))"""
    done = shell(text, backend)
    assert (done.out, done.err) == ("(file read other other)(#f #f)", "")


def test_ports_are_parameters(shell: Shell, backend: str) -> None:
    text = """
      (define p (open-output-string))
      (define k #f)
      (parameterize ((current-output-port p) (current-error-port p))
        (display "in") (display "too" (current-error-port)))
      (display "out")
      (guard (e (#t (display e)))
        (parameterize ((current-output-port p)) (display "!") (raise 'left)))
      (display (get-output-string p))
      (display "to people" (current-error-port))"""
    done = shell(text, backend)
    assert (done.status, done.out, done.err) == (0, "outleftintoo!", "to people")


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("code", "status"), [("", 0), ("#t", 0), ("#f", 1), ("7", 7), ("256", 0), ("-1", 255)]
)
def test_exit(shell: Shell, backend: str, code: str, status: int) -> None:
    text = f"""
      (define (f) (guard (e (#t (display "caught"))) (exit {code})))
      (dynamic-wind (lambda () (display "in")) f (lambda () (display "out")))
      (display "never")"""
    done = shell(text, backend)
    assert (done.status, done.out) == (status, "inout")


def test_the_process(shell: Shell, backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COGEN_TEST_VARIABLE", "wert ä")
    text = """
      (write (command-line))
      (write (get-environment-variable "COGEN_TEST_VARIABLE"))
      (write (get-environment-variable "COGEN_NO_VARIABLE"))
      (write (assoc "COGEN_TEST_VARIABLE" (get-environment-variables)))
      (define start (current-jiffy))
      (write (and (<= start (current-jiffy)) (> (current-second) 1.5e9) (jiffies-per-second)))
      (write (memq 'r7rs (features)))"""
    done = shell(text, backend, "a", "b c")
    assert done.err == ""
    assert done.out == (
        '("p.scm" "a" "b c")"wert ä"#f("COGEN_TEST_VARIABLE" . "wert ä")1000000000'
        "(r7rs exact-closed ieee-float full-unicode cogen)"
    )


def test_words_for_a_program_that_does_not_ask_for_them(shell: Shell) -> None:
    done = shell("(define (f x) x)", "interp", "5")
    assert (done.status, done.out) == (2, "")
    assert "ARGs are for a procedure: name it with --entry" in done.err


def test_residual_programs_keep_the_order_of_effects(tmp_path: Path) -> None:
    text = """
      (define (copy from to n)
        (let loop ((i 0))
          (let ((line (if (< i n) (read-line from) (eof-object))))
            (if (eof-object? line)
                i
                (begin (write-string line to) (newline to) (loop (+ i 1)))))))
      (define (head from to n)
        (call-with-input-file from
          (lambda (in) (call-with-output-file to (lambda (out) (copy in out n))))))"""
    (tmp_path / "in").write_text("a\nb\nc\n")
    source, target = str(tmp_path / "in"), tmp_path / "out"
    residual = cogen.specialize(
        cogen.loads(text), "head", cogen.dynamic(), cogen.dynamic(), cogen.static(2)
    )
    assert len(re.findall(r"\(read-line", residual.scheme)) == 2
    for run in (residual.to_python(), residual.compile()):
        assert run(source, str(target)) == 2
        assert target.read_text() == "a\nb\n"


def test_exit_of_residual_programs() -> None:
    residual = cogen.specialize(
        cogen.loads("(define (f x) (if (> x 3) (exit x) x))"), "f", cogen.dynamic("int")
    )
    for run in (residual.to_python(), residual.compile()):
        assert run(3) == 3
        with pytest.raises(SystemExit) as ended:
            run(5)
        assert ended.value.code == 5
        assert run(2) == 2
