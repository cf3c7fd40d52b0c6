"""Staged functions as people use them: errors at their lines, packed data, methods, the page."""

from __future__ import annotations

import linecache
import pickle
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cogen
from cogen import signals
from cogen.lang.errors import CogenError
from cogen.staging.packvalues import layout_text

PAGE = Path(__file__).parents[3] / "docs" / "staging.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.S | re.M)
X = np.arange(5.0)


def test_the_page() -> None:
    space: dict[str, Any] = {}
    assert BLOCKS
    for k, block in enumerate(BLOCKS):
        name = f"<staging.md {k}>"
        linecache.cache[name] = (len(block), None, block.splitlines(keepends=True), name)
        exec(compile(block, name, "exec"), space)


def key(a: Any, n: Any) -> Any:
    return {"a": 2}[n]


def as_int(a: Any, n: Any) -> Any:
    return int(a) + 1


def printed(a: Any, n: Any) -> Any:
    print(n)


def outside(a: Any, n: Any) -> Any:
    return a[n + 9]


def divided(a: Any, n: Any) -> Any:
    return n // (n - 1)


def different(a: Any, n: Any) -> Any:
    return a[1:] + a


def sometimes(a: Any, n: Any) -> Any:
    if n > 2:
        y = 1
    return y + 1


def grows(a: Any, n: Any) -> Any:
    found: dict[Any, Any] = {}
    for i in range(n):
        found[str(len(found))] = a[i]
    return found


def factors(a: Any, n: Any) -> Any:
    return np.linalg.eig(a)


def of_array(a: Any, n: Any) -> Any:
    if a > n:
        return 1
    return 0


def endless(a: Any, n: Any) -> Any:
    return (endless(a, n - 1), 1) if n > 0 else (0, 1)


def negative(a: Any, n: Any) -> Any:
    if n < 2:
        raise ValueError("too small")
    return n


def texts(a: Any, n: Any) -> Any:
    return f"{n}"


def element(a: Any, n: Any) -> Any:
    return n[0]


def stored(a: Any, n: Any) -> Any:
    n[0] = 1
    return n


def measured(a: Any, n: Any) -> Any:
    return len(n)


def applied(a: Any, n: Any) -> Any:
    return n(a)


@pytest.mark.parametrize(
    ("function", "says", "line", "column"),
    [
        (element, "`n[0]`: a staged number has no elements", 1, 12),
        (stored, "`n[0]`: a staged number has no elements", 1, 5),
        (measured, "`len(n)`: a staged number has no length", 1, 12),
        (applied, "`n(a)`: a staged value is no function", 1, 12),
        (key, "cannot be a key of a dictionary", 1, 12),
        (as_int, "`int(a)`: a staged value cannot be given to int()", 1, 12),
        (printed, "`print(n)`: a staged value cannot be printed", 1, 5),
        (outside, "the index [10] is out of bounds of an array of size 5", 1, 12),
        (divided, "division by zero", 1, 12),
        (different, "the arrays have different sizes: 4 and 5", 1, 12),
        (sometimes, "`y` has a value only on one of the ways that lead here", 3, 12),
        (grows, "a string of several characters cannot be a key", 3, 9),
        (factors, "np.linalg.eig is not staged", 1, 12),
        (of_array, "`a > n`: the truth of an array of several elements is not one", 1, 8),
        (endless, "what `endless` gives is not of one kind", 0, 5),
        (negative, "too small", 2, 9),
        (texts, "made text", 1, 12),
    ],
)
def test_an_error_is_told_at_its_place(function: Any, says: str, line: int, column: int) -> None:
    with pytest.raises(cogen.CogenError) as found:
        cogen.stage(function)(X, 1)
    assert says in found.value.message
    span = found.value.span
    assert span is not None
    assert span.source.name == __file__
    assert span.line == function.__code__.co_firstlineno + line
    assert span.column == column


def test_a_number_has_no_methods_of_others() -> None:
    with pytest.raises(cogen.CogenError, match="a staged number has no `upper`"):
        cogen.stage(lambda n: n.upper())(1)


@pytest.mark.parametrize("text", ["1 if n > 2 else 0", "[k for k in range(n)]"])
def test_that_a_source_cannot_be_read_is_told(text: str) -> None:
    """As in `python -c`, of which Python keeps no text."""
    space: dict[str, Any] = {}
    exec(compile(f"def chosen(n):\n  return {text}", "<string>", "exec"), space)
    with pytest.raises(cogen.CogenError) as found:
        cogen.stage(space["chosen"])(3)
    assert found.value.hint is not None
    assert "cannot be read (line 2 of <string>)" in found.value.hint
    assert "put it into a file" in found.value.hint


