"""core -> trees of words for `lang.pretty`: the text of direct-style programs.

Recovers what people write: named `let`, `let*`, internal definitions, `cond`, `and`, `or`,
`when`, `unless`.  Names are chosen here: a variable keeps its name without `.N` where nothing
in scope has that name, else a number follows.
"""

from __future__ import annotations

from collections.abc import Container
from pathlib import PurePath
from typing import Final

from cogen.target.direct import NOTHING, NOWHERE
from cogen.target.logic import either, is_boolean, is_false, is_nothing, mentions_any, parts
from lang import core
from lang.datum import DEFAULT, EOF, NIL, UNSPECIFIED, Char, Datum, RecordType
from lang.errors import InternalError, LimitationError, Span
from lang.iltext import writable
from lang.pretty import Comment, Form, Tree
from lang.prims import PRIMITIVES
from lang.printer import write_datum, write_symbol

KEYWORDS: Final = frozenset(
    {
        "=>", "and", "begin", "cond", "define", "define-record-type", "else", "eof-object", "if",
        "lambda", "let", "let*", "let-values", "letrec", "not", "or", "quote", "set!",
        "unless", "when",
    }
)  # fmt: skip
"""Words that the text may use, so that nothing may be called like them."""

SELF_EVALUATING: Final = (bool, int, float, str, Char, bytes, bytearray)


class RecordNames:
    """What the procedures of a record type are called."""

    def __init__(self, name: str, constructor: str, predicate: str) -> None:
        self.name = name
        self.constructor = constructor
        self.predicate = predicate
        self.accessors: dict[int, str] = {}
        self.modifiers: dict[int, str] = {}

    def all(self) -> set[str]:
        """All these names."""
        procedures = {*self.accessors.values(), *self.modifiers.values()}
        return {self.name, self.constructor, self.predicate} | procedures


