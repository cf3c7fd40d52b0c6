"""Programs compiled to C and OpenCL do what the interpreter does."""

from __future__ import annotations

import re
import threading
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cogen
from cogen.array import load, loads
from cogen.array.opencl import device as devices
from cogen.lang.errors import LimitationError
from tests.cogen.array.programs import PROGRAMS, headers, place
from tests.cogen.array.targets import WAYS, Ways, need_device, same

CASES = [
    pytest.param(path, way, id=f"{path.stem}-{way}")
    for folder, ways in (
        (PROGRAMS, WAYS),
        (PROGRAMS / "fusion", ("c-2", "opencl")),
        (PROGRAMS / "text", ("c-2", "opencl")),
    )
    for path in sorted(folder.glob("*.l0"))
    for way in ways
    if any(kind in ("run", "fails") for kind, _ in headers(path))
]


@lru_cache(maxsize=4)
def ways_of(path: Path, entry: str) -> Ways:
    return Ways(load(path), entry)


@pytest.mark.one_in(72)
@pytest.mark.parametrize(("path", "way"), CASES)
def test_program(path: Path, way: str) -> None:
    for kind, text in headers(path):
        if kind not in ("run", "fails"):
            continue
        call, _, expected = text.rpartition(" => ")
        entry, _, values = call.partition(" ")
        compiled = ways_of(path, entry)(way)
        if kind == "run":
            assert compiled.run_text(values) == expected
            continue
        with pytest.raises(cogen.CogenError) as caught:
            compiled.run_text(values)
        assert caught.value.render().splitlines()[0] == place(str(path), expected)


# What is called, and what comes back.


@pytest.mark.parametrize("target", ["c", "opencl"])
def test_arguments_and_results(target: str) -> None:
    need_device(target)
    text = """
fun {int, real, bool, char, [char], [{int, real}], [[int]]}
main(int i, real x, bool b, char c, [char] s, [{int, real}] t, [[int]] m) =
  {i + 1, x * 2.0, not b, c, concat(s, s), t, map(fn [int] ([int] r) => map(op +(i), r), m)}
"""
    arguments = (
        2, 1.5, True, "é", "ab", (np.array([1, 2]), np.array([0.5, 0.25])),
        np.array([[1, 2], [3, 4]]),
    )  # fmt: skip
    program = loads(text)
    expected = program.run(*arguments)
    found = program.compile(target)(*arguments)
    assert same(found, expected)
    assert found[4] == "abab"


def test_arrays_of_other_widths_and_strides_are_converted() -> None:
    double = loads("fun [real] main([real] a) = map(op *(2.0), a)").compile()
    wanted = np.array([2.0, 6.0])
    assert same(double(np.array([1, 3], np.float32)), wanted)
    assert same(double(np.array([1.0, 0.0, 3.0, 0.0])[::2]), wanted)
    assert same(double([1.0, 3.0]), wanted)
    total = loads("fun int main([int] a) = reduce(op +, 0, a)").compile()
    assert total(np.array([1, 2, 3], np.int32)) == 6
    assert total(np.array([1, 2, 3], np.uint8)) == 6
    assert total(np.array([1, 2, 3], ">i8")) == 6


