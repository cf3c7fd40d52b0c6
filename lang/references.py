"""Who refers to whom in a core program: what CPS conversion must know ahead of its one pass.

`scan` counts the references to every local variable and records, for every `Letrec`, which
of its variables each of its right-hand sides mentions.  `groups` then splits the bindings of
a `Letrec` into pieces that can be bound one after the other (Ghuloum and Dybvig, "Fixing
letrec (reloaded)", 2009): procedures that need no cell, values that nothing sees too early,
and the rest, which needs cells.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from cogen.lang import core
from cogen.lang.components import components
from cogen.lang.errors import InternalError


@dataclass(slots=True)
class References:
    """`count` is how often a variable is read or assigned; `uses[letrec][i]` are the indices
    of the letrec's variables that its i-th right-hand side mentions."""

    count: Counter[core.LocalVariable] = field(default_factory=Counter)
    uses: dict[core.LetrecForm, list[set[int]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Enter:
    """From here on the right-hand side `index` of the letrec is read; None: its body."""

    letrec: core.LetrecForm
    index: int | None


class _ReferenceScan:
    def __init__(self) -> None:
        self.result = References()
        self.home: dict[core.LocalVariable, tuple[core.LetrecForm, int]] = {}
        self.active: dict[core.LetrecForm, int | None] = {}

    def run(self, root: core.Expr) -> None:
        work: list[core.Expr | _Enter] = [root]
        while work:
            item = work.pop()
            if isinstance(item, _Enter):
                self.active[item.letrec] = item.index
            else:
                work.extend(reversed(self.parts(item)))

    def parts(self, expr: core.Expr) -> list[core.Expr | _Enter]:
        """The parts of an expression in order; notes what the expression itself mentions."""
        match expr:
            case core.ConstForm() | core.GlobalRef() | core.PrimRef():
                return []
            case core.LocalRef(variable):
                self.mention(variable)
                return []
            case core.LambdaForm(body=body):
                return [body]
            case core.IfForm(test, then, otherwise):
                return [test, then, otherwise]
            case core.SetLocal(variable, value):
                self.mention(variable)
                return [value]
            case core.SetGlobal(value=value):
                return [value]
            case core.LetForm(bindings, body):
                return [*(value for _, value in bindings), body]
            case core.LetrecForm():
                return self.letrec_parts(expr)
            case core.CallForm(function, arguments):
                return [function, *arguments]
            case core.SequenceForm(expressions):
                return list(expressions)
        raise InternalError(f"no core expression: {expr!r}")

    def letrec_parts(self, letrec: core.LetrecForm) -> list[core.Expr | _Enter]:
        self.result.uses[letrec] = [set() for _ in letrec.bindings]
        parts: list[core.Expr | _Enter] = []
        for index, (variable, value) in enumerate(letrec.bindings):
            self.home[variable] = letrec, index
            parts += [_Enter(letrec, index), value]
        return [*parts, _Enter(letrec, None), letrec.body]

    def mention(self, variable: core.LocalVariable) -> None:
        self.result.count[variable] += 1
        home = self.home.get(variable)
        if home is None:
            return
        letrec, index = home
        reader = self.active[letrec]
        if reader is not None:
            self.result.uses[letrec][reader].add(index)


def scan(program: core.CoreProgram) -> References:
    """The references of a whole program."""
    scanner = _ReferenceScan()
    for form in program.forms:
        scanner.run(form.value)
    return scanner.result


@dataclass(frozen=True, slots=True)
class ReferenceGroup:
    """Bindings, by index, that are bound together.

    `kind` is "fix" (procedures that call each other), "let" (one value that nothing reads
    before it is there) or "cells" (values that may be read too early, with the procedures
    between them).
    """

    kind: str
    members: tuple[int, ...]


def groups(letrec: core.LetrecForm, uses: list[set[int]]) -> list[ReferenceGroup]:
    """The bindings of a letrec in an order in which each group needs only earlier ones."""
    simple = [
        isinstance(value, core.LambdaForm) and not variable.assigned
        for variable, value in letrec.bindings
    ]
    edges = [sorted(used) for used in uses]
    previous: int | None = None
    for index, is_simple in enumerate(simple):
        if is_simple:
            continue
        if previous is not None:
            edges[index].append(previous)
        previous = index
    found: list[ReferenceGroup] = []
    for members in components(range(len(simple)), edges.__getitem__):
        if all(simple[index] for index in members):
            kind = "fix"
        elif len(members) == 1 and members[0] not in uses[members[0]]:
            kind = "let"
        else:
            kind = "cells"
        found.append(ReferenceGroup(kind, tuple(members)))
    return found
