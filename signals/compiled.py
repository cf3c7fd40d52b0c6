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
from cogen.signals.kernels import executable, progress
from cogen.signals.layout import AnyLayout, Group, Layout, capacity
from cogen.signals.rows import AnyShape, Rows, to_shape
from cogen.spec.options import Options

RECORDS: Final = {Layout: "vector-signal", Group: "group-signal", Rows: "image"}
"""The record types of signals in (signals signal), and of images in (signals images); their fields
are those of `_known`."""

MAX_VERSIONS: Final = 8
"""Versions of one function for different places of the ends of its signals in their words."""

Parameter = Layout | Group | Rows | Dynamic | Static | Cyclic

End = tuple[int | None, int]
"""Where a signal ends: the place of the address in its word, if that is known; how many samples of
the last group there are."""


@public
def compile(
    program: str | Path | il.Program,
    entry: str,
    *layouts: AnyShape | str | Dynamic | Static | Cyclic,
    word_size: int = 32,
) -> CompiledProcessor:
    """The procedure `entry` of a program (or of its file) for signals of the given layouts.

    One layout for each parameter that is a signal, in the order of the parameters; `Rows` are for
    one that is an image.  Another parameter is given by a binding time, `cogen.static(3)` or
    `cogen.dynamic("int")`.  The result takes a buffer for each layout and a value for each dynamic
    parameter, see `CompiledProcessor`.  CogenError for whatever is wrong with the program or a
    layout.
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
        self._versions: dict[tuple[End, ...], Callable[..., Any]] = {}
        self._residuals: list[cogen.Residual] = []
        self._making = threading.Lock()
        self._version(self._ends([0] * len(self._shapes)))

    @cached_property
    def _shapes(self) -> list[Layout | Group | Rows]:
        """What the signals are laid out as."""
        return [shape for shape in self.parameters if isinstance(shape, Layout | Group | Rows)]

    @property
    def residual(self) -> cogen.Residual:
        """The residual program that was made first: for signals that end where a word does, of
        which `scheme`, `c` and the like are texts."""
        return self._residuals[0]

    @property
    def scheme(self) -> str:
        """The residual program, which `cogen run` accepts."""
        return self.residual.scheme

    @property
    def c(self) -> str:
        """The C text that is compiled."""
        return self.residual.c

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
        return f"<compiled {self.entry} of {len(self._shapes)} signals>"

    def __call__(self, *arguments: Any, count: int | Sequence[int] | None = None) -> Any:
        """Run the procedure; its value.

        `count` samples (with channels: items; of `Rows`, rows) of each signal, or one number for
        each signal.  By default as many of each as the smallest buffer has.  CogenError for
        arguments that do not fit, and for errors of the program.
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
        version = self._version(self._ends(counts))
        passed: list[Any] = []
        remaining = iter(counts)
        for parameter, argument in pairs:
            passed.append(argument)
            if isinstance(parameter, Layout | Group | Rows):
                passed += _addresses(parameter, next(remaining))
        return version(*passed)

    def _counts(
        self, pairs: Sequence[tuple[Parameter, Any]], count: int | Sequence[int] | None
    ) -> list[int]:
        """How many items of each signal."""
        signals = [
            (name, place, parameter, argument)
            for (name, place), (parameter, argument) in zip(self._passed, pairs, strict=True)
            if isinstance(parameter, Layout | Group | Rows)
        ]
        fitting = [
            _fitting(shape, self._size(buffer, name, place))
            for name, place, shape, buffer in signals
        ]
        if count is None:
            return _least(self._shapes, fitting)
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

    def _ends(self, counts: Sequence[int]) -> tuple[End, ...]:
        """Where the signals end in their words; of images, a row."""
        ends: list[End] = []
        for shape, count in zip(self._shapes, counts, strict=True):
            row = shape.layout if isinstance(shape, Rows) else shape
            to, last = _end(row, shape.width if isinstance(shape, Rows) else count)
            ends.append((to % self.word_size, last))
        return tuple(ends)

    def _size(self, buffer: object, name: str, place: Span | None) -> int:
        """The bytes of the buffer for a parameter."""
        try:
            return len(readable(buffer, f"{self.entry}: the argument for {name}"))
        except CogenError as error:
            error.reached(place, ())
            raise

    def _version(self, ends: tuple[End, ...]) -> Callable[..., Any]:
        """The version for signals that end at these places in their words, or for all places."""
        anywhere = tuple((None, last) for _, last in ends)
        found = self._versions.get(ends) or self._versions.get(anywhere)
        if found is not None:
            return found
        with self._making:
            key = ends if len(self._versions) < MAX_VERSIONS else anywhere
            if key not in self._versions:
                self._versions[key] = self._make(key)
            return self._versions[key]

    def _make(self, ends: tuple[End, ...]) -> Callable[..., Any]:
        remaining = iter(ends)
        bts: list[Any] = [
            self._known(parameter, next(remaining))
            if isinstance(parameter, Layout | Group | Rows)
            else parameter
            for parameter in self.parameters
        ]
        with progress(f"compiling {self.entry}"):
            residual = cogen.specialize(self.program, self.entry, *bts, word_size=self.word_size)
            self._residuals.append(residual)
            return executable(residual)

    def _known(self, shape: Layout | Group | Rows, end: End) -> Any:
        """The binding time of a signal, or of an image."""
        if isinstance(shape, Rows):
            row = self._known(shape.layout, end)
            pitch = cogen.static(8 * shape.distance)
            return cogen.record(self._record(shape), row, pitch, cogen.dynamic("int"))
        word = self.word_size
        where: list[Any] = [
            cogen.dynamic("memory"),
            cogen.cyclic(word, shape.offset % word),
            cogen.dynamic("int") if end[0] is None else cogen.cyclic(word, end[0]),
        ]
        field = shape.fields[0]
        kind = "float" if field.float else "signed" if field.signed else "unsigned"
        known: list[Any] = [0, field.size, shape.step, cogen.symbol(kind)]
        if isinstance(shape, Group):
            known[1:1] = [end[1]]
        known.append(cogen.symbol(shape.order))
        if isinstance(shape, Group):
            known.append(tuple([list(piece) for piece in one.pieces] for one in shape.fields))
        where += [cogen.static(value) for value in known]
        return cogen.record(self._record(shape), *where)

    def _record(self, shape: Layout | Group | Rows) -> str:
        """The record type of a signal; CogenError if the program has none."""
        name = RECORDS[type(shape)]
        if not any(record.name == name for record in self.program.records):
            raise CogenError(
                f"{self.entry} cannot have {'images' if isinstance(shape, Rows) else 'signals'} as "
                "parameters: the program has none",
                hint="it must (import (signals))",
            )
        return name


