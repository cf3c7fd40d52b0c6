"""Several iterations at a time, as vectors of lanes: which loops, and that results stay."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from cogen.array import Program, loads
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.loops import tree, treewalk, widen
from cogen.array.loops.copying import UntakenNames
from cogen.array.loops.expressions import ONE, ZERO, natural
from cogen.array.loops.tree import BOOL, F64, I64, U8, Block, Combination, Expr, Pointer, Var
from cogen.array.loops.widen import widened
from cogen.array.opencl.deviceprogram import DeviceCode, DeviceProgram
from cogen.array.optimise.preparing import prepare
from cogen.array.programs.compiledprogram import Compiled
from cogen.lang.errors import CogenError, InternalError
from tests.cogen.array.fakedevice import device_of
from tests.cogen.array.randomprograms import programs
from tests.cogen.array.targets import same

INDEX, J, N, X, S = (Var(name, I64) for name in ("i", "j", "n", "x", "s"))
TEST = Var("test", BOOL)
A, Y = (Var(name, Pointer(I64, "global")) for name in ("a", "y"))
BYTES = Var("bytes", Pointer(U8, "global"))
SUM = Combination("+", 0, "int.add")


def add(*operands: Expr) -> Expr:
    return tree.Operate("int.add", operands, I64)


def wide(*body: tree.Statement, step: Expr = ONE, arithmetic: Arithmetic = WIDE) -> Block | None:
    loop = tree.For(INDEX, ZERO, N, step, body)
    names = UntakenNames(())
    names.taken |= {v.name for v in (INDEX, J, N, X, S, TEST, A, Y, BYTES)}
    return widened(loop, [(SUM, S, ZERO)], arithmetic, names)


ELEMENT = tree.Let(X, tree.Load(A, INDEX))
STORED = tree.Store(Y, INDEX, X)
LESS = tree.Let(TEST, tree.Operate("int.lt", (X, ONE), BOOL))


def invoked(block: Block | None, function: str) -> list[tree.Invoke]:
    assert block is not None
    return [
        x
        for s in treewalk.all_statements(block)
        for e in treewalk.expressions(s)
        for x in treewalk.within(e)
        if isinstance(x, tree.Invoke) and x.function == function
    ]


WIDE_BODIES: dict[str, tuple[Block, int, int]] = {
    "elements": ((ELEMENT, STORED), 1, 1),
    "a neighbour": ((tree.Let(X, tree.Load(A, add(INDEX, ONE))), STORED), 1, 1),
    "a neighbour before": (
        (tree.Let(X, tree.Load(A, tree.Binary("-", INDEX, ONE))), STORED), 1, 1,
    ),
    "a row": ((tree.Let(X, tree.Load(A, tree.Binary("+", N, INDEX))), STORED), 1, 1),
    "one element for all": ((tree.Let(X, tree.Load(A, N)), STORED), 0, 1),
    "the index": ((tree.Store(Y, INDEX, INDEX),), 0, 1),
    "a sum": ((ELEMENT, tree.Assign(S, add(S, X))), 1, 0),
    "bools": (
        (tree.Let(TEST, tree.Binary("!=", tree.Load(BYTES, INDEX), tree.Const(0, U8))),
         tree.Store(BYTES, INDEX, tree.Not(TEST))), 1, 1,
    ),
    "a choice": ((ELEMENT, LESS, tree.Store(Y, INDEX, tree.Choose(TEST, X, ONE))), 1, 1),
    "a loop within": (
        (ELEMENT, tree.Variable(Var("r", I64), X),
         tree.For(J, ZERO, N, ONE, (tree.Assign(Var("r", I64), add(Var("r", I64), J)),)),
         tree.Store(Y, INDEX, Var("r", I64))), 1, 1,
    ),
    "a conditional": (
        (ELEMENT, LESS, tree.IfStatement(TEST, (tree.Assign(S, add(S, X)),)), STORED), 1, 1,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("body", "loads", "stores"), WIDE_BODIES.values(), ids=WIDE_BODIES)
def test_lanes(body: Block, loads: int, stores: int) -> None:
    found = wide(*body)
    assert len(invoked(found, "vload")) == loads
    assert len(invoked(found, "vstore")) == stores


R = Var("r", I64)
NARROW_BODIES: dict[str, Block] = {
    "what fails": (tree.Fail(1, ()),),
    "an effect": (tree.Do(tree.Invoke("barrier", (), BOOL)),),
    "an element that is looked up": (ELEMENT, tree.Let(R, tree.Load(A, X)), STORED),
    "elements that lie apart": (
        tree.Let(X, tree.Load(A, tree.Binary("*", INDEX, N))), STORED,
    ),
    "elements the other way round": (
        tree.Let(X, tree.Load(A, tree.Binary("-", N, INDEX))), STORED,
    ),
    "a place that is computed": (ELEMENT, tree.Store(Y, X, ONE)),
    "one place": (tree.Store(Y, N, ONE),),
    "a store under a condition": (ELEMENT, LESS, tree.IfStatement(TEST, (STORED,))),
    "a look under a condition": (
        ELEMENT, LESS, tree.Variable(R, X),
        tree.IfStatement(TEST, (tree.Assign(R, tree.Load(A, INDEX)),)),
    ),
    "a loop under a condition": (
        ELEMENT, LESS, tree.IfStatement(TEST, (tree.For(J, ZERO, N, ONE, ()),)),
    ),
    "much under a condition": (
        ELEMENT, LESS, tree.IfStatement(TEST, (tree.Assign(S, add(S, X)),) * 41),
    ),
    "rounds that differ": (ELEMENT, tree.For(J, ZERO, X, ONE, ())),
    "a division": (
        ELEMENT, tree.Let(R, tree.Operate("int.div", (X, N), I64)), STORED,
    ),
    "an address": (tree.Let(Var("row", A.type), tree.Binary("+", A, INDEX)),),
    "a char": (
        tree.Let(Var("c", tree.U32), tree.Load(Var("text", Pointer(tree.U32)), INDEX)),
    ),
    "two tests": (
        ELEMENT, LESS,
        tree.Let(Var("both", BOOL), tree.Binary("&&", TEST, TEST)),
    ),
    "what is assigned outside": (ELEMENT, tree.Assign(R, X)),
    "a real as an index": (
        tree.Let(Var("f", F64), tree.Binary("+", tree.Const(1.0, F64), INDEX)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("body", NARROW_BODIES.values(), ids=NARROW_BODIES)
def test_what_has_no_lanes(body: Block) -> None:
    assert wide(*body) is None


def test_lanes_of_one_width() -> None:
    """Ints and reals are alike, and iterations follow each other."""
    assert wide(ELEMENT, STORED, arithmetic=Arithmetic(32, 64)) is None
    assert wide(ELEMENT, STORED, step=natural(2)) is None


# Results.


def on_fake(program: Program, lanes: bool) -> Compiled:
    code = DeviceCode(prepare(program.facts, "main"))
    native = DeviceProgram(code, device_of(code, 16))
    native.lanes = lanes
    native.part = 1000
    return Compiled(program, "main", "opencl", native)


BRANCHES = """
fun [int] main([int] a) =
  map(fn int (int x) =>
        if x < 5 then (if x < 2 then x + 1 else x * x) else (if x < 8 then x - 3 else 0), a)
"""


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 16, 30])
def test_nested_branches(size: int) -> None:
    program = loads(BRANCHES)
    a = np.arange(size) % 11
    assert same(on_fake(program, True)(a), program.run(a))


@settings(max_examples=max(12, settings().max_examples // 30))
@given(case=programs())
def test_random_programs(case: tuple[str, str]) -> None:
    """With two lanes, so that small arrays have some."""
    text, values = case
    try:
        program = loads(text)
    except CogenError:  # rows that visibly differ
        return
    bits, widen.BITS = widen.BITS, 128  # type: ignore[misc]  # for this test
    try:
        ways = [on_fake(program, lanes) for lanes in (False, True)]
        assert outcome(ways[0], values) == outcome(ways[1], values)
    finally:
        widen.BITS = bits  # type: ignore[misc]  # as it was


def outcome(way: Compiled, values: str) -> str:
    try:
        return way.run_text(values, trace=lambda _: None)
    except InternalError:
        raise
    except CogenError:
        return "fails"
