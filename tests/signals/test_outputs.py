"""Outputs that calls of a processor make: their lengths, their arrays, scalars besides."""

from __future__ import annotations

import pickle
import shutil
from typing import Any

import numpy as np
import pytest

import cogen
from cogen import CogenError, signals
from cogen.signals import Layout, Out, Rows, compiled

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
)

SOURCE = """
(import (signals))
(define (copy in out) (signal-copy! in out))

(define (halve-length in) (quotient in 2))
(define (halve in out)
  (signal-map! (lambda (a b) (quotient (+ a b) 2))
               out (signal-channel in 0 2) (signal-channel in 1 2)))

(define (smooth-length in taps) (- in (length taps) -1))
(define (smooth in out taps) (signal-fir-valid! in out taps 0))

(define (split-length in level) (list in 2))
(define (split in level over extremes)
  (signal-map! (lambda (x) (if (> x level) 1 0)) over in)
  (signal-map! (lambda (x) x) (signal-take extremes 1) (make-constant-signal (signal-min in)))
  (signal-map! (lambda (x) x) (signal-drop extremes 1) (make-constant-signal (signal-max in)))
  (signal-mean in))

(define (runs in counts values) (rle-encode! in counts values))
(define (nonsense-length in) -1)
(define (nonsense in out) 0)
(define (fill out) (signal-fill! out 7))

(define (bin-length in) (quotient in 2))
(define (bin in out)
  (for-each-row
    (lambda (state out even odd)
      (let ((a (image-row even)) (b (image-row odd)))
        (signal-map! (lambda (p q r s) (quotient (+ p q r s) 4)) (image-row out)
                     (signal-channel a 0 2) (signal-channel a 1 2)
                     (signal-channel b 0 2) (signal-channel b 1 2))))
    #f out (image-rows in 0 2) (image-rows in 1 2)))
(define (red in out) (signal-copy! (signal-channel in 0 3) out))
"""

RANDOM = np.random.default_rng(1)
PIXELS = RANDOM.integers(0, 4096, 64)
RAW = signals.pack(PIXELS, "raw12")


@pytest.fixture(scope="module")
def program() -> Any:
    return cogen.loads(SOURCE, "outputs.scm")


