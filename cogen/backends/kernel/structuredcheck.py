"""Structured code is well-formed: variables, labels, calls, and where control goes."""

from __future__ import annotations

from collections.abc import Sequence

from cogen.backends.kernel import structured as st
from cogen.lang import il
from cogen.lang.errors import InternalError


def check(procedures: Sequence[st.KernelProcedure]) -> None:
    """InternalError, with the procedure's name, for code that breaks a law of
    `cogen.backends.kernel.structured`."""
    parameters = {procedure.name: len(procedure.parameters) for procedure in procedures}
    for procedure in procedures:
        _ProcedureCheck(procedure, parameters).run()


class _ProcedureCheck:
    """The check of one procedure; `known` has how many parameters each procedure takes."""

    def __init__(self, procedure: st.KernelProcedure, known: dict[str, int]) -> None:
        self.procedure = procedure
        self.known = known
        statements = list(st.walk(procedure.body))
        self.marks = {s.label for s in statements if isinstance(s, st.Mark)}
        self.assigned = {name for s in statements for name in st.assigned(s)}

    def fail(self, what: str) -> InternalError:
        return InternalError(f"{self.procedure.name}: {what}")

    def run(self) -> None:
        self.body(self.procedure.body, ())
        if st.falls(self.procedure.body):
            raise self.fail("control goes past its end")

    def body(self, body: st.Body, loops: tuple[str, ...]) -> None:
        for statement in body:
            self.statement(statement, loops)

    def statement(self, statement: st.Statement, loops: tuple[str, ...]) -> None:
        for atom in st.used(statement):
            if isinstance(atom, il.Var) and not self.is_assigned(atom.name):
                raise self.fail(f"{atom.name} is used and never assigned")
        match statement:
            case st.Again(label) | st.Leave(label):
                if not loops or loops[-1] != label:
                    raise self.fail(f"{label} is not the innermost loop")
            case st.Goto(label):
                if label not in self.marks:
                    raise self.fail(f"there is no mark {label}")
            case st.KernelCall(function=name) | st.Finish(function=name):
                if self.known.get(name) != len(st.used(statement)):
                    raise self.fail(f"{name} does not take so many arguments")
            case st.Branch(then=then, otherwise=otherwise):
                self.body(then, loops)
                self.body(otherwise, loops)
            case st.KernelLoop(label=label, body=body):
                self.body(body, (*loops, label))

    def is_assigned(self, name: str) -> bool:
        return name in self.assigned or name in self.procedure.parameters
