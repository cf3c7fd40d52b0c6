"""`match` in staged functions: values, tuples, objects, alternatives and guards decide in a run."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import cogen


@dataclass
class Point:
    x: int
    y: int


@dataclass
class Circle:
    centre: Point
    r: int


@dataclass
class Square:
    at: Point
    side: int


GRID = [(x, y) for x in range(-3, 8) for y in range(-2, 5)]
XS, YS = (np.array(column) for column in zip(*GRID, strict=True))


def values(x: int, y: int) -> int:
    match x:
        case 0 | 1:
            return y
        case 2 if y > 1:
            return 2 * y
        case n if n == y + 1:
            return n * 100
        case -1:
            return 7
        case _:
            return -x


def pairs(x: int, y: int) -> int:
    match (x % 3, (y, x > 2)):
        case 0, (z, True):
            return z
        case (0 | 1 as r, (0, False)):
            return r - 50
        case [r, (z, False)] if r < z:
            return r * 10 + z
        case a, (b, c):
            found = a + b
            return found if c else -found
    return 1000  # not reached


def shape(x: int, y: int) -> Circle | Square:
    return Circle(Point(x, y), x + y) if x % 2 == 0 else Square(Point(y, x), x - y)


def parts(x: int, y: int) -> int:
    s = shape(x, y)
    found = 0
    match s:
        case Circle(Point(0, z), r) if r > 0:
            found = z + r
        case Circle(Point(x=a, y=0)) | Square(side=a) if a in (1, 2):
            found = a
        case Square(Point(z, w) as p, 4 | 5) if w > z:
            found = p.x * 100 + p.y
        case Circle(r=r) if r % 2 == 0:
            found = -r
        case Circle(Point(), 3) | Square(Point(), 3):
            found = 33
    return found


def in_loops(x: int, y: int) -> int:
    total = 0
    for k in range(8):
        match (k + x) % 4, k:
            case 0, _:
                continue
            case 3, at if at > y + 4:
                break
            case r, 5:
                total += 100 * r
            case r, at:
                total += r * at
    return total


ALL = (values, pairs, parts, in_loops)


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_runs_decide(f: Any) -> None:
    staged = cogen.stage(lambda xs, ys: cogen.map(f, xs, ys))
    assert staged(XS, YS).tolist() == [f(x, y) for x, y in GRID]


def test_names_of_a_guard_that_are_the_patterns_are_told() -> None:
    def own(x: int) -> int:
        match shape(x, 1):
            case Circle(r=k) if sum([k == 1 for k in (x, 2)]) > 0:
                return k
        return 0

    with pytest.raises(cogen.CogenError, match="a guard whose own names are the pattern's too"):
        cogen.stage(lambda xs: cogen.map(own, xs))(XS)


def test_names_of_a_guard_may_be_others() -> None:
    def others(x: int) -> int:
        match shape(x, 1):
            case Circle(Point(k, _), r) if sum([r == k + j for j in (1, 2)]) > 0:
                return 1
        return 0

    staged = cogen.stage(lambda xs: cogen.map(others, xs))
    assert staged(XS).tolist() == [others(int(x)) for x in XS]


def known(a: Any, mode: Any) -> Any:
    match mode:
        case "sum", int(n) if n > 0:
            return a.sum() * n
        case {"scale": by}:
            return a * by
        case {"shift": by, **others} if not others:
            return a + by
        case [first, *rest, 5, _]:
            return a - first + sum(rest)
        case [first, *rest]:
            return a + first + sum(rest)
        case None:
            return a
        case True:
            return a > 0
    return -a


MODES: list[Any] = [
    ("sum", 2), ("sum", -2), {"scale": 3}, {"shift": 1}, {"shift": 1, "by": 2},
    [1, 2, 3], [1, 2, 5, 3], None, True, 1, "sum",
]  # fmt: skip


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_what_is_known_is_matched_as_ever(mode: Any) -> None:
    def one(a: Any) -> Any:
        return known(a, mode)

    if mode == ("sum", -2):
        with pytest.raises(TypeError):
            known(XS, mode)
    else:
        assert np.array_equal(cogen.stage(one)(XS), known(XS, mode))


# Random statements.


def pattern(random: Random, depth: int) -> tuple[str, list[str]]:
    """A pattern of an int, and what it binds."""
    kind = random.randrange(5)
    if kind == 0:
        return str(random.randint(-1, 3)), []
    if kind == 1:
        return " | ".join(str(random.randint(-1, 4)) for _ in range(2)), []
    if kind == 2:
        return "_", []
    name = f"v{depth}"
    return (f"{random.randint(0, 2)} | 3 as {name}" if kind == 3 else name), [name]


def source(random: Random) -> str:
    lines = ["def f(x, y):", "    match (x % 4, (y, x - y)):"]
    for _ in range(random.randint(2, 5)):
        made = [pattern(random, k) for k in range(3)]
        names = [name for _, found in made for name in found]
        (a, b, c) = (text for text, _ in made)
        guard = f" if {random.choice([*names, 'x'])} < {random.randint(-1, 3)}"
        lines.append(f"        case ({a}), (({b}), ({c})){guard if random.random() < 0.6 else ''}:")
        lines.append(f"            return {' + '.join([*names, str(random.randint(0, 9))])}")
    lines += ["        case _:", "            return x * y", ""]
    return "\n".join(lines)


def module(path: Path, text: str) -> ModuleType:
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.mark.parametrize("seed", range(6))
def test_random_statements(seed: int, tmp_path: Path) -> None:
    f = module(tmp_path / f"matched_{seed}.py", source(Random(seed))).f
    staged = cogen.stage(lambda xs, ys: cogen.map(f, xs, ys))
    assert staged(XS, YS).tolist() == [f(x, y) for x, y in GRID]
