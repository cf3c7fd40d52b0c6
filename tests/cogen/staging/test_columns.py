"""Arrays as they lie in memory: narrow numbers, records, Arrow's columns and strings."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import cogen
from cogen.staging.columns import dtype_of, layout_of

DTYPES = ["i1", "i2", "i4", "u1", "u2", "u4", "f4"]


def twice(x: Any) -> Any:
    return x * 2, np.sum(x), x[::-1]


staged = cogen.stage(twice)


def same(found: Any, expected: Any) -> None:
    for a, b in zip(found, expected, strict=True):
        assert np.array_equal(a, b)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [0, 1, 67])
def test_narrow_arrays_are_read_as_they_are(dtype: str, size: int) -> None:
    x = np.random.default_rng(size).integers(0, 128, size).astype(dtype)
    if x.dtype.kind != "u":
        x = -x
    wide = x.astype(np.float64 if x.dtype.kind == "f" else np.int64)
    same(staged(x), twice(wide))
    if x.dtype.kind != "f":
        assert staged(x)[0].dtype == np.int64
    assert f'[packed "{layout_of(x.dtype)}"] x' in staged.program(x).text
    assert dtype_of(str(layout_of(x.dtype))) == x.dtype


@pytest.mark.parametrize("dtype", ["i8", "f8", "u8", "f2", ">i4", "?"])
def test_others_are_passed_or_converted(dtype: str) -> None:
    x = np.array([1, 0, 1, 1]).astype(dtype)
    assert layout_of(x.dtype) is None
    assert "packed" not in staged.program(x).text
    found = np.sum(x, dtype=np.float64 if x.dtype.kind == "f" else np.int64)
    assert staged(x)[1] == found


def test_a_program_for_narrow_arrays_takes_wide_ones_that_fit() -> None:
    narrow = np.arange(5, dtype=np.int16)
    for a, b in ((narrow, narrow.astype(np.int64)), (narrow.astype(np.int64), narrow)):
        same(staged.program(a).compile()(b), twice(b.astype(np.int64)))
        same(staged.program(a).run(b), twice(b.astype(np.int64)))
    with pytest.raises(cogen.CogenError, match="was made for size=16,signed"):
        staged.program(narrow).compile()(np.array([70000]))


RECORDS = np.zeros(9, [("a", "i2"), ("b", "f8"), ("c", "?"), ("d", "f4"), ("e", "u4")])
RECORDS["a"] = np.arange(9) - 4
RECORDS["b"] = np.arange(9) / 4
RECORDS["c"][2:5] = True
RECORDS["d"] = 0.5
RECORDS["e"] = 1 << 31


def of_records(t: Any) -> Any:
    kept = cogen.filter(lambda r: r["c"], t)
    return np.sum(kept["a"]), kept["b"], np.sum(t["d"]), np.sum(t["e"])


def test_records_are_read_where_they_stand() -> None:
    program = cogen.stage(of_records).program(RECORDS)
    assert '[packed "size=16,stride=152,offset=0,signed"] t_a' in program.text
    for found in (program.compile()(RECORDS), program.run(RECORDS)):
        same(found, (-3, [0.5, 0.75, 1.0], 4.5, 9 << 31))
    part = RECORDS[1:4]
    same(cogen.stage(of_records)(part), (-3, [0.5, 0.75], 1.5, 3 << 31))


def test_records_that_are_not_plain() -> None:
    """Steps between records, and fields that are arrays, are copied first."""
    same(cogen.stage(of_records)(RECORDS[::2]), (-2, [0.5, 1.0], 2.5, 5 << 31))
    rows = np.zeros(3, [("m", "f8", 2), ("k", "i4")])
    rows["m"] = [[1, 2], [3, 4], [5, 6]]
    assert cogen.stage(lambda t: np.sum(t.m) + np.sum(t.k))(rows) == 21.0


@dataclass
class Total:
    """Sums, in another order than the records have their fields."""

    b: float = 0.0
    a: int = 0

    def __add__(self, other: Any) -> Any:
        return Total(self.b + other.b, self.a + other.a)


def of_dataclass(t: Any, keys: Any) -> Any:
    whole = cogen.reduce(lambda x, y: x + y, Total(), t)
    found = cogen.bucket_reduce(lambda x, y: x + y, Total(), 2, keys, t)
    return whole.a, whole.b, found["a"], found["b"]


def of_dictionary(t: Any, keys: Any) -> Any:
    def add(x: Any, y: Any) -> Any:
        return {"b": x["b"] + y["b"], "a": x["a"] + y["a"]}

    whole = cogen.reduce(add, {"a": 0, "b": 0.0}, t)
    found = cogen.bucket_reduce(add, {"b": 0.0, "a": 0}, 2, keys, t)
    return whole["a"], whole["b"], found["a"], found["b"]


@pytest.mark.parametrize("function", [of_dataclass, of_dictionary])
def test_reductions_of_records_go_by_names(function: Any) -> None:
    """Whatever order fields have in a dataclass or a dictionary."""
    t = RECORDS[["a", "b"]].astype([("a", "i8"), ("b", "f8")])
    keys = np.arange(9) % 2
    expected = 0, 9.0, [0, 0], [5.0, 4.0]
    same(cogen.stage(function)(t, keys), expected)
    same(function(t, keys), expected)


def test_records_with_other_fields() -> None:
    with pytest.raises(cogen.CogenError, match="these records have different fields: a, b and b"):
        cogen.stage(lambda t: cogen.reduce(lambda x, y: x, {"b": 0.0}, t))(RECORDS[["a", "b"]])


class Twice:
    """A matrix of the program's own."""

    __array_ufunc__ = None

    def __rmatmul__(self, other: Any) -> Any:
        return other * 2

    def __matmul__(self, other: Any) -> Any:
        return other * 2

    def __radd__(self, other: Any) -> Any:
        return other + 1


