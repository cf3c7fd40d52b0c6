"""Arrays in the memory of others: which loops allow it, and that nothing else comes out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogen.array import loads
from cogen.array.l0.arithmetic import WIDE
from cogen.array.loops import tree, treewalk
from cogen.array.loops.check import check
from cogen.array.loops.interpret import LoopMachine
from cogen.array.loops.memory import MemoryPlace, MemoryRegion
from cogen.array.loops.read import read
from cogen.array.loops.reuse import reuse
from cogen.array.loops.tree import I64
from cogen.array.optimise.optimisations import Options
from cogen.array.optimise.preparing import prepare
from cogen.array.programs.compiledprogram import Compiled
from tests.cogen.array.loopways import Interpreted
from tests.cogen.array.test_release import Counted

pytestmark = pytest.mark.quick

APART = frozenset(["reuse"])
DROP_A = "(do (invoke drop bool a_block))"
DROP_B = "(do (invoke drop bool b_block))"
KEEP_A = "(variable (c_block block) (invoke keep block a_block))"
LOAD = "(let (x i64) (at a i))"
STORE = "(store b i = (+ x 1))"
SUM = "(variable (s i64) 0) (for (j i64) 0 4 1 () (set s + (at a {})))"


def looped(body: str, mark: str = "(apart)", step: int = 1) -> str:
    return f"(for (i i64) 0 n {step} {mark} {body})"


def function(
    middle: str, source: str = "(data (* i64) a_block)", size: str = "n", before: str = ""
) -> tree.Function:
    """Makes `b` of `a`, whose elements are those behind `given`, and copies it to `out`."""
    text = f"""(function f ((n i64) (given (* i64)) (out (* i64))) "f"
        (allocate (a_block block) i64 {size} 1) (let (a (* i64)) {source})
        (for (k i64) 0 n 1 () (store a k = (at given k))) {before}
        (allocate (b_block block) i64 n 1) (let (b (* i64)) (data (* i64) b_block))
        {middle}
        (for (k i64) 0 n 1 () (store out k = (at b k))) {DROP_B})"""
    (found,) = read(text)
    assert isinstance(found, tree.Function)
    return found


def takes_over(f: tree.Function) -> bool:
    made = [s for s in treewalk.all_statements(f.body) if isinstance(s, tree.Allocate)]
    return any(s.over is not None for s in made)


def run(f: tree.Function, size: int = 5) -> list[int]:
    check([f])
    given = MemoryRegion(bytearray(np.arange(3, 3 + size, dtype=np.int64).tobytes()))
    out = MemoryRegion(bytearray(8 * size))
    LoopMachine([f], WIDE).call("f", [size, MemoryPlace(given, 0, I64), MemoryPlace(out, 0, I64)])
    return [MemoryPlace(out, 0, I64).moved(k).load() for k in range(size)]


RIGHT = {
    "element": looped(LOAD + STORE),
    "lanes": looped(LOAD + STORE, "(lanes 1)"),
    "reduced": looped(SUM.format("i") + "(store b i = s)"),
    "looked at again": looped(LOAD + STORE + "(store b i = (+ (at b i) 1))"),
    "either way": looped(
        "(when (< i 2) (do (store b i = (at a i))) (do (store b i = (* (at a i) 2))))"
    ),
    "read before": "(let (y i64) (at a 2))" + looped(LOAD + "(store b i = (+ x y))"),
}


@pytest.mark.parametrize("loop", RIGHT.values(), ids=RIGHT)
def test_what_takes_over(loop: str) -> None:
    plain = function(f"{loop} {DROP_A}")
    (made,) = reuse([plain])
    assert takes_over(made)
    assert run(made) == run(plain)


LEFT = {
    "another element": looped("(let (x i64) (at a (- (- n 1) i)))" + STORE),
    "later elements": looped("(let (x i64) (at a 0))" + STORE),
    "read when stored": looped(LOAD + STORE + "(let (z i64) (at a i))"),
    "stored elsewhere": looped(LOAD + "(store b (- (- n 1) i) = x)"),
    "stored in a loop": looped(f"(for (j i64) 0 2 1 () {LOAD} (store b i = (+ x j)))"),
    "all of it in a loop": looped(SUM.format("j") + "(store b i = s)"),
    "in order": looped(LOAD + STORE, "()"),
    "in steps": looped(LOAD + STORE + "", step=2) + looped(LOAD + STORE, step=1),
    "its address": looped("(let (x i64) (at (+ a 0) i))" + STORE),
    "an address in it": looped("(let (c (* i64)) (address (at a i))) (store b i = (at c 0))"),
    "moved": looped("(do (invoke copy bool (address (at b i)) (address (at a i)) 8))"),
    "added": looped("(store b i = 0) (store b i + (at a i))"),
}


@pytest.mark.parametrize("loop", LEFT.values(), ids=LEFT)
def test_what_does_not_take_over(loop: str) -> None:
    plain = function(f"{loop} {DROP_A}")
    assert reuse([plain]) == (plain,)


@pytest.mark.parametrize(
    "rest",
    [f"(let (y i64) (at a 0)) {DROP_A} (store b 0 = y)", "", f"(store b 0 = (at a 1)) {DROP_A}"],
    ids=["read", "held", "read and stored"],
)
def test_what_is_read_afterwards_stays(rest: str) -> None:
    plain = function(looped(LOAD + STORE) + rest)
    assert reuse([plain]) == (plain,)


def test_what_others_get_in_between_stays() -> None:
    plain = function(f"{KEEP_A} {looped(LOAD + STORE)} {DROP_A}")
    assert reuse([plain]) == (plain,)


@pytest.mark.parametrize(
    ("source", "size"),
    [("(+ (data (* i64) a_block) 1)", "(+ n 1)"), ("(data (* i64) a_block)", "n")],
    ids=["not the first", "the first"],
)
def test_what_runs_find_out(source: str, size: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address that is not the first of its region is not one to begin at."""
    counted = Counted(monkeypatch)
    (made,) = reuse([function(looped(LOAD + STORE) + DROP_A, source, size)])
    assert takes_over(made)
    assert run(made) == [4, 5, 6, 7, 8]
    assert len(counted.made) == (2 if source.startswith("(+") else 1)


