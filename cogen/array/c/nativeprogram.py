"""Compiled C of a program in L0, called with leaves: the array memory is passed, not copied.

The interpreter lock is released while C runs. Arrays of the result lie in memory that C allocated;
it is freed with the last NumPy array on it. A call shares nothing with others but the code.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cogen import kept_programs
from cogen.array.c.flags import attempts
from cogen.array.c.interface import CALL, MAX_THREADS, CProgram
from cogen.array.codegen.runnable import Checked, Native, Tracer
from cogen.array.ir.layout import leaves_of
from cogen.array.ir.marshal import LeafValue, PackedLeaf, extents
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.l0.types import Type as Layout
from cogen.array.l0.values import PackedValue
from cogen.backends.failures import ARRAY_ERROR, Noted, error_of
from cogen.backends.objectcode import cache, foreign
from cogen.lang.deep import STACK_SIZE, on_deep_stack
from cogen.lang.errors import InternalError
from cogen.lang.marks import TextMark

if TYPE_CHECKING:
    from cogen.array.optimise.optimisations import Options

SHALLOW: Final = 2 << 20
"""Bytes of stack that are there in any case."""

_CALL: Final = foreign.pointer_to(foreign.structure(CALL, ARRAY_ERROR))


def default_threads() -> int:
    """How many threads to use: OMP_NUM_THREADS, else the processors that this process may use."""
    named = os.environ.get("OMP_NUM_THREADS", "")
    if named.isdecimal() and int(named) > 0:
        return min(int(named), MAX_THREADS)
    allowed = getattr(os, "sched_getaffinity", None)
    count = len(allowed(0)) if allowed is not None else os.cpu_count() or 1
    return min(count, MAX_THREADS)


class NativeProgram:
    """A compiled program; calls may come from several threads at once.

    A loop that does less than `grain`, in additions, is not shared out among threads.
    """

    grain = 50_000

    def __init__(
        self, program: CProgram, options: Sequence[str] = (), path: Path | None = None
    ) -> None:
        """`path` is the library, if it has been made already."""
        self.program = program
        library = _built(program.text, options) if path is None else path
        self._library = foreign.SharedObject(library, stays=True)
        self._run = self._library.function("cogen_run", [_CALL], foreign.INT64)
        self._release = self._library.function("cogen_release", [foreign.POINTER], foreign.VOID)
        self._slots = sum(2 + t.rank if t.rank else 1 for t in program.results)

    def __call__(
        self, leaves: Sequence[LeafValue], sizes: Sequence[int], threads: int, trace: Tracer
    ) -> list[LeafValue]:
        """The leaves of the result.  CogenError where the program fails."""
        if self.program.recursive:
            return on_deep_stack(self._call, leaves, sizes, threads, trace, STACK_SIZE * 3 // 4)
        return self._call(leaves, sizes, threads, trace, SHALLOW)

    def _call(
        self,
        leaves: Sequence[LeafValue],
        sizes: Sequence[int],
        threads: int,
        trace: Tracer,
        stack: int,
    ) -> list[LeafValue]:
        arguments, used = slots_of(self.program, leaves, sizes)
        failures: list[BaseException] = []

        def traced(place: int, slots: Any) -> None:
            layout = self.program.traces[place].layout
            try:
                trace(layout, read_leaves(layout, slots, self.program.arithmetic))
            except BaseException as error:  # raised when C is done
                failures.append(error)

        callback = foreign.callback(foreign.TRACE, traced) if self.program.traces else None
        try:
            found = self.run(arguments, threads, stack, callback)
        finally:
            if failures:
                raise failures[0]
        del used  # the memory that the slots are about
        return found

    def run(
        self, slots: Sequence[int], threads: int, stack: int = SHALLOW, trace: Any = None
    ) -> list[LeafValue]:
        """The leaves of the result for the slots of arguments, whose memory the caller keeps.
        CogenError where the program fails."""
        given = foreign.slots(slots or [0])
        out = foreign.slots(self._slots or 1)
        call = foreign.new(_CALL)
        call.arguments = given
        call.results = out
        call.threads = max(1, min(threads, MAX_THREADS))
        call.grain = self.grain
        call.stack = stack
        if trace is not None:
            call.trace = trace
        if self._run(call):
            raise error_of(self.program.sites, Noted(call.error.code, list(call.error.detail)))
        return self._results(out)

    def _results(self, out: Any) -> list[LeafValue]:
        found: list[LeafValue] = []
        slot = 0
        for position, t in enumerate(self.program.results):
            if not t.rank:
                found.append(scalar_of(out[slot], t.kind))
                slot += 1
                continue
            data, block, *_ = out[slot : slot + 2]
            shape = extents(out[slot + 2 : slot + 2 + t.rank])
            slot += 2 + t.rank
            if position in self.program.packed:
                found.append(self._packed(data, block, shape, self.program.packed[position]))
                continue
            found.append(self._array(data, block, shape, self.program.arithmetic.dtype(t.kind)))
        return found[self.program.result_sizes :]

    def _packed(self, data: int, block: int, shape: tuple[int, ...], is_first: bool) -> LeafValue:
        """The bytes of a result that is stored packed, which its first leaf has."""
        if not is_first:
            return None
        made = self._array(data, block, shape, np.dtype(np.uint8))
        return PackedValue(shape, made, "")

    def _array(self, data: int, block: int, shape: tuple[int, ...], dtype: Any) -> Any:
        """The array of a result; its memory is freed with it."""
        size = dtype.itemsize
        for extent in shape:
            size *= extent
        release = partial(_release, self._library, self._release, block)
        owner = foreign.owned(foreign.address(data), release, size)
        if not size:
            return np.zeros(shape, dtype)
        return np.frombuffer(foreign.bytes_at(owner, size), dtype).reshape(shape)


def _built(text: str, options: Sequence[str]) -> Path:
    """The shared object of a text, compiled as well as the compiler can: an old one does not know
    all options, and one without OpenMP makes no threads."""
    *better, last = attempts()
    for given in better:
        try:
            return cache.shared_object(text, (*given, *options))
        except InternalError:
            continue
    return cache.shared_object(text, (*last, *options))


def _release(library: foreign.SharedObject, release: Any, block: int, data: object) -> None:
    """Free a block; the library is loaded as long as this may be called."""
    release(foreign.address(block))


def slots_of(
    program: CProgram, leaves: Sequence[LeafValue], sizes: Sequence[int]
) -> tuple[list[int], list[object]]:
    """The slots of the arguments, and what must be kept while they are used."""
    slots = list(sizes)
    used: list[object] = []
    for parameter, leaf in zip(program.parameters, leaves, strict=True):
        if isinstance(leaf, PackedLeaf):
            data = padded(leaf.data)
            used.append(data)
            slots.append(data.ctypes.data)
        elif parameter.rank:
            array = np.ascontiguousarray(leaf, program.arithmetic.dtype(parameter.kind))
            used.append(array)
            slots.append(array.ctypes.data)
        else:
            slots.append(slot_of(leaf))
    return slots, used


LEAST: Final = 16
"""The least bytes of packed memory: code reads words of 8 bytes."""


def padded(data: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Bytes that are as many as code relies on, whatever comes after the samples."""
    if len(data) >= LEAST:
        return data
    made = np.zeros(LEAST, np.uint8)
    made[: len(data)] = data
    return made


