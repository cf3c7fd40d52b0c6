"""Reading and printing values, and values from and to Python and NumPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cogen
from cogen.array import loads
from cogen.array.l0.types import (
    BOOL,
    CERT,
    CHAR,
    INT,
    MAX_DEPTH,
    MAX_DIMENSIONS,
    REAL,
    ArrayType,
    Basic,
    TupleType,
    Type,
    show_type,
)

BASIC = {
    INT: st.integers(-(1 << 63), (1 << 63) - 1).map(str),
    REAL: st.one_of(
        st.integers(-(10**6), 10**6).map(lambda n: f"{n / 64:.6f}"),
        st.sampled_from(["inf", "-inf", "nan", "-0.000000"]),
    ),
    BOOL: st.sampled_from(["True", "False"]),
    CERT: st.just("Checked"),
}
CHARACTERS = st.sampled_from(["a", "9", " ", "\\n", "\\\\", "\\0", "\\955", "'", '\\"'])


@st.composite
def types(draw: st.DrawFn, depth: int = 3) -> Type:
    kind = draw(st.integers(0, 4 if depth else 2))
    if kind <= 2:
        return draw(st.sampled_from([INT, REAL, BOOL, CHAR, CERT]))
    if kind == 3:
        return ArrayType(draw(types(depth - 1)))
    return TupleType(tuple(draw(st.lists(types(depth - 1), max_size=3))))


@st.composite
def texts(draw: st.DrawFn, t: Type) -> str:
    """A value of a type as it is printed; the sizes in it depend on the type only."""
    return draw(_texts(t, draw(st.integers(0, 3))))


@st.composite
def _texts(draw: st.DrawFn, t: Type, size: int) -> str:
    match t:
        case Basic():
            if t == CHAR:
                character = draw(CHARACTERS)
                return {"'": "'\\''", '\\"': "'\"'"}.get(character, f"'{character}'")
            return draw(BASIC[t])
        case TupleType():
            return "{" + ", ".join([draw(_texts(part, size)) for part in t.parts]) + "}"
        case ArrayType():
            if t.element == CHAR:
                return '"' + "a".join([draw(CHARACTERS) for _ in range(size)]) + '"'
            if size == 0:
                return f"empty({show_type(t.element)})"
            return "[" + ", ".join([draw(_texts(t.element, size)) for _ in range(size)]) + "]"


@given(st.data())
def test_what_is_printed_is_read_again(data: st.DataObject) -> None:
    t = data.draw(types())
    text = data.draw(texts(t))
    shown = show_type(t)
    program = loads(f"fun {shown} main({shown} x) = x\nfun {shown} copied({shown} x) = copy(x)")
    assert program.run_text(text) == text
    assert program.run_text(f" // first\n {text}\n", "copied") == text


@given(st.data())
def test_python_values_come_back(data: st.DataObject) -> None:
    t = data.draw(types().filter(lambda t: "{}" not in show_type(t)))
    shown = show_type(t)
    program = loads(f"fun {shown} main() = {shown_value(data, t)}\nfun {shown} same({shown} x) = x")
    value = program.run()
    again = program.run(value, entry="same")
    assert repr(again) == repr(value)


def shown_value(data: st.DataObject, t: Type) -> str:
    """An expression for a value of a type."""
    text = data.draw(texts(t))
    return text.replace("-inf", "(-1.0/0.0)").replace("inf", "1.0/0.0").replace("nan", "0.0/0.0")


@pytest.mark.parametrize(
    ("t", "text", "expected"),
    [
        ("int", "-5", "-5"),
        ("int", "0x10", "16"),
        ("real", "2e5", "200000.000000"),
        ("real", "-1.0e-9", "-0.000000"),
        ("real", "0.1234567", "0.123457"),
        ("[int]", "[]", "empty(int)"),
        ("[int]", "[\n1,\n  2 // two\n, 3]", "[1, 2, 3]"),
        ("[[int]]", "[[], []]", "[empty(int), empty(int)]"),
        ("[{int, real}]", "[{1, 2.0}]", "[{1, 2.000000}]"),
        ("[{int, real}]", "empty({int, real})", "empty({int, real})"),
        ("[char]", "['a', 'b']", '"ab"'),
        ("[char]", "[]", '""'),
        ("[[char]]", '["ab", "cd"]', '["ab", "cd"]'),
        ("{}", "{}", "{}"),
        ("[{}]", "[{}, {}]", "[{}, {}]"),
        ("{int}", "{1}", "{1}"),
    ],
)
def test_values(t: str, text: str, expected: str) -> None:
    assert loads(f"fun {t} main({t} x) = x").run_text(text) == expected


@pytest.mark.parametrize(
    ("types", "text", "place", "message"),
    [
        ("real x", "1", "1:1", "expected a real, but found `1`"),
        ("int x", "1.0", "1:1", "expected an int, but found `1.0`"),
        ("int x", "", "1:1", "too few values: there is none for the parameter `x`, int"),
        ("int x, int y", "1", "1:2", "too few values: there is none for the parameter `y`, int"),
        ("int x", "1 2", "1:3", "too many values: 1 value would do"),
        ("int x, int y", "1-2", "1:2", "white space must separate two values"),
        ("int x", "9223372036854775808", "1:1", "this integer is not in the range of int"),
        ("[[int]] x", "[[1],\n [2, 3]]", "1:1",
         "the array would not be regular: it has rows of size 1 and 2"),
        ("[{int, [int]}] x", "[{1, [1]}, {2, []}]", "1:1",
         "the array would not be regular: it has rows of size 1 and 0"),
        ("[int] x", "[1, 2", "1:1", "this `[` is never closed"),
        ("[int] x", "[1 2]", "1:4", "expected `,` or `]`, but found `2`"),
        ("[int] x", "[1, 2.0]", "1:5", "expected an int, but found `2.0`"),
        ("[int] x", "empty(real)", "1:1", "expected an array [int], but found an empty [real]"),
        ("{int, int} x", "{1}", "1:3",
         "expected `,`: the tuple has 2 parts, but found `}`"),
        ("{int} x", "{1, 2}", "1:1", "this tuple has too many parts for {int}"),
        ("bool x", "true", "1:1", "expected a bool, but found `true`"),
        ("char x", "'ab", "1:1", "this quote is not closed on its line"),
        ("char x", "'\\65\\65'", "1:1", "a character literal has one character"),
        ("[char] x", '"\\q"', "1:2", "this escape is not known"),
        ("int x", "@", "1:1", "expected an int, but found `@`"),
    ],
)  # fmt: skip
def test_wrong_values(types: str, text: str, place: str, message: str) -> None:
    program = loads(f"fun int main({types}) = 1")
    with pytest.raises(cogen.CogenError) as caught:
        program.run_text(text, name="input")
    assert caught.value.render().startswith(f"input:{place}: error: {message}\n")


def test_values_of_the_deepest_types() -> None:
    t = "[" * MAX_DIMENSIONS + "int" + "]" * MAX_DIMENSIONS
    program = loads(f"fun {t} main({t} x) = x")
    text = "[" * (MAX_DIMENSIONS - 1) + "empty(int)" + "]" * (MAX_DIMENSIONS - 1)
    assert program.run_text(text) == text
    t = "{" * MAX_DEPTH + "}" * MAX_DEPTH
    assert loads(f"fun {t} main({t} x) = x").run_text(t) == t


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fun int main(" + "[" * 10_000 + "int" + "]" * 10_000 + " x) = 1",
         "an array has at most 32 dimensions"),
        ("fun int main(" + "{" * 10_000 + "}" * 10_000 + " x) = 1",
         "a type is nested at most 100 levels deep"),
        ("fun int main() = let x = " + "[" * 10_000 + "1" + "]" * 10_000 + " in 1",
         "an array has at most 32 dimensions"),
        ("fun int main() = let x = " + "{" * 10_000 + "}" * 10_000 + " in 1",
         "a type is nested at most 100 levels deep"),
    ],
    ids=["array type", "tuple type", "array", "tuple"],
)  # fmt: skip
def test_deeper_types_are_a_limitation(text: str, message: str) -> None:
    with pytest.raises(cogen.CogenError) as caught:
        loads(text)
    assert (caught.value.family, caught.value.message) == ("limitation", message)
    assert caught.value.span is not None


def same(t: str, value: object) -> object:
    return loads(f"fun {t} main({t} x) = x").run(value)


def test_numpy_arrays() -> None:
    found = same("[[real]]", np.array([[1.0, 2.0], [3.0, 4.0]], np.float32))
    assert isinstance(found, np.ndarray)
    assert found.dtype == np.float64
    assert found.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert same("[bool]", np.array([True, False])).tolist() == [True, False]  # type: ignore[attr-defined]
    assert same("[int]", np.zeros(0, np.uint8)).tolist() == []  # type: ignore[attr-defined]


def test_strings_and_tuples() -> None:
    assert same("[char]", "a\0é") == "a\0é"
    assert same("char", "é") == "é"
    assert same("{int, [char]}", (1, "x")) == (1, "x")
    assert same("[[char]]", ["ab", "cd"]).tolist() == [["a", "b"], ["c", "d"]]  # type: ignore[attr-defined]


def test_arrays_of_tuples_are_tuples_of_arrays() -> None:
    from_arrays = same("[{int, real}]", (np.array([1, 2]), [1.5, 2.5]))
    from_tuples = same("[{int, real}]", [(1, 1.5), (2, 2.5)])
    assert repr(from_arrays) == repr(from_tuples) == "(array([1, 2]), array([1.5, 2.5]))"


@pytest.mark.parametrize(
    ("t", "value", "message"),
    [
        ("int", 1.0, "`x` must be int, not float"),
        ("int", True, "`x` must be int, not bool"),
        ("int", 1 << 63, "`x` is 9223372036854775808, which is not in the range of int"),
        ("real", 1, "`x` must be real, not int"),
        ("char", "ab", "`x` must be char, not str"),
        ("cert", False, "`x` must be cert, not bool"),
        ("[int]", 3, "`x` must be [int], not int"),
        ("[int]", np.zeros(2), "`x` must be [int], not a NumPy array of float64 with 1 dimension"),
        ("[int]", np.zeros((2, 2), int),
         "`x` must be [int], not a NumPy array of int64 with 2 dimensions"),
        ("[int]", np.array([1 << 63], np.uint64),
         "`x` holds 9223372036854775808, which is not in the range of int"),
        ("[[int]]", [[1], [2, 3]],
         "`x`: the array would not be regular: it has rows of size 1 and 2"),
        ("[int]", [1, 2.0], "an element of `x` must be int, not float"),
        ("{int, int}", (1,), "`x` must be {int, int}, not tuple"),
        ("[{int, int}]", ([1], [1, 2]), "`x`: the arrays have different sizes: 1 and 2"),
    ],
)  # fmt: skip
def test_wrong_python_values(t: str, value: object, message: str) -> None:
    with pytest.raises(cogen.CogenError) as caught:
        same(t, value)
    assert caught.value.message == message


def test_the_number_of_values_is_checked() -> None:
    with pytest.raises(cogen.CogenError) as caught:
        loads("fun int main(int x, real y) = x").run(1)
    assert caught.value.message == "`main` takes 2 values (int, real), but 1 was given"


def test_results_share_nothing_with_arguments() -> None:
    a = np.array([1, 2, 3])
    found = same("[int]", a)
    assert isinstance(found, np.ndarray)
    found[0] = 9
    assert a.tolist() == [1, 2, 3]
    assert math.isclose(same("real", 0.1), 0.1)  # type: ignore[arg-type]