class _Dlpack:
    """Something that is no NumPy array, but gives one."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def test_arrays_by_dlpack() -> None:
    program = loads("fun real main([real] a) = reduce(op +, 0.0, a)")
    given = _Dlpack(np.array([1.0, 2.0]))
    assert program.compile()(given) == program.run(given) == 3.0


def test_what_does_not_fit_is_refused() -> None:
    compiled = loads("fun real main([real] a) = reduce(op +, 0.0, a)").compile()
    wrong = r"`a` must be .real., not a NumPy array of int64 with 1 dimension$"
    with pytest.raises(cogen.CogenError) as caught:
        compiled(np.array([1, 2]))
    assert re.search(wrong, caught.value.message)
    assert caught.value.hint == "convert it: x.astype(float)"
    with pytest.raises(cogen.CogenError, match="float64 with 2 dimensions") as caught:
        compiled(np.array([[1.0]]))
    assert caught.value.hint is None
    with pytest.raises(cogen.CogenError, match="takes 1 value"):
        compiled()
    ragged: Any = [[1], [1, 2]]
    matrix = loads("fun int main([[int]] a) = size(0, a)").compile()
    with pytest.raises(cogen.CogenError, match="regular"):
        matrix(ragged)


@pytest.mark.parametrize("target", ["c", "opencl"])
def test_a_call_leaves_its_arguments_alone(target: str) -> None:
    need_device(target)
    program = loads("fun *[int] main(*[int] a) = let a[0] = 7 in a")
    given = np.array([1, 2])
    found = program.compile(target)(given)
    assert found.tolist() == [7, 2]
    assert given.tolist() == [1, 2]


@pytest.mark.parametrize("target", ["c", "opencl"])
def test_results_own_their_memory(target: str) -> None:
    need_device(target)
    program = loads("fun {[int], [int]} main([int] a) = {a, a}")
    given = np.array([1, 2, 3])
    first, second = program.compile(target)(given)
    first[0] = 9
    assert first.flags.writeable
    assert given.tolist() == [1, 2, 3]
    assert second.tolist() == [1, 2, 3]


@pytest.mark.parametrize("target", ["c", "opencl"])
def test_calls_from_several_threads(target: str) -> None:
    need_device(target)
    text = "fun [int] main([int] a, int n) = map(op +(n), scan(op +, 0, a))"
    compiled = loads(text).compile(target)
    a = np.arange(1000)
    found: dict[int, Any] = {}

    def call(n: int) -> None:
        for _ in range(5):
            found[n] = compiled(a, n)

    threads = [threading.Thread(target=call, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(same(found[n], np.cumsum(a) + n) for n in range(4))


@pytest.mark.parametrize("way", WAYS)
def test_traces_come_in_order(way: str) -> None:
    text = """
fun [int] main([int] a) =
  let s = trace({size(0, a), "x"}) in
  map(fn int (int x) => trace(x) + 1, a)
"""
    traced: list[str] = []
    compiled = Ways(loads(text))(way)
    assert compiled(np.array([3, 1, 2]), trace=traced.append).tolist() == [4, 2, 3]
    assert traced == ['{3, "x"}', "3", "1", "2"]


def test_a_failing_tracer_fails_the_call() -> None:
    def refuse(text: str) -> None:
        raise cogen.CogenError(f"no {text}")

    compiled = loads("fun int main(int x) = trace(x) + 1").compile()
    with pytest.raises(cogen.CogenError, match="no 4"):
        compiled(4, trace=refuse)


@pytest.mark.parametrize("way", WAYS)
def test_the_earliest_iteration_fails(way: str) -> None:
    program = loads(
        "fun [int] main([int] a, [int] t) = map(fn int (int i) => 100 / t[i], a)", "p.l0"
    )
    compiled = Ways(program)(way)
    indices = np.arange(2000) % 7
    table = np.array([1, 2, 3, 4, 5, 6, 7])
    for bad, value, message in ((1500, 99, r"\[99\]"), (300, -1, r"\[-1\]")):
        indices[bad] = value
        with pytest.raises(cogen.CogenError, match=message) as caught:
            compiled(indices, table)
        assert str(caught.value.span) == "p.l0:1:64"
    with pytest.raises(cogen.CogenError, match="division by zero"):
        compiled(np.array([1, 0]), np.array([0, 5]))


@pytest.mark.one_in(6)
@pytest.mark.parametrize("way", WAYS)
def test_deep_recursion(way: str) -> None:
    text = """
fun int count(int n) = if n < 1 then 0 else (count(n - 1) * 3 + 1) % 1000
fun int main(int n) = count(n)
"""
    compiled = Ways(loads(text, "p.l0"))(way)
    assert compiled(50) == loads(text).run(50)
    with pytest.raises(LimitationError, match="calls are nested too deeply"):
        compiled(100_000_000)


@pytest.mark.parametrize("way", WAYS)
def test_too_much_memory(way: str) -> None:
    text = "fun [int] main(int n) = scan(op +, 0, iota(n))"
    with pytest.raises(cogen.CogenError, match="out of memory"):
        Ways(loads(text, "p.l0"))(way)(1 << 46)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("t", "text"),
    [
        ("[[int]]", "map(fn [int] (int i) => iota(n), iota(n))"),
        ("[[int]]", "map(fn [int] (int i) => map(fn int (int j) => i * j, iota(n)), iota(n))"),
        ("[[[int]]]",
         "map(fn [[int]] (int i) => map(fn [int] (int j) => iota(n), iota(n)), iota(n))"),
    ],
)  # fmt: skip
def test_a_size_that_does_not_fit_is_an_error(way: str, t: str, text: str) -> None:
    """The product of the sizes is 0 modulo 2^64."""
    message = f"an array of size {1 << 32}x{1 << 32}(x{1 << 32})? is too large"
    with pytest.raises(cogen.CogenError, match=message) as caught:
        Ways(loads(f"fun {t}\nmain(int n) = {text}", "p.l0"))(way)(1 << 32)
    assert str(caught.value.span) in ("p.l0:2:15", "p.l0:2:41")  # of the whole, or of its rows


REALS = [0.0, -0.0, 1.5, -2.5, 1e300, -1e-300, np.inf, -np.inf, np.nan]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("way", WAYS)
def test_operators(way: str) -> None:
    """Every scalar operation, on all that is special."""
    text = """
