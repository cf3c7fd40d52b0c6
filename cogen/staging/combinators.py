"""The operations that NumPy does not have: `cogen.map`, `cogen.reduce` and the like.

In staged functions they become combinators of array programs; elsewhere they do the same with
NumPy's arrays, one element after the other.
"""

from __future__ import annotations

import builtins
import dataclasses
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from cogen.array.l0 import tree
from cogen.array.l0.keys import as_key
from cogen.array.l0.types import BOOL, INT, ArrayType, Basic, TupleType, Type, array_of
from cogen.array.scheme.symbolicvalues import SymbolicName
from cogen.lang.errors import CogenError
from cogen.staging import wholearrays as soacs
from cogen.staging.groupedarrays import Groups
from cogen.staging.sequencecalls import LoopSteps
from cogen.staging.sourceplaces import fail
from cogen.staging.stagedarrays import Array, as_array, of_type
from cogen.staging.stagedcalls import call
from cogen.staging.stagedloops import repeat
from cogen.staging.stagedreading import integer, iota
from cogen.staging.stagedrecords import Records, StagedRecord
from cogen.staging.stagedresults import structured
from cogen.staging.stagedscalars import Scalar, join, scalar
from cogen.staging.stagedtexts import StagedText
from cogen.staging.tracer import current, tracing
from cogen.staging.valueparts import (
    Build,
    flatten,
    is_dataclass_value,
    parts_of,
    rebuild,
    with_fields,
)
from cogen.staging.wholearrays import (
    expression_of,
    folded,
    function_of,
    mapped,
    together,
    walked_of,
)


def map(f: Callable[..., Any], /, *arrays: Any) -> Any:
    """What `f` gives for the elements of arrays that are walked at once.

    An array where it gives numbers or arrays (all of a size); a tuple of arrays where it gives
    tuples; an array of records where it gives dictionaries, dataclasses or records.
    """
    if not arrays:
        raise CogenError("cogen.map takes a function and arrays")
    if tracing() is None:
        return _plain_array([f(*row) for row in _plain_rows(arrays)])
    if builtins.any(isinstance(a, Groups) for a in arrays):
        return _over_groups(f, arrays)
    walked, elements = walked_of([_whole(a) for a in arrays])
    found = mapped(lambda *given: _recorded(call(f, *elements(given))), walked)
    return _as_records(found)


def _whole(a: Any) -> Any:
    if isinstance(a, LoopSteps):
        return mapped(lambda k: a.at(k), [iota(a.length)])
    if isinstance(a, range):
        return as_array(np.array(a, np.int64))
    return a


def _over_groups(f: Callable[..., Any], arrays: Sequence[Any]) -> Any:
    groups = [a for a in arrays if isinstance(a, Groups)]
    indices = iota(groups[0].staged_length())
    whole = [a if isinstance(a, Groups) else _whole(a) for a in arrays]
    return _as_records(mapped(lambda k: _recorded(call(f, *[a[k] for a in whole])), [indices]))


def _recorded(x: Any) -> Any:
    """What gives an array of records, as a record."""
    if isinstance(x, dict):
        return StagedRecord(x)
    if is_dataclass_value(x):
        parts = parts_of(x)
        assert parts is not None
        return StagedRecord(
            dict(zip([g.name for g in dataclasses.fields(x)], parts[0], strict=True))
        )
    return x


def _as_records(x: Any) -> Any:
    """A record of arrays as an array of records."""
    if isinstance(x, StagedRecord):
        return Records({name: _as_records(a) for name, a in x.fields.items()})
    return tuple([_as_records(part) for part in x]) if isinstance(x, tuple) else x


def filter(p: Callable[..., Any], a: Any, /) -> Any:
    """The elements of an array for which `p` is true, in their order."""
    if tracing() is None:
        keep = [bool(p(*row)) for row in _plain_rows([a])]
        return _plain_taken(a, np.flatnonzero(np.array(keep, bool)))
    leaves, build = flatten(a)
    walked, elements = walked_of([a])
    kept = soacs.filtered(lambda *given: call(p, *elements(given)), walked)
    if isinstance(a, StagedText):
        return StagedText(*kept)
    return rebuild(build, kept) if len(kept) == len(leaves) else kept[0]


