"""The function of C that is called from outside.

    int64_t cogen_run(cogen_call *call)

takes the arguments from their slots, calls the program's entry, and gives the results to the
caller. All loops have one number of threads, since some go over what each thread had in the loop
before (`omp_set_dynamic`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.array.codegen.errorsites import OUT_OF_MEMORY, CodeUnit
from cogen.array.ir.graphtypes import CERT, ArrayType, Scalar, Type, element, rank
from cogen.array.ir.node import Constant, Function, Node, Parameter, shape
from cogen.array.ir.packedboundary import sources
from cogen.array.loops import tree
from cogen.array.loops.expressions import number_type
from cogen.array.loops.printc import CALL, CText
from cogen.array.loops.printtree import MEMORY
from cogen.backends.ctree import tree as ct
from cogen.backends.ctree.literals import FALSE, NULL, TRUE, small
from cogen.backends.ctree.names import Namer
from cogen.backends.ctree.types import (
    ADDRESS,
    BOOL,
    DOUBLE,
    I64,
    INT,
    SIZE,
    VOID,
    Basic,
    Const,
    Pointer,
)
from cogen.backends.ctree.types import Type as CType
from cogen.backends.failures import ERROR


def consumed(function: Function) -> frozenset[int]:
    """The positions of the parameters that a function may overwrite."""
    return frozenset(
        [
            position
            for position, parameter in enumerate(function.body.parameters)
            if parameter.unique and rank(parameter.type)
        ]
    )


class Entry:
    """The code around the call of a program's entry."""

    def __init__(self, program: CodeUnit, names: Namer, function: Function) -> None:
        self.program = program
        self.names = names
        self.callee = function
        self.text = CText(program.arithmetic, frozenset())
        self.text.exit = (ct.Goto("end"),)
        self.out: list[ct.Statement] = []
        pairs = zip(function.parameters, sources(function), strict=True)
        self.packed = {parameter for parameter, stored in pairs if stored is not None}
        self.scalars: dict[Node, ct.Variable] = {}
        """The variables of scalar arguments."""

    def function(self, name: str, gone: frozenset[int], with_memory: bool) -> ct.Function:
        """The function around the C function `name`, whose parameters `gone` are not there."""
        self.out += _BEGIN
        self.out.append(self.failing(ct.Binary("==", _WORKERS, NULL)))
        arguments: list[ct.Expr] = [MEMORY] * with_memory + self.arguments(gone)
        outs = [self.result(t, at, arguments) for at, t in enumerate(self.callee.results)]
        self.out.append(ct.If(ct.Invoke(name, tuple(arguments), BOOL), self.text.exit))
        self.store_results(outs)
        self.out += _END
        if _IN.name in ct.names_of(*self.out):
            self.out.insert(
                0, ct.Declare(_IN.type, _IN.name, ct.Field(CALL, "arguments", _IN.type))
            )
        return ct.Function(I64, "cogen_run", (CALL,), tuple(self.out), "The entry.")

    def failing(self, condition: ct.Expr) -> ct.Statement:
        """There is no memory if a condition holds."""
        site = self.program.site(OUT_OF_MEMORY, self.callee.span)
        return ct.If(condition, (*self.text.failure(site, ()), *self.text.exit))

    # Arguments.

    def arguments(self, gone: frozenset[int]) -> list[ct.Expr]:
        """The arguments from their slots; copies of arrays that may be overwritten."""
        found: list[ct.Expr] = []
        needed = self.needed(gone)
        place = 0
        for position, parameter in enumerate(self.callee.body.parameters):
            slot = ct.Index(_IN, small(position))
            if not rank(parameter.type):
                if parameter in needed:
                    self.scalar(parameter, slot)
                if place not in gone:
                    found.append(self.scalars[parameter])
                place += 1
                continue
            pair = self.array(position, parameter, slot) if {place, place + 1} - gone else ()
            found += [value for at, value in enumerate(pair, place) if at not in gone]
            place += 2
        return found

    def needed(self, gone: frozenset[int]) -> set[Node]:
        """The scalar arguments that are used: passed on, or sizes of what is copied."""
        found: set[Node] = set()
        place = 0
        for position, parameter in enumerate(self.callee.body.parameters):
            if rank(parameter.type):
                if position in consumed(self.callee) and {place, place + 1} - gone:
                    found.update(shape(parameter))
                place += 2
            else:
                if place not in gone:
                    found.add(parameter)
                place += 1
        return found

    def scalar(self, parameter: Parameter, slot: ct.Expr) -> None:
        """A scalar argument in a variable."""
        t = element(parameter.type)
        type_ = self.text.type(_variable(t, self.program))
        own = self.scalars[parameter] = ct.Variable(self.names.fresh(parameter.name), type_)
        self.out.append(ct.Declare(Const(type_), own.name, _from_slot(slot, t.kind, type_)))

    def array(self, position: int, parameter: Parameter, slot: ct.Expr) -> tuple[ct.Expr, ct.Expr]:
        """The address and the block of an array."""
        own = number_type(element(parameter.type).kind, self.program.arithmetic)
        if parameter in self.packed:
            own = tree.U8
        data = ct.Cast(self.text.type(tree.Pointer(own)), ct.Cast(ADDRESS, slot))
        if position not in consumed(self.callee):
            return data, NULL
        owner = ct.Variable(self.names.fresh("taken"), _BLOCK)
        sizes = [self.size(size) for size in shape(parameter)]
        taken = ct.Invoke("cogen_taken", (MEMORY, data, self.bytes(sizes, own)), _BLOCK)
        self.out.append(ct.Declare(Const(_BLOCK), owner.name, taken))
        self.out.append(self.failing(ct.Binary("==", owner, NULL)))
        return ct.Invoke("cogen_data", (owner,), Pointer(VOID)), owner

    def size(self, size: Node) -> ct.Expr:
        if isinstance(size, Constant):
            return small(int(size.value))
        return self.scalars[size]

    def bytes(self, sizes: Sequence[ct.Expr], of: tree.Type) -> ct.Expr:
        """The size of an array of some sizes."""
        found: ct.Expr = ct.Cast(I64, self.text.expr(tree.SizeOf(of)))
        for size in sizes:
            found = ct.Binary("*", found, size)
        return found

    # Results.

    def stored_as(self, t: ArrayType, position: int) -> tree.Number:
        """The elements that a result has in memory."""
        if position in self.program.packed:
            return tree.U8
        return number_type(t.element.kind, self.program.arithmetic)

    def result(self, t: Type, position: int, arguments: list[ct.Expr]) -> ct.Expr:
        """Variables for a result, whose addresses become arguments; the first."""
        if t == CERT or not self.program.packed.get(position, True):
            return TRUE
        name = self.names.fresh("r")
        if not isinstance(t, ArrayType):
            made = ct.Variable(name, self.text.type(_variable(t, self.program)))
            self.out.append(ct.Declare(made.type, name))
            arguments.append(_address(made))
            return made
        made = ct.Variable(name, self.text.type(tree.Pointer(self.stored_as(t, position))))
        block, shape = _block(made), _shape(made)
        self.names.taken |= {block.name, shape.name}
        self.out += [
            ct.Declare(made.type, name, NULL),
            ct.Declare(_BLOCK, block.name, NULL),
            ct.Declare(I64, shape.name, None, small(t.rank)),
        ]
        arguments += [_address(made), _address(block), shape]
        return made

    def store_results(self, outs: Sequence[ct.Expr]) -> None:
        """The results into their slots."""
        slots: list[ct.Expr] = []
        for position, (t, made) in enumerate(zip(self.callee.results, outs, strict=True)):
            if not self.program.packed.get(position, True):
                slots += [small(0)] * 3
                continue
            if not isinstance(t, ArrayType):
                slots.append(_as_slot(made, t.kind))
                continue
            assert isinstance(made, ct.Variable)
            block, shape = _block(made), _shape(made)
            sizes: list[ct.Expr] = [ct.Index(shape, small(at)) for at in range(t.rank)]
            whole = self.bytes(sizes, self.stored_as(t, position))
            data = ct.Cast(Pointer(Pointer(VOID)), _address(made))
            given = ct.Invoke("cogen_give", (MEMORY, data, _address(block), whole), BOOL)
            self.out.append(self.failing(ct.Unary("!", given)))
            slots += [_bits(made), _bits(block), *sizes]
        self.out += [
            ct.Assign(ct.Index(_OUT, small(slot)), value) for slot, value in enumerate(slots)
        ]


