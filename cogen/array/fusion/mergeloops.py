"""Makes one loop of several: Delite's rules in one (Rompf 2013, figure "Loop fusion").

Horizontal, for all generators:

    loop(n) { i1 => x1 <- f1(i1) }, loop(n) { i2 => x2 <- f2(i2) }
    ->  loop(n) { i => x1 <- f1(i); x2 <- f2(i) }

Vertical, consuming what a Collect makes:

    loop(n) { i1 => if (c(i1)) x1 <- f1(i1) }, loop(x1.size) { i2 => x2 <- f2(x1[i2]) }
    ->  loop(n) { i => if (c(i)) { x1 <- f1(i); x2 <- f2(f1(i)) } }

and likewise what a Scan makes, which becomes `running`, and what asks which of the iterations that
were let through it is in: a running scan counts them. Generators that nothing uses
any more are left out, but those whose operators check something. Inputs that are iota, replicate or
views of such become expressions of the index (`cogen.array.fusion.inputs`). That loops may be
merged is the caller's business (`legal`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from cogen.array.fusion.inputs import expression, is_expression
from cogen.array.fusion.mergedgenerators import (
    Key,
    MadeGenerators,
    addition,
    counting_only,
    in_every_iteration,
    is_count,
    is_needed,
    numbers_of,
    part_key,
    shape_of,
    shared,
    take_where,
    where,
    without_condition,
    zero,
)
from cogen.array.fusion.mirror import Mirror, captured, ordered_effects
from cogen.array.fusion.nodeplaces import Places
from cogen.array.ir.generators import (
    Emit,
    Scan,
    StreamValue,
    filled,
    groups,
    grows,
    is_hashed,
)
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import CERT, INT, GraphArray, ScalarType, row
from cogen.array.ir.node import (
    Block,
    Copy,
    If,
    Multiloop,
    Node,
    Parameter,
    Rearrange,
    Yield,
)


class Merge:
    """The loop that `members`, in topological order, are together; a `Replacement` for them.

    `live` are the results that are needed from outside. `size` is a member's whose size the new
    loop has. `borrowed` members are copied into it, for some of their results, and stay what they
    are for everybody else.
    """

    def __init__(
        self,
        members: list[Multiloop],
        live: Collection[Key],
        size: Node,
        borrowed: Mapping[Multiloop, Collection[Key]] | None = None,
    ) -> None:
        self.members = members
        self._live = frozenset(live)
        self._size = size
        self._borrowed = borrowed or {}
        self._own = frozenset(members)
        self._made: list[MadeGenerators] = []
        self._produced: dict[Key, MadeGenerators] = {}
        self._inputs: dict[Node, Parameter] = {}
        self._positions: dict[Node, Node] = {}
        """By condition: which of the iterations that it lets through this one is."""
        self._effects: list[Node] = []
        self._certs: list[Node] = []

    def needs(self) -> Iterable[Node]:
        """What the members use from outside."""
        found: list[Node] = [self._size]
        for member in self.members:
            found += [*member.operands, *member.certs, *captured(member)]
        return [node for node in found if self._own_key(node) is None]

    def _own_key(self, node: Node) -> Key | None:
        """The key of a result of a member that is consumed inside."""
        key = part_key(node)
        if key is None or key[0] not in self._own:
            return None
        borrowed = self._borrowed.get(key[0])
        return key if borrowed is None or key in borrowed else None

    def build(self, mirror: Mirror) -> None:
        """Makes the loop; lets it and its results stand for the members and theirs."""
        graph = mirror.graph
        saved = graph.at, graph.origin
        graph.at = graph.spans.get(self.members[-1])
        graph.origin = self._origin(graph, mirror)
        loop, results = self._loop(graph, mirror)
        graph.at, graph.origin = saved
        for member in self.members:
            if member not in self._borrowed:
                mirror.bind(member, loop)
        for key, index in results.items():
            if key[0] not in self._borrowed:
                mirror.bind(graph.part(*key), graph.part(loop, index))

    def _origin(self, graph: Graph, mirror: Mirror) -> frozenset[int]:
        """The operations of the source that the new loop evaluates."""
        found: set[int] = set()
        for node in self._expressions():
            found |= graph.origins.get(node, frozenset())
        for member in self.members:
            own = graph.origins.get(member, frozenset())
            if member in self._borrowed and mirror.makers is not None:
                keys = self._borrowed[member]
                others = [i for i in range(len(member.results)) if (member, i) not in keys]
                made = [mirror.makers.of(graph.part(member, i)) for i in others]
                taken = [mirror.makers.of(graph.part(*key)) for key in keys]
                own = own.difference(*made).union(*taken)
            found |= own
        return frozenset(found)

    def _expressions(self) -> list[Node]:
        """The inputs that become expressions, and what they are made of."""
        found: list[Node] = []
        for member in self.members:
            for array in member.inputs:
                while is_expression(array):
                    found.append(array)
                    if not isinstance(array, (Copy, Rearrange)):
                        break
                    array = array.array
        return found

    def _loop(self, graph: Graph, mirror: Mirror) -> tuple[Multiloop, dict[Key, int]]:
        token = graph.parameter("here", CERT)
        index = graph.parameter("i", INT)
        for member in self.members:
            self._certs += [mirror.node(cert) for cert in member.certs]
            self._add(mirror, member, token, index)
        self._made = [made for own in self._made for made in in_every_iteration(graph, own)]
        if any(made.is_running for made in self._made):
            for made in self._made:
                without_condition(graph, made)
        results: dict[Key, int] = {}
        kept = self._looked_at([made for made in self._made if is_needed(made, self._live)])
        kept, stands = shared(graph, kept)
        take_where(graph, kept)
        counting = {made.condition for made in kept if made.is_counting}
        for made in self._made:
            if not made.counts or made.count not in self._live:
                continue
            if made.condition not in counting:
                counting.add(made.condition)
                kept.append(counting_only(graph, made))
        kept.sort(key=lambda made: not made.is_running)  # anything may come to depend on them
        first = 0
        counts: dict[Node | None, int] = {}
        for made in kept:
            gives = made.gives
            last = first + gives - (groups(made.generator) and made.totals)
            for i, key in enumerate(made.keys if gives else []):
                results[key] = last - len(made.keys) + i
            if made.total is not None:
                results[made.total] = last
            if made.counted is not None:
                counts.setdefault(made.condition, first + made.counted)
            first += gives
        for made in self._made:
            if made.counts and made.count is not None and made.count in self._live:
                results.setdefault(made.count, counts[made.condition])
        results.update([(key, results[other]) for key, other in stands.items()])
        streams = tuple([made.stream for made in kept])
        running = [parameter for made in kept if made.is_running for parameter in made.running]
        parameters = (index, *self._inputs.values(), *running)
        body = Block(token, parameters, ordered_effects(self._effects), streams=streams)
        loop = graph.region(
            Multiloop,
            (len(self._inputs), tuple([made.generator for made in kept])),
            [
                mirror.node(self._size),
                *self._inputs,
                *[extra for made in kept for extra in made.extras],
            ],
            self._certs,
            (body, *[made.operator for made in kept if made.operator is not None]),
        )
        return loop, results

    def _looked_at(self, kept: list[MadeGenerators]) -> list[MadeGenerators]:
        """The generators without running scans that are there for values that nothing uses."""
        for made in reversed([made for made in kept if made.is_running]):
            if made.values or (made.operator is not None and made.operator.effects):
                continue
            others = [node for own in kept if own is not made for node in own.stream.leaves]
            if all(node.free.isdisjoint(made.running) for node in (*others, *self._effects)):
                kept.remove(made)
        return kept

    def _add(self, mirror: Mirror, member: Multiloop, token: Parameter, index: Parameter) -> None:
        """Puts a member's body and generators into the new loop."""
        graph = mirror.graph
        env = Mirror(graph, mirror)
        context = self._context(member)
        by_position = context is not None and uses_position(member, self._own_key)
        env.bind(member.index, self._position(graph, context) if by_position else index)
        for array, element in zip(member.inputs, member.elements, strict=True):
            key = self._own_key(array)
            if key is not None:
                env.bind(element, self._element(key))
            elif context is None or is_expression(array):
                at = env.node(member.index)
                env.bind(element, self._input(graph, mirror.node(array), at, element))
        for node in captured(member):
            key = self._own_key(node)
            if key is not None and isinstance(node.type, GraphArray):
                env.elements[node] = (member.index, self._element(key))
        added = self._generators(graph, mirror, env, member)
        guarded = context is not None and must_be_guarded(member)
        if context is None or not guarded:
            env.bind(member.body.token, token)
            self._effects += env.nodes(member.body.effects)
            streams = env.streams(member.body.streams)
        else:
            streams = self._guard(graph, env, member, context, token)
        for made, own in zip(added, streams, strict=True):
            made.stream = where(graph, None if guarded and own.condition else context, own)
        self._made += added

    def _context(self, member: Multiloop) -> Node | None:
        """The condition under which a member runs in the new loop."""
        if not member.inputs:
            return self._counted(member.size)
        keys = [key for key in map(self._own_key, member.inputs) if key is not None]
        return self._produced[keys[-1]].condition if keys else None

    def _position(self, graph: Graph, condition: Node | None) -> Node:
        """How many earlier iterations a condition has let through: a running scan counts them."""
        assert condition is not None
        if condition not in self._positions:
            so_far = graph.parameter("so_far", INT)
            made = MadeGenerators(
                Scan(1), None, [], [graph.integer(0)], addition(graph), (so_far,), True,
                Emit((graph.operation("bool.to_int", condition),)),
            )  # fmt: skip
            self._made.append(made)
            self._positions[condition] = graph.operation("int.sub", so_far, graph.integer(1))
        return self._positions[condition]

    def _counted(self, size: Node) -> Node | None:
        """The condition that lets through as many iterations as a loop without inputs has."""
        key = part_key(size)
        if key is None or key[0] not in self._own:
            return None
        y = owner_of(*key)
        if not is_count(y) or key[1] != y.first:
            return None
        made = [made for made in self._made if key in made.keys]
        return made[0].condition if made else None

    def _element(self, key: Key) -> Node:
        """The element, in the new loop, of an array that a member makes."""
        made = self._produced[key]
        at = made.values.index(key)
        if made.generator.gives_each:
            made.is_running = True
            return made.running[at]
        return made.taken[at]

    def _input(self, graph: Graph, array: Node, index: Node, element: Parameter) -> Node:
        """The element of an array from outside: an expression, or a parameter."""
        found = expression(graph, array, index)
        if found is not None:
            return found
        if array not in self._inputs:
            self._inputs[array] = graph.parameter(element.name, row(array.type), element.unique)
        return self._inputs[array]

    def _generators(
        self, graph: Graph, mirror: Mirror, env: Mirror, member: Multiloop
    ) -> list[MadeGenerators]:
        """The member's generators, without what they take."""
        added = []
        for y in member.yields():
            first = y.first + y.leads
            arrays = [(member, first + i) for i in range(y.arrays)]
            total = arrays.pop() if groups(y.generator) and y.totals else None
            made = MadeGenerators(
                y.generator,
                (member, y.first) if y.leads else None,
                arrays,
                self._extras(mirror, y),
                None if y.operator is None else Mirror(graph, mirror).block(y.operator),
                (),
                bool(y.running),
                total=total,
            )
            if y.generator.gives_each and made.operator is not None:
                accumulators = made.operator.parameters[: y.generator.values]
                made.running = tuple([graph.parameter("so_far", a.type) for a in accumulators])
                for old, new in zip(y.running, made.running, strict=False):
                    env.bind(old, new)
            for key in made.values:
                self._produced[key] = made
            added.append(made)
        return added

    def _extras(self, mirror: Mirror, y: Yield) -> list[Node]:
        """The further operands of a member's generator."""
        return list(mirror.nodes(y.extras))

    def _guard(
        self, graph: Graph, env: Mirror, member: Multiloop, context: Node, token: Parameter
    ) -> tuple[StreamValue, ...]:
        """What a member's generators take, computed only where the context holds: elsewhere their
        conditions do not hold either."""
        inside = graph.parameter("here", CERT)
        env.bind(member.body.token, inside)
        effects = ordered_effects(env.nodes(member.body.effects))
        taken = env.nodes(member.body.results)
        conditions = {y.condition for y in member.yields()}
        at_hand = [
            isinstance(new, Parameter) and old not in conditions
            for old, new in zip(member.body.results, taken, strict=True)
        ]
        chosen = tuple([node for node, free in zip(taken, at_hand, strict=True) if not free])
        zeros = tuple([zero(graph, node.type) for node in chosen])
        region = graph.region(
            If,
            (),
            (context,),
            [token] if effects else [],
            (
                Block(inside, (), effects, chosen),
                Block(graph.parameter("here", CERT), (), (), zeros),
            ),
            tuple([node.type for node in chosen]),
        )
        self._effects.append(region)
        parts = iter(graph.parts(region))
        found = [node if free else next(parts) for node, free in zip(taken, at_hand, strict=True)]
        return filled(member.body.streams, found)


