"""The documentation as a site: it is built without a warning, and has what it should."""

from __future__ import annotations

import html
import re
import subprocess
import sys
from pathlib import Path

import pytest

import cogen
from cogen.cli import commands

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    place = tmp_path_factory.mktemp("site")
    options = ["-q", "-E", "-W", "--keep-going", "-b", "html"]
    # What is made stays to the end: looking for garbage takes a third of the time.
    build = "import gc, sys; gc.disable(); from sphinx.cmd.build import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", build, *options, str(ROOT / "docs"), str(place)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return place


def text_of(page: Path) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", page.read_text(encoding="utf-8")))


def test_every_page_is_in_it(site: Path) -> None:
    start = (site / "index.html").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert f'href="{page.stem}.html"' in start or page.stem == "index"


def test_links_within_lead_to_pages(site: Path) -> None:
    for page in site.glob("*.html"):
        for target in re.findall(r'href="([^"#:]+\.html)', page.read_text(encoding="utf-8")):
            assert (site / target).is_file(), (page.name, target)


def test_every_command_is_told_of(site: Path) -> None:
    text = text_of(site / "commands.html")
    for name in commands.commands:
        assert f"cogen {name}" in text


def test_every_name_of_the_language_is_told_of(site: Path) -> None:
    text = text_of(site / "procedures.html")
    for usage in ("(list-tail items k)", "(vector-index good? v . more)", "(car pair) -> any"):
        assert usage in text
    assert "The list without its first k items." in text


def test_functions_are_told_of_with_their_docstrings(site: Path) -> None:
    text = text_of(site / "api.html")
    for name in cogen.__all__:
        assert f"cogen.{name}" in text, name
    assert "max_unfoldings" in text
    assert "specialize(" in text
    assert "CogenError for" in text or "Raises CogenError" in text
    assert "unpack(" in text
