"""Full disks, closed pipes and signals: what is said, and what is left."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from cogen.endings import ended_by_signals, wait_for_bytes
from cogen.lang.errors import CogenError
from cogen.writing import replaced, replacing

COGEN = [sys.executable, "-c", "import sys; from cogen.cli import main; sys.exit(main())"]
FULL = "error: cannot write standard output: No space left on device\n"
LONG = "(do ((i 0 (+ i 1))) ((= i 30000)) (display i) (newline))"

needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")


def started(words: Sequence[str], **given: Any) -> subprocess.Popen[bytes]:
    """The command, running."""
    environment = {**os.environ, "PYTHONPATH": os.getcwd(), **given.pop("env", {})}
    given.setdefault("stderr", subprocess.PIPE)
    return subprocess.Popen([*COGEN, *words], env=environment, **given)


def ended(process: subprocess.Popen[bytes]) -> tuple[int, str]:
    """Exit status and what was said."""
    said = process.communicate(timeout=60)[1]
    return process.returncode, said.decode()


def wait_for(condition: Callable[[], object]) -> None:
    """Wait until something is so."""
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError("it never was so")


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], str]:
    """`program(text)`: a file with the text."""

    def written(text: str) -> str:
        path = tmp_path / "p.scm"
        path.write_text(text)
        return str(path)

    return written


@needs_full
class TestFullDisks:
    @pytest.mark.parametrize("backend", ["interp", "python", "c"])
    @pytest.mark.parametrize("text", ['(display "x")', LONG])
    def test_programs(self, text: str, backend: str, program: Callable[[str], str]) -> None:
        with open("/dev/full", "wb") as full:
            process = started(["run", program(text), "--backend", backend], stdout=full)
        assert ended(process) == (1, FULL)

    def test_an_error_of_the_program_is_told_too(self, program: Callable[[str], str]) -> None:
        with open("/dev/full", "wb") as full:
            process = started(["run", program("(display 1) (car '())")], stdout=full)
        status, said = ended(process)
        assert status == 1
        assert said.startswith(FULL)
        assert "car" in said

    def test_executables(self, program: Callable[[str], str], tmp_path: Path) -> None:
        """They need no Python to say it, and say what else is wrong, too."""
        made = str(tmp_path / "made")
        assert ended(started(["compile", program("(display 1) (car '())"), "-o", made]))[0] == 0
        with open("/dev/full", "wb") as full:
            done = subprocess.run([made], stdout=full, stderr=subprocess.PIPE, check=False)
        assert done.returncode == 1
        assert done.stderr.decode().startswith(FULL)
        assert "car: " in done.stderr.decode()
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run([made], stdout=writing, stderr=subprocess.PIPE, check=False)
        os.close(writing)
        assert done.returncode != 0
        assert done.stderr == b""

    @pytest.mark.parametrize(
        "words", [["--help"], ["signal", "formats"], ["signal", "unpack", "--layout", "u12", "-"]]
    )
    def test_commands(self, words: list[str]) -> None:
        with open("/dev/full", "wb") as full:
            process = started(words, stdout=full, stdin=subprocess.PIPE)
        said = process.communicate(bytes(99), timeout=60)[1]
        assert (process.returncode, said.decode()) == (1, FULL)

    def test_devices_that_are_named(self, tmp_path: Path) -> None:
        data = tmp_path / "data"
        data.write_bytes(bytes(99))
        words = ["signal", "unpack", "--layout", "u12", str(data), "-o", "/dev/full"]
        status, said = ended(started(words))
        assert (status, said) == (1, "error: cannot write /dev/full: No space left on device\n")

    def test_nobody_hears_of_a_full_standard_error(self) -> None:
        with open("/dev/full", "wb") as full:
            process = started(["run", "no-such-file"], stderr=full)
        assert process.wait(60) == 2


@pytest.mark.parametrize("backend", ["interp", "python", "c"])
def test_closed_pipes_are_no_error(backend: str, program: Callable[[str], str]) -> None:
    process = started(["run", program(LONG), "--backend", backend], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.read(4)
    process.stdout.close()
    process.stdout = None
    assert ended(process) == (1, "")


def test_closed_streams(program: Callable[[str], str]) -> None:
    """`>&-` and `<&-`."""
    path = program("(display 1)")
    process = started(["run", path], preexec_fn=lambda: os.close(1))
    assert ended(process) == (1, "error: cannot write standard output: Bad file descriptor\n")
    process = started(["run", "-"], preexec_fn=lambda: os.close(0))
    assert ended(process) == (1, "error: cannot read standard input: Bad file descriptor\n")
    process = started(["run", "no-such-file"], preexec_fn=lambda: os.close(2))
    assert process.wait(60) == 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_signals_leave_no_part_of_a_file(number: int, tmp_path: Path) -> None:
    output = tmp_path / "out"
    output.write_text("old")
    words = ["signal", "unpack", "--layout", "u12", "-o", str(output)]
    heard = lambda: signal.signal(number, signal.SIG_DFL)  # noqa: E731, under nohup too
    process = started(words, stdin=subprocess.PIPE, preexec_fn=heard)
    assert process.stdin is not None
    process.stdin.write(bytes(1000))
    process.stdin.flush()
    wait_for(lambda: len(os.listdir(tmp_path)) == 2)
    process.send_signal(number)
    status, _ = ended(process)
    assert status == (130 if number == signal.SIGINT else -number)
    assert os.listdir(tmp_path) == ["out"]
    assert output.read_text() == "old"


@pytest.fixture(scope="module")
def early(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What interrupts a process that is about to wait for a pipe."""
    library = tmp_path_factory.mktemp("early") / "early.so"
    text = Path(__file__).with_name("early.c")
    command = ["cc", "-shared", "-fPIC", "-o", library, text, "-ldl"]
    subprocess.run(command, check=True)
    return str(library)


