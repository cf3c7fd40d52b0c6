"""Objects of sexpdata are data, and sexpdata is a second reader for what ours reads."""

from __future__ import annotations

from typing import Any

import pytest
import sexpdata
from hypothesis import given
from hypothesis import strategies as st
from sexpdata import Brackets, Parens, Quoted, String, Symbol

import cogen
from cogen.binding_times import show_bt
from cogen.convert import from_datum, to_datum
from cogen.lang.errors import CogenError
from cogen.lang.printer import write_datum
from cogen.lang.reader import read_datum

pytestmark = pytest.mark.quick

names = st.from_regex(r"[a-z!$%&*/:<=>^_~][a-z0-9!$%&*/:<=>^_~+.@-]{0,6}", fullmatch=True)
"""sexpdata writes `?` with a backslash before it, as Emacs Lisp does."""

atoms = st.one_of(
    st.integers(-(1 << 63), (1 << 63) - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.text(st.sampled_from("abc XYZ0()[];#'\\\"\n\t\r.|,é"), max_size=8),
    names.map(Symbol),
)


def dotted(items: list[Any]) -> list[Any]:
    """A list that ends in its last item, which is none itself."""
    return [*items[:-1], Symbol("."), items[-1]]


def compounds(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(parts, max_size=4)
    return st.one_of(
        some,
        some.map(Brackets),
        parts.map(Quoted),
        st.builds(lambda items, last: dotted([*items, last]), st.lists(parts, min_size=1), atoms),
    )


objects = st.recursive(atoms, compounds, max_leaves=12)

lists = st.recursive(
    atoms, lambda parts: st.lists(parts, max_size=4) | parts.map(Quoted), max_leaves=12
)


def read_by_sexpdata(text: str) -> Any:
    return sexpdata.loads(text, nil=None, true="#t", false="#f")


@pytest.mark.slow
@given(objects)
def test_there_and_back(value: Any) -> None:
    assert cogen.to_sexpdata(cogen.static(value)) == value
    assert cogen.to_sexpdata(from_datum(to_datum(value))) == value


@given(lists)
def test_sexpdata_reads_what_we_write(value: Any) -> None:
    text = write_datum(to_datum(value))
    assert read_by_sexpdata(text) == cogen.to_sexpdata(read_datum_of(text)) == value


def read_datum_of(text: str) -> Any:
    return from_datum(read_datum(text))


@given(lists)
def test_we_read_what_sexpdata_writes(value: Any) -> None:
    text = sexpdata.dumps(value, true_as="#t", false_as="#f")
    assert cogen.to_sexpdata(read_datum_of(text)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Symbol("power"), "power"),
        (Symbol("a b"), "|a b|"),
        (String("a"), '"a"'),
        (Quoted(Symbol("a")), "'a"),
        (Quoted([Symbol("a"), Quoted(1)]), "'(a '1)"),
        (sexpdata.loads("(a (b . c) [1 (2)])"), "(a (b . c) #(1 (2)))"),
        (sexpdata.loads("(a . (b))"), "(a b)"),
        (Parens([1, Symbol("."), 2]), "(1 . 2)"),
        (Parens([]), "()"),
        ((Symbol("a"), None), "#(a #<unspecified>)"),
        ({"a": 1}, None),
        ([Symbol("."), 1], None),
        ([1, Symbol("."), 2, 3], None),
        ([1, Symbol(".")], None),
        (Brackets([1, Symbol("."), 2]), None),
        (Symbol("."), None),
        (Symbol("\ud800"), None),
    ],
)
def test_what_stands_for_what(value: Any, text: str | None) -> None:
    if text is not None:
        assert show_bt(cogen.static(value)) == f"(static {text})"
        return
    with pytest.raises(CogenError):
        cogen.static(value)


@pytest.mark.parametrize("text", ["#u8(1)", "#\\a", "|.|", "(1 #u8())"])
def test_what_sexpdata_has_no_objects_for(text: str) -> None:
    with pytest.raises(CogenError, match="sexpdata has no objects for"):
        cogen.to_sexpdata(cogen.datum(text))


def test_a_symbol_runs_as_a_symbol() -> None:
    program = cogen.loads("(define (f op x) (if (eq? op 'add) (+ x 1) (- x 1)))")
    residual = cogen.specialize(program, "f", cogen.static(Symbol("add")), cogen.dynamic("int"))
    assert residual.to_python()(1) == 2


def test_circular_lists_are_refused() -> None:
    loop: list[Any] = [Symbol("a")]
    loop.append(Quoted(loop))
    with pytest.raises(CogenError, match="contains itself"):
        cogen.static(loop)
