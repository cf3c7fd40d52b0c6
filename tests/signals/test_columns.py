"""Columns: what NumPy, Arrow's consumers, polars and pandas see, against the records unpacked."""

from __future__ import annotations

import gc
import mmap
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogen import CogenError, signals
from cogen.signals import arrow

nanoarrow: Any = pytest.importorskip("nanoarrow", reason="nanoarrow reads Arrow's C data here")

LAYOUT = signals.layout("u12s4p4f32<u1", names=["level", "offset", "gain", "flag"])
DATA = np.random.default_rng(1).integers(0, 256, 7_000, np.uint8).tobytes()


def test_columns_of_records_are_their_fields() -> None:
    records = signals.unpack(DATA, LAYOUT)
    table = signals.columns(DATA, LAYOUT)
    assert list(table) == ["level", "offset", "gain", "flag"]
    assert table.count == len(records)
    for name in table:
        assert table[name].dtype == records.dtype[name]
        assert table[name].tobytes() == records[name].tobytes()
    assert table.structured().tobytes() == records.tobytes() == np.asarray(table).tobytes()
    assert signals.columns(records)["gain"].tobytes() == records["gain"].tobytes()


@pytest.mark.parametrize(("layout", "names"), [
    ("cs16", ["i", "q"]), ("cu8,offset=8", ["i", "q"]), ("rgb565", ["red", "green", "blue"]),
    ("bgr24,width=5", ["red", "green", "blue"]), ("raw12", ["value"]), (np.int16, ["value"]),
    (signals.layout("pcm24le", channels=3), ["c0", "c1", "c2"]),
])  # fmt: skip
def test_names_of_channels(layout: Any, names: list[str]) -> None:
    table = signals.columns(DATA[:120], layout)
    assert list(table) == names
    values = signals.unpack(DATA[:120], layout).reshape(-1, len(names))
    for i, name in enumerate(names):
        assert table[name].tolist() == values[:, i].tolist()


def test_complex_numbers_and_other_names() -> None:
    iq = signals.unpack(DATA, "cs16", dtype=np.complex64)
    table = signals.columns(iq)
    assert np.array_equal(table["i"] + 1j * table["q"], iq)
    assert list(signals.columns(DATA, "cs16", names=["real", "imag"])) == ["real", "imag"]
    assert signals.columns(DATA, "cs16", count=3).count == 3


@pytest.mark.parametrize("kind", ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8",
                                  ">i4", "?"])  # fmt: skip
def test_numbers_in_arrow(kind: str) -> None:
    values = np.arange(11).astype(kind)
    found = nanoarrow.Array(signals.Columns({"x": values}))
    assert [row["x"] for row in found.iter_py()] == values.tolist()


def test_times_in_arrow() -> None:
    times = np.array(["2024-02-29T12:00:00.5", "NaT"], "M8[ms]")
    found = nanoarrow.Array(signals.Columns({"t": times})).to_pylist()
    assert found[1] == {"t": None}
    assert found[0]["t"].replace(tzinfo=None).isoformat() == "2024-02-29T12:00:00.500000"


