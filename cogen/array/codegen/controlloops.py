"""Loops for conditionals, sequential loops and calls; and variables that change.

If      variables for the results; each branch assigns its own (where both may be computed, see
        `cogen.array.loops.choose`); none for an array that both leave where it is
Loop    variables for what is carried, which the body's results are assigned to
Call    a function that gives its results through pointers
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

from cogen.array.codegen import representations
from cogen.array.codegen.emitter import Emitter
from cogen.array.codegen.frames import MemoryFrame
from cogen.array.codegen.representations import Array, Handle, MemoryRep, Rep, ScalarRep
from cogen.array.ir.graphtypes import CERT, NONE, GraphArray, Type, element, rank
from cogen.array.ir.node import (
    Call,
    If,
    Loop,
    Node,
    Part,
    Region,
    Update,
)
from cogen.array.l0.runerrors import TOO_DEEP
from cogen.array.loops import tree
from cogen.array.loops.expressions import NULL, TRUE, ZERO
from cogen.array.loops.tree import BLOCK, BOOL, Address, Expr, Var
from cogen.array.loops.treewalk import within
from cogen.array.schedule.schedule import Scheduled, Statement

Emit = Callable[[Emitter, Statement], None]


@dataclass(slots=True)
class LoopVariables:
    """Mutable variables for values of some types: of a scalar one, of an array its pointer and the
    owner of its block."""

    emitter: Emitter
    types: Sequence[Type]
    names: list[Expr]
    owners: list[Var | None]
    places: list[MemoryRep | None] = field(default_factory=list)
    """Where nothing counts references: the arrays that carried values are copied into."""

    @staticmethod
    def declare(
        e: Emitter,
        types: Sequence[Type],
        name: str,
        initial: Sequence[Rep],
        copies: Collection[int] = (),
    ) -> LoopVariables:
        """Declare them; without initial values where there are none. Arrays move in or are shared;
        those of `copies`, and those that are no memory without gaps, are copied."""
        if not e.counts_references:
            return _without_owners(e, types, name, initial)
        names: list[Expr] = []
        owners: list[Var | None] = []
        values: Sequence[Rep | None] = initial or [None] * len(types)
        for position, (t, value) in enumerate(zip(types, values, strict=True)):
            if t in (CERT, NONE):
                names.append(TRUE)
                owners.append(None)
                continue
            if not isinstance(t, GraphArray):
                assert value is None or isinstance(value, ScalarRep)
                start = None if value is None else e.narrowed(value.value, element(t))
                names.append(e.variable(e.variable_type(element(t)), name, start))
                owners.append(None)
                continue
            data: Expr | None = None
            owner: Expr | None = None
            if value is not None:
                assert not isinstance(value, ScalarRep)
                memory = e.materialised(value) if position in copies else e.in_memory(value)
                data, owner = memory.data, e.shared(memory)
            made = e.fresh_pair(name)
            array = Var(made, e.pointer_type(t.element))
            block = Var(f"{made}_block", BLOCK)
            names.append(array)
            owners.append(block)
            e.add(tree.Variable(array, data, block), tree.Variable(block, owner))
        return LoopVariables(e, types, names, owners)

    def representations(self, shapes: Sequence[Sequence[Expr]], held: bool = True) -> list[Rep]:
        """The reps; the present frame holds the arrays' blocks from now on if `held`."""
        found: list[Rep] = []
        places = self.places or [None] * len(self.types)
        for t, name, owner, shape, place in zip(
            self.types, self.names, self.owners, shapes, places, strict=True
        ):
            if not isinstance(t, GraphArray):
                found.append(ScalarRep(name))
                continue
            if not self.emitter.counts_references:
                handle = None if place is None else place.handle
                found.append(representations.dense(t.element, name, shape, handle))
                continue
            assert owner is not None
            handle = Handle(owner)
            if held:
                self.emitter.hold(handle)
            found.append(representations.dense(t.element, name, shape, handle))
        return found

    def assign(self, values: Sequence[Rep], copies: Sequence[int] = ()) -> None:
        """Assign all of them at once, at the end of a block; arrays move in, or are shared."""
        e = self.emitter
        if self.places:
            self._copy_in(values)
        targets: list[Expr] = []
        sources: list[Expr] = []
        for position, (t, name, owner, value) in enumerate(
            zip(self.types, self.names, self.owners, values, strict=True)
        ):
            if t in (CERT, NONE):
                continue
            if isinstance(value, ScalarRep):
                targets.append(name)
                sources.append(e.narrowed(value.value, element(t)))
                continue
            if self.places:
                continue
            memory = e.materialised(value) if position in copies else e.in_memory(value)
            targets.append(name)
            sources.append(memory.data)
            if owner is not None:
                targets.append(owner)
                sources.append(e.crossing(memory))
        self._assign_all(targets, sources)

    def _copy_in(self, values: Sequence[Rep]) -> None:
        """Copy arrays to where they are carried; what shares memory with them is copied before."""
        e = self.emitter
        carried = [place.handle for place in self.places if place is not None]
        made: list[tuple[MemoryRep, Array]] = []
        for place, value in zip(self.places, values, strict=True):
            if place is None:
                continue
            assert not isinstance(value, ScalarRep)
            if isinstance(value, MemoryRep) and value.data == place.data and value.dense:
                continue
            if isinstance(value, MemoryRep) and value.handle in carried:
                value = e.materialised(value)
            made.append((place, value))
        for place, value in made:
            e.copy(place, value)

    def _assign_all(self, targets: list[Expr], sources: list[Expr]) -> None:
        """Assign in an order, or with copies, such that no source has changed."""
        e = self.emitter
        pairs = [(t, s) for t, s in zip(targets, sources, strict=True) if t != s]
        changed = {target for target, _ in pairs}
        settled: list[tuple[Expr, Expr]] = []
        for target, source in pairs:
            if not changed.isdisjoint(within(source)) or isinstance(source, tree.Invoke):
                source = e.variable(target.type, "next", source)
            settled.append((target, source))
        self._drop_held()
        for target, source in settled:
            e.assign(target, source)

    def _drop_held(self) -> None:
        """Give up the blocks that the variables still have in this block of code."""
        frame = self.emitter.frames[-1]
        for handle in [handle for handle in frame.handles if handle.owner in self.owners]:
            frame.release(handle)
            self.emitter.drop(handle)


