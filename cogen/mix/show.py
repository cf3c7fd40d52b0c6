"""The small language (`subset.py`) -> text that is a program of the language, and its size."""

from __future__ import annotations

from typing import Final

from cogen.mix.operations import PRIMITIVES
from lang.datum import NIL, UNSPECIFIED, Char, Datum, Pair, Symbol, iterate
from lang.deep import on_deep_stack
from lang.pretty import Form, Tree, pretty
from lang.printer import write_datum, write_symbol

_PLAIN: Final = (bool, int, float, str, Char)
"""Constants that need no quote."""


RESERVED: Final = frozenset(
    [*PRIMITIVES, "error", "lift", "quote", "if", "let", "let*", "lambda", "cond", "else", "define"]
)
"""Words of the text; variables and procedures of these names are written with a % behind."""


def show(program: Datum) -> str:
    """The text of a program, ready to be loaded; it ends with a line break."""
    return on_deep_stack(_show, program)


def _show(program: Datum) -> str:
    return "\n\n".join(pretty(_definition(item)) for item in iterate(program)) + "\n"


def pairs(datum: Datum) -> int:
    """The size of a datum in pairs, shared ones counted as often as they occur."""
    count = 0
    work = [datum]
    while work:
        item = work.pop()
        while isinstance(item, Pair):
            count += 1
            work.append(item.car)
            item = item.cdr
    return count


def _definition(definition: Datum) -> Tree:
    name, variables, body = iterate(definition)
    return Form(["define", Form([_name(name), *map(_name, iterate(variables))]), _expr(body)])


def name_in_text(name: str) -> str:
    """What a procedure or variable of that name is called in the text."""
    return f"{name}%" if name in RESERVED else name


def _name(symbol: Symbol) -> str:
    return write_symbol(name_in_text(symbol.name))


def _expr(expr: Datum) -> Tree:
    tag, *parts = iterate(expr)
    match tag.name, parts:
        case "var", [name]:
            return _name(name)
        case "quote", [datum]:
            return _constant(datum)
        case "if", _:
            return _if(expr)
        case "let", _:
            return _let(expr)
        case "lambda", [variables, body]:
            return Form(["lambda", Form([*map(_name, iterate(variables))]), _expr(body)])
        case "prim", [name, *arguments]:
            return Form([write_symbol(name.name), *map(_expr, arguments)])
        case "call", [name, *arguments]:
            return Form([_name(name), *map(_expr, arguments)])
        case "app", _:
            return Form([*map(_expr, parts)])
        case "lift", [operand]:
            return Form(["lift", _expr(operand)])
    raise ValueError(f"no form of the small language: {write_datum(expr)}")


def _constant(datum: Datum) -> Tree:
    if datum is UNSPECIFIED:
        return Form(["if", "#f", "#f"])
    if isinstance(datum, _PLAIN):
        return write_datum(datum)
    if isinstance(datum, Pair) and _holds_unspecified(datum):
        return Form(["cons", _constant(datum.car), _constant(datum.cdr)])
    return f"'{write_datum(datum)}"


def _holds_unspecified(datum: Datum) -> bool:
    """Whether a list structure has a part that cannot be written."""
    work = [datum]
    while work:
        item = work.pop()
        if item is UNSPECIFIED:
            return True
        if isinstance(item, Pair):
            work += (item.car, item.cdr)
    return False


def _if(expr: Datum) -> Tree:
    """`(if a b (if c d e))` is shown as a `cond`."""
    clauses: list[tuple[Datum, Datum]] = []
    while _tag(expr) == "if":
        _, test, then, expr = iterate(expr)
        clauses.append((test, then))
    if len(clauses) == 1:
        test, then = clauses[0]
        return Form(["if", _expr(test), _expr(then), _expr(expr)])
    shown = [Form([_expr(test), _expr(then)]) for test, then in clauses]
    return Form(["cond", *shown, Form(["else", _expr(expr)])])


def _let(expr: Datum) -> Tree:
    """Bindings one in another are shown as one `let*`."""
    bindings: list[Tree] = []
    while _tag(expr) == "let":
        _, variable, value, expr = iterate(expr)
        bindings.append(Form([_name(variable), _expr(value)]))
    return Form(["let" if len(bindings) == 1 else "let*", Form(bindings), _expr(expr)])


def _tag(expr: Datum) -> str:
    return expr.car.name if expr is not NIL else ""
