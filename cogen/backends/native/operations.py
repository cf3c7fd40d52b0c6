"""How C does the operations of the primitive table.

    CONDITIONS   operations that give a truth value: templates of C expressions
    TESTS        the same by a macro that sets a C truth value
    VALUES       operations by a macro that sets a word, with as many operands as they may have
    EFFECTS      operations for their effect, by a macro
    COPIES       operations that give one of their operands; WORDS, those that give a known word
    others       a call of `op_NAME` of the run time (cogen/backends/native/runtime)

A macro takes the variable that it sets, if there is one, the operands and the site; they are in
runtime/inline.h.
"""

from __future__ import annotations

from typing import Final

from cogen.backends.ctree.tree import CFunction, CPrototype, CVariable
from cogen.backends.ctree.types import LONG, CConst, CPointer
from cogen.backends.native.vocabulary import RUNTIME, WORD, word_variable
from cogen.lang import il
from cogen.lang.datum import RecordType
from cogen.lang.prims import BITWISE

CONDITIONS: Final[dict[str, str]] = {
    "not": "{0} == FALSE",
    "boolean?": "{0} == TRUE || {0} == FALSE",
    "procedure?": "IS_CLOSURE({0})",
    "pair?": "IS_PAIR({0})",
    "null?": "{0} == NIL",
    "symbol?": "IS_KIND({0}, SYMBOL)",
    "vector?": "IS_VECTOR({0})",
    "string?": "IS_STRING({0})",
    "char?": "IS_CHARACTER({0})",
    "bytevector?": "IS_BYTES({0})",
    "exact-integer?": "IS_INTEGER({0})",
    **dict.fromkeys(("number?", "complex?", "real?"), "IS_NUMBER({0})"),
    "eof-object?": "{0} == END_OF_FILE",
    "known?": "true",
    "known-size?": "true",
    "record-is?": "IS_RECORD({1}, {0})",
    "values?": "IS_KIND({0}, VALUES)",
    "error-object?": "IS_KIND({0}, CONDITION)",
}

_ORDER: Final = {"=": "EQ", "<": "LT", ">": "GT", "<=": "LTEQ", ">=": "GTEQ"}

TESTS: Final[dict[str, str]] = {
    **{op: f"NUMBERS_{name}" for op, name in _ORDER.items()},
    **{f"char{op}?": f"CHARS_{name}" for op, name in _ORDER.items()},
    "zero?": "ZERO", "positive?": "POSITIVE", "negative?": "NEGATIVE",
    "even?": "EVEN", "odd?": "ODD", "equal?": "EQUAL",
    "char-alphabetic?": "CHAR_ALPHABETIC", "char-numeric?": "CHAR_NUMERIC",
    "char-whitespace?": "CHAR_WHITESPACE", "char-upper-case?": "CHAR_UPPER",
    "char-lower-case?": "CHAR_LOWER",
}  # fmt: skip

VALUES: Final[dict[str, str]] = {
    "+": "ADD", "-": "SUB", "*": "MUL", "/": "DIVIDE",
    "quotient": "PLAIN_QUOTIENT", "truncate-quotient": "TRUNCATE_QUOTIENT",
    "remainder": "PLAIN_REMAINDER", "truncate-remainder": "TRUNCATE_REMAINDER",
    "floor-quotient": "DOWN_QUOTIENT", "modulo": "MODULO", "floor-remainder": "DOWN_REMAINDER",
    **{op: op.replace("bitwise-", "BITS_").upper() for op in BITWISE},
    "car": "READ_CAR", "cdr": "READ_CDR",
    "vector-ref": "VECTOR_REF", "vector-length": "VECTOR_LENGTH",
    "string-length": "STRING_LENGTH", "string-ref": "STRING_REF", "%string-ref": "STRING_REF",
    "bytevector-u8-ref": "BYTE_REF", "bytevector-length": "BYTES_LENGTH",
    "cell-ref": "CELL_REF",
    "%finite": "FINITE", "%walked": "WALKED",
    "read-char": "READ_CHAR", "peek-char": "PEEK_CHAR", "write-char": "WRITE_CHAR",
    "char->integer": "CHAR_CODE", "char-upcase": "CHAR_UPCASE", "char-downcase": "CHAR_DOWNCASE",
}  # fmt: skip

