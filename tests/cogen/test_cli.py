"""The command line: results, diagnostics, exit status, files."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest

from cogen.cli import main
from cogen.lang.ilparse import parse
from cogen.lang.iltext import show
from tests.everyday import is_long

POWER = """\
(define (power x n)
  (if (= n 0) 1 (* x (power x (- n 1)))))
"""


SPECIALIZE = ["specialize", "power.scm", "--entry", "power"]
RECORD = ["specialize", "record.scm", "--entry", "f"]
RECORDS = """
(define-record-type pt (make-pt x y) pt? (x pt-x) (y pt-y))
(define-record-type one (make-one a) one? (a one-a))
(define (f x y . more) (list (pt-x x) (one-a y) more))
(define (g x) x)
"""


@dataclass
class Done:
    """What a command did."""

    status: int
    out: str
    err: str


class Shell:
    """Runs commands in a directory of their own."""

    def __init__(self, directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.directory = directory
        self.capsys = capsys

    def write(self, name: str, text: str) -> None:
        (self.directory / name).write_text(text, encoding="utf-8")

    def __call__(self, *arguments: str) -> Done:
        self.capsys.readouterr()
        status = main(arguments)
        captured = self.capsys.readouterr()
        return Done(status, captured.out, captured.err)

    def files(self) -> set[str]:
        return {path.name for path in self.directory.iterdir()}


@pytest.fixture
def shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Shell:
    monkeypatch.chdir(tmp_path)
    shell = Shell(tmp_path, capsys)
    shell.write("power.scm", POWER)
    return shell


COGEN = [sys.executable, "-m", "cogen"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent.parent)}


def process(
    *arguments: str, text: str = "", stdout: int | IO[bytes] = subprocess.PIPE
) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    return subprocess.run(
        [*COGEN, *arguments],
        input=text,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        env=ENVIRONMENT,
    )


# run


def test_run_prints_the_output_only(shell: Shell) -> None:
    shell.write("hello.scm", '(display "hello") (newline) (+ 1 2) (write "a\\n")')
    assert shell("run", "hello.scm") == Done(0, 'hello\n"a\\n"', "")


@pytest.mark.parametrize("backend", ["interp", "python"])
def test_run_tells_where_there_is_nothing_to_run(shell: Shell, backend: str) -> None:
    shell.write("f.scm", "(define (f x) (* 2 x))")
    done = shell("run", "f.scm", "--backend", backend)
    assert (done.status, done.out) == (0, "")
    assert done.err == "warning: nothing runs, only procedures are defined. Write: --entry f\n"
    shell.write("g.scm", "(define (f x) (* 2 x)) (define y (f 1))")
    assert shell("run", "g.scm", "--backend", backend) == Done(0, "", "")


def test_run_calls_the_entry_after_the_top_level(shell: Shell) -> None:
    shell.write("f.scm", '(define (f x) (display "in f") (newline) (list x "s"))(display 1)')
    assert shell("run", "f.scm", "--entry", "f", "(a . #\\b)") == Done(
        0, '1in f\n((a . #\\b) "s")\n', ""
    )


@pytest.mark.parametrize(
    ("body", "arguments", "printed"),
    [
        ("(+ x 1)", ["-5"], "-4\n"),
        ("(+ x 1)", ["-2.5e-1"], "0.75\n"),
        ("x", ["-inf.0"], "-inf.0\n"),
        ("x", ["--", "-"], "-\n"),
        ("x", ['"two words"'], '"two words"\n'),
        ("x", ["#u8(1 2)"], "#u8(1 2)\n"),
        ("x", ["'a"], "'a\n"),
        ("(if #f #f)", ["1"], ""),
        ("(values x 2)", ["1"], "1\n2\n"),
        ("(values)", ["1"], ""),
        ("(load-word x 0)", ["#u8(1 1 0 0)"], "257\n"),
    ],
)
def test_run_arguments_and_results(
    shell: Shell, body: str, arguments: list[str], printed: str
) -> None:
    shell.write("f.scm", f"(define (f x) {body})")
    assert shell("run", "f.scm", "--entry", "f", *arguments) == Done(0, printed, "")


@pytest.mark.parametrize("backend", ["interp", "python", "c"])
@pytest.mark.parametrize(
    ("top", "body", "printed"),
    [
        ('"top"', "x", "top\n5\n"),
        ('"top"', "(display x)", "top5"),
        ('"top\\n"', '(begin (display "in") (newline) x)', "top\nin\n5\n"),
        ('"top"', '(begin (display "in") (values x 6))', "topin\n5\n6\n"),
        ('""', "x", "5\n"),
    ],
)
def test_the_result_has_a_line_of_its_own(
    shell: Shell, backend: str, top: str, body: str, printed: str
) -> None:
    shell.write("f.scm", f"(define (f x) {body}) (display {top})")
    assert shell("run", "f.scm", "--backend", backend, "--entry", "f", "5") == Done(0, printed, "")


def test_run_takes_the_word_size(shell: Shell) -> None:
    shell.write("f.scm", "(define (f x) (list (word-size) (load-word x 1)))")
    done = shell("run", "f.scm", "--entry=f", "--word-size", "8", "#u8(1 2)")
    assert done == Done(0, "(8 2)\n", "")


@pytest.mark.parametrize("backend", ["interp", "python", "c"])
def test_run_checks_the_number_of_arguments(shell: Shell, backend: str) -> None:
    done = shell("run", "power.scm", "--entry", "power", "--backend", backend, "1")
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("power.scm:1:1: error: power: expected 2 arguments, got 1\n")


def test_run_as_python(shell: Shell) -> None:
    shell.write("f.scm", '(define (f x y) (list (car x) y)) (write "top") (newline)')
    command = ["run", "f.scm", "--backend", "python"]
    assert shell(*command) == Done(0, '"top"\n', "")
    assert shell(*command, "--entry", "f", "(1 . 2)", "#u8(1)") == Done(
        0, '"top"\n(1 #u8(1))\n', ""
    )
    done = shell(*command, "--entry", "f", "1", "2")
    assert (done.status, done.out) == (1, '"top"\n')
    assert done.err.startswith("f.scm:1:23: error: ")


def test_run_compiled(shell: Shell) -> None:
    shell.write("f.scm", "(display 1)(newline)(define (f x) (if (> x 0.5) (* 2.0 x) x))")
    command = ["run", "f.scm", "--entry", "f", "--backend", "c"]
    assert shell(*command, "1.5") == Done(0, "1\n3.0\n", "")
    shell.write("f.scm", "(define (f x) (* x x))")
    done = shell(*command, str(2**40))
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("f.scm:1:15: error: ")


def test_run_compiled_takes_rest_arguments(shell: Shell) -> None:
    shell.write("f.scm", "(define (f a . r) (if (null? r) a (+ a (car r))))")
    command = ["run", "f.scm", "--entry", "f", "--backend", "c"]
    assert shell(*command, "1") == Done(0, "1\n", "")
    assert shell(*command, "1", "2", "3") == Done(0, "3\n", "")
    done = shell(*command)
    assert done == shell(*command[:-2])
    assert done.err.startswith("f.scm:1:1: error: f: expected at least 1 argument, got 0\n")


def test_run_reads_standard_input() -> None:
    done = process("run", "-", text='(display "λ")')
    assert (done.returncode, done.stdout, done.stderr) == (0, "λ", "")
    done = process("run", "-", text="(display\n  (car 1))")
    assert done.returncode == 1
    assert done.stderr.startswith("<stdin>:2:3: error: ")


def test_run_keeps_the_output_before_an_error(shell: Shell) -> None:
    shell.write("f.scm", "(display 1)\n(car 5)\n(display 2)")
    done = shell("run", "f.scm")
    assert (done.status, done.out) == (1, "1")
    assert done.err.startswith("f.scm:2:1: error: ")


def test_a_wrong_program_prints_nothing(shell: Shell) -> None:
    shell.write("f.scm", "(display 1)\n(display y)")
    done = shell("run", "f.scm")
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("f.scm:2:10: error: ")
    assert "\n 2 | (display y)\n   |          ^\n" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run"], "Missing argument 'FILE'"),
        (["run", "no-such.scm"], "'no-such.scm' does not exist"),
        (["run", "powr.scm"], "'powr.scm' does not exist. Did you mean 'power.scm'?"),
        (["check", "examples/imp.scm"], "To have the examples here: cogen examples copy examples"),
        (["view", "nowhere/imp.scm"], "'nowhere/imp.scm' does not exist.\n"),
        (["run", "."], "'.' is a directory"),
        (["run", "power.scm", "5"], "name it with --entry. Write: --entry power"),
        (["run", "power.scm", "--backend", "fortran"], "'fortran' is not one of"),
        (["run", "power.scm", "--entri", "power"], "No such option"),
        (["run", "power.scm", "-x"], "No such option"),
        (["run", "power.scm", "--word-size", "12"], "'12' is not one of"),
        (["run", "power.scm", "--entry", "powr"], "error: power.scm does not define `powr`"),
        (["run", "power.scm", "--entry", "power", ")", "2"], "ARG 1:1:1: error: unexpected `)`"),
        (["run", "power.scm", "--entry", "power", "1", "2 3"], "ARG 2:1:3: error: one datum"),
        ([*SPECIALIZE[:2]], "Missing option '--entry'. Write: --entry power"),
        ([*SPECIALIZE[:2], "power", "_", "3"], "Missing option '--entry'. Write: --entry power"),
        (["specialize", "no-such.scm"], "'no-such.scm' does not exist"),
        ([*SPECIALIZE, "--emit", "x"], "'x' is not one of"),
        ([*SPECIALIZE, "--max-size", "0"], "0 is not in the range"),
        ([*SPECIALIZE, "--max-unfoldings", "0"], "0 is not in the range"),
        ([*SPECIALIZE, "--max-time", "0"], "0 is not in the range"),
        ([*SPECIALIZE, "_", "(cyclic 8 8)"], "BT 2:1:11: error: "),
        ([*SPECIALIZE, "_", "(static"], "BT 2:1:1: error: unclosed"),
        ([*SPECIALIZE, "_"], "`power` has 2 parameters, but 1 "),
        ([*RECORD, "_"], "`f` has at least 2 parameters, but 1 binding time was given"),
        ([*RECORD[:3], "g", "_", "_"], "`g` has 1 parameter, but 2 binding times were given"),
        ([*RECORD, "_", "_", "(cons _ (record pt _))"],
         "BT 3: the record type `pt` has 2 fields, but 1 binding time was given"),
        ([*RECORD, "_", "(vector (record one))"],
         "BT 2: the record type `one` has 1 field, but 0 binding times were given"),
        ([*RECORD, "_", "(record one (record ptt _))"],
         "BT 2: there is no record type `ptt`"),
        (["specialize", "power.scm", "--entry", "square", "_"], "does not define `square`"),
        (["specialise", "power.scm"], "No such command 'specialise'"),
        (["power.scm", "2"], "`power.scm` is a file, not a command. Write: cogen run power.scm 2"),
        (["array", "p.l0"], "`p.l0` is a file, not a command. Write: cogen array run p.l0"),
        (["bench", "no-such"], "there is no benchmark `no-such`"),
        (["--frobnicate"], "No such option"),
    ],
)  # fmt: skip
def test_wrong_usage(shell: Shell, arguments: list[str], message: str) -> None:
    shell.write("record.scm", RECORDS)
    done = shell(*arguments)
    assert (done.status, done.out) == (2, "")
    assert message in done.err


def test_hints_of_wrong_usage(shell: Shell) -> None:
    assert "hint: did you mean `power`?" in shell("run", "power.scm", "--entry", "powr").err
    done = shell("specialize", "power.scm", "--entry", "power", "(cyclic 8 8)", "_")
    assert " 1 | (cyclic 8 8)\n   |           ^\n" in done.err
    done = shell("specialize", "power.scm", "--entry", "power", "_", "@n.data")
    assert done.err.startswith("error: BT 2: @n.data is no binding time\n")
    assert "(static @n.data)" in done.err
    done = shell("specialize", "power.scm", "--entry", "power", "_")
    assert "power.scm:1:1: note: it is defined here" in done.err


def test_help_and_version(shell: Shell) -> None:
    done = shell("--help")
    assert done.status == 0
    assert "specialize" in done.out
    assert "--max-variants N" in shell("specialize", "--help").out
    assert shell("--version") == Done(0, "cogen, version 0.1.0\n", "")


def test_commands_import_what_they_need() -> None:
    """Start-up is most of the time of a small job: compilers need no reader of programs."""
    program = (
        "import sys, cogen.cli, cogen.generating.extension\n"
        "print(sorted({'rich', 'cogen.lang.expand', 'numpy', 'cffi', 'lark'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "[]\n")


def test_an_encoding_that_lacks_a_character() -> None:
    done = subprocess.run(
        [*COGEN, "run", "-"],
        input='(display "λ") (car "λ")'.encode(),
        capture_output=True,
        check=False,
        env={**ENVIRONMENT, "PYTHONIOENCODING": "ascii"},
    )
    assert (done.returncode, done.stdout) == (1, b"\\u03bb")
    assert done.stderr.startswith(b"<stdin>:1:15: error: ")


def test_thousands_of_levels(shell: Shell) -> None:
    depth = 10_000 if is_long() else 3_000
    shell.write("deep.scm", "(define (f x) " + "(+ 1 " * depth + "x" + ")" * depth + ")")
    assert shell("run", "deep.scm", "--entry", "f", "5") == Done(0, f"{depth + 5}\n", "")
    done = shell("specialize", "deep.scm", "--entry", "f", "(static 5)")
    assert (done.status, done.err) == (0, "")
    assert f"{depth + 5}" in done.out


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    program = tmp_path / "loop.scm"
    program.write_text('(do ((i 0 (+ i 1))) ((= i 20000)) (display "0123456789") (newline))')
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as stdout:
        done = process("run", str(program), stdout=stdout)
    assert done.stderr == ""
    assert done.returncode == 1


def test_an_interrupt_ends_quietly(tmp_path: Path) -> None:
    program = tmp_path / "loop.scm"
    program.write_text("(let loop () (display 1) (loop))")
    with subprocess.Popen(
        [*COGEN, "run", str(program)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    ) as child:
        assert child.stdout is not None
        child.stdout.read(1)
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate()
    assert child.returncode == 130
    assert b"Traceback" not in errors
    assert re.search(rb"loop\.scm:1:\d+: error: interrupted\n 1 \| \(let loop", errors)


def test_bytes_that_are_no_text(shell: Shell) -> None:
    (shell.directory / "f.scm").write_bytes(b"(display \xff)")
    done = shell("run", "f.scm")
    assert (done.status, done.out) == (1, "")
    assert "f.scm is not UTF-8 text: byte 9 cannot be read" in done.err


# specialize


def test_specialize_prints_a_program_that_runs(shell: Shell) -> None:
    done = shell("specialize", "power.scm", "--entry", "power", "(dynamic int)", "(static 5)")
    assert (done.status, done.err) == (0, "")
    assert done.out.endswith(")\n")
    shell.write("power5.scm", done.out)
    assert shell("run", "power5.scm", "--entry", "power", "2") == Done(0, "32\n", "")


def test_specialize_writes_files_whole_or_not_at_all(shell: Shell) -> None:
    command = [*SPECIALIZE, "-o", "out.scm"]
    assert shell(*command, "_", "(static 3)") == Done(0, "", "")
    first = (shell.directory / "out.scm").read_text()
    assert "power" in first
    os.chmod(shell.directory / "out.scm", 0o640)
    failed = shell(*command, "(static a)", "(static 3)")
    assert (failed.status, failed.out) == (1, "")
    assert (shell.directory / "out.scm").read_text() == first
    assert shell(*command, "_", "(static 2)").status == 0
    assert (shell.directory / "out.scm").read_text() != first
    assert stat.S_IMODE((shell.directory / "out.scm").stat().st_mode) == 0o640
    assert shell.files() == {"power.scm", "out.scm"}


def test_no_file_is_left_by_a_failure(shell: Shell) -> None:
    command = [*SPECIALIZE, "_", "(static 3)"]
    failed = shell(*command, "-o", "no/such/out.scm")
    assert failed.status == 1
    assert failed.err == "error: cannot write no/such/out.scm: No such file or directory\n"
    assert shell(*command, "-o", ".").status == 1
    assert shell(*command, "-o", "-").out == shell(*command).out
    assert shell(*command, "-o", os.devnull) == Done(0, "", "")
    assert shell.files() == {"power.scm"}


def test_specialize_emits_il_that_reads_back(shell: Shell) -> None:
    done = shell("specialize", "power.scm", "--entry", "power", "_", "(static 2)", "--emit", "il")
    assert (done.status, done.err) == (0, "")
    assert show(parse(done.out)) == done.out


def test_specialize_emits_python(shell: Shell) -> None:
    done = shell(
        "specialize", "power.scm", "--entry", "power", "_", "(static 2)", "--emit", "python"
    )
    assert (done.status, done.err) == (0, "")
    compile(done.out, "residual.py", "exec")


def test_specialize_emits_c_and_shared_objects(shell: Shell) -> None:
    command = [*SPECIALIZE, "(dynamic int)", "(static 2)"]
    done = shell(*command, "--emit", "c")
    assert (done.status, done.err) == (0, "")
    assert "power" in done.out
    assert shell(*command, "--emit", "so", "-o", "power.so") == Done(0, "", "")
    assert (shell.directory / "power.so").read_bytes()[:4] == b"\x7fELF"


def test_statistics_go_to_standard_error(shell: Shell) -> None:
    done = shell("specialize", "power.scm", "--entry", "power", "_", "(static 2)", "--stats")
    assert done.status == 0
    assert "specialization" in done.err
    assert "specialization" not in done.out


def test_auto_says_what_it_splits_and_why(shell: Shell) -> None:
    shell.write("f.scm", "(define (f a i) (load-word a (floor-quotient i 32)))\n"
                "(define (g a i n) (if (> n 0) (g a (+ i 32) (- n 1)) (f a i)))")  # fmt: skip
    times = ["(dynamic memory)", "(dynamic int)", "(dynamic int)"]
    done = shell("specialize", "f.scm", "--entry", "g", *times, "--auto", "--stats")
    assert done.status == 0
    assert "set-base i 32 in g" in done.err
    assert "f.scm:1:" in " ".join(done.err.split())
    assert "floor-remainder" in done.out


def test_top_level_expressions_are_left_out_with_a_warning(shell: Shell) -> None:
    shell.write("f.scm", "(define (f x) (* x 2))\n  (display (f 1))")
    done = shell("specialize", "f.scm", "--entry", "f", "_")
    assert done.status == 0
    assert "display" not in done.out
    assert done.err.startswith("f.scm:2:3: warning: this top-level expression is left out\n")


def test_limits_end_with_status_one(shell: Shell) -> None:
    shell.write("f.scm", "(define (f n) (if (= n 0) 0 (+ 1 (f (- n 1)))))")
    command = ["specialize", "f.scm", "--entry", "f", "(static 1000000)", "-o", "out.scm"]
    done = shell(*command, "--max-time", "0.5")
    assert (done.status, done.out) == (1, "")
    assert re.match(r"f.scm:1:\d+: limitation: specialization took more than 0.5 s", done.err)
    assert re.search(r"note: in the call of f \(n = \d+", done.err)
    assert shell.files() == {"power.scm", "f.scm"}


def test_emit_array_is_a_program_that_cogen_array_takes(shell: Shell) -> None:
    text = "(define (f k x) (array-reduce + 0.0 (array-map (lambda (y) (* k y)) x)))"
    shell.write("f.scm", text)
    command = ["specialize", "f.scm", "--entry", "f", "(static 2)", "(dynamic (array float))"]
    done = shell(*command, "--emit", "array", "-o", "f.l0")
    assert (done.status, done.out, done.err) == (0, "", "")
    assert shell("array", "check", "f.l0").status == 0
    done = shell("array", "run", "f.l0", "[1.0, 2.5]")
    assert (done.status, done.out) == (0, "7.000000\n")


def test_what_array_programs_do_not_have_leaves_no_file(shell: Shell) -> None:
    shell.write("f.scm", "(define (f x)\n  (array-map (lambda (y) (lambda (z) y)) x))")
    command = ["specialize", "f.scm", "--entry", "f", "(dynamic (array int))", "--emit", "array"]
    done = shell(*command, "-o", "out")
    assert done.status == 1
    assert done.out == ""
    assert done.err.startswith("f.scm:2:14: limitation: an array program cannot use a proc")
    assert not (shell.directory / "out").exists()


def test_array_commands_take_scheme(shell: Shell) -> None:
    shell.write(
        "f.scm",
        "(define-array (total (x (array float)))\n  (array-reduce + 0.0 x))\n"
        "(define-array (main (x (array float)))\n  (/ (total x) (array-size x)))\n",
    )
    assert shell("array", "check", "f.scm").status == 0
    assert shell("array", "run", "f.scm", "[1.0, 2.0]").out == "1.500000\n"
    assert shell("array", "run", "f.scm", "--entry", "total", "[1.0, 2.0]").out == "3.000000\n"
    assert "f.scm: main" in shell("array", "fuse-report", "f.scm").out
    done = shell("array", "run", "f.scm", "--entry", "mean", "[1.0]")
    assert done.status == 2
    assert "does not define `mean`" in done.err


@pytest.mark.parametrize("backend", ["interp", "python", "c"])
@pytest.mark.parametrize(
    ("body", "option", "what"),
    [
        ("(f (+ n 1))", ["--max-time", "0.3"], "took more than 0.3 seconds"),
        ("(+ 1 (f n))", ["--max-memory", "40"], "memory"),
    ],
)
def test_a_run_keeps_to_its_limits(
    shell: Shell, backend: str, body: str, option: list[str], what: str
) -> None:
    shell.write("f.scm", f"(define (f n) {body})")
    done = shell("run", "f.scm", "--entry", "f", "1", "--backend", backend, *option)
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("f.scm:1:")
    assert what in done.err.splitlines()[0]


def test_the_expansion_of_a_program_keeps_to_the_limits_of_the_command(shell: Shell) -> None:
    shell.write("f.scm", "(define-syntax f (syntax-rules () ((_ x ...) (f 1 x ...))))\n(f)")
    done = shell("specialize", "f.scm", "--entry", "f", "--max-time", "0.3")
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("f.scm:2:1: limitation: reading and expanding the program took")


def test_a_specialization_keeps_to_its_memory(shell: Shell) -> None:
    text = '(define (f s) (if (string=? s "") 0 (f (string-append s s))))'
    shell.write("f.scm", text)
    for command in (["specialize", "f.scm", "--entry", "f"], ["compile-with", "g.py"]):
        if command[0] == "compile-with":
            assert shell("generate", "f.scm", "--entry", "f", "(static)", "-o", "g.py").status == 0
        done = shell(*command, '(static "a")', "--max-memory", "50")
        assert (done.status, done.out) == (1, "")
        message = "limitation: specialization takes more than 50 megabytes of memory"
        assert message in done.err.splitlines()[0]
        assert done.err.startswith("f.scm:1:37:")
