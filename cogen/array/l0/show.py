"""Tree -> text: the program as L0 writes it.

Law: parsing the text gives the tree again, places apart, and names apart that L0 cannot spell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from cogen.array.l0 import tree
from cogen.array.l0.literals import escape
from cogen.array.l0.types import (
    BOOL,
    CERT,
    CHAR,
    REAL,
    Declared,
    NamedTupleType,
    plain,
    show_case,
    show_type,
)
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import InternalError

WIDTH: Final = 88
"""Expressions that are longer are broken."""

STEP: Final = "  "

_LEVELS: Final = {op: level for level, group in enumerate(tree.BINARY) for op in group}
_SUM: Final = _LEVELS["+"]
_TIGHT: Final = len(tree.BINARY)
_ATOM: Final = _TIGHT + 1
_OPEN: Final = -1
"""The level of what ends with an expression of its own: it stands alone or in parentheses."""


def show(program: tree.L0Program) -> str:
    """The text of a program, a blank line between functions."""
    declared = "".join([f"{show_declaration(d.type)}\n" for d in program.declarations])
    functions = [on_deep_stack(show_function, f, bool(declared)) for f in program.functions]
    functions += [on_deep_stack(_law, law) for law in program.laws]
    return "\n".join([declared, *functions] if declared else functions)


def _law(law: tree.Law) -> str:
    return f"law {_text(law.pattern, 0)} = {_text(law.body, 1)}\n"


def show_declaration(t: Declared) -> str:
    """The text of a declaration."""
    if isinstance(t, NamedTupleType):
        return f"record {show_case(t.cases[0])}"
    return f"union {t.name} = {' | '.join(map(show_case, t.cases))}"


def show_function(function: tree.FunctionDefinition, names: bool = True) -> str:
    """The text of a function, with the end of its last line; without `names`, tuples stand for
    records and unions in its types."""
    name, result = function.name.text, function.declared
    parameters = ", ".join(
        [
            f"{show_type(p.declared if names else plain(p.declared))} {p.name.text}"
            for p in function.parameters
        ]
    )
    head = f"fun {show_type(result if names else plain(result))} {name}({parameters}) ="
    body = show_expression(function.body, 1)
    if "\n" not in body and len(head) + len(body) < WIDTH:
        return f"{head} {body}\n"
    return f"{head}\n{STEP}{body}\n"


def show_expression(e: tree.Expression, depth: int = 0) -> str:
    """The text of an expression; lines after its first are indented so many steps."""
    return _text(e, depth)


def _parameters(parameters: Sequence[tree.Parameter]) -> str:
    return ", ".join([f"{show_type(p.declared)} {p.name.text}" for p in parameters])


def _text(e: tree.Expression, depth: int) -> str:
    return _SHOW[type(e)](e, depth)


def _level(e: tree.Expression) -> int:
    """How tightly an expression's parts hold together."""
    match e:
        case tree.BinaryExpression():
            return _LEVELS[e.operator]
        case tree.UnaryExpression():
            return _SUM if e.operator == "-" else _TIGHT
        case tree.IfExpression() | tree.LetExpression() | tree.LetWith() | tree.LoopExpression():
            return _OPEN
        case _:
            return _ATOM


def _at(e: tree.Expression, least: int, depth: int) -> str:
    """An operand that must hold together so tightly."""
    text = _text(e, depth)
    return text if _level(e) >= least else f"({text})"


def _listed(parts: Sequence[tree.Expression], depth: int) -> str:
    return ", ".join([_text(part, depth) for part in parts])


def _line(depth: int) -> str:
    return "\n" + STEP * depth


def _literal(e: tree.LiteralExpression, depth: int) -> str:
    if e.type == BOOL:
        return "True" if e.value else "False"
    if e.type == CERT:
        return "Checked"
    if e.type == CHAR:
        return escape(str(e.value), "'")
    return real_text(float(e.value)) if e.type == REAL else str(e.value)


def real_text(x: float) -> str:
    """A finite real that is not negative, with all digits that it needs."""
    text = repr(x)
    if "." in text or "e" not in text:
        return text
    digits, _, exponent = text.partition("e")
    return f"{digits}.0e{exponent}"


def _string(e: tree.StringLiteral, depth: int) -> str:
    return escape(e.value, '"')


def _variable(e: tree.VariableExpression, depth: int) -> str:
    return e.name.text


def _tuple(e: tree.Tuple, depth: int) -> str:
    return "{" + _listed(e.parts, depth) + "}"


def _array(e: tree.ArrayExpression, depth: int) -> str:
    return "[" + _listed(e.elements, depth) + "]"


