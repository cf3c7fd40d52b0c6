"""python -m tests.bytefuzz: the fuzzer's command."""

from __future__ import annotations

import argparse
import math
import os
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from random import Random
from typing import Final, NoReturn

from tests.bytefuzz.targets import Target, attempt, quiet, targets

BATCH: Final = 200
"""Inputs of a process: one that dies takes no others with it."""

GRACE: Final = 10
"""Seconds after the limit of an input until its process is killed."""


class TooLong(BaseException):
    """An input takes longer than the limit."""


def main() -> int:
    """Fuzz as the arguments say; 1 if anything was found."""
    given = _arguments()
    chosen = [targets()[name] for name in given.targets] or list(targets().values())
    shares = sum(target.share for target in chosen)
    started, total = time.monotonic(), 0
    for target in chosen:
        begun = time.monotonic()
        seconds = given.time * target.share / shares if given.time else math.inf
        ends, done, count = Counter[str](), 0, -(-given.count * target.share // shares)
        while done < count and time.monotonic() < begun + seconds:
            done = _batch(target, given, range(done, min(done + BATCH, count)), ends)
        total += done
        shown = ", ".join(f"{number} {how}s" for how, number in sorted(ends.items()))
        print(
            f"{target.name}: {done} inputs, {time.monotonic() - begun:.0f} s: {shown}", flush=True
        )
    finds = len(list(given.found.glob("*.txt")))
    print(f"{total} inputs in {time.monotonic() - started:.0f} s, {finds} kinds of finds")
    return 1 if finds else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bytefuzz", description=__doc__)
    add = parser.add_argument
    add("--count", type=int, default=100_000, help="inputs, of all targets together")
    add("--seed", type=int, default=0)
    add("--time", type=float, default=None, help="seconds after which it ends")
    add("--limit", type=int, default=60, help="seconds that an input may take")
    add("--memory", type=int, default=4096, help="megabytes that a process may take")
    add("--found", type=Path, default=Path("fuzz-found"), help="the directory where finds go")
    add("targets", nargs="*", help=f"of {', '.join(targets())}; all if none")
    return parser.parse_args()


def _batch(target: Target, given: argparse.Namespace, indices: range, ends: Counter[str]) -> int:
    """Run inputs in a process, up to one that kills it; the index of the next."""
    with tempfile.TemporaryDirectory() as place:
        state = Path(place) / "state"
        process = os.fork()
        if process == 0:
            _child(target, given, indices, Path(place), state)
        status = _wait(process, state, given.limit + GRACE)
        last, *counts = state.read_text().split() if state.exists() else [str(indices.start)]
    for word in counts:
        how, number = word.split("=")
        ends[how] += int(number)
    if status != 0:
        kind = "killed" if status == -signal.SIGKILL else f"ended-with{status}"
        data = target.make(Random(f"{given.seed}/{target.name}/{last}"))
        _keep(given.found, target, int(last), data, kind, "")
        ends["find"] += 1
    return int(last) + 1


def _wait(process: int, state: Path, seconds: float) -> int:
    """The end of a process, which is killed if its state stays the same for so long."""
    seen, since = "", time.monotonic()
    while True:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        now = state.read_text() if state.exists() else ""
        if now != seen:
            seen, since = now, time.monotonic()
        elif time.monotonic() - since > seconds:
            os.kill(process, signal.SIGKILL)
        time.sleep(0.02)


def _child(
    target: Target, given: argparse.Namespace, indices: range, place: Path, state: Path
) -> NoReturn:
    """Run inputs, and end the process."""
    resource.setrlimit(resource.RLIMIT_AS, (given.memory << 20, given.memory << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, _alarm)
    counts = Counter[str]()
    with quiet():
        for index in indices:
            data = target.make(Random(f"{given.seed}/{target.name}/{index}"))
            _write_state(state, index, counts)
            try:
                signal.alarm(given.limit)
                counts[attempt(target, data, place)] += 1
            except (Exception, TooLong) as error:
                signal.alarm(0)
                frames = traceback.extract_tb(error.__traceback__)
                ours = [frame for frame in frames if "site-packages" not in frame.filename][-1]
                kind = f"{type(error).__name__} {ours.filename}:{ours.lineno}"
                text = "".join(traceback.format_exception(error))
                _keep(given.found, target, index, data, kind, text)
                counts["find"] += 1
                if isinstance(error, TooLong):  # its threads may still be at it
                    _end(state, index, counts)
            signal.alarm(0)
    _end(state, indices.stop - 1, counts)


def _end(state: Path, index: int, counts: Counter[str]) -> NoReturn:
    _write_state(state, index, counts)
    sys.stdout.flush()
    os._exit(0)


def _write_state(state: Path, index: int, counts: Counter[str]) -> None:
    """Say which input is next, and how those before it ended."""
    state.write_text(" ".join([str(index), *(f"{how}={n}" for how, n in counts.items())]))


def _alarm(*_: object) -> None:
    raise TooLong


def _keep(place: Path, target: Target, index: int, data: bytes, kind: str, text: str) -> None:
    """Write down an input, unless there is a shorter one of its kind."""
    place.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"\W+", "-", f"{target.name} {kind.split()[0]} {kind.split('/')[-1]}")
    path = place / f"{name}.bin"
    if path.exists() and path.stat().st_size <= len(data):
        return
    path.write_bytes(data)
    about = f"{target.name} {index}: {kind}\n{text[-6000:]}"
    path.with_suffix(".txt").write_text(about, errors="replace")
    print(f"found: {target.name} {index}: {kind}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
