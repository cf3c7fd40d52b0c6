"""`cogen repl`: from a pipe and on a terminal."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from cogen.cli import main
from cogen.repl.commands import COMMANDS
from cogen.repl.conversation import Conversation
from cogen.repl.prompt import completions, indentation

ROOT = Path(__file__).parents[2]
COGEN = [sys.executable, "-m", "cogen", "repl"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}

POWER = "(define (power x n)\n  (if (= n 0) 1 (* x (power x (- n 1)))))\n"


class Pipe:
    """Runs the command on a text."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch, self.capsys = monkeypatch, capsys

    def __call__(self, text: str, *arguments: str) -> tuple[str, str]:
        """What it writes to standard output and error; it leaves with 0."""
        given = TextIOWrapper(BytesIO(text.encode()), encoding="utf-8")
        self.monkeypatch.setattr("sys.stdin", given)
        self.capsys.readouterr()
        assert main(["repl", *arguments]) == 0
        done = self.capsys.readouterr()
        return done.out, done.err


@pytest.fixture
def pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Pipe:
    monkeypatch.chdir(tmp_path)
    return Pipe(monkeypatch, capsys)


# From a pipe


def test_values_are_written_and_definitions_are_silent(pipe: Pipe) -> None:
    out, err = pipe(POWER + '(power 2 10) "a\\nb" #\\a \'(x . y)\n(if #f #f)\n(values 1 "b")\n')
    assert (out, err) == ('1024\n"a\\nb"\n#\\a\n(x . y)\n1\n"b"\n', "")


def test_output_and_values_have_lines_of_their_own(pipe: Pipe) -> None:
    out, _ = pipe('(display "no end") 5\n(begin (display "x") (newline) 6)\n')
    assert out == "no end\n5\nx\n6\n"


def test_errors_are_told_and_end_nothing(pipe: Pipe) -> None:
    text = "(define (f x)\n  (+ 1 (car x)))\n(f 3)\n(g)\n)\n(vector-ref #(1) 1)\n(f '(4))\n"
    out, err = pipe(text)
    assert out == "5\n"
    heads = [line for line in err.splitlines() if "error:" in line]
    assert heads == [
        "<repl>:2:8: error: car: expected a pair, got 3",
        "<repl>:4:2: error: unbound name `g`",
        "<repl>:5:1: error: unexpected `)`",
        "<repl>:6:1: error: vector-ref: index 1 is not in 0 to 0",
    ]
    assert "  called from <repl>:3:1: (f 3)" in err


def test_the_end_of_the_input_in_a_form(pipe: Pipe) -> None:
    out, err = pipe("1 (list 2")
    assert out == "1\n"
    assert err.startswith("<repl>:1:3: error: unclosed `(`\n")


def test_an_empty_input(pipe: Pipe) -> None:
    assert pipe("") == ("", "")
    assert pipe("\n; nothing\n  \n") == ("", "")


def test_files_are_evaluated_first(pipe: Pipe) -> None:
    Path("a.scm").write_text('(define (f) (g)) (define (g) 1) (display "a")')
    Path("b.scm").write_text("(define (h) (f))")
    Path("bad.scm").write_text("(define x (car 1)) (define y 2)")
    out, err = pipe("(h)\n", "a.scm", "bad.scm", "b.scm")
    assert out == "a\n1\n"
    assert err.startswith("bad.scm:1:11: error: car: expected a pair, got 1\n")


def test_specialize(pipe: Pipe) -> None:
    out, err = pipe(POWER + ",specialize (power (dynamic int) (static 3))\n")
    assert (out, err) == ("; from <repl>:1\n(define (power x) (* x (* x x)))\n", "")
    again, _ = pipe(POWER + ",specialize (power (dynamic int)\n  ; here\n (static 3))\n")
    assert again == out


@pytest.mark.parametrize("known", ["3", "(static 3)", "'3", "(static @three)"])
def test_what_is_known(pipe: Pipe, known: str) -> None:
    Path("three").write_text("3")
    out, _ = pipe(POWER + f",specialize (power (dynamic int) {known})\n")
    assert out.endswith("(define (power x) (* x (* x x)))\n")


