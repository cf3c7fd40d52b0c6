"""The commands `cogen array check` and `cogen array run`."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from cogen.array.loops import tree
from cogen.array.loops.read import read
from cogen.array.loops.show import show
from cogen.array.loops.tree import Kernel
from cogen.cli import main
from tests.cogen.array.targets import need_device

pytestmark = pytest.mark.quick

SUM = "fun int main([int] a, int n) = reduce(op +, n, a)\nfun real half(real x) = x / 2.0\n"


class Input:
    """A standard input with bytes, as `sys.stdin` has them."""

    def __init__(self, text: str) -> None:
        self.buffer = io.BytesIO(text.encode())


@pytest.fixture
def sums(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("sums.l0").write_text(SUM, encoding="utf-8")
    return "sums.l0"


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit status, standard output, standard error of a command."""
    capfd.readouterr()
    status = main(["array", *arguments])
    out, err = capfd.readouterr()
    return status, out, err


def test_check_is_silent(sums: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(capfd, "check", sums) == (0, "", "")


def test_check_reports_a_mistake(sums: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path("wrong.l0").write_text("fun int main() = 1 +\n  2.0\n", encoding="utf-8")
    status, out, err = run(capfd, "check", "wrong.l0")
    assert (status, out) == (1, "")
    assert err.startswith("wrong.l0:1:18: error: `+` takes int and int or real and real")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("[1, 2, 3]", "-5"), "1\n"),
        (("[1,", "2,", "3]", "-5"), "1\n"),
        (("[]", "7", "--target", "interp"), "7\n"),
        (("[1, 2] 3",), "6\n"),
        (("--entry", "half", "-1.5"), "-0.750000\n"),
        (("--entry", "half", "-inf"), "-inf\n"),
        (("--entry=half", "--", "-3.0"), "-1.500000\n"),
    ],
)
def test_run(
    sums: str, capfd: pytest.CaptureFixture[str], arguments: tuple[str, ...], expected: str
) -> None:
    assert run(capfd, "run", sums, *arguments) == (0, expected, "")


def test_values_come_from_standard_input(
    sums: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Input("[1,\n 2] // some\n 4\n"))
    assert run(capfd, "run", sums) == (0, "7\n", "")
    monkeypatch.setattr(sys, "stdin", Input("[1] 2 3"))
    status, out, err = run(capfd, "run", sums)
    assert (status, out) == (1, "")
    assert err.startswith("<stdin>:1:7: error: too many values: 2 values would do\n")


def test_the_program_may_come_from_standard_input(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Input("fun int main(int x) = x + 1"))
    assert run(capfd, "run", "-", "4") == (0, "5\n", "")


def test_wrong_values(sums: str, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capfd, "run", sums, "[1]", "2.0")
    assert (status, out) == (1, "")
    assert err.startswith("<values>:2:1: error: expected an int, but found `2.0`\n")


def test_a_run_time_error(sums: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path("index.l0").write_text("fun int main([int] a) =\n  trace(a[0]) + a[1]\n", encoding="utf-8")
    status, out, err = run(capfd, "run", "index.l0", "[7]")
    assert (status, out) == (1, "")
    assert err.startswith("7\nindex.l0:2:17: error: the index [1] is out of bounds")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--entry", "haf", "1.0"), "error: sums.l0 does not define the function `haf`"),
        (("--nope", "1.0"), "No such option"),
        (("--target", "gpu", "1.0"), "Invalid value for '--target'"),
    ],
)
def test_wrong_usage(
    sums: str, capfd: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    status, out, err = run(capfd, "run", sums, *arguments)
    assert (status, out) == (2, "")
    assert message in err


@pytest.mark.parametrize("command", ["run", "compile", "fuse-report", "graph"])
def test_a_program_without_functions(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], command: str
) -> None:
    file = tmp_path / "empty.l0"
    file.write_text("// Nothing yet.\n")
    status, out, err = run(capfd, command, str(file))
    assert (status, out) == (2, "")
    assert err.startswith(f"error: {file} does not define the function `main`\n")


