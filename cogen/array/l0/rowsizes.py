"""Which sizes the rows of a map have whatever its elements are: a static analysis of L0.

    map(fn [int] (int x) => iota(n + 1), a)                    n + 1
    map(fn [int] ([int] r) => map(op +(1), r), m)              the size of the rows of m
    map(fn [int] (int x) => iota(x), a)                        not known

A map of no elements has no row from which its size could be taken. Its rows have the sizes that
this analysis finds, as symbols over what is bound outside; those that it does not find are 0. The
interpreter and what compiles both ask it, so they agree.

A size is found if it is made of literals, variables and sizes from outside by `+`, `-`, `*`, and
`/` and `%` by a literal; through all forms, functions that are not recursive, and loops and folds
that keep it. Where two ways meet, it must be the same on both. Sizes that forms check to be equal
are that of their first operand which is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, Union

from cogen.array.l0 import tree
from cogen.array.l0.facts import Binding, CheckedFacts
from cogen.array.l0.types import INT, ArrayType, TupleType, Type, without_uniqueness
from cogen.array.l0.values import transposed_order
from cogen.lang.node import leaf

LIMIT: Final = 20_000
"""How many expressions are looked at for one map, those of called functions counted each time."""


@leaf
class SizeNumber:
    """A literal."""

    value: int


@leaf
class Outer:
    """An int of a variable that is bound outside: the part of a part ... of its value."""

    variable: Binding
    parts: tuple[int, ...]


@leaf
class OuterSize:
    """The size of dimension `dimension` of a variable that is bound outside.

    The dimensions of a value are numbered from left to right as in its type, outermost first.
    """

    variable: Binding
    dimension: int


@leaf
class RowSize:
    """A size of the rows of an array that is mapped; dimensions likewise, of the row."""

    array: int
    dimension: int


@leaf
class Computed:
    """An operator of L0 on ints."""

    operator: str
    left: Symbol
    right: Symbol


Symbol = SizeNumber | Outer | OuterSize | RowSize | Computed


@leaf
class RowSizes:
    """What is known of an array: its size, and its elements' sizes."""

    size: Symbol | None
    row: Known


Known = Union[Symbol, RowSizes, tuple["Known", ...], None]  # noqa: UP007  # a name in quotes
"""What is known of a value: of an int its value, of an array its sizes, of a tuple its parts."""


def row_sizes(facts: CheckedFacts, e: tree.SoacExpression) -> list[Symbol | None]:
    """The sizes of the rows that a map gives, by dimension."""
    try:
        return list(_sizes(_Analysis(facts).mapped(e)))
    except _TooMuchError:
        return [None] * _dimensions(facts.applied[e.functions[0]].result)


def _dimensions(t: Type) -> int:
    match t:
        case ArrayType():
            return 1 + _dimensions(t.element)
        case TupleType():
            return sum([_dimensions(part) for part in t.parts])
    return 0


class _TooMuchError(Exception):
    """The functions that are called are too large to look at."""


