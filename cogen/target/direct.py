"""IL -> core: back to direct style.

Continuations disappear: what a call returns to becomes the body of a `Let`, a join that all
exits of a piece of code go to becomes a `Let` of that code, a continuation with one jump stands
at the jump, one that jumps to itself becomes a `Letrec` of a local procedure, any other becomes
a local procedure that is called in tail position.  Cells that are only read and written become
assigned variables again.

    (conts (k (v) B)) (call f (a) k)             (let ((v (f a))) B)
    (conts (k (v) B)) (if t (jump k 1) (jump k 2))    (let ((v (if t 1 2))) B)
    (conts (l (i) ... (jump l j))) (jump l 0)    (letrec ((l (lambda (i) ... (l j)))) (l 0))

The result has one `Let` for each operation; `cogen.target.tidy` nests them.  Effects and
failures stay in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lang import core, il
from lang.components import components
from lang.datum import UNDEFINED, Singleton, Symbol
from lang.errors import InternalError, Source, Span
from lang.ilutil import Free, all_blocks, atoms

NOWHERE = Span(Source("<generated>", ""), 0, 0)
"""The span of code that comes from nowhere in a source."""

NOTHING = Singleton("#<nothing>")
"""The value of a piece of code of which only the effects count; any value may stand for it."""

READ_CELL = ("cell-ref", "cell-ref/check")
CELL_OPERATIONS = (*READ_CELL, "cell-set!")


class Direct:
    """Translates the items of one program."""

    def __init__(self, program: il.Program) -> None:
        self.free = Free()
        self.uses = _cont_uses(program)
        self.reads = Counter(
            atom.name
            for block in all_blocks(program)
            for atom in atoms(block)
            if isinstance(atom, il.Var)
        )
        self.cells = _plain_cells(program)
        self.names: dict[str, core.Expr] = {}
        """What the variables of the IL stand for."""
        self.variables: dict[str, core.Variable] = {}
        """The variables that plain cells became."""
        self.procedures: dict[str, core.Variable] = {}
        """Continuations that became local procedures."""
        self.inline: dict[str, il.Cont] = {}
        """Continuations with one use, which stand there."""

    def item(self, item: il.Item) -> core.Define | core.Expression:
        """A top-level item; a procedure definition gives a `Define` of a `Lambda`."""
        if isinstance(item, il.Define):
            function = item.function
            return core.Define(item.name, self.function(function), function.span or NOWHERE)
        body = self.block(item.body, item.cont)
        if isinstance(item, il.Value):
            return core.Define(item.name, body, item.span or NOWHERE)
        return core.Expression(body, item.span or NOWHERE)

    def function(self, function: il.Function) -> core.Lambda:
        parameters = tuple(self.variable(name) for name in function.parameters)
        rest = None if function.rest is None else self.variable(function.rest)
        names = function.parameters if function.rest is None else (
            *function.parameters,
            function.rest,
        )  # fmt: skip
        body = self.with_cells(names, function.body, function.cont)
        name = function.label or function.name
        return core.Lambda(parameters, rest, body, name, function.span or NOWHERE)

    def with_cells(self, names: Sequence[str], block: il.Block, ret: str) -> core.Expr:
        """A body whose parameters may at once be put in cells: these become assigned."""
        bindings = block.bindings
        for count, binding in enumerate(bindings):
            match binding:
                case il.Let(cell, "make-cell", (il.Var(name),)) if (
                    cell in self.cells and name in names and self.reads[name] == 1
                ):
                    reference = self.names[name]
                    if not isinstance(reference, core.LocalRef):
                        break
                    reference.variable.assigned = True
                    self.variables[cell] = reference.variable
                case _:
                    return self.rest(bindings[count:], block.tail, ret)
        return self.rest(bindings[len(bindings) :], block.tail, ret)

    # Blocks

    def block(self, block: il.Block, ret: str) -> core.Expr:
        """A block as an expression whose value is what `ret` is given."""
        return self.rest(block.bindings, block.tail, ret)

    def rest(self, bindings: Sequence[il.Binding], tail: il.Tail, ret: str) -> core.Expr:
        if not bindings:
            return self.tail(tail, ret)
        first, others = bindings[0], bindings[1:]
        if isinstance(first, il.Let):
            return self.operation(first, others, tail, ret)
        if isinstance(first, il.Fix):
            return self.fix(first, others, tail, ret)
        return self.conts(first, others, tail, ret)

    def tail(self, tail: il.Tail, ret: str) -> core.Expr:
        match tail:
            case il.If(test, then, otherwise, span):
                arms = self.block(then, ret), self.block(otherwise, ret)
                return core.If(self.atom(test), *arms, span or NOWHERE)
            case il.Jump(cont, arguments):
                return self.jump(cont, [self.atom(atom) for atom in arguments], ret)
            case il.Call(function, arguments, cont, span):
                operands = tuple(self.atom(atom) for atom in arguments)
                call = core.Call(self.atom(function), operands, span or NOWHERE)
                return call if cont == ret else self.jump(cont, [call], ret)

    def jump(self, cont: str, arguments: list[core.Expr], ret: str) -> core.Expr:
        """Give a continuation its arguments; a call's value may be the only one."""
        if cont == ret:
            return arguments[0] if arguments else core.Const(NOTHING, NOWHERE)
        target = self.inline.get(cont)
        if target is None:
            procedure = core.LocalRef(self.procedures[cont], NOWHERE)
            return core.Call(procedure, tuple(arguments), NOWHERE)
        if len(arguments) == 1 and isinstance(arguments[0], core.Call):
            variable = self.variable(target.parameters[0])
            body = self.cont_body(target, ret)
            return core.Let(((variable, arguments[0]),), body, NOWHERE)
        for name, argument in zip(target.parameters, arguments, strict=True):
            self.names[name] = argument
        return self.cont_body(target, ret)

    # Bindings

    def operation(
        self, let: il.Let, others: Sequence[il.Binding], tail: il.Tail, ret: str
    ) -> core.Expr:
        value = self.operation_value(let)
        if let.name in self.cells:
            variable = core.Variable(let.name, assigned=True)
            self.variables[let.name] = variable
        else:
            variable = self.variable(let.name)
        return core.Let(((variable, value),), self.rest(others, tail, ret), let.span or NOWHERE)

    def operation_value(self, let: il.Let) -> core.Expr:
        span = let.span or NOWHERE
        match let.op, let.arguments:
            case "make-cell", (initial,) if let.name in self.cells:
                return self.atom(initial)
            case (("cell-ref" | "cell-ref/check"), (il.Var(cell), *_)) if cell in self.variables:
                return core.LocalRef(self.variables[cell], span)
            case "cell-set!", (il.Var(cell), value) if cell in self.variables:
                return core.SetLocal(self.variables[cell], self.atom(value), span)
            case "global-get", (il.Const(Symbol(name=name)),):
                return core.GlobalRef(name, span)
            case "global-set!", (il.Const(Symbol(name=name)), value):
                return core.SetGlobal(name, self.atom(value), span)
        arguments = tuple(self.atom(atom) for atom in let.arguments)
        return core.Call(core.PrimRef(let.op, span), arguments, span)

    def fix(self, fix: il.Fix, others: Sequence[il.Binding], tail: il.Tail, ret: str) -> core.Expr:
        variables = {function.name: self.variable(function.name) for function in fix.functions}
        free = {
            function.name: self.free.of_function(function) & variables.keys()
            for function in fix.functions
        }
        made = {function.name: self.function(function) for function in fix.functions}
        body = self.rest(others, tail, ret)
        span = fix.span or NOWHERE
        for group in reversed(components(list(variables), lambda name: sorted(free[name]))):
            bindings = tuple((variables[name], made[name]) for name in group)
            recursive = len(group) > 1 or group[0] in free[group[0]]
            make = core.Letrec if recursive else core.Let
            body = make(bindings, body, span)
        return body

    def conts(
        self, conts: il.Conts, others: Sequence[il.Binding], tail: il.Tail, ret: str
    ) -> core.Expr:
        by_name = {cont.name: cont for cont in conts.conts}
        targets = {name: self.free.conts(cont.body) for name, cont in by_name.items()}
        groups = components(list(by_name), lambda name: sorted(targets[name] & by_name.keys()))
        return self.cont_groups(groups, by_name, targets, others, tail, ret)

    def cont_groups(
        self,
        groups: list[list[str]],
        by_name: dict[str, il.Cont],
        targets: dict[str, frozenset[str]],
        others: Sequence[il.Binding],
        tail: il.Tail,
        ret: str,
    ) -> core.Expr:
        """Bind groups of continuations, those that others jump to first."""
        if not groups:
            return self.rest(others, tail, ret)
        group, later = groups[0], groups[1:]

        def go_on(inner: str) -> core.Expr:
            return self.cont_groups(later, by_name, targets, others, tail, inner)

        cont = by_name[group[0]]
        if len(group) > 1 or cont.name in targets[cont.name]:
            members = [by_name[name] for name in group]
            for member in members:
                self.procedures[member.name] = _procedure(member, "loop")
            bindings = tuple(
                (self.procedures[member.name], self.cont_procedure(member, ret))
                for member in members
            )
            return core.Letrec(bindings, go_on(ret), cont.span or NOWHERE)
        if not self.uses[cont.name]:
            return go_on(ret)
        rest_conts = [by_name[name] for names in later for name in names]
        if self.is_value_join(cont, rest_conts, others, tail):
            return self.value_join(cont, go_on(cont.name), ret)
        if self.uses[cont.name] == 1:
            self.inline[cont.name] = cont
            return go_on(ret)
        procedure = _procedure(cont, "join")
        self.procedures[cont.name] = procedure
        made = self.cont_procedure(cont, ret)
        return core.Let(((procedure, made),), go_on(ret), cont.span or NOWHERE)

    def is_value_join(
        self,
        cont: il.Cont,
        later: list[il.Cont],
        others: Sequence[il.Binding],
        tail: il.Tail,
    ) -> bool:
        """Do all exits of what follows go to this continuation?"""
        if len(cont.parameters) > 1:
            return False
        if not later and isinstance(tail, (il.Call, il.Jump)) and tail.cont == cont.name:
            return False
        follows = il.Block((il.Conts(tuple(later)), *others), tail)
        return self.free.conts(follows) == {cont.name}

    def value_join(self, cont: il.Cont, value: core.Expr, ret: str) -> core.Expr:
        span = cont.span or NOWHERE
        if cont.parameters:
            variable = self.variable(cont.parameters[0])
            return core.Let(((variable, value),), self.cont_body(cont, ret), span)
        return core.Seq((value, self.cont_body(cont, ret)), span)

    def cont_procedure(self, cont: il.Cont, ret: str) -> core.Lambda:
        variables = tuple(self.variable(name) for name in cont.parameters)
        body = self.cont_body(cont, ret)
        return core.Lambda(variables, None, body, cont.label or cont.name, cont.span or NOWHERE)

    def cont_body(self, cont: il.Cont, ret: str) -> core.Expr:
        return self.with_cells(cont.parameters, cont.body, ret)

    # Names

    def variable(self, name: str) -> core.Variable:
        variable = core.Variable(name)
        self.names[name] = core.LocalRef(variable, NOWHERE)
        return variable

    def atom(self, atom: il.Atom) -> core.Expr:
        match atom:
            case il.Var(name):
                return self.names[name]
            case il.Global(name):
                return core.GlobalRef(name, NOWHERE)
            case il.Prim(name):
                return core.PrimRef(name, NOWHERE)
            case il.Const(value):
                if value is UNDEFINED:
                    return core.Call(core.PrimRef("%undefined", NOWHERE), (), NOWHERE)
                return core.Const(value, NOWHERE)


