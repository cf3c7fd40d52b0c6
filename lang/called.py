"""What the caller of a procedure calls the buffers that it passes, for messages about them.

A buffer is called as the parameter that it is passed for, whatever it is called where an operation
refuses it.  A record with one buffer, such as a signal, passes just that; of several, each is
called as its field is.  What is not passed, but is the value of a global of the program, or of a
field of such a record, is called as that.  Buffers that are known ahead are constants of residual
programs, and keep the names that they had (`il.Program.named`); in programs that write bytes each
call begins with copies of them, made by `%copy-called`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat

from cogen.lang import il
from cogen.lang.chain import Call
from cogen.lang.datum import Datum, Record
from cogen.lang.errors import CogenError, Span
from cogen.lang.ilutil import base_name
from cogen.lang.othernames import hint_at
from cogen.lang.prelude import in_prelude
from cogen.lang.primtable.memory import bytes_of

EMPTY = "in an empty object"
"""How a message says that an index of something empty is refused."""


def told_with(message: str, name: str | None) -> str:
    """The message of an index error, with the buffer's name if it has one."""
    if name is None:
        return message
    if message.endswith(EMPTY):
        return f"{message.removesuffix(EMPTY)}in {name}, which is empty"
    return f"{message} of {name}"


def failure_of(
    message: str,
    buffer: str | None,
    span: Span | None,
    calls: Iterable[Call],
    otherwise: Span | None = None,
) -> CogenError:
    """The error of a run, in all ways: what a primitive says, of the buffer that it is about, where
    and by way of which calls; `otherwise` is the place if none of them is outside of the language's
    own text."""
    failure = CogenError(told_with(message, buffer), span, calls=calls)
    if otherwise is not None and in_prelude(failure.span):
        failure.reached(otherwise, ())
    failure.hint = hint_at(failure.message, failure.span)
    return failure


Named = tuple[Datum, str]
"""A buffer, and what it is called."""


def name_of(buffer: Datum, *named: Iterable[Named]) -> str | None:
    """What a buffer is called, by the first that names it; None if nothing does."""
    if buffer is None:
        return None
    return next((name for found, name in chain(*named) if found is buffer), None)


def passed(function: il.Function | None, arguments: Sequence[Datum]) -> Iterator[Named]:
    """What the caller of a procedure calls its arguments."""
    if function is None:
        return
    rest = repeat(function.rest, len(arguments)) if function.rest is not None else ()
    for parameter, argument in zip(chain(function.parameters, rest), arguments, strict=False):
        yield from buffers(base_name(parameter), argument)


def own_values(program: il.Program) -> Iterator[str]:
    """The globals of the program itself, no library's, that are no procedures by definition."""
    own = program.own_globals
    for item in program.items:
        if isinstance(item, il.Value) and (not own or item.name in own):
            yield item.name


def of_globals(program: il.Program, values: Mapping[str, Datum]) -> Iterator[Named]:
    """What the values of the program's globals are called."""
    for name in own_values(program):
        if name in values:
            yield from buffers(name, values[name])


def buffers(parameter: str, argument: Datum) -> Iterator[Named]:
    """An argument, or the fields of a record, and what they are called if they are buffers."""
    if not isinstance(argument, Record):
        yield argument, parameter
        return
    fields = [value for value in argument.values if bytes_of(value) is not None]
    for name, value in zip(argument.type.fields, argument.values, strict=True):
        yield value, parameter if len(fields) == 1 else name
