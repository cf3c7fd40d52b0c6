"""Every public function, given an argument of the wrong type: a CogenError, and nothing else; its
traceback tells nothing of the product.

Each case is a call that works; each of its arguments in turn, and each further parameter, is
replaced by everything in `WRONG`.  What a function happens to take is fine.
"""

from __future__ import annotations

import inspect
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cogen
import cogen.array
from cogen import signals
from cogen.expected import shown
from cogen.lang.errors import CogenError, InternalError

POWER = "(define (power x n) (if (= n 0) 1 (* x (power x (- n 1)))))"
L0 = "fun int main(int n, [real] xs) = n + size(0, xs)"
SIGNAL = "(import (signals)) (define (first s n) (+ n (signal-get s)))"
DBC = """VERSION ""
BU_: A
BO_ 291 Msg: 8 A
 SG_ S : 0|16@1+ (1,0) [0|0] "" A
 SG_ Gear : 16|4@1+ (1,0) [0|0] "" A
VAL_ 291 Gear 0 "P" 1 "D" ;
"""

PROGRAM = cogen.loads(POWER)
LAYOUT = signals.Layout(12)
INT, LATER = cogen.dynamic("int"), cogen.static()

WRONG: tuple[Callable[[], object], ...] = (
    lambda: None, lambda: 0, lambda: -1, lambda: 7, lambda: True, lambda: 1.5, lambda: float("nan"),
    lambda: 10**30, lambda: 1 << 100_000, lambda: "x", lambda: "", lambda: "\0", lambda: "(",
    lambda: "\udc80", lambda: b"x", list, lambda: [1, "a"], dict, lambda: {"a": 1}, tuple, object,
    lambda: lambda *_: 0, lambda: int, lambda: {1}, lambda: np.zeros(3), lambda: np.zeros((2, 2)),
    lambda: np.array(["a"]), lambda: np.array([None]), lambda: np.float32(1), lambda: Path("nope"),
    lambda: 3j, lambda: memoryview(b"abc")[::2], lambda: bytearray(3), lambda: iter([1]),
    lambda: ..., lambda: np.datetime64("2020"), lambda: PROGRAM, lambda: LAYOUT, lambda: INT,
    lambda: np.ma.masked,
)  # fmt: skip

LIMITS = {
    "word_size": 32, "checked": False, "generalize": False, "auto": False, "max_variants": 9,
    "max_size": 999, "max_unfoldings": 999, "max_time": 9.0, "max_memory": 999.0,
}  # fmt: skip

Case = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def of_programs() -> Iterator[Case]:
    Path("p.scm").write_text(POWER)
    extension = cogen.generate(PROGRAM, "power", INT, LATER)
    Path("e.py").write_text(extension.text)
    residual = cogen.specialize(PROGRAM, "power", INT, cogen.static(3))
    pair = cogen.loads("(define (pair x n) (cons n x))")
    unknown = cogen.specialize(pair, "pair", cogen.dynamic(), cogen.dynamic())
    memory = cogen.loads("(define (f m i) (load-word m i))")
    loads = cogen.specialize(memory, "f", cogen.dynamic("memory"), INT)
    yield cogen.load, ("p.scm",), {}
    yield cogen.loads, (POWER,), {"name": "n"}
    yield cogen.load_extension, ("e.py",), {}
    yield cogen.dynamic, ("int",), {}
    yield cogen.static, (1,), {}
    yield cogen.cyclic, (32, 0), {}
    yield cogen.cons, (INT, INT), {}
    yield cogen.list_, (INT,), {}
    yield cogen.vector, (INT,), {}
    yield cogen.record, ("point", INT), {}
    yield cogen.datum, ("(1 2)",), {}
    yield cogen.symbol, ("a",), {}
    yield cogen.specialize, (PROGRAM, "power", INT, cogen.static(3)), LIMITS
    yield cogen.generate, (PROGRAM, "power", INT, LATER), LIMITS
    yield extension, (INT, cogen.static(3)), LIMITS
    for each in (residual, unknown):
        arguments = (2,) if each is residual else (2, 3)
        yield each.to_python(), arguments, {}
        yield each.compile(), arguments, {}
    yield loads.compile(), (bytes(8), 0), {}
    yield loads.to_python(), (bytes(8), 0), {}


