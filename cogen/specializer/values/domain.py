"""The specializer's symbolic values (seed 004, the domain of cyclic integers).

    value ::= Static(datum)                      known
            | Dynamic(name, type)                unknown; its name is its identity
            | Cyclic(base, remainder, quotient)  base*quotient + remainder, quotient dynamic
            | PartialPair(car, cdr)              an immutable pair of values
            | PartialRecord(type, fields)        an immutable record of values
            | Several(values)                    what `(values ...)` gives, unless it is one
            | Closure(function, environment)     a procedure of the program
            | Primitive(name)                    a primitive as a procedure
            | Reified(continuation)              what call/cc gives
            | Ref(number)                        a mutable object of the specializer's store
            | Test(op, arguments)                a delayed predicate on values

    continuation ::= Frame(cont, environment, activation, block) | Return(function) | Stop

Note [Cyclic values are not kept in normal form]
    A remainder may leave [0, base) and comes back at memo points only (late normalization,
    seed 004): until then `x + 4` of two aliases stays equal by name.  Base 1 is allowed:
    `Cyclic(1, r, q)` is the dynamic q plus a known offset, which keeps two words of one buffer
    apart and equal addresses equal.

Note [Delayed tests]
    A predicate on dynamic values is not computed at once: it is a value that names its operands.
    A dynamic conditional is a memo point; the operands, not the truth value, cross it, so that the
    residual loop computes its test at its head.  A test that can fail (its operands' types are
    unknown) is computed before anything else with an effect or a failure is emitted.

Values are immutable except while `freeze.rebuild` fills the shells it made.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Final

from cogen.lang import il
from cogen.lang.chain import Calls
from cogen.lang.datum import Datum, RecordType
from cogen.lang.errors import Span

Summary = Any
"""What is known of a composite value as a part of states (`values.states`)."""


class Static:
    """A known datum.  Quoted pairs and vectors are constants: they are never mutated."""

    __slots__ = ("datum",)

    def __init__(self, datum: Datum) -> None:
        self.datum = datum

    def __repr__(self) -> str:
        return f"Static({self.datum!r})"


class Dynamic:
    """An unknown value: the residual variable `name`; `type` is int float bool memory or any."""

    __slots__ = ("name", "type")

    def __init__(self, name: str, type: str = "any") -> None:
        self.name = name
        self.type = type

    def __repr__(self) -> str:
        return f"Dynamic({self.name}: {self.type})"


class Cyclic:
    """base * quotient + remainder, with base >= 1; see Note [Cyclic values …]."""

    __slots__ = ("base", "quotient", "remainder")

    def __init__(self, base: int, remainder: int, quotient: Dynamic) -> None:
        self.base = base
        self.remainder = remainder
        self.quotient = quotient

    def __repr__(self) -> str:
        return f"Cyclic({self.base}*{self.quotient.name}+{self.remainder})"


class PartialPair:
    """A pair whose parts are symbolic; `ground` tells that no dynamic part is in it, and is
    then a number shared by all structurally equal pairs; `site` is where it was built, if that is
    asked for (`analyses.allocation_sites`, `paths.pairs`)."""

    __slots__ = ("car", "cdr", "ground", "site", "summary")
    car: Value
    cdr: Value
    ground: int | None

    def __init__(
        self, car: Value, cdr: Value, ground: int | None = None, site: Hashable = None
    ) -> None:
        self.car = car
        self.cdr = cdr
        self.ground = ground
        self.site = site
        self.summary: Summary = None


class PartialRecord:
    """A record of a type whose fields nothing ever assigns."""

    __slots__ = ("fields", "summary", "type")

    def __init__(self, type: RecordType, fields: tuple[Value, ...]) -> None:
        self.type = type
        self.fields = fields
        self.summary: Summary = None


class Several:
    """Multiple values."""

    __slots__ = ("summary", "values")

    def __init__(self, values: tuple[Value, ...]) -> None:
        self.values = values
        self.summary: Summary = None


class Closure:
    """A procedure and the environment of its free variables (and perhaps more)."""

    __slots__ = ("environment", "function", "summary")

    def __init__(self, function: il.Function, environment: Environment) -> None:
        self.function = function
        self.environment = environment
        self.summary: Summary = None


class Primitive:
    """A primitive used as a value."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Reified:
    """A continuation as a procedure; `site` is the call of call/cc, `block` where it happened."""

    __slots__ = ("block", "continuation", "site")

    def __init__(self, continuation: Continuation, site: il.Call, block: object) -> None:
        self.continuation = continuation
        self.site = site
        self.block = block


