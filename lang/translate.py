"""IL -> Python code for the interpreter's steps (see `lang.runtime`).

What it removes: names (variables become Python locals), nesting (every procedure and every
continuation that is entered from several places, or returned to, becomes a Python function of
its own, with what it needs from outside as further arguments), second-class continuations
(a jump is the next step, or an assignment and a Python jump).

    procedure f       def f(S, K, x, ...)        S the closure, K the frame to return to
    continuation k    def k(K, x, ..., free ...) entered by jumps
                      def r(x, F)                returned to; F is (r, K, free ...)
    deep block b      def b(K, free ...)         the arm of an `if` nested too deeply for Python
    item              def i(K)

A continuation with a single jump to it is written in place of the jump.  A continuation that
jumps to itself, and a procedure that calls itself in tail position, become Python loops unless
every step has to be counted.

A line of the text holds at most one operation or tail that can fail: `Unit.sites` tells which,
so that an exception finds its place without any cost before it happens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count, repeat
from typing import Any, Final

from cogen.lang import il
from cogen.lang.chain import Calls, in_library, library_of
from cogen.lang.datum import UNSPECIFIED, Symbol
from cogen.lang.errors import InternalError, Span
from cogen.lang.ilutil import Free, parameters
from cogen.lang.inline import SCOPE, expression, is_literal
from cogen.lang.prims import CONTROL, PRIMITIVES
from cogen.lang.primtable.data import some_finite
from cogen.lang.pynames import PythonNames
from cogen.lang.pyunits import Definition, PythonUnit, Site, Target, takes
from cogen.lang.runtime import (
    ClosureProcedure,
    LibraryClosure,
    Runtime,
    frame_of_tail_call,
    remember_call,
)
from cogen.lang.searches import SearchRefusal, find_refusal, refusal_of
from cogen.lang.usage import Usage

DEEPEST: Final = 12
"""Python's nesting of conditionals is kept below this; CPython allows 100 indentations."""


BURST: Final = 1 << 20
"""After so many rounds a loop of the prelude looks whether what it walks is circular."""

WALK: Final = 1 << 18
"""The same for recursions of the prelude, all together: each takes memory."""


_walks = count(1)
"""The calls of such recursions."""


@dataclass(slots=True)
class ItemTranslator:
    """Translates the items of one program.

    `known` are the procedures that `Define` items bind; `loops` allows Python loops.  Errors in
    libraries of the product are told at the call that led there.
    """

    runtime: Runtime
    known: Mapping[str, il.Function]
    loops: bool = True
    free: Free = field(default_factory=Free)

    def function(self, function: il.Function) -> PythonUnit:
        """The unit of a global procedure."""
        return _UnitWriter(self, function.body, library_of(function.span)).procedure_unit(function)

    def block(self, cont: str, block: il.Block, span: Span | None) -> PythonUnit:
        """The unit of the block of a top-level item that jumps to `cont` when done."""
        return _UnitWriter(self, block, library_of(span)).block_unit(cont, block)


