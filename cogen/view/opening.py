"""Pages of HTML: opened in a browser, framed in a notebook."""

from __future__ import annotations

import re
import tempfile
import webbrowser
from html import escape
from pathlib import Path

HEIGHT = "38rem"
"""How high a page is in a notebook."""


def opened(page: str, name: str) -> Path:
    """Write a page to a temporary file of its own and open it in a browser; gives the file."""
    prefix = re.sub(r"[^\w-]+", "-", name) or "page"
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", prefix=f"{prefix}-", suffix=".html", delete=False
    ) as file:
        file.write(page)
    path = Path(file.name)
    webbrowser.open(path.as_uri())
    return path


def framed(page: str) -> str:
    """A page as a frame in another, from which it takes and to which it gives nothing."""
    style = f"width:100%;height:{HEIGHT};border:1px solid #8884;border-radius:6px"
    return f'<iframe sandbox="allow-scripts" srcdoc="{escape(page)}" style="{style}"></iframe>'
