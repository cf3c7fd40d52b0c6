"""The build cache: shared objects by the hash of all that makes them what they are.

    <directory>/<key>.so      the object
    <directory>/<key>.sum     the hash of the object's bytes; written last
    <directory>/lock-<xx>     held while a key that starts with xx is built

The directory is private to the user: COGEN_CACHE_DIR, or `cogen` in the user's cache
directory.  Objects appear by an atomic rename, so that a reader sees all of one or nothing;
an entry whose bytes do not have the hash is built again.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Sequence
from pathlib import Path

from platformdirs import user_cache_path

from cogen.target import toolchain
from lang.errors import CogenError

FORMAT = "1"
"""Changes when entries of older versions must not be used."""

HINT = "set COGEN_CACHE_DIR to a directory that only you can write to"


def cache_directory() -> Path:
    """The directory, made if need be, with mode 0700.

    CogenError if it cannot be made or written to, or belongs to someone else.
    """
    named = os.environ.get("COGEN_CACHE_DIR")
    path = Path(named).absolute() if named else user_cache_path("cogen", appauthor=False)
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        status = path.stat()
        if hasattr(os, "getuid") and status.st_uid != os.getuid():
            raise CogenError(f"the build cache {path} belongs to another user", hint=HINT)
        if stat.S_IMODE(status.st_mode) & 0o077:
            path.chmod(0o700)
    except OSError as error:
        raise CogenError(
            f"the build cache {path} cannot be used: {error.strerror}", hint=HINT
        ) from None
    return path


def shared_object(text: str, options: Sequence[str] = ()) -> Path:
    """The file of the text compiled with further options, from the cache or built now."""
    compiler = toolchain.find_compiler()
    parts = (FORMAT, compiler.fingerprint(options), text)
    key = hashlib.sha256("\0\0".join(parts).encode()).hexdigest()
    directory = cache_directory()
    path = directory / f"{key}.so"
    if is_intact(path):
        return path
    from filelock import FileLock

    try:
        with FileLock(directory / f"lock-{key[:2]}"):
            if not is_intact(path):
                _build(text, path, compiler, options)
    except OSError as error:
        raise CogenError(
            f"the build cache {directory} cannot be written: {error.strerror}", hint=HINT
        ) from None
    return path


def is_intact(path: Path) -> bool:
    """Whether the object is there as it was built."""
    try:
        expected = path.with_suffix(".sum").read_text()
        return hashlib.sha256(path.read_bytes()).hexdigest() == expected
    except (OSError, UnicodeDecodeError):
        return False


def _build(text: str, path: Path, compiler: toolchain.Compiler, options: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory(prefix="build-", dir=path.parent) as place:
        made = Path(place) / "made.so"
        toolchain.compile_shared(text, made, compiler, options)
        digest = Path(place) / "made.sum"
        digest.write_text(hashlib.sha256(made.read_bytes()).hexdigest())
        made.chmod(0o700)
        os.replace(made, path)
        os.replace(digest, path.with_suffix(".sum"))
