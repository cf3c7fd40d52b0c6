"""Arrays that change places, and are assigned to, in loops and conditionals that a run decides."""

from __future__ import annotations

import linecache
import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cogen
from cogen.array.l0.while_loops import WHILE
from cogen.lang.errors import CogenError
from tests.cogen.staging.test_programs import same
from tests.everyday import is_long

A, B = np.array([1.0, 2.0, 3.0]), np.array([0.5, -1.0, 2.0])


def jacobi(b: Any, n: int, limit: float) -> Any:
    u, v, error, k = np.zeros(n), np.zeros(n), 1.0, 0
    while error > limit and k < 500:
        for i in range(1, n - 1):
            v[i] = 0.5 * (u[i - 1] + u[i + 1] + b[i])
        error = np.max(np.abs(u - v))
        u, v = v, u
        k += 1
    return u, k


def swapped(a: Any, b: Any, n: int) -> Any:
    x, y, k = a.copy(), b.copy(), 0
    while k < n:
        x[0] += 1
        x, y = y, x
        k += 1
    return x, y


def rotated(a: Any, b: Any, n: int) -> Any:
    x, y, z, k = a.copy(), b.copy(), np.zeros(3), 0
    while k < n:
        x[1:] = y[:-1]
        if k % 2 == 0:
            x, y, z = y, z, x
        k += 1
    return x, y, z


def changed_and_named(a: Any, b: Any, n: int) -> Any:
    x, y = a.copy(), b.copy()
    if n > 2:
        x[0] = 9
        z = x
    else:
        z = y
    return z + 1


def changed_and_swapped(a: Any, b: Any, n: int) -> Any:
    x, y = a.copy(), b.copy()
    if n > 2:
        x, y = y, x
        x[0] = 9
    else:
        y[1] = 7
    return x, y


def changed_view(a: Any, b: Any, n: int) -> Any:
    x = a.copy()
    if n > 2:
        part = x[1:]
        part[0] = 4
        z = part
    else:
        z = b[:2]
    return z, x


def changed_list(a: Any, b: Any, n: int) -> Any:
    values, table = [1.0, 2.0], {"a": a}
    if n > 2:
        values[0] = 9.0
        table["a"] = b
        z, t = values, table
    else:
        z, t = [3.0, 4.0], {"a": a + b}
    return z, t, values


def made_and_changed(a: Any, b: Any, n: int) -> Any:
    z = a
    if n > 2:
        x = b.copy()
        if n > 3:
            x, z = z.copy(), x
        x[0] += 1
        z = x
    return z


FUNCTIONS: list[Callable[..., Any]] = [
    swapped, rotated, changed_and_named, changed_and_swapped, changed_view, changed_list,
    made_and_changed,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_staged_is_what_numpy_gives(function: Any) -> None:
    program = cogen.stage(function).program(A, B, 5)
    compiled = program.compile()
    for n in (0, 3, 4, 7):
        wanted = function(A, B, n)
        same(wanted, program.run(A, B, n))
        same(wanted, compiled(A, B, n))


def test_rounds_until_nothing_changes_copy_no_array() -> None:
    staged = cogen.stage(jacobi)
    b = np.full(20, 0.01)
    same(staged(b, 20, 1e-6), jacobi(b, 20, 1e-6))
    for program in (staged.program(b, 20, 1e-6), cogen.stage(swapped).program(A, B, 3)):
        _, _, loop = program.compile().source.partition(str(WHILE))
        assert loop
        assert not re.search(r"memcpy|cogen_alloc", loop[: loop.index("/* The entry. */")])


def test_a_name_of_what_was_changed_under_another_one_is_refused() -> None:
    def f(n: Any) -> Any:
        x, y = np.zeros(3), np.ones(3)
        k = x if n > 3 else y
        if n < 5:
            k[0] = 5
            z = x
        else:
            z = y
        return z

    with pytest.raises(CogenError, match="may be the array that was assigned to under another"):
        cogen.stage(f).program(1)


# The law: random loops over three arrays.


def _statements(choose: random.Random, depth: int) -> list[str]:
    a, b, c = (choose.choice("xyz") for _ in range(3))
    i, kind = choose.randrange(3), choose.randrange(9)
    if kind == 0 and depth < 2:
        lines = ["if s % 2 == 0:", *_indented(choose, depth)]
        return lines + (["else:", *_indented(choose, depth)] if choose.random() < 0.5 else [])
    return [
        [f"{a}, {b} = {b}, {a}"] if a != b else [f"{a}[{i}] += 1"],
        [f"{a}[{i}] += {b}[{(i + 1) % 3}]"],
        [f"{a} = {b} * 0.5 + {c}"],
        [f"{a} = {b}.copy()"],
        [f"{a}[1:] = {b}[:-1]"],
        [f"s += int({a}[0] > 0)"],
        [f"x, y, z = {', '.join(choose.sample('xyz', 3))}"],
        [f"{a}[{i}] = {b}[{i}] * 0.5"],
    ][kind - 1]


def _indented(choose: random.Random, depth: int) -> list[str]:
    count = choose.randrange(1, 4)
    return ["    " + line for _ in range(count) for line in _statements(choose, depth + 1)]


@pytest.mark.parametrize("seed", range(400 if is_long() else 10))
def test_random_loops_are_numpys(seed: int) -> None:
    choose = random.Random(seed)
    text = (
        "def f(a, b, n):\n"
        "    x, y, z, s, k = a.copy(), b.copy(), np.zeros(3), 0, 0\n"
        "    while k < n and x[0] < 100.0:\n"
        + "".join(f"    {line}\n" for line in _indented(choose, -1))
        + "        k += 1\n"
        "    return x, y, z, s, k\n"
    )
    name = f"<random loop {seed}>"
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    space: dict[str, Any] = {"np": np}
    exec(compile(text, name, "exec"), space)
    n = choose.randrange(7)
    wanted = space["f"](A, B, n)
    try:
        program = cogen.stage(space["f"]).program(A, B, n)
    except CogenError as error:
        if "assigned to under another name" not in error.message:
            raise
        return  # which is refused rightly: only a run knows whether names are of one array
    same(wanted, program.run(A, B, n))
    same(wanted, program.compile()(A, B, n))
