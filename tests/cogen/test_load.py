"""Calling compiled code: arguments, buffers and results."""

from __future__ import annotations

import array
import mmap
import threading
from fractions import Fraction

import numpy as np
import pytest

from cogen.backends.kernel.c import emit
from cogen.backends.kernel.load import load, shared_object
from cogen.lang.errors import CogenError
from cogen.residual import ResidualParameter
from tests.cogen.native import agree, assert_no_warnings, residual

MIXED = """
(define mixed! (lambda (i x p src dst) k (
  (let v (load-word src '0))
  (let u (store-word! dst '0 v))
  (if p ((jump k x)) ((let y (* x i)) (jump k y))))))
"""
FILL = """
(define fill! (lambda (buf v) k (
  (let n (buffer-words buf))
  (conts (loop (i) (
    (let t (= i n))
    (if t ((jump k (special unspecified))) (
      (let u (store-word! buf i v)) (let i2 (+ i '1)) (jump loop i2))))))
  (jump loop '0))))
"""
IDENTITY = "(define same (lambda (a) k ((jump k a))))"
FIRST = "(define first (lambda (buf) k ((let v (load-word buf '0)) (jump k v))))"
COPY = """
(define copy! (lambda (src dst) k (
  (let v (load-word src '0)) (let u (store-word! dst '0 v)) (jump k v))))
"""


@pytest.fixture(scope="module")
def mixed():
    return load(residual(MIXED, "mixed!", "int", "float", "bool", "memory", "memory"))


@pytest.fixture(scope="module")
def fill():
    return load(residual(FILL, "fill!", "memory", "int"))


@pytest.fixture(scope="module")
def first():
    return load(residual(FIRST, "first", "memory"))


@pytest.fixture(scope="module")
def copy():
    return load(residual(COPY, "copy!", "memory", "memory"))


def refused(function, *arguments) -> CogenError:
    """The error of a call that must be refused."""
    with pytest.raises(CogenError) as caught:
        function(*arguments)
    return caught.value


def same(kind):
    return load(residual(IDENTITY, "same", kind))


def test_what_a_function_says_of_itself(mixed):
    assert mixed.__name__ == "mixed!"
    signature = "mixed!(i: int, x: float, p: bool, src: memory, dst: memory) -> float"
    assert mixed.__doc__.splitlines()[0] == signature
    assert repr(mixed) == f"<native {signature}>"
    assert "double mixed(int64_t i, double x, bool p, const word32 *restrict src" in mixed.source


def test_the_shared_object_is_an_object():
    assert shared_object(residual(IDENTITY, "same", "int"))[:4] in (b"\x7fELF", b"\xcf\xfa\xed\xfe")


def test_results_have_python_types(fill):
    assert type(same("int")(5)) is int
    assert type(same("float")(5.0)) is float
    assert same("bool")(True) is True
    assert fill(bytearray(4), 1) is None


@pytest.mark.parametrize("count", [0, 4, 6])
def test_a_wrong_number_of_arguments(mixed, count):
    error = refused(mixed, *[0] * count)
    assert error.message == f"mixed!: expected 5 arguments (i, x, p, src, dst), got {count}"


def test_one_argument_is_no_plural():
    assert refused(same("int")).message == "same: expected 1 argument (a), got 0"


@pytest.mark.parametrize("value", [0, -1, 2**63 - 1, -(2**63), np.int16(-7), np.uint64(9)])
def test_integers(value):
    assert same("int")(value) == int(value)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (True, "must be an int, not a bool"),
        (1.0, "must be an int, not a float"),
        ("1", "must be an int, not a str"),
        (None, "must be an int, not a NoneType"),
        (2**63, "does not fit in 64 bits: 9223372036854775808"),
        (-(2**63) - 1, "does not fit in 64 bits: -9223372036854775809"),
        (10**400, "does not fit in 64 bits: an integer of 1329 bits"),
    ],
)
def test_no_integers(value, problem):
    assert refused(same("int"), value).message == f"same: the argument for a {problem}"


