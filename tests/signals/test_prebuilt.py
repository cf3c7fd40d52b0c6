"""Platform wheels: kernels of the named formats need no compiler."""

import os
import platform
import shutil
import struct
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from cogen import signals
from cogen.signals import kernels, prebuilt
from cogen.signals.task import Extent

ROOT = Path(__file__).parents[2]

UNPACKING = """
import numpy as np
import cogen
from cogen import signals
from cogen.signals import kernels, prebuilt
assert "site" in cogen.__file__, cogen.__file__
data = np.arange(3 * 1001, dtype=np.uint8)
pixels = signals.unpack(data, "raw12")
assert signals.pack(pixels, "raw12").tobytes() == data.tobytes()
room = np.zeros_like(data)
signals.pack(pixels, "raw12", out=room)
assert room.tobytes() == data.tobytes()
floats = signals.unpack(data, "raw12", dtype="f4")
assert (floats == pixels).all()
found = {type(mover).__name__ for mover in kernels._movers.values()}
assert found == {"NativeKernel"}, found
files = {mover.library.path.parent.name for mover in kernels._movers.values()}
assert files == {"prebuilt"}, files
print(pixels.sum())
"""


@pytest.mark.skipif(
    platform.machine() not in prebuilt.LEVELS, reason="there are no kernels for this machine"
)
@pytest.mark.skipif(sys.platform != "linux", reason="platform wheels are for Linux")
def test_an_installed_platform_wheel_needs_no_compiler(tmp_path):
    wanted = {
        "HATCH_BUILD_HOOK_ENABLE_CUSTOM": "true", "COGEN_WHEEL": "kernels",
        "COGEN_WHEEL_FORMATS": "raw12",
    }  # fmt: skip
    build = f"from hatchling.build import build_wheel; print(build_wheel({str(tmp_path)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", build],
        cwd=ROOT, env={**os.environ, **wanted}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    assert "-py3-none-" in wheel.name
    assert wheel.stem.endswith(f"linux_{platform.machine()}") or "manylinux" in wheel.stem
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    alone = {
        name: value for name, value in os.environ.items() if name not in ("CC", "COGEN_CFLAGS")
    }
    (tmp_path / "nothing").mkdir()
    alone |= {
        "PATH": str(tmp_path / "nothing"),
        "PYTHONPATH": str(site),
        "COGEN_CACHE_DIR": str(tmp_path / "store"),
    }
    ran = subprocess.run(
        [sys.executable, "-P", "-W", "error", "-c", UNPACKING],
        cwd=tmp_path, env=alone, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    data = bytes(i % 256 for i in range(3 * 1001))
    assert int(ran.stdout) == int(signals.unpack(data, "raw12").sum())


def test_levels_are_taken_where_the_processor_has_them(tmp_path, monkeypatch):
    monkeypatch.setattr(prebuilt, "FOLDER", tmp_path)
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    for level in ("x86-64-v4", "x86-64-v3", "x86-64-v2"):
        (tmp_path / f"{level}.so").touch()
    levels = dict(prebuilt.LEVELS["x86_64"])
    for best, flags in {
        "x86-64-v4": levels["x86-64-v4"] | {"sse2"},
        "x86-64-v3": levels["x86-64-v3"] | {"avx512f"},
        "x86-64-v2": levels["x86-64-v2"],
        None: {"sse2"},
    }.items():
        monkeypatch.setattr(prebuilt, "_flags", lambda flags=flags: frozenset(flags))
        prebuilt._file.cache_clear()
        found = prebuilt._file()
        assert (found and found.stem) == best
    prebuilt._file.cache_clear()


def test_a_checkout_has_none():
    assert not prebuilt.FOLDER.exists()
    assert all(prebuilt.prebuilt(task) is None for task in kernels._movers)


EMULATOR = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
LIBRARIES = Path("/usr/aarch64-linux-gnu")
FORMATS = os.environ.get("COGEN_WHEEL_FORMATS", "raw12 raw10 pcm24le cs12be u1 s12 rgb565").split()


@pytest.mark.long
@pytest.mark.skipif(find_spec("ziglang") is None, reason="ziglang makes code of other machines")
@pytest.mark.skipif(
    EMULATOR is None or not LIBRARIES.exists(),
    reason="it runs in an emulator: apt-get install qemu-user libc6-arm64-cross",
)
def test_the_kernels_of_another_machine_give_the_same(tmp_path, monkeypatch):
    from buildhook import kernels as made

    monkeypatch.setenv("COGEN_WHEEL_MACHINE", "aarch64")
    monkeypatch.setattr(made, "_formats", lambda: FORMATS)
    (_, library), _ = made.prebuilt_kernels(ROOT, tmp_path)
    compiler = [sys.executable, "-m", "ziglang", "cc", "-target", "aarch64-linux-gnu.2.17"]
    runner = tmp_path / "runner"
    source = Path(__file__).with_name("kernelrunner.c")
    subprocess.run([*compiler, str(source), "-o", str(runner), "-ldl"], check=True)
    given, expected = b"", []
    random = np.random.default_rng(11)
    tasks = [task for name in FORMATS for task in made.tasks(name)]
    for number, task in enumerate([*tasks, *tasks, *tasks]):
        fields = len(task.source.fields) * len(task.target.fields)
        samples = fields * int(random.integers(1, 400 if number % 3 else 5))
        ends = []
        for pattern, place in zip((task.source, task.target), task.places, strict=True):
            at = place + 8 * int(random.integers(3))
            last = (samples // len(pattern.fields) - 1) * pattern.step + pattern.high
            ends.append((at, -(-(at + last) // 8)))
        if task.stage is not None:  # elements of another size, from the first byte on
            ends[1] = (0, samples * int(task.stage.value[1:]))
        (at, size), (out_at, out_size) = ends
        data, out = (random.integers(0, 256, n, np.uint8) for n in (size, out_size))
        name = f"cogen_move_{prebuilt.key_of(task)}".encode()
        given += struct.pack("<40s5qd", name, size, at, out_size, out_at, samples, 1.0)
        given += data.tobytes() + out.tobytes()
        kernels.mover_for(task)(data, out, Extent(size, at, out_size, out_at, samples), 1.0)
        expected.append(out.tobytes())
    command = [EMULATOR, "-L", str(LIBRARIES), str(runner), str(library)]
    done = subprocess.run(command, input=given, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == b"".join(expected)
