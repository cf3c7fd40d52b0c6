"""Dictionaries and sets whose keys only a run knows, order by keys, and lists that are edited
anywhere: as in Python, or refused where they stand."""
# ruff: noqa: B905, RUF007  # what people write is tested

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cogen
from tests.everyday import is_long

N = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3])
X = np.array([0.5, 1.0, -2.0, 1.0, 1e300, -0.0, 0.0, 0.5, float("inf"), 2.0, 2.5])


def counted(a: Any) -> Any:
    d: Any = {}
    for x in a:
        d[x] = d.get(x, 0) + 1
    return d, len(d), sum(d.values()), max(d.values()), sorted(d), list(d.items())[-1]


def under_tests(a: Any) -> Any:
    d: Any = {}
    for x in a:
        if x in d:
            d[x] += 1
        elif x > 2:
            d[x] = 1
    for k in d:
        d[k] = d[k] * 2
    return d, [(k, v) for k, v in d.items() if v > 2], 3 in d, 77 not in d


def by_default(a: Any) -> Any:
    sums: Any = defaultdict(float)
    for i, x in enumerate(a):
        sums[x * 2] += i
    counts = Counter(a)
    return sums, counts, counts.most_common(2), counts[1000]


def of_pairs(a: Any) -> Any:
    d: Any = {}
    for x, y in zip(a, a[1:], strict=False):
        d[x, y > 3] = d.get((x, y > 3), 0) + y
    return d


def comprehended(a: Any) -> Any:
    squares = {x: x * x for x in a}
    return squares, {x + 1 for x in a if x > 1}, len(set(a)), dict(zip(a, a[::-1])), list(
        dict.fromkeys(a))  # fmt: skip


def unique(a: Any) -> Any:
    seen, out = set(), []
    for x in a:
        if x not in seen:
            seen.add(x)
            out.append(x)
    return out, seen


def of_sets(a: Any) -> Any:
    s, t = set(a), {x + 2 for x in a}
    return s & t, s - t, s | t


def of_more_sets(a: Any) -> Any:
    s, t = set(a), {x + 2 for x in a}
    both = s | t
    both.add(100)
    return both, s ^ t, s <= both, s.isdisjoint({-1}), {3, 4} & s, s == t, s == set(a)


def changed_here_and_there(a: Any) -> Any:
    d, s = {0: 1}, {5}
    if a[0] > 2:
        d[7] = 2
    for x in a:
        if x == 9:
            d[len(d)] = x
            s.add(len(s))
    return d, s


def two_sum(a: Any, wanted: Any) -> Any:
    seen: Any = {}
    for i, x in enumerate(a):
        if wanted - x in seen:
            return seen[wanted - x], i
        seen[x] = i
    return -1, -1


TABLE = {1: 10, 4: 20, 9: 30}
PRIMES = {n for n in range(2, 200) if all(n % k for k in range(2, n))}


def looked_up(a: Any) -> Any:
    own = {2: (1, 0.5), 3: (2, 1.5)}
    return [TABLE.get(x, 0) for x in a], [own[x] for x in a if x in own], [x in PRIMES for x in a]


def collatz(n: Any) -> Any:
    """Lengths of ways, of which those that are known are kept."""
    steps, longest = {1: 0}, 1
    for start in range(2, n):
        x, count = start, 0
        while x not in steps:
            x = x // 2 if x % 2 == 0 else 3 * x + 1
            count += 1
        steps[start] = steps[x] + count
        if steps[start] > steps[longest]:
            longest = start
    return longest, steps


def in_each_round(a: Any) -> Any:
    out = []
    for k in range(2, 5):
        seen: Any = set()
        for x in a:
            seen.add(x % k)
        out.append(len(seen))
    return out


def best(a: Any) -> Any:
    d: Any = {}
    for x in a:
        d[x] = d.get(x, 0) + 1
    top = sorted(d.items(), key=lambda kv: (-kv[1], kv[0]))[:3]
    return max(d, key=d.get), top, max(d.items(), key=lambda kv: kv[1]), d == dict(d), d == {1: 2}


