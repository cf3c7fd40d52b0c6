"""Structured code -> the accesses that tests before them prove to lie inside of their buffers.

    if (0 <= from && to <= words) {
        i = from
        while (to - i >= 16) { … buf[i] … buf[i + 15] … i = i + 16 or i + 256 }
    }

needs no check of an index: `to - i >= 16` and `to <= words` say that i + 15 < words, and i only
grows.  Loops that are left early, or whose steps differ, are not counted (`bounds`), so a check
before them cannot serve for all rounds; what their tests say does.

A fact says how far apart two variables are: low <= high + distance, where one may be the constant
0.  What follows from several facts is a shortest path (Bodik, Gupta, Sarkar 2000, "ABCD:
eliminating array bounds checks on demand").  A variable that is assigned again has versions, so
a fact holds as long as it is known; a loop's variables have others in each round, of which only
those before the loop are known, and that they grow or shrink.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count, permutations
from typing import Final, NamedTuple

from cogen.backends.ctree.values import OPPOSITE
from cogen.backends.kernel import structured as st
from cogen.backends.kernel.bounds import ACCESSES, TESTS, LinearSum, linear
from cogen.backends.kernel.types import INT, MEMORY, Types
from cogen.interval import EVERYTHING, Interval, within
from cogen.lang import il
from cogen.lang.prims import CHOOSING

MOST_FACTS: Final = 48
"""How many facts are kept, the latest: enough for what a few nested loops test."""

VERSION: Final = "\0"
"""Stands between a variable's name and its version."""

ZERO: Final = ""
"""Stands for the constant 0 in facts."""

LESS: Final = {"<": 1, "<=": 0, "==": 0}
"""Operators that say a + distance <= b."""
MORE: Final = {">": 1, ">=": 0, "==": 0}


class _Fact(NamedTuple):
    """low <= high + distance."""

    low: str
    high: str
    distance: int


@dataclass(frozen=True, slots=True)
class _Here:
    """What is known at a place: facts, the latest last, and which versions variables have."""

    facts: tuple[_Fact, ...] = ()
    versions: Mapping[str, int] | None = None

    def version(self, name: str) -> int:
        return (self.versions or {}).get(name, 0)

    def named(self, name: str) -> str:
        """What a variable that is assigned again is called in forms."""
        return f"{name}{VERSION}{self.version(name)}"


def proven(
    procedure: st.KernelProcedure, types: Types, bounds: Mapping[str, Interval], most: int
) -> set[st.Op]:
    """The loads and stores of a procedure that need no check.

    `bounds` are the intervals of variables that are assigned again, `most` the greatest number of
    words that a buffer has.
    """
    if not any(isinstance(s, st.Op) and s.op in ACCESSES for s in st.walk(procedure.body)):
        return set()
    sizes = tuple(
        fact
        for name in procedure.parameters
        if types.variables.get(name) == MEMORY
        for fact in (_Fact(ZERO, _words(name), 0), _Fact(_words(name), ZERO, most))
    )
    always = _Here(sizes)
    walk = _RangeWalk(procedure, types, bounds, always)
    walk.body(procedure.body, always)
    return walk.safe


