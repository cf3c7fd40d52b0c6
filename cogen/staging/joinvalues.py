"""Values of two ways, joined: what a variable is after a staged conditional.

Numbers and arrays become results of the conditional; tuples, lists, dictionaries, dataclasses and
records are joined part by part; what is the same on both ways stays.  What cannot be joined is
`Missing`: an error where it is used, and no error where it is not.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from cogen.array.l0 import tree
from cogen.array.l0.types import Basic, Type, array_of
from cogen.staging.sourceplaces import fail
from cogen.staging.stagedarrays import Array, View, as_array
from cogen.staging.stagedcomplex import is_complex
from cogen.staging.stagedlists import StagedList
from cogen.staging.stagedoptionals import StagedOptional
from cogen.staging.stagedscalars import DTYPES, Scalar, is_number, join, scalar
from cogen.staging.stagedunions import meeting
from cogen.staging.tracer import current, restore
from cogen.staging.valueparts import (
    flatten,
    is_dataclass_value,
    parts_of,
    rebuild,
    shape_of,
    widened,
)
from cogen.staging.wholearrays import converted, expression_of


class CarryError(BaseException):
    """The function must be staged again, with a loop that carries a variable."""

    def __init__(self, loop: Any) -> None:
        super().__init__("a variable is used after the loop that assigns it")
        self.loop = loop


class Missing:
    """A variable that has no value here, or not one that a program could have."""

    def __init__(self, name: str, why: str, loop: Any = None) -> None:
        self.name = name
        self.why = why
        self.loop = loop
        """The loop whose rounds assign it, where it has no value before."""

    def demand(self) -> None:
        """Have the loop carry it, if there is one that has not."""
        if self.loop is not None and self.loop not in current().attempts.carried:
            raise CarryError(self.loop)

    def refuse(self, *args: Any, **options: Any) -> NoReturn:
        """Say so, or have the loop carry it."""
        self.demand()
        fail(f"`{self.name}` {self.why}", "give it a value before, on every way")

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        self.refuse()


_refused: list[str] = []
for _word in [
    "add",
    "radd",
    "sub",
    "rsub",
    "mul",
    "rmul",
    "truediv",
    "rtruediv",
    "floordiv",
    "rfloordiv",
    "mod",
    "rmod",
    "pow",
    "rpow",
    "and",
    "rand",
    "or",
    "ror",
    "xor",
    "rxor",
    "lt",
    "le",
    "gt",
    "ge",
    "neg",
    "pos",
    "abs",
    "invert",
    "bool",
    "int",
    "float",
    "index",
    "iter",
    "len",
    "getitem",
    "setitem",
    "call",
    "array_ufunc",
    "array_function",
    "contains",
    "matmul",
    "rmatmul",
    "lshift",
    "rshift",
    "iadd",
    "isub",
    "imul",
]:
    setattr(Missing, f"__{_word}__", Missing.refuse)
    _refused.append(f"__{_word}__")


class Unreturned:
    """The result of a function before there is one: whatever it will be, nothing looks at it."""


UNRETURNED = Unreturned()


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """What a function does next that calls itself at its end: it goes on in a state, with what is
    in slots then; or it ends (-1) with a result.  What is not there is `UNRETURNED`."""

    state: Any
    slots: tuple[Any, ...]
    result: Any

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        self.refuse()

    def refuse(self, *args: Any, **options: Any) -> NoReturn:
        """It is returned, and nothing else."""
        fail(
            "the result of a function that calls itself as often as a run says is used before "
            "there is one",
            "return it as it is, or write a loop",
        )


def outcomes(a: Any, b: Any) -> tuple[Any, Any]:
    """Two values, of which one may go on where the other ends, as outcomes of one form."""
    if not isinstance(a, StepOutcome) and not isinstance(b, StepOutcome):
        return a, b
    x, y = (v if isinstance(v, StepOutcome) else StepOutcome(-1, (), v) for v in (a, b))
    count = max(len(x.slots), len(y.slots))
    full = [v.slots + (UNRETURNED,) * (count - len(v.slots)) for v in (x, y)]
    return StepOutcome(x.state, full[0], x.result), StepOutcome(y.state, full[1], y.result)


for _word in _refused:
    setattr(StepOutcome, _word, StepOutcome.refuse)


def like(value: Any) -> Any:
    """Some value like another, of which nothing but its kind matters."""
    leaves, build = flatten(value)
    return rebuild(build, [default(leaf) for leaf in leaves])


def default(leaf: Any) -> Any:
    """Some number or array like another."""
    if is_array(leaf):
        a = as_array(leaf)
        return np.zeros((0,) * a.ndim, DTYPES[a.element])
    if isinstance(leaf, Scalar):
        return {"real": 0.0, "bool": False}.get(leaf.type.name, 0)
    return leaf


def wider(value: Any, other: Any) -> Any:
    """A value in the form of another one: complex where that is, and None or a value where one of
    them is None."""
    if isinstance(value, StagedOptional):
        inner = other.value if isinstance(other, StagedOptional) else other
        return value if inner is None else StagedOptional(value.is_there, wider(value.value, inner))
    if isinstance(other, StagedOptional):
        inner = like(other.value) if value is None else wider(value, other.value)
        return StagedOptional(value is not None, inner)
    if (value is None) != (other is None):
        inner = like(other) if value is None else value
        leaves = flatten(inner)[0]
        joins = leaves and all(map(is_leaf, leaves))
        return StagedOptional(value is not None, inner) if joins else value
    return widened(value, other)


UNSET = "has no value yet"
SOMETIMES = "has a value only on one of the ways that lead here"
DIFFERENT = "is not one kind of value on the ways that lead here"


def is_leaf(x: Any) -> bool:
    """Whether a value is a number or an array, staged or known."""
    return (isinstance(x, Scalar | Array | np.ndarray) and not is_complex(x)) or is_number(x)


def is_array(x: Any) -> bool:
    """Whether a value is an array, staged or known."""
    return isinstance(x, Array) or (isinstance(x, np.ndarray) and x.ndim > 0)


def same_known(a: Any, b: Any) -> bool:
    """Whether known values are the same."""
    if a is b:
        return True
    if type(a) is not type(b) or isinstance(a, Scalar | Array | Missing | np.ndarray):
        return False
    if isinstance(a, float | np.floating):
        return repr(a) == repr(b)
    if isinstance(a, complex):
        return repr(a) == repr(b)
    if isinstance(a, int | str | bytes | bool | np.generic):
        return bool(a == b)
    return isinstance(a, slice | range) and a == b


def root_of(a: Array) -> Array:
    """The array that a view is of."""
    while isinstance(a, View):
        a = a.base
    return a


def link(a: Array, others: Iterable[Any]) -> None:
    """An array is one of others, which a run chooses."""
    a.may = {}
    for b in others:
        if isinstance(b, Array):
            a.may.update(root_of(b).may)
    for root in a.may.values():
        root.users.append(a)


def are_distinct(arrays: Sequence[Any]) -> bool:
    """Whether arrays are certainly different ones."""
    roots = [root_of(a) for a in arrays if isinstance(a, Array)]
    return all(
        a is not b and (not a.may.keys() & b.may.keys() or (a.group and a.group is b.group))
        for k, a in enumerate(roots)
        for b in roots[:k]
    )


def chosen(arrays: Sequence[Any], ways: Sequence[Sequence[Any]]) -> None:
    """Arrays are, in their order, those of one of several ways."""
    every = [a for way in ways for a in way]
    group = object() if all(map(are_distinct, ways)) else None
    for k, a in enumerate(arrays):
        if isinstance(a, Array):
            link(a, every if group is None else [way[k] for way in ways])
            a.group = group


def leaf_type(a: Any, b: Any) -> Type | None:
    """The type of a leaf that is one of two; None if they have none together."""
    if is_array(a) and is_array(b):
        x, y = as_array(a), as_array(b)
        return array_of(join([x.element, y.element]), x.ndim) if x.ndim == y.ndim else None
    if is_array(a) or is_array(b):
        return None
    return join([scalar(a).type, scalar(b).type])


def leaf_expression(x: Any, t: Type) -> tree.Expression:
    """A new expression of a leaf as a type."""
    if isinstance(t, Basic):
        return expression_of(scalar(x), t)
    return converted(as_array(x), t).expression()


class Selection:
    """The leaves that differ on two ways, and how values are put together of what they become."""

    def __init__(self, heaps: Sequence[Mapping[int, tuple[Any, Any]]]) -> None:
        self.heaps = heaps
        """The objects that each way changed, with what they held at its end."""
        self.pairs: list[tuple[Any, Any, Type]] = []
        self.arrays: list[tuple[Array, Any, Any]] = []
        """Arrays that variables get, of one or the other."""

    def join(self, a: Any, b: Any, name: str) -> Callable[[list[Any]], Any]:
        """What makes the joined value of the results of all pairs."""
        if same_known(a, b):
            return lambda found: a
        if isinstance(a, Unreturned) or isinstance(b, Unreturned):
            a, b = (like(b) if isinstance(a, Unreturned) else a,
                    like(a) if isinstance(b, Unreturned) else b)  # fmt: skip
            return self.join(a, b, name)
        a, b = outcomes(a, b)
        if isinstance(a, Missing) or isinstance(b, Missing):
            why = a.why if isinstance(a, Missing) and isinstance(b, Missing) else SOMETIMES
            return self.missing(name, why)
        a, b = (self.at_end(side, x) for side, x in enumerate((a, b)))
        a, b = wider(a, b), wider(b, a)
        if is_leaf(a) and is_leaf(b):
            return self.leaf(a, b, name)
        if shape_of(a) != shape_of(b):
            a, b = meeting(a, b, like, is_dataclass_value) or (a, b)
        left, right = parts_of(a), parts_of(b)
        if left is None or right is None or shape_of(a) != shape_of(b):
            return self.missing(name, SOMETIMES if a is None or b is None else DIFFERENT)
        builds = [self.join(x, y, name) for x, y in zip(left[0], right[0], strict=True)]
        make = left[1]
        return lambda found: make([build(found) for build in builds])

    def at_end(self, side: int, x: Any) -> Any:
        """A list, dictionary or object as it was at the end of a way; arrays are these themselves,
        and are read when they hold what they held there."""
        if isinstance(x, Array) or id(x) not in self.heaps[side]:
            return x
        content = self.heaps[side][id(x)][1]
        if isinstance(x, StagedList):
            made = StagedList()
            made.restore(content)
            return made
        if isinstance(x, list | dict | set):
            return content
        made = copy.copy(x)
        restore(made, content)
        return made

    def missing(self, name: str, why: str) -> Callable[[list[Any]], Any]:
        """What makes a value that must not be used."""
        missing = Missing(name, why)
        return lambda found: missing

    def leaf(self, a: Any, b: Any, name: str) -> Callable[[list[Any]], Any]:
        """What makes the value of two numbers or arrays."""
        t = leaf_type(a, b)
        if t is None:
            return self.missing(name, DIFFERENT)
        at = len(self.pairs)
        self.pairs.append((a, b, t))

        def build(found: list[Any]) -> Any:
            value = found[at]
            if isinstance(value, Array):
                x, y = as_array(a), as_array(b)
                value.ones = tuple([p and q for p, q in zip(x.ones, y.ones, strict=True)])
                self.arrays.append((value, a, b))
            return value

        return build
