"""C from first-order IL: agrees with the interpreter, and looks as it should."""

from __future__ import annotations

import re

import pytest

from cogen.backends.kernel.c import emit
from cogen.lang.errors import LimitationError
from cogen.residual import ResidualParameter
from tests.cogen.native import agree, native, residual
from tests.everyday import is_long

pytestmark = pytest.mark.usefixtures("full_optimisation")

SUM8 = """
(define sum (lambda (buf from to) k (
  (let fromq (cyclic-quotient from '32 '0))
  (let toq (cyclic-quotient to '32 '0))
  (conts (sum-1 (q r) (
    (let t (= q toq))
    (if t ((jump k r)) (
      (let v (load-word buf q))
      (let a (bitwise-and v '255))
      (let r1 (+ r a))
      (let b1 (arithmetic-shift v '-8))
      (let b (bitwise-and b1 '255))
      (let r2 (+ r1 b))
      (let c1 (arithmetic-shift v '-16))
      (let c (bitwise-and c1 '255))
      (let r3 (+ r2 c))
      (let d (arithmetic-shift v '-24))
      (let r4 (+ r3 d))
      (let q2 (+ q '1))
      (jump sum-1 q2 r4))))))
  (jump sum-1 fromq '0))))
"""
BUFFER = bytes(range(7, 71))


def sum8_program(**options):
    cyclic = (ResidualParameter("from", "int", (32, 0)), ResidualParameter("to", "int", (32, 0)))
    return residual(SUM8, "sum", "memory", *cyclic, **options)


def test_a_sum_is_one_loop_with_one_check_before_it():
    function = agree(sum8_program(), [BUFFER, 0, 512], [BUFFER, 32, 32], [BUFFER, 64, 128])
    loop = function.source[function.source.index("for (") :]
    assert loop.startswith("for (int64_t q = fromq; q < toq;) {")
    assert "for (; q < q_end; q++) {" in loop
    assert loop.count("buf[") == 1
    assert "if" not in loop
    assert "r_part += (v & 255) + ((v >> 8) & 255) + ((v >> 16) & 255) + (v >> 24);" in loop


def test_a_sum_out_of_bounds_fails_as_in_the_interpreter():
    agree(sum8_program(), [BUFFER, 0, 544], [BUFFER, 64, 32], [BUFFER, -32, 32], [b"", 0, 32])


def test_the_entry_is_the_only_external_function_and_says_what_it_is():
    module = emit(sum8_program())
    assert module.signature == "sum(buf: memory, from: int, to: int) -> int"
    assert module.declaration.startswith("int64_t sum(const word32 *restrict buf, int64_t buf_w")
    assert module.fails
    assert "Made by cogen from" in module.text
    assert "3: load-word at <il>:" in module.text


def test_an_entry_that_cannot_fail_has_a_plain_signature():
    program = residual("(define add (lambda (a b) k ((let c (+ a b)) (jump k c))))", "add",
                       "int", "int")  # fmt: skip
    function = agree(program, [1, 2], [-5, 3])
    assert function.module.declaration == "int64_t add(int64_t a, int64_t b);"
    assert "return a + b;" in function.source


FACT = """
(define fact (lambda (n) k (
  (let z (= n '0))
  (if z ((jump k '1)) (
    (let n1 (- n '1))
    (conts (k1 (r) ((let p (* n r)) (jump k p))))
    (call (global fact) (n1) k1))))))
"""


def test_non_tail_recursion_is_a_recursive_function():
    agree(residual(FACT, "fact", "int"), [0], [1], [20])


def test_recursion_deeper_than_the_stack_is_reported():
    function = native(residual(FACT, "fact", "int"))
    with pytest.raises(LimitationError, match="too deep"):
        function(-1)


def test_tree_recursion():
    fib = """
    (define fib (lambda (n) k (
      (let s (< n '2))
      (if s ((jump k n)) (
        (let n1 (- n '1))
        (conts (k1 (a) (
          (let n2 (- n '2))
          (conts (k2 (b) ((let r (+ a b)) (jump k r))))
          (call (global fib) (n2) k2))))
        (call (global fib) (n1) k1))))))
    """
    agree(residual(fib, "fib", "int"), [0], [1], [15])


MUTUAL = """
(define even (lambda (n) k (
  (let z (= n '0))
  (if z ((jump k '#t)) ((let m (- n '1)) (call (global odd) (m) k))))))
(define odd (lambda (n) k (
  (let z (= n '0))
  (if z ((jump k '#f)) ((let m (- n '1)) (call (global even) (m) k))))))
"""


