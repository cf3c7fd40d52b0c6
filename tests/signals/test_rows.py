"""Rows, planes, types of arrays: laws against plain definitions, and what is refused."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogen import CogenError, signals
from cogen.signals import Field, Group, Layout, Rows
from cogen.signals.layout import AnyLayout
from tests.signals.residualmover import use

ORDERS = ("little", "big")


def bits_at(data: bytes, address: int, size: int, order: Any) -> int:
    """The bits of a buffer, taken from the whole of it as one integer."""
    whole = int.from_bytes(data, order)
    low = address if order == "little" else 8 * len(data) - address - size
    return whole >> low & ((1 << size) - 1)


def sample(data: bytes, layout: AnyLayout, base: int, k: int) -> int:
    """Sample k of a row whose layout begins at bit `base`."""
    group, i = divmod(k, len(layout.fields))
    field = layout.fields[i]
    value = 0
    for address, size in field.pieces:
        at = base + layout.offset + group * layout.step + address
        value = value << size | bits_at(data, at, size, layout.order)
    return value - (1 << field.size) if field.signed and value >> (field.size - 1) else value


@dataclass(frozen=True)
class Case:
    """Rows in a buffer."""

    rows: Rows
    height: int
    data: bytes

    def expected(self) -> list[list[int]]:
        """The samples of each row."""
        rows = self.rows
        return [
            [sample(self.data, rows.layout, 8 * r * rows.distance, k) for k in range(rows.samples)]
            for r in range(self.height)
        ]


@st.composite
def groups(draw: st.DrawFn) -> Group:
    """Fields of one or two pieces, in any order, with gaps."""
    sizes = draw(st.lists(st.integers(1, 20), min_size=1, max_size=5))
    signed = draw(st.booleans())
    places: list[tuple[int, int]] = []
    at = draw(st.integers(0, 9))
    for size in sizes:
        places.append((at, size))
        at += size + draw(st.integers(0, 3))
    places = draw(st.permutations(places))
    fields = []
    while places:
        take = min(len(places), draw(st.integers(1, 2)))
        fields.append(Field(tuple(places[:take]), signed))
        places = places[take:]
    shape = draw(st.sampled_from(["samples", "channels"]))
    return Group(at + draw(st.integers(0, 9)), tuple(fields), draw(st.integers(0, 40)),
                 draw(st.sampled_from(ORDERS)), shape)  # fmt: skip


@st.composite
def plain(draw: st.DrawFn, width: st.SearchStrategy[int]) -> tuple[Layout, int]:
    """A layout, and how many items a row has."""
    size, items = draw(st.integers(1, 64)), draw(width)
    channels = draw(st.integers(1, 3))
    stride = draw(st.just(size) | st.integers(-90, 90).filter(lambda n: abs(n) >= size))
    offset = draw(st.integers(0, 70))
    if stride < 0:
        offset += (items * channels - 1) * -stride
    layout = Layout(
        size, stride, offset, draw(st.sampled_from(ORDERS)), draw(st.booleans()), False, channels
    )
    return layout, items


@st.composite
def cases(draw: st.DrawFn, most: int = 12) -> Case:
    width = st.integers(1, most)
    if draw(st.booleans()):
        layout: AnyLayout = draw(groups())
        items = draw(width)
    else:
        layout, items = draw(plain(width))
    height = draw(st.integers(0, 4))
    tight = Rows(layout, items)
    pitch = draw(st.none() | st.integers(0, 9).map(lambda more: tight.row_bytes + more))
    rows = Rows(layout, items, draw(st.sampled_from([None, height])), pitch)
    length = rows.bytes_needed(height)
    if rows.height is not None:
        length += draw(st.integers(0, 5))
    return Case(rows, height, draw(st.binary(min_size=length, max_size=length)))


some = settings(max_examples=settings().max_examples // 3)
"""Each layout is a program that is specialized."""


@pytest.mark.usefixtures("portable_movers")
class TestLaws:
    @some
    @given(cases())
    def test_unpack_gives_the_samples_of_each_row(self, case: Case) -> None:
        found = signals.unpack(case.data, case.rows)
        assert found.shape == case.rows.shape(case.height)
        assert found.dtype == case.rows.dtype
        assert [np.ravel(row).tolist() for row in found] == case.expected()

    @some
    @given(cases(), st.integers(0, 255))
    def test_pack_is_the_reverse(self, case: Case, fill: int) -> None:
        """All bits of samples come back, what fills up a group is 0, no other bit changes."""
        values = signals.unpack(case.data, case.rows)
        packed = signals.pack(values, case.rows)
        assert len(packed) == case.rows.bytes_made(case.height)
        again = Case(case.rows, case.height, bytes(packed))
        assert again.expected() == case.expected()
        out = bytearray([fill]) * (len(packed) + 3)
        assert signals.pack(values, case.rows, out=out) is out
        assert Case(case.rows, case.height, bytes(out)).expected() == case.expected()
        changed = self.changed_bits(case.rows, case.height)
        order = case.rows.layout.order
        before, after = (int.from_bytes(x, order) for x in (bytes([fill]) * len(out), out))
        low = 0 if order == "little" else 8 * (len(out) - len(packed))
        assert (before ^ after) & ~(changed << low) == 0

    @staticmethod
    def changed_bits(rows: Rows, height: int) -> int:
        """The bits of whole groups' samples."""
        layout, length = rows.layout, rows.bytes_needed(height)
        mask = 0
        whole = -(-rows.samples // len(layout.fields)) * len(layout.fields)
        for r in range(height):
            for k in range(whole):
                group, i = divmod(k, len(layout.fields))
                for address, size in layout.fields[i].pieces:
                    at = 8 * r * rows.distance + layout.offset + group * layout.step + address
                    low = at if layout.order == "little" else 8 * length - at - size
                    mask |= ((1 << size) - 1) << low
        return mask

    @some
    @given(cases())
    def test_rows_that_are_apart_in_memory(self, case: Case) -> None:
        """A buffer whose rows are evenly apart is what its contiguous copy is."""
        rows = case.rows
        if rows.start or not case.height:
            return
        pitch = rows.distance
        whole = np.zeros((case.height, pitch + 5), np.uint8)
        flat = np.frombuffer(case.data.ljust(case.height * pitch, b"\0"), np.uint8)
        whole[:, :pitch] = flat[: case.height * pitch].reshape(case.height, pitch)
        expected = signals.unpack(case.data, rows)[: case.height].tolist()
        view = whole[:, :pitch]
        shown = Rows(rows.layout, rows.width, case.height, pitch)
        assert signals.unpack(view, shown).tolist() == expected
        assert signals.unpack(view[::-1], shown).tolist() == expected[::-1]
        assert signals.unpack(memoryview(view), shown).tolist() == expected

    @some
    @given(cases())
    def test_floats_that_hold_all_values(self, case: Case) -> None:
        bits = max(field.size - field.signed for field in case.rows.layout.fields)
        if bits > 53:
            with pytest.raises(CogenError, match="float64 cannot hold every value"):
                signals.unpack(case.data, case.rows, dtype=float)
            return
        kind = "f4" if bits <= 24 else "f8"
        found = signals.unpack(case.data, case.rows, dtype=kind)
        assert found.dtype == kind
        assert [np.ravel(row).tolist() for row in found] == case.expected()


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("layout", "width"),
    [
        ("raw10", 7), ("raw12", 5), ("raw14", 9), ("raw20", 3), ("u12", 33), ("mask-msb", 13),
        ("cs12", 5), ("cs4be", 7), ("rgb565", 4), ("v210", 7),
        (Layout(10, -16, 8000, "big", signed=True), 300), (Layout(64, 65, 3, "big"), 20),
        (Layout(9, 12, 5), 200),
    ],
    ids=str,
)  # fmt: skip
def test_native_code_moves_rows_as_defined(layout: Any, width: int) -> None:
    tight = Rows(layout, width)
    for pitch in (None, tight.row_bytes + 7):
        rows = Rows(layout, width, pitch=pitch)
        length = rows.bytes_needed(5)
        data = np.random.default_rng(1).integers(0, 256, length, np.uint8)
        case = Case(rows, 5, data.tobytes())
        found = signals.unpack(data, rows)
        assert found.reshape(5, -1).tolist() == case.expected()
        out = np.full(length, 0xA5, np.uint8)
        signals.pack(found, rows, out=out)
        assert Case(rows, 5, out.tobytes()).expected() == case.expected()
        bits = rows.layout.fields[0].size
        if bits <= 24:
            single = signals.unpack(data, rows, dtype=np.float32)
            assert single.reshape(5, -1).tolist() == case.expected()


