"""Loops over memory: what a scheduled program does, step by step, before it is text.

    program   ::= Function ... Kernel ...
    function  ::= Function(name, parameter ..., statement ...)     ends, or fails
    kernel    ::= Kernel(name, parameter ..., items, statement ...)
                                                  done by each work item with a number below `items`

    statement ::= Let(variable, e)                a variable that stays as it is
        | Variable(variable, e?, region?)         a variable that changes; an address may be in a
                                                  region, of which another variable has a reference
        | Room(variable, size)                    a few elements of its own, for a scope or a group
        | Assign(variable, e, sign)               variable = e, or variable = variable sign e
        | Store(base, index, e, sign)             the same for an element
        | Put(samples, base, index, e)            a sample of packed memory, whose bits are 0
        | Allocate(variable, element, size, site, over?)
                                                  a new region; it fails where there is no memory
        | Do(e)                                   for its effect
        | IfStatement(test, statement ..., statement ...)
        | For(index, start, stop, step, statement ..., mark?, sharing?)
        | While(test, statement ...)
        | Break                                   leaves the innermost For or While
        | Fail(site, e ...)                       leaves what can fail, with an error
        | Attempt(statement ...)                  what fails within leaves only this
        | Parallel(team, ..., statement ...)      done by each thread of a team, for its part
        | CallStatement(name, e ...)              a function of the program; fails if that does
        | Scan(accumulator, operator, ...)        prefixes of a few elements in memory

    mark      ::= Lanes((combination, accumulator) ...)
                                                  iterations may be done side by side
        | Apart((combination, accumulator) ...)   iterations need nothing else of one another
        | Running((combination, scanned) ..., (combination, accumulator) ..., counter ...)
                                                  and what was accumulated so far, of scans
        | Tables((address, distance) ...)         iterations may use other tables in their place
        | Shared(threads, test)                   iterations may be shared out among threads

    sharing ::= Sharing(work, site, join ...)     threads may have parts of the iterations, in
                                                  order, if what each finds is joined afterwards
    join    ::= Reduced(accumulator ..., neutral ..., operator)
        | Scanned(accumulator ..., neutral ..., operator, address ..., For?)
                                                  what was accumulated so far is an element of each
        | Kept(count, (address, row) ...)         rows that are kept lie side by side
        | Keyed(size, Table(address ..., neutral ..., operator) ...)
                                                  tables of accumulators, by keys
        | Grown(count, (region, type) ...)        regions that get elements at their ends
        | Tallied(address, size)                  how often each key came, for sorting by it
        | Hashed(table, count, rows?, e ..., operator, address?, count?)
                                                  a table by key, and the numbers of keys in it
        | Placed((address, size) ...)             elements at places that are computed
    rows    ::= AccumulatorRows(region, address, type ...)   accumulators side by side, a row a key
    operator ::= Operator(left ..., right ..., statement ..., e ..., combination? ...)

    e ::= Var(name, type) | Const(value, type)
        | Binary(sign, e, e) | Not(e)             on sizes, indices, addresses and tests
        | Operate(row, e ...)                     a scalar operation, a row of `operations.TABLE`
        | Choose(test, e, e)                      evaluates what it chooses only
        | Convert(type, e)
        | Load(base, index)                       an element
        | Get(samples, base, last, index, type)   a sample of packed memory
        (`cogen.array.l0.storage`) | Address(e)                              of a variable, or of an
        element | Data(region, type)                      the first element of a region
        | SizeOf(type)                            in bytes
        | Invoke(function, e ...)                 a row of `functions.TABLE`

    type ::= Number(name) | Pointer(type, space) | Vector(type, lanes) | Opaque(name)

A variable can be used from its declaration to the end of the statements among which that stands;
there nothing else has its name, so nothing is hidden by anything else. `For` binds
its index, `Parallel` the numbers of the thread and of all, and where its part starts and stops.
Binary numbers are computed without overflow, for they count elements; only `<<` loses high bits. A
region (a `block`) is memory with a count of references. What is marked has the same meaning without
its mark, up to the order of operations on the accumulators that it names; what may be shared out is
done by one thread where nothing shares it (`cogen.array.loops.share`).
"""

