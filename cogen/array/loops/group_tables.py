"""loop -> kernel: buckets in local memory, one table for each work group, which its items share.

    fill the table | barrier | each item's iterations, with atomic operations | barrier | store it

It is there where all that a loop does is put values into buckets by known operators that do not
depend on the order: so ints come out the same in every run; sums of reals may round differently.
The host takes it on devices that have 64-bit atomic operations and room for the table, where items
with tables of their own would fight for memory: on GPUs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cogen.array.loops import tree, treewalk
from cogen.array.loops.cut import Cut, KeyedItem
from cogen.array.loops.expressions import ZERO, choose, convert, load, plus, same, times
from cogen.array.loops.functions import COMBINED
from cogen.array.loops.group_reductions import BARRIER
from cogen.lang.errors import InternalError

TABLE: Final = tree.Var("table", tree.Pointer(tree.I64, "local"))
"""The parameter that points to the group's table."""

_GROUP: Final = tree.Invoke("group", (), tree.I64)
"""The number of the group."""

_WORDS: Final = {
    "+": "add", "*": "mul", "&": "and", "|": "or", "^": "xor", "max": "max", "min": "min",
}  # fmt: skip
"""How the functions call the signs."""


def function_of(how: tree.Combination | None, t: tree.Type) -> str | None:
    """The function that combines what is at a place of the table with a value, if there is one."""
    found = None if how is None else _WORDS.get(how.sign)
    kind = "real" if t in (tree.F64, tree.F32) else "int" if t in (tree.I64, tree.I32) else ""
    return f"into_{kind}_{found}" if found in COMBINED.get(kind, ()) else None


def in_groups(cut: Cut) -> tree.Block | None:
    """What an item does; None if the loop is none of this kind."""
    parts = [part for part in cut.parts if isinstance(part, KeyedItem)]
    if not parts or len(parts) < len(cut.parts):
        return None
    tables = [table for part in parts for table in part.tables]
    if not all(
        function_of(how, v.type)
        for table in tables
        for how, v in zip(table.operator.known, table.operator.left, strict=True)
    ):
        return None
    return _Tables(cut, parts).body()


class _Tables:
    """The tables of a group, one behind the other."""

    def __init__(self, cut: Cut, parts: list[KeyedItem]) -> None:
        self.cut = cut
        self.names = cut.items.names
        self.parts = parts
        self.shared: dict[tree.Var, tree.Var] = {}
        self.combined: dict[tree.Var, tuple[tree.Combination, str]] = {}

    def body(self) -> tree.Block:
        filled = self._fill()
        loop = self.cut.loop
        items = self.cut.items
        own = tree.For(loop.index, items.start, items.stop, loop.step, self._into(loop.body))
        return (*filled, BARRIER, *self.cut.bounds(), tree.Attempt((own,)), BARRIER, *self._store())

    def _fill(self) -> list[tree.Statement]:
        """Start with identities, in the first group with the values before the loop."""
        found: list[tree.Statement] = []
        offset: tree.Expr = ZERO
        for part in self.parts:
            for base, value, how in _accumulators(part):
                shared = self.shared[base] = self.names.fresh("shared", TABLE.type)
                function = function_of(how, value.type)
                assert function is not None
                self.combined[base] = (how, function)
                start = value
                if how.identity is not None:
                    start = choose(same(_GROUP, ZERO), value, how.start(value))
                if value.type in (tree.F64, tree.F32):
                    start = tree.Invoke("slot", (start,), tree.I64)
                key = self.names.fresh("k", tree.I64)
                found.append(tree.Let(shared, plus(TABLE, offset)))
                found.append(
                    _each(key, part.size, tree.Store(shared, key, convert(tree.I64, start)))
                )
                offset = plus(offset, part.size)
        return found

    def _store(self) -> list[tree.Statement]:
        """Store the group's tables where those of all groups are merged from."""
        found: list[tree.Statement] = []
        for part in self.parts:
            for base, value, _ in _accumulators(part):
                key, t = self.names.fresh("k", tree.I64), tree.target(base)
                there: tree.Expr = load(self.shared[base], key)
                is_real = value.type in (tree.F64, tree.F32)
                own = tree.Invoke("real", (there,), t) if is_real else convert(t, there)
                place = plus(times(_GROUP, part.size), key)
                found.append(_each(key, part.size, tree.Store(part.parts[base], place, own)))
        return found

    def _into(self, block: tree.Block) -> tree.Block:
        """Statements that combine in one step what they combine in a table."""
        old: dict[tree.Expr, tree.Expr] = {}
        found: list[tree.Statement] = []
        for statement in block:
            match statement:
                case tree.Let(variable, tree.Load(tree.Var() as base, _) as value) if (
                    base in self.shared
                ):
                    old[value] = variable
                case tree.Store(tree.Var() as base, index, value) if base in self.shared:
                    how, function = self.combined[base]
                    taken = how.taken(old.get(load(base, index), load(base, index)), value)
                    if taken is None:
                        raise InternalError(f"{base.name} is not combined by {how.sign}")
                    place = plus(self.shared[base], index)
                    found.append(tree.Do(tree.Invoke(function, (place, taken), tree.BOOL)))
                case _:
                    inner = [self._into(own) for own in treewalk.blocks(statement)]
                    found.append(treewalk.with_blocks(statement, inner))
        return tuple(found)


def _accumulators(part: KeyedItem) -> Iterator[tuple[tree.Var, tree.Expr, tree.Combination]]:
    """The addresses, the values before the loop, and how they are combined."""
    for table in part.tables:
        for base, value, how in zip(table.bases, table.neutral, table.operator.known, strict=True):
            assert how is not None
            yield base, value, how


def _each(key: tree.Var, size: tree.Expr, statement: tree.Statement) -> tree.Statement:
    """A loop over keys that the items of a group share out."""
    first, step = tree.Invoke("local_item", (), tree.I64), tree.Invoke("local_items", (), tree.I64)
    return tree.For(key, first, size, step, (statement,))
