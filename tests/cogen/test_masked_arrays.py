"""Masked arrays are refused wherever arrays are taken: what the mask hides would be read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cogen
import cogen.array
from cogen import signals
from cogen.lang.errors import CogenError

pytestmark = pytest.mark.quick

FLOATS: Any = np.ma.array([1.0, 2.0, 4.0], mask=[False, True, False])
BYTES: Any = np.ma.array(np.arange(4, dtype=np.uint8), mask=[0, 1, 0, 0])

total = cogen.array.loads("fun real main([real] a) = reduce(op +, 0.0, a)")
sums = cogen.array.loads("fun [real] main([[real]] a) = map(fn real ([real] r) => r[0], a)")
first = cogen.specialize(
    cogen.loads("(define (f b) (load-word b 0))"), "f", cogen.dynamic("memory"), word_size=8
)
untyped = cogen.specialize(cogen.loads("(define (f b) b)"), "f", cogen.dynamic())
ELEMENT = "(define (f a) (vector-ref a 1))"
shaped = cogen.specialize(cogen.loads(ELEMENT), "f", cogen.dynamic("(array float)"))

WAYS: dict[str, Callable[[], Any]] = {
    "static": lambda: cogen.static(FLOATS),
    "static, in a list": lambda: cogen.static([1, (FLOATS,)]),
    "sexpdata": lambda: cogen.to_sexpdata(FLOATS),
    "array program": lambda: total.run(FLOATS),
    "array program, in a list": lambda: sums.run([FLOATS, FLOATS]),
    "array program in C": lambda: total.compile(target="c")(FLOATS),
    "buffer in Python": lambda: first.to_python()(BYTES),
    "buffer in C": lambda: first.compile()(BYTES),
    "anything": lambda: untyped.to_python()(BYTES),
    "array type": lambda: shaped.to_python()(FLOATS),
    "unpack": lambda: signals.unpack(BYTES, "u12"),
    "pack": lambda: signals.pack(BYTES, "u12"),
    "pack lists": lambda: signals.pack([[1, np.ma.masked]], "u12"),
    "pack into": lambda: signals.pack([1], "u8", out=BYTES),
    "convert": lambda: signals.convert(BYTES, "u8", "u16"),
}


@pytest.mark.parametrize("way", WAYS)
def test_masked_arrays_are_refused(way: str) -> None:
    with pytest.raises(CogenError, match="must not be masked"):
        WAYS[way]()
