"""Kinds of nodes as words of programs in L0 and in the Scheme-like language."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cogen
from cogen.array import load, loads
from cogen.cli import main
from cogen.lang.errors import CogenError
from cogen.staging.kindprograms import module_words
from tests.cogen.array.targets import has_device

PAGE = Path(__file__).parents[3] / "docs" / "extending-arrays.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page's module, and its programs."""
    text = PAGE.read_text("utf-8")
    made = tmp_path_factory.mktemp("words")
    blocks = dict(re.findall(r"```python\n# (\w+)\.py\n(.*?)```", text, re.S))
    (made / "linear.py").write_text(blocks["linear"], encoding="utf-8")
    for name, body in re.findall(r"\n    (?://|;) (kinds\.\w+)\n((?:    .*\n|\n)+)", text):
        (made / name).write_text(body, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def linear(folder: Path) -> Any:
    """The `cogen.Kinds` of the page's module."""
    return next(iter(module_words(folder / "linear.py").words.values())).of


def matrices(seed: int, count: int, n: int = 3) -> list[Any]:
    random = np.random.default_rng(seed)
    return [random.integers(-4, 5, (n, n)).astype(float) for _ in range(count)]


@pytest.mark.parametrize("name", ["kinds.l0", "kinds.scm"])
def test_the_page_says_what_happens(folder: Path, linear: Any, name: str) -> None:
    a, b, c = matrices(1, 3)
    program = load(folder / name, kinds=linear)
    own = {"kinds.l0": ["unit", "scaled", "scaled", "distribution", "of_multiple"],
           "kinds.scm": ["unit", "scaled", "scaled", "distribution"]}  # fmt: skip
    assert program.laws == own[name]
    assert (
        program.text.count("reduce(") == {"kinds.l0": 3, "kinds.scm": 1}[name]
    )  # `length` has two sums
    expected = a @ b + a @ c
    assert np.array_equal(program.run(a, b, c), expected)
    assert np.array_equal(program.compile()(a, b, c), expected)
    with linear.without():
        whole = load(folder / name, kinds=linear)
        assert whole.laws == []
        assert np.array_equal(whole.run(a, b, c), expected)


def test_laws_see_what_the_specializer_knows(linear: Any) -> None:
    """A factor that is known to be 1 is a law's constant: nothing but the argument is left."""
    text = (
        "(define-array (main (a (array (array float))) (k float)) "
        "(Mul (Scale k a) (Identity (array-size a 1))))"
    )
    program = cogen.loads(text + linear.definitions(text))
    matrix = cogen.dynamic("(array (array float))")
    known = cogen.specialize(program, "main", matrix, cogen.static(1.0)).to_array(linear)
    assert known.laws == ["scaled", "unit"]
    assert known.text == "fun [[real]] main([[real]] a) = a\n"
    other = cogen.specialize(program, "main", matrix, cogen.static(2.0)).to_array(linear)
    assert other.laws == ["unit"]
    (a,) = matrices(4, 1)
    assert np.array_equal(other.run(a), 2.0 * a)
    with pytest.raises(CogenError, match="the kinds must be a"):
        cogen.array.of_scheme(program, kinds=text)  # type: ignore[arg-type]  # the mistake


def test_what_a_law_computes_in_one_arm_is_not_used_in_the_other(linear: Any) -> None:
    text = (
        "fun [[real]] twice([[real]] x) = Scale(2.0, x) "
        "fun [[real]] main([[real]] a, real k) = "
        "if k < 2.0 then twice(Scale(k, a)) else Plus(twice(Scale(k, a)), a)"
    )
    program = loads(text, kinds=linear)
    assert program.laws == ["scaled", "scaled"]
    (a,) = matrices(3, 1)
    assert np.array_equal(program.run(a, 1.0), 2.0 * a)
    assert np.array_equal(program.run(a, 3.0), 7.0 * a)


def test_nodes_that_are_numbers(folder: Path, linear: Any) -> None:
    program = load(folder / "kinds.l0", kinds=linear)
    (a,) = matrices(2, 1)
    found = program.compile(entry="length")(a, -2.0)
    assert found == pytest.approx(2.0 * np.linalg.norm(a))
    assert "of_multiple" in program.laws
    # The law takes the factor out, so no matrix is multiplied.
    assert re.search(r"abs\(k\) \* sqrt", program.text)


def test_staged_functions_compute_with_numbers(folder: Path, linear: Any) -> None:
    module = module_words(folder / "linear.py").words
    Norm, Scale = module["Norm"], module["Scale"]

    @cogen.stage
    def f(a: Any, k: float) -> Any:
        n = Norm(Scale(k, a))
        return n + 1.0 if n > 3.0 else -n

    a = np.array([[1.0, 2.0], [2.0, 4.0]])
    assert f(a, 2.0) == 11.0
    assert f(a, 0.5) == -2.5
    assert f.program(a, 2.0).laws == ["of_multiple"]
    assert Norm(a) == 5.0


def test_commands_take_a_module_of_kinds(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    values = ["[[1.0, 2.0], [3.0, 4.0]]", "[[1.0, 0.0], [0.0, 1.0]]", "[[0.0, 1.0], [1.0, 0.0]]"]
    kinds = ["--kinds", str(folder / "linear.py")]
    for name in ("kinds.l0", "kinds.scm"):
        assert main(["array", "run", str(folder / name), *kinds, *values]) == 0
        assert capfd.readouterr().out == "[[3.000000, 3.000000], [7.000000, 7.000000]]\n"
    assert main(["array", "fuse-report", str(folder / "kinds.scm"), *kinds]) == 0
    assert "reduce" in capfd.readouterr().out
    assert main(["array", "check", str(folder / "kinds.l0")]) == 1
    assert "`Scale`" in capfd.readouterr().err


def test_targets_have_cases_of_their_own(folder: Path, linear: Any) -> None:
    program = load(folder / "kinds.l0", kinds=linear)
    assert program.for_target("c") is program
    device = program.for_target("opencl")
    assert "reshape" in device.text
    assert "reshape" not in program.text
    if has_device():
        a, b, c = matrices(3, 3)
        assert np.array_equal(program.compile("opencl")(a, b, c), a @ b + a @ c)


# Any expression of matrices, as a text of L0 and of the Scheme-like language, and as NumPy has it.

Both = tuple[str, str]


def leaf() -> st.SearchStrategy[Both]:
    return st.sampled_from([
        ("a", "a"), ("b", "b"), ("Identity(size(0, a))", "(Identity (array-size a))"),
        ("Zeros(size(0, a), size(1, a))", "(Zeros (array-size a) (array-size a 1))"),
    ])  # fmt: skip


def deeper(inner: st.SearchStrategy[Both]) -> st.SearchStrategy[Both]:
    def call(name: str, x: Both, y: Both) -> Both:
        return f"{name}({x[0]}, {y[0]})", f"({name} {x[1]} {y[1]})"

    def chosen(x: Both, y: Both) -> Both:
        return f"(if k < 2.0 then {x[0]} else {y[0]})", f"(if (< k 2.0) {x[1]} {y[1]})"

    def named(x: Both, y: Both) -> Both:
        return (
            f"(let {{m, n}} = {{{x[0]}, {y[0]}}} in Plus(Mul(m, n), m))",
            f"(let ((m {x[1]}) (n {y[1]})) (Plus (Mul m n) m))",
        )

    number = st.sampled_from([("1.0", "1.0"), ("2.0", "2.0"), ("k", "k")])
    return st.one_of(
        st.builds(call, st.sampled_from(["Mul", "Plus"]), inner, inner),
        st.builds(lambda k, x: call("Scale", k, x), number, inner),
        st.builds(lambda x: (f"twice({x[0]})", f"(twice {x[1]})"), inner),
        st.builds(chosen, inner, inner),
        st.builds(named, inner, inner),
    )


NAMES = {
    "Mul": np.matmul, "Plus": np.add, "Scale": np.multiply, "Identity": np.eye,
    "Zeros": lambda n, m: np.zeros((n, m)), "size": lambda d, a: a.shape[d],
    "twice": lambda m: 2.0 * m,
}  # fmt: skip


def as_python(text: str) -> str:
    """A text of L0 as one of Python's; it has no `let` in functions, nor braces."""
    text = re.sub(r"\(let \{m, n\} = \{", "(lambda m, n: m @ n + m)(", text)
    text = text.replace("} in Plus(Mul(m, n), m))", ")")
    while "(if k < 2.0 then " in text:
        start = text.rindex("(if k < 2.0 then ")
        end = closing(text, start)
        first, second = text[start + 17 : end].split(" else ", 1)
        text = f"{text[:start]}(({second}), ({first}))[k < 2.0]{text[end + 1 :]}"
    return text


def closing(text: str, start: int) -> int:
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    raise AssertionError(text)


@given(st.recursive(leaf(), deeper, max_leaves=5), st.sampled_from([1.0, 3.0]))
def test_programs_mean_the_same_with_laws_and_without(linear: Any, both: Both, k: float) -> None:
    matrix = "[[real]]"
    l0 = (
        f"fun {matrix} twice({matrix} x) = Scale(2.0, x) "
        f"fun {matrix} main({matrix} a, {matrix} b, real k) = {both[0]}"
    )
    scheme = (
        "(define (twice m) (Scale 2.0 m)) (define-array (main (a (array (array float)))"
        f" (b (array (array float))) (k float)) {both[1]})"
    )
    a, b = matrices(5, 2, 2)
    expected = eval(as_python(both[0]), {**NAMES, "a": a, "b": b, "k": k})
    of_scheme = cogen.loads(scheme + linear.definitions(scheme))
    for program in (
        loads(l0, kinds=linear),
        cogen.array.of_scheme(of_scheme, kinds=linear),
    ):
        assert np.array_equal(program.run(a, b, k), expected)
    with linear.without():
        assert np.array_equal(loads(l0, kinds=linear).run(a, b, k), expected)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("fun [[real]] main([[real]] a) = Mul(a)", "1:33", "`Mul` takes 2 arguments, but 1 is"),
        ("fun [[real]] Mul([[real]] a, [[real]] b) = a", "1:14", "`Mul` is a kind of nodes"),
        ('fun [[real]] main([[real]] a) = Mul(a, "text")', "1:40", "a value of type (array char)"),
        ("fun [[int]] main([[real]] a) = Mul(a, a)", "1:32", "the body of `main` must be [[int]]"),
    ],
)  # fmt: skip
def test_mistakes_have_places(linear: Any, text: str, place: str, message: str) -> None:
    with pytest.raises(CogenError) as told:
        loads(text, "p.l0", kinds=linear)
    assert message in told.value.message
    assert str(told.value).startswith(f"p.l0:{place}")


def test_modules_without_kinds_are_refused(tmp_path: Path) -> None:
    module = tmp_path / "nothing.py"
    module.write_text("x = 1\n")
    with pytest.raises(CogenError, match="defines no kinds of nodes"):
        module_words(module)
    module.write_text("x = 1 / 0\n")
    with pytest.raises(CogenError, match="cannot be run: ZeroDivisionError"):
        module_words(module)
