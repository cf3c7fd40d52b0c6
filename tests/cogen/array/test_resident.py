"""Results that stay on the device, and are arguments there."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import pytest

import cogen
from cogen.array import loads
from cogen.array.opencl import devicememory
from cogen.array.opencl.devicememory import Memory
from cogen.array.opencl.resident import Resident
from tests.cogen.array.targets import has_device

pytestmark = pytest.mark.skipif(not has_device(), reason="there is no OpenCL device here")

STEP = loads("fun [real] main([real] a, real k) = map(fn real (real x) => x * k + 1.0, a)")
LAST = loads("fun {real, [real]} main([real] a) = {reduce(op +, 0.0, a), a}")


def on_device(program: Any, **options: Any) -> Any:
    return program.compile("opencl", device=True, **options)


def test_results_stay_and_are_arguments() -> None:
    step = on_device(STEP)
    a = np.arange(1000.0)
    y = step(step(a, 2.0), 2.0)
    assert isinstance(y, Resident)
    assert (y.shape, y.dtype, y.ndim, len(y)) == ((1000,), np.float64, 1, 1000)
    np.testing.assert_array_equal(np.asarray(y), (a * 2 + 1) * 2 + 1)
    np.testing.assert_array_equal(np.from_dlpack(y), np.asarray(y))
    np.testing.assert_array_equal(STEP.compile()(y, 0.5), np.asarray(y) / 2 + 1)  # in C
    assert repr(y).startswith("<array of float64 1000 on ")


def test_what_is_passed_on_is_used_where_it_is() -> None:
    step, last = on_device(STEP), on_device(LAST)
    y = step(np.ones(300), 3.0)
    total, same = last(y)
    assert total == 1200
    assert same.buffer is y.buffer
    _, copied = last(np.ones(300))
    own = np.ones(300)
    _, found = last(own)
    own[:] = 5  # the caller's memory is no result's
    np.testing.assert_array_equal(np.asarray(found), np.asarray(copied))


def test_a_resident_never_changes() -> None:
    y = on_device(STEP)(np.ones(300), 3.0)
    given = LAST.compile("opencl")(y)[1]  # an array of the host
    given[:] = 0
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(y)[0] = 1
    taking = loads("fun [real] main(*[real] a) = let a[0] = 9.0 in a")
    assert np.asarray(on_device(taking)(y))[0] == 9
    np.testing.assert_array_equal(np.asarray(y), np.full(300, 4.0))


def test_scalars_tuples_strings_and_empty_arrays() -> None:
    program = loads("""
    fun {int, [{int, bool}], [char], [[int]]} main([int] a, [char] text) =
      {size(0, a), map(fn {int, bool} (int x) => {x, x < 2}, a), text, [a, a]}
    """)
    for size in (0, 3):
        a = np.arange(size)
        count, (x, less), text, rows = on_device(program)(a, "abc")
        assert (count, text) == (size, "abc")
        assert np.asarray(x).tolist() == a.tolist()
        assert np.asarray(less).tolist() == (a < 2).tolist()
        assert np.asarray(rows).tolist() == [a.tolist()] * 2


def test_other_widths_and_staged_functions_take_them() -> None:
    narrow = on_device(STEP, real="float32")(np.ones(10, np.float32), 3.0)
    assert narrow.dtype == np.float32
    assert np.asarray(on_device(STEP)(narrow, 2.0)).tolist() == [9.0] * 10

    @cogen.stage
    def twice(x: Any) -> Any:
        return x * 2

    made = twice.program(np.ones(10)).compile("opencl", device=True)
    packed = loads('fun int main([packed "float64le"] a) = reduce(op +, 0, map(trunc, a))')
    stored = on_device(STEP)(np.ones(10), 3.0)
    assert on_device(packed)(stored) == 40  # its bytes

    y = made(on_device(STEP)(np.ones(10), 3.0))
    assert isinstance(y, Resident)
    assert np.asarray(y).tolist() == [8.0] * 10


def test_c_has_no_device() -> None:
    with pytest.raises(cogen.CogenError, match="the target c has no device"):
        STEP.compile("c", device=True)


def test_memory_that_kernels_use_is_there_until_they_ran(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of arrays that were made before kernels were waited for, too, and that nothing names now."""
    run, wait = Memory.run, Memory.wait
    used: list[weakref.ref[Any]] = []
    waits = 0

    def noted_run(self: Memory, name: str, items: Any, group: Any, *arguments: Any) -> None:
        run(self, name, items, group, *arguments)
        hosts = [one.hostbuf for one in arguments if isinstance(one, self.cl.Buffer)]
        used.extend(weakref.ref(host) for host in hosts if isinstance(host, np.ndarray))

    def noted_wait(self: Memory) -> None:
        nonlocal waits
        waits += 1
        assert all(host() is not None for host in used)
        used.clear()
        wait(self)

    monkeypatch.setattr(devicememory, "MOST_WAITING", 10_000)
    monkeypatch.setattr(Memory, "run", noted_run)
    monkeypatch.setattr(Memory, "wait", noted_wait)
    program = loads("""
fun [real] main([real] a, int steps) =
  loop (b = a) = for i < steps do map(fn real (real x) => x * 0.5 + 1.0, b) in b
""")
    start = np.linspace(0.0, 1.0, 1000)
    assert program.compile("opencl")(start, 9)[0] == pytest.approx(2.0 - 2.0 / 2**9)
    assert waits > 3
