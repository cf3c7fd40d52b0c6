"""Makes the code of kernels: OpenCL C from the same parts as C, without memory to allocate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from cogen.array.codegen import representations
from cogen.array.codegen.emitter import Emitter
from cogen.array.codegen.errorsites import CodeUnit
from cogen.array.codegen.frames import MemoryFrame
from cogen.array.codegen.multiloop import controlled
from cogen.array.codegen.representations import (
    CounterRep,
    FillRep,
    Handle,
    MemoryRep,
    Rep,
    ScalarRep,
)
from cogen.array.codegen.simple import SIMPLE
from cogen.array.ir.graphtypes import CERT, ScalarType, element, rank
from cogen.array.ir.node import (
    Node,
)
from cogen.array.loops import tree, treewalk
from cogen.array.loops.aim import aimed
from cogen.array.loops.check import check
from cogen.array.loops.choose import chosen
from cogen.array.loops.compact import compacted
from cogen.array.loops.expressions import NULL, ZERO, is_number, plus, product, times, value_of
from cogen.array.loops.group_tables import TABLE
from cogen.array.loops.kernel_forms import FormDone, KernelForm
from cogen.array.loops.printopencl import PART, PARTS
from cogen.array.loops.regions import joined
from cogen.array.loops.tree import ERRORS, I64, Binary, Const, Expr, Var
from cogen.array.opencl.bucketkernels import GUARD
from cogen.array.opencl.kernelplan import (
    FreeVariables,
    KernelBuffer,
    KernelPlan,
    Unsupported,
    kind_of,
)
from cogen.array.schedule.schedule import Statement
from cogen.array.schedule.usage import inner, key
from cogen.backends.ctree.names import Namer
from cogen.lang.errors import InternalError

_RESERVED: Final = (
    "global", "local", "constant", "private", "generic", "kernel", "uniform", "pipe", "half",
    "quad", "complex", "imaginary", "read_only", "write_only", "read_write", "uchar", "ushort",
    "uint", "ulong", "part", "parts", "errors", "memory", "table",
)  # fmt: skip
"""Words of OpenCL C that are names in C, and what all kernels name alike."""


class KernelEmitter(Emitter):
    """Code of kernels. What comes from outside becomes a parameter when it is first needed."""

    space = "global"
    counts_references = False
    shares = False
    bits = "slot"

    def __init__(
        self,
        program: CodeUnit,
        names: Namer,
        plan: KernelPlan,
        overwrites: bool,
        outside: set[object],
    ) -> None:
        super().__init__(program, names)
        self.plan = plan
        self.outside = outside
        self.overwrites = overwrites
        self.free: dict[object, Rep] = {}
        self.parameters: list[Var] = []
        self.sizes_known: set[str] = set()
        """The names of int parameters."""
        self.iteration: Expr = ZERO
        self.pieces: dict[str, tuple[ScalarType, tuple[Expr, ...]]] = {}
        """By the parameters that point to scratch memory, what an item has of it."""

    # Values from outside.

    def rep(self, node: Node) -> Rep:
        if node.is_known or node.type == CERT:
            return super().rep(node)
        found = self.values.get(key(node)) or self.free.get(key(node))
        if found is None:
            found = self.free[key(node)] = self._parameter(node)
        return found

    def known(self, node: Node) -> bool:
        return super().known(node) or key(node) in self.free or key(node) in self.outside

    def parameter(self, name: str, t: tree.Type) -> Var:
        """One more parameter."""
        made = Var(self.names.fresh(name), t)
        self.parameters.append(made)
        return made

    def _int(self, name: str, number: int, what: str) -> Var:
        made = self.parameter(name, I64)
        self.plan.names[made.name] = (number, what)
        self.sizes_known.add(made.name)
        return made

    def _parameter(self, node: Node) -> Rep:
        number = len(self.plan.free)
        kind = kind_of(node, self.overwrites)
        if kind == "strided" and key(node) in inner(self.plan.statement):
            kind = "dense"  # each iteration walks through it: neighbours should lie side by side
        self.plan.free.append(FreeVariables(node, kind))
        t = element(node.type)
        if kind == "scalar":
            if t.kind == "int":
                return ScalarRep(self._int("n", number, "value"))
            return ScalarRep(self._value(t, number))
        shape = tuple([self._int("size", number, f"shape{k}") for k in range(rank(node.type))])
        if kind == "fill":
            if t.kind == "int":
                return FillRep(t, self._int("value", number, "value"), shape)
            return FillRep(t, self._value(t, number), shape)
        if kind == "counter":
            start = self._int("start", number, "start")
            strides = [self._int("stride", number, f"stride{k}") for k in range(len(shape))]
            return CounterRep(t, start, shape, tuple(strides))
        made = self.parameter("a", self.pointer_type(t))
        self.plan.names[made.name] = (number, "data")
        data = plus(made, self._int("offset", number, "offset"))
        if kind == "dense":
            return representations.dense(t, data, shape, Handle(NULL))
        strides = [self._int("stride", number, f"stride{k}") for k in range(len(shape))]
        return MemoryRep(t, data, shape, tuple(strides), False, Handle(NULL))

    def _value(self, t: ScalarType, number: int) -> Expr:
        made = self.parameter("x", self.element_type(t))
        self.plan.names[made.name] = (number, "value")
        return Binary("!=", made, Const(0, made.type)) if t.kind == "bool" else made

    # What kernels do otherwise.

    def allocate(
        self, t: ScalarType, shape: Sequence[Expr], name: str, count: Expr | None = None
    ) -> MemoryRep:
        """Scratch memory: a piece for each item."""
        sizes = tuple(shape) if count is None else (count,)
        made = self.parameter("scratch", self.pointer_type(t))
        self.pieces[made.name] = (t, sizes)
        data = self.point(t, name, plus(made, times(PART, product(sizes))))
        return representations.dense(t, data, shape, Handle(NULL))

    def in_place(self, block: tree.Block, joins: Iterable[tree.Join], off: bool) -> tree.Block:
        """Statements with rows made where they are stored, unless that is `off`; what scratch
        memory is left, also for what joins do, is the host's to make."""
        own = frozenset([b.name for b in self.plan.buffers if b.role == "output"])
        whole = tree.Kernel("", tuple(self.parameters), PART, None, block)
        sizes = {name: product(shape) for name, (_, shape) in self.pieces.items()}
        made = block if off else aimed(whole, own, sizes)
        used = treewalk.mentioned(made) | joined(tree.Sharing(ZERO, 0, tuple(joins)))
        for name, (t, shape) in self.pieces.items():
            if name in used:
                self.need_known(shape)
                self.plan.scratch.append((name, t, tuple(map(size_text, shape))))
        lost = self.pieces.keys() - used
        self.parameters = [p for p in self.parameters if p.name not in lost]
        self.pieces = {}
        return made

    def need_known(self, sizes: Sequence[Expr]) -> None:
        """Unsupported unless the host knows the sizes."""
        if not all(map(self.is_known_size, sizes)):
            raise Unsupported("an array of a size that is found inside")

    def is_known_size(self, size: Expr) -> bool:
        """Whether the host knows a size."""
        return is_number(size) or (isinstance(size, Var) and size.name in self.sizes_known)

    def copy_bytes(self, target: MemoryRep, source: MemoryRep) -> None:
        self.nest(target.shape, lambda indices: self.store(target, indices, source))

    def failure(self, site: int, details: Sequence[Expr]) -> tree.Statement:
        self.plan.fails = True
        return tree.Fail(site, (self.iteration, *details))


