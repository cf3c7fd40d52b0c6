"""Arrays of tuples that hold arrays, with elements and without: alike in every target.

Random programs over two parameters of type [int] make such arrays with rows of several sizes, and
put them together; what the interpreter gives, or refuses, the graph gives and refuses, lowered and
optimised, and so does compiled code.  Below a dimension of size 0 all sizes are alike.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from cogen.array import loads
from cogen.array.optimise.optimisations import NAMES, Options
from cogen.array.optimise.optimise import optimise
from cogen.lang.errors import CogenError
from tests.cogen.array.comparing import by_evaluation, by_schedule, module_outcome, outcome, same
from tests.cogen.array.targets import WAYS, Ways

PAIR = "{int, [int]}"
ARGUMENTS = ("[] []", "[] [5]", "[1, 2] []", "[1, 2] [7, 0, 3]")
NOTHING = Options(frozenset(NAMES))


class Writer:
    """Writes expressions of type [{int, [int]}] over p and q of type [int]."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0

    def fresh(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def rows(self, item: str) -> str:
        """An expression of type [int]."""
        return self.random.choice(
            ["iota(3)", "iota(3)", "iota(4)", "iota(size(0, q))", "empty(int)", "p",
             f"replicate(2, {item})", f"iota({item})", f"filter(op <({item}), iota(5))"]
        )  # fmt: skip

    def made(self) -> str:
        """An array that is made from another one."""
        item = self.fresh()
        over = self.random.choice(["p", "p", "q", "iota(2)", "empty(int)", "filter(op <(1), p)"])
        return f"map(fn {PAIR} (int {item}) => {{{item}, {self.rows(item)}}}, {over})"

    def array(self, depth: int) -> str:
        if depth == 0:
            return self.random.choice([self.made(), self.made(), f"empty({PAIR})"])
        ways = (self.concat, self.concat, self.parts, self.kept, self.changed, self.chosen,
                self.carried, self.zipped, self.joined, self.rows_of)  # fmt: skip
        return self.random.choice(ways)(depth - 1)

    def concat(self, depth: int) -> str:
        return f"concat({self.array(depth)}, {self.array(depth)})"

    def parts(self, depth: int) -> str:
        a, b = self.fresh(), self.fresh()
        array = self.fresh()
        at = self.random.choice(["0", f"size(0, {array})", f"size(0, {array}) / 2"])
        return (
            f"let {array} = {self.array(depth)} in let {{{a}, {b}}} = split({at}, {array}) "
            f"in concat({b}, {a})"
        )

    def kept(self, depth: int) -> str:
        i, r = self.fresh(), self.fresh()
        test = self.random.choice([f"{i} < 2", f"size(0, {r}) = 3", "False"])
        return f"filter(fn bool (int {i}, [int] {r}) => {test}, {self.array(depth)})"

    def changed(self, depth: int) -> str:
        i, r = self.fresh(), self.fresh()
        row = self.random.choice([r, f"concat({r}, [{i}])", f"map(op +({i}), {r})", self.rows(i)])
        return f"map(fn {PAIR} (int {i}, [int] {r}) => {{{i} + 1, {row}}}, {self.array(depth)})"

    def chosen(self, depth: int) -> str:
        test = self.random.choice(["size(0, p) < 1", "size(0, q) = 1", "True"])
        return f"if {test} then {self.array(depth)} else {self.array(depth)}"

    def carried(self, depth: int) -> str:
        name, i = self.fresh(), self.fresh()
        rounds = self.random.choice(["size(0, p)", "2", "size(0, q)"])
        more = self.random.choice([f"concat({name}, {self.made()})", name, self.made()])
        return f"loop ({name} = {self.array(depth)}) = for {i} < {rounds} do {more} in {name}"

    def zipped(self, depth: int) -> str:
        a, x, y = self.fresh(), self.fresh(), self.fresh()
        swapped = self.random.choice([(x, y), (f"map(op -(9), {x})", y)])
        return (
            f"let {a} = {self.array(depth)} in let {{{x}, {y}}} = unzip({a}) "
            f"in zip({swapped[0]}, {swapped[1]})"
        )

    def joined(self, depth: int) -> str:
        a, b = self.fresh(), self.fresh()
        several = self.random.choice([
            f"[{self.array(depth)}, {self.made()}]",
            f"map(fn [{PAIR}] (int {a}) => {self.made()}, {self.random.choice('pq')})",
        ])  # fmt: skip
        function = f"fn [{PAIR}] ([{PAIR}] {a}, [{PAIR}] {b}) => concat({a}, {b})"
        return f"reduce({function}, empty({PAIR}), {several})"

    def rows_of(self, depth: int) -> str:
        i, r = self.fresh(), self.fresh()
        return (
            f"scan(fn {PAIR} ({PAIR} {i}, {PAIR} {r}) => {r}, {{0, {self.rows('2')}}}, "
            f"{self.array(depth)})"
        )


def written(seed: int) -> str:
    """A program: the array as it is, or sizes and sums of it."""
    writer = Writer(seed)
    array, name = writer.array(writer.random.choice([1, 2, 2, 3])), writer.fresh()
    if writer.random.random() < 0.5:
        return f"fun [{PAIR}] main([int] p, [int] q) = {array}"
    i, r = writer.fresh(), writer.fresh()
    total = f"reduce(op +, 0, map(fn int (int {i}, [int] {r}) => {i} + size(0, {r}), {name}))"
    return (
        f"fun {{int, int, int}} main([int] p, [int] q) = let {name} = {array} in\n"
        f"  let {{{i}, {r}}} = unzip({name}) in {{size(0, {name}), {total}, size(1, {r})}}"
    )


def compare(seed: int) -> None:
    """Assert that the graph, lowered and optimised, does what the interpreter does."""
    text = written(seed)
    program = loads(text)
    modules = [optimise(program.facts, "main", options, verify=True)[1]
               for options in (NOTHING, Options())]  # fmt: skip
    for values in ARGUMENTS:
        wanted = outcome(program, "main", values)
        for module in modules:
            for run in (by_evaluation, by_schedule):
                found = module_outcome(module, values, run)
                assert same(found, wanted), (text, values, found, wanted)


def test_the_graph_does_what_the_interpreter_does(request):
    for seed in range(3000 if request.config.getoption("--long") else 15):
        compare(seed)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("way", ["c-2", "opencl"])
@pytest.mark.parametrize("seed", [11, 12])
def test_compiled_code_does_what_the_interpreter_does(way: str, seed: int) -> None:
    program = loads(written(seed))
    compiled = Ways(program)(way)
    for values in ARGUMENTS:
        wanted = outcome(program, "main", values)
        try:
            found = compiled.run_text(values, "<values>", lambda shown: None)
        except CogenError as error:
            found = error.render().splitlines()[0]
        assert same(found, wanted), (written(seed), values, found, wanted)


@pytest.mark.parametrize("way", WAYS)
def test_nothing_after_nothing_has_rows_of_any_size(way: str) -> None:
    text = f"""
fun int main([int] p) =
  size(0, concat(map(fn {PAIR} (int x) => {{x, iota(4)}}, p),
                 map(fn {PAIR} (int x) => {{x, iota(3)}}, p)))
"""
    program = loads(text, "p.l0")
    compiled = Ways(program)(way)
    assert compiled(np.zeros(0, np.int64)) == program.run([]) == 0
    with pytest.raises(CogenError, match="rows of size 4 and 3") as caught:
        compiled(np.ones(1, np.int64))
    assert str(caught.value.span) == "p.l0:3:11"
