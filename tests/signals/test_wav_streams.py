"""WAV files and sounds as sources and outputs of streams and of paths: samples, never a header."""

from __future__ import annotations

import io
import struct
import sys
import warnings
import wave
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import soundfile

import cogen
from cogen import signals
from cogen.cli import main
from cogen.lang.warning import CogenWarning
from cogen.signals import unpacking
from cogen.signals.wavfiles import WavWriter, wav_data

SAMPLES = np.random.default_rng(3).integers(-(1 << 23), 1 << 23, (70_001, 2)).astype(np.int32)
STEREO = "pcm24le,channels=2"
SOUND = signals.Sound(signals.pack(SAMPLES, STEREO), STEREO, 48000)


@pytest.fixture
def take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    signals.write_sound("take.wav", SOUND)
    return "take.wav"


def test_only_samples_are_read(take: str) -> None:
    for source in (take, Path(take), SOUND, signals.read_sound(take)):
        made = signals.stream(source)
        assert np.array_equal(made.array(), SAMPLES)
        assert made.rate == 48000
        assert np.array_equal(signals.stream(source, STEREO).array(), SAMPLES)
    assert np.array_equal(SOUND.array(), SAMPLES)
    assert np.array_equal(signals.unpack(Path(take), STEREO), SAMPLES)
    scaled = signals.stream(take, "pcm24le,channels=2,scale=0.5").array()
    assert np.array_equal(scaled, SAMPLES / 2)
    with pytest.raises(cogen.CogenError, match=r"holds samples of Layout\(24.*not of Layout\(16"):
        signals.stream(take, "pcm16le")