class Unparse:
    """Writes the expressions of one program.

    `global_names` and `records` say what globals and record types are called, `constants` what
    the constants that have definitions, by their `id`; `has_list` that `list` has its usual
    meaning everywhere.
    """

    def __init__(
        self,
        global_names: dict[str, str],
        records: dict[RecordType, RecordNames],
        constants: dict[int, str],
        has_list: bool = False,
    ) -> None:
        self.live: set[str] = set()
        """The names that a variable must not get here."""
        self.global_names = global_names
        self.records = records
        self.constants = constants
        self.has_list = has_list
        self.names: dict[core.Variable, str] = {}

    # Definitions

    def top_level(self, form: core.Define | core.Expression) -> list[Tree]:
        """A form of the program; a comment says where a procedure came from."""
        self.live = set(KEYWORDS) | self.mentioned(form.value)
        if isinstance(form, core.Expression):
            return [self.expr(form.value)]
        name = self.global_names.get(form.name, form.name)
        self.live.add(name)
        return self.define(name, form.value)

    def mentioned(self, root: core.Expr) -> set[str]:
        """What an expression calls globals, primitives and the procedures of record types."""
        names: set[str] = set()
        for expr in parts(root):
            match expr:
                case core.GlobalRef(name) | core.SetGlobal(name):
                    names.add(self.global_names.get(name, name))
                case core.PrimRef(name):
                    names.add(name)
                case core.Const(RecordType() as record):
                    names |= self.records[record].all()
                case core.Const(value) if id(value) in self.constants:
                    names.add(self.constants[id(value)])
        return names

    def define(self, name: str, value: core.Expr) -> list[Tree]:
        """A definition of a name that is in scope."""
        if not isinstance(value, core.Lambda):
            return [Form(["define", write_symbol(name), self.expr(value)])]
        shown = [self.enter(variable) for variable in value.parameters]
        words: list[Tree] = [write_symbol(name), *map(write_symbol, shown)]
        if value.rest is not None:
            words += [".", write_symbol(self.enter(value.rest))]
        body = self.body(value.body)
        self.leave_lambda(value)
        return [*origin(value.span), Form(["define", Form(words), *body])]

    # Names

    def enter(self, variable: core.Variable) -> str:
        """Give a variable whose scope begins a name."""
        base = base_name(variable.name)
        name = fresh("loop" if base == "do" else base, self.live)
        self.live.add(name)
        self.names[variable] = name
        return name

    def leave(self, *variables: core.Variable) -> None:
        """The scope of variables ends."""
        for variable in variables:
            self.live.discard(self.names[variable])

    def leave_lambda(self, value: core.Lambda) -> None:
        self.leave(*value.parameters)
        if value.rest is not None:
            self.leave(value.rest)

    # Bodies: where definitions may stand first

    def body(self, expr: core.Expr) -> list[Tree]:
        trees: list[Tree] = []
        inner: list[core.Variable] = []
        while True:
            match expr:
                case core.Letrec(bindings, rest) if self.named_loop(expr) is None:
                    for variable, _ in bindings:
                        self.enter(variable)
                    for variable, value in bindings:
                        trees += self.define(self.names[variable], value)
                        inner.append(variable)
                    expr = rest
                case core.Let(((variable, core.Lambda() as value),), rest):
                    made = self.define(self.enter(variable), value)
                    trees += made
                    inner.append(variable)
                    expr = rest
                case _:
                    break
        for part in expr.expressions if isinstance(expr, core.Seq) else (expr,):
            if isinstance(part, core.Letrec) and self.named_loop(part) is not None:
                trees += origin(part.bindings[0][1].span)
                trees.append(self.expr(part, commented=True))
            else:
                trees.append(self.expr(part))
        self.leave(*inner)
        return trees

    # Expressions

    def expr(self, expr: core.Expr, commented: bool = False) -> Tree:
        match expr:
            case core.Const(value):
                return self.constant(value)
            case core.LocalRef(variable):
                return write_symbol(self.names[variable])
            case core.GlobalRef(name):
                return write_symbol(self.global_names.get(name, name))
            case core.PrimRef(name):
                return write_symbol(name)
            case core.Lambda():
                return self.lambda_expr(expr)
            case core.If():
                return self.conditional(expr)
            case core.SetLocal(variable, value):
                return Form(["set!", write_symbol(self.names[variable]), self.expr(value)])
            case core.SetGlobal(name, value):
                shown = self.global_names.get(name, name)
                return Form(["set!", write_symbol(shown), self.expr(value)])
            case core.Let():
                return self.let(expr)
            case core.Letrec():
                return self.letrec(expr, commented)
            case core.Seq(expressions):
                return Form(["begin", *map(self.expr, expressions)])
            case core.Call(function, arguments):
                return self.call(function, arguments)
        raise InternalError(f"no core expression: {expr!r}")

    def constant(self, value: Datum) -> Tree:
        if value is UNSPECIFIED or value is NOTHING:
            return Form(["if", "#f", "#f"])
        if value is EOF:
            return Form(["eof-object"])
        if isinstance(value, RecordType):
            return write_symbol(self.records[value].name)
        if value is DEFAULT or not writable(value):
            raise LimitationError(
                f"the constant {write_datum(value)} cannot be written in a program",
                hint="give it to the program as an argument",
            )
        if id(value) in self.constants:
            return write_symbol(self.constants[id(value)])
        if isinstance(value, SELF_EVALUATING):
            return write_datum(value)
        return "'" + write_datum(value)

    def lambda_expr(self, expr: core.Lambda) -> Form:
        words: list[Tree] = [write_symbol(self.enter(v)) for v in expr.parameters]
        formals: Tree = Form(words)
        if expr.rest is not None:
            rest = write_symbol(self.enter(expr.rest))
            formals = Form([*words, ".", rest]) if words else rest
        body = self.body(expr.body)
        self.leave_lambda(expr)
        return Form(["lambda", formals, *body])

    def call(self, function: core.Expr, arguments: tuple[core.Expr, ...]) -> Tree:
        match function, arguments:
            case (
                core.PrimRef("apply"),
                (
                    core.Lambda(name="values") as receiver,
                    core.Call(core.PrimRef("values->list"), (value,)),
                ),
            ) if len(receiver.parameters) != 1 or receiver.rest is not None:
                return self.let_values(receiver, value)
            case core.PrimRef("cons"), (_, _) if self.has_list:
                items = list_items(function, arguments)
                if items is not None:
                    return Form(["list", *map(self.expr, items)])
            case core.PrimRef("make-record"), (core.Const(RecordType() as record), *fields):
                return Form([self.records[record].constructor, *map(self.expr, fields)])
            case core.PrimRef("record-is?"), (core.Const(RecordType() as record), value):
                return Form([self.records[record].predicate, self.expr(value)])
            case (
                core.PrimRef("record-ref"),
                (core.Const(RecordType() as record), core.Const(int() as index), value),
            ):
                return Form([self.records[record].accessors[index], self.expr(value)])
            case (
                core.PrimRef("record-set!"),
                (core.Const(RecordType() as record), core.Const(int() as index), value, new),
            ):
                modifier = self.records[record].modifiers[index]
                return Form([modifier, self.expr(value), self.expr(new)])
            case core.PrimRef(name), _ if name in PRIMITIVES and PRIMITIVES[name].fold == "left":
                arguments = operands(name, arguments)
        return Form([self.expr(function), *map(self.expr, arguments)])

    # Bindings

    def let(self, expr: core.Let) -> Tree:
        """A chain of bindings as one `let` or `let*`; `or` where the value is its own test."""
        bindings: list[tuple[core.Variable, core.Expr]] = []
        shown: list[Tree] = []
        body: core.Expr = expr
        dependent = False
        while isinstance(body, core.Let):
            if bindings and either(body) is not None:
                break
            ((variable, value),) = body.bindings
            rest = either(body)
            if rest is not None:
                return Form(["or", self.expr(value), *self.alternatives(rest)])
            dependent = dependent or mentions_any(value, {known for known, _ in bindings})
            tree = self.expr(value)
            shown.append(Form([write_symbol(self.enter(variable)), tree]))
            bindings.append((variable, value))
            body = body.body
        inner = self.body(body)
        self.leave(*(variable for variable, _ in bindings))
        return Form(["let*" if dependent else "let", Form(shown), *inner])

    def let_values(self, receiver: core.Lambda, value: core.Expr) -> Tree:
        """The values of an expression, bound to the parameters of a procedure."""
        shown = self.expr(value)
        _, formals, *body = self.lambda_expr(receiver).items
        return Form(["let-values", Form([Form([formals, shown])]), *body])

    def alternatives(self, expr: core.Expr) -> list[Tree]:
        """The operands of an `or` that an expression adds."""
        if isinstance(expr, core.Let) and (rest := either(expr)) is not None:
            return [self.expr(expr.bindings[0][1]), *self.alternatives(rest)]
        return [self.expr(expr)]

    def named_loop(self, expr: core.Letrec) -> tuple[core.Expr, ...] | None:
        """The first arguments of a loop: (letrec ((l (lambda ...))) (l a ...))."""
        match expr:
            case core.Letrec(
                ((variable, core.Lambda(parameters, None)),),
                core.Call(core.LocalRef(called), arguments),
            ) if called is variable and len(parameters) == len(arguments):
                mentioned = any(mentions_any(argument, {variable}) for argument in arguments)
                return None if mentioned else arguments
        return None

    def letrec(self, expr: core.Letrec, commented: bool) -> Tree:
        arguments = self.named_loop(expr)
        if arguments is not None:
            return self.loop(expr, arguments, commented)
        for variable, _ in expr.bindings:
            self.enter(variable)
        shown: list[Tree] = [
            Form([write_symbol(self.names[variable]), self.expr(value)])
            for variable, value in expr.bindings
        ]
        body = self.body(expr.body)
        self.leave(*(variable for variable, _ in expr.bindings))
        return Form(["letrec", Form(shown), *body])

    def loop(self, expr: core.Letrec, arguments: tuple[core.Expr, ...], commented: bool) -> Tree:
        variable, procedure = expr.bindings[0]
        if not isinstance(procedure, core.Lambda):
            raise InternalError("a loop is no procedure")
        initial = [self.expr(argument) for argument in arguments]
        name = write_symbol(self.enter(variable))
        formals = [write_symbol(self.enter(parameter)) for parameter in procedure.parameters]
        bindings: list[Tree] = [Form(pair) for pair in zip(formals, initial, strict=True)]
        body = self.body(procedure.body)
        self.leave(variable, *procedure.parameters)
        comment = [] if commented else origin(procedure.span)
        return Form(["let", name, Form(bindings), *comment, *body])

    # Conditionals

    def conditional(self, expr: core.If) -> Tree:
        match expr:
            case core.If(test, then, core.Const(False)):
                return Form(["and", *self.conjuncts(test), *self.last_conjuncts(then)])
            case core.If(test, core.Const(True), otherwise) if is_boolean(test) and not is_plain(
                otherwise
            ):
                return Form(["or", *self.disjuncts(test), *self.last_disjuncts(otherwise)])
            case core.If(test, core.Const(False), otherwise) if is_boolean(otherwise):
                return Form(["and", negated(self.test(test)), *self.last_conjuncts(otherwise)])
            case core.If(test, then, otherwise) if says_nothing(otherwise):
                if isinstance(then, core.Seq):
                    return Form(["when", self.test(test), *self.sequence(then)])
                return Form(["if", self.test(test), self.expr(then)])
            case core.If(test, then, otherwise) if says_nothing(then):
                return Form(["unless", self.test(test), *self.sequence(otherwise)])
        sequences = isinstance(expr.then, core.Seq) or isinstance(expr.otherwise, core.Seq)
        if sequences or is_plain(expr.otherwise):
            return self.cond(expr)
        arms = self.expr(expr.then), self.expr(expr.otherwise)
        return Form(["if", self.test(expr.test), *arms])

    def cond(self, expr: core.Expr) -> Tree:
        """A chain of conditionals."""
        clauses: list[Tree] = []
        while isinstance(expr, core.If) and (not clauses or is_plain(expr)):
            clauses.append(Form([self.test(expr.test), *self.sequence(expr.then)]))
            expr = expr.otherwise
        if not says_nothing(expr):
            clauses.append(Form(["else", *self.sequence(expr)]))
        return Form(["cond", *clauses])

    def sequence(self, expr: core.Expr) -> list[Tree]:
        """The expressions of a sequence, or the one expression."""
        parts = expr.expressions if isinstance(expr, core.Seq) else (expr,)
        return [self.expr(part) for part in parts]

    def test(self, expr: core.Expr) -> Tree:
        """An expression of which only the truth counts."""
        match expr:
            case core.If(test, core.Const(True), otherwise):
                return Form(["or", *self.disjuncts(test), *self.disjuncts(otherwise)])
            case core.If(test, core.Const(False), otherwise):
                return Form(["and", negated(self.test(test)), *self.conjuncts(otherwise)])
            case core.If(test, then, core.Const(False)):
                return Form(["and", *self.conjuncts(test), *self.conjuncts(then)])
            case core.Call(core.PrimRef("not"), (core.Call(core.PrimRef("not"), (inner,)),)):
                return self.test(inner)
            case core.Call(core.PrimRef("not"), (inner,)):
                return negated(self.test(inner))
        return self.expr(expr)

    def conjuncts(self, expr: core.Expr) -> list[Tree]:
        """The operands that a test adds to an `and`."""
        match expr:
            case core.If(test, core.Const(True), _):
                return [self.test(expr)]
            case core.If(test, then, core.Const(False)):
                return [*self.conjuncts(test), *self.conjuncts(then)]
        return [self.test(expr)]

    def last_conjuncts(self, expr: core.Expr) -> list[Tree]:
        """The operands that an `and` ends in, the last one for its value."""
        match expr:
            case core.If(test, then, core.Const(False)):
                return [*self.conjuncts(test), *self.last_conjuncts(then)]
        return [self.expr(expr)]

    def disjuncts(self, expr: core.Expr) -> list[Tree]:
        """The operands that a test adds to an `or`."""
        match expr:
            case core.If(test, core.Const(True), otherwise):
                return [*self.disjuncts(test), *self.disjuncts(otherwise)]
        return [self.test(expr)]

    def last_disjuncts(self, expr: core.Expr) -> list[Tree]:
        """The operands that an `or` ends in, the last one for its value."""
        match expr:
            case core.If(test, core.Const(True), otherwise) if is_boolean(test):
                return [*self.disjuncts(test), *self.last_disjuncts(otherwise)]
        return [self.expr(expr)]


