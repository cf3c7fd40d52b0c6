"""Residual procedures: a closure and the static part of a call's arguments -> one procedure.

A call that stays calls it with the dynamic part; a closure that becomes a value of the residual
program is a small procedure that does so with its own parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from cogen.lang import il
from cogen.lang.ilutil import base_name
from cogen.specializer.execution.memopoints import MemoPoints, leaf_atoms
from cogen.specializer.execution.results import give_up
from cogen.specializer.memo.arrivals import arrive_parts, begin_parts
from cogen.specializer.paths.context import Context
from cogen.specializer.paths.leaving import hand_over
from cogen.specializer.paths.lifting import own_names
from cogen.specializer.paths.path import Path
from cogen.specializer.programs.naming import Naming
from cogen.specializer.values.arguments import RootCall
from cogen.specializer.values.domain import Closure, Dynamic, Return, Value
from cogen.specializer.values.freeze import Frozen, Token
from cogen.specializer.values.thaw import Thawed, thaw
from cogen.specializer.versions.freezing import Freezing
from cogen.specializer.versions.graph import RawFunction
from cogen.specializer.versions.memo import Leaf, ResidualBlock, Restart, VersionedProcedure

Begin = Callable[[Path, Closure, list[Value], Return, RootCall], None]
"""Carries out a closure with arguments as the beginning of a residual procedure."""


@dataclass(slots=True, eq=False, repr=False)
class Procedures:
    """The residual procedures of one specialization; `begin` carries out their code."""

    _context: Context
    _naming: Naming
    _freezing: Freezing
    _points: MemoPoints
    begin: Begin = field(init=False)
    _made: dict[Hashable, VersionedProcedure] = field(default_factory=dict, init=False)
    _together: dict[Hashable, Together] = field(default_factory=dict, init=False)
    """By residual call, but for which of its variables are one."""

    def know(self, function: il.Function, state: Frozen, procedure: VersionedProcedure) -> None:
        """Calls with this state are calls of a procedure that is there already."""
        self._made[function, state.key] = procedure

    # -- calls ---------------------------------------------------------------------------------

    def called(
        self, path: Path, closure: Closure, values: list[Value], origin: RootCall
    ) -> tuple[VersionedProcedure, tuple[il.Atom, ...]]:
        """The residual procedure for a closure and the static part of its arguments, and the
        dynamic part as atoms."""
        frozen = self._apart(path, closure.function, self._state(path, closure, values))
        procedure = self._procedure(path, closure.function, frozen, len(values), origin)
        leaves = [(leaf.name, leaf.offset) for leaf in frozen.leaves]
        assert procedure.root is not None
        if self._context.demand.watched:
            self._context.demand.meet(path, procedure.root, leaves)
        return procedure, self._led_to(path, procedure, leaves)

    def lift_closure(self, path: Path, closure: Closure) -> Dynamic:
        """Make a residual procedure value of a closure."""
        path.settle()
        hand_over(path, [closure], None)
        fresh, function = self._context.variables.fresh, closure.function
        parameters = [fresh(base_name(name)) for name in function.parameters]
        rest = fresh(base_name(function.rest)) if function.rest is not None else None
        every = parameters if rest is None else [*parameters, rest]
        frozen = self._state(path, closure, [Dynamic(name) for name in every])
        origin = RootCall(self._naming.home(function), None)
        procedure = self._procedure(path, function, frozen, len(every), origin)
        give_up(path, procedure)
        atoms = self._led_to(path, procedure, [(leaf.name, leaf.offset) for leaf in frozen.leaves])
        name, cont = fresh(base_name(function.name)), fresh("k")
        body = il.Block((), il.Call(il.Global(procedure.raw.name), atoms, cont, function.span))
        wrapper = il.Function(
            name, tuple(parameters), rest, cont, body, function.span, function.label
        )
        path.segment.bindings.append(il.Fix((wrapper,), function.span))
        return Dynamic(name)

    def _state(self, path: Path, closure: Closure, values: Sequence[Value]) -> Frozen:
        """The state that a residual procedure starts from which is called with these."""
        function, freezing = closure.function, self._freezing
        hints = [base_name(name) for name in (*function.parameters, function.rest or "")]
        roots = freezing.with_cells([("", closure), *zip(hints, values, strict=False)])
        store = self._context.barriers.settled(path.store)
        return freezing.freeze(roots, store, path.lifted)

    def _led_to(
        self, path: Path, procedure: VersionedProcedure, leaves: Sequence[Leaf]
    ) -> tuple[il.Atom, ...]:
        """The path's code calls a procedure: the leaves of the call's state as atoms."""
        assert procedure.root is not None
        arrive_parts(path, procedure.root, leaves)
        self._context.worklist.reach.lead(path.block, procedure.root)
        return leaf_atoms(path, leaves, procedure.raw.parameters)

    def _apart(self, path: Path, function: il.Function, frozen: Frozen) -> Frozen:
        """The state of a residual call, in which variables are not one that were not in calls
        before which are the same otherwise: that alone is worth no version."""
        tokens = frozen.tokens
        key = (function, *[_LEAF if _is_leaf(token) else token for token in tokens])
        together = self._together.get(key)
        if together is None:
            together = self._together[key] = Together(tokens)
        earlier = together.meet(path.block, tokens)
        if path.block in earlier:
            raise Restart(path.block)
        self._context.worklist.make_again(earlier)
        apart = together.apart
        if not any(tokens[position][0] == "=" for position in apart):
            return frozen
        names, freezing = own_names(frozen), self._freezing
        own = Thawed(frozen, names)  # where each leaf is a value of its own
        frozen = freezing.freeze(own.roots, own.store, own.lifted)
        lifted = {
            position: path.let("lift", (path.atom(frozen.places[position]),), "any", "x", None)
            for position in sorted(apart)
            if tokens[position][0] == "="
        }
        copy = Thawed(frozen, names, lifted)
        return freezing.freeze(copy.roots, copy.store, copy.lifted)

    # -- procedures ----------------------------------------------------------------------------

    def _procedure(
        self, path: Path, function: il.Function, frozen: Frozen, count: int, origin: RootCall
    ) -> VersionedProcedure:
        """The residual procedure for a state, of a call with so many arguments."""
        found = self._made.get((function, frozen.key))
        if found is None:
            found = self._new(path, function, frozen, count, origin)
            self._made[function, frozen.key] = found
        return found

    def _new(
        self, path: Path, function: il.Function, frozen: Frozen, count: int, origin: RootCall
    ) -> VersionedProcedure:
        variables, points, hint = self._context.variables, self._points, origin.hint
        cont = variables.fresh("k")
        raw = RawFunction(variables.fresh(hint or "lambda"), [], cont, "", {}, hint, function.span)
        procedure = VersionedProcedure(raw)

        def resume(path: Path, values: list[Any]) -> None:
            result = Return(cont, procedure)
            self.begin(path, values[0], values[1 : count + 1], result, origin)

        block = points.new_block(
            procedure, hint, ("procedure", function), [], resume, span=function.span
        )
        raw.entry = block.raw.label
        raw.parameters = [variables.fresh(leaf.hint) for leaf in frozen.leaves]
        names = points.parameters_for(frozen, block.raw.parameters)
        for outer, inner in zip(raw.parameters, block.raw.parameters, strict=True):
            if inner in variables.types:
                variables.types[outer] = variables.types[inner]
        block.roots, block.store, block.lifted = thaw(frozen, names)
        for leaf in frozen.leaves:
            begin_parts(path, block, leaf.name, names[(leaf.name, leaf.offset)])
        procedure.root = block
        self._context.limits.count_variant(block)
        self._context.worklist.enqueue(block)
        return procedure


class Together:
    """Residual calls that are the same but for which of their variables are one: the `tokens` of
    the first, the positions of those that were one in some calls only, which are kept `apart`, and
    the blocks with calls in which others were one."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._calling: dict[ResidualBlock, set[int]] = {}
        self.apart: set[int] = set()

    def meet(self, block: ResidualBlock, tokens: Sequence[Token]) -> list[ResidualBlock]:
        """A call in a block; gives the blocks with calls in which variables are one that are to be
        kept apart from now on."""
        new = {
            position
            for position, (old, now) in enumerate(zip(self._tokens, tokens, strict=True))
            if old != now and "=" in (old[0], now[0])
        }
        fresh = new - self.apart
        self.apart |= new
        found = [one for one, shared in self._calling.items() if not shared.isdisjoint(fresh)]
        for one in found:
            del self._calling[one]
        shared = {
            position
            for position, token in enumerate(tokens)
            if position not in self.apart and type(token) is tuple and token[0] == "="
        }
        if shared:
            self._calling.setdefault(block, set()).update(shared)
        return found


_LEAF: Final = ("leaf",)


def _is_leaf(token: Token) -> bool:
    """Whether a token is that of a variable, which may be one that came before."""
    return type(token) is tuple and token[0] in ("d", "=")
