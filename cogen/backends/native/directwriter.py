"""A direct procedure's IL -> the C function that C calls.

    word d(rt, arguments ...)       the value, or UNWOUND

All that `function` makes C functions of (the start, what calls return to, what several of these
jump to: here *segments*) is one C function here, with a label for each; variables are C's.  Where a
segment meets anything that is not done in line it is left by its *way out*: the frame that its C
function would find is stored, and what that C function takes, and UNWOUND is returned.  Who gets
that from a call stores the frame of that call and returns it, too (`runtime/direct.c`).

Objects are made from `rt->hp` on, which a segment has in `hp`; what it has made goes with it when
it is left by its way out.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Final

from cogen.backends.ctree.literals import small
from cogen.backends.ctree.tree import (
    CAssign,
    CBinary,
    CCast,
    CConstant,
    CDeclare,
    CFunction,
    CGoto,
    CIf,
    CIndex,
    CInvoke,
    CLabel,
    CReturn,
    CUnary,
    Expr,
    Statement,
)
from cogen.backends.ctree.types import BOOL, DOUBLE, INT, UNSIGNED
from cogen.backends.native.context import NativeContext
from cogen.backends.native.function import HEAP_IS_FULL, FunctionWriter
from cogen.backends.native.lets import CONDITION
from cogen.backends.native.limits import IN_REGISTERS, SLACK
from cogen.backends.native.loops import makes_objects
from cogen.backends.native.operations import FLOAT_OPERATIONS
from cogen.backends.native.procedures import CompiledProcedure
from cogen.backends.native.regions import START, CodeNode, is_return, return_name, returned_to
from cogen.backends.native.unboxed import ORDER, SIGNS
from cogen.backends.native.vocabulary import (
    CODE,
    HEAP,
    RUNTIME,
    STACK,
    VALUE,
    WORD,
    WORDS,
    argument,
    instance,
    jump,
    macro,
    procedure,
    registers,
    returning,
    run_time,
    unlikely,
    use,
    word_variable,
)
from cogen.lang import il
from cogen.lang.errors import InternalError

UNWOUND: Final = CConstant("UNWOUND", WORD)
"""What is returned when frames have been stored."""

_ON_FIXNUMS: Final = {"+": "ADD_FIX", "-": "SUB_FIX", "*": "MUL_FIX"}
"""Operations on what is known to be small integers."""

MAX_FRAME: Final = 60
"""Words of a frame: there is room for so many of the smallest frames of C's stack."""


