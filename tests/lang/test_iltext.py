"""IL as text: it reads back identically, and `check` finds broken programs."""

from __future__ import annotations

import pytest
from hypothesis import given

from cogen.lang import il
from cogen.lang.datum import UNSPECIFIED, Pair, RecordType, from_iterable
from cogen.lang.errors import CogenError, InternalError, LimitationError
from cogen.lang.iltext import check, parse, show
from cogen.lang.load import loads
from tests.randomprograms import RandomProgram, outcome_of, programs

pytestmark = pytest.mark.quick


@given(programs())
def test_text_reads_back_identically(program: RandomProgram) -> None:
    converted = loads(program.text)
    text = show(converted)
    again = parse(text)
    check(again)
    assert show(again) == text
    for arguments in program.arguments:
        expected = outcome_of(converted, program.entry, arguments)
        assert outcome_of(again, program.entry, arguments) == expected


def test_everything_is_kept() -> None:
    text = (
        "(program\n"
        "  (assigned g)\n"
        "  (own f g)\n"
        "  (records (point x y) (point.1))\n"
        "  (constants (1 2))\n"
        "  (value g k ((jump k (special unspecified))))\n"
        "  (define f\n"
        "    (lambda (x . rest) k.1\n"
        "      ((let t (make-record (record-type point) x rest))\n"
        "       (fix (h all k.2 ((call (prim apply) (h all) k.2))))\n"
        "       (let t.1 (global-set! 'g (constant 0)))\n"
        "       (conts (|a b| (y) ((jump |a b| y))))\n"
        "       (let t.2 (eq? (constant 0) (record-type point.1)))\n"
        "       (if t.2 ((jump |a b| \"s\\n\")) ((call (global f) ('#\\a '1.5) |a b|))))))\n"
        "  (expression k.3 ((call (global f) ('#(1 b) '#u8(1 2)) k.3))))\n"
    ).replace('"s\\n"', '\'"s\\n"')
    program = parse(text)
    check(program)
    assert show(parse(show(program))) == show(program)
    assert " ".join(show(program).split()) == " ".join(text.split())
    assert program.assigned == {"g"}
    assert [record.fields for record in program.records] == [("x", "y"), ()]


def test_shared_constants_stay_one_object() -> None:
    program = parse(show(loads("(define (f) (let ((x '(1 2))) (eq? x x)))")))
    assert outcome_of(program, "f", ()).value == "#t"


def test_constants_without_text_are_refused() -> None:
    block = il.Block((), il.Jump("k", (il.Const(from_iterable([1, print])),)))
    program = il.Program((il.Value("x", "k", block),))
    with pytest.raises(LimitationError, match="cannot be written"):
        show(program)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "expected one"),
        ("(program) 1", 11, "expected one"),
        ("(define)", 1, "expected \\(program"),
        ("(program (value x))", 10, "expected 3 parts, not 1"),
        ("(program (what x))", 10, "unknown item what"),
        ("(program (value x k ()))", 21, "a block needs a tail"),
        ("(program (value x k ((fail))))", 22, "unknown tail fail"),
        ("(program (value x k ((bind y 1) (jump k y))))", 22, "unknown binding bind"),
        ("(program (value x k ((jump k (what 1)))))", 30, "unknown atom what"),
        ("(program (value x k ((jump k 1))))", 30, "expected a list"),
        ("(program (value 1 k ((jump k '1))))", 17, "expected a name"),
        ("(program (value x k ((jump k (constant 0)))))", 40, "no such constant"),
        ("(program (value x k ((jump k (record-type p)))))", 43, "unknown record type p"),
        ("(program (value x k ((jump k (special p)))))", 39, "unknown special value p"),
    ],
)
def test_ill_formed_text(text: str, column: int, message: str) -> None:
    with pytest.raises(CogenError, match=message) as caught:
        parse(text, "bad.il")
    assert caught.value.span is not None
    assert (caught.value.span.source.name, caught.value.span.column) == ("bad.il", column)


@pytest.mark.parametrize(
    ("items", "law"),
    [
        ("(value x k ((jump k y)))", "the variable y is not in scope"),
        ("(value x k ((jump j '1)))", "the continuation j is not in scope"),
        ("(value x k ((jump k)))", "the continuation k takes 1 values, not 0"),
        ("(value x k ((let a (car '1)) (let a (car '2)) (jump k a)))", "a is bound twice"),
        ("(value x k ((let a (nothing)) (jump k a)))", "there is no operation nothing"),
        ("(value x k ((let a (apply '1 '2)) (jump k a)))", "the control primitive apply"),
        ("(value x k ((let a (car)) (jump k a)))", "the operation car has 0 arguments"),
        ("(value x k ((jump k (global y))))", "the global y is not defined"),
        ("(value x k ((jump k (prim nothing))))", "there is no primitive nothing"),
        ("(value x k ((jump k '1))) (value x j ((jump j '1)))", "x is defined twice"),
        ("(value x k ((let a (global-get 'x)) (jump k a)))", "which is never assigned"),
        ("(define f (lambda (x) k ((fix (g () j ((jump k x)))) (jump k g))))", "k is not in scope"),
        ("(value x k ((conts (j () ((jump k '1)))) (call (prim +) () j)))", "takes 0 values"),
        ("(value x k ((if '#t ((let a (car '1)) (jump k a)) ((jump k a)))))", "a is not in scope"),
    ],
)
def test_check_names_the_broken_law(items: str, law: str) -> None:
    with pytest.raises(InternalError, match=law):
        check(parse(f"(program {items})"))


def test_check_knows_the_record_types() -> None:
    block = il.Block((), il.Jump("k", (il.Const(RecordType("p", ())),)))
    with pytest.raises(InternalError, match="the record type p is not the program's"):
        check(il.Program((il.Value("x", "k", block),)))


def test_assigned_globals_are_not_read_as_constants() -> None:
    text = "(program (assigned x) (value x k ((jump k '1))) (value y j ((jump j (global x)))))"
    with pytest.raises(InternalError, match="the global x is assigned but read as a constant"):
        check(parse(text))


@pytest.mark.slow
def test_long_programs_need_no_stack() -> None:
    program = loads("(define (f x) " + "(f x) " * 1_500 + ")")
    assert show(parse(show(program))) == show(program)


def test_special_constants() -> None:
    block = il.Block((), il.Jump("k", (il.Const(UNSPECIFIED),)))
    text = show(il.Program((il.Value("x", "k", block),)))
    (item,) = parse(text).items
    assert isinstance(item, il.Value)
    assert isinstance(item.body.tail, il.Jump)
    (atom,) = item.body.tail.arguments
    assert isinstance(atom, il.Const)
    assert atom.value is UNSPECIFIED
    assert not isinstance(atom.value, Pair)
