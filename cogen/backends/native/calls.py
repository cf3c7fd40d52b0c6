"""IL calls -> C statements: what is kept goes into a frame, then another C function goes on.

(call f (x) k)            frame of k above the callers', then f(sp, hp, x)
(call call/cc (f) k)      the same, with the continuation that is made of the stack then, if f
                          is a known procedure; else by the run time
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.backends.ctree.literals import small
from cogen.backends.ctree.tree import (
    CCast,
    CConstant,
    CIf,
    CReturn,
    CThrough,
    CVariable,
    Expr,
)
from cogen.backends.ctree.types import VOID, CCallable
from cogen.backends.native.lets import LetWriter
from cogen.backends.native.limits import IN_REGISTERS, SLACK
from cogen.backends.native.operations import control_name
from cogen.backends.native.procedures import CompiledProcedure
from cogen.backends.native.regions import return_name
from cogen.backends.native.vocabulary import (
    CODE,
    HEAP,
    NIL,
    STACK,
    WORD,
    WORDS,
    above,
    argument,
    called,
    jump,
    macro,
    on_stack,
    word_variable,
)
from cogen.lang import il
from cogen.lang.errors import InternalError, LimitationError
from cogen.lang.marks import place_of
from cogen.lang.prims import CONTROL

CONTINUATION_WORDS: Final = 10
"""Of a continuation and the frames that it keeps, besides the frame of its own call."""


class CallWriter(LetWriter):
    """Writes the calls of one C function."""

    def _slots(self, names: Sequence[str]) -> list[tuple[CVariable, Expr]]:
        slots = self.context.frames.slots
        return [(plain_variable(self.variable(name)), on_stack(slots[name])) for name in names]

    def _keep(self, name: str) -> None:
        """Store what a C function finds in slots, but for what is there."""
        for variable, slot in self._slots(sorted(self.context.frames.kept[name] - self.kept)):
            self.set(slot, variable)

    def _invoke(self, code: str, sp: Expr, passed: list[Expr], self_words: int) -> None:
        """A C tail call; what does not fit in registers goes to `arguments`."""
        for index, value in enumerate(passed):
            if index >= IN_REGISTERS:
                self.set(argument(index - self_words), value)
        self.add(jump(code, (sp, HEAP, *passed[:IN_REGISTERS])))

    def _call(self, call: il.Call) -> None:
        self.places = place_of(call.span)
        site = self.module.site(call.span)
        is_tail = call.cont == self.context.exit
        leaves_place = not self.context.in_library and call.span is not None
        procedures = self.module.procedures
        callee = procedures.called(call)
        if callee is not None:
            self._known_call(call, callee, site, is_tail and leaves_place)
            return
        receiver = procedures.receiver(call)
        if receiver is not None:
            self._received_call(call, receiver, site, is_tail and leaves_place)
            return
        if isinstance(call.function, il.Prim) and _takes(call.function.name, len(call.arguments)):
            self._control_call(call, call.function.name, site, is_tail and leaves_place)
            return
        is_tail |= call.returned is not None
        self._unknown_call(call, site, is_tail and leaves_place)

    def _push(self, call: il.Call) -> int:
        """Write the frame of a call that returns; its words."""
        if call.cont == self.context.exit:
            return 0
        name = return_name(call.cont, self.context.frame_site(call))
        frames = self.context.frames
        words = frames.words(name) + 1
        if words > SLACK:
            raise LimitationError(f"a call has more than {SLACK} variables to keep", call.span)
        self._keep(name)
        for slot in frames.free(name):
            self.set(on_stack(slot), small(0))
        self.set(on_stack(words - 1), CCast(WORD, CConstant(self.context.codes[name], CODE)))
        return words

    def _arguments(self, call: il.Call, callee: CompiledProcedure, site: int) -> list[Expr]:
        """The arguments of a call of a known procedure, those that it takes as a list in one; a
        global one is defined by then."""
        if callee.is_global and callee.function.name in self.module.checked:
            self.check_global(callee.function.name, site)
        arguments = [self.atom(atom, site) for atom in call.arguments]
        if callee.function.rest is None:
            return arguments
        count = len(callee.function.parameters)
        return [*arguments[:count], self._rest(arguments[count:])]

    def _known_call(
        self, call: il.Call, callee: CompiledProcedure, site: int, leaves_place: bool
    ) -> None:
        arguments = self._arguments(call, callee, site)
        if callee.is_closed:
            arguments = [self.variable(callee.function.name), *arguments]
        elif not callee.escapes:
            arguments += map(self.variable, callee.needs)
        words = self._push(call)
        if leaves_place and callee.in_library:
            self.use("PASS", small(site))
        self._invoke(callee.code, above(words), arguments, int(callee.is_closed))

    def _received_call(
        self, call: il.Call, receiver: CompiledProcedure, site: int, leaves_place: bool
    ) -> None:
        """A call of a known procedure with the continuation of the call."""
        if receiver.is_global and receiver.function.name in self.module.checked:
            self.check_global(receiver.function.name, site)
        made = word_variable(self.module.names.fresh("continuation"))
        self.locals[made.name] = None
        words = self._push(call)
        if leaves_place:
            self.use("PASS", small(site))
        self.words += CONTINUATION_WORDS + words
        if self.many or not (words or leaves_place):
            self.use("CAPTURE", made, small(words), small(site))
        elif words:
            self.use("CAPTURE_FRAME", made, small(words), small(site))
        else:
            self.use("CAPTURE_PLACE", made, small(site))
        arguments: list[Expr] = [made]
        if receiver.is_closed:
            arguments = [self.variable(receiver.function.name), made]
        elif not receiver.escapes:
            arguments += map(self.variable, receiver.needs)
        self._invoke(receiver.code, STACK, arguments, int(receiver.is_closed))

    def _rest(self, arguments: list[Expr]) -> Expr:
        """The C expression of a list of arguments."""
        if not arguments:
            return NIL
        result = word_variable(self.module.names.fresh("rest"))
        self.locals[result.name] = None
        self.set(result, NIL)
        for value in reversed(arguments):
            self.words += 2
            if self.many:
                self.use("DO", result, small(0), called("cons", value, result))
            else:
                self.use("CONS", result, value, result)
        return result

    def _control_call(self, call: il.Call, name: str, site: int, leaves_place: bool) -> None:
        arguments = [self.atom(atom, site) for atom in call.arguments]
        self.use("LEAVE", small(site))
        words = self._push(call)
        if leaves_place:
            self.use("PASS", small(site))
        for index, value in enumerate(arguments):
            self.set(argument(index), value)
        self.add(jump(control_name(name), (above(words), HEAP, small(len(arguments)))))

    def _unknown_call(self, call: il.Call, site: int, leaves_place: bool) -> None:
        function = self.atom(call.function, site)
        arguments = [self.atom(atom, site) for atom in call.arguments]
        count = len(arguments)
        self.use("LEAVE", small(site))
        stack = above(self._push(call))
        for index in range(3, count):
            self.set(argument(index), arguments[index])
        passed = arguments[:3]
        if isinstance(call.function, il.Var | il.Global):
            code = CCallable(VOID, (WORDS, WORDS, *[WORD] * (1 + len(passed))))
            found = CCast(code, macro("CLOSURE_CODE", function))
            takes = macro("LIKELY", macro("TAKES", function, small(count)))
            self.add(CIf(takes, (CReturn(CThrough(found, (stack, HEAP, function, *passed))),)))
        for index, value in enumerate(passed):
            self.set(argument(index), value)
        way = "tail_apply" if leaves_place else "apply"
        self.add(jump(way, (stack, HEAP, function, small(count))))


def plain_variable(e: Expr) -> CVariable:
    """A parameter, which is a variable always."""
    if not isinstance(e, CVariable):
        raise InternalError(f"no parameter: {e!r}")
    return e


def _takes(name: str, count: int) -> bool:
    row = CONTROL.get(name)
    if row is None:
        return False
    least, most = row.arity
    return least <= count and (most is None or count <= most)
