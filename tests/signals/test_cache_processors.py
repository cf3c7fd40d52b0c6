"""The library's processors with a cache do what they do without one."""

from __future__ import annotations

import random

import pytest

import cogen
from cogen.lang import il
from cogen.lang.interp import Interpreter

MEMORY, WORD = cogen.dynamic("memory"), cogen.cyclic(32, 0)

PROCESSORS = {
    "fir": "(signal-fir! (packed-signal b from to 8) (packed-signal c from to 8) '(1 2 3 2 1) 3)",
    "box": "(signal-box! (packed-signal b from to 8) (packed-signal c from (- to 32) 8) 2)",
    "delay": "(signal-delay! (packed-signal b from to 8) (packed-signal c from to 8) 3)",
    "echo": "(signal-echo! (packed-signal b from to 8) (packed-signal c from to 8) 3 1 1)",
    "base64": "(base64-encode! (packed-signal b 0 192 8) (packed-signal c 0 256 8))",
    "delta": "(delta-encode! (packed-signal b from to 8) (packed-signal c from to 8))",
    "convert": "(signal-convert! (packed-signal b from to 8)"
    " (big-endian-signal (packed-signal c from to 8)))",
    "in-place": "(signal-gain! (packed-signal b from to 8) (packed-signal b from to 8) 3 1)",
    "onto-itself": "(signal-mix! (packed-signal b from to 8)"
    " (packed-signal b (+ from 32) (+ to 32) 8) (packed-signal b from to 8))",
    "threshold": "(signal-threshold! (packed-signal b from to 8)"
    " (signal-channel (packed-signal c from to 4) 1 2) 9)",
}


@pytest.fixture(scope="module", params=["(init-cache 3)", "(init-cache 4 'carry)"])
def program(request: pytest.FixtureRequest) -> il.Program:
    entries = "".join(
        f"(define ({name} b c from to) {request.param} {body})\n"
        for name, body in PROCESSORS.items()
    )
    return cogen.loads("(import (signals))\n" + entries, "processors.scm")


@pytest.mark.one_in(10)
@pytest.mark.parametrize("name", PROCESSORS)
def test_processors_leave_memory_as_without_a_cache(program: il.Program, name: str) -> None:
    residual = cogen.specialize(program, name, MEMORY, MEMORY, WORD, WORD)
    rng = random.Random(1)
    for start, count in ((0, 24), (64, 16), (32, 8)):
        b = bytes(rng.choice([7, 7, 9, 200]) for _ in range(61))
        c = rng.randbytes(64)
        outcomes = []
        for run in (program, residual.program.program):
            interpreter = Interpreter(run)
            interpreter.run()
            left, right = bytearray(b), bytearray(c)
            value = interpreter.call(name, [left, right, start, start + 8 * count])
            outcomes.append((value, left, right))
        assert outcomes[0] == outcomes[1]
        assert outcomes[0][1] != b or outcomes[0][2] != c
