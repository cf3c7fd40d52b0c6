"""Rows of the primitive table: ports of characters, errors.

What is written and read goes to and comes from the machine's current ports unless a port is given.
"""

from __future__ import annotations

import select
from collections.abc import Callable
from itertools import count
from typing import Final, TypeVar

from cogen.lang.datum import EOF, UNSPECIFIED, Char, Datum, from_iterable
from cogen.lang.errors import CogenError, Source
from cogen.lang.machine import Machine
from cogen.lang.primtable.checks import (
    PrimitiveError,
    RaisedError,
    expected,
    need_index,
    need_int,
    need_range,
)
from cogen.lang.primtable.equivalence import text_of
from cogen.lang.primtable.row import PrimitiveRow, row
from cogen.lang.primtable.text import need_char, need_string
from cogen.lang.printer import display_datum, write_datum, write_shared
from cogen.lang.readnext import read_folding
from cogen.lang.syntax import to_datum
from cogen.lang.values import ByteInputPort, ByteOutputPort, Condition, InputPort, OutputPort

PARAMETERS: Final = ("current-input-port", "current-output-port", "current-error-port")
"""The procedures that `parameterize` takes as parameters, by the number of their port."""

LINE_BY_LINE: Final = 64
"""So many lines of a datum are read one by one; further ones are so many that each time there is
twice as much."""

Port = InputPort | OutputPort | ByteInputPort | ByteOutputPort
P = TypeVar("P", InputPort, OutputPort, ByteInputPort, ByteOutputPort)
_INPUTS: Final = (InputPort, ByteInputPort)
_OUTPUTS: Final = (OutputPort, ByteOutputPort)

# Output


def _out(machine: Machine, name: str, port: Datum) -> OutputPort:
    """The port to write to; `port` None is the current one."""
    given = machine.port if port is None else port
    what = "a textual output port" if type(given) is ByteOutputPort else "an output port"
    return port_of_kind(name, given, OutputPort, what)


def port_of_kind(name: str, port: Datum, kind: type[P], what: str) -> P:
    """The port, which is to be of a kind, as an error tells it, and open."""
    if not isinstance(port, kind):
        raise expected(name, what, port)
    return opened(name, port)


def opened(name: str, port: P) -> P:
    """The port, unless it is closed."""
    if port.open:
        return port
    raise PrimitiveError("type", f"{name}: the port is closed")


def _writer(name: str, text: Callable[[Datum], str]) -> Callable[..., Datum]:
    """Something that writes the text of a datum to a port."""

    def write(machine: Machine, x: Datum, port: Datum = None) -> Datum:
        _out(machine, name, port).write(text(x))
        return UNSPECIFIED

    return write


def _write_string(
    machine: Machine, x: Datum, port: Datum = None, start: Datum = 0, end: Datum = None
) -> Datum:
    target = _out(machine, "write-string", port)
    text = need_string("write-string", x)
    first, last = need_range("write-string", len(text), start, end)
    target.write(text[first:last])
    return UNSPECIFIED


def _newline(machine: Machine, port: Datum = None) -> Datum:
    _out(machine, "newline", port).write("\n")
    return UNSPECIFIED


def _flush(machine: Machine, port: Datum = None) -> Datum:
    if type(port) is ByteOutputPort:
        opened("flush-output-port", port).flush()
    else:
        _out(machine, "flush-output-port", port).flush()
    return UNSPECIFIED


def _swap(machine: Machine, number: Datum, port: Datum) -> Datum:
    """Make a port the current one for input (0), output (1) or errors (2); the one before."""
    name = PARAMETERS[need_index("%swap-port!", number, len(PARAMETERS))]
    kinds, what = (_INPUTS, "an input port") if number == 0 else (_OUTPUTS, "an output port")
    if type(port) not in kinds:
        raise expected(name, what, port)
    field = ("input", "port", "error")[number]
    before = getattr(machine, field)
    setattr(machine, field, port)
    return before


def _get_output_string(port: Datum) -> str:
    if type(port) is OutputPort and port.stream is None:
        return port.contents()
    raise expected("get-output-string", "a string output port", port)


def _output_row(name: str, type_name: str, text: Callable[[Datum], str], doc: str) -> PrimitiveRow:
    return row(
        name, f"{type_name} port", "unspecified", _writer(name, text), doc,
        effect="output", arity=(1, 2), context=True,
    )  # fmt: skip


