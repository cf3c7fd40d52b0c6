"""Small regions of a known size, those together whose addresses come to one variable, and whether
copies of their elements do for references to them (`cogen.array.loops.scalarise`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from cogen.array.loops import tree, treewalk
from cogen.array.loops.expressions import is_number, value_of
from cogen.array.loops.regions import uses
from cogen.array.loops.tree import BLOCK, Block, Expr, Number, Pointer, Statement, Var

Names = frozenset[str]

MOST: Final = 8
"""Regions of more elements stay in memory, and loops of more iterations are not unrolled."""


@dataclass(frozen=True, slots=True)
class SmallRegions:
    """The names of regions of one size, of variables with references to them, and of addresses;
    what addresses are so many elements after others that stay."""

    names: Names
    roots: Names
    """The addresses that are the first of a region."""
    size: int
    element: Number
    pairs: dict[str, str]
    """The variable that has the reference to what a variable address is in."""
    after: dict[str, tuple[str, int]]

    def place(self, base: Expr, index: Expr) -> tuple[str, int] | None:
        """The address that has an element, and its number; None if it is none of these, or not
        known."""
        if not isinstance(base, Var) or base.name not in self.names or not is_number(index):
            return None
        root, more = self.after.get(base.name, (base.name, 0))
        at = more + value_of(index)
        return (root, at) if 0 <= at < self.size and root in self.roots else None

    def users(self, name: str) -> Names:
        """The names of an address, and of those made of it."""
        return frozenset([name, *[d for d, (root, _) in self.after.items() if root == name]])


def small_regions(body: Block) -> Iterator[SmallRegions]:
    """The groups of small regions."""
    statements = [*treewalk.all_statements(body)]
    declared = [v.name for s in statements for v in treewalk.declared(s)]
    links: dict[str, set[str]] = {}
    for statement in statements:
        names = _linked(statement)
        for name in names:
            links.setdefault(name, set()).update(names)
    done: set[str] = set()
    for statement in statements:
        if not isinstance(statement, tree.Allocate) or statement.variable.name in done:
            continue
        found: set[str] = set()
        waiting = [statement.variable.name]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += links.get(name, ())
        done |= found
        group = _group(statements, frozenset(found))
        if group is not None and all(declared.count(name) == 1 for name in found):
            yield group


def _linked(statement: Statement) -> list[str]:
    """The names of regions and addresses that a statement makes one of another."""
    match statement:
        case tree.Let(variable, e) | tree.Variable(variable, e) | tree.Assign(variable, e):
            if not isinstance(variable.type, Pointer) and variable.type != BLOCK:
                return []
            found = [variable.name]
            if isinstance(statement, tree.Variable) and statement.region is not None:
                found.append(statement.region.name)
            if e is not None:
                found += [x.name for x in _references(e)]
            return found
    return []


def _references(e: Expr) -> Iterator[Var]:
    """The addresses and regions that an expression is made of; not what elements are read of."""
    match e:
        case Var() if isinstance(e.type, Pointer) or e.type == BLOCK:
            yield e
        case tree.Load():
            return
    for inner in treewalk.operands(e):
        yield from _references(inner)


def _group(statements: Sequence[Statement], names: Names) -> SmallRegions | None:
    made = [s for s in statements if isinstance(s, tree.Allocate) and s.variable.name in names]
    (size, element, over), *others = {(s.size, s.element, s.over) for s in made}
    if others or over is not None or not is_number(size) or not isinstance(element, Number):
        return None
    if not 0 < value_of(size) <= MOST:
        return None
    roots: set[str] = set()
    pairs: dict[str, str] = {}
    after: dict[str, tuple[str, int]] = {}
    for statement in statements:
        match statement:
            case tree.Let(variable, tree.Data()) if variable.name in names:
                roots.add(variable.name)
            case tree.Variable(variable, _, region) if variable.name in names:
                if isinstance(variable.type, Pointer):
                    roots.add(variable.name)
                if region is not None:
                    pairs[variable.name] = region.name
            case tree.Let(variable, tree.Binary("+", Var(base), more)) if (
                variable.name in names and is_number(more)
            ):
                root, first = after.get(base, (base, 0))
                after[variable.name] = (root, first + value_of(more))
    return SmallRegions(names, frozenset(roots), value_of(size), element, pairs, after)


# What is asked of a group.


def changes_inside(block: Block, group: SmallRegions) -> bool:
    """Whether iterations that need nothing of one another change none of what is outside them."""
    for statement in treewalk.all_statements(block):
        if not isinstance(statement, tree.For):
            continue
        if statement.mark is None and statement.sharing is None:
            continue
        inner = [*treewalk.all_statements(statement.body)]
        own = {v.name for s in inner for v in treewalk.declared(s)}
        if any(name not in own for s in inner for name in _changed(s, group)):
            return False
    return True


def _changed(statement: Statement, group: SmallRegions) -> Iterator[str]:
    """The addresses of a group that are assigned, or whose elements are."""
    match statement:
        case tree.Assign(Var(name)) if name in group.names:
            yield name
        case tree.Store(Var(name)) | tree.Do(tree.Invoke("copy", (Var(name), *_))):
            if name in group.names:
                yield group.after.get(name, (name, 0))[0]


def are_copies(block: Block, group: SmallRegions) -> bool:
    """Whether elements may be copied where addresses come to variables."""
    inner = [*treewalk.all_statements(block)]
    variables = frozenset([s.variable.name for s in inner if isinstance(s, tree.Variable)])
    stored = {name for s in inner for name in _changed(s, group) if not isinstance(s, tree.Assign)}
    uses_of = uses if stored & variables else partial(_stored, group)
    moving = frozenset() if stored & variables else variables
    return _last_uses(block, group, uses_of, moving) is not None


def _stored(group: SmallRegions, statement: Statement) -> Names:
    """The addresses of a group whose elements a statement changes, or one within it."""
    inner = [s for s in treewalk.all_statements((statement,)) if not isinstance(s, tree.Assign)]
    return frozenset([name for s in inner for name in _changed(s, group)])


def _last_uses(
    block: Block, group: SmallRegions, uses_of: Callable[[Statement], Names], moving: Names
) -> Names | None:
    """The addresses declared outside a block that it moves to other variables; None if any address
    is used again after that, but for those that are `moving`.

    If elements are only changed where they were made, nothing but that is a use, and variables are
    `moving`: what they have they have until something else comes to them.
    """
    found: set[str] = set()
    for at, statement in enumerate(block):
        moved: set[str] = set()
        match statement:
            case tree.Assign(Var(name), Var(source)) | tree.Variable(Var(name), Var(source)):
                if name in group.names and isinstance(statement.variable.type, Pointer):
                    moved.add(source)
        for inner in treewalk.blocks(statement):
            more = _last_uses(inner, group, uses_of, moving)
            if more is None:
                return None
            moved |= more
        moved -= moving
        users = {user for source in moved for user in group.users(source)}
        if users:
            again = isinstance(statement, tree.For | tree.While)
            if any(uses_of(later) & users for later in (*[statement] * again, *block[at + 1 :])):
                return None
        found |= moved
    return frozenset(found - {v.name for s in block for v in treewalk.declared(s)})
