"""Rows of the primitive table: equivalence, booleans, pairs, symbols, vectors, cells, records,
multiple values, globals, annotations.

Lists are built from pairs by the prelude (`lang/prelude.scm`), so that the specializer sees
through `append`, `map` and their like.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Sequence
from itertools import repeat
from typing import Any

from cogen.lang.datum import (
    NIL,
    UNDEFINED,
    UNSPECIFIED,
    Char,
    Datum,
    MutableString,
    Pair,
    Record,
    RecordType,
    Symbol,
    eqv,
    from_iterable,
    symbol,
)
from cogen.lang.governor import room
from cogen.lang.machine import Machine
from cogen.lang.primtable.row import (
    SIZE,
    Primitive,
    PrimitiveError,
    expected,
    need_index,
    need_size,
    row,
)
from cogen.lang.values import Cell, MultipleValues, Procedure

# Equivalence

_PATIENCE = 10_000
"""After so many comparisons `equal?` begins to look for cycles."""

COMPARISON = 64
"""The bytes that `equal?` takes for two elements that it has still to compare."""


def equal(a: Datum, b: Datum) -> bool:
    """`equal?`: the same structure with `eqv?` leaves; ends on circular data too."""
    work: list[tuple[Datum, Datum]] = [(a, b)]
    seen: set[tuple[int, int]] = set()
    steps = 0
    while work:
        a, b = work.pop()
        steps += 1
        if eqv(a, b):
            continue
        kind = type(a)
        if kind is MutableString or type(b) is MutableString:
            if text_of(a) is None or text_of(a) != text_of(b):
                return False
            continue
        if kind is not type(b):
            if _is_bytes(a) and _is_bytes(b) and bytes(a) == bytes(b):
                continue
            return False
        if kind is str or kind is bytes or kind is bytearray:
            if a != b:
                return False
            continue
        if steps > _PATIENCE and kind in (Pair, list):
            if (id(a), id(b)) in seen:
                continue
            seen.add((id(a), id(b)))
        if kind is Pair:
            work.append((a.cdr, b.cdr))
            work.append((a.car, b.car))
        elif kind is list and len(a) == len(b):
            room(len(a) * COMPARISON)
            work.extend(zip(a, b, strict=True))
        else:
            return False
    return True


def text_of(x: Datum) -> str | None:
    """The characters of a string."""
    if type(x) is MutableString:
        return x.content()
    return x if type(x) is str else None


def _is_bytes(x: Datum) -> bool:
    return isinstance(x, bytes | bytearray | memoryview)


_HASHED = 1000
"""The parts of a datum that `equal-hash` looks at, the first ones."""

_WORD = (1 << 64) - 1
_MULTIPLIER = 0x9E3779B97F4A7C15
_TAGGED = 16

_NAN = 0x7FF8000000000000


def equal_hash(x: Datum) -> int:
    """`equal-hash`: each part, with its kind in the low bits, is multiplied into what there is;
    texts and bytes by their CRC-32.  The native run time has the same (runtime/data.c)."""
    made, left = 0, _HASHED
    work = [x]
    while work and left > 0:
        x = work.pop()
        left -= 1
        kind = type(x)
        if kind is Pair:
            work.append(x.cdr)
            work.append(x.car)
        elif kind is list:
            work.extend(reversed(x[:left]))
        made = (made ^ _hashed_part(x)) * _MULTIPLIER & _WORD
        made ^= made >> 32
    return made >> 3


def _hashed_part(x: Datum) -> int:
    """The word of what a part is by itself."""
    if type(x) is MutableString:
        x = x.content()
    kind = type(x)
    if kind is int:
        return int(x * _TAGGED + 1) & _WORD
    if kind is str:
        return zlib.crc32(x.encode("utf-8", "surrogatepass")) * _TAGGED + 2
    if kind is Symbol:
        return zlib.crc32(x.name.encode("utf-8", "surrogatepass")) * _TAGGED + 3
    if kind is Pair:
        return 4
    if kind is list:
        return len(x) * _TAGGED + 5
    if kind is Char:
        return ord(x.value) * _TAGGED + 6
    if kind is float:
        bits = _NAN if x != x else struct.unpack("<Q", struct.pack("<d", x))[0]
        return (bits * _TAGGED + (bits >> 60) * (_TAGGED << 8) + 7) & _WORD
    if _is_bytes(x):
        return zlib.crc32(bytes(x)) * _TAGGED + 8
    if kind is bool or x is NIL:
        return (0 if x is NIL else 1 if x else 2) * _TAGGED + 9
    return 10


def _need_bool(name: str, x: Datum) -> bool:
    if type(x) is bool:
        return x
    raise expected(name, "a boolean", x)


def _boolean_equal(a: Datum, b: Datum) -> bool:
    return _need_bool("boolean=?", a) is _need_bool("boolean=?", b)


_EQUIVALENCE = (
    row("eq?", "any any", "bool", eqv, "The same as `eqv?`.", fails=""),
    row("eqv?", "any any", "bool", eqv,
        "The same object; numbers of one type and characters by value.", fails=""),
    row("equal?", "any any", "bool", equal, "The same structure with `eqv?` leaves.",
        effect="read", fails=""),
    row("equal-hash", "any", "int", equal_hash,
        "An integer that is the same for data that are `equal?`; not negative.",
        effect="read", fails="", interval=lambda a: (0, (1 << 61) - 1)),
    row("not", "any", "bool", lambda x: x is False, "Is x #f?", fails=""),
    row("boolean?", "any", "bool", lambda x: type(x) is bool, "Is x #t or #f?", fails=""),
    row("boolean=?", "bool bool", "bool", _boolean_equal, "Equal booleans.",
        c="{0} == {1}", fold="chain"),
    row("procedure?", "any", "bool", lambda x: isinstance(x, Procedure), "Is x a procedure?",
        fails=""),
)  # fmt: skip


# Pairs


def _need_pair(name: str, x: Datum) -> Pair:
    if type(x) is Pair:
        return x
    raise expected(name, "a pair", x)


def car(x: Datum) -> Datum:
    """`car`"""
    return _need_pair("car", x).car


def cdr(x: Datum) -> Datum:
    """`cdr`"""
    return _need_pair("cdr", x).cdr


def _set_car(x: Datum, value: Datum) -> Datum:
    _need_pair("set-car!", x).car = value
    return UNSPECIFIED


def _set_cdr(x: Datum, value: Datum) -> Datum:
    _need_pair("set-cdr!", x).cdr = value
    return UNSPECIFIED


_PAIRS = (
    row("cons", "any any", "pair", Pair, "A new pair.", effect="alloc", fails=""),
    row("car", "pair", "any", car, "The first half of a pair.", effect="read"),
    row("cdr", "pair", "any", cdr, "The second half of a pair.", effect="read"),
    row("set-car!", "pair any", "unspecified", _set_car, "Replace the first half of a pair.",
        effect="write"),
    row("set-cdr!", "pair any", "unspecified", _set_cdr, "Replace the second half of a pair.",
        effect="write"),
    row("pair?", "any", "bool", lambda x: type(x) is Pair, "Is x a pair?", fails=""),
    row("null?", "any", "bool", lambda x: x is NIL, "Is x the empty list?", fails=""),
)  # fmt: skip


def is_circular(x: Datum) -> bool:
    """Whether x is a circular list, or a list that leads into one.

    Brent, "An improved Monte Carlo factorization algorithm" (1980): one mark, which is moved ever
    less often.
    """
    steps = 64
    while True:
        mark = x
        for _ in repeat(None, steps):
            if type(x) is not Pair:
                return False
            x = x.cdr
            if x is mark:
                return True
        steps *= 2


def finite(name: str, x: Datum) -> Datum:
    """x, if it is no circular list; the error that the procedure of that name expects a list."""
    if is_circular(x):
        raise expected(name, "a list", x)
    return x


def some_finite(name: str, lists: Sequence[Datum]) -> None:
    """The same error if all lists are circular that the procedure goes through side by side."""
    if all(map(is_circular, lists)):
        raise expected(name, "a list", lists[0])


def _walked(name: Datum, x: Datum) -> Datum:
    finite(_need_string("%walked", name), x)
    return UNSPECIFIED


# Symbols


def _need_symbol(name: str, x: Datum) -> Symbol:
    if type(x) is Symbol:
        return x
    raise expected(name, "a symbol", x)


def _string_to_symbol(x: Datum) -> Symbol:
    if type(x) is str:
        return symbol(x)
    raise expected("string->symbol", "a string", x)


def _symbol_equal(a: Datum, b: Datum) -> bool:
    return _need_symbol("symbol=?", a) is _need_symbol("symbol=?", b)


_SYMBOLS = (
    row("symbol?", "any", "bool", lambda x: type(x) is Symbol, "Is x a symbol?", fails=""),
    row("symbol=?", "symbol symbol", "bool", _symbol_equal, "The same symbol.", fold="chain"),
    row("symbol->string", "symbol", "string", lambda x: _need_symbol("symbol->string", x).name,
        "The symbol's name."),
    row("string->symbol", "string", "symbol", _string_to_symbol, "The symbol of that name."),
)  # fmt: skip


# Vectors

MAX_VECTOR = 1 << 27
"""The largest number of elements that `make-vector` makes: a gigabyte."""

POINTER = 8
"""The bytes that an element of a vector takes."""


def need_vector(name: str, x: Datum) -> list[Datum]:
    """The argument if it is a vector."""
    if type(x) is list:
        return x
    raise expected(name, "a vector", x)


def _make_vector(size: Datum, fill: Datum = UNSPECIFIED) -> list[Datum]:
    count = need_size("make-vector", size, MAX_VECTOR)
    room(count * POINTER)
    return [fill] * count


def vector_ref(vector: Datum, index: Datum) -> Datum:
    """`vector-ref`"""
    items = need_vector("vector-ref", vector)
    return items[need_index("vector-ref", index, len(items))]


def vector_set(vector: Datum, index: Datum, value: Datum) -> Datum:
    """`vector-set!`"""
    items = need_vector("vector-set!", vector)
    items[need_index("vector-set!", index, len(items))] = value
    return UNSPECIFIED


_VECTORS = (
    row("vector?", "any", "bool", lambda x: type(x) is list, "Is x a vector?", fails=""),
    row("vector", "any", "vector", lambda *items: list(items), "A new vector of the arguments.",
        effect="alloc", fails="", arity=(0, None)),
    row("make-vector", "int any", "vector", _make_vector, "A new vector of that size.",
        effect="alloc", fails="type index", arity=(1, 2)),
    row("vector-length", "vector", "int", lambda x: len(need_vector("vector-length", x)),
        "The number of elements.", interval=lambda a: SIZE),
    row("vector-ref", "vector int", "any", vector_ref, "The element at an index, from 0.",
        effect="read", fails="type index"),
    row("vector-set!", "vector int any", "unspecified", vector_set,
        "Replace the element at an index.", effect="write", fails="type index"),
)  # fmt: skip


# Cells and globals


def _need_cell(name: str, x: Datum) -> Cell:
    if type(x) is Cell:
        return x
    raise expected(name, "a cell", x)


def _cell_ref(cell: Datum) -> Datum:
    return _need_cell("cell-ref", cell).value


def _cell_ref_check(cell: Datum, name: Datum) -> Datum:
    value = _need_cell("cell-ref/check", cell).value
    if value is UNDEFINED:
        variable = _need_symbol("cell-ref/check", name).name
        raise PrimitiveError("user", f"{variable} is used before its definition")
    return value


def _cell_set(cell: Datum, value: Datum) -> Datum:
    _need_cell("cell-set!", cell).value = value
    return UNSPECIFIED


def undefined_global(name: str) -> PrimitiveError:
    """The error of a global that is used before its definition was evaluated."""
    return PrimitiveError("user", f"{name} is used before its definition")


def _global_get(machine: Machine, name: Datum) -> Datum:
    variable = _need_symbol("global-get", name).name
    if variable not in machine.globals:
        raise undefined_global(variable)
    return machine.globals[variable]


def _global_set(machine: Machine, name: Datum, value: Datum) -> Datum:
    variable = _need_symbol("global-set!", name).name
    if variable not in machine.globals:
        raise undefined_global(variable)
    machine.globals[variable] = value
    return UNSPECIFIED


def _barrier_cell(content: Datum, *handlers: Datum) -> Cell:
    for handler in handlers:
        if not isinstance(handler, Procedure):
            raise expected("make-barrier-cell", "a procedure", handler)
    return Cell(content)


_CELLS = (
    row("make-cell", "any", "any", Cell, "A cell: what an assigned variable lives in.",
        effect="alloc", fails=""),
    row("cell-ref", "any", "any", _cell_ref, "The content of a cell.", effect="read"),
    row("cell-ref/check", "any symbol", "any", _cell_ref_check,
        "The content of a cell, an error if it has none yet; the symbol names the variable.",
        effect="read", fails="type user"),
    row("cell-set!", "any any", "unspecified", _cell_set, "Replace the content of a cell.",
        effect="write"),
    row("global-get", "symbol", "any", _global_get, "The value of an assigned global.",
        effect="read", fails="type user", context=True),
    row("global-set!", "symbol any", "unspecified", _global_set, "Assign a global.",
        effect="write", fails="type user", context=True),
)  # fmt: skip


# Records


def type_name(rtd: RecordType) -> str:
    """What messages call a record type: its name without the angle brackets."""
    name = rtd.name
    return name[1:-1] if name[:1] == "<" and name[-1:] == ">" and len(name) > 2 else name


def _need_type(name: str, x: Datum) -> RecordType:
    if isinstance(x, RecordType):
        return x
    raise expected(name, "a record type", x)


def _make_record(rtd: Datum, *values: Datum) -> Record:
    wanted = len(_need_type("make-record", rtd).fields)
    if len(values) != wanted:
        message = f"make-record: expected {wanted} field values, got {len(values)}"
        raise PrimitiveError("type", message)
    return Record(rtd, list(values))


def is_record(rtd: Datum, x: Datum) -> bool:
    """`record-is?`"""
    return type(x) is Record and x.type is rtd


def _field_of(name: str, suffix: str, rtd: Datum, index: Datum, x: Datum) -> tuple[Record, int]:
    """The record and the field's index; the error speaks as the accessor would."""
    record_type = _need_type(name, rtd)
    if type(index) is not int or not 0 <= index < len(record_type.fields):
        raise expected(name, "the index of a field", index)
    if type(x) is Record and x.type is rtd:
        return x, index
    shown = type_name(record_type)
    accessor = f"{shown}-{record_type.fields[index]}{suffix}"
    raise expected(accessor, f"a record of type {shown}", x)


