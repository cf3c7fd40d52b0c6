"""A page that can be changed: choose another entry, layout or static argument, and see what
becomes of the residual program and its C.

    address ─ arguments ─ residual program ─ its page, with a form above, lines that changed marked

What is asked for stands in the page's address, so going back in the browser goes back.  The file is
read anew each time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from html import escape
from pathlib import Path
from typing import Any, Final

import cogen
from cogen.lang import il
from cogen.lang.errors import CogenError
from cogen.lang.ilutil import base_name, find_procedure
from cogen.programarguments import (
    binding_time,
    check_count,
    check_entry,
    check_records,
    load_program,
)
from cogen.view.arraypage import array_page
from cogen.view.failed import failed_page
from cogen.view.page import residual_page

SUGGESTED: Final = (
    "_", "(dynamic int)", "(dynamic float)", "(dynamic bool)", "(dynamic memory)",
    "(dynamic (array float))", '(dynamic (array (packed "u12")))', "(cyclic 32 0)", "(cyclic 8 0)",
    "(static 8)", "(static 12)", "(static 16)", "(static 24)",
)  # fmt: skip
"""Binding times that a field offers."""

MOST_COMPARED: Final = 4000
"""Lines of a text that are compared with those before."""

Query = Mapping[str, Sequence[str]]
"""What an address asks for: values by name."""


@dataclass
class Player:
    """Makes the pages of one file; `entry` and `bts` are what the first one shows, `options` those
    of `cogen.specialize`."""

    file: str
    entry: str | None = None
    bts: Sequence[str] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    _before: dict[str, str] = field(default_factory=dict)
    """The texts of the page before, by target."""

    def page(self, query: Query) -> str:
        """The page of what an address asks for; of a diagnostic, if it cannot be made."""
        try:
            if Path(self.file).suffix == ".l0":
                return self._array(query)
            return self._residual(query)
        except CogenError as error:
            return failed_page(self.file, error)

    def _array(self, query: Query) -> str:
        from cogen.array import load

        program = load(self.file)
        usual = "main" if "main" in program.entries else next(reversed(program.entries), "main")
        entry = _one(query, "entry") or self.entry or usual
        return array_page(program, entry, _form(_chosen(entry, program.entries)))

    def _residual(self, query: Query) -> str:
        program = load_program(self.file)
        names = _procedures(program)
        entry = _one(query, "entry") or self.entry or (names[-1] if names else "main")
        bts = self._binding_times(query, program, entry)
        size = _one(query, "word-size") or str(self.options.get("word_size", 32))
        form = _form(
            _chosen(entry, names),
            *_fields(program, entry, bts),
            _sizes(size),
            hidden={"of": entry},
        )
        try:
            residual = self._specialized(program, entry, bts, int(size))
        except CogenError as error:
            return failed_page(self.file, error, form)
        targets = residual.mapping.targets
        new = {name: changed(self._before.get(name), text) for name, text in targets.items()}
        self._before = dict(targets)
        return residual_page(residual.program, residual.mapping, residual.explain(), form, new)

    def _binding_times(self, query: Query, program: il.Program, entry: str) -> Sequence[str]:
        """Those that are asked for, if they are meant for this entry; else those of the command
        line, if it named the entry; else nothing is known."""
        if _one(query, "of") == entry and query.get("bt"):
            return query["bt"]
        function = find_procedure(program, entry)
        count = 0 if function is None else len(function.parameters)
        is_first = self.entry is None or entry == self.entry
        return self.bts if self.bts and is_first else ["_"] * count

    def _specialized(
        self, program: il.Program, entry: str, bts: Sequence[str], word_size: int
    ) -> cogen.Residual:
        check_entry(program, entry)
        check_count(program, entry, len(bts))
        parsed = []
        for number, text in enumerate(bts, 1):
            if "@-" in text:
                raise CogenError(f"BT {number}: a page has no standard input")
            parsed.append(binding_time(text, f"BT {number}"))
            check_records(program, parsed[-1], f"BT {number}")
        options = {**self.options, "word_size": word_size}
        return cogen.specialize(program, entry, *parsed, explain=True, **options)


def changed(before: str | None, after: str) -> frozenset[int]:
    """The lines of a text, from 0, that are not in the one before, if there is one."""
    if before is None or before == after:
        return frozenset()
    old, new = before.splitlines(), after.splitlines()
    if max(len(old), len(new)) > MOST_COMPARED:
        return frozenset()
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    kept = {line for block in blocks for line in range(block.b, block.b + block.size)}
    return frozenset(range(len(new))) - kept


def _one(query: Query, name: str) -> str:
    values = query.get(name, ())
    return values[0] if values else ""


def _procedures(program: il.Program) -> list[str]:
    """The procedures that the program itself defines, in order."""
    return [
        item.name
        for item in program.items
        if isinstance(item, il.Define) and item.name in program.own_globals
    ]


# The form


def _form(*fields: str, hidden: Mapping[str, str] | None = None) -> str:
    kept = "".join(
        f'<input type="hidden" name="{name}" value="{escape(value)}">'
        for name, value in (hidden or {}).items()
    )
    offered = "".join(f'<option value="{escape(text)}"></option>' for text in SUGGESTED)
    return (
        f'<form class="player" method="get">{"".join(fields)}{kept}'
        f'<button>Specialize</button><datalist id="times">{offered}</datalist></form>'
    )


def _chosen(entry: str, names: Sequence[str]) -> str:
    shown = [*names] if entry in names else [entry, *names]
    options = "".join(
        f"<option{' selected' if name == entry else ''}>{escape(name)}</option>" for name in shown
    )
    return f'<label>entry <select name="entry" data-submits>{options}</select></label>'


def _fields(program: il.Program, entry: str, bts: Sequence[str]) -> list[str]:
    """A field for each parameter."""
    function = find_procedure(program, entry)
    names = [] if function is None else [base_name(name) for name in function.parameters]
    names += [f"argument {number + 1}" for number in range(len(names), len(bts))]
    return [
        f'<label>{escape(name)} <input name="bt" value="{escape(bt)}" list="times" '
        f'size="{max(12, min(40, len(bt) + 1))}" spellcheck="false" autocomplete="off"></label>'
        for name, bt in zip(names, [*bts, *[""] * len(names)], strict=False)
    ]


def _sizes(chosen: str) -> str:
    options = "".join(
        f"<option{' selected' if str(size) == chosen else ''}>{size}</option>"
        for size in range(8, 65, 8)
    )
    return f'<label>word size <select name="word-size">{options}</select></label>'
