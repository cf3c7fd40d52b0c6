"""Random array programs as statements: arrays that loops update in place, tuples of arrays, filters
in branches, arrays without elements, one after the other; a few of the variables are the result.
"""

from __future__ import annotations

from tests.choices import Choices
from tests.cogen.array.randomprograms import (
    BOOL,
    CUBES,
    INT,
    INTS,
    PAIRS,
    PARAMETERS,
    REAL,
    REALS,
    ROWS,
    Maker,
)

RESULTS = (INT, REAL, INTS, INTS, REALS, ROWS, ROWS, PAIRS, CUBES)


class Statements(Maker):
    """Writes statements; each is the text of some lets, and adds variables to the scope."""

    def __init__(self, choices: Choices) -> None:
        super().__init__(choices)
        self.scope = list(PARAMETERS)

    def lets(self) -> str:
        """One statement."""
        forms = (
            self.plain, self.plain, self.updated, self.filled, self.carried, self.both,
            self.chosen, self.empty, self.exchanged, self.histogram, self.nested,
        )  # fmt: skip
        return self.choices.pick(forms)()

    def bind(self, t: str, text: str) -> str:
        name = self.name()
        self.scope.append((name, t))
        return f"let {name} = {text} in\n  "

    def plain(self) -> str:
        t = self.choices.pick(RESULTS)
        return self.bind(t, self.make(t, self.choices.integer(1, 3)))

    def updated(self) -> str:
        """A copy with an element changed; the index is often within bounds."""
        a, i = self.name(), self.index("size(0, {0})")
        source, value = self.variable(INTS), self.make(INT, 1)
        self.scope.append((a, INTS))
        return f"let {a} = copy({source}) in\n  let {a}[{i.format(a)}] = {value} in\n  "

    def index(self, size: str) -> str:
        if self.choices.integer(0, 5) == 0:
            return self.leaf(INT)
        return f"(({self.leaf(INT)}) % (if {size} = 0 then 1 else {size}))"

    def filled(self) -> str:
        """A loop that updates an array in place."""
        a, i = self.name(), self.name()
        of = self.variable(INTS)
        source, size = self.choices.pick(
            [(f"copy({of})", f"size(0, {of})"), ("replicate(4, 0)", "4"), ("iota(5)", "5")]
        )
        value = self.under([(i, INT)], lambda: self.make(INT, 2))
        before = f"{a}[{i}] + " if self.choices.boolean() else ""
        step = f"let {a}[{i}] = {before}{value} in {a}"
        return self.bind(INTS, f"(loop ({a} = {source}) = for {i} < {size} do {step} in {a})")

    def variable(self, t: str) -> str:
        """A variable of the type; there is one."""
        return self.choices.pick(self.variables(t))

    def carried(self) -> str:
        """A loop that carries an array that it updates, another array and a number."""
        a, b, s, i = self.name(), self.name(), self.name(), self.name()
        inner = [(b, INTS), (s, INT), (i, INT)]
        value = self.under(inner, lambda: self.make(INT, 1))
        other = self.under(inner, lambda: self.make(INTS, 1))
        count = self.choices.pick(["3", f"size(0, {self.variable(INTS)})", "0"])
        at = f"({i} % 4)" if self.choices.boolean() else f"(3 - {i})"
        start = f"replicate(4, {self.leaf(INT)}), {self.leaf(INTS)}, {self.leaf(INT)}"
        first, second, third = self.name(), self.name(), self.name()
        self.scope += [(first, INTS), (second, INTS), (third, INT)]
        return (
            f"let {{{first}, {second}, {third}}} = loop ({{{a}, {b}, {s}}} = {{{start}}}) = "
            f"for {i} < {count} do let {a}[{at}] = {value} in {{{a}, {other}, {s} + {i}}} in "
            f"{{{a}, {b}, {s}}} in\n  "
        )

    def both(self) -> str:
        """Two arrays of one condition, filters among them."""
        p, q, x = self.name(), self.name(), self.name()
        test = self.under([(x, INT)], lambda: self.make(BOOL, 1))
        kept = f"filter(fn bool (int {x}) => {test}, {self.leaf(INTS)})"
        t = self.choices.pick([INTS, ROWS])
        condition, other = self.make(BOOL, 1), self.make(INTS, 1)
        first, second = self.make(t, 1), self.make(t, 1)
        self.scope += [(p, INTS), (q, t)]
        return (
            f"let {{{p}, {q}}} = if {condition} then {{{kept}, {first}}} else "
            f"{{{other}, {second}}} in\n  "
        )

    def chosen(self) -> str:
        t = self.choices.pick(RESULTS)
        condition = self.make(BOOL, 1)
        return self.bind(t, f"if {condition} then {self.make(t, 2)} else {self.make(t, 1)}")

    def empty(self) -> str:
        """An array without elements, and what is made of it."""
        t = self.choices.pick([INTS, ROWS, CUBES])
        if t == INTS:
            return self.bind(t, self.choices.pick(["empty(int)", "iota(0)", "filter(op <(99), a)"]))
        made = f"reshape(({'0, ' * (t.count('[') - 1)}{self.choices.integer(0, 3)}), empty(int))"
        return self.bind(t, self.choices.pick([made, f"replicate(0, {self.make(t[1:-1], 1)})"]))

    def exchanged(self) -> str:
        """A loop whose arrays change places."""
        a, b, i = self.name(), self.name(), self.name()
        first, second = self.name(), self.name()
        step = self.choices.pick(
            ["{{{1}, {0}}}", "{{{1}, map(op +(1), {0})}}", "{{concat({0}, {1}), {0}}}"]
        )
        start = f"{{{self.leaf(INTS)}, {self.make(INTS, 1)}}}"
        self.scope += [(first, INTS), (second, INTS)]
        return (
            f"let {{{first}, {second}}} = loop ({{{a}, {b}}} = {start}) = for {i} < "
            f"{self.choices.integer(0, 3)} do {step.format(a, b)} in {{{a}, {b}}} in\n  "
        )

    def histogram(self) -> str:
        a, i = self.name(), self.name()
        source = self.variable(INTS)
        return self.bind(
            INTS,
            f"(loop ({a} = replicate(3, 0)) = for {i} < size(0, {source}) do "
            f"let {a}[{source}[{i}] % 3] = {a}[{source}[{i}] % 3] + 1 in {a} in {a})",
        )

    def nested(self) -> str:
        """A map whose function is a loop in place."""
        x, a, i = self.name(), self.name(), self.name()
        value = self.under([(x, INT), (i, INT)], lambda: self.make(INT, 1))
        return self.bind(
            ROWS,
            f"map(fn [int] (int {x}) => loop ({a} = replicate(3, {x})) = for {i} < 3 do "
            f"let {a}[{i}] = {value} in {a} in {a}, {self.leaf(INTS)})",
        )

    def result(self) -> tuple[str, str]:
        """The type and the text of what is returned: some variables, the last ones mostly."""
        count = self.choices.integer(1, 3)
        taken = [
            self.scope[-1 - self.choices.integer(0, min(4, len(self.scope) - 1))]
            for _ in range(count)
        ]
        if count == 1:
            return taken[0][1], taken[0][0]
        types = ", ".join(t for _, t in taken)
        return f"{{{types}}}", "{" + ", ".join(name for name, _ in taken) + "}"


def body(choices: Choices) -> tuple[str, str]:
    """The type and the body of a function of such statements."""
    maker = Statements(choices)
    text = "".join(maker.lets() for _ in range(choices.integer(1, 5)))
    t, value = maker.result()
    return t, text + value
