"""What the text of `cogen.generating.direct` runs on: operations on symbolic values.

An operation does just what the specializer's rule for it does.  The frequent ones have short cuts
for values that are known; all others are the rules themselves.  What the machine must do, or do
again to fail in the right way, raises `Leave`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NoReturn, Protocol

from cogen.generating.leave_compiled_code import At, Leave, Trail
from cogen.lang import il
from cogen.lang.chain import Calls, ChainNode, at_node, called, in_library, remembered
from cogen.lang.datum import INT_MAX, INT_MIN, Datum, Pair, Symbol, eqv
from cogen.lang.errors import CogenError, Span
from cogen.lang.prelude import in_prelude
from cogen.lang.prims import CONTROL, PRIMITIVES, PrimitiveError
from cogen.specializer.advice.assigned import Key
from cogen.specializer.analyses.activations import is_tail_call
from cogen.specializer.execution.parts import Parts
from cogen.specializer.execution.recursion import CYCLE_SEARCH, Outside
from cogen.specializer.paths.operation_site import OperationSite
from cogen.specializer.paths.pairs import PAIR_OPERATIONS
from cogen.specializer.paths.path import Path
from cogen.specializer.rules import folds
from cogen.specializer.rules.rule import make_list, make_pair
from cogen.specializer.values.domain import (
    Activation,
    Closure,
    Continuation,
    Cyclic,
    Dynamic,
    Frame,
    PartialPair,
    Primitive,
    Static,
    Test,
    Value,
    is_true,
)

TRUE: Final = Static(True)

PURE: Final = OperationSite(None, delay=True)
"""The site of operations that must leave nothing: those in the prelude."""

MAX_CALLS: Final = 20_000
"""Calls after which the machine goes on: Python's stack grows with them."""

NOWHERE: Final[At] = ("", None, None)
"""A call of which nothing is asked."""

NONE: Final[frozenset[il.Function]] = frozenset()

FOLDED: Final[Mapping[str, Callable[..., Datum]]] = {
    op: row.python for op, row in PRIMITIVES.items() if folds(op)
}
"""Operations of which constants give a constant."""

Code = Callable[..., Value]
"""A compiled procedure: called with a `Support`, an `At`, its closure and its arguments."""


class CodeOfProcedures(Protocol):
    """Compiled procedures."""

    def get(self, function: il.Function, /) -> Code | None:
        """The code of a procedure; None if the machine carries it out."""


class _LeavesTrace(Exception):
    """An operation would leave a trace."""


class Probe(Path):
    """A path on which nothing may be emitted, stored or allocated."""

    __slots__ = ()

    def refuse(self, *arguments: Any, **options: Any) -> NoReturn:
        """What a rule does that leaves a trace."""
        raise _LeavesTrace

    emit = let = allocate = assign = escape = clobber = observe = remove = fork = refuse
    emit_test = settle = refuse


