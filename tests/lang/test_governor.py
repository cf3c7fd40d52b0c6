"""The governor: whatever takes too much time or memory ends, with a diagnostic at its place."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cogen.lang import governor
from cogen.lang.datum import NIL, Pair, from_iterable, symbol
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError
from cogen.lang.governor import Budget, Exceeded, Exhausted, governed, room
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from cogen.lang.printer import write_brief, write_datum

ROOT = Path(__file__).parents[2]
SHORT = Budget(0.2, None)
SMALL = Budget(120.0, 30)


def spin() -> None:
    while True:
        pass


def stopped(budget: Budget, function: Callable[[], object]) -> Exhausted:
    with pytest.raises(Exhausted) as caught:
        governed("the work", budget, function)
    return caught.value


def run(text: str, budget: Budget) -> Exhausted:
    program = loads(text, "p.scm")
    with pytest.raises(Exhausted) as caught:
        Interpreter(program, budget=budget).run()
    return caught.value


def test_a_loop_ends_when_the_time_is_over() -> None:
    error = stopped(Budget(0.1, None), spin)
    assert error.message == "the work took more than 0.1 seconds"
    assert error.hint == "does it end? If so, raise --max-time (max_time=)"
    assert error.family == "limitation"


def test_a_loop_ends_when_the_memory_is_used_up() -> None:
    def grow() -> None:
        kept: list[bytes] = []
        while True:
            kept.append(bytes(100_000))

    error = stopped(Budget(20.0, 50), grow)
    assert error.message == "the work takes more than 50 megabytes of memory"


def test_on_a_deep_stack_the_thread_that_works_is_stopped() -> None:
    error = stopped(Budget(0.1, None), lambda: on_deep_stack(spin))
    assert "0.1 seconds" in error.message


def test_after_a_deep_stack_the_thread_that_waited_is_stopped() -> None:
    def work() -> None:
        on_deep_stack(lambda: None)
        spin()

    assert "0.1 seconds" in stopped(Budget(0.1, None), work).message


def test_what_is_swallowed_is_raised_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(governor, "_AGAIN", 0.1)

    def stubborn() -> None:
        try:
            spin()
        except Exceeded:
            spin()

    assert "0.1 seconds" in stopped(Budget(0.1, None), stubborn).message


def test_the_budget_around_ends_the_work_inside() -> None:
    inner = Budget(60.0, None)
    error = stopped(Budget(0.1, None), lambda: governed("the part", inner, spin))
    assert error.message == "the part took more than 0.1 seconds"


def test_a_budget_that_yields_takes_that_of_the_work_around() -> None:
    usual = Budget(0.001, None, yields=True)

    def work() -> int:
        return governed("the part", usual, lambda: time.sleep(0.3) or 5)

    assert governed("the work", Budget(60.0, None), work) == 5


def test_work_in_several_threads_is_stopped_by_itself() -> None:
    ends: list[str] = []

    def work(seconds: float) -> None:
        ends.append(stopped(Budget(seconds, None), spin).message)

    threads = [threading.Thread(target=work, args=(s,)) for s in (0.1, 0.3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ends) == [f"the work took more than {s} seconds" for s in (0.1, 0.3)]


def test_work_within_its_budget_is_left_alone_for_ever() -> None:
    assert governed("the work", Budget(0.2, 1000), lambda: 7) == 7
    deadline = time.monotonic() + 0.5
    while time.monotonic() < deadline:
        pass


AFTERWARDS = """
import sys
from cogen.lang.deep import on_deep_stack
from cogen.lang.governor import Budget, Exhausted, governed, arrived, Exceeded

def spin():
    while True:
        pass

def caught():
    try:
        spin()
    except Exceeded:
        arrived()
        raise

for work in spin, caught, lambda: on_deep_stack(spin):
    try:
        governed("the work", Budget(0.05, None), work)
    except Exhausted:
        count = 0
        def traced(frame, event, arg):
            global count
            count += 1
            return traced
        sys.settrace(traced)
        sum(i for i in range(100))
        sys.settrace(None)
        print(count > 100)
