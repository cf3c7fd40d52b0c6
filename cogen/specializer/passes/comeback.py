"""Which points a residual machine goes back to: arms for others are left out.

    (vector-set! stack (+ sp 1) 12)  … (fib (+ sp 2))         a call of the interpreted program
    (let ((p (vector-ref stack (- sp 1)))) (if (eqv? p 1) … (if (eqv? p 12) … (error …))))

A machine keeps the point to go back to in a vector, among data of the run, and only that it calls
and returns in turn makes it certain that what it takes for a point is one (`versions.points`).
This is shown here, for each label of the residual program apart: it is given *something* in each
parameter, and in the elements of vectors that are near to one of them.  Where it asks for the
point that something is, that is a question to who has jumped to it, who knows what it was, or
does not and asks on.  So labels are like procedures, whose ends are the questions that they cannot
answer; what they know of each other is found by going through them until nothing is new (Sharir and
Pnueli, "Two approaches to interprocedural data flow analysis", 1981: the functional one).

Law: an arm that is left out is one that no run takes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import Final

from cogen.lang import il
from cogen.lang.ilutil import Free, blocks, functions
from cogen.specializer.passes.followed import (
    ANYWHERE,
    Followed,
    FollowedLabel,
    KnownHere,
    LabelShape,
    MadeOnce,
    OpenQuestion,
    Place,
    PointTest,
    Relative,
    Written,
    constants_of,
    meant,
    moved,
    near_to,
    point_test,
    sum_of,
    sums_of,
    symbol_near,
)
from cogen.specializer.passes.vectors_followed import (
    NotFollowed,
    bodies,
    indices_of,
    outside_loops,
    vectors_made_once,
)
from cogen.specializer.versions.graph import RawFunction, RawProgram, body_of

FIRST: Final = 16
"""So many elements of a new vector are followed."""

MOST_QUESTIONS: Final = 60
"""Of one label."""

MOST_ROUNDS: Final = 60
"""So many times each label is gone through."""


def leave_out_points(raw: RawProgram, tests: Set[str], failing: Set[str]) -> bool:
    """Leave out arms for points that no run takes; False if one that fails cannot be."""
    function = raw.functions[raw.entry]
    others = [one for name, one in raw.functions.items() if name != raw.entry]
    inside = [one.body for block in bodies(function) for one in functions(block)]
    apart = [*inside, *(body_of(block) for one in others for block in one.blocks.values())]
    if any(_mentions(block, failing) for body in apart for block in blocks(body)):
        return False
    try:
        taken = _Following(function, tests, failing).taken()
    except NotFollowed:
        return False
    for block in function.blocks.values():
        block.body = _pruned(body_of(block), tests, taken)
    return True


def _mentions(block: il.Block, names: Set[str]) -> bool:
    return any(type(one) is il.Let and one.name in names for one in block.bindings)


Taken = Set[tuple[int, bool]]
"""The arms that are taken: of which conditional, by identity, and which of the two."""


def _pruned(block: il.Block, tests: Set[str], taken: Taken) -> il.Block:
    """A block without arms that are not taken."""
    tail = block.tail
    bindings = [
        replace(one, conts=tuple(replace(c, body=_pruned(c.body, tests, taken)) for c in one.conts))
        if type(one) is il.Conts
        else one
        for one in block.bindings
    ]
    if type(tail) is not il.If:
        return il.Block(tuple(bindings), tail)
    ways = [way for way in (True, False) if (id(tail), way) in taken]
    if type(tail.test) is il.Var and tail.test.name in tests and len(ways) == 1:
        rest = _pruned(tail.then if ways[0] else tail.otherwise, tests, taken)
        return il.Block((*bindings, *rest.bindings), rest.tail)
    arms = [_pruned(arm, tests, taken) for arm in (tail.then, tail.otherwise)]
    return il.Block(tuple(bindings), replace(tail, then=arms[0], otherwise=arms[1]))


class _Following:
    """Goes through the labels of a procedure."""

    def __init__(self, function: RawFunction, tests: Set[str], failing: Set[str]) -> None:
        self._function = function
        self._tests, self._failing = tests, failing
        self._labels = {name: FollowedLabel(block) for name, block in function.blocks.items()}
        self._free = Free()
        self._once = set(outside_loops(function))
        self._vectors = vectors_made_once(function)
        self._indices = indices_of(function, self._vectors)
        self._current = function.entry
        self._ends: dict[tuple[object, ...], OpenQuestion] = {}
        self._written: Written = {}
        self._seen: set[tuple[object, ...]] = set()
        self._work: dict[str, None] = {}
        self._taken: set[tuple[int, bool]] = set()
        self._is_weaker = False
        self._is_last = False
        self._is_unknown = False
        """Whether nothing is known of what is asked for."""

    def taken(self) -> Taken:
        """The arms of conditionals that are taken, when nothing is new any more."""
        entry = self._labels[self._function.entry]
        entry.shape = LabelShape()
        left = MOST_ROUNDS * len(self._labels)
        self._is_weaker = True
        while self._is_weaker:  # what was found of what is not so any more must not last
            self._is_weaker = False
            for label in self._labels.values():
                label.ends, label.written = {}, {}
                label.changes.clear()
            self._work = {name: None for name, one in self._labels.items() if one.shape is not None}
            while self._work:
                left -= 1
                if left < 0:
                    raise NotFollowed
                name = next(reversed(self._work))
                del self._work[name]
                self._go_through(name)
        self._is_last, self._is_unknown = True, False
        for name, label in self._labels.items():
            if label.shape is not None:
                self._go_through(name)
        if entry.ends or self._work or self._is_weaker or self._is_unknown:
            raise NotFollowed
        return self._taken

    def _go_through(self, name: str) -> None:
        """A label, with what is known of those that it jumps to."""
        label = self._labels[name]
        self._current, self._ends, self._written, self._seen = name, {}, {}, set()
        self._block(body_of(label.block), self._beginning(label))
        for key, now in self._written.items():
            self._written[key] = label.widened(key, now)
        if self._ends.keys() != label.ends.keys() or self._written != label.written:
            label.ends, label.written = self._ends, self._written
            self._work.update(dict.fromkeys(sorted(label.jumping)))

    def _beginning(self, label: FollowedLabel) -> KnownHere:
        """What is known where a label begins."""
        shape = label.shape or LabelShape()
        variables: dict[str, Followed] = {}
        for name in label.block.parameters:
            base, offset = shape.sums.get(name, ("", 0))
            if name in shape.constants:
                variables[name] = Relative(None, shape.constants[name])
            elif base:
                variables[name] = moved(variables[base], offset)
            else:
                variables[name] = shape.held.get(name) or Relative(name, 0)
        elements: dict[Place, Followed] = {}
        for vector, name, offset in sorted(shape.near):
            place = moved(variables[name], offset)
            assert place is not None
            elements[vector, *place] = Relative(symbol_near(vector, name, offset), 0)
        return KnownHere(variables, elements)

    # -- code ------------------------------------------------------------------------------------

    def _block(self, block: il.Block, state: KnownHere) -> None:
        conts: dict[str, il.Cont] = {}
        for binding in block.bindings:
            if type(binding) is il.Let:
                self._let(binding, state)
            elif type(binding) is il.Conts:
                conts.update((cont.name, cont) for cont in binding.conts)
        tail = block.tail
        if type(tail) is il.If:
            self._if(tail, state)
        elif tail.cont in conts:
            cont = conts[tail.cont]
            state.variables.update(dict.fromkeys(cont.parameters))
            self._block(cont.body, state)
        elif type(tail) is il.Jump and tail.cont in self._labels:
            self._jump(self._labels[tail.cont], tail, state)

    def _if(self, tail: il.If, state: KnownHere) -> None:
        name = getattr(tail.test, "name", "")
        asked = state.variables.get(name)
        ways: tuple[bool, ...] = (True, False)
        if name in self._tests:
            if type(asked) is not PointTest or type(asked.value) is not Relative:
                self._is_unknown = True
                return
            if asked.value.base is not None:
                self._end(tail, state)
                return
            ways = (asked.value.offset == asked.point,)
        for way in ways:
            if self._is_last:
                self._taken.add((id(tail), way))
            self._block(tail.then if way else tail.otherwise, state.copy())

    def _end(self, question: il.If, state: KnownHere) -> None:
        """Who has jumped here has to answer."""
        needed = self._free.variables(question.then) | self._free.variables(question.otherwise)
        needed |= {getattr(question.test, "name", "")}
        kept: dict[str, Followed] = {
            n: v for n, v in state.variables.items() if n in needed and v is not None
        }
        first = self._beginning(self._labels[self._current]).elements
        same = {
            place: known for place, known in first.items() if state.elements.get(place) == known
        }
        end = OpenQuestion(question, KnownHere(kept, same))
        self._ends[id(question), *end.state.key()] = end
        if len(self._ends) > MOST_QUESTIONS:
            raise NotFollowed

    def _let(self, let: il.Let, state: KnownHere) -> None:
        if let.name in self._failing and self._is_last:
            raise NotFollowed
        values = [self._value(atom, state) for atom in let.arguments]
        found: Followed = None
        if let.name in self._tests:
            found = point_test(values)
        elif let.op in ("make-vector", "vector"):
            found = self._made(let, values, state)
        elif let.op == "lift":
            found = values[0]
        elif let.op in ("+", "-"):
            found = sum_of(let.op, values)
        elif let.op == "vector-ref":
            vector, index = values
            if type(vector) is MadeOnce and type(index) is Relative:
                found = state.elements.get((vector.name, *index))
        elif let.op == "vector-set!":
            self._store(let, values, state)
        state.variables[let.name] = found

    def _made(self, let: il.Let, values: Sequence[Followed], state: KnownHere) -> Followed:
        """A new vector, of which the first elements are known if all are the same number."""
        if let.name not in self._vectors:
            return None
        if let.op == "make-vector" and len(values) == 2 and type(values[1]) is Relative:
            size = values[0].offset if type(values[0]) is Relative and not values[0].base else 0
            state.elements.update(((let.name, None, n), values[1]) for n in range(min(size, FIRST)))
        return MadeOnce(let.name)

    def _value(self, atom: il.Atom, state: KnownHere) -> Followed:
        if type(atom) is il.Var:
            return state.variables.get(atom.name)
        if type(atom) is il.Const and type(atom.value) is int:
            return Relative(None, atom.value)
        return None

    def _store(self, let: il.Let, values: Sequence[Followed], state: KnownHere) -> None:
        name = getattr(let.arguments[0], "name", "")
        vector, index, value = values
        if name not in self._vectors:
            return
        if type(vector) is not MadeOnce:
            raise NotFollowed  # one of several
        base, offset = index if type(index) is Relative else (ANYWHERE, 0)
        self._write(vector.name, base, offset, offset)
        state.elements = {
            place: known
            for place, known in state.elements.items()
            if place[0] != vector.name or (place[1] == base and place[2] != offset)
        }
        if base != ANYWHERE and type(value) is Relative:
            state.elements[vector.name, base, offset] = value

    def _write(self, vector: str, base: str | None, least: float, most: float) -> None:
        """Something is written between two offsets."""
        found = self._written.get((vector, base))
        if found is not None:
            least, most = min(least, found[0]), max(most, found[1])
        self._written[vector, base] = least, most

    # -- jumps -----------------------------------------------------------------------------------

    def _jump(self, label: FollowedLabel, jump: il.Jump, state: KnownHere) -> None:
        values = dict(
            zip(
                label.block.parameters,
                (self._value(atom, state) for atom in jump.arguments),
                strict=True,
            )
        )
        label.jumping.add(self._current)
        if self._arrive(label, values, state.elements):
            self._work[label.block.label] = None
            self._is_weaker = True
        meaning = self._meaning(label, values, state.elements)
        after = self._kept(label.written, meaning, state.elements)
        for end in label.ends.values():
            variables = {n: meant(v, meaning) for n, v in end.state.variables.items()}
            elements = dict(after)
            for (vector, base, offset), known in end.state.elements.items():
                place = meant(Relative(base, offset), meaning)
                value = meant(known, meaning)
                if type(place) is Relative and value is not None:
                    elements[vector, *place] = value
            found = KnownHere(variables, elements)
            key = id(end.question), *found.key()
            if key not in self._seen:
                self._seen.add(key)
                self._if(end.question, found)

    def _arrive(
        self,
        label: FollowedLabel,
        values: Mapping[str, Followed],
        elements: Mapping[Place, Followed],
    ) -> bool:
        """What is known where a label begins is what all know who jump to it; whether that is less
        now."""
        now = LabelShape(
            dict(sums_of([(n, values[n]) for n in label.block.parameters if n in self._indices])),
            dict(constants_of(values)) if label.block.label in self._once else {},
            {name: value for name, value in values.items() if type(value) is MadeOnce},
            set(near_to(self._indices, values, elements)),
        )
        before, label.shape = label.shape, now if label.shape is None else label.shape.with_(now)
        return label.shape != before

    def _meaning(
        self,
        label: FollowedLabel,
        values: Mapping[str, Followed],
        elements: Mapping[Place, Followed],
    ) -> dict[str, Followed]:
        """What a label's symbols are for who jumps to it."""
        found: dict[str, Followed] = dict(values)
        assert label.shape is not None
        for vector, name, offset in label.shape.near:
            index = values[name]
            known = (
                elements.get((vector, *index.moved(offset))) if type(index) is Relative else None
            )
            found[symbol_near(vector, name, offset)] = known
        return found

    def _kept(
        self, written: Written, meaning: Mapping[str, Followed], elements: Mapping[Place, Followed]
    ) -> dict[Place, Followed]:
        """The elements that stay what they were where a label may write."""
        kept = dict(elements)
        for (vector, base), (least, most) in written.items():
            zero = None if base == ANYWHERE else meant(Relative(base, 0), meaning)
            own, by = zero if type(zero) is Relative else (ANYWHERE, 0)
            self._write(vector, own, least + by, most + by)
            kept = {
                one: known
                for one, known in kept.items()
                if one[0] != vector or (one[1] == own and not least <= one[2] - by <= most)
            }
        return kept
