"""Errors of compiled code: the interpreter's message at the interpreter's place, never a crash."""

from __future__ import annotations

import pytest
from hypothesis import given

from cogen.lang.datum import INT_MAX, INT_MIN
from cogen.lang.errors import LimitationError
from tests.cogen.firstorder import TYPES, Program, programs
from tests.cogen.native import agree, compiled, interpreted, native, residual, same

DIVISIONS = [
    "quotient", "remainder", "modulo", "floor-quotient", "floor-remainder",
    "truncate-quotient", "truncate-remainder",
]  # fmt: skip
PAIRS = [[7, 2], [-7, 2], [7, -2], [-7, -2], [6, 3], [-6, 3], [0, 5], [INT_MAX, -1], [5, -1]]


def binary(op: str, **options: object):
    text = f"(define f (lambda (a b) k ((let r ({op} a b)) (jump k r))))"
    return residual(text, "f", "int", "int", **options)


@pytest.mark.parametrize("op", DIVISIONS)
def test_division_of_all_signs_and_by_zero(op):
    agree(binary(op), *PAIRS, [1, 0], [0, 0], [INT_MIN, 2])


@pytest.mark.parametrize("op", DIVISIONS)
def test_the_one_quotient_that_overflows_does_not_crash(op):
    function = native(binary(op))
    got = compiled(function, [INT_MIN, -1])
    assert got.error is None
    assert got.result in (0, INT_MIN)
    agree(binary(op, checked=True), [INT_MIN, -1], [INT_MIN, 1])


@pytest.mark.one_in(6)
@pytest.mark.parametrize("op", DIVISIONS)
@pytest.mark.parametrize("divisor", [1, 2, 3, 8, 10, 1 << 40, -1, -2, -3, 0])
def test_division_by_a_literal(op, divisor):
    text = f"(define f (lambda (a) k ((let r ({op} a '{divisor})) (jump k r))))"
    numbers = [0, 1, 7, 8, -1, -7, -8, -9, 1 << 41, INT_MAX, INT_MIN + 1]
    agree(residual(text, "f", "int"), *([n] for n in numbers))


def test_powers_of_two_become_shifts_and_masks():
    text = """
    (define f (lambda (a) k (
      (let q (floor-quotient a '32)) (let r (modulo a '32)) (let s (+ q r)) (jump k s))))
    """
    source = native(residual(text, "f", "int")).source
    assert "return (a >> 5) + (a & 31);" in source


def test_exact_division():
    agree(binary("/"), [6, 3], [7, 2], [-8, 2], [5, 0], [8, -2], [9, -2])
    text = "(define f (lambda (a) k ((let r (/ a '8)) (jump k r))))"
    agree(residual(text, "f", "int"), [64], [-64], [63], [-1])


@pytest.mark.parametrize("size", [8, 24, 32, 64])
def test_an_index_out_of_range(size):
    load = "(define f (lambda (buf i) k ((let v (load-word buf i)) (jump k v))))"
    store = """
    (define f (lambda (buf i) k ((let u (store-word! buf i i)) (jump k i))))
    """
    runs = [[bytearray(9), i] for i in (0, 1, -1, 2, 9, 100, INT_MAX, INT_MIN)]
    agree(residual(load, "f", "memory", "int", word_size=size), *runs, [b"", 0])
    agree(residual(store, "f", "memory", "int", word_size=size), *runs, [bytearray(), 0])


def test_a_value_that_is_not_congruent():
    text = "(define f (lambda (a) k ((let q (cyclic-quotient a '24 '5)) (jump k q))))"
    agree(residual(text, "f", "int"), [5], [29], [-19], [6], [0], [-18])


def test_cyclic_quotients_need_a_literal_base():
    for arguments in ("a b '0", "a '8 b", "a '0 '0", "a '-8 '0"):
        text = f"(define f (lambda (a b) k ((let q (cyclic-quotient {arguments})) (jump k q))))"
        with pytest.raises(LimitationError, match="cannot express a cyclic-quotient by"):
            native(residual(text, "f", "int", "int"))
    text = "(define f (lambda (a) k ((let q (cyclic-quotient a '24 '-19)) (jump k q))))"
    agree(residual(text, "f", "int"), [29], [5], [-19], [6])


@pytest.mark.parametrize(
    "irritants",
    ["", "a", "a x", "x p", "'1.5 a", "a a a a", "'\"text\" 'symbol a"],
)
def test_the_error_procedure(irritants):
    text = f"""
    (define f (lambda (a x p) k ((if p ((jump k a)) (
      (let e (error '"it is wrong:" {irritants})) (jump k e))))))
    """
    program = residual(text, "f", "int", "float", "bool")
    agree(program, [3, 0.0, True])
    if irritants == "a a a a":
        outcome = compiled(native(program), [-3, 2.5, False])
        assert outcome.message == "it is wrong: -3 -3 -3 ..."
    else:
        agree(program, [-3, 2.5, False])


def test_raise():
    text = "(define f (lambda (a) k ((let e (raise a)) (jump k e))))"
    agree(residual(text, "f", "int"), [42])


