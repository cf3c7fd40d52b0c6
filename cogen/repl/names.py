"""A name in a conversation -> how it is used, what it is, and whose."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from cogen.lang.builtins import builtins
from cogen.lang.datum import Symbol
from cogen.lang.errors import CogenError, Span
from cogen.lang.expand import prelude
from cogen.lang.scope import Binding, GlobalBinding, TopLevelUnit
from cogen.lang.session import Session
from cogen.lsp import reference
from cogen.lsp.analysis import Meaning
from cogen.lsp.meanings import defined, describe
from cogen.programarguments import near_names

_FENCES: Final = re.compile(r"^```\w*\n?", re.MULTILINE)


def told_of(session: Session, name: Symbol, place: Span) -> str:
    """What is told of a name: of one of the conversation or the language, else of the libraries
    that have it.  CogenError at the place if there is none."""
    binding = _bound(session, name)
    if binding is not None:
        found = _meaning(session, name.name, binding)
        return "" if found is None else _text(found)
    texts = []
    for library in reference.libraries():
        for meaning in reference.of_library(library):
            if meaning.name == name.name:
                texts.append(_text(meaning, f"(import {library})"))
    if texts:
        return "\n\n".join(texts)
    near = near_names(name.name, _names(session))
    hint = f"did you mean `{near[0]}`?" if near else None
    raise CogenError(f"unbound name `{name.name}`", place, hint)


def _tables(session: Session) -> Sequence[Mapping[Any, Binding]]:
    return session.unit.table, prelude().table, builtins()


def _bound(session: Session, name: Symbol) -> Binding | None:
    tables = _tables(session)
    return next((table[name] for table in tables if name in table), None)


def _names(session: Session) -> list[str]:
    known = [key for table in _tables(session) for key in table]
    return [key.name for key in known if isinstance(key, Symbol) and key.name[:1] != "%"]


def _meaning(session: Session, name: str, binding: Binding) -> Meaning | None:
    units: list[TopLevelUnit] = [session.unit, *session.libraries.order, prelude()]
    if isinstance(binding, GlobalBinding):
        return describe(name, binding, binding.span, session.source)
    place = defined(units, binding)
    return describe(name, binding, place, session.source)


def _text(meaning: Meaning, imported: str = "") -> str:
    """Lines for a terminal."""
    doc = _FENCES.sub("", meaning.doc).strip()
    whose = imported or meaning.origin
    lines = [meaning.signature or meaning.name, *doc.split("\n"), whose]
    return "\n".join(line for line in lines if line)