def test_specialize_uses_what_is_defined_now(pipe: Pipe) -> None:
    text = "(define (f x) (+ x 1))\n(define (g x) (f (f x)))\n(define (f x) (* x 2))\n"
    out, _ = pipe(text + ",specialize (g (dynamic int))\n")
    assert out == "; from <repl>:2\n(define (g x) (* x 4))\n"


def test_c_is_that_of_the_last_residual_program(pipe: Pipe) -> None:
    text = POWER + ",specialize (power (dynamic int) 2)\n,c power\n"
    out, err = pipe(text)
    assert "int64_t power(int64_t x)" in out
    assert err == ""
    out, _ = pipe(text + POWER + ",c power\n")  # defined again: nothing is known of it
    assert "power(int64_t x, int64_t n, cogen_error *error)" in out
    out, _ = pipe(POWER + ",c (power (dynamic float) 2)\n")
    assert "double power(double x)" in out


def test_python(pipe: Pipe) -> None:
    out, _ = pipe(POWER + ",python (power _ 2)\n")
    names: dict[str, object] = {}
    exec(out, names)
    assert names["power"](7) == 49  # type: ignore[operator]


def test_array(pipe: Pipe) -> None:
    pytest.importorskip("lark")
    text = "(define-array (twice (xs (array int)))\n  (array-map (lambda (x) (* 2 x)) xs))\n"
    out, err = pipe(text + ",array twice\n")
    assert err == ""
    assert out.startswith("fun ")
    assert "map(" in out
    out, _ = pipe("(define (f xs) (array-reduce + 0.0 xs))\n,array (f (dynamic (array float)))\n")
    assert "reduce(" in out


def test_explain(pipe: Pipe) -> None:
    filler = "(list 1)\n" * 20
    out, _ = pipe(filler + POWER + filler + ",explain (power _ 2)\n")
    _, _, told = out.partition("power, specialized to _ (static 2)\n")
    assert "unfolded" in told
    assert told.count("(list 1)") < 8  # of what was typed, what is near


def test_time(pipe: Pipe) -> None:
    out, _ = pipe("(define (f) 7)\n,time (f)\n")
    assert re.fullmatch(r"7\n; \d+\.\d{6} s\n", out)


def test_load(pipe: Pipe) -> None:
    Path("with space.scm").write_text("(define (f) 8)")
    out, err = pipe(',load with space.scm\n(f)\n,load "with space.scm"\n(f)\n')
    assert (out, err) == ("8\n8\n", "")
    out, err = pipe(",load nope.scm\n1\n")
    assert (out, err) == ("1\n", "error: there is no file nope.scm\n")


def test_help_lists_the_commands(pipe: Pipe) -> None:
    out, err = pipe(",help\n")
    assert err == ""
    for command in COMMANDS.values():
        assert f"  {command.usage} " in out


def test_what_names_are(pipe: Pipe) -> None:
    text = ";; The square of x.\n(define (square x)\n  (* x x))\n,doc square\n"
    assert pipe(text) == ("(square x)\nThe square of x.\n", "")
    out, _ = pipe("(define (f) 1)\n(define (f x) x)\n,doc f\n,doc car\n,doc if\n,doc filter-map\n")
    assert out.startswith("(f x)\n(define (f x) x)\n(car pair) -> any\nThe first half of a pair.\n")
    assert "`(if test then [else])`: one of the two" in out
    assert out.endswith("but for #f.\n(import (srfi 1))\n")
    out, err = pipe(",doc vectr-ref\n,doc (f)\n")
    assert out == ""
    assert "unbound name `vectr-ref`" in err
    assert "did you mean `vector-ref`?" in err
    assert "<repl>:2:6: error: wrong use of ,doc" in err


def test_quit(pipe: Pipe) -> None:
    assert pipe("1\n,quit\n2\n") == ("1\n", "")


def test_what_is_left_of_the_input_is_the_programs_to_read(pipe: Pipe) -> None:
    assert pipe("(read-line)\nhello\n(read-line) ; now\nthere\n5\n")[0] == '"hello"\n"there"\n5\n'


