"""The boundary of the Python interface: errors of users leave it without our frames.

A diagnostic says what is wrong and where in the user's program; the way through our modules says
nothing to who called them.  So a traceback ends with the call of the interface.  Bugs of ours keep
their tracebacks, and with COGEN_DEBUG=1 in the environment so do all errors.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property, wraps
from types import FunctionType
from typing import Any, Final, ParamSpec, TypeVar

from cogen.lang.errors import CogenError, InternalError

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)

_SPECIAL: Final = frozenset({"__init__", "__call__", "__getitem__", "_repr_html_"})
"""Methods that are called by people though their names begin with an underscore."""


def leave(error: CogenError) -> None:
    """Take away the frames that an error has come through; who catches it then raises it again, by
    a bare `raise`, which adds none."""
    if isinstance(error, InternalError) or os.environ.get("COGEN_DEBUG"):
        return
    error.__traceback__ = None
    error.__context__ = None


def public(function: Callable[P, R]) -> Callable[P, R]:
    """A function of the interface."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except CogenError as error:
            leave(error)
            raise

    return call


def public_methods(made: C) -> C:
    """A class of the interface: its methods and properties are."""
    for name, value in list(vars(made).items()):
        if name.startswith("_") and name not in _SPECIAL:
            continue
        if isinstance(value, FunctionType):
            setattr(made, name, public(value))
        elif isinstance(value, property) and value.fget is not None:
            setattr(made, name, property(public(value.fget), value.fset, value.fdel, value.__doc__))
        elif isinstance(value, cached_property):
            found: Any = cached_property(public(value.func))
            found.__set_name__(made, name)
            setattr(made, name, found)
    return made
