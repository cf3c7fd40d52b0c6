"""Instances: a compiled program has heap, stack and globals of its own, and gives them back."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import cogen
from cogen.backends.native.build import runtime_texts
from cogen.backends.native.compile import compile_program
from cogen.backends.native.load import CompiledFunction
from cogen.backends.native.unicode import tables
from cogen.backends.objectcode.toolchain import find_compiler
from cogen.mix.native import NativeProcedure
from tests.cogen.nativecode.running import plain

STRINGS = """
(define (main n x)
  (let loop ((i (lift 0)) (l (lift '())))
    (if (= i n) (cons x l) (loop (+ i 1) (cons (number->string (+ i x)) l)))))
"""

COUNTER = """
(define count 0)
(define (tick by) (set! count (+ count by)) (list count 'ticks "so far"))
"""

THREADS = 8

WARNED = ("-std=gnu11", "-Wall", "-Wextra", "-Wconversion", "-Werror")


def compiled(text: str, entry: str, *bts: cogen.bt.BT) -> CompiledFunction:
    residual = cogen.specialize(cogen.loads(text, "test.scm"), entry, *bts, generalize=True)
    function = residual.compile()
    assert isinstance(function, CompiledFunction)
    return function


def strings() -> CompiledFunction:
    return compiled(STRINGS, "main", cogen.dynamic("int"), cogen.dynamic("int"))


def expected(n: int, x: int) -> list[Any]:
    return [x, *(str(i + x) for i in reversed(range(n)))]


def in_threads(work: Callable[[int], None]) -> None:
    """Do the work in threads at once; what one of them raises is raised."""
    raised: list[BaseException] = []

    def run(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]


def test_threads_with_a_program_each() -> None:
    """All of them share one shared object."""
    assert strings().path == strings().path

    def work(number: int) -> None:
        f = strings()
        for round in range(3):
            assert f(5000, number + round) == expected(5000, number + round)

    in_threads(work)


def test_threads_with_one_function() -> None:
    f = strings()

    def work(number: int) -> None:
        for round in range(3):
            assert f(5000, number + round) == expected(5000, number + round)

    in_threads(work)


def test_an_error_in_one_thread_is_not_seen_in_others() -> None:
    text = "(define (f n l) (if (= n 0) (car l) (f (- n 1) (append l '()))))"

    def work(number: int) -> None:
        f = compiled(text, "f", cogen.dynamic("int"), cogen.dynamic())
        for round in range(20):
            if (number + round) % 2:
                assert f(100, [number, "x"]) == number
            else:
                with pytest.raises(cogen.CogenError, match="car: expected a pair, got ") as caught:
                    f(100, [])
                assert str(caught.value.span) == "test.scm:1:29"

    in_threads(work)


def test_two_instances_in_one_thread() -> None:
    """One program twice and another one, in turns: globals and errors are each one's own."""
    first, second = (NativeProcedure(cogen.loads(COUNTER), "tick", 1) for _ in range(2))
    assert first.loaded.path == second.loaded.path
    other = strings()
    for round in range(1, 5):
        assert first.on_text("(1)") == f'({round} ticks "so far")'
        assert second.on_text("(10)") == f'({10 * round} ticks "so far")'
        assert other(3, round) == expected(3, round)
        answer = second.loaded.ask('("x")')
        assert answer.startswith("eerror\n")
        assert answer.endswith('\n+: expected a number, got "x"')


def test_one_instance_where_there_is_state() -> None:
    """Calls from several threads come one after the other, and none is lost."""
    tick = NativeProcedure(cogen.loads(COUNTER), "tick", 1)
    in_threads(lambda _: [tick.on_text("(1)") for _ in range(50)] and None)
    assert tick.on_text("(0)") == f'({50 * THREADS} ticks "so far")'


OUT_OF_MEMORY = """
import os
import cogen
from cogen.mix.native import NativeProcedure

def resident():
    if "-fsanitize" in os.environ.get("COGEN_CFLAGS", ""):
        return 0  # a sanitizer has memory of its own
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 >> 20

text = '''
(define kept (list 1 2 3))
(define (main n)
  (set! kept (cons n kept))
  (let loop ((i 0) (l '()))
    (if (= i n) (list (length l) kept) (loop (+ i 1) (cons (number->string i) l)))))'''
f = NativeProcedure(cogen.loads(text), "main", 1)
assert f.on_text("(10)") == "(10 (10 1 2 3))"
before = resident()
for _ in range(2):
    print(f.loaded.ask("(100000000)").split()[-4:])
    assert resident() < before + 12, (before, resident())
print(f.on_text("(100000)"))
print(f.loaded.ask('("x")').split()[-1])
assert resident() < before + 12, (before, resident())
"""


def run_python(program: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", program],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        env={**os.environ, **environment},
        cwd=Path(__file__).parents[3],
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_out_of_memory_is_over_when_it_is_told() -> None:
    """The heap is whole afterwards: globals are there, and the memory went back."""
    told = "['is', 'not', 'enough', 'memory']\n"
    kept = "(100000 (100000 100000000 100000000 10 1 2 3))\n"
    assert run_python(OUT_OF_MEMORY, COGEN_MEMORY="60") == f'{2 * told}{kept}"x"\n'


GIVEN_BACK = """
import cogen
from cogen.mix.native import NativeProcedure

def maps():
    with open("/proc/self/maps") as file:
        return sum(1 for line in file)

program = cogen.loads("(define (f n) (string->symbol (number->string n)))")
first = NativeProcedure(program, "f", 1)
before = maps()
for i in range(20):
    f = NativeProcedure(program, "f", 1)
    assert f.on_text(f"({i})") == f"|{i}|"
del f
print(maps() - before)
"""


@plain
def test_the_memory_of_an_instance_goes_back() -> None:
    assert int(run_python(GIVEN_BACK)) < 20  # an instance has four or more


@plain
def test_nothing_in_a_library_can_be_changed() -> None:
    """No variable of a program or of the run time: all that changes is in an instance."""
    path = compiled(STRINGS, "main", cogen.dynamic("int"), cogen.dynamic("int")).path
    listed = subprocess.run(
        ["objdump", "-t", str(path)], capture_output=True, text=True, check=True
    )
    rows = [line.split() for line in listed.stdout.splitlines() if " O " in line]
    changeable = {row[-1] for row in rows if row[3] in (".data", ".bss", ".tbss", ".tdata")}
    assert "the_compiled_program" in {row[-1] for row in rows}
    of_the_linker = {"completed", "__dso_handle", "__TMC_END__"}
    assert {name.split(".")[0] for name in changeable} <= of_the_linker


def test_the_run_time_compiles_without_a_warning(tmp_path: Path) -> None:
    for name, text in {"tables.c": tables(), **runtime_texts()}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    sources = map(str, sorted(tmp_path.glob("*.c")))
    done = subprocess.run(
        [*find_compiler().command, *WARNED, "-fsyntax-only", f"-I{tmp_path}", *sources],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_output_that_cannot_be_written_is_an_error() -> None:
    """Of the process for a command; of the call for a library, and the next one works."""
    text = "(define (f n) (write n) (newline) (* 2 n))"
    command = compile_program(cogen.loads(text), "f")
    with open("/dev/full", "w") as full:
        done = subprocess.run([command, "1"], stdout=full, stderr=subprocess.PIPE, check=False)
    reason = "cannot write standard output: No space left on device"
    assert (done.returncode, done.stderr.decode()) == (1, f"error: {reason}\n")
    assert run_python(WRITES.format(text=text)) == f"3\n{reason}\n6\n"


WRITES = """
import os, sys
import cogen
from cogen.mix.native import NativeProcedure
f = NativeProcedure(cogen.loads("{text}"), "f", 1)
out = os.dup(1)
full = os.open("/dev/full", os.O_WRONLY)
os.dup2(full, 1)
answer = f.loaded.ask("(2)")
os.dup2(out, 1)
print(answer.split(chr(10))[-1], f.on_text("(3)"), sep=chr(10), flush=True)
"""
