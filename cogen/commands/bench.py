"""The command `cogen bench`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
@click.option(
    "--suite",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="Of native: run the programs of a collection, as r7rs-benchmarks or Gambit's bench.",
)
@click.option(
    "--program", "programs", metavar="NAME", multiple=True, help="Of native: only this program."
)
def bench(
    names: tuple[str, ...], as_json: bool, suite: Path | None, programs: tuple[str, ...]
) -> None:
    """Run the benchmarks and print ratios.

    All of them, or those named.
    """
    from cogen.bench.suite import main as run_benchmarks

    run_benchmarks(names, as_json, suite, programs)
