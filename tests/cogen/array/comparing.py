"""Runs programs in the reference interpreter and through the graph, and compares."""

from __future__ import annotations

from collections.abc import Callable

from cogen.array import Program
from cogen.array.ir.evaluate import evaluate
from cogen.array.ir.marshal import LeafValue, from_leaves, to_leaves
from cogen.array.ir.node import Module
from cogen.array.l0.valuetext import read_values, show_value
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, InternalError, Source
from tests.cogen.array.executing import Executor

Run = Callable[[Module, list[LeafValue], list[int]], list[LeafValue]]


def by_evaluation(module: Module, leaves: list[LeafValue], sizes: list[int]) -> list[LeafValue]:
    """The entry's result by the interpreter of graphs."""
    return evaluate(module, leaves, sizes, lambda layout, value: None)


def by_schedule(module: Module, leaves: list[LeafValue], sizes: list[int]) -> list[LeafValue]:
    """The entry's result by executing the schedule, with updates in place."""
    return on_deep_stack(Executor(module).function, module.entry, [*sizes, *leaves])


def module_outcome(module: Module, text: str, run: Run = by_evaluation) -> str:
    """What a module gives on values as text: a value as text, or the first line of an error."""
    function = module.entry
    arguments = read_values(
        Source("<values>", text), function.parameter_layouts, list(function.parameter_names)
    )
    leaves: list[LeafValue] = []
    sizes: list[int] = []
    for value, t in zip(arguments, function.parameter_layouts, strict=True):
        found, dimensions = to_leaves(value, t)
        leaves += found
        sizes += dimensions
    try:
        results = run(module, leaves, sizes)
    except InternalError:
        raise
    except CogenError as error:
        return error.render().splitlines()[0]
    return show_value(from_leaves(results, function.result_layout), function.result_layout)


def outcome(program: Program, entry: str, text: str) -> str:
    """What a function gives in the reference interpreter, likewise."""
    try:
        return program.run_text(text, entry, "<values>", lambda shown: None)
    except CogenError as error:
        return error.render().splitlines()[0]


def same(found: str, expected: str) -> bool:
    """Whether two outcomes are the same: of errors, which of several is reported may differ."""
    if ": error: " in expected or ": limitation: " in expected:
        return ": error: " in found or ": limitation: " in found
    return found == expected
