"""Kinds of nodes that a user's module adds: what docs/extending-arrays.md shows, laws, phases,
targets, mistakes."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import cogen
from tests.cogen.array.targets import has_device

PAGE = Path(__file__).parents[3] / "docs" / "extending-arrays.md"


@pytest.fixture(scope="module")
def linear(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The module of the page, with what uses it."""
    blocks = dict(re.findall(r"```python\n# (\w+)\.py\n(.*?)```", PAGE.read_text("utf-8"), re.S))
    assert list(blocks) == ["linear", "uses"]
    file = tmp_path_factory.mktemp("kinds") / "linear.py"
    file.write_text(blocks["linear"] + blocks["uses"], encoding="utf-8")
    spec = importlib.util.spec_from_file_location("linear_of_the_page", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def matrices(seed: int, count: int, n: int = 3) -> list[Any]:
    random = np.random.default_rng(seed)
    return [random.integers(-4, 5, (n, n)).astype(float) for _ in range(count)]


def products(text: str) -> int:
    """The inner products of a program."""
    return text.count("reduce(")


def test_the_page_is_as_long_as_it_says(linear: ModuleType) -> None:
    assert linear.__file__ is not None
    assert len(Path(linear.__file__).read_text(encoding="utf-8").splitlines()) < 150


def test_the_page_says_what_happens(linear: ModuleType) -> None:
    a, b, c = matrices(1, 3)
    program = linear.main.program(a, b, c)
    assert products(program.text) == 2
    assert program.laws == ["unit", "scaled", "scaled", "distribution"]
    expected = a @ a @ b + a @ c
    assert np.array_equal(linear.main(a, b, c), expected)
    assert np.array_equal(program.run(a, b, c), expected)
    with linear.linear.without():
        whole = linear.main.program(a, b, c)
        assert whole.laws == []
        assert products(whole.text) == 4
        assert np.array_equal(linear.main(a, b, c), expected)


def test_sparse_matrices_stay_sparse(linear: ModuleType) -> None:
    (x,) = matrices(2, 1, 4)
    rows, columns, values = np.array([0, 3, 3]), np.array([1, 0, 3]), np.array([2.0, 3.0, -1.0])
    s = np.zeros((4, 4))
    s[rows, columns] = 3.0 * values
    program = linear.graph.program(4, rows, columns, values, x)
    assert program.text.count("bucketReduce") == 2
    assert "reduce(" not in program.text
    assert np.array_equal(linear.graph(4, rows, columns, values, x), s @ s @ x)


def test_targets_have_cases_of_their_own(linear: ModuleType) -> None:
    a, b, c = matrices(3, 3)
    program = linear.main.program(a, b, c)
    assert program.target == "c"
    expected = a @ a @ b + a @ c
    assert np.array_equal(program.compile("c")(a, b, c), expected)
    if not has_device():
        pytest.skip("there is no OpenCL device here; .ci/run installs one")
    made = program.compile("opencl")
    assert "reshape" in made.program.text
    assert "reshape" not in program.text
    assert np.array_equal(made(a, b, c), expected)


def test_outside_of_staged_functions_it_is_numpy(linear: ModuleType) -> None:
    a, b = matrices(4, 2)
    assert np.array_equal(linear.Mul(a, b), a @ b)
    assert np.array_equal(linear.Identity(3), np.eye(3))


def expression(linear: ModuleType, random: Random, given: list[Any], depth: int) -> Any:
    """A random expression of nodes, of arrays that are given, of 3 rows and columns."""
    if depth == 0 or random.random() < 0.2:
        choice = random.randrange(5)
        if choice == 0:
            return linear.Identity(3)
        if choice == 1:
            return linear.Zeros(3, 3)
        return random.choice(given)
    left = expression(linear, random, given, depth - 1)
    if random.random() < 0.3:
        return linear.Scale(float(random.choice([1, 1, 2, -1])), left)
    right = expression(linear, random, given, depth - 1)
    return (linear.Mul if random.random() < 0.6 else linear.Plus)(left, right)


@pytest.mark.parametrize("seed", range(12))
def test_random_expressions(linear: ModuleType, seed: int) -> None:
    """With laws as without, staged as by NumPy."""
    a, b = matrices(seed, 2)

    def whole(a: Any, b: Any) -> Any:
        random = Random(seed)
        return [expression(linear, random, [a, b], 3) for _ in range(3)]

    staged = cogen.stage(whole)
    expected = [np.asarray(x) for x in whole(a, b)]
    interpreted = staged.program(a, b).run(a, b)
    with linear.linear.without():
        plain = staged.program(a, b)
        assert not plain.laws
        unoptimised = plain.run(a, b)
    for x, y, z in zip(expected, interpreted, unoptimised, strict=True):
        assert np.array_equal(x, y)
        assert np.array_equal(x, z)


def test_nodes_take_their_operands_as_they_are(linear: ModuleType) -> None:
    """What is assigned to an array afterwards does not change what was made of it."""
    a, b = matrices(5, 2)

    def f(a: Any, b: Any) -> Any:
        before = linear.Mul(a, b)
        same = linear.Mul(a, linear.Identity(3)) if True else a
        a = a.copy()
        same[0, 0] = 9.0
        a[1, 1] = 7.0
        return before, linear.Mul(a, b), same, linear.Mul(same, b)

    for found, expected in zip(cogen.stage(f)(a, b), f(a, b), strict=True):
        assert np.array_equal(found, expected)


def test_nodes_in_branches_and_loops(linear: ModuleType) -> None:
    a, b = matrices(6, 2)

    def f(a: Any, b: Any, t: bool) -> Any:
        total = 0.0
        m = linear.Mul(a, b)
        m = linear.Mul(m, linear.Identity(3)) if t else linear.Plus(m, a)
        x = a
        for i in range(a.shape[0]):
            total = total + linear.Mul(m, b)[i, i]
            x = linear.Scale(0.5, linear.Mul(x, b))
        return total, m, x, cogen.map(lambda row: row.sum() + m[0, 0], m)

    staged = cogen.stage(f)
    for t in (True, False):
        for found, expected in zip(staged(a, b, t), f(a, b, t), strict=True):
            assert np.array_equal(found, expected)


def test_one_kind_of_one_and_the_same_operands_is_one_node(linear: ModuleType) -> None:
    (a,) = matrices(7, 1)
    seen = []

    @cogen.stage
    def f(a: Any) -> Any:
        seen.append(linear.Mul(a, a) is linear.Mul(a, a))
        seen.append(linear.Scale(2.0, a) is linear.Scale(2.0, a))
        seen.append(linear.Scale(2.0, a) is linear.Scale(3.0, a))
        return linear.Plus(linear.Mul(a, a), linear.Mul(a, a))

    program = f.program(a)
    assert seen == [True, True, False]
    assert products(program.text) == 1


# Several languages, several rounds, and what is missing.

high = cogen.Kinds("expand", "shape")
low = cogen.Kinds("loops")


class Vector(cogen.Kind, of=high, dtype=int):
    pass


class Ramp(Vector):
    n: Any


class Sum(Vector):
    parts: Any


class Forgotten(Vector):
    v: Any


class Wrong(Vector):
    v: Any


class Endless(Vector):
    v: Any
    k: Any


class Line(cogen.Kind, of=low, dtype=int):
    n: Any
    step: Any


@high.law(Sum)
def flat(node: Any) -> Any:
    """Sums in sums are one."""
    if any(isinstance(part, Sum) for part in node.parts):
        return Sum(sum((p.parts if isinstance(p, Sum) else (p,) for p in node.parts), ()))
    return node.parts[0] if len(node.parts) == 1 else None


@high.lower(Sum, "shape")
def whole_sum(parts: Any) -> Any:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


@high.lower(Ramp, "expand")
def ramp(n: Any) -> Any:
    return Line(n, 1)


@low.law(Line)
def no_steps(node: Any) -> Any:
    return np.zeros(node.n, int) if node.step == 0 else None


@low.lower(Line, "loops")
def line(n: Any, step: Any) -> Any:
    return step * np.arange(n)


@high.lower(Wrong, "shape")
def wrong(v: Any) -> Any:
    return 0.5 * v


@high.law(Endless)
def endless(node: Any) -> Any:
    return Endless(node.v, node.k + 1)


def test_languages_follow_each_other() -> None:
    def f(v: Any) -> Any:
        x = Sum((v, Sum((Ramp(3), v)), Line(3, 0)))
        return Sum((x,)), Sum((x, v))

    v = np.array([1, 2, 3])
    staged = cogen.stage(f)
    for found, expected in zip(staged(v), f(v), strict=True):
        assert np.array_equal(found, expected)
    assert staged.program(v).laws == ["no_steps", "flat", "flat", "flat"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda v: Forgotten(v), "`Forgotten` is left after all phases: `expand`, `shape` have no"),
        (lambda v: Wrong(v), "`Wrong` is an array of 1 dimensions of int, but became one of 1"),
        (lambda v: Endless(v, 0), "the laws of `Endless` do not end"),
        (lambda v: Sum(), "`Sum` is made of 1 operands (parts), not 0"),
    ],
)
def test_mistakes_are_told_where_nodes_are_made(make: Any, message: str) -> None:
    @cogen.stage
    def f(v: Any) -> Any:
        return make(v)

    with pytest.raises(cogen.CogenError) as told:
        f(np.array([1, 2]))
    assert message in str(told.value)
    assert told.value.span is not None
    assert told.value.span.source.name == __file__


