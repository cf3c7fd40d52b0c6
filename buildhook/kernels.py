"""Kernels of the named formats, as machine code for platform wheels.

    COGEN_WHEEL=kernels HATCH_BUILD_HOOK_ENABLE_CUSTOM=true pip wheel .

COGEN_WHEEL_MACHINE (x86_64 or aarch64) says for which machines; by default for this one.  Where
the package ziglang is installed, its compiler makes code for any of them, which runs on every
Linux from glibc 2.17 on; else the C compiler of the system makes it for this machine only.
COGEN_WHEEL_FORMATS names other formats than all that are named.
"""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PLAIN = ("u1", "u2", "u4", "u10", "u12", "u14", "s12", "s24", "u24")
"""Layouts without a name of their own that are as common."""

FUNCTIONS = (
    "cogen_move", "cogen_move_rows", "cogen_pack", "cogen_pack_rows", "cogen_fits", "convert",
)  # fmt: skip
"""What kernels define, each under a name of its own."""

OPTIONS = ("-O3", "-std=c11", "-ffp-contract=off", "-fPIC", "-w", "-g0")
WIDE = "-mprefer-vector-width=512"

ZIG = {
    "x86-64-v4": ("-mcpu=x86_64_v4+avx512vbmi+avx512vbmi2", WIDE),
    "x86-64-v3": ("-mcpu=x86_64_v3",),
    "x86-64-v2": ("-mcpu=x86_64_v2",),
    "aarch64": (),
}
CC = {
    "x86-64-v4": ("-march=x86-64-v4", "-mavx512vbmi", "-mavx512vbmi2", WIDE),
    "x86-64-v3": ("-march=x86-64-v3",),
    "x86-64-v2": ("-march=x86-64-v2",),
    "aarch64": (),
}
"""What compilers are told of the levels of `cogen.signals.prebuilt`."""


def prebuilt_kernels(root: Path, folder: Path) -> tuple[list[Path], str]:
    """The files for `cogen/signals/prebuilt`, and the platform that they are for."""
    sys.path.insert(0, str(root))
    from cogen.signals.prebuilt import INDEX, LEVELS

    machine = os.environ.get("COGEN_WHEEL_MACHINE") or platform.machine()
    if machine not in LEVELS:
        raise RuntimeError(f"there are no kernels for {machine}, but for {', '.join(LEVELS)}")
    compiler, flags, system = _compiler(machine)
    texts = dict(_texts(_formats()))
    made = [folder / INDEX]
    (folder / "c").mkdir(parents=True, exist_ok=True)
    (folder / INDEX).write_text("".join(f"{key}\n" for key in sorted(texts)), encoding="ascii")
    for level, _ in LEVELS[machine]:
        made.append(_built(folder, level, texts, [*compiler, *flags[level]]))
    return made, f"{system}_{machine}"


def _compiler(machine: str) -> tuple[list[str], dict[str, tuple[str, ...]], str]:
    """How the compiler is called, its flags for levels, and for which systems it makes code."""
    if find_spec("ziglang") is not None:
        target = f"{machine}-linux-gnu.2.17"
        return [sys.executable, "-m", "ziglang", "cc", "-target", target], ZIG, "manylinux_2_17"
    if machine != platform.machine():
        raise RuntimeError(f"only ziglang makes code for {machine} here: pip install ziglang")
    return shlex.split(os.environ.get("CC", "cc")), CC, "linux"


def _formats() -> list[str]:
    from cogen.signals.formats import names

    chosen = os.environ.get("COGEN_WHEEL_FORMATS", "").split()
    return chosen or [*names(), *PLAIN]


def _texts(formats: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The C texts of kernels, by their keys."""
    from cogen.signals.kernels import c_text
    from cogen.signals.prebuilt import key_of

    done = set()
    for name in formats:
        for task in tasks(name):
            if task not in done:
                done.add(task)
                yield key_of(task), c_text(task)


def tasks(name: str) -> Iterator[Any]:
    """What is made of a format: unpacking, to its own type and to floats of 32 bits, and packing
    of that type, into new memory and into given memory."""
    import numpy as np

    from cogen.lang.errors import CogenError
    from cogen.signals.formats import to_layout
    from cogen.signals.forms import form_of
    from cogen.signals.packing import task_of
    from cogen.signals.unpacking import task_for

    layout = to_layout(name)
    for dtype in (None, np.dtype("f4")):
        try:
            yield task_for(layout, form_of(layout, dtype))
        except CogenError:
            continue  # floats of 32 bits have not all values
    dtype = layout.dtype if layout.dtype.names is not None else layout.fields[0].dtype
    for keep in (False, True):
        yield task_of(dtype, layout, False, keep)


def _built(folder: Path, level: str, texts: dict[str, str], command: Sequence[str]) -> Path:
    """One shared object of all texts."""
    objects = folder / "c" / level
    objects.mkdir(parents=True, exist_ok=True)

    def compiled(key: str) -> str:
        made = objects / f"{key}.o"
        names = [f"-D{n}={n}_{key}" for n in FUNCTIONS]
        _run([*command, *OPTIONS, *names, "-x", "c", "-", "-c", "-o", str(made)], texts[key])
        return str(made)

    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(compiled, texts))
    library = folder / f"{level}.so"
    _run([*command, "-shared", "-s", "-o", str(library), *made, "-lm"])
    return library


def _run(command: Sequence[str], text: str = "") -> None:
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"kernels could not be compiled:\n{done.stdout}{done.stderr}")
