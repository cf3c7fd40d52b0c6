"""C functions without the wrapper: opponents from files, and compiled residual programs.

A wrapper checks its arguments at every call, which costs microseconds; here arguments are
converted once, so that only the C code is timed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import cffi
import numpy as np

from cogen.backends.kernel.load import NativeFunction
from cogen.backends.objectcode.cache import shared_object
from cogen.bench.cases import CASES
from cogen.bench.data import CaseData
from cogen.lang.errors import InternalError

PROTOTYPE = "int64_t {name}(const uint8_t *a, const uint8_t *b, uint8_t *out, int64_t count);"

C_TYPES = {
    "int": "int64_t",
    "float": "double",
    "bool": "bool",
    "memory": "void *, int64_t",
    "unspecified": "void",
}


@cache
def _library(file: str) -> tuple[Any, Any]:
    """The foreign function interface and the compiled opponents of c/FILE.c."""
    text = Path(__file__).with_name("c").joinpath(f"{file}.c").read_text(encoding="utf-8")
    ffi = cffi.FFI()
    ffi.cdef("\n".join(PROTOTYPE.format(name=case.name) for case in CASES))
    return ffi, ffi.dlopen(str(shared_object(text)))


def opponent(file: str, name: str, data: CaseData) -> Callable[[], int]:
    """The function `name` of c/FILE.c, applied to the data."""
    ffi, library = _library(file)
    function = getattr(library, name)
    a, b, out = (ffi.from_buffer("uint8_t[]", x) for x in (data.a, data.b, data.out))

    def run() -> int:
        value: int = function(a, b, out, data.count)
        return value

    return run


def bound(native: NativeFunction, arguments: Sequence[object]) -> Callable[[], object]:
    """The C function of a compiled residual program, applied to the arguments.

    They must be right.  InternalError, when called, if the C code reports an error.
    """
    module = native.module
    ffi = cffi.FFI()
    types = [C_TYPES[parameter.type] for parameter in module.parameters]
    types += ["int64_t *"] * module.fails  # where an error is reported; its code comes first
    ffi.cdef(f"{C_TYPES[module.result]} {module.function}({', '.join(types)});")
    library = ffi.dlopen(str(native.path))
    function = getattr(library, module.function)
    passed: list[Any] = []
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            passed += (ffi.from_buffer(argument), argument.nbytes // (module.word_size // 8))
        else:
            passed.append(argument)
    error = ffi.new("int64_t[4]")
    if module.fails:
        passed.append(error)

    def run() -> object:
        value = function(*passed)
        if error[0]:
            raise InternalError(f"{library} reports error {error[0]}")
        return value

    return run
