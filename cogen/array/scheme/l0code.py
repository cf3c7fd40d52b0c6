"""L0 code in the making: bindings in order, names, and expressions of values."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from cogen.array.l0 import tree
from cogen.array.l0.extensions import WITH_FUNCTION, WITHOUT_FUNCTION
from cogen.array.l0.grammar import RESERVED
from cogen.array.l0.signatures import BUILTIN_TYPES
from cogen.array.l0.types import REAL, STRING, ArrayType, TupleType, Type, UnionType, plain
from cogen.array.scheme.symbolicvalues import (
    KnownSymbol,
    SymbolicConstant,
    SymbolicName,
    SymbolicNumber,
    SymbolicParts,
    Untyped,
    Value,
    constant,
    kind_of_type,
)
from cogen.array.scheme.typetext import show
from cogen.array.scheme.unions import as_union, is_part, meeting, widened
from cogen.lang.datum import UNSPECIFIED
from cogen.lang.errors import CogenError, LimitationError, Span
from cogen.lang.primtable.checks import brief

Frame = Callable[[tree.Expression], tree.Expression]
"""A binding: given what follows, the whole."""

TYPE_HINT: Final = (
    "declare it: (define-array (f (x (array float)) ...) ...), (array-typed '(array float) x), "
    "or a binding time (dynamic (array float))"
)


class Names:
    """The names of a program, each given once."""

    def __init__(self) -> None:
        self.taken = {*RESERVED, *BUILTIN_TYPES, *WITH_FUNCTION, *WITHOUT_FUNCTION}
        self._counts: dict[str, int] = {}
        """Up to which number the names that begin alike are taken."""

    def back_to(self, taken: set[str]) -> None:
        """Let no more names than these be taken."""
        self.taken = taken
        self._counts = {}

    def fresh(self, hint: str) -> str:
        """A name that people recognise: that of the source, as far as L0 can spell it."""
        base = re.sub(r"[^A-Za-z0-9]+", "_", re.sub(r"-\d+$", "", hint)).strip("_")
        if not re.match(r"[A-Za-z]", base):
            base = f"x{base}" if base else "x"
        count = self._counts.get(base, 0)
        name = f"{base}_{count}" if count else base
        while name in self.taken:
            count += 1
            name = f"{base}_{count}"
        self._counts[base] = count
        self.taken.add(name)
        return name


@dataclass(slots=True, eq=False, repr=False)
class Code:
    """A sequence of bindings; `constants` are those of the function that it belongs to, `current`
    says what a value has become."""

    names: Names
    span: Span
    constants: dict[int, tuple[Value, Frame]]
    current: Callable[[Value, Span], Value] = lambda value, span: value
    frames: list[Frame] = field(default_factory=list, init=False)

    def within(self) -> Code:
        """Code of a function in this code."""
        return Code(self.names, self.span, self.constants, self.current)

    def close(self, e: tree.Expression) -> tree.Expression:
        """The expression under all bindings."""
        for frame in reversed(self.frames):
            e = frame(e)
        return e

    # -- binding -------------------------------------------------------------------------------

    def pattern(self, hint: str, t: Type, span: Span) -> tuple[tree.Pattern, Value]:
        """A pattern that takes a value of the type apart, and its names."""
        if isinstance(t, TupleType):
            found = [self.pattern(hint, part, span) for part in t.parts]
            parts = tuple([pattern for pattern, _ in found])
            whole = SymbolicParts(tuple([v for _, v in found]), kind_of_type(t))
            return tree.TuplePattern(span, parts), whole
        text = self.names.fresh(hint)
        return tree.Name(span, text), SymbolicName(text, t)

    def let(self, hint: str, e: tree.Expression, t: Type) -> Value:
        """Bind a value to a name, or to names for its parts."""
        pattern, value = self.pattern(hint, t, e.span)
        self.frames.append(lambda rest: tree.LetExpression(e.span, pattern, e, rest))
        return value

    def require(self, condition: tree.Expression, says: Sequence[tree.Expression] = ()) -> None:
        """Fail here unless the condition holds; what is said then are texts and numbers."""
        self.follow(tree.Form(condition.span, "assert", (condition, *says)))

    def follow(self, check: tree.Expression) -> None:
        """Let what comes here need a certificate."""
        certificate = tree.Name(check.span, self.names.fresh("checked"))

        def frame(rest: tree.Expression) -> tree.Expression:
            used = (tree.Name(check.span, certificate.text),)
            body = tree.Predicated(rest.span, used, rest)
            return tree.LetExpression(check.span, certificate, check, body)

        self.frames.append(frame)

    # -- expressions of values -----------------------------------------------------------------

    def expression(
        self, value: Value, span: Span, expected: Type | None = None
    ) -> tuple[tree.Expression, Type]:
        """A new expression of a value as it is now, and its type; `expected` says that of an empty
        array."""
        value = self.current(value, span)
        match value:
            case SymbolicName(text, t):
                return tree.VariableExpression(span, tree.Name(span, text)), t
            case SymbolicNumber(number, t):
                return _number(number, t, span), t
            case SymbolicParts(parts, kind):
                if isinstance(expected, UnionType) and is_part(kind, expected):
                    one = as_union(self, value, expected, span)
                    parts, kind = one.parts, one.record
                wanted: tuple[Type | None, ...] = (None,) * len(parts)
                if isinstance(expected, TupleType) and len(expected.parts) == len(parts):
                    wanted = expected.parts
                pairs = zip(parts, wanted, strict=True)
                found = [self.expression(part, span, t) for part, t in pairs]
                types = tuple([t for _, t in found])
                made = TupleType(types) if kind is None else kind.of(types)
                return tree.Tuple(span, tuple([e for e, _ in found])), made
            case SymbolicConstant(list() as items):
                return self.array(items, span, expected)
            case SymbolicConstant(str() as letters):
                return tree.StringLiteral(span, letters), STRING
            case SymbolicConstant(datum):
                shown = "no value" if datum is UNSPECIFIED else brief(datum)
                raise LimitationError(
                    f"an array program has no data like this: {shown}", span,
                    "it has numbers, booleans, characters, tuples and arrays",
                )  # fmt: skip
            case Untyped(name, _):
                raise CogenError(
                    f"the type of the parameter `{name}` is not known", span, TYPE_HINT
                )
        what = f"`{value.name}`" if isinstance(value, KnownSymbol) else "a procedure"
        raise LimitationError(
            f"an array program cannot use {what} as a value", span,
            "procedures are called, or given to array-map, array-reduce and their like",
        )  # fmt: skip

    def array(
        self, items: list[object], span: Span, expected: Type | None
    ) -> tuple[tree.Expression, Type]:
        """A constant array: bound once, at the head of the function."""
        if not items:
            if not isinstance(expected, ArrayType):
                raise CogenError(
                    "the type of an empty array is not known", span, "(array-typed 'TYPE (array))"
                )
            return tree.Empty(span, plain(expected.element)), expected
        found = self.constants.get(id(items))
        if found is None:
            e, t = self.elements([constant(item) for item in items], span)
            text = self.names.fresh("constants")

            def frame(rest: tree.Expression) -> tree.Expression:
                return tree.LetExpression(span, tree.Name(span, text), e, rest)

            found = self.constants[id(items)] = (SymbolicName(text, t), frame)
        return self.expression(found[0], span)

    def elements(self, values: list[Value], span: Span) -> tuple[tree.Expression, Type]:
        """An array literal of at least one element."""
        found: list[tuple[tree.Expression, Type]] = []
        for value in values:
            if (
                isinstance(value, SymbolicConstant)
                and isinstance(value.datum, list)
                and value.datum
            ):
                found.append(self.elements([constant(item) for item in value.datum], span))
            else:
                found.append(self.expression(value, span, found[0][1] if found else None))
        types = [t for _, t in found]
        whole = _meeting_of_all(types)
        if whole is not None and any(t != whole for t in types):
            parts = [widened(self, value, whole, span) for value in values]
            found = [self.expression(part, span) for part in parts]
            types = [whole] * len(found)
        for t in types:
            if t != types[0]:
                raise CogenError(
                    f"the elements of an array must have one type, but here are {show(types[0])} "
                    f"and {show(t)}",
                    span,
                    "write 1.0 for the float 1" if {show(types[0]), show(t)} == {"int", "float"}
                    else None,
                )  # fmt: skip
        return tree.ArrayExpression(span, tuple([e for e, _ in found])), ArrayType(types[0])

    def type(self, value: Value, span: Span) -> Type:
        """The type of a value."""
        return self.expression(value, span)[1]


def _meeting_of_all(types: Sequence[Type]) -> Type | None:
    """The type of what is of any of these types; None if there is none."""
    whole: Type | None = types[0]
    for t in types[1:]:
        whole = None if whole is None else meeting(whole, t)
    return whole


def _number(number: int | float | bool | str, t: Type, span: Span) -> tree.Expression:
    """A constant; L0 writes negative numbers with a sign, and infinities as divisions."""
    if t != REAL or not isinstance(number, float):
        if isinstance(number, int) and not isinstance(number, bool) and number < 0:
            return tree.UnaryExpression(span, "-", tree.LiteralExpression(span, -number, t))
        return tree.LiteralExpression(span, number, t)
    if math.isfinite(number):
        if math.copysign(1.0, number) < 0:
            return tree.UnaryExpression(span, "-", tree.LiteralExpression(span, -number, t))
        return tree.LiteralExpression(span, number, t)
    over = 0.0 if math.isnan(number) else math.copysign(1.0, number)
    return tree.BinaryExpression(
        span, "/", _number(over, REAL, span), tree.LiteralExpression(span, 0.0, REAL)
    )  # fmt: skip
