"""What procedures take and give, and what they may see of the rest: forms of values, and the
objects that functions lead to.

ProcedureForm       the form of a value, and the types of its leaves, wide enough for all calls
reachable(values)   the objects that may change, which code that has these values may look at
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import FunctionType, MethodType, ModuleType
from typing import Any, Final

import numpy as np

from cogen.array.l0 import tree
from cogen.array.l0.types import ArrayType, Type
from cogen.array.scheme.symbolicvalues import SymbolicName
from cogen.staging.carriedvalues import joined_types, structure, type_of_leaf
from cogen.staging.convertfunctions import is_foreign
from cogen.staging.heldparts import array_now, held, hold
from cogen.staging.joinvalues import Missing, is_leaf, leaf_expression, same_known, wider
from cogen.staging.listelements import rows_of, settled, with_room
from cogen.staging.sourceplaces import HOOKS, cannot
from cogen.staging.stagedarrays import Array, View, as_array, of_type
from cogen.staging.stagedcells import StagedCell, cells_of
from cogen.staging.stagedlists import ListRows, StagedList
from cogen.staging.stagedscalars import Scalar, Staged
from cogen.staging.stagedtables import demand_table
from cogen.staging.tracer import content_of, current
from cogen.staging.valueparts import flatten, parts_of, rebuild


class ProcedureForm:
    """The form of values that a procedure is given, or gives, at one place."""

    def __init__(self, value: Any) -> None:
        self._be(value)
        self.widened = False
        """Whether it has become wider than what the procedure was staged with."""

    def _be(self, value: Any) -> None:
        self.value = value
        self.leaves, self.build = flatten(value)
        self.types = [type_of_leaf(leaf) if is_leaf(leaf) else None for leaf in self.leaves]

    @property
    def dynamic(self) -> list[Type]:
        """The types of the leaves that a run knows."""
        return [t for t in self.types if t is not None]

    def fit(self, value: Any, what: str) -> list[Any]:
        """The leaves of a value in this form, which becomes wider if it must."""
        if isinstance(value, Missing):
            value.refuse()
        value = wider(value, self.value)
        form = wider(self.value, value)
        if structure(form) != structure(self.value):
            self._be(form)
            self.widened = True
        if structure(value) != structure(self.value):
            _not_alike(what)
        leaves = flatten(value)[0]
        for k, (own, leaf) in enumerate(zip(self.leaves, leaves, strict=True)):
            t = self.types[k]
            if t is None or not is_leaf(leaf):
                if own is not leaf and not same_known(own, leaf):
                    _not_alike(what)
                continue
            self._widen(k, t, leaf, what)
        return [leaf for leaf, t in zip(leaves, self.types, strict=True) if t is not None]

    def _widen(self, k: int, t: Type, leaf: Any, what: str) -> None:
        found = joined_types(type_of_leaf(leaf), t)
        if found is None:
            _not_alike(what)
        if found != t:
            self.types[k] = found
            self.widened = True
        if isinstance(t, ArrayType):
            own, new = as_array(self.leaves[k]), as_array(leaf)
            ones = tuple([a and b for a, b in zip(own.ones, new.ones, strict=True)])
            if ones != own.ones:
                own.ones = ones
                self.widened = True

    def expressions(self, leaves: Iterable[Any], unique: bool = False) -> list[tree.Expression]:
        """Expressions of leaves as the types of this form; `unique`: of arrays of their own."""
        return [_expression(x, t, unique) for x, t in zip(leaves, self.dynamic, strict=True)]

    def named(self, names: Iterator[SymbolicName]) -> Any:
        """The value that names stand for."""
        made: list[Any] = []
        for leaf, t in zip(self.leaves, self.types, strict=True):
            if t is None:
                made.append(leaf)
                continue
            made.append(of_type(next(names), t))
            if isinstance(made[-1], Array):
                made[-1].ones = as_array(leaf).ones
        return rebuild(self.build, made)

    def of(self, leaves: Iterator[Any]) -> Any:
        """The value of leaves that a run knows."""
        made: list[Any] = []
        for leaf, t in zip(self.leaves, self.types, strict=True):
            made.append(leaf if t is None else next(leaves))
            if isinstance(made[-1], Array) and t is not None:
                made[-1].ones = as_array(leaf).ones
        return rebuild(self.build, made)


def _expression(x: Any, t: Type, unique: bool) -> tree.Expression:
    e = leaf_expression(x, t)
    return tree.Form(e.span, "copy", (e,)) if unique and isinstance(t, ArrayType) else e


def _not_alike(what: str) -> Any:
    cannot(
        f"{what} is not of one kind in all calls of a function that calls itself",
        "hand on, and return, values of one kind",
    )


# What objects hold.


def content_value(thing: Any, like: ListRows | None) -> Any:
    """What an object holds, as a value that has leaves; a list as arrays with room for more, where
    it is known of what kind its elements are."""
    if isinstance(thing, Array):
        return array_now(thing.settled())
    if isinstance(thing, StagedCell):
        return thing.content()
    if isinstance(thing, StagedList):
        _ = thing.is_known  # in a loop that makes it longer, that is found out here
        content = thing.content()
        if like is None and content[1] is None:
            return tuple(content[0])
        return StagedList((), with_room(rows_of(content, like)))
    demand_table(thing if isinstance(thing, set) else None)
    return tuple(held(thing))


def hold_value(thing: Any, value: Any) -> None:
    """Make an object hold that."""
    if isinstance(thing, StagedList):
        rows = value.rows if isinstance(value, StagedList) else None
        thing.restore(([] if rows is not None else list(value), rows, thing.sealed))
    elif isinstance(thing, Array | StagedCell):
        hold(thing, [value])
    else:
        hold(thing, list(value))


def result_value(value: Any) -> Any:
    """What a function gives, with lists in arrays of just their length."""
    if isinstance(value, StagedList) and value.rows is not None:
        return StagedList((), settled(value.rows))
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple([result_value(x) for x in value])
    return value


# What may be looked at.

_PLAIN: Final = (str, bytes, int, float, complex, type(None), type, ModuleType, Scalar, np.generic,
                 np.ndarray, range, slice)  # fmt: skip


def reachable(values: Iterable[Any]) -> dict[int, Any]:
    """The objects that may change to which values lead, functions by what they mention; and what
    pools of lists hold."""
    found: dict[int, Any] = {}
    seen: set[int] = set()
    work = list(values)
    for pool in current().pools.values():
        work += [pool.starts, pool.sizes, pool.rooms, pool.data]
    while work:
        x = work.pop()
        if isinstance(x, _PLAIN) or id(x) in seen:
            continue
        seen.add(id(x))
        own = x if isinstance(x, Staged) else getattr(x, "_cogen_function_", x)
        if isinstance(own, FunctionType):
            work += [] if is_foreign(own) else _of_function(own)
            continue
        if isinstance(x, MethodType):
            work += [x.__func__, x.__self__]
            continue
        if isinstance(x, Array | StagedCell | list | dict | set) or _is_plain_object(x):
            found[id(x)] = x
        work += _inside(x)
    return found


def _is_plain_object(x: Any) -> bool:
    """Whether it is an object of a class of the program's."""
    return hasattr(x, "__dict__") and not type(x).__module__.startswith("cogen.")


