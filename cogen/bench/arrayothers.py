"""Numba and JAX as opponents of `cogen bench array`, where they are installed.

Each writes the programs in its own idiom: Numba as explicit parallel loops, JAX as array operations
that it compiles as a whole (`arraynumba`, `arrayjax`, which are imported where they are needed).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Way = Callable[[], Any]


def numba_way(name: str, arguments: tuple[Any, ...], threads: int) -> Way | None:
    """The program in Numba; None if there is none or Numba is not installed."""
    function = _numba_functions().get(name)
    if function is None:
        return None
    import numba

    numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
    flat = arguments[0] if isinstance(arguments[0], tuple) else arguments
    return lambda: function(*flat)


def jax_way(name: str, arguments: tuple[Any, ...], threads: int) -> Way | None:
    """The program in JAX; None if there is none or JAX is not installed."""
    function = _jax_functions().get(name)
    if function is None:
        return None
    import jax

    flat = arguments[0] if isinstance(arguments[0], tuple) else arguments
    given = [jax.numpy.asarray(a) if isinstance(a, np.ndarray) else a for a in flat]
    return lambda: jax.block_until_ready(function(*given))


def _numba_functions() -> dict[str, Callable[..., Any]]:
    try:
        from cogen.bench.arraynumba import FUNCTIONS
    except ImportError:
        return {}
    return FUNCTIONS


def _jax_functions() -> dict[str, Callable[..., Any]]:
    try:
        from cogen.bench.arrayjax import FUNCTIONS
    except ImportError:
        return {}
    return FUNCTIONS
