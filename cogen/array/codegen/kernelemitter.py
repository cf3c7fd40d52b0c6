"""Makes the code of kernels: OpenCL C from the same parts as C, without memory to allocate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from cogen.array.codegen import reps
from cogen.array.codegen.bucketkernels import GUARD
from cogen.array.codegen.emitter import Emitter, Program
from cogen.array.codegen.frames import Frame, inner, key
from cogen.array.codegen.plan import ERROR_SLOTS, Buffer, Free, Plan, Unsupported, kind_of
from cogen.array.codegen.regions import if_, loop
from cogen.array.codegen.reps import Counter, Fill, Handle, Memory, Rep, Scalar
from cogen.array.codegen.shared import multiloop
from cogen.array.codegen.simple import SIMPLE
from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.node import (
    Call,
    Constant,
    If,
    Loop,
    Multiloop,
    Node,
    Trace,
)
from cogen.array.schedule import Statement
from cogen.array.types import CERT, INT, element, rank
from cogen.array.types import Scalar as ScalarType
from cogen.target import ctree as ct
from cogen.target.cnames import Namer

_FLOAT64: Final = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"

_PREAMBLE: Final = """\
#pragma OPENCL FP_CONTRACT OFF
typedef long int64_t;
typedef ulong uint64_t;
typedef int int32_t;
typedef uint uint32_t;
typedef uchar uint8_t;
#define INT64_C(x) x##L
#define INT32_C(x) x
#define INT64_MAX LONG_MAX
#define INT64_MIN LONG_MIN
#define INT32_MAX INT_MAX
#define INT32_MIN INT_MIN
"""

_FLOAT32: Final = "".join(
    [
        f"#define {name}f {name}\n"
        for name in ("exp", "log", "pow", "sqrt", "fabs", "fmod", "copysign")
    ]
)
"""The names that C has for reals of 32 bits."""


def preamble(arithmetic: Arithmetic) -> str:
    """What stands before the kernels; nothing needs 64-bit floats where reals have 32 bits."""
    if arithmetic.real_bits == 64:
        return _FLOAT64 + _PREAMBLE
    return _PREAMBLE + _FLOAT32


_RESERVED: Final = (
    "global", "local", "constant", "private", "generic", "kernel", "uniform", "pipe", "half",
    "quad", "complex", "imaginary", "read_only", "write_only", "read_write", "uchar", "ushort",
    "uint", "ulong", "part", "parts", "errors", "memory", "table",
)  # fmt: skip
"""Words of OpenCL C that are names in C, and what all kernels name alike."""

_WRAPPING: Final = {
    "int.add": "(INT)((UINT){0} + (UINT){1})",
    "int.sub": "(INT)((UINT){0} - (UINT){1})",
    "int.mul": "(INT)((UINT){0} * (UINT){1})",
    "int.neg": "(INT)(0 - (UINT){0})",
}
"""Ints wrap around whatever the compiler assumes of overflow."""


class KernelEmitter(Emitter):
    """Code of kernels. What comes from outside becomes a parameter when it is first needed."""

    pointer = "__global "
    counts_references = False
    vectorises = False

    def __init__(
        self, program: Program, names: Namer, plan: Plan, overwrites: bool, outside: set[object]
    ) -> None:
        super().__init__(program, names)
        self.plan = plan
        self.outside = outside
        self.overwrites = overwrites
        self.parallel = False
        self.free: dict[object, Rep] = {}
        self.parameters: list[str] = []
        self.sizes_known: set[str] = set()
        """The names of int parameters."""
        self.exit = (ct.Return(),)
        self.iteration = "0"

    # Values from outside.

    def rep(self, node: Node) -> Rep:
        if isinstance(node, Constant) or node.type == CERT:
            return super().rep(node)
        found = self.values.get(key(node)) or self.free.get(key(node))
        if found is None:
            found = self.free[key(node)] = self._parameter(node)
        return found

    def known(self, node: Node) -> bool:
        return super().known(node) or key(node) in self.free or key(node) in self.outside

    def _int(self, name: str, number: int, what: str) -> str:
        made = self.names.fresh(name)
        self.parameters.append(f"const int64_t {made}")
        self.plan.names[made] = (number, what)
        self.sizes_known.add(made)
        return made

    def _parameter(self, node: Node) -> Rep:
        number = len(self.plan.free)
        kind = kind_of(node, self.overwrites)
        if kind == "strided" and key(node) in inner(self.plan.statement):
            kind = "dense"  # each iteration walks through it: neighbours should lie side by side
        self.plan.free.append(Free(node, kind))
        t = element(node.type)
        if kind == "scalar":
            if t.kind == "int":
                return Scalar(self._int("n", number, "value"))
            return Scalar(self._value(t, number))
        shape = tuple([self._int("size", number, f"shape{k}") for k in range(rank(node.type))])
        if kind == "fill":
            if t.kind == "int":
                return Fill(t, self._int("value", number, "value"), shape)
            return Fill(t, self._value(t, number), shape)
        if kind == "counter":
            start = self._int("start", number, "start")
            strides = [self._int("stride", number, f"stride{k}") for k in range(len(shape))]
            return Counter(t, start, shape, tuple(strides))
        made = self.names.fresh("a")
        self.parameters.append(f"{self.pointer_type(t)}{made}")
        self.plan.names[made] = (number, "data")
        offset = self._int("offset", number, "offset")
        data = reps.plus(made, offset)
        if kind == "dense":
            return reps.dense(t, f"({data})", shape, Handle(""))
        strides = [self._int("stride", number, f"stride{k}") for k in range(len(shape))]
        return Memory(t, f"({data})", shape, tuple(strides), False, Handle(""))

    def _value(self, t: ScalarType, number: int) -> str:
        made = self.names.fresh("x")
        self.parameters.append(f"const {self.element_type(t)} {made}")
        self.plan.names[made] = (number, "value")
        return f"({made} != 0)" if t.kind == "bool" else made

    # What kernels do otherwise.

    def operation(self, name: str, operands: Sequence[str]) -> str:
        form = _WRAPPING.get(name)
        if form is None:
            return super().operation(name, operands)
        own = self.element_type(INT)
        form = form.replace("UINT", f"u{own}").replace("INT", own)
        return form.format(*[reps.atom(operand) for operand in operands])

    def wide(self, text: str) -> str:
        return text if text in self.sizes_known else super().wide(text)

    def allocate(
        self, t: ScalarType, shape: Sequence[str], name: str, count: str | None = None
    ) -> Memory:
        """Scratch memory: a piece for each item."""
        sizes = tuple(shape) if count is None else (count,)
        self.need_known(sizes)
        size = reps.product(sizes)
        made = self.names.fresh("scratch")
        self.parameters.append(f"{self.pointer_type(t)}{made}")
        self.plan.scratch.append((made, t, sizes))
        data = self.point(t, name, f"{made} + part * ({size})")
        return reps.dense(t, data, shape, Handle(""))

    def need_known(self, sizes: Sequence[str]) -> None:
        """Unsupported unless the host knows the sizes."""
        if not all(size in self.sizes_known or size.isdecimal() for size in sizes):
            raise Unsupported("an array of a size that is found inside")

    def copy_bytes(self, target: Memory, source: Memory) -> None:
        self.nest(target.shape, lambda indices: self.store(target, indices, source))

    def failure(self, number: int, details: Sequence[str]) -> list[ct.Statement]:
        self.plan.fails = True
        noted = [str(number), self.iteration, *details]
        return [
            ct.Assign(ct.Name(f"errors[part * {ERROR_SLOTS} + {at}]"), ct.Name(text))
            for at, text in enumerate(noted)
        ]


def emit(e: Emitter, statement: Statement) -> None:
    """The code of a statement within a kernel."""
    node = statement.node
    e.span = e.program.spans.get(node, e.span)
    match node:
        case Trace() | Call():
            raise Unsupported(type(node).__name__)
        case If():
            if_(e, statement, emit)
        case Loop():
            loop(e, statement, emit)
        case Multiloop():
            multiloop(e, statement, emit)
        case _:
            SIMPLE[type(node)](e, statement)


@dataclass(frozen=True, slots=True)
class KernelUnit:
    """What the kernels of one program share: its errors, names, and their definitions."""

    program: Program
    overwrites: bool
    names: Namer = field(default_factory=lambda: Namer(set(_RESERVED)))
    texts: list[ct.Function | ct.Text] = field(default_factory=list)


class Kernels:
    """What the kernels of one statement share."""

    def __init__(self, unit: KernelUnit, statement: Statement, outside: set[object]) -> None:
        self.unit = unit
        self.made = Plan(statement)
        self.statement = statement
        self.e = KernelEmitter(unit.program, unit.names, self.made, unit.overwrites, outside)
        self.e.span = unit.program.spans.get(statement.node)
        self.bodies: dict[str, tuple[ct.Statement, ...]] = {}

    def kernel(self, what: str, body: Callable[[], None], items: str = "parts") -> None:
        """A kernel of so many items, each of which is `part`; of all there are, if "" is given."""
        e = self.e
        with e.gathered() as made:
            e.frames.append(Frame(()))
            body()
            e.close()
        head: list[ct.Statement] = [
            ct.Declare("const int64_t", "part", ct.Name("get_global_id(0)"))
        ]
        if items:
            head.append(ct.If(ct.Binary(">=", ct.Name("part"), ct.Name(items)), (ct.Return(),)))
        self.bodies[what] = (*head, *made)

    def buffer(
        self, t: ScalarType, role: str, output: int = 0, number: int = 0, name: str = "b"
    ) -> str:  # fmt: skip
        """A parameter for an array that the host makes; its name."""
        made = self.unit.names.fresh(name)
        self.e.parameters.append(f"{self.e.pointer_type(t)}{made}")
        self.made.buffers.append(Buffer(made, t, role, output, number))
        return made

    def finish(self) -> Plan:
        """Give all kernels the same parameters."""
        parameters = ("const int64_t parts", "__global int64_t *errors", *self.e.parameters)
        for what, body in self.bodies.items():
            name = self.unit.names.fresh(f"{word_of(self.statement.node)}_{what}")
            self.made.kernels[what] = name
            where = self.e.span
            comment = f"{what}" + ("" if where is None else f", {where}")
            said = self.made.attributes.get(what)
            result = "__kernel void" if said is None else f"__kernel __attribute__(({said})) void"
            if what != "buckets":
                self.unit.texts.append(ct.Function(result, name, parameters, body, comment))
                continue
            local = (*parameters, "__local int64_t *table")
            guarded: list[ct.Function | ct.Text] = [
                ct.Text(f"#ifdef {GUARD}"),
                ct.Function(result, name, local, body, comment),
                ct.Text("#endif"),
            ]
            self.unit.texts.extend(guarded)
        self.made.parameters = [text.split()[-1].lstrip("*") for text in self.e.parameters]
        return self.made


def word_of(node: Node) -> str:
    return type(node).__name__.lower()