def _variable(t: Scalar, program: CodeUnit) -> tree.Number:
    is_truth = t.kind in ("bool", "cert")
    return tree.BOOL if is_truth else number_type(t.kind, program.arithmetic)


_BLOCK: Final = Pointer(Basic("cogen_block"))


def _block(array: ct.Variable) -> ct.Variable:
    """The variable for the block of a result."""
    return ct.Variable(f"{array.name}_block", _BLOCK)


def _shape(array: ct.Variable) -> ct.Variable:
    return ct.Variable(f"{array.name}_shape", Pointer(I64))


def _address(variable: ct.Variable) -> ct.Expr:
    return ct.Unary("&", variable)


def _bits(variable: ct.Variable) -> ct.Expr:
    """An address as an int."""
    return ct.Cast(I64, ct.Cast(ADDRESS, variable))


def _as_slot(value: ct.Expr, kind: str) -> ct.Expr:
    if kind == "real":
        return ct.Invoke("cogen_float64_to_bits", (value,), I64)
    return ct.Cast(I64, value)


def _from_slot(slot: ct.Expr, kind: str, type_: CType) -> ct.Expr:
    if kind in ("bool", "cert"):
        return ct.Binary("!=", slot, small(0))
    found = ct.Invoke("cogen_bits_to_float64", (slot,), DOUBLE) if kind == "real" else slot
    return found if type_ in (I64, DOUBLE) else ct.Cast(type_, found)