def test_operators_are_left_to_objects_that_ask_for_it() -> None:
    def f(a: Any) -> Any:
        return Twice() @ (a @ Twice()) + Twice()

    x = np.arange(3)
    assert np.array_equal(cogen.stage(f)(x), f(x))


def test_copies_of_staged_values() -> None:
    import copy

    def f(x: Any, n: Any) -> Any:
        y = copy.copy(x)
        y[0] = copy.deepcopy(n)
        return x + copy.deepcopy({"a": [y]})["a"][0]

    assert list(cogen.stage(f)(np.arange(3), 5)) == [5, 2, 4]


@pytest.mark.parametrize("text", ["", "a", "hello", "h\u00e9llo", "\U0001f600 \ud800"])
def test_strings(text: str) -> None:
    found = cogen.stage(lambda s: (s, [ord(c) + 1 for c in s], s.count("l")))(text)
    assert found == (text, [ord(c) + 1 for c in text], text.count("l"))


@pytest.mark.parametrize("size", [0, 4])
def test_reductions_that_begin_with_a_value(size: int) -> None:
    def f(a: Any, m: Any) -> Any:
        return np.max(a, initial=3), np.sum(a, initial=5), np.min(m, axis=1, initial=2)

    a = np.arange(size)
    same(cogen.stage(f)(a, a.reshape(2, -1)), f(a, a.reshape(2, -1)))


def test_without_a_compiler_tables_are_records() -> None:
    own = cogen.stage(lambda t: np.sum(t["a"]) + len(t.dtype.names))
    assert own._plainly((RECORDS,), {}) == own(RECORDS) == 5


# Arrow.

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")


def of_table(t: Any) -> Any:
    return np.sum(t.a * 2), np.sum(t.b), np.sum(t.c), np.sum(t.when), np.sum(t.word == 1)


def table() -> Any:
    words = pa.DictionaryArray.from_arrays(pa.array(np.arange(9) % 3, pa.int8()), ["x", "y", "z"])
    return pa.table(
        {
            "a": RECORDS["a"],
            "b": RECORDS["b"],
            "c": pa.array(RECORDS["c"]),
            "text": [None, "b"] * 4 + ["c"],
            "when": pa.array(range(9), pa.int32()).cast(pa.date32()),
            "word": words,
        }
    )


def expected_of(rows: slice) -> Any:
    r = RECORDS[rows]
    at = np.arange(9)[rows]
    return r["a"].sum() * 2, r["b"].sum(), r["c"].sum(), at.sum(), (at % 3 == 1).sum()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("rows", [slice(0, 9), slice(3, 9), slice(1, 4), slice(0, 0)])
