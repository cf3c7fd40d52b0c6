"""Queries Q1 and Q6 of TPC-H in Python, over the columns of an Arrow table.

    python examples/cases/queries.py [SCALE]

A table is an array of records; what a query does not read of it is never touched.  Each query
becomes one loop: what is filtered out, computed and grouped is nowhere in memory.
"""

from __future__ import annotations

import sys
import time
from dataclasses import astuple, dataclass
from operator import add

import numpy as np
import tpch
from tpch import WORDS, day

import cogen

FLAGS, STATUSES = len(WORDS["l_returnflag"]), len(WORDS["l_linestatus"])


@cogen.stage
def q6(lineitem, since, until, low, high, most):
    """The revenue that small orders with a certain discount would have made without it."""

    def wanted(item):
        return (
            since <= item.l_shipdate < until
            and low <= item.l_discount <= high
            and item.l_quantity < most
        )

    items = cogen.filter(wanted, lineitem)
    return np.sum(items.l_extendedprice * items.l_discount)


@cogen.stage
def q1(lineitem, until):
    """Prices and counts of what was shipped, by return flag and line status."""
    items = cogen.filter(lambda item: item.l_shipdate <= until, lineitem)
    keys, groups = cogen.group_by(lambda item: (item.l_returnflag, item.l_linestatus), items)

    def summary(group):
        price = group.l_extendedprice * (1 - group.l_discount)
        return {
            "quantity": np.sum(group.l_quantity),
            "base": np.sum(group.l_extendedprice),
            "price": np.sum(price),
            "charge": np.sum(price * (1 + group.l_tax)),
            "average_quantity": np.mean(group.l_quantity),
            "average_base": np.mean(group.l_extendedprice),
            "average_discount": np.mean(group.l_discount),
            "count": len(group.l_quantity),
        }

    return keys, cogen.map(summary, groups)


@dataclass
class Sums:
    """What Q1 adds up of each item."""

    quantity: float = 0.0
    base: float = 0.0
    price: float = 0.0
    charge: float = 0.0
    discount: float = 0.0
    count: int = 0

    def __add__(self, other):
        return Sums(*[a + b for a, b in zip(astuple(self), astuple(other), strict=True)])


def sums_of(item):
    """An item's part of the sums."""
    price = item.l_extendedprice * (1 - item.l_discount)
    charge = price * (1 + item.l_tax)
    return Sums(item.l_quantity, item.l_extendedprice, price, charge, item.l_discount, 1)


@cogen.stage
def q1_dense(lineitem, until):
    """The same where it is known how many flags there are: a bucket for each pair of them."""

    items = cogen.filter(lambda item: item.l_shipdate <= until, lineitem)
    keys = cogen.map(lambda item: item.l_returnflag * STATUSES + item.l_linestatus, items)
    return cogen.bucket_reduce(add, Sums(), FLAGS * STATUSES, keys, cogen.map(sums_of, items))


Q1_UNTIL = day("1998-09-02")
Q6_WANTED = (day("1994-01-01"), day("1995-01-01"), 0.05 - 0.001, 0.07 + 0.001, 24)


def q1_rows(found):
    """What Q1 gives, as the rows that SQL would."""
    (flags, statuses), summaries = found
    words = WORDS["l_returnflag"], WORDS["l_linestatus"]
    rows = zip(flags, statuses, summaries.tolist(), strict=True)
    return sorted((words[0][flag], words[1][status], *rest) for flag, status, rest in rows)


def q1_dense_rows(found):
    """The same: without empty groups, with averages."""
    rows = []
    for k in np.flatnonzero(found["count"]):
        quantity, base, price, charge, discount, count = found[k].tolist()
        names = WORDS["l_returnflag"][k // STATUSES], WORDS["l_linestatus"][k % STATUSES]
        averages = quantity / count, base / count, discount / count
        rows.append((*names, quantity, base, price, charge, *averages, count))
    return rows


def main(scale: float = 0.1) -> None:
    """Run the queries, twice each: the first call compiles."""
    lineitem = tpch.as_arrow(tpch.tables(scale)["lineitem"])
    print(f"{lineitem.num_rows:,} rows")
    first = tpch.EPOCH
    wanted = (Q6_WANTED[0] + first, Q6_WANTED[1] + first, *Q6_WANTED[2:])
    for name, run in (
        ("Q1", lambda: q1_rows(q1(lineitem, Q1_UNTIL + first))),
        ("Q1, a bucket for each pair", lambda: q1_dense_rows(q1_dense(lineitem, Q1_UNTIL + first))),
        ("Q6", lambda: q6(lineitem, *wanted)),
    ):
        run()
        start = time.perf_counter()
        found = run()
        print(f"{name}: {1000 * (time.perf_counter() - start):.2f} ms")
        for row in found if isinstance(found, list) else [found]:
            print("  ", row)


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
