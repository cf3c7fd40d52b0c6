"""Every generator of the one loop form, alone and together, is compiled as it is evaluated.

The loops are made by hand, so that generators meet that no program brings together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cogen.array.c.cprogram import c_program
from cogen.array.c.nativeprogram import NativeProgram
from cogen.array.fusion.mergedgenerators import streams_where
from cogen.array.ir.blockscope import BlockScope
from cogen.array.ir.evaluate import evaluate
from cogen.array.ir.generators import (
    Bucket,
    Collect,
    Elements,
    Emit,
    Generator,
    Reduce,
    Scan,
    Scatter,
    StreamValue,
    When,
)
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import INT, GraphArray
from cogen.array.ir.node import (
    Block,
    Function,
    Module,
    Node,
)
from cogen.array.l0.types import INT as L0_INT
from cogen.array.l0.types import TupleType
from cogen.array.opencl.device import device
from cogen.array.opencl.deviceprogram import DeviceCode, DeviceProgram
from cogen.array.optimise.preparing import Prepared
from cogen.array.schedule.schedule import schedule
from cogen.lang.errors import Source, Span
from tests.cogen.array.targets import QUICK, need_device

SPAN = Span(Source("made by hand", " "), 0, 0)

Taken = tuple[Generator, StreamValue, list[Node]]
"""A generator, what it takes in each iteration, and its extra operands."""


class Making:
    """A function of an array of ints, its size n, and a number k of buckets."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.scope = BlockScope(self.graph)
        self.n = self.graph.parameter("n", INT)
        self.k = self.graph.parameter("k", INT)
        self.a = self.graph.parameter("a", GraphArray(INT, (self.n,)))
        self.body = self.scope.inner()
        self.i = self.graph.parameter("i", INT)
        self.x = self.graph.parameter("x", INT)

    def op(self, name: str, *operands: Node) -> Node:
        return self.graph.operation(name, *operands)

    def number(self, value: int) -> Node:
        return self.graph.integer(value)

    @property
    def odd(self) -> Node:
        return self.op("int.eq", self.op("int.and", self.x, self.number(1)), self.number(1))

    @property
    def key(self) -> Node:
        return self.op("int.and", self.x, self.number(3))

    @property
    def square(self) -> Node:
        return self.op("int.mul", self.x, self.x)

    def operator(self, name: str) -> Block:
        """An operator of one of the table's operations."""
        inner = self.scope.inner()
        p, q = self.graph.parameter("p", INT), self.graph.parameter("q", INT)
        return inner.block((p, q), (self.op(name, p, q),))

    def last(self) -> Block:
        """An operator that is associative, but does not commute: the last that is not 0."""
        graph, inner = self.graph, self.scope.inner()
        p, q = graph.parameter("p", INT), graph.parameter("q", INT)
        none = self.op("int.eq", q, self.number(0))
        then, otherwise = [inner.inner().block((), (value,)) for value in (p, q)]
        node = inner.if_(none, then, otherwise, (INT,))
        return inner.block((p, q), (graph.part(node, 0),))

    def module(self, taken: list[Taken], operators: list[Block]) -> Module:
        """The function that gives all results of a loop with these generators."""
        body = self.body.body((self.i, self.x), [stream for _, stream, _ in taken])
        loop = self.scope.multiloop(
            self.n,
            [self.a],
            [generator for generator, _, _ in taken],
            [extra for _, _, extras in taken for extra in extras],
            [body, *operators],
        )
        results = self.graph.parts(loop)
        function = Function(
            "main",
            self.scope.block((self.n, self.k, self.a), results),
            2,
            0,
            tuple([result.type for result in results]),
            ("a",),
            (L0_INT,),
            TupleType((L0_INT,) * len(results)),
            SPAN,
            False,
        )
        return Module(function, {})


def buckets(m: Making) -> tuple[list[Taken], list[Block]]:
    return (
        [
            (Bucket(1), Emit((m.key, m.square)), [m.k, m.number(0)]),
            (Bucket(1), When(m.odd, Emit((m.key, m.x))), [m.k, m.number(0)]),
        ],
        [m.operator("int.add"), m.last()],
    )


def reductions(m: Making) -> tuple[list[Taken], list[Block]]:
    return (
        [
            (Reduce(1), Emit((m.x,)), [m.number(0)]),
            (Reduce(1), When(m.odd, Emit((m.square,))), [m.number(1)]),
            (Reduce(1), Emit((m.x,)), [m.number(0)]),
        ],
        [m.operator("int.add"), m.operator("int.mul"), m.last()],
    )


def scans(m: Making) -> tuple[list[Taken], list[Block]]:
    return (
        [
            (Scan(1), Emit((m.square,)), [m.number(0)]),
            (Scan(1), Emit((m.x,)), [m.number(0)]),
        ],
        [m.operator("int.add"), m.last()],
    )


def kept_scan(m: Making) -> tuple[list[Taken], list[Block]]:
    return [(Scan(1), When(m.odd, Emit((m.x,))), [m.number(0)])], [m.operator("int.add")]


