"""Notes what becomes of operations and conditionals (`watch.py`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cogen.lang import il
from cogen.lang.chain import in_library, users_place
from cogen.lang.errors import Span
from cogen.specializer.advice.structures import LIFTS
from cogen.specializer.analyses.activations import place_in
from cogen.specializer.analyses.allocation_sites import BUILDING
from cogen.specializer.execution.engine import Calling, Control
from cogen.specializer.execution.machine import PathMachine, UndecidedIf
from cogen.specializer.execution.parts import Parts
from cogen.specializer.explain import decisions as told
from cogen.specializer.explain.decisions import Decision
from cogen.specializer.explain.names import occurrence, text_of, user_name
from cogen.specializer.explain.notes import Notes, are_not_known
from cogen.specializer.explain.watchcalls import WatchedCalls
from cogen.specializer.paths.operation_site import OperationSite
from cogen.specializer.paths.path import Path
from cogen.specializer.programs.naming import name_of
from cogen.specializer.rules.rule import Rule
from cogen.specializer.values.domain import (
    Activation,
    Continuation,
    Dynamic,
    Environment,
    Frame,
    Ref,
    Static,
    Test,
    Value,
)


def _noting_place(notes: Notes, rule: Rule) -> Rule:
    def noting(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
        span = site.span
        if span is not None:
            notes.place = users_place(span, span.calls or path.through) or notes.place
        return rule(path, values, site)

    return noting


class WatchedMachine(PathMachine):
    """Notes what becomes of operations and conditionals."""

    def __init__(self, parts: Parts, notes: Notes) -> None:
        self.notes = notes
        super().__init__(parts)
        self._rules: dict[str, Rule] = {}
        self._rule_of = parts.context.rule
        self.watch(self._watched)

    def make_calls(self) -> Calling:
        return WatchedCalls(self, self.notes)

    def _watched(self, op: str) -> Rule:
        """The rule of an operation, which notes its place."""
        found = self._rules.get(op)
        if found is None:
            found = self._rules[op] = _noting_place(self.notes, self._rule_of(op))
        return found

    # -- operations ------------------------------------------------------------------------------

    def _bindings(self, path: Path, control: Control) -> bool:
        code, start, environment, _ = control
        done = super()._bindings(path, control)
        first = start - 1 if start else 0  # a `set-base` that has split goes on behind itself
        for binding in code.bindings[first:]:
            if type(binding) is il.Let:
                if binding.name not in environment:
                    break
                if in_library(binding.span) or not _has_operands(binding, environment):
                    continue
                self._told_operation(path, binding, environment)
            elif type(binding) is il.Fix:
                self._procedures(path, binding, environment)
        return done

    def _told_operation(self, path: Path, let: il.Let, environment: Environment) -> None:
        value, names = environment[let.name], self.notes.names
        verdict = self.notes.knowledge(value, path.store)
        if type(value) is Dynamic and value.name in path.facts.masked:
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
            self.notes.tell(path.block, place, kind, what, verdict, rule, reason, home)
            if place is not None:
                self.notes.value(path.block, place, value)
            return
        self.notes.tell(path.block, let.span, "operation", text_of(let.span), verdict, rule, reason)
        if let.span is not None:
            self.notes.value(path.block, let.span, value)

    def _is_lifted(self, let: il.Let, values: Sequence[Value]) -> bool:
        """Whether what an operation builds is made dynamic there
        (`analyses.allocation_sites`)."""
        sites = self.parts.sites
        if not sites.active:
            return False
        if let.op == "make-record" and type(values[0]) is Static:
            return id(values[0].datum) in sites.lifted
        span = place_in(let.span, self.calls.caller)
        return (id(let), None if span is None else span.start) in sites.lifted

    def _lift(self, path: Path, let: il.Let, environment: Environment, verdict: str) -> None:
        """A `lift`: the program's own, or advice."""
        span, notes = let.span, self.notes
        if let.op == "lift" and span in notes.lifted:
            self.notes.tell(path.block, span, "operation", text_of(span), told.DYNAMIC, "lift")
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
        self.notes.tell(path.block, place, kind, what, told.GENERALISED, "advice", reason, home)

    def _procedures(self, path: Path, fix: il.Fix, environment: Environment) -> None:
        sites = self.parts.sites
        if not sites.active:
            return
        for function in fix.functions:
            is_lifted = id(function) in sites.lifted and not in_library(function.span)
            if is_lifted and type(environment.get(function.name)) is Dynamic:
                reason = "what is built here grows from version to version"
                what, span = text_of(function.span), function.span
                self.notes.tell(
                    path.block, span, "operation", what, told.GENERALISED, "site", reason
                )

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
    ) -> Control | None:
        block = path.block
        before = environment[node.test.name] if type(node.test) is il.Var else None
        found = super()._if(path, node, environment, activation)
        if found is not None and not in_library(node.span):
            rule = "bounds" if type(before) is Test else "values"
            truth = "true" if found[0] is node.then else "false"
            place, what = self.test_of(node)
            fact = Decision(place, "test", what, told.DECIDED, rule, truth)
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

    def _branch(self, path: Path, atom: il.Atom, undecided: UndecidedIf) -> None:
        self._left(path, undecided.node, undecided.test)
        super()._branch(path, atom, undecided)

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
            fact = Decision(place, "call", text_of(place), told.RESIDUAL, "conditional", reason)
        else:
            place, what = self.test_of(node)
            fact = Decision(
                place, "test", what, told.RESIDUAL, "conditional", self._why(node, test)
            )
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

    def apply(
        self, path: Path, k: Continuation, values: list[Value], span: Span | None, cut: bool = False
    ) -> Control | None:
        if type(k) is Frame and k.block is path.block and not cut:
            for name, value in zip(k.cont.parameters, values, strict=False):
                self.notes.variable(path.block, path.store, name, value)
        return super().apply(path, k, values, span, cut)


def _has_operands(let: il.Let, environment: Environment) -> bool:
    """Whether what an operation is of is there: where it has split the path, the state has dropped
    what is not needed any more."""
    names = (atom.name for atom in let.arguments if type(atom) is il.Var)
    return all(name in environment for name in names)
