"""Processors whose word size is found by trial, on the data of a call.

Which size is quickest depends on what C compilers make of the residual program: sums of bytes are
1.7 times as quick in words of 32 bits as in bytes, grey from colours 2.2 times as quick in bytes
(docs/performance.md).  Counts of operations do not tell that.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from math import inf
from time import thread_time
from typing import Any, Final

import cogen
from cogen import binding_times
from cogen.boundary import public_methods
from cogen.lang import il
from cogen.lang.errors import CogenError
from cogen.signals.buffers import Array, byte_array, readable
from cogen.signals.compiled import CompiledProcessor, Parameter
from cogen.signals.layout import Group, Layout
from cogen.signals.outputs import Out
from cogen.signals.rows import Rows

USUAL: Final = 32
SIZES: Final = (8, 16, USUAL, 64)

LEAST: Final = 1 << 15
"""Bytes of a call, all buffers together, from which on times tell sizes apart."""

RUNS: Final = 3
"""Times of each size, of which the least counts."""

BETTER: Final = 0.95
"""Less of the time than that is worth to leave the usual size."""


@public_methods
class TriedProcessor(CompiledProcessor):
    """A compiled processor with words of 32 bits, until a call has data enough to try other sizes.

    That call runs the procedure on copies of its buffers with words of 8, 16, 32 and 64 bits, and
    takes the quickest.  Sizes that give anything else than 32 bits do, errors too, are left out: a
    program that loads words itself means another thing with another size.
    """

    def __init__(
        self, program: il.Program, entry: str, parameters: Sequence[Parameter], value: bool = False
    ) -> None:
        self._chosen: CompiledProcessor | None = None
        self._choosing = threading.Lock()
        self._trials: dict[int, float] = {}
        super().__init__(program, entry, parameters, USUAL, value)

    @property
    def chosen(self) -> int | None:
        """The word size that a trial has found; None before there was one."""
        return None if self._chosen is None else self._chosen.word_size

    @property
    def trials(self) -> dict[int, float]:
        """Seconds of processor time that the trial took, by word size; empty before there was
        one."""
        return dict(self._trials)

    @property
    def residual(self) -> cogen.Residual:
        """The first residual program of the word size that was chosen."""
        return self._residuals[0] if self._chosen is None else self._chosen.residual

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process tries for itself."""
        return TriedProcessor, (self.program, self.entry, self.parameters, self.value)

    def _run(self, arguments: Sequence[Any], counts: Sequence[int]) -> Any:
        if self._chosen is None and self._bytes(arguments) >= LEAST:
            with self._choosing:
                if self._chosen is None:
                    self._chosen = self._choose(arguments, counts)
        if self._chosen is None:
            return super()._run(arguments, counts)
        return self._chosen._run(arguments, counts)

    def _choose(self, arguments: Sequence[Any], counts: Sequence[int]) -> CompiledProcessor | None:
        """The quickest; None where a run with the usual size fails, as the call will."""
        made: dict[int, CompiledProcessor] = {}
        expected = None
        for size in sorted(SIZES, key=lambda size: size != USUAL):
            try:
                processor = CompiledProcessor(
                    self.program, self.entry, self.parameters, size, self.value
                )
                seconds, result = self._timed(processor, arguments, counts)
            except CogenError:
                if size == USUAL:
                    return None
                continue
            if size == USUAL:
                expected = result
            if result == expected:
                made[size] = processor
                self._trials[size] = seconds
        return made[min(made, key=lambda size: self._trials[size] * (1, BETTER)[size == USUAL])]

    def _timed(
        self, processor: CompiledProcessor, arguments: Sequence[Any], counts: Sequence[int]
    ) -> tuple[float, tuple[str, list[bytes]]]:
        """How long a run takes, and what it gives: its value, and what is in buffers then."""
        least, result = inf, None
        for _ in range(1 + RUNS):  # the first makes the version, and fetches the data
            passed, copies = self._copied(arguments)
            start = thread_time()
            value = processor._run(passed, counts)
            seconds = thread_time() - start
            if result is None:
                result = repr(value), [copy.tobytes() for copy in copies]
            else:
                least = min(least, seconds)
        assert result is not None
        return least, result

    def _copied(self, arguments: Sequence[Any]) -> tuple[list[Any], list[Array]]:
        """The arguments with copies in place of buffers that may be stored to, and these copies; a
        buffer that is passed twice has one."""
        copies: dict[int, Array] = {}
        for argument, is_buffer in self._kinds(arguments):
            if is_buffer and id(argument) not in copies:
                view = readable(argument)
                if not view.readonly:
                    copies[id(argument)] = byte_array(view).copy()
        return [copies.get(id(argument), argument) for argument in arguments], [*copies.values()]

    def _bytes(self, arguments: Sequence[Any]) -> int:
        return sum(len(readable(x)) for x, is_buffer in self._kinds(arguments) if is_buffer)

    def _kinds(self, arguments: Sequence[Any]) -> list[tuple[Any, bool]]:
        """Each argument, and whether it is a buffer."""
        passed = [p for p in self.parameters if not isinstance(p, binding_times.Static)]
        shapes = [p.layout if isinstance(p, Out) else p for p in passed]
        kinds = [isinstance(shape, Layout | Group | Rows) for shape in shapes]
        return list(zip(arguments, kinds, strict=True))
