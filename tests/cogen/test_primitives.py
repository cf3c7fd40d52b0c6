"""Each primitive is in each part of the system, or it is said why not; templates are meanings."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogen import primitives
from cogen.array.ir.operations import table
from cogen.array.l0.arithmetic import WIDE
from cogen.array.optimise.intervals import SAME
from cogen.backends.kernel import coperations
from cogen.lang.datum import INT_MAX, INT_MIN, Datum
from cogen.lang.prims import PRIMITIVES, PrimitiveError, PrimitiveRow
from cogen.lang.primtable.row import row
from cogen.primitives import MISSING, cells, missing
from cogen.residual import ResidualParameter
from tests.cogen.native import agree as agree_in_c
from tests.cogen.native import residual
from tests.cogen.nativecode.running import agree

pytestmark = pytest.mark.quick

TEMPLATES = [name for name, row in PRIMITIVES.items() if row.c is not None]
VALUES = {
    "int": (0, 1, -1, 2, 5, -8, 255, 1 << 31, -(1 << 31) - 1, 1 << 62, INT_MAX, INT_MIN),
    "bool": (True, False),
}


def test_no_cell_is_forgotten() -> None:
    assert {name: missing(name) for name in PRIMITIVES if missing(name)} == {}


def test_a_forgotten_cell_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    forgotten = row("twice", "int", "int", lambda x: 2 * x, "x and x.", fails="type overflow")
    monkeypatch.setitem(PRIMITIVES, "twice", forgotten)
    assert missing("twice") == ["kernel C", "arrays"]
    assert cells("twice")["kernel C"] == MISSING


def test_reasons_are_given_only_where_something_is_not_there() -> None:
    for name, primitive in PRIMITIVES.items():
        for part, reason in primitive.without.items():
            assert part in primitives.PARTS
            assert cells(name)[part] == f"none, because {reason}", (name, part)


def test_every_rule_is_of_a_primitive() -> None:
    assert set(coperations.RULES) <= set(PRIMITIVES)


INTEGERS = st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-9, 9)


@pytest.mark.parametrize("name", [name for name, row in PRIMITIVES.items() if row.commutes])
@given(INTEGERS, INTEGERS, st.floats(allow_nan=False), st.booleans())
def test_arguments_may_be_exchanged(name: str, a: int, b: int, x: float, mixed: bool) -> None:
    primitive = PRIMITIVES[name]
    right: Datum = x if mixed and primitive.arguments[1] in ("number", "any") else b
    assert outcome(primitive, a, right) == outcome(primitive, right, a)


INLINED = [primitive for primitive in PRIMITIVES.values() if primitive.inline is not None]


@pytest.mark.parametrize("primitive", INLINED, ids=lambda primitive: primitive.name)
@given(INTEGERS, INTEGERS)
def test_expressions_of_python_are_the_meaning(primitive: PrimitiveRow, a: int, b: int) -> None:
    """Of integers, unless that fails: as every integer operation that gives too much is told."""
    operands = (a, b)[: len(primitive.arguments)]
    made = eval((primitive.inline or "").format(*operands))
    found = outcome(primitive, *operands)
    if isinstance(found, str):
        assert "overflow" in primitive.fails
        assert not INT_MIN <= made <= INT_MAX
    else:
        assert (type(made), made) == (type(found), found)


@pytest.mark.parametrize("name", SAME)
@given(INTEGERS, INTEGERS)
def test_operations_of_arrays_are_the_same_as_primitives(name: str, a: int, b: int) -> None:
    """Where the primitive does not fail: so its interval holds for the operation."""
    operation = table(WIDE)[name]
    operands = (a, b)[: len(operation.operands)]
    found = outcome(PRIMITIVES[SAME[name]], *operands)
    if isinstance(found, int):
        assert operation.meaning(*operands) == found


def test_the_operations_of_arrays_that_are_primitives() -> None:
    names = ("add", "sub", "mul", "div", "mod", "and", "or", "xor", "abs", "min", "max")
    assert set(SAME) == {f"int.{name}" for name in names}


def outcome(primitive: PrimitiveRow, *arguments: Datum) -> Datum:
    """What a primitive gives, or the kind of its failure."""
    try:
        return primitive.python(*arguments)
    except PrimitiveError as error:
        return f"{error.kind} error"


def test_a_template_must_be_able_to_be_the_meaning() -> None:
    with pytest.raises(ValueError, match="no template can be its whole meaning"):
        row("f", "number", "number", abs, "Of any number.", c="fabs({0})")
    with pytest.raises(ValueError, match="no template can be its whole meaning"):
        row("f", "int", "int", abs, "It may overflow.", fails="type overflow", c="-{0}")
    with pytest.raises(ValueError, match="by its template, of one operand"):
        row("f", "int int", "int", abs, "Of two.", c="{0} & {1}", array="f")


@pytest.mark.parametrize("name", TEMPLATES)
def test_templates_are_what_kernels_do(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no rule of their own is taken instead."""
    monkeypatch.delitem(coperations.RULES, name, raising=False)
    primitive = PRIMITIVES[name]
    names = "abc"[: len(primitive.arguments)]
    text = (
        f"(define f (lambda ({' '.join(names)}) k ((let r ({name} {' '.join(names)})) (jump k r))))"
    )
    parameters = [
        ResidualParameter(x, type_) for x, type_ in zip(names, primitive.arguments, strict=True)
    ]
    choices = itertools.product(*[VALUES[type_] for type_ in primitive.arguments])
    agree_in_c(residual(text, "f", *parameters), *map(list, choices))


@pytest.mark.slow
def test_templates_are_what_whole_programs_do() -> None:
    """Through variables, so that nothing is known; and what refuses arguments says it alike."""
    lines = ["(define (each f l) (if (pair? l) (begin (f (car l)) (each f (cdr l)))))"]
    for name in TEMPLATES:
        types = PRIMITIVES[name].arguments
        values = [" ".join(_written(v) for v in VALUES[type_]) for type_ in types]
        loops = f"({name} {' '.join('xy'[: len(types)])})"
        shown = f"(write {loops}) (newline)"
        for variable, data in zip("xy", values, strict=False):
            shown = f"(each (lambda ({variable}) {shown}) '({data}))"
        wrong = " ".join(["'no"] * len(types))
        refused = f"(guard (e (#t (display (error-object-message e)))) ({name} {wrong}))"
        lines += [shown, refused]
    assert agree("\n".join(lines)).out.count("\n") > len(TEMPLATES)


def _written(value: int) -> str:
    return {True: "#t", False: "#f"}[value] if isinstance(value, bool) else str(value)
