"""Integers in C: every operator on operands of every size gives what the interpreter gives.

Random expressions over all operations on integers, with constants near every power of two, loaded
words, and parameters cut to so many bits, are compiled at -O0 with UBSan's reports as errors and
every warning about types; what the interpreter refuses because it overflows is no business of
unchecked code and is left out.  Seeds are fixed: `--long` tries more of them.
"""

from __future__ import annotations

import ast
import random
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

import cogen
from cogen.backends.ctree import literals
from cogen.backends.ctree.lines import print_expr
from cogen.backends.ctree.tree import CNumber
from cogen.backends.ctree.types import I64, promoted
from cogen.backends.ctree.typing import type_of
from cogen.backends.kernel import c
from cogen.backends.kernel.c import CModule, emit
from cogen.backends.kernel.cbody import FunctionBody
from cogen.backends.objectcode import toolchain
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from cogen.residual import ResidualProgram
from tests.cogen.native import agree, residual

ARGUMENTS = {
    "+": 2, "-": 2, "*": 2, "quotient": 2, "remainder": 2, "modulo": 2, "floor-quotient": 2,
    "floor-remainder": 2, "truncate-quotient": 2, "truncate-remainder": 2, "/": 2, "abs": 1,
    "min": 2, "max": 2, "gcd": 2, "lcm": 2, "square": 1, "bitwise-and": 2, "bitwise-ior": 2,
    "bitwise-xor": 2, "bitwise-not": 1, "bit-count": 1, "word-add": 2, "word-sub": 2,
    "word-mul": 2, "float32->bits": 1, "float64->bits": 1,
}  # fmt: skip
OFTEN = ("+", "-", "*", "bitwise-and", "bitwise-ior", "bitwise-xor", "min", "max")
SHIFTS = ("arithmetic-shift", "word-shift-left", "word-shift-right")
TESTS = ("=", "<", ">", "<=", ">=")
SANITIZED = (
    "-std=c11", "-O0", "-ffp-contract=off", "-fsanitize=undefined", "-fno-sanitize-recover=all",
    "-Wall", "-Wextra", "-Wconversion", "-Wsign-conversion", "-Werror",
)  # fmt: skip
SIZES = (8, 16, 24, 32, 40, 48, 56, 64)
WORDS = 8