def _without_owners(
    e: Emitter, types: Sequence[Type], name: str, initial: Sequence[Rep]
) -> LoopVariables:
    """Variables where nothing counts references: with initial values, those of a loop, arrays are
    copied to a place of their own; without, those of a conditional, they are pointers."""
    names: list[Expr] = []
    places: list[MemoryRep | None] = []
    values: Sequence[Rep | None] = initial or [None] * len(types)
    for t, value in zip(types, values, strict=True):
        place = None
        made: Expr = TRUE
        if t in (CERT, NONE):
            pass
        elif not isinstance(t, GraphArray):
            start = None
            if isinstance(value, ScalarRep):
                start = e.narrowed(value.value, element(t))
            made = e.variable(e.variable_type(element(t)), name, start)
        elif value is None:
            made = e.variable(e.pointer_type(t.element), name)
        else:
            assert not isinstance(value, ScalarRep)
            place = e.materialised(value, name)
            place = replace(place, handle=Handle(NULL))
            made = place.data
        names.append(made)
        places.append(place)
    return LoopVariables(e, types, names, [None] * len(types), places if initial else [])


def if_(e: Emitter, statement: Statement, node: If, emit: Emit) -> None:
    condition = e.scalar_of(node.condition)
    staying = _staying(e, statement, node)
    moving = [k for k in range(len(node.results)) if k not in staying]
    variables = LoopVariables.declare(e, [node.results[k] for k in moving], "r", ())
    branches = []
    for block in statement.blocks:
        with e.gathered() as made:
            _branch(e, block, variables, moving, emit)
        branches.append(made)
    e.when(condition, *branches)
    scalars: dict[int, Rep] = dict(zip(moving, map(ScalarRep, variables.names), strict=True))
    whole = [{**scalars, **staying}[k] for k in range(len(node.results))]
    shapes = [e.sizes(node.results[k], whole) for k in moving]
    made_reps = dict(zip(moving, variables.representations(shapes), strict=True))
    e.bind_results(node, [{**made_reps, **staying}[k] for k in range(len(node.results))])


def _branch(
    e: Emitter, block: Scheduled, variables: LoopVariables, moving: Sequence[int], emit: Emit
) -> None:
    def finish() -> None:
        results = [e.rep(block.block.results[k]) for k in moving]
        copies = [place for place, k in enumerate(moving) if k in block.copies]
        variables.assign(results, copies)

    e.block(block, emit, finish)


