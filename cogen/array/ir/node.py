"""The nodes of the array graph: a typed, purely functional graph with nested blocks.

    Function  ::= name(parameter ...) = block
    Block     ::= token, parameters: parameter ..., effects: node ..., results: atom ...

    node ::= Constant value                         a scalar; `Checked` is the one certificate
        | Parameter name                            bound by exactly one block
        | Operation name (a ...)                    a scalar operation, a row of `operations.TABLE`
        | Assert message (condition, a ...)         a certificate; fails with the formatted message
        | Conjoin ()                                the certificate of all its certificates
        | Trace layout (a ...)                      writes a value to standard error
        | Index (array, i ...)                      an element, or a row (which may share memory)
        | Slice (array, start, length)              rows start ... start+length-1
        | Rearrange order (array)                   dimension k of the result is `order[k]` of array
        | Reshape (array, n ...)                    the elements in another shape
        | Concat (array, array)                     rows of one, then of the other
        | Iota (n)                                  0 ... n-1
        | Replicate (n, a)                          n times a scalar or a row
        | Literal (a ...)                           the array of scalars or rows
        | Copy (array)                              the same value in memory of its own
        | Update (array, i ..., a)                  the array with another element or row
        | If (condition) then, otherwise            blocks without parameters
        | Loop (bound, initial ...) body            body: index, carried ... -> next carried ...
        | Call function (a ...)                     a function that was not inlined
        | Multiloop (size, input ..., extra ...) body, operator ...      see below
        | Part index (node)                         one result of If, Loop, Call, Multiloop

Operands are atoms: nodes. Every node except parameters is hash-consed by its `Graph`: equal
class, attributes, operands, certificates and (up to the names of parameters) blocks make one
node, so nodes are compared by identity. A node's number grows with its creation; operands have
smaller numbers than their users, so ascending numbers are a topological and deterministic order.
Spans and origins of nodes are kept beside, in the graph.

Certificates. `certs` are further operands of type cert: what must have been checked before the
node is computed (seed 003, chapter 5). Reading an array, dividing, ... never fails by itself.

Blocks, tokens and effects. A pure node belongs to no block: it may be computed anywhere inside
the blocks that bind the parameters it depends on (`free`); a schedule
(`cogen.array.schedule.schedule`) decides. Each block binds a `token`, a parameter of type cert that
stands for "control is in this block". A node with an effect (Assert, Trace, a node whose blocks
have effects, a call of a function that has some) has the token of its block among its certificates,
and is listed in the `effects` of this block, in the order of the program. What depends on a fact
known only inside a block (the condition of a branch, 0 <= i < n) without an Assert that says so has
the block's token as certificate instead: this is what remains of a check that was proven
superfluous, and keeps the node inside.

Sizes. The type of an array names its sizes by atoms. A node with several results may give arrays
with sizes that are known only then: these sizes are results too, and `results`, the types of the
results, names them `Own(i)`. `Part` has the type with these replaced by parts of the same node.
If, Call: any result may be a size. Loop: carried ints may be sizes of carried arrays, whose
parameters name the ints' parameters. An array that an operation takes with a certificate that
says m = n may have m where n is written elsewhere: sizes of inputs of a Multiloop are equal in
every run, not always atoms.

The one loop form. `size` iterations; parameters of `body` are the index and one element (scalar
or row) of every input. The body gives a stream for every generator: what it takes in an iteration.
Generators and streams are in `cogen.array.ir.generators`.

    generator       takes                        extra operands        results
    Collect         value ...                    -                     [count,] array ...
    Reduce          value ...                    neutral ...           value ...
    Scan            value ...                    neutral ...           [count,] array ...
    Scatter         index, value ...             target ...            target ...
    Bucket of G     key ..., value ...           [bound,] of G ...     [count, keys ...,] of G ...
                                                                       [, total] [, numbers]

How many values are collected or scanned is a result where the stream does not have one in each
iteration. A Collect of several values has such a stream. Reduce, Scan and Bucket
of a Reduce have one block each among `blocks`, their operator: accumulators and as many elements ->
accumulators; it is associative up to rounding, with the neutral values neutral. Scan is inclusive.
Keys and indices are within bounds (a certificate's business). Scatter consumes its targets; later
iterations win.

Buckets. A Bucket has a generator G for each key, which takes the values of the iterations with this
key, in their order:

    dense           the key is an int from 0 to before how many buckets there are; the bound is the
                    size of what has an element for each bucket
    hashed          the key is a tuple of scalars; there is a bucket for each key that there is, in
                    the order in which they first occur. The first result is how many, then come
                    the parts of the keys
    G = Reduce      neutral ... -> array of buckets ...: accumulators. Of no values: nothing, so the
                    keys are all that is found out
    G = Collect     -> offsets, array ...: what key k has is `array[offsets[k]]` to before
                    `offsets[k + 1]`; there is one offset more than there are buckets

Of a Bucket that collects a stream that does not have one value in each iteration, how many it has
collected is a result, too. A hashed one may be `numbered`, if it takes one key in each iteration:
`keys[numbers[i]]` is the key of iteration i. A bucket of buckets is one by both keys, whose keys
are put into buckets by the first (`cogen.array.fusion.nested`).

Streams. What a generator takes in an iteration is a stream of rows of keys and values. Streams are
pure values, made of nodes, and equal where they are made of the same:

    stream ::= Emit (v ...)             one row
        | When (c, stream)              If c stream Empty
        | Elements (a ...)              a row for each element of arrays of scalars, which have one
                                        size in each iteration

A loop that takes what another one collects has the streams of that with its own in place of each
Emit. A generator of any kind takes an Emit or one under a condition, Collect, Scatter and Bucket
Elements too, and that not under a condition: a When of these is the Elements of an If. Arrays of
Elements are values like all others, with their laws and passes; they need not be stored, since what
they are made of says how to go through them:

    Empty       Literal ()
    Emit v      Literal (v)
    Seq s t     Concat (s, t), or Literal (v ...)
    If c s t    If
    Each n s    Multiloop with Collect of s

Any other array is gone through by index. How many elements there are is the first result of a
Collect of Elements.

A Scan of one row in each iteration may be `running`: then the body has one more parameter for each
of its values, after the elements, generator by generator: the accumulated values, this iteration's
included. What later generators take may depend on them. This is how a scan's result is consumed in
the loop that makes it. A Scan that is not `stored` gives no results: it is there for its running
values. Those of an `exclusive` one are accumulated of earlier iterations only, so what the body
takes from inner loops may depend on them: this is how a scan goes on from the stream of one
iteration to the next.

Updates. Update and Scatter are pure: their result is a new array. That it can use the memory of
the old one is the schedule's to find out; the source's uniqueness makes it possible, and a Copy
appears where a transformation (or an option) prevents it. So Copy has no meaning but a wish.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Union

from cogen.array.ir.generators import (
    Bucket,
    Generator,
    StreamValue,
    TakesStream,
    is_hashed,
)
from cogen.array.ir.graphtypes import Dimension, GraphArray, Own, SizeAtom, Type
from cogen.array.ir.operations import LOAD, TABLE
from cogen.array.l0.types import Type as Layout
from cogen.lang.errors import Span
from cogen.lang.shown import listed

Attribute = Union[
    str, int, float, bool, Type, Layout, Span, None, "Generator", tuple["Attribute", ...]
]
"""What distinguishes nodes of one class, beside operands."""


class Node(SizeAtom):
    """A node; made by a `cogen.array.ir.graph.Graph` only.

    `free` are the parameters (tokens too) bound outside that the node depends on; `effectful` says
    whether it must be executed where it stands.
    """

    __slots__ = ("attributes", "blocks", "certs", "effectful", "free", "number", "operands", "type")

    # The row of a kind: what passes ask of a node, whichever it is.

    is_atom: ClassVar[bool] = False
    """Nothing is computed: it is known, or bound by a block."""
    has_effect: ClassVar[bool] = False
    """It is executed where it stands, whether or not it is used."""
    may_write: ClassVar[bool] = False
    """Something outside may be written when it is executed, beside what its blocks do."""
    has_code: ClassVar[bool] = True
    """A step of its own when the program runs; others are names for results of such."""
    is_view: ClassVar[bool] = False
    """It gives memory of its first operand, a part of it or all, in one order or another."""
    shares_first: ClassVar[bool] = False
    """What it gives lies in memory of its first operand: a view, or what was overwritten."""
    is_fresh: ClassVar[bool] = False
    """It gives an array in new memory, or one that needs none."""
    is_another_form: ClassVar[bool] = False
    """It gives all elements of its first operand in another shape or order."""
    is_loop: ClassVar[bool] = False
    """Its blocks are run any number of times, not once at most."""
    takes_time: ClassVar[bool] = False
    """How much it does is known only when the program runs."""
    says_results: ClassVar[bool] = False
    """The types of its results are said by who makes it, not by what it is made of."""
    is_scalar: ClassVar[bool] = False
    """It computes a scalar of scalars, or checks one."""
    for_host: ClassVar[bool] = False
    """Only the host of a device can do it, no work item."""
    is_movable: ClassVar[bool] = False
    """It may be computed later than it stands, inside loops too, for the same or less."""
    only_checks: ClassVar[bool] = False
    """It has no effect but that it may fail."""
    is_formula: ClassVar[bool] = False
    """Its elements, or rows, are known without it: see `element_at`."""
    is_known: ClassVar[bool] = False
    """It is a value that is known before any run."""
    is_bound: ClassVar[bool] = False
    """It is what a block binds."""
    rows_operand: ClassVar[int | None] = None
    """The position of the operand that says how many rows it has, if one does."""
    puts_away: ClassVar[str] = ""
    """Why all that it takes is in memory, a word of `cogen.array.fusion.reasons`; nothing where
    arrays are stored in what it gives, and scalars are for nobody."""
    gives_stored: ClassVar[str] = ""
    """Why an array that it gives is in memory where a loop goes through it; else nothing."""

    results: tuple[Type, ...] = ()
    """The types of the results of a node with several; see the head of this module."""

    def __init__(
        self,
        number: int,
        type_: Type,
        attributes: tuple[Attribute, ...],
        operands: tuple[Node, ...],
        certs: tuple[Node, ...],
        blocks: tuple[Block, ...],
        free: frozenset[Parameter],
        effectful: bool,
    ) -> None:
        self.number = number
        self.type = type_
        self.attributes = attributes
        self.operands = operands
        self.certs = certs
        self.blocks = blocks
        self.free = free
        self.effectful = effectful

    @property
    def known(self) -> int | float | bool | str | None:
        """The value that it is, if that is known."""
        return None

    @property
    def operation(self) -> str:
        """The row in `cogen.array.ir.operations.TABLE` of what computes a scalar; else nothing."""
        return ""

    @property
    def maker(self) -> Node | None:
        """The node with several results of which it is one."""
        return None

    @property
    def cost(self) -> float:
        """What it costs by itself, in additions; what its blocks do comes to that."""
        return 0

    @property
    def makes_whole(self) -> bool:
        """Whether it gives an array that is none of a loop's, and may be one in memory."""
        return self.is_formula or (self.is_fresh and bool(self.gives_stored))

    @property
    def overwrites(self) -> bool:
        """Whether it may overwrite what it is given."""
        return bool(self.overwritten)

    @property
    def original(self) -> Node:
        """What it is a copy of; itself where it is no copy."""
        return self

    def element_at(self, index: Node) -> Node | None:
        """The element, or row, at an index, if that is known without the array."""
        return None

    @property
    def word(self) -> str:
        """What it is called where it is shown."""
        return type(self).__name__.lower()

    @property
    def overwritten(self) -> tuple[int, ...]:
        """The positions of the operands that it overwrites itself, not by what its blocks do."""
        return ()

    @property
    def ways(self) -> tuple[Node, ...]:
        """What it is, whichever way control goes, where that is one of several nodes."""
        return ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.number}>"