class _Analysis:
    """What is known of variables that were bound on the way."""

    def __init__(self, facts: CheckedFacts) -> None:
        self.facts = facts
        self.variables: dict[Binding, Known] = {}
        self.active: set[str] = set()
        self.steps = 0

    def mapped(self, e: tree.SoacExpression) -> Known:
        rows = []
        for k, array in enumerate(e.arrays):
            t = without_uniqueness(self.facts.types[array])
            assert isinstance(t, ArrayType)
            rows.append(_leaf(t.element, _nothing, partial(RowSize, k)))
        return self.apply(e.functions[0], rows)

    def expression(self, e: tree.Expression) -> Known:
        self.steps += 1
        if self.steps > LIMIT:
            raise _TooMuchError
        return _ANALYSE[type(e)](self, e)

    def expressions(self, parts: Sequence[tree.Expression]) -> list[Known]:
        return [self.expression(part) for part in parts]

    def int(self, e: tree.Expression) -> Symbol | None:
        return _symbol(self.expression(e))

    # Simple expressions.

    def literal(self, e: tree.LiteralExpression) -> Known:
        return SizeNumber(e.value) if e.type == INT and isinstance(e.value, int) else None

    def string(self, e: tree.StringLiteral) -> Known:
        return RowSizes(SizeNumber(len(e.value)), None)

    def variable(self, e: tree.VariableExpression) -> Known:
        return self.named_variable(e.name)

    def named_variable(self, name: tree.Name) -> Known:
        binding = self.facts.bindings[name]
        if binding in self.variables:
            return self.variables[binding]
        return _leaf(
            without_uniqueness(binding.type),
            partial(Outer, binding),
            partial(OuterSize, binding),
        )

    def tuple(self, e: tree.Tuple) -> Known:
        return tuple(self.expressions(e.parts))

    def array(self, e: tree.ArrayExpression) -> Known:
        return RowSizes(SizeNumber(len(e.elements)), _sizes_only(self.expressions(e.elements)[0]))

    def binary(self, e: tree.BinaryExpression) -> Known:
        return self.operation(e.operator, self.expressions([e.left, e.right]))

    def operation(self, operator: str, operands: Sequence[Known]) -> Known:
        if len(operands) != 2:
            return None
        left, right = _symbol(operands[0]), _symbol(operands[1])
        if left is None or right is None:
            return None
        divides = isinstance(right, SizeNumber) and right.value > 0
        if operator in ("+", "-", "*") or (operator in ("/", "%") and divides):
            return Computed(operator, left, right)
        return None

    def unary(self, e: tree.UnaryExpression) -> Known:
        self.expression(e.operand)
        return None

    def if_(self, e: tree.IfExpression) -> Known:
        self.expression(e.condition)
        return _common(self.expression(e.then), self.expression(e.otherwise))

    def predicated(self, e: tree.Predicated) -> Known:
        return self.expression(e.body)

    # Bindings.

    def bind(self, pattern: tree.Pattern, value: Known) -> None:
        match pattern:
            case tree.Name():
                self.variables[self.facts.bindings[pattern]] = value
            case tree.TuplePattern(_, parts):
                assert isinstance(value, tuple)
                for part, known in zip(parts, value, strict=True):
                    self.bind(part, known)

    def let(self, e: tree.LetExpression) -> Known:
        self.bind(e.pattern, self.expression(e.value))
        return self.expression(e.body)

    def let_with(self, e: tree.LetWith) -> Known:
        self.bind(e.target, self.named_variable(e.source))
        return self.expression(e.body)

    def loop(self, e: tree.LoopExpression) -> Known:
        def iteration(carried: Known) -> Known:
            self.bind(e.pattern, carried)
            self.bind(e.index, None)
            return self.expression(e.body)

        self.bind(e.pattern, self.kept(self.expression(e.initial), iteration))
        return self.expression(e.result)

    def kept(self, known: Known, step: Callable[[Known], Known]) -> Known:
        """What any number of steps keep of what is known."""
        while True:
            following = _common(known, step(known))
            if following == known:
                return known
            known = following

    # Functions.

    def call(self, e: tree.CallExpression) -> Known:
        return self.named(e.function.text, self.expressions(e.arguments))

    def named(self, name: str, arguments: Sequence[Known]) -> Known:
        definition = self.facts.definitions.get(name)
        if definition is None:
            return arguments[0] if name == "trace" else None
        if name in self.active:
            return _unknown(without_uniqueness(definition.result))
        for parameter, argument in zip(definition.parameters, arguments, strict=True):
            self.bind(parameter.name, argument)
        self.active.add(name)
        found = self.expression(definition.body)
        self.active.remove(name)
        return found

    def apply(self, function: tree.Function, given: Sequence[Known]) -> Known:
        """What a function operand gives."""
        applied = self.facts.applied[function]
        if applied.unpacks:
            assert isinstance(given[0], tuple)
            given = given[0]
        if isinstance(function, tree.LambdaExpression):
            for parameter, argument in zip(function.parameters, given, strict=True):
                self.bind(parameter.name, argument)
            return self.expression(function.body)
        first = self.expressions(function.arguments)
        if isinstance(function, tree.Section):
            return self.operation(function.operator, [*first, *given])
        return self.named(function.name.text, [*first, *given])

    # Arrays.

    def index(self, e: tree.IndexExpression) -> Known:
        found = self.named_variable(e.array)
        for _ in self.expressions(e.indices):
            assert isinstance(found, RowSizes)
            found = found.row
        return found

    def form(self, e: tree.Form) -> Known:
        operands = self.expressions(e.operands)
        match e.name:
            case "zip":
                arrays = _arrays(operands)
                return RowSizes(_first(arrays), tuple([array.row for array in arrays]))
            case "unzip":
                return _unzipped(operands[0])
            case "iota":
                return RowSizes(_symbol(operands[0]), None)
            case "replicate":
                return RowSizes(_symbol(operands[0]), _sizes_only(operands[1]))
            case "split":
                (array,) = _arrays(operands[1:])
                at = _symbol(operands[0])
                rest = self.operation("-", [array.size, at])
                return (RowSizes(at, array.row), RowSizes(_symbol(rest), array.row))
            case "concat":
                left, right = _arrays(operands)
                size = self.operation("+", [left.size, right.size])
                return RowSizes(_symbol(size), _common(left.row, right.row))
            case "copy":
                return operands[0]
        return None

    def size(self, e: tree.SizeExpression) -> Known:
        return _shape(self.expression(e.array))[e.dimension]

    def reshape(self, e: tree.ReshapeExpression) -> Known:
        sizes = [self.int(size) for size in e.shape]
        return _shaped(sizes, _innermost(self.expression(e.array)))

    def transpose(self, e: tree.Transpose) -> Known:
        array = self.expression(e.array)
        shape = _shape(array)
        order = transposed_order(len(shape), e.dimension, e.distance)
        return _shaped([shape[k] for k in order], _innermost(array))

    def rearrange(self, e: tree.RearrangeExpression) -> Known:
        array = self.expression(e.array)
        shape = _shape(array)
        return _shaped([shape[k] for k in e.order], _innermost(array))

    def empty(self, e: tree.Empty) -> Known:
        return _leaf(ArrayType(e.element), _nothing, lambda d: SizeNumber(0))

    # Combinators.

    def soac(self, e: tree.SoacExpression) -> Known:
        initial = None if e.initial is None else self.expression(e.initial)
        arrays = _arrays(self.expressions(e.arrays))
        rows = [array.row for array in arrays]
        size = _first(arrays)
        if e.kind == "map":
            made = RowSizes(size, _sizes_only(self.apply(e.functions[0], rows)))
            return _unzipped(made) if e.tupleless else made
        if e.kind == "filter":
            self.apply(e.functions[0], rows)
            kept = [RowSizes(None, row) for row in rows]
            return tuple(kept) if e.tupleless else kept[0]

        def step(accumulator: Known) -> Known:
            if not e.tupleless:
                return self.apply(e.functions[-1], [accumulator, *rows])
            assert isinstance(accumulator, tuple)
            return self.apply(e.functions[-1], [*accumulator, *rows])

        found = self.kept(initial, step)
        if e.kind != "scan":
            return found
        made = RowSizes(size, _sizes_only(found))
        return _unzipped(made) if e.tupleless else made

    def extension(self, e: tree.ExtensionExpression) -> Known:
        operands = self.expressions(e.operands)
        match e.name:
            case "bucketReduce":
                (array,) = _arrays(operands[3:])
                return RowSizes(_symbol(operands[1]), self.accumulated(e, operands[0], array))
            case "bucketCollect":
                keys, array = _arrays(operands[1:])
                limits = self.operation("+", [operands[0], SizeNumber(1)])
                collected = RowSizes(_first([keys, array]), array.row)
                return (RowSizes(_symbol(limits), None), collected)
            case "groupBy":
                (array,) = _arrays(operands)
                keys_type, _, _ = _parts(self.facts.types[e])
                return (_unknown(keys_type), RowSizes(None, None), array)
            case "reduceSegments":
                offsets, array = _arrays(operands[1:])
                count = self.operation("-", [offsets.size, SizeNumber(1)])
                return RowSizes(_symbol(count), self.accumulated(e, operands[0], array))
            case "scatter":
                return operands[0]
        return _unknown(self.facts.types[e])

    def accumulated(self, e: tree.ExtensionExpression, initial: Known, array: RowSizes) -> Known:
        return _sizes_only(
            self.kept(initial, lambda known: self.apply(e.functions[0], [known, array.row]))
        )


