"""IL procedures -> Python text that carries out their calls as the specializer would.

The specializer runs a call binding by binding, with environments, frames and activations for the
case that a memo point has to keep them.  Its text here runs on Python's own variables and stack:

    (define (look-up name names values)
      (cond ((null? names) (error ...))
            ((eq? name (car names)) (car values))
            (else (look-up name (cdr names) (cdr values)))))

    ->  def d3(S, A, C, v1, v2, v3):
            i = 0
            try:
                while True:
                    if S.nodes:
                        A = S.at_nodes(A, (v1, v2, v3,))
                    S.calls += 1
                    if S.calls > S.limit:
                        raise Leave
                    i = 1
                    if v2.datum is NIL if type(v2) is Static else is_null(S, v2):
                        i = 2
                        raise Leave
                    i = 3
                    v4 = v2.car if type(v2) is PartialPair else car(S, v2, n5, 't')
                    ...
            except Leave as x:
                x.through(w3, i, locals())
                raise

Values are symbolic (`values.domain`); operations on them are carried out where they stand, by
the specializer's rules, and emit what they emit.  What needs a continuation, or is rare, is left
to the machine: `Leave` is raised, and with the numbers `i` of places and the variables the machine
finds its state (`cogen.generating.leave_compiled_code`).  Nothing is done twice: a place is left
before anything of its operation has happened.

`S` is the `Support` of the path, `A` where the procedure is called, `C` its closure.

Law: what the text does to the path is what `Machine.run` does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from cogen.generating.expressions import MACHINE, Expressions, Once, PieceNames, tuple_of
from cogen.generating.leave_compiled_code import EARLIER, TAIL
from cogen.lang import il
from cogen.lang.chain import in_library
from cogen.specializer.analyses.activations import enters_library
from cogen.specializer.analyses.analyses import Analyses
from cogen.specializer.programs.naming import name_of
from cogen.specializer.values.overriding import is_override

MAX_NESTING: Final = 60
"""Blocks nested deeper than this are left to the machine: Python bounds indentation."""


class ExtensionWriter:
    """Writes the text of procedures; `names` gives each its Python name, `once` has what the
    text refers to."""

    def __init__(self, program: il.Program, image: PieceNames, analyses: Analyses) -> None:
        self.names = {function: f"d{i}" for i, function in enumerate(image.functions)}
        self.globals = {
            item.name: item.function for item in program.items if isinstance(item, il.Define)
        }
        self.defined = {function: name for name, function in self.globals.items()}
        self.naming = analyses.naming
        self.rounds = analyses.rounds
        self.library = analyses.library
        self.computing = analyses.computing
        self.image = image
        self.once = Once(image)
        self.liveness = analyses.liveness
        self.assigns_pairs = analyses.mutations.pairs

    def text(self, function: il.Function) -> list[str]:
        """The lines of the procedure's definition."""
        return _ProcedureInPython(self, function).lines

    def hint(self, function: il.Function) -> str | None:
        """What people call a procedure, None for one that is called after its caller."""
        return None if self.naming.is_aside(function) else name_of(function)


