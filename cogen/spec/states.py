"""States at memo points: roots -> key, new state, without the walk of `cogen.spec.freeze`.

A composite value is looked at once.  What is found, its `Summary`, is kept on it:

    skeleton   all that the key says of it but numbers, leaves and sharing; two values with the same
               skeleton are trees of the same form
    numbers    at each place of a number or a leaf, from left to right: the number, None for a leaf
    nodes      the composite values in it, itself first, as numbers that are theirs
    levels     the leaves by their depth, so in the order in which `freeze` meets them

so a value that contains it is looked at without going into it again.  A state's key is made of
these, where of leaves count the types, and of leaves and nodes which are the same.  Two states have
the same key if and only if their tokens in `freeze` are equal.

The state that a new block starts from is a copy over its parameters.  Environments of frames and
procedures are copied when something is looked up in them; until then what is known of a copy is
what is known of the original, over other names.

Not of this form, and left to `freeze`: cyclic values (but for a name and a known offset), mutable
objects, reified continuations, claims, procedures that reach themselves through others, values that
a residual variable stands for, and what shares so much that as a tree it would be very large.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Final

from cogen.lang import il
from cogen.lang.datum import Singleton, Symbol
from cogen.lang.ilutil import base_name
from cogen.spec.domain import (
    Closure,
    Cyclic,
    Dynamic,
    Environment,
    Frame,
    PartialPair,
    PartialRecord,
    Primitive,
    Return,
    Several,
    Static,
    Stop,
    Test,
)
from cogen.spec.freeze import static_token
from cogen.spec.liveness import Liveness, Names

Leaf = str | tuple[str, int]
"""The identity of a leaf: a name, or one and what is to be added."""

Roots = Sequence[tuple[str, Any]]
Level = tuple[tuple[Leaf, str, str], ...]
"""Leaves of one depth, each with its type and what people would call it ("": by its name)."""


class Skeleton:
    """All that a key says of a value but numbers, leaves and sharing: what kind of value it is, and
    constants, places and skeletons in order; one object for all values of the same form."""

    __slots__ = ("_outline", "_outlines", "items")

    def __init__(self, items: tuple[Any, ...], outlines: dict[tuple[Any, ...], int]) -> None:
        self.items = items
        self._outlines = outlines
        self._outline = -1

    def outline(self) -> int:
        """A number for the continuations in it and the constants that they hold."""
        if self._outline < 0:
            items: list[Any] = []
            for item in self.items:
                if type(item) is not Skeleton:
                    items.append(item)
                else:
                    is_frame = type(item.items[0]) is il.Cont
                    items.append(item.outline() if is_frame else PLACE)
            self._outline = self._outlines.setdefault(tuple(items), len(self._outlines))
        return self._outline


class Summary:
    """See the module's docstring."""

    __slots__ = ("levels", "nodes", "numbers", "skeleton")

    def __init__(
        self,
        skeleton: Skeleton,
        numbers: tuple[Any, ...],
        nodes: tuple[int, ...],
        levels: tuple[Level, ...],
    ) -> None:
        self.skeleton = skeleton
        self.numbers = numbers
        self.nodes = nodes
        self.levels = levels


FEW_NODES: Final = 1000
"""In a state with more composite values than this, each counted as often as it occurs ..."""

MOST_OFTEN: Final = 4
"""... each may occur so often on the average.  A state is known as a tree here, and what shares
parts that share parts is a tree of exponential size; the walk of `freeze` meets each value once."""

PLACE: Final = "place"
"""In a skeleton: a number or a leaf."""

LIST: Final = "list"
"""How the skeleton of a list begins."""

GROUND: Final = "ground"
"""How the skeleton of a pair without dynamic parts begins."""

_ROOTS: Final = ("roots",)
"""How the skeleton of a state begins."""

SELF: Final = "self"
"""In a skeleton: the procedure whose environment it is in."""