class _RangeWalk:
    """One walk over a procedure; `safe` is what it finds."""

    def __init__(
        self,
        procedure: st.KernelProcedure,
        types: Types,
        bounds: Mapping[str, Interval],
        always: _Here,
    ) -> None:
        self.types = types
        self.bounds = bounds
        self.always = always
        self.jumps = Counter(_gotos(procedure.body))
        """How often labels are gone to."""
        self.came: dict[str, list[_Here]] = {}
        """What is known where they are gone to from, of the part that has been walked over."""
        self.safe: set[st.Op] = set()
        self.moved = _moved(procedure.body)
        self.definitions = {s.name: s for s in st.walk(procedure.body) if isinstance(s, st.Op)}
        self.forms: dict[str, LinearSum] = {}
        """What variables, or versions of them, are in terms of others."""
        self.tests: dict[str, tuple[str, LinearSum, LinearSum]] = {}
        self.negated: dict[str, str] = {}
        self.numbers = count(1)

    # What an atom is

    def form(self, atom: il.Atom, here: _Here) -> LinearSum:
        if isinstance(atom, il.Const) and type(atom.value) is int:
            return LinearSum(atom.value)
        if not isinstance(atom, il.Var):
            return LinearSum(0, ((f"{VERSION}? {next(self.numbers)}", 1),))
        name = atom.name
        if name in self.moved:
            name = here.named(name)
        return self.forms.get(name) or LinearSum(0, ((name, 1),))

    def of_words(self, buffer: il.Atom) -> LinearSum | None:
        """The number of words of a parameter; literals are checked by intervals."""
        if isinstance(buffer, il.Var) and buffer.name not in self.moved:
            return LinearSum(0, ((_words(buffer.name), 1),))
        return None

    def interval(self, name: str, here: _Here) -> Interval:
        """The bounds of a variable, which is meant by its name in forms."""
        low, high = self.bounds.get(name.partition(VERSION)[0], EVERYTHING)
        up, down = self.least(name, ZERO, here), self.least(ZERO, name, here)
        return (
            low if down is None else max(low, -down),
            high if up is None else min(high, up),
        )

    def range(self, form: LinearSum, here: _Here) -> Interval:
        low = high = form.constant
        for name, factor in form.terms:
            ends = [factor * end for end in self.interval(name, here)]
            low, high = low + min(ends), high + max(ends)
        return low, high

    def least(self, low: str, high: str, here: _Here) -> int | None:
        """The least known distance with low <= high + distance."""
        found = {low: 0}
        for _ in range(len(here.facts)):
            changed = False
            for fact in here.facts:
                start = found.get(fact.low)
                if start is None:
                    continue
                distance = start + fact.distance
                if distance < found.get(fact.high, distance + 1):
                    found[fact.high] = distance
                    changed = True
            if not changed:
                break
        return found.get(high)

    # Facts

    def knowing(self, here: _Here, low: LinearSum, high: LinearSum, apart: int) -> _Here:
        """With low + apart <= high."""
        made = _difference(low.plus(high, -1).plus(LinearSum(apart)))
        if made is None or made in here.facts:
            return here
        return _Here((*here.facts, made)[-MOST_FACTS:], here.versions)

    def learn(self, test: il.Atom, holds: bool, here: _Here) -> _Here:
        """What follows from a test's answer."""
        if not isinstance(test, il.Var):
            return here
        if test.name in self.negated:
            return self.learn(il.Var(self.negated[test.name]), not holds, here)
        if test.name not in self.tests:
            return here
        operator, a, b = self.tests[test.name]
        if not holds:
            operator = OPPOSITE[operator]
        if operator in LESS:
            here = self.knowing(here, a, b, LESS[operator])
        if operator in MORE:
            here = self.knowing(here, b, a, MORE[operator])
        return here

    # The walk

    def body(self, body: st.Body, here: _Here) -> _Here | None:
        """What is known behind a body; None if control does not get there."""
        at: _Here | None = here
        for statement in body:
            if isinstance(statement, st.Mark):
                at = self.mark(statement, body, here, at)
            elif at is not None:
                at = self.statement(statement, at)
        return at

    def mark(
        self, mark: st.Mark, body: st.Body, start: _Here, before: _Here | None
    ) -> _Here | None:
        """What is known at a label: what is known wherever control comes from.  If it comes from
        below too, what is known at the start of the body, if that is the only way into it."""
        came = self.came.get(mark.label, [])
        if len(came) == self.jumps[mark.label]:
            return self.joined(came if before is None else [before, *came])
        inside = _gotos(body).count(mark.label) == self.jumps[mark.label]
        return self.renewed(start if inside else self.always, sorted(self.moved))

    def joined(self, ways: list[_Here]) -> _Here | None:
        """What is known where several ways meet."""
        if len(ways) < 2:
            return ways[0] if ways else None
        first, *others = ways
        facts = [set(other.facts) for other in others]
        both = _Here(tuple(f for f in first.facts if all(f in o for o in facts)), first.versions)
        names = {name for way in ways for name in way.versions or {}}
        differ = [n for n in sorted(names) if len({way.version(n) for way in ways}) > 1]
        met = self.renewed(both, differ)
        for name in differ:  # what is the same on all ways is the same behind them
            forms = {self.forms.get(way.named(name)) for way in ways}
            form = forms.pop()
            if form is not None and not forms:
                self.forms[met.named(name)] = form
        return met

    def statement(self, statement: st.Statement, here: _Here) -> _Here | None:
        """What is known behind a statement that control comes to."""
        match statement:
            case st.Op():
                return self.operation(statement, here)
            case st.Move(pairs):
                forms = [(name, self.form(atom, here)) for name, atom in pairs]
                here = self.renewed(here, [name for name, _ in pairs])
                for name, form in forms:
                    self.forms[here.named(name)] = form
                return here
            case st.Branch():
                return self.branch(statement, here)
            case st.KernelLoop():
                moved = sorted(_moved(statement.body))
                inside = self.renewed(here, moved)
                if not self.is_entered(statement):
                    inside = self.walking(statement, here, inside)
                self.body(statement.body, inside)
                return self.renewed(here, moved) if st.falls([statement]) else None
            case st.KernelCall():
                return here
            case st.Goto(label):
                self.came.setdefault(label, []).append(here)
        return None

    def is_entered(self, loop: st.KernelLoop) -> bool:
        """Whether control may come into the loop other than through its head."""
        inside = _gotos(loop.body)
        return any(
            inside.count(s.label) != self.jumps[s.label]
            for s in st.walk(loop.body)
            if isinstance(s, st.Mark)
        )

    def renewed(self, here: _Here, names: list[str]) -> _Here:
        """With new versions of variables."""
        versions = dict(here.versions or {})
        versions.update((name, next(self.numbers)) for name in names)
        return _Here(here.facts, versions)

    def walking(self, loop: st.KernelLoop, before: _Here, inside: _Here) -> _Here:
        """With what is known of variables that only grow, or only shrink, in a loop."""
        moves: dict[str, list[il.Atom]] = {}
        for statement in st.walk(loop.body):
            if isinstance(statement, st.Move):
                for name, atom in statement.pairs:
                    moves.setdefault(name, []).append(atom)
        inside = self.paired(loop, before, inside)
        for name in loop.parameters:
            steps = [
                linear(atom, self.definitions).plus(LinearSum(0, ((name, 1),)), -1)
                for atom in moves.get(name, ())
            ]
            if not steps or any(step.terms for step in steps):
                continue
            first, now = self.form(il.Var(name), before), self.form(il.Var(name), inside)
            if all(step.constant >= 0 for step in steps):
                inside = self.knowing(inside, first, now, 0)
            if all(step.constant <= 0 for step in steps):
                inside = self.knowing(inside, now, first, 0)
        return inside

    def paired(self, loop: st.KernelLoop, before: _Here, here: _Here) -> _Here:
        """With the forms of variables whose sum, or difference, with another stays as it was: what
        is left to do beside what is done."""
        moves = [dict(s.pairs) for s in st.walk(loop.body) if isinstance(s, st.Move)]
        inside = {name for s in st.walk(loop.body) for name in st.assigned(s)}
        for name, other in permutations(loop.parameters, 2):
            rounds = [(move.get(name), move.get(other)) for move in moves]
            rounds = [pair for pair in rounds if pair != (None, None)]
            if not rounds or self.form(il.Var(name), here).terms != ((here.named(name), 1),):
                continue
            for factor in (1, -1):
                stays = self.sum_of(rounds, factor, inside)
                if stays is None:
                    continue
                a, b = (self.form(il.Var(each), before) for each in (name, other))
                first = a.plus(b, factor)
                now = LinearSum(stays.constant)
                for part, times in stays.terms:
                    now = now.plus(self.form(il.Var(part), before), times)
                form = first.plus(self.form(il.Var(other), here), -factor)
                if now == first and within(self.range(form, here), EVERYTHING):
                    self.forms[here.named(name)] = form
                    break
        return here

    def sum_of(
        self, rounds: list[tuple[il.Atom | None, il.Atom | None]], factor: int, inside: set[str]
    ) -> LinearSum | None:
        """The sum, or difference, that two variables have after each move, if it is always the
        same, and of what the loop does not change."""
        sums = set()
        for a, b in rounds:
            if a is None or b is None:
                return None
            sums.add(linear(a, self.definitions).plus(linear(b, self.definitions), factor))
        (first, *others) = sums
        if others or any(name in inside or not name for name, _ in first.terms):
            return None
        return first

    def branch(self, branch: st.Branch, here: _Here) -> _Here | None:
        then = self.body(branch.then, self.learn(branch.test, True, here))
        otherwise = self.body(branch.otherwise, self.learn(branch.test, False, here))
        return self.joined([way for way in (then, otherwise) if way is not None])

    def operation(self, operation: st.Op, here: _Here) -> _Here:
        name, arguments = operation.name, operation.arguments
        if operation.op in ACCESSES:
            if self.lies_inside(operation, here):
                self.safe.add(operation)
            return here
        match operation.op:
            case "buffer-words":
                words = self.of_words(arguments[0])
                if words is not None:
                    self.forms[name] = words
            case "+" | "-" if self.integral(operation):
                a, b = (self.form(atom, here) for atom in arguments)
                form = a.plus(b, 1 if operation.op == "+" else -1)
                low, high = self.range(form, here)
                if EVERYTHING[0] <= low and high <= EVERYTHING[1]:
                    self.forms[name] = form
            case op if op in CHOOSING and self.integral(operation):
                made = LinearSum(0, ((name, 1),))
                for atom in arguments:
                    pair = (made, self.form(atom, here))
                    low_form, high_form = pair if CHOOSING[op] == "<=" else pair[::-1]
                    here = self.knowing(here, low_form, high_form, 0)
            case "not":
                if isinstance(arguments[0], il.Var):
                    self.negated[name] = arguments[0].name
            case op if op in TESTS and self.integral(operation):
                operands = arguments if len(arguments) == 2 else (*arguments, il.Const(0))
                a, b = (self.form(atom, here) for atom in operands)
                self.tests[name] = TESTS[op], a, b
        return here

    def integral(self, operation: st.Op) -> bool:
        return len(operation.arguments) <= 2 and all(
            self.types.of(atom) == INT for atom in operation.arguments
        )

    def lies_inside(self, access: st.Op, here: _Here) -> bool:
        words = self.of_words(access.arguments[0])
        if words is None:
            return False
        index = self.form(access.arguments[1], here)
        if self.range(index, here)[0] < 0:
            return False
        ((size, _),) = words.terms
        for name, factor in index.terms or ((ZERO, 1),):
            if factor != 1:
                continue
            distance = self.least(name, size, here)
            others = LinearSum(index.constant, tuple(t for t in index.terms if t[0] != name))
            if distance is not None and distance + self.range(others, here)[1] < 0:
                return True
        return False


def _gotos(body: st.Body) -> list[str]:
    """The labels that are gone to."""
    return [statement.label for statement in st.walk(body) if isinstance(statement, st.Goto)]


def _words(buffer: str) -> str:
    """What stands for the number of a buffer's words."""
    return f"{VERSION}words {buffer}"


def _moved(body: st.Body) -> set[str]:
    return {
        name
        for statement in st.walk(body)
        if isinstance(statement, st.Move)
        for name, _ in statement.pairs
    }


def _difference(form: LinearSum) -> _Fact | None:
    """The fact that form <= 0."""
    up = [name for name, factor in form.terms if factor == 1]
    down = [name for name, factor in form.terms if factor == -1]
    if len(up) > 1 or len(down) > 1 or len(up) + len(down) != len(form.terms) or not form.terms:
        return None
    return _Fact(up[0] if up else ZERO, down[0] if down else ZERO, -form.constant)
