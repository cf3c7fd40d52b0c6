"""Arms for boxes that never come there are left out (`passes.variants`)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cogen.lang.iltext import show
from cogen.specializer.passes.clean import PASSES, clean
from tests.cogen.rawgraphs import raw
from tests.corpus.cases import interpreter
from tests.corpus.measure import measure

pytestmark = pytest.mark.quick


def cleaned(text: str) -> str:
    """A raw program, of which all records are boxes, after this pass alone."""
    program = raw(text)
    off = [p.name for p in PASSES if p.name != "variants"]
    return " ".join(show(clean(replace(program, boxes=program.records), off)).split())


def stack(more: str, third: str = "((jump k.1 '99))") -> str:
    """A loop over a stack of frames `a` and `b`, with an arm for `c`, and code before it."""
    return f"""
    (program (records (a rest) (b rest) (c rest))
      (define main (lambda (n.1) k.1
        ((conts
           (main.2 (n.2) {more})
           (loop.3 (s.3 n.3) (
             (let ta.3 (record-is? (record-type a) s.3))
             (if ta.3
               ((let b.3 (make-record (record-type b) s.3)) (jump loop.3 b.3 n.3))
               ((let tb.3 (record-is? (record-type b) s.3))
                (if tb.3
                  ((let r.3 (record-ref (record-type b) '0 s.3)) (jump end.4 r.3 n.3))
                  {third})))))
           (end.4 (s.4 n.4) (
             (let tb.4 (record-is? (record-type b) s.4))
             (if tb.4 ((jump loop.3 s.4 n.4)) ((jump k.1 n.4))))))
         (jump main.2 n.1)))))"""


MADE = "((let a.2 (make-record (record-type a) n.2)) (jump loop.3 a.2 n.2))"


def test_what_is_made_only_where_it_was_made_has_no_arm() -> None:
    """`c` is made in its own arm alone; `end` is given what was under a `b`, which is an `a`."""
    again = "((let c.3 (make-record (record-type c) s.3)) (jump loop.3 c.3 n.3))"
    text = cleaned(stack(MADE, again))
    assert "(record-type c)" not in text
    assert text.count("(if ") == 1
    assert "(jump k n" in text


def test_each_that_is_made_has_its_arm() -> None:
    both = """((let a.2 (make-record (record-type a) n.2))
               (let c.2 (make-record (record-type c) a.2))
               (let t.2 (< n.2 '0))
               (if t.2 ((jump loop.3 c.2 n.2)) ((jump loop.3 a.2 n.2))))"""
    assert "99" in cleaned(stack(both))
    assert "99" not in cleaned(stack(MADE))


def test_what_was_in_other_structures_may_be_any_that_is_made() -> None:
    kept = """((let c.2 (make-record (record-type c) n.2))
               (let p.2 (cons c.2 n.2))
               (let s.2 (car p.2))
               (jump loop.3 s.2 n.2))"""
    text = cleaned(stack(kept))
    assert "99" in text
    assert "(if " not in text


def test_a_machine_with_return_addresses_has_no_arms_for_versions_given_up() -> None:
    case = next(c for c in interpreter("forth-threaded").cases if c.name == "fib")
    outcome = measure(case)
    assert outcome.interpreted == outcome.python == "yes"
    assert outcome.text.count("define-record-type") == 3
    assert outcome.ratio < 2.1, outcome.text


@pytest.mark.slow
def test_machines_are_in_proportion_to_their_programs() -> None:
    """Each return of a word goes to where the word is called, and not to where others are."""
    outcomes = [measure(interpreter("forth-threaded").grown(factor)) for factor in (1, 2, 4)]
    assert [outcome.interpreted for outcome in outcomes] == ["yes"] * 3
    once, double, four = [outcome.size for outcome in outcomes]
    assert four - double <= 2.1 * (double - once)
    assert outcomes[2].work <= 2.5 * outcomes[1].work
