"""Programs in L0 with their expectations in header comments.

// check                                     the program is right
// error LINE:COLUMN: MESSAGE                it is wrong there, and so it says
// note LINE:COLUMN: MESSAGE                 a note of that error, in order
// run ENTRY VALUES => RESULT                what a function gives
// fails ENTRY VALUES => LINE:COLUMN: MESSAGE  how it fails

and, after fusion, of the function `main`:

// soacs: KIND, PATH>KIND, ...               the loops that remain
// arrays: NUMBER                            intermediate arrays in memory
// because NAME: RULE                        why the operation bound to NAME is not fused further
// rule NAME: RULE                           by which rule it was fused last
// no-duplicate soacs: ...                   any of these, where nothing may be computed twice
"""

from __future__ import annotations

import re
from pathlib import Path

PROGRAMS = Path(__file__).parent.parent.parent / "programs" / "l0"

_HEADER = re.compile(r"// (check|error|note|run|fails)\b ?(.*)")


def headers(path: Path) -> list[tuple[str, str]]:
    """The expectations of a program: their kind, and what they say."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//"):
            break
        match = _HEADER.fullmatch(line)
        if match:
            found.append((match[1], match[2]))
    return found


def place(name: str, text: str) -> str:
    """`LINE:COLUMN: MESSAGE` as the beginning of a diagnostic on a file."""
    return f"{name}:{text}".replace(": ", ": error: ", 1)


_FUSION = re.compile(r"// (no-duplicate )?(soacs|arrays|because|rule)(?: ([^:]+))?:(?: (.*))?")


def fusion_headers(path: Path) -> list[tuple[bool, str, str, str]]:
    """What fusion must make of a program: whether cheap work may be duplicated, the kind of the
    expectation, the name that it is about, and what is expected."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        match = _FUSION.fullmatch(line)
        if match:
            found.append((not match[1], match[2], match[3] or "", match[4] or ""))
    return found
