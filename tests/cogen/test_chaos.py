"""Processes that compile at once, are killed at it, or find no room: nothing wrong is ever loaded.

`--long` does much more of the same.
"""

from __future__ import annotations

import ctypes
import os
import random
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from cogen import diskstore as store
from cogen.backends.objectcode import cache
from tests.cogen.test_endings import wait_for
from tests.cogen.test_store import left_over

TEXT = "int value(void) { return VALUE; }"
"""What it gives is decided by the flags, which are no part of the text."""

CHILDREN = """
import ctypes, os, random, signal, sys, time
from cogen.backends.objectcode import cache

seed, children, rounds, values, killing = map(int, sys.argv[2:])

def child(draw):
    for _ in range(rounds):
        value = draw.randrange(values)
        os.environ["COGEN_CFLAGS"] = f"-O0 -DVALUE={value}"
        path = cache.shared_object(sys.argv[1])
        if ctypes.CDLL(str(path)).value() != value:
            os._exit(3)

started = []
for number in range(children):
    process = os.fork()
    if process == 0:
        try:
            child(random.Random(seed + number))
            os._exit(0)
        finally:
            os._exit(4)
    started.append(process)
draw = random.Random(seed)
for process in started[: killing]:
    time.sleep(draw.random() * 0.05)
    os.kill(process, signal.SIGKILL)
statuses = [os.waitpid(process, 0)[1] for process in started]
wrong = [status for status in statuses[killing:] if status != 0]
wrong += [status for status in statuses[:killing] if status not in (0, signal.SIGKILL)]
sys.exit(f"statuses {wrong}" if wrong else 0)
"""
"""With the text, a seed, how many processes, rounds of each, values, how many are killed."""


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "store"
    monkeypatch.setenv("COGEN_CACHE_DIR", str(path))
    return path


def children(*numbers: int) -> None:
    """Run the processes; all that are not killed must end well."""
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    words = [sys.executable, "-W", "error", "-c", CHILDREN, TEXT, *map(str, numbers)]
    done = subprocess.run(words, env=environment, capture_output=True, timeout=300, check=False)
    assert done.stderr.decode() == ""
    assert done.returncode == 0


def value_of(value: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """What is loaded for a value."""
    monkeypatch.setenv("COGEN_CFLAGS", f"-O0 -DVALUE={value}")
    found: int = ctypes.CDLL(str(cache.shared_object(TEXT))).value()
    return found


def test_twenty_at_once(
    directory: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = request.config.getoption("--long")
    children(1, 20, 40 if long else 4, 40 if long else 5, 0)
    assert not left_over(directory)
    assert [value_of(i, monkeypatch) for i in range(5)] == list(range(5))
    assert all(store.is_intact(path) for path in directory.glob("*.so"))


def test_killed_while_they_compile(
    directory: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds = 40 if request.config.getoption("--long") else 1
    for seed in range(rounds):
        children(100 * seed, 10, 6, 30, 7)
        assert all(store.is_intact(path) for path in directory.glob("*.so"))
    assert [value_of(i, monkeypatch) for i in range(30)] == list(range(30))
    fresh = iter(range(1000, 2000))

    def is_clean() -> bool:
        """What was left goes when something is built; a compiler may still be at it."""
        number = next(fresh)
        return value_of(number, monkeypatch) == number and not left_over(directory)

    wait_for(is_clean)


def test_damaged_between_runs(
    directory: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(9)
    for seed in range(30 if request.config.getoption("--long") else 1):
        children(seed, 4, 3, 4, 0)
        for path in directory.glob("*.so"):
            data = bytearray(path.read_bytes())
            match draw.randrange(3):
                case 0:
                    path.write_bytes(data[: draw.randrange(len(data))])
                case 1:
                    data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
                    path.write_bytes(data)
    children(77, 4, 3, 4, 0)
    assert not left_over(directory)


def test_no_room(tmp_path: Path) -> None:
    """No file may be longer than a few bytes, as on a full disk: a diagnostic, and nothing left."""
    program = (
        "from cogen.backends.objectcode import cache\n"
        "from cogen.lang.errors import CogenError\n"
        "try:\n"
        "    cache.shared_object('int x = 1;')\n"
        "except CogenError as error:\n"
        "    print(error.family, error.message)\n"
    )
    places = {name: tmp_path / name for name in ("store", "temporary")}
    for place in places.values():
        place.mkdir(mode=0o700)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        env={
            **os.environ, "PYTHONPATH": os.getcwd(), "PYTHONDONTWRITEBYTECODE": "1",
            "COGEN_CACHE_DIR": str(places["store"]), "TMPDIR": str(places["temporary"]),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512)),
        check=False,
    )  # fmt: skip
    said = done.stdout.decode()
    assert said.startswith(f"error cannot write to {places['temporary']}")
    assert said.endswith(": File too large\n")
    assert not left_over(places["store"])
    assert not os.listdir(places["temporary"])


@pytest.mark.skipif(os.getuid() == 0, reason="root may write to what is read-only")
def test_a_read_only_place(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert value_of(1, monkeypatch) == 1
    directory.chmod(0o500)
    try:
        assert value_of(1, monkeypatch) == 1
        with pytest.warns(store.CogenWarning, match="Permission denied"):
            assert value_of(2, monkeypatch) == 2
    finally:
        directory.chmod(0o700)
        store._replaced.clear()
