"""IL -> core: back to direct style.

Continuations disappear: what a call returns to becomes the body of a `Let`, a join that all
exits of a piece of code go to becomes a `Let` of that code, a continuation with one jump stands
at the jump, one that jumps to itself becomes a `Letrec` of a local procedure, any other becomes
a local procedure that is called in tail position.  Cells that are only read and written become
assigned variables again.

    (conts (k (v) B)) (call f (a) k)             (let ((v (f a))) B)
    (conts (k (v) B)) (if t (jump k 1) (jump k 2))    (let ((v (if t 1 2))) B)
    (conts (l (i) ... (jump l j))) (jump l 0)    (letrec ((l (lambda (i) ... (l j)))) (l 0))

The result has one `Let` for each operation; `cogen.backends.direct.tidy` nests them.  Effects and
failures stay in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from cogen.lang import core, il
from cogen.lang.components import components
from cogen.lang.datum import UNDEFINED, Singleton, Symbol
from cogen.lang.errors import InternalError, Span
from cogen.lang.ilutil import Free, all_blocks, atoms, tail_atoms
from cogen.lang.marks import NOWHERE

NOTHING = Singleton("#<nothing>")
"""The value of a piece of code of which only the effects count; any value may stand for it."""

READ_CELL = ("cell-ref", "cell-ref/check")
CELL_OPERATIONS = (*READ_CELL, "cell-set!")

VARIABLE_OPERATIONS = frozenset({"make-cell", *CELL_OPERATIONS, "global-get", "global-set!"})
"""Operations that may come of variables."""


class DirectTranslator:
    """Translates the items of one program; `for_people`, copies of buffers are not told names."""

    def __init__(self, program: il.Program, for_people: bool = False) -> None:
        self.for_people = for_people
        self.free = Free()
        everything = list(all_blocks(program))
        self.uses = _cont_uses(everything)
        self.cells = _plain_cells(everything)
        self.reads = _reads(everything) if self.cells else {}
        self.names: dict[str, core.Expr] = {}
        """What the variables of the IL stand for."""
        self.variables: dict[str, core.LocalVariable] = {}
        """The variables that plain cells became."""
        self.procedures: dict[str, core.LocalVariable] = {}
        """Continuations that became local procedures."""
        self.inline: dict[str, il.Cont] = {}
        """Continuations with one use, which stand there."""

    def item(self, item: il.Item) -> core.DefineForm | core.ExpressionForm:
        """A top-level item; a procedure definition gives a `Define` of a `Lambda`."""
        if isinstance(item, il.Define):
            function = item.function
            return core.DefineForm(item.name, self.function(function), function.span or NOWHERE)
        body = self.block(item.body, item.cont)
        if isinstance(item, il.Value):
            return core.DefineForm(item.name, body, item.span or NOWHERE)
        return core.ExpressionForm(body, item.span or NOWHERE)

    def function(self, function: il.Function) -> core.LambdaForm:
        parameters = tuple(self.variable(name) for name in function.parameters)
        rest = None if function.rest is None else self.variable(function.rest)
        names = function.parameters if function.rest is None else (
            *function.parameters,
            function.rest,
        )  # fmt: skip
        body = self.with_cells(names, function.body, function.cont)
        name = function.label or function.name
        return core.LambdaForm(parameters, rest, body, name, function.span or NOWHERE)

    def with_cells(self, names: Sequence[str], block: il.Block, ret: str) -> core.Expr:
        """A body whose parameters may at once be put in cells: these become assigned."""
        for count, binding in enumerate(block.bindings):
            if type(binding) is not il.Let or binding.op != "make-cell":
                return self.rest(block, count, ret)
            (initial,) = binding.arguments
            if binding.name not in self.cells or type(initial) is not il.Var:
                return self.rest(block, count, ret)
            if initial.name not in names or self.reads.get(initial.name) != 1:
                return self.rest(block, count, ret)
            reference = self.names[initial.name]
            if type(reference) is not core.LocalRef:
                return self.rest(block, count, ret)
            reference.variable.assigned = True
            self.variables[binding.name] = reference.variable
        return self.rest(block, len(block.bindings), ret)

    # Blocks

    def block(self, block: il.Block, ret: str) -> core.Expr:
        """A block as an expression whose value is what `ret` is given."""
        return self.rest(block, 0, ret)

    def rest(self, block: il.Block, done: int, ret: str) -> core.Expr:
        """What is left of a block whose first bindings have been translated."""
        if done == len(block.bindings):
            return self.tail(block.tail, ret)
        binding = block.bindings[done]
        if type(binding) is il.Let:
            return self.operation(binding, block, done + 1, ret)
        if type(binding) is il.Fix:
            return self.fix(binding, block, done + 1, ret)
        return self.conts(binding, block, done + 1, ret)

    def tail(self, tail: il.Tail, ret: str) -> core.Expr:
        if type(tail) is il.If:
            then, otherwise = self.block(tail.then, ret), self.block(tail.otherwise, ret)
            return core.IfForm(self.atom(tail.test), then, otherwise, tail.span or NOWHERE)
        operands = [self.atom(atom) for atom in tail.arguments]
        if type(tail) is il.Jump:
            return self.jump(tail.cont, operands, ret)
        call = core.CallForm(self.atom(tail.function), tuple(operands), tail.span or NOWHERE)
        return call if tail.cont == ret else self.jump(tail.cont, [call], ret)

    def jump(self, cont: str, arguments: list[core.Expr], ret: str) -> core.Expr:
        """Give a continuation its arguments; a call's value may be the only one."""
        if cont == ret:
            return arguments[0] if arguments else core.ConstForm(NOTHING, NOWHERE)
        target = self.inline.get(cont)
        if target is None:
            procedure = core.LocalRef(self.procedures[cont], NOWHERE)
            return core.CallForm(procedure, tuple(arguments), NOWHERE)
        if len(arguments) == 1 and isinstance(arguments[0], core.CallForm):
            variable = self.variable(target.parameters[0])
            body = self.cont_body(target, ret)
            return core.LetForm(((variable, arguments[0]),), body, NOWHERE)
        for name, argument in zip(target.parameters, arguments, strict=True):
            self.names[name] = argument
        return self.cont_body(target, ret)

    # Bindings

    def operation(self, let: il.Let, block: il.Block, done: int, ret: str) -> core.Expr:
        value = self.operation_value(let)
        if let.name in self.cells:
            variable = core.LocalVariable(let.name, assigned=True)
            self.variables[let.name] = variable
        else:
            variable = self.variable(let.name)
        return core.LetForm(((variable, value),), self.rest(block, done, ret), let.span or NOWHERE)

    def operation_value(self, let: il.Let) -> core.Expr:
        span = let.span or NOWHERE
        if let.op in VARIABLE_OPERATIONS:
            found = self.of_variable(let, span)
            if found is not None:
                return found
        arguments = tuple([self.atom(atom) for atom in let.arguments])
        if let.op == "%copy-called" and self.for_people:
            return core.CallForm(core.PrimRef("bytevector-copy", span), arguments[:1], span)
        return core.CallForm(core.PrimRef(let.op, span), arguments, span)

    def of_variable(self, let: il.Let, span: Span) -> core.Expr | None:
        """An operation on a global, or on a cell that is an assigned variable again."""
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
        return None

    def fix(self, fix: il.Fix, block: il.Block, done: int, ret: str) -> core.Expr:
        variables = {function.name: self.variable(function.name) for function in fix.functions}
        free = {
            function.name: self.free.of_function(function) & variables.keys()
            for function in fix.functions
        }
        made = {function.name: self.function(function) for function in fix.functions}
        body = self.rest(block, done, ret)
        span = fix.span or NOWHERE
        for group in reversed(components(list(variables), lambda name: sorted(free[name]))):
            bindings = tuple((variables[name], made[name]) for name in group)
            recursive = len(group) > 1 or group[0] in free[group[0]]
            make = core.LetrecForm if recursive else core.LetForm
            body = make(bindings, body, span)
        return body

    def conts(self, conts: il.Conts, block: il.Block, done: int, ret: str) -> core.Expr:
        if len(conts.conts) == 1:
            groups = [[conts.conts[0].name]]
        else:
            names = [cont.name for cont in conts.conts]
            targets = {cont.name: self.free.conts(cont.body) for cont in conts.conts}
            groups = components(names, lambda name: sorted(targets[name].intersection(names)))
        return self.cont_groups(groups, {c.name: c for c in conts.conts}, block, done, ret)

    def cont_groups(
        self,
        groups: list[list[str]],
        by_name: dict[str, il.Cont],
        block: il.Block,
        done: int,
        ret: str,
    ) -> core.Expr:
        """Bind groups of continuations, those that others jump to first."""
        if not groups:
            return self.rest(block, done, ret)
        group, later = groups[0], groups[1:]

        def go_on(inner: str) -> core.Expr:
            return self.cont_groups(later, by_name, block, done, inner)

        cont = by_name[group[0]]
        if len(group) > 1 or cont.name in self.free.conts(cont.body):
            members = [by_name[name] for name in group]
            for member in members:
                self.procedures[member.name] = _procedure(member, "loop")
            bindings = tuple(
                (self.procedures[member.name], self.cont_procedure(member, ret))
                for member in members
            )
            return core.LetrecForm(bindings, go_on(ret), cont.span or NOWHERE)
        if not self.uses[cont.name]:
            return go_on(ret)
        rest_conts = [by_name[name] for names in later for name in names]
        if self.is_value_join(cont, rest_conts, block, done):
            return self.value_join(cont, go_on(cont.name), ret)
        if self.uses[cont.name] == 1:
            self.inline[cont.name] = cont
            return go_on(ret)
        procedure = _procedure(cont, "join")
        self.procedures[cont.name] = procedure
        made = self.cont_procedure(cont, ret)
        return core.LetForm(((procedure, made),), go_on(ret), cont.span or NOWHERE)

    def is_value_join(
        self, cont: il.Cont, later: list[il.Cont], block: il.Block, done: int
    ) -> bool:
        """Do all exits of what follows go to this continuation?"""
        if len(cont.parameters) > 1:
            return False
        tail = block.tail
        if type(tail) is not il.If:
            if not later and tail.cont == cont.name:
                return False
            exits = {tail.cont}
        else:
            exits = {*self.free.conts(tail.then), *self.free.conts(tail.otherwise)}
        bound = set()
        inner = [*later]
        for binding in block.bindings[done:]:
            if type(binding) is il.Conts:
                inner += binding.conts
        for one in inner:
            bound.add(one.name)
            exits |= self.free.conts(one.body)
        return exits - bound == {cont.name}

    def value_join(self, cont: il.Cont, value: core.Expr, ret: str) -> core.Expr:
        span = cont.span or NOWHERE
        if cont.parameters:
            variable = self.variable(cont.parameters[0])
            return core.LetForm(((variable, value),), self.cont_body(cont, ret), span)
        return core.SequenceForm((value, self.cont_body(cont, ret)), span)

    def cont_procedure(self, cont: il.Cont, ret: str) -> core.LambdaForm:
        variables = tuple(self.variable(name) for name in cont.parameters)
        body = self.cont_body(cont, ret)
        return core.LambdaForm(variables, None, body, cont.label or cont.name, cont.span or NOWHERE)

    def cont_body(self, cont: il.Cont, ret: str) -> core.Expr:
        return self.with_cells(cont.parameters, cont.body, ret)

    # Names

    def variable(self, name: str) -> core.LocalVariable:
        variable = core.LocalVariable(name)
        self.names[name] = core.LocalRef(variable, NOWHERE)
        return variable

    def atom(self, atom: il.Atom) -> core.Expr:
        if type(atom) is il.Var:
            return self.names[atom.name]
        if type(atom) is il.Global:
            return core.GlobalRef(atom.name, NOWHERE)
        if type(atom) is il.Prim:
            return core.PrimRef(atom.name, NOWHERE)
        if atom.value is UNDEFINED:
            return core.CallForm(core.PrimRef("%undefined", NOWHERE), (), NOWHERE)
        return core.ConstForm(atom.value, NOWHERE)