class Constant(Node):
    """A scalar value: int, float, bool, str of one character, or True as certificate."""

    __slots__ = ()
    is_atom = is_known = True

    @property
    def value(self) -> int | float | bool | str:
        value = self.attributes[0]
        assert isinstance(value, (int, float, bool, str))
        return value

    @property
    def known(self) -> int | float | bool | str:
        return self.attributes[0]  # type: ignore[return-value]  # set by Graph.constant


class Parameter(Node):
    """What a block binds. `unique`: the array may be overwritten (a function's right, by `*`)."""

    __slots__ = ()
    is_atom = is_bound = True

    @property
    def name(self) -> str:
        """A word for people; not unique."""
        return _text(self.attributes[0])

    @property
    def unique(self) -> bool:
        return bool(self.attributes[1])


class Operation(Node):
    """A scalar operation."""

    __slots__ = ()
    is_movable = is_scalar = True

    @property
    def cost(self) -> float:
        return TABLE[self.name].cost

    @property
    def name(self) -> str:
        """Its row in `cogen.array.ir.operations.TABLE`."""
        return _text(self.attributes[0])

    @property
    def operation(self) -> str:
        return self.attributes[0]  # type: ignore[return-value]  # set by Graph.operation

    @property
    def word(self) -> str:
        return self.name


