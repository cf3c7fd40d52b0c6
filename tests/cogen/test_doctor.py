"""`cogen doctor`: what works here, and what to do about the rest."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

import cogen
from cogen import diskstore as store
from cogen import doctor
from cogen.array.opencl import device
from cogen.backends.objectcode import toolchain
from cogen.cli import main
from cogen.lang.errors import CogenError

ROOT = Path(__file__).parents[2]
KEYS = {
    "version",
    "python",
    "compiler",
    "compiler_package",
    "flags",
    "cache",
    "opencl",
    "extras",
    "problems",
}

needs_compiler = pytest.mark.skipif(
    not any(map(shutil.which, toolchain.CANDIDATES)), reason="there is no C compiler"
)


@pytest.fixture(autouse=True)
def no_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Devices are not tried, which takes long."""
    monkeypatch.setattr(device, "names", lambda: ["a device"])


def examined(capsys: pytest.CaptureFixture[str], status: int) -> dict[str, Any]:
    """The data that the command prints."""
    assert main(["doctor", "--json"]) == status
    done = capsys.readouterr()
    assert done.err == ""
    found: dict[str, Any] = json.loads(done.out)
    assert set(found) == KEYS
    for problem in found["problems"]:
        assert problem["problem"]
        assert problem["remedy"]
    return found


@needs_compiler
def test_what_works(capsys: pytest.CaptureFixture[str]) -> None:
    found = examined(capsys, 0)
    assert found["version"] == cogen.__version__
    assert Path(found["compiler"]).is_file()
    assert "-std=c11" in found["flags"]
    assert found["cache"] == str(store.current().directory)
    assert found["opencl"] == ["a device"]
    assert found["extras"]["pillow"]
    assert found["problems"] == []
    assert not [*Path(found["cache"]).glob("doctor-*")]


@needs_compiler
def test_the_table(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(
        doctor, "version", lambda package: "1.2" if package == "lark" else missing()
    )
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    rows = {
        line.split("│")[1].strip(): line.split("│")[2].strip() for line in out.splitlines()[2:-2]
    }
    assert rows["native code"] == "works"
    assert rows["lark"] == "1.2"
    assert rows["prompt_toolkit"] == "not installed: pip install 'cogen-specializer[repl]'"
    assert out.endswith("no problems\n")


def missing() -> str:
    raise doctor.PackageNotFoundError


@pytest.mark.parametrize(
    ("variable", "value", "problem"),
    [
        ("CC", "no-such-compiler", "there is no C compiler `no-such-compiler`, which CC names"),
        ("CC", "false", "the C compiler"),
        ("COGEN_CFLAGS", '"', "the environment variable COGEN_CFLAGS is malformed"),
    ],
)
def test_no_native_code(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    value: str,
    problem: str,
) -> None:
    if variable == "COGEN_CFLAGS" and not any(map(shutil.which, toolchain.CANDIDATES)):
        monkeypatch.setenv("CC", "true")
    monkeypatch.setenv(variable, value)
    found = examined(capsys, 1)
    assert found["problems"][0]["problem"].startswith(problem)
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "cannot be made" in out
    assert f"problem: {problem}" in out
    assert "what to do: " in out


@needs_compiler
@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("__builtin_trap(); return x;", "compiled code is ended by signal"),
        ("return x;", "compiled code gives wrong results"),
        ("extern long nowhere(long); return nowhere(x);", "compiled code does not load: "),
    ],
)
def test_code_that_does_not_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, body: str, problem: str
) -> None:
    monkeypatch.setattr(doctor, "_TRIAL", f"long cogen_trial(long x) {{ {body} }}\n")
    found = examined(capsys, 1)
    assert found["problems"][0]["problem"].startswith(problem)


@needs_compiler
def test_a_cache_that_cannot_be_used(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place = tmp_path / "open"
    place.mkdir()
    place.chmod(0o777)
    monkeypatch.setenv("COGEN_CACHE_DIR", str(place))
    found = examined(capsys, 0)
    assert found["problems"] == [
        {
            "problem": f"the cache {place} is not used (others can write to it): what is compiled "
            "is kept until the program ends only",
            "remedy": store.HINT,
        }
    ]
    assert found["cache"] != str(place)


@needs_compiler
def test_a_package_without_a_device(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyopencl")

    def no_device() -> None:
        raise CogenError("there is no OpenCL device", hint=device.INSTALL)

    monkeypatch.setattr(device, "names", list)
    monkeypatch.setattr(device, "device", no_device)
    found = examined(capsys, 0)
    assert found["opencl"] == []
    assert found["problems"] == [{"problem": "there is no OpenCL device", "remedy": device.INSTALL}]


def test_the_extras_are_those_of_the_distribution() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {
        extra: tuple(requirement.partition(">")[0] for requirement in requirements)
        for extra, requirements in project["optional-dependencies"].items()
        if extra not in ("dev", "bench", "docs")
    }
    assert declared == doctor.EXTRAS