def _procedure(cont: il.Cont, plain: str) -> core.LocalVariable:
    """The variable of a continuation that becomes a procedure; `plain` if it has no own name."""
    base = cont.name.split(".")[0]
    if base not in ("k", ""):
        return core.LocalVariable(cont.name)
    return core.LocalVariable(cont.label or plain)


def _cont_uses(everything: list[il.Block]) -> Counter[str]:
    """How often each continuation is jumped or returned to."""
    return Counter([block.tail.cont for block in everything if type(block.tail) is not il.If])


def _reads(everything: list[il.Block]) -> Counter[str]:
    """How often each variable is used."""
    found: Counter[str] = Counter()
    for block in everything:
        found.update([atom.name for atom in atoms(block) if type(atom) is il.Var])
    return found


def _plain_cells(everything: list[il.Block]) -> set[str]:
    """The cells that hold a value from the start and are only read and written."""
    cells: set[str] = set()
    for block in everything:
        for binding in block.bindings:
            if type(binding) is il.Let and binding.op == "make-cell":
                (initial,) = binding.arguments
                if not (type(initial) is il.Const and initial.value is UNDEFINED):
                    cells.add(binding.name)
    if not cells:
        return cells
    for block in everything:
        mentioned = list(tail_atoms(block.tail))
        for binding in block.bindings:
            if type(binding) is not il.Let:
                continue
            arguments = binding.arguments
            if binding.op in CELL_OPERATIONS:
                if not arguments:
                    raise InternalError(f"{binding.op} without a cell")
                arguments = arguments[1:]
            mentioned += arguments
        cells.difference_update([atom.name for atom in mentioned if type(atom) is il.Var])
    return cells
