"""States at memo points: roots -> key, new state, without the walk of `cogen.spec.freeze`.

A composite value is looked at once.  What is found, its `Summary`, is kept on it:

    skeleton   a number for all that the key says of it but numbers, leaves and sharing; two values
               with the same number are trees of the same form
    numbers    at each place of a number or a leaf, from left to right: the number, None for a leaf
    names      the names of the leaves, and
    types      their types
    nodes      the composite values in it, itself first, as numbers that are theirs
    outline    a number for the continuations in it and the constants that they hold
    levels     the leaves by their depth, for the order in which `freeze` meets them

so a value that contains it is looked at without going into it again.  A state's key is made of the
first five, where of names and nodes only counts which are the same.  Two states have the same key
if and only if their tokens in `freeze` are equal.

The state that a new block starts from is a copy over its parameters.  Environments of frames and
procedures are copied when something is looked up in them; until then what is known of a copy is
what is known of the original, over other names.

Not of this form, and left to `freeze`: cyclic values (but for a name and a known offset), mutable
objects, reified continuations, claims, procedures that reach themselves through others, values that
a residual variable stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Final, NamedTuple

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
from cogen.spec.freeze import base_name, static_token
from cogen.spec.liveness import Liveness
from lang import il
from lang.datum import Singleton, Symbol

Leaf = str | tuple[str, int]
"""The identity of a leaf: a name, or one and what is to be added."""

Roots = Sequence[tuple[str, Any]]
Level = tuple[tuple[Leaf, str, str], ...]
"""Leaves of one depth, each with its type and what people would call it ("": by its name)."""


class Summary(NamedTuple):
    """See the module's docstring."""

    skeleton: int
    numbers: tuple[Any, ...]
    names: tuple[Leaf, ...]
    types: tuple[str, ...]
    nodes: tuple[int, ...]
    outline: int
    levels: tuple[Level, ...]


_PLACE: Final = "place"
"""In a skeleton: a number or a leaf."""

_OUTLINE: Final = "outline"
"""How outlines begin."""

_SELF: Final = "self"
"""In a skeleton: the procedure whose environment it is in."""


class State(NamedTuple):
    """What is known of a state: the key, and the summary of its roots together."""

    key: Hashable
    summary: Summary
    shares: bool
    """Whether a composite value occurs more than once."""
    outlined: bool
    """Whether no continuation occurs more than once."""

    def may_serve(self, other: State, meeting: bool) -> bool:
        """Whether this state, at the same point, could be the more general one of the two, or
        become it (`cogen.spec.memo.generalization`, whose `join` is `meeting`); a first look,
        which says yes too often."""
        own, others = self.summary, other.summary
        if self.shares or other.shares:
            return own.outline == others.outline or not (self.outlined and other.outlined)
        if own.skeleton != others.skeleton:
            return False
        if meeting:
            return own.numbers == others.numbers
        return all(a == b or b is None for a, b in zip(own.numbers, others.numbers, strict=True))


