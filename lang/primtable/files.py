"""Rows of the primitive table: files, and ports of bytes."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

from cogen.lang.datum import EOF, UNSPECIFIED, Datum
from cogen.lang.machine import Machine
from cogen.lang.primtable.checks import PrimitiveError, expected, need_int, need_range
from cogen.lang.primtable.io import port_of_kind
from cogen.lang.primtable.memory import need_byte, need_bytes, need_writable
from cogen.lang.primtable.row import PrimitiveRow, row
from cogen.lang.primtable.text import need_string
from cogen.lang.values import ByteInputPort, ByteOutputPort, Condition, InputPort, OutputPort

# Files

_TEXT: Final = {"encoding": "utf-8", "newline": ""}


def _opener(name: str, make: Callable[[str], Datum], doc: str) -> PrimitiveRow:
    """An operation that opens the file of a name."""

    def open_file(path: Datum) -> Datum:
        text = need_string(name, path)
        try:
            return make(text)
        except OSError as error:
            reason = error.strerror or str(error)
        except ValueError as error:  # a name that no file can have
            reason = str(error)
        raise PrimitiveError("file", f"{name}: cannot open {text}: {reason}")

    return row(name, "string", "port", open_file, doc, effect="output", fails="type file")


def _input_file(path: str) -> InputPort:
    if os.path.isdir(path):
        raise IsADirectoryError(0, "Is a directory")
    return InputPort("", open(path, errors="strict", **_TEXT))  # type: ignore[call-overload]


def _output_file(path: str) -> OutputPort:
    return OutputPort(open(path, "w", **_TEXT))  # type: ignore[call-overload]


def _binary_input_file(path: str) -> ByteInputPort:
    if os.path.isdir(path):
        raise IsADirectoryError(0, "Is a directory")
    return ByteInputPort(b"", open(path, "rb"))


def _binary_output_file(path: str) -> ByteOutputPort:
    return ByteOutputPort(open(path, "wb"))


def _file_exists(path: Datum) -> bool:
    name = need_string("file-exists?", path)
    return "\0" not in name and os.path.exists(name)


def _delete_file(path: Datum) -> Datum:
    name = need_string("delete-file", path)
    try:
        os.remove(name)
    except OSError as error:
        reason = error.strerror or str(error)
    except ValueError as error:
        reason = str(error)
    else:
        return UNSPECIFIED
    raise PrimitiveError("file", f"delete-file: cannot delete {name}: {reason}")


def _is_failure(kind: str) -> Callable[[Datum], bool]:
    return lambda x: type(x) is Condition and x.kind == kind


FILES = (
    _opener("open-input-file", _input_file, "A port that reads the characters of a file."),
    _opener("open-output-file", _output_file,
            "A port that writes characters to a file, which is empty first."),
    _opener("open-binary-input-file", _binary_input_file, "A port that reads the bytes of a file."),
    _opener("open-binary-output-file", _binary_output_file,
            "A port that writes bytes to a file, which is empty first."),
    row("file-exists?", "string", "bool", _file_exists, "Is there a file of this name?",
        effect="output"),
    row("delete-file", "string", "unspecified", _delete_file, "Delete a file.",
        effect="output", fails="type file"),
    row("file-error?", "any", "bool", _is_failure("file"),
        "Is x an error object of a file that cannot be opened, read or deleted?", fails=""),
    row("read-error?", "any", "bool", _is_failure("read"),
        "Is x an error object of `read`, for text that is no datum?", fails=""),
)  # fmt: skip

# Bytes


def _in(machine: Machine, name: str, port: Datum) -> ByteInputPort:
    given = machine.input if port is None else port
    return port_of_kind(name, given, ByteInputPort, "a binary input port")


def _out(machine: Machine, name: str, port: Datum) -> ByteOutputPort:
    given = machine.port if port is None else port
    return port_of_kind(name, given, ByteOutputPort, "a binary output port")


def _read_u8(machine: Machine, port: Datum = None) -> Datum:
    source = _in(machine, "read-u8", port)
    found = _first(source)
    source.position += found is not EOF
    return found


def _peek_u8(machine: Machine, port: Datum = None) -> Datum:
    return _first(_in(machine, "peek-u8", port))


def _first(port: ByteInputPort) -> Datum:
    return port.data[port.position] if port.has(1) else EOF


def _u8_ready(machine: Machine, port: Datum = None) -> bool:
    _in(machine, "u8-ready?", port)
    return True


def _taken(port: ByteInputPort, count: int) -> bytes:
    """The next bytes, so many at most."""
    found = port.has(count)
    port.position += found
    return port.data[port.position - found : port.position]


def _read_bytevector(machine: Machine, count: Datum, port: Datum = None) -> Datum:
    wanted = need_int("read-bytevector", count)
    source = _in(machine, "read-bytevector", port)
    if wanted < 0:
        raise PrimitiveError("index", f"read-bytevector: the count {wanted} is negative")
    data = _taken(source, wanted)
    return bytearray(data) if data or not wanted else EOF


def _read_into(
    machine: Machine, target: Datum, port: Datum = None, start: Datum = 0, end: Datum = None
) -> Datum:
    name = "read-bytevector!"
    bytes_ = need_writable(name, target)
    source = _in(machine, name, port)
    first, last = need_range(name, len(bytes_), start, end)
    data = _taken(source, last - first)
    bytes_[first : first + len(data)] = data
    return len(data) if data or first == last else EOF


def _write_u8(machine: Machine, byte: Datum, port: Datum = None) -> Datum:
    value = need_byte("write-u8", byte)
    _out(machine, "write-u8", port).write(bytes([value]))
    return UNSPECIFIED


def _write_bytevector(
    machine: Machine, x: Datum, port: Datum = None, start: Datum = 0, end: Datum = None
) -> Datum:
    data = need_bytes("write-bytevector", x)
    target = _out(machine, "write-bytevector", port)
    first, last = need_range("write-bytevector", len(data), start, end)
    target.write(bytes(data[first:last]))
    return UNSPECIFIED


def _get_output_bytevector(port: Datum) -> Datum:
    if type(port) is ByteOutputPort and port.stream is None:
        return bytearray(port.pieces)
    raise expected("get-output-bytevector", "a bytevector output port", port)


_BYTES = (
    row("open-input-bytevector", "bytevector", "port",
        lambda x: ByteInputPort(bytes(need_bytes("open-input-bytevector", x))),
        "A port that reads the bytes of a bytevector, as they are now.", effect="alloc"),
    row("open-output-bytevector", "", "port", lambda: ByteOutputPort(),
        "A port that collects a bytevector.", effect="alloc", fails=""),
    row("get-output-bytevector", "port", "bytevector", _get_output_bytevector,
        "What was written to a bytevector port.", effect="output"),
    row("read-u8", "port", "any", _read_u8, "The next byte, or the end of file.",
        effect="output", arity=(0, 1), context=True),
    row("peek-u8", "port", "any", _peek_u8, "The next byte, which stays the next.",
        effect="output", arity=(0, 1), context=True),
    row("u8-ready?", "port", "bool", _u8_ready, "Can a byte be read without waiting?",
        effect="output", arity=(0, 1), context=True),
    row("read-bytevector", "int port", "any", _read_bytevector,
        "The next bytes, so many at most.",
        effect="output", fails="type index", arity=(1, 2), context=True),
    row("read-bytevector!", "bytevector port int int", "any", _read_into,
        "Read bytes into a bytevector, or a part of it; how many they were.",
        effect="output", fails="type index", arity=(1, 4), context=True),
    row("write-u8", "int port", "unspecified", _write_u8, "Write a byte.",
        effect="output", fails="type index", arity=(1, 2), context=True),
    row("write-bytevector", "bytevector port int int", "unspecified", _write_bytevector,
        "Write the bytes of a bytevector, or of a part of it.",
        effect="output", fails="type index", arity=(1, 4), context=True),
    row("binary-port?", "any", "bool",
        lambda x: type(x) is ByteInputPort or type(x) is ByteOutputPort,
        "Is x a port of bytes?", fails=""),
)  # fmt: skip

ROWS: tuple[PrimitiveRow, ...] = (*FILES, *_BYTES)
