"""The benchmark framework, and that the opponents of every case agree."""

from __future__ import annotations

import io
import json
import math
import os
import shutil
from dataclasses import replace
from functools import partial

import pytest
from rich.console import Console

import cogen
from cogen import binding_times
from cogen.bench import generate, specialize, specializing, suite
from cogen.bench.cases import CASES, BenchmarkCase, program_path
from cogen.bench.data import aligned
from cogen.bench.signals import all_ways, compile_case, wrong_ways
from cogen.compiled import is_compiled
from cogen.measure.report import Column, Report, to_json
from cogen.measure.turns import Timings, interleaved
from cogen.terminal import UsageError
from tests.corpus.cases import weight

needs_compiler = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
)


def test_candidates_take_turns() -> None:
    calls: list[str] = []
    names = "abc"
    timings = interleaved({name: partial(calls.append, name) for name in names}, 12)
    rounds = ["".join(calls[k : k + 3]) for k in range(0, len(calls), 3)]
    assert all(sorted(own) == list(names) for own in rounds)
    assert all(len(timings.rounds[name]) == 12 for name in names)
    first, last = {own[0] for own in rounds}, {own[-1] for own in rounds}
    assert first == last == set(names), "who comes after whom is not the same in all rounds"
    again: list[str] = []
    interleaved({name: partial(again.append, name) for name in names}, 12)
    assert again == calls


def test_a_candidate_that_takes_too_long_runs_once() -> None:
    calls: list[str] = []
    timings = interleaved({"a": lambda: calls.append("a")}, seconds=0.0)
    assert calls == ["a"]
    assert len(timings.rounds["a"]) == 1


def test_what_takes_half_of_the_time_is_run_again() -> None:
    """The first run, which is cold, does not count."""
    now = 0.0
    takes = iter([0.9, 0.5, 0.5, 0.5])

    def candidate() -> None:
        nonlocal now
        now += next(takes)

    timings = interleaved({"a": candidate}, seconds=1.0, clock=lambda: now)
    assert timings.seconds("a") == 0.5
    assert len(timings.rounds["a"]) == 3


def test_ratios_are_medians_over_the_rounds() -> None:
    timings = Timings({"a": [2.0, 30.0, 4.0], "b": [1.0, 10.0, 4.0], "once": [8.0]})
    assert timings.seconds("a") == 4.0
    assert timings.ratio("a", "b") == 2.0
    assert timings.ratio("once", "b") == 2.0


def test_reports_as_table_and_json() -> None:
    columns = (Column("case", "case"), Column("ratio", "ratio", ".2fx"), Column("n", "n", ",d"))
    report = Report("demo", "a demo", columns, notes=["a note"], failures=["b differs"])
    report.rows.append({"case": "first", "ratio": 1.234, "n": 12345})
    report.rows.append({"case": "second"})
    stream = io.StringIO()
    report.print(Console(width=80, file=stream))
    text = stream.getvalue()
    for part in ("a demo", "first", "1.23x", "12,345", "second", "-", "a note", "wrong: b differs"):
        assert part in text
    document = json.loads(to_json([report]))
    assert document["version"] == 1
    assert document["benches"][0]["rows"][0] == {"case": "first", "ratio": 1.234, "n": 12345}


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_no_word_of_a_table_is_broken(width: int) -> None:
    titles = ["word size", "residual GB/s", "residual / memcpy", "unspecialized / residual"]
    columns = (Column("case", ""), *(Column(title, title, ",.2f") for title in titles))
    report = Report("demo", "a demo", columns)
    for k in range(2):
        row = {title: 1234.5 * 10**j for j, title in enumerate(titles)}
        report.rows.append({"case": f"case {k}", **row})
    stream = io.StringIO()
    report.print(Console(width=width, file=stream))
    text = stream.getvalue()
    assert text.count("a demo") == 1
    assert max(map(len, text.splitlines())) <= width
    words = text.split()
    for title in titles:
        assert set(title.split()) <= set(words)
    for figure in ("1,234.50", "12,345.00", "123,450.00", "1,234,500.00"):
        assert words.count(figure) == 2
    assert (text.count("case 0") == 1) == (width >= 60)


def test_an_unknown_benchmark_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="there is no benchmark `nothing`") as caught:
        suite.main(["nothing"])
    assert caught.value.hint == f"there are {', '.join(suite.BENCHES)}"
    assert {"fib", "specialize", "signals", "packed"} <= set(suite.BENCHES)


