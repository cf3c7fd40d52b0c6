"""Array programs with kinds of nodes as words: L0 with calls of kinds -> L0 without.

    fun [[real]] main([[real]] a) = Mul(a, Identity(size(1, a)))     ->     fun ... = a

A function is gone through as a staged function would be: the calls of kinds give nodes
(`cogen.staging.kinds`), which laws see through variables, tuples, and functions that have such
calls themselves; everything else is bound where it stands, and a node becomes loops where something
else than a node needs its elements.  It comes after the check, since a node needs the types of its
operands; programs of the Scheme-like language come here as what the specializer left of them, with
the calls of `array-node` as words.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from cogen.array.l0 import tree, walk
from cogen.array.l0.check import check
from cogen.array.l0.facts import CheckedFacts
from cogen.array.l0.plain import with_tuples
from cogen.array.l0.types import (
    INT,
    ArrayType,
    Basic,
    TupleType,
    Type,
    array_of,
    without_uniqueness,
)
from cogen.array.programs.arrayprogram import Program
from cogen.array.programs.targettext import TARGETS
from cogen.array.scheme.symbolicvalues import SymbolicName, SymbolicParts, Value
from cogen.array.scheme.tidycode import tidy
from cogen.array.scheme.typetext import show
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, Source
from cogen.staging import hooks
from cogen.staging.kinds import NodeOfKind
from cogen.staging.stagedarrays import Array, of_type
from cogen.staging.stagedscalars import expression, scalar
from cogen.staging.tracer import Tracer, making

Words = Mapping[str, type[NodeOfKind]]
"""The kinds that programs call, by their names."""

Environment = dict[str, Any]
"""What variables of L0 are: numbers that are known, staged numbers and arrays, nodes, tuples of
these, or names of what staged code does not have."""


class KindProgram(Program):
    """An array program whose words for kinds have become what their phases make of them."""

    def __init__(self, written: Source | tree.L0Program, words: Words, target: str = "c") -> None:
        self._written = written
        self._words = words
        lowered = on_deep_stack(lower, _facts(written, words), words, target)
        super().__init__(lowered.program)
        self.laws: Sequence[str] = lowered.laws
        """The laws that were applied, in their order."""
        self.target = target if lowered.for_target else None
        """The target that it was made for, if it would be another one for another target."""

    def for_target(self, target: str) -> Program:
        """The program as it is for a target."""
        if self.target in (None, target) or target not in TARGETS:
            return self
        return KindProgram(self._written, self._words, target)


def module_words(path: str | Path) -> KindWords:
    """The kinds that a module of Python defines or imports.  CogenError if it cannot be run, or has
    none."""
    path = Path(path)
    spec = importlib.util.spec_from_file_location(f"cogen_kinds_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise CogenError(f"{path} is no module of Python", hint="name a file that ends with .py")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.resolve().parent))
    sys.modules[spec.name] = module  # dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        raise CogenError(f"the module {path} cannot be run: {what}") from error
    finally:
        sys.path.pop(0)
    found = [x for x in vars(module).values() if isinstance(x, type) and issubclass(x, NodeOfKind)]
    words = {kind.__name__: kind for kind in found if hasattr(kind, "of")}
    if not words:
        raise CogenError(f"{path} defines no kinds of nodes", hint="docs/extending-arrays.md")
    return KindWords(words)


class KindWords:
    """Kinds as words of programs: what `cogen.array.load(..., kinds=...)` takes."""

    def __init__(self, words: Words) -> None:
        self.words = words

    def program(self, written: Source | tree.L0Program) -> Program:
        """The array program of a text or tree of L0 that calls the kinds."""
        return KindProgram(written, self.words)

    def definitions(self, text: str) -> str:
        """What makes the kinds words of a text in the Scheme-like language: definitions that it can
        end with, of those that it has and does not define itself."""
        return "".join([
            f"\n(define ({name} {' '.join(kind.operands_)})"
            f" (array-node '({name} {show(type_of(kind))}) {' '.join(kind.operands_)}))"
            for name, kind in self.words.items()
            if re.search(rf"(?<![\w!?*<>=/+-]){name}(?![\w!?*<>=/+-])", text)
            and not re.search(rf"\(define(-\S+)?\s+\(?{name}[\s)]", text)
        ])  # fmt: skip


def type_of(kind: type[NodeOfKind]) -> Type:
    """The type of the values that nodes of a kind stand for."""
    return array_of(kind.dtype_, kind.dims_)


def _facts(written: Source | tree.L0Program, words: Words) -> CheckedFacts:
    """The facts of a program that calls kinds."""
    from cogen.array.l0.parse import parse

    types = {name: (len(kind.operands_), type_of(kind)) for name, kind in words.items()}
    if not isinstance(written, Source):
        return with_tuples(check(written, types))
    program = parse(written)
    for function in program.functions:
        if function.name.text in words:
            message = f"`{function.name.text}` is a kind of nodes, and cannot be a function"
            raise CogenError(message, function.name.span, "give the function another name")
    return with_tuples(check(program, types))


class Lowered:
    """A program without calls of kinds, and how it came about."""

    def __init__(self, program: tree.L0Program, laws: list[str], for_target: bool) -> None:
        self.program = program
        self.laws = laws
        self.for_target = for_target


def lower(facts: CheckedFacts, words: Words, target: str) -> Lowered:
    """The program with what the phases make of its nodes, in place of calls of kinds."""
    calls = _Calls(facts, words)
    functions, laws, for_target = [], [], False
    for function in facts.program.functions:
        if function.name.text not in calls.functions:
            functions.append(function)
            continue
        tracer = Tracer(function.span, target)
        tracer.names.taken |= {binding.name for binding in facts.bindings.values()}
        tracer.names.taken |= set(facts.definitions)
        with making(tracer):
            functions.append(_Function(facts, calls, tracer).lowered(function))
        laws += tracer.laws
        for_target |= tracer.for_target
    made = replace(facts.program, functions=tuple(functions))
    return Lowered(made, laws, for_target)


class _Calls:
    """Where kinds are called: which expressions have such calls within, and which functions."""

    def __init__(self, facts: CheckedFacts, words: Words) -> None:
        self.words = words
        self.within: dict[tree.Expression, bool] = {}
        self.functions: set[str] = set()
        changed = True
        while changed:
            before = len(self.functions)
            self.within.clear()
            for name, function in facts.definitions.items():
                if self.has(function.body):
                    self.functions.add(name)
            changed = len(self.functions) > before

    def has(self, e: tree.Expression) -> bool:
        """Whether kinds are called in an expression, or functions that call some."""
        found = self.within.get(e)
        if found is None:
            found = any(self.has(part) for part, _ in walk.parts(e)) or (
                isinstance(e, tree.CallExpression)
                and (e.function.text in self.words or e.function.text in self.functions)
            )
            self.within[e] = found
        return found


class _Function:
    """Goes through one function as a staged one would be gone through."""

    def __init__(self, facts: CheckedFacts, calls: _Calls, tracer: Tracer) -> None:
        self.facts = facts
        self.calls = calls
        self.tracer = tracer
        self.inside: list[str] = []
        """The functions whose bodies stand for calls of them, the outermost first."""

    def lowered(self, function: tree.FunctionDefinition) -> tree.FunctionDefinition:
        head, main = self.tracer.blocks[0], self.tracer.code
        self.inside = [function.name.text]
        environment = self.parameters(function.parameters)
        body = self.written(self.value(function.body, environment), function.body)
        return replace(function, body=tidy(head.close(main.close(body))))

    def parameters(self, parameters: Sequence[tree.Parameter]) -> Environment:
        return {
            p.name.text: self.named(p.name.text, without_uniqueness(p.type), p.name)
            for p in parameters
        }

    # Values.

    def named(self, text: str, t: Type, place: tree.TreeNode) -> Any:
        """The value of a variable; a tuple is taken apart."""
        whole = SymbolicName(text, t)
        if isinstance(t, TupleType):
            return self.bound(self.tracer.expression(whole, place.span), t)
        return staged(whole)

    def bound(self, e: tree.Expression, t: Type) -> Any:
        """An expression that is computed here."""
        return staged(self.tracer.code.let("t", e, t))

    def written(self, value: Any, place: tree.TreeNode) -> tree.Expression:
        """The expression of a value."""
        if isinstance(value, tuple):
            return tree.Tuple(place.span, tuple([self.written(part, place) for part in value]))
        if isinstance(value, SymbolicName):
            return self.tracer.expression(value, place.span)
        return value.expression() if isinstance(value, Array) else expression(scalar(value))

    def verbatim(self, e: tree.Expression, environment: Environment) -> tree.Expression:
        """An expression of L0, with its variables as they are here."""
        used = dict.fromkeys(_names(e))
        for name in used:
            if name in environment:
                value = self.written(environment[name], e)
                if not (isinstance(value, tree.VariableExpression) and value.name.text == name):
                    e = tree.LetExpression(e.span, tree.Name(e.span, name), value, e)
        return e

    def block(self, e: tree.Expression, environment: Environment) -> tree.Expression:
        """An expression that is evaluated under a condition, or any number of times."""
        with self.tracer.region("branch"), self.tracer.block() as code:
            found = self.written(self.value(e, environment), e)
            return code.close(found)

    # Expressions.

    def value(self, e: tree.Expression, environment: Environment) -> Any:
        """The value of an expression; what has calls of kinds is gone through."""
        match e:
            case tree.VariableExpression(name=name) if name.text in environment:
                return environment[name.text]
            case tree.LiteralExpression(value=int() | float() as known, type=Basic()):
                return known
            case tree.UnaryExpression(
                operator="-", operand=tree.LiteralExpression(value=int() | float() as known)
            ):
                return -known
        if not self.calls.has(e):
            return self.bound(self.verbatim(e, environment), self.facts.types[e])
        return _VALUES.get(type(e), _other)(self, e, environment)

    def call(self, e: tree.CallExpression, environment: Environment) -> Any:
        name = e.function.text
        given = [self.value(argument, environment) for argument in e.arguments]
        kind = self.calls.words.get(name)
        if kind is not None:
            return self.node(kind, e, given)
        if name in self.inside or name not in self.calls.functions:
            arguments = [self.written(x, at) for x, at in zip(given, e.arguments, strict=True)]
            return self.bound(walk.with_parts(e, arguments), self.facts.types[e])
        function = self.facts.definitions[name]
        self.inside.append(name)
        names = [parameter.name.text for parameter in function.parameters]
        found = self.value(function.body, dict(zip(names, given, strict=True)))
        self.inside.pop()
        return found

    def node(self, kind: type[NodeOfKind], e: tree.CallExpression, given: Sequence[Any]) -> Any:
        """A node, where the program makes it."""
        for value, argument in zip(given, e.arguments, strict=True):
            if isinstance(value, SymbolicName):
                raise CogenError(
                    f"`{e.function.text}` is given a value of type {show(value.type)}",
                    argument.span,
                    "nodes are made of numbers, arrays of numbers, nodes, and tuples of these",
                )
        before, self.tracer.span = self.tracer.span, e.span
        try:
            return kind(*given)
        except CogenError as error:
            if error.span is None:
                error.reached(e.span, ())
            raise
        finally:
            self.tracer.span = before

    def let(self, e: tree.LetExpression, environment: Environment) -> Any:
        value = self.value(e.value, environment)
        return self.value(e.body, environment | self.matched(e.pattern, value))

    def matched(self, pattern: tree.Pattern, value: Any) -> Environment:
        """What the names of a pattern are."""
        if isinstance(pattern, tree.Name):
            return {pattern.text: value}
        found: Environment = {}
        if isinstance(pattern, tree.TuplePattern):
            for part, inner in zip(pattern.parts, value, strict=True):
                found |= self.matched(part, inner)
        return found

    def tuple_(self, e: tree.Tuple, environment: Environment) -> Any:
        return tuple([self.value(part, environment) for part in e.parts])

    def let_with(self, e: tree.LetWith, environment: Environment) -> Any:
        indices = [self.written(self.value(i, environment), i) for i in e.indices]
        value = self.written(self.value(e.value, environment), e.value)
        target = tree.VariableExpression(e.target.span, e.target)
        update = tree.LetWith(
            e.span, e.target, e.source, e.certificates, tuple(indices), value, target
        )
        t = self.facts.bindings[e.source].type
        found = self.bound(self.around(update, [e.source, *e.certificates], environment), t)
        return self.value(e.body, environment | {e.target.text: found})

    def loop(self, e: tree.LoopExpression, environment: Environment) -> Any:
        t = self.facts.types[e.initial]
        initial = self.written(self.value(e.initial, environment), e.initial)
        bound = self.written(self.value(e.bound, environment), e.bound)
        text = self.tracer.names.fresh("carried")
        carried = tree.Name(e.span, text)

        def inner() -> Environment:
            return {
                **environment,
                **self.matched(e.pattern, self.named(text, t, e)),
                e.index.text: staged(SymbolicName(e.index.text, INT)),
            }

        with self.tracer.region("loop"), self.tracer.block() as code:
            body = code.close(self.written(self.value(e.body, inner()), e.body))
        last = tree.VariableExpression(e.span, carried)
        made = tree.LoopExpression(e.span, carried, initial, e.index, bound, body, last)
        found = self.matched(e.pattern, self.bound(made, t))
        return self.value(e.result, environment | found)

    def other(self, e: tree.Expression, environment: Environment) -> Any:
        """Any other form: what is in it is gone through first."""
        functions = [f for f in getattr(e, "functions", ()) if isinstance(f, tree.LambdaExpression)]
        of_functions = {f.body: f.parameters for f in functions}
        parts = []
        for part, inner in walk.parts(e):
            if part in of_functions:
                parts.append(self.function(part, of_functions[part], environment))
            elif inner:
                parts.append(self.block(part, environment))
            else:
                parts.append(self.written(self.value(part, environment), part))
        names: list[tree.Name] = [*getattr(e, "certificates", ())]
        if isinstance(e, tree.IndexExpression):
            names.append(e.array)
        made = self.around(walk.with_parts(e, parts), names, environment)
        return self.bound(made, self.facts.types[e])

    def function(
        self, body: tree.Expression, parameters: Sequence[tree.Parameter], environment: Environment
    ) -> tree.Expression:
        """The body of a function that a combinator applies."""
        with self.tracer.region("function"), self.tracer.block() as code:
            inner = environment | self.parameters(parameters)
            return code.close(self.written(self.value(body, inner), body))

    def around(
        self, e: tree.Expression, names: Iterable[tree.Name], environment: Environment
    ) -> tree.Expression:
        """An expression under what some of its variables are here."""
        for name in names:
            if name.text in environment:
                value = self.written(environment[name.text], name)
                e = tree.LetExpression(e.span, name, value, e)
        return e


_Go = Callable[[_Function, Any, Environment], Any]

_other: Final[_Go] = _Function.other

_VALUES: Final[Mapping[type, _Go]] = {
    tree.CallExpression: _Function.call,
    tree.LetExpression: _Function.let,
    tree.LetWith: _Function.let_with,
    tree.LoopExpression: _Function.loop,
    tree.Tuple: _Function.tuple_,
}


def staged(value: Value) -> Any:
    """A value of L0 as one of staged code; the name itself of what that does not have."""
    if isinstance(value, SymbolicParts):
        return tuple(map(staged, value.parts))
    assert isinstance(value, SymbolicName)
    t = value.type
    while isinstance(t, ArrayType):
        t = t.element
    known = isinstance(t, Basic) and t.name in ("int", "real", "bool")
    return of_type(value, value.type) if known else value


def _names(e: tree.Expression) -> Iterable[str]:
    """The names of variables in an expression."""
    match e:
        case tree.VariableExpression(name=name):
            yield name.text
        case tree.IndexExpression(array=array, certificates=certificates):
            yield from [array.text, *[name.text for name in certificates]]
        case tree.LetWith(source=source, certificates=certificates):
            yield from [source.text, *[name.text for name in certificates]]
        case tree.Predicated(certificates=certificates):
            yield from [name.text for name in certificates]
    for part, _ in walk.parts(e):
        yield from _names(part)


__all__ = ["KindProgram", "KindWords", "hooks", "lower", "module_words"]
"""With what rewritten functions of phases call."""
