"""The functions that loops invoke: one table.

A row has a name, the name in C (or in OpenCL C), what it does beside its result, and whether it
takes the thread's memory first. What a row means says `cogen.array.loops.meanings`; what only
kernels invoke, `cogen.array.loops.items`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class RowFunction:
    """A function. `effect`: whether it does anything but give its result; `part`: the part of the
    run-time library (`cogen.array.c.tables`) that it is in, if not all programs have it."""

    c_text: str
    takes: int
    """How many arguments."""
    effect: bool = False
    memory: bool = False
    part: str = ""
    gives: bool = True
    """Whether it has a result."""


MOST_PARTS: Final = 8
"""A key in a table has at most so many ints."""

COMBINED: Final = {
    "int": ("add", "mul", "and", "or", "xor", "max", "min"),
    "real": ("add", "mul"),
}
"""How values of a type are combined in one step with what is at a place of a group's table."""

FUNCTIONS: Final[dict[str, RowFunction]] = {
    # Regions: one more reference, one less.
    "keep": RowFunction("cogen_keep", 1, effect=True),
    "drop": RowFunction("cogen_drop", 1, effect=True),
    # Numbers of elements, a product that is none too large; bytes.
    "count": RowFunction("cogen_count", 2),
    "copy": RowFunction("memcpy", 3, effect=True),
    "move": RowFunction("memmove", 3, effect=True),
    "clear": RowFunction("memset", 2, effect=True),
    # Threads: how many are worth while for iterations and work; the work that is worth a team;
    # the most that there can be; whether little is left of the stack.
    "team": RowFunction("cogen_team", 2, memory=True),
    "grain": RowFunction("grain", 0, memory=True),
    "threads": RowFunction("COGEN_THREADS", 0),
    "deep": RowFunction("cogen_deep", 0, memory=True),
    # Tracing: the number of a trace, and the slots.
    "trace": RowFunction("trace", 2, effect=True, memory=True),
    "bits": RowFunction("cogen_float64_to_bits", 1),
    # Regions that grow, by bytes; false where there is no memory.
    "room": RowFunction("cogen_room", 3, effect=True, memory=True, part="room"),
    # Sorting by keys: from numbers of elements to where they start, and back.
    "starts": RowFunction("cogen_starts", 2, effect=True, part="starts"),
    "ends": RowFunction("cogen_ends", 2, effect=True, part="starts"),
    "joint_starts": RowFunction("cogen_joint_starts", 3, effect=True, part="joint"),
    "joint_ends": RowFunction("cogen_joint_ends", 3, effect=True, part="joint"),
    # Tables of the different keys so far, with their numbers: for so many iterations, of so many
    # ints each. The ints of all keys stand one after the other.
    "numbers_begin": RowFunction(
        "cogen_numbers_begin", 3, effect=True, memory=True, part="numbers"
    ),
    "number": RowFunction("cogen_number", 2, effect=True, memory=True, part="numbers"),
    "number_small": RowFunction("cogen_number_small", 2, effect=True, memory=True, part="numbers"),
    **{
        f"number_{k}": RowFunction(
            f"cogen_number_{k}", k + 1, effect=True, memory=True, part="numbers"
        )
        for k in range(2, MOST_PARTS + 1)
    },
    # Whether a table is larger than a cache; asking for what a lookup will read: the slot, the key.
    "numbers_large": RowFunction("cogen_large", 1, part="numbers"),
    **{
        f"{word}{'' if k == 1 else f'_{k}'}": RowFunction(
            f"cogen_{word}_{k}", k + 1, effect=True, part="numbers", gives=False
        )
        for word in ("ahead", "ahead_key")
        for k in range(1, MOST_PARTS + 1)
    },
    "numbers_count": RowFunction("count", 1, part="numbers"),
    "numbers_value": RowFunction("values", 2, part="numbers"),
    "numbers_end": RowFunction("cogen_numbers_end", 1, effect=True, part="numbers"),
    # Iterations of a block that two loops go through.
    "block": RowFunction("COGEN_BLOCK", 0),
    # A word of packed memory, at an address of bytes.
    "word32": RowFunction("cogen_word32", 1, part="words"),
    "word32_big": RowFunction("cogen_word32_big", 1, part="words"),
    # Work items and groups of a kernel.
    "item": RowFunction("get_global_id", 0),
    "group": RowFunction("get_group_id", 0),
    "local_item": RowFunction("get_local_id", 0),
    "local_items": RowFunction("get_local_size", 0),
    "barrier": RowFunction("barrier", 0, effect=True),
    # A real in a slot of 8 bytes, as integers; and back.
    "slot": RowFunction("as_long", 1),
    "real": RowFunction("as_double", 1),
    # Vectors: loads and stores of neighbours; 0, 1, 2, ...; one lane.
    "vload": RowFunction("vload", 1),
    "vstore": RowFunction("vstore", 2, effect=True),
    "counting": RowFunction("counting", 0),
    "lane": RowFunction("lane", 2),
    # Combining what is at a place of a group's table with a value, in one step.
    **{
        f"into_{kind}_{word}": RowFunction(f"into_{kind}_{word}", 2, effect=True)
        for kind, words in COMBINED.items()
        for word in words
    },
}
