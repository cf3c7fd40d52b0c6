"""Where the paths of residual code meet, which loops are counted, and what they carry."""

from __future__ import annotations

from collections import Counter

import pytest

import cogen
from cogen.array.l0 import tree
from cogen.array.l0.walk import parts
from cogen.array.scheme import body
from cogen.array.scheme.controlflow import Regions
from cogen.array.scheme.counted import counted
from cogen.dominance import immediate
from cogen.lang import il
from cogen.lang.ilparse import parse
from cogen.lang.ilutil import all_blocks, conts
from cogen.lang.interp import Interpreter


def regions(text: str) -> tuple[Regions, dict[str, il.If]]:
    """The regions of the program `(define f (lambda (c n v) k TEXT))`, and its conditionals by
    their tests."""
    program = parse(f"(program (define f (lambda (c n v) k {text})))")
    bound = {c.name: c for block in all_blocks(program) for c in conts(block)}
    tails = [block.tail for block in all_blocks(program) if isinstance(block.tail, il.If)]
    return Regions(bound), {tail.test.name: tail for tail in tails if isinstance(tail.test, il.Var)}


TWO_ENTRIES = """
((let z (< '0 c))
 (conts
   (head (i e x)
     ((let t (< i e))
      (if t ((let i2 (+ i '1)) (jump body x i2 e)) ((jump k x)))))
   (body (y j e2)
     ((let o (odd? y))
      (if o ((jump head j e2 '3)) ((jump head j e2 '4))))))
 (if z ((jump head '0 n v)) ((jump body v '1 '2))))
"""


def test_arms_that_enter_a_loop_at_different_places_meet_where_both_come_to() -> None:
    found, tails = regions(TWO_ENTRIES)
    assert found.meeting(tails["z"], "k") == "head"
    assert found.meeting(tails["o"], "k") == "head"
    assert found.meeting(tails["t"], "k") == "k"
    assert found.behind("body", "k") == "head"
    assert found.is_loop("head", "k")
    assert not found.is_loop("body", "head")


def test_a_bound_that_is_passed_along_keeps_its_value() -> None:
    found, _ = regions(TWO_ENTRIES)
    loop = counted(found.conts["head"], found, "k")
    assert loop is not None
    assert (loop.parameter, loop.step, loop.relation) == ("i", 1, "<")
    assert loop.bound == il.Var("e")
    assert loop.unchanged == {"e"}
    assert counted(found.conts["body"], found, "k") is None


def test_what_is_passed_along_may_be_another_value_on_one_way() -> None:
    found, _ = regions(TWO_ENTRIES.replace("(jump head j e2 '3)", "(jump head j y '3)"))
    assert counted(found.conts["head"], found, "k") is None


def test_paths_that_fail_or_never_end_do_not_count() -> None:
    text = """
    ((let z (< '0 c))
     (conts (m (r) ((jump k r))) (spin () ((jump spin))))
     (if z
       ((let y (< '1 c)) (if y ((jump spin)) ((jump m '1))))
       ((let x (< '2 c)) (if x ((let e (error '"no")) (jump k '0)) ((jump m '2))))))
    """
    found, tails = regions(text)
    assert found.meeting(tails["z"], "k") == "m"
    assert found.meeting(tails["y"], "k") == "m"
    assert found.behind("spin", "k") == "k"


NESTED = """
((conts
   (a (x)
     ((let y (+ x n))
      (conts
        (b (i)
          ((let t (< i '9))
           (if t
             ((let u (odd? i)) (let i2 (+ i '1)) (if u ((jump a i2)) ((jump b i2))))
             ((jump k y))))))
      (jump b x))))
 (jump a '0))
"""


def test_variables_that_the_rounds_of_a_loop_bind_outside_of_it() -> None:
    found, tails = regions(NESTED)
    assert found.rebound_in_rounds("b", "k") == ("y",)
    assert found.rebound_in_rounds("a", "k") == ()
    assert found.rebound(frozenset({"a"}), "b") == ("y",)
    assert found.rebound(frozenset({"b"}), "k") == ()
    assert found.is_entered_again(tails["u"], "b")
    found, tails = regions(TWO_ENTRIES)
    assert not found.is_entered_again(tails["o"], "head")


def test_dominators_of_a_graph_that_is_not_reducible() -> None:
    # 0 -> 1 -> 2 <-> 3 <- 0, 2 -> 4
    tree_parents = [0, 0, 1, 2, 2]
    assert immediate(tree_parents, [[], [0], [1, 3], [2, 0], [2]]) == [0, 0, 0, 0, 2]


# Size and time are linear


def size(e: object) -> int:
    return 1 + sum(size(part) for part, _ in parts(e))  # type: ignore[arg-type]


CHAINS = {
    "conditionals": "(if (< (array-ref xs {i}) 0) (+ x {i}) (if (odd? x) (* 3 x) x))",
    "loops":
        "(let ((e (modulo (array-ref xs {i}) 5)))"
        " (array-loop ((v x)) (j e) (if (odd? v) j {i})))",
    "loops under conditionals":
        "(let ((e (if (< x 5) (modulo (array-ref xs {i}) 5) 2)))"
        " (array-loop ((v x)) (j e) (if (odd? v) j {i})))",
}  # fmt: skip


def chain(step: str, length: int) -> str:
    bindings = " ".join(f"(x {step.format(i=i)})" for i in range(length))
    return f"(define (main x xs) (let* ({bindings}) x))"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("step", CHAINS.values(), ids=CHAINS)
def test_what_follows_a_conditional_is_translated_once(
    step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twice as many steps make twice as much, in twice the number of blocks gone through."""
    sizes, rounds = {}, Counter[int]()
    usual = body.Body.block
    for length in (10, 20, 40):

        def block(work: body.Body, code: il.Block, end: str, n: int = length) -> list[body.Value]:
            rounds[n] += 1
            return usual(work, code, end)

        monkeypatch.setattr(body.Body, "block", block)
        times = cogen.dynamic("int"), cogen.dynamic("(array int)")
        left = cogen.specialize(cogen.loads(chain(step, length)), "main", *times)
        array = left.to_array()
        sizes[length] = sum(size(f.body) for f in array.facts.program.functions)
        arguments = 7, [(3 * i) % 11 - 2 for i in range(length)]
        assert isinstance(array.facts.program, tree.L0Program)
        assert array.run(*arguments) == interpreted(chain(step, length), arguments)
    for found in (sizes, rounds):
        assert found[40] - found[20] <= 2.2 * (found[20] - found[10]) + 20


def interpreted(text: str, arguments: tuple[int, list[int]]) -> object:
    interpreter = Interpreter(cogen.loads(text), 32)
    interpreter.run()
    return interpreter.call("main", list(arguments))
