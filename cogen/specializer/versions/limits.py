"""Limits: what a specialization may cost, and the diagnostic when it costs more.

The diagnostic tells the calls that led there, as others do (`lang.chain`), and in notes what of
their arguments, or of those of versions of one point, is known: that is what grew.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any, Final, NoReturn

from cogen.lang.chain import in_library
from cogen.lang.errors import CogenError, Note, Span, Warnings
from cogen.lang.governor import Exceeded, Exhausted, check, reached
from cogen.lang.ilutil import base_name
from cogen.lang.printer import write_brief
from cogen.specializer.values import domain
from cogen.specializer.values.freeze import Store
from cogen.specializer.values.value_facts import datum_of
from cogen.specializer.versions.cause import Cause
from cogen.specializer.versions.effort import (
    LEAST_UNFOLDINGS,
    LEAST_VERSIONS,
    VALUES,
    CallsUnfolded,
    Effort,
    TooMuch,
)
from cogen.specializer.versions.embedding import EmbeddedState
from cogen.specializer.versions.memo import Point, ResidualBlock
from cogen.specializer.versions.options import DEFAULT_MAX_VARIANTS, SpecializerOptions
from cogen.specializer.versions.unending import FIRST

MANY_VERSIONS = 256
"""More versions than this, by remainders of several addresses, are worth a warning."""


MOST_SUPERFLUOUS = 8
"""So many times --max-variants versions of one point may be made, with superfluous ones."""


MOST_SHOWN = 6
"""So many versions that differ are shown of those that are too many."""

MOST_PASSED: Final = 2000
"""So many calls are looked at to find the last of one procedure."""

STATES: Final = 3
"""So many states that followed each other tell what grows."""

MOST_CALLS = 4
"""So many calls are told with their arguments."""


WAITING: Final = 32
"""With fewer blocks that wait for their turn there is no telling what more effort will come to;"""

RISING: Final = 1.25
"""with so many times as many after twice the usual effort as after that, it will lead nowhere."""


class Endless(CogenError):
    """A limit is reached, or is sure to be.

    `states` are some that followed each other, the oldest first, and differ in what grows; `whence`
    tells from what to what it does.  One that is `certain` is no matter of effort: what led to it
    goes on without end in each run that comes there."""

    def __init__(
        self,
        message: str,
        span: Span | None = None,
        hint: str | None = None,
        notes: Iterable[Note] = (),
        states: Sequence[EmbeddedState] = (),
        whence: str = "",
        certain: bool = False,
    ) -> None:
        super().__init__(message, span, hint, notes)
        self.states = states
        self.whence = whence
        self.certain = certain
        self.causes: Sequence[Cause] = ()
        """What builds that which grows, where that was noted (`execution.causes`)."""

    @property
    def is_of_versions(self) -> bool:
        """Whether what grows was seen from version to version."""
        return self.whence.startswith("from version")


class Limits:
    """Counts operations, unfolded calls and versions, and watches the clock."""

    def __init__(self, options: SpecializerOptions) -> None:
        self.options = options
        self.most_variants = options.max_variants
        """How many versions a point may have."""
        self.operations = 0
        self.unfoldings = 0
        self.unfoldings_in_block = 0
        self.first_look = FIRST
        """After so many unfolded calls in a block rounds are looked for (`versions.unending`)."""
        self.next_look = FIRST
        self.versions = 0
        self.laid_down = 0
        """About how many values all versions so far start from."""
        self.looked = 0
        """How many values of states were compared, to see in what they differ."""
        self.effort: Effort | None = None
        """What may be spent before something else is tried."""
        self.usual: Effort | None = None
        """The usual effort, if less than what may be spent, so that it is given up on the way where
        more and more is left to do."""
        self._waited: list[int] = []
        """How many blocks waited after the usual effort, and after twice as much."""
        self.started = time.perf_counter()
        self.variants: dict[Point, tuple[int, list[ResidualBlock]]] = {}
        """How many versions each point has had, and those that it may still have."""
        self.arms: dict[Point, int] = {}
        """How many arms each `set-base` makes."""
        self.warned: set[Point] = set()
        self.at: Span | None = None
        self.within: domain.Activation | None = None
        """The place and the call that were counted last."""

    def remedy(self, what: str, option: str) -> str:
        """What may help against something that grows until a limit is reached."""
        return f"{self._cure(what)}, or raise --{option}"

    def _cure(self, what: str) -> str:
        return f"make {what} dynamic: write (lift …) around it"

    def expect(self, parts: int) -> None:
        """So many parts are static: a point of an interpreter may have a version for each, if
        nothing was said of versions."""
        if self.options.max_variants == DEFAULT_MAX_VARIANTS:
            self.most_variants = max(self.most_variants, parts)

    def seconds(self) -> float:
        """The time since the start."""
        return time.perf_counter() - self.started

    def count_operation(self, span: Span | None) -> None:
        """Count a residual operation; a limit's diagnostic when there are too many."""
        self.operations += 1
        self.at = span or self.at
        if self.operations > self.options.max_size:
            self._limit(
                f"the residual program has more than {self.options.max_size} operations",
                span,
                None,
                "max-size",
            )
        if self.operations & 255 == 0:
            self._check_time()

    def count_unfolding(self, activation: domain.Activation) -> None:
        """Count an unfolded call; a limit's diagnostic when there are too many."""
        count = self.unfoldings + 1
        in_block = self.unfoldings_in_block + 1
        effort = self.effort
        if (
            count & 255 == 0
            or in_block > self.options.max_unfoldings
            or (effort is not None and count > effort.unfoldings)
        ):
            self.count_unfoldings(1, activation)
            return
        self.unfoldings, self.unfoldings_in_block = count, in_block
        self.at, self.within = activation.span, activation

    @contextmanager
    def apart(self, calls: int) -> Iterator[None]:
        """So many calls may be unfolded meanwhile, and they do not count: `TooMuch` for more."""
        effort, before = self.effort, self.unfoldings
        self.effort = Effort(sys.maxsize, before + calls, sys.maxsize)
        try:
            yield
        finally:
            self.effort, self.unfoldings = effort, before
            self.begin_block()

    def begin_block(self) -> None:
        """A block begins, in which no call has been unfolded."""
        self.unfoldings_in_block, self.next_look = 0, self.first_look

    def count_look(self, calls: int = 1) -> bool:
        """Count so many calls that are carried out by looking at data; False if it may be one too
        many, which is for the call itself to tell: then it is not counted."""
        if self.unfoldings_in_block >= self.options.max_unfoldings:
            return False
        self.count_unfoldings(calls, None)
        return True

    def count_unfoldings(self, count: int, activation: domain.Activation | None) -> None:
        """Count unfolded calls, of which `activation` is the last that goes on."""
        before = self.unfoldings
        self.unfoldings += count
        self.unfoldings_in_block += count
        if activation is None:
            self._check_effort()
            return
        self.at, self.within = activation.span, activation
        if self.unfoldings_in_block > self.options.max_unfoldings:
            self._limit(
                f"more than {self.options.max_unfoldings} calls were unfolded without reaching "
                "a dynamic conditional",
                activation.span,
                activation,
                "max-unfoldings",
            )
        self._check_effort()
        if self.unfoldings >> 8 != before >> 8:
            self._check_time()

    def check_values(self) -> None:
        """See whether the versions so far start from too many values."""
        if self.effort is not None and self.laid_down + self.looked > self.effort.values:
            raise TooMuch

    def check_waiting(self, waiting: int) -> None:
        """See whether more and more blocks wait for their turn, of which so many do now."""
        usual, seen = self.usual, self._waited
        if usual is None or len(seen) == 2:
            return
        values = (self.laid_down + self.looked) / usual.values
        if max(self.versions / usual.versions, values) < len(seen) + 1:
            return
        seen.append(waiting)
        if len(seen) == 2 and waiting >= WAITING and waiting > RISING * seen[0]:
            raise TooMuch

    def as_effort(self, times: int) -> Effort:
        """So many times what was spent, and what is usual in any case."""
        return Effort(
            times * self.versions + LEAST_VERSIONS,
            times * self.unfoldings + LEAST_UNFOLDINGS,
            times * (self.laid_down + self.looked) + VALUES * LEAST_VERSIONS,
        )

    def _check_effort(self) -> None:
        effort = self.effort
        if effort is not None and self.versions > effort.versions:
            raise TooMuch
        if effort is not None and self.unfoldings > effort.unfoldings:
            raise CallsUnfolded

    @property
    def unfoldings_left(self) -> int:
        """How many calls may be unfolded before it is looked whether to go on."""
        left = min(self.options.max_unfoldings, self.next_look) - self.unfoldings_in_block
        if self.effort is not None:
            left = min(left, self.effort.unfoldings - self.unfoldings)
        return left

    def _check_time(self) -> None:
        try:
            check()
        except Exceeded:
            raise self.exhausted() from None

    def exhausted(self) -> Exhausted:
        """The diagnostic of time or memory that is used up, whoever found out."""
        at, within = self.at, self.within
        if within is None or (at is not None and at.calls is not None):
            return reached(at, (), self._cure("what grows"))
        at = _call_of(within) if at is within.span else reached_in(within, at)
        return reached(at, arguments(within), self._cure("what grows"))

    def too_long(self, characters: int, span: Span | None) -> NoReturn:
        """A text that is known gets too long."""
        within = self.within
        raise Endless(
            f"specialization does not seem to end: a text of {characters:,} characters is known",
            reached_in(within, span),
            hint=f"{self._cure('it')}",
            notes=arguments(within),
            states=calls_like(within),
            whence=f"from call to call of {name_of_call(within)}" if within else "",
        )

    def _limit(
        self, message: str, span: Span | None, activation: domain.Activation | None, option: str
    ) -> NoReturn:
        states = calls_like(activation)
        raise Endless(
            f"specialization does not seem to end: {message}",
            span if activation is None else _call_of(activation),
            hint=self.remedy("the growing argument", option),
            notes=arguments(activation),
            states=states,
            whence=f"from call to call of {name_of_call(activation)}" if activation else "",
        )

    def count_variant(self, block: ResidualBlock) -> None:
        """Count a version of a program point; a limit's diagnostic when there are too many.  Those
        that a restart has made superfluous do not count, unless there are very many."""
        self.versions += 1
        self._check_effort()
        limit = self.most_variants
        made, counted = self.variants.get(block.point, (0, []))
        if len(counted) >= limit:
            counted = [version for version in counted if version.reached]
        counted.append(block)
        self.variants[block.point] = made + 1, counted
        if len(counted) <= limit and made < MOST_SUPERFLUOUS * limit:
            return
        versions: dict[str, None] = {}
        states: list[EmbeddedState] = []
        ancestor: ResidualBlock | None = block
        while ancestor is not None and len(versions) < MOST_SHOWN:
            states.insert(0, EmbeddedState(ancestor.roots, ancestor.store))
            values = ", ".join(
                f"{name} = {_brief(value)}"
                for name, value in ancestor.roots
                if name and type(value) in (domain.Static, domain.Cyclic, domain.PartialPair)
            )
            versions[f"a version with {values or 'no static arguments'}"] = None
            ancestor = ancestor.previous()
        hint = base_name(block.raw.hint) or "one program point"
        raise Endless(
            f"specialization does not seem to end: more than {limit} versions of {hint}",
            reached_in(block.activation, block.raw.span),
            hint=self.remedy("the growing argument", "max-variants"),
            notes=[Note(version) for version in versions],
            states=states[-STATES:],
            whence=f"from version to version of {hint}",
        )

    def count_arms(
        self, block: ResidualBlock, arms: int, span: Span | None, warnings: Warnings
    ) -> None:
        """Note the arms that the `set-base` of a block makes, and warn if, with those around it,
        there will be very many versions of what follows."""
        self.arms[block.point] = arms
        around = [self.arms[p] for p in block.nearest if p in self.arms and p != block.point]
        versions = arms * prod(around)
        if around and versions > MANY_VERSIONS and block.point not in self.warned:
            self.warned.add(block.point)
            warnings.warn(
                f"set-base makes {versions:,} versions of what follows, {arms} for each of those "
                "that other set-bases make; count an end from its beginning instead: "
                "(+ from (set-base (- to from) stride))",
                span,
            )


