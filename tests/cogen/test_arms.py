"""What arms of conditionals give that only a run decides (`advice.arms`), and what
becomes of what follows."""

from __future__ import annotations

import pytest

import cogen
from cogen.binding_times import parse_bt
from cogen.convert import to_datum
from cogen.lang import il
from cogen.lang.interp import Interpreter
from cogen.lang.printer import write_datum
from cogen.specializer.advice.arms import Arms
from cogen.specializer.advice.destructuring import destructured
from cogen.specializer.advice.flow import Flow
from cogen.specializer.advice.outlining import Outlining
from tests.corpus.cases import interpreter
from tests.corpus.measure import measure
from tests.everyday import is_long

WALK = """
(define (variable? t) (and (pair? t) (eq? (car t) '?)))
(define (walk t s)
  (if (variable? t)
      (let ((found (assoc t s))) (if found (walk (cdr found) s) t))
      t))
"""


def function(program: il.Program, name: str) -> il.Function:
    (found,) = (
        item.function for item in program.items if isinstance(item, il.Define) and item.name == name
    )
    return found


def gifts(text: str, of: str, *times: str) -> list[str]:
    """What the arms in a procedure give, as text."""
    program = cogen.loads(text)
    flow = Flow(program, "f", list(map(parse_bt, times)))
    found = Arms(flow, function(program, of), lambda nodes: True).gifts
    atoms = [jump.arguments[number] for jump, number in found]
    return sorted(
        write_datum(atom.value) if type(atom) is il.Const else getattr(atom, "name", "?")
        for atom in atoms
    )


def test_what_decides_itself_stays() -> None:
    """`t` in the arm of `found`, which only a run knows; not behind the question about `t`."""
    text = WALK + "(define (f s) (walk '(? x) s))"
    (one,) = gifts(text, "walk", "_")
    assert one.startswith("t")


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("(if (< n 1) 5 n)", ["5"]),
        ("(if (< n 1) '(a b) (cons n n))", []),  # both are known
        ("(cond ((< n 1) 'a) ((< n 2) '()) (else n))", ["()", "a"]),
        ("(if (null? k) 5 n)", []),  # no run is asked
        ("(let ((x (if (< n 1) 5 n))) (+ x 1))", ["5"]),
    ],
)
def test_arms_give_data_where_others_do(body: str, wanted: list[str]) -> None:
    found = gifts(f"(define (f n k) {body})", "f", "_", "(static (1 2))")
    assert [text.split(".")[0] for text in found] == wanted


# What follows, as procedures

UNIFY = (
    WALK
    + """
(define (unify a b s)
  (let ((a (walk a s)) (b (walk b s)))
    (cond ((equal? a b) s)
          ((variable? a) (cons (cons a b) s))
          ((variable? b) (cons (cons b a) s))
          ((and (pair? a) (pair? b))
           (let ((s (unify (car a) (car b) s))) (and s (unify (cdr a) (cdr b) s))))
          (else #f))))
"""
)


def test_what_follows_is_a_procedure_and_means_the_same() -> None:
    program = cogen.loads(UNIFY)
    names = {item.name for item in program.items if isinstance(item, il.Define)}
    made = Outlining(program, {"walk"}, {function(program, "unify")}).program
    more = {item.name for item in made.items if isinstance(item, il.Define)} - names
    assert more == {"unify-2", "unify-3"}
    a, b = to_datum_of("((? x) 1 (? y) (? x))"), to_datum_of("(2 (? z) 3 (? z))")
    for one in (destructured(program), destructured(made), made):
        assert called(one, "unify", a, b) == called(program, "unify", a, b)


def to_datum_of(text: str) -> object:
    return to_datum(cogen.datum(text))


def called(program: il.Program, name: str, *arguments: object) -> str:
    machine = Interpreter(program)
    machine.run()
    return write_datum(machine.call(name, [*arguments, to_datum_of("()")]))  # type: ignore[list-item]


def test_both_parts_are_read_where_the_first_is() -> None:
    program = cogen.loads("(define (f p g) (let ((a (car p))) (let ((x (g a))) (list x (cdr p)))))")
    before, after = (function(one, "f").body for one in (program, destructured(program)))
    assert [one.op for one in before.bindings if type(one) is il.Let] == ["car"]
    assert [one.op for one in after.bindings if type(one) is il.Let] == ["car", "cdr"]


@pytest.mark.parametrize(
    "text",
    [
        "(define (f p g) (if (g p) (car p) (cdr p)))",  # neither comes first
        "(define (f p g) (let ((a (car p))) (list (g (cdr p)) (g (cdr p)))))",  # more than one
        "(define (f p g) (let ((a (eof-object)) (b (car '(1 . 2)))) (g a)))",  # no variables
    ],
)
def test_others_stay_where_they_are(text: str) -> None:
    program = cogen.loads(text)
    assert str(destructured(program).items) == str(program.items)


# What comes of it

PATHS = next(case for case in interpreter("prolog").cases if case.name == "paths")


def test_prolog_becomes_clauses() -> None:
    """Its C, which takes seven seconds to compile, with --long."""
    outcome = measure(PATHS, compiled=is_long(), generated=True)
    assert outcome.failure is None
    assert outcome.left == ()
    assert outcome.interpreted == outcome.python == outcome.generated == "yes"
    assert outcome.compiled == ("yes" if is_long() else "-")
    assert outcome.ratio < 7
