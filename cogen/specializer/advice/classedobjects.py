"""Advice: objects of an interpreted program that are lists or vectors with their class in them.

    (cons 'object (cons class-name slots))      (vector class field …)
    (let ((o (make-vector (+ n 1) 0))) (vector-set! o 0 class) o)

No symbol tells such a thing from data, and its class is a name, or a description of it.  What
tells it is what is done with a part of it by the text: it is a key that is searched for, or leads
to what is searched.  What takes such a part *holds* objects.  Each place that makes one puts it
into a box (`versions.families`), and where data of the run may be an object it is revealed before
its parts are taken: there is an arm for each class, as with records (`advice.recordboxes`).  Of a
vector, what is in front of its fields is known, and the vector that is left is an object of the
store.

Other places know of no boxes, as with `advice.tagged`; what is no box where it is asked is neither
a pair nor a vector, which is looked at in the end (`advice.unlooked`).
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from cogen.kinds import EQUALITIES
from cogen.lang import il
from cogen.lang.components import reached
from cogen.lang.ilutil import all_blocks, blocks, conts
from cogen.lang.prelude import in_prelude
from cogen.specializer.advice.flow import Flow
from cogen.specializer.advice.rewriting import Seen
from cogen.specializer.advice.tagged import Atoms, TaggedBoxes
from cogen.specializer.advice.textlinks import Place, TextLinks, Way, turned
from cogen.specializer.advice.texts import index_of
from cogen.specializer.advice.untagged import asked_for, makes
from cogen.specializer.advice.values import DATA, LIST, UNKNOWN, Made, Slot
from cogen.specializer.versions.families import Family

_SEARCHES: Final = frozenset({"assq", "assv", "assoc", "memq", "memv", "member"})
"""Procedures of the library that search: what their first argument is equal to, in the second."""

_FIELDS: Final = frozenset({"vector-ref", "vector-set!", "vector-length"})
"""Operations on the fields of an object that is a vector."""

MOST_IN_FRONT: Final = 4
"""Elements in front of the fields of a vector: its class is the last of these."""


class ClassTexts:
    """By text: the variables that hold objects, with the ways to what names their classes."""

    def __init__(self, program: il.Program) -> None:
        links = TextLinks(program)
        keys, lists, found = _searched(program)
        tags = {tag for place in links.places_of_user if (tag := _tag_of(place)) is not None}
        code = reached(asked_for(program, tags)[0], links.given, links.parts)
        no_objects = code | reached(found, links.given, links.results)
        no_objects |= reached(lists, turned(links.given), turned(links.results))
        self.ways: dict[str, set[Way]] = {}
        for name, part in links.taken_of(keys | lists):
            if name not in no_objects:
                self.ways.setdefault(name, set()).update(links.ways[name, part])


def _searched(program: il.Program) -> tuple[set[str], set[str], set[str]]:
    """The variables that are keys of searches, those that are lists that are searched, and those
    that get what is found."""
    keys, lists, found = set[str](), set[str](), set[str]()
    for block in all_blocks(program):
        for let in block.bindings:
            if type(let) is il.Let and let.op in EQUALITIES and not in_prelude(let.span):
                names = [atom.name for atom in let.arguments if type(atom) is il.Var]
                keys.update(names if len(names) == 2 else ())
        call = block.tail
        if type(call) is il.Call and getattr(call.function, "name", "") in _SEARCHES:
            if in_prelude(call.span):
                continue
            keys.update(a.name for a in call.arguments[:1] if type(a) is il.Var)
            lists.update(a.name for a in call.arguments[1:2] if type(a) is il.Var)
            own = [one for one in conts(block) if one.name == call.cont]
            found.update(name for one in own for name in one.parameters)
    return keys, lists, found


def _tag_of(place: Place) -> Any:
    first = place.arguments[0] if makes(place) else None
    return getattr(first, "value", None)


class ClassedObjects:
    """What is made at which places of some procedures, and the variables that are looked at for it:
    `families`, by place; `looked`, by variable; `holders`, `places`: what an analysis is told."""

    def __init__(
        self,
        flow: Flow,
        functions: Sequence[il.Function],
        values: Collection[Slot],
        entries: Collection[Made],
    ) -> None:
        self._flow = flow
        self.program = flow.program
        self.families: dict[Place, Family] = {}
        self.looked: dict[str, Family] = {}
        self.entered: dict[il.Function, list[str]] = {}
        known = {token for node in values for token in node.tokens if type(token) is Made}
        texts = ClassTexts(flow.program)
        own = {p for f in functions for block in blocks(f.body) for p in _places_in(block)}
        self._assigned = _in_front_of_assigned(functions)
        looked: dict[str, dict[Place, int]] = {}
        for function in functions:
            for name in _variables(function):
                for way in texts.ways.get(name, ()):
                    for made in self._made(function, name, True) & known - set(entries):
                        if made.place in own and self._is_class(made, way, known):
                            looked.setdefault(name, {})[made.place] = _in_front(way)
        self._group(looked)
        for function in functions:
            self._look_too(function, texts.ways)
        self.places = frozenset(self.families)
        self.holders = frozenset(self.looked)
        self.fronts = {place: family.front for place, family in self.families.items()}

    def _made(self, function: il.Function, name: str, is_mixed: bool) -> set[Made]:
        """What a variable may hold that is made; if `is_mixed`, where it may be data of the run."""
        tokens = {
            token
            for context in self._flow.contexts(function)
            for token in self._flow.variable(context, name).tokens
        }
        if is_mixed and tokens.isdisjoint((DATA, UNKNOWN)):
            return set()
        return {token for token in tokens if type(token) is Made}

    def _is_class(self, made: Made, way: Way, known: Collection[Made]) -> bool:
        """Whether a place makes something with a part there that is no constant, nor a value of the
        interpreted program."""
        place = made.place
        if type(way[0]) is int:
            is_laid_out = _in_front(way) <= MOST_IN_FRONT and self._has_front(place, way[0])
            part = made.part(way[0])
            return is_laid_out and not _holds(part, known)
        if type(place) is il.Let and place.op != "cons":
            return False
        if type(place) is not il.Let and (place.function != LIST or made.context[-1:] != (0,)):
            return False
        level = {made}
        for letter in way[:-1]:
            parts = [one.part("car" if letter == "a" else "cdr") for one in level]
            level = {t for part in parts for t in part.tokens if type(t) is Made}
        last = [one.part("car" if way[-1] == "a" else "cdr") for one in level]
        is_made_here = way[0] == "d" or type(place.arguments[0]) is il.Var
        return bool(last) and is_made_here and not any(_holds(part, known) for part in last)

    def _has_front(self, place: Place, index: int) -> bool:
        """Whether the elements of a vector in front of its fields are known where it is made."""
        if type(place) is not il.Let:
            return False
        if place.op == "vector":
            return index < len(place.arguments) and type(place.arguments[index]) is il.Var
        fronts = self._assigned.get(place.name, {})
        return place.op == "make-vector" and all(k in fronts for k in range(index + 1))

    def _group(self, looked: Mapping[str, Mapping[Place, int]]) -> None:
        """What may be in one variable is one family; of lists, or of vectors that have as much in
        front of their fields."""
        groups: list[dict[Place, int]] = []
        for fronts in looked.values():
            met = [group for group in groups if not group.keys().isdisjoint(fronts)]
            groups = [group for group in groups if group.keys().isdisjoint(fronts)]
            together = dict(fronts)
            for group in met:
                for place, front in group.items():
                    together[place] = max(front, together.get(place, 0))
            groups.append(together)
        for group in groups:
            fronts_in_group = set(group.values())
            if len(fronts_in_group) == 1:
                name = "object" if not self.families else f"object.{len(self.families)}"
                family = Family(name, opens=True)
                family.front = fronts_in_group.pop()
                family.is_vector, family.holds_code = family.front > 0, False
                family.is_of_objects = True
                self.families.update(dict.fromkeys(group, family))
        for name, fronts in looked.items():
            found = self.families.get(next(iter(fronts)))
            if found is not None:
                self.looked[name] = found

    def _look_too(self, function: il.Function, ways: Container[str]) -> None:
        """Where another part of an object leads to a search, and where elements of vectors are read
        or assigned, an object may be that is looked at: all are data from where they are made."""
        names = [name for name in _variables(function) if name in ways]
        for block in blocks(function.body):
            names += [
                getattr(let.arguments[0], "name", "")
                for let in block.bindings
                if type(let) is il.Let and let.op in _FIELDS
            ]
        for name in names:
            for made in self._made(function, name, False):
                family = self.families.get(made.place)
                if family is not None:
                    self.looked.setdefault(name, family)

    def front_of(self, let: il.Let) -> Mapping[int, il.Let]:
        """The assignments of what is in front of the fields, by index."""
        return self._assigned.get(let.name, {})


def _in_front(way: Way) -> int:
    """How many elements of a vector are in front of its fields; 0 for lists."""
    return way[0] + 1 if type(way[0]) is int else 0


def _holds(part: Slot, known: Collection[Made]) -> bool:
    return any(type(token) is Made and token in known for token in part.tokens)


def _places_in(block: il.Block) -> Iterator[Place]:
    yield from (one for one in block.bindings if type(one) is il.Let)
    if type(block.tail) is il.Call:
        yield block.tail


def _variables(function: il.Function) -> Iterator[str]:
    yield from function.parameters
    for block in blocks(function.body):
        for binding in block.bindings:
            if type(binding) is il.Let:
                yield binding.name
            elif type(binding) is il.Conts:
                yield from (name for cont in binding.conts for name in cont.parameters)


def _in_front_of_assigned(functions: Iterable[il.Function]) -> dict[str, dict[int, il.Let]]:
    """By variable of a new vector: its elements that are assigned at once, before anything else is
    done with it, by index in the order of the assignments."""
    found: dict[str, dict[int, il.Let]] = {}
    for function in functions:
        for block in blocks(function.body):
            new: set[str] = set()
            for let in block.bindings:
                if type(let) is not il.Let:
                    new.clear()
                elif let.op == "make-vector" and len(let.arguments) == 2:
                    new.add(let.name)
                else:
                    names = [getattr(atom, "name", "") for atom in let.arguments]
                    index: Any = index_of(let) if let.op == "vector-set!" else None
                    is_first = type(index) is int and index not in found.get(names[0], ())
                    if is_first and names[0] in new and names[2] not in new:
                        found.setdefault(names[0], {})[index] = let
                    else:
                        new.difference_update(names)
    return found


class ObjectBoxes(TaggedBoxes):
    """A program with boxes for objects: `program`, `families`, and `boxed`, what makes the boxes.

    A vector that is filled and assigned what is in front of its fields is made without that:

        (let* ((o (make-vector n x)) (_ (vector-set! o 0 c))) …)
    ->  (let* ((v (make-vector n x)) (_ (vector-ref v 0)) (o (%boxed (cons c v)))) …)
    """

    looking = frozenset({"car", "cdr", "vector-ref", "vector-set!", "vector-length"})

    def __init__(self, flow: Flow, objects: ClassedObjects) -> None:
        self._fronts: dict[il.Let, il.Let] = {}
        """What assigns an element in front of the fields, and where the vector is made;"""
        self._last: dict[il.Let, list[il.Let]] = {}
        """the last one, and all of them by index."""
        for place, family in objects.families.items():
            if type(place) is il.Let and place.op == "make-vector":
                own = {k: let for k, let in objects.front_of(place).items() if k < family.front}
                self._fronts.update(dict.fromkeys(own.values(), place))
                self._last[list(own.values())[-1]] = [own[k] for k in range(family.front)]
        self._families = objects.families
        self._inside: dict[il.Let, str] = {}
        super().__init__(flow, objects)

    def _let(self, let: il.Let, seen: Seen, bindings: list[il.Binding]) -> None:
        family = self._families.get(let)
        if let in self._fronts:
            self._put_in_front(let, seen, bindings)
        elif family is not None and let.op == "make-vector":
            arguments = self._passed(let.arguments, seen, bindings)
            bindings.append(replace(let, name=self._inner(let), arguments=arguments))
        else:
            super()._let(let, seen, bindings)

    def _inner(self, let: il.Let) -> str:
        """What a vector is called that is in a box."""
        return self._inside.setdefault(let, self._fresh("fields"))

    def _put_in_front(self, let: il.Let, seen: Seen, bindings: list[il.Binding]) -> None:
        """The element of the vector is read, which fails where it has no such element; with the
        last one the box is made."""
        made = self._fronts[let]
        vector = il.Var(self._inner(made))
        bindings.append(il.Let(let.name, "vector-ref", (vector, let.arguments[1]), let.span))
        if let in self._last:
            front = [self._atom(one.arguments[2], seen, bindings) for one in self._last[let]]
            family = self._families[made]
            inner = self._listed(made, front, vector, bindings)
            bindings.append(self._box(made.name, inner.name, family, made.span))
            self.replaced[made] = inner

    def _made(
        self, let: il.Let, arguments: Atoms, family: Family, bindings: list[il.Binding]
    ) -> il.Let:
        if not family.is_vector:
            return super()._made(let, arguments, family, bindings)
        front, rest = arguments[: family.front], arguments[family.front :]
        zeros = [il.Const(0)] * family.front
        vector = replace(let, name=self._inner(let), arguments=(*zeros, *rest))
        bindings.append(vector)
        return self._listed(let, front, il.Var(vector.name), bindings)
