"""What became of each array operation of a program: fused into what, or forbidden by which rule.

    report(program, "main")  ->  FusionReport: operations, loops that remain, arrays in memory

`Report.json` is the data of `cogen array fuse-report --json` (docs/fusion.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from cogen.array.fusion.fuse import Fused, FusionOptions, fuse, note_places
from cogen.array.fusion.mergedgenerators import part_key
from cogen.array.fusion.mergeloops import owner_of
from cogen.array.fusion.nodeplaces import Places
from cogen.array.fusion.reasons import NEEDED, Reason, Reasons
from cogen.array.fusion.rulenames import kind
from cogen.array.ir.graph import Graph
from cogen.array.ir.node import (
    Function,
    If,
    Loop,
    Module,
    Multiloop,
    Node,
    Region,
)
from cogen.array.l0 import tree
from cogen.array.l0.extensions import OPERANDS
from cogen.array.optimise.optimise import optimise
from cogen.array.report.flowgraph import FlowGraph, Note, flow_graph
from cogen.array.report.fusiondata import FusionReport, ReportedOperation, Soac
from cogen.array.report.loopwork import LoopWork, work_of
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import Span

if TYPE_CHECKING:
    from cogen.array.l0.checked import CheckedProgram

SOACS: Final = ("map", "filter", "reduce", "scan", "redomap", *OPERANDS)
"""The operations that become loops; also those with tuples, `mapT` and the others."""

_OTHERS: Final = (
    "iota", "replicate", "copy", "concat", "split", "reshape", "transpose", "rearrange",
)  # fmt: skip


def report(
    program: CheckedProgram, entry: str = "main", options: FusionOptions | None = None
) -> FusionReport:
    """What fusion does to a function of a program, and to the functions that it calls."""
    program.function(entry)
    graph, module = optimise(program.facts, entry, until="fuse")
    functions = [module.entry, *module.functions.values()]
    fused = [fuse(graph, function, options, module.functions) for function in functions]
    return on_deep_stack(_Reporter(program, graph, module, fused).report, entry)


def data_flow(program: CheckedProgram, entry: str = "main", before: bool = False) -> FlowGraph:
    """The data-flow of a function, before or after fusion, to be drawn."""
    program.function(entry)
    graph, module = optimise(program.facts, entry, until="fuse")
    function = module.entry
    note_places(graph, function)
    if not before:
        function = fuse(graph, function, functions=module.functions).function
    return flow_graph(graph, function)


@dataclass(frozen=True, slots=True)
class FusionPicture:
    """What fusion did to a function: the report, and the data-flow before and after."""

    report: FusionReport
    before: FlowGraph
    after: FlowGraph
    stored: frozenset[int]
    """The operations whose results are intermediate arrays in memory, by their ids."""
    work: Mapping[int, LoopWork]
    """What a round of each loop does, by its id."""


def picture(
    program: CheckedProgram, entry: str = "main", options: FusionOptions | None = None
) -> FusionPicture:
    """What fusion does to a function, to be drawn: loops with the operations that were fused into
    them, and why arrays are put into memory."""
    program.function(entry)
    graph, module = optimise(program.facts, entry, until="fuse")
    functions = [module.entry, *module.functions.values()]
    note_places(graph, module.entry)
    before = flow_graph(graph, module.entry)
    fused = [fuse(graph, function, options, module.functions) for function in functions]
    reporter = _Reporter(program, graph, module, fused)
    found = on_deep_stack(reporter.report, entry)
    after = flow_graph(graph, fused[0].function, reporter.notes(found), reporter.kept)
    numbers = {origin: number for number, origin in enumerate(reporter.numbered, 1)}
    stored = frozenset(numbers[origin] for origin in reporter.stored if origin in numbers)
    work = {number: work_of(loop) for loop, number in reporter.loops.items()}
    return FusionPicture(found, before, after, stored, work)


class _Reporter:
    """Puts a report together."""

    def __init__(
        self, program: CheckedProgram, graph: Graph, module: Module, fused: list[Fused]
    ) -> None:
        self.program = program
        self.module = module
        self.graph = graph
        self.fused = fused
        self.names = dict(_names(program))
        self.soacs: list[Soac] = []
        self.into: dict[int, list[int]] = {}
        self.reasons: dict[int, Reason] = {}
        self.rules: dict[int, str] = {}
        self.arrays = 0
        self.loops: dict[Multiloop, int] = {}
        """The loops by their ids."""
        self.kept: dict[Node, str] = {}
        """The intermediate arrays in memory, and the rules that said so."""
        self.stored: set[int] = set()
        """The operations whose results these are."""
        self.numbered: list[int] = []
        """The operations of the report, in order, as the graph numbers them."""

    def notes(self, report: FusionReport) -> dict[Node, list[Note]]:
        """For each loop what a round does, and the operations that it evaluates."""
        return {
            loop: [
                (work_of(loop).short, report.soacs[number - 1].span),
                *[
                    (
                        f"{one.operation}{' ' + one.name if one.name else ''} · {one.span.line}",
                        one.span,
                    )
                    for one in report.operations
                    if number in one.into
                ],
            ]
            for loop, number in self.loops.items()
        }

    def report(self, entry: str) -> FusionReport:
        for fused in self.fused:
            places = Places(fused.function)
            reasons = Reasons(places, self.graph.spans, self.module.functions)
            stored = reasons.arrays()
            self.arrays += len(stored)
            self._keep(stored, reasons, fused)
            self.rules.update(fused.steps.rules)
            self._loops(places, fused.function)
            self._because(places, reasons, fused)
        operations = []
        for number, origin in enumerate(self.graph.sources):
            word = origin.name.removesuffix("T")
            if word not in SOACS and word not in _OTHERS:
                continue
            reason = self.reasons.get(number)
            blocker = None if reason is None or reason.blocker is None else reason.blocker
            operations.append(
                ReportedOperation(
                    number,
                    origin.name,
                    self.names.get(origin.span),
                    origin.span,
                    tuple(self.into.get(number, ())),
                    self.rules.get(number),
                    None if reason is None else reason.rule,
                    None if blocker is None else self.graph.spans.get(blocker),
                )
            )
        own = self.program.source.text
        operations.sort(
            key=lambda o: (
                o.span.source.text != own,
                o.span.source.name,
                o.span.line,
                o.span.column,
            )
        )
        self.numbered = [operation.id for operation in operations]
        ordered = [
            ReportedOperation(i, o.operation, o.name, o.span, o.into, o.rule, o.because, o.blocker)
            for i, o in enumerate(operations, 1)
        ]
        return FusionReport(
            self.program.source.name, entry, tuple(ordered), tuple(self.soacs), self.arrays
        )

    def _keep(self, stored: list[Node], reasons: Reasons, fused: Fused) -> None:
        """Take note of the arrays in memory, and what makes them."""
        for array in stored:
            reason = reasons.of(array)
            if reason is not None:
                self.kept[array] = reason.rule
            makers = fused.steps.makers.of(array)
            self.stored |= makers or self.graph.origins.get(array, frozenset())

    def _loops(self, places: Places, function: Function) -> None:
        """The loops that remain, outer ones before those within."""
        found: list[tuple[tuple[int, ...], Multiloop]] = []
        for block, loops in places.loops().items():
            outside = tuple([owner.number for owner, _ in places.path(block)])
            found += [((*outside, loop.number), loop) for loop in loops]
        for _, loop in sorted(found, key=lambda entry: entry[0]):
            number = self.loops[loop] = len(self.soacs) + 1
            path = tuple(_words(places, loop))
            span = self.graph.spans.get(loop, function.span)
            self.soacs.append(Soac(number, kind(loop), path, span))
            for operation in sorted(self._evaluated(loop)):
                self.into.setdefault(operation, []).append(number)

    def _evaluated(self, loop: Multiloop) -> set[int]:
        """The operations that a loop evaluates: its own, and those of its inputs that are views
        and expressions."""
        origins = self.graph.origins
        found = set(origins.get(loop, ()))
        stack = list(loop.inputs)
        while stack:
            node = stack.pop()
            if not isinstance(node, Region) and node.operands and node in origins:
                name = {self.graph.sources[k].name for k in origins[node]}
                if not name.isdisjoint(_OTHERS):
                    found |= origins[node]
                    stack.append(node.operands[0])
        return found

    def _because(self, places: Places, reasons: Reasons, fused: Fused) -> None:
        """Why the results of operations are not fused into what uses them."""
        for node in places.nodes:
            if _is_count(node):
                continue
            makers = fused.steps.makers.of(node)
            if node.makes_whole:
                sources = self.graph.origins.get(node, frozenset())
                makers = frozenset(k for k in sources if self.graph.sources[k].name in _OTHERS)
            if not makers:
                continue
            reason = reasons.of(node)
            if reason is None:
                continue
            for operation in makers:
                known = self.reasons.get(operation)
                if known is None or reason.rule == NEEDED:
                    self.reasons[operation] = reason


def _is_count(node: Node) -> bool:
    """Whether a node is the number of iterations in which a generator's condition holds."""
    key = part_key(node)
    if key is None:
        return False
    y = owner_of(*key)
    return y.counts and y.conditional and key[1] == y.first


