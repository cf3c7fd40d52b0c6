"""The libraries that come with the product: where they are, and which has a name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

INSTALLED: Final = Path(__file__).resolve().parent.parent
"""The directory that holds the installed packages, and with them their libraries."""

OF_LANGUAGE: Final = Path(__file__).resolve().parent
"""The directory that holds the libraries of the language: `(srfi 1)` is srfi/1.scm there."""


STANDARD: Final = frozenset(
    {
        "base",
        "case-lambda",
        "char",
        "complex",
        "cxr",
        "eval",
        "file",
        "inexact",
        "lazy",
        "load",
        "process-context",
        "r5rs",
        "read",
        "repl",
        "time",
        "write",
    }
)
"""The standard libraries `(scheme NAME)` that the language has."""

LANGUAGE: Final = frozenset({("cogen",), ("array",)})
"""Libraries whose names are names of the language."""


def srfis() -> list[Path]:
    """The files of the libraries `(srfi N)`, by number."""
    files = (path for path in (OF_LANGUAGE / "srfi").glob("*.scm") if path.stem.isdecimal())
    return sorted(files, key=lambda path: int(path.stem))


def is_of_language(name: tuple[str, ...]) -> bool:
    """Whether the names of a library are names of the language."""
    return name in LANGUAGE or (len(name) == 2 and name[0] == "scheme" and name[1] in STANDARD)


def titles() -> list[str]:
    """The titles of the standard libraries that the language has."""
    return [f"(scheme {name})" for name in sorted(STANDARD)]


def comes_along(file: Path) -> bool:
    """Whether a file is one of the language's libraries, or of an installed package of libraries,
    which has an `all.scm`."""
    if file.is_relative_to(OF_LANGUAGE):
        return True
    if not file.is_relative_to(INSTALLED):
        return False
    return (INSTALLED / file.relative_to(INSTALLED).parts[0] / "all.scm").is_file()


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
