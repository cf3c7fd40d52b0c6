"""Unpacking to plain memory: what NumPy's arrays hold, without NumPy."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cogen import CogenError, signals
from cogen.signals import formats, plainly, reading
from cogen.signals.forms import form_of
from cogen.signals.listing import _unpacking
from cogen.signals.textnumbers import as_text
from cogen.signals.unpacking import task_for

native = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
)
OTHERS = ["s7", "u33", "size=9,stride=11,offset=21,signed", "f32", "size=64", "size=5,channels=3"]


@pytest.mark.parametrize("name", [*formats.names(), *OTHERS])
def test_the_kernel_is_that_of_arrays(name: str) -> None:
    layout = formats.layout(name)
    found = plainly.task_of(layout)
    assert found is not None
    task, size, kind = found
    assert task == task_for(layout, form_of(layout, None))
    assert repr(task) == repr(task_for(layout, form_of(layout, None)))
    assert np.dtype(kind) == layout.dtype
    assert _unpacking(layout, None)[1] == str(layout.dtype)
    assert size == 8 * layout.dtype.itemsize


@pytest.mark.parametrize("name", ["u4u4", "size=8,scale=2", "f16", "size=8,stride=-8,offset=80"])
def test_what_is_left_to_numpy(name: str) -> None:
    assert plainly.plain(formats.layout(name)) is None


@native
@pytest.mark.parametrize("name", ["cs12", "raw12", "s7", "rgb565", "f32"])
@pytest.mark.parametrize("count", [None, 0, 100])
def test_blocks_are_the_samples(
    name: str, count: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "CHUNK_BYTES", 100)
    data = np.random.default_rng(6).bytes(1001)
    expected = signals.unpack(data, name, count)
    way = plainly.plain(formats.layout(name))
    assert way is not None
    read: list[int] = []
    blocks = [*way.blocks(io.BytesIO(data), count, read.append, lambda _: None)]
    assert b"".join(blocks) == expected.tobytes()
    assert b"".join(map(way.lines, blocks)) == as_text(expected)
    assert count is not None or len(blocks) > 1
    assert sum(read) <= len(data)
    with pytest.raises(CogenError, match="the input has"):
        list(way.blocks(io.BytesIO(data), 100_000, read.append, lambda _: None))


@native
def test_small_files_do_without_numpy(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"abcdefghi")
    program = (
        "import sys; from cogen.cli import main; "
        "assert main(['signal', 'unpack', 'in', '--layout', 'raw12', '--text', '-o', 'out']) == 0; "
        "print('numpy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
    samples = signals.unpack(b"abcdefghi", "raw12").tolist()
    assert (tmp_path / "out").read_text() == "".join(f"{x}\n" for x in samples)
