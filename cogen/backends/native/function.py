"""A procedure's IL -> its C functions.

    body          void f(sp, hp, [self,] arguments ...)     the procedure
    continuation  void k(sp, hp, parameters ..., live ...)  jumped to from several C functions
    return        void r(sp, hp, value)                     what it needs is in its frame

Within a C function continuations are labels.  `sp` stands at the frames of the callers all the
time; a call that returns puts what is needed afterwards, and the return address, above it.

Variables are kept in the slots of `frames`, from the first call that needs them afterwards on: they
stay there when a call returns, and are fetched by the C functions that use them.

Where memory is allocated, the function starts with a check that there is enough for all it can
allocate before the next check (at labels that are loops); that is where the collector runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Final

from cogen.backends.ctree.literals import small
from cogen.backends.ctree.moves import in_order
from cogen.backends.ctree.tree import (
    CAssign,
    CBinary,
    CDeclare,
    CDo,
    CGoto,
    CIf,
    CLabel,
    CScope,
    CUnary,
    CVariable,
    Expr,
    Statement,
)
from cogen.backends.ctree.types import BOOL, DOUBLE, UNSIGNED
from cogen.backends.native.calls import CallWriter, plain_variable
from cogen.backends.native.context import SELF, NativeContext
from cogen.backends.native.lets import CONDITION
from cogen.backends.native.limits import IN_REGISTERS, SLACK
from cogen.backends.native.loops import makes_objects
from cogen.backends.native.regions import START, CodeNode
from cogen.backends.native.vocabulary import (
    FALSEHOOD,
    HEAP,
    STACK,
    VALUE,
    WORD,
    argument,
    called,
    instance,
    on_stack,
    procedure,
    returning,
    run_time,
    unlikely,
)
from cogen.lang import il
from cogen.lang.datum import UNSPECIFIED
from cogen.lang.errors import InternalError, LimitationError
from cogen.lang.ilutil import NEVER_RETURN
from cogen.lang.marks import places_of
from cogen.lang.prims import PRIMITIVES


class FunctionWriter(CallWriter):
    """Writes one C function."""

    def __init__(self, context: NativeContext, code: str, root: str) -> None:
        super().__init__(context, code, root)
        self.checks: dict[int, tuple[list[Expr], list[Statement]]] = {}
        """Where loops look for room: what is alive there, and what is forgotten then."""

    # Heads

    def write(self, parameters: list[str], node: CodeNode, stack: bool) -> None:
        """A C function that takes parameters."""
        names = [plain_variable(self.variable(name)) for name in parameters]
        body = self._body(node)
        own = self.root == START and SELF in parameters  # a continuation may need it, as the fifth
        start: list[Statement] = [
            CDeclare(WORD, name.name, argument(index - own))
            for index, name in enumerate(names)
            if index >= IN_REGISTERS
        ]
        conditions = [HEAP_IS_FULL] if self.words else []
        if stack:
            conditions.append(CBinary(">", STACK, run_time("stack_limit")))
        if conditions:
            full = reduce(lambda a, b: CBinary("||", a, b), conditions)
            start.append(self._check(full, names))
        start += self._fetches()
        self._finish((STACK, HEAP, *names[:IN_REGISTERS]), names, start, body)

    def write_return(self, node: CodeNode, name: str) -> None:
        """The C function that calls return to: fetch what the frame has, go on."""
        words = self.context.frames.words(name) + 1
        site = int(name.split(" ", 2)[1])
        self.module.frame(self.code, words, site)
        if node.is_function:
            self._tail_jump(node, [VALUE] if node.parameters else [])
            body, self.out = self.out, []
        else:
            if node.parameters:
                self.set(self.local(node.parameters[0]), VALUE)  # never an unboxed float
            body = self._body(node)
        start: list[Statement] = [_COLLECT_WITH_VALUE] if self.words else []
        start += [CAssign(STACK, small(words), "-="), *self._fetches()]
        self._finish((STACK, HEAP, VALUE), (), start, body)

    def _fetches(self) -> list[Statement]:
        """Fetch what is used of the variables that are in their slots."""
        return [CAssign(variable, slot) for variable, slot in self._slots(sorted(self.fetched))]

    def _check(
        self, condition: Expr, names: Sequence[Expr], after: Sequence[Statement] = ()
    ) -> Statement:
        """Make room, and find the live variables again, if there is no room: those that are kept
        in slots, and above them the others."""
        frames = self.context.frames
        first = frames.words(self.root) if self.kept else 0
        if first + len(names) > SLACK:
            raise LimitationError(
                f"a procedure needs more than {SLACK} variables at once",
                None if self.context.procedure is None else self.context.procedure.function.span,
            )
        inner = (
            *[CAssign(on_stack(slot), small(0)) for slot in frames.free(self.root)],
            *[CAssign(on_stack(index), name) for index, name in enumerate(names, first)],
            CDo(called("enter", STACK, HEAP, small(first + len(names)))),
            CAssign(STACK, run_time("sp")),
            CAssign(HEAP, run_time("hp")),
            *[CAssign(name, on_stack(index)) for index, name in enumerate(names, first)],
            *after,
        )
        return CIf(unlikely(condition), inner)

    def _finish(
        self,
        parameters: tuple[CVariable, ...],
        bound: Sequence[CVariable],
        start: Sequence[Statement],
        body: Sequence[Statement],
    ) -> None:
        taken = {variable.name for variable in bound}
        head: list[Statement] = []
        if self.counts:
            head.append(CDeclare(UNSIGNED, "k_", small(0)))
        head += [CDeclare(DOUBLE, name) for name in self.doubles]
        head += [CDeclare(WORD, name) for name in self.locals if name not in taken]
        head += [CDeclare(WORD, variable.name) for variable, _ in self._slots(list(self.fetched))]
        head += [instance(), CDeclare(BOOL, CONDITION.name)]
        made = self.context.procedure
        span = None if made is None else made.function.span
        function = procedure(self.code, parameters, *head, *start, *body)
        self.module.define(replace(function, procedure=self.context.label, places=places_of(span)))

    def _body(self, node: CodeNode) -> list[Statement]:
        """The code of a node and all that belongs to this function.

        A function that may allocate more than the slack is written again, with allocation left
        to the run time.
        """
        before = list(self.out)
        self._write_blocks(node)
        if self.words > SLACK:
            self.many = True
            self.words = 1
            self.out = before
            self.labels.clear()
            self.checks.clear()
            self._write_blocks(node)
        for index, (names, forgotten) in self.checks.items():
            self.out[index] = self._check(HEAP_IS_FULL, names, [*forgotten, *self._fetches()])
        body, self.out = self.out, []
        return body

    def _write_blocks(self, node: CodeNode) -> None:
        if node.is_loop and not node.is_function:
            self._enter_node(node)
        self.block(node.block)
        while self.pending:
            label, block = self.pending.pop()
            self.places = ()
            self.add(CLabel(label))
            self.block(block)

    # Blocks

    def block(self, block: il.Block | None) -> None:
        while block is not None:
            fused = self._fused(block)
            self.fails = _fails(block)
            self.last = None
            for binding in block.bindings:
                match binding:
                    case il.Let():
                        if binding is not fused:
                            self.let(binding)
                            self.last = binding
                    case il.Fix(functions):
                        self.fix(functions)
            block = self._tail(block.tail, fused)

    def _fused(self, block: il.Block) -> il.Let | None:
        """The last operation, if only the conditional uses it and it gives #t or #f."""
        if not block.bindings or not isinstance(block.tail, il.If):
            return None
        last, test = block.bindings[-1], block.tail.test
        if not isinstance(last, il.Let) or not isinstance(test, il.Var) or last.name != test.name:
            return None
        if self.context.usage.uses[last.name] != 1 or PRIMITIVES[last.op].result != "bool":
            return None
        return last

    # Tails

    def _tail(self, tail: il.Tail, fused: il.Let | None) -> il.Block | None:
        """Write a tail; the block to go on with, if any."""
        match tail:
            case il.If():
                return self._conditional(tail, fused)
            case il.Jump():
                return self._jump(tail)
            case il.Call():
                self._call(tail)
                return None
        raise InternalError(f"no tail: {tail!r}")

    def _conditional(self, tail: il.If, fused: il.Let | None) -> il.Block:
        self.places = places_of(None if fused is None else fused.span, tail.span)
        compared = None if fused is None else self.float_condition(fused)
        if compared is not None:
            condition = compared
        elif fused is not None:
            site = self.module.site(fused.span)
            arguments = [self.atom(atom, site) for atom in fused.arguments]
            condition = self.condition(fused, arguments, site)
        else:
            tested = self.atom(tail.test, self.module.site(tail.span))
            condition = CBinary("!=", tested, FALSEHOOD)
        label = self.module.names.fresh("L")
        self.add(CIf(condition, (CGoto(label),)))
        self.pending.append((label, tail.then))
        return tail.otherwise

    def _jump(self, jump: il.Jump) -> il.Block | None:
        self.places = places_of(jump.span)
        reads = any(isinstance(atom, il.Global) for atom in jump.arguments)  # may have no value
        site = self.module.site(jump.span) if reads else 0
        if jump.cont == self.context.exit:
            values = [self.atom(atom, site) for atom in jump.arguments]
            self._return(values[0] if values else self.module.constant(UNSPECIFIED))
            return None
        node = self.context.regions.nodes[jump.cont]
        if node.is_function:
            self._jump_out(node, jump.arguments, site)
            return None
        self._assign(node, jump.arguments, site)
        if node.entries == 1 and not node.is_loop:
            return node.block
        label = self.labels.get(node.name)
        if label is not None:
            self.add(CGoto(label))
            return None
        self._enter_node(node)
        return node.block

    def _return(self, value: Expr) -> None:
        self.add(returning(value))

    def _jump_out(self, node: CodeNode, arguments: tuple[il.Atom, ...], site: int) -> None:
        """Go on with a continuation that is a C function."""
        self._tail_jump(node, [self.atom(atom, site) for atom in arguments])

    def _enter_node(self, node: CodeNode) -> None:
        """Write the label of a continuation, with a check if it is a loop that allocates."""
        label = self.labels[node.name] = self.module.names.fresh("L")
        self.places = ()
        self.add(CLabel(label))
        if node.is_loop:
            self.in_loop = True
            self._enter_loop(node)

    def _enter_loop(self, node: CodeNode) -> None:
        if makes_objects(node, self.context):
            alive = [*node.parameters, *sorted(node.live - self.kept)]
            names = [self.variable(name) for name in alive if not self.is_unboxed(name)]
            self.words += 1
            boxes = [self.double(name)[1] for name in alive if self.is_unboxed(name)]
            self.checks[len(self.out)] = names, [CAssign(box, small(0)) for box in boxes]
            self.out.append(CDo(small(0)))  # the check, when it is known what this function fetches

    def _assign(self, node: CodeNode, arguments: tuple[il.Atom, ...], site: int) -> None:
        """Set the parameters of a continuation, all at once."""
        changed: list[tuple[CVariable, Expr]] = []
        for parameter, atom in zip(node.parameters, arguments, strict=True):
            if self.is_unboxed(parameter):
                value, box = self.double(parameter)
                changed += [(value, self._float(atom)), (box, self._known_box(atom))]
            else:
                changed.append((self.local(parameter), self.atom(atom, site)))
        moves: list[Statement] = []
        for target, new, is_temporary in in_order(changed, lambda name: f"{name}_"):
            made = CDeclare(target.type, target.name, new) if is_temporary else None
            moves.append(made or CAssign(target, new))
        if any(isinstance(move, CDeclare) for move in moves):
            self.add(CScope(tuple(moves)))
            return
        for move in moves:
            self.add(move)

    def _float(self, argument: il.Atom) -> Expr:
        value = self.float_operand(argument)
        if value is None:
            raise InternalError(f"{argument!r} flows to a float")
        return value

    def _known_box(self, argument: il.Atom) -> Expr:
        """The box of a float that there is already, or 0."""
        if not isinstance(argument, il.Var):
            return small(0)
        if self.is_unboxed(argument.name):
            return self.double(argument.name)[1]
        return self.variable(argument.name)

    def _tail_jump(self, node: CodeNode, arguments: list[Expr]) -> None:
        """Go on with a continuation that is a C function."""
        frames = self.context.frames
        passed = [*arguments, *map(self.variable, frames.passed[node.name])]
        self._keep(node.name)
        self._invoke(self.context.codes[node.name], STACK, passed, 0)


def _fails(block: il.Block) -> bool:
    """Does the block do what never returns?"""
    return any(type(let) is il.Let and let.op in NEVER_RETURN for let in block.bindings)


HEAP_IS_FULL: Final = CBinary(">", HEAP, run_time("heap_limit"))

_COLLECT_WITH_VALUE: Final = CIf(
    unlikely(HEAP_IS_FULL),
    (
        CAssign(CUnary("*", STACK), VALUE),
        CDo(called("collect_garbage", STACK, HEAP)),
        CAssign(HEAP, run_time("hp")),
        CAssign(VALUE, CUnary("*", STACK)),
    ),
)
"""Collect, with the value that is returned among what is alive."""
