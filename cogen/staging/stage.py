"""`@cogen.stage`: a Python function as array programs, one for each kind of arguments."""

from __future__ import annotations

import functools
import threading
import warnings
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Final,
    Generic,
    ParamSpec,
    TypeVar,
    cast,
    overload,
)

from cogen.array.c.plaincall import plain_key
from cogen.backends.objectcode import toolchain
from cogen.lang.errors import CogenError
from cogen.lang.warning import CogenWarning
from cogen.staging.arguments import STATIC, Packed, parameters_of, surroundings
from cogen.staging.columns import plain
from cogen.staging.convertfunctions import convert
from cogen.staging.kinds import state
from cogen.staging.stagedcalls import call
from cogen.staging.stagedprogram import StagedFunction, StagedProgram, Taken, stage_program, take
from cogen.staging.tracer import making, tracing

if TYPE_CHECKING:
    from cogen.staging.distributing import DistributedStage

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
S = TypeVar("S")

KEPT: Final = 256
"""Programs of one function that are kept; the oldest is forgotten when there are more."""


class _Variant:
    """A program, and its code when it is there."""

    def __init__(self) -> None:
        self.ready = threading.Event()
        self.function: StagedFunction | None = None
        self.error: Exception | None = None
        self.plain = False
        """There is no compiler."""
        self.around: Any = None
        self.program: StagedProgram | None = None

    def is_as_made(self) -> bool:
        """Whether what the functions see besides their arguments is as it was."""
        return self.program is None or self.around == surroundings(self.program.used)


class Stage(Generic[P, R]):
    """A Python function that is staged: called like it, with equal results, from native code.

    Each combination of types and static values makes a program of its own, once.  `background`:
    the function itself answers until the code is there.
    """

    def __init__(self, function: Callable[P, R], background: bool = False) -> None:
        own = getattr(function, "_cogen_function_", function)
        if not isinstance(own, FunctionType):
            raise CogenError(
                f"cogen.stage takes a function, not {type(function).__name__}",
                hint="write it above a `def`: @cogen.stage",
            )
        self._cogen_function_: FunctionType = own
        self.background = background
        self._lock = threading.RLock()
        self._variants: dict[Any, list[_Variant]] = {}
        self._plain: dict[Any, _Variant] = {}
        """The variants for numbers and arrays that are passed as they are, by their kinds."""
        functools.update_wrapper(self, own)

    @functools.cached_property
    def _declared(self) -> tuple[Any, Mapping[str, Any]]:
        return parameters_of(self._cogen_function_)

    # Calls.

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """The function's result."""
        if tracing() is not None:
            return cast(R, call(self._cogen_function_, *args, **kwargs))
        plain = None if kwargs or self._declared[1] else plain_key(args)
        if plain is not None:
            found = self._plain.get((plain, state()))
            if found is not None and found.is_as_made():
                return cast(R, found.function.of_leaves(args))  # type: ignore[union-attr]
        taken = self._take(args, kwargs)
        variant = self._variant(taken)
        if not variant.ready.is_set():
            if self.background:
                return cast(R, self._plainly(args, kwargs))
            variant.ready.wait()
        if variant.error is not None:
            raise variant.error
        if variant.plain or variant.function is None:
            return cast(R, self._plainly(args, kwargs))
        if plain is not None and len(taken.leaves) == len(args) == len(taken.kinds):
            self._plain[plain, state()] = variant
        return cast(R, variant.function.of_leaves(taken.leaves))

    def _take(self, args: Any, kwargs: Any) -> Taken:
        signature, meanings = self._declared
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self._cogen_function_.__name__}() {error}") from None
        bound.apply_defaults()
        return take(bound.arguments, meanings)

    def _variant(self, taken: Taken) -> _Variant:
        """The variant for arguments, which is being made if it is not there."""
        key = taken.key, state()
        with self._lock:
            for variant in self._variants.get(key, ()):
                if variant.is_as_made():
                    return variant
            variant = _Variant()
            self._variants.setdefault(key, []).append(variant)
            while len(self._variants) > KEPT:
                del self._variants[next(iter(self._variants))]
                self._plain.clear()
        if self.background:
            threading.Thread(target=self._make, args=(variant, taken), daemon=True).start()
        else:
            self._make(variant, taken)
            if variant.error is not None:
                self._forget(key, variant)
        return variant

    def _forget(self, key: Any, variant: _Variant) -> None:
        with self._lock:
            found = self._variants.get(key, [])
            if variant in found:
                found.remove(variant)

    def _make(self, variant: _Variant, taken: Taken) -> None:
        try:
            variant.program = self._staged(taken)
            variant.around = surroundings(variant.program.used)
            if _compiler_is_there():
                variant.function = variant.program.compile()
            else:
                variant.plain = True
        except Exception as error:  # told to whoever calls
            variant.error = error
        finally:
            variant.ready.set()

    def _staged(self, taken: Taken) -> StagedProgram:
        """The program for arguments."""
        signature, _ = self._declared
        function = self._cogen_function_

        def run(arguments: dict[str, Any]) -> Any:
            given = signature.bind_partial()
            given.arguments.update(arguments)
            return call(function, *given.args, **given.kwargs)

        return stage_program(function, run, taken)

    def _plainly(self, args: Any, kwargs: Any) -> Any:
        """What the function itself gives; its arguments stay as they are."""
        signature, meanings = self._declared
        bound = signature.bind(*args, **kwargs)
        for name, value in bound.arguments.items():
            meaning = meanings.get(name)
            if isinstance(meaning, Packed):
                bound.arguments[name] = meaning.unpacked(value)
            elif meaning is not STATIC:
                bound.arguments[name] = plain(value)
        with making(None):
            return self._cogen_function_(*bound.args, **bound.kwargs)

    # What is told.

    def program(self, *args: P.args, **kwargs: P.kwargs) -> StagedProgram:
        """The array program for such arguments: `.text`, `.report()`, `.compile(target=...)`."""
        return self._staged(self._take(args, kwargs))

    def report(self, *args: P.args, **kwargs: P.kwargs) -> dict[str, Any]:
        """What became of each array operation, for such arguments."""
        return self.program(*args, **kwargs).report()

    def distribute(self, client: Any, piece_bytes: int = 64 << 20) -> DistributedStage:
        """The function on the workers of a Dask client: called as it is, with Dask arrays,
        dataframes or lists of paths in place of arrays."""
        from cogen.staging.distributing import DistributedStage

        return DistributedStage(self, client, piece_bytes)

    def __reduce__(self) -> str:
        return self._cogen_function_.__qualname__

    def __repr__(self) -> str:
        return f"<staged function {self._cogen_function_.__qualname__}>"

    # Methods.

    @overload
    def __get__(self, instance: None, owner: type[Any]) -> Stage[P, R]: ...

    @overload
    def __get__(
        self: Stage[Concatenate[S, Q], R], instance: S, owner: type[Any] | None = None
    ) -> Method[Q, R]: ...

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else Method(self, instance)