class Assert(Node):
    """A check that fails, unless its condition holds, with a message at a place of the source.

    `{}` in the message stands for the further operands, in order, which are ints and reals
    (`cogen.array.l0.messages`).
    """

    __slots__ = ()
    has_effect = only_checks = is_scalar = True

    @property
    def word(self) -> str:
        return f"assert {self.message!r}"

    @property
    def message(self) -> str:
        return _text(self.attributes[0])

    @property
    def span(self) -> Span | None:
        span = self.attributes[1]
        assert span is None or isinstance(span, Span)
        return span

    @property
    def condition(self) -> Node:
        return self.operands[0]

    @property
    def arguments(self) -> tuple[Node, ...]:
        return self.operands[1:]


class Conjoin(Node):
    """The certificate of all certificates it has."""

    __slots__ = ()
    has_code = False
    is_scalar = True


class Trace(Node):
    """Writes a value of the source to standard error; its leaves are the operands."""

    __slots__ = ()
    has_effect = may_write = for_host = True
    puts_away = "effects"

    @property
    def layout(self) -> Layout:
        """The type of the value in the source, as it is written; see `cogen.array.ir.layout`."""
        return self.attributes[0]  # type: ignore[return-value]  # set by Graph.trace


class _OfArray(Node):
    """A node whose first operand is an array."""

    __slots__ = ()

    @property
    def array(self) -> Node:
        return self.operands[0]


