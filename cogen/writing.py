"""Files that appear whole or not at all, and streams whose failures say what failed."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from cogen.endings import ended_by_signals, wait_for_bytes
from cogen.lang.errors import CogenError


class StreamError(CogenError):
    """A stream that cannot be read or written."""

    def before(self) -> CogenError | None:
        """The error that the program was about to tell when the stream failed, if there is one."""
        earlier = self.__context__
        while earlier is not None and (
            isinstance(earlier, StreamError) or not isinstance(earlier, CogenError)
        ):
            earlier = earlier.__context__
        return earlier


class GuardedFile(io.FileIO):
    """A file that raises StreamError, with what it is called, if it cannot be read or written.

    A pipe that nobody reads from raises BrokenPipeError as ever."""

    def __init__(self, file: str | int, mode: str, shown: str, closefd: bool = True) -> None:
        super().__init__(file, mode, closefd)
        self.shown = shown
        self._waits = self.readable() and not stat.S_ISREG(os.fstat(self.fileno()).st_mode)

    def write(self, data: Any) -> int:
        with self._told("write"):
            return super().write(data)

    def readinto(self, buffer: Any) -> int:
        with self._told("read"):
            self._await()
            return super().readinto(buffer)

    def read(self, size: int | None = -1) -> bytes:
        with self._told("read"):
            self._await()
            return super().read(size)

    def readall(self) -> bytes:
        if self._waits:
            return b"".join(iter(lambda: self.read(io.DEFAULT_BUFFER_SIZE), b""))
        with self._told("read"):
            return super().readall()

    def _await(self) -> None:
        """Wait for bytes, until an interrupt at most."""
        if self._waits:
            wait_for_bytes(self.fileno())

    def close(self) -> None:
        with self._told("write"):
            super().close()

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            raise failed(what, self.shown, error) from None


def failed(what: str, shown: str | Path, error: OSError) -> StreamError:
    """The diagnostic of a file that cannot be read or written."""
    return StreamError(f"cannot {what} {shown}: {error.strerror or error}")


@contextmanager
def replaced(path: str | Path, executable: bool = False) -> Iterator[BinaryIO]:
    """A stream to what takes a file's place in one step when the block ends without an error.

    A device or a pipe is written to as it stands.  StreamError if the file cannot be written; then,
    and if the block ends by an error or a signal, nothing is left.
    """
    with replacing(path, executable) as place:
        with _told(path):
            stream = GuardedFile(str(place), "wb", str(path))
        with io.BufferedWriter(stream) as buffered:
            yield buffered


@contextmanager
def replacing(path: str | Path, executable: bool = False) -> Iterator[Path]:
    """The path of a file, with the same suffix, that takes the place of `path` as in `replaced`."""
    with _told(path):
        target = Path(path).resolve()
        in_place = target.exists() and not target.is_file()
    if in_place:
        yield target
        return
    place = target.with_name(f".{target.stem[:50]}.{os.urandom(4).hex()}{target.suffix[:50]}")
    with ended_by_signals():
        try:
            with _told(path):
                os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            yield place
            with _told(path):
                place.chmod(_usual_mode(target) | (0o111 if executable else 0))
                place.replace(target)
        except BaseException:
            with suppress(OSError):
                place.unlink()
            raise


@contextmanager
def _told(path: str | Path) -> Iterator[None]:
    """Let what fails be told of a file that is to be written."""
    try:
        yield
    except OSError as error:
        raise failed("write", path, error) from None
    except (RuntimeError, ValueError) as error:  # a circle of links, a zero byte
        raise CogenError(f"cannot write {path}: {error}") from None


def _usual_mode(target: Path) -> int:
    """The permissions that the file has, or would have been given."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
