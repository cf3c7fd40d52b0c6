"""Memo points that are quick for the states that programs mostly have.

What `values.freeze` finds out about a state by walking all of it, `values.states` puts
together from what is kept with its values; the copy that a new block starts from is made only
where something is looked up in it.  So a memo point costs its leaves, however deep the
continuation is.  Its results are those of the walk: blocks, their parameters, the same versions.
"""

from __future__ import annotations

from collections.abc import Sequence

from cogen.lang import il
from cogen.specializer.memo.arrivals import begin_known
from cogen.specializer.paths.context import Context
from cogen.specializer.paths.path import Path
from cogen.specializer.values.copies import copy_of
from cogen.specializer.values.freeze import Frozen
from cogen.specializer.values.states import Roots, State
from cogen.specializer.values.summary import split
from cogen.specializer.versions.freezing import Freezing
from cogen.specializer.versions.memo import Arrival, Candidate, Leaf, ResidualBlock


class QuickArrival(Arrival):
    """The arrival of a quick state; it is frozen when that is asked for."""

    __slots__ = ("_freezing", "_path", "state")

    def __init__(self, freezing: Freezing, path: Path, roots: Roots, state: State) -> None:
        super().__init__(state.key, [*roots])
        self.state = state
        self._freezing = freezing
        self._path = path

    def freeze(self) -> Frozen:
        path = self._path
        return self._freezing.freeze([*self.roots], path.store, path.lifted)


class Quick:
    """The quick memo points of a specializer; `_made` are the blocks of quick states, each with its
    state and with where in the names of such states its parameters stand."""

    def __init__(self, context: Context, freezing: Freezing) -> None:
        self._context = context
        self._freezing = freezing
        self._states = freezing.states
        self._made: dict[ResidualBlock, tuple[State, list[int]]] = {}

    def numbers(self, block: ResidualBlock) -> frozenset[object]:
        """The numbers in a block's state, as far as it is a quick one."""
        made = self._made.get(block)
        return frozenset() if made is None else frozenset(made[0].summary.numbers)

    def arrival(self, path: Path, roots: Roots) -> QuickArrival | None:
        """The arrival of a state, None if it is none of the quick ones."""
        state = self.state(path, roots)
        return None if state is None else QuickArrival(self._freezing, path, roots, state)

    def state(self, path: Path, roots: Roots) -> State | None:
        """What is known of a state, None if it is none of the quick ones."""
        context = self._context
        globals_ = context.globals
        if globals_.cells or globals_.objects or context.barriers.roots or context.auto.enabled:
            return None
        state = self._states.state(roots)
        if state is not None and path.lifted:
            nodes = set(state.summary.nodes)
            for value, atom in path.lifted.values():
                if type(atom) is il.Var and self._states.node_of(value) in nodes:
                    return None
        return state

    def candidates(
        self, others: list[Candidate], state: State, own: ResidualBlock | None
    ) -> list[Candidate]:
        """The blocks that might serve for a state, at a first look; none if its own only does."""
        found = []
        skeleton, shares, made_of = state.summary.skeleton, state.shares, self._made.get
        for block, join in others:
            made = made_of(block)
            if made is None:
                continue
            old = made[0]
            if (shares or old.shares or old.summary.skeleton is skeleton) and old.may_serve(
                state, join
            ):
                found.append((block, join))
        return found if any(block is not own for block, _ in found) else []

    def may_count(self, ancestors: Sequence[ResidualBlock], arrival: Arrival) -> bool:
        """Whether numbers may be all that changes from the ancestors at a point to a state."""
        if type(arrival) is not QuickArrival:
            return True
        others = [self._made.get(ancestors[0]), self._made.get(ancestors[-1])]
        return all(made is None or made[0].is_like(arrival.state) for made in others)

    def begin(self, path: Path, block: ResidualBlock, arrival: QuickArrival) -> None:
        """Give a new block the state that it starts from, over its own parameters."""
        context, state, states = self._context, arrival.state, self._states
        copy = copy_of(states, state, context.variables.fresh, context.variables.typed)
        context.cycles.copiers.append(copy)
        block.roots = [(hint, copy.of(value)) for hint, value in arrival.roots]
        block.raw.parameters += [new.name for new in copy.names.values()]
        if context.demand.watched:
            for old, new in copy.names.items():
                context.demand.inherit(split(old)[0], new.name)
        if path.lifted:
            nodes = set(state.summary.nodes)
            for value, atom in path.lifted.values():
                if states.node_of(value) in nodes:
                    shell = copy.of(value)
                    block.lifted[id(shell)] = (shell, atom)
        if path.facts.any_known():
            for old, new in copy.names.items():
                begin_known(path, block, split(old), new)
        first: dict[object, int] = {}
        for place, name in enumerate(state.names):
            first.setdefault(name, place)
        self._made[block] = state, [first[name] for name in copy.names]
        context.limits.laid_down += len(state.summary.nodes) + len(state.summary.numbers)

    def leaves(self, block: ResidualBlock, state: State) -> list[Leaf]:
        """What of a state the parameters of its own block stand for."""
        names = state.names
        return [split(names[place]) for place in self._made[block][1]]
