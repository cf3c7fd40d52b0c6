"""Cases that hang, take all memory or crash are finds, and take no others with them."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.choices import Seeded, Stream
from tests.fuzz.case import Case, Differs, Kind, Skipped, Way, each, read
from tests.fuzz.engine import Fuzzer
from tests.fuzz.runner import Here, Made, Watched

SECONDS = 0.5
"""For what hangs; what does not takes next to nothing."""

SLEEP = [sys.executable, "-c", "import time; time.sleep(1000)"]


def make(stream: Stream) -> Case:
    """A text of digits."""
    choices = Seeded(stream)
    return Case("kernels", "".join(str(choices.integer(0, 9)) for _ in range(6)), {"word": "8"})


def spin(case: Case) -> None:
    """Python code that does not end for texts with a seven."""
    if "9" in case.text:
        raise Skipped("a nine")
    while "7" in case.text:
        time.sleep(0.01)  # the other workers have something to do


def sleep_in_c(case: Case) -> None:
    ctypes.CDLL(None).pause()


def sleep_in_a_process(case: Case) -> None:
    subprocess.run(SLEEP, check=True)


def take_memory(case: Case) -> None:
    bytearray(1 << 40)


def crash(case: Case) -> None:
    ctypes.string_at(0)


def leave(case: Case) -> None:
    os._exit(3)


def kind(check: Callable[[Case], None], batch: int = 1) -> Kind:
    return Kind("kernels", make, (Way("way", each(check), batch=batch),))


def verdict(check: Callable[[Case], None], seconds: float = SECONDS) -> str:
    """What is found out about seed 1."""
    one = kind(check)
    with Watched([one], seconds, 4096) as runner:
        found = runner.run(one, one.ways[0], [1])[0][0]
        assert isinstance(found, Differs)
        assert isinstance(runner.make(one, 2), Made)  # goes on
    return str(found)


@pytest.mark.parametrize("check", [sleep_in_c, sleep_in_a_process])
def test_what_hangs_outside_of_python_is_ended(check: Callable[[Case], None]) -> None:
    said = verdict(check)
    assert said.startswith(f"overrun: takes more than {SECONDS:g} seconds")
    assert f"in {check.__name__}" in said


def test_what_has_been_started_ends_with_it() -> None:
    """A process that a case has left running holds the pipe until it is gone."""
    reading, writing = os.pipe()

    def start(case: Case) -> None:
        subprocess.Popen(
            [sys.executable, "-c", "import time; time.sleep(1000)"], pass_fds=[writing]
        )
        sleep_in_c(case)

    said = verdict(start)
    os.close(writing)
    assert said.startswith("overrun")
    assert os.read(reading, 1) == b""
    os.close(reading)


@pytest.mark.parametrize(
    ("check", "words"),
    [
        (take_memory, "MemoryError in take_memory"),
        (crash, f"crash: ends with signal {signal.SIGSEGV:d}; Fatal Python error: Segmentation"),
        (leave, "crash: ends with status 3"),
    ],
)
def test_what_takes_all_or_crashes_is_found(check: Callable[[Case], None], words: str) -> None:
    assert verdict(check, 60).startswith(words)


def test_one_that_hangs_takes_no_others_of_its_batch_along(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tests.fuzz.runner.SHARE", 0.0)
    one = kind(spin, batch=8)
    with Watched([one], SECONDS, 4096) as runner:
        seeds = list(range(8))
        texts = [runner.make(one, seed).case.text for seed in seeds]
        found = runner.run(one, one.ways[0], seeds)[0]
    hanging = [seed for seed in seeds if "7" in texts[seed] and "9" not in texts[seed]]
    assert 0 < len(hanging) < 5
    assert [seed for seed in seeds if isinstance(found[seed], Differs)] == hanging
    assert all(str(found[seed]).startswith("overrun") for seed in hanging)
    skipped = [seed for seed in seeds if isinstance(found[seed], Skipped)]
    assert skipped == [seed for seed in seeds if "9" in texts[seed]]


def test_what_hangs_is_made_small_kept_and_goes_no_other_way(tmp_path: Path) -> None:
    again: list[str] = []
    ways = (Way("spin", each(spin)), Way("other", each(lambda case: again.append(case.text))))
    one = Kind("kernels", make, ways)
    with Watched([one], SECONDS, 4096) as runner:
        fuzzer = Fuzzer([one], tmp_path, lambda text: None, runner)
        assert fuzzer.run(0, 6, None) == 6
        texts = [runner.make(one, seed).case.text for seed in range(6)]
    hanging = [seed for seed in range(6) if "7" in texts[seed] and "9" not in texts[seed]]
    assert [seed for _, _, seed, _ in fuzzer.report.found] == hanging
    assert fuzzer.report.agreed["kernels", "other"] == 6 - len(hanging)
    (path,) = tmp_path.iterdir()
    assert read(path.read_text())[0].text == "700000"


def test_a_case_is_the_same_in_both_places() -> None:
    one = kind(spin)
    with Watched([one], SECONDS, 4096) as runner:
        there, here = runner.make(one, 5), Here().make(one, 5)
        again = runner.make(one, here.taken)
    assert (there.case.text, there.taken) == (here.case.text, here.taken)
    assert again.case.text == here.case.text


def test_what_cannot_be_made_is_found(tmp_path: Path) -> None:
    def broken(stream: Stream) -> Case:
        raise ValueError("no program")

    one = Kind("kernels", broken, (Way("way", each(spin)),))
    with Watched([one], 60, 4096) as watched:
        for runner in (Here(), watched):
            fuzzer = Fuzzer([one], tmp_path, lambda text: None, runner)
            fuzzer.run(0, 1, None)
            assert fuzzer.report.found == [("kernels", "way", 0, Path("(cannot be made)"))]


def test_a_process_gives_way_to_a_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.runner.JOBS", 2)
    one = kind(lambda case: None)
    made = []
    with Watched([one], 60, 4096) as runner:
        for seed in range(5):
            assert runner.run(one, one.ways[0], [seed])[0] == [None]
            made.append(runner.process)
    assert made[0] == made[1] != made[2] == made[3] != made[4]
    assert runner.process == 0