def record_ref(rtd: Datum, index: Datum, x: Datum) -> Datum:
    """`record-ref`"""
    record, field = _field_of("record-ref", "", rtd, index, x)
    return record.values[field]


def _record_set(rtd: Datum, index: Datum, x: Datum, value: Datum) -> Datum:
    record, field = _field_of("record-set!", "-set!", rtd, index, x)
    record.values[field] = value
    return UNSPECIFIED


_RECORDS = (
    row("make-record", "any any", "record", _make_record,
        "(make-record rtd a ...): a new record; rtd is a constant.",
        effect="alloc", fails="type", arity=(1, None)),
    row("record-is?", "any any", "bool", is_record,
        "(record-is? rtd x): is x a record of that type?", fails=""),
    row("record-ref", "any int record", "any", record_ref,
        "(record-ref rtd i x): field i, from 0, of a record; rtd and i are constants.",
        effect="read"),
    row("record-set!", "any int record any", "unspecified", _record_set,
        "(record-set! rtd i x a): replace field i of a record; rtd and i are constants.",
        effect="write"),
)  # fmt: skip


# Multiple values, annotations


def _need_string(name: str, x: Datum) -> str:
    if type(x) is str:
        return x
    raise expected(name, "a string", x)


def values(*items: Datum) -> Datum:
    """`values`: a single value is itself."""
    return items[0] if len(items) == 1 else MultipleValues(items)


