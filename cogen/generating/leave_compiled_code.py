"""Leaving compiled code: Python's stack -> frames, environment and activations of the machine.

Compiled procedures (`cogen.generating.direct`) keep what they work on in Python's variables, and
the continuations of their calls on Python's stack.  Where they meet something that is the machine's
work, `Leave` is raised.  On its way out each procedure notes in it where it stands and what its
variables are.  From that the machine's state is made that would be there if the machine had come to
that place by itself; there it goes on.  (Pettyjohn and others, "Continuations from generalized
stack inspection", 2005.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Final

from cogen.lang import il
from cogen.lang.chain import Calls
from cogen.lang.errors import Span
from cogen.specializer.analyses.activations import is_tail_call
from cogen.specializer.execution.engine import Control
from cogen.specializer.execution.parts import Parts
from cogen.specializer.paths.path import Path
from cogen.specializer.programs.naming import name_of
from cogen.specializer.values.calls_around import MOST_LEFT
from cogen.specializer.values.domain import Activation, Continuation, Environment, Frame

TAIL: Final = -1
"""Where a procedure stands whose tail call is being carried out: nowhere, but it led there."""

EARLIER: Final = "T"
"""The variable of the arguments that a procedure had in earlier rounds, if it calls itself in the
end: those of the last one, after those before."""

Site = tuple[il.Block, int] | il.Cont
"""A binding of a block (or its tail, which comes after them) that the machine is to carry out
next; or the continuation of a call that is being carried out."""


Trail = list[Any] | None
"""The calls that have not returned since the machine called compiled code, the innermost first: the
place of a call, the trail of those before, and what `Support.calls_of` has found for it or None;
then True for a tail call of which a run keeps the place, False for a node of a program that is
interpreted instead of the place of a call."""

At = tuple[str | None, Span | None, Trail]
"""Where a procedure is called: what people call the caller, None if there is none; the place of the
call; the calls that lead into the procedure."""


def innermost_trail(traceback: TracebackType | None) -> Trail:
    """The calls that lead into the innermost compiled procedure that an exception came through."""
    found: Trail = None
    while traceback is not None:
        variables = traceback.tb_frame.f_locals
        if "A" in variables and "S" in variables:
            found = variables["A"][2]
        traceback = traceback.tb_next
    return found


class Where:
    """A compiled procedure: its `sites` by number, and the IL names of its variables v1, v2, ..."""

    def __init__(
        self,
        function: il.Function,
        definition: str | None,
        hint: str | None,
        names: Sequence[str],
        sites: Sequence[Site],
    ) -> None:
        self.function = function
        self.definition = definition
        """The global that it is defined as."""
        self.hint = hint
        """What people call it; None for one that has no name of its own."""
        self.variables: Mapping[str, str] = {name: f"v{i}" for i, name in enumerate(names, 1)}
        self.sites = sites
        self.parameters = function.parameters
        if function.rest is not None:
            self.parameters = (*function.parameters, function.rest)
        self._conts: dict[str, il.Cont] | None = None
        self._rests: dict[int, il.Block] = {}

    def rest(self, number: int) -> il.Block:
        """The code from a site on that is no continuation."""
        found = self._rests.get(number)
        if found is None:
            site = self.sites[number]
            assert type(site) is tuple
            found, index = site
            if index:
                found = il.Block(found.bindings[index:], found.tail)
            self._rests[number] = found
        return found

    @property
    def conts(self) -> Mapping[str, il.Cont]:
        """The continuations of the procedure itself, by name."""
        if self._conts is None:
            self._conts = {}
            work = [self.function.body]
            while work:
                block = work.pop()
                for binding in block.bindings:
                    if type(binding) is il.Conts:
                        for cont in binding.conts:
                            self._conts[cont.name] = cont
                            work.append(cont.body)
                if type(block.tail) is il.If:
                    work += [block.tail.then, block.tail.otherwise]
        return self._conts


class Leave(Exception):
    """The machine is to go on; `stack` are the procedures left, the innermost first."""

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[tuple[Where, int, Mapping[str, Any]]] = []
        self._inner: tuple[int, Mapping[str, Any]] | None = None

    def inner(self, site: int, variables: Mapping[str, Any]) -> None:
        """Leave a continuation that is a procedure of Python within a procedure."""
        if self._inner is not None:
            site, variables = self._inner[0], {**variables, **self._inner[1]}
        self._inner = site, variables

    def through(self, where: Where, site: int, variables: Mapping[str, Any]) -> None:
        """Leave a procedure."""
        if self._inner is not None:
            site, variables = self._inner[0], {**variables, **self._inner[1]}
            self._inner = None
        self.stack.append((where, site, variables))

    def forget(self) -> None:
        """Let go of Python's frames."""
        self.stack.clear()
        self.__traceback__ = None


