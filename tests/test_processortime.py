"""What is told of the processor time of tests."""

import pytest

from tests.processortime import FOR_FILE, LEAST, PROPERTY, ProcessorTime, told

pytestmark = pytest.mark.quick


def test_files_that_take_much_are_told_and_the_most_first() -> None:
    files = {"tests/test_a.py": FOR_FILE + 1.2, "tests/test_b.py": 3.0, "tests/test_c.py": LEAST}
    first, *others = told(files)
    assert first.startswith(f"{LEAST + FOR_FILE + 4} s of ")
    assert others == [
        f"{LEAST} s of {FOR_FILE} s for tests/test_c.py",
        f"{FOR_FILE + 1} s of {FOR_FILE} s for tests/test_a.py",
    ]


def test_of_a_few_files_nothing_is_told() -> None:
    assert told({"tests/test_a.py": LEAST - 1.0}) == []


def test_what_a_test_took_is_in_its_report(request: pytest.FixtureRequest) -> None:
    """And each file's sum is of those reports."""
    times = ProcessorTime()
    report = pytest.TestReport(
        "tests/test_a.py::test_b[c]", ("", 0, ""), {}, "passed", None, "teardown",
        user_properties=[(PROPERTY, 2.5)],
    )  # fmt: skip
    times.pytest_runtest_logreport(report)
    times.pytest_runtest_logreport(report)
    assert dict(times.files) == {"tests/test_a.py": 5.0}
    assert any(isinstance(one, ProcessorTime) for one in request.config.pluginmanager.get_plugins())
