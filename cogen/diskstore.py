"""The store: what is kept on disk from one run to the next, by the hash of what it was made of.

    get(kind, *parts) -> the bytes of an entry, or None
    put(kind, *parts, content=bytes)
    file(kind, *parts, make=write it) -> the path of an entry, found or made now
    contents(path) -> the bytes of an entry that `file` gave

`kind` says what it is (`so`, `exe`, `code`, ...), `parts` are all the texts that decide what its
bytes are.  Everything that is cached goes through here.

    <directory>/<hash of kind and parts>.<kind>   the bytes, and a hash of the name and them
    <directory>/build-<xx>-<random>/              where an entry <xx>... is being made
    <directory>/lock-<xx>                         held meanwhile

Note [Trust]: what is loaded runs, so only our own files are.  The directory (COGEN_CACHE_DIR, or
`cogen` in the user's cache directory) must belong to the user, who alone may write to it, and
nobody else may be able to put another in its place.  An entry must be a plain file of the user,
not writable by others, with the hash that belongs to its name: an older file under a newer name
is none, nor is one with a flipped bit.  Between that check and the loading only the user's own
programs could change it, and they replace an entry by a whole one (a rename) or remove one that
was not used for long.  We never change the mode of a directory that we did not make.

Note [Instead]: a place that cannot be trusted, made or written to is replaced by a temporary
directory of the process, with one warning.

Note [Killed]: a process that ends while it makes an entry leaves its `build-` directory, but no
lock; the next that makes something removes the directory.  Its compiler may go on for a while: it
writes into a directory that is not there any more, and to no name that is used again.
"""

from __future__ import annotations

import atexit
import errno
import hashlib
import os
import re
import shutil
import stat
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from platformdirs import user_cache_path

from cogen.endings import ended_by_signals
from cogen.lang.errors import CogenError
from cogen.lang.warning import CogenWarning

if TYPE_CHECKING:
    from collections.abc import Iterator

FORMAT: Final = "2"
"""Changes when entries of older versions must not be used."""

HINT: Final = "set COGEN_CACHE_DIR to a directory that only you can write to"

LIMIT: Final = 1 << 30
"""Bytes; what was not used for longest is removed when entries take more."""

RECENT: Final = 24 * 3600.0
"""Seconds; what was used since then is not removed: it may be about to be loaded."""

ROOM: Final = 1 << 26
"""Bytes; a compiler that fails where less is free is taken to have failed for that."""

PATIENCE: Final = 600.0
"""Seconds to wait for another process that makes the same; then it is made twice."""

_MARK: Final = b"\ncogen-store "
_TRAILER: Final = len(_MARK) + 64 + 1
_ENTRY: Final = re.compile(r"[0-9a-f]{64}\.[a-z]+")
_BUILD: Final = re.compile(r"build-([0-9a-f]{2})-.+")


def get(kind: str, *parts: str) -> bytes | None:
    """The bytes of an entry, if it is there and whole."""
    return _read(current().directory / _name(kind, parts))


def put(kind: str, *parts: str, content: bytes) -> None:
    """Keep an entry, if there is any place to keep it."""
    with suppress(CogenError):
        file(kind, *parts, make=lambda made: _write(made, content))


def file(kind: str, *parts: str, make: Callable[[Path], None]) -> Path:
    """The file of an entry; `make` writes it to the path that it is given, alone in a directory.

    What follows the bytes that were written is no part of them (`contents`), and is ignored by
    whoever loads or links such files.  CogenError if nothing can be written anywhere; whatever
    `make` raises.
    """
    name = _name(kind, parts)
    store = current()
    try:
        return store.file(name, make)
    except OSError as error:
        with _changing:
            other = _instead(store.directory, _reason(error))
        if other.directory == store.directory:
            raise _nowhere(store.directory, error) from None
    try:
        return other.file(name, make)
    except OSError as error:
        raise _nowhere(other.directory, error) from None


def contents(path: Path) -> bytes:
    """The bytes of an entry that `file` gave; CogenError if they are not what they were."""
    found = _read(path)
    if found is None:
        raise CogenError(f"{path} was removed or changed by someone else", hint=HINT)
    return found


