"""Random programs for laws: `programs()` gives well-typed programs that always end.

A `RandomProgram` has a text of definitions, of which the last is the entry `main`, and argument
tuples to call it with.  The entry's parameters have the types `int`, `bool`, `list` (of
integers) or `pair` (of integers), so that any division into static and dynamic ones makes
sense.  What happens in the programs:

* integers, comparisons, booleans, conditionals, `and`/`or`/`not`, `let`, `let*`, `begin`;
* pairs, lists, vectors; procedures as values, `map`, `apply`, closures that capture variables and
  are perhaps lifted;
* loops with a bounded counter, in tail position and not, and mutually recursive procedures;
* a global value, computed at the top level;
* calls of procedures that are defined above (so that there is no unbounded recursion);
* on wish: procedures as values, output, assignment of local and global variables, failing
  operations (`car` of an empty list, division by zero, overflow, `error`), `call/cc`, `guard`.

Every expression of a type has that type whenever it has a value; so the only errors are those
of the last point.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypedDict, TypeVar, Unpack

from hypothesis import strategies as st

from cogen.lang import il
from cogen.lang.datum import Datum, Pair, from_iterable
from cogen.lang.errors import CogenError
from cogen.lang.governor import Exhausted
from cogen.lang.interp import Interpreter
from cogen.lang.printer import write_datum
from tests.choices import Choices, Drawn

T = TypeVar("T")

TYPES = ("int", "bool", "list", "pair")
Env = tuple[tuple[str, str], ...]
"""The variables in scope with their types; the last one first."""


@dataclass(frozen=True)
class RandomProgram:
    """A program: its text, the types of the entry's parameters, and arguments to try."""

    text: str
    types: tuple[str, ...]
    arguments: tuple[tuple[Datum, ...], ...]
    entry: str = "main"

    def __repr__(self) -> str:
        shown = "\n".join("; " + " ".join(map(write_datum, row)) for row in self.arguments)
        return f"\n{self.text}{shown}\n"


@dataclass(frozen=True)
class Outcome:
    """What a call does: the text it writes, and its value as text or the error's message."""

    output: str
    value: str | None
    error: str | None


def outcome_of(program: il.Program, entry: str, arguments: tuple[Datum, ...]) -> Outcome:
    """What the interpreter says a call does, after the program's top level."""
    stream = io.StringIO()
    interpreter = Interpreter(program, output=stream)

    def run() -> Datum:
        interpreter.run()
        return interpreter.call(entry, arguments)

    return outcome(stream, run)


def outcome(stream: io.StringIO, run: Callable[[], Datum]) -> Outcome:
    """What a call that writes to `stream` does; `Exhausted` if it takes more than it may."""
    try:
        value = run()
    except Exhausted:
        raise
    except CogenError as error:
        return Outcome(stream.getvalue(), None, error.message)
    return Outcome(stream.getvalue(), write_datum(value), None)


class Kinds(TypedDict, total=False):
    """What may happen in a program; everything that is not forbidden may."""

    output: bool
    assignment: bool
    errors: bool
    control: bool
    procedures: bool


@st.composite
def programs(draw: st.DrawFn, *, size: int = 40, **kinds: Unpack[Kinds]) -> RandomProgram:
    """Random programs; the flags say what may happen in them, `size` how large a body gets."""
    return random_program(Drawn(draw), size, **kinds)