def _inside(x: Any) -> list[Any]:
    if isinstance(x, View):
        return [x.base]
    if isinstance(x, Array):
        return []
    if isinstance(x, StagedCell):
        return [x.content()]
    if isinstance(x, StagedList):
        return x.elements()
    if isinstance(x, dict):
        return list(x.values())
    if isinstance(x, set | frozenset):
        return list(x)
    found = parts_of(x)
    if found is not None:
        return found[0]
    return list(vars(x).values()) if _is_plain_object(x) else []


def _of_function(f: FunctionType) -> list[Any]:
    space = f.__globals__
    mentioned = [space[name] for name in f.__code__.co_names if name in space]
    known = [x for x in mentioned if isinstance(x, FunctionType | list | dict | set)]
    cells = [cell for cell in cells_of(f) if cell.name != HOOKS]
    return [*cells, *known, *(f.__defaults__ or ())]


def same_content(a: Any, b: Any) -> bool:
    """Whether two contents of an object are the same."""
    if a is b or same_known(a, b):
        return True
    if isinstance(a, StagedList) or isinstance(b, StagedList):
        return False
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return isinstance(a.value, SymbolicName) and a.value == b.value
    if isinstance(a, list | tuple) and type(a) is type(b) and len(a) == len(b):
        return all(map(same_content, a, b))
    if isinstance(a, dict) and isinstance(b, dict) and list(a) == list(b):
        return all(map(same_content, a.values(), b.values()))
    if isinstance(a, ListRows) and isinstance(b, ListRows):
        pairs = zip(a.leaves, b.leaves, strict=True)
        return same_content(a.count, b.count) and all(
            same_content(x.content(), y.content()) for x, y in pairs
        )
    return a == b if isinstance(a, SymbolicName) and isinstance(b, SymbolicName) else False


def snapshot(things: dict[int, Any]) -> dict[int, tuple[Any, Any]]:
    """Objects with what they hold."""
    return {key: (thing, content_of(thing)) for key, thing in things.items()}
