"""The forms of OpenCL kernels: which loop has which, and that all compute the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cogen.array import loads
from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.opencl.deviceprogram import DeviceCode, DeviceProgram, for_device
from cogen.array.optimise.optimisations import Options
from cogen.array.optimise.preparing import prepare
from cogen.array.programs.compiledprogram import Compiled
from tests.cogen.array.targets import Ways, need_device, same

SIZES = [0, 1, 7, 8, 9, 16, 100, 1000]

LANES = {
    "map": "fun [real] main([real] a) = map(fn real (real x) => exp(x / 100.0) * 0.0 + x + 1.0, a)",
    "bools": "fun [bool] main([real] a) = map(fn bool (real x) => x < 3.0 && not (x = 1.0), a)",
    "index": "fun [int] main([real] a) = map(fn int (int i) => i * i - (i << 2), iota(size(0, a)))",
    "choice": "fun [real] main([real] a) = map(fn real (real x) => if x < 2.0 then -x else x, a)",
    "reductions": """
fun {real, real, int, bool} main([real] a) =
  let b = map(fn real (real x) => x * 2.0, a) in
  {reduce(op +, 5.0, b), reduce(fn real (real x, real y) => if x < y then x else y, 90.0, b),
   reduce(op +, 1, map(fn int (real x) => if x < 4.0 then 1 else 0, a)),
   reduce(op &&, True, map(fn bool (real x) => x < 50.0, a))}""",
    "kept": "fun real main([real] a) = reduce(op +, 0.0, filter(op <(2.0), a))",
    "loop": """
fun [real] main([real] a) =
  map(fn real (real x) =>
        loop ({y, n} = {x, 0}) = for i < 5 do
          if y < 20.0 then {y * 2.0 + toReal(i), n + 1} else {y, n}
        in y + toReal(n), a)""",
    "inner": """
fun [real] main([real] a) =
  map(fn real (real x) => reduce(op +, 0.0, map(fn real (real y) => abs(x - y), a)), a)""",
}

NO_LANES = {
    "lookup": "fun [real] main([real] a) = map(fn real (int i) => a[(i * 7) % size(0, a)], "
    "iota(size(0, a)))",
    "scan": "fun [real] main([real] a) = scan(op +, 0.0, a)",
    "filter": "fun [real] main([real] a) = filter(op <(2.0), a)",
    "division": "fun [int] main([real] a) = map(fn int (real x) => trunc(x) / 3, a)",
}


def plans(text: str, off: str = "", options: Options | None = None) -> set[str]:
    """The forms of the kernels of a program, one of which may be switched off."""
    ready = prepare(loads(text).facts, "main", options)
    code = DeviceCode(ready, frozenset([off] if off else []))
    return {what for plan in code.plans.values() for what in plan.kernels}


STREAM = "flatMap(fn [int] (int x) => map(op *(x), iota(x)), a)"


@pytest.mark.parametrize(
    "body", ["{c}", "map(op +(1), {c})", "scan(op +, 0, {c})", "[reduce(op +, 0, {c})]"]
)
def test_what_is_beside_a_stream_stays_on_the_device(body: str) -> None:
    """The host collects streams, one element after the other: nothing else joins them."""
    concat = f"concat({STREAM}, map(op *(2), b))"
    text = f"fun [int] main([int] a, [int] b) = {body.format(c=concat)}"
    assert "lanes" in plans(text, options=for_device(None))
    assert "lanes" not in plans(text)


@pytest.mark.parametrize("name", LANES)
def test_plain_loops_have_lanes(name: str) -> None:
    assert "lanes" in plans(LANES[name])


@pytest.mark.parametrize("name", NO_LANES)
def test_others_have_none(name: str) -> None:
    assert "lanes" not in plans(NO_LANES[name])


@pytest.mark.one_in(20)
@pytest.mark.parametrize("bits", [64, 32])
@pytest.mark.parametrize("name", [*LANES, *NO_LANES])
def test_all_forms_compute_the_same(name: str, bits: int) -> None:
    program = loads((LANES | NO_LANES)[name])
    ways = Ways(program, arithmetic=Arithmetic(bits, bits))
    random = np.random.default_rng(3)
    for size in SIZES if name != "inner" else SIZES[:-1]:
        a = random.integers(-9, 9, size).astype(f"float{bits}")
        expected = program.run(a, real=f"float{bits}", int=f"int{bits}")
        for way in ("opencl", "lanes"):
            assert same(ways(way)(a), expected)


def test_reductions_that_cannot_fail_are_put_together_in_groups() -> None:
    assert "groups" in plans(LANES["reductions"])
    assert "groups" not in plans("fun int main([int] a) = reduce(op +, 0, map(op /(7), a))")
    assert "groups" not in plans(
        "fun int main([int] a) = reduce(fn int (int x, int y) => x * y + x + y, 0, a)"
    )


NESTS = {
    "two": """
