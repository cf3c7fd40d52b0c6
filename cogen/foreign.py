"""Tells when a package of someone else stands in for `lang` or `signals`.

The names of our packages are short, so another distribution may bring one of the same name,
before ours on the import path or over it.  That is told at once, by path, instead of by an
odd AttributeError later.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

MARKER: Final = 'DISTRIBUTION = "cogen-specializer"'
"""The line of `__init__.py` by which a package is known for ours."""

SIBLINGS: Final = ("lang", "signals")


def refuse_foreign_packages(names: tuple[str, ...] = SIBLINGS) -> None:
    """ImportError, naming the path, if a package of one of the names is missing or not ours."""
    for name in names:
        spec = find_spec(name)
        if spec is None:
            raise ImportError(
                f"the package `{name}` is missing, which comes with cogen-specializer: reinstall it"
            )
        read = getattr(spec.loader, "get_source", None)
        source = read(name) if read else None
        where = spec.origin or ", ".join(spec.submodule_search_locations or ["an unknown place"])
        if source is None or MARKER not in source:
            raise ImportError(
                f"the package `{name}` found at {where} is not the one that comes with "
                "cogen-specializer: remove that one, or put ours before it on the import path"
            )
