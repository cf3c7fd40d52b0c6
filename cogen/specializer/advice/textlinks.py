"""What a program's text tells of where values go: from which variables to which, whole or a part
of them.

    (define (apply-closure f arguments)          ; f is given what apply-closure is called with,
      (evaluate (caddr (car f)) …))              ; e of evaluate is given a part of it, at "addda"
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from cogen.lang import il
from cogen.lang.components import reached
from cogen.lang.ilutil import all_blocks, conts, functions
from cogen.lang.prelude import in_prelude
from cogen.specializer.advice.texts import index_of, letters_of
from cogen.specializer.programs.rounds import Rounds

Links = Mapping[str, list[str]]
Place = il.Let | il.Call
Way = tuple[str | int, ...]
"""Which part it is: letters as in `cadr`, the first one first, or an index."""


class TextLinks:
    """The links between the variables of the user's procedures."""

    def __init__(self, program: il.Program) -> None:
        self.given: dict[str, list[str]] = defaultdict(list)
        """Variables, and those that get what they hold;"""
        self.parts: dict[str, list[str]] = defaultdict(list)
        """those that get a part of it, and which;"""
        self.ways: dict[tuple[str, str], set[Way]] = defaultdict(set)
        self.results: dict[str, list[str]] = defaultdict(list)
        """and those that get what procedures give which do not go round, as it stands under their
        continuations."""
        self.procedures = _procedures(program)
        rounds = Rounds(program).procedures
        self.straight = {f.cont for f in self.procedures.values() if f not in rounds}
        self.places_of_user: list[Place] = []
        """Operations and calls."""
        self._conts = {one.name: one for block in all_blocks(program) for one in conts(block)}
        for block in all_blocks(program):
            own = [place for place in _places(block) if not in_prelude(place.span)]
            for place in own:
                self._operation(place)
            if type(block.tail) is il.Jump:
                self._jump(block.tail)
            self.places_of_user += own

    def taken_of(self, names: Iterable[str]) -> list[tuple[str, str]]:
        """The variables of which a part becomes what one of some variables holds, as it is or a
        part of it, each with the variable that gets the part."""
        wholes = turned(self.parts)
        becoming = reached(names, turned(self.given), wholes, turned(self.results))
        return [(name, part) for part in becoming for name in wholes[part]]

    def _operation(self, place: Place) -> None:
        if type(place) is il.Let:
            is_part = place.op == "vector-ref" and type(index_of(place)) is int
            if is_part or place.op in ("car", "cdr"):
                way = (index_of(place),) if is_part else (place.op[1],)
                self._take(place.arguments[0], way, [place.name])
            return
        cont = self._conts.get(place.cont)
        if letters_of(place):
            names = cont.parameters if cont else [place.cont]
            self._take(place.arguments[0], tuple(letters_of(place)), names)
        function = self.procedures.get(place.function)
        if function is not None:
            for atom, name in zip(place.arguments, function.parameters, strict=False):
                _link(self.given, atom, [name])
            if function.cont in self.straight:
                self.results[function.cont] += [place.cont] if cont is None else cont.parameters

    def _take(self, atom: il.Atom, way: Way, names: Iterable[str]) -> None:
        """Variables get a part of something."""
        _link(self.parts, atom, names)
        for name in names:
            self.ways[getattr(atom, "name", ""), name].add(way)

    def _jump(self, jump: il.Jump) -> None:
        cont = self._conts.get(jump.cont)
        if cont is None:
            for atom in jump.arguments:
                _link(self.results, atom, [jump.cont])
        else:
            for atom, name in zip(jump.arguments, cont.parameters, strict=False):
                _link(self.given, atom, [name])


def _link(links: dict[str, list[str]], atom: il.Atom, names: Iterable[str]) -> None:
    if type(atom) is il.Var:
        links[atom.name] += names


def _procedures(program: il.Program) -> Mapping[il.Atom, il.Function]:
    """The user's procedures, by what they are called in calls."""
    found: dict[il.Atom, il.Function] = {}
    for item in program.items:
        if isinstance(item, il.Define) and not in_prelude(item.function.span):
            found[il.Global(item.name)] = item.function
    for block in all_blocks(program):
        found.update((il.Var(function.name), function) for function in functions(block))
    return found


def _places(block: il.Block) -> Iterator[Place]:
    yield from (binding for binding in block.bindings if type(binding) is il.Let)
    if type(block.tail) is il.Call:
        yield block.tail


def turned(links: Links) -> dict[str, list[str]]:
    """Links, the other way round."""
    found: dict[str, list[str]] = defaultdict(list)
    for source, targets in links.items():
        for target in targets:
            found[target].append(source)
    return found