class State:
    """What is known of a state: the key, the summary of its roots together, and the names of its
    leaves in the order in which `freeze` meets them."""

    __slots__ = ("key", "names", "outlined", "shares", "summary")

    def __init__(
        self,
        key: tuple[Any, ...],
        summary: Summary,
        names: list[Leaf],
        shares: bool,
        outlined: bool,
    ) -> None:
        self.key = key
        self.summary = summary
        self.names = names
        self.shares = shares
        """Whether a composite value occurs more than once."""
        self.outlined = outlined
        """Whether no continuation occurs more than once."""

    def may_serve(self, other: State, meeting: bool) -> bool:
        """Whether this state, at the same point, could be the more general one of the two, or
        become it (`cogen.spec.memo.generalization`, whose `join` is `meeting`); a first look,
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
            types = _same(names), tuple(first.values())
        key = found.skeleton, found.numbers, types, _same(nodes) if shares else None
        return State(key, found, names, shares, outlined)

    def node_of(self, value: Any) -> int | None:
        """The number of a composite value, None if it has not been looked at."""
        known = value.summary
        if type(known) is int:
            return known
        if type(known) is Later:
            return known.summary.nodes[0]
        return known.nodes[0] if known else None

    def are_equal(self, values: Sequence[Any]) -> bool:
        """Whether composite values are known to be the same but for which variables their leaves
        are, and for sharing."""
        first = self.form(values[0])
        if first is None:
            return False
        for value in values:
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
        if kind is Later:
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
                    simple = of is Symbol or of is Singleton
                    skeleton.append(datum if simple else static_token(datum))
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
                below = depth
                for leaves in part.levels:
                    below += 1
                    if below == len(levels):
                        levels.append([])
                    levels[below] += leaves
            elif kind is Cyclic and value.base == 1:
                name, offset = value.quotient.name, value.remainder
                skeleton.append(PLACE)
                numbers.append(None)
                level.append(((name, offset) if offset else name, "int", hint))
            elif kind is Return or kind is Primitive or kind is Stop:
                skeleton.append(_token(value))
            else:
                return None
            if depth < pairs - 1:  # the next pair's half
                depth += 1
                if len(levels) == depth:
                    levels.append([])
                level = levels[depth]
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
        if type(known) is Later:
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

    def copy(
        self, state: State, fresh: Callable[[str], str], variable: Callable[[str, str], Dynamic]
    ) -> Copy:
        """A copy of a state over new names, which `fresh` makes and `variable` notes the type
        of."""
        names: dict[Leaf, Dynamic] = {}
        for level in state.summary.levels:
            for leaf, type_, hint in level:
                if leaf not in names:
                    names[leaf] = variable(fresh(hint or base_name(split(leaf)[0])), type_)
        return Copy(self, names)


class Copy:
    """Copies values over new names: `names` by the old ones, in order of first occurrence."""

    __slots__ = ("_kept", "_shells", "_states", "names")

    def __init__(self, states: States, names: dict[Leaf, Dynamic]) -> None:
        self._states = states
        self.names = names
        self._shells: dict[int, Any] = {}
        self._kept: list[Any] = []
        """The values that have shells, so that no later one is at the address of one of them."""

    def of(self, value: Any) -> Any:
        """The copy of a value."""
        kind = type(value)
        if kind is Static:
            # a number is an object of its own at each place (`Frozen.thaw`)
            of = type(value.datum)
            return Static(value.datum) if of is int or of is float else value
        if kind is Dynamic:
            new = self.names[value.name]
            return Dynamic(new.name, new.type)
        if kind is Cyclic:
            old, offset = value.quotient.name, value.remainder
            new = self.names[(old, offset) if offset else old]
            return Dynamic(new.name, new.type)
        if kind not in SUMMARIZED:
            return value
        shell = self._shells.get(id(value))
        if shell is not None:
            return shell
        known = value.summary
        if type(known) is Summary and not known.levels and not known.numbers:
            return value  # nothing of it is new
        if kind is Frame:
            names, _ = self._states.names(value.cont)
            environment = LaterEnvironment(self, value.environment, names)
            shell = Frame(value.cont, environment, value.activation, value.block)
        elif kind is Closure:
            names, _ = self._states.names(value.function)
            environment = LaterEnvironment(self, value.environment, names)
            shell = Closure(value.function, environment)
        elif kind is PartialPair:
            return self._list(value)
        elif kind is Test:
            arguments = tuple([self.of(item) for item in value.arguments])
            shell = Test(value.op, arguments, value.fails, value.span)
        elif kind is PartialRecord:
            shell = PartialRecord(value.type, tuple([self.of(item) for item in value.fields]))
        else:
            shell = Several(tuple([self.of(item) for item in value.values]))
        self._keep(value, shell)
        return shell

    def _list(self, value: PartialPair) -> PartialPair:
        """The copy of a pair, and of the list that it begins."""
        pairs: list[PartialPair] = []
        rest: Any = value
        while type(rest) is PartialPair and rest.ground is None and id(rest) not in self._shells:
            pairs.append(rest)
            rest = rest.cdr
        if not pairs:
            return value  # it is ground
        copied = [self.of(pair.car) for pair in pairs]
        end = self._shells.get(id(rest)) or self.of(rest)
        for pair, car in zip(reversed(pairs), reversed(copied), strict=True):
            end = PartialPair(car, end, None, pair.site)
            self._keep(pair, end)
        return end  # type: ignore[no-any-return]

    def _keep(self, value: Any, shell: Any) -> None:
        self._shells[id(value)] = shell
        self._kept.append(value)
        known = value.summary
        if type(known) is Summary:
            shell.summary = Later(known, self)
        elif type(known) is Later:
            shell.summary = Later(known.found(), self)
        elif type(known) is int:
            shell.summary = known


class Later:
    """The summary of a copy, until it is asked for."""

    __slots__ = ("copy", "summary")

    def __init__(self, summary: Summary, copy: Copy) -> None:
        self.summary = summary
        self.copy = copy

    def found(self) -> Summary:
        """The summary of the original over the copy's names."""
        old = self.summary
        if not old.levels:
            return old
        names = self.copy.names
        levels = tuple([_renamed(level, names) for level in old.levels])
        return Summary(old.skeleton, old.numbers, old.nodes, levels)


