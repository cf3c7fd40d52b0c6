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

from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from typing import Final

from cogen.lang import il
from cogen.lang.components import reached
from cogen.lang.datum import Symbol
from cogen.specializer.advice.textlinks import Place, TextLinks, Way, turned
from cogen.specializer.advice.texts import asked_for_symbols, tags_asked
from cogen.specializer.advice.values import LIST

_MAKING: Final = frozenset({"cons", "vector"})


class Untagged(TextLinks):
    """The variables of a program that hold code, `holders`, and the `places` that make something of
    code, or of a symbol that holders are asked for."""

    def __init__(self, program: il.Program) -> None:
        super().__init__(program)
        making = [place for place in self.places_of_user if makes(place)]
        asked, tagged = asked_for(program, {tag for place in making if (tag := _tag(place))})
        code = reached(asked, self.given, self.parts)
        taken = [(name, part) for name, part in self.taken_of(asked) if name not in code]
        holders = {name for name, _ in taken} | {*tagged}
        self.holders = holders | self._given_too(holders)
        ways = {way for link in taken for way in self.ways[link]}
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
        whole = reached(reached(holders, turned(self.given)), self.given)
        functions = [f for f in self.procedures.values() if f.cont in self.straight]
        return {name for f in functions for name in f.parameters if name in whole}


def asked_for(
    program: il.Program, made: Collection[Symbol]
) -> tuple[set[str], Mapping[str, set[Symbol]]]:
    """What is asked which symbol it is or begins with; and what is asked for symbols alone that
    what the program makes begins with, with these."""
    tags = {name: found for name, found in tags_asked(program).items() if found}
    tagged = {name: found for name, found in tags.items() if found.issubset(made)}
    return {*asked_for_symbols(program), *tags} - {*tagged}, tagged


def makes(place: Place) -> bool:
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
