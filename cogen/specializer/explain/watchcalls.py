"""Notes what becomes of calls (`watch.py`)."""

from __future__ import annotations

from cogen.lang import il
from cogen.lang.chain import in_library, users_place
from cogen.lang.errors import Span
from cogen.lang.ilutil import parameters
from cogen.lang.prims import CONTROL
from cogen.specializer.execution.calls import Calls
from cogen.specializer.execution.engine import Control, Engine
from cogen.specializer.explain import decisions as told
from cogen.specializer.explain.names import text_of, user_name
from cogen.specializer.explain.notes import Notes, given_up
from cogen.specializer.paths.path import Path
from cogen.specializer.programs.naming import name_of
from cogen.specializer.values.arguments import Arguments
from cogen.specializer.values.domain import (
    Closure,
    Cyclic,
    Value,
)


class WatchedCalls(Calls):
    """Notes what becomes of calls."""

    def __init__(self, engine: Engine, notes: Notes) -> None:
        super().__init__(engine)
        self.notes = notes
        self._leaves = False
        """Whether a call of a library procedure is being left."""

    def _call_place(self, span: Span | None) -> Span | None:
        return users_place(span, () if self.caller is None else self.caller.calls)

    def call(self, path: Path, function: Value, arguments: Arguments) -> Control | None:
        self.notes.place = users_place(arguments.span, path.through) or self.notes.place
        return super().call(path, function, arguments)

    def unfold(self, path: Path, closure: Closure, arguments: Arguments) -> Control | None:
        span = arguments.span
        if not in_library(span):
            name, place = name_of(closure.function), self._call_place(span)
            rule = "library" if in_library(closure.function.span) else "unfolding"
            self.notes.tell(path.block, place, "call", name, told.UNFOLDED, rule)
        return super().unfold(path, closure, arguments)

    def looked(self, path: Path, function: il.Function, arguments: Arguments) -> Value | None:
        return None  # `unfold` notes each call

    def searched(self, path: Path, closure: Closure, arguments: Arguments) -> Value | None:
        return None

    def enter(
        self, path: Path, closure: Closure, arguments: Arguments, root: str | None = None
    ) -> Control:
        function = closure.function
        if not in_library(function.span):
            for name, value in zip(parameters(function), arguments.values, strict=False):
                self.notes.variable(path.block, path.store, name, value)
        return super().enter(path, closure, arguments, root)

    def _call_residual(self, path: Path, closure: Closure, arguments: Arguments) -> Control | None:
        name, place = name_of(closure.function), self._call_place(arguments.span)
        rule, reason = "recursion", f"{name} is being carried out already with the same static"
        reason += " arguments"
        if self.parts.shared.is_one(closure.function, arguments.values):
            rule, reason = "shared", "nothing is known of its arguments here and in other places"
        elif self.parts.shared.was_repeated(path, closure, arguments.values):
            rule, reason = "shared", "it is called with the same static arguments in other places"
        self.notes.tell(path.block, place, "call", name, told.CALLED, rule, reason)
        return super()._call_residual(path, closure, arguments)

    def _leave(self, path: Path, function: il.Function, arguments: Arguments) -> Control | None:
        self._leaves = True
        try:
            return super()._leave(path, function, arguments)
        finally:
            self._leaves = False

    def residual_call(
        self, path: Path, function: il.Atom, arguments: Arguments, computes: bool = False
    ) -> Control | None:
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
        place = self._call_place(arguments.span)
        self.notes.tell(
            path.block, place, "call", what or text_of(place), told.CALLED, rule, reason
        )
        return super().residual_call(path, function, arguments, computes)

    def memo_call(self, path: Path, function: Value, arguments: Arguments) -> None:
        span = arguments.span
        named = span is not None and text_of(span).startswith("(dcall")
        rule, place = ("dcall" if named else "same-state"), self._call_place(span)
        name = name_of(function.function) if type(function) is Closure else text_of(place)
        self.notes.tell(path.block, place, "call", name, told.MEMO, rule)
        super().memo_call(path, function, arguments)

    def as_on_trial(
        self, path: Path, closure: Closure, arguments: Arguments
    ) -> tuple[Closure, Arguments]:
        found = super().as_on_trial(path, closure, arguments)
        function, names = closure.function, self.notes.names
        values = zip(parameters(function), arguments.values, found[1].values, strict=False)
        for name, old, new in values:
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
