"""A path: one straight line of specialization, and the residual code it emits.

A path owns what changes while code is run symbolically: the store, the residual code emitted so
far, which composite values already exist in the residual program, which operations' results are
available.  It forks at dynamic conditionals and ends at a jump, a return or an error.

`emit` appends an operation, `atom` lifts a value: the residual atom that stands for it.  Nothing
is emitted twice: an operation equal to an available one is that one (pure operations for the rest
of the path; reads until the next write or call), and a composite value is built once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from cogen import interval, kinds
from cogen.interval import Interval
from cogen.kinds import Kinds
from cogen.lang import il
from cogen.lang.chain import Calls
from cogen.lang.datum import UNSPECIFIED, Datum
from cogen.lang.errors import InternalError, LimitationError, Span
from cogen.lang.ilutil import base_name
from cogen.lang.prims import PRIMITIVES
from cogen.lang.prims import Primitive as Row
from cogen.spec.domain import (
    Cell,
    Closure,
    Cyclic,
    Dynamic,
    Frame,
    PartialPair,
    PartialRecord,
    Primitive,
    Ref,
    Reified,
    Return,
    Several,
    Static,
    Stop,
    Test,
    Unsettled,
    Value,
)
from cogen.spec.families import Family
from cogen.spec.freeze import Lifted, Store, static_token
from cogen.spec.known import atom_token, fits, number_type, type_of
from cogen.spec.words import Stored, Words

if TYPE_CHECKING:
    from cogen.spec.memo import Arms, Block
    from cogen.spec.recursion import Mark
    from cogen.spec.rules.masked import Bits
    from cogen.spec.specializer import Specializer

SCALARS = frozenset({"int", "float", "bool", "memory"})
"""The types that residual variables are known to have; all others are `any`."""


class Segment:
    """Residual code under construction: bindings and, at last, a tail."""

    __slots__ = ("bindings", "tail")

    def __init__(self) -> None:
        self.bindings: list[Any] = []
        self.tail: Any = None

    def block(self) -> il.Block:
        """The finished code; a tail `(atom, then, otherwise, span)` is a conditional, a binding
        `(cont, parameters, segment, span)` the continuation of a residual call."""
        bindings = []
        for binding in self.bindings:
            if binding is None:
                continue
            if type(binding) is tuple:
                name, parameters, segment, span = binding
                cont = il.Cont(name, parameters, segment.block(), span)
                binding = il.Conts((cont,))
            bindings.append(binding)
        tail = self.tail
        if type(tail) is tuple:
            atom, then, otherwise, span = tail
            tail = il.If(atom, then.block(), otherwise.block(), span)
        if tail is None:
            raise InternalError("a residual block was left unfinished")
        return il.Block(tuple(bindings), tail)


class Path:
    """See the module's docstring.

    `words` are the words of memory that are known (`rules.memory`); `bits` and `definitions` tell
    of results which bits they may have and how they were made (`rules.bits`), `masked` where each
    bit of them comes from (`rules.masked`), `intervals` between which bounds they lie, `kinds` what
    they may be (`rules.kinds`), `decided` which tests the former have answered and `told` how
    often the latter.
    `escaping` are the store objects being allocated, `arms` those of conditionals taken on the way.
    `certain` tells that the source program surely gets here; `quiet` that nothing with an effect,
    and nothing that can fail, was emitted before.
    `through` are the calls that led to the code being run.
    """

    __slots__ = (
        "arms",
        "available",
        "bits",
        "block",
        "calls",
        "certain",
        "counted",
        "decided",
        "definitions",
        "escaping",
        "intervals",
        "kinds",
        "lifted",
        "mark",
        "masked",
        "owner",
        "pending",
        "quiet",
        "reads",
        "seen",
        "segment",
        "spec",
        "store",
        "through",
        "told",
        "words",
    )

    def __init__(self, spec: Specializer, block: Block, store: Store, lifted: Lifted) -> None:
        self.spec = spec
        self.block = block
        self.segment = Segment()
        self.store = store
        self.lifted = lifted
        self.owner = object()
        self.seen: Store | None = None
        self.arms: Arms = ()
        self.available: dict[Any, Dynamic] = {}
        self.reads: dict[Any, Dynamic] = {}
        self.words = Words()
        self.escaping: set[int] = set()
        self.bits: dict[str, int] = {}
        self.definitions: dict[str, tuple[str, tuple[Value, ...]]] = {}
        self.masked: dict[str, Bits] = {}
        self.intervals: dict[str, Interval] = {}
        self.kinds: dict[str, Kinds] = {}
        self.decided: dict[int, dict[Any, Any]] = {}
        self.told: Counter[Hashable] = Counter()
        self.pending: Test | None = None
        self.certain = False
        self.quiet = False
        self.calls = 0
        self.counted = -1
        self.mark: Mark | None = None
        self.through: Calls = ()

    def fork(self, segment: Segment) -> Path:
        """A path that goes on from here on its own, in a segment of its own."""
        path = type(self)(self.spec, self.block, dict(self.store), dict(self.lifted))
        path.segment = segment
        path.arms = self.arms
        path.available = dict(self.available)
        path.reads = dict(self.reads)
        path.words = self.words.seen()
        path.bits, path.masked = dict(self.bits), dict(self.masked)
        path.definitions = self.definitions
        path.intervals, path.kinds = dict(self.intervals), dict(self.kinds)
        path.calls, path.through = self.calls, self.through
        self.owner = object()
        return path

    # -- the store -----------------------------------------------------------------------------

    def snapshot(self) -> Store:
        """The store as it is now, to be kept: what is assigned later is assigned in copies."""
        if self.seen is None:
            self.seen = dict(self.store)
            self.owner = object()
        return self.seen

    def allocate(self, kind: Any, items: Iterable[Value], span: Span | None = None) -> Ref:
        """A new mutable object of the store, made at a place: kind is cell, vector, pair or a
        record type."""
        number = self.spec.next_number()
        site = (kind, None if span is None else span.start)
        self.seen = None
        cell = self.store[number] = Cell(kind, list(items), self.owner, site)
        if site in self.spec.counting and not self.spec.top_level.evaluating:
            self._escape_object(Ref(number), cell)
        return Ref(number)

    def content(self, ref: Ref) -> Cell | Dynamic:
        """The object, or the residual variable that it has become."""
        return self.store[ref.number]  # type: ignore[no-any-return]

    def assign(self, ref: Ref, index: int, value: Value) -> None:
        """Put a value into an object that the specializer owns."""
        cell = self.store[ref.number]
        if cell.is_settled:
            raise Unsettled(cell.site)
        self.seen = None
        if cell.owner is not self.owner:
            cell = cell.with_items(list(cell.items), self.owner)
            self.store[ref.number] = cell
        cell.items[index] = value

    # -- residual code -------------------------------------------------------------------------

    def fresh(self, hint: str) -> str:
        return self.spec.fresh(hint)

    def let(
        self, op: str, atoms: tuple[il.Atom, ...], type: str, hint: str, span: Span | None
    ) -> Dynamic:
        """Append an operation on atoms; the caller has seen to pending tests."""
        name = self.fresh(hint)
        span = self.placed(span)
        self.segment.bindings.append(il.Let(name, op, atoms, span))
        if self.spec.demand.watched:
            self.spec.demand.operate(self, op, atoms, name)
        self.spec.limits.count_operation(span)
        return self.spec.variable(name, type if type in SCALARS else "any")

    def placed(self, span: Span | None) -> Span | None:
        """A place in the code being run, with the calls that led there."""
        if span is None or span.calls is not None:
            return span
        return span.reached(self.through)

    def emit(self, op: str, values: Sequence[Value], span: Span | None, hint: str = "t") -> Dynamic:
        """Append an operation on lifted values, or find it available; gives its result."""
        row = PRIMITIVES[op]
        if op in _INDEXING and self.spec.demand.watched and type(values[0]) is Ref:
            self.spec.demand.ask(self, values[1])
        types = [type_of(value) for value in values]
        fails = self.remaining_failures(op, types)
        if self.pending is not None and (fails or row.effect not in ("pure", "alloc")):
            self.settle()
        atoms = tuple([self.atom(value) for value in values])
        looks = op in ("equal?", "equal-hash") or "bytevector" in row.arguments
        if looks or (row.fails and self.spec.handles_errors):
            self.observe()
        result = row.result if row.result != "number" else number_type(types)
        if row.effect == "pure" or row.effect == "read":
            table = self.available if row.effect == "pure" else self.reads
            key = (op, *map(atom_token, atoms))
            found = table.get(key)
            if found is None:
                found = table[key] = self.let(op, atoms, result, hint, span)
                self._note_kinds(found, row, values)
                self.quiet = self.quiet and not fails
                if result == "int":
                    self._note_interval(found, op, values)
                    if op in _SUMS:
                        self.definitions[found.name] = (op, tuple(values))
            return found
        if row.effect != "alloc":
            self.clobber()
        if row.effect != "alloc" or fails:
            self.quiet = False
        found = self.let(op, atoms, result, hint, span)
        self._note_kinds(found, row, values)
        return found

    def _note_kinds(self, found: Dynamic, row: Row, values: Sequence[Value]) -> None:
        """Remember of what kinds the result of an operation is, and its arguments."""
        made = kinds.of_type(row.result)
        if made != kinds.ANYTHING and found.type == "any":
            self.kinds[found.name] = made
        if "type" in row.fails:
            for position, value in enumerate(values):
                if type(value) is Dynamic and value.type == "any":
                    known = self.kinds_of(value) & kinds.wanted(row, position)
                    if known and known != kinds.ANYTHING:
                        self.kinds[value.name] = known

    def kinds_of(self, value: Value) -> Kinds:
        """The kinds that a value may be of."""
        kind = type(value)
        if kind is Dynamic:
            found = self.kinds.get(value.name)  # type: ignore[union-attr]
            return kinds.of_type(value.type) if found is None else found  # type: ignore[union-attr, arg-type]
        if kind is Static:
            return kinds.of_datum(value.datum)  # type: ignore[union-attr]
        if kind is Ref:
            content = self.store[value.number]  # type: ignore[union-attr]
            if type(content) is not Cell:
                return self.kinds_of(content)
            if type(content.kind) is not str:
                return kinds.RECORD
            return kinds.OF_TYPE.get(content.kind, kinds.OTHER)
        return kinds.of_type(type_of(value))

    def _note_interval(self, found: Dynamic, op: str, values: Sequence[Value]) -> None:
        """Remember between which bounds the result of an operation lies."""
        if op == "load-word":
            bounds = interval.word(self.spec.options.word_size)
        else:
            bounds = interval.result(op, [self.interval(value) for value in values])
        if bounds != interval.EVERYTHING:
            self.intervals[found.name] = bounds

    def interval(self, value: Value) -> Interval:
        """Between which bounds an integer lies."""
        kind = type(value)
        if kind is Dynamic:
            return self.intervals.get(value.name, interval.EVERYTHING)  # type: ignore[union-attr]
        if kind is Static and type(value.datum) is int:  # type: ignore[union-attr]
            return interval.point(value.datum)  # type: ignore[union-attr]
        if kind is Cyclic:
            of_quotient = self.intervals.get(value.quotient.name)  # type: ignore[union-attr]
            if of_quotient is not None:
                return interval.linear(value.base, of_quotient, value.remainder)  # type: ignore[union-attr]
        return interval.EVERYTHING

    def clobber(self) -> None:
        """Something may have been written: forget what was read."""
        self.reads.clear()
        self.words.clear()

    def observe(self) -> None:
        """Something may have been read: what was stored must stay."""
        self.words.observe()

    def last_binding(self) -> Stored:
        """Where the binding stands that was appended last."""
        return self.segment, len(self.segment.bindings) - 1

    def remove(self, stored: Stored) -> None:
        """Take back a binding."""
        segment, position = stored
        segment.bindings[position] = None

    def remaining_failures(self, op: str, types: Sequence[str]) -> bool:
        """Whether the operation on arguments of these types can fail other than by overflow."""
        fails = PRIMITIVES[op].fails
        if not fails or fails == _OVERFLOW:
            return False
        if fails - _TYPE_OVERFLOW:
            return True
        wanted = PRIMITIVES[op].arguments
        last = len(wanted) - 1
        return not all(fits(type, wanted[min(i, last)]) for i, type in enumerate(types))

    def settle(self) -> None:
        """Compute the pending test (it can fail) before what is to be emitted next."""
        test, self.pending = self.pending, None
        if test is not None and id(test) not in self.lifted:
            self.atom(test)

    # -- lifting -------------------------------------------------------------------------------

    def atom(self, value: Value) -> il.Atom:
        """The residual atom of a value; emits what builds it."""
        kind = type(value)
        if kind is Dynamic:
            return il.Var(value.name)  # type: ignore[union-attr]
        if kind is Static:
            return il.Const(value.datum)  # type: ignore[union-attr]
        if kind is Cyclic:
            return self._lift_cyclic(value)  # type: ignore[arg-type]
        if kind is Primitive:
            self.spec.pairs.leave_primitive(value.name)  # type: ignore[union-attr]
            return il.Prim(value.name)  # type: ignore[union-attr]
        if kind is Ref:
            if value.number in self.spec.barriers:  # type: ignore[union-attr]
                raise LimitationError("a barrier cell cannot become a value of a run")
            self.escape([value])
            return il.Var(self.store[value.number].name)  # type: ignore[union-attr]
        found = self.lifted.get(id(value))
        if found is not None:
            return found[1]
        atom = self._lift_composite(value)
        self.lifted[id(value)] = (value, atom)
        return atom

    def dynamic(self, value: Value) -> Dynamic:
        """A name for a value: lifts it, and binds a constant to a variable."""
        type = type_of(value)
        atom = self.atom(value)
        known = self.kinds_of(value)
        if isinstance(atom, il.Var):
            found = Dynamic(atom.name, type if type in SCALARS else "any")
        else:
            found = self.let("lift", (atom,), type, "x", None)
        if known != kinds.ANYTHING and found.type == "any":
            self.kinds[found.name] = known
        return found

    def _lift_cyclic(self, value: Cyclic) -> il.Atom:
        term = value.quotient
        hint = base_name(value.quotient.name)
        if value.base != 1:
            term = self.emit("*", (Static(value.base), term), None, hint)
        return il.Var(self.shifted(term, value.remainder, hint).name)

    def shifted(self, term: Dynamic, offset: int, hint: str) -> Dynamic:
        """term + offset, emitted."""
        if offset == 0:
            return term
        op = "+" if offset > 0 else "-"
        return self.emit(op, (term, Static(abs(offset))), None, hint)

    def _lift_composite(self, value: Any) -> il.Atom:
        kind = type(value)
        if kind is PartialPair:
            if value.ground is not None:
                return il.Const(self.spec.ground_datum(value))
            return self._lift_list(value)
        if kind is Test:
            if value is self.pending:
                self.pending = None
            return self.emit_test(value)
        if kind is PartialRecord and type(value.type) is Family:
            return il.Var(self.spec.families.build(self, value).name)
        if kind is PartialRecord:
            for field in value.fields:
                if type(field) in _LEADING:
                    self.atom(field)
            made = self.lifted.get(id(value))
            if made is not None:  # by a mutable object that it leads to, and that holds it
                return made[1]
            fields = (Static(value.type), *value.fields)
            return il.Var(self.emit("make-record", fields, None, value.type.name).name)
        if kind is Several:
            return il.Var(self.emit("values", value.values, None, "values").name)
        if kind is Closure:
            return il.Var(self.spec.lift_closure(self, value).name)
        if kind is Reified:
            self.spec.lift_continuation(value)
        raise InternalError(f"lift: {kind.__name__}")

    def _lift_list(self, value: PartialPair) -> il.Atom:
        """Build a pair, the end of its list first."""
        chain: list[PartialPair] = []
        rest: Value = value
        while type(rest) is PartialPair and rest.ground is None and id(rest) not in self.lifted:
            chain.append(rest)
            rest = rest.cdr
        cars = [self.atom(pair.car) for pair in chain]
        atom = self.atom(rest)
        for pair, car in zip(reversed(chain), reversed(cars), strict=True):
            made = self.lifted.get(id(pair))
            if made is not None:  # by a mutable object that it leads to, and that holds it
                atom = made[1]
                continue
            if self.pending is not None:
                self.settle()
            atom = il.Var(self.let("cons", (car, atom), "pair", "pair", None).name)
            self.lifted[id(pair)] = (pair, atom)
        return atom

    def emit_test(self, test: Test) -> il.Atom:
        """Compute a delayed test; a constant when its operands have come to say so."""
        value = self.spec.rule(test.op)(self, test.arguments, test.span, "test", False)
        return self.atom(value)

    # -- escape --------------------------------------------------------------------------------

    def escape(self, values: Iterable[Any], continuations: bool = True) -> None:
        """Make residual objects of all static mutable objects that can be reached from values.

        Needed where control leaves what the specializer sees: from here on these objects are
        read and written by residual code.  A reified continuation among them becomes residual
        too, unless `continuations` is false.
        """
        for ref in list(self.reachable(values)):
            if isinstance(ref, Reified):
                if continuations:
                    self.spec.lift_continuation(ref)
                continue
            cell = self.store[ref.number]
            if type(cell) is not Cell:
                continue
            self._escape_object(ref, cell)

    def leave(self, values: Iterable[Any]) -> None:
        """The values go to what the specializer does not see.  Their objects become residual, but
        for those that are part of procedures' states alone, and may be settled when these are made
        (`hand_over`): nothing else gets at them."""
        direct = {
            one.number
            for one in self.reachable(values, through_procedures=False)
            if type(one) is Ref
        }

        def stays_known(one: Ref | Reified) -> bool:
            if type(one) is not Ref or one.number in direct:
                return False
            return self._may_be_settled(self.store[one.number])

        self.escape([one for one in self.reachable(values) if not stays_known(one)])

    def _may_be_settled(self, content: Any) -> bool:
        """Whether an object may be settled with a procedure that leaves; a variable that is
        assigned is not: that will be done again."""
        return type(content) is Cell and content.kind != "cell" and self.spec.may_settle(content)

    def table(self, value: Value) -> Datum | None:
        """The constant vector that an object is taken for, which is settled with that: one whose
        elements are known, and not all the same, so that something has filled it."""
        cell = self.content(value) if type(value) is Ref else None
        if type(cell) is not Cell or cell.kind != "vector" or not self.spec.may_settle(cell):
            return None
        if not all(type(item) is Static for item in cell.items):
            return None
        items = [item.datum for item in cell.items]  # type: ignore[union-attr]
        if len({static_token(item) for item in items}) < 2:
            return None
        if not cell.is_settled:
            self._settle(value)  # type: ignore[arg-type]
        return self.spec.constant_vector(items)

    def _settle(self, ref: Ref) -> None:
        """Take an object for never assigned any more."""
        cell = self.store[ref.number]
        self.seen = None
        self.store[ref.number] = Cell(cell.kind, list(cell.items), self.owner, cell.site, True)

    def hand_over(self, values: Sequence[Any], kept: Sequence[Any] | None) -> None:
        """Make the static mutable objects that values lead to part of a residual procedure's state.

        Those that `kept` values lead to as well (None: any may) are known in two places from now
        on, and neither sees what the other assigns.  So they are *settled*: taken for never
        assigned again, as what a program sets up when it starts.  When one is all the same, or
        becomes an object of the residual program, everything begins again without settling what
        its site makes (`Unsettled`): such objects become residual here.
        """
        found = list(self.reachable(values))
        for one in found:
            if type(one) is Reified:
                self.spec.lift_continuation(one)
        owned = [one for one in found if type(one) is Ref and self._is_owned(one)]
        if not owned:
            return
        if kept is not None:
            others = [*kept, *self.spec.top_level.roots().values()]
            shared = {one.number for one in self.reachable(others) if type(one) is Ref}
            owned = [ref for ref in owned if ref.number in shared]
        self.escape([ref for ref in owned if not self.spec.may_settle(self.store[ref.number])])
        self.seen = None
        for ref in owned:
            cell = self.store[ref.number]
            if type(cell) is Cell and not cell.is_settled:
                self._settle(ref)

    def changed(self, values: Sequence[Any]) -> list[Ref]:
        """The objects reachable from values to which the path's block has given other constants."""
        before = self.block.store
        found = [ref for ref in self.reachable(values) if type(ref) is Ref]
        return [r for r in found if _differ(self.store[r.number], before.get(r.number))]

    def _is_owned(self, ref: Ref) -> bool:
        return type(self.store[ref.number]) is Cell

    def _escape_object(self, ref: Ref, cell: Cell) -> None:
        """Allocate an object after its parts; a part from which the object can be reached is
        filled in afterwards."""
        if cell.is_settled:
            raise Unsettled(cell.site)
        kind = cell.kind
        self.escaping.add(ref.number)
        first: list[Value] = []
        later: list[tuple[int, Value]] = []
        for index, item in enumerate(cell.items):
            if self._reaches_escaping(item):
                later.append((index, item))
                item = Static(UNSPECIFIED)
            first.append(item)
        op, parts = _allocation(kind, first)
        name = self.emit(op, parts, None, kind if type(kind) is str else kind.name)
        self.seen = None
        self.store[ref.number] = name
        self.escaping.discard(ref.number)
        for index, item in later:
            self.emit_assign(kind, name, index, item, None)

    def _reaches_escaping(self, value: Value) -> bool:
        if type(value) in (Static, Dynamic, Cyclic, Primitive):
            return False
        reached = self.reachable([value])
        return any(type(ref) is Ref and ref.number in self.escaping for ref in reached)

    def emit_assign(
        self, kind: Any, object: Value, index: int, item: Value, span: Span | None
    ) -> None:
        """Emit the assignment of part `index` of a residual object."""
        if kind == "cell":
            self.emit("cell-set!", (object, item), span)
        elif kind == "vector":
            self.emit("vector-set!", (object, Static(index), item), span)
        elif kind == "pair":
            self.emit("set-cdr!" if index else "set-car!", (object, item), span)
        else:
            self.emit("record-set!", (Static(kind), Static(index), object, item), span)

    def reachable(
        self, values: Iterable[Any], through_procedures: bool = True
    ) -> Iterator[Ref | Reified]:
        """All store objects and reified continuations that code given these values could reach; or
        those that it could without calling procedures among them."""
        seen: set[Any] = set()
        work = list(values)
        globals_added = False
        while work:
            value = work.pop()
            kind = type(value)
            if kind is Ref:
                if value.number in seen or value.number in self.spec.barriers:
                    continue
                seen.add(value.number)
                yield value
                content = self.store[value.number]
                if type(content) is Cell:
                    work.extend(content.items)
                continue
            if kind in _LEAVES or id(value) in seen:
                continue
            if kind is Closure and not through_procedures:
                continue
            seen.add(id(value))
            if kind is PartialPair:
                if value.ground is None:
                    work.extend((value.car, value.cdr))
            elif kind is PartialRecord:
                work.extend(value.fields)
            elif kind is Several:
                work.extend(value.values)
            elif kind is Test:
                work.extend(value.arguments)
            elif kind is Reified:
                yield value
                work.append(value.continuation)
            elif kind is Closure:
                names = self.spec.liveness.of_function(value.function)
                work.extend(value.environment[name] for name in names)
            elif kind is Frame:
                names = self.spec.liveness.of_cont(value.cont)
                work.extend(value.environment[name] for name in names)
            if kind in (Closure, Frame, Reified) and not globals_added:
                globals_added = True
                work.extend(self.spec.top_level.roots().values())


