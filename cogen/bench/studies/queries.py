"""Queries over columns in memory: examples/cases/queries.py against DuckDB, Polars and C by hand.

DuckDB has its own copy of the columns, made before; Polars reads Arrow's, as we do.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

import numpy as np

from cogen.bench.studies.study import HAND, OURS, Study, Way, by_hand, example

SCALE: Final = 1 / 6
"""Of TPC-H: about a million rows."""

_PROTOTYPES: Final = """
void q1(int64_t n, const double *quantity, const double *extended, const double *discount,
        const double *tax, const int8_t *flag, const int8_t *status, const int32_t *shipped,
        int32_t until, void *out);
double q6(int64_t n, const double *quantity, const double *extended, const double *discount,
          const int32_t *shipped, int32_t since, int32_t until, double low, double high,
          double most);
"""

_Q1_SQL: Final = """
select l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice),
       sum(l_extendedprice * (1 - l_discount)),
       sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)),
       avg(l_quantity), avg(l_extendedprice), avg(l_discount), count(*)
from lineitem where l_shipdate <= date '1998-09-02'
group by l_returnflag, l_linestatus order by l_returnflag, l_linestatus
"""

_Q6_SQL: Final = """
select sum(l_extendedprice * l_discount) from lineitem
where l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01'
  and l_discount between 0.05 - 0.001 and 0.07 + 0.001 and l_quantity < 24