def size_text(size: Expr) -> str:
    """A size as the host finds it: a number, or the name of a parameter."""
    if isinstance(size, Var):
        return size.name
    return str(value_of(size))


def emit(e: Emitter, statement: Statement) -> None:
    """The code of a statement within a kernel."""
    node = statement.node
    e.span = e.program.spans.get(node, e.span)
    if node.for_host:
        raise Unsupported(type(node).__name__)
    if not controlled(e, statement, emit):
        SIMPLE[type(node)](e, statement, node)


@dataclass(frozen=True, slots=True)
class KernelUnit:
    """What the kernels of one program share: its errors, names, and their definitions."""

    program: CodeUnit
    overwrites: bool
    off: frozenset[str] = frozenset()
    """Forms of kernels that are not made (`cogen.array.optimise.optimisations.KERNELS`)."""
    verify: bool = False
    """Whether kernels are checked after each form."""
    after: FormDone | None = None
    """Who else is told of each form."""
    names: Namer = field(default_factory=lambda: Namer(set(_RESERVED)))
    kernels: list[tree.Kernel] = field(default_factory=list)


class Kernels:
    """What the kernels of one statement share."""

    def __init__(self, unit: KernelUnit, statement: Statement, outside: set[object]) -> None:
        self.unit = unit
        self.made = KernelPlan(statement)
        self.statement = statement
        self.emitter = KernelEmitter(unit.program, unit.names, self.made, unit.overwrites, outside)
        self.span = self.emitter.span = unit.program.spans.get(statement.node)
        self.bodies: dict[str, KernelForm] = {}

    def kernel(self, what: str, body: Callable[[], None]) -> None:
        """A kernel of an item for each part."""
        e = self.emitter
        with e.gathered() as made:
            e.frames.append(MemoryFrame(()))
            body()
            e.close()
        self.bodies[what] = KernelForm(self.in_place(self.without_jumps(tuple(made))), PARTS)

    def without_jumps(self, made: tree.Block) -> tree.Block:
        """Statements that store what they keep always, with choices in the place of small
        conditionals."""
        for name, change in (("compact", compacted), ("choose", chosen)):
            if name not in self.unit.off:
                made = change(made)
        return made

    def in_place(self, made: tree.Block, joins: Sequence[tree.Join] = ()) -> tree.Block:
        """Statements without memory that they need not have."""
        return self.emitter.in_place(made, joins, "aim" in self.unit.off)

    def buffer(
        self, t: ScalarType, role: str, output: int = 0, number: int = 0, name: str = "b"
    ) -> Var:
        """A parameter for an array that the host makes."""
        made = self.emitter.parameter(name, self.emitter.pointer_type(t))
        self.made.buffers.append(KernelBuffer(made.name, t, role, output, number))
        return made

    def finish(self) -> KernelPlan:
        """Give all kernels the same parameters."""
        for what, form in self.bodies.items():
            name = self.unit.names.fresh(f"{word_of(self.statement.node)}_{what}")
            self.made.kernels[what] = name
            note = what if self.span is None else f"{what}, {self.span}"
            self.unit.kernels.append(self._kernel(what, form, name, note))
        self.made.parameters = [parameter.name for parameter in self.emitter.parameters]
        return self.made

    def _kernel(self, what: str, form: KernelForm, name: str, note: str = "") -> tree.Kernel:
        own, extension = (PARTS, ERRORS, *self.emitter.parameters), ""
        if what == "buckets":
            own, extension = (*own, TABLE), GUARD
        return tree.Kernel(name, own, PART, form.items, form.body, note, form.attribute, extension)

    def done(self, name: str, found: Mapping[str, KernelForm]) -> None:
        """A form is made: the kernels so far are well-formed, if that is looked at."""
        if self.unit.verify:
            try:
                check([self._kernel(what, form, what) for what, form in found.items()])
            except InternalError as error:
                raise InternalError(f"after {name}: {error.message}") from None
        if self.unit.after is not None:
            self.unit.after(name, found)


def word_of(node: Node) -> str:
    return type(node).__name__.lower()
