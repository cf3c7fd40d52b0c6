"""Functions that call themselves at their end, as often as a run says, become loops over states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cogen
import cogen.signals as signals
from cogen.staging.tracer import Tracer
from tests.cogen.staging.test_programs import passed, same

LETTERS = np.array([0, 1, 0, 0, 1, 1, 0, 1])
TABLE = {0: {0: 1, 1: 0}, 1: {0: 2, 1: 0}, 2: {0: 2, 1: 2}}


def automaton(table: cogen.static, accept: cogen.static, text: Any) -> Any:
    count = len(text)

    def state(s: Any, i: Any) -> Any:
        return s in accept if i >= count else step(s, text[i], i)

    def step(s: Any, c: Any, i: Any) -> Any:
        for letter, after in table[s].items():
            if c == letter:
                return state(after, i + 1)
        return False

    return state(0, 0)


def machine(program: cogen.static, x: Any) -> Any:
    """A stack machine whose program jumps by what a run computes."""

    def run(pc: Any, stack: Any) -> Any:
        op, *rest = program[pc]
        if op == "push":
            return run(pc + 1, (*stack, rest[0]))
        if op == "arg":
            return run(pc + 1, (*stack, x))
        if op == "swap":
            return run(pc + 1, (*stack[:-2], stack[-1], stack[-2]))
        if op == "over":
            return run(pc + 1, (*stack, stack[-2]))
        if op in ("add", "sub"):
            a, b = stack[-2:]
            return run(pc + 1, (*stack[:-2], a + b if op == "add" else a - b))
        if op == "jump":
            return run(rest[0], stack)
        if op == "zero":
            if stack[-1] == 0:
                return run(rest[0], stack)
            return run(pc + 1, stack)
        return stack[0]

    return run(0, ())


SUM = [
    ("push", 0), ("arg",), ("zero", 10), ("swap",), ("over",), ("add",), ("swap",), ("push", 1),
    ("sub",), ("jump", 2), ("end",),
]  # fmt: skip


def assignments(program: cogen.static, x: Any) -> Any:
    """An interpreter whose environment is a dictionary."""

    def run(pc: Any, values: Any) -> Any:
        match program[pc]:
            case ("set", name, e):
                return run(pc + 1, {**values, name: value(e, values)})
            case ("if", e, to):
                return run(to if value(e, values) else pc + 1, values)
            case ("while", e, to):
                if value(e, values):
                    return run(pc + 1, values)
                return run(to, values)
            case ("go", to):
                return run(to, values)
            case ("give", name):
                return values[name]

    def value(e: Any, values: Any) -> Any:
        if isinstance(e, tuple):
            op, *parts = e
            a, b = [value(part, values) for part in parts]
            return {"+": a + b, "*": a * b, "<": a < b}[op]
        return values[e] if isinstance(e, str) else e

    return run(0, {"x": x})


SQUARES = [
    ("set", "s", 0), ("set", "i", 0), ("while", ("<", "i", "x"), 6), ("set", "s", ("+", "s", ("*",
    "i", "i"))), ("set", "i", ("+", "i", 1)), ("go", 2), ("give", "s"),
]  # fmt: skip


def divisor(a: Any, b: Any) -> Any:
    return a if b == 0 else divisor(b, a % b)


def mapped(a: Any) -> Any:
    def rounds(n: Any, count: Any = 0) -> Any:
        return count if n == 1 else rounds(n // 2 if n % 2 == 0 else 3 * n + 1, count + 1)

    return cogen.map(rounds, a)


def alternating(n: Any) -> Any:
    def even(n: Any) -> Any:
        return True if n == 0 else odd(n - 1)

    def odd(n: Any) -> Any:
        return False if n == 0 else even(n - 1)

    return even(n)


def two_results(x: Any) -> Any:
    def go(a: Any, b: Any) -> Any:
        if a > 100:
            return a, b
        if a % 2 == 0:
            return go(a + 3, b * 2.0)
        return go(a * 2 + 1, b + 1)

    return go(x, 1.0)


@dataclass
class Reduced:
    value: float
    steps: int


@dataclass(frozen=True)
class Reducer:
    factor: float

    def go(self, x: Any, steps: Any) -> Any:
        if x < 1.0:
            return Reduced(x, steps)
        return self.go(x / self.factor, steps + 1)


def method(x: Any) -> Any:
    return Reducer(3.0).go(x, 0)


def changing(n: Any) -> Any:
    h = np.zeros(5, dtype=int)

    def go(i: Any, count: Any) -> Any:
        if i >= n:
            return count
        h[i % 5] += i
        if h[i % 5] > 6:
            return go(i + 2, count + 1)
        return go(i + 1, count)

    return go(0, 0), h


def without_result(a: Any) -> Any:
    h = np.zeros(2)

    def go(i: Any) -> Any:
        if i < len(a):
            h[0] += a[i]
            return go(i + 1)

    go(0)
    return h


def searched(a: Any, x: Any) -> Any:
    def go(low: Any, high: Any) -> Any:
        if low >= high:
            return low
        middle = (low + high) // 2
        return go(middle + 1, high) if a[middle] < x else go(low, middle)

    return go(0, len(a))


def found(a: Any) -> Any:
    def go(i: Any) -> Any:
        if i >= len(a):
            return -1
        if a[i] == 7:
            return i
        return go(i + 1)

    return go(0)


def counted_down(n: cogen.static, x: Any) -> Any:
    def go(k: Any, y: Any) -> Any:
        return y if k == 0 else go(k - 1, y * 2 if y < 100 else y + 1)

    return go(n, x)


def known_on_one_way(x: Any) -> Any:
    h = np.zeros(3)
    if x > 0:
        h[0] = 1.0
    else:
        h[1] = 2.0
    return h


CASES: list[tuple[Any, tuple[Any, ...]]] = [
    (automaton, (TABLE, {2}, LETTERS)),
    (automaton, (TABLE, {2}, LETTERS[:2])),
    (automaton, (TABLE, {0, 1}, LETTERS[:0])),
    (machine, (SUM, 5)),
    (machine, (SUM, 0)),
    (assignments, (SQUARES, 6)),
    (divisor, (48, 18)),
    (mapped, (np.arange(1, 9),)),
    (alternating, (7,)),
    (two_results, (3,)),
    (method, (1000.0,)),
    (changing, (20,)),
    (without_result, (np.arange(4.0),)),
    (searched, (np.array([0.5, 1.5, 2.5, 4.0]), 2.0)),
    (found, (np.array([1, 7, 3]),)),
    (found, (np.array([1, 3]),)),
    (counted_down, (5, 3)),
    (counted_down, (200, 3)),
    (known_on_one_way, (1,)),
    (known_on_one_way, (-1,)),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("function", "args"), CASES, ids=[f"{f.__name__}-{k}" for k, (f, _) in enumerate(CASES)]
)
def test_loops_give_what_recursion_gives(function: Any, args: Any) -> None:
    staged = cogen.stage(function)
    dynamic, _ = passed(staged, args)
    same(function(*args), staged.program(*args).run(*dynamic))


def test_compiled() -> None:
    for function, args in (CASES[0], CASES[3], CASES[11], CASES[12]):
        same(function(*args), cogen.stage(function)(*args))


def test_nothing_is_left_of_the_interpreter() -> None:
    text = cogen.stage(machine).program(SUM, 5).text
    assert text.count("loop") == 1
    assert text.count("if") <= 8  # of the program, and which state


def test_over_packed_samples() -> None:
    @cogen.stage
    def greatest(x: cogen.packed("u12")) -> Any:  # type: ignore[valid-type]  # a layout
        def go(i: Any, most: Any) -> Any:
            if i >= len(x):
                return most
            return go(i + 1, x[i] if x[i] > most else most)

        return go(0, 0)

    values = np.arange(33) * 37 % 4001
    assert greatest(signals.pack(values, "u12")) == values.max()


@settings(max_examples=5, deadline=None)
@given(st.data())
def test_random_automata(data: Any) -> None:
    count = data.draw(st.integers(1, 5))
    states = st.integers(0, count - 1)
    rows = st.dictionaries(st.integers(0, 2), states, min_size=1)
    table = data.draw(st.lists(rows, min_size=count, max_size=count))
    accept = data.draw(st.sets(states))
    text = np.array(data.draw(st.lists(st.integers(0, 2), max_size=12)), dtype=np.int64)
    program = cogen.stage(automaton).program(table, accept, text)
    assert program.run(text) == automaton(table, accept, text)


def factorial(n: Any) -> Any:
    return n * factorial(n - 1) if n > 1 else 1


def something_after(n: Any) -> Any:
    h = np.zeros(3)

    def go(i: Any) -> Any:
        if i >= n:
            return i
        found = go(i + 1)
        h[0] += 1
        return found

    return go(0), h


def in_a_tuple(n: Any) -> Any:
    def go(i: Any) -> Any:
        if i >= n:
            return (i, 0)
        return (go(i + 1), 1)

    return go(0)


def growing_array(a: Any) -> Any:
    def go(b: Any) -> Any:
        if b[0] > 10:
            return b
        return go(b * 2)

    return go(a)


def with_continuations(n: Any) -> Any:
    def go(n: Any, after: Any) -> Any:
        if n == 0:
            return after(1)
        return go(n - 1, lambda v: after(n * v))

    return go(n, lambda v: v)


def two_continuations(n: Any) -> Any:
    def go(n: Any, after: Any) -> Any:
        if n < 2:
            return after(n)
        return go(n - 1, lambda a: go(n - 2, lambda b: after(a + b)))

    return go(n, lambda v: v)


def growing_list(n: Any) -> Any:
    def go(n: Any, seen: Any) -> Any:
        if n == 0:
            return len(seen)
        return go(n - 1, [*seen, n])

    return go(n, [])


REFUSED = [
    (in_a_tuple, (5,), "return go(0)", "what `go` gives is not of one kind"),
    (growing_array, (np.array([1, 2]),), "if b[0] > 10", "computed under a staged condition"),
    (with_continuations, (5,), "lambda v: after(n * v)", "computed under a staged condition"),
    (two_continuations, (5,), "return go(n - 1, lambda a:", "calls itself"),
    (growing_list, (5,), "return go(n - 1, [*seen, n])", "hands on more each time"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("function", "args", "line", "words"), REFUSED)
def test_what_has_no_loop_is_refused_at_its_line(
    function: Any, args: Any, line: str, words: str
) -> None:
    with pytest.raises(cogen.CogenError) as told:
        cogen.stage(function).program(*args)
    assert words in told.value.message
    assert line in str(told.value)


@pytest.mark.parametrize("function", [with_continuations, two_continuations, growing_list])
def test_what_does_ever_more_is_refused_soon(
    function: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before thousands of calls have each run more and more functions."""
    counts: list[int] = []
    entered = Tracer.enter_call

    def counted(self: Tracer, *given: Any, **options: Any) -> None:
        entered(self, *given, **options)
        counts.append(self.calls)

    monkeypatch.setattr(Tracer, "enter_call", counted)
    with pytest.raises(cogen.CogenError):
        cogen.stage(function).program(5)
    assert len(counts) < 10_000


def popped(n: Any) -> Any:
    def go(n: Any, left: Any) -> Any:
        if n == 0:
            return left[0]
        return go(n - 1, left[1:])

    return go(n, [1, 2, 3])


@pytest.mark.parametrize("n", [0, 2])
def test_lists_that_get_shorter(n: int) -> None:
    """Where a run would look for what is not there, it is told then."""
    program = cogen.stage(popped).program(n)
    assert program.run(n) == popped(n)
    with pytest.raises(cogen.CogenError, match="list index out of range") as told:
        program.run(3)
    assert "return left[0]" in str(told.value)


def test_what_is_not_there_where_no_run_comes() -> None:
    names = {"a": 1}

    def f(x: Any) -> Any:
        if x > 0:
            return names["a"] * x
        return names["b"]

    staged = cogen.stage(f)
    assert staged(3) == 3
    with pytest.raises(cogen.CogenError, match="b") as told:
        staged(-1)
    assert 'return names["b"]' in str(told.value)
