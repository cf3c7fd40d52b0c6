"""Loops -> trees of C: what C and OpenCL C have in common.

A target (`cogen.array.loops.printc`, `cogen.array.loops.printopencl`) says how its types are
written, how something fails, and how functions are invoked. `Text` remembers which parts of the
run-time library the text needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from cogen.array.ir.operations import table
from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.loops import tree, treewalk
from cogen.array.loops.expressions import ONE
from cogen.array.loops.functions import FUNCTIONS
from cogen.array.loops.samples import name_of, show_samples
from cogen.array.loops.tree import Block, Expr, Number, Opaque, Pointer, Statement, Type, Vector
from cogen.backends.ctree import literals, types
from cogen.backends.ctree import tree as ct
from cogen.backends.ctree.literals import NULL, small, truth
from cogen.backends.ctree.template import functions, template
from cogen.lang.errors import InternalError, Span

_NUMBERS: Final = {
    "i64": "int64_t", "i32": "int32_t", "u32": "uint32_t", "u8": "uint8_t", "f64": "double",
    "f32": "float", "bool": "bool", "size": "size_t", "thread": "int",
}  # fmt: skip
_OPAQUE: Final[dict[str, types.Type]] = {
    "block": types.CPointer(types.CBasic("cogen_block")), "numbers": types.CBasic("cogen_numbers"),
}  # fmt: skip

MEMORY: Final = ct.CVariable("memory", types.CPointer(types.CBasic("cogen_memory")))
"""The memory of a thread."""

Exit = tuple[ct.Statement, ...]


class Text:
    """The text of functions; a subclass for each target."""

    def __init__(self, arithmetic: Arithmetic) -> None:
        self.arithmetic = arithmetic
        self.rows = table(arithmetic)
        self.parts: set[str] = set()
        """The parts of the run-time library that the text needs, by name."""
        self.exit: Exit = ()
        """How what fails is left here."""
        self.labels = 0

    # Types.

    def type(self, t: Type) -> types.Type:
        """What a type is in C."""
        match t:
            case Number(name):
                return types.CBasic(_NUMBERS[name])
            case Opaque(name):
                return _OPAQUE[name]
            case Pointer(target, space):
                return types.CPointer(_in_space(space, self.type(target)))
            case Vector():
                return self.vector(t)

    def vector(self, t: Vector) -> types.CVector:
        """A type of vectors."""
        raise InternalError("there are no vectors in C")

    def constant(self, t: Type) -> types.Type:
        """The type of a variable that stays as it is."""
        return types.CConst(self.type(t))

    def variable(self, v: tree.Var) -> ct.CVariable:
        return ct.CVariable(v.name, self.type(v.type))

    # Expressions.

    def expr(self, e: Expr) -> ct.Expr:
        match e:
            case tree.Var():
                return self.variable(e)
            case tree.Const():
                return self.literal(e)
            case tree.Binary(sign, a, b):
                return ct.CBinary(sign, self.expr(a), self.expr(b))
            case tree.Not(a):
                return ct.CUnary("!", self.expr(a))
            case tree.Choose(a, b, c):
                return ct.CChoose(self.expr(a), self.expr(b), self.expr(c))
            case tree.Load(base, index):
                return ct.CIndex(self.expr(base), self.expr(index))
            case tree.Get(samples, base, last, index):
                self.parts.add(f"get {show_samples(samples)}")
                given = tuple([self.expr(a) for a in (base, last, index)])
                return ct.CInvoke(f"cogen_get_{name_of(samples)}", given, self.type(e.type))
            case tree.Address(a):
                return ct.CUnary("&", self.expr(a))
            case tree.SizeOf(of):
                return ct.CSizeOf(self.type(of))
            case tree.Data(_, t):
                return ct.CCast(self.type(t), self.value(e))
            case tree.Operate(row, operands, t):
                return self.operation(row, operands, t)
            case tree.Convert(t, a):
                return self.converted(t, a)
            case tree.Invoke():
                return self.invoke(e)
        raise InternalError(f"no expression: {e!r}")

    def value(self, e: Expr) -> ct.Expr:
        """An expression where C knows the type that it should have."""
        if isinstance(e, tree.Data):
            return ct.CInvoke("cogen_data", (self.expr(e.region),), types.CPointer(types.VOID))
        return self.expr(e)

    def literal(self, e: tree.Const) -> ct.Expr:
        value, t = e.value, e.type
        if value is None:
            return NULL
        if isinstance(value, bool):
            return truth(value)
        if isinstance(value, float):
            return literals.real(value, self.type(t))
        if value == self.arithmetic.least:
            return ct.CNumber(value, types.CBasic(f"int{self.arithmetic.int_bits}_t"))
        return small(value) if abs(value) < 1 << 31 else ct.CNumber(value, types.I64)

    def operation(self, row: str, operands: Sequence[Expr], t: Type) -> ct.Expr:
        """A scalar operation, by its template."""
        text = self.rows[row].c_text
        self.parts.update(functions(text))
        made = template(text)([self.expr(operand) for operand in operands])
        return replace(made, type=self.type(t)) if isinstance(made, ct.CInvoke) else made

    def converted(self, t: Type, e: Expr) -> ct.Expr:
        if isinstance(e.type, Pointer) and isinstance(t, Number):
            return ct.CCast(self.type(t), ct.CCast(types.ADDRESS, self.expr(e)))
        return ct.CCast(self.type(t), self.expr(e))

    def invoke(self, e: tree.Invoke) -> ct.Expr:
        """A function of the run-time library."""
        row = FUNCTIONS[e.function]
        if row.part:
            self.parts.add(row.part)
        arguments = [self.value(argument) for argument in e.arguments]
        if row.memory:
            arguments.insert(0, MEMORY)
        result = self.type(e.type) if row.gives else types.VOID
        return ct.CInvoke(row.c_text, tuple(arguments), result)

    # Statements.

    def block(self, statements: Block) -> tuple[ct.Statement, ...]:
        found: list[ct.Statement] = []
        for statement in statements:
            made = self.statement(statement)
            place = _place_of(statement)
            found += made if place is None else [_at(place, one) for one in made]
        return tuple(found)

    def statement(self, statement: Statement) -> list[ct.Statement]:
        match statement:
            case tree.Let(variable, value):
                return [ct.CDeclare(self.constant(variable.type), variable.name, self.value(value))]
            case tree.Variable(variable, value):
                start = None if value is None else self.value(value)
                return [ct.CDeclare(self.type(variable.type), variable.name, start)]
            case tree.Room(variable, size):
                return [self.room(variable, size)]
            case tree.Assign(variable, value, sign):
                return [ct.CAssign(self.variable(variable), self.value(value), f"{sign}=")]
            case tree.Store(base, index, value, sign):
                place = ct.CIndex(self.expr(base), self.expr(index))
                return [ct.CAssign(place, self.value(value), f"{sign}=")]
            case tree.Put(samples, base, index, value):
                self.parts.add(f"put {show_samples(samples)}")
                put = tuple([self.expr(a) for a in (base, index, value)])
                return [ct.CDo(ct.CInvoke(f"cogen_put_{name_of(samples)}", put, types.VOID))]
            case tree.Do(value):
                return [ct.CDo(self.expr(value))]
            case tree.IfStatement(test, then, otherwise):
                return [ct.CIf(self.expr(test), self.block(then), self.block(otherwise))]
            case tree.For():
                return self.loop(statement)
            case tree.While(test, body):
                return [ct.CWhile(self.expr(test), self.block(body))]
            case tree.Break():
                return [ct.CBreak()]
            case tree.Fail(site, details):
                return [*self.failure(site, details), *self.exit]
            case tree.Attempt(body):
                return self.attempt(body)
        return self.special(statement)

    def special(self, statement: Statement) -> list[ct.Statement]:
        """A statement that not all targets have."""
        raise InternalError(f"there is no text for {statement!r}")

    def failure(self, site: int, details: Sequence[Expr]) -> list[ct.Statement]:
        """Note an error."""
        raise NotImplementedError

    def room(self, variable: tree.Var, size: Expr) -> ct.Statement:
        assert isinstance(variable.type, Pointer)
        element = _in_space(variable.type.space, self.type(variable.type.target))
        return ct.CDeclare(element, variable.name, None, self.expr(size))

    def loop(self, loop: tree.For) -> list[ct.Statement]:
        index = self.variable(loop.index)
        step = small(1) if loop.step == ONE else self.expr(loop.step)
        made = ct.CFor(
            ct.CDeclare(index.type, index.name, self.expr(loop.start)),
            ct.CBinary("<", index, self.expr(loop.stop)),
            ct.CAssign(index, step, "+="),
            self.block(loop.body),
        )
        return [*self.marked(loop), made]

    def marked(self, loop: tree.For) -> list[ct.Statement]:
        """What is said of a loop."""
        return []

    def attempt(self, body: Block) -> list[ct.Statement]:
        """Statements that what fails within them leaves."""
        if not treewalk.can_fail(body):
            return list(self.block(body))
        outer, (label, self.exit) = self.exit, self.labelled()
        found = self.block(body)
        self.exit = outer
        return [*found, ct.CLabel(label)]

    def labelled(self) -> tuple[str, Exit]:
        """A label that nothing has yet, and how it is gone to."""
        self.labels += 1
        label = "done" if self.labels == 1 else f"done_{self.labels}"
        return label, (ct.CGoto(label),)


def _place_of(statement: Statement) -> Span | None:
    """Where stands what a statement does; of what a pass has put round loops, where they stand."""
    if statement.place is not None:
        return statement.place
    inner = (
        one.place for own in treewalk.blocks(statement) for one in treewalk.all_statements(own)
    )
    return next((place for place in inner if place is not None), None)


def _at(place: Span, statement: ct.Statement) -> ct.Statement:
    """A statement that was made of a place; what is said of others is of none."""
    said = isinstance(statement, ct.CPragma | ct.CLabel)
    return statement if said else replace(statement, places=(place,))


def _in_space(name: str, t: types.Type) -> types.Type:
    return types.CSpace(name, t) if name else t
