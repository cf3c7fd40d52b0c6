"""Loops over what flatMap and concat put together: random pipelines, and what they compute."""

from __future__ import annotations

from random import Random

import pytest

from cogen.array import loads
from cogen.array.ir.generators import (
    Collect,
    Generator,
    Scan,
    is_hashed,
)
from cogen.array.ir.graphwalk import all_nodes
from cogen.array.ir.node import (
    Assert,
    Concat,
    Multiloop,
    Yield,
)
from cogen.array.optimise.optimisations import Options
from cogen.array.optimise.optimise import optimise
from cogen.array.programs.targettext import loops_text
from cogen.array.report.fusionreport import report
from cogen.lang.errors import CogenError
from tests.cogen.array.comparing import by_evaluation, by_schedule, module_outcome, outcome, same
from tests.cogen.array.targets import Ways
from tests.cogen.array.test_context import counted

pytestmark = pytest.mark.quick

WITHOUT = Options(frozenset({"each", "chain", "chain-streams", "concat", "choice", "elements"}))


STREAMS = (
    "iota(abs(x) % 4)",
    "map(op +(x), iota(2))",
    "filter(op <(x), b)",
    "[x, x * 2]",
    "if x < k then map(op -(x), b) else [x, k]",
    "if x % 2 = 0 then [x] else empty(int)",
    "concat(map(op *(x), b), [k])",
    "concat(map(op +(x), b), concat([k], map(op *(x), b)))",
    "concat(b, if x < 2 then filter(op <(x), b) else iota(2))",
)
"""What a function gives that `flatMap` applies to x: each kind of stream."""