def of_arrays() -> Iterator[Case]:
    program = cogen.array.loads(L0)
    kinds = {"real": "float64", "int": "int64"}
    Path("a.l0").write_text(L0)
    yield cogen.array.load, ("a.l0",), {"entry": "main"}
    yield cogen.array.loads, (L0,), {"name": "x"}
    yield cogen.array.Program, (program.source,), {}
    yield program.run, (1, [1.0]), {"entry": "main", "trace": print, **kinds}
    yield program.run_text, ("1 [1.0]",), {"entry": "main", "name": "n", "trace": print, **kinds}
    yield program.function, ("main",), {}
    yield program.parameters, ("main",), {}
    yield program.result, ("main",), {}
    yield program.arithmetic, ("float64", "int64", "main"), {}
    yield program.arguments, ((1, [1.0]), "main"), {}
    yield program.arguments_of_text, ("1 [1.0]", "main", "x"), {}
    yield program.graph, ("main", None), {}
    yield program.compile, ("c", "main", 1, None), kinds
    yield program.compile(), (1, [1.0]), {}


def of_scheme() -> Iterator[Case]:
    yield cogen.array.of_scheme, (cogen.loads("(define (main) 1)"),), {"entry": "main"}


def of_signals() -> Iterator[Case]:
    record = signals.layout("u12s4")
    yield signals.layout, ("pcm16le",), {"channels": 2, "names": ("a",)}
    yield signals.Layout, (12,), {}
    yield signals.Field, (((0, 4),),), {}
    yield signals.Group, (16, (signals.Field(((0, 4),)),)), {}
    for layout in ("raw12", LAYOUT, record):
        yield signals.unpack, (bytes(12), layout, 4), {}
    yield signals.pack, (np.arange(4), LAYOUT), {"out": None}
    yield signals.convert, (bytes(12), "u12", "u16"), {}
    yield signals.Rows, ("raw12", 4, 2, 8), {}
    yield signals.planes, ("nv12", 4, 4, 8, 5), {}
    rows, out = signals.Rows("raw12", 4, 2), np.zeros((2, 4))
    yield signals.unpack, (bytes(12), rows, None, out, "f8", 2), {}
    yield signals.pack, (np.ones((2, 4), int), rows), {"out": bytearray(12), "threads": 2}
    yield signals.compile, (cogen.loads(SIGNAL), "first", LAYOUT, INT), {"word_size": 32}
    function = signals.compile(cogen.loads(SIGNAL), "first", LAYOUT, INT)
    yield function, (bytes(12), 1), {"count": 4}


def of_files() -> Iterator[Case]:
    sound = signals.Sound(bytes(8), signals.Layout(16, signed=True), 8000)
    picture = signals.Picture(bytes(12), signals.layout("rgb24"), 2)
    signals.write_sound("x.wav", sound)
    signals.write_picture("x.png", picture)
    yield lambda *a: signals.Sound(*a).seconds, (sound.data, sound.layout, 8000), {}
    yield lambda *a: signals.Picture(*a).array(), (picture.data, picture.layout, 2), {}
    yield (
        lambda *a: signals.write_sound("y.wav", signals.Sound(*a)),
        (bytes(8), sound.layout, 1),
        {},
    )
    yield signals.read_sound, ("x.wav",), {}
    yield signals.write_sound, ("y.wav", sound), {}
    yield signals.read_picture, ("x.png",), {}
    yield signals.write_picture, ("y.png", picture), {}


