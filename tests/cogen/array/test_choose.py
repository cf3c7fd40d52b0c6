"""Choices in the place of conditionals: which are small enough, and that nothing else comes out."""

from __future__ import annotations

import numpy as np
import pytest

from cogen.array import loads
from cogen.array.l0.arithmetic import WIDE
from cogen.array.loops import tree
from cogen.array.loops.check import check
from cogen.array.loops.choose import MOST, choose
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


def function(body: str) -> tree.Function:
    text = f"""(function f ((n i64) (out (* i64))) "f"
        (let (c bool) (int.lt bool n 3)) {body})"""
    (found,) = read(text)
    assert isinstance(found, tree.Function)
    return found


def run(f: tree.Function, n: int) -> list[int]:
    check([f])
    out = MemoryRegion(bytearray(8 * 4))
    LoopMachine([f], WIDE).call("f", [n, MemoryPlace(out, 0, I64)])
    return [MemoryPlace(out, 0, I64).moved(k).load() for k in range(4)]


R = "(variable (r i64))"
SHOWN = "(store out 0 = r)"


def either(then: str, otherwise: str) -> str:
    return f"(when c (do {then}) (do {otherwise}))"


def added(name: str, count: int = 1) -> str:
    return "".join([f"(let ({name}_{k} i64) (int.add i64 n {k}))" for k in range(count)])


ONE_WAY = added("v") + "(set r = v_0)"
OTHER = "(let (w i64) (int.mul i64 n 2)) (set r = w)"

RIGHT = {
    "operations": R + either(ONE_WAY, OTHER) + SHOWN,
    "values": R + either("(set r = 1)", "(set r = n)") + SHOWN,
    "two": R + "(variable (q i64))" + either(
        "(set q = 4) (set r = n)", added("v", 2) + "(set r = v_0) (set q = v_1)"
    ) + SHOWN + "(store out 1 = q)",
    "in a loop": "(for (i i64) 0 n 1 (apart)" + R + either("(set r = i)", "(set r = n)")
        + "(store out 1 = r))",
    "many": R + either(added("v", MOST) + "(set r = v_1)", "(set r = n)") + SHOWN,
    "alike": R + either("(set r = n)", "(set r = n)") + SHOWN,
}  # fmt: skip


@pytest.mark.parametrize("body", RIGHT.values(), ids=RIGHT)
def test_what_is_chosen(body: str) -> None:
    plain = function(body)
    (made,) = choose([plain])
    assert "(when" not in show([made])
    for n in range(2, 5):
        assert run(made, n) == run(plain, n)


def test_choices_in_what_joins_parts() -> None:
    """The operator of a scan that is shared out is as the loop itself."""
    chosen = R + either("(set r = a)", "(set r = b)")
    operator = f"(operator ((a i64)) ((b i64)) (()) (do {chosen}) (r))"
    loop = f"""(variable (s i64) 0)
        (for (i i64) 0 n 1 () (share 0 0 (reduced (s) (0) {operator}))
            (set s = (int.add i64 s i)))"""
    plain = function(loop)
    (made,) = choose([plain])
    assert ("(when" in show([plain]), "(when" in show([made])) == (True, False)
    check([made])


LEFT = {
    "more operations": R + either(added("v", MOST + 1) + "(set r = v_1)", "(set r = n)") + SHOWN,
    "dear": R + either("(set r = (int.div i64 n 2))", "(set r = n)") + SHOWN,
    "an element": R + either("(set r = (at out 3))", "(set r = n)") + SHOWN,
    "a store": R + either("(store out 1 = n) (set r = 1)", "(set r = n)") + SHOWN,
    "one way only": R + either("(set r = 1)", "") + SHOWN,
    "more variables": R + "(variable (q i64) 5)" + either(
        "(set r = 1) (set q = 2)", "(set r = n) (set q = 3)"
    ) + SHOWN,
    "one after the other": R + "(variable (q i64))" + either(
        "(set r = 1) (set q = r)", "(set r = n) (set q = 3)"
    ) + SHOWN,
    "a failure": R + either("(fail 1 n) (set r = 1)", "(set r = n)") + SHOWN,
}  # fmt: skip


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT)
def test_what_stays_a_conditional(body: str) -> None:
    plain = function(body)
    assert choose([plain]) == (plain,)


PROGRAM = """fun [int] main([int] a, int k) =
  map(fn int (int x) => if x < k then x * 2 + k else x - k, a)"""


def test_programs() -> None:
    """Loops and kernels have choices, or conditionals without this pass."""
    source = loads(PROGRAM)
    values = (np.arange(20) * 7 % 11, 5)
    for off in (frozenset[str](), frozenset(["choose"])):
        made = interpreted(source, options=Options(off))
        assert made(*values).tolist() == source.run(*values).tolist()
        ready = prepare(source.facts, "main", for_device(None))
        text = DeviceCode(ready, off, verify=True).text
        kernel = text[text.index("__kernel void multiloop_main") :]
        assert ("} else {" in kernel) is bool(off)
