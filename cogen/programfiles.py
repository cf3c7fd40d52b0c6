"""What commands take for FILE: a file that is there, and what to do if it is not."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import click


class ProgramFile(click.Path):
    """The path of a program that is there; with `dash`, also - for standard input."""

    def __init__(self, dash: bool = True) -> None:
        super().__init__(exists=True, dir_okay=False, allow_dash=dash)

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str | bytes | os.PathLike[str]:
        if os.fspath(value) != "-" and not os.path.exists(value):
            self._missing(os.fspath(value), param, ctx)
        return super().convert(value, param, ctx)

    def _missing(
        self, file: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> NoReturn:
        shown = click.format_filename(file)
        self.fail(f"File {shown!r} does not exist.{_instead(Path(file))}", param, ctx)


def _instead(file: Path) -> str:
    """Which file may be meant: an example, or one whose name is alike."""
    from difflib import get_close_matches

    from cogen.examplefiles import examples

    parts = file.with_suffix("").parts
    if parts[:1] == ("examples",) and "/".join(parts[1:]) in examples():
        return " To have the examples here: cogen examples copy examples"
    folder = file.parent
    if not folder.is_dir():
        return ""
    names = [one.name for one in folder.iterdir() if one.is_file()]
    near = get_close_matches(file.name, sorted(names), n=1)
    return f" Did you mean {str(folder / near[0])!r}?" if near else ""
