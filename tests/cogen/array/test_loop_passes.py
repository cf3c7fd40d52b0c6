"""Passes on loops, each alone: what they take, what they leave, and that results stay."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from cogen.array import loads
from cogen.array.l0.arithmetic import WIDE
from cogen.array.loops import stream as streams
from cogen.array.loops import tree, treewalk
from cogen.array.loops.arrange import arrange, arranged
from cogen.array.loops.block_filters import block_filters
from cogen.array.loops.block_keys import block_keys
from cogen.array.loops.block_scans import block_scans
from cogen.array.loops.check import check
from cogen.array.loops.expressions import ONE, ZERO, minus, natural
from cogen.array.loops.interchange import interchange
from cogen.array.loops.interpret import Failed, LoopMachine
from cogen.array.loops.jam import jam
from cogen.array.loops.look_ahead import look_ahead
from cogen.array.loops.memory import ElementSlots, MemoryPlace, MemoryRegion
from cogen.array.loops.split_short import SHORT, split_short
from cogen.array.loops.stream import STREAMS, stream
from cogen.array.loops.take_turns import take_turns
from cogen.array.loops.tree import I64, Apart, Block, Combination, Lanes, Pointer, Var
from cogen.array.loops.vectorise import vectorise
from cogen.array.optimise.optimisations import CODE
from cogen.array.optimise.preparing import prepare
from cogen.lang.errors import CogenError
from tests.cogen.array.loopways import interpreted, loops_of

pytestmark = pytest.mark.quick

A, N, OUT = Var("a", Pointer(I64)), Var("n", I64), Var("out", Pointer(I64))
INDEX, K, S, X = (Var(name, I64) for name in "iksx")
SUM = Combination("+", 0, "int.add")
LEAST = Combination("min", None, "int.lt", swapped=True)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small loops are divided, too."""
    monkeypatch.setattr(streams, "LEAST", 8)


def reduction(how: Combination = SUM, mark: Lanes | None = None) -> tree.For:
    taken = tree.Let(X, tree.Load(A, INDEX))
    combined = tree.Assign(S, how.combine(S, X))
    return tree.For(INDEX, ZERO, N, ONE, (taken, combined), mark or Lanes(((how, S),)))


def reducing(loop: tree.For) -> tree.Function:
    """Stores in `out` what a loop finds."""
    body = (tree.Variable(S, tree.Load(A, ZERO)), loop, tree.Store(OUT, ZERO, S))
    return tree.Function("f", (A, N, OUT), body)


def run(function: tree.Function, data: list[int], size: int, room: int = 1) -> list[int]:
    check([function])
    given = MemoryRegion(bytearray(np.array(data, np.int64).tobytes()))
    out = MemoryRegion(bytearray(8 * room))
    LoopMachine([function], WIDE).call(
        "f", [MemoryPlace(given, 0, I64), size, MemoryPlace(out, 0, I64)]
    )
    return [MemoryPlace(out, 0, I64).moved(k).load() for k in range(room)]


def loops(block: Block) -> Iterator[tree.For]:
    return (s for s in treewalk.all_statements(block) if isinstance(s, tree.For))


# Streams.


@pytest.mark.parametrize("how", [SUM, LEAST], ids=["sum", "least"])
@pytest.mark.parametrize("size", [1, 7, 8, 9, 11, 12, 16, 37])
@pytest.mark.usefixtures("small")
def test_streams(how: Combination, size: int) -> None:
    plain = reducing(reduction(how))
    data = [(k * 7919) % 101 - 50 for k in range(size)]
    (made,) = stream([plain])
    assert run(made, data, size) == run(plain, data, size)
    whole, first, rest = loops(made.body)
    assert isinstance(first.mark, Lanes)
    assert (first.mark.abreast, len(first.mark.accumulators)) == (STREAMS, STREAMS)
    assert whole.mark == rest.mark == Lanes(((how, S),))


def test_streams_are_made_once() -> None:
    (once,) = stream([reducing(reduction())])
    _, divided, _ = loops(once.body)
    (again,) = stream([reducing(divided)])
    assert [*loops(again.body)] == [divided]


DEAR = tree.Operate("int.pow", (X, X), I64)
LEFT: dict[str, tree.For] = {
    "no accumulators": tree.For(INDEX, ZERO, N, ONE, (), Lanes()),
    "no mark": tree.For(INDEX, ZERO, N, ONE, reduction().body),
    "a short block": reduction(mark=Lanes(((SUM, S),), few=True)),
    "a known size": tree.For(INDEX, ZERO, natural(64), ONE, reduction().body, reduction().mark),
    "a store": tree.For(INDEX, ZERO, N, ONE, (*reduction().body, tree.Store(OUT, ZERO, X)),
                        reduction().mark),
    "much work": tree.For(INDEX, ZERO, N, ONE, (tree.Let(X, tree.Load(A, INDEX)), tree.Let(K, DEAR),
                          tree.Assign(S, SUM.combine(S, K))), reduction().mark),
    "steps": tree.For(INDEX, ZERO, N, natural(2), reduction().body, reduction().mark),
}  # fmt: skip