class _ProcedureInPython:
    """One procedure being written."""

    def __init__(self, direct: ExtensionWriter, function: il.Function) -> None:
        self.direct = direct
        self.image = direct.image
        self.function = function
        self.hint = direct.hint(function)
        self.lines: list[str] = []
        self.sites: dict[str, int] = {f"({self.image.blocks[function.body]}, 0)": 0}
        self.bound: dict[str, il.Function] = {}
        self.conts: dict[str, il.Cont] = {}
        self.uses: dict[str, int] = {}
        self.values = Expressions(direct.once, direct.assigns_pairs, self.uses)
        self.tails: list[il.Call | il.Jump] = []
        self.in_cont = 0
        parameters = [self.values.local(name) for name in self.parameters()]
        name = direct.names[function]
        self.put(
            0, f"def {name}({', '.join(['S', 'A', 'C', *parameters])}):  # {_comment(function)}"
        )
        self.put(1, "i = 0")
        self.put(1, "try:")
        for free in direct.liveness.of_function(function):
            if free == function.name:
                self.put(2, f"{self.values.local(free)} = C")
            else:
                self.put(2, f"{self.values.local(free)} = C.environment[{free!r}]")
        self.count_uses(function.body)
        self.put(2, f"{EARLIER} = None")
        self.put(2, "while True:")
        if parameters:
            self.put(3, "if S.nodes:")
            self.put(4, f"A = S.at_nodes(A, ({tuple_of(parameters)}))")
        self.put(3, "S.calls += 1")
        self.put(3, "if S.calls > S.limit:")
        self.put(4, "raise Leave")
        self.block(function.body, 3)
        self.put(1, "except Leave as x:")
        self.put(2, f"x.through(w{name[1:]}, i, locals())")
        self.put(2, "raise")
        shown = "".join(f"{name!r}, " for name in self.values.locals)
        sites = "".join(f"{site}, " for site in self.sites)
        self.put(
            0,
            f"w{name[1:]} = Where({self.image.functions[function]}, "
            f"{direct.defined.get(function)!r}, {self.hint!r}, ({shown}), ({sites}))",
        )

    def put(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def at(self, depth: int, block: il.Block, index: int) -> None:
        """The machine goes on at a binding of the block, or its tail, if it is left here."""
        self.site(depth, f"({self.image.blocks[block]}, {index})")

    def site(self, depth: int, text: str) -> None:
        self.put(depth, f"i = {self.sites.setdefault(text, len(self.sites))}")

    def leave(self, depth: int, block: il.Block, index: int) -> None:
        self.at(depth, block, index)
        self.put(depth, "raise Leave")

    def count_uses(self, block: il.Block) -> None:
        """Collect tails, and count the jumps to each continuation and the mentions of variables."""
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
                self.tails.append(tail)
                self.uses[tail.cont] = self.uses.get(tail.cont, 0) + 1

    # -- blocks --------------------------------------------------------------------------------

    def block(self, block: il.Block, depth: int) -> None:
        """The statements of a block; they end by leaving the procedure or beginning it again."""
        while True:
            if depth > MAX_NESTING:
                self.leave(depth, block, 0)
                return
            bindings = block.bindings
            test = self.values.fused_test(block)
            for index in range(len(bindings) - (test is not None)):
                if not self.binding(block, index, depth):
                    return
            tail = block.tail
            if isinstance(tail, il.If):
                self.at(depth, block, len(bindings) - (test is not None))
                self.put(depth, f"if {test or self.values.truth(tail.test)}:")
                self.block(tail.then, depth + 1)
                block = tail.otherwise
                continue
            if isinstance(tail, il.Jump):
                if any(isinstance(atom, il.Global) for atom in tail.arguments):
                    self.at(depth, block, len(bindings))
                arguments = [self.values.atom(atom) for atom in tail.arguments]
                rest = self.jump(block, tail.cont, arguments, depth)
            else:
                rest = self.call(block, tail, depth)
            if rest is None:
                return
            block = rest

    def binding(self, block: il.Block, index: int, depth: int) -> bool:
        """The statements of a binding; False if the machine goes on there."""
        binding = block.bindings[index]
        if isinstance(binding, il.Let):
            if binding.op in MACHINE:
                self.leave(depth, block, index)
                return False
            if binding.op != "cons" or self.refers(binding.arguments):
                self.at(depth, block, index)
            arguments = [self.values.atom(atom) for atom in binding.arguments]
            value = self.values.operation(binding, arguments)
            self.put(depth, f"{self.values.local(binding.name)} = {value}")
        elif isinstance(binding, il.Fix):
            self.closures(binding, depth)
        else:
            for cont in binding.conts:
                self.conts[cont.name] = cont
                self.values.local(cont.name)
            for cont in binding.conts:
                if self.uses.get(cont.name, 0) > 1:
                    self.continuation(cont, depth)
        return True

    def refers(self, atoms: Sequence[il.Atom]) -> bool:
        """Whether an atom is a global, which may have no value."""
        return any(isinstance(atom, il.Global) for atom in atoms)

    def closures(self, binding: il.Fix, depth: int) -> None:
        """Closures that share one environment."""
        own = [function.name for function in binding.functions]
        free: dict[str, None] = {}
        for function in binding.functions:
            free.update(dict.fromkeys(self.direct.liveness.of_function(function)))
            self.bound[function.name] = function
        outer = [name for name in free if name not in own]
        items = ", ".join(f"{name!r}: {self.values.local(name)}" for name in outer)
        for number, function in enumerate(binding.functions):
            code = self.image.functions[function]
            name = self.values.local(function.name)
            shared = f"{self.values.local(own[0])}.environment" if number else f"{{{items}}}"
            self.put(depth, f"{name} = Closure({code}, {shared})")
            if is_override(binding):
                self.put(depth, f"{name} = overriding({name})")
                del self.bound[function.name]
        recurring = [name for name in own if name in free]
        first = self.values.local(own[0])
        for name in recurring:
            self.put(depth, f"{first}.environment[{name!r}] = {self.values.local(name)}")
        if recurring:
            self.put(depth, f"S.leads_to_itself({first})")

    def continuation(self, cont: il.Cont, depth: int) -> None:
        """A continuation that is jumped to from several places: a procedure of Python."""
        parameters = ", ".join(self.values.local(name) for name in cont.parameters)
        self.put(depth, f"def {self.values.local(cont.name)}({parameters}):")
        self.site(depth + 1, f"({self.image.blocks[cont.body]}, 0)")
        self.put(depth + 1, "try:")
        self.in_cont += 1
        self.block(cont.body, depth + 2)
        self.in_cont -= 1
        self.put(depth + 1, "except Leave as x:")
        self.put(depth + 2, "x.inner(i, locals())")
        self.put(depth + 2, "raise")

    def jump(
        self, block: il.Block, cont: str, arguments: Sequence[str], depth: int
    ) -> il.Block | None:
        """Statements that go on at a continuation, or its block to go on with here."""
        if cont == self.function.cont:
            if len(arguments) == 1:
                self.put(depth, f"return {arguments[0]}")
            else:
                self.leave(depth, block, len(block.bindings))
            return None
        found = self.conts[cont]
        if self.uses[cont] > 1:
            self.put(depth, f"i = {TAIL}")
            self.put(depth, f"return {self.values.local(cont)}({', '.join(arguments)})")
            return None
        if len(found.parameters) != len(arguments):
            self.leave(depth, block, len(block.bindings))
            return None
        for name, value in zip(found.parameters, arguments, strict=True):
            self.put(depth, f"{self.values.local(name)} = {value}")
        return found.body

    # -- calls ---------------------------------------------------------------------------------

    def call(self, block: il.Block, tail: il.Call, depth: int) -> il.Block | None:
        """Statements that call and go on, or the block to go on with."""
        self.at(depth, block, len(block.bindings))
        if isinstance(tail.function, il.Prim):
            return self.call_primitive(block, tail, tail.function, depth)
        function = self.callee(tail.function)
        arguments = [self.kept(atom, depth) for atom in tail.arguments]
        if function is not None:
            passed = self.passed(tail, function, arguments, depth)
            if passed is None:
                self.put(depth, "raise Leave")
                return None
            self.ask(tail, function, arguments, passed, depth)
            is_run = self.run(function, passed, depth)
            if self.is_self_call(tail, function):
                if is_run:
                    self.put(depth, "if v0 is not None:")
                    self.put(depth + 1, "return v0")
                parameters = [self.values.local(name) for name in self.parameters()]
                if self.calls_others(function):
                    self.put(depth, f"{EARLIER} = ({EARLIER}, ({tuple_of(parameters)}))")
                targets = ", ".join(["A", *parameters])
                self.put(depth, f"{targets} = {', '.join([self.here(tail, function), *passed])}")
                self.put(depth, "i = 0")
                self.put(depth, "continue")
                return None
            is_global = isinstance(tail.function, il.Global)
            closure = "None" if is_global else self.values.atom(tail.function)
            called = f"{self.direct.names[function]}"
            parts = ["S", self.here(tail, function), closure, *passed]
            if is_run:
                called = f"v0 if v0 is not None else {called}"
        else:
            value = self.kept(tail.function, depth)
            parts = [value, f"[{', '.join(arguments)}]", *self.values.place(tail)]
            if tail.cont == self.function.cont:
                parts.append("tail=A")
            self.put(depth, f"v0 = S.callee({', '.join(parts)})")
            called = "v0[0]"
            parts = ["S", self.here(tail, None), "*v0[1]"]
        made = f"{called}({', '.join(parts)})"
        if tail.cont == self.function.cont:
            self.put(depth, f"i = {TAIL}")
            self.put(depth, f"return {made}")
            return None
        found = self.conts[tail.cont]
        if len(found.parameters) != 1:
            self.put(depth, "raise Leave")
            return None
        self.site(depth, self.image.conts[found])
        if self.uses[tail.cont] > 1:
            self.put(depth, f"v0 = {made}")
            self.put(depth, f"i = {TAIL}")
            self.put(depth, f"return {self.values.local(tail.cont)}(v0)")
            return None
        self.put(depth, f"{self.values.local(found.parameters[0])} = {made}")
        return found.body

    def call_primitive(
        self, block: il.Block, tail: il.Call, primitive: il.Prim, depth: int
    ) -> il.Block | None:
        """The same for a call of a primitive."""
        arguments = [self.values.atom(atom) for atom in tail.arguments]
        value = self.values.primitive(primitive.name, arguments, tail.span)
        if value is None:
            self.put(depth, "raise Leave")
            return None
        if tail.cont != self.function.cont:
            self.put(depth, f"v0 = {value}")
            return self.jump(block, tail.cont, ["v0"], depth)
        self.put(depth, f"return {value}")
        return None

    def ask(
        self,
        call: il.Call,
        function: il.Function,
        arguments: list[str],
        passed: list[str],
        depth: int,
    ) -> None:
        """Statements that leave where a call of the procedure is the machine's work."""
        number = self.image.functions[function]
        tail = ", A" if call.cont == self.function.cont else ""
        tests = [
            f"({number} in S.active or S.cyclic or len(S.bindings) != S.counted) and "
            f"S.is_odd({number}, ({tuple_of(passed)}){tail})"
        ]
        if self.direct.library.may_stay(function):
            tests.append(f"S.stays({number}, ({tuple_of(arguments)}))")
        if function in self.direct.rounds.procedures:
            tests.append(f"S.concerns({number}, ({tuple_of(passed)}))")
        for test in tests:
            self.put(depth, f"if {test}:")
            self.put(depth + 1, "raise Leave")

    def run(self, function: il.Function, passed: list[str], depth: int) -> bool:
        """Statements that give a call of which everything is known to the interpreter; False if
        the procedure does more than compute, so that there are none."""
        if self.direct.computing.needs(function) is None:
            return False
        number = self.image.functions[function]
        self.put(depth, f"v0 = S.outright({number}, ({tuple_of(passed)}))")
        return True

    def calls_others(self, function: il.Function) -> bool:
        """Whether the procedure makes a call that is none of itself in its end, so that its rounds
        lead to other calls."""
        return any(
            isinstance(tail, il.Call)
            and not isinstance(tail.function, il.Prim)
            and not (tail.cont == function.cont and self.callee(tail.function) is function)
            for tail in self.tails
        )

    def parameters(self) -> list[str]:
        names = list(self.function.parameters)
        return names if self.function.rest is None else [*names, self.function.rest]

    def here(self, call: il.Call, function: il.Function | None) -> str:
        """The expression of the place of a call in the procedure, of another one if it is known."""
        hint = repr(self.hint)
        if self.hint is None:
            hint = f"{name_of(self.function)!r} if A[0] is None else A[0]"
        if call.span is None:
            return f"({hint}, None, A[2])"
        place = self.direct.once.place(call.span)
        trail = f"[{place}, A[2], None]"
        if call.cont == self.function.cont:
            trail = f"[{place}, A[2], None, True]"
            if function is not None:
                trail = trail if enters_library(call.span, function) else "A[2]"
            else:
                trail = "A[2]" if in_library(call.span) else f"{trail} if v0[2] else A[2]"
        return f"({hint}, {place}, {trail})"

    def kept(self, atom: il.Atom, depth: int) -> str:
        """The expression of an atom that is evaluated here already."""
        if not isinstance(atom, il.Global):
            return self.values.atom(atom)
        name = self.values.local(f"value of {atom.name}")
        self.put(depth, f"{name} = {self.values.atom(atom)}")
        return name

    def is_self_call(self, tail: il.Call, function: il.Function) -> bool:
        """Whether a call of the procedure itself ends it, outside of a procedure of Python."""
        return function is self.function and tail.cont == self.function.cont and not self.in_cont

    def callee(self, atom: il.Atom) -> il.Function | None:
        """The procedure that is surely called."""
        if isinstance(atom, il.Global):
            return self.direct.globals.get(atom.name)
        if isinstance(atom, il.Var):
            if atom.name == self.function.name and atom.name not in self.function.parameters:
                return self.function
            return self.bound.get(atom.name)
        return None

    def passed(
        self, call: il.Call, function: il.Function, arguments: list[str], depth: int
    ) -> list[str] | None:
        """What a call passes to a procedure for the arguments; None if they do not fit."""
        fixed = len(function.parameters)
        if function.rest is not None and len(arguments) >= fixed:
            rest = self.values.local("rest of arguments")
            made = ", ".join([f"({tuple_of(arguments[fixed:])})", *self.values.place(call)])
            self.put(depth, f"{rest} = S.list({made})")
            return [*arguments[:fixed], rest]
        return arguments if len(arguments) == fixed else None


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


def _comment(function: il.Function) -> str:
    return (function.label or function.name).replace("\n", " ")
