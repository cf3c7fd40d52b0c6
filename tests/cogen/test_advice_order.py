"""What is advised, and what comes of it, is the same in each run of Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CODE = """
import cogen
from cogen.specializer.advice.advise import Advice
from tests.corpus.cases import interpreter
for name, case in (("scheme-cps", "lists"), ("stack-vm", "primes"), ("trie", "two")):
    owner = interpreter(name)
    chosen = next(one for one in owner.cases if one.name == case)
    for step in Advice(owner.loaded, owner.entry, chosen.times).steps:
        print([lift.name for lift in step.lifts])
    print(cogen.specialize(owner.loaded, owner.entry, *chosen.times).scheme)
"""


def test_hashes_decide_nothing() -> None:
    texts = {
        subprocess.run(
            [sys.executable, "-c", CODE],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1
    assert "define" in texts.pop()
