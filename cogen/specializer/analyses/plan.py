"""Blocks, made ready for being carried out many times.

What code says of itself is found out once: the rules of operations, which of their operands are
constants, their sites, which names procedures and continuations need from where
they are made.

Note [Environments]
    Procedures and continuations have environments of their own, with the names that they need.
    Shared with the code that makes them, environments and what is in them would lead to each other,
    and nothing would be freed before the specialization ends.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from typing import Any, Final

from cogen.lang import il
from cogen.lang.datum import Symbol
from cogen.lang.errors import InternalError
from cogen.lang.ilutil import NEVER_RETURN, base_name
from cogen.lang.prelude import in_prelude
from cogen.specializer.advice.structures import LIFTS
from cogen.specializer.analyses.activations import place_in
from cogen.specializer.analyses.allocation_sites import GIVING
from cogen.specializer.analyses.looking import FALSE, QUICK, TRUE
from cogen.specializer.paths.operation_site import OperationSite
from cogen.specializer.paths.pairs import PAIR_OPERATIONS
from cogen.specializer.programs.liveness import Liveness, Names
from cogen.specializer.rules.rule import Rule
from cogen.specializer.values.domain import Activation, Closure, Environment, Frame, Static, Value
from cogen.specializer.values.overriding import is_override, overriding

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
LOOKS: Final = 5
"""An operation on a variable that only looks at it, if it is known."""
SAME: Final = 6
"""Whether two values are one: mostly names of the program that is known."""

SPLITTING: Final = frozenset({"set-base", "%reveal", "%reveal-among", "%one-of"})
"""Operations with an arm for each thing that their operand may be."""

NO_SITE: Final = OperationSite(None)


class Step:
    """A binding, by its kind: the `name`, the `operands` (a name, a `Static` that is shared, or an
    atom), the `rule` and the `site` of an operation, the `operand` of one that looks at a variable;
    `functions` and `conts` with the names that they need."""

    __slots__ = (
        "binding",
        "builds",
        "conts",
        "functions",
        "index",
        "inside",
        "kind",
        "looks",
        "name",
        "of_pairs",
        "operand",
        "operands",
        "overrides",
        "recurs",
        "rule",
        "site",
    )

    def __init__(self, kind: int, binding: il.Binding, index: int) -> None:
        self.kind = kind
        self.binding = binding
        self.index = index
        self.inside = False
        """Whether it stands in the prelude."""
        self.name = ""
        self.operand = ""
        self.operands: tuple[Any, ...] = ()
        self.rule: Rule | None = None
        self.looks: Callable[[Value | None], Value | None] | None = None
        """What the operation says of a known value, if it only looks at one."""
        self.site = NO_SITE
        self.of_pairs = False
        self.builds = False
        self.overrides = False
        """Whether it makes one procedure, which may take the place of others."""
        self.functions: list[tuple[il.Function, Names]] = []
        self.recurs = False
        """Whether any of the procedures may lead to itself."""
        self.conts: list[tuple[il.Cont, Names]] = []

    def site_in(self, activation: Activation | None) -> OperationSite:
        """The site of the operation when an activation carries it out."""
        site = self.site
        span = place_in(site.span, activation) if self.inside else site.span
        return site if span is site.span else OperationSite(span, site.hint, site.delay)


class Plan:
    """A block, its `code`: its bindings, those of them at its beginning that lift variables, and
    the operands of its tail; the variable that a conditional tests, and the blocks of its arms,
    once they were come to."""

    __slots__ = ("code", "lifts", "operands", "otherwise", "steps", "test", "then")

    def __init__(
        self, code: il.Block, rule_of: Callable[[str], Rule], liveness: Liveness, looks: bool
    ) -> None:
        self.code = code
        self.steps = [
            _step(binding, index, rule_of, liveness, looks)
            for index, binding in enumerate(code.bindings)
        ]
        self.lifts = list(takewhile(_is_lift, self.steps))
        tail = code.tail
        self.test: str | None = None
        self.operands: tuple[Any, ...] = ()
        if type(tail) is not il.If:
            self.operands = operands(tail.arguments)
        elif type(tail.test) is il.Var:
            self.test = tail.test.name
        self.then: Plan | None = None
        self.otherwise: Plan | None = None


def _step(
    binding: il.Binding, index: int, rule_of: Callable[[str], Rule], liveness: Liveness, looks: bool
) -> Step:
    if type(binding) is il.Fix:
        return closing(binding, index, liveness)
    if type(binding) is il.Conts:
        step = Step(CONTINUES, binding, index)
        step.conts = [(cont, liveness.of_cont(cont)) for cont in binding.conts]
        return step
    if type(binding) is not il.Let:
        raise InternalError("unknown binding")
    op = binding.op
    kind = SPLITS if op in SPLITTING else ENDS if op in NEVER_RETURN else LET
    step = Step(kind, binding, index)
    step.name = binding.name
    step.operands = operands(binding.arguments)
    if kind == LET:
        step.rule = rule_of(op)
        if looks:
            _look(step, op)
    step.site = OperationSite(binding.span, base_name(binding.name), delay=True)
    step.inside = in_prelude(binding.span)
    step.of_pairs = op in PAIR_OPERATIONS
    step.builds = op in GIVING
    return step


def closing(binding: il.Fix, index: int, liveness: Liveness) -> Step:
    """The step that makes procedures."""
    step = Step(CLOSES, binding, index)
    step.functions = [(one, liveness.of_function(one)) for one in binding.functions]
    own = {one.name for one in binding.functions}
    step.recurs = any(not own.isdisjoint(names) for _, names in step.functions)
    step.overrides = is_override(binding)
    return step


def _look(step: Step, op: str) -> None:
    """Have an operation only look at what is known."""
    if op in ("eq?", "eqv?", "equal?") and len(step.operands) == 2:
        step.kind = SAME
    elif op in QUICK and type(step.operands[0]) is str:
        step.kind, step.operand, step.looks = LOOKS, step.operands[0], QUICK[op]


def same(a: object, b: object) -> Value | None:
    """Whether two values, or atoms for them, are one; None unless one is a name of the program."""
    if type(a) is not Static or type(b) is not Static:
        return None
    if type(a.datum) is not Symbol and type(b.datum) is not Symbol:
        return None
    return TRUE if a.datum is b.datum else FALSE


def followed(
    plan: Plan,
    environment: Environment,
    activation: Activation | None,
    block: object,
    plan_of: Callable[[il.Block], Plan],
) -> tuple[Plan, int]:
    """From a block on, through those that do nothing but look at what is known: the block with
    something else in it, and at which binding (or its tail, which comes after them)."""
    while True:
        for step in plan.steps:
            kind = step.kind
            if kind == LOOKS:
                assert step.looks is not None
                known = step.looks(environment[step.operand])
            elif kind == SAME:
                first, second = step.operands
                known = same(
                    environment[first] if type(first) is str else first,
                    environment[second] if type(second) is str else second,
                )
            elif kind == CONTINUES:
                proceed(step, environment, activation, block)
                continue
            else:
                return plan, step.index
            if known is None:
                return plan, step.index
            environment[step.name] = known
        if plan.test is None:
            return plan, len(plan.steps)
        value = environment[plan.test]
        if type(value) is not Static:
            return plan, len(plan.steps)
        if value.datum is not False:
            arm = plan.then
            if arm is None:
                arm = plan.then = plan_of(plan.code.tail.then)  # type: ignore[union-attr]
        else:
            arm = plan.otherwise
            if arm is None:
                arm = plan.otherwise = plan_of(plan.code.tail.otherwise)  # type: ignore[union-attr]
        plan = arm


def close(step: Step, environment: Environment) -> list[Environment]:
    """Put procedures into an environment; see Note [Environments].  Gives those of procedures that
    lead to themselves (`versions.cycles`)."""
    made: list[Environment] = []
    for function, _ in step.functions:
        own: Environment = {}
        made.append(own)
        environment[function.name] = Closure(function, own)
    for (_, names), own in zip(step.functions, made, strict=True):
        for name in names:
            own[name] = environment[name]
    if step.overrides:
        ((function, _),) = step.functions
        environment[function.name] = overriding(environment[function.name])
    return made if step.recurs else []


def proceed(
    step: Step, environment: Environment, activation: Activation | None, block: object
) -> None:
    """Put continuations into an environment; see Note [Environments]."""
    made: list[Environment] = []
    for cont, _ in step.conts:
        own: Environment = {}
        made.append(own)
        environment[cont.name] = Frame(cont, own, activation, block)
    for (_, names), own in zip(step.conts, made, strict=True):
        for name in names:
            own[name] = environment[name]


def _is_lift(step: Step) -> bool:
    """Whether a binding lifts a variable."""
    binding = step.binding
    return type(binding) is il.Let and binding.op in LIFTS and type(step.operands[0]) is str


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
