"""What printing a function is built on: its names, values, definitions and failures.

`FunctionBody` is the `RuleContext` that the rules of `coperations` see.  A value that is read
once stays pending and is written where it is read; `settled` gives it a variable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from cogen.backends import noting as notes
from cogen.backends.ctree import arithmetic as cv
from cogen.backends.ctree import values as ct
from cogen.backends.ctree.literals import FALSE
from cogen.backends.ctree.names import Namer
from cogen.backends.ctree.tree import (
    CAssign,
    CCast,
    CDeclare,
    CDo,
    CField,
    CIf,
    CInvoke,
    CNumber,
    CReturn,
    CUnary,
    CVariable,
    Expr,
    Item,
    Statement,
    expressions,
)
from cogen.backends.ctree.types import (
    ADDRESS,
    BOOL,
    I32,
    I64,
    U8,
    U32,
    U64,
    VOID,
    CConst,
    CPointer,
    Type,
)
from cogen.backends.ctree.types import INT as C_INT
from cogen.backends.ctree.values import F64, CValue
from cogen.backends.failures import FAIL_DETAILS, NumberedSites
from cogen.backends.kernel import cscope
from cogen.backends.kernel import structured as st
from cogen.backends.kernel.cfacts import ProcedureFacts
from cogen.backends.kernel.cmacros import Gathering, Storing
from cogen.backends.kernel.cmodule import RECURSION, Detail, ErrorSite, KnownArgument
from cogen.backends.kernel.csums import Summand
from cogen.backends.kernel.cwords import word_type
from cogen.backends.kernel.lanes import BYTE, ByteLanes
from cogen.backends.kernel.literals import Table
from cogen.backends.kernel.types import BOOL as BOOLEAN
from cogen.backends.kernel.types import FLOAT, INT, MEMORY, NOTHING, VECTOR, Types
from cogen.backends.noting import is_deep, noting
from cogen.interval import Interval, within
from cogen.lang import il
from cogen.lang.datum import INT_MAX, INT_MIN, Datum, symbol
from cogen.lang.errors import InternalError, Span
from cogen.lang.marks import place_of

OMITTED = symbol("...")
"""Stands for an irritant that there is no room to report."""

MACHINE_TYPES = {INT: I64, FLOAT: F64, BOOLEAN: BOOL}
C_RESULTS: dict[str, Type] = {INT: I64, FLOAT: F64, BOOLEAN: BOOL, NOTHING: VOID}
ZERO: dict[str, Expr] = {INT: CNumber(0, C_INT), FLOAT: CNumber(0.0, F64), BOOLEAN: FALSE}
LANGUAGE_TYPES: dict[Type, str] = {F64: FLOAT, BOOL: BOOLEAN}
ERROR = CVariable("error", CPointer(notes.ERROR))
STACK_LIMIT = CField(ERROR, "stack_limit", ADDRESS)
BUFFER = CField(ERROR, "buffer", CPointer(CConst(VOID)))
CODE = CValue(CField(ERROR, "code", I64), I64)
FAILED = ct.compare("!=", CODE, ct.integer(0)).expr
MOST_BYTES = 1 << 57
"""No buffer has more: so large is what the widest addresses of today reach."""


@dataclass(slots=True)
class FileContext:
    """What the functions of one file share."""

    types: Types
    facts: ProcedureFacts
    word_size: int
    checked: bool
    c_names: Mapping[str, str]
    """The C function of each procedure."""
    procedures: Mapping[str, st.KernelProcedure]
    bounds: Mapping[str, Mapping[str, Interval]]
    """Of each procedure, the intervals of variables that are assigned again."""
    inside: Mapping[str, set[st.Op]]
    """Of each procedure, the loads and stores that tests before them prove to be in bounds."""
    lanes: Mapping[str, ByteLanes]
    """Of each procedure, its loops over bytes."""
    called: Mapping[object, tuple[str, ...]]
    """What the caller of the entry calls the buffers that a variable may be, or a constant is."""
    cutting: bool
    """Whether a store to the last word is cut to the mask after the buffer."""
    storing: Storing | None = None
    """How a word is stored that is a sample and becomes a number; None for an assignment."""
    gathering: Gathering | None = None
    """What is told of elements that vectors move; None for nothing."""
    vectors: list[Item] = field(default_factory=list)
    """The functions that do the first rounds of loops in vectors."""
    failing: set[str] = field(default_factory=set)
    """The procedures, of those printed so far, whose functions take `error`."""
    helpers: set[str] = field(default_factory=set)
    sites: NumberedSites[ErrorSite] = field(default_factory=NumberedSites)
    literals: dict[bytes, str] = field(default_factory=dict)
    """The C arrays of literal bytevectors, by what is in them: nothing stores to them."""
    tables: dict[tuple[str, Table], str] = field(default_factory=dict)
    """Those of tables (`kernel.literals`), by type and elements as they are written: -0.0 is
    another one than 0.0."""

    def site(
        self,
        operation: str,
        arguments: Sequence[Detail | KnownArgument],
        span: Span | None,
        buffers: tuple[str, ...] = (),
    ) -> int:
        """The number of a new site."""
        site = ErrorSite(operation, tuple(arguments), span, self.word_size, buffers)
        return self.sites.add(site)

    def table(self, table: Table) -> str:
        """The C array of a table."""
        return self.tables.setdefault((repr(table), table), f"cogen_table_{len(self.tables) + 1}")


class FunctionBody:
    """The state of printing one procedure; implements `ccontext.RuleContext`."""

    def __init__(self, procedure: st.KernelProcedure, shared: FileContext) -> None:
        self.procedure = procedure
        self.shared = shared
        self.types = shared.types
        self.word_size = shared.word_size
        self.checked = shared.checked
        self.result_type = shared.types.results[procedure.name]
        self.bounds = shared.bounds[procedure.name]
        self.recursive = procedure.name in shared.facts.recursive
        self.fails = self.recursive
        self.scopes = cscope.scopes(procedure)
        self.namer = Namer({*shared.c_names.values()})
        self.c_names: dict[str, str] = {}
        self.pending: dict[str, CValue] = {}
        """Values that are not yet written, in the order in which they were computed."""
        self.known: dict[str, CValue] = {}
        """Variables with a C type of their own, or a known interval."""
        self.constant: set[str] = set()
        """The C names that are assigned once, where they are declared."""
        self.declared: set[str] = set()
        """The C names that have a declaration."""
        self.taken: list[CValue] = []
        """The pending values that the operation being printed has taken."""
        self.out: list[Statement] = []
        self.labels: dict[str, str] = {}
        self.safe = set(shared.inside[procedure.name])
        """Loads and stores whose index needs no check."""
        self.in_lanes = False
        """Whether what is printed is in a loop over bytes."""
        self.sums: dict[str, Summand] = {}
        """What was last added to a variable, where that is narrow or far smaller."""
        self.definitions = {s.name: s for s in st.walk(procedure.body) if isinstance(s, st.Op)}
        """How the variables that are assigned once are made."""
        self.summed = self._summed()
        """Variables that nothing reads but sums."""
        self.joins = {
            name
            for statement in st.walk(procedure.body)
            if isinstance(statement, st.Move)
            for name, _ in statement.pairs
        }
        """Variables that are assigned at more than one place."""
        self.parameters = self._parameters()
        self.declared.update([parameter.name for parameter in self.parameters])

    def _parameters(self) -> list[CVariable]:
        """The parameters as declared: a buffer is a pointer and its number of words."""
        declared: list[CVariable] = []
        restrict = self.procedure.name in self.shared.facts.restricted
        for name in self.procedure.parameters:
            kind = self.kind(name)
            if kind == MEMORY:
                pointer = replace(self.pointer_type(name), restrict=restrict)
                declared.append(CVariable(self.c_name(name), pointer))
                declared.append(CVariable(self.words_name(name), I64))
            elif kind != NOTHING:
                declared.append(CVariable(self.c_name(name), MACHINE_TYPES[kind]))
        return declared

    def _summed(self) -> set[str]:
        sums = Counter(
            atom.name
            for operation in self.definitions.values()
            for atom in operation.arguments
            if operation.op in ("+", "-") and isinstance(atom, il.Var)
        )
        return {name for name, count in sums.items() if count == self.scopes.uses[name]}

    def pointer_type(self, name: str) -> CPointer:
        word = word_type(self.word_size)
        return CPointer(word if name in self.shared.facts.stored else CConst(word))

    def kind(self, name: str) -> str:
        return self.types.variables.get(name, INT)

    def machine_type(self, name: str) -> Type:
        """The type of a variable that has its type for life: 32 bits if they always do.

        Samples of wider words are 64 bits wide, and gcc gives a loop up that changes between the
        two (measured on maxima of 8-bit samples in 64-bit words: 5 times as slow).
        """
        bounds = self.bounds.get(name)
        if bounds is not None and within(bounds, ct.RANGES[I32]) and self.word_size <= 32:
            return I32
        kind = self.kind(name)
        return self.pointer_type(name) if kind == MEMORY else MACHINE_TYPES.get(kind, I64)

    def declared_type(self, name: str) -> Type:
        """The C type of a variable that has its type for life."""
        if name in self.shared.lanes[self.procedure.name].variables:
            return U8
        return self.machine_type(name)

    def type_of_value(self, value: CValue) -> Type:
        """The C type of a variable that is made for a value."""
        if self.in_lanes and value.type in (I32, U32) and within((value.low, value.high), BYTE):
            return U8
        return value.type

    # Names and atoms

    def c_name(self, name: str) -> str:
        """The C name of a variable."""
        made = self.c_names.get(name)
        if made is None:
            made = self.c_names[name] = self.namer.fresh(name)
        return made

    def words_name(self, name: str) -> str:
        key = f"{name} words"
        made = self.c_names.get(key)
        if made is None:
            made = self.c_names[key] = self.namer.fresh(f"{self.c_name(name)}_words")
        return made

    def type_of(self, atom: il.Atom) -> str:
        return self.types.of(atom)

    def value(self, atom: il.Atom) -> CValue:
        """The expression of an atom; a pending value is used up."""
        if isinstance(atom, il.Const):
            return self._constant(atom)
        if not isinstance(atom, il.Var):
            raise InternalError(f"no first-order atom: {atom!r}")
        pending = self.pending.get(atom.name)
        if pending is not None:
            if pending.weight > 1:
                del self.pending[atom.name]
            self.taken.append(pending)
            return pending
        known = self.known.get(atom.name)
        if known is not None:
            return known
        bounds = self.bounds.get(atom.name, (INT_MIN, INT_MAX))
        return ct.variable(self.c_name(atom.name), self.machine_type(atom.name), *bounds)

    def _constant(self, constant: il.Const) -> CValue:
        value = constant.value
        if type(value) is bool:
            return ct.boolean(value)
        if type(value) is int:
            return ct.integer(value)
        if type(value) is float:
            return ct.floating(value)
        if isinstance(value, bytes | bytearray):
            name = self.shared.literals.setdefault(
                bytes(value), f"cogen_literal_{len(self.shared.literals) + 1}"
            )
            return ct.variable(name, CPointer(CConst(word_type(self.word_size))))
        raise InternalError(f"no C constant: {value!r}")

    def settled(self, atom: il.Atom) -> CValue:
        """A variable or a literal; a pending value gets its variable now."""
        if isinstance(atom, il.Var) and atom.name in self.pending:
            self._write_pending(atom.name)
        return self.value(atom)

    def settle(self, value: CValue) -> CValue:
        if value.weight <= 1 or value.constant is not None:
            return value
        name = self.namer.fresh("t")
        self.out.append(CDeclare(CConst(self.type_of_value(value)), name, value.expr))
        return ct.variable(name, value.type, value.low, value.high)

    def words(self, atom: il.Atom) -> CValue:
        """How many words a buffer has."""
        if isinstance(atom, il.Var):
            most = MOST_BYTES // (self.word_size // 8)
            return ct.variable(self.words_name(atom.name), I64, 0, most)
        if isinstance(atom, il.Const):
            return ct.integer(-(-len(atom.value) // (self.word_size // 8)))
        raise InternalError(f"no buffer: {atom!r}")

    # Definitions

    def define(self, name: str, value: CValue) -> None:
        """Bind a variable of the program to a value: now, or where it is read."""
        if self.scopes.uses[name] == 0:
            return
        nested = name in self.scopes.nested and value.weight <= cv.MAX_WEIGHT
        if value.constant is not None or (nested and self.c_name(name) not in self.declared):
            self.pending[name] = value
        else:
            self._write(name, value)

    def told(self, value: CValue, span: Span | None) -> CValue:
        """The value of an operation, made of its place and of those of the values it has taken
        that are not seen in it any more."""
        seen = {id(expr) for expr in expressions(value.expr)}
        lost = [taken.expr for taken in self.taken if id(taken.expr) not in seen]
        return value.at((*place_of(span), *(place for expr in lost for place in expr.places)))

    def _write_pending(self, name: str) -> None:
        if self.pending[name].weight > 1:
            self._write(name, self.pending.pop(name))

    def _write(self, name: str, value: CValue) -> None:
        target = self.c_name(name)
        if target in self.declared:
            variable = CVariable(target, self.declared_type(name))
            if value.expr != variable:
                self.out.append(CAssign(variable, value.expr, places=value.expr.places))
            kind = MACHINE_TYPES[self.kind(name)]
            self.known[name] = ct.variable(target, kind, value.low, value.high)
            return
        places = value.expr.places
        offset = 0
        if name in self.summed:
            value, offset = cv.apart(value)
        c_type = CConst(self.type_of_value(value))
        self.out.append(CDeclare(c_type, target, value.expr, places=places))
        written = ct.variable(target, value.type, value.low, value.high)
        self.known[name] = cv.with_offset(written, offset)
        lowered = value.comes_from("lowered") or value.comes_from("floored")
        if lowered is not None and value.type == I64 and self._stays(lowered[0].expr):
            self.known[name] = replace(self.known[name], origin=value.origin)
        self.constant.add(target)

    def _stays(self, expr: Expr) -> bool:
        """Whether the expression is a variable that is never assigned again."""
        return isinstance(expr, CVariable) and expr.name in self.constant

    def write_reads(self) -> None:
        """Before a store: pending values that read memory get variables."""
        for name in [n for n, value in self.pending.items() if value.reads]:
            self._write_pending(name)

    def declare_early(self, statement: st.Statement) -> None:
        """Declare what the statement is the first to mention, if it cannot do it itself."""
        for name in self.scopes.declared_before.get(statement, ()):
            kind = self.kind(name)
            if kind == MEMORY:
                self._declare(self.pointer_type(name), self.c_name(name))
                self._declare(I64, self.words_name(name))
            elif kind not in (NOTHING, VECTOR):
                self._declare(self.declared_type(name), self.c_name(name))

    def _declare(self, c_type: Type, name: str) -> None:
        if name not in self.declared:
            self.declared.add(name)
            self.out.append(CDeclare(c_type, name))

    # Failures

    def helper(self, name: str) -> str:
        self.shared.helpers.add(name)
        return name

    def do(self, value: CValue) -> None:
        self.out.append(CDo(CCast(VOID, value.expr)))

    def assigned(
        self, function: str, operation: st.Op, *arguments: CValue
    ) -> tuple[CValue, CValue]:
        name = self.c_name(operation.name)
        self._declare(I64, name)
        place = CUnary("&", CVariable(name, I64))
        call = CInvoke(function, (*(a.expr for a in arguments), place), BOOL)
        weight = 1 + sum(a.weight for a in arguments)
        return ct.variable(name, I64), CValue(call, BOOL, 0, 1, weight)

    def fail_if(self, test: CValue, operation: st.Op, *values: CValue) -> None:
        if test.constant == 0:
            return
        site, details = self.site(operation.op, values, operation.span)
        self.out.append(CIf(test.expr, tuple(self.failure(site, details))))

    def failure(
        self, site: int, details: Sequence[Expr], buffer: Expr | None = None
    ) -> list[Statement]:
        """Report an error, and the buffer it is about if it must be said, and return."""
        self.fails = True
        self.helper("cogen_fail")
        noted = [] if buffer is None else [CAssign(BUFFER, buffer)]
        return [*noting(ERROR, site, details), *noted, self.bail_out()]

    def bail_out(self) -> CReturn:
        """Return anything."""
        return CReturn(ZERO.get(self.result_type))

    def site(
        self, operation: str, values: Sequence[CValue | Datum], span: Span | None
    ) -> tuple[int, list[Expr]]:
        """The number of a new site, and the details that go with it."""
        details: list[Expr] = []
        noted: list[Detail | KnownArgument] = []
        for value in values:
            if not isinstance(value, CValue):
                noted.append(KnownArgument(value))
            elif value.constant is not None:
                noted.append(
                    KnownArgument(bool(value.constant) if value.type == BOOL else value.constant)
                )
            elif len(details) < FAIL_DETAILS:
                noted.append(Detail(len(details), LANGUAGE_TYPES.get(value.type, INT)))
                details.append(self._detail(value))
            else:
                noted.append(KnownArgument(OMITTED))
        return self.shared.site(operation, noted, span), details

    def _detail(self, value: CValue) -> Expr:
        if value.type == F64:
            return CInvoke(self.helper("cogen_float64_to_bits"), (value.expr,), I64)
        return value.expr

    def check_depth(self) -> None:
        self.helper("cogen_deep")
        site = self.site(RECURSION, (), self.procedure.span)
        self.out.append(CIf(is_deep(STACK_LIMIT), tuple(self.failure(*site))))


def index_outside(index: CValue, words: CValue) -> CValue:
    """Whether an index is not in 0 to words - 1."""
    lowered = index.comes_from("lowered") or index.comes_from("floored")
    if index.weight == 1 and lowered is not None and lowered[0].type == I64:
        x, count = lowered  # what is to be moved down need not be, to be compared
        if words.high << count <= ct.RANGES[U64][1]:
            return ct.compare(">=", ct.unsigned(x), _moved_up(words, count))
    if index.type == I64 and index.constant is None and index.low < 0:
        # one comparison: as an unsigned number a negative index is larger than any size
        return ct.compare(">=", ct.unsigned(index), ct.unsigned(words))
    below = ct.compare("<", index, ct.integer(0))
    return ct.either(below, ct.compare("<=", words, index))


def _moved_up(words: CValue, count: int) -> CValue:
    moved = words.low << count, words.high << count
    return ct.made("<<", U64, ct.unsigned(words), ct.integer(count), *moved)
