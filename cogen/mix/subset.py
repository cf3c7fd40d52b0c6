"""Core -> the small language that the specializer in the language takes.

    program    ::= (item ...)
    item       ::= (name (variable ...) body)             a procedure
                 | (name global e)                        a value that is made once
                 | (name top e)                           what is done at the top level
    body, e    ::= (var x) | (quote datum) | (if e e e) | (let x e e) | (prim op e ...)
                 | (effect op e ...) | (call name e ...) | (lambda (x ...) e) | (lambda x e)
                 | (app e e ...) | (lift e) | (global name) | (memo e)

Programs are data of the language.  Variables are symbols, unique in the whole program.
convert.scm, a program in the language, does it:

* local procedures that `letrec`, a named `let` or an inner `define` makes become procedures of
  the program, with their free variables as parameters before their own (lambda lifting);
* a variable that is assigned becomes a cell; a rest parameter becomes one that takes a list;
* primitives of many arguments become nested ones;
* an operation that is more than a function of its operands, such as `write` or `vector-set!`, is
  an *effect*: it is left to residual programs, in order.  So are records, if anything changes such;
* `(dcall f e ...)` becomes a memo point of the call; `(rcall f e ...)` one of a copy of `f`;
* a procedure of the library that is none of `PRIMITIVES` is copied for each call, so that each
  call has binding times of its own;
* `(known? x)` is an operation that the analysis answers; in a procedure that `rcall` leaves it is
  true, as in a run.

A record type is the list of its name, unique in the program, and its fields, as the first operand
of `make-record`, `record-ref`, `record-is?` and `record-set!`.

This module writes core as the data that convert.scm takes.  What has no place in the small language
is refused with a `LimitationError` at its place.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Final

from cogen.lang import core, prims
from cogen.lang.chain import in_library
from cogen.lang.collector import collector_paused
from cogen.lang.datum import NIL, UNSPECIFIED, Datum, Pair, RecordType, from_iterable, symbol
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import LimitationError, Source, Span
from cogen.lang.expand import expand
from cogen.lang.files import read_source
from cogen.lang.interp import Interpreter
from cogen.lang.load import load as load_il
from cogen.lang.prelude import prelude_source
from cogen.mix.operations import (
    LEFT,
    OF_LIBRARY,
    OUTSIDE,
    PRIMITIVES,
    RECORDS,
    SAME,
)

_HINT: Final = "docs/futamura.md says what programs for the specializer in the language may use"


def load(path: Path, library_path: Iterable[Path] = ()) -> Datum:
    """The program of a file in the small language; CogenError for whatever is wrong with it."""
    return convert(expand(read_source(path), tuple(library_path)))


def loads(text: str, name: str = "<string>", library_path: Iterable[Path] = ()) -> Datum:
    """The program of a text in the small language; diagnostics call it `name`."""
    return convert(expand(Source(name, text), tuple(library_path)))


def rests(program: core.CoreProgram) -> frozenset[str]:
    """The procedures at the top level that take any number of arguments from some on."""
    return frozenset(
        form.name
        for form in program.forms
        if isinstance(form, core.DefineForm)
        and isinstance(form.value, core.LambdaForm)
        and form.value.rest is not None
    )


def convert(program: core.CoreProgram) -> Datum:
    """A program in the small language; LimitationError for what has no place in it."""
    return on_deep_stack(_convert, program)


def _convert(program: core.CoreProgram) -> Datum:
    writing = _Writing(program)
    with collector_paused():
        made = _converter().call("convert", writing.arguments())
    assert isinstance(made, Pair)
    if made.car is symbol("program"):
        return made.cdr
    _, what, place = _items(made)
    raise LimitationError(
        f"{what} is outside the subset of the specializer in the language",
        writing.spans[place],
        _HINT,
    )


@cache
def _converter() -> Interpreter:
    interpreter = Interpreter(load_il(Path(__file__).parent / "convert.scm"), output=StringIO())
    interpreter.run()
    return interpreter


def _items(datum: Datum) -> list[Datum]:
    items = []
    while isinstance(datum, Pair):
        items.append(datum.car)
        datum = datum.cdr
    return items


def _list(tag: str, *items: Datum) -> Datum:
    return Pair(symbol(tag), from_iterable(items))


def core_as_data(program: core.CoreProgram) -> list[Datum]:
    """What `convert` of convert.scm takes."""
    return on_deep_stack(lambda: _Writing(program).arguments())


class _Writing:
    """Core as data: variables, globals and places become numbers."""

    def __init__(self, program: core.CoreProgram) -> None:
        self.program = program
        self.spans: list[Span] = []
        self.variables: dict[core.LocalVariable, int] = {}
        self.globals: dict[str, int] = {}
        self.records: dict[RecordType, Pair] = {}
        self.values: dict[str, core.DefineForm] = {}
        for form in program.forms:
            if isinstance(form, core.DefineForm):
                self.globals.setdefault(form.name, len(self.globals))
                self.values.setdefault(form.name, form)

    def arguments(self) -> list[Datum]:
        """What `convert` of convert.scm takes."""
        forms = from_iterable([self.form(form) for form in self.program.forms])
        written = {item.cdr.car: item.cdr.cdr.car for item in _items(forms) if _is_define(item)}
        definitions: list[Datum] = [
            [
                symbol(name),
                self.is_own(form.span),
                name in self.program.assigned,
                written[self.globals[name]],
                False if self.is_own(form.span) else _row_of_library(name),
                _is_record_operation(form.value),
            ]
            for name, form in self.values.items()
        ]
        names: list[Datum] = [symbol(v.name.split("%")[0] or "v") for v in self.variables]
        assigned: list[Datum] = [v.assigned for v in self.variables]
        return [forms, definitions, names, assigned]

    def is_own(self, span: Span) -> bool:
        """Whether a form is not the prelude's."""
        return span.source is not prelude_source()

    def place(self, span: Span) -> int:
        self.spans.append(span)
        return len(self.spans) - 1

    def variable(self, variable: core.LocalVariable) -> int:
        return self.variables.setdefault(variable, len(self.variables))

    def record(self, record: RecordType) -> Pair:
        """A record type as a datum, its name unlike that of any other."""
        if record not in self.records:
            taken = {symbol("cons"), *(item.car for item in self.records.values())}
            name, count = symbol(record.name), 1
            while name in taken:
                count += 1
                name = symbol(f"{record.name}%{count}")
            self.records[record] = Pair(name, from_iterable(map(symbol, record.fields)))
        return self.records[record]

    def form(self, form: core.DefineForm | core.ExpressionForm) -> Datum:
        if isinstance(form, core.ExpressionForm):
            return _list("expression", self.expr(form.value), self.place(form.span))
        return _list("define", self.globals[form.name], self.expr(form.value))

    def expr(self, expr: core.Expr) -> Datum:
        match expr:
            case core.ConstForm(RecordType() as record):
                return _list("const", self.record(record))
            case core.ConstForm(value):
                return _list("const", value)
            case core.LocalRef(variable, span):
                return _list("local", self.variable(variable), self.place(span))
            case core.GlobalRef(name, span):
                return _list("global", self.globals[name], self.place(span))
            case core.PrimRef(name, span):
                return _list("primitive", _row(name), self.place(span))
            case core.IfForm(test, _, otherwise) if _asks_what_is_known(test):
                return self.expr(otherwise)
            case core.IfForm(test, then, otherwise):
                return _list("if", *map(self.expr, (test, then, otherwise)))
            case core.LetForm(bindings, body) | core.LetrecForm(bindings, body):
                tag = "let" if isinstance(expr, core.LetForm) else "letrec"
                made = [from_iterable([self.variable(v), self.expr(e)]) for v, e in bindings]
                return _list(tag, from_iterable(made), self.expr(body))
            case core.LambdaForm(parameters, rest, body, _, span):
                numbers = from_iterable([self.variable(p) for p in parameters])
                more = False if rest is None else self.variable(rest)
                return _list("lambda", numbers, more, self.expr(body), self.place(span))
            case core.SequenceForm(expressions):
                return _list("seq", *map(self.expr, expressions))
            case core.CallForm() if _asks_what_is_known(expr):
                return _list("const", False)
            case core.CallForm(core.PrimRef("%unspecified"), ()):
                return _list("const", UNSPECIFIED)
            case core.CallForm(core.PrimRef("%finite"), (_, items)):
                return self.expr(items)
            case core.CallForm(core.PrimRef("%circular?"), _):
                return _list("const", False)
            case core.CallForm(core.PrimRef("%fresh-string"), (made,)):
                return self.fresh(made)
            case core.CallForm(
                core.PrimRef("%string-content") | core.GlobalRef("%string-contents"), (_, string)
            ):
                return self.expr(string)
            case core.CallForm(core.PrimRef("%string-ref", place), arguments, span):
                return self.expr(core.CallForm(core.PrimRef("string-ref", place), arguments, span))
            case core.CallForm(function, arguments, span):
                written = from_iterable([self.expr(a) for a in arguments])
                return _list("call", self.expr(function), written, self.place(span))
            case core.SetLocal(variable, value, span):
                return _list(
                    "set-local", self.variable(variable), self.expr(value), self.place(span)
                )
            case core.SetGlobal(name, value, span):
                return _list("set-global", self.globals[name], self.expr(value), self.place(span))
        raise TypeError(expr)

    def fresh(self, made: core.Expr) -> Datum:
        """What makes a string that may be changed (lang.mutablestrings): each time a new one."""
        match made:
            case core.CallForm(core.PrimRef(name, place), arguments, span):
                row = _row_datum(name, "fresh", (0, None), None, None, None)
                written = from_iterable([self.expr(argument) for argument in arguments])
                function = _list("primitive", row, self.place(place))
                return _list("call", function, written, self.place(span))
            case _:
                return self.expr(made)