def test_mutual_tail_calls_do_not_use_the_stack():
    function = agree(residual(MUTUAL, "even", "int"), [0], [1], [10])
    assert function(3_000_000) is True


def test_self_tail_calls_are_a_loop():
    gcd = """
    (define gcd-of (lambda (a b) k (
      (let z (= b '0))
      (if z ((jump k a)) ((let r (modulo a b)) (call (global gcd-of) (b r) k))))))
    """
    function = agree(residual(gcd, "gcd-of", "int", "int"), [12, 18], [0, 5], [5, 0], [-9, 6])
    assert "while (b != 0)" in function.source
    assert function.source.count("gcd_of(") == 1


def test_nested_loops():
    table = """
    (define total (lambda (h w) k (
      (conts (rows (y s) (
        (let done (= y h))
        (if done ((jump k s)) (
          (conts (columns (x t) (
            (let end (= x w))
            (if end ((let y2 (+ y '1)) (jump rows y2 t)) (
              (let p (* x y))
              (let t2 (+ t p))
              (let x2 (+ x '1))
              (jump columns x2 t2))))))
          (jump columns '0 s))))))
      (jump rows '0 '0))))
    """
    agree(residual(table, "total", "int", "int"), [0, 5], [3, 4], [10, 10], [5, 0])


def test_a_join_is_written_once_after_the_arms():
    text = """
    (define f (lambda (a b) k (
      (let t (< a b))
      (conts (join (x y) ((let s (+ x y)) (let m (* s s)) (jump k m))))
      (if t ((jump join a '1)) ((let c (* b '2)) (jump join c '5))))))
    """
    function = agree(residual(text, "f", "int", "int"), [1, 2], [2, 1], [3, 3])
    assert function.source.count("s * s") == 1
    assert "goto" not in function.source


def test_a_search_leaves_its_loop_from_two_places():
    text = """
    (define find (lambda (buf n x) k (
      (conts (out (r) ((let r2 (* r '10)) (let r3 (+ r2 '1)) (jump k r3))))
      (conts (loop (i) (
        (let end (= i n))
        (if end ((jump out '-1)) (
          (let v (load-word buf i))
          (let hit (= v x))
          (if hit ((jump out i)) ((let i2 (+ i '1)) (jump loop i2))))))))
      (jump loop '0))))
    """
    function = agree(
        residual(text, "find", "memory", "int", "int", word_size=8),
        [BUFFER, 64, 9], [BUFFER, 64, 200], [BUFFER, 0, 9], [BUFFER, 80, 200], [BUFFER, 80, 70],
    )  # fmt: skip
    assert "goto" not in function.source


def test_an_irreducible_group_uses_gotos():
    text = """
    (define f (lambda (n p) k (
      (conts
        (a (i) ((let z (<= i '0)) (if z ((jump k '1)) ((let j (- i '2)) (jump b j)))))
        (b (i2) ((let z2 (<= i2 '0)) (if z2 ((jump k '2)) ((let j2 (- i2 '3)) (jump a j2))))))
      (if p ((jump a n)) ((jump b n))))))
    """
    program = residual(text, "f", "int", "bool")
    function = agree(program, [10, True], [10, False], [0, True], [0, False], [7, True])
    assert "goto" in function.source


def test_a_group_with_one_entry_is_a_loop():
    text = """
    (define f (lambda (n) k (
      (conts
        (a (i s) ((let z (<= i '0)) (if z ((jump k s)) (
            (let e (even? i)) (let i1 (- i '1)) (if e ((jump b i1 s)) ((jump c i1 s)))))))
        (b (i2 s2) ((let t (+ s2 '10)) (jump a i2 t)))
        (c (i3 s3) ((let u (* s3 '3)) (jump a i3 u))))
      (jump a n '1))))
    """
    function = agree(residual(text, "f", "int"), [0], [1], [9], [20])
    assert "goto" not in function.source


def test_values_that_change_places():
    text = """
    (define fibo (lambda (n) k (
      (conts (loop (i a b) (
        (let z (= i '0))
        (if z ((let r (- b a)) (jump k r)) ((let j (- i '1)) (let s (+ a b)) (jump loop j b s))))))
      (jump loop n '0 '1))))
    """
    agree(residual(text, "fibo", "int"), [0], [1], [30])
    swap = """
    (define swap (lambda (n x y) k (
      (conts (loop (i a b) (
        (let z (= i '0))
        (if z ((let r (- b a)) (jump k r)) ((let j (- i '1)) (jump loop j b a))))))
      (jump loop n x y))))
    """
    agree(residual(swap, "swap", "int", "int", "int"), [3, 5, 9], [4, 5, 9])