@pytest.mark.parametrize("kind", ["mono8", "stereo16", "float", "extensible", "others", "endless"])
def test_what_headers_say(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "x.WAV"
    samples = np.arange(-100, 100, dtype=np.int16).reshape(-1, 2)
    expected: Any = samples
    if kind == "mono8":
        expected = np.arange(99, dtype=np.uint8)
        signals.write_sound(path, signals.Sound(expected, "pcm8", 8000))
    elif kind == "float":
        expected = samples.astype("f4") / 100
        soundfile.write(path, expected, 8000, subtype="FLOAT", format="WAV")
    elif kind == "extensible":
        soundfile.write(path, samples, 8000, subtype="PCM_16", format="WAVEX")
    else:
        signals.write_sound(path, signals.Sound(samples, "pcm16le,channels=2", 8000))
        data = path.read_bytes()
        if kind == "others":  # chunks before and behind, of odd length
            data = data[:36] + b"LIST\x03\0\0\0abc\0" + data[36:] + b"junk\x05\0\0\0abcde\0"
        if kind == "endless":  # as written to a pipe
            data = data[:40] + b"\xff\xff\xff\xff" + data[44:]
        path.write_bytes(data)
    assert np.array_equal(signals.stream(path).array(), expected)
    assert signals.stream(path).rate == 8000


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"RIFF\0\0\0\0WAVE", "without samples"),
        (b"RIFF\0\0\0\0WAVEfmt \x04\0\0\0abcd", "ends in its header"),
        (
            b"RIFF\0\0\0\0WAVEfmt " + struct.pack("<IHHIIHH", 16, 7, 1, 8000, 8000, 1, 8),
            r"compressed samples, or of another kind \(format 7\)",
        ),
        (
            b"RIFF\0\0\0\0WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 0, 8000, 8000, 1, 8),
            "0 channels in 1 bytes",
        ),
    ],
)
def test_headers_that_are_wrong(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "x.wav"
    path.write_bytes(data)
    with pytest.raises(cogen.CogenError, match=message):
        signals.stream(path)


def test_files_that_are_others_are_bytes(tmp_path: Path) -> None:
    path = tmp_path / "x.wav"
    path.write_bytes(b"RIFX and more")
    assert wav_data(path) is None
    assert bytes(signals.stream(path, "u8").array()) == b"RIFX and more"
    with pytest.raises(cogen.CogenError, match="how samples are packed has to be said"):
        signals.stream(path)


def test_what_is_written_is_a_wav_file(take: str) -> None:
    halved = signals.stream(take, block=1000).fir([0.5, 0.25], decimate=2).map(np.rint)
    count = halved.write("out.wav", STEREO)
    expected = np.rint(0.5 * SAMPLES + 0.25 * np.vstack([[[0, 0]], SAMPLES[:-1]]))[::2]
    assert count == len(expected)
    with wave.open("out.wav") as file:
        assert file.getparams()[:4] == (2, 3, 24000, count)
    assert np.array_equal(signals.stream("out.wav").array(), expected)
    with pytest.raises(cogen.CogenError, match="a layout of channels=2 takes such an array"):
        halved.write("mono.wav", "pcm24le")
    assert not Path("mono.wav").exists()
    numbers = signals.stream(np.arange(7, dtype=np.uint8), "u8")
    numbers.write("odd.WAV", "pcm8,scale=1", rate=44100)
    assert soundfile.info("odd.WAV").frames == 7
    assert Path("odd.WAV").stat().st_size == 52
    with pytest.raises(cogen.CogenError, match="how many frames it has a second"):
        numbers.write("new.wav", "pcm8")
    with pytest.raises(cogen.CogenError, match=r"an integer, not 16000\.5"):
        numbers.write("new.wav", "pcm8", rate=16000.5)  # type: ignore[arg-type]  # that is tested
    with pytest.raises(cogen.CogenError, match="a WAV file holds samples of pcm8"):
        numbers.write("new.wav", rate=8000)
    with pytest.raises(cogen.CogenError, match="only the name of a WAV file"):
        numbers.write("new.pcm", "pcm8", rate=8000)
    assert not Path("new.wav").exists()


def test_a_wav_file_that_was_begun_is_gone_on_with(take: str) -> None:
    whole = signals.stream(take, block=512).dither(seed=3)
    whole.write("whole.wav", STEREO, saturate=True)
    left = 40

    def fails(read: int, total: int | None) -> None:
        nonlocal left
        left -= read
        if left < 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        whole.write("some.wav", STEREO, saturate=True, resume=True, progress=fails)
    assert Path("some.wav.part").stat().st_size > 44
    assert not Path("some.wav").exists()
    count = whole.write("some.wav", STEREO, saturate=True, resume=True)
    assert count == len(SAMPLES)
    assert Path("some.wav").read_bytes() == Path("whole.wav").read_bytes()


def test_dither_keeps_the_mean_and_does_not_depend_on_blocks() -> None:
    numbers = np.full(40_000, 0.3)
    found = signals.stream(numbers, np.float64).dither().array()
    cut = signals.stream(numbers, np.float64, block=37).dither().array()
    assert np.array_equal(found, cut)
    assert np.array_equal(found, np.rint(found))
    assert abs(found.mean() - 0.3) < 0.02
    assert abs(np.mean((found - 0.3) ** 2) - 0.25) < 0.02
    assert not np.array_equal(signals.stream(numbers, np.float64).dither(1).array(), found)
    with pytest.raises(cogen.CogenError, match="cannot be dithered"):
        signals.stream(bytes(8), "cs16", dtype="complex64").dither().array()


def test_commands_read_and_write_wav_files(take: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["signal", "stream", take, "times 0.00390625", "round", "--saturate"]
    assert main([*command, "--to", "pcm16le,channels=2", "-o", "a.wav"]) == 0
    expected = np.clip(np.rint(SAMPLES / 256), -32768, 32767)
    assert np.array_equal(signals.stream("a.wav").array(), expected)
    assert main(["signal", "convert", "a.wav", "--from", "pcm16le,channels=2", "--to",
                 "pcm32le,channels=2", "-o", "b.wav"]) == 0  # fmt: skip
    assert np.array_equal(signals.read_sound("b.wav").array(), expected)
    assert main(["signal", "unpack", take, "--layout", STEREO, "-o", "c.bin"]) == 0
    assert np.array_equal(np.fromfile("c.bin", "<i4").reshape(-1, 2), SAMPLES)
    assert main(["signal", "convert", take, "--from", STEREO, "--to", "pcm24be,channels=2",
                 "-o", "d.bin"]) == 0  # fmt: skip
    assert np.array_equal(signals.unpack(Path("d.bin"), "pcm24be,channels=2"), SAMPLES)
    capsys.readouterr()
    assert main(["signal", "unpack", take, "--layout", "pcm8", "-o", "x"]) == 1
    assert "take.wav holds samples of" in capsys.readouterr().err
    assert main(["signal", "unpack", take, "--layout", STEREO, "-o", "x.wav"]) == 2
    assert "make no WAV file" in capsys.readouterr().err
    assert main(["signal", "stream", "a.wav", "-o", "x.pcm", "--rate", "8"]) == 1
    assert "only the name of a WAV file" in capsys.readouterr().err
    assert main(["signal", "stream", "c.bin", "-o", "x.pcm"]) == 2
    assert "--layout" in capsys.readouterr().err


def test_more_than_there_is_room_for() -> None:
    class Long:
        def tell(self) -> int:
            return 1 << 32

    writer = WavWriter(signals.layout("pcm8"), 8000)
    with pytest.raises(cogen.CogenError, match="room for 4 GB"):
        writer.check(Long())


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8"])
@pytest.mark.parametrize("count", [10, 5000])
def test_whole_floats_are_packed_as_integers(dtype: str, count: int) -> None:
    layout = "cs12" if dtype == "c8" else "s12"
    numbers = np.random.default_rng(4).integers(-2048, 2048, (count, 2))
    values = numbers[:, 0].astype(dtype) + (1j * numbers[:, 1] if dtype == "c8" else 0)
    same = numbers if dtype == "c8" else numbers[:, 0]
    values = values.astype(dtype)
    assert bytes(signals.pack(values, layout)) == bytes(signals.pack(same, layout))
    values[count // 2] = 4000
    with pytest.raises(cogen.CogenError, match=rf"the value 4000\.0 at index {count // 2}"):
        signals.pack(values, layout)
    signals.pack(values, layout, saturate=True)
    values[count // 2] = 0.5
    with pytest.raises(cogen.CogenError, match=rf"value 0\.5 at index {count // 2}.* no integer"):
        signals.pack(values, layout)


def test_rows_without_a_layout_of_rows_are_told_how() -> None:
    with pytest.raises(cogen.CogenError, match=r"signals\.Rows\(layout, 100\) packs rows"):
        signals.pack(np.zeros((4, 100), np.uint16), "raw12")
    with pytest.raises(cogen.CogenError, match="a layout of channels=2 takes such an array"):
        signals.pack(np.zeros((4, 2), np.int16), "pcm16le")


def test_headers_that_are_read_as_samples_are_told(
    take: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = Path(take).read_bytes()
    monkeypatch.setattr(unpacking, "quick_ways", {})
    told = pytest.warns(CogenWarning, match="these bytes are a WAV file")
    with told as caught:
        signals.unpack(data, "pcm24le")
    assert caught[0].filename == __file__
    with told as caught:
        signals.convert(data, "pcm24le", "pcm32le")
    assert caught[0].filename == __file__
    monkeypatch.setattr(unpacking, "quick_ways", {})
    with told:
        next(iter(signals.stream(data, "pcm24le")))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    main(["signal", "unpack", "-", "--layout", "pcm24le", "-o", "x"])
    assert "warning: these bytes are a WAV file" in capsys.readouterr().err
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        skipped = signals.unpack(data, "pcm24le,channels=2,offset=352")
        assert np.array_equal(skipped, SAMPLES)
        signals.unpack(b"RIFF", "u8")
        signals.unpack(b"RIFFabcdWAVX", "u8")
