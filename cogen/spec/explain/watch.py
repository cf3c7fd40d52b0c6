"""A specializer that notes what it decides.

It does what any specializer does, and gives the same residual program; what is noted belongs to the
residual block that was being made (`notes.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from cogen import bt as binding_times
from cogen.lang import il
from cogen.lang.chain import in_library, users_place
from cogen.lang.errors import Span
from cogen.lang.ilutil import parameters
from cogen.lang.prims import CONTROL
from cogen.residual import ResidualProgram
from cogen.spec.activations import place_in
from cogen.spec.advice.flow import LIFTS
from cogen.spec.analyses import Analyses, analyses_of
from cogen.spec.assigned import Assignable
from cogen.spec.context import Context
from cogen.spec.demand import Demand
from cogen.spec.domain import (
    Activation,
    Cell,
    Closure,
    Continuation,
    Cyclic,
    Dynamic,
    Environment,
    Frame,
    ObjectsDiffer,
    Ref,
    Static,
    Test,
    Value,
)
from cogen.spec.effort import TooMuch
from cogen.spec.explain import decisions as told
from cogen.spec.explain.names import StateNames, occurrence, text_of, user_name
from cogen.spec.explain.notes import Fact, Notes, Refusal, are_not_known, given_up
from cogen.spec.freeze import Slot
from cogen.spec.limits import Endless
from cogen.spec.machine import Machine
from cogen.spec.memo import Block
from cogen.spec.naming import name_of
from cogen.spec.parts import Parts
from cogen.spec.path import Path
from cogen.spec.rules import rule_of
from cogen.spec.rules.rule import Rule
from cogen.spec.sites import BUILDING, Growing
from cogen.spec.specializer import Specializer
from cogen.spec.worklist import Worklist

if TYPE_CHECKING:
    from cogen.lang.errors import Warnings
    from cogen.spec.options import Options
    from cogen.spec.trials import Trial


class WatchedSpecializer(Specializer):
    """See the module's docstring."""

    context: WatchedContext
    machine: WatchedMachine

    def __init__(
        self,
        program: il.Program,
        options: Options,
        warnings: Warnings,
        analyses: Analyses | None = None,
    ) -> None:
        analyses = analyses or analyses_of(program)
        self.notes = Notes(program, analyses)
        self.given_up: TooMuch | Endless | Growing | ObjectsDiffer | None = None
        """Why the attempt came to nothing."""
        super().__init__(program, options, warnings, analyses)
        self.state_names = StateNames(analyses.liveness)

    def make_context(
        self, program: il.Program, options: Options, warnings: Warnings, analyses: Analyses
    ) -> Context:
        def assignable() -> Assignable:
            return analyses.assignable(self._entry)

        facts = analyses.liveness, analyses.mutations
        context = WatchedContext(program, options, warnings, *facts, assignable)
        context.notes = self.notes
        context.watch_demand(WatchedDemand(context.worklist, self.notes))
        return context

    def make_machine(self) -> Machine:
        return WatchedMachine(self.parts, self.notes)

    def make_path(self, block: Block) -> Path:
        return WatchedPath(self.context, block, dict(block.store), dict(block.lifted))

    def run(self, entry: str, bts: Sequence[binding_times.BT]) -> ResidualProgram:
        try:
            return super().run(entry, bts)
        except (TooMuch, Endless, Growing, ObjectsDiffer) as reason:
            self.given_up = reason
            raise

    def _start(self, block: Block) -> None:
        self.notes.begin(block)
        self.notes.place = block.raw.span
        super()._start(block)


class WatchedContext(Context):
    """Leads to what is noted."""

    notes: Notes


def _noting_place(notes: Notes, rule: Rule) -> Rule:
    def noting(
        path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
    ) -> Value:
        if span is not None:
            notes.place = users_place(span, span.calls or path.through) or notes.place
        return rule(path, values, span, hint, delay)

    return noting


