"""Values of other packages -> Python's own, exactly or not at all: NumPy's, buffers.

The packages are not imported: who has a value of theirs has imported them.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

from cogen.buffers import is_masked, refuse_masked, type_name
from cogen.lang.datum import INT_MAX
from cogen.lang.errors import CogenError

NUMBERS: Final = "biuf"
"""The kinds of NumPy's types whose values the language has: bools, integers, floats."""


def is_numpy(value: object) -> bool:
    """Whether a value is an array or a scalar of NumPy's, or an instance of a subclass."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray | numpy.generic)


def is_array(value: Any) -> bool:
    """Whether a value is an array of NumPy's with a dimension, masked ones too."""
    return is_numpy(value) and value.ndim > 0


def is_scalar(value: Any) -> bool:
    """Whether a value is a scalar of NumPy's, or an array without dimensions."""
    return is_numpy(value) and value.ndim == 0


def plain(value: Any) -> Any:
    """A scalar of NumPy's as Python's; CogenError for one that is masked or cannot be exact.

    What is no number, bool or string stays as it is.
    """
    if not is_scalar(value):
        return value
    if is_masked(value) or type(value).__module__ != "numpy":
        refuse_masked(value, "a value")
        return value
    if value.dtype.kind not in NUMBERS + "US":
        return value
    if value.dtype.kind == "f" and value.dtype.itemsize > 8:
        return _exact_float(value)
    return value.item()


def _exact_float(value: Any) -> float:
    """A float of more than 64 bits, if it is one of 64."""
    result = float(value)
    if result != value and not math.isnan(result):
        raise CogenError(
            f"{value} is no float of 64 bits", hint="round it: float(x), or x.astype(float)"
        )
    return result


def array_parts(array: Any) -> tuple[Sequence[Any], Callable[[list[Any]], Any]]:
    """The parts of an array, and how to make its datum of theirs: its rows, or none.

    CogenError for arrays that are masked, of other types, or of subclasses.
    """
    refuse_masked(array, "an array")
    if type(array).__module__ != "numpy" or type(array).__name__ not in ("ndarray", "memmap"):
        raise CogenError(
            f"an array of the class {type(array).__name__} is no datum",
            hint="numpy.asarray(x) gives a plain array, if that is what is meant",
        )
    kind, width = array.dtype.kind, array.dtype.itemsize
    if kind not in NUMBERS:
        raise CogenError(
            f"an array of {array.dtype} is no datum",
            hint="arrays of bools, integers and floats are; x.tolist() gives a list",
        )
    if array.ndim > 1:
        return [array[i] for i in range(len(array))], list
    if kind == "u" and width == 1:
        return (), lambda _: bytearray(array.tobytes())
    if kind == "f" and width > 8:
        return (), lambda _: [_exact_float(item) for item in array]
    if kind == "u" and width == 8 and array.size and int(array.max()) > INT_MAX:
        raise CogenError("integer out of range: integers lie in [-2^63, 2^63)")
    return (), lambda _: array.tolist()


def bytes_of(buffer: Any) -> bytearray:
    """A copy of a buffer of bytes; CogenError for buffers of anything else."""
    try:
        view = memoryview(buffer)
        if view.format == "B" and view.ndim == 1:
            return bytearray(view)
    except (BufferError, ValueError) as error:
        raise CogenError(f"{type_name(buffer)} gives no bytes: {error}") from None
    raise CogenError(
        f"{type_name(buffer)} of {view.format!r} is no datum: only bytes in one dimension are",
        hint="x.tolist() gives its elements, bytes(x) its bytes",
    )


def dotted(items: list[Any]) -> bool:
    """Whether a list is sexpdata's form of one that ends in a datum: `[a, Symbol("."), b]`."""
    if "sexpdata" not in sys.modules:
        return False
    dots = [i for i, item in enumerate(items) if _is_dot(item)]
    if not dots:
        return False
    if dots != [len(items) - 2] or len(items) < 3:
        raise CogenError("a dot may only stand before the last item of a list")
    return True


def _is_dot(item: Any) -> bool:
    return type(item).__module__ == "sexpdata" and str(item) == "."


def no_datum(value: object) -> CogenError:
    """The error of a value that stands for no datum."""
    hint = "data are int, float, bool, str, bytes, list, tuple, cogen.symbol and cogen.datum"
    for kind in (bool, int, float, str, list, tuple):
        if isinstance(value, kind):
            hint = f"{kind.__name__}(x) gives a plain {kind.__name__}, if that is what is meant"
            break
    return CogenError(f"a Python {type(value).__name__} is no datum", hint=hint)
