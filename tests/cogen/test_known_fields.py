"""What a path has put into a field of a record of the run, or read of it, is known on it; what is
put there and assigned again before anybody sees it is left out (`passes.overwritten`)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cogen
from cogen.lang.printer import write_datum
from tests.cogen.test_families import left, residual, result

VALUES = ["n", "(+ n 1)", "7", "'a", "(x a)", "(+ (x b) 1)", "(y a)", "(- (y b) 1)"]

steps = st.one_of(
    st.tuples(
        st.sampled_from(["(set-x! {} {})", "(set-y! {} {})"]),
        st.sampled_from("ab"),
        st.sampled_from(VALUES),
    ),
    st.tuples(st.sampled_from(["(note! (x {}))", "(note! (y {}))"]), st.sampled_from("ab")),
    st.just(("(rcall bump! {})", "a")),
    st.just(("(vector-set! v k {})", "b")),
    st.just(("(note! (if (equal? {} 1) 1 2))", "a")),
)

PROGRAM = """
(define-record-type machine (make-machine code x y) machine?
  (code code) (x x set-x!) (y y set-y!))
(define (bump! m) (if (number? (x m)) (set-x! m (+ (x m) 1))) (if (eq? (y m) 3) (set-y! m 4)))
(define (run i j k n)
  (define v (vector (make-machine '(push pop) 1 2) (make-machine '(push) 3 'b)))
  (define seen '())
  (define (note! value) (set! seen (cons value seen)))
  (define a (vector-ref v i))
  (define b (vector-ref v j))
  STEPS
  (list seen (x a) (y a) (x b) (y b)))
"""


@given(
    st.lists(steps, min_size=3, max_size=10), st.integers(0, 1), st.integers(0, 1), st.booleans()
)
def test_what_is_read_is_what_was_put(
    made: list[tuple[str, ...]], i: int, j: int, handles: bool
) -> None:
    """Whether the records are the same or not; errors too."""
    code = "\n  ".join(form.format(*parts) for form, *parts in made)
    if handles:
        code = f"(guard (e (#t (note! 'failed))) {code})"
    text = PROGRAM.replace("STEPS", code)
    program, found = cogen.loads(text), residual(text, "run", "_", "_", "_", "_")
    for n in (3, 0):
        arguments = i, j, 1, n
        try:
            wanted = write_datum(result(program, "run", *arguments))
        except cogen.CogenError:
            with pytest.raises(cogen.CogenError):
                left(found, *arguments)
        else:
            assert write_datum(left(found, *arguments)) == wanted


def test_a_machine_of_the_run_keeps_its_code() -> None:
    """A stack's pointer that is a field is read once between calls, and assigned once; the code,
    a list that nothing assigns, is known."""
    text = """
    (define-record-type vm (make-vm code stack sp) vm? (code code) (stack stack) (sp sp set-sp!))
    (define (push! m x) (vector-set! (stack m) (sp m) x) (set-sp! m (+ (sp m) 1)))
    (define (pop! m) (set-sp! m (- (sp m) 1)) (vector-ref (stack m) (sp m)))
    (define (call m name)
      (for-each (lambda (i) (step m i)) (cdr (assq name (code m)))))
    (define (step m i)
      (cond ((number? i) (push! m i))
            ((eq? i '*) (push! m (* (pop! m) (pop! m))))
            ((eq? i '-) (let ((b (pop! m))) (push! m (- (pop! m) b))))
            ((eq? i 'dup) (let ((x (pop! m))) (push! m x) (push! m x)))
            ((eq? (car i) 'if)
             (if (= 0 (pop! m)) (push! m 1) (for-each (lambda (i) (step m i)) (cdr i))))
            (else (call m (cadr i)))))
    (define (run n)
      (let ((m (make-vm '((fact dup (if dup 1 - (call fact) *))) (make-vector 100 0) 0)))
        (push! m n)
        (call m 'fact)
        (pop! m)))
    """
    found = residual(text, "run", "_")
    program = cogen.loads(text)
    for n in (0, 1, 6):
        assert write_datum(left(found, n)) == write_datum(result(program, "run", n))
    assert "assq" not in found.scheme
    body = found.scheme[found.scheme.index("(call") :]
    assert body.count("set-sp!") <= 6