def test_exit(pipe: Pipe) -> None:
    with pytest.raises(SystemExit) as caught:
        pipe("(display 1)\n(exit 4)\n2\n")
    assert caught.value.code == 4


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (",hlep", "<repl>:1:1: error: there is no command ,hlep"),
        (",specialize", "<repl>:1:1: error: wrong use of ,specialize"),
        (",help me", "<repl>:1:1: error: wrong use of ,help"),
        (",time 1 2", "<repl>:1:1: error: wrong use of ,time"),
        (",c 3", "<repl>:1:4: error: a call with binding times was expected"),
        (",c nope", "<repl>:1:4: error: no procedure `nope` is defined here"),
        (",c (f 1) ; a comment", "<repl>:1:5: error: no procedure `f` is defined here"),
        (",specialize (f ]", "<repl>:1:16: error: `]` is no bracket of the language"),
    ],
)
def test_wrong_commands(pipe: Pipe, line: str, told: str) -> None:
    out, err = pipe(f"{line}\n5\n")
    assert out == "5\n"
    assert err.splitlines()[0] == told


def test_wrong_binding_times(pipe: Pipe) -> None:
    _, err = pipe(POWER + ",c (power 1)\n,c (power _ (dynamic foo))\n,specialize (powr 1 2)\n")
    heads = [line for line in err.splitlines() if "error:" in line]
    assert heads == [
        "<repl>:3:4: error: `power` has 2 parameters, but 1 binding time was given",
        "<repl>:4:22: error: unknown type `foo`",
        "<repl>:5:14: error: no procedure `powr` is defined here",
    ]
    assert "hint: did you mean `power`?" in err


def test_word_size_and_limits(pipe: Pipe) -> None:
    assert pipe("(word-size)\n", "--word-size", "16")[0] == "16\n"
    out, err = pipe("(let loop () (loop))\n1\n", "--max-time", "0.3")
    assert out == "1\n"
    assert "<repl>:1:" in err
    assert "more than 0.3 seconds" in err


def test_a_wrong_command_line(tmp_path: Path) -> None:
    assert main(["repl", str(tmp_path / "nope.scm")]) == 2


def test_answers_come_while_the_pipe_is_open() -> None:
    with subprocess.Popen(
        COGEN, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(3):
            process.stdin.write(f"(+ {number} 1)\n")
            process.stdin.flush()
            assert process.stdout.readline() == f"{number + 1}\n"
        process.stdin.close()
        assert process.wait() == 0


def test_the_conversation_of_the_page(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "repl.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```console\n(.*?)^```", page, re.S | re.M)
    conversation = Conversation()
    asked = 0
    for said, more, answer in re.findall(r"^> (.*\n)((?:\. .*\n)*)((?:(?!> ).*\n)*)", block, re.M):
        conversation.say(said + re.sub(r"^\. ", "", more, flags=re.M))
        done = capsys.readouterr()
        assert done.out + done.err == answer
        asked += 1
    assert asked == 5


def test_the_page_names_the_commands() -> None:
    page = (ROOT / "docs" / "repl.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`,(\w+)", page)) == set(COMMANDS)


# What a terminal is helped with


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(define (f x)", 2),
        ("  (list 1\n (a", 3),
        ("(f 1)", None),
        ("", None),
        ('"abc', 0),
        (")", None),
        (",specialize (f", 14),
        (",specialize (f 1)", None),
        (",load (f", None),
        ("; (", None),
    ],
)
def test_indentation(text: str, expected: int | None) -> None:
    assert indentation(text) == expected


def test_completion() -> None:
    conversation = Conversation()
    conversation.say("(define (my-own-name) 1)\n")
    assert [*completions(conversation, "(list (my-o")] == [("my-own-name", -4)]
    assert (",specialize", -3) in completions(conversation, ",sp")
    assert ("vector-ref", -9) in completions(conversation, ",time (vector-re")
    assert [*completions(conversation, "(")] == []


