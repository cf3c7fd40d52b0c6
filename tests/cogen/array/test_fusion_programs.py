"""The programs of tests/programs/l0/fusion: what fusion makes of them, and that they mean the same.

The headers are described in `tests.cogen.array.programs`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import cogen
from cogen.array import load
from cogen.array.fusion.fuse import FusionOptions, fuse
from cogen.array.fusion.rulenames import RULES
from cogen.array.ir.evaluate import Counts, evaluate
from cogen.array.ir.generators import (
    Scan,
    groups,
    is_hashed,
)
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphwalk import all_nodes
from cogen.array.ir.marshal import to_leaves
from cogen.array.ir.node import (
    Concat,
    Module,
    Multiloop,
)
from cogen.array.ir.operations import TABLE
from cogen.array.l0.valuetext import read_values
from cogen.array.lower.buildgraph import build
from cogen.array.optimise.optimise import optimise
from cogen.array.report.fusiondata import FusionReport
from cogen.array.report.fusionreport import report
from cogen.lang.errors import Source
from tests.cogen.array.comparing import by_evaluation, by_schedule, module_outcome
from tests.cogen.array.programs import PROGRAMS, fusion_headers, headers, place

FUSION = sorted((PROGRAMS / "fusion").glob("*.l0"))
RUNS = [
    pytest.param(path, kind, text, id=f"{path.stem}-{i}")
    for path in FUSION
    for i, (kind, text) in enumerate(headers(path))
]


def shown(report: FusionReport) -> str:
    """The loops of a report as the headers write them."""
    return ", ".join([">".join((*soac.path, soac.kind)) for soac in report.soacs])


def test_there_are_enough_programs() -> None:
    assert len(FUSION) >= 40
    for path in FUSION:
        kinds = {kind for _, kind, _, _ in fusion_headers(path)}
        assert {"soacs", "arrays"} <= kinds, path


@pytest.mark.one_in(4)
@pytest.mark.parametrize("path", FUSION, ids=lambda path: path.stem)
def test_structure(path: Path) -> None:
    program = load(path)
    reports = {d: report(program, "main", FusionOptions(duplicate=d)) for d in (True, False)}
    for duplicate, kind, name, expected in fusion_headers(path):
        found = reports[duplicate]
        if kind == "soacs":
            assert shown(found) == expected
        elif kind == "arrays":
            assert found.arrays == int(expected)
        else:
            named = [operation for operation in found.operations if operation.name == name]
            assert expected in [getattr(operation, kind) for operation in named], (kind, name)


def fused(path: Path, entry: str, options: FusionOptions, optimised: bool) -> tuple[Module, Module]:
    """A function's module before and after fusion, rewritten by the other rules or not."""
    program = load(path)
    if optimised:
        graph, module = optimise(program.facts, entry, until="fuse")
    else:
        graph = Graph()
        module = build(program.facts, entry, graph)
    return module, Module(fuse(graph, module.entry, options).function, module.functions)


@pytest.mark.one_in(20)
@pytest.mark.parametrize("optimised", [True, False])
@pytest.mark.parametrize(("path", "kind", "text"), RUNS)
def test_meaning(path: Path, kind: str, text: str, optimised: bool) -> None:
    call, _, expected = text.rpartition(" => ")
    entry, _, values = call.partition(" ")
    before, after = fused(path, entry, FusionOptions(), optimised)
    if kind == "run":
        assert load(path).run_text(values, entry) == expected
        for run in (by_evaluation, by_schedule):
            assert module_outcome(after, values, run) == expected
        return
    with pytest.raises(cogen.CogenError) as caught:
        load(path).run_text(values, entry)
    assert caught.value.render().splitlines()[0] == place(str(path), expected)
    assert module_outcome(before, values) == module_outcome(after, values)


def work(module: Module, values: str) -> tuple[int, Counts]:
    """What evaluating a module costs, and what it counts."""
    function = module.entry
    names = list(function.parameter_names)
    arguments = read_values(Source("<values>", values), function.parameter_layouts, names)
    leaves, sizes = [], []
    for value, t in zip(arguments, function.parameter_layouts, strict=True):
        found, dimensions = to_leaves(value, t)
        leaves += found
        sizes += dimensions
    counts = Counts()
    evaluate(module, leaves, sizes, lambda layout, value: None, counts)
    return sum(TABLE[name].cost * n for name, n in counts.operations.items()), counts


def running_scans(module: Module) -> int:
    """How many scans a module has whose values are used in the loops that make them only."""
    loops = [n for n in all_nodes(module.entry.body) if isinstance(n, Multiloop)]
    generators = [g for loop in loops for g in loop.generators]
    return len([g for g in generators if isinstance(g, Scan) and not g.stored])