def uses_position(member: Multiloop, own: Callable[[Node], Key | None]) -> bool:
    """Whether a loop that runs under a condition needs to know which iteration it is in: its index
    is used, if only by an input that is an expression of it."""
    if any(own(array) is None and is_expression(array) for array in member.inputs):
        return True
    return any(member.index in node.free for node in (*member.body.results, *member.body.effects))


def must_be_guarded(member: Multiloop) -> bool:
    """Whether a member that runs under a condition is computed only where that holds."""
    return is_guarded(member) or (_has_own_condition(member) and not member.running)


def _has_own_condition(member: Multiloop) -> bool:
    """Whether a loop has a condition whose computation shares with what it takes, as far as that
    can be guarded: then both are computed where the context holds, and nothing outside."""
    scalars = all(isinstance(node.type, ScalarType) for node in member.body.results)
    return scalars and any(stream.condition is not None for stream in member.body.streams)


def is_guarded(member: Multiloop) -> bool:
    """Whether a loop's body may only be computed where the loop runs: it has effects, or relies
    on facts that hold only there."""
    if member.body.effects:
        return True
    token = member.body.token
    seen: set[Node] = set()
    stack = list(member.body.results)
    while stack:
        node = stack.pop()
        if node in seen or token not in node.free:
            continue
        seen.add(node)
        if token in node.certs:
            return True
        stack += node.operands
        stack += [inner for block in node.blocks for inner in (*block.results, *block.effects)]
    return False


