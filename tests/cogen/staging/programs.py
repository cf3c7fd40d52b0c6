"""Functions as people write them for NumPy, which are staged and run as they are."""

# They are what is tested, not examples of style.
# ruff: noqa: B905, SIM108, RUF007, RET, PLR, C416, B023, SIM110, RUF005, SIM103, B006, E741, PYI024

from __future__ import annotations

import math
from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np

import cogen

RNG = np.random.default_rng(5)
A = RNG.normal(size=7)
B = RNG.normal(size=7)
M = RNG.normal(size=(3, 4))
N = RNG.normal(size=(4, 5))
I = RNG.integers(-9, 9, size=7)  # noqa: E741  # ints
K = RNG.integers(0, 4, size=7)
F = RNG.integers(0, 2, size=7).astype(bool)

Array = Any


def arithmetic(a: Array, b: Array) -> Array:
    return (a + b) * 2 - a / (b * b + 1) + a**2 - (-b) + 1 // 2


def integers(i: Array, k: Array) -> Array:
    return (
        i + k,
        i - k,
        i * k,
        i // 3,
        i % 3,
        i // -2,
        i % -2,
        i & k,
        i | k,
        i ^ k,
        ~i,
        i << 2,
        i >> 1,
    )


def reals(a: Array) -> Array:
    return (
        np.floor(a), np.ceil(a), np.trunc(a * 3), np.rint(a * 2), np.sqrt(np.abs(a)), np.exp(a),
        np.log(np.abs(a)), np.sign(a), a // 0.7, a % 0.7, np.square(a), np.isnan(a),
    )  # fmt: skip


def comparisons(a: Array, b: Array) -> Array:
    return a < b, a <= b, a > 0, a >= b, a == b, a != b, (a < 0) & (b < 0), (a < 0) | ~(b < 0)


def mixed(i: Array, a: Array, f: Array) -> Array:
    return i + a, i * f, f + f, f * f, i / 2, np.where(f, i, a), np.maximum(i, a), f & (a > 0)


def reductions(a: Array, i: Array, f: Array) -> Array:
    return (
        a.sum(), np.sum(i), i.prod(), a.min(), np.max(a), a.mean(), f.any(), f.all(), f.sum(),
        np.argmax(a), a.argmin(), a.std(), np.var(a), np.count_nonzero(f), np.ptp(a),
    )  # fmt: skip


def axes(m: Array) -> Array:
    return (
        m.sum(axis=0), m.sum(axis=1), m.max(axis=0), m.min(axis=-1), m.mean(axis=0), m.sum(),
        np.argmax(m, axis=1), m.sum(axis=1, keepdims=True), np.any(m > 1, axis=0),
    )  # fmt: skip


def scans(a: Array, i: Array, m: Array) -> Array:
    return np.cumsum(a), np.cumprod(i), np.cumsum(m, axis=1), np.cumsum(m, axis=0), np.diff(a)


def products(m: Array, n: Array, a: Array) -> Array:
    return m @ n, np.dot(a, a), m @ n[:, 0], m.T @ m, n[0] @ n.T, np.outer(a, a)


def broadcasting(m: Array, a: Array) -> Array:
    row = m[0]
    return m + row, m * m[:, 0][:, None], m - m.mean(axis=1, keepdims=True), a[:, None] + a, m + 1


def indexing(a: Array, m: Array, k: Array, f: Array) -> Array:
    return (
        a[0], a[-1], a[1:-1], a[::2], a[::-1], a[:3], a[-3:], m[1], m[1, 2], m[:, 1], m[0:2, 1:3],
        a[k], a[f], m[-1, -1], m[::2, ::-1], a[..., 1], m[None, 0], a[5:2], a[2:100],
    )  # fmt: skip


def shapes(m: Array, a: Array) -> Array:
    return (
        m.T, m.reshape(4, 3), m.reshape(-1), m.ravel(), m.shape[0] + a.shape[0], m.size, len(a),
        np.concatenate([a, a[:2]]), np.stack([a, a]), np.hstack([m, m]), np.vstack([m, m]),
        np.flip(a), np.roll(a, 2), np.pad(a, 1), m.flatten(), np.transpose(m), np.repeat(3, 2),
    )  # fmt: skip


def makes(n: int, x: float) -> Array:
    return (
        np.zeros(n), np.ones((n, 2)), np.full(n, x), np.arange(n), np.arange(1, n),
        np.arange(4) * x,
        np.zeros_like(np.ones(n)), np.arange(n, 0, -1), np.array([x, 1.0, n]), np.eye(3) * x,
        np.arange(0, n, 2), np.linspace(0.0, x, 5),
    )  # fmt: skip


