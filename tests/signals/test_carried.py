"""Numbers that loops carry from sample to sample, as people write them who know nothing of binding
times: residual programs are those of a careful person, and mean what the source means."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cogen
from cogen import signals

STEPS = [7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60]
ADJUST = [-1, -1, -1, -1, 2, 4, 6, 8]
SOURCE = f"""
(import (signals))

(define steps (vector {" ".join(map(str, STEPS))}))
(define adjust (vector {" ".join(map(str, ADJUST))}))
(define (clamp x low high) (cond ((< x low) low) ((> x high) high) (else x)))

(define (adpcm in out)
  (let loop ((s in) (o out) (level 0) (index 0))
    (if (signal-end? s)
        level
        (let* ((n (signal-get s))
               (step (vector-ref steps index))
               (d (+ (quotient step 8)
                     (if (odd? n) (quotient step 4) 0)
                     (if (odd? (quotient n 2)) (quotient step 2) 0)
                     (if (odd? (quotient n 4)) step 0)))
               (level (clamp (if (>= n 8) (- level d) (+ level d)) -300 300))
               (index (clamp (+ index (vector-ref adjust (modulo n 8))) 0 {len(STEPS) - 1})))
          (signal-put! o level)
          (loop (signal-next s) (signal-next o) level index)))))

(define (longest s)
  (let loop ((s s) (run 0) (best 0))
    (cond ((signal-end? s) (max run best))
          ((= (signal-get s) 1) (loop (signal-next s) (+ run 1) best))
          (else (loop (signal-next s) 0 (max best run))))))

(define (longest-by-if s)
  (let loop ((s s) (run 0) (best 0))
    (cond ((signal-end? s) (if (> run best) run best))
          ((= (signal-get s) 1) (loop (signal-next s) (+ run 1) best))
          (else (loop (signal-next s) 0 (if (> run best) run best))))))

(define (escaped in out)
  (let loop ((s in) (o out) (state 0))
    (unless (signal-end? s)
      (let ((x (signal-get s)))
        (signal-put! o (if (= state 1) (- 255 x) x))
        (loop (signal-next s) (signal-next o) (if (< x 16) (- 1 state) state))))))
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("carried") / "naive.scm"
    file.write_text(SOURCE)
    return file


def decoded(samples: Any) -> list[int]:
    level = index = 0
    found = []
    for n in map(int, samples):
        step = STEPS[index]
        parts = (n & 1, step // 4), (n & 2, step // 2), (n & 4, step)
        d = step // 8 + sum(part for bit, part in parts if bit)
        level = max(-300, min(300, level - d if n >= 8 else level + d))
        index = max(0, min(len(STEPS) - 1, index + ADJUST[n % 8]))
        found.append(level)
    return found


def longest_run(samples: Any) -> int:
    run = best = 0
    for x in samples:
        run = run + 1 if x else 0
        best = max(best, run)
    return best


def conditionals(compiled: signals.CompiledProcessor) -> int:
    """How many tests there are in the residual program."""
    return len(re.findall(r"\(if |\(cond |^ *\(\(", compiled.scheme, re.MULTILINE))


@pytest.mark.parametrize("layout", ["u4", pytest.param("u4<", marks=pytest.mark.long)])
def test_levels_and_indices_that_are_clamped_are_data(program: Path, layout: str) -> None:
    samples = np.random.default_rng(1).integers(0, 16, 1001)
    decode = signals.compile(program, "adpcm", layout, signals.Out("s16"))
    packed = signals.pack(samples, layout)
    assert list(signals.unpack(decode(packed), "s16"))[:1001] == decoded(samples)
    assert conditionals(decode) <= 9 * 8, "those of eight samples, once each, and one more"
    assert "cogen_table_" in decode.c, "a kernel, with tables"


@pytest.mark.parametrize("name", ["longest", pytest.param("longest-by-if", marks=pytest.mark.long)])
def test_runs_that_begin_again_are_data(program: Path, name: str) -> None:
    samples = (np.random.default_rng(2).random(4000) < 0.9).astype(int)
    longest = signals.compile(program, name, "u1")
    assert longest(signals.pack(samples, "u1")) == longest_run(samples)
    assert conditionals(longest) <= 130, "some for each of 32 bits"


def test_states_stay_known(program: Path) -> None:
    samples = np.random.default_rng(3).integers(0, 256, 1000)
    escaped = signals.compile(program, "escaped", "u8", signals.Out("u8"))
    state, wanted = 0, []
    for x in map(int, samples):
        wanted.append(255 - x if state else x)
        state = 1 - state if x < 16 else state
    assert list(escaped(signals.pack(samples, "u8"))) == wanted
    assert "state" not in escaped.scheme, "each state has its own loop"


UNROLLED = """
(define (f buffer n)
  (let loop ((i 0) (sum 0))
    (if (= i 12)
        sum
        (loop (+ i 1) (+ sum (* n (load-word buffer i)))))))
"""


def test_what_ends_a_loop_stays_known() -> None:
    program = cogen.loads(UNROLLED)
    residual = cogen.specialize(program, "f", cogen.dynamic("memory"), cogen.dynamic("int"))
    assert "loop" not in residual.scheme.replace("; from", "")
    buffer = bytes(range(48))
    assert residual.compile()(buffer, 2) == residual.to_python()(buffer, 2)