def _is_record_operation(value: core.Expr) -> bool:
    """Whether `define-record-type` has made a procedure (`lang.records`): all of it is at the place
    of its name."""
    match value:
        case core.LambdaForm(body=core.CallForm(core.PrimRef(name, span)), span=place):
            return name in (*RECORDS, "record-set!") and span == place
    return False


def _asks_what_is_known(expr: core.Expr) -> bool:
    """Whether a library of the language asks what is known ahead.  Here the answer is that it is
    not: the analysis decides before there is a value, and a library then lifts what could grow."""
    match expr:
        case core.CallForm(core.PrimRef("known?" | "known-size?"), _, span):
            return in_library(span)
    return False


def _is_define(form: Datum) -> bool:
    return isinstance(form, Pair) and form.car is symbol("define")


@cache
def _row(name: str) -> Datum:
    """What convert.scm has to know of a primitive."""
    name = SAME.get(name, name)
    row = prims.PRIMITIVES.get(name) or prims.CONTROL[name]
    kind, fold, identity, unit = "effect", row.fold, row.identity, row.unit
    if name in PRIMITIVES or name in (*RECORDS, "error", "apply", "known?"):
        kind = "prim"
    elif name in OUTSIDE or (name.startswith("%") and name not in LEFT):
        kind = "none"
    if name == "string-append":
        fold, identity, unit = "left", "", ""
    return _row_datum(name, kind, row.arity, fold, identity, unit)


def _row_of_library(name: str) -> Datum:
    """The same of a procedure of the library that is an operation of the small language; False
    for any other."""
    name = SAME.get(name, name)
    if name == "append":
        return _row_datum(name, "prim", (0, None), "left", NIL, NIL)
    if name in PRIMITIVES:
        return _row_datum(name, "prim", (PRIMITIVES[name], PRIMITIVES[name]), None, None, None)
    if name in OF_LIBRARY:
        return _row_datum(name, "effect", (1, 9), None, None, None)
    return False


def _row_datum(
    name: str,
    kind: str,
    arity: tuple[int, int | None],
    fold: str | None,
    identity: Datum,
    unit: Datum,
) -> Datum:
    least, most = arity
    count = PRIMITIVES.get(name, False if most is None else least)
    items: list[Datum] = [
        symbol(name),
        symbol(kind),
        least,
        False if most is None else most,
        symbol(fold or "none"),
        False if identity is None else identity,
        False if unit is None else unit,
        count,
    ]
    return from_iterable(items)