class Stream:
    """Random pipelines of ints."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def scalar(self, x: str) -> str:
        return self.random.choice([f"{x} + 1", f"{x} * k", f"{x} % 5", f"k - {x}"])

    def source(self) -> str:
        return self.random.choice(["a", "b", "iota(k)", "[k, 2]"])

    def array(self, depth: int) -> str:
        random = self.random
        kind = random.randrange(9) if depth else 0
        if kind == 0:
            return self.source()
        inner = self.array(depth - 1)
        if kind == 7:
            return f"scan(op {random.choice('+^')}, 0, {inner})"
        if kind == 8:
            body = random.choice(["x - i", "x * i + k", "i % 3", "if x < i then i else x"])
            numbered = "zip(y, iota(size(y)))"
            return f"(let y = {inner} in map(fn int (int x, int i) => {body}, {numbered}))"
        if kind == 1:
            return f"map(fn int (int x) => {self.scalar('x')}, {inner})"
        if kind == 2:
            return f"filter(fn bool (int x) => x % 3 < {random.randrange(1, 3)}, {inner})"
        if kind in (3, 4):
            body = random.choice(STREAMS)
            return f"flatMap(fn [int] (int x) => {body}, {inner})"
        return f"concat({inner}, {self.array(depth - 1)})"

    def result(self) -> str:
        random = self.random
        kind = random.randrange(8)
        array = self.array(3)
        if kind == 0:
            return f"reduce(op +, 0, {array})"
        if kind == 1:
            return f"size({array})" if array.isidentifier() else f"(let y = {array} in size(y))"
        if kind == 2:
            return f"(let y = {array} in reduce(op +, size(y), distinct(y)))"
        if kind == 3:
            return (
                f"(let y = map(fn int (int x) => abs(x) % 4, {array}) in "
                f"reduce(op *, 1, bucketReduce(op +, 0, 4, y, y)))"
            )
        if kind == 4:
            return (
                f"(let y = map(fn int (int x) => abs(x) % 4, {array}) in "
                f"reduce(op +, 0, scatter(iota(4), y, map(op *(3), y))))"
            )
        if kind == 6:
            return (
                f"(let {{k, o, b}} = groupBy(fn int (int x) => x % 3, {array}) in "
                f"reduce(op ^, size(k), reduceSegments(op +, 0, o, b)))"
            )
        if kind == 5:
            return f"(let y = scan(op +, 0, {array}) in reduce(op +, size(y), y))"
        return f"(let y = {array} in reduce(op +, 0, map(op +(1), y)) - reduce(op +, 0, y))"

    def program(self) -> str:
        results = ", ".join([self.result(), self.result(), self.result()])
        head = "fun {int, int, int, [int]} main(int k, [int] a, [int] b) ="
        return f"{head} {{{results}, {self.array(3)}}}"


@pytest.mark.slow
@pytest.mark.one_in(10)
@pytest.mark.parametrize("seed", range(40))
def test_random_pipelines(seed: int) -> None:
    text = Stream(Random(seed)).program()
    program = loads(text)
    for values in ("3 [1, 2, 5] [4]", "0 [] [0, 7]", "2 [6] []"):
        expected = outcome(program, "main", values)
        for options in (Options(), WITHOUT):
            module = optimise(program.facts, "main", options, verify=True)[1]
            for run in (by_evaluation, by_schedule):
                assert same(module_outcome(module, values, run), expected), (text, values)


def test_nothing_is_stored_and_nothing_computed_twice() -> None:
    text = (
        "fun int main([int] a) = "
        "let b = flatMap(fn [int] (int n) => map(op *(n), iota(n)), a) in "
        "reduce(op +, 0, b) * reduce(op *, 1, map(op +(1), b))"
    )
    module = optimise(loads(text).facts, "main", verify=True)[1]
    loops = [n for n in all_nodes(module.entry.body) if isinstance(n, Multiloop)]
    assert not any(y.spread for loop in loops for y in loop.yields())
    found = counted(module, "[3, 0, 2]")
    assert found.iterations == 3 + 5
    assert found.elements == 0
    assert found.operations["int.mul"] == 5 + 5 + 3 + 1  # made, combined, totals


def yields_of(text: str) -> list[list[Yield]]:
    """The generators of each loop of a program with what they take, in order."""
    module = optimise(loads(text).facts, "main", verify=True)[1]
    loops = [n for n in all_nodes(module.entry.body) if isinstance(n, Multiloop)]
    return [list(loop.yields()) for loop in loops]


def generators_of(text: str) -> list[list[Generator]]:
    """The generators of each loop of a program, in order."""
    return [[y.generator for y in own] for own in yields_of(text)]


def form(y: Yield) -> tuple[str, int]:
    """The form of the stream that a generator takes, and of how many values its rows are."""
    return type(y.stream).__name__, len(y.taken)


POSITIONS = """
fun {[int], int, [int], [int]} main([int] a, [int] b) =
  let f = filter(fn bool (int x) => x % 3 < 1 || x % 3 = 2, a) in
  let numbered = zip(f, iota(size(f))) in
  let even = filter(fn bool (int x, int i) => i % 2 = 0, numbered) in
  {map(fn int (int x, int i) => x * i, numbered),
   reduce(op +, 0, map(fn int (int x, int i) => b[i % size(b)] - x, numbered)),
   scan(op +, 0, map(op *(2), scan(op |, 0, f))),
   map(fn int ({int, int} e, int i) => let {x, j} = e in x + j * i, zip(even, iota(size(even))))}
"""


@pytest.mark.slow
def test_what_passes_a_filter_may_ask_its_positions() -> None:
    program = loads(POSITIONS)
    (loop,) = yields_of(POSITIONS)
    scans = [y for y in loop if isinstance(y.generator, Scan)]
    assert not any(y.conditional or y.gives for y in scans)
    ways = Ways(program)
    for values in ("[3, 1, 5, 0, 4, 6, -2] [7, 8]", "[] [1]", "[1, 4, 7] [2, 3, 4]", "[2] [9]"):
        expected = program.run_text(values)
        for name in ("c-1", "c-2", "c-plain", "opencl"):
            assert ways(name).run_text(values) == expected, (name, values)


GOING_ON = """
fun {[int], [real], [int], int, [int], {[int], [int]}} main([int] a, [int] b, int k) =
  let y = flatMap(fn [int] (int x) => BODY, SOURCE) in
  let numbered = zip(y, iota(size(y))) in
  let s = scan(op +, k * 0, y) in
  let {most, last} = unzip(scan(fn {int, int} ({int, int} p, {int, int} q) =>
      let {m, i} = p in let {n, j} = q in if m < n then {n, j} else {m, i},
    {-9, -1}, numbered)) in
  {map(op +(1), s), scan(op *, 1.0, map(toReal, y)),
   map(fn int (int x, int i) => x * i + k, filter(fn bool (int x, int i) => i % 3 < 2, numbered)),
   reduce(fn int (int p, int q) => if p < q then q else p, 0, map(op -, zip(s, y))),
   flatMap(fn [int] (int x) => [x, x + 1], s), {most, last}}
