"""What specialization makes of a case, in a process of its own with bounded time and memory."""

from __future__ import annotations

import multiprocessing
import re
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import Any

import cogen
from cogen import binding_times
from cogen.convert import from_datum, to_datum
from cogen.lang import il
from cogen.lang.datum import Datum, Symbol
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter as Machine
from cogen.lang.printer import write_datum
from cogen.lang.reader import read_datum
from tests.corpus.cases import Case, pairs, quoted, symbols

SECONDS = 10
"""CPU time that specialization may take; half as much again for all checks that follow."""
MEMORY = 3 << 30
"""Bytes of address space that the process may take beyond what it began with."""
PATIENCE = 300
"""Seconds of the clock after which a process that says nothing is given up."""
STEPS = 3_000_000
"""Calls, returns and jumps of one run."""

NOT_ENOUGH_TIME = f"no end in {SECONDS} s"


@dataclass(frozen=True)
class Outcome:
    """A row of the report."""

    failure: str | None = NOT_ENOUGH_TIME
    """None if specialization came to an end."""
    seconds: float = SECONDS
    """CPU time of the specialization."""
    size: int = 0
    """Pairs of the residual program in Scheme."""
    ratio: float = 0.0
    """The same in terms of the ideal's."""
    left: tuple[str, ...] = ()
    """Names and quoted data in the residual program that should be gone."""
    interpreted: str = "-"
    """`yes`, or what was wrong with the residual program's results in the interpreter."""
    python: str = "-"
    """The same as Python."""
    compiled: str = "-"
    """The same in C."""
    generated: str = "-"
    """`yes` if the generating extension gives the same text."""
    work: float = 0
    """Residual operations that were made, those included that were given up again."""
    calls: float = 0
    """Calls that were unfolded, by the attempt that led to the residual program."""
    text: str = ""
    """The residual program."""

    def faults(self, at_most: float) -> list[str]:
        """What is wrong with it, if it may be so many times as large as the ideal."""
        if self.failure is not None:
            return [self.failure]
        found = []
        if self.ratio > at_most:
            found.append(f"{self.ratio:.1f} times as large as the ideal")
        if self.left:
            found.append("left: " + " ".join(self.left))
        for way in ("interpreted", "python", "compiled", "generated"):
            if getattr(self, way) not in ("yes", "-"):
                found.append(f"{way}: {getattr(self, way)}")
        return found


def measure(case: Case, compiled: bool = False, generated: bool = False) -> Outcome:
    """Specialize a case with plain defaults, and look at what comes out."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    worker = multiprocessing.get_context("fork").Process(
        target=_work, args=(case, compiled, generated, sender)
    )
    worker.start()
    sender.close()
    outcome = Outcome()
    try:
        while receiver.poll(PATIENCE):
            outcome = receiver.recv()
        worker.kill()
        worker.join()
    except EOFError:
        worker.join()
    if worker.exitcode and outcome.failure is None and outcome.interpreted == "-":
        return replace(outcome, interpreted="no end")
    return outcome


def _work(case: Case, compiled: bool, generated: bool, out: Connection) -> None:
    limit = _address_space() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    program = case.interpreter.loaded
    _allow(SECONDS)
    started = time.process_time()
    try:
        residual = cogen.specialize(program, case.interpreter.entry, *case.times)
    except CogenError as error:
        seconds = time.process_time() - started
        out.send(Outcome(failure=str(error).splitlines()[0], seconds=seconds))
        return
    except MemoryError:
        out.send(Outcome(failure="out of memory", seconds=time.process_time() - started))
        return
    seconds = time.process_time() - started
    _allow(SECONDS // 2)
    text = residual.scheme
    datum = read_datum(f"({text}\n)")
    size = pairs(datum)
    outcome = Outcome(None, seconds, size, size / case.ideal_pairs, tuple(leftovers(case, datum)))
    counts = residual.statistics
    outcome = replace(outcome, work=counts["operations emitted"], text=text)
    outcome = replace(outcome, calls=counts["calls unfolded"])
    out.send(outcome)
    outcome = replace(outcome, interpreted=_interpreted(case, residual.program.program))
    out.send(outcome)
    outcome = replace(outcome, python=_called(case, residual.to_python))
    out.send(outcome)
    if compiled:
        _allow(SECONDS)
        outcome = replace(outcome, compiled=_called(case, residual.compile))
        out.send(outcome)
    if generated:
        _allow(2 * SECONDS)
        out.send(replace(outcome, generated=_generated(case, program, text)))


def _address_space() -> int:
    """Bytes of address space of this process: of a test's worker, many are of others' stacks."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def _allow(seconds: float) -> None:
    """The process may take so much more CPU time."""
    limit = int(time.process_time() + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))


def results(case: Case, program: il.Program, known: bool) -> list[str]:
    """What a program gives for a case's inputs, as text; `known`: with the static arguments."""
    machine = Machine(program, max_steps=STEPS)
    machine.run()
    found = []
    for inputs, _ in case.runs:
        arguments = case.arguments(inputs) if known else list(inputs)
        found.append(write_datum(machine.call(case.interpreter.entry, arguments)))
    return found


def expected(case: Case) -> list[str]:
    """What a case's runs should give: what it says, or else what the interpreter gives."""
    if any(result is None for _, result in case.runs):
        return results(case, case.interpreter.loaded, known=True)
    return [write_datum(result) for _, result in case.runs]


def leftovers(case: Case, residual: Datum) -> list[str]:
    """Names and quoted data of a residual program that should not be there; those that the case
    allows may have numbers at their ends."""
    found = dict.fromkeys(
        name
        for name in symbols(residual)
        if re.sub(r"(-\d+)+$", "", name) in case.interpreter.left or name in case.interpreter.left
    )
    allowed = case.interpreter.data
    for constant in quoted(residual):
        inside = {re.sub(r"\d+$", "", name) for name in symbols(constant)}
        if not inside <= allowed or not (isinstance(constant, Symbol) or "*" in allowed):
            text = write_datum(constant)
            found["'" + (text if len(text) <= 30 else text[:29] + "…")] = None
    return list(found)


def _interpreted(case: Case, program: il.Program) -> str:
    try:
        return _compared(expected(case), results(case, program, known=False))
    except CogenError as error:
        return str(error).splitlines()[0]


def _called(case: Case, load: Callable[[], Callable[..., Any]]) -> str:
    try:
        function = load()
        found = [function(*map(from_datum, inputs)) for inputs, _ in case.runs]
        return _compared(expected(case), [write_datum(to_datum(value)) for value in found])
    except CogenError as error:
        return str(error).splitlines()[0]


def _compared(wanted: list[str], found: list[str]) -> str:
    for a, b in zip(wanted, found, strict=True):
        if a != b:
            return f"{b}, not {a}"
    return "yes"


def _generated(case: Case, program: il.Program, text: str) -> str:
    division = [
        binding_times.Later() if isinstance(bt, binding_times.Static) else bt for bt in case.times
    ]
    extension = cogen.generate(program, case.interpreter.entry, *division)
    try:
        return "yes" if extension(*case.times).scheme == text else "another text"
    except CogenError as error:
        return str(error).splitlines()[0]
