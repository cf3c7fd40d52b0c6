"""What works here: the C compiler, its flags, the cache, OpenCL devices, optional packages.

Each thing is tried, not only looked for: a C text is compiled, loaded and called where machine code
is kept; a kernel is run on each OpenCL device.
"""

from __future__ import annotations

import importlib.util
import platform
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import cogen
from cogen import diskstore as store
from cogen.array.c.flags import OPTIONS
from cogen.array.opencl import device
from cogen.backends.objectcode import toolchain
from cogen.backends.objectcode.toolchain import FLAGS, INSTALL_HINT, Compiler
from cogen.lang.errors import CogenError

EXTRAS: Final[Mapping[str, tuple[str, ...]]] = {
    "signals": ("pillow", "soundfile"),
    "can": ("cantools", "python-can"),
    "columns": ("pandas", "polars", "pyarrow"),
    "array": ("lark",),
    "cc": ("ziglang",),
    "opencl": ("pyopencl",),
    "dask": ("dask", "distributed"),
    "repl": ("prompt_toolkit",),
    "notebook": ("ipython",),
    "lsp": ("lark", "pygls"),
}
"""Extras of the distribution that people install, and the packages that they bring."""

_TRIAL: Final = "long cogen_trial(long x) { return x + 1; }\n"
_CALL: Final = (
    "import ctypes, sys; trial = ctypes.CDLL(sys.argv[1]).cogen_trial;"
    "trial.argtypes, trial.restype = [ctypes.c_long], ctypes.c_long; print(trial(41), end='')"
)
_THREADS: Final = """\
long cogen_trial(long x) {
    long sum = 1;
    #pragma omp parallel for reduction(+:sum)
    for (long i = 0; i < x; i++) sum += 1;
    return sum;
}
"""


@dataclass(frozen=True, slots=True)
class Problem:
    """What does not work, and what to do about it."""

    problem: str
    remedy: str


@dataclass(slots=True)
class Findings:
    """What works.

    `compiler` is the path of the C compiler and `compiler_says` what it calls itself; `native`
    says whether its code runs, `threads` whether that of arrays may use several threads; `extras`
    are the versions of the optional packages, None for those that are not installed.
    """

    compiler: str | None = None
    compiler_says: str = ""
    package: str | None = None
    """The Python package that has brought the compiler, if one has."""
    flags: tuple[str, ...] = FLAGS
    native: bool = False
    threads: bool = False
    cache: str | None = None
    opencl: list[str] = field(default_factory=list)
    extras: dict[str, str | None] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def json(self) -> dict[str, Any]:
        """The same as data."""
        return {
            "version": cogen.__version__,
            "python": platform.python_version(),
            "compiler": self.compiler,
            "compiler_package": self.package,
            "flags": list(self.flags),
            "cache": self.cache,
            "opencl": self.opencl,
            "extras": self.extras,
            "problems": [asdict(one) for one in self.problems],
        }


def examine() -> Findings:
    """Try everything."""
    found = Findings()
    directory = _examine_cache(found)
    if directory is not None:
        _examine_compiler(found, directory)
    _examine_devices(found)
    for package in (package for packages in EXTRAS.values() for package in packages):
        try:
            found.extras[package] = version(package)
        except PackageNotFoundError:
            found.extras[package] = None
    return found


def _examine_cache(found: Findings) -> Path | None:
    """The directory in which machine code is kept, if there is any."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            directory = store.current().directory
        except CogenError as error:
            found.problems.append(_problem(error, store.HINT))
            return None
    for one in told:
        what, _, _ = str(one.message).partition("; ")
        found.problems.append(Problem(what, store.HINT))
    found.cache = str(directory)
    return directory


def _examine_compiler(found: Findings, directory: Path) -> None:
    try:
        compiler = toolchain.find_compiler()
        found.compiler = compiler.command[0]
        found.compiler_says = compiler.says
        found.package = compiler.package
        found.flags = (*FLAGS, *compiler.extra)
        found.native = _runs(compiler, directory, _TRIAL, ())
    except CogenError as error:
        found.problems.append(_problem(error, INSTALL_HINT))
        return
    try:
        found.threads = _runs(compiler, directory, _THREADS, OPTIONS)
    except CogenError:
        remedy = "array programs use one thread; with GCC, or Clang with libomp, they use all"
        found.problems.append(Problem("the C compiler has no OpenMP", remedy))


def _runs(compiler: Compiler, directory: Path, text: str, options: tuple[str, ...]) -> bool:
    """Compile a text, load and call it in a process of its own; CogenError if that goes wrong."""
    with tempfile.TemporaryDirectory(prefix="doctor-", dir=directory) as place:
        path = Path(place) / "trial.so"
        toolchain.compile_shared(text, path, compiler, options)
        called = [sys.executable, "-I", "-c", _CALL, str(path)]
        done = subprocess.run(called, capture_output=True, text=True, check=False)
    if done.returncode == 0 and done.stdout == "42":
        return True
    if done.returncode < 0:
        hint = "the compiler takes the processor for another: COGEN_CFLAGS=-march=x86-64, say"
        raise CogenError(f"compiled code is ended by signal {-done.returncode}", hint=hint)
    if done.returncode > 0:
        last = (done.stderr.strip().splitlines() or ["?"])[-1]
        hint = "set COGEN_CACHE_DIR to a directory from which code may be run"
        raise CogenError(f"compiled code does not load: {last}", hint=hint)
    raise CogenError("compiled code gives wrong results", hint="name another compiler in CC")


def _examine_devices(found: Findings) -> None:
    found.opencl = device.names()
    if found.opencl or importlib.util.find_spec("pyopencl") is None:
        return
    try:
        device.device()
    except CogenError as error:
        found.problems.append(_problem(error, device.INSTALL))


def _problem(error: CogenError, remedy: str) -> Problem:
    return Problem(error.message.strip(), error.hint or remedy)