def test_stores_and_loads_keep_their_order():
    text = """
    (define swap! (lambda (buf i j) k (
      (let a (load-word buf i))
      (let b (load-word buf j))
      (let u1 (store-word! buf i b))
      (let u2 (store-word! buf j a))
      (jump k '(special unspecified)))))
    """.replace("'(special unspecified)", "(special unspecified)")
    for size in (8, 16, 24, 32, 40, 48, 56, 64):
        program = residual(text, "swap!", "memory", "int", "int", word_size=size)
        agree(program, [bytearray(BUFFER), 1, 2], [bytearray(BUFFER), 0, 0],
              [bytearray(BUFFER), 0, 100], [bytearray(BUFFER), -1, 1])  # fmt: skip


@pytest.mark.parametrize("size", [8, 16, 24, 32, 40, 48, 56, 64])
def test_words_of_every_size(size):
    text = """
    (define add! (lambda (src dst n d) k (
      (conts (loop (i) (
        (let z (= i n))
        (if z ((jump k (special unspecified))) (
          (let v (load-word src i))
          (let w (word-add v d))
          (let u (store-word! dst i w))
          (let i2 (+ i '1))
          (jump loop i2))))))
      (jump loop '0))))
    """
    program = residual(text, "add!", "memory", "memory", "int", "int", word_size=size)
    words = 64 * 8 // size
    partial = bytearray(range(100, 163))
    full = bytearray(b"\xff" * 64)
    agree(program, [BUFFER, full, words, 1], [BUFFER, full, words + 1, -1],
          [bytes(partial), full, words, 1 << 40], [bytes(full), partial, words, 7])  # fmt: skip


def test_float_arithmetic():
    text = """
    (define f (lambda (x n) k (
      (let a (* x '2.5))
      (let b (+ a n))
      (let c (sqrt b))
      (let d (- c '1))
      (let e (/ d '3))
      (let m (max e '0.25))
      (jump k m))))
    """
    agree(residual(text, "f", "float", "int"), [1.5, 2], [-1.0, 2], [1e300, 1 << 60], [0.0, 0])


def test_float_loop_and_mixed_comparison():
    text = """
    (define f (lambda (x n) k (
      (conts (loop (i s) (
        (let z (>= i n))
        (if z ((jump k s)) (
          (let q (exact->inexact i))
          (let p (* q x))
          (let s2 (+ s p))
          (let big (> s2 i))
          (if big ((let j (+ i '1)) (jump loop j s2)) ((let j3 (+ i '2)) (jump loop j3 s2))))))))
      (jump loop '0 '0.0))))
    """
    agree(residual(text, "f", "float", "int"), [0.5, 10], [-0.5, 9], [3.25, 5], [1.0, 0])


def test_a_literal_bytevector_is_a_table():
    text = """
    (define look (lambda (i) k ((let v (load-word '#u8(1 2 3 4 5 6 7 8 9) i)) (jump k v))))
    """
    for size in (8, 16, 24, 32, 64):
        agree(residual(text, "look", "int", word_size=size), [0], [1], [2], [9], [-1])


TABLES = [
    "0 255 7", "-1 127 -128", "256 0", "-129 0", "65535 1", "65536 -1", "4294967295 0",
    "-2147483649 5", "9223372036854775807 -9223372036854775808", "1.5 -0.0 1e300", "0.0 -0.0",
]  # fmt: skip


@pytest.mark.parametrize("table", TABLES)
def test_a_constant_vector_is_a_table(table):
    text = f"(define look (lambda (i) k ((let v (vector-ref '#({table}) i)) (jump k v))))"
    agree(residual(text, "look", "int"), [0], [1], [2], [-1], [1 << 62])


def test_what_is_looked_up_in_a_table_has_its_bounds():
    text = """
    (define look (lambda (i) k (
      (let j (bitwise-and i '3))
      (let v (vector-ref '#(2 0 3 1) j))
      (let w (vector-ref '#(10 20 30 40) v))
      (jump k w))))
    """
    function = agree(residual(text, "look", "int"), [0], [1], [2], [3], [-5])
    assert "error" not in function.source, "neither index needs a check"
    assert function.source.count("const uint8_t cogen_table_") == 2


def test_tables_of_the_same_elements_are_one():
    text = """
    (define look (lambda (i) k (
      (let v (vector-ref '#(5 6) i))
      (let w (vector-ref '#(5 6) v))
      (let x (vector-ref '#(0.0 1.0) i))
      (let y (vector-ref '#(-0.0 1.0) i))
      (let a (+ x y))
      (let b (+ a w))
      (jump k b))))
    """
    function = agree(residual(text, "look", "int"), [0], [1])
    assert function.source.count("const double cogen_table_") == 2
    assert function.source.count("const uint8_t cogen_table_") == 1