def reduce(f: Callable[[Any, Any], Any], e: Any, a: Any, /) -> Any:
    """All elements combined by `f`, which is associative, beginning with `e`, which is neutral."""
    if tracing() is None:
        return functools.reduce(lambda x, row: f(x, _plain_like(row[0], e)), _plain_rows([a]), e)
    return _folded("reduce", f, e, a)


def scan(f: Callable[[Any, Any], Any], e: Any, a: Any, /) -> Any:
    """The elements up to each one combined by `f`: as many as there are elements."""
    if tracing() is None:
        found = []
        for (row,) in _plain_rows([a]):
            e = f(e, _plain_like(row, e))
            found.append(e)
        return _plain_array(found, e)
    return _folded("scan", f, e, a)


def _folded(kind: str, f: Callable[[Any, Any], Any], e: Any, a: Any) -> Any:
    walked, _ = walked_of([_in_order(a, e)])
    if isinstance(a, Records) and isinstance(e, dict):
        e = StagedRecord(e)
    found = folded(kind, lambda x, y: _like(call(f, x, y), e), e, walked)
    return _as_records(_recorded(found)) if kind == "scan" else found


def _in_order(a: Any, e: Any) -> Any:
    """An array of records with its fields in the order of a record's."""
    fields = _fields(e)
    if fields is None or not isinstance(a, Records):
        return a
    _demand_alike(a.fields, fields)
    return Records({name: _in_order(a.fields[name], like) for name, like in fields.items()})


def _like(x: Any, other: Any) -> Any:
    """A record with its fields in the order of another's."""
    fields, wanted = _fields(x), _fields(other)
    if fields is None or wanted is None or list(fields) == list(wanted):
        return x
    _demand_alike(fields, wanted)
    return StagedRecord({name: _like(fields[name], like) for name, like in wanted.items()})


def _fields(x: Any) -> dict[str, Any] | None:
    """The fields of a record, a dictionary or an object of a dataclass."""
    found = _recorded(x)
    return found.fields if isinstance(found, StagedRecord) else None


def _demand_alike(a: Any, b: Any) -> None:
    if set(a) == set(b):
        return
    first, second = [", ".join([str(name) for name in names]) for names in (a, b)]
    fail(
        f"these records have different fields: {first} and {second}",
        "they must be alike: map the array first",
    )


def bucket_reduce(f: Callable[[Any, Any], Any], e: Any, n: Any, keys: Any, a: Any, /) -> Any:
    """An array of `n` buckets that start as `e`: bucket `keys[i]` becomes `f(bucket, a[i])`."""
    if tracing() is None:
        buckets = [e] * int(n)
        for k, row in zip(np.asarray(keys), _plain_rows([a]), strict=True):
            if not 0 <= k < n:
                raise CogenError(f"the key {k} is out of bounds of {n} buckets")
            buckets[k] = f(buckets[k], _plain_like(row[0], e))
        return _plain_array(buckets, e)
    walked, _ = walked_of([_in_order(a, e)])
    if isinstance(e, dict):
        e = StagedRecord(e)
    leaves, build = flatten(e)
    starts = [soacs.leaf_of(x) for x in leaves]
    types: list[Type] = []
    for x, t in zip(starts, soacs.row_types(walked), strict=True):
        own = x.type
        both = isinstance(own, Basic) and isinstance(t, Basic)
        types.append(join([own, t]) if both else t)  # type: ignore[list-item]  # both are

    def combine(*given: Any) -> Any:
        half = len(types)
        first, second = (rebuild(build, list(part)) for part in (given[:half], given[half:]))
        return _like(call(f, first, second), e)

    made = function_of(combine, [*types, *types], "x", types)
    walked = [soacs.converted(w, t) for w, t in zip(walked, types, strict=True)]
    parts = [expression_of(x, t if isinstance(t, Basic) else None)
             for x, t in zip(starts, types, strict=True)]  # fmt: skip
    operands = [together(parts), integer(_index(n)), _ints(keys).expression(), soacs.zipped(walked)]
    paired = soacs._paired(made.function, len(types))
    found = soacs.unzipped(soacs.extension("bucketReduce", paired, operands), types, "buckets")
    for array in found:
        array._dims[0] = n if isinstance(n, int | Scalar) else int(n)
    return _as_records(_recorded(rebuild(build, found)))


