"""Random raw residual programs, and how a program behaves, for the tests of `clean`.

The programs terminate (every block and procedure spends fuel), but may fail.  They have loops,
irreducible graphs, joins, tail and other calls, recursion, escaping procedures, output, mutable
cells and pairs.
"""

from __future__ import annotations

import io
import random
import re

from cogen.lang import il
from cogen.lang.datum import Datum
from cogen.lang.errors import CogenError, LimitationError
from cogen.lang.iltext import parse
from cogen.lang.interp import Interpreter
from cogen.lang.printer import write_datum
from cogen.specializer.versions.graph import RawBlock, RawFunction, RawProgram

NUMERIC = "abcxyf"
"""First letters of variables that should hold integers (the others hold anything)."""

ARITHMETIC = ("+", "-", "*", "bitwise-and", "bitwise-ior", "bitwise-xor", "min", "max")
DIVISION = ("quotient", "floor-remainder", "floor-quotient")
TESTS = ("<", "=")
PREDICATES = ("pair?", "procedure?", "not", "exact-integer?", "boolean?")


class Maker:
    """Builds one random program."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.count = 0
        self.functions: dict[str, RawFunction] = {}

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}.{self.count}"

    def program(self) -> RawProgram:
        for i in range(self.rng.randint(1, 4)):
            name = "main" if i == 0 else self.fresh(self.rng.choice(("main", "walk", "step")))
            parameters = [self.fresh("fuel")]
            parameters += [self.fresh("x") for _ in range(self.rng.randint(0, 3))]
            self.functions[name] = RawFunction(name, parameters, self.fresh("k"), "")
        for function in self.functions.values():
            self.fill(function)
        return RawProgram(self.functions, "main")

    def fill(self, function: RawFunction) -> None:
        rng = self.rng
        blocks = []
        for i in range(rng.randint(1, 6)):
            more = len(function.parameters) - 1 if i == 0 else rng.randint(0, 3)
            parameters = [self.fresh("fuel"), *(self.fresh("adb"[j]) for j in range(more))]
            blocks.append(RawBlock(self.fresh("block"), parameters, None, function.name[:4]))
        function.entry = blocks[0].label
        function.blocks = {b.label: b for b in blocks}
        for block in blocks:
            self.here = function
            fuel, *rest = block.parameters
            test, less = self.fresh("t"), self.fresh("fuel")
            body = self.block(list(rest), less, 3)
            stop = il.Block((), il.Jump(function.cont, (self.atom(rest),)))
            spend = il.Let(test, "<", (il.Var(fuel), il.Const(1)))
            left = il.Let(less, "-", (il.Var(fuel), il.Const(1)))
            block.body = il.Block((spend, left), il.If(il.Var(test), stop, body))

    def atom(self, scope: list[str], numbers: bool = False) -> il.Atom:
        if self.rng.random() < 0.02:
            numbers = not numbers
        names = [x for x in scope if x[0] in NUMERIC] if numbers else scope
        if names and self.rng.random() < 0.7:
            return il.Var(self.rng.choice(names[-6:]))
        if not numbers and self.rng.random() < 0.1:
            return il.Const(self.rng.random() < 0.5)
        return il.Const(self.rng.choice((0, 0, 1, 1, 2, 3, -1, 7)))

    def atoms(self, scope: list[str], count: int, numbers: bool = False) -> tuple[il.Atom, ...]:
        return tuple(self.atom(scope, numbers) for _ in range(count))

    def passed(self, scope: list[str], parameters: list[str]) -> tuple[il.Atom, ...]:
        """Arguments for these parameters without the first, which is fuel."""
        return tuple(self.atom(scope, numbers=x[0] in NUMERIC) for x in parameters[1:])

    def operation(self, scope: list[str]) -> tuple[str, str, tuple[il.Atom, ...]]:
        """A stem for the result, an operation, its arguments."""
        rng = self.rng
        kind = rng.random()
        if kind < 0.35:
            return rng.choice("abc"), rng.choice(ARITHMETIC), self.atoms(scope, 2, True)
        if kind < 0.40:
            divisor = self.atom(scope, True) if rng.random() < 0.2 else il.Const(3)
            return "a", rng.choice(DIVISION), (self.atom(scope, True), divisor)
        if kind < 0.46:
            count = il.Const(rng.choice((0, 1, -1)))
            return "b", "arithmetic-shift", (self.atom(scope, True), count)
        if kind < 0.54:
            return "t", rng.choice(("<", "=", "<=")), self.atoms(scope, 2, True)
        if kind < 0.58:
            return "t", rng.choice(("eq?", "eqv?")), self.atoms(scope, 2)
        if kind < 0.66:
            return "t", rng.choice(PREDICATES), self.atoms(scope, 1)
        if kind < 0.76:
            return "p", "cons", self.atoms(scope, 2)
        if kind < 0.80:
            pairs = [x for x in scope if x[0] == "p"]
            if pairs and rng.random() < 0.9:
                return "d", rng.choice(("car", "cdr")), (il.Var(rng.choice(pairs)),)
            return "d", rng.choice(("car", "cdr", "lift", "lift")), self.atoms(scope, 1)
        if kind < 0.82:
            return "d", "vector", self.atoms(scope, 2)
        return "d", "display", self.atoms(scope, 1)

    def bindings(self, scope: list[str], fuel: str) -> list[il.Binding]:
        found: list[il.Binding] = []
        for _ in range(self.rng.randint(0, 4)):
            kind = self.rng.random()
            if kind < 0.06:
                found.append(self.closure(scope, fuel))
            elif kind < 0.12:
                cell, value, done = self.fresh("cell"), self.fresh("v"), self.fresh("done")
                found.append(il.Let(cell, "make-cell", self.atoms(scope, 1)))
                found.append(il.Let(done, "cell-set!", (il.Var(cell), self.atom(scope))))
                found.append(il.Let(value, "cell-ref", (il.Var(cell),)))
                scope.append(value)
            else:
                stem, op, arguments = self.operation(scope)
                name = self.fresh(stem)
                found.append(il.Let(name, op, arguments))
                scope.append(name)
        return found

    def closure(self, scope: list[str], fuel: str) -> il.Fix:
        name, k = self.fresh("procedure"), self.fresh("k")
        parameters = [self.fresh("y") for _ in range(self.rng.randint(0, 2))]
        callee, arguments = self.callee([*scope, *parameters], fuel, parameters)
        body = il.Block((), il.Call(il.Global(callee), arguments, k))
        scope.append(name)
        return il.Fix((il.Function(name, tuple(parameters), None, k, body),))

    def callee(
        self, scope: list[str], fuel: str, exactly: list[str] | None = None
    ) -> tuple[str, tuple[il.Atom, ...]]:
        callee = self.rng.choice(list(self.functions.values()))
        count = len(callee.parameters) - 1
        if exactly is not None and len(exactly) == count and self.rng.random() < 0.3:
            return callee.name, (il.Const(2), *[il.Var(x) for x in exactly])
        return callee.name, (il.Var(fuel), *self.passed(scope, callee.parameters))

    def block(self, scope: list[str], fuel: str, depth: int) -> il.Block:
        bindings = self.bindings(scope, fuel)
        kind = self.rng.random()
        if depth > 0 and kind < 0.4:
            test = self.fresh("t")
            if self.rng.random() < 0.6:
                op = self.rng.choice((*TESTS, "pair?", "not"))
                tested_ones = (
                    self.atoms(scope, 1) if op in PREDICATES else self.atoms(scope, 2, True)
                )
                bindings.append(il.Let(test, op, tested_ones))
                scope.append(test)
                tested: il.Atom = il.Var(test)
            else:
                tested = self.atom(scope)
            then = self.block(list(scope), fuel, depth - 1)
            otherwise = self.block(list(scope), fuel, depth - 1)
            return il.Block(tuple(bindings), il.If(tested, then, otherwise))
        if kind < 0.75:
            target = self.rng.choice(list(self.here.blocks.values()))
            passed = self.passed(scope, target.parameters)
            return il.Block(tuple(bindings), il.Jump(target.label, (il.Var(fuel), *passed)))
        if depth > 0 and kind < 0.9:
            half, k, value = self.fresh("fuel"), self.fresh("k"), self.fresh("v")
            bindings.append(il.Let(half, "quotient", (il.Var(fuel), il.Const(2))))
            call = self.call(scope, half, k)
            rest = self.block([*scope, value], half, depth - 1)
            bindings.append(il.Conts((il.Cont(k, (value,), rest),)))
            return il.Block(tuple(bindings), call)
        if kind < 0.93:
            return il.Block(tuple(bindings), self.call(scope, fuel, self.here.cont))
        return il.Block(tuple(bindings), il.Jump(self.here.cont, self.atoms(scope, 1)))

    def call(self, scope: list[str], fuel: str, k: str) -> il.Call:
        if scope and self.rng.random() < 0.2:
            procedures = [x for x in scope if x.startswith("procedure.")] or scope
            unknown = il.Var(self.rng.choice(procedures))
            return il.Call(unknown, self.atoms(scope, self.rng.randint(0, 2)), k)
        callee, arguments = self.callee(scope, fuel)
        return il.Call(il.Global(callee), arguments, k)


def random_program(rng: random.Random) -> RawProgram:
    """A random raw program with the entry `main`, whose first parameter is its fuel."""
    return Maker(rng).program()


STEPS = 20_000


def behaviour(program: il.Program, name: str, arguments: list[Datum]) -> tuple[str, str] | None:
    """What a call writes, and its value or error; None if it takes too long or overflows."""
    output = io.StringIO()
    interpreter = Interpreter(program, output=output, max_steps=STEPS)
    try:
        interpreter.run()
        result = write_datum(interpreter.call(name, arguments))
    except LimitationError:
        return None
    except CogenError as error:
        if "does not fit" in error.message:
            return None
        result = "error: " + error.message
    return _anonymous(output.getvalue()), _anonymous(result)


def _anonymous(text: str) -> str:
    """Names of procedures, and so where a long culprit is cut off in a message, differ between
    residual programs."""
    text = re.sub(r"#<procedure[^>]*>", "#<procedure>", text)
    text = re.sub(r"^(error: .*), got .*#<procedure>.*$", r"\1", text)
    return re.sub(r"error: \S+: expected (\d+)", r"error: expected \1", text)


def raw(text: str) -> RawProgram:
    """The raw program that IL text shows: each procedure is one group of labelled blocks and a
    jump to its root, the first procedure is the entry.  A block is hinted by its label's stem."""
    program = parse(text)
    functions = {}
    for item in program.items:
        assert isinstance(item, il.Define)
        function = item.function
        (group,) = function.body.bindings
        start = function.body.tail
        assert isinstance(group, il.Conts)
        assert isinstance(start, il.Jump)
        blocks = {
            c.name: RawBlock(c.name, list(c.parameters), c.body, c.name.split(".")[0], c.span)
            for c in group.conts
        }
        functions[item.name] = RawFunction(
            item.name, list(function.parameters), function.cont, start.cont, blocks,
            item.name.split(".")[0], function.span,
        )  # fmt: skip
    return RawProgram(functions, program.items[0].name, program.records, program.source)
