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

from typing import TYPE_CHECKING, Any

from cogen.lang import called as naming
from cogen.lang import il
from cogen.lang.chain import Calls, called, in_library, remembered
from cogen.lang.datum import NIL, Pair
from cogen.lang.errors import CogenError, InternalError, LimitationError, Span
from cogen.lang.ilutil import base_name
from cogen.lang.prelude import in_prelude
from cogen.lang.prims import CONTROL, PRIMITIVES, PrimitiveError, wrong_count
from cogen.lang.primtable.row import brief
from cogen.spec.assigned import key_of
from cogen.spec.domain import (
    Activation,
    Closure,
    Continuation,
    Dynamic,
    Environment,
    Frame,
    PartialPair,
    Primitive,
    Reified,
    Return,
    Static,
    Stop,
    Test,
    Value,
    is_true,
)
from cogen.spec.families import shown
from cogen.spec.known import type_of
from cogen.spec.limits import Endless
from cogen.spec.naming import name_of
from cogen.spec.pairs import PAIR_OPERATIONS
from cogen.spec.path import Path, Segment
from cogen.spec.plan import CLOSES, CONTINUES, ENDING, ENDS, SPLITS, Plan, Step
from cogen.spec.results import ANY, Shape, count, value_of
from cogen.spec.rules import kinds
from cogen.spec.rules.interval import decide_test, learn
from cogen.spec.rules.rule import make_list
from cogen.spec.splitting import SPLIT_BY, Place

if TYPE_CHECKING:
    from cogen.spec.memo import Procedure
    from cogen.spec.specializer import Specializer


