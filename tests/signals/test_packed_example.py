"""The example that compares with NumPy runs, and finds the same arrays."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("full_optimisation")

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
)
def test_the_example_runs() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "packed.py"), "0.001"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "unpack raw10" in done.stdout
    assert "pack size=12" in done.stdout
