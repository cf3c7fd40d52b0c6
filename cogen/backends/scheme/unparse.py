"""core -> trees of words for `lang.pretty`: the text of direct-style programs.

Recovers what people write: named `let`, `let*`, internal definitions, `cond`, `and`, `or`,
`when`, `unless`.  Names are chosen here: a variable keeps its name without `.N` where nothing
in scope has that name, else a number follows.  Each form says which places of the source it was
made of: those of the operations, calls and conditionals that it stands for.
"""

from __future__ import annotations

from typing import Final

from cogen.backends.direct.direct import NOTHING
from cogen.backends.direct.logic import (
    either,
    is_boolean,
    is_false,
    is_negated,
    is_reference,
    is_true,
    mentions_any,
)
from cogen.backends.scheme.unparsing import (
    RecordNames,
    at,
    fresh,
    is_plain,
    list_items,
    negated,
    operands,
    origin,
    says_nothing,
)
from cogen.lang import core
from cogen.lang.datum import DEFAULT, EOF, UNSPECIFIED, Char, Datum, Pair, RecordType
from cogen.lang.errors import InternalError, LimitationError
from cogen.lang.iltext import writable
from cogen.lang.ilutil import base_name
from cogen.lang.pretty import TextForm, TextWord, Tree
from cogen.lang.prims import PRIMITIVES
from cogen.lang.printer import write_datum, write_symbol

KEYWORDS: Final = frozenset(
    {
        "=>", "and", "begin", "cond", "define", "define-record-type", "else", "eof-object", "if",
        "lambda", "let", "let*", "let-values", "letrec", "not", "or", "quote", "set!",
        "unless", "when",
    }
)  # fmt: skip
"""Words that the text may use, so that nothing may be called like them."""

HAVE_FORMS: Final = frozenset(
    {"apply", "cons", "make-record", "record-is?", "record-ref", "record-set!"}
)
"""Primitives whose calls may be written in another way."""

FOLDED: Final = frozenset(name for name, row in PRIMITIVES.items() if row.fold == "left")
"""Primitives that the reader folds from the left."""

NAMING: Final = frozenset({core.PrimRef, core.GlobalRef, core.SetGlobal, core.ConstForm})
"""Expressions that name what is no local variable."""