def is_intact(path: Path) -> bool:
    """Whether the entry is there as it was made."""
    return _read(path) is not None


class DiskStore:
    """The entries of a directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def file(self, name: str, make: Callable[[Path], None]) -> Path:
        """The path of an entry, made if need be.  OSError if it cannot be written."""
        path = self.directory / name
        if not is_intact(path):
            with ended_by_signals(), self._turn(name[:2]):
                if not is_intact(path):
                    self.sweep(name)
                    self._make(path, make)
        with suppress(OSError):
            if path.stat().st_mtime < time.time() - RECENT / 2:
                os.utime(path)
        return path

    @contextmanager
    def _turn(self, start: str) -> Iterator[None]:
        """The time in which nobody else makes entries that start like this.  Who has it decides
        who works, not what is right: an entry appears whole whoever makes it."""
        from filelock import FileLock, Timeout

        lock = FileLock(self.directory / f"lock-{start}", mode=0o600)
        try:
            lock.acquire(timeout=PATIENCE)
        except Timeout:
            yield
            return
        except NotImplementedError as error:
            raise OSError(errno.ENOLCK, str(error)) from None
        try:
            yield
        finally:
            lock.release()

    def _make(self, path: Path, make: Callable[[Path], None]) -> None:
        with tempfile.TemporaryDirectory(
            prefix=f"build-{path.name[:2]}-", dir=self.directory, ignore_cleanup_errors=True
        ) as place:
            made = Path(place) / "made"
            try:
                make(made)
            except CogenError:
                _check_room(Path(place))
                raise
            with made.open("r+b") as stream:
                digest = _digest(path.name, stream.read())
                stream.write(_MARK + digest + b"\n")
            made.chmod(0o700)
            os.replace(made, path)

    def sweep(self, name: str) -> None:
        """Remove what killed processes have left; now and then, what is too much.

        Called in the turn of the entry's first two characters."""
        from filelock import FileLock, Timeout

        names = os.listdir(self.directory)
        for found in filter(None, map(_BUILD.fullmatch, names)):
            left = self.directory / found[0]
            if found[1] == name[:2]:
                shutil.rmtree(left, ignore_errors=True)
                continue
            with suppress(Timeout), FileLock(self.directory / f"lock-{found[1]}", timeout=0):
                shutil.rmtree(left, ignore_errors=True)
        if name.startswith("0"):  # one in sixteen
            self.evict(LIMIT, time.time() - RECENT)

    def evict(self, limit: int, since: float) -> None:
        """Remove entries that were not used since a time, the oldest first, until all take three
        quarters of the limit, if they take more than the limit."""
        entries = []
        for entry in os.scandir(self.directory):
            with suppress(OSError):
                if _ENTRY.fullmatch(entry.name):
                    status = entry.stat(follow_symlinks=False)
                    entries.append((status.st_mtime, status.st_size, entry.path))
        total = sum(size for _, size, _ in entries)
        if total <= limit:
            return
        for used, size, path in sorted(entries):
            if used >= since or total <= limit * 3 // 4:
                return
            with suppress(OSError):
                os.unlink(path)
            total -= size


# Where it is


def current() -> DiskStore:
    """The store of the directory that is set now; a temporary one if that cannot be used."""
    named = os.environ.get("COGEN_CACHE_DIR")
    path = Path(named or user_cache_path("cogen", appauthor=False)).absolute()
    with _changing:
        try:
            resolved = path.resolve()
            if resolved in _replaced:
                return _instead(resolved, "")
            _make_private(resolved)
            problem = distrust(resolved)
        except (OSError, RuntimeError) as error:  # RuntimeError: a circle of links
            resolved, problem = path, _reason(error)
        return DiskStore(resolved) if problem is None else _instead(resolved, problem)


def _make_private(path: Path) -> None:
    """Make a directory, and those above it, for nobody else to write to."""
    if not path.exists():
        _make_private(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)


def distrust(directory: Path) -> str | None:
    """Why others could put files into a directory or in its place; None if they cannot."""
    own = os.getuid()
    status = directory.stat()
    if not stat.S_ISDIR(status.st_mode):
        return "it is no directory"
    if status.st_uid != own:
        return "it belongs to another user"
    if _others_write(status):
        return "others can write to it"
    for above in directory.parents:
        status = above.stat()
        if status.st_uid not in (own, 0):
            return f"others can replace it, for {above} belongs to another user"
        if _others_write(status) and not status.st_mode & stat.S_ISVTX:
            return f"others can replace it, for they can write to {above}"
    return None


