"""Data that programs read or quote: labels, directives, numbers; interpreted and native."""

import math
from fractions import Fraction
from pathlib import Path

import pytest

import cogen
from cogen.lang import il
from cogen.lang.datum import Datum, symbol
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from tests.cogen.nativecode.running import agree


def run(program: il.Program, *arguments: Datum) -> Datum:
    """The value of its procedure f."""
    interpreter = Interpreter(program)
    interpreter.run()
    return interpreter.call("f", arguments)


READ = """
(define (show text)
  (guard (e ((read-error? e) (display (error-object-message e))))
    (write (read (open-input-string text))))
  (newline))
"""

TEXTS = {
    "#0=(a b . #0#)": "#0=(a b . #0#)",
    "(#0=(1 2) #0# #1=#(#1# #0#))": "((1 2) (1 2) #0=#(#0# (1 2)))",
    "(#0=5 #0# . #1=(#0# . #1#))": "(5 5 . #0=(5 . #0#))",
    "(#0=#1=(x #0# #1#))": "(#0=(x #0# #0#))",
    "'#0=(a '#0#)": "'#0=(a '#0#)",
    "#0=#0#": "read: `#0=` labels itself",
    "#0=#1=#0#": "read: `#0=` labels itself",
    "(#0=a #0=b)": "read: `#0=` labels two data",
    "(#1#)": "read: `#1#` refers to no datum",
    "#1#": "read: `#1#` refers to no datum",
    "(#;#0=a #0#)": "read: `#0#` refers to no datum",
    "(#0=)": "read: no datum after `#0=`",
    "#u8(#0=1 #0#)": "read: a bytevector holds integers from 0 to 255 only",
    "#!fold-case (ABC #\\\\SPACE |Foo| STRASSE #!no-fold-case XYZ)":
        "(abc #\\space Foo strasse XYZ)",
    "4/2": "2",
    "#i-1/4": "-0.25",
    "#x-a/5": "-2",
    "(1s2 1F2 1.5d1 1L-2 #e1l2 #xfd)": "(100.0 100.0 15.0 0.01 100 253)",
    "(2+0i -2.5-0i +0i 4/2-0i)": "(2 -2.5 0 2)",
    "2+1i": "read: `2+1i`: there are no rational or complex numbers",
    "2+0.0i": "read: `2+0.0i`: there are no rational or complex numbers",
    "1/2": "read: `1/2`: there are no rational or complex numbers",
    "-9223372036854775808/1": "-9223372036854775808",
    "9223372036854775808/1": "read: `9223372036854775808/1`: there are no rational or complex "
        "numbers",
}  # fmt: skip


def test_texts_that_are_read() -> None:
    calls = "".join(f'(show "{text}")' for text in TEXTS)
    done = agree(READ + calls)
    assert done.out.splitlines() == list(TEXTS.values())


def test_a_port_remembers_how_it_is_read() -> None:
    done = agree(
        '(define p (open-input-string "#!fold-case ABC (Def) #!no-fold-case Ghi"))'
        "(let loop ((x (read p))) (if (not (eof-object? x)) (begin (write x) (loop (read p)))))"
    )
    assert done.out == "abc(def)Ghi"


def test_quoted_data_may_contain_themselves() -> None:
    done = agree(
        "(define (f n) (list-ref '#0=(a b . #0#) n))"
        "(write (f 101)) (write '#0=(1 #0# \"x\")) (write '#0=#(#0#)) (write #0=#(2 #0#))"
        "(let ((x '(#0=(p) #0#))) (write (eq? (car x) (cadr x))))"
    )
    assert done.out == 'b#0=(1 #0# "x")#0=#(#0#)#0=#(2 #0#)#t'


def test_residual_programs_have_them() -> None:
    program = cogen.loads("(define (f n) (list-ref '#0=(a b . #0#) n))")
    residual = cogen.specialize(program, "f", cogen.dynamic("int"))
    again = cogen.loads(residual.scheme)
    ways = [residual.to_python(), residual.compile(), lambda n: run(again, n)]
    assert [way(7) for way in ways] == [symbol("b")] * 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(car #0=(1 2))", "datum labels stand in quoted data only"),
        ("(case 1 ((#0=(a . #0#)) 2))", "a datum that contains itself can only be quoted"),
        (
            "(define-syntax m (syntax-rules () ((_ (a b)) 'b))) (m (#0=x #0#))",
            "the datum of `#0#` is not within this one",
        ),
    ],
)
def test_labels_elsewhere(text: str, message: str) -> None:
    with pytest.raises(CogenError) as caught:
        cogen.loads(text)
    assert caught.value.message == message


def test_files_that_are_included_without_case(tmp_path: Path) -> None:
    (tmp_path / "part.scm").write_text("(DEFINE (Twice X) (* 2 x)) #!no-fold-case (define Y 3)")
    (tmp_path / "lib.scm").write_text(
        '(define-library (lib) (export twice Y) (import (scheme base)) (include-ci "part.scm"))'
    )
    main = tmp_path / "main.scm"
    main.write_text('(import (lib)) (define (f) (+ (twice Y) (begin (include-ci "e.scm"))))')
    (tmp_path / "e.scm").write_text("(TWICE 10)")
    assert run(cogen.load(main)) == 26


