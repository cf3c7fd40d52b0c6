"""Rows of the primitive table: the process that a program is, and its clocks."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Final

from cogen.lang.datum import Datum, Pair, from_iterable
from cogen.lang.machine import Machine
from cogen.lang.primtable.checks import PrimitiveError
from cogen.lang.primtable.row import PrimitiveRow, row
from cogen.lang.primtable.text import need_string

_FIRST_JIFFY = time.perf_counter_ns()


def exit_status(code: Datum) -> int:
    """The exit status that `(exit code)` means: 0 for #t, 1 for #f, the last byte of a number."""
    if type(code) is int:
        return code & 0xFF
    return int(code is False)


def _exit(machine: Machine, code: Datum = True) -> Datum:
    machine.port.flush()
    machine.error.flush()
    raise SystemExit(exit_status(code))


def _variable(name: Datum) -> Datum:
    found = os.environ.get(need_string("get-environment-variable", name))
    return False if found is None else found


def _variables() -> Datum:
    return from_iterable(Pair(name, value) for name, value in sorted(os.environ.items()))


def _evaluate(name: str) -> Callable[..., Datum]:
    """A part of `eval`, which a machine may have."""

    def done(machine: Machine, *arguments: Datum) -> Datum:
        if machine.evaluate is None:
            raise PrimitiveError("user", NO_EVALUATION)
        return machine.evaluate(name, arguments)

    return done


NO_EVALUATION: Final = "eval: native programs cannot evaluate data; `cogen run` can run the program"
"""What a program is told that was expanded as a whole before it runs."""

ROWS: tuple[PrimitiveRow, ...] = (
    row("emergency-exit", "any", "any", _exit,
        "End the program at once: with status 0 for #t, 1 for #f, or that of a number.",
        effect="output", fails="", arity=(0, 1), context=True),
    row("command-line", "", "list", lambda machine: from_iterable(machine.command_line),
        "The name of the program and the words behind it, as strings.",
        effect="output", fails="", context=True),
    row("get-environment-variable", "string", "any", _variable,
        "The value of a variable of the environment, or #f.", effect="output"),
    row("get-environment-variables", "", "list", _variables,
        "Pairs of the names and values of the environment's variables.",
        effect="output", fails=""),
    row("current-second", "", "float", time.time,
        "Seconds since the beginning of 1970.", effect="output", fails=""),
    row("current-jiffy", "", "int", lambda: time.perf_counter_ns() - _FIRST_JIFFY,
        "Nanoseconds since some moment before.", effect="output", fails=""),
    row("environment", "any", "any", _evaluate("environment"),
        "The environment that import sets name, for `eval`.",
        effect="output", fails="user", arity=(0, None), context=True),
    row("interaction-environment", "", "any", _evaluate("interaction-environment"),
        "The environment of the program's own names, which `eval` may add to.",
        effect="output", fails="user", context=True),
    row("%evaluated", "any any", "procedure", _evaluate("eval"),
        "The procedure that does what a datum says, in an environment.",
        effect="output", fails="type user", context=True),
)  # fmt: skip