@pytest.mark.parametrize("value", [1.5, -0.0, float("inf"), 3, 2**60 + 1, np.float32(0.5)])
def test_floats(value):
    assert same("float")(value) == float(value)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (True, "must be a float, not a bool"),
        ("1.5", "must be a float, not a str"),
        (1j, "must be a float, not a complex"),
        (Fraction(1, 3), "must be a float, not a Fraction"),
        (10**400, "is too large for a float"),
    ],
)
def test_no_floats(value, problem):
    assert refused(same("float"), value).message == f"same: the argument for a {problem}"


def test_numpy_scalars():
    assert same("bool")(np.bool_(True)) is True
    assert same("bool")(np.array(False)) is False
    assert same("int")(np.array(7, dtype=np.uint8)) == 7
    assert same("float")(np.float16(0.5)) == 0.5
    assert same("float")(np.array(1.5)) == 1.5
    for kind, value in (("int", np.bool_(True)), ("float", np.bool_(True)), ("bool", np.int8(1))):
        assert f"must be a{'n' * (kind == 'int')} {kind}" in refused(same(kind), value).message


@pytest.mark.parametrize("value", [1, 0, None, "yes", 0.0])
def test_no_booleans(value):
    assert "must be a bool, not a" in refused(same("bool"), value).message


def test_cyclic_parameters_are_congruent():
    function = load(residual(IDENTITY, "same", ResidualParameter("from", "int", (24, 5))))
    assert function(29) == 29
    assert function(-19) == -19
    error = refused(function, 30)
    assert error.message == (
        "same: the argument for from is 30, which is not congruent to 5 modulo 24"
    )


READABLE = [
    b"\x01\x02\x03\x04",
    bytearray(b"\x01\x02\x03\x04"),
    memoryview(b"\x01\x02\x03\x04"),
    array.array("H", [0x0201, 0x0403]),
    np.array([0x04030201], dtype=np.int32),
    np.array([[1, 2], [3, 4]], dtype=np.uint8),
    np.frombuffer(b"\0\x01\x02\x03\x04", dtype=np.uint8)[1:],
    np.array(0x04030201, dtype=np.uint32),
]


@pytest.mark.parametrize("buffer", READABLE, ids=lambda b: type(b).__name__)
def test_anything_with_the_buffer_protocol_is_memory(first, buffer):
    assert first(buffer) == 0x04030201


def test_structured_and_mapped_memory(first):
    pairs = np.zeros(1, dtype=[("a", "u1"), ("b", "<u2"), ("c", "u1")])
    pairs["b"] = 0x0302
    assert first(pairs) == 0x030200
    with mmap.mmap(-1, 16) as mapped:
        mapped[:4] = b"\x09\0\0\0"
        assert first(mapped) == 9


@pytest.mark.parametrize("value", [None, 5, "text", [1, 2], (1,), {}])
def test_no_buffers(first, value):
    error = refused(first, value)
    assert error.message.startswith("first: the argument for buf must be a buffer, not a")
    assert "NumPy array" in (error.hint or "")


def test_a_buffer_must_lie_in_one_piece(first):
    for pieces in (np.arange(16, dtype=np.uint8)[::2], np.arange(16, dtype=np.uint8)[::-1],
                   np.zeros((4, 4), dtype=np.uint8)[:, :2], memoryview(bytes(8))[::2],
                   np.asfortranarray(np.zeros((3, 4), dtype=np.uint8))):  # fmt: skip
        error = refused(first, pieces)
        assert error.message == "first: the argument for buf does not lie in one piece"
        assert error.hint == "pass a contiguous copy of it"


def test_python_objects_are_no_memory(first):
    error = refused(first, np.array([None, 1], dtype=object))
    assert error.message == "first: the argument for buf holds Python objects, no plain data"


def test_a_buffer_without_a_format_is_refused(first):
    error = refused(first, np.array(["2020-01-01"], dtype="datetime64[D]"))
    assert error.message.startswith("first: the argument for buf gives no buffer:")


def test_a_released_view_is_refused(first):
    view = memoryview(bytearray(8))
    view.release()
    assert "gives no buffer" in refused(first, view).message


