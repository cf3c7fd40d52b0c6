"""Laws of fusion, on random programs and arguments, empty arrays and all.

Fusion does not change what a program means, whichever rules are on and after however many steps;
and unless it may duplicate, nothing is computed more often, nor are more elements made.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogen.array import Program, loads
from cogen.array.fusion.fuse import FusionOptions, fuse
from cogen.array.fusion.rulenames import RULES
from cogen.array.ir.evaluate import Counts, evaluate
from cogen.array.ir.graph import Graph
from cogen.array.ir.marshal import from_leaves, to_leaves
from cogen.array.ir.node import Module
from cogen.array.ir.operations import TABLE
from cogen.array.l0.pythonvalues import from_python
from cogen.array.l0.valuetext import show_value
from cogen.array.lower.buildgraph import build
from cogen.array.optimise.optimise import optimise
from tests.cogen.array.comparing import by_evaluation, by_schedule, module_outcome
from tests.cogen.array.executing import Executor
from tests.cogen.array.randomarrays import arguments, program
from tests.cogen.array.randomprograms import programs

pytestmark = pytest.mark.quick

SEEDS = st.integers(0, 2**32)
OFF = st.frozensets(st.sampled_from(RULES), max_size=4)


def result(source: Program, module: Module, random: Random, counts: Counts | None = None) -> str:
    """What a module, evaluated, or executed as it is scheduled and counted, gives on random
    arguments."""
    leaves, sizes = [], []
    for value, t in zip(arguments(random), source.parameters("main"), strict=True):
        found, dimensions = to_leaves(from_python(value, t, "an argument"), t)
        leaves += found
        sizes += dimensions
    if counts is None:
        results = evaluate(module, leaves, sizes, lambda layout, value: None)
    else:
        results = Executor(module, counts).function(module.entry, [*sizes, *leaves])
    t = source.result("main")
    return show_value(from_leaves(results, t), t)


@given(SEEDS, OFF, st.booleans(), st.booleans())
def test_fusion_keeps_the_meaning(
    seed: int, off: frozenset[str], duplicate: bool, optimised: bool
) -> None:
    source = loads(program(Random(seed), 2, 4))
    graph, before = optimise(source.facts, "main", until="fuse") if optimised else lowered(source)
    options = FusionOptions(duplicate=duplicate, off=off)
    after = Module(fuse(graph, before.entry, options).function, before.functions)
    for k in range(2):
        expected = result(source, before, Random(seed + k))
        assert result(source, after, Random(seed + k)) == expected
        assert result(source, after, Random(seed + k), Counts()) == expected


@given(programs(), OFF, st.booleans())
def test_what_fails_still_fails(
    case: tuple[str, str], off: frozenset[str], duplicate: bool
) -> None:
    """Also of programs that fail; of several checks that do not hold another may be reported."""
    text, values = case
    graph, before = optimise(loads(text).facts, "main", until="fuse")
    options = FusionOptions(duplicate=duplicate, off=off)
    fused = fuse(graph, before.entry, options, before.functions).function
    after = Module(fused, before.functions)
    expected = module_outcome(before, values)
    for run in (by_evaluation, by_schedule):
        found = module_outcome(after, values, run)
        assert found == expected or ("error: " in found and "error: " in expected)


@given(SEEDS, st.integers(0, 12))
def test_any_number_of_steps_keeps_the_meaning(seed: int, limit: int) -> None:
    source = loads(program(Random(seed), 2, 4))
    graph, before = lowered(source)
    fused = fuse(graph, before.entry, FusionOptions(limit=limit))
    assert len(fused.steps.taken) <= limit
    after = Module(fused.function, before.functions)
    assert result(source, after, Random(seed)) == result(source, before, Random(seed))


@st.composite
def soacs(draw: st.DrawFn) -> str:
    """A program of combinators that feed each other, of which some are returned.

    Nothing in it is computed under a condition but what filters let through, so whoever computes
    more computes something twice.
    """
    arrays = {"a": 0, "b": 1}
    """The vectors, with what stands for their sizes."""
    scalars = ["n"]
    lines = []
    for k in range(draw(st.integers(1, 9))):
        name = f"v{k}"
        array = draw(st.sampled_from(sorted(arrays)))
        size = arrays[array]
        same = draw(st.sampled_from(sorted(x for x in arrays if arrays[x] == size)))
        scalar = draw(st.sampled_from(scalars))
        made = draw(st.sampled_from(["map", "zip", "scan", "filter", "reduce", "iota"]))
        if made == "map":
            value = f"map(fn int (int x) => x * {scalar} + x, {array})"
        elif made == "zip":
            value = f"map(op -, zip({array}, {same}))"
        elif made == "scan":
            value = f"scan(op +, 0, {array})"
        elif made == "filter":
            value, size = f"filter(op <({scalar}), {array})", k + 2
        elif made == "iota":
            value = f"map(op *({scalar}), iota(size({array})))"
        else:
            value, size = f"reduce(op +, 0, {array})", -1
        lines.append(f"  let {name} = {value} in\n")
        if size < 0:
            scalars.append(name)
        else:
            arrays[name] = size
    returned = draw(st.lists(st.sampled_from([*sorted(arrays), *scalars]), min_size=1, max_size=4))
    types = ", ".join(["int" if name in scalars else "[int]" for name in returned])
    head = f"fun {{{types}}} main([int] a, [int] b, int n) =\n"
    return head + "".join(lines) + f"  {{{', '.join(returned)}}}\n"


@given(soacs(), SEEDS, OFF)
def test_nothing_is_computed_twice(text: str, seed: int, off: frozenset[str]) -> None:
    source = loads(text)
    graph, before = lowered(source)
    after = Module(
        fuse(graph, before.entry, FusionOptions(duplicate=False, off=off)).function,
        before.functions,
    )
    random = Random(seed)
    vectors = [[random.randint(-9, 9) for _ in range(random.randint(0, 9))] for _ in range(2)]
    leaves = [*[np.array(vector, np.int64) for vector in vectors], random.randint(-3, 3)]
    sizes = [len(vector) for vector in vectors]
    old, new = Counts(), Counts()
    expected = evaluate(before, leaves, sizes, lambda layout, value: None, old)
    found = evaluate(after, leaves, sizes, lambda layout, value: None, new)
    shown = [from_leaves(results, source.result("main")) for results in (expected, found)]
    assert show_value(shown[0], source.result("main")) == show_value(
        shown[1], source.result("main")
    )
    counting = new.iterations  # what filters let through is counted by additions
    assert cost(new) <= cost(old) + counting
    assert new.elements <= old.elements
    assert new.iterations <= old.iterations


def lowered(source: Program) -> tuple[Graph, Module]:
    """The graph of a program without any other optimisation."""
    graph = Graph()
    return graph, build(source.facts, "main", graph)


def cost(counts: Counts) -> int:
    """What the counted operations cost."""
    return sum(TABLE[name].cost * number for name, number in counts.operations.items())
