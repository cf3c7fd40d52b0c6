"""The specializer's machine with a program compiled in: what a generating extension runs on."""

from __future__ import annotations

from collections.abc import Mapping

from cogen.generating.leave_compiled_code import Leave, Stack, innermost_trail
from cogen.generating.support import Code, Support
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
from cogen.specializer.values.domain import (
    Closure,
    Value,
)


class CompiledCalls(Calls):
    """Calls with procedures compiled in: one that is unfolded runs as Python until it comes to
    something that is the machine's work."""

    def __init__(self, engine: Engine, code: Mapping[il.Function, Code]) -> None:
        super().__init__(engine)
        parts = engine.parts
        self.code = code
        self.support = Support(parts, code)
        self.stack = Stack(parts)
        self.ready = False
        """Whether the top level has been evaluated, so that all procedures are defined."""

    @property
    def _runs(self) -> bool:
        """Whether compiled procedures may run now."""
        return self.ready and self.engine.record is None

    def _call_closure(self, path: Path, closure: Closure, arguments: Arguments) -> Control | None:
        function, values, k = closure.function, arguments.values, arguments.k
        code = self.code.get(function)
        if code is None or not self._runs or len(values) != _count(function):
            return super()._call_closure(path, closure, arguments)
        support = self.support
        if support.stays(function, values) or support.concerns(function, values):
            return super()._call_closure(path, closure, arguments)
        support.on(path, k, self.caller)
        if support.looks(function) and support.is_odd(function, values):
            return super()._call_closure(path, closure, arguments)
        looked = self.looked(path, function, arguments)
        if looked is not None and self.context.limits.count_look():
            return self.engine.apply(path, k, [looked], arguments.span)
        return self._carry_out(code, path, closure, arguments)

    def unfold(self, path: Path, closure: Closure, arguments: Arguments) -> Control | None:
        code = self.code.get(closure.function)
        if code is None or not self._runs:
            return self.enter(path, closure, arguments)
        self.support.on(path, arguments.k, self.caller)
        return self._carry_out(code, path, closure, arguments)

    def _carry_out(
        self,
        code: Code,
        path: Path,
        closure: Closure,
        arguments: Arguments,
    ) -> Control | None:
        """Run a compiled procedure, for which `support` has been put on the path."""
        k, span = arguments.k, arguments.span
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
            return control
        except Exceeded as error:
            calls = support.calls_of(innermost_trail(error.__traceback__))
            own = (site for site, _ in calls if site is not None and not in_library(site))
            limits.at = next(own, span) or limits.at
            raise
        limits.count_unfoldings(support.calls, None)
        return self.engine.apply(path, k, [result], span)


class CompiledMachine(PathMachine):
    """The machine with procedures compiled in."""

    calls: CompiledCalls

    def __init__(self, parts: Parts, code: Mapping[il.Function, Code]) -> None:
        self._code = code
        super().__init__(parts)

    def make_calls(self) -> CompiledCalls:
        return CompiledCalls(self, self._code)

    def split(self, path: Path, let: il.Let, values: tuple[Value, ...], rest: Control) -> bool:
        support = self.calls.support
        support.cyclic = support.cyclic or let.op == "set-base"
        return super().split(path, let, values, rest)


def _count(function: il.Function) -> int:
    """How many arguments a procedure takes that takes no others."""
    return len(function.parameters) if function.rest is None else -1
