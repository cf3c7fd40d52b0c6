"""Comparisons in staged code: `a < b`, `x in whole`."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from cogen.staging.comprehensions import StagedGenerator
from cogen.staging.joinvalues import Missing
from cogen.staging.library import StagedDeque
from cogen.staging.listoperations import contained
from cogen.staging.orderedvalues import comparison, equal, has_staged_parts
from cogen.staging.pooledlists import PooledList
from cogen.staging.sourceplaces import fail
from cogen.staging.stagedarrays import Array, as_array
from cogen.staging.stageditems import is_staged
from cogen.staging.stagedlists import StagedList
from cogen.staging.stagedoptionals import demanded, is_none
from cogen.staging.stagedscalars import Scalar, Staged, apply
from cogen.staging.stagedtables import StagedTable
from cogen.staging.stagedtexts import StagedCharacter, StagedString
from cogen.staging.tableoperations import as_table
from cogen.staging.textoperations import contains

FEW: Final = 16
"""So many known keys are compared with one that a run knows, one by one."""


def compared(name: str, a: Any, b: Any) -> Any:
    """A comparison, by the name of its hook."""
    if name == "contained":
        return _contained(a, b)
    if name == "not_contained":
        found = _contained(a, b)
        return apply("logical_not", found) if isinstance(found, Scalar) else not found
    if name in ("is_", "is_not") and (a is None or b is None):
        none = is_none(b if a is None else a)
        return none if name == "is_" else apply("logical_not", none)
    if name in ("is_", "is_not") and isinstance(a, PooledList) and isinstance(b, PooledList):
        same = a.is_same(b)
        return same if name == "is_" else apply("logical_not", same)
    if name not in ("eq", "ne", "is_", "is_not"):
        a, b = demanded(a), demanded(b)
    return comparison(name, a, b)


def _contained(x: Any, whole: Any) -> Any:
    x, whole = demanded(x), demanded(whole)
    if isinstance(whole, Missing):
        whole.refuse()
    if isinstance(whole, StagedString) or (isinstance(whole, str) and isinstance(x, StagedString)):
        if not isinstance(x, StagedCharacter) or not isinstance(whole, str):
            return contains(whole, x)
        x, whole = x.code, [ord(c) for c in whole]
        whole = np.array(whole) if len(whole) > FEW else whole
    if isinstance(whole, Array):
        return np.any(whole == x)
    if isinstance(whole, StagedDeque):
        whole = whole.rest()
    if isinstance(whole, PooledList):
        whole = whole.staged_list()
    if isinstance(whole, range) and isinstance(x, Scalar):
        return _in_range(x, whole)
    if isinstance(whole, bytes) and isinstance(x, Scalar) and len(whole) > FEW:
        whole = np.array(list(whole))
    if isinstance(whole, np.ndarray) and isinstance(x, Staged):
        return np.any(as_array(whole) == x)
    if isinstance(whole, StagedGenerator):
        whole = whole.staged_list()
    if isinstance(whole, StagedList) and not whole.is_known:
        return contained(whole, x)
    if isinstance(whole, StagedTable):
        return whole.has(x)
    if isinstance(whole, set | frozenset | dict) and is_staged(x):
        if not whole:
            return False
        if len(whole) > FEW or not isinstance(x, Scalar | StagedString):
            return as_table(whole).has(x)
        whole = sorted(whole, key=repr)  # in one order in all processes
    asks = isinstance(x, Scalar | StagedString) and isinstance(whole, list | tuple | str | bytes)
    staged = has_staged_parts(x) or has_staged_parts(whole)
    if asks or (isinstance(whole, list | tuple) and staged):
        found: Any = False
        for y in whole:
            found = apply("logical_or", found, equal(x, y))
        return found
    if isinstance(x, Staged):
        fail("a staged value cannot be looked up: only a run knows it", "use a list or a tuple")
    return x in whole


def _in_range(x: Scalar, whole: range) -> Any:
    """Whether a number is in a range."""
    if not whole:
        return False
    low, high = min(whole[0], whole[-1]), max(whole[0], whole[-1])
    found = apply("logical_and", x >= low, x <= high)
    if x.type.name != "int" or abs(whole.step) > 1:
        found = apply("logical_and", found, apply("equal", (x - low) % abs(whole.step), 0))
    return found
