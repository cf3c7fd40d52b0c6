"""`compile`: a program over signals, specialized to layouts, as a Python function."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

import cogen
from cogen import binding_times
from cogen.boundary import public, public_methods
from cogen.expected import flag, shown, text
from cogen.lang import il
from cogen.lang.errors import CogenError, LimitationError, Span
from cogen.lang.ilutil import base_name, parameters
from cogen.lang.signature import parameter_place
from cogen.signals.buffers import new_array, readable
from cogen.signals.kernels import executable, progress
from cogen.signals.layout import AnyLayout, Group, Layout, capacity
from cogen.signals.outputs import Out, each, notes_on_lengths
from cogen.signals.rows import AnyShape, Rows, to_shape
from cogen.specializer.versions.options import SpecializerOptions

RECORDS: Final = {Layout: "vector-signal", Group: "group-signal", Rows: "image"}
"""The record types of signals in (signals signal), and of images in (signals images); their fields
are those of `_known`."""

MAX_VERSIONS: Final = 8
"""Versions of one function for different places of the ends of its signals in their words."""

Parameter = (
    Layout
    | Group
    | Rows
    | Out
    | binding_times.Dynamic
    | binding_times.Static
    | binding_times.Cyclic
)

End = tuple[int | None, int]
"""Where a signal ends: the place of the address in its word, if that is known; how many samples of
the last group there are."""


@public
def compile(
    program: str | Path | il.Program,
    entry: str,
    *layouts: Any,
    word_size: int | Literal["auto"] = 32,
    value: bool = False,
) -> CompiledProcessor:
    """The procedure `entry` of a program (or of its file) for signals of the given layouts.

    One layout for each parameter that is a signal, in the order of the parameters; `Rows` are for
    one that is an image, `signals.Out(layout)` for one that calls make and give back.  Another
    parameter is given by a binding time, `cogen.static(3)` or `cogen.dynamic("int")`; numbers,
    lists and tuples are static.  The result takes a buffer for each layout and a value for each
    dynamic parameter, see `CompiledProcessor`; with `value`, calls give the procedure's value
    before the outputs.  With the word size "auto", a call with data enough tries several sizes, and
    takes the quickest.  CogenError for whatever is wrong with the program or a layout.
    """
    text(entry, "the name of a procedure")
    if not isinstance(word_size, str):
        SpecializerOptions(word_size=word_size)
    elif word_size != "auto":
        raise CogenError(f'the word size is a number or "auto", not {shown(word_size)}')
    loaded = program if isinstance(program, il.Program) else cogen.load(program)
    parameters = [_parameter(x) for x in layouts]
    if isinstance(word_size, str):
        from cogen.signals.trials import TriedProcessor

        return TriedProcessor(loaded, entry, parameters, flag(value, "value"))
    return CompiledProcessor(loaded, entry, parameters, word_size, flag(value, "value"))


@public_methods
class CompiledProcessor:
    """A procedure over signals, called with buffers.

    A buffer that the procedure stores to must be writable.  Without outputs (`signals.Out`) a call
    gives the procedure's value; with outputs it gives them, a tuple of several.  Versions are made
    when a call needs them: one for each place of the signals' ends in their words, or, after a few,
    one for all.  Calls may come from any thread.
    """

    def __init__(
        self,
        program: il.Program,
        entry: str,
        parameters: Sequence[Parameter],
        word_size: int,
        value: bool = False,
    ) -> None:
        self.program = program
        self.entry = entry
        self.parameters = tuple(parameters)
        self.word_size = word_size
        self.value = value
        self._lengths: dict[str, Callable[..., Any]] = {}
        self._versions: dict[tuple[End, ...], Callable[..., Any]] = {}
        self._residuals: list[cogen.Residual] = []
        self._making = threading.Lock()
        self._try()

    def _try(self) -> None:
        """Make the first version, so that mistakes are told now.  Where signals of no samples are
        refused, as by a filter whose output is shorter, those of any length must do."""
        ends = self._ends([0] * len(self._shapes))
        try:
            self._version(ends)
        except CogenError as error:
            if error.span is None:
                raise
            self._make(tuple((None, last) for _, last in ends))

    @cached_property
    def _shapes(self) -> list[Layout | Group | Rows]:
        """What the signals are laid out as, outputs too."""
        laid = [p.layout if isinstance(p, Out) else p for p in self.parameters]
        return [shape for shape in laid if isinstance(shape, Layout | Group | Rows)]

    @cached_property
    def outputs(self) -> tuple[Out, ...]:
        """The outputs that calls make."""
        return tuple(p for p in self.parameters if isinstance(p, Out))

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

    def view(self) -> Path:
        """Open the page of source, residual program and C side by side; see `Residual.view`."""
        return self.residual.view()

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
            if not isinstance(parameter, binding_times.Static | Out)
        ]

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process makes its own versions, or finds their code in the store."""
        made = self.program, self.entry, self.parameters, self.word_size, self.value
        return CompiledProcessor, made

    def __repr__(self) -> str:
        return f"<compiled {self.entry} of {len(self._shapes)} signals>"

    def __call__(self, *arguments: Any, count: int | Sequence[int] | None = None) -> Any:
        """Run the procedure; its value.

        `count` samples (with channels: items; of `Rows`, rows) of each signal, or one number for
        each signal.  By default as many of each as the smallest buffer has.  CogenError for
        arguments that do not fit, and for errors of the program.
        """
        taken = [p for p in self.parameters if not isinstance(p, binding_times.Static | Out)]
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
        try:
            if self.outputs:
                return self._with_outputs(arguments, counts, count)
            return self._run(arguments, counts)
        except CogenError as error:
            if error.hint is None and count is None and "the output must" in error.message:
                error.hint = self._about_lengths()
            raise

    def _about_lengths(self) -> str:
        """What says how long signals are, for one who has not said it."""
        if not self.outputs:
            return "signals are as long as the shortest of their buffers; else count=, one for each"
        said = f"the procedure {self.entry}-length of the program, or signals.Out(layout, length=)"
        return f"an output is as long as the shortest input, unless {said} says it"

    def _run(self, arguments: Sequence[Any], counts: Sequence[int]) -> Any:
        """The procedure's value for buffers of all signals, and the other arguments."""
        version = self._version(self._ends(counts))
        passed: list[Any] = []
        remaining, given = iter(counts), iter(arguments)
        for parameter in self.parameters:
            if isinstance(parameter, binding_times.Static):
                continue
            passed.append(next(given))
            shape = parameter.layout if isinstance(parameter, Out) else parameter
            if isinstance(shape, Layout | Group | Rows):
                passed += _addresses(shape, next(remaining))
        try:
            return version(*passed)
        except CogenError as error:
            names = () if self._procedure is None else self._procedure.parameters
            error.notes += notes_on_lengths(error.message, names, self.parameters, counts)
            raise

    def _with_outputs(
        self, arguments: Sequence[Any], counts: Sequence[int], count: int | Sequence[int] | None
    ) -> Any:
        """The outputs, in buffers that are made for them."""
        usual = min(counts, default=count if isinstance(count, int) else None)
        lengths = self._output_lengths(arguments, counts, usual)
        buffers = [
            new_array(out.bytes(n), np.uint8) for out, n in zip(self.outputs, lengths, strict=True)
        ]
        given, numbers = iter(arguments), iter(counts)
        made, rooms = iter(buffers), iter(lengths)
        merged: list[Any] = []
        merged_counts: list[int] = []
        for parameter in self.parameters:
            if isinstance(parameter, Out):
                merged.append(next(made))
                merged_counts.append(next(rooms))
            elif not isinstance(parameter, binding_times.Static):
                merged.append(next(given))
                if isinstance(parameter, Layout | Group | Rows):
                    merged_counts.append(next(numbers))
        value = self._run(merged, merged_counts)
        results = self._results(buffers, lengths, value)
        if self.value:
            return (value, *results)
        return results[0] if len(results) == 1 else tuple(results)

    def _results(self, buffers: Sequence[Any], lengths: Sequence[int], value: object) -> list[Any]:
        """The outputs, those that are `used` cut off where the procedure's value says."""
        several = sum(out.used for out in self.outputs)
        used = iter(each(value, several, f"the value of {self.entry}"))
        return [
            out.result(buffer, out.checked(next(used), room) if out.used else room)
            for out, buffer, room in zip(self.outputs, buffers, lengths, strict=True)
        ]

    def _output_lengths(
        self, arguments: Sequence[Any], counts: Sequence[int], usual: int | None
    ) -> list[int]:
        """How many samples each output has room for."""
        told: dict[str, Sequence[object]] = {}
        found = []
        for index, out in enumerate(self.outputs):
            length = out.length
            if length is None and self._defines(f"{self.entry}-length"):
                length = f"{self.entry}-length"
            if length is None:
                if usual is None:
                    raise CogenError(
                        f"{self.entry} has no input that says how long its outputs are",
                        hint="say it: count=..., or signals.Out(layout, length=...)",
                    )
                length = usual
            elif isinstance(length, str):
                if length not in told:
                    value = self._length(length)(*self._told_lengths(arguments, counts))
                    told[length] = each(value, len(self.outputs), f"the value of {length}")
                found.append(out.checked(told[length][index]))
                continue
            found.append(out.checked(length(*counts) if callable(length) else length))
        return found

    def _told_lengths(self, arguments: Sequence[Any], counts: Sequence[int]) -> list[Any]:
        """What a procedure that says lengths is given: numbers in place of the signals."""
        numbers, given = iter(counts), iter(arguments)
        told: list[Any] = []
        for parameter in self.parameters:
            if isinstance(parameter, binding_times.Static | Out):
                continue
            argument = next(given)
            signal = isinstance(parameter, Layout | Group | Rows)
            told.append(next(numbers) if signal else argument)
        return told

    def _length(self, name: str) -> Callable[..., Any]:
        """A procedure of the program that says lengths."""
        found = self._lengths.get(name)
        if found is None:
            number = cogen.dynamic("int")
            bts = [
                number if isinstance(p, Layout | Group | Rows) else p
                for p in self.parameters
                if not isinstance(p, Out)
            ]
            residual = cogen.specialize(self.program, name, *bts, word_size=self.word_size)
            found = self._lengths[name] = residual.to_python()
        return found

    def _defines(self, name: str) -> bool:
        return any(isinstance(x, il.Define) and x.name == name for x in self.program.items)

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
            for (name, place, shape, _), room in zip(signals, fitting, strict=True):
                if isinstance(shape, Rows) and shape.height is not None and room < shape.height:
                    raise CogenError(
                        f"{self.entry}: {name} has room for {room} rows, not {shape.height}", place
                    )
            return _least([shape for _, _, shape, _ in signals], fitting)
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
        laid = [p.layout if isinstance(p, Out) else p for p in self.parameters]
        bts: list[Any] = [
            self._known(shape, next(remaining))
            if isinstance(shape, Layout | Group | Rows)
            else shape
            for shape in laid
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


def _parameter(value: Any) -> Parameter:
    if isinstance(value, binding_times.Dynamic | binding_times.Static | binding_times.Cyclic):
        return value
    if isinstance(value, bool | int | float | list | tuple):
        return cogen.static(value)
    if isinstance(value, Out):
        _checked(value.layout)
        return value
    return _checked(to_shape(value))


def _checked(shape: AnyShape) -> Layout | Group | Rows:
    """A shape that signals of programs can have; LimitationError for others."""
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