@pytest.mark.parametrize("loop", LEFT.values(), ids=LEFT)
def test_what_has_no_streams(loop: tree.For) -> None:
    function = reducing(loop)
    assert stream([function]) == (function,)


# Short reductions.


@pytest.mark.parametrize("size", [0, 1, SHORT - 1, SHORT, 3 * SHORT])
def test_short_reductions_are_plain(size: int) -> None:
    """In a loop; the outermost begins once, so it stays as it is."""
    inner = reduction()
    alone = reducing(inner)
    assert split_short([alone]) == (alone,)
    rows = tree.For(K, ZERO, natural(3), ONE, (inner,))
    (made,) = split_short([reducing(rows)])
    data = [k * 37 % 101 for k in range(size)]
    assert run(made, data or [0], size) == run(reducing(rows), data or [0], size)
    around, plain, vectors = loops(made.body)
    assert (around.mark, plain.mark, vectors.mark) == (None, None, inner.mark)
    (again,) = split_short([reducing(replace(rows, body=(replace(inner, stop=natural(9)),)))])
    assert len([*loops(again.body)]) == 2  # C's compiler knows how long it is


# Vectors.


def mapped(*body: tree.Statement, mark: tree.Mark | None = None) -> tree.For:
    return tree.For(INDEX, ZERO, N, ONE, body, mark or Apart())


def test_vectors() -> None:
    """What a loop says of its iterations becomes what vectors need; within others, too."""
    inner = mapped(*reduction().body, mark=Apart(((SUM, S),)))
    outer = mapped(tree.Variable(S, ZERO), inner, tree.Store(OUT, INDEX, S))
    before = tree.Function("f", (A, N, OUT), (replace(outer, index=K),))
    (after,) = vectorise([before])
    (found, within) = loops(after.body)
    assert found.mark == Apart()
    assert within.mark == Lanes(((SUM, S),))


ADDRESS = tree.Let(Var("row", Pointer(I64)), tree.Binary("+", A, INDEX))
NO_VECTORS = {
    "iterations that need others": tree.For(INDEX, ZERO, N, ONE, ()),
    "what fails": mapped(tree.Fail(1, ())),
    "an effect": mapped(tree.Do(tree.Invoke("drop", (Var("b", tree.BLOCK),), tree.BOOL))),
    "a loop": mapped(tree.While(tree.Binary("<", N, ZERO), ())),
    "an address": mapped(ADDRESS),
    "an address under a condition": mapped(tree.IfStatement(tree.Binary("<", N, ZERO), (ADDRESS,))),
}  # fmt: skip


@pytest.mark.parametrize("loop", NO_VECTORS.values(), ids=NO_VECTORS)
def test_what_is_not_vectors(loop: tree.For) -> None:
    function = tree.Function("f", (A, N, OUT), (loop,))
    assert vectorise([function]) == (function,)


# Depth.


def let(name: str, *operands: tree.Expr) -> tree.Let:
    value = operands[0] if len(operands) == 1 else tree.Operate("int.add", operands, I64)
    return tree.Let(Var(name, I64), value)


def var(name: str) -> Var:
    return Var(name, I64)


def names(block: Block) -> list[str]:
    return [v.name for s in block for v in treewalk.declared(s)]


ELEMENT = let("x", tree.Load(A, INDEX))


def test_depth() -> None:
    """What costs most comes first, what it needs just before it, elements at the beginning."""
    body = (
        ELEMENT,
        let("p", var("x"), ONE),
        let("q", var("x"), var("x")),
        let("r", var("p"), ONE),
        let("s", var("q"), var("x")),
        let("t", var("s"), ONE),
        let("u", var("r"), var("t")),
        tree.Store(OUT, INDEX, var("u")),
    )
    found = arranged(body)
    assert names(found) == ["x", "q", "s", "t", "p", "r", "u"]
    assert found[-1] == body[-1]


def test_what_is_assigned_stays_together() -> None:
    y = tree.Variable(Var("y", I64), var("x"))
    chosen = tree.IfStatement(tree.Binary("<", var("x"), ZERO), (tree.Assign(Var("y", I64), ONE),))
    body = (ELEMENT, y, let("p", var("x"), ONE), chosen, let("q", var("y"), var("p")))
    found = arranged((*body, tree.Store(OUT, INDEX, var("q"))))
    at = found.index(y)
    assert found[at + 1] == chosen
    assert set(found) == {*body, tree.Store(OUT, INDEX, var("q"))}


def test_what_only_a_choice_uses_stays_with_it() -> None:
    choice = tree.Choose(tree.Binary("<", var("x"), ZERO), var("p"), var("q"))
    body = (
        ELEMENT, let("p", var("x"), ONE), let("q", var("x"), var("x")),
        let("r", var("x"), ONE), let("s", choice), let("t", var("r"), var("s")),
        tree.Store(OUT, INDEX, var("t")),
    )  # fmt: skip
    assert names(arranged(body)) == ["x", "p", "q", "s", "r", "t"]


