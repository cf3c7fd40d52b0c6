"""What fuzzing found stays mended; and the fuzzer finds, shrinks, keeps and counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cogen.lang.deep import on_deep_stack
from tests.choices import Seeded, Stream
from tests.fuzz.case import Case, Differs, Kind, Skipped, Way, each, read, written
from tests.fuzz.engine import Fuzzer
from tests.fuzz.kinds import KINDS
from tests.fuzz.language import agree
from tests.randomprograms import Outcome

FOUND = sorted((Path(__file__).with_name("found")).glob("*.*"))
QUICK = ("residual", "scheme", "python", "generate", "optimised", "one-off", "unoptimised")


OPEN: dict[str, str] = {}
"""What is found and not mended yet: refused with a diagnostic, not wrong."""


def cases_found() -> Iterator[Any]:
    """What was found, by the name of its file; what is open must fail until it is mended."""
    for path in FOUND:
        reason = OPEN.get(path.stem)
        marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
        yield pytest.param(path, id=path.stem, marks=marks)


@pytest.mark.parametrize("path", list(cases_found()))
def test_what_was_found_is_mended(path: Path) -> None:
    case, way = read(path.read_text(encoding="utf-8"))
    verdict = on_deep_stack(KINDS[case.kind].way(way).run, [case])[0]
    assert verdict is None


@pytest.mark.parametrize("name", KINDS)
def test_programs_of_a_few_seeds_agree(name: str, tmp_path: Path) -> None:
    """The ways that need no compiler."""
    kind = KINDS[name]
    kind = Kind(name, kind.make, tuple(way for way in kind.ways if way.name in QUICK))
    said: list[str] = []
    fuzzer = Fuzzer([kind], tmp_path, said.append)
    count = {"signals": 2, "forms": 3}.get(name, 8)
    assert on_deep_stack(fuzzer.run, 0, count, None) == count
    assert fuzzer.report.programs == {name: count}
    assert fuzzer.report.found == []
    assert sum(fuzzer.report.agreed.values()) > count // 2
    assert said == []


def digits(stream: Stream) -> Case:
    choices = Seeded(stream)
    numbers = [choices.integer(0, 9) for _ in range(choices.integer(0, 20))]
    return Case("kernels", " ".join(map(str, numbers)), {"word": "8"})


def no_seven(case: Case) -> None:
    if "9" in case.text:
        raise Skipped("a nine")
    if "7" in case.text:
        raise Differs(f"holds a seven: {case.text}")
    if "8" in case.text:
        raise ValueError("an eight")


def test_what_differs_is_made_small_and_kept(tmp_path: Path) -> None:
    kind = Kind("kernels", digits, (Way("sevens", each(no_seven), every=2, batch=3),))
    fuzzer = Fuzzer([kind], tmp_path, lambda text: None)
    assert fuzzer.run(0, 100, None) == 100
    texts = sorted(path.read_text() for path in tmp_path.iterdir())
    assert texts == [f"; kind: kernels\n; way: sevens\n; word: 8\n{digit}" for digit in "78"]
    report = fuzzer.report
    met = report.agreed + report.skipped
    assert met[("kernels", "sevens")] + len(report.found) == 50
    assert report.lines()[0] == "100 programs"


def test_cases_are_files() -> None:
    case = Case("language", "(define (f) 1)\n; kind: no\n", {"division": "(_)"})
    again, way = read(written(case, "python"))
    assert (again.kind, again.text, again.given, way) == (
        "language", case.text, case.given, "python",
    )  # fmt: skip


def test_names_of_procedures_are_for_people() -> None:
    """They may differ wherever they are written, and nothing else may."""
    value = "(#<procedure a->b> #<procedure lambda> . {})"
    wanted = Outcome("#<procedure f>x", value.format(1), None)
    agree(Outcome("#<procedure main-1>x", value.replace("a->b", "f-2").format(1), None), wanted, [])
    arity = "{}: expected 2 arguments, got 8"
    agree(Outcome("", None, arity.format("f-1")), Outcome("", None, arity.format("f")), [])
    for other in (
        Outcome("#<procedure f>y", value.format(1), None),
        Outcome("#<procedure f>x", value.format(2), None),
        Outcome("#<procedure f>x", None, "car: expected a pair, got #<procedure f>"),
    ):
        with pytest.raises(Differs):
            agree(other, wanted, [])


def test_a_seed_is_a_program_everywhere() -> None:
    """Of the numbers of `random.random` alone, which all versions of Python make alike."""
    case = KINDS["kernels"].make(Stream(7))
    assert KINDS["kernels"].make(Stream(7)).text == case.text
    stream = Stream(None, [0.99, 0.5])
    chosen = [stream.random(), stream.uniform(2, 4), stream.randint(3, 9), stream.choice("abcd")]
    assert chosen == [0.99, 3.0, 3, "a"]
    assert stream.taken == [0.99, 0.5, 0.0, 0.0]
