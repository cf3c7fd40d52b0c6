"""Where residual programs spend their time, and the pages that show it."""

from __future__ import annotations

import ctypes
import json
import re
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import cogen
from cogen.array.c.nativeprogram import marked_text
from cogen.backends.objectcode.assembly import Assembly
from cogen.cli import main
from cogen.view import timing
from cogen.view.timing import TABLE, Probe, labelled

pytestmark = [
    pytest.mark.skipif(
        not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
    ),
    pytest.mark.skipif(
        not hasattr(ctypes.CDLL(None), "profil"), reason="the system's library has no `profil`"
    ),
]

PROGRAM = """\
(define (work n)
  (let loop ((i 0) (x 1))
    (if (= i n) (finish x)
        (loop (+ i 1)
              (bitwise-and (+ (* x x) i) 1023)))))
(define (finish x) (+ x 7))
"""


@cache
def measured() -> cogen.Residual:
    residual = cogen.specialize(cogen.loads(PROGRAM, "w.scm"), "work", cogen.dynamic("int"))
    assert '<button data-heat="time"' not in residual.html
    residual.measure(2_000_000, seconds=0.3)
    return residual


def test_the_loop_takes_the_time() -> None:
    times = measured().measure(2_000_000, seconds=0.3)
    assert times.samples >= 5
    assert times.runs >= 2
    shares = {}
    for (source, start, _), share in times.shares.items():
        line, _ = source.position(start)
        shares[line] = shares.get(line, 0.0) + share
    assert shares.get(6, 0.0) < 0.2 < sum(shares.values()) <= 1.001 * len(shares)
    assert max(shares, key=lambda line: shares[line]) in (2, 3, 4, 5)
    assert sum(times.of_c.values()) > 0.5
    assert re.fullmatch(r"<times of [\d,]+ runs: \d+ samples>", repr(times))


def test_the_page_shows_it() -> None:
    page = measured().html
    assert '<button data-heat="time" data-key="t" aria-pressed="false">Time</button>' in page
    assert re.search(r"\d runs? measured in 0\.\d s", page)
    assert re.search(r"It takes \d+ % of the time\.", page)
    assert "--t:1.00" in page


def test_labels_of_instructions() -> None:
    asm = Assembly("f:\n\tmovl $1, %eax\n\tret\n", (None, (1, 2), (1, 9)))
    assert labelled(asm, [1, 2]).splitlines() == [
        "f:", ".Lcogen_0:", "\tmovl $1, %eax", ".Lcogen_1:", "\tret",
        '\t.section .data.rel.ro,"aw"', "\t.balign 8", f"\t.globl {TABLE}", f"{TABLE}:",
        "\t.quad .Lcogen_0", "\t.quad .Lcogen_1",
    ]  # fmt: skip


def test_what_cannot_be_measured() -> None:
    residual = measured()
    with pytest.raises(cogen.CogenError, match="seconds must be a positive number, not 0"):
        residual.measure(1, seconds=0)
    with pytest.raises(cogen.CogenError, match="expected 1 argument"):
        residual.measure()
    with pytest.raises(cogen.CogenError, match="too little time to be measured") as caught:
        residual.measure(1, seconds=1e-6)
    assert caught.value.hint == "give more data, or more seconds"
    program = cogen.loads("(define (f x) (list x (car x)))")
    with pytest.raises(cogen.CogenError, match="car: expected a pair, got 1"):
        cogen.specialize(program, "f", cogen.dynamic()).measure(1)


LISTS = """\
(define (main l n m)
  (let loop ((i 0) (sum 0))
    (if (= i n) sum (loop (+ i 1) (+ sum (work l i m))))))
(define (work l i m)
  (let turn ((k 0) (x (+ i (car l))))
    (if (= k m) x
        (turn (+ k 1) (bitwise-and (+ (* x x) (cadr l)) 1023)))))
"""


def test_whole_programs() -> None:
    program = cogen.loads(LISTS, "l.scm")
    residual = cogen.specialize(program, "main", *[cogen.dynamic()] * 3)
    times = residual.measure(cogen.datum("(3 5)"), 1_000, 1_000, seconds=0.4)
    assert times.samples >= 5
    assert 0 <= times.elsewhere < 0.7
    shares: dict[int, float] = {}
    for (source, start, _), share in times.shares.items():
        if source.name == "l.scm":
            line, _ = source.position(start)
            shares[line] = shares.get(line, 0.0) + share
    assert sum(shares.values()) > 0.3
    assert max(shares, key=lambda line: shares[line]) in (5, 6, 7)
    assert sum(times.of_c.values()) > 0.3
    page = residual.html
    assert '<button data-heat="time"' in page
    assert re.search(r"It takes \d+ % of the time\.", page)


