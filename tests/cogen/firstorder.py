"""Random first-order IL programs that end: text, arguments, and what types they have.

A program is `main` with ints a b c, floats x y, a bool p, buffers src and dst, and helper
procedures.  Loops count up to a small bound or walk a buffer by words; recursive helpers
count down a parameter; so every run ends, in a value or in an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import strategies as st

INT, FLOAT, BOOL = "int", "float", "bool"
PARAMETERS = {"a": INT, "b": INT, "c": INT, "x": FLOAT, "y": FLOAT, "p": BOOL}
TYPES = [*PARAMETERS.values(), "memory", "memory"]

INT_OPERATIONS = {
    "+": 2, "-": 2, "*": 2, "quotient": 2, "remainder": 2, "modulo": 2, "floor-quotient": 2,
    "floor-remainder": 2, "abs": 1, "min": 2, "max": 2, "gcd": 2, "lcm": 2, "square": 1,
    "bitwise-and": 2, "bitwise-ior": 2, "bitwise-xor": 2, "bitwise-not": 1, "bit-count": 1,
    "word-add": 2, "word-sub": 2, "word-mul": 2, "floor": 1, "exact": 1, "/": 2, "expt": 2,
    "lift": 1,
}  # fmt: skip
SHIFTS = ["arithmetic-shift", "word-shift-left", "word-shift-right"]
BY_CONSTANT = ["quotient", "remainder", "modulo", "floor-quotient", "floor-remainder"]
FLOAT_OPERATIONS = {
    "+": 2, "-": 2, "*": 2, "/": 2, "abs": 1, "min": 2, "max": 2, "square": 1, "floor": 1,
    "ceiling": 1, "round": 1, "truncate": 1, "sqrt": 1, "inexact": 1,
}  # fmt: skip
COMPARISONS = ["=", "<", ">", "<=", ">="]
PREDICATES = ["zero?", "positive?", "negative?", "integer?", "number?", "exact?", "nan?", "finite?"]
INT_PREDICATES = ["odd?", "even?"]

ints = st.one_of(
    st.integers(-4, 9),
    st.sampled_from([15, 16, 31, 32, 63, 64, 100, 255, 256, 65535, -65536, 4095]),
    st.sampled_from([2**31 - 1, 2**31, -(2**31), 2**32 - 1, 2**32, 2**62, 2**63 - 1, -(2**63)]),
)
floats = st.sampled_from([0.0, -0.0, 1.5, -2.5, 3.0, 0.1, 1e300, -1e-300, 2.0**53, 1e18])


_buffers = st.one_of(*[st.binary(min_size=n, max_size=n) for n in (64, 67, 80, 80, 80, 9, 0)])


@dataclass
class Program:
    """IL text with its entry `main`; `arguments` are lists of arguments to try."""

    text: str
    word_size: int
    arguments: list[list[object]]


@dataclass
class _Maker:
    draw: Callable[..., object]
    count: int = 0
    helpers: list[tuple[str, str]] = field(default_factory=list)
    """Names and result types of the procedures that take (int int float src dst)."""
    memory: bool = True

    def pick(self, items):
        return self.draw(st.sampled_from(list(items)))

    def name(self, base: str) -> str:
        self.count += 1
        return f"{base}{self.count}"

    def chance(self, one_in: int) -> bool:
        return self.draw(st.integers(1, one_in)) == 1

    def atom(self, scope: dict[str, str], type_: str) -> str:
        variables = [name for name, kind in scope.items() if kind == type_]
        if variables and not self.chance(4):
            return self.pick(variables[-6:] if self.chance(2) else variables)
        if type_ == INT:
            return f"'{self.draw(ints)}"
        if type_ == FLOAT:
            return f"'{self.draw(floats)!r}".replace("e+", "e")
        return self.pick(["'#t", "'#f"])

    def number(self, scope: dict[str, str]) -> tuple[str, str]:
        type_ = FLOAT if self.chance(3) else INT
        return self.atom(scope, type_), type_

    def operation(self, scope: dict[str, str]) -> tuple[str, str]:
        """The text of an operation and its type."""
        kind = self.draw(st.integers(0, 11))
        if kind <= 3:
            op = self.pick(INT_OPERATIONS)
            if op in ("/", "exact") and not self.chance(3):
                op = "+"
            if op in BY_CONSTANT and not self.chance(4):
                op = "bitwise-and"
            if op == "expt":
                return f"(expt {self.atom(scope, INT)} '{self.draw(st.integers(-2, 9))})", INT
            arguments = " ".join(self.atom(scope, INT) for _ in range(INT_OPERATIONS[op]))
            return f"({op} {arguments})", INT
        if kind == 4:
            near = f"'{self.draw(st.integers(-70, 70))}"
            count = self.atom(scope, INT) if self.chance(3) else near
            return f"({self.pick(SHIFTS)} {self.atom(scope, INT)} {count})", INT
        if kind == 5:
            divisor = self.pick([1, 2, 3, 8, 10, 32, 4096, -1, -3, 2**40])
            return f"({self.pick(BY_CONSTANT)} {self.atom(scope, INT)} '{divisor})", INT
        if kind == 6:
            op = self.pick(FLOAT_OPERATIONS)
            first = self.atom(scope, FLOAT)
            if FLOAT_OPERATIONS[op] == 1:
                return f"({op} {first})", FLOAT
            second, _ = self.number(scope)
            pair = (first, second) if self.chance(2) else (second, first)
            return f"({op} {pair[0]} {pair[1]})", FLOAT
        if kind == 7:
            first, _ = self.number(scope)
            second, _ = self.number(scope)
            return f"({self.pick(COMPARISONS)} {first} {second})", BOOL
        if kind == 8:
            if self.chance(2):
                return f"({self.pick(INT_PREDICATES)} {self.atom(scope, INT)})", BOOL
            return f"({self.pick(PREDICATES)} {self.number(scope)[0]})", BOOL
        if kind == 9:
            first, _ = self.number(scope)
            second, _ = self.number(scope)
            op = self.pick(["eqv?", "equal?", "not"])
            if op == "not":
                return f"(not {self.atom(scope, BOOL)})", BOOL
            return f"({op} {first} {second})", BOOL
        if kind == 10 and self.memory:
            return f"(buffer-words {self.pick(['src', 'dst'])})", INT
        index = self.index(scope)
        if self.memory:
            return f"(load-word {self.pick(['src', 'dst'])} {index})", INT
        return f"(+ {index} '1)", INT

    def index(self, scope: dict[str, str]) -> str:
        """An index: mostly a small one, which is in bounds of most buffers."""
        if self.chance(8):
            return self.atom(scope, INT)
        small = [name for name in scope if name.startswith("m")]
        return self.pick(small) if small and self.chance(2) else f"'{self.draw(st.integers(0, 4))}"

    def lets(self, scope: dict[str, str], most: int) -> str:
        """Some operations; they are added to the scope."""
        text = ""
        for _ in range(self.draw(st.integers(0, most))):
            if self.memory and self.chance(6):
                name = self.name("u")
                value = self.atom(scope, INT)
                text += f"(let {name} (store-word! dst {self.index(scope)} {value}))\n"
                continue
            operation, type_ = self.operation(scope)
            name = self.name("v")
            text += f"(let {name} {operation})\n"
            scope[name] = type_
        return text

    def block(self, scope: dict[str, str], depth: int, targets: list[tuple[str, list[str]]]) -> str:
        """A block; it ends by jumping to one of the targets, each a name and types."""
        scope = dict(scope)
        text = self.lets(scope, 4)
        kind = self.draw(st.integers(0, 6)) if depth > 0 else 0
        if kind <= 1:
            return text + self.jump(scope, targets)
        if kind == 2:
            then = self.block(scope, depth - 1, targets)
            otherwise = self.block(scope, depth - 1, targets)
            return f"{text}(if {self.atom(scope, BOOL)} ({then}) ({otherwise}))"
        if kind == 3:
            return text + self.join(scope, depth, targets)
        if kind == 4 and self.helpers:
            return text + self.call(scope, depth, targets)
        return text + self.loop(scope, depth, targets)

    def jump(self, scope: dict[str, str], targets: list[tuple[str, list[str]]]) -> str:
        if self.chance(60):
            name = self.name("e")
            irritants = " ".join(self.number(scope)[0] for _ in range(self.draw(st.integers(0, 2))))
            return f'(let {name} (error \'"stop here" {irritants})) {self.jump_to(scope, targets)}'
        return self.jump_to(scope, targets)

    def jump_to(self, scope: dict[str, str], targets: list[tuple[str, list[str]]]) -> str:
        name, types = self.pick(targets)
        return f"(jump {name} {' '.join(self.atom(scope, t) for t in types)})"

    def join(self, scope: dict[str, str], depth: int, targets) -> str:
        types = [self.pick([INT, FLOAT, BOOL]) for _ in range(self.draw(st.integers(0, 2)))]
        name = self.name("j")
        parameters = [self.name("w") for _ in types]
        inner = {**scope, **dict(zip(parameters, types, strict=True))}
        after = self.block(inner, depth - 1, targets)
        before = self.block(scope, depth - 1, [(name, types), (name, types), targets[-1]])
        return f"(conts ({name} ({' '.join(parameters)}) ({after})))\n{before}"

    def call(self, scope: dict[str, str], depth: int, targets) -> str:
        function, type_ = self.pick(self.helpers)
        buffers = " src dst" if self.memory else ""
        fuel = f"'{self.draw(st.integers(0, 4))}"
        arguments = f"{fuel} {self.atom(scope, INT)} {self.atom(scope, FLOAT)}{buffers}"
        name, result = self.name("k"), self.name("r")
        after = self.block({**scope, result: type_}, depth - 1, targets)
        call = f"(call (global {function}) ({arguments}) {name})"
        return f"(conts ({name} ({result}) ({after})))\n{call}"

    def loop(self, scope: dict[str, str], depth: int, targets) -> str:
        """A counting loop with an accumulator."""
        loop, i, acc = self.name("loop"), self.name("i"), self.name("s")
        type_ = self.pick([INT, INT, FLOAT])
        step = self.pick([1, 1, 1, 2, 3, -1])
        test, bound, start = self.bound(scope, i, step)
        inner = {**scope, i: INT, acc: type_}
        done = self.block(inner, depth - 1, targets)
        body_scope = dict(inner)
        body = self.lets(body_scope, 3)
        for _ in range(self.draw(st.integers(0, 2)) if self.memory else 0):
            body += self.walking_access(body_scope, i)
        nxt = self.name("n")
        step_text = f"(let {nxt} (+ {i} '{step}))\n"
        if self.chance(3) and depth > 1:
            rest = self.block(body_scope, depth - 2, [(loop + " " + nxt, [type_]), targets[-1]])
            again = f"{step_text}{rest}"
        else:
            again = f"{step_text}(jump {loop} {nxt} {self.atom(body_scope, type_)})"
        t = self.name("t")
        arms = (f"({done})", f"({body}{again})")
        if not test.startswith("="):
            arms = arms[::-1]
        return (
            f"{bound}(conts ({loop} ({i} {acc}) ((let {t} ({test}))\n"
            f"(if {t} {arms[0]} {arms[1]}))))\n(jump {loop} {start} {self.atom(scope, type_)})"
        )

    def bound(self, scope: dict[str, str], i: str, step: int) -> tuple[str, str, str]:
        """The loop's test, what defines its bound, and its start: at most a few rounds."""
        n, m = self.name("m"), self.name("m")
        define = f"(let {n} (bitwise-and {self.atom(scope, INT)} '7))\n"
        define += f"(let {m} (* {n} '{abs(step)}))\n"
        scope[n] = scope[m] = INT
        if step < 0:
            return self.pick([(f"= {i} '0", define, m), (f"> {i} '-2", define, m)])
        return self.pick([(f"= {i} {m}", define, "'0"), (f"< {i} {n}", define, "'-1"),
                          (f"<= {i} {m}", define, "'0"), (f"< {i} '6", define, n)])  # fmt: skip

    def walking_access(self, scope: dict[str, str], i: str) -> str:
        """A load or store at the counter, plus a constant, perhaps times one."""
        index = self.name("q")
        shape = self.pick([f"(+ {i} '0)", f"(+ {i} '1)", f"(- {i} '1)", f"(* {i} '2)"])
        text = f"(let {index} {shape})\n"
        scope[index] = INT
        at = index if self.chance(2) else i
        if self.chance(3):
            return f"{text}(let {self.name('u')} (store-word! dst {at} {self.atom(scope, INT)}))\n"
        name = self.name("l")
        scope[name] = INT
        return f"{text}(let {name} (load-word {self.pick(['src', 'src', 'dst'])} {at}))\n"

    def helper(self) -> str:
        """A procedure that counts down its first parameter and may call itself."""
        name, type_ = self.name("help"), self.pick([INT, FLOAT])
        k, fuel, n, x = self.name("k"), self.name("f"), self.name("g"), self.name("h")
        scope = {fuel: INT, n: INT, x: FLOAT}
        base = self.block(scope, 1, [(k, [type_])])
        less, z = self.name("f"), self.name("z")
        inner = dict(scope)
        lets = self.lets(inner, 3)
        buffers = " src dst" if self.memory else ""
        arguments = f"{less} {self.atom(inner, INT)} {self.atom(inner, FLOAT)}{buffers}"
        if self.chance(2):
            again = f"(call (global {name}) ({arguments}) {k})"
        else:
            back, result = self.name("k"), self.name("r")
            rest = self.block({**inner, result: type_}, 1, [(k, [type_])])
            again = f"(conts ({back} ({result}) ({rest}))) "
            again += f"(call (global {name}) ({arguments}) {back})"
        self.helpers.append((name, type_))
        return (
            f"(define {name} (lambda ({fuel} {n} {x}{buffers}) {k} (\n"
            f"(let {z} (<= {fuel} '0))\n(if {z} ({base})\n"
            f"({lets}(let {less} (- {fuel} '1))\n{again}))))) \n"
        )


def _renamed_buffers(text: str, number: int) -> str:
    """Names are bound once in a program: the buffers of a helper get names of their own."""
    return re.sub(r"\b(src|dst)\b", rf"\g<1>{number}", text)


@st.composite
def programs(draw) -> Program:
    """Programs with three lists of arguments each."""
    maker = _Maker(draw)
    text = ""
    for number in range(draw(st.integers(0, 2))):
        text += _renamed_buffers(maker.helper(), number)
    result = draw(st.sampled_from([INT, FLOAT, BOOL]))
    body = maker.block(dict(PARAMETERS), 3, [("k", [result])])
    text += f"(define main (lambda ({' '.join(PARAMETERS)} src dst) k ({body})))"
    small = st.integers(-3, 12)
    lists = []
    for _ in range(3):
        numbers = [draw(st.one_of(small, small, ints)) for _ in range(3)]
        reals = [draw(floats) for _ in range(2)]
        source = draw(_buffers)
        target = bytearray(draw(_buffers))
        lists.append([*numbers, *reals, draw(st.booleans()), source, target])
    return Program(text, draw(st.sampled_from([8, 16, 24, 32, 32, 40, 64])), lists)