def values_to_list(x: Datum) -> Datum:
    """`values->list`"""
    return from_iterable(x.items) if type(x) is MultipleValues else Pair(x, NIL)


def _same(x: Datum) -> Datum:
    return x


_OTHERS = (
    row("values", "any", "any", values, "Several values as one; one value is itself.",
        fails="", arity=(0, None)),
    row("values->list", "any", "list", values_to_list, "The list of the values that x stands for.",
        effect="alloc", fails=""),
    row("values?", "any", "bool", lambda x: type(x) is MultipleValues,
        "Does x stand for no value or several?", fails=""),
    row("lift", "any", "any", _same, "x; tells the specializer to make it dynamic.", fails=""),
    row("%lift-value", "any", "any", _same,
        "x; tells the specializer to make a number, character, string or procedure dynamic.",
        fails=""),
    row("%lift-data", "any", "any", _same,
        "x; tells the specializer to make a number, character or string dynamic.", fails=""),
    row("%lift-made", "any", "any", _same,
        "x; tells the specializer to make a number, character, string, pair or record dynamic.",
        fails=""),
    row("%reveal", "any any", "any", lambda x, family: x,
        "x; tells the specializer that the program looks into a box of the family.", fails=""),
    row("early=", "any any", "bool", eqv,
        "Known to be equal; may be #f for equal values, a run answers `eqv?`.", fails=""),
    row("early-different?", "any any", "bool", lambda a, b: not eqv(a, b),
        "Known to be different; may be #f for different values, a run answers (not (eqv? a b)).",
        fails=""),
    row("known?", "any", "bool", lambda x: True,
        "Is the value known when the program is specialized?  In a run it is.", fails=""),
    row("known-size?", "any", "bool", lambda x: True,
        "Is it known, when the program is specialized, which parts the pair or vector x has, and "
        "does no residual code share it?  In a run it is.", fails=""),
    row("%constant-vector", "vector", "vector", lambda x: need_vector("%constant-vector", x),
        "The vector, which nothing will change any more: a constant if its elements are known."),
    row("%finite", "string any", "any", lambda name, x: finite(_need_string("%finite", name), x),
        "x, if it is no circular list; the string says who asks.", effect="read"),
    row("%circular?", "any", "bool", is_circular, "Is x a circular list?", effect="read",
        fails=""),
    row("%walked", "string any", "unspecified", _walked,
        "An error if x, which a search has gone through for long, is a circular list.",
        effect="write"),
    row("make-barrier-cell", "any procedure procedure", "any", _barrier_cell,
        "A cell; before anything could observe what it holds, the specializer calls the handler.",
        effect="alloc", arity=(2, 3)),
    row("%unspecified", "", "unspecified", lambda: UNSPECIFIED, "The unspecified value.",
        fails=""),
    row("%undefined", "", "any", lambda: UNDEFINED,
        "What a cell holds before its variable's definition.", fails=""),
)  # fmt: skip