def test_shift_counts():
    for op in ("arithmetic-shift", "word-shift-left", "word-shift-right"):
        runs = [[5, 0], [5, 3], [-5, 2], [5, 64], [5, 1000], [0, 80], [-1, 63]]
        if op == "arithmetic-shift":
            runs = [[5, 0], [5, 3], [-5, 2], [0, 80], [0, INT_MAX], [-1, 63]]
        agree(binary(op), *runs, [5, -1], [-5, -1], [-5, -64], [-5, -1000], [5, INT_MIN])
        for count in (-70, -64, -63, -1, 0, 1, 40, 63, 64, 70):
            text = f"(define f (lambda (a) k ((let r ({op} a '{count})) (jump k r))))"
            values = [0] if op == "arithmetic-shift" and count > 40 else [0, 3, -3]
            agree(residual(text, "f", "int"), *([value] for value in values))


def test_a_float_that_is_no_integer():
    text = "(define f (lambda (x) k ((let n (exact x)) (jump k n))))"
    agree(residual(text, "f", "float"), [3.0], [-0.0], [2.5], [1e18], [1e19], [-1e30],
          [float("nan")], [float("inf")], [-(2.0**63)], [2.0**63])  # fmt: skip


def test_powers():
    agree(binary("expt"), [2, 10], [-3, 3], [1, -5], [-1, -5], [-1, -4], [0, 0], [0, 3], [5, 0],
          [0, -1], [2, -1], [7, 22])  # fmt: skip


def test_an_error_in_a_procedure_that_is_called():
    text = """
    (define g (lambda (a) k1 ((let r (quotient '100 a)) (jump k1 r))))
    (define f (lambda (a) k (
      (conts (k2 (r) ((let s (+ r '1)) (jump k s))))
      (call (global g) (a) k2))))
    """
    function = agree(residual(text, "f", "int"), [5], [0])
    assert "if (error->code != 0) {" in function.source


CHECKED = [
    ("+", [INT_MAX, 1], [INT_MIN, -1], [INT_MAX, 0]),
    ("-", [INT_MIN, 1], [INT_MAX, -1], [0, INT_MIN]),
    ("*", [INT_MAX, 2], [INT_MIN, -1], [1 << 32, 1 << 31], [3, 4]),
    ("gcd", [INT_MIN, 0], [INT_MIN, INT_MIN], [12, -18]),
    ("lcm", [INT_MAX, 2], [INT_MIN, 1], [4, 6], [0, 5]),
    ("expt", [2, 63], [2, 62], [-2, 63], [-2, 64], [10, 19], [3, 1000]),
    ("arithmetic-shift", [1, 63], [1, 62], [-1, 63], [-1, 64], [0, 100], [5, 1000], [-2, 63]),
    ("/", [INT_MIN, -1], [INT_MIN, 1]),
    ("word-add", [INT_MAX, 1], [INT_MIN, -1]),
    ("word-mul", [INT_MAX, INT_MAX], [INT_MIN, -1]),
]


@pytest.mark.parametrize(("op", "runs"), [(op, runs) for op, *runs in CHECKED])
def test_checked_code_reports_overflow(op, runs):
    agree(binary(op, checked=True), *runs)


@pytest.mark.parametrize("op", ["abs", "square", "-"])
def test_checked_code_reports_overflow_of_one_operand(op):
    operand = "'0 a" if op == "-" else "a"
    text = f"(define f (lambda (a) k ((let r ({op} {operand})) (jump k r))))"
    agree(residual(text, "f", "int", checked=True), [INT_MIN], [5], [-5], [INT_MIN + 1], [1 << 32])


@pytest.mark.parametrize("count", [1, 3, 62, 63, 64, 100])
def test_checked_code_reports_overflow_of_literal_shifts(count):
    text = f"(define f (lambda (a) k ((let r (arithmetic-shift a '{count})) (jump k r))))"
    agree(residual(text, "f", "int", checked=True), [0], [1], [-1], [INT_MAX], [INT_MIN], [-2])


def test_checked_code_has_no_checks_where_nothing_can_overflow():
    text = """
    (define f (lambda (a b) k (
      (let x (bitwise-and a '255)) (let y (bitwise-and b '255))
      (let p (* x y)) (let s (+ p x)) (jump k s))))
    """
    function = agree(residual(text, "f", "int", "int", checked=True), [-1, -1], [3, 4])
    assert "overflow" not in function.source


WALK = """
(define f (lambda (buf from to) k (
  (conts (loop (i s) (
    (let t ({test}))
    (if t {arms}))))
  (jump loop from '0))))
"""