def test_the_specializer_is_measured_on_interpreters() -> None:
    report = specialize.bench(
        ["futamura/by-name", "kmp/aab"], ["imperative-alist"], rounds=1, large=[]
    )
    by_name, matcher, growing = report.rows
    assert [row["case"] for row in report.rows] == [
        "futamura/by-name",
        "kmp/aab",
        "imperative-alist, growing",
    ]
    for row in (by_name, matcher):
        assert set(row) <= {column.key for column in specialize.COLUMNS}
        seconds = float(row["milliseconds"]) / 1000
        speed = float(row["operations_per_second"])
        assert speed * seconds == pytest.approx(float(row["operations"]))
        assert float(row["calls_per_second"]) > 0
        assert float(row["megabytes"]) >= 0
        assert ("compiled" in row) == is_compiled()
    times = [float(growing[f"grown_{factor}"]) for factor in specializing.GROWING]
    assert float(growing["exponent"]) == pytest.approx(math.log2(times[-1] / times[0]) / 3)
    assert any("residual operations a second" in note for note in report.notes)


def test_the_specializer_is_measured_on_long_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same with fewer lines: each program has about as many as are asked for."""
    monkeypatch.setattr(specialize, "LINES", (25, 50))
    (row,) = specialize.bench([], [], rounds=1, large=["bytecode"]).rows
    assert row["case"] == "large/bytecode"
    assert float(row["line"]) == pytest.approx(1000 * float(row["milliseconds"]) / 50)
    assert float(row["megabytes"]) >= 0
    assert "exponent" in row
    for name in specializing.LARGE:
        for lines in (100, 1000):
            (program,) = (
                bt.value
                for bt in specializing.case_of(f"large/{name}/{lines}").bts
                if isinstance(bt, binding_times.Static)
            )
            assert weight(program) == pytest.approx(lines * specializing.PAIRS_IN_LINE, rel=0.1)


def test_generated_compilers_are_measured_beside_the_specializer() -> None:
    (row,) = specialize.bench(["futamura/by-value"], [], rounds=3, large=[]).rows
    assert float(row["generated"]) > 0.8  # 1.7 and more where nothing else runs


@pytest.mark.sources
def test_what_a_perfect_compiler_could_reach_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside what is measured of the one that there is, anew each time."""
    once = partial(interleaved, repetitions=1, seconds=0.1)
    monkeypatch.setattr(generate, "interleaved", lambda ways, n, seconds, clock: once(ways))
    monkeypatch.setattr(generate, "INTERPRETERS", ("by-name",))
    monkeypatch.setattr(generate, "OF_CORPUS", ("typed/fib",))
    report = generate.bench()
    assert [row["case"] for row in report.rows] == ["futamura/by-name", "typed/fib"]
    assert not report.failures
    for row in report.rows:
        assert float(row["perfect"]) > 1
        assert float(row["specialize_ms"]) > 2 * float(row["print_ms"])
    assert report.notes[-1].startswith("median of specialize / a perfect compiler: ")


def test_what_is_computed_outright_and_what_has_no_end_are_measured() -> None:
    outright, endless = specialize.bench(["outright/primes", "diverging/a text"], [], large=[]).rows
    assert float(outright["outright"]) > 1.5  # 3 and more where nothing else runs
    assert 0 < float(endless["milliseconds"]) < 5000
    assert str(endless["failure"]).startswith("specialization does not seem to end")


def test_cases_without_an_end_say_why() -> None:
    case = replace(specializing.case_of("futamura/mixwell"), seconds=1e-3)
    found = specializing.apart(lambda: specializing.measured(case))
    assert str(found["failure"]).startswith("specialization took more than 0.001 seconds")


def test_work_apart_that_dies_says_so() -> None:
    assert specializing.apart(lambda: os._exit(3)) == {"failure": "the process has died"}


def test_wrong_answers_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def bench() -> Report:
        return Report("wrong", "", (Column("a", "a"),), failures=["a is 2"])

    monkeypatch.setattr(suite, "BENCHES", {"wrong": bench})
    with pytest.raises(cogen.CogenError, match="a is 2"):
        suite.main(as_json=True)


def test_memory_is_aligned() -> None:
    assert aligned(100).ctypes.data % 4096 == 0
    assert len(aligned(100)) == 100


@pytest.mark.one_in(16)
@needs_compiler
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_all_ways_of_a_case_agree(case: BenchmarkCase) -> None:
    data = case.data(40_000)
    ways = all_ways(compile_case(cogen.load(program_path()), case), case, data)
    assert {"hand", "residual"} <= set(ways)
    assert ("numpy" in ways) == (case.numpy is not None)
    assert ("inlined" in ways) == case.inlined
    assert ("unspecialized" in ways) == case.unspecialized
    assert wrong_ways(ways, case, data) == []
    ways["residual"] = lambda: 0
    data.out[:] = 0
    assert wrong_ways(ways, case, data) == ["residual"]  # the answer is no constant
