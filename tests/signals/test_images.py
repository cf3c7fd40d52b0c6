"""Processors of images against models in Python, in three ways of running."""

from __future__ import annotations

import random

import pytest

from tests.signals.layouts import Layout
from tests.signals.ways import Known, Outcome, Signal, run, run_source, signal

PROGRAM = """
(define (image s width pitch height)
  (make-image (signal-with-range s (signal-from s)
                                 (+ (signal-from s) (* width (signal-stride s)))
                                 (signal-stride s))
              pitch height))

(define (box in out width height pitch out-pitch radius)
  (image-box! (image in width pitch height)
              (image out (- width (* 2 radius)) out-pitch (- height (* 2 radius)))
              radius))

(define (dither in out width height pitch out-pitch matrix)
  (image-dither! (image in width pitch height) (image out width out-pitch height) matrix))

(define (bayer in out width height pitch out-pitch n)
  (dither in out width height pitch out-pitch (bayer-matrix n)))

(define (diffuse in out errors width height pitch out-pitch)
  (image-diffuse! (image in width pitch height) (image out width out-pitch height) errors))

(define (matrix s n) (bayer-matrix n))
"""

Rows = list[list[int]]


def rows_of(width: int, height: int, size: int) -> Rows:
    rng = random.Random(width * 100 + height)
    return [[rng.randrange(1 << size) for _ in range(width)] for _ in range(height)]


