"""The blocks of the pages in docs/ do what the pages say, with the files that they speak of.

Other pages have tests beside the tests of what they tell of: futamura, generate, arrays-in-scheme,
fusion.
"""

from __future__ import annotations

import re
import runpy
import shlex
import shutil
import subprocess
import types
import wave
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cogen
from cogen import signals
from cogen.cli import main
from cogen.lang.interp import Interpreter
from cogen.lang.ownlibraries import srfis
from cogen.signals import kernels
from cogen.signals.slices import Slices
from tests.signals import residualmover

ROOT = Path(__file__).parents[1]
HAS_COMPILER = any(map(shutil.which, ("cc", "gcc", "clang")))


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def fenced(name: str, language: str) -> list[str]:
    """The blocks of a language in a page."""
    found = re.findall(rf"^```{language}\n(.*?)^```", page(name), re.S | re.M)
    assert found
    return found


def indented(name: str) -> list[str]:
    """The indented blocks of a page."""
    blocks = re.findall(r"(?:^    .*\n|^\n(?=    ))+", page(name), re.M)
    return [re.sub(r"^    ", "", block, flags=re.M).strip("\n") + "\n" for block in blocks]


# -- coming-from.md -------------------------------------------------------------------------------


@pytest.mark.usefixtures("python_kernels")
@pytest.mark.parametrize("block", fenced("coming-from.md", "python"))
def test_a_block_of_coming_from_another_tool(block: str, tmp_path: Path) -> None:
    assert "assert" in block
    path = tmp_path / "block.py"  # staged functions are read as text
    path.write_text(block, encoding="utf-8")
    runpy.run_path(str(path))


# -- packed.md ------------------------------------------------------------------------------------

DBC = """\
VERSION ""
NS_ :
BS_:
BU_: ECU
BO_ 291 EngineData: 8 ECU
 SG_ Gear : 0|3@1+ (1,0) [0|7] "" ECU
 SG_ Speed : 8|16@1+ (0.01,0) [0|250] "km/h" ECU
VAL_ 291 Gear 0 "neutral" 1 "first" ;
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with the files that the page names."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(1)
    for name in ("cat.raw", "photo.raw"):
        Path(name).write_bytes(signals.pack(random.integers(0, 4096, 64), "raw12"))
    Path("cat.raw12").write_bytes(signals.pack(random.integers(0, 4096, 512 * 4), "raw12"))
    Path("take.pcm").write_bytes(random.bytes(600))
    Path("drive.log").write_text("(1.5) can0 123#0100000A00000000\n", encoding="utf-8")
    Path("radio.cs16").write_bytes(random.bytes(4_000))
    Path("taps.txt").write_text("0.25 0.5 0.25\n", encoding="utf-8")
    with wave.open("take.wav", "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(3)
        file.setframerate(48_000)
        file.writeframes(random.bytes(600))
    grey = signals.layout("u8")
    assert not isinstance(grey, str)
    signals.write_picture("cat.png", signals.Picture(random.bytes(64), grey, 8))
    Path("car.dbc").write_text(DBC, encoding="utf-8")
    for name, text in zip(
        ("loudness", "bin", "channel"), fenced("packed.md", "scheme"), strict=True
    ):
        Path(f"{name}.scm").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def python_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are NumPy, programs residual Python, which are made sooner than C."""
    residualmover.use(monkeypatch, Slices)
    monkeypatch.setattr(kernels, "executable", lambda residual: residual.to_python())


