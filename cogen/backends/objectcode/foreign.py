"""Functions of shared objects, called through cffi's backend without its parser of C.

What cffi's own front end does with declarations is a fixed list of types here, so that calling
compiled code needs neither the parser nor the time that it takes to be imported and to parse.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import _cffi_backend as backend

from cogen.backends import structures
from cogen.backends.structures import SharedStructure
from cogen.lang.errors import InternalError

INT64: Final = backend.new_primitive_type("int64_t")
DOUBLE: Final = backend.new_primitive_type("double")
BOOL: Final = backend.new_primitive_type("_Bool")
UINTPTR: Final = backend.new_primitive_type("uintptr_t")
SIZE: Final = backend.new_primitive_type("size_t")
VOID: Final = backend.new_void_type()
POINTER: Final = backend.new_pointer_type(VOID)

_CHAR: Final = backend.new_primitive_type("char")
_NUMBERS: Final = backend.new_pointer_type(INT64)
_SLOTS: Final = backend.new_array_type(_NUMBERS, None)
_TEXT: Final = backend.new_pointer_type(_CHAR)
_BYTES: Final = backend.new_array_type(backend.new_pointer_type(_CHAR), None)

TRACE: Final = backend.new_function_type((INT64, _NUMBERS), VOID, False)

_KINDS: Final[dict[str, Any]] = {
    structures.BYTE: backend.new_primitive_type("uint8_t"),
    structures.INT64: INT64,
    structures.ADDRESS: UINTPTR,
    structures.ANYTHING: POINTER,
    structures.NUMBERS: _NUMBERS,
    structures.READ_NUMBERS: _NUMBERS,
    structures.WORKERS: POINTER,
    structures.TRACE: TRACE,
}


class SharedObject:
    """A shared object; its functions can be called as long as it is there.  One that `stays` is
    never unloaded: code with threads is to, since they wait in its libraries (OpenMP's) for more.

    InternalError if the file is no shared object.
    """

    def __init__(self, path: Path, stays: bool = False) -> None:
        self.path = path
        flags = backend.RTLD_NOW | (getattr(os, "RTLD_NODELETE", 0) if stays else 0)
        try:
            self._loaded = backend.load_library(str(path), flags)
        except OSError as error:
            raise InternalError(f"the compiled code of {path} does not load: {error}") from None

    def function(self, name: str, arguments: Sequence[Any], result: Any) -> Any:
        """A function that takes and gives values of these types; InternalError if there is none."""
        kind = function_type(arguments, result)
        try:
            return self._loaded.load_function(kind, name)
        except AttributeError as error:
            raise InternalError(f"the compiled code has no {name}: {error}") from None


def structure(definition: SharedStructure, *others: SharedStructure) -> Any:
    """The type that C text defines, laid out as C does it; `others` are those that it may name."""
    known = _KINDS | {other.name: structure(other) for other in others}
    kind = backend.new_struct_type(f"struct {definition.name}")
    fields = []
    for member in definition.members:
        one = known[member.kind]
        fields.append((member.name, array_of(one, member.extent) if member.extent else one, -1, -1))
    backend.complete_struct_or_union(kind, fields)
    return kind


def function_type(arguments: Sequence[Any], result: Any) -> Any:
    """The type of pointers to functions."""
    return backend.new_function_type(tuple(arguments), result, False)


def callback(kind: Any, function: Any) -> Any:
    """A pointer to a function of Python's, which has to be kept as long as it may be called."""
    return backend.callback(kind, function)


def slots(content: int | Sequence[int]) -> Any:
    """An array of so many zeros, or of these numbers, of 64 bits."""
    return backend.newp(_SLOTS, content)


def owned(pointer: Any, release: Any, size: int) -> Any:
    """The pointer, whose end `release` is told; `size` is of what it points to."""
    return backend.gcp(pointer, release, size)


def bytes_at(pointer: Any, size: int) -> Any:
    """A buffer of the bytes that a pointer points to, which keeps it alive."""
    return backend.buffer(pointer, size)


def text_at(pointer: Any) -> Any:
    """The same address, of characters."""
    return backend.cast(_TEXT, pointer)


def array_of(kind: Any, length: int) -> Any:
    """The type of an array."""
    return backend.new_array_type(backend.new_pointer_type(kind), length)


def pointer_to(kind: Any) -> Any:
    """The type of a pointer."""
    return backend.new_pointer_type(kind)


def new(pointer: Any) -> Any:
    """Zeros of the type that a type of pointers points to."""
    return backend.newp(pointer)


def memory(buffer: Any) -> Any:
    """The address of a buffer that lies in one piece, to be passed as a pointer; keeps it alive.

    TypeError for what is no buffer, BufferError or ValueError for one in several pieces.
    """
    return backend.from_buffer(_BYTES, buffer)


def address(number: int) -> Any:
    """A pointer to an address; the caller keeps alive what is there."""
    return backend.cast(POINTER, number)


def number_of(pointer: Any) -> int:
    """The address that a pointer holds."""
    return int(backend.cast(UINTPTR, pointer))
