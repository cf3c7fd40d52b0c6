"""The command `cogen doctor`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

import cogen
from cogen import terminal
from cogen.compiled import is_compiled

if TYPE_CHECKING:
    from rich.table import Table

    from cogen.doctor import Findings


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print data instead of a table.")
def doctor(as_json: bool) -> int:
    """Tell what works here, and what to do about what does not.

    The C compiler, its flags, the cache of compiled code, OpenCL devices and optional packages are
    tried. The exit status is 1 if no native code can be made.
    """
    from cogen.doctor import examine

    found = examine()
    if as_json:
        terminal.write_output(None, json.dumps(found.json(), indent=2) + "\n")
    else:
        from rich.console import Console

        console = Console(highlight=False)
        console.print(_table(found))
        for one in found.problems:
            console.print(f"problem: {one.problem}", style="bold red", soft_wrap=True, markup=False)
            console.print(f"what to do: {one.remedy}", soft_wrap=True, markup=False)
        if not found.problems:
            console.print("no problems", style="green")
    return 0 if found.native else 1


def _table(found: Findings) -> Table:
    from platform import python_version

    from rich.table import Table
    from rich.text import Text

    from cogen.doctor import EXTRAS

    table = Table(title=f"cogen {cogen.__version__}", title_justify="left", show_header=False)
    table.add_column("what", no_wrap=True)
    table.add_column("how it is", overflow="fold")

    def row(what: str, state: str, good: bool = True) -> None:
        table.add_row(what, Text(state, style="" if good else "yellow"))

    row("Python", python_version())
    row("specializer", "compiled modules" if is_compiled() else "Python modules")
    row("C compiler", found.compiler or "none", found.compiler is not None)
    if found.compiler_says:
        brought = f", of the package {found.package}" if found.package else ""
        row("", found.compiler_says + brought)
    row("flags", " ".join(found.flags))
    row("native code", "works" if found.native else "cannot be made", found.native)
    row("threads in arrays", "all processors" if found.threads else "one", found.threads)
    row("cache", found.cache or "none", found.cache is not None)
    row("OpenCL", "\n".join(found.opencl) or "no device", bool(found.opencl))
    told: set[str] = set()
    for extra, packages in EXTRAS.items():
        for package in packages:
            if package in told:
                continue
            told.add(package)
            installed = found.extras[package]
            missing = f"not installed: pip install 'cogen-specializer[{extra}]'"
            row(package, installed or missing, installed is not None)
    return table
