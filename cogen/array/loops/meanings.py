"""What loops compute with when they are interpreted: numbers of each type, and the functions of
`cogen.array.loops.functions` that functions of C invoke."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

import numpy as np

from cogen.array.loops.functions import MOST_PARTS
from cogen.array.loops.memory import MemoryPlace, MemoryRegion, Numbering, new_region
from cogen.array.loops.tree import Number
from cogen.lang.errors import InternalError

MOST_THREADS: Final = 8
LONG_BLOCK: Final = 8

Tracer = Callable[[int, MemoryPlace], None]


class LoopsRun(Protocol):
    """What runs: with how many threads in a team, and who gets what is traced."""

    threads: int
    trace: Tracer | None


_BITS: Final = {"i64": 64, "i32": 32, "thread": 32}
_UNSIGNED: Final = {"u32": 32, "u8": 8, "size": 64}


def number(t: Number, value: Any) -> Any:
    """A number as one of a type."""
    if value is None:
        return None
    if t.name == "bool":
        return bool(value)
    if t.name in _UNSIGNED:
        return int(value) % (1 << _UNSIGNED[t.name])
    if t.name in _BITS:
        half = 1 << (_BITS[t.name] - 1)
        return (int(value) + half) % (2 * half) - half
    return float(np.float32(value)) if t.name == "f32" else float(value)


def binary(sign: str, a: Any, b: Any) -> Any:
    """Numbers that count elements, addresses, and comparisons; vectors lane by lane."""
    if isinstance(a, tuple) or isinstance(b, tuple):
        count = len(a) if isinstance(a, tuple) else len(b)
        left = a if isinstance(a, tuple) else (a,) * count
        right = b if isinstance(b, tuple) else (b,) * count
        lanes = [binary(sign, x, y) for x, y in zip(left, right, strict=True)]
        return tuple([-int(x) if isinstance(x, bool) else x for x in lanes])
    if isinstance(a, MemoryPlace) and sign == "+":
        return a.moved(b)
    match sign:
        case "==":
            return a is b if a is None or b is None else a == b
        case "!=":
            return a != b
        case "<":
            return a < b
        case "<=":
            return a <= b
        case ">":
            return a > b
        case ">=":
            return a >= b
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "&":
            return a & b
        case "|":
            return a | b
        case "<<":
            return a << b
        case ">>":
            return a >> b
        case "/" | "%":
            if a < 0 or b <= 0:
                raise InternalError(f"{a} {sign} {b}")
            return a // b if sign == "/" else a % b
    raise InternalError(f"there is no {sign}")


# The functions of `cogen.array.loops.functions`.


def _keep(run: LoopsRun, region: MemoryRegion | None) -> MemoryRegion | None:
    if region is not None:
        region.use()
        region.count += 1
    return region


def _drop(run: LoopsRun, region: MemoryRegion | None) -> None:
    if region is not None:
        region.use()
        region.count -= 1


def _copy(run: LoopsRun, target: MemoryPlace, source: MemoryPlace, size: int) -> None:
    target.bytes(size)[:] = bytes(source.bytes(size))


def _clear(run: LoopsRun, target: MemoryPlace, size: int) -> None:
    target.bytes(size)[:] = bytes(size)


def _team(run: LoopsRun, size: int, work: float) -> int:
    return max(1, min(run.threads, size, MOST_THREADS))


def _trace(run: LoopsRun, place: int, slots: MemoryPlace) -> None:
    if run.trace is not None:
        run.trace(place, slots)


def _bits(run: LoopsRun, value: float) -> int:
    found: int = struct.unpack("<q", struct.pack("<d", value))[0]
    return found


def _room(run: LoopsRun, place: MemoryPlace, used: int, more: int) -> bool:
    old: MemoryRegion = place.load()
    if used + more > len(old.use()):
        made = new_region(2 * (used + more))
        made.data[:used] = old.data[:used]
        _drop(run, old)
        place.store(made)
    return True


def _starts(run: LoopsRun, offsets: MemoryPlace, limits: int) -> None:
    total = 0
    for key in range(limits):
        own = offsets.moved(key).load()
        offsets.moved(key).store(total)
        total += own


def _ends(run: LoopsRun, offsets: MemoryPlace, limits: int) -> None:
    _joint_ends(run, offsets, offsets, limits)


def _joint_starts(run: LoopsRun, tallies: MemoryPlace, threads: int, limits: int) -> None:
    total = 0
    for key in range(limits):
        for thread in range(threads):
            place = tallies.moved(thread).load().moved(key)
            own = place.load()
            place.store(total)
            total += own


def _joint_ends(run: LoopsRun, offsets: MemoryPlace, last: MemoryPlace, limits: int) -> None:
    ends = [last.moved(key).load() for key in range(limits - 1)]
    for key, end in enumerate([0, *ends]):
        offsets.moved(key).store(end)


def _numbers_begin(run: LoopsRun, numbers: MemoryPlace, size: int, width: int) -> bool:
    numbers.store(Numbering())
    return True


def _number(run: LoopsRun, numbers: MemoryPlace, *key: int) -> int:
    found: int = numbers.load().number(*key)
    return found


def _numbers_value(run: LoopsRun, numbers: MemoryPlace, index: int) -> int:
    found: int = numbers.load().values[index]
    return found


def _count(run: LoopsRun, a: int, b: int) -> int:
    return min(a * b, (1 << 63) - 1)


MEANINGS: Final[Mapping[str, Callable[..., Any]]] = {
    "keep": _keep,
    "word32": lambda run, place: int.from_bytes(place.bytes(4), "little"),
    "word32_big": lambda run, place: int.from_bytes(place.bytes(4), "big"),
    "drop": _drop,
    "count": _count,
    "copy": _copy,
    "move": _copy,
    "clear": _clear,
    "team": _team,
    "grain": lambda run: 0,
    "threads": lambda run: MOST_THREADS,
    "deep": lambda run: False,
    "trace": _trace,
    "bits": _bits,
    "room": _room,
    "starts": _starts,
    "ends": _ends,
    "joint_starts": _joint_starts,
    "joint_ends": _joint_ends,
    "numbers_begin": _numbers_begin,
    "number": _number,
    "number_small": _number,
    **{f"number_{k}": _number for k in range(2, MOST_PARTS + 1)},
    "numbers_large": lambda run, numbers: True,
    **{
        f"{word}{'' if k == 1 else f'_{k}'}": lambda run, numbers, *key: False
        for word in ("ahead", "ahead_key")
        for k in range(1, MOST_PARTS + 1)
    },
    "numbers_count": lambda run, numbers: len(numbers.load().numbers),
    "numbers_value": _numbers_value,
    "numbers_end": lambda run, numbers: None,
    "block": lambda run: LONG_BLOCK,
}
"""What the functions mean that functions of C invoke."""
