"""The programs in examples/: the commands in their comments work, and their residual programs
answer as the programs do."""

from __future__ import annotations

import re
import shlex
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import cogen
from cogen.cli import commands
from cogen.lang import il
from cogen.lang.datum import Datum, iterate
from cogen.lang.interp import Interpreter
from cogen.lang.reader import read_datum

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PROGRAMS = sorted(EXAMPLES.glob("*.scm"))


def header_commands(path: Path) -> list[list[str]]:
    """The `cogen` commands in a program's comments, as argument lists."""
    text = path.read_text(encoding="utf-8")
    comments = "\n".join(re.findall(r"^;;;(.*)$", text, re.M)).replace("\\\n", " ")
    return [shlex.split(line.strip()) for line in re.findall(r"^ +(cogen .*)$", comments, re.M)]


CASES = [(path, command) for path in PROGRAMS for command in header_commands(path)]


def test_every_program_shows_a_command() -> None:
    assert {path for path, _ in CASES} == set(PROGRAMS)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("path", "command"), CASES, ids=lambda x: getattr(x, "stem", None))
def test_command_of_the_comment(
    path: Path, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLES)
    assert command[0] == "cogen"
    result = CliRunner().invoke(commands, command[1:])
    assert result.exit_code == 0, result.output
    assert command[command.index("--entry") + 1].rstrip("!?") in result.output


@cache
def source(name: str) -> il.Program:
    return cogen.load(EXAMPLES / name)


def interpret(program: il.Program, entry: str, *arguments: Datum) -> Datum:
    interpreter = Interpreter(program, 8)
    interpreter.run()
    return interpreter.call(entry, list(arguments))


def specialized(program: il.Program, entry: str, *bts: cogen.bt.BT) -> il.Program:
    return cogen.specialize(program, entry, *bts, word_size=8).program.program


@given(pattern=st.text("ab", max_size=5), text=st.text("abc", max_size=20))
def test_string_matcher(pattern: str, text: str) -> None:
    program = source("kmp.scm")
    expected = text.find(pattern)
    assert interpret(program, "search", pattern, text) == expected
    residual = specialized(program, "search", cogen.static(pattern), cogen.dynamic())
    assert interpret(residual, "search", text) == expected


EXPRESSIONS = [
    (r"(seq (star (or #\a #\b)) #\a #\b #\b)", "[ab]*abb"),
    (r"(star (seq #\a (or #\b (seq #\b #\c))))", "(ab|abc)*"),
    (r"(seq any (star any) #\a any any)", "..*a.."),
    (r"(or (seq #\a (star #\b)) (seq (star #\a) #\b))", "ab*|a*b"),
]


@pytest.mark.parametrize(("expression", "pattern"), EXPRESSIONS)
@given(text=st.text("abcd", max_size=9))
def test_regular_expressions(expression: str, pattern: str, text: str) -> None:
    program = source("regex.scm")
    expected = re.fullmatch(pattern, text) is not None
    assert interpret(program, "match?", read_datum(expression), text) is expected


@pytest.mark.parametrize(("expression", "pattern"), EXPRESSIONS)
def test_residual_automata(expression: str, pattern: str) -> None:
    program = source("regex.scm")
    known = cogen.static(cogen.datum(expression))
    strings = specialized(program, "match?", known, cogen.dynamic())
    buffers = specialized(
        program, "match-bytes?", known, cogen.dynamic("memory"), cogen.dynamic("int")
    )
    for text in ("", "a", "ab", "abb", "abc", "abcab", "babb", "bbab", "aab", "xaxx", "abbbb"):
        expected = re.fullmatch(pattern, text) is not None
        assert interpret(strings, "match?", text) is expected
        data = bytearray(text.encode())
        assert interpret(buffers, "match-bytes?", data, len(data)) is expected