@settings(max_examples=max(15, settings().max_examples // 60))
@given(st.lists(st.none() | st.text(max_size=4) | st.floats() | st.integers(), max_size=20))
def test_texts_in_arrow(values: list[Any]) -> None:
    column = np.empty(len(values), object)
    column[:] = values
    found = nanoarrow.Array(signals.Columns({"x": column}))
    wanted = [None if x is None or x != x else str(x) for x in values]
    assert [row["x"] for row in found.iter_py()] == wanted


def test_numbers_are_not_copied_and_live_as_long_as_they_are_used() -> None:
    alive = len(arrow._alive)
    table = signals.columns(DATA, LAYOUT)
    levels = table["level"]
    array = nanoarrow.c_array(table).child(0)
    assert array.buffers[1] == levels.ctypes.data
    expected = levels.tolist()
    del table, levels
    gc.collect()
    assert nanoarrow.Array(array).to_pylist() == expected
    del array
    gc.collect()
    assert len(arrow._alive) == alive


def test_capsules_that_nobody_takes_are_released() -> None:
    alive = len(arrow._alive)
    table = signals.columns(DATA, LAYOUT)
    capsules = [table.__arrow_c_schema__(), table.__arrow_c_array__(), table.__arrow_c_stream__()]
    assert len(arrow._alive) > alive
    del capsules
    gc.collect()
    assert len(arrow._alive) == alive


def test_a_stream_of_batches_and_its_errors() -> None:
    def batches() -> Any:
        yield {"x": np.arange(3)}
        yield {"x": np.arange(2)}
        raise CogenError("no more")

    class Some:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return arrow.stream_capsule({"x": np.arange(0)}, batches())

    stream = iter(nanoarrow.ArrayStream(Some()))
    assert [next(stream).to_pylist() for _ in range(2)] == [
        [{"x": 0}, {"x": 1}, {"x": 2}], [{"x": 0}, {"x": 1}],
    ]  # fmt: skip
    with pytest.raises(Exception, match="no more"):
        next(stream)


def test_frames_of_other_packages() -> None:
    table = signals.columns(DATA, LAYOUT)
    for name, method in (("pyarrow", "arrow"), ("polars", "polars"), ("pandas", "pandas")):
        try:
            __import__(name)
        except ImportError:
            with pytest.raises(CogenError, match=f"this needs the package {name}"):
                getattr(table, method)()
            continue
        frame = getattr(table, method)()
        column = frame["gain"].to_numpy()
        assert column.tobytes() == table["gain"].tobytes()


def test_columns_are_a_dictionary() -> None:
    table = signals.columns(DATA, LAYOUT)
    table["double"] = table["level"] * 2
    assert list(table)[-1] == "double"
    assert table.structured()["double"].tolist() == table["double"].tolist()
    with pytest.raises(CogenError, match="double 1056, one 1"):
        table["one"] = [1]
    again = pickle.loads(pickle.dumps(table))
    assert isinstance(again, signals.Columns)
    assert list(again) == list(table)
    pandas: Any = pytest.importorskip("pandas", reason="pandas makes a frame of a dictionary")
    assert pandas.DataFrame(table).shape == (1056, 5)


def test_what_makes_no_columns() -> None:
    table = signals.columns(DATA, LAYOUT)
    assert "gain" in table
    assert "nothing" not in table
    with pytest.raises(CogenError, match="there is no column 'nothing'") as error:
        table["nothing"]
    assert error.value.hint == "there are level, offset, gain, flag"
    with pytest.raises(CogenError, match="different lengths: a 2, b 3"):
        signals.Columns({"a": [1, 2], "b": [1, 2, 3]})
    with pytest.raises(CogenError, match="'a' has 2 dimensions"):
        signals.Columns({"a": [[1]]})
    with pytest.raises(CogenError, match="there are 2 columns: i, q"):
        signals.columns(DATA, "cs16", names=["i"])
    with pytest.raises(CogenError, match="same name"):
        signals.columns(DATA, "cs16", names=["i", "i"])
    with pytest.raises(CogenError, match="or a buffer with a layout, not b"):
        signals.columns(DATA)
    with pytest.raises(CogenError, match="none of Arrow's"):
        nanoarrow.Array(signals.Columns({"x": np.zeros(2, "m8[s]")}))


@pytest.mark.parametrize("dtype", ["u1", "<i2", ">i2", ">u4", "<f8", ">f4", "f2"])
def test_types_of_numpy_are_layouts(dtype: str) -> None:
    values = np.frombuffer(DATA[:64], dtype)
    found = signals.unpack(DATA[:64], np.dtype(dtype))
    assert np.array_equal(found, values.astype(found.dtype), equal_nan=found.dtype.kind == "f")
    assert signals.pack(found, np.dtype(dtype)).tobytes() == DATA[:64]


def test_structured_types_of_numpy_are_layouts() -> None:
    dtype = np.dtype({"names": ["a", "b", "c"], "formats": ["<u2", ">i4", ">f8"],
                      "offsets": [1, 4, 9], "itemsize": 20})  # fmt: skip
    values = np.frombuffer(DATA[:200], dtype)
    found = signals.unpack(DATA[:200], dtype)
    for name in "abc":
        assert found[name].tobytes() == values[name].astype(found.dtype[name]).tobytes()
    with pytest.raises(CogenError, match="no layout of elements of the type complex64"):
        signals.unpack(DATA, np.complex64)
    with pytest.raises(CogenError, match=r"no layout of elements of the type .S3"):
        signals.unpack(DATA, np.dtype([("a", "S3")]))


def test_files_are_mapped(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(DATA)
    expected = signals.unpack(DATA, "raw12").tolist()
    assert signals.unpack(path, "raw12").tolist() == expected
    assert signals.unpack(np.memmap(path, mode="r"), "raw12").tolist() == expected
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as found:
        assert signals.unpack(found, "raw12").tolist() == expected
    rows = signals.Rows("raw12", 20)
    assert signals.unpack(path, rows).tolist() == signals.unpack(DATA, rows).tolist()
    assert signals.convert(path, "raw12", "u12").tobytes() == signals.convert(
        DATA, "raw12", "u12").tobytes()  # fmt: skip
    assert signals.columns(path, LAYOUT)["level"].tolist() == signals.unpack(DATA, LAYOUT)[
        "level"].tolist()  # fmt: skip
    path.write_bytes(b"")
    assert signals.unpack(path, "raw12").tolist() == []
    with pytest.raises(CogenError, match="No such file"):
        signals.unpack(tmp_path / "gone", "raw12")
    with pytest.raises(CogenError, match="must be a buffer, not str") as error:
        signals.unpack("data", "raw12")
    assert "pathlib.Path" in (error.value.hint or "")


def test_names_of_the_package_are_not_those_of_its_modules() -> None:
    folder = Path(signals.__file__).parent
    assert [name for name in signals.__all__ if (folder / f"{name}.py").exists()] == ["layout"]