def test_only_what_makes_variables_is_arranged() -> None:
    """Not behind a store, which may change what is loaded, nor accumulators."""
    stored = tree.Store(A, ZERO, var("x"))
    body = (ELEMENT, let("p", var("x"), ONE), stored, let("q", tree.Load(A, ONE)))
    assert arranged(body) == body
    added = tree.Assign(S, plus(S, var("x")))
    body = (ELEMENT, added, let("p", S), tree.Store(OUT, INDEX, var("p")))
    assert arranged(body) == body


@pytest.mark.parametrize("size", [0, 5])
def test_results_of_what_is_arranged_stay(size: int) -> None:
    body = (ELEMENT, let("p", var("x"), ONE), let("q", var("p"), var("p")),
            let("r", var("x"), var("q")), tree.Store(OUT, INDEX, var("r")))  # fmt: skip
    function = tree.Function("f", (A, N, OUT), (mapped(*body, mark=Lanes()),))
    data = [k * 3 for k in range(size)]
    (made,) = arrange([function])
    assert run(made, data, size, size) == run(function, data, size, size)


def test_what_is_read_before_it_is_assigned_again_stays_before() -> None:
    """A sum that is looked at on its way; what costs most would come first."""
    body = (
        ELEMENT,
        tree.Variable(S, var("x")),
        let("p", S, ONE),
        let("y", var("x"), var("x")),
        tree.Assign(S, tree.Operate("int.mul", (S, var("y")), I64)),
        let("q", S, var("p")),
        tree.Assign(S, tree.Operate("int.add", (S, var("q")), I64)),
        tree.Store(OUT, INDEX, tree.Operate("int.sub", (S, var("p")), I64)),
    )
    function = tree.Function("f", (A, N, OUT), (mapped(*body, mark=Lanes()),))
    (made,) = arrange([function])
    data = [k * 3 + 1 for k in range(5)]
    assert run(made, data, 5, 5) == run(function, data, 5, 5)


# Jam.


def around(
    inner: tree.For, *before: tree.Statement, mark: tree.Mark | None = None
) -> tree.Function:
    """out[k] is what the inner loop finds, for each k below n."""
    start = (*before, tree.Variable(S, K))
    body = (*start, inner, tree.Store(OUT, K, S))
    loop = tree.For(K, ZERO, N, ONE, body, Apart() if mark is None else mark)
    return tree.Function("f", (A, N, OUT), (loop,))


@pytest.mark.parametrize("size", [0, 1, 3, 4, 5, 8, 11])
def test_jam(size: int) -> None:
    plain = around(reduction())
    data = [*range(1, size + 1)]
    (made,) = jam([plain])
    expected = [sum(data) + k for k in range(size)]
    assert run(made, data, size, size) == run(plain, data, size, size) == expected
    main, inner, *_ = loops(made.body)
    assert main.step == natural(4)
    assert isinstance(inner.mark, Lanes)
    assert (inner.mark.abreast, len(inner.mark.accumulators)) == (4, 4)


UNJAMMED: dict[str, tree.Function] = {
    "iterations that need others": around(reduction(), mark=Lanes(((SUM, S),))),
    "a size of each iteration": around(
        tree.For(INDEX, ZERO, K, ONE, reduction().body, reduction().mark)
    ),
    "a size that is computed": around(
        tree.For(INDEX, ZERO, X, ONE, reduction().body, reduction().mark), tree.Let(X, minus(N, K))
    ),
    "a loop that is no reduction": around(tree.For(INDEX, ZERO, N, ONE, (), Lanes())),
    "an effect": around(
        reduction(), tree.Do(tree.Invoke("copy", (A, A, tree.SizeOf(I64)), tree.BOOL))
    ),
    "what may fail": around(reduction(), tree.Fail(1, ())),
}


@pytest.mark.parametrize("function", UNJAMMED.values(), ids=UNJAMMED)
def test_what_is_not_jammed(function: tree.Function) -> None:
    assert jam([function]) == (function,)


def test_jam_around_two_loops() -> None:
    """A product of matrices: rows of the outer loop share what the inner ones read."""
    text = """
fun [[int]] main([[int]] a, [[int]] b) =
  map(fn [int] ([int] x) =>
        map(fn int ([int] y) => reduce(op +, 0, map(op *, zip(x, y))), b), a)
"""
    prepared = prepare(loads(text).facts, "main")
    (before,) = loops_of(prepared, frozenset(CODE) - {"aim"}).functions
    (after,) = jam(vectorise([before]))
    shape = [(loop.step, type(loop.mark)) for loop in loops(after.body)]
    assert shape == [
        (natural(4), type(None)), (ONE, type(None)), (ONE, Lanes),  # four rows at a time
        (ONE, Apart), (natural(4), type(None)), (ONE, Lanes),  # the other rows, four columns
        (ONE, Apart), (ONE, Lanes),  # the other columns
    ]  # fmt: skip


