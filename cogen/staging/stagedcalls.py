"""Calls in staged code: which functions are rewritten, which are ours, which run as they are."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, Final

import numpy as np

from cogen.staging.comprehensions import StagedGenerator
from cogen.staging.convertfunctions import convert, is_foreign
from cogen.staging.joinvalues import Missing
from cogen.staging.library import CALL, LIBRARY, cached
from cogen.staging.listoperations import array_of_list
from cogen.staging.numbercalls import NUMBER_CALLS
from cogen.staging.numpyfunctions import CREATING, function
from cogen.staging.pooledlists import PooledList
from cogen.staging.sequencecalls import SEQUENCE_CALLS, LoopSteps, as_callable, is_of_a_run
from cogen.staging.sourceplaces import cannot
from cogen.staging.stagedarrays import Array
from cogen.staging.stageditems import is_staged
from cogen.staging.stagedlists import StagedList
from cogen.staging.stagedoptionals import demanded
from cogen.staging.stagedprocedures import procedure_call, see_procedure
from cogen.staging.stagedrecursion import rolled, see_recursion
from cogen.staging.stagedscalars import Staged
from cogen.staging.stagedtables import StagedTable
from cogen.staging.stagedtexts import TEXT_METHODS
from cogen.staging.tableoperations import TABLE_CALLS, as_table
from cogen.staging.tracer import current

MUTATORS: Final = frozenset({
    "append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "update", "popitem",
    "setdefault", "add", "discard",
})  # fmt: skip
"""Methods that change lists, dictionaries and sets."""

HANDLERS: Final[dict[Any, Callable[..., Any]]] = {
    **SEQUENCE_CALLS,
    **NUMBER_CALLS,
    **CREATING,
    **TABLE_CALLS,
    **LIBRARY,
}
"""Functions that staged code has others for."""

STAGED_LIBRARY: Final = frozenset(LIBRARY.values())

_TAKING_NONE: Final = frozenset({isinstance, bool, list, tuple, dict, set, zip})
"""Python's own functions that take what may be None."""

_GOING_THROUGH: Final = frozenset({
    iter, functools.reduce, math.fsum, math.prod, itertools.accumulate, itertools.chain,
})  # fmt: skip
"""Functions in C that ask lists for their elements, which is refused where that cannot be."""

CREATED: Final = frozenset(CREATING.values())


def _is_numpys(f: Any) -> bool:
    """Whether it is a function of NumPy's that asks the values it gets for another one."""
    return type(f) is type(np.sum)


def _given_to_numpy(x: Any) -> Any:
    """Lists of which only a run knows the length, as arrays."""
    if isinstance(x, PooledList):
        x = x.staged_list()
    if isinstance(x, StagedList) and not x.is_known:
        return array_of_list(x)
    if isinstance(x, list | tuple):
        parts = [_given_to_numpy(part) for part in x]
        return x if all(a is b for a, b in zip(parts, x, strict=True)) else type(x)(parts)
    return x


def _holds_staged(x: Any) -> bool:
    if isinstance(x, list | tuple):
        return any(map(_holds_staged, x))
    return isinstance(x, Staged)


def call(f: Any, /, *args: Any, **options: Any) -> Any:
    """A call in staged code."""
    if isinstance(f, Staged):
        return f(*args, **options)
    if not _takes_none(f):
        args = tuple(map(demanded, args))
    try:
        handler = HANDLERS.get(f)
    except TypeError:
        handler = None
    if _is_numpys(f) or isinstance(f, np.ufunc) or handler in CREATED:
        args = tuple([_given_to_numpy(x) for x in args])
    if handler in STAGED_LIBRARY:
        return _function(handler, args, options)  # type: ignore[arg-type]  # it is one
    if handler is not None:
        return handler(*args, **options)
    if _is_numpys(f) and any(isinstance(x, list | tuple) and _holds_staged(x) for x in args):
        return function(f, args, options)
    if isinstance(f, FunctionType):
        return _function(f, args, options)
    if isinstance(f, MethodType):
        return call(f.__func__, f.__self__, *args, **options)
    if isinstance(f, functools._lru_cache_wrapper):
        return call(_remembered(f), *args, **options)
    own = getattr(f, "_cogen_function_", None)
    if own is not None:
        return call(own, *args, **options)
    if isinstance(f, BuiltinFunctionType):
        return _builtin(f, args, options)
    if isinstance(f, type):
        return _object(f, args, options)
    if isinstance(f, functools.partial):
        return call(f.func, *f.args, *args, **{**f.keywords, **options})
    if isinstance(f, Missing):
        f.refuse()
    method = vars(type(f)).get("__call__")
    if isinstance(method, FunctionType):
        return _function(method, (f, *args), options)
    return f(*args, **options)