def test_what_others_have_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted(monkeypatch)
    (made,) = reuse([function(f"{looped(LOAD + STORE)} {DROP_A}", before=KEEP_A)])
    assert takes_over(made)
    assert run(made) == [4, 5, 6, 7, 8]
    assert len(counted.made) == 2


PARTS = (
    LOAD, "(let (y i64) (at a 0))", "(let (z i64) (at b i))", "(let (u i64) (at b 0))", STORE,
    "(store b i = (at a i))", "(store b 0 = i)", "(store a i = 7)", SUM.format("i"),
    SUM.format("j"), "(when (< i 2) (do (store b i = (at a i))) (do (store b i = 1)))",
    "(when (< i 2) (do (store b i = 1)) (do))", "(store b i + 1)",
)  # fmt: skip


@settings(max_examples=max(60, settings().max_examples))
@given(st.lists(st.sampled_from(PARTS), unique=True, max_size=4), st.integers(0, 4))
def test_nothing_else_comes_out(parts: list[str], at: int) -> None:
    """Whatever iterations do: where memory is taken over, all elements are the same."""
    known = [*parts[:at], "(store b i = i)", *parts[at:]]
    if STORE in known and (LOAD not in known or known.index(LOAD) > known.index(STORE)):
        known = [LOAD, *[part for part in known if part != LOAD]]
    plain = function(looped(" ".join(known)) + DROP_A)
    (made,) = reuse([plain])
    stored = "(store b i = i)"
    before = known[: known.index(stored)]
    if takes_over(made) and not any("(at b" in part or "b i +" in part for part in before):
        assert run(made) == run(plain)


ROWS = """fun [[real]] main(int n, int steps, [[real]] at) =
    let p = map(fn [real] ([real] r) => map(fn real (real v) => v * 2.0, r), at) in
    loop (p) = for t < steps do
        let c = p[0, 0] in
        map(fn [real] ([real] r) => map(fn real (real v) => v + 0.5 * (c - v), r), p)
    in p
"""
SUMS = """fun [int] main(int n, [int] at) =
    let rows = map(fn [int] (int i) => map(fn int (int v) => v * i, at), iota(n)) in
    reduce(fn [int] ([int] a, [int] b) => map(fn int (int x, int y) => x + y, zip(a, b)), at, rows)
"""


@pytest.mark.parametrize(
    ("text", "arguments", "fewer"),
    [
        (ROWS, (3, 6, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), (1, 7)),
        (SUMS, (6, [1, 2, 3]), (7, 12)),
    ],
    ids=["rows", "sums"],
)  # fmt: skip
def test_fewer_regions_are_made(
    text: str,
    arguments: tuple[object, ...],
    fewer: tuple[int, int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What a loop carries, and what a reduction accumulates, stays where it is."""
    program = loads(text)
    prepared = prepare(program.facts, "main")
    wanted = np.asarray(program.run(*arguments))
    for off, regions in zip((frozenset[str](), APART), fewer, strict=True):
        counted = Counted(monkeypatch)
        run_loops = Interpreted(prepared, off | {"preallocate"}, 1)
        made = Compiled(program, "main", "loops", run_loops)(*arguments)
        np.testing.assert_allclose(made, wanted)
        assert len(counted.made) == regions
        assert len(counted.alive()) == 1  # the result


@pytest.mark.one_in(2)
@pytest.mark.parametrize("text", [ROWS, SUMS], ids=["rows", "sums"])
@pytest.mark.parametrize("threads", [1, 2])
def test_c_takes_over(text: str, threads: int) -> None:
    program = loads(text)
    arguments = (5, 4, np.ones((40, 3))) if text is ROWS else (5, np.arange(50))
    made = program.compile(threads=threads)
    assert "cogen_alloc_over" in made.source
    apart = program.compile(threads=threads, options=Options(APART))
    assert "cogen_alloc_over" not in apart.source
    np.testing.assert_allclose(made(*arguments), apart(*arguments))
    np.testing.assert_allclose(made(*arguments), program.run(*arguments))
