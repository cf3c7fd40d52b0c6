"""The Python target: the same values, output, errors and places as the interpreter's."""

from __future__ import annotations

import io

import pytest
from hypothesis import given

from cogen.backends.python.pyprogram import PythonProgram, python_text
from cogen.backends.python.python import emit, load
from cogen.lang import il
from cogen.lang.datum import Datum, Pair
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from cogen.residual import ResidualParameter, ResidualProgram
from tests.randomprograms import Outcome, RandomProgram, outcome, outcome_of, programs

pytestmark = pytest.mark.quick

PLAIN = """
(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(define (count n) (if (= n 0) 0 (+ 1 (count (- n 1)))))
(define (even n) (if (= n 0) #t (odd (- n 1))))
(define (odd n) (if (= n 0) #f (even (- n 1))))
(define (parity n) (if (even n) 'even 'odd))
(define (total n)
  (let loop ((i 0) (sum 0))
    (if (< i n)
        (loop (+ i 1) (let inner ((j 0) (sum sum)) (if (< j i) (inner (+ j 1) (+ sum j)) sum)))
        sum)))
(define (pairs n)
  (let outer ((i 0))
    (if (< i n)
        (let inner ((j 0))
          (if (< j n) (begin (write (+ (* 10 i) j)) (inner (+ j 1))) (outer (+ i 1))))
        'done)))
(define (bad x y) (+ (* x 2) (car y)))
(define (both a b)
  (if (and (> a 0) (or (> b 0) (= a 3))) (begin (write a) (quotient a b)) (error "no:" a)))
(define (swap x) (set! x (cons (cdr x) (car x))) x)
(define (first-or a b) (or (and a (car a)) b))
"""


def results(program: il.Program, name: str, arguments: tuple[Datum, ...]) -> Outcome:
    stream = io.StringIO()
    python = PythonProgram(program, output=stream)

    def run() -> Datum:
        python.run()
        return python.call(name, arguments)

    return outcome(stream, run)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("fib", (15,)),
        ("parity", (1001,)),
        ("total", (30,)),
        ("pairs", (4,)),
        ("bad", (1, Pair(2, 3))),
        ("bad", (1 << 62, Pair(2, 3))),
        ("bad", (1, 2)),
        ("both", (0, 0)),
        ("both", (3, 0)),
        ("both", (7, 2)),
        ("swap", (Pair(1, 2),)),
        ("first-or", (False, 2)),
        ("first-or", (Pair(1, 2), 2)),
    ],
)
def test_plain_functions_agree_with_the_interpreter(
    name: str, arguments: tuple[Datum, ...]
) -> None:
    program = loads(PLAIN)
    assert python_text(program) is not None
    assert results(program, name, arguments) == outcome_of(program, name, arguments)


@given(programs(control=False, procedures=False, assignment=False))
def test_first_order_programs_agree(program: RandomProgram) -> None:
    agree(program)


@given(programs())
def test_any_programs_agree(program: RandomProgram) -> None:
    agree(program)


def agree(program: RandomProgram) -> None:
    converted = loads(program.text)
    for arguments in program.arguments:
        expected = outcome_of(converted, program.entry, arguments)
        assert results(converted, program.entry, arguments) == expected


def test_deep_recursion_needs_no_stack() -> None:
    python = PythonProgram(loads(PLAIN))
    assert python.call("count", [200_000]) == 200_000


def test_tail_calls_between_procedures_need_no_stack() -> None:
    python = PythonProgram(loads(PLAIN))
    assert python.call("even", [100_001]) is False


@pytest.mark.parametrize(
    ("arguments", "column", "text"),
    [((1, 2), 30, "car: expected a pair"), ((1 << 62, 2), 22, "does not fit in 64 bits")],
)
def test_errors_have_the_place_of_the_operation(
    arguments: tuple[Datum, ...], column: int, text: str
) -> None:
    program = loads("(define (bad x y) (+ (* x 2) (car y)))", "bad.scm")
    with pytest.raises(CogenError, match=text) as caught:
        PythonProgram(program).call("bad", arguments)
    span = caught.value.span
    assert span is not None
    assert (span.source.name, span.line, span.column) == ("bad.scm", 1, column)


