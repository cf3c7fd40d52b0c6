"""Calls of operations on strings -> core, in programs that change strings.

Strings are immutable, and operations on them functions of their characters, unless a program
mentions one of `CHANGING`.  There, operations that make strings make new ones that can be changed,
and operations that look at characters look at those of the moment:

    (string-append a b)  =>  (%fresh-string (string-append (%string-content "string-append" a)
                                                           (%string-content "string-append" b)))

So what is done to strings is in order where it must be, and all other programs pay nothing.
Literals, names of symbols, and what comes from outside stay constants.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from cogen.lang import core
from cogen.lang.core import Expr, LocalVariable
from cogen.lang.errors import Source, Span
from cogen.lang.prims import PRIMITIVES

if TYPE_CHECKING:
    from cogen.lang.expander import Expander

CHANGING: Final = ("string-set!", "string-fill!", "string-copy!")
"""A program in whose text one of these occurs may change strings."""

_CONVERTED: Final = ("%string-content", "%fresh-string", "%string-ref")
"""A residual program says itself what is new and what is looked at."""

LOOKING: Final = frozenset(
    row.name
    for row in PRIMITIVES.values()
    if "string" in row.arguments
    and row.effect in ("pure", "alloc")
    and row.name not in ("string-length", "string-ref", "%copy-called")
)
"""Operations that look at the characters of strings."""

MAKING: Final = frozenset(
    row.name
    for row in PRIMITIVES.values()
    if row.result == "string" and row.name not in ("symbol->string", *_CONVERTED)
)
"""Operations that make strings."""

READING: Final = frozenset({"read-line", "read-string"})
"""Operations that make strings, or give the end of file."""


def changes_strings(texts: Iterable[Source]) -> bool:
    """Whether a program of these texts may change strings, and does not say itself how."""
    found = [text.text for text in texts]
    if any(name in text for text in found for name in _CONVERTED):
        return False
    return any(name in text for text in found for name in CHANGING)


def concerns(name: str) -> bool:
    """Whether an operation means something else in a program that changes strings."""
    return name == "string-ref" or name in LOOKING or name in MAKING or name in READING


def call(name: str, arguments: Sequence[Expr], span: Span) -> Expr:
    """A call of an operation that is concerned."""
    if name == "string-ref":
        return core.CallForm(core.PrimRef("%string-ref", span), tuple(arguments), span)
    bindings: list[tuple[LocalVariable, Expr]] = []
    given = list(arguments)
    if name in LOOKING:
        types = PRIMITIVES[name].arguments
        are_strings = [types[min(i, len(types) - 1)] == "string" for i in range(len(given))]
        found = [_named(a, s, bindings) for a, s in zip(given, are_strings, strict=True)]
        given = [_content(name, a, span) if changes else a for a, changes in found]
    made = _new(name, core.CallForm(core.PrimRef(name, span), tuple(given), span), span)
    for variable, value in reversed(bindings):
        made = core.LetForm(((variable, value),), made, span)
    return made


def procedure(x: Expander, name: str, span: Span) -> Expr:
    """An operation that is concerned, as a value."""
    least, most = PRIMITIVES[name].source_arity
    if least == most:
        parameters = tuple(LocalVariable("x") for _ in range(least))
        given = [core.LocalRef(parameter, span) for parameter in parameters]
        return core.LambdaForm(parameters, None, call(name, given, span), name, span)
    return _of_any_number(x, name, span)


def _of_any_number(x: Expander, name: str, span: Span) -> Expr:
    arguments = LocalVariable("arguments")
    given: Expr = core.LocalRef(arguments, span)
    if name in LOOKING:
        given = x.call_standard("%string-contents", [core.ConstForm(name, span), given], span)
    done = x.call_standard("apply", [core.PrimRef(name, span), given], span)
    return core.LambdaForm((), arguments, _new(name, done, span), name, span)


def _named(
    argument: Expr, is_string: bool, bindings: list[tuple[LocalVariable, Expr]]
) -> tuple[Expr, bool]:
    """What stands for an argument, and whether it may be a string that changes: all arguments are
    evaluated before a string is looked at.  A new one that nobody else has need not be made."""
    if isinstance(argument, core.ConstForm):
        return argument, is_string and type(argument.value) is not str
    if isinstance(argument, core.LocalRef) and not argument.variable.assigned:
        return argument, is_string
    constant = _constant(argument) if is_string else None
    variable = LocalVariable("s")
    bindings.append((variable, argument if constant is None else constant))
    return core.LocalRef(variable, argument.span), is_string and constant is None


def _constant(made: Expr) -> Expr | None:
    """What gives the characters of a new string, where an expression makes one."""
    if isinstance(made, core.LetForm):
        body = _constant(made.body)
        return None if body is None else core.LetForm(made.bindings, body, made.span)
    if isinstance(made, core.CallForm) and isinstance(made.function, core.PrimRef):
        return made.arguments[0] if made.function.name == "%fresh-string" else None
    return None


def _content(name: str, argument: Expr, span: Span) -> Expr:
    function = core.PrimRef("%string-content", span)
    return core.CallForm(function, (core.ConstForm(name, span), argument), span)


def _new(name: str, made: Expr, span: Span) -> Expr:
    function = core.PrimRef("%fresh-string", span)
    if name in MAKING:
        return core.CallForm(function, (made,), span)
    if name in READING:
        line = LocalVariable("line")
        read = core.LocalRef(line, span)
        is_string = core.CallForm(core.PrimRef("string?", span), (read,), span)
        fresh = core.CallForm(function, (read,), span)
        return core.LetForm(((line, made),), core.IfForm(is_string, fresh, read, span), span)
    return made
