"""The layout of printed programs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogen.lang.datum import Char, Datum, from_iterable, symbol
from cogen.lang.pretty import (
    LEAST,
    MAX_INDENT,
    MOST_CLOSED,
    WIDTH,
    TextComment,
    TextForm,
    Tree,
    pretty,
)
from cogen.lang.printer import write_datum
from cogen.lang.reader import read_datum

pytestmark = pytest.mark.quick

words = st.sampled_from(["x", "let", "if", "a-long-name", "12", "lambda", "define", "cond"])
trees: st.SearchStrategy[Tree] = st.recursive(
    words, lambda parts: st.lists(parts, max_size=5).map(lambda items: TextForm(tuple(items)))
)


def flat(tree: Tree) -> str:
    """A tree as one line."""
    if isinstance(tree, TextForm):
        return f"({' '.join(map(flat, tree.items))})"
    return str(tree)


def nest(depth: int) -> Tree:
    """Conditionals and variables in each other."""
    tree: Tree = "last"
    for number in reversed(range(depth)):
        value = TextForm(("modulo", TextForm(("-", f"t-{number}", "1")), "256"))
        test = TextForm(("=", f"t-{number + 1}", "0"))
        inner = TextForm(("if", test, str(number), tree))
        tree = TextForm(("let", TextForm((TextForm((f"t-{number + 1}", value)),)), inner))
    return tree


@given(trees, st.integers(10, 100))
def test_the_layout_changes_no_tree(tree: Tree, width: int) -> None:
    assert write_datum(read_datum(pretty(tree, width))) == flat(tree)


@given(trees)
def test_what_fits_is_one_line(tree: Tree) -> None:
    text = flat(tree)
    assert len(text) > WIDTH or pretty(tree) == text


def test_conditionals_stand_below_each_other() -> None:
    long = TextForm(("f", *("argument" for _ in range(8))))
    assert pretty(TextForm(("if", "test", long, long))).splitlines() == [
        "(if test",
        f"    {flat(long)}",
        f"    {flat(long)})",
    ]


def test_deep_nests_are_neither_wide_nor_torn_to_pieces() -> None:
    lines = pretty(nest(100)).splitlines()
    assert max(len(line.rstrip(")")) for line in lines) <= MAX_INDENT + LEAST
    deep = [line.strip() for line in lines if line.startswith(" " * MAX_INDENT)]
    assert "(let ((t-90 (modulo (- t-89 1) 256)))" in deep
    assert lines[-1].endswith(")" * (MOST_CLOSED + 1))


def test_comments_end_lines() -> None:
    assert pretty(TextForm(("begin", TextComment("why"), "x"))) == "(begin\n  ; why\n  x)"


def test_long_data_fill_lines() -> None:
    text = pretty(TextForm(("vector-ref", f"'#({' '.join(map(str, range(100, 150)))})", "i")))
    lines = text.splitlines()
    assert len(lines) == 5
    assert max(map(len, lines)) <= WIDTH
    assert lines[2].startswith("     119 120")


@given(
    st.lists(
        st.one_of(
            st.integers(-999, 999),
            st.text(alphabet=' "\\|a(;', max_size=6),
            st.sampled_from([Char(" "), Char('"'), Char("|"), Char("("), Char("a")]),
            st.text(alphabet=' "|a(;', max_size=6).map(symbol),
        )
    ),
    st.booleans(),
    st.integers(10, 60),
)
def test_the_layout_changes_no_datum(items: list[Datum], vector: bool, width: int) -> None:
    datum = items if vector else from_iterable(items)
    text = f"'{write_datum(datum)}"
    assert write_datum(read_datum(pretty(text, width))) == write_datum(read_datum(text))
