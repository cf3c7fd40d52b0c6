"""First-order programs on integers and words of memory, at word sizes from 8 to 64: interpreted,
specialized, and as C without and with optimisation.

Memory is compared too.  Programs in whose run a result does not fit in 64 bits are passed over.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from cogen.backends.kernel.c import emit
from cogen.backends.kernel.load import NativeFunction
from cogen.backends.objectcode.toolchain import find_compiler
from cogen.binding_times import parse_bt
from cogen.lang.datum import UNSPECIFIED
from cogen.lang.errors import CogenError, LimitationError
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from cogen.residual import ResidualProgram
from cogen.specializer.specialize import specialize
from cogen.specializer.versions.options import SpecializerOptions
from tests.choices import Choices, Seeded, Stream
from tests.fuzz.case import Case, Differs, Kind, Skipped, Way, crashed, each
from tests.fuzz.language import noting

WORDS: Final = (8, 16, 24, 32, 32, 40, 48, 56, 64)
CONSTANTS: Final = (0, 1, 2, -1, 3, 7, 15, 62, 255, 256, 4095, 65535, 1 << 31, (1 << 31) - 1,
                    1 << 32, (1 << 40) + 5, -(1 << 31))  # fmt: skip
BYTES: Final = 48
SHIM: Final = Path(__file__).with_name("tcc.h")

UNARY: Final = ("(- {0})", "(bitwise-not {0})", "(abs {0})", "(bitwise-and {0} 255)", "(* {0} 3)",
                "(square (bitwise-and {0} 1023))", "(bit-count {0})")  # fmt: skip
BINARY: Final = (
    "(+ {0} {1})", "(- {0} {1})", "(+ {0} {1})", "(* (bitwise-and {0} 65535) (modulo {1} 4096))",
    "(min {0} {1})", "(max {0} {1})", "(bitwise-xor {0} {1})", "(bitwise-ior {0} {1})",
    "(bitwise-and {0} {1})", "(floor-quotient {0} {1})", "(floor-remainder {0} {1})",
    "(quotient {0} {1})", "(remainder {0} {1})", "(modulo {0} {1})", "(word-add {0} {1})",
    "(word-sub {0} {1})", "(word-mul {0} {1})",
)  # fmt: skip
BY: Final = (
    "(arithmetic-shift {0} (floor-remainder {1} 20))", "(arithmetic-shift {0} (- (modulo {1} 70)))",
    "(arithmetic-shift 1 (floor-remainder {1} 60))",
    "(arithmetic-shift 62 (floor-remainder {1} 40))",
    "(word-shift-left {0} (modulo {1} 64))", "(word-shift-right {0} (modulo {1} 64))",
    "(floor-quotient {0} 8)", "(floor-remainder {0} 32)", "(quotient {0} -3)", "(modulo {0} 7)",
)  # fmt: skip
TESTS: Final = ("(< {0} {1})", "(= {0} {1})", "(>= {0} {1})", "(even? {0})", "(zero? {0})",
                "(not (< {0} {1}))", "(and (< {0} {1}) (> {1} 3))")  # fmt: skip


class Writer:
    """Writes expressions and statements; `names` are the integers in scope."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.count = 0

    def fresh(self, base: str) -> str:
        self.count += 1
        return f"{base}{self.count}"

    def expression(self, names: tuple[str, ...], depth: int) -> str:
        pick = self.choices.pick
        if depth <= 0 or self.choices.integer(0, 5) == 0:
            if self.choices.integer(0, 2):
                return pick(names)
            return str(pick(CONSTANTS))
        kind = self.choices.integer(0, 9)
        parts = [self.expression(names, depth - 1) for _ in range(2)]
        if kind < 2:
            return pick(UNARY).format(*parts)
        if kind < 5:
            return pick(BINARY).format(*parts)
        if kind == 5:
            return pick(BY).format(*parts)
        if kind == 6:
            test = pick(TESTS).format(*parts)
            return f"(if {test} {self.expression(names, depth - 1)} {parts[0]})"
        if kind == 7:
            name = self.fresh("v")
            return f"(let (({name} {parts[0]})) {self.expression((*names, name), depth - 1)})"
        if kind == 8:
            return f"(load-word {pick('ab')} {self.index(names)})"
        i, acc = self.fresh("i"), self.fresh("acc")
        step = self.expression((*names, i, acc), depth - 1)
        step = f"(bitwise-and {step} 1048575)"
        return (
            f"(let loop{i} (({i} {self.bound(names)}) ({acc} {parts[0]}))"
            f" (if (<= {i} 0) {acc} (loop{i} (- {i} 1) {step})))"
        )

    def bound(self, names: tuple[str, ...]) -> str:
        choices = ("2", "3", f"(bitwise-and {self.choices.pick(names)} 3)", "(lift 3)")
        return self.choices.pick(choices)

    def index(self, names: tuple[str, ...]) -> str:
        """An index of a word, mostly within bounds."""
        i = self.choices.pick(("0", "1", "i", "i", "(+ i 1)", "(bitwise-and {0} 3)"))
        return i.format(self.choices.pick(names))

    def statement(self, names: tuple[str, ...], depth: int) -> str:
        kind = self.choices.integer(0, 7)
        buffer, index = self.choices.pick("ab"), self.index(names)
        value = self.expression(names, depth)
        if kind < 3:
            return f"(store-word! {buffer} {index} {value})"
        if kind == 3:
            mask = self.choices.pick((15, 240, 255, 65280))
            return f"(store-bits! {buffer} {index} {mask} {value})"
        if kind == 4:
            return f"(set! x (bitwise-and {value} {self.choices.pick((255, 65535, 1 << 40))}))"
        if kind == 5:
            test = self.choices.pick(TESTS).format(value, self.choices.pick(names))
            return f"(if {test} {self.statement(names, depth - 1)})"
        j = self.fresh("j")
        inner = self.statement((*names, j), depth - 1)
        return f"(do (({j} 0 (+ {j} 1))) ((>= {j} {self.bound(names)})) {inner})"


