"""Sound and picture files: what comes back is what was written, and what other programs read."""

from __future__ import annotations

import random
import sys
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from PIL import Image

from cogen import signals
from cogen.lang.errors import CogenError

pytestmark = pytest.mark.quick

DATA = Path(__file__).parents[2] / "examples" / "data"


@pytest.mark.parametrize("channels", [1, 2, 3])
@pytest.mark.parametrize("name", ["pcm8", "pcm16le", "pcm24le", "pcm32le"])
def test_wav_files(name: str, channels: int, tmp_path: Path) -> None:
    layout: Any = signals.layout(name, channels=channels)
    low, high = layout.fields[0].limits
    shape = (50, channels) if channels > 1 else (50,)
    samples = np.random.default_rng(1).integers(low, high + 1, shape)
    path = tmp_path / "take.wav"
    signals.write_sound(path, signals.Sound(signals.pack(samples, layout), layout, 8000))
    sound = signals.read_sound(path)
    assert (sound.layout, sound.rate, sound.seconds) == (layout, 8000, 50 / 8000)
    assert np.array_equal(signals.unpack(sound.data, sound.layout), samples)
    with wave.open(str(path)) as file:
        assert file.getparams()[:4] == (channels, layout.size // 8, 8000, 50)
    assert [p.name for p in tmp_path.iterdir()] == ["take.wav"]


def test_what_is_read_is_shown_without_its_data() -> None:
    sound = signals.read_sound(DATA / "chime.wav")
    assert repr(sound) == f"Sound(layout={sound.layout!r}, rate={sound.rate})"
    assert "data=" not in repr(signals.read_picture(DATA / "coffee.ppm"))


@pytest.mark.parametrize(("subtype", "dtype"), [("FLOAT", "f4"), ("DOUBLE", "f8")])
def test_wav_files_of_floats(subtype: str, dtype: str, tmp_path: Path) -> None:
    samples = np.linspace(-1, 1, 40).reshape(20, 2).astype(dtype)
    soundfile.write(tmp_path / "take.wav", samples, 48000, subtype=subtype)
    sound = signals.read_sound(tmp_path / "take.wav")
    assert np.array_equal(signals.unpack(sound.data, sound.layout), samples)
    assert sound.rate == 48000


def test_a_flac_file(tmp_path: Path) -> None:
    samples = np.arange(-500, 500, dtype=np.int16)
    soundfile.write(tmp_path / "take.flac", samples, 44100)
    sound = signals.read_sound(tmp_path / "take.flac")
    found = signals.unpack(sound.data, sound.layout).reshape(-1)
    assert np.array_equal(found >> 16, samples)


@pytest.mark.parametrize(
    ("layout", "data", "message"),
    [
        ("pcm24be", b"123", "a WAV file holds samples of pcm8"),
        (signals.Layout(12), b"123", "a WAV file holds samples of pcm8"),
        (signals.Layout(16, stride=32, signed=True), b"1234", "a WAV file holds"),
        ("pcm16le", b"123", "3 bytes are no whole frames of 1 channels"),
    ],
)
def test_sounds_that_cannot_be_written(
    layout: Any, data: bytes, message: str, tmp_path: Path
) -> None:
    made: Any = signals.layout(layout) if isinstance(layout, str) else layout
    with pytest.raises(CogenError, match=message):
        signals.write_sound(tmp_path / "out.wav", signals.Sound(data, made, 8000))
    assert not list(tmp_path.iterdir())


def test_sounds_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "text.wav"
    path.write_text("no sound")
    with pytest.raises(CogenError, match=r"text\.wav is no sound file"):
        signals.read_sound(path)
    with pytest.raises(CogenError, match=r"gone\.wav"):
        signals.read_sound(tmp_path / "gone.wav")
    monkeypatch.setitem(sys.modules, "soundfile", None)
    with pytest.raises(CogenError, match="needs the package soundfile"):
        signals.read_sound(path)


def test_the_chime_is_24_bit_stereo() -> None:
    sound = signals.read_sound(DATA / "chime.wav")
    assert sound.layout == signals.layout("pcm24le", channels=2)
    expected, rate = soundfile.read(DATA / "chime.wav", dtype="int32")
    assert rate == sound.rate
    assert np.array_equal(signals.unpack(sound.data, sound.layout), expected >> 8)


@pytest.mark.slow
@pytest.mark.parametrize("width", [1, 7, 8, 13, 64])
def test_pictures_of_one_bit(width: int, tmp_path: Path) -> None:
    bits = np.random.default_rng(2).integers(0, 2, (5, width), np.uint8)
    rows = b"".join(signals.pack(row, "mask-lsb").tobytes() for row in bits)
    layout: Any = signals.layout("mask-lsb")
    picture = signals.Picture(rows, layout, width)
    assert np.array_equal(picture.array(), bits)
    signals.write_picture(tmp_path / "mask.png", picture)
    assert np.array_equal(signals.read_picture(tmp_path / "mask.png").array(), bits)
    assert np.array_equal(np.asarray(Image.open(tmp_path / "mask.png")), bits != 0)


@pytest.mark.one_in(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("layout", "suffix"), [("u8", "png"), ("u12", "png"), ("raw10", "tiff"), ("rgb24", "ppm")]
)
def test_pictures_keep_their_pixels(layout: str, suffix: str, tmp_path: Path) -> None:
    made: Any = signals.layout(layout)
    shape = (6, 8) if made.width is None else (6, 8, made.width)
    top = 1 << max(field.size for field in made.fields)
    pixels = np.random.default_rng(3).integers(0, top, shape)
    rows = [signals.pack(row, made).tobytes() for row in pixels]
    path = tmp_path / f"picture.{suffix}"
    signals.write_picture(path, signals.Picture(b"".join(rows), made, 8))
    assert np.array_equal(signals.read_picture(path).array(), pixels)
    assert np.array_equal(np.asarray(Image.open(path)), pixels)


def test_a_picture_with_a_palette_becomes_rgb(tmp_path: Path) -> None:
    Image.new("P", (3, 2), 1).save(tmp_path / "p.png")
    picture = signals.read_picture(tmp_path / "p.png")
    assert picture.layout == signals.layout("rgb24")
    assert (picture.width, picture.height) == (3, 2)


@pytest.mark.parametrize(
    ("layout", "data", "width", "message"),
    [
        ("u8", b"12345", 2, "5 bytes are no whole rows of 2 pixels"),
        ("s8", b"12", 2, "unsigned pixels of up to 16 bits"),
        ("cu12", b"123456", 2, "one channel, or three of 8 bits"),
        ("u8", b"12", 0, "the width of a picture must be at least 1"),
    ],
)
def test_pictures_that_cannot_be_written(
    layout: str, data: bytes, width: int, message: str, tmp_path: Path
) -> None:
    made: Any = signals.layout(layout)
    with pytest.raises(CogenError, match=message):
        signals.write_picture(tmp_path / "x.png", signals.Picture(data, made, width))
    assert not list(tmp_path.iterdir())


def test_picture_files_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "text.png").write_text("no picture")
    with pytest.raises(CogenError, match=r"text\.png: no picture that can be read"):
        signals.read_picture(tmp_path / "text.png")
    grey: Any = signals.layout("u8")
    with pytest.raises(CogenError, match="cannot write "):
        signals.write_picture(tmp_path / "x.unknown", signals.Picture(b"1", grey, 1))
    with pytest.raises(CogenError, match=r"cannot write .*x\.png: No such file or directory$"):
        signals.write_picture(tmp_path / "no" / "x.png", signals.Picture(b"1", grey, 1))
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(CogenError, match="need the package Pillow"):
        signals.read_picture(DATA / "coffee.ppm")