from __future__ import annotations

from dataclasses import field
from typing import Final

from cogen.array.l0.storage import Samples
from cogen.lang.errors import InternalError, Span
from cogen.lang.node import leaf, node

# Types.


@leaf
class Number:
    """A number by its name: i64, i32, u32, u8, f64, f32, bool, size (of memory, in bytes), or
    thread (the number of a thread)."""

    name: str


@leaf
class Pointer:
    """The address of elements. `space` of a kernel: "global", or "local" to a work group."""

    target: Type
    space: str = ""


@leaf
class Vector:
    """Numbers side by side; those for bools are ints, -1 where they are true."""

    element: Number
    lanes: int


@leaf
class Opaque:
    """What the run-time library defines: block (a region), or numbers (a table of numbers)."""

    name: str


Type = Number | Pointer | Vector | Opaque

I64: Final = Number("i64")
I32: Final = Number("i32")
U32: Final = Number("u32")
U8: Final = Number("u8")
F64: Final = Number("f64")
F32: Final = Number("f32")
BOOL: Final = Number("bool")
SIZE: Final = Number("size")
THREAD: Final = Number("thread")
BLOCK: Final = Opaque("block")
NUMBERS: Final = Opaque("numbers")

COMPARISONS: Final = ("<", "<=", ">", ">=", "==", "!=")
LOGICAL: Final = ("&&", "||")
ARITHMETIC: Final = ("+", "-", "*", "/", "%", "&", "|", "<<", ">>")

_WIDTHS: Final = {
    "bool": 1, "u8": 8, "thread": 31, "i32": 32, "u32": 33, "size": 63, "i64": 64,
    "f32": 65, "f64": 66,
}  # fmt: skip
"""An order of numbers: those of two operands' types that comes later has the result."""


def truths(t: Vector) -> Vector:
    """The type of what comparing vectors gives: ints as wide as their elements."""
    return Vector({F64: I64, F32: I32}.get(t.element, t.element), t.lanes)


# Expressions.


@leaf
class Var:
    name: str
    type: Type


@node
class Const:
    """A number; None is no region. Those are equal that are written alike: -0.0 is not 0.0."""

    value: int | float | bool | None
    type: Type

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Const):
            return NotImplemented
        return repr(self.value) == repr(other.value) and self.type == other.type

    def __hash__(self) -> int:
        return hash((repr(self.value), self.type))


@leaf
class Binary:
    sign: str
    left: Expr
    right: Expr

    @property
    def type(self) -> Type:
        left, right = self.left.type, self.right.type
        if self.sign in COMPARISONS:
            return truths(left) if isinstance(left, Vector) else BOOL
        if self.sign in LOGICAL:
            return BOOL
        return wider(left, right)


@leaf
class Not:
    operand: Expr

    @property
    def type(self) -> Type:
        return BOOL


@leaf
class Operate:
    """A scalar operation on scalars, or lane by lane."""

    row: str
    operands: tuple[Expr, ...]
    type: Type


@leaf
class Choose:
    """Of vectors: lane by lane, where `test` is one."""

    test: Expr
    then: Expr
    otherwise: Expr

    @property
    def type(self) -> Type:
        return self.then.type


@leaf
class Convert:
    """The number as one of another type; a scalar as a vector is in all lanes."""

    type: Type
    operand: Expr


@leaf
class Load:
    base: Expr
    index: Expr

    @property
    def type(self) -> Type:
        return target(self.base)


@leaf
class Get:
    """Sample `index` behind an address of bytes. Words of 8 bytes are read from no place after the
    byte `last`, which is where the last one begins that lies within the memory."""

    samples: Samples
    base: Expr
    last: Expr
    index: Expr
    type: Type


@leaf
class Address:
    operand: Var | Load

    @property
    def type(self) -> Type:
        return Pointer(self.operand.type)


@leaf
class Data:
    region: Expr
    type: Type


@leaf
class SizeOf:
    of: Type

    @property
    def type(self) -> Type:
        return SIZE