def _nothing(where: object) -> None:
    return None


def _leaf(
    t: Type,
    scalar: Callable[[tuple[int, ...]], Symbol | None],
    size: Callable[[int], Symbol | None],
    parts: tuple[int, ...] = (),
    dimension: int = 0,
) -> Known:
    """What is known of a value of a type, by where its scalars are, and its dimensions."""
    match t:
        case ArrayType():
            return RowSizes(size(dimension), _leaf(t.element, _nothing, size, (), dimension + 1))
        case TupleType():
            found: list[Known] = []
            for i, part in enumerate(t.parts):
                found.append(_leaf(part, scalar, size, (*parts, i), dimension))
                dimension += _dimensions(part)
            return tuple(found)
    return scalar(parts) if t == INT else None


def _unknown(t: Type) -> Known:
    """Nothing is known of a value of a type."""
    return _leaf(t, _nothing, _nothing)


def _sizes(known: Known) -> Iterator[Symbol | None]:
    """The sizes of a value by dimension."""
    if isinstance(known, RowSizes):
        yield known.size
        yield from _sizes(known.row)
    elif isinstance(known, tuple):
        for part in known:
            yield from _sizes(part)


def _sizes_only(known: Known) -> Known:
    """The same without what is known of ints: they become elements."""
    if isinstance(known, RowSizes):
        return known
    return tuple([_sizes_only(part) for part in known]) if isinstance(known, tuple) else None


