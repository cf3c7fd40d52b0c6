"""functions -> functions: sequential loops end where nothing changes any more.

    for i from 0 to n                           for i from 0 to n
        c = x < 9                                   c = x < 9
        y = if c then x + x else x                  y = if c then x + x else x
        x = y                             ->        more = c
                                                    x = y
                                                    unless more: leave the loop

Where the iterations do not look at their index, and a test does not hold once on which all depends
that they change, all later ones are alike: each gives what it gets. So what an iteration changes
must be a variable that keeps its value, or elements that are stored, where one of the tests says
so; in memory of its own it may store anything. L0 cannot say that a loop is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from cogen.array.l0.while_loops import WHILE
from cogen.array.loops import tree, treewalk
from cogen.array.loops.copying import UntakenNames
from cogen.array.loops.expressions import negated
from cogen.array.loops.functions import FUNCTIONS
from cogen.array.loops.regions import elements_copied
from cogen.array.loops.tree import BLOCK, BOOL, Binary, Block, Const, Expr, Kernel, Statement, Var
from cogen.lang.errors import LimitationError, Span

INTO: Final = ("copy", "move", "clear")
"""Functions that store where their first argument points to."""

Test = tuple[Expr, bool]
"""A test, and whether something may change where it holds, or where it does not."""


Part = TypeVar("Part", tree.Function, Kernel)


def settle(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The functions with their loops left early."""
    names = UntakenNames(parts)
    return tuple([replace(part, body=_block(part.body, names, True)) for part in parts])