def test_the_last_row_needs_no_padding() -> None:
    rows = Rows("raw12", 4, pitch=16)
    assert signals.unpack(bytes(16 + 6), rows).shape == (2, 4)
    assert signals.unpack(bytes(16 + 5), rows).shape == (1, 4)
    assert signals.unpack(bytes(5), rows).shape == (0, 4)
    picture = np.arange(8).reshape(2, 4)
    out = bytearray(22)
    packed = signals.pack(picture, rows)
    assert bytes(packed) == bytes(signals.pack(picture, rows, out=out)) + bytes(10)


def test_pictures_that_are_packed_one_by_one_can_be_put_together() -> None:
    rows = Rows("raw12", 4, height=2, pitch=16)
    pictures = np.arange(24).reshape(3, 2, 4)
    file = b"".join(signals.pack(picture, rows).tobytes() for picture in pictures)
    frames = list(signals.stream(file, rows))
    assert np.array_equal(np.stack(frames), pictures)
    with pytest.raises(CogenError, match="room for 1 rows, not 2"):
        signals.unpack(bytes(16 + 5), Rows("raw12", 4, 2, 16))


def test_what_fills_up_a_group_is_zero_in_out_too() -> None:
    out = bytearray(b"\xff" * 6)
    signals.pack([[1, 2, 3]], Rows("raw12", 3), out=out)
    assert signals.unpack(out, "raw12").tolist() == [1, 2, 3, 0]