def _common(a: Known, b: Known) -> Known:
    """What is known whichever of two values it is."""
    if isinstance(a, RowSizes) and isinstance(b, RowSizes):
        return RowSizes(a.size if a.size == b.size else None, _common(a.row, b.row))
    if isinstance(a, tuple) and isinstance(b, tuple):
        return tuple([_common(x, y) for x, y in zip(a, b, strict=True)])
    return a if a == b else None


def _symbol(known: Known) -> Symbol | None:
    assert not isinstance(known, (RowSizes, tuple))
    return known


def _arrays(known: Sequence[Known]) -> list[RowSizes]:
    found = [array for array in known if isinstance(array, RowSizes)]
    assert len(found) == len(known)
    return found


def _first(arrays: Sequence[RowSizes]) -> Symbol | None:
    """The size of arrays that have the same."""
    return next((array.size for array in arrays if array.size is not None), None)


def _unzipped(known: Known) -> Known:
    assert isinstance(known, RowSizes)
    assert isinstance(known.row, tuple)
    return tuple([RowSizes(known.size, part) for part in known.row])


def _shape(known: Known) -> list[Symbol | None]:
    """The sizes of an array's own dimensions."""
    found = []
    while isinstance(known, RowSizes):
        found.append(known.size)
        known = known.row
    return found


def _innermost(known: Known) -> Known:
    while isinstance(known, RowSizes):
        known = known.row
    return known


def _shaped(sizes: Sequence[Symbol | None], element: Known) -> Known:
    for size in reversed(sizes):
        element = RowSizes(size, element)
    return element


def _parts(t: Type) -> tuple[Type, ...]:
    assert isinstance(t, TupleType)
    return t.parts


_ANALYSE: Final[dict[type, Callable[..., Known]]] = {
    tree.LiteralExpression: _Analysis.literal,
    tree.StringLiteral: _Analysis.string,
    tree.VariableExpression: _Analysis.variable,
    tree.Tuple: _Analysis.tuple,
    tree.ArrayExpression: _Analysis.array,
    tree.BinaryExpression: _Analysis.binary,
    tree.UnaryExpression: _Analysis.unary,
    tree.IfExpression: _Analysis.if_,
    tree.CallExpression: _Analysis.call,
    tree.IndexExpression: _Analysis.index,
    tree.LetExpression: _Analysis.let,
    tree.LetWith: _Analysis.let_with,
    tree.LoopExpression: _Analysis.loop,
    tree.Form: _Analysis.form,
    tree.SizeExpression: _Analysis.size,
    tree.ReshapeExpression: _Analysis.reshape,
    tree.Transpose: _Analysis.transpose,
    tree.RearrangeExpression: _Analysis.rearrange,
    tree.Empty: _Analysis.empty,
    tree.Predicated: _Analysis.predicated,
    tree.SoacExpression: _Analysis.soac,
    tree.ExtensionExpression: _Analysis.extension,
}