def extremes(a: Any) -> Any:
    return (
        max(range(len(a)), key=lambda i: a[i]),
        min(((x % 3, -x) for x in a), default=(0, 0)),
        max([(x % 3, i) for i, x in enumerate(a)]),
        min(a, key=lambda x: (x % 4, -x)),
        max(a[0], a[1], key=lambda x: x % 3),
        max([x for x in a if x > 1000], key=lambda x: x % 7, default=-1),
    )


def in_order(a: Any) -> Any:
    xs, ys = list(a), [(x % 3, i) for i, x in enumerate(a)]
    xs.sort(key=lambda x: x % 4)
    ys.sort(reverse=True)
    return (
        xs,
        ys,
        sorted(a, key=lambda x: x % 3, reverse=True),
        sorted(range(len(a)), key=lambda i: a[i]),
        sorted([a[2], a[1], a[0]], key=lambda x: -x),
        (a[0], a[1]) < (a[0], a[2]),
        (a[0], a[1]) in [(1, 2), (3, 1)],
    )


def edited(a: Any) -> Any:
    xs, known = list(a), [1, 2, 3, 4, 5]
    xs.remove(4)
    del xs[2], xs[-3]
    y = xs.pop(a[1])
    xs.insert(a[1], 70)
    xs.insert(-2, 80)
    xs.insert(99, 90)
    xs.insert(-99, 60)
    del known[a[1]]
    inserted: list[Any] = []
    for x in a:
        i = 0
        while i < len(inserted) and inserted[i] < x:
            i += 1
        inserted.insert(i, x)
    return xs, y, known, inserted


def plain(x: Any) -> Any:
    """A result with its types, but for NumPy's numbers; dictionaries with their order."""
    if isinstance(x, dict):
        return type(x).__name__, [(plain(k), plain(v)) for k, v in x.items()]
    if isinstance(x, set):
        return set(map(plain, x))
    if isinstance(x, list | tuple):
        return type(x)(map(plain, x))
    return x.item() if isinstance(x, np.generic) else x


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("function", "values"),
    [
        (counted, [N]), (counted, [X]), (under_tests, [N]), (by_default, [N]), (of_pairs, [N]),
        (comprehended, [N]), (unique, [N]), (unique, [X]), (of_sets, [N]),
        (changed_here_and_there, [N]),
        pytest.param(of_more_sets, [N], marks=pytest.mark.long),
        (two_sum, [N, 17]),
        (two_sum, [N, 100]), (looked_up, [N]), (collatz, [300]), (in_each_round, [N]), (best, [N]),
        (extremes, [N]), (in_order, [N]), (edited, [N]),
    ],
)  # fmt: skip
def test_what_python_gives(function: Any, values: list[Any]) -> None:
    known = [v.tolist() if isinstance(v, np.ndarray) else v for v in values]
    assert plain(cogen.stage(function)(*values)) == plain(function(*known))


# Laws.


def worked(what: Any, keys: Any, values: Any) -> Any:
    d: Any = {}
    out = []
    for k, key, v in zip(what, keys, values, strict=True):
        if k == 0:
            d[key] = v
        elif k == 1:
            out.append(d.get(key, -1))
        elif k == 2:
            if key in d:
                del d[key]
        elif k == 3:
            out.append(d.pop(key, -2))
        elif k == 4:
            d[key] = d.setdefault(key, v) + 1
        elif k == 5:
            out.append(len(d))
        elif k == 6 and v == 7:
            d.clear()
    return d, out, list(d), sorted(d.values())


def worked_on_a_set(what: Any, keys: Any, others: Any) -> Any:
    s: Any = set()
    for k, x, y in zip(what, keys, others, strict=True):
        if k < 3:
            s.add((x, y))
        else:
            s.discard((x, y))
    return s, len(s)