def test_channels_and_records_in_rows() -> None:
    data = bytes(range(40))
    found = signals.unpack(data, Rows("rgb24", 3, pitch=10))
    assert found.shape == (4, 3, 3)
    assert found[2, 1].tolist() == [23, 24, 25]
    records = signals.unpack(data, Rows("u12s4", 2, pitch=5))
    assert records.shape == (8, 2)
    assert records["f0"][1, 0] == 0x050 | 0
    assert bytes(signals.pack(records, Rows("u12s4", 2, pitch=5)))[:4] == data[:4]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Rows("raw12", 0), "width must be at least 1|width must be between"),
        (lambda: Rows("raw12", 4, -1), "height must be"),
        (lambda: Rows("raw12", 4, pitch=5), "need 6 bytes, more than the pitch of 5"),
        (lambda: Rows(Layout(8, -8), 4), "below the start of the buffer"),
        (lambda: Rows(12, 4), "a layout was expected"),  # type: ignore[arg-type]
        (lambda: Rows("raw12", 2.5), "width must be an integer"),  # type: ignore[arg-type]
        (lambda: signals.unpack(bytes(9), Rows("u8", 3), 2), "not counted by `count`"),
        (lambda: signals.pack([1, 2, 3], Rows("u8", 3)), r"the shape \(height, 3\), not \(3,\)"),
        (lambda: signals.pack([[1, 2]], Rows("u8", 2, 3)), r"the shape \(3, 2\), not \(1, 2\)"),
        (lambda: signals.pack([[256]], Rows("u8", 1)), "256 at index 0, 0 does not fit"),
        (lambda: signals.pack([[1], [2]], Rows("u8", 1), out=bytearray(1)), "2 rows need 2 bytes"),
        (lambda: signals.unpack(np.zeros((4, 9), np.uint8)[:, :7], Rows("u8", 6)), "have 7 bytes"),
        (lambda: signals.unpack(np.zeros((4, 9), np.uint8)[:, ::2], Rows("u8", 5)), "one piece"),
        (lambda: signals.unpack(np.zeros((4, 9), np.uint8)[:, :7], "u8"), "one piece"),
        (lambda: signals.planes("nv99", 4, 4), "no arrangement of planes 'nv99'"),
    ],
)  # fmt: skip
def test_what_is_no_rows_is_refused(make: Any, message: str) -> None:
    with pytest.raises(CogenError, match=message):
        make()


def test_rows_are_values() -> None:
    rows = Rows("raw12", 5, pitch=16)
    assert rows == Rows(signals.layout("raw12"), 5, None, 16)
    assert hash(rows) == hash(Rows("raw12", 5, None, 16))
    assert pickle.loads(pickle.dumps(rows)) == rows
    assert "_hash" not in vars(pickle.loads(pickle.dumps(rows)))


def test_rows_are_converted() -> None:
    values = np.arange(15).reshape(3, 5)
    data = signals.pack(values, Rows("raw12", 5, pitch=12))
    wide = signals.convert(data, Rows("raw12", 5, pitch=12), Rows(Layout(16), 5))
    assert np.frombuffer(wide, "<u2").tolist() == list(range(15))
    flat = signals.convert(data, Rows("raw12", 5, pitch=12), Layout(8))
    assert flat.tolist() == list(range(15))
    assert bytes(signals.convert(wide, Layout(16), Rows("raw12", 5, pitch=12))) == bytes(data)
    with pytest.raises(CogenError, match="15 samples make no whole rows of 4"):
        signals.convert(wide, Layout(16), Rows("u8", 4))


