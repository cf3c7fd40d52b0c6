"""What leaves the Python interface: errors without our frames, values that show themselves."""

from __future__ import annotations

import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cogen
from cogen import signals
from cogen.array.report.fusionreport import report
from cogen.boundary import public
from cogen.lang.errors import CogenError, InternalError

ROOT = Path(__file__).parents[1]

CUBE = cogen.specialize(
    cogen.loads("(define (cube x) (if (= x 7) (car x) (* x x x)))", "cube.scm"),
    "cube",
    cogen.dynamic("int"),
)
MEAN = "fun real main([real] xs) = reduce(op +, 0.0, xs) / toReal(size(0, xs))"


def told(call: Callable[[], object]) -> list[str]:
    """The functions in the traceback of the error that a call ends with."""
    with pytest.raises(CogenError) as caught:
        call()
    frames = traceback.extract_tb(caught.value.__traceback__)
    return [frame.name for frame in frames if frame.filename != __file__]


@pytest.mark.parametrize(
    "call",
    [
        lambda: cogen.loads("(car"),
        lambda: cogen.load("no-such-file.scm"),
        lambda: cogen.specialize(cogen.loads("1"), "f"),
        lambda: cogen.generate(cogen.loads("1"), "f", 3),  # type: ignore[arg-type]  # it is wrong
        lambda: cogen.static(object()),
        lambda: cogen.cyclic(0, 0),
        lambda: cogen.datum("("),
        lambda: CUBE.to_python()("x"),
        lambda: CUBE.to_python()(7),
        lambda: CUBE.compile()("x"),
        lambda: CUBE.compile()(),
        lambda: CUBE.compile(1),
        lambda: CUBE.array,
        lambda: CUBE.explain(),
        lambda: cogen.array.loads("fun"),
        lambda: cogen.array.loads(MEAN).run("x"),
        lambda: cogen.array.loads(MEAN).compile("cobol"),
        lambda: signals.unpack(b"", "no-layout"),
        lambda: signals.Layout(-1),
        lambda: signals.pack([5000], "u12"),
    ],
)
def test_errors_leave_without_our_frames(call: Callable[[], object]) -> None:
    # cached properties of Python's have a frame of their own
    assert [name for name in told(call) if name != "__get__"] == []


def test_what_a_script_shows() -> None:
    script = "import cogen\n\ndef mine():\n    cogen.loads('(car 1 2)', 'p.scm')\n\nmine()\n"
    run = [sys.executable, "-c", script]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    shown = subprocess.run(run, env=environment, capture_output=True, text=True, check=False).stderr
    assert str(ROOT) not in shown
    assert "in mine\n" in shown
    assert shown.splitlines()[-3].endswith(
        "CogenError: p.scm:1:1: error: `car` takes 1 argument, but is given 2"
    )
    environment["COGEN_DEBUG"] = "1"
    shown = subprocess.run(run, env=environment, capture_output=True, text=True, check=False).stderr
    assert "api.py" in shown


def test_bugs_keep_their_tracebacks() -> None:
    @public
    def broken(kind: type[Exception]) -> None:
        raise kind("oh")

    for kind in (InternalError, ValueError):
        with pytest.raises(kind) as caught:
            broken(kind)
        assert traceback.extract_tb(caught.value.__traceback__)[-1].name == "broken"
    assert told(lambda: broken(CogenError)) == []


def test_what_is_wrapped_says_what_it_is() -> None:
    assert cogen.load.__name__ == "load"
    assert cogen.load.__doc__
    assert (
        signals.Layout.bits_per_item.__doc__ if hasattr(signals.Layout, "bits_per_item") else True
    )
    assert type(vars(cogen.Residual)["entry"]).__name__ == "property"
    assert CUBE.scheme is CUBE.scheme


def shown_things() -> dict[str, Any]:
    """Things of the interface by what they show."""
    loop = "(define (sum l) (if (null? l) 0 (+ (car l) (sum (cdr l)))))"
    definitions = "\n".join(f"(define (f{i} x) (g{i} x)) (define (g{i} x) x)" for i in range(500))
    program = cogen.loads(definitions, "many.scm")
    explained = cogen.specialize(
        cogen.loads(loop), "sum", cogen.list_(cogen.dynamic(), cogen.static(2)), explain=True
    )
    array = cogen.array.loads(MEAN, "mean.l0")
    long = list(range(10_000))
    return {
        "<program many.scm: f0, g0, f1, g1, f2 and 995 more>": program,
        "<program <string>: nothing>": cogen.loads("(display 1)"),
        "<residual sum(l)>": explained,
        "<residual program sum(l)>": explained.program,
        "<array program mean.l0: main>": array,
        "<what is known of mean.l0: main>": array.facts,
        "<graph of main>": array.graph(),
        "<fusion of main in mean.l0: 1 operation, 1 loop, 0 arrays in memory>": report(array),
        "<binding time (static 5)>": cogen.static(5),
        "<binding time (list _ (cyclic 32 0))>": cogen.list_(cogen.dynamic(), cogen.cyclic(32, 0)),
        "Layout(12)": signals.Layout(12),
        "Layout(12, stride=16, order='big')": signals.Layout(12, 16, order="big"),
        "Rows(Layout(8), width=3, pitch=4)": signals.Rows(signals.Layout(8), 3, pitch=4),
        "cogen.datum('(1 . a)')": cogen.datum("(1 . a)"),
        "": [
            cogen.static(long),
            cogen.static(np.zeros(1000)),
            cogen.vector(*[cogen.dynamic()] * 500),
            cogen.datum(f"({' '.join(map(str, long))} . 1)"),
            signals.Group(800, tuple(signals.Field(((8 * i, 8),)) for i in range(100))),
            program.items[0],
            cogen.static(long).value,
        ],
    }


def test_things_show_themselves_in_a_few_words() -> None:
    things = shown_things()
    for value in things.pop(""):
        assert len(repr(value)) < 200
    assert {repr(value): text for text, value in things.items()} == {text: text for text in things}
    explanation = repr(things["<residual sum(l)>"].explain())
    assert explanation.startswith("<explanation of (sum (list _ (static 2))): ")


def test_layouts_are_written_as_they_are_made() -> None:
    names = {name: getattr(signals, name) for name in ("Layout", "Group", "Field", "Rows")}
    for name in ("raw12", "u12s4", "pcm24le", "f32", "rgb565"):
        layout = signals.layout(name)
        assert eval(repr(layout), names) == layout


def test_the_module_lists_what_is_for_people() -> None:
    listed = dir(cogen)
    assert {"load", "specialize", "static", "array", "signals", "CogenError"} <= set(listed)
    assert not {"annotations", "Any", "import_module", "sys", "api"} & set(listed)
    for name in listed:
        assert getattr(cogen, name) is not None
