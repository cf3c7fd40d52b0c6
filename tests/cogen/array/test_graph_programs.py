"""The programs of tests/programs/l0 do through the graph what their headers say."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest

from cogen.array import Program, load, loads
from cogen.array.ir.evaluate import evaluate
from cogen.array.ir.graphwalk import all_blocks, all_nodes
from cogen.array.ir.node import (
    Assert,
    Block,
    If,
    Loop,
    Module,
    Multiloop,
    Node,
    Operation,
)
from cogen.array.optimise.optimisations import NAMES, Options
from cogen.array.optimise.optimise import optimise
from cogen.array.schedule.showschedule import show
from cogen.lang.errors import CogenError
from tests.cogen.array.comparing import Run, by_evaluation, by_schedule, module_outcome
from tests.cogen.array.programs import PROGRAMS, headers, place

CASES = [
    pytest.param(path, kind, text, id=f"{path.parent.stem}-{path.stem}-{i}")
    for path in sorted(PROGRAMS.rglob("*.l0"))
    for i, (kind, text) in enumerate(headers(path))
    if kind in ("run", "fails")
]
NOTHING = Options(frozenset(NAMES))


def optimised(program: Program, entry: str, options: Options | None = None) -> Module:
    return optimise(program.facts, entry, options, verify=True)[1]


@lru_cache(maxsize=8)
def optimised_file(path: Path, entry: str, options: Options) -> Module:
    return optimised(load(path), entry, options)


@pytest.mark.one_in(52)
@pytest.mark.parametrize("run", [by_evaluation, by_schedule], ids=["evaluated", "scheduled"])
@pytest.mark.parametrize("options", [Options(), NOTHING], ids=["optimised", "lowered"])
@pytest.mark.parametrize(("path", "kind", "text"), CASES)
def test_program(path: Path, kind: str, text: str, options: Options, run: Run) -> None:
    call, _, expected = text.rpartition(" => ")
    entry, _, values = call.partition(" ")
    found = module_outcome(optimised_file(path, entry, options), values, run)
    assert found == (place(str(path), expected) if kind == "fails" else expected)


def asserts_inside(module: Module) -> list[Node]:
    """The checks that are in some block within the entry."""
    blocks = list(all_blocks(module.entry.body))[1:]
    return [effect for block in blocks for effect in block.effects if isinstance(effect, Assert)]


def loops(block: Block) -> list[Multiloop | Loop]:
    """The loops in a block, those in blocks within left out."""
    found = all_nodes(block)
    inner = {node for node in found for b in node.blocks for node in all_nodes(b)}
    return [node for node in found if isinstance(node, (Multiloop, Loop)) and node not in inner]


@pytest.mark.parametrize(("name", "entry"), [("p1", "main"), ("p2", "main"), ("p2", "floydSbsFun")])
def test_the_checks_leave_the_loops(name: str, entry: str) -> None:
    module = optimised(load(PROGRAMS / f"{name}.l0"), entry)
    assert asserts_inside(module) == []


def test_p0_checks_nothing() -> None:
    module = optimised(load(PROGRAMS / "p0.l0"), "blackscholes")
    assert [n for n in all_nodes(module.entry.body) if isinstance(n, Assert)] == []
    assert len(loops(module.entry.body)) == 1


def test_the_checks_of_counted_loops_leave_them_too() -> None:
    module = optimised(load(PROGRAMS / "matmult_loops.l0"), "matmultImp")
    assert asserts_inside(module) == []
    assert "if" not in show(module)


def failure(text: str, values: str, entry: str = "main") -> tuple[str, str]:
    """The messages of a failing program: interpreted, and through the graph."""
    program = loads(text)
    with pytest.raises(CogenError) as caught:
        program.run_text(values, entry)
    return caught.value.render().splitlines()[0], module_outcome(optimised(program, entry), values)


@pytest.mark.parametrize(
    ("index", "values"),
    [
        ("i", "5 [1, 2, 3]"),
        ("i", "1 []"),
        ("i + 2", "2 [1, 2, 3]"),
        ("n - i", "2 [1, 2]"),
        ("2 - i", "4 [1, 2, 3]"),
        ("2 * i", "9 [1, 2, 3]"),
        ("1 - 2 * i", "9 [1, 2, 3]"),
        ("i - 1", "3 [1, 2, 3]"),
    ],
)
def test_a_hoisted_check_says_what_the_first_failure_says(index: str, values: str) -> None:
    text = f"fun int main(int n, [int] a) = loop (s = 0) = for i < n do s + a[{index}] in s"
    expected, found = failure(text, values)
    assert found == expected
    assert asserts_inside(optimised(loads(text), "main")) == []


def test_a_hoisted_check_does_not_fail_where_there_is_no_iteration() -> None:
    text = "fun int main(int n, [int] a) = loop (s = 0) = for i < n do s + a[7] in s"
    module = optimised(loads(text), "main")
    assert asserts_inside(module) == []
    assert module_outcome(module, "0 [1]") == "0"
    assert module_outcome(module, "-3 [1]", by_schedule) == "0"


def test_a_check_leaves_two_loops() -> None:
    text = (
        "fun int main(int n, int m, [int] a) = loop (s = 0) = for i < n do "
        "loop (s) = for j < m do s + a[2 * i + j] in s in s"
    )
    expected, found = failure(text, "3 2 [1, 2, 3, 4]")
    assert found == expected
    module = optimised(loads(text), "main")
    assert asserts_inside(module) == []
    assert module_outcome(module, "2 2 [1, 2, 3, 4]", by_schedule) == "10"
    assert module_outcome(module, "7 0 [1]", by_schedule) == "0"
    assert module_outcome(module, "-1 5 [1]", by_schedule) == "0"


def test_sums_that_wrap_around_do_not_pass_a_hoisted_check() -> None:
    text = "fun int main(int n, int k, [int] a) = loop (s = 0) = for i < n do s + a[i + k] in s"
    module = optimised(loads(text), "main")
    largest = (1 << 63) - 1
    assert "out of bounds" in module_outcome(module, f"{largest} 2 [1, 2]", by_schedule)
    assert "out of bounds" in module_outcome(module, f"2 {largest} [1, 2]", by_schedule)
    assert "out of bounds" in module_outcome(module, f"2 {-largest} [1, 2]", by_schedule)


def test_deeply_nested_programs_pass() -> None:
    chain = "".join([f"if x = {i} then {3 * i} else " for i in range(300)])
    program = loads(f"fun int main(int x) = {chain}0")
    assert module_outcome(optimised(program, "main"), "77", by_schedule) == "231"
    nested = "(" * 600 + "x" + " * x + 2)" * 600
    program = loads(f"fun int main(int x) = {nested}")
    assert module_outcome(optimised(program, "main"), "1", by_schedule) == "1201"


def test_a_check_under_a_condition_stays() -> None:
    text = (
        "fun int main(int n, [int] a) = "
        "loop (s = 0) = for i < n do if i = 5 then s + a[i] else s in s"
    )
    module = optimised(loads(text), "main")
    assert len(asserts_inside(module)) == 1
    assert module_outcome(module, "5 [1]", by_schedule) == "0"
    assert "out of bounds" in module_outcome(module, "6 [1]", by_schedule)


def test_an_index_that_a_branch_checks_needs_no_check() -> None:
    text = (
        "fun [int] main([int] a) = map(fn int (int i) => "
        "if 0 <= i && i < size(a) then a[i] else 0, map(op -(3), a))"
    )
    module = optimised(loads(text), "main")
    assert asserts_inside(module) == []
    assert module_outcome(module, "[1, 2, 5]", by_schedule) == "[5, 2, 0]"


def test_a_stencil_checks_nothing_in_its_loop() -> None:
    text = (
        "fun [real] main([real] a) = let n = size(a) in map(fn real (int i) => "
        "let l = if i = 0 then a[i] else a[i - 1] in "
        "let r = if i = n - 1 then a[i] else a[i + 1] in (l + a[i] + r) / 3.0, iota(n))"
    )
    module = optimised(loads(text), "main")
    assert asserts_inside(module) == []
    assert module_outcome(module, "[3.0, 6.0, 9.0]") == "[4.000000, 6.000000, 8.000000]"
    assert module_outcome(module, "[]") == "empty(real)"


def test_a_histogram_checks_nothing_in_its_loop() -> None:
    text = (
        "fun *[int] main(int k, [int] keys) = loop (h = replicate(k, 0)) = "
        "for i < size(keys) do let b = keys[i] % k in let h[b] = h[b] + 1 in h in h"
    )
    program = loads(text)
    module = optimised(program, "main")
    assert asserts_inside(module) == []
    assert module_outcome(module, "3 [4, -1, 3, 7]", by_schedule) == "[1, 2, 1]"
    assert module_outcome(module, "0 []", by_schedule) == "empty(int)"
    expected, found = failure(text, "0 [1]")
    assert found == expected


def test_a_check_fails_where_its_value_is_not_used() -> None:
    text = "fun int main([int] a, [int] b) = let c = zip(a, b) in let d = map(op /(1), a) in 7"
    expected, found = failure(text, "[1, 2] [1]")
    assert found == expected
    expected, found = failure(text, "[1, 0] [1, 2]")
    assert found == expected


def test_what_nothing_uses_is_not_computed() -> None:
    text = "fun int main([int] a) = let b = map(op *(3), a) in let c = scan(op +, 0, b) in size(c)"
    module = optimised(loads(text), "main")
    assert loops(module.entry.body) == []


def test_a_loop_loses_what_it_carries_for_nothing() -> None:
    text = (
        "fun int main(int n, [int] a) = "
        "loop ({x, y} = {0, a}) = for i < n do {x + i, map(op +(x), y)} in x"
    )
    module = optimised(loads(text), "main")
    (loop,) = loops(module.entry.body)
    assert isinstance(loop, Loop)
    assert len(loop.carried) == 1


def test_the_size_of_a_carried_array_stays_that_of_its_initial_value() -> None:
    text = (
        "fun [int] main(int n, [int] a, [int] b) = let c = "
        "loop (c = a) = for i < n do map(op +, zip(c, b)) in c in map(op +, zip(b, c))"
    )
    module = optimised(loads(text), "main")
    assert asserts_inside(module) == []
    (loop,) = [node for node in all_nodes(module.entry.body) if isinstance(node, Loop)]
    assert len(loop.carried) == 1
    assert module_outcome(module, "2 [1, 2] [10, 20]") == "[31, 62]"
    assert "different sizes" in module_outcome(module, "1 [1, 2] [10]")


def test_the_sizes_of_r0_are_found() -> None:
    # The structure that seed 003, section 11.2.1, takes from R0: rows that a loop makes.
    text = (
        "fun [real] step([real] r) = map(op *(2.0), r) "
        "fun [real] main(int n, int m) = "
        "let b = map(fn [real] (int i) => loop (r = map(toReal, iota(n))) = for j < i do "
        "step(r) in r, iota(m)) in "
        "map(fn real ([real] c, real x) => reduce(op +, x, c), "
        "zip(transpose(b), map(toReal, iota(n))))"
    )
    module = optimised(loads(text), "main")
    assert asserts_inside(module) == []
    compared = [
        node
        for node in all_nodes(module.entry.body)
        if isinstance(node, Assert) and "different" in node.message
    ]
    assert compared == []
    assert module_outcome(module, "3 2") == "[0.000000, 4.000000, 8.000000]"


def test_a_recursive_function_is_called() -> None:
    text = (
        "fun [int] f(int n, [int] a) = if n = 0 then a else f(n - 1, concat(a, a)) "
        "fun int main(int n) = let a = f(n, [1]) in size(a) + a[0]"
    )
    module = optimised(loads(text), "main")
    assert list(module.functions) == ["f"]
    assert module_outcome(module, "3", by_schedule) == "9"


def test_a_function_that_is_not_called_any_more_is_left_out() -> None:
    text = (
        "fun int f(int n) = if n = 0 then 1 else n * f(n - 1) "
        "fun int main([int] a) = if size(a) < 0 then f(3) else 2"
    )
    assert optimised(loads(text), "main").functions == {}


def test_functions_that_are_not_recursive_are_inlined_up_to_a_limit() -> None:
    chain = "".join([f"fun int f{i}(int x) = f{i + 1}(x) + f{i + 1}(x + 1)\n" for i in range(20)])
    text = f"{chain}fun int f20(int x) = x\nfun int main(int x) = if x < 0 then f0(x) else f15(x)"
    module = optimised(loads(text), "main")
    assert 0 < len(module.functions) < 10
    assert module_outcome(module, "3") == "176"


def test_inlining_makes_a_program_larger_by_a_constant_factor_only() -> None:
    """Each function of the chain, too large for many copies, has two calls of the next."""
    loop = "loop (s = x) = for i < x do s * 3 + i % 7 in s"
    step = "fun int f{i}(int x) = let y = {loop} in if y < {i} then f{j}(y) else f{j}(x) - 1\n"
    for length in (10, 20, 30):
        steps = "".join([step.format(i=i, j=i + 1, loop=loop) for i in range(length)])
        text = f"{steps}fun int f{length}(int x) = x + 1\nfun int main(int x) = f0(x)"
        inlined, called = (
            optimised(loads(text), "main", Options(frozenset(off))) for off in ([], ["inline"])
        )
        assert size(inlined) <= 6 * size(called)
        assert module_outcome(inlined, "3") == module_outcome(called, "3")


def size(module: Module) -> int:
    graphs = [module.entry, *module.functions.values()]
    return sum(1 for graph in graphs for _ in all_nodes(graph.body))


def test_a_condition_that_holds_chooses_its_branch() -> None:
    text = "fun int main([int] a) = if size(a) < 0 then a[0] else if 0 <= size(a) then 1 else a[5]"
    module = optimised(loads(text), "main")
    assert [node for node in all_nodes(module.entry.body) if isinstance(node, If)] == []
    assert module_outcome(module, "[]") == "1"


@pytest.mark.parametrize(("bound", "expected"), [("0", "5"), ("-2", "5"), ("1", "8")])
def test_loops_of_no_or_one_iteration_vanish(bound: str, expected: str) -> None:
    text = f"fun int main(int x) = loop (s = x) = for i < {bound} do s + 3 + i in s"
    module = optimised(loads(text), "main")
    assert loops(module.entry.body) == []
    assert module_outcome(module, "5") == expected


def test_a_redomap_keeps_its_operator() -> None:
    text = "fun int main([int] a) = redomap(op +, fn int (int acc, int x) => acc + x * x, 0, a)"
    (loop,) = loops(optimised(loads(text), "main").entry.body)
    assert isinstance(loop, Multiloop)


@pytest.mark.parametrize(
    ("operator", "step"),
    [
        ("x * y", "acc * (x + 1)"),
        ("if x < y then x else y", "if acc < x * x then acc else x * x"),
        ("x + y - 0", "x * x + acc + 3"),
        ("x ^ y", "(x + 2) ^ acc"),
    ],
)
def test_the_operator_of_a_redomap_is_found(operator: str, step: str) -> None:
    text = (
        f"fun int main([int] a) = redomap(fn int (int x, int y) => {operator}, "
        f"fn int (int acc, int x) => {step}, 1, a)"
    )
    program = loads(text)
    module = optimised(program, "main")
    (loop,) = loops(module.entry.body)
    assert isinstance(loop, Multiloop)
    assert module_outcome(module, "[4, 2, 5]") == program.run_text("[4, 2, 5]")


def test_a_redomap_whose_step_is_no_operator_is_a_counted_loop() -> None:
    text = "fun int main([int] a) = redomap(op +, fn int (int acc, int x) => acc * 2 + x, 0, a)"
    program = loads(text)
    (loop,) = loops(optimised(program, "main").entry.body)
    assert isinstance(loop, Loop)
    assert module_outcome(optimised(program, "main"), "[1, 2, 3]", by_schedule) == "11"


def test_a_reduction_whose_accumulator_grows() -> None:
    text = "fun [int] main([[int]] a) = reduce(fn [int] ([int] x, [int] y) => concat(x, y), [9], a)"
    module = optimised(loads(text), "main")
    assert module_outcome(module, "[[1, 2], [3, 4]]", by_schedule) == "[9, 1, 2, 3, 4]"


def test_rows_whose_size_is_known_only_when_they_are_there() -> None:
    text = (
        "fun [[int]] main([[int]] a) = "
        "map(fn [int] ([int] r) => filter(fn bool (int x) => 0 < x, r), a)"
    )
    expected, found = failure(text, "[[1, 0], [1, 2]]")
    assert found == expected
    module = optimised(loads(text), "main")
    assert module_outcome(module, "[[1, 0], [0, 2]]", by_schedule) == "[[1], [2]]"
    assert module_outcome(module, "[[0], [0]]", by_schedule) == "[empty(int), empty(int)]"


def test_a_size_that_was_compared_keeps_its_certificate() -> None:
    text = (
        "fun int main([[int]] m, [int] b) = let r = m[0] in let c = copy(m) in "
        "let c[0] = [7] in loop (s = 0) = for i < 1 do s + r[i] in s"
    )
    expected, found = failure(text, "[empty(int)] [1]")
    assert found == expected
    module = optimised(loads(text), "main")
    assert module_outcome(module, "[empty(int)] [1]", by_schedule) == expected
    assert module_outcome(module, "[[5]] [1]", by_schedule) == "5"


def test_a_scan_whose_operator_gives_its_accumulator() -> None:
    text = (
        "fun {[[int]], [[int]]} main([[int]] a) = "
        "{scan(fn [int] ([int] x, [int] y) => x, [1, 2], a),"
        " scan(fn [int] ([int] x, [int] y) => y, [1, 2], a)}"
    )
    for options in (Options(), NOTHING):
        module = optimised(loads(text), "main", options)
        found = module_outcome(module, "[[5, 6, 7], [8, 9, 0]]", by_schedule)
        assert found == "{[[1, 2], [1, 2]], [[5, 6, 7], [8, 9, 0]]}"


def test_a_scan_whose_rows_grow() -> None:
    text = "fun [[int]] main([[int]] a) = scan(fn [int] ([int] x, [int] y) => concat(x, y), [9], a)"
    module = optimised(loads(text), "main")
    assert module_outcome(module, "[[1, 2]]", by_schedule) == "[[9, 1, 2]]"
    expected, found = failure(text, "[[1, 2], [3, 4]]")
    assert found == expected


def test_values_of_all_types_go_in_and_out() -> None:
    text = (
        "fun {[{int, [char]}], {}, [{}], cert, bool} main([{int, [char]}] a, bool b) = "
        "{a, {}, map(fn {} ({int, [char]} x) => {}, a), assert(b), not b}"
    )
    program = loads(text)
    values = '[{1, "ab"}, {2, "cd"}] True'
    expected = program.run_text(values)
    for options in (Options(), NOTHING):
        for run in (by_evaluation, by_schedule):
            assert module_outcome(optimised(program, "main", options), values, run) == expected


def test_traces_stay_in_order() -> None:
    text = "fun int main(int x) = let a = trace(x) in let b = trace(x + 1) in a"
    shown: list[str] = []
    module = optimised(loads(text), "main")
    assert show(module).count("trace") == 2
    found = evaluate(module, [4], [], lambda layout, value: shown.append(str(value)))
    assert (found, shown) == ([4], ["4", "5"])


def test_an_unknown_optimisation_is_refused() -> None:
    with pytest.raises(CogenError) as caught:
        Options(frozenset({"hoisst"}))
    assert caught.value.message == "no optimisation is called `hoisst`"
    assert caught.value.hint == "did you mean `hoist`?"


def test_nothing_is_optimised_where_no_step_is_left() -> None:
    text = "fun int main(int x) = x * 1 + 0 + x"
    module = optimised(loads(text), "main", Options(limit=0))
    operations = [n for n in all_nodes(module.entry.body) if isinstance(n, Operation)]
    assert len(operations) == 3
    assert len(all_nodes(optimised(loads(text), "main").entry.body)) < len(
        all_nodes(module.entry.body)
    )
