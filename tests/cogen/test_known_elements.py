"""What a path has put into a vector of the run, or read of it, is known on it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cogen
from cogen.binding_times import parse_bt
from cogen.lang.errors import CogenError
from tests.cogen.test_families import left, result

INDICES = ["i", "(+ i 1)", "(- i 1)", "(+ 1 (+ i 1))", "j", "(- j 1)", "0", "2"]
VALUES = ["n", "(+ n 1)", "7", "'a", "(list n)", "(vector-ref v i)", "(vector-ref w (- j 1))"]

steps = st.one_of(
    st.tuples(
        st.just("(vector-set! {} {} {})"),
        st.sampled_from("vw"),
        st.sampled_from(INDICES),
        st.sampled_from(VALUES),
    ),
    st.tuples(st.just("(note! {0} {1})"), st.sampled_from("vw"), st.sampled_from(INDICES)),
    st.just(("(vector-fill! {} n)", "w")),
    st.just(("(shift! {})", "v")),
)

PROGRAM = """
(define (shift! v)
  (let loop ((k (- (vector-length v) 1)))
    (if (> k 0)
        (begin (vector-set! v k (vector-ref v (- k 1))) (loop (- k 1))))))
(define (run v w i j n)
  (define seen '())
  (define (note! v i) (set! seen (cons (vector-ref v i) seen)))
  STEPS
  (list seen v w))
"""


def told(run: object, *arguments: object) -> str:
    """What a run gives, or the error that it ends with."""
    try:
        return repr(run(*arguments))  # type: ignore[operator]
    except CogenError as error:
        return str(error).splitlines()[0].partition(": ")[2]


@given(
    st.lists(steps, min_size=3, max_size=12),
    st.booleans(),
    st.integers(-1, 4),
    st.integers(0, 5),
    st.booleans(),
)
def test_what_is_read_is_what_was_put(
    made: list[tuple[str, ...]], same: bool, i: int, j: int, typed: bool
) -> None:
    """Whichever vectors and indices are the same; errors too."""
    text = "\n  ".join(form.format(*parts) for form, *parts in made)
    program = cogen.loads(PROGRAM.replace("STEPS", text))
    times = [parse_bt(bt) for bt in ("_", "_", *("(dynamic int)" if typed else "_" for _ in "ijn"))]
    found = cogen.specialize(program, "run", *times)
    one, other = [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]
    wanted = told(result, program, "run", one, one if same else [*one], i, j, 9)
    assert told(left, found, other, other if same else [*other], i, j, 9) == wanted


STACK = """
(define (run stack sp)
  (vector-set! stack sp 2)
  (vector-set! stack (+ sp 1) 3)
  (vector-set! stack sp (< (vector-ref stack sp) (vector-ref stack (+ sp 1))))
  (if (vector-ref stack (- (+ sp 1) 1)) (vector-ref stack (- sp 1)) 'never))
"""


def test_a_stack_that_a_run_has_decides_what_is_known() -> None:
    """What was pushed is known when it is popped, relative to the stack pointer."""
    program = cogen.loads(STACK)
    found = cogen.specialize(program, "run", parse_bt("_"), parse_bt("(dynamic int)"))
    assert found.scheme.count("vector-ref") == 1
    assert "never" not in found.scheme
    assert found.to_python()((5, 0, 0), 1) == 5


@pytest.mark.parametrize("other", ["(vector-set! w i 5)", "(vector-fill! w 5)", "(f)"])
def test_what_may_have_changed_is_read_again(other: str) -> None:
    """An assignment of what may be the same vector, or a call of what is not known."""
    text = f"(define (run v w f i) (vector-set! v i 1) {other} (vector-ref v i))"
    found = cogen.specialize(cogen.loads(text), "run", *[parse_bt("_")] * 4)
    assert found.scheme.count("vector-ref") == 1
