"""Rows made where they are collected: which loops allow it, and that nothing else comes out."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from cogen.array import loads
from cogen.array.l0.arithmetic import WIDE
from cogen.array.loops import tree
from cogen.array.loops.aim import aim, aimed
from cogen.array.loops.check import check
from cogen.array.loops.interpret import LoopMachine
from cogen.array.loops.memory import MemoryPlace, MemoryRegion
from cogen.array.loops.read import read
from cogen.array.loops.show import show
from cogen.array.loops.tree import I64
from cogen.array.opencl.deviceprogram import DeviceCode, for_device
from cogen.array.optimise.optimisations import Options
from cogen.array.optimise.preparing import prepare
from tests.cogen.array.loopways import interpreted
from tests.cogen.array.randomrows import arguments, program
from tests.cogen.array.targets import same

MADE = "(allocate (r block) i64 3 1) (let (a (* i64)) (data (* i64) r))"
FILLED = "(for (j i64) 0 3 1 (apart) (store a j = (+ (* i 10) j)))"
ROW = "(let (row (* i64)) (+ y (* i 3)))"
COPIED = "(do (invoke copy bool row a (* (to size 3) (size-of i64))))"
NEST = "(for (k i64) 0 3 1 () (store row k = (at a k)))"
DROPPED = "(do (invoke drop bool r))"
MORE = "(do (invoke copy bool {} {} (* (to size 3) (size-of i64))))"


def function(body: str, before: str = "", after: str = "", mark: str = "(apart)") -> tree.Function:
    """Collects `n` rows of three in `y`, which it copies to `out`."""
    text = f"""(function f ((n i64) (given (* i64)) (out (* i64))) "f"
        (allocate (y_block block) i64 (* n 3) 1) (let (y (* i64)) (data (* i64) y_block))
        (for (i i64) 0 (* n 3) 1 () (store y i = 7)) {before}
        (for (i i64) 0 n 1 {mark} {body}) {after}
        (for (i i64) 0 (* n 3) 1 () (store out i = (at y i)))
        (do (invoke drop bool y_block)))"""
    (found,) = read(text)
    assert isinstance(found, tree.Function)
    return found


def run(f: tree.Function, size: int = 4) -> list[int]:
    check([f])
    given = MemoryRegion(bytearray(np.arange(3, 3 + 3 * size, dtype=np.int64).tobytes()))
    out = MemoryRegion(bytearray(24 * size))
    LoopMachine([f], WIDE).call("f", [size, MemoryPlace(given, 0, I64), MemoryPlace(out, 0, I64)])
    return [MemoryPlace(out, 0, I64).moved(k).load() for k in range(3 * size)]


def regions(f: tree.Function) -> int:
    return show([f]).count("(allocate")


KEPT = "(variable (p (* i64)) (in q) a) (variable (q block) (invoke keep block r))"
CHOSEN = (
    "(variable (p (* i64)) (in q)) (variable (q block)) (when (< i 2) (do (set p = a)"
    " (set q = (invoke keep block r))) (do (set p = a) (set q = (invoke keep block r))))"
)
BREAK = "(when (< 1 i) (do (break)) (do ()))"

RIGHT = {
    "row": MADE + FILLED + ROW + COPIED + DROPPED,
    "nest": MADE + FILLED + ROW + NEST + DROPPED,
    "declared before": ROW + MADE + FILLED + COPIED + DROPPED,
    "overwritten": MADE + FILLED + "(store a 1 = (+ (at a 0) 5))" + ROW + COPIED + DROPPED,
    "of another": MADE + MORE.format("a", "given") + "(store a 0 = i)" + ROW + COPIED + DROPPED,
    "read afterwards": MADE + FILLED + ROW + COPIED + "(let (x i64) (at a 0))" + DROPPED,
    "another reference": MADE + FILLED + KEPT + ROW + COPIED
        + "(let (x i64) (at p 0)) (do (invoke drop bool q))" + DROPPED,
    "chosen": MADE + FILLED + CHOSEN + "(store p 0 = 1)" + ROW + COPIED
        + "(do (invoke drop bool q))" + DROPPED,
    "left within": MADE + f"(for (j i64) 0 3 1 () (store a j = j) {BREAK.replace('i)', 'j)')})"
        "(store a 2 = 4)" + ROW + COPIED + DROPPED,
    "under a condition": f"(when (< i 2) (do {MADE + FILLED + ROW + COPIED + DROPPED}) (do ()))",
}  # fmt: skip


@pytest.mark.parametrize("body", RIGHT.values(), ids=RIGHT)
def test_what_is_made_in_place(body: str) -> None:
    plain = function(body)
    (made,) = aim([plain])
    assert (regions(plain), regions(made)) == (2, 1)
    assert "(invoke copy bool row" not in show([made])
    assert run(made) == run(plain)


OTHER = "(let (other (* i64)) (+ y (* (- (- n 1) i) 3)))"

LEFT = {
    "part": MADE + FILLED + ROW + COPIED.replace("3", "2") + DROPPED,
    "another place": MADE + FILLED + "(let (row (* i64)) (+ y (at given 0)))" + COPIED + DROPPED,
    "known later": MADE + FILLED + "(let (k i64) i) (let (row (* i64)) (+ y (* k 3)))"
        + COPIED + DROPPED,
    "given": MADE + FILLED + "(let (row (* i64)) (+ given (* i 3)))" + COPIED + DROPPED,
    "read between": MADE + FILLED + OTHER + "(store a 0 = (at other 1))" + ROW + COPIED + DROPPED,
    "stored between": MADE + FILLED + OTHER + "(store other 0 = 5)" + ROW + COPIED + DROPPED,
    "changed afterwards": MADE + FILLED + ROW + COPIED + "(store a 0 = 9)" + DROPPED,
    "changed by another name": MADE + FILLED + KEPT + ROW + COPIED
        + "(store p 0 = 9) (do (invoke drop bool q))" + DROPPED,
    "both": MADE + FILLED + ROW + COPIED + "(store row 0 = (at a 1)) (store row 1 = (at a 0))"
        + DROPPED,
    "left": MADE + FILLED + BREAK + ROW + COPIED + DROPPED,
}  # fmt: skip


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT)
def test_what_is_copied(body: str) -> None:
    plain = function(body)
    assert aim([plain]) == (plain,)


def test_regions_that_others_have() -> None:
    """A row is copied where somebody else may look at the place."""
    kept = "(variable (p (* i64)) (in q) y) (variable (q block) (invoke keep block y_block))"
    plain = function(RIGHT["row"], kept, "(do (invoke drop bool q))")
    assert aim([plain]) == (plain,)
    threads = function(RIGHT["row"], mark="(apart) (share 0 0 (placed ((y (* n 3)))))")
    assert aim([threads]) == (threads,)


def test_no_look_at_sizes() -> None:
    """What is copied has room, so it is not too large."""
    made = MADE.replace(" 3 ", " s ")
    check_ = "(let (s i64) (invoke count i64 n m)) (when (> s 99) (do (fail 2 n m)) (do ()))"
    copied = "(do (invoke copy bool row a (* (to size (* n m)) (size-of i64))))"
    body = check_ + made + FILLED + ROW + copied + DROPPED
    (found,) = aim([function(body, before="(let (m i64) 1)")])
    assert "(fail" not in show([found])
    assert regions(found) == 1


def test_kernels() -> None:
    """Parameters are memory of their own where the host says so; what an item has of its own
    goes."""
    text = """(kernel k ((parts i64) (y (* i64 global)) (scratch (* i64 global))) (part i64)
        parts "k" "" ""
        (let (a (* i64 global)) (+ scratch (* part 3)))
        (for (j i64) 0 3 1 () (store a j = j))
        (let (row (* i64 global)) (+ y (* part 3)))
        (for (k i64) 0 3 1 () (store row k = (at a k))))"""
    (kernel,) = read(text)
    assert isinstance(kernel, tree.Kernel)
    size = {"scratch": tree.Const(3, I64)}
    assert aimed(kernel, frozenset(), size) == kernel.body
    made = aimed(kernel, frozenset(["y"]), size)
    assert len(made) == len(kernel.body) - 2
    assert (
        "scratch" not in show([tree.Kernel("k", kernel.parameters, kernel.part, None, made)])[90:]
    )


PROGRAM = """fun [[real]] main([[real]] m) =
  map(fn [real] ([real] v) => map(fn real (real x) => x * v[0], v), m)"""


def test_kernels_of_programs() -> None:
    """Rows of kernels lie in memory of items only without this pass."""
    ready = prepare(loads(PROGRAM).facts, "main", for_device(None))
    assert "scratch" not in DeviceCode(ready, verify=True).text
    assert "scratch" in DeviceCode(ready, frozenset(["aim"]), verify=True).text


@pytest.mark.one_in(24)
@pytest.mark.parametrize("seed", range(21))
def test_random_programs(seed: int) -> None:
    """With the pass and without, loops give what the program gives."""
    random = Random(seed)
    source = loads(program(random))
    values = arguments(random)
    expected = source.run(*values)
    for off in (frozenset[str](), frozenset(["aim"])):
        assert same(interpreted(source, options=Options(off))(*values), expected)
