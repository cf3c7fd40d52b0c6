"""Operations of staged scalars by the names of NumPy's functions: what each makes."""

from __future__ import annotations

import math
from typing import Any

from cogen.array.l0 import tree
from cogen.array.l0.divisors import common_divisor
from cogen.array.l0.signatures import BUILTIN_TYPES, OF_NUMPY
from cogen.array.l0.types import BOOL, CHAR, INT, REAL, Basic
from cogen.array.scheme.symbolicvalues import SymbolicNumber
from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedexpressions import Expression, builtin, choose, constant, op, require, text
from cogen.staging.stagedscalars import (
    OPERATIONS,
    Maker,
    Scalar,
    apply,
    as_type,
    bind,
    cast,
    expression,
    join,
    operation,
    scalar,
)
from cogen.staging.tracer import current


class _Again:
    """An operand that is used several times: bound once, unless it is a name or a constant."""

    def __init__(self, s: Scalar, t: Basic) -> None:
        self.scalar = cast(s, t) if not isinstance(s.value, SymbolicNumber) else s
        self.type = t

    def __call__(self) -> Expression:
        return as_type(self.scalar, self.type)


def _arithmetic(operator: str, logical: str | None) -> Maker:
    def make(operands: list[Scalar], elements: bool) -> Scalar:
        a, b = operands
        t = join([a.type, b.type])
        if t == BOOL:
            if elements and logical is not None:
                return bind(op(logical, expression(a), expression(b)), BOOL)
            if elements:
                fail("NumPy does not subtract truth values", "use ^ for those that differ")
            t = INT
        return bind(op(operator, as_type(a, t), as_type(b, t)), t)

    return make


OPERATIONS["add"] = _arithmetic("+", "||")
OPERATIONS["subtract"] = _arithmetic("-", None)
OPERATIONS["multiply"] = _arithmetic("*", "&&")


@operation("divide", "true_divide")
def _divide(operands: list[Scalar], elements: bool) -> Scalar:
    a, b = operands
    return bind(op("/", as_type(a, REAL), as_type(b, REAL)), REAL)


@operation("floor_divide")
def _floor_divide(operands: list[Scalar], elements: bool) -> Scalar:
    t = join([s.type for s in operands], INT)
    if t == INT:
        a, b = operands
        return bind(op("/", as_type(a, INT), as_type(b, INT)), INT)
    x, y = (_Again(s, REAL) for s in operands)
    rest = bind(op("%", x(), y()), REAL)
    quotient = bind(op("/", op("-", x(), expression(rest)), y()), REAL)
    whole = apply("rint", quotient)
    zero = op("=", y(), constant(0.0))
    return bind(choose(zero, op("/", x(), y()), expression(whole)), REAL)


@operation("remainder", "mod")
def _remainder(operands: list[Scalar], elements: bool) -> Scalar:
    t = join([s.type for s in operands], INT)
    a, b = operands
    return bind(op("%", as_type(a, t), as_type(b, t)), t)


@operation("power", "float_power")
def _power(operands: list[Scalar], elements: bool) -> Scalar:
    a, b = operands
    t = join([a.type, b.type], INT)
    if isinstance(b.value, SymbolicNumber) and b.value.value == 2:
        x = _Again(a, t)
        return bind(op("*", x(), x()), t)
    if t == INT:
        if isinstance(b.value, SymbolicNumber):
            if int(b.value.value) < 0:
                if elements:
                    fail("ints have no negative powers in NumPy", "use x ** -1.0")
                return bind(op("pow", as_type(a, REAL), as_type(b, REAL)), REAL)
        else:
            b = cast(b, INT)
            require(op("<=", constant(0), expression(b)), text("ints have no negative powers"))
    return bind(op("pow", as_type(a, t), as_type(b, t)), t)


def _bits(operator: str, logical: str) -> Maker:
    def make(operands: list[Scalar], elements: bool) -> Scalar:
        a, b = operands
        t = join([a.type, b.type])
        if t == REAL:
            fail("bits are those of ints and truth values, not of reals", "x.astype(int)")
        if t == INT:
            return bind(op(operator, as_type(a, INT), as_type(b, INT)), INT)
        if logical != "^":
            return bind(op(logical, expression(a), expression(b)), BOOL)
        return _not(bind(_same(a, b), BOOL))

    return make


OPERATIONS["bitwise_and"] = _bits("&", "&&")
OPERATIONS["bitwise_or"] = _bits("|", "||")
OPERATIONS["bitwise_xor"] = _bits("^", "^")


def _not(s: Scalar) -> Scalar:
    return bind(tree.UnaryExpression(current().place, "not", expression(s)), BOOL)


def _same(a: Scalar, b: Scalar) -> Expression:
    """Whether two truth values are the same."""
    x, y = _Again(a, BOOL), _Again(b, BOOL)
    return choose(x(), y(), tree.UnaryExpression(current().place, "not", y()))


