"""What our own code is: a text that changes whenever a file of the packages does.

What is kept from one run to the next may depend on any part of the product, from the specializer
to the libraries of signals.  In a release the version would do; but files are edited, so their
names, sizes and times of change are asked as well, which is quicker than reading them.
"""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cogen.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

SUFFIXES: Final = (".py", ".scm", ".c", ".h", ".lark", ".so")
"""The files that decide what the product does."""


@cache
def code_identity() -> str:
    """A text that is the same as long as no file of the packages changes."""
    lines = sorted(_files(str(Path(__file__).parent), ""))
    return f"{__version__} {hashlib.sha256(chr(10).join(lines).encode()).hexdigest()}"


def _files(folder: str, name: str) -> Iterator[str]:
    """What is asked of each file of a folder and of those in it; links are followed."""
    with os.scandir(folder) as entries:
        for entry in entries:
            path = f"{name}/{entry.name}"
            if entry.name.endswith(SUFFIXES):
                status = entry.stat()
                yield f"{path} {status.st_size} {status.st_mtime_ns}"
            elif entry.name != "__pycache__" and entry.is_dir():
                yield from _files(entry.path, path)
