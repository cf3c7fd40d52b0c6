"""A diagnostic -> a page that tells it, beside the source with the places that it is about."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from cogen.lang.errors import CogenError, Source
from cogen.view.panes import Pane, page
from cogen.view.rendering import Range, lines


def failed_page(file: str, error: CogenError, form: str = "") -> str:
    """The page of what cannot be specialized; `form` is a form above it."""
    told = [one for one in (error, *error.others) if one.span is not None]
    source = next((one.span.source for one in told if one.span is not None), None)
    body = f'<p class="missing">{escape(error.render())}</p>'
    panes = [Pane("error", "There is no residual program", "", body)]
    places: dict[str, Any] = {}
    if source is not None:
        panes.insert(0, _source(source, told, places))
    data = {"places": places, "rules": {}}
    return page(Path(file).name, "", (), panes, data, (), heats=(), form=form)


def _source(source: Source, errors: Sequence[CogenError], places: dict[str, Any]) -> Pane:
    """The text with the errors marked, which become places."""
    ranges: list[Range] = []
    for number, error in enumerate(errors):
        span = error.span
        if span is None or span.source is not source:
            continue
        end = max(span.end, span.start + 1)
        ranges.append(Range(span.start, end, f'class="dynamic pin" data-p="{number}"'))
        note = {"verdict": "error", "shade": "dynamic", "said": error.message, "rule": ""}
        hints = [] if error.hint is None else [{**note, "verdict": "hint", "said": error.hint}]
        shown = source.text[span.start : span.end].split("\n")[0]
        places[str(number)] = {"text": shown, "at": str(span), "notes": [note, *hints]}
    text = f'<pre class="source" tabindex="0">{lines(source.text, ranges)}</pre>'
    return Pane("source", "Source", source.name, text)
