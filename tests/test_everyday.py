"""Which cases of tests are run every day."""

from __future__ import annotations

import itertools

import pytest

from tests.everyday import of_every_kind

pytestmark = pytest.mark.quick

WAYS = ("c", "opencl", "python")


def test_about_one_in_so_many_and_one_of_each_kind() -> None:
    """Of the ways and of whether a call fails; not of the seeds, which are too many."""
    cases = {
        f"test[{seed}-{way}-{fails}]": {"seed": seed, "way": way, "fails": fails}
        for seed, way, fails in itertools.product(range(30), WAYS, (False, True))
    }
    for n in (10, 30, 60):
        stay = of_every_kind(cases, n)
        assert stay == of_every_kind(cases, n)
        assert len(cases) // n - 10 <= len(stay) <= len(cases) // n + 10
        found = [cases[name] for name in stay]
        assert {found["fails"] for found in found} == {False, True}
        assert {found["way"] for found in found} == set(WAYS)


def test_one_of_few_stays() -> None:
    assert len(of_every_kind({f"test[{i}]": {"i": i} for i in range(5)}, 1000)) == 1
    assert of_every_kind({"test": {}}, 7) == {"test"}
    assert len(of_every_kind({f"test[{i}]": {"i": i} for i in range(5)}, 1)) == 5