def _fitting(shape: Layout | Group | Rows, length: int) -> int:
    """How many samples, or rows, so many bytes have room for."""
    if not isinstance(shape, Rows):
        return capacity(shape, length)
    fitting = shape.fitting(length)
    return fitting if shape.height is None else min(fitting, shape.height)


def _least(shapes: Sequence[Layout | Group | Rows], fitting: Sequence[int]) -> list[int]:
    """As many samples of each signal, and rows of each image, as the smallest has."""
    rows = [isinstance(shape, Rows) for shape in shapes]
    least = {
        kind: min((n for n, one in zip(fitting, rows, strict=True) if one is kind), default=0)
        for kind in (False, True)
    }
    return [least[kind] for kind in rows]


def _end(layout: AnyLayout, count: int) -> tuple[int, int]:
    """The bit address at which so many items end: that of their last group, if it is not whole, and
    how many samples of it there are."""
    groups, last = divmod(count * layout.per_item, len(layout.fields))
    return layout.offset + groups * layout.step, last


def _addresses(shape: Layout | Group | Rows, count: int) -> list[int]:
    """The bit addresses at which a signal begins and ends; of an image those of its first row, and
    that of the row after the last."""
    if not isinstance(shape, Rows):
        return [shape.offset, _end(shape, count)[0]]
    begin = shape.layout.offset
    return [begin, _end(shape.layout, shape.width)[0], begin + 8 * shape.distance * count]


def _parameter(value: AnyShape | str | Dynamic | Static | Cyclic) -> Parameter:
    if isinstance(value, Dynamic | Static | Cyclic):
        return value
    shape = to_shape(value)
    layout = shape.layout if isinstance(shape, Rows) else shape
    field = layout.fields[0]
    if any((f.size, f.signed, f.float) != (field.size, field.signed, field.float)
           for f in layout.fields):  # fmt: skip
        raise LimitationError(
            "a signal of a program has samples of one size and kind, but this layout is a group "
            "of different fields",
            hint="convert the buffer first: signals.convert(buffer, layout, signals.Layout(16))",
        )
    if layout.scale is not None:
        raise LimitationError(
            "a signal of a program has no scale", hint="let the program scale its samples"
        )
    if field.float and field.size == 16:
        raise LimitationError("a signal of a program cannot have floats of 16 bits")
    return shape
