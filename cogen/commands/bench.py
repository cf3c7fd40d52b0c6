"""The command `cogen bench`."""

from __future__ import annotations

import click


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def bench(names: tuple[str, ...], as_json: bool) -> None:
    """Run the benchmarks and print ratios.

    All of them, or those named.
    """
    from cogen.bench.suite import main as run_benchmarks

    run_benchmarks(names, as_json)