def test_a_node_is_not_assigned_to() -> None:
    @cogen.stage
    def f(v: Any) -> Any:
        x = Sum((v, v))
        x[0] = 1
        return x

    with pytest.raises(cogen.CogenError, match="a node of `Sum` is assigned to"):
        f(np.array([1, 2]))


def test_mistakes_in_what_is_added() -> None:
    with pytest.raises(cogen.CogenError, match="each once"):
        cogen.Kinds("a", "a")
    with pytest.raises(cogen.CogenError, match="there is no phase `lops`"):
        low.lower(Line, "lops")
    with pytest.raises(cogen.CogenError, match="there is no target `cuda`"):
        low.lower(Line, "loops", "cuda")
    with pytest.raises(cogen.CogenError, match="there is no law `no_step`"), low.without("no_step"):
        pass
    with pytest.raises(cogen.CogenError, match="`size`, an operand of `Sized`"):

        class Sized(Vector):
            size: Any

    with pytest.raises(cogen.CogenError, match="`Forgotten` is left"):
        Forgotten(np.array([1]))


held = cogen.Kinds("loops")


class Held(cogen.Kind, of=held, ndim=2):
    a: Any

    def sizes(self) -> Any:
        return self.a.shape


class Shorter(Held):
    pass


class Fixed(Held):
    pass