def test_a_missing_file(capfd: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capfd, "check", "nowhere.l0")
    assert (status, out) == (2, "")
    assert "nowhere.l0" in err


@pytest.mark.slow
def test_without_lark(sums: str) -> None:
    code = (
        "import sys; sys.modules['lark'] = None; from cogen.cli import main; "
        f"sys.exit(main(['array', 'check', {sums!r}]))"
    )
    root = Path(__file__).parent.parent.parent.parent
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(root), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        "error: programs in L0 need the package lark, which is not installed",
        "hint: pip install 'cogen-specializer[array]', or pip install lark",
    ]


def test_the_command_line_starts_without_the_array_half() -> None:
    code = "import sys, cogen.cli; sys.exit('cogen.array' in sys.modules or 'lark' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=False)
    assert done.returncode == 0


@pytest.mark.slow
def test_cogen_array_is_there_when_asked_for() -> None:
    code = "import cogen; print(cogen.array.loads('fun int main() = 42').run())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "42\n"


TARGETS = ["interp", "c", "opencl"]


@pytest.fixture
def prices(tmp_path: Path) -> str:
    path = tmp_path / "prices.l0"
    path.write_text("""\
fun [real] main([real] a, int i) =
  let x = trace(a[i]) in
  map(op /(x), a)
""")
    return str(path)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_targets_behave_alike(capfd: pytest.CaptureFixture[str], prices: str, target: str) -> None:
    need_device(target)
    status, out, err = run(capfd, "run", prices, "--target", target, "[1.0, 4.0, 0.0]", "1")
    assert (status, out, err) == (0, "[4.000000, 1.000000, inf]\n", "4.000000\n")
    status, out, err = run(capfd, "run", prices, "--target", target, "empty(real)", "1")
    assert (status, out) == (1, "")
    assert f"{prices}:2:17: error: the index [1] is out of bounds of an array of size 0" in err
    status, out, err = run(capfd, "run", prices, "--target", target, "[1.0]", "1.0")
    assert (status, out) == (1, "")
    assert "<values>:2:1: error: expected an int" in err


@pytest.mark.parametrize(("target", "word"), [("c", "cogen_run"), ("opencl", "__kernel void")])
def test_compile_prints_the_text(
    capfd: pytest.CaptureFixture[str], prices: str, tmp_path: Path, target: str, word: str
) -> None:
    status, out, err = run(capfd, "compile", prices, "--target", target)
    assert (status, err) == (0, "")
    assert word in out
    path = tmp_path / "out.txt"
    assert run(capfd, "compile", prices, "--target", target, "-o", str(path)) == (0, "", "")
    assert path.read_text() == out


@pytest.mark.parametrize(("target", "kind"), [("c", tree.Function), ("opencl", Kernel)])
def test_compile_prints_loops(
    capfd: pytest.CaptureFixture[str], prices: str, target: str, kind: type
) -> None:
    status, out, err = run(capfd, "compile", prices, "--target", target, "--loops")
    assert (status, err) == (0, "")
    found = read(out)
    assert all(isinstance(part, kind) for part in found)
    assert show(found) == out


def test_compile_refuses_what_is_wrong(
    capfd: pytest.CaptureFixture[str], prices: str, tmp_path: Path
) -> None:
    path = tmp_path / "out.c"
    status, out, err = run(capfd, "compile", prices, "--entry", "man", "-o", str(path))
    assert (status, out) == (2, "")
    assert "did you mean `main`?" in err
    bad = tmp_path / "bad.l0"
    bad.write_text("fun int main() = 1.0\n")
    status, out, err = run(capfd, "compile", str(bad), "-o", str(path))
    assert (status, out) == (1, "")
    assert not path.exists()
    assert run(capfd, "compile", prices, "--target", "cuda")[0] == 2
