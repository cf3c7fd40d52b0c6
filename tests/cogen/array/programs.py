"""Programs in L0 with their expectations in header comments.

// check                                     the program is right
// error LINE:COLUMN: MESSAGE                it is wrong there, and so it says
// note LINE:COLUMN: MESSAGE                 a note of that error, in order
// run ENTRY VALUES => RESULT                what a function gives
// fails ENTRY VALUES => LINE:COLUMN: MESSAGE  how it fails
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