def _procedure(cont: il.Cont, plain: str) -> core.Variable:
    """The variable of a continuation that becomes a procedure; `plain` if it has no own name."""
    base = cont.name.split(".")[0]
    if base not in ("k", ""):
        return core.Variable(cont.name)
    return core.Variable(cont.label or plain)


def _cont_uses(program: il.Program) -> Counter[str]:
    """How often each continuation is jumped or returned to."""
    uses: Counter[str] = Counter()
    for block in all_blocks(program):
        if isinstance(block.tail, (il.Jump, il.Call)):
            uses[block.tail.cont] += 1
    return uses


def _plain_cells(program: il.Program) -> set[str]:
    """The cells that hold a value from the start and are only read and written."""
    cells: set[str] = set()
    for block in all_blocks(program):
        for binding in block.bindings:
            match binding:
                case il.Let(name, "make-cell", (initial,)):
                    if not (isinstance(initial, il.Const) and initial.value is UNDEFINED):
                        cells.add(name)
    for block in all_blocks(program):
        mentioned = list(atoms(block))
        for binding in block.bindings:
            if isinstance(binding, il.Let) and binding.op in CELL_OPERATIONS:
                if not binding.arguments:
                    raise InternalError(f"{binding.op} without a cell")
                mentioned.remove(binding.arguments[0])
        cells.difference_update(atom.name for atom in mentioned if isinstance(atom, il.Var))
    return cells
