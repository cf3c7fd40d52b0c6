"""When memory is given back: what the pass moves, what the check refuses, what stays in runs."""

from __future__ import annotations

import pytest

from cogen.array import loads
from cogen.array.loops import interpret, tree
from cogen.array.loops.check import check
from cogen.array.loops.memory import MemoryRegion
from cogen.array.loops.read import read
from cogen.array.loops.release import release
from cogen.array.loops.show import show
from cogen.array.optimise.preparing import prepare
from cogen.array.programs.compiledprogram import Compiled
from cogen.lang.errors import InternalError
from tests.cogen.array.loopways import Interpreted

pytestmark = pytest.mark.quick

HELD = frozenset(["release"])


def functions(body: str) -> list[tree.Function]:
    """A function with two regions, and an address in the first."""
    text = f"""(function f ((n i64) (out (* i64)) (outs (* block))) "f"
        (allocate (a_block block) i64 n 1) (let (a (* i64)) (data (* i64) a_block))
        (allocate (b_block block) i64 n 1) (let (b (* i64)) (data (* i64) b_block)) {body})"""
    return [part for part in read(text) if isinstance(part, tree.Function)]


DROP_A = "(do (invoke drop bool a_block))"
DROP_B = "(do (invoke drop bool b_block))"
KEEP_A = "(invoke keep block a_block)"
LOOP = "(for (i i64) 0 n 1 () {})"


@pytest.mark.parametrize(
    ("held", "released"),
    [
        (f"(store out 0 = n) (store out 1 = (at a 0)) (store out 2 = n) {DROP_A} {DROP_B}",
         f"{DROP_B} (store out 0 = n) (store out 1 = (at a 0)) {DROP_A} (store out 2 = n)"),
        (f"(let (c (* i64)) (+ a 1)) {LOOP.format('(store out i = (at c i))')} (break) {DROP_A}",
         f"(let (c (* i64)) (+ a 1)) {LOOP.format('(store out i = (at c i))')} {DROP_A} (break)"),
        (f"(store outs 0 = {KEEP_A}) (store out 0 = n) {DROP_A}",
         "(store outs 0 = a_block) (store out 0 = n)"),
        (f"(store outs 0 = {KEEP_A}) (store out 0 = (at a 0)) {DROP_A}",
         f"(store outs 0 = {KEEP_A}) (store out 0 = (at a 0)) {DROP_A}"),
        (f"(store outs 0 = {KEEP_A}) (store outs 1 = {KEEP_A}) {DROP_A}",
         f"(store outs 0 = {KEEP_A}) (store outs 1 = a_block)"),
        (f"(variable (c (* i64)) (in c_block) a) (variable (c_block block) {KEEP_A})"
         f"(store out 0 = (at c 0)) {DROP_A}",
         "(variable (c (* i64)) (in c_block) a) (variable (c_block block) a_block)"
         "(store out 0 = (at c 0))"),
        (LOOP.format(f"(store out i = (at a i)) (store out 0 = i) {DROP_B}"),
         LOOP.format(f"{DROP_B} (store out i = (at a i)) (store out 0 = i)")),
    ],
    ids=["early", "address", "moves", "used later", "the last one moves", "own region", "within"],
)  # fmt: skip
def test_what_is_moved(held: str, released: str) -> None:
    made = release(functions(held))
    assert show(made) == show(functions(released).copy())


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (f"{DROP_A} (store out 0 = (at a 0))", "a is used when a_block is given up"),
        (f"{DROP_A} {DROP_A}", "a_block is used when a_block is given up"),
        (
            f"(when (< n 1) (do {DROP_A}) (do ())) (store out 0 = (at a 0))",
            "a is used when a_block",
        ),
        (LOOP.format(DROP_B), "b_block is used when b_block"),
        (LOOP.format(f"(store out i = (at a 0)) {DROP_A}"), "a is used when a_block"),
        (f"(let (c (* i64)) (+ a 1)) {DROP_A} (store c 0 = 1)", "c is used when a_block"),
    ],
    ids=["used", "twice", "branch", "twice in a loop", "next iteration", "address"],
)
def test_what_is_given_up_is_not_used(body: str, message: str) -> None:
    with pytest.raises(InternalError, match=f"in the loops of f: {message}"):
        check(functions(body))


@pytest.mark.parametrize(
    "body",
    [
        f"{DROP_A} (allocate (c_block block) i64 n 1)",
        LOOP.format("(allocate (c_block block) i64 n 1) (do (invoke drop bool c_block))"),
        f"(variable (c_block block) {KEEP_A})"
        + LOOP.format(f"(do (invoke drop bool c_block)) (set c_block = {KEEP_A})"),
    ],
    ids=["another", "one for each iteration", "assigned anew"],
)
def test_what_is_there_is_used(body: str) -> None:
    check(functions(body))


def test_parameters_are_in_the_regions_behind_them() -> None:
    """What a function was given to keep is there as long as it reads elements."""
    text = """(function f ((m (* i64)) (m_block block) (out (* i64))) "f"
        {} (store out 0 = (at m 0)) {})"""
    held = list(read(text.format("", "(do (invoke drop bool m_block))")))
    assert show(release([f for f in held if isinstance(f, tree.Function)])) == show(held)
    early = list(read(text.format("(do (invoke drop bool m_block))", "")))
    with pytest.raises(InternalError, match="m is used when m_block is given up"):
        check(early)


class Counted:
    """Counts the regions of runs: how many there are, and what most bytes were in use."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made: list[MemoryRegion] = []
        self.most = 0
        make = interpret.new_region

        def new_region(size: int) -> MemoryRegion:
            self.made.append(make(size))
            self.most = max(self.most, sum(len(region.data) for region in self.alive()))
            return self.made[-1]

        monkeypatch.setattr(interpret, "new_region", new_region)

    def alive(self) -> list[MemoryRegion]:
        return [region for region in self.made if region.count > 0]


CHAIN = """fun [int] main(int n, [int] at) =
    let a = map(fn int (int k) => at[k] * 2, at) in
    let b = map(fn int (int k) => a[k] + n, at) in
    let c = map(fn int (int k) => b[k] + 1, at) in
    let d = map(fn int (int k) => c[k] - 1, at) in
    map(fn int (int k) => d[k] * 3, at)
"""


def test_less_memory_is_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each array of a chain is given back when the next is there; at the end without the pass."""
    program = loads(CHAIN)
    prepared = prepare(program.facts, "main")
    used = {}
    for off in (frozenset[str](), HELD):
        counted = Counted(monkeypatch)
        run = Compiled(program, "main", "loops", Interpreted(prepared, off, 1))
        assert run(7, list(range(99, -1, -1))).tolist()[:3] == [21, 27, 33]
        assert len(counted.alive()) == 1  # the result
        used[off] = counted.most
    assert used[frozenset()] <= 2 * 800 < used[HELD]


def test_a_conditional_that_leaves_an_array_where_it_is_holds_nothing() -> None:
    program = loads("""
        fun *[int] main(*[int] a, int n) =
          loop ({i, b} = {0, a}) = for k < n do
            if b[k] < 0 then
              let b[k] = i in {i + 1, if i < 2 then let b[0] = k in b else b}
            else {i, b}
          in b
    """)
    made = program.compile()
    body = made.source[made.source.rindex("/* main,") : made.source.index("/* The entry")]
    assert "keep" not in body
    for values in ([3, -1, -5, 2, -7], [-1], []):
        assert list(made(values, len(values))) == list(program.run(values, len(values)))
