"""Calls of small helpers -> what these do, in place: what a test asks is seen where it is asked.

    (define (tagged-list? e tag) (and (pair? e) (eq? (car e) tag)))
    (if (tagged-list? f 'closure) … …)   ->   (if (and (pair? f) (eq? (car f) 'closure)) … …)

People write interpreters with a layer of predicates, constructors and selectors.  A predicate that
is told what to ask for says nothing of its subject by its own text, so the analysis
(`advice.flow`) would take each list that the interpreter makes for any other.  A program
that has one is looked at, and specialized with advice, with all such helpers in place.  Those that
ask for one symbol, `(returned? r)`, are in place where values are looked for, and nothing else is:
what a test asks is known in its arms then.

A helper is a global procedure without inner procedures and loops that calls helpers and the library
alone.  Where a continuation does nothing but test what a helper gives, its arms are entered from
where that is decided.

Law: the program means the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from cogen.kinds import EQUALITIES
from cogen.lang import il
from cogen.lang.datum import Symbol
from cogen.lang.ilutil import Free, all_blocks, base_name, blocks, conts
from cogen.specializer.advice.rewriting import Rewriting, Seen
from cogen.specializer.advice.texts import is_user, recursions

MOST: Final = 8
"""Operations, tests and calls of a helper, those of others in it included."""

Helpers = Mapping[str, il.Function]


@dataclass(frozen=True, slots=True)
class _Arms:
    """The continuations that a continuation leads to which does nothing but test what it gets."""

    then: str
    otherwise: str


def spelled_out(program: il.Program) -> il.Program:
    """The program with helpers in place; the same one if none of them is a predicate that is told
    what to ask for."""
    helpers = _helpers(program)
    if not any(map(_asks_for_parameter, helpers.values())):
        return program
    spelling = _Spelling(helpers)
    return _in_place(spelling.rewritten(program), spelling.tests)


def with_tests_in_place(program: il.Program) -> il.Program:
    """The program with those helpers in place that ask for a symbol at the beginning of what they
    are given, `(define (returned? r) (and (pair? r) (eq? (car r) 'return)))`, and nothing else."""
    helpers = {name: one for name, one in _helpers(program).items() if _asks_for_symbol(one)}
    if not helpers:
        return program
    spelling = _Spelling(helpers)
    return _in_place(spelling.rewritten(program), spelling.tests)


def _helpers(program: il.Program) -> Helpers:
    """The helpers by name, each with those that it calls in place."""
    own = {
        item.name: item.function
        for item in program.items
        if isinstance(item, il.Define) and is_user(item.function)
    }
    found: dict[str, il.Function] = {}
    spelling = _Spelling(found)
    groups: dict[int, list[str]] = {}
    for name, group in recursions(program).items():
        groups.setdefault(group, []).append(name)
    for names in groups.values():  # what is called comes first
        function = own.get(names[0])
        if function is None or len(names) > 1 or function.rest is not None:
            continue
        spelled = spelling.of(function)
        if _is_helper(spelled, own):
            found[names[0]] = spelled
    return found


def _is_helper(function: il.Function, own: Helpers) -> bool:
    size = 0
    for block in blocks(function.body):
        if any(type(binding) is il.Fix for binding in block.bindings):
            return False
        size += sum(1 for binding in block.bindings if type(binding) is il.Let)
        size += type(block.tail) is not il.Jump
        if type(block.tail) is il.Call:
            called = block.tail.function
            if type(called) is not il.Global or called.name in own:
                return False
    return size <= MOST


def _asks_for_parameter(function: il.Function) -> bool:
    """Whether a procedure compares a part of what it is given with something else that it is
    given."""
    given = {*function.parameters}
    return any(_names(let) & given for let in _comparing_parts(function))


def _asks_for_symbol(function: il.Function) -> bool:
    """Whether a procedure compares a part of what it is given with a symbol."""
    return any(
        type(getattr(atom, "value", None)) is Symbol
        for let in _comparing_parts(function)
        for atom in let.arguments
    )


def _comparing_parts(function: il.Function) -> Iterator[il.Let]:
    """The operations that compare a part of what a procedure is given with something."""
    given = {*function.parameters}
    parts = {
        let.name
        for let in _lets(function)
        if let.op in ("car", "vector-ref") and _names(let) & given
    }
    return (let for let in _lets(function) if let.op in EQUALITIES and _names(let) & parts)


def _lets(function: il.Function) -> Iterator[il.Let]:
    for block in blocks(function.body):
        yield from (binding for binding in block.bindings if type(binding) is il.Let)


def _names(let: il.Let) -> set[str]:
    return {atom.name for atom in let.arguments if type(atom) is il.Var}


class _Spelling(Rewriting):
    """Puts helpers in place of their calls."""

    def __init__(self, helpers: Helpers) -> None:
        super().__init__()
        self._helpers = helpers
        self._arms: dict[str, _Arms] = {}
        self._free = Free()

    @property
    def tests(self) -> set[str]:
        """The continuations that do nothing but test what they get, and their arms."""
        arms = {name for one in self._arms.values() for name in (one.then, one.otherwise)}
        return {*self._arms, *arms}

    def of(self, function: il.Function) -> il.Function:
        """A procedure with helpers in place."""
        return self._function(function, {})

    def _fresh(self, name: str) -> str:
        self.number += 1
        return f"{base_name(name)}.000{self.number}"

    def _block(self, block: il.Block, seen: Seen) -> il.Block:
        return super()._block(self._with_arms(block), seen)

    def _with_arms(self, block: il.Block) -> il.Block:
        """A block in which the arms of what only tests are continuations of their own, where
        helpers give what is tested."""
        given = Counter(
            one.tail.cont
            for one in blocks(block)
            if type(one.tail) is il.Call and self._helper(one.tail) is not None
        )
        bindings: list[il.Binding] = []
        for binding in block.bindings:
            if type(binding) is il.Conts:
                made = [
                    part
                    for cont in binding.conts
                    for part in (self._split(cont) if given[cont.name] else [cont])
                ]
                if len(made) > len(binding.conts):
                    binding = il.Conts(tuple(made))
            bindings.append(binding)
        if all(a is b for a, b in zip(bindings, block.bindings, strict=True)):
            return block
        return il.Block(tuple(bindings), block.tail)

    def _split(self, cont: il.Cont) -> list[il.Cont]:
        """A continuation, and its arms if it only tests what it gets."""
        tail = cont.body.tail
        if cont.body.bindings or type(tail) is not il.If or len(cont.parameters) != 1:
            return [cont]
        [name] = cont.parameters
        if tail.test != il.Var(name):
            return [cont]
        if name in self._free.variables(tail.then) | self._free.variables(tail.otherwise):
            return [cont]
        arms = self._arms[cont.name] = _Arms(self._fresh(cont.name), self._fresh(cont.name))
        then = il.Cont(arms.then, (), tail.then, cont.span)
        otherwise = il.Cont(arms.otherwise, (), tail.otherwise, cont.span)
        test = replace(tail, then=_to(arms.then, tail), otherwise=_to(arms.otherwise, tail))
        return [replace(cont, body=il.Block((), test)), then, otherwise]

    def _helper(self, call: il.Call) -> il.Function | None:
        """The helper that is called, with as many arguments as it takes."""
        if type(call.function) is not il.Global:
            return None
        found = self._helpers.get(call.function.name)
        if found is None or len(found.parameters) != len(call.arguments):
            return None
        return found

    def _tail(self, tail: il.Tail, seen: Seen, bindings: list[il.Binding]) -> il.Tail:
        helper = self._helper(tail) if type(tail) is il.Call else None
        if helper is None:
            return super()._tail(tail, seen, bindings)
        assert type(tail) is il.Call
        arguments = self._passed(tail.arguments, seen, bindings)
        copy = _SpelledCopy(self, dict(zip(helper.parameters, arguments, strict=True)))
        copy.conts[helper.cont] = tail.cont
        body = copy.block(helper.body)
        bindings += body.bindings
        return body.tail

    def fresh(self, name: str) -> str:
        """A new name like another one."""
        return self._fresh(name)

    def leaving(self, jump: il.Jump) -> il.Tail:
        """How a continuation is entered: where what it tests is decided, its arm is."""
        arms = self._arms.get(jump.cont)
        if arms is None:
            return jump
        [test] = jump.arguments
        if type(test) is il.Const:
            chosen = arms.otherwise if test.value is False else arms.then
            return il.Jump(chosen, (), jump.span)
        return il.If(test, _to(arms.then, jump), _to(arms.otherwise, jump), jump.span)


class _SpelledPlaces(Rewriting):
    """Puts continuations, by name, in place of the jumps that enter them; others are left out."""

    def __init__(self, moved: Mapping[str, il.Cont], unused: Container[str]) -> None:
        super().__init__()
        self._moved = moved
        self._unused = unused

    def _block(self, block: il.Block, seen: Seen) -> il.Block:
        return super()._block(il.Block(tuple(self._staying(block)), block.tail), seen)

    def _staying(self, block: il.Block) -> Iterator[il.Binding]:
        for binding in block.bindings:
            if type(binding) is not il.Conts:
                yield binding
                continue
            staying = [
                one
                for one in binding.conts
                if one.name not in self._moved and one.name not in self._unused
            ]
            if staying:
                yield il.Conts(tuple(staying))

    def _tail(self, tail: il.Tail, seen: Seen, bindings: list[il.Binding]) -> il.Tail:
        moved = self._moved.get(tail.cont) if type(tail) is il.Jump else None
        if moved is None:
            return super()._tail(tail, seen, bindings)
        body = self._block(moved.body, seen)
        bindings += body.bindings
        return body.tail


def _in_place(program: il.Program, names: Container[str]) -> il.Program:
    """The program without those of some continuations that nothing enters, and with those in place
    that are entered once."""
    entered = _entered(program)
    unused = {c.name for b in all_blocks(program) for c in conts(b) if not entered[c.name]}
    program = _SpelledPlaces({}, {name for name in unused if name in names}).rewritten(program)
    entered = _entered(program)
    moved = {
        cont.name: cont
        for block in all_blocks(program)
        for cont in conts(block)
        if cont.name in names and entered[cont.name] == 1 and not cont.parameters
    }
    return _SpelledPlaces(moved, ()).rewritten(program)


def _entered(program: il.Program) -> Counter[str]:
    """How many jumps and calls lead to each continuation."""
    tails = [block.tail for block in all_blocks(program)]
    return Counter(tail.cont for tail in tails if type(tail) is not il.If)


def _to(cont: str, tail: il.If | il.Jump) -> il.Block:
    return il.Block((), il.Jump(cont, (), tail.span))


class _SpelledCopy:
    """A helper's body with other names, of some arguments; `conts` are the new names of
    continuations."""

    def __init__(self, spelling: _Spelling, atoms: dict[str, il.Atom]) -> None:
        self._spelling = spelling
        self._atoms = atoms
        self.conts: dict[str, str] = {}

    def _atom(self, atom: il.Atom) -> il.Atom:
        return self._atoms.get(atom.name, atom) if type(atom) is il.Var else atom

    def _passed(self, atoms: tuple[il.Atom, ...]) -> tuple[il.Atom, ...]:
        return tuple(map(self._atom, atoms))

    def _named(self, name: str) -> str:
        new = self._spelling.fresh(name)
        self._atoms[name] = il.Var(new)
        return new

    def block(self, block: il.Block) -> il.Block:
        """A block of it."""
        bindings: list[il.Binding] = []
        for binding in block.bindings:
            if type(binding) is il.Let:
                arguments = self._passed(binding.arguments)
                bindings.append(
                    replace(binding, name=self._named(binding.name), arguments=arguments)
                )
            else:
                assert type(binding) is il.Conts
                for cont in binding.conts:
                    self.conts[cont.name] = self._spelling.fresh(cont.name)
                bindings.append(il.Conts(tuple(map(self._cont, binding.conts))))
        return il.Block(tuple(bindings), self._tail(block.tail))

    def _cont(self, cont: il.Cont) -> il.Cont:
        parameters = tuple(map(self._named, cont.parameters))
        return replace(
            cont, name=self.conts[cont.name], parameters=parameters, body=self.block(cont.body)
        )

    def _tail(self, tail: il.Tail) -> il.Tail:
        if type(tail) is il.If:
            test = self._atom(tail.test)
            return replace(
                tail, test=test, then=self.block(tail.then), otherwise=self.block(tail.otherwise)
            )
        cont = self.conts[tail.cont]
        made = replace(tail, cont=cont, arguments=self._passed(tail.arguments))
        return self._spelling.leaving(made) if type(made) is il.Jump else made
