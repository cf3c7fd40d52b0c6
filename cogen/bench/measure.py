"""Timing of several candidates side by side."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter

Candidate = Callable[[], object]


def interleaved(
    candidates: Mapping[str, Candidate], repetitions: int = 15, seconds: float = 4.0
) -> dict[str, float]:
    """The median seconds of each candidate, run in turns after one run that does not count.

    There are `repetitions` rounds, fewer (but at least 3) if that would take longer than
    `seconds`.  A candidate that needs more than a third of `seconds` for one run is not run
    again after it: its one run is its figure.
    """
    if not candidates:
        return {}
    times: dict[str, list[float]] = {}
    slow: set[str] = set()
    for name, candidate in candidates.items():
        first = _time(candidate)
        times[name] = [first]
        if first > seconds / 3:
            slow.add(name)
    round_time = sum(times[name][0] for name in candidates if name not in slow)
    rounds = max(3, min(repetitions, int(seconds / max(round_time, 1e-9))))
    fast = [name for name in candidates if name not in slow]
    for name in fast:
        times[name].clear()
    collecting = gc.isenabled()
    gc.disable()
    try:
        for _ in range(rounds):
            for name in fast:
                times[name].append(_time(candidates[name]))
    finally:
        if collecting:
            gc.enable()
    return {name: median(runs) for name, runs in times.items()}


def batched(candidate: Candidate, seconds: float = 0.002) -> tuple[Candidate, int]:
    """The candidate repeated until a run takes about `seconds`, and how many times that is."""
    candidate()
    once = max(_time(candidate), 1e-9)
    count = max(1, int(seconds / once))

    def run() -> None:
        for _ in range(count):
            candidate()

    return run, count


def _time(candidate: Candidate) -> float:
    start = perf_counter()
    candidate()
    return perf_counter() - start