def has_dead(loop: Multiloop, live: Collection[Key]) -> bool:
    """Whether a loop makes an array or a value that nothing needs, beside some that are needed.
    What an operator checks is needed, and with it what is combined."""
    dead = False
    for y in loop.yields():
        numbers = numbers_of(loop, y)
        if numbers is not None and numbers not in live:
            return True
        if y.operator is not None and y.operator.effects and not y.running:
            continue
        first = y.first + y.leads
        keys = [(loop, first + i) for i in range(y.arrays)]
        if is_hashed(y.generator):
            keys.append((loop, y.first))
        needed = [key in live for key in keys]
        if groups(y.generator) and any(needed):
            first = y.generator.inside - y.leads + 1
            needed = needed[first : first + y.generator.values]
        if grows(y) and not any(needed) and (loop, y.first) in live:
            continue
        dead |= bool(keys) and not all(
            needed if y.generator.gives_all or groups(y.generator) else [any(needed)]
        )
    return dead and bool(live)


def has_same(loop: Multiloop) -> bool:
    """Whether a loop has several generators that may be one."""
    found = [shape for shape in map(shape_of, loop.yields()) if shape is not None]
    return len({*found}) < len(found)


def owner_of(loop: Multiloop, index: int) -> Yield:
    """The generator that gives a result of a loop."""
    return [y for y in loop.yields() if y.gives and y.first <= index][-1]


def live_results(places: Places, members: Collection[Multiloop]) -> set[Key]:
    """The results of loops that something else uses than these loops themselves."""
    found: set[Key] = set()
    for member in members:
        for part in places.parts(member):
            items = [places.item(user, places.place[member]) for user in places.uses[part]]
            if part in places.type_uses or any(item not in members for item in items):
                found.add((member, part.index))
    return found