class Machine:
    """Executes paths for a specializer; `work` are the arms still to be run."""

    def __init__(self, spec: Specializer) -> None:
        self.spec = spec
        self.work: list[tuple[Path, il.Block, int, Environment, Activation | None]] = []
        self.result: Value | None = None
        self._hints: dict[il.Function, str] = {}
        self.caller: Activation | None = None
        """The activation that makes the call being carried out."""
        self.is_tail: bool | None = True
        """Whether that call ends what makes it, in the program; `TailCalls` may end it too.  None
        if a run keeps its place nevertheless (`lang.runtime.remember_call`)."""

    def finish(self) -> None:
        """Run the arms that are left."""
        while self.work:
            self.run(*self.work.pop())

    def taken(self) -> Value | None:
        """The value that the last definition came to, if any; it is given once."""
        found, self.result = self.result, None
        return found

    # -- straight-line code --------------------------------------------------------------------

    def value(self, atom: il.Atom, environment: Environment) -> Value:
        """The symbolic value of an atom."""
        kind = type(atom)
        if kind is il.Var:
            return environment[atom.name]  # type: ignore[no-any-return, union-attr]
        if kind is il.Const:
            return Static(atom.value)  # type: ignore[union-attr]
        if kind is il.Global:
            return self.spec.top_level.value(atom.name)  # type: ignore[union-attr]
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
    ) -> tuple[il.Block, Environment, Activation | None] | None:
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
                k = self.spec.tail_calls.returned(k)
                return self.call(path, function, values, k, tail, activation)
            raise InternalError("unknown tail")
        except PrimitiveError as failure:
            self._fail_call(path, failure, self.spec.place(tail.span, activation))
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
        spec, steps = self.spec, self._plan(code).steps
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
                if spec.sites is not None:
                    spec.sites.closed(path, binding, environment)
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
                self._fail(path, binding.op, values, failure, spec.place(span, activation))
                return False
            if value is None:
                return False
            environment[binding.name] = value
        return True

    def _plan(self, code: il.Block) -> Plan:
        plan = self.spec.plans.get(code)
        if plan is None:
            plan = self.spec.plans[code] = Plan(code, self.spec.rule)
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
        spec, op, span = self.spec, let.op, let.span
        if step.kind == ENDS:
            self._end_with_error(path, op, values, spec.place(span, activation))
            return None
        operations = spec.barriers.operations
        if operations and op in operations and not spec.barriers.settle(path, span, True):
            return None
        span = spec.place(span, activation)
        if step.of_pairs and spec.pairs.may_be_assigned:
            value = spec.pairs.operation(path, let, op, values, span, step.hint)
        else:
            assert step.rule is not None
            value = step.rule(path, values, span, step.hint, True)
        if spec.sites is not None and step.builds:
            value = spec.sites.built(path, let, values, value, span)
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

    # -- failures ------------------------------------------------------------------------------

    def _fail(
        self,
        path: Path,
        op: str,
        values: tuple[Value, ...],
        failure: PrimitiveError,
        span: Span | None,
    ) -> None:
        """An operation that certainly fails when it is reached: a diagnostic if it is certainly
        reached before anything else happens, else the same operation in the residual program."""
        if path.certain and path.quiet:
            failure.told_of(op)
            message = naming.told_with(failure.text(), self._called(failure))
            raise CogenError(message, span) from None
        self._stop(path, path.emit(op, values, span))

    def _called(self, failure: PrimitiveError) -> str | None:
        """What the caller of the entry calls the buffer that a failure is about."""
        return naming.name_of(failure.buffer, self.spec.named_buffers())

    def _fail_call(self, path: Path, failure: PrimitiveError, span: Span | None) -> None:
        if path.certain and path.quiet:
            raise CogenError(failure.text(), span) from None
        self._stop(path, path.emit("error", (Static(failure.text()),), span))

    def _end_with_error(
        self, path: Path, op: str, values: tuple[Value, ...], span: Span | None
    ) -> None:
        values = tuple(map(shown, values))
        if path.certain and path.quiet and all(type(value) is Static for value in values):
            row = PRIMITIVES[op]
            try:
                row.python(*[value.datum for value in values])  # type: ignore[union-attr]
            except PrimitiveError as failure:
                raise CogenError(failure.text(), span) from None
        self._stop(path, path.emit(op, values, span))

    def _stop(self, path: Path, result: Dynamic) -> None:
        """End a path whose last operation does not return."""
        cont = path.block.procedure.raw.cont
        path.segment.tail = il.Jump(cont, (il.Var(result.name),))

    # -- conditionals --------------------------------------------------------------------------

    def _if(
        self, path: Path, node: il.If, environment: Environment, activation: Activation | None
    ) -> tuple[il.Block, Environment, Activation | None] | None:
        test = self.value(node.test, environment)
        if type(test) is Static:
            arm = node.then if test.datum is not False else node.otherwise
            return arm, environment, activation
        negated = False
        while type(test) is Test and test.op == "not":
            inner = test.arguments[0]
            if path.pending is test:
                path.pending = inner if type(inner) is Test and inner.fails else None
            node = self.spec.swapped(node)
            negated = not negated
            test = inner
        truth = is_true(test)
        if truth is None and type(test) is Test and not test.fails:
            truth = decide_test(path, node, test)
        if truth is None:
            truth = kinds.decide(path, node, test)
        if truth is not None:
            return (node.then if truth else node.otherwise), environment, activation
        names = self.spec.liveness.of_arms(node)
        roots = [("test", test), *((base_name(n), environment[n]) for n in names)]
        if path.pending is test:
            path.pending = None  # it crosses the memo point as a root
        path.settle()
        spec = self.spec

        def resume(path: Path, values: list[Any]) -> None:
            test, environment = values[0], dict(zip(names, values[1:], strict=True))
            if path.block.activation is not None:
                path.through = path.block.activation.calls
            atom = path.emit_test(test) if type(test) is Test else path.atom(test)
            if type(atom) is il.Const:
                arm = node.then if atom.value is not False else node.otherwise
                self.run(path, arm, 0, environment, path.block.activation)
                return
            spec.demand.ask(path, test)
            self._branch(path, atom, node, environment, test, negated)

        spec.memo_point(path, ("if", node), roots, resume, activation, node.span)
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
        place = path.placed(node.span) if self.spec.nodes else node.span
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
    ) -> tuple[il.Block, Environment, Activation | None] | None:
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
            self.spec.memo_point(path, point, roots, resume, k.activation, k.cont.span)
            return None
        if type(k) is Return:
            path.settle()
            if not self.spec.barriers.settle(path, span):
                return None
            if k.procedure is not None:
                values = self.spec.results.returned(path, k.procedure, values[0])
            atoms = tuple(path.atom(value) for value in values)
            path.settle()
            path.segment.tail = il.Jump(k.cont, atoms, span)
            return None
        self.result = values[0]
        return None

    def _enter_frame(
        self, frame: Frame, values: list[Value]
    ) -> tuple[il.Block, Environment, Activation | None]:
        cont, known = frame.cont, frame.environment
        environment: Environment = dict(zip(cont.parameters, values, strict=True))
        for name in self.spec.liveness.of_cont(cont):
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
    ) -> tuple[il.Block, Environment, Activation | None] | None:
        """Call a value: unfold what is known, else leave a residual call."""
        kind = type(function)
        if kind is Closure:
            return self._call_closure(path, function, values, k, call)  # type: ignore[arg-type]
        if kind is Primitive:
            return self._call_primitive(path, function, values, k, call, activation)  # type: ignore[arg-type]
        if kind is Reified:
            if len(values) != 1:
                values = [self.spec.rule("values")(path, tuple(values), call.span, "v", True)]
            return self.apply(path, function.continuation, values, call.span)  # type: ignore[union-attr]
        if kind is Static and path.certain and path.quiet:
            shown = brief(function.datum)  # type: ignore[union-attr]
            place = self.spec.place(call.span, activation)
            raise CogenError(f"expected a procedure to call, got {shown}", place)
        self.spec.demand.ask(path, function)
        return self.residual_call(path, path.atom(function), values, k, call.span)

    def _call_closure(
        self, path: Path, closure: Closure, values: list[Value], k: Continuation, call: il.Call
    ) -> tuple[il.Block, Environment, Activation | None] | None:
        function = closure.function
        expected = len(function.parameters)
        if len(values) != expected and (function.rest is None or len(values) < expected):
            most = None if function.rest else expected
            name = (function.label or function.name).removeprefix("%")
            failure = wrong_count(name, (expected, most), len(values))
            self._fail_call(path, failure, self.spec.place(call.span, self.caller))
            return None
        if self.spec.library.stays(function, values):
            return self._leave(path, function, values, k, call)
        if function.rest is not None:
            place = self.spec.place(call.span, self.caller)
            rest = make_list(path, tuple(values[expected:]), key_of(call), place)
            values = [*values[:expected], rest]
        if self.spec.sites is not None:
            self.spec.sites.called(function, values)
        if function in self.spec.demand.calls:
            closure, values, k = self.spec.demand.generalized(path, closure, values, k)
        if function in self.spec.whistle.calls:
            closure, values, k = self.spec.whistle.generalized(path, closure, values, k)
        lifted = self.spec.recursion.lifted.get(function)
        if lifted:
            values = [
                path.dynamic(value) if index in lifted else value
                for index, value in enumerate(values)
            ]
        looked = self.looked(path, function, values, k)
        if looked is None:
            if self.spec.recursion.is_recursive(path, closure, values, k):
                return self._call_residual(path, closure, values, k, call.span)
            shared = self.spec.shared
            if shared.concerns(function, values) and shared.is_shared(path, closure, values):
                return self._call_residual(path, closure, values, k, call.span)
        if self.spec.recursion.is_cycle(path, closure, values, k):
            self._memo_call(path, closure, values, k, call)
            return None
        if looked is not None and self.spec.limits.count_look():
            return self.apply(path, k, [looked], call.span)
        return self.unfold(path, closure, values, k, call.span)

    def _leave(
        self, path: Path, function: il.Function, values: list[Value], k: Continuation, call: il.Call
    ) -> tuple[il.Block, Environment, Activation | None] | None:
        """Leave a call of a global procedure as it stands (`cogen.spec.kept`)."""
        name = self.spec.global_name(function)
        assert name is not None
        for value in values:
            self.spec.demand.ask(path, value)
        place = self.spec.place(call.span, self.caller)
        return self.residual_call(path, il.Global(name), values, k, place)

    def unfold(
        self, path: Path, closure: Closure, values: list[Value], k: Continuation, span: Span | None
    ) -> tuple[il.Block, Environment, Activation | None] | None:
        """Carry out a call that is to leave nothing of itself."""
        return self.enter(path, closure, values, k, span)

    def looked(
        self, path: Path, function: il.Function, values: list[Value], k: Continuation
    ) -> Value | None:
        """What a call gives that only looks at known data, and ends in this block; None if it is
        another."""
        if type(k) is not Frame or k.block is not path.block:
            return None
        return self.spec.looking.value(function, values)

    def enter(
        self,
        path: Path,
        closure: Closure,
        values: list[Value],
        k: Continuation,
        span: Span | None,
        root: str | None = None,
    ) -> tuple[il.Block, Environment, Activation | None]:
        """Unfold a call whose arguments fit; a rest argument is a list already.  `root` is what
        people call it if it begins a residual procedure."""
        function = closure.function
        environment: Environment = dict(zip(function.parameters, values, strict=False))
        for name in self.spec.liveness.of_function(function):
            environment[name] = closure.environment[name]
        if function.rest is not None:
            environment[function.rest] = values[-1]
        environment[function.cont] = k
        hint = self.hint_of(function) if root is None else root
        site = span if root is None else None
        calls = calls_through(function, site, path.through, self.is_tail)
        if self.spec.nodes:
            calls = self.spec.at_nodes(values, calls)
        span = self.spec.place(span, self.caller)
        is_root = root is not None
        before = None if is_root or not is_tail_call(self.caller, k) else self.caller
        activation = Activation(
            function, (closure, *values), k, path.block, span, hint, is_root, calls, before
        )
        if len(path.store) > len(self.spec.barriers.roots):  # what may change until it is asked for
            activation.store = path.snapshot()
        self.spec.limits.count_unfolding(activation)
        return function.body, environment, activation

    def call_if_recursive(
        self, path: Path, closure: Closure, values: list[Value], k: Continuation
    ) -> bool:
        """End the path with a residual call, if that is what the call is to be."""
        recursive = self.spec.recursion.is_recursive(path, closure, values, k)
        if recursive:
            self._call_residual(path, closure, values, k, closure.function.span)
        return recursive

    def hint_of(self, function: il.Function) -> str:
        """What people call a procedure: one without a name of its own after its caller."""
        if self.caller is not None and self.spec.naming.is_aside(function):
            return self.caller.hint
        hint = self._hints.get(function)
        if hint is None:
            hint = self._hints[function] = name_of(function)
        return hint

    def _memo_call(
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
                    place = self.spec.place(call.span, activation)
                    rest = make_list(path, tuple(arguments[fixed:]), key_of(call), place)
                    arguments = [*arguments[:fixed], rest]
                state = self.enter(path, function, arguments, k, call.span)
                self.run(path, *_at_start(state))
                return
            next_state = self.call(path, function, arguments, k, call, activation)
            if next_state is not None:
                self.run(path, *_at_start(next_state))

        point = ("call", function.function if type(function) is Closure else call)
        self.spec.memo_point(path, point, roots, resume, activation, call.span)

    # -- primitives as procedures, control -----------------------------------------------------

    def _call_primitive(
        self,
        path: Path,
        function: Primitive,
        values: list[Value],
        k: Continuation,
        call: il.Call,
        activation: Activation | None,
    ) -> tuple[il.Block, Environment, Activation | None] | None:
        name = function.name
        if name in CONTROL:
            return self._control(path, name, values, k, call, activation)
        least, most = PRIMITIVES[name].source_arity
        if len(values) < least or (most is not None and len(values) > most):
            failure = wrong_count(name, (least, most), len(values))
            self._fail_call(path, failure, self.spec.place(call.span, activation))
            return None
        barriers = self.spec.barriers
        if name in barriers.operations and not barriers.settle(path, call.span, True):
            return None
        row = PRIMITIVES[name]
        least, most = row.arity
        if (row.fold == "left" and len(values) > 2) or (len(values) == 1 and row.fold == "left"):
            result = self._fold_left(path, name, values, call.span)
            return self.apply(path, k, [result], call.span)
        fits = least <= len(values) and (most is None or len(values) <= most)
        if not fits or name in ENDING or name == "set-base":
            return self.residual_call(path, il.Prim(name), values, k, call.span)
        pairs, span = self.spec.pairs, call.span
        if pairs.may_be_assigned and name in PAIR_OPERATIONS:
            result = pairs.operation(path, call, name, tuple(values), span, "t")
        else:
            result = self.spec.rule(name)(path, tuple(values), span, "t", True)
        return self.apply(path, k, [result], call.span)

    def _fold_left(self, path: Path, name: str, values: list[Value], span: Span | None) -> Value:
        row, rule = PRIMITIVES[name], self.spec.rule(name)
        if len(values) == 1:
            unit = values[0] if row.unit is None else Static(row.unit)
            return rule(path, (unit, values[0]), span, "t", True)
        result = values[0]
        for value in values[1:]:
            result = rule(path, (result, value), span, "t", True)
        return result

    def _control(
        self,
        path: Path,
        name: str,
        values: list[Value],
        k: Continuation,
        call: il.Call,
        activation: Activation | None,
    ) -> tuple[il.Block, Environment, Activation | None] | None:
        self.is_tail = None if self.is_tail else False
        if name in ("call/cc", "call-with-current-continuation") and len(values) == 1:
            if id(call) not in self.spec.residual_sites:
                reified = Reified(k, call, path.block)
                return self.call(path, values[0], [reified], k, call, activation)
            path.escape([k], continuations=False)
        elif name == "apply" and len(values) >= 2:
            spread = _spread(values[-1])
            if spread is not None:
                return self.call(path, values[0], [*values[1:-1], *spread], k, call, activation)
            self.spec.demand.ask(path, values[-1])
        elif name == "dcall" and values:
            self._memo_call(path, values[0], values[1:], k, call)
            return None
        elif name == "rcall" and values and type(values[0]) is Closure:
            kept = self.spec.global_name(values[0].function)
            if kept is not None:
                place = self.spec.place(call.span, activation)
                return self.residual_call(path, il.Global(kept), values[1:], k, place)
        return self.residual_call(path, il.Prim(name), values, k, call.span)

    # -- residual calls ------------------------------------------------------------------------

    def _call_residual(
        self, path: Path, closure: Closure, values: list[Value], k: Continuation, span: Span | None
    ) -> tuple[il.Block, Environment, Activation | None] | None:
        """Call the residual procedure of a closure and the static part of its arguments."""
        cut = self.spec.recursion.cuts(path, closure, values)
        path.settle()
        if not self.spec.barriers.settle(path, span):
            return None
        path.hand_over([closure, *values], [k])
        procedure, atoms = self.spec.residual_procedure(path, closure, values)
        shape = self.spec.results.received(path, procedure, values)
        name = il.Global(procedure.raw.name)
        return self._emit_call(path, name, atoms, k, span, cut, procedure, shape)

    def residual_call(
        self,
        path: Path,
        function: il.Atom,
        values: list[Value],
        k: Continuation,
        span: Span | None,
    ) -> tuple[il.Block, Environment, Activation | None] | None:
        """Call something unknown with lifted arguments."""
        path.settle()
        if not self.spec.barriers.settle(path, span):
            return None
        path.leave(values)
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
    ) -> tuple[il.Block, Environment, Activation | None] | None:
        """Emit a call, of a residual `procedure` if it is one, and go on with its result, of this
        shape: in another block if `cut`."""
        path.settle()
        self.spec.barriers.refuse(span)
        path.clobber()
        path.quiet = False
        self.spec.limits.count_operation(span)
        span = path.placed(span)
        if type(k) is Return and self.spec.results.is_passed_on(path, k.procedure, procedure):
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