@leaf
class Invoke:
    """`type` is that of the result; see `cogen.array.loops.functions`."""

    function: str
    arguments: tuple[Expr, ...]
    type: Type


Expr = (
    Var
    | Const
    | Binary
    | Not
    | Operate
    | Choose
    | Convert
    | Load
    | Get
    | Address
    | Data
    | SizeOf
    | Invoke
)


@leaf
class Combination:
    """How an accumulator is combined with values, in any order: the sign that OpenMP knows it by,
    its identity (None: whatever it starts with, as for a minimum), and the row of
    `cogen.array.ir.operations` that it is or, of a minimum or maximum, that compares. There
    `swapped` says that a value is compared with the accumulator, not the other way round, and
    `keeps` that the accumulator is kept where the comparison holds."""

    sign: str
    identity: int | float | bool | None
    row: str
    swapped: bool = False
    keeps: bool = False

    @property
    def is_choice(self) -> bool:
        """Whether it is a minimum or maximum."""
        return self.identity is None

    def combine(self, accumulator: Expr, value: Expr) -> Expr:
        """The new accumulator from the old one and an element."""
        if not self.is_choice:
            return Operate(self.row, (accumulator, value), accumulator.type)
        pair = (value, accumulator) if self.swapped else (accumulator, value)
        chosen = (accumulator, value) if self.keeps else (value, accumulator)
        return Choose(Operate(self.row, pair, BOOL), *chosen)

    def taken(self, accumulator: Expr, combined: Expr) -> Expr | None:
        """The value that an accumulator was combined with; None if it was not."""
        found: list[Expr] = []
        match combined:
            case Operate(operands=(_, value)):
                found = [value]
            case Choose(_, a, b):
                found = [a, b]
        for value in found:
            if self.combine(accumulator, value) == combined:
                return value
        return None

    def start(self, e: Expr) -> Expr:
        """The identity as a constant of the type of an expression; itself if there is none."""
        return e if self.identity is None else Const(self.identity, e.type)


ANY: Final = Combination("|", 0, "int.or")
"""Whether anything holds, as ints."""


# Statements.


@leaf
class HasPlace:
    """What statements have in common: where in the source stands what they do, if that is known.
    It is no part of what they are; one that has none is of what is around it."""

    place: Span | None = field(default=None, compare=False, repr=False, kw_only=True)


@leaf
class Let(HasPlace):
    variable: Var
    value: Expr


@leaf
class Variable(HasPlace):
    variable: Var
    value: Expr | None = None
    region: Var | None = None


@leaf
class Room(HasPlace):
    """The variable points to the first of `size` elements; local ones are a work group's."""

    variable: Var
    size: Expr


@leaf
class Assign(HasPlace):
    variable: Var
    value: Expr
    sign: str = ""


@leaf
class Store(HasPlace):
    base: Expr
    index: Expr
    value: Expr
    sign: str = ""


@leaf
class Put(HasPlace):
    """Store the low bits of a value as sample `index` behind an address of bytes. Where samples are
    no whole numbers in memory (`samples.in_bytes`), the bits are 0 before."""

    samples: Samples
    base: Expr
    index: Expr
    value: Expr


@leaf
class Allocate(HasPlace):
    """`size` elements, which are not set; `site` is the error's number.

    `over` are a region and an address in it: if the address is that of the first element, nothing
    else refers to the region, and it has room, then it is also the new one, with one reference
    more, and its elements are there.
    """

    variable: Var
    element: Type
    size: Expr
    site: int
    over: tuple[Var, Var] | None = None


@leaf
class Do(HasPlace):
    value: Invoke


@leaf
class IfStatement(HasPlace):
    test: Expr
    then: Block
    otherwise: Block = ()


@leaf
class Lanes:
    """Iterations may be done side by side: none needs another, but for the accumulators, each of
    which iterations combine with values. `abreast`: as many accumulators as this belong together
    already, each with some of the iterations; `few`: these are the iterations of a short block."""

    accumulators: tuple[tuple[Combination, Var], ...] = ()
    abreast: int = 1
    few: bool = False