def test_only_writable_buffers_are_stored_to(fill):
    frozen = np.zeros(4, dtype=np.uint8)
    frozen.flags.writeable = False
    for buffer in (b"1234", memoryview(bytearray(4)).toreadonly(), frozen):
        error = refused(fill, buffer, 0)
        assert error.message == (
            "fill!: the argument for buf is read-only, but the program stores to it"
        )


def test_stores_go_to_the_caller(fill):
    buffers = [bytearray(8), array.array("d", [1.0]), np.zeros((2, 2), dtype=np.uint16)]
    for buffer in buffers:
        fill(buffer, 0x01020304)
        assert bytes(memoryview(buffer).cast("B")) == b"\x04\x03\x02\x01" * 2


@pytest.mark.parametrize("length", range(10))
def test_a_partial_last_word(fill, first, length):
    buffer = bytearray(b"\xee" * (length + 2))
    fill(memoryview(buffer)[:length], 0x04030201)
    assert buffer == (b"\x01\x02\x03\x04" * 3)[:length] + b"\xee\xee"
    if length:
        data = bytes(range(1, length + 1))
        assert first(data) == int.from_bytes(data[:4], "little")
    else:
        assert refused(first, b"").message == "load-word: word index 0 in buf, which is empty"


STORE_AND_LOAD = """
(define f (lambda (buf i j) k (
  (let a (load-word buf i)) (let u (store-word! buf j '-1)) (let b (load-word buf i))
  (let s (bitwise-xor a b)) (jump k s))))
"""
STORE_IN_A_LOOP = """
(define f (lambda (buf other n) k (
  (conts (loop (i s) (
    (let t (= i n))
    (if t ((jump k s)) (
      (let u (store-word! buf i '-1)) (let v (load-word buf i)) (let w (load-word other i))
      (let x (bitwise-xor v w)) (let s2 (bitwise-xor s x)) (let i2 (+ i '1))
      (jump loop i2 s2))))))
  (jump loop '0 '0))))
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("word_size", [8, 16, 24, 32, 40, 56, 64])
def test_bytes_that_do_not_exist_are_not_loaded_after_a_store(word_size):
    program = residual(STORE_AND_LOAD, "f", "memory", "int", "int", word_size=word_size)
    assert_no_warnings(emit(program, cutting=True))
    agree(program, *(
        [bytearray(range(1, length + 1)), i, j]
        for length in range(18) for i in (0, 1, 2) for j in (0, 1, -1)
    ))  # fmt: skip
    program = residual(STORE_IN_A_LOOP, "f", "memory", "memory", "int", word_size=word_size)
    words = [1, 5, 5 * word_size // 8 + 1]
    agree(program, *([bytearray(range(n)), bytes(range(9, 9 + n)), -(-n // (word_size // 8))]
                     for n in words))  # fmt: skip


def test_what_a_called_procedure_stores_is_cut_as_well():
    text = """
    (define g (lambda (buf n) k (
      (let z (= n '0))
      (if z ((let v (load-word buf '1)) (jump k v)) (
        (let u (store-word! buf n '-1)) (let m (- n '1))
        (conts (k1 (r) ((let s (+ r '1)) (jump k s))))
        (call (global g) (buf m) k1))))))
    (define f (lambda (a b n) k ((let v (load-word b '0)) (let u (store-word! b '0 v))
      (call (global g) (a n) k))))
    """
    program = residual(text, "f", "memory", "memory", "int")
    agree(program, *([bytearray(size), bytearray(other), 1]
                     for size in (5, 7, 8) for other in (0, 3, 4)))  # fmt: skip


def test_whole_words_and_buffers_that_are_only_stored_to_need_no_other_code(fill):
    both = load(residual(STORE_AND_LOAD, "f", "memory", "int", "int"))
    assert both(bytearray(8), 1, 1) == 0xFFFFFFFF
    fill(bytearray(7), 1)
    assert "_cutting" not in vars(both) | vars(fill)
    assert "cogen_cut" not in both.source
    assert both(bytearray(7), 1, 1) == 0xFFFFFF
    assert "_cutting" in vars(both)


def test_what_was_stored_before_an_error_stays():
    text = """
    (define f (lambda (buf) k (
      (let u (store-word! buf '0 '-1)) (let w (store-word! buf '5 '0)) (jump k '1))))
    """
    buffer = bytearray(7)
    error = refused(load(residual(text, "f", "memory")), buffer)
    assert error.message == "store-word!: word index 5 is not in 0 to 1 of buf"
    assert buffer == b"\xff\xff\xff\xff\0\0\0"


def test_a_buffer_that_is_stored_to_overlaps_no_other(copy):
    data = bytearray(16)
    view = memoryview(data)
    for source, target in ((data, data), (view[:8], view[4:12]), (view[4:12], view[:8]),
                           (view, view[4:8]), (view[4:8], view),
                           (view[:5], view[4:9])):  # fmt: skip
        error = refused(copy, source, target)
        assert error.message == (
            "copy!: the arguments for dst and src overlap, and one of them is stored to"
        )
    assert copy(view[:8], view[8:]) == 0
    assert copy(view[8:], view[:8]) == 0


def test_buffers_that_are_only_read_may_overlap():
    text = """
    (define sum2 (lambda (a b) k (
      (let x (load-word a '0)) (let y (load-word b '0)) (let s (+ x y)) (jump k s))))
    """
    data = b"\x01\0\0\0"
    assert load(residual(text, "sum2", "memory", "memory"))(data, data) == 2


def test_overlap_among_many_buffers():
    text = """
    (define f (lambda (a b c d) k (
      (let x (load-word a '0)) (let y (load-word b '0)) (let z (load-word c '0))
      (let s (+ x y)) (let t (+ s z)) (let u (store-word! d '0 t)) (jump k t))))
    """
    function = load(residual(text, "f", *["memory"] * 4))
    view = memoryview(bytearray(64))
    assert function(view, view[8:16], view[4:60], bytearray(4)) == 0
    assert "for a and d overlap" in refused(function, view, view[:4], view[:8], view[60:]).message
    error = refused(function, view[:4], view[:4], view[16:32], view[31:35])
    assert "for c and d overlap" in error.message
    assert function(view[:4], view[:4], view[16:32], view[32:36]) == 0


def test_unaligned_buffers():
    data = bytearray(b"\0" + b"\x01\x02\x03\x04" * 8)
    function = load(residual(FILL, "fill!", "memory", "int", word_size=64))
    function(memoryview(data)[1:], -2)
    assert data == b"\0" + (b"\xfe" + b"\xff" * 7) * 4


def test_the_interpreter_lock_is_released():
    text = """
    (define spin (lambda (buf n) k (
      (conts (loop (i s) (
        (let t (= i n))
        (if t ((jump k s)) (
          (let j (modulo i '4)) (let v (load-word buf j)) (let w (word-mul s '3))
          (let s2 (word-add w v)) (let i2 (+ i '1)) (jump loop i2 s2))))))
      (jump loop '0 '0))))
    """
    function = load(residual(text, "spin", "memory", "int"))
    ran = []
    started = threading.Event()
    done = threading.Event()

    def call():
        started.set()
        function(bytes(16), 300_000_000)
        done.set()

    thread = threading.Thread(target=call)
    thread.start()
    started.wait()
    while not done.is_set() and len(ran) < 1000:
        ran.append(None)
    thread.join()
    assert len(ran) == 1000


def test_calls_from_many_threads(fill):
    buffers = [bytearray(4000) for _ in range(8)]
    numbered = list(enumerate(buffers))
    threads = [threading.Thread(target=fill, args=(buffer, n)) for n, buffer in numbered]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(set(buffer[::4]) == {number} for number, buffer in enumerate(buffers))


def test_errors_of_one_thread_do_not_reach_another(first):
    def work(results):
        for _ in range(200):
            results.append(first(b"\x07\0\0\0"))
            refused(first, b"")

    results: list[int] = []
    threads = [threading.Thread(target=work, args=(results,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [7] * 800
