"""Errors of buffers say the program's own operation, in every way of running."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import pytest

import cogen
from cogen.native import load as native_code
from lang.errors import CogenError
from lang.interp import Interpreter

native = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
)


def by_interpreter(made: Any) -> Callable[..., Any]:
    interpreter = Interpreter(made.program.program, made.program.word_size)
    interpreter.run()
    return lambda *arguments: interpreter.call(made.program.entry, arguments)


WAYS = [
    by_interpreter,
    lambda made: made.to_python(),
    pytest.param(lambda made: native_code.load(made.program), marks=native),
    pytest.param(lambda made: made.compile(), marks=native),
]


def fails(call: Callable[..., Any], *arguments: Any) -> CogenError:
    with pytest.raises(CogenError) as caught:
        call(*arguments)
    return caught.value


def by_source(text: str, entry: str) -> Callable[..., Any]:
    interpreter = Interpreter(cogen.loads(text, "t.scm"))
    interpreter.run()
    return lambda *arguments: interpreter.call(entry, arguments)


PUT = "(define (put! out i v)\n  (store-bits! out i {mask} v) 0)"
PUTS = [
    # the mask, the arguments
    ("255", bytearray(8), 2, 1),
    ("255", bytearray(8), -1, 1),
    ("255", bytearray(), 0, 1),
    ("-1", bytearray(8), 9, 1),
    ("(+ i 3)", bytearray(8), 2, 1),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("mask", "out", "index", "value"), PUTS)
def test_an_index_that_store_bits_refuses(
    way: Callable[[Any], Any], mask: str, out: bytearray, index: int, value: int
) -> None:
    text = PUT.format(mask=mask)
    bts = cogen.dynamic("memory"), cogen.dynamic("int"), cogen.dynamic("int")
    made = cogen.specialize(cogen.loads(text, "t.scm"), "put!", *bts)
    told = fails(way(made), out, index, value)
    expected = fails(by_source(text, "put!"), out, index, value)
    assert expected.message.startswith(f"store-bits!: word index {index}")
    assert str(told) == str(expected)


@pytest.mark.parametrize("way", WAYS[:3])
@pytest.mark.parametrize(
    ("out", "index", "mask", "value"),
    [(bytearray(8), 9, 2.5, 1), (bytearray(8), 9, 255, "x"), (bytearray(8), 9, 255, 1),
     (5, 0, 255, 1), (bytearray(8), 0.5, 1, 1)],
)  # fmt: skip
def test_whatever_store_bits_refuses_is_told_of_it(
    way: Callable[[Any], Any], out: Any, index: Any, mask: Any, value: Any
) -> None:
    text = "(define (put! out i m v)\n  (store-bits! out i m v) 0)"
    made = cogen.specialize(cogen.loads(text, "t.scm"), "put!", *[cogen.dynamic()] * 4)
    told = fails(way(made), out, index, mask, value)
    assert str(told) == str(fails(by_source(text, "put!"), out, index, mask, value))


@pytest.mark.parametrize("way", WAYS[:3])
def test_a_handler_is_told_the_same(way: Callable[[Any], Any]) -> None:
    text = """(define (put! out i)
      (guard (e (#t (error-object-message e))) (store-bits! out i 255 1) 0))"""
    bts = cogen.dynamic("memory"), cogen.dynamic("int")
    made = cogen.specialize(cogen.loads(text, "t.scm"), "put!", *bts)
    told = way(made)(bytearray(8), 2)
    assert told == by_source(text, "put!")(bytearray(8), 2)
    assert told == "store-bits!: word index 2 is not in 0 to 1"


@pytest.mark.parametrize("way", WAYS[:3])
def test_set_base_is_told_as_itself(way: Callable[[Any], Any]) -> None:
    text = "(define (f a)\n  (set-base a 8))"
    made = cogen.specialize(cogen.loads(text, "t.scm"), "f", cogen.dynamic())
    told = fails(way(made), 2.5)
    assert told.message == "set-base: expected an integer, got 2.5"
    assert str(told) == str(fails(by_source(text, "f"), 2.5))
