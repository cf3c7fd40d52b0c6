"""What is copied before it is overwritten: all that must be, and little else."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

import numpy as np
import pytest

from cogen.array import loads
from cogen.array.ir.blockscope import BlockScope
from cogen.array.ir.evaluate import evaluate
from cogen.array.ir.generators import (
    Collect,
    Emit,
    Reduce,
    When,
    emits,
)
from cogen.array.ir.graphtypes import INT, rank
from cogen.array.ir.marshal import LeafValue
from cogen.array.ir.node import (
    Copy,
    Loop,
    Module,
    Multiloop,
    Node,
    Update,
)
from cogen.array.l0.types import INT as INT_LAYOUT
from cogen.array.optimise.optimisations import Options
from cogen.array.optimise.optimise import copies as leave_out
from cogen.array.optimise.optimise import optimise
from cogen.array.optimise.steplimit import Steps
from cogen.array.schedule.schedule import schedule
from tests.cogen.array.executing import Executor
from tests.cogen.array.test_schedule import copies, statements
from tests.cogen.array.updatinggraphs import SIZE, Drawing

SEEDS: Final = 300
MOST_COPIES: Final = 543
"""As many as are made in the graphs of these seeds; fewer are better."""


def differs(module: Module, in_place: bool = True) -> str:
    """How executing the schedule differs from the meaning; nothing may be overwritten that is the
    caller's."""
    before, given = arguments(module), arguments(module)
    wanted = evaluate(module, arguments(module), [], lambda layout, value: None)
    found = Executor(module, in_place=in_place).function(module.entry, given)
    if shown(found) != shown(wanted):
        return f"{shown(found)}, not {shown(wanted)}"
    for parameter, was, now in zip(module.entry.body.parameters, before, given, strict=True):
        if not parameter.unique and shown([was]) != shown([now]):
            return f"{parameter.name} is overwritten"
    return ""


def shown(values: Sequence[LeafValue]) -> list[object]:
    return [np.asarray(value).tolist() for value in values]


def arguments(module: Module) -> list[LeafValue]:
    """Small numbers, which are indices, too."""
    found: list[LeafValue] = []
    for number, parameter in enumerate(module.entry.body.parameters):
        shape = (SIZE,) * rank(parameter.type)
        drawn = np.random.default_rng(number).integers(0, SIZE, shape)
        found.append(drawn if shape else int(drawn))
    return found


def test_overwriting_keeps_the_meaning() -> None:
    made = 0
    for seed in range(SEEDS):
        module = Drawing(Random(seed)).module(5)
        assert differs(module) == "", seed
        made += len(copies(schedule(module.entry, {})))
    assert made <= MOST_COPIES


