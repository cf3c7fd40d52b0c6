"""A fractal: how soon points of the plane escape, for a formula that is data.

    python ship.py [FOLDER]

The formula is interpreted by Python while the function is staged; what is left is its arithmetic.
It writes ship.png, the "burning ship".
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import cogen
from cogen import signals

WIDTH, HEIGHT = 400, 300
SHIP = ("+", ("square", ("folded", "z")), "c")


def value(formula, names):
    """What a formula gives, a pair of a real and an imaginary part."""
    if isinstance(formula, str):
        return names[formula]
    operator, *parts = formula
    (a, b), *others = (value(part, names) for part in parts)
    if operator == "square":
        return a * a - b * b, 2 * a * b
    if operator == "folded":
        return abs(a), abs(b)
    ((c, d),) = others
    return a + c, b + d


@cogen.stage
def escape(xs, ys, formula: cogen.static, limit: cogen.static = 200):
    """For each point how many steps it stays near, and how far away it is then."""

    def point(x, y):
        a, b, n = 0.0, 0.0, 0
        while a * a + b * b < 64.0 and n < limit:
            a, b = value(formula, {"z": (a, b), "c": (x, y)})
            n += 1
        return n, a * a + b * b

    return cogen.map(point, xs, ys)


def main(folder: Path) -> list[Path]:
    """Make the picture; where it is."""
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    xs, ys = -1.808 + 0.095 * x / WIDTH, -0.0925 + 0.072 * y / HEIGHT
    count, far = escape(xs.ravel(), ys.ravel(), SHIP)
    smooth = count + 1 - np.log2(np.maximum(np.log(np.maximum(far, 2)), 0.1))
    level = np.where(count == 200, 0, np.sqrt(np.clip(smooth / 60, 0, 1)))[:, None]
    colours = np.clip(level * np.array([600, 330, 180]) - np.array([0, 60, 60]), 0, 255)
    picture = signals.Picture(np.rint(colours).astype(np.uint8), signals.layout("rgb24"), WIDTH)
    path = folder / "ship.png"
    signals.write_picture(path, picture)
    return [path]


if __name__ == "__main__":
    print(*main(Path(sys.argv[1] if sys.argv[1:] else ".")), sep="\n")
