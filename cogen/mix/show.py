"""The small language (`subset.py`) -> text that is a program of the language, and its size.

The operations of records are named after the type and its fields, and defined at the head.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cogen.lang import prims
from cogen.lang.datum import (
    NIL,
    UNSPECIFIED,
    Char,
    Datum,
    MutableString,
    Pair,
    Symbol,
    iterate,
    symbol,
)
from cogen.lang.deep import on_deep_stack
from cogen.lang.pretty import TextForm, Tree, pretty
from cogen.lang.printer import write_datum, write_symbol
from cogen.mix.operations import OF_LIBRARY

_PLAIN: Final = (bool, int, float, str, Char, MutableString)
"""Constants that need no quote."""

_FORMS: Final = "lift dcall quote if let let* lambda cond else define define-record-type"

_OF_PRELUDE: Final = """
    assq assv assoc memq memv member append list-ref list-tail list? reverse length list->vector
    vector->list
"""

RESERVED: Final = frozenset(
    [
        *(name for name in prims.PRIMITIVES if not name.startswith("%")),
        *prims.CONTROL,
        *OF_LIBRARY,
        *_OF_PRELUDE.split(),
        *_FORMS.split(),
    ]
)
"""Words of the text; variables and procedures of these names are written with a % behind."""

_RECORDS: Final = ("make-record", "record-is?", "record-ref", "record-set!")


def show(program: Datum) -> str:
    """The text of a program, ready to be loaded; it ends with a line break."""
    return on_deep_stack(_Showing(program).show)


def names_in_text(program: Datum) -> dict[str, str]:
    """What the procedures and values of the program are called in the program's text."""
    showing = _Showing(program)
    return {item.car.name: showing.name(item.car.name) for item in iterate(program)}


def pairs(datum: Datum) -> int:
    """The size of a datum in pairs, shared ones counted as often as they occur."""
    count = 0
    work = [datum]
    while work:
        item = work.pop()
        while isinstance(item, Pair):
            count += 1
            work.append(item.car)
            item = item.cdr
    return count