def name_of_call(activation: domain.Activation) -> str:
    """What people call the procedure of a call."""
    function = activation.function
    return function.label or base_name(function.name)


def state_of_call(activation: domain.Activation, store: Store | None = None) -> EmbeddedState:
    """The procedure and the arguments of a call, with what objects held then, or hold in `store`
    now."""
    names = ["", *map(base_name, activation.function.parameters)]
    roots = list(zip(names, activation.values, strict=False))
    return EmbeddedState(roots, activation.store or store or {})


def calls_like(activation: domain.Activation | None) -> list[EmbeddedState]:
    """The last calls of a procedure, of those that led to one of it, the oldest first."""
    found: list[EmbeddedState] = []
    one = activation
    for _ in range(MOST_PASSED):
        if one is None or activation is None or len(found) == STATES:
            break
        if one.function is activation.function:
            found.insert(0, state_of_call(one))
        one = one.parent if one.before is None else one.before
    return found


def endless_rounds(calls: Sequence[domain.Activation]) -> Endless:
    """The diagnostic of calls, the oldest first, that go on for ever (`versions.unending`)."""
    last = calls[-1]
    name = name_of_call(last)
    return Endless(
        f"specialization does not seem to end: {name} is called again and again, and no test on "
        "the way will turn out differently",
        _call_of(last),
        hint=f"write (dcall …) for this call: a run stays in {name} for ever",
        notes=arguments(last),
        states=[state_of_call(call) for call in calls[-STATES:]],
        whence=f"from call to call of {name}",
        certain=True,
    )


