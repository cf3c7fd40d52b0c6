"""Python values <-> data of the language.

    int float bool str          themselves
    bytes                       bytevector
    list                        proper list
    tuple                       vector
    Symbol, from `symbol("a")`  symbol
    None                        the unspecified value
    Datum                       what Python has no value for: (a . b), #\\a, records, procedures

Results come back the same way, so `from_datum(to_datum(x)) == x`.  Several values (of
`values`) come back as a tuple.  These may be given too:

    a scalar of NumPy's         the bool, int, float or str that it is exactly
    a buffer of bytes           bytevector: an array of uint8 as well
    an array of NumPy's         a vector of its elements (bools, ints, floats), or of its rows
    sexpdata's objects          what they write; `to_sexpdata` gives them back

Nothing else is taken, instances of subclasses neither: they may mean more than their value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from cogen.boundary import public
from cogen.buffers import is_buffer
from cogen.expected import shown
from cogen.lang import datum as data
from cogen.lang.datum import (
    INT_MAX,
    INT_MIN,
    NIL,
    UNSPECIFIED,
    MutableString,
    Pair,
    Record,
    Symbol,
    from_iterable,
)
from cogen.lang.errors import CogenError
from cogen.lang.printer import cycle_heads, write_datum
from cogen.lang.reader import read_datum
from cogen.lang.shown import brief
from cogen.lang.values import MultipleValues
from cogen.plaindata import (
    array_parts,
    bytes_of,
    dotted,
    is_array,
    is_numpy,
    is_scalar,
    no_datum,
    plain,
)


@public
def symbol(name: str) -> Symbol:
    """The symbol of that name, always the same object."""
    if not isinstance(name, str):
        raise CogenError(f"a symbol's name must be a string, not {shown(name)}")
    return data.symbol(str(_atom(name)))


MOST: Final = 60
"""Characters of a datum that `repr` shows."""


class Datum:
    """A datum that no Python value stands for; `repr` shows it, `==` compares its text."""

    __slots__ = ("is_circular", "value")

    def __init__(self, value: data.Datum, is_circular: bool = False) -> None:
        self.value = value
        self.is_circular = is_circular

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Datum):
            return NotImplemented
        return self.value is other.value or str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        return write_datum(self.value)

    def __repr__(self) -> str:
        text = str(self)
        return f"cogen.datum({text!r})" if len(text) <= MOST else f"<datum {brief(text, MOST)}>"


@public
def datum(text: str) -> Any:
    """The datum that the text writes, as a Python value: `datum("(1 a)")` is `[1, symbol("a")]`."""
    if not isinstance(text, str):
        raise CogenError(
            f"the text of a datum must be a string, not {shown(text)}",
            hint="cogen.static takes Python values as they are",
        )
    return from_datum(read_datum(text))


def to_datum(value: object) -> data.Datum:
    """The datum that a Python value stands for, a copy where it is mutable.

    CogenError for a value that stands for none, integers out of range and circular lists.
    """
    return value if isinstance(value, Symbol) else _walk(value, _take_python)


def datum_to_sexpdata(value: data.Datum) -> Any:
    """The objects of sexpdata that write a datum (see `cogen.to_sexpdata`)."""
    from cogen.sexp import take_datum

    if isinstance(value, Pair | list | Record) and cycle_heads(value):
        raise CogenError("circular data are no objects of sexpdata")
    return _walk(value, take_datum)


def to_argument(value: object) -> data.Datum:
    """The same for an argument of a call: a buffer is passed on as it is, not copied."""
    value = plain(value)
    if not isinstance(value, str) and is_buffer(value) and not is_scalar(value):
        return value
    return to_datum(value)


def from_datum(value: data.Datum) -> Any:
    """The Python value that stands for a datum; circular data come back as a `Datum`."""
    if type(value) in (int, float, bool, str):
        return value
    if isinstance(value, Pair | list | Record) and cycle_heads(value):
        return Datum(value, is_circular=True)
    return _walk(value, _take_datum)


def holds_circular(values: Sequence[object]) -> bool:
    """Whether there are circular data among Python values that stand for data."""
    work: list[Sequence[Any]] = [values]
    while work:
        for value in work.pop():
            kind = type(value)
            if kind is list or kind is tuple:
                work.append(value)
            elif kind is Datum and value.is_circular:
                return True
    return False


_Build = Callable[[list[Any]], Any]
_Open = Callable[[Any], tuple[Sequence[Any], _Build]]
"""Takes a value apart: its parts, and how to make its conversion from theirs."""


def _walk(root: Any, take_apart: _Open) -> Any:
    """The conversion of a value, from its leaves up, without recursion."""
    results: list[Any] = []
    inside: set[int] = set()
    work: list[tuple[Any, int, _Build | None]] = [(root, 0, None)]
    while work:
        value, count, build = work.pop()
        if build is not None:
            inside.discard(id(value))
            converted = results[len(results) - count :]
            del results[len(results) - count :]
            results.append(build(converted))
            continue
        parts, build = take_apart(value)
        if not parts:
            results.append(build([]))
            continue
        if id(value) in inside:
            raise CogenError(f"a {type(value).__name__} that contains itself is no datum")
        inside.add(id(value))
        work.append((value, len(parts), build))
        work.extend((part, 0, None) for part in reversed(parts))
    return results.pop()


def _take_python(value: Any) -> tuple[Sequence[Any], _Build]:
    value = plain(value)
    if type(value) is list:
        if dotted(value):
            return [*value[:-2], value[-1]], lambda items: from_iterable(items[:-1], items[-1])
        return value, from_iterable
    if type(value) is tuple:
        return value, list
    if type(value).__module__ == "sexpdata":
        from cogen.sexp import take_apart

        return take_apart(value)
    if is_array(value):
        return array_parts(value)
    return (), lambda _: _atom(value)


def _take_datum(value: data.Datum) -> tuple[Sequence[Any], _Build]:
    if isinstance(value, Pair):
        items = []
        rest: data.Datum = value
        while isinstance(rest, Pair):
            items.append(rest.car)
            rest = rest.cdr
        return (items, list) if rest is NIL else ((), lambda _: Datum(value))
    if type(value) is list:
        return value, tuple
    if isinstance(value, MultipleValues):
        return value.items, tuple
    if type(value) is MutableString:
        return (), lambda _: value.content()
    return (), lambda _: _python_atom(value)


def _atom(value: Any) -> data.Datum:
    kind = type(value)
    if kind is bool or kind is float:
        return value
    if kind is int:
        if not INT_MIN <= value <= INT_MAX:
            raise CogenError("integer out of range: integers lie in [-2^63, 2^63)")
        return value
    if kind is str:
        if any("\ud800" <= c < "\ue000" for c in value):
            raise CogenError("a string with a lone surrogate is no datum")
        return value
    if kind is Datum:
        return value.value
    if isinstance(value, Symbol):
        return value
    if value is None:
        return UNSPECIFIED
    if is_buffer(value) and not is_numpy(value):
        return bytes_of(value)
    raise no_datum(value)


def _python_atom(value: data.Datum) -> Any:
    if type(value) in (int, float, bool, str) or isinstance(value, Symbol):
        return value
    if value is UNSPECIFIED:
        return None
    if value is NIL:
        return []
    return bytes(value) if is_buffer(value) else Datum(value)
