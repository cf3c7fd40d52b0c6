"""Random programs of L0 that do not fail, over arrays whose shapes are known by name: maps in maps,
scans by rows, buckets by tuples, filters that feed scatters, conditionals over records, gathers.

    program(choices)      the text of a program: `main` gives what several expressions give, which
                          share variables
    arguments(choices)    values for its parameters, as text

A shape is a tuple of sizes, `n`, `m` or `k`; arrays whose size is found out by a run have the one
size `?`. What has one shape can be zipped, so nearly all programs run to their end. Reals are
multiples of 1/4, and no product of reals is made, so that sums do not depend on their order.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Final

from tests.choices import Choices

Shape = tuple[str, ...]
SIZES: Final = ("n", "m", "k")
OPEN: Final[Shape] = ("?",)

HEAD = """\
record spot {int at, real by, bool on}
fun int most(int x, int y) = if x < y then y else x
fun real least(real x, real y) = if x < y then x else y
fun {int, int} late({int, int} x, {int, int} y) =
  let {{a, i}, {b, j}} = {x, y} in if a < b then y else x
fun {int, bool} fresh({int, bool} x, {int, bool} y) =
  let {{a, p}, {b, q}} = {x, y} in {if q then b else a + b, p || q}
"""

PARAMETERS: Final = (
    ("n", "int", ()), ("m", "int", ()), ("k", "int", ()), ("s", "int", ()), ("z", "real", ()),
    ("a", "int", ("n",)), ("b", "int", ("m",)), ("f", "real", ("n",)), ("u", "int", ("n", "m")),
    ("v", "int", ("m", "k")), ("w", "real", ("n", "m")), ("t", "int", ("n", "m", "k")),
)  # fmt: skip


def text_of(kind: str, shape: Shape) -> str:
    """The type of arrays of a kind."""
    return "[" * len(shape) + kind + "]" * len(shape)


class Nests:
    """Makes expressions of a kind (`int`, `real`, `bool`) and a shape; `depth` is how deeply they
    may be nested."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.names = 0
        self.scope: list[tuple[str, str, Shape]] = list(PARAMETERS)

    def name(self) -> str:
        self.names += 1
        return f"x{self.names}"

    def under(self, names: list[tuple[str, str, Shape]], make: Callable[[], str]) -> str:
        """What is made in the scope of further variables."""
        before = len(self.scope)
        self.scope.extend(names)
        try:
            return make()
        finally:
            del self.scope[before:]

    def pick(self, *forms: Callable[[], str]) -> str:
        return self.choices.pick(forms)()

    def size(self) -> str:
        return self.choices.pick(SIZES)

    def kind(self) -> str:
        return self.choices.pick(("int", "int", "real"))

    def leaf(self, kind: str, shape: Shape) -> str:
        found = [x for x, other, at in self.scope if (other, at) == (kind, shape)]
        if found and self.choices.integer(0, 5):
            return self.choices.pick(found[-6:])
        if shape == OPEN:
            return f"replicate({self.choices.integer(0, 3)}, {self.leaf(kind, ())})"
        if shape:
            if kind == "int" and len(shape) == 1 and self.choices.boolean():
                return f"iota({shape[0]})"
            return f"replicate({shape[0]}, {self.leaf(kind, shape[1:])})"
        number = self.choices.integer(0, 4)
        return {"int": str(number), "real": f"{number}.25", "bool": str(number > 2)}[kind]

    def make(self, kind: str, shape: Shape, depth: int) -> str:
        """An expression, in parentheses where it needs them."""
        if depth <= 0:
            return self.leaf(kind, shape)
        depth -= 1
        if not shape:
            return self.scalar(kind, depth)
        if shape == OPEN:
            return self.open(kind, depth)
        general = (self.let, self.chosen, self.pair, self.carried)
        forms = [
            self.mapped, self.mapped, self.mapped, self.mapped, self.by_index, self.gathered,
            self.stencil, self.scanned, self.part, self.scattered, self.replaced, self.rows_by_key,
            self.written, *general,
        ]  # fmt: skip
        if len(shape) > 1:
            forms += [self.turned, self.turned, self.rows_scanned, self.taken]
        else:
            forms += [
                self.by_key,
                self.by_key,
                self.segments,
                self.of_records,
                self.flat,
                self.filtered_in,
                self.row_folds,
                self.row_folds,
            ]
        return self.choices.pick(forms)(kind, shape, depth)

    # Scalars.

    def scalar(self, kind: str, depth: int) -> str:
        if kind == "bool":
            return self.pick(
                lambda: f"({self.make('int', (), depth)} < {self.make('int', (), depth)})",
                lambda: f"({self.make('real', (), depth)} <= {self.make('real', (), depth)})",
                lambda: f"({self.make('int', (), depth)} % 2 = {self.choices.integer(0, 1)})",
                lambda: f"(not {self.make('bool', (), depth)})",
                lambda: f"({self.make('bool', (), depth)} && {self.make('bool', (), depth)})",
                lambda: f"({self.make('bool', (), depth)} || {self.make('bool', (), depth)})",
            )
        general = (
            lambda: self.let(kind, (), depth),
            lambda: self.chosen(kind, (), depth),
            lambda: self.element(kind, depth),
            lambda: self.folded(kind, depth),
            lambda: self.carried(kind, (), depth),
            lambda: self.pair(kind, (), depth),
        )
        if kind == "real":
            sign = self.choices.pick("+-")
            return self.pick(
                lambda: f"({self.make('real', (), depth)} {sign} {self.make('real', (), depth)})",
                lambda: f"toReal({self.make('int', (), depth)} % 9)",
                lambda: f"least({self.make('real', (), depth)}, {self.make('real', (), depth)})",
                *general,
            )
        sign = self.choices.pick("+-*&^+-")
        return self.pick(
            lambda: f"({self.make('int', (), depth)} {sign} {self.make('int', (), depth)})",
            lambda: f"({self.make('int', (), depth)} % {self.choices.pick((3, 7, 5))})",
            lambda: f"trunc({self.make('real', (), depth)})",
            lambda: f"most({self.make('int', (), depth)}, {self.make('int', (), depth)})",
            lambda: f"size({self.make(self.kind(), OPEN, depth)})",
            *general,
        )

    def element(self, kind: str, depth: int) -> str:
        """An element, of a matrix perhaps."""
        shape = self.choices.pick((("n",), ("m",), OPEN, ("n", "m"), ("k", "n")))
        a = self.name()
        array, index = self.make(kind, shape, depth), self.make("int", (), depth - 1)
        sizes = [f"size({d}, {a})" for d in range(len(shape))]
        some = " || ".join([f"{size} = 0" for size in sizes])
        places = [index, self.leaf("int", ())]
        at = ", ".join([f"({i}) % {s}" for i, s in zip(places, sizes, strict=False)])
        if self.choices.integer(0, 4) == 0 and len(shape) == 1:
            at = f"{sizes[0]} - 1"
        return f"(let {a} = {array} in if {some} then {self.leaf(kind, ())} else {a}[{at}])"

    def folded(self, kind: str, depth: int) -> str:
        """A reduction, of several arrays perhaps."""
        shape = self.choices.pick((("n",), ("m",), ("k",), OPEN))
        array = self.make(kind, shape, depth)
        if kind == "real":
            return f"reduce({self.choices.pick(('op +, 0.0', 'least, 99.0'))}, {array})"
        a, x, y = self.name(), self.name(), self.name()
        last = f"reduce(late, {{-99, 0}}, zip({a}, iota(size({a}))))"
        tested = f"map(fn {{int, bool}} (int {x}) => {{{x}, {x} % 3 = 1}}, {a})"
        ahead = f"reduce(fresh, {{0, False}}, {tested})"
        test = self.under([(x, "int", ())], lambda: self.make("bool", (), depth - 1))
        step = f"fn int (int {y}, int {x}) => {y} + (if {test} then {x} else 1)"
        return self.choices.pick(
            (
                f"reduce(op +, 0, {array})",
                f"reduce(most, -9, {array})",
                f"(let {a} = {array} in let {{{x}, {y}}} = {last} in {x} + {y})",
                f"(let {a} = {array} in let {{{x}, {y}}} = {ahead} in {x})",
                f"redomap(op +, {step}, 0, {array})",
            )
        )

    # What there is for all shapes.

    def let(self, kind: str, shape: Shape, depth: int) -> str:
        x, other, at = self.name(), self.kind(), self.any_shape()
        value = self.make(other, at, depth)
        body = self.under([(x, other, at)], lambda: self.make(kind, shape, depth))
        return f"(let {x} = {value} in {body})"

    def any_shape(self) -> Shape:
        rank = self.choices.pick((0, 1, 1, 1, 2, 2, 3))
        if rank == 1 and not self.choices.integer(0, 3):
            return OPEN
        return tuple([self.size() for _ in range(rank)])

    def chosen(self, kind: str, shape: Shape, depth: int) -> str:
        test = self.make("bool", (), depth - 1)
        return (
            f"(if {test} then {self.make(kind, shape, depth)} else {self.make(kind, shape, depth)})"
        )

    def pair(self, kind: str, shape: Shape, depth: int) -> str:
        """Parts of a conditional over a tuple of arrays."""
        x, y, other, at = self.name(), self.name(), self.kind(), self.any_shape()
        tuples = [
            f"{{{self.make(kind, shape, depth)}, {self.make(other, at, depth - 1)}}}"
            for _ in range(2)
        ]
        test = self.make("bool", (), depth - 1)
        names = [(x, kind, shape), (y, other, at)]
        body = self.under(names, lambda: self.make(kind, shape, depth))
        return f"(let {{{x}, {y}}} = if {test} then {tuples[0]} else {tuples[1]} in {body})"

    def carried(self, kind: str, shape: Shape, depth: int) -> str:
        """A sequential loop that carries this and a number."""
        x, c, i = self.name(), self.name(), self.name()
        start = self.make(kind, shape, depth)
        names: list[tuple[str, str, Shape]] = [(x, kind, shape), (c, "int", ()), (i, "int", ())]
        value = self.under(names, lambda: self.make(kind, shape, depth))
        number = self.under(names, lambda: self.make("int", (), depth - 1))
        bound = self.choices.pick(("2", "3", "s % 4", "n"))
        return (
            f"(let {{{x}, {c}}} = loop ({{{x}, {c}}} = {{{start}, 1}}) = for {i} < {bound} do "
            f"{{{value}, ({number}) % 99}} in {{{x}, {c}}} in {x})"
        )

    # Arrays of a shape.

    def mapped(self, kind: str, shape: Shape, depth: int) -> str:
        """A map over arrays of its outer size."""
        count = self.choices.pick((1, 1, 2, 2, 3))
        parameters, arrays, names = [], [], []
        for _ in range(count):
            other = self.kind()
            inner = self.choices.pick(((), (), shape[1:], shape[1:], (self.size(),)))
            x = self.name()
            parameters.append(f"{text_of(other, inner)} {x}")
            arrays.append(self.make(other, (shape[0], *inner), depth))
            names.append((x, other, inner))
        if self.choices.integer(0, 2) == 0:
            i = self.name()
            parameters.append(f"int {i}")
            arrays.append(f"iota({shape[0]})")
            names.append((i, "int", ()))
        body = self.under(names, lambda: self.make(kind, shape[1:], depth))
        source = arrays[0] if len(arrays) == 1 else f"zip({', '.join(arrays)})"
        return f"map(fn {text_of(kind, shape[1:])} ({', '.join(parameters)}) => {body}, {source})"

    def by_index(self, kind: str, shape: Shape, depth: int) -> str:
        i = self.name()
        body = self.under([(i, "int", ())], lambda: self.make(kind, shape[1:], depth))
        return f"map(fn {text_of(kind, shape[1:])} (int {i}) => {body}, iota({shape[0]}))"

    def gathered(self, kind: str, shape: Shape, depth: int) -> str:
        """Rows of another array, in an order that is a formula or is read."""
        a, i, size = self.name(), self.name(), self.size()
        source = self.make(kind, (size, *shape[1:]), depth)
        computed = self.under([(i, "int", ())], lambda: self.make("int", (), depth - 1))
        place = self.choices.pick((f"{size} - 1 - {i}", f"{i} + 1", f"2 * {i}", i, computed))
        row = text_of(kind, shape[1:])
        other = self.make(kind, shape, depth - 1)
        return (
            f"(let {a} = {source} in if {size} = 0 then {other} else "
            f"map(fn {row} (int {i}) => {a}[({place}) % {size}], iota({shape[0]})))"
        )

    def stencil(self, kind: str, shape: Shape, depth: int) -> str:
        """Elements with their neighbours, those at the ends as they are."""
        if len(shape) == 2:
            return self.flat_stencil(kind, shape, depth)
        if len(shape) != 1:
            return self.mapped(kind, shape, depth)
        a, i = self.name(), self.name()
        source, size = self.make(kind, shape, depth), shape[0]
        test = self.choices.pick(
            (f"0 < {i} && {i} < {size} - 1", f"not ({i} < 1 || {size} - 2 < {i})")
        )
        sum_ = self.choices.pick((f"{a}[{i} - 1] + {a}[{i} + 1]", f"{a}[{i} - 1] - {a}[{i}]"))
        return (
            f"(let {a} = {source} in map(fn {kind} (int {i}) => if {test} then {sum_} "
            f"else {a}[{i}], iota({size})))"
        )

    def flat_stencil(self, kind: str, shape: Shape, depth: int) -> str:
        a, i, j = self.name(), self.name(), self.name()
        source, (h, w) = self.make(kind, shape, depth), shape
        around = self.choices.pick(
            (
                f"{a}[{i} - 1, {j}] + {a}[{i}, {j} + 1]",
                f"{a}[{i} + 1, {j}] - {a}[{i}, {j} - 1]",
                f"{a}[{i} - 1, {j} - 1] + {a}[{i} + 1, {j} + 1]",
            )
        )
        inside = f"0 < {i} && {i} < {h} - 1 && 0 < {j} && {j} < {w} - 1"
        other = self.choices.pick(
            (
                f"if {inside} then {around} else {a}[{i}, {j}]",
                f"{a}[({i} + {h} - 1) % {h}, {j}] + {a}[{i}, ({j} + 1) % {w}]",
            )
        )
        return (
            f"(let {a} = {source} in map(fn [{kind}] (int {i}) => "
            f"map(fn {kind} (int {j}) => {other}, iota({w})), iota({h})))"
        )

    def scanned(self, kind: str, shape: Shape, depth: int) -> str:
        """A scan of scalars, or of rows by elements."""
        if len(shape) > 2:
            return self.by_index(kind, shape, depth)
        array, x, y = self.make(kind, shape, depth), self.name(), self.name()
        operator, neutral = self.operator(kind)
        if len(shape) == 2:
            row = text_of(kind, shape[1:])
            return (
                f"scan(fn {row} ({row} {x}, {row} {y}) => map({operator}, zip({x}, {y})), "
                f"replicate({shape[1]}, {neutral}), {array})"
            )
        if kind == "int" and self.choices.integer(0, 2) == 0:
            start = "{-99, 0}"
            pairs = f"zip({array}, iota({shape[0]}))"
            scan = f"scan(late, {start}, {pairs})"
            return f"map(fn int (int {x}, int {y}) => {x} - {y}, {scan})"
        return f"scan({operator}, {neutral}, {array})"

    def operator(self, kind: str) -> tuple[str, str]:
        """An operator and its neutral value."""
        if kind == "real":
            return self.choices.pick((("op +", "0.0"), ("least", "99.0")))
        return self.choices.pick((("op +", "0"), ("most", "-99"), ("op *", "1"), ("op ^", "0")))

    def part(self, kind: str, shape: Shape, depth: int) -> str:
        """A part of two arrays, one after the other."""
        x, y, size = self.name(), self.name(), self.size()
        one = self.make(kind, shape, depth)
        other = self.make(kind, (size, *shape[1:]), depth - 1)
        if self.choices.boolean():
            return f"(let {{{x}, {y}}} = split({shape[0]}, concat({one}, {other})) in {x})"
        return f"(let {{{x}, {y}}} = split({size}, concat({other}, {one})) in {y})"

    def scattered(self, kind: str, shape: Shape, depth: int) -> str:
        """Rows scattered; the indices are of what passed a filter, perhaps."""
        size, i, v = self.size(), self.name(), self.name()
        base = self.make(kind, shape, depth)
        if len(shape) > 1:
            indices = self.make("int", (size,), depth - 1)
            values = self.make(kind, (size, *shape[1:]), depth - 1)
            pairs = ""
            given = f"map(fn int (int {i}) => {i} % {shape[0]}, {indices}), {values}"
        else:
            source = self.make("int", self.choices.pick(((size,), OPEN)), depth)
            test = self.under([(i, "int", ())], lambda: self.make("bool", (), depth - 1))
            value = self.under([(i, "int", ())], lambda: self.make(kind, (), depth - 1))
            a, b = self.name(), self.name()
            kept = f"filter(fn bool (int {i}) => {test}, {source})"
            made = f"map(fn {{int, {kind}}} (int {i}) => {{{i} % {shape[0]}, {value}}}, {kept})"
            pairs = f"let {{{a}, {b}}} = unzip({made}) in "
            given = f"{a}, {b}"
        return (
            f"(let {v} = {base} in if {shape[0]} = 0 then {v} else "
            f"{pairs}scatter(copy({v}), {given}))"
        )

    def replaced(self, kind: str, shape: Shape, depth: int) -> str:
        """An array with another row, or element."""
        a, base = self.name(), self.make(kind, shape, depth)
        value = self.under([(a, kind, shape)], lambda: self.make(kind, shape[1:], depth - 1))
        index = self.make("int", (), depth - 1)
        rest = self.under([(a, kind, shape)], lambda: self.make(kind, shape, depth - 1))
        return (
            f"(let {a} = copy({base}) in let {a} = if {shape[0]} = 0 then {a} else "
            f"(let {a}[({index}) % {shape[0]}] = {value} in {a}) in {rest})"
        )

    def written(self, kind: str, shape: Shape, depth: int) -> str:
        """Each row written by a loop, which may look at rows that it has written."""
        a, i = self.name(), self.name()
        base = self.make(kind, shape, depth)
        names: list[tuple[str, str, Shape]] = [(i, "int", ()), (a, kind, shape)]
        value = self.under(names, lambda: self.make(kind, shape[1:], depth - 1))
        if len(shape) == 1 and self.choices.boolean():
            value = f"{a}[if {i} = 0 then 0 else {i} - 1] + {value}"
        write = f"let {a}[{i}] = {value} in {a}"
        if self.choices.boolean():
            test = self.under(names, lambda: self.make("bool", (), depth - 1))
            write = f"if {test} then ({write}) else {a}"
        return f"(loop ({a} = copy({base})) = for {i} < {shape[0]} do {write} in {a})"

    def rows_by_key(self, kind: str, shape: Shape, depth: int) -> str:
        """Rows added up by key."""
        if len(shape) != 2:
            return self.by_index(kind, shape, depth)
        size, i, x, y = self.size(), self.name(), self.name(), self.name()
        operator, neutral = self.operator(kind)
        keys = self.make("int", (size,), depth - 1)
        rows = self.make(kind, (size, shape[1]), depth)
        row, other = text_of(kind, shape[1:]), self.make(kind, shape, depth - 1)
        return (
            f"(if {shape[0]} = 0 then {other} else bucketReduce(fn {row} ({row} {x}, {row} {y}) => "
            f"map({operator}, zip({x}, {y})), replicate({shape[1]}, {neutral}), {shape[0]}, "
            f"map(fn int (int {i}) => {i} % {shape[0]}, {keys}), {rows}))"
        )

    # Arrays of arrays.

    def turned(self, kind: str, shape: Shape, depth: int) -> str:
        order = self.choices.pick(list(permutations(range(len(shape))))[1:])
        source = [""] * len(shape)
        for to, of in enumerate(order):
            source[of] = shape[to]
        made = self.make(kind, tuple(source), depth)
        if len(shape) == 2:
            return f"transpose({made})"
        return f"rearrange(({', '.join(map(str, order))}), {made})"

    def rows_scanned(self, kind: str, shape: Shape, depth: int) -> str:
        """Scans of rows, or of columns."""
        if len(shape) != 2:
            return self.turned(kind, shape, depth)
        x, (operator, neutral) = self.name(), self.operator(kind)
        by_rows = f"map(fn [{kind}] ([{kind}] {x}) => scan({operator}, {neutral}, {x}), "
        if self.choices.boolean():
            return f"{by_rows}{self.make(kind, shape, depth)})"
        return f"transpose({by_rows}{self.make(kind, shape[::-1], depth)}))"

    def taken(self, kind: str, shape: Shape, depth: int) -> str:
        """A row of something larger."""
        if len(shape) > 2:
            return self.mapped(kind, shape, depth)
        a, size = self.name(), self.size()
        source, other = self.make(kind, (size, *shape), depth), self.make(kind, shape, depth - 1)
        index = self.make("int", (), depth - 1)
        return f"(let {a} = {source} in if {size} = 0 then {other} else {a}[({index}) % {size}])"

    # Vectors.

    def row_folds(self, kind: str, shape: Shape, depth: int) -> str:
        """What rows come to, or columns; both perhaps."""
        x, size, (operator, neutral) = self.name(), self.size(), self.operator(kind)
        fold = f"map(fn {kind} ([{kind}] {x}) => reduce({operator}, {neutral}, {x}), "
        if self.choices.integer(0, 2):
            array = self.make(kind, (shape[0], size), depth)
            return f"{fold}{array})"
        return f"{fold}transpose({self.make(kind, (size, shape[0]), depth)}))"

    def by_key(self, kind: str, shape: Shape, depth: int) -> str:
        """Sums by key, or by a tuple of keys, of which each has its place."""
        x, size = self.name(), shape[0]
        source = self.make("int", self.choices.pick(((self.size(),), OPEN)), depth)
        names: list[tuple[str, str, Shape]] = [(x, "int", ())]
        key = self.under(names, lambda: self.make("int", (), depth - 1))
        value = self.under(names, lambda: self.make(kind, (), depth - 1))
        operator, neutral = self.operator(kind)
        a = self.name()
        keys = f"map(fn int (int {x}) => ({key}) % {size}, {a})"
        values = f"map(fn {kind} (int {x}) => {value}, {a})"
        other = self.make(kind, shape, depth - 1)
        if self.choices.boolean():
            made = f"bucketReduce({operator}, {neutral}, {size}, {keys}, {values})"
            return f"(let {a} = {source} in if {size} = 0 then {other} else {made})"
        second = self.under(names, lambda: self.make("bool", (), depth - 1))
        return self.by_tuple(kind, size, (a, x, source, key, second, value, other))

    def by_tuple(self, kind: str, size: str, made: tuple[str, ...]) -> str:
        """Groups by a tuple, reduced, put where their first key says."""
        a, x, source, key, second, value, other = made
        g, o, b, p, q, y = [self.name() for _ in range(6)]
        operator, neutral = self.operator(kind)
        each = f"map(fn {kind} (int {x}) => {value}, {b})"
        sums = f"reduceSegments({operator}, {neutral}, {o}, {each})"
        places = f"map(fn int (int {y}) => {y} % {size}, {p})"
        put = self.choices.pick((
            f"scatter(copy({other}), {places}, {sums})",
            f"bucketReduce({operator}, {neutral}, {size}, {places}, {sums})",
        ))  # fmt: skip
        return (
            f"(let {a} = {source} in if {size} = 0 then {other} else let {{{g}, {o}, {b}}} = "
            f"groupBy(fn {{int, bool}} (int {x}) => {{({key}) % 5, {second}}}, {a}) in "
            f"let {{{p}, {q}}} = unzip({g}) in {put})"
        )

    def segments(self, kind: str, shape: Shape, depth: int) -> str:
        """Reductions of what has one key."""
        x, a, o, b, size = self.name(), self.name(), self.name(), self.name(), shape[0]
        source = self.make(kind, self.choices.pick(((self.size(),), OPEN)), depth)
        operator, neutral = self.operator(kind)
        key = self.under([(x, kind, ())], lambda: self.make("int", (), depth - 1))
        other = self.make(kind, shape, depth - 1)
        y = self.name()
        body = self.under([(y, kind, ())], lambda: self.make(kind, (), depth - 1))
        values = self.choices.pick((b, f"map(fn {kind} ({kind} {y}) => {body}, {b})"))
        return (
            f"(let {a} = {source} in if {size} = 0 then {other} else let {{{o}, {b}}} = "
            f"bucketCollect({size}, map(fn int ({kind} {x}) => ({key}) % {size}, {a}), {a}) in "
            f"reduceSegments({operator}, {neutral}, {o}, {values}))"
        )

    def of_records(self, kind: str, shape: Shape, depth: int) -> str:
        """A field of records that conditionals made, or changed."""
        x, p = self.name(), self.name()
        source = self.make("int", shape, depth)
        names: list[tuple[str, str, Shape]] = [(x, "int", ())]

        def record() -> str:
            parts = [self.make(one, (), depth - 1) for one in ("int", "real", "bool")]
            return f"spot({', '.join(parts)})"

        test = self.under(names, lambda: self.make("bool", (), depth - 1))
        one, two = self.under(names, record), self.under(names, record)
        made = f"map(fn spot (int {x}) => if {test} then {one} else {two}, {source})"
        names = [(f"{p}.at", "int", ()), (f"{p}.by", "real", ()), (f"{p}.on", "bool", ())]
        changed = self.under(names, lambda: self.make("int", (), depth - 1))
        new = f"if {p}.on then {{{p} with at = {changed}}} else {p}"
        again = f"map(fn spot (spot {p}) => {new}, {made})"
        field = self.under(names, lambda: self.make(kind, (), depth - 1))
        made = self.choices.pick((made, again))
        simple = f"({made}).{'at' if kind == 'int' else 'by'}"
        return self.choices.pick((simple, f"map(fn {kind} (spot {p}) => {field}, {made})"))

    def filtered_in(self, kind: str, shape: Shape, depth: int) -> str:
        """What each row comes to of what passes a filter of its elements."""
        row, x, size = self.name(), self.name(), self.size()
        rows = self.make(kind, (shape[0], size), depth)
        names: list[tuple[str, str, Shape]] = [(row, kind, (size,)), (x, kind, ())]
        test = self.under(names, lambda: self.make("bool", (), depth - 1))
        operator, neutral = self.operator(kind)
        kept = f"filter(fn bool ({kind} {x}) => {test}, {row})"
        body = self.choices.pick(
            (
                f"reduce({operator}, {neutral}, {kept})",
                f"reduce({operator}, {neutral}, scan({operator}, {neutral}, {kept}))",
            )
        )
        return f"map(fn {kind} ([{kind}] {row}) => {body}, {rows})"

    def flat(self, kind: str, shape: Shape, depth: int) -> str:
        """As many elements as asked for of what has any number of them."""
        x, y, a = self.name(), self.name(), self.name()
        source, other = self.make(kind, OPEN, depth), self.make(kind, shape, depth - 1)
        parts = f"split({shape[0]}, concat({a}, {other}))"
        return f"(let {a} = {source} in let {{{x}, {y}}} = {parts} in {x})"

    # Vectors of any size.

    def open(self, kind: str, depth: int) -> str:
        x, at = self.name(), self.choices.pick((OPEN, (self.size(),)))
        other = self.kind()
        source, same = self.make(other, at, depth), self.make(kind, at, depth)
        operator, neutral = self.operator(kind)

        def body(wanted: str, of: str) -> str:
            return self.under([(x, of, ())], lambda: self.make(wanted, (), depth - 1))

        def several() -> str:
            inner = self.under(
                [(x, other, ())],
                lambda: self.make(kind, self.choices.pick((OPEN, ("k",))), depth - 1),
            )
            few = f"[{body(kind, other)}, {body(kind, other)}]"
            maybe = f"if {body('bool', other)} then [{body(kind, other)}] else empty({kind})"
            return self.choices.pick((inner, few, maybe))

        return self.pick(
            lambda: f"filter(fn bool ({kind} {x}) => {body('bool', kind)}, {same})",
            lambda: f"filter(fn bool ({kind} {x}) => {body('bool', kind)}, {same})",
            lambda: f"map(fn {kind} ({other} {x}) => {body(kind, other)}, {source})",
            lambda: f"flatMap(fn [{kind}] ({other} {x}) => {several()}, {source})",
            lambda: f"concat({same}, {self.make(kind, OPEN, depth - 1)})",
            lambda: f"scan({operator}, {neutral}, {same})",
            lambda: f"distinct({same})",
            lambda: self.chosen(kind, OPEN, depth),
            lambda: self.let(kind, OPEN, depth),
        )


