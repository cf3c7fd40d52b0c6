"""Rules of predicates: what kind of thing a value is, and whether two values are the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cogen.kinds import TRUTH
from cogen.lang.datum import NIL, Char, Pair, Symbol, eqv
from cogen.lang.prims import PRIMITIVES
from cogen.specializer.paths.operation_site import OperationSite
from cogen.specializer.paths.path import Path
from cogen.specializer.rules.arith import view
from cogen.specializer.rules.compare import equal
from cogen.specializer.rules.data import owned
from cogen.specializer.rules.rule import Rule, delayed, general
from cogen.specializer.values import domain
from cogen.specializer.values.alias import MEMORY
from cogen.specializer.values.domain import is_true
from cogen.specializer.values.value_facts import datum_of, fits, type_of


def _not(path: Path, values: tuple[domain.Value, ...], site: OperationSite) -> domain.Value:
    truth = is_true(values[0])
    if truth is not None:
        return domain.Static(not truth)
    value = values[0]
    if not site.delay and type(value) is domain.Test:
        return path.emit("not", (path.dynamic(value),), site)
    if type(value) is domain.Test and path.pending is value:
        test = domain.Test("not", values, value.fails, site.span)
        path.pending = test
        return test
    return delayed(path, "not", values, site)


def _kind_predicate(op: str, holds: Callable[[domain.Value, str], bool | None]) -> Rule:
    """A predicate on what kind of thing a value is; `holds` answers None if it cannot tell."""
    otherwise = general(op)

    def rule(path: Path, values: tuple[domain.Value, ...], site: OperationSite) -> domain.Value:
        value = values[0]
        if type(value) is not domain.Static:
            kind = type_of(value)
            if type(value) is domain.Ref:
                cell = path.content(value)
                kind = cell.kind if type(cell) is domain.Cell and type(cell.kind) is str else "any"
                if type(cell) is domain.Cell and type(cell.kind) is not str:
                    kind = "record"
            if kind != "any":
                answer = holds(value, kind)
                if answer is not None:
                    return domain.Static(answer)
        return otherwise(path, values, site)

    return rule


def _is(*types: str) -> Callable[[domain.Value, str], bool | None]:
    return lambda value, kind: kind in types


def _whole(value: domain.Value, kind: str) -> bool | None:
    return None if kind == "float" else kind == "int"


def _equality(op: str) -> Rule:
    def rule(path: Path, values: tuple[domain.Value, ...], site: OperationSite) -> domain.Value:
        a, b = values
        truth = _with_truth(path, a, b)
        if truth is not None:
            value, same = truth
            if same:
                return (
                    path.dynamic(value) if type(value) is domain.Test and not site.delay else value
                )
            return _not(path, (value,), site)
        if view(a) is not None or view(b) is not None:
            if fits(type_of(a), "int") and fits(type_of(b), "int"):
                return equal(path, values, site)
            if type_of(a) != "any" and type_of(b) != "any":
                return domain.Static(False)
        unsure = _unsure(path, a, b, deep=op == "equal?")
        if not unsure:
            return domain.Static(unsure is not None)
        if len(unsure) == 1 and unsure[0] != (a, b):
            return rule(path, unsure[0], site)
        if op == "equal?" and (_is_simple(a) or _is_simple(b)):
            return _equal_to_constant(path, values, site)
        if op == "equal?":
            return path.emit(op, values, site)
        return delayed(path, op, values, site)

    return rule


def _with_truth(path: Path, a: domain.Value, b: domain.Value) -> tuple[domain.Value, bool] | None:
    """What is compared with a truth value, if the answer is that itself (True) or its negation:
    (eq? x #f) is (not x); (eq? x #t) is x, of truth values."""
    if type(b) is not domain.Static:
        a, b = b, a
    if type(b) is not domain.Static or type(b.datum) is not bool or type(a) is domain.Static:
        return None
    if b.datum and path.kinds_of(a) != TRUTH:
        return None
    return a, b.datum


def _hash(path: Path, values: tuple[domain.Value, ...], site: OperationSite) -> domain.Value:
    datum = datum_of(values[0])
    if datum is None:
        return path.emit("equal-hash", values, site)
    return domain.Static(PRIMITIVES["equal-hash"].python(datum))


def _equal_to_constant(
    path: Path, values: tuple[domain.Value, ...], site: OperationSite
) -> domain.Value:
    constant, other = values if _is_simple(values[0]) else reversed(values)
    datum = constant.datum  # type: ignore[union-attr]
    if datum is NIL:
        return _PREDICATES["null?"](path, (other,), site)
    op = "eq?" if type(datum) in (Symbol, bool) else "eqv?"
    return delayed(path, op, values, site)


def _is_simple(value: domain.Value) -> bool:
    """Whether nothing but the value itself is `equal?` to a constant."""
    if type(value) is not domain.Static:
        return False
    kind = type(value.datum)
    return kind is Symbol or kind is int or kind is bool or kind is Char or value.datum is NIL


def same(path: Path, a: domain.Value, b: domain.Value, deep: bool) -> bool | None:
    """Whether two values are `eqv?` (or `equal?`, if deep), None if only a run can tell."""
    unsure = _unsure(path, a, b, deep)
    return False if unsure is None else None if unsure else True


def _unsure(
    path: Path, a: domain.Value, b: domain.Value, deep: bool
) -> list[tuple[domain.Value, domain.Value]] | None:
    """The parts of two values of which only a run can tell whether they are the same, where all
    others are; None if some are not."""
    work = [(a, b)]
    found: list[tuple[domain.Value, domain.Value]] = []
    met: set[tuple[object, object]] = set()
    while work:
        a, b = work.pop()
        if a is b:
            continue
        if type(a) is domain.Ref and type(b) is domain.Ref and a.number == b.number:
            continue
        if type(a) is domain.Dynamic and type(b) is domain.Dynamic and a.name == b.name:
            continue
        if deep:
            parts = _pair_parts(path, a), _pair_parts(path, b)
            if parts[0] is not None and parts[1] is not None:
                couple = _object(a), _object(b)
                if couple in met:
                    continue  # pairs may be circular: what is compared already is no difference
                met.add(couple)
                work.extend(zip(parts[0], parts[1], strict=True))
                continue
        answer = _same_leaf(path, a, b, deep)
        if answer is False:
            return None
        if answer is None:
            found.append((a, b))
    return found


def _object(pair: domain.Value) -> object:
    """What tells a pair from others."""
    if type(pair) is domain.Ref:
        return pair.number
    return id(pair.datum if type(pair) is domain.Static else pair)


def _pair_parts(path: Path, value: domain.Value) -> tuple[domain.Value, domain.Value] | None:
    if type(value) is domain.PartialPair:
        return value.car, value.cdr
    if type(value) is domain.Static and type(value.datum) is Pair:
        return domain.Static(value.datum.car), domain.Static(value.datum.cdr)
    cell = owned(path, value, "pair")
    return (cell.items[0], cell.items[1]) if cell is not None else None


def _same_leaf(path: Path, a: domain.Value, b: domain.Value, deep: bool) -> bool | None:
    if type(a) is domain.Static and type(b) is domain.Static:
        if deep:
            return bool(PRIMITIVES["equal?"].python(a.datum, b.datum))
        return eqv(a.datum, b.datum)
    residual = (domain.Dynamic, domain.Cyclic, domain.Test)
    if isinstance(a, residual) or isinstance(b, residual):
        first, second = type_of(a), type_of(b)
        if {first.partition(":")[0], second.partition(":")[0]} == {MEMORY}:
            return None  # the numbers tell buffers of an entry apart, which may be the same
        if "any" not in (first, second) and first != second:
            return False
        return None
    if _is_residual_ref(path, a) or _is_residual_ref(path, b):
        return None
    if (
        deep
        and type(a) is type(b)
        and isinstance(a, domain.Ref | domain.PartialRecord | domain.Several)
    ):
        return None
    if isinstance(a, domain.Closure) and isinstance(b, domain.Closure) and a.function is b.function:
        return None if path.context.liveness.of_function(a.function) else True
    if isinstance(a, domain.Primitive) and isinstance(b, domain.Primitive):
        return a.name == b.name
    return False


def _is_residual_ref(path: Path, value: domain.Value) -> bool:
    return type(value) is domain.Ref and type(path.content(value)) is domain.Dynamic


def _early_equal(path: Path, values: tuple[domain.Value, ...], site: OperationSite) -> domain.Value:
    """A static test on names (seed 004, early equality): true only if surely equal."""
    a, b = values
    x, y = view(a), view(b)
    if x is not None and y is not None:
        return domain.Static(x[0] == y[0] and x[1] == y[1] and x[2].name == y[2].name)
    return domain.Static(same(path, a, b, deep=False) is True)


_PREDICATES: dict[str, Rule] = {
    "pair?": _kind_predicate("pair?", _is("pair")),
    "null?": _kind_predicate("null?", _is()),
    "vector?": _kind_predicate("vector?", _is("vector")),
    "procedure?": _kind_predicate("procedure?", _is("procedure")),
    "symbol?": _kind_predicate("symbol?", _is("symbol")),
    "string?": _kind_predicate("string?", _is("string")),
    "char?": _kind_predicate("char?", _is("char")),
    "boolean?": _kind_predicate("boolean?", _is("bool")),
    "number?": _kind_predicate("number?", _is("int", "float")),
    "integer?": _kind_predicate("integer?", _whole),
    "exact-integer?": _kind_predicate("exact-integer?", _is("int")),
    "exact?": _kind_predicate("exact?", lambda v, kind: {"int": True, "float": False}.get(kind)),
    "inexact?": _kind_predicate(
        "inexact?", lambda v, kind: {"int": False, "float": True}.get(kind)
    ),
}

KINDS: Final[frozenset[str]] = frozenset(_PREDICATES)
"""The predicates on what kind of thing a value is."""

RULES: dict[str, Rule] = {
    "not": _not,
    "eq?": _equality("eq?"),
    "eqv?": _equality("eqv?"),
    "equal?": _equality("equal?"),
    "equal-hash": _hash,
    "early=": _early_equal,
    **_PREDICATES,
}
