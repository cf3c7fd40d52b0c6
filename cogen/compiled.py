"""Compiled modules, which some wheels have beside the sources, and doing without them.

The modules in which a specialization spends its time may be compiled (`buildhook/hook.py`).  With
COGEN_PURE=1 in the environment their sources are run nevertheless: to compare, or to see whether it
is compiling that makes a difference.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from importlib.util import find_spec
from types import ModuleType
from typing import Final

PURE: Final = "COGEN_PURE"
"""The variable of the environment that asks for sources."""


class SourcesOnly:
    """Finds modules of these packages by their sources."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """As `importlib` asks for it; None for modules of others."""
        if path is None or name.partition(".")[0] != "cogen":
            return None
        for entry in path:
            found = FileFinder(entry, (SourceFileLoader, SOURCE_SUFFIXES)).find_spec(name, target)
            if found is not None:
                return found
        return None


def heed_environment() -> None:
    """Run sources from now on, if the environment asks for that."""
    if os.environ.get(PURE, "0") not in ("", "0") and SourcesOnly not in sys.meta_path:
        sys.meta_path.insert(0, SourcesOnly)


def is_compiled() -> bool:
    """Whether the specializer runs as compiled code."""
    spec = find_spec("cogen.specializer.execution.machine")
    return spec is not None and not (spec.origin or "").endswith(tuple(SOURCE_SUFFIXES))