class Terminal:
    """The command on a terminal."""

    def __init__(self, place: Path, term: str) -> None:
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            state = {"XDG_STATE_HOME": str(place), "TERM": term}
            os.execve(COGEN[0], COGEN, {**ENVIRONMENT, **state})
        self.seen = ""

    def expect(self, pattern: str) -> str:
        """What is shown up to the first that matches, without colours."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            match = re.search(pattern, self.seen)
            if match is not None:
                shown, self.seen = self.seen[: match.end()], self.seen[match.end() :]
                return shown
            if select.select([self.file], [], [], 0.5)[0]:
                try:
                    data = os.read(self.file, 4096).decode("utf-8", "replace")
                except OSError:  # it has ended
                    data = ""
                    time.sleep(0.05)
                if "\x1b[6n" in data:  # where is the cursor?
                    os.write(self.file, b"\x1b[1;1R")
                self.seen += re.sub(r"\x1b(?:\[[0-9;?]*[A-Za-z]|[=>])", "", data)
        raise AssertionError(f"{pattern!r} does not come: {self.seen!r}")

    def type(self, text: str) -> None:
        os.write(self.file, text.encode())

    def status(self) -> int:
        """The exit status; what is still shown is read meanwhile."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
            if select.select([self.file], [], [], 0.1)[0]:
                with suppress(OSError):
                    os.read(self.file, 4096)
        raise AssertionError("it does not end")

    def end(self) -> None:
        """End it, if it has not."""
        with suppress(OSError):
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.file)


@pytest.fixture(params=["xterm", "dumb"])
def terminal(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Terminal]:
    if request.param == "xterm":
        pytest.importorskip("prompt_toolkit")
    made = Terminal(tmp_path, request.param)
    yield made
    made.end()


PROMPT = r">[ \x08\r]"


def test_a_conversation_on_a_terminal(terminal: Terminal, tmp_path: Path) -> None:
    terminal.expect(r",help lists the commands[^\n]*\n")
    for typed, shown in (
        ("(define (loop)\r(loop))\r", r"\n"),
        ("(car 5)\r", r"error: car: expected a pair, got 5"),
        ("(begin (display (list 1 2)) (newline) (loop))\r", r"\(1 2\)\r"),
        ("\x03", "interrupted"),
        ("(abandoned\x03", r"\n"),
        ("(+ 40 2)\r", r"\n42\r"),
    ):
        if typed != "\x03":
            terminal.expect(PROMPT)
            time.sleep(0.2)  # Python's line reader misses a signal between the prompt and waiting
        terminal.type(typed)
        terminal.expect(shown)
    terminal.expect(PROMPT)
    time.sleep(0.2)
    terminal.type("\x04")
    assert terminal.status() == 0
    history = tmp_path / "cogen" / "history"
    if history.exists():
        assert "+(car 5)" in history.read_text()
        assert history.stat().st_mode & 0o077 == 0


def test_completion_on_a_terminal(tmp_path: Path) -> None:
    pytest.importorskip("prompt_toolkit")
    terminal = Terminal(tmp_path, "xterm")
    try:
        for typed, shown in (
            ("(vector-fil\t", "vector-fill!"),
            ("\x03", PROMPT),
            (",qui\t", "quit"),  # a terminal that is slow draws the comma apart
        ):
            if typed != "\x03":
                terminal.expect(PROMPT)
            terminal.type(typed)
            terminal.expect(shown)
        terminal.type("\r")
        assert terminal.status() == 0
    finally:
        terminal.end()


def test_an_interrupted_evaluation_in_a_pipe() -> None:
    with subprocess.Popen(
        COGEN,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("(begin (display 1) (newline) 2)\n(let loop () (loop))\n")
        process.stdin.flush()
        assert process.stdout.readline() == "1\n"
        assert process.stdout.readline() == "2\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate("(+ 1 2)\n", timeout=60)
        assert (out, process.returncode) == ("3\n", 0)
        assert re.match(
            r"<repl>:2:\d+: error: interrupted\n 2 \| \(let loop \(\) \(loop\)\)\n", err
        )