SELF_EVALUATING: Final = (bool, int, float, str, Char, bytes, bytearray)


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
        self.names: dict[core.LocalVariable, str] = {}

    # Definitions

    def top_level(
        self, form: core.DefineForm | core.ExpressionForm, inside: list[core.Expr]
    ) -> list[Tree]:
        """A form of the program, of which all expressions are given too; a comment says where a
        procedure came from."""
        self.live = set(KEYWORDS) | self.mentioned(inside)
        if isinstance(form, core.ExpressionForm):
            return [self.expr(form.value)]
        name = self.global_names.get(form.name, form.name)
        self.live.add(name)
        return self.define(name, form.value)

    def mentioned(self, expressions: list[core.Expr]) -> set[str]:
        """What expressions call globals, primitives and the procedures of record types."""
        names: set[str] = set()
        for expr in expressions:
            if type(expr) not in NAMING:
                continue
            if type(expr) is core.PrimRef:
                names.add(expr.name)
            elif type(expr) is core.GlobalRef or type(expr) is core.SetGlobal:
                names.add(self.global_names.get(expr.name, expr.name))
            elif type(expr) is core.ConstForm:
                if isinstance(expr.value, RecordType):
                    names |= self.records[expr.value].all()
                elif id(expr.value) in self.constants:
                    names.add(self.constants[id(expr.value)])
                elif parts := self._defined_parts(expr.value):
                    names.update(["cons", *parts])
        return names

    def define(self, name: str, value: core.Expr) -> list[Tree]:
        """A definition of a name that is in scope."""
        if not isinstance(value, core.LambdaForm):
            return [TextForm(["define", write_symbol(name), self.expr(value)])]
        shown = [self.enter(variable) for variable in value.parameters]
        words: list[Tree] = [write_symbol(name), *map(write_symbol, shown)]
        if value.rest is not None:
            words += [".", write_symbol(self.enter(value.rest))]
        body = self.body(value.body)
        self.leave_lambda(value)
        made = TextForm(["define", TextForm(words), *body], places=at(value))
        return [*origin(value.span), made]

    # Names

    def enter(self, variable: core.LocalVariable) -> str:
        """Give a variable whose scope begins a name."""
        base = base_name(variable.name)
        name = fresh("loop" if base == "do" else base, self.live)
        self.live.add(name)
        self.names[variable] = name
        return name

    def leave(self, *variables: core.LocalVariable) -> None:
        """The scope of variables ends."""
        for variable in variables:
            self.live.discard(self.names[variable])

    def leave_lambda(self, value: core.LambdaForm) -> None:
        self.leave(*value.parameters)
        if value.rest is not None:
            self.leave(value.rest)

    # Bodies: where definitions may stand first

    def body(self, expr: core.Expr) -> list[Tree]:
        trees: list[Tree] = []
        inner: list[core.LocalVariable] = []
        while True:
            match expr:
                case core.LetrecForm(bindings, rest) if self.named_loop(expr) is None:
                    for variable, _ in bindings:
                        self.enter(variable)
                    for variable, value in bindings:
                        trees += self.define(self.names[variable], value)
                        inner.append(variable)
                    expr = rest
                case core.LetForm(((variable, core.LambdaForm() as value),), rest):
                    made = self.define(self.enter(variable), value)
                    trees += made
                    inner.append(variable)
                    expr = rest
                case _:
                    break
        for part in expr.expressions if isinstance(expr, core.SequenceForm) else (expr,):
            if isinstance(part, core.LetrecForm) and self.named_loop(part) is not None:
                trees += origin(part.bindings[0][1].span)
                trees.append(self.expr(part, commented=True))
            else:
                trees.append(self.expr(part))
        self.leave(*inner)
        return trees

    # Expressions

    def expr(self, expr: core.Expr, commented: bool = False) -> Tree:
        if type(expr) is core.LocalRef:
            return self.word(self.names[expr.variable], expr)
        if type(expr) is core.ConstForm:
            return self.constant(expr.value)
        if type(expr) is core.CallForm:
            return self.call(expr)
        if type(expr) is core.IfForm:
            return self.conditional(expr)
        if type(expr) is core.LetForm:
            return self.let(expr)
        if type(expr) is core.LetrecForm:
            return self.letrec(expr, commented)
        if type(expr) is core.PrimRef:
            return write_symbol(expr.name)
        if type(expr) is core.GlobalRef:
            return self.word(self.global_names.get(expr.name, expr.name), expr)
        if type(expr) is core.LambdaForm:
            return self.lambda_expr(expr)
        if type(expr) is core.SequenceForm:
            return TextForm(["begin", *[self.expr(part) for part in expr.expressions]])
        if type(expr) is core.SetLocal or type(expr) is core.SetGlobal:
            return self.assignment(expr)
        raise InternalError(f"no core expression: {expr!r}")

    def word(self, name: str, expr: core.LocalRef | core.GlobalRef) -> Tree:
        """A name; reading an assigned variable is an operation."""
        shown, places = write_symbol(name), at(expr)
        return TextWord(shown, places) if places else shown

    def assignment(self, expr: core.SetLocal | core.SetGlobal) -> TextForm:
        if type(expr) is core.SetLocal:
            shown = self.names[expr.variable]
        else:
            assert type(expr) is core.SetGlobal
            shown = self.global_names.get(expr.name, expr.name)
        return TextForm(["set!", write_symbol(shown), self.expr(expr.value)], places=at(expr))

    def constant(self, value: Datum) -> Tree:
        if value is UNSPECIFIED or value is NOTHING:
            return TextForm(["if", "#f", "#f"])
        if value is EOF:
            return TextForm(["eof-object"])
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
        return self.compound(value)

    def compound(self, value: Datum) -> Tree:
        """A constant with parts: of those that have definitions it is made, else it is quoted."""
        if type(value) is Pair and self._defined_parts(value):
            return TextForm(["cons", self.constant(value.car), self.constant(value.cdr)])
        return "'" + write_datum(value)

    def _defined_parts(self, value: Datum) -> list[str]:
        """What those parts of a constant are called that have definitions."""
        work = [value.car, value.cdr] if self.constants and type(value) is Pair else []
        found: list[str] = []
        while work:
            part = work.pop()
            if id(part) in self.constants:
                found.append(self.constants[id(part)])
            elif type(part) is Pair:
                work += [part.car, part.cdr]
        return found

    def lambda_expr(self, expr: core.LambdaForm) -> TextForm:
        words: list[Tree] = [write_symbol(self.enter(v)) for v in expr.parameters]
        formals: Tree = TextForm(words)
        if expr.rest is not None:
            rest = write_symbol(self.enter(expr.rest))
            formals = TextForm([*words, ".", rest]) if words else rest
        body = self.body(expr.body)
        self.leave_lambda(expr)
        return TextForm(["lambda", formals, *body], places=at(expr))

    def call(self, expr: core.CallForm) -> Tree:
        function, arguments = expr.function, expr.arguments
        folded: list[core.Expr] = [expr]
        if type(function) is core.PrimRef:
            if function.name in HAVE_FORMS:
                form = self.special(function.name, arguments)
                if form is not None:
                    return TextForm(form.items, form.keep, (*at(expr), *form.places))
            if function.name in FOLDED:
                arguments = operands(function.name, arguments, folded)
        head = self.expr(function)
        if type(head) is TextWord:
            head, folded = head.text, [*folded, function]
        return TextForm(
            [head, *[self.expr(argument) for argument in arguments]], places=at(*folded)
        )

    def special(self, name: str, arguments: tuple[core.Expr, ...]) -> TextForm | None:
        """A call that is not written as it is: of lists, of several values, of records."""
        match name, arguments:
            case (
                "apply",
                (
                    core.LambdaForm(name="values") as receiver,
                    core.CallForm(core.PrimRef("values->list"), (value,)),
                ),
            ) if len(receiver.parameters) != 1 or receiver.rest is not None:
                return self.let_values(receiver, value)
            case "cons", (_, _) if self.has_list:
                cells: list[core.Expr] = []
                items = list_items(arguments, cells)
                if items is not None:
                    shown = [self.expr(item) for item in items]
                    return TextForm(["list", *shown], places=at(*cells))
            case "make-record", (core.ConstForm(RecordType() as record), *fields):
                values = [self.expr(field) for field in fields]
                return TextForm([self.records[record].constructor, *values])
            case "record-is?", (core.ConstForm(RecordType() as record), value):
                return TextForm([self.records[record].predicate, self.expr(value)])
            case (
                "record-ref",
                (core.ConstForm(RecordType() as record), core.ConstForm(int() as index), value),
            ):
                return TextForm([self.records[record].accessors[index], self.expr(value)])
            case (
                "record-set!",
                (
                    core.ConstForm(RecordType() as record),
                    core.ConstForm(int() as index),
                    value,
                    new,
                ),
            ):
                modifier = self.records[record].modifiers[index]
                return TextForm([modifier, self.expr(value), self.expr(new)])
        return None

    # Bindings

    def let(self, expr: core.LetForm) -> Tree:
        """A chain of bindings as one `let` or `let*`; `or` where the value is its own test."""
        bound: set[core.LocalVariable] = set()
        shown: list[Tree] = []
        body: core.Expr = expr
        dependent = False
        while isinstance(body, core.LetForm):
            ((variable, value),) = body.bindings
            rest = either(body)
            if rest is not None:
                if bound:
                    break
                made: list[Tree] = [self.expr(value), *self.alternatives(rest)]
                return TextForm(["or", *made], places=at(body.body))
            dependent = dependent or mentions_any(value, bound)
            tree = self.expr(value)
            shown.append(TextForm([write_symbol(self.enter(variable)), tree]))
            bound.add(variable)
            body = body.body
        inner = self.body(body)
        self.leave(*bound)
        return TextForm(["let*" if dependent else "let", TextForm(shown), *inner])

    def let_values(self, receiver: core.LambdaForm, value: core.Expr) -> TextForm:
        """The values of an expression, bound to the parameters of a procedure."""
        shown = self.expr(value)
        _, formals, *body = self.lambda_expr(receiver).items
        return TextForm(["let-values", TextForm([TextForm([formals, shown])]), *body])

    def alternatives(self, expr: core.Expr) -> list[Tree]:
        """The operands of an `or` that an expression adds."""
        if isinstance(expr, core.LetForm) and (rest := either(expr)) is not None:
            return [self.expr(expr.bindings[0][1]), *self.alternatives(rest)]
        return [self.expr(expr)]

    def named_loop(self, expr: core.LetrecForm) -> tuple[core.Expr, ...] | None:
        """The first arguments of a loop: (letrec ((l (lambda ...))) (l a ...))."""
        ((variable, procedure), *others), call = expr.bindings, expr.body
        if others or type(procedure) is not core.LambdaForm or procedure.rest is not None:
            return None
        if type(call) is not core.CallForm or not is_reference(call.function, variable):
            return None
        if len(procedure.parameters) != len(call.arguments):
            return None
        mentioned = any(mentions_any(argument, {variable}) for argument in call.arguments)
        return None if mentioned else call.arguments

    def letrec(self, expr: core.LetrecForm, commented: bool) -> Tree:
        arguments = self.named_loop(expr)
        if arguments is not None:
            return self.loop(expr, arguments, commented)
        for variable, _ in expr.bindings:
            self.enter(variable)
        shown: list[Tree] = [
            TextForm([write_symbol(self.names[variable]), self.expr(value)])
            for variable, value in expr.bindings
        ]
        body = self.body(expr.body)
        self.leave(*(variable for variable, _ in expr.bindings))
        return TextForm(["letrec", TextForm(shown), *body])

    def loop(
        self, expr: core.LetrecForm, arguments: tuple[core.Expr, ...], commented: bool
    ) -> Tree:
        variable, procedure = expr.bindings[0]
        if not isinstance(procedure, core.LambdaForm):
            raise InternalError("a loop is no procedure")
        initial = [self.expr(argument) for argument in arguments]
        name = write_symbol(self.enter(variable))
        formals = [write_symbol(self.enter(parameter)) for parameter in procedure.parameters]
        bindings: list[Tree] = [TextForm(pair) for pair in zip(formals, initial, strict=True)]
        body = self.body(procedure.body)
        self.leave(variable, *procedure.parameters)
        comment = [] if commented else origin(procedure.span)
        return TextForm(["let", name, TextForm(bindings), *comment, *body], places=at(procedure))

    # Conditionals

    def conditional(self, expr: core.IfForm) -> Tree:
        """A conditional as people write it; its form is made of all that it stands for."""
        form = self.condition(expr)
        return TextForm(form.items, form.keep, (*at(expr), *form.places))

    def condition(self, expr: core.IfForm) -> TextForm:
        test, then, otherwise = expr.test, expr.then, expr.otherwise
        if is_false(otherwise):
            return TextForm(["and", *self.conjuncts(test), *self.last_conjuncts(then)])
        if is_true(then) and is_boolean(test) and not is_plain(otherwise):
            return TextForm(["or", *self.disjuncts(test), *self.last_disjuncts(otherwise)])
        if is_false(then) and is_boolean(otherwise):
            return TextForm(["and", negated(self.test(test)), *self.last_conjuncts(otherwise)])
        if says_nothing(otherwise):
            if type(then) is core.SequenceForm:
                return TextForm(["when", self.test(test), *self.sequence(then)])
            return TextForm(["if", self.test(test), self.expr(then)])
        if says_nothing(then):
            return TextForm(["unless", self.test(test), *self.sequence(otherwise)])
        sequences = type(then) is core.SequenceForm or type(otherwise) is core.SequenceForm
        if sequences or is_plain(otherwise):
            return self.cond(expr)
        return TextForm(["if", self.test(test), self.expr(then), self.expr(otherwise)])

    def cond(self, expr: core.IfForm) -> TextForm:
        """A chain of conditionals."""
        clauses: list[Tree] = []
        chain: list[core.Expr] = []
        rest: core.Expr = expr
        while type(rest) is core.IfForm and (not clauses or is_plain(rest)):
            clauses.append(TextForm([self.test(rest.test), *self.sequence(rest.then)]))
            chain.append(rest)
            rest = rest.otherwise
        if not says_nothing(rest):
            clauses.append(TextForm(["else", *self.sequence(rest)]))
        return TextForm(["cond", *clauses], places=at(*chain[1:]))

    def sequence(self, expr: core.Expr) -> list[Tree]:
        """The expressions of a sequence, or the one expression."""
        parts = expr.expressions if isinstance(expr, core.SequenceForm) else (expr,)
        return [self.expr(part) for part in parts]

    def test(self, expr: core.Expr) -> Tree:
        """An expression of which only the truth counts."""
        if type(expr) is core.IfForm:
            if is_true(expr.then):
                operands = [*self.disjuncts(expr.test), *self.disjuncts(expr.otherwise)]
                return TextForm(["or", *operands], places=at(expr))
            if is_false(expr.then):
                first = negated(self.test(expr.test))
                return TextForm(["and", first, *self.conjuncts(expr.otherwise)], places=at(expr))
            if is_false(expr.otherwise):
                operands = [*self.conjuncts(expr.test), *self.conjuncts(expr.then)]
                return TextForm(["and", *operands], places=at(expr))
        elif type(expr) is core.CallForm and is_negated(expr) and len(expr.arguments) == 1:
            (inner,) = expr.arguments
            if type(inner) is core.CallForm and is_negated(inner) and len(inner.arguments) == 1:
                return self.test(inner.arguments[0])
            return TextForm(["not", self.test(inner)], places=at(expr))
        return self.expr(expr)

    def conjuncts(self, expr: core.Expr) -> list[Tree]:
        """The operands that a test adds to an `and`."""
        if type(expr) is core.IfForm and not is_true(expr.then) and is_false(expr.otherwise):
            return [*self.conjuncts(expr.test), *self.conjuncts(expr.then)]
        return [self.test(expr)]

    def last_conjuncts(self, expr: core.Expr) -> list[Tree]:
        """The operands that an `and` ends in, the last one for its value."""
        if type(expr) is core.IfForm and is_false(expr.otherwise):
            return [*self.conjuncts(expr.test), *self.last_conjuncts(expr.then)]
        return [self.expr(expr)]

    def disjuncts(self, expr: core.Expr) -> list[Tree]:
        """The operands that a test adds to an `or`."""
        if type(expr) is core.IfForm and is_true(expr.then):
            return [*self.disjuncts(expr.test), *self.disjuncts(expr.otherwise)]
        return [self.test(expr)]

    def last_disjuncts(self, expr: core.Expr) -> list[Tree]:
        """The operands that an `or` ends in, the last one for its value."""
        if type(expr) is core.IfForm and is_true(expr.then) and is_boolean(expr.test):
            return [*self.disjuncts(expr.test), *self.last_disjuncts(expr.otherwise)]
        return [self.expr(expr)]