# Types of arrays


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("layout", "dtype"),
    [
        ("u12", "i2"), ("u12", "u8"), ("u12", "f4"), ("u12", ">u2"), ("u11", "f2"),
        ("u24", "f4"), ("s25", "f4"), ("u53", "f8"), ("mask-lsb", "?"), ("f16", "f4"),
        ("f16", "f8"), ("f32", "f8"), ("s7", "i8"), ("cs12", "c8"), ("cs12", "c16"),
        ("f32", "f4"), ("size=12,scale=0.25", "f4"), ("size=12,scale=0.1", "f8"),
        ("size=8,scale=3,signed", "i2"), ("size=32,float,channels=2", "c8"),
        ("size=16,float,channels=2", "c8"), ("size=16,float,scale=0.5", "f8"),
    ],
)  # fmt: skip
def test_types_that_hold_the_values(
    layout: str, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = np.random.default_rng(2).integers(0, 256, 96, np.uint8)
    plain = signals.unpack(data, layout)
    found = signals.unpack(data, layout, dtype=dtype)
    if np.dtype(dtype).kind == "c":
        assert found.shape == plain.shape[:1]
        plain = plain.astype(float) @ [1, 1j]
    assert found.dtype == np.dtype(dtype).newbyteorder("=")
    assert np.array_equal(found, plain, equal_nan=True)
    out = np.zeros((2, *found.shape), dtype)[1]
    assert signals.unpack(data, layout, out=out) is out
    assert np.array_equal(out, found, equal_nan=True)
    from cogen.signals.slices import Slices

    use(monkeypatch, Slices)
    assert np.array_equal(signals.unpack(data, layout, dtype=dtype), found, equal_nan=True)


@pytest.mark.parametrize(
    ("layout", "dtype"),
    [
        ("u12", "u1"), ("u12", "i1"), ("s12", "u2"), ("u16", "i2"), ("u25", "f4"), ("s26", "f4"),
        ("u12", "f2"), ("u54", "f8"), ("u64", "i8"), ("f32", "f2"), ("f32", "i4"), ("u12", "?"),
        ("u12", "c8"), ("rgb24", "c8"), ("cs12", "U1"), ("cs12", "O"), ("u12", "nonsense"),
        ("size=12,scale=0.1", "f4"), ("size=12,scale=0.5", "i2"), ("size=12,scale=16,signed", "i2"),
        ("u12s4", "f8"), ("u12", "i2,i2"), ("size=32,signed,channels=2", "c8"),
        ("size=12,scale=1e-40", "f4"),
    ],
)  # fmt: skip
def test_types_that_do_not_hold_the_values(layout: str, dtype: str) -> None:
    if (layout, dtype) == ("size=12,scale=16,signed", "i2"):
        assert signals.unpack(bytes(3), layout, dtype=dtype).tolist() == [0, 0]
        dtype = "i1"
    with pytest.raises(CogenError):
        signals.unpack(bytes(48), layout, dtype=dtype)


def test_out_is_filled_and_given_back() -> None:
    data = signals.pack(np.arange(8), "u12")
    out = np.zeros(8, np.uint16)
    assert signals.unpack(data, "u12", out=out) is out
    assert out.tolist() == list(range(8))
    every = np.zeros(16, np.float32)
    signals.unpack(data, "u12", out=every[::2])
    assert every.tolist() == [x for n in range(8) for x in (n, 0)]
    buffer = np.arange(16, dtype=np.uint8)
    expected = signals.unpack(buffer, "u8")
    signals.unpack(buffer[1:], "u8", out=buffer[:-1])
    assert buffer[:-1].tolist() == expected[1:].tolist()


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (np.zeros(7, np.uint16), r"the shape \(8,\), not \(7,\)"),
        (np.zeros((8, 1), np.uint16), r"the shape \(8,\)"),
        (np.zeros(8, np.uint8), "uint8 cannot hold every value"),
        (np.frombuffer(bytes(16), np.uint16), "out is read-only"),
        (bytearray(16), "out must be an array of NumPy's"),
        (np.ma.zeros(8, np.uint16), "out must be an array"),
        (np.zeros(8, object), "samples cannot become|cannot hold"),
    ],
)
def test_an_out_that_cannot_be_filled(out: Any, message: str) -> None:
    with pytest.raises(CogenError, match=message):
        signals.unpack(bytes(12), "u12", out=out)


