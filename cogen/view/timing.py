"""Where a residual program spends its time: runs of its native code, sampled.

    assembly ─ labelled ─ the same code, and where each instruction of it is
                          runs, while the system notes now and then which instruction it was at
    instructions ─ regions of the source map ─ places, with their shares of the time

The clock is that of the system's library (`profil`, 100 times a second of computing), so code is
neither changed nor slowed down.  What is noted is the instruction that waited, or the one after it.
Of whole programs the code is that of a library, whose instructions come from places by way of the C
text; their run time, with the collector, is `elsewhere`.
"""

from __future__ import annotations

import ctypes
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cogen import diskstore as store
from cogen.backends.objectcode import toolchain
from cogen.lang.errors import CogenError, LimitationError, Source, Span
from cogen.view.notes import Key, key_of
from cogen.view.sourcemap import MappedRegion, SourceMap

if TYPE_CHECKING:
    from cogen.backends.objectcode.assembly import Assembly
    from cogen.residual import ResidualProgram
    from cogen.view.targets import CTarget

TABLE: Final = "cogen_instructions"
"""The name of the table of addresses."""

BIN: Final = 2
"""Bytes of code that are counted together."""

WHOLE: Final = 0x10000
"""The scale of `profil` at which a bin has two bytes."""

RATE: Final = 100
"""How often the system looks, in a second of computing."""

FEWEST: Final = 5
"""Times that it must have been seen, for shares to mean something."""


class Times:
    """The shares of the time, from 0 to 1, by place: of the program, and of the program that it
    interprets, if it does; `of_c` those of parts of the C text, by where they begin and end,
    `of_loops` those of an array program's loops, by the operation that a loop is of.  `samples` is
    how often it was met in its own code, `runs` how many runs there were, `seconds` how long they
    took; `elsewhere` is the share of these that was not spent in its own code."""

    def __init__(
        self,
        shares: Mapping[Key, float],
        of_c: Mapping[tuple[int, int], float],
        samples: int,
        runs: int,
        seconds: float,
        of_loops: Mapping[Key, float] | None = None,
    ) -> None:
        self.of_loops = of_loops or {}
        self.shares = shares
        self.of_c = of_c
        self.samples = samples
        self.runs = runs
        self.seconds = seconds
        self.elsewhere = max(0.0, 1 - samples / (RATE * seconds)) if seconds else 0.0

    def share(self, place: Span) -> float:
        """The share of a place, without what is within it."""
        return self.shares.get(key_of(place), 0.0)

    @property
    def summary(self) -> str:
        """What was measured, in a few words."""
        runs = f"{self.runs:,} run{'' if self.runs == 1 else 's'}"
        outside = f", {100 * self.elsewhere:.0f} % of it outside the program"
        return f"{runs} measured in {self.seconds:.1f} s{outside if self.elsewhere >= 0.1 else ''}"

    def __repr__(self) -> str:
        return f"<times of {self.runs:,} runs: {self.samples:,} samples>"


def measured(
    residual: ResidualProgram, mapping: SourceMap, arguments: Sequence[Any], seconds: float
) -> Times:
    """Run a residual program on arguments again and again for so many seconds of computing.

    CogenError for arguments that do not fit, for what the runs fail by, if there is no C compiler,
    and if the runs took too little time in the code to tell anything; LimitationError on systems
    that cannot measure it.
    """
    from cogen.view.targets import c_text

    c = c_text(residual)
    asm, make = _kernel(residual, c) if c.is_kernel else _whole(residual, c)

    def probe(text: str) -> Probe:
        function = make(text)
        return function.path, lambda: function(*arguments)

    lines, runs, took = sampled_lines(asm, probe, seconds)
    total = sum(lines.values())
    places = _by_place(mapping, lines) if c.is_kernel else _by_c(mapping, c, asm, lines)
    shares = {key: count / total for key, count in places.items()}
    of_c = {part: count / total for part, count in _by_part(mapping, c, asm, lines).items()}
    return Times(shares, of_c, total, runs, took)


Probe = tuple[Path, Callable[[], object]]
"""A library, and what runs its code."""


def sampled_lines(
    asm: Assembly, make: Callable[[str], Probe], seconds: float
) -> tuple[dict[int, int], int, float]:
    """How often lines of the assembly were met while what `make` gives for its text was run for so
    many seconds of computing; how many runs there were, and the seconds they took.

    CogenError if they took too little time in the code, and what the runs fail by.
    """
    instructions = [line for line, at in enumerate(asm.positions) if at is not None]
    path, run = make(labelled(asm, instructions))
    run()
    library = ctypes.CDLL(str(path))
    addresses = (ctypes.c_uint64 * len(instructions)).in_dll(library, TABLE)
    counts, runs, took = _sampled([*addresses], run, seconds)
    if sum(counts.values()) < FEWEST:
        raise CogenError(
            "the runs took too little time to be measured",
            hint="give more data, or more seconds",
        )
    return {instructions[number]: count for number, count in counts.items()}, runs, took


Callables = Callable[[str], Any]
"""Makes a function, which has the path of its library, of assembly."""