def _binary(e: tree.BinaryExpression, depth: int) -> str:
    level = _LEVELS[e.operator]
    return f"{_at(e.left, level, depth)} {e.operator} {_at(e.right, level + 1, depth)}"


def _unary(e: tree.UnaryExpression, depth: int) -> str:
    if e.operator == "-":
        return f"-{_at(e.operand, _TIGHT, depth)}"
    space = " " if e.operator == "not" else ""
    return f"{e.operator}{space}{_at(e.operand, _TIGHT, depth)}"


def _if(e: tree.IfExpression, depth: int) -> str:
    parts = [_text(part, depth + 1) for part in (e.condition, e.then, e.otherwise)]
    whole = f"if {parts[0]} then {parts[1]} else {parts[2]}"
    if "\n" not in whole and len(whole) + depth * len(STEP) < WIDTH:
        return whole
    inner = _line(depth + 1)
    last = _text(e.otherwise, depth) if isinstance(e.otherwise, tree.IfExpression) else None
    otherwise = f"else {last}" if last is not None else f"else{inner}{parts[2]}"
    return f"if {parts[0]} then{inner}{parts[1]}{_line(depth)}{otherwise}"


def _call(e: tree.CallExpression, depth: int) -> str:
    return f"{e.function.text}({_listed(e.arguments, depth)})"


def _certified(certificates: Sequence[tree.Name]) -> str:
    return "<" + ", ".join([name.text for name in certificates]) + ">"


def _subscript(
    certificates: Sequence[tree.Name], indices: Sequence[tree.Expression], depth: int
) -> str:
    checked = f"{_certified(certificates)}|" if certificates else ""
    return f"[{checked}{_listed(indices, depth)}]"


def _index(e: tree.IndexExpression, depth: int) -> str:
    return e.array.text + _subscript(e.certificates, e.indices, depth)


def _pattern(pattern: tree.Pattern) -> str:
    match pattern:
        case tree.Name(text=text):
            return text
        case tree.Wildcard():
            return "_"
        case tree.TuplePattern(parts=parts):
            return "{" + ", ".join(map(_pattern, parts)) + "}"


def _bound(head: str, value: tree.Expression, depth: int) -> str:
    """A binding's head and its value, on the next line if it is long or has bindings."""
    text = _text(value, depth)
    if _level(value) == _OPEN and "\n" in text:
        text = _line(depth + 1) + _text(value, depth + 1)
        return f"{head}{text}{_line(depth)}in"
    return f"{head} {text} in"


def _let(e: tree.LetExpression, depth: int) -> str:
    head = _bound(f"let {_pattern(e.pattern)} =", e.value, depth)
    return head + _line(depth) + _text(e.body, depth)


def _let_with(e: tree.LetWith, depth: int) -> str:
    place = _subscript((), e.indices, depth)
    checked = f"{_certified(e.certificates)}" if e.certificates else ""
    value = _at(e.value, 0, depth)
    if e.target.text == e.source.text:
        head = f"let {checked}{e.target.text}{place} = {value} in"
    else:
        head = f"let {checked}{e.target.text} = {e.source.text} with {place} <- {value} in"
    return head + _line(depth) + _text(e.body, depth)


def _loop(e: tree.LoopExpression, depth: int) -> str:
    initial = _text(e.initial, depth + 1)
    head = f"loop ({_pattern(e.pattern)} = {initial}) ="
    bound = _at(e.bound, 0, depth + 1)
    body = _text(e.body, depth + 2)
    inner = _line(depth + 1)
    whole = f"{head}{inner}for {e.index.text} < {bound} do{_line(depth + 2)}{body}{_line(depth)}in"
    return whole + _line(depth) + _text(e.result, depth)


def _form(e: tree.Form, depth: int) -> str:
    return f"{e.name}({_listed(e.operands, depth)})"


def _size(e: tree.SizeExpression, depth: int) -> str:
    return f"size({e.dimension}, {_text(e.array, depth)})"


def _reshape(e: tree.ReshapeExpression, depth: int) -> str:
    return f"reshape(({_listed(e.shape, depth)}), {_text(e.array, depth)})"


def _transpose(e: tree.Transpose, depth: int) -> str:
    moved = "" if (e.dimension, e.distance) == (0, 1) else f"{e.dimension}, {e.distance}, "
    return f"transpose({moved}{_text(e.array, depth)})"


def _rearrange(e: tree.RearrangeExpression, depth: int) -> str:
    order = ", ".join(map(str, e.order))
    return f"rearrange(({order}), {_text(e.array, depth)})"


