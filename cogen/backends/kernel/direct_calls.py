"""The quick way into a compiled entry: arguments of Python's own types, bytes for memory.

Most calls are such: a text as bytes, numbers as ints.  Their checks are comparisons of types, which
are written out for the entry here, as a function of its own; everything else (buffers of other
kinds, arguments that must be refused) goes the long way, which is `slow`.  Where errors are noted
is used again and again: it stays zero as long as nothing fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cogen.backends.kernel.cmodule import CModule
from cogen.backends.kernel.types import BOOL, FLOAT, INT, MEMORY
from cogen.backends.objectcode import foreign

TYPES = {INT: "int", FLOAT: "float", BOOL: "bool", MEMORY: "bytes"}

Failure = Callable[[Any, Sequence[Any]], Exception]


def quick_call(
    module: CModule, function: Any, slow: Callable[..., Any], error: Any, failure: Failure
) -> Callable[..., Any]:
    """A function of the entry's parameters; `slow` itself where there is no quick way.

    `error` is the type of what errors are noted in, `failure` makes the exception of one.
    """
    recursive = "cogen_deep(" in module.text  # where the stack ends is noted beside errors
    if recursive or not all(_is_quick(module, k) for k in range(len(module.parameters))):
        return slow
    names = [f"a{k}" for k in range(len(module.parameters))]
    kinds = [TYPES[parameter.type] for parameter in module.parameters]
    tests = [f"type({name}) is {kind}" for name, kind in zip(names, kinds, strict=True)]
    passed = [
        f"{name}, len({name})" if kind == "bytes" else name
        for name, kind in zip(names, kinds, strict=True)
    ]
    text = _FAILING if module.fails else _PLAIN
    source = text.format(
        parameters=", ".join(names),
        passed="".join(f"{one}, " for one in passed),
        tests=" and ".join(tests) or "True",
    )
    scope: dict[str, Any] = {
        "function": function,
        "slow": slow,
        "free": [],
        "new": foreign.new,
        "ERROR": error,
        "failure": failure,
    }
    exec(compile(source, f"<call of {module.entry}>", "exec"), scope)
    made: Callable[..., Any] = scope["call"]
    return made


def _is_quick(module: CModule, k: int) -> bool:
    parameter = module.parameters[k]
    if parameter.type == MEMORY:
        return not parameter.stored and module.word_size == 8
    return parameter.type in TYPES and parameter.cyclic is None


_PLAIN = """\
def call({parameters}):
    if {tests}:
        try:
            return function({passed})
        except OverflowError:
            pass
    return slow({parameters})
"""

_FAILING = """\
def call({parameters}):
    if {tests}:
        error = free.pop() if free else new(ERROR)
        try:
            result = function({passed}error)
        except OverflowError:
            return slow({parameters})
        if error.code:
            raise failure(error, ({passed}))
        free.append(error)
        return result
    return slow({parameters})
"""
