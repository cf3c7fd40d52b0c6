"""Symbolic execution of the IL: one path at a time, until it jumps, returns, or fails.

The machine runs blocks as the interpreter would, on symbolic values.  Continuations are applied,
and what becomes of calls `execution.calls` knows; of the rest only these leave residual code:

* a conditional on an unknown test: a memo point, then both arms (`PathMachine._if`);
* a continuation (of a source call or a join) reached after a dynamic conditional: a memo point;
* `set-base` of a dynamic value: a memo point, then an arm for each remainder (seed 004).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from cogen.lang import il
from cogen.lang.errors import CogenError, InternalError, Span
from cogen.lang.ilutil import base_name
from cogen.lang.othernames import hint_at
from cogen.lang.prims import PrimitiveError
from cogen.specializer.advice.assigned import key_of
from cogen.specializer.analyses.activations import place_in
from cogen.specializer.analyses.plan import (
    CLOSES,
    CONTINUES,
    ENDS,
    LOOKS,
    SAME,
    SPLITS,
    Plan,
    Step,
    close,
    followed,
    proceed,
    same,
)
from cogen.specializer.execution.calls import Calls
from cogen.specializer.execution.engine import Calling, Control, Engine
from cogen.specializer.execution.parts import Parts
from cogen.specializer.execution.results import returned
from cogen.specializer.execution.splitting import SPLIT_BY
from cogen.specializer.paths.failures import end_with_error, fail, fail_call
from cogen.specializer.paths.path import Path
from cogen.specializer.paths.segment import Segment
from cogen.specializer.rules import kinds
from cogen.specializer.rules.interval import decide_test, learn
from cogen.specializer.rules.rule import Rule, pair_operation
from cogen.specializer.values.arguments import Arguments
from cogen.specializer.values.domain import (
    Activation,
    Closure,
    Continuation,
    Cyclic,
    Environment,
    Frame,
    Primitive,
    Return,
    Static,
    Test,
    Value,
    is_true,
)
from cogen.specializer.values.value_facts import type_of
from cogen.specializer.versions.limits import Endless, endless_rounds
from cogen.specializer.versions.unending import CodeRecord


class UndecidedIf(NamedTuple):
    """A conditional that a run decides: by its `test`, or by the negation, if `negated`."""

    node: il.If
    environment: Environment
    test: Value
    negated: bool


class PathMachine(Engine):
    """Executes paths for a specializer; `work` are the arms still to be run."""

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        self.plans = parts.analyses.plans
        """Of blocks, made for the usual rules."""
        self._looks = True
        """Whether nobody needs to know of operations and conditionals that look at what is
        known."""
        self.calls = self.make_calls()

    def make_calls(self) -> Calling:
        """What carries out calls."""
        return Calls(self)

    def watch(self, rule: Callable[[str], Rule], looks: bool = False) -> None:
        """Carry out operations by these rules instead of the usual ones; without them, if they only
        look at what is known, and `looks`."""
        self.context.rule, self.plans, self._looks = rule, {}, looks

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

    def run(self, path: Path, control: Control) -> None:
        """Execute code, and what it leads to, to the path's end."""
        try:
            after = self.execute(path, control)
            limits = self.context.limits
            while after is not None:
                if limits.unfoldings_in_block >= self.turn and self.record is None:
                    self.work.insert(0, (path, after))
                    return
                after = self.execute(path, after)
        except Endless:
            raise
        except CogenError as error:
            error.through(path.through)
            error.hint = error.hint or hint_at(error.message, error.span)
            raise

    def execute(self, path: Path, control: Control) -> Control | None:
        """Execute a block: the code to run next, or None if the path ended."""
        code, start, environment, activation = control
        path.through = () if activation is None else activation.calls
        if self.record is None and self._looks and not start:
            plan, start = followed(
                self._plan(code), environment, activation, path.block, self._plan
            )
            code = plan.code
        else:
            plan = self._plan(code)
        if start < len(plan.steps):
            at = code, start, environment, activation
            if not self._bindings(path, at):
                return None
        if self.record is not None and self.record.passed(code, environment, activation):
            self._check_rounds(path, self.record)
        tail = code.tail
        try:
            if type(tail) is il.If:
                return self._if(path, tail, environment, activation)
            if type(tail) is il.Jump:
                values = self._values(plan.operands, environment)
                return self.apply(path, environment[tail.cont], values, tail.span)
            if type(tail) is il.Call:
                function = self.value(tail.function, environment)
                values = self._values(plan.operands, environment)
                calls = self.calls
                calls.caller = activation
                k = environment[tail.cont]
                calls.is_tail = not (type(k) is Frame and k.activation is activation)
                k = self.parts.analyses.tail_calls.returned(k)
                return calls.call(path, function, Arguments(values, k, tail.span, tail))
            raise InternalError("unknown tail")
        except PrimitiveError as failure:
            fail_call(path, failure, place_in(tail.span, activation))
            return None
        except CogenError as error:
            if error.span is None:
                error.reached(tail.span, ())
            raise

    def _check_rounds(self, path: Path, record: CodeRecord) -> None:
        """`Endless`, if what was recorded will go on as it is."""
        self.record = None
        calls = record.last()
        if calls is not None:
            self.parts.recursion.goes_round(path, calls)
            raise endless_rounds(calls)

    def _bindings(self, path: Path, control: Control) -> bool:
        """Execute the bindings of a block; False if the path ended on the way."""
        code, start, environment, activation = control
        steps = self._plan(code).steps
        for step in steps[start:] if start else steps:
            kind = step.kind
            if kind == LOOKS:
                assert step.looks is not None
                known = step.looks(environment[step.operand])
                if known is not None:
                    environment[step.name] = known
                    continue
            elif kind == CONTINUES:
                proceed(step, environment, activation, path.block)
                continue
            elif kind == CLOSES:
                sites = self.parts.sites
                if not sites.enabled:
                    self.context.cycles.environments += close(step, environment)
                    continue
                self.context.cycles.environments.append(environment)
                for function, _ in step.functions:
                    environment[function.name] = Closure(function, environment)
                assert type(step.binding) is il.Fix
                sites.closed(path, step.binding, environment)
                continue
            values = tuple(self._values(step.operands, environment))
            if kind == SAME:
                known = same(values[0], values[1])
                if known is not None:
                    environment[step.name] = known
                    continue
            binding = step.binding
            assert type(binding) is il.Let
            if kind == SPLITS:
                rest = code, step.index + 1, environment, activation
                if self.split(path, binding, values, rest):
                    continue
                return False
            try:
                value = self._operation(path, step, binding, values, activation)
            except PrimitiveError as failure:
                fail(path, binding.op, values, failure, place_in(binding.span, activation))
                return False
            if value is None:
                return False
            environment[step.name] = value
        return True

    def _plan(self, code: il.Block) -> Plan:
        plan = self.plans.get(code)
        if plan is None:
            context = self.context
            plan = self.plans[code] = Plan(code, context.rule, context.liveness, self._looks)
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
        site = step.site_in(activation) if step.inside else step.site
        if step.of_pairs and context.pairs.may_be_assigned:
            value = pair_operation(path, key_of(let), op, values, site)
        else:
            assert step.rule is not None
            value = step.rule(path, values, site)
        if type(value) is Cyclic:
            context.cyclic = True
        if step.builds and self.parts.sites.enabled:
            value = self.parts.sites.built(path, let, values, value, site.span)
        return value

    def _values(self, operands: tuple[Any, ...], environment: Environment) -> list[Value]:
        """The symbolic values of operands (`analyses.plan`)."""
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
    ) -> Control | None:
        test = self.value(node.test, environment)
        if type(test) is Static:
            arm = node.then if test.datum is not False else node.otherwise
            return arm, 0, environment, activation
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
            return (node.then if truth else node.otherwise), 0, environment, activation
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
                self.run(path, (arm, 0, environment, path.block.activation))
                return
            path.context.demand.ask_truth(path, test, node.span)
            self._branch(path, atom, UndecidedIf(node, environment, test, negated))

        self.parts.points.memo_point(path, ("if", node), roots, resume, activation, node.span)
        return None

    def _branch(self, path: Path, atom: il.Atom, undecided: UndecidedIf) -> None:
        """Both arms of a conditional whose test is computed as `atom`, each with what that tells of
        the source's test."""
        node, environment, test, negated = undecided
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
        self.work.append((second, (node.otherwise, 0, false_environment, activation)))
        self.work.append((first, (node.then, 0, true_environment, activation)))

    def split(self, path: Path, let: il.Let, values: tuple[Value, ...], rest: Control) -> bool:
        """An operation with an arm for each thing that its operand may be, before the rest of its
        block; False if the path split into these."""
        return SPLIT_BY[let.op](self, path, let, values, rest)

    # -- continuations -------------------------------------------------------------------------

    def apply(
        self, path: Path, k: Continuation, values: list[Value], span: Span | None, cut: bool = False
    ) -> Control | None:
        if type(k) is Frame:
            if k.block is path.block and not cut:
                return self._enter_frame(k, values)
            values = self._lifted(path, k, values)
            path.settle()
            roots = [("", k), *zip(map(base_name, k.cont.parameters), values, strict=True)]

            def resume(path: Path, values: list[Any]) -> None:
                self.run(path, self._enter_frame(values[0], values[1:]))

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

    def _lifted(self, path: Path, k: Frame, values: list[Value]) -> list[Value]:
        """What a continuation is given, lifted if that is the first thing it does: those who come
        there with this or that come with the same then."""
        lifts = self._plan(k.cont.body).lifts
        if not lifts:
            return values
        lifted = dict(zip(k.cont.parameters, values, strict=True))
        for step in lifts:
            name = step.operands[0]
            if name in lifted:
                assert step.rule is not None
                lifted[name] = step.rule(path, (lifted[name],), step.site_in(k.activation))
        return list(lifted.values())

    def _enter_frame(self, frame: Frame, values: list[Value]) -> Control:
        cont, known = frame.cont, frame.environment
        if type(known) is dict:
            environment: Environment = known.copy()
        else:
            environment = {name: known[name] for name in self.context.liveness.of_cont(cont)}
        for name, value in zip(cont.parameters, values, strict=True):
            environment[name] = value
        return cont.body, 0, environment, frame.activation