"""


@cache
def columns(scale: float = SCALE) -> dict[str, dict[str, Any]]:
    """The tables."""
    return example("tpch").tables(scale)  # type: ignore[no-any-return]  # of an example


@cache
def lineitem(scale: float = SCALE) -> Any:
    """The largest table, as Arrow has it."""
    return example("tpch").as_arrow(columns(scale)["lineitem"])


def q1_ways(scale: float = SCALE) -> Mapping[str, Way]:
    """Q1: sums by two flags, which are looked up in a table."""
    return _q1_ways("q1", scale)


def q1_dense_ways(scale: float = SCALE) -> Mapping[str, Way]:
    """Q1 with a bucket for each pair of flags."""
    return _q1_ways("q1_dense", scale)


def _q1_ways(name: str, scale: float) -> Mapping[str, Way]:
    queries, until = example("queries"), example("queries").Q1_UNTIL + example("tpch").EPOCH
    table = lineitem(scale)
    staged = getattr(queries, name).program(table, until).compile(threads=1)
    listed = getattr(queries, f"{name}_rows")
    ways: dict[str, Way] = {
        OURS: lambda: listed(staged(table, until)),
        HAND: _q1_by_hand(queries, scale),
    }
    words = [example("tpch").WORDS[name] for name in ("l_returnflag", "l_linestatus")]

    def rows(found: Any) -> Any:
        return [(words[0][flag], words[1][status], *rest) for flag, status, *rest in found]

    return {**ways, **_by_sql(_Q1_SQL, rows, scale), **_by_polars(table, _polars_q1)}


def q6_ways(scale: float = SCALE) -> Mapping[str, Way]:
    """Q6: one sum of what a filter lets through."""
    queries, epoch = example("queries"), example("tpch").EPOCH
    since, until, *rest = queries.Q6_WANTED
    table = lineitem(scale)
    staged = queries.q6.program(table, since + epoch, until + epoch, *rest).compile(threads=1)
    ways: dict[str, Way] = {
        OURS: lambda: staged(table, since + epoch, until + epoch, *rest),
        HAND: _q6_by_hand(queries, scale),
    }
    by_sql = _by_sql(_Q6_SQL, lambda found: found[0][0], scale)
    return {**ways, **by_sql, **_by_polars(table, _polars_q6)}


def q1_packed_ways(scale: float = SCALE) -> Mapping[str, Way]:
    """Q1 over columns that are packed to the bit, against the plain columns."""
    queries, until = example("packed_queries"), example("packed_queries").Q1_UNTIL
    packed = _packed(scale)
    staged = queries.q1.program(*packed, until).compile(threads=1)
    ways = dict(q1_dense_ways(scale))
    ways["cogen, plain columns"] = ways[OURS]
    ways[OURS] = lambda: queries.q1_rows(staged(*packed, until))
    return {OURS: ways.pop(OURS), **ways}


def q6_packed_ways(scale: float = SCALE) -> Mapping[str, Way]:
    """Q6 over columns that are packed to the bit, against the plain columns."""
    queries = example("packed_queries")
    quantity, cents, discount, _, _, shipped, valid = _packed(scale)
    given = quantity, cents, discount, shipped, valid, *queries.Q6_WANTED
    staged = queries.q6.program(*given).compile(threads=1)
    ways = dict(q6_ways(scale))
    ways["cogen, plain columns"] = ways.pop(OURS)
    return {OURS: lambda: staged(*given) / 1e4, **ways}


@cache
def _packed(scale: float) -> Any:
    return example("packed_queries").pack(columns(scale)["lineitem"])


def _pointers(ffi: Any, scale: float, names: str) -> list[Any]:
    types = {"float64": "double[]", "int8": "int8_t[]", "int32": "int32_t[]"}
    found = [columns(scale)["lineitem"][f"l_{name}"] for name in names.split()]
    return [ffi.from_buffer(types[a.dtype.name], a) for a in found]


def _q1_by_hand(queries: Any, scale: float) -> Way:
    ffi, c = by_hand("queries_hand", _PROTOTYPES)
    given = _pointers(
        ffi, scale, "quantity extendedprice discount tax returnflag linestatus shipdate"
    )
    names = ("quantity", "base", "price", "charge", "discount")
    out = np.empty(6, [*[(name, "f8") for name in names], ("count", "i8")])

    def run() -> Any:
        c.q1(len(given[0]), *given, queries.Q1_UNTIL, ffi.from_buffer(out))
        return queries.q1_dense_rows(out)

    return run


def _q6_by_hand(queries: Any, scale: float) -> Way:
    ffi, c = by_hand("queries_hand", _PROTOTYPES)
    given = _pointers(ffi, scale, "quantity extendedprice discount shipdate")
    return lambda: c.q6(len(given[0]), *given, *queries.Q6_WANTED)


def _by_sql(sql: str, result: Callable[[Any], Any], scale: float) -> dict[str, Way]:
    """DuckDB, from tables of its own; words are numbers there as well, which is quicker."""
    try:
        connection = _database(scale)
    except ImportError:
        return {}
    return {"DuckDB": lambda: result(connection.execute(sql).fetchall())}


@cache
def _database(scale: float) -> Any:
    import duckdb

    connection = duckdb.connect()
    connection.execute("set threads = 1")
    for name, table in columns(scale).items():
        arrow = example("tpch").as_arrow(table, words=False)
        connection.register("given", arrow)
        connection.execute(f"create table {name} as select * from given")
        connection.unregister("given")
    return connection


def _by_polars(table: Any, query: Any) -> dict[str, Way]:
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    try:
        import polars as pl
    except ImportError:
        return {}
    frame = pl.from_arrow(table)
    return {"Polars": lambda: query(pl, frame)}


def _polars_q1(pl: Any, frame: Any) -> Any:
    price = pl.col("l_extendedprice") * (1 - pl.col("l_discount"))
    found = (
        frame.lazy()
        .filter(pl.col("l_shipdate") <= pl.date(1998, 9, 2))
        .group_by("l_returnflag", "l_linestatus")
        .agg(
            pl.col("l_quantity").sum(),
            pl.col("l_extendedprice").sum(),
            price.sum().alias("price"),
            (price * (1 + pl.col("l_tax"))).sum().alias("charge"),
            pl.col("l_quantity").mean().alias("average"),
            pl.col("l_extendedprice").mean().alias("average price"),
            pl.col("l_discount").mean(),
            pl.len(),
        )
        .sort(pl.col("l_returnflag").cast(pl.String), pl.col("l_linestatus").cast(pl.String))
        .collect()
    )
    return found.rows()


def _polars_q6(pl: Any, frame: Any) -> Any:
    shipped, discount = pl.col("l_shipdate"), pl.col("l_discount")
    return (
        frame.lazy()
        .filter(
            (shipped >= pl.date(1994, 1, 1))
            & (shipped < pl.date(1995, 1, 1))
            & discount.is_between(0.05 - 0.001, 0.07 + 0.001)
            & (pl.col("l_quantity") < 24)
        )
        .select((pl.col("l_extendedprice") * discount).sum())
        .collect()
        .item()
    )


CASES: Final = (
    Study("Q1", q1_ways, {"DuckDB": 3.0}),
    Study("Q1, dense keys", q1_dense_ways, {HAND: 1 / 1.5, "DuckDB": 6.0}),
    Study("Q6", q6_ways, {"DuckDB": 2.0}),
    Study("Q1, packed", q1_packed_ways, {"DuckDB": 6.0, "cogen, plain columns": 1.0}),
    Study("Q6, packed", q6_packed_ways, {"DuckDB": 2.0, "cogen, plain columns": 1.0}),
)