def fill(a: Any, b: Any) -> Any:
    a[0] = 7.0
    return a + b


def test_the_callers_arrays_stay() -> None:
    x = X.copy()
    assert cogen.stage(fill)(x, 1.0)[0] == 8.0
    assert np.array_equal(x, X)


def packed_level(raw: cogen.packed("u12"), black: Any) -> Any:  # no type
    return cogen.store("u8", raw - black, saturate=True)


@pytest.mark.parametrize(
    "name", ["raw12", "u4u12", "rgb565", "u12", "cs12", "size=5,stride=8,signed"]
)
def test_layouts_are_as_good_as_their_texts(name: str) -> None:
    def same(raw: Any) -> Any:
        return raw

    raw = bytes(range(1, 97))
    same.__annotations__["raw"] = cogen.packed(signals.layout(name))
    by_layout = cogen.stage(same)(raw)
    same.__annotations__["raw"] = cogen.packed(name)
    by_text = cogen.stage(same)(raw)
    assert np.asarray(by_layout).tolist() == np.asarray(by_text).tolist()
    assert layout_text(signals.layout(name)) == name or "=" in layout_text(signals.layout(name))


@given(
    st.integers(1, 64), st.integers(-80, 80).filter(bool), st.integers(0, 200),
    st.sampled_from(["little", "big"]), st.booleans(), st.integers(1, 3),
)  # fmt: skip
def test_the_text_of_a_layout_means_it(
    size: int, stride: int, offset: int, order: Any, signed: bool, channels: int
) -> None:
    try:
        layout = signals.Layout(size, stride, offset, order, signed, channels=channels)
    except CogenError:
        return
    assert signals.layout(layout_text(layout)) == layout


def test_types_of_arrays_are_layouts() -> None:
    from cogen import signals

    for given_one in (np.int16, np.dtype(">u4"), np.float32):
        text = layout_text(given_one)
        data = bytes(range(48))
        assert np.array_equal(signals.unpack(data, text), signals.unpack(data, given_one))


def test_what_is_no_layout_of_samples() -> None:
    for given_one, hint in (
        (signals.Rows("raw12", 64, 48), "a.reshape(-1, 64)"),
        (12, "such as u12"),
        (signals.Group(16, (signals.Field(((9, 3),)),)), "such as u12"),
    ):
        with pytest.raises(CogenError, match="a layout is written as a string") as caught:
            layout_text(given_one)
        assert hint in (caught.value.hint or "")


def test_packed_data() -> None:
    from cogen import signals

    samples = np.array([100, 5, 4000, 300])
    data = bytes(signals.pack(samples, "u12"))
    staged = cogen.stage(packed_level)
    assert staged(data, 50) == bytes([50, 0, 255, 250])
    assert staged.program(data, 50).report()["arrays"] == 0
    assert staged._plainly((data, 50), {}) == bytes([50, 0, 255, 250])


RECORDS = np.array([(1, 2.0), (3, 4.5), (5, 8.0)], [("id", "i8"), ("price", "f8")])


def records(t: Any) -> Any:
    kept = cogen.filter(lambda r: r["price"] > 3, t)
    return kept, cogen.map(lambda r: {"n": r["id"] * 2, "p": r["price"]}, t), t["price"].sum(), t[0]


def test_arrays_of_records() -> None:
    for got, wanted in zip(cogen.stage(records)(RECORDS), records(RECORDS), strict=True):
        assert np.array_equal(got, wanted)
        assert getattr(got, "dtype", None) == wanted.dtype


@cogen.stage
def scaled(a: Any, n: Any = 3, *, k: Any = 2) -> Any:
    """Scale."""
    return a * n + k


class Filter:
    def __init__(self) -> None:
        self.gain = 3

    @cogen.stage
    def run(self, x: Any) -> Any:
        return x * self.gain


FACTOR = [2]


@cogen.stage
def by_global(x: Any) -> Any:
    return x * FACTOR[0]


