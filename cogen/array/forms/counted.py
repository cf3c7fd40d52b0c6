"""Which residual loops are counted, and how often they go round.

    (conts (l (i s) ... (if (< i n) (... (jump l i+1 s')) exit))) (jump l 0 s0)      n rounds

A loop is counted if it leaves at its head only, by comparing with something that does not change a
variable that takes steps of one constant size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cogen.array.forms.regions import Regions
from lang import il
from lang.prims import PRIMITIVES

Definition = il.Let | il.Call | None
"""What a variable is: an operation's result, a call's, or something else."""

_MIRROR: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "="}
_OPPOSITE: Final = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "=": "/=", "/=": "="}
_ZERO: Final = {"zero?": "=", "positive?": ">", "negative?": "<"}


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """It goes round while `parameter + offset` relates so to `bound`; each time `parameter` grows
    by `step`.  `tail` is the conditional, `stay` the arm that goes round."""

    parameter: str
    step: int
    offset: int
    relation: str
    bound: il.Atom
    tail: il.If
    stay: il.Block
    leave: il.Block
    unchanged: frozenset[str]
    """Parameters that keep their values."""
    definitions: dict[str, Definition]
    """What the variables of the loop's code are."""


def counted(cont: il.Cont, regions: Regions, end: str) -> Counted | None:
    """How a loop in a region that ends in `end` is counted, None if it is not."""
    definitions: dict[str, Definition] = {}
    passed: dict[str, list[il.Atom]] = {x: [] for x in cont.parameters}
    for block in regions.code_between(cont.body, cont.name, end):
        _note(block, definitions, regions)
        leap = block.tail
        if isinstance(leap, il.Jump) and leap.cont == cont.name:
            for x, atom in zip(cont.parameters, leap.arguments, strict=True):
                passed[x].append(atom)
        elif isinstance(leap, il.Call) and leap.cont == cont.name:
            for x in cont.parameters:
                passed[x].append(il.Prim(""))
    unchanged = frozenset(x for x, atoms in passed.items() if all(a == il.Var(x) for a in atoms))
    tail = _head(cont, regions)
    if tail is None:
        return None
    stays = [arm for arm in (tail.then, tail.otherwise) if regions.leads_to(arm, cont.name, end)]
    if len(stays) != 1:
        return None
    stay = stays[0]
    leave = tail.otherwise if stay is tail.then else tail.then
    if _leaves_inside(stay, cont.name, regions, end):
        return None
    test = _Test(cont, definitions, unchanged)
    compared = test.comparison(tail.test, stay is tail.then)
    if compared is None:
        return None
    relation, parameter, offset, bound = compared
    step = test.step(parameter, passed[parameter])
    if not step or not _ends(relation, step):
        return None
    return Counted(
        parameter, step, offset, relation, bound, tail, stay, leave, unchanged, definitions
    )


def _ends(relation: str, step: int) -> bool:
    """Whether steps of that size lead to the end, one by one."""
    if relation == "/=":
        return abs(step) == 1
    return relation in (("<", "<=") if step > 0 else (">", ">="))


def _note(block: il.Block, definitions: dict[str, Definition], regions: Regions) -> None:
    for binding in block.bindings:
        if isinstance(binding, il.Let):
            definitions[binding.name] = binding
        elif isinstance(binding, il.Fix):
            definitions.update(dict.fromkeys([f.name for f in binding.functions]))
        else:
            for cont in binding.conts:
                for x in cont.parameters:
                    definitions.setdefault(x, None)
    if isinstance(block.tail, il.Call):
        target = regions.conts.get(block.tail.cont)
        if target is not None and len(target.parameters) == 1:
            definitions[target.parameters[0]] = block.tail


def _head(cont: il.Cont, regions: Regions) -> il.If | None:
    """The conditional that straight code from the loop's start leads to."""
    block = cont.body
    seen = {cont.name}
    while not isinstance(block.tail, il.If):
        name = block.tail.cont
        if name in seen or name not in regions.conts:
            return None
        seen.add(name)
        block = regions.conts[name].body
    return block.tail


def _leaves_inside(stay: il.Block, name: str, regions: Regions, end: str) -> bool:
    """Whether a path of the arm that goes round leaves the loop."""
    work = [stay]
    seen = {name}
    while work:
        for exit in regions.exits(work.pop()):
            if exit == name:
                continue
            if exit not in regions.conts or name not in regions.reach(exit, end):
                return True
            if exit not in seen:
                seen.add(exit)
                work.append(regions.conts[exit].body)
    return False


class _Test:
    """Reads the test of a loop."""

    def __init__(
        self, cont: il.Cont, definitions: dict[str, Definition], unchanged: frozenset[str]
    ) -> None:
        self.parameters = frozenset(cont.parameters)
        self.definitions = definitions
        self.unchanged = unchanged

    def fixed(self, atom: il.Atom) -> bool:
        """Whether an atom has one value in all rounds."""
        work, seen = [atom], set()
        while work:
            atom = work.pop()
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
            if definition is None:
                return False
            if isinstance(definition, il.Call):
                if not isinstance(definition.function, il.Global):
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
        found = self.definitions.get(atom.name) if isinstance(atom, il.Var) else None
        return found if isinstance(found, il.Let) else None

    def _with_offset(self, atom: il.Atom) -> tuple[str, int] | None:
        """`(parameter, offset)` of an atom that is a changing parameter and a constant."""
        offset = 0
        while isinstance(atom, il.Var):
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

    def step(self, parameter: str, passed: list[il.Atom]) -> int | None:
        """By how much a parameter grows each time, None if not always by the same constant."""
        found = [self._with_offset(atom) for atom in passed]
        steps = {None if step is None or step[0] != parameter else step[1] for step in found}
        return steps.pop() if len(steps) == 1 else None
