"""The words of memory that a path knows, by address: what `rules.memory` keeps.

They are grouped by buffer and by what their index is counted from, so that a store, which forgets
whatever may be the same word, looks at groups, and forgets each word once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cogen.specializer.values.alias import buffers_differ
from cogen.specializer.values.domain import Dynamic, Static, Value
from cogen.specializer.values.elements import KnownElements, KnownFields, KnownSums

Address = tuple[str, str, tuple[int, str] | None, int]
"""A buffer's name and type, the factor and name of the index (None for a known one), and what is
added to it."""

Stored = tuple[Any, int]
"""Where a store stands: a segment and the position of the binding in it."""

_Buffer = tuple[str, str]
_Line = tuple[str, str, tuple[int, str] | None]

_ZERO = Static(0)


@dataclass(slots=True, eq=False, repr=False)
class Word:
    """What is known of a word of memory: what a load of it gave (before the store, if there is
    one), and the bits under `mask` that `store` put there."""

    loaded: Dynamic | None
    mask: int = 0
    value: Value = _ZERO
    store: Stored | None = None


class Words:
    """Known words; those whose store nothing has observed are `_unseen`, too.  Beside them, known
    `elements` of vectors, `fields` of records, and which variables are `sums` of others and a
    number."""

    __slots__ = ("_lines", "_unseen", "elements", "fields", "sums")

    def __init__(self) -> None:
        self.elements, self.fields = KnownElements(), KnownFields()
        self.sums = KnownSums()
        self._lines: dict[_Buffer, dict[_Line, dict[int, Word]]] = {}
        self._unseen: dict[_Line, dict[int, None]] = {}

    def get(self, address: Address) -> Word | None:
        """The word at an address, if it is known."""
        line = self._lines.get(address[:2], _NONE).get(address[:3])
        return None if line is None else line.get(address[3])

    def set(self, address: Address, word: Word) -> None:
        """A word is known from now on."""
        line = address[:3]
        self._lines.setdefault(address[:2], {}).setdefault(line, {})[address[3]] = word
        if word.store is not None:
            self._unseen.setdefault(line, {})[address[3]] = None
        elif line in self._unseen:
            self._unseen[line].pop(address[3], None)

    def clear(self) -> None:
        """Forget everything."""
        self.elements, self.fields = KnownElements(), KnownFields()
        self._lines.clear()
        self._unseen.clear()

    def observe(self) -> None:
        """Any word may be read: forget those with a store."""
        for line in [*self._unseen]:
            self._forget_stores(line)

    def load(self, address: Address) -> None:
        """The word at an address is read: forget those with a store that may be the same."""
        for line in [*self._unseen]:
            if line == address[:3]:
                if self._unseen[line].pop(address[3], 0) is None:
                    del self._lines[line[:2]][line][address[3]]
            elif line[:2] == address[:2] or _may_be_same(line[:2], address[:2]):
                self._forget_stores(line)

    def store(self, address: Address) -> None:
        """The word at an address is written: forget those that may be the same."""
        own, line = address[:2], address[:3]
        for buffer in [*self._lines]:
            if buffer == own:
                for other in [*self._lines[own]]:
                    if other != line:
                        del self._lines[own][other]
                        self._unseen.pop(other, None)
            elif _may_be_same(buffer, own):
                for other in self._lines.pop(buffer):
                    self._unseen.pop(other, None)
        words = self._lines.get(own, _NONE).get(line)
        if words is not None and words.pop(address[3], None) is not None and line in self._unseen:
            self._unseen[line].pop(address[3], None)

    def seen(self) -> Words:
        """A copy without those that have a store."""
        copy = Words()
        copy.elements, copy.fields = self.elements, self.fields
        copy.sums = KnownSums(self.sums)
        copy._lines = {
            buffer: {
                line: {offset: word for offset, word in words.items() if word.store is None}
                for line, words in lines.items()
            }
            for buffer, lines in self._lines.items()
        }
        return copy

    def _forget_stores(self, line: _Line) -> None:
        words = self._lines[line[:2]][line]
        for offset in self._unseen.pop(line):
            del words[offset]


def _may_be_same(a: _Buffer, b: _Buffer) -> bool:
    """Whether two buffers of different names may be one."""
    return a[1] == b[1] or not buffers_differ(a[1], b[1])


_NONE: dict[Any, Any] = {}