def test_they_are_functions_like_others() -> None:
    assert (scaled(2.0), scaled(2.0, k=5), scaled(a=1.0, n=2)) == (8.0, 11.0, 4.0)
    assert scaled.__name__ == "scaled"
    assert scaled.__doc__ == "Scale."
    assert pickle.loads(pickle.dumps(scaled)) is scaled
    f = Filter()
    assert f.run(2.0) == 6.0
    f.gain = 4
    assert f.run(2.0) == 8.0
    assert f.run.program(2.0).run(2.0) == 8.0
    assert by_global(2) == 4
    FACTOR[0] = 5
    assert by_global(2) == 10


def test_the_second_call_costs_little() -> None:
    scaled(X)
    best = min([_time() for _ in range(20)])
    assert best < 0.005


def _time() -> float:
    start = time.perf_counter()
    scaled(X)
    return time.perf_counter() - start


def test_in_the_background_the_function_answers() -> None:
    staged = cogen.stage(background=True)(fill)
    for _ in range(3):
        assert staged(X, 1.0)[0] == 8.0
    (variants,) = staged._variants.values()
    assert variants[0].ready.wait(60)
    assert staged(X, 1.0)[0] == 8.0
    assert variants[0].function is not None


def test_loops_are_those_of_l0() -> None:
    program = cogen.stage(products).program(X, X)
    same = cogen.array.loads(
        "fun real main([real] a, [real] b) = reduce(op +, 0.0, map(op *, zip(a, b)))"
    )
    from cogen.array.report.fusionreport import report

    assert [s["kind"] for s in program.report()["soacs"]] == [
        s["kind"] for s in report(same).json()["soacs"]
    ]


def products(a: Any, b: Any) -> Any:
    return np.sum(a * b)


# Calls with nothing to convert are made at once; others are as before.

OFFSET = 1.0


@cogen.stage
def moved(x: Any, k: Any) -> Any:
    return x * k + OFFSET, x.sum()


def test_plain_arguments_are_passed_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.arange(6.0)
    assert moved.program(x, 2.0).compile().compiled.plain is not None
    for _ in range(2):  # the second call finds the program by a look at its arguments
        got, total = moved(x, 2.0)
        assert np.array_equal(got, 2.0 * x + 1.0)
        assert total == 15.0
        assert type(total) is np.float64
    monkeypatch.setitem(globals(), "OFFSET", 3.0)
    assert np.array_equal(moved(x, 2.0)[0], 2.0 * x + 3.0)
    monkeypatch.undo()
    assert np.array_equal(moved(x, 2.0)[0], 2.0 * x + 1.0)
    assert np.array_equal(x, np.arange(6.0))


class Own(np.ndarray[Any, Any]):
    pass


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "x",
    [
        np.arange(12.0)[::2],
        np.arange(6.0).astype(">f8"),
        np.arange(6.0).view(Own),
        np.arange(6),
        np.arange(6, dtype=np.float32),
        np.zeros(0),
        np.ones(1),
        np.arange(6.0).reshape(2, 3),
        np.arange(6.0).reshape(3, 2).T,
        np.arange(6) % 2 == 0,
    ],
)
def test_other_arguments_after_plain_ones(x: Any) -> None:
    plain = np.arange(6.0)
    for k in (2.0, 3, True, np.float64(0.5)):
        assert np.array_equal(moved(plain, k)[0], plain * k + OFFSET)
        got, total = moved(x, k)
        assert np.array_equal(got, x * k + OFFSET)
        assert total == x.sum()


def test_a_masked_array_is_refused_after_a_plain_one() -> None:
    moved(np.arange(6.0), 2.0)
    with pytest.raises(cogen.CogenError, match="must not be masked"):
        moved(np.ma.masked_array(np.arange(6.0), [1, 0, 0, 0, 0, 0]), 2.0)


def test_errors_and_numbers_out_of_range_after_plain_calls() -> None:
    @cogen.stage
    def part(n: int, d: int) -> Any:
        return n // d

    assert part(7, 2) == part(7, 2) == 3
    with pytest.raises(cogen.CogenError, match="division by zero"):
        part(7, 0)
    with pytest.raises(cogen.CogenError, match="not in the range of int64"):
        part(1 << 63, 2)
    assert part(True, 1) == 1
    assert part(7.0, 2) == 3.0


def test_min_and_max_of_an_array_have_a_default() -> None:
    def ends(a: Any, x: float) -> tuple[Any, Any]:
        return min(a, default=-1.0), max(a[a > x], default=x)

    staged = cogen.stage(ends)
    for values in ([], [3.0, 1.0, 2.0], [-5.0]):
        a = np.array(values, float)
        for x in (0.0, 2.5):
            assert staged(a, x) == ends(a, x)