def settle_whiles(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The functions with the loops left early that nothing else ends (`l0.while_loops`)."""
    names = UntakenNames(parts)
    return tuple([replace(part, body=_block(part.body, names, False)) for part in parts])


def _block(block: Block, names: UntakenNames, every: bool) -> Block:
    return tuple([_statement(statement, names, every) for statement in block])


def _statement(statement: Statement, names: UntakenNames, every: bool) -> Statement:
    inner = [_block(own, names, every) for own in treewalk.blocks(statement)]
    made = treewalk.with_blocks(statement, inner)
    if not isinstance(made, tree.For) or not isinstance(statement, tree.For):
        return made
    endless = _is_while(made)
    if not (every or endless) or _leaves(statement.body):
        return made
    tests = tests_of(statement) if made.mark is None else None
    if tests:
        return _left(made, tests, names)
    if endless:
        raise LimitationError(
            "a loop that goes on while a test holds cannot be compiled here",
            place_in(statement),
            hint="bound it: for i in range(limit), and break",
        )
    return made


def place_in(loop: tree.For) -> Span | None:
    """Where in the source a loop stands, or the first of its statements that stands somewhere."""
    places = [s.place for s in (loop, *treewalk.all_statements(loop.body))]
    return next((place for place in places if place is not None), None)


def _is_while(loop: tree.For) -> bool:
    return isinstance(loop.stop, Const) and loop.stop.value == WHILE


def _left(loop: tree.For, tests: Sequence[Test], names: UntakenNames) -> tree.For:
    found: Expr | None = None
    for test, holds in tests:
        own = test if holds else negated(test)
        found = own if found is None else Binary("|", found, own)
    assert found is not None
    more = names.fresh("more", BOOL)
    at = _first_change(loop.body)
    leave = tree.IfStatement(negated(more), (tree.Break(),))
    return replace(loop, body=(*loop.body[:at], tree.Let(more, found), *loop.body[at:], leave))


def _own(block: Block) -> set[Var]:
    """What statements declare, and those within them."""
    return {v for s in treewalk.all_statements(block) for v in treewalk.declared(s)}


def _first_change(body: Block) -> int:
    """Where the first variable is assigned that iterations hand on."""
    own = _own(body)
    changes = [isinstance(s, tree.Assign) and s.variable not in own for s in body]
    return changes.index(True) if True in changes else len(body)


def tests_of(loop: tree.For) -> list[Test] | None:
    """Tests of which one holds where an iteration may change anything; None if there are none."""
    if loop.index.name in treewalk.mentioned(loop.body) or _leaves(loop.body):
        return None
    body = _LoopBody(loop.body)
    at = _first_change(loop.body)
    found: dict[Test, None] = {}
    for statement in loop.body[at:]:
        match statement:
            case tree.Assign(variable, value, "") if variable not in body.own:
                test = body.changes(variable, value)
                if test is None:
                    return None
                found.update(dict.fromkeys(test))
            case tree.Assign() | tree.Variable() | tree.Do(tree.Invoke("drop")):
                pass
            case _:
                return None
    if not all(body.is_harmless(s, found) for s in loop.body[:at]):
        return None
    return list(found) if all(body.is_steady(test) for test, _ in found) else None


@dataclass(slots=True)
class _LoopBody:
    """The body of a loop, and what its variables are."""

    body: Block
    own: set[Var] = field(init=False)
    values: dict[Var, Expr] = field(init=False)
    """What variables have that are assigned once, when they are declared."""
    branches: dict[Var, tree.IfStatement] = field(init=False)
    """The conditionals that assign variables, in both branches."""
    copies: dict[Var, Var] = field(init=False)
    """Pointers to memory that is new, and what all of it is copied from."""

    def __post_init__(self) -> None:
        self.own = _own(self.body)
        inner = [*treewalk.all_statements(self.body)]
        assigned = {s.variable for s in inner if isinstance(s, tree.Assign)}
        self.values = {}
        for s in inner:
            match s:
                case tree.Let(variable, e) | tree.Variable(variable, e) if e is not None:
                    if variable not in assigned:
                        self.values[variable] = e
        self.branches = {}
        for s in self.body:
            if isinstance(s, tree.IfStatement):
                for variable in _assigned(s.then).keys() & _assigned(s.otherwise).keys():
                    self.branches[variable] = s
        self.copies = dict(_whole_copies(self.body, self.values))

    def changes(self, variable: Var, value: Expr) -> list[Test] | None:
        """The tests of which one holds where a value is not what a variable has; None if it may
        always be another."""
        if isinstance(value, Var) and value in self.copies:
            return self.changes(variable, self.copies[value])
        if variable.type == BLOCK and self._is_of_a_copy(value):
            return []  # its pointer is handed on, too, and asked about
        match value:
            case Var() if value == variable:
                return []
            case tree.Invoke("keep", (kept,)):
                return self.changes(variable, kept)
            case Var() if value in self.values:
                return self.changes(variable, self.values[value])
            case Var() if value in self.branches:
                choice = self.branches[value]
                arms = (_assigned(choice.then)[value], _assigned(choice.otherwise)[value])
                return self._chosen(variable, choice.test, *arms)
            case tree.Choose(test, then, otherwise):
                return self._chosen(variable, test, then, otherwise)
        return None

    def _is_of_a_copy(self, region: Expr) -> bool:
        """Whether a region is what a copy fills, and its pointer is handed on."""
        handed = {s.value for s in self.body if isinstance(s, tree.Assign)}
        return any(
            to in handed
            and isinstance(data := self.values[to], tree.Data)
            and data.region == region
            for to in self.copies
        )

    def _chosen(self, variable: Var, test: Expr, then: Expr, other: Expr) -> list[Test] | None:
        stays, else_stays = (
            self.changes(variable, e) == [] or (test == variable and e == Const(holds, BOOL))
            for e, holds in ((then, True), (other, False))
        )
        if stays and else_stays:
            return []
        if else_stays:
            return [(test, True)]
        return [(test, False)] if stays else None

    def is_steady(self, test: Expr) -> bool:
        """Whether a test has one value until iterations hand something on."""
        at = _first_change(self.body)
        before = {s.variable.name for s in treewalk.all_statements(self.body[:at])
                  if isinstance(s, tree.Assign)}  # fmt: skip
        return isinstance(test, Var | tree.Const) and not treewalk.names(test) & before

    def is_harmless(self, statement: Statement, tests: Mapping[Test, None]) -> bool:
        """Whether a statement changes nothing for other iterations where no test holds."""
        match statement:
            case tree.IfStatement(test, then, otherwise):
                arms = [] if (test, True) in tests else [then]
                arms += [] if (test, False) in tests else [otherwise]
                return self._are_harmless(arms, tests)
            case tree.Let() | tree.Variable() | tree.Room() | tree.Allocate():
                return not any(map(_has_other_effect, treewalk.expressions(statement)))
            case tree.Assign(variable):
                return variable in self.own
            case tree.Store(base):
                return self._is_own(base)
            case tree.Do(tree.Invoke(function, arguments)):
                return function == "drop" or (function in INTO and self._is_own(arguments[0]))
            case tree.For(
                body=(tree.Store(Var() as base, place, tree.Load(source, other), ""),)
            ) if place == other and self._stays(base, source, tests):
                return True
            case tree.For(body=body) | tree.While(body=body):
                return self._are_harmless([body], tests)
            case tree.Break():
                return True
        return False

    def _are_harmless(self, blocks: Sequence[Block], tests: Mapping[Test, None]) -> bool:
        return all(self.is_harmless(s, tests) for block in blocks for s in block)

    def _stays(self, base: Var, source: Expr, tests: Mapping[Test, None]) -> bool:
        """Whether an array is copied to where it is, where no test holds: an array that is carried
        in one place, in a kernel."""
        found = self.changes(base, source)
        return found is not None and all(test in tests for test in found)

    def _is_own(self, base: Expr) -> bool:
        """Whether an address is in memory that the iteration has made."""
        match base:
            case Var() if base in self.values:
                return self._is_own(self.values[base])
            case Binary("+", e, _) | tree.Convert(_, e):
                return self._is_own(e)
            case tree.Data(Var() as region):
                return any(
                    isinstance(s, tree.Allocate) and s.variable == region
                    for s in treewalk.all_statements(self.body)
                )
            case Var():
                rooms = [s for s in treewalk.all_statements(self.body) if isinstance(s, tree.Room)]
                return any(room.variable == base for room in rooms)
        return False


def _whole_copies(body: Block, values: Mapping[Var, Expr]) -> Iterator[tuple[Var, Var]]:
    """Pointers to memory that the statements of a block allocate, and from where all of it is
    copied."""
    made = {s.variable: s for s in body if isinstance(s, tree.Allocate)}
    for to, source, count in filter(None, map(elements_copied, body)):
        match values.get(to):
            case tree.Data(Var() as region) if region in made and made[region].size == count:
                yield to, source


def _assigned(block: Block) -> dict[Var, Expr]:
    """What is assigned last to variables, by the statements of a block themselves."""
    return {s.variable: s.value for s in block if isinstance(s, tree.Assign) and not s.sign}


def _has_other_effect(e: Expr) -> bool:
    """Whether an expression does anything but count references."""
    return any(
        isinstance(x, tree.Invoke) and FUNCTIONS[x.function].effect and x.function != "keep"
        for x in treewalk.within(e)
    )


def _leaves(block: Block) -> bool:
    """Whether statements may leave the loop around them."""
    for statement in block:
        if isinstance(statement, tree.Break):
            return True
        if isinstance(statement, tree.IfStatement) and any(
            map(_leaves, treewalk.blocks(statement))
        ):
            return True
    return False