class DirectWriter(FunctionWriter):
    """Writes the C function of a direct procedure; `start` is the other one's name."""

    def __init__(self, context: NativeContext, code: str, start: str) -> None:
        super().__init__(context, code, START)
        self.kept = frozenset()
        self.start = start
        self.ways: dict[str, str] = {}
        """The labels of segments, by the name of the node or the return."""
        self.waiting: list[str] = []
        self.ends: list[int] = []
        """Where the segment at hand ends: there `rt->hp` is set."""
        self.outside: list[Statement] = []
        """The ways out."""
        self.is_large = False

    def write_direct(self, parameters: list[str]) -> None:
        """The C function; one that is too large leaves at once."""
        taken = [word_variable(self.module.names.variable(name)) for name in parameters]
        self._segment(START)
        while self.waiting:
            self._segment(self.waiting.pop())
        body = [*self.out, *self.outside]
        head: list[Statement] = [CDeclare(UNSIGNED, "k_", small(0))] if self.counts else []
        head += [CDeclare(DOUBLE, name) for name in self.doubles]
        own = {variable.name for variable in taken}
        head += [CDeclare(WORD, name) for name in self.locals if name not in own]
        head += [CDeclare(WORDS, HEAP.name, run_time("hp")), CDeclare(WORD, VALUE.name)]
        head.append(CDeclare(BOOL, CONDITION.name))
        if self.is_large:
            body = [CGoto(_way_out(self.ways[START])), *body]
        self.module.direct.append(
            CFunction(WORD, self.code, (RUNTIME, *taken), (*head, *body), qualifiers="static")
        )

    # Segments

    def _entry(self, name: str) -> str:
        """The label of a segment, which is written if it is not yet."""
        found = self.ways.get(name)
        if found is None:
            found = self.ways[name] = self.module.names.fresh("S")
            self.waiting.append(name)
        return found

    def _segment(self, name: str) -> None:
        label = self.ways[name] = self.ways.get(name) or self.module.names.fresh("S")
        self.root, self.places = name, ()
        self.words, self.ends = 0, []
        self.add(CLabel(label))
        before = len(self.out)
        node = self.context.regions.nodes[returned_to(name) if is_return(name) else name]
        if is_return(name) and node.parameters:
            self.set(self.local(node.parameters[0]), VALUE)
        if is_return(name) and node.is_function:
            self.add(CGoto(self._entry(node.name)))
        else:
            self._write_blocks(node)
        self.is_large |= self.words > SLACK
        self._room(before)
        self._leave_by_way_out(name, node, label)

    def _room(self, before: int) -> None:
        """A segment that makes objects looks for room, and tells in the end what it has used."""
        if not self.words:
            return
        for index in reversed(self.ends):
            self.out.insert(index, CAssign(run_time("hp"), HEAP))
        self.out[before:before] = [CAssign(HEAP, run_time("hp")), self._look_for_room()]

    def _look_for_room(self) -> Statement:
        return CIf(unlikely(HEAP_IS_FULL), (CGoto(_way_out(self.ways[self.root])),))

    def _leave_by_way_out(self, name: str, node: CodeNode, label: str) -> None:
        out = self.outside
        out.append(CLabel(_way_out(label)))
        frames = self.context.frames
        code = self.start if name == START else self.context.codes[name]
        if name == START:
            made = self.context.procedure
            passed = list(made.parameters) if made is not None else []
        else:
            passed = [] if is_return(name) else self.context.parameters_of(node)
        values = [VALUE] if is_return(name) else [self.variable(variable) for variable in passed]
        above = 0 if name == START or is_return(name) else frames.words(name)
        for index, value in enumerate(values):
            place = CIndex(run_time("resumed_words"), small(index))
            out.append(CAssign(place if index < IN_REGISTERS else argument(index), value))
        count = min(len(values), IN_REGISTERS)
        other = small(0) if is_return(name) else CConstant(code, CODE)
        out.append(CAssign(run_time("resumed", CODE), CCast(CODE, other)))
        out.append(CAssign(run_time("resumed_count", INT), small(count)))
        out.append(CAssign(run_time("above", INT), small(above)))
        if is_return(name):
            out.append(CLabel(_unwinding(label)))
            self._store_frame(name, frames.words(name) + 1, code)
        elif above:
            self._store_frame(name, above, None)
        out.append(CReturn(UNWOUND))

    def _store_frame(self, name: str, words: int, code: str | None) -> None:
        """Store what a C function finds in its frame, with its own address on top."""
        self.is_large |= words > MAX_FRAME
        frames = self.context.frames
        slots: list[tuple[int, Expr]] = [(slot, small(0)) for slot in frames.free(name)]
        slots += [(frames.slots[kept], self.variable(kept)) for kept in sorted(frames.kept[name])]
        if code is not None:
            slots.append((words - 1, CCast(WORD, CConstant(code, CODE))))
        self.outside.append(CAssign(run_time("unwound"), small(words), "-="))
        self.outside += [CAssign(_stored(slot), value) for slot, value in slots]

    # What differs from a function that is jumped to

    def at(self, site: int) -> Expr:
        return CConstant(_way_out(self.ways[self.root]), INT)

    def condition(self, let: il.Let, arguments: list[Expr], site: int) -> Expr:
        if let.op in ORDER and all(map(self.module.fixnums.is_fixnum, let.arguments)):
            return CBinary(ORDER[let.op], *arguments)
        if let.op in SIGNS and self.module.fixnums.is_fixnum(let.arguments[0]):
            return CBinary(SIGNS[let.op], arguments[0], small(0))
        return super().condition(let, arguments, site)

    def _general(self, let: il.Let, result: Expr, arguments: list[Expr], site: int) -> None:
        if let.op in _ON_FIXNUMS and all(map(self.module.fixnums.is_fixnum, let.arguments)):
            self._in_line(let.op, _ON_FIXNUMS[let.op], result, *arguments, self.at(site))
            return
        super()._general(let, result, arguments, site)

    def makes(self, op: str) -> bool:
        return self.module.has_floats and op in FLOAT_OPERATIONS

    def _end(self) -> None:
        """The segment ends here."""
        self.ends.append(len(self.out))

    def _return(self, value: Expr) -> None:
        self._end()
        self.add(CReturn(value))

    def _jump_out(self, node: CodeNode, arguments: tuple[il.Atom, ...], site: int) -> None:
        self._assign(node, arguments, site)
        self._end()
        self.add(CGoto(self._entry(node.name)))

    def _enter_loop(self, node: CodeNode) -> None:
        if makes_objects(node, self.context):
            self.words += 1
            self.out.append(self._look_for_room())

    def _known_call(
        self, call: il.Call, callee: CompiledProcedure, site: int, leaves_place: bool
    ) -> None:
        arguments = self._arguments(call, callee, site)
        if not callee.escapes:
            arguments += map(self.variable, callee.needs)
        if self.root == START and call.cont != self.context.exit:
            # here and not at the start, so that what needs no frame makes none
            full = macro("C_STACK_IS_FULL", RUNTIME, gives=INT)
            self.add(CIf(unlikely(full), (CGoto(_way_out(self.ways[START])),)))
        self._end()
        value = CInvoke(callee.direct, (RUNTIME, *arguments), WORD)
        is_tail = call.cont == self.context.exit
        if is_tail and not (leaves_place and callee.in_library):
            self.add(CReturn(value))
            return
        self.set(VALUE, value)
        is_unwound = unlikely(CBinary("==", VALUE, UNWOUND))
        if is_tail:
            self._leave_place(is_unwound, site)
            return
        name = return_name(call.cont, self.context.frame_site(call))
        label = self._entry(name)
        self.add(CIf(is_unwound, (CGoto(_unwinding(label)),)))
        self.add(CGoto(label))

    def _leave_place(self, is_unwound: Expr, site: int) -> None:
        """Return the value of a call into the library, whose place is left as PASS does it."""
        passing = CCast(WORD, CConstant("passing", CODE))
        stored = (
            CAssign(run_time("unwound"), small(2), "-="),
            CAssign(_stored(0), macro("FIX", small(site))),
            CAssign(_stored(1), passing),
        )
        self.add(CIf(is_unwound, stored))
        self.add(CReturn(VALUE))

    def _control_call(self, call: il.Call, name: str, site: int, leaves_place: bool) -> None:
        raise InternalError(f"{self.code} calls {name}")

    def _unknown_call(self, call: il.Call, site: int, leaves_place: bool) -> None:
        raise InternalError(f"{self.code} calls what is not known")


