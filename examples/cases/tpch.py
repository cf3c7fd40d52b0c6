"""Tables like those of TPC-H, for queries.py and plans.py: columns are NumPy arrays.

    lineitem = tables(0.1)["lineitem"]      # about 600,000 rows; scale 1 are 6,000,000
    arrow = as_arrow(lineitem)              # a pyarrow.Table, words by dictionary

Dates are days since 1992-01-01.  What is a word is a number, its place in WORDS.
"""

from __future__ import annotations

from datetime import date

import numpy as np

TYPES = [
    f"{a} {b} {c}"
    for a in ("STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO")
    for b in ("ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED")
    for c in ("TIN", "NICKEL", "BRASS", "STEEL", "COPPER")
]
WORDS = {
    "l_returnflag": ["A", "N", "R"],
    "l_linestatus": ["F", "O"],
    "c_mktsegment": ["AUTOMOBILE", "BUILDING", "FURNITURE", "MACHINERY", "HOUSEHOLD"],
    "p_type": TYPES,
}
"""The words that the numbers of a column stand for."""

FIRST = date(1992, 1, 1)
EPOCH = (FIRST - date(1970, 1, 1)).days
"""Arrow's days count from 1970-01-01."""


def day(text: str) -> int:
    """A date as days since 1992-01-01."""
    return (date.fromisoformat(text) - FIRST).days


def tables(scale: float, seed: int = 1) -> dict[str, dict[str, np.ndarray]]:
    """The columns that the queries could read, as dbgen would fill them."""
    random = np.random.default_rng(seed)
    orders, customers, parts = (max(1, int(n * scale)) for n in (1_500_000, 150_000, 200_000))
    part = np.arange(1, parts + 1)
    retail = (90_000 + part // 10 % 20_001 + 100 * (part % 1000)) / 100
    # Of 32 order keys, 8 are used.
    order = np.arange(orders) // 8 * 32 + np.arange(orders) % 8 + 1
    ordered = random.integers(0, day("1998-08-03"), orders, np.int32)
    lines = random.integers(1, 8, orders)
    owner = np.repeat(np.arange(orders), lines)
    n = len(owner)
    quantity = random.integers(1, 51, n).astype(float)
    of_part = random.integers(1, parts + 1, n)
    shipped = ordered[owner] + random.integers(1, 122, n, np.int32)
    received = shipped + random.integers(1, 31, n, np.int32)
    today = day("1995-06-17")
    return {
        "lineitem": {
            "l_orderkey": order[owner],
            "l_partkey": of_part,
            "l_suppkey": random.integers(1, max(2, int(10_000 * scale)), n),
            "l_quantity": quantity,
            "l_extendedprice": np.round(quantity * retail[of_part - 1], 2),
            "l_discount": random.integers(0, 11, n) / 100,
            "l_tax": random.integers(0, 9, n) / 100,
            "l_returnflag": np.where(received <= today, random.integers(0, 2, n) * 2, 1).astype(
                np.int8
            ),
            "l_linestatus": (shipped > today).astype(np.int8),
            "l_shipdate": shipped,
            "l_receiptdate": received,
        },
        "orders": {
            "o_orderkey": order,
            "o_custkey": random.integers(1, customers + 1, orders),
            "o_orderdate": ordered,
            "o_shippriority": np.zeros(orders, np.int32),
        },
        "customer": {
            "c_custkey": np.arange(1, customers + 1),
            "c_mktsegment": random.integers(0, 5, customers, np.int8),
        },
        "part": {
            "p_partkey": part,
            "p_type": random.integers(0, len(TYPES), parts, np.int16),
        },
    }


def as_arrow(table: dict[str, np.ndarray], words: bool = True):
    """A table as pyarrow has it: words by dictionary (or as numbers), days as dates."""
    import pyarrow as pa

    columns = {}
    for name, column in table.items():
        if name in WORDS and words:
            columns[name] = pa.DictionaryArray.from_arrays(pa.array(column), WORDS[name])
        elif name.endswith("date"):
            columns[name] = pa.array(column + EPOCH, pa.int32()).cast(pa.date32())
        else:
            columns[name] = pa.array(column)
    return pa.table(columns)
