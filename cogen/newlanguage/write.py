"""A name -> a folder with a small language of that name, which works, to change into one's own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from cogen.lang.errors import CogenError
from cogen.terminal import write_output

_HERE: Final = Path(__file__).parent / "template"
_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
ENDING: Final = ".template"
"""How the names of files here end: what is in them is no part of the product."""


def files(name: str) -> dict[str, str]:
    """The files of the language, by their path in its folder.  CogenError if it is no name."""
    if _NAME.fullmatch(name) is None:
        hint = "small letters, digits and _, beginning with a letter: files are called after it"
        raise CogenError(f"`{name}` is no name for a language", hint=hint)
    found: dict[str, str] = {}
    for path in sorted(_HERE.rglob(f"*{ENDING}")):
        place = str(path.relative_to(_HERE)).removesuffix(ENDING).replace("NAME", name)
        found[place] = path.read_text(encoding="utf-8").replace("@NAME@", name)
    return found


def write(name: str, folder: Path) -> list[Path]:
    """Write the files into a folder, which must be empty or not be there; their paths."""
    made = {folder / place: text for place, text in files(name).items()}
    if folder.exists() and any(folder.iterdir()):
        raise CogenError(f"{folder} is not empty", hint="name another folder")
    for path, text in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_output(str(path), text)
    return [*made]
