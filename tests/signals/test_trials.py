"""Word sizes that are found by trial on the data of a call."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cogen
from cogen import signals
from cogen.cli import main
from cogen.signals import Layout, trials
from cogen.signals.trials import LEAST, SIZES, TriedProcessor

PROGRAM = """
(import (scheme base) (signals))
(define (grey in out)
  (signal-map! (lambda (r g b) (quotient (+ (* 77 r) (* 150 g) (* 29 b)) 256))
               out (signal-channel in 0 3) (signal-channel in 1 3) (signal-channel in 2 3)))
(define (grey-length in) (quotient in 3))
(define (energy s) (signal-energy s))
(define (louder! s by) (signal-map! (lambda (x) (quotient x by)) s s))
(define (ratio s by) (quotient (signal-sum s) by))
(define (width s) (word-size))
"""
BYTES = np.random.default_rng(3).integers(0, 256, 3 * LEAST, dtype=np.uint8)


@pytest.fixture(scope="module")
def program() -> Any:
    return cogen.loads(PROGRAM, "tried.scm")


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Lets words of one size be the quickest: a clock for each run."""

    def quickest(size: int) -> None:
        order = [
            s for s in sorted(SIZES, key=lambda s: s != 32) for _ in range(2 * (1 + trials.RUNS))
        ]
        ticks = iter(order)
        now = 0.0

        def clock() -> float:
            nonlocal now
            now += 1 if next(ticks) == size else 10
            return now

        monkeypatch.setattr(trials, "thread_time", clock)

    return quickest


def tried_processor(program: Any, entry: str, *layouts: Any) -> TriedProcessor:
    made = signals.compile(program, entry, *layouts, word_size="auto")
    assert isinstance(made, TriedProcessor)
    return made


@pytest.mark.one_in(4)
@pytest.mark.parametrize("size", SIZES)
def test_the_quickest_is_taken(program: Any, slow: Any, size: int) -> None:
    usual = signals.compile(program, "grey", "u8", signals.Out(Layout(8)))
    tried = tried_processor(program, "grey", "u8", signals.Out(Layout(8)))
    few = BYTES[:300]
    assert np.array_equal(tried(few), usual(few))
    assert tried.chosen is None
    slow(size)
    for _ in range(2):
        assert np.array_equal(tried(BYTES), usual(BYTES))
    assert tried.chosen == size
    assert set(tried.trials) == set(SIZES)
    assert np.array_equal(tried(few), usual(few))
    assert f"word{size}" in tried.c
    assert pickle.loads(pickle.dumps(tried)).chosen is None


def test_what_is_stored_to_is_stored_to_once(program: Any) -> None:
    """The trial works on copies."""
    tried = tried_processor(program, "louder!", "u8", 2)
    data = BYTES.copy()
    tried(data)
    assert tried.chosen in SIZES
    assert np.array_equal(data, BYTES // 2)
    memory = bytearray(BYTES.tobytes())
    tried(memory)
    assert memory == (BYTES // 2).tobytes()


def test_sizes_that_give_something_else_are_left_out(program: Any, slow: Any) -> None:
    tried = tried_processor(program, "width", "u8")
    slow(8)
    assert tried(BYTES) == 32
    assert tried.chosen == 32
    assert set(tried.trials) == {32}


def test_errors_are_told_as_ever(program: Any) -> None:
    tried = tried_processor(program, "ratio", "u8", cogen.dynamic("int"))
    for _ in range(2):
        with pytest.raises(cogen.CogenError, match="division by zero"):
            tried(BYTES, 0)
        assert tried.chosen is None
    assert tried(BYTES, 2) == int(BYTES.sum()) // 2
    assert tried.chosen in SIZES
    with pytest.raises(cogen.CogenError, match="division by zero"):
        tried(BYTES, 0)
    with pytest.raises(cogen.CogenError, match="word size"):
        signals.compile(program, "energy", "u8", word_size="any")  # type: ignore[arg-type]


def test_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.scm").write_text(PROGRAM)
    BYTES.tofile("in")
    words = ["signal", "run", "p.scm", "in", "--entry", "energy", "--layout", "u8"]
    assert main(words) == main([*words, "--auto"]) == 0
    one, other = capsys.readouterr().out.split()
    assert one == other == str(int((BYTES.astype(int) ** 2).sum()))
