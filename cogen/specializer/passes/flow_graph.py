"""The flow graph that the residual passes work on: mutable, flat, in SSA form.

    graph      ::= procedures by name (the top level), the entry's name
    procedure  ::= parameters [rest] cont, its first node
    node       ::= (parameter ...) (item ...) tail          a basic block
    item       ::= Operation                                x = (op a ...)
                 | Closures                                 mutually recursive procedures
    tail       ::= Goto target (a ...)                      target None: the procedure returns
                 | Branch a then otherwise
                 | Invoke f (a ...) target                  target None: a tail call

Laws

* a procedure's first node has no parameters and no predecessor;
* a Branch's arms and an Invoke's target are *private*: that edge is their only one, and an arm
  has no parameters; so what is put at the head of an arm runs only there;
* a use of a variable is dominated by what binds it (a nested procedure by its Closures).

Conditionals and the code after a call are nodes of their own, so a body of any depth is a flat
graph and no pass needs recursion.

Note [What changes]
    A graph is changed in place, in five respects:

        EDGES   which procedures and nodes there are, where tails go, whose calls are all known
        ITEMS   where operations stand, and new ones
        ATOMS   operands are replaced by others
        LESS    operations, and parameters with what is passed for them, that nothing uses are gone
        MARKS   what is noted of operations: `safe`, `type`

    Whoever changes a graph says so by `Graph.changed`, after the change and before anything is
    asked of the graph again.  So what is found out about it can be kept while it stays true
    (`passes.facts`), and a pass is run again only where there is something new for it
    (`passes.clean`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar, final

from cogen.lang import il
from cogen.lang.datum import Char, Datum, RecordType, Symbol
from cogen.lang.errors import Source, Span
from cogen.specializer.versions.graph import AssignedKinds

Atoms = tuple[il.Atom, ...]

EDGES: Final = 1
ITEMS: Final = 2
ATOMS: Final = 4
LESS: Final = 8
MARKS: Final = 16
ANYTHING: Final = EDGES | ITEMS | ATOMS | LESS | MARKS
"""See Note [What changes]."""


@final
@dataclass(slots=True, eq=False, repr=False)
class Operation:
    """A primitive operation; `safe` once its type, index and division failures are excluded,
    `type` its result's type as far as known (as in `lang.prims`)."""

    name: str
    op: str
    arguments: Atoms
    span: Span | None = None
    safe: bool = False
    type: str = "any"


@final
@dataclass(slots=True, eq=False, repr=False)
class Closures:
    """Mutually recursive nested procedures."""

    procedures: list[Procedure]
    span: Span | None = None


@final
@dataclass(slots=True, eq=False, repr=False)
class Goto:
    target: Node | None
    arguments: Atoms
    span: Span | None = None


@final
@dataclass(slots=True, eq=False, repr=False)
class Branch:
    test: il.Atom
    then: Node
    otherwise: Node
    span: Span | None = None


@final
@dataclass(slots=True, eq=False, repr=False)
class Invoke:
    function: il.Atom
    arguments: Atoms
    target: Node | None
    span: Span | None = None


Tail = Goto | Branch | Invoke


@dataclass(slots=True, eq=False, repr=False)
class Node:
    """A basic block; `base` is the source procedure its code came from, for naming.  `index` is
    its place in its procedure's dominator tree, once that has been asked for."""

    parameters: list[str]
    tail: Tail
    items: list[Operation | Closures] = field(default_factory=list)
    base: str = ""
    span: Span | None = None
    index: int = 0


@dataclass(slots=True, eq=False, repr=False)
class Procedure:
    """A residual procedure; `base` is what it is called after, and its label for people."""

    name: str
    parameters: list[str]
    rest: str | None
    cont: str
    start: Node
    base: str
    span: Span | None = None