@pytest.mark.parametrize(
    ("name", "known", "inputs", "expected"),
    [
        (
            "imp.scm",
            "((a b) (while b (begin (:= t (remainder a b)) (:= a b) (:= b t))) a)",
            [48, 18],
            6,
        ),
        (
            "imp.scm",
            "((n) (begin (:= r 1) (while (> n 0) (begin (:= r (* r n)) (:= n (- n 1))))) r)",
            [6],
            720,
        ),
        ("imp.scm", "((a b) (if (< a b) (:= m b) (:= m a)) m)", [3, 8], 8),
        ("lambda.scm", "(lambda n ((lambda f (f (f n))) (lambda x (+ x x))))", 5, 20),
        ("lambda.scm", "(fix f n (if (< n 2) 1 (* n (f (- n 1)))))", 6, 720),
        (
            "lambda.scm",
            "(fix fib n (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))",
            10,
            55,
        ),
    ],
)
def test_interpreters(name: str, known: str, inputs: Datum, expected: int) -> None:
    program = source(name)
    listed = isinstance(inputs, list)
    argument = read_datum(f"({' '.join(map(str, inputs))})") if listed else inputs
    assert interpret(program, "run", read_datum(known), argument) == expected
    integer = cogen.dynamic("int")
    bt = cogen.list_(*[integer] * len(inputs)) if listed else integer
    residual = specialized(program, "run", cogen.static(cogen.datum(known)), bt)
    assert interpret(residual, "run", *(inputs if listed else [inputs])) == expected


def test_turing_machine() -> None:
    program = source("turing.scm")
    machine = "((if 0 goto 3) (right) (goto 0) (write 1) (left))"
    tape, expected = read_datum("(1 1 0 1)"), [1, 1, 1]
    assert list(iterate(interpret(program, "run", read_datum(machine), tape))) == expected
    residual = specialized(program, "run", cogen.static(cogen.datum(machine)), cogen.dynamic())
    assert list(iterate(interpret(residual, "run", tape))) == expected


@given(m=st.integers(0, 2), n=st.integers(0, 5))
def test_ackermann(m: int, n: int) -> None:
    program = source("ackermann.scm")
    residual = specialized(program, "ack", cogen.static(m), cogen.dynamic("int"))
    assert interpret(residual, "ack", n) == interpret(program, "ack", m, n)


@given(x=st.integers(-3, 3), n=st.integers(0, 12))
def test_power(x: int, n: int) -> None:
    program = source("power.scm")
    residual = specialized(program, "power", cogen.dynamic("int"), cogen.static(n))
    assert interpret(program, "power", x, n) == x**n == interpret(residual, "power", x)


def test_dither() -> None:
    program = source("dither.scm")
    pixels = bytes((41 * k + k * k // 7) % 256 for k in range(16 * 6))
    memory, number = cogen.dynamic("memory"), cogen.dynamic("int")
    for entry, extra in (("dither!", []), ("diffuse!", [bytearray(34)])):
        known = [memory, cogen.cyclic(8, 0)] * 2 + [memory] * len(extra)
        residual = specialized(program, entry, *known, cogen.static(16), number)
        expected, got = bytearray(12), bytearray(12)
        interpret(program, entry, bytearray(pixels), 0, expected, 0, *extra, 16, 6)
        interpret(residual, entry, bytearray(pixels), 0, got, 0, *extra, 6)
        assert got == expected != bytes(12)


def test_filter() -> None:
    program = source("filter.scm")
    sound = bytes((97 * k + k * k // 5) % 256 for k in range(3 * 16))
    signal = [cogen.dynamic("memory"), cogen.cyclic(8, 0), cogen.cyclic(8, 0)]
    for entry, size in (("smooth!", 48), ("to-48-khz!", 66)):
        residual = specialized(program, entry, *signal, *signal)
        expected, got = bytearray(size), bytearray(size)
        interpret(program, entry, bytearray(sound), 0, 384, expected, 0, 8 * size)
        interpret(residual, entry, bytearray(sound), 0, 384, got, 0, 8 * size)
        assert got == expected != bytes(size)


def test_escapes() -> None:
    program = source("escapes.scm")
    coded = bytearray([5, 0x81, 2, 127, 0xFF, 0xFF, 1])
    values = [5, 258, 127, 32767, 1]
    signal = [cogen.dynamic("memory"), cogen.cyclic(8, 0), cogen.cyclic(8, 0)]
    out = bytearray(10)
    for run, decoded in (
        (specialized(program, "sum", *signal), specialized(program, "decode!", *signal * 2)),
        (program, program),
    ):
        assert interpret(run, "sum", coded, 0, 56) == sum(values)
        assert interpret(decoded, "decode!", coded, 0, 56, out, 0, 80) == len(values)
        assert out == b"".join(x.to_bytes(2, "little") for x in values)
