"""What the entry of a program is given, as tokens: its binding times, and constants."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from cogen import binding_times
from cogen.lang.datum import NIL, Char
from cogen.specializer.advice.solution import Solution
from cogen.specializer.advice.structures import ANY
from cogen.specializer.advice.values import DATA, GROUND, NULL, NUMBER, TRUTH, Slot, Token


def constant(value: Any) -> Token:
    """What a constant is."""
    if type(value) is bool:
        return TRUTH
    if value is NIL:
        return NULL
    return NUMBER if type(value) in (int, float, str, Char) else GROUND


def shape(bts: Sequence[binding_times.BT]) -> Hashable:
    """What the analysis sees of binding times: where these are equal, and what is absent from them
    (`advice.absent`), so is the advice."""
    seen: dict[int, int] = {}

    def seen_of(bt: binding_times.BT) -> Hashable:
        match bt:
            case binding_times.Static(value):
                return "static", constant(value), seen.setdefault(id(bt), len(seen))
            case binding_times.Cons(car, cdr):
                return "pair", seen_of(car), seen_of(cdr)
            case binding_times.Vector(parts):
                return "vector", *map(seen_of, parts)
            case binding_times.Record(name, parts):
                return "record", name, *map(seen_of, parts)
        return bt

    return tuple(map(seen_of, bts))


class Given:
    """Puts what is given into the nodes of parameters; `constant` tells what a constant is."""

    def __init__(self, solution: Solution, constant: Callable[[Any], Token]) -> None:
        self._solution = solution
        self._constant = constant

    def put(self, node: Slot, bt: binding_times.BT) -> None:
        """What a parameter of the entry holds."""
        solution = self._solution
        match bt:
            case binding_times.Static(value):
                solution.add(node, [self._constant(value)])
            case binding_times.Later():
                solution.add(node, [GROUND])
            case binding_times.Cons(car, cdr):
                made = solution.make("pair", bt, ())
                self.put(made.part("car"), car)
                self.put(made.part("cdr"), cdr)
                solution.add(node, [made])
            case binding_times.Vector(parts) | binding_times.Record(_, parts):
                kind = "vector" if type(bt) is binding_times.Vector else "record"
                made = solution.make(kind, bt, ())
                for number, part in enumerate(parts):
                    self.put(made.part(number), part)
                    solution.flow(made.part(number), made.part(ANY))
                solution.add(node, [made])
            case _:
                solution.add(node, [DATA])

    def put_list(self, node: Slot, bts: Sequence[binding_times.BT]) -> None:
        """What a rest parameter of the entry holds."""
        for bt in bts:
            made = self._solution.make("pair", bt, ())
            self.put(made.part("car"), bt)
            self._solution.add(node, [made])
            node = made.part("cdr")
        self._solution.add(node, [NULL])