def entering(made: CompiledProcedure, start: str, checked: Sequence[bool]) -> CFunction:
    """The C function by which other code calls a direct procedure: by the direct code, but for a
    while after that had to be left often, and if a parameter that is `checked` is no small integer;
    else by `start`."""
    words = registers(*[f"a{index}" for index in range(len(checked))])
    tests: list[Expr] = [CBinary("!=", run_time("pause", INT), small(0))]
    for word, is_checked in zip(words[2:], checked, strict=True):
        if is_checked:
            tests.append(CUnary("!", macro("IS_FIX", word, gives=INT)))
    other = reduce(lambda a, b: CBinary("||", a, b), tests)
    return procedure(
        made.code,
        words,
        instance(),
        CIf(unlikely(other), (use("PAUSE"), jump(start, words))),
        CAssign(run_time("hp"), HEAP),
        CAssign(run_time("sp"), STACK),  # should memory run out
        CDeclare(WORD, VALUE.name, CInvoke(made.direct, (RUNTIME, *words[2:]), WORD)),
        CIf(unlikely(CBinary("==", VALUE, UNWOUND)), (jump("resume", (STACK,)),)),
        CAssign(HEAP, run_time("hp")),
        returning(VALUE),
    )


def _stored(slot: int) -> Expr:
    return CIndex(run_time("unwound"), small(slot))


def _way_out(label: str) -> str:
    return f"{label}_out"


def _unwinding(label: str) -> str:
    return f"{label}_unwound"