def of_messages() -> Iterator[Case]:
    Path("x.dbc").write_text(DBC)
    database = signals.dbc("x.dbc")
    message, frames = database["Msg"], np.zeros((2, 8), np.uint8)
    yield signals.dbc, ("x.dbc",), {}
    yield database.decode, ([291, 291], frames), {"choices": False, "extended": None}
    yield message.decode, (frames,), {"choices": False}
    yield message.encode, ({"S": [1], "Gear": [0]},), {}
    yield message.layout, (8,), {}


def frames_of_ours(error: CogenError) -> list[str]:
    """The functions of the product that an error's traceback tells."""
    frames = traceback.extract_tb(error.__traceback__)
    return [frame.name for frame in frames if frame.filename.startswith(PRODUCT)]


PRODUCT = tuple(str(Path(__file__).parents[1] / top) for top in ("cogen/", "lang/", "signals/"))


def keywords(function: Callable[..., Any], count: int, given: dict[str, Any]) -> list[str]:
    """What may be given by name, beside that many arguments."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return list(given)
    further = [p.name for p in parameters[count:] if p.kind is p.POSITIONAL_OR_KEYWORD]
    return [*dict.fromkeys([*given, *further])]


@pytest.mark.parametrize(
    "cases", [of_programs, of_arrays, of_scheme, of_signals, of_files, of_messages]
)
def test_wrong_arguments(cases: Callable[[], Iterator[Case]]) -> None:
    found: list[str] = []

    def attempt(case: Case, what: str, value: object) -> None:
        function, arguments, named = case
        try:
            function(*arguments, **named)
        except InternalError as error:
            found.append(f"{what} = {shown(value)}: {error}")
        except CogenError as error:
            if inside := frames_of_ours(error):
                found.append(f"{what} = {shown(value)}: a traceback through {inside}")
        except Exception as error:
            found.append(f"{what} = {shown(value)}: {type(error).__name__}: {error}")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for function, arguments, named in cases():
            name = getattr(function, "__qualname__", repr(function))
            for i in range(len(arguments)):
                for make in WRONG:
                    value = make()
                    given = (*arguments[:i], value, *arguments[i + 1 :])
                    attempt((function, given, named), f"{name} {i}", value)
            for key in keywords(function, len(arguments), named):
                for make in WRONG:
                    value = make()
                    attempt((function, arguments, {**named, key: value}), f"{name} {key}", value)
    assert found == [], "\n".join(found)


@pytest.mark.parametrize("method", ["compile", "to_python"])
def test_arguments_of_the_function_that_is_made(method: str) -> None:
    residual = cogen.specialize(PROGRAM, "power", INT, cogen.static(3))
    with pytest.raises(CogenError) as caught:
        getattr(residual, method)(1)
    assert caught.value.message == (
        f"{method}() takes no arguments: it gives the function that takes them"
    )
    assert caught.value.hint == f"residual.{method}()(...)"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cogen.load(3), "a path must be a string or a Path, not 3"),
        (lambda: cogen.loads(b"1"), "a program's text must be a string, not b'1'"),
        (lambda: cogen.specialize(4, "f"), "a program was expected, not 4"),
        (
            lambda: cogen.specialize(PROGRAM, "power", INT, INT, checked="yes"),
            "checked must be True or False, not 'yes'",
        ),
        (lambda: signals.unpack(b"", LAYOUT, 1.5), "count must be an integer, at least 0, not 1.5"),
        (
            lambda: signals.pack([1], LAYOUT, wrap=np.zeros(3)),
            "wrap must be True or False, not a ndarray",
        ),
        (
            lambda: signals.Sound(b"", LAYOUT, 0),
            "the rate of a sound must be between 1 and 4294967295, not 0",
        ),
        (
            lambda: cogen.array.loads(L0).compile(threads="2"),
            "the number of threads must be an integer, not '2'",
        ),
    ],
)
def test_what_is_expected_is_said(call: Callable[[], object], message: str) -> None:
    with pytest.raises(CogenError) as caught:
        call()
    assert caught.value.message == message