def _renamed(level: Level, names: Mapping[Leaf, Dynamic]) -> Level:
    return tuple([((new := names[leaf]).name, new.type, hint) for leaf, _, hint in level])


class LaterEnvironment(dict[str, Any]):
    """The environment of a copy, filled when something is looked up in it."""

    __slots__ = ("_copy", "_names", "_old")

    def __init__(self, copy: Copy, old: Environment, names: Names) -> None:
        super().__init__()
        self._copy = copy
        self._old = old
        self._names = names

    def __missing__(self, name: str) -> Any:
        copy, old = self._copy, self._old
        for known in self._names:
            self[known] = copy.of(old[known])
        return self[name]


def split(leaf: Leaf) -> tuple[str, int]:
    """The name of a leaf, and what is to be added to it."""
    return leaf if type(leaf) is tuple else (leaf, 0)  # type: ignore[return-value]


def _token(value: Primitive | Return | Stop) -> Hashable:
    if type(value) is Stop:
        return "stop"
    return ("p", value.name) if type(value) is Primitive else ("return", value.cont)  # type: ignore[union-attr]


def _same(items: Sequence[Hashable]) -> tuple[int, ...]:
    """For each item the number of the first that is the same."""
    first: dict[Hashable, int] = {}
    return tuple([first.setdefault(item, len(first)) for item in items])


SUMMARIZED: Final = frozenset({PartialPair, Frame, Closure, Test, PartialRecord, Several})
"""The kinds of values that have summaries."""
