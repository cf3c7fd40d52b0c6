"""The specializer of a generating extension: the program compiled in, and memo points that are
quick for the states that programs mostly have (`cogen.genext.states`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cogen.bt import BT, cyclic_leaves
from cogen.genext.machine import Compiled
from cogen.genext.states import State, States, split
from cogen.genext.support import Code
from cogen.residual import ResidualProgram
from cogen.spec.domain import Value
from cogen.spec.freeze import Frozen, Token
from cogen.spec.generalize import MAX_ANCESTORS
from cogen.spec.memo import Arrival, Block, Leaf, Point, Procedure
from cogen.spec.options import Options
from cogen.spec.path import Path
from cogen.spec.rules import rule_of
from cogen.spec.rules.rule import Rule
from cogen.spec.specialize import Analyses, Specializer
from lang import il
from lang.errors import Span, Warnings


class Quick(Arrival):
    """The arrival of a quick state; it is frozen when that is asked for."""

    __slots__ = ("_path", "_roots", "_spec", "state")

    def __init__(
        self, spec: Specializer, path: Path, roots: Sequence[tuple[str, Any]], state: State
    ) -> None:
        super().__init__(state.key)
        self.state = state
        self._spec = spec
        self._path = path
        self._roots = roots

    def freeze(self) -> Frozen:
        path = self._path
        return Frozen([*self._roots], path.store, path.lifted, self._spec.liveness)


class CompiledSpecializer(Specializer):
    """One specialization by a generating extension."""

    machine: Compiled

    def __init__(
        self,
        code: Mapping[il.Function, Code],
        program: il.Program,
        options: Options,
        warnings: Warnings,
        analyses: Analyses | None,
    ) -> None:
        self._code = code
        super().__init__(program, options, warnings, analyses)
        self.states = States(self.liveness)
        self._auto = options.auto
        self._made: dict[Block, tuple[State, list[int]]] = {}
        """The quick blocks: their states, and where in names of states their parameters stand."""
        self._states_at: dict[tuple[Procedure, Point], list[State]] = {}
        """The states of the quick blocks at a point."""

    def make_machine(self) -> Compiled:
        return Compiled(self, self._code)

    def run(self, entry: str, bts: Sequence[BT]) -> ResidualProgram:
        support = self.machine.support
        support.cyclic = self.options.auto or any(map(cyclic_leaves, bts))

        def watched(op: str) -> Rule:
            found = rules.get(op)
            if found is None:
                found = rules[op] = support.watched(rule_of(op))
            return found

        rules: dict[str, Rule] = {}
        self.rule = watched
        return super().run(entry, bts)

    def _drain(self) -> None:
        self.machine.ready = not self.options.generalize
        super()._drain()

    def call_key(self, path: Path, values: tuple[Value, ...]) -> tuple[Token, ...]:
        if self.top_level.cells or self.top_level.objects:
            return super().call_key(path, values)
        state = self.states.state([("", value) for value in values])
        if state is None:
            return super().call_key(path, values)
        return ("call", state.key)

    def arrival(
        self,
        path: Path,
        point: Point,
        roots: Sequence[tuple[str, Any]],
        whole: bool,
        span: Span | None,
    ) -> Arrival | None:
        state = self.quick(path, roots)
        if state is None:
            return super().arrival(path, point, roots, whole, span)
        return Quick(self, path, roots, state)

    def quick(self, path: Path, roots: Sequence[tuple[str, Any]]) -> State | None:
        """What is known of a state, None if it is none of the quick ones."""
        if self.top_level.cells or self.top_level.objects or self.barriers.roots or self._auto:
            return None
        state = self.states.state(roots)
        if state is not None and path.lifted:
            for value, atom in path.lifted.values():
                if type(atom) is il.Var and self.states.node_of(value) in state.summary.nodes:
                    return None
        return state

    def may_be_served(self, path: Path, point: Point, arrival: Arrival, own: Block | None) -> bool:
        if type(arrival) is not Quick:
            return True
        # the blocks that `Generalizer.more_general` looks at
        state, made = arrival.state, self._made
        ancestors, nearest = 0, path.block.nearest.get(point)
        while nearest is not None and ancestors < MAX_ANCESTORS:
            known = made.get(nearest)
            if known is not None and nearest is not own and known[0].may_serve(state, False):
                return True
            ancestors += 1
            nearest = nearest.previous()
        if point[0] != "cont":
            return False
        for other in self._states_at.get((path.block.procedure, point), ()):
            if other.key != state.key and other.may_serve(state, True):
                return True
        return False

    def begin(
        self, path: Path, block: Block, roots: Sequence[tuple[str, Any]], arrival: Arrival
    ) -> None:
        if type(arrival) is not Quick:
            super().begin(path, block, roots, arrival)
            return
        state, states = arrival.state, self.states
        copy = states.copy(state, self.fresh, self.variable)
        block.roots = [(hint, copy.of(value)) for hint, value in roots]
        block.raw.parameters += [new.name for new in copy.names.values()]
        for value, atom in path.lifted.values():
            if states.node_of(value) in state.summary.nodes:
                shell = copy.of(value)
                block.lifted[id(shell)] = (shell, atom)
        if path.intervals:
            for old, new in copy.names.items():
                self.bound(path, block, split(old), new)
        self._made[block] = state, list(map(state.names.index, copy.names))
        self._states_at.setdefault((block.procedure, block.point), []).append(state)

    def leaves_for(self, block: Block, arrival: Arrival, own: bool) -> list[Leaf]:
        if type(arrival) is not Quick or not own:
            return super().leaves_for(block, arrival, own)
        names = arrival.state.names
        return [split(names[place]) for place in self._made[block][1]]
