"""Loops that store numbers that go up (or down) by steps, and load nothing -> their first, and the
step.

    out[i] = (s & 255) | (s + 1 & 255) << 8 | (s + 2 & 255) << 16 | (s + 3 & 255) << 24; s = s + 4

stores 0, 1, 2, ... in bytes.  C compilers make vectors of words, each of four sums that are moved
to their places; a vector of samples is one sum.  Samples are followed as in `samplewise`.
"""

from __future__ import annotations

from dataclasses import dataclass

from cogen.backends.kernel import structured as st
from cogen.backends.kernel.provenance import MovingRound, Through, round_of
from cogen.backends.kernel.samplewise import MOST_BITS, OPERATIONS, SIZES, STATE, SampleWalk, Total


@dataclass(frozen=True, slots=True)
class Progression(Through):
    """What a round of such a loop does: the samples that it stores, of so many bits, are
    factor * state + start, and each `step` more than the one before; the state is a parameter of
    the loop, and so the samples of the next round go on from there."""

    size: int
    state: str
    factor: int
    start: int
    step: int
    count: int
    """The samples of a round."""


def progression(loop: st.KernelLoop, word_size: int) -> Progression | None:
    """What a counted loop stores, if it gains by vectors of samples."""
    found = round_of(loop, OPERATIONS | {"*"}, reading=False)  # a product is an index
    counted = loop.counted
    if found is None or found.loaded or counted is None:
        return None
    bits = found.through.written * word_size
    if bits & bits - 1 or bits > MOST_BITS:
        return None
    for size in SIZES:
        for state, grows in counted.steps.items():
            made = _in_samples(found, state, grows, size, word_size) if size <= word_size else None
            if made is not None:
                return made
    return None


def _in_samples(
    found: MovingRound, state: str, grows: int, size: int, word_size: int
) -> Progression | None:
    """The same with samples of a size, and with a parameter as the state, which grows a round."""
    samples = SampleWalk(size, word_size, {state: Total(0, ((STATE, 1),))}).samples(found)
    if samples is None or len(samples) < 2:
        return None
    first, count, every = samples[0], len(samples), 1 << size
    step = samples[1].constant - first.constant
    if len(first.terms) != 1 or first.terms[0][0] != STATE:
        return None
    factor = first.terms[0][1]
    wanted = [((first.constant + i * step) % every, first.terms) for i in range(count)]
    if [(total.constant % every, total.terms) for total in samples] != wanted:
        return None
    if (factor * grows - count * step) % every:
        return None
    t = found.through
    return Progression(
        t.source, t.target, t.source_index, t.target_index, t.read, t.written, t.reach, size, state,
        factor, first.constant, step, count,
    )  # fmt: skip