class Support:
    """What compiled procedures know of the path that they are on.

    `calls` counts their calls, of which `limit` are the most; `active` are the procedures of which
    a call may have to be residual, with the calls of them outside of the residual block; `cyclic`
    tells whether there are cyclic values anywhere; `nodes` are those of `Context.nodes`.
    """

    def __init__(self, parts: Parts, code: CodeOfProcedures) -> None:
        self.parts = parts
        self.context = parts.context
        self.code = code
        self.calls = 0
        self.limit = MAX_CALLS
        self.cyclic = False
        self.environments = parts.context.cycles.environments
        self.nodes: Mapping[int, ChainNode] = {}
        self.active = NONE
        self.outside: list[Outside] = []
        """What led to the code from other blocks: to calls in the end of what the machine called,
        and to others."""
        self.path: Path = None  # type: ignore[assignment]
        self.bindings: list[Any] = []
        self.counted = -1
        self.base: Calls = ()
        """The calls through which the machine called compiled code."""
        self._probe: Probe | None = None

    def on(self, path: Path, k: Continuation, caller: Activation | None) -> None:
        """What is called from now on is on this path, is called by `caller`, and returns to `k`."""
        self.path = path
        self.cyclic = self.context.cyclic
        self.nodes = self.context.nodes
        self.bindings = path.segment.bindings
        self.counted = path.counted
        self.calls = 0
        self.limit = min(MAX_CALLS, self.context.limits.unfoldings_left)
        parent = k.activation if type(k) is Frame else None
        waiting, beyond = _outside(parent, path.block)
        self.outside = [(waiting, beyond)]
        outer = beyond
        if caller is not None and is_tail_call(caller, k):
            _, outer = _outside(caller, path.block)
            if outer is not beyond:
                self.outside.append((waiting, outer))
        active = NONE if outer is None else outer.around | {outer.function}
        recursion = self.parts.recursion
        for watched in (recursion.recursive, recursion.loops, self.context.demand.calls):
            if watched:
                active |= watched.keys()
        self.active = active

    def calls_of(self, trail: Trail) -> Calls:
        """The calls that a trail stands for, as a diagnostic tells them; found once for each."""
        nodes: list[Any] = []
        left: Any = trail
        while left is not None and left[2] is None:
            nodes.append(left)
            left = left[1]
        calls: Calls = self.base if left is None else left[2]
        for node in reversed(nodes):
            lead = called if len(node) == 3 else remembered if node[3] else at_node
            calls = node[2] = lead(node[0], calls)
        return calls

    def at_nodes(self, at: At, values: Sequence[Value]) -> At:
        """Where a procedure is called with these arguments, one of which may be a node."""
        for value in values:
            if type(value) is Static and type(value.datum) is Pair:
                node = self.nodes.get(id(value.datum))
                if node is not None:
                    return at[0], at[1], [node, at[2], None, False]
        return at

    def looks(self, function: il.Function) -> bool:
        """Whether calls of a procedure are to be looked at by `is_odd`."""
        watched = function in self.active or self.cyclic
        return watched or len(self.bindings) != self.counted

    def is_odd(
        self, function: il.Function, values: Sequence[Value], tail: At | None = None
    ) -> bool:
        """Whether the machine must look at a call: for recursion, or an endless loop.  With one in
        the end of a procedure comes where that is called."""
        if function in self.active and self._may_recur(function, values, tail):
            return True
        path, size = self.path, len(self.bindings)
        if size == path.counted and Cyclic not in map(type, values):
            return False
        if path.calls + 1 >= CYCLE_SEARCH:
            return True
        path.calls += 1
        path.counted = self.counted = size
        return False

    def _may_recur(self, function: il.Function, values: Sequence[Value], tail: At | None) -> bool:
        """Whether it is for the machine to say if a call recurs; if not, what was compared for that
        counts, as if the machine had."""
        recursion, path, limits = self.parts.recursion, self.path, self.context.limits
        closure, looked, ways = self._closure(function), limits.looked, self.outside
        if len(ways) > 1 and tail is None:
            ways = ways[1:]
        elif len(ways) > 1 and tail is not None and tail[2] is None:
            ways = ways[:1]
        if recursion.is_known(path, function, closure, values) or any(
            recursion.may_recur(path, function, closure, values, one) for one in ways
        ):
            limits.looked = looked
            return True
        if limits.looked == looked:
            return False
        analyses = self.parts.analyses
        if (
            len(ways) > 1
            or analyses.searching.may(function)
            or analyses.computing.needs(function) is not None
        ):  # the machine may not have had to compare anything
            limits.looked = looked
            return True
        return False

    def _closure(self, function: il.Function) -> Closure | None:
        """The value of the global that a definition binds to a procedure."""
        name = self.parts.analyses.global_name(function)
        if name is None:
            return None
        value = self.context.globals.value(name)
        return value if type(value) is Closure else None

    def stays(self, function: il.Function, values: Sequence[Value]) -> bool:
        """Whether a call of a library procedure is to be left."""
        return self.parts.analyses.library.stays(function, values)

    def concerns(self, function: il.Function, values: Sequence[Value]) -> bool:
        """Whether nothing is known of a call of a procedure that goes round, or it may be shared
        all the same."""
        shared = self.parts.shared
        return shared.concerns(function, values) or (
            shared.may_share(function) and function in self.parts.analyses.rounds.procedures
        )

    def outright(self, function: il.Function, values: Sequence[Value]) -> Value | None:
        """What a call gives that is run by the interpreter (`analyses.outright`), as the machine
        does: so both count as many calls."""
        parts = self.parts
        if self.calls >= self.limit or parts.sites.enabled:
            return None
        found = parts.outright.value(function, values)
        if found is not None:
            self.calls += 1
        return found

    def operation(self, op: str, values: tuple[Value, ...], site: OperationSite, at: At) -> Value:
        """What a rule gives."""
        fold = FOLDED.get(op)
        if fold is not None:
            for value in values:
                if type(value) is not Static:
                    break
            else:
                try:
                    return Static(fold(*[value.datum for value in values]))  # type: ignore[union-attr]
                except PrimitiveError:
                    raise Leave from None
        if site is PURE or self.path.store:
            return self.pure(op, values)
        if op in self.context.barriers.operations:
            raise Leave
        self.path.through = self.calls_of(at[2])
        try:
            result = self.context.rule(op)(self.path, values, site)
        except PrimitiveError:
            raise Leave from None
        except CogenError as error:
            if error.span is None:
                raise Leave from None
            raise
        if type(result) is Cyclic:
            self.cyclic = self.context.cyclic = True
        return result

    def pure(self, op: str, values: tuple[Value, ...]) -> Value:
        """What a rule gives, if it leaves no trace."""
        path, probe = self.path, self._probe
        if op in self.context.barriers.operations:
            raise Leave
        if probe is None or probe.block is not path.block:
            probe = self._probe = Probe(self.context, path.block, path.store, path.lifted)
        probe.store, probe.lifted = path.store, path.lifted
        probe.words, probe.facts = path.words, path.facts
        probe.available, probe.reads = path.available, path.reads
        probe.pending, probe.arms = None, path.arms
        try:
            result = self.context.rule(op)(probe, values, PURE)
        except (PrimitiveError, CogenError, _LeavesTrace):
            raise Leave from None
        if type(result) is Test:
            raise Leave
        if type(result) is Cyclic:
            self.cyclic = self.context.cyclic = True
        return result

    def callee(
        self,
        function: Value,
        values: list[Value],
        key: Key = None,
        span: Span | None = None,
        at: At = NOWHERE,
        tail: At | None = None,
    ) -> tuple[Code, list[Value], bool]:
        """How to call a value at a place of the program: the code, its closure and arguments, and
        whether it is of a library; `tail` as for `is_odd`."""
        if type(function) is Closure:
            shape = function.function
            code = self.code.get(shape)
            if code is None:
                raise Leave
            fixed = len(shape.parameters)
            if self.stays(shape, values) or self.concerns(shape, values):
                raise Leave
            if shape.rest is not None and len(values) >= fixed:
                values = [*values[:fixed], self.list(tuple(values[fixed:]), key, span, at)]
            elif len(values) != fixed:
                raise Leave
            if self.is_odd(shape, tuple(values), tail):
                raise Leave
            found = self.outright(shape, values)
            if found is not None:
                return _result, [found], False
            return code, [function, *values], in_library(shape.span)
        if type(function) is Primitive and function.name not in CONTROL:
            row = PRIMITIVES[function.name]
            least, most = row.arity
            fits = least <= len(values) and (most is None or len(values) <= most)
            if function.name in PAIR_OPERATIONS and self.context.pairs.may_be_assigned:
                raise Leave
            if fits and (row.fold is None or len(values) == 2):
                return _result, [self.pure(function.name, tuple(values))], False
        raise Leave

    def leads_to_itself(self, closure: Closure) -> None:
        """A procedure is in its own environment (`versions.cycles`)."""
        self.environments.append(closure.environment)

    def list(
        self, values: tuple[Value, ...], key: Key = None, span: Span | None = None, at: At = NOWHERE
    ) -> Value:
        """A list of the values, made at a place of the program."""
        return make_list(self.path, values, key, self.place(span, at))

    def place(self, span: Span | None, at: At) -> Span | None:
        """A place of the program: for one in the prelude, that of the call that led there."""
        if span is None or not in_prelude(span):
            return span
        return span.reached(self.calls_of(at[2]))

    def assign(
        self, op: str, values: tuple[Value, ...], site: OperationSite, at: At, key: Key
    ) -> Value:
        """What an assignment of a pair gives."""
        self.context.pairs.assign(key, values[0])
        return self.operation(op, values, site, at)

    def value(self, name: str) -> Value:
        """The value of a global."""
        try:
            return self.context.globals.value(name)
        except CogenError:
            raise Leave from None


