"""`clean`: what residual programs look like afterwards; see `test_clean_passes` for each pass."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogen.lang import il
from cogen.lang.errors import InternalError
from cogen.lang.iltext import check, show
from cogen.lang.ilutil import all_blocks
from cogen.specializer.passes.clean import PASSES, clean
from cogen.specializer.versions.graph import RawBlock, RawFunction, RawProgram, unclean
from tests.cogen.rawgraphs import behaviour, random_program, raw
from tests.everyday import is_long

FACT = """
(program
  (define fact
    (lambda (n.1) k.1
      ((conts
         (fact.2 (n.2)
           ((let t.3 (= n.2 '0))
            (if t.3
              ((jump k.1 '1))
              ((let m.4 (- n.2 '1))
               (conts (k.5 (x.6) ((let p.7 (* n.2 x.6)) (jump k.1 p.7))))
               (call (global fact.8) (m.4) k.5))))))
       (jump fact.2 n.1))))
  (define fact.8
    (lambda (n.9) k.10
      ((conts
         (fact.11 (n.12)
           ((let t.13 (= n.12 '0))
            (if t.13
              ((jump k.10 '1))
              ((let m.14 (- n.12 '1))
               (conts (k.15 (x.16) ((let p.17 (* n.12 x.16)) (jump k.10 p.17))))
               (call (global fact.8) (m.14) k.15))))))
       (jump fact.11 n.9)))))
"""

DOT = """
(program
  (define dot
    (lambda (a.1 b.1 n.1) k.1
      ((conts
         (dot.2 (a.2 b.2 n.2) ((jump loop.3 a.2 b.2 n.2 '0 '0)))
         (loop.3 (a.3 b.3 n.3 i.3 s.3)
           ((let t.4 (< i.3 n.3))
            (if t.4
              ((let x.4 (vector-ref a.3 i.3))
               (let y.4 (vector-ref b.3 i.3))
               (let c.4 (< x.4 y.4))
               (if c.4
                 ((let p.4 (* x.4 y.4))
                  (let s.4 (+ s.3 p.4))
                  (jump loop.5 a.3 b.3 n.3 i.3 s.4))
                 ((jump loop.5 a.3 b.3 n.3 i.3 s.3))))
              ((jump k.1 s.3)))))
         (loop.5 (a.5 b.5 n.5 i.5 s.5)
           ((let j.5 (+ i.5 '1))
            (jump loop.3 a.5 b.5 n.5 j.5 s.5))))
       (jump dot.2 a.1 b.1 n.1)))))
"""

ACKERMANN = """
(program
  (define ack
    (lambda (n.1) k.1
      ((conts (ack.2 (n.2) ((call (global ack.10) (n.2 '2) k.1)))) (jump ack.2 n.1))))
  (define ack.10
    (lambda (n.11 u.11) k.11
      ((conts
         (ack.12 (n.12 u.12)
           ((let z.12 (= n.12 '0))
            (if z.12
              ((call (global ack.20) ('1 u.12) k.11))
              ((let m.12 (- n.12 '1))
               (conts (k.13 (v.13) ((call (global ack.20) (v.13 u.12) k.11))))
               (call (global ack.10) (m.12 u.12) k.13))))))
       (jump ack.12 n.11 u.11))))
  (define ack.20
    (lambda (n.21 u.21) k.21
      ((conts
         (ack.22 (n.22 u.22)
           ((let z.22 (= n.22 '0))
            (if z.22
              ((let w.22 (+ '1 '1)) (jump k.21 w.22))
              ((let m.22 (- n.22 '1))
               (conts (k.23 (v.23) ((let w.23 (+ v.23 '1)) (jump k.21 w.23))))
               (call (global ack.20) (m.22 u.22) k.23))))))
       (jump ack.22 n.21 u.21)))))
"""

NESTED = """
(program
  (define sum
    (lambda (v.1 n.1 m.1) k.1
      ((conts
         (sum.2 (v.2 n.2 m.2) ((jump rows.3 v.2 n.2 m.2 '0 '0)))
         (rows.3 (v.3 n.3 m.3 i.3 s.3)
           ((let t.3 (< i.3 n.3))
            (if t.3 ((jump columns.4 v.3 n.3 m.3 i.3 '0 s.3)) ((jump k.1 s.3)))))
         (columns.4 (v.4 n.4 m.4 i.4 j.4 s.4)
           ((let t.4 (< j.4 m.4))
            (if t.4
              ((let p.4 (* i.4 m.4))
               (let q.4 (+ p.4 j.4))
               (let x.4 (vector-ref v.4 q.4))
               (let s.5 (+ s.4 x.4))
               (let j.5 (+ j.4 '1))
               (jump columns.4 v.4 n.4 m.4 i.4 j.5 s.5))
              ((let i.5 (+ i.4 '1)) (jump rows.3 v.4 n.4 m.4 i.5 s.4))))))
       (jump sum.2 v.1 n.1 m.1)))))
"""


def cleaned(text: str, **options: object) -> str:
    """The text of the cleaned program, checked."""
    program = clean(raw(text), **options)  # type: ignore[arg-type]
    check(program)
    return show(program)


def loops(program: il.Program) -> dict[str, int]:
    """The parameter counts of the loops and joins, by name."""
    return {
        cont.name: len(cont.parameters)
        for block in all_blocks(program)
        for binding in block.bindings
        if isinstance(binding, il.Conts)
        for cont in binding.conts
        if not cont.name.startswith("k")
    }


def test_recursion_whose_first_copy_was_unrolled_is_one_procedure():
    assert (
        cleaned(FACT)
        == """\
(program
  (define fact
    (lambda (n) k
      ((let t (= n '0))
       (if t
         ((jump k '1))
         ((let m (- n '1))
          (conts (k-1 (x) ((let p (* n x)) (jump k p))))
          (call (global fact) (m) k-1)))))))
"""
    )


def test_loop_with_a_join_keeps_only_what_changes():
    assert (
        cleaned(DOT)
        == """\
(program
  (define dot
    (lambda (a b n) k
      ((conts
         (loop-1 (i s)
           ((let t (< i n))
            (if t
              ((let x (vector-ref a i))
               (let y (vector-ref b i))
               (let c (< x y))
               (conts (loop-2 (s-1) ((let j (+ i '1)) (jump loop-1 j s-1))))
               (if c
                 ((let p (* x y)) (let s-2 (+ s p)) (jump loop-2 s-2))
                 ((jump loop-2 s))))
              ((jump k s))))))
       (jump loop-1 '0 '0)))))
"""
    )


def test_ackermann_loses_its_unused_parameter():
    program = clean(raw(ACKERMANN))
    check(program)
    sizes = {i.name: len(i.function.parameters) for i in program.items if isinstance(i, il.Define)}
    assert sizes == {"ack": 1, "ack-1": 1}
    assert behaviour(program, "ack", [3]) == behaviour(unclean(raw(ACKERMANN)), "ack", [3])


def test_nested_loops_have_minimal_parameters():
    program = clean(raw(NESTED))
    check(program)
    assert loops(program) == {"rows-1": 2, "columns-1": 2}
    arguments = [[1, 2, 3, 4, 5, 6], 2, 3]
    assert behaviour(program, "sum", arguments) == ("", "21")


def test_irreducible_graph_is_one_group():
    text = """
    (program
      (define main
        (lambda (n.1) k.1
          ((conts
             (main.2 (n.2)
               ((let t.2 (< n.2 '5)) (if t.2 ((jump even.3 n.2)) ((jump odd.4 n.2)))))
             (even.3 (n.3) ((let d.3 (display n.3)) (let m.3 (- n.3 '1)) (jump odd.4 m.3)))
             (odd.4 (n.4)
               ((let t.4 (< n.4 '0))
                (if t.4 ((jump k.1 n.4)) ((let m.4 (- n.4 '2)) (jump even.3 m.4))))))
           (jump main.2 n.1)))))
    """
    program = clean(raw(text))
    check(program)
    groups = [
        [cont.name for cont in binding.conts]
        for block in all_blocks(program)
        for binding in block.bindings
        if isinstance(binding, il.Conts)
    ]
    assert groups == [["even-1", "odd-1"]]
    for n in (-3, 0, 4, 5, 9):
        assert behaviour(program, "main", [n]) == behaviour(unclean(raw(text)), "main", [n])


def test_joins_that_do_not_form_a_cycle_are_bound_in_order():
    text = """
    (program
      (define main
        (lambda (x.1 y.1) k.1
          ((conts
             (main.2 (x.2 y.2)
               ((if x.2
                  ((if y.2 ((jump a.3 '1)) ((jump b.4 '2))))
                  ((if y.2 ((jump b.4 '3)) ((jump a.3 '4)))))))
             (a.3 (u.3) ((let d.3 (display u.3)) (jump b.4 u.3)))
             (b.4 (u.4) ((let d.4 (display u.4)) (let e.4 (display u.4)) (jump k.1 u.4))))
           (jump main.2 x.1 y.1)))))
    """
    assert (
        cleaned(text)
        == """\
(program
  (define main
    (lambda (x y) k
      ((conts (b-1 (u) ((let d (display u)) (let e (display u)) (jump k u))))
       (conts (a-1 (u-1) ((let d-1 (display u-1)) (jump b-1 u-1))))
       (if x
         ((if y ((jump a-1 '1)) ((jump b-1 '2))))
         ((if y ((jump b-1 '3)) ((jump a-1 '4)))))))))
"""
    )


def test_entry_keeps_all_parameters_in_order():
    text = """
    (program
      (define main
        (lambda (unused.1 x.1 other.1) k.1
          ((conts (main.2 (a.2 b.2 c.2) ((jump k.1 b.2)))) (jump main.2 unused.1 x.1 other.1)))))
    """
    assert cleaned(text) == ("(program (define main (lambda (unused x other) k ((jump k x)))))\n")


def test_names_avoid_each_other_and_syntax():
    text = """
    (program
      (define main
        (lambda (main.1 lambda.1 car.1) k.1
          ((conts
             (main.2 (a.2 b.2 c.2)
               ((let x.3 (car c.2)) (let x.4 (display x.3)) (let x.5 (display a.2))
                (let x.6 (display b.2)) (jump k.1 x.3))))
           (jump main.2 main.1 lambda.1 car.1)))))
    """
    assert (
        cleaned(text)
        == """\
(program
  (define main
    (lambda (main-1 lambda-1 car-1) k
      ((let x (car car-1))
       (let x-1 (display x))
       (let x-2 (display main-1))
       (let x-3 (display lambda-1))
       (jump k x)))))
"""
    )


def test_spans_and_labels_survive():
    program = raw(DOT)
    text = program.source.text if program.source else ""
    found = clean(program)
    places = {
        binding.op: text[binding.span.start : binding.span.end]
        for block in all_blocks(found)
        for binding in block.bindings
        if isinstance(binding, il.Let) and binding.span is not None
    }
    assert "(* x.4 y.4)" in places["*"]
    labels = {
        cont.label
        for block in all_blocks(found)
        for binding in block.bindings
        if isinstance(binding, il.Conts)
        for cont in binding.conts
    }
    assert labels == {"loop"}


def test_clean_leaves_its_input_alone():
    program = raw(DOT)
    before = show(unclean(program))
    clean(program)
    assert show(unclean(program)) == before


def test_input_that_breaks_the_laws_is_our_bug():
    lost = RawFunction("main", [], "k", "start")
    lost.blocks["start"] = RawBlock("start", [], il.Block((), il.Jump("nowhere", ())))
    with pytest.raises(InternalError, match="unknown label nowhere"):
        clean(RawProgram({"main": lost}, "main"))
    lost.blocks["start"].body = None
    with pytest.raises(InternalError, match="start has no body"):
        clean(RawProgram({"main": lost}, "main"))
    with pytest.raises(InternalError, match="entry other is missing"):
        clean(RawProgram({"main": lost}, "other"))


@given(st.integers(0, 2**32), st.integers(0, 14), st.data())
def test_cleaned_programs_behave_as_before(seed: int, fuel: int, data: st.DataObject):
    program = random_program(random.Random(seed))
    off = data.draw(st.sets(st.sampled_from([*(p.name for p in PASSES), "names"]), max_size=4))
    steps = data.draw(st.none() | st.integers(0, 40))
    found = clean(program, off, steps)
    check(found)
    count = len(program.functions["main"].parameters) - 1
    arguments = [fuel, *data.draw(st.lists(st.integers(-4, 9), min_size=count, max_size=count))]
    expected = behaviour(unclean(program), "main", arguments)
    if expected is not None:
        assert behaviour(found, "main", arguments) == expected


@given(st.integers(0, 2**32))
def test_cleaning_twice_gives_the_same_text(seed: int):
    program = random_program(random.Random(seed))
    first = clean(program)
    assert show(clean(program)) == show(first)


def test_text_does_not_depend_on_hash_seeds():
    script = (
        "import random; from tests.cogen.rawgraphs import random_program;"
        "from cogen.specializer.passes.clean import clean; from cogen.lang.iltext import show;"
        "print(''.join(show(clean(random_program(random.Random(s)))) for s in range(40)))"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1


def straight(count: int, body: str) -> RawProgram:
    """A program of `count` labelled blocks (see the tests that use it)."""
    blocks = {}
    for i in range(count):
        here, after = f"block.{i}", f"block.{i + 1}" if i + 1 < count else "k"
        x = il.Var(f"x.{i}")
        tail: il.Tail = il.Jump(after, (x,))
        if body == "if":
            arms = il.Block((), il.Jump("k", (x,))), il.Block((), il.Jump(after, (x,)))
            tail = il.If(il.Var(f"t.{i}"), *arms)
        bindings = (il.Let(f"d.{i}", "display", (x,)), il.Let(f"t.{i}", "=", (x, il.Const(i))))
        blocks[here] = RawBlock(here, [f"x.{i}"], il.Block(bindings, tail), "main")
    return RawProgram({"main": RawFunction("main", ["x"], "k", "block.0", blocks, "main")}, "main")


def test_many_blocks_in_a_row_become_one():
    program = clean(straight(10_000, "jump"))
    (block,) = all_blocks(program)
    assert [b.op for b in block.bindings if isinstance(b, il.Let)].count("display") == 10_000


def test_many_blocks_nest_without_recursion():
    count = 10_000 if is_long() else 3_000
    program = clean(straight(count, "if"))
    assert sum(isinstance(block.tail, il.If) for block in all_blocks(program)) == count - 1


def test_a_deep_body_is_flat_work():
    body = il.Block((), il.Jump("k", (il.Var("x.0"),)))
    count = 10_000 if is_long() else 3_000
    for i in range(count):
        other = il.Block((), il.Jump("k", (il.Const(i),)))
        test = il.Let(f"t.{i}", "=", (il.Var("x.0"), il.Const(i)))
        body = il.Block((test,), il.If(il.Var(f"t.{i}"), other, body))
    block = RawBlock("start", ["x.0"], body, "main")
    function = RawFunction("main", ["x"], "k", "start", {"start": block}, "main")
    program = clean(RawProgram({"main": function}, "main"))
    assert sum(1 for _ in all_blocks(program)) == 2 * count + 1