@operation("invert", "bitwise_not")
def _invert(operands: list[Scalar], elements: bool) -> Scalar:
    (a,) = operands
    if a.type == REAL:
        fail("bits are those of ints and truth values, not of reals", "x.astype(int)")
    if a.type == BOOL and elements:
        return _not(a)
    return bind(op("-", constant(-1), as_type(a, INT)), INT)


def _shift(operator: str) -> Maker:
    def make(operands: list[Scalar], elements: bool) -> Scalar:
        a, b = operands
        if REAL in (a.type, b.type):
            fail("bits are those of ints and truth values, not of reals", "x.astype(int)")
        if isinstance(b.value, SymbolicNumber):
            n = int(b.value.value)
            if n > 63:
                b, a = scalar(63), a if operator == ">>" else scalar(0)
            return bind(op(operator, as_type(a, INT), as_type(b, INT)), INT)
        x, n_ = _Again(a, INT), _Again(b, INT)
        require(op("<=", constant(0), n_()), text("a negative count of bits:"), n_())
        far = op("<", constant(63), n_())
        most = op(">>", x(), constant(63)) if operator == ">>" else constant(0)
        return bind(choose(far, most, op(operator, x(), n_())), INT)

    return make


OPERATIONS["left_shift"] = _shift("<<")
OPERATIONS["right_shift"] = _shift(">>")


def _compare(operator: str, swapped: bool, negated: bool) -> Maker:
    def make(operands: list[Scalar], elements: bool) -> Scalar:
        a, b = reversed(operands) if swapped else operands
        t = join([a.type, b.type])
        if t == BOOL and operator == "=":
            e = _same(a, b)
        else:
            t = join([t], INT) if t != CHAR else t
            e = op(operator, as_type(a, t), as_type(b, t))
        found = bind(e, BOOL)
        return _not(found) if negated else found

    return make


OPERATIONS["less"] = _compare("<", False, False)
OPERATIONS["less_equal"] = _compare("<=", False, False)
OPERATIONS["greater"] = _compare("<", True, False)
OPERATIONS["greater_equal"] = _compare("<=", True, False)
OPERATIONS["equal"] = _compare("=", False, False)
OPERATIONS["not_equal"] = _compare("=", False, True)


def truth(x: Any) -> Any:
    """Whether a number is not 0, as Python tests it."""
    if not isinstance(x, Scalar):
        return x
    return x if x.type == BOOL else apply("not_equal", x, 0)


def _logical(operator: str) -> Maker:
    def make(operands: list[Scalar], elements: bool) -> Scalar:
        a, b = (truth(s) for s in operands)
        if operator == "^":
            return _not(bind(_same(scalar(a), scalar(b)), BOOL))
        return bind(op(operator, as_type(scalar(a), BOOL), as_type(scalar(b), BOOL)), BOOL)

    return make


OPERATIONS["logical_and"] = _logical("&&")
OPERATIONS["logical_or"] = _logical("||")
OPERATIONS["logical_xor"] = _logical("^")


@operation("logical_not")
def _logical_not(operands: list[Scalar], elements: bool) -> Scalar:
    return _not(scalar(truth(operands[0])))


def _extreme(smaller: bool) -> Maker:
    def make(operands: list[Scalar], elements: bool) -> Scalar:
        t = join([s.type for s in operands])
        if t == BOOL:
            a, b = operands
            return bind(op("&&" if smaller else "||", expression(a), expression(b)), BOOL)
        x, y = (_Again(s, t) for s in operands)
        test = op("<", y(), x()) if smaller else op("<", x(), y())
        if t == INT or any(isinstance(s.value, SymbolicNumber) for s in operands):
            if t == REAL and isinstance(operands[0].value, SymbolicNumber):  # a known one is no nan
                test = op("<=", x(), y()) if smaller else op("<=", y(), x())
                return bind(choose(test, x(), y()), t)
            return bind(choose(test, y(), x()), t)
        number = op("=", y(), y())
        return bind(choose(test, y(), choose(number, x(), y())), t)

    return make


OPERATIONS["minimum"] = _extreme(True)
OPERATIONS["maximum"] = _extreme(False)


def _of_reals(name: str) -> Maker:
    def make(operands: list[Scalar], elements: bool) -> Scalar:
        if name not in BUILTIN_TYPES:
            cannot(f"np.{name} is not there in array programs", "pass a table of its values")
        return bind(builtin(name, as_type(operands[0], REAL)), REAL)

    return make


for _name in ("sqrt", "exp", "log", "sin", "cos", "tan", "arcsin", "arccos", "arctan"):
    OPERATIONS[_name] = _of_reals(_name.replace("arc", "a"))
OPERATIONS.update({numpys: _of_reals(name) for name, numpys in OF_NUMPY.items()})


