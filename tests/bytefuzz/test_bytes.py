"""Some hundred mutated inputs, and all that the fuzzer ever found, end as they should.

Finds are files in `found/`, called after their target: `sound-rate-of-zero.bin`.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from tests.bytefuzz.mutation import Bytes, Texts
from tests.bytefuzz.targets import ROOT, attempt, quiet, targets

SEED = 7

FOUND = sorted((Path(__file__).parent / "found").glob("*.bin"))


@pytest.mark.parametrize("name", targets())
def test_mutated_inputs_end_with_a_result_or_a_diagnostic(name: str, tmp_path: Path) -> None:
    target = targets()[name]
    with quiet():
        ends = [
            attempt(target, target.make(Random(f"{SEED}/{i}")), tmp_path)
            for i in range(6 + target.share)
        ]
    assert set(ends) <= {"result", "diagnostic"}


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_what_was_found_ends_so_too(path: Path, tmp_path: Path) -> None:
    with quiet():
        assert attempt(targets()[path.stem.split("-")[0]], path.read_bytes(), tmp_path)


def test_the_same_seed_makes_the_same_inputs() -> None:
    for maker in (Texts(["(a (b 1) [2])", "x"], ["y"]), Bytes([b"abc" * 9], [b"yz"])):
        inputs = [maker.make(Random(f"{i}")) for i in range(50)]
        assert inputs == [maker.make(Random(f"{i}")) for i in range(50)]
        assert len(set(inputs)) > 25


def test_the_command_tells_what_it_did(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.bytefuzz", "--count", "40", "--found", str(tmp_path)]
    run = subprocess.run([*command, "layout", "bt"], cwd=ROOT, capture_output=True, text=True)
    assert run.stderr == ""
    assert re.search(r"\n41 inputs in \d+ s, 0 kinds of finds\n$", run.stdout)
    assert run.returncode == 0
