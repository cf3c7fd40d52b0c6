"""Random programs of L0 that are well typed, as text: a strategy for Hypothesis.

They are made top down, from the type that is wanted, over the variables in scope. What is updated
is copied first, so uniqueness holds; run-time errors (indices, sizes, divisions) are common.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

from hypothesis import strategies as st

from tests.choices import Choices, Drawn
from tests.cogen.array import randomstreams
from tests.cogen.array.randomextensions import BOOL, CUBES, INT, INTS, PAIRS, REAL, REALS, ROWS
from tests.cogen.array.randomstreams import SHAPES, SPOTS, Streams

TYPES = (INT, REAL, BOOL, INTS, REALS, ROWS, PAIRS, CUBES, SPOTS, SHAPES)

HELPERS = """
fun int step(int x, int y) = x * 2 - y
fun int count(int n) = if n <= 0 then 0 else n + count(n / 2)
fun [int] grow(int n, [int] a) = if n <= 0 then a else grow(n - 1, concat(a, [n]))
fun int inner([int] a, [int] b) = reduce(op +, 0, map(op *, zip(a, b)))
fun [int] both([int] a, [int] b) = map(fn int (int x, int y) => x * 3 + y, zip(a, b))
"""
HELPERS = f"{randomstreams.TYPES}{HELPERS}{randomstreams.HELPERS}"


class Maker(Streams):
    """Makes expressions; `depth` is how deeply they may still be nested."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.names = 0
        self.scope: list[tuple[str, str]] = []

    def name(self) -> str:
        self.names += 1
        return f"v{self.names}"

    def small(self) -> int:
        return self.choices.integer(-1, 4)

    def variables(self, t: str) -> list[str]:
        return [name for name, found in self.scope if found == t]

    def under(self, names: list[tuple[str, str]], make: Callable[[], str]) -> str:
        """What is made in the scope of further variables."""
        self.scope.extend(names)
        try:
            return make()
        finally:
            del self.scope[len(self.scope) - len(names) :]

    def leaf(self, t: str) -> str:
        found = self.variables(t)
        if found and self.small() > -1:
            return str(self.choices.pick(found))
        n = self.small()
        if t == INT:
            return str(n) if n >= 0 else "(-1)"
        if t == REAL:
            return f"{abs(n)}.5"
        if t == BOOL:
            return "True" if n > 0 else "False"
        if t == INTS:
            return f"iota({abs(n)})"
        if t == REALS:
            return f"replicate({abs(n)}, 0.5)"
        if t == PAIRS:
            return f"replicate({abs(n)}, {{{abs(n)}, 1.5}})"
        if t == SPOTS:
            return f"replicate({abs(n)}, spot({abs(n)}, 0.5))"
        if t == SHAPES:
            return f"replicate({abs(n)}, box({abs(n)}, 2))"
        rows = f"replicate({abs(n)}, iota({self.choices.integer(0, 3)}))"
        return rows if t == ROWS else f"replicate({self.choices.integer(0, 2)}, {rows})"

    def make(self, t: str, depth: int) -> str:
        """An expression of a type, in parentheses where it needs them."""
        if depth <= 0:
            return self.leaf(t)
        forms: dict[str, list[Callable[[str, int], str]]] = {
            INT: [
                self.pair_fold, self.arithmetic, self.size, self.fold, self.element, self.helper,
                self.truncated,
            ],
            REAL: [self.real_arithmetic, self.real_fold, self.to_real],
            BOOL: [self.comparison, self.logic],
            INTS: [
                self.map, self.map, self.section, self.filter, self.scan, self.concat, self.split,
                self.update, self.loop, self.literal, self.reshaped, self.zipped, self.row,
                self.column_sums, self.row_fold, self.grown, self.unzipped, self.tupleless,
                self.bucket_reduce, self.bucket_reduce, self.bucket_collect, self.group_by,
                self.reduce_segments, self.flat_map, self.distinct, self.scatter, self.some,
                self.flat_few, self.flat_few, self.nested_flat, self.sums_by_key, self.of_spots,
                self.of_shapes, self.written,
            ],
            REALS: [
                self.map, self.map, self.filter, self.concat, self.real_scan, self.some,
                self.flat_few, self.nested_flat, self.of_spots,
            ],
            ROWS: [
                self.map_rows, self.map_to_rows, self.transpose, self.rows_literal,
                self.replicated, self.update_row, self.reshaped_rows, self.concat, self.scan_rows,
                self.bucket_reduce, self.scatter, self.reshaped_empty, self.element_of_cube,
                self.map_to_rows, self.filter_rows, self.split, self.sum_matrices,
                self.written_rows,
            ],
            CUBES: [
                self.map_cubes, self.map_to_rows, self.map_rows, self.replicated, self.concat,
                self.rearranged, self.rows_literal, self.reshaped_empty, self.filter_rows,
                self.split, self.sum_matrices,
            ],
            PAIRS: [
                self.pairs, self.map_pairs, self.filter_pairs, self.update_pair, self.concat,
                self.scan_pairs, self.split, self.bucket_reduce, self.bucket_collect, self.flat_few,
            ],
            SPOTS: [self.spots],
            SHAPES: [self.shapes],
        }  # fmt: skip
        general = [self.let, self.choose, self.tuple, self.loop_of]
        form = self.choices.pick(forms[t] * 2 + general)
        return str(form(t, depth - 1))

    # Scalars.

    def arithmetic(self, t: str, depth: int) -> str:
        operator = self.choices.pick(["+", "-", "*", "+", "-", "/", "%", "&", "pow", "<<"])
        return f"({self.make(INT, depth)} {operator} {self.make(INT, depth)})"

    def size(self, t: str, depth: int) -> str:
        array, k = self.choices.pick([(INTS, 0), (ROWS, 0), (ROWS, 1), (CUBES, 1), (CUBES, 2)])
        return f"size({k}, {self.make(array, depth)})"

    def fold(self, t: str, depth: int) -> str:
        array = self.make(INTS, depth)
        kind = self.choices.integer(0, 3)
        if kind == 0:
            return f"reduce(op +, 0, {array})"
        if kind == 1:
            body = "if x < y then x else y"
            return f"reduce(fn int (int x, int y) => {body}, {self.leaf(INT)}, {array})"
        x = self.name()
        body = self.under([(x, INT)], lambda: self.make(INT, depth - 1))
        if kind == 2:
            step = f"fn int (int acc, int {x}) => acc + {body}"
        else:
            step = f"fn int (int acc, int {x}) => acc * 2 + {body}"
        return f"redomap(op +, {step}, 0, {array})"

    def element(self, t: str, depth: int) -> str:
        a = self.name()
        array = self.make(INTS, depth)
        return f"(let {a} = {array} in {a}[{self.make(INT, depth - 1)}])"

    def helper(self, t: str, depth: int) -> str:
        kind = self.choices.integer(0, 2)
        if kind == 0:
            return f"step({self.make(INT, depth)}, {self.make(INT, depth)})"
        if kind == 1:
            return f"count({self.leaf(INT)})"
        return f"inner({self.make(INTS, depth)}, {self.make(INTS, depth)})"

    def truncated(self, t: str, depth: int) -> str:
        return f"trunc({self.make(REAL, depth)})"

    def real_arithmetic(self, t: str, depth: int) -> str:
        operator = self.choices.pick(["+", "-", "*", "/"])
        return f"({self.make(REAL, depth)} {operator} {self.make(REAL, depth)})"

    def real_fold(self, t: str, depth: int) -> str:
        return f"reduce(op +, 0.0, {self.make(REALS, depth)})"

    def to_real(self, t: str, depth: int) -> str:
        return f"toReal({self.make(INT, depth)})"

    def comparison(self, t: str, depth: int) -> str:
        operand = self.choices.pick([INT, INT, REAL])
        operator = self.choices.pick(["<", "<=", "="])
        return f"({self.make(operand, depth)} {operator} {self.make(operand, depth)})"

    def logic(self, t: str, depth: int) -> str:
        if self.choices.boolean():
            return f"(not {self.make(BOOL, depth)})"
        operator = self.choices.pick(["&&", "||"])
        return f"({self.make(BOOL, depth)} {operator} {self.make(BOOL, depth)})"

    # What there is for all types.

    def let(self, t: str, depth: int) -> str:
        name = self.name()
        found = self.choices.pick(TYPES)
        value = self.make(found, depth)
        body = self.under([(name, found)], lambda: self.make(t, depth))
        return f"(let {name} = {value} in {body})"

    def choose(self, t: str, depth: int) -> str:
        condition = self.make(BOOL, depth - 1)
        return f"(if {condition} then {self.make(t, depth)} else {self.make(t, depth)})"

    def tuple(self, t: str, depth: int) -> str:
        a, b = self.name(), self.name()
        other = self.choices.pick(TYPES)
        value = f"{{{self.make(other, depth)}, {self.make(t, depth)}}}"
        body = self.under([(a, other), (b, t)], lambda: self.make(t, depth - 1))
        return f"(let {{{a}, {b}}} = {value} in {body})"

    def loop_of(self, t: str, depth: int) -> str:
        name, i = self.name(), self.name()
        initial = self.make(t, depth)
        body = self.under([(name, t), (i, INT)], lambda: self.make(t, depth - 1))
        bound = self.small()
        return f"(loop ({name} = {initial}) = for {i} < {bound} do {body} in {name})"

    # Arrays of scalars.

    def map(self, t: str, depth: int) -> str:
        element = t[1:-1]
        source = self.choices.pick([INT, INT, REAL])
        x = self.name()
        body = self.under([(x, source)], lambda: self.make(element, depth))
        array = self.make(f"[{source}]", depth)
        return f"map(fn {element} ({source} {x}) => {body}, {array})"

    def section(self, t: str, depth: int) -> str:
        operator = self.choices.pick(["+", "-", "*"])
        return f"map(op {operator}({self.make(INT, depth)}), {self.make(INTS, depth)})"

    def filter(self, t: str, depth: int) -> str:
        element = t[1:-1]
        x = self.name()
        body = self.under([(x, element)], lambda: self.make(BOOL, depth - 1))
        return f"filter(fn bool ({element} {x}) => {body}, {self.make(t, depth)})"

    def scan(self, t: str, depth: int) -> str:
        if self.choices.boolean():
            return f"scan(op +, 0, {self.make(INTS, depth)})"
        body = "if x < y then y else x"
        return f"scan(fn int (int x, int y) => {body}, 0, {self.make(INTS, depth)})"

    def real_scan(self, t: str, depth: int) -> str:
        return f"scan(op +, 0.0, {self.make(REALS, depth)})"

    def concat(self, t: str, depth: int) -> str:
        return f"concat({self.make(t, depth)}, {self.make(t, depth)})"

    def split(self, t: str, depth: int) -> str:
        a, b = self.name(), self.name()
        value = f"split({self.small()}, {self.make(t, depth)})"
        body = self.under([(a, t), (b, t)], lambda: self.make(t, depth - 1))
        return f"(let {{{a}, {b}}} = {value} in {body})"

    def update(self, t: str, depth: int) -> str:
        a = self.name()
        array = self.make(INTS, depth)
        index = self.make(INT, depth - 1)
        value = self.under([(a, INTS)], lambda: self.make(INT, depth - 1))
        rest = self.under([(a, INTS)], lambda: self.make(INTS, depth - 1))
        return f"(let {a} = copy({array}) in let {a}[{index}] = {value} in {rest})"

    def loop(self, t: str, depth: int) -> str:
        a, i = self.name(), self.name()
        array = self.make(INTS, depth)
        scope = [(a, INTS), (i, INT)]
        value = self.under(scope, lambda: self.make(INT, depth - 1))
        index = self.choices.pick([i, f"{i} + 1", "0", f"size({a}) - 1 - {i}"])
        bound = self.choices.pick([str(self.small()), f"size({array})"])
        return (
            f"(loop ({a} = copy({array})) = for {i} < {bound} do "
            f"let {a}[{index}] = {value} in {a} in {a})"
        )

    def literal(self, t: str, depth: int) -> str:
        count = self.choices.integer(1, 3)
        return "[" + ", ".join([self.make(INT, depth - 1) for _ in range(count)]) + "]"

    def reshaped(self, t: str, depth: int) -> str:
        a = self.name()
        return (
            f"(let {a} = {self.make(ROWS, depth)} in reshape((size(0, {a}) * size(1, {a})), {a}))"
        )

    def zipped(self, t: str, depth: int) -> str:
        a, x, y = self.name(), self.name(), self.name()
        array = self.make(INTS, depth)
        other = self.under([(a, INTS)], lambda: f"map(op +(1), {a})")
        if self.choices.boolean():
            other = self.under([(a, INTS)], lambda: self.make(INTS, depth))
        body = self.under([(x, INT), (y, INT)], lambda: self.make(INT, depth - 1))
        return f"(let {a} = {array} in map(fn int (int {x}, int {y}) => {body}, zip({a}, {other})))"

    def row(self, t: str, depth: int) -> str:
        a = self.name()
        return f"(let {a} = {self.make(ROWS, depth)} in {a}[{self.leaf(INT)}])"

    def column_sums(self, t: str, depth: int) -> str:
        rows = self.make(ROWS, depth)
        return f"map(fn int ([int] r) => reduce(op +, 0, r), transpose({rows}))"

    def row_fold(self, t: str, depth: int) -> str:
        a = self.name()
        plus = "fn [int] ([int] x, [int] y) => map(op +, zip(x, y))"
        kind = self.choices.pick(["reduce", "last"])
        zero = f"replicate(size(1, {a}), 0)"
        if kind == "reduce":
            return f"(let {a} = {self.make(ROWS, depth)} in reduce({plus}, {zero}, {a}))"
        join = "fn [int] ([int] x, [int] y) => concat(x, y)"
        return f"reduce({join}, empty(int), {self.make(ROWS, depth)})"

    def grown(self, t: str, depth: int) -> str:
        return f"grow({self.small()}, {self.make(INTS, depth)})"

    # Arrays of arrays.

    def map_rows(self, t: str, depth: int) -> str:
        r, row = self.name(), t[1:-1]
        body = self.under([(r, INTS)], lambda: self.make(row, depth))
        return f"map(fn {row} ([int] {r}) => {body}, {self.make(ROWS, depth)})"

    def map_to_rows(self, t: str, depth: int) -> str:
        x, row = self.name(), t[1:-1]
        body = self.under([(x, INT)], lambda: self.make(row, depth))
        return f"map(fn {row} (int {x}) => {body}, {self.make(INTS, depth)})"

    def map_cubes(self, t: str, depth: int) -> str:
        r = self.name()
        body = self.under([(r, ROWS)], lambda: self.make(ROWS, depth))
        return f"map(fn [[int]] ([[int]] {r}) => {body}, {self.make(CUBES, depth)})"

    def filter_rows(self, t: str, depth: int) -> str:
        r, row = self.name(), t[1:-1]
        body = self.under([(r, row)], lambda: self.make(BOOL, depth - 1))
        return f"filter(fn bool ({row} {r}) => {body}, {self.make(t, depth)})"

    def rearranged(self, t: str, depth: int) -> str:
        order = self.choices.pick(list(permutations(range(3))))
        return f"rearrange(({', '.join(map(str, order))}), {self.make(CUBES, depth)})"

    def reshaped_empty(self, t: str, depth: int) -> str:
        """Arrays without elements, of all shapes."""
        sizes = [self.make(INT, depth - 1) for _ in range(t.count("[") - 1)]
        sizes.insert(self.choices.integer(0, len(sizes)), "0")
        return f"reshape(({', '.join(sizes)}), empty(int))"

    def element_of_cube(self, t: str, depth: int) -> str:
        a = self.name()
        return f"(let {a} = {self.make(CUBES, depth)} in {a}[{self.leaf(INT)}])"

    def transpose(self, t: str, depth: int) -> str:
        return f"transpose({self.make(ROWS, depth)})"

    def rows_literal(self, t: str, depth: int) -> str:
        row = t[1:-1]
        return f"[{self.make(row, depth)}, {self.make(row, depth)}]"

    def replicated(self, t: str, depth: int) -> str:
        return f"replicate({self.leaf(INT)}, {self.make(t[1:-1], depth)})"

    def update_row(self, t: str, depth: int) -> str:
        a = self.name()
        rows = self.make(ROWS, depth)
        value = self.under([(a, ROWS)], lambda: self.make(INTS, depth - 1))
        index = self.leaf(INT)
        return f"(let {a} = copy({rows}) in let {a}[{index}] = {value} in {a})"

    def reshaped_rows(self, t: str, depth: int) -> str:
        a = self.name()
        return f"(let {a} = {self.make(INTS, depth)} in reshape((size({a}), 1), {a}))"

    def scan_rows(self, t: str, depth: int) -> str:
        a = self.name()
        step = self.choices.pick(["map(op +, zip(x, y))", "x", "y", "concat(x, y)"])
        zero = self.choices.pick([f"replicate(size(1, {a}), 0)", "iota(2)"])
        function = f"fn [int] ([int] x, [int] y) => {step}"
        return f"(let {a} = {self.make(ROWS, depth)} in scan({function}, {zero}, {a}))"

    # Arrays of tuples, and the tupleless combinators.

    def pairs(self, t: str, depth: int) -> str:
        a = self.name()
        array = self.make(INTS, depth)
        other = f"map(toReal, {a})"
        if not self.choices.integer(0, 3):
            other = self.make(REALS, depth)
        return f"(let {a} = {array} in zip({a}, {other}))"

    def map_pairs(self, t: str, depth: int) -> str:
        x, y = self.name(), self.name()
        scope = [(x, INT), (y, REAL)]
        body = self.under(
            scope, lambda: f"{{{self.make(INT, depth - 1)}, {self.make(REAL, depth - 1)}}}"
        )
        return f"map(fn {{int, real}} (int {x}, real {y}) => {body}, {self.make(PAIRS, depth)})"

    def filter_pairs(self, t: str, depth: int) -> str:
        x, y = self.name(), self.name()
        body = self.under([(x, INT), (y, REAL)], lambda: self.make(BOOL, depth - 1))
        return f"filter(fn bool (int {x}, real {y}) => {body}, {self.make(PAIRS, depth)})"

    def update_pair(self, t: str, depth: int) -> str:
        a = self.name()
        array = self.make(PAIRS, depth)
        value = f"{{{self.make(INT, depth - 1)}, {self.make(REAL, depth - 1)}}}"
        return f"(let {a} = copy({array}) in let {a}[{self.leaf(INT)}] = {value} in {a})"

    def scan_pairs(self, t: str, depth: int) -> str:
        step = "let {i, r} = x in let {j, q} = y in {i + j, if r < q then q else r}"
        function = f"fn {{int, real}} ({{int, real}} x, {{int, real}} y) => {step}"
        return f"scan({function}, {{0, 0.5}}, {self.make(PAIRS, depth)})"

    def unzipped(self, t: str, depth: int) -> str:
        a, b = self.name(), self.name()
        scope = [(a, INTS), (b, REALS)]
        body = self.under(scope, lambda: self.make(INTS, depth - 1))
        return f"(let {{{a}, {b}}} = unzip({self.make(PAIRS, depth)}) in {body})"

    def pair_fold(self, t: str, depth: int) -> str:
        x, y = self.name(), self.name()
        scope = [(x, INT), (y, REAL)]
        body = self.under(scope, lambda: self.make(INT, depth - 1))
        step = f"fn {{int}} (int acc, int {x}, real {y}) => {{acc + {body}}}"
        a, b, r = self.name(), self.name(), self.name()
        return (
            f"(let {{{a}, {b}}} = unzip({self.make(PAIRS, depth)}) in let {{{r}}} = redomapT("
            f"fn {{int}} (int p, int q) => {{p + q}}, {step}, {{0}}, {a}, {b}) in {r})"
        )

    def tupleless(self, t: str, depth: int) -> str:
        a, x, y = self.name(), self.name(), self.name()
        scope = [(x, INT), (y, INT)]
        array = self.make(INTS, depth)
        kind = self.choices.pick(["map", "filter", "scan"])
        if kind == "map":
            body = self.under(scope, lambda: self.make(INT, depth - 1))
            made = f"mapT(fn {{int, int}} (int {x}, int {y}) => {{{body}, {x}}}, {a}, {a})"
        elif kind == "filter":
            body = self.under(scope, lambda: self.make(BOOL, depth - 1))
            made = f"filterT(fn bool (int {x}, int {y}) => {body}, {a}, map(op *(2), {a}))"
        else:
            step = "fn {int, int} (int p, int q, int r, int s) => {p + r, if q < s then s else q}"
            made = f"scanT({step}, {{0, 0}}, {a}, map(op *(3), {a}))"
        first, second = self.name(), self.name()
        names = [(first, INTS), (second, INTS)]
        body = self.under(names, lambda: self.make(INTS, depth - 1))
        return f"(let {a} = {array} in let {{{first}, {second}}} = {made} in {body})"


