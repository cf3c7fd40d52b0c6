"""Symbolic execution of the IL: one path at a time, until it jumps, returns, or fails.

The machine runs blocks as the interpreter would, on symbolic values.  Calls of known procedures
are unfolded, continuations are applied; only these leave residual code:

* a conditional on an unknown test: a memo point, then both arms (`dynamic_if`);
* `dcall`: a memo point; `rcall`: a residual call of the procedure as it stands (`kept`);
* a continuation (of a source call or a join) reached after a dynamic conditional: a memo point;
* a call that recursion makes residual, or of an unknown procedure: a real, non-tail residual
  call whose result is dynamic;
* `set-base` of a dynamic value: a memo point, then an arm for each remainder (seed 004).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cogen.lang import il
from cogen.lang.errors import CogenError, InternalError, LimitationError, Span
from cogen.lang.ilutil import base_name
from cogen.lang.prims import PrimitiveError, wrong_count
from cogen.lang.primtable.row import brief
from cogen.spec.activations import calls_through, is_tail_call, place_in
from cogen.spec.assigned import key_of
from cogen.spec.domain import (
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
    Test,
    Value,
    is_true,
)
from cogen.spec.engine import Engine, State
from cogen.spec.failures import end_with_error, fail, fail_call
from cogen.spec.known import type_of
from cogen.spec.leaving import hand_over, leave
from cogen.spec.limits import Endless
from cogen.spec.memo import Procedure
from cogen.spec.naming import name_of
from cogen.spec.parts import Parts
from cogen.spec.path import Path
from cogen.spec.plan import CLOSES, CONTINUES, ENDS, SPLITS, Plan, Step
from cogen.spec.primitivecalls import call_primitive
from cogen.spec.results import ANY, Shape, count, is_passed_on, received, returned, value_of
from cogen.spec.rules import kinds
from cogen.spec.rules.interval import decide_test, learn
from cogen.spec.rules.rule import Rule, make_list, pair_operation
from cogen.spec.segment import Segment
from cogen.spec.splitting import SPLIT_BY, Place


class Machine(Engine):
    """Executes paths for a specializer; `work` are the arms still to be run."""

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        self.plans = parts.analyses.plans
        """Of blocks, made for the usual rules."""
        self._hints: dict[il.Function, str] = {}

    def watch(self, rule: Callable[[str], Rule]) -> None:
        """Carry out operations by these rules instead of the usual ones."""
        self.context.rule, self.plans = rule, {}

    def carry_out(
        self, path: Path, procedure: Closure, arguments: list[Value], span: Span | None
    ) -> bool:
        """Carry out a procedure in place; False if the path ended."""
        kept = self.caller, self.is_tail, self.taken()
        own = path.calls, path.mark, path.through
        self.is_tail, path.calls, path.mark = True, 0, None
        try:
            self.run(path, *_at_start(self.enter(path, procedure, arguments, Stop(), span)))
            return self.taken() is not None
        finally:
            self.caller, self.is_tail, self.result = kept
            path.calls, path.mark, path.through = own

    def begin(
        self,
        path: Path,
        closure: Closure,
        arguments: list[Value],
        k: Return,
        hint: str,
        caller: Activation | None,
    ) -> None:
        """Carry out a closure with arguments as the beginning of a residual procedure that people
        call so, for the caller of it, if any."""
        self.caller = caller
        path.through = () if caller is None else caller.calls
        state = self.enter(path, closure, arguments, k, closure.function.span, root=hint)
        path.block.activation = state[2]
        self.run(path, *_at_start(state))

    # -- straight-line code --------------------------------------------------------------------

    def value(self, atom: il.Atom, environment: Environment) -> Value:
        """The symbolic value of an atom."""
        kind = type(atom)
        if kind is il.Var:
            return environment[atom.name]  # type: ignore[no-any-return, union-attr]
        if kind is il.Const:
            return Static(atom.value)  # type: ignore[union-attr]
        if kind is il.Global:
            return self.context.globals.value(atom.name)  # type: ignore[union-attr]
        return Primitive(atom.name)  # type: ignore[union-attr]

    def run(
        self,
        path: Path,
        code: il.Block,
        start: int,
        environment: Environment,
        activation: Activation | None,
    ) -> None:
        """Execute a block from binding `start` on, and what it leads to, to the path's end."""
        try:
            state = self.execute(path, code, start, environment, activation)
            while state is not None:
                code, environment, activation = state
                state = self.execute(path, code, 0, environment, activation)
        except Endless:
            raise
        except CogenError as error:
            error.through(path.through)
            raise

    def execute(
        self,
        path: Path,
        code: il.Block,
        start: int,
        environment: Environment,
        activation: Activation | None,
    ) -> State | None:
        """Execute a block from binding `start` on: the code to run next, or None if the path
        ended."""
        path.through = () if activation is None else activation.calls
        if not self._bindings(path, code, start, environment, activation):
            return None
        tail = code.tail
        try:
            if type(tail) is il.If:
                return self._if(path, tail, environment, activation)
            if type(tail) is il.Jump:
                values = self._values(self._plan(code).operands, environment)
                return self.apply(path, environment[tail.cont], values, tail.span)
            if type(tail) is il.Call:
                function = self.value(tail.function, environment)
                values = self._values(self._plan(code).operands, environment)
                self.caller = activation
                k = environment[tail.cont]
                self.is_tail = not (type(k) is Frame and k.activation is activation)
                k = self.parts.analyses.tail_calls.returned(k)
                return self.call(path, function, values, k, tail, activation)
            raise InternalError("unknown tail")
        except PrimitiveError as failure:
            fail_call(path, failure, place_in(tail.span, activation))
            return None
        except CogenError as error:
            if error.span is None:
                error.reached(tail.span, ())
            raise

    def _bindings(
        self,
        path: Path,
        code: il.Block,
        start: int,
        environment: Environment,
        activation: Activation | None,
    ) -> bool:
        """Execute the bindings of a block; False if the path ended on the way."""
        sites, steps = self.parts.sites, self._plan(code).steps
        for index in range(start, len(steps)):
            step = steps[index]
            kind, binding = step.kind, step.binding
            if kind == CONTINUES:
                assert type(binding) is il.Conts
                for cont in binding.conts:
                    environment[cont.name] = Frame(cont, environment, activation, path.block)
                continue
            if kind == CLOSES:
                assert type(binding) is il.Fix
                for function in binding.functions:
                    environment[function.name] = Closure(function, environment)
                if sites.enabled:
                    sites.closed(path, binding, environment)
                continue
            assert type(binding) is il.Let
            values = tuple(self._values(step.operands, environment))
            if step.looks is not None:
                known = step.looks(values[0])
                if known is not None:
                    environment[binding.name] = known
                    continue
            if kind == SPLITS:
                point = (code, index)
                if self.split(path, binding, values, point, environment, activation):
                    continue
                return False
            span = binding.span
            try:
                value = self._operation(path, step, binding, values, activation)
            except PrimitiveError as failure:
                fail(path, binding.op, values, failure, place_in(span, activation))
                return False
            if value is None:
                return False
            environment[binding.name] = value
        return True

    def _plan(self, code: il.Block) -> Plan:
        plan = self.plans.get(code)
        if plan is None:
            plan = self.plans[code] = Plan(code, self.context.rule)
        return plan

    def _operation(
        self,
        path: Path,
        step: Step,
        let: il.Let,
        values: tuple[Value, ...],
        activation: Activation | None,
    ) -> Value | None:
        """What an operation gives; None if the path ended."""
        context, op, span = self.context, let.op, let.span
        if step.kind == ENDS:
            end_with_error(path, op, values, place_in(span, activation))
            return None
        operations = context.barriers.operations
        if operations and op in operations and not self.parts.barriers.settle(path, span, True):
            return None
        span = place_in(span, activation)
        if step.of_pairs and context.pairs.may_be_assigned:
            value = pair_operation(path, key_of(let), op, values, span, step.hint)
        else:
            assert step.rule is not None
            value = step.rule(path, values, span, step.hint, True)
        if step.builds and self.parts.sites.enabled:
            value = self.parts.sites.built(path, let, values, value, span)
        return value

    def _values(self, operands: tuple[Any, ...], environment: Environment) -> list[Value]:
        """The symbolic values of operands (`cogen.spec.plan`)."""
        values: list[Value] = []
        for operand in operands:
            if type(operand) is str:
                values.append(environment[operand])
            elif type(operand) is Static:
                values.append(operand)
            else:
                values.append(self.value(operand, environment))
        return values

    # -- conditionals --------------------------------------------------------------------------

    def _if(
        self, path: Path, node: il.If, environment: Environment, activation: Activation | None
    ) -> State | None:
        test = self.value(node.test, environment)
        if type(test) is Static:
            arm = node.then if test.datum is not False else node.otherwise
            return arm, environment, activation
        negated = False
        while type(test) is Test and test.op == "not":
            inner = test.arguments[0]
            if path.pending is test:
                path.pending = inner if type(inner) is Test and inner.fails else None
            node = self.parts.analyses.swapped(node)
            negated = not negated
            test = inner
        truth = is_true(test)
        if truth is None and type(test) is Test and not test.fails:
            truth = decide_test(path, node, test)
        if truth is None:
            truth = kinds.decide(path, node, test)
        if truth is not None:
            return (node.then if truth else node.otherwise), environment, activation
        names = self.context.liveness.of_arms(node)
        roots = [("test", test), *((base_name(n), environment[n]) for n in names)]
        if path.pending is test:
            path.pending = None  # it crosses the memo point as a root
        path.settle()

        def resume(path: Path, values: list[Any]) -> None:
            test, environment = values[0], dict(zip(names, values[1:], strict=True))
            if path.block.activation is not None:
                path.through = path.block.activation.calls
            atom = path.emit_test(test) if type(test) is Test else path.atom(test)
            if type(atom) is il.Const:
                arm = node.then if atom.value is not False else node.otherwise
                self.run(path, arm, 0, environment, path.block.activation)
                return
            path.context.demand.ask(path, test)
            self._branch(path, atom, node, environment, test, negated)

        self.parts.points.memo_point(path, ("if", node), roots, resume, activation, node.span)
        return None

    def _branch(
        self,
        path: Path,
        atom: il.Atom,
        node: il.If,
        environment: Environment,
        test: Value,
        negated: bool,
    ) -> None:
        """Both arms of a conditional on a test, computed as `atom`, each with what it tells of the
        source's test (of which it is the negation, if `negated`)."""
        then, otherwise = Segment(), Segment()
        place = path.placed(node.span) if self.context.nodes else node.span
        path.segment.tail = (atom, then, otherwise, place)
        first, second = path.fork(then), path.fork(otherwise)
        first.arms = (*path.arms, (id(node), True))
        second.arms = (*path.arms, (id(node), False))
        for arm, holds in ((first, True), (second, False)):
            learn(arm, test, holds)
            kinds.learn(arm, test, holds)
        activation = path.block.activation
        true_environment, false_environment = dict(environment), environment
        if isinstance(node.test, il.Var) and node.test.name in environment:
            false_environment[node.test.name] = Static(negated)
            if type_of(test) == "bool" or negated:
                true_environment[node.test.name] = Static(not negated)
        self.work.append((second, node.otherwise, 0, false_environment, activation))
        self.work.append((first, node.then, 0, true_environment, activation))

    def split(
        self,
        path: Path,
        let: il.Let,
        values: tuple[Value, ...],
        place: Place,
        environment: Environment,
        activation: Activation | None,
    ) -> bool:
        """An operation with an arm for each thing that its operand may be; False if the path split
        into these."""
        return SPLIT_BY[let.op](self, path, let, values, place, environment, activation)

    # -- continuations -------------------------------------------------------------------------

    def apply(
        self,
        path: Path,
        k: Continuation,
        values: list[Value],
        span: Span | None,
        cut: bool = False,
    ) -> State | None:
        """Continue with values: the code to run next, or None if the path ended.  A memo point is
        put before what continues in the same block if `cut`; it is where the continuation stands,
        whoever comes there."""
        if type(k) is Frame:
            if k.block is path.block and not cut:
                return self._enter_frame(k, values)
            path.settle()
            roots = [("", k), *zip(map(base_name, k.cont.parameters), values, strict=True)]

            def resume(path: Path, values: list[Any]) -> None:
                self.run(path, *_at_start(self._enter_frame(values[0], values[1:])))

            point = ("cont", k.cont)
            self.parts.points.memo_point(path, point, roots, resume, k.activation, k.cont.span)
            return None
        if type(k) is Return:
            path.settle()
            if not self.parts.barriers.settle(path, span):
                return None
            if k.procedure is not None:
                values = returned(path, k.procedure, values[0])
            atoms = tuple(path.atom(value) for value in values)
            path.settle()
            path.segment.tail = il.Jump(k.cont, atoms, span)
            return None
        self.result = values[0]
        return None

    def _enter_frame(self, frame: Frame, values: list[Value]) -> State:
        cont, known = frame.cont, frame.environment
        environment: Environment = dict(zip(cont.parameters, values, strict=True))
        for name in self.context.liveness.of_cont(cont):
            environment[name] = known[name]
        return cont.body, environment, frame.activation

    # -- calls ---------------------------------------------------------------------------------

    def call(
        self,
        path: Path,
        function: Value,
        values: list[Value],
        k: Continuation,
        call: il.Call,
        activation: Activation | None,
    ) -> State | None:
        """Call a value: unfold what is known, else leave a residual call."""
        kind = type(function)
        if kind is Closure:
            return self._call_closure(path, function, values, k, call)  # type: ignore[arg-type]
        if kind is Primitive:
            return call_primitive(self, path, function, values, k, call, activation)  # type: ignore[arg-type]
        if kind is Reified:
            if len(values) != 1:
                values = [self.context.rule("values")(path, tuple(values), call.span, "v", True)]
            return self.apply(path, function.continuation, values, call.span)  # type: ignore[union-attr]
        if kind is Static and path.certain and path.quiet:
            shown = brief(function.datum)  # type: ignore[union-attr]
            place = place_in(call.span, activation)
            raise CogenError(f"expected a procedure to call, got {shown}", place)
        self.context.demand.ask(path, function)
        return self.residual_call(path, path.atom(function), values, k, call.span)

    def _call_closure(
        self, path: Path, closure: Closure, values: list[Value], k: Continuation, call: il.Call
    ) -> State | None:
        function = closure.function
        expected = len(function.parameters)
        if len(values) != expected and (function.rest is None or len(values) < expected):
            most = None if function.rest else expected
            name = (function.label or function.name).removeprefix("%")
            failure = wrong_count(name, (expected, most), len(values))
            fail_call(path, failure, place_in(call.span, self.caller))
            return None
        parts = self.parts
        if parts.analyses.library.stays(function, values):
            return self._leave(path, function, values, k, call)
        if function.rest is not None:
            place = place_in(call.span, self.caller)
            rest = make_list(path, tuple(values[expected:]), key_of(call), place)
            values = [*values[:expected], rest]
        if parts.sites.enabled:
            parts.sites.called(function, values)
        if function in self.context.demand.calls:
            closure, values, k = self.as_on_trial(path, closure, values, k)
        if function in parts.whistle.calls:
            closure, values, k = parts.whistle.generalized(path, closure, values, k)
        lifted = parts.recursion.lifted.get(function)
        if lifted:
            values = [
                path.dynamic(value) if index in lifted else value
                for index, value in enumerate(values)
            ]
        looked = self.looked(path, function, values, k)
        if looked is None:
            if parts.recursion.is_recursive(path, closure, values, k):
                return self._call_residual(path, closure, values, k, call.span)
            shared = parts.shared
            if shared.concerns(function, values) and shared.is_shared(path, closure, values):
                return self._call_residual(path, closure, values, k, call.span)
        if parts.recursion.is_cycle(path, closure, values, k):
            self.memo_call(path, closure, values, k, call)
            return None
        if looked is not None and self.context.limits.count_look():
            return self.apply(path, k, [looked], call.span)
        return self.unfold(path, closure, values, k, call.span)

    def _leave(
        self, path: Path, function: il.Function, values: list[Value], k: Continuation, call: il.Call
    ) -> State | None:
        """Leave a call of a global procedure as it stands (`cogen.spec.kept`)."""
        name = self.parts.analyses.global_name(function)
        assert name is not None
        for value in values:
            self.context.demand.ask(path, value)
        place = place_in(call.span, self.caller)
        return self.residual_call(path, il.Global(name), values, k, place)

    def as_on_trial(
        self, path: Path, closure: Closure, values: list[Value], k: Continuation
    ) -> tuple[Closure, list[Value], Continuation]:
        """A call with that made dynamic which is on trial in such calls."""
        return self.parts.on_trial.generalized(path, closure, values, k)

    def unfold(
        self, path: Path, closure: Closure, values: list[Value], k: Continuation, span: Span | None
    ) -> State | None:
        """Carry out a call that is to leave nothing of itself."""
        return self.enter(path, closure, values, k, span)

    def looked(
        self, path: Path, function: il.Function, values: list[Value], k: Continuation
    ) -> Value | None:
        """What a call gives of which everything is known, and that ends in this block; None if it
        is another."""
        if type(k) is not Frame or k.block is not path.block:
            return None
        found = self.parts.analyses.looking.value(function, values)
        if found is None and not self.parts.sites.enabled:
            found = self.parts.outright.value(function, values)
        return found

    def enter(
        self,
        path: Path,
        closure: Closure,
        values: list[Value],
        k: Continuation,
        span: Span | None,
        root: str | None = None,
    ) -> State:
        """Unfold a call whose arguments fit; a rest argument is a list already.  `root` is what
        people call it if it begins a residual procedure."""
        function = closure.function
        environment: Environment = dict(zip(function.parameters, values, strict=False))
        for name in self.context.liveness.of_function(function):
            environment[name] = closure.environment[name]
        if function.rest is not None:
            environment[function.rest] = values[-1]
        environment[function.cont] = k
        hint = self.hint_of(function) if root is None else root
        site = span if root is None else None
        calls = calls_through(function, site, path.through, self.is_tail)
        if self.context.nodes:
            calls = self.context.at_nodes(values, calls)
        span = place_in(span, self.caller)
        is_root = root is not None
        before = None if is_root or not is_tail_call(self.caller, k) else self.caller
        activation = Activation(
            function, (closure, *values), k, path.block, span, hint, is_root, calls, before
        )
        if len(path.store) > len(
            self.context.barriers.roots
        ):  # what may change until it is asked for
            activation.store = path.snapshot()
        self.context.limits.count_unfolding(activation)
        return function.body, environment, activation

    def call_if_recursive(
        self, path: Path, closure: Closure, values: list[Value], k: Continuation
    ) -> bool:
        """End the path with a residual call, if that is what the call is to be."""
        recursive = self.parts.recursion.is_recursive(path, closure, values, k)
        if recursive:
            self._call_residual(path, closure, values, k, closure.function.span)
        return recursive

    def hint_of(self, function: il.Function) -> str:
        """What people call a procedure: one without a name of its own after its caller."""
        if self.caller is not None and self.parts.analyses.naming.is_aside(function):
            return self.caller.hint
        hint = self._hints.get(function)
        if hint is None:
            hint = self._hints[function] = name_of(function)
        return hint

    def memo_call(
        self, path: Path, function: Value, values: list[Value], k: Continuation, call: il.Call
    ) -> None:
        """A memo point at a call, with the function, its arguments and its continuation."""
        path.settle()
        names = _parameter_hints(function, len(values))
        roots = [("", function), *zip(names, values, strict=True), ("", k)]
        activation = k.activation if type(k) is Frame else None
        through, is_tail = path.through, self.is_tail

        def resume(path: Path, values: list[Any]) -> None:
            function, *arguments, k = values
            self.caller, path.through, self.is_tail = activation, through, is_tail
            if type(function) is Closure and _fits(function.function, len(arguments)):
                if function.function.rest is not None:
                    fixed = len(function.function.parameters)
                    place = place_in(call.span, activation)
                    rest = make_list(path, tuple(arguments[fixed:]), key_of(call), place)
                    arguments = [*arguments[:fixed], rest]
                state = self.enter(path, function, arguments, k, call.span)
                self.run(path, *_at_start(state))
                return
            next_state = self.call(path, function, arguments, k, call, activation)
            if next_state is not None:
                self.run(path, *_at_start(next_state))

        point = ("call", function.function if type(function) is Closure else call)
        self.parts.points.memo_point(path, point, roots, resume, activation, call.span)

    # -- residual calls ------------------------------------------------------------------------

    def _call_residual(
        self, path: Path, closure: Closure, values: list[Value], k: Continuation, span: Span | None
    ) -> State | None:
        """Call the residual procedure of a closure and the static part of its arguments."""
        cut = self.parts.recursion.cuts(path, closure, values)
        path.settle()
        if not self.parts.barriers.settle(path, span):
            return None
        hand_over(path, [closure, *values], [k])
        hint = self.hint_of(closure.function)
        procedure, atoms = self.parts.procedures.called(path, closure, values, hint, self.caller)
        shape = received(path, procedure, values)
        name = il.Global(procedure.raw.name)
        return self._emit_call(path, name, atoms, k, span, cut, procedure, shape)

    def residual_call(
        self,
        path: Path,
        function: il.Atom,
        values: list[Value],
        k: Continuation,
        span: Span | None,
    ) -> State | None:
        """Call something unknown with lifted arguments."""
        path.settle()
        if not self.parts.barriers.settle(path, span):
            return None
        leave(path, values)
        atoms = tuple(path.atom(value) for value in values)
        return self._emit_call(path, function, atoms, k, span)

    def _emit_call(
        self,
        path: Path,
        function: il.Atom,
        atoms: tuple[il.Atom, ...],
        k: Continuation,
        span: Span | None,
        cut: bool = False,
        procedure: Procedure | None = None,
        shape: Shape = ANY,
    ) -> State | None:
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
        value = value_of(path, shape, map(Dynamic, results))
        return self.apply(path, k, [value], span, cut)


def _at_start(
    state: State,
) -> tuple[il.Block, int, Environment, Activation | None]:
    code, environment, activation = state
    return code, 0, environment, activation


def _fits(function: il.Function, count: int) -> bool:
    fixed = len(function.parameters)
    return count == fixed or (function.rest is not None and count >= fixed)


def _parameter_hints(function: Value, count: int) -> list[str]:
    if type(function) is not Closure:
        return [""] * count
    names = [base_name(name) for name in function.function.parameters]
    return (names + [base_name(function.function.rest or "")] * count)[:count]
