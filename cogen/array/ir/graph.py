"""Makes nodes: hash-consing, types, and the rules that replace a node as it is made.

    graph.operation("int.add", x, zero)  is  x

A `Graph` owns the nodes of one module. Its methods take operands and give a node: the one that is
there already, or what a rule makes of it (smart constructors; Rompf 2012, section 3). Rules look at
one node and its operands and return a node, or None for unchanged; they are combined by listing
them (`cogen.array.rules`). Nodes that have an effect belong to a block and are made by a
`cogen.array.ir.blockscope.Scope`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from cogen.array.ir import node as ir
from cogen.array.ir.alpha import block_keys
from cogen.array.ir.generators import (
    Bucket,
)
from cogen.array.ir.graphtypes import (
    BOOL,
    CERT,
    INT,
    NONE,
    REAL,
    Dimension,
    GraphArray,
    Own,
    ScalarType,
    Type,
    array_of,
    element,
    row,
)
from cogen.array.ir.node import (
    shape,
    substitute_own,
)
from cogen.array.ir.operations import TABLE, table
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.lang.errors import Span

Rule = Callable[["Graph", Any], ir.Node | None]
Rules = Mapping[type[ir.Node], Sequence[Rule]]
N = TypeVar("N", bound=ir.Node)
R = TypeVar("R", bound=ir.Region)

_EMPTY: Final[frozenset[ir.Parameter]] = frozenset()


@dataclass(frozen=True, slots=True)
class NodeOrigin:
    """An operation of the source, for reports: its word, and its place."""

    name: str
    span: Span


class Graph:
    """The nodes of one module.

    `rules` may be exchanged between passes. `at` and `origin` are what is noted of nodes made
    from now on: the place in the source, and the numbers of the source's operations in `sources`.
    """

    def __init__(self, rules: Rules | None = None, arithmetic: Arithmetic = WIDE) -> None:
        self.rules: Rules = rules or {}
        self.arithmetic = arithmetic
        self.operations = table(arithmetic)
        """What scalar operations mean."""
        self.at: Span | None = None
        self.origin: frozenset[int] = frozenset()
        self.spans: dict[ir.Node, Span] = {}
        self.origins: dict[ir.Node, frozenset[int]] = {}
        self.sources: list[NodeOrigin] = []
        self._numbers: dict[NodeOrigin, int] = {}
        self.standing: set[ir.Node] = set()
        """Nodes with effects in their blocks that have the token of the block where they stand for
        these effects alone: should the effects vanish, they need it no more."""
        self._table: dict[Hashable, ir.Node] = {}
        self._replaced: dict[ir.Node, ir.Node] = {}
        self._count = 0
        self.checked: ir.Node = self.constant(True, CERT)
        """The certificate of nothing."""

    def source(self, name: str, span: Span) -> int:
        """The number in `sources` of an operation of the source."""
        origin = NodeOrigin(name, span)
        number = self._numbers.setdefault(origin, len(self.sources))
        if number == len(self.sources):
            self.sources.append(origin)
        return number

    # Atoms.

    def nothing(self) -> ir.Block:
        """A block that gives nothing: the operator of a table that has nothing but keys."""
        return ir.Block(self.parameter("here", CERT), (), (), ())

    def constant(self, value: int | float | bool | str, t: ScalarType) -> ir.Constant:
        """A scalar constant."""
        shown = repr(value) if t.kind == "real" else value  # -0.0 is not 0.0, nan is nan
        key = (ir.Constant, t, shown)
        found = self._table.get(key)
        if found is None:
            found = self._table[key] = self._new(
                ir.Constant, t, (value, t), (), (), (), _EMPTY, False
            )
        assert isinstance(found, ir.Constant)
        return found

    def integer(self, value: int) -> ir.Constant:
        return self.constant(value, INT)

    def real(self, value: float) -> ir.Constant:
        return self.constant(value, REAL)

    def boolean(self, value: bool) -> ir.Constant:
        return self.constant(value, BOOL)

    def parameter(self, name: str, t: Type, unique: bool = False) -> ir.Parameter:
        """A fresh parameter, for one block."""
        node = self._new(ir.Parameter, t, (name, unique), (), (), (), _EMPTY, False)
        assert isinstance(node, ir.Parameter)
        node.free = frozenset([node]).union(*[size.free for size in shape(node)])
        return node

    def forget(self, changed: Callable[[ir.Node], bool]) -> None:
        """Make nodes again when they are wanted next, of which some rules have changed."""
        self._table = {key: node for key, node in self._table.items() if not changed(node)}

    # Nodes.

    def make(
        self,
        kind: type[N],
        attributes: tuple[ir.Attribute, ...],
        operands: Sequence[ir.Node],
        certs: Iterable[ir.Node] = (),
        blocks: tuple[ir.Block, ...] = (),
        results: tuple[Type, ...] = (),
    ) -> ir.Node:
        """A node of a class, or what the rules make of it.

        `results` are the types of the results of an If or a Call; those of others are computed.
        """
        operands = tuple(operands)
        certs = self.certificates(certs)
        effectful = kind.has_effect or any(block.effects for block in blocks)
        if kind is ir.Call:
            effectful = bool(attributes[1])
        key: Hashable = None
        if not effectful or not (blocks or kind is ir.Call):
            key = (kind, attributes, operands, certs, block_keys(blocks), results)
            found = self._table.get(key)
            if found is not None:
                return self._noted(self._replaced.get(found, found))
        t = _TYPES[kind](self, attributes, operands)
        node = self._new(kind, t, attributes, operands, certs, blocks, _EMPTY, effectful)
        node.free = _free(node)
        if isinstance(node, ir.Region):
            node.results = results if kind.says_results else self._results(node)
            for size in ir.sizes_in(*results):
                node.free |= size.free
        if key is not None:
            self._table[key] = node
        replaced = self._apply(node)
        if replaced is not node:
            self._replaced[node] = replaced
        return self._noted(replaced)

    def region(
        self,
        kind: type[R],
        attributes: tuple[ir.Attribute, ...],
        operands: Sequence[ir.Node],
        certs: Iterable[ir.Node] = (),
        blocks: tuple[ir.Block, ...] = (),
        results: tuple[Type, ...] = (),
    ) -> R:
        """A node with several results, as `make` makes it: rules are for the results."""
        node = self.make(kind, attributes, operands, certs, blocks, results)
        assert isinstance(node, kind)
        return node

    def remake(
        self,
        node: ir.Node,
        operands: Sequence[ir.Node],
        certs: Iterable[ir.Node],
        blocks: tuple[ir.Block, ...] = (),
        results: tuple[Type, ...] = (),
    ) -> ir.Node:
        """A node like another, with other operands; `results` as for `make`."""
        if node.is_atom:
            return node
        made = self.make(type(node), node.attributes, operands, certs, blocks, results)
        if node in self.standing:
            self.standing.add(made)
        return made

    def certificates(self, certs: Iterable[ir.Node]) -> tuple[ir.Node, ...]:
        """The certificates that say something, each once, in order."""
        found: set[ir.Node] = set()
        for cert in certs:
            if isinstance(cert, ir.Conjoin):
                found.update(cert.certs)
            elif cert is not self.checked:
                found.add(cert)
        return tuple(sorted(found, key=_number)) if found else ()

    def _apply(self, node: ir.Node) -> ir.Node:
        for rule in self.rules.get(type(node), ()):
            found = rule(self, node)
            if found is not None and found is not node:
                return found
        return node

    def _new(
        self,
        kind: type[N],
        t: Type,
        attributes: tuple[ir.Attribute, ...],
        operands: tuple[ir.Node, ...],
        certs: tuple[ir.Node, ...],
        blocks: tuple[ir.Block, ...],
        free: frozenset[ir.Parameter],
        effectful: bool,
    ) -> N:
        self._count += 1
        return kind(self._count, t, attributes, operands, certs, blocks, free, effectful)

    def _noted(self, node: ir.Node) -> ir.Node:
        """Note the place and the origins of what was just made."""
        if self.at is not None and not node.is_atom:
            self.spans.setdefault(node, self.at)
        if self.origin and not node.is_atom and not isinstance(node, ir.Part):
            self.origins[node] = self.origins.get(node, frozenset()) | self.origin
        return node

    # Scalars and certificates.

    def operation(self, name: str, *operands: ir.Node, certs: Iterable[ir.Node] = ()) -> ir.Node:
        """A scalar operation, by its name in the table."""
        return self.make(ir.Operation, (name,), operands, certs)

    def plain(self, name: str, *operands: ir.Node) -> ir.Node:
        """The operation as it is, for rules that make it in its normal form."""
        rules, self.rules = self.rules, {}
        try:
            return self.operation(name, *operands)
        finally:
            self.rules = rules

    def conjoin(self, certs: Iterable[ir.Node]) -> ir.Node:
        """The certificate of all these."""
        found = self.certificates(certs)
        if not found:
            return self.checked
        return found[0] if len(found) == 1 else self.make(ir.Conjoin, (), (), found)

    # Arrays.

    def index(self, array: ir.Node, *indices: ir.Node, certs: Iterable[ir.Node] = ()) -> ir.Node:
        """An element or a row; the array itself where there are no indices."""
        return self.make(ir.Index, (), (array, *indices), certs) if indices else array

    def slice(
        self, array: ir.Node, start: ir.Node, length: ir.Node, certs: Iterable[ir.Node] = ()
    ) -> ir.Node:
        return self.make(ir.Slice, (), (array, start, length), certs)

    def rearrange(self, order: tuple[int, ...], array: ir.Node) -> ir.Node:
        return self.make(ir.Rearrange, (order,), (array,))

    def reshape(self, array: ir.Node, *sizes: ir.Node, certs: Iterable[ir.Node] = ()) -> ir.Node:
        return self.make(ir.Reshape, (), (array, *sizes), certs)

    def concat(self, left: ir.Node, right: ir.Node, certs: Iterable[ir.Node] = ()) -> ir.Node:
        return self.make(ir.Concat, (), (left, right), certs)

    def iota(self, size: ir.Node, certs: Iterable[ir.Node] = ()) -> ir.Node:
        return self.make(ir.Iota, (), (size,), certs)

    def replicate(self, size: ir.Node, value: ir.Node, certs: Iterable[ir.Node] = ()) -> ir.Node:
        return self.make(ir.Replicate, (), (size, value), certs)

    def literal(
        self, row_type: Type, elements: Sequence[ir.Node], certs: Iterable[ir.Node] = ()
    ) -> ir.Node:
        """The array of elements (rows), of type `row_type` where there are none."""
        return self.make(ir.Literal, (None if elements else row_type,), elements, certs)

    def copy(self, array: ir.Node) -> ir.Node:
        return self.make(ir.Copy, (), (array,))

    def update(
        self,
        array: ir.Node,
        indices: Sequence[ir.Node],
        value: ir.Node,
        certs: Iterable[ir.Node] = (),
    ) -> ir.Node:
        return self.make(ir.Update, (), (array, *indices, value), certs)

    # Nodes with several results. Those with effects are made by a Scope.

    def part(self, node: ir.Region, index: int) -> ir.Node:
        """One result."""
        return self.make(ir.Part, (index,), (node,))

    def own(self, node: ir.Region, size: Own) -> ir.Node:
        """A size that is known with the results of a node."""
        found = self.part(node, size.index)
        return self.operation("int.add", found, self.integer(size.more)) if size.more else found

    def parts(self, node: ir.Region) -> tuple[ir.Node, ...]:
        """All the results."""
        return tuple([self.part(node, i) for i in range(len(node.results))])

    def _results(self, node: ir.Region) -> tuple[Type, ...]:
        if isinstance(node, ir.Loop):
            return _carried_types(node.carried, 0)
        assert isinstance(node, ir.Multiloop)
        found: list[Type] = []
        for y in node.yields():
            found.extend(_generated(node, y, len(found)))
        return tuple(found)


def _number(node: ir.Node) -> int:
    return node.number


def _free(node: ir.Node) -> frozenset[ir.Parameter]:
    """What a node depends on; a set that is there already where possible."""
    free = _EMPTY
    sources = [operand.free for operand in (*node.operands, *node.certs)]
    for found in (*sources, *[block.free for block in node.blocks]):
        if not found <= free:
            free = found if free <= found else free | found
    return free


def _carried_types(carried: Sequence[ir.Parameter], first: int) -> tuple[Type, ...]:
    """The types of results that parameters stand for; the first one is result `first`."""
    own = {parameter: Own(first + i) for i, parameter in enumerate(carried)}
    found: list[Type] = []
    for parameter in carried:
        t = parameter.type
        if isinstance(t, GraphArray):
            sizes: list[Dimension] = [own.get(n, n) for n in t.shape]  # type: ignore[call-overload]  # any atom
            t = GraphArray(t.element, tuple(sizes))
        found.append(t)
    return tuple(found)


def _generated(node: ir.Multiloop, y: ir.Yield, first: int) -> list[Type]:
    """The types of a generator's results; its first one is result `first` of the loop."""
    generator, operator = y.generator, y.operator
    if generator.gives_each and not y.gives:
        return []
    if generator.by_iteration:
        size: Dimension = Own(first) if y.leads else node.size
        rows = y.values if operator is None else operator.parameters[: generator.values]
        types = [element(row.type) if y.spread else row.type for row in rows]
        arrays = [array_of(t, size) for t in types]
        return [INT, *arrays] if y.leads else [*arrays]
    if isinstance(generator, Bucket):
        return _by_key(node, y, generator, first)
    if generator.gives_one:
        assert operator is not None
        return list(_carried_types(operator.parameters[: generator.values], first))
    return [target.type for target in y.extras]