NUMBERS = {
    "(numerator 6)": 6, "(denominator 6)": 1, "(numerator -0.75)": -3.0, "(denominator 0.75)": 4.0,
    "(rationalize 0.3 0.1)": 1 / 3, "(rationalize -0.3 0.1)": -1 / 3, "(rationalize 7 2)": 5,
    "(rationalize -7 2)": -5, "(rationalize 1 3)": 0, "(rationalize 1.0 3)": 0.0,
    "(rationalize +inf.0 3)": float("inf"), "(rationalize 3 +inf.0)": 0.0,
    "(real-part 3.5)": 3.5, "(imag-part 3.5)": 0, "(magnitude -7)": 7, "(angle 2.0)": 0,
    "(angle -1)": 3.141592653589793, "(make-rectangular 2.5 0)": 2.5, "(make-polar 3 0)": 3,
}  # fmt: skip


def test_fractions_that_are_made_inexact() -> None:
    text = "(define (f a b) (inexact (/ a b))) (define (g b) (exact->inexact (/ 1 b)))"
    shown = "(for-each (lambda (b) (write (f 1 b)) (write (g b)) (newline)) '(8 3 1 0.0 -2))"
    expected = "0.1250.125\n0.33333333333333330.3333333333333333\n1.01.0\n+inf.0+inf.0\n-0.5-0.5\n"
    assert agree(text + shown, stress=False).out == expected
    program = cogen.loads(text)
    for made in (
        cogen.specialize(program, "f", cogen.static(1), cogen.dynamic("int")),
        cogen.specialize(program, "g", cogen.dynamic()),
    ):
        for way in (made.to_python(), made.compile()):
            assert way(3) == 1 / 3
            with pytest.raises(CogenError, match="/: division by zero"):
                way(0)


ROUNDING = """
(define (all a b) (list (floor (/ a b)) (ceiling (/ a b)) (truncate (/ a b)) (round (/ a b))))
"""


def test_fractions_that_are_rounded() -> None:
    data = [(a, b) for a in range(-9, 10) for b in (-4, -3, -2, -1, 1, 2, 3, 4)]
    data += [(-(1 << 63), 3), ((1 << 63) - 1, 2), (-(1 << 63), 1 << 62), (7, -(1 << 63))]
    fractions = [Fraction(a, b) for a, b in data]
    expected = [[math.floor(q), math.ceil(q), math.trunc(q), round(q)] for q in fractions]
    calls = "".join(f"(write (all {a} {b})) (newline)" for a, b in data)
    shown = "".join(f"({' '.join(map(str, e))})\n" for e in expected)
    calls += "(write (all 7.0 2)) (write (all 6 2.5))"
    shown += "(3.0 4.0 3.0 4.0)(2.0 3.0 2.0 2.0)"
    assert agree(ROUNDING + calls, stress=False).out == shown
    made = cogen.specialize(cogen.loads(ROUNDING), "all", *[cogen.dynamic("int")] * 2)
    for way in (made.to_python(), made.compile()):
        assert [way(a, b) for a, b in data] == expected
        with pytest.raises(CogenError, match="/: division by zero"):
            way(1, 0)


def test_parts_of_numbers() -> None:
    done = agree("".join(f"(write {text}) (newline)" for text in NUMBERS), stress=False)
    shown = [str(value).replace("inf", "+inf.0") for value in NUMBERS.values()]
    assert done.out.splitlines() == shown
    for text, value in NUMBERS.items():
        operation, *arguments = text.strip("()").split()
        names = " ".join("xy"[: len(arguments)])
        program = cogen.loads(f"(define (f {names}) ({operation} {names}))")
        given = [float(a.replace(".0", "")) if "." in a else int(a) for a in arguments]
        if operation.startswith(("ra", "de", "an")):
            times = [cogen.dynamic("float" if type(a) is float else "int") for a in given]
            residual = cogen.specialize(program, "f", *times)
            assert repr(residual.to_python()(*given)) == repr(value)
            assert repr(residual.compile()(*given)) == repr(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(numerator +nan.0)", "numerator: expected a finite number, got +nan.0"),
        ("(denominator 'a)", "denominator: expected a finite number, got a"),
        ('(imag-part "1")', 'imag-part: expected a number, got "1"'),
        ("(make-rectangular 1 2)", "there are no complex numbers, as of 1 2"),
        ("(make-polar 1 2.0)", "there are no complex numbers, as of 1 2.0"),
    ],
)
def test_numbers_that_there_are_not(text: str, message: str) -> None:
    with pytest.raises(CogenError) as caught:
        run(cogen.loads(f"(define (f) {text})"))
    assert caught.value.message == message