class Assigning(Held):
    pass


class Row(Held):
    pass


@held.lower(Held, "loops")
def doubled(a: Any) -> Any:
    return a * 2.0


@held.lower(Shorter, "loops")
def shorter(a: Any) -> Any:
    return a[1:]


@held.lower(Fixed, "loops")
def fixed(a: Any) -> Any:
    return np.zeros((1, 3))


@held.lower(Assigning, "loops")
def assigning(a: Any) -> Any:
    a[0, 0] = 7.0
    return a


@held.law(Row)
def first_row(node: Any) -> Any:
    return node.a[0]


def test_what_becomes_of_a_node_has_the_sizes_that_it_says() -> None:
    @cogen.stage
    def right(a: Any) -> Any:
        return Held(a) + 1.0

    @cogen.stage
    def wrong(a: Any) -> Any:
        return Shorter(a) + 1.0

    a = np.ones((2, 3))
    assert right(a).tolist() == (2.0 * a + 1.0).tolist()
    assert "that `Held` says" not in right.program(a).compile().source  # it is proven
    with pytest.raises(cogen.CogenError) as caught:
        wrong(a)
    assert caught.value.message == "the size that `Shorter` says, and that of dimension 0: 2 1"

    @cogen.stage
    def known() -> Any:
        return Fixed(np.ones((2, 3))) + 1.0

    with pytest.raises(cogen.CogenError, match="says that dimension 0 has size 2, but became"):
        known()


def test_laws_and_cases_are_held_to_what_a_kind_is() -> None:
    @cogen.stage
    def assigned(a: Any) -> Any:
        return Assigning(a) + Held(a)

    @cogen.stage
    def other(a: Any) -> Any:
        return Row(a) + 1.0

    for run, message in (
        (assigned, "the case of the phase `loops` assigns to what `Assigning` is made of"),
        (
            other,
            "`Row` is an array of 2 dimensions of real, but the law `first_row` gives one of "
            "1 dimensions of real",
        ),
    ):
        with pytest.raises(cogen.CogenError) as caught:
            run(np.ones((2, 3)))
        assert caught.value.message == message
        assert caught.value.span is not None