@pytest.mark.parametrize(
    ("body", "column", "text"),
    [
        ("(let ((f car)) (f 1 2))", 31, "car: expected 1 argument, got 2"),
        ("(length 5)", 16, "length: expected a list, got 5"),
        ("(+ 1 (list-ref (list 1 2) 7))", 21, "list-ref: expected a pair, got ()"),
        ("(assq 1 5)", 16, "assq: expected a list, got 5"),
        ("(begin (reverse 5) 1)", 23, "reverse: expected a list, got 5"),
    ],
)
def test_errors_of_the_language_itself_are_those_of_the_interpreter(
    body: str, column: int, text: str
) -> None:
    program = loads(f"(define (main) {body})", "bad.scm")
    for run in (PythonProgram(program), Interpreter(program)):
        run.run()
        with pytest.raises(CogenError) as caught:
            run.call("main", [])
        assert caught.value.message == text
        assert str(caught.value.span) == f"bad.scm:1:{column}"


def test_a_primitive_that_folds_takes_any_number_of_arguments_as_a_value() -> None:
    program = loads("(define (main) (let ((f +)) (f 1 2 3)))")
    python = PythonProgram(program)
    python.run()
    assert python.call("main", []) == 6


def test_wrong_number_of_arguments() -> None:
    with pytest.raises(CogenError, match="fib: expected 1 argument, got 2"):
        PythonProgram(loads(PLAIN)).call("fib", [1, 2])


def test_module_reads_well() -> None:
    text = emit(loads("(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))", "fib.scm"))
    assert text.endswith(
        "# from fib.scm:1\n"
        "def fib(n):\n"
        "    if less(n, 2):\n"
        "        return n\n"
        "    return add(fib(subtract(n, 1)), fib(subtract(n, 2)))\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        "(define (fib n) ((lambda (f) (f f n)) (lambda (f n) (if (< n 2) n "
        "(+ (f f (- n 1)) (f f (- n 2)))))))\n(display \"a\\\\b'''\\\"\")",
    ],
)
def test_module_runs(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    namespace: dict[str, object] = {}
    exec(emit(loads(text)), namespace)
    fib = namespace["fib"]
    assert callable(fib)
    assert fib(10) == 55
    assert capsys.readouterr().out == ("" if text is PLAIN else "a\\b'''\"")


def residual(text: str, *parameters: ResidualParameter) -> ResidualProgram:
    return ResidualProgram(loads(text), "f", parameters)


def test_load_takes_and_gives_python_values() -> None:
    function = load(
        residual(
            "(define (f x y) (cons y (cdr x)))", ResidualParameter("x"), ResidualParameter("y")
        )
    )
    assert function([1, 2], (3,)) == [(3,), 2]
    assert function.__name__ == "f"
    assert "def f(x, y):" in function.source


@pytest.mark.parametrize(
    ("parameter", "argument", "message"),
    [
        (ResidualParameter("x", "int"), 1.5, "f: the argument for x must be an int, not a float"),
        (ResidualParameter("x", "int"), True, "f: the argument for x must be an int, not a bool"),
        (ResidualParameter("x", "bool"), 1, "f: the argument for x must be a bool, not an int"),
        (ResidualParameter("x", "float"), "a", "f: the argument for x must be a float, not a str"),
        (ResidualParameter("x", "memory"), 1, "f: the argument for x must be a buffer, not an int"),
        (ResidualParameter("x", "int", (8, 3)), 4, "x is 4, which is not congruent to 3 modulo 8"),
    ],
)
def test_load_refuses_arguments(
    parameter: ResidualParameter, argument: object, message: str
) -> None:
    function = load(residual("(define (f x) x)", parameter))
    with pytest.raises(CogenError, match=message):
        function(argument)


def test_load_counts_arguments() -> None:
    function = load(residual("(define (f x) x)", ResidualParameter("x")))
    with pytest.raises(CogenError, match=r"f: expected 1 argument \(x\), got 0"):
        function()


def test_buffers_are_used_in_place() -> None:
    text = "(define (f m i v) (store-word! m i v) (load-word m 0))"
    program = ResidualProgram(
        loads(text),
        "f",
        (ResidualParameter("m", "memory"), ResidualParameter("i"), ResidualParameter("v")),
        16,
    )
    buffer = bytearray(4)
    assert load(program)(buffer, 0, 0x1234) == 0x1234
    assert bytes(buffer) == b"\x34\x12\0\0"
