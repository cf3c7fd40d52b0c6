"""Where a function's variables live: uses, and the place of each declaration.

A variable is declared where it is first assigned if that place sees all its uses; else
without a value before the statement in which it first occurs, in the innermost body that
sees all its uses.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from cogen.backends.kernel import structured as st
from cogen.lang import il

Path = tuple[tuple[int, int], ...]
"""The bodies around a place, outermost first, each with the position in it."""


@dataclass(slots=True)
class VariableScopes:
    """What is known about the variables of one procedure.

    `uses` counts reads.  `declared_before` gives, for a statement, the variables that are
    declared before it.  `nested` are the variables read once, at a place that sees the
    definition's operands, and not in a loop that the definition is not in: their value may
    be written there in place of a name.
    """

    uses: Counter[str] = field(default_factory=Counter)
    declared_before: dict[st.Statement, list[str]] = field(default_factory=dict)
    nested: set[str] = field(default_factory=set)
    local: set[tuple[str, st.KernelLoop]] = field(default_factory=set)
    """Pairs of a variable and a loop outside of which only assignments of it stand."""


def scopes(procedure: st.KernelProcedure) -> VariableScopes:
    """The scopes of a pruned procedure."""
    return _Scoper(procedure).scopes


class _Scoper:
    def __init__(self, procedure: st.KernelProcedure) -> None:
        self.scopes = VariableScopes()
        self.bodies: list[st.Body] = []
        self.is_loop: list[bool] = []
        self.reads: dict[str, list[Path]] = defaultdict(list)
        self.writes: dict[str, list[tuple[Path, st.Statement]]] = defaultdict(list)
        self.loops: list[tuple[st.KernelLoop, Path]] = []
        self._visit(procedure.body)
        for name in self.writes:
            if name not in procedure.parameters:
                self._place(name)
        for name in {*self.writes, *self.reads}:
            self._find_loops(name)

    def _visit(self, root: st.Body) -> None:
        work: list[tuple[st.Body, Path, bool]] = [(root, (), False)]
        while work:
            body, around, is_loop = work.pop()
            number = len(self.bodies)
            self.bodies.append(body)
            self.is_loop.append(is_loop)
            for position, statement in enumerate(body):
                path = (*around, (number, position))
                for atom in st.used(statement):
                    if isinstance(atom, il.Var):
                        self.reads[atom.name].append(path)
                        self.scopes.uses[atom.name] += 1
                for name in st.assigned(statement):
                    self.writes[name].append((path, statement))
                if isinstance(statement, st.Branch):
                    work.append((statement.then, path, False))
                    work.append((statement.otherwise, path, False))
                elif isinstance(statement, st.KernelLoop):
                    self.loops.append((statement, path))
                    work.append((statement.body, path, True))

    def _place(self, name: str) -> None:
        writes = self.writes[name]
        paths = [path for path, _ in writes] + self.reads[name]
        home = _common(paths)
        body = self.bodies[home[-1][0]] if home else self.bodies[0]
        first = min(path[len(home) - 1][1] for path in paths) if home else 0
        statement = body[first]
        depth = len(home)
        if not any(s is statement and len(path) == depth for path, s in writes):
            self.scopes.declared_before.setdefault(statement, []).append(name)
        if len(writes) == 1 and len(self.reads[name]) == 1:
            definition, use = writes[0][0], self.reads[name][0]
            around = definition[:-1]
            body_number = definition[-1][0]
            inside = use[: len(around)] == around and use[len(around)][0] == body_number
            if inside and not any(self.is_loop[n] for n, _ in use[len(definition) :]):
                self.scopes.nested.add(name)

    def _find_loops(self, name: str) -> None:
        """The loops outside of which the variable is never read."""
        reads = self.reads[name]
        for loop, path in self.loops:
            if name in loop.parameters and all(p[: len(path)] == path for p in reads):
                self.scopes.local.add((name, loop))


def _common(paths: list[Path]) -> Path:
    """The place in the innermost body around all of the places, its position arbitrary."""
    shared = paths[0]
    for path in paths[1:]:
        depth = 0
        for one, other in zip(shared, path, strict=False):
            if one[0] != other[0]:
                break
            depth += 1
            if one[1] != other[1]:
                break
        shared = shared[:depth]
    return shared