def _called(function: str, *arguments: ct.Expr) -> ct.Statement:
    return ct.Do(ct.Invoke(function, arguments, VOID))


_OWN: Final = ct.Variable("own", Basic("cogen_memory"))
_WORKERS: Final = ct.Variable("workers", MEMORY.type)
_INDEX: Final = ct.Variable("i", I64)
_FAILED: Final = ct.Variable("failed", BOOL)
_DYNAMIC: Final = ct.Variable("cogen_dynamic", INT)
_THREADS: Final = ct.Field(CALL, "threads", I64)

_IN: Final = ct.Variable("in", Const(Pointer(Const(I64))))
_OUT: Final = ct.Variable("out", Const(Pointer(I64)))

_BEGIN: Final = (
    ct.Declare(_OUT.type, _OUT.name, ct.Field(CALL, "results", Pointer(I64))),
    ct.Declare(_OWN.type, _OWN.name),
    ct.Declare(Const(MEMORY.type), MEMORY.name, _address(_OWN)),
    ct.Declare(BOOL, _FAILED.name, TRUE),
    ct.Declare(Const(INT), _DYNAMIC.name, ct.Invoke("omp_get_dynamic", (), INT)),
    _called("omp_set_dynamic", small(0)),
    _called("cogen_begin", MEMORY, CALL, ct.Field(CALL, "stack", I64)),
    ct.Declare(
        _WORKERS.type, _WORKERS.name,
        ct.Invoke("calloc", (ct.Cast(SIZE, _THREADS), ct.SizeOf(_OWN.type)), Pointer(VOID)),
    ),
    ct.Assign(ct.Field(CALL, "workers", _WORKERS.type), _WORKERS),
)  # fmt: skip

_END: Final = (
    ct.Assign(_FAILED, FALSE),
    ct.Label("end"),
    ct.Assign(ct.Field(CALL, "error", ERROR), ct.Member(_OWN, "error", ERROR)),
    _called("cogen_end", MEMORY),
    ct.For(
        ct.Declare(I64, _INDEX.name, small(0)),
        ct.Binary("&&", ct.Binary("!=", _WORKERS, NULL), ct.Binary("<", _INDEX, _THREADS)),
        ct.Assign(_INDEX, small(1), "+="),
        (_called("cogen_end", ct.Unary("&", ct.Index(_WORKERS, _INDEX))),),
    ),
    _called("free", _WORKERS),
    _called("omp_set_dynamic", _DYNAMIC),
    ct.Return(_FAILED),
)
