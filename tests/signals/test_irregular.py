"""Irregular and structured data, in three ways of running: run lengths, escapes, sparse vectors,
records, bit fields, base 64."""

from __future__ import annotations

import base64
import random
from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.signals.ways import Outcome, Signal, run, run_source, samples, signal

PROGRAM = """
(define (encode in out) (base64-encode! in out))
(define (decode in out) (base64-decode! in out))

(define (runs pairs out)
  (rle-decode! (signal-channel pairs 0 2) (signal-channel pairs 1 2) out))
(define (to-runs in pairs)
  (rle-encode! in (signal-channel pairs 0 2) (signal-channel pairs 1 2)))
(define (runs-length counts) (rle-length counts))

(define (sum s) (escaped-sum s))
(define (fold s)
  (escaped-fold (lambda (r x) (bitwise-xor (bitwise-and (* 3 r) 65535) x)) 1 s))
(define (unescape s out) (escape-decode! s out))
(define (escape in out) (escape-encode! in out))

(define (scatter indices values out) (sparse-scatter! indices values out))
(define (gather in indices out) (sparse-gather! in indices out))
(define (dot indices values dense) (sparse-dot indices values dense))
(define (to-sparse in indices values) (sparse-encode! in indices values))

;; Records of a kind, a length, and so many samples: kind times the sum of each.
(define (records s)
  (fold-records (lambda (total header payload)
                  (+ total (* (signal-get header) (signal-sum payload))))
                0 s 2
                (lambda (header) (signal-get (signal-next header)))))
(define (negative s) (fold-records (lambda (r h p) r) 0 s 1 (lambda (h) -1)))
"""


def call(entry: str, *arguments: Signal | int, word: int = 32, native: bool = False) -> Outcome:
    return run(PROGRAM, entry, *arguments, word_size=word, native=native)


def data(n: int, limit: int = 256) -> list[int]:
    rng = random.Random(n)
    return [rng.randrange(limit) for _ in range(n)]


# -- base 64 --------------------------------------------------------------------------------------


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("n", "word"), [*[(n, 8) for n in (0, 1, 2, 3, 4, 11, 24)], (13, 32), (24, 32), (26, 64)]
)
def test_base64_both_ways(n: int, word: int) -> None:
    plain = data(n)
    letters = base64.b64encode(bytes(plain))
    out = signal([0] * 64, 8, word_size=word)
    encoded = call("encode", signal(plain, 8, word_size=word), out, word=word, native=word == 8)
    assert encoded.value == len(letters)
    assert encoded.memories[1][: len(letters)] == letters
    back = signal([0] * 64, 8, word_size=word)
    text = signal(list(letters), 8, word_size=word)
    decoded = call("decode", text, back, word=word, native=word == 8)
    assert decoded.value == n
    assert [*decoded.memories[1][:n]] == plain


def test_base64_between_other_samples() -> None:
    out = signal([0] * 8, 8, 24, 4)
    outcome = call("encode", signal([77, 97, 110, 33], 8, offset=16), out)
    assert bytes(samples(out.layout, outcome.memories[1])) == b"TWFuIQ=="


@pytest.mark.parametrize(
    ("entry", "text", "room", "message"),
    [
        ("decode", b"TWF", 9, "base64-decode!: the number of letters must be a multiple of 4"),
        ("decode", b"TW-u", 9, "base64-decode!: the input has a character that is no letter"),
        ("decode", b"T===", 9, "base64-decode!: the input has a character that is no letter"),
        ("decode", b"TQ==TWFu", 9, "base64-decode!: the input has a character that is no letter"),
        ("decode", b"TWFu", 2, "base64-decode!: the output is too short"),
        ("encode", b"Man!", 7, "base64-encode!: the output is too short"),
    ],
)
def test_wrong_base64(entry: str, text: bytes, room: int, message: str) -> None:
    arguments = signal(list(text), 8), signal([0] * room, 8)
    alone = run_source(PROGRAM, entry, *arguments)
    outcome = alone if room == 9 else call(entry, *arguments, word=8, native=True)
    assert (outcome.error or "").startswith(message)


def test_base64_wants_bytes() -> None:
    for entry, arguments in (("encode", (6, 8)), ("decode", (8, 9))):
        outcome = run_source(PROGRAM, entry, *(signal([65] * 4, size) for size in arguments))
        assert "must have samples of 8 bits without gaps" in (outcome.error or "")


# -- run lengths ----------------------------------------------------------------------------------