def make(stream: Stream) -> Case:
    """A program `(f a b x i)` with buffers a and b, its division, and arguments."""
    choices = Seeded(stream)
    writer = Writer(choices)
    names = ("x", "i")
    lines = [writer.statement(names, choices.integer(0, 2)) for _ in range(choices.integer(0, 3))]
    result = writer.expression(names, choices.pick((1, 1, 2, 2, 2, 3, 3, 4)))
    text = "(define (f a b x i)\n" + "".join(f"  {line}\n" for line in lines) + f"  {result})\n"
    word = choices.pick(WORDS)
    known = choices.pick(CONSTANTS), choices.integer(0, 3)
    times = []
    for value in known:
        base = choices.integer(1, 6)
        times.append(
            choices.pick(
                (
                    "(dynamic int)",
                    "(dynamic int)",
                    f"(static {value})",
                    f"(cyclic {base} {value % base})",
                )
            )
        )
    rows = []
    for _ in range(3):
        row = []
        for time, value, usual in zip(times, known, (choices.pick(CONSTANTS), 0), strict=True):
            drawn = usual + choices.integer(0, 3)
            if time.startswith("(static"):
                drawn = value
            elif time.startswith("(cyclic"):
                base, remainder = map(int, time[8:-1].split())
                drawn = base * (drawn // base) + remainder
            row.append(str(drawn))
        rows.append(",".join(row))
    cut = choices.integer(0, 23) == 23  # a last word that is partial takes code of its own
    given = {
        "word": str(word),
        "checked": str(choices.boolean()),
        "division": " ".join(times),
        "arguments": " ".join(rows),
        "bytes": bytes(choices.integer(0, 255) for _ in range(BYTES - cut)).hex(),
    }
    return Case("kernels", text, given)


def source(case: Case) -> Any:
    return case.once("source", lambda case: loads(case.text))


def times_of(case: Case) -> list[str]:
    """The binding times of what comes after the buffers."""
    return case.given["division"].replace(") (", ")|(").split("|")


def buffers(case: Case, number: int) -> tuple[bytearray, bytearray]:
    """The buffers of a row: one pair for each, or one for all, the second being the reverse."""
    contents = case.given["bytes"].split()
    first, _, second = contents[number % len(contents)].partition(":")
    content = bytes.fromhex(first)
    return bytearray(content), bytearray(bytes.fromhex(second) if second else content[::-1])


Outcome = tuple[Any, bytes, bytes]
Call = Callable[..., Any]


def expected(case: Case) -> list[tuple[int, list[int], Outcome]]:
    """The number of each row, its dynamic arguments, and the outcome."""

    def find(case: Case) -> Any:
        failures: list[str] = []
        found = []
        interpreter = Interpreter(source(case), int(case.given["word"]))
        interpreter.run()
        for number, row in enumerate(case.given["arguments"].split()):
            values = [int(word) for word in row.split(",")]
            known = zip(values, times_of(case), strict=True)
            dynamic = [value for value, time in known if "static" not in time]
            with noting(failures):
                run = partial(interpreter.call, "f")
                result = outcome(buffers(case, number), lambda *all, run=run: run(all), values)
            found.append((number, dynamic, result))
        return None if "overflow" in failures else found

    known = case.once("expected", find)
    if known is None:
        raise Skipped("a result does not fit in 64 bits")
    return known  # type: ignore[no-any-return]


def outcome(memory: tuple[bytearray, bytearray], run: Call, values: Sequence[int]) -> Outcome:
    """The value, or the error's message, and both buffers afterwards (unless it failed)."""
    try:
        value = run(*memory, *values)
    except CogenError as error:
        return error.message, b"", b""
    return None if value is UNSPECIFIED else value, bytes(memory[0]), bytes(memory[1])


def residual(case: Case) -> ResidualProgram:
    def find(case: Case) -> Any:
        memory = "(dynamic memory)"
        bts = [parse_bt(time) for time in (memory, memory, *times_of(case))]
        options = SpecializerOptions(
            word_size=int(case.given["word"]), checked=case.given["checked"] == "True",
            max_variants=int(case.given.get("variants", 60)), max_size=4000, max_unfoldings=4000,
        )  # fmt: skip
        try:
            return specialize(source(case), "f", bts, options)
        except CogenError as error:
            return error

    found = case.once("residual", find)
    if isinstance(found, CogenError):
        errors = {result[0] for _, _, result in expected(case)}
        if "does not seem to end" in found.message or errors == {found.message}:
            raise Skipped(found.message)
        raise Differs(f"specialize: {found}; the interpreter: {errors}")
    return found  # type: ignore[no-any-return]


def agree(case: Case, run: Call) -> None:
    """`run` gives what is expected of it, for each row."""
    for number, dynamic, wanted in expected(case):
        found = outcome(buffers(case, number), run, dynamic)
        if found != wanted:
            what = "leaves other memory" if found[0] == wanted[0] else f"gives {found[0]!r}"
            raise Differs(f"{what}, the interpreter {wanted[0]!r}, of {dynamic}")


def by_residual(case: Case) -> None:
    expected(case)
    made = residual(case)
    interpreter = Interpreter(made.program, made.word_size)
    interpreter.run()
    agree(case, lambda *arguments: interpreter.call(made.entry, arguments))


def compiled(command: Sequence[str]) -> Any:
    """The way through a C compiler, many programs in one go."""

    def run(cases: Sequence[Case]) -> list[Exception | None]:
        found: list[Exception | None] = [None] * len(cases)
        modules = {}
        for number, case in enumerate(cases):
            try:
                expected(case)
                module = emit(residual(case))
                if "__int128" in module.text and "tcc" in command[0]:
                    raise Skipped("TinyCC has no integers of 128 bits")
                name = f"{module.function}_{number}"
                text = module.text.replace(f" {module.function}(", f" {name}(")
                modules[number] = replace(module, function=name, text=text)
            except (Skipped, Differs) as said:
                found[number] = said
            except LimitationError as error:
                found[number] = Skipped(error.message)
            except Exception as error:
                found[number] = crashed(error)
        with tempfile.TemporaryDirectory() as folder:
            library = Path(folder) / "all.so"
            files = []
            for number, module in modules.items():
                files.append(Path(folder) / f"p{number}.c")
                files[-1].write_text(module.text)
            if files:
                done = subprocess.run(
                    [*command, "-shared", "-fPIC", "-o", library, *files, "-lm"],
                    capture_output=True, text=True, check=False,
                )  # fmt: skip
                if done.returncode:
                    problem = Differs(f"does not compile: {done.stderr[:400]}")
                    if len(cases) > 1:
                        return [run([case])[0] for case in cases]
                    return [problem]
            for number, module in modules.items():
                try:
                    agree(cases[number], NativeFunction(module, library))
                except Differs as said:
                    found[number] = said
                except Exception as error:
                    found[number] = crashed(error)
        return found

    return run


def ways(plain: int, best: int) -> tuple[Way, ...]:
    """The ways of kernels; one program in so many goes through C without, and with optimisation."""
    tiny = shutil.which("tcc")
    gcc = find_compiler().command
    quick = (tiny, "-w", "-include", str(SHIM)) if tiny else (*gcc, "-O0", "-w")
    good = (*gcc, "-O3", "-march=native", "-std=c11", "-ffp-contract=off", "-w")
    return (
        Way("residual", each(by_residual)),
        Way("c-O0", compiled(quick), every=plain, batch=40),
        Way("c-O3", compiled(good), every=best, batch=10),
    )


KIND = Kind("kernels", make, ways(2, 40))