def _index(n: Any) -> Any:
    return n if isinstance(n, Scalar) else int(n)


def _ints(keys: Any) -> Array:
    found = as_array(keys)
    if found.element == BOOL:
        return soacs.converted(found, INT)
    if found.element != INT:
        fail("keys are ints", "keys.astype(int)")
    return found


def group_by(f: Callable[..., Any], a: Any, /) -> Any:
    """The elements of an array by key: the different keys `f(a[i])` as they first occur, and the
    groups, of which `cogen.map` and `for` hand each on as an array."""
    if tracing() is None:
        found: dict[Any, list[int]] = {}
        for i, row in enumerate(_plain_rows([a])):
            found.setdefault(as_key(f(*row)), []).append(i)
        return _plain_array(list(found)), [
            _plain_taken(a, np.array(g, int)) for g in found.values()
        ]
    walked, elements = walked_of([a])
    function = function_of(lambda *g: call(f, *elements(g)), soacs.row_types(walked))
    for t in function.types:
        _demand_key(t, "keys")
    source, whole = _paired_elements(function, walked)
    key = function.result
    types = [ArrayType(key), ArrayType(INT), *[w.type for w in walked]]
    e = soacs.extension("groupBy", source, [soacs.zipped(walked)])
    keys, offsets, rest = _three(e, types, whole)
    found_keys = rebuild(function.build, _parts(keys, function.types))
    structure, build = flatten(soacs.element_structure(a))
    groups = Groups(offsets, _as_records(rebuild(build, _parts(rest, whole))))
    assert len(structure) == len(whole)
    return _as_records(found_keys), groups


def _demand_key(t: Type, what: str) -> None:
    if not isinstance(t, Basic):
        fail(f"{what} must be numbers, truth values, or tuples of these")


def _paired_elements(
    function: soacs.TracedFunction, walked: Sequence[Array]
) -> tuple[tree.LambdaExpression, list[Type]]:
    """The function as one of one element, which is a tuple where several arrays are walked."""
    types = soacs.row_types(walked)
    own = function.function
    if len(types) == 1:
        return own, types
    whole = TupleType(tuple(types))
    text = current().names.fresh("x")
    pattern = tree.TuplePattern(own.span, tuple([p.name for p in own.parameters]))
    value = tree.VariableExpression(own.span, tree.Name(own.span, text))
    body = tree.LetExpression(own.span, pattern, value, own.body)
    parameter = tree.Parameter(tree.Name(own.span, text), whole)
    return tree.LambdaExpression(own.span, own.result, (parameter,), body), types


def _three(e: tree.Expression, types: Sequence[Type], rows: Sequence[Type]) -> tuple[Any, Any, Any]:
    tracer = current()
    names = [tracer.names.fresh(word) for word in ("keys", "offsets", "groups")]
    pattern = tree.TuplePattern(e.span, tuple([tree.Name(e.span, text) for text in names]))
    tracer.code.frames.append(lambda rest: tree.LetExpression(e.span, pattern, e, rest))
    return names[0], of_type(SymbolicName(names[1], ArrayType(INT)), ArrayType(INT)), names[2]


def _parts(name: str, rows: Sequence[Type]) -> list[Any]:
    """The arrays that an array whose elements have several parts is."""
    place = current().place
    e: tree.Expression = tree.VariableExpression(place, tree.Name(place, name))
    return soacs.unzipped(e, rows, name)


def flat_map(f: Callable[..., Any], a: Any, /) -> Any:
    """The arrays that `f` gives for the elements, one after the other."""
    if tracing() is None:
        found = [np.asarray(f(*row)) for row in _plain_rows([a])]
        return np.concatenate(found) if found else np.zeros(0)
    walked, elements = walked_of([a])
    made = function_of(lambda *g: _as_given(call(f, *elements(g))), soacs.row_types(walked))
    if len(made.types) != 1 or not isinstance(made.types[0], ArrayType):
        fail("the function of cogen.flat_map gives an array", "np.array([x])")
    function, _ = _paired_elements(made, walked)
    e = soacs.extension("flatMap", function, [soacs.zipped(walked)])
    return soacs.bound(e, [made.types[0]])[0]


