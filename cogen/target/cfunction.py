"""Structured code -> a C function.

Values that are read once are written where they are read, as long as nothing they depend on
changes in between; all others get a variable with the source's name.  Only total
expressions are moved: what can fail is checked where it stands, by a test that reports the
error and returns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cogen.target import cloops, coperations, cscope
from cogen.target import cvalue as cv
from cogen.target import structured as st
from cogen.target.cfacts import Facts, stores
from cogen.target.cmodule import RECURSION, Detail, ErrorSite, Given
from cogen.target.cmove import in_order
from cogen.target.cnames import Namer
from cogen.target.cruntime import word_type
from cogen.target.ctree import (
    Assign,
    Binary,
    Break,
    Cast,
    Continue,
    Declare,
    Do,
    Expr,
    Field,
    Function,
    Goto,
    If,
    Index,
    Invoke,
    Label,
    Name,
    Return,
    Statement,
    Unary,
    names_in,
)
from cogen.target.cvalue import BOOL, F64, I64, Value
from cogen.target.types import BOOL as BOOLEAN
from cogen.target.types import FLOAT, HINT, INT, MEMORY, NOTHING, Types
from lang import il
from lang.datum import Datum, symbol
from lang.errors import InternalError, LimitationError, Span

OMITTED = symbol("...")
"""Stands for an irritant that there is no room to report."""

MACHINE_TYPES = {INT: I64, FLOAT: F64, BOOLEAN: BOOL}
C_RESULTS = {INT: "int64_t", FLOAT: "double", BOOLEAN: "bool", NOTHING: "void"}
ZERO = {INT: "0", FLOAT: "0.0", BOOLEAN: "false"}
LANGUAGE_TYPES = {F64: FLOAT, BOOL: BOOLEAN}
ERROR = Name("error")
FAILED = Binary("!=", Field(ERROR, "code"), Name("0"))


@dataclass(slots=True)
class Shared:
    """What the functions of one file share."""

    types: Types
    facts: Facts
    word_size: int
    checked: bool
    c_names: Mapping[str, str]
    """The C function of each procedure."""
    procedures: Mapping[str, st.Procedure]
    failing: set[str] = field(default_factory=set)
    """The procedures, of those printed so far, whose functions take `error`."""
    helpers: set[str] = field(default_factory=set)
    sites: list[ErrorSite] = field(default_factory=list)
    literals: dict[il.Const, str] = field(default_factory=dict)
    """The C arrays of literal bytevectors."""

    def site(
        self, operation: str, arguments: Sequence[Detail | Given], span: Span | None
    ) -> Value:
        """The code of a new error site."""
        code = len(self.sites) + 1
        self.sites.append(ErrorSite(code, operation, tuple(arguments), span))
        return cv.integer(code)


class FunctionPrinter:
    """Prints one procedure; implements `coperations.Context`."""

    def __init__(self, procedure: st.Procedure, shared: Shared) -> None:
        self.procedure = procedure
        self.shared = shared
        self.types = shared.types
        self.word_size = shared.word_size
        self.checked = shared.checked
        self.result_type = shared.types.results[procedure.name]
        self.recursive = procedure.name in shared.facts.recursive
        self.fails = self.recursive
        self.scopes = cscope.scopes(procedure)
        self.namer = Namer({*shared.c_names.values()})
        self.c_names: dict[str, str] = {}
        self.pending: dict[str, Value] = {}
        """Values that are not yet written, in the order in which they were computed."""
        self.known: dict[str, Value] = {}
        """Variables with a C type of their own, or a known interval."""
        self.declared: set[str] = set()
        """The C names that have a declaration."""
        self.out: list[Statement] = []
        self.labels: dict[str, str] = {}
        self.safe: set[st.Op] = set()
        """Loads and stores whose index needs no check."""
        self.joins = {
            name
            for statement in st.walk(procedure.body)
            if isinstance(statement, st.Move)
            for name, _ in statement.pairs
        }
        """Variables that are assigned at more than one place."""
        self.parameters = self._parameters()
        self.declared.update(self._parameter_names())

    def print(self, comment: str, external: bool) -> Function:
        """The function; `self.fails` then tells whether it takes `error`."""
        if self.recursive:
            self._check_depth()
        self.body(self.procedure.body)
        if self.out and self.out[-1] == Return():
            self.out.pop()
        unused = [
            Do(Cast("void", Name(name)))
            for name in self._parameter_names()
            if not any(name in names_in(statement) for statement in self.out)
        ]
        parameters = [*self.parameters, "cogen_error *error"] if self.fails else self.parameters
        result = C_RESULTS[self.result_type]
        return Function(
            result=result if external else f"static {result}",
            name=self.shared.c_names[self.procedure.name],
            parameters=tuple(parameters),
            body=(*unused, *self.out),
            comment=comment,
        )

    def _parameters(self) -> list[str]:
        """The parameters as declared: a buffer is a pointer and its number of words."""
        declared: list[str] = []
        restrict = "restrict " if self.procedure.name in self.shared.facts.restricted else ""
        for name in self.procedure.parameters:
            kind = self._kind(name)
            if kind == MEMORY:
                declared.append(f"{self._pointer_type(name)}{restrict}{self.c_name(name)}")
                declared.append(f"int64_t {self._words_name(name)}")
            elif kind != NOTHING:
                declared.append(f"{cv.C_TYPES[MACHINE_TYPES[kind]]} {self.c_name(name)}")
        return declared

    def _parameter_names(self) -> list[str]:
        names: list[str] = []
        for name in self.procedure.parameters:
            kind = self._kind(name)
            if kind != NOTHING:
                names.append(self.c_name(name))
            if kind == MEMORY:
                names.append(self._words_name(name))
        return names

    def _pointer_type(self, name: str) -> str:
        const = "" if name in self.shared.facts.stored else "const "
        return f"{const}{word_type(self.word_size)} *"

    def _kind(self, name: str) -> str:
        return self.types.variables.get(name, INT)

    # Names and atoms

    def c_name(self, name: str) -> str:
        """The C name of a variable."""
        made = self.c_names.get(name)
        if made is None:
            made = self.c_names[name] = self.namer.fresh(name)
        return made

    def _words_name(self, name: str) -> str:
        key = f"{name} words"
        made = self.c_names.get(key)
        if made is None:
            made = self.c_names[key] = self.namer.fresh(f"{self.c_name(name)}_words")
        return made

    def type_of(self, atom: il.Atom) -> str:
        return self.types.of(atom)

    def value(self, atom: il.Atom) -> Value:
        """The expression of an atom; a pending value is used up."""
        if isinstance(atom, il.Const):
            return self._constant(atom)
        if not isinstance(atom, il.Var):
            raise InternalError(f"no first-order atom: {atom!r}")
        pending = self.pending.get(atom.name)
        if pending is not None:
            if pending.weight > 1:
                del self.pending[atom.name]
            return pending
        known = self.known.get(atom.name)
        if known is not None:
            return known
        kind = self._kind(atom.name)
        return cv.variable(self.c_name(atom.name), MACHINE_TYPES.get(kind, I64))

    def _constant(self, constant: il.Const) -> Value:
        value = constant.value
        if type(value) is bool:
            return cv.boolean(value)
        if type(value) is int:
            return cv.integer(value)
        if type(value) is float:
            return cv.floating(value)
        if isinstance(value, bytes | bytearray):
            name = self.shared.literals.setdefault(
                constant, f"cogen_literal_{len(self.shared.literals) + 1}"
            )
            return cv.variable(name, I64)
        raise InternalError(f"no C constant: {value!r}")

    def settled(self, atom: il.Atom) -> Value:
        """A variable or a literal; a pending value gets its variable now."""
        if isinstance(atom, il.Var) and atom.name in self.pending:
            self._write_pending(atom.name)
        return self.value(atom)

    def settle(self, value: Value) -> Value:
        if value.weight <= 1 or value.constant is not None:
            return value
        name = self.namer.fresh("t")
        self.out.append(Declare(f"const {value.c_type}", name, value.expr))
        return cv.variable(name, value.type, value.low, value.high)

    def words(self, atom: il.Atom) -> Value:
        """How many words a buffer has."""
        if isinstance(atom, il.Var):
            return Value(Name(self._words_name(atom.name)), I64, 0)
        if isinstance(atom, il.Const):
            return cv.integer(-(-len(atom.value) // (self.word_size // 8)))
        raise InternalError(f"no buffer: {atom!r}")

    # Definitions

    def _define(self, name: str, value: Value) -> None:
        """Bind a variable of the program to a value: now, or where it is read."""
        if self.scopes.uses[name] == 0:
            return
        atomic = value.weight <= 1
        nested = name in self.scopes.nested and value.weight <= cv.MAX_WEIGHT
        if self.c_name(name) not in self.declared and (atomic or nested):
            self.pending[name] = value
        else:
            self._write(name, value)

    def _write_pending(self, name: str) -> None:
        if self.pending[name].weight > 1:
            self._write(name, self.pending.pop(name))

    def _write(self, name: str, value: Value) -> None:
        target = self.c_name(name)
        if target in self.declared:
            self.out.append(Assign(Name(target), value.expr))
            kind = MACHINE_TYPES[self._kind(name)]
            self.known[name] = cv.variable(target, kind, value.low, value.high)
            return
        self.out.append(Declare(f"const {value.c_type}", target, value.expr))
        self.known[name] = cv.variable(target, value.type, value.low, value.high)

    def write_reads(self) -> None:
        """Before a store: pending values that read memory get variables."""
        for name in [n for n, value in self.pending.items() if value.reads]:
            self._write_pending(name)

    def declare_early(self, statement: st.Statement) -> None:
        """Declare what the statement is the first to mention, if it cannot do it itself."""
        for name in self.scopes.declared_before.get(statement, ()):
            kind = self._kind(name)
            if kind == MEMORY:
                self._declare(self._pointer_type(name), self.c_name(name))
                self._declare("int64_t", self._words_name(name))
            elif kind != NOTHING:
                self._declare(cv.C_TYPES[MACHINE_TYPES[kind]], self.c_name(name))

    def _declare(self, c_type: str, name: str) -> None:
        if name not in self.declared:
            self.declared.add(name)
            self.out.append(Declare(c_type, name))

    # Failures

    def helper(self, name: str) -> str:
        self.shared.helpers.add(name)
        return name

    def do(self, expr: Expr) -> None:
        self.out.append(Do(expr))

    def assigned(
        self, function: str, operation: st.Op, *arguments: Value
    ) -> tuple[Value, Expr]:
        name = self.c_name(operation.name)
        self._declare("int64_t", name)
        call = Invoke(function, (*(a.expr for a in arguments), Unary("&", Name(name))))
        return cv.variable(name, I64), call

    def fail_if(self, test: Expr, operation: st.Op, *values: Value) -> None:
        code, first, second = self._site(operation.op, values, operation.span)
        self.out.append(If(test, tuple(self.failure(code, first, second))))

    def failure(self, code: Expr, first: Expr, second: Expr) -> list[Statement]:
        """Report an error and return."""
        self.fails = True
        call = Invoke(self.helper("cogen_fail"), (ERROR, code, first, second))
        return [Do(call), self.bail_out()]

    def bail_out(self) -> Return:
        """Return anything."""
        zero = ZERO.get(self.result_type)
        return Return(None if zero is None else Name(zero))

    def _site(
        self, operation: str, values: Sequence[Value | Datum], span: Span | None
    ) -> tuple[Expr, Expr, Expr]:
        """A new error site: its code and the two details that go with it."""
        details: list[Expr] = []
        noted: list[Detail | Given] = []
        for value in values:
            if not isinstance(value, Value):
                noted.append(Given(value))
            elif value.constant is not None:
                noted.append(Given(bool(value.constant) if value.type == BOOL else value.constant))
            elif len(details) < 2:
                noted.append(Detail(len(details), LANGUAGE_TYPES.get(value.type, INT)))
                details.append(self._detail(value))
            else:
                noted.append(Given(OMITTED))
        code = self.shared.site(operation, noted, span)
        first, second = [*details, Name("0"), Name("0")][:2]
        return code.expr, first, second

    def _detail(self, value: Value) -> Expr:
        if value.type == F64:
            return Invoke(self.helper("cogen_float64_to_bits"), (value.expr,))
        return value.expr

    def _check_depth(self) -> None:
        test = Invoke(self.helper("cogen_deep"), (ERROR,))
        site = self._site(RECURSION, (), self.procedure.span)
        self.out.append(If(test, tuple(self.failure(*site))))

    # Statements

    def body(self, body: st.Body) -> None:
        """Print a body into the current block."""
        for position, statement in enumerate(body):
            self.declare_early(statement)
            following = body[position + 1] if position + 1 < len(body) else None
            before = body[position - 1] if position else None
            if isinstance(statement, st.Move) and isinstance(following, st.Loop):
                self.declare_early(following)
                cloops.print_loop(self, following, statement)
            elif isinstance(statement, st.Loop):
                if not isinstance(before, st.Move):
                    cloops.print_loop(self, statement, None)
            elif isinstance(statement, st.Branch):
                self._branch(statement)
            else:
                self._statement(statement)

    def nested(self, body: st.Body) -> tuple[Statement, ...]:
        """The statements of a body that gets a block of its own."""
        outer, self.out = self.out, []
        self.body(body)
        inner, self.out = self.out, outer
        return tuple(inner)

    def _branch(self, branch: st.Branch) -> None:
        """A conditional; an arm that control does not come out of is a guard for the other."""
        test = self.value(branch.test)
        if any(stores(s, self.shared.facts.storing) for s in st.walk([branch])):
            self.write_reads()
        then, otherwise = branch.then, branch.otherwise
        if self.types.of(branch.test) != BOOLEAN or test.constant is not None:
            self.body(then if test.constant != 0 or test.type != BOOL else otherwise)
            return
        ends = not st.falls(then), not st.falls(otherwise)
        if ends[1] and (not ends[0] or _size(otherwise) < _size(then)):
            self.out.append(If(cv.negated(test).expr, self.nested(otherwise)))
            self.body(then)
        elif ends[0]:
            self.out.append(If(test.expr, self.nested(then)))
            self.body(otherwise)
        elif then:
            self.out.append(If(test.expr, self.nested(then), self.nested(otherwise)))
        elif otherwise:
            self.out.append(If(cv.negated(test).expr, self.nested(otherwise)))

    def _statement(self, statement: st.Statement) -> None:
        match statement:
            case st.Op():
                self._operation(statement)
            case st.Invoke():
                self._invoke(statement)
            case st.Move(pairs):
                self.move(pairs)
            case st.Result(value):
                self._result(value)
            case st.Finish():
                self._finish(statement)
            case st.Fail(op, arguments, span):
                values = [self._irritant(atom) for atom in arguments]
                self.out.extend(self.failure(*self._site(op, values, span)))
            case st.Again():
                self.out.append(Continue())
            case st.Leave():
                self.out.append(Break())
            case st.Goto(label):
                self.out.append(Goto(self._label(label)))
            case st.Mark(label):
                self.out.append(Label(self._label(label)))
            case _:
                raise InternalError(f"no structured statement: {statement!r}")

    def _irritant(self, atom: il.Atom) -> Value | Datum:
        if isinstance(atom, il.Const):
            return atom.value
        return self.settled(atom) if self.types.of(atom) in ZERO else OMITTED

    def _label(self, label: str) -> str:
        made = self.labels.get(label)
        if made is None:
            made = self.labels[label] = self.namer.fresh(label)
        return made

    def _operation(self, operation: st.Op) -> None:
        if operation.op == "load-word":
            self._load(operation)
        elif operation.op == "store-word!":
            self._store(operation)
        elif self._kind(operation.name) == MEMORY:
            self.move(((operation.name, operation.arguments[0]),))
        elif self._kind(operation.name) != NOTHING:
            rule = coperations.RULES.get(operation.op)
            if rule is None:
                raise LimitationError(
                    f"C code cannot express the operation {operation.op}", operation.span, HINT
                )
            self._define(operation.name, rule(self, operation))

    # Memory

    def _load(self, operation: st.Op) -> None:
        buffer, index = operation.arguments
        if operation not in self.safe:
            self._check_index(operation)
        if self.scopes.uses[operation.name]:
            self._define(operation.name, self._word(buffer, self.value(index)))

    def _word(self, buffer: il.Atom, index: Value) -> Value:
        """The word at an index."""
        name = self.value(buffer).expr
        word = Index(name, index.expr)
        weight = index.weight + 2
        if self.word_size in (8, 16, 32):
            type_ = cv.U32 if self.word_size == 32 else cv.I32
            return Value(word, type_, 0, (1 << self.word_size) - 1, weight, reads=True)
        if self.word_size == 64:
            return Value(word, I64, weight=weight, reads=True)
        type_ = cv.U32 if self.word_size == 24 else I64
        load = Invoke(f"load_{word_type(self.word_size)}", (Unary("&", word),))
        return Value(load, type_, 0, (1 << self.word_size) - 1, weight + 1, reads=True)

    def _store(self, operation: st.Op) -> None:
        buffer, index, value = operation.arguments
        if operation not in self.safe:
            self._check_index(operation)
        word = Index(self.value(buffer).expr, self.value(index).expr)
        stored = self.value(value)
        self.write_reads()
        if self.word_size in (8, 16, 32, 64):
            self.out.append(Assign(word, self._truncated(stored)))
        else:
            function = f"store_{word_type(self.word_size)}"
            self.out.append(Do(Invoke(function, (Unary("&", word), stored.expr))))

    def _truncated(self, value: Value) -> Expr:
        """The value modulo the word size, without a warning."""
        if self.word_size == 64 or (self.word_size == 32 and value.type == cv.U32):
            return value.expr
        if value.constant is not None:
            return cv.integer(int(value.constant) % (1 << self.word_size)).expr
        return Cast(f"uint{self.word_size}_t", value.expr)

    def _check_index(self, operation: st.Op) -> None:
        """Report an index that is outside of the buffer."""
        buffer = operation.arguments[0]
        index = self.settled(operation.arguments[1])
        words = self.words(buffer)
        code = self.site_code(operation)
        test = index_outside(index, words)
        self.out.append(If(test, tuple(self.failure(code, index.expr, words.expr))))

    def site_code(self, operation: st.Op) -> Expr:
        """A new error site of an access, whose details are the index and the words."""
        noted = (Detail(0, INT), Detail(1, INT))
        return self.shared.site(operation.op, noted, operation.span).expr

    # Calls

    def _arguments(self, function: str, arguments: Sequence[il.Atom]) -> tuple[Expr, ...]:
        passed: list[Expr] = []
        for name, atom in zip(
            self.shared.procedures[function].parameters, arguments, strict=True
        ):
            kind = self._kind(name)
            if kind == NOTHING:
                continue
            value = self.value(atom)
            passed.append(value.expr)
            if kind == MEMORY:
                passed.append(self.words(atom).expr)
        if self._callee_fails(function):
            self.fails = True
            passed.append(ERROR)
        return tuple(passed)

    def _callee_fails(self, function: str) -> bool:
        return function in self.shared.failing or function in self.shared.facts.recursive

    def _invoke(self, statement: st.Invoke) -> None:
        name, function = statement.name, statement.function
        call = Invoke(
            self.shared.c_names[function], self._arguments(function, statement.arguments)
        )
        if function in self.shared.facts.storing:
            self.write_reads()
        kind = self.types.results[function]
        if name is None or kind == NOTHING:
            self.out.append(Do(call))
        elif self.c_name(name) in self.declared or name in self.joins:
            self._assign(self.c_name(name), cv.C_TYPES[MACHINE_TYPES[kind]], call)
        else:
            c_type = f"const {cv.C_TYPES[MACHINE_TYPES[kind]]}"
            self.out.append(Declare(c_type, self.c_name(name), call))
        if self._callee_fails(function):
            self.out.append(If(FAILED, (self.bail_out(),)))

    def _finish(self, statement: st.Finish) -> None:
        function = statement.function
        call = Invoke(
            self.shared.c_names[function], self._arguments(function, statement.arguments)
        )
        if self.result_type == NOTHING:
            self.out += [Do(call), Return()]
        elif self.types.results[function] == NOTHING:  # the callee never returns
            self.out += [Do(call), self.bail_out()]
        else:
            self.out.append(Return(call))

    def _result(self, atom: il.Atom | None) -> None:
        if atom is None or self.result_type == NOTHING:
            self.out.append(Return())
            return
        value = self.value(atom)
        self.out.append(Return(value.expr))

    # Assignments

    def move(self, pairs: Sequence[tuple[str, il.Atom]]) -> None:
        """Simultaneous assignment; a variable assigned for the first time is declared."""
        assignments = [a for name, atom in pairs for a in self._assignments(name, atom)]
        ordered = in_order([(target, expr) for target, _, expr in assignments], self.namer)
        types = {target: c_type for target, c_type, _ in assignments}
        for target, expr, temporary in ordered:
            if temporary:
                c_type = types[temporary]
                constant = c_type if c_type.endswith("*") else f"const {c_type}"
                self.out.append(Declare(constant, target, expr))
            else:
                self._assign(target, types[target], expr)

    def _assignments(self, name: str, atom: il.Atom) -> list[tuple[str, str, Expr]]:
        """What assigning a variable is in C: (variable, type, value); a buffer is two."""
        kind = self._kind(name)
        if kind == NOTHING:
            return []
        value = self.value(atom)
        target = self.c_name(name)
        if kind != MEMORY:
            return [(target, cv.C_TYPES[MACHINE_TYPES[kind]], value.expr)]
        return [
            (target, self._pointer_type(name), value.expr),
            (self._words_name(name), "int64_t", self.words(atom).expr),
        ]

    def _assign(self, target: str, c_type: str, expr: Expr) -> None:
        if target in self.declared:
            self.out.append(updated(target, expr))
        else:
            self.declared.add(target)
            self.out.append(Declare(c_type, target, expr))


def index_outside(index: Value, words: Value) -> Expr:
    """Whether an index is not in 0 to words - 1."""
    if index.type == I64 and index.constant is None and index.low < 0:
        # one comparison: as an unsigned number a negative index is larger than any size
        limit = words.expr if words.constant is not None else Cast("uint64_t", words.expr)
        return Binary(">=", Cast("uint64_t", index.expr), limit)
    beyond = cv.compare("<=", words, index).expr
    below = cv.compare("<", index, cv.integer(0))
    if below.constant is not None:
        return Name("true") if below.constant else beyond
    return Binary("||", below.expr, beyond)


def updated(target: str, expr: Expr) -> Assign:
    """`x = x + e` as `x += e`."""
    if isinstance(expr, Binary) and expr.operator in ("+", "-") and expr.left == Name(target):
        return Assign(Name(target), expr.right, f"{expr.operator}=")
    return Assign(Name(target), expr)


def _size(body: st.Body) -> int:
    return sum(1 for _ in st.walk(body))
