"""The case studies: what they compute, on small data, and that opponents agree."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cogen.bench import casestudies
from cogen.bench.studies import (
    algebra,
    pictures,
    queries,
    regex,
    sound,
    staged,
    stagedpython,
    templates,
)
from cogen.bench.studies.study import OURS, example, same

as_for_users = pytest.mark.usefixtures("full_optimisation")

needs_compiler = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
)


def records(columns: dict[str, Any]) -> Any:
    """Columns as an array of records."""
    found = np.empty(len(next(iter(columns.values()))), [(n, a.dtype) for n, a in columns.items()])
    for name, column in columns.items():
        found[name] = column
    return found


def numpys_q1(t: dict[str, Any], until: int) -> Any:
    """Q1, group by group."""
    words, rows = example("tpch").WORDS, []
    for flag, status in np.ndindex(3, 2):
        own = (t["l_returnflag"] == flag) & (t["l_linestatus"] == status)
        own &= t["l_shipdate"] <= until
        if own.any():
            quantity, base, discount = [
                t[f"l_{name}"][own] for name in ("quantity", "extendedprice", "discount")
            ]
            price = base * (1 - discount)
            amounts = quantity, base, price, price * (1 + t["l_tax"][own])
            means = [x.mean() for x in (quantity, base, discount)]
            names = words["l_returnflag"][flag], words["l_linestatus"][status]
            rows.append((*names, *[x.sum() for x in amounts], *means, own.sum()))
    return rows


def numpys_q6(t: dict[str, Any], since: int, until: int, low: Any, high: Any, most: Any) -> Any:
    own = (since <= t["l_shipdate"]) & (t["l_shipdate"] < until) & (t["l_quantity"] < most)
    own &= (low <= t["l_discount"]) & (t["l_discount"] <= high)
    return (t["l_extendedprice"] * t["l_discount"])[own].sum()


@needs_compiler
def test_queries_over_records() -> None:
    columns = example("tpch").tables(0.002)["lineitem"]
    own, table = example("queries"), records(columns)
    expected = numpys_q1(columns, own.Q1_UNTIL)
    assert same(own.q1_rows(own.q1(table, own.Q1_UNTIL)), expected)
    assert same(own.q1_dense_rows(own.q1_dense(table, own.Q1_UNTIL)), expected)
    kinds = [s["kind"] for s in own.q1.report(table, own.Q1_UNTIL)["soacs"]]
    assert kinds == ["bucket", "map"]
    assert own.q1_dense.report(table, own.Q1_UNTIL)["arrays"] == 0
    assert same(own.q6(table, *own.Q6_WANTED), numpys_q6(columns, *own.Q6_WANTED))


@needs_compiler
def test_queries_over_packed_columns() -> None:
    columns = example("tpch").tables(0.002)["lineitem"]
    own = example("packed_queries")
    packed = own.pack(columns)
    assert same(own.q1_rows(own.q1(*packed, own.Q1_UNTIL)), numpys_q1(columns, own.Q1_UNTIL))
    quantity, cents, discount, _, _, shipped, valid = packed
    found = own.q6(quantity, cents, discount, shipped, valid, *own.Q6_WANTED) / 1e4
    assert same(found, numpys_q6(columns, *example("queries").Q6_WANTED))
    assert own.q1.report(*packed, own.Q1_UNTIL)["arrays"] == 0


def numpys_q3(t: dict[str, Any]) -> Any:
    """Q3, order by order."""
    line, orders, customers = t["lineitem"], t["orders"], t["customer"]
    date = example("tpch").day("1995-03-15")
    building = set(customers["c_custkey"][customers["c_mktsegment"] == 1].tolist())
    found = []
    for k, key in enumerate(orders["o_orderkey"].tolist()):
        own = (line["l_orderkey"] == key) & (line["l_shipdate"] > date)
        wanted = orders["o_orderdate"][k] < date and orders["o_custkey"][k] in building
        if wanted and own.any():
            revenue = (line["l_extendedprice"] * (1 - line["l_discount"]))[own].sum()
            found.append((-revenue, int(orders["o_orderdate"][k]), key))
    epoch = example("tpch").EPOCH
    return [(key, -revenue, day + epoch, 0) for revenue, day, key in sorted(found)[:10]]


@needs_compiler
@as_for_users
def test_plans() -> None:
    columns = example("tpch").tables(0.001)
    tables = {}
    for name, table in columns.items():
        later = {n: a + example("tpch").EPOCH * n.endswith("date") for n, a in table.items()}
        tables[name] = records(later)
    own, line = example("plans"), columns["lineitem"]
    assert same(own.q3_rows(own.run(own.Q3, tables)), numpys_q3(columns))
    expected = numpys_q6(line, *example("queries").Q6_WANTED)
    assert same(own.run(own.Q6, tables)["revenue"], expected)
    day = example("tpch").day
    price = line["l_extendedprice"] * (1 - line["l_discount"])
    price *= (day("1995-09-01") <= line["l_shipdate"]) & (line["l_shipdate"] < day("1995-10-01"))
    promoted = columns["part"]["p_type"][line["l_partkey"] - 1] >= 125
    found = own.run(own.Q14, tables)
    assert same(own.q14_percent(found), 100 * (price * promoted).sum() / price.sum())
    kinds = [s["kind"] for s in own.run.report(own.Q14, tables)["soacs"]]
    assert kinds == ["reduce", "bucket", "redomap"]
    keys, sums = own.run(own.Q1, tables)
    rows = numpys_q1(line, example("queries").Q1_UNTIL)
    assert sorted(sums["count"].tolist()) == sorted(row[-1] for row in rows)
    assert len(keys) == 2


@pytest.mark.one_in(4)
@needs_compiler
@as_for_users
@pytest.mark.skipif(importlib.util.find_spec("pyarrow") is None, reason="pyarrow is not installed")
@pytest.mark.parametrize(
    "ways",
    [
        queries.q1_ways,
        queries.q1_packed_ways,
        queries.q6_packed_ways,
        queries.q3_ways,
        queries.q14_ways,
    ],
)
def test_opponents_agree(ways: Any) -> None:
    found = ways(0.002)
    expected = found[OURS]()
    assert [name for name, way in found.items() if not same(way(), expected)] == []


@pytest.mark.one_in(4)
@needs_compiler
@pytest.mark.parametrize("ways", [sound.master_ways, sound.strength_ways])
@pytest.mark.parametrize("samples", [40, 3000])
def test_sound_and_radio(ways: Any, samples: int) -> None:
    found = ways(samples)
    expected = found.pop(OURS)()
    assert len(expected) > 0
    assert [name for name, way in found.items() if way() != expected] == []


def test_examples_of_sound_and_radio_run(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    import wave

    own = example("sound")
    with wave.open(str(tmp_path / "in.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(3)
        file.setframerate(own.RATE)
        file.writeframes(own.example(500))
    own.main(str(tmp_path / "in.wav"), str(tmp_path / "out.wav"))
    with wave.open(str(tmp_path / "out.wav"), "rb") as file:
        assert (file.getsampwidth(), file.getnframes()) == (2, 500 - len(own.TAPS) + 1)
    example("radio").main()
    shown = capsys.readouterr().out.splitlines()[-1]
    assert set(shown[:20]) == {" "}
    assert shown[25] in "*#%@"


@needs_compiler
def test_pictures(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    found = pictures.develop_ways(640, 30)
    expected = found.pop(OURS)()
    assert len(expected[0]) == 320 * 15 * 3
    assert [name for name, way in found.items() if not same(way(), expected)] == []
    own = example("pictures")
    (tmp_path / "frame.raw").write_bytes(own.example(640, 30))
    own.main(str(tmp_path / "frame.raw"), "640", str(tmp_path / "out.png"))
    assert capsys.readouterr().out.startswith("28,800 bytes of RAW12")
    image = pytest.importorskip("PIL.Image", reason="pillow is not installed")
    with image.open(tmp_path / "out.png") as picture:
        assert picture.tobytes() == expected[0]


@needs_compiler
@pytest.mark.parametrize("ways", [algebra.k_means_ways, algebra.inner_ways])
def test_algebra(ways: Any) -> None:
    found = ways(1000)
    expected = found.pop(OURS)()
    assert [name for name, way in found.items() if not same(way(), expected)] == []


@pytest.mark.one_in(2)
@needs_compiler
@pytest.mark.parametrize(
    "case", [*staged.CASES, *stagedpython.CASES], ids=lambda case: str(case.title)
)
def test_functions_as_people_write_them(case: Any) -> None:
    found = case.ways(40)
    expected = found.pop(OURS)()
    assert [name for name, way in found.items() if not case.same(way(), expected)] == []


@needs_compiler
def test_numbers_and_matrices_of_the_program_leave_nothing() -> None:
    own = example("algebra")
    a, b = np.array([1 + 2j, 3 - 1j]), np.array([2j, 1 + 1j])
    given = own.numbers(a), own.numbers(b)
    for function in (own.inner, own.energy):
        report = function.report(*given)
        assert (len(report["soacs"]), report["arrays"]) == (1, 0)
    assert same(own.energy(*given), (np.abs(a - b) ** 2).sum())
    m, d, x = np.arange(6.0).reshape(2, 3), np.array([1.0, 2.0, 3.0]), np.ones(3)
    assert same(own.chain(m, d, x), m @ np.diag(d) @ np.diag(d) @ x)
    assert own.distance.report(x, d)["arrays"] == 0
    assert same(own.distance(x, d), np.sqrt(5.0))
    points = own.blobs(50)
    centres = points[0][:3], points[1][:3]
    kinds = [s["kind"] for s in own.round_of_k_means.report(points, centres)["soacs"]]
    assert kinds == ["bucket", "map"]


def test_what_is_the_same() -> None:
    assert same({"a": (1.0, [2])}, {"a": (1.0 + 1e-12, [2])})
    assert same("a", "a")
    assert not same("a", "b")
    assert not same([1, 2], [1])
    assert not same({"a": 1}, {"b": 1})
    assert not same(np.zeros(2), np.zeros(3))


def test_rows_of_the_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """An opponent that gives something else is named, and not measured."""
    from cogen.bench.studies.study import Study

    ways = {OURS: lambda: 1, "other": lambda: 1, "wrong": lambda: 2}
    monkeypatch.setattr(queries, "CASES", (Study("a case", lambda: ways, {"other": 2.0}),))
    report = casestudies.bench(["queries"])
    assert report.failures == ["a case: wrong gives something else"]
    assert [(row["opponent"], row["bar"]) for row in report.rows] == [("other", 2.0)]


@needs_compiler
def test_regular_expressions_and_the_opponent() -> None:
    assert len(regex.CASES) == 3 * 5 * 7
    for operation, pattern, text in (
        ("whole", regex.PATTERNS[0], "a and b"),
        ("count", regex.PATTERNS[3], "log"),
    ):
        ways = regex.ways(operation, pattern, text)
        assert len({way() for way in ways.values()}) == 1


@needs_compiler
def test_the_example_of_regular_expressions(capsys: pytest.CaptureFixture[str]) -> None:
    example("regex").main()
    shown = capsys.readouterr().out
    assert "1 matches in 1000003 bytes" in shown
    assert "(define (match?" in shown
    assert "while (i < " in shown


@needs_compiler
def test_templates_and_opponents() -> None:
    ways = templates.ways(16)
    expected = ways["join"]().replace("&#x27;", "&#39;")
    assert ways[OURS]() == expected
    assert all(way() == expected for way in ways.values())


@needs_compiler
def test_the_example_of_templates(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "a&b").write_bytes(b"123")
    example("templates").main(str(tmp_path))
    shown = capsys.readouterr().out
    assert '<div class="level0"><ul><li><b>a&amp;b</b> 3 bytes</li>\n</ul>\n</div>' in shown
    assert "let records" in shown
