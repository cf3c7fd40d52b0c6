"""Array programs in the Scheme-like language: interpreted, specialized, as Scheme, as L0, as C."""

from __future__ import annotations

import ast
from typing import Any

import cogen
from cogen.array import loads as loads_array
from cogen.array.l0.show import show
from cogen.lang.ilcheck import check
from tests.choices import Stream
from tests.cogen.array.targets import Ways, same
from tests.fuzz.case import Case, Differs, Kind, Skipped, Way, each
from tests.laws.arrayforms import PARAMETERS, arguments, program
from tests.laws.test_array_forms import as_lists, interpreted


def make(stream: Stream) -> Case:
    """A program, which of its parameters are dynamic, what the others are, rows of arguments."""
    text = program(stream, stream.choice((2, 3, 3, 4)))
    known = arguments(stream)
    left = [i for i in range(len(PARAMETERS)) if stream.random() < 0.6]
    rows = []
    for _ in range(2):
        row = arguments(stream)
        rows.append([row[i] if i in left else known[i] for i in range(len(known))])
    return Case("forms", text, {"left": repr(left), "known": repr(known), "rows": repr(rows)})


def given(case: Case, name: str) -> Any:
    return ast.literal_eval(case.given[name])


def residual(case: Case) -> cogen.Residual:
    def find(case: Case) -> Any:
        left, known = given(case, "left"), given(case, "known")
        times = [
            cogen.dynamic(t) if i in left else cogen.static(known[i])
            for i, (_, t) in enumerate(PARAMETERS)
        ]
        limits = {"max_size": 3000, "max_variants": 60}
        try:
            return cogen.specialize(cogen.loads(case.text), "main", *times, **limits)
        except cogen.CogenError as error:
            return error

    return taken(case.once("residual", find), "does not seem to end", "more than")


def taken(found: Any, *limits: str) -> Any:
    """What was found, unless it is an error; `Skipped` if that is of such a kind."""
    if isinstance(found, cogen.CogenError):
        if any(limit in found.message for limit in limits):
            raise Skipped(found.message)
        raise found
    return found


def expected(case: Case) -> list[tuple[list[Any], Any]]:
    """The dynamic arguments of each row, and the value."""

    def find(case: Case) -> Any:
        left = given(case, "left")
        return [
            ([row[i] for i in left], interpreted(case.text, row)) for row in given(case, "rows")
        ]

    return case.once("expected", find)  # type: ignore[no-any-return]


def array(case: Case) -> Any:
    def find(case: Case) -> Any:
        try:
            return residual(case).to_array()
        except cogen.CogenError as error:
            return error

    # the type of an empty array that is known ahead cannot be told
    return taken(case.once("array", find), "the type of an empty array")


def by_scheme(case: Case) -> None:
    made = residual(case)
    check(made.program.program)
    for dynamic, wanted in expected(case):
        found = interpreted(made.scheme, dynamic)
        if found != wanted:
            raise Differs(f"gives {found}, the interpreter {wanted}")


def by_array(case: Case) -> None:
    made = array(case)
    if show(loads_array(made.text).facts.program) != made.text:
        raise Differs("reads back as another text")
    for dynamic, wanted in expected(case):
        found = made.run(*as_lists(dynamic))
        if as_lists(found) != as_lists(wanted):
            raise Differs(f"gives {found}, the interpreter {wanted}")


def by_c(case: Case) -> None:
    made = array(case)
    for dynamic, _ in expected(case):
        lists = as_lists(dynamic)
        found, wanted = Ways(made)("c-2")(*lists), made.run(*lists)
        if not same(found, wanted):
            raise Differs(f"gives {found}, the interpreter {wanted}")


KIND = Kind(
    "forms",
    make,
    (
        Way("scheme", each(by_scheme)),
        Way("array", each(by_array)),
        Way("c-O1", each(by_c), every=60),
    ),
    every=4,
)