class Index(_OfArray):
    """An element or row of an array, at indices that are within bounds."""

    __slots__ = ()
    is_view = shares_first = is_movable = True
    puts_away = "indexed"
    cost = LOAD

    @property
    def indices(self) -> tuple[Node, ...]:
        return self.operands[1:]


class Slice(_OfArray):
    """`length` rows of an array from row `start`."""

    __slots__ = ()
    is_view = shares_first = is_movable = True
    gives_stored = "sliced"

    @property
    def start(self) -> Node:
        return self.operands[1]

    @property
    def length(self) -> Node:
        return self.operands[2]


class Rearrange(_OfArray):
    """The dimensions in another order: dimension k of the result is `order[k]` of the array."""

    __slots__ = ()
    is_view = shares_first = is_another_form = True
    gives_stored = "transposed"

    @property
    def word(self) -> str:
        return f"rearrange({', '.join([str(k) for k in self.order])})"

    @property
    def order(self) -> tuple[int, ...]:
        return self.attributes[0]  # type: ignore[return-value]  # set by Graph.rearrange


class Reshape(_OfArray):
    """The elements, in row-major order, in the shape `sizes`; as many as there are."""

    __slots__ = ()
    is_view = shares_first = is_another_form = True
    gives_stored = "reshaped"
    rows_operand = 1

    @property
    def sizes(self) -> tuple[Node, ...]:
        return self.operands[1:]


class Concat(Node):
    """The rows of one array and then of another."""

    __slots__ = ()
    is_fresh = is_movable = True
    puts_away, gives_stored = "stored", "assembled"

    @property
    def left(self) -> Node:
        return self.operands[0]

    @property
    def right(self) -> Node:
        return self.operands[1]


class Iota(Node):
    """The ints 0 ... size-1."""

    __slots__ = ()
    is_fresh = is_movable = is_formula = True
    rows_operand = 0

    def element_at(self, index: Node) -> Node:
        return index

    @property
    def size(self) -> Node:
        return self.operands[0]


class Replicate(Node):
    """`size` times a value."""

    __slots__ = ()
    is_fresh = is_movable = is_formula = True
    puts_away = "stored"
    rows_operand = 0

    def element_at(self, index: Node) -> Node:
        return self.value

    @property
    def size(self) -> Node:
        return self.operands[0]

    @property
    def value(self) -> Node:
        return self.operands[1]


class Literal(Node):
    """An array of as many elements or rows as there are operands."""

    __slots__ = ()
    is_fresh = is_movable = True


class Copy(_OfArray):
    """The same array in memory that nothing else refers to."""

    __slots__ = ()
    is_fresh = True
    puts_away, gives_stored = "stored", "consumed"

    @property
    def original(self) -> Node:
        return self.array