def _outside(activation: Activation | None, block: object) -> Outside:
    """What led to a call that an activation makes, or waits for, from other blocks."""
    if activation is None or activation.block is not block:
        return activation, activation
    return activation.outer, activation.beyond


def _result(s: Support, at: At, value: Value) -> Value:
    """The code of a primitive that has been carried out."""
    return value


def truth(value: Value) -> bool:
    """What a conditional does on the value."""
    known = is_true(value)
    if known is None:
        raise Leave
    return known


# -- operations that give a value; the text itself takes apart pairs that are known ---------------


def car(s: Support, pair: Value, site: OperationSite, at: At) -> Value:
    return s.operation("car", (pair,), site, at)


def cdr(s: Support, pair: Value, site: OperationSite, at: At) -> Value:
    return s.operation("cdr", (pair,), site, at)


def cons(s: Support, car: Value, cdr: Value) -> Value:
    return make_pair(s.path, car, cdr)


def cons_at(s: Support, car: Value, cdr: Value, key: Key, span: Span | None, at: At) -> Value:
    return make_pair(s.path, car, cdr, key, s.place(span, at))


def add(s: Support, a: Value, b: Value, site: OperationSite, at: At) -> Value:
    if type(a) is Static and type(b) is Static and type(a.datum) is int and type(b.datum) is int:
        result = a.datum + b.datum
        if INT_MIN <= result <= INT_MAX:
            return Static(result)
    return s.operation("+", (a, b), site, at)


