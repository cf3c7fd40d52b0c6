"""Makes the functions that run in rounds, of parts of a program: places -> graphs of kernels.

    Central        what is known in a round: on the machine that waits for the result (`central`)
    Chunk          what the kernels of a round do with one piece of each array (`chunk`)
    Combiner       what two pieces have found -> what both together have (`combiner`)

Nodes are copied into a graph of their own, on demand. What is made elsewhere becomes a parameter;
an `Import` says what to pass:

    known n          the value of a node that is known before
    source k         a leaf of the program's arguments: the piece, or all of it
    pieces n         the piece of an array that a kernel of a round before made
    length n         how long the piece is along the sizes that n stands for
    offset n         how many rows come before the piece
    carry l, k       with what a scan begins in this piece
    left/right l, k  what two pieces have found
    dim k, d         a size of another import

In a kernel the sizes along which arrays are cut are the piece's; as values they are the whole's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from cogen.array.distributed.pieceplaces import PiecePlaces
from cogen.array.distributed.roundplaces import RoundLift, RowPlace
from cogen.array.ir.generators import (
    Generator,
    Scan,
    StreamValue,
    filled,
)
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import CERT as CERTIFICATE
from cogen.array.ir.graphtypes import INT as INTEGER
from cogen.array.ir.graphtypes import GraphArray, ScalarType, Type, element
from cogen.array.ir.graphtypes import array_of as rows_of
from cogen.array.ir.graphwalk import make_in_order
from cogen.array.ir.node import (
    Attribute,
    Block,
    Constant,
    Literal,
    Multiloop,
    Node,
    Parameter,
    Part,
    Region,
    sized_by,
)
from cogen.array.ir.packedboundary import sources


@dataclass(frozen=True, slots=True)
class Import:
    """What is passed for a parameter of a kernel."""

    kind: str
    node: Node | None = None
    index: int = 0
    lift: RoundLift | None = None


@dataclass(slots=True, eq=False)
class Open:
    """A block that is being made; of the body of a loop, also what it takes so far."""

    token: Parameter
    effects: list[Node] = field(default_factory=list)
    loop: Multiloop | None = None
    elements: list[tuple[Node, Parameter]] = field(default_factory=list)
    running: dict[int, list[Parameter]] = field(default_factory=dict)
    made: list[Node] = field(default_factory=list)


class KernelBuilder:
    """Copies nodes of a program into a kernel."""

    def __init__(self, places: PiecePlaces, round: int) -> None:
        self.places = places
        self.round = round
        self.graph = Graph(arithmetic=places.graph.arithmetic)
        self.token = self.graph.parameter("here", CERTIFICATE)
        self.copies: dict[Node, Node] = {places.entry.body.token: self.token}
        self.several: dict[Region, dict[int, Node]] = {}
        self.combined: dict[tuple[Multiloop, int], list[Node]] = {}
        """What pieces find, where that is not a result of the old loop: scans as reductions."""
        self.imported: dict[Import, Parameter] = {}
        self.open = [Open(self.token)]
        self.raw: dict[Node, Parameter] = {}
        """The indices of loops over pieces, within the piece."""

    # What differs.

    def given(self, node: Node) -> Node | None:
        """What stands for a node that is not copied."""
        raise NotImplementedError

    def size(self, node: Node) -> Node:
        """A size of an array."""
        return self.node(node)

    def executes(self, effect: Node) -> bool:
        """Whether the kernel does an effect of a block that it copies."""
        raise NotImplementedError

    def chosen(self, loop: Multiloop) -> list[int]:
        """The generators of a loop that are copied."""
        raise NotImplementedError

    # Imports.

    def imports(self, wanted: Import, t: Type, name: str) -> Parameter:
        """The parameter for something."""
        found = self.imported.get(wanted)
        if found is None:
            found = self.imported[wanted] = self.graph.parameter(name, self.typed(t))
        return found

    def known(self, node: Node) -> Node:
        """What is known before, as a parameter; of what is declared packed all leaves."""
        name = node.name if isinstance(node, Parameter) else "known"
        leaves = self.places.entry.parameters
        if node in leaves:
            return self.source(leaves.index(node))
        return self.imports(Import("known", node), node.type, name)

    def source(self, index: int) -> Parameter:
        """A leaf of the arguments; with it the others that are in the same packed memory."""
        entry = self.places.entry
        stored = sources(entry)[index]
        first, count = index, 1
        if stored is not None:
            first, count = index - stored.number, len(stored.storage.leaves)
        made = [
            self.imports(
                Import("source", None, k), entry.parameters[k].type, entry.parameters[k].name
            )
            for k in range(first, first + count)
        ]
        return made[index - first]

    def typed(self, t: Type) -> Type:
        return sized_by(t, self.size)

    def lifted(self, lift: RoundLift, part: Node) -> Node:
        """What pieces have found together: a parameter, of which loops around have an element."""
        sizes = [self.size(loop.size) for loop in lift.path]
        wanted = Import("known", part)
        found = self.imported.get(wanted)
        if found is None:
            t = rows_of(self.typed(part.type), *sizes)
            found = self.imported[wanted] = self.graph.parameter("found", t)
        return self.graph.index(found, *[self.node(loop.index) for loop in lift.path])

    # Nodes.

    def node(self, root: Node) -> Node:
        """The copy of a node."""
        make_in_order(root, lambda n: n in self.copies, self._waits_for, self._make)
        return self.copies[root]

    def _waits_for(self, node: Node) -> Sequence[Node]:
        """What is copied before a node; what stands for one that is not copied is noted."""
        found = self.given(node)
        if found is None:
            return self.needs(node)
        self._make_of(node, found)
        return ()

    def _make(self, node: Node) -> None:
        if node not in self.copies:
            self._make_of(node, self.copied(node))

    def _make_of(self, node: Node, found: Node) -> None:
        if node not in self.copies:
            self.note(node, found)

    def note(self, old: Node, new: Node) -> None:
        self.copies[old] = new
        self.open[-1].made.append(old)

    def needs(self, node: Node) -> Sequence[Node]:
        """What is copied before a node."""
        if node.is_atom or node.maker is not None or isinstance(node, Region) or self.is_cut(node):
            return ()
        return node.operands

    def is_cut(self, node: Node) -> bool:
        """Whether an operand of a node is a size of pieces, or the index of a row of its own."""
        return False

    def all(self, nodes: Iterable[Node]) -> list[Node]:
        return [self.node(node) for node in nodes]

    def certs(self, certs: Iterable[Node]) -> list[Node]:
        return [self.cert(cert) for cert in certs]

    def cert(self, cert: Node) -> Node:
        """A certificate: what was checked before needs none."""
        if cert in self.copies:
            return self.copies[cert]
        if cert.is_bound:
            return self.token
        if isinstance(self.places.place(cert), RowPlace) or self.checks_here(cert):
            return self.node(cert)
        return self.token

    def checks_here(self, cert: Node) -> bool:
        """Whether a certificate of what is known is made in this kernel."""
        return False

    def copied(self, node: Node) -> Node:
        graph = self.graph
        graph.at = self.places.graph.spans.get(node)
        match node:
            case Constant():
                return graph.constant(node.value, element(node.type))
            case Part():
                return self.part(node)
            case Region():
                self.region(node)
                return self.token
        operands = self.operands(node)
        if isinstance(node, Literal) and not operands:
            row_type = node.attributes[0]
            assert isinstance(row_type, ScalarType | GraphArray)
            return graph.literal(self.typed(row_type), (), self.certs(node.certs))
        return self.registered(graph.remake(node, operands, self.certs(node.certs)))

    def operands(self, node: Node) -> list[Node]:
        return self.all(node.operands)

    def registered(self, node: Node) -> Node:
        """Let what has an effect stand in its block."""
        if node.effectful:
            for block in reversed(self.open):
                if block.token in node.certs:
                    if node not in block.effects:
                        block.effects.append(node)
                    break
        return node

    def part(self, node: Part) -> Node:
        region = node.node
        if region not in self.several:
            self.region(region)
        return self.several[region][node.index]

    def region(self, node: Region) -> None:
        """Copy a node with several results."""
        if node in self.several:
            return
        self.several[node] = {}
        if isinstance(node, Multiloop):
            self.multiloop(node)
            return
        certs = self.certs(node.certs)
        operands = self.all(node.operands)
        blocks = tuple([self.block(block) for block in node.blocks])
        results: tuple[Type, ...] = ()
        if node.says_results:
            results = tuple([self.typed(t) for t in node.results])
        self.give(node, self.made(type(node), node.attributes, operands, certs, blocks, results))

    def give(self, node: Region, made: Region) -> None:
        for k in range(len(node.results)):
            self.several[node][k] = self.graph.part(made, k)
        self.open[-1].made.append(node)

    def made(
        self,
        kind: type[Region],
        attributes: tuple[Attribute, ...],
        operands: Sequence[Node],
        certs: list[Node],
        blocks: tuple[Block, ...],
        results: tuple[Type, ...] = (),
    ) -> Region:
        own = [self.open[-1].token] if any(block.effects for block in blocks) else []
        made = self.graph.make(kind, attributes, operands, [*certs, *own], blocks, results)
        assert isinstance(made, Region)
        self.registered(made)
        return made

    def block(self, old: Block) -> Block:
        """A block with its parameters."""
        opened = self.enter(old)
        parameters: list[Parameter] = []
        for own in old.parameters:
            made = self.parameter(own)
            self.copies[own] = made
            parameters.append(made)
        self.effects(old)
        results = self.all(old.results)
        self.leave(old)
        return Block(opened.token, tuple(parameters), tuple(opened.effects), tuple(results))

    def parameter(self, old: Parameter) -> Parameter:
        return self.graph.parameter(old.name, self.typed(old.type), old.unique)

    def enter(self, old: Block, loop: Multiloop | None = None) -> Open:
        opened = Open(self.graph.parameter("here", CERTIFICATE), loop=loop)
        self.open.append(opened)
        self.copies[old.token] = opened.token
        return opened

    def effects(self, old: Block) -> None:
        for effect in old.effects:
            if not self.executes(effect):
                continue
            if isinstance(effect, Region):
                self.region(effect)
            else:
                self.node(effect)

    def leave(self, old: Block) -> None:
        """Forget what nodes are within a block that is complete."""
        opened = self.open.pop()
        bound = set(old.binds)
        for parameter in bound:
            self.copies.pop(parameter, None)
        for node in opened.made:
            if node.free.isdisjoint(bound):
                self.open[-1].made.append(node)
                continue
            self.copies.pop(node, None)
            if isinstance(node, Region):
                self.several.pop(node, None)

    # Loops over arrays.

    def multiloop(self, old: Multiloop) -> None:
        """Copy a loop, with the generators that are chosen."""
        made, kept = self.loop(old, self.chosen(old))
        if made is None:
            self.open[-1].made.append(old)
            return
        at = 0
        for number in kept:
            y, own = old.yields()[number], self.generator(old, number)
            gives = own.gives(y.stream)
            parts = [self.graph.part(made, at + k) for k in range(gives)]
            at += gives
            if type(own) is not type(y.generator):
                self.combined[old, number] = parts
                continue
            for k, part in enumerate(parts):
                self.several[old][y.first + k] = part
        self.open[-1].made.append(old)

    def generator(self, old: Multiloop, number: int) -> Generator:
        """What a generator is in the kernel."""
        return old.generators[number]

    def loop(self, old: Multiloop, wanted: Sequence[int]) -> tuple[Region | None, list[int]]:
        """A copy of a loop with some generators, and which they are: with the scans on whose
        running values they depend; None where nothing is left of it."""
        is_cut = old.index in self.places.rows
        index = self.graph.parameter(old.index.name, INTEGER)
        opened = self.enter(old.body, old)
        if is_cut:
            self.raw[old.index] = index
        else:
            self.copies[old.index] = index
        self.effects(old.body)
        taken: dict[int, StreamValue] = {}
        waiting = set(wanted) | set(opened.running)
        while waiting:
            for number in sorted(waiting):
                y = old.yields()[number]
                (taken[number],) = filled([y.stream], self.all(y.stream.leaves))
            waiting = set(opened.running) - set(taken)
        numbers = sorted(taken)
        streams = tuple([taken[number] for number in numbers])
        running = [p for number in sorted(opened.running) for p in opened.running[number]]
        parameters = (index, *[p for _, p in opened.elements], *running)
        body = Block(opened.token, parameters, tuple(opened.effects), streams=streams)
        self.leave(old.body)
        self.raw.pop(old.index, None)
        if not numbers and not body.effects:
            return None, []
        size = self.size(self.places.cut_size(old) if is_cut else old.size)
        generators = []
        for number in numbers:
            own = self.generator(old, number)
            if isinstance(own, Scan):
                stored = own.stored and number in wanted
                own = replace(own, running=number in opened.running, stored=stored)
            generators.append(own)
        inputs = [self.input(old, array, size) for array, _ in opened.elements]
        extras = [n for number in numbers for n in self.extras(old, number)]
        operators = [old.yields()[number].operator for number in numbers]
        blocks = (body, *[self.block(operator) for operator in operators if operator is not None])
        certs = self.certs(old.certs)
        attributes = (len(inputs), tuple(generators))
        made = self.made(Multiloop, attributes, [size, *inputs, *extras], certs, blocks)
        return made, numbers

    def input(self, loop: Multiloop, array: Node, size: Node) -> Node:
        return self.node(array)

    def extras(self, loop: Multiloop, number: int) -> list[Node]:
        return self.all(loop.yields()[number].extras)

    def bound(self, node: Parameter) -> Node | None:
        """The parameter of a loop's body that is being copied, as it is first needed."""
        for opened in reversed(self.open):
            loop = opened.loop
            if loop is None:
                continue
            if node in loop.elements:
                made = self.parameter(node)
                opened.elements.append((loop.inputs[loop.elements.index(node)], made))
                return made
            if node in loop.running:
                return self.run(loop, node, opened)
        return None

    def run(self, loop: Multiloop, node: Parameter, opened: Open) -> Node:
        """The running value of a scan."""
        for number, y in enumerate(loop.yields()):
            if node in y.running:
                if number not in opened.running:
                    opened.running[number] = [self.parameter(p) for p in y.running]
                return opened.running[number][y.running.index(node)]
        raise AssertionError(node)
