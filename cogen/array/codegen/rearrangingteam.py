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

from cogen.array.codegen.outputs import LoopParts, Output
from cogen.array.codegen.rearranging import clear, place_elements
from cogen.array.codegen.reps import Handle, Memory
from cogen.array.codegen.sites import OUT_OF_MEMORY
from cogen.array.loops import tree
from cogen.array.loops.build import (
    NULL,
    ONE,
    ZERO,
    choose,
    convert,
    less,
    load,
    minus,
    more,
    natural,
    place,
    plus,
    size_of,
    times,
)
from cogen.array.loops.tree import (
    BLOCK,
    I64,
    NUMBERS,
    Address,
    Binary,
    Convert,
    Data,
    Expr,
    Invoke,
    Pointer,
    Var,
)
from cogen.array.node import Append, Distinct, Group
from cogen.array.types import INT

Region = Callable[[Callable[[], None]], None]
"""Lets each thread do something with its part of the iterations."""


class Team:
    """The code around and in the threads of one such generator; `thread`, `got` and `threads` are
    a thread's number, how many there are, and how many there may be; `part` is from where up to
    where its iterations are."""

    def __init__(
        self,
        code: LoopParts,
        output: Output,
        thread: Expr,
        got: Expr,
        threads: Expr,
        part: tuple[Expr, Expr],
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
        self.blocks: list[Var] = []
        self.places: Expr = ZERO
        match output.y.generator:
            case Append():
                self.blocks = [self.e.room(BLOCK, "pieces", threads) for _ in output.arrays]
                self.places = self.e.room(I64, "counts", threads)
            case Group():
                self.blocks = [self.e.room(BLOCK, "blocks", threads)]
                self.places = self.e.room(self.e.pointer_type(INT), "tallies", threads)
            case Distinct():
                self.blocks = [self.e.room(BLOCK, "blocks", threads)]
                self.places = self.e.room(NUMBERS, "tables", threads)

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
        output.count = e.variable(I64, "count", ZERO)
        own: list[Memory] = []
        for array in self.arrays:
            assert array.handle is not None
            block = e.variable(BLOCK, "piece", array.handle.owner)
            with e.gathered() as made:
                e.assign(block, e.region("room", e.element_type(array.element), natural(16)))
            e.when(more(self.thread, ZERO), made)
            own.append(replace(array, handle=Handle(block)))
        output.arrays = own

    def _begin_tally(self) -> None:
        e = self.e
        offsets, *others = self.arrays
        block, tally = load(self.blocks[0], self.thread), load(self.places, self.thread)
        with e.gathered() as made:
            e.assign(block, e.region("tally", e.element_type(INT), offsets.shape[0]))
            e.assign(tally, Data(block, tally.type))
            clear(e, replace(offsets, data=tally))
        e.assign(tally, offsets.data)
        e.assign(block, NULL)
        e.when(more(self.thread, ZERO), made)
        own = e.point(INT, "tally", tally)
        self.output.arrays = [replace(offsets, data=own), *others]

    def _begin_table(self) -> None:
        e = self.e
        is_first = Binary("==", self.thread, ZERO)
        own = e.define(
            Pointer(NUMBERS), "table", choose(is_first, self.table, place(self.places, self.thread))
        )
        with e.gathered() as made:
            e.try_("numbers_begin", own, self.code.size)
        e.when(more(self.thread, ZERO), made)
        self.output.table = own

    def end(self) -> None:
        """After a thread's part: leave what others need."""
        e, output = self.e, self.output
        if isinstance(output.y.generator, Append):
            for blocks, array in zip(self.blocks, output.arrays, strict=True):
                assert array.handle is not None
                e.assign(load(blocks, self.thread), array.handle.owner)
            e.assign(load(self.places, self.thread), output.count)
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
        thread = e.index("t")
        with e.gathered() as adding:
            e.assign(self.count, load(self.places, thread), "+")
        e.count(thread, ZERO, self.got, adding)
        for blocks, array in zip(self.blocks, self.arrays, strict=True):
            self._join_piece(blocks, array)

    def _join_piece(self, blocks: Var, array: Memory) -> None:
        e = self.e
        assert array.handle is not None
        block = array.handle.owner
        assert isinstance(block, Var)
        size = convert(I64, size_of(e.element_type(array.element)))
        e.assign(block, load(blocks, ZERO))
        used = e.variable(I64, "used", times(load(self.places, ZERO), size))
        e.try_("room", Address(block), used, minus(times(self.count, size), used))
        thread = e.index("t")
        with e.gathered() as made:
            own = e.define(I64, "own", times(load(self.places, thread), size))
            target = plus(Data(block, Pointer(tree.U8)), used)
            piece = load(blocks, thread)
            e.do("copy", target, Data(piece, Pointer(tree.U8)), Convert(tree.SIZE, own))
            e.do("drop", piece)
            e.assign(used, own, "+")
        e.count(thread, ONE, self.got, made)

    def _join_tallies(self, region: Region) -> None:
        e, output = self.e, self.output
        offsets = self.arrays[0]
        (blocks,), limits = self.blocks, offsets.shape[0]
        e.do("joint_starts", self.places, self.got, limits)
        tally = load(self.places, self.thread)
        region(lambda: place_elements(self.code, output, tally, *self.part))
        last = load(self.places, minus(self.got, ONE))
        e.do("joint_ends", offsets.data, last, limits)
        self._drop_others(blocks)
        output.joined = True

    def _drop_others(self, blocks: Var) -> None:
        """Give up the regions of all threads but the first."""
        e = self.e
        thread = e.index("t")
        with e.gathered() as dropping:
            e.do("drop", load(blocks, thread))
        e.count(thread, ONE, self.got, dropping)

    def _join_tables(self, region: Region) -> None:
        e, (blocks,) = self.e, self.blocks
        thread = e.index("t")
        with e.gathered() as made:
            self._join_table(blocks, thread)
        e.count(thread, ONE, self.got, made)

        def replace_numbers() -> None:
            with e.gathered() as made:
                self._replace_numbers(blocks)
            e.when(more(self.thread, ZERO), made)

        with e.gathered() as replacing:
            region(replace_numbers)
        e.when(more(self.got, ONE), replacing)
        self._drop_others(blocks)

    def _join_table(self, blocks: Var, thread: Expr) -> None:
        """The values of a thread's table get numbers in the first one's."""
        e, number = self.e, self.e.index("k")
        own = place(self.places, thread)
        count = Invoke("numbers_count", (own,), I64)
        e.assign(load(blocks, thread), e.region("numbers", I64, count))
        target = e.define(Pointer(I64), "joined", Data(load(blocks, thread), Pointer(I64)))
        with e.gathered() as each:
            value = Invoke("numbers_value", (own, number), I64)
            e.assign(load(target, number), Invoke("number", (self.table, value), I64))
            e.fail_if(less(load(target, number), ZERO), OUT_OF_MEMORY, e.span)
        e.count(number, ZERO, count, each)
        e.do("numbers_end", own)

    def _replace_numbers(self, blocks: Var) -> None:
        """A thread's numbers become those that its values have in the first one's table."""
        e, index = self.e, self.e.index("i")
        data = Data(load(blocks, self.thread), Pointer(I64))
        table = e.define(Pointer(I64), "joined", data)
        with e.gathered() as made:
            number = load(self.arrays[0].data, index)
            e.assign(number, convert(number.type, load(table, number)))
        e.count(index, *self.part, made)
