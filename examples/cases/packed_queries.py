"""Queries Q1 and Q6 of TPC-H over columns that are packed to the bit, without unpacking them.

    python examples/cases/packed_queries.py [SCALE]

An item takes 54 bits instead of 304: prices in cents have 24 bits, quantities 6, percentages 4, the
two flags together 3, dates 12, and one says whether the item is valid.  A loop reads the words
themselves; sums of cents are exact.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

import numpy as np
import tpch
from tpch import WORDS, day

import cogen
from cogen import signals

LAYOUTS = {
    "quantity": "size=6",
    "cents": "size=24",
    "discount": "size=4",
    "tax": "size=4",
    "flags": "size=3",
    "shipped": "size=12",
    "valid": "size=1",
}
STATUSES = len(WORDS["l_linestatus"])


def pack(lineitem):
    """The columns as bytes; behind the last item there are invalid ones, up to whole bytes."""
    cents = np.rint(lineitem["l_extendedprice"] * 100).astype(np.int64)
    columns = {
        "quantity": lineitem["l_quantity"].astype(np.int64),
        "cents": cents,
        "discount": np.rint(lineitem["l_discount"] * 100).astype(np.int64),
        "tax": np.rint(lineitem["l_tax"] * 100).astype(np.int64),
        "flags": lineitem["l_returnflag"] * STATUSES + lineitem["l_linestatus"],
        "shipped": lineitem["l_shipdate"],
        "valid": np.ones(len(cents), np.int64),
    }
    rest = -len(cents) % 8
    return [
        bytes(signals.pack(np.append(column, np.zeros(rest, column.dtype)), LAYOUTS[name]))
        for name, column in columns.items()
    ]


@dataclass
class Item:
    """An item: whole cents and percents."""

    quantity: int
    cents: int
    discount: int
    tax: int
    flags: int
    shipped: int
    valid: int


@dataclass
class Sums:
    """What Q1 adds up of each item, in cents and parts of them."""

    quantity: int = 0
    cents: int = 0
    price: int = 0
    charge: int = 0
    discount: int = 0
    count: int = 0

    def __add__(self, other):
        return Sums(
            self.quantity + other.quantity,
            self.cents + other.cents,
            self.price + other.price,
            self.charge + other.charge,
            self.discount + other.discount,
            self.count + other.count,
        )


def sums_of(item):
    """An item's part of the sums."""
    price = item.cents * (100 - item.discount)
    charge = price * (100 + item.tax)
    return Sums(item.quantity, item.cents, price, charge, item.discount, 1)


@cogen.stage
def q1(
    quantity: cogen.packed(LAYOUTS["quantity"]),
    cents: cogen.packed(LAYOUTS["cents"]),
    discount: cogen.packed(LAYOUTS["discount"]),
    tax: cogen.packed(LAYOUTS["tax"]),
    flags: cogen.packed(LAYOUTS["flags"]),
    shipped: cogen.packed(LAYOUTS["shipped"]),
    valid: cogen.packed(LAYOUTS["valid"]),
    until,
):
    """Prices and counts of what was shipped, by flags."""
    items = cogen.map(Item, quantity, cents, discount, tax, flags, shipped, valid)
    kept = cogen.filter(lambda item: item.valid == 1 and item.shipped <= until, items)
    sums = cogen.map(sums_of, kept)
    return cogen.bucket_reduce(lambda a, b: a + b, Sums(), 8, kept.flags, sums)


@cogen.stage
def q6(
    quantity: cogen.packed(LAYOUTS["quantity"]),
    cents: cogen.packed(LAYOUTS["cents"]),
    discount: cogen.packed(LAYOUTS["discount"]),
    shipped: cogen.packed(LAYOUTS["shipped"]),
    valid: cogen.packed(LAYOUTS["valid"]),
    since,
    until,
    low,
    high,
    most,
):
    """The revenue that small orders with a certain discount would have made without it, in parts of
    cents."""
    wanted = (since <= shipped) & (shipped < until) & (low <= discount) & (discount <= high)
    wanted = wanted & (quantity < most) & (valid == 1)
    return np.sum(np.where(wanted, cents * discount, 0))


Q1_UNTIL = day("1998-09-02")
Q6_WANTED = (day("1994-01-01"), day("1995-01-01"), 5, 7, 24)


def q1_rows(found):
    """What Q1 gives, as the rows that SQL would: in whole units, with averages."""
    rows = []
    for k in np.flatnonzero(found["count"]):
        quantity, cents, price, charge, discount, count = found[k].tolist()
        names = WORDS["l_returnflag"][k // STATUSES], WORDS["l_linestatus"][k % STATUSES]
        amounts = quantity, cents / 1e2, price / 1e4, charge / 1e6
        averages = quantity / count, cents / 1e2 / count, discount / 1e2 / count
        rows.append((*names, *amounts, *averages, count))
    return rows


def main(scale: float = 0.1) -> None:
    """Run the queries, twice each: the first call compiles."""
    columns = pack(tpch.tables(scale)["lineitem"])
    print(f"{sum(map(len, columns)):,} bytes")
    quantity, cents, discount, _, _, shipped, valid = columns
    for name, run in (
        ("Q1", lambda: q1_rows(q1(*columns, Q1_UNTIL))),
        ("Q6", lambda: q6(quantity, cents, discount, shipped, valid, *Q6_WANTED) / 1e4),
    ):
        run()
        start = time.perf_counter()
        found = run()
        print(f"{name}: {1000 * (time.perf_counter() - start):.2f} ms")
        for row in found if isinstance(found, list) else [found]:
            print("  ", row)


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
