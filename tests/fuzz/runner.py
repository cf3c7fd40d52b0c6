"""Carries cases out: in this process, or in one of its own that has limits of time and memory.

A case is named by its source, a seed or the numbers that it is made of, so that it can be made
again where it is needed: after a process was lost, or to try a smaller one.
"""

from __future__ import annotations

import contextlib
import faulthandler
import multiprocessing
import os
import resource
import signal
import tempfile
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any, Final, NoReturn, Protocol

from cogen.lang.deep import on_deep_stack
from tests.choices import Stream
from tests.fuzz.case import Case, Differs, Kind, Way, crashed

Source = int | tuple[float, ...]
"""A seed, or the numbers that are chosen (0 after them)."""

Verdict = Exception | None

KEPT: Final = 4000
"""So many cases are kept for the ways that they wait for."""

JOBS: Final = 5000
"""After so many jobs a process gives way to a new one: code that was loaded stays in it."""

SHARE: Final = 2.0
"""Seconds more for each further case of a batch."""


@dataclass(frozen=True)
class Made:
    """A case, and the numbers that it was made of."""

    case: Case
    taken: tuple[float, ...]


class Runner(Protocol):
    """Makes cases and sends them ways."""

    def make(self, kind: Kind, source: Source) -> Made:
        """The case of a source; `Differs` if it cannot be made."""
        ...

    def run(self, kind: Kind, way: Way, sources: Sequence[Source]) -> tuple[list[Verdict], float]:
        """What a way says of cases, and the seconds of processor time that it took."""
        ...


class Here:
    """In this process: what a case does, hanging or crashing too, happens to it."""

    def __init__(self) -> None:
        self._made: OrderedDict[tuple[str, Source], Made] = OrderedDict()

    def make(self, kind: Kind, source: Source) -> Made:
        key = (kind.name, source)
        found = self._made.get(key)
        if found is None:
            stream = Stream(source) if isinstance(source, int) else Stream(None, source)
            try:
                case = kind.make(stream)
            except Exception as error:
                raise crashed(error) from error
            found = self._made[key] = Made(case, tuple(stream.taken))
            if len(self._made) > KEPT:
                self._made.popitem(last=False)
        return found

    def run(self, kind: Kind, way: Way, sources: Sequence[Source]) -> tuple[list[Verdict], float]:
        before = time.process_time()
        verdicts: list[Verdict] = []
        cases = []
        for source in sources:
            try:
                cases.append(self.make(kind, source).case)
                verdicts.append(None)
            except Differs as said:
                verdicts.append(said)
        found = iter(way.run(cases) if cases else ())
        verdicts = [next(found) if verdict is None else verdict for verdict in verdicts]
        return verdicts, time.process_time() - before


def _mapped() -> int:
    """How many bytes of addresses this process has already, which libraries may have reserved."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()


class Lost(Exception):
    """The process ended with a job that it was at: how, and where the job was."""


class Watched:
    """In a process of its own, which may take so many seconds for a case (and a bit more for
    each further case of a batch) and so many megabytes; one that takes more, or crashes, is a
    difference, and the next case has a new process."""

    def __init__(self, kinds: Sequence[Kind], seconds: float, megabytes: int) -> None:
        self._kinds = {kind.name: kind for kind in kinds}
        self._seconds = seconds
        self._megabytes = megabytes
        self.process = 0
        """The number of the process, 0 while there is none."""
        self._jobs = 0
        self._end: Connection
        self._log: IO[bytes]

    def __enter__(self) -> Watched:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def make(self, kind: Kind, source: Source) -> Made:
        try:
            found = self._ask(kind, None, [source])
        except Lost as lost:
            raise Differs(str(lost)) from None
        if isinstance(found, Differs):
            raise found
        assert isinstance(found, Made)
        return found

    def run(self, kind: Kind, way: Way, sources: Sequence[Source]) -> tuple[list[Verdict], float]:
        try:
            return self._ask(kind, way, sources)  # type: ignore[no-any-return]
        except Lost as lost:
            if len(sources) == 1:
                return [Differs(str(lost))], 0.0
        alone = [self.run(kind, way, [source]) for source in sources]
        return [verdicts[0] for verdicts, _ in alone], sum(seconds for _, seconds in alone)

    def _ask(self, kind: Kind, way: Way | None, sources: Sequence[Source]) -> Any:
        """The answer of the process; `Lost` if it ends instead."""
        if self._jobs >= JOBS:
            self._stop()
        if not self.process:
            self._start()
        self._jobs += 1
        try:
            self._end.send((kind.name, way and way.name, list(sources)))
            return self._end.recv()
        except (EOFError, ConnectionError):
            raise Lost(self._stop()) from None

    def _start(self) -> None:
        self._end, far = multiprocessing.Pipe()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 -- closed by _stop
        self._jobs = 0
        process = os.fork()
        if process == 0:
            self._end.close()
            self._work(far)
        far.close()
        self.process = process

    def _stop(self) -> str:
        """End the process and what it has started; how it had ended, if it had."""
        if not self.process:
            return ""
        self._end.close()
        _, status = os.waitpid(self.process, 0)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process, signal.SIGKILL)
        self.process = 0
        self._log.seek(0)
        text = self._log.read().decode(errors="replace")
        self._log.close()
        return _how(os.waitstatus_to_exitcode(status), text, self._seconds)

    def _work(self, end: Connection) -> NoReturn:
        """Answer until nobody asks."""
        os.setsid()  # so that what it starts can be ended with it
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        limit = _mapped() + (self._megabytes << 20)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        faulthandler.enable(self._log)
        try:
            on_deep_stack(self._answer, end)
        except (EOFError, ConnectionError):
            os._exit(0)
        except BaseException:
            faulthandler.dump_traceback(self._log)
        os._exit(1)

    def _answer(self, end: Connection) -> NoReturn:
        here = Here()
        while True:
            name, way, sources = end.recv()
            kind = self._kinds[name]
            seconds = self._seconds + SHARE * (len(sources) - 1)
            faulthandler.dump_traceback_later(seconds, exit=True, file=self._log)
            answer: Any
            if way is not None:
                answer = _answered(here, kind, kind.way(way), sources)
            else:
                try:
                    made = here.make(kind, sources[0])
                    answer = Made(Case(made.case.kind, made.case.text, made.case.given), made.taken)
                except Differs as said:
                    answer = said
            faulthandler.cancel_dump_traceback_later()
            end.send(answer)


def _answered(
    here: Here, kind: Kind, way: Way, sources: Sequence[Source]
) -> tuple[list[Verdict], float]:
    """What a way says; it fails as a whole if it cannot say what of."""
    try:
        return here.run(kind, way, sources)
    except Exception as error:
        if len(sources) == 1:
            return [crashed(error)], 0.0
        alone = [_answered(here, kind, way, [source]) for source in sources]
        return [verdicts[0] for verdicts, _ in alone], sum(seconds for _, seconds in alone)


def _how(status: int, log: str, seconds: float) -> str:
    """How a process ended, in words: the first of them tell kinds of ends apart."""
    lines = [line.strip() for line in log.splitlines()]
    places = [line for line in lines if line.startswith("File ")]
    if any(line.startswith("Timeout") for line in lines):
        return f"overrun: takes more than {seconds:g} seconds; {'; '.join(places[:6])}"
    said = next((line for line in lines if line.startswith("Fatal")), "")
    how = f"signal {-status}" if status < 0 else f"status {status}"
    return f"crash: ends with {how}; {said}; {'; '.join(places[:6])}"
