"""Which residual loops are counted, and how often they go round.

    (conts (l (i s) ... (if (< i n) (... (jump l i+1 s')) exit))) (jump l 0 s0)      n rounds

A loop is counted if it leaves at its head only, by comparing with something that does not change a
variable that takes steps of one constant size.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cogen.array.scheme.controlflow import Regions
from cogen.lang import il
from cogen.lang.prims import PRIMITIVES

Definition = il.Let | il.Call | il.Atom | None
"""What a variable is: an operation's result, a call's, what it is a copy of, or something else."""

_MIRROR: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "="}
_OPPOSITE: Final = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "=": "/=", "/=": "="}
_ZERO: Final = {"zero?": "=", "positive?": ">", "negative?": "<"}


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """It goes round while `parameter + offset` relates so to `bound`; each time `parameter` grows
    by `step`.  `tail` is the conditional, `stay` the arm that goes round, `head` the continuations
    between the loop's start and the conditional."""

    parameter: str
    step: int
    offset: int
    relation: str
    bound: il.Atom
    tail: il.If
    stay: il.Block
    leave: il.Block
    head: frozenset[str]
    unchanged: frozenset[str]
    """Parameters that keep their values."""
    definitions: dict[str, Definition]
    """What the variables of the loop's code are."""


def counted(
    cont: il.Cont,
    regions: Regions,
    end: str,
    is_same: Callable[[str, il.Call], bool] = lambda x, call: False,
    changing: Collection[str] = (),
) -> Counted | None:
    """How a loop in a region that ends in `end` is counted, None if it is not.

    What the rounds bind again of what continuations around it take is a parameter, too.  `is_same`
    says whether a parameter starts as what a call in each round gives; `changing` are the
    procedures that change arrays, records or variables.
    """
    rounds = LoopRounds(cont, regions, end, changing)
    unchanged = frozenset(x for x in rounds.parameters if rounds.keeps(x))
    unchanged |= {x for x in rounds.parameters if rounds.is_size(x, unchanged, is_same)}
    found = _head(cont, regions)
    if found is None:
        return None
    tail, head = found
    stays = [
        arm
        for arm in (tail.then, tail.otherwise)
        if any(regions.comes_back(other, cont.name, end) for other in regions.targets(arm))
    ]
    if len(stays) != 1:
        return None
    stay = stays[0]
    leave = tail.otherwise if stay is tail.then else tail.then
    if _leaves_inside(stay, cont.name, regions, end):
        return None
    test = _LoopTestReader(rounds, unchanged)
    compared = test.comparison(tail.test, stay is tail.then)
    if compared is None:
        return None
    relation, parameter, offset, bound = compared
    step = test.step(parameter)
    if not step or not _ends(relation, step):
        return None
    return Counted(
        parameter, step, offset, relation, bound, tail, stay, leave, head, unchanged,
        rounds.definitions,
    )  # fmt: skip


def _ends(relation: str, step: int) -> bool:
    """Whether steps of that size lead to the end, one by one."""
    if relation == "/=":
        return abs(step) == 1
    return relation in (("<", "<=") if step > 0 else (">", ">="))


