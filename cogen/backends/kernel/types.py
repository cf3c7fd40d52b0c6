"""Types of first-order residual programs, found by unification.

    type ::= int | float | bool | memory | vector | unspecified

Every variable, every procedure's result has one type in the whole program.  Operations are
typed by the rows of the primitive table: `int`, `float`, `bool` and `memory` as they stand;
`number` and `integer` are int or float, decided when the operands are known (int and float
together compute in float, as the language says); what nothing but an operation on integers
decides is an int.  What nothing decides is a bool if it is tested, else an
int; a result is unspecified if the procedure never returns.  Tests of what is no bool hold.

LimitationError where a variable is an int at one place and a float at another, and where a
type has no counterpart in C (pairs, procedures, strings, ...).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from cogen.backends.kernel import structured as st
from cogen.backends.kernel.literals import table_of, type_of_table
from cogen.backends.kernel.localvectors import (
    COUNTED,
    MAKERS,
    LocalVector,
    counters_of,
    lengths_of,
    vector_used,
)
from cogen.interval import EVERYTHING
from cogen.lang import il
from cogen.lang.datum import UNSPECIFIED
from cogen.lang.errors import InternalError, LimitationError, Span
from cogen.lang.prims import PRIMITIVES
from cogen.lang.printer import write_datum
from cogen.residual import ResidualParameter

INT = "int"
FLOAT = "float"
BOOL = "bool"
MEMORY = "memory"
NOTHING = "unspecified"
VECTOR = "vector"
"""That of vectors that are arrays, which no operation is declared to take."""
TYPES = frozenset([INT, FLOAT, BOOL, MEMORY, NOTHING])
NUMBERS = frozenset([INT, FLOAT])

HINT = "use compile(), --emit so or to_python(), which take all, or specialize more"

IDENTITIES = frozenset(["lift", "values"])
"""Operations whose result is their one argument."""

ANY_TYPE = frozenset(
    ["eq?", "eqv?", "equal?", "early=", "not", "boolean?", "number?", "real?", "complex?",
     "rational?", "integer?", "exact-integer?", "pair?", "null?", "symbol?", "string?", "char?",
     "vector?", "procedure?", "bytevector?", "lift", "values", "values?"]
)  # fmt: skip
"""Operations whose arguments may be of any type."""


@dataclass(slots=True)
class Types:
    """The result: types of variables and of procedures' results, by name."""

    variables: dict[str, str]
    results: dict[str, str]
    vectors: dict[str, LocalVector] = field(default_factory=dict)
    """What the vectors are that are arrays, by the variables that they are made for."""

    def of(self, atom: il.Atom) -> str:
        """The type of an atom."""
        if isinstance(atom, il.Var):
            return self.variables[atom.name]
        if isinstance(atom, il.Const):
            kind = constant_type(atom)
            if kind is not None:
                return kind
        raise InternalError(f"no typed atom: {atom!r}")


def constant_type(constant: il.Const) -> str | None:
    """The type of a constant, None if C has none for it."""
    value = constant.value
    if type(value) is bool:
        return BOOL
    if type(value) is int:
        return INT
    if type(value) is float:
        return FLOAT
    if isinstance(value, (bytes, bytearray)):
        return MEMORY
    return NOTHING if value is UNSPECIFIED else None


def infer(
    procedures: Sequence[st.KernelProcedure], entry: str, parameters: Sequence[ResidualParameter]
) -> Types:
    """The types of a program; `parameters` are the declared ones of the entry."""
    return _KernelInference(procedures).solve(entry, parameters)


class _Type:
    """A type, unknown as long as `kind` is None; a node of a union-find forest."""

    __slots__ = ("kind", "link")

    def __init__(self, kind: str | None = None) -> None:
        self.kind = kind
        self.link: _Type | None = None

    def root(self) -> _Type:
        node = self
        while node.link is not None:
            if node.link.link is not None:
                node.link = node.link.link
            node = node.link
        return node


