"""The examples: where they are, what each of them says that it is, and how it is run.

    name ::= its path in the folder, without the ending: power, gallery/dither, cases/sound

A program's first comment, or a module's docstring, begins with a line of what it is.  Commands that
stand indented in a program's first comment are what it is run by; a module is run by Python.
"""

from __future__ import annotations

import ast
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final, NamedTuple

from cogen.lang.errors import CogenError

_PLACES: Final = (Path(__file__).with_name("examples"), Path(__file__).parents[1] / "examples")
"""Where they are: in a wheel, and in a checkout."""

FOLDERS: Final = (".", "gallery", "cases")
"""Of the folder, those that have examples, in the order of lists."""

_NO_EXAMPLES: Final = ("make",)


class Example(NamedTuple):
    """An example: its name and its file."""

    name: str
    path: Path

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def comment(self) -> str:
        """What its first comment or its docstring says."""
        if self.path.suffix == ".py":
            return ast.get_docstring(ast.parse(self.text)) or ""
        lines = self.text.split("\n\n")[0].split("\n")
        return "\n".join(re.sub(r"^;;; ?", "", line) for line in lines)

    @property
    def summary(self) -> str:
        """Its first sentence."""
        first = " ".join(self.comment.split("\n\n")[0].split())
        return re.split(r"\.(?= |$)", first)[0].rstrip(":")

    @property
    def commands(self) -> list[list[str]]:
        """The commands that its first comment tells, in words, for its folder."""
        text = self.comment.replace("\\\n", " ")
        return [shlex.split(line) for line in re.findall(r"^ +(cogen .*)$", text, re.MULTILINE)]


def folder() -> Path:
    """The folder of the examples; CogenError if they are not there."""
    found = next((path for path in _PLACES if (path / "power.scm").exists()), None)
    if found is None:
        raise CogenError("the examples are not here", hint="install the package again")
    return found


def examples() -> dict[str, Example]:
    """The examples by name."""
    top = folder()
    files = [
        path
        for inner in FOLDERS
        for path in sorted((top / inner).iterdir())
        if path.suffix in (".scm", ".py") and path.stem not in _NO_EXAMPLES
    ]
    names = [path.relative_to(top).with_suffix("").as_posix() for path in files]
    return {name: Example(name, path) for name, path in zip(names, files, strict=True)}


def command_lines(example: Example, words: list[str]) -> list[tuple[list[str], Path | None]]:
    """What runs an example: command lines, and the folder in which each is run, if not the present
    one.  A module is given the words; CogenError for a program that is given some."""
    if example.path.suffix == ".py":
        return [([sys.executable, "-m", __name__, str(example.path), *words], None)]
    if words:
        hint = f"cogen examples show {example.name} tells how to run it otherwise"
        raise CogenError(f"{example.name} is run without arguments", hint=hint)
    return [([sys.executable, "-m", *command], example.path.parent) for command in example.commands]


def run_module(path: str) -> None:
    """Run a file of Python as the program itself; what a user can mend is told as a diagnostic."""
    import runpy

    from cogen import terminal

    sys.path[0] = str(Path(path).parent)
    try:
        runpy.run_path(path, run_name="__main__")
    except CogenError as error:
        terminal.show_error(error)
        sys.exit(1)


def copy(target: Path) -> list[Path]:
    """Copy all examples, and what they read, into a folder; their paths there.

    CogenError if there is something in it already.
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise CogenError(f"{target} is there already", hint="name another folder")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(folder(), target, ignore=ignored, dirs_exist_ok=True)
    return sorted(path for path in target.rglob("*") if path.is_file())


if __name__ == "__main__":
    del sys.argv[0]
    run_module(sys.argv[0])