def operands(name: str, arguments: tuple[core.Expr, ...]) -> tuple[core.Expr, ...]:
    """(op (op a b) c) -> (op a b c), which the reader folds in the same way."""
    last: list[core.Expr] = []
    while True:
        match arguments:
            case core.Call(core.PrimRef(inner), (first, second)), other if inner == name:
                last.append(other)
                arguments = (first, second)
            case _:
                return (*arguments, *reversed(last))


def negated(tree: Tree) -> Tree:
    return Form(["not", tree])


def is_plain(expr: core.Expr) -> bool:
    """Is it a conditional that is written as one (not as `and`, `or`, `when`, `unless`)?"""
    if not isinstance(expr, core.If):
        return False
    then, otherwise = expr.then, expr.otherwise
    if says_nothing(then) or says_nothing(otherwise) or is_false(otherwise):
        return False
    if is_false(then):
        return not is_boolean(otherwise)
    if isinstance(then, core.Const) and then.value is True:
        return not is_boolean(expr.test) or is_plain(otherwise)
    return True


def says_nothing(expr: core.Expr) -> bool:
    """Is it what a conditional without a second arm gives?"""
    return is_nothing(expr) or (isinstance(expr, core.Const) and expr.value is UNSPECIFIED)


def list_items(function: core.Expr, arguments: tuple[core.Expr, ...]) -> list[core.Expr] | None:
    """The items of (cons a (cons b ... '())), if the call is such a chain."""
    items: list[core.Expr] = []
    while True:
        match function, arguments:
            case core.PrimRef("cons"), (first, rest):
                items.append(first)
            case _:
                return None
        match rest:
            case core.Call(inner, further):
                function, arguments = inner, further
            case core.Const(value) if value is NIL:
                return items
            case _:
                return None


def origin(span: Span) -> list[Tree]:
    """The comment that says where code came from, if that is known."""
    name = PurePath(span.source.name).name
    if span is NOWHERE or name == "<il>":
        return []
    return [Comment(f"from {name}:{span.line}")]


def base_name(name: str) -> str:
    """A name without the `.N` that made it unique."""
    base, dot, number = name.rpartition(".")
    return base if dot and base and number.isdigit() else name


def fresh(base: str, taken: Container[str]) -> str:
    """`base`, or `base-N` with the least N from 2 that is not taken."""
    if base not in taken:
        return base
    number = 2
    while f"{base}-{number}" in taken:
        number += 1
    return f"{base}-{number}"
