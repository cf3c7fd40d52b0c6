"""Operations that split a path: an arm for each thing that their operand may be.

* `set-base`: one for each remainder (seed 004);
* `%reveal`: one for each variant of a family of boxes (`versions.families`); `%reveal-among` has
  one more for what is none;
* `%one-of`: one for each point that has been kept (`versions.points`), and one that fails.

All are memo points, so that what comes back with the same static state finds the same arms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import gcd
from typing import Any, Final

from cogen.lang import il
from cogen.lang.errors import CogenError
from cogen.lang.ilutil import base_name
from cogen.specializer.execution.engine import Control, Engine
from cogen.specializer.paths.failures import end_failing, end_with_message
from cogen.specializer.paths.operation_site import OperationSite
from cogen.specializer.paths.path import Path
from cogen.specializer.paths.segment import Segment
from cogen.specializer.rules.arith import as_multiple, constant, view
from cogen.specializer.values.domain import (
    Cell,
    Cyclic,
    Dynamic,
    Environment,
    PartialRecord,
    Ref,
    Static,
    Test,
    Value,
)
from cogen.specializer.versions.families import Variant, kinds_in

Rest = tuple[il.Block, int]
"""A block, and from which of its bindings on it is the rest behind the operation."""


def set_base(
    engine: Engine, path: Path, let: il.Let, values: tuple[Value, ...], control: Control
) -> bool:
    """`(set-base x n)`; False if the path split into an arm for each remainder."""
    code, start, environment, activation = control
    x, base = values[0], constant(values[1])
    if base is None or base < 1:
        raise CogenError(
            "set-base: the base must be a positive integer that is known",
            let.span,
            hint="give it a constant, or a parameter that is static",
        )
    if type(x) is Static:
        environment[let.name] = x
        return True
    if type(x) is Dynamic and x.type == "any":
        # what follows relies on an integer; anything else fails here, as in a run
        x = path.emit("+", (x, Static(0)), OperationSite(let.span, base_name(x.name)))
        x = Dynamic(x.name, "int")
    seen = view(x)
    if seen is None:
        environment[let.name] = path.emit("set-base", values, OperationSite(let.span))
        return True
    b, r, q = seen
    if b % base == 0 and b > 1:
        factor = b // base
        if factor > 1:
            q = path.emit("*", (Static(factor), q), OperationSite(let.span, base_name(q.name)))
        environment[let.name] = Cyclic(base, r, q)
        return True
    if base == 1:
        environment[let.name] = x
        return True
    multiple = as_multiple(path, x, base, let.span)
    if multiple is not None:
        environment[let.name] = multiple
        return True
    path.settle()
    names = engine.parts.analyses.live_after(code, start - 1, let.name)
    roots = [(base_name(let.name), x), *((base_name(n), environment[n]) for n in names)]

    def resume(path: Path, values: list[Any]) -> None:
        known = dict(zip(names, values[1:], strict=True))
        _dispatch(engine, path, let, base, values[0], (code, start, known, path.block.activation))

    engine.parts.points.memo_point(path, ("set-base", let), roots, resume, activation, let.span)
    return False


def _dispatch(
    engine: Engine, path: Path, let: il.Let, base: int, x: Value, control: Control
) -> None:
    """One arm for each remainder that x can have modulo the base."""
    code, start, environment, activation = control
    rule = path.context.rule
    hint = base_name(let.name)
    span = None if let.span is None else let.span.part_of("set-base")
    remainder = rule("floor-remainder")(path, (x, Static(base)), OperationSite(span, hint + "r"))
    quotient = path.dynamic(
        rule("floor-quotient")(path, (x, Static(base)), OperationSite(span, hint + "q"))
    )
    quotient = Dynamic(quotient.name, "int")
    seen = view(x)
    assert seen is not None
    step = gcd(seen[0], base)
    cases = list(range(seen[1] % step, base, step))
    context = path.context
    context.limits.count_arms(path.block, len(cases), let.span, context.warnings)
    arms: list[tuple[Path, Environment]] = []

    def is_case(path: Path, case: int) -> Dynamic:
        return path.emit("=", (remainder, Static(case)), OperationSite(let.span, "test"))

    for case, arm in zip(cases, _arms(path, let, cases, is_case), strict=True):
        arms.append((arm, {**environment, let.name: Cyclic(base, case, quotient)}))
    for arm, arm_environment in reversed(arms):
        engine.work.append((arm, (code, start, arm_environment, activation)))


def _arms(
    path: Path, let: il.Let, cases: Sequence[int], test: Callable[[Path, int], Dynamic]
) -> Iterator[Path]:
    """A path for each case, one after the other: what passes no test is the last."""
    for case in cases[:-1]:
        then, otherwise = Segment(), Segment()
        path.segment.tail = (path.atom(test(path, case)), then, otherwise, let.span)
        arm, rest = path.fork(then), path.fork(otherwise)
        arm.arms = (*path.arms, (id(let), case))
        rest.arms = (*path.arms, (id(let), -1 - case))
        yield arm
        path = rest
    yield path


def reveal(
    engine: Engine, path: Path, let: il.Let, values: tuple[Value, ...], control: Control
) -> bool:
    """What is in a box is known from here on (`versions.families`); False if the path split
    into an arm for each variant of the family."""
    code, start, environment, _ = control
    if type(values[0]) is not Dynamic:
        environment[let.name] = values[0]
        return True
    box = path.facts.boxes.get(values[0].name)
    if box is not None:
        environment[let.name] = box
        return True
    family: Any = values[1].datum  # type: ignore[union-attr]
    if (values[0].name, family) in path.facts.others:
        environment[let.name] = values[0]
        return True
    asked = [value.datum for value in values[1:]]  # type: ignore[union-attr]

    def split(path: Path, x: Value, known: Environment) -> None:
        _Opening(engine, let, asked, known, (code, start)).open(path, x)

    _split_later(engine, path, ("reveal", let), values[0], control, split)
    return False


def _split_later(
    engine: Engine,
    path: Path,
    point: tuple[str, il.Let],
    x: Value,
    control: Control,
    split: Callable[[Path, Value, Environment], None],
) -> None:
    """Go on in a block of its own, where `split` has a value and what is known behind it."""
    code, start, environment, activation = control
    let = point[1]
    path.settle()
    names = engine.parts.analyses.live_after(code, start - 1, let.name)
    roots: list[tuple[str, Any]] = [(base_name(let.name), x)]
    for name in names:  # a test that waits would go round, a test of tests in the end
        value = environment[name]
        computed = path.dynamic(value) if type(value) is Test else value
        roots.append((base_name(name), computed))

    def resume(path: Path, values: list[Any]) -> None:
        split(path, values[0], dict(zip(names, values[1:], strict=True)))

    engine.parts.points.memo_point(path, point, roots, resume, activation, let.span)


def one_of(
    engine: Engine, path: Path, let: il.Let, values: tuple[Value, ...], control: Control
) -> bool:
    """Which point something is, is known from here on (`versions.points`); False if the path split
    into an arm for each that has been kept."""
    code, start, environment, _ = control
    if type(values[0]) is not Dynamic:
        environment[let.name] = values[0]
        return True
    path.context.demand.ask(path, values[0])

    def split(path: Path, x: Value, known: Environment) -> None:
        _choose(engine, path, let, x, (code, start, known, path.block.activation))

    _split_later(engine, path, ("one-of", let), values[0], control, split)
    return False


def _choose(engine: Engine, path: Path, let: il.Let, x: Value, control: Control) -> None:
    """One arm for each point, and one for what is none."""
    code, start, environment, activation = control
    if type(x) is not Dynamic:
        engine.work.append((path, (code, start, {**environment, let.name: x}, activation)))
        return
    points = path.context.points
    cases = points.kept(path.block)
    arms: list[tuple[Path, Environment]] = []

    def is_case(path: Path, case: int) -> Dynamic:
        test = path.emit("eqv?", (x, Static(cases[case])), OperationSite(let.span, "test"))
        points.tests.add(test.name)
        return test

    paths = list(_arms(path, let, range(len(cases) + 1), is_case))
    for case, arm in zip(cases, paths, strict=False):
        arms.append((arm, _told(arm, x, Static(case), {**environment, let.name: x})))
    points.failing.add(end_with_message(paths[-1], "no such place", let.span))
    for arm, known in reversed(arms):
        engine.work.append((arm, (code, start, known, activation)))


def _told(path: Path, x: Dynamic, value: Static, environment: Environment) -> Environment:
    """What a variable is, is known wherever it is: in variables that are assigned, too."""
    for number, content in list(path.store.items()):
        if type(content) is Cell and any(_is_same(item, x) for item in content.items):
            for index, item in enumerate(content.items):
                if _is_same(item, x):
                    path.assign(Ref(number), index, value)
    return {n: value if _is_same(v, x) else v for n, v in environment.items()}


def _is_same(value: object, x: Dynamic) -> bool:
    return type(value) is Dynamic and value.name == x.name


@dataclass(frozen=True, slots=True)
class _Opening:
    """A place that looks into a box, and what is known there."""

    engine: Engine
    let: il.Let
    asked: Sequence[Any]
    """The family; and if there may be others, the field that is read, or -1."""
    environment: Environment
    rest: Rest

    def open(self, path: Path, x: Value) -> None:
        """One arm for each variant of the family that has been made, and one for what is none of
        them if there may be others."""
        among = len(self.asked) > 1
        variants = self._variants(path, x)
        if type(x) is not Dynamic or not variants:
            if among and type(x) is Dynamic:
                self._pass(path, x)
            else:
                self._go_on(path, x)
            return
        arms: list[tuple[Path, PartialRecord]] = []

        def is_variant(path: Path, number: int) -> Dynamic:
            kind = Static(variants[number].type)
            return path.emit("record-is?", (kind, x), OperationSite(self.let.span, "test"))

        paths = _arms(path, self.let, range(len(variants) + among), is_variant)
        for variant, arm in zip_longest(variants, paths):
            if variant is None:
                self._pass(arm, x)
            else:
                arms.append((arm, self._box(arm, variant, x)))
        for arm, box in reversed(arms):
            self._go_on(arm, box)

    def _variants(self, path: Path, x: Value) -> list[Variant]:
        """The variants that something may be."""
        families = path.context.families
        among = path.facts.variants.get(x.name) if type(x) is Dynamic else None
        if among is None:
            return families.variants(self.asked[0], path.block)
        return [v for v in families.made(self.asked[0]) if v.type in among]

    def _box(self, arm: Path, variant: Variant, x: Dynamic) -> PartialRecord:
        """What is known of a box of a variant."""
        site = OperationSite(self.let.span)
        fields = [
            arm.emit("record-ref", (Static(variant.type), Static(k), x), site.named(name))
            for k, name in enumerate(variant.type.fields)
        ]
        for part, fixed in zip(fields, variant.fixed, strict=True):
            arm.facts.parts[part.name] = fixed
        arm.facts.variants.update(variant.told_of(x.name))
        for number, boxes in arm.context.families.held(arm.block, variant):
            arm.facts.variants[fields[number].name] = boxes
        for number in variant.held:
            arm.context.held.put(arm, number)
        box = PartialRecord(self.asked[0], (variant.made_of(fields),))
        arm.lifted[id(box)] = (box, il.Var(x.name))
        arm.facts.boxes[x.name] = box
        return box

    def _pass(self, path: Path, x: Dynamic) -> None:
        """What is asked about is no box: it is not what is asked for, and reading a field fails.
        If boxes open, it is no list or no vector (`advice.unlooked`)."""
        family, field = self.asked
        path.facts.others.add((x.name, family))
        if family.opens:
            path.facts.kinds[x.name] = path.kinds_of(x) & ~kinds_in(family)
        if field < 0:
            self._go_on(path, x)
        else:
            operands = Static(family.holds), Static(field), x
            end_failing(path, "record-ref", operands, self.let.span)

    def _go_on(self, path: Path, value: Value) -> None:
        """Carry on after the place with what is known now."""
        code, start = self.rest
        known = {**self.environment, self.let.name: value}
        self.engine.work.append((path, (code, start, known, path.block.activation)))


SPLIT_BY: Final[dict[str, Callable[..., bool]]] = {
    "set-base": set_base,
    "%reveal": reveal,
    "%reveal-among": reveal,
    "%one-of": one_of,
}
"""What carries out the operations; each tells whether the path goes on."""
