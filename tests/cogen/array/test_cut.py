"""Loops cut into kernels: which there are, and that each part of the iterations is joined."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cogen.array import loads
from cogen.array.loops import tree, treewalk
from cogen.array.loops.copying import UntakenNames
from cogen.array.loops.cut import Buffers, Cut
from cogen.array.loops.expressions import ONE, ZERO
from cogen.array.loops.flatten import Flat, flattened
from cogen.array.loops.group_reductions import BARRIER, grouped
from cogen.array.loops.group_tables import in_groups
from cogen.array.loops.printopencl import PART, PARTS
from cogen.array.loops.tree import ANY, I64, Combination, Operator, Pointer, Sharing, Var
from cogen.array.opencl.deviceprogram import DeviceCode
from cogen.array.optimise.preparing import prepare
from cogen.lang.errors import InternalError

INDEX, N, S, X = (Var(name, I64) for name in ("i", "n", "s", "x"))
A, BINS, OWN, SUMS = (Var(name, Pointer(I64, "global")) for name in ("a", "bins", "own", "sums"))
SUM = Combination("+", 0, "int.add")
LEFT, RIGHT = Var("left", I64), Var("right", I64)


def operator(how: Combination | None = SUM) -> Operator:
    combined = (how or SUM).combine(LEFT, RIGHT)
    return Operator((LEFT,), (RIGHT,), (), (combined,), (how,))


def cut(*body: tree.Statement, join: tree.Join) -> Cut:
    loop = tree.For(INDEX, ZERO, N, ONE, body, None, Sharing(ZERO, 0, (join,)))
    names = UntakenNames(())
    names.taken |= {"a", "bins", "i", "n", "old", "own", "s", "sums", "x"}
    return Cut(loop, [Buffers((SUMS,))], names)


TAKEN = tree.Let(X, tree.Load(A, INDEX))
SUMMED = tree.Reduced((S,), (ZERO,), operator())
REDUCED = (TAKEN, tree.Assign(S, SUM.combine(S, X)))
OLD = Var("old", I64)
COUNTED = (
    TAKEN, tree.Let(OLD, tree.Load(BINS, X)), tree.Store(BINS, X, SUM.combine(OLD, ONE)),
)  # fmt: skip


def keyed(how: Combination | None = SUM) -> tree.Keyed:
    return tree.Keyed(N, (tree.Table((BINS,), (ZERO,), operator(how)),))


def test_a_part_has_accumulators_of_its_own() -> None:
    main = cut(*REDUCED, join=SUMMED).main()
    (loop,) = [s for s in main if isinstance(s, tree.For)]
    assert S.name not in treewalk.mentioned(main)
    assert (loop.start, loop.stop) == tuple([s.variable for s in main[:2]])  # type: ignore[union-attr]  # lets
    assert isinstance(main[-1], tree.Store)
    assert (main[-1].base, main[-1].index) == (SUMS, PART)


def test_kernels_that_are_not_needed_are_empty() -> None:
    made = cut(*REDUCED, join=SUMMED)
    assert (made.totals(), made.before(), made.finish(), made.merge()) == ((), (), (), ())
    assert made.join()
    assert cut(*COUNTED, join=keyed()).join() == ()


def test_items_that_reduce_together_come_to_each_barrier() -> None:
    body = grouped(cut(*REDUCED, join=SUMMED))
    assert body is not None
    (loop,) = [s for s in body if isinstance(s, tree.For)]
    assert (loop.start, loop.step) == (PART, PARTS)
    assert [*treewalk.all_statements(body)].count(BARRIER) == 2


def test_what_cannot_be_reduced_in_groups() -> None:
    unknown = tree.Reduced((S,), (ZERO,), operator(None))
    assert grouped(cut(*REDUCED, join=unknown)) is None
    assert grouped(cut(*REDUCED, tree.Fail(1, ()), join=SUMMED)) is None
    assert grouped(cut(*COUNTED, join=keyed())) is None


def test_buckets_of_groups_are_combined_in_one_step() -> None:
    body = in_groups(cut(*COUNTED, join=keyed()))
    assert body is not None
    invoked = [s.value for s in treewalk.all_statements(body) if isinstance(s, tree.Do)]
    (into,) = [e for e in invoked if e.function == "into_int_add"]
    assert into.arguments[1] == ONE
    assert BINS.name not in treewalk.mentioned(body)


def test_what_has_no_buckets_of_groups() -> None:
    assert in_groups(cut(*COUNTED, join=keyed(None))) is None
    assert in_groups(cut(*REDUCED, join=SUMMED)) is None
    strange = tree.Store(BINS, X, X)
    with pytest.raises(InternalError, match=r"bins is not combined by \+"):
        in_groups(cut(TAKEN, strange, join=keyed()))


def test_a_join_that_kernels_do_not_have_is_refused() -> None:
    with pytest.raises(InternalError, match="is not cut into kernels"):
        cut(join=tree.Grown(S, ()))


def test_taken() -> None:
    """What an accumulator was combined with is found again."""
    least = Combination("min", None, "int.lt", swapped=True)
    for how in (SUM, ANY, least):
        assert how.taken(S, how.combine(S, X)) == X
        assert how.taken(X, how.combine(S, ONE)) is None
    assert SUM.taken(S, X) is None


@pytest.mark.parametrize(
    ("text", "kernels"),
    [
        ("fun int main([int] a) = reduce(op +, 0, a)", ["main", "lanes", "groups", "join"]),
        ("fun [int] main([int] a) = scan(op +, 0, a)", ["main", "join", "finish"]),
        ("fun [int] main([int] a) = filter(fn bool (int x) => 0 < x, a)",
         ["main", "join", "finish"]),
        ("fun [int] main([int] a) = bucketReduce(op +, 0, 3, a, a)", ["main", "buckets", "merge"]),
        ("""fun int main([int] a) =
  reduce(op +, 0, map(fn int (int x) => x * x, scan(op +, 0, a)))""",
         ["totals", "before", "main", "join"]),
    ],
)  # fmt: skip
def test_kernels(text: str, kernels: list[str]) -> None:
    plans = DeviceCode(prepare(loads(text).facts, "main")).plans
    assert [*next(iter(plans.values())).kernels] == kernels


# Maps of maps.

J, K = Var("j", I64), Var("k", I64)
ROW = Var("row", Pointer(I64, "global"))
MADE = tree.Let(ROW, tree.Binary("+", SUMS, tree.Binary("*", INDEX, N)))
INNER = tree.For(J, ZERO, N, ONE, (tree.Store(ROW, J, J),), tree.Apart())


def nest(*body: tree.Statement) -> Flat | None:
    names = UntakenNames(())
    names.taken |= {"a", "i", "j", "n", "row", "sums", "x"}
    loop = tree.For(INDEX, ZERO, N, ONE, body)
    return flattened(loop, PART, lambda size: size == N, names)


def test_maps_of_maps_are_one_loop() -> None:
    found = nest(TAKEN, MADE, INNER)
    assert found is not None
    assert found.columns == (N,)
    assert found.body[0] == tree.Let(J, tree.Binary("%", PART, N))
    assert found.body[-3:] == (TAKEN, MADE, *INNER.body)
    inner = tree.For(K, ZERO, N, ONE, (tree.Store(ROW, K, J),), tree.Apart())
    deeper = nest(MADE, replace(INNER, body=(inner,)))
    assert deeper is not None
    assert deeper.columns == (N, N)


UNNESTED = {
    "no loop within": (TAKEN,),
    "what is found within": (TAKEN, MADE, replace(INNER, stop=X)),
    "iterations that need others": (MADE, replace(INNER, mark=None)),
    "a sum": (MADE, replace(INNER, mark=tree.Apart(((SUM, S),)))),
    "something behind it": (MADE, INNER, TAKEN),
    "a variable": (tree.Variable(X, ONE), MADE, INNER),
    "another beginning": (MADE, replace(INNER, start=ONE)),
}


@pytest.mark.parametrize("body", UNNESTED.values(), ids=UNNESTED)
def test_what_is_no_map_of_maps(body: tree.Block) -> None:
    assert nest(*body) is None
