"""The bounds of variables that are assigned again: what a loop carries round.

An interval (`cogen.interval`) for every integer variable of a procedure that a `Move` assigns, the
least that holds for all that is assigned to it; in an arm of a conditional, and behind one whose
other arm leaves, the operands of its test are refined.  C needs no more than 32 bits for a
variable that stays within them: a loop that keeps the greatest of some samples, or an error that
is clamped, then fits twice as many lanes of a vector register.

The walk over a procedure is repeated until nothing grows, with widening for what keeps growing, and
once more to take back what widening went too far.
"""

from __future__ import annotations

from cogen import interval
from cogen.backends.kernel import structured as st
from cogen.backends.kernel.literals import interval_of, interval_of_table, table_of
from cogen.backends.kernel.types import INT, Types
from cogen.interval import EVERYTHING, Interval
from cogen.lang import il

Here = dict[str, Interval]
"""Intervals that are narrower at one place than everywhere."""


def of_assigned(procedure: st.KernelProcedure, found: dict[str, Interval]) -> dict[str, Interval]:
    """Those of the variables that moves assign."""
    moves = [s for s in st.walk(procedure.body) if isinstance(s, st.Move)]
    assigned = {name for move in moves for name, _ in move.pairs}
    return {name: bounds for name, bounds in found.items() if name in assigned}


def intervals(procedure: st.KernelProcedure, types: Types, word_size: int) -> dict[str, Interval]:
    """The intervals of all integer variables, where anything is known."""
    found = _Ranging(procedure, types, word_size).settle()
    return {n: b for n, b in found.items() if b != EVERYTHING and types.variables.get(n) == INT}


class _Ranging:
    """`found` are the intervals of variables; one that is missing has not been reached."""

    def __init__(self, procedure: st.KernelProcedure, types: Types, word_size: int) -> None:
        self.body = procedure.body
        self.types = types
        self.word_size = word_size
        self.parameters = procedure.parameters
        self.growing = interval.GrowingIntervals()
        self.found = self.growing.found
        self.found.update(dict.fromkeys(procedure.parameters, EVERYTHING))
        self.made_by: dict[str, st.Op] = {}

    def settle(self) -> dict[str, Interval]:
        """Walk until nothing grows, and once to narrow."""
        growing = self.growing
        while growing.changed:
            growing.changed = False
            self.walk(self.body, {})
        growing.passed = dict.fromkeys(self.parameters, EVERYTHING)
        self.walk(self.body, {})
        return {**self.found, **growing.passed}

    def of(self, atom: il.Atom, here: Here) -> Interval | None:
        """The interval of an atom; None if its value has not been reached."""
        if isinstance(atom, il.Const):
            return interval.point(atom.value) if type(atom.value) is int else EVERYTHING
        if not isinstance(atom, il.Var) or self.types.variables.get(atom.name, INT) != INT:
            return EVERYTHING
        return here.get(atom.name) or self.found.get(atom.name)

    def walk(self, body: st.Body, here: Here) -> Here | None:
        """What is known behind a body; None if control does not get there."""
        known: Here | None = here
        for statement in body:
            if isinstance(statement, st.Mark):  # jumps lead here, whatever stands before
                known = {}
            elif known is not None:
                known = self.statement(statement, known)
        return known

    def statement(self, statement: st.Statement, here: Here) -> Here | None:
        """What is known behind a statement that control comes to; None if it does not go on."""
        match statement:
            case st.Op():
                self.operation(statement, here)
            case st.KernelCall(name=name) if name is not None:
                here.pop(name, None)
                self.growing.receive(name, EVERYTHING)
            case st.Move(pairs):
                self.move(pairs, here)
            case st.Branch():
                return self.branch(statement, here)
            case st.KernelLoop():
                moved = {n for s in st.walk(statement.body) for n in st.assigned(s)}
                here = {name: value for name, value in here.items() if name not in moved}
                self.walk(statement.body, dict(here))
            case (
                st.Again()
                | st.Leave()
                | st.Goto()
                | st.KernelResult()
                | st.Finish()
                | st.KernelFailure()
            ):
                return None
        return here

    def operation(self, operation: st.Op, here: Here) -> None:
        self.made_by[operation.name] = operation
        arguments = [self.of(atom, here) for atom in operation.arguments]
        if operation.op == "load-word":
            buffer = operation.arguments[0]
            literal = buffer.value if isinstance(buffer, il.Const) else None
            self.found[operation.name] = interval_of(literal, self.word_size)
        elif (table := table_of(operation)) is not None:
            self.found[operation.name] = interval_of_table(table)
        elif None not in arguments:
            known = [value for value in arguments if value is not None]
            self.found[operation.name] = interval.result(operation.op, known)

    def move(self, pairs: tuple[tuple[str, il.Atom], ...], here: Here) -> None:
        values = [(name, self.of(atom, here)) for name, atom in pairs]
        for name, value in values:
            here.pop(name, None)
            if value is not None:
                self.growing.receive(name, value)

    def branch(self, branch: st.Branch, here: Here) -> Here | None:
        """Both arms; what holds behind both of them."""
        then = self.walk(branch.then, self.learn(branch.test, True, here))
        otherwise = self.walk(branch.otherwise, self.learn(branch.test, False, here))
        if then is None or otherwise is None:
            return otherwise if then is None else then
        return {n: interval.join(v, otherwise[n]) for n, v in then.items() if n in otherwise}

    def learn(self, test: il.Atom, holds: bool, here: Here) -> Here:
        """What is known where a test is true or false."""
        here = dict(here)
        operation = self.made_by.get(test.name) if isinstance(test, il.Var) else None
        if operation is None:
            return here
        op, arguments = operation.op, operation.arguments
        if op == "not":
            return self.learn(arguments[0], not holds, here)
        if op in interval.AGAINST_ZERO:
            op, arguments = interval.AGAINST_ZERO[op], (*arguments, il.Const(0))
        if op not in interval.NEGATED or any(self.types.of(a) != INT for a in arguments):
            return here
        a, b = (self.of(atom, here) for atom in arguments)
        if a is None or b is None:
            return here
        refined = interval.refine(op if holds else interval.NEGATED[op], a, b)
        for atom, value in zip(arguments, refined or (), strict=False):
            if isinstance(atom, il.Var):
                here[atom.name] = value
        return here