def test_order() -> None:
    """What is jammed has no streams: each reduction has four accumulators already."""
    (made,) = stream(jam([around(reduction())]))
    counts = [len(x.mark.accumulators) for x in loops(made.body) if isinstance(x.mark, Lanes)]
    assert max(counts) == 4
    out = MemoryPlace(ElementSlots([0]), 0, I64)
    LoopMachine([made], WIDE).call("f", [MemoryPlace(MemoryRegion(bytearray(8)), 0, I64), 1, out])
    assert out.load() == 0


# Lanes.

J = Var("j", I64)
GOES_ON = Var("goes_on", tree.BOOL)
FIVE = natural(5)


def plus(a: tree.Expr, b: tree.Expr) -> tree.Expr:
    return tree.Operate("int.add", (a, b), I64)


def chain(*more: tree.Statement, rounds: tree.Expr = FIVE) -> tree.For:
    """s = s + s + j, over and over."""
    doubled = tree.Let(X, plus(S, plus(S, J)))
    return tree.For(J, ZERO, rounds, ONE, (doubled, tree.Assign(S, X), *more))


def settling() -> tree.For:
    """Ends when s is 100 or more; iterations need different numbers of rounds."""
    test = tree.Let(GOES_ON, tree.Operate("int.lt", (S, natural(100)), tree.BOOL))
    new = tree.Choose(GOES_ON, plus(S, plus(S, ONE)), S)
    leave = tree.IfStatement(tree.Not(GOES_ON), (tree.Break(),))
    return tree.For(J, ZERO, natural(60), ONE, (test, tree.Let(X, new), tree.Assign(S, X), leave))


def of_each(*body: tree.Statement, mark: tree.Mark | None = None) -> tree.Function:
    """out[i] is what a body makes of a[i]."""
    element = tree.Let(K, tree.Load(A, INDEX))
    whole = (element, *body, tree.Store(OUT, INDEX, plus(S, K)))
    loop = tree.For(INDEX, ZERO, N, ONE, whole, Apart() if mark is None else mark)
    return tree.Function("f", (A, N, OUT), (loop,))


