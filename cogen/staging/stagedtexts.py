"""Staged strings: strings of which only a run knows the characters.

    StagedText        a string: the codes of its characters, an array of ints
    StagedCharacter   a string of one character: its code

Programs have ints: where a string is passed, joined, carried or returned, its codes are
(`cogen.staging.valueparts` takes it apart).  A string that is made longer in a loop has room in its
array, and `length` says how many characters there are.  What strings do besides is in
`cogen.staging.textoperations`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from cogen.array.l0.types import INT
from cogen.staging.sourceplaces import fail, lacks
from cogen.staging.stagedarrays import METHODS, Array, View, as_array, known
from cogen.staging.stagedscalars import Scalar, Staged, scalar
from cogen.staging.tracer import current

TEXT_METHODS: Final[dict[str, Callable[..., Any]]] = {}
"""What strings do, by the names of the methods; set where it is."""

LAST_ASCII: Final = 127
"""The last code that ASCII has."""


class WideTextError(BaseException):
    """The function must be staged again, for characters beyond ASCII."""


class StagedString(Staged):
    """What strings have in common."""

    __slots__ = ()

    __index__ = __int__ = lacks("string is no number", "int(s) reads one, ord(c) is a code")
    __float__ = lacks("string is no number", "int(s) reads an int")
    __array_ufunc__ = __array_function__ = lacks(
        "string is no array", "the codes of its characters are: np.array([ord(c) for c in s])"
    )

    def __getitem__(self, index: Any) -> Any:
        return TEXT_METHODS["__getitem__"](self, index)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        method = TEXT_METHODS.get(name)
        if method is None:
            fail(f"staged strings have no `{name}`", "docs/staging.md lists what they have")
        return lambda *args, **options: method(self, *args, **options)


class StagedCharacter(StagedString):
    """A string of one character; of an array of codes, what stands for each in a loop over it."""

    __slots__ = ("code",)

    def __init__(self, code: Any) -> None:
        self.code: Any = code if isinstance(code, Array) else scalar(code)

    def __repr__(self) -> str:
        return "<staged character>"


class StagedText(StagedString):
    """A string: the codes of its characters in an array, which may have room for more."""

    __slots__ = ("array", "is_exact", "length")

    def __init__(self, array: Array, length: Any = None) -> None:
        if array.ndim != 1:
            fail("strings are no elements of an array", "return numbers, or characters")
        self.array = array
        self.is_exact = length is None
        self.length = array.size_of(0) if length is None else length

    def __repr__(self) -> str:
        return "<staged string>"

    def codes(self) -> Array:
        """The codes of the characters, in an array of just their number."""
        if self.is_exact:
            return self.array
        found: Array = self.array[: self.length].settled()
        found._dims = [self.length]
        return found


def _method(name: str) -> Callable[..., Any]:
    def method(self: StagedString, *args: Any) -> Any:
        return TEXT_METHODS[name](self, *args)

    method.__name__ = name
    return method


for _word in ("add", "radd", "mul", "rmul", "eq", "ne", "lt", "le", "gt", "ge", "iter"):
    setattr(StagedString, f"__{_word}__", _method(f"__{_word}__"))
StagedString.__hash__ = Staged.__hash__  # type: ignore[method-assign]  # comparisons took it away


def string_of(codes: Any, length: Any = None) -> StagedString:
    """The string of some codes: an array, or a number for one character."""
    if isinstance(codes, Array | np.ndarray):
        return StagedText(as_array(codes), length)
    return StagedCharacter(codes)


def is_text(x: Any) -> bool:
    """Whether a value is a string, staged or known."""
    return isinstance(x, StagedString | str)


def is_single(x: Any) -> bool:
    """Whether a value is certainly a string of one character."""
    return isinstance(x, StagedCharacter) or (isinstance(x, str) and len(x) == 1)


def code_of(x: Any) -> Scalar:
    """The code of a string of one character."""
    if isinstance(x, StagedCharacter):
        return scalar(x.code)
    note_wide(x)
    return scalar(ord(x))


def codes_of(x: Any) -> Array:
    """The codes of a string."""
    if isinstance(x, StagedText):
        return x.codes()
    if isinstance(x, StagedCharacter):
        return METHODS["array"]([x.code])  # type: ignore[no-any-return]  # an array
    note_wide(x)
    return known(np.array([ord(c) for c in x], np.int64))


def length_of(x: Any) -> Any:
    """How many characters a string has."""
    if isinstance(x, StagedText):
        return x.length
    return 1 if isinstance(x, StagedCharacter) else len(x)


def as_staged(x: Any) -> StagedString:
    """A string as a staged one."""
    if isinstance(x, StagedString):
        return x
    return StagedCharacter(code_of(x)) if len(x) == 1 else StagedText(codes_of(x))


def text_like(value: Any, other: Any) -> Any:
    """A value in the form of another one, which is a string: of one character, or of several."""
    if not is_text(value) or (isinstance(other, str) and isinstance(value, str) and value == other):
        return value
    if is_single(value) and is_single(other):
        return as_staged(value)
    if isinstance(value, StagedCharacter):
        return StagedText(_single(value), 1)
    return value if isinstance(value, StagedText) else StagedText(codes_of(value))


def _single(character: StagedCharacter) -> Array:
    """The code of a character in an array, which is made where it is asked for."""
    base = known(np.zeros(1, np.int64))
    return View(base, lambda: codes_of(character), None, INT, 1)


def note_wide(text: str | None) -> None:
    """Have the function staged for characters beyond ASCII, if these are such; None: some may."""
    attempts = current().attempts
    if not attempts.wide_text and (text is None or not text.isascii()):
        attempts.wide_text = True
        raise WideTextError
