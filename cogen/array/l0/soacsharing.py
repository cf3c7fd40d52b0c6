"""The uniqueness of combinators, and of the functions they are given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cogen.array.l0 import tree
from cogen.array.l0.consuming import ConsumingCheck, Operand, all_leaves
from cogen.array.l0.sharing import NOTHING, Occurrences, SharedLeaf, SharedOrigin, Sharing, merge
from cogen.array.l0.types import ArrayType, Type, flatten, is_unique
from cogen.lang.errors import CogenError, Note


@dataclass(frozen=True, slots=True)
class AppliedLeaves:
    """A function operand: the leaves of its parameters and result, and what it may return
    besides what it is passed."""

    parameters: tuple[Type, ...]
    parameter_names: tuple[str, ...]
    result: tuple[Type, ...]
    outer: SharedLeaf
    name: str


class SoacSharing(ConsumingCheck):
    """The part of the check that concerns combinators."""

    def soac(self, e: tree.SoacExpression) -> Sharing:
        arrays = [self.operand(array) for array in e.arrays]
        initial = [] if e.initial is None else [self.operand(e.initial)]
        outside, self.now = self.now, Occurrences()
        functions = [self.applied(function) for function in e.functions]
        inside, self.now = self.now, outside
        self.consume_elements(e, functions[-1], arrays, initial)
        for function in functions:
            self.consume_accumulators(e, function, initial, functions)
        occurrences = self.together([*initial, *arrays])
        occurrences.join(inside)
        return self.finish(self.combined(e, functions, arrays, initial), occurrences)

    def consume_elements(
        self,
        e: tree.SoacExpression,
        function: AppliedLeaves,
        arrays: Sequence[Operand],
        initial: Sequence[Operand],
    ) -> None:
        """Consume the arrays whose rows a function declares unique."""
        count = len(all_leaves(initial))
        elements = function.parameters[count:]
        if e.kind == "filter":
            for t in elements:
                if is_unique(t):
                    raise CogenError(
                        f"the predicate of `{e.name}` must not consume the elements, which are "
                        "kept",
                        e.functions[0].span,
                    )
        how = [
            f"its rows are passed to the unique parameter `{name}` of {function.name}"
            for name in function.parameter_names[count:]
        ]
        self.consume_operands(arrays, elements, how)

    def consume_accumulators(
        self,
        e: tree.SoacExpression,
        function: AppliedLeaves,
        initial: Sequence[Operand],
        functions: Sequence[AppliedLeaves],
    ) -> None:
        """Consume the initial values of accumulators that a function declares unique."""
        for operand in initial:
            for i, leaf in enumerate(operand.leaves):
                again = len(operand.leaves) + i  # where redomap combines two accumulators
                both = e.kind == "redomap" and function is functions[0]
                if not is_unique(function.parameters[i]) and not (
                    both and is_unique(function.parameters[again])
                ):
                    continue
                for other in functions:
                    if not is_unique(other.result[i]):
                        raise CogenError(
                            f"the accumulator of `{e.name}` is declared unique, but the result "
                            f"of {other.name}, which becomes the next one, is not",
                            e.functions[0].span,
                        )
                if any(root in operand.occurrences for root in leaf.aliases):
                    continue  # consumed already, for the other function of redomap
                self.apart(operand.leaves, i, "passed", operand.expression.span)
                name = function.parameter_names[i]
                how = f"it is passed to the unique parameter `{name}` of {function.name}"
                self.consume(leaf, operand.expression, how, operand.occurrences)

    def combined(
        self,
        e: tree.SoacExpression,
        functions: Sequence[AppliedLeaves],
        arrays: Sequence[Operand],
        initial: Sequence[Operand],
    ) -> Sharing:
        """What the result of a combinator shares."""
        sources = [
            leaf
            for array in arrays
            for leaf, t in zip(array.leaves, self.leaves_of(array.expression), strict=True)
            if isinstance(t, ArrayType) and isinstance(t.element, ArrayType)
        ]
        if e.kind == "scan":
            return (NOTHING,) * len(self.leaves_of(e))
        if e.kind == "filter":
            return tuple([leaf.copied for array in arrays for leaf in array.leaves])
        starts = all_leaves(initial)
        shared = merge([*sources, *starts, *[function.outer for function in functions]])
        result = []
        for i, t in enumerate(functions[-1].result):
            start = [starts[i]] if starts else []
            if not isinstance(t, ArrayType):
                result.append(NOTHING)
            elif all(is_unique(function.result[i]) for function in functions):
                result.append(merge(start))
            else:
                reason = f"the function of `{e.name}` does not declare its result unique"
                origin = SharedOrigin(reason, e.functions[-1].span)
                result.append(SharedLeaf(shared.aliases, (*shared.causes, origin)))
        return tuple(result)

    def applied(self, function: tree.Function) -> AppliedLeaves:
        """Look at a function operand; what its body does to variables from outside is added."""
        applied = self.facts.applied[function]
        parameters = tuple([leaf for t in applied.parameters for leaf in flatten(t)])
        result = flatten(applied.result)
        match function:
            case tree.LambdaExpression():
                outer = self.lambda_body(function)
                names = [p.name.text for p in function.parameters for _ in flatten(p.type)]
                return AppliedLeaves(parameters, tuple(names), result, outer, "the function")
            case tree.Named():
                outer = self.curried(function)
                definition = self.facts.definitions.get(function.name.text)
                names = ["" for _ in parameters]
                if definition is not None:
                    left = definition.parameters[len(function.arguments) :]
                    names = [p.name.text for p in left for _ in flatten(p.type)]
                return AppliedLeaves(
                    parameters, tuple(names), result, outer, f"`{function.name.text}`"
                )
            case tree.Section():
                for argument in function.arguments:
                    self.visit(argument)
                names = ["" for _ in parameters]
                return AppliedLeaves(parameters, tuple(names), result, NOTHING, "the operator")

    def lambda_body(self, function: tree.LambdaExpression) -> SharedLeaf:
        """Look at an anonymous function; the free variables its result may share."""
        outside, self.now = self.now, Occurrences()
        self.bodies.append("the anonymous function")
        self.parameters(function.parameters)
        leaves = self.visit(function.body)
        self.check_result("the function", flatten(function.result), leaves, function.body)
        self.bodies.pop()
        inside, self.now = self.now, outside
        self.join(inside.outside(self.level))
        free = [
            SharedLeaf(tuple([root for root in leaf.aliases if root.level <= self.level]))
            for leaf in leaves
        ]
        return merge(free)

    def curried(self, function: tree.Named) -> SharedLeaf:
        """Look at leading arguments; what the function's result may share with them."""
        definition = self.facts.definitions.get(function.name.text)
        shared: list[SharedLeaf] = []
        for i, argument in enumerate(function.arguments):
            shared.extend(self.visit(argument))
            if definition is None:
                continue
            parameter = definition.parameters[i]
            if any(is_unique(leaf) for leaf in flatten(parameter.type)):
                raise CogenError(
                    f"a curried argument cannot be consumed, but `{function.name.text}` consumes "
                    f"its parameter `{parameter.name.text}`",
                    argument.span,
                    notes=[Note("the parameter is declared unique here", parameter.name.span)],
                )
        return merge(shared)