"""
"""What depends on all elements of a stream that come before, and other things of it."""


SOURCES = ["a", "filter(op <(1), a)", "flatMap(fn [int] (int n) => b, a)"]


@pytest.mark.one_in(3)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "body"),
    [  # every day each with one of the others
        pytest.param(source, body, marks=[pytest.mark.long] * ((i + j) % len(SOURCES) != 0))
        for i, source in enumerate(SOURCES)
        for j, body in enumerate(STREAMS[:6])
    ],
)
def test_what_depends_on_what_comes_before_goes_on_from_it(source: str, body: str) -> None:
    text = GOING_ON.replace("SOURCE", source).replace("BODY", body)
    program = loads(text)
    loops = generators_of(text)
    scans = [y for own in yields_of(text) for y in own if isinstance(y.generator, Scan)]
    assert not any(y.conditional or y.gives for y in scans)
    if "[x] else" not in body:  # those of at most one element are filters
        assert [own for own in loops if any(isinstance(g, Scan) and g.exclusive for g in own)]
    ways = Ways(program)
    for values in ("[3, 1, 0, 2] [4, -1] 2", "[] [1] 0", "[2, 1] [] 1"):
        expected = program.run_text(values)
        for name in ("c-1", "c-2", "c-plain", "opencl"):
            assert ways(name).run_text(values) == expected, (name, values)


def test_a_scan_of_a_stream_computes_each_element_once() -> None:
    text = (
        "fun [int] main([int] a, [int] b) = scan(op ^, 0, "
        "flatMap(fn [int] (int n) => map(op *(n), filter(op <(n), b)), a))"
    )
    module = optimise(loads(text).facts, "main", verify=True)[1]
    found = counted(module, "[3, 0, 2] [1, 4, 3, 7]")
    assert found.iterations == 3 + 3 * 4
    assert found.operations["int.mul"] == 2 + 4 + 3
    assert "allocate" not in loops_text(loads(text), "c").split("(for ", 1)[1]


def test_what_reads_other_elements_stays_apart() -> None:
    """Element i of all is none of what passes a filter."""
    text = (
        "fun [int] main([int] p) = let a = scan(op +, 0, p) in let f = filter(op <(3), p) in "
        "map(fn int (int x, int i) => x + a[i], zip(f, iota(size(f))))"
    )
    assert len(generators_of(text)) == 2
    assert loads(text).run_text("[5, 1, 7, 2]") == "[10, 13]"


CHAINED = """
fun {[int], [int], [int], {[int], [int]}, [int], int} main([int] a, [int] b, int n) =
  let left = filter(fn bool (int x, int i) => x % 3 < 2, zip(a, iota(size(a)))) in
  let right = map(fn {int, int} (int x) => {x * 2, x / 2}, b) in
  let c = concat(concat(left, right), zip(iota(n), map(op *(7), iota(n)))) in
  let {xs, ys} = unzip(c) in
  let {keys, offsets, sorted} = groupBy(fn int (int x, int y) => abs(x) % n, c) in
  {scan(op +, 0, xs), bucketReduce(op +, 0, n, map(fn int (int y) => abs(y) % n, ys), xs),
   distinct(map(op ^(1), ys)),
   {keys, reduceSegments(op +, 0, offsets, map(fn int (int x, int y) => x - y, sorted))},
   map(fn int (int x, int i) => x * i, zip(xs, iota(size(xs)))), size(xs)}
