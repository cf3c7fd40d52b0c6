"""What a tree of C must fulfil; InternalError, with the function's name, if it does not.

    names       a variable is declared before it is used, in a scope around it, with its type (as
                C computes with it); none is declared twice in a scope
    labels      each is there once; what is gone to is there; `break` and `continue` are in a loop
    types       numbers and addresses are not mixed up: in tests, in what is assigned, passed and
                returned; bits are those of integers; what is indexed is an array
    calls       of a function of the file: as many arguments as it has parameters, and its result

Names that the run-time library gives are `given`.  A type that is only a name (a structure, or
what a macro gives) is not looked into.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from cogen.backends.ctree import tree
from cogen.backends.ctree.types import (
    VOID,
    CBasic,
    CPointer,
    CVector,
    Type,
    bits_of,
    is_address,
    is_number,
    plain,
    promoted,
    text,
)
from cogen.backends.ctree.typing import type_of
from cogen.lang.errors import InternalError

_BITS = ("<<", ">>", "&", "|", "^", "%")


def check(unit: tree.CUnit, given: Collection[str] = ()) -> None:
    """InternalError if a file does not fulfil what is said above."""
    known: dict[str, tree.CFunction] = {}
    names: dict[str, Type] = dict.fromkeys(given, VOID)
    for item in unit.items:
        if isinstance(item, tree.CData):
            names[item.name] = item.type if item.extent is None else CPointer(item.type)
        elif isinstance(item, tree.CPrototype):
            known[item.function.name] = item.function
    for function in tree.functions_of(unit.items):
        known[function.name] = function
        _CTreeChecker(function, known).check(names)


class _CTreeChecker:
    def __init__(self, function: tree.CFunction, known: dict[str, tree.CFunction]) -> None:
        self.function = function
        self.known = known

    def need(self, holds: bool, what: str) -> None:
        if not holds:
            raise self.mistake(what)

    def mistake(self, what: str) -> InternalError:
        """For what would be said of each expression: said only where it is wrong."""
        return InternalError(f"the C function {self.function.name}: {what}")

    def check(self, names: dict[str, Type]) -> None:
        function = self.function
        own_names = [parameter.name for parameter in function.parameters]
        self.need(len(set(own_names)) == len(own_names), "two parameters have one name")
        labels = [s.name for s in tree.all_statements(*function.body) if isinstance(s, tree.CLabel)]
        self.need(len(set(labels)) == len(labels), "a label is there twice")
        for statement in tree.all_statements(*function.body):
            if isinstance(statement, tree.CGoto):
                self.need(statement.label in labels, f"there is no label {statement.label}")
        parameters = {parameter.name: parameter.type for parameter in function.parameters}
        self.block(function.body, names | parameters, parameters, in_loop=False)

    def block(
        self,
        body: Sequence[tree.Statement],
        outer: dict[str, Type],
        first: dict[str, Type],
        in_loop: bool,
    ) -> None:
        """Statements of one scope, in which `first` is declared already."""
        here, names = dict(first), outer | first
        for statement in body:
            self.statement(statement, names, in_loop)
            if isinstance(statement, tree.CDeclare):
                self.need(statement.name not in here, f"{statement.name} is declared twice")
                t = statement.type
                here[statement.name] = t if statement.extent is None else CPointer(t)
                names[statement.name] = here[statement.name]

    def statement(self, statement: tree.Statement, names: dict[str, Type], in_loop: bool) -> None:
        if isinstance(statement, tree.CFor):
            self.loop(statement, names)
            return
        for expr in tree.own(statement):
            self.expression(expr, names)
        match statement:
            case tree.CDeclare(t, name, tree.CBraces(fields), extent) if extent is not None:
                for _, value in fields:
                    self.fits(value, t, name)
            case tree.CDeclare(t, name, value) if value is not None:
                self.fits(value, t, name)
            case tree.CAssign(target, value, "="):
                self.fits(value, type_of(target), "what is assigned")
            case tree.CReturn(value):
                found = VOID if value is None else type_of(value)
                self.need((found == VOID) == (self.function.result == VOID), "what it returns")
                if value is not None and found != VOID:
                    self.fits(value, self.function.result, "what it returns")
            case tree.CIf(test, then, otherwise):
                self.test(test)
                self.block(then, names, {}, in_loop)
                self.block(otherwise, names, {}, in_loop)
            case tree.CWhile(test, body):
                self.test(test)
                self.block(body, names, {}, in_loop=True)
            case tree.CScope(body):
                self.block(body, names, {}, in_loop)
            case tree.CAlternatives(forms):
                for _, body in forms:
                    self.block(body, names, {}, in_loop)
            case tree.CSwitch(_, cases):
                self.need(
                    len({number for number, _ in cases}) == len(cases), "a case is there twice"
                )
                for _, body in cases:
                    self.block(body, names, {}, in_loop=True)
            case tree.CBreak() | tree.CContinue():
                self.need(in_loop, "a loop is left where there is none")

    def loop(self, loop: tree.CFor, names: dict[str, Type]) -> None:
        inner = dict(names)
        if loop.first is not None:
            self.statement(loop.first, inner, in_loop=False)
            if isinstance(loop.first, tree.CDeclare):
                inner[loop.first.name] = loop.first.type
        if loop.test is not None:
            self.expression(loop.test, inner)
            self.test(loop.test)
        if loop.step is not None:
            self.statement(loop.step, inner, in_loop=False)
        self.block(loop.body, inner, {}, in_loop=True)

    def test(self, expr: tree.Expr) -> None:
        t = type_of(expr)
        if not _is_scalar(t):
            raise self.mistake(f"a test is of type {text(t)}")

    def expression(self, root: tree.Expr, names: dict[str, Type]) -> None:
        for expr in tree.expressions(root):
            match expr:
                case tree.CVariable(name, t):
                    self.need(name in names, f"there is no variable {name}")
                    declared = names[name]
                    if declared != VOID and declared is not t and not _same(declared, t):
                        raise self.mistake(f"{name} is {text(declared)}, not {text(t)}")
                case tree.CBinary(operator, left, right):
                    self.operands(operator, type_of(left), type_of(right))
                case tree.CUnary("~", operand):
                    self.integer(type_of(operand), "~")
                case tree.CIndex(base, index):
                    t = plain(type_of(base))
                    self.need(
                        _is_named(t) or isinstance(t, CPointer | CVector), "no array is indexed"
                    )
                    self.integer(type_of(index), "an index")
                case tree.CInvoke(function, arguments, t) if function in self.known:
                    self.call(self.known[function], arguments, t)

    def operands(self, operator: str, left: Type, right: Type) -> None:
        if operator in _BITS:
            self.integer(left, operator)
            self.integer(right, operator)
        for t in (left, right):
            if not (_is_scalar(t) or isinstance(plain(t), CVector)):
                raise self.mistake(f"an operand is {text(t)}")

    def integer(self, t: Type, what: str) -> None:
        if not (bits_of(t) is not None or _is_named(t) or isinstance(plain(t), CVector)):
            raise self.mistake(f"{what} is of type {text(t)}")

    def call(self, function: tree.CFunction, arguments: Sequence[tree.Expr], t: Type) -> None:
        wanted = function.parameters
        self.need(len(arguments) == len(wanted), f"{function.name} takes {len(wanted)} arguments")
        if not _same(function.result, t):
            raise self.mistake(f"{function.name} gives {text(function.result)}")
        for argument, parameter in zip(arguments, wanted, strict=True):
            self.fits(argument, parameter.type, f"{function.name}: {parameter.name}")

    def fits(self, value: tree.Expr, t: Type, what: str) -> None:
        """May a value stand where the type is wanted?"""
        found = type_of(value)
        same = is_number(found) == is_number(t) and is_address(found) == is_address(t)
        both = _is_named(found) or _is_named(t) or same
        self.need(found != VOID or t == VOID or _is_named(t), f"{what}: there is no value")
        if not both:
            raise self.mistake(f"{what}: {text(found)} where {text(t)} is wanted")


def _is_named(t: Type) -> bool:
    """Is it known by name only?"""
    t = plain(t)
    return isinstance(t, CBasic) and not is_number(t) and t != VOID


def _is_scalar(t: Type) -> bool:
    return is_number(t) or is_address(t) or _is_named(t)


def _same(a: Type, b: Type) -> bool:
    """The same type, as C computes with it, up to what is written to it."""
    a, b = plain(a), plain(b)
    if isinstance(a, CPointer) and isinstance(b, CPointer):
        return _same(a.target, b.target)
    return promoted(a) == promoted(b)
