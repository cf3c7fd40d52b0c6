"""What the parser found -> the tree: names, types, patterns, functions and laws.

Expressions are made by a rule for each rule of the grammar (`cogen.array.l0.buildexpressions`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from cogen.array.l0 import tree
from cogen.array.l0.buildexpressions import EXPRESSIONS
from cogen.array.l0.declarations import Declarations
from cogen.array.l0.literals import decode
from cogen.array.l0.sizenames import NamedSize, with_sizes
from cogen.array.l0.storage import check_stored, unpacked
from cogen.array.l0.storing import storing
from cogen.array.l0.types import (
    BASIC_TYPES,
    ArrayType,
    TupleType,
    Type,
    has_packed,
    has_uniqueness,
    limit_type,
    packed_array,
)
from cogen.lang.errors import CogenError, Source, Span
from cogen.lang.files import read_source

if TYPE_CHECKING:
    from lark import Token, Tree

    Parsed = Tree[Token]
    Child = Parsed | Token | None


class TreeBuilder:
    """Builds nodes of what the parser found in one file."""

    def __init__(self, source: Source, declarations: Declarations) -> None:
        self.source = source
        self.declarations = declarations

    def span(self, part: Parsed | Token) -> Span:
        from lark import Token

        place = part if isinstance(part, Token) else part.meta
        start = place.start_pos
        end = place.end_pos
        assert start is not None
        assert end is not None
        return Span(self.source, start, end)

    def name(self, token: Child) -> tree.Name:
        token = cast("Token", token)
        return tree.Name(self.span(token), str(token))

    def names(self, certificates: Child) -> tuple[tree.Name, ...]:
        if certificates is None:
            return ()
        return tuple([self.name(token) for token in cast("Parsed", certificates).children])

    def expression(self, part: Child) -> tree.Expression:
        part = cast("Parsed", part)
        build = EXPRESSIONS[part.data]
        return build(self, self.span(part), part.children)

    def arguments(self, part: Child) -> tuple[tree.Expression, ...]:
        if part is None:
            return ()
        return tuple([self.expression(child) for child in cast("Parsed", part).children])

    # Declarations.

    def function(self, part: Parsed) -> tree.FunctionDefinition:
        result, name, *parameters, body = part.children
        declared = self.declared(result)
        e = self.expression(body)
        packed = has_packed(declared)
        made = tree.FunctionDefinition(
            self.span(part),
            self.name(name),
            unpacked(declared),
            self.parameters(parameters, self.declared),
            e,
            declared if packed else None,
        )
        sizes = [
            size
            for parameter in parameters
            if parameter is not None
            for size in self.sizes(*cast("Parsed", parameter).children)
        ]
        given = self.sizes(result, name)
        if sizes or given:
            made = with_sizes(made, sizes, given)
        return replace(made, body=storing(made.body, declared)) if packed else made

    def sizes(self, part: Child, name: Child) -> list[NamedSize]:
        """The sizes that the type of a parameter, or of the result, says."""
        part = cast("Parsed", part)
        found: list[NamedSize] = []
        dimension = 0
        while part.data in ("unique_type", "sized_type", "array_type"):
            if part.data == "sized_type":
                token = self.name(part.children[0])
                found.append(NamedSize(str(name), dimension, token.text, token.span))
            dimension += part.data != "unique_type"
            part = cast("Parsed", part.children[-1])
        for inner in part.iter_subtrees():
            if inner.data == "sized_type":
                self.no_sizes(inner)
        return found

    def no_sizes(self, part: Parsed) -> None:
        """CogenError for a size that is named where it cannot be."""
        raise CogenError(
            "sizes are named only in the arrays that a function takes and gives",
            self.span(cast("Token", part.children[0])), "[real] is an array of any size",
        )  # fmt: skip

    def law(self, part: Parsed) -> tree.Law:
        name, arguments, body = part.children
        span = self.span(part)
        pattern = tree.CallExpression(
            self.name(name).span, self.name(name), self.arguments(arguments)
        )
        return tree.Law(span, pattern, self.expression(body))

    def imported(self, part: Parsed) -> Source:
        """The file that an import names, beside the one that imports it."""
        token = cast("Token", part.children[0])
        place = self.span(token)
        name = decode(self.source, place.start, place.end)
        path = Path(self.source.path or "").parent / name
        try:
            return read_source(path)
        except CogenError as error:
            raise CogenError(error.message, place, error.hint) from None

    def parameters(
        self, parts: Sequence[Child], read: Callable[[Child], Type] | None = None
    ) -> tuple[tree.Parameter, ...]:
        found = []
        for part in parts:
            if part is not None:
                type_, name = cast("Parsed", part).children
                declared = (read or self.type)(type_)
                stored = declared if has_packed(declared) else None
                found.append(tree.Parameter(self.name(name), unpacked(declared), stored))
        return tuple(found)

    def declared(self, part: Child) -> Type:
        """The type of a parameter or result of a function, which may be stored packed."""
        part = cast("Parsed", part)
        span = self.span(part)
        found = limit_type(self.any_type(part), span)
        try:
            check_stored(found)
            limit_type(unpacked(found), span)
        except CogenError as error:
            raise CogenError(error.message, error.span or span, error.hint) from None
        return found

    def type(self, part: Child) -> Type:
        part = cast("Parsed", part)
        for inner in part.iter_subtrees():
            if inner.data == "sized_type":
                self.no_sizes(inner)
        found = limit_type(self.any_type(part), self.span(part))
        if has_packed(found):
            raise CogenError(
                "only the parameters and the result of a function are stored packed",
                self.span(part),
            )
        return found

    def any_type(self, part: Parsed) -> Type:
        children = [child for child in part.children if child is not None]
        match part.data:
            case "basic":
                return BASIC_TYPES[str(children[0])]
            case "named_type":
                name = self.name(children[0])
                return self.declarations.type(name.text, name.span)
            case "packed_type":
                token = cast("Token", children[0])
                place = self.span(token)
                return packed_array(decode(self.source, place.start, place.end)).element
            case "tuple_type":
                parts = [self.any_type(cast("Parsed", child)) for child in children]
                return TupleType(tuple(parts))
            case "named_array_type":
                name = self.name(children[0])
                return ArrayType(self.declarations.type(name.text, name.span))
            case "array_type" | "sized_type":
                element = self.any_type(cast("Parsed", children[-1]))
                if has_uniqueness(element):
                    raise CogenError(
                        "`*` stands only before the outermost `[` of an array type",
                        self.span(part),
                    )
                return ArrayType(element)
            case _:
                array = self.any_type(cast("Parsed", children[0]))
                if not isinstance(array, ArrayType) or array.unique:
                    raise CogenError("`*` stands only before an array type", self.span(part))
                return ArrayType(array.element, unique=True)

    def pattern(self, part: Child) -> tree.Pattern:
        part = cast("Parsed", part)
        match part.data:
            case "name_pattern":
                return self.name(part.children[0])
            case "wildcard":
                return tree.Wildcard(self.span(part))
            case _:
                parts = [self.pattern(child) for child in part.children if child is not None]
                return tree.TuplePattern(self.span(part), tuple(parts))

    def operand_function(self, part: Child) -> tree.Function:
        part = cast("Parsed", part)
        span, children = self.span(part), part.children
        match part.data:
            case "lambda":
                result, *parameters, body = children
                return tree.LambdaExpression(
                    span, self.type(result), self.parameters(parameters), self.expression(body)
                )
            case "named":
                return tree.Named(span, self.name(children[0]), self.arguments(children[1]))
            case _:
                operator = str(cast("Parsed", children[0]).children[0])
                return tree.Section(span, operator, self.arguments(children[1]))