class Update(_OfArray):
    """The array with another element, or row of the same shape, at indices within bounds."""

    __slots__ = ()
    shares_first = True
    puts_away, gives_stored = "stored", "consumed"

    @property
    def overwritten(self) -> tuple[int, ...]:
        return (0,)

    @property
    def indices(self) -> tuple[Node, ...]:
        return self.operands[1:-1]

    @property
    def value(self) -> Node:
        return self.operands[-1]


class Region(Node):
    """A node with several results, which are used through `Part`; its own type is NONE."""

    __slots__ = ("results",)

    results: tuple[Type, ...]
    """The types of the results; `Own(i)` in a shape is the value of result i."""

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The arrays that it goes through by element, after the first operand."""
        return ()

    @property
    def elements(self) -> tuple[Parameter, ...]:
        """The parameters of its first block for the elements of these."""
        return ()

    @property
    def carrying(self) -> tuple[Carried, ...]:
        """What its blocks are given, and become from one time to the next."""
        return ()

    def ways_to(self, result: int) -> tuple[Node, ...]:
        """What a result is, whichever way control goes, where that is one of several nodes."""
        return ()

    def carries(self, result: int) -> Carried | None:
        """What a result is carried with, if it is what became of an operand."""
        return None

    def shared(self, result: int) -> tuple[Node, ...]:
        """Whose memory a result may have, beside what carries it."""
        return self.ways_to(result)

    def makes(self, result: int) -> bool:
        """Whether a result may lie in memory of its own."""
        return not self.ways_to(result)


@dataclass(frozen=True, slots=True, eq=False)
class Carried:
    """Values that a block of a node is given, and gives for the next time."""

    block: Block
    parameters: tuple[Parameter, ...]
    first: int
    """The position, among the node's operands, of what the parameters start with, in order."""
    result: int
    """The first of the node's results that these are in the end."""
    given: tuple[tuple[Parameter, Node], ...] = ()
    """The block's other parameters, each with a node of the first block that it is."""


class If(Region):
    """One of two blocks without parameters."""

    __slots__ = ()
    says_results = True
    gives_stored = "from-branch"

    def ways_to(self, result: int) -> tuple[Node, ...]:
        return self.then.results[result], self.otherwise.results[result]

    @property
    def condition(self) -> Node:
        return self.operands[0]

    @property
    def then(self) -> Block:
        return self.blocks[0]

    @property
    def otherwise(self) -> Block:
        return self.blocks[1]


class Loop(Region):
    """Iterations 0 ... bound-1 in order, each from the values of the one before."""

    __slots__ = ()
    is_loop = takes_time = True
    puts_away = gives_stored = "into-loop"

    @property
    def carrying(self) -> tuple[Carried, ...]:
        return (Carried(self.body, self.carried, 1, 0),)

    def carries(self, result: int) -> Carried | None:
        return self.carrying[0]

    @property
    def bound(self) -> Node:
        """The number of iterations; none where it is negative."""
        return self.operands[0]

    @property
    def initial(self) -> tuple[Node, ...]:
        return self.operands[1:]

    @property
    def body(self) -> Block:
        return self.blocks[0]

    @property
    def index(self) -> Parameter:
        return self.body.parameters[0]

    @property
    def carried(self) -> tuple[Parameter, ...]:
        return self.body.parameters[1:]


class Call(Region):
    """A call of a function of the module; the sizes of arguments are arguments."""

    __slots__ = ()
    may_write = takes_time = says_results = for_host = overwrites = True
    puts_away = gives_stored = "into-call"

    @property
    def word(self) -> str:
        return f"call {self.function}"

    def shared(self, result: int) -> tuple[Node, ...]:
        return self.operands

    @property
    def function(self) -> str:
        return _text(self.attributes[0])


