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
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from lang import il
from lang.datum import Char, Datum, RecordType, Symbol
from lang.errors import Source, Span

Atoms = tuple[il.Atom, ...]


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


@dataclass(slots=True, eq=False, repr=False)
class Closures:
    """Mutually recursive nested procedures."""

    procedures: list[Procedure]
    span: Span | None = None


@dataclass(slots=True, eq=False, repr=False)
class Goto:
    target: Node | None
    arguments: Atoms
    span: Span | None = None


@dataclass(slots=True, eq=False, repr=False)
class Branch:
    test: il.Atom
    then: Node
    otherwise: Node
    span: Span | None = None


@dataclass(slots=True, eq=False, repr=False)
class Invoke:
    function: il.Atom
    arguments: Atoms
    target: Node | None
    span: Span | None = None


Tail = Goto | Branch | Invoke


@dataclass(slots=True, eq=False, repr=False)
class Node:
    """A basic block; `base` is the source procedure its code came from, for naming.  `index`
    belongs to whichever analysis ran last."""

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
class Graph:
    """The whole residual program; `types` are types vouched for, by variable, `word_size` the
    bits of a word."""

    procedures: dict[str, Procedure]
    entry: str
    records: tuple[RecordType, ...] = ()
    source: Source | None = None
    types: dict[str, str] = field(default_factory=dict)
    word_size: int = 64
    made: int = 0
    walked: list[tuple[Procedure, list[Node]]] | None = None
    """What `walk` found, until `restructured`."""

    def restructured(self) -> None:
        """To be called after a change of what can be walked: of tails, procedures, closures."""
        self.walked = None

    def fresh(self, like: str) -> str:
        """A new name with the stem of `like`."""
        self.made += 1
        return f"{stem(like)}.0{self.made}"


def stem(name: str) -> str:
    """The name without its unique number: `from.12` -> `from`."""
    head, dot, tail = name.rpartition(".")
    return head if dot and head and tail.isdigit() else name


def successors(node: Node) -> tuple[Node, ...]:
    """The nodes that control can reach from the end of this one."""
    tail = node.tail
    if isinstance(tail, Branch):
        return (tail.then, tail.otherwise)
    target = tail.target
    return () if target is None else (target,)


def nodes_of(procedure: Procedure) -> list[Node]:
    """The procedure's reachable nodes (without those of nested procedures), depth first."""
    found = []
    seen = set()
    stack = [procedure.start]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        found.append(node)
        tail = node.tail
        if isinstance(tail, Branch):
            stack.append(tail.otherwise)
            stack.append(tail.then)
        elif (target := tail.target) is not None and target not in seen:
            stack.append(target)
    return found


def walk(graph: Graph) -> list[tuple[Procedure, list[Node]]]:
    """Every procedure, nested ones after those they stand in, with its nodes."""
    if graph.walked is None:
        graph.walked = walk_from(graph.procedures.values())
    return graph.walked


def walk_from(procedures: Iterable[Procedure]) -> list[tuple[Procedure, list[Node]]]:
    """These procedures and those nested in them, with their nodes."""
    pending = list(procedures)
    found = []
    for procedure in pending:
        nodes = nodes_of(procedure)
        found.append((procedure, nodes))
        for node in nodes:
            for item in node.items:
                if isinstance(item, Closures):
                    pending.extend(item.procedures)
    return found


def tail_atoms(tail: Tail) -> Atoms:
    """The atoms a tail uses."""
    if isinstance(tail, Goto):
        return tail.arguments
    if isinstance(tail, Branch):
        return (tail.test,)
    return (tail.function, *tail.arguments)


def node_atoms(node: Node) -> Iterator[il.Atom]:
    """The atoms a node uses, in order; without those of nested procedures."""
    for item in node.items:
        if isinstance(item, Operation):
            yield from item.arguments
    yield from tail_atoms(node.tail)


def bound_names(graph: Graph) -> Iterator[str]:
    """Every variable and continuation bound in the graph."""
    for procedure, nodes in walk(graph):
        yield procedure.name
        yield from procedure.parameters
        yield procedure.cont
        if procedure.rest is not None:
            yield procedure.rest
        for node in nodes:
            yield from node.parameters
            yield from (item.name for item in node.items if isinstance(item, Operation))


AtomKey = tuple[object, ...]


def atom_key(atom: il.Atom) -> AtomKey:
    """Equal keys: the atoms are one and the same value (`eqv?`)."""
    if isinstance(atom, il.Const):
        return (il.Const, *datum_key(atom.value))
    return (type(atom), atom.name)


