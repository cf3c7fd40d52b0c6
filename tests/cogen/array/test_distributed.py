"""Programs on arrays in pieces: kernels, and what they found put together, are the program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cogen
from cogen import signals
from cogen.array import loads
from cogen.array.l0.pythonvalues import to_python
from cogen.array.l0.valuetext import read_values
from cogen.array.programs.distribute import InPieces
from cogen.lang.errors import CogenError, Source
from tests.choices import Seeded
from tests.cogen.array.cutting import checked, cut, here, plain, randomly
from tests.cogen.array.randomprograms import INT, INTS, PAIRS, PARAMETERS, ROWS, TYPES, Maker
from tests.cogen.array.randomprograms import arguments as random_arguments
from tests.cogen.array.randomprograms import program as random_program

PROGRAMS = {
    "sum": (1, "fun int main([int] a, int k) = reduce(op +, 0, map(op *(k), a))"),
    "indices": (
        1,
        "fun [int] main([int] a, int k) = map(fn int (int x, int i) => x * k + i, "
        "zip(a, iota(size(0, a))))",
    ),
    "deviations": (
        2,
        "fun real main([int] a, int k) = let xs = map(fn real (int x) => toReal(x), a) in "
        "let m = reduce(op +, 0.0, xs) / toReal(size(0, a)) in "
        "reduce(op +, 0.0, map(fn real (real x) => (x - m) * (x - m), xs))",
    ),
    "filter": (1, "fun [int] main([int] a, int k) = map(op +(k), filter(op <(k), a))"),
    "filtered indices": (
        2,
        "fun [int] main([int] a, int k) = let b = filter(op <(k), a) in "
        "map(op +, zip(b, iota(size(0, b))))",
    ),
    "counted": (
        2,
        "fun {[int], int} main([int] a, int k) = "
        "let b = flatMap(fn [int] (int x) => iota(x & 3), a) in "
        "{map(op *(k), b), reduce(op +, 0, map(fn int (int i) => i * k, iota(size(0, b))))}",
    ),
    "scan": (2, "fun [int] main([int] a, int k) = map(op *(k), scan(op +, 0, a))"),
    "checked scan": (
        2,
        "fun int main([int] a, int k) = let s = scan(op +, 0, a) in "
        "size(0, map(fn int (int x) => k / (x + 100000), s))",
    ),
    "scan of a flatMap": (
        2,
        "fun [int] main([int] a, int k) = "
        "scan(op +, 0, flatMap(fn [int] (int x) => map(op +(x), iota(x & 3)), a))",
    ),
    "checked under a condition": (
        1,
        "fun bool main([int] a, int k) = let t = [True, False] in "
        "if reduce(op +, 0, a) < 0 then t[k / 4] else True",
    ),
    "scan of a scan": (
        3,
        "fun {[int], int} main([int] a, int k) = let b = scan(op +, 0, scan(op +, 0, a)) in "
        "{filter(op <(k), b), reduce(op +, 0, b)}",
    ),
    "matrices": (
        2,
        "fun [int] compose([int] a, [int] b) = "
        "[a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], "
        "a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]]\n"
        "fun [int] main([int] a, int k) = "
        "let s = scan(fn [int] ([int] p, [int] q) => compose(p, q), [1, 0, 0, 1], "
        "map(fn [int] (int x) => [1, x, 0, 1], a)) in map(fn int ([int] m) => m[1], s)",
    ),
    "buckets": (
        1,
        "fun [int] main([int] a, int k) = bucketReduce(op +, 0, 7, map(op &(3), a), a)",
    ),
    "groups": (
        1,
        "fun {[int], [int]} main([int] a, int k) = let {keys, offsets, b} = "
        "groupBy(fn int (int x) => x % 5, map(op *(k), a)) in "
        "{keys, reduceSegments(op +, 0, offsets, b)}",
    ),
    "distinct": (1, "fun [int] main([int] a, int k) = distinct(map(op &(k), a))"),
    "flatMap": (1, "fun [int] main([int] a, int k) = flatMap(fn [int] (int x) => iota(x & 3), a)"),
    "checks": (
        1,
        "fun int main([int] a, int k) = reduce(op +, 0, map(fn int (int x) => 100 / (x - k), a))",
    ),
    "whole": (
        1,
        "fun [int] main([int] a, int k) = let t = map(op *(k), iota(11)) in "
        "map(fn int (int x) => t[x & 7], a)",
    ),
    "sizes": (
        1,
        "fun int main([int] a, int k) = size(0, filter(op <(k), a)) + size(0, a) * 1000",
    ),
    "columns": (
        2,
        "fun {[int], [[int]]} main([[int]] a, int k) = "
        "let s = map(fn int ([int] c) => reduce(op +, 0, c), transpose(a)) in "
        "{s, map(fn [int] ([int] row) => map(op -, zip(row, s)), a)}",
    ),
    "products": (
        1,
        "fun [[int]] main([[int]] a, int k) = let b = transpose(a) in map(fn [int] ([int] x) => "
        "map(fn int ([int] y) => reduce(op +, k * 0, map(op *, zip(x, y))), b), b)",
    ),
    "running columns": (
        2,
        "fun [[int]] main([[int]] a, int k) = "
        "map(fn [int] ([int] c) => scan(op +, 0, c), transpose(a))",
    ),
    "tuples": (
        1,
        "fun {[int], real} main([{int, real}] a, int k) = let {x, y} = unzip(a) in "
        "{filter(op <(k), x), reduce(op +, 0.0, y)}",
    ),
}


def values(text: str, number: int) -> Any:
    draw = np.random.default_rng(number)
    size = int(draw.integers(0, 40))
    if "[[int]] a" in text:
        return draw.integers(-9, 9, (max(size, 1), 3))
    a = draw.integers(-50, 50, size)
    return (a, a * 0.5) if "{int, real}" in text else a


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_on_pieces_gives_what_it_gives_on_the_whole(name: str) -> None:
    rounds, text = PROGRAMS[name]
    program = loads(text)
    leaves = (0, 1) if "{int, real}" in text else (0,)
    assert checked(program, leaves) == rounds
    distributed = here(program)
    for seed in range(6):
        given = [values(text, seed), 50 + seed if name == "checks" else 5]
        expected = plain(program.run(*given))
        found = plain(distributed(*randomly(seed, given, [0])))
        assert found == (pytest.approx(expected) if isinstance(expected, float) else expected)


def test_compiled_kernels_agree_in_all_kinds_of_generators() -> None:
    text = """
    fun {[int], [int], [int], [int], int, [int]} main([int] a, [int] b, int k) =
      let {keys, offsets, c} = groupBy(fn int (int x) => x & 7, map(op +, zip(a, b))) in
      {map(op *(k), scan(op +, 0, a)), filter(op <(k), b),
       keys, reduceSegments(op +, 0, offsets, c),
       reduce(fn int (int x, int y) => if x < y then y else x, -1000, a),
       bucketReduce(op +, 0, 4, map(op &(3), b), a)}
    """
    program = loads(text)
    draw = np.random.default_rng(3)
    given = [draw.integers(-99, 99, 501), draw.integers(-99, 99, 501), 7]
    expected = plain(program.run(*given))
    assert plain(here(program, compiles=True)(*randomly(5, given, [0, 1]))) == expected


class Associative(Maker):
    """Random programs whose reductions combine by what is associative."""

    def fold(self, t: str, depth: int) -> str:
        x = self.name()
        body = self.under([(x, INT)], lambda: self.make(INT, depth - 1))
        a = self.make(INTS, depth)
        least = "fn int (int x, int y) => if x < y then x else y"
        return str(
            self.choices.pick([
                f"reduce(op +, 0, {a})",
                f"reduce({least}, 1000, {a})",
                f"redomap(op +, fn int (int acc, int {x}) => acc + {body}, 0, {a})",
            ])
        )  # fmt: skip


def outcome(run: Any, *given: Any) -> Any:
    try:
        return plain(run(*given))
    except CogenError as error:
        return error


def compare(seed: int) -> str:
    """Run a random program on pieces and on the whole; what became of it."""
    choices = Seeded(seed)
    maker = Associative(choices)
    maker.scope = list(PARAMETERS)
    t = choices.pick([*TYPES, INTS, ROWS, INT, PAIRS])
    written = random_program(t, maker.make(t, 4))
    if "=> y, [0, 0]" in written:
        return "not neutral"
    program = loads(written)
    text = Source("<values>", random_arguments(choices))
    types = program.parameters()
    given = [
        to_python(value, own)
        for value, own in zip(read_values(text, types, list("nxabmp")), types, strict=True)
    ]
    numbers = [k for k in range(2, 6) if choices.boolean()] or [2]
    expected = outcome(lambda *own: program.run(*own, trace=lambda shown: None), *given)
    found = outcome(here(program), *randomly(seed, given, numbers))
    if isinstance(found, CogenError) and "distributed" in found.message:
        assert found.span is not None
        assert found.hint
        return "refused"
    if isinstance(expected, CogenError):
        assert isinstance(found, CogenError)
        return "failed"
    assert repr(found) == repr(expected)
    return "equal"


def test_random_programs_give_the_same_or_are_refused(request: pytest.FixtureRequest) -> None:
    many = 3000 if request.config.getoption("--long") else 30
    found = [compare(seed) for seed in range(many)]
    assert found.count("equal") > many // 4


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        ("fun int main([int] a) = a[3]", "1:25", "a single element or row"),
        (
            "fun [int] main([int] a) = loop (x = copy(a)) = for i < 3 do map(op +(i), x) in x",
            "1:27", "a sequential loop carries an array in pieces",
        ),
        (
            "fun [int] main([int] a) = map(fn int (int i) => a[i & 1], a)",
            "1:", "for each row, other rows",
        ),
        (
            "fun [int] main([int] a) = let {_, _, b} = groupBy(fn int (int x) => x & 3, a) in b",
            "1:", "rows are numbered by their values, or put into groups",
        ),
        (
            "fun [int] main([int] a) = map(op +, zip(filter(op <(0), a), filter(op <(1), a)))",
            "1:", "arrays in different pieces are taken row by row",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_done_in_pieces_is_told_at_its_place(
    text: str, place: str, what: str
) -> None:
    with pytest.raises(CogenError) as caught:
        here(loads(text))(cut(np.arange(8), [3]))
    assert caught.value.message.startswith(f"the program cannot be distributed: {what}")
    assert f"<string>:{place}" in str(caught.value)
    assert caught.value.hint


def test_pieces_must_fit_together() -> None:
    program = loads("fun [int] main([int] a, [int] b) = map(op +, zip(a, b))")
    a = np.arange(8)
    with pytest.raises(CogenError, match="`a` has 2 pieces, `b` 3"):
        here(program)(cut(a, [3]), cut(a, [2, 4]))
    with pytest.raises(CogenError, match="pieces of different sizes: 3 and 4"):
        here(program)(cut(a, [3]), cut(a, [4]))
    assert here(program)(cut(a, [3]), a).tolist() == (a + a).tolist()  # the whole one is cut, too


def test_an_error_is_the_program_s() -> None:
    program = loads("fun int main([int] a) = reduce(op +, 0, map(fn int (int x) => 9 / x, a))")
    for argument in (np.array([1, 0, 2]), cut(np.array([1, 0, 2]), [1])):
        with pytest.raises(CogenError, match="division by zero") as caught:
            here(program)(argument)
        assert "<string>:1:63" in str(caught.value)


def test_packed_files_are_cut_at_periods(tmp_path: Path) -> None:
    text = """
    fun {[packed "u10"], int, [int]} main([packed "u12"] a, int k) =
      let b = map(fn int (int x) => if x < k then x else k, a) in
      {store("u10", b, "wrap"), reduce(op +, 0, b), filter(op <(k - 2), a)}
    """
    program = loads(text)
    samples = [np.arange(101) * 7 % 1024, np.arange(0), np.arange(17) * 5]
    paths = [tmp_path / f"{k}.raw" for k in range(3)]
    for path, own in zip(paths, samples, strict=True):
        path.write_bytes(signals.pack(own, "u12"))
    whole = signals.pack(np.concatenate(samples), "u12")
    expected = plain(program.run(whole, 900))
    for size in (16, 1 << 20):
        distributed = here(program)
        distributed.piece_bytes = size
        found = distributed(paths, 900)
        assert found[0] == program.run(whole, 900)[0]
        assert plain(found) == expected


def test_arrays_in_files_are_cut_into_rows(tmp_path: Path) -> None:
    program = loads("fun [int] main([[int]] a) = map(fn int ([int] x) => reduce(op +, 0, x), a)")
    a = np.arange(70).reshape(-1, 7)
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", a + 1)
    distributed = here(program)
    distributed.piece_bytes = 3 * a[0].nbytes
    found = distributed([tmp_path / "a.npy", tmp_path / "b.npy"])
    assert found.tolist() == [*a.sum(axis=1), *(a + 1).sum(axis=1)]
    with pytest.raises(CogenError, match=r"missing.npy, for `a`, cannot be read"):
        distributed([tmp_path / "missing.npy"])


def test_a_program_of_the_language_is_distributed() -> None:
    program = cogen.array.of_scheme(
        cogen.loads("""
        (define-array (total (a (array int)) (k int))
          (array-reduce + 0 (array-map (lambda (x) (* x k)) a)))
        """),
        "total",
    )
    a = np.arange(20)
    assert here(program)(cut(a, [3, 9]), 3) == 570


def test_one_kernel_does_all_that_a_round_needs() -> None:
    program = loads("""
    fun {int, int, [int]} main([int] a) =
      {reduce(op +, 0, a), reduce(op *, 1, a), bucketReduce(op +, 0, 3, map(op &(1), a), a)}
    """)
    kernels = here(program).kernels("a")
    assert len(kernels) == 2  # on a piece, and of what two pieces found
    assert sum("for (int64_t" in text for text in kernels) >= 1


def test_numbers_of_arguments_are_checked() -> None:
    program = loads("fun int main([int] a, int k) = reduce(op +, k, a)")
    with pytest.raises(CogenError, match=r"takes 2 arguments \(a, k\), but 1 were given"):
        here(program)(np.arange(3))
    with pytest.raises(CogenError, match="`k` is no array, so it cannot come in pieces"):
        here(program)(np.arange(3), InPieces([1, 2]))
