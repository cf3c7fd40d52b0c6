"""IL bindings -> C statements: operations in line or by the run time, allocation, closures."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from cogen.backends.ctree.literals import FALSE, string
from cogen.backends.ctree.literals import small as number
from cogen.backends.ctree.template import template
from cogen.backends.ctree.tree import (
    CAssign,
    CBinary,
    CConstant,
    CDeclare,
    CDo,
    CIf,
    CIndex,
    CInvoke,
    CUnary,
    CVariable,
    Expr,
    Statement,
)
from cogen.backends.ctree.types import BOOL, DOUBLE, VOID
from cogen.backends.native.context import SELF, NativeContext
from cogen.backends.native.operations import (
    CONDITIONS,
    COPIES,
    EFFECTS,
    FLOAT_OPERATIONS,
    MAKING_NOTHING,
    MAX_INLINE_ITEMS,
    NEW_STRINGS,
    PARTS,
    TESTS,
    VALUES,
    WORDS,
    accesses_in_line,
    allocates_in_line,
    small_size,
)
from cogen.backends.native.procedures import CompiledProcedure
from cogen.backends.native.unboxed import ORDER, SIGNS, float_value, literal
from cogen.backends.native.vocabulary import (
    ABSENT,
    CLOSURE,
    CODE,
    HEAP,
    TRUTH,
    UNDEFINED,
    UNSPECIFIED,
    WORD,
    argument,
    called,
    constant_closure,
    macro,
    plainly_called,
    run_time,
    truth_of,
    unlikely,
    use,
    word_variable,
)
from cogen.lang import il
from cogen.lang.datum import Symbol
from cogen.lang.errors import InternalError
from cogen.lang.marks import Places, place_of, places_of
from cogen.lang.prims import PRIMITIVES

CONDITION: Final = CVariable("c_", BOOL)
"""What tests set."""

MOST_KEEPING: Final = 5
"""Arguments of an operation that can be called past the registers, at most."""


class LetWriter:
    """Writes the bindings of one C function: operations, and closures that are made."""

    def __init__(self, context: NativeContext, code: str, root: str) -> None:
        self.context = context
        self.module = context.module
        self.code = code
        self.root = root
        self.kept = context.frames.kept[root]
        """The variables that are in their slots."""
        self.fetched: dict[str, None] = {}
        """Those of them that this function uses."""
        self.out: list[Statement] = []
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
        self.fails = False
        """Whether the block that is written ends with an error, so that what it does is done once
        at most, and no register is to be kept for it."""
        self.last: il.Let | None = None
        """The operation that was written last, in the same block."""

    def add(self, statement: Statement) -> None:
        """Write a statement that was made of what is being written."""
        self.out.append(replace(statement, places=self.places) if self.places else statement)

    def set(self, target: Expr, value: Expr) -> None:
        self.out.append(CAssign(target, value, places=self.places))

    def use(self, name: str, *arguments: Expr) -> None:
        """Write a macro that is a statement."""
        self.out.append(CDo(CInvoke(name, arguments, VOID), places=self.places))

    def at(self, site: int) -> Expr:
        """What an operation is told in case it cannot be done in line: its site."""
        return number(site)

    def makes(self, op: str) -> bool:
        """Does an operation that a macro does need room on the heap?"""
        return op not in MAKING_NOTHING

    def local(self, name: str) -> CVariable:
        """The C variable of a variable that this function binds."""
        found = self.module.names.variable(name)
        self.locals[found] = None
        return word_variable(found)

    def variable(self, name: str) -> Expr:
        """The C expression of a variable, or of SELF."""
        if self.is_unboxed(name):
            return self._boxed(name)
        known = self.context.resolve(name)
        if known in self.kept:
            self.fetched[known] = None
        if known != SELF:
            return word_variable(self.module.names.variable(name))
        procedure = self.context.procedure
        if procedure is not None and name in procedure.needs:
            return macro("FREE", CLOSURE, number(procedure.needs.index(name)))
        return CLOSURE

    # Floats

    def is_unboxed(self, name: str) -> bool:
        """Is the variable a C `double`?"""
        return not self.many and name in self.context.unboxed

    def double(self, name: str) -> tuple[CVariable, CVariable]:
        """The C variables of an unboxed float: the `double`, and its box or 0."""
        found = self.module.names.variable(name)
        self.doubles[found] = None
        self.locals[f"{found}_box"] = None
        return CVariable(found, DOUBLE), word_variable(f"{found}_box")

    def _boxed(self, name: str) -> Expr:
        value, box = self.double(name)
        self.words += 2
        self.add(CIf(CUnary("!", box), (use("FLOAT", box, value),)))
        return box

    def float_operand(self, atom: il.Atom, with_integers: bool = True) -> Expr | None:
        """The C `double` of an atom that is known to be a float, or an integer constant."""
        if isinstance(atom, il.Const):
            return self._float_literal(atom.value, with_integers)
        if not isinstance(atom, il.Var) or atom.name not in self.context.floats:
            return None
        if self.is_unboxed(atom.name):
            return self.double(atom.name)[0]
        return _unboxed(self.variable(atom.name))

    def _float_literal(self, value: object, with_integers: bool) -> Expr | None:
        if type(value) is not float:
            return literal(value) if with_integers else None
        if not math.isfinite(value):
            self.module.headers.add("math.h")
        return literal(value)

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
                self.set(result, value)
                self.set(box, number(0))
            else:
                self.words += 2
                self.use("FLOAT", self.local(let.name), value)
            return True
        if let.op not in ("+", "-", "*") or not self.is_unboxed(let.name):
            return False
        if len(known) != 1 or not any(map(self._is_float, let.arguments)):
            return False
        before = len(self.out)
        words = [self.atom(atom, site) for atom in let.arguments]
        boxing = self.out[before:]  # is for the general operation only
        del self.out[before:]
        other = words[operands.index(None)]
        both = [_unboxed(other) if operand is None else operand for operand in operands]
        result, box = self.double(let.name)
        self.words += 2
        made = word_variable("t_")
        general = (
            CDeclare(WORD, made.name),
            *boxing,
            _done(made, self.at(site), called(self.module.operation(let.op), *words)),
            CAssign(result, _unboxed(made)),
        )
        plain = (CAssign(result, CBinary(let.op, *both)),)
        self.add(CIf(macro("LIKELY", macro("IS_FLONUM", other)), plain, general))
        self.set(box, number(0))
        return True

    def float_condition(self, let: il.Let) -> Expr | None:
        """The C truth value of a comparison of floats, if it is one."""
        if not any(map(self._is_float, let.arguments)):
            return None
        found = [self.float_operand(atom) for atom in let.arguments]
        operands = [operand for operand in found if operand is not None]
        if len(operands) < len(found):
            return None
        if let.op in ORDER:
            return CBinary(ORDER[let.op], *operands)
        return CBinary(SIGNS[let.op], operands[0], number(0)) if let.op in SIGNS else None

    # Atoms

    def atom(self, atom: il.Atom, site: int) -> Expr:
        """The C expression of an atom; a global is checked if that is needed."""
        match atom:
            case il.Var(name):
                procedure = self.module.procedures.of_variable.get(name)
                if procedure is not None and not procedure.is_closed:
                    return constant_closure(f"c_{procedure.code}")
                return self.variable(name)
            case il.Const(value):
                return self.module.constant(value)
            case il.Prim(name):
                return self.module.primitive(name)
            case il.Global(name):
                return self._global(name, site)
        raise InternalError(f"no atom: {atom!r}")

    def _global(self, name: str, site: int) -> Expr:
        procedure = self.module.procedures.of_global.get(name)
        if name not in self.module.checked:
            if procedure is not None:
                return constant_closure(f"c_{procedure.code}")
            return self.module.global_cell(name)
        self.check_global(name, site)
        return self.module.global_cell(name)

    def check_global(self, name: str, site: int) -> None:
        cell = self.module.global_cell(name)
        refusal = CConstant("refuse_undefined", WORD)
        refused = (use("LEAVE", self.at(site)), use("REFUSE_1", refusal, string(name)))
        self.add(CIf(unlikely(CBinary("==", cell, UNDEFINED)), refused))

    # Operations

    def let(self, let: il.Let) -> None:
        op, site = let.op, self.module.site(let.span)
        self.places = place_of(let.span)
        if op in ("global-get", "global-set!"):
            self._global_operation(let, site)
            return
        compared = self.float_condition(let)
        if compared is not None:
            self.set(self.local(let.name), truth_of(compared))
            return
        if self._float_let(let, site):
            return
        arguments = [self.atom(atom, site) for atom in let.arguments]
        if self._own_string(let, arguments, site):
            return
        if self.is_unboxed(let.name):
            value, result = self.double(let.name)
            self._general(let, result, arguments, site)
            self.set(value, _unboxed(result))
            return
        self._general(let, self.local(let.name), arguments, site)

    def _own_string(self, let: il.Let, arguments: list[Expr], site: int) -> bool:
        """Write `%fresh-string` of what the operation before it has made and nobody else has."""
        made = self.last
        if let.op != "%fresh-string" or made is None or let.arguments[0] != il.Var(made.name):
            return False
        if made.op not in NEW_STRINGS or self.context.usage.uses[made.name] != 1:
            return False
        source = self.atom(made.arguments[0], site) if made.op in PARTS else ABSENT
        self.module.operation(let.op)
        self.words += 2
        call = plainly_called("own_string", *arguments, source)
        self.use("DO", self.local(let.name), self.at(site), call)
        return True

    def _general(self, let: il.Let, result: Expr, arguments: list[Expr], site: int) -> None:
        """Write an operation on words that gives a word."""
        op = let.op
        if PRIMITIVES[op].result == "bool" and (op in CONDITIONS or op in TESTS or _is_same(op)):
            self.set(result, truth_of(self.condition(let, arguments, site)))
        elif op in COPIES:
            self.set(result, arguments[0])
        elif op in WORDS:
            self.set(result, CConstant(WORDS[op], WORD))
        elif op in EFFECTS:
            self._in_line(op, EFFECTS[op], *arguments, self.at(site))
            self.set(result, UNSPECIFIED)
        elif op == "%finite" and self.module.lists_end:
            self.set(result, arguments[1])
        elif op == "%walked" and self.in_loop:
            self.counts = True
            self._in_line(op, "ROUND", result, *arguments, self.at(site))
        elif self._has_macro(op, len(arguments)):
            if self.makes(op):
                self.words += 2
            self._in_line(op, VALUES[op], result, *arguments, self.at(site))
        elif not self._allocation(let, result, arguments, site):
            self._call_operation(op, result, arguments, site)

    def _has_macro(self, op: str, count: int) -> bool:
        """Is there a macro that sets a word, for so many operands?"""
        if op not in VALUES or (self.many and op in FLOAT_OPERATIONS):
            return False
        return PRIMITIVES[op].arity[1] == count

    def _in_line(self, op: str, name: str, *arguments: Expr) -> None:
        """Write an operation by a macro, which may call the operation of the run time."""
        self.module.operation(op)
        self.use(name, *arguments)

    def condition(self, let: il.Let, arguments: list[Expr], site: int) -> Expr:
        """The C truth value of an operation that gives #t or #f."""
        op = let.op
        if op in CONDITIONS:
            return template(CONDITIONS[op])(arguments)
        if _is_same(op):
            if any(map(_is_word, let.arguments)):
                return CBinary("==", *arguments)
            return macro("SAME", *arguments, gives=BOOL)
        if op in TESTS:
            self._in_line(op, TESTS[op], CONDITION, *arguments, self.at(site))
            return CONDITION
        if op == "%circular?" and self.module.lists_end:
            return FALSE
        result = self.local(let.name)
        self._call_operation(op, result, arguments, site)
        return CBinary("==", result, TRUTH)

    def _call_operation(self, op: str, result: Expr, arguments: list[Expr], site: int) -> None:
        most = PRIMITIVES[op].arity[1]
        self.words += 2
        function = self.module.operation(op)
        if most is None:
            for index, value in enumerate(arguments):
                self.set(argument(index), value)
            passed = [number(len(arguments)), run_time("arguments")]
        else:
            passed = [*arguments, *[ABSENT] * (most - len(arguments))]
        is_rare = self.fails and len(passed) <= MOST_KEEPING
        calling = called if is_rare else plainly_called
        self.use("DO", result, self.at(site), calling(function, *passed))

    def _global_operation(self, let: il.Let, site: int) -> None:
        name = let.arguments[0]
        assert isinstance(name, il.Const)
        assert isinstance(name.value, Symbol)
        self.check_global(name.value.name, site)
        cell = self.module.global_cell(name.value.name)
        if let.op == "global-get":
            self.set(self.local(let.name), cell)
        else:
            self.set(cell, self.atom(let.arguments[1], site))
            self.set(self.local(let.name), UNSPECIFIED)

    def _allocation(self, let: il.Let, result: Expr, arguments: list[Expr], site: int) -> bool:
        """Write an allocation, or an access to a record, in line if that can be done."""
        if let.op in ("record-ref", "record-set!"):
            return self._record_access(let, result, arguments, site)
        if self.many or not allocates_in_line(let):
            return False
        if let.op == "cons":
            self.words += 2
            self.use("CONS", result, *arguments)
        elif let.op == "make-cell":
            self.words += 2
            self.use("BOX", result, CConstant("CELL", WORD), *arguments)
        elif let.op == "vector":
            self._object(result, "VECTOR", arguments)
        elif let.op == "make-vector":
            fill = arguments[1] if len(arguments) > 1 else UNSPECIFIED
            self._object(result, "VECTOR", [fill] * small_size(let.arguments[0]))
        else:
            self._object(result, "RECORD", arguments)
        return True

    def _object(self, result: Expr, kind: str, items: list[Expr]) -> None:
        self.words += max(2, len(items) + 1)
        for index, item in enumerate(items, 1):
            self.set(CIndex(HEAP, number(index)), item)
        self.use("OBJECT_OF", result, CConstant(kind, WORD), number(len(items)))

    def _record_access(self, let: il.Let, result: Expr, arguments: list[Expr], site: int) -> bool:
        if not accesses_in_line(let):
            return False
        index = let.arguments[1]
        assert isinstance(index, il.Const)
        rtype, _, *rest = arguments
        given = (rtype, number(index.value), *rest, self.at(site))
        if let.op == "record-ref":
            self._in_line(let.op, "RECORD_REF", result, *given)
        else:
            self._in_line(let.op, "RECORD_SET", *given)
            self.set(result, UNSPECIFIED)
        return True

    def fix(self, functions: tuple[il.Function, ...]) -> None:
        """Make closures; those that hold each other are filled when all are there."""
        made: list[CompiledProcedure] = []
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
                self.set(macro("FREE", name, number(index)), self.variable(need))

    def _closure(self, procedure: CompiledProcedure) -> None:
        name = self.local(procedure.function.name)
        count = len(procedure.needs)
        if self.many or count > MAX_INLINE_ITEMS:
            self.words += 2
            self.use("DO", name, number(0), called("make_closure", *_made_of(procedure)))
            return
        self.words += count + 2
        self.use("CLOSURE_OF", name, *_made_of(procedure))


def _made_of(procedure: CompiledProcedure) -> tuple[Expr, ...]:
    """The code, the arity and the size of a closure."""
    return CConstant(procedure.code, CODE), procedure.arity, number(len(procedure.needs))


def _done(result: Expr, site: Expr, call: Expr) -> CDo:
    """A call of the run time, which may fail, collect, or find out where we are."""
    return use("DO", result, site, call)


def _unboxed(word: Expr) -> Expr:
    return macro("UNBOX", word, gives=DOUBLE)


def _is_same(op: str) -> bool:
    return op in ("eq?", "eqv?", "early=")


def _is_word(atom: il.Atom) -> bool:
    """Is it a constant that is `eqv?` to the same word only?"""
    if not isinstance(atom, il.Const):
        return False
    return type(atom.value) not in (float, int, str) or (
        type(atom.value) is int and -(1 << 62) <= atom.value < 1 << 62
    )
