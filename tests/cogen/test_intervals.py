"""Tests, clamps and masks that the bounds of integers make needless are left out."""

from __future__ import annotations

import pytest

import cogen
from tests.cogen.textbook import call, operations, residual_of, text_of

pytestmark = pytest.mark.quick

CLIP = "(define (clip i) (if (< i 0) 0 (if (> i 255) 255 i)))"
INT, MEMORY = "(dynamic int)", "(dynamic memory)"


@pytest.mark.parametrize("clip", [CLIP, "(define (clip i) (max 0 (min 255 i)))"])
def test_after_a_test_of_its_bounds_a_number_needs_no_clipping(clip: str) -> None:
    residual = residual_of(f"{clip} (define (f i) (if (< 10 i 100) (clip (+ i 20)) -1))", "f", INT)
    assert text_of(residual) == "(define (f i) (if (and (< 10 i) (< i 100)) (+ i 20) -1))"


def test_a_test_in_the_other_arm_is_still_there() -> None:
    residual = residual_of(f"{CLIP} (define (f i) (if (> i 255) 1 (clip i)))", "f", INT)
    assert operations(residual)["if"] == 2
    assert [call(residual, i) for i in (-1, 7, 255, 256)] == [0, 7, 255, 1]


@pytest.mark.parametrize(
    "clipped",
    ["(max 0 (min x 255))", "(max (min 255 x) 0)", "(min 255 (max x 0))", "(max x (min 0 x))"],
)
def test_bounds_decide_whichever_operand_they_are_of(clipped: str) -> None:
    text = f"(define (f b) (let ((x (bitwise-and (load-word b 0) 255))) {clipped}))"
    made = cogen.specialize(cogen.loads(text), "f", cogen.dynamic("memory")).scheme
    assert "(define (f b) (bitwise-and (load-word b 0) 255))" in made


def test_masks_and_sums_of_samples_need_no_saturation() -> None:
    residual = residual_of(
        f"""{CLIP}
        (define (f a i)
          (clip (+ (bitwise-and 127 (load-word a i)) (bitwise-and 127 (load-word a (+ i 1))))))
        """,
        "f", MEMORY, INT,
    )  # fmt: skip
    assert operations(residual)["if"] == 0


def test_a_clamped_sample_needs_no_mask() -> None:
    residual = residual_of(
        "(define (f a x) (store-bits! a 0 255 (max 0 (min 255 x))))", "f", MEMORY, INT
    )
    assert operations(residual)["bitwise-and"] == 1  # of what the word was before


def test_a_sign_tells_which_division_it_is() -> None:
    residual = residual_of("(define (f a) (quotient (load-word a 0) 8))", "f", MEMORY)
    assert text_of(residual) == "(define (f a) (floor-quotient (load-word a 0) 8))"


def test_bounds_go_through_memo_points() -> None:
    residual = residual_of(
        """
        (define (f a n)
          (let* ((x (bitwise-and (load-word a 0) 15)) (y (if (odd? n) (+ n 1) n)))
            (if (> x 15) 0 (+ x y))))
        """,
        "f", MEMORY, INT,
    )  # fmt: skip
    assert operations(residual)["if"] == 1


def test_an_arrival_that_does_not_keep_the_bounds_takes_them_away() -> None:
    residual = residual_of(
        """
        (define (f a n)
          (let loop ((x (bitwise-and (load-word a 0) 15)) (n n))
            (if (> n 0)
                (loop (if (> x 15) (+ x 1) (+ x 8)) (- n 1))
                x)))
        """,
        "f", MEMORY, INT,
    )  # fmt: skip
    assert call(residual, bytes([9, 0, 0, 0]), 4) == 9 + 8 + 3


def test_a_counter_that_starts_at_0_is_never_negative() -> None:
    residual = residual_of(
        """
        (define (f a n)
          (let loop ((i (lift 0)) (s (lift 0)))
            (cond ((= i n) s)
                  ((< i 0) (error "no"))
                  (else (loop (+ i 1) (+ s (load-word a i)))))))
        """,
        "f", MEMORY, INT,
    )  # fmt: skip
    assert operations(residual)["if"] == 1


def test_bounds_of_a_loop_with_a_known_end() -> None:
    residual = residual_of(
        """
        (define (f a)
          (let loop ((i (lift 0)) (s (lift 0)))
            (if (< i 100)
                (loop (+ i 1) (+ s (if (> i 99) 1000 (load-word a i))))
                (if (> i 100) -1 s))))
        """,
        "f", MEMORY,
    )  # fmt: skip
    assert operations(residual)["if"] == 1