class LoopRounds:
    """What variables are in the rounds of a loop."""

    def __init__(
        self, cont: il.Cont, regions: Regions, end: str, changing: Collection[str]
    ) -> None:
        self.parameters = frozenset(cont.parameters)
        self.definitions: dict[str, Definition] = {}
        self.changes = False
        """Whether the loop may change an array, a record or a variable."""
        self.passed: dict[str, list[Definition]] = {}
        """What parameters of continuations get, at each jump and return."""
        for block in regions.code_between(cont.body, cont.name, end):
            for binding in block.bindings:
                if isinstance(binding, il.Let):
                    self.definitions[binding.name] = binding
                    self.changes |= PRIMITIVES[binding.op].effect == "write"
                elif isinstance(binding, il.Fix):
                    self.definitions.update(dict.fromkeys([f.name for f in binding.functions]))
            if isinstance(block.tail, il.Call) and changing:
                called = block.tail.function
                self.changes |= not isinstance(called, il.Global) or called.name in changing
            if not isinstance(block.tail, il.If):
                target = regions.conts.get(regions.to(block.tail.cont))
                if target and regions.comes_back(target.name, cont.name, end):
                    self._pass(block.tail, target.parameters)
        again = regions.rebound_in_rounds(cont.name, end)
        self.parameters |= {x for x in again if x in self.passed}
        self.definitions.update(self._copies())

    def _pass(self, tail: il.Jump | il.Call, parameters: Sequence[str]) -> None:
        given: Sequence[Definition] = (None,) * len(parameters)
        if isinstance(tail, il.Jump):
            given = tail.arguments
        elif len(parameters) == 1:
            given = (tail,)
        for x, definition in zip(parameters, given, strict=True):
            self.passed.setdefault(x, []).append(definition)

    def _copies(self) -> dict[str, Definition]:
        """What parameters of inner continuations are, if all jumps and returns give them one thing,
        by whatever way; which they do is assumed until something speaks against it."""
        inner = dict.fromkeys(x for x in self.passed if x not in self.parameters)
        found: dict[str, Definition] = {}
        changed = True
        while changed:
            changed = False
            for x in inner:
                given = [d for d in self._given(x, inner, found) if d != il.Var(x)]
                if not given or (x in found and found[x] is None):
                    continue
                new = given[0] if all(d == given[0] for d in given) else None
                if x not in found or found[x] != new:
                    found[x], changed = new, True
        return found

    def _given(
        self, x: str, inner: Collection[str], found: Mapping[str, Definition]
    ) -> Iterator[Definition]:
        """What a parameter gets, as far as it is known; None for an unknown value."""
        for definition in self.passed[x]:
            if isinstance(definition, il.Var) and definition.name in inner:
                if definition.name in found:
                    source = found[definition.name]
                    yield source if isinstance(source, il.Atom) else definition
            else:
                yield definition

    def is_fixed(self, call: il.Call) -> bool:
        """Whether a call gives the same for the same arguments in all rounds."""
        if not isinstance(call.function, il.Global):
            return False
        return call.function.name == "array-size" or not self.changes

    def keeps(self, x: str) -> bool:
        """Whether a parameter of the loop goes round as it is."""
        given = self.passed.get(x, [])
        return all(isinstance(d, il.Atom) and self.source(d) == il.Var(x) for d in given)

    def is_size(
        self, x: str, unchanged: Collection[str], is_same: Callable[[str, il.Call], bool]
    ) -> bool:
        """Whether a parameter is, in all rounds, the size of an array that the loop does not change
        for another."""
        for given in self.passed.get(x, [None]):
            call = given
            if isinstance(given, il.Atom):
                found = self.source(given)
                call = self.definitions.get(found.name) if isinstance(found, il.Var) else None
            if not isinstance(call, il.Call) or call.function != il.Global("array-size"):
                return False
            array = self.source(call.arguments[0])
            if not isinstance(array, il.Var) or array.name in self.definitions:
                return False
            if array.name in self.parameters and array.name not in unchanged:
                return False
            fixed = il.Call(call.function, (array, *call.arguments[1:]), call.cont, call.span)
            if not is_same(x, fixed):
                return False
        return True

    def source(self, atom: il.Atom) -> il.Atom:
        """What an atom is a copy of, at last."""
        seen: set[str] = set()
        while isinstance(atom, il.Var) and atom.name not in seen:
            seen.add(atom.name)
            found = self.definitions.get(atom.name)
            if not isinstance(found, il.Atom):
                break
            atom = found
        return atom


def _head(cont: il.Cont, regions: Regions) -> tuple[il.If, frozenset[str]] | None:
    """The conditional that straight code from the loop's start leads to, and through what."""
    block = cont.body
    seen = {cont.name}
    while not isinstance(block.tail, il.If):
        name = regions.to(block.tail.cont)
        if name in seen or name not in regions.conts:
            return None
        seen.add(name)
        block = regions.conts[name].body
    return block.tail, frozenset(seen - {cont.name})


