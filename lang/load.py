"""The pipeline from text to IL."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path

from cogen.lang import il
from cogen.lang.cps import convert
from cogen.lang.errors import Source
from cogen.lang.expand import expand
from cogen.lang.files import read_source
from cogen.lang.governor import READING, Budget


def load(
    path: str | PathLike[str], library_path: Sequence[Path] = (), budget: Budget = READING
) -> il.Program:
    """The IL of the program in a file.

    `library_path` are directories to look imported libraries up in, after the file's own.
    Raises `CogenError` if the file cannot be read, there is anything wrong with the program, or
    reading and expanding it takes more than the budget.
    """
    return load_source(read_source(Path(fspath(path))), library_path, budget)


def loads(
    text: str,
    name: str = "<string>",
    library_path: Sequence[Path] = (),
    budget: Budget = READING,
) -> il.Program:
    """The IL of a program given as text, which diagnostics call `name`."""
    return load_source(Source(name, text), library_path, budget)


def load_source(
    source: Source, library_path: Sequence[Path] = (), budget: Budget = READING
) -> il.Program:
    """The IL of a program that has been read."""
    return convert(expand(source, library_path, budget))