def counts(k: Array, a: Array) -> Array:
    return np.bincount(k), np.bincount(k, weights=a), np.bincount(k, minlength=9)


def converts(a: Array, i: Array, f: Array) -> Array:
    return (
        a.astype(int), i.astype(float), f.astype(int), (a * 100).astype(np.uint8).astype(int),
        i.astype(bool), np.clip(a, -0.5, 0.5), np.clip(i, 0, None), (i * 50).astype(np.int8) + 0,
        np.nonzero(i)[0], np.where(a > 0)[0], np.round(a * 3),
    )  # fmt: skip


def early(a: Array, x: float) -> Array:
    if x < 0:
        return -1.0
    if x > 10:
        y = x * 2
        if y > 50:
            return y
        y = y + 1
    else:
        y = 0.0
    return y + a[0]


def loops(a: Array, n: int) -> Array:
    total = 0
    largest = a[0]
    for i in range(n):
        if a[i] > largest:
            largest = a[i]
        total += a[i]
    for x in a:
        total += x
    for i, x in enumerate(a):
        total += i * x
    for x, y in zip(a, a[1:]):
        total += x * y
    return total, largest


def breaks(a: Array, x: float) -> Array:
    found = -1
    seen = 0
    for i in range(len(a)):
        if a[i] < 0:
            continue
        seen += 1
        if a[i] > x:
            found = i
            break
    else:
        seen = seen * 100
    return found, seen


def returns(a: Array, x: float) -> Array:
    for i in range(len(a)):
        if a[i] > x:
            return i
    return -1


def whiles(n: int) -> Array:
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def forever(x: float) -> Array:
    k = 0
    while True:
        x = x * 0.5
        k += 1
        if x < 1:
            break
    return k, x


def logic(a: Array, n: int, x: float) -> Array:
    y = 1.0 if n > 3 and x > 0 else 2.0
    z = n > 3 or x > 0
    w = not z
    i = 0
    while i < len(a) and a[i] < x:
        i += 1
    return y, z, w, i, 0 < n < 5, min(n, 3), max(x, 0.5), abs(x)


def updates(a: Array, k: Array, m: Array) -> Array:
    h = np.zeros(4)
    for i in range(len(k)):
        h[k[i]] += a[i]
    a[0] = 100.0
    m[1] = 0
    m[:, 0] = 7
    m[0, 1:3] = [1, 2]
    a[2:4] = a[4:6] * 2
    c = np.array(a)
    c[c < 0] = 0
    c[k] = -1
    return h, a, m, c


def aliases(a: Array) -> Array:
    b = a
    b[0] = 3.0
    v = a[1:4]
    v[1] = 9.0
    v += 1
    w = v[::2]
    w[0] = -1
    r = a.reshape(-1)
    r[5] = 55
    return a, b, v, w


def rows(m: Array) -> Array:
    for row in m:
        row[0] = row.sum()
    t = m.T
    t[1] = 5
    return m, t


def static_parts(a: Array, taps: cogen.static) -> Array:
    acc = 0
    for k, tap in enumerate(taps):
        if tap:
            acc = acc + tap * a[k : len(a) - len(taps) + 1 + k]
    names = {"x": acc, "y": [acc, acc * 2]}
    return names["x"] + names["y"][1]


def helper(x: Any, f: Any) -> Any:
    if x > 0:
        return f(x)
    return 0.0


def calls(x: float, n: int) -> Array:
    scale = 3.0

    def inner(y: Any, power: int = 2) -> Any:
        if y > n:
            return y * scale
        return y**power

    return helper(x, inner), helper(-x, lambda v: v + scale), inner(x, power=3)


@dataclass
class State:
    level: Any
    count: Any

    def step(self, x: Any) -> State:
        if x > self.level:
            return State(x, self.count + 1)
        return State(self.level * 0.5, self.count)


def machine(a: Array, s: State) -> State:
    for x in a:
        s = s.step(x)
    return s


Pair = namedtuple("Pair", "low high")


def structures(d: dict, p: Pair, t: tuple) -> Array:
    return {"sum": d["a"] + p.low, "pair": Pair(p.high, t[0]), "rest": t[1:]}


class Counter:
    def __init__(self, start: Any) -> None:
        self.n = start
        self.log = []

    def add(self, x: Any) -> None:
        if x > 0:
            self.n += x
        self.log.append(x)


