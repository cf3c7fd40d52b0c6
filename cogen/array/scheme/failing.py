"""Arms of conditionals that certainly fail: what they say -> certificates.

    (if (< x 0) (error "negative:" x) e)     let c = assert(not (x < 0), "negative:", x) in <c>e

What is said then may have to be computed first, or there are several ways to fail. Then the
certificate is that of a conditional, since nothing of it may be computed where nothing fails:

    (if (< n 0) (error "bad:" (array-ref a 0)) e)
    let c = if n < 0 then let t = a[0] in assert(False, "bad:", t) else Checked in <c>e
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.array.l0 import tree
from cogen.array.l0.types import BOOL, CERT, CHAR, INT, REAL
from cogen.array.scheme.symbolicvalues import (
    SymbolicName,
    SymbolicNumber,
    SymbolicProcedure,
)
from cogen.array.scheme.translation import Recursive, Translation
from cogen.lang import il
from cogen.lang.errors import CogenError, Span
from cogen.lang.ilutil import NEVER_RETURN
from cogen.lang.primtable.checks import brief

MOST: Final = 50
"""So many blocks are gone through for what is said; if there are more, no text is."""


_TOLD: Final = (INT, REAL, BOOL, CHAR)
"""The types of what is told."""


class TooManyWays(Exception):
    """There are more blocks than `MOST` in which an arm fails."""


def require_not(
    body: Translation, arm: il.Block, holds: tree.Expression, leads: bool, span: Span
) -> None:
    """Fail, as an arm does that certainly fails, where what `holds` is what `leads` there."""
    known = _said_at_once(body, arm, span)
    cert = _certificate(body, arm) if known is None else None
    if cert is None:
        condition = tree.UnaryExpression(span, "not", holds) if leads else holds
        body.code.require(condition, known or ())
        return
    checked = tree.LiteralExpression(span, True, CERT)
    arms = (cert, checked) if leads else (checked, cert)
    body.code.follow(tree.IfExpression(span, holds, *arms))


def _said_at_once(body: Translation, arm: il.Block, span: Span) -> list[tree.Expression] | None:
    """What an arm says that does nothing but call `error`, with what is known before it; None of
    another one."""
    calls = [b for b in arm.bindings if isinstance(b, il.Let)]
    if not calls or calls[0].op not in NEVER_RETURN:
        error = body.regions.error(arm)
        return None if error is None or not _is_known(body, error) else _said(body, error, span)
    return _said_by(body, calls[0], span)


def _is_known(body: Translation, said: Sequence[il.Atom]) -> bool:
    """Whether all that is said is bound already."""
    return all(not isinstance(atom, il.Var) or atom.name in body.env for atom in said)


def _said_by(body: Translation, let: il.Let, span: Span) -> list[tree.Expression]:
    """What a call of `error` or `raise` says."""
    if let.op == "error":
        return _said(body, let.arguments, span)
    (raised,) = let.arguments
    if not isinstance(raised, il.Const):
        return []
    return [tree.StringLiteral(span, f"uncaught exception: {brief(raised.value)}")]


def _said(body: Translation, said: Sequence[il.Atom], span: Span) -> list[tree.Expression]:
    """The text of an `error`, and what is told with it up to the first that is neither known ahead
    nor a scalar that is known here."""
    message, *irritants = said
    if not isinstance(message, il.Const) or not isinstance(message.value, str):
        return []
    found: list[str | tree.Expression] = [message.value]
    for irritant in irritants:
        value = body.env.get(irritant.name) if isinstance(irritant, il.Var) else None
        if isinstance(irritant, il.Const):
            found.append(brief(irritant.value))
        elif isinstance(value, (SymbolicName, SymbolicNumber)) and value.type in _TOLD:
            found.append(body.code.expression(value, span)[0])
        else:
            break
    return _joined(found, span)


def _joined(said: Sequence[str | tree.Expression], span: Span) -> list[tree.Expression]:
    """What is said, with texts that stand side by side as one."""
    found: list[tree.Expression] = []
    for part in said:
        last = found[-1] if found else None
        if not isinstance(part, str):
            found.append(part)
        elif isinstance(last, tree.StringLiteral):
            found[-1] = tree.StringLiteral(span, f"{last.value} {part}")
        else:
            found.append(tree.StringLiteral(span, part))
    return found


def _certificate(body: Translation, arm: il.Block) -> tree.Expression | None:
    """The certificate that an arm never gives; None where it does what array programs have not."""
    saved, state = body.save(), body.objects.state
    outer = body.inner()
    try:
        body.objects.state = state.copy()
        return _Failing(body).of(arm)
    except Recursive:
        raise
    except (CogenError, TooManyWays):
        body.code = outer
        body.restore(saved)
        return None
    finally:
        body.code = outer
        body.objects.state = state


class _Failing:
    """What blocks do that certainly fail, one way or another."""

    def __init__(self, body: Translation) -> None:
        self.body = body
        self.steps = 0

    def of(self, block: il.Block) -> tree.Expression:
        """The certificate in place of a block, under what it computes."""
        body = self.body
        while True:
            self.steps += 1
            if self.steps > MOST:
                raise TooManyWays
            for binding in block.bindings:
                if isinstance(binding, il.Fix):
                    for function in binding.functions:
                        body.env[function.name] = SymbolicProcedure(function)
                elif isinstance(binding, il.Let):
                    if binding.op in NEVER_RETURN:
                        return body.code.close(self.failure(binding))
                    body.env[binding.name] = body.operation(binding)
            tail = block.tail
            if isinstance(tail, il.If):
                return body.code.close(self.either(tail))
            values = [body.value(atom) for atom in tail.arguments]
            if isinstance(tail, il.Call):
                values = [body.call(body.value(tail.function), values, body.span(tail.span))]
            cont = body.regions.conts[body.regions.to(tail.cont)]
            body.env.update(zip(cont.parameters, values, strict=True))
            block = cont.body

    def failure(self, let: il.Let) -> tree.Expression:
        span = self.body.span(let.span)
        said = _said_by(self.body, let, span)
        never = tree.LiteralExpression(span, False, BOOL)
        return tree.Form(span, "assert", (never, *said))

    def either(self, tail: il.If) -> tree.Expression:
        body = self.body
        span = body.span(tail.span)
        test, t = body.code.expression(body.value(tail.test), span)
        if t != BOOL:
            return self.of(tail.then)
        if isinstance(test, tree.LiteralExpression):
            return self.of(tail.then if test.value else tail.otherwise)
        arms = []
        for arm in (tail.then, tail.otherwise):
            outer = body.inner()
            state = body.objects.state
            body.objects.state = state.copy()
            try:
                arms.append(self.of(arm))
            finally:
                body.code = outer
                body.objects.state = state
        return tree.IfExpression(span, test, *arms)
