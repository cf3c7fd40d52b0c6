"""What names share, and the consumption of values: what all of the uniqueness check stands on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from cogen.array.l0 import tree
from cogen.array.l0.facts import Binding, CheckedFacts
from cogen.array.l0.sharing import (
    NOTHING,
    ConsumedAt,
    Occurrences,
    Root,
    SharedLeaf,
    SharedOrigin,
    Sharing,
    Use,
)
from cogen.array.l0.types import ArrayType, Type, flatten, is_unique, show_type
from cogen.lang.errors import CogenError, Note, Span


@dataclass(frozen=True, slots=True)
class Operand:
    """A value that a call or combinator is given, and what computing it does."""

    leaves: Sharing
    occurrences: Occurrences
    expression: tree.Expression


def all_leaves(operands: Sequence[Operand]) -> Sharing:
    """What operands share, one after the other."""
    return tuple([leaf for operand in operands for leaf in operand.leaves])


class ConsumingCheck(ABC):
    """Where a function is being looked at, and what is known there."""

    def __init__(self, facts: CheckedFacts) -> None:
        self.facts = facts
        self.sharing: dict[Binding, Sharing] = {}
        self.now = Occurrences()
        self.bodies: list[str] = []
        """The loops and anonymous functions around this place, by what they are called."""
        self.needed: dict[Root, Span] = {}
        """Roots that must be unique, and the consumption that says so."""

    @property
    def level(self) -> int:
        return len(self.bodies)

    @abstractmethod
    def visit(self, e: tree.Expression) -> Sharing:
        """What the value shares; what evaluating it does is added to `now`."""

    def collect(self, e: tree.Expression) -> tuple[Sharing, Occurrences]:
        """What the value shares, and apart from `now` what evaluating it does."""
        outside, self.now = self.now, Occurrences()
        leaves = self.visit(e)
        occurrences, self.now = self.now, outside
        return leaves, occurrences

    def operand(self, e: tree.Expression) -> Operand:
        leaves, occurrences = self.collect(e)
        return Operand(leaves, occurrences, e)

    def join(self, occurrences: Occurrences) -> None:
        """Add to the sequence at hand."""
        if self.now:
            self.now.join(occurrences)
        else:
            self.now = occurrences

    def finish(self, leaves: Sharing, occurrences: Occurrences) -> Sharing:
        """Join what a construct does, whose value then shares nothing that it consumed."""
        result = tuple([leaf.without(occurrences) for leaf in leaves])
        self.join(occurrences)
        return result

    def leaves_of(self, e: tree.Expression) -> tuple[Type, ...]:
        return flatten(self.facts.types[e])

    def together(self, operands: Sequence[Operand]) -> Occurrences:
        """What the operands do, in no particular order."""
        occurrences = Occurrences()
        for operand in operands:
            occurrences.join(operand.occurrences)
        return occurrences

    def join_all(self, operands: Sequence[Operand]) -> None:
        for operand in operands:
            self.join(operand.occurrences)

    # Names.

    def parameters(self, parameters: Sequence[tree.Parameter]) -> None:
        for parameter in parameters:
            name = parameter.name
            leaves = []
            for leaf in flatten(parameter.type):
                if not isinstance(leaf, ArrayType):
                    leaves.append(NOTHING)
                    continue
                root = Root(name.text, name.span, self.level)
                origin = SharedOrigin(
                    f"the parameter `{name.text}` is {show_type(parameter.type)}, "
                    "which is not declared unique",
                    name.span,
                )
                leaves.append(SharedLeaf((root,), () if leaf.unique else (origin,)))
            self.sharing[self.facts.bindings[name]] = tuple(leaves)

    def bind(self, pattern: tree.Pattern, leaves: Sharing, t: Type) -> None:
        """Give the names of a pattern what a value of type `t` shares."""
        match pattern:
            case tree.Name():
                named = [
                    SharedLeaf((Root(pattern.text, pattern.span, self.level),), leaf.causes)
                    if isinstance(part, ArrayType) and not leaf.aliases
                    else leaf
                    for leaf, part in zip(leaves, flatten(t), strict=True)
                ]
                self.sharing[self.facts.bindings[pattern]] = tuple(named)
            case tree.TuplePattern():
                at = 0
                for part, part_type in zip(pattern.parts, getattr(t, "parts", ()), strict=True):
                    width = len(flatten(part_type))
                    self.bind(part, leaves[at : at + width], part_type)
                    at += width

    def observe(self, name: tree.Name) -> Sharing:
        """Use a variable."""
        binding = self.facts.bindings[name]
        leaves = self.sharing.get(binding)
        if leaves is None:  # of basic type: a loop's index
            return (NOTHING,) * len(flatten(binding.type))
        use = Use(binding, name.span)
        for leaf in leaves:
            for root in leaf.aliases:
                self.now.observe(root, use)
        return leaves

    # Consumption.

    def obstacle(self, leaf: SharedLeaf) -> SharedOrigin | None:
        """Why a value is not unique here, or None if it is."""
        for cause in (*leaf.causes, *leaf.aliases):
            if isinstance(cause, SharedOrigin):
                return cause
            if cause.level < self.level:
                return SharedOrigin(
                    f"`{cause.name}` is bound outside {self.bodies[cause.level]}, which may run "
                    "many times",
                    cause.span,
                )
        return None

    def consume(
        self,
        leaf: SharedLeaf,
        value: tree.Expression | tree.Name,
        how: str,
        occurrences: Occurrences,
    ) -> None:
        """Consume one array of a value; its own uses in `occurrences` are the consumption's."""
        name = _name_of(value, leaf)
        obstacle = self.obstacle(leaf)
        if obstacle is not None:
            shown = f"`{name}`" if name else "this value"
            raise CogenError(
                f"{shown} cannot be consumed, because it is not unique",
                value.span,
                "consume a copy: copy(...)",
                [Note(f"here {how}", value.span), Note(obstacle.reason, obstacle.span)],
            )
        for root in (*leaf.aliases, *leaf.causes):
            if isinstance(root, Root):
                self.needed.setdefault(root, value.span)
        for root in leaf.aliases:
            occurrences.observed.pop(root, None)
            occurrences.direct[root] = ConsumedAt(name or root.name, value.span, how)

    def consume_operands(
        self, operands: Sequence[Operand], parameters: Sequence[Type], how: Sequence[str]
    ) -> None:
        """Consume the leaves of operands that are passed to unique parameters."""
        at = 0
        for operand in operands:
            width = len(operand.leaves)
            passed = parameters[at : at + width]
            for i, (leaf, parameter) in enumerate(zip(operand.leaves, passed, strict=True)):
                if is_unique(parameter):
                    self.apart(operand.leaves, i, "passed", operand.expression.span)
                    self.consume(leaf, operand.expression, how[at + i], operand.occurrences)
            at += width

    def apart(self, leaves: Sharing, index: int, verb: str, span: Span) -> None:
        """Refuse a part that is passed or returned uniquely and shares with another part."""
        for other, leaf in enumerate(leaves):
            if other == index:
                continue
            for root in leaves[index].aliases:
                if root in leaf.aliases:
                    first, second = sorted((index + 1, other + 1))
                    raise CogenError(
                        f"parts {first} and {second} of what is {verb} uniquely may share the "
                        f"memory of `{root.name}`",
                        span,
                        notes=[Note(f"`{root.name}` is bound here", root.span)],
                    )

    def check_result(
        self, name: str, result: Sequence[Type], leaves: Sharing, body: tree.Expression
    ) -> None:
        """Refuse a result that is declared unique and is not."""
        for i, (t, leaf) in enumerate(zip(result, leaves, strict=True)):
            if not is_unique(t):
                continue
            obstacle = self.obstacle(leaf)
            if obstacle is not None:
                raise CogenError(
                    f"the result of {name} is declared unique, but may not be",
                    tree.last(body).span,
                    "return a copy: copy(...)",
                    [Note(obstacle.reason, obstacle.span)],
                )
            for root in (*leaf.aliases, *leaf.causes):
                if isinstance(root, Root):
                    self.needed.setdefault(root, tree.last(body).span)
            self.apart(leaves, i, "returned", tree.last(body).span)


def _name_of(value: tree.Expression | tree.Name, leaf: SharedLeaf) -> str | None:
    """The variable that a consumed value is, or is a part of."""
    match value:
        case tree.Name():
            return value.text
        case tree.VariableExpression():
            return value.name.text
        case tree.IndexExpression():
            return value.array.text
    return leaf.aliases[0].name if len(leaf.aliases) == 1 else None
