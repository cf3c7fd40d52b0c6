"""C text of a program -> the same as one file that needs no other.

The program's text includes a header of the run time and is linked with its object (`build`).  Here
the headers, the sources and the tables stand before it in one translation unit:

    cc program.c -lm -o program          a command; its arguments are those of the entry
    cc -DCOGEN_LIBRARY -O2 -fPIC -shared program.c -lm -o program.so       runtime/library.c

Law: it does what the linked program does.  Calls in the program must become jumps, whatever the
compiler is told: GCC is told so in the text; Clang takes no such word and must be asked for at
least -O1, which the text checks.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from cogen.backends.ctree.printer import print_unit
from cogen.backends.ctree.tree import CGuarded, CLibrary, CUnit
from cogen.backends.native import limits
from cogen.backends.native.build import RUNTIME, runtime_texts
from cogen.backends.native.derived import derived
from cogen.backends.native.unicode import tables

_HEADERS: Final = (
    "arithmetic.h",
    limits.NAME,
    "values.h",
    "instance.h",
    "operations.h",
    "inline.h",
    "unicode.h",
)
"""The headers, each after those that it includes."""

_INCLUDE: Final = re.compile(r'^#include "[a-z]+\.h"\n', re.MULTILINE)

_START: Final = Path(__file__).with_name("single.h")
"""What the file begins with."""


def single_file(text: str) -> str:
    """The C text of a program (`compile.c_text`) with all that it needs from the run time."""
    special = {"main.c", "library.c"}
    sources = [path for path in sorted(RUNTIME.glob("*.c")) if path.name not in special]
    parts = [_START.read_text(encoding="utf-8")]
    parts += [_part(name) for name in _HEADERS]
    parts += [_without_includes(text) for text in (tables(), derived())]
    parts += [_part(path.name) for path in sources]
    ways = [("ifdef COGEN_LIBRARY", "library.c"), ("ifndef COGEN_LIBRARY", "main.c")]
    guarded = [CGuarded(condition, (CLibrary(_part(name)),)) for condition, name in ways]
    parts.append(print_unit(CUnit(tuple(guarded))))
    defined, program = _split_definitions(_INCLUDE.sub(_between, text))
    return "\n".join([defined, *parts, "/* The program */\n", program])


def _part(name: str) -> str:
    return _without_includes(runtime_texts()[name])


def _between(include: re.Match[str]) -> str:
    """What stands between the functions of a program: `direct.h` changes what macros say."""
    return _part("direct.h") if "direct.h" in include[0] else ""


def _without_includes(text: str) -> str:
    return _INCLUDE.sub("", text)


def _split_definitions(text: str) -> tuple[str, str]:
    """What the program defines for the headers (its first lines with #define), and the rest."""
    lines = text.split("\n")
    count = 0
    while lines[count].startswith("#define "):
        count += 1
    return "\n".join(lines[:count]), "\n".join(lines[count:])
