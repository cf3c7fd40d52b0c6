"""Procedures that search a list for its first entry with a key.

    (define (lookup name env)
      (cond ((null? env) (error "unbound variable" name))
            ((eq? name (caar env)) (cdar env))
            (else (lookup name (cdr env)))))

and `assq`, `assv` and `assoc` of the library.  What such a procedure does depends on the first
entry that the key is equal to, and on nothing else of the list: neither on how many there are, nor
on those behind, nor on where among entries with other keys it is.

Law: if two lists of entries have the same first entry for each key, a search gives the same for
both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from cogen.lang import il
from cogen.lang.ilutil import all_blocks, atoms, blocks, functions, item_block, tail_atoms
from cogen.lang.prelude import in_prelude
from cogen.specializer.advice.texts import letters_of

Place = il.Let | il.Call

_EQUALITIES: Final = frozenset({"eq?", "eqv?", "equal?", "="})
_LIBRARY: Final = frozenset({"assq", "assv", "%assoc"})
_ONLY_WITH_TWO: Final = "assoc"
"""With a third argument the library's `assoc` need not ask for equality."""
_MOST_BLOCKS: Final = 64
"""Blocks of one procedure that are looked at, those that several ways lead to several times."""

LIST: Final = ""
REST: Final = "d"
"""Which parts of the list a variable holds: none, its `cdr`; others begin with its `car`."""


def find_searches(program: il.Program) -> set[Place]:
    """The operations and calls by which procedures of a program look at a list that they search."""
    found: set[Place] = set()
    others = _plain_assoc(program)
    for item in program.items:
        block = item_block(item)
        if isinstance(item, il.Define) and in_prelude(item.function.span):
            if item.name in _LIBRARY or (item.name == _ONLY_WITH_TWO and others):
                found |= _looks(block)
            continue
        own = [item.function] if isinstance(item, il.Define) else []
        for function in [*own, *(f for inner in blocks(block) for f in functions(inner))]:
            for number in range(len(function.parameters)):
                try:
                    found |= _Search(function, number).places
                except _OtherUse:
                    continue
    return found


def _looks(body: il.Block) -> set[Place]:
    """What a search of the library reads, and the message that its list is none."""
    return {
        let
        for block in blocks(body)
        for let in block.bindings
        if type(let) is il.Let and let.op in ("car", "cdr", "error")
    }


def _plain_assoc(program: il.Program) -> bool:
    """Whether `assoc` asks for equality wherever the program calls it."""
    name = il.Global(_ONLY_WITH_TWO)
    for block in all_blocks(program):
        is_called = type(block.tail) is il.Call and block.tail.function == name
        if is_called and len(block.tail.arguments) != 2:  # type: ignore[union-attr]
            return False
        if sum(atom == name for atom in atoms(block)) > is_called:
            return False
    return True


class _OtherUse(Exception):
    """A procedure does more with the list than to search it."""