RUNS = [
    [],
    [(3, 7)],
    [(0, 1), (20, 2), (1, 3), (40, 4), (17, 5), (2, 6)],
    [(1, k) for k in range(30)],
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("size", "word"), [(8, 8), (8, 32), (5, 16), (16, 16)])
@pytest.mark.parametrize("runs", RUNS, ids=len)
def test_run_lengths_decoded(runs: list[tuple[int, int]], size: int, word: int) -> None:
    plain = [value for count, value in runs for _ in range(count)]
    pairs = [x for pair in runs for x in pair]
    for more in (0, 5):
        out = signal([9] * (len(plain) + more), size, word_size=word)
        outcome = call("runs", signal(pairs, 8), out, word=word, native=size == 8)
        assert outcome.value == len(plain)
        assert samples(out.layout, outcome.memories[1])[: len(plain)] == plain
        before, after = (int.from_bytes(m, "little") for m in (out.memory, outcome.memories[1]))
        assert after >> out.layout.end == before >> out.layout.end


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("size", "word"), [(8, 8), (3, 16)])
def test_run_lengths_encoded(size: int, word: int) -> None:
    plain = [5] * 4 + [1] + [6] * 9 + [0] * 2
    counted = [(len(list(group)), value) for value, group in groupby(plain)]
    pairs = signal([0] * 2 * (len(counted) + 1), 8)
    outcome = call("to-runs", signal(plain, size, word_size=word), pairs, word=word, native=True)
    assert outcome.value == len(counted)
    got = samples(pairs.layout, outcome.memories[1])[: 2 * len(counted)]
    assert got == [x for pair in counted for x in pair]


def test_long_runs_are_several() -> None:
    pairs = signal([0] * 6, 4)
    outcome = call("to-runs", signal([3] * 33, 8), pairs)
    assert outcome.value == 3
    assert samples(pairs.layout, outcome.memories[1]) == [15, 3, 15, 3, 3, 3]


def test_no_samples_are_no_runs() -> None:
    assert call("to-runs", signal([], 8), signal([0] * 2, 8)).value == 0


@pytest.mark.parametrize("word", [8, 32])
def test_wrong_run_lengths(word: int) -> None:
    long = call("runs", signal([3, 1, 6, 2], 8), signal([0] * 8, 8), word=word)
    assert long.error == "rle-decode!: the runs are longer than the output"
    many = call("to-runs", signal([1, 2, 3], 8), signal([0] * 4, 8), word=word)
    assert many.error == "rle-encode!: the output is too short"


# -- escapes --------------------------------------------------------------------------------------


def escaped(values: list[int], size: int = 8) -> list[int]:
    half = 1 << (size - 1)
    return [
        y for x in values for y in ([x] if x < half else [half | x >> size, x & ((1 << size) - 1)])
    ]


VALUES = st.lists(st.integers(0, 127) | st.integers(128, 32767), max_size=40)