class Ref:
    """A mutable object, found in the store under its number."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class Test:
    """A predicate not yet computed; see Note [Delayed tests]."""

    __slots__ = ("arguments", "fails", "op", "span", "summary")

    def __init__(self, op: str, arguments: tuple[Value, ...], fails: bool, span: Any) -> None:
        self.op = op
        self.arguments = arguments
        self.fails = fails
        self.span = span
        self.summary: Summary = None


class Activation:
    """A call being carried out: for finding recursion.

    `outer` is the nearest enclosing activation that began in another residual block, i.e. with a
    dynamic conditional in between.  `before` is the one that made the call, if that was a tail
    call; `beyond` the nearest in another block that made the call, directly or through others,
    waiting for its result or not; `around` are the procedures of all activations that led to it.
    `hint` is the name of the procedure of the program; `calls` are
    the calls through which it is carried out, as a diagnostic tells them; `store` the mutable
    objects as they were then, if there are any, until `key` has been found; `place` is where the
    call is that led into the prelude, and `constants` are those among its arguments, once that was
    asked for.
    """

    __slots__ = (
        "around",
        "before",
        "beyond",
        "block",
        "calls",
        "constants",
        "continuation",
        "depth",
        "function",
        "hint",
        "key",
        "outer",
        "place",
        "root",
        "span",
        "store",
        "values",
    )

    def __init__(
        self,
        function: il.Function,
        values: tuple[Value, ...],
        continuation: Continuation,
        block: object,
        span: Any,
        hint: str,
        root: bool = False,
        calls: Calls = (),
        before: Activation | None = None,
    ) -> None:
        self.function = function
        self.calls = calls
        self.hint = hint
        self.values = values
        self.continuation = continuation
        self.block = block
        self.span = span
        self.root = root
        self.key: tuple[Any, ...] | None = None
        self.store: dict[int, Any] | None = None
        self.constants: tuple[Any, ...] | None = None
        self.place: Span | None = None
        parent = continuation.activation if type(continuation) is Frame else None
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.outer: Activation | None = parent
        if parent is not None and parent.block is block:
            self.outer = parent.outer
        self.before = before
        caller = parent if before is None else before
        self.beyond: Activation | None = caller
        if caller is not None and caller.block is block:
            self.beyond = caller.beyond
        self.around: frozenset[il.Function] = frozenset()
        if caller is not None:
            known = caller.around
            self.around = known if caller.function in known else known | {caller.function}

    @property
    def parent(self) -> Activation | None:
        """The activation that goes on when this one has come to its end."""
        k = self.continuation
        return k.activation if type(k) is Frame else None


class Frame:
    """A source continuation with its environment, the activation it belongs to and the residual
    block in which it was made."""

    __slots__ = ("activation", "block", "cont", "environment", "summary")

    def __init__(
        self, cont: il.Cont, environment: Environment, activation: Activation | None, block: object
    ) -> None:
        self.cont = cont
        self.environment = environment
        self.activation = activation
        self.block = block
        self.summary: Summary = None


class Return:
    """The return from a residual function, given by the name of its continuation, and the
    residual procedure if its results may have a shape (`execution.results`)."""

    __slots__ = ("cont", "procedure")

    def __init__(self, cont: str, procedure: Any = None) -> None:
        self.cont = cont
        self.procedure = procedure


class Stop:
    """The end of the evaluation of a top-level definition."""

    __slots__ = ()


Continuation = Frame | Return | Stop
Value = (
    Static | Dynamic | Cyclic | PartialPair | PartialRecord | Several | Closure | Primitive
    | Reified | Ref | Test
)  # fmt: skip
Environment = dict[str, Any]
"""Variables to values and continuation names to continuations."""


class ObjectsDiffer(Exception):
    """Objects that some site makes were not what they were taken for; everything is to start
    again with another treatment of them."""

    def __init__(self, site: Hashable) -> None:
        super().__init__()
        self.site = site


class Unsettled(ObjectsDiffer):
    """One that was taken for never assigned any more is: of those of its site, the one made at this
    `turn` (`Cell`)."""

    def __init__(self, site: Hashable, turn: int) -> None:
        super().__init__(site)
        self.turn = turn


class Counting(ObjectsDiffer):
    """One is assigned in each round of a recursion: it is to be residual from the beginning."""


class Assigned(ObjectsDiffer):
    """A pair that was taken for immutable is assigned, or may be (`paths.pairs`): one made by
    any of these sites, None if they are not known."""

    def __init__(self, sites: frozenset[Hashable] | None) -> None:
        super().__init__(sites)
        self.sites = sites


LATE: Final = sys.maxsize
"""The turn of objects that are not made while the program starts, on its way to the first
conditional that a run decides."""

EVERY_TURN: Final = -1
"""Among turns: all of them, `LATE` too."""


@dataclass(slots=True, eq=False, repr=False)
class Cell:
    """Store object: a box (an assigned variable); `items` has its one value.

    `site` is where it was made, if that is known, `turn` how many of that site the program had made
    before, while it started; one that `is_settled` is taken for never assigned any more
    (`paths.leaving`)."""

    kind: Any
    items: list[Value]
    owner: object
    site: Hashable = None
    is_settled: bool = False
    turn: int = LATE

    def with_items(self, items: list[Value], owner: object) -> Cell:
        """The object with other contents."""
        return Cell(self.kind, items, owner, self.site, self.is_settled, self.turn)

    def settled(self, owner: object) -> Cell:
        """The object, taken for never assigned any more."""
        return Cell(self.kind, list(self.items), owner, self.site, True, self.turn)


def is_true(value: Value) -> bool | None:
    """What a conditional does on the value, None when only the residual program knows."""
    if type(value) is Static:
        return value.datum is not False
    if type(value) is Test:
        return None
    if type(value) is Dynamic:
        return None if value.type in ("any", "bool") else True
    return True