def collections(m: Making) -> tuple[list[Taken], list[Block]]:
    return (
        [
            (Collect(1), Emit((m.square,)), []),
            (Collect(2), When(m.odd, Emit((m.x, m.i))), []),
            (Collect(1), When(m.op("bool.not", m.odd), Emit((m.square,))), []),
        ],
        [],
    )


def scattered(m: Making) -> tuple[list[Taken], list[Block]]:
    target = m.graph.replicate(m.k, m.number(-1))
    return [(Scatter(1), Emit((m.key, m.i)), [target]), (Reduce(1), Emit((m.x,)), [m.number(0)])], [
        m.operator("int.add")
    ]


def groups(m: Making) -> tuple[list[Taken], list[Block]]:
    """By keys that are computed, and not; values that are, and elements of the input."""
    limits = m.op("int.add", m.k, m.number(1))
    return [
        (Bucket(2, collects=True), Emit((m.key, m.square, m.x)), [limits]),
        (Bucket(0, collects=True), Emit((m.key,)), [limits]),
        (Bucket(0, hashed=True, numbered=True), Emit((m.key,)), []),
        (Bucket(0, hashed=True, numbered=True), Emit((m.x,)), []),
        (Collect(1), Emit((m.x,)), []),
    ], [m.graph.nothing(), m.graph.nothing()]


def tables(m: Making) -> tuple[list[Taken], list[Block]]:
    """Keys, values that are combined, numbers; each of them, and some without the others."""
    return [
        (Bucket(1, hashed=True, numbered=True), Emit((m.key, m.square)), [m.number(0)]),
        (Bucket(1, keys=2, hashed=True), Emit((m.x, m.key, m.i)), [m.number(-1)]),
        (
            Bucket(2, hashed=True),
            When(m.odd, Emit((m.x, m.i, m.x))),
            [m.number(0), m.number(0)],
        ),
        (Bucket(0, keys=2, hashed=True, numbered=True), Emit((m.key, m.odd)), []),
    ], [m.operator("int.add"), m.last(), together_of(m, "int.add", "int.mul"), m.graph.nothing()]


def groups_by_key(m: Making) -> tuple[list[Taken], list[Block]]:
    """Groups whose keys are found: with a table of their own, with that of other groups, with that
    of what is reduced, and of several parts."""
    return [
        (Bucket(2, hashed=True, collects=True), Emit((m.key, m.square, m.x)), []),
        (Bucket(1, hashed=True, collects=True), Emit((m.key, m.i)), []),
        (Bucket(1, hashed=True), Emit((m.square, m.x)), [m.number(0)]),
        (Bucket(1, hashed=True, collects=True, numbered=True), Emit((m.square, m.i)), []),
        (Bucket(0, keys=2, hashed=True, collects=True), Emit((m.odd, m.x)), []),
    ], [m.operator("int.add")]


def together_of(m: Making, *names: str) -> Block:
    """Operators of the table's operations, as one."""
    inner = m.scope.inner()
    left, right = ([m.graph.parameter(word, INT) for _ in names] for word in "pq")
    rows = zip(names, left, right, strict=True)
    return inner.block((*left, *right), tuple([m.op(name, p, q) for name, p, q in rows]))


def appended(m: Making) -> tuple[list[Taken], list[Block]]:
    numbers = m.graph.iota(m.key)
    twice = m.graph.replicate(m.key, m.x)
    _, where_odd = streams_where(m.graph, m.odd, [numbers])
    return [
        (Collect(2), Elements((numbers, twice)), []),
        (Collect(1), Elements((where_odd,)), []),
        (Reduce(1), Emit((m.x,)), [m.number(0)]),
    ], [m.operator("int.add")]


def together(m: Making) -> tuple[list[Taken], list[Block]]:
    parts = [buckets(m), reductions(m), scans(m), collections(m)]
    return [t for taken, _ in parts for t in taken], [b for _, blocks in parts for b in blocks]


LOOPS = (
    buckets, reductions, scans, kept_scan, collections, scattered, groups, tables,
    groups_by_key, appended,
    together,
)  # fmt: skip
ARRAYS = [np.array(a, np.int64) for a in ([], [3], [2, -5, 7, 7, 0, 1], range(-40, 60))]


@pytest.mark.one_in(20)
@pytest.mark.parametrize("make", LOOPS, ids=lambda make: make.__name__)
@pytest.mark.parametrize("way", ["c-1", "c-2", "c-7", "opencl"])
def test_loop(make: Callable[[Making], Any], way: str) -> None:
    making = Making()
    module = making.module(*make(making))
    ready = Prepared(module, schedule(module.entry, {}), {}, {})
    if way == "opencl":
        need_device()
        program = DeviceProgram(DeviceCode(ready), device())
        program.part = 1
    else:
        native = NativeProgram(c_program(ready), QUICK)
        native.grain = 0
    for a in ARRAYS:
        expected = evaluate(module, [a], [len(a), 4], lambda layout, value: None)
        sizes = [len(a), 4]
        if way == "opencl":
            found = program([a], sizes, lambda layout, leaves: None)
        else:
            found = native([a], sizes, int(way[-1]), lambda layout, leaves: None)
        for mine, right in zip(found, expected, strict=True):
            assert np.array_equal(mine, right)
            assert np.asarray(mine).dtype == np.asarray(right).dtype
