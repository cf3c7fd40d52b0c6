"""Sites: the places of a program that build values, and those whose values are made dynamic.

Where a value grows without end (`growth.growth_detection`), some place of the program builds
more and more of it: a `cons`, a record, a `lambda`; or counts it up.  Made dynamic where it is
built, as by `lift`, it grows nowhere, and all else stays known: an interpreter's environment is
still known, but holds variables.  So --generalize begins again with the site lifted.

Pairs know their site (`PartialPair.site`); of a pair that a procedure of the prelude builds it is
the place of the program that led there.  The site of a record is its type, of a procedure its code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from typing import Any, Final

from cogen.lang import il
from cogen.lang.chain import in_library, users_place
from cogen.lang.datum import Pair, Symbol
from cogen.lang.errors import Span
from cogen.specializer.paths.path import Path
from cogen.specializer.programs.liveness import Liveness
from cogen.specializer.values.domain import Closure, PartialPair, PartialRecord, Ref, Static, Value
from cogen.specializer.values.freeze import Store, Token, static_token
from cogen.specializer.versions.embedding import parts_of

Site = Hashable

BUILDING: Final = frozenset({"cons", "make-record", "+", "-", "*"})
"""Operations whose results have a site."""

GIVING: Final = BUILDING | frozenset(
    {"quotient", "remainder", "modulo", "expt", "string-append", "substring", "string->symbol",
     "symbol->string", "number->string", "string-length", "char->integer", "integer->char"}
)  # fmt: skip
"""Operations of which it is noted what they give, where that is asked for."""

MOST_COUNTED: Final = 2
"""So many numbers that grow are made dynamic each on its own; then the site that counts them is."""


class Growing(Exception):
    """Everything is to start again with these sites lifted; whether something grows of them that is
    built, no number."""

    def __init__(self, sites: frozenset[Site], is_built: bool) -> None:
        super().__init__()
        self.sites = sites
        self.is_built = is_built


class Sites:
    """The sites of one specialization, if they are `enabled`; what those `lifted` build is dynamic
    once the top level has been evaluated, as `active` tells."""

    def __init__(self, liveness: Liveness) -> None:
        self.enabled = False
        self.lifted: frozenset[Site] = frozenset()
        self.noting = False
        """Whether it is noted what each site gives, and where in the program it is, which takes
        time and memory: to tell people what grows (`execution.causes`)."""
        self.places: dict[Site, Span] = {}
        """Where the user's program has sites, if that is noted."""
        self._given: dict[Site, set[tuple[Token, Token]]] = {}
        """The constants that sites have made of others, if that is noted."""
        self.liveness = liveness
        self.active = False
        self._selecting: set[Site] = set()
        """Procedures that were called with something that they, or what they call, may look at:
        dynamic, they would be left to look at it in each run."""
        self._steps: dict[Site, set[tuple[int, int]]] = {}
        """The integers that sites have made of others."""
        self._counted: Counter[Site] = Counter()

    def enable(self, lifted: frozenset[Site], noting: bool = False) -> None:
        """See from now on what builds that which grows, of which these sites are known."""
        self.enabled, self.lifted, self.noting = True, lifted, noting

    # -- what is built -------------------------------------------------------------------------

    def built(
        self, path: Path, let: il.Let, values: Iterable[Value], value: Value, place: Span | None
    ) -> Value:
        """What one of the operations `GIVING` gives of values, noted or made dynamic."""
        if not self.noting and let.op not in BUILDING:
            return value
        kind = type(value)
        site: Site = (let.name, None if place is None else place.start)
        if self.noting:
            self._note(path, let.op, site if kind is not PartialRecord else site_of(value), place)
        if kind is PartialPair:
            value.site = site  # type: ignore[union-attr]
        elif kind is PartialRecord:
            site = site_of(value)
        elif kind is not Static or (type(value.datum) is not int and not self.noting):  # type: ignore[union-attr]
            return value
        if self.active and site in self.lifted:
            return path.dynamic(value)
        if kind is Static and self.noting:
            given = self._given.setdefault(site, set())
            new = static_token(value.datum)  # type: ignore[union-attr]
            given.update((static_token(old.datum), new) for old in values if type(old) is Static)
        elif kind is Static:
            steps = self._steps.setdefault(site, set())
            steps.update((old.datum, value.datum) for old in values if type(old) is Static)  # type: ignore[union-attr]
        return value

    def listed(self, path: Path, call: il.Call, made: Value, place: Span | None) -> Value:
        """A list of the arguments of a call, as far as they are more than the parameters."""
        site: Site = (id(call), None if place is None else place.start)
        if not self.noting:
            return made
        self._note(path, "cons", site, place)
        rest = made
        while type(rest) is PartialPair:
            rest.site = site
            rest = rest.cdr
        return path.dynamic(made) if self.active and site in self.lifted else made

    def _note(self, path: Path, op: str, site: Site, place: Span | None) -> None:
        """Note where a site is: that of a record's where its constructor is called."""
        calls = path.through
        if op == "make-record" and calls and calls[0][0] is not None:
            place = calls[0][0]
        found = users_place(place, (place.calls if place is not None else None) or calls)
        if found is not None:
            self.places[site] = found

    def closed(self, path: Path, fix: il.Fix, environment: dict[str, Any]) -> None:
        """Make procedures of lifted sites dynamic, when all that they may call are there."""
        if self.noting:
            for function in fix.functions:
                if function.span is not None and not in_library(function.span):
                    self.places[id(function)] = function.span
        if self.active and self.lifted:
            for function in fix.functions:
                if id(function) in self.lifted:
                    environment[function.name] = path.dynamic(environment[function.name])

    def called(self, function: il.Function, values: Sequence[Value]) -> None:
        """Note what a procedure is called with."""
        if id(function) not in self._selecting and any(map(_is_selector, values)):
            self._selecting.add(id(function))

    # -- what grows ----------------------------------------------------------------------------

    def blamed(self, values: Sequence[Any], stores: Sequence[Store]) -> Site:
        """The site whose values grow in these, which come oldest first; None if none is known.

        Of several that build each other's parts it is the outermost, if little is lost: a pair
        that holds names, or a procedure that is called with them, is needed where it is known."""
        if type(values[-1]) is Static:
            return self._counting(values[-1].datum)
        counts: list[Counter[Site]] = []
        losing = set(self._selecting)
        for value, store in zip(values, stores, strict=True):
            counts.append(Counter())
            for part in _composite_parts(value, store, self.liveness):
                site = site_of(part)
                if site is not None:
                    counts[-1][site] += 1
                if type(part) is PartialPair and (_is_selector(part.car) or _is_selector(part.cdr)):
                    losing.add(site)
        growing = [
            site
            for site in counts[-1]
            if site not in self.lifted
            and all(old[site] < new[site] for old, new in pairwise(counts))
        ]
        return min(growing, key=losing.__contains__, default=None)

    def giving(self, values: Sequence[Any], stores: Sequence[Store]) -> Site:
        """The site that gave the last of values that follow each other, the oldest first, each of
        the one before or with more of its parts; None if none is known."""
        if not all(type(value) is Static for value in values):
            return self.blamed(values, stores)
        tokens = [static_token(value.datum) for value in values]
        steps = set(pairwise(tokens))
        for site, given in self._given.items():
            if steps <= given:
                return site
        for site, given in self._given.items():
            if set(tokens[1:]) <= {new for _, new in given}:
                return site
        return None

    def _counting(self, number: Any) -> Site:
        """The only site that made the number in two steps, if there were more of these before."""
        found = []
        for site, steps in self._steps.items():
            before = {old for old, new in steps if new == number and old != number}
            if any(new in before and old != new for old, new in steps):
                found.append(site)
        if len(found) != 1 or found[0] in self.lifted:
            return None
        self._counted[found[0]] += 1
        return found[0] if self._counted[found[0]] > MOST_COUNTED else None


def site_of(value: Any) -> Site:
    """Where a value was built, None if that is not known."""
    kind = type(value)
    if kind is PartialPair:
        return value.site  # type: ignore[no-any-return]
    if kind is PartialRecord:
        return id(value.type)
    return id(value.function) if kind is Closure else None


def _composite_parts(value: Any, store: Store, liveness: Liveness) -> list[Any]:
    """The value and all that it is made of, the outermost first."""
    seen: set[tuple[bool, int]] = set()
    work = [value]
    for part in work:
        kind = type(part)
        identity = (True, part.number) if kind is Ref else (False, id(part))
        if identity not in seen:
            seen.add(identity)
            work += parts_of(part, store, liveness)
    return work


def _is_selector(value: Any) -> bool:
    """Whether a value is known and may decide what is done: a name or a piece of a program, or
    a list that begins with one."""
    while type(value) is PartialPair:
        value = value.car
    return type(value) is Static and type(value.datum) in (Symbol, Pair)
