"""Advice: lists and vectors that hold code of the interpreted program are put into boxes.

    (list 'closure parameters body env)        (vector parameters body env)        (cons code env)

What a person makes of a procedure of the interpreted language is often such a list or vector.  It
is a value among others, and where it becomes data of the run its code would be such too, and the
interpreter would be left.  So each place that makes one puts it into a box (`versions.families`),
and each place that asks for the symbol it begins with, or takes its code out, reveals it first:
there is an arm for each variant, and one for what is none.

Other places know of no boxes: while it is known, a box is what is in it for them (`opening` in
`rules`).  What is dynamic is a record of the residual program, which these places would
not take for a list: so the residual program is right only if none gets there, which is looked at
when it is made (`advice.unlooked`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any, Final, Protocol

from cogen.kinds import EQUALITIES
from cogen.lang import il
from cogen.lang.datum import NIL, Symbol
from cogen.lang.errors import Span
from cogen.lang.ilutil import base_name, blocks
from cogen.specializer.advice.flow import Flow
from cogen.specializer.advice.rewriting import Rewriting, Seen, with_field
from cogen.specializer.advice.texts import asked_for_symbols, index_of, letters_of, tags_asked
from cogen.specializer.advice.values import (
    DATA,
    GROUND,
    IN_ARM,
    KNOWN,
    LIST,
    UNKNOWN,
    Made,
    Slot,
    tag_of,
)
from cogen.specializer.programs.rounds import Rounds
from cogen.specializer.versions.families import Family

LONGEST: Final = 8
"""Parts of a list or vector that are looked at for code."""

_ANY_FIELD: Final = -1
"""A place that asks reads no field."""

Atoms = tuple[il.Atom, ...]
Place = il.Let | il.Call


class Tagged:
    """What is made at which places of the user's procedures, and the variables that are looked at
    for it: `families`, by place; `looked`, by variable; `entered`, the parameters that procedures
    which go round give others for that."""

    def __init__(
        self, flow: Flow, functions: Iterable[il.Function], values: Collection[Slot]
    ) -> None:
        self._flow = flow
        self.families: dict[Place, Family] = {}
        self.looked: dict[str, Family] = {}
        self.entered: dict[il.Function, list[str]] = {}
        known = {token for node in values for token in node.tokens if type(token) is Made}
        self._leads = _Leading(flow, known)
        self._code: dict[Made, frozenset[Any]] = {}
        """What is made, and where in it there is code: as letters, or an index."""
        for made in known:
            found = self._places_of_code(made) if _is_whole(made) else frozenset()
            if found:
                self._code[made] = found
        if self._code:
            own = list(functions)
            self._places = {p for f in own for p in _operations(f)}
            self._code = {m: at for m, at in self._code.items() if m.place in self._places}
            looked = {name: held for f in own for name, held in self._looks(f)}
            self._group(self._without_data(looked))
            self._enter(own)

    def _places_of_code(self, made: Made) -> frozenset[Any]:
        """Where in a list or vector there are pieces of what is static, and nothing else."""
        if made.kind == "vector":
            atoms = made.place.arguments
            return frozenset(
                number
                for number in range(min(len(atoms), LONGEST))
                if type(atoms[number]) is not il.Const and self._leads.is_code(made.part(number))
            )
        found: set[str] = set()
        one, letters = made, ""
        while len(letters) < LONGEST:
            if self._leads.is_code(one.part("car")) and not _begins_with_constant(one):
                found.add(letters + "a")
            rest, letters = one.part("cdr"), letters + "d"
            if self._leads.is_code(rest):
                found.add(letters)
            own = [t for t in rest.tokens if type(t) is Made and _is_rest(made, t)]
            if len(own) != 1:
                break
            one = own[0]
        return frozenset(found)

    def _looks(self, function: il.Function) -> Iterator[tuple[str, frozenset[Place]]]:
        """The variables of a procedure that are looked at, and where that may be made which they
        hold."""
        beginnings: dict[str, str] = {}
        for block in blocks(function.body):
            for let in block.bindings:
                if type(let) is not il.Let:
                    continue
                subject = let.arguments[0] if let.arguments else None
                if type(subject) is il.Var and let.op in ("car", "vector-ref"):
                    if let.op == "car" or index_of(let) == 0:
                        beginnings[let.name] = subject.name
                    at = "a" if let.op == "car" else index_of(let)
                    yield from self._looked(function, subject.name, at)
                elif let.op in EQUALITIES:
                    for one, other in (let.arguments, reversed(let.arguments)):
                        name = beginnings.get(getattr(one, "name", ""))
                        if name is not None and self._is_known(function, block, other):
                            yield from self._looked(function, name, None)
            call = block.tail
            if type(call) is il.Call and self._flow.is_selector(call):
                subject = call.arguments[0]
                if type(subject) is il.Var:
                    yield from self._looked(function, subject.name, letters_of(call))

    def _looked(
        self, function: il.Function, name: str, at: Any
    ) -> Iterator[tuple[str, frozenset[Place]]]:
        """The variable, if code may be at that place of what it holds, or it is no first one, or if
        that is not asked."""
        tokens = self._tokens(function, name)
        is_laid_out = at is None or (type(at) is str and len(at) > 1)
        held = {t.place for t in tokens if t in self._code and (is_laid_out or at in self._code[t])}
        if held and tokens & {DATA, UNKNOWN}:
            yield name, frozenset(t.place for t in tokens if t in self._code)

    def _without_data(self, looked: dict[str, frozenset[Place]]) -> dict[str, frozenset[Place]]:
        """The variables that are looked at, without those that hold data, as their parts do not
        become code, where others hold code of which the same is told."""
        holders = self._flow.scopes.holders
        held = {place for name, places in looked.items() if name in holders for place in places}
        return {
            name: places
            for name, places in looked.items()
            if name in holders or held.isdisjoint(places)
        }

    def _tokens(self, function: il.Function, name: str) -> set[Any]:
        flow = self._flow
        return {t for c in flow.contexts(function) for t in flow.variable(c, name).tokens}

    def _is_known(self, function: il.Function, block: il.Block, atom: il.Atom) -> bool:
        """Whether something holds no data of the run."""
        nodes = [self._flow.atom(c, block, atom) for c in self._flow.contexts(function)]
        return not any(node.tokens & {DATA, UNKNOWN} for node in nodes)

    def _group(self, looked: dict[str, frozenset[Place]]) -> None:
        """What may be in one variable is one family; of lists, or of vectors."""
        groups: list[set[Place]] = []
        for places in looked.values():
            met = [group for group in groups if not group.isdisjoint(places)]
            groups = [group for group in groups if group.isdisjoint(places)]
            groups.append(set(places).union(*met))
        tags = {made.place: tag_of(made) for made in self._code}
        for group in groups:
            are_vectors = {getattr(place, "op", "") == "vector" for place in group}
            if len(are_vectors) == 1:
                names = sorted(tag.name for place in group if type(tag := tags[place]) is Symbol)
                name = names[0] if names else "made"
                number = sum(1 for one in set(self.families.values()) if one.name == name)
                family = Family(f"{name}.{number}" if number else name, opens=True)
                family.is_vector = are_vectors.pop()
                self.families.update(dict.fromkeys(group, family))
        for name, places in looked.items():
            family_ = self.families.get(next(iter(places)))
            if family_ is not None:
                self.looked[name] = family_

    def _enter(self, functions: Sequence[il.Function]) -> None:
        defined = {
            item.name: item.function
            for item in self._flow.program.items
            if isinstance(item, il.Define)
        }
        rounds = Rounds(self._flow.program).procedures
        for function in functions:
            own = set(function.parameters) if function in rounds else set[str]()
            for block in blocks(function.body):
                call = block.tail
                called = defined.get(getattr(getattr(call, "function", None), "name", ""))
                if type(call) is not il.Call or called is None:
                    continue
                for atom, parameter in zip(call.arguments, called.parameters, strict=False):
                    name = getattr(atom, "name", "")
                    family = self.looked.get(parameter)
                    if family is not None and name in own and self._holds(function, name):
                        own.remove(name)
                        self.looked.setdefault(name, family)
                        self.entered.setdefault(function, []).append(name)

    def _holds(self, function: il.Function, name: str) -> bool:
        """Whether a variable may hold what is in boxes, and data of the run."""
        tokens = self._tokens(function, name)
        return bool(tokens & {DATA, UNKNOWN}) and any(
            type(token) is Made and token.place in self.families for token in tokens
        )


def _operations(function: il.Function) -> Iterator[Place]:
    for block in blocks(function.body):
        yield from (one for one in block.bindings if type(one) is il.Let)
        if type(block.tail) is il.Call:
            yield block.tail


def _is_whole(made: Made) -> bool:
    """Whether it is what a place makes, and no rest of that."""
    if type(made.place) is il.Let:
        return made.place.op in ("cons", "vector")
    return type(made.place) is il.Call and made.place.function == LIST and made.context[-1:] == (0,)


def _is_rest(made: Made, other: Made) -> bool:
    """Whether a pair may be made together with another one, as a rest of it."""
    if other.place is made.place:
        return other is not made
    ends = made.place.span.end if made.place.span is not None else None
    span = getattr(other.place, "span", None)
    return (
        type(other.place) is il.Let
        and other.kind == "pair"
        and span is not None
        and ends is not None
        and made.place.span.start < span.start
        and span.end <= ends
    )


def _begins_with_constant(made: Made) -> bool:
    """Whether its first part is a constant in the program's text."""
    place = made.place
    number = made.context[-1] if type(place) is il.Call and made.context else 0
    atoms = place.arguments
    return number < len(atoms) and type(atoms[number]) is il.Const


