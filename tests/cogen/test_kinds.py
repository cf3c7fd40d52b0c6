"""Kinds: what `cogen.kinds` says of operations holds in runs of them."""

from __future__ import annotations

from itertools import product

import pytest

from cogen import kinds
from cogen.lang.datum import Datum, MutableString
from cogen.lang.prims import PRIMITIVES
from cogen.lang.primtable.checks import PrimitiveError
from cogen.lang.reader import read_datum

pytestmark = pytest.mark.quick

DATA: list[Datum] = [
    *map(read_datum, ("3", "-2", "1.5", "#t", "#f", "#\\a", '"ab"', "sym", "()", "(1 2)")),
    *map(read_datum, ("#(1 2)", "#u8(1 2)")),
    MutableString("ab"),
]
ROWS = [row for row in PRIMITIVES.values() if not row.context and row.effect != "output"]


def test_results_and_arguments_are_of_the_kinds_that_the_table_says() -> None:
    carried_out = 0
    for row in ROWS:
        least, most = row.arity
        for count in range(least, (2 if most is None else min(2, most)) + 1):
            for arguments in product(DATA, repeat=count):
                try:
                    result = row.python(*arguments)
                except (PrimitiveError, RecursionError, MemoryError):
                    continue
                carried_out += 1
                if row.result != "any":
                    assert kinds.of_datum(result) & kinds.of_type(row.result), (row.name, arguments)
                if "type" in row.fails and row.name[0] != "%":  # which say who asks
                    for position, argument in enumerate(arguments):
                        known = kinds.of_datum(argument) & kinds.wanted(row, position)
                        assert known, (row.name, arguments)
    assert carried_out > 2000


@pytest.mark.parametrize("op", [op for op in kinds.PREDICATES if op != "record-is?"])
def test_predicates_say_what_is_so(op: str) -> None:
    answers = {kinds.of_datum(x): set[bool]() for x in DATA}
    for x in DATA:
        answers[kinds.of_datum(x)].add(PRIMITIVES[op].python(x))
    for kind, found in answers.items():
        said = kinds.compare(op, kind)
        assert said is None or found == {said}
        for answer in found:
            assert kinds.refine(op, kind, answer) == kind