@dataclass(frozen=True, slots=True)
class Yield(TakesStream):
    """One generator of a loop with what belongs to it."""

    generator: Generator
    stream: StreamValue
    keys: tuple[Node, ...]
    """The parts of the key: of a dense Bucket which one, of a Scatter the index."""
    values: tuple[Node, ...]
    extras: tuple[Node, ...]
    """Of a dense Bucket the number of buckets; of what combines the neutral values; of a Scatter
    the targets."""
    operator: Block | None
    first: int
    """The index of its first result among the loop's."""
    running: tuple[Parameter, ...] = ()
    """Scan: the body's parameters for the accumulated values."""

    @property
    def condition(self) -> Node | None:
        """What must hold in an iteration that it takes something in."""
        return self.stream.condition

    @property
    def before(self) -> tuple[Parameter, ...]:
        """The parameters for what was accumulated before the iteration."""
        return self.running if self.generator.goes_before else ()

    @property
    def key(self) -> Node | None:
        """The key, of a generator whose key is an int."""
        return self.keys[0] if self.keys and not is_hashed(self.generator) else None

    @property
    def taken(self) -> tuple[Node, ...]:
        """All that it takes in an iteration, but for the condition."""
        return self.stream.taken

    @property
    def bound(self) -> Node:
        """Of a dense Bucket how many buckets there are; if it collects, how many offsets."""
        assert isinstance(self.generator, Bucket)
        assert not self.generator.hashed
        return self.extras[0]

    @property
    def neutral(self) -> tuple[Node, ...]:
        """The neutral values of what combines."""
        dense = isinstance(self.generator, Bucket) and not self.generator.hashed
        return self.extras[1:] if dense else self.extras


class Multiloop(Region):
    """The one loop form for operations on arrays; see the head of this module."""

    __slots__ = ("_yields",)
    is_loop = takes_time = True

    _yields: tuple[Yield, ...]
    """The generators, once they were asked for."""

    @property
    def size(self) -> Node:
        return self.operands[0]

    @property
    def inputs(self) -> tuple[Node, ...]:
        return self.operands[1 : 1 + self._inputs]

    @property
    def _inputs(self) -> int:
        return self.attributes[0]  # type: ignore[return-value]  # set by Graph.multiloop

    @property
    def generators(self) -> tuple[Generator, ...]:
        return self.attributes[1]  # type: ignore[return-value]  # set by Graph.multiloop

    @property
    def body(self) -> Block:
        return self.blocks[0]

    @property
    def index(self) -> Parameter:
        return self.body.parameters[0]

    @property
    def elements(self) -> tuple[Parameter, ...]:
        """The parameters for the elements of the inputs."""
        return self.body.parameters[1 : 1 + self._inputs]

    @property
    def running(self) -> tuple[Parameter, ...]:
        """The parameters for the accumulated values of running scans."""
        return self.body.parameters[1 + self._inputs :]

    @property
    def overwritten(self) -> tuple[int, ...]:
        found: list[int] = []
        for y, first in self._with_extras():
            if y.generator.overwrites:
                found += range(first, first + len(y.extras))
        return tuple(found)

    @property
    def carrying(self) -> tuple[Carried, ...]:
        pairs = self._with_extras()
        return tuple([_accumulated(y, first) for y, first in pairs if y.operator is not None])

    def carries(self, result: int) -> Carried | None:
        for y, first in self._with_extras():
            if y.generator.gives_one and y.first <= result < y.first + y.gives:
                return _accumulated(y, first)
        return None

    def shared(self, result: int) -> tuple[Node, ...]:
        for y in self.yields():
            if y.generator.overwrites and y.first <= result < y.first + y.gives:
                return (y.extras[result - y.first],)
        return ()

    def makes(self, result: int) -> bool:
        return not self.shared(result)

    def _with_extras(self) -> list[tuple[Yield, int]]:
        """The generators, and the position of the first of the further operands of each."""
        found = []
        position = 1 + self._inputs
        for y in self.yields():
            found.append((y, position))
            position += len(y.extras)
        return found

    def yields(self) -> tuple[Yield, ...]:
        """The generators, each with its values, operands and operator."""
        try:
            return self._yields
        except AttributeError:
            self._yields = self._taken_apart()
            return self._yields

    def _taken_apart(self) -> tuple[Yield, ...]:
        found = []
        extra, operator, first = 1 + self._inputs, 1, 0
        run = 1 + self._inputs
        for generator, stream in zip(self.generators, self.body.streams, strict=True):
            taken = stream.taken
            ran = generator.values if generator.runs else 0
            found.append(
                Yield(
                    generator,
                    stream,
                    taken[: generator.keys],
                    taken[generator.keys :],
                    self.operands[extra : extra + generator.extras],
                    self.blocks[operator] if generator.has_operator else None,
                    first,
                    self.body.parameters[run : run + ran],
                )
            )
            run += ran
            extra += generator.extras
            operator += generator.has_operator
            first += found[-1].gives
        return tuple(found)


