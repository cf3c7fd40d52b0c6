"""Advice: records that may be among other values are put into boxes by their type.

A family of records (`versions.families`) needs no knowledge of where they get: each place that
makes a record of the type puts it into a box, and each place that asks whether something is one,
or reads a field, reveals it first (`%reveal-among`): there is an arm for each variant, and one for
what is none.  So continuations that a program gets from `call/cc`, and objects that other objects
hold, keep what is known of them.

Types whose fields are assigned are none of these: such records are objects of the store.  Nor are
there any in a program that has procedures called as they stand (`rcall`): these know of no boxes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from cogen.lang import il
from cogen.lang.datum import RecordType
from cogen.lang.errors import Span
from cogen.lang.ilutil import primitives
from cogen.specializer.advice.rewriting import Rewriting, Seen, with_field
from cogen.specializer.advice.values import record_type
from cogen.specializer.programs.mutation import find_mutations
from cogen.specializer.versions.families import Family

_READING: Final = "record-ref"
_ASKING: Final = "record-is?"
_ANY_FIELD: Final = -1
"""A place that asks reads no field."""


class RecordBoxes(Rewriting):
    """A program with boxes for the records of some types: `program`, `families`, and `boxed`,
    what makes the boxes."""

    def __init__(
        self, program: il.Program, types: Iterable[RecordType], holds_code: bool = False
    ) -> None:
        super().__init__()
        assigned = find_mutations(program).records
        self._families: dict[RecordType, Family] = {}
        if "rcall" not in primitives(program):
            self._families = {
                type: Family(type.name, type) for type in types if id(type) not in assigned
            }
        self.families = list(self._families.values())
        for family in self.families:
            family.holds_code = holds_code
        self.boxed: list[il.Let] = []
        self.program = self.rewritten(program) if self.families else program

    def _let(self, let: il.Let, seen: Seen, bindings: list[il.Binding]) -> None:
        type_ = record_type(let)
        family = self._families.get(type_)
        if family is None or let.op not in (_READING, _ASKING, "make-record"):
            super()._let(let, seen, bindings)
            return
        arguments = self._passed(let.arguments, seen, bindings)
        if let.op == "make-record":
            inner = replace(let, name=self._fresh(let.name), arguments=arguments)
            content = il.Var(inner.name), il.Const(family)
            box = il.Let(let.name, "%boxed", content, let.span)
            self.boxed.append(box)
            bindings += [inner, box]
            self.replaced[let] = inner
            return
        field = let.arguments[1].value if let.op == _READING else _ANY_FIELD  # type: ignore[union-attr]
        content_ = self._content(let.arguments[-1], family, field, seen, bindings, let.span)
        made = with_field(let, "arguments", (*arguments[:-1], content_))
        self._put(let, made, bindings)

    def _content(
        self,
        atom: il.Atom,
        family: Family,
        field: int,
        seen: Seen,
        bindings: list[il.Binding],
        span: Span | None,
    ) -> il.Atom:
        """What is in a box, or what is in none."""
        if type(atom) is not il.Var:
            return atom
        now, name = self._fresh(atom.name), self._fresh(atom.name)
        operands = self._atom(atom, seen, bindings), il.Const(family), il.Const(field)
        bindings.append(il.Let(now, "%reveal-among", operands, span))
        bindings.append(il.Let(name, "%unboxed", (il.Var(now), il.Const(family)), span))
        seen[atom.name] = now
        return il.Var(name)
