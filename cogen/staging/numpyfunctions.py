"""NumPy's functions of staged arrays: what its protocols call.

Elementwise functions (ufuncs) go through `ufunc`, the others through `FUNCTIONS`; `CREATING` are
those that make arrays, of which staged code calls ours (`cogen.staging.stagedcalls`).  The modules
that are imported here fill both tables, and that of indexing.
"""

from __future__ import annotations

from typing import Any

from cogen.staging import (
    numpyanalysis,
    numpycomplex,
    numpyderived,
    numpyfourier,
    numpylinear,
    numpymaking,
    numpypicking,
    numpyproducts,
    numpyreductions,
    numpyshaping,
    numpysorting,
    numpysums,
    numpywindows,
    realformulas,
    stagedindexing,
)
from cogen.staging.numpyelementwise import ufunc
from cogen.staging.numpytable import CREATING, FUNCTIONS
from cogen.staging.sourceplaces import cannot
from cogen.staging.stagedarrays import Array
from cogen.staging.stagedcomplex import holds_complex
from cogen.staging.stagedscalars import FUNCTION_HANDLER, UFUNC_HANDLER, Staged

FILLING = (
    numpyanalysis, numpycomplex, numpyderived, numpyfourier, numpylinear, numpymaking, numpypicking,
    numpyproducts, numpyreductions, numpyshaping, numpysorting, numpysums,
    numpywindows, realformulas, stagedindexing,
)  # fmt: skip
"""Modules that put their functions into the tables."""


def function(f: Any, args: Any, options: Any) -> Any:
    """A function of NumPy's that got a staged value."""
    if holds_complex(args) or holds_complex(list(options.values())):
        return numpycomplex.complex_function(f, args, options)
    found = FUNCTIONS.get(f) or CREATING.get(f)
    if found is None:
        if _is_known(args) and _is_known(options):
            return f(*_plain(args), **_plain(options))
        cannot(
            f"{_called(f)} is not staged",
            "docs/staging.md lists NumPy's functions that are; cogen.map and loops do the others",
        )
    return found(*args, **options)


def _called(f: Any) -> str:
    """What people call a function of NumPy's."""
    module = str(getattr(f, "__module__", "numpy"))
    folder = module.removeprefix("numpy") if "._" not in module else ""
    return f"np{folder}.{f.__name__}"


def _is_known(x: Any) -> bool:
    if isinstance(x, dict):
        return all(map(_is_known, x.values()))
    if isinstance(x, list | tuple):
        return all(map(_is_known, x))
    return not isinstance(x, Staged) or (isinstance(x, Array) and x.known is not None)


def _plain(x: Any) -> Any:
    """What is known, as NumPy's."""
    if isinstance(x, dict):
        return {name: _plain(part) for name, part in x.items()}
    if isinstance(x, list | tuple):
        parts = [_plain(part) for part in x]
        return type(x)(parts) if type(x) in (list, tuple) else parts
    return x.known if isinstance(x, Array) else x


FUNCTION_HANDLER[0] = function
UFUNC_HANDLER[0] = ufunc

__all__ = ["CREATING", "FUNCTIONS", "function"]
