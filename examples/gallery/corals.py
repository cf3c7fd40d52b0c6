"""Spots that grow, as those of corals: two substances that react and spread (Gray and Scott).

    python corals.py [FOLDER]

The function is written for NumPy, with loops; staged, a step of all cells is one loop of C, shared
out among processors.  It writes corals.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import cogen
from cogen import signals

SIZE = 128
STEPS = 4000


@cogen.stage
def grow(u, v, size: cogen.static, steps, feed: cogen.static = 0.055, kill: cogen.static = 0.062):
    """The amounts of both substances after so many steps; the edges lead to each other."""

    def around(a, row, column):
        above, below = (row + size - 1) % size * size, (row + 1) % size * size
        left, right = (column + size - 1) % size, (column + 1) % size
        here = row * size
        return a[above + column] + a[below + column] + a[here + left] + a[here + right]

    def step(_, u, v):
        def cell(k):
            row, column = k // size, k % size
            reaction = u[k] * v[k] * v[k]
            du = 0.2 * (around(u, row, column) - 4 * u[k]) - reaction + feed * (1 - u[k])
            dv = 0.1 * (around(v, row, column) - 4 * v[k]) + reaction - (feed + kill) * v[k]
            return u[k] + du, v[k] + dv

        return cogen.map(cell, np.arange(size * size))

    return cogen.loop(steps, step, u, v)


def main(folder: Path) -> list[Path]:
    """Make the picture; where it is."""
    random = np.random.default_rng(3)
    v = np.zeros((SIZE, SIZE))
    for row, column in random.integers(0, SIZE - 8, (12, 2)):
        v[row : row + 8, column : column + 8] = 0.5
    _, v = grow((1 - v).ravel(), v.ravel(), SIZE, STEPS)
    level = (v.reshape(SIZE, SIZE) / v.max())[..., None]
    deep, light = np.array([16, 42, 67]), np.array([255, 138, 101])
    colours = np.rint(deep + (light - deep) * level).astype(np.uint8)
    colours = colours.repeat(2, axis=0).repeat(2, axis=1)
    picture = signals.Picture(colours.tobytes(), signals.layout("rgb24"), 2 * SIZE)
    path = folder / "corals.png"
    signals.write_picture(path, picture)
    return [path]


if __name__ == "__main__":
    print(*main(Path(sys.argv[1] if sys.argv[1:] else ".")), sep="\n")