@leaf
class Apart:
    """Iterations need nothing of one another, but for accumulators as `Lanes` has them: they may be
    done in any order, and mixed. Nothing says that vectors could do them."""

    accumulators: tuple[tuple[Combination, Var], ...] = ()


@leaf
class Running:
    """Iterations need nothing of one another, but for accumulators as `Lanes` has them and for
    `scans`: accumulators that an iteration combines with a value, and then may look at. It may
    make `counts` one more, having stored elements there: else those are not seen."""

    scans: tuple[tuple[Combination, Var], ...]
    accumulators: tuple[tuple[Combination, Var], ...] = ()
    counts: tuple[Var, ...] = ()


@leaf
class Tables:
    """What an iteration does at an address it may do so many elements further, or twice or three
    times as many: there are tables that are put together afterwards. It looks there at nothing but
    what it changes."""

    tables: tuple[tuple[Var, Var], ...]


@leaf
class Shared:
    """Iterations may be shared out among so many threads, where a test holds."""

    threads: Expr
    test: Expr


Mark = Lanes | Apart | Running | Tables | Shared


@leaf
class Operator:
    """How what some iterations have found is combined with what later ones have: `left` and `right`
    are these, statements make the `results` of them. Those that a `Combination` makes are `known`:
    they can be combined in any order."""

    left: tuple[Var, ...]
    right: tuple[Var, ...]
    body: Block
    results: tuple[Expr, ...]
    known: tuple[Combination | None, ...]

    @property
    def all_known(self) -> bool:
        return None not in self.known


@leaf
class Reduced:
    """Accumulators that the iterations combine with values; they are `neutral` before the loop."""

    accumulators: tuple[Var, ...]
    neutral: tuple[Expr, ...]
    operator: Operator


@leaf
class Scanned:
    """Accumulators, `neutral` before the loop, that are stored in each iteration, at its index
    behind `outs`; nothing looks at them after the loop. Where the iteration looks at them, too,
    `first` is the loop that does nothing but accumulate."""

    accumulators: tuple[Var, ...]
    neutral: tuple[Expr, ...]
    operator: Operator
    outs: tuple[Expr, ...]
    first: For | None = None


@leaf
class Kept:
    """Iterations put a row of so many elements, or none, behind each address, where there is room
    for one of each iteration; rows come one after the other. `count` is how many there are, 0
    before the loop."""

    count: Var
    places: tuple[tuple[Expr, Expr], ...]


@leaf
class Table:
    """What one operator combines of each key: its accumulators, each behind an address; they are
    `neutral` before the loop. Iterations do not look at them but to combine them."""

    bases: tuple[Var, ...]
    neutral: tuple[Expr, ...]
    operator: Operator


@leaf
class Keyed:
    """Tables of so many accumulators that take the same keys."""

    size: Expr
    tables: tuple[Table, ...]


@leaf
class Grown:
    """Iterations put elements at the ends of regions that grow; `count` is how many there are, 0
    before the loop."""

    count: Var
    regions: tuple[tuple[Var, Number], ...]


@leaf
class Tallied:
    """Iterations count keys, none of which has come before the loop. Elements are sorted by these
    numbers later on, between the functions `starts` and `ends`."""

    tally: Var
    size: Expr


@leaf
class AccumulatorRows:
    """A region that grows, with accumulators of such types side by side in each row
    (`cogen.array.loops.slots`); `first` is the variable with the address of its slots."""

    region: Var
    first: Var
    types: tuple[Number, ...]


@leaf
class Hashed:
    """Iterations look keys up in a table, and combine values with what a region that grows has for
    them: `count` keys so far, which start with neutral values, with a row of `rows` for each; keys
    have `width` ints. Behind `numbers`, if there are any, each iteration stores the number of its
    key; if `stored` says how many there are, some do, one behind the other, which a `Kept` joins
    that comes later, or a `Grown`, if they are the data of a region."""

    table: Var
    width: int
    count: Var
    rows: AccumulatorRows | None
    neutral: tuple[Expr, ...]
    operator: Operator
    numbers: Expr | None = None
    stored: Expr | None = None