START = tree.Variable(S, K)
LANES = {
    "one chain": of_each(START, chain()),
    "two chains": of_each(START, chain(), tree.Assign(S, plus(S, K)), chain()),
    "a chain that settles": of_each(START, settling()),
    "a bool that is kept": of_each(
        tree.Let(Var("odd", tree.BOOL), tree.Operate("int.lt", (K, ZERO), tree.BOOL)),
        START, chain(),
        tree.IfStatement(Var("odd", tree.BOOL), (tree.Assign(S, ONE),)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("size", [0, 1, 31, 32, 33, 70])
@pytest.mark.parametrize("function", LANES.values(), ids=LANES)
def test_lanes(function: tree.Function, size: int) -> None:
    data = [k * 5 - 40 for k in range(size)]
    (made,) = interchange([function])
    assert run(made, data, size, size) == run(function, data, size, size)
    assert any(loop.step == natural(32) for loop in loops(made.body))


def test_lanes_with_accumulators() -> None:
    total = Var("total", I64)
    body = (tree.Let(K, tree.Load(A, INDEX)), START, chain(), tree.Assign(total, plus(total, S)))
    loop = tree.For(INDEX, ZERO, N, ONE, body, Apart(((SUM, total),)))
    whole = (tree.Variable(total, ZERO), loop, tree.Store(OUT, ZERO, total))
    plain = tree.Function("f", (A, N, OUT), whole)
    (made,) = interchange([plain])
    data = [*range(50)]
    assert run(made, data, 50) == run(plain, data, 50)
    marks = [loop.mark for loop in loops(made.body)]
    assert Lanes(((SUM, total),), few=True) in marks


INSIDE = Var("p", Pointer(I64))
NO_LANES = {
    "iterations that need others": of_each(START, chain(), mark=Lanes()),
    "rounds of each iteration": of_each(START, chain(rounds=K)),
    "no sequential loop": of_each(START),
    "nothing carried": of_each(START, tree.For(J, ZERO, N, ONE, (tree.Let(X, J),))),
    "a store within": of_each(START, chain(tree.Store(OUT, ZERO, S))),
    "what vectors do not have": of_each(
        START, chain(tree.Assign(S, tree.Operate("int.div", (S, natural(3)), I64)))
    ),
    "an address": of_each(START, tree.Let(INSIDE, A), chain()),
    "what may fail": of_each(START, chain(), tree.Fail(1, ())),
}


@pytest.mark.parametrize("function", NO_LANES.values(), ids=NO_LANES)
def test_what_has_no_lanes(function: tree.Function) -> None:
    assert interchange([function]) == (function,)


def test_names_of_the_text() -> None:
    """No new variable is called as something else is: another function, or the text's own."""
    other = tree.Function("begin", (), ())
    (_, made) = interchange([other, LANES["one chain"]])
    declared = {v.name for s in treewalk.all_statements(made.body) for v in treewalk.declared(s)}
    bound = {v.name for s in treewalk.all_statements(made.body) for v in treewalk.bound(s)}
    assert not (declared | bound) & {"begin", *tree.RESERVED}


# Scans.

B, Z = Var("b", Pointer(I64)), Var("z", I64)


def scanning(*late: tree.Statement, value: tree.Expr = X, how: Combination = SUM) -> tree.Function:
    """out[i] is all that was scanned up to i; `late` comes after that."""
    early = (tree.Let(K, tree.Load(A, INDEX)), tree.Let(X, plus(K, ONE)))
    body = (*early, tree.Assign(S, how.combine(S, value)), tree.Store(OUT, INDEX, S), *late)
    loop = tree.For(INDEX, ZERO, N, ONE, body, tree.Running(((how, S),)))
    return tree.Function("f", (A, N, OUT), (tree.Variable(S, natural(7)), loop))


def behind(index: tree.Expr) -> tree.Expr:
    return tree.Binary("+", N, index)


AGAIN = Var("again", I64)
SCANS = {
    "a sum": scanning(),
    "the least": scanning(how=LEAST),
    "what is made with it": scanning(
        tree.Let(Z, plus(S, K)), tree.Store(OUT, behind(INDEX), Z)
    ),
    "a value and what it was made of": scanning(tree.Store(OUT, behind(INDEX), plus(S, X))),
    "under a condition": scanning(
        tree.Variable(AGAIN, ZERO),
        tree.IfStatement(
            tree.Operate("int.lt", (S, natural(30)), tree.BOOL), (tree.Assign(AGAIN, K),)
        ),
        tree.Store(OUT, behind(INDEX), AGAIN),
    ),
    "stored twice": scanning(tree.Store(OUT, behind(INDEX), S)),
}  # fmt: skip


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 15, 16, 17, 40])
@pytest.mark.parametrize("function", SCANS.values(), ids=SCANS)
def test_scans_in_blocks(function: tree.Function, size: int) -> None:
    data = [(k * 37) % 23 - 11 for k in range(size)]
    (made,) = block_scans([function])
    assert run(made, data, size, 2 * size + 1) == run(function, data, size, 2 * size + 1)
    assert any(isinstance(s, tree.Scan) for s in treewalk.all_statements(made.body))


def test_scans_with_a_reduction() -> None:
    """One that uses what the scan gives, and one that does not."""
    p, q = Var("p", I64), Var("q", I64)
    body = (
        tree.Let(K, tree.Load(A, INDEX)),
        tree.Assign(S, SUM.combine(S, K)),
        tree.Assign(p, SUM.combine(p, S)),
        tree.Assign(q, LEAST.combine(q, K)),
    )
    mark = tree.Running(((SUM, S),), ((SUM, p), (LEAST, q)))
    loop = tree.For(INDEX, ZERO, N, ONE, body, mark)
    start = [tree.Variable(v, ZERO) for v in (S, p, q)]
    end = (tree.Store(OUT, ZERO, p), tree.Store(OUT, ONE, q))
    plain = tree.Function("f", (A, N, OUT), (*start, loop, *end))
    (made,) = block_scans([plain])
    data = [k * 3 - 50 for k in range(45)]
    assert run(made, data, 45, 2) == run(plain, data, 45, 2)
    marks = [loop.mark for loop in loops(made.body)]
    assert Lanes(((LEAST, q),), few=True) in marks
    assert Lanes(((SUM, p),), few=True) in marks


UNSCANNED = {
    "a value that depends on the scan": scanning(value=plus(K, S)),
    "what may fail": scanning(tree.Fail(1, ())),
    "an address that crosses": scanning(tree.Store(B, ZERO, plus(S, ONE))),
    "an accumulator that is assigned twice": scanning(tree.Assign(S, SUM.combine(S, X))),
    "what is assigned otherwise": scanning(value=tree.Binary("-", X, S)),
}


@pytest.mark.parametrize("name", UNSCANNED)
def test_what_is_not_scanned_in_blocks(name: str) -> None:
    function = UNSCANNED[name]
    if name == "an address that crosses":
        *start, loop = function.body
        assert isinstance(loop, tree.For)
        within = (tree.Let(B, tree.Binary("+", OUT, INDEX)), *loop.body)
        function = tree.Function("f", function.parameters, (*start, replace(loop, body=within)))
    assert block_scans([function]) == (function,)


# Tables in turn, and keys in blocks.

FAR, KEY, OLD = Var("far", I64), Var("key", I64), Var("old", I64)
BOUNDS = tree.Operate("int.lt", (KEY, natural(5)), tree.BOOL)
CHECK = tree.IfStatement(tree.Not(BOUNDS), (tree.Fail(9, (KEY,)),))


def counting_keys(key: tree.Expr, *before: tree.Statement, load: bool = True) -> tree.Function:
    """How often each key below 5 comes, in four tables of which `out` has the sum."""
    table, k, t = Var("table", Pointer(I64)), Var("k", I64), Var("t", I64)
    cleared = tree.For(k, ZERO, natural(20), ONE, (tree.Store(table, k, ZERO),))
    element = tree.Let(X, tree.Load(A, INDEX))
    body = (
        *([element] if load else []), *before, tree.Let(KEY, key), CHECK,
        tree.Let(OLD, tree.Load(table, KEY)), tree.Store(table, KEY, plus(OLD, ONE)),
    )  # fmt: skip
    loop = tree.For(INDEX, ZERO, N, ONE, body, tree.Tables(((table, FAR),)))
    place = tree.Binary("+", tree.Binary("*", t, natural(5)), k)
    added = tree.Store(OUT, k, plus(tree.Load(OUT, k), tree.Load(table, place)))
    merged = tree.For(k, ZERO, natural(5), ONE, (tree.For(t, ZERO, natural(4), ONE, (added,)),))
    start = (tree.Room(table, natural(20)), cleared, tree.Let(FAR, natural(5)))
    return tree.Function("f", (A, N, OUT), (*start, loop, merged))


LOADED = counting_keys(tree.Load(A, INDEX), load=False)
COMPUTED = counting_keys(tree.Operate("int.and", (X, natural(3)), I64))
SIXTH = counting_keys(tree.Operate("int.div", (X, natural(6)), I64))


@pytest.mark.parametrize("size", [0, 3, 4, 5, 63, 64, 65, 200])
@pytest.mark.parametrize("function", [LOADED, COMPUTED, SIXTH], ids=["loaded", "and", "sixth"])
def test_tables_in_turn(function: tree.Function, size: int) -> None:
    data = [(k * 7) % 5 for k in range(size)]
    (turned,) = take_turns([function])
    (blocked,) = block_keys([function])
    (both,) = take_turns([blocked])
    expected = [function, turned, blocked, both]
    found = [run(made, data, size, 5) for made in expected]
    assert found == found[:1] * 4
    assert sum(found[0]) == size
    assert (blocked == function) == (function is LOADED)


@pytest.mark.parametrize("wrong", [0, 70, 199])
def test_a_key_that_is_wrong(wrong: int) -> None:
    """What fails is told as without blocks: the first one, and after what came before it."""
    function = counting_keys(plus(X, ZERO))
    data = [k % 5 for k in range(200)]
    data[wrong] = 11
    data[-1] = 12
    (blocked,) = block_keys([function])
    for made in (function, blocked, *take_turns([blocked])):
        with pytest.raises(Failed) as caught:
            run(made, data, 200, 5)
        assert caught.value.details == [12 if wrong == 199 else 11]


NUMBER, NUMBERS = Var("number", I64), Var("table", tree.NUMBERS)


def numbering(
    key: tree.Expr, *before: tree.Statement, mark: tree.Mark | None = None, function: str = "number"
) -> tree.Function:
    """Stores the numbers of keys as they come."""
    keys = (key, key) if function == "number_2" else (key,)
    found = tree.Invoke(function, (tree.Address(NUMBERS), *keys), I64)
    body = (
        tree.Let(X, tree.Load(A, INDEX)), *before, tree.Let(NUMBER, found),
        tree.Store(OUT, INDEX, NUMBER),
    )  # fmt: skip
    begin = tree.Invoke("numbers_begin", (tree.Address(NUMBERS), N, natural(len(keys))), tree.BOOL)
    loop = tree.For(INDEX, ZERO, N, ONE, body, mark)
    return tree.Function("f", (A, N, OUT), (tree.Variable(NUMBERS), tree.Do(begin), loop))


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 200])
@pytest.mark.parametrize("function", ["number", "number_2"])
def test_lookups_ahead(function: str, size: int) -> None:
    plain = numbering(
        K, tree.Let(K, tree.Operate("int.mod", (X, natural(7)), I64)), function=function
    )
    data = [(k * 37) % 41 for k in range(size)]
    (made,) = look_ahead([plain])
    assert run(made, data, size, size) == run(plain, data, size, size)
    asked = [s.value.function for s in treewalk.all_statements(made.body) if isinstance(s, tree.Do)]
    ahead = function.replace("number", "ahead")
    assert asked == ["numbers_begin", ahead, ahead.replace("ahead", "ahead_key")]


