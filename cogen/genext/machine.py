"""The specializer's machine with a program compiled in: what a generating extension runs on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from cogen.genext.support import Bail, Support
from cogen.spec.domain import (
    Activation,
    Closure,
    Continuation,
    Cyclic,
    Environment,
    Static,
    Value,
)
from cogen.spec.freeze import base_name
from cogen.spec.machine import Machine
from cogen.spec.path import Path
from cogen.spec.rules import rule_of
from cogen.spec.rules.data import make_pair
from lang import il
from lang.datum import Symbol
from lang.errors import CogenError, Span
from lang.prims import PrimitiveError

if TYPE_CHECKING:
    from cogen.spec.specialize import Specializer

State = tuple[il.Block, Environment, Activation | None] | None
Unfolding = Callable[["Compiled", Path, Environment, "Activation | None"], State]

GIVE_UP: Final = -2
"""The balance of successes and failures at which calls of a shape are no longer tried directly."""


class Ended(Exception):
    """The path ended at an operation that certainly fails."""


class Compiled(Machine):
    """The machine with the program compiled in: blocks are functions of Python, and calls of which
    nothing may be left are tried directly first, by the shape of their arguments."""

    def __init__(
        self,
        spec: Specializer,
        unfold: Mapping[il.Block, Unfolding],
        direct: Mapping[il.Function, Callable[..., Value]],
    ) -> None:
        super().__init__(spec)
        self.code = unfold
        self.direct = direct
        self.support = Support(spec, direct)
        self.balance: dict[tuple[object, ...], int] = {}
        self.pair = make_pair

    def execute(
        self,
        path: Path,
        code: il.Block,
        start: int,
        environment: Environment,
        activation: Activation | None,
    ) -> State:
        function = self.code.get(code)
        if function is None or start:  # an arm of a conditional that stays, the rest of a block
            return super().execute(path, code, start, environment, activation)
        try:
            return function(self, path, environment, activation)
        except Ended:
            return None

    def step(
        self,
        path: Path,
        let: il.Let,
        values: tuple[Value, ...],
        activation: Activation | None,
    ) -> Value:
        """Carry out an operation."""
        barriers = self.spec.barriers
        if let.op in barriers.operations and not barriers.settle(path, let.span, True):
            raise Ended
        span = self.spec.place(let.span, activation)
        try:
            return rule_of(let.op)(path, values, span, base_name(let.name), True)
        except PrimitiveError as failure:
            self._fail(path, let.op, values, failure, span)
            raise Ended from None

    def rest(
        self,
        path: Path,
        code: il.Block,
        start: int,
        environment: Environment,
        activation: Activation | None,
    ) -> State:
        """Carry out a block from a binding on as the machine does."""
        return super().execute(path, code, start, environment, activation)

    def conditional(
        self, path: Path, node: il.If, environment: Environment, activation: Activation | None
    ) -> State:
        """A conditional whose test is not simply known."""
        try:
            return self._if(path, node, environment, activation)
        except (PrimitiveError, CogenError) as error:
            return self._tail_failed(path, error, node, activation)

    def jump(
        self,
        path: Path,
        k: Continuation,
        values: list[Value],
        node: il.Jump,
        activation: Activation | None,
    ) -> State:
        """Continue with values."""
        try:
            return self.apply(path, k, values, node.span)
        except (PrimitiveError, CogenError) as error:
            return self._tail_failed(path, error, node, activation)

    def tail_call(
        self,
        path: Path,
        function: Value,
        values: list[Value],
        k: Continuation,
        node: il.Call,
        activation: Activation | None,
    ) -> State:
        """Call a value."""
        self.caller = activation
        try:
            return self.call(path, function, values, k, node, activation)
        except (PrimitiveError, CogenError) as error:
            return self._tail_failed(path, error, node, activation)

    def _tail_failed(
        self,
        path: Path,
        error: PrimitiveError | CogenError,
        node: il.Tail,
        activation: Activation | None,
    ) -> State:
        if not isinstance(error, PrimitiveError):
            error.span = error.span or node.span
            raise error
        self._fail_call(path, error, self.spec.place(node.span, activation))
        return None

    def global_value(self, name: str) -> Value:
        """The value of a global that is never assigned."""
        return self.spec.top_level.value(name)

    # -- calls -----------------------------------------------------------------------------------

    def unfold(
        self, path: Path, closure: Closure, values: list[Value], k: Continuation, span: Span | None
    ) -> State:
        shape = self._shape(closure.function, values)
        balance = None if shape is None else self.balance.get(shape, 0)
        if shape is None or balance is None or balance <= GIVE_UP:
            return self.enter(path, closure, values, k, span)
        support, limits = self.support, self.spec.limits
        support.on(path)
        try:
            result = self.direct[closure.function](support, closure.environment, *values)
        except Bail:
            self.balance[shape] = balance - 1
            return self.enter(path, closure, values, k, span)
        if balance < -GIVE_UP:
            self.balance[shape] = balance + 1
        limits.unfoldings += support.calls
        limits.unfoldings_in_block += support.calls
        return self.apply(path, k, [result], span)

    def _shape(self, function: il.Function, values: list[Value]) -> tuple[object, ...] | None:
        """What is known of a call: the procedure, and of each argument its form, of a constant its
        type, of a symbol which.  None for a call that is not to be tried directly."""
        if function not in self.direct or self.spec.options.generalize:
            return None
        shape: list[object] = [function]
        for value in values:
            kind: object = type(value)
            if kind is Static:
                datum = value.datum  # type: ignore[union-attr]
                kind = datum if type(datum) is Symbol else type(datum)
            elif kind is Cyclic:
                return None
            shape.append(kind)
        return tuple(shape)