def test_out_and_dtype_must_agree() -> None:
    with pytest.raises(CogenError, match="out must have the type float32, not uint16"):
        signals.unpack(bytes(12), "u12", out=np.zeros(8, np.uint16), dtype="f4")


def test_complex_numbers_are_packed_as_channels() -> None:
    data = np.random.default_rng(3).integers(0, 256, 60, np.uint8)
    for name in ("cs4", "cs4be", "cs8", "cu8", "cs12", "cs12be", "cs16", "cs16be", "cu16"):
        numbers = signals.unpack(data, name, dtype=np.complex64)
        assert numbers.tolist() == [complex(*pair) for pair in signals.unpack(data, name).tolist()]
        assert bytes(signals.pack(numbers, name)) == data.tobytes()[: len(data) // 1]
    scaled = signals.layout("cs16,scale=0.5")
    assert bytes(signals.pack(np.array([0.5 - 1j]), scaled)) == b"\x01\0\xfe\xff"
    with pytest.raises(CogenError, match=r"the value 0\.5 at index 1, 0 is no integer"):
        signals.pack([1j, 0.5], "cs16")
    with pytest.raises(CogenError, match="values of the type complex128"):
        signals.pack([1j], "u8")


def test_threads_share_the_work() -> None:
    data = np.random.default_rng(4).integers(0, 256, 700_000, np.uint8)
    for layout in ("u12", Layout(10, signed=True), "raw14", Layout(12, scale=0.5)):
        whole = signals.unpack(data, layout, threads=1)
        assert np.array_equal(signals.unpack(data, layout, threads=3), whole)
        packed = signals.pack(whole, layout, threads=1)
        assert np.array_equal(signals.pack(whole, layout, threads=3), packed)
    rows = Rows("raw12", 700, pitch=1100)
    whole = signals.unpack(data, rows, threads=1)
    assert np.array_equal(signals.unpack(data, rows, threads=3), whole)
    assert np.array_equal(signals.pack(whole, rows, threads=3), signals.pack(whole, rows))
    with pytest.raises(CogenError, match="threads must be"):
        signals.unpack(data, "u12", threads=0)


# Planes


def test_planes_of_video_frames() -> None:
    width, height = 6, 4
    y = np.arange(24).reshape(4, 6)
    uv = np.arange(100, 112).reshape(2, 3, 2)
    frame = np.concatenate([y.ravel(), uv.ravel()]).astype(np.uint8)
    found = signals.planes("nv12", width, height)
    assert list(found) == ["y", "uv"]
    assert signals.unpack(frame, found["y"]).tolist() == y.tolist()
    assert signals.unpack(frame, found["uv"]).tolist() == uv.tolist()
    words = np.concatenate([y.ravel(), uv.ravel()]).astype("<u2") << 6
    found = signals.planes("P010", width, height)
    assert signals.unpack(words, found["y"]).tolist() == y.tolist()
    assert signals.unpack(words, found["uv"]).tolist() == uv.tolist()
    again = np.zeros_like(words)
    for rows, values in ((found["y"], y), (found["uv"], uv)):
        signals.pack(values, rows, out=again)
    assert np.array_equal(again, words)
    planar = np.concatenate([y.ravel(), uv[..., 1].ravel(), uv[..., 0].ravel()]).astype(np.uint8)
    found = signals.planes("yv12", width, height)
    assert signals.unpack(planar, found["u"]).tolist() == uv[..., 0].tolist()
    assert signals.unpack(planar, found["v"]).tolist() == uv[..., 1].tolist()


def test_planes_with_room_around() -> None:
    frame = np.arange(16 * 9, dtype=np.uint8)
    found = signals.planes("nv12", 5, 3, pitch=16, rows=6)
    assert signals.unpack(frame, found["y"])[1].tolist() == [16, 17, 18, 19, 20]
    assert signals.unpack(frame, found["uv"]).shape == (2, 3, 2)
    assert signals.unpack(frame, found["uv"])[1, 0].tolist() == [16 * 7, 16 * 7 + 1]


def test_pixels_of_twenty_bits() -> None:
    """Two halves of ten bits each, packed as four pixels of ten bits."""
    pixels = np.array([0xABCDE, 0x12345])
    halves = np.array([0xABCDE >> 10, 0xABCDE & 1023, 0x12345 >> 10, 0x12345 & 1023])
    assert bytes(signals.pack(pixels, "raw20")) == bytes(signals.pack(halves, "raw10"))
    assert signals.unpack(signals.pack(halves, "raw10"), "raw20").tolist() == pixels.tolist()
