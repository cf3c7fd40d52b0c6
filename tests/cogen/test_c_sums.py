"""Sums that leave 64 bits are told by compiled code, too, where a run may come so far."""

from pathlib import Path

import numpy as np
import pytest

from cogen import CogenError, signals

SOURCE = """
(import (signals))
(define (energy s) (signal-energy s))
(define (total s) (signal-sum s))
(define (loud s)
  (signal-fold (lambda (n x) (if (> x 0) (+ (* x x) n) n)) 0 s))
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("sums") / "sums.scm"
    file.write_text(SOURCE)
    return file


def test_a_few_seconds_of_sound_have_too_much_energy(program: Path) -> None:
    energy = signals.compile(program, "energy", "pcm24le")
    sound = np.random.default_rng(1).integers(-(1 << 23), 1 << 23, 1 << 20)
    packed = signals.pack(sound, "pcm24le")
    few = 1 << 18
    assert energy(packed, count=few) == int((sound[:few] ** 2).sum())
    with pytest.raises(CogenError, match="does not fit in 64 bits"):
        energy(packed)
    assert energy.c.count("__builtin_add_overflow") == 1, "once a block"


@pytest.mark.parametrize(
    ("entry", "word_size"),
    [("energy", 32), ("energy", 64), ("total", 32), ("total", 64), ("loud", 32)],
)
def test_few_samples_that_leave_64_bits(program: Path, entry: str, word_size: int) -> None:
    size = 64 if entry == "total" else 32
    layout = signals.Layout(size, signed=True)
    add = signals.compile(program, entry, layout, word_size=word_size)
    great = np.full(5, (1 << size - 1) - 1, np.int64)
    packed = signals.pack(great, layout)
    part = (1 << size - 1) - 1 if entry == "total" else ((1 << 31) - 1) ** 2
    fit = ((1 << 63) - 1) // part
    for count in range(6):
        if count <= fit:
            assert add(packed, count=count) == count * part
        else:
            with pytest.raises(CogenError, match="does not fit in 64 bits"):
                add(packed, count=count)


def test_small_samples_are_not_asked(program: Path) -> None:
    total = signals.compile(program, "total", "u12")
    assert "overflow" not in total.c
    assert total(signals.pack([1, 2, 3], "u12")) == 6
