"""The function of C that is called from outside.

    int64_t cogen_run(cogen_call *call)

takes the arguments from their slots, calls the program's entry, and gives the results to the
caller. All loops have one number of threads, since some go over what each thread had in the loop
before (`omp_set_dynamic`).
"""

from __future__ import annotations

from collections.abc import Sequence

from cogen.array.boundary import sources
from cogen.array.codegen.sites import OUT_OF_MEMORY, CodeUnit
from cogen.array.loops import tree
from cogen.array.loops.build import number_type
from cogen.array.loops.c import MEMORY, CText
from cogen.array.node import Constant, Function, Node, Parameter, shape
from cogen.array.types import CERT, ArrayType, Scalar, Type, element, rank
from cogen.target import ctree as ct
from cogen.target.cnames import Namer


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
        self.scalars: dict[Node, str] = {}
        """The variables of scalar arguments."""

    def function(self, name: str, gone: frozenset[int], with_memory: bool) -> ct.Function:
        """The function around the C function `name`, whose parameters `gone` are not there."""
        self.out += _BEGIN
        self.out.append(self.failing(ct.Binary("==", ct.Name("workers"), ct.Name("NULL"))))
        arguments = [ct.Name(MEMORY)] * with_memory + self.arguments(gone)
        outs = [self.result(t, at, arguments) for at, t in enumerate(self.callee.results)]
        self.out.append(ct.If(ct.Invoke(name, tuple(arguments)), self.text.exit))
        self.store_results(outs)
        self.out += _END
        if "in" in ct.names_of(*self.out):
            self.out.insert(0, _IN)
        return ct.Function(
            "int64_t", "cogen_run", ("cogen_call *call",), tuple(self.out), "The entry."
        )

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
            slot = ct.Index(ct.Name("in"), ct.Name(str(position)))
            if not rank(parameter.type):
                if parameter in needed:
                    self.scalar(parameter, slot)
                if place not in gone:
                    found.append(ct.Name(self.scalars[parameter]))
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
        own = self.scalars[parameter] = self.names.fresh(parameter.name)
        type_ = self.text.type(_variable(t, self.program))
        self.out.append(ct.Declare(f"const {type_}", own, _from_slot(slot, t.kind, type_)))

    def array(self, position: int, parameter: Parameter, slot: ct.Expr) -> tuple[ct.Expr, ct.Expr]:
        """The address and the block of an array."""
        own = number_type(element(parameter.type).kind, self.program.arithmetic)
        if parameter in self.packed:
            own = tree.U8
        data = ct.Cast(self.text.type(tree.Pointer(own)), ct.Cast("uintptr_t", slot))
        if position not in consumed(self.callee):
            return data, ct.Name("NULL")
        owner = self.names.fresh("taken")
        sizes = [self.size(size) for size in shape(parameter)]
        taken = ct.Invoke("cogen_taken", (ct.Name(MEMORY), data, self.bytes(sizes, own)))
        self.out.append(ct.Declare("cogen_block *const", owner, taken))
        self.out.append(self.failing(ct.Binary("==", ct.Name(owner), ct.Name("NULL"))))
        return ct.Invoke("cogen_data", (ct.Name(owner),)), ct.Name(owner)

    def size(self, size: Node) -> ct.Expr:
        if isinstance(size, Constant):
            return ct.Name(str(size.value))
        return ct.Name(self.scalars[size])

    def bytes(self, sizes: Sequence[ct.Expr], of: tree.Type) -> ct.Expr:
        """The size of an array of some sizes."""
        found: ct.Expr = ct.Cast("int64_t", self.text.expr(tree.SizeOf(of)))
        for size in sizes:
            found = ct.Binary("*", found, size)
        return found

    # Results.

    def stored_as(self, t: ArrayType, position: int) -> tree.Number:
        """The elements that a result has in memory."""
        if position in self.program.packed:
            return tree.U8
        return number_type(t.element.kind, self.program.arithmetic)

    def result(self, t: Type, position: int, arguments: list[ct.Expr]) -> str:
        """Variables for a result, whose addresses become arguments; the name of the first."""
        if t == CERT or not self.program.packed.get(position, True):
            return "true"
        made = self.names.fresh("r")
        if not isinstance(t, ArrayType):
            self.out.append(ct.Declare(self.text.type(_variable(t, self.program)), made))
            arguments.append(_address(made))
            return made
        self.names.taken |= {f"{made}_block", f"{made}_shape"}
        own = tree.Pointer(self.stored_as(t, position))
        self.out += [
            ct.Declare(self.text.type(own), made, ct.Name("NULL")),
            ct.Declare("cogen_block *", f"{made}_block", ct.Name("NULL")),
            ct.Declare("int64_t", f"{made}_shape", None, ct.Name(str(t.rank))),
        ]
        arguments += [_address(made), _address(f"{made}_block"), ct.Name(f"{made}_shape")]
        return made

    def store_results(self, outs: Sequence[str]) -> None:
        """The results into their slots."""
        slots: list[ct.Expr] = []
        for position, (t, made) in enumerate(zip(self.callee.results, outs, strict=True)):
            if not self.program.packed.get(position, True):
                slots += [ct.Name("0")] * 3
                continue
            if not isinstance(t, ArrayType):
                slots.append(_as_slot(ct.Name(made), t.kind))
                continue
            sizes: list[ct.Expr] = [
                ct.Index(ct.Name(f"{made}_shape"), ct.Name(str(dimension)))
                for dimension in range(t.rank)
            ]
            whole = self.bytes(sizes, self.stored_as(t, position))
            data = ct.Cast("void **", _address(made))
            given = (ct.Name(MEMORY), data, _address(f"{made}_block"), whole)
            self.out.append(self.failing(ct.Unary("!", ct.Invoke("cogen_give", given))))
            slots += [_bits(made), _bits(f"{made}_block"), *sizes]
        self.out += [
            ct.Assign(ct.Index(ct.Name("out"), ct.Name(str(slot))), value)
            for slot, value in enumerate(slots)
        ]


