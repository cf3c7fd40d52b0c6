"""Recursion: which calls must not be unfolded.

Note [When a call becomes residual]
    A non-tail call of f, met while an activation of f with the same static arguments is being
    carried out and a dynamic conditional lies between, would unfold for ever.  It becomes a call
    of a residual procedure for f and these static arguments.  The outer activation, unless it is
    that procedure itself, is started again in this form (upward generalization), which spares
    the unrolled first copy.  So it is where variables are one in the outer call that are not in
    the inner: that is worth no version.

Note [Calls that tail calls ended]
    An interpreter comes from a call of the interpreted program to the next one in it by tail calls:
    it applies a procedure, so evaluates a body, the arm of a conditional in it, and there the
    operand that is the call.  When that is carried out nothing waits for the first call any more,
    the arm's evaluation alone does.  But it has led there all the same.  So activations that ended
    with tail calls are looked at too; else the recursion is found a round later, in the arm, and a
    first copy of all before the arm is left over.

Note [Blocks with many calls]
    One block may call many procedures of which each is found to recur, and is then started again:
    with n of them, it would carry out its first call n times.  So after every `MOST_RECURSIONS`
    the block is to end after the call that was found last, at a memo point.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

from cogen.lang import il
from cogen.lang.prelude import in_prelude
from cogen.specializer.analyses.allocation_sites import Sites
from cogen.specializer.growth.growth import Growth
from cogen.specializer.growth.growth_detection import GrowthDetection
from cogen.specializer.growth.ontrial import OnTrial
from cogen.specializer.memo.generalize import GENERALIZE_AFTER
from cogen.specializer.paths.context import Context
from cogen.specializer.paths.leaving import changed
from cogen.specializer.paths.path import Path
from cogen.specializer.programs.liveness import Liveness
from cogen.specializer.programs.naming import Naming
from cogen.specializer.values.arguments import Arguments
from cogen.specializer.values.calls_around import (
    Constants,
    Led,
    constants_among,
    constants_of,
    led_here,
)
from cogen.specializer.values.domain import (
    Activation,
    Cell,
    Closure,
    Counting,
    Cyclic,
    Dynamic,
    Frame,
    PartialPair,
    PartialRecord,
    Ref,
    Static,
    Value,
)
from cogen.specializer.values.freeze import Frozen, Lifted, Store, Token, static_token
from cogen.specializer.values.mark import CallMark
from cogen.specializer.versions.effort import TooMuch
from cogen.specializer.versions.freezing import Freezing
from cogen.specializer.versions.limits import Endless
from cogen.specializer.versions.memo import ResidualBlock, Restart

MOST_RECURSIONS: Final = 16
"""Recursions found in one block before it is divided."""

MOST_ROUNDS: Final = 8
"""So many calls within each other may differ in what objects hold alone."""

MOST_COMPARED: Final = 256
"""Parts of arguments that are compared before skeletons are."""

CYCLE_SEARCH: Final = 64
"""Calls unfolded in one block before the machine looks for a cycle without a conditional."""


Outside = tuple[Activation | None, Activation | None]
"""Of the activations that led to a call from other blocks: the innermost that waits for its result,
and the innermost of all."""

_NUMBERS_AND_TEXTS: Final = frozenset({int, float, bool, str})

_LEAVES: Final = frozenset({Dynamic, Cyclic})
"""Values that may be variables alone."""


def may_be_alike(
    values: Sequence[Value], others: Sequence[Value], stores: tuple[Store, Store], names: Liveness
) -> bool:
    """Whether calls, each with its store, could have the same skeleton, or differ in constants
    within their arguments alone: a second look, at the beginning of these."""
    work: list[Any] = [*zip(values, others, strict=True)]
    for value, other in work:  # which grows meanwhile
        kind = type(value)
        if kind is not Ref and value is other:
            continue
        if kind is Static or type(other) is Static:
            if not (_is_data(value) and _is_data(other)) and not _is_one(value, other):
                return False
        elif kind is not type(other):
            if kind not in _LEAVES or type(other) not in _LEAVES:
                return False
        elif kind is Ref:
            parts = _contents(stores[0].get(value.number), stores[1].get(other.number))
            if parts is None:
                return False
            work += parts
        elif kind is PartialPair:
            if value.ground != other.ground:
                return False
            if value.ground is None:
                work += ((value.car, other.car), (value.cdr, other.cdr))
        elif kind is Closure:
            if value.function is not other.function:
                return False
            now, before = value.environment, other.environment
            work += [(now[name], before[name]) for name in names.of_function(value.function)]
        elif kind is PartialRecord:
            if value.type is not other.type:
                return False
            work += zip(value.fields, other.fields, strict=True)
        if len(work) > MOST_COMPARED:
            return True
    return True


def _contents(content: Any, other: Any) -> list[tuple[Value, Value]] | None:
    """What mutable objects hold, side by side; None if they are not alike."""
    if content is other:
        return []
    if type(content) is not type(other):
        return None
    if type(content) is not Cell:
        return []
    if content.kind != other.kind or content.is_settled is not other.is_settled:
        return None
    if len(content.items) != len(other.items):
        return None
    return [*zip(content.items, other.items, strict=True)]


def _is_data(value: Value) -> bool:
    """Whether a value is a number, a truth value, a text, or a variable."""
    if type(value) is Static:
        return type(value.datum) in _NUMBERS_AND_TEXTS
    return type(value) in _LEAVES


def _is_one(value: Value, other: Value) -> bool:
    """Whether two values are one constant."""
    if type(value) is not Static or type(other) is not Static:
        return False
    return value.datum is other.datum or static_token(value.datum) == static_token(other.datum)


def differ_in_constants(key: Sequence[Token], other: Sequence[Token]) -> bool:
    """Whether skeletons of calls differ in constants, and in nothing else but what has become
    data of the run since the `other`."""
    if len(key) != len(other):
        return False
    counts = False
    for now, before in zip(key, other, strict=True):
        if now == before:
            continue
        if not (type(now) is tuple is type(before)) or before[0] not in _CONSTANT | _LEAF:
            return False
        if now[0] in _CONSTANT and before[0] in _CONSTANT:
            counts = True
        elif now[0] not in _LEAF:
            return False
    return counts


_CONSTANT: Final = frozenset({"i", "f", "b", "s"})
_LEAF: Final = frozenset({"d", "="})
_SUMMARY: Final = "call"
"""How a skeleton begins that is made of summaries (`versions.freezing`)."""


def shares_more(key: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether two skeletons of calls are the same, but that some variables are one in the first,
    and none in the `other`."""
    if key[0] != _SUMMARY or other[0] != _SUMMARY:
        return False
    (form, numbers, leaves, nodes), (form_2, numbers_2, leaves_2, nodes_2) = key[1], other[1]
    if form is not form_2 or numbers != numbers_2 or nodes != nodes_2 or leaves == leaves_2:
        return False
    same, types = leaves if leaves and type(leaves[0]) is tuple else ((), ())
    return bool(same) and tuple([types[number] for number in same]) == leaves_2


