"""Rows of the primitive table: ports, output, errors.

Output goes to the machine's current port unless a port is given; input comes from string
ports.
"""

from __future__ import annotations

from collections.abc import Callable

from cogen.lang.datum import EOF, UNSPECIFIED, Char, Datum, from_iterable
from cogen.lang.errors import CogenError
from cogen.lang.machine import Machine
from cogen.lang.primtable.row import (
    Primitive,
    PrimitiveError,
    RaisedError,
    expected,
    need_int,
    need_range,
    row,
)
from cogen.lang.primtable.text import need_char, need_string
from cogen.lang.printer import display_datum, write_datum, write_shared
from cogen.lang.reader import read_next
from cogen.lang.syntax import to_datum
from cogen.lang.values import Condition, InputPort, OutputPort

# Output


def _out(machine: Machine, name: str, port: Datum) -> OutputPort:
    """The port to write to; `port` None is the current one."""
    if port is None:
        return machine.port
    if type(port) is not OutputPort:
        raise expected(name, "an output port", port)
    if not port.open:
        raise PrimitiveError("type", f"{name}: the port is closed")
    return port


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
    _out(machine, "flush-output-port", port).flush()
    return UNSPECIFIED


def _get_output_string(port: Datum) -> str:
    if type(port) is OutputPort and port.stream is None:
        return port.contents()
    raise expected("get-output-string", "a string output port", port)


def _output_row(name: str, type_name: str, text: Callable[[Datum], str], doc: str) -> Primitive:
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
    row("open-output-string", "", "port", lambda: OutputPort(), "A port that collects a string.",
        effect="alloc", fails=""),
    row("get-output-string", "port", "string", _get_output_string,
        "What was written to a string port.", effect="output"),
)  # fmt: skip


# Input


def _in(name: str, port: Datum) -> InputPort:
    if type(port) is not InputPort:
        raise expected(name, "an input port", port)
    if not port.open:
        raise PrimitiveError("type", f"{name}: the port is closed")
    return port


def _read_char(port: Datum) -> Datum:
    source = _in("read-char", port)
    found = _peek(source)
    source.position += 1
    return found


def _peek_char(port: Datum) -> Datum:
    return _peek(_in("peek-char", port))


def _peek(port: InputPort) -> Datum:
    return Char(port.text[port.position]) if port.position < len(port.text) else EOF


def _read_line(port: Datum) -> Datum:
    source = _in("read-line", port)
    start = source.position
    if start >= len(source.text):
        return EOF
    end = source.text.find("\n", start)
    if end < 0:
        end = len(source.text)
    source.position = end + 1
    return source.text[start:end]


def _read_string(count: Datum, port: Datum) -> Datum:
    wanted, source = need_int("read-string", count), _in("read-string", port)
    if wanted < 0:
        raise PrimitiveError("index", f"read-string: the count {wanted} is negative")
    if wanted and source.position >= len(source.text):
        return EOF
    text = source.text[source.position : source.position + wanted]
    source.position += len(text)
    return text


def _read(port: Datum) -> Datum:
    """The next datum; the port then stands behind it.  After an error nothing is left to read."""
    source = _in("read", port)
    try:
        found, source.position = read_next(source.source, source.position)
    except CogenError as error:
        source.position = len(source.text)
        raise PrimitiveError("user", f"read: {error.message}") from None
    return EOF if found is None else to_datum(found)


def _open_input_string(x: Datum) -> InputPort:
    return InputPort(need_string("open-input-string", x))


def _close_input(port: Datum) -> Datum:
    if not isinstance(port, InputPort):
        raise expected("close-input-port", "an input port", port)
    port.open = False
    return UNSPECIFIED


def _close_output(port: Datum) -> Datum:
    if not isinstance(port, OutputPort):
        raise expected("close-output-port", "an output port", port)
    port.open = False
    return UNSPECIFIED


def _close(port: Datum) -> Datum:
    return _close_input(port) if isinstance(port, InputPort) else _close_output(port)


def _is_port(x: Datum) -> bool:
    return type(x) is InputPort or type(x) is OutputPort


def _input_open(port: Datum) -> bool:
    if isinstance(port, InputPort):
        return port.open
    raise expected("input-port-open?", "an input port", port)


def _output_open(port: Datum) -> bool:
    if isinstance(port, OutputPort):
        return port.open
    raise expected("output-port-open?", "an output port", port)


_INPUT = (
    row("open-input-string", "string", "port", _open_input_string,
        "A port that reads the characters of a string.", effect="alloc"),
    row("read-char", "port", "any", _read_char, "The next character, or the end of file.",
        effect="output"),
    row("peek-char", "port", "any", _peek_char, "The next character, which stays the next.",
        effect="output"),
    row("read-line", "port", "any", _read_line, "The next line without its end.",
        effect="output"),
    row("read-string", "int port", "any", _read_string, "The next characters, so many at most.",
        effect="output", fails="type index"),
    row("read", "port", "any", _read, "The next datum, or the end of file.",
        effect="output", fails="type user"),
    row("eof-object", "", "any", lambda: EOF, "The end of file.", fails=""),
    row("eof-object?", "any", "bool", lambda x: x is EOF, "Is x the end of file?", fails=""),
)  # fmt: skip

_PORTS = (
    row("port?", "any", "bool", _is_port, "Is x a port?", fails=""),
    row("textual-port?", "any", "bool", _is_port, "Is x a port of characters?", fails=""),
    row("input-port?", "any", "bool", lambda x: type(x) is InputPort, "Is x an input port?",
        fails=""),
    row("output-port?", "any", "bool", lambda x: type(x) is OutputPort, "Is x an output port?",
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
    raise PrimitiveError("user", message, irritants)


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

ROWS: tuple[Primitive, ...] = (*_OUTPUT, *_INPUT, *_PORTS, *_ERRORS)
