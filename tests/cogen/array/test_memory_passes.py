"""Small arrays on the stack, and memory for iterations before loops: what the passes take, what
they leave, and that results stay."""

from __future__ import annotations

import re

import numpy as np
import pytest

from cogen.array import loads
from cogen.array.loops import tree
from cogen.array.loops.check import check
from cogen.array.loops.preallocate import preallocate
from cogen.array.loops.read import read
from cogen.array.loops.share import LITTLE, MOST_COPIED, share
from cogen.array.loops.show import show
from cogen.array.loops.stack import MOST, stack
from cogen.array.optimise.optimisations import Options
from cogen.array.optimise.preparing import prepare
from cogen.array.programs.compiledprogram import Compiled
from tests.cogen.array.loopways import Interpreted
from tests.cogen.array.test_release import Counted

pytestmark = pytest.mark.quick


def functions(body: str) -> list[tree.Function]:
    text = f"""(function f ((n i64) (m i64) (out (* i64)) (outs (* (* i64))) (blocks (* block))) "f"
        {body})"""
    return [part for part in read(text) if isinstance(part, tree.Function)]


def allocated(size: str, use: str, at: str = "") -> str:
    return f"""(allocate (r block) i64 {size} 1) (let (a (* i64)) (data (* i64) r)) {use}
        (do (invoke drop bool r)) {at}"""


USE = "(store a 0 = n) (store out 0 = (at a 0))"
BOTH_WAYS = "(when (< n 3) (do (store out 0 = 1)) (do (do (invoke drop bool r))))"


@pytest.mark.parametrize(
    ("body", "inside"),
    [
        (allocated("3", USE), f"(room (a (* i64)) 3) {USE}"),
        (allocated("0", ""), "(room (a (* i64)) 1)"),
        (
            f"(for (i i64) 0 n 1 () {allocated('2', '(store a 1 = i)')})",
            "(for (i i64) 0 n 1 () (room (a (* i64)) 2) (store a 1 = i))",
        ),
        (
            allocated("3", "(for (i i64) 0 3 1 (apart) (store a i = i))"),
            "(room (a (* i64)) 3) (for (i i64) 0 3 1 (apart) (store a i = i))",
        ),
    ],
    ids=["few", "none", "in a loop", "loop"],
)
def test_what_is_on_the_stack(body: str, inside: str) -> None:
    made = stack(functions(body))
    check(made)
    assert show(made) == show(functions(inside))


