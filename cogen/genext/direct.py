"""IL procedures -> Python text that carries out calls of which nothing is left to residualise.

A call whose result needs no residual operation, no unknown conditional and no effect (looking a
name up in a known environment, walking a known program) is what most unfolding is about.  The
specializer runs it binding by binding, with environments, frames and activations for the case that
a memo point has to keep them.  Its text here runs on Python's own variables and stack:

    (define (look-up name names values)           def d3(S, E, v1, v2, v3):
      (cond ((null? names) (error ...))               while True:
            ((eq? name (car names)) (car values))         S.count()
            (else (look-up name (cdr names)   ->          if is_null(S, v2): raise Bail
                           (cdr values)))))               v4 = car(S, v2)
                                                          if is_eq(S, v1, v4): return car(S, v3)
                                                          v1, v2, v3 = v1, cdr(S, v2), cdr(S, v3)

Values are symbolic (`cogen.spec.domain`).  Whatever the text cannot do raises `Bail`
(`cogen.genext.support`): nothing has happened then, and the specializer carries the call out
itself.  So the result is the specializer's, or there is none.

`S` is the `Support` of the attempt, `E` the environment of the procedure's closure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from cogen.genext.image import Image
from cogen.genext.support import TESTS, VALUES
from cogen.genext.unfold import Unfold
from cogen.spec.liveness import Liveness
from lang import il
from lang.errors import Span
from lang.expand import PRELUDE
from lang.prims import CONTROL, PRIMITIVES

MAX_NESTING: Final = 60
"""Blocks nested deeper than this are left to the specializer: Python bounds indentation."""

_NEVER: Final = frozenset({"error", "raise", "set-base", "lift"})
"""Operations that always leave something to the residual program, or end it."""


class Direct:
    """Writes the text of procedures; `names` gives each its Python name."""

    def __init__(self, program: il.Program, image: Image, unfold: Unfold) -> None:
        self.names = {function: f"d{i}" for i, function in enumerate(image.functions)}
        self.globals = {
            item.name: item.function for item in program.items if isinstance(item, il.Define)
        }
        self.image = image
        self.unfold = unfold
        self.liveness = Liveness()

    def text(self, function: il.Function) -> list[str]:
        """The lines of the procedure's definition."""
        return _Body(self, function).lines


