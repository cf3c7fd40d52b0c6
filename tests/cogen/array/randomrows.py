"""Random programs in L0 that update rows of arrays, of which most are needed afterwards.

program(random)      the text of a program: main takes an int, a matrix of three columns
                     and arrays of such matrices, and gives several arrays made of each other
arguments(random)    arguments for it
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

PARAMETERS = "int i, [[int]] m, [[[int]]] t"
PAIR = "fn [[int]] ([[int]] a, [[int]] c) => map(fn [int] ([int] v, [int] w) =>"


def _value(random: Random, row: str) -> str:
    k = random.randrange(3)
    return random.choice([f"{row}[{k}]", f"({row}[{k}] * 2)", f"({row}[0] + {row}[{k}] + i)", "i"])


def _changed(random: Random, row: str, old: str) -> str:
    """A row in its new form: `let`s that set some elements of `row`."""
    lets = ""
    for _ in range(random.choice([1, 1, 2])):
        place = random.choice(["0", "1", "2", f"{old}[1] & 1", f"{row}[0] & 1"])
        lets += f"let {row}[{place}] = {_value(random, random.choice([row, old]))} in "
    return lets


def _copied(random: Random) -> str:
    """The row `x`, a copy of `v` with some elements set."""
    return "let x = copy(v) in " + _changed(random, "x", "v")


def _number(random: Random, row: str) -> str:
    return random.choice([f"reduce(op +, 0, {row})", f"{row}[0] + {row}[1] * 3", f"{row}[2]"])


def _vector(random: Random, matrix: str) -> str:
    """A number for each row."""
    copied = f"map(fn int ([int] v) => {_copied(random)}{_number(random, 'x')}, {matrix})"
    both = f"map(fn int ([int] v, [int] w) => {_copied(random)}x[0] * {_number(random, 'w')}, "
    both += f"zip({matrix}, {matrix}))"
    consumed = f"map(fn int (*[int] v) => {_changed(random, 'v', 'v')}{_number(random, 'v')}, "
    consumed += f"copy({matrix}))"
    made = random.choice([copied, both, consumed, consumed])
    scanned = f"(let s = scan(op +, 0, {made}) in map(op -(i), s))"
    scattered = f"(let k = map(op &(7), {made}) in scatter(replicate(8, 0), k, iota(size(0, k))))"
    return random.choice([made, made, scanned, scattered])


def _matrix(random: Random, matrix: str) -> str:
    copied = f"map(fn [int] ([int] v) => {_copied(random)}x, {matrix})"
    same = f"map(fn [int] ([int] v) => v, {matrix})"
    either = f"map(fn [int] ([int] v) => if v[1] < i then ({_copied(random)}x) else v, {matrix})"
    folded = f"reduce({PAIR} {_copied(random)}let x[0] = x[0] + w[0] in x, zip(a, c)), t[0], t)"
    right = folded.replace("copy(v)", "copy(w)").replace("w[0] in", "v[0] in")
    return random.choice([copied, copied, same, either, folded, right])


def _cube(random: Random) -> str:
    inner = f"map(fn [int] ([int] v) => {_copied(random)}x, a)"
    mapped = f"map(fn [[int]] ([[int]] a) => {inner}, t)"
    scanned = f"scan({PAIR} {_copied(random)}let x[0] = x[0] + w[0] in x, zip(a, c)), t[0], t)"
    return random.choice([mapped, scanned])


def program(random: Random) -> str:
    """The text of a program."""
    matrices, names, types, lets = ["m"], ["m", "t"], ["[[int]]", "[[[int]]]"], ""
    for k in range(4):
        kind = random.choice(["[int]", "[int]", "[[int]]", "[[int]]", "[[[int]]]"])
        matrix = random.choice(matrices)
        if kind == "[int]":
            made = _vector(random, matrix)
        elif kind == "[[int]]":
            made = _matrix(random, matrix)
            matrices.append(f"p{k}")
        else:
            made = _cube(random)
        lets += f"  let p{k} = {made} in\n"
        names.append(f"p{k}")
        types.append(kind)
    start = random.choice([0, 2])  # what is given is needed later, or is not
    results = f"{{{', '.join(names[start:])}}}"
    return f"fun {{{', '.join(types[start:])}}} main({PARAMETERS}) =\n{lets}  {results}\n"


def arguments(random: Random) -> tuple[Any, ...]:
    """Arguments for `main`."""
    rows = random.choice([2, 5, 9])
    generator = np.random.default_rng(random.randrange(1 << 30))
    matrix = generator.integers(0, 9, (rows, 3))
    return (random.randint(0, 9), matrix, generator.integers(0, 9, (3, rows, 3)))