def test_lookups_in_several_tables() -> None:
    """The key of the second is the number that the first gives: it cannot be asked for."""
    again = tree.Invoke("number", (tree.Address(NUMBERS), NUMBER), I64)
    third = tree.Invoke("number", (tree.Address(NUMBERS), plus(X, ONE)), I64)
    plain = numbering(X)
    begin, started, loop = plain.body
    assert isinstance(loop, tree.For)
    more_lets = (tree.Let(K, again), tree.Let(S, third), tree.Store(OUT, INDEX, plus(K, S)))
    function = replace(plain, body=(begin, started, replace(loop, body=(*loop.body, *more_lets))))
    (made,) = look_ahead([function])
    data = [(k * 37) % 41 for k in range(130)]
    assert run(made, data, 130, 130) == run(function, data, 130, 130)
    asked = [s.value for s in treewalk.all_statements(made.body) if isinstance(s, tree.Do)]
    assert [e.function for e in asked] == ["numbers_begin", *["ahead", "ahead_key"] * 2]


NOT_ASKED = {
    "a key that is looked up": numbering(K, tree.Let(K, tree.Load(A, X))),
    "a quotient": numbering(K, tree.Let(K, tree.Operate("int.div", (natural(9), X), I64))),
    "what it stores": numbering(K, tree.Let(K, tree.Load(OUT, INDEX))),
    "what it counts": numbering(plus(S, X), tree.Assign(S, ONE, "+")),
    "much work": numbering(K, tree.Let(K, DEAR)),
    "iterations apart": numbering(X, mark=Apart()),
}


