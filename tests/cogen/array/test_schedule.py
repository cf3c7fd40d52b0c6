"""Where code is placed, in which order, and what is copied before it is overwritten."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cogen.array import loads
from cogen.array.ir.node import (
    Copy,
    Index,
    Iota,
    Loop,
    Module,
    Multiloop,
    Node,
    Operation,
    Rearrange,
    Update,
)
from cogen.array.optimise.optimisations import NAMES, Options
from cogen.array.optimise.optimise import optimise
from cogen.array.schedule.passes import in_order
from cogen.array.schedule.schedule import Scheduled, Statement, schedule
from cogen.array.schedule.showschedule import show
from tests.cogen.array.comparing import by_schedule, module_outcome

pytestmark = pytest.mark.quick

PLAIN = Options(frozenset(NAMES) - {"fold", "algebra", "sums", "inline"})


def scheduled(text: str, options: Options | None = None) -> tuple[Module, Scheduled]:
    program = loads(text)
    module = optimise(program.facts, "main", options, verify=True)[1]
    return module, schedule(module.entry, module.functions)


def statements(block: Scheduled, depth: int = 0) -> Iterator[tuple[int, Statement]]:
    """All statements with the number of blocks around them, in order."""
    guarded = [s for guard in block.guarded for s in guard.statements]
    for statement in (*block.statements, *guarded):
        yield depth, statement
        for inner in statement.blocks:
            yield from statements(inner, depth + 1)


def depth_of(block: Scheduled, kind: type[Node], name: str = "") -> list[int]:
    """How deep the statements of a kind stand; of operations, those of a name."""
    return [
        depth
        for depth, statement in statements(block)
        if isinstance(statement.node, kind)
        and (not isinstance(statement.node, Operation) or statement.node.name == name)
    ]


def copies(block: Scheduled) -> list[type[Node]]:
    """The classes of the nodes for which something is copied, and Copy for each copy."""
    found: list[type[Node]] = []
    for _, statement in statements(block):
        if statement.copies or isinstance(statement.node, Copy):
            found.append(type(statement.node))
        found += [type(statement.node) for inner in statement.blocks if inner.copies]
    return found


def test_what_does_not_change_leaves_loops() -> None:
    _, block = scheduled(
        "fun [real] main([real] a, real x) = map(fn real (real y) => y * exp(x) + log(x), a)"
    )
    assert depth_of(block, Operation, "real.exp") == [0]
    assert depth_of(block, Operation, "real.log") == [0]
    assert depth_of(block, Operation, "real.mul") == [1]


def test_what_one_branch_needs_goes_there() -> None:
    _, block = scheduled(
        "fun real main(real x, bool c) = let y = exp(x) in if c then y + 1.0 else x"
    )
    assert depth_of(block, Operation, "real.exp") == [1]


def test_what_both_branches_need_stays() -> None:
    _, block = scheduled(
        "fun real main(real x, bool c) = let y = exp(x) in if c then y + 1.0 else y"
    )
    assert depth_of(block, Operation, "real.exp") == [0]


def test_a_branch_in_a_loop_does_not_keep_what_can_leave_the_loop() -> None:
    _, block = scheduled(
        "fun [real] main([real] a, real x) = "
        "map(fn real (real y) => if y < 0.0 then exp(x) else y, a)"
    )
    assert depth_of(block, Operation, "real.exp") == [0]


def test_what_only_selected_elements_need_is_guarded() -> None:
    _, block = scheduled(
        "fun [real] main([real] a) = "
        "map(fn real (real x) => exp(x), filter(fn bool (real x) => 0.0 < x, a))"
    )
    (loop,) = [s for _, s in statements(block) if isinstance(s.node, Multiloop)]
    (guarded,) = loop.blocks[0].guarded
    names = [s.node.name for s in guarded.statements if isinstance(s.node, Operation)]
    assert names == ["real.exp"]


def test_the_order_is_that_of_the_source() -> None:
    text = "fun int main(int x) = let a = x * x in let b = a / 3 in let c = a % 5 in c - b"
    _, block = scheduled(text)
    shown = [s.node.name for _, s in statements(block) if isinstance(s.node, Operation)]
    assert shown == ["int.mul", "int.div", "int.mod", "int.sub"]


IN_PLACE = {
    "parameter": "fun *[int] main(*[int] a, int i) = let a[i] = 1 in a",
    "fresh": "fun *[int] main(int n) = let a = iota(n) in let a[0] = 7 in a",
    "read before": "fun {int, *[int]} main(*[int] a) = let x = a[0] in let a[0] = x + 1 in {x, a}",
    "loop": "fun *[int] main(*[int] a) = "
    "loop (a) = for i < size(a) do let a[i] = a[i] * 2 in a in a",
    "nested loops": "fun *[[int]] main(int n) = "
    "loop (c = replicate(n, iota(n))) = for i < n do "
    "loop (c) = for j < n do let c[i, j] = i * j in c in c in c",
    "branch": "fun *[int] main(*[int] a, bool c) = "
    "if c then let a[0] = 1 in a else let a[1] = 2 in a",
    "one branch": "fun *[int] main(*[int] a, bool c) = if c then let a[0] = 1 in a else a",
    "rows": "fun *[[int]] main(*[[int]] a) = map(fn *[int] (*[int] r) => let r[0] = 1 in r, a)",
    "made in the loop": "fun int main(int n) = loop (s = 0) = for i < n do "
    "let a = iota(i + 1) in let a[0] = s in a[i] in s",
    "called": "fun *[int] set(*[int] a, int n) = "
    "if n < 1 then a else let a[n - 1] = n in set(a, n - 1) "
    "fun *[int] main(*[int] a) = let n = size(a) in set(a, n)",
    "accumulator": "fun *[int] main([int] a) = redomap("
    "fn *[int] (*[int] x, [int] y) => x, fn *[int] (*[int] x, int i) => "
    "let x[i % 3] = x[i % 3] + 1 in x, replicate(3, 0), a)",
}


@pytest.mark.parametrize("text", IN_PLACE.values(), ids=IN_PLACE.keys())
@pytest.mark.parametrize("options", [Options(), PLAIN], ids=["optimised", "plain"])
def test_updates_are_in_place(text: str, options: Options) -> None:
    module, block = scheduled(text, options)
    for function in module.functions.values():
        assert copies(schedule(function, module.functions)) == []
    assert copies(block) == []


COPIED = {
    "a parameter that is not unique": (
        "fun *[int] main([int] a) = let b = copy(a) in let b[0] = 1 in b", [Update], "[5, 6]",
        "[1, 6]",
    ),
    "only updated": (
        "fun [int] main(int n) = loop (a = iota(n)) = for i < n do let b = copy(a) in "
        "let b[i] = a[0] + 1 in b in a", [], "3", "[1, 2, 2]",
    ),
    "used later": (
        "fun {[int], [int]} main(*[int] a) = "
        "let b = copy(a) in let b[0] = 1 in {a, b}", [Update], "[5, 6]", "{[5, 6], [1, 6]}",
    ),
    "only an element is read": (
        "fun int main([int] a, int i) = let b = copy(a) in b[i] + b[0]", [], "[5, 6] 1", "11",
    ),
    "only a row is read": (
        "fun int main([[int]] a, int i) = let b = copy(a) in reduce(op +, 0, b[i])", [],
        "[[1, 2], [3, 4]] 1", "7",
    ),
    "a row of it is updated": (
        "fun *[int] main([[int]] a, int i) = let b = copy(a) in let r = b[i] in let r[0] = 9 in r",
        [Update], "[[1, 2], [3, 4]] 1", "[9, 4]",
    ),
    "a row of it is the result": (
        "fun *[int] main([[int]] a, int i) = let b = copy(a) in b[i]", [Copy], "[[1, 2], [3, 4]] 1",
        "[3, 4]",
    ),
    "all elements are read": (
        "fun {int, [int]} main([int] a) = let b = copy(a) in "
        "{reduce(op +, 0, b), map(fn int (int x) => x * b[0], b)}", [], "[5, 6]",
        "{11, [25, 30]}",
    ),
    "read before the array is updated": (
        "fun *[int] main(*[int] a, int n) = loop (x = a) = for i < n do "
        "let y = copy(x) in let x[i] = y[n - 1 - i] in x in x", [], "[5, 6, 7] 3", "[7, 6, 7]",
    ),
    "read where the array has been updated": (
        "fun *[int] main(*[int] a, int i) = let b = copy(a) in let a[0] = 1 in let a[1] = b[a[i]] "
        "in a", [Update], "[5, 6] 0", "[1, 6]",
    ),
    "read in the loop that updates the array": (
        "fun *[int] main(*[int] a, int n) = let b = copy(a) in loop (x = a) = for i < n do "
        "let x[i] = b[n - 1 - i] in x in x", [Loop], "[5, 6, 7] 3", "[7, 6, 5]",
    ),
    "a filter with sums of what it updates": (
        "fun {[int], int} main(*[int] a) = let b = copy(a) in let a[0] = 7 in "
        "{a, reduce(op +, 0, filter(fn bool (int x) => b[0] < x, b))}", [], "[5, 6]", "{[7, 6], 6}",
    ),
    "two arrays that are equal": (
        "fun {[int], [int]} main(int n) = let a = iota(n) in let b = iota(n) in "
        "let a[0] = 5 in let b[0] = 7 in {a, b}", [Update], "2", "{[5, 1], [7, 1]}",
    ),
    "made outside of the loop": (
        "fun int main([int] b, int n) = loop (s = 0) = for i < n do "
        "let a = map(op *(2), b) in let a[i] = s + i in s + a[i] + a[0] in s", [Update], "[3, 4] 2",
        "7",
    ),
    "read in a branch, as a result of a conditional": (
        "fun {*[int], int, int} main(*[int] a, [int] x, int k, int i) = "
        "let {b, e} = if k < 3 then {a, 1} else {x, 2} in let d = copy(a) in let d[i] = 50 in "
        "{d, e, if i < 9 then b[0] + d[1] else 0}", [Update], "[1, 2] [4, 6] 1 0",
        "{[50, 2], 1, 3}",
    ),
    "one initial value for two": (
        "fun {[int], [int]} main(int n) = loop ({a, b} = {iota(n), iota(n)}) = for i < n do "
        "let a[i / 2] = 5 in let b[i / 2] = 7 in {a, b} in {a, b}", [Loop], "2",
        "{[5, 1], [7, 1]}",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected", "values", "result"), COPIED.values(), ids=COPIED.keys()
)
def test_copies_are_made_where_they_must(
    text: str, expected: list[type[Node]], values: str, result: str
) -> None:
    module, block = scheduled(text)
    assert copies(block) == expected
    assert module_outcome(module, values, by_schedule) == result


def test_a_read_comes_before_the_update_that_it_must_not_see() -> None:
    text = "fun {int, *[int]} main(*[int] a) = let x = a[1] in let a[1] = 7 in {x + a[1], a}"
    module, block = scheduled(text, PLAIN)
    kinds = [type(s.node) for _, s in statements(block) if isinstance(s.node, (Index, Update))]
    assert kinds == [Index, Update, Index]
    assert module_outcome(module, "[3, 4]", by_schedule) == "{11, [3, 7]}"


def test_an_array_of_constants_is_made_once() -> None:
    _, block = scheduled(
        "fun int main(int n, [int] b) = loop (s = 0) = for i < n do "
        "s + reduce(op +, 0, map(op +, zip(b, iota(size(b))))) in s",
        PLAIN,
    )
    assert depth_of(block, Iota) == [0]


TURNED = {
    "in each iteration": ("map(fn int ([int] x) => reduce(op +, 0, map(fn int ([int] y) => "
        "reduce(op +, 0, map(op *, zip(x, y))), transpose(a))), a)", True),
    "once": ("let t = transpose(a) in t[0]", False),
}  # fmt: skip


@pytest.mark.parametrize(("text", "found"), TURNED.values(), ids=TURNED)
def test_views_that_iterations_walk_through_are_turned(text: str, found: bool) -> None:
    module, _ = scheduled(f"fun [int] main([[int]] a) = {text}", PLAIN)
    for off in (frozenset[str](), frozenset(["turn"])):
        block = in_order(module.entry, module.functions, off)
        views = [s for _, s in statements(block) if isinstance(s.node, Rearrange)]
        assert [s.turned for s in views] == [found and not off]
        assert (" turned " in show(module, off)) is (found and not off)