@pytest.mark.one_in(10)
@pytest.mark.parametrize(("path", "kind", "text"), [run for run in RUNS if run.values[1] == "run"])
def test_nothing_is_computed_twice(path: Path, kind: str, text: str) -> None:
    """Without leave to duplicate, no more operations are executed, and no more elements made."""
    call, _, _ = text.rpartition(" => ")
    entry, _, values = call.partition(" ")
    before, after = fused(path, entry, FusionOptions(duplicate=False), optimised=False)
    old, old_counts = work(before, values)
    new, new_counts = work(after, values)
    # What a filter lets through is counted by an addition; for its positions, each is counted too.
    # One loop for both sides of a concat asks in each iteration which side it is on.
    concats = [n for n in all_nodes(before.entry.body) if isinstance(n, Concat)]
    counting = new_counts.iterations * (1 + 3 * running_scans(after) + 2 * len(concats))
    assert new <= old + counting
    if "one-pass" not in taken(path):  # accumulators of a matrix read once, row by row, are rows
        # a table that nothing asked for may be made with what was: there is one offset at least
        loops = [n for n in all_nodes(after.entry.body) if isinstance(n, Multiloop)]
        offsets = len([g for loop in loops for g in loop.generators if is_hashed(g) and groups(g)])
        assert new_counts.elements <= old_counts.elements + offsets


@pytest.mark.parametrize("name", ["main", "p1", "p2"])
def test_programs_of_the_appendix(name: str) -> None:
    """P0, P1, P2: at least as fused as the thesis prints them, no check within a loop."""
    if name == "main":
        found = report(load(PROGRAMS / "p0.l0"), "blackscholes")
        assert shown(found) == "map"
    else:
        found = report(load(PROGRAMS / f"{name}.l0"))
        assert shown(found) == "map, map>map, map>map>redomap"
    assert found.arrays == 0


@pytest.mark.parametrize("name", ["p1", "p2"])
def test_no_check_is_left_in_the_loops_of_the_appendix(name: str) -> None:
    _, module = optimise(load(PROGRAMS / f"{name}.l0").facts, "main")
    loops = [node for node in [*module.entry.body.results] for node in node.operands]
    assert loops
    assert not any(block.effects for loop in loops for block in loop.blocks)


@cache
def taken(path: Path, off: frozenset[str] = frozenset()) -> frozenset[str]:
    """The rules by which a program is fused, some being off."""
    graph, module = optimise(load(path).facts, "main", until="fuse")
    return frozenset(fuse(graph, module.entry, FusionOptions(off=off)).steps.taken)


@pytest.mark.one_in(20)
@pytest.mark.parametrize("rule", RULES)
def test_every_rule_can_be_switched_off(rule: str) -> None:
    """Some program is fused by each rule, but not when it is off."""
    path = next(path for path in FUSION if rule in taken(path))
    assert rule not in taken(path, frozenset({rule}))


@pytest.mark.parametrize(
    ("name", "values", "roots"),
    [
        ("gather_inner", "[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]] [4.0, 9.0]", 2),
        ("gather_expensive", "[1.0, 4.0, 9.0] [2, 2, 0, 1, 2]", 3),
        ("reversed", "[1.0, 4.0, 9.0]", 3),
        ("split_both", "[1.0, 4.0, 9.0] 1", 3),
        ("split_one", "[1.0, 4.0, 9.0] 2", 1),
        ("one_pass_weights", "[[1.0, 4.0], [9.0, 16.0], [1.0, 1.0]] [1.0, 2.0, 3.0]", 6),
    ],
)
def test_so_many_roots_are_computed(name: str, values: str, roots: int) -> None:
    """Elements that are computed where they are read: as many as before, or fewer."""
    module = optimise(load(PROGRAMS / "fusion" / f"{name}.l0").facts, "main")[1]
    assert work(module, values)[1].operations["real.sqrt"] == roots


def test_an_outer_value_is_computed_as_often_as_before() -> None:
    """Of a nest that is transposed: n exponentials stay n, they do not become n * m."""
    path = PROGRAMS / "fusion" / "outer_kept.l0"
    program = load(path)
    module = optimise(program.facts, "main")[1]
    rows, columns = 5, 7
    values = [np.ones((rows, columns)), np.ones(rows)]
    counts = Counts()
    evaluate(module, values, [rows, columns, rows], lambda layout, value: None, counts)
    assert counts.operations["real.exp"] == rows
    assert counts.operations["real.mul"] == rows * columns
