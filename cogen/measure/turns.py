"""Timing of several candidates side by side."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from statistics import median
from time import perf_counter

Candidate = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds of each candidate in each round."""

    rounds: Mapping[str, list[float]]

    def seconds(self, name: str) -> float:
        """The median time of a candidate."""
        return median(self.rounds[name])

    def ratio(self, name: str, other: str) -> float:
        """How many times as long a candidate takes as another: the median over the rounds, so
        that a machine that is slow for a while is so for both."""
        a, b = self.rounds[name], self.rounds[other]
        if len(a) != len(b):
            return self.seconds(name) / self.seconds(other)
        return median(x / y for x, y in zip(a, b, strict=True))


def interleaved(
    candidates: Mapping[str, Candidate],
    repetitions: int = 15,
    seconds: float = 4.0,
    clock: Callable[[], float] = perf_counter,
) -> Timings:
    """Run the candidates in turns, after one run of each that does not count.

    Each round has an order of its own, by chance, but the same ones every time: who comes after
    someone who has read the same data finds them in the cache.  There are `repetitions` rounds,
    fewer (but at least 3) if they would take longer than `seconds`.  A candidate that needs more
    than `seconds` for one run is not run again: its first run counts.  `clock` gives seconds;
    `time.process_time` those of the processor, which others on the machine disturb less.
    """
    first = {name: _time(candidate, clock) for name, candidate in candidates.items()}
    slow = {name: [time] for name, time in first.items() if time > seconds}
    fast: dict[str, list[float]] = {name: [] for name in first if name not in slow}
    one_round = sum(first[name] for name in fast)
    count = max(3, min(repetitions, int(seconds / max(one_round, 1e-9))))
    order, random = list(fast), Random(0)
    collecting = gc.isenabled()
    gc.disable()
    try:
        for _ in range(count):
            for name in random.sample(order, len(order)):
                fast[name].append(_time(candidates[name], clock))
    finally:
        if collecting:
            gc.enable()
    return Timings({**fast, **slow})


def _time(candidate: Candidate, clock: Callable[[], float]) -> float:
    start = clock()
    candidate()
    return clock() - start