def _by_key(node: ir.Multiloop, y: ir.Yield, generator: Bucket, first: int) -> list[Type]:
    """The types of the results of a Bucket: keys, what is by key, numbers."""
    found: list[Type] = []
    bound: Dimension = Own(first, int(generator.collects)) if generator.hashed else y.bound
    if generator.hashed:
        found = [INT, *[array_of(element(key.type), Own(first)) for key in y.keys]]
    if generator.collects:
        totals = y.totals
        size: Dimension = Own(first + y.gives - 1) if totals else node.size
        rows = [element(v.type) if y.spread else v.type for v in y.values]
        found += [array_of(INT, bound), *[array_of(t, size) for t in rows], *[INT] * totals]
    else:
        found += [array_of(neutral.type, bound) for neutral in y.neutral]
    return [*found, array_of(INT, node.size)] if generator.numbered else found


# The types of nodes.

_TypeOf = Callable[[Graph, tuple[ir.Attribute, ...], tuple[ir.Node, ...]], Type]


def _of_operation(graph: Graph, attributes: tuple[Any, ...], operands: tuple[ir.Node, ...]) -> Type:
    return TABLE[attributes[0]].result


def _of_index(graph: Graph, attributes: tuple[Any, ...], operands: tuple[ir.Node, ...]) -> Type:
    return row(operands[0].type, len(operands) - 1)