def reached_in(activation: domain.Activation | None, span: Span | None) -> Span | None:
    """A place in the code of a call, with the calls that led there."""
    calls = () if activation is None else activation.calls
    return span if span is None or span.calls is not None else span.reached(calls)


def _call_of(activation: domain.Activation | None) -> Span | None:
    """The place of a call, with the calls that led there."""
    span: Span | None = None if activation is None else activation.span
    if activation is None or span is None or span.calls is not None:
        return span
    calls = activation.calls
    first, times = calls[0] if calls else (None, 0)
    if first == span:
        calls = ((first, times - 1), *calls[1:]) if times > 1 else calls[1:]
    return span.reached(calls)


def arguments(activation: domain.Activation | None) -> list[Note]:
    """What is known of the arguments of a call and of those around it, but for libraries."""
    notes: list[Note] = []
    while activation is not None and len(notes) < MOST_CALLS:
        function = activation.function
        if not in_library(function.span):
            values = zip(function.parameters, activation.values[1:], strict=False)
            known = ", ".join(f"{base_name(name)} = {_brief(value)}" for name, value in values)
            name = function.label or base_name(function.name)
            notes.append(Note(f"in the call of {name} ({known})"))
        k: domain.Continuation = activation.continuation
        activation = k.activation if type(k) is domain.Frame else None
    return notes


def _brief(value: Any) -> str:
    """A value as a note shows it."""
    if type(value) is domain.Static:
        return write_brief(value.datum, 40)
    if type(value) is domain.Cyclic:
        return f"{value.base}*{base_name(value.quotient.name)}+{value.remainder}"
    if type(value) is domain.PartialPair:
        datum = datum_of(value)
        return "a list" if datum is None else _brief(domain.Static(datum))
    if type(value) is domain.Closure:
        return f"#<procedure {value.function.label}>"
    if type(value) is domain.PartialRecord:
        return f"a {value.type.name}"
    return "dynamic" if type(value) is domain.Dynamic else "partly known"
