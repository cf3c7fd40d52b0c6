"""What the text of `cogen.genext.direct` runs on: operations on symbolic values without effect.

An operation gives just what the specializer's rule for it gives, or raises `Bail`.  The frequent
ones are short cuts for values that are known; all others are the rules themselves, carried out on
a `Probe`: a path on which nothing may happen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NoReturn

from cogen.spec.domain import (
    Closure,
    Environment,
    PartialPair,
    Primitive,
    Static,
    Test,
    Value,
    is_true,
)
from cogen.spec.path import Path
from cogen.spec.rules import rule_of
from cogen.spec.rules.data import make_list, make_pair
from lang import il
from lang.datum import INT_MAX, INT_MIN, NIL, Pair, eqv
from lang.errors import CogenError, Span
from lang.prims import CONTROL, PRIMITIVES, PrimitiveError

if TYPE_CHECKING:
    from cogen.spec.specialize import Specializer

NOTHING: Final[Environment] = {}
"""The environment of a procedure of the top level."""

TRUE: Final = Static(True)
FALSE: Final = Static(False)

MAX_CALLS: Final = 20_000
"""Calls of one attempt; what takes more is left to the specializer, which watches its limits."""


class Bail(Exception):
    """The call must be carried out by the specializer."""


class Probe(Path):
    """A path on which nothing may be emitted, stored or allocated."""

    __slots__ = ()

    def refuse(self, *arguments: Any, **options: Any) -> NoReturn:
        """What a rule does that leaves a trace."""
        raise Bail

    emit = let = allocate = assign = escape = clobber = observe = remove = fork = refuse
    emit_test = refuse


class Support:
    """One attempt after the other for a specialization; `calls` counts those of the attempt."""

    def __init__(self, spec: Specializer, code: Mapping[il.Function, Callable[..., Value]]) -> None:
        self.spec = spec
        self.code = code
        self.calls = 0
        self.limit = MAX_CALLS
        self.probe: Path | None = None

    def on(self, path: Path) -> None:
        """The attempts from now on are on this path."""
        probe = self.probe
        if probe is None or probe.block is not path.block:
            probe = self.probe = Probe(self.spec, path.block, path.store, path.lifted)
        probe.store, probe.lifted = path.store, path.lifted
        probe.words, probe.bits, probe.definitions = path.words, path.bits, path.definitions
        probe.masked, probe.intervals = path.masked, path.intervals
        probe.available, probe.reads = path.available, path.reads
        probe.pending = None
        self.calls = 0

    def count(self) -> None:
        """Count a call."""
        self.calls += 1
        if self.calls > self.limit:
            raise Bail

    def operation(self, op: str, values: tuple[Value, ...], span: Span | None) -> Value:
        """What a rule gives, if it leaves no trace."""
        probe = self.probe
        assert probe is not None
        if op in self.spec.barriers.operations:
            raise Bail
        try:
            result = rule_of(op)(probe, values, span, "t", True)
        except PrimitiveError:
            raise Bail from None
        if probe.pending is not None or (type(result) is Test and span is None):
            raise Bail
        return result

    def call(self, function: Value, values: tuple[Value, ...]) -> Value:
        """The value of a call of a value."""
        if type(function) is Closure:
            code = self.code.get(function.function)
            if code is None:
                raise Bail
            shape = function.function
            fixed = len(shape.parameters)
            if shape.rest is not None and len(values) >= fixed:
                values = (*values[:fixed], self.list(values[fixed:]))
            elif len(values) != fixed:
                raise Bail
            return code(self, function.environment, *values)
        if type(function) is Primitive and function.name not in CONTROL:
            row = PRIMITIVES[function.name]
            least, most = row.arity
            fits = least <= len(values) and (most is None or len(values) <= most)
            if fits and (row.fold is None or len(values) == 2):
                return self.operation(function.name, values, None)
        raise Bail

    def list(self, values: tuple[Value, ...]) -> Value:
        """A list of the values."""
        assert self.probe is not None
        return make_list(self.probe, values)

    def value(self, name: str) -> Value:
        """The value of a global."""
        try:
            return self.spec.top_level.value(name)
        except CogenError:
            raise Bail from None


def truth(value: Value) -> bool:
    """What a conditional does on the value."""
    known = is_true(value)
    if known is None:
        raise Bail
    return known


# -- operations that give a value -----------------------------------------------------------------


def car(s: Support, pair: Value) -> Value:
    if type(pair) is PartialPair:
        return pair.car
    if type(pair) is Static and type(pair.datum) is Pair:
        return Static(pair.datum.car)
    return s.operation("car", (pair,), None)


def cdr(s: Support, pair: Value) -> Value:
    if type(pair) is PartialPair:
        return pair.cdr
    if type(pair) is Static and type(pair.datum) is Pair:
        return Static(pair.datum.cdr)
    return s.operation("cdr", (pair,), None)


def cons(s: Support, car: Value, cdr: Value) -> Value:
    assert s.probe is not None
    return make_pair(s.probe, car, cdr)


def add(s: Support, a: Value, b: Value) -> Value:
    if type(a) is Static and type(b) is Static and type(a.datum) is int and type(b.datum) is int:
        result = a.datum + b.datum
        if INT_MIN <= result <= INT_MAX:
            return Static(result)
    return s.operation("+", (a, b), None)


def subtract(s: Support, a: Value, b: Value) -> Value:
    if type(a) is Static and type(b) is Static and type(a.datum) is int and type(b.datum) is int:
        result = a.datum - b.datum
        if INT_MIN <= result <= INT_MAX:
            return Static(result)
    return s.operation("-", (a, b), None)


def no(s: Support, value: Value) -> Value:
    known = is_true(value)
    if known is None:
        return s.operation("not", (value,), None)
    return FALSE if known else TRUE


# -- operations that a conditional asks for -------------------------------------------------------


def is_null(s: Support, value: Value) -> bool:
    if type(value) is Static:
        return value.datum is NIL
    if type(value) is PartialPair:
        return False
    return truth(s.operation("null?", (value,), None))


def is_pair(s: Support, value: Value) -> bool:
    if type(value) is Static:
        return type(value.datum) is Pair
    if type(value) is PartialPair:
        return True
    return truth(s.operation("pair?", (value,), None))


def is_eqv(s: Support, a: Value, b: Value) -> bool:
    if type(a) is Static and type(b) is Static:
        return eqv(a.datum, b.datum)
    return truth(s.operation("eqv?", (a, b), None))


def is_equal_number(s: Support, a: Value, b: Value) -> bool:
    if type(a) is Static and type(b) is Static and type(a.datum) is int and type(b.datum) is int:
        return a.datum == b.datum
    return truth(s.operation("=", (a, b), None))


def is_less(s: Support, a: Value, b: Value) -> bool:
    if type(a) is Static and type(b) is Static and type(a.datum) is int and type(b.datum) is int:
        return a.datum < b.datum
    return truth(s.operation("<", (a, b), None))


def is_false(s: Support, value: Value) -> bool:
    return not truth(value)


VALUES: Final[Mapping[str, str]] = {
    "car": "car",
    "cdr": "cdr",
    "cons": "cons",
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