WORKED, SET_WORKED_ON = cogen.stage(worked), cogen.stage(worked_on_a_set)
NUMBERS = st.one_of(st.integers(-4, 4), st.integers(-(2**63), 2**63 - 1))


@given(st.lists(st.tuples(st.integers(0, 6), NUMBERS, st.integers(-9, 9)), max_size=60),
       st.sampled_from(["int", "real"] if is_long() else ["int"]))  # fmt: skip
def test_what_is_done_to_a_dictionary_is_what_python_does(steps: Any, kind: str) -> None:
    what, keys, values = (np.array(x, int) for x in zip(*steps, strict=True)) if steps else (
        np.zeros(0, int),) * 3  # fmt: skip
    if kind == "real":
        keys = keys / 4
    found = WORKED(what, keys, values)
    assert plain(found) == plain(worked(what.tolist(), keys.tolist(), values.tolist()))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-2, 2), NUMBERS), max_size=60))
def test_what_is_done_to_a_set_is_what_python_does(steps: Any) -> None:
    columns = [np.array(x, int) for x in zip(*steps, strict=True)] or [np.zeros(0, int)] * 3
    found = SET_WORKED_ON(*columns)
    assert found == worked_on_a_set(*[c.tolist() for c in columns])


def ordered(a: Any, places: Any) -> Any:
    xs: list[Any] = []
    for x, k in zip(a, places, strict=True):
        xs.insert(k, x)
    pairs = [(x % 3, i) for i, x in enumerate(xs)]
    least = min(pairs, key=lambda p: (-p[0], p[1]), default=(0, -1))
    return xs, sorted(xs, key=lambda x: x % 5, reverse=True), sorted(pairs), least


ORDERED = cogen.stage(ordered)


@given(st.lists(st.tuples(st.integers(-20, 20), st.integers(-30, 30)), max_size=25))
def test_lists_are_edited_and_sorted_as_python_does(steps: Any) -> None:
    columns = [np.array(x, int) for x in zip(*steps, strict=True)] or [np.zeros(0, int)] * 2
    assert plain(ORDERED(*columns)) == ordered(*[c.tolist() for c in columns])


def test_many_keys_get_more_room() -> None:
    a = np.random.default_rng(0).integers(0, 10**12, 20_000)
    found = cogen.stage(unique)(np.concatenate([a, a]))
    assert found[0] == list(dict.fromkeys(a.tolist()))


# What is refused.


def absent(a: Any) -> Any:
    d = dict.fromkeys(a, 1)
    return d[77]


def grown(a: Any) -> Any:
    d = dict.fromkeys(a, 1)
    for k in d:
        d[k + 100] = 1
    return d


def worded(a: Any) -> Any:
    return {"a": 1}[a[0]]


def outside(a: Any) -> Any:
    TABLE[a[0]] = 1
    return a


def of_arrays(a: Any) -> Any:
    return {a: 1}.get(a[0])


def nothing(a: Any) -> Any:
    return max([x for x in a if x > 99], key=lambda x: -x)


@pytest.mark.parametrize(
    ("function", "says", "line", "column"),
    [
        (absent, "a key that is not in the dictionary: 77", 2, 12),
        (grown, "dictionary changed size during iteration", 3, 9),
        (worded, "a staged value cannot be a key of a dictionary", 1, 12),
        (outside, "a dictionary or set from outside the function gets a key", 1, 5),
        (of_arrays, "a staged value cannot be a key of a dictionary", 1, 12),
        (nothing, "max() of what has no element", 1, 12),
    ],
)
def test_what_is_refused(function: Any, says: str, line: int, column: int) -> None:
    with pytest.raises(cogen.CogenError) as found:
        cogen.stage(function)(N)
    assert says in found.value.message
    span = found.value.span
    assert span is not None
    first = function.__code__.co_firstlineno
    assert (span.source.name, span.line, span.column) == (__file__, first + line, column)
