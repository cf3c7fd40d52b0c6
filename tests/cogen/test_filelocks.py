"""Locks on files: one at a time, threads and processes alike, and none is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from cogen.filelocks import acquire, held, release

pytestmark = pytest.mark.quick


def test_one_has_it_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with held(path, 0) as first:
        assert first is not None
        assert acquire(path, 0) is None
        with held(path, 0.1) as second:
            assert second is None
    again = acquire(path, 0)
    assert again is not None
    release(again)
    assert path.stat().st_mode & 0o777 == 0o600


def test_threads_wait_for_one_another(tmp_path: Path) -> None:
    inside, most = 0, 0

    def work() -> None:
        nonlocal inside, most
        with held(tmp_path / "lock", 30) as lock:
            assert lock is not None
            inside += 1
            most = max(most, inside)
            time.sleep(0.01)
            inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (inside, most) == (0, 1)


def test_it_is_given_back_when_something_fails(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no"), held(tmp_path / "lock", 0):
        raise ValueError("no")
    with held(tmp_path / "lock", 0) as lock:
        assert lock is not None


def test_a_process_that_is_killed_leaves_none(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    text = "import sys, time; from cogen.filelocks import acquire; from pathlib import Path\n"
    text += "acquire(Path(sys.argv[1]), 0); print('has', flush=True); time.sleep(60)"
    root = str(Path(__file__).parents[2])
    child = subprocess.Popen(
        [sys.executable, "-c", text, str(path)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": root},
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"has\n"
    assert acquire(path, 0) is None
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    with held(path, 5) as lock:
        assert lock is not None


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="lock"):
        acquire(tmp_path / "lock", 0)
    assert not (tmp_path / "elsewhere").exists()
