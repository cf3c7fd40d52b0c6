"""Small arrays in scalars: which regions can be, and that nothing else comes out."""

from __future__ import annotations

import re
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogen.array import loads
from cogen.array.l0.arithmetic import WIDE
from cogen.array.loops import tree
from cogen.array.loops.check import check
from cogen.array.loops.interpret import LoopMachine
from cogen.array.loops.memory import MemoryPlace, MemoryRegion
from cogen.array.loops.read import read
from cogen.array.loops.scalarise import scalarise
from cogen.array.loops.show import show
from cogen.array.loops.small_regions import MOST
from cogen.array.loops.tree import I64
from cogen.array.loops.unrolling import MOST_COPIED
from cogen.array.optimise.optimisations import Options
from tests.cogen.array.loopways import interpreted

pytestmark = pytest.mark.quick

OFF = Options(frozenset(["scalars"]))


def function(body: str) -> tree.Function:
    text = f"""(function f ((n i64) (given (* i64)) (out (* i64))) "f" {body})"""
    (found,) = read(text)
    assert isinstance(found, tree.Function)
    return found


def run(f: tree.Function, size: int = 5) -> list[int]:
    check([f])
    given = MemoryRegion(bytearray(np.arange(3, 23, dtype=np.int64).tobytes()))
    out = MemoryRegion(bytearray(8 * 20))
    LoopMachine([f], WIDE).call("f", [size, MemoryPlace(given, 0, I64), MemoryPlace(out, 0, I64)])
    return [MemoryPlace(out, 0, I64).moved(k).load() for k in range(20)]


def made(name: str, size: int = 3) -> str:
    return (
        f"(allocate ({name}_r block) i64 {size} 1) (let ({name} (* i64)) (data (* i64) {name}_r))"
    )


def dropped(*names: str) -> str:
    return "".join([f"(do (invoke drop bool {name}_r))" for name in names])


def each(body: str, index: str = "j", count: int = 3, mark: str = "()") -> str:
    return f"(for ({index} i64) 0 {count} 1 {mark} {body})"


def given_up(value: str) -> str:
    """A variable, `p`, that a loop carries: at first what `value` is."""
    return f"(variable (p (* i64)) (in p_r) {value}) (variable (p_r block) {value}_r)"


START = made("a") + each("(store a j = (at given j))")
STEP = made("b") + each("(store b j = (+ (* (at p j) 2) i))") + dropped("p")
CARRIED = "(set p = b) (set p_r = b_r)"
SHOWN = each("(store out j = (at p j))") + dropped("p")
LOOP = "(for (i i64) 0 n 1 () {})"
COPY = "(do (invoke copy bool {} {} (* (to size 3) (size-of i64))))"

RIGHT = {
    "places": START + "(store out 0 = (at a 2))" + dropped("a"),
    "added": START + "(store a 1 + n) (store out 0 = (at a 1))" + dropped("a"),
    "condition": START + "(when (< n (at a 0)) (do (store a 0 = n)) (do ()))"
        "(store out 0 = (at a 0))" + dropped("a"),
    "copied": START + made("b") + COPY.format("b", "a") + COPY.format("out", "b")
        + dropped("a", "b"),
    "copied in": made("a") + COPY.format("a", "given") + "(store out 0 = (at a 1))" + dropped("a"),
    "row": made("a", 6) + each(
        "(let (row (* i64)) (+ a (* i 3)))" + each("(store row j = (+ i j))"), "i", 2
    ) + "(store out 0 = (at a 5))" + dropped("a"),
    "computed": made("a", 6) + each("(let (k i64) (* j 2)) (store a (+ k 1) = j)")
        + "(store out 0 = (at a 3))" + dropped("a"),
    "carried": START + given_up("a") + LOOP.format(STEP + CARRIED) + SHOWN,
    "chosen": START + given_up("a") + LOOP.format(
        f"(when (< i 3) (do {STEP + CARRIED}) (do (store p 0 = i)))"
    ) + SHOWN,
    "read between": START + "(variable (s i64) 0) (for (j i64) 0 3 1 ((+ s)) (set s + (at a j)))"
        "(store out 0 = s)" + dropped("a"),
}  # fmt: skip
RIGHT |= {
    "read when moved": START + given_up("a").replace(" a_r)", " (invoke keep block a_r))")
    + LOOP.format(
        made("b") + each("(store b j = (+ (at a j) (at p j)))") + dropped("p") + CARRIED
    ) + SHOWN,
    "swapped": START + made("b") + each("(store b j = (* j j))") + given_up("a")
        + "(variable (q (* i64)) (in q_r) b) (variable (q_r block) b_r)" + LOOP.format(
            "(variable (t (* i64)) p) (variable (t_r block) p_r)"
            "(set p = q) (set p_r = q_r) (set q = t) (set q_r = t_r)"
        ) + SHOWN + dropped("q"),
}  # fmt: skip
RIGHT["read between"] = RIGHT["read between"].replace("((+ s))", "()")


@pytest.mark.parametrize("body", RIGHT.values(), ids=RIGHT)
def test_what_is_scalars(body: str) -> None:
    plain = function(body)
    (found,) = scalarise([plain])
    text = show([found])
    assert "(allocate" not in text
    assert "drop" not in text
    assert run(found) == run(plain)


