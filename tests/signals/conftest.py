"""Ways to move samples: machine code (as always), NumPy, or residual programs as Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import cogen
from cogen.signals.slices import Slices
from cogen.signals.task import Task
from tests.signals.residualmover import ResidualMover, use


@pytest.fixture
def residuals(monkeypatch: pytest.MonkeyPatch) -> list[cogen.Residual]:
    """The residual programs of the kernels that the test makes; they run as Python."""
    made: list[cogen.Residual] = []
    use(monkeypatch, lambda task: ResidualMover(task, made.append))
    return made


@pytest.fixture(scope="class", params=["residual", "numpy"])  # of no class: each test
def portable_movers(request: pytest.FixtureRequest) -> Iterator[None]:
    """Movers that need no C compiler: for many layouts, they are far quicker to make."""
    ways: dict[str, Any] = {"residual": ResidualMover, "numpy": Slices}
    with pytest.MonkeyPatch.context() as patch:
        use(patch, ways[request.param])
        yield


@pytest.fixture
def numpy_movers(monkeypatch: pytest.MonkeyPatch) -> list[Task]:
    """The tasks for which NumPy is used, which is for all."""
    made: list[Task] = []

    def make(task: Task) -> Slices:
        made.append(task)
        return Slices(task)

    use(monkeypatch, make)
    return made
