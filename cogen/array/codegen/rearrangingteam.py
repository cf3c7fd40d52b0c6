"""Append, Group and Distinct in several threads, each with a part of the iterations.

            a thread has for its part           then
Append      room of its own                     the parts move up after the first one's
Group       the number of each key              from these, where each thread's elements of a key
                                                start; all threads store their elements there
Distinct    a table of the values, and their    the tables are joined in order, and all threads
            numbers in it                       replace their numbers

What comes first in the iterations comes first in the results, as in one thread. The first thread
has what one thread has, so that nothing more is done where it is alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from cogen.array.codegen.emitter import OUT_OF_MEMORY
from cogen.array.codegen.rearranging import clear, place_elements, try_call
from cogen.array.codegen.reps import Handle, Memory
from cogen.array.node import Append, Distinct, Group
from cogen.array.types import INT
from cogen.target import ctree as ct

if TYPE_CHECKING:
    from cogen.array.codegen.multiloop import LoopCode, Output

Region = Callable[[Callable[[], None]], None]
"""Lets each thread do something with its part of the iterations."""


class Team:
    """The code around and in the threads of one such generator; `thread`, `got` and `threads` are
    a thread's number, how many there are, and how many there may be; `part` is from where up to
    where its iterations are."""

    def __init__(
        self,
        code: LoopCode,
        output: Output,
        thread: str,
        got: str,
        threads: str,
        part: tuple[str, str],
    ) -> None:
        self.code = code
        self.output = output
        self.e = code.e
        self.thread = thread
        self.got = got
        self.part = part
        self.arrays = output.arrays
        self.count = output.count
        self.table = output.table
        self.blocks: list[str] = []
        self.places = ""
        match output.y.generator:
            case Append():
                self.e.program.helpers.add("room")
                self.blocks = [self._declare("cogen_block *", "pieces", threads)
                               for _ in output.arrays]  # fmt: skip
                self.places = self._declare("int64_t ", "counts", threads)
            case Group():
                self.e.program.helpers.add("joint")
                self.blocks = [self._declare("cogen_block *", "blocks", threads)]
                self.places = self._declare(self.e.pointer_type(INT), "tallies", threads)
            case Distinct():
                self.blocks = [self._declare("cogen_block *", "blocks", threads)]
                self.places = self._declare("cogen_numbers ", "tables", threads)

    def _declare(self, type_: str, name: str, threads: str) -> str:
        made = self.e.fresh(name)
        self.e.add(ct.Declare(type_, f"{made}[{threads}]"))
        return made

    def _allocated(self, target: str, size: str, unit: str) -> list[ct.Statement]:
        with self.e.gathered() as made:
            self.e.assign(target, f"cogen_alloc(memory, {size}, {unit})")
            self.e.fail_if(f"{target} == NULL", OUT_OF_MEMORY, self.e.span)
        return made

    # In a thread.

    def begin(self) -> None:
        """What a thread has for its part is what the generator uses from here on."""
        match self.output.y.generator:
            case Append():
                self._begin_pieces()
            case Group():
                self._begin_tally()
            case Distinct():
                self._begin_table()

    def _begin_pieces(self) -> None:
        e, output = self.e, self.output
        output.count = e.variable("int64_t", "count", "0")
        own: list[Memory] = []
        for array in self.arrays:
            assert array.handle is not None
            block = e.variable("cogen_block *", "piece", array.handle.owner)
            size = f"sizeof({e.element_type(array.element)})"
            e.add(ct.If(ct.Name(f"{self.thread} > 0"), tuple(self._allocated(block, "16", size))))
            own.append(replace(array, handle=Handle(block)))
        output.arrays = own

    def _begin_tally(self) -> None:
        e = self.e
        offsets, *others = self.arrays
        (blocks,), at = self.blocks, f"[{self.thread}]"
        with e.gathered() as made:
            e.add(*self._allocated(blocks + at, offsets.shape[0], f"sizeof({e.element_type(INT)})"))
            e.assign(self.places + at, f"cogen_data({blocks}{at})")
            clear(e, replace(offsets, data=self.places + at))
        e.assign(self.places + at, offsets.data)
        e.assign(blocks + at, "NULL")
        e.add(ct.If(ct.Name(f"{self.thread} > 0"), tuple(made)))
        own = e.point(INT, "tally", self.places + at)
        self.output.arrays = [replace(offsets, data=own), *others]

    def _begin_table(self) -> None:
        e = self.e
        own = e.fresh("table")
        place = f"&{self.places}[{self.thread}]"
        text = f"{self.thread} == 0 ? &{self.table} : {place}"
        e.add(ct.Declare("cogen_numbers *const", own, ct.Name(text)))
        with e.gathered() as made:
            try_call(self.code, f"cogen_numbers_begin(memory, {own}, {self.code.size})")
        e.add(ct.If(ct.Name(f"{self.thread} > 0"), tuple(made)))
        self.output.table = f"(*{own})"

    def end(self) -> None:
        """After a thread's part: leave what others need."""
        e, output = self.e, self.output
        if isinstance(output.y.generator, Append):
            for blocks, array in zip(self.blocks, output.arrays, strict=True):
                assert array.handle is not None
                e.assign(f"{blocks}[{self.thread}]", array.handle.owner)
            e.assign(f"{self.places}[{self.thread}]", output.count)
        output.arrays, output.count, output.table = self.arrays, self.count, self.table

    # After the threads.

    def join(self, region: Region) -> None:
        """The parts become one."""
        match self.output.y.generator:
            case Append():
                self._join_pieces()
            case Group():
                self._join_tallies(region)
            case Distinct():
                self._join_tables(region)

    def _join_pieces(self) -> None:
        e = self.e
        thread = e.fresh("t")
        sum_up = ct.Assign(ct.Name(self.count), ct.Name(f"{self.places}[{thread}]"), "+=")
        e.add(e.counting(thread, "0", self.got, (sum_up,)))
        for blocks, array in zip(self.blocks, self.arrays, strict=True):
            assert array.handle is not None
            block, size = array.handle.owner, f"sizeof({e.element_type(array.element)})"
            e.assign(block, f"{blocks}[0]")
            used = e.variable("int64_t", "used", f"{self.places}[0] * (int64_t){size}")
            more = f"{self.count} * (int64_t){size} - {used}"
            try_call(self.code, f"cogen_room(memory, &{block}, {used}, {more})")
            thread = e.fresh("t")
            with e.gathered() as made:
                own = e.define("int64_t", "own", f"{self.places}[{thread}] * (int64_t){size}")
                target = f"(char *)cogen_data({block}) + {used}"
                copied = (target, f"cogen_data({blocks}[{thread}])", f"(size_t){own}")
                e.add(ct.Do(ct.Invoke("memcpy", tuple(map(ct.Name, copied)))))
                e.add(ct.Do(ct.Name(f"cogen_drop({blocks}[{thread}])")))
                e.assign(used, own, "+=")
            e.add(e.counting(thread, "1", self.got, made))

    def _join_tallies(self, region: Region) -> None:
        e, output = self.e, self.output
        offsets = self.arrays[0]
        (blocks,), limits = self.blocks, offsets.shape[0]
        e.add(ct.Do(ct.Name(f"cogen_joint_starts({self.places}, {self.got}, {limits})")))
        tally = f"{self.places}[{self.thread}]"
        region(lambda: place_elements(self.code, output, tally, *self.part))
        last = f"{self.places}[{self.got} - 1]"
        e.add(ct.Do(ct.Name(f"cogen_joint_ends({offsets.data}, {last}, {limits})")))
        thread = e.fresh("t")
        drop = ct.Do(ct.Name(f"cogen_drop({blocks}[{thread}])"))
        e.add(e.counting(thread, "1", self.got, (drop,)))
        output.joined = True

    def _join_tables(self, region: Region) -> None:
        e, (blocks,) = self.e, self.blocks
        thread, number = e.fresh("t"), e.fresh("k")
        numbers = self.arrays[0]
        with e.gathered() as made:
            own = f"{self.places}[{thread}]"
            e.add(*self._allocated(f"{blocks}[{thread}]", f"{own}.count", "sizeof(int64_t)"))
            target = e.fresh("joined")
            data = ct.Name(f"cogen_data({blocks}[{thread}])")
            e.add(ct.Declare("int64_t *const", target, data))
            with e.gathered() as each:
                call = f"cogen_number(memory, &{self.table}, {own}.values[{number}])"
                e.assign(f"{target}[{number}]", call)
                e.fail_if(f"{target}[{number}] < 0", OUT_OF_MEMORY, e.span)
            e.add(e.counting(number, "0", f"{own}.count", each))
            e.add(ct.Do(ct.Name(f"cogen_numbers_end(&{own})")))
        e.add(e.counting(thread, "1", self.got, made))

        def replace_numbers() -> None:
            index = e.fresh("i")
            place = f"{numbers.data}[{index}]"
            table = e.fresh("joined")
            data = ct.Name(f"cogen_data({blocks}[{self.thread}])")
            with e.gathered() as made:
                e.add(ct.Declare("const int64_t *const", table, data))
                new = f"({e.element_type(INT)}){table}[{place}]"
                body = (ct.Assign(ct.Name(place), ct.Name(new)),)
                e.add(e.counting(index, *self.part, body))
            e.add(ct.If(ct.Name(f"{self.thread} > 0"), tuple(made)))

        with e.gathered() as replacing:
            region(replace_numbers)
        e.add(ct.If(ct.Name(f"{self.got} > 1"), tuple(replacing)))
        drop = ct.Do(ct.Name(f"cogen_drop({blocks}[{thread}])"))
        e.add(e.counting(thread, "1", self.got, (drop,)))
