"""The primitive table: its rows are sound, and they mean what Python's arithmetic says."""

from __future__ import annotations

import array
import math
import struct
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cogen.lang.datum import (
    EOF,
    INT_MAX,
    INT_MIN,
    NIL,
    UNDEFINED,
    UNSPECIFIED,
    Char,
    Datum,
    Pair,
    RecordType,
    eqv,
    from_iterable,
    iterate,
    symbol,
)
from cogen.lang.errors import CogenError
from cogen.lang.machine import Machine
from cogen.lang.prims import BITWISE, CHOOSING, CONTROL, PRIMITIVES, PrimitiveError, apply_primitive
from cogen.lang.primtable.row import PrimitiveRow
from cogen.lang.values import (
    ByteInputPort,
    ByteOutputPort,
    Condition,
    InputPort,
    MultipleValues,
    OutputPort,
    VariableCell,
)
from tests.strategies import data, integers, same

TYPES = {
    "int", "float", "number", "integer", "bool", "char", "string", "symbol", "pair", "list",
    "vector", "bytevector", "memory", "procedure", "record", "port", "unspecified", "any",
}  # fmt: skip
EFFECTS = {"pure", "alloc", "read", "write", "output"}
FAILURES = {"type", "index", "division", "overflow", "user", "file", "read"}

small = st.integers(-40, 40) | integers
nonzero = small.filter(bool)
numbers = integers | st.floats()


def run(op: str, *arguments: Datum, word_size: int = 32) -> Any:
    return apply_primitive(PRIMITIVES[op], Machine(word_size), arguments)


def fails(op: str, *arguments: Datum, word_size: int = 32) -> tuple[str, str]:
    """The kind and the message of the failure."""
    with pytest.raises(PrimitiveError) as caught:
        run(op, *arguments, word_size=word_size)
    assert caught.value.kind in PRIMITIVES[op].fails
    return caught.value.kind, caught.value.text()


def fitting(op: str, expected: int, *arguments: Datum) -> None:
    """The result is the expected one, or an overflow if that is out of range."""
    if INT_MIN <= expected <= INT_MAX:
        result = run(op, *arguments)
        assert type(result) is int
        assert result == expected
    else:
        assert fails(op, *arguments)[0] == "overflow"


# The table


@pytest.mark.parametrize("name", PRIMITIVES)
def test_rows_are_well_formed(name: str) -> None:
    row = PRIMITIVES[name]
    least, most = row.arity
    assert row.name == name
    assert {*row.arguments, row.result} <= TYPES
    assert row.effect in EFFECTS
    assert row.fails <= FAILURES
    assert row.doc.endswith((".", "?"))
    assert most is None or least <= most == len(row.arguments)
    assert most is not None or row.arguments
    assert row.fold in (None, "left", "chain")
    assert row.fold is None or row.arity == (2, 2)
    if row.c is not None:
        row.c.format(*"abc"[: len(row.arguments)])


@pytest.mark.parametrize("name", CONTROL)
def test_control_rows(name: str) -> None:
    row = CONTROL[name]
    assert row.effect == "control"
    assert name not in PRIMITIVES
    with pytest.raises(PrimitiveError, match="control primitive"):
        row.python()


