"""The function of C that is called from outside.

    int64_t cogen_run(cogen_call *call)

takes the arguments from their slots, calls the program's entry, and gives the results to the
caller. All loops have one number of threads, since some go over what each thread had in the loop
before (`omp_set_dynamic`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.array.codegen.errorsites import CodeUnit
from cogen.array.ir.graphtypes import CERT, GraphArray, ScalarType, Type, element, rank
from cogen.array.ir.node import (
    Function,
    Node,
    Parameter,
    shape,
)
from cogen.array.ir.packedboundary import sources
from cogen.array.l0.runerrors import OUT_OF_MEMORY
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
    CBasic,
    CConst,
    CPointer,
)
from cogen.backends.ctree.types import Type as CType
from cogen.backends.noting import ERROR


def consumed(function: Function) -> frozenset[int]:
    """The positions of the parameters that a function may overwrite."""
    return frozenset(
        [
            position
            for position, parameter in enumerate(function.body.parameters)
            if parameter.unique and rank(parameter.type)
        ]
    )


class EntryFunction:
    """The code around the call of a program's entry."""

    def __init__(self, program: CodeUnit, names: Namer, function: Function) -> None:
        self.program = program
        self.names = names
        self.callee = function
        self.text = CText(program.arithmetic, frozenset())
        self.text.exit = (ct.CGoto("end"),)
        self.out: list[ct.Statement] = []
        pairs = zip(function.parameters, sources(function), strict=True)
        self.packed = {parameter for parameter, stored in pairs if stored is not None}
        self.scalars: dict[Node, ct.CVariable] = {}
        """The variables of scalar arguments."""

    def function(self, name: str, gone: frozenset[int], with_memory: bool) -> ct.CFunction:
        """The function around the C function `name`, whose parameters `gone` are not there."""
        self.out += _BEGIN
        self.out.append(self.failing(ct.CBinary("==", _WORKERS, NULL)))
        arguments: list[ct.Expr] = [MEMORY] * with_memory + self.arguments(gone)
        outs = [self.result(t, at, arguments) for at, t in enumerate(self.callee.results)]
        self.out.append(ct.CIf(ct.CInvoke(name, tuple(arguments), BOOL), self.text.exit))
        self.store_results(outs)
        self.out += _END
        if _IN.name in ct.names_of(*self.out):
            self.out.insert(
                0, ct.CDeclare(_IN.type, _IN.name, ct.CField(CALL, "arguments", _IN.type))
            )
        return ct.CFunction(I64, "cogen_run", (CALL,), tuple(self.out), "The entry.")

    def failing(self, condition: ct.Expr) -> ct.Statement:
        """There is no memory if a condition holds."""
        site = self.program.site(OUT_OF_MEMORY, self.callee.span)
        return ct.CIf(condition, (*self.text.failure(site, ()), *self.text.exit))

    # Arguments.

    def arguments(self, gone: frozenset[int]) -> list[ct.Expr]:
        """The arguments from their slots; copies of arrays that may be overwritten."""
        found: list[ct.Expr] = []
        needed = self.needed(gone)
        place = 0
        for position, parameter in enumerate(self.callee.body.parameters):
            slot = ct.CIndex(_IN, small(position))
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
        own = self.scalars[parameter] = ct.CVariable(self.names.fresh(parameter.name), type_)
        self.out.append(ct.CDeclare(CConst(type_), own.name, _from_slot(slot, t.kind, type_)))

    def array(self, position: int, parameter: Parameter, slot: ct.Expr) -> tuple[ct.Expr, ct.Expr]:
        """The address and the block of an array."""
        own = number_type(element(parameter.type).kind, self.program.arithmetic)
        if parameter in self.packed:
            own = tree.U8
        data = ct.CCast(self.text.type(tree.Pointer(own)), ct.CCast(ADDRESS, slot))
        if position not in consumed(self.callee):
            return data, NULL
        owner = ct.CVariable(self.names.fresh("taken"), _BLOCK)
        sizes = [self.size(size) for size in shape(parameter)]
        taken = ct.CInvoke("cogen_taken", (MEMORY, data, self.bytes(sizes, own)), _BLOCK)
        self.out.append(ct.CDeclare(CConst(_BLOCK), owner.name, taken))
        self.out.append(self.failing(ct.CBinary("==", owner, NULL)))
        return ct.CInvoke("cogen_data", (owner,), CPointer(VOID)), owner

    def size(self, size: Node) -> ct.Expr:
        if isinstance(size.known, int):
            return small(size.known)
        return self.scalars[size]

    def bytes(self, sizes: Sequence[ct.Expr], of: tree.Type) -> ct.Expr:
        """The size of an array of some sizes."""
        found: ct.Expr = ct.CCast(I64, self.text.expr(tree.SizeOf(of)))
        for size in sizes:
            found = ct.CBinary("*", found, size)
        return found

    # Results.

    def stored_as(self, t: GraphArray, position: int) -> tree.Number:
        """The elements that a result has in memory."""
        if position in self.program.packed:
            return tree.U8
        return number_type(t.element.kind, self.program.arithmetic)

    def result(self, t: Type, position: int, arguments: list[ct.Expr]) -> ct.Expr:
        """Variables for a result, whose addresses become arguments; the first."""
        if t == CERT or not self.program.packed.get(position, True):
            return TRUE
        name = self.names.fresh("r")
        if not isinstance(t, GraphArray):
            made = ct.CVariable(name, self.text.type(_variable(t, self.program)))
            self.out.append(ct.CDeclare(made.type, name))
            arguments.append(_address(made))
            return made
        made = ct.CVariable(name, self.text.type(tree.Pointer(self.stored_as(t, position))))
        block, shape = _block(made), _shape(made)
        self.names.taken |= {block.name, shape.name}
        self.out += [
            ct.CDeclare(made.type, name, NULL),
            ct.CDeclare(_BLOCK, block.name, NULL),
            ct.CDeclare(I64, shape.name, None, small(t.rank)),
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
            if not isinstance(t, GraphArray):
                slots.append(_as_slot(made, t.kind))
                continue
            assert isinstance(made, ct.CVariable)
            block, shape = _block(made), _shape(made)
            sizes: list[ct.Expr] = [ct.CIndex(shape, small(at)) for at in range(t.rank)]
            whole = self.bytes(sizes, self.stored_as(t, position))
            data = ct.CCast(CPointer(CPointer(VOID)), _address(made))
            given = ct.CInvoke("cogen_give", (MEMORY, data, _address(block), whole), BOOL)
            self.out.append(self.failing(ct.CUnary("!", given)))
            slots += [_bits(made), _bits(block), *sizes]
        self.out += [
            ct.CAssign(ct.CIndex(_OUT, small(slot)), value) for slot, value in enumerate(slots)
        ]


def _variable(t: ScalarType, program: CodeUnit) -> tree.Number:
    is_truth = t.kind in ("bool", "cert")
    return tree.BOOL if is_truth else number_type(t.kind, program.arithmetic)


_BLOCK: Final = CPointer(CBasic("cogen_block"))


def _block(array: ct.CVariable) -> ct.CVariable:
    """The variable for the block of a result."""
    return ct.CVariable(f"{array.name}_block", _BLOCK)


def _shape(array: ct.CVariable) -> ct.CVariable:
    return ct.CVariable(f"{array.name}_shape", CPointer(I64))


def _address(variable: ct.CVariable) -> ct.Expr:
    return ct.CUnary("&", variable)


def _bits(variable: ct.CVariable) -> ct.Expr:
    """An address as an int."""
    return ct.CCast(I64, ct.CCast(ADDRESS, variable))


def _as_slot(value: ct.Expr, kind: str) -> ct.Expr:
    if kind == "real":
        return ct.CInvoke("cogen_float64_to_bits", (value,), I64)
    return ct.CCast(I64, value)


def _from_slot(slot: ct.Expr, kind: str, type_: CType) -> ct.Expr:
    if kind in ("bool", "cert"):
        return ct.CBinary("!=", slot, small(0))
    found = ct.CInvoke("cogen_bits_to_float64", (slot,), DOUBLE) if kind == "real" else slot
    return found if type_ in (I64, DOUBLE) else ct.CCast(type_, found)


def _called(function: str, *arguments: ct.Expr) -> ct.Statement:
    return ct.CDo(ct.CInvoke(function, arguments, VOID))


_OWN: Final = ct.CVariable("own", CBasic("cogen_memory"))
_WORKERS: Final = ct.CVariable("workers", MEMORY.type)
_INDEX: Final = ct.CVariable("i", I64)
_FAILED: Final = ct.CVariable("failed", BOOL)
_DYNAMIC: Final = ct.CVariable("cogen_dynamic", INT)
_THREADS: Final = ct.CField(CALL, "threads", I64)

_IN: Final = ct.CVariable("in", CConst(CPointer(CConst(I64))))
_OUT: Final = ct.CVariable("out", CConst(CPointer(I64)))

_BEGIN: Final = (
    ct.CDeclare(_OUT.type, _OUT.name, ct.CField(CALL, "results", CPointer(I64))),
    ct.CDeclare(_OWN.type, _OWN.name),
    ct.CDeclare(CConst(MEMORY.type), MEMORY.name, _address(_OWN)),
    ct.CDeclare(BOOL, _FAILED.name, TRUE),
    ct.CDeclare(CConst(INT), _DYNAMIC.name, ct.CInvoke("omp_get_dynamic", (), INT)),
    _called("omp_set_dynamic", small(0)),
    _called("cogen_begin", MEMORY, CALL, ct.CField(CALL, "stack", I64)),
    ct.CDeclare(
        _WORKERS.type, _WORKERS.name,
        ct.CInvoke("calloc", (ct.CCast(SIZE, _THREADS), ct.CSizeOf(_OWN.type)), CPointer(VOID)),
    ),
    ct.CAssign(ct.CField(CALL, "workers", _WORKERS.type), _WORKERS),
)  # fmt: skip

_END: Final = (
    ct.CAssign(_FAILED, FALSE),
    ct.CLabel("end"),
    ct.CAssign(ct.CField(CALL, "error", ERROR), ct.CMember(_OWN, "error", ERROR)),
    _called("cogen_end", MEMORY),
    ct.CFor(
        ct.CDeclare(I64, _INDEX.name, small(0)),
        ct.CBinary("&&", ct.CBinary("!=", _WORKERS, NULL), ct.CBinary("<", _INDEX, _THREADS)),
        ct.CAssign(_INDEX, small(1), "+="),
        (_called("cogen_end", ct.CUnary("&", ct.CIndex(_WORKERS, _INDEX))),),
    ),
    _called("free", _WORKERS),
    _called("omp_set_dynamic", _DYNAMIC),
    ct.CReturn(_FAILED),
)
