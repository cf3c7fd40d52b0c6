"""What loops keep without a jump: where it is right, and that nothing else comes out."""

from __future__ import annotations

import numpy as np
import pytest

from cogen.array import loads
from cogen.array.l0.arithmetic import WIDE
from cogen.array.loops import tree
from cogen.array.loops.check import check
from cogen.array.loops.compact import compact
from cogen.array.loops.interpret import LoopMachine
from cogen.array.loops.memory import MemoryPlace, MemoryRegion
from cogen.array.loops.read import read
from cogen.array.loops.show import show
from cogen.array.loops.tree import I64
from cogen.array.opencl.deviceprogram import DeviceCode, for_device
from cogen.array.optimise.optimisations import Options
from cogen.array.optimise.preparing import prepare
from tests.cogen.array.loopways import interpreted

pytestmark = pytest.mark.quick

REGION = "(allocate (r block) i64 n 0) (let (y (* i64)) (data (* i64) r))"
COUNTER = "(variable (k i64) 0)"
TEST = "(let (c bool) (int.lt bool i 3))"
KEEPS = "(when c (do (store y k = i) (set k + 1)) (do ()))"
SHOWN = "(for (j i64) 0 k 1 () (store out j = (at y j))) (do (invoke drop bool r))"


def loop(body: str, stop: str = "n") -> str:
    return f"(for (i i64) 0 {stop} 1 () {TEST} {body})"


def function(body: str) -> tree.Function:
    (found,) = read(f'(function f ((n i64) (out (* i64))) "f" {body})')
    assert isinstance(found, tree.Function)
    return found


def run(f: tree.Function, n: int) -> list[int]:
    check([f])
    out = MemoryRegion(bytearray(8 * 8))
    LoopMachine([f], WIDE).call("f", [n, MemoryPlace(out, 0, I64)])
    return [MemoryPlace(out, 0, I64).moved(k).load() for k in range(8)]


def test_what_is_kept() -> None:
    plain = function(REGION + COUNTER + loop(KEEPS) + SHOWN)
    (made,) = compact([plain])
    assert "(when" not in show([made])
    for n in range(8):
        assert run(made, n) == run(plain, n) == [*range(min(n, 3)), *[0] * (8 - min(n, 3))]


OTHERS = {
    "fewer iterations": REGION + COUNTER + loop(KEEPS, "(- n 1)"),
    "a counter that goes on": REGION + COUNTER + "(set k + 1)" + loop(KEEPS, "n"),
    "a counter that two change": REGION + COUNTER + loop(KEEPS + "(set k + 1)"),
    "an element elsewhere": REGION + COUNTER + loop(KEEPS.replace("y k", "y i")),
    "memory that is given": COUNTER + loop(KEEPS.replace("y k", "out k")),
    "steps of two": REGION + COUNTER + loop("(when c (do (store y k = i) (set k + 2)) (do ()))"),
    "two ways": REGION + COUNTER + loop(KEEPS.replace("(do ())", "(do (store out 0 = i))")),
    "what may fail": REGION + COUNTER + loop(KEEPS.replace("= i", "= (int.div i64 n i)")),
    "nothing stored": REGION + COUNTER + loop("(when c (do (set k + 1)) (do ()))"),
}


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS)
def test_what_stays(body: str) -> None:
    plain = function(body)
    assert compact([plain]) == (plain,)


PROGRAM = "fun [int] main([int] a, int k) = filter(fn bool (int x) => x < k, a)"


def test_programs() -> None:
    """Loops and kernels store always, or where the condition holds without this pass."""
    source = loads(PROGRAM)
    values = (np.arange(20) * 7 % 11, 5)
    off = frozenset(["compact", "filters"])
    for left in (frozenset[str](), off):
        made = interpreted(source, options=Options(left))
        assert made(*values).tolist() == source.run(*values).tolist()
        text = DeviceCode(prepare(source.facts, "main", for_device(None)), left, verify=True).text
        kernel = text[text.index("__kernel void multiloop_main") :]
        assert ("if (v" in kernel[: kernel.index("counts[part]")]) is bool(left)
