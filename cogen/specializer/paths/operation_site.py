"""Where an operation stands that a rule carries out, and what is wanted of it there."""

from __future__ import annotations

from typing import Final

from cogen.lang.errors import Span


class OperationSite:
    """The site of an operation; it does not change.

    `span` is its place in the program (for one in the prelude, that of the call that led there),
    `hint` what people will call its result.  With `delay` a predicate may give a `Test` instead of
    emitting anything.
    """

    __slots__ = ("delay", "hint", "span")

    def __init__(self, span: Span | None, hint: str = "t", delay: bool = False) -> None:
        self.span: Final = span
        self.hint: Final = hint
        self.delay: Final = delay

    def named(self, hint: str) -> OperationSite:
        """The same, for a result with this name."""
        return OperationSite(self.span, hint, self.delay)
