"""The fuzzer's loop: makes cases of seeds, sends them all ways, shrinks what differs, keeps it."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.choices import Stream
from tests.fuzz.case import Case, Differs, Kind, Skipped, Way, written

SHRINKING: Final = 400
"""The most smaller cases that are tried."""


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

    def __init__(self, kinds: Sequence[Kind], folder: Path, say: Callable[[str], None]) -> None:
        self.kinds = kinds
        self.folder = folder
        self.say = say
        self.report = Report()
        self.waiting: dict[tuple[str, str], list[tuple[int, list[float], Case]]] = {}
        self.met: set[tuple[str, str, str]] = set()
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
        """Make the case of a seed, and send it the ways that have their turn."""
        turn, rest = divmod(seed, kind.every)
        if rest:
            return
        stream = Stream(seed)
        case = kind.make(stream)
        self.report.programs[kind.name] += 1
        for way in kind.ways:
            if turn % way.every:
                continue
            waiting = self.waiting.setdefault((kind.name, way.name), [])
            waiting.append((seed, stream.taken, case))
            if len(waiting) >= way.batch:
                self.settle(kind, way)

    def settle(self, kind: Kind, way: Way) -> None:
        """Carry out what waits for a way."""
        waiting = self.waiting.pop((kind.name, way.name), [])
        if not waiting:
            return
        key = (kind.name, way.name)
        before = time.process_time()
        verdicts = way.run([case for _, _, case in waiting])
        self.report.seconds[key] += time.process_time() - before
        for (seed, numbers, case), verdict in zip(waiting, verdicts, strict=True):
            if verdict is None:
                self.report.agreed[key] += 1
            elif isinstance(verdict, Skipped):
                self.report.skipped[key] += 1
            else:
                self.differs(kind, way, seed, numbers, case, verdict)

    def differs(
        self, kind: Kind, way: Way, seed: int, numbers: list[float], case: Case, verdict: Exception
    ) -> None:
        """Make a case that differs small, and keep it; one that was met in like form is not."""
        mark = (kind.name, way.name, form(verdict))
        self.say(f"{kind.name}, {way.name}, seed {seed}: {str(verdict)[:300]}")
        if mark in self.met:
            self.report.found.append((kind.name, way.name, seed, Path("(met before)")))
            return
        self.met.add(mark)
        case = shrunk(kind, way, numbers, case, form(verdict))
        text = written(case, way.name)
        name = hashlib.sha256(text.encode()).hexdigest()[:10]
        path = (
            self.folder
            / f"{kind.name}-{way.name}-{name}{'.l0' if kind.name == 'arrays' else '.scm'}"
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.report.found.append((kind.name, way.name, seed, path))


def form(verdict: Exception) -> str:
    """What two differences have in common that are probably one: their first words."""
    return " ".join(str(verdict).split()[:3])


def shrunk(kind: Kind, way: Way, numbers: list[float], case: Case, mark: str) -> Case:
    """A smaller case that differs in the same form: with fewer and smaller numbers chosen."""
    left = SHRINKING

    def attempt(candidate: list[float]) -> bool:
        nonlocal numbers, case, left
        left -= 1
        stream = Stream(None, candidate)
        try:
            smaller = kind.make(stream)
        except Exception:
            return False
        if (len(smaller.text), stream.taken) >= (len(case.text), numbers):
            return False
        verdict = way.run([smaller])[0]
        if not isinstance(verdict, Differs) or form(verdict) != mark:
            return False
        numbers, case = list(stream.taken), smaller
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
            smaller = [[], [0.0] * len(part)] if any(part) else [[]]
            if size == 1 and part[0]:
                smaller += [[part[0] / 2], [part[0] * 0.9]]
            if any(attempt(before + instead + rest) for instead in smaller):
                again = True
            else:
                start += size
        if not again:
            size //= 2
    return case