class Method(Generic[Q, R]):
    """A staged method of an object."""

    def __init__(self, stage: Any, instance: Any) -> None:
        self.__func__ = stage
        self.__self__ = instance
        self._cogen_function_ = functools.partial(stage._cogen_function_, instance)
        functools.update_wrapper(self, stage._cogen_function_)

    def __call__(self, *args: Q.args, **kwargs: Q.kwargs) -> R:
        """The method's result."""
        return self.__func__(self.__self__, *args, **kwargs)  # type: ignore[no-any-return]  # as the method gives it

    def program(self, *args: Q.args, **kwargs: Q.kwargs) -> StagedProgram:
        """The array program for such arguments."""
        return self.__func__.program(self.__self__, *args, **kwargs)  # type: ignore[no-any-return]  # a program

    def report(self, *args: Q.args, **kwargs: Q.kwargs) -> dict[str, Any]:
        """What became of each array operation, for such arguments."""
        return self.program(*args, **kwargs).report()


@overload
def stage(function: Callable[P, R], /) -> Stage[P, R]: ...


@overload
def stage(*, background: bool = False) -> Callable[[Callable[P, R]], Stage[P, R]]: ...


def stage(function: Any = None, /, *, background: bool = False) -> Any:
    """Stage a Python function: run it once on values that stand for its arguments, and compile
    what it does to them as an array program, for each kind of arguments.

    Parameters that are annotated `cogen.static` are known while staging; `cogen.packed(layout)`
    takes packed samples; others are numbers, truth values, arrays, strings, bytes, and tuples,
    dictionaries and dataclasses of these.  With `background`, the function itself answers until
    the code is there.  CogenError, with the line in Python, for what cannot be staged.
    """
    if function is None:
        return lambda own: Stage(own, background)
    return Stage(function, background)


_warned = False


def _compiler_is_there() -> bool:
    """Whether there is a C compiler; a warning says so once if there is none."""
    global _warned
    try:
        toolchain.find_compiler()
    except CogenError as error:
        if not _warned:
            _warned = True
            warnings.warn(
                f"staged functions run as they are: {error.message}"
                + (f" ({error.hint})" if error.hint else ""),
                CogenWarning,
                stacklevel=4,
            )
        return False
    return True


__all__ = ["Method", "Stage", "convert", "stage"]
