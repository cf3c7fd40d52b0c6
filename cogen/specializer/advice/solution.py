"""Constraints between nodes, and their least solution.

A node holds tokens (`advice.values`); what it holds flows on to others, and whoever
watches it is told of each token.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from cogen.specializer.advice.structures import SOME
from cogen.specializer.advice.values import (
    DATA,
    DATA_KINDS,
    GROUND,
    NUMBER,
    UNKNOWN,
    Context,
    LiteralPlace,
    Made,
    Slot,
    Token,
)


@dataclass
class Meant:
    """What a place is likely to read something of: which it `accepts`, whether there is any, and
    what else it would read.  `claimed` are the places of what is accepted where code is looked for;
    of that, those read nothing that look for data (`of_data`)."""

    accepts: Callable[[Made], bool]
    claimed: set[Any] = field(default_factory=set)
    of_data: bool = False
    is_found: bool = False
    others: list[tuple[Token, Callable[[], None]]] = field(default_factory=list)

    def takes(self, token: Token) -> bool:
        """Whether it is likely to read something of this."""
        found = self.accepts(token) if type(token) is Made else self.of_data
        self.is_found = self.is_found or found
        if found and not self.of_data:
            self.claimed.add(token.place)
        return found

    def waive(self) -> list[Callable[[], None]]:
        """What else it reads: what nobody claims."""
        free = [type(t) is Made and t.place not in self.claimed for t, _ in self.others]
        found = [read for (_, read), one in zip(self.others, free, strict=True) if one]
        self.others = [one for one, is_free in zip(self.others, free, strict=True) if not is_free]
        return found


class Solution:
    """The nodes by their keys, and all that is made."""

    def __init__(self) -> None:
        self.nodes: dict[Any, Slot] = {}
        self.made: dict[Any, Made] = {}
        self.meant: dict[Any, Meant] = {}
        """By place where something is read of what it is likely to be."""
        self.reads: list[tuple[Slot, Slot]] = []
        """Of what something is read, and where that goes."""
        self.fronts: Mapping[Any, int] = {}
        """By place where a vector is made: its first elements that are not assigned at an unknown
        index."""
        self._work: list[tuple[Slot, set[Token]]] = []

    def node(self, key: Any) -> Slot:
        """The node of that key."""
        node = self.nodes.get(key)
        if node is None:
            node = self.nodes[key] = Slot()
        return node

    def add(self, node: Slot, tokens: Iterable[Token]) -> None:
        """Put tokens into a node."""
        new = set(tokens) - node.tokens
        if new:
            node.tokens |= new
            self._work.append((node, new))

    def flow(self, source: Slot, target: Slot) -> None:
        """What a node holds goes on to another one."""
        if source is not target:
            source.next.append(target)
            if source.tokens:
                self.add(target, source.tokens)

    def watch(self, node: Slot, watcher: Callable[[Token], None]) -> None:
        """Tell a function each token of a node, those to come too."""
        node.watchers.append(watcher)
        for token in tuple(node.tokens):
            watcher(token)

    def solve(self) -> None:
        """Carry on until nothing is new."""
        work = self._work
        while work:
            node, new = work.pop()
            for target in node.next:
                self.add(target, new)
            for watcher in tuple(node.watchers):
                for token in new:
                    watcher(token)

    def take_others(self) -> bool:
        """Where nothing was found that is meant, read what there is instead, and before that, what
        nobody else claims; whether there is anything."""
        others = [read for m in self.meant.values() if m.of_data for read in m.waive()]
        if not others:
            missed = [meant for meant in self.meant.values() if not meant.is_found]
            others = [read for meant in missed for _, read in meant.others]
            for meant in missed:
                meant.others.clear()
        for other in others:
            other()
        return bool(others)

    def make(self, kind: str, place: Any, context: Context) -> Made:
        """What a place makes in a context."""
        key = (kind, id(place), context)
        made = self.made.get(key)
        if made is None:
            made = self.made[key] = Made(kind, place, context=context)
        return made

    def put(self, value: Slot, part: Slot, is_head: bool) -> None:
        """A value is put into a part; if it `is_head` of an object, no structure is."""

        def watcher(token: Token) -> None:
            if token != GROUND and (type(token) is not Made or token.kind not in DATA_KINDS):
                self.add(part, [token])

        if is_head:
            self.watch(value, watcher)
        else:
            self.flow(value, part)

    def compute(self, values: Sequence[Slot], result: Slot, known: Token) -> None:
        """An operation gives something `known` if all of its operands are, else what they are."""
        unknown = set(map(id, values))
        if not unknown:
            self.add(result, [known])

        def watch(value: Slot) -> None:
            def watcher(token: Token) -> None:
                if token in (DATA, UNKNOWN):
                    self.add(result, [token])
                elif unknown:
                    unknown.discard(id(value))
                    if not unknown:
                        self.add(result, [known])

            self.watch(value, watcher)

        for value in values:
            watch(value)

    def lift(self, op: str, value: Slot, result: Slot, let_out: Callable[[Slot], None]) -> None:
        """What is made data of the run: all, or of what is advised numbers and procedures."""

        def watcher(token: Token) -> None:
            kind = token.kind if type(token) is Made else token
            if op == "%lift-made":
                stays = kind not in DATA_KINDS
            else:
                is_value = type(token) is Made and kind not in DATA_KINDS and op == "%lift-value"
                stays = op not in ("lift", "%lift-any") and token != NUMBER and not is_value
            if not stays and type(token) is Made:
                let_out(value)
            self.add(result, [token if stays else DATA])

        self.watch(value, watcher)

    def all_nodes(self) -> Iterable[Slot]:
        """All nodes, those of parts too."""
        yield from self.nodes.values()
        for made in self.made.values():
            yield from made.parts.values()

    def element(self, items: Slot, place: Any) -> Slot:
        """The node of any element of a list that is taken apart at a place."""
        element, spine = self.node(("element", place)), self.node(("spine", place))
        self.flow(items, spine)
        self.read(spine, "car", element)
        self.read(spine, "cdr", spine)
        return element

    def read(
        self,
        value: Slot,
        part: Any,
        result: Slot,
        meant: Meant | None = None,
        fits: Callable[[Made], bool] | None = None,
    ) -> None:
        """What a part gives, of what `fits`."""
        self.reads.append((value, result))

        def read(token: Token) -> None:
            if type(token) is Made:
                if token.kind in DATA_KINDS and (fits is None or fits(token)):
                    self.flow(token.part(part), result)
                    if type(part) is int and part >= self.fronts.get(token.place, 0):
                        self.flow(token.part(SOME), result)
            elif token in (GROUND, DATA, UNKNOWN):
                self.add(result, [token])
            elif type(token) is LiteralPlace and token.tag is not None:
                self.add(result, [GROUND])

        def watcher(token: Token) -> None:
            if meant is None or token == GROUND or meant.takes(token):
                read(token)
            else:
                meant.others.append((token, partial(read, token)))

        self.watch(value, watcher)
