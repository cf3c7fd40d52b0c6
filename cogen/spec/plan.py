"""Blocks, made ready for being carried out many times.

What code says of itself is found out once: the rules of operations, which of their operands are
constants, what their results are called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from cogen.lang import il
from cogen.lang.errors import InternalError
from cogen.lang.ilutil import base_name
from cogen.spec import rules
from cogen.spec.domain import Static, Value
from cogen.spec.looking import QUICK
from cogen.spec.pairs import PAIR_OPERATIONS
from cogen.spec.rules.rule import Rule
from cogen.spec.sites import GIVING

LET: Final = 0
"""An operation with a rule."""
ENDS: Final = 1
"""One that never returns."""
SPLITS: Final = 2
"""One after which there may be several paths."""
CLOSES: Final = 3
"""Procedures."""
CONTINUES: Final = 4
"""Continuations."""

SPLITTING: Final = frozenset({"set-base", "%reveal", "%reveal-among"})
"""Operations with an arm for each thing that their operand may be."""

ENDING: Final = frozenset({"error", "raise"})
"""Operations that never return."""


class Step:
    """A binding; of an operation the operands: a name, a `Static` that is shared, or an atom."""

    __slots__ = ("binding", "builds", "hint", "kind", "looks", "of_pairs", "operands", "rule")

    def __init__(self, kind: int, binding: il.Binding) -> None:
        self.kind = kind
        self.binding = binding
        self.operands: tuple[Any, ...] = ()
        self.rule: Rule | None = None
        self.looks: Callable[[Value | None], Value | None] | None = None
        """What the operation says of a known value, if it only looks at one."""
        self.hint = ""
        self.of_pairs = False
        self.builds = False


class Plan:
    """A block: its bindings, and the operands of its jump or call."""

    __slots__ = ("operands", "steps")

    def __init__(self, code: il.Block, rule_of: Callable[[str], Rule]) -> None:
        self.steps = [_step(binding, rule_of) for binding in code.bindings]
        tail = code.tail
        self.operands = () if type(tail) is il.If else operands(tail.arguments)


def _step(binding: il.Binding, rule_of: Callable[[str], Rule]) -> Step:
    if type(binding) is il.Fix:
        return Step(CLOSES, binding)
    if type(binding) is il.Conts:
        return Step(CONTINUES, binding)
    if type(binding) is not il.Let:
        raise InternalError("unknown binding")
    op = binding.op
    kind = SPLITS if op in SPLITTING else ENDS if op in ENDING else LET
    step = Step(kind, binding)
    step.operands = operands(binding.arguments)
    if kind == LET:
        step.rule = rule_of(op)
        if rule_of is rules.rule_of:  # else somebody watches all operations
            step.looks = QUICK.get(op)
    step.hint = base_name(binding.name)
    step.of_pairs = op in PAIR_OPERATIONS
    step.builds = op in GIVING
    return step


def operands(atoms: tuple[il.Atom, ...]) -> tuple[Any, ...]:
    """Atoms as a machine reads them: the name of a variable, the value of a constant that is one
    and the same wherever it is (a number is not: `Frozen.thaw`), else the atom itself."""
    return tuple([_operand(atom) for atom in atoms])


def _operand(atom: il.Atom) -> Any:
    if type(atom) is il.Var:
        return atom.name
    if type(atom) is il.Const and type(atom.value) is not int and type(atom.value) is not float:
        return Static(atom.value)
    return atom
