"""Loops in several threads, more than iterations too, give what the interpreter gives."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from cogen.array import Program, loads
from cogen.array.c.cprogram import c_program
from cogen.array.c.nativeprogram import CNative, NativeProgram, c_text
from cogen.array.optimise.preparing import prepare
from cogen.array.programs.compiledprogram import Compiled
from cogen.lang.errors import CogenError
from tests.cogen.array.targets import QUICK, same

pytestmark = pytest.mark.usefixtures("full_optimisation")

SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 100, 1001)
THREADS = (1, 2, 3, 4, 7)

TEXTS = {
    "groups by a few keys": """
fun {[int], [int], [int]} main([int] a, [int] b) =
  let {o, s} = bucketCollect(3, map(fn int (int x) => x & 1, a), zip(a, b)) in
  let {p, q} = unzip(s) in {o, p, q}
""",
    "groups of what is computed": """
fun {[int], [real], [bool]} main([int] a, [int] b) =
  let {o, s} = bucketCollect(5, map(fn int (int x) => if x < 0 then 4 else x & 3, a),
                             map(fn {real, bool} (int x) => {toReal(x & 255), x < 9}, b)) in
  let {p, q} = unzip(s) in {o, p, q}
""",
    "groups of rows": """
fun {[int], [[int]]} main([int] a, [int] b) =
  bucketCollect(2, map(op &(1), a), map(fn [int] (int x) => [x, x + 1], b))
""",
    "groups by keys that are found": """
fun {[int], [int], [int]} main([int] a, [int] b) =
  groupBy(fn int (int x) => x & 7, a)
""",
    "as many keys as elements": """
fun {[int], [int]} main([int] a, [int] b) =
  bucketCollect(size(0, a) + 1, map(fn int (int x) => 0, a), b)
""",
    "distinct": "fun [int] main([int] a, [int] b) = distinct(map(op &(15), a))",
    "all distinct": "fun [int] main([int] a, [int] b) = distinct(a)",
    "distinct pairs": """
fun [{int, bool}] main([int] a, [int] b) =
  distinct(map(fn {int, bool} (int x, int y) => {x & 3, y < 0}, zip(a, b)))
""",
    "flatMap": """
fun [int] main([int] a, [int] b) =
  flatMap(fn [int] (int x, int y) => map(op +(y), iota(x & 3)), zip(a, b))
""",
    "flatMap with pairs, to nothing or much": """
fun [{int, real}] main([int] a, [int] b) =
  flatMap(fn [{int, real}] (int x) =>
            map(fn {int, real} (int i) => {x + i, toReal(i)},
                iota(if (x & 3) = 0 then 60 else 0)), a)
""",
    "scatter, the last one wins": """
fun [int] main([int] a, [int] b) =
  scatter(map(op *(2), b), map(fn int (int x) => (x & 7) % size(0, b), a), iota(size(0, a)))
""",
    "scatter of pairs to a permutation": """
fun [{int, real}] main([int] a, [int] b) =
  let n = size(0, a) in
  scatter(zip(copy(b), map(toReal, iota(n))), map(fn int (int i) => n - 1 - i, iota(n)),
          zip(a, map(fn real (int x) => toReal(x & 63), a)))
""",
    "scatter beside a sum": """
fun {[int], int} main([int] a, [int] b) =
  let c = map(fn int (int x) => x ^ 1, a) in
  {scatter(copy(b), map(fn int (int x) => (x & 31) % size(0, b), c), c), reduce(op +, 0, c)}
""",
}


@cache
def compiled(text: str) -> tuple[Program, NativeProgram]:
    """The program, and code of it that shares out every loop."""
    program = loads(text)
    ready = prepare(program.facts, "main")
    code = NativeProgram(c_program(ready), QUICK)
    code.grain = 0
    return program, code


def in_threads(text: str, threads: int) -> Callable[..., Any]:
    program, code = compiled(text)
    return Compiled(program, "main", "c", CNative(code, threads))


def ints(size: int, seed: int) -> Any:
    return np.random.default_rng(size * 31 + seed).integers(-(1 << 62), 1 << 62, size)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", TEXTS)
def test_any_number_of_threads_gives_what_the_interpreter_gives(name: str) -> None:
    text = TEXTS[name]
    assert "num_threads(" in c_text(loads(text), "main").text
    for size in SIZES:
        arguments = ints(size, 0), ints(size, 1)
        expected = loads(text).run(*arguments)
        for threads in THREADS:
            assert same(in_threads(text, threads)(*arguments), expected), (size, threads)


FAILING = {
    "bucketCollect(9, a, a)": "the key 77 is out of bounds of 9 buckets",
    "scatter(copy(a), a, a)": "the index [77] is out of bounds of an array of",
    "flatMap(fn [int] (int x) => iota(if x = 77 then ~5 else x), a)": "-5",
    "distinct(map(fn int (int x) => a[x], a))": "the index [77] is out of bounds of an array of",
}


@pytest.mark.parametrize("body", FAILING)
@pytest.mark.parametrize("place", [0, 13, 39])
def test_the_earliest_failure_is_told_by_any_number_of_threads(body: str, place: int) -> None:
    pair = body.startswith("bucket")
    text = f"fun {'{[int], [int]}' if pair else '[int]'} main([int] a) = {body}"
    a = np.zeros(40, np.int64)
    a[place:] = 78
    a[place] = 77
    with pytest.raises(CogenError) as expected:
        loads(text).run(a)
    assert FAILING[body] in expected.value.message
    for threads in THREADS:
        with pytest.raises(CogenError) as found:
            in_threads(text, threads)(a)
        assert FAILING[body] in found.value.message


def test_the_number_of_threads_may_not_change_between_the_loops_of_a_call() -> None:
    """Groups are stored by the threads that counted them; the caller's setting comes back."""
    text = c_text(loads(TEXTS["groups by a few keys"]), "main").text
    entry = text[text.index("/* The entry. */") :]
    first, last = entry.index("omp_set_dynamic(0)"), entry.index("omp_set_dynamic(cogen_dynamic)")
    assert entry.index("omp_get_dynamic()") < first < entry.index("main_(memory") < last
    assert last < entry.index("return failed")


LEFT = """
import gc
import time
from cogen.array import loads
from cogen.array.c.nativeprogram import CNative, NativeProgram, c_text
from cogen.array.programs.compiledprogram import Compiled

for number in range(3):
    program = loads(f"fun int main([int] a) = reduce(op +, {number}, a)")
    code = NativeProgram(c_text(program, "main"))
    code.grain = 0
    call = Compiled(program, "main", "c", CNative(code, 2))
    assert call(list(range(9))) == 36 + number
    del call, code, program
    gc.collect()
    time.sleep(0.05)
"""


def test_threads_of_programs_that_are_gone_wait_in_peace() -> None:
    """They wait in a library of the compiler's: unloaded, there would be no code for them."""
    done = subprocess.run([sys.executable, "-c", LEFT], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