def random_program(choices: Choices, size: int = 40, **kinds: Unpack[Kinds]) -> RandomProgram:
    """The random program of such choices."""
    allowed = {kind for kind in Kinds.__annotations__ if kinds.get(kind, True)}
    maker = Maker(choices, allowed)
    lines = ["(define counter 0)"] if "assignment" in allowed else []
    for index in range(choices.integer(0, 2)):
        lines.append(maker.definition(f"helper{index}", size // 2))
    types = tuple(choices.pick(TYPES) for _ in range(choices.integer(1, 3)))
    env = parameters = tuple((name, kind) for name, kind in zip("xyz", types, strict=False))
    if choices.boolean():
        kind = choices.pick(TYPES)
        quiet = Maker(choices, maker.allowed & {"errors", "control"})
        lines.append(f"(define value {quiet.expr(kind, (), size // 3)})")
        env = (*parameters, ("value", kind))
    body = maker.expr(choices.pick(TYPES), env, size)
    lines.append(f"(define (main {' '.join(name for name, _ in parameters)})\n  {body})")
    arguments = tuple(
        tuple(_argument(choices, kind) for kind in types) for _ in range(choices.integer(1, 3))
    )
    return RandomProgram("\n".join(lines) + "\n", types, arguments)


def _argument(choices: Choices, kind: str) -> Datum:
    if kind == "int":
        return choices.integer(-4, 9)
    if kind == "bool":
        return choices.boolean()
    if kind == "pair":
        return Pair(choices.integer(-4, 9), choices.integer(-4, 9))
    return from_iterable([choices.integer(-4, 9) for _ in range(choices.integer(0, 4))])


class Maker:
    """Chooses expressions; `fuel` is about how many operations one may still have."""

    types: tuple[str, ...] = TYPES
    """Those of variables."""

    def __init__(self, choices: Choices, allowed: set[str]) -> None:
        self.choices = choices
        self.allowed = allowed
        self.count = 0
        self.procedures: list[tuple[str, tuple[str, ...], str]] = []
        """Global procedures that may be called: name, parameter types, result type."""

    def pick(self, *choices: T) -> T:
        return self.choices.pick(choices)

    def fresh(self, base: str) -> str:
        """A name; sometimes one that shadows a primitive or another variable."""
        self.count += 1
        return self.pick(f"{base}{self.count}", f"{base}{self.count}", base, "list", "car")

    def definition(self, name: str, size: int) -> str:
        types = tuple(self.pick(*self.types) for _ in range(self.choices.integer(1, 2)))
        result = self.pick(*self.types)
        env = tuple((f"p{index}", kind) for index, kind in enumerate(types))
        body = self.expr(result, env, size)
        self.procedures.append((name, types, result))
        return f"(define ({name} {' '.join(variable for variable, _ in env)})\n  {body})"

    # Expressions

    def expr(self, kind: str, env: Env, fuel: int) -> str:
        """An expression of a type."""
        if fuel <= 1 or self.choices.integer(0, 11) == 0:
            return self.atom(kind, env)
        common = [self.conditional, self.let, self.let, self.call, self.loop, self.sequence]
        if self.choices.integer(0, 9) < 4:
            choices = common + self.optional()
            choice: Callable[[str, Env, int], str] = self.pick(*choices)
            return choice(kind, env, fuel - 1)
        own: Callable[[Env, int], str] = getattr(self, f"{kind}_expr")
        return own(env, fuel - 1)

    def optional(self) -> list[Callable[[str, Env, int], str]]:
        found: list[Callable[[str, Env, int], str]] = []
        if "assignment" in self.allowed:
            found += [self.assign, self.assign_global]
        if "errors" in self.allowed:
            found += [self.failing]
        if "control" in self.allowed:
            found += [self.escape, self.guard] if "errors" in self.allowed else [self.escape]
        return found

    def atom(self, kind: str, env: Env) -> str:
        shadowed: set[str] = set()
        known = []
        for name, its in env:
            if its == kind and name not in shadowed:
                known.append(name)
            shadowed.add(name)
        if known and self.choices.integer(0, 3) > 0:
            return self.pick(*known)
        return self.literal(kind, env)

    def literal(self, kind: str, env: Env) -> str:
        number = self.choices.integer(-3, 9)
        if kind == "int":
            return str(number)
        if kind == "bool":
            return str(self.pick("#t", "#f"))
        if kind == "pair":
            return f"'({number} . {self.choices.integer(-3, 9)})"
        if kind == "fun":
            return f"(lambda (v) (+ v {number}))" if self.choices.boolean() else "abs"
        return str(self.pick("'()", f"'({number})", f"'({number} 1 2)"))

    def parts(self, fuel: int, count: int) -> list[int]:
        """Fuel for several subexpressions."""
        share = fuel // count
        return [share] * (count - 1) + [fuel - share * (count - 1)]

    def operands(self, kinds: str, env: Env, fuel: int) -> str:
        words = kinds.split()
        shares = self.parts(fuel, len(words))
        return " ".join(self.expr(k, env, f) for k, f in zip(words, shares, strict=True))

    def int_expr(self, env: Env, fuel: int) -> str:
        shape = self.choices.integer(0, 9)
        if shape in (5, 7, 9) and "procedures" not in self.allowed:
            shape = 0
        if shape < 4:
            op = self.pick("+", "-", "*", "+", "-", "max", "min")
            return f"({op} {self.operands('int int', env, fuel)})"
        if shape == 4:
            op = self.pick("quotient", "modulo", "floor-quotient", "remainder")
            divisor = self.pick("2", "3", "8", "-5")
            return f"({op} {self.operands('int', env, fuel)} {divisor})"
        if shape == 5:
            return f"(length {self.operands('list', env, fuel)})"
        if shape == 6:
            half = self.pick("cdr") if _shadows(env, "car") else self.pick("car", "cdr")
            return f"({half} {self.operands('pair', env, fuel)})"
        if shape == 7:
            return f"({self.operands('fun int', env, fuel)})"
        if shape == 8:
            index = self.pick("0", "1")
            return f"(vector-ref (vector {self.operands('int int', env, fuel)}) {index})"
        return f"(apply + {self.operands('list', env, fuel)})"

    def bool_expr(self, env: Env, fuel: int) -> str:
        shape = self.choices.integer(0, 5)
        if shape < 2:
            op = self.pick("<", "=", ">", "<=", ">=")
            return f"({op} {self.operands('int int', env, fuel)})"
        if shape == 2:
            return f"(not {self.operands('bool', env, fuel)})"
        if shape == 3:
            return f"(< {self.operands('int int int', env, fuel)})"
        if shape == 4:
            return f"({self.pick('null?', 'pair?')} {self.operands('list', env, fuel)})"
        return f"({self.pick('and', 'or')} {self.operands('bool bool', env, fuel)})"

    def list_expr(self, env: Env, fuel: int) -> str:
        shape = self.choices.integer(0, 4)
        if "procedures" not in self.allowed:
            shape = 4
        if shape == 0 and not _shadows(env, "list"):
            return f"(list {self.operands('int int', env, fuel)})"
        if shape == 1:
            return f"(map {self.operands('fun list', env, fuel)})"
        if shape == 2:
            return f"(append {self.operands('list list', env, fuel)})"
        return f"(cons {self.operands('int list', env, fuel)})"

    def pair_expr(self, env: Env, fuel: int) -> str:
        return f"(cons {self.operands('int int', env, fuel)})"

    def fun_expr(self, env: Env, fuel: int) -> str:
        name = self.fresh("v")
        made = f"(lambda ({name}) {self.expr('int', ((name, 'int'), *env), fuel)})"
        return f"(lift {made})" if self.choices.integer(0, 3) == 3 else made

    # Forms of any type

    def conditional(self, kind: str, env: Env, fuel: int) -> str:
        return f"(if {self.operands(f'bool {kind} {kind}', env, fuel)})"

    def let(self, kind: str, env: Env, fuel: int) -> str:
        bound = self.pick(*self.types, "fun" if "procedures" in self.allowed else "int")
        name = self.fresh("a")
        value, body = self.parts(fuel, 2)
        init = self.expr(bound, env, value)
        return f"(let (({name} {init})) {self.expr(kind, ((name, bound), *env), body)})"

    def call(self, kind: str, env: Env, fuel: int) -> str:
        fitting = [(name, types) for name, types, result in self.procedures if result == kind]
        if not fitting:
            return self.conditional(kind, env, fuel)
        name, types = self.pick(*fitting)
        return f"({name} {self.operands(' '.join(types), env, fuel)})"

    def bound(self, env: Env) -> str:
        """How often a loop runs: a small number, perhaps one that depends on a variable."""
        atom = self.atom("int", env)
        return str(self.pick("3", "2", f"(modulo {atom} 4)"))

    def loop(self, kind: str, env: Env, fuel: int) -> str:
        name, i, acc = self.fresh("loop"), self.fresh("i"), self.fresh("acc")
        if len({name, i, acc}) < 3:
            return self.let(kind, env, fuel)
        start, step = self.parts(fuel, 2)
        bound = self.bound(env)
        inner = ((acc, kind), (i, "int"), (name, "loop"), *env)
        if self.choices.boolean():
            init, again = self.expr(kind, env, start), self.expr(kind, inner, step)
            return (
                f"(let {name} (({i} {bound}) ({acc} {init})) "
                f"(if (<= {i} 0) {acc} ({name} (- {i} 1) {again})))"
            )
        init, rest = self.expr(kind, inner[1:], start), self.expr(kind, inner, step)
        return (
            f"(let {name} (({i} {bound})) "
            f"(if (<= {i} 0) {init} (let (({acc} ({name} (- {i} 1)))) {rest})))"
        )

    def sequence(self, kind: str, env: Env, fuel: int) -> str:
        first, rest = self.parts(fuel, 2)
        effect = self.expr("int", env, first)
        if "output" in self.allowed:
            effect = f"(write {effect})"
        return f"(begin {effect} {self.expr(kind, env, rest)})"

    def assign(self, kind: str, env: Env, fuel: int) -> str:
        name = self.fresh("m")
        value, new, body = self.parts(fuel, 3)
        inner = ((name, "int"), *env)
        return (
            f"(let (({name} {self.expr('int', env, value)})) "
            f"(set! {name} {self.expr('int', inner, new)}) {self.expr(kind, inner, body)})"
        )

    def assign_global(self, kind: str, env: Env, fuel: int) -> str:
        new, body = self.parts(fuel, 2)
        return (
            f"(begin (set! counter (+ counter {self.expr('int', env, new)})) "
            f"{self.expr(kind, (('counter', 'int'), *env), body)})"
        )

    def failing(self, kind: str, env: Env, fuel: int) -> str:
        """An expression that may fail."""
        shape = self.choices.integer(0, 3)
        body = self.expr(kind, env, fuel // 2)
        value = self.expr("int", env, fuel // 2)
        if shape == 0 and not _shadows(env, "car"):
            return f"(begin (car {self.expr('list', env, fuel // 2)}) {body})"
        if shape == 1:
            return f"(begin (quotient 7 {value}) {body})"
        if shape == 2:
            return f"(begin (* {value} 4611686018427387904) {body})"
        return f'(if (< {value} 0) (error "negative:" {value}) {body})'

    def escape(self, kind: str, env: Env, fuel: int) -> str:
        name = self.fresh("k")
        test, out, body = self.parts(fuel, 3)
        inner = ((name, "continuation"), *env)
        return (
            f"(call/cc (lambda ({name}) (if {self.expr('bool', inner, test)} "
            f"({name} {self.expr(kind, inner, out)}) {self.expr(kind, inner, body)})))"
        )

    def guard(self, kind: str, env: Env, fuel: int) -> str:
        handler, body = self.parts(fuel, 2)
        return (
            f"(guard (e (#t {self.expr(kind, (('e', 'condition'), *env), handler)})) "
            f"{self.failing(kind, env, body)})"
        )


def _shadows(env: Env, name: str) -> bool:
    return any(name == known for known, _ in env)
