"""Procedures and top-level items -> C functions, one for each start of a region."""

from __future__ import annotations

from cogen.backends.ctree.literals import small
from cogen.backends.ctree.tree import CAssign, CCast, CConstant, CUnary
from cogen.backends.native.context import SELF, NativeContext
from cogen.backends.native.directwriter import DirectWriter, entering
from cogen.backends.native.function import FunctionWriter
from cogen.backends.native.module import ProgramText
from cogen.backends.native.places import NOWHERE
from cogen.backends.native.procedures import CompiledProcedure
from cogen.backends.native.regions import START, is_return, returned_to
from cogen.backends.native.vocabulary import (
    HEAP,
    STACK,
    VALUE,
    WORD,
    above,
    instance,
    jump,
    procedure,
    returning,
)
from cogen.lang import il


class _Writer(NativeContext):
    """Writes all C functions of a context."""

    def write_all(self, start: str, parameters: list[str]) -> None:
        """All C functions; `start` is the name of the first one."""
        nodes = self.regions.nodes
        pushes = bool(self.regions.returns)
        FunctionWriter(self, start, START).write(parameters, nodes[START], stack=pushes)
        for name, code in self.codes.items():
            if is_return(name):
                FunctionWriter(self, code, name).write_return(nodes[returned_to(name)], name)
            else:
                node = nodes[name]
                FunctionWriter(self, code, name).write(self.parameters_of(node), node, stack=False)


class ProcedureWriter(_Writer):
    """Writes a procedure."""

    def __init__(self, module: ProgramText, procedure: CompiledProcedure) -> None:
        function = procedure.function
        super().__init__(
            module, procedure, function.body, function.cont, function.label or function.name
        )
        self.code = procedure.code

    def write(self) -> None:
        assert self.procedure is not None
        own = list(self.procedure.parameters)
        direct = self.procedure.direct
        if not direct:
            self.write_all(self.code, [SELF, *own] if self.procedure.is_closed else own)
            return
        start = self.code
        if self.procedure.enters_directly:
            start = self.module.names.fresh(f"{self.label} s")
            checked = [name in self.module.fixnums.names for name in own]
            self.module.direct.append(entering(self.procedure, start, checked))
        self.write_all(start, own)
        DirectWriter(self, direct, start).write_direct(own)


class ItemWriter(_Writer):
    """Writes a top-level item that is evaluated; `write` gives the name of its code."""

    def __init__(self, module: ProgramText, item: il.Value | il.Expression) -> None:
        name = f"item {item.name}" if isinstance(item, il.Value) else "item"
        super().__init__(module, None, item.body, item.cont, name)
        self.item = item

    def write(self) -> str:
        module = self.module
        start = module.names.fresh(self.label)
        if not isinstance(self.item, il.Value):
            self.write_all(start, [])
            return start
        code, keep = module.names.fresh(self.label), module.names.fresh(self.label)
        self.write_all(start, [])
        pushed = CAssign(CUnary("*", STACK), CCast(WORD, CConstant(keep, WORD)))
        module.define(procedure(code, (STACK, HEAP, VALUE), pushed, jump(start, (above(1), HEAP))))
        stored = CAssign(module.global_cell(self.item.name), VALUE)
        popped = CAssign(STACK, small(1), "-=")
        body = (instance(), stored, popped, returning(VALUE))
        module.define(procedure(keep, (STACK, HEAP, VALUE), *body))
        module.frame(keep, 1, NOWHERE)  # the item is told by the frame below
        return code
