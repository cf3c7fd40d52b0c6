"""Memo points: residual blocks by static state, and when a state is generalized.

A memo point is reached with a state: roots (values and continuations), the store, the values
already built.  Its key is the program point and the state's static skeleton (`freeze`).  A new key
makes a residual block; a known one jumps to the block it made.

Note [Generalizing constants to dynamic]
    An accumulator that starts at 0 makes a loop's first arrival at its memo point differ from all
    later ones in one constant.  If a block has an ancestor at the same point whose skeleton is the
    same but for numbers where the new one has dynamic leaves, the ancestor is started again with
    these numbers lifted (upward generalization): the loop is not unrolled once for its start
    values.  Likewise for two variables that are one at the first arrival only; two that become one
    on the way round need nothing, the loop goes on (a second one would leave and enter the first
    in its middle: neither could be counted).  Only numbers and sharing, and only along a chain of
    ancestors.

Note [Joins]
    The arms of a conditional that meet in a continuation give versions of it for each of their
    static values.  But which dynamic values are the same, and their types, must not multiply the
    code after it: states that differ in these only are given one block, the more general one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final

from cogen.interval import EVERYTHING, Interval, join, within
from cogen.kinds import ANYTHING, Kinds
from cogen.lang.datum import RecordType
from cogen.lang.errors import InternalError
from cogen.specializer.values.domain import Activation, Dynamic
from cogen.specializer.values.facts import Facts
from cogen.specializer.values.fixed import Parts, in_both
from cogen.specializer.values.freeze import Frozen, FrozenSlot, Lifted, Store, Token
from cogen.specializer.values.kindred import Kindred
from cogen.specializer.versions.graph import RawBlock, RawFunction

MAX_ANCESTORS: Final = 32
"""Blocks at the same point that a new state is compared with."""

Point = tuple[Hashable, ...]
"""A kind of memo point and the piece of the program where it is."""
Arms = tuple[tuple[int, Hashable], ...]
"""Which arms of conditionals a path has taken in its block, the conditionals by id."""
Leaf = tuple[str, int]
"""A dynamic leaf of a state: a variable, and what is to be added to it."""
Roots = list[tuple[str, Any]]
Resume = Callable[[Any, list[Any]], None]
"""Goes on from a memo point: with a `paths.path.Path` and the values of the roots, in
order."""


class ResultShape:
    """What is known of a residual procedure's results: their `shape` (`execution.results`), None
    before there is one, how often it changed, the constants in structures that it is `given`, and
    the blocks whose code relies on the shape: that call it, return, or return what it gives."""

    __slots__ = ("calling", "changes", "given", "passing", "returning", "shape")

    def __init__(self) -> None:
        self.shape: Any = None
        self.changes = 0
        self.given: frozenset[Token] = frozenset()
        self.calling: dict[ResidualBlock, None] = {}
        self.returning: dict[ResidualBlock, None] = {}
        self.passing: dict[ResidualBlock, None] = {}


class VersionedProcedure:
    """A residual procedure being made: its raw function, its memo table, its blocks, what it
    returns."""

    __slots__ = ("at_point", "blocks", "on_trial", "raw", "result", "root", "versions")

    def __init__(self, raw: RawFunction) -> None:
        self.raw = raw
        self.result = ResultShape()
        self.blocks: dict[Hashable, ResidualBlock] = {}
        self.at_point: dict[Point, list[ResidualBlock]] = {}
        self.on_trial: dict[Point, Kindred[ResidualBlock]] = {}
        """The blocks in whose states something is made dynamic on trial (`versions.demand`)."""
        self.versions: dict[Hashable, int] = {}
        """By point and state without what barrier cells hold: the blocks with something in them."""
        self.root: ResidualBlock | None = None


class Wider:
    """What of a block's state is to be more general when the block is started again.

    `positions` are the numeric constants (by token position) to be lifted, each with the position
    whose variable it shares; `roots` are whole roots to be lifted, `slots` values wherever in the
    state they are, some in the pairs `opened` (by id) that have no dynamic parts before
    (`growth.growth_detection`); `types` are the leaves (by token position) whose type is
    forgotten; `splits` the parameters to be split by their remainder, with what number and in what
    steps (`versions.auto`).
    """

    __slots__ = ("opened", "positions", "roots", "slots", "splits", "types")

    def __init__(self) -> None:
        self.positions: dict[int, int] = {}
        self.roots: set[int] = set()
        self.slots: dict[FrozenSlot, None] = {}
        self.opened: set[int] = set()
        self.types: set[int] = set()
        self.splits: dict[str, tuple[int, int]] = {}

    def is_any(self) -> bool:
        """Whether there is anything to be done."""
        return bool(self.positions or self.roots or self.slots or self.types or self.splits)


def _nowhere(path: Any, values: list[Any]) -> None:
    """Goes on from a block that is not needed any more."""
    raise InternalError("the specialization is over")


class ResidualBlock:
    """A residual block being made, and the state it starts from.

    `nearest` leads to the nearest ancestor at each point; `wider` is what of the state is to become
    more general when it is started again.  `intervals`, `kinds`, `parts` and `variants` are those
    of parameters, for all arrivals.
    `arms` are those that its parent's path took on the way to it.
    `recursions` and `cuts` are those of `execution.recursion`, `successors` to `holder` those of
    `versions.reach`.
    `whole` tells that nothing is to be split from here on (`versions.auto`).
    """

    __slots__ = (
        "activation",
        "arms",
        "certain",
        "cuts",
        "first",
        "frozen",
        "holder",
        "intervals",
        "kinds",
        "lifted",
        "nearest",
        "parent",
        "parts",
        "point",
        "predecessors",
        "procedure",
        "queued",
        "raw",
        "reached",
        "recursions",
        "resume",
        "root_keys",
        "roots",
        "store",
        "successors",
        "tokens",
        "variants",
        "whole",
        "wider",
    )

    def __init__(
        self,
        procedure: VersionedProcedure,
        raw: RawBlock,
        point: Point,
        state: tuple[Roots, Store, Lifted],
        resume: Resume,
        activation: Activation | None,
        parent: ResidualBlock | None,
        certain: bool,
    ) -> None:
        self.procedure = procedure
        self.raw = raw
        self.point = point
        self.roots, self.store, self.lifted = state
        self.resume = resume
        self.activation = activation
        self.parent = parent
        self.certain = certain
        self.arms: Arms = ()
        self.nearest: dict[Point, ResidualBlock] = {} if parent is None else dict(parent.nearest)
        self.frozen: Frozen | None = None
        self.tokens: Sequence[Token] | None = None
        self.root_keys: list[Hashable] | None = None
        self.wider: Wider | None = None
        self.intervals: dict[str, Interval] = {}
        self.kinds: dict[str, Kinds] = {}
        self.parts: dict[str, Parts] = {}
        self.variants: dict[str, frozenset[RecordType]] = {}
        self.whole = False
        self.recursions = 0
        self.cuts: set[Hashable] = set()
        self.successors: list[ResidualBlock] = []
        self.predecessors: dict[ResidualBlock, None] = {}
        self.reached = False
        self.holder: ResidualBlock | None = None
        self.first = False
        """Whether it is to run before all that are not."""
        self.queued = 0
        """The number under which it waits for its turn; 0 if it does not."""

    def take_apart(self) -> None:
        """The block is not needed any more: it leads to no others, and to no state."""
        procedure = self.procedure
        procedure.blocks.clear()
        procedure.at_point.clear()
        procedure.on_trial.clear()
        procedure.root = None
        result = procedure.result
        for blocks in (result.calling, result.returning, result.passing):
            blocks.clear()
        for part in (self.nearest, self.predecessors, self.successors, self.roots):
            part.clear()
        self.parent = self.holder = self.activation = self.frozen = None
        self.resume = _nowhere

    @property
    def forwards(self) -> bool:
        """Whether the block only changes what is known of its state and goes on to others."""
        return self.wider is not None and self.wider.is_any()

    def widening(self) -> Wider:
        """What of the state is to be more general, to be added to."""
        if self.wider is None:
            self.wider = Wider()
        return self.wider

    def widen_interval(self, parameter: str, arriving: Interval) -> bool:
        """Make the bounds of a parameter so wide that they hold for these too; whether that came
        too late, as the block has run."""
        known = self.intervals[parameter]
        if within(arriving, known):
            return False
        if self.queued and arriving != EVERYTHING:
            self.intervals[parameter] = join(known, arriving)
            return False
        del self.intervals[parameter]
        return True

    def widen_kinds(self, parameter: str, arriving: Kinds) -> bool:
        """The same for what kinds a parameter may be of."""
        known = self.kinds[parameter]
        if not arriving & ~known:
            return False
        if self.queued and arriving != ANYTHING:
            self.kinds[parameter] = known | arriving
            return False
        del self.kinds[parameter]
        return True

    def widen_parts(self, parameter: str, arriving: Parts) -> bool:
        """The same for which parts of a parameter are fixed."""
        known = self.parts[parameter]
        both = in_both(known, arriving)
        if len(both) == len(known):
            return False
        if both:
            self.parts[parameter] = both
        else:
            del self.parts[parameter]
        return not self.queued

    def widen_variants(self, parameter: str, arriving: frozenset[RecordType] | None) -> bool:
        """The same for which boxes a parameter may be; None: any."""
        known = self.variants[parameter]
        if arriving is not None and arriving <= known:
            return False
        if arriving is None:
            del self.variants[parameter]
        else:
            self.variants[parameter] = known | arriving
        return not self.queued

    def previous(self) -> ResidualBlock | None:
        """The nearest proper ancestor at the same point."""
        return self.parent.nearest.get(self.point) if self.parent is not None else None


Candidate = tuple[ResidualBlock, bool]
"""A block that may serve for a state, and whether it is where arms of a conditional meet."""


class Way:
    """Where in the residual program code is being made: its `block`, the `arms` of conditionals
    taken there, and the `facts` of variables met on the way."""

    __slots__ = ("arms", "block", "facts")

    def __init__(self, block: ResidualBlock) -> None:
        self.block = block
        self.arms: Arms = ()
        self.facts = Facts()


def ancestors(way: Way, point: Point) -> list[ResidualBlock]:
    """The blocks at the same point that led to where code is made, the nearest first."""
    found: list[ResidualBlock] = []
    ancestor = way.block.nearest.get(point)
    while ancestor is not None and len(found) < MAX_ANCESTORS:
        if not ancestor.forwards:
            found.append(ancestor)
        ancestor = ancestor.previous()
    return found


class Arrival:
    """A state that a memo point is met with, by its key."""

    __slots__ = ("_frozen", "key", "roots")

    def __init__(self, key: Hashable, roots: Roots, frozen: Frozen | None = None) -> None:
        self.key = key
        self.roots = roots
        self._frozen = frozen

    @property
    def frozen(self) -> Frozen:
        """The state as `freeze` finds it, when that is first asked for."""
        if self._frozen is None:
            self._frozen = self.freeze()
        return self._frozen

    def freeze(self) -> Frozen:
        """The state frozen, of an arrival made without that."""
        raise InternalError("nothing to freeze")


class Restart(Exception):
    """Start a block of the worklist again: what was learned makes its code obsolete."""

    def __init__(self, block: ResidualBlock) -> None:
        super().__init__()
        self.block = block


def generalization(
    old: Sequence[Token], new: Sequence[Token], join: bool
) -> tuple[dict[int, int], set[int]] | None:
    """Where the old skeleton must be generalized to be as general as the new one.

    Gives the token positions of numbers to lift and of leaves that no longer are the same as an
    earlier one, each with the position of the variable that it is then (one for several leaves
    only if these are one value in both states), and the positions of leaves whose type to widen;
    None if the skeletons differ in any other way.  A new state that shares more than the old one
    needs no other change of it, and at a join numbers stay what they are.
    """
    if len(old) != len(new):
        return None
    lift: dict[int, int] = {}
    widen: set[int] = set()
    for position, (a, b) in enumerate(zip(old, new, strict=True)):
        if a == b:
            continue
        if type(a) is not tuple or type(b) is not tuple:
            return None
        if a[0] == "d" and b[0] == "=":
            if new[b[1]][0] == "d" and leaf_type(new, position) != a[1]:
                widen.add(position)
            continue
        if (a[0] == "=" or (a[0] in ("i", "f") and not join)) and b[0] in ("d", "="):
            together = b[0] == "=" and b[1] in lift and old[b[1]] == a
            lift[position] = b[1] if together else position
        elif a[0] == "d" and b[0] == "d":
            widen.add(position)
        else:
            return None
    return lift, widen


def leaf_type(tokens: Sequence[Token], position: int) -> str:
    """The type of the leaf at a position, which may be that of an earlier one."""
    token = tokens[position]
    return tokens[token[1]][1] if token[0] == "=" else token[1]  # type: ignore[no-any-return]


def growing_numbers(
    first: Sequence[Token], previous: Sequence[Token], frozen: Frozen
) -> dict[int, int] | None:
    """Where only numbers change from state to state: their positions, those that are one value in
    the first and in the last state together; None if anything else changes, or nothing."""
    new = frozen.tokens
    if not len(first) == len(previous) == len(new):
        return None
    lift: dict[int, int] = {}
    leaders: dict[tuple[int, Token], int] = {}
    for position, (a, b, c) in enumerate(zip(first, previous, new, strict=True)):
        if a == b == c:
            continue
        if not all(type(token) is tuple and token[0] in ("i", "f") for token in (a, b, c)):
            return None
        lift[position] = leaders.setdefault((id(frozen.places[position]), a), position)
    return lift or None


def identity_names(frozen: Frozen, widened: set[int]) -> dict[tuple[str, int], Dynamic]:
    """The leaves of a state under their own names, some of unknown type from now on."""
    names: dict[tuple[str, int], Dynamic] = {}
    for leaf in frozen.leaves:
        position = frozen.leaf_at[(leaf.name, leaf.offset)]
        type = leaf.type
        if position in widened:
            type = "memory" if type.startswith("memory:") else "any"
        names[(leaf.name, leaf.offset)] = Dynamic(leaf.name, type)
    return names
