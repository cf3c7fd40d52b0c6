"""What a path knows of residual variables, by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Any

from cogen import interval
from cogen.interval import Interval
from cogen.kinds import Kinds
from cogen.lang.datum import RecordType
from cogen.specializer.values.bitgroups import Bits
from cogen.specializer.values.domain import Cyclic, Dynamic, Static, Value
from cogen.specializer.values.fixed import Parts


class Facts:
    """`bits` and `definitions` tell of results which bits they may have and how they were made
    (`rules.bits`), `masked` where each bit of them comes from (`rules.masked`),
    `intervals` between which bounds they lie, `kinds` what they may be (`rules.kinds`), `parts`
    which parts of objects are fixed (`values.fixed`), `boxes` which boxes are
    residual records (`versions.families`), `variants` of which types those that are dynamic may
    be, `others` what is none of a family, `decided`
    which tests the former have answered and `told` how often the latter."""

    __slots__ = (
        "bits",
        "boxes",
        "decided",
        "definitions",
        "intervals",
        "kinds",
        "masked",
        "others",
        "parts",
        "told",
        "variants",
    )

    def __init__(self) -> None:
        self.bits: dict[str, int] = {}
        self.definitions: dict[str, tuple[str, tuple[Value, ...]]] = {}
        self.masked: dict[str, Bits] = {}
        self.intervals: dict[str, Interval] = {}
        self.kinds: dict[str, Kinds] = {}
        self.boxes: dict[str, Value] = {}
        self.variants: dict[str, frozenset[RecordType]] = {}
        self.others: set[tuple[str, RecordType]] = set()
        self.parts: dict[str, Parts] = {}
        self.decided: dict[int, dict[Any, Any]] = {}
        self.told: Counter[Hashable] = Counter()

    def any_known(self) -> bool:
        """Whether there is anything that blocks know of their parameters."""
        return bool(self.intervals or self.kinds or self.parts or self.variants)

    def fork(self) -> Facts:
        """The same for a path of its own, which has decided nothing yet."""
        found = Facts()
        found.bits, found.masked = dict(self.bits), dict(self.masked)
        found.definitions = self.definitions
        found.intervals, found.kinds = dict(self.intervals), dict(self.kinds)
        found.parts, found.boxes = dict(self.parts), dict(self.boxes)
        found.variants, found.others = dict(self.variants), set(self.others)
        return found

    def interval(self, value: Value) -> Interval:
        """Between which bounds an integer lies."""
        kind = type(value)
        if kind is Dynamic:
            return self.intervals.get(value.name, interval.EVERYTHING)  # type: ignore[union-attr]
        if kind is Static and type(value.datum) is int:  # type: ignore[union-attr]
            return interval.point(value.datum)  # type: ignore[union-attr]
        if kind is Cyclic:
            of_quotient = self.intervals.get(value.quotient.name)  # type: ignore[union-attr]
            if of_quotient is not None:
                return interval.linear(value.base, of_quotient, value.remainder)  # type: ignore[union-attr]
        return interval.EVERYTHING