def _of_slice(graph: Graph, attributes: tuple[Any, ...], operands: tuple[ir.Node, ...]) -> Type:
    return array_of(row(operands[0].type), operands[2])


def _of_rearrange(graph: Graph, attributes: tuple[Any, ...], operands: tuple[ir.Node, ...]) -> Type:
    array = operands[0].type
    assert isinstance(array, GraphArray)
    return GraphArray(array.element, tuple([array.shape[k] for k in attributes[0]]))


def _of_reshape(graph: Graph, attributes: tuple[Any, ...], operands: tuple[ir.Node, ...]) -> Type:
    array = operands[0].type
    assert isinstance(array, GraphArray)
    return GraphArray(array.element, operands[1:])


def _of_concat(graph: Graph, attributes: tuple[Any, ...], operands: tuple[ir.Node, ...]) -> Type:
    sizes = [shape(operand)[0] for operand in operands]
    return array_of(row(operands[0].type), graph.operation("int.add", *sizes))


def _of_iota(graph: Graph, attributes: tuple[Any, ...], operands: tuple[ir.Node, ...]) -> Type:
    return array_of(INT, operands[0])


def _of_replicate(graph: Graph, attributes: tuple[Any, ...], operands: tuple[ir.Node, ...]) -> Type:
    return array_of(operands[1].type, operands[0])


