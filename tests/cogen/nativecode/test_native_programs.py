"""Native programs do what the interpreter does, byte for byte."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cogen.api import loads
from cogen.backends.native.build import executable
from cogen.backends.native.compile import compile_program
from cogen.backends.native.operations import operation_name
from cogen.backends.native.program import emit
from cogen.bench.schemes import PROGRAMS as BENCHMARKS
from cogen.bench.schemes import smaller
from cogen.lang import il
from cogen.lang.prims import CONTROL, PRIMITIVES
from tests.cogen.nativecode.running import Run, agree, interpreted

as_for_users = pytest.mark.usefixtures("full_optimisation")

PROGRAMS = Path(__file__).parents[2] / "programs" / "native"


@as_for_users
@pytest.mark.one_in(9)
@pytest.mark.parametrize("path", sorted(PROGRAMS.glob("*.scm")), ids=lambda path: path.stem)
def test_programs_in_files(path: Path) -> None:
    done = agree(path.read_text(encoding="utf-8"))
    assert (done.err, done.status) == ("", 0)
    assert done.out


SAID = {
    path.stem: said
    for path in sorted(BENCHMARKS.glob("*.scm"))
    if (said := smaller(path.read_text(encoding="utf-8"))) is not None
}
"""Benchmarks that say what a smaller run gives."""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", SAID)
def test_benchmarks_give_what_they_say(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text, gives = SAID[name]
    assert interpreted(loads(text, f"{name}.scm")) == Run(gives, "", 0)


@as_for_users
@pytest.mark.one_in(10)
@pytest.mark.parametrize("name", SAID)
def test_benchmarks_as_native_code(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text, gives = SAID[name]
    assert agree(text, stress=False) == Run(gives, "", 0)


OTHERS = [path for path in sorted(BENCHMARKS.glob("*.scm")) if path.stem not in SAID]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.stem)
def test_benchmarks(path: Path) -> None:
    """The benchmarks, with small arguments."""
    text = path.read_text(encoding="utf-8")
    for pattern, small in SMALLER.items():
        text = re.sub(pattern, small, text)
    assert agree(text).err == ""


SMALLER = {
    r"\(repeat \d+ ": "(repeat 1 ",
    r"\(fib \d\d\)": "(fib 12)",
    r"\(nqueens \d+\)": "(nqueens 5)",
    r"tak 18 12 6": "tak 8 5 2",
    r"\(ack 3 9\)": "(ack 2 3)",
    r"interval 2 10000": "interval 2 300",
    r"numbers 600 1": "numbers 20 1",
    r"maze 15 15": "maze 5 5",
    r"expression-text 9": "expression-text 4",
    r"mandelbrot 300 500": "mandelbrot 9 20",
    r"build 7 7": "build 3 3",
    r"orbit 2000000 0.001": "orbit 500 0.001",
}
"""What makes the benchmarks quick enough for the interpreter."""


def test_an_entry_takes_data() -> None:
    text = '(define (f x y) (list y x (string-append y "!")))'
    done = agree(text, "f", [[1, 2.5, bytearray(b"\1\2")], "λ"])
    assert done.out == '("λ" #(1 2.5 #u8(1 2)) "λ!")\n'
    assert agree("(define (f) (if #f #f))", "f").out == ""
    assert agree("(define (f) (write 0) 1)", "f").out == "0\n1\n"
    assert agree("(define (f) (write 0) (newline) (values 1 2))", "f").out == "0\n1\n2\n"


def test_every_primitive_has_an_operation() -> None:
    """As values, all of them are linked, the control primitives too."""
    names = [name for name in (*PRIMITIVES, *CONTROL) if not name.startswith("global-")]
    vector = il.Let("v", "vector", tuple(il.Prim(name) for name in names))
    block = il.Block((vector,), il.Jump("k", (il.Var("v"),)))
    assert executable(emit(il.Program((il.Expression("k", block),))).text).exists()
    assert len({operation_name(name) for name in PRIMITIVES}) == len(PRIMITIVES)


VALUES = """
(define chosen (list + < car cons vector-ref substring list number->string exact->inexact eq?))
(define (call k . arguments) (apply (list-ref chosen k) arguments))
(define (two k a b) (list ((list-ref chosen k) a b) (write k)))
(write (map (lambda (k) (two k 5 2)) '(0 1 3 6 7 9)))
(write (list (call 0) (call 0 1) (call 0 1 2 3) (call 1 1 2 3) (call 1 1 3 2) (call 8 1)))
(write (map (list-ref chosen 2) '((1 . 2) (3 . 4))))
(write (list (eq? (list-ref chosen 2) car) (eqv? car cdr) (procedure? car) car))
(write (vector-map < #(1 2) #(2 1)))
(write (guard (e (#t (condition/report-string e))) ((list-ref chosen 4) #(1 2) 'x)))
"""


def test_operations_are_values() -> None:
    text = VALUES.replace("condition/report-string", "error-object-message")
    assert agree(text).err == ""


@pytest.mark.parametrize(
    "call",
    ["(g 4 '#(1) 1)", "(+ 1 (g 4 '#(1) 1))", "(g 2 1)", "(g 3 1)", "(+ 1 (g 3 1 2 3))", "(g 1)"],
)
def test_errors_of_operations_that_are_values(call: str) -> None:
    text = VALUES[: VALUES.index("(define (two")]
    tail = "(apply (list-ref chosen k) arguments)"
    text = text.replace(tail, f"(car (list {tail}))")
    assert "error" in agree(f"{text}(define (g k . l) (car (list (apply call k l))))\n{call}").err
    text += "(define (g k a b)\n ((list-ref chosen k) a b))\n(define (h) (list (g 4 '#(1) 9)))\n(h)"
    assert "test.scm" in agree(text).err


EQUAL = """
(define (circle . l) (let ((last (list-tail l (- (length l) 1)))) (set-cdr! last l) l))
(define (deep n) (do ((i 0 (+ i 1)) (l '() (list l i))) ((= i n) l)))
(define (long n x) (do ((i 0 (+ i 1)) (l (list x) (cons "a" l))) ((= i n) l)))
(define (wide n x) (do ((i 0 (+ i 1)) (v (vector x) (vector v v))) ((= i n) v)))
(write (map equal?
  (list (circle 1 2) (circle 1 2) (deep 5000) (deep 5000) (long 9000 1) (long 9000 1)
        (wide 30 1) (wide 30 1))
  (list (circle 1 2 1 2) (circle 1 2 3) (deep 5000) (deep 5001) (long 9000 1) (long 9000 2)
        (wide 30 1) (wide 30 2))))
"""


def test_deep_long_shared_and_circular_data_are_compared() -> None:
    assert agree(EQUAL).out == "(#t #f #t #f #t #f #t #f)"


WRITTEN = """
(define data (list 0 -1 4611686018427387903 -4611686018427387904 9223372036854775807 "plain"
                   "\\a" "é" "λ" #\\a #\\é #\\x7f 'sym 1.5 (make-string 2 #\\z) "" '("x" #\\y 3)
                   (make-string 300 #\\q)))
(define (each out) (for-each (lambda (x) (write x out) (display x out) (newline out)) data))
(call-with-output-file "out.txt" each)
(each (current-output-port))
(define (lines in)
  (let loop ((l (read-line in)))
    (if (not (eof-object? l)) (begin (write l) (loop (read-line in))))))
(call-with-input-file "out.txt" lines)
(write (map string->number '("1e400" "12" "-0.5" "#xff" "1/2" "x" "")))
(write (string->number (string-append "1." (make-string 70 #\\0) "5")))
"""


def test_all_kinds_of_data_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = agree(WRITTEN)
    assert (done.err, done.status) == ("", 0)
    assert '"-1-1"' in done.out


def test_many_allocations_in_one_procedure() -> None:
    conses = "(list " + " ".join(f"(list {n} {n}.5)" for n in range(250)) + ")"
    agree(f"(define (f) {conses}) (write (apply + (map car (f))))")


def test_executables_are_kept() -> None:
    from cogen.api import loads

    program = loads("(display 12345)")
    first = compile_program(program)
    made = first.stat().st_mtime_ns
    assert compile_program(program) == first
    assert first.stat().st_mtime_ns == made
