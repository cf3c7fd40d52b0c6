"""Whether a residual program leaves records of some types alone, which stand for lists and vectors
of the source (`advice.tagged`).

In the source such a thing is a list or a vector, in the residual program it is a record: nothing
may tell the difference but what asks for these records.  So none may get to an operation that looks
at pairs or vectors, compares things, or prints them, and the entry must not give one.  Where that
is, a closure analysis of the residual program tells (`advice.flow`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from cogen import binding_times
from cogen.lang import il
from cogen.lang.datum import RecordType
from cogen.lang.ilutil import all_blocks, atoms
from cogen.lang.prims import PRIMITIVES
from cogen.residual import ResidualProgram
from cogen.specializer.advice.flow import Flow, Place
from cogen.specializer.advice.structures import MAKES
from cogen.specializer.advice.values import (
    DATA,
    GROUND,
    NULL,
    NUMBER,
    UNKNOWN,
    Context,
    Made,
    Slot,
    record_type,
)
from cogen.specializer.versions.families import Family

_LEAVING: Final = (
    frozenset({"record-ref", "record-is?", "null?", "symbol?", "number?", "integer?", "char?"})
    | {"string?", "boolean?", "procedure?", "not", "error", "lift", "values?", "%finite"}
    | {"global-set!", "global-get", "cell-ref"}
    | frozenset(MAKES)
)
"""Operations that say the same of such a record as of a list or vector, or do not look at it;"""

_KEEPING: Final = frozenset({"cell-set!", "vector-set!", "record-set!", "set-car!", "set-cdr!"})
"""and those that put their last operand into something, and look at the first one;"""

_SAME: Final = frozenset({"eq?", "eqv?"})
"""and those that tell it from anything else."""

_DEEP: Final = frozenset({"equal?", "equal-hash", "raise"})
"""Operations that look at all that is in something, as those do that have effects."""

_OTHERS: Final = frozenset({"int", "float", "number", "string", "char", "bool"})
"""What neither lists nor vectors are, nor symbols."""


def leaves_alone(residual: ResidualProgram, families: Mapping[str, Family]) -> bool:
    """Whether nothing in a residual program looks at records of the types of these names but for
    what they are instances of; and where that is asked, whether what is none is no list, or no
    vector, as those are that the records of the family stand for."""
    program = residual.program
    defined = {item.name for item in program.items if isinstance(item, il.Define | il.Value)}
    used = {a.name for b in all_blocks(program) for a in atoms(b) if type(a) is il.Global}
    if not used <= defined:
        return False
    types = {record: families[record.name] for record in program.records if record.name in families}
    known = [
        binding_times.Static(0) if parameter.type in _OTHERS else binding_times.Dynamic()
        for parameter in residual.parameters
    ]
    flow = _Looked(program, residual.entry, known)

    def may_be(node: Slot) -> bool:
        return any(type(t) is Made and record_type(t.place) in types for t in node.tokens)

    if any(map(may_be, flow.looked)):
        return False
    if any(may_be(first) and may_be(second) for first, second in flow.compared):
        return False
    return not any(type in types and not _is_none(node, types[type]) for node, type in flow.asked)


def _is_none(node: Slot, family: Family) -> bool:
    """Whether what a node holds is no list, or no vector; an object is asked for where a part is
    taken, so the empty list fails there, too."""
    others = {DATA, UNKNOWN, GROUND}
    if not family.is_vector and not family.is_of_objects:
        others.add(NULL)
    kind = "vector" if family.is_vector else "pair"
    return not any(t in others or (type(t) is Made and t.kind == kind) for t in node.tokens)


class _Looked(Flow):
    """Which values get where in a residual program: `looked`, where something looks at them;
    `compared`, where two are asked whether they are one; `asked`, where something is asked whether
    it is a record of a type."""

    assumes = False

    def __init__(self, program: il.Program, entry: str, bts: Sequence[Any]) -> None:
        self.looked: list[Slot] = []
        self.compared: list[tuple[Slot, Slot]] = []
        self.asked: list[tuple[Slot, RecordType]] = []
        super().__init__(program, entry, bts)

    def _operation(
        self, op: str, values: Sequence[Slot], result: Slot, place: Any, context: Context
    ) -> None:
        if op == "record-is?":
            self.asked.append((values[1], record_type(place)))
        elif op in _SAME:
            self.compared.append((values[0], values[1]))
        elif op in _KEEPING:
            self.looked.append(values[0])
        elif op not in _LEAVING:
            row = PRIMITIVES[op]
            for number, value in enumerate(values):
                wanted = row.arguments[min(number, len(row.arguments) - 1)]
                if op in _DEEP or row.effect not in ("pure", "read", "alloc"):
                    self._escape(value)
                elif wanted not in _OTHERS and wanted != "symbol":
                    self.looked.append(value)
        super()._operation(op, values, result, place, context)

    def _compute(self, op: str, values: Sequence[Slot], result: Slot) -> None:
        row = PRIMITIVES.get(op)
        if row is not None and row.result in _OTHERS:
            self.solution.add(result, [NUMBER])
        else:
            super()._compute(op, values, result)

    def _call_primitive(
        self, name: str, values: Sequence[Slot], result: Slot, place: Place
    ) -> None:
        if name == "apply":
            self.looked.append(values[-1])
        super()._call_primitive(name, values, result, place)

    def _escape(self, node: Slot) -> None:
        self.looked.append(node)
        super()._escape(node)
