"""Programs over the whole language: interpreted, specialized, as Scheme, as Python, by a generating
extension, and native, with and without a collector that runs all the time.

What may differ: a result that does not fit in 64 bits may go unreported where it is not used, so
programs in whose run one occurs are passed over; where a loop ends only by a limit, too.  What a
residual program calls its procedures is for people, so it may write others as `#<procedure f>`,
and tell others that a call has a wrong number of arguments.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import cogen
from cogen import binding_times as bt
from cogen.backends.native.compile import compile_program
from cogen.backends.python.pyprogram import PythonProgram
from cogen.lang.datum import Datum, iterate
from cogen.lang.errors import CogenError
from cogen.lang.governor import Budget, Exhausted, governed
from cogen.lang.ilcheck import check
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from cogen.lang.primtable.checks import PrimitiveError
from cogen.lang.printer import write_datum
from cogen.lang.reader import read_datum
from tests.choices import Seeded, Stream
from tests.fuzz.case import Case, Differs, Kind, Skipped, Way, each
from tests.fuzz.wholelanguage import PRELUDE, program
from tests.laws.test_generate import later
from tests.laws.test_generate import outcome as texts
from tests.laws.test_specializer import division_of, split
from tests.randomprograms import Outcome, RandomProgram, outcome, outcome_of

SIZES = (10, 14, 14, 20, 20, 30, 45, 90)
LIMITS = {"max_variants": 60, "max_size": 4000, "max_unfoldings": 4000}
STRESS = {"COGEN_GC_STRESS": "1"}
SECONDS = 120

BUDGET = Budget(5, 200)
"""What a run may take: a random program that takes more is one that does not end."""


class Endless(Skipped):
    """The program does not end, as far as can be seen."""


def make(stream: Stream) -> Case:
    """A program, a division of its parameters, rows of arguments."""
    choices = Seeded(stream)
    generalize = choices.integer(0, 3) == 3
    text, types, rows = program(choices, choices.pick(SIZES))
    data = tuple(tuple(iterate(read_datum(f"({row})"))) for row in rows)
    division = division_of(choices, RandomProgram(text, types, data))
    given = {
        "division": "(" + " ".join(map(bt.show_bt, division)) + ")",
        "arguments": "(" + " ".join(f"({row})" for row in rows) + ")",
        "generalize": str(generalize),
    }
    return Case("language", PRELUDE + text, given)


def rows(case: Case) -> list[tuple[Datum, ...]]:
    data = read_datum(case.given["arguments"])
    return [tuple(iterate(row)) for row in iterate(data)]


def division(case: Case) -> list[bt.BT]:
    whole = bt.parse_bt("(list " + case.given["division"][1:])
    times: list[bt.BT] = []
    while isinstance(whole, bt.Cons):
        times.append(whole.car)
        whole = whole.cdr
    return times


def options(case: Case) -> dict[str, Any]:
    return {**LIMITS, "generalize": case.given["generalize"] == "True"}


def source(case: Case) -> Any:
    def find(case: Case) -> Any:
        try:
            return loads(case.text)
        except CogenError as error:
            return error

    found = case.once("source", find)
    if isinstance(found, CogenError):
        raise Skipped(f"does not load: {found.message}")
    return found


@contextmanager
def noting(found: list[str]) -> Iterator[None]:
    """Notes the failures of primitives by their kind."""
    usual = PrimitiveError.__init__

    def noted(self: PrimitiveError, kind: str, *more: Any) -> None:
        found.append(kind)
        usual(self, kind, *more)

    PrimitiveError.__init__ = noted  # type: ignore[method-assign]
    try:
        yield
    finally:
        PrimitiveError.__init__ = usual  # type: ignore[method-assign]


def expected(case: Case) -> list[tuple[tuple[Datum, ...], tuple[Datum, ...], Outcome]]:
    """The rows that fit the division: all arguments, the dynamic ones, and what the interpreter
    says of them."""

    def find(case: Case) -> Any:
        found: list[Any] = []
        failures: list[str] = []
        times, data = division(case), rows(case)
        with noting(failures):
            for row in data:
                parts = split(times, data[0], row)
                if parts is None:
                    continue
                call = source(case), "main", parts[0]
                try:
                    found.append((*parts, governed("the program", BUDGET, outcome_of, *call)))
                except Exhausted as error:
                    return Endless(error.message)
        return Skipped("a result does not fit in 64 bits") if "overflow" in failures else found

    known = case.once("expected", find)
    if isinstance(known, Skipped):
        raise known
    return known  # type: ignore[no-any-return]


def residual(case: Case) -> cogen.Residual:
    """The residual program; `Differs` if it was refused and should not have been."""

    def find(case: Case) -> Any:
        try:
            return cogen.specialize(source(case), "main", *division(case), **options(case))
        except CogenError as error:
            return error

    found = case.once("residual", find)
    if isinstance(found, CogenError):
        if "does not seem to end" in found.message or "only a run can" in found.message:
            raise Skipped(found.message)
        errors = {wanted.error for _, _, wanted in expected(case)}
        if errors <= {found.message}:
            raise Skipped("certain failure")
        raise Differs(f"specialize: {found}; the interpreter: {errors}")
    return found  # type: ignore[no-any-return]


def nameless(outcome: Outcome) -> Outcome:
    """An outcome in which no procedure that was written, or called wrongly, has a name."""

    def without(text: str | None) -> str | None:
        text = text and re.sub(r"#<procedure [^\s()]*>", "#<procedure>", text)
        return text and re.sub(r"^\S+(?=: expected (at \w+ )?\d+ argument)", "procedure", text)

    return Outcome(without(outcome.output) or "", without(outcome.value), without(outcome.error))


def agree(found: Outcome, wanted: Outcome, row: Sequence[Datum]) -> None:
    if nameless(found) != nameless(wanted):
        raise Differs(f"gives {found}, the interpreter {wanted}, of {list(map(write_datum, row))}")


def by_residual(case: Case) -> None:
    wanted, made = expected(case), residual(case)
    check(made.program.program)
    for _, dynamic, right in wanted:
        agree(outcome_of(made.program.program, "main", dynamic), right, dynamic)


def by_scheme(case: Case) -> None:
    wanted, made = expected(case), residual(case)
    again = loads(made.scheme, "residual.scm")
    for _, dynamic, right in wanted:
        agree(outcome_of(again, "main", dynamic), right, dynamic)


def by_python(case: Case) -> None:
    wanted, made = expected(case), residual(case)
    for _, dynamic, right in wanted:
        stream = io.StringIO()
        python = PythonProgram(made.program.program, output=stream)

        def run(python: PythonProgram = python, dynamic: Any = dynamic) -> Datum:
            python.run()
            return python.call("main", dynamic)

        agree(outcome(stream, run), right, dynamic)


def by_generate(case: Case) -> None:
    times, given = division(case), options(case)
    wanted = texts(cogen.specialize, source(case), "main", *times, **given)
    made = cogen.generate(source(case), "main", *map(later, times), **given)
    found = texts(made, *times)
    if found != wanted:
        first = next(i for i, (a, b) in enumerate(zip(found, wanted, strict=False)) if a != b)
        raise Differs(f"text differs at {first}: {found[first]!r} for {wanted[first]!r}")


ATTEMPT = """
(define (attempt thunk)
  (call/cc
    (lambda (k)
      (with-exception-handler
        (lambda (e)
          (k (if (error-object? e)
                 (begin (display "error: ") (display (error-object-message e))
                        (write (error-object-irritants e)))
                 (begin (display "raised ") (write e)))))
        (lambda () (write (thunk)))))))
