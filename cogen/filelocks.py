"""Locks that processes, and threads, hold on files; the system takes them back when a process ends.

    with held(path, patience) as lock:       lock is None if another has held it for so long
    lock = acquire(path, patience), release(lock)

They are those of `flock`.  A file that was made for a lock stays: others may wait at it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

PAUSE: Final = 0.05
"""Seconds from one try to the next."""

_TAKEN: Final = frozenset({errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES})


def acquire(path: Path, patience: float) -> int | None:
    """The lock on a file, which is made if it is not there; None if it is another's for as many
    seconds.  OSError where files cannot be locked."""
    ends = time.monotonic() + patience
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        while not _is_taken_now(descriptor):
            if time.monotonic() >= ends:
                os.close(descriptor)
                return None
            time.sleep(PAUSE)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _is_taken_now(descriptor: int) -> bool:
    """Try to lock an open file."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _TAKEN:
            return False
        raise
    return True


def release(lock: int | None) -> None:
    """Give a lock back, if it is one."""
    if lock is not None:
        fcntl.flock(lock, fcntl.LOCK_UN)
        os.close(lock)


@contextmanager
def held(path: Path, patience: float) -> Iterator[int | None]:
    """Hold a lock, if it can be had in so many seconds."""
    lock = acquire(path, patience)
    try:
        yield lock
    finally:
        release(lock)