def test_tables_of_arrow(rows: slice) -> None:
    part = table().slice(rows.start, rows.stop - rows.start)
    own = cogen.stage(of_table)
    same(own(part), expected_of(rows))
    same(own.program(part).run(part), expected_of(rows))
    assert '[packed "size=16,signed"] t_a' in own.program(part).text


def test_tables_for_functions_that_are_not_staged() -> None:
    from cogen.staging.columns import plain

    found = plain({"t": (table(),)})["t"][0]
    assert found.dtype.names == ("a", "b", "c", "when", "word")
    assert np.array_equal(found["c"], RECORDS["c"])
    assert np.array_equal(found["word"], np.arange(9) % 3)
    assert list(plain([pa.array([1, 2])])[0]) == [1, 2]


def test_a_table_in_chunks() -> None:
    same(cogen.stage(of_table)(pa.concat_tables([table(), table()])),
         [2 * x for x in expected_of(slice(0, 9))])  # fmt: skip


def test_columns_that_cannot_be_read_are_told_when_they_are() -> None:
    with pytest.raises(cogen.CogenError, match="the column `text` has elements that are null"):
        cogen.stage(lambda t: t.text)(table())
    with pytest.raises(cogen.CogenError, match="the column `text` holds string"):
        cogen.stage(lambda t: cogen.map(lambda r: r.text, t))(table().slice(8))
    with pytest.raises(cogen.CogenError, match="there is no field 'other'"):
        cogen.stage(lambda t: t.other)(table())


def sum_of(t: Any, bits: Any) -> Any:
    return np.sum(np.where(t.here, t.n, 0)), np.sum(bits)


sum_staged = cogen.stage(sum_of)


@pytest.mark.parametrize("size", [0, 3, 100])
def test_calls_with_columns_as_they_are_made_for_convert_nothing(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where there are fewer bytes than code loads at once."""
    pa = pytest.importorskip("pyarrow")
    n, here = np.arange(size, dtype=np.int16) - 5, np.arange(size) % 3 == 0
    table = pa.table({"n": n, "here": here})
    expected = int(n[here].sum()), size
    run = sum_staged.program(table, np.ones(size, np.int8)).compile()
    arguments = "cogen.array.programs.arrayprogram.Program.arguments"
    monkeypatch.setattr(arguments, lambda *_: pytest.fail("values were converted"))
    assert run(table, np.ones(size, np.int8)) == expected
    part = table.slice(0, size // 2)
    assert run(part, np.ones(size, np.int8))[0] == int(n[: size // 2][here[: size // 2]].sum())


def test_packed_arguments_and_results_convert_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def level(raw: cogen.packed("raw12"), black: Any) -> Any:  # type: ignore[valid-type]
        return cogen.store("u12", np.clip(raw - black, 0, 4095)), np.max(raw)

    data = bytes(range(60))
    raw = cogen.signals.unpack(data, "raw12").astype(np.int64)
    expected = bytes(cogen.signals.pack(np.clip(raw - 64, 0, 4095), "u12")), raw.max()
    run = cogen.stage(level).program(data, 64).compile()
    arguments = "cogen.array.programs.arrayprogram.Program.arguments"
    monkeypatch.setattr(arguments, lambda *_: pytest.fail("values were converted"))
    assert run(data, 64) == expected
    assert run(np.frombuffer(data, np.uint8), 64) == expected


def test_tables_of_arrow_are_looked_at_once() -> None:
    """As long as they are there: one in the place of another one is another one, and columns in
    several pieces are put together in each call."""
    pa = pytest.importorskip("pyarrow")
    total = cogen.stage(lambda t: np.sum(t.n))
    for k in range(20):
        assert total(pa.table({"n": np.arange(4) + k})) == 6 + 4 * k
    own = np.arange(5)
    table = pa.table({"n": pa.array(own)})
    assert total(table) == total(table) == 10
    own[0] = 100  # the table lies in the same memory
    assert total(table) == 110
    pieces = pa.chunked_array([np.arange(3), np.arange(3)])
    assert total(pa.table({"n": pieces})) == 6
    batch = pa.record_batch({"n": np.arange(3)})
    assert total(batch) == total(batch) == 3
    from cogen.staging import arguments

    kept = {id(table), id(batch)}
    assert kept <= arguments._tables._found.keys()
    del table, batch
    gc.collect()
    assert kept.isdisjoint(arguments._tables._found)
