"""Signal cases in Halide, where it is installed (extra `bench`): those that map samples to samples.

Schedules are those that its tutorials give for such loops: vectors along the samples, the samples
of a group unrolled.  One thread, like all opponents.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import halide as hl

from cogen.bench.data import CaseData

Way = Callable[[CaseData], None]

LANES = 32
"""Samples that are worked on at a time."""


def _u(bits: int) -> Any:
    return hl.UInt(bits)


def _run(pipeline: Any, inputs: list[tuple[Any, Any]], out: Any) -> None:
    for parameter, array in inputs:
        parameter.set(hl.Buffer(array))
    pipeline.realize(hl.Buffer(out))


@cache
def _ramp8() -> Any:
    x = hl.Var("x")
    out = hl.Func("ramp")
    out[x] = hl.cast(_u(8), x)
    out.vectorize(x, LANES)
    return out


@cache
def _grey() -> Any:
    x = hl.Var("x")
    a = hl.ImageParam(_u(8), 1)
    weighted = (
        77 * hl.cast(_u(16), a[3 * x])
        + 150 * hl.cast(_u(16), a[3 * x + 1])
        + 29 * hl.cast(_u(16), a[3 * x + 2])
    )
    out = hl.Func("grey")
    out[x] = hl.cast(_u(8), weighted >> 8)
    out.vectorize(x, LANES)
    return out, a


@cache
def _mix(saturating: bool) -> Any:
    x = hl.Var("x")
    a, b = hl.ImageParam(hl.Int(16), 1), hl.ImageParam(hl.Int(16), 1)
    total = hl.cast(hl.Int(32), a[x]) + hl.cast(hl.Int(32), b[x])
    out = hl.Func("mix")
    out[x] = hl.cast(hl.Int(16), hl.clamp(total, -32768, 32767) if saturating else total >> 1)
    out.vectorize(x, LANES)
    return out, a, b


@cache
def _copy1() -> Any:
    x = hl.Var("x")
    a = hl.ImageParam(_u(32), 1)
    out = hl.Func("copy")
    out[x] = a[x] >> hl.cast(_u(32), 3) | a[x + 1] << hl.cast(_u(32), 29)
    out.vectorize(x, 8)
    return out, a


@cache
def _unpack12() -> Any:
    """Pairs: the first index is the sample of the pair."""
    k, x = hl.Var("k"), hl.Var("x")
    a = hl.ImageParam(_u(8), 1)

    def byte(i: int) -> Any:
        return hl.cast(_u(16), a[3 * x + i])

    even = byte(0) | (byte(1) & hl.cast(_u(16), 15)) << hl.cast(_u(16), 8)
    odd = byte(1) >> hl.cast(_u(16), 4) | byte(2) << hl.cast(_u(16), 4)
    out = hl.Func("unpack")
    out[k, x] = hl.select(k == 0, even, odd)
    out.bound(k, 0, 2).unroll(k).vectorize(x, LANES // 2)
    return out, a


@cache
def _pack12() -> Any:
    """Pairs: the first index is the byte of the three."""
    k, x = hl.Var("k"), hl.Var("x")
    a = hl.ImageParam(_u(16), 1)
    first, second = a[2 * x], a[2 * x + 1]
    middle = (first >> hl.cast(_u(16), 8) & hl.cast(_u(16), 15)) | second << hl.cast(_u(16), 4)
    last = second >> hl.cast(_u(16), 4)
    out = hl.Func("pack")
    out[k, x] = hl.cast(_u(8), hl.select(k == 0, first, hl.select(k == 1, middle, last)))
    out.bound(k, 0, 3).unroll(k).vectorize(x, LANES // 2)
    return out, a


@cache
def _fir5() -> Any:
    x = hl.Var("x")
    a = hl.ImageParam(hl.Int(16), 1)

    def tap(i: int) -> Any:
        return hl.cast(hl.Int(32), a[x + i])

    total = tap(0) + 4 * tap(1) + 6 * tap(2) + 4 * tap(3) + tap(4)
    out = hl.Func("fir")
    out[x] = hl.cast(hl.Int(16), total >> 4)
    out.vectorize(x, LANES)
    return out, a


def _run_unpack12(data: CaseData) -> None:
    pipeline, a = _unpack12()
    # NumPy has the slowest dimension first, Halide the fastest
    _run(pipeline, [(a, data.a)], data.out.view("<u2").reshape(-1, 2))


def _run_pack12(data: CaseData) -> None:
    pipeline, a = _pack12()
    _run(pipeline, [(a, data.a.view("<u2"))], data.out.reshape(-1, 3))


def _run_mix(saturating: bool) -> Way:
    def run(data: CaseData) -> None:
        pipeline, a, b = _mix(saturating)
        inputs = [(a, data.a.view("<i2")), (b, data.b.view("<i2"))]
        _run(pipeline, inputs, data.out.view("<i2"))

    return run


def _run_grey(data: CaseData) -> None:
    pipeline, a = _grey()
    _run(pipeline, [(a, data.a)], data.out)


def _run_copy1(data: CaseData) -> None:
    pipeline, a = _copy1()
    _run(pipeline, [(a, data.a.view("<u4"))], data.out.view("<u4")[:-1])


def _run_fir5(data: CaseData) -> None:
    pipeline, a = _fir5()
    _run(pipeline, [(a, data.a.view("<i2"))], data.out.view("<i2")[:-4])


WAYS: dict[str, Way] = {
    "ramp8": lambda data: _run(_ramp8(), [], data.out),
    "grey": _run_grey,
    "mix16": _run_mix(False),
    "mixsat16": _run_mix(True),
    "copy1": _run_copy1,
    "unpack12": _run_unpack12,
    "pack12": _run_pack12,
    "fir5": _run_fir5,
}
"""The pipeline of a case; it is compiled at its first call."""
