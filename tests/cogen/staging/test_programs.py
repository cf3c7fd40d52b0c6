"""Staged functions give what NumPy gives: as they are, interpreted, and compiled."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import cogen
from cogen.staging.stage import Stage
from tests.cogen.staging.programs import CASES


def same(a: Any, b: Any) -> None:
    """See that values are the same, structures and shapes included."""
    if isinstance(a, tuple | list):
        assert type(a) is type(b)
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            same(x, y)
    elif isinstance(a, dict):
        assert list(a) == list(b)
        for key in a:
            same(a[key], b[key])
    elif hasattr(a, "__dataclass_fields__"):
        assert type(a) is type(b)
        same(vars(a), vars(b))
    else:
        x, y = np.asarray(a), np.asarray(b)
        assert x.shape == y.shape
        assert np.allclose(x, y, equal_nan=True), (x, y)


def passed(staged: Stage[Any, Any], args: Any) -> tuple[list[Any], list[Any]]:
    """The arguments that are not static, and all leaves."""
    taken = staged._take(args, {})
    dynamic = [
        value
        for (_, kind), value in zip(taken.kinds.items(), args, strict=True)
        if not (isinstance(kind, tuple) and kind[0] == "known")
    ]
    return dynamic, taken.leaves


@pytest.mark.one_in(12)
@pytest.mark.parametrize(
    ("function", "args"), CASES, ids=[f"{f.__name__}-{k}" for k, (f, _) in enumerate(CASES)]
)
def test_staged_is_what_numpy_gives(function: Any, args: Any) -> None:
    wanted = function(*copy.deepcopy(args))
    staged = cogen.stage(function)
    given = copy.deepcopy(args)
    program = staged.program(*given)
    dynamic, _ = passed(staged, given)
    same(wanted, program.run(*dynamic))
    same(wanted, program.compile()(*dynamic))
    same(wanted, staged(*given))
    same(given, args)  # the caller's arrays are as they were


@pytest.mark.one_in(3)
@pytest.mark.parametrize("off", ["settle", "fuse", "ranges", "copies", "known"])
@pytest.mark.parametrize("name", ["whiles", "breaks", "updates", "buffers", "reductions"])
def test_without_an_optimisation(name: str, off: str) -> None:
    from cogen.array.optimise.optimisations import Options

    function, args = next(pair for pair in CASES if pair[0].__name__ == name)
    wanted = function(*copy.deepcopy(args))
    staged = cogen.stage(function)
    compiled = staged.program(*args).compile(options=Options(off=frozenset({off})))
    same(wanted, compiled(*passed(staged, args)[0]))
