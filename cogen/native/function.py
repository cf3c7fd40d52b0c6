"""A procedure's IL -> its C functions.

    body          void f(sp, hp, [self,] arguments ...)     the procedure
    continuation  void k(sp, hp, parameters ..., live ...)  jumped to from several C functions
    return        void r(sp, hp, value)                     what it needs is in its frame

Within a C function continuations are labels.  `sp` stands at the frames of the callers all the
time; a call that returns puts what is needed afterwards, and the return address, above it.

Where memory is allocated, the function starts with a check that there is enough for all it can
allocate before the next check (at labels that are loops); that is where the collector runs.
"""

from __future__ import annotations

from typing import Final

from cogen.lang import il
from cogen.lang.datum import UNSPECIFIED
from cogen.lang.errors import InternalError, LimitationError
from cogen.lang.marks import place_of, places_of
from cogen.lang.prims import CONTROL, PRIMITIVES
from cogen.native.context import SELF
from cogen.native.lets import LetWriter
from cogen.native.lines import indented
from cogen.native.loops import makes_objects
from cogen.native.operations import control_name
from cogen.native.procedures import Procedure
from cogen.native.regions import START, Node, return_name

IN_REGISTERS: Final = 4
"""Words that a C function takes in registers, besides sp and hp; as in runtime/values.h."""

SLACK: Final = 1000
"""Words that may be allocated, or pushed, after one check; a little less than the run time has."""