"""


@pytest.mark.slow
def test_all_goes_through_a_concat_in_one_loop() -> None:
    """Each side is made once, and what takes it is there once."""
    program = loads(CHAINED)
    assert len(generators_of(CHAINED)) == 1
    ways = Ways(program)
    for values in ("[4, 2, -5, 0] [7, -1] 3", "[] [3] 1", "[2] [] 2"):
        expected = program.run_text(values)
        for name in ("c-1", "c-2", "c-plain", "opencl"):
            assert ways(name).run_text(values) == expected, (name, values)
    module = optimise(program.facts, "main", verify=True)[1]
    found = counted(module, "[4, 2, -5, 0] [7, -1] 3")
    assert found.iterations == 4 + 2 + 3
    assert found.operations["int.div"] == 2


def test_a_side_that_is_needed_otherwise_is_not_made_twice() -> None:
    text = (
        "fun {[real], [real]} main([real] a, [real] b) = let c = map(exp, a) in "
        "{c, scan(op +, 0.0, concat(c, map(op *(2.0), b)))}"
    )
    module = optimise(loads(text).facts, "main", verify=True)[1]
    assert counted(module, "[1.0, 2.0, 3.0] [1.0]").operations["real.exp"] == 3


def test_a_concat_that_is_needed_is_made_once() -> None:
    text = (
        "fun {[int], int} main([int] a) = "
        "let b = concat(map(op *(2), a), a) in {b, reduce(op +, 0, b)}"
    )
    module = optimise(loads(text).facts, "main", verify=True)[1]
    assert not any(isinstance(n, Concat) for n in all_nodes(module.entry.body))
    found = counted(module, "[3, 1, 2]")
    assert (found.iterations, found.elements) == (6, 6)


OTHER_SIDES = ("map(op +(1), a)", "map(op +(1), b)", "filter(op <(2), a)", "filter(op <(2), b)")


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("whole", "loops"),
    [
        ("reduce(op +, 0, flatMap(fn [int] (int x) => map(op *(x), iota(x)), a))", 1),
        ("distinct(flatMap(fn [int] (int x) => map(op *(x), iota(x)), a))", 1),
        ("unzip(filter(fn bool (int i, int x) => x < 3, zip(iota(size(a)), a)))", 1),
        *[(f"reduce(op +, 0, concat(map(op *(2), a), {o}))", 1) for o in OTHER_SIDES],
        ("reduce(op +, 0, concat(a, b))", 1),
        *[(f"scan(op +, 0, concat(map(op *(2), a), {o}))", 1) for o in OTHER_SIDES],
        *[(f"distinct(concat(map(op *(2), a), {o}))", 1) for o in OTHER_SIDES],
        *[(f"scatter(t, is, concat(map(op *(2), a), {o}))", 1) for o in OTHER_SIDES[:2]],
        *[
            (f"let c = concat(map(op *(2), a), {o}) in scatter(t, map(op &(1), c), c)", 1)
            for o in OTHER_SIDES
        ],
        *[
            (f"let c = concat(map(op *(2), a), {o}) in bucketCollect(2, map(op &(1), c), c)", 1)
            for o in OTHER_SIDES
        ],
    ],
)
def test_one_loop_and_nothing_stored(whole: str, loops: int) -> None:
    """Streams, the sides of a concat among them, are gone through by one loop."""
    pair = whole.startswith("unzip") or "bucketCollect" in whole
    t = "{[int], [int]}" if pair else "int" if whole.startswith("reduce") else "[int]"
    program = loads(f"fun {t} main([int] a, [int] b, [int] is, *[int] t) = {whole}")
    found = report(program, "main")
    assert found.arrays == 0
    assert len([soac for soac in found.soacs if not soac.path]) == loops
    values = "[3, 1, 0, 2] [1, 5, 0] [0, 1, 2, 3, 0, 1, 2, 3] [9, 9, 9, 9]"
    if "scatter(t, is" in whole and ", b))" in whole:
        values = values.replace("3, 0, 1, 2, 3]", "3, 0, 1, 2]")
    expected = program.run_text(values)
    module = optimise(program.facts, "main", verify=True)[1]
    assert module_outcome(module, values, by_schedule) == expected


KEYED = """
fun {[int], [int], [int], [int], {[int], [int]}, int} main([int] a, int n, *[int] t) =
  let pairs = flatMap(fn [{int, int}] (int x) => BODY, a) in
  let {ks, vs} = unzip(pairs) in
  let own = filter(fn bool (int k, int v) => v % 3 < 2, pairs) in
  let {keys, offsets, sorted} = groupBy(fn int (int k, int v) => k % 3, own) in
  let other = map(fn int (int k) => n - 1 - k, ks) in
  {bucketReduce(op +, 0, n, ks, vs), bucketReduce(op ^, 0, n, other, ks),
   distinct(vs), scatter(t, ks, vs),
   {keys, reduceSegments(op +, 0, offsets, map(fn int (int k, int v) => v, sorted))},
   size(distinct(map(op +(1), ks)))}