def _is_any_data(values: Sequence[Value]) -> bool:
    """Whether any value is data that are known in part, which a call may give back: such a call has
    a version for each state, of which the result is known then (`execution.results`)."""
    return any(type(value) in (PartialPair, PartialRecord) for value in values)


@dataclass(slots=True, eq=False, repr=False)
class Recursion:
    """Looks at calls, and remembers which it found to recur."""

    _context: Context
    _naming: Naming
    _freezing: Freezing
    _growth: Growth
    _growth_detection: GrowthDetection
    _on_trial: OnTrial
    _sites: Sites
    recursive: dict[il.Function, dict[Constants, set[Hashable]]] = field(
        default_factory=dict, init=False
    )
    """By procedure and constant arguments: the skeletons of its calls that are residual."""
    lifted: dict[il.Function, set[int]] = field(default_factory=dict, init=False)
    """By procedure: the arguments that --generalize makes dynamic."""
    loops: dict[il.Function, set[Hashable]] = field(default_factory=dict, init=False)
    """By procedure: the states at which an endless loop begins."""
    _led: dict[tuple[Activation | None, Activation | None, il.Function], Led] = field(
        default_factory=dict, init=False
    )
    _led_block: ResidualBlock | None = field(default=None, init=False)

    def is_recursive(self, path: Path, closure: Closure, arguments: Arguments) -> bool:
        """Whether the call is to be residual; see Note [When a call becomes residual]."""
        freezing, function = self._freezing, closure.function
        values, k = arguments.values, arguments.continuation
        known = self.recursive.get(function)
        key = None
        if known:
            keys = known.get(constants_among(values))
            if keys is not None:
                key = freezing.call_key(path.store, (closure, *values))
                if key in keys:
                    return True
        innermost = k.activation if type(k) is Frame else None
        if innermost is None:
            return False
        if function not in innermost.around and innermost.function is not function:
            return False
        led = self._led_to(innermost, path.block, function)
        rounds = 0
        for outer, waits in led.equal.get(constants_among(values), ()):
            if not self._may_be_alike(path, values, outer):
                continue
            if key is None:
                key = freezing.call_key(path.store, (closure, *values))
            before = freezing.activation_key(path.store, outer)
            if before == key or (not _is_any_data(values) and shares_more(before, key)):
                self._remember(function, values, key)
                if not outer.root:
                    self._remember(function, outer.values[1:], before)
                    self._again(outer.block, function, before)  # type: ignore[arg-type]
                return True
            if waits and path.store and differ_in_constants(key, before):
                rounds += 1
        if led.ends:
            return False  # a named procedure of the program will repeat as well
        if rounds >= MOST_ROUNDS:
            self._count(path, [closure, *values])
        if led.nearest is not None and not in_prelude(function.span):
            self._on_trial.generalize_call(path, closure, values, led.nearest)
        if self._context.options.generalize:
            if len(led.waiting) >= GENERALIZE_AFTER:
                self._generalize_arguments(path, closure, values, led.waiting)
            return False
        alike = led.like(values)
        if alike:
            self._growth.check_calls(path, (closure, *values), alike)
        return False

    def may_recur(
        self,
        path: Path,
        function: il.Function,
        closure: Closure | None,
        values: Sequence[Value],
        outside: Outside,
    ) -> bool:
        """Whether `is_recursive` may find anything of a call that is made in a block, where these
        activations outside of it led to its code; a first look, which says yes too often, and more
        so if the `closure` is not at hand."""
        led = self._led_from(outside, path.block, function)
        given = list(values)
        for outer, _ in led.equal.get(constants_among(values), ()):
            if self._may_be_alike(path, given, outer):
                return True
        if led.ends:
            return False
        nearest = None if in_prelude(function.span) else led.nearest
        if nearest is not None and self._on_trial.may_generalize(path, closure, values, nearest):
            return True
        alike = led.like(values)
        if not alike or closure is None:
            return bool(alike)
        try:
            self._growth.check_calls(path, (closure, *values), alike)
        except (TooMuch, Endless):
            return True
        return False

    def _led_to(self, innermost: Activation, block: ResidualBlock, function: il.Function) -> Led:
        """The activations of a procedure that led to a call of it, `innermost` waiting for its
        result."""
        outside: Outside = innermost, innermost
        if innermost.block is block:
            outside = innermost.outer, innermost.beyond
        return self._led_from(outside, block, function)

    def _led_from(self, outside: Outside, block: ResidualBlock, function: il.Function) -> Led:
        """The same for a call that these activations led to, from other blocks; kept while calls
        are made in the same block."""
        if self._led_block is not block:
            self._led_block = block
            self._led.clear()
        waiting, outer = outside
        key = waiting, outer, function
        found = self._led.get(key)
        if found is None:
            found = self._led[key] = Led(led_here(waiting, outer, function, self._naming.is_aside))
        return found

    def _may_be_alike(self, path: Path, values: list[Value], outer: Activation) -> bool:
        """Whether it is worth to compare the skeletons of a call and of one around it."""
        then = path.store if outer.store is None else outer.store
        return may_be_alike(values, outer.values[1:], (path.store, then), self._freezing.liveness)

    def remember(self, path: Path, closure: Closure, values: Sequence[Value]) -> None:
        """Have a call, and all with the same static arguments, be residual."""
        self._remember(closure.function, values, self.key_of(path, closure, values))

    def key_of(self, path: Path, closure: Closure, values: Sequence[Value]) -> Hashable:
        """What tells a call from others: what is static of it."""
        return self._freezing.call_key(path.store, (closure, *values))

    def _remember(self, function: il.Function, values: Sequence[Value], key: Hashable) -> None:
        known = self.recursive.setdefault(function, {})
        known.setdefault(constants_among(values), set()).add(key)

    def _count(self, path: Path, call: Sequence[Value]) -> None:
        """Calls differ in what objects hold only: those that were assigned on the way round are to
        be residual, from the beginning if the program makes them after that."""
        for ref in changed(path, call):
            cell = path.content(ref)
            assert type(cell) is Cell
            made = ref.number not in self._context.globals.store
            if made and cell.site not in self._context.counting:
                raise Counting(cell.site)
            path.escape([ref])

    def is_known(
        self, path: Path, function: il.Function, closure: Closure | None, values: Sequence[Value]
    ) -> bool:
        """Whether a call may be one of those that are known to recur, or to begin a loop; a first
        look, which says yes too often, and more so if the `closure` is not at hand."""
        if function in self.loops:
            return True
        if function in self._context.demand.calls and (
            closure is None or self._on_trial.concerns(path, closure, values)
        ):
            return True
        known = self.recursive.get(function)
        keys = None if known is None else known.get(constants_among(values))
        if keys is None or closure is None:
            return keys is not None
        return self._freezing.call_key(path.store, (closure, *values)) in keys

    def _again(self, block: ResidualBlock, function: il.Function, key: Hashable) -> NoReturn:
        """Start the block with the outer activation again; see Note [Blocks with many calls]."""
        block.recursions += 1
        if block.recursions % MOST_RECURSIONS == 0:
            block.cuts.add((function, key))
        raise Restart(block)

    def cuts(self, path: Path, closure: Closure, values: list[Value]) -> bool:
        """Whether the path's block is to end after this residual call."""
        cuts, function = path.block.cuts, closure.function
        if not cuts:
            return False
        return (function, self._freezing.call_key(path.store, (closure, *values))) in cuts

    def _generalize_arguments(
        self, path: Path, closure: Closure, values: list[Value], repeats: list[Activation]
    ) -> None:
        """Make dynamic, from the first activation on, the arguments that differ from activation
        to activation (--generalize)."""
        changing = set()
        if self._sites.enabled:
            calls = [[closure, *values], *(activation.values for activation in repeats)]
            if not self._growth_detection.generalize_calls(path, calls):
                return
            for activation in repeats:  # in between they called with what is now dynamic
                self._context.worklist.give_up(activation.block)  # type: ignore[arg-type]
            raise Restart(repeats[-1].block)  # type: ignore[arg-type]
        for index, value in enumerate(values):
            if type(value) is Dynamic:
                continue
            given = [value, *(outer.values[index + 1] for outer in repeats[:2])]
            if len({self._freezing.call_key(path.store, (one,)) for one in given}) == 3:
                changing.add(index)
        if changing:
            self.lifted.setdefault(closure.function, set()).update(changing)
            raise Restart(repeats[-1].block)  # type: ignore[arg-type]

    def is_cycle(self, path: Path, closure: Closure, arguments: Arguments) -> bool:
        """Whether the same call in the same state was unfolded before in this block, with code
        in between: an endless residual loop without a conditional.  The block is started again
        with a memo point where the loop begins."""
        function, loops = closure.function, self.loops
        known = loops.get(function)
        if known and self._key_here(path, closure, arguments) in known:
            return True
        size, cyclic = len(path.segment.bindings), False
        for value in arguments.values:
            if type(value) is Cyclic:
                cyclic = True
        if size == path.counted and not cyclic:
            return False
        path.counted = size
        path.calls += 1
        if path.calls < CYCLE_SEARCH:
            return False
        mark = path.mark
        if path.calls & (path.calls - 1) == 0 or mark is None:
            lifted = dict(path.lifted)
            path.mark = CallMark(closure, arguments, size, path.snapshot(), lifted)
            return False
        idle = mark.size == size and not cyclic
        if idle or not mark.resembles(closure, arguments):
            return False
        if mark.key is None:
            mark.key = self._state_key(mark.closure, mark.arguments, mark.store, mark.lifted)
        if mark.key != self._key_here(path, closure, arguments):
            return False
        loops.setdefault(function, set()).add(mark.key)
        raise Restart(path.block)

    def goes_round(self, path: Path, calls: Sequence[Activation]) -> None:
        """Make calls that go in rounds for ever (`versions.unending`), with nothing known that is
        another one, a loop or a recursion of the residual program, if a run computes anything in
        it."""
        last = calls[-1]
        freezing = self._freezing
        if all(type(value) is Static for value in last.values[1:]):
            return
        constants = constants_of(last)
        if any(constants_of(call) != constants for call in calls):
            return
        key = freezing.call_key(path.store, last.values)
        if any(freezing.call_key(path.store, call.values) != key for call in calls[:-1]):
            return
        closure, *values = last.values
        assert type(closure) is Closure
        if all(call.continuation is last.continuation for call in calls):
            given = Arguments(values, last.continuation, last.span)
            state = self._key_here(path, closure, given)
            self.loops.setdefault(closure.function, set()).add(state)
        else:
            self.remember(path, closure, values)
        raise Restart(path.block)

    def _key_here(self, path: Path, closure: Closure, arguments: Arguments) -> tuple[Any, ...]:
        return self._state_key(closure, arguments, path.store, path.lifted)

    def _state_key(
        self, closure: Closure, arguments: Arguments, store: Store, lifted: Lifted
    ) -> tuple[Any, ...]:
        roots = [
            ("", closure),
            *(("", value) for value in arguments.values),
            ("", arguments.continuation),
        ]
        freezing = self._freezing
        form = freezing.states.form
        return Frozen(roots, store, lifted, freezing.liveness, form=form).key