@operation("arctan2")
def _arctan2(operands: list[Scalar], elements: bool) -> Scalar:
    y, x = operands
    return bind(op("atan2", as_type(y, REAL), as_type(x, REAL)), REAL)


@operation("gcd")
def _gcd(operands: list[Scalar], elements: bool) -> Scalar:
    a, b = operands
    return bind(_divisor(a, b), INT)


@operation("lcm")
def _lcm(operands: list[Scalar], elements: bool) -> Scalar:
    a, b = _Again(operands[0], INT), _Again(operands[1], INT)
    divisor = _Again(bind(_divisor(*operands), INT), INT)
    none = op("=", divisor(), constant(0))
    some = builtin("abs", op("*", op("/", a(), divisor()), b()))
    return bind(choose(none, constant(0), some), INT)


def _divisor(a: Scalar, b: Scalar) -> Expression:
    """The greatest common divisor of two ints."""
    for x in (a, b):
        if x.type != INT:
            fail("common divisors are of ints", "use x.astype(int)")
    names = current().names
    return common_divisor(current().place, expression(a), expression(b), names.fresh)


@operation("negative")
def _negative(operands: list[Scalar], elements: bool) -> Scalar:
    (a,) = operands
    if a.type == BOOL and elements:
        fail("NumPy does not negate truth values with -", "use ~")
    t = join([a.type], INT)
    return bind(tree.UnaryExpression(current().place, "-", as_type(a, t)), t)


@operation("positive", "conjugate")
def _positive(operands: list[Scalar], elements: bool) -> Scalar:
    return operands[0]


@operation("absolute", "fabs", "abs")
def _absolute(operands: list[Scalar], elements: bool) -> Scalar:
    (a,) = operands
    if a.type == BOOL and elements:
        return a
    t = join([a.type], INT)
    return bind(builtin("abs", as_type(a, t)), t)


@operation("square")
def _square(operands: list[Scalar], elements: bool) -> Scalar:
    return _power([operands[0], scalar(2)], elements)


@operation("reciprocal")
def _reciprocal(operands: list[Scalar], elements: bool) -> Scalar:
    if operands[0].type != REAL:
        fail("the reciprocal of an int is 0 in NumPy", "use 1 / x")
    return _divide([scalar(1.0), operands[0]], elements)


@operation("sign")
def _sign(operands: list[Scalar], elements: bool) -> Scalar:
    t = join([operands[0].type], INT)
    x = _Again(operands[0], t)
    zero, one = (SymbolicNumber(float(n) if t == REAL else n, t) for n in (0, 1))
    tracer = current()
    below = op("<", x(), tracer.expression(zero))
    above = op("<", tracer.expression(zero), x())
    minus = tree.UnaryExpression(tracer.place, "-", tracer.expression(one))
    inner = choose(above, tracer.expression(one), x())
    return bind(choose(below, minus, inner), t)


def _rounded(name: str) -> Maker:
    """A function of reals that gives whole numbers; ints are whole."""

    def make(operands: list[Scalar], elements: bool) -> Scalar:
        (a,) = operands
        if a.type != REAL:
            return cast(a, INT)
        return bind(builtin(name, as_type(a, REAL)), REAL)

    return make


OPERATIONS["floor"] = _rounded("floor")
OPERATIONS["ceil"] = _rounded("ceil")


@operation("rint")
def _rint(operands: list[Scalar], elements: bool) -> Scalar:
    return bind(builtin("round", as_type(operands[0], REAL)), REAL)


@operation("trunc", "fix")
def _truncated(operands: list[Scalar], elements: bool) -> Scalar:
    (a,) = operands
    if a.type != REAL:
        return cast(a, INT)
    x = _Again(a, REAL)
    below = op("<", x(), constant(0.0))
    return bind(choose(below, builtin("ceil", x()), builtin("floor", x())), REAL)


@operation("isnan")
def _isnan(operands: list[Scalar], elements: bool) -> Scalar:
    x = _Again(operands[0], join([operands[0].type], INT))
    return _not(bind(op("=", x(), x()), BOOL))


@operation("isfinite")
def _isfinite(operands: list[Scalar], elements: bool) -> Scalar:
    size = builtin("abs", as_type(operands[0], REAL))
    return bind(op("<", size, constant(math.inf)), BOOL)


@operation("isinf")
def _isinf(operands: list[Scalar], elements: bool) -> Scalar:
    size = builtin("abs", as_type(operands[0], REAL))
    return bind(op("=", size, constant(math.inf)), BOOL)


def select(test: Any, a: Any, b: Any) -> Any:
    """What np.where gives of scalars: both are computed."""
    if not isinstance(test, Scalar):
        return a if test else b
    x, y = scalar(a), scalar(b)
    t = join([x.type, y.type])
    return bind(choose(expression(scalar(truth(test))), as_type(x, t), as_type(y, t)), t)