@dataclass(slots=True)
class _ArithmeticResult:
    """`result` is int if all operands are, float if one is."""

    result: _Type
    operands: tuple[_Type, ...]
    span: Span | None
    whole: bool = False
    """Whether it is one of integers."""


@dataclass(slots=True)
class _KernelInference:
    procedures: Sequence[st.KernelProcedure]
    variables: dict[str, _Type] = field(default_factory=dict)
    results: dict[str, _Type] = field(default_factory=dict)
    arithmetic: list[_ArithmeticResult] = field(default_factory=list)
    tests: list[_Type] = field(default_factory=list)
    """What is tested and, where nothing else decides, is a boolean."""
    returned: list[_Type] = field(default_factory=list)
    """What is returned and, where nothing else decides, is an integer."""
    lengths: dict[str, int] = field(default_factory=dict)
    """Those of the vectors that are arrays."""
    elements: dict[str, _Type] = field(default_factory=dict)
    """The types of their elements."""

    def solve(self, entry: str, parameters: Sequence[ResidualParameter]) -> Types:
        named = {procedure.name: procedure for procedure in self.procedures}
        if all(parameter.cyclic or parameter.type in TYPES for parameter in parameters):
            self.lengths = lengths_of(self.procedures)
        self.elements = {name: _Type() for name in self.lengths}
        for procedure in self.procedures:
            self.results[procedure.name] = _Type()
        for name, parameter in zip(named[entry].parameters, parameters, strict=True):
            declared = INT if parameter.cyclic is not None else parameter.type
            if declared in TYPES:
                self._unify(self._variable(name), _Type(declared), None, parameter.name)
        for procedure in self.procedures:
            for statement in st.walk(procedure.body):
                self._statement(procedure, statement, named)
        self._settle()
        return Types(
            {name: type_.root().kind or INT for name, type_ in self.variables.items()},
            {name: type_.root().kind or NOTHING for name, type_ in self.results.items()},
            self._vectors(),
        )

    # Statements

    def _statement(
        self,
        procedure: st.KernelProcedure,
        statement: st.Statement,
        named: dict[str, st.KernelProcedure],
    ) -> None:
        result = self.results[procedure.name]
        match statement:
            case st.Op():
                self._operation(statement)
            case st.KernelCall(name, function, arguments, span):
                self._arguments(named[function], arguments, span)
                if name is not None:
                    self._unify(self._variable(name), self.results[function], span, name)
                    self.returned.append(self.results[function])
            case st.Finish(function, arguments, span):
                self._arguments(named[function], arguments, span)
                what = f"the result of {procedure.label}"
                self._unify(result, self.results[function], span, what)
            case st.Move(pairs):
                for name, atom in pairs:
                    self._unify(self._variable(name), self._atom(atom, None), None, name)
            case st.Branch(test=test, span=span):
                self.tests.append(self._atom(test, span))
            case st.KernelResult(value, span):
                found = _Type(NOTHING) if value is None else self._atom(value, span)
                self.returned.append(found)
                self._unify(result, found, span, f"the result of {procedure.label}")
            case st.KernelFailure(arguments=arguments):
                for atom in arguments:
                    if isinstance(atom, il.Var):
                        self._variable(atom.name)

    def _arguments(
        self, callee: st.KernelProcedure, arguments: tuple[il.Atom, ...], span: Span | None
    ) -> None:
        for name, atom in zip(callee.parameters, arguments, strict=True):
            self._unify(self._variable(name), self._atom(atom, span), span, name)

    def _operation(self, statement: st.Op) -> None:
        op, span = statement.op, statement.span
        if (table := table_of(statement)) is not None:
            index = self._atom(statement.arguments[1], span)
            self._unify(index, _Type(INT), span, f"an argument of {op}")
            found = _Type(type_of_table(table))
            self._unify(self._variable(statement.name), found, span, statement.name)
            return
        if self._vector(statement):
            return
        row = PRIMITIVES.get(op)
        several = op in IDENTITIES and len(statement.arguments) != 1
        if row is None or row.effect in ("output", "alloc", "control") or several:
            what = "a buffer that is known ahead" if op == "%copy-called" else f"the operation {op}"
            raise _limitation(what, span)
        operands = tuple(self._atom(atom, span) for atom in statement.arguments)
        result = self._variable(statement.name)
        for position, operand in enumerate(operands):
            declared = row.arguments[min(position, len(row.arguments) - 1)]
            self._operand(op, declared, operand, span)
        if op in IDENTITIES:
            self._unify(result, operands[0], span, statement.name)
        elif op == "sqrt":
            self._unify(operands[0], _Type(FLOAT), span, "the argument of sqrt", SQRT_HINT)
            self._unify(result, _Type(FLOAT), span, statement.name)
        elif row.result == "number":
            whole = "integer" in row.arguments
            self.arithmetic.append(_ArithmeticResult(result, operands, span, whole))
        elif row.result in TYPES:
            self._unify(result, _Type(row.result), span, statement.name)
        else:
            raise _limitation(f"the operation {op}", span)

    def _vector(self, statement: st.Op) -> bool:
        """Whether the operation is one on a vector that is an array, which gives it its types."""
        op, span, name = statement.op, statement.span, statement.name
        if op in MAKERS and name in self.lengths:
            self._unify(self._variable(name), _Type(VECTOR), span, name)
            put = statement.arguments[1:] if op == "make-vector" else statement.arguments
            vector = name
        else:
            used = vector_used(statement)
            if used is None or used not in self.lengths:
                return False
            vector, put = used, statement.arguments[2:]
            found = {"vector-length": _Type(INT), "vector-set!": _Type(NOTHING)}
            of_name = found.get(op, self.elements[vector])
            self._unify(self._variable(name), of_name, span, name)
            for index in statement.arguments[1:2]:
                self._unify(self._atom(index, span), _Type(INT), span, f"an argument of {op}")
        for atom in put:
            what = f"an element of {vector}"
            self._unify(self._atom(atom, span), self.elements[vector], span, what)
        return True

    def _vectors(self) -> dict[str, LocalVector]:
        counters = counters_of(self.procedures)
        return {
            name: LocalVector(n, self._element(name), COUNTED if name in counters else EVERYTHING)
            for name, n in self.lengths.items()
        }

    def _element(self, vector: str) -> str:
        """The type of the elements of a vector; LimitationError if C has no such array."""
        kind = self.elements[vector].root().kind or INT
        if kind not in (INT, FLOAT, BOOL):
            raise _limitation(f"a vector with {ARTICLE[kind]}", None)
        return kind

    def _operand(self, op: str, declared: str, operand: _Type, span: Span | None) -> None:
        if declared in TYPES:
            self._unify(operand, _Type(declared), span, f"an argument of {op}")
        elif declared in ("number", "integer"):
            whole = declared == "integer"
            self.arithmetic.append(_ArithmeticResult(_Type(), (operand,), span, whole))
        elif op not in ANY_TYPE:
            raise _limitation(f"the operation {op}", span)

    def _variable(self, name: str) -> _Type:
        return self.variables.setdefault(name, _Type())

    def _atom(self, atom: il.Atom, span: Span | None) -> _Type:
        if isinstance(atom, il.Var):
            return self._variable(atom.name)
        if not isinstance(atom, il.Const):
            raise InternalError(f"no first-order atom: {atom!r}")
        kind = constant_type(atom)
        if kind is None:
            raise _limitation(f"the constant {describe(atom.value)}", span)
        return _Type(kind)

    # Solving

    def _unify(
        self, one: _Type, other: _Type, span: Span | None, what: str, hint: str | None = None
    ) -> None:
        a, b = one.root(), other.root()
        if a is b:
            return
        if a.kind is None:
            a.link = b
        elif b.kind is None or b.kind == a.kind:
            b.link = a
        else:
            raise _conflict(what, a.kind, b.kind, span, hint)

    def _settle(self) -> None:
        """Decide arithmetic: what is known first, then what operations on integers take is int,
        then floats spread, then ints are assumed."""
        for assume in (None, _WHOLE, FLOAT, INT):
            waiting = self.arithmetic
            while waiting:
                left = [a for a in waiting if not self._decide(a, assume)]
                if len(left) == len(waiting):
                    break
                waiting = left
            self.arithmetic = waiting
        for test in self.tests:
            if test.root().kind is None:
                test.root().kind = BOOL
        for value in self.returned:
            if value.root().kind is None:
                value.root().kind = INT

    def _decide(self, arithmetic: _ArithmeticResult, assume: str | None) -> bool:
        """Whether the constraint is settled, with `assume` for what is still unknown."""
        kinds = [operand.root().kind for operand in arithmetic.operands]
        for kind in kinds:
            if kind is not None and kind not in NUMBERS:
                raise _conflict("an operand", "number", kind, arithmetic.span, None)
        if assume == _WHOLE and arithmetic.whole:
            assume = INT
        if assume == INT or (assume == FLOAT and FLOAT in (*kinds, arithmetic.result.root().kind)):
            for operand in arithmetic.operands:
                if operand.root().kind is None:
                    operand.root().kind = assume
            kinds = [operand.root().kind for operand in arithmetic.operands]
        if FLOAT in kinds:
            self._unify(arithmetic.result, _Type(FLOAT), arithmetic.span, "the result")
        elif None not in kinds:
            self._unify(arithmetic.result, _Type(INT), arithmetic.span, "the result")
        return None not in kinds


