"""A procedure's regions -> its frames: where variables are over calls, and between C functions.

    sp -> [ slot 0 | slot 1 | ... | return address ]        while a call has not returned

A variable that is needed after a call has one slot, in all frames of the procedure.  What a call
returns to finds it there and leaves it there: the next call stores only what is in no slot yet.  So
a loop with many variables around a call does not pass them all through memory in each round.

A C function that is no start of a procedure finds some variables in their slots (`kept`); a
continuation that is one takes the others as arguments after its parameters (`passed`).

Laws: variables that are in one frame, or are kept together, have slots of their own; whoever jumps
to a C function has stored what it keeps; slots of a frame that belong to none of its variables are
filled with a word that the collector may see.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from cogen.backends.native.limits import IN_REGISTERS
from cogen.backends.native.regions import START, CodeRegions, is_return, returned_to


class FrameLayout:
    """The slots of the variables of one procedure, or one top-level item.

    `kept` has what is in its slot on entry, by the name of the node or the return that a C function
    starts at; `passed` what a continuation takes besides its parameters, in this order.
    """

    def __init__(self, regions: CodeRegions) -> None:
        self.kept: dict[str, frozenset[str]] = {START: frozenset()}
        for name in regions.returns:
            self.kept[name] = regions.nodes[returned_to(name)].live
        joins = [name for name, node in regions.nodes.items() if node.is_function and name != START]
        _Sharing(regions, self.kept, joins).settle()
        self.passed = {
            name: tuple(sorted(regions.nodes[name].live - self.kept[name])) for name in joins
        }
        self.slots = _slots(self.kept.values())

    def words(self, name: str) -> int:
        """How many slots there are on entry to a C function, the last one being in use."""
        return 1 + max((self.slots[variable] for variable in self.kept[name]), default=-1)

    def free(self, name: str) -> list[int]:
        """The slots among them that belong to nothing that is kept."""
        used = {self.slots[variable] for variable in self.kept[name]}
        return [slot for slot in range(self.words(name)) if slot not in used]


class _Sharing:
    """What continuations keep in slots; `kept` grows from what calls return to."""

    def __init__(
        self, regions: CodeRegions, kept: dict[str, frozenset[str]], joins: list[str]
    ) -> None:
        self.nodes = regions.nodes
        self.kept = kept
        self.joins = joins
        self.before: dict[str, set[str]] = {name: set() for name in joins}
        for node in self.nodes.values():
            for target in node.goes_to:
                if not is_return(target) and target in self.before:
                    self.before[target].add(node.owner)
        for name in regions.returns:
            if returned_to(name) in self.before:
                self.before[returned_to(name)].add(name)

    def settle(self) -> None:
        """What is in its slot where a continuation is come from stays there, unless a loop without
        calls uses it; and what finds no register is put there."""
        for join in self.joins:
            self.kept[join] = frozenset()
        wanted = {join: self._wanted(join) for join in self.joins}
        changed = True
        while changed:
            changed = False
            for join in self.joins:
                there = frozenset().union(*(self.kept[name] for name in self.before[join]))
                changed |= self._keep(join, (there & self.nodes[join].live) - wanted[join])
            if not changed:
                for join in self.joins:
                    changed |= self._keep(join, self._without_room(join, wanted[join]))

    def _keep(self, join: str, more: Collection[str]) -> bool:
        before = self.kept[join]
        self.kept[join] = before.union(more)
        return len(self.kept[join]) > len(before)

    def _room(self, join: str) -> int:
        return max(0, IN_REGISTERS - len(self.nodes[join].parameters))

    def _without_room(self, join: str, wanted: Collection[str]) -> list[str]:
        """What cannot be passed in registers."""
        others = sorted(self.nodes[join].live - self.kept[join], key=lambda v: (v not in wanted, v))
        return others[self._room(join) :]

    def _wanted(self, join: str) -> frozenset[str]:
        """What is used most in a loop without calls that starts at a continuation."""
        reached: set[str] = set()
        work = [join]
        while work:
            for name in self.before[work.pop()]:
                if name in self.before and name not in reached:
                    reached.add(name)
                    work.append(name)
        if join not in reached:
            return frozenset()
        live = self.nodes[join].live
        uses = Counter(
            variable
            for node in self.nodes.values()
            if node.owner == join
            for variable in node.uses
            if variable in live
        )
        return frozenset(sorted(uses, key=lambda v: (-uses[v], v))[: self._room(join)])


def _slots(frames: Collection[frozenset[str]]) -> dict[str, int]:
    """A slot for each variable; those that are in most frames come first, so that few slots of a
    frame are free."""
    together: dict[str, set[str]] = {}
    counts: Counter[str] = Counter()
    for frame in frames:
        counts.update(frame)
        for variable in frame:
            together.setdefault(variable, set()).update(frame)
    slots: dict[str, int] = {}
    for variable in sorted(counts, key=lambda v: (-counts[v], v)):
        taken = {slots[other] for other in together[variable] if other in slots}
        slots[variable] = next(slot for slot in range(len(taken) + 1) if slot not in taken)
    return slots
