"""States of one specialization, frozen: with the cells that belong to every state, and their keys.

Most states are known by what is kept with their values (`values.states`); those that are not of
that form are walked (`values.freeze`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from cogen.specializer.programs.liveness import Liveness
from cogen.specializer.values.domain import Activation, Value
from cogen.specializer.values.freeze import Frozen, Lifted, Store, Token
from cogen.specializer.values.states import States
from cogen.specializer.versions.cells import BarrierCells, Globals
from cogen.specializer.versions.memo import ResidualBlock, Roots


class Freezing:
    """See the module's docstring."""

    def __init__(self, liveness: Liveness, globals: Globals, barriers: BarrierCells) -> None:
        self.liveness = liveness
        self.globals = globals
        self.barriers = barriers
        self.states = States(liveness)

    def with_cells(self, roots: Sequence[tuple[str, Any]]) -> Roots:
        """The roots of a state; the mutable objects of globals and the barrier cells belong to
        every state."""
        return [*roots, *self.globals.roots().items(), *self.barriers.roots.items()]

    def cell_count(self) -> int:
        """How many roots `with_cells` adds."""
        return len(self.globals.cells) + len(self.globals.objects) + len(self.barriers.roots)

    def freeze(self, roots: Roots, store: Store, lifted: Lifted) -> Frozen:
        """A state to be compared with others; the last roots are those of `with_cells`."""
        count = len(self.barriers.roots)
        if len(roots) < count:
            return Frozen(roots, store, lifted, self.liveness, form=self.states.form)
        distance = self.barriers.distance(store)
        return Frozen(roots, store, lifted, self.liveness, count, distance, self.states.form)

    def opened(self, block: ResidualBlock) -> Frozen:
        """The state that a block starts from, all values gone into."""
        return Frozen(block.roots, block.store, block.lifted, self.liveness)

    def frozen(self, block: ResidualBlock) -> Frozen:
        """The state that a block starts from."""
        if block.frozen is None:
            block.frozen = self.freeze(block.roots, block.store, block.lifted)
        return block.frozen

    def tokens(self, block: ResidualBlock) -> Sequence[Token]:
        """The static skeleton of the state that a block starts from."""
        if block.tokens is None:
            block.tokens = self.frozen(block).key
        return block.tokens

    # -- keys ----------------------------------------------------------------------------------

    def call_key(self, store: Store, values: Sequence[Value]) -> tuple[Token, ...]:
        """The static skeleton of a call: the procedure's and its arguments'.  What barrier cells
        hold does not count: a residual call finds them as they were made."""
        if not self.globals.cells and not self.globals.objects:
            state = self.states.state([("", value) for value in values])
            if state is not None:
                return ("call", state.key)
        roots = [*(("", value) for value in values), *self.globals.roots().items()]
        return Frozen(roots, store, {}, self.liveness, form=self.states.form).key

    def activation_key(self, store: Store, activation: Activation) -> tuple[Token, ...]:
        """The static skeleton of the call that an activation carries out, as it was then; now the
        store is this one."""
        if activation.key is None:
            before = store if activation.store is None else activation.store
            activation.key = self.call_key(before, activation.values)
        return activation.key

    def root_keys(self, block: ResidualBlock) -> list[Hashable]:
        """The keys of each root of a block's state alone."""
        if block.root_keys is None:
            block.root_keys = [self.root_key(root, block.store) for root in block.roots]
        return block.root_keys

    def root_key(self, root: tuple[str, Any], store: Store) -> Hashable:
        """The key of a root alone."""
        state = self.states.state([root])
        if state is not None:
            return state.key
        return Frozen([root], store, {}, self.liveness, form=self.states.form).key