def _others_write(status: os.stat_result) -> bool:
    """Whether someone else may write; a group of the user's name that has no other members is
    the user."""
    if not status.st_mode & stat.S_IWGRP:
        return bool(status.st_mode & stat.S_IWOTH)
    import grp
    import pwd

    try:
        group, user = grp.getgrgid(status.st_gid), pwd.getpwuid(os.getuid())
    except KeyError:
        return True
    private = group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}
    return bool(status.st_mode & stat.S_IWOTH) or not private


_changing = threading.RLock()
"""Held while the following is read or changed."""

_replaced: set[Path] = set()
"""Directories that cannot be used."""

_temporary: dict[int, DiskStore] = {}
"""The store that is used instead, by the process that made it."""


def _instead(path: Path, problem: str) -> DiskStore:
    """The temporary store; the first time with a warning.  See Note [Instead]."""
    found = _temporary.get(os.getpid())
    if found is not None and found.directory == path:
        return found
    if found is None:
        found = _temporary[os.getpid()] = _make_temporary()
    if path not in _replaced:
        _replaced.add(path)
        warnings.warn(
            f"the cache {path} is not used ({problem}): what is compiled is kept until the "
            f"program ends only; {HINT}",
            CogenWarning,
            stacklevel=2,
        )
    return found


def _make_temporary() -> DiskStore:
    """A store that is removed when the process ends, or by the next if the process is killed."""
    from filelock import FileLock, Timeout

    folder = Path(tempfile.gettempdir()).resolve()
    prefix = f"cogen-store-{os.getuid()}-"
    for left in folder.glob(f"{prefix}*"):
        with suppress(OSError, Timeout):
            if left.lstat().st_uid == os.getuid() and not left.is_symlink():
                with FileLock(left / "lock-live", timeout=0):
                    shutil.rmtree(left, ignore_errors=True)
    directory = folder
    try:
        directory = Path(tempfile.mkdtemp(prefix=prefix, dir=folder))
        lock = FileLock(directory / "lock-live", timeout=PATIENCE)
        lock.acquire()
        problem = distrust(directory)
    except (OSError, Timeout) as error:
        problem = _reason(error)
    if problem is not None:
        raise CogenError(f"no temporary files can be made in {directory}: {problem}", hint=HINT)
    atexit.register(_remove, directory, os.getpid(), lock)
    return DiskStore(directory)


def _remove(directory: Path, process: int, lock: object) -> None:
    """Remove the temporary store, whose lock is kept so long; a forked process leaves it."""
    if os.getpid() == process:
        shutil.rmtree(directory, ignore_errors=True)
    del lock


# Entries


def _name(kind: str, parts: tuple[str, ...]) -> str:
    hashed = hashlib.sha256(f"{FORMAT} {kind}".encode())
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        hashed.update(b"%d " % len(data))
        hashed.update(data)
    return f"{hashed.hexdigest()}.{kind}"


def _digest(name: str, content: bytes) -> bytes:
    hashed = hashlib.sha256(name.encode())
    hashed.update(content)
    return hashed.hexdigest().encode()


def _read(path: Path) -> bytes | None:
    """The bytes of an entry, if it is there, ours and whole; see Note [Trust]."""
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        with open(os.open(path, flags), "rb") as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_uid != os.getuid():
                return None
            if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                return None
            whole = stream.read()
    except OSError:
        return None
    content, trailer = whole[:-_TRAILER], whole[-_TRAILER:]
    return content if trailer == _MARK + _digest(path.name, content) + b"\n" else None


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _check_room(place: Path) -> None:
    """OSError if the disk is full."""
    with (place / "room").open("wb") as stream:
        stream.write(bytes(1 << 16))
    free = os.statvfs(place)
    if free.f_bavail * free.f_frsize < ROOM:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _nowhere(directory: Path, error: OSError) -> CogenError:
    return CogenError(f"cannot write to {directory}: {_reason(error)}", hint=HINT)