def program(choices: Choices) -> str:
    """The text of a program; `main` gives three values."""
    maker = Nests(choices)
    lets = ""
    for _ in range(choices.integer(0, 3)):
        x, kind, shape = maker.name(), maker.kind(), maker.any_shape()
        lets += f"  let {x} = {maker.make(kind, shape, choices.integer(1, 3))} in\n"
        maker.scope.append((x, kind, shape))
    types, values = [], []
    for _ in range(choices.integer(1, 3)):
        kind, shape = maker.kind(), maker.any_shape()
        types.append("[" + kind + "]" if shape == OPEN else text_of(kind, shape))
        values.append(maker.make(kind, shape, choices.integer(1, 4)))
    parameters = ", ".join([f"{text_of(kind, shape)} {x}" for x, kind, shape in PARAMETERS])
    return (
        f"{HEAD}fun {{{', '.join(types)}}} main({parameters}) =\n{lets}  {{{', '.join(values)}}}\n"
    )


def arguments(choices: Choices) -> str:
    """Values for the parameters; sizes are 0 now and then."""
    sizes = {name: choices.pick((0, 1, 2, 3, 3, 4, 5, 7)) for name in SIZES}

    def value(kind: str, shape: Shape) -> str:
        if shape:
            return f"[{', '.join([value(kind, shape[1:]) for _ in range(sizes[shape[0]])])}]"
        number = choices.integer(-3, 6)
        return str(number) if kind == "int" else f"{number}.25"

    given = [str(sizes[x]) if x in sizes else value(kind, shape) for x, kind, shape in PARAMETERS]
    return " ".join(given)