class States:
    """Summaries, keys and copies for one specialization."""

    def __init__(self, liveness: Liveness) -> None:
        self.liveness = liveness
        self._skeletons: dict[tuple[Any, ...], int] = {}
        self._busy: set[int] = set()
        self._hints: dict[object, tuple[tuple[str, str], ...]] = {}
        self._node = 0
        self._frames: set[int] = set()
        """The nodes that are frames."""

    def state(self, roots: Roots) -> State | None:
        """What is known of a state, None if it is not of the form."""
        found = self._together((), roots, (), None)
        if found is None:
            return None
        nodes = found.nodes
        shares, outlined = len(set(nodes)) != len(nodes), True
        if shares:
            frames = [node for node in nodes if node in self._frames]
            outlined = len(set(frames)) == len(frames)
        leaves = _same_leaves(found.names, found.types)
        key = found.skeleton, found.numbers, leaves, _same(nodes) if shares else None
        return State(key, found, shares, outlined)

    def node_of(self, value: Any) -> int | None:
        """The number of a composite value, None if it has not been looked at."""
        known = value.summary
        if type(known) is int:
            return known
        if type(known) is Later:
            return known.summary.nodes[0]
        return known.nodes[0] if known else None

    def _together(
        self, heading: tuple[Any, ...], parts: Roots, nodes: tuple[int, ...], own: Any
    ) -> Summary | None:
        """The summary of something with these parts; `nodes` are those of `own`, which it is."""
        skeleton: list[Any] = [*heading]
        outline: list[Any] = [_OUTLINE, *heading]
        numbers: list[Any] = []
        names: list[Leaf] = []
        types: list[str] = []
        inner: list[int] = [*nodes]
        levels: list[list[tuple[Leaf, str, str]]] = [[]]
        depth = 0
        in_list = len(parts) - 1 if type(own) is PartialPair else 0
        for hint, value in parts:
            kind = type(value)
            if kind is Static:
                datum = value.datum
                of = type(datum)
                if of is int or of is float:
                    skeleton.append(_PLACE)
                    outline.append(_PLACE)
                    numbers.append(datum if of is int else static_token(datum))
                else:
                    token = datum if of is Symbol or of is Singleton else static_token(datum)
                    skeleton.append(token)
                    outline.append(token)
            elif kind is Dynamic or (kind is Cyclic and value.base == 1):
                leaf: Leaf
                if kind is Dynamic:
                    leaf, type_ = value.name, value.type
                    if "/" in type_:
                        return None
                else:
                    name, offset, type_ = value.quotient.name, value.remainder, "int"
                    leaf = (name, offset) if offset else name
                skeleton.append(_PLACE)
                outline.append(_PLACE)
                numbers.append(None)
                names.append(leaf)
                types.append(type_)
                levels[depth].append((leaf, type_, hint))
            elif kind in _COMPOSITE:
                if value is own:
                    skeleton.append(_SELF)
                    continue
                part = value.summary
                if type(part) is not Summary:
                    part = self._summary(value)
                    if part is None:
                        return None
                skeleton.append(part.skeleton)
                outline.append(part.outline if kind is Frame else _PLACE)
                numbers += part.numbers
                inner += part.nodes
                if part.names:
                    names += part.names
                    types += part.types
                    below = depth + 1
                    while len(levels) < below + len(part.levels):
                        levels.append([])
                    for level in part.levels:
                        levels[below] += level
                        below += 1
            elif kind is Return or kind is Primitive or kind is Stop:
                token = _token(value)
                skeleton.append(token)
                outline.append(token)
            else:
                return None
            if depth < in_list - 1:  # the next pair's half
                depth += 1
                if len(levels) <= depth:
                    levels.append([])
        known = self._skeletons
        return Summary(
            known.setdefault(tuple(skeleton), len(known)),
            tuple(numbers),
            tuple(names),
            tuple(types),
            tuple(inner),
            known.setdefault(tuple(outline), len(known)),
            tuple(map(tuple, levels)) if names else (),
        )

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
            heading, parts, nodes = self._spine(value)
        else:
            heading, parts = self._parts(type(value), value)
            nodes = (self._number(value),)
        found = self._together(heading, parts, nodes, value)
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

    def _spine(self, pair: PartialPair) -> tuple[tuple[Any, ...], Roots, tuple[int, ...]]:
        """The heading, the parts and the nodes of a list: long ones are not to be nested."""
        if pair.ground is not None:
            return ("ground", pair.ground), (), (self._number(pair),)
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
        return ("list", len(nodes)), parts, tuple(nodes)

    def _parts(self, kind: type, value: Any) -> tuple[tuple[Any, ...], Roots]:
        """What makes a value the kind of value that it is, and its parts."""
        if kind is Frame or kind is Closure:
            environment = value.environment
            source = value.cont if kind is Frame else value.function
            return (source,), [(hint, environment[name]) for name, hint in self.hints(source)]
        if kind is Test:
            heading = ("test", value.op, value.fails, len(value.arguments))
            return heading, [("", item) for item in value.arguments]
        if kind is PartialRecord:
            return ("record", value.type), [*zip(value.type.fields, value.fields, strict=True)]
        return ("several", len(value.values)), [("", item) for item in value.values]

    def hints(self, source: il.Cont | il.Function) -> tuple[tuple[str, str], ...]:
        """The live names of a continuation or procedure, each with what people would call it."""
        found = self._hints.get(source)
        if found is None:
            names = (
                self.liveness.of_cont(source)
                if type(source) is il.Cont
                else self.liveness.of_function(source)
            )
            found = self._hints[source] = tuple((name, base_name(name)) for name in names)
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
                    name = fresh(hint or base_name(split(leaf)[0]))
                    names[leaf] = variable(name, type_)
        return Copy(self, names)


