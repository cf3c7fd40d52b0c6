"""The steps of advice, each found when it is asked for.

Most programs need few of them, and what leads to a step takes as long as trying it.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from cogen.lang.deep import on_deep_stack
from cogen.specializer.advice.advisedprogram import AdvisedProgram


class AdvicePart:
    """AdviceSteps that are found together: `of` what they are, if they are all of one kind."""

    def __init__(self, of: str | None, finding: Iterator[AdvisedProgram]) -> None:
        self.of = of
        self.is_broken = False
        """Whether finding the next one was interrupted, so that there may be more."""
        self._found: list[AdvisedProgram] = []
        self._finding: Iterator[AdvisedProgram] | None = finding

    def __iter__(self) -> Iterator[AdvisedProgram]:
        index = 0
        while index < len(self._found) or self._find():
            yield self._found[index]
            index += 1

    def _find(self) -> bool:
        """Find the next one; False if there are no more."""
        if self._finding is None:
            return False
        try:
            step = on_deep_stack(next, self._finding, None)
        except BaseException:
            self.is_broken = True
            raise
        if step is None:
            self._finding = None  # and all that it knew
            return False
        self._found.append(step)
        return True


class AdviceSteps:
    """All steps, from the mildest on."""

    def __init__(self, *parts: AdvicePart) -> None:
        self._parts = parts

    def __iter__(self) -> Iterator[AdvisedProgram]:
        return self.but(())

    def but(self, kinds: Container[str]) -> Iterator[AdvisedProgram]:
        """Those of other kinds than these, which are not even looked for where they come alone."""
        for part in self._parts:
            if part.of is None or part.of not in kinds:
                yield from (step for step in part if step.of is None or step.of not in kinds)

    @property
    def is_broken(self) -> bool:
        """Whether finding one was interrupted."""
        return any(part.is_broken for part in self._parts)