class Writer:
    """Writes random expressions as IL."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0
        self.lets: list[str] = []

    def constant(self) -> int:
        """A number near a power of two."""
        power = self.random.choice([self.random.randrange(64), 7, 8, 15, 16, 31, 32, 62, 63])
        near = (1 << power) + self.random.choice([-1, -1, 0, 0, 1, -2])
        if self.random.random() < 0.3:
            near = self.random.randrange(-9, 70)
        signed = -near if self.random.random() < 0.3 else near
        return max(-(1 << 63), min((1 << 63) - 1, signed))

    def named(self, operation: str) -> str:
        """The name of what an operation gives."""
        self.count += 1
        self.lets.append(f"(let v{self.count} ({operation}))")
        return f"v{self.count}"

    def leaf(self) -> str:
        kind = self.random.randrange(8)
        variable = self.random.choice("abc")
        if kind == 0:
            return f"'{self.constant()}"
        if kind in (1, 2):
            return self.named(f"load-word src '{self.random.randrange(WORDS)}")
        if kind in (3, 4):
            return self.named(f"bitwise-and {variable} '{(1 << self.random.randrange(1, 63)) - 1}")
        if kind == 5:
            return self.named(f"floor-remainder {variable} '{self.random.randrange(1, 1 << 20)}")
        if kind == 6:
            signs = 1 << self.random.choice([7, 15, 31])
            low = self.named(f"bitwise-and {variable} '{2 * signs - 1}")
            return self.named(f"- {low} '{signs}")
        return variable

    def places(self) -> str:
        """The count of a shift: a number, few places, places to one side, or any."""
        kind = self.random.randrange(7)
        if kind <= 1:
            return f"'{self.random.randrange(-66, 67)}"
        few = self.named(
            f"floor-remainder {self.leaf()} '{self.random.choice([8, 31, 32, 33, 40, 63, 64])}"
        )
        if kind <= 4:
            return few
        if kind == 5:
            return self.named(f"- '0 {few}")
        return self.leaf()

    def expression(self, depth: int) -> str:
        """An atom: the value of an expression of at most that depth."""
        if depth == 0 or self.random.random() < 0.1:
            return self.leaf()
        kind = self.random.randrange(10)
        if kind <= 1:
            value = self.expression(depth - 1)
            return self.named(f"{self.random.choice(SHIFTS)} {value} {self.places()}")
        if kind == 2:
            divisions = [op for op in ARGUMENTS if "quo" in op or "rem" in op or op == "modulo"]
            value = self.expression(depth - 1)
            return self.named(f"{self.random.choice(divisions)} {value} '{self.constant()}")
        operation = self.random.choice(OFTEN if kind <= 6 else list(ARGUMENTS))
        atoms = " ".join(self.expression(depth - 1) for _ in range(ARGUMENTS[operation]))
        if operation.startswith("float"):
            atoms = self.named(f"inexact {atoms}")
        return self.named(f"{operation} {atoms}")

    def case(self, number: int, rest: str) -> str:
        """The block that is `rest` unless `i` is the number of this case."""
        self.lets = []
        if self.random.random() < 0.2:
            left, right = self.expression(2), self.expression(2)
            test = self.named(f"{self.random.choice(TESTS)} {left} {right}")
            lets, self.lets = self.lets, []
            arms = []
            for _ in range(2):
                value = self.expression(1)
                arms.append(f"({' '.join(self.lets)} (jump k {value}))")
                self.lets = []
            body = f"{' '.join(lets)} (if {test} {' '.join(arms)})"
        else:
            value = self.expression(3)
            body = f"{' '.join(self.lets)} (jump k {value})"
        return f"(let is{number} (= i '{number})) (if is{number} ({body}) ({rest}))"


def written(seed: int, cases: int, word_size: int, checked: bool) -> ResidualProgram:
    """A procedure of a case i, integers a b c, and a buffer."""
    writer = Writer(seed)
    block = "(jump k '0)"
    for number in range(cases):
        block = writer.case(number, block)
    text = f"(define entry (lambda (i a b c src) k ({block})))"
    kinds = ("int", "int", "int", "int", "memory")
    return residual(text, "entry", *kinds, word_size=word_size, checked=checked)


def sanitized(
    module: CModule, rows: Sequence[Sequence[int]], buffer: bytes, folder: Path
) -> list[tuple[bool, int]]:
    """Whether each call of the entry fails, and what it gives; no undefined behaviour, no warning.

    The rows are the integers that come before the buffer.
    """
    source, program = folder / "program.c", folder / "program"
    table = ",\n".join(
        "{" + ", ".join(literals.number(CNumber(n, I64)) for n in row) + "}" for row in rows
    )
    given = ", ".join([*(f"rows[n][{i}]" for i in range(len(rows[0]))), "words", str(WORDS)])
    fails = module.fails
    source.write_text(
        f"{module.text}\n#include <stdio.h>\n"
        f"static const int64_t rows[][{len(rows[0])}] = {{\n{table}\n}};\n"
        f"int main(void)\n{{\n"
        f"    unsigned char words[] = {{{', '.join(map(str, buffer))}}};\n"
        f"    for (size_t n = 0; n < {len(rows)}; n++) {{\n"
        + ("        cogen_error error = {0};\n" if fails else "")
        + f"        const long long result = {module.function}("
        + given.replace("words,", "(void *)words,")
        + (", &error" if fails else "")
        + f');\n        printf("%d %lld\\n", {"error.code != 0" if fails else "0"}, result);\n'
        "        fflush(stdout);\n    }\n    return 0;\n}\n"
    )
    compiler = toolchain.find_compiler()
    built = subprocess.run(
        [*compiler.command, *SANITIZED, str(source), "-o", str(program), "-lm"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert built.returncode == 0, f"{built.stderr}\n{module.text}"
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    lines = [line.split() for line in done.stdout.splitlines()]
    assert done.returncode == 0, f"{rows[len(lines)]}: {done.stderr}\n{module.text}"
    return [(failed == "1", int(result)) for failed, result in lines]


def compare(seed: int, cases: int, word_size: int, checked: bool, folder: Path) -> None:
    """Assert that interpreter and C agree on a random program."""
    program = written(seed, cases, word_size, checked)
    numbers = random.Random(seed)
    buffer = bytes(numbers.choice([0, 255, numbers.randrange(256)]) for _ in range(8 * WORDS))
    buffer = buffer[: WORDS * word_size // 8]
    interpreter = Interpreter(program.program, word_size)
    interpreter.run()
    writer = Writer(seed)
    rows, expected = [], []
    for number in range(cases):
        for _ in range(6):
            row = [number, *(writer.constant() for _ in range(3))]
            result, failed = 0, False
            try:
                result = interpreter.call("entry", [*row, buffer])
            except CogenError as error:
                failed = True
                if "does not fit in 64 bits" in error.message and not checked:
                    continue
            rows.append(row)
            expected.append((failed, result))
    module = emit(program)
    found = sanitized(module, rows, buffer, folder)
    for row, wanted, got in zip(rows, expected, found, strict=True):
        assert got[0] == wanted[0], (row, wanted, got, module.text)
        assert got[0] or got[1] == wanted[1], (row, wanted, got, module.text)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("word_size", SIZES)
def test_every_operator_on_operands_of_every_size(word_size, tmp_path, request):
    for seed in range(50 if request.config.getoption("--long") else 2):
        compare(1000 * word_size + seed, 20, word_size, seed % 4 == 3, tmp_path)


def test_checked_code_reports_what_overflows(tmp_path):
    compare(7, 20, 32, True, tmp_path)


@pytest.mark.parametrize("count", [0, 25, 26, 32, 39])
def test_a_constant_is_shifted_in_the_type_of_the_result(count):
    text = "(define (e a) (arithmetic-shift 62 (floor-remainder a 40)))"
    compiled = cogen.specialize(cogen.loads(text), "e", cogen.dynamic("int")).compile()
    assert compiled(count) == 62 << count


@pytest.mark.one_in(5)
@pytest.mark.parametrize("word_size", [8, 24, 32, 40, 48, 56, 64])
@pytest.mark.parametrize("value", [62, 255])
def test_a_constant_sample_is_put_at_an_address_that_is_not_known(word_size, value):
    text = "(import (signals)) (define (e b a) (signal-put! (make-signal b a 0 8 8) {}))"
    program = cogen.loads(text.replace("{}", str(value)))
    compiled = cogen.specialize(
        program, "e", cogen.dynamic("memory"), cogen.dynamic("int"), word_size=word_size
    ).compile()
    for place in range(2 * word_size // 8):
        buffer = bytearray(b"\x01" * (3 * word_size // 8))
        expected = bytearray(buffer)
        expected[place] = value
        compiled(buffer, 8 * place)
        assert buffer == expected


def test_the_least_integer_of_32_bits_is_a_signed_mask():
    text = "(define (e b) (+ (bitwise-and (- (load-word b 0) (load-word b 1)) -2147483648) 0))"
    compiled = cogen.specialize(
        cogen.loads(text), "e", cogen.dynamic("memory"), word_size=16
    ).compile()
    assert compiled(bytes([0, 0, 1, 0])) == -(2**31)
    assert compiled(bytes([1, 0, 0, 0])) == 0


@pytest.mark.parametrize("places", [1, 6, 60, 61, 62, 63])
def test_an_index_that_is_moved_down_far_is_compared_with_the_size_as_it_is(places):
    """The size moved up as far instead would not fit in 64 bits."""
    text = f"(let j (arithmetic-shift x '-{places})) (let w (load-word b j)) (let s (+ w j))"
    program = residual(
        f"(define e (lambda (b x) k ({text} (jump k s))))", "e", "memory", "int", word_size=8
    )
    top = (1 << 63) - 1
    buffer = bytes(range(40, 56))
    agree(program, *([buffer, x] for x in (0, 1, 5, top, top >> 1, -1, -top - 1)))


def test_an_index_that_moves_by_more_than_a_check_can_count():
    """2^62 times the counter is checked at each access, not in 128 bits before the loop."""
    program = residual(
        """(define e (lambda (b n) k ((conts (loop (i s) ((let done (>= i n))
             (if done ((jump k s)) ((let q (* i '4611686018427387904)) (let w (load-word b q))
               (let t (+ s w)) (let j (+ i '4)) (jump loop j t))))))
             (jump loop '0 '0))))""",
        "e", "memory", "int",
    )  # fmt: skip
    agree(program, [b"\1\0\0\0", 3], [b"", 3], [b"\1\0\0\0", 0])


@pytest.mark.parametrize("mask", [1, 2, 255, 0xFFFFFFFF])
@pytest.mark.parametrize("size", [32, 64])
def test_all_of_a_mask_or_nothing_by_a_sign_is_a_choice(size: int, mask: int):
    """Of a difference of small numbers, and of a word that may have any sign."""
    program = residual(
        f"""(define e (lambda (b n) k
             ((let w (load-word b '0)) (let x (bitwise-and w '255)) (let d (- '127 x))
              (let s (arithmetic-shift d '-63)) (let m (bitwise-and s '{mask})) (let y (- x m))
              (let t (arithmetic-shift n '-63)) (let o (bitwise-and t '{mask})) (let z (+ y o))
              (jump k z))))""",
        "e", "memory", "int", word_size=size,
    )  # fmt: skip
    assert (f" < 0 ? {hex(mask) if mask > 255 else mask}" in emit(program).text) == (mask > 1)
    numbers = (0, 1, -1, 1 << 62, -(1 << 62))
    words = [bytes([low]) + bytes(7) for low in (0, 1, 126, 127, 128, 255)]
    agree(program, *([word, n] for word in words for n in numbers))


WRITERS = frozenset(["Binary", "Choose", "Unary"])
"""The nodes of C's operators."""

VECTORS = ("cwords.py", "cshuffle.py", "cvectortypes.py")
"""Modules that compute with bytes and vectors, which are no integers of programs."""


def test_operators_are_written_where_the_types_are_known():
    """`values` alone makes operators on the integers of programs; addresses are none, nor are the
    bytes that words are made of."""
    found = []
    for path in sorted(Path(c.__file__).parent.glob("c*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            taken = bool(node.args) and ast.unparse(node.args[0]) in ("'&'", "'-'")
            places = ("c.py", "cbody.py", "cfunction.py", "cloops.py", "cvectors.py")
            address = taken and path.name in places
            if node.func.id in WRITERS and path.name not in VECTORS and not address:
                found.append(f"{path.name}:{node.lineno}: {ast.unparse(node)}")
    assert found == []


def test_types_are_those_of_c(monkeypatch):
    """What an expression's type is said to be is what C makes of its parts."""
    seen = []
    define = FunctionBody.define

    def defined(self, name, value):
        seen.append(name)
        found, said = promoted(type_of(value.expr)), promoted(value.type)
        assert found == said, (print_expr(value.expr), found, said)
        define(self, name, value)

    monkeypatch.setattr(FunctionBody, "define", defined)
    for seed in range(6):
        emit(written(seed, cases=10, word_size=SIZES[seed], checked=bool(seed % 2)))
    assert len(seen) > 500