class _UnitWriter(PythonNames):
    """Writes one unit."""

    def __init__(self, translator: ItemTranslator, root: il.Block, library: str) -> None:
        self.translator = translator
        self.free = translator.free
        self.library = library
        self.usage = Usage(root)
        runtime = translator.runtime
        namespace = {
            **SCOPE,
            "GL": runtime.machine.globals,
            "M": runtime.machine,
            "U": UNSPECIFIED,
            "Closure": ClosureProcedure,
            "New": LibraryClosure if library else ClosureProcedure,
            "apply": runtime.apply,
            "remember": remember_call,
            "tail": frame_of_tail_call,
            "repeat": repeat,
            "some_finite": some_finite,
            "walks": _walks,
        }
        super().__init__(namespace)
        self.lines: list[str] = []
        self.sites: dict[int, Site] = {}
        self.calls: dict[str, il.Call] = {}
        self.targets: dict[str, Target] = {}
        self.procedures: dict[str, il.Function] = {}
        """The procedures that the variables of a `fix` are."""
        self.pending: list[Any] = []
        self.entries: dict[tuple[str, str, Span | None, Calls | None], str] = {}
        self.current = Definition("")

    # Units

    def procedure_unit(self, function: il.Function) -> PythonUnit:
        entry = self.later_procedure(function, None)
        return self.unit(entry)

    def block_unit(self, cont: str, block: il.Block) -> PythonUnit:
        self.pending.append(("item", cont, block))
        return self.unit("i0")

    def unit(self, entry: str) -> PythonUnit:
        while self.pending:
            kind, *work = self.pending.pop()
            getattr(self, f"write_{kind}")(*work)
        text = "\n".join(self.lines) + "\n"
        return PythonUnit(entry, text, self.namespace, self.sites, self.calls)

    # Lines

    def line(self, depth: int, text: str, site: Site | None = None) -> None:
        self.lines.append("    " * depth + text)
        if site is not None:
            self.sites[len(self.lines)] = site

    # What a block or continuation needs from outside

    def needs(self, block: il.Block) -> set[str]:
        """The variables a block needs, those of the continuations it goes to included."""
        names = set(self.free.variables(block))
        for cont in self.free.conts(block):
            target = self.targets.get(cont)
            if target is not None:
                names.update(target.needs)
        return names

    def bind_conts(self, group: il.Conts) -> None:
        needed: set[str] = set()
        reached: set[str] = set()
        for cont in group.conts:
            needed |= self.needs(cont.body).difference(cont.parameters)
            reached |= self.free.conts(cont.body)
        for cont in group.conts:
            self.targets[cont.name] = Target(cont, tuple(sorted(needed)), cont.name in reached)

    # Definitions

    def later_procedure(self, function: il.Function, name: str | None) -> str:
        """Ask for the code of a procedure; its Python name."""
        entry = self.fresh("f")
        free = () if name is None else self.captured(function)
        self.pending.append(("procedure", entry, function, name, free))
        return entry

    def captured(self, function: il.Function) -> tuple[str, ...]:
        """The free variables that a closure holds: all but itself."""
        return tuple(sorted(self.free.of_function(function) - {function.name}))

    def write_procedure(
        self, entry: str, function: il.Function, name: str | None, free: tuple[str, ...]
    ) -> None:
        variables = self.locals(parameters(function))
        self.line(0, f"def {entry}({', '.join(['S', 'K', *variables])}):")
        if free:
            self.line(1, f"{', '.join(self.locals(free))}, = S.free")
        if name is not None:
            self.line(1, f"{self.local(name)} = S")
            self.procedures[name] = function
        self.current = Definition(
            entry, loop_function=function, variables=tuple(variables), exit=function.cont
        )
        loops = (function.name, function.cont) in self.usage.tail_calls
        refusal = refusal_of(function)
        if refusal is not None and not loops:
            self.line(1, f"if next(walks) % {WALK} == 0:")
            self.look(refusal, 2)
        self.body(function.body, loops, refusal)

    def write_item(self, cont: str, block: il.Block) -> None:
        self.line(0, "def i0(K):")
        self.current = Definition("i0", exit=cont)
        self.body(block, False)

    def write_cont(self, entry: str, cont: str, exit: str) -> None:
        target = self.targets[cont]
        variables = self.locals(target.cont.parameters)
        header = ["K", *variables, *self.locals(target.needs)]
        self.line(0, f"def {entry}({', '.join(header)}):")
        self.current = Definition(entry, loop_cont=cont, variables=tuple(variables), exit=exit)
        refusal = find_refusal(target.cont.span, target.cont.body)
        self.body(target.cont.body, target.recursive, refusal)

    def write_return(self, entry: str, cont: str, exit: str) -> None:
        """The function that a value is returned to."""
        target = self.targets[cont]
        parameter = self.locals(target.cont.parameters)
        value = parameter[0] if parameter else "_"
        self.line(0, f"def {entry}({value}, F):")
        self.line(1, f"{', '.join(['_', 'K', *self.locals(target.needs)])} = F")
        self.current = Definition(entry, exit=exit)
        if self.usage.jumps[cont] > 2:
            arguments = ", ".join(["K", *parameter, *self.locals(target.needs)])
            self.line(1, f"return {self.cont_entry(cont)}, ({arguments},)")
        else:
            self.body(target.cont.body, False)

    def write_block(self, entry: str, block: il.Block, needs: list[str], exit: str) -> None:
        self.line(0, f"def {entry}({', '.join(['K', *needs])}):")
        self.current = Definition(entry, exit=exit)
        self.body(block, False)

    def cont_entry(self, cont: str) -> str:
        """The Python function that jumps to a continuation enter."""
        return self.entry("cont", cont)

    def return_entry(self, cont: str, call: il.Call) -> str:
        """The Python function that calls from a place return to."""
        entry = self.entry("return", cont, call.span)
        self.calls[entry] = call
        return entry

    def entry(self, kind: str, cont: str, span: Span | None = None) -> str:
        key = (kind, cont, span, None if span is None else span.calls)
        name = self.entries.get(key)
        if name is None:
            name = self.entries[key] = self.fresh(kind[0])
            self.pending.append((kind, name, cont, self.current.exit))
        return name

    # Blocks

    def body(self, block: il.Block, loops: bool, refusal: SearchRefusal | None = None) -> None:
        """The body of a definition; `loops` if something in it may jump to its start.  A list that
        it walks may be circular: `refusal` is what it says if it is none."""
        if loops and self.translator.loops:
            self.line(1, "while True:")
            if refusal is not None:
                self.line(2, f"for _ in repeat(None, {BURST}):")
                self.block(block, 3)
                self.look(refusal, 2)
            else:
                self.block(block, 2)
        else:
            self.block(block, 1)

    def look(self, refusal: SearchRefusal, depth: int) -> None:
        """Look whether one of the lists ends that a piece of the prelude goes through."""
        for let in refusal.made:
            self.let(let, depth)
        lists = ", ".join(map(self.atom, (refusal.items, *refusal.others)))
        self.line(depth, f"some_finite({refusal.name!r}, ({lists},))", refusal.error)

    def block(self, block: il.Block | None, depth: int) -> None:
        while block is not None:
            self.bindings(block, depth)
            block = self.tail(block, depth)

    def bindings(self, block: il.Block, depth: int) -> None:
        fused = self.fused_test(block)
        for binding in block.bindings:
            match binding:
                case il.Let():
                    if binding is not fused:
                        self.let(binding, depth)
                case il.Fix(functions):
                    self.fix(functions, depth)
                case il.Conts():
                    self.bind_conts(binding)

    def let(self, let: il.Let, depth: int) -> None:
        self.line(depth, f"{self.local(let.name)} = {self.operation(let)}", let)

    def operation(self, let: il.Let) -> str:
        """The Python expression of an operation."""
        if let.op == "global-get":
            (atom,) = let.arguments
            if isinstance(atom, il.Const) and isinstance(atom.value, Symbol):
                return f"GL[{atom.value.name!r}]"
        arguments = [self.atom(atom) for atom in let.arguments]
        row = PRIMITIVES[let.op]
        python = self.primitive(let.op, row.python)
        if row.context:
            return f"{python}({', '.join(['M', *arguments])})"
        call = f"{python}({', '.join(arguments)})"
        return expression(let.op, arguments, call) or call

    def fix(self, functions: tuple[il.Function, ...], depth: int) -> None:
        siblings = {function.name for function in functions}
        late: list[str] = []
        for function in functions:
            entry = self.later_procedure(function, function.name)
            name = self.local(function.name)
            count = len(function.parameters)
            if function.rest is not None:
                count = -1 - count
            free = self.captured(function)
            captured = f"({', '.join(self.locals(free))},)" if free else "()"
            self.procedures[function.name] = function
            made = f"{name} = New({function.label or function.name!r}, {entry}, {count}"
            if siblings.isdisjoint(free):
                self.line(depth, f"{made}, {captured})")
            else:
                self.line(depth, f"{made})")
                late.append(f"{name}.free = {captured}")
        for text in late:
            self.line(depth, text)

    # Tails

    def tail(self, block: il.Block, depth: int) -> il.Block | None:
        """Write the tail of a block; the block to go on with, if any."""
        match block.tail:
            case il.If():
                return self.conditional(block, block.tail, depth)
            case il.Jump():
                return self.jump(block.tail, depth)
            case il.Call():
                self.call(block.tail, depth)
                return None
        raise InternalError(f"no tail: {block.tail!r}")

    def fused_test(self, block: il.Block) -> il.Let | None:
        """The last operation of a block if only its conditional uses it, and it gives #t or #f."""
        if not block.bindings or not isinstance(block.tail, il.If):
            return None
        last, test = block.bindings[-1], block.tail.test
        if not isinstance(last, il.Let) or not isinstance(test, il.Var):
            return None
        if last.name != test.name or self.usage.uses[last.name] != 1:
            return None
        return last if PRIMITIVES[last.op].result == "bool" else None

    def conditional(self, block: il.Block, tail: il.If, depth: int) -> il.Block:
        fused = self.fused_test(block)
        if fused is not None:
            self.line(depth, f"if {self.operation(fused)}:", fused)
        else:
            test = self.atom(tail.test)
            text = "True" if is_literal(test) else f"{test} is not False"
            self.line(depth, f"if {text}:", tail)
        if depth < DEEPEST:
            self.block(tail.then, depth + 1)
        else:
            entry = self.fresh("b")
            needs = self.locals(sorted(self.needs(tail.then)))
            self.pending.append(("block", entry, tail.then, needs, self.current.exit))
            self.line(depth + 1, f"return {entry}, ({', '.join(['K', *needs])},)")
        return tail.otherwise

    def jump(self, jump: il.Jump, depth: int) -> il.Block | None:
        arguments = [self.atom(atom) for atom in jump.arguments]
        current = self.current
        if jump.cont == current.exit:
            value = arguments[0] if arguments else "U"
            self.line(depth, f"return K[0], ({value}, K)", jump)
            return None
        target = self.targets[jump.cont]
        if jump.cont == current.loop_cont and self.translator.loops:
            self.again(arguments, depth, jump)
            return None
        if self.usage.jumps[jump.cont] == 1:
            for parameter, argument in zip(target.cont.parameters, arguments, strict=True):
                self.line(depth, f"{self.local(parameter)} = {argument}", jump)
            return target.cont.body
        passed = ", ".join(["K", *arguments, *self.locals(target.needs)])
        self.line(depth, f"return {self.cont_entry(jump.cont)}, ({passed},)", jump)
        return None

    def again(self, arguments: list[str], depth: int, site: Site) -> None:
        """Go back to the start of the Python function with new arguments."""
        variables = self.current.variables
        changed = [(v, a) for v, a in zip(variables, arguments, strict=True) if v != a]
        if changed:
            left, right = (", ".join(side) for side in zip(*changed, strict=True))
            self.line(depth, f"{left} = {right}", site)
        self.line(depth, "continue", site)

    def frame(self, call: il.Call) -> str:
        """The frame that a call returns to."""
        if call.cont != self.current.exit:
            target = self.targets[call.cont]
            saved = [self.return_entry(call.cont, call), "K", *self.locals(target.needs)]
            return f"({', '.join(saved)})"
        if self.library or call.span is None:
            return "K"
        span = self.constant(call.span)
        if isinstance(call.function, il.Prim):
            return f"remember(K, {span})" if call.function.name in CONTROL else "K"
        callee = self.callee(call)
        if callee is None:
            return f"tail({self.procedure(call)}, K, {span})"
        return f"remember(K, {span})" if in_library(callee.span) else "K"

    def callee(self, call: il.Call) -> il.Function | None:
        """The procedure that is called, if it is known."""
        match call.function:
            case il.Var(name):
                return self.procedures.get(name)
            case il.Global(name):
                return self.translator.known.get(name)
        return None

    def procedure(self, call: il.Call) -> str:
        """The Python name of the procedure that is called; a global's is looked up before."""
        return "C" if isinstance(call.function, il.Global) else self.atom(call.function)

    def call(self, call: il.Call, depth: int) -> None:
        if self.calls_itself(call):
            self.again([self.atom(atom) for atom in call.arguments], depth, call)
            return
        arguments = [self.atom(atom) for atom in call.arguments]
        frame, procedure, callee = self.frame(call), self.procedure(call), self.callee(call)
        if isinstance(call.function, il.Global):
            self.line(depth, f"C = {self.atom(call.function)}", call)
        passed = ", ".join([procedure, frame, *arguments])
        if callee is not None and takes(callee, len(arguments)):
            self.line(depth, f"return {procedure}.code, ({passed})", call)
            return
        if isinstance(call.function, il.Prim):
            if self.control(call.function.name, call, frame, depth):
                return
        elif callee is None and isinstance(call.function, il.Var | il.Global):
            test = f"type({procedure}) is Closure and {procedure}.count == {len(arguments)}"
            passed = ", ".join([procedure, "K" if frame.startswith("tail") else frame, *arguments])
            self.line(depth, f"if {test}:")
            self.line(depth + 1, f"return {procedure}.code, ({passed})", call)
        listed = f"({', '.join(arguments)},)" if arguments else "()"
        self.line(depth, f"return apply({procedure}, {listed}, {frame})", call)

    def calls_itself(self, call: il.Call) -> bool:
        """Is it a tail call of the procedure whose code this Python function starts?"""
        function = self.current.loop_function
        if function is None or not self.translator.loops or call.cont != self.current.exit:
            return False
        if not takes(function, len(call.arguments)):
            return False
        match call.function:
            case il.Var(name):
                return name == function.name
            case il.Global(name):
                return self.translator.known.get(name) is function
        return False

    def control(self, name: str, call: il.Call, frame: str, depth: int) -> bool:
        """Write the call of a control primitive, if it is one with that many arguments."""
        row = CONTROL.get(name)
        if row is None:
            return False
        least, most = row.arity
        count = len(call.arguments)
        if count < least or (most is not None and count > most):
            return False
        python = self.primitive(name, self.translator.runtime.control[name])
        passed = ", ".join([frame, *map(self.atom, call.arguments)])
        self.line(depth, f"return {python}({passed})", call)
        return True
