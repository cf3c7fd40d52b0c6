"""Laws of functions, and files that import others: what docs/extending-arrays.md shows, what
matches, and mistakes."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import cogen
from cogen.array import Program, load, loads
from cogen.array.ir.graphwalk import all_nodes
from cogen.array.ir.node import Multiloop
from cogen.array.optimise.optimisations import Options
from cogen.lang.errors import Source
from cogen.lsp import l0

PAGE = Path(__file__).parents[3] / "docs" / "extending-arrays.md"
WITHOUT = Options(frozenset({"laws"}))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the page."""
    found = tmp_path_factory.mktemp("laws")
    blocks = re.findall(r"    // (\w+\.l0)\n((?:    .*\n|\n)+)", PAGE.read_text(encoding="utf-8"))
    assert [name for name, _ in blocks][:2] == ["linear.l0", "uses.l0"]
    for name, block in blocks[:2]:
        (found / name).write_text(re.sub(r"(?m)^    ", "", block), encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def uses(folder: Path) -> Program:
    return load(folder / "uses.l0")


def loops(program: Program, entry: str, options: Options | None = None) -> int:
    body = program.graph(entry, options).entry.body
    return sum(isinstance(node, Multiloop) for node in all_nodes(body))


def test_the_page_says_what_happens(uses: Program) -> None:
    random = np.random.default_rng(3)
    a, b, c, x = (
        random.random((3, 4)),
        random.random((4, 5)),
        random.random((4, 5)),
        random.random(4),
    )
    for options in (Options(), WITHOUT):
        assert np.allclose(uses.compile(options=options)(a, b, c), a @ b + a @ c)
        square = random.random((4, 4))
        power = uses.compile(entry="power", options=options)
        assert np.allclose(power(square, x), square @ square @ square @ x)
    assert np.allclose(uses.run(a, b, c), a @ b + a @ c)
    assert loops(uses, "main") == 5  # a map of maps of reductions, and the sum's rows
    assert loops(uses, "main", WITHOUT) > 8
    assert loops(uses, "power") == 6


def test_reports_name_the_file(uses: Program) -> None:
    from cogen.array.report.fusionreport import report

    found = report(uses, "power").operations
    assert {Path(o.span.source.name).name for o in found} == {"linear.l0"}


# A small algebra of ints: what laws give is what the functions give.

ALGEBRA = """
fun int add(int a, int b) = a + b
fun int times(int a, int b) = a * b
fun int minus(int a) = -a
fun [int] every(int k, [int] v) = map(op *(k), v)
law add(x, 0) = x
law add(0, x) = x
law add(x, minus(x)) = 0
law times(x, 1) = x
law times(-1, x) = minus(x)
law times(add(a, b), c) = add(times(a, c), times(b, c))
law minus(minus(x)) = x
law minus(add(a, b)) = add(minus(a), minus(b))
law every(k, every(l, v)) = every(times(k, l), v)
law every(1, v) = v
"""

terms = st.recursive(
    st.sampled_from(["x", "y", "0", "1", "-1", "2"]),
    lambda inner: st.one_of(
        st.builds("add({}, {})".format, inner, inner),
        st.builds("times({}, {})".format, inner, inner),
        st.builds("minus({})".format, inner),
        st.builds("(let z = {} in add(z, minus(z)))".format, inner),
    ),
    max_leaves=12,
)


@example("1", "minus(add(minus(1), add(1, 1)))", 0, 0)  # constants that laws took apart for ever
@settings(max_examples=max(20, settings().max_examples // 50))
@given(terms, terms, st.integers(-5, 5), st.integers(-5, 5))
def test_laws_that_hold_change_nothing(one: str, other: str, x: int, y: int) -> None:
    program = loads(
        f"{ALGEBRA}fun {{int, [int]}} main(int x, int y, [int] v) = "
        f"{{{one}, every({one}, every({other}, v))}}"
    )
    values = f"{x} {y} [1, 2, 3]"
    from cogen.array.optimise.optimise import optimise
    from tests.cogen.array.comparing import module_outcome

    module = optimise(program.facts, "main", verify=True)[1]
    assert module_outcome(module, values) == program.run_text(values)


# What matches.


@pytest.mark.parametrize(
    ("law", "call", "expected"),
    [
        ("law f(x, 3) = 100 + x", "f(n, 1 + 2)", 107),
        ("law f(x, 3) = 100", "f(3, n)", 10),
        ("law f(x, x) = 100", "f(n, n)", 100),
        ("law f(x, x) = 100", "f(n, n + 1)", 15),
        ("law f(g(x), y) = x", "f(g(n), 2)", 7),
        ("law f(g(x), y) = x", "let {a, _} = {g(n), 1} in f(a, 2)", 7),
        ("law f(g(x), y) = x", "h(g(n))", 7),
        ("law f(g(x), y) = x", "f(n + 1, 2)", 10),
        ("law f(g(g(x)), y) = x", "f(g(g(n)), 2)", 7),
        ("law f(x, 0) = 1 law f(x, y) = 2", "f(n, 0) * 10 + f(n, 1)", 12),
        ("law f(x, y) = g(x)", "reduce(op +, 0, map(f(n), [1, 2]))", 16),
        ("law g(x) = f(x, g(x))", "g(1)", None),
        ("law f(-2, x) = 100", "f(0 - 2, n)", 100),
    ],
)
def test_what_matches(law: str, call: str, expected: int | None) -> None:
    program = loads(
        "fun int f(int a, int b) = a + b fun int g(int a) = a + 1 fun int h(int a) = f(a, 2)\n"
        f"{law}\nfun int main(int n) = {call}"
    )
    found = program.compile()(7)
    assert found == expected if expected is not None else isinstance(found, int)
    assert loads(program.text).text == program.text


def test_a_law_of_records() -> None:
    program = loads(
        "record p {int x, int y}\nfun p swap(p a) = p(a.y, a.x)\n"
        "law swap(swap(a)) = {a with x = a.x + 1}\n"
        "fun [p] main([p] a) = map(fn p (p v) => swap(swap(v)), a)"
    )
    assert program.compile()([(1, 2)]).tolist() == [(2, 2)]
    assert program.run([(1, 2)]).tolist() == [(1, 2)]


# Mistakes.

HEAD = "fun int f(int a, int b) = a + b\nfun int u(*[int] a) = a[0]\nfun real r(real x) = x\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("law g(x) = x", "4:5: laws are of functions of the program, not of `g`"),
        ("law f(x) = x", "4:5: `f` takes 2 arguments, not 1"),
        ("law f(x, y) = 1.0", "4:15: the right side of a law of `f` must be int, but is real"),
        ("law f(x, y) = z", "4:15: there is no variable `z` here"),
        ("law f(x, 1.0) = x", "4:10: this must be int, but is real"),
        ("law f(x, r(y)) = x", "4:10: this must be int, but is real"),
        ("law f(x, y + 1) = x",
         "4:10: the left side of a law has variables, constants and calls of functions"),
        ("law u(x) = 1", "4:5: `u` consumes arguments, and has no laws"),
    ],
)  # fmt: skip
def test_mistakes_are_told_where_they_are(text: str, expected: str) -> None:
    with pytest.raises(cogen.CogenError) as caught:
        loads(HEAD + text)
    span = caught.value.span
    assert span is not None
    assert f"{span.line}:{span.column}: {caught.value.message}" == expected
    assert [e.message for e in l0.analyse(Source("a.l0", HEAD + text)).errors] == [
        caught.value.message
    ]


# Files.


def test_files_are_read_once_and_as_they_are_now(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.l0").write_text(
        'import "b.l0"\nrecord p {int x}\nfun p f(int x) = p(g(x))'
    )
    (tmp_path / "sub" / "b.l0").write_text('import "a.l0"\nfun int g(int x) = x + 1')
    main = tmp_path / "main.l0"
    main.write_text('import "sub/a.l0"\nimport "sub/b.l0"\nfun int main(p v) = v.x + f(1).x + g(2)')
    assert load(main).run((5,)) == 10
    (tmp_path / "sub" / "b.l0").write_text("fun int g(int x) = x + 2")
    assert load(main).run((5,)) == 12
    (tmp_path / "sub" / "b.l0").write_text("fun int g(int x) = x +")
    with pytest.raises(cogen.CogenError) as caught:
        load(main)
    assert caught.value.span is not None
    assert Path(caught.value.span.source.name).name == "b.l0"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    main = tmp_path / "main.l0"
    main.write_text('fun int main() = 1\nimport "no.l0"')
    with pytest.raises(cogen.CogenError) as caught:
        load(main)
    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.column) == (2, 8)


def test_editors_look_into_imported_files(folder: Path) -> None:
    path = folder / "uses.l0"
    analysis = l0.analyse(Source(str(path), path.read_text(encoding="utf-8")))
    assert not analysis.errors
    assert [symbol.name for symbol in analysis.symbols()] == ["main", "power"]
    meaning = analysis.meaning_of_word("mul")
    assert meaning is not None
    assert meaning.place is not None
    assert Path(meaning.place.source.name).name == "linear.l0"