def junk() -> list[Datum]:
    """One value of each kind, made anew, since primitives change some."""
    return [
        0, -1, 3, INT_MAX, 2.5, math.nan, True, False, "text", Char("c"), symbol("s"), NIL,
        Pair(1, 2), from_iterable([1, 2]), [1, 2, 3], bytearray(b"abc"), b"xyz", UNSPECIFIED, EOF,
        VariableCell(1), MultipleValues(()), Condition("user", "m"), InputPort("in"), OutputPort(),
        ByteInputPort(b"in"), ByteOutputPort(),
        RecordType("r", ("a",)), memoryview(b"m"),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def empty_place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The current directory is one that nothing else uses."""
    place = tmp_path_factory.mktemp("primitives")
    with chdir(place):
        yield place


@pytest.mark.parametrize("name", PRIMITIVES)
def test_no_arguments_crash_a_primitive(
    name: str, empty_place: Path, request: pytest.FixtureRequest
) -> None:
    """Whatever they are, 100 draws of them, 1000 with `--long`."""
    row = PRIMITIVES[name]
    least, most = row.arity
    random = Random(name)
    for _ in range(1000 if request.config.getoption("--long") else 100):
        count = random.randint(least, least + 3 if most is None else most)
        arguments = [random.choice(junk()) for _ in range(count)]
        if name.startswith("make-") and arguments[0] == INT_MAX:
            arguments[0] = 5
        _fails_or_gives_its_type(row, arguments)


def _fails_or_gives_its_type(row: PrimitiveRow, arguments: list[Datum]) -> None:
    machine = Machine(32)
    machine.port = machine.error = OutputPort()
    machine.input = InputPort("in")
    failure = None
    result: Datum = None
    try:
        result = apply_primitive(row, machine, arguments)
    except PrimitiveError as raised:
        failure = raised
    except SystemExit:
        assert row.name == "emergency-exit"
        return
    if failure is not None:
        assert failure.kind in row.fails, arguments
        assert failure.text()
    elif row.result == "bool":
        assert type(result) is bool, arguments
    elif row.result == "int":
        assert type(result) is int, arguments
        assert INT_MIN <= result <= INT_MAX


def test_word_size_is_checked() -> None:
    with pytest.raises(CogenError, match="the word size must be a multiple of 8 from 8 to 64"):
        Machine(12)


# Integers


@given(integers, integers)
def test_integer_arithmetic(a: int, b: int) -> None:
    fitting("+", a + b, a, b)
    fitting("-", a - b, a, b)
    fitting("*", a * b, a, b)
    fitting("square", a * a, a)
    fitting("abs", abs(a), a)
    fitting("gcd", math.gcd(a, b), a, b)
    fitting("lcm", math.lcm(a, b), a, b)


@given(small, nonzero)
def test_floor_division(a: int, b: int) -> None:
    fitting("floor-quotient", a // b, a, b)
    remainder = run("floor-remainder", a, b)
    assert remainder == run("modulo", a, b) == a - b * (a // b)
    assert 0 <= remainder < b or b < remainder <= 0


@given(small, nonzero)
def test_truncate_division(a: int, b: int) -> None:
    exact = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    fitting("quotient", exact, a, b)
    fitting("truncate-quotient", exact, a, b)
    remainder = run("remainder", a, b)
    assert remainder == run("truncate-remainder", a, b) == a - b * exact
    assert abs(remainder) < abs(b)
    assert remainder == 0 or (remainder < 0) == (a < 0)


@pytest.mark.parametrize(
    "name", ["quotient", "remainder", "modulo", "floor-quotient", "floor-remainder", "/"]
)
def test_division_by_zero(name: str) -> None:
    assert fails(name, 5, 0) == ("division", f"{name}: division by zero")


def test_the_one_overflow_of_division() -> None:
    for name in ("quotient", "floor-quotient", "/"):
        assert fails(name, INT_MIN, -1)[0] == "overflow"
    assert run("remainder", INT_MIN, -1) == run("modulo", INT_MIN, -1) == 0


@given(small, nonzero)
def test_exact_quotient(a: int, b: int) -> None:
    if a % b == 0:
        fitting("/", a // b, a, b)
    else:
        assert fails("/", a, b)[0] == "division"


@given(st.integers(-12, 12), st.integers(0, 70))
def test_power(base: int, exponent: int) -> None:
    fitting("expt", base**exponent, base, exponent)


def test_power_of_negative_exponent() -> None:
    assert [run("expt", b, e) for b in (1, -1) for e in (-1, -2)] == [1, 1, -1, 1]
    assert fails("expt", 2, -1) == (
        "division", "expt: the result is a fraction, and there are none",
    )  # fmt: skip
    assert fails("expt", 0, -1) == ("division", "expt: division by zero")


@given(integers, st.integers(-200, 200) | integers)
def test_arithmetic_shift(x: int, n: int) -> None:
    if n <= 0:
        assert run("arithmetic-shift", x, n) == (x >> min(-n, 100))
    else:
        fitting("arithmetic-shift", x << min(n, 100), x, n)


@given(integers, integers)
def test_bits(a: int, b: int) -> None:
    assert run("bitwise-and", a, b) == a & b
    assert run("bitwise-ior", a, b) == a | b
    assert run("bitwise-xor", a, b) == a ^ b
    assert run("bitwise-not", a) == -a - 1
    assert run("bit-count", a) == bin(a if a >= 0 else ~a).count("1")


def signed(x: int) -> int:
    return (x + (1 << 63)) % (1 << 64) - (1 << 63)


@pytest.mark.parametrize("name", CHOOSING)
@given(integers, integers)
def test_choosing(name: str, a: int, b: int) -> None:
    """What says that it gives one of two integers does, the one that it says."""
    first = apply_primitive(PRIMITIVES[CHOOSING[name]], Machine(), [a, b])
    assert apply_primitive(PRIMITIVES[name], Machine(), [a, b]) == (a if first else b)


@pytest.mark.parametrize("name", BITWISE)
@given(integers, integers, st.integers(0, 63))
def test_bitwise(name: str, a: int, b: int, place: int) -> None:
    """What says that it combines bits does so with each by itself."""

    def run(x: int, y: int) -> Any:
        return apply_primitive(PRIMITIVES[name], Machine(), [x, y])

    assert run(a, b) >> place & 1 == run(a >> place & 1, b >> place & 1)


@given(integers, integers, st.integers(0, 80))
def test_word_operations(a: int, b: int, n: int) -> None:
    assert run("word-add", a, b) == signed(a + b)
    assert run("word-sub", a, b) == signed(a - b)
    assert run("word-mul", a, b) == signed(a * b)
    assert run("word-shift-left", a, n) == signed(a << n)
    assert run("word-shift-right", a, n) == signed(a % (1 << 64) >> n)


def test_word_shifts_go_one_way() -> None:
    for name in ("word-shift-left", "word-shift-right"):
        assert fails(name, 1, -1) == ("index", f"{name}: the shift count -1 is negative")


@given(small, nonzero, small)
def test_cyclic_quotient(q: int, base: int, remainder: int) -> None:
    value = base * q + remainder
    assume(INT_MIN <= value <= INT_MAX)
    assert run("cyclic-quotient", value, base, remainder) == q
    if abs(base) > 1 and value < INT_MAX:
        kind, message = fails("cyclic-quotient", value + 1, base, remainder)
        assert kind == "user"
        assert message == f"{value + 1} is not congruent to {remainder} modulo {base}"


# Floats


@given(st.floats(), st.floats())
def test_float_arithmetic(a: float, b: float) -> None:
    for op, expected in (("+", a + b), ("-", a - b), ("*", a * b)):
        assert same(run(op, a, b), expected)
    if b:
        assert same(run("/", a, b), a / b)


def test_float_division_by_zero() -> None:
    assert run("/", 1.0, 0.0) == math.inf
    assert run("/", 1.0, -0.0) == -math.inf
    assert run("/", -1, 0.0) == -math.inf
    assert math.isnan(run("/", 0.0, 0.0))


@given(st.floats())
def test_exact_identities_keep_the_sign_of_zero(x: float) -> None:
    for result in (run("+", 0, x), run("+", x, 0), run("-", x, 0), run("*", 1, x), run("/", x, 1)):
        assert same(result, x)
    assert same(run("-", 0, x), -x)
    assert same(run("-", x), -x)
    assert same(run("+", x), x)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_rounding(x: float) -> None:
    for name, exact in (
        ("floor", math.floor), ("ceiling", math.ceil), ("round", round), ("truncate", math.trunc),
    ):  # fmt: skip
        result = run(name, x)
        assert type(result) is float
        assert result == exact(x)
        assert math.copysign(1, result) == math.copysign(1, x)
        assert run(name, 7) == 7


@given(numbers, numbers)
def test_comparisons(a: float, b: float) -> None:
    assert run("<", a, b) is (a < b)
    assert run(">", a, b) is (a > b)
    assert run("<=", a, b) is (a <= b)
    assert run(">=", a, b) is (a >= b)
    assert run("=", a, b) is (a == b)


@given(integers, st.floats(allow_nan=False))
def test_extremes(a: int, b: float) -> None:
    assert run("max", a, 3) == max(a, 3)
    assert type(run("max", a, b)) is float
    assert run("max", a, b) == max(float(a), b)
    assert run("min", a, b) == min(float(a), b)
    assert math.isnan(run("max", math.nan, 1))


def test_exact() -> None:
    assert run("exact", 3.0) == 3
    assert type(run("exact", 3.0)) is int
    assert fails("exact", 2.5) == ("type", "exact: 2.5 is not an integer")
    assert fails("exact", 1e30)[0] == "overflow"
    assert fails("exact", math.inf)[0] == "type"


def test_functions_of_floats_never_fail() -> None:
    assert run("exp", 1000.0) == math.inf
    assert run("log", 0) == -math.inf
    assert math.isnan(run("log", -1))
    assert run("log", 8, 2) == pytest.approx(3)
    assert math.isnan(run("sin", math.inf))
    assert math.isnan(run("asin", 2))
    assert math.isnan(run("sqrt", -4))
    assert run("sqrt", 16) == 4
    assert type(run("sqrt", 16)) is int
    assert run("sqrt", 2) == math.sqrt(2)
    assert run("atan", 1, -1) == math.atan2(1, -1)
    assert run("expt", 2.0, 0.5) == math.sqrt(2)
    assert run("expt", 10.0, 1000) == math.inf
    assert run("expt", -10.0, 1001) == -math.inf
    assert run("expt", -0.0, -1) == -math.inf
    assert math.isnan(run("expt", -8.0, 1 / 3))


@given(integers, st.sampled_from([2, 8, 10, 16]))
def test_integers_as_text(x: int, radix: int) -> None:
    text = run("number->string", x, radix)
    assert int(text, radix) == x
    assert run("string->number", text, radix) == x


@given(st.floats())
def test_floats_as_text(x: float) -> None:
    assert same(run("string->number", run("number->string", x)), x)


def test_string_to_number_of_other_text() -> None:
    assert run("string->number", "abc") is False
    assert run("string->number", "") is False
    assert fails("string->number", "99999999999999999999")[0] == "overflow"


# Folding


def test_folds() -> None:
    assert run("+") == 0
    assert run("*") == 1
    assert run("+", 1, 2, 3, 4) == 10
    assert run("-", 10, 1, 2) == 7
    assert run("-", 5) == -5
    assert run("/", 1.0, 2, 2) == 0.25
    assert run("bitwise-and") == -1
    assert run("gcd", -4) == 4
    assert run("max", 3) == 3
    assert run("max", 1, 5, 2) == 5
    assert run("<", 1, 2, 3) is True
    assert run("<", 1, 3, 2) is False
    assert run("char<?", Char("a"), Char("b"), Char("c")) is True


def test_folds_check_their_count() -> None:
    assert fails("-") == ("type", "-: expected at least 1 argument, got 0")
    assert fails("<", 1) == ("type", "<: expected at least 2 arguments, got 1")
    assert fails("car", 1, 2) == ("type", "car: expected 1 argument, got 2")
    assert fails("atan", 1, 2, 3) == ("type", "atan: expected 1 to 2 arguments, got 3")


# Equivalence


@given(data)
def test_equal_is_structural(x: Datum) -> None:
    assert run("equal?", x, x)
    assert run("equal?", [x, Pair(x, NIL)], [x, Pair(x, NIL)])
    assert not run("equal?", x, [x])


@given(data, data)
def test_equal_agrees_with_text_kinds(a: Datum, b: Datum) -> None:
    assert run("equal?", a, b) == run("equal?", b, a)
    if eqv(a, b):
        assert run("equal?", a, b)


@given(data, data)
def test_equal_data_have_equal_hashes(a: Datum, b: Datum) -> None:
    assert 0 <= run("equal-hash", a) < 1 << 61
    if run("equal?", a, b):
        assert run("equal-hash", a) == run("equal-hash", b)


def test_hashes_tell_data_apart() -> None:
    """The numbers are those of every run and back end."""
    data = [0, 1, -1, 0.0, -0.0, 1.0, "a", "b", symbol("a"), Char("a"), True, False, NIL, [], [1]]
    data += [from_iterable([1]), from_iterable([[1], 2]), bytearray(b"a"), from_iterable([1, 2])]
    hashes = [run("equal-hash", x) for x in data]
    assert len(set(hashes)) == len(data)
    assert run("equal-hash", from_iterable(range(10))) == 815772867774548187
    assert run("equal-hash", "äöü€") == run("equal-hash", "äöü" + "€")
    small = {run("equal-hash", n) & 63 for n in range(64)}
    assert len(small) > 32


def test_hashes_end_on_circular_data() -> None:
    pair = Pair(1, NIL)
    pair.cdr = pair
    vector: list[Datum] = []
    vector.append(vector)
    assert run("equal-hash", pair) != run("equal-hash", vector)


def test_equal_of_unlike_things() -> None:
    assert not run("equal?", 1, True)
    assert not run("equal?", 1, 1.0)
    assert not run("eqv?", 0.0, -0.0)
    assert run("eqv?", math.nan, math.nan)
    assert run("equal?", bytearray(b"ab"), b"ab")
    assert run("equal?", "ab", "".join(["a", "b"]))


def test_equal_ends_on_deep_and_circular_data() -> None:
    deep_a: Datum = NIL
    deep_b: Datum = NIL
    for _ in range(200_000):
        deep_a, deep_b = Pair(deep_a, NIL), Pair(deep_b, NIL)
    assert run("equal?", deep_a, deep_b)
    ring_a, ring_b = Pair(1, NIL), Pair(1, NIL)
    ring_a.cdr, ring_b.cdr = ring_a, ring_b
    assert run("equal?", ring_a, ring_b)


# Memory

SIZES = list(range(8, 65, 8))
buffers = st.binary(max_size=40)


@pytest.mark.parametrize("size", SIZES)
@given(buffers)
def test_words_are_read(size: int, content: bytes) -> None:
    step = size // 8
    count = -(-len(content) // step)
    assert run("buffer-words", content, word_size=size) == count
    whole = int.from_bytes(content, "little")
    for i in range(count):
        word = run("load-word", content, i, word_size=size)
        expected = whole >> (size * i) & ((1 << size) - 1)
        assert word == (signed(expected) if size == 64 else expected)
    kind, message = fails("load-word", content, count, word_size=size)
    assert kind == "index"
    assert message.startswith("load-word: word index")


@pytest.mark.parametrize("size", SIZES)
@given(st.binary(min_size=1, max_size=40), st.data(), integers)
def test_words_are_stored(size: int, content: bytes, draw: st.DataObject, x: int) -> None:
    step = size // 8
    buffer = bytearray(content)
    i = draw.draw(st.integers(0, -(-len(content) // step) - 1))
    run("store-word!", buffer, i, x, word_size=size)
    word = (x % (1 << size)).to_bytes(step, "little")
    expected = content[: i * step] + word + content[(i + 1) * step :]
    assert buffer == expected[: len(content)]
    assert len(buffer) == len(content)


def test_memory_is_any_buffer() -> None:
    numbers = array.array("H", [1, 2, 3])
    assert run("load-word", numbers, 1, word_size=32) == 3
    run("store-word!", numbers, 0, 0x50004, word_size=32)
    assert list(numbers) == [4, 5, 3]
    assert run("bytevector?", numbers)
    assert run("word-size", word_size=24) == 24


def test_memory_refuses() -> None:
    assert fails("load-word", [1], 0) == ("type", "load-word: expected memory, got #(1)")
    assert fails("store-word!", b"abcd", 0, 1) == (
        "type", "store-word!: the bytevector cannot be written",
    )  # fmt: skip
    assert fails("store-word!", bytearray(4), 0, 1.0) == (
        "type", "store-word!: expected an integer, got 1.0",
    )  # fmt: skip
    assert fails("load-word", b"", 0) == (
        "index", "load-word: word index 0 in an empty object",
    )  # fmt: skip
    assert fails("load-word", b"abcdef", -1) == (
        "index", "load-word: word index -1 is not in 0 to 1",
    )  # fmt: skip


@given(st.integers(0, (1 << 32) - 1))
def test_float32_bits(bits: int) -> None:
    value = run("bits->float32", bits)
    assert same(value, struct.unpack("<f", bits.to_bytes(4, "little"))[0])
    if not math.isnan(value):
        assert run("float32->bits", value) == bits
    assert run("bits->float32", bits - (1 << 32)) == value or math.isnan(value)


@given(st.floats())
def test_float64_bits(x: float) -> None:
    bits = run("float64->bits", x)
    assert bits == struct.unpack("<q", struct.pack("<d", x))[0]
    assert same(run("bits->float64", bits), x)


def test_float32_overflow() -> None:
    assert run("float32->bits", 1e300) == 0x7F800000


# Bytevectors, strings, characters


@given(buffers, st.data())
def test_bytevectors(content: bytes, draw: st.DataObject) -> None:
    start = draw.draw(st.integers(0, len(content)))
    end = draw.draw(st.integers(start, len(content)))
    assert run("bytevector-copy", content, start, end) == content[start:end]
    assert run("bytevector", *content) == content
    assert run("bytevector-append", content, content) == content + content
    target = bytearray(content)
    run("bytevector-copy!", target, 0, target, start, end)
    assert target == content[start:end] + content[end - start :]
    run("bytevector-fill!", target, 7, start)
    assert target[start:] == bytes([7]) * (len(content) - start)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=12))
def test_strings(text: str) -> None:
    assert run("utf8->string", run("string->utf8", text)) == text
    assert run("list->string", run("string->list", text)) == text
    assert run("vector->string", run("string->vector", text)) == text
    assert run("string-append", text, "x", text) == text + "x" + text
    assert run("string->symbol", text) is symbol(text)
    assert run("symbol->string", symbol(text)) == text
    assert [c.value for c in iterate(run("string->list", text, 1 if text else 0))] == list(text[1:])


@given(st.integers(0, 0x10FFFF))
def test_characters(code: int) -> None:
    if 0xD800 <= code < 0xE000:
        assert fails("integer->char", code)[0] == "index"
    else:
        char = run("integer->char", code)
        assert run("char->integer", char) == code
        assert type(run("char-upcase", char)) is Char
        assert run("char-ci=?", char, run("char-foldcase", char)) or len(chr(code).casefold()) > 1


def test_ranges_are_checked() -> None:
    assert fails("substring", "abc", 2, 1) == (
        "index", "substring: the part from 2 to 1 is not within 0 to 3",
    )  # fmt: skip
    assert fails("utf8->string", b"a\xff") == ("type", "utf8->string: no UTF-8 at byte 1")
    assert fails("bytevector", 256) == ("index", "bytevector: 256 is no byte (0 to 255)")
    assert fails("make-vector", -1) == ("index", f"make-vector: the size -1 is not in 0 to {2**27}")


# Records, cells, values, ports


def test_records_speak_as_their_accessors() -> None:
    point = RecordType("<point>", ("x", "y"))
    other = RecordType("point", ("x", "y"))
    made = run("make-record", point, 1, 2)
    assert run("record-ref", point, 1, made) == 2
    run("record-set!", point, 0, made, 5)
    assert made.values == [5, 2]
    assert run("record-is?", point, made)
    assert not run("record-is?", other, made)
    assert fails("record-ref", other, 0, 7) == (
        "type", "point-x: expected a record of type point, got 7",
    )  # fmt: skip
    assert fails("record-set!", point, 1, "s", 0) == (
        "type", 'point-y-set!: expected a record of type point, got "s"',
    )  # fmt: skip


def test_cells_know_when_they_are_empty() -> None:
    cell = run("make-cell", UNDEFINED)
    assert fails("cell-ref/check", cell, symbol("x")) == (
        "user", "x is used before its definition",
    )  # fmt: skip
    run("cell-set!", cell, 3)
    assert run("cell-ref/check", cell, symbol("x")) == run("cell-ref", cell) == 3


def test_multiple_values() -> None:
    assert run("values", 4) == 4
    several = run("values", 1, 2)
    assert run("values?", several)
    assert list(iterate(run("values->list", several))) == [1, 2]
    assert list(iterate(run("values->list", 9))) == [9]
    assert run("values->list", run("values")) is NIL
    assert fails("+", several, 1) == ("type", "+: expected a number, got 2 values")


def test_string_ports() -> None:
    port = run("open-output-string")
    run("write", "a\nb", port)
    run("display", Char("x"), port)
    run("newline", port)
    assert run("get-output-string", port) == '"a\\nb"x\n'
    source = run("open-input-string", "ab\nline (1 . x) ; note\n y")
    assert run("read-char", source) == Char("a")
    assert run("peek-char", source) == Char("b")
    assert run("read-line", source) == "b"
    assert run("read-string", 4, source) == "line"
    assert isinstance(run("read", source), Pair)
    assert run("read", source) is symbol("y")
    assert run("read", source) is EOF
    assert run("read-char", source) is EOF
    assert run("read-line", source) is EOF
    run("close-port", source)
    assert fails("read-char", source) == ("type", "read-char: the port is closed")


def test_reading_a_wrong_datum() -> None:
    kind, message = fails("read", run("open-input-string", "(1 2"))
    assert kind == "read"
    assert message.startswith("read: ")


def test_what_only_the_specializer_knows_better() -> None:
    buffer = bytearray(4)
    assert run("known?", buffer)
    assert run("early-different?", 1, 2)
    assert not run("early-different?", buffer, buffer)
    both = run("assume-disjoint", buffer, buffer)
    assert list(iterate(run("values->list", both))) == [buffer, buffer]
    assert run("cache-lines") == 0
    assert not run("cache-carries?")


def test_what_operations_on_arrays_ask_and_promise() -> None:
    vector: list[Datum] = [1, 2]
    assert run("known-size?", vector) is True
    assert run("known-size?", 5) is True
    assert run("%constant-vector", vector) is vector
    assert fails("%constant-vector", 5) == ("type", "%constant-vector: expected a vector, got 5")