@dataclass(slots=True, eq=False, repr=False)
class ResidualGraph:
    """The whole residual program; `types` are types vouched for, by variable, `word_size` the
    bits of a word, `assigned` what the program may assign, `boxes` the record types of boxes.
    `kept` is what is known about it, `changes` in what respects it has changed since that was last
    set to 0."""

    procedures: dict[str, Procedure]
    entry: str
    records: tuple[RecordType, ...] = ()
    boxes: tuple[RecordType, ...] = ()
    source: Source | None = None
    types: dict[str, str] = field(default_factory=dict)
    word_size: int = 64
    assigned: AssignedKinds = field(default_factory=AssignedKinds)
    made: int = 0
    kept: dict[FlowFact[Any], Any] = field(default_factory=dict)
    changes: int = 0

    def changed(self, respects: int) -> None:
        """The graph has been changed in these respects: what depends on them is forgotten."""
        self.changes |= respects
        for fact in [fact for fact in self.kept if fact.respects & respects]:
            del self.kept[fact]

    def fresh(self, like: str) -> str:
        """A new name with the stem of `like`."""
        self.made += 1
        return f"{stem(like)}.0{self.made}"


T = TypeVar("T")


class FlowFact(Generic[T]):
    """A function of a graph whose value is kept until the graph changes in these respects.
    Nobody changes the value."""

    def __init__(self, find: Callable[[ResidualGraph], T], respects: int) -> None:
        self.find = find
        self.respects = respects
        self.__doc__ = find.__doc__

    def __call__(self, graph: ResidualGraph) -> T:
        kept = graph.kept
        if self in kept:
            found: T = kept[self]
            return found
        value = kept[self] = self.find(graph)
        return value


def fact(respects: int) -> Callable[[Callable[[ResidualGraph], T]], FlowFact[T]]:
    """Makes a function of a graph one whose value is kept; see `Fact`."""
    return lambda find: FlowFact(find, respects)


def stem(name: str) -> str:
    """The name without its unique number: `from.12` -> `from`."""
    head, dot, tail = name.rpartition(".")
    return head if dot and head and tail.isdigit() else name


def successors(node: Node) -> tuple[Node, ...]:
    """The nodes that control can reach from the end of this one."""
    tail = node.tail
    if type(tail) is Branch:
        return (tail.then, tail.otherwise)
    target = tail.target
    return () if target is None else (target,)


def nodes_of(procedure: Procedure) -> list[Node]:
    """The procedure's reachable nodes (without those of nested procedures), depth first."""
    found: dict[Node, None] = {}
    stack = [procedure.start]
    while stack:
        node: Node | None = stack.pop()
        while node is not None and node not in found:
            found[node] = None
            tail = node.tail
            if type(tail) is Branch:
                stack.append(tail.otherwise)
                node = tail.then
            else:
                node = tail.target
    return list(found)


def tail_atoms(tail: Tail) -> Atoms:
    """The atoms a tail uses."""
    if type(tail) is Goto:
        return tail.arguments
    if type(tail) is Branch:
        return (tail.test,)
    return (tail.function, *tail.arguments)


def node_atoms(node: Node) -> Iterator[il.Atom]:
    """The atoms a node uses, in order; without those of nested procedures."""
    for item in node.items:
        if type(item) is Operation:
            yield from item.arguments
    yield from tail_atoms(node.tail)


AtomKey = tuple[object, ...]


def atom_key(atom: il.Atom) -> AtomKey:
    """Equal keys: the atoms are one and the same value (`eqv?`)."""
    if type(atom) is il.Const:
        return (il.Const, *datum_key(atom.value))
    return (type(atom), atom.name)


def datum_key(value: Datum) -> AtomKey:
    """Equal keys: `eqv?` data; what has an identity is known by it."""
    kind = type(value)
    if kind is int or kind is bool or kind is Char or kind is str:
        return (kind, value)
    if kind is float:
        return (float, repr(value))
    if kind is Symbol:
        return (Symbol, value.name)
    return (kind, id(value))
