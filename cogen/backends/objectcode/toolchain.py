"""The C compiler: finding it, identifying it, running it.

Environment
    CC             the compiler, with arguments if need be; else cc, gcc or clang from the path, or
                   the one that the package ziglang has (`pip install cogen-specializer[cc]`)
    COGEN_CFLAGS   further arguments, after ours

The compiler is run by an argument list, never by a shell, and reads the text from its
standard input.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from cogen import diskstore as store
from cogen.lang.errors import CogenError, InternalError

CANDIDATES = ("cc", "gcc", "clang")
PACKAGE = "ziglang"
"""A package with a compiler, which is found where there is no other."""

INSTALL_HINT = (
    "install one (Debian/Ubuntu: apt install gcc; Fedora: dnf install gcc; macOS: "
    "xcode-select --install; anywhere: pip install 'cogen-specializer[cc]'), or name one in the "
    "environment variable CC; without a compiler, to_python() and `--emit python` work"
)
OPTIMIZATION = (
    ("-O3", "-march=native", "-mprefer-vector-width=512")
    if platform.machine() in ("x86_64", "AMD64", "i686")
    else ("-O3", "-mcpu=native")
)
"""Of processors with AVX-512, compilers take half of a vector if they are not told to take it all;
with all of it signals take 0.6 to 1.05 of the time (docs/performance.md)."""

FLAGS = (*OPTIMIZATION, "-std=c11", "-ffp-contract=off", "-fPIC", "-shared", "-w")
"""Floats are IEEE's: no contraction to fused operations, no reassociation."""

MAX_OUTPUT = 4000
"""The longest part of a compiler's output that an error shows, in characters."""


@dataclass(frozen=True, slots=True)
class Compiler:
    """A compiler: how it is called, a text that changes when it or the processor does, and the
    flags of COGEN_CFLAGS."""

    command: tuple[str, ...]
    identity: str
    extra: tuple[str, ...] = ()

    @property
    def package(self) -> str | None:
        """The Python package that has brought it, if one has."""
        return PACKAGE if list(self.command) == _brought() else None

    @property
    def says(self) -> str:
        """The first line of what it says of itself."""
        return self.identity.split(" ", 2)[-1].partition("\n")[0].strip()

    def arguments(
        self, output: Path, options: Sequence[str] = (), language: str = "c"
    ) -> list[str]:
        """The whole argument list to compile standard input to a shared object; `options` come
        after the flags that are always there."""
        flags = (*FLAGS, *options, *self.extra)
        return [*self.command, *flags, "-x", language, "-", "-o", str(output), "-lm"]

    def fingerprint(self, options: Sequence[str] = ()) -> str:
        """A text that differs when the same C text may give another object."""
        flags = (*FLAGS, *options, *self.extra)
        return "\0".join((*self.command, *flags, self.identity, _processor()))


def find_compiler() -> Compiler:
    """The compiler to use; CogenError, saying what to install, if there is none."""
    command, modified, size = _located()
    version = _version(tuple(command), modified, size)
    return Compiler(tuple(command), version, tuple(_extra_flags()))


def identify_compiler() -> str:
    """A text that changes when the compiler, its flags or the processor does, found without
    running the compiler; CogenError, as for `find_compiler`."""
    command, modified, size = _located()
    parts = (*command, str(modified), str(size), *FLAGS, *_extra_flags(), _processor())
    return "\0".join(parts)


def _located() -> tuple[list[str], int, int]:
    """How the compiler is called, when its file was changed, and how long that is."""
    named = os.environ.get("CC", "").strip()
    commands = [_words("CC", named)] if named else [[name] for name in CANDIDATES]
    if not named:
        commands += filter(None, [_brought()])
    for command in commands:
        path = shutil.which(command[0])
        if path is not None:
            status = os.stat(path)
            return [path, *command[1:]], status.st_mtime_ns, status.st_size
    if named:
        raise CogenError(f"there is no C compiler `{named}`, which CC names", hint=INSTALL_HINT)
    raise CogenError("there is no C compiler", hint=INSTALL_HINT)