def _accumulated(y: Yield, first: int) -> Carried:
    """The accumulators of a generator whose further operands begin at a position."""
    assert y.operator is not None
    count = y.generator.values
    accumulators, elements = y.operator.parameters[:count], y.operator.parameters[count:]
    given = tuple(zip(elements, y.values, strict=True))
    return Carried(y.operator, accumulators, first + len(y.extras) - count, y.first, given)


class Part(Node):
    """One result of a node with several."""

    __slots__ = ()
    has_code = False

    @property
    def ways(self) -> tuple[Node, ...]:
        return self.node.ways_to(self.index)

    @property
    def node(self) -> Region:
        node = self.operands[0]
        assert isinstance(node, Region)
        return node

    @property
    def maker(self) -> Node:
        return self.operands[0]

    @property
    def index(self) -> int:
        return self.attributes[0]  # type: ignore[return-value]  # set by Graph.part


def loop_of(node: Node) -> Multiloop | None:
    """The loop that a node is a result of, if it is one's."""
    found = node.maker
    return found if isinstance(found, Multiloop) else None


def choice_of(node: Node) -> If | None:
    """The conditional that a node is a result of, if it is one's."""
    found = node.maker
    return found if isinstance(found, If) else None


def _text(attribute: Attribute) -> str:
    assert isinstance(attribute, str)
    return attribute


class Block:
    """Code with parameters; immutable, and compared by identity.

    `effects` are the nodes executed in this block whether or not they are used, in order. The body
    of a Multiloop gives `streams`; `results` are the nodes that these are made of.
    """

    __slots__ = ("effects", "free", "parameters", "results", "streams", "token")

    def __init__(
        self,
        token: Parameter,
        parameters: tuple[Parameter, ...],
        effects: tuple[Node, ...],
        results: tuple[Node, ...] = (),
        streams: tuple[StreamValue, ...] = (),
    ) -> None:
        for stream in streams:
            results += stream.leaves
        self.streams = streams
        self.token = token
        self.parameters = parameters
        self.effects = effects
        self.results = results
        bound = {token, *parameters}
        free: set[Parameter] = set()
        for node in (*effects, *results, *parameters):
            free |= node.free
        self.free = frozenset(free - bound)

    @property
    def binds(self) -> tuple[Parameter, ...]:
        """The parameters and the token."""
        return (*self.parameters, self.token)


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function of a module.

    Its body's parameters are, first, `sizes` ints, the sizes that the types of the others name, and
    then the leaves of the source's parameters. Its results are the leaves of the source's result,
    after `result_sizes` ints, the sizes that `results` names `Own(i)`.
    """

    name: str
    body: Block
    sizes: int
    result_sizes: int
    results: tuple[Type, ...]
    parameter_names: tuple[str, ...]
    """The source's parameters, and their declared types."""
    parameter_layouts: tuple[Layout, ...]
    result_layout: Layout
    span: Span
    effectful: bool

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The leaves of the source's parameters."""
        return self.body.parameters[self.sizes :]


@dataclass(frozen=True, slots=True, eq=False)
class Module:
    """A program: the function that is run, and the functions that are called."""

    entry: Function
    functions: dict[str, Function]

    def __repr__(self) -> str:
        return f"<graph of {listed([self.entry.name, *self.functions])}>"


def shape(node: Node) -> tuple[Node, ...]:
    """The sizes of the array that a node is; none if it is a scalar."""
    t = node.type
    return t.shape if isinstance(t, GraphArray) else ()  # type: ignore[return-value]  # no Own


def sizes_in(*types: Type) -> list[Node]:
    """The sizes in types that are nodes, not results of the node that has these types."""
    return [n for t in types if isinstance(t, GraphArray) for n in t.shape if isinstance(n, Node)]


def sized_by(t: Type, size: Callable[[Node], Node]) -> Type:
    """A type with other nodes for its sizes."""
    if not isinstance(t, GraphArray):
        return t
    sizes: list[Dimension] = [size(n) if isinstance(n, Node) else n for n in t.shape]
    return GraphArray(t.element, tuple(sizes))


def substitute_own(t: Type, parts: Mapping[Own, Node]) -> Type:
    """A type of a result, with its own sizes replaced by nodes."""
    if not isinstance(t, GraphArray):
        return t
    sizes: list[Dimension] = [parts[n] if isinstance(n, Own) else n for n in t.shape]
    return GraphArray(t.element, tuple(sizes))