@settings(max_examples=max(12, settings().max_examples // 80))
@given(values=VALUES, word=st.sampled_from([8, 16, 32, 64]), gap=st.sampled_from([0, 0, 8]))
def test_sum_of_escaped_values(values: list[int], word: int, gap: int) -> None:
    s = signal(escaped(values), 8, 8 + gap, 8, word_size=word)
    assert run_source(PROGRAM, "sum", s, word_size=word).value == sum(values)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("n", [0, 40])
@pytest.mark.parametrize(
    ("word", "size", "offset"), [(64, 8, 0), (32, 8, 24), (32, 4, 0), (16, 8, 0)]
)
def test_escaped_values(n: int, word: int, size: int, offset: int) -> None:
    rng = random.Random(n)
    limit, half = 1 << (2 * size - 1), 1 << (size - 1)
    values = [rng.randrange(rng.choice([half, limit])) for _ in range(n)] + [limit - 1, 1]
    s = signal(escaped(values, size), size, offset=offset, word_size=word)
    native = offset == 0 and size == 8
    assert call("sum", s, word=word, native=native).value == sum(values)
    r = 1
    for x in values:
        r = 3 * r & 65535 ^ x
    assert call("fold", s, word=word).value == r


@pytest.mark.one_in(8)
@pytest.mark.parametrize(("word", "size"), [(16, 8), (32, 8), (32, 4), (64, 8)])
@pytest.mark.parametrize("n", [5, 60])
def test_escapes_both_ways(n: int, word: int, size: int) -> None:
    rng = random.Random(n + word)
    limit, half = 1 << (2 * size - 1), 1 << (size - 1)
    values = [rng.randrange(rng.choice([half] * 9 + [limit])) for _ in range(n)]
    coded = escaped(values, size)
    out = signal([0] * (len(values) + 1), 2 * size, word_size=word)
    s = signal(coded, size, word_size=word)
    decoded = call("unescape", s, out, word=word, native=word == 16)
    assert decoded.value == n
    assert samples(out.layout, decoded.memories[1])[:n] == values
    out = signal([0] * (len(coded) + 1), size, word_size=word)
    given = signal(values, 2 * size, word_size=word)
    encoded = call("escape", given, out, word=word, native=word == 16)
    assert encoded.value == len(coded)
    assert samples(out.layout, encoded.memories[1])[: len(coded)] == coded


def test_wrong_escapes() -> None:
    cut = signal([1, 200], 8)
    for word in (8, 64):
        assert call("sum", cut, word=word).error in (
            "escaped-sum: the last value is cut off", "escaped-fold: the last value is cut off",
        )  # fmt: skip
    room = signal([0] * 4, 16)
    assert call("unescape", cut, room).error == "escape-decode!: the last value is cut off"
    short = call("unescape", signal([1, 2, 3], 8), signal([0] * 2, 16))
    assert short.error == "escape-decode!: the output is too short"
    large = call("escape", signal([40000], 16), room_of_bytes(4))
    assert large.error == "escape-encode!: a value is out of range"
    for values in ([3, 4, 5], [1, 300]):
        short = call("escape", signal(values, 16), room_of_bytes(2))
        assert (short.error or "").startswith("escape-encode!: the ")


def room_of_bytes(n: int) -> Signal:
    return signal([0] * n, 8)


# -- sparse vectors -------------------------------------------------------------------------------


def test_sparse_vectors() -> None:
    dense = [0, 0, 5, 0, -7, 0, 0, 1, 0]
    indices = [k for k, x in enumerate(dense) if x]
    values = [x for x in dense if x]
    i, v = signal(indices, 8), signal(values, 16, kind="signed")
    out = signal([0] * len(dense), 16, kind="signed")
    scattered = call("scatter", i, v, out, native=True)
    assert samples(out.layout, scattered.memories[2]) == dense
    other = signal([3 * k for k in range(9)], 8)
    assert call("dot", i, v, other, native=True).value == sum(
        3 * k * x for k, x in enumerate(dense)
    )
    out = signal([0] * 3, 16)
    gathered = call("gather", other, i, out, native=True)
    assert samples(out.layout, gathered.memories[2]) == [3 * k for k in indices]
    given = signal(dense, 16, kind="signed")
    i, v = signal([0] * 4, 8), signal([0] * 4, 16, kind="signed")
    encoded = call("to-sparse", given, i, v, native=True)
    assert encoded.value == 3
    assert samples(i.layout, encoded.memories[1])[:3] == indices
    assert samples(v.layout, encoded.memories[2])[:3] == values


def test_wrong_sparse_vectors() -> None:
    i, v, out = signal([1, 9], 8), signal([1, 1], 8), signal([0] * 9, 8)
    for entry, arguments in (
        ("scatter", (i, v, out)), ("gather", (out, i, v)), ("dot", (i, v, out)),
    ):  # fmt: skip
        name = "sparse-dot" if entry == "dot" else f"sparse-{entry}!"
        assert call(entry, *arguments).error == f"{name}: an index is out of range"
    given = signal([1, 0, 0, 0, 1, 1], 8)
    short = call("to-sparse", given, signal([0] * 2, 8), v)
    assert short.error == "sparse-encode!: the output is too short"
    small = call("to-sparse", given, signal([0] * 2, 2), v)
    assert small.error == "sparse-encode!: an index does not fit in its samples"


# -- records --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "word"), [(8, 8), (8, 32), (12, 16)])
def test_records(size: int, word: int) -> None:
    records = [(3, [10, 20]), (1, []), (7, [1, 2, 3, 4, 5]), (2, [100])]
    flat = [x for kind, payload in records for x in (kind, len(payload), *payload)]
    total = sum(kind * sum(payload) for kind, payload in records)
    s = signal(flat, size, word_size=word)
    assert call("records", s, word=word, native=word == 8).value == total


def test_wrong_records() -> None:
    for cut in ([1, 3, 5, 5], [1]):
        outcome = call("records", signal(cut, 8), word=8)
        assert outcome.error == "fold-records: the last record is cut off"
    assert call("negative", signal([1, 2], 8)).error == "fold-records: a length is negative"
