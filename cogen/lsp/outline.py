"""Forms -> the definitions in them, as an editor's outline shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.lang.datum import Symbol as Name
from cogen.lang.syntax import Syntax, SyntaxList
from cogen.lsp.analysis import OutlineItem

_KINDS: Final = {
    "define": "variable",
    "define-array": "procedure",
    "define-syntax": "macro",
    "define-record-type": "record",
    "define-values": "variable",
    "define-library": "library",
}


def outline(forms: Sequence[Syntax]) -> tuple[OutlineItem, ...]:
    """The definitions among forms, with those within them."""
    found: list[OutlineItem] = []
    for form in forms:
        found += _symbols(form)
    return tuple(found)


def _symbols(form: Syntax) -> list[OutlineItem]:
    items = _items(form)
    head = _name(items[0]) if items else ""
    if head == "begin":
        return list(outline(items[1:]))
    if head not in _KINDS or len(items) < 2:
        return []
    target = items[1]
    if head == "define-library":
        return [OutlineItem(_text(target), "library", form.span, target.span, outline(items[2:]))]
    if head == "define-record-type":
        return [_record(form, items)] if _name(target) else []
    if head == "define-values":
        names = [part for part in _items(target) if _name(part)]
        return [OutlineItem(_name(part), "variable", form.span, part.span) for part in names]
    is_procedure = not _name(target) or _is_lambda(items[2:])
    while _items(target):
        target = _items(target)[0]
    if not _name(target):
        return []
    kind = "procedure" if head == "define" and is_procedure else _KINDS[head]
    inside = outline(items[2:]) if head == "define" else ()
    return [OutlineItem(_name(target), kind, form.span, target.span, inside)]


def _record(form: Syntax, items: Sequence[Syntax]) -> OutlineItem:
    inside: list[OutlineItem] = []
    for part in items[2:]:
        names = [part] if _name(part) else list(_items(part))
        if part is items[2]:
            names = names[:1]
        elif part not in items[:4]:
            names = names[1:]
        inside += [
            OutlineItem(_name(one), "procedure", part.span, one.span) for one in names if _name(one)
        ]
    return OutlineItem(_name(items[1]), "record", form.span, items[1].span, tuple(inside))


def _is_lambda(values: Sequence[Syntax]) -> bool:
    items = _items(values[0]) if values else ()
    return bool(items) and _name(items[0]) in ("lambda", "case-lambda")


def _items(syntax: Syntax) -> Sequence[Syntax]:
    return syntax.value.items if isinstance(syntax.value, SyntaxList) else ()


def _name(syntax: Syntax) -> str:
    return syntax.value.name if isinstance(syntax.value, Name) else ""


def _text(syntax: Syntax) -> str:
    return syntax.span.source.text[syntax.span.start : syntax.span.end]