def _leaves_inside(stay: il.Block, name: str, regions: Regions, end: str) -> bool:
    """Whether a path of the arm that goes round leaves the loop."""
    work = [stay]
    seen = {name}
    while work:
        for other in regions.targets(work.pop()):
            if not regions.comes_back(other, name, end):
                return True
            if other not in seen:
                seen.add(other)
                work.append(regions.conts[other].body)
    return False


class _LoopTestReader:
    """Reads the test of a loop."""

    def __init__(self, rounds: LoopRounds, unchanged: frozenset[str]) -> None:
        self.rounds = rounds
        self.parameters = rounds.parameters
        self.definitions = rounds.definitions
        self.unchanged = unchanged

    def fixed(self, atom: il.Atom) -> bool:
        """Whether an atom has one value in all rounds."""
        work, seen = [atom], set()
        while work:
            atom = self.rounds.source(work.pop())
            if not isinstance(atom, il.Var) or atom.name in seen:
                continue
            seen.add(atom.name)
            if atom.name in self.parameters:
                if atom.name not in self.unchanged:
                    return False
                continue
            if atom.name not in self.definitions:
                continue  # bound outside of the loop
            definition = self.definitions[atom.name]
            if definition is None or isinstance(definition, il.Atom):
                return False
            if isinstance(definition, il.Call):
                if not self.rounds.is_fixed(definition):
                    return False
            elif PRIMITIVES[definition.op].effect != "pure":
                return False
            work += definition.arguments
        return True

    def comparison(self, test: il.Atom, when: bool) -> tuple[str, str, int, il.Atom] | None:
        """`(relation, parameter, offset, bound)` of the loop that goes on while the test has this
        truth value."""
        definition = self._definition(test)
        while definition is not None and definition.op == "not":
            when = not when
            definition = self._definition(definition.arguments[0])
        if definition is None:
            return None
        op, arguments = definition.op, definition.arguments
        if op in _ZERO and len(arguments) == 1:
            op, arguments = _ZERO[op], (arguments[0], il.Const(0))
        if op not in _MIRROR or len(arguments) != 2:
            return None
        first, second = arguments
        for relation, a, b in ((op, first, second), (_MIRROR[op], second, first)):
            found = self._with_offset(a)
            if found is not None and self.fixed(b):
                return (relation if when else _OPPOSITE[relation]), *found, b
        return None

    def _definition(self, atom: il.Atom) -> il.Let | None:
        atom = self.rounds.source(atom)
        found = self.definitions.get(atom.name) if isinstance(atom, il.Var) else None
        return found if isinstance(found, il.Let) else None

    def _with_offset(self, atom: il.Atom) -> tuple[str, int] | None:
        """`(parameter, offset)` of an atom that is a changing parameter and a constant."""
        offset = 0
        seen: set[str] = set()
        while isinstance(atom := self.rounds.source(atom), il.Var) and atom.name not in seen:
            seen.add(atom.name)
            if atom.name in self.parameters:
                return None if atom.name in self.unchanged else (atom.name, offset)
            definition = self._definition(atom)
            if definition is None or definition.op not in ("+", "-"):
                return None
            a, b = definition.arguments
            if definition.op == "+" and isinstance(a, il.Const):
                a, b = b, a
            if not isinstance(b, il.Const) or type(b.value) is not int:
                return None
            offset += b.value if definition.op == "+" else -b.value
            atom = a
        return None

    def step(self, parameter: str) -> int | None:
        """By how much a parameter grows each time, None if not always by the same constant."""
        given = self.rounds.passed[parameter]
        found = [self._with_offset(d) if isinstance(d, il.Atom) else None for d in given]
        steps = {None if step is None or step[0] != parameter else step[1] for step in found}
        return steps.pop() if len(steps) == 1 else None
