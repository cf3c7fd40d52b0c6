"""The map of docs/internals.md: each path that it names is there, each name where it says."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[1]
PRODUCT = ("cogen", "lang", "signals", "tests")
PAGE = (ROOT / "docs" / "internals.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ")][1:]
IS_PATH = re.compile(r"[\w./*-]+\.(py|scm|c|h|md)|[\w./*-]+/|(cogen|lang|signals|tests)(/[\w*-]+)+")
FOREIGN = ("simdlen",)
"""Words of others: a clause of OpenMP."""

TEXTS = (".py", ".scm", ".c", ".h", ".md", ".toml")


def quoted(text: str) -> list[str]:
    """What stands in backquotes."""
    return re.findall(r"`([^`\n]+)`", text)


def resolved(path: str, folders: list[Path]) -> list[Path]:
    """The files and folders of a path: from the root, or from a folder named before it in the row
    or one around that."""
    tried = [ROOT]
    for folder in folders:
        tried += [folder, *[p for p in folder.parents if ROOT in p.parents]]
    for folder in tried:
        found = sorted(folder.glob(path.rstrip("/")))
        if found:
            return found
    return []


@cache
def text_of(path: Path) -> str:
    """All text of a file, or of the files in a folder."""
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    return "\n".join(
        file.read_text(encoding="utf-8")
        for file in files
        if file.suffix in TEXTS and "__pycache__" not in file.parts
    )


def word_of(name: str) -> str:
    """What of a name must stand in a text: `op` of `(op a ...)`, `calls` of `Span.calls`."""
    return re.split(r"[\s(=]", name.strip("()"))[0].split(".")[-1]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip()[:50])
def test_a_row_names_what_is_there(row: str) -> None:
    folders: list[Path] = []
    files: list[Path] = []
    names: list[str] = []
    for word in quoted(row):
        if not IS_PATH.fullmatch(word):
            names.append(word)
            continue
        found = resolved(word, folders)
        assert found, f"there is no {word}"
        files += found
        folders = [path if path.is_dir() else path.parent for path in found] + folders
    for name in names:
        options = sorted((ROOT / "cogen/commands").glob("*.py")) if name.startswith("-") else []
        word = re.sub(r"^op_NAME$", "op_", word_of(name))
        assert any(word in text_of(path) for path in (*files, *options)), name


def test_the_text_names_what_is_there() -> None:
    """Names in the rest of the page stand somewhere in the product."""
    rest = "\n".join(line for line in PAGE.splitlines() if not line.startswith("|"))
    everything = "\n".join([text_of(ROOT / top) for top in (*PRODUCT, "examples", "docs")])
    everything = everything.replace(PAGE, "") + (ROOT / "Makefile").read_text(encoding="utf-8")
    for word in quoted(rest):
        if IS_PATH.fullmatch(word) and "/" in word:
            assert resolved(word, [ROOT / top for top in PRODUCT]), word
        else:
            assert word in FOREIGN or word_of(word) in everything, word


def test_the_roads_go_through_modules_that_are_there() -> None:
    road = PAGE.split("## The road of a program")[1].split("Packages import")[0]
    for name in re.findall(r"\b[a-z]+(?:\.[a-z0-9]+)+\b", road):
        path = name.replace(".", "/")
        places = [ROOT / top / path for top in ("cogen", "lang")]
        known = any(p.with_suffix(".py").exists() or p.is_dir() for p in places)
        assert known or name.endswith(".scm"), name
    for folder in re.findall(r"\b(?:cogen|lang|signals)/[\w/]*", road):
        assert (ROOT / folder).is_dir(), folder


def test_the_lists_of_modules_are_of_all() -> None:
    """The command that shows the first line of each module reaches each."""
    command = re.search(r"head -qn1 (.*?)\n\n", PAGE, re.S)
    assert command is not None
    patterns = command[1].replace("\\\n", " ").split()
    reached: set[Path] = set()
    for pattern in patterns:
        expanded = re.fullmatch(r"(.*)\{(.*)\}(.*)", pattern)
        for one in expanded[2].split(",") if expanded else [""]:
            glob = f"{expanded[1]}{one}{expanded[3]}" if expanded else pattern
            found = set(ROOT.glob(glob))
            assert found, glob
            reached |= found
    tops = ("cogen", "lang", "signals")
    assert {path for top in tops for path in (ROOT / top).rglob("*.py")} - reached == set()