def datum_key(value: Datum) -> AtomKey:
    """Equal keys: `eqv?` data; what has an identity is known by it."""
    kind = type(value)
    if kind is int or kind is bool or kind is Char:
        return (kind, value)
    if kind is float:
        return (float, repr(value))
    if kind is Symbol:
        return (Symbol, value.name)
    return (kind, id(value))


def substitute(graph: Graph, mapping: dict[str, il.Atom]) -> None:
    """Replaces variables throughout; a replacement may itself be replaced (no cycles)."""
    if mapping:
        rewrite_atoms(graph, replacer(mapping))


def replacer(mapping: dict[str, il.Atom]) -> Callable[[il.Atom], il.Atom]:
    """The function that follows the mapping from an atom to its last replacement."""

    def replace(atom: il.Atom) -> il.Atom:
        chain = []
        while isinstance(atom, il.Var) and atom.name in mapping:
            chain.append(atom.name)
            atom = mapping[atom.name]
        for name in chain[:-1]:
            mapping[name] = atom
        return atom

    return replace


def rewrite_atoms(graph: Graph, replace: Callable[[il.Atom], il.Atom]) -> None:
    """Applies `replace` to every atom of the program."""

    def all_of(atoms: Atoms) -> Atoms:
        return tuple([replace(a) for a in atoms]) if atoms else atoms

    for _, nodes in walk(graph):
        for node in nodes:
            for item in node.items:
                if isinstance(item, Operation):
                    item.arguments = all_of(item.arguments)
            tail = node.tail
            if isinstance(tail, Branch):
                tail.test = replace(tail.test)
                continue
            tail.arguments = all_of(tail.arguments)
            if isinstance(tail, Invoke):
                tail.function = replace(tail.function)


def count_uses(graph: Graph) -> dict[str, int]:
    """How often each variable is used."""
    counts: dict[str, int] = {}
    for _, nodes in walk(graph):
        for node in nodes:
            groups = [i.arguments for i in node.items if isinstance(i, Operation)]
            groups.append(tail_atoms(node.tail))
            for atoms in groups:
                for atom in atoms:
                    if isinstance(atom, il.Var):
                        counts[atom.name] = counts.get(atom.name, 0) + 1
    return counts


def drop_parameters(graph: Graph, dropped: set[str]) -> None:
    """Removes parameters of nodes and of top-level procedures, and what is passed for them.

    The procedures' calls must all be known.
    """
    if not dropped:
        return
    keep_of: dict[Node | Procedure, list[int]] = {}
    everything = walk(graph)
    for procedure in graph.procedures.values():
        _keep(procedure, dropped, keep_of)
    for _, nodes in everything:
        for node in nodes:
            _keep(node, dropped, keep_of)
    for _, nodes in everything:
        for node in nodes:
            tail = node.tail
            receiver: Node | Procedure | None = None
            if isinstance(tail, Goto):
                receiver = tail.target
            elif isinstance(tail, Invoke) and isinstance(tail.function, il.Global):
                receiver = graph.procedures.get(tail.function.name)
            if receiver in keep_of and not isinstance(tail, Branch):
                tail.arguments = tuple([tail.arguments[i] for i in keep_of[receiver]])
    for owner, kept in keep_of.items():
        owner.parameters = [owner.parameters[i] for i in kept]


def _keep(
    owner: Node | Procedure, dropped: set[str], keep_of: dict[Node | Procedure, list[int]]
) -> None:
    kept = [i for i, x in enumerate(owner.parameters) if x not in dropped]
    if len(kept) < len(owner.parameters):
        keep_of[owner] = kept


def private(graph: Graph, target: Node) -> Node:
    """A new node that takes what `target` takes and goes there."""
    names = [graph.fresh(x) for x in target.parameters]
    arguments = tuple([il.Var(x) for x in names])
    return Node(names, Goto(target, arguments), base=target.base, span=target.span)


def known_callees(graph: Graph) -> set[str]:
    """The top-level procedures, without the entry, of which every call is known: they are never
    used as a value and always called with as many arguments as they have parameters."""
    known = {name for name in graph.procedures if name != graph.entry}
    for _, nodes in walk(graph):
        for node in nodes:
            for item in node.items:
                if isinstance(item, Operation):
                    for atom in item.arguments:
                        if isinstance(atom, il.Global):
                            known.discard(atom.name)
            tail = node.tail
            if isinstance(tail, Invoke):
                function = tail.function
                used = tail.arguments
                if isinstance(function, il.Global) and function.name in known:
                    callee = graph.procedures[function.name]
                    if callee.rest is not None or len(callee.parameters) != len(used):
                        known.discard(function.name)
            else:
                used = tail_atoms(tail)
            for atom in used:
                if isinstance(atom, il.Global):
                    known.discard(atom.name)
    return known