def _as_given(x: Any) -> Any:
    return as_array(x) if isinstance(x, list | np.ndarray) else x


def distinct(a: Any, /) -> Any:
    """Each element of an array once, as they first occur."""
    if tracing() is None:
        rows = [row[0] for row in _plain_rows([a])]
        first = dict.fromkeys(as_key(x.item() if isinstance(x, np.generic) else x) for x in rows)
        return _plain_array(list(first))
    leaves, build = flatten(soacs.element_structure(a))
    walked = [as_array(x) for x in leaves]
    for w in walked:
        _demand_key(array_of(w.element, w.ndim - 1), "the elements of cogen.distinct")
    e = soacs.extension("distinct", None, [soacs.zipped(walked)])
    found = soacs.unzipped(e, soacs.row_types(walked), "different")
    return _as_records(rebuild(build, found))


def loop(n: Any, f: Callable[..., Any], /, *x: Any) -> Any:
    """What values are after `n` rounds in which they become `f(i, *values)`."""
    if tracing() is None:
        for i in range(int(n)):
            x = _values(f(i, *x), len(x))
        return x[0] if len(x) == 1 else x
    state = [x]

    def body(i: Any) -> None:
        state[0] = _values(call(f, i, *state[0]), len(x))

    def put(values: tuple[Any, ...]) -> None:
        (state[0],) = values

    repeat(scalar(n) if not isinstance(n, int) else n, lambda k: k, body,
           lambda: (state[0],), put, ["the values"])  # fmt: skip
    found = state[0]
    return found[0] if len(found) == 1 else found


def _values(found: Any, count: int) -> tuple[Any, ...]:
    values = found if isinstance(found, tuple) and count != 1 else (found,)
    if len(values) != count:
        raise CogenError(f"the function gives {len(values)} values where {count} go on")
    return tuple(values)


# Without staging.


def _plain_rows(arrays: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """The elements of arrays that are walked at once; of a tuple of arrays tuples."""
    walked = [zip(*a, strict=True) if isinstance(a, tuple) else a for a in arrays]
    for row in zip(*walked, strict=True):
        yield tuple([x.copy() if isinstance(x, np.ndarray) else x for x in row])


def _plain_like(row: Any, e: Any) -> Any:
    """A row of a structured array, where `e` is an object of a dataclass, as such an object."""
    if isinstance(row, np.void) and dataclasses.is_dataclass(e) and not isinstance(e, type):
        names = [g.name for g in dataclasses.fields(e)]
        return with_fields(e, names, [row[name] for name in names])
    return row


def _plain_taken(a: Any, indices: Any) -> Any:
    if isinstance(a, tuple):
        return tuple([np.asarray(part)[indices] for part in a])
    return np.asarray(a)[indices]


def _plain_array(values: list[Any], like: Any = None) -> Any:
    """Values as an array: of tuples a tuple of arrays, of dictionaries a structured one."""
    first = values[0] if values else like
    if isinstance(first, tuple):
        columns = zip(*values, strict=True) if values else [[] for _ in first]
        return tuple([np.array(list(column)) for column in columns])
    if isinstance(first, dict):
        return structured({k: np.array([v[k] for v in values]) for k in first})
    if dataclasses.is_dataclass(first) and builtins.any(type(v) is not type(first) for v in values):
        found = np.empty(len(values), object)
        found[:] = values
        return found
    if dataclasses.is_dataclass(first):
        names = [g.name for g in dataclasses.fields(first)]
        return structured({n: np.array([getattr(v, n) for v in values]) for n in names})
    return np.array(values) if values or like is None else np.array(values, np.asarray(like).dtype)


__all__ = ["Build", "bucket_reduce", "distinct", "filter", "flat_map", "group_by", "loop", "map",
           "reduce", "scan"]  # fmt: skip
