"""C text -> callable: build (or find in the cache), load by cffi's ABI mode, check arguments.

Before each call
    the number of arguments and their types: an int is an int (no bool) in [-2^63, 2^63), a
    float a real number, a bool a bool, memory anything with the buffer protocol
    a buffer lies in one piece, has no Python objects in it, is writable if it is stored to,
    and one that is stored to shares no byte with any other
    a cyclic parameter is congruent to its remainder
A buffer whose length is no multiple of the word is passed as a copy filled up with zeros; what
exists of it is copied back if it is stored to.  If it is loaded from as well, what is stored to
bytes that do not exist must not be seen: then other code is called, made when it is first
needed, that cuts what it stores to the last word.  The interpreter lock is released during the
call.  What the C code reports is raised as the `CogenError` of the source's place.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import cffi

from cogen import store
from cogen.buffers import bytes_view, type_name
from cogen.lang.chain import Call
from cogen.lang.datum import INT_MAX, INT_MIN
from cogen.lang.errors import CogenError, InternalError
from cogen.plaindata import plain
from cogen.residual import Parameter, ResidualProgram
from cogen.target import cache
from cogen.target.c import emit
from cogen.target.cmodule import CModule, CParameter, ErrorSite
from cogen.target.types import BOOL, FLOAT, INT, MEMORY, NOTHING

C_NAMES = {INT: "int64_t", FLOAT: "double", BOOL: "bool", NOTHING: "void"}
ERROR_STRUCT = (
    "typedef struct { int64_t code; int64_t detail[2]; uintptr_t stack_limit; void *buffer;"
    " struct { int64_t code, told, times; } call[16]; int64_t calls, left_out; } cogen_error;"
)


def load(residual: ResidualProgram) -> NativeFunction:
    """The residual program's entry as native code.

    LimitationError for what C cannot express; CogenError if there is no compiler or the
    cache cannot be used.
    """
    return load_module(emit(residual))


def shared_object(residual: ResidualProgram) -> bytes:
    """The bytes of the shared object that holds the entry."""
    return store.contents(cache.shared_object(emit(residual).text))


def load_module(module: CModule) -> NativeFunction:
    """The entry of C text that is already made."""
    return NativeFunction(module, cache.shared_object(module.text))


class NativeFunction:
    """A compiled entry: called like a Python function.

    `module` is what it was made from, `source` its C text, `path` the shared object.
    """

    def __init__(self, module: CModule, path: Path) -> None:
        self.module = module
        self.path = path
        self.__name__ = module.entry
        self.__qualname__ = module.entry
        self.__doc__ = f"{module.signature}\n\nCompiled from C; the text is in `source`."
        self._ffi, self._function = _open(module, path)
        self._error_type = self._ffi.typeof("cogen_error *")
        stored = [parameter.stored for parameter in module.parameters]
        self._may_overlap = any(stored) and len(stored) > 1
        self._argument = tuple(_READERS[parameter.type] for parameter in module.parameters)

    @property
    def source(self) -> str:
        """The C text."""
        return self.module.text

    @cached_property
    def _cutting(self) -> NativeFunction:
        """The same for buffers with a partial last word that are both stored to and loaded."""
        return load_module(emit(self.module.residual, cutting=True))

    def __repr__(self) -> str:
        return f"<native {self.module.signature}>"

    def __call__(self, *arguments: Any) -> int | float | bool | None:
        """Call the C function; CogenError for arguments it cannot take and for its errors."""
        module = self.module
        module.residual.check_count(len(arguments))
        call = _Call(module, self._ffi, self._may_overlap)
        passed: list[Any] = []
        for parameter, reader, argument in zip(
            module.parameters, self._argument, arguments, strict=True
        ):
            reader(call, parameter, argument, passed)
        if self._may_overlap:
            call.check_overlap()
        if call.partial and not module.cutting:
            return self._cutting(*arguments)
        if not module.fails:
            plain: int | float | bool | None = self._function(*passed)
            call.copy_back()
            return plain
        error = self._ffi.new(self._error_type)
        result: int | float | bool | None = self._function(*passed, error)
        call.copy_back()
        if error.code:
            raise self._failure(error, passed)
        return result

    def _failure(self, error: Any, passed: Sequence[Any]) -> CogenError:
        module = self.module
        site = module.errors.get(error.code)
        if site is None:
            return InternalError(f"the C code of {module.entry} reports an unknown error")
        buffer = site.buffers[0] if len(site.buffers) == 1 else None
        if len(site.buffers) > 1:
            buffer = self._passed_at(error.buffer, passed) or self._constant(site)
        details = error.detail[0], error.detail[1]
        return site.error(details, module.word_size, buffer, _calls(module, error))

    def _passed_at(self, address: Any, passed: Sequence[Any]) -> str | None:
        """The parameter that the buffer at an address was passed for."""
        arguments = iter(passed)
        for parameter in self.module.parameters:
            if parameter.type == NOTHING:
                continue
            argument = next(arguments)
            if parameter.type == MEMORY:
                next(arguments)  # its number of words
                if self._ffi.cast("void *", argument) == address:
                    return parameter.name
        return None

    def _constant(self, site: ErrorSite) -> str | None:
        """What is called the one buffer of a site that is no parameter."""
        parameters = {parameter.name for parameter in self.module.parameters}
        names = [name for name in site.buffers if name not in parameters]
        return names[0] if len(names) == 1 else None


def _calls(module: CModule, error: Any) -> Iterator[Call]:
    """The calls that led to an error, the innermost first."""
    count = error.calls
    for run in (*range(min(count, 8)), *range(max(count - 8, 8), count)):
        if run >= 8 and run == count - 8 and error.left_out:
            yield None, error.left_out
        call = error.call[run if run < 8 else 8 + run % 8]
        span = module.errors[call.code].span
        if span is not None and not span.calls:
            yield span, call.times
        elif span is not None:
            for _ in range(call.times):
                yield from ((span, 1), *(span.calls or ()))


_loading = threading.Lock()


def _open(module: CModule, path: Path) -> tuple[Any, Any]:
    """The foreign function interface and the function."""
    ffi = cffi.FFI()
    with _loading:
        ffi.cdef(f"{ERROR_STRUCT}\n{_prototype(module)}")
    try:
        library = ffi.dlopen(str(path))
        return ffi, getattr(library, module.function)
    except (OSError, AttributeError) as error:
        raise InternalError(f"the compiled code of {module.entry} does not load: {error}") from None


def _prototype(module: CModule) -> str:
    """The declaration of the entry for cffi; the type of words does not matter to it."""
    types: list[str] = []
    for parameter in module.parameters:
        types += ["void *", "int64_t"] if parameter.type == MEMORY else _value_type(parameter)
    if module.fails:
        types.append("cogen_error *")
    return f"{C_NAMES[module.result]} {module.function}({', '.join(types) or 'void'});"


def _value_type(parameter: CParameter) -> list[str]:
    return [] if parameter.type == NOTHING else [C_NAMES[parameter.type]]


class _Call:
    """One call: the buffers it borrows."""

    __slots__ = ("buffers", "copies", "ffi", "may_overlap", "module", "partial")

    def __init__(self, module: CModule, ffi: Any, may_overlap: bool) -> None:
        self.module = module
        self.ffi = ffi
        self.may_overlap = may_overlap
        self.buffers: list[tuple[CParameter, int, int]] = []
        """Parameter, first address, number of bytes, of the caller's memory."""
        self.copies: list[tuple[memoryview, bytearray]] = []
        """What must be copied back, and where from."""
        self.partial = False
        """Whether a last word that is stored to and loaded is partial."""

    def refuse(self, parameter: CParameter, problem: str, hint: str | None = None) -> CogenError:
        return self.module.residual.refusal(self._declared(parameter), problem, hint)

    def _declared(self, parameter: CParameter) -> Parameter:
        """The parameter of the residual program."""
        declared = self.module.residual.parameters
        return next(one for one in declared if one.name == parameter.name)

    def check_overlap(self) -> None:
        """A buffer that is stored to shares no byte with another."""
        ordered = sorted(self.buffers, key=lambda buffer: (buffer[1], -buffer[2]))
        furthest: tuple[CParameter, int, int] | None = None
        stored: tuple[CParameter, int, int] | None = None
        for buffer in ordered:
            parameter, start, size = buffer
            if size == 0:
                continue
            other = furthest if parameter.stored else stored
            if other is not None and other[1] + other[2] > start:
                both = sorted([parameter, other[0]], key=lambda one: one.name)
                raise self.module.residual.overlap(*map(self._declared, both))
            if furthest is None or start + size > furthest[1] + furthest[2]:
                furthest = buffer
            if parameter.stored and (stored is None or start + size > stored[1] + stored[2]):
                stored = buffer

    def copy_back(self) -> None:
        """Give back what was stored to the copies of buffers with a partial last word."""
        for view, copy in self.copies:
            view[:] = memoryview(copy)[: len(view)]


