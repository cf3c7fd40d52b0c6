"""The site: `make site` builds it in build/site from the pages in docs/.

The pages are Markdown that reads well without the site; what they lead to outside of docs/ is
brought in here.  Docstrings are plain text: indented blocks are code, back quotes are names.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from textwrap import indent
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from cogen.editors.lexers import CogenLexer, L0Lexer  # noqa: E402
from cogen.lsp import reference  # noqa: E402
from cogen.version import __version__  # noqa: E402

project = "cogen"
author = "the cogen developers"
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_click"]
html_theme = "furo"
html_title = f"cogen {version}"
html_static_path = ["sounds"]
default_role = "code"
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
exclude_patterns = ["_build"]
suppress_warnings = ["misc.highlighting_failure"]  # excerpts of diagnostics within Scheme
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "separated"

OUTSIDE = {"../CONTRIBUTING.md": "contributing.md", "../CHANGELOG.md": "changes.md"}
"""Pages that stand outside of docs/, and where the site has them."""

SOUND = re.compile(r"\[Listen: ([^]]*)\]\(sounds/([\w-]+\.wav)\)")
"""A link to a sound, which the site plays."""


def within(_app: Any, _name: str, text: list[str]) -> None:
    """Lead to the site's own pages."""
    for outside, inside in OUTSIDE.items():
        text[0] = text[0].replace(f"]({outside}", f"]({inside}")
    text[0] = re.sub(r"\]\(\.\./README\.md(#[^)]*)?\)", "](index.md)", text[0])
    text[0] = re.sub(r"\]\(docs/", "](", text[0])
    text[0] = SOUND.sub(r'\1: <audio controls src="_static/\2"></audio>', text[0])


def names_of_language(_app: Any, name: str, text: list[str]) -> None:
    """Put what all names are at the end of their page."""
    if name == "procedures":
        text[0] += f"\n{reference.markdown()}\n"


COLUMNS = re.compile(r"^ *\S+( \S+)? {2,}\S", re.M)
"""A line of a list in columns."""


def literal_blocks(
    _app: Any, _kind: str, _name: str, _object: Any, _options: Any, lines: list[str]
) -> None:
    """Make code of what is indented in a docstring, or set in columns."""
    made: list[str] = []
    for paragraph in re.split(r"\n\s*\n", "\n".join(lines).strip("\n")):
        if paragraph.startswith("    ") or COLUMNS.search(paragraph):
            indented = paragraph if paragraph.startswith("    ") else indent(paragraph, "    ")
            made += ["::", "", *indented.split("\n"), ""]
        else:
            made += [*paragraph.split("\n"), ""]
    lines[:] = made


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.add_lexer("scheme", CogenLexer)
    app.add_lexer("l0", L0Lexer)
    app.connect("source-read", within)
    app.connect("source-read", names_of_language)
    app.connect("include-read", lambda app, path, _name, text: within(app, str(path), text))
    app.connect("autodoc-process-docstring", literal_blocks)
