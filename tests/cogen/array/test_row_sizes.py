"""Sizes below a dimension of size 0: the same in the interpreter, in C and in OpenCL."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cogen
from cogen import binding_times as bt
from cogen.array import Program, loads
from cogen.array.c.nativeprogram import CNative
from cogen.array.l0 import tree
from cogen.array.l0.rowsizes import row_sizes
from cogen.convert import from_datum
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from tests.cogen.array.targets import Ways, need_device

TARGETS = ["interp", "c", "opencl"]

HEAD = "fun [int] f(int k, int x) = iota(k + x - x)\nfun [int] g(int k, int x) = iota(k + 1)\n"

ROWS = {
    # the function that is mapped, and the shape for an empty [int] or [[int]] of 4 columns
    "fn [int] (int i) => iota(n)": (0, 3),
    "fn [int] (int i) => iota(i)": (0, 0),
    "fn [int] (int i) => iota((n + 5) / 2)": (0, 4),
    "fn [int] (int i) => iota(n / n)": (0, 0),
    "fn [int] (int i) => iota(i - i + 2)": (0, 0),
    "fn [int] (int i) => if i < 3 then iota(n) else iota(n)": (0, 3),
    "fn [int] (int i) => if i < 3 then iota(n) else [1, 2, 3]": (0, 0),
    "fn [[int]] (int i) => [iota(n * 2), iota(i)]": (0, 2, 6),
    "fn [[int]] (int i) => map(fn [int] (int j) => [j, j], iota(n))": (0, 3, 2),
    "fn [[int]] (int i) => map(fn [int] (int j) => [j, j], iota(i))": (0, 0, 2),
    "fn [[int]] (int i) => transpose(reshape((n, 0), empty(int)))": (0, 0, 3),
    "fn [int] (int i) => let a = iota(n) in let a[0] = i in a": (0, 3),
    "fn [int] (int i) => loop (a = iota(n)) = for j < i do map(op +(j), a) in a": (0, 3),
    "fn [int] (int i) => loop (a = iota(n)) = for j < i do concat(a, a) in a": (0, 0),
    "fn [int] (int i) => scan(op +, i, iota(n))": (0, 3),
    "fn [int] (int i) => filter(op <(i), iota(n))": (0, 0),
    "fn [int] (int i) => let {a, b} = split(2, iota(n)) in concat(b, [i])": (0, 2),
    "fn [int] (int i) => bucketReduce(op +, 0, n, [0], [i])": (0, 3),
    "fn [int] (int i) => let {o, b} = bucketCollect(n, [0], [i]) in o": (0, 4),
    "fn [int] (int i) => reduceSegments(op +, 0, iota(n), [i, i, i])": (0, 2),
    "fn [int] (int i) => scatter(iota(n), [0], [i])": (0, 3),
    "fn [int] (int i) => flatMap(fn [int] (int j) => [j, j], iota(n))": (0, 0),
    "f(n)": (0, 0),
    "g(n)": (0, 4),
}


def interpreted(text: str, values: list[Any]) -> tuple[int, ...]:
    """The ints that `main` of a program in the Scheme-like language gives."""
    interpreter = Interpreter(cogen.loads(text), 32)
    interpreter.run()
    data = [bt.static(value).value for value in values]  # type: ignore[union-attr]  # static ones
    found = from_datum(interpreter.call("main", data))
    assert isinstance(found, list | tuple)
    return tuple(found)


def run(program: Program, target: str, *values: Any) -> Any:
    """What a program gives on a target; compiled code as loops that are shared out."""
    if target == "interp":
        return program.run(*values)
    need_device(target)
    compiled = program.compile(target)
    if isinstance(compiled.native, CNative):
        compiled.native.code.grain = 0
    return compiled(*values)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("target", TARGETS)
def test_rows_of_a_map_without_elements_have_the_size_that_is_known(target: str) -> None:
    results = []
    for text, shape in ROWS.items():
        sizes = ", ".join(f"size({k}, r)" for k in range(len(shape)))
        results.append(f"let r = map({text}, a) in [{sizes}]")
    types = ", ".join("[int]" for _ in results)
    whole = ",\n  ".join(results)
    program = loads(f"{HEAD}fun {{{types}}} main([int] a, int n) =\n  {{{whole}}}")
    found = run(program, target, np.zeros(0, np.int64), 3)
    assert dict(zip(ROWS, map(tuple, found), strict=True)) == ROWS


@pytest.mark.one_in(20)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("map(fn [int] ([int] r) => map(op +(1), r), m)", (0, 4)),
        ("transpose(map(fn [int] ([int] r) => r, m))", (4, 0)),
        ("filter(fn bool ([int] r) => True, m)", (0, 4)),
        ("concat(m, empty([int]))", (0, 4)),
        ("concat(empty([int]), m)", (0, 0)),
        ("scan(fn [int] ([int] x, [int] y) => y, [1, 2], m)", (0, 2)),
        ("scan(fn [int] ([int] x, [int] y) => concat(x, y), [1, 2], m)", (0, 2)),
        ("reduceSegments(fn [int] ([int] x, [int] y) => y, [1, 2], [0], m)", (0, 2)),
        ("bucketReduce(fn [int] ([int] x, [int] y) => y, [1, 2], 0, empty(int), m)", (0, 2)),
        ("let {o, b} = bucketCollect(2, empty(int), m) in b", (0, 4)),
        ("let {k, o, b} = groupBy(fn int ([int] r) => size(r), m) in b", (0, 4)),
        ("scatter(copy(m), empty(int), m)", (0, 4)),
        ("let {p, q} = split(0, m) in q", (0, 4)),
        ("replicate(0, [1, 2, 3])", (0, 3)),
        ("reshape((3, 0), m)", (3, 0)),
        ("empty([int])", (0, 0)),
        ("map(fn [int] ([int] r, int x) => r, zip(m, empty(int)))", (0, 4)),
    ],
)
def test_arrays_without_rows_keep_the_sizes_of_rows(
    target: str, text: str, shape: tuple[int, ...]
) -> None:
    program = loads(f"fun [[int]] main([[int]] m) = {text}")
    assert run(program, target, np.zeros((0, 4), np.int64)).shape == shape


@pytest.mark.parametrize("target", TARGETS)
def test_rows_are_as_they_are_where_there_are_some(target: str) -> None:
    program = loads(
        "fun {int, int} main([int] a) =\n"
        "  let r = map(fn [[int]] (int i) => reshape((0, i), empty(int)), a) in\n"
        "  {size(1, r), size(2, r)}"
    )
    assert run(program, target, [3, 2]) == (0, 3)
    assert run(program, target, np.zeros(0, np.int64)) == (0, 0)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("concat(e, f)", (2, 0, 3)),
        ("let r = copy(f) in let r[0] = reshape((0, n), empty(int)) in r", (1, 0, 5)),
        ("scatter(copy(f), [0], e)", (1, 0, 5)),
        ("map(fn [[int]] (int i) => if i < 1 then e[0] else f[0], iota(2))", (2, 0, 3)),
        ("bucketReduce(fn [[int]] ([[int]] x, [[int]] y) => y, e[0], 2, [0], f)", (2, 0, 3)),
        ("scan(fn [[int]] ([[int]] x, [[int]] y) => x, f[0], e)", (1, 0, 5)),
    ],
)
def test_rows_of_other_sizes_agree_below_an_empty_dimension(
    target: str, text: str, shape: tuple[int, ...]
) -> None:
    program = loads(
        "fun [[[int]]] main(int n) =\n"
        "  let e = reshape((1, 0, n), empty(int)) in\n"
        f"  let f = reshape((1, 0, n + 2), empty(int)) in\n  {text}"
    )
    assert run(program, target, 3).shape == shape


@pytest.mark.parametrize("target", TARGETS)
def test_rows_that_cannot_be_are_an_error_where_there_are_none(target: str) -> None:
    text = "fun [[int]] main(int n, int m) =\n  map(fn [int] (int i) => iota(m), iota(n))"
    program = loads(text, "p.l0")
    assert run(program, target, 0, 2).shape == (0, 2)
    for size, message in (
        (-1, "the size -1 is negative"),
        (1 << 50, f"an array of size {1 << 50} is too large"),
    ):
        with pytest.raises(CogenError) as caught:
            run(program, target, 0, size)
        assert caught.value.render().splitlines()[0] == f"p.l0:2:3: error: {message}"


@pytest.mark.parametrize("target", TARGETS)
def test_a_size_that_only_the_type_of_the_result_names(target: str) -> None:
    """The loop runs once; of the sizes that it carries nothing else is needed."""
    program = loads(
        "fun [[int]] main([int] a) =\n"
        "  loop (v = replicate(2, a)) = for i < 1 do\n"
        "    map(fn [int] (int x) => filter(op <(0), a), a) in v"
    )
    assert run(program, target, [3, 0]).tolist() == [[3], [3]]
    assert run(program, target, np.zeros(0, np.int64)).shape == (0, 0)


def test_functions_too_large_to_look_at_leave_sizes_unknown() -> None:
    calls = "".join(
        f"fun [int] f{k}(int n) = let a = f{k - 1}(n) in f{k - 1}(n)\n" for k in range(1, 16)
    )
    text = f"fun [int] f0(int n) = iota(n)\n{calls}"
    program = loads(text + "fun [[int]] main(int n) = map(fn [int] (int i) => f15(n), empty(int))")
    (definition,) = [f for f in program.facts.program.functions if f.name.text == "main"]
    assert isinstance(definition.body, tree.SoacExpression)
    assert row_sizes(program.facts, definition.body) == [None]
    assert program.run(4).shape == (0, 0)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("target", TARGETS)
def test_vectors_have_no_rows_where_they_are_empty(target: str) -> None:
    """In the Scheme-like language sizes below a dimension of size 0 are 0."""
    source = (
        "(define-array (main (m (array (array int))))\n"
        "  (let ((t (array-transpose m)) (r (array-map (lambda (r) (array 1 2 3)) m)))\n"
        "    (tuple (array-size m 1) (array-size t) (array-size r 1) (array-size t 1))))"
    )
    module = cogen.loads(source)
    program = cogen.specialize(module, "main", cogen.dynamic("(array (array int))")).to_array()
    assert run(program, target, np.zeros((0, 4), np.int64)) == (0, 0, 0, 0)
    assert run(program, target, np.zeros((2, 0), np.int64)) == (0, 0, 3, 0)
    assert run(program, target, np.zeros((2, 4), np.int64)) == (4, 4, 3, 2)
    for value, expected in (((), (0, 0, 0, 0)), (((), ()), (0, 0, 3, 0))):
        residual = cogen.specialize(module, "main", cogen.static(value))
        assert interpreted(residual.scheme, []) == expected
        assert interpreted(source, [value]) == expected


@pytest.mark.parametrize("way", ["c-2", "opencl"])
@pytest.mark.parametrize("shape", [(0, 2, 4), (3, 0, 4), (3, 2, 0)])
def test_results_of_scans_have_the_sizes_of_their_neutral_values(
    way: str, shape: tuple[int, ...]
) -> None:
    """Where there are no elements, nothing has compared them with those of the rows."""
    program = loads("""
fun [[[int]]] main([[[int]]] a, [[int]] z) =
  scan(fn [[int]] ([[int]] x, [[int]] y) =>
         map(fn [int] ([int] u, [int] v) => map(op +, zip(u, v)), zip(x, y)),
       z, a)
""")
    a, z = np.zeros(shape, int), np.zeros((*shape[1:2], 5 if shape[1] == 0 else shape[2]), int)
    assert Ways(program)(way)(a, z).shape == program.run(a, z).shape == (shape[0], *z.shape)