# Arguments


def _read_int(call: _Call, parameter: CParameter, argument: Any, passed: list[Any]) -> None:
    value = argument
    if type(value) is not int:
        value = plain(value)
        if isinstance(value, bool):
            raise call.refuse(parameter, "must be an int, not a bool")
        try:
            value = operator.index(value)
        except TypeError:
            raise call.refuse(parameter, f"must be an int, not {type_name(argument)}") from None
    if not INT_MIN <= value <= INT_MAX:
        raise call.refuse(parameter, f"does not fit in 64 bits: {_shortened(value)}")
    if parameter.cyclic is not None:
        base, remainder = parameter.cyclic
        if (value - remainder) % base:
            raise call.refuse(
                parameter, f"is {value}, which is not congruent to {remainder} modulo {base}"
            )
    passed.append(value)


def _read_float(call: _Call, parameter: CParameter, argument: Any, passed: list[Any]) -> None:
    value = plain(argument)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise call.refuse(parameter, f"must be a float, not {type_name(argument)}")
    try:
        passed.append(float(value))
    except OverflowError:
        raise call.refuse(parameter, "is too large for a float") from None


def _read_bool(call: _Call, parameter: CParameter, argument: Any, passed: list[Any]) -> None:
    value = plain(argument)
    if not isinstance(value, bool):
        raise call.refuse(parameter, f"must be a bool, not {type_name(argument)}")
    passed.append(value)