def _words(places: Places, loop: Multiloop) -> Iterator[str]:
    """What a loop stands in, outermost first."""
    for owner, block in places.path(places.place[loop]):
        if isinstance(owner, Multiloop):
            yield kind(owner)
        elif isinstance(owner, Loop):
            yield "loop"
        elif isinstance(owner, If):
            yield "then" if block is owner.then else "else"


def _names(program: CheckedProgram) -> Iterator[tuple[Span, str]]:
    """The variables to which expressions of a program are bound, by the expressions' places."""
    stack: list[object] = [definition.body for definition in program.facts.definitions.values()]
    while stack:
        node = stack.pop()
        if isinstance(node, tree.LetExpression):
            names = _pattern(node.pattern)
            value = node.value
            while isinstance(value, tree.Predicated):
                value = value.body
            if names:
                yield value.span, names
                if isinstance(value, tree.Form) and value.name == "unzip":
                    yield value.operands[0].span, names
        if isinstance(node, tuple):
            stack += node
        elif hasattr(node, "__slots__") or hasattr(node, "__dataclass_fields__"):
            fields = getattr(node, "__dataclass_fields__", {})
            stack += [getattr(node, name) for name in fields if name != "span"]


def _pattern(pattern: tree.Pattern) -> str | None:
    """A pattern's variables, if it has some, as people write them."""
    if isinstance(pattern, tree.Name):
        return pattern.text
    if isinstance(pattern, tree.TuplePattern):
        parts = [_pattern(part) or "_" for part in pattern.parts]
        return parts[0] if len(parts) == 1 else "{" + ", ".join(parts) + "}"
    return None
