"""Named formats against bytes written by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cogen import CogenError, signals
from cogen.signals import Layout
from cogen.signals.formats import FRAMES

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("full_optimisation")]

#  name, bytes, values
EXAMPLES = [
    ("pcm8", "00 80 ff", [0, 128, 255]),
    ("pcm16le", "01 80", [-32767]),
    ("pcm16be", "80 01", [-32767]),
    ("pcm24le", "ff ff 7f 00 00 80", [8388607, -8388608]),
    ("pcm24be", "7f ff ff 80 00 00", [8388607, -8388608]),
    ("pcm32le", "00 00 00 80", [-(2**31)]),
    ("pcm32be", "80 00 00 00", [-(2**31)]),
    ("raw10", "ff 00 aa 55 1b", [1023, 2, 681, 340]),
    ("raw12", "12 34 ba", [0x12A, 0x34B]),
    ("raw14", "ff 00 00 01 3f 00 04", [0x3FFF, 0x0000, 0x0000, 0x0041]),
    ("raw6", "81 30 10", [1, 2, 3, 4]),
    ("raw7", "01 00 00 00 00 00 80", [1, 0, 0, 0, 0, 0, 0, 64]),
    ("raw8", "07", [7]),
    ("raw16", "12 34", [0x1234]),
    ("raw20", "ab 37 12 d1 4b", [0xABCDE, 0x12345]),
    ("raw24", "ab de fc", [0xABCDEF]),
    ("cs4", "f1", [[1, -1]]),
    ("cs4be", "f1", [[-1, 1]]),
    ("cs8", "ff 01", [[-1, 1]]),
    ("cu8", "ff 01", [[255, 1]]),
    ("cs12be", "ff f8 01", [[-1, -2047]]),
    ("cu12be", "23 4a b1", [[0x234, 0xAB1]]),
    ("cs16", "ff ff 00 80", [[-1, -(2**15)]]),
    ("cs16be", "ff ff 80 00", [[-1, -(2**15)]]),
    ("cu16", "01 02 03 04", [[0x201, 0x403]]),
    ("cf32", "00 00 80 3f 00 00 00 c0", [[1.0, -2.0]]),
    ("cs12", "ff 1f 80", [[-1, -2047]]),
    ("cu12", "34 12 ab", [[0x234, 0xAB1]]),
    ("rgb565", "1f f8", [[31, 0, 31]]),
    ("rgb565", "e0 07", [[0, 63, 0]]),
    ("rgb24", "01 02 03", [[1, 2, 3]]),
    ("bgr24", "01 02 03", [[3, 2, 1]]),
    ("v210", "00 04 20 3f", [0, 1, 1010]),
    ("mono10p", "ff 07 00 00 40", [1023, 1, 0, 256]),
    ("mono12p", "34 12 ab", [0x234, 0xAB1]),
    ("mono14p", "01 40 00 00 00 00 80", [1, 1, 0, 0x2000]),
    ("mono10packed", "ff 21 80", [0x3FD, 0x202]),
    ("mono12packed", "12 a3 ff", [0x123, 0xFFA]),
    ("mask-lsb", "05", [1, 0, 1, 0, 0, 0, 0, 0]),
    ("mask-msb", "05", [0, 0, 0, 0, 0, 1, 0, 1]),
]


@pytest.mark.one_in(5)
@pytest.mark.slow
@pytest.mark.parametrize(("name", "text", "values"), EXAMPLES)
def test_a_named_format(name: str, text: str, values: object) -> None:
    data = bytes.fromhex(text)
    found = signals.unpack(data, name)
    assert found.tolist() == values
    kept = signals.pack(found, name)
    if name in ("v210", "mono10packed"):  # some bits belong to no sample
        assert np.array_equal(signals.unpack(kept, name), found)
    if name == "v210":  # two bits of a word
        assert kept.tolist() == [*data[:3], data[3] & 0x3F]
    else:
        assert bytes(kept) == data


def test_every_named_format_has_an_example() -> None:
    assert set(signals.names()) == {name for name, _, _ in EXAMPLES}


def test_names_are_spelled_freely_and_can_be_changed() -> None:
    assert signals.layout("PCM24LE") == Layout(24, signed=True)
    assert signals.layout("mask_msb") == signals.layout("MaskMSB") == Layout(1, order="big")
    stereo = Layout(24, signed=True, channels=2)
    assert signals.layout("pcm24le", channels=2) == stereo
    assert signals.layout("pcm24le, channels=2") == stereo
    assert signals.layout("pcm24le,size=20").stride == 20  # type: ignore[union-attr]
    assert signals.layout("raw10,offset=8").offset == 8


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("s24le", Layout(24, signed=True)),
        ("pcm_s16be", Layout(16, signed=True, order="big")),
        ("pcm_u8", Layout(8)),
        ("u12le", Layout(12)),
        ("u12be", Layout(12, order="big")),
        ("f32be", Layout(32, float=True, order="big")),
        ("int24", Layout(24, signed=True)),
        ("uint12be", Layout(12, order="big")),
        ("float16", Layout(16, float=True)),
        ("S16_LE", Layout(16, signed=True)),
        ("U8_BE", Layout(8, order="big")),
        ("S24_LE", Layout(24, 32, signed=True)),
        ("S24_BE", Layout(24, 32, 8, order="big", signed=True)),
        ("S24_3BE", Layout(24, order="big", signed=True)),
        ("S20_3LE", Layout(20, 24, signed=True)),
        ("cs12le", signals.layout("cs12")),
        ("SBGGR10P", signals.layout("raw10")),
        ("SRGGB10_CSI2P", signals.layout("raw10")),
        ("Y14P", signals.layout("raw14")),
        ("R12_CSI2P", signals.layout("raw12")),
        ("ci16_le", signals.layout("cs16")),
        ("cf32", signals.layout("cf32")),
        ("cf64_be", Layout(64, order="big", float=True, channels=2)),
        ("cu8", signals.layout("cu8")),
        ("ri12_be", Layout(12, order="big", signed=True)),
        ("rf32_le", Layout(32, float=True)),
        ("cs8be", Layout(8, order="big", signed=True, channels=2)),
        ("CU4", Layout(4, channels=2)),
        ("cs14be", Layout(14, order="big", signed=True, channels=2)),
        ("sc16", signals.layout("cs16")),
        ("FC32", signals.layout("cf32")),
        ("srggb12p", signals.layout("raw12")),
        ("BayerRG12p", Layout(12)),
        ("BayerGB12Packed", signals.layout("mono12packed")),
    ],
)
def test_names_of_other_packages(name: str, expected: Any) -> None:
    assert signals.layout(name) == expected
    assert signals.layout(f"{name},offset=16").offset == 16


def test_names_of_others_that_make_no_layout() -> None:
    for name, message in (
        ("s65le", "size must lie between 1 and 64, not be 65"),
        ("f24le", "a float has 16, 32, 64 bits, not 24"),
        ("float12", "a float has 16, 32, 64 bits, not 12"),
        ("U65_LE", "size must lie between 1 and 64, not be 65"),
    ):
        with pytest.raises(CogenError, match=message):
            signals.layout(name)
    with pytest.raises(CogenError) as caught:
        signals.layout("NV12")
    assert "signals.planes('nv12', width, height)" in str(caught.value)
    for name in FRAMES:
        assert signals.planes(name, 4, 4)


def test_the_plain_text_form() -> None:
    text = "size=0xc, stride=-16, offset=160, order=big, signed, channels=2, scale=0.5"
    expected = Layout(12, -16, 160, "big", signed=True, channels=2, scale=0.5)
    assert signals.layout(text) == expected
    assert signals.layout("size=32,float=true") == Layout(32, float=True)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("raw11", "there is no layout 'raw11'", "did you mean `raw16` or `raw14` or `raw12`?"),
        ("", "a layout needs its size in bits", "for instance: size=12,stride=16"),
        ("stride=4", "a layout needs its size in bits", "for instance"),
        ("size=12,stripe=4", "a layout has no `stripe`", "stride"),
        ("size=twelve", "the layout's `size` cannot be 'twelve'", None),
        ("size=8,signed=maybe", "the layout's `signed` cannot be 'maybe'", None),
        ("size=8,stride", "the layout's `stride` needs a value: stride=...", None),
        ("raw10,channels=2", "the layout raw10 cannot be given `channels`", "offset"),
        ("u12x8", "the format 'u12x8' has an item of the unknown kind `x`", "items are u"),
        ("u12t8", "the format 'u12t8' has bytes or text in it, `t8`", "leave them out, `p8`"),
        ("u4b2", "the bool b2 of the format 'u4b2' must have 1 bit", "write `u`"),
        ("u65", "the item u65 of the format 'u65' must have 1 to 64 bits", None),
        ("u0", "the item u0 of the format 'u0' must have 1 to 64 bits", None),
        ("p8", "the format 'p8' has no values", None),
        ("f24", "a float has 16, 32, 64 bits, not 24", None),
    ],
)
def test_texts_that_mean_no_layout(text: str, message: str, hint: str | None) -> None:
    with pytest.raises(CogenError) as caught:
        signals.layout(text)
    assert caught.value.message == message
    assert (hint or "") in (caught.value.hint or "")


def test_other_misuse() -> None:
    with pytest.raises(CogenError, match="a layout is written as a string, not 12"):
        signals.layout(12)  # type: ignore[arg-type]
    with pytest.raises(CogenError, match="a layout was expected, not 12"):
        signals.unpack(b"", 12)  # type: ignore[arg-type]
    with pytest.raises(CogenError, match="has 2 values, but there are 1 names"):
        signals.layout("u4u4", names=["a"])
    with pytest.raises(CogenError, match="the format raw10 has no field names"):
        signals.layout("raw10", names=["a"])


@pytest.mark.slow
def test_a_record_becomes_a_structured_array() -> None:
    layout = signals.layout("u12s4p4f32<", names=["level", "offset", "gain"])
    assert layout.dtype == np.dtype([("level", "u2"), ("offset", "i1"), ("gain", "f4")])
    records = np.zeros(3, layout.dtype)
    records["level"] = [1, 4095, 7]
    records["offset"] = [-8, 7, 0]
    records["gain"] = [1.5, -0.25, np.inf]
    data = signals.pack(records, layout)
    assert len(data) == (3 * 52 + 7) // 8
    assert signals.unpack(data, layout, 3).tolist() == records.tolist()


@pytest.mark.parametrize("name", ["int8", "uint16", "int64", "float32", "float16"])
def test_names_of_numpys_types(name: str) -> None:
    dtype = np.dtype(name)
    values = np.arange(16).astype(dtype)
    assert signals.unpack(values, name).tolist() == values.tolist()
    swapped = values.astype(dtype.newbyteorder(">"))
    assert signals.unpack(swapped.tobytes(), f"{name}be").tolist() == values.tolist()
    assert signals.layout(f"{name},channels=2").width == 2