def _of_literal(graph: Graph, attributes: tuple[Any, ...], operands: tuple[ir.Node, ...]) -> Type:
    element = operands[0].type if operands else attributes[0]
    return array_of(element, graph.integer(len(operands)))


def _of_first(graph: Graph, attributes: tuple[Any, ...], operands: tuple[ir.Node, ...]) -> Type:
    return operands[0].type


def _of_part(graph: Graph, attributes: tuple[Any, ...], operands: tuple[ir.Node, ...]) -> Type:
    (node,) = operands
    assert isinstance(node, ir.Region)
    t: Type = node.results[attributes[0]]
    if not isinstance(t, GraphArray):
        return t
    own = {n: graph.own(node, n) for n in t.shape if isinstance(n, Own)}
    return substitute_own(t, own)


def _is(t: Type) -> _TypeOf:
    return lambda graph, attributes, operands: t


_TYPES: Final[dict[type[ir.Node], _TypeOf]] = {
    ir.Operation: _of_operation,
    ir.Assert: _is(CERT),
    ir.Conjoin: _is(CERT),
    ir.Trace: _is(NONE),
    ir.Index: _of_index,
    ir.Slice: _of_slice,
    ir.Rearrange: _of_rearrange,
    ir.Reshape: _of_reshape,
    ir.Concat: _of_concat,
    ir.Iota: _of_iota,
    ir.Replicate: _of_replicate,
    ir.Literal: _of_literal,
    ir.Copy: _of_first,
    ir.Update: _of_first,
    ir.If: _is(NONE),
    ir.Loop: _is(NONE),
    ir.Call: _is(NONE),
    ir.Multiloop: _is(NONE),
    ir.Part: _of_part,
}
