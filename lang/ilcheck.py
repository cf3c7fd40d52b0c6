"""Does an IL program keep the laws of `lang.il`?  Run after passes in tests and on a flag."""

from __future__ import annotations

from collections.abc import Iterable

from cogen.lang import il
from cogen.lang.datum import RecordType, Symbol
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import InternalError, Span
from cogen.lang.ilutil import item_block, parameters
from cogen.lang.prims import CONTROL, PRIMITIVES


def check(program: il.Program) -> None:
    """Raise InternalError, naming the broken law, unless the program is well-formed.

    Checked: names are bound once; variables and continuations are in scope, and a procedure
    does not jump out of itself; operations exist, are no control primitives and have the right
    number of arguments; jumps give a continuation what it takes, calls return to one that
    takes one value; globals are defined, and read in the way that fits whether they are
    assigned; record types and their names belong to each other.
    """
    on_deep_stack(_ILChecker(program).check)


class _ILChecker:
    def __init__(self, program: il.Program) -> None:
        self.program = program
        self.bound: set[str] = set()
        self.variables: set[str] = set()
        self.conts: dict[str, int] = {}
        """Continuations in scope: how many values each takes."""
        self.globals = {item.name for item in program.items if not isinstance(item, il.Expression)}

    def check(self) -> None:
        self.records()
        defined: set[str] = set()
        for item in self.program.items:
            if isinstance(item, il.Define):
                if item.name in self.program.assigned:
                    raise _broken(f"{item.name} is assigned and bound by define", None)
                self.function(item.function)
            else:
                self.bind(item.cont, item.span)
                self.conts = {item.cont: 1}
                self.block(item_block(item))
            if isinstance(item, il.Expression):
                continue
            if item.name in defined and item.name not in self.program.assigned:
                raise _broken(f"the global {item.name} is defined twice", None)
            defined.add(item.name)

    def records(self) -> None:
        for record in self.program.records:
            if len(set(record.fields)) != len(record.fields):
                raise _broken(f"the record type {record.name} has a field twice", None)

    def bind(self, name: str, span: Span | None) -> None:
        if name in self.bound:
            raise _broken(f"{name} is bound twice", span)
        self.bound.add(name)

    def function(self, function: il.Function) -> None:
        names = parameters(function)
        for name in (*names, function.cont):
            self.bind(name, function.span)
        outer, self.conts = self.conts, {function.cont: 1}
        self.within(names, function.body)
        self.conts = outer

    def within(self, names: Iterable[str], block: il.Block) -> None:
        """Check a block with some more variables in scope."""
        added = set(names)
        self.variables |= added
        self.block(block)
        self.variables -= added

    def block(self, block: il.Block) -> None:
        variables: set[str] = set()
        conts: set[str] = set()
        for binding in block.bindings:
            match binding:
                case il.Let(name, span=span):
                    self.operation(binding)
                    self.bind(name, span)
                    self.variables.add(name)
                    variables.add(name)
                case il.Fix(functions):
                    for function in functions:
                        self.bind(function.name, function.span)
                        self.variables.add(function.name)
                        variables.add(function.name)
                    for function in functions:
                        self.function(function)
                case il.Conts(bound):
                    for cont in bound:
                        for name in (cont.name, *cont.parameters):
                            self.bind(name, cont.span)
                        self.conts[cont.name] = len(cont.parameters)
                        conts.add(cont.name)
                    for cont in bound:
                        self.within(cont.parameters, cont.body)
        self.tail(block.tail)
        self.variables -= variables
        for name in conts:
            del self.conts[name]

    def tail(self, tail: il.Tail) -> None:
        match tail:
            case il.If(test, then, otherwise, span):
                self.atom(test, span)
                self.block(then)
                self.block(otherwise)
            case il.Jump(cont, arguments, span):
                self.atoms(arguments, span)
                self.target(cont, len(arguments), span)
            case il.Call(function, arguments, cont, span):
                self.atoms((function, *arguments), span)
                self.target(cont, 1, span)

    def target(self, cont: str, count: int, span: Span | None) -> None:
        takes = self.conts.get(cont)
        if takes is None:
            raise _broken(f"the continuation {cont} is not in scope", span)
        if takes != count:
            raise _broken(f"the continuation {cont} takes {takes} values, not {count}", span)

    def operation(self, let: il.Let) -> None:
        row = PRIMITIVES.get(let.op)
        if row is None:
            what = "the control primitive" if let.op in CONTROL else "there is no operation"
            raise _broken(f"{what} {let.op} in a let", let.span)
        least, most = row.arity
        count = len(let.arguments)
        if count < least or (most is not None and count > most):
            raise _broken(f"the operation {let.op} has {count} arguments", let.span)
        self.atoms(let.arguments, let.span)
        if let.op in ("global-get", "global-set!"):
            self.assigned(let)

    def assigned(self, let: il.Let) -> None:
        name = let.arguments[0]
        if not isinstance(name, il.Const) or not isinstance(name.value, Symbol):
            raise _broken(f"{let.op} needs a quoted name", let.span)
        if name.value.name not in self.program.assigned:
            raise _broken(f"{let.op} of {name.value.name}, which is never assigned", let.span)

    def atoms(self, atoms: Iterable[il.Atom], span: Span | None) -> None:
        for atom in atoms:
            self.atom(atom, span)

    def atom(self, atom: il.Atom, span: Span | None) -> None:
        match atom:
            case il.Var(name):
                if name not in self.variables:
                    raise _broken(f"the variable {name} is not in scope", span)
            case il.Global(name):
                if name not in self.globals:
                    raise _broken(f"the global {name} is not defined", span)
                if name in self.program.assigned:
                    raise _broken(f"the global {name} is assigned but read as a constant", span)
            case il.Prim(name):
                if name not in PRIMITIVES and name not in CONTROL:
                    raise _broken(f"there is no primitive {name}", span)
            case il.Const(RecordType() as record):
                if record not in self.program.records:
                    raise _broken(f"the record type {record.name} is not the program's", span)


def _broken(law: str, span: Span | None) -> InternalError:
    return InternalError(f"ill-formed IL: {law}", span, hint="please report this")
