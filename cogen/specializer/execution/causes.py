"""Causes: what builds that which grows without end, and where a `lift` settles it.

States that follow each other are laid side by side (`versions.embedding`).  Where they differ, a
place of the user's program has built what is in the last of them (`analyses.allocation_sites`): a
`cons`, a `lambda`, a sum, a call of the library.  That is where people look, and where `(lift …)`
helps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from cogen.lang.chain import in_library
from cogen.lang.datum import Symbol
from cogen.lang.ilutil import base_name
from cogen.lang.printer import write_brief
from cogen.specializer.analyses.allocation_sites import Site
from cogen.specializer.execution.parts import Parts
from cogen.specializer.values.domain import (
    Cell,
    Closure,
    PartialPair,
    PartialRecord,
    Ref,
    Several,
    Static,
    Test,
)
from cogen.specializer.values.freeze import Store
from cogen.specializer.versions.cause import Cause
from cogen.specializer.versions.embedding import Alignment, EmbeddedRow, EmbeddedState, size
from cogen.specializer.versions.limits import Endless

SHOWN: Final = 40
"""Characters of a value that are shown."""

MOST_PARTS: Final = 24
"""Parts of a value that are shown."""

_HOLDING: Final = frozenset({PartialPair, PartialRecord, Several, Ref, Test})
"""Values that are looked at as wholes."""


def causes(parts: Parts, error: Endless) -> list[Cause]:
    """What is seen to grow in the states of a diagnostic: of which a place in the user's program is
    known; what gets larger before what changes."""
    sites, states = parts.sites, error.states
    if not sites.noting or len(states) < 2:
        return []
    stores = [state.store for state in states]
    found: dict[Site, tuple[bool, Cause]] = {}
    for row in _differences(parts, states):
        whole = row if _are_numbers(row.values) else _whole(row)
        site = sites.giving(whole.values, stores)
        place = sites.places.get(site)
        if place is None or in_library(place) or site in found:
            continue
        texts = _texts(parts, whole.values, stores)
        larger = not all(type(value) is Static for value in whole.values)
        found[site] = not larger, Cause(_name(whole, states), texts, site, place)
    return [cause for _, cause in sorted(found.values(), key=lambda one: one[0])]


def _differences(parts: Parts, states: Sequence[EmbeddedState]) -> list[EmbeddedRow]:
    if len({len(state.roots) for state in states}) > 1:
        return []
    opaque = parts.context.barriers.__contains__
    return Alignment(states, parts.freezing.states, lambda values: True, opaque).differences


def _are_numbers(values: Sequence[Any]) -> bool:
    return all(type(value) is Static and type(value.datum) is int for value in values)


def _whole(row: EmbeddedRow) -> EmbeddedRow:
    """The value of a variable that a difference is in."""
    while row.inside is not None and type(row.inside.values[0]) in _HOLDING:
        row = row.inside
    return row


def _name(row: EmbeddedRow, states: Sequence[EmbeddedState]) -> str:
    """The variable that holds a value, or that it is in."""
    for one in (row, *row.around()):
        owner, key = one.slots[-1]
        if owner is None:
            name = states[-1].roots[key][0]
            return base_name(name) or "what is to be done afterwards"
        if type(key) is str and key not in ("car", "cdr", "continuation"):
            return base_name(key)
    return "it"


def _texts(parts: Parts, values: Sequence[Any], stores: Sequence[Store]) -> tuple[str, ...]:
    """The values, shortened; with their sizes if they look the same."""
    texts = [shown(value, store) for value, store in zip(values, stores, strict=True)]
    if len(set(texts)) < len(texts) and not _are_numbers(values):
        texts = [
            f"{text} ({_extent(parts, value, store)})"
            for text, value, store in zip(texts, values, stores, strict=True)
        ]
    return tuple(texts)


def _extent(parts: Parts, value: Any, store: Store) -> str:
    """How large a value is."""
    if type(value) is Static and type(value.datum) in (str, Symbol):
        datum = value.datum
        return f"{len(datum.name if type(datum) is Symbol else datum):,} characters"
    return f"{size(value, store, parts.context.liveness):,} parts"


def shown(value: Any, store: Store) -> str:
    """A value as people write it, shortened; what only a run knows is `_`."""
    text = _shown(value, store, [MOST_PARTS])
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def _shown(value: Any, store: Store, left: list[int]) -> str:
    left[0] -= 1
    if left[0] < 0:
        return "…"
    match value:
        case Static():
            return write_brief(value.datum, SHOWN)
        case PartialPair():
            return f"({_list(value, store, left)})"
        case PartialRecord():
            return f"#<{value.type.name}{_all(value.fields, store, left)}>"
        case Closure():
            return f"#<procedure {value.function.label}>"
        case Several():
            return f"(values{_all(value.values, store, left)})"
        case Ref() if type(cell := store.get(value.number)) is Cell:
            if cell.kind == "pair":
                return f"({_shown(cell.items[0], store, left)} . …)"
            items = _all(cell.items, store, left)
            return items.strip() if cell.kind == "cell" else f"#({items.strip()})"
    return "_"


def _all(values: Sequence[Any], store: Store, left: list[int]) -> str:
    return "".join(f" {_shown(value, store, left)}" for value in values[: left[0] + 2])


def _list(pair: PartialPair, store: Store, left: list[int]) -> str:
    parts: list[str] = []
    rest: Any = pair
    while type(rest) is PartialPair and left[0] >= 0:
        parts.append(_shown(rest.car, store, left))
        rest = rest.cdr
    end = _shown(rest, store, left)
    return " ".join(parts) if end == "()" else f"{' '.join(parts)} . {end}"
