"""Which values differ in more than data: skeleton, skeleton -> whether they are apart.

`versions.demand` lays states side by side to see whether they differ in data alone.  Mostly they
do not: a name, a procedure or a piece of the program differs somewhere, often deep in a
continuation.  That is so of all values of the same two skeletons (`values.states`), and
skeletons of values that grow have parts in common; so it is found out once for each two of them.

Law: what is apart differs in more than data.  What is not may do so too: numbers and leaves look
alike in skeletons.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from cogen.lang.datum import NIL, Char
from cogen.specializer.values.states import States
from cogen.specializer.values.summary import GROUND, LIST, PLACE, SELF, SUMMARIZED, Skeleton

Roots = Sequence[tuple[str, Any]]

_PAIRS: Final = frozenset({LIST, GROUND})
"""How skeletons of pairs begin."""


class SkeletonsApart:
    """What was found out of skeletons during one specialization."""

    def __init__(self, states: States) -> None:
        self._states = states
        self._known: dict[tuple[Skeleton, Skeleton], bool] = {}
        self._plain: dict[Skeleton, bool] = {}

    def are_states(self, old: Roots, new: Roots) -> bool:
        """Whether states with these roots are apart."""
        return any(self._are_values(a, b) for (_, a), (_, b) in zip(old, new, strict=True))

    def _are_values(self, old: Any, new: Any) -> bool:
        if type(old) not in SUMMARIZED or type(new) not in SUMMARIZED:
            return False
        a, b = self._states.form(old), self._states.form(new)
        return a is not None and b is not None and self.are(a.skeleton, b.skeleton)

    def are(self, old: Skeleton, new: Skeleton) -> bool:
        """Whether values with these skeletons are apart."""
        if old is new:
            return False
        key = old, new
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._compared(old.items, new.items)
        return found

    def _compared(self, old: tuple[Any, ...], new: tuple[Any, ...]) -> bool:
        """`are`, by the items of two skeletons."""
        if old[0] in _PAIRS and new[0] in _PAIRS:
            return self._are_lists(old, new)
        if old[0] is not new[0] or len(old) != len(new):
            return True
        return any(map(self._are_items, old, new))

    def _are_lists(self, old: tuple[Any, ...], new: tuple[Any, ...]) -> bool:
        """`are`, by the items of two pairs: their elements, and what they end with."""
        built, old = self._opened(old)
        others, new = self._opened(new)
        count, other = old[1], new[1]
        both = 2 + min(count, other)
        if any(map(self._are_items, old[2:both], new[2:both])):
            return True
        if count == other:
            return self._are_items(old[both], new[both])
        rest, end = (new, old[both]) if count < other else (old, new[both])
        if end is SELF:
            return False
        if min(count, other) >= (others if count < other else built):
            return True  # a pair without dynamic parts is what steers
        is_plain = all(map(self._is_plain_item, rest[both:]))
        return not is_plain or not (end is PLACE or _is_datum(end))

    def _opened(self, items: tuple[Any, ...]) -> tuple[int, tuple[Any, ...]]:
        """Of a pair: how many pairs it begins with that have dynamic parts in them, and its items
        with those that have not."""
        if items[0] is GROUND:
            return 0, self._states.inside(items[1]).items
        last = items[-1]
        if type(last) is not Skeleton or last.items[0] is not GROUND:
            return items[1], items
        _, count, *more = self._states.inside(last.items[1]).items
        return items[1], (LIST, items[1] + count, *items[2:-1], *more)

    def _are_items(self, old: Any, new: Any) -> bool:
        """Whether values are apart that stand so in skeletons."""
        if type(old) is Skeleton and type(new) is Skeleton:
            return self.are(old, new)
        if old is new or old == new or old is PLACE or old is SELF or new is SELF:
            return False
        if type(old) is Skeleton:
            return old.items[0] is not LIST
        if not _is_datum(old):
            return True
        if type(new) is Skeleton:
            return new.items[0] is not LIST or not self._is_plain_item(new)
        return new is not PLACE and not _is_datum(new)

    def _is_plain_item(self, item: Any) -> bool:
        """Whether neither a procedure nor a continuation is in a value that stands so."""
        if type(item) is not Skeleton:
            return type(item) is not tuple or item[0] not in _PROCEDURES
        found = self._plain.get(item)
        if found is None:
            kind = item.items[0]
            found = kind in _PLAIN and all(map(self._is_plain_item, item.items[1:]))
            self._plain[item] = found
        return found


def _is_datum(item: Any) -> bool:
    """Whether a constant in a skeleton is a character, a string, a truth value or the end of
    lists."""
    if type(item) is tuple:
        return item[0] in _DATA
    return item is NIL or type(item) is Char


_DATA: Final = frozenset({"b", "s"})
_PROCEDURES: Final = frozenset({"p", "return"})
_PLAIN: Final = frozenset({LIST, GROUND, "record"})