def calls_through(
    function: il.Function, span: Span | None, calls: Calls, is_tail: bool | None
) -> Calls:
    """The calls through which a procedure is carried out that is called at a place (None if no
    call of it is known), in code that `calls` led to.  As in a run, a tail call leaves no trace, if
    not into a library or by a control primitive (`is_tail` is None)."""
    if span is None:
        return calls if in_prelude(function.span) else ()
    if is_tail is None or (is_tail and enters_library(span, function)):
        return remembered(span, calls)
    return calls if is_tail else called(span, calls)


def enters_library(span: Span | None, function: il.Function) -> bool:
    """Whether a call at a place leads into a library, from code that is in none."""
    return in_library(function.span) and not in_library(span)


def is_tail_call(caller: Activation | None, k: Continuation) -> bool:
    """Whether a call that returns to `k` ends the activation that makes it."""
    if caller is None:
        return False
    own = caller.continuation
    if type(k) is Frame:
        return type(own) is Frame and own.cont is k.cont and own.activation is k.activation
    return type(own) is type(k)


def _at_start(
    state: tuple[il.Block, Environment, Activation | None],
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


def _spread(value: Value) -> list[Value] | None:
    """The items of a list whose spine is known."""
    items: list[Value] = []
    while True:
        if type(value) is PartialPair:
            items.append(value.car)
            value = value.cdr
        elif type(value) is Static and type(value.datum) is Pair:
            items.append(Static(value.datum.car))
            value = Static(value.datum.cdr)
        else:
            break
    return items if type(value) is Static and value.datum is NIL else None
