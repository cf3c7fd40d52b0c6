"""C text -> an executable or a library, kept in the store (`cogen.diskstore`).

The run time is compiled once for each compiler, to one object; a program is compiled with its
headers and linked with it.  Executables need nothing but the C library.
"""

from __future__ import annotations

import platform
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from cogen import diskstore as store
from cogen.backends.ctree.helpers import HEADER, header
from cogen.backends.native import limits
from cogen.backends.native.derived import derived
from cogen.backends.native.unicode import tables
from cogen.backends.objectcode.assembly import OPTIONS, Assembly, tidied
from cogen.backends.objectcode.toolchain import Compiler, find_compiler, run_compiler

RUNTIME = Path(__file__).with_name("runtime")

FLAGS = (
    "-O2", "-std=gnu11", "-w", "-fno-strict-aliasing", "-fwrapv", "-ffp-contract=off",
    "-fomit-frame-pointer", "-foptimize-sibling-calls", "-falign-functions=16",
    "-fno-stack-protector", "-fno-tree-slp-vectorize",
    "-fno-move-loop-invariants",
)  # fmt: skip
"""Calls in C are jumps: the compiler must turn tail calls into them, which GCC and Clang do at
-O2 for functions whose arguments are in registers.  Code addresses are aligned (values.h)."""

LEAST = ("-O1", "-foptimize-sibling-calls", "-DCOGEN_LEAST")
"""As little as the compiler may do for calls to be jumps."""

GCC_FLAGS = frozenset({"-fno-move-loop-invariants"})
"""Those that Clang does not know; it refuses what it does not know."""

PROGRAM_FLAGS = ("-mno-red-zone",) if platform.machine() in ("x86_64", "AMD64") else ()
"""Programs call the run time from inline assembly (inline.h), which GCC takes for no call."""

PROGRAM = "program.c"
"""What the compiler calls the text of a program."""


def executable(text: str) -> Path:
    """The executable of a program's C text, from the cache or built now.

    CogenError if there is no C compiler or no place to build in; InternalError, with its
    output, if the compiler refuses the text.
    """
    return _program(text, "exe", ("-fno-pie",), ("-no-pie",), "library.c")


def shared_object(text: str) -> Path:
    """The same as a library with the function `cogen_call` (runtime/library.c)."""
    return _program(text, "lib", _LIBRARY, ("-shared",), "main.c")


def assembled(text: str) -> Path:
    """The library of a program of which the assembly is given (`library_assembly`)."""
    compiler = find_compiler()
    runtime = _runtime(compiler, _LIBRARY, "main.c")

    def link(made: Path) -> None:
        place = made.parent
        _write(place, {"program.s": text})
        files = ["-o", str(made), str(place / "program.s"), str(runtime), "-lm"]
        _compile(compiler, ["-shared", *files], place)

    return store.file("lib", *_identity(compiler), runtime.name, text, make=link)


_LIBRARY = ("-fPIC", "-fvisibility=hidden")
"""The flags of what becomes a part of a library."""


def _program(
    text: str, kind: str, flags: tuple[str, ...], linking: tuple[str, ...], without: str
) -> Path:
    """A program's file; `without` names the file of the run time that is not for it."""
    compiler = find_compiler()
    runtime = _runtime(compiler, flags, without)

    def link(made: Path) -> None:
        place = made.parent
        _write(place, {PROGRAM: text, **runtime_texts(".h")})
        files = ["-o", str(made), str(place / PROGRAM), str(runtime), "-lm"]
        _compile(compiler, [*PROGRAM_FLAGS, *flags, *linking, *files], place)

    return store.file(kind, *_identity(compiler), runtime.name, text, make=link)


def assembly(text: str) -> Assembly:
    """The assembly of a program's C text, as an executable is made of it; without the run time."""
    return _assembly(text, ("-fno-pie",))


def library_assembly(text: str) -> Assembly:
    """The assembly of a program's C text, as a library is made of it; without the run time."""
    return _assembly(text, _LIBRARY)


def _assembly(text: str, flags: tuple[str, ...]) -> Assembly:
    compiler = find_compiler()

    def build(made: Path) -> None:
        place = made.parent
        _write(place, {PROGRAM: text, **runtime_texts(".h")})
        files = ["-o", str(made), str(place / PROGRAM)]
        _compile(compiler, [*PROGRAM_FLAGS, *flags, *OPTIONS, *files], place)

    headers = runtime_texts(".h").values()
    given = (*PROGRAM_FLAGS, *flags, *headers, text)
    path = store.file("s", *_identity(compiler), *given, make=build)
    return tidied(store.contents(path).decode(errors="replace"), PROGRAM)


def _runtime(compiler: Compiler, flags: tuple[str, ...], without: str) -> Path:
    """The object of the run time."""

    def build(made: Path) -> None:
        place = made.parent
        texts = {"tables.c": tables(), "derived.c": derived(), **runtime_texts()}
        _write(place, texts)
        names = [name for name in texts if name.endswith(".c") and name != without]
        _compile(compiler, [*flags, "-c", *(str(place / name) for name in names)], place)
        objects = [str(path) for path in sorted(place.glob("*.o"))]
        _compile(compiler, ["-r", "-nostdlib", "-o", str(made), *objects], place)

    own = (unicodedata.unidata_version, derived())
    parts = (*flags, without, *own, *runtime_texts().values())
    return store.file("o", *_identity(compiler), *parts, make=build)


def runtime_texts(suffix: str = "") -> dict[str, str]:
    """The files of the run time, as they were when they were first needed: should another version
    be installed meanwhile, what is compiled must be what the name of the entry says."""
    return {name: text for name, text in _all_texts().items() if name.endswith(suffix)}


@cache
def _all_texts() -> dict[str, str]:
    paths = sorted(RUNTIME.glob("*.[ch]"))
    texts = {path.name: path.read_text(encoding="utf-8") for path in paths}
    return texts | {HEADER.name: header(), limits.NAME: limits.header()}


def _write(place: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        (place / name).write_text(text, encoding="utf-8")


def _compile(compiler: Compiler, arguments: Sequence[str], place: Path) -> None:
    command = [*compiler.command, *_flags(compiler), *_extra(compiler), *arguments]
    run_compiler(compiler, command, place)


def _flags(compiler: Compiler) -> tuple[str, ...]:
    """The flags that the compiler knows."""
    is_clang = "clang" in compiler.identity
    return tuple([flag for flag in FLAGS if not (is_clang and flag in GCC_FLAGS)])


def _extra(compiler: Compiler) -> tuple[str, ...]:
    """The flags of COGEN_CFLAGS; with -O0 among them still so much that calls are jumps."""
    levels = [flag for flag in compiler.extra if flag.startswith("-O")]
    return (*compiler.extra, *(LEAST if levels[-1:] == ["-O0"] else ()))


def _identity(compiler: Compiler) -> tuple[str, ...]:
    """What decides the bytes, beside the texts."""
    return (*compiler.command, compiler.identity, *_flags(compiler), *_extra(compiler))