fun {int, int, int, int, int, int, int} ints(int a, int b) =
  {a + b, a - b, a * b, a & b, a ^ (a | b), a << b, a >> b}
fun {int, int} divided(int a, int b) = if b = 0 then {0, 0} else {a / b, a % b}
fun int power(int a, int b) = if a = 0 && b < 0 then 0 else a pow b
fun {real, real, real, real, real} reals(real a, real b) = {a + b, a - b, a * b, a / b, a % b}
fun {real, real, bool, bool, bool} more(real a, real b) =
  {a pow b, -a, a < b, a <= b, a = b}
fun {real, real, int} functions(real a) = {sqrt(a), abs(a), trunc(a)}
fun {[{int, int, int, int, int, int, int}], [{int, int}], [int],
     [{real, real, real, real, real}], [{real, real, bool, bool, bool}], [{real, real, int}],
     [int], [real]}
main([int] a, [int] b, [real] x, [real] y) =
  {map(ints, zip(a, b)), map(divided, zip(a, b)), map(power, zip(a, b)),
   map(reals, zip(x, y)), map(more, zip(x, y)), map(functions, x), map(abs, a), map(toReal, a)}
"""
    ints = [0, 1, -1, 2, -3, 63, 64, 1 << 40, -(1 << 63), (1 << 63) - 1]
    a, b = np.array([(m, n) for m in ints for n in ints]).T.copy()
    x, y = np.array([(m, n) for m in REALS for n in REALS]).T.copy()
    program = loads(text)
    expected = program.run(a, b, x, y)
    found = Ways(program)(way)(a, b, x, y)
    for mine, right in zip(_leaves(found), _leaves(expected), strict=True):
        if mine.dtype.kind == "f":
            assert np.allclose(mine, right, rtol=1e-13, atol=0.0, equal_nan=True)
        else:
            assert np.array_equal(mine, right)


def _leaves(value: Any) -> list[Any]:
    return [leaf for v in value for leaf in _leaves(v)] if isinstance(value, tuple) else [value]


@pytest.mark.parametrize("way", WAYS)
def test_vectors_of_functions(way: str) -> None:
    """The vector versions of exp and log are right to some units in the last place."""
    text = "fun {[real], [real]} main([real] a) = {map(exp, a), map(log, a)}"
    a = np.concatenate([np.linspace(-20.0, 20.0, 1001), REALS])
    exps, logs = Ways(loads(text))(way)(a)
    with np.errstate(all="ignore"):
        assert np.allclose(exps, np.exp(a), rtol=2e-15, atol=0.0, equal_nan=True)
        assert np.allclose(logs, np.log(a), rtol=2e-15, atol=1e-15, equal_nan=True)


def test_an_unknown_target() -> None:
    with pytest.raises(cogen.CogenError, match="there is no target `cuda`"):
        loads("fun int main() = 1").compile("cuda")


def test_without_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COGEN_OPENCL", "no such device")
    devices.device.cache_clear()
    try:
        with pytest.raises(cogen.CogenError, match=r"no such device|pyopencl"):
            loads("fun int main() = 1").compile("opencl")
    finally:
        monkeypatch.undo()
        devices.device.cache_clear()


def test_memory_is_given_back() -> None:
    """A loop whose arrays live one iteration long does not grow."""
    text = """
fun int main(int n, int m) =
  loop (s = 0) = for i < n do
    let a = scan(op +, i, iota(m)) in
    s + reduce(op +, 0, map(op *(2), concat(a, a)))
  in s
"""
    import resource

    compiled = loads(text).compile(threads=1)
    assert compiled(3, 100_000) == loads(text).run(3, 100_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    compiled(500, 100_000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000
