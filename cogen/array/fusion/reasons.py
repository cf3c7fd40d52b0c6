"""Which arrays are still put into memory after fusion, and which rule forbade otherwise.

needed-as-result      it is, or becomes part of, what the function returns
duplicates-work       several loops that cannot be one would each compute it
crosses-consumption   an array that its producer reads is overwritten before its consumer
indexed               an element is read by index, or of another position than the loop's
into-function         it is read within a loop over something else, again in every iteration
into-loop             the same with a sequential loop, or one carries it
needs-whole-result    nothing of it is known before the producing loop ends
size                  producer and consumer need not run alike
conditional           what a condition lets through is not followed into scans of rows, and what
                      makes rows with checks
effects               two loops write traces, whose order would change
transposed, reshaped, sliced    a view stands between that no rule moves
consumed              it is itself overwritten in place
stored                it is put into another array: concat, replicate, an update, a literal
assembled             it is put together from the arrays of several loops: concat
from-branch           it is made in an arm of an `if`, and read behind it
into-call             it is passed to a function that is not inlined, or comes from one
switched-off          the rule is switched off, or no step was left
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from cogen.array.fusion.cluster import Clusters
from cogen.array.fusion.consumption import Consumption
from cogen.array.fusion.legal import (
    CONDITIONAL,
    CONSUMPTION,
    DUPLICATES,
    EFFECTS,
    INTO_FUNCTION,
    NEEDS_WHOLE,
    SIZE,
)
from cogen.array.fusion.mergeloops import owner_of
from cogen.array.fusion.nodeplaces import Places, User
from cogen.array.ir import node as ir
from cogen.array.ir.graphtypes import GraphArray
from cogen.lang.errors import Span

NEEDED: Final = "needed-as-result"
SWITCHED_OFF: Final = "switched-off"
STORED: Final = "stored"
_ITSELF: Final = ("into-loop", "into-call", "consumed")
"""Where what gives an array is in the way, not what goes through it."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an array is in memory: a rule, and the node that is in the way, if there is one."""

    rule: str
    blocker: ir.Node | None = None