def _remembered(f: Any) -> Any:
    """A function that keeps its results (`functools.cache`), with a dictionary of the program's,
    which is there before all loops."""
    tracer = current()
    if id(f) not in tracer.caches:
        made = call(cached, f.__wrapped__)
        tracer.caches[id(f)] = f, made
        for cell in made.__closure__:
            kept = cell.cell_contents
            parts = kept.parts() if isinstance(kept, StagedTable) else []
            for thing in (kept, *parts):
                tracer.births[id(thing)] = thing, 0
    return tracer.caches[id(f)][1]


def _takes_none(f: Any) -> bool:
    """Whether a function is the program's, or puts values into what holds them."""
    if isinstance(f, MethodType):
        return isinstance(f.__self__, StagedList | StagedTable) or _takes_none(f.__func__)
    if isinstance(f, FunctionType):
        return not is_foreign(f) or f.__module__.startswith("cogen.staging")
    return f in _TAKING_NONE if isinstance(f, type | BuiltinFunctionType) else True


def call_last(f: Any, /, *args: Any, **options: Any) -> Any:
    """A call whose result is that of the function that it stands in."""
    own = getattr(f, "_cogen_function_", f)
    if isinstance(own, MethodType):
        return call_last(own.__func__, own.__self__, *args, **options)
    if isinstance(own, FunctionType) and HANDLERS.get(own) is None:
        return _function(own, args, options, last=True)
    return call(f, *args, **options)


def _function(f: FunctionType, args: Any, options: Any, last: bool = False) -> Any:
    if is_foreign(f):
        return f(*args, **options)
    tracer = current()
    tracer.used[f] = None
    if f.__code__ in tracer.rolling.procedures:
        return procedure_call(f, args, options)
    if f.__code__ in tracer.rolling.codes:
        return rolled(f, args, options, last)
    see_procedure(f, args, options, last)
    see_recursion(f, last)
    tracer.enter_call(f.__code__, last, called=(f, args, options))
    try:
        return convert(f)(*args, **options)
    finally:
        tracer.calling.pop()


def _builtin(f: Any, args: Any, options: Any) -> Any:
    """A function or method that is not written in Python."""
    owner = getattr(f, "__self__", None)
    if isinstance(owner, dict | set | frozenset) and _is_of_a_table(owner, args):
        whole = as_table(owner, f.__name__ in MUTATORS)
        return getattr(whole, f.__name__)(*args, **options)
    if isinstance(owner, str) and any(map(_is_of_a_string, args)):
        return TEXT_METHODS[f.__name__](owner, *args, **options)
    if isinstance(owner, list | dict | set) and f.__name__ in MUTATORS:
        current().touch(owner, f"a {type(owner).__name__}")
    if f.__name__ == "copyto" and f.__module__ == "numpy" and isinstance(args[0], Array):
        args[0][...] = args[1]
        return None
    if any(isinstance(x, StagedList) and not x.is_known for x in args) and f not in _GOING_THROUGH:
        cannot(f"`{f.__name__}` is given a list of which only a run knows the length",
               "docs/staging.md lists what is staged")  # fmt: skip
    found = f(*[as_callable(x) for x in args], **_converted(options))
    if isinstance(found, list | dict | set):
        current().made(found)
    return found


def _is_of_a_table(owner: Any, args: Any) -> bool:
    """Whether a dictionary or set is asked for a key that only a run knows."""
    if isinstance(owner, dict):
        return bool(args) and (is_staged(args[0]) or is_of_a_run(args[0]))
    return any(is_staged(x) or is_of_a_run(x) for x in args)


def _is_of_a_string(x: Any) -> bool:
    """Whether a method of a known string is given characters that only a run knows."""
    if isinstance(x, StagedGenerator | LoopSteps) or (isinstance(x, StagedList) and not x.is_known):
        return True
    parts = x if isinstance(x, list | tuple) else [x]
    return any(isinstance(part, Staged) for part in parts)


def _converted(options: dict[str, Any]) -> dict[str, Any]:
    return {name: as_callable(x) for name, x in options.items()}


def _object(kind: type, args: Any, options: Any) -> Any:
    """A new object of a class; its `__init__` is code like other."""
    init = kind.__init__  # type: ignore[misc]  # of the class as it is
    maker: Any = kind.__new__
    plain = type(kind) is type and maker is object.__new__
    if plain and isinstance(init, FunctionType) and not is_foreign(init):
        made = maker(kind)
        current().made(made)
        if convert(init) is not init:
            _function(init, (made, *args), options)
        else:
            made.__init__(*args, **options)
        return made
    if kind in (filter, sorted):
        args = [as_callable(x) for x in args]
    return (
        current().made(kind(*args, **options))
        if kind in (list, dict, set)
        else kind(*args, **options)
    )


CALL.append(call)