def _variable(t: Scalar, program: CodeUnit) -> tree.Number:
    is_truth = t.kind in ("bool", "cert")
    return tree.BOOL if is_truth else number_type(t.kind, program.arithmetic)


def _address(name: str) -> ct.Expr:
    return ct.Unary("&", ct.Name(name))


def _bits(name: str) -> ct.Expr:
    """An address as an int."""
    return ct.Cast("int64_t", ct.Cast("uintptr_t", ct.Name(name)))


def _as_slot(value: ct.Expr, kind: str) -> ct.Expr:
    if kind == "real":
        return ct.Invoke("cogen_bits", (value,))
    return ct.Cast("int64_t", value)


def _from_slot(slot: ct.Expr, kind: str, type_: str) -> ct.Expr:
    if kind in ("bool", "cert"):
        return ct.Binary("!=", slot, ct.Name("0"))
    found = ct.Invoke("cogen_real", (slot,)) if kind == "real" else slot
    return found if type_ in ("int64_t", "double") else ct.Cast(type_, found)


def _called(function: str, *arguments: ct.Expr) -> ct.Statement:
    return ct.Do(ct.Invoke(function, arguments))


_CALL = ct.Name("call")
_MEMORY, _WORKERS, _INDEX = ct.Name(MEMORY), ct.Name("workers"), ct.Name("i")
_THREADS = ct.Field(_CALL, "threads")

_IN = ct.Declare("const int64_t *const", "in", ct.Field(_CALL, "arguments"))

_BEGIN = (
    ct.Declare("int64_t *const", "out", ct.Field(_CALL, "results")),
    ct.Declare("cogen_memory", "own"),
    ct.Declare("cogen_memory *const", MEMORY, _address("own")),
    ct.Declare("bool", "failed", ct.Name("true")),
    ct.Declare("const int", "cogen_dynamic", ct.Invoke("omp_get_dynamic", ())),
    _called("omp_set_dynamic", ct.Name("0")),
    _called("cogen_begin", _MEMORY, _CALL, ct.Field(_CALL, "stack")),
    ct.Declare(
        "cogen_memory *", "workers",
        ct.Invoke("calloc", (
            ct.Cast("size_t", _THREADS), ct.Invoke("sizeof", (ct.Name("cogen_memory"),)),
        )),
    ),
    ct.Assign(ct.Field(_CALL, "workers"), _WORKERS),
)  # fmt: skip

_END = (
    ct.Assign(ct.Name("failed"), ct.Name("false")),
    ct.Label("end"),
    ct.Assign(ct.Field(_CALL, "error"), ct.Member(ct.Name("own"), "error")),
    _called("cogen_end", _MEMORY),
    ct.For(
        ct.Declare("int64_t", "i", ct.Name("0")),
        ct.Binary(
            "&&",
            ct.Binary("!=", _WORKERS, ct.Name("NULL")),
            ct.Binary("<", _INDEX, _THREADS),
        ),
        ct.Assign(_INDEX, ct.Name("1"), "+="),
        (_called("cogen_end", ct.Unary("&", ct.Index(_WORKERS, _INDEX))),),
    ),
    _called("free", _WORKERS),
    _called("omp_set_dynamic", ct.Name("cogen_dynamic")),
    ct.Return(ct.Name("failed")),
)