class _Leading:
    """What leads to where the program asks which symbol something is, or begins with, that is none
    of the `values`: what it goes through as its program."""

    def __init__(self, flow: Flow, values: Set[Made]) -> None:
        asked = {*tags_asked(flow.program), *asked_for_symbols(flow.program)}
        nodes = [(name.partition(IN_ARM)[0], node) for (_, name), node in _variables(flow)]
        mixed = {name for name, node in nodes if not values.isdisjoint(node.tokens)}
        self._asked = {node for name, node in nodes if name in asked and name not in mixed}
        self._links: dict[Slot, list[Slot]] = {}
        for source, target in flow.scopes.refined:
            self._links.setdefault(source, []).append(target)
        for source, target in flow.solution.reads:
            if source.tokens.isdisjoint(values | {DATA, UNKNOWN}):
                self._links.setdefault(source, []).append(target)

    def is_code(self, part: Slot) -> bool:
        """Whether a part holds pieces of what is static, and nothing else, and they lead there."""
        if GROUND not in part.tokens or not part.tokens <= KNOWN:
            return False
        seen, work = {part}, [part]
        for node in work:
            if node in self._asked:
                return True
            targets = (*node.next, *self._links.get(node, ()))
            fresh = [target for target in targets if target not in seen]
            seen.update(fresh)
            work += fresh
        return False


