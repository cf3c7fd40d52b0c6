"""What loops leave behind: variables that have no value before them, slices that count from the end
by numbers of a run, and what lists are asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cogen
from tests.cogen.staging.test_lists import plain

A = np.array([0.25, 0.5, 0.75, 0.125])


def last_index(a: Any, n: Any) -> Any:
    for k in range(n):
        x = a[k] * 2
        if x > 1.0:
            break
    return k, x


def of_elements(a: Any, n: Any) -> Any:
    for x in a:
        pair = x, x * n
    return x, pair


def of_a_test(a: Any, n: Any) -> Any:
    while n > 3:
        rest = n % 3
        n = n // 2
    return rest


def nested(a: Any, n: Any) -> Any:
    out = np.zeros(4)
    for i in range(4):
        for k in range(n):
            if a[i] * k > 1.0:
                break
        out[i] = k
    return out


def arrays(a: Any, n: Any) -> Any:
    for _ in range(n):
        label = a > 0.3
        a = a * label
    return label


def searched(a: Any, n: Any) -> Any:
    """The variable is that of the last round, also where a round leaves it as it was."""
    for k in range(n):
        if k == 2:
            continue
        found = k
    return found


def used_by_another(a: Any, n: Any) -> Any:
    for i in range(n):
        s = i
    t = 0
    for j in range(i):
        t += j + s
    return t


@pytest.mark.parametrize(
    "function", [last_index, of_elements, of_a_test, nested, arrays, used_by_another]
)
def test_variables_of_loops_are_there_after_them(function: Any) -> None:
    staged = cogen.stage(function)
    for n in (4, 3):
        assert plain(staged(A, n + 4 * (function is of_a_test))) == plain(
            function(A, n + 4 * (function is of_a_test))
        )


@pytest.mark.parametrize("function", [last_index, of_a_test, arrays, used_by_another])
def test_where_there_is_no_round_there_is_no_value(function: Any) -> None:
    with pytest.raises(UnboundLocalError):
        function(A, 0)
    with pytest.raises(cogen.CogenError) as found:
        cogen.stage(function)(A, 0)
    assert "has no value: the loop had no round" in found.value.message


def test_a_variable_that_a_round_may_leave_out_has_no_value() -> None:
    with pytest.raises(cogen.CogenError) as found:
        cogen.stage(searched)(A, 4)
    assert "`found` has" in found.value.message


def before_it_is_assigned(a: Any, n: Any) -> Any:
    for k in range(n):
        if k > 0:
            a = a + s  # noqa: F821  # that is what is tested
        s = k
    return a + s


def test_a_round_does_not_see_what_none_has_assigned() -> None:
    with pytest.raises(cogen.CogenError) as found:
        cogen.stage(before_it_is_assigned)(A, 3)
    assert "`s` has no value yet" in found.value.message


def test_a_loop_whose_variables_nothing_uses_carries_none_of_them() -> None:
    def doubled(a: Any) -> Any:
        out = []
        for x in a:
            y = x * 2
            out.append(y)
        return np.array(out)

    report = cogen.stage(doubled).report(A)
    assert [(s["kind"], s["path"]) for s in report["soacs"]] == [("map", [])]


def test_slices_from_the_end() -> None:
    def ends(a: Any, k: Any) -> Any:
        c = np.cumsum(a)
        return a[-k:], a[:-k], a[k:-k], (c[k:] - c[:-k]).sum(), a[-k : -k + 1], a[::-1][:-k]

    staged = cogen.stage(ends)
    for k in (1, 2, 4):
        assert plain(staged(A, k)) == plain(ends(A, k))

    def ends_alone(a: Any, k: Any) -> Any:
        return a[-k:], a[:-k]

    staged = cogen.stage(ends_alone)
    for k in (0, 1, 3, 4, 9, -1, -2, -7):
        assert plain(staged(A, k)) == plain(ends_alone(A, k))
    with pytest.raises(cogen.CogenError, match="a computed bound of a slice is negative"):
        cogen.stage(lambda a, k: a[k:])(A, -1)


def test_what_lists_are_asked_for() -> None:
    def asked(k: Any, n: Any) -> Any:
        odd = [x for x in k if x % 2 == 1]
        return odd.count(5), odd.index(9), [1, 2, n].count(n), [7, n].index(n), odd.count(n)

    k = np.array([3, 5, 9, 5])
    assert plain(cogen.stage(asked)(k, 2)) == plain(asked(k, 2))
    with pytest.raises(cogen.CogenError, match=r"index\(\) of what is not in the list"):
        cogen.stage(asked)(k[:2], 2)


def test_a_range_becomes_a_list() -> None:
    def distance(a: Any, b: Any) -> Any:
        before = range(len(b) + 1)
        for i, x in enumerate(a):
            now = [i + 1]
            for j, y in enumerate(b):
                now.append(min(before[j + 1] + 1, now[j] + 1, before[j] + (x != y)))
            before = now
        return before[-1]

    staged = cogen.stage(distance)
    for a, b in (("kitten", "sitting"), ("", "abc"), ("a", "")):
        x, y = (np.array(list(s.encode()), int) for s in (a, b))
        assert staged(x, y) == distance(x, y)
