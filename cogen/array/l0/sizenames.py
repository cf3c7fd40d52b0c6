"""Sizes that a function's head names -> lets and checks in its body.

    fun [n]real row([n][m]real a, [m]real w) = e
    ->  fun [real] row([[real]] a, [real] w) =
          let m = size(0, w) in
          let n = size(0, a) in
          let c = assert(n <= 0 || size(1, a) = m, "...", size(1, a), m) in
          <c>let r = e in let d = assert(size(0, r) = n, "...", size(0, r), n) in <d>r

A name stands for one size wherever it stands in the head, and for an int in the body.  It is taken
from where it is an outermost size, if it is one anywhere; a parameter of that name says the size
itself.  Sizes below one of 0 are not compared, as nowhere in L0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cogen.array.l0 import tree
from cogen.array.l0.types import INT
from cogen.lang.errors import CogenError, Span


@dataclass(frozen=True, slots=True)
class NamedSize:
    """Size `dimension` of an array as the head says it: a name or a number."""

    array: str
    dimension: int
    text: str
    span: Span


def with_sizes(
    function: tree.FunctionDefinition, sizes: Sequence[NamedSize], result: Sequence[NamedSize]
) -> tree.FunctionDefinition:
    """The function that names its sizes, and checks them; CogenError for a name of the result that
    no parameter has."""
    return replace(function, body=_Sizes(function, sizes).body(result))


class _Sizes:
    def __init__(self, function: tree.FunctionDefinition, sizes: Sequence[NamedSize]) -> None:
        self.function = function
        self.given = {p.name.text for p in function.parameters if p.type == INT}
        self.bound: dict[str, NamedSize] = {}
        for size in sorted(sizes, key=lambda size: size.dimension):
            if not size.text.isdigit() and size.text not in self.given:
                self.bound.setdefault(size.text, size)
        self.sizes = sizes
        self.taken = {p.name.text for p in function.parameters} | set(self.bound)
        for name in self.bound:
            if any(name == p.name.text for p in function.parameters):
                raise CogenError(
                    f"`{name}` is a size here, and a parameter that is no int",
                    self.bound[name].span,
                )

    def fresh(self, hint: str) -> str:
        count = 0
        name = hint
        while name in self.taken:
            count += 1
            name = f"{hint}_{count}"
        self.taken.add(name)
        return name

    def body(self, result: Sequence[NamedSize]) -> tree.Expression:
        checks = [size for size in self.sizes if self.bound.get(size.text) is not size]
        e = self.function.body
        if result:
            e = self._given(e, result)
        e = self._checked(e, checks)
        for name, size in reversed(self.bound.items()):
            e = tree.LetExpression(
                size.span, tree.Name(size.span, name), _size(size, size.dimension), e
            )
        return e

    def _given(self, e: tree.Expression, result: Sequence[NamedSize]) -> tree.Expression:
        """The body, with the sizes of what it gives checked."""
        for size in result:
            if (
                not size.text.isdigit()
                and size.text not in self.bound
                and size.text not in self.given
            ):
                raise CogenError(
                    f"no parameter has the size `{size.text}`", size.span,
                    "name it in the type of a parameter, or leave it out: [real]",
                )  # fmt: skip
        name = self.fresh("result")
        sizes = [replace(size, array=name) for size in result]
        whole = tree.VariableExpression(e.span, tree.Name(e.span, name))
        return tree.LetExpression(e.span, tree.Name(e.span, name), e, self._checked(whole, sizes))

    def _checked(self, e: tree.Expression, sizes: Sequence[NamedSize]) -> tree.Expression:
        """The expression where some sizes are what they are said to be."""
        names = []
        frames = []
        for size in sizes:
            name = self.fresh(f"checked_{size.array}")
            names.append(tree.Name(size.span, name))
            frames.append((size.span, tree.Name(size.span, name), self._check(size)))
        if names:
            e = tree.Predicated(e.span, tuple(names), e)
        for span, bound, check in reversed(frames):
            e = tree.LetExpression(span, bound, check, e)
        return e

    def _check(self, size: NamedSize) -> tree.Expression:
        span = size.span
        holds: tree.Expression = tree.BinaryExpression(
            span, "=", _size(size, size.dimension), self._wanted(size)
        )
        for outer in range(size.dimension):
            none = tree.BinaryExpression(
                span, "<=", _size(size, outer), tree.LiteralExpression(span, 0, INT)
            )
            holds = tree.BinaryExpression(span, "||", none, holds)
        given = any(size.array == p.name.text for p in self.function.parameters)
        what = f"`{size.array}`" if given else "the result"
        text = f"a size of {what} is not {size.text}:"
        says = tree.StringLiteral(span, text)
        found = _size(size, size.dimension)
        return tree.Form(span, "assert", (holds, says, found, self._wanted(size)))

    def _wanted(self, size: NamedSize) -> tree.Expression:
        if size.text.isdigit():
            return tree.LiteralExpression(size.span, int(size.text), INT)
        return tree.VariableExpression(size.span, tree.Name(size.span, size.text))


def _size(size: NamedSize, dimension: int) -> tree.Expression:
    array = tree.VariableExpression(size.span, tree.Name(size.span, size.array))
    return tree.SizeExpression(size.span, dimension, array)