def _control(name: str) -> Callable[..., Any]:
    def never(*_: Datum) -> Datum:
        raise PrimitiveError("type", f"{name}: a control primitive is called, not applied")

    return never


def _control_row(
    name: str, arguments: str, doc: str, arity: tuple[int, int | None] | None = None
) -> Primitive:
    return row(
        name, arguments, "any", _control(name), doc, effect="control", fails="type user",
        arity=arity,
    )  # fmt: skip


CONTROL_ROWS: tuple[Primitive, ...] = (
    _control_row("call/cc", "procedure", "(call/cc f): calls f with the continuation."),
    _control_row(
        "call-with-current-continuation", "procedure", "The same as `call/cc`."
    ),
    _control_row(
        "apply", "procedure any", "(apply f a ... l): calls f with a ... and the items of l.",
        (2, None),
    ),
    _control_row(
        "dcall", "procedure any", "(dcall f a ...): calls f; a memo point of the specializer.",
        (1, None),
    ),
    _control_row(
        "rcall", "procedure any",
        "(rcall f a ...): calls f, a procedure of the top level; the specializer leaves the call "
        "as it is, and f with it.",
        (1, None),
    ),
    _control_row(
        "with-exception-handler", "procedure procedure",
        "(with-exception-handler h f): calls f with no arguments; h is called with what is raised.",
    ),
    _control_row(
        "raise-continuable", "any", "Calls the handler; what it gives is the value.",
    ),
)  # fmt: skip

ROWS: tuple[Primitive, ...] = (
    *_EQUIVALENCE,
    *_PAIRS,
    *_SYMBOLS,
    *_VECTORS,
    *_CELLS,
    *_RECORDS,
    *_OTHERS,
)