def slot_of(value: int | float | bool | str) -> int:
    """The bits of a scalar."""
    if isinstance(value, float):
        bits: int = struct.unpack("<q", struct.pack("<d", value))[0]
        return bits
    return ord(value) if isinstance(value, str) else int(value)


def scalar_of(slot: int, kind: str) -> int | float | bool | str:
    """The scalar of a kind that bits are."""
    match kind:
        case "real":
            value: float = struct.unpack("<d", struct.pack("<q", slot))[0]
            return value
        case "bool" | "cert":
            return bool(slot)
        case "char":
            return chr(slot)
        case _:
            return slot


def read_leaves(layout: Layout, slots: Any, arithmetic: Arithmetic) -> list[LeafValue]:
    """The leaves of a traced value."""
    found: list[LeafValue] = []
    at = 0
    for leaf in leaves_of(layout).leaves:
        rank = len(leaf.dimensions)
        if not rank:
            found.append(scalar_of(slots[at], leaf.scalar.kind))
            at += 1
            continue
        shape = extents([slots[at + 1 + k] for k in range(rank)])
        dtype = arithmetic.dtype(leaf.scalar.kind)
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        if size:
            buffer = foreign.bytes_at(foreign.address(slots[at]), size)
            found.append(np.frombuffer(buffer, dtype).reshape(shape).copy())
        else:
            found.append(np.zeros(shape, dtype))
        at += 1 + rank
    return found


class CNative(Native):
    """A compiled program with its number of threads."""

    def __init__(self, code: NativeProgram, threads: int) -> None:
        self.code = code
        self.source = code.program.text
        self.threads = threads

    def __call__(
        self, leaves: Sequence[LeafValue], sizes: Sequence[int], trace: Tracer
    ) -> list[LeafValue]:
        return self.code(leaves, sizes, self.threads, trace)


def c_text(
    program: Checked, entry: str, options: Options | None = None, arithmetic: Arithmetic = WIDE
) -> CProgram:
    """The C of a function of a checked program, kept or made now."""
    make = partial(_c_text, program, entry, options, arithmetic)
    if options is not None:
        return make()
    return kept_programs.made("array", program.digest, entry, repr(arithmetic), make=make)


def _c_text(
    program: Checked, entry: str, options: Options | None, arithmetic: Arithmetic
) -> CProgram:
    from cogen.array.c.cprogram import c_program
    from cogen.array.optimise.preparing import prepare

    ready = prepare(program.facts, entry, options, arithmetic)
    off = frozenset() if options is None else options.off
    return c_program(ready, off)


def marked_text(
    program: Checked, entry: str, arithmetic: Arithmetic = WIDE
) -> tuple[CProgram, tuple[TextMark, ...]]:
    """The C of a function of a checked program, with the places that parts of it were made of."""
    from cogen.array.c.cprogram import c_program_with_marks
    from cogen.array.optimise.preparing import prepare

    return c_program_with_marks(prepare(program.facts, entry, None, arithmetic))


def native_program(
    program: Checked,
    entry: str,
    threads: int | None,
    options: Options | None = None,
    arithmetic: Arithmetic = WIDE,
) -> Native:
    """A function of a checked program, compiled from C.  CogenError if there is no compiler."""
    text = c_text(program, entry, options, arithmetic)
    code = NativeProgram(text)
    return CNative(code, default_threads() if threads is None else max(1, threads))
