"""The program of a staged function with its procedures (`cogen.staging.stagedprocedures`).

A procedure may use names of the code around it.  They become parameters of its own, which each of
its calls is given as they are there:

    let n = size(0, a) in f(3)                  let n = size(0, a) in f(3, n)
    fun int f(int k) = ... n ... f(k - 1)       fun int f(int k, int n) = ... n ... f(k - 1, n)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cogen.array.l0 import tree
from cogen.array.l0.types import Type
from cogen.array.l0.walk import parts, with_parts
from cogen.lang.errors import LimitationError
from cogen.staging.stagedprocedures import StagedProcedure


class FreeNames:
    """The names that the functions of a program use and do not bind."""

    def __init__(
        self, main: tree.FunctionDefinition, procedures: Sequence[StagedProcedure],
        types: Mapping[str, Type],
    ) -> None:  # fmt: skip
        self.main = main
        self.types = types
        every = {p.name: p.definition for p in procedures if p.definition is not None}
        self.used: dict[str, set[str]] = {}
        self.bound: dict[str, set[str]] = {}
        self.calls: dict[str, set[str]] = {}
        self.definitions: dict[str, tree.FunctionDefinition] = {}
        waiting = [main]
        while waiting:
            definition = waiting.pop()
            name = definition.name.text
            if name in self.definitions:
                continue
            self.definitions[name] = definition
            self._look_at(definition, every)
            waiting += [every[callee] for callee in sorted(self.calls[name])]
        self.free = self._closed()

    def _look_at(
        self, definition: tree.FunctionDefinition, every: Mapping[str, tree.FunctionDefinition]
    ) -> None:
        name = definition.name.text
        used, bound, calls = set[str](), {p.name.text for p in definition.parameters}, set[str]()
        waiting: list[tree.Expression] = [definition.body]
        while waiting:
            e = waiting.pop()
            used.update(_used(e))
            bound.update(_bound(e))
            if isinstance(e, tree.CallExpression) and e.function.text in every:
                calls.add(e.function.text)
            waiting += [part for part, _ in parts(e)]
        self.used[name], self.bound[name], self.calls[name] = used, bound, calls

    def _closed(self) -> dict[str, list[str]]:
        """Those of functions with those of what they call."""
        found = {name: self.used[name] - self.bound[name] for name in self.definitions}
        while True:
            before = {name: len(names) for name, names in found.items()}
            for name in self.definitions:
                for callee in self.calls[name]:
                    found[name] |= found[callee] - self.bound[name]
            if before == {name: len(names) for name, names in found.items()}:
                return {name: sorted(names) for name, names in found.items()}

    def program(self) -> list[tree.FunctionDefinition]:
        """The functions, of which each is given what it uses; first the main one."""
        main = self.main.name.text
        unpacked = self._unpacked()
        return [
            self._function(definition, unpacked if name == main else {})
            for name, definition in self.definitions.items()
        ]

    def _unpacked(self) -> dict[str, str]:
        """Packed parameters of the main function that procedures use, and what they are called
        when they are unpacked."""
        packed = [p.name.text for p in self.main.parameters if p.stored is not None]
        used = {name for callee in self.definitions if callee != self.main.name.text
                for name in self.free[callee]}  # fmt: skip
        return {name: f"{name}_unpacked" for name in packed if name in used}

    def _function(
        self, definition: tree.FunctionDefinition, unpacked: Mapping[str, str]
    ) -> tree.FunctionDefinition:
        place = definition.span
        body = self._given(definition.body, unpacked)
        for name, own in unpacked.items():
            whole = tree.VariableExpression(place, tree.Name(place, name))
            copied = tree.Form(place, "copy", (whole,))
            body = tree.LetExpression(place, tree.Name(place, own), copied, body)
        parameters = definition.parameters
        if definition is not self.main:
            parameters += tuple([
                tree.Parameter(tree.Name(place, name), self._type(name, definition))
                for name in self.free[definition.name.text]
            ])  # fmt: skip
        return tree.FunctionDefinition(
            place, definition.name, definition.result, parameters, body, definition.stored
        )

    def _type(self, name: str, definition: tree.FunctionDefinition) -> Type:
        if name not in self.types:
            raise LimitationError(
                "a function that calls itself uses something of the code around it that cannot be "
                "handed over", definition.span, "hand it on as an argument",
            )  # fmt: skip
        return self.types[name]

    def _given(self, e: tree.Expression, unpacked: Mapping[str, str]) -> tree.Expression:
        """An expression whose calls are given what the functions use."""
        made = with_parts(e, [self._given(part, unpacked) for part, _ in parts(e)])
        if isinstance(made, tree.CallExpression) and made.function.text in self.definitions:
            names = [unpacked.get(name, name) for name in self.free[made.function.text]]
            given = [tree.VariableExpression(e.span, tree.Name(e.span, name)) for name in names]
            return tree.CallExpression(e.span, made.function, (*made.arguments, *given))
        return made


def _used(e: tree.Expression) -> Iterator[str]:
    """The names that an expression uses itself."""
    match e:
        case tree.VariableExpression(name=name):
            yield name.text
        case tree.IndexExpression(array=name, certificates=certificates):
            yield from (n.text for n in (name, *certificates))
        case tree.LetWith(source=name, certificates=certificates):
            yield from (n.text for n in (name, *certificates))
        case tree.Predicated(certificates=certificates):
            yield from (n.text for n in certificates)


def _bound(e: tree.Expression) -> Iterator[str]:
    """The names that an expression binds itself."""
    match e:
        case tree.LetExpression(pattern=pattern):
            yield from _names(pattern)
        case tree.LetWith(target=name):
            yield name.text
        case tree.LoopExpression(pattern=pattern, index=name):
            yield from (*_names(pattern), name.text)
        case (
            tree.SoacExpression(functions=functions) | tree.ExtensionExpression(functions=functions)
        ):
            for function in functions:
                if isinstance(function, tree.LambdaExpression):
                    yield from (p.name.text for p in function.parameters)


def _names(pattern: tree.Pattern) -> Iterator[str]:
    match pattern:
        case tree.Name(text=text):
            yield text
        case tree.TuplePattern(parts=inside):
            for part in inside:
                yield from _names(part)
