"""Sequential loops that settle: from some iteration on nothing changes any more.

    loop ({x, n} = ...) = for i < k do if c(x) then {f(x), n + 1} else {x, n}

Where the body does not look at its index, and `c` does not hold once, all later iterations are
alike: each gets the values that it gives. So code may leave the loop, which L0 cannot say.
"""

from __future__ import annotations

from cogen.array.codegen.emitter import Emitter
from cogen.array.loops.build import negated
from cogen.array.loops.tree import Binary, Expr
from cogen.array.node import If, Loop, Node, Part


def settles(e: Emitter, node: Loop) -> bool:
    """Whether code can find out that a loop's later iterations change nothing."""
    return e.optimises("settle") and _conditions(node) is not None


def moving(e: Emitter, node: Loop) -> Expr:
    """Whether, in the body of a loop that settles, the iterations after the present one may change
    anything."""
    found: Expr | None = None
    for test, holds in _conditions(node) or []:
        value = e.scalar_of(test)
        own = value if holds else negated(value)
        found = own if found is None else Binary("|", found, own)
    assert found is not None
    return found


def _conditions(node: Loop) -> list[tuple[Node, bool]] | None:
    """Conditions with what they are where something may change: one of them is so then."""
    body = node.body
    if body.effects or any(node.index in result.free for result in body.results):
        return None
    found: dict[tuple[Node, bool], None] = {}
    for parameter, result in zip(node.carried, body.results, strict=True):
        if result is parameter:
            continue
        if not isinstance(result, Part) or not isinstance(result.node, If):
            return None
        choice = result.node
        if choice.otherwise.results[result.index] is parameter:
            found[choice.condition, True] = None
        elif choice.then.results[result.index] is parameter:
            found[choice.condition, False] = None
        else:
            return None
    return list(found) or None