_OUTPUT = (
    _output_row("display", "any", display_datum, "Write for people."),
    _output_row("write", "any", write_datum, "Write as text that reads back."),
    _output_row("write-shared", "any", write_shared,
                "The same as `write`, with labels for all that stands at several places."),
    _output_row("write-simple", "any", write_datum, "The same as `write`."),
    row("write-string", "string port int int", "unspecified", _write_string,
        "Write the characters of a string, or of a part of it.",
        effect="output", fails="type index", arity=(1, 4), context=True),
    _output_row("write-char", "char", lambda x: need_char("write-char", x), "Write a character."),
    row("newline", "port", "unspecified", _newline, "End the line.",
        effect="output", arity=(0, 1), context=True),
    row("flush-output-port", "port", "unspecified", _flush, "Hand on what was written.",
        effect="output", arity=(0, 1), context=True),
    row("current-output-port", "", "port", lambda machine: machine.port,
        "The port that output goes to.", effect="read", fails="", context=True),
    row("current-error-port", "", "port", lambda machine: machine.error,
        "The port that messages go to.", effect="read", fails="", context=True),
    row("current-input-port", "", "port", lambda machine: machine.input,
        "The port that input comes from.", effect="read", fails="", context=True),
    row("%swap-port!", "int port", "port", _swap,
        "(%swap-port! n port) makes a port the current one for input (0), output (1) or "
        "errors (2), and gives the one before.",
        effect="output", fails="type index", context=True),
    row("open-output-string", "", "port", lambda: OutputPort(), "A port that collects a string.",
        effect="alloc", fails=""),
    row("get-output-string", "port", "string", _get_output_string,
        "What was written to a string port.", effect="output"),
)  # fmt: skip


# Input


def _in(machine: Machine, name: str, port: Datum) -> InputPort:
    """The port to read from; `port` None is the current one."""
    given = machine.input if port is None else port
    what = "a textual input port" if type(given) is ByteInputPort else "an input port"
    return port_of_kind(name, given, InputPort, what)


def _more(name: str, port: InputPort, least: int = 0) -> bool:
    try:
        return port.more(least)
    except UnicodeDecodeError:
        raise PrimitiveError("file", f"{name}: the file is not UTF-8 text") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise PrimitiveError("file", f"{name}: cannot read: {reason}") from None


def _read_char(machine: Machine, port: Datum = None) -> Datum:
    source = _in(machine, "read-char", port)
    found = _peek("read-char", source)
    source.position += found is not EOF
    return found


def _peek_char(machine: Machine, port: Datum = None) -> Datum:
    return _peek("peek-char", _in(machine, "peek-char", port))


def _peek(name: str, port: InputPort) -> Datum:
    if port.position < len(port.text) or _more(name, port):
        return Char(port.text[port.position])
    return EOF


def _char_ready(machine: Machine, port: Datum = None) -> bool:
    source = _in(machine, "char-ready?", port)
    if source.position < len(source.text) or source.stream is None:
        return True
    try:
        return bool(select.select([source.stream], [], [], 0)[0])
    except (OSError, ValueError):  # no file of the system
        return True


def _read_line(machine: Machine, port: Datum = None) -> Datum:
    source = _in(machine, "read-line", port)
    if source.position >= len(source.text) and not _more("read-line", source):
        return EOF
    while (end := source.text.find("\n", source.position)) < 0 and _more("read-line", source):
        pass
    start = source.position
    if end < 0:
        source.position = len(source.text)
        return source.text[start:]
    source.position = end + 1
    return source.text[start:end]


def _read_string(machine: Machine, size: Datum, port: Datum = None) -> Datum:
    wanted, source = need_int("read-string", size), _in(machine, "read-string", port)
    if wanted < 0:
        raise PrimitiveError("index", f"read-string: the count {wanted} is negative")
    while (missing := wanted - (len(source.text) - source.position)) > 0:
        if not _more("read-string", source, missing):
            break
    text = source.text[source.position : source.position + wanted]
    source.position += len(text)
    return text if text or not wanted else EOF


def _read(machine: Machine, port: Datum = None) -> Datum:
    """The next datum; the port then stands behind it.  After an error nothing is left to read.

    Of a stream more is read as long as what there is may be only the beginning of a datum."""
    source = _in(machine, "read", port)
    for lines in count():
        least = len(source.text) if lines > LINE_BY_LINE else 0
        try:
            text = Source("<port>", source.text)
            found, end, fold = read_folding(text, source.position, source.fold)
        except CogenError as error:
            if _more("read", source, least):
                continue
            source.position = len(source.text)
            raise PrimitiveError("read", f"read: {error.message}") from None
        if end < len(source.text) or not _more("read", source, least):
            break
    source.position, source.fold = end, fold
    return EOF if found is None else to_datum(found)