def _staying(e: Emitter, statement: Statement, node: If) -> dict[int, Rep]:
    """The results of a conditional that are an array from outside on both ways, which they update
    in place if at all: these need no variables, and nobody else comes to hold them."""
    found: dict[int, Rep] = {}
    for k, t in enumerate(node.results):
        array = _whose(statement, k) if isinstance(t, GraphArray) else None
        rep = None if array is None or not e.is_bound(array) else e.rep(array)
        if isinstance(rep, MemoryRep) and rep.dense:
            found[k] = rep
    return found


def _whose(statement: Statement, result: int) -> Node | None:
    """The array from outside that a result of a conditional is on both ways, updated in place."""
    ways = {_origin(block, block.block.results[result]) for block in statement.blocks}
    copied = any(result in block.copies for block in statement.blocks)
    return None if copied or len(ways) > 1 else ways.pop()


def _origin(block: Scheduled, node: Node) -> Node | None:
    """The array that one is made of by updates in place in a block; itself if by none."""
    made = {statement.node: statement for statement in block.statements}
    while True:
        if isinstance(node, Update) and node in made and 0 not in made[node].copies:
            node = node.array
        elif isinstance(node, Part) and isinstance(node.node, If) and node.node in made:
            inner = _whose(made[node.node], node.index)
            if inner is None:
                return node
            node = inner
        else:
            return node


def bind_variables(e: Emitter, node: Region, variables: LoopVariables) -> None:
    """The results of a node are in variables; their arrays are held here."""
    scalars: list[Rep] = [ScalarRep(name) for name in variables.names]
    shapes = [e.sizes(t, scalars) for t in node.results]
    e.bind_results(node, variables.representations(shapes))


def loop(e: Emitter, statement: Statement, node: Loop, emit: Emit) -> None:
    (body,) = statement.blocks
    bound = e.extent(node.bound)
    initial = [e.rep(operand) for operand in node.initial]
    variables = LoopVariables(e, (), [], [])
    if node.carried:
        types = [parameter.type for parameter in node.carried]
        copies = [position - 1 for position in statement.copies]
        variables = LoopVariables.declare(e, types, node.carried[0].name, initial, copies)
    index = e.index(node.index.name)
    with e.gathered() as made:
        e.frames.append(MemoryFrame(body.statements, body.block.results))
        e.bind(node.index, ScalarRep(index))
        bind_parameters(e, node.carried, variables)
        e.statements(body.statements, emit)
        variables.assign([e.rep(r) for r in body.block.results], body.copies)
        e.close()
    e.count(index, ZERO, bound, made)
    bind_variables(e, node, variables)


def bind_parameters(e: Emitter, parameters: Sequence[Node], variables: LoopVariables) -> None:
    """The parameters of a block are the variables, whose blocks are held in the block."""
    for parameter, name in zip(parameters, variables.names, strict=True):
        if not rank(parameter.type):
            e.bind(parameter, ScalarRep(name))
    found = variables.representations([e.sizes(parameter.type) for parameter in parameters])
    for parameter, rep in zip(parameters, found, strict=True):
        e.bind(parameter, rep)


def call(e: Emitter, statement: Statement, node: Call) -> None:
    """A call; the function gets a reference to what it may overwrite, and gives one to results."""
    e.fail_if(tree.Invoke("deep", (), BOOL), TOO_DEEP, e.span, limitation=True)
    arguments: list[Expr] = []
    consumed = e.program.consumed[node.function]
    for position, operand in enumerate(node.operands):
        rep = e.rep(operand)
        if isinstance(rep, ScalarRep):
            arguments.append(e.narrowed(rep.value, element(operand.type)))
            continue
        owned = position in consumed
        copied = owned and position in statement.copies
        array = e.materialised(rep) if copied else e.in_memory(rep)
        owner = NULL if array.handle is None else array.handle.owner
        arguments += [array.data, e.shared(array) if owned else owner]
    variables = LoopVariables.declare(e, node.results, "r", ())
    for name, block in zip(variables.names, variables.owners, strict=True):
        if isinstance(name, Var):
            arguments.append(Address(name))
            arguments += [] if block is None else [Address(block)]
    e.add(tree.CallStatement(e.program.functions[node.function], tuple(arguments)))
    bind_variables(e, node, variables)
