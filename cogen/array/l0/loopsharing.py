"""The uniqueness of loops.

Note [Loops]
    The body is looked at once, its variables taken to be unique and without aliases. Those that
    it consumes (or consumes something made from) must be so: the initial value is consumed, or
    at least unique, and the next value is unique and shares with nothing that lives on. What the
    variables share after the loop is the closure of initial and next values.
"""

from __future__ import annotations

from collections.abc import Sequence

from cogen.array.l0 import tree
from cogen.array.l0.consuming import ConsumingCheck
from cogen.array.l0.facts import CheckedFacts
from cogen.array.l0.sharing import (
    NOTHING,
    Occurrences,
    Root,
    SharedLeaf,
    SharedOrigin,
    Sharing,
    merge,
)
from cogen.array.l0.types import ArrayType, Type, flatten
from cogen.lang.errors import CogenError, Note


class LoopSharing(ConsumingCheck):
    """The part of the check that concerns loops, see Note [Loops]."""

    def loop(self, e: tree.LoopExpression) -> Sharing:
        outside, self.now = self.now, Occurrences()
        initial = self.operand(e.initial)
        self.visit(e.bound)
        self.now.join(initial.occurrences)
        before, self.now = self.now, outside
        types = self.leaves_of(e.initial)
        names = _leaf_names(e.pattern, self.facts.types[e.initial])
        self.bodies.append("the loop's body")
        roots = [Root(name.text, name.span, self.level) if isinstance(name, tree.Name)
                 else Root("_", name.span, self.level) for name in names]  # fmt: skip
        start = tuple(
            [
                SharedLeaf((root,)) if isinstance(t, ArrayType) else NOTHING
                for root, t in zip(roots, types, strict=True)
            ]
        )
        self.bind(e.pattern, start, self.facts.types[e.initial])
        following, during = self.collect(e.body)
        self.demand_unique(e, roots, types, following, during)
        self.bodies.pop()
        updated = [root in during for root in roots]
        consumed = self.consume_initial(e, initial.leaves, roots, during)
        final = _closure(initial.leaves, following, roots, updated, self.level)
        self.bind(e.pattern, final, self.facts.types[e.initial])
        result, after = self.collect(e.result)
        whole = before.followed_by(consumed).followed_by(during.outside(self.level))
        return self.finish(result, whole.followed_by(after))

    def demand_unique(
        self,
        e: tree.LoopExpression,
        roots: Sequence[Root],
        types: Sequence[Type],
        following: Sharing,
        during: Occurrences,
    ) -> None:
        """Refuse a next value that is not as unique as the body takes the variable to be."""
        waiting = [i for i, root in enumerate(roots) if root in during or root in self.needed]
        seen = set(waiting)
        while waiting:
            i = waiting.pop()
            root, leaf = roots[i], following[i]
            obstacle = self.obstacle(leaf)
            if obstacle is None:
                for alias in leaf.aliases:
                    if alias in roots and alias is not root:
                        obstacle = SharedOrigin(
                            f"it may share memory with the loop variable `{alias.name}`",
                            alias.span,
                        )
            if obstacle is not None:
                raise self.not_unique_next(e, root, during, obstacle)
            if root in during:
                self.apart(following, i, "passed to the next iteration", tree.last(e.body).span)
            for j, other in enumerate(roots):
                if other in leaf.causes and j not in seen:
                    seen.add(j)
                    waiting.append(j)
                    self.needed.setdefault(other, self.needed.get(root, root.span))

    def not_unique_next(
        self, e: tree.LoopExpression, root: Root, during: Occurrences, obstacle: SharedOrigin
    ) -> CogenError:
        consumption = during.consumption(root)
        span = consumption.span if consumption else self.needed.get(root, root.span)
        return CogenError(
            f"the next value of the loop variable `{root.name}` must be unique, but may not be",
            tree.last(e.body).span,
            "pass a copy on: copy(...)",
            [Note(f"`{root.name}` is consumed here", span), Note(obstacle.reason, obstacle.span)],
        )

    def consume_initial(
        self, e: tree.LoopExpression, initial: Sharing, roots: Sequence[Root], during: Occurrences
    ) -> Occurrences:
        """The consumption of the initial values of variables that the body updates."""
        consumed = Occurrences()
        parts = _parts(e.initial, self.facts)
        for i, root in enumerate(roots):
            consumption = during.consumption(root)
            if consumption is not None:
                self.apart(initial, i, "passed to the loop", e.initial.span)
                how = f"it is the initial value of `{root.name}`, which the loop's body consumes"
                self.consume(initial[i], parts[i], how, consumed)
            elif root in self.needed:
                obstacle = self.obstacle(initial[i])
                if obstacle is not None:
                    raise CogenError(
                        f"the initial value of the loop variable `{root.name}` must be unique, "
                        "but may not be",
                        parts[i].span,
                        "start with a copy: copy(...)",
                        [
                            Note("the body consumes what is made of it", self.needed[root]),
                            Note(obstacle.reason, obstacle.span),
                        ],
                    )
        return consumed


def _leaf_names(pattern: tree.Pattern, t: Type) -> list[tree.Pattern]:
    """For each leaf of a value, the name or wildcard that a pattern gives it."""
    if isinstance(pattern, tree.TuplePattern):
        parts = zip(pattern.parts, getattr(t, "parts", ()), strict=True)
        return [name for part, part_type in parts for name in _leaf_names(part, part_type)]
    return [pattern] * len(flatten(t))


def _parts(e: tree.Expression, facts: CheckedFacts) -> list[tree.Expression]:
    """For each leaf of a value, the part of a tuple expression that gives it."""
    if isinstance(e, tree.Tuple):
        return [part for whole in e.parts for part in _parts(whole, facts)]
    return [e] * len(flatten(facts.types[e]))


def _closure(
    initial: Sharing, following: Sharing, roots: Sequence[Root], updated: Sequence[bool], level: int
) -> Sharing:
    """What each loop variable shares after the loop, which stands at a level.

    A variable may have its initial value, or its next one, in which stand other variables of the
    loop. What was bound in the body lives on under new roots.
    """
    starts = [
        NOTHING if consumed else leaf for leaf, consumed in zip(initial, updated, strict=True)
    ]
    numbers = {root: i for i, root in enumerate(roots)}
    outside: dict[Root, Root] = {}

    def moved(root: Root) -> Root:
        if root.level <= level:
            return root
        return outside.setdefault(root, Root(root.name, root.span, level))

    result = []
    for i in range(len(roots)):
        seen, waiting = {i}, [i]
        found: list[SharedLeaf] = []
        while waiting:
            j = waiting.pop()
            found.append(starts[j])
            leaf = following[j]
            aliases = tuple([moved(root) for root in leaf.aliases])
            causes = [moved(c) if isinstance(c, Root) else c for c in leaf.causes]
            found.append(SharedLeaf(aliases, tuple(causes)))
            for root in (*leaf.aliases, *leaf.causes):
                number = numbers.get(root) if isinstance(root, Root) else None
                if number is not None and number not in seen:
                    seen.add(number)
                    waiting.append(number)
        result.append(merge(found))
    return tuple(result)
