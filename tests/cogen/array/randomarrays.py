"""Random programs in L0 that do not fail, and arguments for them.

    program(random)      the text of a program: main takes ints, vectors, a matrix and reals, and
                         gives what several random expressions give
    arguments(random)    arguments for it, empty arrays and all

Sizes are made equal where the language wants them so; divisors are constants; what is indexed is
indexed within bounds. Matrices have rows: how wide no rows are is left open by the language. Reals
are small integers, so that sums do not depend on their order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

HEAD = """\
fun int total([int] a) = reduce(op +, 0, a)
fun int least(int x, int y) = if x < y then x else y
fun int at([int] a, int i) =
  let n = size(0, a) in if n = 0 then 7 else a[i % n]
fun *[int] put(*[int] a, int i, int v) =
  let n = size(0, a) in if n = 0 then a else let a[i % n] = v in a
fun int fact(int n) = if n < 1 then 1 else n * fact(n - 1)
"""

PARAMETERS = "int i, [int] a, [int] b, [[int]] m, [real] r"


@dataclass
class _Scope:
    ints: list[str] = field(default_factory=lambda: ["i"])
    vectors: list[str] = field(default_factory=lambda: ["a", "b"])
    matrices: list[str] = field(default_factory=lambda: ["m"])
    reals: list[str] = field(default_factory=lambda: ["r"])

    def with_(self, **names: str) -> _Scope:
        made = _Scope(list(self.ints), list(self.vectors), list(self.matrices), list(self.reals))
        for kind, name in names.items():
            getattr(made, kind).append(name)
        return made


class _Maker:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.count = 0

    def name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def pick(self, *choices: Any) -> Any:
        return self.random.choice(choices)()

    def int(self, s: _Scope, d: int) -> str:
        if d <= 0:
            return self.random.choice([*s.ints, *s.ints, str(self.random.randint(0, 9))])

        def binary() -> str:
            operator = self.random.choice(["+", "-", "*", "&", "^", "|"])
            return f"({self.int(s, d - 1)} {operator} {self.int(s, d - 1)})"

        def divided() -> str:
            operator = self.random.choice(["/", "%"])
            divisor = self.random.choice(["(0-3)", "(0-1)", "2", "5"])
            return f"({self.int(s, d - 1)} {operator} {divisor})"

        def choice() -> str:
            return (
                f"(if {self.int(s, d - 1)} < {self.int(s, d - 1)} "
                f"then {self.int(s, d - 1)} else {self.int(s, d - 1)})"
            )

        def reduced() -> str:
            operator = self.random.choice(["op +, 0", "op *, 1", "least, 99", "op ^, 0", "op |, 0"])
            return f"reduce({operator}, {self.vector(s, d - 1)})"

        def size() -> str:
            return f"size(0, {self.vector(s, d - 1)})"

        def indexed() -> str:
            return f"at({self.vector(s, d - 1)}, {self.int(s, d - 1)})"

        def loop() -> str:
            x, k = self.name(), self.name()
            inner = s.with_(ints=x).with_(ints=k)
            return (
                f"(loop ({x} = {self.int(s, d - 1)}) = for {k} < {self.random.randint(0, 4)} do "
                f"{self.int(inner, d - 1)} in {x})"
            )

        def let() -> str:
            x = self.name()
            return f"(let {x} = {self.int(s, d - 1)} in {self.int(s.with_(ints=x), d - 1)})"

        def called() -> str:
            return f"fact({self.int(s, d - 1)} & 7)"

        return str(
            self.pick(
                binary, binary, divided, choice, reduced, reduced, size, indexed, loop, let, called
            )
        )

    def same(self, s: _Scope, of: str, d: int) -> str:
        """A vector as long as another."""
        if d <= 0:
            return of

        def mapped() -> str:
            x = self.name()
            body = self.int(s.with_(ints=x), d - 1)
            return f"map(fn int (int {x}) => {body}, {self.same(s, of, d - 1)})"

        def section() -> str:
            operator = self.random.choice("+-*")
            return f"map(op {operator}({self.int(s, d - 1)}), {self.same(s, of, d - 1)})"

        def scanned() -> str:
            operator = self.random.choice(["op +, 0", "least, 1000", "op *, 1"])
            return f"scan({operator}, {self.same(s, of, d - 1)})"

        def zipped() -> str:
            operator = self.random.choice("+-*")
            return f"map(op {operator}, zip({self.same(s, of, d - 1)}, {self.same(s, of, d - 1)}))"

        def updated() -> str:
            return (
                f"put(copy({self.same(s, of, d - 1)}), {self.int(s, d - 1)}, {self.int(s, d - 1)})"
            )

        def looped() -> str:
            x, k = self.name(), self.name()
            inner = s.with_(ints=k)
            body = f"put({x}, {self.int(inner, d - 1)}, {self.int(inner, d - 1)})"
            return (
                f"(loop ({x} = copy({self.same(s, of, d - 1)})) = for {k} < "
                f"{self.random.randint(0, 3)} do {body} in {x})"
            )

        def carried() -> str:
            x, k = self.name(), self.name()
            inner = s.with_(ints=k).with_(vectors=x)
            return (
                f"(loop ({x} = {self.same(s, of, d - 1)}) = for {k} < "
                f"{self.random.randint(0, 3)} do {self.same(inner, x, d - 1)} in {x})"
            )

        def either() -> str:
            return (
                f"(if {self.int(s, d - 1)} < {self.int(s, d - 1)} "
                f"then {self.same(s, of, d - 1)} else {self.same(s, of, d - 1)})"
            )

        return str(
            self.pick(mapped, mapped, section, scanned, zipped, updated, looped, carried, either)
        )

    def vector(self, s: _Scope, d: int) -> str:
        if d <= 0:
            return self.random.choice(s.vectors)

        def same() -> str:
            return self.same(s, self.random.choice(s.vectors), d)

        def filtered() -> str:
            x = self.name()
            test = f"{self.int(s.with_(ints=x), d - 2)} < {self.int(s.with_(ints=x), 0)}"
            return f"filter(fn bool (int {x}) => {test}, {self.vector(s, d - 1)})"

        def counted() -> str:
            return f"iota({self.int(s, d - 1)} & 7)"

        def replicated() -> str:
            return f"replicate({self.int(s, d - 1)} & 7, {self.int(s, d - 1)})"

        def joined() -> str:
            return f"concat({self.vector(s, d - 1)}, {self.vector(s, d - 1)})"

        def half() -> str:
            x, y, z = self.name(), self.name(), self.name()
            chosen = self.random.choice([x, y])
            return (
                f"(let {z} = {self.vector(s, d - 1)} in let {{{x}, {y}}} = "
                f"split(size(0, {z}) / 2, {z}) in {chosen})"
            )

        def flat() -> str:
            x = self.name()
            m = self.matrix(s, d - 1)
            return f"(let {x} = {m} in reshape((size(0, {x}) * size(1, {x})), {x}))"

        def rows() -> str:
            return f"map(total, {self.matrix(s, d - 1)})"

        def sums() -> str:
            x, y = self.name(), self.name()
            operator = f"fn [int] ([int] {x}, [int] {y}) => map(op +, zip({x}, {y}))"
            z = self.name()
            return (
                f"(let {z} = {self.matrix(s, d - 1)} in "
                f"reduce({operator}, replicate(size(1, {z}), 0), {z}))"
            )

        def named() -> str:
            x = self.name()
            return (
                f"(let {x} = {self.vector(s, d - 1)} in {self.vector(s.with_(vectors=x), d - 1)})"
            )

        def extended() -> str:
            return self.extended(s, d)

        return str(
            self.pick(
                same, same, filtered, filtered, counted, replicated, joined, half, flat, rows, sums,
                named, extended, extended, extended, extended,
            )
        )  # fmt: skip

    def extended(self, s: _Scope, d: int) -> str:
        """A vector by one of the extensions."""
        a, x, k, o = self.name(), self.name(), self.name(), self.name()
        array = self.vector(s, d - 1)
        inner = s.with_(vectors=a)
        buckets = f"(1 + ({self.int(s, d - 1)} & 7))"
        key = f"({self.int(s.with_(ints=x), d - 1)}) % {buckets}"
        keys = f"map(fn int (int {x}) => {key}, {a})"

        def reduced() -> str:
            operator = self.random.choice(["op +, 0", "op *, 1", "least, 99", "op ^, 0"])
            return f"bucketReduce({operator}, {buckets}, {keys}, {self.same(inner, a, d - 1)})"

        def rows() -> str:
            plus = "fn [int] ([int] p, [int] q) => map(op +, zip(p, q))"
            made = f"map(fn [int] (int {x}) => [{x}, {x} * 2], {a})"
            found = f"bucketReduce({plus}, [0, 0], {buckets}, {keys}, {made})"
            return f"(let {o} = {found} in reshape((2 * {buckets}), {o}))"

        def collected() -> str:
            values = self.same(inner, a, d - 1)
            chosen = self.random.choice([o, x, f"reduceSegments(op +, 0, {o}, {x})"])
            return f"(let {{{o}, {x}}} = bucketCollect({buckets}, {keys}, {values}) in {chosen})"

        def grouped() -> str:
            test = self.int(s.with_(ints=x), d - 1)
            chosen = self.random.choice(
                [k, o, x, f"reduceSegments(op +, 0, {o}, map(op *(3), {x}))"]
            )
            return f"(let {{{k}, {o}, {x}}} = groupBy(fn int (int {x}) => {test}, {a}) in {chosen})"

        def paired() -> str:
            low = f"map(fn {{int, bool}} (int {x}) => {{{x} % 3, {x} < 2}}, {a})"
            return f"(let {{{k}, {o}}} = unzip(distinct({low})) in {k})"

        def different() -> str:
            return f"distinct({self.same(inner, a, d - 1)})"

        def flat() -> str:
            body = self.random.choice(
                [
                    f"iota({x} & 3)",
                    f"filter(op <({x}), {a})",
                    f"map(op +({x}), iota(abs({x}) % 4))",
                    f"[{x}, {x} + 1]",
                ]
            )
            return f"flatMap(fn [int] (int {x}) => {body}, {a})"

        def scattered() -> str:
            places = f"map(fn int (int {x}) => {x} % size({o}), {a})"
            target = self.vector(inner, d - 1)
            return (
                f"(let {o} = concat([1], {target}) in let {k} = {self.same(inner, a, d - 1)} in "
                f"let {x} = {places} in scatter(copy({o}), {x}, {k}))"
            )

        made = self.pick(
            reduced, reduced, rows, collected, grouped, paired, different, flat, scattered
        )
        return f"(let {a} = {array} in {made})"

    def matrix(self, s: _Scope, d: int) -> str:
        if d <= 0:
            return self.random.choice(s.matrices)

        def rows() -> str:
            x = self.name()
            inner = s.with_(vectors=x)
            body = self.same(inner, x, d - 1)
            return f"map(fn [int] ([int] {x}) => {body}, {self.matrix(s, d - 1)})"

        def transposed() -> str:
            x, y = self.name(), self.name()
            inner = s.with_(ints=x).with_(ints=y)
            return (
                f"transpose(map(fn [int] (int {x}) => map(fn int (int {y}) => "
                f"{self.int(inner, d - 1)}, iota(1 + ({self.int(s, d - 1)} & 3))), "
                f"iota(1 + ({self.int(s, d - 1)} & 3))))"
            )

        def replicated() -> str:
            return f"replicate(1 + ({self.int(s, d - 1)} & 1), {self.vector(s, d - 1)})"

        def outer() -> str:
            x, y = self.name(), self.name()
            inner = s.with_(ints=x).with_(ints=y)
            return (
                f"map(fn [int] (int {x}) => map(fn int (int {y}) => {self.int(inner, d - 1)}, "
                f"{self.random.choice(s.vectors)}), iota(1 + ({self.int(s, d - 1)} & 3)))"
            )

        def scanned() -> str:
            x, y, z = self.name(), self.name(), self.name()
            operator = f"fn [int] ([int] {x}, [int] {y}) => map(op +, zip({x}, {y}))"
            return (
                f"(let {z} = {self.matrix(s, d - 1)} in "
                f"scan({operator}, replicate(size(1, {z}), 0), {z}))"
            )

        return str(self.pick(rows, rows, transposed, replicated, outer, scanned))

    def real(self, s: _Scope, d: int) -> str:
        x = self.name()
        body = self.random.choice(
            [f"{x} + 1.0", f"{x} * 2.0", f"if {x} < 1.0 then -{x} else {x}", f"abs({x})"]
        )
        v = f"map(fn real (real {x}) => {body}, {self.random.choice(s.reals)})"
        kept = f"filter(op <(0.5), {v})"
        return f"reduce(op +, 0.0, {self.random.choice([v, kept])})"


def program(random: Random, expressions: int = 3, depth: int = 3) -> str:
    """The text of a program."""
    maker = _Maker(random)
    parts: list[tuple[str, str]] = []
    for _ in range(expressions):
        kind = random.choice(["int", "vector", "vector", "matrix", "real"])
        t = {"int": "int", "vector": "[int]", "matrix": "[[int]]", "real": "real"}[kind]
        parts.append((t, getattr(maker, kind)(_Scope(), random.randint(1, depth))))
    lets = "".join([f"  let p{k} = {text} in\n" for k, (_, text) in enumerate(parts)])
    types = ", ".join([t for t, _ in parts])
    results = ", ".join([f"p{k}" for k in range(len(parts))])
    return f"{HEAD}fun {{{types}}} main({PARAMETERS}) =\n{lets}  {{{results}}}\n"


def arguments(random: Random, large: int = 0) -> tuple[Any, ...]:
    """Arguments for `main`; vectors of `large` elements where it is not 0."""

    def vector() -> Any:
        size = large or random.choice([0, 1, 2, 3, 5, 9])
        return np.array([random.randint(-20, 20) for _ in range(size)], np.int64)

    rows, columns = random.choice([0, 1, 2, 3, 4]), random.choice([0, 1, 2, 3])
    matrix = np.array([random.randint(-9, 9) for _ in range(rows * columns)], np.int64).reshape(
        rows, columns
    )
    special = [np.inf, -np.inf, np.nan] if random.random() < 0.2 else []
    reals = [*[float(random.randint(-9, 9)) for _ in range(random.choice([0, 1, 4, 40]))], *special]
    return (random.randint(-5, 9), vector(), vector(), matrix, np.array(reals, np.float64))