def _brought() -> list[str] | None:
    """How the compiler of the package ziglang is called: it is Clang; None without the package."""
    try:
        spec = find_spec(PACKAGE)
    except ValueError:  # something that is no package goes by the name
        return None
    places = (spec and spec.submodule_search_locations) or ()
    found = [str(Path(place) / "zig") for place in places]
    return [found[0], "cc"] if found and os.access(found[0], os.X_OK) else None


def compile_shared(
    text: str,
    output: Path,
    compiler: Compiler | None = None,
    options: Sequence[str] = (),
    language: str = "c",
) -> None:
    """Compile a C text to a shared object, with further options; or one in another `language` that
    compilers know, as `assembler`.

    CogenError if the compiler is missing or does not start; InternalError, with its output,
    if it refuses the text.
    """
    chosen = compiler or find_compiler()
    run_compiler(chosen, chosen.arguments(output, options, language), output.parent, text)
    if not output.exists():
        raise InternalError(f"the C compiler {chosen.command[0]} has made nothing")


def run_compiler(
    compiler: Compiler, command: Sequence[str], place: Path, text: str | None = None
) -> None:
    """Run a compiler, whose temporary files are in a directory: on a text, or on files there, where
    its output is.

    CogenError if it does not start; InternalError, with its output, if it fails.
    """
    import subprocess

    try:
        done = subprocess.run(
            command,
            cwd=place if text is None else None,
            input=b"" if text is None else text.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment(place),
            check=False,
        )
    except OSError as error:
        raise CogenError(
            f"the C compiler {compiler.command[0]} does not start: {error.strerror}",
            hint=INSTALL_HINT,
        ) from None
    if done.returncode != 0:
        shown = done.stdout.decode(errors="replace").strip()[:MAX_OUTPUT]
        called = " ".join(compiler.command)
        raise InternalError(
            f"the C compiler {called} failed (status {done.returncode}):\n{shown}",
            hint="if COGEN_CFLAGS or CC is set, try without; else please report this",
        )


def environment(place: Path) -> dict[str, str]:
    """The environment of a compiler that leaves its temporary files in a directory, so that they
    go with it if the compiler is killed."""
    return {**os.environ, "TMPDIR": str(place)}


def _extra_flags() -> list[str]:
    return _words("COGEN_CFLAGS", os.environ.get("COGEN_CFLAGS", ""))


def _words(variable: str, value: str) -> list[str]:
    """The value of an environment variable as arguments."""
    try:
        return shlex.split(value)
    except ValueError as error:
        message = f"the environment variable {variable} is malformed: {error}"
        raise CogenError(message, hint="its words are quoted as for a shell") from None


@lru_cache(maxsize=16)
def _version(command: tuple[str, ...], modified: int, size: int) -> str:
    """What the compiler says of itself; asked again when its file changes."""
    kept = store.get("compiler", *command, str(modified), str(size))
    if kept is not None:
        return kept.decode("utf-8", "replace")
    version = _asked_version(command, modified, size)
    store.put("compiler", *command, str(modified), str(size), content=version.encode())
    return version


def _asked_version(command: tuple[str, ...], modified: int, size: int) -> str:
    import subprocess

    try:
        done = subprocess.run(
            [*command, "--version"], stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except OSError as error:
        raise CogenError(
            f"the C compiler {command[0]} does not start: {error.strerror}", hint=INSTALL_HINT
        ) from None
    return f"{modified} {size} {done.stdout.decode(errors='replace')}"


@lru_cache(maxsize=1)
def _processor() -> str:
    """What `-march=native` depends on."""
    kept = []
    try:
        with open("/proc/cpuinfo") as text:
            for line in text:
                if line == "\n":  # the other processors are alike
                    break
                if line.startswith(KEPT_OF_CPUINFO):
                    kept.append(line.rstrip("\n"))
    except OSError:
        return f"{platform.machine()} {platform.processor()}"
    return hashlib.sha256("\n".join(kept).encode()).hexdigest()


KEPT_OF_CPUINFO = ("vendor_id", "cpu family", "model", "flags", "Features", "CPU ")