class Copy:
    """Copies values over new names: `names` by the old ones, in order of first occurrence."""

    __slots__ = ("_shells", "_states", "names")

    def __init__(self, states: States, names: dict[Leaf, Dynamic]) -> None:
        self._states = states
        self.names = names
        self._shells: dict[int, Any] = {}

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
        if kind not in _COMPOSITE:
            return value
        shell = self._shells.get(id(value))
        if shell is not None:
            return shell
        known = value.summary
        if type(known) is Summary and not known.names and not known.numbers:
            return value  # nothing of it is new
        if kind is Frame:
            environment = LaterEnvironment(self, value.environment, self._states.hints(value.cont))
            shell = Frame(value.cont, environment, value.activation, value.block)
        elif kind is Closure:
            environment = LaterEnvironment(
                self, value.environment, self._states.hints(value.function)
            )
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
            end = PartialPair(car, end)
            self._keep(pair, end)
        return end  # type: ignore[no-any-return]

    def _keep(self, value: Any, shell: Any) -> None:
        self._shells[id(value)] = shell
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
        renamed = self.copy.names
        new = [renamed[name] for name in old.names]
        return Summary(
            old.skeleton,
            old.numbers,
            tuple([name.name for name in new]),
            tuple([name.type for name in new]),
            old.nodes,
            old.outline,
            tuple([_renamed(level, renamed) for level in old.levels]),
        )


def _renamed(level: Level, names: Mapping[Leaf, Dynamic]) -> Level:
    return tuple([(names[leaf].name, names[leaf].type, hint) for leaf, _, hint in level])


class LaterEnvironment(dict[str, Any]):
    """The environment of a copy, filled when something is looked up in it."""

    __slots__ = ("_copy", "_names", "_old")

    def __init__(self, copy: Copy, old: Environment, names: tuple[tuple[str, str], ...]) -> None:
        super().__init__()
        self._copy = copy
        self._old = old
        self._names = names

    def __missing__(self, name: str) -> Any:
        copy, old = self._copy, self._old
        for known, _ in self._names:
            self[known] = copy.of(old[known])
        return self[name]


def split(leaf: Leaf) -> tuple[str, int]:
    """The name of a leaf, and what is to be added to it."""
    return leaf if type(leaf) is tuple else (leaf, 0)  # type: ignore[return-value]


def _token(value: Primitive | Return | Stop) -> Hashable:
    if type(value) is Stop:
        return "stop"
    return ("p", value.name) if type(value) is Primitive else ("return", value.cont)  # type: ignore[union-attr]


def _same(items: Sequence[int]) -> tuple[int, ...]:
    """For each item the number of the first that is the same."""
    first: dict[int, int] = {}
    return tuple([first.setdefault(item, len(first)) for item in items])


def _same_leaves(names: tuple[Leaf, ...], types: tuple[str, ...]) -> Hashable:
    """Which leaves are the same, and the type of each where it stands first."""
    if len(set(names)) == len(names):
        return types
    first: dict[Leaf, int] = {}
    order = tuple([first.setdefault(name, len(first)) for name in names])
    known: dict[Leaf, str] = {}
    for name, type in zip(names, types, strict=True):
        known.setdefault(name, type)
    return order, tuple(known.values())


_COMPOSITE: Final = frozenset({PartialPair, Frame, Closure, Test, PartialRecord, Several})