def test_nothing_is_overwritten_but_copies() -> None:
    """Without `overwrite`, whatever is overwritten is copied before, given arrays, too."""
    for seed in range(SEEDS // 6):
        module = Drawing(Random(seed)).module(5)
        assert differs(module, in_place=False) == "", seed
        block = schedule(module.entry, {}, in_place=False)
        assert all(s.copies == s.overwritten for _, s in statements(block))
        assert len(copies(block)) >= len(copies(schedule(module.entry, {})))


def test_leaving_copies_out_keeps_the_meaning_and_saves_copies() -> None:
    """What is read, or updated, of a copy is so of the array: the schedule copies what it must."""
    before = after = 0
    for seed in range(SEEDS // 2):
        drawing = Drawing(Random(seed))
        module = drawing.module(5)
        left = leave_out(drawing.graph, module, Options(), Steps(None))
        meant = [
            shown(evaluate(m, arguments(m), [], lambda layout, value: None)) for m in (module, left)
        ]
        assert meant[0] == meant[1], seed
        assert differs(left) == "", seed
        before += len(copies(schedule(module.entry, {})))
        after += len(copies(schedule(left.entry, {})))
    assert after < before


@pytest.mark.parametrize("both", [True, False])
def test_two_values_that_a_loop_carries_may_become_one(both: bool) -> None:
    """And then the next iteration overwrites one of them."""
    drawing = Drawing(Random(0))
    graph, scope = drawing.graph, BlockScope(drawing.graph)
    a, b, k = drawing.parameters("ab", a=drawing.vector, b=drawing.vector, k=INT)
    inner = scope.inner()
    i, p, q = drawing.parameters(i=INT, p=drawing.vector, q=drawing.vector)
    zero, one = graph.integer(0), graph.integer(1)
    first = graph.update(p, (zero,), graph.operation("int.add", i, k))
    second = graph.update(q, (zero,), graph.operation("int.sub", i, k))
    last = graph.update(first, (one,), graph.index(second, zero))
    body = inner.block([i, p, q], [last, last if both else graph.copy(last)])
    results = graph.parts(scope.loop(drawing.size, [a, b], body))
    module = drawing.function(scope, [a, b, k], results)
    assert differs(module) == ""
    assert copies(schedule(module.entry, {})) == ([Loop] if both else [Copy])


def chosen(drawing: Drawing, scope: BlockScope, condition: Node, first: Node, second: Node) -> Node:
    then, otherwise = scope.inner().block((), (first,)), scope.inner().block((), (second,))
    return drawing.graph.part(scope.if_(condition, then, otherwise, (first.type,)), 0)


def test_what_a_loop_carries_may_become_what_is_bound_outside() -> None:
    drawing = Drawing(Random(0))
    graph, scope = drawing.graph, BlockScope(drawing.graph)
    a, b, k = drawing.parameters("a", a=drawing.vector, b=drawing.vector, k=INT)
    inner = scope.inner()
    i, p = drawing.parameters(i=INT, p=drawing.vector)
    changed = graph.update(p, (i,), graph.integer(7))
    early = graph.operation("int.lt", i, graph.integer(1))
    body = inner.block([i, p], [chosen(drawing, inner, early, b, changed)])
    results = graph.parts(scope.loop(drawing.size, [a], body))
    module = drawing.function(scope, [a, b, k], results)
    assert differs(module) == ""
    assert copies(schedule(module.entry, {})) == [Loop]


def test_an_accumulator_may_become_what_is_bound_outside() -> None:
    drawing = Drawing(Random(0))
    graph, scope = drawing.graph, BlockScope(drawing.graph)
    a, b, m = drawing.parameters("a", a=drawing.vector, b=drawing.vector, m=drawing.matrix)
    inner, operator = scope.inner(), scope.inner()
    i, row = drawing.parameters(i=INT, row=drawing.vector)
    body = inner.body([i, row], emits([row]))
    x, y = drawing.parameters(x=drawing.vector, y=drawing.vector)
    zero = graph.integer(0)
    changed = graph.update(x, (zero,), graph.integer(9))
    some = graph.operation("int.lt", graph.index(x, zero), graph.integer(SIZE))
    block = operator.block([x, y], [chosen(drawing, operator, some, b, changed)])
    node = scope.multiloop(drawing.size, [m], [Reduce(1)], [a], [body, block])
    module = drawing.function(scope, [a, b, m], graph.parts(node))
    assert differs(module) == ""
    assert copies(schedule(module.entry, {})) == [Multiloop]


def test_a_loop_may_take_what_its_body_overwrites() -> None:
    """The body's own update is one of each iteration; that of what it carries is not."""
    drawing = Drawing(Random(0))
    graph, scope = drawing.graph, BlockScope(drawing.graph)
    (a,) = drawing.parameters("a", a=drawing.vector)
    inner = scope.inner()
    i, p = drawing.parameters(i=INT, p=drawing.vector)
    zero = graph.integer(0)
    more = graph.operation("int.add", graph.index(a, zero), i)
    own = graph.update(a, (zero,), more)
    body = inner.block([i, p], [graph.update(p, (i,), graph.index(own, zero))])
    results = graph.parts(scope.loop(drawing.size, [a], body))
    module = drawing.function(scope, [a], results)
    assert differs(module) == ""
    assert copies(schedule(module.entry, {})) == [Loop, Update]


def test_what_a_guard_reads_is_used_after_the_body() -> None:
    drawing = Drawing(Random(0))
    graph, scope = drawing.graph, BlockScope(drawing.graph)
    m, k = drawing.parameters("m", m=drawing.matrix, k=INT)
    inner = scope.inner()
    i, row = drawing.parameters(i=INT, row=drawing.vector)
    zero = graph.integer(0)
    changed = graph.update(row, (zero,), graph.integer(9))
    some = graph.operation("int.lt", i, graph.integer(2))
    streams = [Emit((changed,)), When(some, Emit((graph.index(row, zero),)))]
    body = inner.body([i, row], streams)
    node = scope.multiloop(drawing.size, [m], [Collect(1), Collect(1)], [], [body])
    module = drawing.function(scope, [m, k], graph.parts(node))
    assert differs(module) == ""
    assert copies(schedule(module.entry, {})) == [Update]


def test_a_row_may_be_stored_in_its_own_array() -> None:
    drawing = Drawing(Random(0))
    graph, scope = drawing.graph, BlockScope(drawing.graph)
    m, k = drawing.parameters("m", m=drawing.matrix, k=INT)
    stored = graph.update(m, (graph.integer(0),), graph.index(m, k))
    module = drawing.function(scope, [m, k], [stored])
    assert differs(module) == ""
    assert copies(schedule(module.entry, {})) == []


def test_what_comes_later_for_its_effects_alone_may_share_memory() -> None:
    """The second effect comes after the update, does not depend on it, and gives the old array."""
    drawing = Drawing(Random(0))
    graph, scope = drawing.graph, BlockScope(drawing.graph)
    a, b, k = drawing.parameters("a", a=drawing.vector, b=drawing.vector, k=INT)
    zero = graph.integer(0)
    changed = graph.update(a, (zero,), k)
    scope.trace(INT_LAYOUT, [graph.index(changed, zero)])
    then, otherwise = scope.inner(), scope.inner()
    then.trace(INT_LAYOUT, [k])
    blocks = then.block((), (a,)), otherwise.block((), (b,))
    node = scope.if_(graph.operation("int.lt", k, graph.integer(9)), *blocks, (drawing.vector,))
    old = graph.index(graph.part(node, 0), zero)
    module = drawing.function(scope, [a, b, k], [changed, old])
    assert differs(module) == ""
    assert copies(schedule(module.entry, {})) == [Update]


TRAILING = {
    "fun [int] main([int] a) = let b = copy(a) in let b[0] = 5 in copy(b)": 1,
    "fun {[int], int} main(*[int] a) = let a[0] = 1 in let t = copy(a) in {t, a[1]}": 0,
    "fun {[int], int} main(*[int] a) =\n"
    "  let a[0] = 1 in let t = copy(a) in let s = reduce(op +, 0, t) in let a[1] = s in {a, s}": 0,
    "fun {[int], [int]} main(*[int] a) =\n"
    "  let a[0] = 1 in let t = copy(a) in let a[1] = 2 in {t, a}": 1,
    "fun [int] main(*[int] a, int n) =\n"
    "  loop (a) = for i < n do\n"
    "    let a[0] = a[1] in\n"
    "    if a[1] <= i then a else\n"
    "    let b = (if a[i] <= i then a else let a[2] = a[i] in a) in\n"
    "    let b[1] = i in b\n"
    "  in a": 0,
    "fun {[int], int} main([int] a, int n) =\n"
    "  let b = copy(a) in loop (b) = for i < n do let b[i] = i in b in {copy(b), b[0]}": 1,
}
"""Programs with copies of what was changed, and how many copies are made."""


@pytest.mark.parametrize("text", TRAILING)
def test_what_was_changed_is_not_copied_to_be_read_or_given(text: str) -> None:
    program = loads(text)
    _, module = optimise(program.facts, "main")
    assert len(copies(schedule(module.entry, {}))) == TRAILING[text]
    arguments = [np.array([3, 4, 5]), 2][: len(program.parameters("main"))]
    wanted = program.run(*arguments)
    found = program.compile()(*arguments)
    assert str(found) == str(wanted)
    assert arguments[0].tolist() == [3, 4, 5]  # type: ignore[attr-defined]
