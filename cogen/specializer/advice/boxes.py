"""Advice: which of the data that grow are put into boxes (`versions.families`), and where.

What is made dynamic because it grows (`advice.bounds`) is a *family* if

* wherever its pairs and records may be, there are no other values, but for constants;
* the program only takes them apart, and asks what they are and whether they are a constant;
* they have parts that are known.

Then each place that makes one of them puts it into a box, and so are the constants that are
where they are; each place that looks into one reveals it first (`%reveal`), and takes it out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from cogen import binding_times
from cogen.kinds import EQUALITIES
from cogen.lang import il
from cogen.lang.datum import NIL, Pair, Symbol
from cogen.lang.errors import Span
from cogen.lang.ilutil import NEVER_RETURN, base_name
from cogen.specializer.advice.bounds import Stop
from cogen.specializer.advice.flow import Flow
from cogen.specializer.advice.rewriting import Rewriting, Seen, with_field
from cogen.specializer.advice.structures import MAKES
from cogen.specializer.advice.texts import is_user, letters_of
from cogen.specializer.advice.values import (
    GROUND,
    IN_ARM,
    LIST,
    NUMBER,
    Context,
    LiteralPlace,
    Made,
    Slot,
)
from cogen.specializer.versions.families import Family


class _Values(Flow):
    """Which values get where, constants told apart by where they stand.  Nothing is assumed, but
    what the arms of a conditional tell of what it asks about: which symbol a list begins with, of
    which type a record is."""

    assumes = False

    def __init__(self, program: il.Program, entry: str, bts: Sequence[binding_times.BT]) -> None:
        self._literals: dict[int, LiteralPlace] = {}
        super().__init__(program, entry, bts)

    def _atom(self, atom: il.Atom, context: Context) -> Slot:
        if type(atom) is not il.Const or not _is_simple(atom.value):
            return super()._atom(atom, context)
        node = Slot()
        node.tokens.add(self._literals.setdefault(id(atom), LiteralPlace(atom)))
        return node

    def variables(self) -> Iterable[tuple[str, Slot]]:
        """All variables, in each of their contexts."""
        for key, node in self.solution.nodes.items():
            is_variable = len(key) == 2 and type(key[0]) is tuple
            if is_variable and node.tokens and IN_ARM not in key[1]:
                yield key[1], node

    def escapes(self, tokens: set[Any]) -> bool:
        """Whether residual code gets any of these."""
        nodes = (node for node in self._kept if id(node) in self._escaped)
        return any(not tokens.isdisjoint(node.tokens) for node in nodes)


def _is_simple(value: object) -> bool:
    """Whether a constant may stand among what a machine makes: an atom, or a short list."""
    if type(value) is Pair and type(value.car) is Symbol:
        items: list[object] = [value.car]
        rest: object = value.cdr
        while type(rest) is Pair and len(items) < LONGEST_CONSTANT:
            items.append(rest.car)
            rest = rest.cdr
        return rest is NIL and not any(type(item) is Pair for item in items)
    return value is NIL or value is False or type(value) is Symbol


LONGEST_CONSTANT: Final = 3
"""Elements of a constant list that may be one of a family."""


class _Refused(Exception):
    """What was taken for a family is none."""


class Boxes:
    """A program with boxes: `program`, and what stands in it for operations and calls of the
    original one; there are none if `families` is empty."""

    def __init__(
        self,
        program: il.Program,
        entry: str,
        bts: Sequence[binding_times.BT],
        stops: Sequence[Stop],
    ) -> None:
        self.program = program
        self.replaced: dict[il.Let | il.Call, il.Let | il.Call] = {}
        self.families: list[Family] = []
        self.stops: list[Stop] = []
        """Those that make the families dynamic."""
        if not stops:
            return
        flow, number = _Values(program, entry, bts), 0
        used: set[Any] = set()
        for arc, name in stops:
            members = _members(flow, arc.target, name)
            if not members:
                continue
            if members <= used:
                self.stops.append((arc, name))
            elif members.isdisjoint(used) and _has_known_parts(members):
                family = Family(base_name(name))
                try:
                    rewriting = _Rewriting(self.program, flow, family, members, number)
                except _Refused:
                    continue
                self.program, number = rewriting.program, rewriting.number
                self._compose(rewriting.replaced)
                self.families.append(family)
                self.stops.append((arc, name))
                used |= members

    def _compose(self, more: dict[il.Let | il.Call, il.Let | il.Call]) -> None:
        for old, new in self.replaced.items():
            self.replaced[old] = more.pop(new, new)
        self.replaced.update(more)


def _members(flow: _Values, function: il.Function, name: str) -> set[Any]:
    """What a variable holds, and all that is where any of this may be."""
    found: set[Any] = set()
    for context in flow.contexts(function):
        found |= flow.variable(context, name).tokens
    before = -1
    while len(found) != before:
        before = len(found)
        for _, node in flow.variables():
            if not found.isdisjoint(node.tokens):
                found |= node.tokens
    return found


def _has_known_parts(members: set[Any]) -> bool:
    """Whether pairs and records, which are all, but for constants, have parts that are known."""
    made = [token for token in members if type(token) is Made]
    if any(type(token) not in (Made, LiteralPlace) for token in members):
        return False
    if any(token.kind not in ("pair", "record") for token in made):
        return False
    parts: dict[Any, set[Any]] = {}
    for token in made:
        for name, node in token.parts.items():
            parts.setdefault(name, set()).update(node.tokens)
    return any(_is_known(tokens, members, 3) for tokens in parts.values())


def _is_known(tokens: set[Any], members: set[Any], depth: int) -> bool:
    """Whether there is something known among what a part holds that is no value of the run."""
    tokens = tokens - members
    if GROUND in tokens or any(type(token) is LiteralPlace for token in tokens):
        return True
    if tokens == {NUMBER}:
        return True
    inner = [t for t in tokens if type(t) is Made and t.kind in ("pair", "record")]
    return depth > 0 and any(
        _is_known(one.tokens, members, depth - 1) for token in inner for one in token.parts.values()
    )


_LOOKING: Final = {
    "car": 0,
    "cdr": 0,
    "record-ref": 2,
    "record-is?": 1,
    "pair?": 0,
    "null?": 0,
    "symbol?": 0,
    "vector?": 0,
    "string?": 0,
    "number?": 0,
    "procedure?": 0,
    "boolean?": 0,
    "not": 0,
}
"""Operations that look into something or ask what it is, and which operand is that."""
_KEEPING: Final = frozenset({*MAKES, "cell-set!", "global-set!", "vector-set!", "record-set!"})
"""Operations that put an operand, their last but for those that make something, into something."""


class _Rewriting(Rewriting):
    """One family's boxes put into a program."""

    def __init__(
        self, program: il.Program, flow: _Values, family: Family, members: set[Any], number: int
    ) -> None:
        super().__init__(number)
        self._family = family
        self._members = members
        self._flow = flow
        self._literals = {id(token.atom) for token in members if type(token) is LiteralPlace}
        self._sites = self._places(members)
        self._names: set[str] = set()
        others: set[str] = set()
        self._called: set[str] = set()
        """Variables that may be primitives."""
        for name, node in flow.variables():
            if node.tokens & members:
                self._names.add(name)
            if node.tokens - members:
                others.add(name)
            if any(type(t) is Made and t.kind == "primitive" for t in node.tokens):
                self._called.add(name)
        self._mixed = self._names & others
        self._user = True
        if flow.escapes(members):
            raise _Refused
        self._boxed: set[Any] = set()
        self.program = self.rewritten(program)
        if self._boxed != self._sites:
            raise _Refused  # another family's boxes have changed what makes these

    def _places(self, members: set[Any]) -> set[Any]:
        """The operations and calls that make the members."""
        found: set[Any] = set()
        for token in members:
            if type(token) is not Made:
                continue
            place = token.place
            is_list = (
                type(place) is il.Call and place.function == LIST and token.context[-1:] == (0,)
            )
            is_let = type(place) is il.Let and place.op in ("cons", "make-record")
            if not (is_list or is_let):
                raise _Refused
            found.add(place)
        return found

    def _definition(self, function: il.Function) -> il.Function:
        self._user = is_user(function)
        return super()._definition(function)

    def _test(self, tail: il.If, seen: Seen, bindings: list[il.Binding]) -> il.Atom:
        if self._is_member(tail.test):
            return self._content(tail.test, seen, bindings, tail.span)
        return super()._test(tail, seen, bindings)

    def _select(self, call: il.Call, seen: Seen, bindings: list[il.Binding]) -> il.Jump:
        """`cadr` and the like, step by step: a part may be in a box again."""
        part: il.Atom = call.arguments[0]
        held = self._members
        for letter in letters_of(call):
            if not held.isdisjoint(self._members):
                if not held <= self._members:
                    raise _Refused
                part = self._content(part, seen, bindings, call.span)
            op = "car" if letter == "a" else "cdr"
            name = self._fresh("part")
            bindings.append(il.Let(name, op, (part,), call.span))
            part = il.Var(name)
            held = {
                token
                for made in held
                if type(made) is Made and op in made.parts
                for token in made.parts[op].tokens
            }
        return il.Jump(call.cont, (part,), call.span)

    def _call(self, call: il.Call, seen: Seen, bindings: list[il.Binding]) -> il.Call | il.Jump:
        if self._flow.is_selector(call) and self._is_member(call.arguments[0]):
            return self._select(call, seen, bindings)
        function = call.function
        given = any(map(self._is_member, call.arguments))
        if given and (type(function) is il.Prim or self._is_primitive(function)):
            raise _Refused
        arguments = self._passed(call.arguments, seen, bindings)
        made: il.Call = with_field(call, "arguments", arguments)
        if call in self._sites:
            self._boxed.add(call)
            cont, inner, outer = map(self._fresh, ("k", "made", "boxed"))
            jump = il.Jump(call.cont, (il.Var(outer),), call.span)
            body = il.Block((self._box(outer, il.Var(inner), call.span),), jump)
            bindings.append(il.Conts((il.Cont(cont, (inner,), body, call.span),)))
            made = replace(made, cont=cont)
        if made is not call:
            self.replaced[call] = made
        return made

    def _is_primitive(self, function: il.Atom) -> bool:
        return type(function) is il.Var and function.name in self._called

    def _is_member(self, atom: il.Atom) -> bool:
        """Whether an operand may be one of the family; then it is nothing else."""
        return type(atom) is il.Var and atom.name in self._names

    def _atom(self, atom: il.Atom, seen: Seen, bindings: list[il.Binding]) -> il.Atom:
        if id(atom) in self._literals:
            name = self._fresh("constant")
            bindings.append(self._box(name, atom, None))
            return il.Var(name)
        return super()._atom(atom, seen, bindings)

    def _box(self, name: str, content: il.Atom, span: Span | None) -> il.Let:
        return il.Let(name, "make-record", (il.Const(self._family), content), span)

    def _let(self, let: il.Let, seen: Seen, bindings: list[il.Binding]) -> None:
        op, atoms = let.op, let.arguments
        members = [number for number, atom in enumerate(atoms) if self._is_member(atom)]
        literals = [number for number, atom in enumerate(atoms) if id(atom) in self._literals]
        if members and not self._allows(op, atoms, members):
            raise _Refused
        looks = op in _LOOKING or op in EQUALITIES
        if members and (looks or op in NEVER_RETURN):
            known = self._content if looks else self._revealed
            arguments = tuple(
                known(atom, seen, bindings, let.span) if number in members else atom
                for number, atom in enumerate(atoms)
            )
        elif looks and literals:
            arguments = atoms
        else:
            arguments = self._passed(atoms, seen, bindings)
        made = with_field(let, "arguments", arguments)
        if let in self._sites:
            self._boxed.add(let)
            inner = self._fresh(let.name)
            made = replace(made, name=inner)
            bindings += [made, self._box(let.name, il.Var(inner), let.span)]
            self.replaced[let] = made
        else:
            self._put(let, made, bindings)

    def _allows(self, op: str, atoms: Sequence[il.Atom], members: Sequence[int]) -> bool:
        """Whether an operation may be given some of the family."""
        if op in MAKES or op in NEVER_RETURN:
            return True
        if op in _KEEPING:
            return members == [len(atoms) - 1]
        if op in EQUALITIES:
            return len(members) == 1 and any(type(atom) is il.Const for atom in atoms)
        return _LOOKING.get(op) == members[0] and len(members) == 1

    def _content(
        self, atom: il.Atom, seen: Seen, bindings: list[il.Binding], span: Span | None
    ) -> il.Var:
        """What is in a box."""
        box = self._revealed(atom, seen, bindings, span)
        name = self._fresh(box.name)
        operands = (il.Const(self._family), il.Const(0), box)
        bindings.append(il.Let(name, "record-ref", operands, span))
        return il.Var(name)

    def _revealed(
        self, atom: il.Atom, seen: Seen, bindings: list[il.Binding], span: Span | None
    ) -> il.Var:
        """A box, revealed: what was so before may have been made dynamic since."""
        assert type(atom) is il.Var
        if atom.name in self._mixed or not self._user:
            raise _Refused
        name, now = self._fresh(atom.name), self._atom(atom, seen, bindings)
        bindings.append(il.Let(name, "%reveal", (now, il.Const(self._family)), span))
        seen[atom.name] = name
        return il.Var(name)