_WHOLE: Final = "whole"
"""What is assumed of operations on integers before anything is of others: their operands are."""

SQRT_HINT = (
    "the square root of an integer is an integer or a float, depending on its value: "
    "write (sqrt (inexact x))"
)


def describe(value: object) -> str:
    """A constant as a message names it."""
    text = write_datum(value)
    return text if len(text) <= 40 else text[:39] + "…"


ARTICLE = {INT: "an int", FLOAT: "a float", BOOL: "a bool", MEMORY: "a buffer",
           NOTHING: "an unspecified value", "number": "a number"}  # fmt: skip


def _conflict(what: str, one: str, other: str, span: Span | None, hint: str | None) -> Exception:
    if hint is None and {one, other} == {INT, FLOAT}:
        hint = "write the integer as a float (0.0 for 0), or convert with `inexact`"
    names = sorted([one, other], key=list(ARTICLE).index)
    return LimitationError(
        f"C code cannot express that {what} is {ARTICLE[names[0]]} at one place and "
        f"{ARTICLE[names[1]]} at another",
        span,
        hint=hint or HINT,
    )


def _limitation(what: str, span: Span | None) -> LimitationError:
    return LimitationError(f"C code cannot express {what}", span, hint=HINT)


def flows(procedures: Iterable[st.KernelProcedure]) -> Iterable[tuple[il.Atom, str]]:
    """All pairs (atom, variable): the atom's value may become that of the variable."""
    listed = list(procedures)
    named = {procedure.name: procedure for procedure in listed}
    for procedure in listed:
        for statement in st.walk(procedure.body):
            match statement:
                case st.Move(pairs):
                    yield from ((atom, name) for name, atom in pairs)
                case (
                    st.KernelCall(function=function, arguments=arguments)
                    | st.Finish(function=function, arguments=arguments)
                ):
                    yield from zip(arguments, named[function].parameters, strict=True)
                case st.Op(name=name, op=op, arguments=arguments) if op in IDENTITIES:
                    yield arguments[0], name
