"""What grows without bound under static control, and where to stop it.

A variable *grows* if it comes back, along calls, with something built around it.  That is bounded
if a piece of the static input gets smaller on the way, as an interpreter's expression does while
its environment gets longer: the *anchor* (bounded anchoring; Glenstrup and Jones, "Termination
analysis and specialization-point insertion in offline partial evaluation", 2005).  An interpreter
that calls or jumps takes another piece of its program, which is no part of the present one: there
the anchor is lost, and what has grown is given up.

Law: advice only; the specializer means the same with any of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from cogen.lang import il
from cogen.lang.components import components
from cogen.lang.ilutil import parameters
from cogen.specializer.advice.flow import Flow
from cogen.specializer.advice.sizes import PART, SAME, WHOLE, Arc, Sizes
from cogen.specializer.advice.texts import is_user
from cogen.specializer.advice.values import DATA_KINDS, GROUND, NULL, NUMBER, TRUTH, Made

Variable = tuple[il.Function, str]
Stop = tuple[Arc, str]
"""A call, and the parameter whose argument is to be made dynamic there; or the making of a
procedure, one of whose parameters is."""


class Bounds:
    """Finds for a program where something that grows is to be given up: `stops`; and what gets
    smaller: `anchors`.

    What goes round is followed as it is and as a part of something else, and where that is
    `through` too, as what was a part of it: a stack that something is put on, and taken from."""

    def __init__(self, flow: Flow, sizes: Sizes, through: Sequence[str] = (SAME, WHOLE)) -> None:
        self.flow = flow
        self._through = through
        running = {function for function, _ in flow.bodies}
        self.arcs = [
            arc
            for arc in sizes.arcs
            if arc.source in running
            and arc.target in running
            and is_user(arc.source)
            and is_user(arc.target)
        ]
        self._anchors = self._anchor_groups()
        self.anchors = [variable for group in self._anchors for variable in group]
        self.stops = self._find()

    def _links(self, kinds: Sequence[str]) -> dict[Variable, list[Variable]]:
        """Which variables go on as, or in, or with parts as which."""
        found: dict[Variable, list[Variable]] = {}
        for arc in self.arcs:
            for name, relation in arc.relations.items():
                target = (arc.target, name)
                found.setdefault(target, [])
                for old, kind in sorted(relation):  # in the same order in each run
                    if kind in kinds:
                        found.setdefault((arc.source, old), []).append(target)
        return found

    def _anchor_groups(self) -> list[frozenset[Variable]]:
        """Variables of static data that go round together and get smaller somewhere."""
        links = self._links((SAME, PART))
        bounded = dict.fromkeys(v for v in links if self._is_bounded(v))
        groups = components(bounded, lambda v: [w for w in links[v] if w in bounded])
        found = [frozenset(group) for group in groups]
        return [group for group in found if any(self._descends(a, group) for a in self.arcs)]

    def _is_bounded(self, variable: Variable) -> bool:
        """Whether a variable holds static data only, and some that has parts."""
        function, name = variable
        work = [
            token
            for context in self.flow.contexts(function)
            for token in self.flow.variable(context, name).tokens
        ]
        seen: set[int] = set()
        structured = False
        while work:
            token = work.pop()
            if type(token) is Made:
                if token.kind not in DATA_KINDS:
                    return False
                structured = True
                if id(token) not in seen:
                    seen.add(id(token))
                    work += [t for part in token.parts.values() for t in part.tokens]
            elif token not in (GROUND, NULL, NUMBER, TRUTH):
                return False
            else:
                structured = structured or token == GROUND
        return structured

    def _descends(self, arc: Arc, group: frozenset[Variable]) -> bool:
        """Whether an anchor gets smaller on an arc."""
        return any(
            relation and all(kind == PART and (arc.source, old) in group for old, kind in relation)
            for name, relation in arc.relations.items()
            if (arc.target, name) in group
        )

    def _loses(self, arc: Arc, anchor: frozenset[Variable], members: frozenset[Variable]) -> bool:
        """Whether an anchor is lost on an arc; it may be in what goes round, if parts of that do
        so too."""
        if PART not in self._through:
            return not self._keeps(arc, anchor)
        return any(
            kind not in (SAME, PART) or (arc.source, old) not in anchor | members
            for name, relation in arc.relations.items()
            if (arc.target, name) in anchor
            for old, kind in relation
        )

    def _keeps(self, arc: Arc, group: frozenset[Variable]) -> bool:
        """Whether no anchor is lost on an arc."""
        anchors = [r for name, r in arc.relations.items() if (arc.target, name) in group]
        return bool(anchors) and all(
            relation
            and all(kind in (SAME, PART) and (arc.source, old) in group for old, kind in relation)
            for relation in anchors
        )

    # -- what grows ------------------------------------------------------------------------------

    def _find(self) -> list[Stop]:
        links = self._links(self._through)
        found: list[Stop] = []
        for group in components(links, links.__getitem__):
            members = frozenset(group)
            arcs = [arc for arc in self.arcs if self._threads(arc, members)]
            growing = [arc for arc in arcs if self._grows(arc, members)]
            if growing and (PART not in self._through or self._shrinks(arcs, members)):
                found += self._stops(members, arcs, growing)
        return found

    def _threads(self, arc: Arc, members: Iterable[Variable]) -> list[str]:
        """The parameters in a group that a call gives something from the group."""
        return [
            name
            for name, relation in arc.relations.items()
            if (arc.target, name) in members
            and any(kind in self._through and (arc.source, o) in members for o, kind in relation)
        ]

    def _grows(self, arc: Arc, members: Iterable[Variable]) -> bool:
        return any(
            kind == WHOLE and (arc.source, old) in members
            for name in self._threads(arc, members)
            for old, kind in arc.relations[name]
        )

    def _shrinks(self, arcs: Iterable[Arc], members: frozenset[Variable]) -> bool:
        """Whether something is taken off what goes round, as off a stack."""
        return any(
            kind == PART and (arc.source, old) in members
            for arc in arcs
            for name in self._threads(arc, members)
            for old, kind in arc.relations[name]
        )

    def _stops(
        self, members: frozenset[Variable], arcs: Sequence[Arc], growing: Sequence[Arc]
    ) -> list[Stop]:
        """Where to give up what grows in a group of variables: where it grows, if no anchor gets
        smaller there; and if it goes round elsewhere, where the anchor is lost."""

        def unanchored(group: frozenset[Variable]) -> list[Arc]:
            return [arc for arc in growing if not self._descends(arc, group)]

        anchor = min(self._anchors, key=lambda group: len(unanchored(group)), default=frozenset())
        steady = [arc for arc in arcs if not self._descends(arc, anchor)]
        circles = self._on_circles(steady, members)
        stopped = [arc for arc in unanchored(anchor) if arc in circles and self._at(arc, members)]
        rest = [arc for arc in arcs if arc not in stopped]
        for circle in self._circles(rest, members):
            if any(self._grows(arc, members) for arc in circle):
                stopped += [arc for arc in circle if self._loses(arc, anchor, members)]
        return [(arc, name) for arc in stopped for name in self._at(arc, members)]

    def unbounded(self) -> Iterator[il.Function]:
        """The procedures that call each other in turn while no anchor gets smaller, or is lost on
        the way."""
        work = [self.arcs]
        while work:
            arcs = work.pop()
            links: dict[il.Function, list[il.Function]] = {}
            for arc in arcs:
                links.setdefault(arc.source, []).append(arc.target)
                links.setdefault(arc.target, [])
            for group in components(links, links.__getitem__):
                members = frozenset(group)
                round_ = [a for a in arcs if a.source in members and a.target in members]
                kept = [g for g in self._anchors if all(self._keeps(arc, g) for arc in round_)]
                rest = [a for a in round_ if not any(self._descends(a, g) for g in kept)]
                if len(rest) < len(round_):
                    work.append(rest)
                elif round_:
                    yield from group

    def at_targets(self) -> list[Stop]:
        """The stops, those at calls that may be of others too in what is called: there, nothing
        grows."""
        targets: dict[il.Call, set[il.Function]] = {}
        for arc in self.arcs:
            if arc.call is not None:
                targets.setdefault(arc.call, set()).add(arc.target)
        stopped: dict[il.Call, set[il.Function]] = {}
        for arc, _ in self.stops:
            if arc.call is not None:
                stopped.setdefault(arc.call, set()).add(arc.target)
        found: dict[Stop, None] = {}
        for arc, name in self.stops:
            call = arc.call
            inside = call is not None and targets[call] != stopped[call]
            found[(replace(arc, call=None) if inside else arc, name)] = None
        return list(found)

    def _at(self, arc: Arc, members: Iterable[Variable]) -> list[str]:
        """The parameters in a group that can be given up where an arc leads."""
        own = parameters(arc.target) if arc.call is not None else arc.target.parameters
        return [name for name in self._threads(arc, members) if name in own]

    def _on_circles(self, arcs: Sequence[Arc], members: Iterable[Variable]) -> set[Arc]:
        """The arcs that lead round with these alone."""
        return {arc for circle in self._circles(arcs, members) for arc in circle}

    def _circles(self, arcs: Sequence[Arc], members: Iterable[Variable]) -> list[list[Arc]]:
        """The arcs that lead round with these alone, those together that lead to each other."""
        links: dict[Variable, list[Variable]] = {}
        for arc in arcs:
            for name in self._threads(arc, members):
                for old, _ in arc.relations[name]:
                    if (arc.source, old) in members:
                        links.setdefault((arc.source, old), []).append((arc.target, name))
                links.setdefault((arc.target, name), [])
        number = {
            variable: index
            for index, group in enumerate(components(links, links.__getitem__))
            for variable in group
        }
        found: dict[int, dict[Arc, None]] = {}
        for arc in arcs:
            for name in self._threads(arc, members):
                group = number[(arc.target, name)]
                for old, _ in arc.relations[name]:
                    if number.get((arc.source, old)) == group:
                        found.setdefault(group, {})[arc] = None
        return [list(circle) for circle in found.values()]