def _kernel(residual: ResidualProgram, c: CTarget) -> tuple[Assembly, Callables]:
    from cogen.backends.kernel.c import emit
    from cogen.backends.kernel.load import NativeFunction

    return c.assembly(), lambda text: NativeFunction(emit(residual), built(text))


def _whole(residual: ResidualProgram, c: CTarget) -> tuple[Assembly, Callables]:
    from cogen.backends.native.build import assembled, library_assembly
    from cogen.backends.native.load import CompiledFunction

    asm = library_assembly(c.compiled)
    return asm, lambda text: CompiledFunction(residual, assembled(text))


def labelled(asm: Assembly, instructions: Sequence[int]) -> str:
    """The assembly with a label before each of the instructions, and a table of their addresses."""
    lines = asm.text.splitlines()
    for number, line in enumerate(instructions):
        lines[line] = f".Lcogen_{number}:\n{lines[line]}"
    table = [f"\t.quad .Lcogen_{number}" for number in range(len(instructions))]
    head = ['\t.section .data.rel.ro,"aw"', "\t.balign 8", f"\t.globl {TABLE}", f"{TABLE}:"]
    return "\n".join([*lines, *head, *table, ""])


def built(text: str, options: Sequence[str] = ()) -> Path:
    """The library of an assembly text, compiled with further options."""
    compiler = toolchain.find_compiler()

    def build(made: Path) -> None:
        toolchain.compile_shared(text, made, compiler, options, language="assembler")

    return store.file("so", compiler.fingerprint(options), text, make=build)


def _sampled(
    addresses: list[int], run: Callable[[], object], seconds: float
) -> tuple[Counter[int], int, float]:
    """How often each instruction, by number, was met; how many runs there were; their seconds."""
    profil = getattr(ctypes.CDLL(None), "profil", None)
    if profil is None:
        raise LimitationError("this system's library has no `profil`, which measures time")
    start = min(addresses)
    bins = (ctypes.c_ushort * ((max(addresses) - start) // BIN + 16))()
    size = ctypes.c_size_t(ctypes.sizeof(bins))
    began, runs = time.process_time(), 0
    profil(bins, size, ctypes.c_size_t(start), ctypes.c_uint(WHOLE))
    try:
        while time.process_time() - began < seconds or not runs:
            run()
            runs += 1
    finally:
        profil(None, ctypes.c_size_t(0), ctypes.c_size_t(0), ctypes.c_uint(0))
    took = time.process_time() - began
    order = sorted(range(len(addresses)), key=addresses.__getitem__)
    sorted_addresses = [addresses[number] for number in order]
    counts: Counter[int] = Counter()
    for place, count in enumerate(bins):
        if count:
            found = bisect_right(sorted_addresses, start + BIN * place + BIN - 1) - 1
            counts[order[found]] += count
    return counts, runs, took


def _by_place(mapping: SourceMap, lines: Mapping[int, int]) -> Counter[Key]:
    """The counts of lines of the assembly by the places that they come from."""
    starts = Source("asm", mapping.targets["asm"]).line_starts
    regions = sorted(mapping.of("asm"), key=lambda one: one.end - one.start)
    found: Counter[Key] = Counter()
    for line, count in lines.items():
        for key in _keys(regions, starts[line + 1] - 2):
            found[key] += count
    return found


def _by_c(mapping: SourceMap, c: CTarget, asm: Assembly, lines: Mapping[int, int]) -> Counter[Key]:
    """The same by way of the C text, for assembly that is not that of the map."""
    regions = sorted(mapping.of("c"), key=lambda one: one.end - one.start)
    found: Counter[Key] = Counter()
    for offset, count in _offsets(c, asm, lines):
        for key in _keys(regions, offset):
            found[key] += count
    return found


def _offsets(c: CTarget, asm: Assembly, lines: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """The counts of lines of the assembly, with where in the C text that is shown they come from;
    the compiler was given its end."""
    starts, moved = Source("c", c.compiled).line_starts, len(c.text) - len(c.compiled)
    for number, count in lines.items():
        position = asm.positions[number]
        assert position is not None
        yield moved + starts[position[0] - 1] + max(position[1], 1) - 1, count


def _by_part(
    mapping: SourceMap, c: CTarget, asm: Assembly, lines: Mapping[int, int]
) -> Counter[tuple[int, int]]:
    """The counts of lines of the assembly by the smallest parts of the C text they come from."""
    parts = sorted({(one.start, one.end) for one in mapping.of("c")}, key=lambda p: p[1] - p[0])
    found: Counter[tuple[int, int]] = Counter()
    for offset, count in _offsets(c, asm, lines):
        part = next((one for one in parts if one[0] <= offset < one[1]), None)
        if part is not None:
            found[part] += count
    return found


def _keys(regions: Sequence[MappedRegion], offset: int) -> set[Key]:
    """The place, and the node, of the smallest region that holds an offset; regions are ordered by
    their length."""
    with suppress(StopIteration):
        region = next(one for one in regions if one.start <= offset < one.end)
        places = (region.place, region.inner, region.node)
        return {key_of(place) for place in places if place is not None}
    return set()