def _originals(tmp_path: Path) -> list[tuple[str, bytes]]:
    """Files of several kinds: suffix and bytes."""
    for name in ("pcm8", "pcm24le"):
        sound = signals.Sound(bytes(range(48)), signals.layout(name), 8000)
        signals.write_sound(tmp_path / f"{name}.wav", sound)
    for subtype in ("FLOAT", "IMA_ADPCM"):
        soundfile.write(tmp_path / f"{subtype}.wav", np.zeros((64, 2)), 8000, subtype=subtype)
    soundfile.write(tmp_path / "x.flac", np.zeros((64, 2)), 8000)
    for mode, suffix in (("RGB", "png"), ("1", "pbm"), ("L", "pgm"), ("RGB", "gif"), ("L", "bmp")):
        Image.new(mode, (9, 7)).save(tmp_path / f"x.{suffix}")
    return [(path.suffix, path.read_bytes()) for path in sorted(tmp_path.iterdir())]


@pytest.mark.filterwarnings("ignore")
def test_damaged_files_are_told(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """What decoders say of bytes that make no sense is a CogenError, whatever it is."""
    draw = random.Random(11)
    originals = _originals(tmp_path)
    path, told = tmp_path / "damaged", 0
    for _ in range(20_000 if request.config.getoption("--long") else 600):
        suffix, whole = draw.choice(originals)
        data = bytearray(whole)
        for _ in range(draw.choice((1, 1, 3))):
            at = draw.randrange(min(len(data), draw.choice((50, 1000))))
            match draw.randrange(5):
                case 0:
                    del data[at + 1 :]
                case 1:
                    data[at:at] = data[: draw.randrange(len(data))]
                case _:
                    data[at] = draw.choice((0, 255, 128, draw.randrange(256)))
        path.write_bytes(data)
        try:
            if suffix in (".wav", ".flac"):
                sound = signals.read_sound(path)
                signals.unpack(sound.data, sound.layout)
            else:
                signals.read_picture(path).array()
        except CogenError:
            told += 1
    assert told > 100
