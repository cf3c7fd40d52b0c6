"""Queries Q1, Q3, Q6 and Q14 of TPC-H as plans, which are data, and an interpreter for them.

    python examples/cases/plans.py [SCALE]

The interpreter is an ordinary one: it goes through a plan, row by row.  Staged, with the plan
known, nothing of it is left: each part of a plan from its tables to what it builds (a table of a
join, the groups) is one loop over the columns that it reads.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from functools import reduce
from operator import and_

import numpy as np
import tpch
from tpch import EPOCH, WORDS, day

import cogen

# Plans.


@dataclass(frozen=True)
class Scan:
    """The rows of a table."""

    table: str


@dataclass(frozen=True)
class Where:
    """The rows for which a condition holds."""

    rows: object
    condition: object


@dataclass(frozen=True)
class Join:
    """The rows of `rows` together with the columns of the one of `other` that has the same key;
    those without one are left out."""

    rows: object
    other: object
    key: str
    other_key: str
    columns: tuple


@dataclass(frozen=True)
class Group:
    """For each combination of the keys, sums of expressions."""

    rows: object
    keys: tuple
    sums: dict


# Expressions: columns are texts, constants numbers or `Word`, the rest tuples.


@dataclass(frozen=True)
class Word:
    """A word, in comparisons with columns of words."""

    text: str


def evaluate(e, row):
    """The value of an expression, for a row or for columns of rows."""
    if isinstance(e, str):
        return row[e]
    if not isinstance(e, tuple):
        return e
    operator, *operands = e
    if operator == "starts":  # known by word: one look into a table
        column, text = operands
        return np.array([word.startswith(text) for word in WORDS[column]])[row[column]]
    if operator == "=" and isinstance(operands[1], Word):
        return row[operands[0]] == WORDS[operands[0]].index(operands[1].text)
    values = [evaluate(x, row) for x in operands]
    return OPERATORS[operator](*values)


OPERATORS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "and": lambda *tests: reduce(and_, tests),
    "if": np.where,
}

COUNT = ("count",)
"""In place of an expression: how many rows there are."""


# The interpreter.


def rows_of(plan, tables):
    """The rows that a plan gives."""
    if isinstance(plan, Scan):
        return tables[plan.table]
    if isinstance(plan, Where):
        rows = rows_of(plan.rows, tables)
        return cogen.filter(lambda row: evaluate(plan.condition, row), rows)
    return joined(plan, rows_of(plan.other, tables), rows_of(plan.rows, tables))


def joined(plan, others, rows):
    """The rows of a join: a table has the place of each key, or -1."""
    keys = others[plan.other_key]
    size = np.max(keys, initial=0) + 1
    places = cogen.bucket_reduce(np.maximum, -1, size, keys, np.arange(len(keys)))

    def place(row):
        key = row[plan.key]
        return places[key] if key < size else -1

    matching = cogen.filter(lambda row: place(row) >= 0, rows)

    def together(row):
        at = place(row)
        own = {name: row[name] for name in plan.columns if name in rows.dtype.names}
        return own | {name: others[name][at] for name in plan.columns if name not in own}

    return cogen.map(together, matching)


def total(e, rows):
    """The sum of an expression over rows."""
    return len(rows) if e == COUNT else np.sum(evaluate(e, rows))


@cogen.stage
def run(plan: cogen.static, tables):
    """What a plan gives: the keys of groups and their sums, or sums of everything."""
    rows = rows_of(plan.rows, tables)
    if not plan.keys:
        return {name: total(e, rows) for name, e in plan.sums.items()}
    keys, groups = cogen.group_by(lambda row: tuple(row[key] for key in plan.keys), rows)
    return keys, cogen.map(
        lambda group: {name: total(e, group) for name, e in plan.sums.items()}, groups
    )


# The queries.

PRICE = ("*", "l_extendedprice", ("-", 1, "l_discount"))

Q1 = Group(
    Where(Scan("lineitem"), ("<=", "l_shipdate", day("1998-09-02") + EPOCH)),
    ("l_returnflag", "l_linestatus"),
    {
        "quantity": "l_quantity",
        "base": "l_extendedprice",
        "price": PRICE,
        "charge": ("*", PRICE, ("+", 1, "l_tax")),
        "discount": "l_discount",
        "count": COUNT,
    },
)

Q3 = Group(
    Join(
        Where(Scan("lineitem"), ("<", day("1995-03-15") + EPOCH, "l_shipdate")),
        Join(
            Where(Scan("orders"), ("<", "o_orderdate", day("1995-03-15") + EPOCH)),
            Where(Scan("customer"), ("=", "c_mktsegment", Word("BUILDING"))),
            "o_custkey",
            "c_custkey",
            ("o_orderkey", "o_orderdate", "o_shippriority"),
        ),
        "l_orderkey",
        "o_orderkey",
        ("l_orderkey", "o_orderdate", "o_shippriority", "l_extendedprice", "l_discount"),
    ),
    ("l_orderkey", "o_orderdate", "o_shippriority"),
    {"revenue": PRICE},
)

Q6 = Group(
    Where(
        Scan("lineitem"),
        (
            "and",
            ("<=", day("1994-01-01") + EPOCH, "l_shipdate"),
            ("<", "l_shipdate", day("1995-01-01") + EPOCH),
            ("<=", 0.05 - 0.001, "l_discount"),
            ("<=", "l_discount", 0.07 + 0.001),
            ("<", "l_quantity", 24),
        ),
    ),
    (),
    {"revenue": ("*", "l_extendedprice", "l_discount")},
)

Q14 = Group(
    Join(
        Where(
            Scan("lineitem"),
            (
                "and",
                ("<=", day("1995-09-01") + EPOCH, "l_shipdate"),
                ("<", "l_shipdate", day("1995-10-01") + EPOCH),
            ),
        ),
        Scan("part"),
        "l_partkey",
        "p_partkey",
        ("p_type", "l_extendedprice", "l_discount"),
    ),
    (),
    {"promotions": ("if", ("starts", "p_type", "PROMO"), PRICE, 0.0), "revenue": PRICE},
)


def q3_rows(found):
    """The ten orders of the greatest revenue."""
    (orders, dates, priorities), sums = found
    first = np.lexsort((dates, -sums["revenue"]))[:10]
    columns = orders, sums["revenue"], dates, priorities
    return list(zip(*[column[first].tolist() for column in columns], strict=True))


def q14_percent(found):
    """The part of promotions in the revenue."""
    return 100 * found["promotions"] / found["revenue"]


def main(scale: float = 0.1) -> None:
    """Run the queries, twice each: the first call compiles."""
    tables = {name: tpch.as_arrow(table) for name, table in tpch.tables(scale).items()}
    for name, plan, shown in (
        ("Q1", Q1, lambda found: found[1]),
        ("Q3", Q3, q3_rows),
        ("Q6", Q6, lambda found: found["revenue"]),
        ("Q14", Q14, q14_percent),
    ):
        run(plan, tables)
        start = time.perf_counter()
        found = run(plan, tables)
        print(f"{name}: {1000 * (time.perf_counter() - start):.2f} ms")
        print(shown(found))


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
