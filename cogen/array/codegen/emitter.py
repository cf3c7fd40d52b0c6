"""Makes loops (`cogen.array.loops.tree`) for scheduled blocks of the graph.

Each value becomes a rep (`cogen.array.codegen.representations`); scalars are variables of their
own, which the C compiler puts together again. `Emitter` has the names, the reps and the statements
so far; the modules beside this one make the loops of the kinds of nodes. What fails has the number
of an `ErrorMeaning`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from cogen.array.codegen import representations
from cogen.array.codegen.errorsites import CodeUnit
from cogen.array.codegen.frames import MemoryFrame
from cogen.array.codegen.representations import Array, FillRep, Handle, MemoryRep, Rep, ScalarRep
from cogen.array.codegen.slotbits import as_bits
from cogen.array.ir.graphtypes import CERT, GraphArray, Own, ScalarType, Type, element
from cogen.array.ir.node import Node
from cogen.array.ir.operations import table
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.l0.runerrors import OUT_OF_MEMORY
from cogen.array.loops import tree
from cogen.array.loops.expressions import (
    NULL,
    ONE,
    TRUE,
    ZERO,
    bytes_of,
    convert,
    is_number,
    load,
    more,
    natural,
    negated,
    number_type,
    plus,
    product,
    value_of,
)
from cogen.array.loops.tree import BLOCK, BOOL, I64, Const, Expr, Pointer, Var
from cogen.array.schedule.schedule import Scheduled, Statement
from cogen.array.schedule.usage import key
from cogen.backends.ctree.names import Namer
from cogen.lang.errors import InternalError, Span

CERTAINLY_FITS: Final = 1 << 10
"""So many times the most elements of an array are still no overflow."""


def literal(value: int | float | bool | str, t: ScalarType, arithmetic: Arithmetic = WIDE) -> Const:
    """A constant."""
    if t.kind in ("bool", "cert"):
        return Const(bool(value), BOOL)
    if isinstance(value, str):
        return Const(ord(value), number_type("char", arithmetic))
    return Const(value, number_type(t.kind, arithmetic))


class Emitter:
    """The loops of one function; a method for what every kind of node needs."""

    space = ""
    """The address space of arrays."""
    counts_references = True
    """Whether blocks of memory are counted, and given back."""
    shares = True
    """Whether loops say how they may be shared out among threads."""
    bits = "bits"
    """What makes a slot of a real."""

    def __init__(self, program: CodeUnit, names: Namer) -> None:
        self.program = program
        self.names = names
        self.values: dict[Hashable, Rep] = {}
        self.destinations: dict[Hashable, MemoryRep] = {}
        """Where parts of streams that are still to be made should be put: room was made there."""
        self.out: list[tree.Statement] = []
        self.frames: list[MemoryFrame] = []
        self.sinks: dict[Hashable, Callable[[Node, Expr], MemoryRep]] = {}
        """What makes the memory of results that are stored packed, of a value and a size."""
        self.span: Span | None = None
        self.overwrites = False
        """Whether the function overwrites any array: then what may be a view is one only of what
        the schedule knows to share memory."""

    # Statements and names.

    def add(self, *statements: tree.Statement) -> None:
        """Statements of the operation that is emitted."""
        for statement in statements:
            known = self.span is None or statement.place is not None
            self.out.append(statement if known else replace(statement, place=self.span))

    @contextmanager
    def gathered(self) -> Iterator[list[tree.Statement]]:
        """Statements made within go into a list of their own."""
        outer, self.out = self.out, []
        try:
            yield self.out
        finally:
            self.out = outer

    @contextmanager
    def alone(self, wanted: bool = True) -> Iterator[None]:
        """Loops made within are not shared out, if so `wanted`: each is done too often for that."""
        outer, self.shares = self.shares, self.shares and not wanted
        try:
            yield
        finally:
            self.shares = outer

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

    def define(self, type_: tree.Type, name: str, value: Expr) -> Var:
        """Declare a variable that stays."""
        made = Var(self.fresh(name), type_)
        self.add(tree.Let(made, value))
        return made

    def variable(self, type_: tree.Type, name: str, value: Expr | None = None) -> Var:
        """Declare a variable that changes."""
        made = Var(self.fresh(name), type_)
        self.add(tree.Variable(made, value))
        return made

    def room(self, type_: tree.Type, name: str, size: Expr, space: str = "") -> Var:
        """Declare a few elements; their address."""
        made = Var(self.fresh(name), Pointer(type_, space))
        self.add(tree.Room(made, size))
        return made

    def assign(self, target: Expr, value: Expr, sign: str = "") -> None:
        """Assign a variable or an element; with a sign, what it has combined with the value."""
        match target:
            case Var():
                self.add(tree.Assign(target, value, sign))
            case tree.Load(base, index):
                self.add(tree.Store(base, index, value, sign))
            case _:
                raise InternalError(f"no place: {target!r}")

    def do(self, function: str, *arguments: Expr) -> None:
        """Invoke a function for its effect."""
        self.add(tree.Do(tree.Invoke(function, arguments, BOOL)))

    def when(
        self, test: Expr, then: Sequence[tree.Statement], otherwise: Sequence[tree.Statement] = ()
    ) -> None:
        self.add(tree.IfStatement(test, tuple(then), tuple(otherwise)))

    def element_type(self, t: ScalarType) -> tree.Number:
        return number_type(t.kind, self.program.arithmetic)

    def variable_type(self, t: ScalarType) -> tree.Number:
        """The type of a variable that holds a scalar."""
        return BOOL if t.kind in ("bool", "cert") else self.element_type(t)

    def pointer_type(self, t: ScalarType) -> Pointer:
        return Pointer(self.element_type(t), self.space)

    def point(self, t: ScalarType, name: str, value: Expr) -> Var:
        """Declare a pointer that stays."""
        return self.define(self.pointer_type(t), name, value)

    # Values.

    def rep(self, node: Node) -> Rep:
        """How a value that is there stands in the code."""
        if node.known is not None:
            return ScalarRep(literal(node.known, element(node.type), self.program.arithmetic))
        if node.type == CERT:
            return ScalarRep(TRUE)
        found = self.values.get(key(node))
        if found is None:
            raise InternalError(f"a value is used before it is there: {node!r} {node.attributes!r}")
        return found

    def known(self, node: Node) -> bool:
        """Whether a value is there."""
        return node.is_known or node.type == CERT or key(node) in self.values

    def scalar_of(self, node: Node) -> Expr:
        """The value of a scalar."""
        found = self.rep(node)
        assert isinstance(found, ScalarRep)
        return found.value

    def scalars_of(self, nodes: Sequence[Node]) -> list[Expr]:
        return [self.scalar_of(node) for node in nodes]

    def extent(self, node: Node) -> Expr:
        """An int that is a size: with 64 bits, so that products of sizes have them."""
        return self.wide(self.scalar_of(node))

    def wide(self, e: Expr) -> Expr:
        """An int with 64 bits."""
        if isinstance(e, Const) and isinstance(e.value, int):
            return Const(e.value, I64)
        return convert(I64, e)

    def array(self, node: Node) -> Array:
        found = self.rep(node)
        assert not isinstance(found, ScalarRep)
        return found

    def sizes(self, t: Type, own: Sequence[Rep] = ()) -> tuple[Expr, ...]:
        """The sizes that a type names; `own` are the results that `Own` stands for."""
        if not isinstance(t, GraphArray):
            return ()
        found = []
        for size in t.shape:
            if isinstance(size, Own):
                rep = own[size.index]
                assert isinstance(rep, ScalarRep)
                found.append(plus(self.wide(rep.value), Const(size.more, I64)))
            else:
                assert isinstance(size, Node)
                found.append(self.extent(size))
        return tuple(found)

    def shape(self, node: Node, array: Array) -> tuple[Expr, ...]:
        """The sizes of an array as its node's type names them, which others of its type have, too;
        as the array does where they are not there."""
        sizes = node.type.shape if isinstance(node.type, GraphArray) else ()
        if all(isinstance(size, Node) and self.known(size) for size in sizes):
            return self.sizes(node.type)
        return array.shape

    def bind(self, value: Node, rep: Rep) -> None:
        """A node has this rep from now on."""
        self.bind_key(key(value), rep)

    def bind_key(self, value: Hashable, rep: Rep) -> None:
        self.values[value] = rep

    def is_bound(self, value: Node) -> bool:
        """Whether a node has a rep by now."""
        return key(value) in self.values

    def bind_results(self, node: Node, results: Sequence[Rep]) -> None:
        """The results of a node with several."""
        for number, result in enumerate(results):
            self.bind_key((node, number), result)

    def scalar(self, value: Expr, t: ScalarType, name: str = "v") -> ScalarRep:
        """A scalar in a variable of its own."""
        return ScalarRep(self.define(self.variable_type(t), name, self.narrowed(value, t)))

    def narrowed(self, value: Expr, t: ScalarType) -> Expr:
        """A scalar with the bits of its type: an index of a loop, and what is computed with it, has
        64."""
        if t.kind != "int":
            return value
        if isinstance(value, Const):
            return Const(value.value, self.element_type(t))
        return convert(self.element_type(t), value)

    def number(self, value: Expr) -> Expr:
        """A scalar as a number."""
        return convert(I64, value) if value.type == BOOL else value

    def kept(self, base: Expr, index: Expr, t: ScalarType) -> Expr:
        """A scalar that is kept in an array of the code's own."""
        found = load(base, index)
        is_truth = self.variable_type(t) == BOOL and found.type != BOOL
        return tree.Binary("!=", found, Const(0, found.type)) if is_truth else found

    def operation(self, name: str, operands: Sequence[Expr]) -> Expr:
        """A scalar operation."""
        row = table(self.program.arithmetic)[name]
        made = [self.narrowed(e, t) for e, t in zip(operands, row.operands, strict=True)]
        return tree.Operate(name, tuple(made), self.variable_type(row.result))

    def row(self, array: Array, indices: Sequence[Expr], name: str = "row") -> Array:
        """The row of an array at some indices."""
        if not isinstance(array, MemoryRep):
            return representations.view(array, indices)
        place = representations.offset(array.strides, indices)
        if place == ZERO:
            return representations.view(array, indices, array.data)
        return representations.view(
            array, indices, self.point(array.element, name, plus(array.data, place))
        )

    # Memory.

    def hold(self, handle: Handle) -> None:
        self.frames[-1].hold(handle)

    def allocate(
        self, t: ScalarType, shape: Sequence[Expr], name: str, count: Expr | None = None
    ) -> MemoryRep:
        """Memory for an array; `count` elements where that is not what the shape says."""
        name = self.fresh_pair(name)
        owner = Var(f"{name}_block", BLOCK)
        number = self.elements(shape, name) if count is None else count
        self.add(tree.Allocate(owner, self.element_type(t), number, self.no_memory()))
        data = Var(name, self.pointer_type(t))
        self.add(tree.Let(data, tree.Data(owner, data.type)))
        handle = Handle(owner)
        self.hold(handle)
        return representations.dense(t, data, shape, handle)

    def region(self, name: str, element: tree.Type, size: Expr) -> Var:
        """A new region, which is not held."""
        made = Var(self.fresh(name), BLOCK)
        self.add(tree.Allocate(made, element, size, self.no_memory()))
        return made

    def elements(self, shape: Sequence[Expr], name: str) -> Expr:
        """How many elements an array of a shape has; an error if there can be none of it.

        Sizes are checked one by one where they are computed, so one size needs no check here.
        """
        arithmetic = self.program.arithmetic
        unknown = [size for size in shape if not is_number(size)]
        known = math.prod([value_of(size) for size in shape if is_number(size)])
        roomy = 1 if arithmetic.int_bits < 64 else CERTAINLY_FITS
        if not unknown or (len(unknown) == 1 and known <= roomy):
            return product(shape)
        count = shape[0]
        for size in shape[1:]:
            counted = tree.Invoke("count", (count, size), I64)
            count = size if count == ONE else counted
        made = self.define(I64, f"{name}_size", count)
        message = f"an array of size {'x'.join(['{}'] * len(shape))} is too large"
        most = natural(arithmetic.max_elements)
        self.fail_if(more(made, most), message, self.span, shape)
        return made

    def drop(self, handle: Handle) -> None:
        self.do("drop", handle.owner)

    def crossing(self, array: MemoryRep) -> Expr:
        """A reference to an array's block for what outlives this block of code: the one held here,
        else one more."""
        frame = self.frames[-1]
        if array.handle not in frame.handles:
            return self.shared(array)
        frame.release(array.handle)
        return array.handle.owner

    def shared(self, array: MemoryRep) -> Expr:
        """One more reference to an array's block, for what outlives this statement; the one held
        here, should nothing else use that (`cogen.array.loops.release`)."""
        handle = array.handle
        return NULL if handle is None else tree.Invoke("keep", (handle.owner,), BLOCK)

    # Arrays as they must be.

    def materialised(self, array: Array, name: str = "a") -> MemoryRep:
        """A copy in memory of its own."""
        made = self.allocate(array.element, array.shape, name)
        self.copy(made, array)
        return made

    def in_memory(self, array: Array) -> MemoryRep:
        """The array without gaps in memory; itself where it is so."""
        if isinstance(array, MemoryRep) and array.dense:
            return array
        return self.materialised(array)

    def copy(self, target: MemoryRep, source: Array) -> None:
        """Copy all elements; the arrays have one shape, and do not overlap unless they are one."""
        if isinstance(source, MemoryRep) and source.data == target.data:
            return
        if isinstance(source, MemoryRep) and source.dense and target.dense:
            self.copy_bytes(target, source)
            return
        self.nest(target.shape, lambda indices: self.store(target, indices, source))

    def copy_bytes(self, target: MemoryRep, source: MemoryRep) -> None:
        size = bytes_of(product(target.shape), self.element_type(target.element))
        self.do("copy", target.data, source.data, size)

    def store(self, target: MemoryRep, indices: Sequence[Expr], source: Array) -> None:
        value = representations.element(source, indices)
        if not isinstance(source, MemoryRep):
            value = self.narrowed(value, target.element)
        self.assign(self.place(target, indices), value)

    def place(self, target: MemoryRep, indices: Sequence[Expr]) -> tree.Load:
        """An element that is assigned."""
        return load(target.data, representations.offset(target.strides, indices))

    def fill(self, target: MemoryRep, value: Rep) -> None:
        """Put a value, a scalar or a row, into each element of the outermost dimension."""
        if isinstance(value, ScalarRep):
            value = FillRep(target.element, value.value, ())
        repeated = representations.repeated(value, target.shape[0])
        self.nest(target.shape, lambda indices: self.store(target, indices, repeated))

    def nest(self, shape: Sequence[Expr], body: Callable[[list[Expr]], None]) -> None:
        """A loop for each dimension around what is done at each index."""
        indices = [self.index("i") for _ in shape]
        with self.gathered() as innermost:
            body([*indices])
        statements = tuple(innermost)
        for index, size in reversed(list(zip(indices, shape, strict=True))):
            statements = (tree.For(index, ZERO, size, ONE, statements, None),)
        self.add(*statements)

    def index(self, name: str) -> Var:
        """A variable for the index of a loop that is still to be made."""
        return Var(self.fresh(name), I64)

    def count(
        self,
        index: Var,
        start: Expr,
        stop: Expr,
        body: Sequence[tree.Statement],
        step: Expr = ONE,
        mark: tree.Mark | None = None,
    ) -> None:
        """A loop over the ints from one up to before another."""
        self.add(tree.For(index, start, stop, step, tuple(body), mark))

    def put(self, target: MemoryRep, indices: Sequence[Expr], value: Rep) -> None:
        """Store a scalar or a row at some indices."""
        if isinstance(value, ScalarRep) and target.packed is not None:
            (index,) = indices
            self.add(tree.Put(target.packed, target.data, index, self.number(value.value)))
            return
        if isinstance(value, ScalarRep):
            self.assign(self.place(target, indices), self.narrowed(value.value, target.element))
            return
        row = self.row(target, indices)
        assert isinstance(row, MemoryRep)
        if isinstance(value, MemoryRep) and value.data == row.data:
            return
        self.copy(row, value)

    # Failures.

    def fail_if(
        self,
        condition: Expr,
        message: str,
        span: Span | None,
        details: Sequence[Expr] = (),
        limitation: bool = False,
    ) -> None:
        """Leave with an error where a condition holds."""
        message, details = as_bits(message, details, self.bits)
        site = self.program.site(message, span, limitation)
        self.when(condition, [self.failure(site, details)])

    def no_memory(self) -> int:
        """The number of the error that there is no memory."""
        return self.program.site(OUT_OF_MEMORY, self.span)

    def try_(self, function: str, *arguments: Expr) -> None:
        """Invoke a function that is false where there is no memory."""
        made = tree.Invoke(function, arguments, BOOL)
        self.fail_if(negated(made), OUT_OF_MEMORY, self.span)

    def failure(self, site: int, details: Sequence[Expr]) -> tree.Statement:
        """Leave with an error."""
        return tree.Fail(site, tuple(details))

    # Blocks.

    def block(
        self,
        block: Scheduled,
        statement: Callable[[Emitter, Statement], None],
        finish: Callable[[], None],
    ) -> None:
        """The statements of a block and, with the results there, what `finish` makes of them."""
        self.frames.append(MemoryFrame(block.statements, block.block.results))
        self.statements(block.statements, statement)
        finish()
        self.close()

    def statements(
        self, statements: Sequence[Statement], emit: Callable[[Emitter, Statement], None]
    ) -> None:
        for statement in statements:
            emit(self, statement)

    def close(self) -> None:
        """Give up what the innermost frame still holds, and leave it."""
        for handle in self.frames.pop().handles:
            self.drop(handle)
