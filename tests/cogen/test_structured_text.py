"""Structured code of kernels: its text is read back, and what is read is compiled to the same."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

import cogen
from cogen.backends.kernel import c, structuredcheck, structuredtext
from cogen.backends.kernel import structured as st
from cogen.backends.kernel.types import Types, infer
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, InternalError, LimitationError
from cogen.residual import ResidualProgram
from tests.cogen.test_residual_text import CASES, made

pytestmark = pytest.mark.quick

INT = cogen.dynamic("int")

PROGRAMS = {
    "a loop": (
        "(define (f n m) (let loop ((i 0) (s m)) (if (>= i n) (* s 21) (loop (+ i 1) (+ s i)))))",
        (5, 2),
    ),
    "nested loops": (
        """(define (f n m)
             (let rows ((i 0) (s 0))
               (if (>= i n) s
                   (rows (+ i 1) (let columns ((j 0) (s s))
                                   (if (>= j m) s (columns (+ j 1) (+ s (* i j)))))))))""",
        (4, 5),
    ),
    "a procedure that calls itself": (
        "(define (f n m) (if (< n 2) m (+ (f (- n 1) m) (f (- n 2) (+ m 1)))))",
        (7, 1),
    ),
    "two that call each other": (
        """(define (even n a) (if (= n 0) a (+ 1 (odd (- n 1) a))))
           (define (odd n a) (if (= n 0) 0 (+ 2 (even (- n 1) a))))
           (define (f n m) (+ (even n m) (odd m n)))""",
        (6, 3),
    ),
    "loops that enter each other": (
        """(define (f n m)
             (define (up i k)
               (cond ((> i n) k)
                     ((= (modulo i 3) 0) (down (+ i 1) k))
                     (else (up (+ i 1) (+ k 1)))))
             (define (down i k)
               (cond ((> i n) (- k))
                     ((= (modulo i 5) 0) (up (+ i 2) k))
                     (else (down (+ i 1) (- k 2)))))
             (if (< m 3) (up 0 m) (down 1 m)))""",
        (20, 7),
    ),
    "constants and truth values": (
        "(define (f n m) (if (or (< n 3) (and (> m 2) (not (= n m)))) 1.5 (error \"no\" n)))",
        (4, 3),
    ),
}  # fmt: skip

every_program = pytest.mark.parametrize(
    ("text", "arguments"), PROGRAMS.values(), ids=PROGRAMS.keys()
)


def residual_of(text: str) -> cogen.Residual:
    return cogen.specialize(cogen.loads(text), "f", INT, INT)


def structured(text: str) -> list[st.KernelProcedure]:
    return on_deep_stack(c.structured, residual_of(text).program)[0]


@every_program
def test_what_is_shown_reads_back(text: str, arguments: tuple[int, int]) -> None:
    procedures = structured(text)
    shown = structuredtext.show(procedures)
    again = structuredtext.read(shown)
    assert structuredtext.show(again) == shown
    assert [p.jumped for p in again] == [p.jumped for p in procedures]
    structuredcheck.check(procedures)
    structuredcheck.check(again)


@pytest.mark.slow
@pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
)
@every_program
def test_what_is_read_is_compiled_to_the_same(
    text: str, arguments: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = residual_of(text).to_python()(*arguments)
    made = c.structured

    def read(residual: ResidualProgram, *how: Any) -> tuple[list[st.KernelProcedure], Types]:
        procedures = structuredtext.read(structuredtext.show(made(residual, *how)[0]))
        return procedures, infer(procedures, residual.entry, residual.parameters)

    monkeypatch.setattr(c, "structured", read)
    assert residual_of(text).compile()(*arguments) == expected


def test_all_residual_programs_read_back() -> None:
    read_back = 0
    for case in CASES:
        try:
            procedures, _ = on_deep_stack(c.structured, made(case).program)
        except LimitationError:
            continue
        structuredcheck.check(procedures)
        shown = structuredtext.show(procedures)
        assert structuredtext.show(structuredtext.read(shown)) == shown, case
        read_back += 1
    assert read_back > 20


def test_a_test_can_start_in_the_middle() -> None:
    """... with what `cogen dev show --stage structured` prints."""
    (procedure,) = structuredtext.read(
        """(procedure f (n)
             (move (i '0))
             (loop again-1 (i) head
               (let test (= i n))
               (branch test ((leave again-1)) ())
               (let i-1 (+ i '1))
               (move (i i-1)))
             (result i))"""
    )
    structuredcheck.check([procedure])
    move, loop, result = procedure.body
    assert isinstance(move, st.Move)
    assert isinstance(loop, st.KernelLoop)
    assert loop.head
    assert isinstance(result, st.KernelResult)
    assert not st.falls(procedure.body)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(procedure f)", "expected (procedure name (x ...) statement ...)"),
        ("(procedure f () (leap x))", "`leap` is no statement, or has other parts"),
        ("(procedure f () (branch x ()))", "`branch` is no statement, or has other parts"),
        ("(procedure f () (move (x)))", "expected (x a)"),
        ("(procedure 'f () (result))", "expected a name"),
        ("(procedure f () ())", "expected a list that begins with a word"),
    ],
)
def test_other_texts_are_refused_at_their_place(text: str, message: str) -> None:
    with pytest.raises(CogenError) as caught:
        structuredtext.read(text)
    assert caught.value.message == message
    assert caught.value.span is not None


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("(result y)", "f: y is used and never assigned"),
        ("(loop l (x) body (again k))", "f: k is not the innermost loop"),
        ("(goto out)", "f: there is no mark out"),
        ("(finish f x x)", "f: f does not take so many arguments"),
        ("(let y (+ x '1))", "f: control goes past its end"),
    ],
)
def test_what_breaks_a_law_is_found(body: str, message: str) -> None:
    with pytest.raises(InternalError) as caught:
        structuredcheck.check(structuredtext.read(f"(procedure f (x) {body})"))
    assert caught.value.message == message
