"""Checks loops: names, types, what may stand where, and that no memory is used that was given up.

    check(functions)      raises InternalError, which names the function and the statement

Whether an access is within its region is known when loops run: `cogen.array.loops.interpret`
refuses others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cogen.array.ir.operations import TABLE
from cogen.array.loops import tree, treewalk
from cogen.array.loops.functions import FUNCTIONS
from cogen.array.loops.regions import check_regions
from cogen.array.loops.show import show_expr
from cogen.lang.errors import InternalError

_SIGNS = frozenset([*tree.ARITHMETIC, *tree.COMPARISONS, *tree.LOGICAL])
_INTS = frozenset(["i64", "i32", "u32", "u8", "thread", "bool"])
_BYTES = frozenset(["bool", "u8"])
_KINDS = {
    "int": frozenset(["i64", "i32"]), "real": frozenset(["f64", "f32"]),
    "bool": frozenset(["bool"]), "char": frozenset(["u32"]),
}  # fmt: skip


def check(parts: Sequence[tree.Function | tree.Kernel]) -> None:
    """The functions and kernels of a program."""
    functions = {part.name: part for part in parts if isinstance(part, tree.Function)}
    for part in parts:
        try:
            _LoopChecker(functions, part).run()
        except InternalError as error:
            raise InternalError(f"in the loops of {part.name}: {error.message}") from None


class _LoopChecker:
    def __init__(
        self, functions: Mapping[str, tree.Function], part: tree.Function | tree.Kernel
    ) -> None:
        self.functions = functions
        self.part = part
        self.scope: dict[str, tree.Var] = {}
        """The variables that can be used here, by their names."""

    def run(self) -> None:
        part = self.part
        self.declare(part.parameters)
        if isinstance(part, tree.Kernel):
            self.declare([part.part])
            if part.items is not None:
                self.expr(part.items)
        self.block(part.body, in_loop=False, in_team=False)
        check_regions(part)

    def declare(self, variables: Iterable[tree.Var]) -> None:
        """Variables whose names nothing else has that can be used here."""
        for variable in variables:
            need(variable.name not in self.scope, f"{variable.name} is declared twice")
            need(variable.name not in tree.RESERVED, f"{variable.name} is a name of the text")
            self.scope[variable.name] = variable

    # Statements.

    def block(self, statements: tree.Block, in_loop: bool, in_team: bool) -> None:
        outer = dict(self.scope)
        for statement in statements:
            self.statement(statement, in_loop, in_team)
        self.scope = outer

    def statement(self, statement: tree.Statement, in_loop: bool, in_team: bool) -> None:
        for e in treewalk.expressions(statement):
            self.expr(e)
        self.rules(statement, in_loop, in_team)
        if isinstance(statement, tree.For) and statement.sharing is not None:
            self.sharing(statement.sharing, in_team)
        outer = dict(self.scope)
        self.declare(treewalk.bound(statement))
        loops = isinstance(statement, (tree.For, tree.While))
        leaves = isinstance(statement, (tree.Parallel, tree.Attempt))
        team = isinstance(statement, tree.Parallel)
        for inner in treewalk.blocks(statement):
            self.block(inner, loops or (in_loop and not leaves), team or in_team)
        self.scope = outer
        self.declare(treewalk.declared(statement))

    def rules(self, statement: tree.Statement, in_loop: bool, in_team: bool) -> None:
        """What each kind of statement demands."""
        match statement:
            case tree.Let(variable, value):
                fits(variable.type, value)
            case tree.Variable(variable, value):
                if value is not None:
                    fits(variable.type, value)
            case tree.Room(variable, size):
                need(isinstance(variable.type, tree.Pointer), "room is behind an address")
                whole(size)
            case tree.Assign(variable, value):
                self.seen(variable)
                fits(variable.type, value)
            case tree.Store(base, index, value):
                whole(index)
                fits(tree.target(base), value)
            case tree.Put(_, base, index, value):
                packed(base, index)
                need(isinstance(value.type, tree.Number), "no number is stored")
            case tree.Allocate(variable, _, size, _, old):
                need(variable.type == tree.BLOCK, "what is allocated is a region")
                whole(size)
                if old is not None:
                    need(old[0].type == tree.BLOCK, "what is taken over is a region")
                    need(isinstance(old[1].type, tree.Pointer), "a region begins at an address")
            case tree.IfStatement(test) | tree.While(test):
                truth(test)
            case tree.For(index, start, stop, step, _, mark):
                need(isinstance(index.type, tree.Number), "an index is a number")
                for e in (start, stop, step):
                    whole(e)
                for variable in treewalk.accumulators(mark):
                    self.seen(variable)
                if isinstance(mark, tree.Shared):
                    whole(mark.threads)
                    truth(mark.test)
            case tree.Break():
                need(in_loop, "there is no loop to leave")
            case tree.Parallel(team, got):
                need(not in_team, "a team within a team")
                whole(team)
                if got is not None:
                    self.seen(got)
            case tree.CallStatement(name, arguments):
                self.call(name, arguments)
            case tree.Scan(accumulator, _, count, values, out, left, right, operator):
                whole(count)
                for base in (values, out):
                    need(tree.target(base) == accumulator.type, "a scan of another type")
                need(
                    treewalk.names(operator) <= {left.name, right.name},
                    "an operator with more names",
                )

    def sharing(self, sharing: tree.Sharing, in_team: bool) -> None:
        """What a loop needs to be shared out."""
        for e in treewalk.shared_expressions(sharing):
            self.expr(e)
        for operator in treewalk.operators(sharing):
            need(len(operator.left) == len(operator.right), "an operator on different numbers")
            need(len(operator.left) == len(operator.results), "an operator with other results")
            need(len(operator.left) == len(operator.known), "an operator that is known otherwise")
            outer = dict(self.scope)
            self.declare((*operator.left, *operator.right))
            for statement in operator.body:
                self.statement(statement, False, in_team)
            for variable, e in zip(operator.left, operator.results, strict=True):
                self.expr(e)
                fits(variable.type, e)
            self.scope = outer
        for join in sharing.joins:
            if isinstance(join, tree.Scanned) and join.first is not None:
                self.block((join.first,), in_loop=False, in_team=in_team)

    def call(self, name: str, arguments: Sequence[tree.Expr]) -> None:
        function = self.functions.get(name)
        need(function is not None, f"there is no function {name}")
        assert function is not None
        need(
            len(arguments) == len(function.parameters), f"{name} takes another number of arguments"
        )
        for argument, parameter in zip(arguments, function.parameters, strict=True):
            fits(parameter.type, argument)

    def seen(self, variable: tree.Var) -> None:
        need(self.scope.get(variable.name) == variable, f"{variable.name} is not declared here")

    # Expressions.

    def expr(self, e: tree.Expr) -> None:
        for inner in treewalk.within(e):
            if isinstance(inner, tree.Var):
                self.seen(inner)
            one(inner)


def one(e: tree.Expr) -> None:
    """What an expression demands of those directly within it."""
    match e:
        case tree.Binary(sign, a, b):
            need(sign in _SIGNS, f"there is no {sign}")
            pointers = isinstance(a.type, tree.Pointer) or a.type == tree.BLOCK
            if pointers and sign not in tree.COMPARISONS:
                need(sign == "+", f"an address {sign} a number")
                whole(b)
            if sign in tree.LOGICAL:
                truth(a)
                truth(b)
        case tree.Not(a):
            truth(a)
        case tree.Operate(row, operands):
            operation(row, operands)
        case tree.Choose(test, a, b):
            if not isinstance(test.type, tree.Vector):
                truth(test)
            if not alike(a.type, b.type):
                raise InternalError(f"a choice of {a.type} and {b.type}")
        case tree.Load(base, index):
            tree.target(base)
            whole(index)
        case tree.Get(_, base, last, index):
            packed(base, index)
            whole(last)
        case tree.Data(region, t):
            need(region.type == tree.BLOCK, "no region")
            need(isinstance(t, tree.Pointer), "data are behind an address")
        case tree.Invoke(name, arguments):
            need(name in FUNCTIONS, f"there is no function {name}")
            need(len(arguments) == FUNCTIONS[name].takes, f"{name} takes other arguments")


def operation(row: str, operands: Sequence[tree.Expr]) -> None:
    """A scalar operation on what it takes; on vectors, lane by lane."""
    need(row in TABLE, f"there is no operation {row}")
    wanted = TABLE[row].operands
    need(len(wanted) == len(operands), f"{row} takes another number of operands")
    for t, e in zip(wanted, operands, strict=True):
        if not isinstance(e.type, tree.Vector):
            named = e.type.name if isinstance(e.type, tree.Number) else ""
            need(named in _KINDS[t.kind], f"{row} of {{}}", e)


def packed(base: tree.Expr, index: tree.Expr) -> None:
    """The address of packed memory, and the number of a sample."""
    need(tree.target(base) == tree.U8, "no address of bytes: {}", base)
    whole(index)


def need(holds: bool, message: str, e: tree.Expr | None = None) -> None:
    """What must hold; the message has an expression in the place of `{}`."""
    if not holds:
        raise InternalError(message if e is None else message.format(show_expr(e)))


def whole(e: tree.Expr) -> None:
    """A whole number."""
    named = e.type.name if isinstance(e.type, (tree.Number, tree.Opaque)) else ""
    need(named in _INTS or named == "size", "no whole number: {}", e)


def truth(e: tree.Expr) -> None:
    need(e.type == tree.BOOL, "no test: {}", e)


def fits(t: tree.Type, e: tree.Expr) -> None:
    """A value of a type, or one that becomes it unchanged."""
    if not (alike(t, e.type) or becomes(e.type, t)):
        raise InternalError(f"{show_expr(e)} is no {t}")


def alike(a: tree.Type, b: tree.Type) -> bool:
    """Types of the same values; an address may name its space or not."""
    if isinstance(a, tree.Pointer) and isinstance(b, tree.Pointer):
        return alike(a.target, b.target)
    return a == b


def becomes(a: tree.Type, b: tree.Type) -> bool:
    """Whether numbers of one type are numbers of another: narrow ints of wider ones, bools of
    bytes."""
    if not isinstance(a, tree.Number) or not isinstance(b, tree.Number):
        return False
    if a.name in _BYTES and b.name in _BYTES:
        return True
    return a.name in _INTS and b.name in _INTS and tree.wider(a, b) == b