"""
BODIES = [
    "map(fn {int, int} (int j) => {(x * 7 + j * j) % n, x + j}, iota(abs(x) % 5))",
    "map(fn {int, int} (int j) => {j % n, x * j}, filter(op <(1), iota(abs(x) % 6)))",
    "map(fn {int, int} (int j) => {abs(j) % n, x},"
    " flatMap(fn [int] (int y) => iota(y), iota(abs(x) % 4)))",
    "map(fn {int, int} (int j) => {j, j * j}, iota(n))",
    "if x < 2 then empty({int, int}) else [{x % n, x}, {0, n}]",
    "concat(map(fn {int, int} (int j) => {j % n, x * j}, iota(abs(x) % 3)), [{abs(x) % n, x}])",
    "if x % 2 = 0 then zip(iota(n), map(op *(x), iota(n))) else concat([{0, x}, {n - 1, 1}],"
    " filter(fn bool (int k, int v) => v < 9, zip(iota(n), map(op +(x), iota(n)))))",
    "concat(concat(map(fn {int, int} (int y) => {0, y}, a), [{n - 1, x}]),"
    " map(fn {int, int} (int y) => {abs(x - y) % n, y * 2}, a))",
    "concat([{0, x}], zip(map(fn int (int y) => abs(y) % n, a), a))",
]


@pytest.mark.one_in(6)
@pytest.mark.slow
@pytest.mark.parametrize("body", BODIES)
def test_by_key_in_all_ways(body: str) -> None:
    program = loads(KEYED.replace("BODY", body))
    ways = Ways(program)
    for values in ("[3, -1, 0, 8, 9, 4] 4 [0, 0, 0, 0]", "[] 1 [7]", "[0] 2 [5, 6]"):
        expected = program.run_text(values)
        for name in ("c-1", "c-2", "c-plain", "opencl"):
            assert ways(name).run_text(values) == expected, name


def pairs(random: Random, depth: int) -> str:
    """A stream of keys below n and of values, made of x, n and a, of all kinds in each other."""
    kind = random.randrange(8) if depth else random.randrange(4)
    if kind == 0:
        return f"[{{abs(x) % n, x * {random.randrange(4)}}}, {{n - 1, 1}}]"
    if kind == 1:
        return "map(fn {int, int} (int j) => {(x * x + j) % n, x + j}, iota(abs(x) % 4))"
    if kind == 2:
        return "zip(map(fn int (int y) => abs(y) % n, a), a)"
    if kind == 3:
        return "map(fn {int, int} (int y) => {abs(x - y) % n, y}, a)"
    inner = pairs(random, depth - 1)
    if kind in (4, 5):
        return f"(if x % {random.randrange(2, 4)} < 1 then {inner} else {pairs(random, depth - 1)})"
    if kind == 6:
        return f"concat({inner}, {pairs(random, depth - 1)})"
    return f"filter(fn bool (int k, int v) => (k + v) % 3 < 2, {inner})"


@pytest.mark.slow
@pytest.mark.one_in(24)
@pytest.mark.parametrize("seed", range(16))
def test_random_streams_by_key(seed: int) -> None:
    program = loads(KEYED.replace("BODY", pairs(Random(seed), 3)))
    compiled = Ways(program)("c-2")
    module = optimise(program.facts, "main", verify=True)[1]
    for values in ("[3, -1, 0, 8, 9, 4] 4 [0, 0, 0, 0]", "[] 1 [7]", "[0, 5, 2] 2 [5, 6]"):
        expected = program.run_text(values)
        assert compiled.run_text(values) == expected
        assert module_outcome(module, values, by_schedule) == expected


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "map(fn {int, int} (int j) => {x + j, j}, iota(2))",
            "the key 4 is out of bounds of 4 buckets",
        ),
        ("[{0, 1 / x}]", "division by zero"),
    ],
)
def test_what_fails_where_it_is_made(body: str, message: str) -> None:
    program = loads(
        "fun [int] main([int] a, int n) =\n"
        f"  let {{ks, vs}} = unzip(flatMap(fn [{{int, int}}] (int x) => {body}, a)) in\n"
        "  bucketReduce(op +, 0, n, ks, vs)"
    )
    for call in (program.run, Ways(program)("c-2")):
        with pytest.raises(CogenError) as caught:
            call([0, 1, 3], 4)
        assert caught.value.message == message
        assert caught.value.span is not None


def test_keys_and_values_are_not_stored() -> None:
    text = (
        "fun [int] main([int] a, int n) = "
        "let b = flatMap(fn [int] (int x) => filter(op <(2), iota(x)), a) in "
        "bucketReduce(op +, 0, n, map(fn int (int x) => x % n, b), b)"
    )
    within = [line for line in loops_text(loads(text), "c").splitlines() if line[:4] == "    "]
    assert any("(for" in line for line in within)
    assert not any("(allocate (y" in line for line in within)  # tables of threads are there


def test_a_target_that_is_read_meanwhile_is_scattered_into_later() -> None:
    program = loads(
        "fun [int] main(*[int] t, [int] a) =\n"
        "  let b = flatMap(fn [int] (int x) => map(fn int (int j) => t[j], iota(x)), a) in\n"
        "  scatter(t, b, map(op +(1), b))"
    )
    for values in ("[1, 2, 0] [3, 2, 3]", "[2, 2, 2] [1, 0]"):
        expected = program.run_text(values)
        assert Ways(program)("c-2").run_text(values) == expected
        module = optimise(program.facts, "main", verify=True)[1]
        assert module_outcome(module, values, by_schedule) == expected


SIDE_BY_SIDE = """
fun {[int], [int], int} main([int] a) =
  let b = flatMap(fn [int] (int n) => map(op *(n), iota(n)), a) in
  let {keys, offsets, sorted} = groupBy(fn int (int x) => x % 5, filter(op <(2), b)) in
  {keys, reduceSegments(op +, 0, offsets, sorted), reduce(op +, 0, b)}
