"""C text -> an executable or a library, by way of the build cache (`cogen.target.cache`).

The run time is compiled once for each compiler, to one object; a program is compiled with its
headers and linked with it.  Executables need nothing but the C library.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shlex
import subprocess
import tempfile
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from filelock import FileLock

from cogen.native.unicode import tables
from cogen.target.cache import HINT, cache_directory, is_intact
from cogen.target.toolchain import INSTALL_HINT, Compiler, find_compiler
from lang.errors import CogenError, InternalError

RUNTIME = Path(__file__).with_name("runtime")

FLAGS = (
    "-O2", "-std=gnu11", "-w", "-fno-strict-aliasing", "-fwrapv", "-ffp-contract=off",
    "-fomit-frame-pointer", "-foptimize-sibling-calls", "-falign-functions=16",
    "-fno-stack-protector", "-fno-tree-slp-vectorize",
    "-fno-move-loop-invariants",
)  # fmt: skip
"""Calls in C are jumps: the compiler must turn tail calls into them, which GCC and Clang do at
-O2 for functions whose arguments are in registers.  Code addresses are aligned (values.h)."""

PROGRAM_FLAGS = ("-mno-red-zone",) if platform.machine() in ("x86_64", "AMD64") else ()
"""Programs call the run time from inline assembly (inline.h), which GCC takes for no call."""

FORMAT = "1"
"""Changes when entries of older versions must not be used."""

MAX_OUTPUT = 4000
"""The longest part of a compiler's output that an error shows, in characters."""


def executable(text: str) -> Path:
    """The executable of a program's C text, from the cache or built now.

    CogenError if there is no C compiler or the cache cannot be used; InternalError, with its
    output, if the compiler refuses the text.
    """
    return _program(text, ".exe", ("-fno-pie",), ("-no-pie",), "library.c")


def shared_object(text: str) -> Path:
    """The same as a library with the function `cogen_call` (runtime/library.c)."""
    return _program(text, ".lib", ("-fPIC", "-fvisibility=hidden"), ("-shared",), "main.c")


def _program(
    text: str, suffix: str, flags: tuple[str, ...], linking: tuple[str, ...], without: str
) -> Path:
    """A program's file; `without` names the file of the run time that is not for it."""
    compiler = find_compiler()
    runtime = _runtime(compiler, flags, without)

    def link(made: Path) -> None:
        source = made.with_name("program.c")
        source.write_text(text, encoding="utf-8")
        files = ["-o", str(made), str(source), str(runtime), "-lm"]
        arguments = [*PROGRAM_FLAGS, *flags, f"-I{RUNTIME}", *linking, *files]
        _compile(compiler, arguments, made.parent)

    return _cached(_key(compiler, runtime.name, text), suffix, link)


def _runtime(compiler: Compiler, flags: tuple[str, ...], without: str) -> Path:
    """The object of the run time."""

    def build(made: Path) -> None:
        place = made.parent
        (place / "tables.c").write_text(tables(), encoding="utf-8")
        own = [path for path in sorted(RUNTIME.glob("*.c")) if path.name != without]
        sources = [str(path) for path in (*own, place / "tables.c")]
        _compile(compiler, [*flags, f"-I{RUNTIME}", "-c", *sources], place)
        objects = [str(path) for path in sorted(place.glob("*.o"))]
        _compile(compiler, ["-r", "-nostdlib", "-o", str(made), *objects], place)

    key = _key(compiler, *flags, without, unicodedata.unidata_version, *_runtime_texts())
    return _cached(key, ".o", build)


@cache
def _runtime_texts() -> tuple[str, ...]:
    return tuple(path.read_text(encoding="utf-8") for path in sorted(RUNTIME.glob("*.[ch]")))


def _compile(compiler: Compiler, arguments: Sequence[str], place: Path) -> None:
    try:
        done = subprocess.run(
            [*compiler.command, *FLAGS, *_extra_flags(), *arguments],
            cwd=place,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
    except OSError as error:
        raise CogenError(
            f"the C compiler {compiler.command[0]} does not start: {error.strerror}",
            hint=INSTALL_HINT,
        ) from None
    if done.returncode != 0:
        shown = done.stdout.decode(errors="replace").strip()[:MAX_OUTPUT]
        raise InternalError(
            f"the C compiler {' '.join(compiler.command)} failed (status {done.returncode}):\n"
            f"{shown}",
            hint="if COGEN_CFLAGS or CC is set, try without; else please report this",
        )


def _extra_flags() -> list[str]:
    try:
        return shlex.split(os.environ.get("COGEN_CFLAGS", ""))
    except ValueError as error:
        message = f"the environment variable COGEN_CFLAGS is malformed: {error}"
        raise CogenError(message) from None


def _key(compiler: Compiler, *parts: str) -> str:
    identity = (FORMAT, *compiler.command, compiler.identity, *FLAGS, *_extra_flags(), *parts)
    return hashlib.sha256("\0\0".join(identity).encode()).hexdigest()


def _cached(key: str, suffix: str, build: Callable[[Path], None]) -> Path:
    """The file of a key, which `build` makes at the path that it is given."""
    directory = cache_directory()
    path = directory / f"{key}{suffix}"
    if is_intact(path):
        return path
    try:
        with FileLock(directory / f"lock-{key[:2]}"):
            if not is_intact(path):
                _build(path, build)
    except OSError as error:
        raise CogenError(
            f"the build cache {directory} cannot be written: {error.strerror}", hint=HINT
        ) from None
    return path


def _build(path: Path, build: Callable[[Path], None]) -> None:
    with tempfile.TemporaryDirectory(prefix="build-", dir=path.parent) as place:
        made = Path(place) / "made"
        build(made)
        digest = Path(place) / "made.sum"
        digest.write_text(hashlib.sha256(made.read_bytes()).hexdigest())
        made.chmod(0o700)
        os.replace(made, path)
        os.replace(digest, path.with_suffix(".sum"))
