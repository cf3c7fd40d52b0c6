"""Kernels stay within their buffers, vectors of lanes at the ends of arrays too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from hypothesis import settings

from tests.cogen.array.guarded import PAGE, guarded
from tests.cogen.array.targets import need_device

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_kernels_touch_nothing_behind_their_buffers() -> None:
    need_device()
    programs = max(2, settings().max_examples // 10)
    result = run("-m", "tests.cogen.array.guarded", "0", str(programs))
    assert result.returncode == 0, result.stderr


def test_the_page_behind_a_buffer_cannot_be_touched() -> None:
    assert (guarded(24).ctypes.data + 24) % PAGE == 0
    touch = (
        "import ctypes; from tests.cogen.array.guarded import guarded; a = guarded(24); "
        "ctypes.string_at(a.ctypes.data, {})"
    )
    assert run("-c", touch.format(24)).returncode == 0
    assert run("-c", touch.format(25)).returncode < 0