@pytest.mark.usefixtures("python_kernels", "place")
def test_the_python_of_the_page_on_packed_samples() -> None:
    for module in ("PIL", "can", "cantools"):
        pytest.importorskip(module)
    frames = np.zeros((5, 8), np.uint8)
    frames[:, 0], frames[:, 2] = [0, 1, 2, 3, 4], 10
    names: dict[str, Any] = {
        "np": np, "frames": frames, "ids": np.full(5, 291), "gears": [1, 2], "speeds": [2.56, 25.6],
        "frame_bytes": bytes(2944 * 3), "radio": bytes(12), "video_frame": bytes(640 * 720),
        "raw_frame": bytes(976 * 6),
    }  # fmt: skip
    data: dict[str, Any] = {}
    for block in fenced("packed.md", "python"):
        if re.match(r"signals\.(Layout|Group)\(size, ", block):
            continue  # how a class is called
        if "u12s4p4f32<" in block and "records" in block:
            names["data"] = bytes(7 * 9)
        if "loudness" in block:
            names["data"] = bytes(range(200)) * 15
        exec(compile(block, "packed.md", "exec"), names)
        data |= {name: value for name, value in names.items() if not name.startswith("__")}
    assert data["pixels"].dtype == np.uint8
    assert (data["frame"].shape, data["uv"].shape) == ((3, 1919), (240, 320, 2))
    assert (data["level"].dtype, data["iq"].tolist()) == (np.float32, [0j] * 3)
    assert len(data["records"]) == 9
    assert (data["small"].shape, data["small"].dtype) == ((3, 320), np.uint16)
    assert np.fromfile("level.f32", np.float32).shape == (125,)
    assert len(Path("level.u12").read_bytes()) == 188
    assert len(Path("channel.cs12").read_bytes()) == 3 * ((1000 - 65) // 8 + 1)
    assert data["sound"].rate == 48_000
    assert signals.read_sound("take16.wav").layout.dtype == np.int16
    assert signals.read_picture("cat-raw.png").array().shape == (4, 512)
    assert data["values"]["Speed"].tolist() == [25.6] * 5
    assert data["tables"]["EngineData"]["Gear"].tolist() == [1]
    assert data["engine"].choices["Gear"] == {0: "neutral", 1: "first"}
    assert data["frames"].tolist()[1][:3] == [2, 0, 10]


@pytest.mark.usefixtures("python_kernels", "place")
def test_the_commands_of_the_page_on_packed_samples(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    (block,) = fenced("packed.md", "sh")
    printed = {}
    for line in block.splitlines():
        source, piped, command = line.rpartition(" | ")
        command, _, target = command.partition(" > ")
        given = Path(source.removeprefix("cat ")).read_bytes() if piped else b""
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(given)))
        word, *arguments = shlex.split(command)
        assert (word, main(arguments)) == ("cogen", 0)
        printed[arguments[1]] = out = capsysbinary.readouterr().out
        if target:
            Path(target).write_bytes(out)
    pixels = np.fromfile("pixels.u16", "<u2")
    assert len(pixels) == 64
    assert signals.unpack(Path("photo.big").read_bytes(), "u12", 64).tolist() == pixels.tolist()
    assert len(Path("take16.pcm").read_bytes()) == 400
    assert int(printed["run"]) > 0


# -- signals.md -----------------------------------------------------------------------------------


@pytest.mark.parametrize("block", fenced("signals.md", "scheme"))
def test_the_programs_of_the_page_on_signals(block: str) -> None:
    head = "" if "(import" in block else "(import (signals))\n"
    assert cogen.loads(head + block).own_globals


def test_the_command_of_the_page_on_signals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sum.scm").write_text(fenced("signals.md", "scheme")[0], encoding="utf-8")
    (command,) = re.findall(r"^cogen .*$", page("signals.md"), re.M)
    assert main(shlex.split(command)[1:]) == 0
    assert capsys.readouterr().out.count("load-word") == 3


# -- native.md ------------------------------------------------------------------------------------


@pytest.mark.skipif(not HAS_COMPILER, reason="there is no C compiler")
def test_the_session_of_the_page_on_native_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(ROOT / "examples" / "power.scm", tmp_path)
    monkeypatch.chdir(tmp_path)
    (block,) = fenced("native.md", "console")
    for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
        word, *arguments = shlex.split(command)
        if word == "cogen":
            assert (main(arguments), shown) == (0, "")
        else:
            done = subprocess.run([word, *arguments], capture_output=True, text=True, check=True)
            assert done.stdout == shown


# -- l0.md ----------------------------------------------------------------------------------------


def test_the_session_of_the_page_on_l0(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("lark")
    monkeypatch.chdir(tmp_path)
    blocks = indented("l0.md")
    Path("prices.l0").write_text(blocks[0].partition("$ ")[0], encoding="utf-8")
    commands = 0
    for block in blocks:
        for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
            if "--target c" in command and not HAS_COMPILER:
                continue
            if "opencl" in command:
                pytest.importorskip("pyopencl")
            word, *arguments = shlex.split(command)
            assert (word, main(arguments)) == ("cogen", 0)
            out = capsys.readouterr().out
            if "run" in arguments and not shown:
                shown = "[1.666667, 0.666667, -2.333333]\n"
            assert out == shown
            commands += 1
    assert commands >= 3


def test_the_python_of_the_page_on_l0(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("lark")
    monkeypatch.chdir(tmp_path)
    blocks = indented("l0.md")
    Path("prices.l0").write_text(blocks[0].partition("$ ")[0], encoding="utf-8")
    (block,) = [block for block in blocks if block.startswith("import cogen")]
    names: dict[str, Any] = {"numpy_array": np.array([1.0, 2.0, 3.0, 6.0])}
    if not HAS_COMPILER:
        block = "\n".join(line for line in block.splitlines() if "kept" not in line)
    exec(compile(block, "l0.md", "exec"), names)
    assert isinstance(names["cogen"], types.ModuleType)
    assert names["program"].run_text("[1.0, 2.0] 1.5") == "[0.000000]"
    if HAS_COMPILER:
        assert np.allclose(names["kept"](names["numpy_array"], 1.5), [5 / 3, 2 / 3, -7 / 3])


def test_libraries_page() -> None:
    (program,) = fenced("libraries.md", "scheme")
    output = StringIO()
    Interpreter(cogen.loads(program), output=output).run()
    assert f"It writes `{output.getvalue()}`." in page("libraries.md")


def test_libraries_page_names_every_library() -> None:
    named = set(re.findall(r"`\(srfi (\d+)\)`", page("libraries.md")))
    assert named == {path.stem for path in srfis()}