def objects(a: Array, x: float) -> Array:
    c = Counter(0.0)
    for v in a:
        c.n = c.n + v
    c.add(x)
    c.add(-x)
    return c.n, c.log


def lists(a: Array, n: int) -> Array:
    xs = [0.0, 1.0]
    for i in range(n):
        xs[0], xs[1] = xs[1], xs[0] + a[i]
    best = {"value": a[0], "index": 0}
    for i in range(n):
        if a[i] > best["value"]:
            best["value"] = a[i]
            best["index"] = i
    return xs, best


def swaps(n: int) -> Array:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def buffers(a: Array, n: int) -> Array:
    old = a.copy()
    new = np.zeros_like(a)
    for _ in range(n):
        for i in range(1, len(a) - 1):
            new[i] = (old[i - 1] + old[i] + old[i + 1]) / 3
        old, new = new, old
    return old


def math_functions(x: float) -> Array:
    return math.sqrt(x), math.floor(x), math.exp(-x), math.ceil(x * 3), round(x), int(7.9)


def combinators(a: Array, k: Array, i: Array) -> Array:
    return (
        cogen.map(lambda x, y: x * y if x > 0 else y, a, k),
        cogen.filter(lambda x: x > 0, a),
        cogen.reduce(lambda x, y: x + y, 0.0, a),
        cogen.scan(lambda x, y: max(x, y), -100.0, a),
        cogen.bucket_reduce(lambda x, y: x + y, 0.0, 4, k, a),
        cogen.distinct(k),
        cogen.flat_map(lambda x: np.array([x, x * 2]), i),
        cogen.loop(5, lambda j, x: x * 2 + j, 1),
        cogen.map(lambda x: (x, x > 0), a)[1],
        cogen.loop(3, lambda j, x, y: (y, x + j), 0, 1),
    )  # fmt: skip


def groups(k: Array, a: Array) -> Array:
    keys, g = cogen.group_by(lambda x: x % 3, k)
    return keys, cogen.map(lambda part: part.sum(), g), cogen.map(lambda part: len(part), g)


def raises(x: float, n: int) -> Array:
    if n < 0:
        raise ValueError("n is negative")
    assert x != 0.5, "half"
    return x * n


def conditional_arrays(a: Array, b: Array, x: float) -> Array:
    if x > 0:
        c = a + 1
        d = b
    else:
        c = b[:3]
        d = a
    e = np.zeros(3)
    if x > 0:
        e[1] = x
    return c, d.sum(), e


def comprehension(a: Array, n: cogen.static) -> Array:
    return sum([a[i] * i for i in range(n)]), [a[i] for i in range(n) if i % 2 == 0]


def generator(a: Array) -> Array:
    def numbers():
        for i in range(3):
            yield a[i] * i

    return sum(numbers())


def long_loop(a: Array, x: float) -> Array:
    for i in range(100):
        x = x * 0.9 + a[i % 7]
    table = [i * i for i in range(100)]
    return x, table[9]


def changed_by_functions(a: Array) -> Array:
    count, m = 0, 7
    total = 0.0

    def visit(v: Any) -> None:
        nonlocal count, best
        if v > best:
            best = v
            count += 1

    def add(v: Any) -> Any:
        nonlocal total
        total += v
        return total

    best = -np.inf
    i = 0
    while i < len(a):
        visit(a[i])
        i += 1
    for v in a:
        add(v)
    if a[0] > 0:
        add(1.0)
    return count, best, total, m


def middles(a: Array, m: Array, n: int) -> Array:
    a, m = a.copy(), m.copy()
    a[1:-1] = a[2:] + a[:-2]
    a[:-1] += 1
    a[2:] = 5
    m[1:-1, 1:-1] = m[:-2, 1:-1] + m[2:, 1:-1] + m[1:-1, :-2] + m[1:-1, 2:]
    m[:, 1:] -= m[:, :-1]
    m[1:] *= 2
    m[:-1, 0:-2] = a[0]
    m[:, 1:] = m[0, 1:]
    for _ in range(n):
        a[1:-1] = 0.5 * (a[2:] + a[:-2])
        m[1:, :-1] += m[:-1, 1:]
    return a, m


def sieve(n: int) -> Array:
    prime = np.ones(n + 1, dtype=bool)
    prime[:2] = False
    for k in range(2, int(n**0.5) + 1):
        if prime[k]:
            prime[k * k :: k] = False
    return np.nonzero(prime)[0]