class WatchedMachine(Machine):
    """Notes what becomes of operations, conditionals and calls."""

    def __init__(self, parts: Parts, notes: Notes) -> None:
        super().__init__(parts)
        self.notes = notes
        self._leaves = False
        """Whether a call of a library procedure is being left."""
        self._rules: dict[str, Rule] = {}
        self.watch(self._watched)

    def _watched(self, op: str) -> Rule:
        """The rule of an operation, which notes its place."""
        found = self._rules.get(op)
        if found is None:
            found = self._rules[op] = _noting_place(self.notes, rule_of(op))
        return found

    def _note(
        self,
        path: Path,
        place: Span | None,
        kind: str,
        what: str,
        verdict: str,
        rule: str,
        reason: str = "",
        procedure: str = "",
    ) -> None:
        if place is not None:
            fact = Fact(place, kind, what, verdict, rule, reason, procedure)
            self.notes.add(path.block, fact)

    # -- operations ------------------------------------------------------------------------------

    def _bindings(
        self,
        path: Path,
        code: il.Block,
        start: int,
        environment: Environment,
        activation: Activation | None,
    ) -> bool:
        done = super()._bindings(path, code, start, environment, activation)
        first = start - 1 if start else 0  # a `set-base` that has split goes on behind itself
        for binding in code.bindings[first:]:
            if type(binding) is il.Let:
                if binding.name not in environment:
                    break
                if not in_library(binding.span):
                    self._told_operation(path, binding, environment)
            elif type(binding) is il.Fix:
                self._procedures(path, binding, environment)
        return done

    def _told_operation(self, path: Path, let: il.Let, environment: Environment) -> None:
        value, names = environment[let.name], self.notes.names
        verdict = self.notes.knowledge(value, path.store)
        if type(value) is Dynamic and value.name in path.masked:
            verdict = told.MASKED
        if let.op in LIFTS:
            self._lift(path, let, environment, verdict)
            return
        rule, reason = "values", ""
        if let.op == "set-base":
            rule = "set-base"
        elif verdict == told.DYNAMIC:
            sites = self.parts.sites
            values = [self.value(atom, environment) for atom in let.arguments]
            if sites.enabled and let.op in BUILDING and self._is_lifted(let, values):
                verdict, rule = told.GENERALISED, "site"
                reason = "what is built here grows from version to version"
            else:
                escapes = type(value) is Ref
                reason = "" if escapes else self._unknown(path, let.arguments, values)
        if names.is_named(let.name):
            place, kind, what = names.place(let.name), "variable", user_name(let.name)
            home = self.notes.home(let.name)
            self._note(path, place, kind, what, verdict, rule, reason, home)
            if place is not None:
                self.notes.value(path.block, place, value)
            return
        self._note(path, let.span, "operation", text_of(let.span), verdict, rule, reason)
        if let.span is not None:
            self.notes.value(path.block, let.span, value)

    def _is_lifted(self, let: il.Let, values: Sequence[Value]) -> bool:
        """Whether what an operation builds is made dynamic there (`cogen.spec.sites`)."""
        sites = self.parts.sites
        if not sites.active:
            return False
        if let.op == "make-record" and type(values[0]) is Static:
            return id(values[0].datum) in sites.lifted
        span = place_in(let.span, self.caller)
        return (id(let), None if span is None else span.start) in sites.lifted

    def _lift(self, path: Path, let: il.Let, environment: Environment, verdict: str) -> None:
        """A `lift`: the program's own, or advice."""
        span, notes = let.span, self.notes
        if let.op == "lift" and span in notes.lifted:
            self._note(path, span, "operation", text_of(span), told.DYNAMIC, "lift")
            return
        before = self.value(let.arguments[0], environment)
        if verdict != told.DYNAMIC or self.notes.knowledge(before, path.store) == told.DYNAMIC:
            return
        lift, names = notes.advised_at(let), self.notes.names
        name, reason = (let.name, "") if lift is None else (lift.name, f"it {lift.reason}")
        what, place = names.shown(name), names.place(name) if names.is_named(name) else span
        kind, home = (
            ("variable", self.notes.home(name)) if names.is_named(name) else ("operation", "")
        )
        self._note(path, place, kind, what, told.GENERALISED, "advice", reason, home)

    def _procedures(self, path: Path, fix: il.Fix, environment: Environment) -> None:
        sites = self.parts.sites
        if not sites.active:
            return
        for function in fix.functions:
            is_lifted = id(function) in sites.lifted and not in_library(function.span)
            if is_lifted and type(environment.get(function.name)) is Dynamic:
                reason = "what is built here grows from version to version"
                what, span = text_of(function.span), function.span
                self._note(path, span, "operation", what, told.GENERALISED, "site", reason)

    def _unknown(self, path: Path, atoms: Iterable[il.Atom], values: Iterable[Value]) -> str:
        """Which operands are not known."""
        found: dict[str, None] = {}
        for atom, value in zip(atoms, values, strict=True):
            if self.notes.knowledge(value, path.store) != told.STATIC and type(atom) is il.Var:
                found[self.notes.names.shown(atom.name)] = None
        return are_not_known(found)

    # -- conditionals ----------------------------------------------------------------------------

    def _if(
        self, path: Path, node: il.If, environment: Environment, activation: Activation | None
    ) -> tuple[il.Block, Environment, Activation | None] | None:
        block = path.block
        before = environment[node.test.name] if type(node.test) is il.Var else None
        found = super()._if(path, node, environment, activation)
        if found is not None and not in_library(node.span):
            rule = "bounds" if type(before) is Test else "values"
            truth = "true" if found[0] is node.then else "false"
            place, what = self.test_of(node)
            fact = Fact(place, "test", what, told.DECIDED, rule, truth)
            self.notes.add(block, fact)
        return found

    def test_of(self, node: il.If) -> tuple[Span, str]:
        """The test of a conditional: its place and text."""
        assert node.span is not None
        names = self.notes.names
        if type(node.test) is not il.Var:
            return node.span, text_of(node.span)
        if names.is_named(node.test.name):
            what = user_name(node.test.name)
            return occurrence(what, node.span) or node.span, what
        bound = names.bound.get(node.test.name)
        inner = None if bound is None else bound.span
        if inner is None or in_library(inner):
            return node.span, text_of(node.span)
        return inner, text_of(inner)

    def _branch(
        self,
        path: Path,
        atom: il.Atom,
        node: il.If,
        environment: Environment,
        test: Value,
        negated: bool,
    ) -> None:
        self._left(path, node, test)
        super()._branch(path, atom, node, environment, test, negated)

    def _left(self, path: Path, node: il.If, test: Value) -> None:
        """A conditional is left."""
        activation = path.block.activation
        calls = () if activation is None else activation.calls
        place = users_place(node.span, calls)
        if place is None:
            return
        if in_library(node.span):
            inside = "" if activation is None else f" of {name_of(activation.function)}"
            reason = f"a conditional{inside} depends on what is not known"
            fact = Fact(place, "call", text_of(place), told.RESIDUAL, "conditional", reason)
        else:
            place, what = self.test_of(node)
            fact = Fact(place, "test", what, told.RESIDUAL, "conditional", self._why(node, test))
        self.notes.add(path.block, fact)

    def _why(self, node: il.If, test: Value) -> str:
        """Why a test is not known."""
        names = self.notes.names
        if type(node.test) is not il.Var:
            return ""
        bound = names.bound.get(node.test.name)
        let = None if bound is None else bound.let
        if let is None:
            return are_not_known([names.shown(node.test.name)])
        atoms = [atom for atom in let.arguments if type(atom) is il.Var]
        if type(test) is Test and len(test.arguments) == len(let.arguments):
            atoms = [
                atom
                for atom, value in zip(let.arguments, test.arguments, strict=True)
                if type(atom) is il.Var and type(value) is not Static
            ]
        return are_not_known(dict.fromkeys(names.shown(atom.name) for atom in atoms))

    # -- calls -----------------------------------------------------------------------------------

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
    ) -> tuple[il.Block, Environment, Activation | None] | None:
        self.notes.place = users_place(call.span, path.through) or self.notes.place
        return super().call(path, function, values, k, call, activation)

    def unfold(
        self, path: Path, closure: Closure, values: list[Value], k: Continuation, span: Span | None
    ) -> tuple[il.Block, Environment, Activation | None] | None:
        if not in_library(span):
            name, place = name_of(closure.function), self._call_place(span)
            rule = "library" if in_library(closure.function.span) else "unfolding"
            self._note(path, place, "call", name, told.UNFOLDED, rule)
        return super().unfold(path, closure, values, k, span)

    def looked(
        self, path: Path, function: il.Function, values: list[Value], k: Continuation
    ) -> Value | None:
        return None  # `unfold` notes each call

    def enter(
        self,
        path: Path,
        closure: Closure,
        values: list[Value],
        k: Continuation,
        span: Span | None,
        root: str | None = None,
    ) -> tuple[il.Block, Environment, Activation | None]:
        function = closure.function
        if not in_library(function.span):
            for name, value in zip(parameters(function), values, strict=False):
                self._variable(path, name, value)
        return super().enter(path, closure, values, k, span, root)

    def _variable(self, path: Path, name: str, value: Value) -> None:
        fact = self.notes.fact_of(path.store, name, value)
        if fact is not None:
            self.notes.add(path.block, fact)
            self.notes.value(path.block, fact.place, value)

    def apply(
        self,
        path: Path,
        k: Continuation,
        values: list[Value],
        span: Span | None,
        cut: bool = False,
    ) -> tuple[il.Block, Environment, Activation | None] | None:
        if type(k) is Frame and k.block is path.block and not cut:
            for name, value in zip(k.cont.parameters, values, strict=False):
                self._variable(path, name, value)
        return super().apply(path, k, values, span, cut)

    def _call_residual(
        self, path: Path, closure: Closure, values: list[Value], k: Continuation, span: Span | None
    ) -> tuple[il.Block, Environment, Activation | None] | None:
        name, place = name_of(closure.function), self._call_place(span)
        rule, reason = "recursion", f"{name} is being carried out already with the same static"
        reason += " arguments"
        if self.parts.shared.is_one(closure.function, values):
            rule, reason = "shared", "nothing is known of its arguments here and in other places"
        self._note(path, place, "call", name, told.CALLED, rule, reason)
        return super()._call_residual(path, closure, values, k, span)

    def _leave(
        self, path: Path, function: il.Function, values: list[Value], k: Continuation, call: il.Call
    ) -> tuple[il.Block, Environment, Activation | None] | None:
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
    ) -> tuple[il.Block, Environment, Activation | None] | None:
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
        self._note(path, place, "call", what or text_of(place), told.CALLED, rule, reason)
        return super().residual_call(path, function, values, k, span)

    def memo_call(
        self, path: Path, function: Value, values: list[Value], k: Continuation, call: il.Call
    ) -> None:
        named = call.span is not None and text_of(call.span).startswith("(dcall")
        rule, place = ("dcall" if named else "same-state"), self._call_place(call.span)
        name = name_of(function.function) if type(function) is Closure else text_of(place)
        self._note(path, place, "call", name, told.MEMO, rule)
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


