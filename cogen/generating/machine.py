"""The specializer's machine with a program compiled in: what a generating extension runs on."""

from __future__ import annotations

from typing import Final

from cogen.generating.leave_compiled_code import Leave, Stack, innermost_trail
from cogen.generating.support import NOWHERE, Code, CodeOfProcedures, Support
from cogen.lang import il
from cogen.lang.chain import in_library
from cogen.lang.governor import Exceeded
from cogen.specializer.analyses.activations import calls_through
from cogen.specializer.execution.calls import Calls
from cogen.specializer.execution.engine import Control, Engine
from cogen.specializer.execution.machine import PathMachine
from cogen.specializer.execution.parts import Parts
from cogen.specializer.paths.path import Path
from cogen.specializer.values.arguments import Arguments
from cogen.specializer.values.domain import Closure, Value

LEAVING: Final = 8
"""To leave code costs as much as so many calls that it carries out save."""

LEAST_GAIN: Final = -64
"""Of so many calls more in vain, the machine carries a procedure out."""


class CompiledCalls(Calls):
    """Calls with procedures compiled in: one that is unfolded runs as Python until it comes to
    something that is the machine's work."""

    def __init__(self, engine: Engine, code: CodeOfProcedures) -> None:
        super().__init__(engine)
        parts = engine.parts
        self.code = code
        self.support = Support(parts, code)
        self.stack = Stack(parts)
        self.ready = False
        """Whether the top level has been evaluated, so that all procedures are defined."""
        self._gain = parts.analyses.gain

    def _running(self, function: il.Function) -> Code | None:
        """The code of a procedure if it is to run now; None if it was mostly left, as where each
        step assigns something."""
        if not self.ready or self.engine.record is not None:
            return None
        if self._gain.get(function, 0) < LEAST_GAIN:
            return None
        return self.code.get(function)

    def _call_closure(self, path: Path, closure: Closure, arguments: Arguments) -> Control | None:
        function, values, k = closure.function, arguments.values, arguments.continuation
        code = self._running(function)
        if code is None or len(values) != _count(function):
            return super()._call_closure(path, closure, arguments)
        support = self.support
        if support.stays(function, values) or support.concerns(function, values):
            return super()._call_closure(path, closure, arguments)
        support.on(path, k, self.caller)
        if support.looks(function) and support.is_odd(function, values, NOWHERE):
            return super()._call_closure(path, closure, arguments)
        looked = self.looked(path, function, arguments)
        if looked is not None and self.context.limits.count_look():
            return self.engine.apply(path, k, [looked], arguments.span)
        return self._carry_out(code, path, closure, arguments)

    def unfold(self, path: Path, closure: Closure, arguments: Arguments) -> Control | None:
        code = self._running(closure.function)
        if code is None:
            return self.enter(path, closure, arguments)
        self.support.on(path, arguments.continuation, self.caller)
        return self._carry_out(code, path, closure, arguments)

    def _carry_out(
        self, code: Code, path: Path, closure: Closure, arguments: Arguments
    ) -> Control | None:
        """Run a compiled procedure, for which `support` has been put on the path."""
        k, span = arguments.continuation, arguments.span
        support, limits = self.support, self.context.limits
        turn = self.engine.turn - limits.unfoldings_in_block
        support.limit = min(support.limit, turn - 1)  # the call that ends the turn is left
        caller = self.caller
        support.base = calls_through(closure.function, span, path.through, self.is_tail)
        at = (None if caller is None else caller.hint, span, None)
        try:
            result = code(support, at, closure, *arguments.values)
        except Leave as leave:
            control = self.stack.rebuilt(path, leave, k, support.calls_of, caller)
            leave.forget()
            limits.count_unfoldings(support.calls, control[3])
            self._gained(closure.function, support.calls - LEAVING)
            return control
        except Exceeded as error:
            calls = support.calls_of(innermost_trail(error.__traceback__))
            own = (site for site, _ in calls if site is not None and not in_library(site))
            limits.at = next(own, span) or limits.at
            raise
        except Exception:  # the block, or the whole, is begun again: what was carried out counts
            limits.unfoldings += support.calls
            raise
        limits.count_unfoldings(support.calls, None)
        self._gained(closure.function, support.calls)
        return self.engine.apply(path, k, [result], span)

    def _gained(self, function: il.Function, gain: int) -> None:
        """A procedure's code has carried out so many calls more than to leave it costs."""
        self._gain[function] = min(self._gain.get(function, 0) + gain, -LEAST_GAIN)


class CompiledMachine(PathMachine):
    """The machine with procedures compiled in."""

    calls: CompiledCalls

    def __init__(self, parts: Parts, code: CodeOfProcedures) -> None:
        self._code = code
        super().__init__(parts)

    def make_calls(self) -> CompiledCalls:
        return CompiledCalls(self, self._code)

    def split(self, path: Path, let: il.Let, values: tuple[Value, ...], rest: Control) -> bool:
        self.context.cyclic = self.context.cyclic or let.op == "set-base"
        return super().split(path, let, values, rest)


def _count(function: il.Function) -> int:
    """How many arguments a procedure takes that takes no others."""
    return len(function.parameters) if function.rest is None else -1
