"""Words of buffers in C: their types, and the functions that read and write those of odd sizes."""

from __future__ import annotations

from cogen.backends.ctree.literals import small
from cogen.backends.ctree.tree import (
    CAssign,
    CBinary,
    CCast,
    CDeclare,
    CField,
    CFor,
    CFunction,
    CIf,
    CIndex,
    CReturn,
    CTypedef,
    CVariable,
    Expr,
    Item,
)
from cogen.backends.ctree.types import (
    DOUBLE,
    I64,
    INT,
    U8,
    U32,
    U64,
    VOID,
    CBasic,
    CConst,
    CPointer,
    Type,
)
from cogen.backends.kernel.literals import Table, interval_of_table, type_of_table
from cogen.backends.structures import BYTE, SharedMember, SharedStructure

NATIVE = (8, 16, 32, 64)
"""Sizes of words that C has integers of."""


def word_name(word_size: int) -> str:
    """The name of the type that buffers are made of."""
    return f"word{word_size}"


def word_type(word_size: int) -> CBasic:
    """The type that buffers are made of."""
    return CBasic(word_name(word_size))


def cell_type(table: Table) -> CBasic:
    """The smallest type that has the elements of a table."""
    if type_of_table(table) == "float":
        return DOUBLE
    low, high = interval_of_table(table)
    for bits in NATIVE:
        for sign, least in (("u", 0), ("", -(1 << bits - 1))):
            if least <= low and high < least + (1 << bits):
                return CBasic(f"{sign}int{bits}_t")
    return I64


def word_items(word_size: int, loads: bool, stores: bool) -> list[Item]:
    """The type of words, which may lie at any address, and how odd sizes are read and written."""
    name = word_name(word_size)
    if word_size in NATIVE:
        own = I64 if word_size == 64 else CBasic(f"uint{word_size}_t")
        return [CTypedef(own, name, "aligned(1), may_alias")]
    made: list[Item] = [SharedStructure(name, (SharedMember(BYTE, "byte", word_size // 8),))]
    if loads:
        made.append(_load(word_size))
    if stores:
        made.append(_store(word_size))
    return made


def _byte(word: Expr, number: int) -> Expr:
    return CIndex(CField(word, "byte", CPointer(U8)), small(number))


def _load(word_size: int) -> CFunction:
    """The word at an address as a number."""
    raw, result = (U32, U32) if word_size == 24 else (U64, I64)
    word = CVariable("word", CPointer(CConst(word_type(word_size))))
    value: Expr = CCast(raw, _byte(word, 0))
    for number in range(1, word_size // 8):
        value = CBinary(
            "|", value, CBinary("<<", CCast(raw, _byte(word, number)), small(8 * number))
        )
    if raw != result:
        value = CCast(result, value)
    return _inline(result, f"load_{word_name(word_size)}", (word,), CReturn(value))


def _store(word_size: int) -> CFunction:
    """Put the low bits of a number at an address."""
    word = CVariable("word", CPointer(word_type(word_size)))
    value = CVariable("value", I64)
    stores = []
    for number in range(word_size // 8):
        moved = CBinary(">>", value, small(8 * number)) if number else value
        stores.append(CAssign(_byte(word, number), CCast(U8, moved)))
    return _inline(VOID, f"store_{word_name(word_size)}", (word, value), *stores)


def cut_function(word_size: int) -> CFunction:
    """The function that clears what was stored to bytes that the caller's buffer does not have.

    The word after the last one is the mask of the last one.
    """
    buffer = CVariable("buffer", CPointer(word_type(word_size)))
    index, words = CVariable("index", I64), CVariable("words", I64)
    byte, i = CVariable("byte", CPointer(U8)), CVariable("i", INT)
    size = small(word_size // 8)
    first = CDeclare(INT, i.name, small(0))
    clear = CAssign(CIndex(byte, i), CIndex(byte, CBinary("+", i, size)), "&=")
    inner = (
        CDeclare(CConst(byte.type), byte.name, CCast(byte.type, CBinary("+", buffer, index))),
        CFor(first, CBinary("<", i, size), CAssign(i, small(1), "+="), (clear,)),
    )  # fmt: skip
    return _inline(
        VOID, "cogen_cut", (buffer, index, words),
        CIf(CBinary("==", index, CBinary("-", words, small(1))), inner),
        comment="Clear the last word's bytes that do not exist; the word after it is their mask.",
    )  # fmt: skip


def _inline(
    result: Type, name: str, parameters: tuple[CVariable, ...], *body: CAssign | CIf | CReturn,
    comment: str = "",
) -> CFunction:  # fmt: skip
    return CFunction(result, name, parameters, body, comment, qualifiers="static inline")
