"""Packed storage at the boundary of array programs (`cogen.array.l0.storage`).

Law: an array program on packed arguments with a packed result is `signals.unpack`, the same program
on arrays, and `signals.pack`; whatever runs it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from cogen import CogenError, signals
from cogen.array import loads
from cogen.array.l0.storage import Storage, storage_of, text_of
from cogen.array.loops import tree, treewalk
from cogen.array.optimise.preparing import prepare
from cogen.array.report.fusionreport import report
from cogen.array.schedule.showschedule import show
from cogen.cli import main
from tests.cogen.array.loopways import interpreted, loops_of
from tests.cogen.array.targets import Ways, has_device, need_device, same

LAYOUTS = (
    "u8", "s8", "u16", "s16<", "s24", "u32", "s64", "u64", "u1", "f32", "f64", "f16", "u12", "s13",
    "raw10", "raw12", "raw14", "pcm24be", "pcm16le,channels=2", "cs12", "rgb565", "v210", "u4u12",
    "u3p5s7", "mask-lsb", "mask-msb", "size=12,stride=16,offset=4", "size=7,stride=-9,offset=900",
    "size=60,stride=61", "size=10,signed,scale=0.25", "f32,scale=0.5", "f16,scale=-3.0",
    "f32,scale=-0.3",
    "size=12,stride=24,order=big",
)  # fmt: skip


def expressions(source: Storage, target: Storage) -> list[str]:
    """What the parts of an element of the target are, of those of one of the source."""
    reals = [leaf.is_real for leaf in source.leaves]
    found = []
    for k, leaf in enumerate(target.leaves):
        at = k % len(reals)
        e = f"x{at} * {'1.5' if reals[at] else '3'} - {'2.0' if reals[at] else '2'}"
        if reals[at] and not leaf.is_real:
            e = f"trunc({e})"
        elif leaf.is_real and not reals[at]:
            e = f"toReal({e})"
        found.append(e)
    return found


def texts(source: Storage, target: Storage, fit: str) -> tuple[str, str]:
    """A program from packed to packed, and the same from arrays to arrays."""
    names = ["real" if leaf.is_real else "int" for leaf in source.leaves]
    made = ["real" if leaf.is_real else "int" for leaf in target.leaves]
    parameters = ", ".join([f"{t} x{k}" for k, t in enumerate(names)])
    element = f"{{{', '.join(names)}}}" if source.is_tuple else names[0]
    result = f"{{{', '.join(made)}}}" if target.is_tuple else made[0]
    parts = expressions(source, target)
    body = f"{{{', '.join(parts)}}}" if target.is_tuple else parts[0]
    mapped = f"map(fn {result} ({parameters}) => {body}, a)"
    packed = f'fun [packed "{target.text}"] main([packed "{source.text}"] a) = '
    packed += f'store("{target.text}", {mapped}, "{fit}")'
    return packed, f"fun [{result}] main([{element}] a) = {mapped}"


def as_array(leaves: Any, target: Storage, fit: str) -> Any:
    """The array that `signals.pack` takes for the leaves of a result."""
    columns = list(leaves) if target.is_tuple else [leaves]
    for k, leaf in enumerate(target.leaves):
        if fit == "wrap" and leaf.kind == "unsigned" and not leaf.is_real and 64 in leaf.sizes:
            columns[k] = columns[k].view(np.uint64)
    names = target.layout.dtype.names
    if names is None:
        return np.stack(columns, axis=-1) if target.is_tuple else columns[0]
    kinds = [(name, column.dtype) for name, column in zip(names, columns, strict=True)]
    made = np.empty(len(columns[0]), kinds)
    for name, column in zip(names, columns, strict=True):
        made[name] = column
    return made


def outcome(run: Any, *values: object) -> Any:
    """What a call gives, or the message of its error."""
    try:
        return run(*values)
    except CogenError as error:
        return error.message


def check(source: str, target: str, fit: str, data: bytes, ways: tuple[str, ...]) -> None:
    """The law for one program."""
    a, b = storage_of(source), storage_of(target)
    packed, plain = texts(a, b, fit)
    program = loads(packed)
    count = a.count(len(data)) // b.group * b.group
    columns = [column[:count] for column in a.unpack(data)]
    found = loads(plain).run(tuple(columns) if a.is_tuple else columns[0])
    values = as_array(found, b, fit)
    whole = count == a.count(len(data))
    wanted = outcome(
        lambda: bytes(
            signals.pack(values, b.layout, wrap=fit == "wrap", saturate=fit == "saturate")
        )
    )
    given = outcome(program.run, data)
    if whole:
        assert isinstance(given, str) == isinstance(wanted, str)
        assert isinstance(given, str) or given == wanted
    else:
        assert "whole groups" in given
    made = Ways(program)
    for way in ways:
        if way != "loops":
            assert outcome(made(way), data) == given, way
    if "loops" in ways:
        assert outcome(interpreted(program, threads=2), data) == given


@pytest.mark.one_in(26)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_a_program_reads_is_what_unpack_gives(layout: str) -> None:
    storage = storage_of(layout)
    data = np.random.default_rng(5).integers(0, 256, 150, np.uint8).tobytes()
    names = ", ".join(
        [f"{'real' if x.is_real else 'int'} x{k}" for k, x in enumerate(storage.leaves)]
    )
    types = ["real" if leaf.is_real else "int" for leaf in storage.leaves]
    for k, t in enumerate(types):
        program = loads(f'fun [{t}] main([packed "{layout}"] a) = map(fn {t} ({names}) => x{k}, a)')
        wanted = storage.unpack(data)[k]
        assert same(program.run(data), wanted)
        assert same(Ways(program)("c-1")(data), wanted)


@settings(
    max_examples=settings.default.max_examples // 4,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(st.data())
def test_law_of_storage(data: st.DataObject) -> None:
    source = data.draw(layouts(reading=True), "source")
    target = data.draw(layouts(reading=False), "target")
    fit = data.draw(st.sampled_from(["check", "wrap", "saturate"]), "fit")
    length = data.draw(st.integers(0, 120), "bytes")
    seed = data.draw(st.integers(0, 1000), "seed")
    content = np.random.default_rng(seed).integers(0, 256, length, np.uint8).tobytes()
    check(source, target, fit, content, ("c-2",))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("fit", ["check", "wrap", "saturate"])
def test_law_of_storage_on_devices(fit: str) -> None:
    need_device()
    data = bytes(range(3, 123))
    pairs = [("raw12", "u8"), ("u4u12", "u12"), ("s16", "f32"), ("f32", "s13")]
    for (source, target), way in zip(pairs, ("opencl", "lanes") * 2, strict=True):
        check(source, target, fit, data, (way,))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("fit", ["check", "wrap", "saturate"])
def test_law_of_storage_in_loops(fit: str) -> None:
    data = bytes(range(3, 63))
    for source, target in [("raw12", "u8"), ("u4u12", "u12"), ("s16", "f32"), ("f32", "s13")]:
        check(source, target, fit, data, ("loops", "c-1", "c-2", "c-plain"))


@st.composite
def layouts(draw: Any, reading: bool) -> str:
    """Layouts of any kind, as texts; those that are stored have no overlaps and walk up."""
    kind = draw(st.sampled_from(["named", "plain", "record", "group"]))
    if kind == "named":
        named = [x for x in LAYOUTS if reading or "-9" not in x]
        return str(draw(st.sampled_from(named)))
    if kind == "record":
        items = draw(
            st.lists(st.sampled_from(["u3", "s5", "u12", "p2", "f32", "s9", "u1"]), max_size=4)
        )
        text = "".join([*items, "u7"]) + draw(st.sampled_from(["", "<"]))
        return draw(st.sampled_from(["", ">", "<"])) + text
    if kind == "group":
        sizes = draw(st.lists(st.integers(1, 20), min_size=1, max_size=4))
        starts = [sum(sizes[:k]) for k in range(len(sizes))]
        fields = [
            signals.Field(((a, n - 1), (a + n - 1, 1)) if n > 1 else ((a, 1),))
            for a, n in zip(starts, sizes, strict=True)
        ]
        shape = draw(st.sampled_from(["samples", "channels", "record"]))
        order = draw(st.sampled_from(["little", "big"]))
        end = sum(sizes) + draw(st.integers(0, 9))
        return text_of(signals.Group(end, tuple(fields), order=order, shape=shape))
    is_float = draw(st.booleans())
    size = draw(st.sampled_from([16, 32, 64]) if is_float else st.integers(1, 64))
    gap = draw(st.sampled_from([0, 0, 1, 8 - size % 8, 5]))
    made = signals.Layout(
        size, size + gap, draw(st.sampled_from([0, 0, 8, 3])),
        draw(st.sampled_from(["little", "big"])), not is_float and draw(st.booleans()), is_float,
        draw(st.sampled_from([1, 1, 2, 3])), draw(st.sampled_from([None, None, 0.5, -3.0])),
    )  # fmt: skip
    return text_of(made)


def test_scaled_samples_of_many_bits() -> None:
    check("u12", "size=63,stride=64,order=little,signed,scale=-3.0", "check", bytes(36), ("c-1",))
    data = bytes(range(36))
    for fit in ("check", "saturate", "wrap"):
        check("s12", "size=63,stride=64,signed,scale=-3.0", fit, data, ("c-1",))


# What programs say.


def test_types_and_stores_are_written_and_read() -> None:
    text = 'fun [packed "u8"] main([packed "raw12"] a) = store("u8", map(op + (1), a), "wrap")\n'
    program = loads(text)
    assert program.text == text
    assert loads(program.text).run(b"\x01\x02\x30") == bytes([17, 36])


def test_results_that_are_declared_packed_are_checked() -> None:
    program = loads('fun {[packed "u8"], int} main([int] a) = {map(op * (2), a), size(a)}')
    assert program.run([1, 2, 127]) == (bytes([2, 4, 254]), 3)
    assert Ways(program)("c-2")([1, 2, 127]) == (bytes([2, 4, 254]), 3)
    for run in (program.run, Ways(program)("c-2"), Ways(program)("c-1")):
        with pytest.raises(CogenError) as error:
            run([1, 128, 2])
        assert error.value.message == "the value at index 1 does not fit in 8 bits (unsigned)"


def test_stored_values_are_what_is_read_again() -> None:
    program = loads('fun [int] main([int] a) = store("s4", a, "wrap")')
    assert program.run([7, 8, -9, 16]).tolist() == [7, -8, 7, 0]
    assert Ways(program)("c-1")([7, 8, -9, 16]).tolist() == [7, -8, 7, 0]


def test_a_group_that_is_not_whole_is_an_error() -> None:
    program = loads('fun [packed "raw12"] main([int] a) = a')
    for run in (program.run, Ways(program)("c-1")):
        assert len(run([1, 2, 3, 4])) == 6
        with pytest.raises(CogenError, match="3 samples make no whole groups of 2"):
            run([1, 2, 3])


def test_functions_take_and_give_packed_values_like_others() -> None:
    program = loads(
        'fun [packed "u8"] half([packed "u12"] a) = map(op / (2), a)\n'
        'fun int main([packed "u12"] a) = reduce(op +, 0, map(fn int (int x) => 2 / 1 * x, a))'
    )
    data = bytes(signals.pack(np.arange(10), "u12"))
    assert program.run(data) == 90
    assert Ways(program)("c-2")(data) == 90


def test_bools_are_bits() -> None:
    program = loads('fun [packed "mask-lsb"] main([packed "u12"] a) = map(op < (7), a)')
    data = bytes(signals.pack(np.arange(16), "u12"))
    assert program.run(data) == bytes(signals.pack(np.arange(16) > 7, "mask-lsb"))
    assert Ways(program)("c-2")(data) == program.run(data)


def test_rows_views_and_single_elements_of_packed_arrays() -> None:
    program = loads(
        'fun {int, [[int]], [int]} main([packed "u12"] a) =\n'
        "  let {b, c} = split(3, a) in\n"
        "  let m = transpose(reshape((size(c) / 2, 2), c)) in\n"
        "  {a[size(a) - 1] + b[0], m, concat(c, b)}"
    )
    data = bytes(signals.pack(np.arange(100, 115), "u12"))
    wanted = program.run(data)
    for way in ("c-1", "c-plain", "opencl"):
        if way != "opencl" or has_device():
            assert same(Ways(program)(way)(data), wanted)


def test_updates_leave_the_packed_array_as_it_is() -> None:
    program = loads('fun [int] main([packed "u8"] a) = let b = copy(a) in let b[0] = 7 in b')
    data = bytearray(b"abc")
    assert Ways(program)("c-1")(data).tolist() == [7, 98, 99]
    assert data == b"abc"


def test_no_array_is_in_memory() -> None:
    program = loads(
        'fun {[packed "u8"], int} main([packed "raw12"] a) =\n'
        "  let b = map(fn int (int x) => (x - 64) * 17 >> 8, a) in\n"
        '  {store("u8", b, "saturate"), reduce(op +, 0, b)}'
    )
    found = report(program)
    assert found.arrays == 0
    assert len(found.soacs) == 1


# Errors.


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ('fun int main([packed "u99x"] a) = 0', 14, "there is no layout"),
        ('fun int main(packed "u8" a) = 0', 14, "only arrays of one dimension are stored packed"),
        ('fun int main([[packed "u8"]] a) = 0', 14, "only arrays of one dimension"),
        ('fun [int] main([int] a) = map(fn int ([packed "u8"] x) => 0, [a])', 39, "only the param"),
        ('fun [int] main([real] a) = store("u8", a)', 40, "stores elements of type int, not real"),
        ('fun [int] main([int] a) = store("u8", a, "round")', 42, "must be one of"),
        ('fun [int] main([int] a, [char] s) = store(s, a)', 43, "must be a string literal"),
        ('fun [int] main([int] a) = store("size=8,stride=4", a)', 33, "overlap"),
    ],
)  # fmt: skip
def test_errors(text: str, column: int, message: str) -> None:
    with pytest.raises(CogenError) as error:
        loads(text, "p.l0")
    assert message in error.value.message
    assert error.value.span is not None
    assert (error.value.span.line, error.value.span.column) == (1, column)


def test_values_that_are_no_bytes_are_refused() -> None:
    program = loads('fun int main([packed "u12"] a) = size(a)')
    for value in ([1, 2], "text", 3, None):
        with pytest.raises(CogenError):
            program.run(value)
    assert program.run(np.zeros(3, np.uint8)) == 2


def test_ints_of_32_bits_hold_the_samples() -> None:
    program = loads('fun int main([packed "u12"] a) = reduce(op +, 0, a)')
    data = bytes(signals.pack(np.arange(9), "u12"))
    assert program.run(data, int="int32") == 36
    assert program.compile(int="int32", real="float32")(data) == 36
    wide = loads('fun int main([packed "u40"] a) = reduce(op +, 0, a)')
    with pytest.raises(CogenError, match="int has 32 bits"):
        wide.run(data, int="int32")


# The command line.


def test_values_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, data = tmp_path / "p.l0", tmp_path / "frame.raw"
    path.write_text('fun [packed "u8"] main([packed "raw12"] a, int k) = map(op - (k), a)')
    data.write_bytes(b"\x40\x41\x10")
    for value in ("#u8(64 65 16)", f"@{data}"):
        for target in ("interp", "c"):
            assert main(["array", "run", str(path), "--target", target, value, "1045"]) == 0
            assert capsys.readouterr().out == "#u8(21 4)\n"
    for value in ("#u8(256)", f"@{tmp_path}/nothing", "3"):
        assert main(["array", "run", str(path), value, "2"]) == 1
        assert capsys.readouterr().err.startswith("<values>:1:1: ")


# Loops.


def strips_of(text: str) -> tree.For:
    """The loop over strips of a program."""
    ready = prepare(loads(text).facts, "main")
    functions = loops_of(
        ready, frozenset(["share", "vectors", "depth", "jam", "streams"])
    ).functions
    found = [
        s
        for s in treewalk.all_statements(functions[-1].body)
        if isinstance(s, tree.For) and s.index.name.startswith("strip")
    ]
    assert len(found) == 1
    return found[0]


def accesses(loop: tree.For) -> tuple[list[tree.Expr], list[tree.Statement]]:
    """What a loop loads, and what it stores."""
    statements = list(treewalk.all_statements(loop.body))
    loads_ = [
        e
        for s in statements
        for whole in treewalk.expressions(s)
        for e in treewalk.within(whole)
        if isinstance(e, (tree.Load, tree.Get))
        or (isinstance(e, tree.Invoke) and e.function.startswith("word"))
    ]
    return loads_, [s for s in statements if isinstance(s, (tree.Store, tree.Put))]


def test_each_byte_is_loaded_and_stored_once() -> None:
    loop = strips_of(
        'fun [packed "u12"] main([packed "raw12"] a) = store("u12", map(op +(1), a), "wrap")'
    )
    loaded, stored = accesses(loop)
    assert len(loaded) == len(set(loaded)) == 3
    assert len(stored) == 3
    assert all(isinstance(s, tree.Store) for s in stored)


def test_the_leaves_of_a_record_share_words() -> None:
    loop = strips_of(
        'fun [packed "u8"] main([packed "u4u12"] a) = '
        'store("u8", map(fn int (int x, int y) => x + y, a), "wrap")'
    )
    assert len(accesses(loop)[0]) == 2


def test_sums_take_words_of_32_bits_and_add_in_32() -> None:
    loop = strips_of('fun int main([packed "u12"] a) = reduce(op +, 0, a)')
    loaded, stored = accesses(loop)
    assert len(loaded) == 3
    assert not stored
    sums = [s for s in loop.body if isinstance(s, tree.Assign)]
    assert len(sums) == 1


def test_numbers_from_outside_are_small_or_not() -> None:
    program = loads(
        'fun {[packed "u8"], int} main([packed "raw12"] a, int b, int c) =\n'
        "  let d = map(fn int (int x) => (x - b) * c >> 8, a) in\n"
        '  {store("u8", d, "saturate"), reduce(op +, 0, d)}'
    )
    data = np.random.default_rng(9).integers(0, 256, 900, np.uint8).tobytes()
    for b, c in [(64, 17), (-(2**15), 2**15), (2**15 + 1, 3), (2**40, -(2**30)), (5, 2**62)]:
        wanted = program.run(data, b, c)
        for way in ("c-1", "c-2"):
            assert same(Ways(program)(way)(data, b, c), wanted)
        assert same(interpreted(program, threads=2)(data[:90], b, c), program.run(data[:90], b, c))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("test", ["x < b", "b < x", "x <= b", "b <= x", "x = b", "not (b = x)"])
def test_comparisons_with_numbers_from_outside(test: str) -> None:
    """In 32 bits, whatever the numbers are."""
    program = loads(
        'fun {int, int} main([packed "s12"] a, int b) =\n'
        f"  {{reduce(op +, 0, map(fn int (int x) => if {test} then x else 1, a)), size(a)}}"
    )
    data = np.random.default_rng(3).integers(0, 256, 300, np.uint8).tobytes()
    for b in (0, 5, -7, 2047, 2048, -2048, -2049, 1 << 31, -(1 << 31) - 1, (1 << 63) - 1, -1 << 63):
        assert program.compile(threads=1)(data, b) == program.run(data, b)


def test_the_range_of_samples_is_known() -> None:
    """So what they are the keys or the indices of needs no checks."""
    program = loads(
        'fun [int] main([packed "u3"] a) =\n'
        "  let table = [5, 4, 3, 2, 1, 0, 9, 8] in\n"
        "  bucketReduce(op +, 0, 8, a, map(fn int (int x) => table[x], a))"
    )
    assert "assert" not in show(program.graph())
    smaller = loads('fun [int] main([packed "u3"] a) = bucketReduce(op +, 0, 7, a, a)')
    assert "assert" in show(smaller.graph())
    assert list(program.compile()(bytes([0b00101001, 0, 0]))) == [25, 4, 6, 0, 0, 0, 0, 0]


def test_loops_that_need_more_than_strips_have_stay() -> None:
    """A scan keeps its order, and a gather reads single samples."""
    text = (
        'fun {[int], [int]} main([packed "u12"] a, [int] at) =\n'
        "  {scan(op +, 0, a), map(fn int (int i) => a[i], at)}"
    )
    program = loads(text)
    data = bytes(signals.pack(np.arange(1, 41), "u12"))
    at = [3, 0, 39, 7]
    wanted = program.run(data, at)
    for way in ("c-1", "c-2", "c-plain"):
        assert same(Ways(program)(way)(data, at), wanted)


@pytest.mark.one_in(12)
@pytest.mark.parametrize("source", ["u12", "raw10", "s5", "mask-msb", "u3p5s7", "pcm24be"])
def test_many_samples_in_several_threads(source: str) -> None:
    storage = storage_of(source)
    data = np.random.default_rng(9).integers(0, 256, 9001, np.uint8).tobytes()
    for target, fit in (("s7", "wrap"), ("u16", "saturate"), ("u12", "saturate")):
        packed, _ = texts(storage, storage_of(target), fit)
        program = loads(packed)
        wanted = program.run(data)
        for way in ("c-1", "c-2"):
            assert Ways(program)(way)(data) == wanted


def test_sums_and_histograms_over_packed_samples() -> None:
    program = loads(
        'fun {int, int, [int]} main([packed "raw12"] a) =\n'
        "  {reduce(op +, 0, map(fn int (int x) => x * x, a)),\n"
        "   reduce(op +, 0, map(op -(4095), a)),\n"
        "   bucketReduce(op +, 0, 16, map(fn int (int x) => x >> 8, a), replicate(size(a), 1))}"
    )
    data = np.random.default_rng(9).integers(0, 256, 9000, np.uint8).tobytes()
    wanted = program.run(data)
    for way in ("c-1", "c-2", "c-plain"):
        assert same(Ways(program)(way)(data), wanted)
