"""The recipes of CONTRIBUTING.md: what they change, and the commands that they end with.

    recipe  ::= a heading `### ...`, then text with blocks
    ```diff     a change: `--- PATH`, then hunks, each below an `@@`; lines with a space stand in
                the file, in this order and once, lines with `-` go, lines with `+` come.  A path
                that is not there is a new file, of lines with `+` alone.
    ```sh       commands, run in the tree when all changes are made

`python -m tests.recipes HEADING` makes the changes of a recipe in this tree, to try it.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Change:
    """A change of one file: hunks of lines that are there before and after it."""

    path: str
    hunks: tuple[tuple[str, str], ...]

    def apply(self, root: Path) -> None:
        """Change the file below a root; ValueError if a hunk does not fit in one place."""
        place = root / self.path
        text = place.read_text(encoding="utf-8") if place.exists() else ""
        for before, after in self.hunks:
            if text.count(before) != 1 and text:
                found = f"{text.count(before)} times"
                raise ValueError(f"{self.path}: these lines are there {found}:\n{before}")
            text = text.replace(before, after, 1)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


@dataclass(frozen=True)
class Recipe:
    """A recipe by its heading."""

    heading: str
    changes: tuple[Change, ...]
    commands: tuple[str, ...]


def recipes() -> list[Recipe]:
    """The recipes of the page."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    found = []
    for section in re.split(r"^### ", text, flags=re.M)[1:]:
        section = re.split(r"^## ", section, flags=re.M)[0]
        changes = [change for block in _blocks(section, "diff") for change in _changes(block)]
        commands = "".join(_blocks(section, "sh")).splitlines()
        found.append(Recipe(section.splitlines()[0], tuple(changes), tuple(commands)))
    return found


def _blocks(section: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", section, re.S | re.M)


def _changes(block: str) -> list[Change]:
    """The changes of a block, of several files perhaps."""
    found = []
    for part in re.split(r"^--- ", block, flags=re.M)[1:]:
        path, _, rest = part.partition("\n")
        hunks = re.split(r"^@@.*\n", rest, flags=re.M)
        found.append(Change(path.strip(), tuple(_hunk(hunk) for hunk in hunks if hunk)))
    return found


def _hunk(text: str) -> tuple[str, str]:
    lines = text.splitlines(keepends=True)
    before = "".join(line[1:] or "\n" for line in lines if line[0] in " -\n")
    after = "".join(line[1:] or "\n" for line in lines if line[0] in " +\n")
    return before, after


def main() -> None:
    """Make the changes of the recipes whose headings begin with the words given."""
    wanted = " ".join(sys.argv[1:])
    chosen = [recipe for recipe in recipes() if recipe.heading.startswith(wanted)]
    for recipe in chosen:
        for change in recipe.changes:
            change.apply(ROOT)
        print("\n".join(recipe.commands))


if __name__ == "__main__":
    main()
