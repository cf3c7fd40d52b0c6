"""Elements and attributes in staged code: what `whole[index]` is, and what assignments change."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from cogen.staging.joinvalues import Missing
from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedarrays import known
from cogen.staging.stagedlists import StagedList
from cogen.staging.stagedoptionals import demanded
from cogen.staging.stagedrecords import Records
from cogen.staging.stagedscalars import Scalar, Staged
from cogen.staging.stagedtables import TABLES
from cogen.staging.stagedtexts import StagedText, codes_of
from cogen.staging.tracer import current


def slice_of(*given: Any) -> slice:
    """`a[i:j:k]`."""
    return slice(*given)


def getitem(whole: Any, index: Any) -> Any:
    """`whole[index]`."""
    index = demanded(index)
    if isinstance(whole, Staged) or not is_staged(index):
        return whole[index]
    if isinstance(whole, Missing):
        whole.refuse()
    if isinstance(whole, StagedList):
        return whole[index]
    if isinstance(whole, str):
        return StagedText(codes_of(whole))[index]
    if isinstance(whole, np.ndarray):
        if whole.dtype.names:
            return Records({n: known(whole[n]) for n in whole.dtype.names})[index]
        return known(whole)[index]
    if isinstance(whole, list | tuple) and isinstance(index, Scalar):
        return _listed(whole, index)
    if isinstance(whole, dict):
        return TABLES["of"](whole)[index]
    return whole[index]


def is_staged(index: Any) -> bool:
    """Whether an index, or a key, has parts that only a run knows."""
    if isinstance(index, tuple):
        return any(map(is_staged, index))
    if isinstance(index, slice):
        return any(map(is_staged, (index.start, index.stop, index.step)))
    return isinstance(index, Staged)


def _listed(values: Any, index: Scalar) -> Any:
    """An element of a list or tuple, as of an array."""
    from cogen.staging.numpymaking import array

    try:
        return array(list(values))[index]
    except (ValueError, TypeError):
        fail("an element of a list is chosen by what only a run knows",
             "its elements must be numbers; np.array(...) makes an array")  # fmt: skip


def setitem(value: Any, whole: Any, index: Any) -> None:
    """`whole[index] = value`."""
    index = demanded(index)
    if isinstance(whole, Staged):
        value = demanded(value)
    if isinstance(value, Missing):
        value.refuse()
    if isinstance(whole, np.ndarray) and (is_staged(index) or is_staged(value)):
        fail(
            "an array that is known while staging is assigned to, with what only a run knows",
            "make a copy in the function first: a = np.array(a)",
        )
    if isinstance(whole, dict) and is_staged(index):
        whole = TABLES["of"](whole, changes=True)
    if isinstance(whole, list | dict) and not isinstance(whole, StagedList):
        current().touch(whole, f"a {type(whole).__name__}")
    whole[index] = value


def setattr_(value: Any, whole: Any, name: str) -> None:
    """`whole.name = value`."""
    tracer = current()
    if not isinstance(whole, type):
        if tracer.regions and not hasattr(whole, "__dict__"):
            cannot("an object with slots is changed where only a run knows whether")
        tracer.touch(whole, f"`{name}`")
    setattr(whole, name, value)


def delitem(whole: Any, index: Any) -> None:
    """`del whole[index]`."""
    if isinstance(whole, dict) and is_staged(index):
        whole = TABLES["of"](whole, changes=True)
    if isinstance(whole, list | dict) and not isinstance(whole, StagedList):
        current().touch(whole, f"a {type(whole).__name__}")
    del whole[index]


def augment(name: str, old: Any, value: Any) -> Any:
    """`old += value`."""
    if isinstance(old, list | dict | set) and not isinstance(old, StagedList):
        current().touch(old, f"a {type(old).__name__}")
    if isinstance(old, np.ndarray) and isinstance(value, Staged):
        fail(
            "an array that is known while staging is assigned to, with what only a run knows",
            "make a copy in the function first: a = np.array(a)",
        )
    return getattr(operator, name)(old, value)
