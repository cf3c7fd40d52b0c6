"""Procedures of lists end on circular lists, with a diagnostic or the answer that R7RS asks for."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

import cogen
from cogen.backends.native import load as native_code
from cogen.backends.native.compile import c_text
from cogen.backends.native.searches import watch
from cogen.backends.python import pytext
from cogen.convert import from_datum, to_datum
from cogen.lang import il, translate
from cogen.lang.datum import NIL, Pair
from cogen.lang.deep import on_deep_stack
from cogen.lang.ilcheck import check
from cogen.lang.ilutil import all_blocks
from cogen.lang.interp import Interpreter
from cogen.lang.primtable.checks import PrimitiveError
from cogen.lang.primtable.data import finite
from cogen.lang.printer import write_datum
from tests.cogen.nativecode.running import agree

native = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
)

CIRCULAR = "(define l (list 1 2 3))\n(set-cdr! (cddr l) l)\n"

TRIES = """
(define-syntax try
  (syntax-rules ()
    ((_ e) (begin (write (guard (x (#t (error-object-message x))) e)) (newline)))))
(try (length l))
(try (append l '(1)))
(try (append '(1) l))
(try (reverse l))
(try (list-copy l))
(try (map car l))
(try (for-each display l))
(try (apply + l))
(try (list->string l))
(try (member 9 l (lambda (a b) (display a) #f)))
(try (list? l))
(try (equal? l (cdr l)))
(try (equal? l (append '(1 2 3 1 2 3) l)))
(try (map + '(1 2) l))
(try (memq 2 l))
"""

ENDS = [
    *(
        f'"{name}: expected a list, got #0=(1 2 3 . #0#)"'
        for name in ("length", "append", "reverse", "list-copy", "map", "for-each", "apply")
    ),
    '"list->string: expected a list, got #0=(1 2 3 . #0#)"',
    '"member: expected a list, got #0=(1 2 3 . #0#)"',
    "#f",
    "#f",
    "#t",
    "(2 4)",
    "#0=(2 3 1 . #0#)",
]


def test_procedures_of_lists_end_in_the_interpreter_and_in_native_code() -> None:
    lines = agree(CIRCULAR + TRIES, guard=False).out.splitlines()
    assert lines.pop(2) == "(1 . #0=(1 2 3 . #0#))"
    assert lines == ENDS


@pytest.mark.parametrize(
    "call",
    ["(memq 9 l)", "(memv 9 l)", "(member 9 l)", "(assq 9 m)", "(assv 9 m)", "(assoc 9 m)"],
)
def test_searches_that_find_nothing_end(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translate, "BURST", 100)
    text = f"{CIRCULAR}(define m (list '(1)))\n(set-cdr! m m)\n(display\n {call})"
    with pytest.raises(cogen.CogenError) as caught:
        Interpreter(cogen.loads(text), output=io.StringIO()).run()
    name = call[1:].split()[0]
    assert caught.value.message.startswith(f"{name}: expected a list, got #0=(")
    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.column) == (6, 2)


def test_searches_in_long_lists_that_end_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translate, "BURST", 100)
    output = io.StringIO()
    text = "(display (list (memv 3 (make-list 1000 1)) (length (make-list 999))))"
    Interpreter(cogen.loads(text), output=output).run()
    assert output.getvalue() == "(#f 999)"


def test_every_length_of_cycle_and_of_what_leads_there_is_found() -> None:
    for before in (0, 1, 2, 63, 64, 65, 200):
        for around in (1, 2, 3, 63, 64, 65, 300):
            pairs = [Pair(i, NIL) for i in range(before + around)]
            for pair, following in pairwise(pairs):
                pair.cdr = following
            assert finite("f", pairs[0]) is pairs[0]
            pairs[-1].cdr = pairs[before]
            with pytest.raises(PrimitiveError, match="f: expected a list, got"):
                finite("f", pairs[0])


def test_what_a_residual_program_does_with_lists_is_as_before() -> None:
    program = cogen.loads("(define (f l) (length l))")
    assert "finite" not in cogen.specialize(program, "f", cogen.dynamic()).scheme
    program = cogen.loads("(define (f x) (apply + (map (lambda (y) (* x y)) '(1 2 3))))")
    residual = cogen.specialize(program, "f", cogen.dynamic("int")).scheme
    assert "list" not in residual
    assert "map" not in residual


@pytest.mark.parametrize(
    ("change", "looks"), [("", False), ("(set-cdr! l l)", True), ("(apply set-cdr! l l '())", True)]
)
def test_native_programs_look_only_where_lists_may_be_circular(change: str, looks: bool) -> None:
    text = f"(define l (list 1 2 3)) {change} (write (map car l)) (write (map + l l))"
    c = c_text(cogen.loads(text, "a.scm")).text
    assert ("FINITE(" in c) == looks
    assert ("op_pct_circular_p(rt, " in c) == looks


def test_long_lists_are_no_circular_ones() -> None:
    assert agree(CIRCULAR + "(write (length (append (make-list 100 1) '(2))))").out == "101"


MADE = """\
(define (made n)
  (let ((l (make-list n (list 0 1))))
    (set-cdr! (list-tail l (- n 1)) l)
    l))
(define (f n)
  (let ((l (made n)))
    (list {})))
"""

SEARCHES = [
    "(memq 9 l)", "(memv 9 l)", "(member 9 l)", "(assq 9 l)", "(assv 9 l)", "(assoc 9 l)",
    "(member 9 l =)", "(length l)", "(append l '(1))", "(reverse l)", "(list-copy l)",
    "(map car l)", "(for-each car l)", "(apply max l)", "(list->vector l)",
    # side by side, where none ends
    "(map list l l)", "(for-each list l (cdr l))", "(map list l (made n) l)",
]  # fmt: skip


def by_interpreter(made: Any) -> Callable[..., Any]:
    interpreter = Interpreter(made.program.program)
    interpreter.run()
    return lambda *arguments: interpreter.call(made.program.entry, arguments)


WAYS = [
    by_interpreter,
    lambda made: made.to_python(),
    pytest.param(lambda made: native_code.load(made.program), marks=native),
]


def refused(text: str, way: Callable[[Any], Any]) -> tuple[str, str]:
    """What a residual program and its source say of the circular list of `f`."""
    program = cogen.loads(text, "t.scm")
    made = cogen.specialize(program, "f", cogen.dynamic("int"))
    source = Interpreter(program)
    source.run()
    told = []
    for run in (lambda: way(made)(3), lambda: source.call("f", [3])):
        with pytest.raises(cogen.CogenError) as caught:
            run()
        told.append((caught.value.message, str(caught.value.span)))
    assert told[0] == told[1]
    return told[0]


@pytest.mark.one_in(20)
@pytest.mark.parametrize("call", SEARCHES)
@pytest.mark.parametrize("way", WAYS)
def test_residual_programs_end_as_the_source_does(way: Callable[[Any], Any], call: str) -> None:
    message, place = refused(MADE.format(call.replace("9 l =", "9 l eqv?")), way)
    assert message.endswith("expected a list, got #0=((0 1) (0 1) (0 1) . #0#)")
    assert place == "t.scm:7:11"


@pytest.mark.one_in(5)
@pytest.mark.parametrize("call", ["(memq 9 l)", "(member 9 l)", "(assv 9 l)", "(length l)"])
@pytest.mark.parametrize("way", WAYS)
def test_lists_of_which_the_start_is_known_end_too(way: Callable[[Any], Any], call: str) -> None:
    """The whole list is made in the loop then, for the error only."""
    start = "(let ((l (cons '(7 8) (cons (list n) (made n)))))"
    text = MADE.format(call).replace("(let ((l (made n)))", start)
    assert start in text
    message, _ = refused(text, way)
    assert message.endswith("a list, got ((7 8) (3) . #0=((0 1) (0 1) (0 1) . #0#))")


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("call", "result"),
    [("(map (lambda (x y) y) l '(1 2))", "(1 2)"), ("(length (map list (made n) '(1 2) l))", "2"),
     ("(length (map list l (make-list (+ n 2997) 1)))", "3000"),
     ("(begin (for-each list (make-list (+ n 1) 1) l) n)", "3"),
     ("(equal? l (made n))", "#t"), ("(list? l)", "#f"), ("(list-ref l 100)", "(0 1)")],
)  # fmt: skip
@pytest.mark.parametrize("way", WAYS)
def test_what_ends_is_not_refused(
    way: Callable[[Any], Any], call: str, result: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(translate, "BURST", 100)
    monkeypatch.setattr(translate, "WALK", 100)
    monkeypatch.setattr(pytext, "BURST", 100)
    program = cogen.loads(MADE.format(call), "t.scm")
    made = cogen.specialize(program, "f", cogen.dynamic("int"))
    source = Interpreter(program)
    source.run()
    assert write_datum(source.call("f", [3])) == f"({result})"
    value = way(made)(3)
    shown = value if isinstance(value, Pair) else to_datum(value)
    assert write_datum(shown) == f"({result})"


def test_long_lists_beside_a_circular_one_are_no_circular_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A loop looks at all of its lists, after very many rounds."""
    monkeypatch.setattr(translate, "BURST", 100)
    text = MADE.format("(begin (for-each list l (make-list (+ n 1500) 1)) n)")
    source = Interpreter(cogen.loads(text, "t.scm"))
    source.run()
    assert write_datum(source.call("f", [3])) == "(3)"


PASSED = "(define (f l)\n  (list {}))"


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "call",
    ["(append l '(1))", "(list-copy l)", "(map list l)", "(map list l l)", "(for-each list l l)",
     "(length l)", "(memq 9 l)", "(apply max l)"],
)  # fmt: skip
def test_circular_lists_that_are_passed_from_python_are_refused(call: str) -> None:
    """By programs that cannot make them, which look after very many rounds only."""
    circular = cogen.specialize(
        cogen.loads("(define (f n) (let ((l (list n 2))) (set-cdr! (cdr l) l) l))"), "f",
        cogen.dynamic(),
    ).to_python()(1)  # fmt: skip
    program = cogen.loads(PASSED.format(call), "t.scm")
    made = cogen.specialize(program, "f", cogen.dynamic())
    with pytest.raises(
        cogen.CogenError, match=r"expected a list, got #0=\([12] [12] . #0#\)"
    ) as told:
        made.to_python()(circular)
    assert str(told.value.span) == "t.scm:2:9"


@pytest.mark.parametrize(
    ("call", "result"),
    [("(list? l)", "(#f)"), ("(memq 2 l)", "(#0=(2 1 . #0#))"),
     ("(cons 3 l)", "((3 . #0=(1 2 . #0#)))"), ("(map - '(1 2 3) l)", "((0 0 2))"),
     ("(equal? l (cddr l))", "(#t)")],
)  # fmt: skip
def test_circular_lists_that_are_passed_from_python_are_of_use(call: str, result: str) -> None:
    circular = Pair(1, Pair(2, NIL))
    circular.cdr.cdr = circular
    made = cogen.specialize(cogen.loads(PASSED.format(call)), "f", cogen.dynamic())
    assert write_datum(to_datum(made.to_python()(from_datum(circular)))) == result


@native
def test_a_circular_result_comes_back() -> None:
    made = cogen.specialize(cogen.loads(MADE.format("l"), "t.scm"), "f", cogen.dynamic("int"))
    assert made.compile()(3).is_circular
    assert write_datum(to_datum(made.compile()(3))) == write_datum(to_datum(made.to_python()(3)))


def test_a_loop_looks_at_its_own_list_only() -> None:
    """Not at that of a loop in the procedure that it calls: that one finds what it seeks."""
    program = cogen.loads("(define (f l m) (for-each (lambda (x) (memq x m)) l) 'done)", "t.scm")
    residual = cogen.specialize(program, "f", cogen.dynamic(), cogen.dynamic())
    watched = on_deep_stack(watch, residual.program.program)
    check(watched)
    looks = [
        let.arguments[0]
        for block in all_blocks(watched)
        for let in block.bindings
        if isinstance(let, il.Let) and let.op == "%walked"
    ]
    assert sorted(name.value for name in looks if isinstance(name, il.Const)) == [
        "for-each",
        "memq",
    ]


@pytest.mark.one_in(3)
@native
@pytest.mark.parametrize("call", SEARCHES[:6])
def test_native_searches_that_find_nothing_end(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A collector that runs all the time has a million turns until it is looked: once will do."""
    monkeypatch.setattr(translate, "BURST", 100)
    text = f"{CIRCULAR}(define m (list '(1)))\n(set-cdr! m m)\n(display (list\n {call}))"
    text = text.replace("9 l", "9 m") if "ass" in call else text
    done = agree(text, stress="memq" in call)
    assert "expected a list, got #0=(" in done.err
    assert done.err.startswith("test.scm:6:2: error: ")


def test_equal_of_circular_pairs_that_the_specializer_knows() -> None:
    text = """
    (define (f x)
      (let ((a (list 1 x)) (b (list 1 x 1 x)) (c (list 1 x)))
        (set-cdr! (cdr a) a)
        (set-cdr! (cdddr b) b)
        (set-cdr! (cdr c) (list 2))
        (list (equal? a b) (equal? a a) (equal? a '(1 2)) (equal? a c))))
    """
    residual = cogen.specialize(cogen.loads(text), "f", cogen.dynamic())
    assert residual.to_python()(5) == [True, True, False, False]
