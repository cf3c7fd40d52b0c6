"""Programs over groups and rows: as over an unpacked array."""

from __future__ import annotations

import shutil
from typing import Any

import numpy as np
import pytest

import cogen
from cogen import CogenError, signals
from cogen.signals import Layout, Rows, compiled
from cogen.signals.compiled import MAX_VERSIONS

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
)

SOURCE = """
(import (signals))
(define (sum s) (signal-sum s))
(define (copy! in out) (signal-copy! in out))
(define (both! in low high)                       ; two outputs and a value
  (signal-threshold! in low 100)
  (signal-threshold! in high 3000)
  (signal-peak in))
(define (rows! in out level)
  (for-each-row (lambda (state out in)
                  (signal-offset! (image-row in) (image-row out) level))
                #f out in))
(define (brightest! image)                        ; what goes on from row to row is the value
  (for-each-row (lambda (most row) (max most (signal-max (image-row row)))) 0 image))
"""

GROUPS = ("raw10", "raw12", "raw14", "raw20", "rgb24", "v210", "u10")
"""Groups of fields of one size, and a plain layout."""


@pytest.fixture(scope="module")
def program() -> Any:
    return cogen.loads(SOURCE, "shapes.scm")


@pytest.fixture(autouse=True)
def residual_python(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Residual Python is made sooner than C; one test has C."""
    if "native" not in request.node.name:
        monkeypatch.setattr(compiled, "executable", lambda residual: residual.to_python())


def test_rows_carry_a_value(program: Any) -> None:
    rows = Rows("raw12", 16, pitch=32)
    picture = np.random.default_rng(2).integers(0, 4000, (5, 16))
    brightest = signals.compile(program, "brightest!", rows)
    assert brightest(signals.pack(picture, rows)) == picture.max()


@pytest.mark.one_in(8)
@pytest.mark.parametrize("layout", GROUPS)
@pytest.mark.parametrize("word_size", [8, 32])
def test_a_sum_over_groups(program: Any, layout: str, word_size: int) -> None:
    total = signals.compile(program, "sum", layout, word_size=word_size)
    data = np.random.default_rng(1).integers(0, 256, 70, np.uint8)
    for length in (0, 1, 5, 7, 15, 21, 40, 63, 70):
        values = signals.unpack(data[:length], layout)
        assert total(data[:length]) == int(values.sum())
    few = 3 if layout != "rgb24" else 2
    assert total(data, count=few) == int(signals.unpack(data, layout, few).sum())


def test_a_count_may_end_inside_a_group(program: Any) -> None:
    total = signals.compile(program, "sum", "raw10")
    data = signals.pack(np.arange(64) + 500, "raw10")
    for count in range(30):
        assert total(data, count=count) == sum(range(500, 500 + count))
    assert len(total._versions) <= 4 * MAX_VERSIONS


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("source", "target"), [
    ("raw12", "u16"), ("u12", "raw12"), ("raw10", "raw14"), ("pcm16le", "raw20"),
])  # fmt: skip
def test_groups_are_read_and_written(program: Any, source: str, target: str) -> None:
    data = np.random.default_rng(2).integers(0, 256, 60, np.uint8)
    values = signals.unpack(data, source).astype(int)
    count = len(values) // 4 * 4
    copy = signals.compile(program, "copy!", source, target)
    out = bytearray(b"\xa5" * 200)
    copy(data, out, count=count)
    size = signals.layout(target).fields[0].size
    assert signals.unpack(out, target, count).tolist() == (values[:count] % (1 << size)).tolist()


def test_several_outputs_and_a_value(program: Any) -> None:
    both = signals.compile(program, "both!", "raw12", "mask-lsb", "u8")
    values = np.random.default_rng(3).integers(0, 4096, 64)
    low, high = np.zeros(8, np.uint8), np.zeros(64, np.uint8)
    assert both(signals.pack(values, "raw12"), low, high) == values.max()
    assert signals.unpack(low, "mask-lsb").tolist() == (values >= 100).astype(int).tolist()
    assert high.tolist() == (values >= 3000).astype(int).tolist()


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("layout", "pitch"), [
    ("raw12", 12), ("raw12", 13), ("u12", 12), ("pcm16le", 20), (Layout(10, 16, 6), 16),
])  # fmt: skip
def test_rows_are_images(program: Any, layout: Any, pitch: int) -> None:
    rows = Rows(layout, 7, pitch=pitch)
    data = np.random.default_rng(4).integers(0, 256, rows.bytes_needed(5), np.uint8)
    values = signals.unpack(data, rows).astype(int)
    shift = signals.compile(
        program, "rows!", rows, Rows(Layout(32, signed=True), 7), cogen.dynamic("int")
    )
    out = np.zeros((5, 7), np.int32)
    shift(data, out, 1000)
    assert out.tolist() == (values + 1000).tolist()
    out[:] = 0
    shift(data, out, 1, count=2)
    assert out[:2].tolist() == (values[:2] + 1).tolist()
    assert not out[2:].any()


def test_what_was_made_is_shown(program: Any) -> None:
    total = signals.compile(program, "sum", "raw12")
    assert "(define (sum" in total.scheme
    assert "sum(" in total.c
    assert total.residual.scheme == total.scheme


def test_programs_without_images(program: Any) -> None:
    plain = cogen.loads("(import (signals signal)) (define (first s) (signal-get s))")
    with pytest.raises(CogenError, match="first cannot have images as parameters"):
        signals.compile(plain, "first", Rows("u8", 4))


def test_an_image_of_a_height_has_all_of_its_rows(program: Any) -> None:
    """As `unpack` has it: a frame that is cut off is refused, not taken for a lower one."""
    rows = Rows("u8", 4, height=3)
    shift = signals.compile(program, "rows!", rows, rows, cogen.dynamic("int"))
    data, out = bytes(range(12)), bytearray(12)
    shift(data, out, 1)
    assert out == bytes(range(1, 13))
    with pytest.raises(CogenError, match="rows!: in has room for 2 rows, not 3"):
        shift(data[:-1], out, 1)
    with pytest.raises(CogenError, match="rows!: out has room for 0 rows, not 3"):
        shift(data, bytearray(3), 1)
    shift(data, out, 5, count=1)
    assert out[:6] == bytes([5, 6, 7, 8, 5, 6])


def test_native_code_over_groups_and_rows(program: Any) -> None:
    data = np.random.default_rng(5).integers(0, 256, 3_000, np.uint8)
    total = signals.compile(program, "sum", "raw12")
    assert total(data) == int(signals.unpack(data, "raw12").sum())
    rows = Rows("raw12", 31, pitch=48)
    shift = signals.compile(program, "rows!", rows, Rows(Layout(16), 31), cogen.dynamic("int"))
    out = np.zeros((len(data) // 48, 31), np.uint16)
    shift(data, out, 5)
    assert out.tolist() == (signals.unpack(data, rows)[: len(out)] + 5).tolist()
