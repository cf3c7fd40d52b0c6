"""Rules of the grammar that make an expression: what the parser found -> the expression.

A function for each rule, in `EXPRESSIONS`; it is given the place of what was found, and its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, cast

from cogen.array.l0 import tree
from cogen.array.l0.extensions import OPERANDS, WITH_FUNCTION
from cogen.array.l0.literals import decode
from cogen.array.l0.storing import STORE
from cogen.array.l0.types import (
    BOOL,
    CERT,
    CHAR,
    INT,
    REAL,
    has_uniqueness,
)
from cogen.lang.errors import CogenError, Span

if TYPE_CHECKING:
    from lark import Token, Tree

    from cogen.array.l0.buildtree import TreeBuilder

    Parsed = Tree[Token]
    Child = Parsed | Token | None

FORM_OPERANDS: Final = {
    "zip": (1, None), "unzip": (1, 1), "iota": (1, 1), "replicate": (2, 2), "size": (1, 2),
    "transpose": (1, 3), "split": (2, 2), "concat": (2, 2), "copy": (1, 1), "assert": (1, None),
    "conjoin": (1, None),
}  # fmt: skip
"""How many operands a form has: at least, at most."""


def _int(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    digits = str(children[0])
    base = {"x": 16, "o": 8}.get(digits[1:2].lower(), 10)
    body = digits[2:] if base != 10 else digits.lstrip("0") or "0"
    value = int(body, base) if len(body) < 24 else 1 << 64
    if value > 1 << 63:
        raise CogenError("this integer is not in the range of int", span, "int has 64 bits")
    return tree.LiteralExpression(span, value, INT)


def _real(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    return tree.LiteralExpression(span, float(str(children[0])), REAL)


def _constant(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    word = str(children[0])
    return tree.LiteralExpression(span, word != "False", CERT if word == "Checked" else BOOL)


def _char(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    text = decode(build.source, span.start, span.end)
    if len(text) != 1:
        raise CogenError("a character literal has one character", span)
    return tree.LiteralExpression(span, text, CHAR)


def _string(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    return tree.StringLiteral(span, decode(build.source, span.start, span.end))


def _variable(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    return tree.VariableExpression(span, build.name(children[0]))


def _tuple(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    return tree.Tuple(span, build.arguments(children[0]))


def _array(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    return tree.ArrayExpression(span, build.arguments(children[0]))


def _binary(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    left, operator, right = children
    return tree.BinaryExpression(
        span, str(operator), build.expression(left), build.expression(right)
    )


def _unary(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    return tree.UnaryExpression(span, str(children[0]), build.expression(children[1]))


def _call(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    return tree.CallExpression(span, build.name(children[0]), build.arguments(children[1]))


def _index(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    array, certificates, indices = children
    return tree.IndexExpression(
        span, build.name(array), build.names(certificates), build.arguments(indices)
    )


def _if(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    condition, then, otherwise = children
    return tree.IfExpression(
        span, build.expression(condition), build.expression(then), build.expression(otherwise)
    )


def _let(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    pattern, value, body = children
    return tree.LetExpression(
        span, build.pattern(pattern), build.expression(value), build.expression(body)
    )


def _let_element(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    certificates, name, update, value, body = children
    target = build.name(name)
    return _update(build, span, target, target, certificates, update, value, body)


def _let_with(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    pattern, array, update, value, body = children
    target, source = build.pattern(pattern), build.expression(array)
    if not isinstance(target, tree.Name):
        raise CogenError("an updated array is bound to a name, not to a pattern", target.span)
    if not isinstance(source, tree.VariableExpression):
        raise CogenError("only a variable can be updated", source.span, "bind it with let first")
    return _update(build, span, target, source.name, None, update, value, body)


def _let_with_certified(
    build: TreeBuilder, span: Span, children: Sequence[Child]
) -> tree.Expression:
    certificates, name, array, update, value, body = children
    source = build.expression(array)
    if not isinstance(source, tree.VariableExpression):
        raise CogenError("only a variable can be updated", source.span, "bind it with let first")
    target = build.name(name)
    return _update(build, span, target, source.name, certificates, update, value, body)


def _update(
    build: TreeBuilder,
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
        build.names(certificates) + build.names(checked),
        build.arguments(indices),
        build.expression(value),
        build.expression(body),
    )


def _loop(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    pattern, initial, index, bound, body, result = children
    variables = build.pattern(pattern)
    start = _as_expression(variables) if initial is None else build.expression(initial)
    return tree.LoopExpression(
        span,
        variables,
        start,
        build.name(index),
        build.expression(bound),
        build.expression(body),
        build.expression(result),
    )


def _field(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    whole, name = children
    return tree.Field(span, build.expression(whole), build.name(name))


def _field_element(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    whole, name, indices = children
    e = build.expression(whole)
    return tree.Field(span, e, build.name(name), build.arguments(indices))


def _given(build: TreeBuilder, parts: Sequence[Child]) -> tuple[tree.Given, ...]:
    found = []
    for part in parts:
        if part is not None:
            name, value = cast("Parsed", part).children
            found.append(tree.Given(build.name(name), build.expression(value)))
    return tuple(found)


def _made(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    name, *fields = children
    return tree.Made(span, build.name(name), _given(build, fields))


def _changed(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    whole, *fields = children
    return tree.Changed(span, build.expression(whole), _given(build, fields))


def _case(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    value, *arms = [child for child in children if child is not None]
    return tree.CaseExpression(
        span, build.expression(value), tuple([_arm(build, arm) for arm in arms])
    )


def _arm(build: TreeBuilder, part: Child) -> tree.Arm:
    part = cast("Parsed", part)
    head, body = cast("Parsed", part.children[0]), build.expression(part.children[1])
    span = build.span(part)
    if head.data == "any_case":
        return tree.Arm(span, None, None, None, body)
    name, *inside = [child for child in head.children if child is not None]
    if head.data == "bare_case":
        return tree.Arm(span, build.name(name), None, None, body)
    if head.data == "case_by_place":
        patterns = tuple([build.pattern(child) for child in inside])
        return tree.Arm(span, build.name(name), None, patterns, body)
    names, found = [], []
    for child in inside:
        field, pattern = cast("Parsed", child).children
        names.append(build.name(field))
        found.append(build.name(field) if pattern is None else build.pattern(pattern))
    return tree.Arm(span, build.name(name), tuple(names), tuple(found), body)


def _form(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    name, operands = str(children[0]), build.arguments(children[1])
    least, most = FORM_OPERANDS[name]
    count = len(operands)
    if count < least or (most is not None and count > most):
        raise CogenError(f"`{name}` does not take {_count(count, 'operand')}", span)
    match name, operands:
        case "size", (array,):
            return tree.SizeExpression(span, 0, array)
        case "size", (dimension, array):
            return tree.SizeExpression(span, _static(dimension, "the dimension"), array)
        case "transpose", (array,):
            return tree.Transpose(span, 0, 1, array)
        case "transpose", (k, n, array):
            return tree.Transpose(
                span, _static(k, "the dimension"), _static(n, "the distance"), array
            )
        case "transpose", _:
            raise CogenError("`transpose` takes an array, or k, n and an array", span)
    return tree.Form(span, name, operands)


def _shaped(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    name, shape, array = str(children[0]), build.arguments(children[1]), children[2]
    if name == "reshape":
        return tree.ReshapeExpression(span, shape, build.expression(array))
    order = tuple([_static(part, "a dimension") for part in shape])
    return tree.RearrangeExpression(span, order, build.expression(array))


def _empty(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    element = build.type(children[0])
    if has_uniqueness(element):
        raise CogenError("the elements of an array are not declared unique", span)
    return tree.Empty(span, element)


def _predicated(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    return tree.Predicated(span, build.names(children[0]), build.expression(children[1]))


def _predicated_soac(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    word, certificates, *operands = children
    return tree.Predicated(span, build.names(certificates), _soac(build, span, [word, *operands]))


def _soac(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    word = str(children[0])
    tupleless = word.endswith("T")
    kind = word.removesuffix("T")
    count = 2 if kind == "redomap" else 1
    functions = [build.operand_function(part) for part in children[1 : 1 + count]]
    operands = [build.expression(part) for part in children[1 + count :] if part is not None]
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
    return tree.SoacExpression(span, kind, tupleless, tuple(functions), initial, tuple(operands))


def _extension(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    return _extended_with(build, span, str(children[0]), (), build.arguments(children[1]))


def _extended(build: TreeBuilder, span: Span, children: Sequence[Child]) -> tree.Expression:
    function = build.operand_function(children[1])
    operands = [build.expression(part) for part in children[2:] if part is not None]
    return _extended_with(build, span, str(children[0]), (function,), tuple(operands))


def _extended_with(
    build: TreeBuilder,
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
    return tree.ExtensionExpression(span, name, functions, operands)


def _as_expression(pattern: tree.Pattern) -> tree.Expression:
    """The variables of a loop's pattern as its initial value."""
    match pattern:
        case tree.Name(span, text):
            return tree.VariableExpression(span, tree.Name(span, text))
        case tree.Wildcard(span):
            raise CogenError("a loop without an initial value names all its variables", span)
        case tree.TuplePattern(span, parts):
            return tree.Tuple(span, tuple([_as_expression(part) for part in parts]))


def _static(e: tree.Expression, what: str) -> int:
    match e:
        case tree.LiteralExpression(value=int(value)) if e.type == INT:
            return value
        case tree.UnaryExpression(
            operator="-", operand=tree.LiteralExpression(value=int(value)) as k
        ) if k.type == INT:
            return -value
    raise CogenError(f"{what} must be an integer literal", e.span)


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


EXPRESSIONS: Final[Mapping[str, Callable[..., tree.Expression]]] = {
    "int": _int,
    "real": _real,
    "constant": _constant,
    "char": _char,
    "string": _string,
    "variable": _variable,
    "tuple": _tuple,
    "array": _array,
    "binary": _binary,
    "unary": _unary,
    "call": _call,
    "index": _index,
    "if": _if,
    "let": _let,
    "let_element": _let_element,
    "let_with": _let_with,
    "let_with_certified": _let_with_certified,
    "loop": _loop,
    "form": _form,
    "shaped": _shaped,
    "empty": _empty,
    "predicated": _predicated,
    "predicated_soac": _predicated_soac,
    "soac": _soac,
    "extension": _extension,
    "extended": _extended,
    "field": _field,
    "field_element": _field_element,
    "made": _made,
    "changed": _changed,
    "case": _case,
}