_LIFTING: Final = frozenset(
    ["lift", "%lift-any", "%lift-value", "%lift-data", "%lift-made", "%lift-numbers", "%lift-code"]
)
COPIES: Final = _LIFTING | {
    "%reveal",
    "%reveal-among",
    "%boxed",
    "%unboxed",
    "%rebound",
    "%point",
    "%one-of",
}

WORDS: Final = {
    "%unspecified": "UNSPECIFIED", "%undefined": "UNDEFINED", "eof-object": "END_OF_FILE",
}  # fmt: skip

MAKING_NOTHING: Final = frozenset([
    "car", "cdr", "vector-ref", "vector-length", "string-length", "string-ref", "%string-ref",
    "bytevector-u8-ref", "bytevector-length", "cell-ref", "%finite", "%walked", *COPIES, *WORDS,
    "char->integer", "char-upcase", "char-downcase",
])  # fmt: skip
"""Those of them that make no object, also where a macro leaves it to the run time."""

EFFECTS: Final[dict[str, str]] = {
    "set-car!": "PUT_CAR", "set-cdr!": "PUT_CDR", "vector-set!": "VECTOR_SET",
    "bytevector-u8-set!": "BYTE_SET", "string-set!": "STRING_SET", "cell-set!": "CELL_SET",
}  # fmt: skip

FLOAT_OPERATIONS: Final = frozenset(["+", "-", "*", "/"])
"""Operations that make floats in line, in programs that have floats."""

NEW_STRINGS: Final = frozenset([
    "string", "make-string", "string-append", "list->string", "vector->string", "number->string",
    "substring", "string-copy",
])  # fmt: skip
"""Operations that make a string that nobody else has, but for those in `PARTS`."""

PARTS: Final = frozenset(["substring", "string-copy"])
"""Those that may give their first operand, where all of it is wanted."""

MAX_INLINE_ITEMS: Final = 100
"""Longer vectors, records and closures are made by the run time."""

MAX_FILLED: Final = 16
"""Longer vectors of one item are, too."""

_SIGNS: Final = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "div",
}


def operation_name(op: str) -> str:
    """The C function of an operation."""
    if op in _SIGNS:
        return f"op_{_SIGNS[op]}"
    name = op.replace("->", "_to_")
    for sign, word in (
        ("%", "pct_"), ("-", "_"), ("?", "_p"), ("!", "_x"), ("/", "_over_"),
        ("<", "lt"), (">", "gt"), ("=", "eq"),
    ):  # fmt: skip
        name = name.replace(sign, word)
    return f"op_{name}"


def operation_type(op: str, arity: tuple[int, int | None]) -> CPrototype:
    """The declaration of the C function of an operation."""
    most = arity[1]
    taken = [CVariable("count", LONG), CVariable("words", CPointer(CConst(WORD)))]
    if most is not None:
        taken = [word_variable(f"a{number}") for number in range(most)]
    return CPrototype(CFunction(WORD, operation_name(op), (RUNTIME, *taken), ()))


def control_name(name: str) -> str:
    """The C function of a control primitive."""
    if name == "call-with-current-continuation":
        name = "call/cc"
    return "control_" + name.replace("/", "_").replace("-", "_")


def small_size(atom: il.Atom) -> int:
    """A known number of items that are made in line; 0 for no or too many."""
    size = atom.value if isinstance(atom, il.Const) else None
    return size if type(size) is int and 0 < size <= MAX_FILLED else 0


def allocates_in_line(let: il.Let) -> bool:
    """Is an operation an allocation that is done in line?"""
    if len(let.arguments) > MAX_INLINE_ITEMS:
        return False
    if let.op == "make-vector":
        return small_size(let.arguments[0]) > 0
    if let.op == "make-record":
        return _is_type(let.arguments[0], len(let.arguments) - 1)
    return let.op in ("cons", "make-cell", "vector")


def accesses_in_line(let: il.Let) -> bool:
    """Is an operation an access to a record that is done in line?"""
    if let.op not in ("record-ref", "record-set!"):
        return False
    index = let.arguments[1]
    return isinstance(index, il.Const) and _has_field(let.arguments[0], index.value)


def _is_type(atom: il.Atom, fields: int) -> bool:
    return (
        isinstance(atom, il.Const)
        and isinstance(atom.value, RecordType)
        and len(atom.value.fields) == fields
    )


def _has_field(atom: il.Atom, index: object) -> bool:
    if not isinstance(atom, il.Const) or not isinstance(atom.value, RecordType):
        return False
    return type(index) is int and 0 <= index < len(atom.value.fields)