def image(rows: Rows, size: int, pitch: int, word_size: int) -> Signal:
    """A signal over rows that are `pitch` bits apart: its layout is that of the first row."""
    length = -(-pitch * len(rows) // 8) + 1
    memory = bytearray((17 * i + 5) % 256 for i in range(length))
    width = len(rows[0]) if rows else 0
    layout = Layout(word_size, 0, size, size, width, "little", "unsigned", length)
    for y, row in enumerate(rows):
        place = row_layout(layout, y, pitch)
        for x, value in enumerate(row):
            place.put(memory, x, value)
    return Signal(layout, bytes(memory))


def row_layout(first: Layout, y: int, pitch: int) -> Layout:
    return Layout(
        first.word_size, y * pitch, first.size, first.stride, first.count, first.order,
        first.kind, first.length,
    )  # fmt: skip


def written(out: Signal, rows: Rows, pitch: int) -> bytes:
    """The memory of an output image with these rows."""
    memory = bytearray(out.memory)
    for y, row in enumerate(rows):
        for x, value in enumerate(row):
            row_layout(out.layout, y, pitch).put(memory, x, value)
    return bytes(memory)


def bayer(n: int) -> Rows:
    if n == 0:
        return [[0]]
    small = bayer(n - 1)
    pairs = [[0, 2], [3, 1]]
    half = len(small)
    return [
        [4 * small[y % half][x % half] + pairs[y // half][x // half] for x in range(2 * half)]
        for y in range(2 * half)
    ]


def dithered(rows: Rows, matrix: Rows, size: int) -> Rows:
    places = len(matrix) * len(matrix[0])
    return [
        [
            int(value >= ((1 << size) * (2 * matrix[y % len(matrix)][x % len(matrix[0])] + 1))
                // (2 * places))
            for x, value in enumerate(row)
        ]
        for y, row in enumerate(rows)
    ]  # fmt: skip


def diffused(rows: Rows, size: int) -> Rows:
    """Floyd and Steinberg, the errors in sixteenths."""
    white = (1 << size) - 1
    width = len(rows[0]) if rows else 0
    errors = [0] * (width + 2)
    result = []
    for row in rows:
        below, right, bits = [0] * (width + 2), 0, []
        for x, value in enumerate(row):
            level = value + ((right + errors[x + 1]) >> 4)
            bit = int(level >= white // 2 + 1)
            error = level - bit * white
            bits.append(bit)
            right = 7 * error
            below[x] += 3 * error
            below[x + 1] += 5 * error
            below[x + 2] += error
        errors = below
        result.append(bits)
    return result


#       width height pitch out-pitch word
SIZES = [(8, 3, 64, 32, 32), (5, 9, 40, 8, 8), (1, 1, 32, 32, 32), (33, 4, 272, 40, 8)]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("width", "height", "pitch", "out_pitch", "word"), SIZES)
def test_ordered_dither(width: int, height: int, pitch: int, out_pitch: int, word: int) -> None:
    rows = rows_of(width, height, 8)
    out = image([[0] * width] * height, 1, out_pitch, word)
    outcome = run(
        PROGRAM, "bayer", image(rows, 8, pitch, word), out, Known(width), height, Known(pitch),
        Known(out_pitch), Known(2), word_size=word, native=width == 8,
    )  # fmt: skip
    assert outcome.memories[1] == written(out, dithered(rows, bayer(2), 8), out_pitch)


def test_dither_by_a_matrix_that_fits_no_word() -> None:
    rows = rows_of(13, 5, 8)
    out = image([[0] * 13] * 5, 1, 16, 8)
    matrix = [[0, 3, 4], [5, 1, 2]]
    text = (
        PROGRAM
        + """
    (define (run in out height)
      (dither in out 13 height 104 16 '#(#(0 3 4) #(5 1 2))))
    """
    )
    outcome = run(text, "run", image(rows, 8, 104, 8), out, 5, word_size=8)
    assert outcome.memories[1] == written(out, dithered(rows, matrix, 8), 16)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("width", "height", "pitch", "out_pitch", "word"), SIZES)
def test_error_diffusion(width: int, height: int, pitch: int, out_pitch: int, word: int) -> None:
    rows = rows_of(width, height, 8)
    out = image([[0] * width] * height, 1, out_pitch, word)
    errors = signal([7] * (width + 1), 16, kind="signed", word_size=word)
    outcome = run(
        PROGRAM, "diffuse", image(rows, 8, pitch, word), out, errors, Known(width), height,
        Known(pitch), Known(out_pitch), word_size=word, native=width == 8,
    )  # fmt: skip
    assert outcome.memories[1] == written(out, diffused(rows, 8), out_pitch)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("width", "height", "radius"), [(6, 5, 1), (3, 3, 1), (7, 6, 2), (4, 2, 0)]
)
def test_box(width: int, height: int, radius: int) -> None:
    rows = rows_of(width, height, 8)
    smaller, k = width - 2 * radius, 2 * radius + 1
    out = image([[0] * smaller for _ in range(height - 2 * radius)], 8, 64, 32)
    outcome = run(
        PROGRAM, "box", image(rows, 8, 64, 32), out, Known(width), height, Known(64), Known(64),
        Known(radius), native=radius == 1,
    )  # fmt: skip
    expected = [
        [
            (sum(rows[y + j][x + i] for j in range(k) for i in range(k)) + k * k // 2) // (k * k)
            for x in range(smaller)
        ]
        for y in range(height - 2 * radius)
    ]
    assert outcome.memories[1] == written(out, expected, 64)


def test_bayer_matrices() -> None:
    for n in range(4):
        got = run_source(PROGRAM, "matrix", signal([], 8), n).value
        assert [list(row) for row in got] == bayer(n)  # type: ignore[attr-defined]


def test_images_of_different_sizes_are_refused() -> None:
    text = (
        PROGRAM
        + """
    (define (run in out)
      (image-dither! (image in 4 32 2) (image out 4 32 3) (bayer-matrix 1)))
    """
    )
    outcome = call_on_images(text, "run")
    assert outcome.error == "image-dither!: the images have different numbers of rows"


def test_wrong_errors_are_refused() -> None:
    text = (
        PROGRAM
        + """
    (define (run in out)
      (image-diffuse! (image in 4 32 2) (image out 4 32 2) (image-row (image in 4 32 2))))
    """
    )
    outcome = call_on_images(text, "run")
    assert (outcome.error or "").startswith("image-diffuse!: the errors must be signed and have 4")


def test_a_box_needs_a_smaller_output() -> None:
    text = PROGRAM + "(define (run in out) (image-box! (image in 4 32 2) (image out 4 32 2) 1))"
    outcome = call_on_images(text, "run")
    assert (outcome.error or "").startswith("image-box!: the output must have twice the radius")


def call_on_images(text: str, entry: str) -> Outcome:
    rows = rows_of(4, 2, 8)
    return run_source(text, entry, image(rows, 8, 32, 32), image(rows, 8, 32, 32))