def _read_nothing(call: _Call, parameter: CParameter, argument: Any, passed: list[Any]) -> None:
    """A parameter without a type in C is only ever passed on."""


def _read_memory(call: _Call, parameter: CParameter, argument: Any, passed: list[Any]) -> None:
    view = bytes_view(argument, partial(call.refuse, parameter))
    if parameter.stored and view.readonly:
        raise call.refuse(
            parameter, "is read-only, but the program stores to it", "pass a bytearray, say"
        )
    size = call.module.word_size // 8
    words = -(-len(view) // size)
    data = call.ffi.from_buffer(view)
    if call.may_overlap:
        call.buffers.append((parameter, int(call.ffi.cast("uintptr_t", data)), len(view)))
    masked = call.module.cutting and parameter.stored
    if masked or len(view) % size:
        copy = bytearray(words * size)
        copy[: len(view)] = view
        if parameter.stored:
            call.copies.append((view, copy))
            call.partial |= parameter.loaded
        if masked:
            existing = len(view) % size or size
            copy += b"\xff" * existing + bytes(size - existing)
        data = call.ffi.from_buffer(copy)
    passed += (data, words)


_READERS: dict[str, Callable[[_Call, CParameter, Any, list[Any]], None]] = {
    INT: _read_int,
    FLOAT: _read_float,
    BOOL: _read_bool,
    MEMORY: _read_memory,
    NOTHING: _read_nothing,
}


def _shortened(value: int) -> str:
    return str(value) if abs(value) < 1 << 128 else f"an integer of {value.bit_length()} bits"


__all__ = ["NativeFunction", "load", "load_module", "shared_object"]
