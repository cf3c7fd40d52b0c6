"""Programs over signals of any overlap, size, stride, order and word size, with or without a cache:
loops and processors of `tests.laws.cacheprograms`, in the ways of kernels.
"""

from __future__ import annotations

from tests.choices import Stream
from tests.fuzz.case import Case, Kind
from tests.fuzz.kernels import ways
from tests.laws.cacheprograms import random_program
from tests.laws.test_cache import ANNOTATIONS

ROWS = 6


def make(stream: Stream) -> Case:
    """A program `(f a b p q n x)`, its binding times, and arguments that stay in the buffers."""
    program = random_program(stream, first_order=stream.random() < 0.3)
    annotation = stream.choice(ANNOTATIONS)
    rows, memory = [], []
    for _ in range(ROWS):
        found = program.arguments(stream)
        if found is None:
            continue
        a, b, *values = found
        memory.append(f"{a.hex()}:{b.hex()}")  # type: ignore[attr-defined]
        rows.append(",".join(map(str, values)))
    given = {
        "word": str(program.word_size),
        "checked": "False",
        "variants": "400",
        "division": " ".join(program.times()[2:]),
        "arguments": " ".join(rows),
        "bytes": " ".join(memory) or "00",
    }
    return Case("signals", program.text(annotation) + "\n", given)


KIND = Kind("signals", make, ways(5, 20), every=10)
