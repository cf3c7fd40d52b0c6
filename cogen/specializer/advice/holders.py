"""What values are put into: the operations and calls of the user's procedures that make it.

An interpreter's values are put into the lists of the interpreted program, which are values too, and
into what the interpreter itself makes, arguments and environments, which is none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from cogen.lang import il
from cogen.lang.components import components
from cogen.lang.ilutil import blocks
from cogen.specializer.advice.flow import Flow
from cogen.specializer.advice.structures import parts_made
from cogen.specializer.advice.values import DATA_KINDS, Made, Slot


class Holders:
    """The operations and calls of some procedures; `values` are the nodes that hold data of the run
    beside values that are known or may be constants."""

    def __init__(
        self, flow: Flow, functions: Sequence[il.Function], values: Collection[Slot]
    ) -> None:
        self._flow = flow
        self._functions = functions
        self._nodes = values

    def _sites(self) -> dict[il.Let | il.Call, list[Made]]:
        """What the user's operations make, by operation, and calls of primitives that are not
        known to be these, by call."""
        found: dict[il.Let | il.Call, list[Made]] = {}
        for made in self._flow.solution.made.values():
            if (type(made.place) is il.Let or made.is_result) and made.kind in ("pair", "record"):
                found.setdefault(made.place, []).append(made)
        own: dict[il.Let | il.Call, None] = {}
        for function in self._functions:
            for block in blocks(function.body):
                own.update((one, None) for one in block.bindings if type(one) is il.Let)
                if type(block.tail) is il.Call:
                    own[block.tail] = None
        return {place: found[place] for place in own if place in found}

    def parts(self) -> list[tuple[il.Let, list[str]]]:
        """Operations that make something with a part that is read where data are read too; the
        variables of these parts."""
        found: list[tuple[il.Let, list[str]]] = []
        for let, made in self._sites().items():
            if type(let) is not il.Let:
                continue
            names = [
                atom.name
                for number, atom in enumerate(let.arguments)
                if type(atom) is il.Var and all(self._feeds(one, number, let) for one in made)
            ]
            if names:
                found.append((let, names))
        return found

    def _feeds(self, made: Made, number: int, let: il.Let) -> bool:
        """Whether what a part holds gets to where data get too."""
        parts = parts_made(let.op, number)
        node = made.parts.get(parts[0]) if parts else None
        if node is None or any(type(t) is Made and t.kind != "procedure" for t in node.tokens):
            return False
        return node in self._nodes or any(target in self._nodes for target in node.next)

    def recursive(self, is_tag: Callable[[Slot], bool]) -> list[il.Let | il.Call]:
        """Operations and calls that make what values are put into, and that is a value itself, with
        a tag, perhaps: `(cons 'node parts)`."""
        inside: dict[Slot, list[Slot]] = {}
        sites = self._sites()
        for made in self._flow.solution.made.values():
            for node in made.parts.values():
                inside[node] = [
                    part
                    for token in node.tokens
                    if type(token) is Made and token.kind in ("pair", "record")
                    for part in token.parts.values()
                ]
        values = {token for node in self._nodes for token in node.tokens}
        circles: dict[Slot, int] = {}
        marked: set[int] = set()
        for number, group in enumerate(components(inside, lambda n: inside.get(n, ()))):
            for node in group:
                circles[node] = number
                if node in self._nodes and len(group) + (node in inside[node]) > 1:
                    marked.add(number)

        def goes_round(made: Made) -> bool:
            parts = [node for node in made.parts.values() if node.tokens]
            if any(made in node.tokens and node in self._nodes for node in parts):
                return True  # one within another, or data of the run
            if made not in values or not any(circles.get(node) in marked for node in parts):
                return False
            others = [node for node in parts if node not in self._nodes]
            tags = [node for node in others if made.kind == "pair" and is_tag(node)]
            if tags:
                others = [n for n in others if n not in tags and circles.get(n) not in marked]
            return not others

        return [place for place, found in sites.items() if all(map(goes_round, found))]

    def captured(self, is_code: Callable[[Made], bool]) -> Iterator[tuple[il.Let, list[str]]]:
        """Operations that make what procedures of the interpreted program, which are data that
        `is_code`, have closed over, but for values; and what of it may be such a procedure itself:
        one that is put into another goes round in what grows."""
        values = {token for node in self._nodes for token in node.tokens}
        all_made = list(self._flow.solution.made.values())
        work = [made for made in all_made if is_code(made)]
        inside = set(work)
        for made in work:
            parts = [token for part in made.parts.values() for token in part.tokens]
            found = {t for t in parts if type(t) is Made and t.kind in DATA_KINDS}
            found -= values | inside
            inside |= found
            work += found
        names: dict[il.Let, dict[str, None]] = {}
        for made in all_made:
            if made in inside and type(made.place) is il.Let:
                for number, atom in enumerate(made.place.arguments):
                    node = _part(made, number)
                    if type(atom) is il.Var and node is not None and _any(is_code, node):
                        names.setdefault(made.place, {})[atom.name] = None
        for let, captured in names.items():
            yield let, list(captured)


def _part(made: Made, number: int) -> Slot | None:
    """The part that an operand of the operation that makes something becomes."""
    parts = parts_made(made.place.op, number)
    return made.part(parts[0]) if parts else None


def _any(is_code: Callable[[Made], bool], node: Slot) -> bool:
    return any(type(token) is Made and is_code(token) for token in node.tokens)
