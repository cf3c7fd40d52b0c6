"""Loops that write each element once become maps (`cogen.array.optimise.elementwise`)."""

from __future__ import annotations

import numpy as np
import pytest

import cogen
from cogen.array import loads, of_scheme
from cogen.array.ir.graphwalk import all_nodes
from cogen.array.ir.node import (
    Loop,
    Module,
    Multiloop,
)
from cogen.array.optimise.optimisations import Options
from cogen.array.optimise.optimise import optimise
from tests.cogen.array.comparing import by_schedule, module_outcome
from tests.cogen.array.targets import Ways

pytestmark = pytest.mark.quick

OF_VECTOR = "fun [int] main([int] a, [int] b, int k) = let n = size(a) in "
MAPS = {
    "copied": "loop (v = copy(a)) = for i < n do let v[i] = v[i] * k + i in v in v",
    "filled": "loop (v = replicate(n, 7)) = for i < n do let v[i] = a[i] * k in v in v",
    "made": "loop (v = map(op *(2), a)) = for i < n do let v[i] = v[i] + k in v in v",
    "where": "loop (v = copy(a)) = for i < n do (if a[i] < k then let v[i] = k in v else v) in v",
    "either": "loop (v = copy(a)) = for i < n do (if i < k then let v[i] = a[i] * 2 in v "
    "else let v[i] = v[i] - 1 in v) in v",
    "two": "let {v, w} = loop ({v, w} = {copy(a), replicate(n, 0)}) = for i < n do "
    "let w[i] = v[i] * k in let v[i] = w[i] + 1 in {v, w} in {v, w} in map(op +, zip(v, w))",
    "others": "let w = replicate(n, 1) in loop (v = copy(a)) = for i < n do "
    "let v[i] = w[n - 1 - i] + v[i] in v in v",
}
LOOPS = {
    "neighbours": "loop (v = copy(a)) = for i < n - 1 do let v[i + 1] = v[i] + 1 in v in v",
    "before": "loop (v = copy(a)) = for i < n do let v[i] = v[(i + n - 1) % n] in v in v",
    "a part": "loop (v = copy(a)) = for i < n / 2 do let v[i] = k in v in v",
    "elsewhere": "loop (v = copy(a)) = for i < n do let v[n - 1 - i] = i in v in v",
    "running": "let {s, v} = loop ({s, v} = {0, copy(a)}) = for i < n do let t = s * 2 + a[i] in "
    "let v[i] = t in {t, v} in {s, v} in v",
    "asked": "let {s, v} = loop ({s, v} = {0, copy(a)}) = for i < n do let v[i] = a[i] * k in "
    "{s * 2 + v[0], v} in {s, v} in map(op +(s), v)",
}
VALUES = ("[3, 1, -2, 5] [1, 2] 2", "[] [1] 3", "[4] [] -1")


def module_of(text: str, off: frozenset[str] = frozenset()) -> Module:
    return optimise(loads(text).facts, "main", Options(off), verify=True)[1]


def loops(module: Module) -> int:
    """How many sequential loops are left."""
    return sum(isinstance(n, Loop) for n in all_nodes(module.entry.body))


def agrees(text: str, values: tuple[str, ...] = VALUES) -> None:
    program = loads(text)
    ways = Ways(program)
    for given in values:
        expected = program.run_text(given)
        assert module_outcome(module_of(text), given, by_schedule) == expected
        for way in ("c-1", "c-2", "opencl"):
            assert ways(way).run_text(given) == expected, (way, given)


@pytest.mark.one_in(4)
@pytest.mark.slow
@pytest.mark.parametrize("body", MAPS.values(), ids=MAPS)
def test_iterations_that_look_at_what_they_write_are_those_of_a_map(body: str) -> None:
    assert loops(module_of(OF_VECTOR + body)) == 0
    assert loops(module_of(OF_VECTOR + body, frozenset({"elementwise"}))) == 1
    agrees(OF_VECTOR + body)


@pytest.mark.one_in(4)
@pytest.mark.slow
@pytest.mark.parametrize("body", LOOPS.values(), ids=LOOPS)
def test_others_stay_loops(body: str) -> None:
    assert loops(module_of(OF_VECTOR + body)) == 1
    agrees(OF_VECTOR + body)


def test_what_else_is_carried_goes_on_without_the_array() -> None:
    text = (
        OF_VECTOR + "let {s, v} = loop ({s, v} = {1, copy(a)}) = for i < n do "
        "let v[i] = a[i] * k in {s * 3 + a[i], v} in {s, v} in map(op +(s), v)"
    )
    module = module_of(text)
    (loop,) = [n for n in all_nodes(module.entry.body) if isinstance(n, Loop)]
    assert len(loop.carried) == 1
    agrees(text)


def test_loops_over_rows_are_maps_in_maps() -> None:
    text = """
fun [[int]] main([int] a, [int] b) =
  loop (m = replicate(size(a), replicate(size(b), 1))) = for i < size(a) do
    (loop (m = m) = for j < size(b) do let m[i, j] = m[i, j] + a[i] * b[j] in m in m)
  in m
"""
    module = module_of(text)
    assert loops(module) == 0
    found = [n for n in all_nodes(module.entry.body) if isinstance(n, Multiloop)]
    assert len(found) == 2
    agrees(text, ("[3, 1] [1, 2, 5]", "[] [1]", "[4] []"))


def test_what_belongs_to_the_caller_is_overwritten() -> None:
    text = "fun *[int] main(*[int] a) = loop (a = a) = for i < size(a) do let a[i] = i in a in a"
    assert loops(module_of(text)) == 1
    agrees(text, ("[3, 1]", "[]"))


def doubled(a: np.ndarray) -> np.ndarray:
    v = np.zeros(len(a))
    for i in range(len(a)):
        v[i] = a[i] * 2 if a[i] > 0 else -a[i]
    return v


@pytest.mark.slow
def test_imperative_forms_are_their_functional_twins() -> None:
    """From Python and from Scheme alike, and what goes through them joins them."""
    scheme = """
(define-array (main (a (array float)))
  (let ((v (make-vector (vector-length a) 0.0)))
    (do ((i 0 (+ i 1))) ((= i (vector-length v)))
      (vector-set! v i (if (< 0.0 (vector-ref a i)) (* 2.0 (vector-ref a i)) (- (vector-ref a i)))))
    v))
"""
    values = np.array([3.0, -1.0, 0.5])
    for program in (
        cogen.stage(doubled).program(values),
        of_scheme(cogen.loads(scheme, "doubled.scm")),
    ):
        (entry, *_) = [name for name in program.facts.definitions if name in ("main", "doubled")]
        module = optimise(program.facts, entry, verify=True)[1]
        assert loops(module) == 0
        assert np.array_equal(program.compile(entry=entry)(values), doubled(values))
