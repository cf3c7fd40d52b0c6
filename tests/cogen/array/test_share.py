"""Loops that are shared out among threads: alone, with few and many threads, for each join."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from cogen.array import loads
from cogen.array.loops import share as sharing
from cogen.array.loops import tree, treewalk
from cogen.array.loops.check import check
from cogen.array.loops.prune import prune
from cogen.array.loops.read import read
from cogen.array.loops.share import share
from cogen.array.loops.show import show
from cogen.array.loops.tree import Sharing
from cogen.array.optimise.optimisations import CODE, Options
from cogen.array.optimise.preparing import prepare
from cogen.lang.errors import CogenError, InternalError
from tests.cogen.array.loopways import interpreted, loops_of
from tests.cogen.array.randomprograms import programs
from tests.cogen.array.targets import same

NOTHING = frozenset(CODE)
ALONE = NOTHING - {"share"}

KEYS = "map(fn int (int x) => x & 3, a)"
UNKNOWN = """fn {int, int} ({int, int} x, {int, int} y) =>
    let {{p, q}, {r, s}} = {x, y} in {p * r, q * r + s}"""
CASES = {
    "reduced": "fun int main([int] a) = reduce(op +, 7, a)",
    "reduced to the least": """
fun int main([int] a) = reduce(fn int (int x, int y) => if x < y then x else y, 1000, a)""",
    "reduced by an unknown operator": f"""
fun {{int, int}} main([int] a) =
  reduce({UNKNOWN}, {{1, 0}}, map(fn {{int, int}} (int x) => {{2, x}}, a))""",
    "reduced to a bool": """
fun bool main([int] a) = reduce(op ||, False, map(fn bool (int x) => x = 5, a))""",
    "scanned": "fun [int] main([int] a) = scan(op +, 2, a)",
    "scanned bools": """
fun [bool] main([int] a) = scan(op ||, False, map(fn bool (int x) => 3 < x, a))""",
    "scanned by an unknown operator": f"""
fun [{{int, int}}] main([int] a) =
  scan({UNKNOWN}, {{1, 0}}, map(fn {{int, int}} (int x) => {{2, x}}, a))""",
    "scanned and used": """
fun int main([int] a) = reduce(op +, 0, map(fn int (int x) => x * x, scan(op +, 0, a)))""",
    "kept": "fun [int] main([int] a) = filter(fn bool (int x) => x % 3 = 1, a)",
    "keyed": f"fun [int] main([int] a) = bucketReduce(op +, 5, 4, {KEYS}, a)",
    "keyed twice": f"""
fun {{[int], [real]}} main([int] a) =
  let k = {KEYS} in
  {{bucketReduce(op +, 0, 4, k, a), bucketReduce(op +, 0.0, 4, k, map(toReal, a))}}""",
    "keyed by an unknown operator": f"""
fun [{{int, int}}] main([int] a) =
  bucketReduce({UNKNOWN}, {{1, 0}}, 4, {KEYS}, map(fn {{int, int}} (int x) => {{2, x}}, a))""",
    "tallied": """
fun {[int], [int], [int]} main([int] a) = groupBy(fn int (int x) => x & 3, a)""",
    "hashed keys with their numbers": """
fun {[int], [int], [int]} main([int] a) = groupBy(op &(7), a)""",
    "hashed with numbers": """
fun {[int], [int], [int], [int]} main([int] a) =
  let {k, o, b} = groupBy(fn int (int x) => x & 7, a) in
  {k, o, b, reduceSegments(op +, 0, o, b)}""",
    "hashed": """
fun {[int], [int], [real]} main([int] a) =
  let {k, o, b} = groupBy(fn int (int x) => x & 7, a) in
  {k, reduceSegments(op +, 0, o, b), reduceSegments(op *, 1.0, o, map(toReal, b))}""",
    "hashed by an unknown operator": f"""
fun {{[int], [{{int, int}}]}} main([int] a) =
  let {{k, o, b}} = groupBy(fn int (int x) => x & 3, a) in
  {{k, reduceSegments({UNKNOWN}, {{1, 0}}, o, map(fn {{int, int}} (int x) => {{2, x}}, b))}}""",
    "hashed without values": """
fun [int] main([int] a) = distinct(flatMap(fn [int] (int x) => map(op &(x), iota(x & 3)), a))""",
    "grown": "fun [int] main([int] a) = flatMap(fn [int] (int x) => iota(x & 3), a)",
    "placed": """