def subtract(s: Support, a: Value, b: Value, site: OperationSite, at: At) -> Value:
    if type(a) is Static and type(b) is Static and type(a.datum) is int and type(b.datum) is int:
        result = a.datum - b.datum
        if INT_MIN <= result <= INT_MAX:
            return Static(result)
    return s.operation("-", (a, b), site, at)


# -- operations that a conditional asks for; the text itself knows what constants are --------------


def asked(s: Support, op: str, values: tuple[Value, ...]) -> bool:
    """What a predicate says that has no short cut for the values."""
    for value in values:
        if type(value) is Dynamic and value.type == "any":
            raise Leave  # nothing is known
    return truth(s.pure(op, values))


def is_null(s: Support, value: Value) -> bool:
    if type(value) is PartialPair:
        return False
    return asked(s, "null?", (value,))


def is_pair(s: Support, value: Value) -> bool:
    if type(value) is PartialPair:
        return True
    return asked(s, "pair?", (value,))


def is_eqv(s: Support, a: Value, b: Value) -> bool:
    if type(a) is Static and type(b) is Static:
        return a.datum is b.datum or (type(a.datum) is not Symbol and eqv(a.datum, b.datum))
    return asked(s, "eqv?", (a, b))


def is_equal_number(s: Support, a: Value, b: Value) -> bool:
    if type(a) is Static and type(b) is Static and type(a.datum) is int and type(b.datum) is int:
        return a.datum == b.datum
    return asked(s, "=", (a, b))


def is_less(s: Support, a: Value, b: Value) -> bool:
    if type(a) is Static and type(b) is Static and type(a.datum) is int and type(b.datum) is int:
        return a.datum < b.datum
    return asked(s, "<", (a, b))


def is_false(s: Support, value: Value) -> bool:
    return not truth(value)


VALUES: Final[Mapping[str, str]] = {
    "car": "car",
    "cdr": "cdr",
    "+": "add",
    "-": "subtract",
}
"""Operations with a short cut, and the function that is it."""

TESTS: Final[Mapping[str, str]] = {
    "null?": "is_null",
    "pair?": "is_pair",
    "eq?": "is_eqv",
    "eqv?": "is_eqv",
    "=": "is_equal_number",
    "<": "is_less",
    "not": "is_false",
}
"""The same for operations whose result only a conditional uses."""
