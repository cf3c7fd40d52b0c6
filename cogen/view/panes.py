"""The frame of a page: panes beside each other, what is told of places, the page's own program.

All is in the page: its style, its program, its data.  It works without a network and without a
pointer; a browser that runs no programs shows the texts in their colours.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Final

KEYS: Final = (
    ("1 2 3 4", "show and hide"),
    ("← →", "the next form"),
    ("↑ ↓", "the form around it, or within"),
    ("h", "heat: what it left"),
    ("t", "its time, if measured"),
    ("Esc", "let go"),
)


HEATS: Final = {"heat": ("h", "Heat"), "time": ("t", "Time")}
"""What colours can show instead of what is known: key and title."""


@dataclass(frozen=True, slots=True)
class Pane:
    """A part of the page beside others: `body` is its HTML, `shown` whether it is open at first."""

    id: str
    title: str
    about: str
    body: str
    shown: bool = True


@cache
def _part(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8").strip()


def page(
    title: str,
    subtitle: str,
    division: Sequence[tuple[str, str]],
    panes: Sequence[Pane],
    data: dict[str, Any],
    legend: Sequence[tuple[str, str, str]],
    heats: Sequence[str] = ("heat",),
    form: str = "",
) -> str:
    """The page of panes; `data` is what its program tells of places, `heats` what else it can
    show of them, of `HEATS`; `form` what stands above it."""
    known = "".join(f"<span>{escape(name)} <b>{escape(time)}</b></span>" for name, time in division)
    buttons = "".join(
        f'<button data-pane="{pane.id}" data-key="{number}" aria-controls="{pane.id}" '
        f'aria-pressed="{"true" if pane.shown else "false"}">{escape(pane.title)}</button>'
        for number, pane in enumerate(panes, 1)
    )
    for heat in heats:
        key, name = HEATS[heat]
        buttons += (
            f'<button data-heat="{heat}" data-key="{key}" aria-pressed="false">{name}</button>'
        )
    colours = "".join(
        f'<li><b class="{shade}">{name}</b> {meaning}</li>' for shade, name, meaning in legend
    )
    keys = " &nbsp; ".join(f"<kbd>{key}</kbd> {meaning}" for key, meaning in KEYS)
    sections = "\n".join(map(_section, panes))
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)} — cogen</title>
<style>
{_part("page.css")}
</style>
</head>
<body>
<header>
<h1>{escape(title)}<small>{escape(subtitle)}</small></h1>
<p class="division">{known}</p>
<nav aria-label="What is shown">{buttons}</nav>
</header>
{form}<ul class="legend">{colours}</ul>
<main>
{sections}
</main>
<aside aria-live="polite" aria-label="What was decided">
<p>Click a form: what was made of it is marked, and what was decided about it stands here.</p>
<p class="quiet">{keys}</p>
</aside>
<script type="application/json" id="data">{text}</script>
<script>
{_part("page.js")}
</script>
</body>
</html>
"""


def _section(pane: Pane) -> str:
    hidden = "" if pane.shown else " hidden"
    return (
        f'<section class="pane" id="{pane.id}" aria-label="{escape(pane.title)}"{hidden}>'
        f"<h2>{escape(pane.title)}<span>{escape(pane.about)}</span></h2>"
        f'<div class="scroll">{pane.body}</div></section>'
    )


def counted(count: int, what: str) -> str:
    """A number of things."""
    return f"1 {what}" if count == 1 else f"{count:,} {what}s"