@pytest.fixture(autouse=True)
def residual_python(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Residual Python is made sooner than C; one test has C."""
    if "native" not in request.node.name:
        monkeypatch.setattr(compiled, "executable", lambda residual: residual.to_python())


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("layout", "dtype"), [
    (np.uint16, np.uint16), ("pcm16le", np.int16), (Layout(32), np.uint32), ("u8", np.uint8),
    ("u12", None), ("pcm16be", None), ("raw10", None),
])  # fmt: skip
def test_an_output_is_an_array_or_packed_bytes(program: Any, layout: Any, dtype: Any) -> None:
    copy = signals.compile(program, "copy", "raw12", Out(layout))
    found = copy(RAW)
    shape = signals.layout(layout) if isinstance(layout, str) else layout
    expected = signals.pack(PIXELS, shape, wrap=True)
    assert found.tobytes() == expected.tobytes()
    assert found.dtype == (np.uint8 if dtype is None else dtype)
    assert len(copy(RAW, count=8)) == (8 if dtype is not None else len(expected) // 8)


def test_lengths_follow_from_the_program(program: Any) -> None:
    halve = signals.compile(program, "halve", "raw12", Out(np.uint16))
    assert halve(RAW).tolist() == ((PIXELS[::2] + PIXELS[1::2]) // 2).tolist()
    taps = [1, 3, 2]
    smooth = signals.compile(program, "smooth", "raw12", Out(np.int32), taps)
    assert smooth(RAW).tolist() == np.convolve(PIXELS, taps, "valid").tolist()
    twice = Out(np.uint16, length=lambda n: n // 2)
    assert signals.compile(program, "halve", "raw12", twice)(RAW).tolist() == halve(RAW).tolist()
    some = signals.compile(program, "copy", "raw12", Out("u8", length="halve-length"))
    with pytest.raises(CogenError, match="the signals have different numbers of samples"):
        some(RAW)


def test_several_outputs_scalars_and_the_value(program: Any) -> None:
    level = cogen.dynamic("int")
    outs = Out(np.uint8), Out(np.uint16)
    split = signals.compile(program, "split", "raw12", level, *outs, value=True)
    mean, over, extremes = split(RAW, 2000)
    assert mean == pytest.approx(PIXELS.mean())
    assert over.tolist() == (PIXELS > 2000).tolist()
    assert extremes.tolist() == [PIXELS.min(), PIXELS.max()]
    over, extremes = signals.compile(program, "split", "raw12", level, *outs)(RAW, 100)
    assert over.tolist() == (PIXELS > 100).tolist()


def test_outputs_of_which_the_value_says_how_much_is_used(program: Any) -> None:
    runs = signals.compile(program, "runs", "u8", Out("u8", used=True), Out("u8", used=True))
    counts, values = runs(bytes([5, 5, 5, 9, 9, 1]))
    assert (counts.tolist(), values.tolist()) == ([3, 2, 1], [5, 9, 1])


def test_an_output_without_inputs(program: Any) -> None:
    assert signals.compile(program, "fill", Out("u8"))(count=3).tolist() == [7, 7, 7]
    assert signals.compile(program, "fill", Out("u8", length=2))().tolist() == [7, 7]
    with pytest.raises(CogenError, match="has no input that says how long"):
        signals.compile(program, "fill", Out("u8"))()


def binned(pixels: Any) -> list[Any]:
    pixels = pixels[: len(pixels) // 2 * 2]
    return ((pixels[::2, ::2] + pixels[::2, 1::2] + pixels[1::2, ::2] + pixels[1::2, 1::2]) // 4
            ).tolist()  # fmt: skip


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("layout", "pitch"), [("raw12", 14), ("raw10", None)])
def test_images_of_groups_are_binned(program: Any, layout: str, pitch: int | None) -> None:
    rows = Rows(layout, 8, pitch=pitch)
    pixels = RANDOM.integers(0, 1024, (7, 8))  # the last row has no second one
    binning = signals.compile(program, "bin", rows, Out(Rows(np.uint16, 4)))
    found = binning(signals.pack(pixels, rows))
    assert found.shape == (3, 4)
    assert found.tolist() == binned(pixels)
    assert "inline.h" not in binning.c, "a kernel: nothing is carried, so there is no value"
    padded = signals.compile(program, "bin", rows, Out(Rows(np.uint16, 4, pitch=10)))
    packed = padded(signals.pack(pixels, rows))
    assert packed.dtype == np.uint8
    assert signals.unpack(packed, Rows(np.uint16, 4, pitch=10)).tolist() == binned(pixels)


def test_channels_of_groups(program: Any) -> None:
    for layout in ("rgb24", "bgr24"):
        red = signals.compile(program, "red", layout, Out("u8", length=lambda n: n))
        picture = RANDOM.integers(0, 256, (5, 3), np.uint8)
        assert red(signals.pack(picture, layout)).tolist() == picture[:, 0].tolist()
    with pytest.raises(CogenError, match="the channels must divide the fields of a group"):
        signals.compile(program, "red", "raw12", Out("u8", length=20))(RAW)


def test_lengths_that_are_none(program: Any) -> None:
    with pytest.raises(CogenError, match="the length of an output must be a number, not -1"):
        signals.compile(program, "nonsense", "u8", Out("u8"))(b"abc")
    with pytest.raises(CogenError, match="the length of an output must be a number, not 1"):
        signals.compile(program, "copy", "u8", Out("u8", length=lambda n: 1.5))(b"abc")
    with pytest.raises(CogenError, match="the length of an output must be an integer"):
        Out("u8", length=1.5)  # type: ignore[arg-type]  # what is tested
    used = cogen.loads("(import (signals)) (define (f in out) 1000)")
    wrong = signals.compile(used, "f", "u8", Out("u8", used=True))
    with pytest.raises(CogenError, match="of 3 at most, not 1000"):
        wrong(b"abc")
    with pytest.raises(CogenError, match="expected 1 argument"):
        signals.compile(program, "copy", "u8", Out("u8"))(b"abc", bytearray(3))


def test_native_processors_are_pickled(program: Any) -> None:
    halve = signals.compile(program, "halve", "raw12", Out(np.uint16))
    again = pickle.loads(pickle.dumps(halve))
    assert again(RAW).tolist() == halve(RAW).tolist()
    rows = Rows("raw12", 64, pitch=100)
    pixels = RANDOM.integers(0, 4096, (10, 64))
    binning = signals.compile(program, "bin", rows, Out(Rows(np.uint16, 32)))
    assert binning(signals.pack(pixels, rows)).tolist() == binned(pixels)


VIEWS = """
(import (signals))
(define (fir in out) (signal-fir! in out '(1 3 2) 1))
(define (delay in out) (signal-delay! in out 3))
(define (box-length in) (- in 4))
(define (box in out) (signal-box! in out 2))
(define (slower-length in) (resampled-length in 2 3 'linear))
(define (slower in out) (signal-resample! in out 2 3 'linear))
(define (backwards in out) (signal-copy! (signal-reverse in) out))
(define (parts-length in n) (- in n 4))
(define (parts in out n) (signal-copy! (signal-drop-last (signal-drop in n) 4) out))
(define (first-length in n) n)
(define (first in out n) (signal-copy! (signal-take in n) out))
(define (at-length in n) 2)
(define (at in out n) (signal-set! out 1 (signal-ref in n)))
(define (loose in out) (signal-copy! (signal-loose (signal-loose-end in)) out))
(define (into in out) (signal-copy! in (signal-reverse out)))
(define (blur-length in) (- in 2))
(define (blur in out) (image-box! in out 1))
"""


@pytest.mark.one_in(5)
@pytest.mark.parametrize("layout", ["raw12", "raw10"])
@pytest.mark.parametrize("entry", ["fir", "delay", "box", "slower", "backwards", "loose"])
def test_views_of_groups_are_those_of_samples(entry: str, layout: str) -> None:
    program = cogen.loads(VIEWS, "views.scm")
    data = RANDOM.integers(0, 256, 60, np.uint8)
    plain = signals.unpack(data, layout).astype(np.uint16)
    out = Out(np.uint16)
    grouped = signals.compile(program, entry, layout, out, word_size=8)
    unpacked = signals.compile(program, entry, np.uint16, out, word_size=8)
    assert grouped(data).tolist() == unpacked(plain).tolist()
    count = len(plain) - len(signals.layout(layout).fields)
    assert grouped(data, count=count).tolist() == unpacked(plain, count=count).tolist()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("entry", ["parts", "first", "at"])
def test_parts_of_groups_of_which_only_a_run_knows(entry: str) -> None:
    program = cogen.loads(VIEWS, "views.scm")
    out, number = Out(np.uint16), cogen.dynamic("int")
    grouped = signals.compile(program, entry, "raw10", out, number, word_size=8)
    unpacked = signals.compile(program, entry, np.uint16, out, number, word_size=8)
    data = signals.pack(PIXELS // 4, "raw10")
    for n in (0, 1, 2, 3, 4, 5, 11):
        found, expected = grouped(data, n), unpacked((PIXELS // 4).astype(np.uint16), n)
        assert found.tolist() == expected.tolist()


def test_groups_are_written_backwards_and_blurred() -> None:
    program = cogen.loads(VIEWS, "views.scm")
    into = signals.compile(program, "into", np.uint16, Out("raw12"))
    written = into(PIXELS[:8].astype(np.uint16))
    assert signals.unpack(written, "raw12").tolist() == PIXELS[:8][::-1].tolist()
    rows = Rows("raw12", 8)
    pixels = RANDOM.integers(0, 4096, (5, 8))
    blur = signals.compile(program, "blur", rows, Out(Rows(np.uint16, 6)))
    sums = np.lib.stride_tricks.sliding_window_view(pixels, (3, 3)).sum(axis=(2, 3))
    assert blur(signals.pack(pixels, rows)).tolist() == ((sums + 4) // 9).tolist()


@pytest.mark.parametrize(("layout", "n"), [("raw10", 2), ("pcm16le", 8)])
def test_filters_that_compute_each_nth_sample(layout: str, n: int) -> None:
    text = f"""
    (import (signals))
    (define (f-length in) (decimated-length in 4 {n}))
    (define (f in out) (signal-fir-decimate! in out '(3 0 1 -2) {n} 0))
    """
    thin = signals.compile(cogen.loads(text), "f", layout, Out(np.int32), word_size=8)
    data = RANDOM.integers(0, 256, 60, np.uint8)
    values = signals.unpack(data, layout).astype(int)
    for count in (len(values) // 4 * 4, 4, 3):
        if count % len(signals.layout(layout).fields):
            continue
        expected = np.convolve(values[:count], [3, 0, 1, -2], "valid")[::n] if count > 3 else []
        assert thin(data, count=count).tolist() == list(expected)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("channel", [0, 1])
def test_filters_of_one_channel_take_its_samples_only(channel: int) -> None:
    text = f"""
    (import (signals))
    (define (f in out) (signal-fir! (signal-channel in {channel} 2) out '(1 2 3) 0))
    (define (g-length in) (- in 2))
    (define (g in out) (signal-box! (signal-channel in {channel} 2) out 1))
    """
    program = cogen.loads(text)
    pairs = RANDOM.integers(-1000, 1000, (20, 2))
    data, one = signals.pack(pairs, "cs16"), pairs[:, channel]
    found = signals.compile(program, "f", "cs16", Out(np.int32), word_size=16)(data)
    assert found.tolist() == np.convolve(one, [1, 2, 3])[:20].tolist()
    means = signals.compile(program, "g", "cs16", Out(np.int32), word_size=16)(data)
    assert means.tolist() == ((np.convolve(one, [1, 1, 1], "valid") + 1) // 3).tolist()


def test_filters_with_many_taps_are_made_in_time_that_grows_with_them() -> None:
    text = "(import (signals)) (define (f-length in w) (- in (length w) -1))" \
           "(define (f in out w) (signal-fir-valid! in out w 0))"  # fmt: skip
    weights = RANDOM.integers(-5, 5, 48).tolist()
    fir = signals.compile(cogen.loads(text), "f", "pcm16le", Out(np.int32), weights)
    values = RANDOM.integers(-1000, 1000, 100)
    assert fir(signals.pack(values, "pcm16le")).tolist() == np.convolve(
        values, weights, "valid").tolist()  # fmt: skip


def test_wide_means_are_made_at_once() -> None:
    """What is specialized grows no faster than the samples that are read, whose views are not
    carried from one to the next."""
    text = """
    (import (signals))
    (define (box-length in) (- in 32))
    (define (box in out) (signal-box! in out 16))
    (define (blur-length in) (- in 6))
    (define (blur in out) (image-box! in out 3))
    """
    program = cogen.loads(text)
    samples = RANDOM.integers(0, 256, 200, np.uint8)
    wide = np.lib.stride_tricks.sliding_window_view(samples.astype(int), 33).sum(1)
    box = signals.compile(program, "box", np.uint8, Out(np.uint8))
    assert box(samples).tolist() == ((wide + 16) // 33).tolist()
    rows = Rows(np.uint8, 20)
    pixels = RANDOM.integers(0, 256, (15, 20), np.uint8)
    tiles = np.lib.stride_tricks.sliding_window_view(pixels.astype(int), (7, 7)).sum((2, 3))
    blur = signals.compile(program, "blur", rows, Out(Rows(np.uint8, 14)))
    assert blur(pixels).tolist() == ((tiles + 24) // 49).tolist()


def test_who_says_nothing_of_lengths_is_told_how_to() -> None:
    program = cogen.loads("(import (signals))\n(define (box in out) (signal-box! in out 1))")
    made = signals.compile(program, "box", np.uint8, Out(np.uint8))
    with pytest.raises(cogen.CogenError, match="the output must be shorter") as failure:
        made(np.zeros(9, np.uint8))
    assert failure.value.hint is not None
    assert "box-length" in failure.value.hint
    plain = signals.compile(program, "box", np.uint8, np.uint8)
    with pytest.raises(cogen.CogenError, match="shortest of their buffers"):
        plain(np.zeros(9, np.uint8), np.zeros(7, np.uint8))
    plain(np.arange(9, dtype=np.uint8), out := np.zeros(7, np.uint8), count=(9, 7))
    assert out.tolist() == [1, 2, 3, 4, 5, 6, 7]


def test_errors_about_lengths_say_which_there_are() -> None:
    text = """
    (import (signals))
    (define (square-length iq) (quotient iq 2))          ; which are pairs
    (define (square iq out)
      (signal-map! (lambda (i q) (+ (* i i) (* q q)))
                   out (signal-channel iq 0 2) (signal-channel iq 1 2)))
    """
    square = signals.compile(cogen.loads(text), "square", "cs12", signals.Out("uint32"))
    with pytest.raises(CogenError, match="different numbers of samples") as caught:
        square(bytes(3000))
    (note,) = caught.value.notes
    assert note.message == "in this call iq has 1000 items of 2 samples, out has 500 items"
