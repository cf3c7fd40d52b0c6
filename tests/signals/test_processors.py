"""The processors of the signal library mean what their models in Python say: in three ways of
running (see `ways`), for several layouts and lengths."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate
from math import ceil, floor

import pytest

from tests.signals.ways import (
    Argument,
    Known,
    Signal,
    run,
    run_source,
    samples,
    signal,
)

Values = list[int]


@dataclass(frozen=True)
class Shape:
    """How the samples of one signal lie."""

    size: int
    stride: int
    offset: int = 0
    order: str = "little"
    kind: str = "unsigned"

    @property
    def limits(self) -> tuple[int, int]:
        if self.kind == "signed":
            return -(1 << (self.size - 1)), (1 << (self.size - 1)) - 1
        return 0, (1 << self.size) - 1

    def signal(self, values: Values, word_size: int) -> Signal:
        return signal(values, self.size, self.stride, self.offset, self.order, self.kind, word_size)


@dataclass(frozen=True)
class Setting:
    """Inputs and output of one run: an input takes the shapes in turn."""

    word_size: int
    ins: tuple[Shape, ...]
    out: Shape
    counts: tuple[int, ...]
    native: bool = True


def signed(size: int, stride: int | None = None, offset: int = 0, order: str = "little") -> Shape:
    return Shape(size, stride or size, offset, order, "signed")


SETTINGS = {
    "bytes": Setting(32, (Shape(8, 8),), Shape(8, 8), (0, 4, 20)),
    "sound": Setting(32, (signed(16),), signed(16), (0, 2, 30)),
    "gaps": Setting(
        32, (signed(12, 20, 5, "big"), signed(12, 12, 3)), signed(12, 20, 9), (1, 7), native=False
    ),
    "mixed": Setting(
        64, (Shape(5, 8, 2), Shape(5, 8, 0, "big")), Shape(9, 16, 1, "big"), (3, 13), native=False
    ),
    "bits": Setting(16, (Shape(1, 1, 3),), Shape(1, 1, 6, "big"), (1, 40), native=False),
    "wide": Setting(8, (Shape(32, 40, 8),), signed(24), (1, 5), native=False),
    "down": Setting(24, (Shape(8, -8, 192),), Shape(16, -24, 480), (9,), native=False),
}


@dataclass(frozen=True)
class Processor:
    """A call in the language, its inputs, and what it puts: model(out's limits, inputs...)."""

    call: str
    inputs: int
    model: Callable[..., Values]
    longer: int = 0
    """How many samples more the inputs have than the output."""
    length: Callable[[int], int] = field(default=lambda n: n)
    """The number of output samples for a number of input samples."""


Limits = tuple[int, int]


def clamp(limits: Limits, x: int) -> int:
    return max(limits[0], min(limits[1], x))


def fir(taps: Values, shift: int) -> Callable[[Limits, Values], Values]:
    def model(limits: Limits, x: Values) -> Values:
        sums = [sum(tap * x[i - k] for k, tap in enumerate(taps) if i >= k) for i in range(len(x))]
        return [clamp(limits, s >> shift) for s in sums]

    return model


def blend(limits: Limits, a: Values, b: Values, alpha: Values) -> Values:
    whole = (1 << ALPHA_SIZE) - 1
    return [
        floor((2 * (x * p + y * (whole - p)) + whole) / (2 * whole))
        for x, y, p in zip(a, b, alpha, strict=True)
    ]


ALPHA_SIZE = 8


def resampled(up: int, down: int, linear: bool) -> Callable[[Limits, Values], Values]:
    def model(limits: Limits, x: Values) -> Values:
        out = []
        for j in range(resampled_length(len(x), up, down, linear)):
            i, phase = divmod(j * down, up)
            if linear:
                later = x[i + 1] if phase else 0
                out.append((x[i] * (up - phase) + later * phase + up // 2) // up)
            else:
                out.append(x[floor((j * down + up // 2) / up)])
        return out

    return model


def resampled_length(n: int, up: int, down: int, linear: bool) -> int:
    if n == 0:
        return 0
    if linear:
        return (n - 1) * up // down + 1
    return ceil((n * up - up // 2) / down)


PROCESSORS = {
    "copy": Processor("(signal-copy! a out)", 1, lambda _, a: a),
    "fill": Processor("(signal-fill! out 77)", 0, lambda _, n: [77] * n),
    "ramp": Processor("(signal-ramp! out 5 -3)", 0, lambda _, n: [5 - 3 * k for k in range(n)]),
    "map": Processor(
        "(signal-map! (lambda (x y) (bitwise-xor x y)) out a b)",
        2,
        lambda _, a, b: [x ^ y for x, y in zip(a, b, strict=True)],
    ),
    "gain": Processor(
        "(signal-gain! a out 11 2)", 1, lambda c, a: [clamp(c, x * 11 >> 2) for x in a]
    ),
    "offset": Processor(
        "(signal-offset! a out -100)", 1, lambda c, a: [clamp(c, x - 100) for x in a]
    ),
    "adjust": Processor(
        "(signal-adjust! a out -3 1 40)", 1, lambda c, a: [clamp(c, (x * -3 >> 1) + 40) for x in a]
    ),
    "mix": Processor(
        "(signal-mix! a b out)",
        2,
        lambda _, a, b: [(x + y) >> 1 for x, y in zip(a, b, strict=True)],
    ),
    "mix-all": Processor(
        "(signal-mix-all! (list a b c) '(1 -2 3) 1 out)",
        3,
        lambda lim, a, b, c: [
            clamp(lim, (x - 2 * y + 3 * z) >> 1) for x, y, z in zip(a, b, c, strict=True)
        ],
    ),
    "threshold": Processor("(signal-threshold! a out 17)", 1, lambda _, a: [x >= 17 for x in a]),
    "fir": Processor("(signal-fir! a out '(1 -3 7 0 2) 2)", 1, fir([1, -3, 7, 0, 2], 2)),
    "fir of one tap": Processor("(signal-fir! a out '(1) 0)", 1, fir([1], 0)),
    "fir of zeros": Processor("(signal-fir! a out '(0 0) 0)", 1, fir([0, 0], 0)),
    "fir, valid": Processor(
        "(signal-fir-valid! a out '(2 5 -1) 1)",
        1,
        lambda c, a: fir([2, 5, -1], 1)(c, a)[2:],
        longer=2,
    ),
    "delay": Processor("(signal-delay! a out 3)", 1, lambda _, a: ([0] * 3 + a)[: len(a)]),
    "no delay": Processor("(signal-delay! a out 0)", 1, lambda _, a: a),
    "echo": Processor(
        "(signal-echo! a out 6 3 2)",
        1,
        lambda c, a: [
            clamp(c, x + (late * 3 >> 2)) for x, late in zip(a, [0] * 6 + a, strict=False)
        ],
    ),
    "box": Processor(
        "(signal-box! a out 1)",
        1,
        lambda _, a: [(sum(a[i : i + 3]) + 1) // 3 for i in range(len(a) - 2)],
        longer=2,
    ),
    "delta encode": Processor(
        "(delta-encode! a out)",
        1,
        lambda _, a: [x - y for x, y in zip(a, [0, *a], strict=False)],
    ),
    "delta decode": Processor("(delta-decode! a out)", 1, lambda _, a: list(accumulate(a))),
    "resample linear": Processor(
        "(signal-resample! a out 3 2 'linear)",
        1,
        resampled(3, 2, True),
        length=lambda n: resampled_length(n, 3, 2, True),
    ),
    "resample nearest": Processor(
        "(signal-resample! a out 2 5 'nearest)",
        1,
        resampled(2, 5, False),
        length=lambda n: resampled_length(n, 2, 5, False),
    ),
}

NAMES = ["a", "b", "c"]


def source(processor: Processor, lines: int) -> str:
    cache = f"(init-cache {lines})" if lines else ""
    names = " ".join([*NAMES[: processor.inputs], "out"])
    return f"(define (run {names}) {cache} {processor.call})"


EVERYDAY = 2
"""Of the settings without native code, how many a processor is run in if not in the long run."""


def cases(long: bool) -> list[tuple[str, str, int]]:
    """Processors and settings, and how many lines of cache they have."""
    found = []
    for k, name in enumerate(PROCESSORS):
        others = [setting for setting in SETTINGS if not SETTINGS[setting].native]
        start = EVERYDAY * k % len(others)
        chosen = {*(others + others)[start : start + EVERYDAY], ("bytes", "sound")[k % 2]}
        for setting in SETTINGS:
            everyday = 0 if SETTINGS[setting].native else 2 * (k // 2 % 2)
            sizes = (0, 1, 3) if long else (everyday,)
            found += [(name, setting, lines) for lines in sizes if long or setting in chosen]
    return found


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "setting" in metafunc.fixturenames:
        metafunc.parametrize(
            ("name", "setting", "lines"), cases(metafunc.config.getoption("--long"))
        )


@pytest.mark.one_in(8)
def test_processor(name: str, setting: str, lines: int) -> None:
    processor, given = PROCESSORS[name], SETTINGS[setting]
    random.seed(name + setting)
    for count in given.counts:
        n = count + processor.longer
        shapes = [given.ins[k % len(given.ins)] for k in range(processor.inputs)]
        inputs = [[random.randint(*shape.limits) for _ in range(n)] for shape in shapes]
        parts: list[object] = [*inputs] if inputs else [n]
        values = processor.model(given.out.limits, *parts)
        out = given.out.signal([0] * processor.length(count), given.word_size)
        arguments: list[Argument] = [
            shape.signal(x, given.word_size) for shape, x in zip(shapes, inputs, strict=True)
        ]
        outcome = run(
            source(processor, lines), "run", *arguments, out,
            word_size=given.word_size, native=given.native,
        )  # fmt: skip
        assert outcome.error is None
        assert outcome.memories[-1] == put(out, values)
        assert [a.memory for a in arguments if isinstance(a, Signal)] == [*outcome.memories[:-1]]


def put(out: Signal, values: Values) -> bytes:
    """The memory of a signal after these samples have been put."""
    memory = bytearray(out.memory)
    assert len(values) == out.layout.count
    for k, value in enumerate(values):
        out.layout.put(memory, k, value)
    return bytes(memory)


REDUCTIONS: dict[str, Callable[[Values], object]] = {
    "(signal-sum a)": sum,
    "(signal-min a)": min,
    "(signal-max a)": max,
    "(signal-peak a)": lambda a: max(map(abs, a)),
    "(signal-mean a)": lambda a: sum(a) / len(a),
    "(signal-energy a)": lambda a: sum(x * x for x in a),
    "(signal-fold (lambda (r x) (bitwise-xor (* 2 (bitwise-and r 65535)) x)) 1 a)": lambda a: fold(
        a
    ),
}


def fold(a: Values) -> int:
    r = 1
    for x in a:
        r = 2 * (r & 65535) ^ x
    return r


@pytest.mark.one_in(12)
@pytest.mark.parametrize("shape", [Shape(8, 8), signed(12, 20, 5, "big"), signed(24, 24, 8)])
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_reduction(reduction: str, shape: Shape) -> None:
    random.seed(reduction)
    for count in (1, 2, 17):
        values = [random.randint(*shape.limits) for _ in range(count)]
        text = f"(define (run a) {reduction})"
        outcome = run(text, "run", shape.signal(values, 32), native=shape.offset == 0)
        assert outcome.value == REDUCTIONS[reduction](values)


@pytest.mark.parametrize("name", ["min", "max", "mean"])
def test_no_samples_have_no(name: str) -> None:
    outcome = run(f"(define (run a) (signal-{name} a))", "run", signal([], 8), native=False)
    assert outcome.error == f"signal-{name}: the signal is empty"


def test_dot() -> None:
    a, b = [3, -4, 5, -6], [1, 2, 3, 200]
    x = run("(define (run a b) (signal-dot a b))", "run", signal(a, 12, kind="signed"),
            signal(b, 8))  # fmt: skip
    assert x.value == 3 - 8 + 15 - 1200


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("kind", "shift"), [("unsigned", 0), ("signed", 1)])
def test_histogram(kind: str, shift: int) -> None:
    least = -8 if kind == "signed" else 0
    values = [random.Random(4).randint(least, least + 15) for _ in range(50)]
    bins = signal([2] * (16 >> shift), 32)
    text = f"(define (run a bins) (signal-histogram! a bins {shift}))"
    outcome = run(text, "run", signal(values, 4, 12, 4, kind=kind), bins)
    counts = [2] * (16 >> shift)
    for x in values:
        counts[(x - least) >> shift] += 1
    assert samples(bins.layout, outcome.memories[1]) == counts


@pytest.mark.one_in(3)
@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize(("size", "stride"), [(8, 8), (12, 12), (16, 32), (8, -8)])
def test_samples_by_index(order: str, size: int, stride: int) -> None:
    text = "(define (run a out i) (signal-set! out i (signal-ref a i)))"
    a = signal([10, 20, 30, 40, 50], size, stride, 4 * abs(stride) if stride < 0 else 0, order)
    out = signal([0] * 5, 16, order=order)
    for i in range(5):
        outcome = run(text, "run", a, out, i, native=size == 8)
        assert samples(out.layout, outcome.memories[1]) == [
            10 * (i + 1) if k == i else 0 for k in range(5)
        ]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("size", [1, 4, 8])
def test_blend_rounds_to_nearest(size: int) -> None:
    rng = random.Random(size)
    shape, whole = Shape(size, size), (1 << ALPHA_SIZE) - 1
    a, b = ([rng.randint(*shape.limits) for _ in range(16)] for _ in range(2))
    alpha = [0, whole, *[rng.randint(0, whole) for _ in range(14)]]
    out = shape.signal([0] * 16, 32)
    text = "(define (run a b alpha out) (signal-blend! a b alpha out))"
    outcome = run(
        text, "run", shape.signal(a, 32), shape.signal(b, 32), signal(alpha, ALPHA_SIZE), out
    )
    assert outcome.memories[-1] == put(out, blend((0, 0), a, b, alpha))


def test_blend_of_greater_and_signed_samples() -> None:
    shape = signed(12)
    a, b = [2047, -2048, 5, -5], [-2048, 2047, 900, -7]
    alpha = [128, 1, 254, 255]
    out = shape.signal([0] * 4, 32)
    text = "(define (run a b alpha out) (signal-blend! a b alpha out))"
    outcome = run(
        text, "run", shape.signal(a, 32), shape.signal(b, 32), signal(alpha, 8), out, native=False
    )
    assert outcome.memories[-1] == put(out, blend((0, 0), a, b, alpha))


WAVE = """
(define (run table bits out phase step) (signal-wave! table bits out phase step))
"""


@pytest.mark.parametrize(("bits", "size", "word"), [(3, 8, 8), (5, 16, 32), (0, 16, 16)])
def test_wave(bits: int, size: int, word: int) -> None:
    table = [(37 * k) % 200 - 100 for k in range(1 << bits)]
    out = signal([0] * 21, size, kind="signed", word_size=word)
    phase, step = 3_000_000_000, 271_828_182
    outcome = run(
        WAVE, "run", signal(table, size, kind="signed", word_size=word), Known(bits), out,
        phase, step, word_size=word,
    )  # fmt: skip
    expected = [table[((phase + k * step) % (1 << 32)) >> (32 - bits)] for k in range(21)]
    assert samples(out.layout, outcome.memories[1]) == expected
    assert outcome.value == (phase + 21 * step) % (1 << 32)


ERRORS = [
    ("(signal-mix! a a out)", 4, 3, "signal-mix!: the signals have different numbers of samples"),
    ("(signal-fir! a out '() 0)", 4, 4, "signal-fir!: there must be at least one tap"),
    ("(signal-fir! a out '(1 2) 0)", 4, 3, "signal-fir!: the signals have different numbers of"),
    (
        "(signal-fir-valid! a out '(1 2) 0)", 4, 4,
        "signal-fir-valid!: the output must be shorter than the input by the number of taps less",
    ),
    ("(signal-mix-all! (list a) '(1 2) 0 out)", 4, 4, "signal-mix-all!: there must be one weight"),
    ("(signal-delay! a out -1)", 4, 4, "signal-delay!: the delay must not be negative"),
    ("(signal-echo! a out -2 1 0)", 4, 4, "signal-echo!: the delay must not be negative"),
    ("(signal-box! a out -1)", 4, 6, "signal-box!: the radius must not be negative"),
    ("(signal-box! a out 1)", 4, 4, "signal-box!: the output must be shorter than the input by"),
    ("(signal-resample! a out 2 1 'linear)", 4, 8, "signal-resample!: the input is too short"),
    ("(signal-resample! a out 0 1 'linear)", 4, 4, "signal-resample!: up and down must be"),
    ("(signal-resample! a out 1 1 'cubic)", 4, 4, "signal-resample!: the method must be"),
    ("(signal-histogram! a out 0)", 4, 4, "signal-histogram!: there must be one bin"),
    ("(signal-threshold! (float-signal a) out 1)", 4, 4, "signal-threshold!: the samples must be"),
    ("(signal-wave! a 3 out 0 1)", 4, 4, "signal-wave!: the table must have 2^bits samples"),
    ("(signal-blend! a a (signed-signal a) out)", 4, 4, "signal-blend!: alpha must be"),
    ("(signal-copy! a (make-constant-signal 3))", 4, 4, "signal-copy!: a constant signal"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "n", "m", "message"), ERRORS, ids=lambda x: str(x)[:25])
def test_wrong_use_is_an_error_that_names_the_processor(
    call: str, n: int, m: int, message: str
) -> None:
    outcome = run_source(
        f"(define (run a out) {call})", "run", signal([1] * n, 8), signal([1] * m, 8)
    )
    assert (outcome.error or "").startswith(message)
