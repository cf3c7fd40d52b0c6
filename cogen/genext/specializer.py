"""The specializer of a generating extension: the program compiled in, and memo points that are
quick for the states that programs mostly have (`cogen.genext.states`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cogen.bt import BT, show_bt
from cogen.genext.machine import Compiled
from cogen.genext.states import State, States, split
from cogen.genext.support import Code
from cogen.interval import EVERYTHING, shifted
from cogen.residual import ResidualProgram
from cogen.spec.domain import Activation, Dynamic, Value
from cogen.spec.freeze import Frozen, Token, base_name
from cogen.spec.generalize import MAX_ANCESTORS
from cogen.spec.memo import Block, Point, Procedure, Resume
from cogen.spec.options import Options
from cogen.spec.path import Path
from cogen.spec.rules import rule_of
from cogen.spec.rules.rule import Rule
from cogen.spec.specialize import Analyses, Specializer
from lang import il
from lang.errors import Span, Warnings


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
        support.cyclic = self.options.auto or any("cyclic" in show_bt(bt) for bt in bts)

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

    def memo_point(
        self,
        path: Path,
        point: Point,
        roots: Sequence[tuple[str, Any]],
        resume: Resume,
        activation: Activation | None,
        span: Span | None,
        whole: bool = False,
    ) -> None:
        state = self.quick(path, roots)
        if state is None:
            super().memo_point(path, point, roots, resume, activation, span, whole)
            return
        procedure = path.block.procedure
        key = (point, state.key)
        own = block = procedure.blocks.get(key)
        nearest = path.block.nearest.get(point)
        frozen = None
        if block is None or (nearest is not None and nearest is not block):
            if self._is_like_another(path, point, state, nearest, own):
                frozen = self._frozen_state(path, roots)
                block = self.generalizer.more_general(path, point, frozen, False) or own
            if block is None and nearest is not None and self.generalizer.applies(span):
                frozen = frozen or self._frozen_state(path, roots)
                lifted = self.covering(path, point, roots, frozen)
                if lifted is not None:
                    self.memo_point(path, point, lifted, resume, activation, span)
                    return
                self.generalizer.generalize(path, point, frozen)
        if block is None:
            block, places = self._new(path, point, roots, resume, activation, span, state)
            procedure.blocks[key] = block
        elif block is own:
            places = self._made[block][1]
            if block.intervals:
                block.arrive(path, [split(state.summary.names[place]) for place in places])
        else:
            self.go_on(path, block, frozen or self._frozen_state(path, roots), span)
            return
        if block.raw.body is None and not block.queued:
            self._enqueue(block)
        path.block.successors.append(block)
        path.segment.tail = il.Jump(block.raw.label, self._atoms(path, state, block, places), span)

    def _atoms(
        self, path: Path, state: State, block: Block, places: Sequence[int]
    ) -> tuple[il.Atom, ...]:
        """The leaves of a state as arguments for its block."""
        atoms: list[il.Atom] = []
        for place, parameter in zip(places, block.raw.parameters, strict=True):
            name, offset = split(state.summary.names[place])
            if offset:
                name = path.shifted(Dynamic(name, "int"), offset, base_name(parameter)).name
            atoms.append(il.Var(name))
        return tuple(atoms)

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

    def _frozen_state(self, path: Path, roots: Sequence[tuple[str, Any]]) -> Frozen:
        return Frozen([*roots], path.store, path.lifted, self.liveness)

    def _is_like_another(
        self, path: Path, point: Point, state: State, nearest: Block | None, own: Block | None
    ) -> bool:
        """Whether a block at the point, other than the state's own, might serve for the state
        (those that `Generalizer.more_general` looks at)."""
        ancestors = 0
        while nearest is not None and ancestors < MAX_ANCESTORS:
            made = self._made.get(nearest)
            if made is not None and nearest is not own and made[0].may_serve(state, False):
                return True
            ancestors += 1
            nearest = nearest.previous()
        if point[0] != "cont":
            return False
        known = None if own is None else self._made[own][0]
        others = self._states_at.get((path.block.procedure, point), ())
        return any(other.may_serve(state, True) for other in others if other is not known)

    def _new(
        self,
        path: Path,
        point: Point,
        roots: Sequence[tuple[str, Any]],
        resume: Resume,
        activation: Activation | None,
        span: Span | None,
        state: State,
    ) -> tuple[Block, list[int]]:
        """A block for a state that is new, and where in the state its arguments are."""
        procedure = path.block.procedure
        block = self.block_at(path, point, resume, activation, span)
        copy = self.states.copy(state, self.fresh, self.variable)
        names = state.summary.names
        block.roots = [(hint, copy.of(value)) for hint, value in roots]
        block.raw.parameters += [name.name for name in copy.names.values()]
        for value, atom in path.lifted.values() if path.lifted else ():
            if self.states.node_of(value) in state.summary.nodes:
                shell = copy.of(value)
                block.lifted[id(shell)] = (shell, atom)
        for old, new in copy.names.items() if path.intervals else ():
            name, offset = split(old)
            bounds = shifted(path.intervals.get(name, EVERYTHING), offset)
            if bounds != EVERYTHING:
                block.intervals[new.name] = bounds
        places = [names.index(name) for name in copy.names]
        self._made[block] = state, places
        self._states_at.setdefault((procedure, point), []).append(state)
        procedure.at_point.setdefault(point, []).append(block)
        self.count_variant(block)
        return block, places
