"""What the caller of a procedure calls the buffers that it passes, for messages about them.

A buffer is called as the parameter that it is passed for, whatever it is called where an operation
refuses it.  A record with one buffer, such as a signal, passes just that; of several, each is
called as its field is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, repeat

from lang import il
from lang.datum import Datum, Record
from lang.ilutil import base_name
from lang.primtable.memory import bytes_of

EMPTY = "in an empty object"
"""How a message says that an index of something empty is refused."""


def told_with(message: str, name: str | None) -> str:
    """The message of an index error, with the buffer's name if it has one."""
    if name is None:
        return message
    if message.endswith(EMPTY):
        return f"{message.removesuffix(EMPTY)}in {name}, which is empty"
    return f"{message} of {name}"


def name_of(buffer: object, function: il.Function | None, arguments: Sequence[Datum]) -> str | None:
    """What the caller of a procedure calls a buffer; None for one that is no argument."""
    if function is None or buffer is None:
        return None
    rest = repeat(function.rest, len(arguments)) if function.rest is not None else ()
    for parameter, argument in zip(chain(function.parameters, rest), arguments, strict=False):
        for found, name in buffers(base_name(parameter), argument):
            if found is buffer:
                return name
    return None


def buffers(parameter: str, argument: Datum) -> Iterator[tuple[Datum, str]]:
    """An argument, or the fields of a record, and what they are called if they are buffers."""
    if not isinstance(argument, Record):
        yield argument, parameter
        return
    fields = [value for value in argument.values if bytes_of(value) is not None]
    for name, value in zip(argument.type.fields, argument.values, strict=True):
        yield value, parameter if len(fields) == 1 else name