fun [[int]] main([[int]] m, int k) =
  map(fn [int] ([int] r) => map(fn int (int x) => x * k + 1, r), m)""",
    "outer": """
fun [[int]] main([[int]] m, int k) =
  map(fn [int] (int i) =>
        map(fn int (int j) => i * 10 + j * k, iota(size(1, m))), iota(size(0, m)))""",
    "three": """
fun [[[int]]] main([[int]] m, int k) =
  map(fn [[int]] ([int] r) =>
        map(fn [int] (int x) => map(fn int (int y) => x * y + k, r), r), m)""",
    "rows of products": """
fun [[int]] main([[int]] m, int k) =
  map(fn [int] ([int] r) =>
        map(fn int ([int] c) => reduce(op +, k, map(op *, zip(r, c))), m), m)""",
}  # fmt: skip


COUNTED = """
fun [int] main([int] keys) =
  bucketReduce(op +, 0, 8, keys, map(fn int (int k) => k * 2, keys))"""


@pytest.mark.parametrize(
    ("switch", "form", "text"),
    [
        ("item-lanes", "lanes", LANES["map"]),
        ("item-groups", "groups", LANES["reductions"]),
        ("group-tables", "buckets", COUNTED),
        ("item-nests", "nest", NESTS["two"]),
    ],
)
def test_a_form_is_switched_off(switch: str, form: str, text: str) -> None:
    Options(off=frozenset([switch]))  # is known
    assert form in plans(text)
    assert plans(text, switch) == plans(text) - {form}


@pytest.mark.parametrize("name", LANES)
def test_loops_are_not_cut(name: str) -> None:
    assert plans(LANES[name], "cut") == {"main"}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", NESTS)
def test_maps_of_maps_are_flattened(name: str) -> None:
    assert "nest" in plans(NESTS[name])
    program = loads(NESTS[name])
    ways = Ways(program)
    for shape in ((1, 0), (1, 1), (3, 5), (20, 40)):
        m = np.arange(shape[0] * shape[1]).reshape(shape) % 11 - 4
        for way in ("opencl", "lanes"):
            assert same(ways(way)(m, 3), program.run(m, 3))


@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (16, 16), (17, 40), (100, 33)])
def test_transposed_arrays_are_transposed_in_memory(shape: tuple[int, int]) -> None:
    program = loads(
        "fun {[[int]], [[bool]]} main([[int]] m, [[bool]] b) = {copy(transpose(m)), transpose(b)}"
    )
    m = np.arange(shape[0] * shape[1]).reshape(shape)
    found = Ways(program)("opencl")(m, m % 3 == 0)
    assert np.array_equal(found[0], m.T)
    assert np.array_equal(found[1], m.T % 3 == 0)


def test_results_own_their_memory() -> None:
    program = loads(
        "fun {[int], [int], [int], [int]} main([int] a) = "
        "let b = map(op +(1), a) in let {c, d} = split(2, b) in {a, b, b, d}"
    )
    a = np.arange(1000)
    first, second, third, rest = Ways(program)("opencl")(a)
    for found in (first, second, third, rest):
        found[:] = -1
    assert np.array_equal(a, np.arange(1000))
    assert first is not second
    first[:], second[:], third[:], rest[:] = 1, 2, 3, 4
    assert {x for found in (first, second, third, rest) for x in found.tolist()} == {1, 2, 3, 4}


def test_memory_outlives_the_kernels_that_use_it() -> None:
    """Loops on the host make arrays faster than the device uses them."""
    program = loads(
        "fun [int] main([int] a, int n) = loop (b = a) = for i < n do\n"
        "  concat(map(op +(i), b), map(op *(2), iota(5))) in b"
    )
    a = np.arange(50_000)
    assert same(Ways(program)("opencl")(a, 30), program.run(a, 30))


def test_words_of_opencl_are_names() -> None:
    program = loads(
        "fun [int] main([int] kernel, int global, int half) =\n"
        "  map(fn int (int local) => local * global + half, kernel)"
    )
    assert Ways(program)("opencl")(np.arange(3), 2, 5).tolist() == [5, 7, 9]


def test_how_long_kernels_take() -> None:
    need_device()
    function: Compiled = loads(LANES["map"]).compile("opencl")
    native: Any = function.native
    assert isinstance(native, DeviceProgram)
    assert 0.0 < native.kernel_seconds(lambda: function(np.ones(1000))) < 60.0
