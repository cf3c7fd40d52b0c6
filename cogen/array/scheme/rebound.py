"""What is bound anew on a way to a continuation that it is nested in the scope of.

    (conts (a (x) ((let y ...) (conts (b (i) ... (if t (... jump a z) (... jump b i+1)))) ...)))

A loop that begins with `b`, and comes to `a` in some rounds, has `x` and `y` for variables besides
`i`, if they are live at `b`.  Loops that people write are nested so that there is nothing of that
kind; where a specialization makes several rounds of an outer loop share an inner one, there is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from cogen.lang import il
from cogen.lang.ilutil import Free, atoms, conts

Targets = Callable[[il.Block], frozenset[str]]


class ContinuationScopes:
    """The continuations of a program by name, what lies within them, and (`targets`) where their
    blocks jump."""

    def __init__(self, bound: Mapping[str, il.Cont], targets: Targets) -> None:
        self._conts = bound
        self._targets = targets
        self._free = Free()
        self._begin: dict[str, int] = {}
        """The places of continuations in the text."""
        self._end: dict[str, int] = {}
        """The place of the last that is within a continuation."""
        self._owner: dict[il.If, str] = {}
        """The continuations whose own code conditionals are in."""
        for cont in bound.values():
            if cont.name not in self._begin:
                self._measure(cont.name)

    def _measure(self, root: str) -> None:
        work = [root]
        while work:
            name = work.pop()
            if name in self._begin:  # all within it have been there
                self._end[name] = len(self._begin)
                continue
            self._begin[name] = len(self._begin) + 1
            work.append(name)
            for block in self._own(name):
                work += [cont.name for cont in conts(block)]
                if isinstance(block.tail, il.If):
                    self._owner[block.tail] = name

    def _own(self, name: str) -> Iterator[il.Block]:
        """The blocks of a continuation that are not those of others within it."""
        work = [self._conts[name].body]
        while work:
            block = work.pop()
            yield block
            if isinstance(block.tail, il.If):
                work += (block.tail.otherwise, block.tail.then)

    def around(self, name: str, among: Iterable[str]) -> list[str]:
        """Those of some continuations in whose scope another one is, the outer first."""
        place = self._begin.get(name, 0)
        found = [n for n in among if self._begin.get(n, place) < place <= self._end[n]]
        return sorted(found, key=self._begin.__getitem__)

    def is_entered_again(self, tail: il.If, among: Collection[str]) -> bool:
        """Whether one of some continuations has a conditional in its scope or in its own code."""
        owner = self._owner.get(tail)
        return owner is not None and (owner in among or bool(self.around(owner, among)))

    def rebound(self, name: str, among: Collection[str]) -> tuple[str, ...]:
        """The variables that are live at a continuation, and are bound by those of some others in
        whose scope it is: of the outer before the inner."""
        found: list[str] = []
        for other in self.around(name, among):
            used = self._used(name, other)
            found += [x for x in self._bound(other) if x in used]
        return tuple(found)

    def _bound(self, name: str) -> Iterator[str]:
        """The variables that a continuation binds, those of others within it not among them."""
        yield from self._conts[name].parameters
        for block in self._own(name):
            for binding in block.bindings:
                if isinstance(binding, il.Let):
                    yield binding.name
                elif isinstance(binding, il.Fix):
                    yield from (function.name for function in binding.functions)

    def _used(self, name: str, other: str) -> set[str]:
        """The variables that are mentioned from a continuation on before another one is entered."""
        return set().union(*(self._mentioned(here) for here in self._way(name, other)))

    def _way(self, name: str, end: str) -> list[str]:
        """The continuations that one leads to before another one is entered, and itself."""
        seen = {name: None}
        work = [name]
        while work:
            for target in sorted(self._targets(self._conts[work.pop()].body)):
                if target not in seen and target != end and target in self._conts:
                    seen[target] = None
                    work.append(target)
        return list(seen)

    def _mentioned(self, name: str) -> set[str]:
        """The variables that a continuation mentions, those within it not among them."""
        found: set[str] = set()
        for block in self._own(name):
            found.update(atom.name for atom in atoms(block) if isinstance(atom, il.Var))
            for binding in block.bindings:
                if isinstance(binding, il.Fix):
                    for function in binding.functions:
                        found |= self.of_function(function)
        return found

    def of_function(self, function: il.Function) -> frozenset[str]:
        """The variables that a procedure needs from outside."""
        return self._free.of_function(function)

    def live(self, name: str, end: str) -> set[str]:
        """The variables that a continuation needs from before, on the ways to another one."""
        way = self._way(name, end)
        bound = {here: set(self._bound(here)) for here in way}
        found = {here: self._mentioned(here) - bound[here] for here in way}
        changed = True
        while changed:
            changed = False
            for here in reversed(way):
                after = [found[t] for t in self._targets(self._conts[here].body) if t in found]
                new = found[here].union(*after) - bound[here]
                if len(new) > len(found[here]):
                    found[here], changed = new, True
        return found[name]