class FunctionWriter(LetWriter):
    """Writes one C function."""

    # Heads

    def write(self, parameters: list[str], node: Node, stack: bool) -> None:
        """A C function that takes parameters."""
        names = [self.variable(name) for name in parameters]
        body = self._body(node)
        registers = ["word *sp", "word *hp", *(f"word {name}" for name in names[:IN_REGISTERS])]
        head = f"void {self.code}({', '.join(registers)})"
        own = self.root == START and SELF in parameters  # a continuation may need it, as the fifth
        lines = [
            f"    word {name} = rt->arguments[{index - own}];"
            for index, name in enumerate(names)
            if index >= IN_REGISTERS
        ]
        conditions = ["hp > rt->heap_limit"] if self.words else []
        if stack:
            conditions.append("sp > rt->stack_limit")
        if conditions:
            lines += self._check(" || ".join(conditions), names)
        self._finish(head, names, lines, body)

    def write_return(self, node: Node, name: str) -> None:
        """The C function that calls return to: fetch what the frame has, go on."""
        saved = sorted(node.live)
        words = len(saved) + 1
        site = int(name.split(" ", 2)[1])
        self.module.frame(self.code, words, site)
        if node.is_function:
            passed = ["value"] if node.parameters else []
            self._tail_jump(node, [*passed, *map(self.variable, saved)])
            body, self.lines = self.lines, []
        else:
            if node.parameters:
                self.line(f"{self.local(node.parameters[0])} = value;")  # never an unboxed float
            body = self._body(node)
        head = f"void {self.code}(word *sp, word *hp, word value)"
        lines: list[str] = []
        if self.words:
            lines += [
                "    if (UNLIKELY(hp > rt->heap_limit)) {",
                "        *sp = value;",
                "        CALL_2(collect_garbage, sp, hp);",
                "        hp = rt->hp;",
                "        value = *sp;",
                "    }",
            ]
        lines += [
            f"    word {self.variable(variable)} = sp[{index - words}];"
            for index, variable in enumerate(saved)
        ]
        lines.append(f"    sp -= {words};")
        self._finish(head, [self.variable(variable) for variable in saved], lines, body)

    def _check(self, condition: str, names: list[str]) -> list[str]:
        """Make room, and find the live variables again, if there is no room."""
        if len(names) > SLACK:
            raise LimitationError(
                f"a procedure needs more than {SLACK} variables at once",
                None if self.context.procedure is None else self.context.procedure.function.span,
            )
        return [
            f"    if (UNLIKELY({condition})) {{",
            *(f"        sp[{index}] = {name};" for index, name in enumerate(names)),
            f"        CALL_3(enter, sp, hp, {len(names)});",
            "        sp = rt->sp, hp = rt->hp;",
            *(f"        {name} = sp[{index}];" for index, name in enumerate(names)),
            "    }",
        ]

    def _finish(self, head: str, bound: list[str], start: list[str], body: list[str]) -> None:
        self.module.declare(head)
        declared = [name for name in self.locals if name not in bound]
        lines = [f"static {head} {{"]
        if self.counts:
            lines.append("    unsigned k_ = 0;")
        if self.doubles:
            lines.append(f"    double {', '.join(self.doubles)};")
        if declared:
            lines.append(f"    word {', '.join(declared)};")
        lines += [
            "    runtime *rt = runtime_of(sp);",
            "    bool c_;",
            *start,
            *(indented(line, "    ") for line in body),
            "}",
        ]
        procedure = self.context.procedure
        span = None if procedure is None else procedure.function.span
        self.module.define(lines, places_of(span), self.context.label)

    def _body(self, node: Node) -> list[str]:
        """The code of a node and all that belongs to this function.

        A function that may allocate more than the slack is written again, with allocation left
        to the run time.
        """
        before = list(self.lines)
        self._write_blocks(node)
        if self.words > SLACK:
            self.many = True
            self.words = 1
            self.lines = before
            self.labels.clear()
            self._write_blocks(node)
        body, self.lines = self.lines, []
        return body

    def _write_blocks(self, node: Node) -> None:
        if node.is_loop and not node.is_function:
            self._enter_node(node)
        self.block(node.block)
        while self.pending:
            label, block = self.pending.pop()
            self.places = ()
            self.line(f"{label}:;")
            self.block(block)

    # Blocks

    def block(self, block: il.Block | None) -> None:
        while block is not None:
            fused = self._fused(block)
            for binding in block.bindings:
                match binding:
                    case il.Let():
                        if binding is not fused:
                            self.let(binding)
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
            condition = f"{self.atom(tail.test, self.module.site(tail.span))} != FALSE"
        label = self.module.names.fresh("L")
        self.line(f"if ({condition}) goto {label};")
        self.pending.append((label, tail.then))
        return tail.otherwise

    def _jump(self, jump: il.Jump) -> il.Block | None:
        self.places = places_of(jump.span)
        reads = any(isinstance(atom, il.Global) for atom in jump.arguments)  # may have no value
        site = self.module.site(jump.span) if reads else 0
        if jump.cont == self.context.exit:
            values = [self.atom(atom, site) for atom in jump.arguments]
            self.line(f"RETURN({values[0] if values else self.module.constant(UNSPECIFIED)});")
            return None
        node = self.context.regions.nodes[jump.cont]
        if node.is_function:
            arguments = [self.atom(atom, site) for atom in jump.arguments]
            self._tail_jump(node, [*arguments, *map(self.variable, sorted(node.live))])
            return None
        self._assign(node, jump.arguments, site)
        if node.entries == 1 and not node.is_loop:
            return node.block
        label = self.labels.get(node.name)
        if label is not None:
            self.line(f"goto {label};")
            return None
        self._enter_node(node)
        return node.block

    def _enter_node(self, node: Node) -> None:
        """Write the label of a continuation, with a check if it is a loop that allocates."""
        label = self.labels[node.name] = self.module.names.fresh("L")
        self.places = ()
        self.line(f"{label}:;")
        if node.is_loop:
            self.in_loop = True
        if node.is_loop and makes_objects(node, self.context):
            alive = self.context.parameters_of(node)
            names = [self.variable(name) for name in alive if not self.is_unboxed(name)]
            self.words += 1
            check = self._check("hp > rt->heap_limit", names)
            check[-1:-1] = [
                f"        {self.double(name)[1]} = 0;" for name in alive if self.is_unboxed(name)
            ]
            self.lines += [line[4:] for line in check]

    def _assign(self, node: Node, arguments: tuple[il.Atom, ...], site: int) -> None:
        """Set the parameters of a continuation, all at once."""
        changed: list[tuple[str, str, str]] = []
        for parameter, argument in zip(node.parameters, arguments, strict=True):
            if self.is_unboxed(parameter):
                value, box = self.double(parameter)
                changed += [("double ", value, self._float(argument))]
                changed += [("word ", box, self._known_box(argument))]
            else:
                changed.append(("word ", self.local(parameter), self.atom(argument, site)))
        changed = [(kind, name, value) for kind, name, value in changed if name != value]
        if len(changed) < 2 or not node.is_loop:
            for _, name, value in changed:
                self.line(f"{name} = {value};")
            return
        first = " ".join(f"{kind}{name}_ = {value};" for kind, name, value in changed)
        then = " ".join(f"{name} = {name}_;" for _, name, _ in changed)
        self.line(f"{{ {first} {then} }}")

    def _float(self, argument: il.Atom) -> str:
        value = self.float_operand(argument)
        if value is None:
            raise InternalError(f"{argument!r} flows to a float")
        return value

    def _known_box(self, argument: il.Atom) -> str:
        """The box of a float that there is already, or 0."""
        if not isinstance(argument, il.Var):
            return "0"
        if self.is_unboxed(argument.name):
            return self.double(argument.name)[1]
        return self.variable(argument.name)

    def _tail_jump(self, node: Node, passed: list[str]) -> None:
        self._invoke(self.context.codes[node.name], "sp", passed, 0)

    def _invoke(self, code: str, sp: str, passed: list[str], self_words: int) -> None:
        """A C tail call; what does not fit in registers goes to `arguments`."""
        for index, argument in enumerate(passed):
            if index >= IN_REGISTERS:
                self.line(f"rt->arguments[{index - self_words}] = {argument};")
        self.line(f"return {code}({', '.join([sp, 'hp', *passed[:IN_REGISTERS]])});")

    # Calls

    def _call(self, call: il.Call) -> None:
        self.places = place_of(call.span)
        site = self.module.site(call.span)
        is_tail = call.cont == self.context.exit
        leaves_place = not self.context.in_library and call.span is not None
        callee = self.module.procedures.called(call)
        if callee is not None:
            self._known_call(call, callee, site, is_tail and leaves_place)
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
        node = self.context.regions.nodes[call.cont]
        saved = [*map(self.variable, sorted(node.live)), f"(word){self.context.codes[name]}"]
        if len(saved) > SLACK:
            raise LimitationError(f"a call has more than {SLACK} variables to keep", call.span)
        for index, value in enumerate(saved):
            self.line(f"sp[{index}] = {value};")
        return len(saved)

    def _known_call(self, call: il.Call, callee: Procedure, site: int, leaves_place: bool) -> None:
        if callee.is_global and callee.function.name in self.module.checked:
            self.check_global(callee.function.name, site)
        arguments = [self.atom(atom, site) for atom in call.arguments]
        count = len(callee.function.parameters)
        if callee.function.rest is not None:
            arguments = [*arguments[:count], self._rest(arguments[count:])]
        if callee.is_closed:
            arguments = [self.variable(callee.function.name), *arguments]
        elif not callee.escapes:
            arguments += map(self.variable, callee.needs)
        words = self._push(call)
        if leaves_place and callee.in_library:
            self.line(f"PASS({site});")
        self._invoke(callee.code, _above(words), arguments, int(callee.is_closed))

    def _rest(self, arguments: list[str]) -> str:
        """The C expression of a list of arguments."""
        if not arguments:
            return "NIL"
        result = self.module.names.fresh("rest")
        self.locals[result] = None
        self.line(f"{result} = NIL;")
        for argument in reversed(arguments):
            self.words += 2
            if self.many:
                self.line(f"DO({result}, 0, CALL_2(cons, {argument}, {result}));")
            else:
                self.line(f"CONS({result}, {argument}, {result});")
        return result

    def _control_call(self, call: il.Call, name: str, site: int, leaves_place: bool) -> None:
        arguments = [self.atom(atom, site) for atom in call.arguments]
        self.line(f"LEAVE({site});")
        words = self._push(call)
        if leaves_place:
            self.line(f"PASS({site});")
        for index, argument in enumerate(arguments):
            self.line(f"rt->arguments[{index}] = {argument};")
        self.line(f"return {control_name(name)}({_above(words)}, hp, {len(arguments)});")

    def _unknown_call(self, call: il.Call, site: int, leaves_place: bool) -> None:
        function = self.atom(call.function, site)
        arguments = [self.atom(atom, site) for atom in call.arguments]
        count = len(arguments)
        self.line(f"LEAVE({site});")
        above = _above(self._push(call))
        for index in range(3, count):
            self.line(f"rt->arguments[{index}] = {arguments[index]};")
        passed = arguments[:3]
        if isinstance(call.function, il.Var | il.Global):
            types = ", ".join(["word *", "word *", "word", *["word"] * len(passed)])
            self.line(
                f"if (LIKELY(TAKES({function}, {count}))) return ((void (*)({types}))"
                f"CLOSURE_CODE({function}))({', '.join([above, 'hp', function, *passed])});"
            )
        for index, argument in enumerate(passed):
            self.line(f"rt->arguments[{index}] = {argument};")
        way = "tail_apply" if leaves_place else "apply"
        self.line(f"return {way}({above}, hp, {function}, {count});")


def _above(words: int) -> str:
    return f"sp + {words}" if words else "sp"


def _takes(name: str, count: int) -> bool:
    row = CONTROL.get(name)
    if row is None:
        return False
    least, most = row.arity
    return least <= count and (most is None or count <= most)
