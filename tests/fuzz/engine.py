"""The fuzzer's loop: makes cases of seeds, sends them all ways, shrinks what differs, keeps it."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.fuzz.case import COMMENT, Case, Differs, Kind, Skipped, Way, written
from tests.fuzz.runner import Here, Made, Runner

SHRINKING: Final = 400
"""The most smaller cases that are tried."""

SHRINKING_SECONDS: Final = 600.0
"""The time after which none is tried: each that hangs as well takes its limit."""


@dataclass
class Report:
    """What was done: by kind and way, how many cases agreed, were passed over, differed."""

    programs: Counter[str] = field(default_factory=Counter)
    agreed: Counter[tuple[str, str]] = field(default_factory=Counter)
    skipped: Counter[tuple[str, str]] = field(default_factory=Counter)
    found: list[tuple[str, str, int, Path]] = field(default_factory=list)
    seconds: Counter[tuple[str, str]] = field(default_factory=Counter)

    def lines(self) -> list[str]:
        """The report as text."""
        lines = [f"{sum(self.programs.values())} programs"]
        for kind, count in self.programs.items():
            lines.append(f"{kind}: {count} programs")
            for name, way in sorted(self.agreed.keys() | self.skipped.keys()):
                if name == kind:
                    key = (name, way)
                    lines.append(
                        f"    {way:14}{self.agreed[key]:8} agree {self.skipped[key]:8} passed over"
                        f"{self.seconds[key]:9.1f} s"
                    )
        for kind, way, seed, path in self.found:
            lines.append(f"{kind}, {way}: seed {seed} differs: {path}")
        return lines


class Fuzzer:
    """Fuzzes some kinds in turn, from a seed on; what it finds is written into a folder."""

    def __init__(
        self,
        kinds: Sequence[Kind],
        folder: Path,
        say: Callable[[str], None],
        runner: Runner | None = None,
    ) -> None:
        self.kinds = kinds
        self.folder = folder
        self.say = say
        self.runner = runner or Here()
        self.report = Report()
        self.waiting: dict[tuple[str, str], list[int]] = {}
        self.met: set[tuple[str, str, str]] = set()
        self.overran: set[tuple[str, int]] = set()
        """The cases that took too long in some way: they go no other."""
        self.stopped = False
        """Whether no further seed is to be begun."""

    def run(self, seed: int, count: int, seconds: float | None) -> int:
        """Fuzz with `count` seeds, or as long as time lasts; the seed to go on with."""
        started = time.monotonic()
        end = seed + count
        while (
            seed < end
            and not self.stopped
            and (seconds is None or time.monotonic() - started < seconds)
        ):
            for kind in self.kinds:
                self.one(kind, seed)
            seed += 1
        for kind in self.kinds:
            for way in kind.ways:
                self.settle(kind, way)
        return seed

    def one(self, kind: Kind, seed: int) -> None:
        """Send the case of a seed the ways that have their turn."""
        turn, rest = divmod(seed, kind.every)
        if rest:
            return
        self.report.programs[kind.name] += 1
        for way in kind.ways:
            if turn % way.every:
                continue
            waiting = self.waiting.setdefault((kind.name, way.name), [])
            waiting.append(seed)
            if len(waiting) >= way.batch:
                self.settle(kind, way)

    def settle(self, kind: Kind, way: Way) -> None:
        """Carry out what waits for a way."""
        waiting = self.waiting.pop((kind.name, way.name), [])
        seeds = [seed for seed in waiting if (kind.name, seed) not in self.overran]
        if not seeds:
            return
        key = (kind.name, way.name)
        verdicts, seconds = self.runner.run(kind, way, seeds)
        self.report.seconds[key] += seconds
        for seed, verdict in zip(seeds, verdicts, strict=True):
            if verdict is None:
                self.report.agreed[key] += 1
            elif isinstance(verdict, Skipped):
                self.report.skipped[key] += 1
            else:
                self.differs(kind, way, seed, verdict)

    def differs(self, kind: Kind, way: Way, seed: int, verdict: Exception) -> None:
        """Make a case that differs small, and keep it; one that was met in like form is not."""
        mark = (kind.name, way.name, form(verdict))
        self.say(f"{kind.name}, {way.name}, seed {seed}: {str(verdict)[:300]}")
        if form(verdict).startswith("overrun"):
            self.overran.add((kind.name, seed))
        if mark in self.met:
            self.report.found.append((kind.name, way.name, seed, Path("(met before)")))
            return
        self.met.add(mark)
        try:
            made = self.runner.make(kind, seed)
        except Differs:
            self.report.found.append((kind.name, way.name, seed, Path("(cannot be made)")))
            return
        case = shrunk(self.runner, kind, way, made, form(verdict))
        path = self.folder / name(case, way)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(written(case, way.name), encoding="utf-8")
        self.report.found.append((kind.name, way.name, seed, path))


def name(case: Case, way: Way) -> str:
    """The name of the file that keeps a case."""
    digest = hashlib.sha256(written(case, way.name).encode()).hexdigest()[:10]
    return (
        f"{case.kind}-{way.name}-{digest}{'.scm' if COMMENT[case.kind].startswith(';') else '.l0'}"
    )


def form(verdict: Exception) -> str:
    """What two differences have in common that are probably one: their first words."""
    return " ".join(str(verdict).split()[:3])


def shrunk(runner: Runner, kind: Kind, way: Way, made: Made, mark: str) -> Case:
    """A smaller case that differs in the same form: with fewer and smaller numbers chosen."""
    numbers, case = made.taken, made.case
    left = SHRINKING
    end = time.monotonic() + SHRINKING_SECONDS

    def attempt(candidate: tuple[float, ...]) -> bool:
        nonlocal numbers, case, left
        left -= 1
        if time.monotonic() > end:
            left = 0
            return False
        try:
            smaller = runner.make(kind, candidate)
        except Differs:
            return False
        if (len(smaller.case.text), smaller.taken) >= (len(case.text), numbers):
            return False
        verdict = runner.run(kind, way, [candidate])[0][0]
        if not isinstance(verdict, Differs) or form(verdict) != mark:
            return False
        numbers, case = smaller.taken, smaller.case
        return True

    size = max(1, len(numbers) // 2)
    while size and left > 0:
        start, again = 0, False
        while start < len(numbers) and left > 0:
            before, part, rest = (
                numbers[:start],
                numbers[start : start + size],
                numbers[start + size :],
            )
            smaller: list[tuple[float, ...]] = [(), (0.0,) * len(part)] if any(part) else [()]
            if size == 1 and part[0]:
                smaller += [(part[0] / 2,), (part[0] * 0.9,)]
            if any(attempt(before + instead + rest) for instead in smaller):
                again = True
            else:
                start += size
        if not again:
            size //= 2
    return case
