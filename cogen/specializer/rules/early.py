"""Rules of what programs ask and tell the specializer: early tests, claims, the cache's setting.

The early tests give a static answer that is right whenever it is yes: `early=` in `data`, here
`early-different?`, its negative companion (seed 004 needs one and has none), and `known?`.  Laws:

    b*q + r and c*p + s differ  if q is p, b = c and r, s differ
                                or if r and s differ modulo the greatest common divisor of b and c
    buffers differ              if their types say so (`alias`)

`assume-disjoint` gives its buffers names and types of their own.  `init-cache`, `cache-lines`,
`cache-carries?` and `make-barrier-cell` are the specializer's side of `barriers`.
"""

from __future__ import annotations

from math import gcd

from cogen.lang.datum import UNSPECIFIED
from cogen.lang.errors import CogenError, LimitationError
from cogen.lang.prims import PRIMITIVES
from cogen.lang.primtable.words import CARRY
from cogen.specializer.paths.operation_site import OperationSite
from cogen.specializer.paths.path import Path
from cogen.specializer.rules.arith import constant, view
from cogen.specializer.rules.equality import same
from cogen.specializer.rules.rule import Rule, known
from cogen.specializer.values import domain
from cogen.specializer.values.alias import MEMORY, buffers_differ, claimed, facts
from cogen.specializer.values.value_facts import type_of
from cogen.specializer.versions.cells import Barrier


def _early_different(
    path: Path, values: tuple[domain.Value, ...], site: OperationSite
) -> domain.Value:
    return domain.Static(_differ(path, *values))


def _differ(path: Path, a: domain.Value, b: domain.Value) -> bool:
    x, y = view(a), view(b)
    if x is None:
        x, y, a, b = y, x, b, a
    k = constant(b)
    if x is not None and y is not None:
        if x[0] == y[0] and x[2].name == y[2].name:
            return x[1] != y[1]
        return (x[1] - y[1]) % gcd(x[0], y[0]) != 0
    if x is not None and k is not None:
        return (k - x[1]) % x[0] != 0
    first, second = type_of(a), type_of(b)
    if facts(first) is not None and facts(second) is not None:
        return buffers_differ(first, second)
    return same(path, a, b, deep=False) is False


def _is_known(path: Path, values: tuple[domain.Value, ...], site: OperationSite) -> domain.Value:
    value = values[0]
    return domain.Static(
        type(value) is domain.Static
        or (type(value) is domain.PartialPair and value.ground is not None)
    )


def _is_known_size(
    path: Path, values: tuple[domain.Value, ...], site: OperationSite
) -> domain.Value:
    value = values[0]
    if type(value) is domain.Ref:
        content = path.content(value)
        return domain.Static(type(content) is domain.Cell and content.kind == "vector")
    return domain.Static(type(value) in (domain.Static, domain.PartialPair, domain.PartialRecord))


def _assume_disjoint(
    path: Path, values: tuple[domain.Value, ...], site: OperationSite
) -> domain.Value:
    types = [type_of(value) for value in values]
    dynamic = all(
        type(value) is domain.Dynamic and facts(type_of(value)) is not None for value in values
    )
    if not dynamic or buffers_differ(*types):
        return domain.Several(values)
    claim = path.context.variables.number()
    sides = []
    for side, (value, kind) in enumerate(zip(values, types, strict=True)):
        copy = path.let("lift", (path.atom(value),), MEMORY, "buffer", site.span)
        sides.append(domain.Dynamic(copy.name, claimed(kind, claim, side)))
    return domain.Several(tuple(sides))


def _init_cache(path: Path, values: tuple[domain.Value, ...], site: OperationSite) -> domain.Value:
    """What it says holds from here on; the barrier before it has emptied the cache."""
    if not known(values):
        raise CogenError(
            "init-cache: what it is given must be known",
            site.span,
            hint="give it constants, or parameters that are static",
        )
    data = [value.datum for value in values]  # type: ignore[union-attr]
    PRIMITIVES["init-cache"].python(*data)
    setting = path.context.barriers.setting
    if setting is not None:
        path.assign(setting, 0, values[0])
        path.assign(setting, 1, domain.Static(len(data) > 1 and data[1] is CARRY))
    return domain.Static(UNSPECIFIED)


def _setting(index: int, off: domain.Static) -> Rule:
    def rule(path: Path, values: tuple[domain.Value, ...], site: OperationSite) -> domain.Value:
        setting = path.context.barriers.setting
        if setting is None or path.context.mutations.handlers:
            return off
        return path.store[setting.number].items[index]  # type: ignore[no-any-return]

    return rule


def _make_barrier_cell(
    path: Path, values: tuple[domain.Value, ...], site: OperationSite
) -> domain.Value:
    content, *procedures = values
    if path.block.point != ("top-level",):
        raise LimitationError("make-barrier-cell is for definitions of the top level", site.span)
    closures = [value for value in procedures if type(value) is domain.Closure]
    if type(content) is not domain.Static or len(closures) < len(procedures):
        raise CogenError(
            "make-barrier-cell: expected a constant and procedures of the program", site.span
        )
    passing = closures[1] if len(closures) > 1 else None
    ref = path.allocate("cell", (content,))
    path.context.barriers.add(Barrier(ref, content, closures[0], passing, site.span))
    return ref


RULES: dict[str, Rule] = {
    "early-different?": _early_different,
    "known?": _is_known,
    "known-size?": _is_known_size,
    "assume-disjoint": _assume_disjoint,
    "init-cache": _init_cache,
    "cache-lines": _setting(0, domain.Static(0)),
    "cache-carries?": _setting(1, domain.Static(False)),
    "make-barrier-cell": _make_barrier_cell,
}