@pytest.mark.parametrize(
    "body",
    [
        allocated("n", USE),
        allocated(str(MOST // 8 + 1), USE),
        allocated("3", "(store outs 0 = a) (store blocks 0 = (invoke keep block r))"),
        allocated("3", "(variable (q block) r) (variable (p (* i64)) (in q) a)"),
    ],
    ids=["unknown", "many", "given", "kept"],
)
def test_what_stays_a_region(body: str) -> None:
    plain = functions(body)
    assert list(stack(plain)) == plain


MADE = "(allocate (r block) i64 (if (< 0 n) {} 0) 1)"
LOOP = "(for (i i64) 0 n 1 {} {})"
WITHIN = "(let (a (* i64)) (data (* i64) r)) (store a 0 = i)"
AFTER = "(do (invoke drop bool r))"


@pytest.mark.parametrize(
    ("loop", "made"),
    [
        (
            LOOP.format("()", allocated("m", "(store a 0 = i)")),
            MADE.format("m") + LOOP.format("()", WITHIN) + AFTER,
        ),
        (
            LOOP.format("(apart)", allocated("m", "(store a 0 = i)", "(store out 0 = i)")),
            MADE.format("m") + LOOP.format("()", WITHIN + "(store out 0 = i)") + AFTER,
        ),
        (
            LOOP.format("()", f"(let (k i64) (+ m 1)) {allocated('k', '(store a 0 = i)')}"),
            MADE.format("(+ m 1)") + LOOP.format("()", "(let (k i64) (+ m 1))" + WITHIN) + AFTER,
        ),
    ],
    ids=["size", "apart", "computed"],
)
def test_what_is_allocated_before(loop: str, made: str) -> None:
    found = preallocate(functions(loop))
    check(found)
    assert show(found) == show(functions(made))


def test_memory_leaves_all_loops_around() -> None:
    inner = f"(for (j i64) 0 n 1 () {allocated('m', '(store a 0 = j)')})"
    found = show(preallocate(functions(LOOP.format("()", inner))))
    assert found.index("(allocate") < found.index("(for (i i64)")
    assert found.count("(allocate") == found.count("drop") == 1


@pytest.mark.parametrize(
    "loop",
    [
        LOOP.format("()", allocated("i", "(store a 0 = i)")),
        LOOP.format("(lanes 1)", allocated("m", "(store a 0 = i)")),
        LOOP.format("()", allocated("(at out 0)", "(store a 0 = i)")),
        LOOP.format("()", allocated("(invoke count i64 n m)", "(store a 0 = i)")),
        LOOP.format("()", f"(let (k i64) (at out i)) {allocated('k', '(store a 0 = i)')}"),
        LOOP.format("()", allocated("m", "(store blocks i = (invoke keep block r))")),
        LOOP.format("()", allocated("m", "(let (q block) r)")),
        "(variable (k i64) m)"
        + LOOP.format("()", allocated("k", "(store a 0 = i)", "(set k = i)")),
        f"(variable (k i64) m) {LOOP.format('()', allocated('k', '(invokes)'))}".replace(
            "(invokes)", "(let (b (* i64)) (address k))"
        ),
    ],
    ids=["index", "vectors", "loaded", "too large", "let", "kept", "moved", "assigned", "address"],
)
def test_what_is_allocated_within(loop: str) -> None:
    plain = functions(loop)
    assert list(preallocate(plain)) == plain


@pytest.mark.parametrize(("work", "alone"), [(LITTLE, True), (LITTLE + 1, False)])
def test_little_work_is_not_shared_out(work: int, alone: bool) -> None:
    """Of what is known to be little no team is made."""
    loop = f"(for (i i64) 0 n 1 (apart) (share (* (to f64 {work}) 1) 0 ()) (store out i = i))"
    assert ("(parallel" in show(share(functions(loop)))) is not alone


ALONE = "(for (i i64) 0 m 1 (apart) {} (store out i = i))"


@pytest.mark.parametrize(
    ("around", "teams", "loops"),
    [("{}", 1, 1), ("(for (t i64) 0 n 1 () {})", 1, 3), ("(while (< n 3) {})", 1, 2)],
    ids=["once", "for", "while"],
)
def test_in_loops_one_thread_needs_no_team(around: str, teams: int, loops: int) -> None:
    """Where iterations around would make a team of one again and again there is a loop without."""
    loop = ALONE.format("(share (* (to f64 m) 3) 0 ())")
    made = share(functions(around.format(loop)))
    check(made)
    text = show(made)
    assert (text.count("(parallel"), text.count("(for ")) == (teams, loops)
    assert ("(when (> team 1)" in text) is (around != "{}")


def test_large_loops_are_there_once() -> None:
    body = "(store out i = i)" * (MOST_COPIED + 1)
    loop = f"(for (i i64) 0 m 1 (apart) (share (* (to f64 m) 3) 0 ()) {body})"
    text = show(share(functions(f"(for (t i64) 0 n 1 () {loop})")))
    assert "(when" not in text


PROGRAM = """fun [real] main(int n, int m) =
  map(fn real (int k) =>
    let w = scan(op +, toReal(k), map(fn real (int i) => toReal(i), iota(m))) in
    let few = scan(op +, 0.0, map(fn real (int i) => toReal(i * k), iota(4))) in
    w[k % m] + w[(k * 7) % m] + few[k % 4] * few[(k + 1) % 4], iota(n))
"""


@pytest.mark.parametrize(
    ("off", "regions"), [("", 2), ("stack", 3), ("preallocate", 21), ("stack preallocate", 41)]
)
def test_iterations_need_no_memory(off: str, regions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    program = loads(PROGRAM)
    counted = Counted(monkeypatch)
    made = Interpreted(prepare(program.facts, "main"), frozenset(off.split()), 1)
    found = Compiled(program, "main", "loops", made)(20, 6)
    np.testing.assert_allclose(found, np.asarray(program.run(20, 6)))
    assert len(counted.made) == regions


@pytest.mark.parametrize("threads", [1, 2])
def test_c(threads: int) -> None:
    program = loads(PROGRAM)
    plain = program.compile(threads=threads, options=Options(frozenset(["stack", "preallocate"])))
    made = program.compile(threads=threads)
    assert re.search(r"double \w+\[4\];", made.source)
    assert not re.search(r"double \w+\[4\];", plain.source)
    for arguments in ((0, 3), (1, 1), (50_000, 9)):
        assert made(*arguments).tolist() == plain(*arguments).tolist()
