"""What goes on with which parts of the program that it interprets, by the text alone.

    (define (apply-closure f arguments)                              ; f holds code:
      (evaluate (caddr (car f)) (extend (cadr (car f)) arguments (cdr f))))
    (define (evaluate e env)                                         ; e is code
      (cond ((symbol? e) …)
            ((eq? (car e) 'lambda) (cons e env)) …))                 ; the `cons` is made of code

An interpreter's procedure may be a pair or list that no symbol tells from data.  What tells it is
where its parts go: what is asked which symbol it is, or begins with, is *code*, as are its parts,
and what they are given on to.  A variable that is not code itself, of which a part becomes code,
*holds* code; what is made of code may be what it holds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from typing import Final

from cogen.lang import il
from cogen.lang.datum import Symbol
from cogen.lang.ilutil import all_blocks, conts, functions
from cogen.lang.prelude import in_prelude
from cogen.specializer.advice.texts import asked_for_symbols, index_of, letters_of, tags_asked
from cogen.specializer.advice.values import LIST
from cogen.specializer.programs.rounds import Rounds

_MAKING: Final = frozenset({"cons", "vector"})

Links = Mapping[str, list[str]]
Place = il.Let | il.Call
Way = tuple[str | int, ...]
"""Which part it is: letters as in `cadr`, the first one first, or an index."""


class Untagged:
    """The variables of a program that hold code, `holders`, and the `places` that make something of
    code, or of a symbol that holders are asked for."""

    def __init__(self, program: il.Program) -> None:
        self._given: dict[str, list[str]] = defaultdict(list)
        """Variables, and those that get what they hold;"""
        self._parts: dict[str, list[str]] = defaultdict(list)
        """those that get a part of it, and which;"""
        self._ways: dict[tuple[str, str], set[Way]] = defaultdict(set)
        self._results: dict[str, list[str]] = defaultdict(list)
        """and those that get what procedures give which do not go round, as it stands under their
        continuations."""
        self._procedures = _procedures(program)
        rounds = Rounds(program).procedures
        self._straight = {f.cont for f in self._procedures.values() if f not in rounds}
        self._conts = {one.name: one for block in all_blocks(program) for one in conts(block)}
        making: list[Place] = []
        for block in all_blocks(program):
            own = [place for place in _places(block) if not in_prelude(place.span)]
            for place in own:
                self._operation(place)
            if type(block.tail) is il.Jump:
                self._jump(block.tail)
            making += filter(_makes, own)
        asked, tagged = _asked(program, {tag for place in making if (tag := _tag(place))})
        code = _reached(asked, self._given, self._parts)
        wholes = _turned(self._parts)
        becoming = _reached(asked, _turned(self._given), wholes, _turned(self._results))
        taken = [(name, part) for part in becoming for name in wholes[part] if name not in code]
        holders = {name for name, _ in taken} | {*tagged}
        self.holders = holders | self._given_too(holders)
        ways = {way for link in taken for way in self._ways[link]}
        tags = {tag for found in tagged.values() for tag in found}
        self.places = {
            place
            for place in making
            if _tag(place) in tags
            or any(_leads_to(way, other) for way in _made_of(place, code) for other in ways)
        }

    def _given_too(self, holders: Iterable[str]) -> set[str]:
        """The parameters of procedures that do not go round and get what others with `holders` as
        parameters get: they take another part of it."""
        whole = _reached(_reached(holders, _turned(self._given)), self._given)
        functions = [f for f in self._procedures.values() if f.cont in self._straight]
        return {name for f in functions for name in f.parameters if name in whole}

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
        function = self._procedures.get(place.function)
        if function is not None:
            for atom, name in zip(place.arguments, function.parameters, strict=False):
                _link(self._given, atom, [name])
            if function.cont in self._straight:
                self._results[function.cont] += [place.cont] if cont is None else cont.parameters

    def _take(self, atom: il.Atom, way: Way, names: Iterable[str]) -> None:
        """Variables get a part of something."""
        _link(self._parts, atom, names)
        for name in names:
            self._ways[getattr(atom, "name", ""), name].add(way)

    def _jump(self, jump: il.Jump) -> None:
        cont = self._conts.get(jump.cont)
        if cont is None:
            for atom in jump.arguments:
                _link(self._results, atom, [jump.cont])
        else:
            for atom, name in zip(jump.arguments, cont.parameters, strict=False):
                _link(self._given, atom, [name])


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


def _asked(
    program: il.Program, made: Collection[Symbol]
) -> tuple[set[str], Mapping[str, set[Symbol]]]:
    """What is asked which symbol it is or begins with; and what is asked for symbols alone that
    what the program makes begins with, with these."""
    tags = {name: found for name, found in tags_asked(program).items() if found}
    tagged = {name: found for name, found in tags.items() if found.issubset(made)}
    return {*asked_for_symbols(program), *tags} - {*tagged}, tagged


def _places(block: il.Block) -> Iterator[Place]:
    yield from (binding for binding in block.bindings if type(binding) is il.Let)
    if type(block.tail) is il.Call:
        yield block.tail


def _makes(place: Place) -> bool:
    """Whether it makes a pair, list or vector: of code and something else, its environment."""
    makes = place.op in _MAKING if type(place) is il.Let else place.function == LIST
    return makes and len(place.arguments) > 1


def _made_of(place: Place, code: Container[str]) -> Iterator[Way]:
    """Where in what a place makes there is code."""
    is_list = type(place) is il.Call
    for number, atom in enumerate(place.arguments):
        if type(atom) is il.Var and atom.name in code:
            if type(place) is il.Let and place.op == "vector":
                yield (number,)
            else:
                yield (*"d" * number, "a") if is_list or not number else ("d",)


def _leads_to(way: Way, other: Way) -> bool:
    """Whether one way is the beginning of the other."""
    return all(a == b for a, b in zip(way, other, strict=False))


def _tag(place: Place) -> Symbol | None:
    """The symbol that it puts first."""
    first = place.arguments[0] if place.arguments else None
    return first.value if type(first) is il.Const and type(first.value) is Symbol else None


def _reached(names: Iterable[str], *links: Links) -> set[str]:
    """Names, and what is linked to them."""
    work = list(names)
    found = set(work)
    for name in work:
        fresh = {other for one in links for other in one.get(name, ())} - found
        found |= fresh
        work += fresh
    return found


def _turned(links: Links) -> dict[str, list[str]]:
    """Links, the other way round."""
    found: dict[str, list[str]] = defaultdict(list)
    for source, targets in links.items():
        for target in targets:
            found[target].append(source)
    return found