PARAMETERS = [("n", INT), ("x", REAL), ("a", INTS), ("b", INTS), ("m", ROWS), ("p", PAIRS)]


@st.composite
def programs(draw: st.DrawFn, depth: int = 4) -> tuple[str, str]:
    """A program and arguments of its function `main`, as text."""
    choices = Drawn(draw)
    maker = Maker(choices)
    maker.scope = list(PARAMETERS)
    t = choices.pick([*TYPES, INTS, ROWS])
    return program(t, maker.make(t, depth)), arguments(choices)


def program(t: str, body: str) -> str:
    """The program whose function `main` has such a result and body."""
    parameters = ", ".join([f"{found} {name}" for name, found in PARAMETERS])
    return f"{HELPERS}fun {t} main({parameters}) =\n  {body}\n"


def arguments(choices: Choices) -> str:
    """Values for the parameters."""

    def small() -> int:
        return choices.integer(-3, 5)

    def vector(size: int) -> list[int]:
        return [small() for _ in range(size)]

    size, columns = choices.integer(0, 4), choices.integer(0, 3)
    a, b = vector(size), vector(size)
    rows = [vector(columns) for _ in range(choices.integer(0, 3))]
    pairs = ", ".join([f"{{{n}, {n}.5}}" for n in vector(choices.integer(0, 3))])
    return f"{small()} {small()}.25 {a} {b} {rows} [{pairs}]"
