"""Counted loops: how often a loop goes round, and where its memory accesses walk.

A loop is counted when its only exit is a test at its head of a variable that moves by a
constant step against a bound that does not change.  An access that every round makes, at an
index that moves by a constant step too, is then in bounds in all rounds if it is in the first
and the last: one check before the loop serves for all.  If that check fails, the source
certainly fails with an index error.

    while (q != to) { … buf[q] … q = q + 1 }
        q = to or (0 <= q < to <= words): no check inside, and `q < to` may be the test
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from cogen.backends.ctree.values import OPPOSITE
from cogen.backends.kernel import structured as st
from cogen.lang import il
from cogen.lang.marks import Places, places_of

ACCESSES = frozenset(["load-word", "store-word!"])

MOST = 1 << 32
"""Constants, coefficients and steps of indices that one check is made for: with them, what it
computes in 128 bits cannot overflow."""

TESTS = {"=": "==", "zero?": "==", "<": "<", ">": ">", "<=": "<=", ">=": ">=",
         "positive?": ">", "negative?": "<"}  # fmt: skip
"""The operations that a head may test, with their C operators."""

MIRRORED = {"!=": "!=", "==": "==", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


@dataclass(frozen=True, slots=True)
class LinearSum:
    """constant + sum of coefficient * variable; the terms are sorted by name."""

    constant: int = 0
    terms: tuple[tuple[str, int], ...] = ()

    @property
    def numbers(self) -> tuple[int, ...]:
        """Its constant and its coefficients."""
        return self.constant, *(coefficient for _, coefficient in self.terms)

    def plus(self, other: LinearSum, factor: int = 1) -> LinearSum:
        terms = dict(self.terms)
        for name, coefficient in other.terms:
            terms[name] = terms.get(name, 0) + factor * coefficient
        kept = tuple(sorted((n, c) for n, c in terms.items() if c))
        return LinearSum(self.constant + factor * other.constant, kept)

    def times(self, factor: int) -> LinearSum:
        return LinearSum(0).plus(self, factor)

    def minus(self, other: LinearSum) -> int | None:
        """The difference of the two, if it is known."""
        apart = self.plus(other, -1)
        named = all(name for name, _ in (*self.terms, *other.terms))
        return apart.constant if named and not apart.terms else None

    def step(self, steps: Mapping[str, int]) -> int | None:
        """How much it grows a round; None if one of its variables has no constant step."""
        total = 0
        for name, coefficient in self.terms:
            if name not in steps:
                return None
            total += coefficient * steps[name]
        return total


@dataclass(frozen=True, slots=True)
class Access:
    """A load or store: its index in the first round, and how far it moves in each."""

    operation: st.Op
    index: LinearSum
    step: int

    @property
    def buffer(self) -> il.Atom:
        return self.operation.arguments[0]


@dataclass(slots=True)
class CountingLoop:
    """A loop that goes round while `counter operator bound`; `step` is the counter's.

    `steps` are those of all parameters that move by a constant.  `accesses` are in bounds
    in every round if the check before the loop holds; `safe` are the operations, these and
    others, that need no check of their own then.
    """

    counter: str
    operator: str
    bound: il.Atom
    step: int
    steps: dict[str, int]
    rounds: list[st.Move]
    """The assignments that rounds end with."""
    accesses: list[Access] = field(default_factory=list)
    safe: set[st.Op] = field(default_factory=set)
    places: Places = ()
    """Where the source moves the counter."""


def count(loop: st.KernelLoop, jumped: frozenset[str]) -> CountingLoop | None:
    """How the loop is counted, or None."""
    if not loop.head or loop.label in jumped:
        return None
    rounds = _rounds(loop)
    test = _test(loop)
    if rounds is None or test is None:
        return None
    steps = _steps(loop, rounds)
    definitions = {s.name: s for s in st.walk(loop.body) if isinstance(s, st.Op)}
    inside = set(definitions).union(*map(st.assigned, st.walk(loop.body)))
    operation, stays = test
    for left, right, operator in _sides(operation, stays):
        if not isinstance(left, il.Var) or not steps.get(left.name):
            continue
        if isinstance(right, il.Var) and right.name in inside:
            continue
        moves = [move for move in rounds if move is not None]
        counted = CountingLoop(left.name, operator, right, steps[left.name], steps, moves)
        stepping = [definitions.get(_next(left.name, move)) for move in moves]
        counted.places = places_of(*(step.span for step in stepping if step is not None))
        if _moves_towards(counted):
            _find_accesses(loop, counted, definitions, inside)
            return counted
    return None


def _moves_towards(counted: CountingLoop) -> bool:
    if counted.operator in ("<", "<="):
        return counted.step > 0
    if counted.operator in (">", ">="):
        return counted.step < 0
    return counted.operator == "!="


def _test(loop: st.KernelLoop) -> tuple[st.Op, bool] | None:
    """The operation tested at the head, and whether the loop stays when it is true."""
    for position, statement in enumerate(loop.body):
        if isinstance(statement, st.Branch):
            name = statement.test.name if isinstance(statement.test, il.Var) else None
            for operation in loop.body[:position]:
                if isinstance(operation, st.Op) and operation.name == name:
                    return (operation, not statement.then) if operation.op in TESTS else None
            return None
    return None


def _sides(operation: st.Op, stays: bool) -> Iterator[tuple[il.Atom, il.Atom, str]]:
    """The test as (counter, bound, operator that keeps the loop going), both ways round."""
    operator = TESTS[operation.op] if stays else OPPOSITE[TESTS[operation.op]]
    left = operation.arguments[0]
    right = operation.arguments[1] if len(operation.arguments) == 2 else il.Const(0)
    yield left, right, operator
    yield right, left, MIRRORED[operator]


# Steps


def _rounds(loop: st.KernelLoop) -> list[st.Move | None] | None:
    """The assignments that each way through the body ends with; None if one leaves the loop."""
    rounds: list[st.Move | None] = []
    head = next(i for i, s in enumerate(loop.body) if isinstance(s, st.Branch))
    return rounds if _collect_rounds(loop.body[head + 1 :], rounds, last=True) else None


def _steps(loop: st.KernelLoop, rounds: list[st.Move | None]) -> dict[str, int]:
    """The parameters that move by the same constant in every round, with it."""
    definitions = {s.name: s for s in st.walk(loop.body) if isinstance(s, st.Op)}
    steps: dict[str, int] = {}
    for parameter in loop.parameters:
        found = {_step(parameter, move, definitions) for move in rounds}
        if len(found) == 1 and None not in found:
            (step,) = found
            steps[parameter] = step or 0
    return steps


def _collect_rounds(body: st.Body, rounds: list[st.Move | None], last: bool) -> bool:
    """The assignments with which rounds end; False if the body leaves the loop.

    `last` tells that falling off the body's end ends the round.
    """
    if last and not body:
        rounds.append(None)
    for position, statement in enumerate(body):
        final = last and position == len(body) - 1
        match statement:
            case (
                st.Leave()
                | st.Goto()
                | st.KernelResult()
                | st.Finish()
                | st.KernelFailure()
                | st.Mark()
            ):
                return False
            case st.Again():
                before = body[position - 1] if position else None
                rounds.append(before if isinstance(before, st.Move) else None)
            case st.Branch(then=then, otherwise=otherwise):
                if not all(_collect_rounds(arm, rounds, final) for arm in (then, otherwise)):
                    return False
            case st.KernelLoop() if not _stays_inside(statement):
                return False
            case _ if final:
                rounds.append(statement if isinstance(statement, st.Move) else None)
    return True


def _stays_inside(loop: st.KernelLoop) -> bool:
    """Whether an inner loop can only be left by falling out of it."""
    return not any(
        isinstance(s, st.Goto | st.KernelResult | st.Finish | st.KernelFailure | st.Mark)
        for s in st.walk(loop.body)
    )


def _step(parameter: str, move: st.Move | None, definitions: Mapping[str, st.Op]) -> int | None:
    """How far one round moves a parameter, None if that is no constant."""
    atom = dict(move.pairs).get(parameter) if move is not None else None
    if atom is None:
        return 0
    moved = linear(atom, definitions).plus(LinearSum(0, ((parameter, 1),)), -1)
    return moved.constant if not moved.terms else None


def _next(parameter: str, move: st.Move) -> str:
    """The variable whose value a parameter gets; empty if it is none."""
    atom = dict(move.pairs).get(parameter)
    return atom.name if isinstance(atom, il.Var) else ""


def linear(atom: il.Atom, definitions: Mapping[str, st.Op]) -> LinearSum:
    """An atom in terms of variables that `definitions` does not define (or not linearly)."""
    if isinstance(atom, il.Const) and type(atom.value) is int:
        return LinearSum(atom.value)
    if not isinstance(atom, il.Var):
        return LinearSum(0, (("", 1),))
    operation = definitions.get(atom.name)
    if operation is None:
        return LinearSum(0, ((atom.name, 1),))
    arguments = operation.arguments
    match operation.op:
        case "+" | "-":
            sign = 1 if operation.op == "+" else -1
            return linear(arguments[0], definitions).plus(linear(arguments[1], definitions), sign)
        case "*":
            for factor, other in (arguments, arguments[::-1]):
                if isinstance(factor, il.Const) and type(factor.value) is int:
                    return linear(other, definitions).times(factor.value)
        case "arithmetic-shift":
            count = arguments[1]
            if isinstance(count, il.Const) and 0 <= count.value < 63:
                return linear(arguments[0], definitions).times(1 << count.value)
    return LinearSum(0, ((atom.name, 1),))


# Accesses


def _find_accesses(
    loop: st.KernelLoop, counted: CountingLoop, definitions: Mapping[str, st.Op], inside: set[str]
) -> None:
    """Fill in what the check before the loop covers."""
    steps = dict(counted.steps)
    after_head = False

    def fixed(name: str) -> bool:
        return name not in inside

    for statement in loop.body:
        if isinstance(statement, st.Branch) and not after_head:
            after_head = True
            continue
        if after_head and isinstance(statement, st.Op) and statement.op in ACCESSES:
            access = _access(statement, definitions, steps, fixed)
            if access is not None:
                counted.accesses.append(access)
    if counted.operator == "!=" and not any(access.step for access in counted.accesses):
        counted.accesses.clear()  # nothing tells that the loop ends
        return
    counted.safe.update(access.operation for access in counted.accesses)
    for statement in st.walk(loop.body):
        if isinstance(statement, st.Op) and statement.op in ACCESSES:
            access = _access(statement, definitions, steps, fixed)
            if access is not None and _is_covered(access, counted.accesses):
                counted.safe.add(statement)


def _access(
    operation: st.Op,
    definitions: Mapping[str, st.Op],
    steps: Mapping[str, int],
    fixed: Callable[[str], bool],
) -> Access | None:
    buffer = operation.arguments[0]
    if isinstance(buffer, il.Var) and not fixed(buffer.name):
        return None
    index = linear(operation.arguments[1], definitions)
    known = {name: steps.get(name, 0) for name, _ in index.terms if name in steps or fixed(name)}
    step = index.step(known) if all(name for name, _ in index.terms) else None
    if step is None or any(abs(number) > MOST for number in (step, *index.numbers)):
        return None
    return Access(operation, index, step)


def _is_covered(access: Access, checked: list[Access]) -> bool:
    """Whether an access lies between two checked ones of the same buffer and direction."""
    offsets = [
        other.index.constant
        for other in checked
        if other.buffer == access.buffer
        and other.index.terms == access.index.terms
        and isinstance(access.buffer, il.Var)
    ]
    return bool(offsets) and min(offsets) <= access.index.constant <= max(offsets)