"""


def test_after_a_limit_a_debugger_can_trace() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", AFTERWARDS], capture_output=True, text=True, timeout=30, cwd=ROOT
    )
    assert ran.stdout.split() == ["True"] * 3, ran.stderr


@pytest.mark.parametrize("value", [0, -1, "1", float("nan")])
def test_a_limit_is_a_positive_number(value: float) -> None:
    with pytest.raises(CogenError, match="max_time must be a positive number of seconds"):
        Budget(value)
    with pytest.raises(CogenError, match="max_memory must be a positive number of megabytes"):
        Budget(None, value)


def test_room_is_refused_before_it_is_taken() -> None:
    with pytest.raises(Exhausted, match="takes more than 30 megabytes"):
        governed("the work", SMALL, room, 100 << 20)
    with pytest.raises(MemoryError):
        room(1 << 60)


# Programs


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("(define (f n)\n  (f (+ n 1)))\n(f 0)", {2}),
        ("(define (f n)\n (+ 1 (g n)))\n(define (g n)\n (f n))\n(f 0)", {2, 4}),
        ("(define (f n)\n (g n))\n(define (g n)\n (f n))\n(display\n (f 0))", {2, 4, 6}),
        ("(with-exception-handler (lambda (e) 1)\n (lambda ()\n (let loop () (loop))))", {3}),
    ],
)  # fmt: skip
def test_a_run_that_does_not_end_is_told_where_it_is(text: str, lines: set[int]) -> None:
    error = run(text, Budget(0.2, 200))
    assert error.span is not None
    assert error.span.line in lines
    assert "the run took more than 0.2 seconds" in error.render()


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("(define (f n) (+ 1 (f (+ n 1)))) (f 0)", 20),
        ("(let loop ((s \"ab\")) (loop (string-append s s)))", 28),
        ("(let loop ((s (make-bytevector 9))) (loop (bytevector-append s s)))", 43),
        ("(make-vector 100000000 0)", 1),
        ("(make-string 100000000 #\\a)", 1),
        ("(make-bytevector 100000000 7)", 1),
        ("(let loop ((l '())) (loop (cons 1 l)))", 21),
        ("(let loop ((v (vector 0))) (loop (vector-append v v)))", 34),
    ],
)  # fmt: skip
def test_a_run_that_takes_too_much_memory_is_told_where_it_is(text: str, column: int) -> None:
    error = run(text, SMALL)
    assert error.message == "the run takes more than 30 megabytes of memory"
    assert error.span is not None
    assert abs(error.span.column - column) <= 8


def test_handlers_of_the_program_do_not_see_a_limit() -> None:
    text = '(guard (e (#t (display "seen"))) (let loop ((l \'())) (loop (cons 1 l))))'
    assert "30 megabytes" in run(text, SMALL).message


def test_recursion_a_million_deep_is_within_the_usual_budget() -> None:
    program = loads("(define (f n) (if (= n 0) 0 (+ 1 (f (- n 1)))))")
    interpreter = Interpreter(program)
    interpreter.run()
    assert interpreter.call("f", [1_000_000]) == 1_000_000


def test_an_expansion_that_does_not_end_is_told_where_it_is() -> None:
    text = "(define-syntax f (syntax-rules () ((_ x ...) (f 1 x ...))))\n(f)"
    with pytest.raises(Exhausted) as caught:
        loads(text, "p.scm", budget=Budget(0.2, None))
    assert str(caught.value).startswith(
        "p.scm:2:1: limitation: reading and expanding the program took more than 0.2 seconds"
    )


# Messages about large data


def nested(depth: int) -> list[object]:
    datum: list[object] = [0]
    for _ in range(depth):
        datum = [datum, "x" * 2000]
    return datum


LARGE = [
    ("a" * 5_000_000, '"aaaa'),
    (bytearray(3_000_000), "#u8(0 0 0"),
    ([1] * 2_000_000, "#(1 1 1"),
    (from_iterable(range(100_000)), "(0 1 2"),
    (nested(100_000), "#(#(#("),
    ([[symbol("s" * 1000)] * 600] * 600, "#(#(ssss"),
]


def test_a_message_shows_the_beginning_of_large_data() -> None:
    for datum, beginning in LARGE:
        text = write_brief(datum, 60)
        assert len(text) == 60
        assert text.endswith("…")
        assert text.startswith(beginning)


def test_a_message_shows_small_data_whole() -> None:
    circular = Pair(1, NIL)
    circular.cdr = circular
    for datum in ("a b", 5, [1, [2]], symbol("x y"), circular, bytearray(b"ab")):
        assert write_brief(datum, 60) == write_datum(datum)


def test_a_message_shows_the_beginning_of_large_circular_data() -> None:
    circular = from_iterable([5] * 10_000)
    last = circular
    while isinstance(last.cdr, Pair):
        last = last.cdr
    last.cdr = circular
    assert write_brief(circular, 12) == "(5 5 5 5 5 …"


def test_who_waits_for_a_thread_that_begins_is_not_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else nobody would wait for the thread, or for ever; what it begins with is stopped."""
    stop, stopped_threads = governor._raise_in, list[int]()

    def noted(thread: int, kind: type[BaseException] | None) -> None:
        if kind is Exceeded:
            stopped_threads.append(thread)
        stop(thread, kind)

    go_on = threading.Thread.run

    def late(self: threading.Thread) -> None:
        if self.name == "deep stack":
            time.sleep(0.3)
        go_on(self)

    def work() -> None:
        deep.append(threading.get_ident())
        spin()

    monkeypatch.setattr(governor, "_raise_in", noted)
    monkeypatch.setattr(threading.Thread, "run", late)
    deep = list[int]()
    error = stopped(Budget(0.1, None), lambda: on_deep_stack(work))
    assert error.message == "the work took more than 0.1 seconds"
    assert set(stopped_threads) == set(deep)
    assert not [t for t in threading.enumerate() if t.name == "deep stack"]
