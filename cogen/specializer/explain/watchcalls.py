"""Notes what becomes of calls (`watch.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cogen.lang import il
from cogen.lang.chain import in_library, users_place
from cogen.lang.errors import Span
from cogen.lang.ilutil import parameters
from cogen.lang.prims import CONTROL
from cogen.specializer.execution.calls import Calls
from cogen.specializer.execution.engine import Engine, State
from cogen.specializer.explain import decisions as told
from cogen.specializer.explain.names import text_of, user_name
from cogen.specializer.explain.notes import Notes, given_up
from cogen.specializer.paths.path import Path
from cogen.specializer.programs.naming import name_of
from cogen.specializer.values.domain import (
    Activation,
    Closure,
    Continuation,
    Cyclic,
    Value,
)

if TYPE_CHECKING:
    pass


class WatchedCalls(Calls):
    """Notes what becomes of calls."""

    def __init__(self, engine: Engine, notes: Notes) -> None:
        super().__init__(engine)
        self.notes = notes
        self._leaves = False
        """Whether a call of a library procedure is being left."""

    def _call_place(self, span: Span | None) -> Span | None:
        return users_place(span, () if self.caller is None else self.caller.calls)

    def call(
        self,
        path: Path,
        function: Value,
        values: list[Value],
        k: Continuation,
        call: il.Call,
        activation: Activation | None,
    ) -> State | None:
        self.notes.place = users_place(call.span, path.through) or self.notes.place
        return super().call(path, function, values, k, call, activation)

    def unfold(
        self, path: Path, closure: Closure, values: list[Value], k: Continuation, span: Span | None
    ) -> State | None:
        if not in_library(span):
            name, place = name_of(closure.function), self._call_place(span)
            rule = "library" if in_library(closure.function.span) else "unfolding"
            self.notes.tell(path.block, place, "call", name, told.UNFOLDED, rule)
        return super().unfold(path, closure, values, k, span)

    def looked(
        self, path: Path, function: il.Function, values: list[Value], k: Continuation
    ) -> Value | None:
        return None  # `unfold` notes each call

    def searched(
        self, path: Path, closure: Closure, values: list[Value], k: Continuation
    ) -> Value | None:
        return None

    def enter(
        self,
        path: Path,
        closure: Closure,
        values: list[Value],
        k: Continuation,
        span: Span | None,
        root: str | None = None,
    ) -> State:
        function = closure.function
        if not in_library(function.span):
            for name, value in zip(parameters(function), values, strict=False):
                self.notes.variable(path.block, path.store, name, value)
        return super().enter(path, closure, values, k, span, root)

    def _call_residual(
        self, path: Path, closure: Closure, values: list[Value], k: Continuation, span: Span | None
    ) -> State | None:
        name, place = name_of(closure.function), self._call_place(span)
        rule, reason = "recursion", f"{name} is being carried out already with the same static"
        reason += " arguments"
        if self.parts.shared.is_one(closure.function, values):
            rule, reason = "shared", "nothing is known of its arguments here and in other places"
        self.notes.tell(path.block, place, "call", name, told.CALLED, rule, reason)
        return super()._call_residual(path, closure, values, k, span)

    def _leave(
        self, path: Path, function: il.Function, values: list[Value], k: Continuation, call: il.Call
    ) -> State | None:
        self._leaves = True
        try:
            return super()._leave(path, function, values, k, call)
        finally:
            self._leaves = False

    def residual_call(
        self,
        path: Path,
        function: il.Atom,
        values: list[Value],
        k: Continuation,
        span: Span | None,
    ) -> State | None:
        what, rule, reason = "", "unknown-procedure", "the procedure is not known"
        if type(function) is il.Global:
            what, rule, reason = function.name, "rcall", ""
            if self._leaves:
                rule, reason = "library-call", "nothing that steers it is known"
        elif type(function) is il.Prim:
            what, reason = function.name, "what it does is left to the run"
            rule = "unknown-procedure" if what in CONTROL else "effect"
            if what in ("apply", "rcall", "dcall"):
                reason = "the procedure or the number of its arguments is not known"
        place = self._call_place(span)
        self.notes.tell(
            path.block, place, "call", what or text_of(place), told.CALLED, rule, reason
        )
        return super().residual_call(path, function, values, k, span)

    def memo_call(
        self, path: Path, function: Value, values: list[Value], k: Continuation, call: il.Call
    ) -> None:
        named = call.span is not None and text_of(call.span).startswith("(dcall")
        rule, place = ("dcall" if named else "same-state"), self._call_place(call.span)
        name = name_of(function.function) if type(function) is Closure else text_of(place)
        self.notes.tell(path.block, place, "call", name, told.MEMO, rule)
        super().memo_call(path, function, values, k, call)

    def as_on_trial(
        self, path: Path, closure: Closure, values: list[Value], k: Continuation
    ) -> tuple[Closure, list[Value], Continuation]:
        found = super().as_on_trial(path, closure, values, k)
        function, names = closure.function, self.notes.names
        for name, old, new in zip(parameters(function), values, found[1], strict=False):
            place = names.place(name)
            if old is new or place is None or in_library(function.span):
                continue
            knowledge = self.notes.knowledge
            if knowledge(old, path.store) == knowledge(new, path.store):
                continue
            base = new.base if type(new) is Cyclic else None
            fact = given_up(place, user_name(name), old, base, self.notes.home(name))
            self.notes.add(path.block, fact)
        return found