def _open_input_string(x: Datum) -> InputPort:
    return InputPort(need_string("open-input-string", x))


def _close_input(port: Datum) -> Datum:
    if type(port) not in _INPUTS:
        raise expected("close-input-port", "an input port", port)
    port.close()
    return UNSPECIFIED


def _close_output(port: Datum) -> Datum:
    if type(port) not in _OUTPUTS:
        raise expected("close-output-port", "an output port", port)
    port.close()
    return UNSPECIFIED


def _close(port: Datum) -> Datum:
    return _close_input(port) if type(port) in _INPUTS else _close_output(port)


def _input_open(port: Datum) -> bool:
    if type(port) in _INPUTS:
        return bool(port.open)
    raise expected("input-port-open?", "an input port", port)


def _output_open(port: Datum) -> bool:
    if type(port) in _OUTPUTS:
        return bool(port.open)
    raise expected("output-port-open?", "an output port", port)


INPUT = (
    row("open-input-string", "string", "port", _open_input_string,
        "A port that reads the characters of a string.", effect="alloc"),
    row("read-char", "port", "any", _read_char, "The next character, or the end of file.",
        effect="output", fails="type file", arity=(0, 1), context=True),
    row("peek-char", "port", "any", _peek_char, "The next character, which stays the next.",
        effect="output", fails="type file", arity=(0, 1), context=True),
    row("read-line", "port", "any", _read_line, "The next line without its end.",
        effect="output", fails="type file", arity=(0, 1), context=True),
    row("read-string", "int port", "any", _read_string, "The next characters, so many at most.",
        effect="output", fails="type index file", arity=(1, 2), context=True),
    row("char-ready?", "port", "bool", _char_ready, "Can a character be read without waiting?",
        effect="output", arity=(0, 1), context=True),
    row("read", "port", "any", _read, "The next datum, or the end of file.",
        effect="output", fails="type read file", arity=(0, 1), context=True),
    row("eof-object", "", "any", lambda: EOF, "The end of file.", fails=""),
    row("eof-object?", "any", "bool", lambda x: x is EOF, "Is x the end of file?", fails=""),
)  # fmt: skip

_PORTS = (
    row("port?", "any", "bool", lambda x: type(x) in _INPUTS or type(x) in _OUTPUTS,
        "Is x a port?", fails=""),
    row("textual-port?", "any", "bool", lambda x: type(x) is InputPort or type(x) is OutputPort,
        "Is x a port of characters?", fails=""),
    row("input-port?", "any", "bool", lambda x: type(x) in _INPUTS, "Is x an input port?",
        fails=""),
    row("output-port?", "any", "bool", lambda x: type(x) in _OUTPUTS, "Is x an output port?",
        fails=""),
    row("input-port-open?", "port", "bool", _input_open,
        "Can the port be read?", effect="output"),
    row("output-port-open?", "port", "bool", _output_open,
        "Can the port be written?", effect="output"),
    row("close-port", "port", "unspecified", _close,
        "Close a port.", effect="output"),
    row("close-input-port", "port", "unspecified", _close_input,
        "Close an input port.", effect="output"),
    row("close-output-port", "port", "unspecified", _close_output,
        "Close an output port.", effect="output"),
)  # fmt: skip


# Errors


def _error(message: Datum, *irritants: Datum) -> Datum:
    text = text_of(message)
    raise PrimitiveError("user", message if text is None else text, irritants)


def _raise(payload: Datum) -> Datum:
    raise RaisedError(payload)


def _need_condition(name: str, x: Datum) -> Condition:
    if type(x) is Condition:
        return x
    raise expected(name, "an error object", x)


def _message(x: Datum) -> Datum:
    return _need_condition("error-object-message", x).message


def _irritants(x: Datum) -> Datum:
    return from_iterable(_need_condition("error-object-irritants", x).irritants)


_ERRORS = (
    row("error", "any any", "any", _error, "(error message irritant ...): raises an error object.",
        fails="user", arity=(1, None)),
    row("raise", "any", "any", _raise, "Raises any object; the handler must not return.",
        fails="user"),
    row("error-object?", "any", "bool", lambda x: type(x) is Condition, "Is x an error object?",
        fails=""),
    row("error-object-message", "any", "any", _message, "The message of an error object."),
    row("error-object-irritants", "any", "list", _irritants,
        "The list of what the error object is about.", effect="alloc"),
)  # fmt: skip

ROWS: tuple[PrimitiveRow, ...] = (*_OUTPUT, *INPUT, *_PORTS, *_ERRORS)