ARRAYS = """fun real main([real] a, int n) =
  let b = map(fn real (real x) => x * x + 1.0, a) in
  reduce(op +, 0.0, loop (c = b) = for i < n do map(fn real (real x) => x / (x + 2.0), c) in c)
"""


def test_array_programs_are_sampled() -> None:
    program = cogen.array.loads(ARRAYS, "a.l0")
    times = program.measure(np.linspace(0.0, 1.0, 20_000), 40, seconds=0.4)
    assert times.samples >= 5
    assert times.runs > 0
    for shares in (times.shares, times.of_loops, times.of_c):
        assert 0 <= sum(shares.values()) <= 1.001


def test_loops_of_array_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of samples of which nine in ten are in divisions, and the others in products."""
    program = cogen.array.loads(ARRAYS, "a.l0")
    text = marked_text(program, "main")[0].text.splitlines()

    def sampled(
        asm: Assembly, make: Callable[[str], Probe], seconds: float
    ) -> tuple[dict[int, int], int, float]:
        counts: dict[int, int] = {}
        for written, samples in ((" / ", 90), ("x * x", 10)):
            found = [
                number
                for number, at in enumerate(asm.positions)
                if at is not None and written in text[at[0] - 1].partition("const double v")[2]
            ]
            counts |= dict.fromkeys(found, samples // len(found) + 1)
        return counts, 7, seconds

    monkeypatch.setattr("cogen.view.arraytiming.sampled_lines", sampled)
    assert '<button data-heat="time"' not in program.html()
    times = program.measure(np.linspace(0.0, 1.0, 20), 40, seconds=0.4)
    for shares in (times.shares, times.of_loops):
        lines = {source.position(start)[0]: share for (source, start, _), share in shares.items()}
        assert max(lines, key=lambda line: lines[line]) == 3
        assert set(lines) == {2, 3}
        assert 0.99 < sum(lines.values()) <= 1.001
    assert 0.99 < sum(times.of_c.values()) <= 1.001
    page = program.html()
    assert '<button data-heat="time" data-key="t" aria-pressed="false">Time</button>' in page
    after = page[page.index('id="after"') : page.index('id="loops"')]
    loops = re.findall(r'<g class="loop" data-p="[^"]*" style="--t:([\d.]+)">', after)
    assert max(map(float, loops)) > 0.5
    assert re.search(r"It takes \d+ % of the time\.", page)
    assert "--t:" in page[page.index('id="loops"') :]


def test_what_cannot_be_measured_of_array_programs() -> None:
    program = cogen.array.loads(ARRAYS, "a.l0")
    with pytest.raises(cogen.CogenError, match="seconds must be a positive number, not -1"):
        program.measure([1.0], 1, seconds=-1)
    with pytest.raises(cogen.CogenError, match="`main` takes 2 values"):
        program.measure([1.0])
    with pytest.raises(cogen.CogenError, match="does not define the function `f`"):
        program.measure([1.0], 1, entry="f")
    with pytest.raises(cogen.CogenError, match="too little time to be measured"):
        program.measure([1.0], 1, seconds=1e-6)


def test_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        timing, "measured", lambda *given, whole=timing.measured: whole(*given[:-1], 0.1)
    )
    (tmp_path / "w.scm").write_text(PROGRAM)
    words = ["specialize", str(tmp_path / "w.scm"), "--entry", "work", "(dynamic int)"]
    page = str(tmp_path / "w.html")
    assert main([*words, "--time", "1000"]) == 2
    assert "--time is shown by pages" in capsys.readouterr().err
    assert main([*words, "--emit", "html", "--time", "1", "--time", "2", "-o", page]) == 1
    assert "expected 1 argument (n), got 2" in capsys.readouterr().err
    assert main([*words, "--emit", "html", "--time", "10000000", "-o", page, "--json"]) == 0
    assert json.loads(capsys.readouterr().err)["status"] == 0
    assert 'data-heat="time"' in Path(page).read_text(encoding="utf-8")
    memory = ["specialize", str(tmp_path / "m.scm"), "--entry", "f", "(dynamic memory)"]
    (tmp_path / "m.scm").write_text("(define (f b) (load-word b 0))")
    assert main([*memory, "--emit", "html", "--time", f"@{tmp_path / 'no'}", "-o", page]) == 2
    assert "cannot read" in capsys.readouterr().err
