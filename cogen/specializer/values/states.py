"""States at memo points: roots -> key, new state, without the walk of `values.freeze`.

A composite value is looked at once.  What is found, its `Summary`, is kept on it (`summary.py`),
so a value that contains it is looked at without going into it again.  A state's key is made of
these, where of leaves count the types, and of leaves and nodes which are the same.  Two states have
the same key if and only if their tokens in `freeze` are equal.

The state that a new block starts from is a copy over its parameters (`values.copies`).

Not of this form, and left to `freeze`: cyclic values (but for a name and a known offset), mutable
objects, reified continuations, claims, procedures that reach themselves through others, values that
a residual variable stands for, and what shares so much that as a tree it would be very large.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cogen.lang import il
from cogen.lang.ilutil import base_name
from cogen.specializer.programs.liveness import Liveness, Names
from cogen.specializer.values.domain import (
    Closure,
    Cyclic,
    Dynamic,
    Frame,
    PartialPair,
    PartialRecord,
    Primitive,
    Return,
    Static,
    Stop,
    Test,
)
from cogen.specializer.values.freeze import end_token, static_token
from cogen.specializer.values.summary import (
    GROUND,
    LIST,
    PLACE,
    SELF,
    SUMMARIZED,
    DeferredSummary,
    Leaf,
    Level,
    Skeleton,
    Summary,
    same,
)

Roots = Sequence[tuple[str, Any]]

FEW_NODES: Final = 1000
"""In a state with more composite values than this, each counted as often as it occurs ..."""

MOST_OFTEN: Final = 4
"""... each may occur so often on the average.  A state is known as a tree here, and what shares
parts that share parts is a tree of exponential size; the walk of `freeze` meets each value once."""

_ROOTS: Final = ("roots",)
"""How the skeleton of a state begins."""


@dataclass(slots=True, eq=False, repr=False)
class State:
    """What is known of a state: the key, the summary of its roots together, and the names of its
    leaves in the order in which `freeze` meets them."""

    key: tuple[Any, ...]
    summary: Summary
    names: list[Leaf]
    shares: bool
    """Whether a composite value occurs more than once."""
    outlined: bool
    """Whether no continuation occurs more than once."""

    def may_serve(self, other: State, meeting: bool) -> bool:
        """Whether this state, at the same point, could be the more general one of the two, or
        become it (`versions.memo.generalization`, whose `join` is `meeting`); a first look,
        which says yes too often."""
        own, others = self.summary, other.summary
        if self.shares or other.shares:
            if not (self.outlined and other.outlined):
                return True
            return own.skeleton.outline() == others.skeleton.outline()
        if own.skeleton is not others.skeleton:
            return False
        if own.numbers == others.numbers:
            return True
        return not meeting and all(
            a == b or b is None for a, b in zip(own.numbers, others.numbers, strict=True)
        )

    def is_like(self, other: State) -> bool:
        """Whether two states could be equal but for numbers."""
        own, others = self.key, other.key
        return own[0] is others[0] and own[2:] == others[2:]


class States:
    """Summaries, keys and copies for one specialization."""

    def __init__(self, liveness: Liveness) -> None:
        self.liveness = liveness
        self._skeletons: dict[tuple[Any, ...], Skeleton] = {}
        self._outlines: dict[tuple[Any, ...], int] = {}
        self._busy: set[int] = set()
        self._hints: dict[object, tuple[Names, Names]] = {}
        self._grounds: dict[int, PartialPair] = {}
        self._insides: dict[int, Skeleton] = {}
        self._node = 0
        self._frames: set[int] = set()
        """The nodes that are frames."""

    def state(self, roots: Roots) -> State | None:
        """What is known of a state, None if it is not of the form."""
        found = self._together(_ROOTS, roots, (), None)
        if found is None:
            return None
        nodes = found.nodes
        shares, outlined = len(set(nodes)) != len(nodes), True
        if shares:
            frames = [node for node in nodes if node in self._frames]
            outlined = len(set(frames)) == len(frames)
        leaves = [leaf for level in found.levels for leaf in level]
        names = [name for name, _, _ in leaves]
        types: Hashable = tuple([type for _, type, _ in leaves])
        if len(set(names)) != len(names):
            first: dict[Leaf, str] = {}
            for name, type_, _ in leaves:
                first.setdefault(name, type_)
            types = same(names), tuple(first.values())
        key = found.skeleton, found.numbers, types, same(nodes) if shares else None
        return State(key, found, names, shares, outlined)

    def node_of(self, value: Any) -> int | None:
        """The number of a composite value, None if it has not been looked at."""
        known = value.summary
        if type(known) is int:
            return known
        if type(known) is DeferredSummary:
            return known.summary.nodes[0]
        return known.nodes[0] if known else None

    def are_equal(self, values: Sequence[Any]) -> bool:
        """Whether composite values are known to be the same but for which variables their leaves
        are, and for sharing."""
        first = self.form(values[0])
        if first is None:
            return False
        for value in values[1:]:
            other = self.form(value)
            if other is None or other.skeleton is not first.skeleton:
                return False
            if other.numbers != first.numbers:
                return False
        return True

    def form(self, value: Any) -> Summary | None:
        """The summary of a composite value, perhaps over other names; None if it has none."""
        known = value.summary
        kind = type(known)
        if kind is DeferredSummary:
            return known.summary  # type: ignore[no-any-return]
        return known if kind is Summary else self._summary(value)

    def _together(
        self,
        heading: tuple[Any, ...],
        parts: Iterable[tuple[str, Any]],
        nodes: tuple[int, ...],
        own: Any,
        pairs: int = 0,
    ) -> Summary | None:
        """The summary of something with these parts; `nodes` are those of `own`, which it is, a
        list of so many `pairs` or something else."""
        skeleton: list[Any] = [*heading]
        numbers: list[Any] = []
        inner: list[int] = [*nodes]
        level: list[tuple[Leaf, str, str]] = []
        levels = [level]
        depth = 0
        for hint, value in parts:
            kind = type(value)
            if kind is Static:
                datum = value.datum
                of = type(datum)
                if of is int or of is float:
                    skeleton.append(PLACE)
                    numbers.append(datum if of is int else static_token(datum))
                else:
                    skeleton.append(static_token(datum))
            elif kind is Dynamic:
                type_ = value.type
                if "/" in type_:
                    return None
                skeleton.append(PLACE)
                numbers.append(None)
                level.append((value.name, type_, hint))
            elif kind in SUMMARIZED:
                if value is own:
                    skeleton.append(SELF)
                    continue
                part = value.summary
                if type(part) is not Summary:
                    part = self._summary(value)
                    if part is None:
                        return None
                skeleton.append(part.skeleton)
                numbers += part.numbers
                inner += part.nodes
                if part.levels:
                    _put_below(levels, depth, part.levels)
            elif kind is Cyclic and value.base == 1:
                name, offset = value.quotient.name, value.remainder
                skeleton.append(PLACE)
                numbers.append(None)
                level.append(((name, offset) if offset else name, "int", hint))
            elif kind is Return or kind is Primitive or kind is Stop:
                skeleton.append(end_token(value))
            else:
                return None
            if depth < pairs - 1:  # the next pair's half
                depth += 1
                level = _level_at(levels, depth)
        return self._interned(skeleton, numbers, inner, levels)

    def _interned(
        self,
        skeleton: list[Any],
        numbers: list[Any],
        inner: list[int],
        levels: list[list[tuple[Leaf, str, str]]],
    ) -> Summary | None:
        """The summary of these, None if as a tree it is too large; equal skeletons are one."""
        while levels and not levels[-1]:
            levels.pop()
        if len(inner) > FEW_NODES and len(inner) > MOST_OFTEN * len(set(inner)):
            return None
        items = tuple(skeleton)
        form = self._skeletons.get(items)
        if form is None:
            form = self._skeletons[items] = Skeleton(items, self._outlines)
        return Summary(form, tuple(numbers), tuple(inner), tuple([tuple(one) for one in levels]))

    def _summary(self, value: Any) -> Summary | None:
        """The summary of a composite value, None if it has none."""
        known = value.summary
        if known is False:
            return None
        if type(known) is DeferredSummary:
            value.summary = known.found()
            return value.summary  # type: ignore[no-any-return]
        if id(value) in self._busy:
            return None
        self._busy.add(id(value))
        if type(value) is PartialPair:
            found = self._list(value)
        else:
            heading, parts = self._parts(type(value), value)
            found = self._together(heading, parts, (self._number(value),), value)
        self._busy.discard(id(value))
        value.summary = False if found is None else found
        return found

    def _number(self, value: Any) -> int:
        if type(value.summary) is int:
            return value.summary
        self._node += 1
        if type(value) is Frame:
            self._frames.add(self._node)
        return self._node

    def _list(self, pair: PartialPair) -> Summary | None:
        """The summary of a list: long ones are not to be nested."""
        if pair.ground is not None:
            self._grounds.setdefault(pair.ground, pair)
            return self._together((GROUND, pair.ground), (), (self._number(pair),), pair)
        parts: list[tuple[str, Any]] = []
        nodes: list[int] = []
        rest: Any = pair
        while type(rest) is PartialPair and rest.ground is None:
            node = self.node_of(rest)
            if node is None:
                node = rest.summary = self._number(rest)
            nodes.append(node)
            parts.append(("", rest.car))
            rest = rest.cdr
        parts.append(("", rest))
        return self._together((LIST, len(nodes)), parts, tuple(nodes), pair, len(nodes))

    def inside(self, ground: int) -> Skeleton:
        """The skeleton of a pair without dynamic parts that such a number stands for, as that of
        a list."""
        found = self._insides.get(ground)
        if found is None:
            items: list[tuple[str, Any]] = []
            rest: Any = self._grounds[ground]
            while type(rest) is PartialPair:
                items.append(("", rest.car))
                rest = rest.cdr
            summary = self._together((LIST, len(items)), [*items, ("", rest)], (), None)
            assert summary is not None, "constants have summaries"
            found = self._insides[ground] = summary.skeleton
        return found

    def _parts(self, kind: type, value: Any) -> tuple[tuple[Any, ...], Iterable[tuple[str, Any]]]:
        """What makes a value the kind of value that it is, and its parts."""
        if kind is Frame or kind is Closure:
            source = value.cont if kind is Frame else value.function
            names, hints = self.names(source)
            return (source,), zip(hints, map(value.environment.__getitem__, names), strict=True)
        if kind is Test:
            heading = ("test", value.op, value.fails, len(value.arguments))
            return heading, [("", item) for item in value.arguments]
        if kind is PartialRecord:
            return ("record", value.type), zip(value.type.fields, value.fields, strict=True)
        return ("several", len(value.values)), [("", item) for item in value.values]

    def names(self, source: il.Cont | il.Function) -> tuple[Names, Names]:
        """The live names of a continuation or procedure, and what people would call these."""
        found = self._hints.get(source)
        if found is None:
            names = (
                self.liveness.of_cont(source)
                if type(source) is il.Cont
                else self.liveness.of_function(source)
            )
            found = self._hints[source] = names, tuple(map(base_name, names))
        return found


def _level_at(levels: list[list[tuple[Leaf, str, str]]], depth: int) -> list[tuple[Leaf, str, str]]:
    """The level of a depth, which may be a new one."""
    if len(levels) == depth:
        levels.append([])
    return levels[depth]


def _put_below(
    levels: list[list[tuple[Leaf, str, str]]], depth: int, parts: tuple[Level, ...]
) -> None:
    """Put the leaves of a part among those of the whole, below a depth."""
    for leaves in parts:
        depth += 1
        if depth == len(levels):
            levels.append([])
        levels[depth] += leaves
