"""Questions about the control flow of residual code: where paths meet, what certainly fails.

A *region* is code all of whose paths end in a jump to one continuation, its end, or fail.  What
lies behind the end does not belong to it: from the body of a loop, which ends where the next round
begins, control does not come back to anything in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cogen.array.scheme.rebound import ContinuationScopes
from cogen.dominance import immediate
from cogen.lang import il
from cogen.lang.components import components
from cogen.lang.ilutil import NEVER_RETURN, blocks


@dataclass(frozen=True, slots=True, eq=False)
class FlowRegion:
    """Continuations of a region, with all that they lead to in it.

    `component`: the number of the strongly connected component that each belongs to, and `loops`
    those of which control may come back to.  `order` begins with the end, and for each by its
    `number` there `parent` is the first that all its paths come to: its immediate postdominator;
    those from which no path leads to the end are not among them.
    """

    component: dict[str, int]
    loops: frozenset[int]
    order: list[str]
    number: dict[str, int]
    parent: list[int]

    def meeting(self, names: frozenset[str]) -> str:
        """The first that all paths from these come to; the end, if none leads to it."""
        found = {self.number[name] for name in names if name in self.number} or {0}
        while len(found) > 1:
            last = max(found)  # what it comes to has a smaller number
            found.discard(last)
            found.add(self.parent[last])
        return self.order[found.pop()]


class Regions:
    """The continuations of a program by name, and where they lead.

    `instead` has those that others stand for: where a jump to one leads in this code.  These lead
    on to one place (`testedloops`), where arms that come to one of them meet.
    """

    def __init__(
        self, conts: Mapping[str, il.Cont], instead: Mapping[str, str] | None = None
    ) -> None:
        self.conts = conts
        self.instead = instead or {}
        self._steps = {*self.instead.values()}
        self._regions: dict[str, FlowRegion] = {}
        self._fails: dict[il.Block, bool] = {}
        self.scopes = ContinuationScopes(conts, self.targets)

    def fails(self, block: il.Block) -> bool:
        """Whether the block certainly fails."""
        found = self._fails.get(block)
        if found is None:
            self._fails[block] = False  # for a path that comes back here
            found = self._fails[block] = self._certainly_fails(block)
        return found

    def _certainly_fails(self, block: il.Block) -> bool:
        seen: set[str] = set()
        while True:
            if any(isinstance(b, il.Let) and b.op in NEVER_RETURN for b in block.bindings):
                return True
            match block.tail:
                case il.If(_, then, otherwise):
                    return self.fails(then) and self.fails(otherwise)
                case il.Jump(cont=cont) | il.Call(cont=cont) if (
                    self.to(cont) in self.conts and cont not in seen
                ):
                    seen.add(cont)
                    block = self.conts[self.to(cont)].body
                case _:
                    return False

    def error(self, block: il.Block) -> tuple[il.Atom, ...] | None:
        """What a block that certainly fails gives to `error`; None if it does so in several ways,
        or raises something else."""
        seen: set[str] = set()
        while True:
            for binding in block.bindings:
                if isinstance(binding, il.Let) and binding.op in NEVER_RETURN:
                    return binding.arguments if binding.op == "error" else None
            tail = block.tail
            if not isinstance(tail, il.Jump):
                return None
            target = self.to(tail.cont)
            if target not in self.conts or target in seen:
                return None
            seen.add(target)
            block = self.conts[target].body

    def targets(self, block: il.Block) -> frozenset[str]:
        """The continuations that a block jumps to, on paths that do not fail."""
        if self.fails(block):
            return frozenset()
        if isinstance(block.tail, il.If):
            return self.arms(block.tail)
        return frozenset({self.to(block.tail.cont)})

    def to(self, name: str) -> str:
        """The continuation that a jump to one leads to."""
        return self.instead.get(name, name)

    def arms(self, tail: il.If) -> frozenset[str]:
        """The continuations that the arms of a conditional jump to."""
        return self.targets(tail.then) | self.targets(tail.otherwise)

    def region(self, names: frozenset[str], end: str) -> FlowRegion:
        """The region that ends in `end`, as far as these and what they lead to is concerned."""
        found = self._regions.get(end)
        if found is None or not names <= found.component.keys():
            found = self._regions[end] = self._find_region(names, end)
        return found

    def _find_region(self, names: frozenset[str], end: str) -> FlowRegion:
        groups = components(sorted(names | {end}), lambda name: self._next(name, end))
        component = {name: i for i, group in enumerate(groups) for name in group}
        loops = []
        before: dict[str, list[str]] = {}
        for i, group in enumerate(groups):
            for name in group:
                for after in self._next(name, end):
                    before.setdefault(after, []).append(name)
                    if component[after] == i:
                        loops.append(i)
        number: dict[str, int] = {}
        tree: list[int] = []
        back = [(end, 0)]
        while back:
            name, parent = back.pop()
            if name not in number:
                number[name] = len(tree)
                tree.append(parent)
                back += [(other, number[name]) for other in before.get(name, ())]
        entering = [[number[m] for m in self._next(n, end) if m in number] for n in number]
        above = immediate(tree, entering)
        return FlowRegion(component, frozenset(loops), list(number), number, above)

    def _next(self, name: str, end: str) -> frozenset[str]:
        """Where a continuation leads in one step, within a region."""
        cont = self.conts.get(name)
        return frozenset() if cont is None or name == end else self.targets(cont.body)

    def is_loop(self, name: str, end: str) -> bool:
        """Whether control may come back to a continuation within a region."""
        found = self.region(frozenset({name}), end)
        return found.component[name] in found.loops

    def comes_back(self, other: str, name: str, end: str) -> bool:
        """Whether control, having come from a continuation to another one, may come back to it
        within a region."""
        found = self.region(frozenset({name, other}), end)
        return other == name or found.component[other] == found.component[name]

    def meeting(self, tail: il.If, end: str) -> str:
        """The first continuation that both arms of a conditional come to on all paths, within a
        region that ends in `end`; also where they come to a loop at different places."""
        arms = self.arms(tail)
        return self._past_steps(self.region(arms, end).meeting(arms), end)

    def _past_steps(self, name: str, end: str) -> str:
        """Where a continuation that stands for another leads."""
        while name != end and name in self._steps:
            (name,) = self.targets(self.conts[name].body)
        return name

    def behind(self, name: str, end: str) -> str:
        """The first continuation that all paths from another one come to, within a region that
        ends in `end`."""
        found = self.region(frozenset({name}), end)
        if name not in found.number:
            return end
        return self._past_steps(found.order[found.parent[found.number[name]]], end)

    def is_entered_again(self, tail: il.If, meeting: str) -> bool:
        """Whether an arm binds variables again, on the way to where both meet, that the other arm
        has from before."""
        among = self.region(self.arms(tail), meeting).component.keys() - {meeting}
        return self.scopes.is_entered_again(tail, among)

    def rebound(self, names: frozenset[str], end: str) -> tuple[str, ...]:
        """The variables that are live at the end of a region and bound again on the way there."""
        return self.scopes.rebound(end, self.region(names, end).component.keys())

    def rebound_in_rounds(self, name: str, end: str) -> tuple[str, ...]:
        """The variables, besides its parameters, that the rounds of a loop bind again and that are
        live where it begins."""
        found = self.region(frozenset({name}), end).component
        return self.scopes.rebound(name, [n for n in found if found[n] == found[name]])

    def code_between(self, start: il.Block, name: str, end: str) -> Iterator[il.Block]:
        """All blocks from `start` on from which control may come to a continuation, in a region."""
        seen: set[str] = {name}
        work = [start]
        while work:
            for block in blocks(work.pop()):
                yield block
                if isinstance(block.tail, il.If):
                    continue
                other = self.to(block.tail.cont)
                if other not in seen and self.comes_back(other, name, end):
                    seen.add(other)
                    work.append(self.conts[other].body)
