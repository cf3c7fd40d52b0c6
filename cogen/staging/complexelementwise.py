"""NumPy's elementwise functions where complex numbers are among the operands.

np.exp(1j * x)  ->  the parts of all operands are walked at once, and those of the result made
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cogen.staging.complexoperations import complex_maker, made_of
from cogen.staging.numpytable import operand
from cogen.staging.scalaroperations import select
from cogen.staging.stagedarrays import Array, known
from cogen.staging.stagedcomplex import (
    ComplexArray,
    ComplexValue,
    StagedComplex,
    absolute,
    as_complex,
    complex_of,
    is_complex,
    parts_of_number,
)
from cogen.staging.stagedscalars import Scalar
from cogen.staging.valueparts import flatten, rebuild
from cogen.staging.wholearrays import elementwise


def complex_operand(x: Any) -> Any:
    """An operand, of reals or of complex numbers."""
    return as_complex(x) if is_complex(x) else operand(x)


def complex_computed(name: str, inputs: Sequence[Any]) -> Any:
    """What an elementwise function of NumPy's gives."""
    operands = [complex_operand(x) for x in inputs]
    if all(map(_is_known, operands)):
        return known_result(getattr(np, name)(*map(known_value, operands)))
    complex_maker(name)  # refuses before anything is made
    if name == "absolute" and isinstance(operands[0], StagedComplex):
        return absolute(operands[0])

    def step(*given: Any) -> Any:
        return made_of(name, [parts_of_number(x) for x in given])

    return of_elements(step, operands)


def of_elements(f: Callable[..., Any], operands: Sequence[Any]) -> Any:
    """What a function of numbers gives for all elements, with NumPy's broadcasting; `f` is given
    complex numbers for those of complex operands."""
    taken = [flatten(x) for x in operands]

    def step(*given: Any) -> Any:
        rest = list(given)
        made = []
        for leaves, build in taken:
            made.append(rebuild(build, rest[: len(leaves)]))
            rest = rest[len(leaves) :]
        return f(*made)

    return elementwise(step, [leaf for leaves, _ in taken for leaf in leaves])


def chosen_elements(test: Any, a: Any, b: Any) -> Any:
    """np.where, where one of the values is complex."""

    def choose(test: Any, x: Any, y: Any) -> Any:
        pairs = zip(parts_of_number(x), parts_of_number(y), strict=True)
        real, imag = (select(test, p, q) for p, q in pairs)
        return complex_of(real, imag)

    if is_complex(test):
        test = complex_computed("not_equal", [test, 0])
    return of_elements(choose, [operand(test), complex_operand(a), complex_operand(b)])


def _is_known(x: Any) -> bool:
    if isinstance(x, ComplexValue):
        return all(map(_is_known, x.parts))
    return x.known is not None if isinstance(x, Array) else not isinstance(x, Scalar)


def known_value(x: Any) -> Any:
    """A known operand as NumPy's."""
    if isinstance(x, ComplexArray):
        real, imag = (part.known for part in x.parts)
        made = np.empty(real.shape, np.complex128)
        made.real, made.imag = real, imag
        return made
    return x.known if isinstance(x, Array) else x


def known_result(found: Any) -> Any:
    """A known result, as an array that is staged if it is one."""
    if not isinstance(found, np.ndarray):
        return found
    return complex_of(found.real, found.imag) if found.dtype.kind == "c" else known(found)
