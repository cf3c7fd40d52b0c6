"""Hypothesis strategies shared by the suite."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from cogen.lang.datum import INT_MAX, INT_MIN, NIL, Char, Datum, Pair, from_iterable, symbol

characters = st.characters(exclude_categories=["Cs"])
names = st.text(characters, max_size=8) | st.sampled_from(
    ["+", "-", "...", "->x", "1+", ".", "", "+i", "a/b", "1/2", "+inf.0", "#t", "@x", "quote"]
)
integers = st.integers(INT_MIN, INT_MAX) | st.integers(-5, 5)

atoms: st.SearchStrategy[Datum] = st.one_of(
    integers,
    st.floats(),
    st.booleans(),
    st.text(characters, max_size=8),
    characters.map(Char),
    names.map(symbol),
    st.just(NIL),
    st.binary(max_size=5).map(bytearray),
)


def _compound(parts: st.SearchStrategy[Datum]) -> st.SearchStrategy[Any]:
    marks = st.sampled_from(["quote", "quasiquote", "unquote", "unquote-splicing"]).map(symbol)
    return st.one_of(
        st.lists(parts, max_size=4),
        st.lists(parts, max_size=4).map(from_iterable),
        st.builds(Pair, parts, parts),
        st.builds(lambda mark, x: from_iterable([mark, x]), marks, parts),
    )


data: st.SearchStrategy[Datum] = st.recursive(atoms, _compound, max_leaves=12)
"""Everything that has a readable text."""


def same(a: Datum, b: Datum) -> bool:
    """Equal in type, structure and value (`equal?`, but strict about kinds and signs of zero)."""
    if type(a) is not type(b):
        return False
    if isinstance(a, Pair):
        return same(a.car, b.car) and same(a.cdr, b.cdr)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float):
        return repr(a) == repr(b)
    return bool(a == b)
