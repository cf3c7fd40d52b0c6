"""Calls that only look at known data; analyses and plans that specializations share."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

import cogen
from cogen.lang import il
from cogen.lang.datum import NIL, Pair, Symbol, symbol
from cogen.lang.ilutil import all_blocks
from cogen.lang.load import loads
from cogen.lang.prims import PRIMITIVES
from cogen.lang.reader import read_datum
from cogen.specializer.analyses.analyses import REMEMBERED, Analyses, analyses_of
from cogen.specializer.analyses.looking import Looking
from cogen.specializer.analyses.plan import (
    CLOSES,
    CONTINUES,
    ENDS,
    LET,
    LOOKS,
    SAME,
    SPLITS,
    Plan,
    close,
    proceed,
    same,
)
from cogen.specializer.programs.liveness import Liveness
from cogen.specializer.rules import rule_of
from cogen.specializer.values.domain import Dynamic, PartialPair, Static, Value
from tests.cogen.textbook import residual_of

pytestmark = pytest.mark.quick


def procedure(definition: str) -> il.Function:
    """The last procedure of a program."""
    item = loads(definition).items[-1]
    assert isinstance(item, il.Define)
    return item.function


def look(definition: str, *values: Value) -> Value | None:
    return Looking().value(procedure(definition), values)


def constant(text: str) -> Static:
    return Static(read_datum(text))


TAGGED = "(define (tagged? e tag) (if (pair? e) (eq? (car e) tag) #f))"


@pytest.mark.parametrize(
    ("definition", "arguments", "result"),
    [
        ("(define (second l) (car (cdr l)))", ["(1 2 3)"], 2),
        ("(define (head l) (car l))", ["(1)"], 1),
        (TAGGED, ["(if a b)", "if"], True),
        (TAGGED, ["(let a b)", "if"], False),
        (TAGGED, ["7", "if"], False),
        ("(define (same? a b) (= a b))", ["3", "3"], True),
        ("(define (unless-null l d) (if (null? l) d (car l)))", ["()", "9"], 9),
    ],
)
def test_what_is_known_is_found(definition: str, arguments: list[str], result: Any) -> None:
    found = look(definition, *map(constant, arguments))
    assert type(found) is Static
    assert found.datum == result


def test_parts_of_pairs_with_dynamic_parts_are_the_parts_themselves() -> None:
    x, y = Dynamic("x"), Dynamic("y")
    pair = PartialPair(x, PartialPair(y, constant("()")))
    assert look("(define (second l) (car (cdr l)))", pair) is y
    assert look("(define (pick l) (if (pair? l) (car l) 0))", pair) is x
    assert look("(define (id-of x l) (if (null? l) l x))", x, pair) is x


@pytest.mark.parametrize(
    ("definition", "values"),
    [
        ("(define (second l) (car (cdr l)))", [Dynamic("l")]),
        ("(define (second l) (car (cdr l)))", [constant("(1)")]),  # an error is the machine's
        (TAGGED, [Dynamic("e"), constant("if")]),
        (TAGGED, [PartialPair(Dynamic("t"), constant("()")), constant("if")]),
        ("(define (pick x l) (if x (car l) 0))", [Dynamic("x"), constant("(1)")]),
    ],
)
def test_what_is_not_known_is_left_to_the_machine(definition: str, values: list[Value]) -> None:
    assert look(definition, *values) is None


@pytest.mark.parametrize(
    "definition",
    [
        "(define (build l) (cons (car l) l))",
        "(define (calls l) (car (reverse l)))",
        "(define (adds l) (+ (car l) 1))",
        "(define (rest . l) (car l))",
        "(define g '(1)) (define (free l) (if (pair? l) (car g) 1))",
        "(define (nothing l) l)",
        "(define (closes l) (lambda () (car l)))",
    ],
)
def test_procedures_that_do_more_are_none(definition: str) -> None:
    assert look(definition, constant("(1 2)")) is None


def test_errors_within_are_those_of_the_call() -> None:
    program = loads(
        "(define (second l) (car (cdr l)))\n(define (f x) (+ x (second '(1))))", "a.scm"
    )
    with pytest.raises(cogen.CogenError, match=r"car: expected a pair, got \(\)") as caught:
        cogen.specialize(program, "f", cogen.dynamic())
    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.column) == (1, 20)


def test_looking_counts_as_unfolding() -> None:
    text = "(define (second l) (car (cdr l))) (define (f x) (+ (second '(1 2)) x))"
    residual = residual_of(text, "f", "_")
    assert residual.statistics["calls unfolded"] == 2  # that of `f` is one


def test_calls_that_look_reach_the_limit() -> None:
    text = """
    (define (second l) (car (cdr l)))
    (define (f n l) (let loop ((i 0)) (if (= i n) (second l) (begin (second l) (loop (+ i 1))))))
    """
    options = {"max_unfoldings": 50}
    with pytest.raises(cogen.CogenError, match="more than 50 calls were unfolded"):
        cogen.specialize(loads(text), "f", cogen.static(1000), cogen.static([1, 2]), **options)


# Plans


def test_plans_say_what_bindings_are() -> None:
    text = """
    (define (f x)
      (let ((g (lambda (y) (car y))) (z (set-base x 4)))
        (if (or (null? x) (eq? x 'a)) (error "no" 1 'a) (+ (g z) (g x)))))
    """
    function = procedure(text)
    kinds: dict[int, list[str]] = {}
    for block in all_blocks(il.Program((il.Define("f", function),))):
        for step in Plan(block, rule_of, Liveness(), looks=True).steps:
            kinds.setdefault(step.kind, []).append(getattr(step.binding, "op", ""))
            assert (step.rule is not None) == (step.kind in (LET, LOOKS, SAME))
            assert (step.looks is not None) == (step.kind == LOOKS)
    assert kinds[SPLITS] == ["set-base"]
    assert kinds[ENDS] == ["error"]
    assert set(kinds[LOOKS]) == {"null?", "car"}
    assert kinds[SAME] == ["eq?"]
    assert "+" in kinds[LET]
    assert CLOSES in kinds
    assert CONTINUES in kinds


def test_only_numbers_are_made_anew_at_each_place() -> None:
    let = il.Let("t", "vector", (il.Var("x"), il.Const(symbol("a")), il.Const(1), il.Const(1.5)))
    plan = Plan(
        il.Block((let,), il.Jump("k", (il.Const("s"), il.Var("t")))),
        rule_of,
        Liveness(),
        looks=True,
    )
    name, shared, *numbers = plan.steps[0].operands
    assert name == "x"
    assert type(shared) is Static
    assert shared.datum is symbol("a")
    assert numbers == list(let.arguments[2:])
    assert type(plan.operands[0]) is Static
    assert plan.operands[1] == "t"


VALUES = [
    Static(symbol("a")),
    Static(symbol("b")),
    Static(symbol("a")),
    Static(1),
    Static(1.5),
    Static(True),
    Static(NIL),
    Static("a"),
    Static(Pair(symbol("a"), NIL)),
    Dynamic("x"),
    PartialPair(Static(symbol("a")), Static(NIL)),
]


@pytest.mark.parametrize("a", VALUES)
def test_names_of_the_program_are_the_same_as_the_rules_say(a: Value) -> None:
    """What is found of two values without their rule is what the operations say of them."""
    for b in VALUES:
        found = same(a, b)
        is_asked = any(type(v) is Static and type(v.datum) is Symbol for v in (a, b))
        assert (found is not None) == (is_asked and type(a) is type(b) is Static)
        if found is not None:
            assert type(a) is type(b) is type(found) is Static
            for op in ("eq?", "eqv?", "equal?"):
                assert PRIMITIVES[op].python(a.datum, b.datum) is found.datum


class Held(dict[str, Any]):
    """An environment of which it can be told whether it is freed."""


def test_procedures_and_continuations_keep_only_what_they_need() -> None:
    """What code is carried out in is freed without the collector of garbage, which does not run."""
    text = """
    (define (f x n) (if (= n 0) x (let ((g (lambda (y) (+ x y)))) (g (f (+ x 1) (- n 1))))))
    """
    kinds: list[int] = []
    for block in all_blocks(il.Program((il.Define("f", procedure(text)),))):
        for step in Plan(block, rule_of, Liveness(), looks=True).steps:
            needed = [names for _, names in (*step.functions, *step.conts)]
            if not needed:
                continue
            held = Held({name: Dynamic(name) for names in needed for name in names})
            freed = weakref.ref(held)
            if step.kind == CLOSES:
                close(step, held)
            else:
                proceed(step, held, None, None)
            made = [value for value in held.values() if type(value) is not Dynamic]
            assert [list(one.environment) for one in made] == list(map(list, needed))
            del held
            assert freed() is None
            kinds.append(step.kind)
    assert set(kinds) == {CLOSES, CONTINUES}


# What specializations share


def test_analyses_are_those_of_the_program() -> None:
    programs = [loads(f"(define (f x) (+ x {i}))") for i in range(REMEMBERED + 1)]
    found = [analyses_of(program) for program in programs]
    assert analyses_of(programs[-1]) is found[-1]
    assert analyses_of(programs[1]) is found[1]
    again = analyses_of(programs[0])
    assert isinstance(again, Analyses)
    assert again is not found[0]


def test_specializing_again_keeps_nothing_more() -> None:
    """Analyses do not grow with specializations, but for code that was not met before."""
    text = """
    (define (f m i n) (if (= i n) 0
      (let ((j (set-base i 32))) (if (not (= j 0)) (load-word m (quotient j 32)) (f m 1 n)))))
    """
    program = loads(text)

    def specialize() -> str:
        memory, integer = cogen.dynamic("memory"), cogen.dynamic("int")
        return cogen.specialize(program, "f", memory, integer, integer).scheme

    first = specialize()
    analyses = analyses_of(program)
    gc.collect()
    kept = len(analyses.liveness._kept), len(analyses.plans), len(analyses.looking._halves)
    assert [specialize(), specialize()] == [first, first]
    after = len(analyses.liveness._kept), len(analyses.plans), len(analyses.looking._halves)
    assert after == kept
