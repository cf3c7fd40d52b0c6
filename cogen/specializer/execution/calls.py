"""What becomes of calls: unfolded, a memo point, or a residual call.

* a call of a known procedure is unfolded, unless recursion makes it residual;
* `dcall` is a memo point; `rcall` a residual call of the procedure as it stands (`kept`);
* a call of an unknown procedure is a real, non-tail residual call whose result is dynamic.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cogen.lang import il
from cogen.lang.errors import CogenError, LimitationError, Span
from cogen.lang.ilutil import base_name
from cogen.lang.prims import wrong_count
from cogen.lang.primtable.checks import brief
from cogen.specializer.advice.assigned import key_of
from cogen.specializer.analyses.activations import calls_through, is_tail_call, place_in
from cogen.specializer.analyses.library import PUBLIC
from cogen.specializer.execution.engine import NEVER, Calling, Control
from cogen.specializer.execution.primitivecalls import call_primitive
from cogen.specializer.execution.results import ANY, Shape, count, is_passed_on, received, value_of
from cogen.specializer.paths.failures import fail_call
from cogen.specializer.paths.leaving import hand_over, leave
from cogen.specializer.paths.operation_site import OperationSite
from cogen.specializer.paths.path import Path
from cogen.specializer.paths.segment import Segment
from cogen.specializer.programs.naming import name_of
from cogen.specializer.rules.rule import make_list
from cogen.specializer.values.arguments import Arguments, RootCall
from cogen.specializer.values.domain import (
    Activation,
    Closure,
    Continuation,
    Dynamic,
    Environment,
    Frame,
    Primitive,
    Reified,
    Return,
    Static,
    Stop,
    Value,
)
from cogen.specializer.versions.memo import VersionedProcedure
from cogen.specializer.versions.unending import CodeRecord


class Calls(Calling):
    """Carries out calls for a machine."""

    def carry_out(
        self, path: Path, procedure: Closure, arguments: list[Value], span: Span | None
    ) -> bool:
        """Carry out a procedure in place; False if the path ended."""
        kept = self.caller, self.is_tail, self.engine.taken()
        own, turn = (path.calls, path.mark, path.through), self.engine.turn
        self.is_tail, path.calls, path.mark = True, 0, None
        self.engine.turn = NEVER
        try:
            self.engine.run(path, self.enter(path, procedure, Arguments(arguments, Stop(), span)))
            return self.engine.taken() is not None
        finally:
            self.caller, self.is_tail, self.engine.result = kept
            path.calls, path.mark, path.through = own
            self.engine.turn = turn

    def begin(
        self, path: Path, closure: Closure, arguments: list[Value], k: Return, origin: RootCall
    ) -> None:
        self.caller = caller = origin.caller
        path.through = () if caller is None else caller.calls
        given = Arguments(arguments, k, closure.function.span)
        control = self.enter(path, closure, given, root=origin.hint)
        path.block.activation = control[3]
        self.engine.run(path, control)

    def call(self, path: Path, function: Value, arguments: Arguments) -> Control | None:
        """Call a value: unfold what is known, else leave a residual call."""
        kind = type(function)
        if kind is Closure:
            return self._call_closure(path, function, arguments)  # type: ignore[arg-type]
        if kind is Primitive:
            return call_primitive(self, path, function, arguments)  # type: ignore[arg-type]
        values, span = arguments.values, arguments.span
        if kind is Reified:
            if len(values) != 1:
                site = OperationSite(span, "v")
                values = [self.context.rule("values")(path, tuple(values), site)]
            return self.engine.apply(path, function.continuation, values, span)  # type: ignore[union-attr]
        if kind is Static and path.certain and path.quiet:
            shown = brief(function.datum)  # type: ignore[union-attr]
            place = place_in(span, self.caller)
            raise CogenError(f"expected a procedure to call, got {shown}", place)
        self.context.demand.ask(path, function)
        return self.residual_call(path, path.atom(function), arguments)

    def _call_closure(self, path: Path, closure: Closure, arguments: Arguments) -> Control | None:
        function, values = closure.function, arguments.values
        callee = self.parts.analyses.callee(function)
        expected = callee.count
        if len(values) != expected and (callee.rest is None or len(values) < expected):
            most = None if callee.rest else expected
            name = (function.label or function.name).removeprefix("%")
            failure = wrong_count(name, (expected, most), len(values))
            fail_call(path, failure, place_in(arguments.span, self.caller))
            return None
        parts = self.parts
        if callee.may_stay and parts.analyses.library.stays(function, values):
            return self._leave(path, function, arguments)
        if callee.rest is not None:
            arguments = self._with_rest(path, arguments, expected)
            values = arguments.values
        if parts.sites.enabled:
            parts.sites.called(function, values)
        if function in self.context.demand.calls:
            closure, arguments = self.as_on_trial(path, closure, arguments)
        if function in parts.growth_detection.calls:
            closure, arguments = parts.growth_detection.generalized(path, closure, arguments)
        lifted = parts.recursion.lifted.get(function)
        if lifted:
            arguments = arguments.of(
                [
                    path.dynamic(value) if index in lifted else value
                    for index, value in enumerate(arguments.values)
                ]
            )
        looked, calls = self.looked(path, function, arguments), 1
        if looked is None:
            looked = self.searched(path, closure, arguments)
            calls = parts.search.count
        if looked is None:
            if parts.recursion.is_recursive(path, closure, arguments):
                return self._call_residual(path, closure, arguments)
            if callee.goes_round and self._is_shared(path, closure, arguments):
                return self._call_residual(path, closure, arguments)
        if parts.recursion.is_cycle(path, closure, arguments):
            self.memo_call(path, closure, arguments)
            return None
        if looked is not None and self.context.limits.count_look(calls):
            return self.engine.apply(path, arguments.continuation, [looked], arguments.span)
        return self.unfold(path, closure, arguments)

    def _is_shared(self, path: Path, closure: Closure, arguments: Arguments) -> bool:
        """Whether a call of what goes round is one of a residual procedure as others are."""
        shared, values = self.parts.shared, arguments.values
        if shared.concerns(closure.function, values):
            return shared.is_shared(path, closure, values)
        return shared.is_repeated(path, closure, arguments)

    def _with_rest(self, path: Path, arguments: Arguments, fixed: int) -> Arguments:
        """Arguments of which all but so many are made a list, the last one."""
        values, call, sites = arguments.values, arguments.call, self.parts.sites
        assert call is not None
        place = place_in(call.span, self.caller)
        rest = make_list(path, tuple(values[fixed:]), key_of(call), place)
        if sites.enabled:
            rest = sites.listed(path, call, rest, place)
        return arguments.of([*values[:fixed], rest])

    def _leave(self, path: Path, function: il.Function, arguments: Arguments) -> Control | None:
        """Leave a call of a global procedure as it stands (`passes.library_closures`)."""
        name = self.parts.analyses.global_name(function)
        assert name is not None
        arguments = replace(arguments, span=place_in(arguments.span, self.caller))
        left = il.Global(PUBLIC.get(name, name))
        return self.residual_call(path, left, arguments, computes=True)

    def as_on_trial(
        self, path: Path, closure: Closure, arguments: Arguments
    ) -> tuple[Closure, Arguments]:
        """A call with that made dynamic which is on trial in such calls."""
        return self.parts.on_trial.generalized(path, closure, arguments)

    def unfold(self, path: Path, closure: Closure, arguments: Arguments) -> Control | None:
        """Carry out a call that is to leave nothing of itself."""
        return self.enter(path, closure, arguments)

    def looked(self, path: Path, function: il.Function, arguments: Arguments) -> Value | None:
        """What a call gives of which everything is known, and that ends in this block; None if it
        is another."""
        values, k = arguments.values, arguments.continuation
        if type(k) is not Frame or k.block is not path.block or self.engine.record is not None:
            return None
        found = self.parts.analyses.looking.value(function, values)
        if found is None and not self.parts.sites.enabled:
            found = self.parts.outright.value(function, values)
        return found

    def searched(self, path: Path, closure: Closure, arguments: Arguments) -> Value | None:
        """What a call gives that finds it in what is known, in this block and in one turn; None if
        it is another.  How many calls that takes, the search knows."""
        k = arguments.continuation
        if type(k) is not Frame or k.block is not path.block or self.engine.record is not None:
            return None
        if self.parts.sites.enabled or path.context.globals.evaluating:
            return None
        limits = self.context.limits
        turn = self.engine.turn - limits.unfoldings_in_block
        most = min(limits.unfoldings_left, turn)
        return self.parts.search.value(closure, arguments.values, k.activation, most)

    def enter(
        self, path: Path, closure: Closure, arguments: Arguments, root: str | None = None
    ) -> Control:
        """Unfold a call whose arguments fit; a rest argument is a list already.  `root` is what
        people call it if it begins a residual procedure."""
        function, values, k = closure.function, arguments.values, arguments.continuation
        known = closure.environment
        if type(known) is dict:
            environment: Environment = known.copy()
        else:
            names = self.context.liveness.of_function(function)
            environment = {name: known[name] for name in names}
        for name, value in zip(function.parameters, values, strict=False):
            environment[name] = value
        if function.rest is not None:
            environment[function.rest] = values[-1]
        environment[function.cont] = k
        hint = self.hint_of(function) if root is None else root
        site = arguments.span if root is None else None
        calls = calls_through(function, site, path.through, self.is_tail)
        if self.context.nodes:
            calls = self.context.at_nodes(values, calls)
        span = place_in(arguments.span, self.caller)
        is_root = root is not None
        before = None if is_root or not is_tail_call(self.caller, k) else self.caller
        activation = Activation(
            function, (closure, *values), k, path.block, span, hint, is_root, calls, before
        )
        if len(path.store) > len(
            self.context.barriers.roots
        ):  # what may change until it is asked for
            activation.store = path.snapshot()
        limits = self.context.limits
        limits.count_unfolding(activation)
        if limits.unfoldings_in_block >= limits.next_look and self.engine.record is None:
            limits.next_look = 2 * limits.unfoldings_in_block
            self.engine.record = CodeRecord(limits.first_look)
        return function.body, 0, environment, activation

    def call_if_recursive(self, path: Path, closure: Closure, arguments: Arguments) -> bool:
        """End the path with a residual call, if that is what the call is to be."""
        recursive = self.parts.recursion.is_recursive(path, closure, arguments)
        if recursive:
            self._call_residual(path, closure, replace(arguments, span=closure.function.span))
        return recursive

    def hint_of(self, function: il.Function) -> str:
        """What people call a procedure: one without a name of its own after its caller."""
        hint = self.parts.analyses.callee(function).hint
        if hint is None:
            return name_of(function) if self.caller is None else self.caller.hint
        return hint

    def memo_call(self, path: Path, function: Value, arguments: Arguments) -> None:
        """A memo point at a call, with the function, its arguments and its continuation."""
        values, k, call = arguments.values, arguments.continuation, arguments.call
        assert call is not None
        path.settle()
        names = _parameter_hints(function, len(values))
        roots = [("", function), *zip(names, values, strict=True), ("", k)]
        activation = k.activation if type(k) is Frame else None
        through, is_tail = path.through, self.is_tail

        def resume(path: Path, values: list[Any]) -> None:
            function, *values, k = values
            given = arguments.of(values, k)
            self.caller, path.through, self.is_tail = activation, through, is_tail
            if type(function) is Closure and _fits(function.function, len(values)):
                if self.call_if_recursive(path, function, given):
                    return
                if function.function.rest is not None:
                    given = self._with_rest(path, given, len(function.function.parameters))
                self.engine.run(path, self.enter(path, function, given))
                return
            control = self.call(path, function, given)
            if control is not None:
                self.engine.run(path, control)

        point = ("call", function.function if type(function) is Closure else call)
        self.parts.points.memo_point(path, point, roots, resume, activation, call.span)

    # -- residual calls ------------------------------------------------------------------------

    def _call_residual(self, path: Path, closure: Closure, arguments: Arguments) -> Control | None:
        """Call the residual procedure of a closure and the static part of its arguments."""
        values, k, span = arguments.values, arguments.continuation, arguments.span
        cut = self.parts.recursion.cuts(path, closure, values)
        path.settle()
        if not self.parts.barriers.settle(path, span):
            return None
        hand_over(path, [closure, *values], [k])
        hint = self.hint_of(closure.function)
        origin = RootCall(hint, self.caller)
        procedure, atoms = self.parts.procedures.called(path, closure, values, origin)
        shape = received(path, procedure, values)
        name = il.Global(procedure.raw.name)
        return self._emit_call(path, name, atoms, k, span, cut, procedure, shape)

    def residual_call(
        self, path: Path, function: il.Atom, arguments: Arguments, computes: bool = False
    ) -> Control | None:
        """Call something unknown with lifted arguments.  If it `computes`, what is on trial is not
        asked for by it, but its result is watched."""
        values, span = arguments.values, arguments.span
        path.settle()
        if not self.parts.barriers.settle(path, span):
            return None
        leave(path, values)
        atoms = tuple(path.atom(value) for value in values)
        return self._emit_call(
            path, function, atoms, arguments.continuation, span, computes=computes
        )

    def _emit_call(
        self,
        path: Path,
        function: il.Atom,
        atoms: tuple[il.Atom, ...],
        k: Continuation,
        span: Span | None,
        cut: bool = False,
        procedure: VersionedProcedure | None = None,
        shape: Shape = ANY,
        computes: bool = False,
    ) -> Control | None:
        """Emit a call, of a residual `procedure` if it is one, and go on with its result, of this
        shape: in another block if `cut`."""
        path.settle()
        self.parts.barriers.refuse(span)
        path.clobber()
        path.quiet = False
        self.context.limits.count_operation(span)
        span = path.placed(span)
        if type(k) is Return and is_passed_on(path, k.procedure, procedure):
            path.segment.tail = il.Call(function, atoms, k.cont, span)
            return None
        if type(k) is Stop:
            raise LimitationError(
                "a top-level definition needs a call that only a run can carry out", span
            )
        hint = base_name(k.cont.parameters[0]) if type(k) is Frame and k.cont.parameters else "v"
        name, results = path.fresh("k"), tuple([path.fresh(hint) for _ in range(count(shape))])
        rest = Segment()
        path.segment.bindings.append((name, results, rest, span))
        path.segment.tail = il.Call(function, atoms, name, span)
        path.segment = rest
        if computes:
            self.context.demand.compute(atoms, results)
        value = value_of(path, shape, map(Dynamic, results))
        return self.engine.apply(path, k, [value], span, cut)


def _fits(function: il.Function, count: int) -> bool:
    fixed = len(function.parameters)
    return count == fixed or (function.rest is not None and count >= fixed)


def _parameter_hints(function: Value, count: int) -> list[str]:
    if type(function) is not Closure:
        return [""] * count
    names = [base_name(name) for name in function.function.parameters]
    return (names + [base_name(function.function.rest or "")] * count)[:count]
