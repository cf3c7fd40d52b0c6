"""Makes statements of C for scheduled blocks of the graph: what C and OpenCL C have in common.

Each value becomes a rep (`cogen.array.codegen.reps`); scalars are variables of their own, which the
C compiler puts together again. `Emitter` has the names, the reps and the statements so far; the
modules beside this one make the code of the kinds of nodes. What fails sets an error and leaves by
`exit`: the number of a `Site`, and its details.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from cogen.array.codegen import reps
from cogen.array.codegen.frames import Frame, key
from cogen.array.codegen.reps import Array, Fill, Handle, Memory, Rep, Scalar
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.l0.types import Type as Layout
from cogen.array.node import Constant, Node
from cogen.array.operations import table
from cogen.array.schedule import Scheduled, Statement
from cogen.array.types import CERT, ArrayType, Own, Type, element
from cogen.array.types import Scalar as ScalarType
from cogen.target import ctree as ct
from cogen.target.cnames import Namer
from lang.errors import InternalError, Span

_NUMBERS: Final = {
    ("int", 64): "int64_t", ("int", 32): "int32_t", ("real", 64): "double", ("real", 32): "float",
}  # fmt: skip
_OTHERS: Final = {"bool": "uint8_t", "char": "uint32_t", "cert": "uint8_t"}


def c_type(kind: str, arithmetic: Arithmetic) -> str:
    """The type of elements in memory, by the kind of scalar."""
    bits = arithmetic.int_bits if kind == "int" else arithmetic.real_bits
    return _OTHERS.get(kind) or _NUMBERS[kind, bits]


CERTAINLY_FITS: Final = 1 << 10
"""So many times the most elements of an array are still no overflow."""

OUT_OF_MEMORY: Final = "out of memory"
TOO_DEEP: Final = "calls are nested too deeply"


@dataclass(frozen=True, slots=True)
class Site:
    """What an error number means: a message whose `{}` are details, and a place."""

    message: str
    span: Span | None
    limitation: bool = False


@dataclass(frozen=True, slots=True)
class TracePoint:
    """A trace: the type of the value, as it is written; its leaves come in slots."""

    layout: Layout


@dataclass(slots=True)
class Program:
    """What all functions of a program share."""

    functions: dict[str, str] = field(default_factory=dict)
    """The C names of functions."""
    consumed: dict[str, frozenset[int]] = field(default_factory=dict)
    """The positions of the parameters that a function may overwrite."""
    sites: list[Site] = field(default_factory=list)
    """The errors; number 1 is the first."""
    traces: list[TracePoint] = field(default_factory=list)
    helpers: set[str] = field(default_factory=set)
    spans: dict[Node, Span] = field(default_factory=dict)
    prefixes: dict[Hashable, tuple[str, str]] = field(default_factory=dict)
    """The functions that scan, by their operators: names and texts."""
    off: frozenset[str] = frozenset()
    """The optimisations of the code (`cogen.array.optimisations.CODE`) that are switched off."""
    arithmetic: Arithmetic = WIDE

    def site(self, message: str, span: Span | None, limitation: bool = False) -> int:
        """The number of an error."""
        made = Site(message, span, limitation)
        if made not in self.sites:
            self.sites.append(made)
        return self.sites.index(made) + 1


def literal(value: int | float | bool | str, t: ScalarType, arithmetic: Arithmetic = WIDE) -> str:
    """A constant as text."""
    if t.kind in ("bool", "cert"):
        return "true" if value else "false"
    if isinstance(value, str):
        return str(ord(value))
    if isinstance(value, float):
        if math.isnan(value):
            return f"({c_type('real', arithmetic)})NAN"
        if math.isinf(value):
            return f"{'-' if value < 0 else ''}({c_type('real', arithmetic)})INFINITY"
        return repr(value) if arithmetic.real_bits == 64 else f"{value!r}f"
    if value == arithmetic.least:
        return f"INT{arithmetic.int_bits}_MIN"
    return str(value) if abs(value) < 1 << 31 else f"INT64_C({value})"


class Emitter:
    """The code of one function; a method for what every kind of node needs."""

    pointer = ""
    """What stands before the type of a pointer's target: an address space."""
    counts_references = True
    """Whether blocks of memory are counted, and given back."""
    vectorises = True
    """Whether loops are marked for OpenMP."""

    def __init__(self, program: Program, names: Namer) -> None:
        self.program = program
        self.names = names
        self.values: dict[Hashable, Rep] = {}
        self.destinations: dict[Hashable, Memory] = {}
        """Where arrays that are still to be made should be put."""
        self.out: list[ct.Statement] = []
        self.exit: tuple[ct.Statement, ...] = (ct.Return(ct.Name("true")),)
        self.frames: list[Frame] = []
        self.span: Span | None = None
        self.overwrites = False
        """Whether the function overwrites any array: then what may be a view is one only of what
        the schedule knows to share memory."""
        self.parallel = True
        """Whether loops may be shared out among threads here."""

    def optimises(self, name: str) -> bool:
        """Whether an optimisation of the code, for processors with vectors, is made."""
        return self.vectorises and name not in self.program.off

    # Statements and names.

    def add(self, *statements: ct.Statement) -> None:
        self.out.extend(statements)

    @contextmanager
    def gathered(self) -> Iterator[list[ct.Statement]]:
        """Statements made within go into a list of their own."""
        outer, self.out = self.out, []
        try:
            yield self.out
        finally:
            self.out = outer

    def fresh(self, name: str) -> str:
        return self.names.fresh(name)

    def fresh_pair(self, name: str) -> str:
        """A name such that its block's and shape's names are free, too."""
        while True:
            made = self.fresh(name)
            more = {f"{made}_block", f"{made}_shape"}
            if not more & self.names.taken:
                self.names.taken |= more
                return made

    def define(self, type_: str, name: str, value: str) -> str:
        """Declare a constant variable; its name."""
        made = self.fresh(name)
        self.add(ct.Declare(f"const {type_}", made, ct.Name(value)))
        return made

    def variable(self, type_: str, name: str, value: str | None = None) -> str:
        """Declare a variable; its name."""
        made = self.fresh(name)
        self.add(ct.Declare(type_, made, None if value is None else ct.Name(value)))
        return made

    def assign(self, target: str, value: str, operator: str = "=") -> None:
        self.add(ct.Assign(ct.Name(target), ct.Name(value), operator))

    def element_type(self, t: ScalarType) -> str:
        return c_type(t.kind, self.program.arithmetic)

    def variable_type(self, t: ScalarType) -> str:
        """The type of a variable that holds a scalar."""
        return "bool" if t.kind in ("bool", "cert") else self.element_type(t)

    def pointer_type(self, t: ScalarType) -> str:
        return f"{self.pointer}{self.element_type(t)} *"

    def point(self, t: ScalarType, name: str, value: str) -> str:
        """Declare a pointer that stays; its name."""
        made = self.fresh(name)
        self.add(ct.Declare(f"{self.pointer_type(t)}const", made, ct.Name(value)))
        return made

    # Values.

    def rep(self, node: Node) -> Rep:
        """How a value that is there stands in the code."""
        if isinstance(node, Constant):
            return Scalar(literal(node.value, element(node.type), self.program.arithmetic))
        if node.type == CERT:
            return Scalar("true")
        found = self.values.get(key(node))
        if found is None:
            raise InternalError(f"a value is used before it is there: {node!r} {node.attributes!r}")
        return found

    def known(self, node: Node) -> bool:
        """Whether a value is there."""
        return isinstance(node, Constant) or node.type == CERT or key(node) in self.values

    def text(self, node: Node) -> str:
        """The text of a scalar."""
        found = self.rep(node)
        assert isinstance(found, Scalar)
        return found.text

    def texts(self, nodes: Sequence[Node]) -> list[str]:
        return [self.text(node) for node in nodes]

    def extent(self, node: Node) -> str:
        """The text of an int that is a size: with 64 bits, so that products of sizes have them."""
        return self.wide(self.text(node))

    def wide(self, text: str) -> str:
        """The text of an int with 64 bits."""
        narrow = self.program.arithmetic.int_bits < 64 and not text.isdecimal()
        return f"(int64_t){reps.atom(text)}" if narrow else text

    def array(self, node: Node) -> Array:
        found = self.rep(node)
        assert not isinstance(found, Scalar)
        return found

    def sizes(self, t: Type, own: Sequence[Rep] = ()) -> tuple[str, ...]:
        """The sizes that a type names; `own` are the results that `Own` stands for."""
        if not isinstance(t, ArrayType):
            return ()
        found = []
        for size in t.shape:
            if isinstance(size, Own):
                rep = own[size.index]
                assert isinstance(rep, Scalar)
                found.append(self.wide(rep.text))
            else:
                assert isinstance(size, Node)
                found.append(self.extent(size))
        return tuple(found)

    def bind(self, value: Node, rep: Rep) -> None:
        """A node has this rep from now on."""
        self.bind_key(key(value), rep)

    def bind_key(self, value: Hashable, rep: Rep) -> None:
        self.values[value] = rep
        if isinstance(rep, Memory) and self.frames:
            self.frames[-1].attach(rep.handle, value)

    def bind_results(self, node: Node, results: Sequence[Rep]) -> None:
        """The results of a node with several."""
        for number, result in enumerate(results):
            self.bind_key((node, number), result)

    def scalar(self, value: str, t: ScalarType, name: str = "v") -> Scalar:
        """A scalar in a variable of its own."""
        return Scalar(self.define(self.variable_type(t), name, self.narrowed(value, t)))

    def narrowed(self, text: str, t: ScalarType) -> str:
        """The text of a scalar with the bits of its type: an index of a loop, and what is computed
        with it, has 64."""
        narrow = t.kind == "int" and self.program.arithmetic.int_bits < 64
        if not narrow or text.isdecimal():
            return text
        return f"({self.element_type(t)}){reps.atom(text)}"

    def operation(self, name: str, operands: Sequence[str]) -> str:
        """The text of a scalar operation on names and constants."""
        row = table(self.program.arithmetic)[name]
        helper = row.c.partition("(")[0]
        if helper.startswith(("int_", "real_")):
            self.program.helpers.add(helper)
        return row.c.format(*[reps.atom(operand) for operand in operands])

    def row(self, array: Array, indices: Sequence[str], name: str = "row") -> Array:
        """The row of an array at some indices."""
        if not isinstance(array, Memory):
            return reps.view(array, indices)
        place = reps.offset(array.strides, indices)
        if place == "0":
            return reps.view(array, indices, array.data)
        return reps.view(
            array, indices, self.point(array.element, name, reps.plus(array.data, place))
        )

    # Memory.

    def hold(self, handle: Handle) -> None:
        self.frames[-1].hold(handle)

    def allocate(
        self, t: ScalarType, shape: Sequence[str], name: str, count: str | None = None
    ) -> Memory:
        """Memory for an array; `count` elements where that is not what the shape says."""
        name = self.fresh_pair(name)
        owner = f"{name}_block"
        size = ct.Name(f"sizeof({self.element_type(t)})")
        number = ct.Name(self.elements(shape, name) if count is None else count)
        made = ct.Invoke("cogen_alloc", (ct.Name("memory"), number, size))
        self.add(ct.Declare("cogen_block *const", owner, made))
        self.fail_if(f"{owner} == NULL", OUT_OF_MEMORY, self.span)
        data = name
        self.add(ct.Declare(f"{self.pointer_type(t)}const", name, ct.Name(f"cogen_data({owner})")))
        handle = Handle(owner)
        self.hold(handle)
        return reps.dense(t, data, shape, handle)

    def elements(self, shape: Sequence[str], name: str) -> str:
        """How many elements an array of a shape has; an error if there can be none of it.

        Sizes are checked one by one where they are computed, so one size needs no check here.
        """
        arithmetic = self.program.arithmetic
        unknown = [size for size in shape if not size.isdecimal()]
        known = math.prod([int(size) for size in shape if size.isdecimal()])
        roomy = 1 if arithmetic.int_bits < 64 else CERTAINLY_FITS
        if not unknown or (len(unknown) == 1 and known <= roomy):
            return reps.product(shape)
        count = shape[0]
        for size in shape[1:]:
            count = size if count == "1" else f"cogen_count({count}, {size})"
        made = self.define("int64_t", f"{name}_size", count)
        message = f"an array of size {'x'.join(['{}'] * len(shape))} is too large"
        self.fail_if(f"{made} > {arithmetic.max_elements}", message, self.span, shape)
        return made

    def drop(self, handle: Handle) -> None:
        self.add(ct.Do(ct.Invoke("cogen_drop", (ct.Name(handle.owner),))))

    def drop_finished(self) -> None:
        """Give up what the present statement was the last to use."""
        for handle in self.frames[-1].finished():
            self.drop(handle)

    def crossing(self, array: Memory, ends: bool = True) -> str:
        """A reference of its own to an array's block, for what outlives this block of code or this
        statement: the one held here if it moves, else one more."""
        handle = array.handle
        if handle is None:
            return "NULL"
        frame = self.frames[-1]
        if (handle in frame.handles) if ends else frame.moves(handle):
            frame.release(handle)
            return handle.owner
        return f"cogen_keep({handle.owner})"

    # Arrays as they must be.

    def made(self, node: Node, t: ScalarType, shape: Sequence[str], name: str = "a") -> Memory:
        """Memory for the array that a node makes: its destination, or new."""
        wanted = self.destinations.pop(key(node), None)
        if wanted is not None:
            return wanted
        return self.allocate(t, shape, name)

    def materialised(self, array: Array, name: str = "a") -> Memory:
        """A copy in memory of its own."""
        made = self.allocate(array.element, array.shape, name)
        self.copy(made, array)
        return made

    def in_memory(self, array: Array) -> Memory:
        """The array without gaps in memory; itself where it is so."""
        if isinstance(array, Memory) and array.dense:
            return array
        return self.materialised(array)

    def copy(self, target: Memory, source: Array) -> None:
        """Copy all elements; the arrays have one shape, and do not overlap unless they are one."""
        if isinstance(source, Memory) and source.data == target.data:
            return
        if isinstance(source, Memory) and source.dense and target.dense:
            self.copy_bytes(target, source)
            return
        self.nest(target.shape, lambda indices: self.store(target, indices, source))

    def copy_bytes(self, target: Memory, source: Memory) -> None:
        size = reps.bytes_of(reps.product(target.shape), self.element_type(target.element))
        arguments = (ct.Name(target.data), ct.Name(source.data), ct.Name(size))
        self.add(ct.Do(ct.Invoke("memcpy", arguments)))

    def store(self, target: Memory, indices: Sequence[str], source: Array) -> None:
        value = reps.element(source, indices)
        if not isinstance(source, Memory):
            value = self.narrowed(value, target.element)
        self.assign(self.place(target, indices), value)

    def place(self, target: Memory, indices: Sequence[str]) -> str:
        """The text of an element that is assigned."""
        return f"{target.data}[{reps.offset(target.strides, indices)}]"

    def fill(self, target: Memory, value: Rep) -> None:
        """Put a value, a scalar or a row, into each element of the outermost dimension."""
        if isinstance(value, Scalar):
            value = Fill(target.element, value.text, ())
        repeated = reps.repeated(value, target.shape[0])
        self.nest(target.shape, lambda indices: self.store(target, indices, repeated))

    def nest(self, shape: Sequence[str], body: Callable[[list[str]], None]) -> None:
        """A loop for each dimension around what is done at each index."""
        indices = [self.fresh("i") for _ in shape]
        with self.gathered() as innermost:
            body(indices)
        statements = tuple(innermost)
        for index, size in reversed(list(zip(indices, shape, strict=True))):
            statements = (self.counting(index, "0", size, statements),)
        self.add(*statements)

    def counting(
        self, index: str, start: str, stop: str, body: Sequence[ct.Statement]
    ) -> ct.Statement:
        """A loop over the ints from one up to before another."""
        return ct.For(
            ct.Declare("int64_t", index, ct.Name(start)),
            ct.Binary("<", ct.Name(index), ct.Name(reps.atom(stop))),
            ct.Assign(ct.Name(index), ct.Name("1"), "+="),
            tuple(body),
        )

    def put(self, target: Memory, indices: Sequence[str], value: Rep) -> None:
        """Store a scalar or a row at some indices."""
        if isinstance(value, Scalar):
            self.assign(self.place(target, indices), self.narrowed(value.text, target.element))
            return
        row = self.row(target, indices)
        assert isinstance(row, Memory)
        if isinstance(value, Memory) and value.data == row.data:
            return
        self.copy(row, value)

    # Failures.

    def fail_if(
        self,
        condition: str,
        message: str,
        span: Span | None,
        details: Sequence[str] = (),
        limitation: bool = False,
    ) -> None:
        """Leave with an error where a condition holds."""
        number = self.program.site(message, span, limitation)
        self.add(ct.If(ct.Name(condition), (*self.failure(number, details), *self.exit)))

    def failure(self, number: int, details: Sequence[str]) -> list[ct.Statement]:
        """Note an error."""
        three = [*details[:3], *["0"] * (3 - len(details))]
        call = ct.Invoke(
            "cogen_fail", tuple([ct.Name(text) for text in ("memory", str(number), *three)])
        )
        noted: list[ct.Statement] = [ct.Do(call)]
        for at, detail in enumerate(details[3:], 3):
            noted.append(ct.Assign(ct.Name(f"memory->error.detail[{at}]"), ct.Name(detail)))
        return noted

    # Blocks.

    def block(
        self,
        block: Scheduled,
        statement: Callable[[Emitter, Statement], None],
        finish: Callable[[], None],
    ) -> None:
        """The statements of a block and, with the results there, what `finish` makes of them."""
        self.frames.append(Frame(block.statements, block.block.results))
        self.statements(block.statements, statement)
        finish()
        self.close()

    def statements(
        self, statements: Sequence[Statement], emit: Callable[[Emitter, Statement], None]
    ) -> None:
        frame = self.frames[-1]
        for number, statement in enumerate(statements):
            frame.at = number
            emit(self, statement)
            self.drop_finished()

    def close(self) -> None:
        """Give up what the innermost frame still holds, and leave it."""
        frame = self.frames.pop()
        for handle in frame.handles:
            self.drop(handle)
