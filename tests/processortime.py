"""How much processor time tests take, told at the end: together and by files, against what there is
for them.

It is that of the process and of the children that it has waited for, so it hardly depends on what
else the machine does.  Nothing fails by it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator, Mapping
from typing import Final

import pytest

FOR_ALL: Final = 840
"""Seconds for all tests: with lint, types and what collects them it is eight minutes on two
processors."""

FOR_FILE: Final = 12
"""Seconds for a file; more are to be looked at."""

LEAST: Final = 200
"""Runs that take fewer seconds are not of the whole suite, and tell nothing."""

PROPERTY: Final = "processor time"
_STARTED = pytest.StashKey[float]()


def spent() -> float:
    """The seconds of processor time so far."""
    found = os.times()
    return sum(found[:4])


def told(files: Mapping[str, float]) -> list[str]:
    """What is said of the seconds that files took."""
    total = sum(files.values())
    if total < LEAST:
        return []
    large = {name: seconds for name, seconds in files.items() if seconds > FOR_FILE}
    return [
        f"{total:.0f} s of {FOR_ALL} s for all files",
        *[
            f"{seconds:.0f} s of {FOR_FILE} s for {name}"
            for name, seconds in sorted(large.items(), key=lambda one: -one[1])
        ],
    ]


class ProcessorTime:
    """The plugin that measures, in each worker, and tells, where these report to."""

    def __init__(self) -> None:
        self.files: Counter[str] = Counter()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None]:
        item.stash[_STARTED] = spent()
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None]:
        try:
            return (yield)
        finally:
            item.user_properties.append((PROPERTY, spent() - item.stash[_STARTED]))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "teardown":
            seconds = dict(report.user_properties).get(PROPERTY, 0.0)
            self.files[report.nodeid.partition("::")[0]] += seconds

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        lines = told(self.files)
        if lines:
            terminalreporter.section(PROPERTY)
            for line in lines:
                terminalreporter.line(line)
