"""How C does the operations of the primitive table.

    CONDITIONS   operations that give a truth value, as a C expression
    TESTS        the same by a macro that sets a C truth value {r}
    VALUES       operations by a macro that sets {r}
    EFFECTS      operations for their effect
    others       a call of `op_NAME` of the run time (cogen/native/runtime)

{0}, {1} ... are the arguments, {s} is the site; macros are in runtime/inline.h.
"""

from __future__ import annotations

from typing import Final

CONDITIONS: Final[dict[str, str]] = {
    "not": "{0} == FALSE",
    "boolean?": "({0} == TRUE || {0} == FALSE)",
    "procedure?": "IS_CLOSURE({0})",
    "pair?": "IS_PAIR({0})",
    "null?": "{0} == NIL",
    "symbol?": "IS_KIND({0}, SYMBOL)",
    "vector?": "IS_VECTOR({0})",
    "string?": "IS_STRING({0})",
    "char?": "IS_CHARACTER({0})",
    "bytevector?": "IS_BYTES({0})",
    "exact-integer?": "IS_INTEGER({0})",
    "eof-object?": "{0} == END_OF_FILE",
    "known?": "true",
    "known-size?": "true",
    "record-is?": "IS_RECORD({1}, {0})",
    "values?": "IS_KIND({0}, VALUES)",
    "error-object?": "IS_KIND({0}, CONDITION)",
}

_ORDER: Final = {"=": "==", "<": "<", ">": ">", "<=": "<=", ">=": ">="}
_ORDER_NAMES: Final = {"=": "eq", "<": "lt", ">": "gt", "<=": "lteq", ">=": "gteq"}

TESTS: Final[dict[str, str]] = {
    **{
        op: f"LESS({{r}}, {{0}}, {sign}, {{1}}, op_{_ORDER_NAMES[op]}, {{s}});"
        for op, sign in _ORDER.items()
    },
    **{
        f"char{op}?": f"CHARS({{r}}, {{0}}, {sign}, {{1}}, op_char{_ORDER_NAMES[op]}_p, {{s}});"
        for op, sign in _ORDER.items()
    },
    "zero?": "SIGN({r}, {0}, ==, op_zero_p, {s});",
    "positive?": "SIGN({r}, {0}, >, op_positive_p, {s});",
    "negative?": "SIGN({r}, {0}, <, op_negative_p, {s});",
    "even?": "PARITY({r}, {0}, 0, op_even_p, {s});",
    "odd?": "PARITY({r}, {0}, 1, op_odd_p, {s});",
}

VALUES: Final[dict[str, str]] = {
    "+": "ADD({r}, {0}, {1}, {s});",
    "-": "SUB({r}, {0}, {1}, {s});",
    "*": "MUL({r}, {0}, {1}, {s});",
    "/": "DIVIDE({r}, {0}, {1}, {s});",
    "quotient": "QUOTIENT({r}, {0}, {1}, op_quotient, {s});",
    "truncate-quotient": "QUOTIENT({r}, {0}, {1}, op_truncate_quotient, {s});",
    "remainder": "REMAINDER({r}, {0}, {1}, op_remainder, {s});",
    "truncate-remainder": "REMAINDER({r}, {0}, {1}, op_truncate_remainder, {s});",
    "floor-quotient": "FLOOR_QUOTIENT({r}, {0}, {1}, op_floor_quotient, {s});",
    "modulo": "FLOOR_REMAINDER({r}, {0}, {1}, op_modulo, {s});",
    "floor-remainder": "FLOOR_REMAINDER({r}, {0}, {1}, op_floor_remainder, {s});",
    "bitwise-and": "BITS({r}, {0}, &, {1}, op_bitwise_and, {s});",
    "bitwise-ior": "BITS({r}, {0}, |, {1}, op_bitwise_ior, {s});",
    "bitwise-xor": "BITS({r}, {0}, ^, {1}, op_bitwise_xor, {s});",
    "car": "READ_CAR({r}, {0}, {s});",
    "cdr": "READ_CDR({r}, {0}, {s});",
    "vector-ref": "VECTOR_REF({r}, {0}, {1}, {s});",
    "vector-length": "LENGTH_OF({r}, {0}, IS_VECTOR, LENGTH, op_vector_length, {s});",
    "string-length": "LENGTH_OF({r}, {0}, IS_STRING, COUNT, op_string_length, {s});",
    "string-ref": "STRING_REF({r}, {0}, {1}, {s});",
    "%string-ref": "STRING_REF({r}, {0}, {1}, {s});",
    "bytevector-u8-ref": "BYTE_REF({r}, {0}, {1}, {s});",
    "bytevector-length": "LENGTH_OF({r}, {0}, IS_BYTES, COUNT, op_bytevector_length, {s});",
    "cell-ref": "CELL_REF({r}, {0}, {s});",
    "lift": "{r} = {0};",
    "%lift-value": "{r} = {0};",
    "%lift-data": "{r} = {0};",
    "%lift-made": "{r} = {0};",
    "%finite": "FINITE({r}, {0}, {1}, {s});",
    "%walked": "WALKED({r}, {0}, {1}, {s});",
    "%unspecified": "{r} = UNSPECIFIED;",
    "%undefined": "{r} = UNDEFINED;",
    "eof-object": "{r} = END_OF_FILE;",
}

MAKING_NOTHING: Final = frozenset(
    {
        *(
            "car",
            "cdr",
            "vector-ref",
            "vector-length",
            "string-length",
            "string-ref",
            "%string-ref",
        ),
        *("bytevector-u8-ref", "bytevector-length", "cell-ref", "lift", "%lift-value"),
        *("%lift-data", "%lift-made", "%finite", "%walked", "%unspecified", "%undefined"),
        "eof-object",
    }
)
"""Those of them that make no object, also where a macro leaves it to the run time."""

EFFECTS: Final[dict[str, str]] = {
    "set-car!": "PUT_CAR({0}, {1}, {s});",
    "set-cdr!": "PUT_CDR({0}, {1}, {s});",
    "vector-set!": "VECTOR_SET({0}, {1}, {2}, {s});",
    "bytevector-u8-set!": "BYTE_SET({0}, {1}, {2}, {s});",
    "string-set!": "STRING_SET({0}, {1}, {2}, {s});",
    "cell-set!": "CELL_SET({0}, {1}, {s});",
}

FLOAT_OPERATIONS: Final = frozenset(["+", "-", "*", "/"])
"""Operations that make floats in line, in programs that have floats."""

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


def operation_type(op: str, arity: tuple[int, int | None]) -> str:
    """The declaration of the C function of an operation."""
    most = arity[1]
    if most is None:
        return f"word {operation_name(op)}(RT, long, const word *);"
    return f"word {operation_name(op)}({', '.join(['RT', *['word'] * most])});"


def control_name(name: str) -> str:
    """The C function of a control primitive."""
    if name == "call-with-current-continuation":
        name = "call/cc"
    return "control_" + name.replace("/", "_").replace("-", "_")
