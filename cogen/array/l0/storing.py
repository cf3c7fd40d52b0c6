"""A body whose result is declared packed -> one whose values fit there: tree -> tree.

    fun [packed "u8"] f([int] a) = map(g, a)     has the body     store("u8", map(g, a), "check")

What says itself how values are stored (`store`) stays as it is.
"""

from __future__ import annotations

from cogen.array.l0 import tree
from cogen.array.l0.types import TupleType, Type, has_packed, packed_layout

STORE = "store"
"""The word of the extension that makes values fit a layout."""


def storing(e: tree.Expression, t: Type) -> tree.Expression:
    """An expression whose value fits a declared type."""
    if not has_packed(t):
        return e
    span = e.span
    match e:
        case tree.LetExpression(pattern=pattern, value=value, body=body):
            return tree.LetExpression(span, pattern, value, storing(body, t))
        case tree.LetWith(target=a, source=b, certificates=certs, indices=i, value=v, body=body):
            return tree.LetWith(span, a, b, certs, i, v, storing(body, t))
        case tree.Predicated(certificates=certs, body=body):
            return tree.Predicated(span, certs, storing(body, t))
        case tree.LoopExpression(pattern=p, initial=a, index=i, bound=b, body=body, result=result):
            return tree.LoopExpression(span, p, a, i, b, body, storing(result, t))
        case tree.IfExpression(condition=test, then=then, otherwise=otherwise):
            return tree.IfExpression(span, test, storing(then, t), storing(otherwise, t))
        case tree.Tuple(parts=parts) if isinstance(t, TupleType) and len(parts) == len(t.parts):
            pairs = zip(parts, t.parts, strict=True)
            return tree.Tuple(span, tuple([storing(part, own) for part, own in pairs]))
    layout = packed_layout(t)
    return _parts(e, t) if layout is None else stored(e, layout)


def stored(e: tree.Expression, layout: str, fit: str = "check") -> tree.Expression:
    """The elements of an array as they can be stored; those that can already are as they are."""
    match e:
        case tree.ExtensionExpression(name=name, operands=(tree.StringLiteral(value=own), _, _)):
            if name == STORE and own == layout:
                return e
    words = tree.StringLiteral(e.span, layout), tree.StringLiteral(e.span, fit)
    return tree.ExtensionExpression(e.span, STORE, (), (words[0], e, words[1]))


def _parts(e: tree.Expression, t: Type) -> tree.Expression:
    """The parts of a tuple, each as it can be stored."""
    assert isinstance(t, TupleType)
    names = [tree.Name(e.span, f"part{k}") for k in range(len(t.parts))]
    parts = [
        storing(tree.VariableExpression(e.span, tree.Name(e.span, name.text)), part)
        for name, part in zip(names, t.parts, strict=True)
    ]
    pattern = tree.TuplePattern(e.span, tuple(names))
    return tree.LetExpression(e.span, pattern, e, tree.Tuple(e.span, tuple(parts)))
