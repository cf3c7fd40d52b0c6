"""Text -> tree: runs lark and builds `cogen.array.l0.tree` from what it gives.

A syntax error is a `CogenError` at the first token that cannot follow, and says what could; an
opening bracket that is never closed is reported at the bracket.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from cogen import diskstore as store
from cogen.array.l0 import tree
from cogen.array.l0.declarations import Declarations
from cogen.array.l0.extensions import OPERANDS, WITH_FUNCTION
from cogen.array.l0.grammar import declares_names, defined_words, grammar
from cogen.array.l0.literals import decode
from cogen.array.l0.sizenames import Size, with_sizes
from cogen.array.l0.storage import check_stored, unpacked
from cogen.array.l0.storing import STORE, storing
from cogen.array.l0.syntaxerrors import syntax_error
from cogen.array.l0.types import (
    BASIC_TYPES,
    BOOL,
    CERT,
    CHAR,
    INT,
    REAL,
    ArrayType,
    TupleType,
    Type,
    has_packed,
    has_uniqueness,
    limit_type,
    packed_array,
)
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, Source, Span
from cogen.lang.files import read_source

if TYPE_CHECKING:
    from lark import Lark, Token, Tree

    Parsed = Tree[Token]
    Child = Parsed | Token | None

FORM_OPERANDS: Final = {
    "zip": (1, None), "unzip": (1, 1), "iota": (1, 1), "replicate": (2, 2), "size": (1, 2),
    "transpose": (1, 3), "split": (2, 2), "concat": (2, 2), "copy": (1, 1), "assert": (1, None),
    "conjoin": (1, None),
}  # fmt: skip
"""How many operands a form has: at least, at most."""


def parse(source: Source) -> tree.Program:
    """The program that a text writes.  CogenError where it is no program."""
    return on_deep_stack(_parse, source)


def _parse(source: Source) -> tree.Program:
    declarations, found = Declarations(), _Found([], [])
    _read(source, declarations, found, {_identity(source)})
    functions = tuple([make() for make in found.functions])
    laws = tuple([make() for make in found.laws])
    return tree.Program(source, functions, declarations.all(), laws)


@dataclass(frozen=True, slots=True)
class _Found:
    """What makes the functions and the laws of all files, once all types are known."""

    functions: list[Callable[[], tree.FunctionDefinition]]
    laws: list[Callable[[], tree.Law]]


def _read(source: Source, declarations: Declarations, found: _Found, seen: set[str]) -> None:
    """Find what a file and those that it imports have, each once, the imported ones first."""
    builder = _Builder(source, declarations)
    for part in [cast("Parsed", part) for part in _parsed(source).children]:
        if part.data == "import":
            other = builder.imported(part)
            if _identity(other) not in seen:
                seen.add(_identity(other))
                _read(other, declarations, found, seen)
        elif part.data == "function":
            found.functions.append(partial(builder.function, part))
        elif part.data == "law":
            found.laws.append(partial(builder.law, part))
        else:
            declarations.add(part, builder)


def _identity(source: Source) -> str:
    return os.path.abspath(source.path or source.name)


def _parsed(source: Source) -> Parsed:
    parser = _parser(defined_words(source.text), declares_names(source.text))
    from lark.exceptions import UnexpectedInput

    try:
        parsed = parser.parse(source.text)
    except UnexpectedInput as error:
        raise syntax_error(error, source, parser) from None
    return parsed


@lru_cache(maxsize=4)
def _parser(own: frozenset[str], names: bool) -> Lark:
    """The parser of a grammar; its tables, which take long to build, are kept in the store."""
    try:
        from lark import Lark, __version__
    except ImportError:
        raise CogenError(
            "programs in L0 need the package lark, which is not installed",
            hint="pip install 'cogen-specializer[array]', or pip install lark",
        ) from None
    rules = grammar(own, names)
    parts = ("lark", __version__, rules)
    tables = store.get(*parts)
    if tables is not None:
        return Lark.load(BytesIO(tables))
    made = Lark(rules, parser="lalr", propagate_positions=True, maybe_placeholders=True)
    kept = BytesIO()
    made.save(kept)
    store.put(*parts, content=kept.getvalue())
    return made


class _Builder:
    """Builds nodes; a method for each rule of the grammar that makes an expression."""

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
        build = _BUILD[part.data]
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

    def sizes(self, part: Child, name: Child) -> list[Size]:
        """The sizes that the type of a parameter, or of the result, says."""
        part = cast("Parsed", part)
        found: list[Size] = []
        dimension = 0
        while part.data in ("unique_type", "sized_type", "array_type"):
            if part.data == "sized_type":
                token = self.name(part.children[0])
                found.append(Size(str(name), dimension, token.text, token.span))
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
        pattern = tree.Call(self.name(name).span, self.name(name), self.arguments(arguments))
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
                return tree.Lambda(
                    span, self.type(result), self.parameters(parameters), self.expression(body)
                )
            case "named":
                return tree.Named(span, self.name(children[0]), self.arguments(children[1]))
            case _:
                operator = str(cast("Parsed", children[0]).children[0])
                return tree.Section(span, operator, self.arguments(children[1]))

    # Expressions.

    def int_(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        digits = str(children[0])
        base = {"x": 16, "o": 8}.get(digits[1:2].lower(), 10)
        body = digits[2:] if base != 10 else digits.lstrip("0") or "0"
        value = int(body, base) if len(body) < 24 else 1 << 64
        if value > 1 << 63:
            raise CogenError("this integer is not in the range of int", span, "int has 64 bits")
        return tree.Literal(span, value, INT)

    def real(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        return tree.Literal(span, float(str(children[0])), REAL)

    def constant(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        word = str(children[0])
        return tree.Literal(span, word != "False", CERT if word == "Checked" else BOOL)

    def char(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        text = decode(self.source, span.start, span.end)
        if len(text) != 1:
            raise CogenError("a character literal has one character", span)
        return tree.Literal(span, text, CHAR)

    def string(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        return tree.StringLiteral(span, decode(self.source, span.start, span.end))

    def variable(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        return tree.Variable(span, self.name(children[0]))

    def tuple_(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        return tree.Tuple(span, self.arguments(children[0]))

    def array(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        return tree.Array(span, self.arguments(children[0]))

    def binary(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        left, operator, right = children
        return tree.Binary(span, str(operator), self.expression(left), self.expression(right))

    def unary(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        return tree.Unary(span, str(children[0]), self.expression(children[1]))

    def call(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        return tree.Call(span, self.name(children[0]), self.arguments(children[1]))

    def index(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        array, certificates, indices = children
        return tree.Index(span, self.name(array), self.names(certificates), self.arguments(indices))

    def if_(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        condition, then, otherwise = children
        return tree.If(
            span, self.expression(condition), self.expression(then), self.expression(otherwise)
        )

    def let(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        pattern, value, body = children
        return tree.Let(span, self.pattern(pattern), self.expression(value), self.expression(body))

    def let_element(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        certificates, name, update, value, body = children
        target = self.name(name)
        return self.update(span, target, target, certificates, update, value, body)

    def let_with(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        pattern, array, update, value, body = children
        target, source = self.pattern(pattern), self.expression(array)
        if not isinstance(target, tree.Name):
            raise CogenError("an updated array is bound to a name, not to a pattern", target.span)
        if not isinstance(source, tree.Variable):
            raise CogenError(
                "only a variable can be updated", source.span, "bind it with let first"
            )
        return self.update(span, target, source.name, None, update, value, body)

    def let_with_certified(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        certificates, name, array, update, value, body = children
        source = self.expression(array)
        if not isinstance(source, tree.Variable):
            raise CogenError(
                "only a variable can be updated", source.span, "bind it with let first"
            )
        target = self.name(name)
        return self.update(span, target, source.name, certificates, update, value, body)

    def update(
        self,
        span: Span,
        target: tree.Name,
        source: tree.Name,
        certificates: Child,
        update: Child,
        value: Child,
        body: Child,
    ) -> tree.Expression:
        checked, indices = cast("Parsed", update).children
        return tree.LetWith(
            span,
            tree.Name(target.span, target.text),
            source,
            self.names(certificates) + self.names(checked),
            self.arguments(indices),
            self.expression(value),
            self.expression(body),
        )

    def loop(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        pattern, initial, index, bound, body, result = children
        variables = self.pattern(pattern)
        start = _as_expression(variables) if initial is None else self.expression(initial)
        return tree.Loop(
            span,
            variables,
            start,
            self.name(index),
            self.expression(bound),
            self.expression(body),
            self.expression(result),
        )

    # Records and unions.

    def field(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        whole, name = children
        return tree.Field(span, self.expression(whole), self.name(name))

    def field_element(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        whole, name, indices = children
        e = self.expression(whole)
        return tree.Field(span, e, self.name(name), self.arguments(indices))

    def given(self, parts: Sequence[Child]) -> tuple[tree.Given, ...]:
        found = []
        for part in parts:
            if part is not None:
                name, value = cast("Parsed", part).children
                found.append(tree.Given(self.name(name), self.expression(value)))
        return tuple(found)

    def made(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        name, *fields = children
        return tree.Made(span, self.name(name), self.given(fields))

    def changed(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        whole, *fields = children
        return tree.Changed(span, self.expression(whole), self.given(fields))

    def case(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        value, *arms = [child for child in children if child is not None]
        return tree.Case(span, self.expression(value), tuple([self.arm(arm) for arm in arms]))

    def arm(self, part: Child) -> tree.Arm:
        part = cast("Parsed", part)
        head, body = cast("Parsed", part.children[0]), self.expression(part.children[1])
        span = self.span(part)
        if head.data == "any_case":
            return tree.Arm(span, None, None, None, body)
        name, *inside = [child for child in head.children if child is not None]
        if head.data == "bare_case":
            return tree.Arm(span, self.name(name), None, None, body)
        if head.data == "case_by_place":
            patterns = tuple([self.pattern(child) for child in inside])
            return tree.Arm(span, self.name(name), None, patterns, body)
        names, found = [], []
        for child in inside:
            field, pattern = cast("Parsed", child).children
            names.append(self.name(field))
            found.append(self.name(field) if pattern is None else self.pattern(pattern))
        return tree.Arm(span, self.name(name), tuple(names), tuple(found), body)

    def form(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        name, operands = str(children[0]), self.arguments(children[1])
        least, most = FORM_OPERANDS[name]
        count = len(operands)
        if count < least or (most is not None and count > most):
            raise CogenError(f"`{name}` does not take {_count(count, 'operand')}", span)
        match name, operands:
            case "size", (array,):
                return tree.Size(span, 0, array)
            case "size", (dimension, array):
                return tree.Size(span, _static(dimension, "the dimension"), array)
            case "transpose", (array,):
                return tree.Transpose(span, 0, 1, array)
            case "transpose", (k, n, array):
                return tree.Transpose(
                    span, _static(k, "the dimension"), _static(n, "the distance"), array
                )
            case "transpose", _:
                raise CogenError("`transpose` takes an array, or k, n and an array", span)
        return tree.Form(span, name, operands)

    def shaped(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        name, shape, array = str(children[0]), self.arguments(children[1]), children[2]
        if name == "reshape":
            return tree.Reshape(span, shape, self.expression(array))
        order = tuple([_static(part, "a dimension") for part in shape])
        return tree.Rearrange(span, order, self.expression(array))

    def empty(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        element = self.type(children[0])
        if has_uniqueness(element):
            raise CogenError("the elements of an array are not declared unique", span)
        return tree.Empty(span, element)

    def predicated(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        return tree.Predicated(span, self.names(children[0]), self.expression(children[1]))

    def predicated_soac(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        word, certificates, *operands = children
        return tree.Predicated(span, self.names(certificates), self.soac(span, [word, *operands]))

    def soac(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        word = str(children[0])
        tupleless = word.endswith("T")
        kind = word.removesuffix("T")
        count = 2 if kind == "redomap" else 1
        functions = [self.operand_function(part) for part in children[1 : 1 + count]]
        operands = [self.expression(part) for part in children[1 + count :] if part is not None]
        takes_initial = kind in ("reduce", "scan", "redomap")
        needed = 2 if takes_initial else 1
        if len(operands) < needed or (len(operands) > needed and not tupleless):
            what = "an initial value and " if takes_initial else ""
            arrays = "arrays" if tupleless else "one array"
            raise CogenError(
                f"`{word}` takes {'two functions' if count == 2 else 'a function'}, {what}{arrays}",
                span,
            )
        initial = operands.pop(0) if takes_initial else None
        return tree.Soac(span, kind, tupleless, tuple(functions), initial, tuple(operands))

    def extension(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        return self.extended_with(span, str(children[0]), (), self.arguments(children[1]))

    def extended(self, span: Span, children: Sequence[Child]) -> tree.Expression:
        function = self.operand_function(children[1])
        operands = [self.expression(part) for part in children[2:] if part is not None]
        return self.extended_with(span, str(children[0]), (function,), tuple(operands))

    def extended_with(
        self,
        span: Span,
        name: str,
        functions: tuple[tree.Function, ...],
        operands: tuple[tree.Expression, ...],
    ) -> tree.Expression:
        expected = OPERANDS[name]
        if name == STORE and len(operands) == len(expected) - 1:
            operands = (*operands, tree.StringLiteral(span, "check"))
        if len(operands) != len(expected):
            first = ["a function"] if name in WITH_FUNCTION else []
            takes = [*first, *expected]
            words = ", ".join(takes[:-1]) + (" and " if takes[:-1] else "") + takes[-1]
            raise CogenError(f"`{name}` takes {words}", span)
        return tree.Extension(span, name, functions, operands)


_BUILD: Final[dict[str, Callable[..., tree.Expression]]] = {
    "int": _Builder.int_,
    "real": _Builder.real,
    "constant": _Builder.constant,
    "char": _Builder.char,
    "string": _Builder.string,
    "variable": _Builder.variable,
    "tuple": _Builder.tuple_,
    "array": _Builder.array,
    "binary": _Builder.binary,
    "unary": _Builder.unary,
    "call": _Builder.call,
    "index": _Builder.index,
    "if": _Builder.if_,
    "let": _Builder.let,
    "let_element": _Builder.let_element,
    "let_with": _Builder.let_with,
    "let_with_certified": _Builder.let_with_certified,
    "loop": _Builder.loop,
    "form": _Builder.form,
    "shaped": _Builder.shaped,
    "empty": _Builder.empty,
    "predicated": _Builder.predicated,
    "predicated_soac": _Builder.predicated_soac,
    "soac": _Builder.soac,
    "extension": _Builder.extension,
    "extended": _Builder.extended,
    "field": _Builder.field,
    "field_element": _Builder.field_element,
    "made": _Builder.made,
    "changed": _Builder.changed,
    "case": _Builder.case,
}


def _as_expression(pattern: tree.Pattern) -> tree.Expression:
    """The variables of a loop's pattern as its initial value."""
    match pattern:
        case tree.Name(span, text):
            return tree.Variable(span, tree.Name(span, text))
        case tree.Wildcard(span):
            raise CogenError("a loop without an initial value names all its variables", span)
        case tree.TuplePattern(span, parts):
            return tree.Tuple(span, tuple([_as_expression(part) for part in parts]))


def _static(e: tree.Expression, what: str) -> int:
    match e:
        case tree.Literal(value=int(value)) if e.type == INT:
            return value
        case tree.Unary(operator="-", operand=tree.Literal(value=int(value)) as k) if k.type == INT:
            return -value
    raise CogenError(f"{what} must be an integer literal", e.span)


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