class _Showing:
    """A program as text: its record types, and what their operations are called."""

    def __init__(self, program: Datum) -> None:
        self.program = program
        self.types: dict[str, Datum] = {}
        self.changed: set[tuple[str, int]] = set()
        self.operations: dict[tuple[str, str, int], str] = {}
        for operation in _record_operations(program):
            _, op, quoted, *rest = iterate(operation)
            record = quoted.cdr.car
            self.types.setdefault(record.car.name, record)
            if op.name == "record-set!":
                self.changed.add((record.car.name, rest[0].cdr.car))
        taken = set(RESERVED)
        for record in self.types.values():
            for key, name in _names_of(record):
                while name in taken:
                    name += "%"
                taken.add(name)
                self.operations[key] = name
        self.reserved = taken

    def show(self) -> str:
        forms = [*map(self.record, self.types.values()), *map(self.item, iterate(self.program))]
        return "\n\n".join(map(pretty, forms)) + "\n"

    def name(self, name: str) -> str:
        return f"{name}%" if name in self.reserved else name

    def symbol(self, symbol: Symbol) -> str:
        return write_symbol(self.name(symbol.name))

    def parameters(self, variables: Datum) -> Tree:
        if isinstance(variables, Symbol):
            return self.symbol(variables)
        return TextForm([*map(self.symbol, iterate(variables))])

    def record(self, record: Datum) -> Tree:
        """The definition of a record type."""
        type_, *fields = (item.name for item in iterate(record))
        shown: list[Tree] = []
        for n, field in enumerate(fields):
            names = [field, self.operations["record-ref", type_, n]]
            if (type_, n) in self.changed:
                names.append(self.operations["record-set!", type_, n])
            shown.append(TextForm([*map(write_symbol, names)]))
        maker = [self.operations["make-record", type_, 0], *fields]
        test = self.operations["record-is?", type_, 0]
        head: list[Tree] = ["define-record-type", write_symbol(type_)]
        return TextForm([*head, TextForm([*map(write_symbol, maker)]), write_symbol(test), *shown])

    def item(self, item: Datum) -> Tree:
        name, variables, body = iterate(item)
        if variables is symbol("top"):
            return self.expr(body)
        if variables is symbol("global"):
            return TextForm(["define", self.symbol(name), self.expr(body)])
        head = TextForm([self.symbol(name), *map(self.symbol, iterate(variables))])
        return TextForm(["define", head, *self.steps(body)])

    def expr(self, expr: Datum) -> Tree:
        tag, *parts = iterate(expr)
        match tag.name, parts:
            case (("var" | "global"), [name]):
                return self.symbol(name)
            case "quote", [datum]:
                return _constant(datum)
            case "operation", [name, *_]:
                return write_symbol(name.name)
            case "if", _:
                return self.if_(expr)
            case "let", _:
                return self.let(expr)
            case "lambda", [variables, body]:
                return TextForm(["lambda", self.parameters(variables), *self.steps(body)])
            case (("prim" | "effect"), [name, *arguments]) if name.name in _RECORDS:
                return self.operation(name.name, arguments)
            case (("prim" | "effect"), [name, *arguments]):
                return TextForm([write_symbol(name.name), *map(self.expr, arguments)])
            case "call", [name, *arguments]:
                return TextForm([self.symbol(name), *map(self.expr, arguments)])
            case "app", _:
                return TextForm([*map(self.expr, parts)])
            case "lift", [operand]:
                return TextForm(["lift", self.expr(operand)])
            case "memo", [called]:
                _, name, *arguments = iterate(called)
                return TextForm(["dcall", self.symbol(name), *map(self.expr, arguments)])
        raise ValueError(f"no form of the small language: {write_datum(expr)}")

    def operation(self, op: str, arguments: list[Datum]) -> Tree:
        """An operation of records, by its name."""
        type_ = arguments.pop(0).cdr.car.car.name
        field = arguments.pop(0).cdr.car if op in ("record-ref", "record-set!") else 0
        name = write_symbol(self.operations[op, type_, field])
        return TextForm([name, *map(self.expr, arguments)])

    def if_(self, expr: Datum) -> Tree:
        """`(if a b (if c d e))` is shown as a `cond`."""
        clauses: list[tuple[Datum, Datum]] = []
        while _tag(expr) == "if":
            _, test, then, expr = iterate(expr)
            clauses.append((test, then))
        if len(clauses) == 1:
            test, then = clauses[0]
            return TextForm(["if", self.expr(test), self.expr(then), self.expr(expr)])
        shown = [TextForm([self.expr(test), self.expr(then)]) for test, then in clauses]
        return TextForm(["cond", *shown, TextForm(["else", self.expr(expr)])])

    def let(self, expr: Datum) -> Tree:
        """Bindings one in another are shown as one `let*`."""
        if _is_step(expr):
            return TextForm(["begin", *self.steps(expr)])
        bindings: list[Tree] = []
        while _tag(expr) == "let" and not _is_step(expr):
            _, variable, value, expr = iterate(expr)
            bindings.append(TextForm([self.symbol(variable), self.expr(value)]))
        return TextForm(
            ["let" if len(bindings) == 1 else "let*", TextForm(bindings), *self.steps(expr)]
        )

    def steps(self, expr: Datum) -> list[Tree]:
        """A body: what is done one after another."""
        shown: list[Tree] = []
        while _is_step(expr):
            _, _, value, expr = iterate(expr)
            shown.append(self.expr(value))
        return [*shown, self.expr(expr)]


def _names_of(record: Datum) -> Iterator[tuple[tuple[str, str, int], str]]:
    """The operations of a record type, and what they are called if nothing else is."""
    type_, *fields = (item.name for item in iterate(record))
    yield ("make-record", type_, 0), f"make-{type_}"
    yield ("record-is?", type_, 0), f"{type_}?"
    for n, field in enumerate(fields):
        yield ("record-ref", type_, n), f"{type_}-{field}"
        yield ("record-set!", type_, n), f"set-{type_}-{field}!"


def _record_operations(program: Datum) -> Iterator[Datum]:
    """The operations of records in a program, in order."""
    work = [program]
    while work:
        item = work.pop()
        if not isinstance(item, Pair) or item.car is symbol("quote"):
            continue
        if item.car in (symbol("prim"), symbol("effect")) and isinstance(item.cdr, Pair):
            op = item.cdr.car
            if isinstance(op, Symbol) and op.name in _RECORDS:
                yield item
        work += (item.cdr, item.car)


def _constant(datum: Datum) -> Tree:
    if datum is UNSPECIFIED:
        return TextForm(["if", "#f", "#f"])
    if isinstance(datum, _PLAIN):
        return write_datum(datum)
    if isinstance(datum, Pair) and _holds_unspecified(datum):
        return TextForm(["cons", _constant(datum.car), _constant(datum.cdr)])
    return f"'{write_datum(datum)}"


def _holds_unspecified(datum: Datum) -> bool:
    """Whether a list structure has a part that cannot be written."""
    work = [datum]
    while work:
        item = work.pop()
        if item is UNSPECIFIED:
            return True
        if isinstance(item, Pair):
            work += (item.car, item.cdr)
    return False


def _is_step(expr: Datum) -> bool:
    """Whether an expression is two, one after the other (convert.scm)."""
    return _tag(expr) == "let" and str(expr.cdr.car.name).startswith("%seq")


def _tag(expr: Datum) -> str:
    return expr.car.name if expr is not NIL else ""