class _Body:
    """One procedure being written."""

    def __init__(self, direct: Direct, function: il.Function) -> None:
        self.direct = direct
        self.function = function
        self.lines: list[str] = []
        self.locals: dict[str, str] = {}
        self.bound: dict[str, il.Function] = {}
        self.conts: dict[str, il.Cont] = {}
        self.uses: dict[str, int] = {}
        self.in_cont = 0
        self.loops = False
        names = list(function.parameters)
        if function.rest is not None:
            names.append(function.rest)
        parameters = [self.local(name) for name in names]
        heading = ", ".join(["S", "E", *parameters])
        self.lines.append(f"def {direct.names[function]}({heading}):  # {_comment(function)}")
        free = [n for n in direct.liveness.of_function(function) if n not in names]
        for name in free:
            self.put(1, f"{self.local(name)} = E[{name!r}]")
        start = len(self.lines)
        self.count_uses(function.body)
        self.block(function.body, 2)
        head = ["    while True:", "        S.count()"]
        if not self.loops:
            head = ["    S.count()"]
            self.lines[start:] = [line[4:] for line in self.lines[start:]]
        self.lines[start:start] = head

    def put(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def local(self, name: str) -> str:
        """The Python name of an IL variable or continuation."""
        found = self.locals.get(name)
        if found is None:
            found = self.locals[name] = f"v{len(self.locals) + 1}"
        return found

    def count_uses(self, block: il.Block) -> None:
        """Count the jumps to each continuation, and the mentions of each variable."""
        work = [block]
        while work:
            code = work.pop()
            for atom in _atoms(code):
                if isinstance(atom, il.Var):
                    self.uses[atom.name] = self.uses.get(atom.name, 0) + 1
            for binding in code.bindings:
                if isinstance(binding, il.Conts):
                    work.extend(cont.body for cont in binding.conts)
                elif isinstance(binding, il.Fix):
                    for function in binding.functions:
                        for name in self.direct.liveness.of_function(function):
                            self.uses[name] = self.uses.get(name, 0) + 1
            tail = code.tail
            if isinstance(tail, il.If):
                work += [tail.then, tail.otherwise]
            else:
                self.uses[tail.cont] = self.uses.get(tail.cont, 0) + 1

    # -- blocks --------------------------------------------------------------------------------

    def block(self, block: il.Block, depth: int) -> None:
        """The statements of a block; they end by leaving the procedure or beginning it again."""
        while True:
            if depth > MAX_NESTING:
                self.put(depth, "raise Bail")
                return
            bindings = block.bindings
            test = self.fused_test(block)
            for binding in bindings[: len(bindings) - (test is not None)]:
                if not self.binding(binding, depth):
                    return
            tail = block.tail
            if isinstance(tail, il.If):
                self.put(depth, f"if {test or self.truth(tail.test)}:")
                self.block(tail.then, depth + 1)
                block = tail.otherwise
                continue
            arguments = [self.atom(atom) for atom in tail.arguments]
            if isinstance(tail, il.Jump):
                rest = self.jump(tail.cont, arguments, depth)
            else:
                rest = self.call(tail, arguments, depth)
            if rest is None:
                return
            block = rest

    def binding(self, binding: il.Binding, depth: int) -> bool:
        """The statements of a binding; False if it never gets further."""
        if isinstance(binding, il.Let):
            if binding.op in _NEVER:
                self.put(depth, "raise Bail")
                return False
            self.put(depth, f"{self.local(binding.name)} = {self.operation(binding)}")
        elif isinstance(binding, il.Fix):
            self.closures(binding, depth)
        else:
            for cont in binding.conts:
                self.conts[cont.name] = cont
            for cont in binding.conts:
                if self.uses.get(cont.name, 0) > 1:
                    self.continuation(cont, depth)
        return True

    def closures(self, binding: il.Fix, depth: int) -> None:
        """Closures that share one environment."""
        own = [function.name for function in binding.functions]
        free: dict[str, None] = {}
        for function in binding.functions:
            free.update(dict.fromkeys(self.direct.liveness.of_function(function)))
            self.bound[function.name] = function
        items = ", ".join(f"{name!r}: {self.local(name)}" for name in free if name not in own)
        environment = self.local(f"environment of {own[0]}")
        self.put(depth, f"{environment} = {{{items}}}")
        for function in binding.functions:
            code = self.direct.image.functions[function]
            name = self.local(function.name)
            self.put(depth, f"{name} = Closure({code}, {environment})")
            if function.name in free:
                self.put(depth, f"{environment}[{function.name!r}] = {name}")

    def continuation(self, cont: il.Cont, depth: int) -> None:
        """A continuation that is jumped to from several places: a procedure of Python."""
        parameters = ", ".join(self.local(name) for name in cont.parameters)
        self.put(depth, f"def {self.local(cont.name)}({parameters}):")
        self.put(depth + 1, "S.count()")
        self.in_cont += 1
        self.block(cont.body, depth + 1)
        self.in_cont -= 1

    def jump(self, cont: str, arguments: Sequence[str], depth: int) -> il.Block | None:
        """Statements that go on at a continuation, or its block to go on with here."""
        if cont == self.function.cont:
            value = arguments[0] if len(arguments) == 1 else None
            self.put(depth, "raise Bail" if value is None else f"return {value}")
            return None
        found = self.conts[cont]
        if self.uses[cont] > 1:
            self.put(depth, f"return {self.local(cont)}({', '.join(arguments)})")
            return None
        for name, value in zip(found.parameters, arguments, strict=True):
            self.put(depth, f"{self.local(name)} = {value}")
        return found.body

    def call(self, tail: il.Call, arguments: list[str], depth: int) -> il.Block | None:
        """Statements that call and go on, or the block to go on with."""
        function = self.callee(tail.function)
        if self.is_self_call(tail, function) and not self.in_cont:
            self.loops = True
            targets = ", ".join(self.local(name) for name in self.function.parameters)
            if arguments:
                self.put(depth, f"{targets} = {', '.join(arguments)}")
            self.put(depth, "continue")
            return None
        called = self.called(tail, function, arguments)
        if called is None:
            self.put(depth, "raise Bail")
            return None
        if tail.cont == self.function.cont:
            self.put(depth, f"return {called}")
            return None
        if self.uses[tail.cont] > 1:
            self.put(depth, f"return {self.local(tail.cont)}({called})")
            return None
        found = self.conts[tail.cont]
        if len(found.parameters) != 1:
            self.put(depth, "raise Bail")
            return None
        self.put(depth, f"{self.local(found.parameters[0])} = {called}")
        return found.body

    def is_self_call(self, tail: il.Call, function: il.Function | None) -> bool:
        """Whether a call of the procedure itself ends it, with arguments that fit."""
        return (
            function is self.function
            and tail.cont == self.function.cont
            and function.rest is None
            and len(tail.arguments) == len(function.parameters)
        )

    def callee(self, atom: il.Atom) -> il.Function | None:
        """The procedure that is surely called."""
        if isinstance(atom, il.Global):
            return self.direct.globals.get(atom.name)
        if isinstance(atom, il.Var):
            if atom.name == self.function.name and atom.name not in self.function.parameters:
                return self.function
            return self.bound.get(atom.name)
        return None

    def called(
        self, tail: il.Call, function: il.Function | None, arguments: list[str]
    ) -> str | None:
        """The expression of a call, None for one that is left to the specializer."""
        if isinstance(tail.function, il.Prim):
            name = tail.function.name
            if name in CONTROL or name in _NEVER:
                return None
            least, most = PRIMITIVES[name].arity
            if PRIMITIVES[name].fold == "left" and len(arguments) != 2:
                return None
            if len(arguments) < least or (most is not None and len(arguments) > most):
                return None
            return self.expression(name, arguments, tail.span)
        if function is None:
            return f"S.call({self.atom(tail.function)}, ({_tuple(arguments)}))"
        fixed = len(function.parameters)
        if function.rest is not None and len(arguments) >= fixed:
            rest = f"S.list(({_tuple(arguments[fixed:])}))"
            arguments = [*arguments[:fixed], rest]
        elif len(arguments) != fixed:
            return None
        environment = "NOTHING"
        if not isinstance(tail.function, il.Global):
            environment = (
                "E" if function is self.function else (f"{self.atom(tail.function)}.environment")
            )
        return f"{self.direct.names[function]}({', '.join(['S', environment, *arguments])})"

    # -- expressions ---------------------------------------------------------------------------

    def atom(self, atom: il.Atom) -> str:
        if isinstance(atom, il.Var):
            return self.local(atom.name)
        if isinstance(atom, il.Global):
            return f"S.value({atom.name!r})"
        if isinstance(atom, il.Const):
            return self.direct.unfold.node(f"Static({self.direct.image.constant(atom.value)})")
        return self.direct.unfold.node(f"Primitive({atom.name!r})")

    def operation(self, let: il.Let) -> str:
        return self.expression(let.op, [self.atom(a) for a in let.arguments], let.span)

    def expression(self, op: str, arguments: Sequence[str], span: Span | None) -> str:
        if op in VALUES:
            return f"{VALUES[op]}({', '.join(['S', *arguments])})"
        place = self.place(span)
        return f"S.operation({op!r}, ({_tuple(arguments)}), {place})"

    def place(self, span: Span | None) -> str:
        """The expression of a place of the program; None for one in the prelude, where the
        specializer would name the place of the call that led there."""
        if span is None or span.source.name == str(PRELUDE):
            return "None"
        return self.direct.unfold.node(self.direct.image.span(span))

    def fused_test(self, block: il.Block) -> str | None:
        """The test of a conditional that asks for the last operation, and for nothing else."""
        tail = block.tail
        if not isinstance(tail, il.If) or not isinstance(tail.test, il.Var) or not block.bindings:
            return None
        last = block.bindings[-1]
        if not isinstance(last, il.Let) or last.name != tail.test.name:
            return None
        if last.op not in TESTS or self.uses.get(last.name) != 1:
            return None
        arguments = [self.atom(atom) for atom in last.arguments]
        return f"{TESTS[last.op]}({', '.join(['S', *arguments])})"

    def truth(self, atom: il.Atom) -> str:
        return f"truth({self.atom(atom)})"


def _atoms(block: il.Block) -> Iterator[il.Atom]:
    for binding in block.bindings:
        if isinstance(binding, il.Let):
            yield from binding.arguments
    tail = block.tail
    if isinstance(tail, il.If):
        yield tail.test
        return
    if isinstance(tail, il.Call):
        yield tail.function
    yield from tail.arguments


def _tuple(items: Sequence[str]) -> str:
    return ", ".join(items) + ("," if len(items) == 1 else "")


def _comment(function: il.Function) -> str:
    return (function.label or function.name).replace("\n", " ")
