"""The extensions of L0 in random programs: a part of the maker in `randomprograms`.

Keys and indices are mostly brought within bounds; where they are not, the program fails.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.choices import Choices

INT, REAL, BOOL = "int", "real", "bool"
INTS, REALS, ROWS, PAIRS = "[int]", "[real]", "[[int]]", "[{int, real}]"
CUBES = "[[[int]]]"


class Extensions:
    """Makes expressions with extensions; the base of `randomprograms.Maker`."""

    choices: Choices

    def name(self) -> str:
        raise NotImplementedError

    def under(self, names: list[tuple[str, str]], make: Callable[[], str]) -> str:
        raise NotImplementedError

    def make(self, t: str, depth: int) -> str:
        raise NotImplementedError

    def buckets(self, depth: int) -> tuple[str, str, str, str]:
        """Names of a number of buckets, keys and elements, and the lets that bind them."""
        n, k, a, x = self.name(), self.name(), self.name(), self.name()
        array = self.make(INTS, depth)
        key = self.under([(x, INT)], lambda: self.make(INT, depth - 1))
        if self.choices.integer(0, 7):
            key = f"({key}) % {n}"
        count = self.choices.integer(0, 4) or self.make(INT, 0)
        lets = (
            f"let {a} = {array} in let {n} = {count} in "
            f"let {k} = map(fn int (int {x}) => {key}, {a}) in "
        )
        return n, k, a, lets

    def bucket_reduce(self, t: str, depth: int) -> str:
        n, k, a, lets = self.buckets(depth)
        if t == PAIRS:
            step = "let {i, r} = x in let {j, q} = y in {i + j, if r < q then q else r}"
            function = f"fn {{int, real}} ({{int, real}} x, {{int, real}} y) => {step}"
            values = f"zip({a}, map(toReal, {a}))"
            return f"({lets}bucketReduce({function}, {{0, 0.0}}, {n}, {k}, {values}))"
        if t == ROWS:
            step = self.choices.pick(["map(op +, zip(x, y))", "y", "concat(x, y)"])
            function = f"fn [int] ([int] x, [int] y) => {step}"
            values = f"map(fn [int] (int v) => [v, v * 2], {a})"
            return f"({lets}bucketReduce({function}, [0, 0], {n}, {k}, {values}))"
        least = "fn int (int x, int y) => if x < y then x else y"
        function = self.choices.pick(["op +, 0", f"{least}, 9", "op *, 1", "op ^, 0"])
        values = self.under([(a, INTS)], lambda: self.make(INTS, depth - 1))
        values = self.choices.pick([a, f"map(op +(1), {a})", values])
        return f"({lets}bucketReduce({function}, {n}, {k}, {values}))"

    def bucket_collect(self, t: str, depth: int) -> str:
        n, k, a, lets = self.buckets(depth)
        o, b = self.name(), self.name()
        elements = f"zip({a}, map(toReal, {a}))" if t == PAIRS else a
        scope = [(o, INTS), (b, t)]
        body = self.under(scope, lambda: self.make(t, depth - 1))
        return f"({lets}let {{{o}, {b}}} = bucketCollect({n}, {k}, {elements}) in {body})"

    def group_by(self, t: str, depth: int) -> str:
        a, x, k, o, b = [self.name() for _ in range(5)]
        key = self.under([(x, INT)], lambda: self.make(INT, depth - 1))
        if self.choices.boolean():
            function, keys = f"fn int (int {x}) => {key}", k
        else:
            function = f"fn {{int, bool}} (int {x}) => {{{key}, {x} < 2}}"
            keys = f"{{{k}, _}}"
        lets = f"let {{{k}, {o}, {b}}} = groupBy({function}, {a}) in "
        if keys != k:
            lets += f"let {keys} = unzip({k}) in "
        scope = [(k, INTS), (o, INTS), (b, INTS)]
        body = self.under(scope, lambda: self.make(INTS, depth - 1))
        body = self.choices.pick([body, f"reduceSegments(op +, 0, {o}, {b})", b])
        return f"(let {a} = {self.make(INTS, depth)} in {lets}{body})"

    def reduce_segments(self, t: str, depth: int) -> str:
        a, o = self.name(), self.name()
        offsets = f"[0, size({a}) / 2, size({a})]"
        if not self.choices.integer(0, 3):
            offsets = self.make(INTS, depth - 1)
        return (
            f"(let {a} = {self.make(INTS, depth)} in let {o} = {offsets} in "
            f"reduceSegments(op +, 0, {o}, {a}))"
        )

    def flat_map(self, t: str, depth: int) -> str:
        x = self.name()
        body = self.under([(x, INT)], lambda: self.make(t, depth - 1))
        return f"flatMap(fn {t} (int {x}) => {body}, {self.make(INTS, depth)})"

    def distinct(self, t: str, depth: int) -> str:
        if self.choices.boolean():
            return f"distinct({self.make(INTS, depth)})"
        a, b, c = self.name(), self.name(), self.name()
        body = self.under([(b, INTS), (c, INTS)], lambda: self.make(INTS, depth - 1))
        return (
            f"(let {a} = {self.make(INTS, depth)} in let {{{b}, {c}}} = "
            f"unzip(distinct(zip({a}, map(op &(1), {a})))) in {body})"
        )

    def scatter(self, t: str, depth: int) -> str:
        a, i, v = self.name(), self.name(), self.name()
        array = self.make(t, depth)
        indices = self.make(INTS, depth - 1)
        if self.choices.integer(0, 3):
            indices = f"map(fn int (int x) => x % size({a}), {indices})"
        value = "x" if t == INTS else "[x, x]"
        element = t[1:-1]
        values = f"map(fn {element} (int x) => {value}, {i})"
        return (
            f"(let {a} = {array} in let {i} = {indices} in let {v} = {values} in "
            f"scatter(copy({a}), {i}, {v}))"
        )
