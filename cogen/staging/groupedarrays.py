"""Groups: so many arrays of any sizes, one after the other; of `group_by`, and of arrays of
strings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cogen.staging.sequencecalls import LoopSteps
from cogen.staging.sourceplaces import fail
from cogen.staging.stagedscalars import Scalar


class Groups:
    """So many arrays: what stands between an offset and the next one, each."""

    def __init__(
        self, offsets: Any, elements: Any, make: Callable[[Any], Any] | None = None
    ) -> None:
        self.offsets = offsets
        self.elements = elements
        self.make = make
        """Makes what a group is of its array: a string."""

    def staged_length(self) -> Any:
        """How many there are."""
        return self.offsets.size_of(0) - 1

    def staged_steps(self) -> LoopSteps:
        """What a `for` goes through."""
        return LoopSteps(self.staged_length(), lambda k: self[k])

    @property
    def shape(self) -> tuple[Any, ...]:
        """How many there are."""
        return (self.staged_length(),)

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            fail("groups are taken one by one", "groups[k], or cogen.map over them")
        if not isinstance(k, Scalar) and k < 0:
            k = self.staged_length() + k
        found = self.elements[self.offsets[k] : self.offsets[k + 1]]
        return found if self.make is None else self.make(found)

    def staged_parts(self) -> Any:
        """What a result would hold."""
        fail(
            "groups are no result: they differ in size", "cogen.map(f, groups) makes one value each"
        )