def single(a: Array, m: Array, i: int) -> Array:
    paths = m[:, i : i + 1] + m[i : i + 1, :]
    for k in range(len(m)):
        paths = np.minimum(paths, paths[:, k : k + 1] + paths[k : k + 1, :])
    return (
        paths, a[i : i + 1] * a, a[-1:] + a, a[:1] - a, a[i - 1 : i] + a[i : i + 1], a[50 : 50 + i],
        a[:: i + 1], a[1 :: i + 1], int(a[0] * 10), float(i), bool(i), bool(i - i),
    )  # fmt: skip


def orders(x: Array, m: Array, k: Array, b: Array) -> Array:
    own, rows = x.copy(), m.copy()
    own.sort()
    rows.sort(axis=0)
    return (
        np.sort(x), x.argsort(), np.argsort(k, kind="stable"), np.sort(b), np.sort(m), own, rows,
        np.sort(m, axis=0), np.sort(m, axis=None), np.argsort(m, axis=0, kind="stable"),
        np.sort(x)[::-1][:5], np.lexsort((x, k)), np.partition(x, 3)[3], np.sort(k[:0]),
    )  # fmt: skip


def quantiles(x: Array, m: Array, k: Array, b: Array) -> Array:
    return (
        np.median(x), np.median(k), np.median(m, axis=0), np.median(k[:4]), np.quantile(k, 0.3),
        np.percentile(k, [25, 50, 90]), np.quantile(m, 0.5, axis=1), np.percentile(x, 10),
    )  # fmt: skip


def different(x: Array, m: Array, k: Array, b: Array) -> Array:
    return (
        np.unique(k, return_index=True, return_inverse=True, return_counts=True), np.unique(x),
        np.unique(m), np.unique(b), np.unique(k[:1]), np.unique(k[:0], return_counts=True),
    )  # fmt: skip


def ranged(n: int, k: int) -> Array:
    total = 0
    for i in range(k, n, k):
        for j in range(0, i, i):
            total += i + j
    return total


SOME = np.where(np.arange(23) % 9 == 5, np.nan, np.random.default_rng(3).normal(size=23))
FEW = np.random.default_rng(3).integers(0, 6, size=23)
TABLE = np.where(np.arange(20).reshape(4, 5) == 7, np.nan, FEW[:20].reshape(4, 5) - 2.0)


CASES = [
    (arithmetic, (A, B)), (integers, (I, K)), (reals, (A,)), (comparisons, (A, B)),
    (mixed, (I, A, F)), (reductions, (A, I, F)), (axes, (M,)), (scans, (A, I, M)),
    (products, (M, N, A)), (broadcasting, (M, A)), (indexing, (A, M, K, F)), (shapes, (M, A)),
    (makes, (5, 2.5)), (counts, (K, A)), (converts, (A, I, F)), (early, (A, -1.0)),
    (early, (A, 3.0)), (early, (A, 12.0)), (early, (A, 30.0)), (loops, (A, 5)),
    (breaks, (A, 0.1)), (breaks, (A, 50.0)), (returns, (A, 0.3)), (returns, (A, 99.0)),
    (changed_by_functions, (A,)),
    (whiles, (27,)), (whiles, (1,)), (forever, (100.0,)), (logic, (A, 4, 0.5)),
    (logic, (A, 2, -0.5)), (updates, (A, K, M)), (aliases, (A,)), (rows, (M,)),
    (static_parts, (A, (1.0, 0, 2.0))), (calls, (2.0, 1)), (calls, (0.5, 1)),
    (machine, (A, State(0.0, 0))), (structures, ({"a": A, "b": 1}, Pair(1.0, A), (2, A, 3))),
    (objects, (A, 2.0)), (lists, (A, 6)), (swaps, (30,)), (buffers, (A, 3)), (buffers, (A, 4)),
    (math_functions, (2.5,)), (combinators, (A, K, I)), (groups, (K, A)), (raises, (2.0, 3)),
    (conditional_arrays, (A, B, 1.0)), (conditional_arrays, (A, B, -1.0)), (comprehension, (A, 4)),
    (generator, (A,)), (long_loop, (A, 1.0)), (sieve, (50,)), (single, (A, M[:, :3], 2)),
    (middles, (A, M, 2)), (middles, (A[:3], M[:2, :2], 1)), (middles, (A[:1], M[:1, :2], 1)),
    *[(f, (SOME, TABLE, FEW, FEW > 3)) for f in (orders, quantiles, different)], (ranged, (30, 4)),
]  # fmt: skip
