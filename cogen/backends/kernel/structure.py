"""IL -> structured code: finds loops and joins, and what follows them.

What it removes: continuations.  A continuation used once continues where it is used; one
used several times is a join, placed after the code that jumps to it; one that jumps to
itself is a loop.  A group of continuations is taken apart into its strongly connected
components; a component entered at one place is a loop around the others (and so on
inside); one entered at several is irreducible and becomes labels and gotos.

    (conts (k (x) rest) (if t ((jump k 1)) ((jump k 2))))   if (t) x = 1; else x = 2; rest
    (conts (l (i) ((if t ((jump out)) (… (jump l j))))) (jump l 0))
                                                            i = 0; while (!t) {… i = j;} out

It is separate from the printing of C because bounds of loops are found on its result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from cogen.backends.kernel import structured as st
from cogen.lang import il
from cogen.lang.components import components
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import InternalError, LimitationError, Span
from cogen.lang.ilutil import NEVER_RETURN, Free, blocks

LIMITATION_HINT = "use compile(), --emit so or to_python(), which take all, or specialize more"


def structure(function: il.Function) -> st.KernelProcedure:
    """The structured form of a first-order procedure.

    LimitationError if it makes procedures or calls what is no procedure of the program.
    """
    return on_deep_stack(_Structurer(function).procedure)


@dataclass(slots=True)
class _EnclosingLoop:
    """A loop around the code: its label and what falling out of it leads to."""

    label: str
    after: str | None


class _Structurer:
    """The work on one procedure."""

    def __init__(self, function: il.Function) -> None:
        self.function = function
        self.free = Free()
        self.uses: Counter[str] = Counter()
        self.mentions: Counter[str] = Counter()
        self.inlined: dict[str, il.Cont] = {}
        """Continuations used once, by name: their bodies go where they are used."""
        self.parameters: dict[str, tuple[str, ...]] = {}
        """The variables that a jump to a join or loop assigns."""
        self.alias: dict[str, il.Atom] = {}
        self.jumped: set[str] = set()
        self.self_loop = f"{function.name} again"
        """The label of the loop that self tail calls make; no continuation has such a name."""
        self._count()

    def _count(self) -> None:
        """How often continuations are gone to and variables are mentioned."""
        for block in blocks(self.function.body):
            for binding in block.bindings:
                if isinstance(binding, il.Let):
                    self._mention(binding.arguments)
            match block.tail:
                case il.If(test=test):
                    self._mention((test,))
                case il.Jump(cont, arguments):
                    self.uses[cont] += 1
                    self._mention(arguments)
                case il.Call(_, arguments, cont):
                    self.uses[cont] += 1
                    self._mention(arguments)

    def _mention(self, atoms: tuple[il.Atom, ...]) -> None:
        self.mentions.update(atom.name for atom in atoms if isinstance(atom, il.Var))

    def procedure(self) -> st.KernelProcedure:
        function = self.function
        if function.rest is not None:
            raise _limitation("a procedure with a rest parameter", function.span)
        body: st.Body = []
        if self._calls_itself_last():
            self.parameters[self.self_loop] = function.parameters
            loop = il.Cont(
                self.self_loop, function.parameters, function.body, function.span, function.label
            )
            self._loop(loop, body, None, ())
        else:
            self._block(function.body, body, None, ())
        return st.KernelProcedure(
            function.name,
            function.parameters,
            _without_unused_marks(body, self.jumped),
            function.span,
            function.label or function.name,
            frozenset(self.jumped),
        )

    def _calls_itself_last(self) -> bool:
        return any(self._is_self_call(block.tail) for block in blocks(self.function.body))

    def _is_self_call(self, tail: il.Tail) -> bool:
        return (
            isinstance(tail, il.Call)
            and tail.cont == self.function.cont
            and tail.function == il.Global(self.function.name)
        )

    # Blocks

    def _block(
        self, block: il.Block, out: st.Body, after: str | None, around: tuple[_EnclosingLoop, ...]
    ) -> None:
        """Append the block's code; falling off its end leads to continuation `after`."""
        later: list[tuple[il.Cont, ...]] = []
        for binding in block.bindings:
            match binding:
                case il.Let(name, op, arguments, span):
                    atoms = self._atoms(arguments, span)
                    if op in NEVER_RETURN:
                        out.append(st.KernelFailure(op, atoms, span))
                        return
                    out.append(st.Op(name, op, atoms, span))
                case il.Fix(functions, span):
                    place = span or functions[0].span
                    raise _limitation(f"the procedure {functions[0].label or 'lambda'}", place)
                case il.Conts(conts):
                    later.extend(self._components(conts, block))
        self._rest(block, later, out, after, around)

    def _rest(
        self,
        block: il.Block,
        groups: list[tuple[il.Cont, ...]],
        out: st.Body,
        after: str | None,
        around: tuple[_EnclosingLoop, ...],
    ) -> None:
        """The tail of the block, then the joins and loops that its continuations are.

        What is bound first stands last in the text.
        """
        placed: list[tuple[tuple[il.Cont, ...], str | None]] = []
        following = after
        for group in groups:
            if self._is_inlined(group):
                self.inlined[group[0].name] = group[0]
                continue
            placed.append((group, following))
            for cont in group:
                self.parameters[cont.name] = cont.parameters
            following = group[0].name
        self._tail(block.tail, out, following, around)
        for group, then in reversed(placed):
            self._place(group, out, then, around)

    def _is_inlined(self, group: tuple[il.Cont, ...]) -> bool:
        """A continuation that does not repeat and that at most one place goes to."""
        cont = group[0]
        return len(group) == 1 and self.uses[cont.name] <= 1 and not self._repeats(cont)

    def _repeats(self, cont: il.Cont) -> bool:
        return cont.name in self.free.conts(cont.body)

    def _place(
        self,
        group: tuple[il.Cont, ...],
        out: st.Body,
        after: str | None,
        around: tuple[_EnclosingLoop, ...],
    ) -> None:
        """A join, a loop, or an irreducible group, where what jumps to it falls into it."""
        first = group[0]
        if len(group) == 1:
            out.append(st.Mark(first.name))
            if self._repeats(first):
                self._loop(first, out, after, around)
            else:
                self._block(first.body, out, after, around)
            return
        for position, cont in enumerate(group):
            following = group[position + 1].name if position + 1 < len(group) else after
            out.append(st.Mark(cont.name))
            self._block(cont.body, out, following, around)

    def _components(self, conts: tuple[il.Cont, ...], block: il.Block) -> list[tuple[il.Cont, ...]]:
        """The strongly connected components, what is jumped to before what jumps to it.

        A component of several continuations with one entry becomes a single loop.
        """
        if len(conts) == 1:
            return [conts]
        named = {cont.name: cont for cont in conts}
        targets = {
            cont.name: [n for n in named if n in self.free.conts(cont.body)] for cont in conts
        }
        outside = set(self._entered(block))
        groups: list[tuple[il.Cont, ...]] = []
        for component in components(named, targets.__getitem__):
            members = set(component)
            entries = [
                name
                for name in component
                if name in outside
                or any(name in targets[other] for other in named if other not in members)
            ]
            if len(component) > 1 and len(entries) == 1:
                groups.append((_around_others(named, component, entries[0]),))
            else:
                groups.append(tuple(named[name] for name in component))
        return groups

    def _entered(self, block: il.Block) -> Iterable[str]:
        """The continuations that the tail of the block itself reaches."""
        match block.tail:
            case il.If(_, then, otherwise):
                yield from self.free.conts(then)
                yield from self.free.conts(otherwise)
            case il.Jump(cont) | il.Call(cont=cont):
                yield cont
        for binding in block.bindings:
            if isinstance(binding, il.Conts):
                for cont_bound in binding.conts:
                    bound = {c.name for c in binding.conts}
                    yield from (n for n in self.free.conts(cont_bound.body) if n not in bound)

    # Loops

    def _loop(
        self, cont: il.Cont, out: st.Body, after: str | None, around: tuple[_EnclosingLoop, ...]
    ) -> None:
        """A loop; if its head is a test with an arm that leaves, that arm's code follows it."""
        body: st.Body = []
        block = cont.body
        leaving = self._leaving_arm(cont, after)
        loop = st.KernelLoop(
            cont.name, cont.parameters, body, leaving is not None, cont.label, cont.span
        )
        if leaving is None or not isinstance(block.tail, il.If):
            self._block(block, body, cont.name, (*around, _EnclosingLoop(cont.name, after)))
            out.append(loop)
            return
        tail = block.tail
        inside = (*around, _EnclosingLoop(cont.name, None))
        for binding in block.bindings:
            if isinstance(binding, il.Let):
                arguments = self._atoms(binding.arguments, binding.span)
                body.append(st.Op(binding.name, binding.op, arguments, binding.span))
        leave: st.Body = [st.Leave(cont.name)]
        test = self._atom(tail.test, tail.span)
        stays = tail.otherwise if leaving is tail.then else tail.then
        arms = (leave, []) if leaving is tail.then else ([], leave)
        body.append(st.Branch(test, *arms, tail.span))
        self._block(stays, body, cont.name, inside)
        out.append(loop)
        self._block(leaving, out, after, around)

    def _leaving_arm(self, cont: il.Cont, after: str | None) -> il.Block | None:
        """The arm of the test at the loop's head that never comes back, if there is one.

        None also if the other arm can leave to what follows the loop: then both do it with
        a `Leave`, and no goto is needed.
        """
        block = cont.body
        if not isinstance(block.tail, il.If):
            return None
        for binding in block.bindings:
            if not isinstance(binding, il.Let) or binding.op in NEVER_RETURN:
                return None
        arms = (block.tail.then, block.tail.otherwise)
        back = [self._reaches(cont.name, arm) for arm in arms]
        if back[0] == back[1]:
            return None
        leaving, staying = arms if back[1] else (arms[1], arms[0])
        if after is not None and self._reaches(after, staying):
            return None
        return leaving

    def _reaches(self, label: str, arm: il.Block) -> bool:
        """Whether the code of the arm goes to a label without passing a join or a loop."""
        if label == self.self_loop and any(self._is_self_call(b.tail) for b in blocks(arm)):
            return True
        seen: set[str] = set()
        work = list(self.free.conts(arm))
        while work:
            name = work.pop()
            if name == label:
                return True
            if name in self.inlined and name not in seen:
                seen.add(name)
                if self._reaches(label, self.inlined[name].body):
                    return True
        return False

    # Tails

    def _tail(
        self, tail: il.Tail, out: st.Body, after: str | None, around: tuple[_EnclosingLoop, ...]
    ) -> None:
        match tail:
            case il.If(test, then, otherwise, span):
                branch = st.Branch(self._atom(test, span), [], [], span)
                out.append(branch)
                self._block(then, branch.then, after, around)
                self._block(otherwise, branch.otherwise, after, around)
            case il.Jump(cont, arguments, span):
                self._jump(cont, self._atoms(arguments, span), out, after, around, span)
            case il.Call():
                self._call(tail, out, after, around)

    def _call(
        self, call: il.Call, out: st.Body, after: str | None, around: tuple[_EnclosingLoop, ...]
    ) -> None:
        match call.function:
            case il.Global(name):
                pass
            case il.Prim(name):
                raise _limitation(f"the procedure {name}", call.span)
            case _:
                raise _limitation("a call of a procedure that is computed", call.span)
        arguments = self._atoms(call.arguments, call.span)
        if self._is_self_call(call):
            self._jump(self.self_loop, arguments, out, after, around, call.span)
            return
        if call.cont == self.function.cont:
            out.append(st.Finish(name, arguments, call.span))
            return
        inlined = self.inlined.get(call.cont)
        parameters = inlined.parameters if inlined else self.parameters[call.cont]
        target = parameters[0] if parameters and self.mentions[parameters[0]] else None
        out.append(st.KernelCall(target, name, arguments, call.span))
        if inlined is not None:
            self._block(inlined.body, out, after, around)
        else:
            self._go(call.cont, out, after, around)

    def _jump(
        self,
        cont: str,
        arguments: tuple[il.Atom, ...],
        out: st.Body,
        after: str | None,
        around: tuple[_EnclosingLoop, ...],
        span: Span | None,
    ) -> None:
        if cont == self.function.cont:
            out.append(st.KernelResult(arguments[0] if arguments else None, span))
            return
        inlined = self.inlined.get(cont)
        if inlined is not None:
            self.alias.update(zip(inlined.parameters, arguments, strict=True))
            self._block(inlined.body, out, after, around)
            return
        pairs = tuple(
            (name, atom)
            for name, atom in zip(self.parameters[cont], arguments, strict=True)
            if self.mentions[name] and atom != il.Var(name)
        )
        if pairs:
            out.append(st.Move(pairs))
        self._go(cont, out, after, around)

    def _go(
        self, cont: str, out: st.Body, after: str | None, around: tuple[_EnclosingLoop, ...]
    ) -> None:
        """Control goes to a join or loop; its parameters are assigned."""
        if cont == after:
            return
        if around and cont == around[-1].label:
            out.append(st.Again(cont))
        elif around and cont == around[-1].after:
            out.append(st.Leave(around[-1].label))
        else:
            self.jumped.add(cont)
            out.append(st.Goto(cont))

    # Atoms

    def _atoms(self, atoms: tuple[il.Atom, ...], span: Span | None) -> tuple[il.Atom, ...]:
        return tuple(self._atom(atom, span) for atom in atoms)

    def _atom(self, atom: il.Atom, span: Span | None) -> il.Atom:
        match atom:
            case il.Var(name):
                return self.alias.get(name, atom)
            case il.Const():
                return atom
            case il.Global(name) | il.Prim(name):
                raise _limitation(f"the procedure {name} as a value", span)
        raise InternalError(f"no IL atom: {atom!r}")


def _around_others(named: dict[str, il.Cont], component: list[str], entry: str) -> il.Cont:
    """The entry of a component with the component's other continuations inside it."""
    cont = named[entry]
    others = il.Conts(tuple(named[name] for name in component if name != entry))
    body = il.Block((others, *cont.body.bindings), cont.body.tail)
    return il.Cont(cont.name, cont.parameters, body, cont.span, cont.label)


def _without_unused_marks(body: st.Body, jumped: set[str]) -> st.Body:
    work = [body]
    while work:
        here = work.pop()
        here[:] = [s for s in here if not (isinstance(s, st.Mark) and s.label not in jumped)]
        for statement in here:
            if isinstance(statement, st.Branch):
                work += [statement.then, statement.otherwise]
            elif isinstance(statement, st.KernelLoop):
                work.append(statement.body)
    return body


def _limitation(what: str, span: Span | None) -> LimitationError:
    return LimitationError(f"C code cannot express {what}", span, hint=LIMITATION_HINT)