"""


def test_streams_side_by_side_are_one() -> None:
    """The elements that pass a filter, and their keys, go one after the other into one table."""
    outer, inner = sorted(yields_of(SIDE_BY_SIDE), key=len)[::-1]
    assert [is_hashed(y.generator) for y in outer if y.spread] == [True]
    assert sum(isinstance(y.generator, Collect) for y in (*outer, *inner)) == 1
    program = loads(SIDE_BY_SIDE)
    ways = Ways(program)
    for values in ("[3, 0, 4, 1]", "[]", "[0]"):
        expected = program.run_text(values)
        for name in ("c-1", "c-2", "c-plain", "opencl"):
            assert ways(name).run_text(values) == expected, (name, values)
    module = optimise(program.facts, "main", verify=True)[1]
    assert counted(module, "[3, 0, 4, 1]").iterations == 4 + 8 + 5 * 0


WHERE = SIDE_BY_SIDE.replace("iota(n)), a)", "a), filter(fn bool (int n) => n % 2 = 1, a))")


def test_streams_of_what_is_let_through_are_conditionals() -> None:
    """Where a condition does not hold, a stream is empty: those side by side stay one table, and
    no generator has both a stream and a condition."""
    outer, inner = sorted(yields_of(WHERE), key=len)[::-1]
    assert [is_hashed(y.generator) for y in outer if y.spread] == [True]
    assert sum(isinstance(y.generator, Collect) for y in (*outer, *inner)) == 1
    assert not any(y.spread and y.conditional for y in (*outer, *inner))
    program = loads(WHERE)
    ways = Ways(program)
    for values in ("[3, 0, 4, 1, 5]", "[]", "[2]"):
        expected = program.run_text(values)
        for name in ("c-1", "c-2", "c-plain", "opencl"):
            assert ways(name).run_text(values) == expected, (name, values)
    module = optimise(program.facts, "main", verify=True)[1]
    assert counted(module, "[3, 0, 4, 1]").iterations == 4 + 2 * 4


ONE_OR_NONE = [
    ("if 2 < x then [x * k] else empty(int)", ("When", 1)),
    ("if x < 3 then empty(int) else [x * k]", ("When", 1)),
    ("[x * k]", ("Emit", 1)),
    ("if 2 < x then [x, k] else empty(int)", ("Elements", 1)),
    ("if 2 < x then [b[x - 3]] else empty(int)", ("Elements", 1)),  # which may fail
    ("if 2 < x then map(op *(k), b) else [k]", ("Elements", 1)),
]


@pytest.mark.one_in(4)
@pytest.mark.slow
@pytest.mark.parametrize(("body", "stream"), ONE_OR_NONE)
def test_streams_of_one_element_or_none_are_filters(body: str, stream: tuple[str, int]) -> None:
    text = f"fun [int] main([int] a, [int] b, int k) = flatMap(fn [int] (int x) => {body}, a)"
    assert [stream] in [[form(y) for y in own] for own in yields_of(text)]
    program = loads(text)
    ways = Ways(program)
    for values in ("[3, 0, 4, 1, 5] [7, 8, 9] 2", "[] [1] 1", "[1, 2] [] 3", "[3] [6] -1"):
        expected = program.run_text(values)
        for name in ("c-1", "c-2", "c-plain", "opencl"):
            assert ways(name).run_text(values) == expected, (name, values)


def test_records_of_which_there_is_one_or_none_are_filtered() -> None:
    """Fields are results of one conditional, and so of one filter; what is done under it is not
    done elsewhere."""
    text = """
