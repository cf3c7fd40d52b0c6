"""Packed samples with `signals`, and with NumPy alone: the same arrays, and the times.

    python examples/packed.py [MEGABYTES]

Exit status 1 if arrays differ.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from cogen import signals
from cogen.measure.turns import interleaved

Array = np.ndarray[Any, Any]


def ten_bits(data: Array) -> Array:
    groups = data.reshape(-1, 5).astype(np.uint16)
    samples = np.empty((len(groups), 4), np.uint16)
    for i in range(4):
        samples[:, i] = groups[:, i] >> 2 * i | (groups[:, i + 1] & (4 << 2 * i) - 1) << 8 - 2 * i
    return samples.reshape(-1)


def twelve_bits(data: Array) -> Array:
    groups = data.reshape(-1, 3).astype(np.uint16)
    samples = np.empty((len(groups), 2), np.uint16)
    samples[:, 0] = groups[:, 0] | (groups[:, 1] & 15) << 8
    samples[:, 1] = groups[:, 1] >> 4 | groups[:, 2] << 4
    return samples.reshape(-1)


def pack_twelve_bits(samples: Array) -> Array:
    pairs = samples.reshape(-1, 2)
    data = np.empty((len(pairs), 3), np.uint8)
    data[:, 0] = pairs[:, 0]
    data[:, 1] = pairs[:, 0] >> 8 | pairs[:, 1] << 4
    data[:, 2] = pairs[:, 1] >> 4
    return data.reshape(-1)


def sound(data: Array) -> Array:
    padded = np.zeros((len(data) // 3, 4), np.uint8)
    padded[:, 1:] = data.reshape(-1, 3)
    return padded.view("<i4").reshape(-1) >> 8


def raw_pixels(data: Array) -> Array:
    groups = data.reshape(-1, 5).astype(np.uint16)
    samples = np.empty((len(groups), 4), np.uint16)
    for i in range(4):
        samples[:, i] = groups[:, i] << 2 | (groups[:, 4] >> 2 * i & 3)
    return samples.reshape(-1)


def bits(data: Array) -> Array:
    return np.unpackbits(data, bitorder="little")


UNPACK: dict[str, Callable[[Array], Array]] = {
    "mask-lsb": bits,
    "size=10": ten_bits,
    "size=12": twelve_bits,
    "pcm24le": sound,
    "raw10": raw_pixels,
}
"""NumPy's way to unpack each layout."""


def main(megabytes: float) -> int:
    size = max(1, round(megabytes * 1e6 / 240)) * 240
    data = np.random.default_rng(0).integers(0, 256, size, np.uint8)
    samples = signals.unpack(data, "size=12")
    cases: list[tuple[str, Callable[[], Any], Callable[[], Any]]] = [
        (f"unpack {layout}", lambda layout=layout: signals.unpack(data, layout),
         lambda way=way: way(data))
        for layout, way in UNPACK.items()
    ]  # fmt: skip
    cases.append(
        ("pack size=12", lambda: signals.pack(samples, "size=12"),
         lambda: pack_twelve_bits(samples))
    )  # fmt: skip
    table = Table(title=f"{size / 1e6:g} MB of packed samples", title_justify="left")
    for title in ("", "signals", "NumPy", "NumPy / signals"):
        table.add_column(title, justify="right" if title else "left")
    for name, ours, usual in cases:
        if not np.array_equal(ours(), usual()):
            print(f"the arrays differ: {name}", file=sys.stderr)
            return 1
        times = interleaved({"ours": ours, "usual": usual}, repetitions=9, seconds=2.0)
        table.add_row(
            name,
            f"{1000 * times.seconds('ours'):.2f} ms",
            f"{1000 * times.seconds('usual'):.2f} ms",
            f"{times.ratio('usual', 'ours'):.1f}x",
        )
    Console().print(table)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 24))
    except (ValueError, IndexError):
        sys.exit("usage: python examples/packed.py [MEGABYTES]")
