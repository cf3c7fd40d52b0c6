"""Short streams, sums by tuples of keys, neutral matrices, records and unions in random programs: a
part of the maker in `randomprograms`."""

from __future__ import annotations

from tests.cogen.array.randomextensions import (
    BOOL,
    CUBES,
    INT,
    INTS,
    PAIRS,
    REAL,
    ROWS,
    Extensions,
)

SHAPES, SPOTS = "[shape]", "[spot]"

TYPES = """
union shape = dot {int at} | box {int w, int h} | none
record spot {int x, real y}
"""

HELPERS = """
fun [[int]] rowsum([[int]] a, [[int]] b) =
  map(fn [int] ([int] x, [int] y) => map(op +, zip(x, y)), zip(a, b))
fun int area(shape s) = case s of {dot(at) => at, box{w, h} => w * h, none => -1}
"""


class Streams(Extensions):
    """Makes expressions whose loops take streams; the base of `randomprograms.Maker`."""

    def leaf(self, t: str) -> str:
        raise NotImplementedError

    def few(self, element: str, depth: int, test: str = "") -> str:
        """An array of a few elements, perhaps where a test holds only."""
        one = self.make(element, depth)
        if element not in (INT, REAL):
            return f"[{one}]"
        none = f"empty({element})"
        test = test or self.make(BOOL, depth)
        several = f"[{one}, {self.make(element, depth - 1)}]"
        return self.choices.pick([
            f"[{one}]", several, none, f"(if {test} then [{one}] else {none})",
            f"(if {test} then {none} else [{one}])", f"(if {test} then {several} else {none})",
            f"(if {test} then {several} else [{one}])",
            f"(if {test} then [{one}] else {self.make(f'[{element}]', depth - 1)})",
        ])  # fmt: skip

    def some(self, t: str, depth: int) -> str:
        """A short array."""
        return self.few(t[1:-1], depth)

    def flat_few(self, t: str, depth: int) -> str:
        """What each element gives few of, side by side where these are pairs."""
        x = self.name()
        if t == PAIRS:
            c = self.name()
            test = self.under([(x, INT)], lambda: self.make(BOOL, depth - 1))
            left, right = self.under(
                [(x, INT)],
                lambda: (self.few(INT, depth - 1, c), self.few(REAL, depth - 1, c)),
            )
            body = f"(let {c} = {test} in zip({left}, {right}))"
        else:
            body = self.under([(x, INT)], lambda: self.few(t[1:-1], depth - 1))
        return f"flatMap(fn {t} (int {x}) => {body}, {self.make(INTS, depth)})"

    def nested_flat(self, t: str, depth: int) -> str:
        """A flatMap in a flatMap, or over pairs."""
        x, y, r = self.name(), self.name(), self.name()
        if self.choices.boolean():
            body = self.under([(x, INT), (r, REAL)], lambda: self.few(t[1:-1], depth - 1))
            return f"flatMap(fn {t} (int {x}, real {r}) => {body}, {self.make(PAIRS, depth)})"
        inner = self.under([(x, INT)], lambda: self.make(INTS, depth - 1))
        body = self.under([(x, INT), (y, INT)], lambda: self.few(t[1:-1], depth - 1))
        one = f"flatMap(fn {t} (int {y}) => {body}, {inner})"
        return f"flatMap(fn {t} (int {x}) => {one}, {self.make(INTS, depth)})"

    def sums_by_key(self, t: str, depth: int) -> str:
        """Sums of groups by a tuple, of what is filtered, as a query asks for them."""
        k, o, b, p, q, x = [self.name() for _ in range(6)]
        scope = [(x, INT)]
        first = self.under(scope, lambda: self.make(INT, depth - 1))
        second = self.under(scope, lambda: self.make(BOOL, depth - 1))
        test = self.under(scope, lambda: self.make(BOOL, depth - 1))
        value = self.under(scope, lambda: self.make(INT, depth - 1))
        array = f"filter(fn bool (int {x}) => {test}, {self.make(INTS, depth)})"
        sums = f"reduceSegments(op +, 0, {o}, map(fn int (int {x}) => {value}, {b}))"
        counts = f"reduceSegments(op +, 0, {o}, map(fn int (int {x}) => 1, {b}))"
        made = f"map(fn int (int u, int v) => u * 3 + v, zip({p}, both({sums}, {counts})))"
        made = self.choices.pick([made, sums, p, f"both({sums}, {counts})"])
        return (
            f"(let {{{k}, {o}, {b}}} = groupBy(fn {{int, bool}} (int {x}) => "
            f"{{{first}, {second}}}, {array}) in let {{{p}, {q}}} = unzip({k}) in {made})"
        )

    def sum_matrices(self, t: str, depth: int) -> str:
        """Matrices added up, from a matrix of whatever shape."""
        a = self.name()
        zero = self.choices.pick([
            self.make(ROWS, depth - 1), f"replicate(size(1, {a}), replicate(size(2, {a}), 0))",
        ])  # fmt: skip
        fold = "scan" if t == CUBES else "reduce"
        return f"(let {a} = {self.make(CUBES, depth)} in {fold}(rowsum, {zero}, {a}))"

    def written(self, t: str, depth: int) -> str:
        """Each element of an array written by a loop, perhaps where a test holds only."""
        v, i, s, n = self.name(), self.name(), self.name(), self.name()
        scope = [(i, INT), (s, INT)]
        test, value, more = self.under(
            scope,
            lambda: (self.make(BOOL, depth - 1), self.make(INT, depth - 1), self.leaf(INT)),
        )
        value = self.choices.pick([value, f"{v}[{i}] + {value}", f"{v}[({i} + 1) % {n}] + {value}"])
        write = f"let {v}[{i}] = {value} in {{{s} + {more}, {v}}}"
        if self.choices.boolean():
            write = f"(if {test} then {write} else {{{s}, {v}}})"
        start = self.choices.pick([f"copy({v})", f"map(op *(2), {v})", f"replicate({n}, 3)"])
        return (
            f"(let {v} = {self.make(INTS, depth)} in let {n} = size({v}) in let {{{s}, {v}}} = "
            f"loop ({{{s}, {v}}} = {{1, {start}}}) = for {i} < {n} do {write} in {{{s}, {v}}} in "
            f"{self.choices.pick([v, f'map(op +({s}), {v})'])})"
        )

    def written_rows(self, t: str, depth: int) -> str:
        """A matrix written by a loop in a loop."""
        m, i, j, k = [self.name() for _ in range(4)]
        scope = [(i, INT), (j, INT)]
        test, value = self.under(
            scope, lambda: (self.make(BOOL, depth - 1), self.make(INT, depth - 1))
        )
        value = self.choices.pick([value, f"{m}[{i}, {j}] * 2 + {value}"])
        write = f"let {m}[{i}, {j}] = {value} in {m}"
        if self.choices.boolean():
            write = f"(if {test} then {write} else {m})"
        return (
            f"(let {m} = {self.make(ROWS, depth)} in let {k} = size(1, {m}) in "
            f"loop ({m} = copy({m})) = for {i} < size(0, {m}) do "
            f"(loop ({m} = {m}) = for {j} < {k} do {write} in {m}) in {m})"
        )

    # Records and unions.

    def spots(self, t: str, depth: int) -> str:
        a = self.name()
        return self.choices.pick([
            f"(let {a} = {self.make(INTS, depth)} in map(spot, zip({a}, map(toReal, {a}))))",
            f"map(fn spot (int i, real r) => spot(i, r), {self.make(PAIRS, depth)})",
            f"map(fn spot (spot s) => {{s with x = s.x + {self.leaf(INT)}}}, "
            f"{self.make(SPOTS, depth)})",
            f"filter(fn bool (spot s) => s.x < {self.leaf(INT)}, {self.make(SPOTS, depth)})",
            f"concat({self.make(SPOTS, depth)}, {self.make(SPOTS, depth)})",
        ])  # fmt: skip

    def of_spots(self, t: str, depth: int) -> str:
        field = "x" if t == INTS else "y"
        return f"({self.make(SPOTS, depth)}).{field}"

    def shapes(self, t: str, depth: int) -> str:
        x = self.name()
        scope = [(x, INT)]
        test, at, w = self.under(
            scope, lambda: (self.make(BOOL, depth), self.make(INT, depth), self.make(INT, depth))
        )
        box = f"if {x} < {self.leaf(INT)} then box({x}, {w}) else none{{}}"
        one = f"if {test} then dot({at}) else {box}"
        return self.choices.pick([
            f"map(fn shape (int {x}) => {one}, {self.make(INTS, depth)})",
            f"flatMap(fn [shape] (int {x}) => [{one}, dot({x})], {self.make(INTS, depth)})",
            f"filter(fn bool (shape s) => area(s) < {self.leaf(INT)}, {self.make(SHAPES, depth)})",
            f"concat({self.make(SHAPES, depth)}, {self.make(SHAPES, depth)})",
        ])  # fmt: skip

    def of_shapes(self, t: str, depth: int) -> str:
        x = self.name()
        at = self.under([(x, INT)], lambda: self.make(INT, depth - 1))
        own = f"fn int (shape s) => case s of {{dot({x}) => {at}, _ => area(s)}}"
        return f"map({self.choices.pick(['area', own])}, {self.make(SHAPES, depth)})"
