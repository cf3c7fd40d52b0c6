"""The libraries that come with the product: where they are, and which has a name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

INSTALLED: Final = Path(__file__).resolve().parent.parent
"""The directory that holds the installed packages, and with them their libraries."""

OF_LANGUAGE: Final = Path(__file__).resolve().parent
"""The directory that holds the libraries of the language: `(srfi 1)` is srfi/1.scm there."""


def srfis() -> list[Path]:
    """The files of the libraries `(srfi N)`, by number."""
    files = (path for path in (OF_LANGUAGE / "srfi").glob("*.scm") if path.stem.isdecimal())
    return sorted(files, key=lambda path: int(path.stem))


def exported(path: Path) -> frozenset[str]:
    """The names in the export declaration of a library of the language, for hints."""
    text = re.sub(r";.*", "", path.read_text(encoding="utf-8"))
    declaration = text.partition("(export")[2].partition("(import")[0].partition("(begin")[0]
    return _words(declaration)


def offering(name: str) -> str | None:
    """The title of a library that has a name: one of SRFI's before one of a package's."""
    for path in srfis():
        if name in exported(path):
            return f"(srfi {path.stem})"
    for path in sorted(INSTALLED.glob("*/all.scm")):
        if name in _words(path.read_text(encoding="utf-8")):
            return f"({path.parent.name})"
    return None


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\s()]+", text))
