"""Residual program -> Python callable, by way of a library that holds the whole language.

For what the kernel back end (`cogen.backends.kernel.load`) does not express: closures, pairs,
strings, `call/cc`, output.  Arguments and results cross as text, which costs time in proportion to
their size; but buffers among the arguments are lent, and what is stored in them is there after a
call, also after one that fails, and a result that is a bytevector crosses as it is.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final, NoReturn

from cogen.backends.failures import shortened
from cogen.backends.native.build import shared_object
from cogen.backends.native.compile import c_text
from cogen.backends.native.program import NativeText
from cogen.backends.objectcode import foreign
from cogen.backends.python.python import PythonFunction
from cogen.lang import il
from cogen.lang.chain import Chain
from cogen.lang.datum import NIL, UNSPECIFIED, Char, Datum, Pair, Symbol, from_iterable, iterate
from cogen.lang.errors import CogenError, LimitationError
from cogen.lang.othernames import hint_at
from cogen.lang.primtable.checks import brief
from cogen.lang.printer import cycle_heads, write_datum
from cogen.lang.reader import read_datum
from cogen.lang.values import MultipleValues
from cogen.residual import ResidualParameter, ResidualProgram

_SIZE = foreign.pointer_to(foreign.SIZE)
_CALL_TAKES = (
    foreign.POINTER, foreign.POINTER, foreign.SIZE, _SIZE, foreign.POINTER, foreign.SIZE,
)  # fmt: skip

MOST_IDLE = 16
"""Instances of one library that wait for a call, at most; each keeps a few megabytes."""

HINT = "to_python() passes any value"


def load(residual: ResidualProgram) -> CompiledFunction:
    """The residual program's entry as native code; CogenError if there is no compiler or the
    cache cannot be used."""
    return CompiledFunction(residual)


class CompiledFunction(PythonFunction):
    """A residual entry in a library: called like a Python function, with the same checks of
    arguments, from any number of threads at once."""

    def __init__(self, residual: ResidualProgram, path: Path | None = None) -> None:
        self.residual = residual
        self.loaded = LoadedProgram(residual, path)
        self.__name__ = self.__qualname__ = residual.entry

    @property
    def source(self) -> str:
        """The C text, which needs the headers in cogen/backends/native/runtime."""
        return self.loaded.native.text

    @property
    def path(self) -> Path:
        """The shared object."""
        return self.loaded.path

    def call(self, data: Sequence[Datum], circular: bool = False) -> Datum:
        """The value of the entry for data."""
        return self.loaded.call(self.residual.entry, data)

    def __repr__(self) -> str:
        names = ", ".join(parameter.name for parameter in self.residual.parameters)
        return f"<native {self.residual.entry}({names})>"


_STORED: Final = 2
"""What library.c notes of a read-only buffer that is stored to."""


class StoredReadOnly(Exception):
    """A program has stored to a read-only buffer, which is as it was; which of those lent."""

    def __init__(self, number: int) -> None:
        self.number = number


class ProgramLibrary:
    """The functions of a library that holds a program, as runtime/library.c has them."""

    def __init__(self, path: Path) -> None:
        self._loaded = loaded = foreign.SharedObject(path)
        self._call = loaded.function("cogen_call_with", _CALL_TAKES, foreign.POINTER)
        self.new = loaded.function("cogen_new", (), foreign.POINTER)
        """Make an instance; NULL if there is not enough memory."""
        self.free = loaded.function("cogen_free", (foreign.POINTER,), foreign.VOID)

    def call(
        self, instance: Any, text: bytes, buffers: Sequence[memoryview] | None = None
    ) -> bytes:
        """The answer of an instance to a text, in which buffers are lent, if any are given.

        StoredReadOnly where one is read-only and the program stores to it."""
        size = foreign.new(_SIZE)
        held = [foreign.memory(buffer) for buffer in buffers or ()]
        rows = [
            (foreign.number_of(pointer), len(buffer), not buffer.readonly)
            for pointer, buffer in zip(held, buffers or (), strict=True)
        ]
        numbers = [int(x) for row in rows for x in row]
        lent = foreign.address(0) if buffers is None else foreign.slots(numbers or 1)
        answer = self._call(instance, foreign.memory(text), len(text), size, lent, len(rows))
        for number in range(len(rows)):
            if lent[3 * number + 2] == _STORED:
                raise StoredReadOnly(number)
        return bytes(foreign.bytes_at(foreign.text_at(answer), size[0]))


class LoadedProgram:
    """A loaded program with one entry, and its instances, whose memory goes back with this.

    It is compiled, if no library that was made of it is given by its path."""

    def __init__(self, residual: ResidualProgram, path: Path | None = None) -> None:
        self.native: NativeText = c_text(residual.program, residual.entry, residual.word_size)
        self.path = shared_object(self.native.text) if path is None else path
        self.parameters, self.place = residual.parameters, residual.place
        has_state = not all(isinstance(item, il.Define) for item in residual.program.items)
        self.turn = threading.Lock() if has_state else nullcontext()
        self.idle: list[Any] = []
        self.library = ProgramLibrary(self.path)
        freed = weakref.finalize(self, _free, self.library, self.idle)
        freed.atexit = False  # a thread may still be in a call then
        self.idle.append(self._new())

    def _new(self) -> Any:
        made = self.library.new()
        if not made:
            raise LimitationError("there is not enough memory for the program to start")
        return made

    @contextmanager
    def _instance(self) -> Iterator[Any]:
        """An instance that no other call uses meanwhile."""
        with self.turn:
            try:
                taken = self.idle.pop()
            except IndexError:
                taken = self._new()
            try:
                yield taken
            finally:
                self.idle.append(taken)
                if len(self.idle) > MOST_IDLE:
                    _free(self.library, [self.idle.pop()])

    def call(self, name: str, arguments: Sequence[Datum]) -> Datum:
        """The value of the entry; LimitationError for values that have no text."""
        buffers = [_bytes_of(x) for x in arguments if _is_buffer(x)]
        passed = [b"" if _is_buffer(x) else x for x in arguments]
        for one, parameter in zip(passed, self.parameters, strict=False):
            _check(one, parameter)
        try:
            answer = self._answer(write_datum(from_iterable(passed)), buffers)
        except StoredReadOnly as stored:
            lent = [p for p, x in zip(self.parameters, arguments, strict=False) if _is_buffer(x)]
            parameter = lent[stored.number]
            raise CogenError(
                f"{name}: the argument for {parameter.name} is read-only, "
                "but the program stores to it",
                parameter.place,
                hint="pass a bytearray, say",
            ) from None
        if answer[:1] == b"b":
            return bytearray(answer[1:])
        kind, text = answer[:1].decode(), answer[1:].decode("utf-8", "replace")
        if kind == "e":
            self._fail(text)
        try:
            value = next(iterate(read_datum(text, "result")))
        except CogenError:
            raise LimitationError(
                f"the result of {name} is no datum that can be passed on", self.place, hint=HINT
            ) from None
        if kind == "u":
            return UNSPECIFIED
        return MultipleValues(tuple(iterate(value))) if kind == "m" else value

    def ask(self, text: str) -> str:
        """The answer to the text of a list of arguments, as runtime/library.c gives it."""
        return self._answer(text, None).decode("utf-8", "replace")

    def _answer(self, text: str, buffers: Sequence[memoryview] | None) -> bytes:
        data = text.encode("utf-8")
        with self._instance() as instance:
            return self.library.call(instance, data, buffers)

    def _fail(self, text: str) -> NoReturn:
        """Raise what an answer tells; SystemExit where the program is to end."""
        family, told, message = text.split("\n", 2)
        if family == "exit":
            raise SystemExit(int(message))
        kind = LimitationError if family == "limitation" else CogenError
        spans = self.native.spans
        head, inner, left_out, count, *rows = map(int, told.split())
        failure = kind(message)
        calls = [(spans[place], times) for place, times in zip(rows[::2], rows[1::2], strict=True)]
        failure.span, failure.inner = spans[head], spans[inner]
        failure.hint = hint_at(message, failure.span) if kind is CogenError else None
        failure.chain = Chain(shortened(calls[:count], left_out, calls[count:]))
        raise failure


def _free(library: ProgramLibrary, instances: list[Any]) -> None:
    for instance in instances:
        library.free(instance)


def _is_buffer(value: Datum) -> bool:
    return isinstance(value, bytes | bytearray | memoryview) or (
        not isinstance(value, str) and hasattr(value, "__array_interface__")
    )


def _bytes_of(buffer: Any) -> memoryview:
    view = memoryview(buffer)
    return view.cast("B") if view.nbytes else memoryview(b"")


def _check(value: Datum, parameter: ResidualParameter) -> None:
    """LimitationError for an argument with parts that have no text that reads back."""
    work = [value]
    if type(value) in (Pair, list) and cycle_heads(value):
        raise _unfit("circular data", parameter)
    while work:
        value = work.pop()
        if type(value) is Pair:
            work += (value.cdr, value.car)
        elif type(value) is list:
            work += value
        elif value is not NIL and type(value) not in (
            int, float, bool, str, Char, Symbol, bytes, bytearray,
        ):  # fmt: skip
            raise _unfit(brief(value), parameter)


def _unfit(what: str, parameter: ResidualParameter) -> LimitationError:
    message = f"{what} cannot be passed to native code"
    return LimitationError(message, parameter.place, hint=HINT)