"""


def batched(cases: Sequence[Case]) -> str:
    """One program that carries all out, each row on a line that begins with its numbers."""
    lines = [PRELUDE, ATTEMPT]
    for number, case in enumerate(cases):
        body = case.text.removeprefix(PRELUDE)
        for place, row in enumerate(rows(case)):
            call = " ".join(f"'{write_datum(datum)}" for datum in row)
            lines.append(f'(newline) (display "#{number} {place}: ")')
            lines.append(f"(attempt (lambda ()\n{body}(main {call})))")
    return "\n".join(lines)


def lines_of(text: str) -> dict[str, str]:
    """What follows each number."""
    parts = re.split(r"^(#\d+ \d+: )", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=False))


def endless(case: Case) -> Endless | None:
    """Why the program cannot be run with others, if so."""
    try:
        expected(case)
    except Endless as said:
        return said
    except Skipped:
        pass
    return None


def native(environment: dict[str, str]) -> Any:
    """The native way, in an environment."""

    def run(cases: Sequence[Case]) -> Sequence[Exception | None]:
        found = [endless(case) for case in cases]
        verdicts = iter(compared([case for case in cases if not endless(case)]))
        return [next(verdicts) if said is None else said for said in found]

    def compared(cases: Sequence[Case]) -> list[Exception | None]:
        skipped = Skipped("a mistake that is found when the program is loaded")
        if not cases:
            return []
        try:
            whole = loads(batched(cases), "batch.scm")
        except CogenError:
            return [skipped] if len(cases) == 1 else [compared([case])[0] for case in cases]
        stream = io.StringIO()
        try:
            Interpreter(whole, output=stream).run()
        except Exhausted as error:  # in a row that the division does not fit
            return (
                [Endless(error.message)] if len(cases) == 1 else [compared([c])[0] for c in cases]
            )
        wanted = lines_of(stream.getvalue())
        path = compile_program(whole)
        done = subprocess.run(
            [path], capture_output=True, env={**os.environ, **environment}, timeout=SECONDS,
            check=False,
        )  # fmt: skip
        found = lines_of(done.stdout.decode(errors="replace"))
        if done.returncode and len(cases) > 1:
            return [compared([case])[0] for case in cases]
        if done.returncode:
            return [Differs(f"ends with status {done.returncode}: {done.stderr.decode()[:200]}")]
        return [_compared(number, wanted, found) for number in range(len(cases))]

    return run


def _compared(number: int, wanted: dict[str, str], found: dict[str, str]) -> Exception | None:
    for key, right in wanted.items():
        if key.startswith(f"#{number} ") and found.get(key) != right:
            return Differs(f"writes {found.get(key)!r}, the interpreter {right!r}")
    return None


KIND = Kind(
    "language",
    make,
    (
        Way("residual", each(by_residual)),
        Way("scheme", each(by_scheme)),
        Way("python", each(by_python)),
        Way("generate", each(by_generate), every=5),
        Way("native", native({}), every=20, batch=40),
        Way("native-stress", native(STRESS), every=20, batch=40),
    ),
)