class WatchedDemand(Demand):
    """Notes where a trial was refused."""

    def __init__(self, worklist: Worklist, notes: Notes) -> None:
        super().__init__(worklist)
        self._notes = notes

    def refuse(self, trials: Sequence[Trial]) -> None:
        if trials:
            notes = self._notes
            notes.refusals += [Refusal(trial.places, notes.place) for trial in trials]
        super().refuse(trials)

    def accepted(self, block: Block) -> dict[Slot, int | None]:
        """What of a block's state is made dynamic on trial for good: by slot, the number of which
        the remainder stays known, if it does."""
        return {
            slot: trial.bases.get(slot)
            for trial in self.trials.get(block, [])
            if not trial.refused
            for slot in trial.sources[block]
        }


class WatchedPath(Path):
    """Notes which mutable objects escape."""

    __slots__ = ()

    def _escape_object(self, ref: Ref, cell: Cell) -> None:
        context = self.context
        assert isinstance(context, WatchedContext)
        place = context.notes.place
        if place is not None and not in_library(place):
            kind = cell.kind if type(cell.kind) is str else cell.kind.name
            what = "assigned variable" if kind == "cell" else kind
            reason = f"code of the run may reach this {what} from here on"
            fact = Fact(place, "object", text_of(place), told.ESCAPED, "escape", reason)
            context.notes.add(self.block, fact)
        super()._escape_object(ref, cell)