@pytest.mark.one_in(26)
@pytest.mark.parametrize(
    ("test", "stays", "step"),
    [("= i to", False, 1), ("= i to", False, -1), ("= i to", False, 3), ("= i to", False, -2),
     ("< i to", True, 1), ("< i to", True, 4), ("<= i to", True, 1), ("<= i to", True, 3),
     ("> i to", True, -1), (">= i to", True, -3), (">= i to", False, 2), ("> i to", False, 1),
     ("= to i", False, 1), ("> to i", True, 2)],
)  # fmt: skip
@pytest.mark.parametrize("index", ["i", "(+ i '2)", "(- i '1)", "(* i '2)", "(- '9 i)"])
def test_the_check_before_a_loop_is_as_exact_as_checks_inside(test, stays, step, index):
    """A loop that goes up to ten words; all starts and ends around the buffer's."""
    at = "" if index == "i" else f"(let j {index})"
    name = "i" if index == "i" else "j"
    body = f"({at} (let v (load-word buf {name})) (let s2 (+ s v)) (let n (+ i '{step}))"
    body += " (jump loop n s2))"
    arms = f"{body} ((jump k s))" if stays else f"((jump k s)) {body}"
    text = WALK.format(test=test, arms=arms)
    program = residual(text, "f", "memory", "int", "int", word_size=8)
    function = native(program)
    assert function.source.count("soonest") >= 2
    buffer = bytes(range(10))
    for start in (-2, 0, 1, 5, 9, 10, 12):
        for end in (-3, -1, 0, 2, 9, 10, 11, INT_MAX, INT_MIN):
            expected = interpreted(program, [buffer, start, end])
            got = compiled(function, [buffer, start, end])
            assert (got.message, got.place) == (expected.message, expected.place), (start, end)
            assert same(got.result, expected.result), (start, end)


def test_the_access_that_fails_first_is_reported():
    text = """
    (define f (lambda (a b n) k (
      (conts (loop (i) (
        (let t (= i n))
        (if t ((jump k '0)) (
          (let j (+ i '2))
          (let x (load-word a i))
          (let y (load-word b j))
          (let u (store-word! b i x))
          (let i2 (+ i '1))
          (jump loop i2))))))
      (jump loop '0))))
    """
    program = residual(text, "f", "memory", "memory", "int", word_size=8)
    sizes = [(5, 9), (9, 5), (3, 5), (5, 7), (0, 5), (5, 1)]
    agree(program, *([bytes(a), bytearray(b), n] for a, b in sizes for n in (0, 3, 7)))


def test_an_endless_loop_is_not_entered_when_it_must_fail():
    text = WALK.format(
        test="= i to",
        arms="""((jump k s)) (
        (let v (load-word buf i)) (let s2 (+ s v)) (let n (+ i '2)) (jump loop n s2))""",
    )
    agree(residual(text, "f", "memory", "int", "int"), [bytes(40), 0, 5], [bytes(40), 3, 2])


def test_conditional_accesses_are_checked_where_they_are():
    text = """
    (define f (lambda (buf n) k (
      (conts (loop (i s) (
        (let t (= i n))
        (if t ((jump k s)) (
          (let e (even? i))
          (let n2 (+ i '1))
          (if e ((let v (load-word buf i)) (let s2 (+ s v)) (jump loop n2 s2))
                ((jump loop n2 s))))))))
      (jump loop '0 '0))))
    """
    agree(residual(text, "f", "memory", "int", word_size=8), *([bytes(8), n] for n in (0, 7, 8, 9)),
          [bytes(8), 10])  # fmt: skip


def test_an_operation_without_a_rule_is_a_limitation_at_its_place():
    text = "(define f (lambda (a) k ((let s (number->string a '10)) (jump k s))))"
    with pytest.raises(LimitationError) as caught:
        native(residual(text, "f", "int"))
    assert "number->string" in caught.value.message
    assert str(caught.value.span).endswith("1:35")
    assert "to_python()" in (caught.value.hint or "")


@pytest.mark.parametrize("operation", ["* '64", "* '-1", "+ '-1", "- '-2"])
def test_constants_whose_result_does_not_fit(operation):
    """Without checks anything may come out, with them it is reported."""
    text = f"(define f (lambda (a) k ((let x ({operation} '{{}})) (let y (* a '0)) (jump k x))))"
    text = text.format(2**63 - 1 if operation[0] == "-" else -(2**63))
    assert type(native(residual(text, "f", "int"))(1)) is int
    checked = compiled(native(residual(text, "f", "int", checked=True)), [1])
    assert "does not fit" in (checked.message or "")


@given(programs())
def test_random_programs_agree(program: Program):
    _check(program, checked=False)


@given(programs())
def test_random_checked_programs_agree(program: Program):
    _check(program, checked=True)


def _check(program: Program, checked: bool) -> None:
    made = residual(program.text, "main", *TYPES, word_size=program.word_size, checked=checked)
    function = native(made)
    for arguments in program.arguments:
        expected = interpreted(made, arguments)
        if expected.message is not None and "does not fit" in expected.message and not checked:
            continue  # anything may happen
        got = compiled(function, arguments)
        if expected.error is None:
            assert got.message is None
            assert same(got.result, expected.result)
            assert got.buffers == expected.buffers
        elif not _unneeded(expected.message):
            assert got.message is not None
            # of several failures of a loop, the check before it may find a later one
            assert got.place == expected.place or "word index" in got.message


def _unneeded(message: str | None) -> bool:
    """Overflow of an operation whose value nobody needs may go unnoticed."""
    return message is not None and "does not fit" in message
