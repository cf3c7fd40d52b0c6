"""`--json`: diagnostics and statistics as data; `cogen check`."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import click
import pytest

from cogen.cli import commands, main
from cogen.lang.warning import CogenWarning
from cogen.reporting import CONVERSING, asked

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")

POWER = "(define (power x n)\n  (if (= n 0) 1 (* x (power x (- n 1)))))\n"


class Told:
    """What a command line with `--json` tells."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *words: str) -> None:
        capsys.readouterr()
        self.status = main([*words, "--json"])
        done = capsys.readouterr()
        self.out = done.out
        self.before, _, line = done.err.rstrip("\n").rpartition("\n")
        self.report: dict[str, Any] = json.loads(line)
        assert self.report["version"] == 1
        assert self.report["status"] == self.status
        for one in self.report["diagnostics"]:
            self.check(one)

    def check(self, one: dict[str, Any]) -> None:
        """A diagnostic has what the page says, and nothing else."""
        assert set(one) == of_page("diagnostic")
        for place in (one["place"], one["library"], *one["calls"], *notes(one, "place")):
            assert place is None or set(place) == {"file", "start", "end"}
            assert place is None or place["start"] <= place["end"]

    @property
    def messages(self) -> list[str]:
        return [one["message"] for one in self.report["diagnostics"]]


def notes(one: dict[str, Any], key: str) -> list[Any]:
    return [note[key] for note in one["notes"]]


def of_page(what: str) -> set[str]:
    """The keys that the page says a report or a diagnostic has."""
    table = PAGE.split(f"| of {'the' if what == 'report' else 'a'} {what} | |")[1].split("\n\n")[0]
    first = re.findall(r"^\| (`.*?) \|", table, re.M)
    return {name for cell in first for name in re.findall(r"`(\w+)`", cell)}


@pytest.fixture
def power(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "power.scm").write_text(POWER)
    return "power.scm"


def test_the_page_says_what_a_report_has(power: str, capsys: pytest.CaptureFixture[str]) -> None:
    told = Told(capsys, "check", power)
    assert set(told.report) == of_page("report")
    assert (told.status, told.out, told.report["diagnostics"]) == (0, "", [])


def test_errors_have_places_hints_and_notes(
    power: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.scm").write_text("(define (f x) x)\n(define (g)\n  (squar (f)))\n")
    told = Told(capsys, "run", "a.scm")
    first, second = told.report["diagnostics"]
    assert told.status == 1
    assert first["message"] == "unbound name `squar`"
    assert first["hint"] == "did you mean `square`?"
    assert first["place"] == {"file": "a.scm", "start": [3, 4], "end": [3, 9]}
    assert second["notes"][0]["place"]["start"] == [1, 1]


def test_calls_that_led_there(power: str, capsys: pytest.CaptureFixture[str]) -> None:
    told = Told(capsys, "run", power, "--entry", "power", "a", "1")
    (one,) = told.report["diagnostics"]
    assert one["kind"] == "error"
    assert [place["start"] for place in [one["place"], *one["calls"]]] == [[2, 17]]
    deep = Told(capsys, "run", power, "--entry", "power", "a", "3")
    (one,) = deep.report["diagnostics"]
    assert one["calls"][0] == {"file": power, "start": [2, 22], "end": [2, 39]}


def test_statistics_and_results(power: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["specialize", power, "--entry", "power", "_", "(static 3)"]
    assert main(words) == 0
    plain = capsys.readouterr().out
    told = Told(capsys, *words, "--stats")
    assert told.out == plain
    assert told.before == ""
    assert told.report["statistics"]["calls unfolded"] == 4


def test_explanations_are_data_too(power: str, capsys: pytest.CaptureFixture[str]) -> None:
    told = Told(capsys, "specialize", power, "--entry", "power", "_", "(static 3)", "--explain")
    assert json.loads(told.out)["entry"] == "power"
    assert told.report["statistics"]


def test_limits_and_warnings_have_their_kinds(
    power: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Told(capsys, "run", power, "--entry", "power", "1", "-1", "--max-time", "0.05")
    assert (told.status, [one["kind"] for one in told.report["diagnostics"]]) == (1, ["limitation"])

    def warning(*_: object) -> None:
        warnings.warn("something is odd", CogenWarning, stacklevel=1)

    monkeypatch.setattr("cogen.commands.run.load_program", warning)
    told = Told(capsys, "run", power)
    assert (told.report["diagnostics"][0]["severity"], told.messages[0]) == (
        "warning",
        "something is odd",
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--sizes"], "No such option"),
        (["_"], "`power` has 2 parameters"),
        (["_", "(statik 3)"], "unknown form of binding time"),
    ],
)
def test_wrong_usage(
    words: list[str], message: str, power: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told = Told(capsys, "specialize", power, "--entry", "power", *words)
    assert told.status == 2
    assert message in told.messages[0]


def test_interruptions_and_bugs(
    power: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for error, status, message in (
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError(), 1, "out of memory"),
        (ZeroDivisionError("oh"), 1, "ZeroDivisionError: oh"),
    ):

        def fails(*_: object, error: BaseException = error) -> None:
            raise error

        monkeypatch.setattr("cogen.commands.run.load_program", fails)
        told = Told(capsys, "run", power)
        assert told.status == status
        assert told.messages[0].startswith(message)


def test_what_programs_write_stands_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.scm"
    file.write_text('(display "hello" (current-error-port)) (newline (current-error-port)) (car 1)')
    told = Told(capsys, "run", str(file))
    assert told.before == "hello"
    assert "car" in told.messages[0]


def test_after_a_report_all_is_in_words_again(
    power: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Told(capsys, "run", power, "--entry", "nothing")
    assert main(["run", power, "--entry", "nothing"]) == 2
    assert capsys.readouterr().err.startswith("error: ")


def leaves(group: click.Group, words: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    context = click.Context(group)
    found: list[tuple[str, ...]] = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        inner = (*words, name)
        found += leaves(command, inner) if isinstance(command, click.Group) else [inner]
    return found


def test_commands_that_end_by_themselves_have_the_option(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for words in leaves(commands):
        assert main([*words, "--help"]) == 0
        assert ("--json" in capsys.readouterr().out) == (words[0] not in CONVERSING), words


def test_when_a_report_is_asked_for() -> None:
    assert asked(["run", "a.scm", "--json"])
    assert not asked(["run", "a.scm", "--", "--json"])
    assert not asked(["lsp", "--json"])


# cogen check


def test_check_tells_all_errors_of_all_files(
    power: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.scm").write_text("(define (f) (undefined\n(define (g) (car))\n")
    (tmp_path / "b.l0").write_text("fun int f(int x) = y\nfun int g(int x) = z\n")
    (tmp_path / "c.scm").write_bytes(b"\xff")
    told = Told(capsys, "check", power, "a.scm", "b.l0", "c.scm")
    assert told.status == 1
    assert [one["place"] and one["place"]["file"] for one in told.report["diagnostics"]] == [
        "a.scm", "a.scm", "b.l0", "b.l0", None,
    ]  # fmt: skip
    assert main(["check", power]) == 0
    assert capsys.readouterr() == ("", "")
    assert main(["check", "a.scm"]) == 1
    assert "a.scm:1:13: error: unclosed `(`" in capsys.readouterr().err
