"""Queries over columns in memory: queries.py, plans.py and packed_queries.py of examples/cases
against DuckDB, Polars and C by hand.

DuckDB has its own copy of the columns, made before; Polars reads Arrow's, as we do.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import date
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


_Q3_SQL: Final = """
select l_orderkey, sum(l_extendedprice * (1 - l_discount)) as revenue, o_orderdate, o_shippriority
from customer, orders, lineitem
where c_mktsegment = 1 and c_custkey = o_custkey and l_orderkey = o_orderkey
  and o_orderdate < date '1995-03-15' and l_shipdate > date '1995-03-15'
group by l_orderkey, o_orderdate, o_shippriority
order by revenue desc, o_orderdate limit 10
"""

_Q14_SQL: Final = """
select 100 * sum(case when p_type >= 125 then l_extendedprice * (1 - l_discount) else 0 end)
       / sum(l_extendedprice * (1 - l_discount))
from lineitem, part
where l_partkey = p_partkey
  and l_shipdate >= date '1995-09-01' and l_shipdate < date '1995-10-01'
"""


@cache
def columns(scale: float = SCALE) -> dict[str, dict[str, Any]]:
    """The tables."""
    return example("tpch").tables(scale)  # type: ignore[no-any-return]  # of an example


@cache
def arrow_tables(scale: float = SCALE) -> dict[str, Any]:
    """The tables as Arrow has them."""
    return {name: example("tpch").as_arrow(table) for name, table in columns(scale).items()}


def lineitem(scale: float = SCALE) -> Any:
    """The largest of them."""
    return arrow_tables(scale)["lineitem"]


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


def plan_ways(name: str, sql: str, polars: Any, scale: float) -> Mapping[str, Way]:
    """A plan of plans.py, interpreted by the staged interpreter."""
    plans = example("plans")
    plan, tables = getattr(plans, name), arrow_tables(scale)
    staged = plans.run.program(plan, tables).compile(threads=1)
    shown = plans.q3_rows if name == "Q3" else plans.q14_percent
    return {
        OURS: lambda: shown(staged(tables)),
        **_by_sql(sql, _days if name == "Q3" else lambda found: found[0][0], scale),
        **_by_polars(tables, polars),
    }


def _days(rows: Any) -> Any:
    """Dates as days since 1970."""
    return [(key, revenue, (day - date(1970, 1, 1)).days, own) for key, revenue, day, own in rows]


def q3_ways(scale: float = SCALE) -> Mapping[str, Way]:
    """Q3: two joins, sums by order, of which the ten greatest are shown."""
    return plan_ways("Q3", _Q3_SQL, _polars_q3, scale)


def q14_ways(scale: float = SCALE) -> Mapping[str, Way]:
    """Q14: a join, and two sums."""
    return plan_ways("Q14", _Q14_SQL, _polars_q14, scale)


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
    if isinstance(table, dict):
        frame: Any = {name: pl.from_arrow(own).lazy() for name, own in table.items()}
    else:
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


def _polars_q3(pl: Any, tables: Any) -> Any:
    date_ = pl.date(1995, 3, 15)
    customers = tables["customer"].filter(pl.col("c_mktsegment") == "BUILDING")
    found = (
        customers.join(
            tables["orders"].filter(pl.col("o_orderdate") < date_),
            left_on="c_custkey",
            right_on="o_custkey",
        )
        .join(
            tables["lineitem"].filter(pl.col("l_shipdate") > date_),
            left_on="o_orderkey",
            right_on="l_orderkey",
        )
        .with_columns(revenue=pl.col("l_extendedprice") * (1 - pl.col("l_discount")))
        .group_by("o_orderkey", "o_orderdate", "o_shippriority")
        .agg(pl.col("revenue").sum())
        .select("o_orderkey", "revenue", "o_orderdate", "o_shippriority")
        .sort(["revenue", "o_orderdate"], descending=[True, False])
        .head(10)
        .collect()
    )
    return _days(found.rows())


def _polars_q14(pl: Any, tables: Any) -> Any:
    shipped, revenue = (
        pl.col("l_shipdate"),
        pl.col("l_extendedprice") * (1 - pl.col("l_discount")),
    )
    is_promoted = pl.col("p_type").cast(pl.String).str.starts_with("PROMO")
    found = (
        tables["lineitem"]
        .filter((shipped >= pl.date(1995, 9, 1)) & (shipped < pl.date(1995, 10, 1)))
        .join(tables["part"], left_on="l_partkey", right_on="p_partkey")
        .select(100 * (is_promoted * revenue).sum() / revenue.sum())
        .collect()
    )
    return found.item()


CASES: Final = (
    Study("Q1", q1_ways, {"DuckDB": 3.0}),
    Study("Q1, dense keys", q1_dense_ways, {HAND: 1 / 1.5, "DuckDB": 6.0}),
    Study("Q6", q6_ways, {"DuckDB": 2.0}),
    Study("Q3, as a plan", q3_ways, {"DuckDB": 2.0}),
    Study("Q14, as a plan", q14_ways, {"DuckDB": 2.0}),
    Study("Q1, packed", q1_packed_ways, {"DuckDB": 6.0, "cogen, plain columns": 1.0}),
    Study("Q6, packed", q6_packed_ways, {"DuckDB": 2.0, "cogen, plain columns": 1.0}),
)