class _Search:
    """The `places` where a procedure looks at the list that it searches, its parameter of a number;
    `_OtherUse` if it is no search."""

    def __init__(self, function: il.Function, number: int) -> None:
        self.places: set[Place] = set()
        self._function = function
        self._number = number
        self._left = _MOST_BLOCKS
        self._conts = {
            cont.name: cont
            for block in blocks(function.body)
            for binding in block.bindings
            if type(binding) is il.Conts
            for cont in binding.conts
        }
        self._asks = self._goes_on = False
        self._walk(function.body, {function.parameters[number]: LIST}, {})
        if not self._asks or not self._goes_on:
            raise _OtherUse

    def _walk(self, block: il.Block, parts: Mapping[str, str], asked: Mapping[str, str]) -> None:
        """What is done while the entry is not found: `parts` of the list by variable, and what is
        `asked` for: whether the list has entries, whether this is the one."""
        self._left -= 1
        if not self._left:
            raise _OtherUse
        parts, asked = dict(parts), dict(asked)
        for binding in block.bindings:
            if type(binding) is il.Let:
                self._let(binding, parts, asked)
            elif type(binding) is not il.Conts:
                raise _OtherUse
        tail = block.tail
        if type(tail) is il.If:
            self._test(tail, parts, asked)
        elif type(tail) is il.Call:
            self._call(tail, parts, asked)
        elif tail.cont in self._conts:
            cont, inner = self._conts[tail.cont], dict(parts)
            for name, atom in zip(cont.parameters, tail.arguments, strict=False):
                if type(atom) is il.Var and atom.name in parts:
                    inner[name] = parts[atom.name]
                if type(atom) is il.Var and atom.name in asked:
                    asked[name] = asked[atom.name]
            self._walk(cont.body, inner, asked)
        else:
            self._refuse(tail.arguments, parts)

    def _let(self, let: il.Let, parts: dict[str, str], asked: dict[str, str]) -> None:
        held = [parts.get(a.name) if type(a) is il.Var else None for a in let.arguments]
        if let.op in ("car", "cdr") and held[0] is not None:
            letter = let.op[1]
            if held[0] == REST:
                raise _OtherUse
            if held[0] == LIST:
                self.places.add(let)
            parts[let.name] = held[0] + letter
        elif let.op in ("null?", "pair?") and held[0] == LIST:
            asked[let.name] = let.op
        elif let.op in _EQUALITIES:
            if sorted(filter(None, held)) == ["aa"] and LIST not in held:
                asked[let.name] = "found"
            else:
                self._refuse(let.arguments, parts)
        else:
            raise _OtherUse

    def _test(self, tail: il.If, parts: Mapping[str, str], asked: Mapping[str, str]) -> None:
        test = tail.test.name if type(tail.test) is il.Var else ""
        question = asked.get(test)
        if question == "found":
            self._asks = True
            self._found(tail.then, parts)
            self._walk(tail.otherwise, parts, asked)
        elif question is not None:  # without entries, it is the empty list
            self._walk(tail.then if question == "pair?" else tail.otherwise, parts, asked)
        else:
            self._refuse([tail.test], parts)
            self._walk(tail.then, parts, asked)
            self._walk(tail.otherwise, parts, asked)

    def _call(self, call: il.Call, parts: dict[str, str], asked: Mapping[str, str]) -> None:
        letters = letters_of(call)
        first = call.arguments[0] if call.arguments else None
        held = parts.get(first.name) if type(first) is il.Var else None
        cont = self._conts.get(call.cont)
        if letters and held is not None and cont is not None and len(cont.parameters) == 1:
            self._take(call, letters, held)
            self._walk(cont.body, {**parts, cont.parameters[0]: held + letters}, asked)
            return
        function = self._function
        is_itself = getattr(call.function, "name", "") == function.name
        if not is_itself or call.cont != function.cont or function.rest is not None:
            raise _OtherUse
        if len(call.arguments) != len(function.parameters):
            raise _OtherUse
        for number, atom in enumerate(call.arguments):
            name = atom.name if type(atom) is il.Var else ""
            is_rest = number == self._number and parts.get(name) == REST
            if not is_rest and name != function.parameters[number]:
                raise _OtherUse
            if number == self._number and not is_rest:
                raise _OtherUse
        self._goes_on = True

    def _take(self, call: il.Call, letters: str, held: str) -> None:
        """A part is taken by a selector of the library: one of the first entry."""
        if held == LIST:
            if letters[0] != "a":
                raise _OtherUse
            self.places.add(call)
        elif held == REST:
            raise _OtherUse

    def _found(self, root: il.Block, parts: Mapping[str, str]) -> None:
        """What is done with the entry that was found: nothing with those behind."""
        for block in blocks(root):
            for let in block.bindings:
                if type(let) is il.Let:
                    is_first = let.op == "car" and self._is_list(let.arguments[0], parts)
                    if is_first:
                        self.places.add(let)
                    else:
                        self._refuse(let.arguments, parts, LIST, REST)
            tail = block.tail
            if type(tail) is il.Call and tail.arguments:
                first, letters = tail.arguments[0], letters_of(tail)
                if letters[:1] == "a" and self._is_list(first, parts):
                    self.places.add(tail)
                    continue
            self._refuse(tail_atoms(tail), parts, LIST, REST)

    @staticmethod
    def _is_list(atom: il.Atom, parts: Mapping[str, str]) -> bool:
        return type(atom) is il.Var and parts.get(atom.name) == LIST

    @staticmethod
    def _refuse(atoms: Sequence[il.Atom], parts: Mapping[str, str], *but: str) -> None:
        """Nothing may be one of the parts: of any, or of those that are named."""
        for atom in atoms:
            held = parts.get(atom.name) if type(atom) is il.Var else None
            if held is not None and (not but or held in but):
                raise _OtherUse
