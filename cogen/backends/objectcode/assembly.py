"""C text -> assembly to read, and from which character of the C text each instruction comes.

    cc -S -g1  ─  tidied

The compiler's own debug lines say where an instruction comes from; they are taken out of the text
with all else that only a debugger wants.  Laws: what is left is assembled to the same code; the
text of a program is the same for the same compiler.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cogen import diskstore as store
from cogen.backends.objectcode import toolchain

OPTIONS: Final = ("-S", "-g1")
"""What has a compiler write assembly with debug lines, and no other debug information."""

Position = tuple[int, int]
"""A line and a column of the C text, both from 1; the compiler counts columns in bytes."""


@dataclass(frozen=True, slots=True)
class Assembly:
    """The assembly of a C text; `positions` has for each line (from the first) where in the C text
    its instruction comes from, None where there is none or that is not known."""

    text: str
    positions: tuple[Position | None, ...]


def of_kernel(text: str, options: Sequence[str] = ()) -> Assembly:
    """The assembly of the C text of a kernel, as `cogen.backends.objectcode.cache` compiles it with
    further options.

    CogenError if there is no compiler; InternalError if it refuses the text.
    """
    compiler = toolchain.find_compiler()

    def build(made: Path) -> None:
        toolchain.compile_shared(text, made, compiler, (*options, *OPTIONS))

    path = store.file("s", compiler.fingerprint((*options, *OPTIONS)), text, make=build)
    return tidied(store.contents(path).decode(errors="replace"), "<stdin>")


_LOCATION: Final = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)(?:\s+(\d+))?")
_FILE: Final = re.compile(r"""\s*\.file\s+(\d+)\s+(?:"[^"]*"\s+)?"([^"]*)\"""")
_LABEL: Final = re.compile(r"([.\w$@]+):")
_LOCAL: Final = re.compile(r"\.L[\w$.]+")
_SECTION: Final = re.compile(r"\s*\.(?:section|text|data|bss|previous|popsection)\b")
_LEFT_OUT: Final = re.compile(r"\s*\.(?:loc|file|cfi_\w+|ident|addrsig\w*)\b|\s*#|\s*$")
"""What only debuggers and linkers want."""


def tidied(text: str, file: str) -> Assembly:
    """What a compiler wrote, without what only a debugger wants; `file` is what the compiler calls
    the C text."""
    kept = _kept(text.splitlines(), file)
    mentioned = {
        name for line, _ in kept if not _LABEL.match(line) for name in _LOCAL.findall(line)
    }
    lines = [
        (line, position)
        for line, position in kept
        if (label := _LABEL.match(line)) is None
        or not label[1].startswith(".L")
        or label[1] in mentioned
    ]
    return Assembly("".join(f"{line}\n" for line, _ in lines), tuple(at for _, at in lines))


def _kept(lines: Sequence[str], file: str) -> list[tuple[str, Position | None]]:
    """The lines that are not for debuggers, with where their instructions come from.  Code of other
    files, as of inline functions of headers, comes from where they are used."""
    found: list[tuple[str, Position | None]] = []
    numbers: set[str] = set()
    position: Position | None = None
    skipping = False
    for line in lines:
        if _SECTION.match(line):
            skipping = ".debug" in line
        named = _FILE.match(line)
        if named is not None and Path(named[2]).name == file:
            numbers.add(named[1])
        location = _LOCATION.match(line)
        if location is not None and location[1] in numbers:
            at = int(location[2]), int(location[3] or 0)
            position = at if at[0] else None
        if skipping or _LEFT_OUT.match(line):
            continue
        label = _LABEL.match(line)
        if label is not None and not label[1].startswith("."):
            position = None  # a function begins
        found.append((line, position if _is_instruction(line) else None))
    return found


def _is_instruction(line: str) -> bool:
    return line[:1].isspace() and not line.lstrip().startswith(".")
