"""What a call gives a procedure."""

from __future__ import annotations

from dataclasses import dataclass

from cogen.lang import il
from cogen.lang.errors import Span
from cogen.specializer.values.domain import Activation, Continuation, Value


@dataclass(frozen=True, slots=True)
class RootCall:
    """Of a residual procedure: what people call it, and the activation that calls it, if any."""

    hint: str
    caller: Activation | None


@dataclass(slots=True)
class Arguments:
    """Values, and the continuation that gets the result."""

    values: list[Value]
    continuation: Continuation
    span: Span | None
    """Where the call stands."""
    call: il.Call | None = None
    """The call itself, if it stands in the program."""

    def of(self, values: list[Value], continuation: Continuation | None = None) -> Arguments:
        """Other values, and another continuation if there is one, at the same place."""
        if continuation is None:
            continuation = self.continuation
        return Arguments(values, continuation, self.span, self.call)