@pytest.mark.parametrize("command", ["stream FILE", "stream -", "unpack FILE", "unpack -"])
def test_an_interrupt_is_not_missed_before_a_read(command: str, early: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    size = 1 << 17
    words = [*command.replace("FILE", str(pipe)).split(), "--layout", "u8", "-o"]
    process = started(
        ["signal", *words, str(tmp_path / "out")],
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={"LD_PRELOAD": early, "EARLY_AFTER": str(size)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # under nohup too
    )
    assert process.stdin is not None
    with open(pipe, "wb") if "FILE" in command else process.stdin as sink:
        sink.write(bytes(size))
        sink.flush()
        try:
            assert process.wait(60) == 130
        finally:
            process.kill()
    assert os.listdir(tmp_path) == ["pipe"]


def test_other_signals_are_waited_through() -> None:
    """One that the program handles, and goes on from."""
    reading, writing = os.pipe()
    heard: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: heard.append(number))
    later = threading.Timer(0.3, os.write, (writing, b"x"))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        later.start()
        wait_for_bytes(reading)
        assert heard == [signal.SIGALRM]
        assert os.read(reading, 1) == b"x"
        assert signal.set_wakeup_fd(-1) == -1
    finally:
        later.join()
        signal.signal(signal.SIGALRM, before)
        os.close(reading)
        os.close(writing)


def test_a_signal_ends_a_compiled_program_too(
    tmp_path: Path, program: Callable[[str], str]
) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    words = ["run", program("(display 1) (newline) (flush-output-port) (let f () (f))")]
    process = started(
        [*words, "--backend", "c"], stdout=subprocess.PIPE, env={"TMPDIR": str(place)}
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"1\n"
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    (child,) = children.read_text().split() if children.exists() else ("",)
    process.send_signal(signal.SIGTERM)
    assert ended(process)[0] == -signal.SIGTERM
    assert not child or not Path(f"/proc/{child}").exists()
    assert not os.listdir(place)


class TestReplaced:
    """What takes the place of a file."""

    def test_permissions(self, tmp_path: Path) -> None:
        path = tmp_path / "x"
        mask = os.umask(0o027)
        try:
            with replaced(path) as stream:
                stream.write(b"1")
            assert stat.S_IMODE(path.stat().st_mode) == 0o640
        finally:
            os.umask(mask)
        path.chmod(0o604)
        with replaced(path, executable=True) as stream:
            stream.write(b"2")
        assert stat.S_IMODE(path.stat().st_mode) == 0o715
        assert path.read_bytes() == b"2"

    def test_an_error_leaves_the_old(self, tmp_path: Path) -> None:
        path = tmp_path / "x"
        path.write_text("old")
        with pytest.raises(ZeroDivisionError), replaced(path) as stream:
            stream.write(b"%d" % (1 // 0))
        assert path.read_text() == "old"
        assert os.listdir(tmp_path) == ["x"]

    def test_links_stay(self, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to("x")
        with replaced(tmp_path / "link") as stream:
            stream.write(b"1")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "x").read_bytes() == b"1"

    def test_long_names(self, tmp_path: Path) -> None:
        path = tmp_path / ("x" * 250 + ".scm")
        with replaced(path) as stream:
            stream.write(b"1")
        assert path.read_bytes() == b"1"

    def test_what_cannot_be(self, tmp_path: Path) -> None:
        (tmp_path / "loop").symlink_to("loop")
        for name in ("no/x", "loop", "a\0b", "y" * 300, "."):
            with pytest.raises(CogenError, match="cannot write "), replaced(tmp_path / name) as s:
                s.write(b"1")
        assert os.listdir(tmp_path) == ["loop"]

    def test_paths_have_the_suffix(self, tmp_path: Path) -> None:
        with replacing(tmp_path / "x.png") as place:
            assert place.suffix == ".png"
            place.write_bytes(b"1")
        assert os.listdir(tmp_path) == ["x.png"]


SWALLOWED = {
    "finalizer": "X()",
    "weak reference": "x = type('Y', (), {})(); r = weakref.ref(x, come); del x",
    "any exception": "\ntry:\n  come()\nexcept BaseException: pass",
    "comparison": "hasattr(Z(), 'attribute')",
}

SWALLOWING = """
import os, signal, sys, time, weakref
from cogen.endings import ended_by_signals
came = 0
def come(*_):
    global came
    came += 1
    if came == 1:
        os.kill(os.getpid(), signal.SIGHUP)
        time.sleep(0)
class X:
    def __del__(self): come()
class Z:
    @property
    def attribute(self):
        try:
            come()
        except BaseException:
            raise AttributeError from None
with ended_by_signals():
    try:
        with ended_by_signals():
            try:
                WHAT
                WAIT
                print("went on")
            finally:
                print("inner left")
    finally:
        print("outer left", flush=True)
"""


@pytest.mark.parametrize("what", SWALLOWED)
@pytest.mark.parametrize("waits", [True, False])
def test_a_signal_whose_exception_is_swallowed_comes_again(what: str, waits: bool) -> None:
    """In the block, as long as that lasts; at its end otherwise."""
    text = SWALLOWING.replace("WHAT", SWALLOWED[what].replace("\n", "\n                "))
    text = text.replace("WAIT", "time.sleep(60)" if waits else "pass")
    heard = lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL)  # noqa: E731, under nohup too
    done = subprocess.run(
        [sys.executable, "-c", text],
        preexec_fn=heard, capture_output=True, text=True, timeout=50, check=False,
    )  # fmt: skip
    assert done.returncode == -signal.SIGHUP, done.stderr
    assert done.stdout.endswith("inner left\nouter left\n")
    assert not (waits and "went on" in done.stdout)


def test_handlers_of_the_program_are_left_alone() -> None:
    usual = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)]
    found: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: found.append(number))
    try:
        with ended_by_signals():
            os.kill(os.getpid(), signal.SIGTERM)
        assert found == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, usual[0])
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)] == usual