@leaf
class Placed:
    """Iterations store at any place behind addresses, and do little else; each thread does all of
    them, and stores in its part of so many elements."""

    targets: tuple[tuple[Expr, Expr], ...]


Join = Reduced | Scanned | Kept | Keyed | Grown | Tallied | Hashed | Placed


@leaf
class Sharing:
    """Threads may each do a part of the iterations, in order, if what they find is joined.  `work`:
    what all iterations cost, in additions; `site`: the number of the error that there is no
    memory for what a join needs; `each`: how many iterations, as joins speak of them, an iteration
    of the loop does now."""

    work: Expr
    site: int
    joins: tuple[Join, ...]
    each: int = 1


@leaf
class For(HasPlace):
    """The ints from `start` up to before `stop`, `step` apart."""

    index: Var
    start: Expr
    stop: Expr
    step: Expr
    body: Block
    mark: Mark | None = None
    sharing: Sharing | None = None


@leaf
class While(HasPlace):
    test: Expr
    body: Block


@leaf
class Break(HasPlace):
    pass


@leaf
class Fail(HasPlace):
    """What can fail is the function, the kernel, or the innermost `Parallel` or `Attempt`. Of a
    kernel the first detail is the iteration."""

    site: int
    details: tuple[Expr, ...]


@leaf
class Attempt(HasPlace):
    body: Block


@leaf
class Parallel(HasPlace):
    """The body in each of at most `team` threads.

    `thread` is the number of one, `parts` that of all, which `got`, if any, has afterwards; of
    `size` iterations a thread's part is from `start` up to before `stop`. If a thread fails, this
    does.
    """

    team: Expr
    got: Var | None
    thread: Var
    parts: Var
    size: Expr
    start: Var
    stop: Var
    body: Block


@leaf
class CallStatement(HasPlace):
    function: str
    arguments: tuple[Expr, ...]


@leaf
class Scan(HasPlace):
    """Of `count` elements of `values`, each with all before it and with the accumulator, into
    `out`, which may be the same; the accumulator becomes the last. `function` is the name that the
    text calls it by, `operator` combines two values that are variables, `left` and `right`, and
    `neutral` changes nothing, if there is such a value."""

    accumulator: Var
    function: str
    count: Expr
    values: Expr
    out: Expr
    left: Var
    right: Var
    operator: Expr
    neutral: Const | None = None


Statement = (
    Let | Variable | Room | Assign | Store | Put | Allocate | Do | IfStatement | For | While | Break
    | Fail | Attempt | Parallel | CallStatement | Scan
)  # fmt: skip

Block = tuple[Statement, ...]


@leaf
class Function:
    """Results go where parameters point to. `note` is for whoever reads the text."""

    name: str
    parameters: tuple[Var, ...]
    body: Block
    note: str = ""


@leaf
class Kernel:
    """`part` is the number of the work item; None for `items`: each item there is."""

    name: str
    parameters: tuple[Var, ...]
    part: Var
    items: Expr | None
    body: Block
    note: str = ""
    attribute: str = ""
    extension: str = ""
    """What the device must have, if it is not there everywhere."""


RESERVED: Final = ("memory", "whole", "call")
"""Names that text has for itself: no variable is called so."""


ERRORS: Final = Var("errors", Pointer(I64, "global"))
"""The parameter of all kernels that points to the errors of items, `DEVICE_SLOTS` of each: the
number of the error, the iteration, and details."""


# What all passes ask.


def wider(left: Type, right: Type) -> Type:
    """The type of a sum: of an address and a number, of vectors, or of two numbers."""
    if isinstance(left, (Pointer, Vector)):
        return left
    if isinstance(right, (Pointer, Vector)):
        return right
    if isinstance(left, Number) and isinstance(right, Number):
        return left if _WIDTHS[left.name] >= _WIDTHS[right.name] else right
    raise InternalError(f"no numbers: {left} and {right}")


def target(base: Expr) -> Type:
    """What an address points to."""
    if not isinstance(base.type, Pointer):
        raise InternalError(f"no address: {base}")
    return base.type.target
