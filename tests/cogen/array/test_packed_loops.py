"""Packed sources and sinks of loops of any kind.

Law: a program that filters, scans, reverses, joins, looks up or adds up by key what is packed, and
stores what it makes packed, is `signals.unpack`, the same program on arrays, and `signals.pack`.
One source has any layout; the other one is what says which elements count, as bits of validity from
any bit on, or as the codes of a dictionary.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from cogen import signals
from cogen.array import loads
from cogen.array.l0.storage import Storage, storage_of
from tests.cogen.array.loopways import interpreted
from tests.cogen.array.targets import Ways, same
from tests.cogen.array.test_packed import layouts

LOOPS: Final = {
    "map": "map(fn int (int x, int k) => x + k, zip(x, k))",
    "filter": "filter(fn bool (int y) => 3 < y, "
    "  map(fn int (int x, int k) => if k % 2 = 1 then x else 0, zip(x, k)))",
    "valid": "map(fn int (int x, int k) => x * 2, "
    "  filter(fn bool (int x, int k) => k % 2 = 1, zip(x, k)))",
    "scan": "scan(op +, 0, x)",
    "valid, scan": "scan(op +, 0, filter(op < (0), x))",
    "reversed": "map(fn int (int i) => x[n - 1 - i], iota(n))",
    "neighbours": "map(fn int (int i) => x[i] + x[i + 1], iota(if 0 < n then n - 1 else 0))",
    "joined": "concat(x, map(op + (1), k))",
    "dictionary": "map(fn int (int k) => table[k % 4], k)",
    "by key": "bucketReduce(op +, 0, 4, map(fn int (int j) => j % 4, k), x)",
    "by key, valid": "let {x1, k1} = unzip(filter(fn bool (int x, int k) => 0 < x, zip(x, k))) in "
    "  bucketReduce(op +, 0, 4, map(fn int (int j) => j % 4, k1), x1)",
}
"""Loops over the ints `x` of a source and the codes `k` of the other one, n of each."""

CODES: Final = ("u1", "size=1,offset=5", "mask-lsb", "u3", "u8", "size=4,stride=6,offset=2", "u16")
"""Layouts of bits of validity and of codes."""

TARGETS: Final = ("u8", "s12", "u12", "u1", "pcm24le", "size=7,stride=9", "s64", "f32", "mask-msb")


def programs(source: Storage, codes: str, target: str, body: str, fit: str) -> tuple[str, str]:
    """A program on packed memory, and the same on arrays."""
    types = ["real" if leaf.is_real else "int" for leaf in source.leaves]
    names = [f"p{k}" for k in range(len(types))]
    element = f"{{{', '.join(types)}}}" if source.is_tuple else types[0]
    pattern = f"{{{', '.join(names)}}}" if source.is_tuple else names[0]
    small = "if p0 < 1000.0 then if -1000.0 < p0 then trunc(p0 * 4.0) else 0 else 0"
    value = small if types[0] == "real" else "p0"
    made = "real" if storage_of(target).leaves[0].is_real else "int"
    result = "map(fn real (int y) => toReal(y), y)" if made == "real" else "y"
    text = f"""
  let n = if size(a) < size(c) then size(a) else size(c) in
  let x = map(fn int (int i) => let {pattern} = a[i] in {value}, iota(n)) in
  let k = map(fn int (int i) => c[i], iota(n)) in
  let y = {body} in
"""
    packed = f'fun {{[packed "{target}"], int}} '
    packed += f'main([packed "{source.text}"] a, [packed "{codes}"] c, [int] table) = {text}'
    packed += f'  {{store("{target}", {result}, "{fit}"), reduce(op +, 0, y)}}'
    plain = f"fun {{[{made}], int}} main([{element}] a, [int] c, [int] table) = {text}"
    return packed, f"{plain}  {{{result}, reduce(op +, 0, y)}}"


def check(source: str, codes: str, target: str, loop: str, fit: str, length: int) -> None:
    """The law for one program."""
    storage, own = storage_of(source), storage_of(codes)
    packed, plain = programs(storage, codes, target, LOOPS[loop], fit)
    random = np.random.default_rng(length)
    data, bits = (random.integers(0, 256, length, np.uint8).tobytes() for _ in range(2))
    table = [7, -3, 500, 64]
    columns = tuple(storage.unpack(data))
    given = columns if storage.is_tuple else columns[0]
    made, total = loads(plain).run(given, own.unpack(bits)[0], table)
    options = {"wrap": fit == "wrap", "saturate": fit == "saturate"}
    wanted = bytes(signals.pack(made, storage_of(target).layout, **options)), total
    program = loads(packed)
    assert program.run(data, bits, table) == wanted
    assert Ways(program)("c-2")(data, bits, table) == wanted
    if length < 100:
        assert same(interpreted(program, threads=2)(data, bits, table), wanted)


@settings(
    max_examples=max(3, settings.default.max_examples // 8),
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(st.data())
def test_law_of_packed_loops(data: Any) -> None:
    check(
        data.draw(layouts(reading=True), "source"),
        data.draw(st.sampled_from(CODES), "codes"),
        data.draw(st.sampled_from(TARGETS), "target"),
        data.draw(st.sampled_from([*LOOPS]), "loop"),
        data.draw(st.sampled_from(["wrap", "saturate"]), "fit"),
        data.draw(st.sampled_from([0, 1, 30, 90, 700, 1500]), "bytes"),
    )


@pytest.mark.one_in(4)
@pytest.mark.parametrize("codes", ["size=1,offset=5", "u3"])
@pytest.mark.parametrize("loop", LOOPS)
def test_law_of_packed_loops_of_each_kind(loop: str, codes: str) -> None:
    check("s12", codes, "s12", loop, "wrap", 2000)
