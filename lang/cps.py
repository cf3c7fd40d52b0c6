"""core -> IL: CPS conversion in one pass, without administrative redexes.

What it removes: nesting of operations, evaluation order (left to right becomes the order of
bindings), assignment of local variables (they become cells), `letrec` (procedures become
`fix`, values `let` or checked cells), values of tests (`and`, `or`, `not` in a test jump).

Laws: every name is bound once in the whole program (the source's name, with `.N` after it when
taken); no code is duplicated (what two arms go on with is a continuation bound once); spans of
calls, operations, conditionals and procedures are kept.

The code is built in `Builder`s: straight-line code appends bindings; a call whose value is
needed cuts the block, and what follows becomes the body of the call's continuation.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from cogen.lang import core, il
from cogen.lang.blocks import Arm, Builder, built
from cogen.lang.datum import UNDEFINED, UNSPECIFIED, symbol
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import InternalError, Span
from cogen.lang.fold import is_chain, is_operation, operations
from cogen.lang.references import References, groups, scan
from cogen.lang.shapes import Shapes


def convert(program: core.CoreProgram) -> il.Program:
    """The IL of a core program; CogenError if a primitive is called with a wrong number of
    arguments."""
    return on_deep_stack(_convert, program)


def _convert(program: core.CoreProgram) -> il.Program:
    converter = _Converter(program.assigned, scan(program))
    return il.Program(
        items=tuple(converter.item(form) for form in program.forms),
        assigned=program.assigned,
        source=program.source,
        own_globals=program.own_globals,
        records=program.records,
    )


class _Converter:
    """One conversion: names taken, what variables stand for."""

    def __init__(self, assigned: frozenset[str], references: References) -> None:
        self.assigned = assigned
        self.references = references
        self.taken: set[str] = set()
        self.counters: dict[str, int] = {}
        self.atoms: dict[core.LocalVariable, il.Atom] = {}
        """What an unassigned variable stands for, or the cell of one in `celled`."""
        self.celled: set[core.LocalVariable] = set()
        self.unchecked: set[core.LocalVariable] = set()
        """Variables in cells that may be read before their definition."""
        self.shapes = Shapes(references)

    # Names

    def fresh(self, base: str) -> str:
        """`base`, or `base.N` when it is taken."""
        name = base
        count = self.counters.get(base, 0)
        while name in self.taken:
            count += 1
            name = f"{base}.{count}"
        self.counters[base] = count
        self.taken.add(name)
        return name

    # Top level

    def item(self, form: core.DefineForm | core.ExpressionForm) -> il.Item:
        if isinstance(form, core.ExpressionForm):
            done = self.fresh("k")
            block = built(lambda b: self.tail(form.value, b, done))
            return il.Expression(done, block, form.span)
        if isinstance(form.value, core.LambdaForm) and form.name not in self.assigned:
            return il.Define(form.name, self.function(form.value, form.name))
        done = self.fresh("k")
        block = built(lambda b: self.tail(form.value, b, done))
        return il.Value(form.name, done, block, form.span)

    def function(self, expr: core.LambdaForm, name: str) -> il.Function:
        """A procedure bound to `name`; assigned parameters are copied into cells."""
        parameters = tuple(self.parameter(v) for v in expr.parameters)
        rest = None if expr.rest is None else self.parameter(expr.rest)
        cont = self.fresh("k")
        variables = expr.parameters if expr.rest is None else (*expr.parameters, expr.rest)

        def body(builder: Builder) -> None:
            for variable in variables:
                if variable.assigned:
                    self.make_cell(variable, self.atoms[variable], builder, expr.span)
            self.tail(expr.body, builder, cont)

        return il.Function(name, parameters, rest, cont, built(body), expr.span, expr.name)

    def parameter(self, variable: core.LocalVariable) -> str:
        name = self.fresh(variable.name)
        self.atoms[variable] = il.Var(name)
        return name

    # Expressions: for their value, in tail position, for their effect

    def value(self, expr: core.Expr, builder: Builder, hint: str = "t") -> il.Atom:
        """Append what computes the expression; the atom that holds its value.

        A binding made for the value is called after `hint`.
        """
        match expr:
            case core.ConstForm(datum):
                return il.Const(datum)
            case core.LocalRef(variable, span):
                return self.local(variable, builder, span, hint)
            case core.GlobalRef(name, span):
                if name in self.assigned:
                    quoted = il.Const(symbol(name))
                    return self.operation("global-get", (quoted,), builder, span, hint)
                return il.Global(name)
            case core.PrimRef(name):
                return il.Prim(name)
            case core.LambdaForm(span=span):
                name = self.fresh(expr.name if hint == "t" else hint)
                builder.bind(il.Fix((self.function(expr, name),), span))
                return il.Var(name)
            case core.SetLocal() | core.SetGlobal():
                self.effect(expr, builder)
                return il.Const(UNSPECIFIED)
            case core.IfForm():
                return self.conditional_value(expr, builder, hint)
            case core.LetForm(bindings, body):
                self.bind_all(bindings, builder)
                return self.value(body, builder, hint)
            case core.LetrecForm(body=body):
                self.bind_recursive(expr, builder)
                return self.value(body, builder, hint)
            case core.SequenceForm(expressions):
                self.effects(expressions[:-1], builder)
                return self.value(expressions[-1], builder, hint)
            case core.CallForm():
                return self.call_value(expr, builder, hint)
        raise InternalError(f"no core expression: {expr!r}")

    def tail(self, expr: core.Expr, builder: Builder, cont: str) -> None:
        """Finish the block so that the expression's value goes to `cont`."""
        while True:
            match expr:
                case core.IfForm():
                    self.conditional(expr, builder, cont)
                    return
                case core.LetForm(bindings, body):
                    self.bind_all(bindings, builder)
                    expr = body
                case core.LetrecForm(body=body):
                    self.bind_recursive(expr, builder)
                    expr = body
                case core.SequenceForm(expressions):
                    self.effects(expressions[:-1], builder)
                    expr = expressions[-1]
                case core.CallForm(span=span):
                    if (redex := self.shapes.applied_lambda(expr)) is not None:
                        expr = redex
                    elif (chain := self.chain(expr, builder)) is not None:
                        expr = chain
                    elif is_operation(expr.function):
                        atom = self.call_value(expr, builder, "t")
                        builder.finish(il.Jump(cont, (atom,), span))
                        return
                    else:
                        function, arguments = self.operands(expr, builder)
                        builder.finish(il.Call(function, arguments, cont, span))
                        return
                case _:
                    atom = self.value(expr, builder)
                    builder.finish(il.Jump(cont, (atom,), expr.span))
                    return

    def effect(self, expr: core.Expr, builder: Builder) -> None:
        """Append what the expression does; its value is not needed."""
        match expr:
            case core.ConstForm() | core.PrimRef() | core.LambdaForm():
                pass
            case core.LocalRef(variable):
                if variable in self.unchecked:
                    self.value(expr, builder)
            case core.GlobalRef(name):
                if name in self.assigned:
                    self.value(expr, builder)
            case core.SetLocal(variable, value, span):
                atom = self.value(value, builder, variable.name)
                self.operation("cell-set!", (self.atoms[variable], atom), builder, span)
            case core.SetGlobal(name, value, span):
                atom = self.value(value, builder, name)
                self.operation("global-set!", (il.Const(symbol(name)), atom), builder, span)
            case core.IfForm(test, then, otherwise, span):
                self.conditional_effect(test, then, otherwise, builder, span)
            case core.LetForm(bindings, body):
                self.bind_all(bindings, builder)
                self.effect(body, builder)
            case core.LetrecForm(body=body):
                self.bind_recursive(expr, builder)
                self.effect(body, builder)
            case core.SequenceForm(expressions):
                self.effects(expressions, builder)
            case core.CallForm():
                self.call_value(expr, builder, "t")
            case _:
                raise InternalError(f"no core expression: {expr!r}")

    def effects(self, expressions: Sequence[core.Expr], builder: Builder) -> None:
        for expr in expressions:
            self.effect(expr, builder)

    # Variables and bindings

    def local(
        self, variable: core.LocalVariable, builder: Builder, span: Span | None, hint: str
    ) -> il.Atom:
        atom = self.atoms[variable]
        if variable in self.unchecked:
            quoted = il.Const(symbol(variable.name))
            return self.operation("cell-ref/check", (atom, quoted), builder, span, hint)
        if variable in self.celled:
            return self.operation("cell-ref", (atom,), builder, span, hint)
        return atom

    def make_cell(
        self, variable: core.LocalVariable, value: il.Atom, builder: Builder, span: Span | None
    ) -> None:
        self.atoms[variable] = self.operation("make-cell", (value,), builder, span, variable.name)
        self.celled.add(variable)

    def bind(self, variable: core.LocalVariable, value: core.Expr, builder: Builder) -> None:
        """Bind a variable to an expression's value: a name for it, or a cell with it."""
        atom = self.value(value, builder, variable.name)
        if variable.assigned:
            self.make_cell(variable, atom, builder, value.span)
        else:
            self.atoms[variable] = atom

    def bind_all(
        self, bindings: Sequence[tuple[core.LocalVariable, core.Expr]], builder: Builder
    ) -> None:
        for variable, value in bindings:
            self.bind(variable, value, builder)

    def bind_recursive(self, letrec: core.LetrecForm, builder: Builder) -> None:
        """Bind a letrec group by group; see `lang.references.groups`."""
        for group in groups(letrec, self.references.uses[letrec]):
            members = [letrec.bindings[index] for index in group.members]
            if group.kind == "let":
                self.bind(*members[0], builder)
            else:
                self.bind_group(members, builder, letrec.span)

    def bind_group(
        self, members: list[tuple[core.LocalVariable, core.Expr]], builder: Builder, span: Span
    ) -> None:
        """Cells for the values, then the procedures, then the values in order."""
        procedures: list[tuple[core.LocalVariable, core.LambdaForm]] = []
        values: list[tuple[core.LocalVariable, core.Expr]] = []
        for variable, expr in members:
            if isinstance(expr, core.LambdaForm) and not variable.assigned:
                self.parameter(variable)
                procedures.append((variable, expr))
            else:
                self.make_cell(variable, il.Const(UNDEFINED), builder, expr.span)
                self.unchecked.add(variable)
                values.append((variable, expr))
        if procedures:
            functions = tuple(
                self.function(expr, self.variable_name(variable)) for variable, expr in procedures
            )
            builder.bind(il.Fix(functions, span))
        defined: dict[core.LocalVariable, il.Atom] = {}
        for variable, expr in values:
            atom = self.value(expr, builder, variable.name)
            self.operation("cell-set!", (self.atoms[variable], atom), builder, expr.span)
            defined[variable] = atom
        for variable, atom in defined.items():
            self.unchecked.discard(variable)
            if not variable.assigned:
                self.atoms[variable] = atom
                self.celled.discard(variable)

    def variable_name(self, variable: core.LocalVariable) -> str:
        atom = self.atoms[variable]
        if not isinstance(atom, il.Var):
            raise InternalError(f"procedure {variable.name} has no name")
        return atom.name

    # Conditionals

    def conditional(self, expr: core.IfForm, builder: Builder, cont: str) -> None:
        """A conditional in tail position."""
        self.branch(
            expr.test,
            builder,
            lambda b: self.tail(expr.then, b, cont),
            lambda b: self.tail(expr.otherwise, b, cont),
            expr.span,
        )

    def conditional_value(self, expr: core.IfForm, builder: Builder, hint: str) -> il.Atom:
        """A conditional whose value is needed: both arms jump to a join."""
        yes, no = self.shapes.exits(expr.test)
        if not yes or not no:
            self.effect(expr.test, builder)
            return self.value(expr.then if yes else expr.otherwise, builder, hint)
        join, result = self.fresh("k"), self.fresh(hint)
        inner = Builder()
        self.tail(expr, inner, join)
        builder.join(join, (result,), inner.done(), expr.span)
        return il.Var(result)

    def conditional_effect(
        self, test: core.Expr, then: core.Expr, otherwise: core.Expr, builder: Builder, span: Span
    ) -> None:
        yes, no = self.shapes.exits(test)
        if not yes or not no:
            self.effect(test, builder)
            self.effect(then if yes else otherwise, builder)
            return
        join = self.fresh("k")

        def arm(expr: core.Expr) -> Arm:
            def finish(b: Builder) -> None:
                self.effect(expr, b)
                b.finish(il.Jump(join, (), span))

            return finish

        inner = Builder()
        self.branch(test, inner, arm(then), arm(otherwise), span)
        builder.join(join, (), inner.done(), span)

    def branch(self, test: core.Expr, builder: Builder, yes: Arm, no: Arm, span: Span) -> None:
        """Finish the block: `yes` where the test is true, `no` where it is not.

        An arm that is reached from several places becomes a continuation without parameters.
        """
        yes_count, no_count = self.shapes.exits(test)
        self.branch_once(
            test,
            builder,
            self.shared(yes, builder, span) if yes_count > 1 else yes,
            self.shared(no, builder, span) if no_count > 1 else no,
            span,
        )

    def shared(self, arm: Arm, builder: Builder, span: Span) -> Arm:
        name = self.fresh("k")
        builder.bind(il.Conts((il.Cont(name, (), built(arm), span),)))
        return lambda b: b.finish(il.Jump(name, (), span))

    def branch_once(self, test: core.Expr, builder: Builder, yes: Arm, no: Arm, span: Span) -> None:
        """`branch` with arms that may be called as often as `exits` says."""
        while True:
            match test:
                case core.ConstForm(datum):
                    (no if datum is False else yes)(builder)
                    return
                case core.SequenceForm(expressions):
                    self.effects(expressions[:-1], builder)
                    test = expressions[-1]
                case core.LetrecForm(body=body):
                    self.bind_recursive(test, builder)
                    test = body
                case core.LetForm(bindings, body):
                    if (either := self.shapes.disjunction(test)) is not None:
                        test = either
                    else:
                        self.bind_all(bindings, builder)
                        test = body
                case core.IfForm():
                    self.branch_nested(test, builder, yes, no, span)
                    return
                case core.CallForm():
                    if (negated := self.shapes.negated(test)) is not None:
                        test, yes, no = negated, no, yes
                    elif (redex := self.shapes.applied_lambda(test)) is not None:
                        test = redex
                    elif (chain := self.chain(test, builder)) is not None:
                        test = chain
                    else:
                        self.decide(test, builder, yes, no, span)
                        return
                case _:
                    self.decide(test, builder, yes, no, span)
                    return

    def branch_nested(
        self, test: core.IfForm, builder: Builder, yes: Arm, no: Arm, span: Span
    ) -> None:
        """A conditional as a test: its arms are tests that choose between `yes` and `no`."""
        self.branch(
            test.test,
            builder,
            lambda b: self.branch_once(test.then, b, yes, no, span),
            lambda b: self.branch_once(test.otherwise, b, yes, no, span),
            test.span,
        )

    def decide(self, test: core.Expr, builder: Builder, yes: Arm, no: Arm, span: Span) -> None:
        atom = self.value(test, builder)
        builder.finish(il.If(atom, built(yes), built(no), span))

    def chain(self, call: core.CallForm, builder: Builder) -> core.Expr | None:
        """(< a b c) -> (if (< a b) (< b c) #f), all operands evaluated first."""
        function, arguments, span = call.function, call.arguments, call.span
        if not isinstance(function, core.PrimRef) or not is_chain(function, len(arguments)):
            return None
        references: list[core.Expr] = []
        for argument in arguments:
            variable = core.LocalVariable("t")
            self.atoms[variable] = self.value(argument, builder)
            references.append(core.LocalRef(variable, argument.span))
        steps = [core.CallForm(function, pair, span) for pair in pairwise(references)]
        result: core.Expr = steps.pop()
        while steps:
            result = core.IfForm(steps.pop(), result, core.ConstForm(False, span), span)
        return result

    # Calls

    def call_value(self, call: core.CallForm, builder: Builder, hint: str) -> il.Atom:
        if (redex := self.shapes.applied_lambda(call)) is not None:
            return self.value(redex, builder, hint)
        if (chain := self.chain(call, builder)) is not None:
            return self.value(chain, builder, hint)
        if is_operation(call.function) and isinstance(call.function, core.PrimRef):
            return self.fold(call, call.function.name, builder, hint)
        function, arguments = self.operands(call, builder)
        cont, result = self.fresh("k"), self.fresh(hint)
        builder.cut(cont, (result,), il.Call(function, arguments, cont, call.span), call.span)
        return il.Var(result)

    def operands(
        self, call: core.CallForm, builder: Builder
    ) -> tuple[il.Atom, tuple[il.Atom, ...]]:
        function = self.value(call.function, builder)
        return function, tuple(self.value(argument, builder) for argument in call.arguments)

    def fold(self, call: core.CallForm, name: str, builder: Builder, hint: str) -> il.Atom:
        """A call of a primitive as operations of the right number of arguments."""
        atoms = [self.value(argument, builder) for argument in call.arguments]

        def emit(op: str, arguments: tuple[il.Atom, ...], last: bool) -> il.Atom:
            return self.operation(op, arguments, builder, call.span, hint if last else "t")

        return operations(name, atoms, call.span, emit)

    def operation(
        self,
        op: str,
        arguments: tuple[il.Atom, ...],
        builder: Builder,
        span: Span | None,
        hint: str = "t",
    ) -> il.Atom:
        name = self.fresh(hint)
        builder.bind(il.Let(name, op, arguments, span))
        return il.Var(name)