def _empty(e: tree.Empty, depth: int) -> str:
    return f"empty({show_type(e.element)})"


def _predicated(e: tree.Predicated, depth: int) -> str:
    body = _text(e.body, depth)
    if _level(e.body) == _ATOM:
        return f"{_certified(e.certificates)}{body}"
    return f"{_certified(e.certificates)}({body})"


def _field(e: tree.Field, depth: int) -> str:
    subscript = _subscript((), e.indices, depth) if e.indices else ""
    return f"{_at(e.whole, _ATOM, depth)}.{e.name.text}{subscript}"


def _given(fields: Sequence[tree.Given], depth: int) -> str:
    return ", ".join([f"{given.name.text} = {_text(given.value, depth)}" for given in fields])


def _made(e: tree.Made, depth: int) -> str:
    return f"{e.name.text}{{{_given(e.fields, depth)}}}"


def _changed(e: tree.Changed, depth: int) -> str:
    return f"{{{_at(e.whole, 0, depth)} with {_given(e.fields, depth)}}}"


def _case(e: tree.CaseExpression, depth: int) -> str:
    line = _line(depth + 1)
    arms = [f"{_arm(arm)} => {_text(arm.body, depth + 2)}" for arm in e.arms]
    return f"case {_text(e.value, depth)} of {{{line}{(',' + line).join(arms)}{_line(depth)}}}"


def _arm(arm: tree.Arm) -> str:
    if arm.name is None:
        return "_"
    if arm.patterns is None:
        return arm.name.text
    patterns = list(map(_pattern, arm.patterns))
    if arm.names is None:
        return f"{arm.name.text}({', '.join(patterns)})"
    named = [f"{n.text} = {p}" for n, p in zip(arm.names, patterns, strict=True)]
    return f"{arm.name.text}{{{', '.join(named)}}}"


def _function(f: tree.Function, depth: int) -> str:
    match f:
        case tree.LambdaExpression():
            head = f"fn {show_type(f.result)} ({_parameters(f.parameters)}) =>"
            body = _text(f.body, depth + 1)
            if "\n" in body or len(head) + len(body) + depth * len(STEP) > WIDTH:
                return head + _line(depth + 1) + body
            return f"{head} {body}"
        case tree.Named():
            given = f"({_listed(f.arguments, depth)})" if f.arguments else ""
            return f.name.text + given
        case tree.Section():
            given = f" ({_listed(f.arguments, depth)})" if f.arguments else ""
            return f"op {f.operator}{given}"
    raise InternalError(f"no function: {f!r}")


def _soac(e: tree.SoacExpression, depth: int) -> str:
    initial = () if e.initial is None else (e.initial,)
    return _applied(e.name, e.functions, (*initial, *e.arrays), depth)


def _extension(e: tree.ExtensionExpression, depth: int) -> str:
    return _applied(e.name, e.functions, e.operands, depth)


def _applied(
    name: str, functions: Sequence[tree.Function], operands: Sequence[tree.Expression], depth: int
) -> str:
    """A word with functions and operands, each on a line of its own if they are long."""

    def parts(depth: int) -> list[str]:
        return [*(_function(f, depth) for f in functions), *(_text(e, depth) for e in operands)]

    whole = f"{name}({', '.join(parts(depth))})"
    if "\n" not in whole and len(whole) + depth * len(STEP) < WIDTH:
        return whole
    return f"{name}({_line(depth + 1)}{(',' + _line(depth + 1)).join(parts(depth + 1))})"


_SHOW: Final[dict[type, Callable[..., str]]] = {
    tree.LiteralExpression: _literal,
    tree.StringLiteral: _string,
    tree.VariableExpression: _variable,
    tree.Tuple: _tuple,
    tree.ArrayExpression: _array,
    tree.BinaryExpression: _binary,
    tree.UnaryExpression: _unary,
    tree.IfExpression: _if,
    tree.CallExpression: _call,
    tree.IndexExpression: _index,
    tree.LetExpression: _let,
    tree.LetWith: _let_with,
    tree.LoopExpression: _loop,
    tree.Form: _form,
    tree.SizeExpression: _size,
    tree.ReshapeExpression: _reshape,
    tree.Transpose: _transpose,
    tree.RearrangeExpression: _rearrange,
    tree.Empty: _empty,
    tree.Predicated: _predicated,
    tree.SoacExpression: _soac,
    tree.ExtensionExpression: _extension,
    tree.Field: _field,
    tree.Made: _made,
    tree.Changed: _changed,
    tree.CaseExpression: _case,
}