@pytest.mark.parametrize(
    "step", ["(+ i 1)", "(* i 2)", "(+ i (bitwise-and n 3))", "(quotient i 2)"]
)
def test_known_answers_do_not_unroll_a_loop(step: str) -> None:
    residual = residual_of(
        f"""
        (define (f n)
          (let loop ((i (bitwise-and n 255)) (j (lift 0)))
            (if (and (< i 1000000) (< j n)) (loop {step} (+ j 1)) (+ i j))))
        """,
        "f", INT,
    )  # fmt: skip
    assert sum(operations(residual).values()) < 40
    again = residual_of(
        "(define (f n) (let loop ((i (bitwise-and n 255))) "
        "(if (< i (+ 1000 (bitwise-and n 15))) (loop (+ i 1)) i)))",
        "f", INT,
    )  # fmt: skip
    assert sum(operations(again).values()) < 40


@pytest.mark.parametrize(("rounds", "blocks"), [(1, 1), (256, 1), (257, 2), (514, 3)])
def test_so_many_times_a_conditional_is_decided_at_once(rounds: int, blocks: int) -> None:
    """Of a new variable in each round; behind a memo point it is decided as well."""
    residual = residual_of(
        f"""
        (define (f x)
          (let loop ((k 0) (s x))
            (if (= k {rounds})
                s
                (let ((t (bitwise-and (* s s) 255)))
                  (if (< t 256) (loop (+ k 1) t) (error "no"))))))
        """,
        "f", INT,
    )  # fmt: skip
    assert residual.statistics["residual blocks"] == blocks
    assert operations(residual)["if"] == 0


def test_new_variables_without_end_do_not_unroll_a_loop() -> None:
    text = "(define (f x) (let loop ((s (bitwise-and x 15))) (if (< s 16) (loop {step}) s)))"
    residual = residual_of(text.format(step="(bitwise-and (* 3 s) 15)"), "f", INT)
    assert sum(operations(residual).values()) < 1000


@pytest.mark.parametrize(
    ("operands", "blocks"),
    [
        ("(list x y z)", 1),
        ("(list x x x)", 1),
        ("(list (+ x 1) (+ y 2) (+ z 3))", 1),
        ("(list (+ x 1) (+ x 1) (+ x 1))", 1),
        ("(list x (+ x 1))", 2),
        ("(list (+ x 1) (+ x 2))", 2),
        ("(list 1 2 3)", 2),
        ("(list 1 1 1)", 1),
    ],
)
def test_a_conditional_is_decided_at_once_of_fresh_operands(operands: str, blocks: int) -> None:
    residual = residual_of(
        f"""
        (define (f b n)
          (let* ((x (bitwise-and (load-word b 0) 255))
                 (y (bitwise-and (load-word b 1) 127))
                 (z (bitwise-and (load-word b 2) 63))
                 (limit (+ 5000 (bitwise-and n 15))))
            (let loop ((l {operands}))
              (if (null? l) 'all (if (< (car l) limit) (loop (cdr l)) (error "no"))))))
        """,
        "f", MEMORY, INT,
    )  # fmt: skip
    assert residual.statistics["residual blocks"] == blocks
    assert operations(residual)["if"] == 0


def test_floats_are_not_taken_for_integers() -> None:
    residual = residual_of(
        "(define (f x) (if (< x 10) (if (> x 9) 'between 'below) 'above))", "f", "_"
    )
    assert call(residual, "9.5").name == "between"


def test_cyclic_values_have_the_bounds_of_their_quotients() -> None:
    residual = residual_of(
        "(define (f i) (if (< i 64) (if (> i 63) 1 (if (< i 57) 2 3)) 4))", "f", "(cyclic 8 0)"
    )
    assert operations(residual)["if"] == 1
    assert [call(residual, i) for i in (48, 56, 64)] == [2, 2, 4]


def test_what_one_arm_tells_of_bits_is_not_known_in_the_other() -> None:
    residual = residual_of(
        """
        (define (f x y)
          (let ((both (bitwise-ior x y)))
            (if (and (< -1 x 16) (= y 16))
                (bitwise-and (bitwise-ior x y) 31)
                (bitwise-and (bitwise-ior both 0) 31))))
        """,
        "f", INT, INT,
    )  # fmt: skip
    assert [call(residual, *pair) for pair in ((3, 16), (100, 16), (3, 64))] == [19, 20, 3]
