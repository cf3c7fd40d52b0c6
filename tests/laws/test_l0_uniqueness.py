"""What uniqueness promises: a program that passes the check means the same with updates in place.

Random programs grow line by line; a line that the check refuses is dropped. They run in the
interpreter, which copies arrays to update them, and in one that shares wherever the language lets
it and updates in place.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cogen
from cogen.array import Program, loads
from cogen.array.l0 import semantics as meanings
from cogen.array.l0 import values as v
from cogen.array.l0.values import ArrayValue, Value

FUNCTIONS = """
fun *[int] set(*[int] a, int k) = let a[k] = k + 40 in a
fun [int] same([int] a) = a
fun [int] eat(*[int] a) = let a[1] = 5 in a
fun [int] choose([int] a, [int] b) = if a[0] < b[0] then a else b
fun {*[int], [int]} pair(*[int] a, [int] b) = let a[0] = b[0] in {a, b}
fun *[int] fresh([int] a) = copy(a)
fun int sum([int] a) = reduce(op +, 0, a)
"""

VECTORS = [
    "iota(3)", "copy({v})", "{v}", "{m}[{i}]", "map(op +({i}), {v})", "scan(op +, 0, {v})",
    "filter(fn bool (int x) => True, {v})", "set({v}, {i})", "same({v})", "eat({v})",
    "fresh({v})", "choose({v}, {w})", "if {v}[{i}] < {i} then {v} else {w}",
    "(if {v}[{i}] < 2 then let {v}[{i}] = 3 in {v} else {v})", "{v} with [{i}] <- {w}[{j}]",
    "concat(let {{p, q}} = split(1, {v}) in p, let {{r, s}} = split(1, {w}) in s)",
    "reduce(fn [int] ([int] x, [int] y) => y, {v}, {m})",
    "reduce(fn *[int] (*[int] x, [int] y) => let x[0] = x[0] + y[{i}] in x, {v}, {m})",
    "let {{p, q}} = pair({v}, {w}) in if p[0] < 2 then p else q",
    "let {{p, q}} = unzip(zip({v}, {w})) in let p[{i}] = 6 in q",
]  # fmt: skip

MATRICES = [
    "replicate(3, {v})", "copy({m})", "{m}", "transpose({m})", "[{v}, {w}, {v}]",
    "map(fn [int] ([int] r) => r, {m})", "map(fn *[int] ([int] r) => copy(r), {m})",
    "map(fn *[int] (*[int] r) => let r[{i}] = 7 in r, {m})", "{m} with [{i}] <- {v}",
    "{m} with [{i}, {j}] <- {v}[0]", "reshape((3, 3), {m})", "rearrange((1, 0), {m})",
    "if {v}[0] < 1 then {m} else {n}", "concat(let {{p, q}} = split(1, {m}) in p, [{v}, {w}])",
    "map(fn [int] (int x) => {v}, iota(3))",
]  # fmt: skip

BODIES = [
    "let x[i] = y[0] + i in {x, y}", "{y, x}", "{x, x}", "let z = x with [0] <- 7 in {z, y}",
    "let w = copy(y) in let w[i] = 1 in {w, x}", "let b = iota(3) in {b, b}",
    "let y[1] = x[i] in let x[0] = 5 in {x, y}", "let x[i] = 3 in {x, x}", "{x, same(y)}",
    "if x[i] < 2 then let x[i] = 9 in {x, y} else {x, y}", "{set(x, i), y}",
    "let b = filter(fn bool (int k) => True, y) in let b[0] = 4 in {x, b}",
]  # fmt: skip

RESULTS = ["x", "y", "let x[0] = 9 in y", "let y[2] = 8 in x", "choose(x, y)", "set(y, 1)"]


@st.composite
def lines(draw: st.DrawFn, vectors: list[str], matrices: list[str], number: int) -> str:
    """A line that binds one more vector or matrix; vectors are v…, matrices m…"""
    names = {
        "v": draw(st.sampled_from(vectors)),
        "w": draw(st.sampled_from(vectors)),
        "m": draw(st.sampled_from(matrices)),
        "n": draw(st.sampled_from(matrices)),
        "i": draw(st.integers(0, 2)),
        "j": draw(st.integers(0, 2)),
    }
    kind = draw(st.integers(0, 2))
    if kind == 2:
        body, result = draw(st.sampled_from(BODIES)), draw(st.sampled_from(RESULTS))
        start = "{" + f"{names['v']}, {names['w']}" + "}"
        return f"let v{number} = (loop ({{x, y}} = {start}) = for i < 3 do {body} in {result}) in"
    name = "vm"[kind] + str(number)
    value = draw(st.sampled_from((VECTORS, MATRICES)[kind])).format(**names)
    if " with " in value:
        return f"let {name} = {value} in"
    return f"let {name} = ({value}) in"


def accepted(body: list[str], result: str, t: str) -> Program | None:
    head = f"fun {t} main(*[int] v0, [int] v1, *[[int]] m0, [[int]] m1) =\n"
    try:
        return loads(FUNCTIONS + head + "\n".join([*body, result]))
    except cogen.CogenError:
        return None


@st.composite
def programs(draw: st.DrawFn) -> Program:
    body: list[str] = []
    vectors, matrices = ["v0", "v1"], ["m0", "m1"]
    for number in range(2, 2 + draw(st.integers(1, 8))):
        line = draw(lines(vectors, matrices, number))
        if accepted([*body, line], "0", "int") is not None:
            body.append(line)
            (vectors if line[4] == "v" else matrices).append(f"{line[4]}{number}")
    parts: list[str] = []
    types: list[str] = []
    program = accepted(body, "{}", "{}")
    for name in [*vectors, *matrices]:
        part = "[int]" if name[0] == "v" else "[[int]]"
        result = "{" + ", ".join([*parts, name]) + "}"
        found = accepted(body, result, "{" + ", ".join([*types, part]) + "}")
        if found is not None:
            program = found
            parts.append(name)
            types.append(part)
    assert program is not None
    return program


def in_place(array: ArrayValue, index: tuple[int, ...], value: Value) -> ArrayValue:
    """The array itself, with another element or row."""
    assert isinstance(array.content, np.ndarray)
    array.content[index] = value.content if isinstance(value, ArrayValue) else value
    return array


def copied(value: Value) -> Value:
    assert isinstance(value, ArrayValue)
    assert isinstance(value.content, np.ndarray)
    return ArrayValue(value.shape, value.content.copy())


@contextmanager
def updating_in_place() -> Iterator[None]:
    """An interpreter that updates in place, and copies only where the language says so."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(v, "_updated", in_place)
        patch.setitem(meanings.FORMS, "copy", copied)
        yield


V0, V1 = np.array([3, 1, 2]), np.array([0, 5, 1])
M0, M1 = np.array([[1, 2, 3], [4, 5, 6], [0, 1, 0]]), np.array([[9, 8, 7], [1, 0, 1], [2, 2, 2]])


def outcome(program: Program) -> Any:
    """What a program gives, or how it fails."""
    try:
        return [part.tolist() for part in program.run(V0, V1, M0, M1)]
    except cogen.CogenError as error:
        return error.message


@given(program=programs())
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_updates_in_place_are_not_seen(program: Program) -> None:
    expected = outcome(program)
    with updating_in_place():
        assert outcome(program) == expected


def test_what_is_refused_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The law would notice a check that lets everything pass."""
    monkeypatch.setattr("cogen.array.l0.uniqueness.check_uniqueness", lambda facts: None)
    program = accepted(["let v2 = v0 with [0] <- 50 in"], "{v0, v2}", "{[int], [int]}")
    assert program is not None
    expected = outcome(program)
    with updating_in_place():
        assert outcome(program) != expected
