"""Running programs in tests."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pytest

from cogen.lang.datum import Datum
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads


def output(text: str, **options: int) -> str:
    """What the program writes."""
    stream = io.StringIO()
    Interpreter(loads(text), output=stream, **options).run()
    return stream.getvalue()


def value(text: str, **options: int) -> str:
    """What `write` makes of the expression's value; definitions may stand before it."""
    return output(f"(write (let () {text}))", **options)


def call(text: str, name: str, arguments: Sequence[Datum], **options: int) -> Datum:
    """What a procedure of the program gives."""
    interpreter = Interpreter(loads(text), output=io.StringIO(), **options)
    interpreter.run()
    return interpreter.call(name, arguments)


def failure(text: str, name: str = "test.scm") -> CogenError:
    """The error that running (or loading) the program ends with."""
    with pytest.raises(CogenError) as caught:
        Interpreter(loads(text, name), output=io.StringIO()).run()
    return caught.value