@pytest.mark.parametrize("vector", ["#(1 2.0)", "#(a b)", "#()", "#(#t #f)"])
def test_other_vectors_are_none(vector):
    text = f"(define look (lambda (i) k ((let v (vector-ref '{vector} i)) (jump k v))))"
    with pytest.raises(LimitationError, match="cannot express"):
        emit(residual(text, "look", "int"))


def test_several_procedures_share_buffers():
    text = """
    (define copy! (lambda (src dst i) k (
      (let v (load-word src i))
      (let u (store-word! dst i v))
      (jump k v))))
    (define twice (lambda (src dst n) k (
      (conts (k1 (a) (
        (let m (- n '1))
        (conts (k2 (b) ((let s (+ a b)) (jump k s))))
        (call (global copy!) (src dst m) k2))))
      (call (global copy!) (src dst n) k1))))
    """
    function = agree(
        residual(text, "twice", "memory", "memory", "int"), [BUFFER, bytearray(64), 5],
        [BUFFER, bytearray(64), 0], [BUFFER, bytearray(8), 2],
    )  # fmt: skip
    assert "const word32 *restrict src" in function.source
    assert ", word32 *restrict dst" in function.source


def test_one_buffer_under_two_names_is_not_restrict():
    text = """
    (define move! (lambda (src dst i) k (
      (let v (load-word src i))
      (let j (+ i '1))
      (let u (store-word! dst j v))
      (let w (load-word src j))
      (jump k w))))
    (define f (lambda (buf i) k ((call (global move!) (buf buf i) k))))
    """
    function = agree(residual(text, "f", "memory", "int"), [bytearray(BUFFER), 3])
    assert re.search(r"move\(.*word32 \*src", function.source)


def test_unused_parameters_give_no_warning():
    text = "(define f (lambda (a buf b) k ((jump k b))))"
    agree(residual(text, "f", "any", "memory", "float"), [1, b"", 2.5])


def test_names_are_readable_and_no_keywords():
    text = """
    (define int->double! (lambda (while x? main) k (
      (let a-b*c (+ while x?)) (let printf (+ a-b*c main)) (let λ (* printf a-b*c)) (jump k λ))))
    """
    function = agree(residual(text, "int->double!", "int", "int", "int"), [1, 2, 3])
    assert "int64_t int_to_double(int64_t while_, int64_t x_p, int64_t main_)" in function.source


def test_a_result_that_is_no_c_type_is_a_limitation():
    text = "(define f (lambda (a) k ((let p (cons a a)) (jump k p))))"
    with pytest.raises(LimitationError, match="cannot express the operation cons"):
        emit(residual(text, "f", "int"))
    with pytest.raises(LimitationError, match="cannot express the constant foo"):
        emit(residual("(define f (lambda (a) k ((jump k 'foo))))", "f", "int"))


def test_an_int_at_one_place_and_a_float_at_another_is_a_limitation():
    text = """
    (define f (lambda (t) k ((conts (j (x) ((let y (* x x)) (jump k y))))
      (if t ((jump j '1)) ((jump j '1.5))))))
    """
    with pytest.raises(LimitationError, match="x is an int at one place and a float at another"):
        emit(residual(text, "f", "bool"))


def test_any_takes_the_type_that_its_uses_give():
    text = "(define f (lambda (a b c) k ((let x (* a '1.5)) (if b ((jump k x)) ((jump k c))))))"
    module = emit(residual(text, "f", "any", "any", "any"))
    assert module.signature == "f(a: float, b: bool, c: float) -> float"


def test_deep_nesting():
    depth = 10_000 if is_long() else 3_000
    lets = "".join(f"(let x{i + 1} (+ x{i} a))" for i in range(depth))
    text = f"(define f (lambda (x0 a) k ({lets} (jump k x{depth}))))"
    program = residual(text, "f", "int", "int")
    assert native(program)(3, 2) == 2 * depth + 3


def test_many_conditionals_in_a_row_stay_flat():
    inner = "(jump k x600)"
    for i in reversed(range(600)):
        inner = (
            f"(let t{i} (< a '{i})) (conts (j{i} (x{i + 1}) ({inner})))"
            f"(if t{i} ((let y{i} (+ x{i} '1)) (jump j{i} y{i})) ((jump j{i} x{i})))"
        )
    program = residual(f"(define f (lambda (x0 a) k ({inner})))", "f", "int", "int")
    function = agree(program, [0, 10], [5, 600])
    assert max(len(line) - len(line.lstrip()) for line in function.source.splitlines()) <= 12