class Stack:
    """Makes the machine's state of what a `Leave` has noted."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.context = parts.context

    def rebuilt(
        self,
        path: Path,
        leave: Leave,
        k: Continuation,
        calls: Callable[[Trail], Calls],
        caller: Activation | None,
    ) -> Control:
        """The code where the machine goes on; `k` is where the
        outermost procedure returns to, `caller` has called it, `calls` gives those that a trail
        stands for."""
        innermost, last = leave.stack[0], caller
        for entry in reversed(leave.stack):
            where, number, variables = entry
            last = self._activation(where, variables, k, path, calls, last)
            if number == TAIL:
                continue
            frames: dict[str, Continuation] = {where.function.cont: k}
            if entry is not innermost:
                cont = where.sites[number]
                assert type(cont) is il.Cont
                frame = self._frame(where, cont, variables, last, frames, path)
                k = self.parts.analyses.tail_calls.returned(frame)
                continue
            code = where.rest(number)
            names = self.context.liveness.of_block(code)
            environment: Environment = {}
            self._fill(environment, where, names, variables, last, frames, path)
            return code, 0, environment, last
        raise AssertionError("nothing was left")

    def _activation(
        self,
        where: Where,
        variables: Mapping[str, Any],
        k: Continuation,
        path: Path,
        calls: Callable[[Trail], Calls],
        last: Activation | None,
    ) -> Activation:
        """The activation of a procedure that `last` called, after those of its rounds before, if
        it called itself in the end."""
        caller, span, trail = variables["A"]
        function, hint = where.function, where.hint
        if hint is None:
            hint = name_of(function) if caller is None else caller
        closure = variables["C"]
        if where.definition is not None:
            closure = self.context.globals.value(where.definition)
        stored = len(path.store) > len(self.context.barriers.roots)
        through = calls(trail)
        rounds = [[variables[where.variables[name]] for name in where.parameters]]
        earlier = variables.get(EARLIER)
        while earlier is not None and len(rounds) <= MOST_LEFT:
            earlier, values = earlier
            rounds.append(values)
        for values in reversed(rounds):
            before = last if is_tail_call(last, k) else None
            activation = last = Activation(
                function, (closure, *values), k, path.block, span, hint, False, through, before
            )
            if stored:
                activation.store = path.snapshot()
        return activation

    def _fill(
        self,
        environment: Environment,
        where: Where,
        names: Sequence[str],
        variables: Mapping[str, Any],
        activation: Activation,
        frames: dict[str, Continuation],
        path: Path,
    ) -> None:
        for name in names:
            if name not in frames and name in where.conts:
                self._frame(where, where.conts[name], variables, activation, frames, path)
            found = frames.get(name)
            environment[name] = variables[where.variables[name]] if found is None else found

    def _frame(
        self,
        where: Where,
        cont: il.Cont,
        variables: Mapping[str, Any],
        activation: Activation,
        frames: dict[str, Continuation],
        path: Path,
    ) -> Frame:
        """The frame of a continuation, which may be its own or another's variable."""
        frame = Frame(cont, {}, activation, path.block)
        frames[cont.name] = frame
        names = self.context.liveness.of_cont(cont)
        self._fill(frame.environment, where, names, variables, activation, frames, path)
        return frame
