"""IL -> which procedures C calls directly, with frames on C's own stack.

A call that returns costs least as C does it: the processor foresees where it returns to, and the
compiler sees both sides.  But frames on C's stack cannot be collected, captured or told.  So a
direct procedure gives up as soon as anything is to be done that may need them
(`runtime/direct.c`), and goes on as the code of `function`, which does all that the language asks
for, from the last place where that can start: a procedure's start, or where a call has returned.
What stood between is done again, so it must have had no effect.

Laws: a direct procedure has no effect but to allocate; what it does is done in line, but for what
is rare; it calls direct procedures only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cogen.backends.native.effects import CHANGES, split
from cogen.backends.native.limits import IN_REGISTERS
from cogen.backends.native.operations import (
    CONDITIONS,
    COPIES,
    TESTS,
    VALUES,
    WORDS,
    accesses_in_line,
    allocates_in_line,
)
from cogen.backends.native.procedures import CompiledProcedure, ProcedureTable
from cogen.lang import il
from cogen.lang.ilutil import bound_names, own_blocks
from cogen.lang.prims import PRIMITIVES

_READS: Final = frozenset(["global-get", "eq?", "eqv?", "early="])
"""Further operations that are done in line always."""

_RECORDS: Final = frozenset(["record-set!"])
"""Operations of which it depends on the operands whether they are."""

_FAILS: Final = frozenset(["error", "raise"])
"""Operations that never return: the other code does them."""

_CALLED: Final = frozenset(["read-char", "peek-char", "write-char", "%finite", "/"])
"""Operations with a macro that calls the run time where that is not rare, or has an effect."""


def direct_procedures(
    procedures: ProcedureTable, floats: frozenset[str], lists_end: bool
) -> list[CompiledProcedure]:
    """The direct procedures that are worth it: those with calls that return, in a recursion or in
    a loop; and the procedures that they call.

    Those with variables that are `floats` are not: they make objects all the time, which other code
    does with the heap's end in a register.  `lists_end` says whether no list can be circular.
    """
    in_line = (
        {*CONDITIONS, *COPIES, *WORDS, *TESTS, *VALUES, *_READS, *_FAILS, *CHANGES}
        - _CALLED
        - _RECORDS
    )
    if lists_end:
        in_line |= {"%finite", "%circular?"}
    bodies = [
        _DirectBody(p)
        for p in procedures
        if _may_be(p) and _is_in_line(p, in_line) and floats.isdisjoint(_variables(p))
    ]
    found = _worth_it(_closed(bodies, procedures))
    for procedure in found:
        procedure.function, procedure.starts = split(procedure.function)
    return found


class _DirectBody:
    """A procedure and its calls."""

    def __init__(self, procedure: CompiledProcedure) -> None:
        self.procedure = procedure
        self.calls = list(_calls(procedure))
        self.callees: list[CompiledProcedure] = []
        exit = procedure.function.cont
        self.returning = sum(call.cont != exit for call in self.calls)
        """How many calls return."""

    def gains(self) -> bool:
        """Is it better with frames on C's stack?  What makes a list element by element is not: its
        returns, all to one place, are foreseen anyway, and the end of the heap is in a register."""
        if self.procedure.in_library:
            return False  # it has loops that make lists, for most programs
        return self.returning > 1 or (self.returning == 1 and not _makes(self.procedure))


def _may_be(procedure: CompiledProcedure) -> bool:
    return len(procedure.parameters) <= IN_REGISTERS and not procedure.is_closed


def _variables(procedure: CompiledProcedure) -> Iterator[str]:
    yield from procedure.parameters
    for block in own_blocks(procedure.function.body):
        yield from bound_names(block)


def _is_in_line(procedure: CompiledProcedure, in_line: set[str]) -> bool:
    for block in own_blocks(procedure.function.body):
        for binding in block.bindings:
            if isinstance(binding, il.Let) and not _operates_in_line(binding, in_line):
                return False
    return True


def _operates_in_line(let: il.Let, in_line: set[str]) -> bool:
    if allocates_in_line(let) or accesses_in_line(let):
        return True
    if let.op in VALUES and len(let.arguments) != PRIMITIVES[let.op].arity[1]:
        return False
    return let.op in in_line


def _makes(procedure: CompiledProcedure) -> bool:
    """Does it allocate, as far as its own text says?"""
    return any(
        isinstance(binding, il.Let) and allocates_in_line(binding)
        for block in own_blocks(procedure.function.body)
        for binding in block.bindings
    )


def _calls(procedure: CompiledProcedure) -> Iterator[il.Call]:
    for block in own_blocks(procedure.function.body):
        if isinstance(block.tail, il.Call):
            yield block.tail


def _closed(bodies: list[_DirectBody], procedures: ProcedureTable) -> list[_DirectBody]:
    """Those that call nothing but each other."""
    for body in bodies:
        found = [procedures.called(call) for call in body.calls]
        body.callees = [callee for callee in found if callee is not None]
    left = [body for body in bodies if len(body.callees) == len(body.calls)]
    while True:
        known = {id(body.procedure) for body in left}
        kept = [body for body in left if all(id(callee) in known for callee in body.callees)]
        if len(kept) == len(left):
            return left
        left = kept


def _worth_it(bodies: list[_DirectBody]) -> list[CompiledProcedure]:
    of = {id(body.procedure): body for body in bodies}
    wanted: dict[int, CompiledProcedure] = {}
    for body in bodies:
        reached = _reached(body, of)
        if body.gains() and (id(body.procedure) in reached or _has_loop(body.procedure)):
            body.procedure.enters_directly = True
            wanted[id(body.procedure)] = body.procedure
            wanted |= {key: of[key].procedure for key in reached}
    return list(wanted.values())


def _reached(body: _DirectBody, of: dict[int, _DirectBody]) -> set[int]:
    """What a procedure calls, and what that calls."""
    reached: set[int] = set()
    work = [body]
    while work:
        for callee in work.pop().callees:
            if id(callee) not in reached:
                reached.add(id(callee))
                work.append(of[id(callee)])
    return reached


def _has_loop(procedure: CompiledProcedure) -> bool:
    """Is there a continuation that its own body jumps to?"""
    for block in own_blocks(procedure.function.body):
        for binding in block.bindings:
            if not isinstance(binding, il.Conts):
                continue
            names = {cont.name for cont in binding.conts}
            for cont in binding.conts:
                for inner in own_blocks(cont.body):
                    if isinstance(inner.tail, il.Jump) and inner.tail.cont in names:
                        return True
    return False