LATER = "(for (i i64) 0 n 1 () (store out i = (at p (- 2 (- i (* (/ i 3) 3))))))" + dropped("p")
MEMORY = {
    "read at any place": START + given_up("a") + LOOP.format(STEP + CARRIED) + LATER,
    "no iterations": START + given_up("a") + LOOP.format(STEP + CARRIED).replace("0 n", "0 0")
        + LATER,
    "twice": START + given_up("a") + LOOP.format(STEP + CARRIED) + LATER.replace(dropped("p"), "")
        + SHOWN,
}  # fmt: skip


@pytest.mark.parametrize("body", MEMORY.values(), ids=MEMORY)
def test_what_is_in_memory_after_a_loop(body: str) -> None:
    plain = function(body)
    (found,) = scalarise([plain])
    text = show([found])
    assert text.count("(allocate") == 1
    assert text.index("(allocate") > text.index("(for (i i64)")
    assert run(found) == run(plain)


KEPT = "(variable (q (* i64)) (in q_r) a) (variable (q_r block) (invoke keep block a_r))"

LEFT = {
    "unknown place": START + "(store out 0 = (at a (at given 0)))" + dropped("a"),
    "outside": START + "(let (x i64) (at a 5))" + dropped("a"),
    "large": made("a", MOST + 1) + "(store a 0 = n) (store out 0 = (at a 0))" + dropped("a"),
    "many iterations": made("a") + f"(for (j i64) 0 {MOST + 1} 1 () (store a (- j j) = j))"
        + dropped("a"),
    "many statements": made("a") + each("(store a j = j)" * MOST_COPIED) + dropped("a"),
    "left early": made("a") + each("(store a j = j) (when (< n j) (do (break)) (do ()))")
        + dropped("a"),
    "looked at by two": START + KEPT + "(store a 0 = 5) (store out 0 = (at q 0))"
        + dropped("q", "a"),
    "moved in a loop": START + KEPT + LOOP.format(
        "(store a 0 = i) (store out i = (at q 0)) (set q = a) (set q_r = (invoke keep block a_r))"
    ) + dropped("q", "a"),
    "moved, and stored there": START + KEPT + "(store q 0 = n) (store out 0 = (at a 0))"
        + dropped("q", "a"),
    "side by side": START + "(for (i i64) 0 n 1 (apart) (store a 0 = i))" + dropped("a"),
    "two sizes": START + made("b", 2) + "(variable (p (* i64)) (in p_r))(variable (p_r block))"
        "(when (< n 3) (do (set p = a) (set p_r = a_r)) (do (set p = b) (set p_r = b_r)))"
        "(store out 0 = (at p 0))" + dropped("p"),
    "another's": "(variable (p (* i64)) (in p_r) given) (variable (p_r block))"
        + LOOP.format(STEP + CARRIED) + SHOWN,
}  # fmt: skip


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT)
def test_what_stays_in_memory(body: str) -> None:
    plain = function(body)
    assert scalarise([plain]) == (plain,)


STEPS = (
    "[v[0] + v[1], v[1] * 2, v[2] - v[0]]",
    "[v[2], v[0], v[1]]",
    "let w = copy(v) in let w[1] = w[0] + i in w",
    "map(fn int (int x) => x * 3 - i, v)",
    "scan(op +, 0, v)",
    "if v[0] < i then [i, v[1], v[2]] else v",
    "if v[0] < v[1] then map(op +(1), v) else [v[2], v[2], i]",
    "map(op +, zip(v, [i, 1, v[0]]))",
)
ENDS = ("v", "[v[0], v[2]]", "v[n % 3]", "reduce(op +, 0, v)", "concat(v, v)")


@pytest.mark.slow
@given(
    st.lists(st.sampled_from(STEPS), min_size=1, max_size=3),
    st.sampled_from(ENDS),
    st.integers(0, 5),
    st.booleans(),
)
@settings(max_examples=max(10, settings().max_examples // 80), deadline=None)
def test_what_loops_carry(steps: list[str], end: str, n: int, is_reduction: bool) -> None:
    """Loops over small arrays give what the program gives, with scalars and without."""
    t = "int" if end in ("v[n % 3]", "reduce(op +, 0, v)") else "[int]"
    body = "v" if is_reduction else steps[-1]
    for step in reversed(steps if is_reduction else steps[:-1]):
        body = f"let v = {step} in {body}"
    looped = f"loop (v = [n, 2, 5]) = for i < n do {body}\n  in {end}"
    if is_reduction:
        looped = f"""let v = reduce(fn [int] ([int] v, [int] w) => let i = w[0] in
    {body}, [1, n, 4], map(fn [int] (int k) => [k, k + 1, k * n], iota(n))) in {end}"""
    source = loads(f"fun {t} main(int n) =\n  {looped}")
    expected = np.asarray(source.run(n))
    for options in (Options(), OFF):
        assert np.asarray(interpreted(source, options=options)(n)).tolist() == expected.tolist()


SMALL_ROWS = """fun [real] main([[real]] rows) =
  reduce(fn [real] ([real] x, [real] y) => map(op +, zip(x, y)), replicate(4, 0.0), rows)"""


def test_sums_of_small_rows() -> None:
    """What the C code adds up is in variables, and in memory afterwards."""
    program = loads(SMALL_ROWS)
    values = np.array(Random(4).choices(range(100), k=4000), float).reshape(1000, 4)
    made, plain = program.compile(threads=1), program.compile(threads=1, options=OFF)
    assert made(values).tolist() == plain(values).tolist() == values.sum(0).tolist()
    assert made.source.count("cogen_alloc(memory") == plain.source.count("cogen_alloc(memory") - 1
    assert re.search(r"double (sum_\d) = a_\d;", made.source)