@pytest.mark.parametrize("function", NOT_ASKED.values(), ids=NOT_ASKED)
def test_keys_that_are_not_looked_up_ahead(function: tree.Function) -> None:
    assert look_ahead([function]) == (function,)


AHEAD = {
    "an element that is looked up": counting_keys(tree.Load(A, X)),
    "a quotient": counting_keys(tree.Operate("int.div", (natural(9), X), I64)),
    "an effect": counting_keys(plus(X, ONE), tree.Store(OUT, ZERO, ONE)),
    "a check under a condition": counting_keys(plus(X, ONE), tree.IfStatement(BOUNDS, (CHECK,))),
}


@pytest.mark.parametrize("function", AHEAD.values(), ids=AHEAD)
def test_keys_that_are_not_computed_ahead(function: tree.Function) -> None:
    assert block_keys([function]) == (function,)


def test_a_division_is_done_after_its_check() -> None:
    """In compiled code too, where a quotient by 0 ends the process."""
    text = """
fun [int] main([int] a, int bins) =
  bucketReduce(op +, 0, bins, map(fn int (int x) => 100 / x, a), map(fn int (int x) => 1, a))
"""
    program = loads(text)
    a = np.arange(20, 220)
    for compiled in (program.compile(threads=1), interpreted(program)):
        assert compiled(a, 7).tolist() == program.run(a, 7).tolist()
        with pytest.raises(CogenError, match="division by zero"):
            compiled(np.where(a == 180, 0, a), 7)


# Filters in blocks.

TEST, NEXT, TAKEN = Var("test", tree.BOOL), Var("next", tree.BOOL), Var("taken", I64)
COUNT, P = Var("count", I64), Var("p", I64)
SMALL = tree.Operate("int.lt", (X, natural(20)), tree.BOOL)
TINY = tree.Operate("int.lt", (X, natural(7)), tree.BOOL)
COUNTED = tree.Assign(COUNT, ONE, "+")


def filtering(
    *body: tree.Statement, mark: tree.Mark | None = None, test: tree.Expr = SMALL
) -> tree.Function:
    """Stores what a loop finds behind what it counts, and two numbers at the end of `out`."""
    taken = (tree.Let(X, tree.Load(A, INDEX)), tree.Let(TEST, test))
    loop = tree.For(INDEX, ZERO, N, ONE, (*taken, *body), mark)
    start = [tree.Variable(v, ZERO) for v in (S, P, COUNT)]
    last, before = minus(plus(N, natural(2)), ONE), N
    end = (tree.Store(OUT, before, plus(S, COUNT)), tree.Store(OUT, last, P))
    return tree.Function("f", (A, N, OUT), (*start, loop, *end))


def when(*then: tree.Statement, test: tree.Expr = TEST) -> tree.IfStatement:
    return tree.IfStatement(test, then)


PASSED = tree.Choose(TEST, X, ZERO)
KEPT = tree.Store(OUT, COUNT, S)
FILTERS = {
    "positions": filtering(when(tree.Store(OUT, COUNT, plus(COUNT, X)), COUNTED)),
    "after it is counted": filtering(when(COUNTED, tree.Store(OUT, minus(COUNT, ONE), INDEX))),
    "a sum": filtering(when(tree.Assign(S, SUM.combine(S, X)))),
    "a scan": filtering(
        tree.Assign(S, SUM.combine(S, PASSED)), KEPT,
        tree.Assign(COUNT, tree.Convert(I64, TEST), "+"),
        mark=tree.Running(((SUM, S),), (), (COUNT,)),
    ),
    "the sum of a scan": filtering(
        tree.Assign(S, SUM.combine(S, PASSED)),
        tree.Assign(P, SUM.combine(P, tree.Choose(TEST, S, ZERO))),
        mark=tree.Running(((SUM, S),), ((SUM, P),)),
    ),
    "numbers": filtering(
        tree.Assign(S, SUM.combine(S, tree.Operate("bool.to_int", (TEST,), I64))),
        when(tree.Store(OUT, COUNT, S), COUNTED),
        mark=tree.Running(((SUM, S),), (), (COUNT,)),
    ),
    "a test in it": filtering(
        tree.Let(NEXT, tree.Operate("bool.and", (TEST, TINY), tree.BOOL)),
        when(tree.Assign(S, SUM.combine(S, X))),
        when(tree.Store(OUT, COUNT, X), COUNTED, test=NEXT),
    ),
    "a loop in it": filtering(
        when(tree.For(K, ZERO, natural(3), ONE, (tree.Assign(S, plus(S, K)),), Lanes(((SUM, S),))))
    ),
}  # fmt: skip