fun [{int, int}] main([int] a, int k) =
  flatMap(fn [{int, int}] (int x) =>
    let {p, q} = if x < k then {[x], [100 / x]} else {empty(int), empty(int)} in zip(p, q), a)
"""
    program = loads(text)
    for values in ("[3, 1, 5, 2] 4", "[0] 0", "[] 1"):
        expected = program.run_text(values)
        for name in ("c-1", "c-plain", "opencl"):
            assert Ways(program)(name).run_text(values) == expected, (name, values)


ZIPPED = [
    ("if x < k then [x] else empty(int)", "if x < k then [x * k] else empty(int)", ("When", 2)),
    ("if x < k then empty(int) else [x]", "if x < k then empty(int) else [k]", ("When", 2)),
    ("[x]", "if x < k then [k] else [x]", ("Elements", 2)),
    (
        "if x < k then [x, k] else empty(int)",
        "if x < k then [k, 1] else empty(int)",
        ("Elements", 2),
    ),
]


@pytest.mark.one_in(2)
@pytest.mark.slow
@pytest.mark.parametrize(("left", "right", "stream"), ZIPPED)
def test_conditionals_side_by_side_are_one_filter(
    left: str, right: str, stream: tuple[str, int]
) -> None:
    """Their sizes are equal, which nothing checks, where one condition decides both."""
    text = f"""
