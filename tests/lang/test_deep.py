"""Recursion on a deep stack."""

from __future__ import annotations

import sys
import threading
from contextvars import ContextVar

import pytest

from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import LimitationError


def depth(n: int) -> int:
    return 0 if n == 0 else 1 + depth(n - 1)


def test_deep_recursion_works_and_the_limit_is_put_back() -> None:
    before = sys.getrecursionlimit(), threading.stack_size()
    assert on_deep_stack(depth, 100_000) == 100_000
    assert (sys.getrecursionlimit(), threading.stack_size()) == before


def test_endless_recursion_is_a_limitation() -> None:
    with pytest.raises(LimitationError) as caught:
        on_deep_stack(depth, -1)
    assert caught.value.message == "the program is nested too deeply"
    assert caught.value.hint is not None


def test_keywords_results_and_errors_pass_through() -> None:
    assert on_deep_stack(sorted, [1, 3, 2], reverse=True) == [3, 2, 1]
    with pytest.raises(ZeroDivisionError):
        on_deep_stack(lambda: 1 // 0)
    with pytest.raises(SystemExit):
        on_deep_stack(sys.exit, 3)


def test_a_deep_stack_is_reused_inside() -> None:
    threads: list[threading.Thread] = []

    def inner() -> None:
        threads.append(threading.current_thread())

    def outer() -> None:
        inner()
        on_deep_stack(inner)

    on_deep_stack(outer)
    assert threads[0] is threads[1] is not threading.current_thread()


def test_context_variables_are_seen() -> None:
    variable: ContextVar[int] = ContextVar("variable", default=0)
    variable.set(7)
    assert on_deep_stack(variable.get) == 7


def test_several_threads_at_once() -> None:
    before = sys.getrecursionlimit()
    results: list[int] = []
    threads = [
        threading.Thread(target=lambda: results.append(on_deep_stack(depth, 20_000)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [20_000] * 4
    assert sys.getrecursionlimit() == before
