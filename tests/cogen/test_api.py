"""The Python API: load, specialize, use."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cogen
from cogen import CogenError
from cogen.lang.ilparse import parse
from cogen.lang.iltext import show

pytestmark = pytest.mark.quick

POWER = "(define (power x n) (if (= n 0) 1 (* x (power x (- n 1)))))"


@pytest.fixture
def cube() -> cogen.Residual:
    return cogen.specialize(cogen.loads(POWER), "power", cogen.dynamic("int"), cogen.static(3))


def test_programs_come_from_files_and_text(tmp_path: Path) -> None:
    path = tmp_path / "power.scm"
    path.write_text(POWER)
    (tmp_path / "more.scm").write_text("(define (twice x) (* 2 x))")
    assert "power" in cogen.load(path).own_globals
    assert "power" in cogen.load(str(path)).own_globals
    path.write_text('(include "more.scm")')
    assert "twice" in cogen.load(path).own_globals
    with pytest.raises(cogen.CogenError) as missing:
        cogen.load(tmp_path / "none.scm")
    assert "there is no file" in missing.value.message
    with pytest.raises(cogen.CogenError) as wrong:
        cogen.loads("(define (f) y)", "wrong.scm")
    assert str(wrong.value.span) == "wrong.scm:1:13"


def test_libraries_of_the_system_are_found() -> None:
    program = cogen.loads("(import (signals memory)) (define (f b) (load-field b 0 8))")
    assert "f" in program.own_globals


def test_a_residual_as_text(cube: cogen.Residual) -> None:
    assert cube.entry == "power"
    assert [parameter.type for parameter in cube.parameters] == ["int"]
    assert repr(cube) == "<residual power(x)>"
    assert show(parse(cube.il)) == cube.il
    assert "power" in cogen.loads(cube.scheme).own_globals
    assert cube.warnings.messages == []
    assert cube.statistics["residual procedures"] == 1
    compile(cube.python, "residual.py", "exec")
    assert "power" in cube.c


def test_a_residual_as_python(cube: cogen.Residual) -> None:
    assert cube.to_python()(2) == 8


def test_a_residual_as_native_code(cube: cogen.Residual) -> None:
    assert cube.compile()(2) == 8


def test_data_go_in_and_come_back() -> None:
    program = cogen.loads("(define (f s d) (list s d (vector d)))")
    residual = cogen.specialize(program, "f", cogen.static([1, "a", (2.5, b"\1")]), cogen.dynamic())
    f = residual.to_python()
    assert f(cogen.symbol("x")) == [
        [1, "a", (2.5, b"\1")], cogen.symbol("x"), (cogen.symbol("x"),),
    ]  # fmt: skip
    pair = cogen.datum("(a . b)")
    assert f(pair)[1:] == [pair, (pair,)]
    with pytest.raises(cogen.CogenError) as refused:
        f({})
    assert refused.value.message == (
        "f: the argument for d cannot be passed: a Python dict is no datum"
    )


@pytest.mark.parametrize("kind", ["memory", "any"])
def test_native_and_python_code_refuse_the_same_buffers(kind: Any) -> None:
    program = cogen.loads("(define (f b) (+ 1 (load-word b 0)))")
    residual = cogen.specialize(program, "f", cogen.dynamic(kind))
    refused = {
        "does not lie in one piece": np.zeros(16, np.uint8)[::2],
        "holds Python objects, no plain data": np.array([None, 1], dtype=object),
        "gives no buffer: cannot include dtype 'M' in a buffer": np.zeros(2, "datetime64[D]"),
    }
    for f in (residual.compile(), residual.to_python()):
        assert f(np.array([[6]], np.int32)) == 7
        for problem, buffer in refused.items():
            with pytest.raises(cogen.CogenError) as caught:
                f(buffer)
            assert caught.value.message == f"f: the argument for b {problem}"
        with pytest.raises(cogen.CogenError) as caught:
            f(np.zeros((0, 3), np.uint8))
        assert caught.value.message == "load-word: word index 0 in b, which is empty"


def test_left_out_expressions_are_warned_of() -> None:
    program = cogen.loads("(define (f x) x)\n(display 1)")
    residual = cogen.specialize(program, "f", cogen.dynamic())
    assert [str(note.span) for note in residual.warnings.messages] == ["<string>:2:1"]


def test_options_are_checked() -> None:
    program = cogen.loads(POWER)
    bts = cogen.dynamic("int"), cogen.static(3)
    cases: list[tuple[dict[str, Any], str]] = [
        ({"word_size": 12}, "the word size must be a multiple of 8 from 8 to 64 bits, not 12"),
        ({"max_size": 0}, "max_size must be a positive integer, not 0"),
        ({"max_time": 0}, "max_time must be a positive number of seconds, not 0"),
    ]
    for options, message in cases:
        with pytest.raises(cogen.CogenError) as caught:
            cogen.specialize(program, "power", *bts, **options)
        assert caught.value.message == message


def test_wrong_entries_and_binding_times() -> None:
    program = cogen.loads(POWER)
    with pytest.raises(cogen.CogenError):
        cogen.specialize(program, "square", cogen.dynamic())
    with pytest.raises(cogen.CogenError):
        cogen.specialize(program, "power", cogen.dynamic())


def test_python_values_of_the_wrong_type_are_refused() -> None:
    program: Any = cogen.loads(POWER)
    text: Any = "x"
    dynamic = cogen.dynamic()
    wanted = "must be a string, not 5"
    long = f"a binding time was expected, not '{'x' * 58}…"
    cases: list[tuple[Callable[..., object], tuple[Any, ...], str]] = [
        (cogen.specialize, (program, "power", dynamic, 5), "a binding time was expected, not 5"),
        (cogen.specialize, (program, "power", "_", "_"), "a binding time was expected, not '_'"),
        (cogen.specialize, (program, "power", dynamic, "x" * 99), long),
        (cogen.specialize, (text, "power", dynamic), "a program was expected, not 'x'"),
        (cogen.specialize, (program, 5, dynamic), f"the name of a procedure {wanted}"),
        (cogen.loads, (b"1",), "a program's text must be a string, not b'1'"),
        (cogen.loads, (None,), "a program's text must be a string, not None"),
        (cogen.loads, ("1", 5), f"a program's name {wanted}"),
        (cogen.load, (5,), "a path must be a string or a Path, not 5"),
        (cogen.symbol, (5,), f"a symbol's name {wanted}"),
        (cogen.symbol, ("\ud800",), "a string with a lone surrogate is no datum"),
        (cogen.datum, (5,), f"the text of a datum {wanted}"),
        (cogen.record, (5,), f"the name of a record type {wanted}"),
    ]
    for function, arguments, message in cases:
        with pytest.raises(cogen.CogenError) as caught:
            function(*arguments)
        assert caught.value.message == message
    assert cogen.symbol("a") is cogen.symbol("a")


def test_what_is_written_first_is_told_what_to_write_instead() -> None:
    program = cogen.loads("(define (power x n) (if (= n 0) 1 (* x (power x (- n 1)))))")
    residual = cogen.specialize(program, "power", cogen.dynamic(), cogen.static(3))
    with pytest.raises(CogenError, match="power is a text until it is compiled") as caught:
        residual(2)
    assert "residual.to_python()(...)" in str(caught.value)
    assert residual.to_python()(2) == 8
    with pytest.raises(CogenError, match=r"write cogen\.dynamic\(\) for what only a run knows"):
        cogen.specialize(program, "power", "_", cogen.static(3))  # type: ignore[arg-type]
    with pytest.raises(AttributeError, match=r"no attribute 'run'; cogen\.specialize\(program"):
        cogen.run(program)  # type: ignore[attr-defined]
