"""`compile`: a program over signals, specialized to layouts, as a Python function."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

import cogen
from cogen.boundary import public, public_methods
from cogen.bt import Cyclic, Dynamic, Static
from cogen.expected import shown, text
from cogen.lang import il
from cogen.lang.errors import CogenError, LimitationError, Span
from cogen.lang.ilutil import base_name, parameters
from cogen.lang.signature import parameter_place
from cogen.signals.buffers import readable
from cogen.signals.formats import to_layout
from cogen.signals.kernels import executable, progress
from cogen.signals.layout import AnyLayout, Group, Layout, capacity
from cogen.spec.options import Options

RECORD: Final = "vector-signal"
"""The record type of signals in (signals signal); its fields are those of `_signal`."""

MAX_VERSIONS: Final = 8
"""Versions of one function for different places of the ends of its signals in their words."""

Parameter = Layout | Dynamic | Static | Cyclic


@public
def compile(
    program: str | Path | il.Program,
    entry: str,
    *layouts: AnyLayout | str | Dynamic | Static | Cyclic,
    word_size: int = 32,
) -> CompiledProcessor:
    """The procedure `entry` of a program (or of its file) for signals of the given layouts.

    One layout for each parameter that is a signal, in the order of the parameters; another
    parameter is given by a binding time, `cogen.static(3)` or `cogen.dynamic("int")`.  The
    result takes a buffer for each layout and a value for each dynamic parameter, see
    `CompiledProcessor`.  CogenError for whatever is wrong with the program or a layout.
    """
    text(entry, "the name of a procedure")
    Options(word_size=word_size)
    loaded = program if isinstance(program, il.Program) else cogen.load(program)
    return CompiledProcessor(loaded, entry, [_parameter(x) for x in layouts], word_size)


@public_methods
class CompiledProcessor:
    """A procedure over signals, called with buffers.

    A buffer that the procedure stores to must be writable.  Versions are made when a call needs
    them: one for each place of the signals' ends in their words, or, after a few, one for all.
    Calls may come from any thread.
    """

    def __init__(
        self, program: il.Program, entry: str, parameters: Sequence[Parameter], word_size: int
    ) -> None:
        self.program = program
        self.entry = entry
        self.parameters = tuple(parameters)
        self.word_size = word_size
        self._versions: dict[tuple[int, ...] | None, Callable[..., Any]] = {}
        self._making = threading.Lock()
        self._version(self._ends([0] * self._signals))

    @property
    def _signals(self) -> int:
        return sum(isinstance(parameter, Layout) for parameter in self.parameters)

    @cached_property
    def _procedure(self) -> il.Function | None:
        """The procedure in the program, if that defines one of the name."""
        for item in self.program.items:
            if isinstance(item, il.Define) and item.name == self.entry:
                return item.function
        return None

    @cached_property
    def _passed(self) -> list[tuple[str, Span | None]]:
        """What the program calls the parameters that are passed, and where they stand."""
        function = self._procedure
        names = [] if function is None else [base_name(name) for name in parameters(function)]
        left = len(self.parameters) - len(names)
        names += [names[-1] if names else "a parameter"] * left  # the last takes all the rest
        return [
            (name, None if function is None else parameter_place(function, index))
            for index, (name, parameter) in enumerate(zip(names, self.parameters, strict=False))
            if not isinstance(parameter, Static)
        ]

    def __repr__(self) -> str:
        return f"<compiled {self.entry} of {self._signals} signals>"

    def __call__(self, *arguments: Any, count: int | Sequence[int] | None = None) -> Any:
        """Run the procedure; its value.

        `count` samples (with channels: items) of each signal, or one number for each signal.  By
        default as many of each as the smallest buffer has.  CogenError for arguments that do
        not fit, and for errors of the program.
        """
        taken = [p for p in self.parameters if not isinstance(p, Static)]
        if len(arguments) != len(taken):
            names = ", ".join(name for name, _ in self._passed)
            listed = f"argument{'' if len(taken) == 1 else 's'} ({names})"
            raise CogenError(
                f"{self.entry}: expected {len(taken)} {listed}, got {len(arguments)}",
                None if self._procedure is None else self._procedure.span,
                hint="one buffer for each layout, one value for each dynamic parameter",
            )
        pairs = list(zip(taken, arguments, strict=True))
        counts = self._counts(pairs, count)
        ends = self._ends(counts)
        version = self._version(ends)
        passed: list[Any] = []
        remaining = iter(self._addresses(counts))
        for parameter, argument in pairs:
            if isinstance(parameter, Layout):
                passed += [argument, parameter.offset, next(remaining)]
            else:
                passed.append(argument)
        return version(*passed)

    def _counts(
        self, pairs: Sequence[tuple[Parameter, Any]], count: int | Sequence[int] | None
    ) -> list[int]:
        """How many items of each signal."""
        signals = [
            (name, place, parameter, argument)
            for (name, place), (parameter, argument) in zip(self._passed, pairs, strict=True)
            if isinstance(parameter, Layout)
        ]
        fitting = [
            capacity(layout, self._size(buffer, name, place))
            for name, place, layout, buffer in signals
        ]
        if count is None:
            return [min(fitting)] * len(fitting) if fitting else []
        wanted = list(count) if isinstance(count, Sequence) else [count] * len(fitting)
        if len(wanted) != len(fitting):
            raise CogenError(f"there are {len(fitting)} signals, but {len(wanted)} counts")
        for (name, place, _, _), some, room in zip(signals, wanted, fitting, strict=True):
            whole = isinstance(some, int | np.integer) and not isinstance(some, bool)
            if not whole or not 0 <= some <= room:
                raise CogenError(
                    f"{self.entry}: {name} has room for {room} samples, not {shown(some)}", place
                )
        return [int(some) for some in wanted]

    def _size(self, buffer: object, name: str, place: Span | None) -> int:
        """The bytes of the buffer for a parameter."""
        try:
            return len(readable(buffer, f"{self.entry}: the argument for {name}"))
        except CogenError as error:
            error.reached(place, ())
            raise

    def _addresses(self, counts: Sequence[int]) -> list[int]:
        """The bit addresses at which the signals end."""
        layouts = [parameter for parameter in self.parameters if isinstance(parameter, Layout)]
        return [
            layout.offset + count * layout.channels * layout.step
            for layout, count in zip(layouts, counts, strict=True)
        ]

    def _ends(self, counts: Sequence[int]) -> tuple[int, ...]:
        return tuple(address % self.word_size for address in self._addresses(counts))

    def _version(self, ends: tuple[int, ...]) -> Callable[..., Any]:
        """The version for signals that end at these places in their words."""
        found = self._versions.get(ends)
        if found is not None:
            return found
        with self._making:
            key = ends if len(self._versions) < MAX_VERSIONS else None
            if ends not in self._versions and key not in self._versions:
                self._versions[key] = self._make(key)
            return self._versions.get(ends) or self._versions[key]

    def _make(self, ends: tuple[int, ...] | None) -> Callable[..., Any]:
        bts: list[Any] = []
        number = 0
        for parameter in self.parameters:
            if isinstance(parameter, Layout):
                bts.append(self._signal(parameter, ends[number] if ends is not None else None))
                number += 1
            else:
                bts.append(parameter)
        with progress(f"compiling {self.entry}"):
            residual = cogen.specialize(self.program, self.entry, *bts, word_size=self.word_size)
            return executable(residual)

    def _signal(self, layout: Layout, end: int | None) -> Any:
        """The binding time of a signal; `end` is where it ends in its word, if that is known."""
        if not any(record.name == RECORD for record in self.program.records):
            raise CogenError(
                f"{self.entry} cannot have signals as parameters: the program has none",
                hint="it must (import (signals))",
            )
        kind = "float" if layout.float else "signed" if layout.signed else "unsigned"
        word = self.word_size
        return cogen.record(
            RECORD,
            cogen.dynamic("memory"),
            cogen.cyclic(word, layout.offset % word),
            cogen.dynamic("int") if end is None else cogen.cyclic(word, end),
            cogen.static(0),
            cogen.static(layout.size),
            cogen.static(layout.step),
            cogen.static(cogen.symbol(kind)),
            cogen.static(cogen.symbol(layout.order)),
        )


def _parameter(value: AnyLayout | str | Dynamic | Static | Cyclic) -> Parameter:
    if isinstance(value, Dynamic | Static | Cyclic):
        return value
    layout = to_layout(value)
    if isinstance(layout, Group):
        raise LimitationError(
            "a signal of a program has samples of one size in one piece, but this layout is a "
            "group of fields",
            hint="convert the buffer first: signals.convert(buffer, layout, signals.Layout(16))",
        )
    if layout.scale is not None:
        raise LimitationError(
            "a signal of a program has no scale", hint="let the program scale its samples"
        )
    if layout.float and layout.size == 16:
        raise LimitationError("a signal of a program cannot have floats of 16 bits")
    return layout
