"""Rebuilds sequential loops: what they carry and something uses; what stays as it was.

A loop without iterations becomes its initial values, one of a single iteration its body; a value
that is carried and never changes is its initial one (`_loop_body`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.array.ir.blockscope import BlockScope
from cogen.array.ir.graphtypes import GraphArray
from cogen.array.ir.node import (
    Loop,
    Node,
    Parameter,
    Part,
    shape,
    sizes_in,
)
from cogen.array.optimise.elementwise import rewrite_elementwise
from cogen.array.optimise.rebuilding import Rebuilding
from cogen.lang.eachonce import each_once


def rewrite_loop(
    work: Rebuilding, node: Loop, scope: BlockScope, certs: Sequence[Node]
) -> tuple[Node | None, ...]:
    """The results of a sequential loop, rebuilt; None for those that nothing needs."""
    bound = work.copies[node.bound]
    kept = work.live.carried(node)
    initial = [
        work.copies[start] if keep else None for start, keep in zip(node.initial, kept, strict=True)
    ]
    if "known" not in work.off:
        found = _unrolled(work, node, scope, certs, initial, kept)
        if found is not None:
            return found
    stays = _steady(work, node, scope, certs, initial)
    moving = [keep and not same for keep, same in zip(kept, stays, strict=True)]
    written: dict[int, Node] = {}
    if "elementwise" not in work.off:
        written = rewrite_elementwise(work, node, scope, certs, initial, moving)
    for i in written:
        moving[i], initial[i] = False, None
    inner, parameters = _loop_body(work, node, scope, certs, initial, stays)
    following = work.results_of(node.body, [i for i, move in enumerate(moving) if move])
    work.leave(node.body)
    first = [s for s, move in zip(initial, moving, strict=True) if move and s is not None]
    if not following and not inner.effects:
        return tuple([written.get(i, s) for i, s in enumerate(initial)])
    body = inner.block(parameters, following)
    parts = list(work.results(scope, scope.loop(bound, first, body, certs)))
    results = [parts.pop(0) if move else s for move, s in zip(moving, initial, strict=True)]
    return tuple([written.get(i, s) for i, s in enumerate(results)])


def _loop_body(
    work: Rebuilding,
    node: Loop,
    scope: BlockScope,
    certs: Sequence[Node],
    initial: Sequence[Node | None],
    stays: Sequence[bool],
) -> tuple[BlockScope, list[Parameter]]:
    """Open the body of a loop and rebuild its effects; its scope and parameters.

    Values that are steady stand for their parameters.
    """
    bound = work.copies[node.bound]
    inner = scope.inner()
    index = work.graph.parameter(node.index.name, node.index.type)
    inner.learn_index(index, bound)
    arguments = [index, *[None] * len(initial)]
    work.bind(node.body, inner, arguments, inner.token, work.facts_of(node))
    parameters: list[Parameter] = []
    for old, start, same in zip(node.carried, initial, stays, strict=True):
        if same and start is not None:
            work.copies[old] = _passed(work, old, start, certs)
        elif start is not None:
            parameters.append(work.parameter(old))
            work.copies[old] = parameters[-1]
    for old in node.carried:
        for size in shape(old):
            if size in node.carried and size in work.copies:
                work.is_size(inner, work.copies[size])
    inner.repeat(index, bound, parameters)
    work.effects(node.body)
    return inner, [index, *parameters]


def _steady(
    work: Rebuilding,
    node: Loop,
    scope: BlockScope,
    certs: Sequence[Node],
    initial: Sequence[Node | None],
) -> list[bool]:
    """Which carried values are their initial ones in every iteration.

    Those that may be are supposed to be, the body is rebuilt on that supposition, and whoever
    then gets another value is left out, until none does (speculative rewriting; Rompf 2013,
    section 3.2, after Lerner, Grove and Chambers 2002).
    """
    if "known" in work.off:
        return [False] * len(initial)
    own = [
        start is not None and result is parameter
        for start, result, parameter in zip(initial, node.body.results, node.carried, strict=True)
    ]
    if "context" in work.off or work.trials == MAX_TRIALS:
        return own
    found = [
        start is not None and (same or _may_stay(node, i))
        for i, (start, same) in enumerate(zip(initial, own, strict=True))
    ]
    while found != own:
        changed = _changing(work, node, scope, certs, initial, found)
        if not changed:
            return found if work.steps.take("steady") else own
        found = [same and i not in changed for i, same in enumerate(found)]
    return own


def _changing(
    work: Rebuilding,
    node: Loop,
    scope: BlockScope,
    certs: Sequence[Node],
    initial: Sequence[Node | None],
    supposed: Sequence[bool],
) -> list[int]:
    """Which carried values change, if some are supposed not to; nothing of the trial stays."""
    saved = dict(work.copies), dict(work.several), dict(work.open), work.hoisting
    relied = {around: list(certs) for around, certs in work.relied.items()}
    made = {block: list(opened.made) for block, opened in work.open.items()}
    work.hoisting = None
    work.trials += 1
    _loop_body(work, node, scope, certs, initial, supposed)
    chosen = [i for i, same in enumerate(supposed) if same]
    results = work.results_of(node.body, chosen)
    stay = [work.copies[node.carried[i]] for i in chosen]
    work.copies, work.several, work.open, work.hoisting = saved
    work.relied = relied
    work.trials -= 1
    for block, nodes in made.items():
        work.open[block].made[:] = nodes
    return [i for i, new, old in zip(chosen, results, stay, strict=True) if new is not old]


def _unrolled(
    work: Rebuilding,
    node: Loop,
    scope: BlockScope,
    certs: Sequence[Node],
    initial: Sequence[Node | None],
    kept: Sequence[bool],
) -> tuple[Node | None, ...] | None:
    """The results of a loop that has no iteration, or one."""
    graph = work.graph
    bound = work.copies[node.bound]
    if scope.holds(graph.operation("int.le", bound, graph.integer(0))) is not None:
        return tuple(initial) if work.steps.take("known") else None
    if bound is not graph.integer(1) or not work.steps.take("known"):
        return None
    token = graph.conjoin([scope.token, *certs])
    arguments = [graph.integer(0), *[None] * len(initial)]
    work.bind(node.body, scope, arguments, token, work.facts_of(node), work.around(node))
    for parameter, start in zip(node.carried, initial, strict=True):
        if start is not None:
            work.copies[parameter] = _passed(work, parameter, start, certs)
    work.effects(node.body)
    return tuple(
        [
            work.node(result) if keep else None
            for result, keep in zip(node.body.results, kept, strict=True)
        ]
    )


def _passed(work: Rebuilding, parameter: Parameter, start: Node, certs: Sequence[Node]) -> Node:
    """What stands for a carried value that is its initial one.

    That may have the sizes the loop knows it by only by the loop's certificates.
    """
    t = work.type(parameter.type)
    if not certs or not isinstance(t, GraphArray) or t == start.type:
        return start
    return work.graph.reshape(start, *sizes_in(t), certs=certs)


MAX_TRIALS: Final = 3
"""In how many loops around each other it is tried what stays as it is."""


def _may_stay(node: Loop, index: int) -> bool:
    """Whether the next value of what a loop carries may be the initial one: it is a carried value,
    or the initial one, or a conditional of which a branch gives that, or a loop that starts so."""
    waiting = [node.body.results[index]]
    for found in each_once(waiting):
        if found in node.carried or found is node.initial[index]:
            return True
        waiting += found.ways
        match found:
            case Part(node=Loop() as inner, index=i):
                waiting += (inner.initial[i], inner.body.results[i])
    return False
