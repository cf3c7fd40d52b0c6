"""IL bindings -> C statements: operations in line or by the run time, allocation, closures."""

from __future__ import annotations

from typing import Final

from cogen.lang import il
from cogen.lang.datum import RecordType, Symbol
from cogen.lang.errors import InternalError
from cogen.lang.marks import Places, place_of, places_of
from cogen.lang.prims import PRIMITIVES
from cogen.native.context import SELF, Context
from cogen.native.lines import Line
from cogen.native.names import quoted
from cogen.native.operations import (
    CONDITIONS,
    EFFECTS,
    FLOAT_OPERATIONS,
    MAKING_NOTHING,
    TESTS,
    VALUES,
)
from cogen.native.procedures import Procedure
from cogen.native.unboxed import ORDER, SIGNS, float_value, literal

MAX_INLINE_ITEMS: Final = 100
"""Longer vectors, records and closures are made by the run time."""


class LetWriter:
    """Writes the bindings of one C function: operations, and closures that are made."""

    def __init__(self, context: Context, code: str, root: str) -> None:
        self.context = context
        self.module = context.module
        self.code = code
        self.root = root
        self.lines: list[str] = []
        self.places: Places = ()
        """The places of what is being written."""
        self.locals: dict[str, None] = {}
        self.doubles: dict[str, None] = {}
        self.pending: list[tuple[str, il.Block]] = []
        self.labels: dict[str, str] = {}
        self.words = 0
        self.many = False
        self.in_loop = False
        """Whether what is written is within a loop of this function."""
        self.counts = False
        """Whether it counts rounds."""

    def line(self, text: str) -> None:
        self.lines.append(Line.made_of(self.places, text))

    def local(self, name: str) -> str:
        """The C variable of a variable that this function binds."""
        found = self.module.names.variable(name)
        self.locals[found] = None
        return found

    def variable(self, name: str) -> str:
        """The C expression of a variable, or of SELF."""
        if name == SELF:
            return "self"
        if self.is_unboxed(name):
            return self._boxed(name)
        procedure = self.context.procedure
        if procedure is not None and procedure.is_closed:
            if name == procedure.function.name:
                return "self"
            if name in procedure.needs:
                return f"FREE(self, {procedure.needs.index(name)})"
        return self.module.names.variable(name)

    # Floats

    def is_unboxed(self, name: str) -> bool:
        """Is the variable a C `double`?"""
        return not self.many and name in self.context.unboxed

    def double(self, name: str) -> tuple[str, str]:
        """The C variables of an unboxed float: the `double`, and its box or 0."""
        found = self.module.names.variable(name)
        self.doubles[found] = None
        self.locals[f"{found}_box"] = None
        return found, f"{found}_box"

    def _boxed(self, name: str) -> str:
        value, box = self.double(name)
        self.words += 2
        self.line(f"if (!{box}) FLOAT({box}, {value});")
        return box

    def float_operand(self, atom: il.Atom, with_integers: bool = True) -> str | None:
        """The C `double` of an atom that is known to be a float, or an integer constant."""
        if isinstance(atom, il.Const):
            return literal(atom.value) if with_integers or type(atom.value) is float else None
        if not isinstance(atom, il.Var) or atom.name not in self.context.floats:
            return None
        if self.is_unboxed(atom.name):
            return self.double(atom.name)[0]
        return f"UNBOX({self.variable(atom.name)})"

    def _is_float(self, atom: il.Atom) -> bool:
        return self.float_operand(atom, with_integers=False) is not None

    def _float_let(self, let: il.Let, site: int) -> bool:
        """Write an operation that gives a float, if it is done in line."""
        if self.many or let.name not in self.context.floats:
            return False
        operands = [self.float_operand(atom) for atom in let.arguments]
        known = [operand for operand in operands if operand is not None]
        if len(known) == len(operands) and any(map(self._is_float, let.arguments)):
            value = float_value(let.op, known, let.arguments)
            if value is None:
                return False
            if self.is_unboxed(let.name):
                result, box = self.double(let.name)
                self.line(f"{result} = {value}; {box} = 0;")
            else:
                self.words += 2
                self.line(f"FLOAT({self.local(let.name)}, {value});")
            return True
        if let.op not in ("+", "-", "*") or not self.is_unboxed(let.name):
            return False
        if len(known) != 1 or not any(map(self._is_float, let.arguments)):
            return False
        before = len(self.lines)
        words = [self.atom(atom, site) for atom in let.arguments]
        boxing = " ".join(self.lines[before:])  # is for the general operation only
        del self.lines[before:]
        other = words[operands.index(None)]
        both = [operand or f"UNBOX({other})" for operand in operands]
        result, box = self.double(let.name)
        self.words += 2
        call = f"CALL_2({self.module.operation(let.op)}, {words[0]}, {words[1]})"
        value = f"{both[0]} {let.op} {both[1]}"
        self.line(f"FLOAT_WITH({result}, {value}, {other}, {site}, {boxing}, {call}); {box} = 0;")
        return True

    def float_condition(self, let: il.Let) -> str | None:
        """The C truth value of a comparison of floats, if it is one."""
        if not any(map(self._is_float, let.arguments)):
            return None
        operands = [self.float_operand(atom) for atom in let.arguments]
        if None in operands:
            return None
        if let.op in ORDER:
            return f"({operands[0]} {ORDER[let.op]} {operands[1]})"
        return f"({operands[0]} {SIGNS[let.op]} 0)" if let.op in SIGNS else None

    # Atoms

    def atom(self, atom: il.Atom, site: int) -> str:
        """The C expression of an atom; a global is checked if that is needed."""
        match atom:
            case il.Var(name):
                procedure = self.module.procedures.of_variable.get(name)
                if procedure is not None and not procedure.is_closed:
                    return f"((word)c_{procedure.code} + CLOSURE_TAG)"
                return self.variable(name)
            case il.Const(value):
                return self.module.constant(value)
            case il.Prim(name):
                return self.module.primitive(name)
            case il.Global(name):
                return self._global(name, site)
        raise InternalError(f"no atom: {atom!r}")

    def _global(self, name: str, site: int) -> str:
        procedure = self.module.procedures.of_global.get(name)
        if name not in self.module.checked:
            if procedure is not None:
                return f"((word)c_{procedure.code} + CLOSURE_TAG)"
            return self.module.global_cell(name)
        self.check_global(name, site)
        return self.module.global_cell(name)

    def check_global(self, name: str, site: int) -> None:
        cell = self.module.global_cell(name)
        self.line(f"if (UNLIKELY({cell} == UNDEFINED)) {{")
        self.line(f"    LEAVE({site}), refuse_undefined(rt, {quoted(name)});")
        self.line("}")

    # Operations

    def let(self, let: il.Let) -> None:
        op, site = let.op, self.module.site(let.span)
        self.places = place_of(let.span)
        if op in ("global-get", "global-set!"):
            self._global_operation(let, site)
            return
        compared = self.float_condition(let)
        if compared is not None:
            self.line(f"{self.local(let.name)} = BOOL({compared});")
            return
        if self._float_let(let, site):
            return
        arguments = [self.atom(atom, site) for atom in let.arguments]
        if self.is_unboxed(let.name):
            value, result = self.double(let.name)
            self._general(let, result, arguments, site)
            self.line(f"{value} = UNBOX({result});")
            return
        self._general(let, self.local(let.name), arguments, site)

    def _general(self, let: il.Let, result: str, arguments: list[str], site: int) -> None:
        """Write an operation on words that gives a word."""
        op = let.op
        if PRIMITIVES[op].result == "bool" and (op in CONDITIONS or op in TESTS or _is_same(op)):
            self.line(f"{result} = BOOL({self.condition(let, arguments, site)});")
        elif op in EFFECTS:
            self._declare_slow(op)
            self.line(EFFECTS[op].format(*arguments, s=site))
            self.line(f"{result} = UNSPECIFIED;")
        elif op == "%finite" and self.module.lists_end:
            self.line(f"{result} = {arguments[1]};")
        elif op == "%walked" and self.in_loop:
            self._declare_slow(op)
            self.counts = True
            self.line(f"ROUND({result}, {arguments[0]}, {arguments[1]}, {site});")
        elif op in VALUES and not (self.many and op in FLOAT_OPERATIONS):
            self._declare_slow(op)
            if op not in MAKING_NOTHING:
                self.words += 2
            self.line(VALUES[op].format(*arguments, r=result, s=site))
        elif not self._allocation(let, result, arguments, site):
            self._call_operation(op, result, arguments, site)

    def _declare_slow(self, op: str) -> None:
        self.module.operation(op)

    def condition(self, let: il.Let, arguments: list[str], site: int) -> str:
        """The C truth value of an operation that gives #t or #f."""
        op = let.op
        if op in CONDITIONS:
            return CONDITIONS[op].format(*arguments)
        if _is_same(op):
            if any(map(_is_word, let.arguments)):
                return f"{arguments[0]} == {arguments[1]}"
            return f"SAME({arguments[0]}, {arguments[1]})"
        if op in TESTS:
            self._declare_slow(op)
            self.line(TESTS[op].format(*arguments, r="c_", s=site))
            return "c_"
        if op == "%circular?" and self.module.lists_end:
            return "false"
        result = self.local(let.name)
        self._call_operation(op, result, arguments, site)
        return f"{result} == TRUE"

    def _call_operation(self, op: str, result: str, arguments: list[str], site: int) -> None:
        most = PRIMITIVES[op].arity[1]
        self.words += 2
        function = self.module.operation(op)
        if most is None:
            for index, argument in enumerate(arguments):
                self.line(f"rt->arguments[{index}] = {argument};")
            call = f"CALL_2({function}, {len(arguments)}, rt->arguments)"
        else:
            arguments = arguments + ["ABSENT"] * (most - len(arguments))
            call = f"CALL_{most}({', '.join([function, *arguments])})"
        self.line(f"DO({result}, {site}, {call});")

    def _global_operation(self, let: il.Let, site: int) -> None:
        name = let.arguments[0]
        assert isinstance(name, il.Const)
        assert isinstance(name.value, Symbol)
        self.check_global(name.value.name, site)
        cell = self.module.global_cell(name.value.name)
        if let.op == "global-get":
            self.line(f"{self.local(let.name)} = {cell};")
        else:
            self.line(f"{cell} = {self.atom(let.arguments[1], site)};")
            self.line(f"{self.local(let.name)} = UNSPECIFIED;")

    def _allocation(self, let: il.Let, result: str, arguments: list[str], site: int) -> bool:
        """Write an allocation, or an access to a record, in line if that can be done."""
        if let.op in ("record-ref", "record-set!"):
            return self._record_access(let, result, arguments, site)
        if self.many or len(arguments) > MAX_INLINE_ITEMS:
            return False
        if let.op == "cons":
            self.words += 2
            self.line(f"CONS({result}, {arguments[0]}, {arguments[1]});")
        elif let.op == "make-cell":
            self.words += 2
            self.line(f"BOX({result}, CELL, {arguments[0]});")
        elif let.op == "vector":
            self._object(result, "VECTOR", arguments)
        elif let.op == "make-record" and _is_type(let.arguments[0], len(arguments) - 1):
            self._object(result, "RECORD", arguments)
        else:
            return False
        return True

    def _object(self, result: str, kind: str, items: list[str]) -> None:
        self.words += max(2, len(items) + 1)
        stores = "".join(f" hp[{index + 1}] = {item};" for index, item in enumerate(items))
        self.line(f"{{{stores} }} OBJECT_OF({result}, {kind}, {len(items)});")

    def _record_access(self, let: il.Let, result: str, arguments: list[str], site: int) -> bool:
        index = let.arguments[1]
        if not isinstance(index, il.Const) or not _has_field(let.arguments[0], index.value):
            return False
        self._declare_slow(let.op)
        if let.op == "record-ref":
            rtype, _, record = arguments
            self.line(f"RECORD_REF({result}, {rtype}, {index.value}, {record}, {site});")
        else:
            rtype, _, record, value = arguments
            self.line(f"RECORD_SET({rtype}, {index.value}, {record}, {value}, {site});")
            self.line(f"{result} = UNSPECIFIED;")
        return True

    def fix(self, functions: tuple[il.Function, ...]) -> None:
        """Make closures; those that hold each other are filled when all are there."""
        made: list[Procedure] = []
        for function in functions:
            procedure = self.module.procedures.of_variable[function.name]
            if procedure.is_closed:
                made.append(procedure)
        for procedure in made:
            self.places = places_of(procedure.function.span)
            self._closure(procedure)
        for procedure in made:
            name = self.local(procedure.function.name)
            for index, need in enumerate(procedure.needs):
                self.line(f"FREE({name}, {index}) = {self.variable(need)};")

    def _closure(self, procedure: Procedure) -> None:
        name = self.local(procedure.function.name)
        count = len(procedure.needs)
        if self.many or count > MAX_INLINE_ITEMS:
            self.words += 2
            made = f"CALL_3(make_closure, {procedure.code}, {procedure.arity}, {count})"
            self.line(f"DO({name}, 0, {made});")
            return
        self.words += count + 2
        self.line(f"CLOSURE_OF({name}, {procedure.code}, {procedure.arity}, {count});")


def _is_same(op: str) -> bool:
    return op in ("eq?", "eqv?", "early=")


def _is_word(atom: il.Atom) -> bool:
    """Is it a constant that is `eqv?` to the same word only?"""
    if not isinstance(atom, il.Const):
        return False
    return type(atom.value) not in (float, int, str) or (
        type(atom.value) is int and -(1 << 62) <= atom.value < 1 << 62
    )


def _is_type(atom: il.Atom, fields: int) -> bool:
    return (
        isinstance(atom, il.Const)
        and isinstance(atom.value, RecordType)
        and len(atom.value.fields) == fields
    )


def _has_field(atom: il.Atom, index: object) -> bool:
    if not isinstance(atom, il.Const) or not isinstance(atom.value, RecordType):
        return False
    return type(index) is int and 0 <= index < len(atom.value.fields)