fun *[int] main([int] a) =
  scatter(replicate(40, 0), map(fn int (int x) => x & 15, a), map(op *(2), a))""",
}


def functions(text: str, off: frozenset[str]) -> tuple[tree.Function, ...]:
    return loops_of(prepare(loads(text).facts, "main"), off).functions


def sharings(found: tuple[tree.Function, ...]) -> list[Sharing]:
    loops = [s for f in found for s in treewalk.all_statements(f.body) if isinstance(s, tree.For)]
    return [loop.sharing for loop in loops if loop.sharing is not None]


@pytest.mark.parametrize("name", CASES)
def test_joins(name: str) -> None:
    """The loop says how it is joined, in a text that is read back, and is in a team then."""
    before = functions(CASES[name], NOTHING)
    assert read(show(before)) == [*before]
    kind = getattr(tree, name.partition(" ")[0].title())
    assert any(isinstance(join, kind) for own in sharings(before) for join in own.joins)
    after = share(before)
    check(after)
    assert sharings(after) == []
    assert any(isinstance(s, tree.Parallel) for f in after for s in treewalk.all_statements(f.body))


@pytest.mark.one_in(20)
@pytest.mark.parametrize("size", [0, 1, 2, 5, 40])
@pytest.mark.parametrize("name", CASES)
def test_results_stay(name: str, size: int) -> None:
    program = loads(CASES[name])
    a = np.array([(k * 7919) % 31 for k in range(size)], np.int64)
    expected = program.run(a)
    assert same(interpreted(program, "main", 1, Options(off=NOTHING))(a), expected)
    for threads in (1, 2, 3, 7):
        way = interpreted(program, "main", threads, Options(off=ALONE))
        assert same(way(a), expected), threads


@given(case=programs())
def test_random_programs(case: tuple[str, str]) -> None:
    """The pass alone, in as many threads as a team may have."""
    text, values = case
    try:
        program = loads(text)
    except CogenError:  # rows that visibly differ
        return
    before = interpreted(program, "main", 1, Options(off=NOTHING))
    expected = outcome(before, values)
    for threads in (1, 3):
        after = interpreted(program, "main", threads, Options(off=ALONE))
        assert outcome(after, values) == expected


def outcome(way: object, values: str) -> str:
    try:
        return str(way.run_text(values, trace=lambda _: None))  # type: ignore[attr-defined]  # both are
    except InternalError:
        raise
    except CogenError:
        return "fails"


# What is left to one thread.

LEFT = {
    "a trace": "fun [int] main([int] a) = map(fn int (int x) => trace(x), a)",
    "rows as accumulators": """
fun [int] main([[int]] a) = reduce(fn [int] ([int] x, [int] y) => map(op +, zip(x, y)), [0, 0], a)
""",
}


@pytest.mark.parametrize("text", LEFT.values(), ids=LEFT)
def test_what_is_left_to_one_thread(text: str) -> None:
    (before,) = functions(text, NOTHING)
    outermost = next(s for s in before.body if isinstance(s, tree.For))
    assert outermost.sharing is None


def test_what_costs_much_is_not_placed_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each thread would compute all that is stored."""
    before = functions(CASES["placed"], NOTHING)
    monkeypatch.setattr(sharing, "MOST_TWICE", -1)
    after = share(before)
    assert sharings(after) == []
    assert not any(
        isinstance(s, tree.Parallel) for f in after for s in treewalk.all_statements(f.body)
    )


def test_loops_within_are_not_shared_out_again() -> None:
    text = "fun [int] main([[int]] a) = map(fn int ([int] x) => reduce(op +, 0, x), a)"
    before = functions(text, NOTHING)
    assert len(sharings(before)) == 2
    (made,) = share(before)
    teams = [s for s in treewalk.all_statements(made.body) if isinstance(s, tree.Parallel)]
    assert len(teams) == 1


def test_what_is_not_shared_out_needs_nothing_for_it() -> None:
    before = functions(CASES["keyed"], NOTHING)
    assert sharings(before)
    after = prune(before)
    check(after)
    assert sharings(after) == []


# What is checked.


def wrong(name: str, change: object) -> tuple[tree.Function, ...]:
    """A loop whose sharing is changed."""
    (function,) = functions(CASES[name], NOTHING)

    def block(statements: tree.Block) -> tree.Block:
        return tuple([changed(s) for s in statements])

    def changed(s: tree.Statement) -> tree.Statement:
        if isinstance(s, tree.For) and s.sharing is not None:
            (join,) = s.sharing.joins
            joins = (change(join),)  # type: ignore[operator]  # a function
            return replace(s, sharing=replace(s.sharing, joins=joins))
        return treewalk.with_blocks(s, [block(own) for own in treewalk.blocks(s)])

    return (replace(function, body=block(function.body)),)


def test_wrong_sharing_is_refused() -> None:
    gone = tree.Var("gone", tree.I64)
    with pytest.raises(InternalError, match="gone is not declared here"):
        check(wrong("kept", lambda join: replace(join, count=gone)))
    with pytest.raises(InternalError, match="an operator with other results"):
        check(wrong("reduced", lambda j: replace(j, operator=replace(j.operator, results=()))))
    real = tree.Const(1.0, tree.F64)
    with pytest.raises(InternalError, match="is no"):
        check(wrong("reduced", lambda j: replace(j, operator=replace(j.operator, results=(real,)))))


def test_nothing_sorted_is_refused() -> None:
    (function,) = functions(CASES["tallied"], NOTHING)
    body = tuple([s for s in function.body if not _starts(s)])
    with pytest.raises(InternalError, match="nothing is sorted by offsets"):
        share([replace(function, body=body)])


def _starts(statement: tree.Statement) -> bool:
    match statement:
        case tree.Do(tree.Invoke("starts")):
            return True
    return False