fun [{{int, int}}] main([int] a, int k) =
  flatMap(fn [{{int, int}}] (int x) => zip({left}, {right}), a)
"""
    assert [stream] in [[form(y) for y in own] for own in yields_of(text)]
    program = loads(text)
    module = optimise(program.facts, "main", verify=True)[1]
    assert not any(isinstance(n, Assert) for n in all_nodes(module.entry.body))
    ways = Ways(program)
    for values in ("[3, 1, 5, 2] 4", "[0] 0", "[] 1", "[7, -1] 3"):
        expected = program.run_text(values)
        for name in ("c-1", "c-2", "c-plain", "opencl"):
            assert ways(name).run_text(values) == expected, (name, values)


def test_streams_side_by_side_come_after_the_check_that_they_are_equally_long() -> None:
    """Where that is made before the loop, the loop depends on it."""
    text = """
fun [{int, int}] main([int] a, int k) =
  flatMap(fn [{int, int}] (int x) => zip(empty(int), [k]), a)
"""
    program = loads(text)
    module = optimise(program.facts, "main", verify=True)[1]
    (check,) = [n for n in all_nodes(module.entry.body) if isinstance(n, Assert)]
    (loop,) = [n for n in all_nodes(module.entry.body) if isinstance(n, Multiloop)]
    assert check in module.entry.body.effects
    assert check in loop.certs
    for values in ("[] 4", "[1, 2] 3"):
        expected = outcome(program, "main", values)
        assert module_outcome(module, values, by_schedule) == expected


def test_what_is_let_through_is_counted_once() -> None:
    """Two arrays under one condition are results of one generator."""
    text = "fun {[int], [int]} main([int] a) = let f = filter(op <(2), a) in {f, map(op *(3), f)}"
    assert [[form(y) for y in own] for own in yields_of(text)] == [[("When", 2)]]


COLLECTED = [
    "map(op *(x), iota(n))",
    "filter(op <(x), a)",
    "[x, n]",
    "if x < n then map(op -(x), a) else concat([x], filter(op <(n), a))",
    "concat(a, map(op +(x), a))",
    "flatMap(fn [int] (int y) => if y < x then iota(y) else a, iota(abs(x) % 4))",
]


@pytest.mark.one_in(4)
@pytest.mark.slow
@pytest.mark.parametrize("body", COLLECTED)
def test_streams_are_made_where_they_are_collected(body: str) -> None:
    program = loads(f"fun [int] main([int] a, int n) = flatMap(fn [int] (int x) => {body}, a)")
    within = [line for line in loops_text(program, "c").splitlines() if line[:4] == "    "]
    assert any("(for" in line for line in within)
    assert not any("(allocate" in line and "(room" not in line for line in within)
    ways = Ways(program)
    for values in ("[3, -1, 8, 2] 4", "[] 2", "[0] 0", str([*range(-9, 40)]) + " 30"):
        expected = program.run_text(values)
        for name in ("c-1", "c-2", "c-plain"):
            assert ways(name).run_text(values) == expected, (name, values)


@pytest.mark.slow
def test_two_arrays_of_streams_and_a_table_take_the_same() -> None:
    """What a flatMap gives, of pairs, is collected and goes into a table, element by element."""
    program = loads(
        "fun {[int], [int], [int]} main([int] a, int n) = let {k, v} = unzip(flatMap("
        "fn [{int, int}] (int x) => if x < 2 then [{0, x}] else zip(iota(n), iota(n)), a)) in "
        "{k, v, bucketReduce(op +, 0, n, k, v)}"
    )
    ways = Ways(program)
    for values in ("[3, -1, 8, 2] 4", "[] 2", "[1] 1"):
        expected = program.run_text(values)
        for name in ("c-1", "c-2", "c-plain", "opencl"):
            assert ways(name).run_text(values) == expected, (name, values)
