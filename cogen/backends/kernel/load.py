"""C text -> callable: build (or find in the cache), load through cffi's backend, check arguments.

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
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from cogen import diskstore as store
from cogen.backends.failures import (
    FAIL_DETAILS,
    KERNEL_ERROR,
    NOTED_CALL,
    NOTED_FIRST,
    NOTED_LAST,
    Noted,
    error_of,
    noted_at,
    shortened,
)
from cogen.backends.kernel.cmodule import CModule, CParameter, ErrorSite
from cogen.backends.kernel.direct_calls import quick_call
from cogen.backends.kernel.types import BOOL, FLOAT, INT, MEMORY, NOTHING
from cogen.backends.objectcode import cache, foreign
from cogen.boundary import leave
from cogen.buffers import bytes_view, type_name
from cogen.lang.chain import Call
from cogen.lang.datum import INT_MAX, INT_MIN
from cogen.lang.errors import CogenError
from cogen.plaindata import plain
from cogen.residual import ResidualParameter, ResidualProgram

C_TYPES = {INT: foreign.INT64, FLOAT: foreign.DOUBLE, BOOL: foreign.BOOL, NOTHING: foreign.VOID}
_ERROR = foreign.pointer_to(foreign.structure(KERNEL_ERROR, NOTED_CALL))
"""Where C code reports an error: the `cogen_error *` of its text."""


def load(residual: ResidualProgram) -> NativeFunction:
    """The residual program's entry as native code.

    LimitationError for what C cannot express; CogenError if there is no compiler or the
    cache cannot be used.
    """
    from cogen.backends.kernel.c import emit

    return load_module(emit(residual))


def shared_object(residual: ResidualProgram) -> bytes:
    """The bytes of the shared object that holds the entry."""
    from cogen.backends.kernel.c import emit

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
        self._library = foreign.SharedObject(path)
        self._function = self._library.function(module.function, *_types(module))
        stored = [parameter.stored for parameter in module.parameters]
        self._may_overlap = any(stored) and len(stored) > 1
        self._argument = tuple(_READERS[parameter.type] for parameter in module.parameters)
        self.quick = quick_call(module, self._function, self._checked, _ERROR, self._left)
        """The same as a plain function, which takes as many arguments as there are parameters."""

    @property
    def source(self) -> str:
        """The C text."""
        return self.module.text

    @cached_property
    def _cutting(self) -> NativeFunction:
        """The same for buffers with a partial last word that are both stored to and loaded."""
        from cogen.backends.kernel.c import emit

        return load_module(emit(self.module.residual, cutting=True))

    def __repr__(self) -> str:
        return f"<native {self.module.signature}>"

    def __call__(self, *arguments: Any) -> int | float | bool | None:
        """Call the C function; CogenError for arguments it cannot take and for its errors."""
        if len(arguments) != len(self._argument):
            return self._checked(*arguments)
        try:
            return self.quick(*arguments)  # type: ignore[no-any-return]  # of the entry's type
        except CogenError as error:
            leave(error)
            raise

    def _checked(self, *arguments: Any) -> int | float | bool | None:
        """A call with all checks."""
        try:
            module = self.module
            module.residual.check_count(len(arguments))
            call = _Call(module, self._may_overlap)
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
            error = foreign.new(_ERROR)
            result: int | float | bool | None = self._function(*passed, error)
            call.copy_back()
            if error.code:
                raise self._failure(error, passed)
            return result
        except CogenError as failure:  # a wrapper would cost more than the call
            leave(failure)
            raise

    def _left(self, error: Any, passed: Sequence[Any]) -> CogenError:
        """What an error of a quick call is raised as."""
        failure = self._failure(error, passed)
        leave(failure)
        return failure

    def _failure(self, error: Any, passed: Sequence[Any]) -> CogenError:
        module = self.module
        noted = Noted(
            error.code,
            [error.detail[at] for at in range(FAIL_DETAILS)],
            calls_noted(module.sites, error),
            self._buffer(module.sites, error, passed),
        )
        return error_of(module.sites, noted)

    def _buffer(self, sites: Sequence[ErrorSite], error: Any, passed: Sequence[Any]) -> str | None:
        """What is called the buffer that an error is about."""
        site = sites[error.code - 1] if 1 <= error.code <= len(sites) else None
        if site is None or len(site.buffers) < 2:
            return site.buffers[0] if site is not None and site.buffers else None
        return self._passed_at(error.buffer, passed) or self._constant(site)

    def _passed_at(self, address: Any, passed: Sequence[Any]) -> str | None:
        """The parameter that the buffer at an address was passed for."""
        arguments = iter(passed)
        for parameter in self.module.parameters:
            if parameter.type == NOTHING:
                continue
            argument = next(arguments)
            if parameter.type == MEMORY:
                next(arguments)  # its number of words
                if foreign.number_of(argument) == foreign.number_of(address):
                    return parameter.name
        return None

    def _constant(self, site: ErrorSite) -> str | None:
        """What is called the one buffer of a site that is no parameter."""
        parameters = {parameter.name for parameter in self.module.parameters}
        names = [name for name in site.buffers if name not in parameters]
        return names[0] if len(names) == 1 else None


def calls_noted(sites: Sequence[ErrorSite], error: Any) -> Iterable[Call]:
    """The calls that led to an error, the innermost first."""
    count = error.calls
    first = _runs(sites, error, range(min(count, NOTED_FIRST)))
    last = _runs(sites, error, range(max(count - NOTED_LAST, NOTED_FIRST), count))
    return shortened(first, error.left_out, last)


def _runs(sites: Sequence[ErrorSite], error: Any, runs: Iterable[int]) -> Iterator[Call]:
    """Some of the calls that are noted, as they are told: with those that were unfolded."""
    for run in runs:
        call = error.call[noted_at(run)]
        span = sites[call.code - 1].span
        if span is not None and not span.calls:
            yield span, call.times
        elif span is not None:
            for _ in range(call.times):
                yield from ((span, 1), *(span.calls or ()))


def _types(module: CModule) -> tuple[list[Any], Any]:
    """The types of what the entry takes, and of what it gives; that of words does not matter."""
    types: list[Any] = []
    for parameter in module.parameters:
        if parameter.type == MEMORY:
            types += [foreign.POINTER, foreign.INT64]
        elif parameter.type != NOTHING:
            types.append(C_TYPES[parameter.type])
    if module.fails:
        types.append(_ERROR)
    return types, C_TYPES[module.result]


class _Call:
    """One call: the buffers it borrows."""

    __slots__ = ("buffers", "copies", "may_overlap", "module", "partial")

    def __init__(self, module: CModule, may_overlap: bool) -> None:
        self.module = module
        self.may_overlap = may_overlap
        self.buffers: list[tuple[CParameter, int, int]] = []
        """Parameter, first address, number of bytes, of the caller's memory."""
        self.copies: list[tuple[memoryview, bytearray]] = []
        """What must be copied back, and where from."""
        self.partial = False
        """Whether a last word that is stored to and loaded is partial."""

    def refuse(self, parameter: CParameter, problem: str, hint: str | None = None) -> CogenError:
        return self.module.residual.refusal(self._declared(parameter), problem, hint)

    def _declared(self, parameter: CParameter) -> ResidualParameter:
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
    data = foreign.memory(view)
    if call.may_overlap:
        call.buffers.append((parameter, foreign.number_of(data), len(view)))
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
        data = foreign.memory(copy)
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
