"""What C needs to know about a whole program before its functions are printed.

Which procedures call each other in circles, which store to memory, which buffers are stored
to or loaded from, and which may be the same buffer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from cogen.backends.kernel import structured as st
from cogen.backends.kernel.localvectors import WRITERS
from cogen.backends.kernel.types import MEMORY, Types, flows
from cogen.lang import il
from cogen.lang.components import components
from cogen.lang.errors import LimitationError, Span

STORES = frozenset(["store-word!"])
LOADS = frozenset(["load-word"])


@dataclass(slots=True)
class ProcedureFacts:
    """`order` has callees before callers.  `stored` are the variables of memory that is (or
    may be, in a called procedure) written to, `loaded` those of memory that is read;
    `restricted` are the procedures whose buffers
    are known to be different and are never reassigned; `origins` are the parameters of the entry
    that a variable of memory may be, and others for what is none."""

    order: list[st.KernelProcedure]
    recursive: set[str]
    storing: set[str]
    stored: set[str]
    loaded: set[str]
    restricted: set[str]
    origins: Mapping[str, set[object]]


def reached(procedures: Sequence[st.KernelProcedure], entry: str) -> list[st.KernelProcedure]:
    """The procedures that the entry calls, directly or not, and itself."""
    named = {procedure.name: procedure for procedure in procedures}
    groups = components([entry], lambda name: list(dict.fromkeys(_callees(named[name]))))
    names = {name for group in groups for name in group}
    return [procedure for procedure in procedures if procedure.name in names]


def facts(procedures: Sequence[st.KernelProcedure], entry: str, types: Types) -> ProcedureFacts:
    """The facts of a program; only what the entry reaches is looked at.

    LimitationError if a literal is stored to.
    """
    named = {procedure.name: procedure for procedure in procedures}
    groups = components([entry], lambda name: list(dict.fromkeys(_callees(named[name]))))
    order = [named[name] for group in groups for name in group]
    recursive = {
        name for group in groups for name in group if len(group) > 1 or _calls(named[name], name)
    }
    edges = list(flows(order))
    storing = _storing(order)
    stored = _stored(order, edges)
    loaded = {a.name for a in _accessed(order, edges, LOADS) if isinstance(a, il.Var)}
    memory = {name for name, type_ in types.variables.items() if type_ == MEMORY}
    origins = _origins(edges, named[entry].parameters, memory)
    restricted = _restricted(order, origins, stored, memory)
    return ProcedureFacts(order, recursive, storing, stored, loaded, restricted, origins)


def _callees(procedure: st.KernelProcedure) -> Iterator[str]:
    for statement in st.walk(procedure.body):
        if isinstance(statement, st.KernelCall | st.Finish):
            yield statement.function


def _calls(procedure: st.KernelProcedure, name: str) -> bool:
    return name in _callees(procedure)


def _storing(order: Sequence[st.KernelProcedure]) -> set[str]:
    """The procedures that store to memory, themselves or by a call."""
    storing: set[str] = set()
    changed = True
    while changed:
        changed = False
        for procedure in order:
            if procedure.name not in storing and any(
                stores(statement, storing) for statement in st.walk(procedure.body)
            ):
                storing.add(procedure.name)
                changed = True
    return storing


def stores(statement: st.Statement, storing: set[str]) -> bool:
    """Whether the statement itself writes to memory, or to a vector."""
    match statement:
        case st.Op(op=op):
            return op in STORES or op in WRITERS
        case st.KernelCall(function=function) | st.Finish(function=function):
            return function in storing
    return False


def _accessed(
    order: Sequence[st.KernelProcedure],
    edges: Sequence[tuple[il.Atom, str]],
    operations: frozenset[str],
) -> dict[il.Atom, Span | None]:
    """The atoms whose memory the operations may work on and where one does."""
    work: list[tuple[il.Atom, Span | None]] = [
        (statement.arguments[0], statement.span)
        for procedure in order
        for statement in st.walk(procedure.body)
        if isinstance(statement, st.Op) and statement.op in operations
    ]
    sources: dict[str, list[il.Atom]] = defaultdict(list)
    for atom, name in edges:
        sources[name].append(atom)
    found: dict[il.Atom, Span | None] = {}
    while work:
        atom, span = work.pop()
        if atom not in found:
            found[atom] = span
            if isinstance(atom, il.Var):
                work.extend((source, span) for source in sources[atom.name])
    return found


def _stored(order: Sequence[st.KernelProcedure], edges: Sequence[tuple[il.Atom, str]]) -> set[str]:
    """The variables that hold memory that is written to."""
    stored: set[str] = set()
    for atom, span in _accessed(order, edges, STORES).items():
        if not isinstance(atom, il.Var):
            raise LimitationError(
                "C code cannot store to a literal bytevector", span,
                hint="pass the buffer as an argument",
            )  # fmt: skip
        stored.add(atom.name)
    return stored


def identity(atom: il.Atom) -> object:
    """What tells a buffer that is a constant from others."""
    return id(atom.value) if isinstance(atom, il.Const) else id(atom)


def _origins(
    edges: Sequence[tuple[il.Atom, str]], parameters: Sequence[str], memory: Collection[str]
) -> dict[str, set[object]]:
    """Which of the parameters, or which constants, variables of memory may be."""
    origins: dict[str, set[object]] = defaultdict(set)
    for name in parameters:
        origins[name].add(name)
    changed = True
    while changed:
        changed = False
        for atom, name in edges:
            if name not in memory:
                continue
            found = origins[atom.name] if isinstance(atom, il.Var) else {identity(atom)}
            if not found <= origins[name]:
                origins[name] |= found
                changed = True
    return origins


def _restricted(
    order: Sequence[st.KernelProcedure],
    origins: Mapping[str, set[object]],
    stored: set[str],
    memory: Collection[str],
) -> set[str]:
    """The procedures whose buffer parameters are certainly different memory."""
    restricted: set[str] = set()
    for procedure in order:
        buffers = [name for name in procedure.parameters if name in memory]
        moved = any(
            name in memory and not (name in procedure.parameters and atom == il.Var(name))
            for statement in st.walk(procedure.body)
            if isinstance(statement, st.Move)
            for name, atom in statement.pairs
        )
        apart = not any(
            origins[a] & origins[b] and (a in stored or b in stored)
            for i, a in enumerate(buffers)
            for b in buffers[i + 1 :]
        )
        if apart and not moved:
            restricted.add(procedure.name)
    return restricted
