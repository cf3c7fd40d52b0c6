"""The pages in docs/: what they name exists, and the first page leads to all of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").glob("*.md"))
TEXTS = [
    *PAGES,
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    ROOT / "SECURITY.md",
    ROOT / "examples" / "README.md",
]
SOURCES = [path for top in ("lang", "cogen", "signals") for path in (ROOT / top).rglob("*.scm")]

texts = pytest.mark.parametrize("page", TEXTS, ids=lambda path: path.name)


def prose(page: Path) -> str:
    """The text of a page without its blocks of code."""
    return re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)


def anchors(page: Path) -> set[str]:
    """The names by which links refer to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", prose(page), re.M)
    return {re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-") for text in headings}


@texts
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        place = page.parent / path if path else page
        assert place.exists(), target
        assert not anchor or anchor in anchors(place), target


@texts
def test_files_that_are_named_exist(page: Path) -> None:
    pattern = r"`((?:cogen|lang|signals|examples|tests|docs)/[\w./*-]+)`"
    for name in re.findall(pattern, prose(page)):
        assert any(ROOT.glob(name.rstrip("/"))), name


def test_the_first_page_leads_to_every_page() -> None:
    first = prose(ROOT / "docs" / "index.md")
    of_site = {"changes.md", "contributing.md", "index.md"}
    pages = [page.name for page in PAGES if page.name not in of_site]
    assert [name for name in pages if f"]({name})" not in first] == []
    assert "](docs/index.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_lines_of_the_libraries_are_short() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in [*SOURCES, *(ROOT / "examples").glob("*.scm")]
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > 100
    ]
    assert long == []
