"""Frames of native procedures: where variables are over calls, and that a collection finds them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cogen.api import loads
from cogen.backends.native.compile import PASSES
from cogen.backends.native.context import NativeContext
from cogen.backends.native.frames import IN_REGISTERS, FrameLayout
from cogen.backends.native.module import ProgramText
from cogen.backends.native.regions import START, CodeRegions, is_return, returned_to
from cogen.lang import il
from tests.cogen.nativecode.running import agree

MANY = """
(define calls '())
(define (note x) (set! calls (cons x calls)) (list x))
(define (pick n) (if (odd? n) (list n) #f))
(define (walk a b c d e f g l)
  (let loop ((l l) (made '()))
    (if (null? l)
        (append (note a) (note b) c d e f g made)
        (let ((x (pick (car l))))
          (if x
              (let inner ((k 0) (made made))
                (if (< k 3)
                    (inner (+ k 1) (append (note (+ k (car x))) made))
                    (loop (cdr l) (append made x b))))
              (let ((y (note (car l))))
                (if (> (car y) 4)
                    (let ((z (note a)))
                      (if (pair? z) (loop (cdr l) (append c z made)) (loop (cdr l) made)))
                    (loop (cdr l) (append made d y)))))))))
(write (walk 1 '(2) '(3) '(4) '(5) '(6) '(7) '(1 2 3 4 5 6 7 8)))
(write calls)
"""
"""A loop with many variables around calls, in branches that need different ones."""

AGAIN = """
(define kept #f)
(define rounds 0)
(define (ask x) (call/cc (lambda (k) (set! kept k) x)))
(define (f a b c d e)
  (let* ((p (ask (list a))) (q (list b p)) (r (ask (list c))) (s (append q r (list d))))
    (set! rounds (+ rounds 1))
    (append (list e) s p)))
(let ((found (f 1 2 3 4 5)))
  (write found)
  (if (< rounds 4) (kept (list rounds rounds))))
"""
"""Frames that are returned to more than once."""

DEEP = """
(define (tree n a b c d)
  (if (= n 0)
      (list a b c d)
      (let* ((l (tree (- n 1) b c d n)) (r (tree (- n 1) a (length l) c d)))
        (let loop ((i 0) (l l) (s 0))
          (cond ((null? l) (list s i a b (car r)))
                ((pair? (car l)) (loop (+ i 1) (cdr l) (+ s (length (car l)))))
                (else (loop (+ i 1) (cdr l) (+ s (length r)))))))))
(write (tree 9 1 2 3 4))
(define (down n l) (if (= n 0) l (let ((x (cons n l))) (cons (car x) (down (- n 1) (cdr x))))))
(write (length (down 100000 '(1 2))))
"""

CLOSED = """
(define (make a b c)
  (lambda (l)
    (let loop ((l l) (n 0))
      (if (null? l)
          (list n a b c)
          (let ((x (map (lambda (y) (+ y a)) (list (car l)))))
            (loop (cdr l) (+ n (car x) (length b))))))))
(define (float-sum l x)
  (let loop ((l l) (s x) (t 0.5))
    (if (null? l) (list s t x) (let ((y (map - l))) (loop (cdr y) (+ s (car l)) (* t 2.0))))))
(write ((make 1 '(2 3) "c") '(4 5 6)))
(write (float-sum '(1 2 3) 1.5))
"""

PROGRAMS = {"many": MANY, "again": AGAIN, "deep": DEEP, "closed": CLOSED}


@pytest.mark.one_in(2)
@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_collections_find_what_is_kept(name: str) -> None:
    assert agree(PROGRAMS[name], guard=name != "deep").err == ""


def contexts(text: str) -> Iterator[NativeContext]:
    """The procedures and items of a program, as its code is written from them."""
    program = loads(text, "test.scm")
    for _, run in PASSES:
        program = run(program, None)
    module = ProgramText(program, None, 32)
    for procedure in module.procedures:
        f = procedure.function
        yield NativeContext(module, procedure, f.body, f.cont, f.name)
    for item in program.items:
        if not isinstance(item, il.Define):
            yield NativeContext(module, None, item.body, item.cont, "item")


def entries(regions: CodeRegions, name: str) -> set[str]:
    """The C functions from which a continuation is jumped to."""
    found = {node.owner for node in regions.nodes.values() if name in node.goes_to}
    return found | {back for back in regions.returns if returned_to(back) == name}


def hold(regions: CodeRegions, frames: FrameLayout) -> None:
    """The laws of a layout."""
    for name, kept in frames.kept.items():
        slots = {frames.slots[variable] for variable in kept}
        assert len(slots) == len(kept)
        assert slots.isdisjoint(frames.free(name))
        assert slots.union(frames.free(name)) == set(range(frames.words(name)))
        node = regions.nodes[returned_to(name) if is_return(name) else name]
        assert kept <= node.live
        if is_return(name):
            assert kept == node.live
        elif name != START:
            assert kept.union(frames.passed[name]) == node.live
            assert kept.isdisjoint(frames.passed[name])
            in_registers = len(frames.passed[name]) + len(node.parameters)
            assert in_registers <= max(IN_REGISTERS, len(node.parameters))
            assert entries(regions, name)


@pytest.mark.quick
@pytest.mark.parametrize("name", PROGRAMS)
def test_variables_that_are_kept_together_have_slots_of_their_own(name: str) -> None:
    for context in contexts(PROGRAMS[name]):
        hold(context.regions, context.frames)


@pytest.mark.quick
def test_a_loop_around_calls_passes_nothing_that_stays() -> None:
    """What does not change is stored once, and in no round again."""
    text = """
    (define (g l) (if (pair? l) (g (cdr l)) l))
    (define (f a b c d e l)
      (let loop ((l l) (n 0))
        (if (null? l)
            (list a b c d e n)
            (let ((x (g (car l)))) (loop (cdr l) (if (null? x) (+ n (length (g a))) n))))))
    (f '() 2 3 4 5 '(6 7))
    """
    (f,) = (c for c in contexts(text) if c.procedure and c.procedure.function.name == "f")
    (loop,) = (name for name in f.frames.passed if name.startswith("loop"))
    assert f.frames.passed[loop] == ()
    assert len(f.frames.kept[loop]) == 5
    for name in filter(is_return, f.frames.kept):
        assert f.frames.kept[loop] <= f.frames.kept[name]
        assert f.frames.free(name) == []


@pytest.mark.quick
def test_a_loop_without_calls_passes_what_it_uses() -> None:
    text = """
    (define (f n a b l)
      (let loop ((i 0))
        (cond ((= i n) (g b) (list a b l n))
              ((= (remainder i 9) 8) (g l) (loop (+ i 1)))
              (else (loop (+ i 2))))))
    (define (g l) (if (pair? l) (begin (g (cdr l)) 1) 2))
    (f 100 '(2) '(3) '(1 2))
    """
    (f,) = (c for c in contexts(text) if c.procedure and c.procedure.function.name == "f")
    (loop,) = f.frames.passed
    assert "n" in f.frames.passed[loop]
    assert len(f.frames.passed[loop]) == IN_REGISTERS - 1
    assert len(f.frames.kept[loop]) == 1