def _differ(now: Any, then: Any) -> bool:
    """Whether an object holds other constants than it did."""
    return (
        type(now) is Cell
        and type(then) is Cell
        and any(
            type(a) is Static is type(b) and static_token(a.datum) != static_token(b.datum)
            for a, b in zip(now.items, then.items, strict=True)
        )
    )


_LEAVES = frozenset({Static, Dynamic, Cyclic, Primitive, Return, Stop})
_LEADING = frozenset({Ref, PartialPair, PartialRecord, Several})
"""The kinds of values that mutable objects may be parts of."""
_INDEXING = frozenset({"vector-ref", "vector-set!"})
"""Operations for which a known object becomes one of the residual program if its index is not."""
_SUMS = frozenset({"+", "-"})
_OVERFLOW = frozenset({"overflow"})
_TYPE_OVERFLOW = frozenset({"type", "overflow"})
_ALLOCATE: Final = {"cell": "make-cell", "vector": "vector", "pair": "cons"}
MANY: Final = 8
"""Elements of a vector that are the same, so that they are not written one by one."""


def _allocation(kind: Any, items: Sequence[Value]) -> tuple[str, Sequence[Value]]:
    """The operation that makes an object of these parts."""
    if type(kind) is not str:
        return "make-record", (Static(kind), *items)
    if kind == "vector" and len(items) > MANY and all(type(item) is Static for item in items):
        first, *others = [static_token(item.datum) for item in items]  # type: ignore[union-attr]
        if all(other == first for other in others):
            return "make-vector", (Static(len(items)), items[0])
    return _ALLOCATE[kind], items