@pytest.mark.one_in(6)
@pytest.mark.parametrize("size", [0, 1, 63, 1023, 1024, 1025, 2500])
@pytest.mark.parametrize("function", FILTERS.values(), ids=FILTERS)
def test_filters_in_blocks(function: tree.Function, size: int) -> None:
    data = [(k * 37) % 41 for k in range(size)]
    (made,) = block_filters([function])
    assert made != function
    (scanned,) = block_scans([made])
    ways = [run(way, data, size, size + 2) for way in (function, made, scanned)]
    passing = len([x for x in data if x < 20])
    found = [(out[:passing], out[size:]) for out in ways]  # what is behind is not seen
    assert found == found[:1] * 3


def test_the_failure_of_a_filter_is_the_first() -> None:
    below = tree.Operate("int.lt", (X, natural(19)), tree.BOOL)
    check_it = tree.IfStatement(tree.Not(below), (tree.Fail(9, (INDEX,)),))
    function = filtering(when(check_it, tree.Store(OUT, COUNT, X), COUNTED))
    data = [(k * 37) % 41 for k in range(2000)]
    (made,) = block_filters([function])
    assert made != function
    for own in (function, made):
        with pytest.raises(Failed) as caught:
            run(own, data, 2000, 2002)
        assert caught.value.details == [data.index(19)]


UNFILTERED = {
    "what is done anyway": filtering(tree.Assign(P, plus(P, ONE)), when(COUNTED)),
    "a store anyway": filtering(tree.Store(OUT, INDEX, ZERO), when(COUNTED)),
    "what is done otherwise": filtering(
        tree.IfStatement(TEST, (COUNTED,), (tree.Assign(P, SUM.combine(P, X)),))
    ),
    "a test of what it counts": filtering(
        when(COUNTED), test=tree.Operate("int.lt", (COUNT, natural(5)), tree.BOOL)
    ),
    "a test of what it stores": filtering(when(tree.Store(A, COUNT, ZERO), COUNTED)),
    "another neutral value": filtering(
        tree.Assign(S, SUM.combine(S, tree.Choose(TEST, X, ONE))),
        mark=tree.Running(((SUM, S),)),
    ),
    "a way out": filtering(when(tree.Break())),
    "iterations apart": filtering(when(tree.Assign(S, SUM.combine(S, X))), mark=Apart(((SUM, S),))),
}


@pytest.mark.parametrize("function", UNFILTERED.values(), ids=UNFILTERED)
def test_what_is_not_filtered_in_blocks(function: tree.Function) -> None:
    assert block_filters([function]) == (function,)


PASSING = {
    "about a half": lambda k: (k * 37) % 41,
    "none": lambda k: 20 + k % 7,
    "all": lambda k: k % 20,
    "nearly none": lambda k: 7 if k % 50 == 3 else 20 + k % 7,
    "nearly all": lambda k: 40 if k % 50 == 3 else k % 20,
    "those at the beginning": lambda k: k % 20 if k < 300 else 30,
    "those at the end": lambda k: 30 if k < 300 else k % 20,
    "in every other block": lambda k: k % 20 + k // 1024 % 2 * 20,
    "in runs": lambda k: k % 20 + k // 40 % 2 * 20,
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("value", PASSING.values(), ids=PASSING)
def test_keys_of_what_passes(value: Callable[[int], int]) -> None:
    """Are put into tables in turn, as all keys are, however many pass."""
    function = counting_keys(tree.Operate("int.mod", (X, natural(3)), I64))
    *start, loop, merged = function.body
    assert isinstance(loop, tree.For)
    element, *rest = loop.body
    body = (element, tree.Let(TEST, SMALL), tree.IfStatement(TEST, tuple(rest)))
    filtered = replace(function, body=(*start, replace(loop, body=body), merged))
    (made,) = block_filters([filtered])
    (keys,) = block_keys([made])
    (turned,) = take_turns([made])
    data = [value(k) for k in range(2500)]
    found = [run(own, data, 2500, 5) for own in (filtered, made, keys, turned)]
    assert found == found[:1] * 4
    assert keys != made != filtered
    loops = [s for s in treewalk.all_statements(made.body) if isinstance(s, tree.For)]
    assert len([loop for loop in loops if isinstance(loop.mark, tree.Tables)]) == 2
    assert sum(found[0]) == sum([x < 20 for x in data])
