"""Running a procedure over signals in three ways that must agree.

The source in the interpreter, its residual program in the interpreter, and that as native code:
`run` does what its caller asks for and compares results and memory.  Specialized programs are kept,
so one compilation serves all contents and lengths that end at the same places in their words.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Final
from zlib import crc32

import cogen
from cogen.backends.kernel.load import load
from cogen.lang import il
from cogen.lang.datum import UNSPECIFIED, Datum
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from tests.everyday import is_long
from tests.signals.layouts import Layout

BUILD: Final = """
(import (signals))

(define (build buffer from to size stride kind order)
  (signal-with-order (signal-with-kind (make-signal buffer from to size stride) kind) order))
"""

HAS_COMPILER: Final = any(map(shutil.which, ("cc", "gcc", "clang")))


@dataclass(frozen=True)
class Signal:
    """A layout and the memory of its buffer."""

    layout: Layout
    memory: bytes


@dataclass(frozen=True)
class Known:
    """An argument that is known ahead."""

    value: Datum


Argument = Signal | Known | int | float
"""A signal, a known value, or a number that is not known ahead."""


@dataclass(frozen=True)
class Outcome:
    """The value of a call and the memory of its signals afterwards, or the message of its error."""

    value: object = None
    memories: tuple[bytes, ...] = ()
    error: str | None = None


def signal(
    values: list[int],
    size: int,
    stride: int | None = None,
    offset: int = 0,
    order: str = "little",
    kind: str = "unsigned",
    word_size: int = 32,
    slack: int = 1,
) -> Signal:
    """A signal of these samples in memory with a pattern between them."""
    step = size if stride is None else stride
    last = max(offset, offset + (len(values) - 1) * step) + size
    length = -(-last // 8) + slack
    layout = Layout(word_size, offset, size, step, len(values), order, kind, length)
    memory = bytearray((91 * i + 45) % 256 for i in range(length))
    for k, value in enumerate(values):
        layout.put(memory, k, value)
    return Signal(layout, bytes(memory))


def samples(layout: Layout, memory: bytes) -> list[int]:
    """The integers of a signal."""
    return [int(layout.get(memory, k)) for k in range(layout.count)]


def run(
    text: str, entry: str, *arguments: Argument, word_size: int = 32, native: bool = True
) -> Outcome:
    """The outcome of a call in all the ways, which is one and the same.

    `text` defines the procedure `entry`; see `BUILD` for what stands before it.
    """
    program = loaded(text)
    bts = tuple(map(binding_time, arguments, [word_size] * len(arguments)))
    key = repr((entry, [*map(cogen.bt.show_bt, bts)], word_size))
    expected = run_source(text, entry, *arguments, word_size=word_size)
    residual = specialized(program, entry, bts, word_size, key)
    got = call(machine(residual.program.program, word_size).call, entry, arguments, flattened)
    compare(expected, got)
    if native and HAS_COMPILER:
        compare(expected, call(native_caller(residual), entry, arguments, flattened))
    return expected


def run_source(text: str, entry: str, *arguments: Argument, word_size: int = 32) -> Outcome:
    """The outcome of a call in the interpreter alone: for errors that specialization finds."""
    program = loaded(text)
    pass_signal = partial(interpreted, program, word_size)
    return call(machine(program, word_size).call, entry, arguments, pass_signal)


def compare(expected: Outcome, got: Outcome) -> None:
    """Assert that they are the same; where an error is reported, the memory is not specified."""
    if expected.error is None and got.error is None:
        assert got == expected
    else:
        assert expected.error is not None
        assert got.error is not None
        assert expected.error in got.error


def call(
    function: Callable[[str, list[Any]], Any],
    entry: str,
    arguments: Sequence[Argument],
    pass_signal: Callable[[Layout, bytearray], list[Any]],
) -> Outcome:
    """Call a program; `pass_signal` gives its arguments for a signal."""
    memories: list[bytearray] = []
    passed: list[Any] = []
    for argument in arguments:
        if isinstance(argument, Signal):
            memories.append(bytearray(argument.memory))
            passed += pass_signal(argument.layout, memories[-1])
        elif not isinstance(argument, Known):
            passed.append(argument)
        elif pass_signal is not flattened:
            passed.append(argument.value)
    try:
        value = function(entry, passed)
    except CogenError as error:
        return Outcome(error=error.message)
    return Outcome(None if value is UNSPECIFIED else value, tuple(map(bytes, memories)))


def interpreted(
    program: il.Program, word_size: int, layout: Layout, memory: bytearray
) -> list[Any]:
    """A signal for the source: the record itself."""
    return [machine(program, word_size).call("build", layout.arguments(memory))]


def flattened(layout: Layout, memory: bytearray) -> list[Any]:
    """A signal for a residual program: what is not known of it."""
    return [memory, layout.offset, layout.end]


def binding_time(argument: Argument, word_size: int) -> cogen.bt.BT:
    if isinstance(argument, Known):
        return cogen.static(argument.value)
    if isinstance(argument, int):
        return cogen.dynamic("int")
    if isinstance(argument, float):
        return cogen.dynamic("float")
    layout = argument.layout
    return cogen.record(
        "vector-signal",
        cogen.dynamic("memory"),
        cogen.cyclic(word_size, layout.offset % word_size),
        cogen.cyclic(word_size, layout.end % word_size),
        cogen.static(0),
        cogen.static(layout.size),
        cogen.static(layout.stride),
        *map(cogen.static, layout.symbols()),
    )


@cache
def loaded(text: str) -> il.Program:
    return cogen.loads(BUILD + text, "ways.scm")


@cache
def machine(program: il.Program, word_size: int) -> Interpreter:
    interpreter = Interpreter(program, word_size)
    interpreter.run()
    return interpreter


_RESIDUALS: dict[tuple[il.Program, str], cogen.Residual] = {}


def specialized(
    program: il.Program, entry: str, bts: Sequence[cogen.bt.BT], word_size: int, key: str
) -> cogen.Residual:
    """The residual program, made once for each key; every day, for one in three it is tried whether
    addresses are split."""
    auto = None if is_long() or crc32(key.encode()) % 3 == 0 else False
    if (program, key) not in _RESIDUALS:
        made = cogen.specialize(program, entry, *bts, word_size=word_size, auto=auto)
        _RESIDUALS[program, key] = made
    return _RESIDUALS[program, key]


@cache
def native_caller(residual: cogen.Residual) -> Callable[[str, list[Any]], Any]:
    function = load(residual.program)
    return lambda entry, arguments: function(*arguments)
