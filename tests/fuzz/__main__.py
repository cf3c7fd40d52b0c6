"""`python -m tests.fuzz`: fuzzes, and exits with 1 if something differs.  An interrupt ends it
after the seed that it is at, and with its report.

--count N     seeds, each a program of each kind (1000)
--seed N      the first seed (0)
--time N      seconds after which no new seed is begun
--kind NAME   only programs of this kind; may be repeated
--keep PATH   where what differs is written (tests/fuzz/found)
--limit N     seconds that a program may take in one way (60); one that takes longer differs
--memory N    megabytes of address space that the process of the programs may have (6144)
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
from pathlib import Path

FOUND = Path(__file__).with_name("found")


def main() -> int:
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--time", type=float)
    parser.add_argument("--kind", action="append")
    parser.add_argument("--keep", type=Path, default=FOUND)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--memory", type=int, default=6144)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["COGEN_CACHE_DIR"] = folder  # what is fuzzed is compiled once
        return fuzz(given)


def fuzz(given: argparse.Namespace) -> int:
    from tests.fuzz.engine import Fuzzer
    from tests.fuzz.kinds import KINDS
    from tests.fuzz.runner import Watched

    kinds = [KINDS[name] for name in given.kind or KINDS]
    with Watched(kinds, given.limit, given.memory) as runner:
        fuzzer = Fuzzer(kinds, given.keep, lambda text: print(text, flush=True), runner)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: setattr(fuzzer, "stopped", True))
        end = fuzzer.run(given.seed, given.count, given.time)
    print(f"seeds {given.seed} to {end - 1}")
    print("\n".join(fuzzer.report.lines()), flush=True)
    return bool(fuzzer.report.found)


if __name__ == "__main__":
    sys.exit(main())
