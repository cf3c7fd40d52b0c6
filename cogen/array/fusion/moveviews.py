"""Moves transpositions and reshapes out of the way between a producer and a consumer.

    pull-transpose    b = map2(f, a), reduce(g, transpose(b))
                      ->  b' = map2(f, transpose(a)), reduce(g, b')
    push-transpose    b = map(f, a), map2(g, transpose(b))
                      ->  transpose(map2(g, b))
    pull-reshape      b = map(f, a), reduce(g, reshape((n, m), b))
                      ->  b' = map2(f, reshape((n, m), a)), reduce(g, b')
    pull-slice        b = map(f, a), reduce(g, slice(b, k, n))
                      ->  b' = map(f, slice(a, k, n)), reduce(g, b')

where map2 is a nest of as many levels as the transposition is deep (seed 003, sections 8.1, 8.2).
Also nests that are not perfect are pulled, where what an outer level computes is cheap: then it is
computed once for each inner iteration, which `Options.duplicate` allows or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cogen.array.fusion.inputs import expression, moved
from cogen.array.fusion.mergedgenerators import Key
from cogen.array.fusion.mirror import Mirror, captured
from cogen.array.fusion.perfectnests import Nest, NestBuilder, kept
from cogen.array.ir import node as ir


def depth_of(order: tuple[int, ...]) -> int:
    """How many leading dimensions an order changes."""
    changed = [k for k, dimension in enumerate(order) if dimension != k]
    return max(changed) + 1 if changed else 0


def inverse(order: Sequence[int]) -> tuple[int, ...]:
    """The order that undoes another."""
    return tuple([list(order).index(k) for k in range(len(order))])


class _Rebuilt:
    """A replacement that makes a nest anew."""

    def __init__(self, nest: Nest) -> None:
        self.nest = nest

    def needs(self) -> Iterable[ir.Node]:
        """What the nest uses from outside."""
        loop = self.nest.levels[0]
        arrays = [array for array, _ in self.nest.sources.values()]
        sizes = [level.size for level in self.nest.levels]
        outside = [*loop.operands, *arrays, *sizes, *self.nest.certs, *captured(loop)]
        return [node for node in outside if node.free.isdisjoint(self.nest.bound)]

    def _permuted(self, mirror: Mirror, order: Sequence[int]) -> dict[Key, ir.Node]:
        """The results when level k of the new nest is level `order[k]` of the old."""
        nest, graph = self.nest, mirror.graph
        loops = [nest.levels[k] for k in order]
        builder = NestBuilder(
            graph, [mirror.node(loop.size) for loop in loops], loops, nest.levels[0]
        )
        at = inverse(order)
        env = Mirror(graph, mirror)
        for k, loop in enumerate(nest.levels):
            env.bind(loop.index, builder.indices[at[k]])
            env.bind(loop.body.token, builder.tokens[max(at[: k + 1])])
        for parameter in nest.used:
            array, levels = nest.sources[parameter]
            found = builder.element(mirror.node(array), [at[k] for k in levels])
            env.bind(parameter, found)
        for node, within in kept(nest):
            array = self._kept(mirror, node, within)
            env.bind(node, builder.element(array, [at[k] for k in range(within)]))
        values = env.nodes(nest.values.values())
        results = builder.build(values, mirror.certificates(nest.certs))
        return dict(zip(nest.values, results, strict=True))

    def _kept(self, mirror: Mirror, node: ir.Node, within: int) -> ir.Node:
        """An array of what the outer levels compute."""
        nest, graph = self.nest, mirror.graph
        loops = nest.levels[:within]
        builder = NestBuilder(graph, [mirror.node(loop.size) for loop in loops], loops, loops[0])
        env = Mirror(graph, mirror)
        for k, loop in enumerate(loops):
            env.bind(loop.index, builder.indices[k])
            env.bind(loop.body.token, builder.tokens[k])
        for parameter, (array, levels) in nest.sources.items():
            if parameter in node.free:
                env.bind(parameter, builder.element(mirror.node(array), levels))
        (array,) = builder.build([env.node(node)], mirror.certificates(nest.certs))
        return array


class Pull(_Rebuilt):
    """A producer whose results are wanted with their dimensions in another order.

    `views` are the rearrangements, which the new loop's results stand for.
    """

    def __init__(self, nest: Nest, views: dict[Key, ir.Rearrange]) -> None:
        super().__init__(nest)
        self.views = views

    def build(self, mirror: Mirror) -> None:
        """Lets the results of a nest in another order stand for the views."""
        order = next(iter(self.views.values())).order[: len(self.nest.levels)]
        results = self._permuted(mirror, order)
        for key, view in self.views.items():
            mirror.bind(view, results[key])


class Push(_Rebuilt):
    """A consumer whose inputs are wanted with their dimensions in the order before a transposition;
    its results are transposed instead."""

    def __init__(self, nest: Nest, order: tuple[int, ...]) -> None:
        super().__init__(nest)
        self.order = order

    def build(self, mirror: Mirror) -> None:
        """Lets the transposed results of a nest in the inverse order stand for the old ones."""
        graph = mirror.graph
        back = inverse(self.order)
        for key, result in self._permuted(mirror, back).items():
            rest = range(len(self.order), len(ir.shape(graph.part(*key))))
            mirror.bind(graph.part(*key), moved(graph, (*self.order, *rest), result))
        mirror.bind(self.nest.levels[0], self.nest.levels[0])


class Unshape(_Rebuilt):
    """A producer whose result is wanted in another shape; `view` is the reshape."""

    def __init__(self, nest: Nest, key: Key, view: ir.Reshape) -> None:
        super().__init__(nest)
        self.key = key
        self.view = view

    def needs(self) -> Iterable[ir.Node]:
        """Also the sizes."""
        return [*super().needs(), *self.view.sizes, *self.view.certs]

    def build(self, mirror: Mirror) -> None:
        """Lets the result of a nest over the new shape stand for the view."""
        graph, nest = mirror.graph, self.nest
        count = len(self.view.sizes) - len(ir.shape(nest.values[self.key]))
        sizes = mirror.nodes(self.view.sizes)[:count]
        certs = mirror.certificates([*nest.certs, *self.view.certs])
        likes = [nest.levels[min(k, len(nest.levels) - 1)] for k in range(count)]
        builder = NestBuilder(graph, sizes, likes, nest.levels[0])
        env = Mirror(graph, mirror)
        linear: ir.Node = builder.indices[0]
        for size, index in zip(sizes[1:], builder.indices[1:], strict=True):
            scaled = graph.operation("int.mul", linear, size)
            linear = graph.operation("int.add", scaled, index)
        for loop in nest.levels:
            env.bind(loop.index, linear)
            env.bind(loop.body.token, builder.tokens[-1])
        for parameter in nest.used:
            source, levels = nest.sources[parameter]
            array = mirror.node(source)
            rest = ir.shape(array)[len(levels) :]
            reshaped = graph.reshape(array, *sizes, *rest, certs=certs)
            env.bind(parameter, builder.element(reshaped, range(count)))
        value = env.node(nest.values[self.key])
        (result,) = builder.build([value], certs)
        mirror.bind(self.view, result)


class Unslice(_Rebuilt):
    """A producer of which only slices are wanted, which are `views` by results."""

    def __init__(self, nest: Nest, views: list[tuple[Key, ir.Slice]]) -> None:
        super().__init__(nest)
        self.views = views

    def needs(self) -> Iterable[ir.Node]:
        """Also where the slices are."""
        where = [n for _, view in self.views for n in (view.start, view.length, *view.certs)]
        return [*super().needs(), *where]

    def build(self, mirror: Mirror) -> None:
        """Lets loops over parts of the inputs stand for the slices: one for those of one place."""
        by_place: dict[tuple[ir.Node, ir.Node], list[tuple[Key, ir.Slice]]] = {}
        for key, view in self.views:
            by_place.setdefault((view.start, view.length), []).append((key, view))
        for (start, length), views in by_place.items():
            self._build(mirror, mirror.node(start), mirror.node(length), views)

    def _build(
        self, mirror: Mirror, start: ir.Node, length: ir.Node, views: list[tuple[Key, ir.Slice]]
    ) -> None:
        graph, nest = mirror.graph, self.nest
        (loop,) = nest.levels
        certs = mirror.certificates([*nest.certs, *[c for _, view in views for c in view.certs]])
        builder = NestBuilder(graph, [length], [loop], loop)
        env = Mirror(graph, mirror)
        index = graph.operation("int.add", start, builder.indices[0])
        env.bind(loop.index, index)
        env.bind(loop.body.token, builder.tokens[0])
        for parameter in nest.used:
            array = mirror.node(nest.sources[parameter][0])
            element = expression(graph, array, index)
            if element is None:
                part = graph.slice(array, start, length, certs)
                element = builder.element(part, (0,))
            env.bind(parameter, element)
        keys = list(dict.fromkeys([key for key, _ in views]))
        results = builder.build([env.node(nest.values[key]) for key in keys], certs)
        found = dict(zip(keys, results, strict=True))
        for key, view in views:
            mirror.bind(view, found[key])


def can_unshape(nest: Nest, key: Key, view: ir.Reshape) -> bool:
    """Whether a nest's levels are all, and all that, a reshape reshapes."""
    value = nest.values[key]
    rest = ir.shape(value)
    count = len(view.sizes) - len(rest)
    if count < 1 or tuple(view.sizes[count:]) != rest:
        return False
    every = tuple(range(len(nest.levels)))
    if len(nest.levels) > 1 and nest.uses_index():
        return False
    return all(nest.sources[parameter][1] == every for parameter in nest.used)


def reads_elements(user: object, view: ir.Node) -> bool:
    """Whether a user is a loop over a view, or reads it by Index."""
    if isinstance(user, ir.Multiloop):
        return view in user.inputs
    return isinstance(user, ir.Index) and user.array is view