def _variables(flow: Flow) -> Iterator[tuple[Any, Slot]]:
    """The variables in their contexts, and what they are in arms."""
    for key, node in flow.solution.nodes.items():
        if len(key) == 2 and type(key[0]) is tuple:
            yield key, node


class ToBox(Protocol):
    """What is put into boxes at which places, the variables that are looked at for it, and the
    parameters that procedures which go round give others for that."""

    @property
    def families(self) -> Mapping[Place, Family]: ...
    @property
    def looked(self) -> Mapping[str, Family]: ...
    @property
    def entered(self) -> Mapping[il.Function, list[str]]: ...


class TaggedBoxes(Rewriting):
    """A program with boxes: `program`, `families`, and `boxed`, what makes the boxes."""

    looking = frozenset(
        {"car", "cdr", "pair?", "null?", "vector?", "vector-ref", "vector-length", "list?"}
    )
    """Operations that look at what a variable holds."""

    def __init__(self, flow: Flow, tagged: ToBox) -> None:
        super().__init__()
        self._flow = flow
        self._tagged = tagged
        self.boxed: list[il.Let] = []
        self.families = list(dict.fromkeys(tagged.families.values()))
        self.program = self.rewritten(flow.program) if self.families else flow.program

    def _function(self, function: il.Function, seen: Seen) -> il.Function:
        entered = self._tagged.entered.get(function)
        if entered is None:
            return super()._function(function, seen)
        seen, bindings = dict(seen), list[il.Binding]()
        for name in entered:
            self._reveal(il.Var(name), seen, bindings, function.span)
        body = self._block(function.body, seen)
        return replace(function, body=il.Block((*bindings, *body.bindings), body.tail))

    def _let(self, let: il.Let, seen: Seen, bindings: list[il.Binding]) -> None:
        family = self._tagged.families.get(let)
        if family is not None:
            arguments = self._passed(let.arguments, seen, bindings)
            inner = self._made(let, arguments, family, bindings)
            bindings.append(self._box(let.name, inner.name, family, let.span))
            self.replaced[let] = inner
            return
        if let.op in self.looking:
            self._reveal(let.arguments[0], seen, bindings, let.span)
        super()._let(let, seen, bindings)

    def _made(
        self, let: il.Let, arguments: Atoms, family: Family, bindings: list[il.Binding]
    ) -> il.Let:
        """What is put into a box: of a vector, the list of its elements."""
        if not family.is_vector:
            made = replace(let, name=self._fresh(let.name), arguments=arguments)
            bindings.append(made)
            return made
        return self._listed(let, arguments, il.Const(NIL), bindings)

    def _listed(
        self, let: il.Let, items: Sequence[il.Atom], rest: il.Atom, bindings: list[il.Binding]
    ) -> il.Let:
        """A list of one item or more, in front of a rest."""
        for atom in reversed(items):
            made = il.Let(self._fresh(let.name), "cons", (atom, rest), let.span)
            bindings.append(made)
            rest = il.Var(made.name)
        return made

    def _box(self, name: str, content: str, family: Family, span: Span | None) -> il.Let:
        box = il.Let(name, "%boxed", (il.Var(content), il.Const(family)), span)
        self.boxed.append(box)
        return box

    def _foresee(
        self, binding: il.Conts, block: il.Block, seen: Seen, bindings: list[il.Binding]
    ) -> None:
        """What a selector takes a part of is known in what goes on with that, too."""
        call = block.tail
        if type(call) is not il.Call or not self._flow.is_selector(call):
            return
        bound = {let.name for let in block.bindings if type(let) is il.Let}
        bound -= {let.name for let in bindings if type(let) is il.Let}
        goes_on = any(cont.name == call.cont for cont in binding.conts)
        if goes_on and getattr(call.arguments[0], "name", "") not in bound:
            self._reveal(call.arguments[0], seen, bindings, call.span)

    def _call(self, call: il.Call, seen: Seen, bindings: list[il.Binding]) -> il.Call | il.Jump:
        if self._flow.is_selector(call):
            self._reveal(call.arguments[0], seen, bindings, call.span)
        made = super()._call(call, seen, bindings)
        family = self._tagged.families.get(call)
        if family is None:
            return made
        cont, inner, outer = map(self._fresh, ("k", "made", "boxed"))
        jump = il.Jump(call.cont, (il.Var(outer),), call.span)
        body = il.Block((self._box(outer, inner, family, call.span),), jump)
        bindings.append(il.Conts((il.Cont(cont, (inner,), body, call.span),)))
        boxed: il.Call | il.Jump = with_field(made, "cont", cont)
        self.replaced[call] = boxed  # type: ignore[assignment]
        return boxed

    def _reveal(
        self, atom: il.Atom, seen: Seen, bindings: list[il.Binding], span: Span | None
    ) -> None:
        """What a variable holds is known from here on, if it is a box."""
        family = self._tagged.looked.get(getattr(atom, "name", ""))
        if family is None or type(atom) is not il.Var:
            return
        name = self._fresh(base_name(atom.name))
        operands = self._atom(atom, seen, bindings), il.Const(family), il.Const(_ANY_FIELD)
        bindings.append(il.Let(name, "%reveal-among", operands, span))
        seen[atom.name] = name