class Reasons:
    """The reasons for the arrays of a function."""

    def __init__(
        self, places: Places, spans: Mapping[ir.Node, Span], functions: Mapping[str, ir.Function]
    ) -> None:
        self.places = places
        self.consumption = Consumption(places, spans, functions)
        self._loops = places.loops()
        self._clusters: dict[ir.Block, Clusters] = {}
        self._memo: dict[ir.Node, Reason | None] = {}

    def of(self, array: ir.Node) -> Reason | None:
        """Why an array, or what a loop gives otherwise, is not fused into what uses it; None if
        nothing uses it."""
        if array not in self._memo:
            self._memo[array] = None  # what a loop carries around is no reason
            found = [self._of_use(array, user) for user in self._users(array)]
            reasons = [reason for reason in found if reason is not None]
            needed = [reason for reason in reasons if reason.rule == NEEDED]
            self._memo[array] = next(iter([*needed, *reasons]), None)
        return self._memo[array]

    def arrays(self) -> list[ir.Node]:
        """The intermediate arrays that are put into memory: not results, nor rows that are written
        where the array of which they are rows is."""
        return [node for node in self.places.nodes if self._is_intermediate(node)]

    def _is_intermediate(self, node: ir.Node) -> bool:
        if not isinstance(node.type, GraphArray):
            return False
        match node:
            case ir.Part(node=ir.Multiloop()):
                if self._is_in_place(node):
                    return False
            case _ if node.makes_whole:
                pass
            case _:
                return False
        reason = self.of(node)
        return reason is not None and reason.rule != NEEDED and not self._is_row(node)

    def _is_in_place(self, part: ir.Part) -> bool:
        """Whether a result is an array that was there before."""
        loop = part.node
        return isinstance(loop, ir.Multiloop) and not loop.makes(part.index)

    def _is_row(self, node: ir.Node) -> bool:
        """Whether an array is nothing but a row of the array that a loop around collects."""
        users = self._users(node)
        return bool(users) and all(
            isinstance(user, ir.Block) and self._collects(user, node) for user in users
        )

    def _collects(self, block: ir.Block, value: ir.Node) -> bool:
        owner = self.places.owner.get(block)
        if isinstance(owner, ir.If):
            results = [self._part(owner, i) for i, r in enumerate(block.results) if r is value]
            return all(part is not None and self._is_row(part) for part in results)
        if not isinstance(owner, ir.Multiloop):
            return False
        if block is not owner.body:  # an accumulator
            return True
        taking = [y for y in owner.yields() if value in y.taken]
        return all(y.generator.gives_all and not y.spread for y in taking)

    def _part(self, region: ir.Region, index: int) -> ir.Part | None:
        return next((part for part in self.places.parts(region) if part.index == index), None)

    def _users(self, node: ir.Node) -> list[User]:
        users = self.places.uses.get(node, [])
        return sorted(users, key=lambda u: u.number if isinstance(u, ir.Node) else 0)

    def _of_use(self, array: ir.Node, user: User) -> Reason | None:
        if _is_stream(array) and self._goes_through(array, user):
            return None
        if isinstance(user, ir.Block):
            return self._of_result(array, user)
        if isinstance(user, ir.Multiloop):
            return self._of_loop(array, user)
        if user.is_view and user.gives_stored:
            return self._of_view(user)
        if user.shares_first and not user.is_view and user.operands[0] is array:
            inherited = self.of(user)
            consumed = Reason(user.gives_stored, user)
            return inherited if inherited and inherited.rule == NEEDED else consumed
        if isinstance(user, ir.Loop):
            return self._of_carried(array, user)
        if user.puts_away or isinstance(array.type, GraphArray):
            return Reason(user.puts_away or STORED, user)
        return None

    def _of_result(self, value: ir.Node, block: ir.Block) -> Reason | None:
        """The reason for what a block gives: that for the results of its node."""
        owner = self.places.owner.get(block)
        if owner is None:
            return Reason(NEEDED)
        positions = [i for i, result in enumerate(block.results) if result is value]
        if isinstance(owner, ir.Multiloop):
            if block is not owner.body:
                return Reason(NEEDS_WHOLE, owner)
            taking = [y for y in owner.yields() if value in y.taken]
            if any(not y.generator.gives_all for y in taking):
                return Reason(STORED, owner) if isinstance(value.type, GraphArray) else None
            positions = [
                y.first + y.leads + i
                for y in taking
                for i, taken in enumerate(y.values)
                if taken is value
            ]
        parts = [self._part(owner, i) for i in positions]
        reasons = [self.of(part) for part in parts if part is not None]
        return next((reason for reason in reasons if reason is not None), None)

    def _is_gone_through(self, array: ir.Node) -> bool:
        """Whether generators take the elements of an array one after the other, which happens where
        they are made."""
        users = self._users(array)
        return (
            _is_stream(array)
            and bool(users)
            and all(self._goes_through(array, user) for user in users)
        )

    def _goes_through(self, array: ir.Node, user: User) -> bool:
        if isinstance(user, ir.Concat):
            return self._is_gone_through(user)
        owner = None if isinstance(user, ir.Node) else self.places.owner.get(user)
        if owner is None or not isinstance(user, ir.Block):
            return False
        if isinstance(owner, ir.If):
            parts = [self._part(owner, i) for i, r in enumerate(user.results) if r is array]
            return all(part is not None and self._is_gone_through(part) for part in parts)
        if not isinstance(owner, ir.Multiloop) or user is not owner.body:
            return False
        taking = [y for y in owner.yields() if array in y.taken]
        return bool(taking) and all(y.spread for y in taking)

    def _of_view(self, view: ir.Node) -> Reason | None:
        reason = self.of(view)
        if reason is None or reason.rule == NEEDED:
            return reason
        if reason.rule in (SIZE, SWITCHED_OFF, DUPLICATES):
            users = self._users(view)
            blocker = next((user for user in users if isinstance(user, ir.Node)), view)
            return Reason(view.gives_stored, blocker)
        return reason

    def _of_carried(self, array: ir.Node, loop: ir.Loop) -> Reason | None:
        positions = [i for i, initial in enumerate(loop.initial) if initial is array]
        for part in [self._part(loop, i) for i in positions]:
            reason = None if part is None else self.of(part)
            if reason is not None and reason.rule == NEEDED:
                return reason
        return Reason("into-loop", loop)

    def _of_loop(self, array: ir.Node, loop: ir.Multiloop) -> Reason:
        for owner in self._between_blocks(self.places.place[array], self.places.place[loop]):
            if isinstance(owner, ir.Loop):
                return Reason("into-loop", loop)
            if isinstance(owner, ir.Multiloop):
                return Reason(INTO_FUNCTION, loop)
        if array not in loop.inputs:
            return Reason(NEEDS_WHOLE, loop)
        match array:
            case ir.Part(node=ir.Multiloop() as made):
                return self._between(array, made, loop)
        return _of_other(array, loop)

    def _between_blocks(self, block: ir.Block, inner: ir.Block) -> list[ir.Region]:
        """The nodes around one block that stand within another, outermost first."""
        found: list[ir.Region] = []
        while inner is not block and inner in self.places.owner:
            found.append(self.places.owner[inner])
            inner = self.places.place[found[-1]]
        return found[::-1]

    def _between(self, array: ir.Part, producer: ir.Multiloop, consumer: ir.Multiloop) -> Reason:
        """Why a loop is not one with a loop that reads its result by element."""
        y = owner_of(producer, array.index)
        if not y.generator.by_iteration or y.spread:
            return Reason(NEEDS_WHOLE, consumer)
        block = self.places.place[producer]
        if self.places.place[consumer] is not block:
            blocker = self._crosses(producer, consumer)
            return blocker or Reason(DUPLICATES, consumer)
        refusal = self._clusters_of(block).refusal(producer, consumer)
        if refusal is None:
            return Reason(SWITCHED_OFF, consumer)
        if refusal.rule in (CONSUMPTION, SIZE, EFFECTS, CONDITIONAL):
            return Reason(refusal.rule, refusal.blocker)
        return Reason(DUPLICATES, consumer)

    def _crosses(self, producer: ir.Multiloop, consumer: ir.Multiloop) -> Reason | None:
        block = self.places.place[producer]
        item = self.places.item(consumer, block)
        if not isinstance(item, ir.Node) or block not in self._loops:
            return None
        found = self.consumption.crosses(producer, item, self._clusters_of(block).flow)
        return None if found is None else Reason(CONSUMPTION, found)

    def _clusters_of(self, block: ir.Block) -> Clusters:
        """The loops of a block, none of them joined."""
        if block not in self._clusters:
            loops = self._loops[block]
            self._clusters[block] = Clusters(self.places, self.consumption, block, loops)
        return self._clusters[block]


def _of_other(array: ir.Node, loop: ir.Multiloop) -> Reason:
    """Why a loop reads from memory what no loop gives."""
    source = array.maker or array
    if source.gives_stored:
        itself = source.gives_stored in _ITSELF
        return Reason(source.gives_stored, source if itself else loop)
    return Reason(SWITCHED_OFF, loop)


def _is_stream(array: ir.Node) -> bool:
    """Whether the elements of an array can be had where they are made."""
    if isinstance(array, ir.Concat):
        return any(map(_is_stream, array.operands))
    made = array.maker is not None and not array.maker.puts_away
    return made or array.is_formula or isinstance(array, ir.Literal)
