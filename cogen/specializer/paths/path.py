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
from typing import Any

from cogen import interval, kinds
from cogen.interval import Interval
from cogen.kinds import Kinds
from cogen.lang import il
from cogen.lang.chain import Calls
from cogen.lang.datum import UNSPECIFIED
from cogen.lang.errors import InternalError, LimitationError, Span
from cogen.lang.ilutil import base_name
from cogen.lang.prims import PRIMITIVES, PrimitiveRow
from cogen.specializer.paths.context import Context
from cogen.specializer.paths.objects import allocation, assignment, reachable
from cogen.specializer.paths.operation_site import OperationSite
from cogen.specializer.paths.segment import Segment
from cogen.specializer.values.domain import (
    Cell,
    Closure,
    Cyclic,
    Dynamic,
    PartialPair,
    PartialRecord,
    Primitive,
    Ref,
    Reified,
    Several,
    Static,
    Test,
    Unsettled,
    Value,
)
from cogen.specializer.values.fixed import fixed_parts
from cogen.specializer.values.freeze import Lifted, Store
from cogen.specializer.values.mark import CallMark
from cogen.specializer.values.value_facts import atom_token, can_fail, number_type, type_of
from cogen.specializer.values.words import Stored, Words
from cogen.specializer.versions.families import Family, is_box
from cogen.specializer.versions.memo import ResidualBlock, Way

SCALARS = frozenset({"int", "float", "bool", "memory"})
"""The types that residual variables are known to have; all others are `any`."""


class Path(Way):
    """See the module's docstring.

    `words` are the words of memory that are known (`rules.memory`), `facts` what is known of
    variables (`values.facts`).
    `escaping` are the store objects being allocated, `arms` those of conditionals taken on the way.
    `certain` tells that the source program surely gets here; `quiet` that nothing with an effect,
    and nothing that can fail, was emitted before.
    `made` counts what sites have made, while the program starts.
    `through` are the calls that led to the code being run.
    """

    __slots__ = (
        "available",
        "calls",
        "certain",
        "context",
        "counted",
        "escaping",
        "lifted",
        "made",
        "mark",
        "owner",
        "pending",
        "quiet",
        "reads",
        "seen",
        "segment",
        "store",
        "through",
        "words",
    )

    def __init__(
        self, context: Context, block: ResidualBlock, store: Store, lifted: Lifted
    ) -> None:
        super().__init__(block)
        self.context = context
        self.segment = Segment()
        self.store = store
        self.lifted = lifted
        self.owner = object()
        self.seen: Store | None = None
        self.available: dict[Any, Dynamic] = {}
        self.reads: dict[Any, Dynamic] = {}
        self.words = Words()
        self.escaping: set[int] = set()
        self.pending: Test | None = None
        self.certain = False
        self.quiet = False
        self.calls = 0
        self.counted = -1
        self.mark: CallMark | None = None
        self.made: Counter[Hashable] | None = None
        self.through: Calls = ()

    def fork(self, segment: Segment) -> Path:
        """A path that goes on from here on its own, in a segment of its own."""
        path = type(self)(self.context, self.block, dict(self.store), dict(self.lifted))
        path.segment = segment
        path.arms = self.arms
        path.available = dict(self.available)
        path.reads = dict(self.reads)
        path.words = self.words.seen()
        path.facts = self.facts.fork()
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
        number = self.context.variables.number()
        site = (kind, None if span is None else span.start)
        self.seen = None
        cell = Cell(kind, list(items), self.owner, site)
        if self.made is not None and not self.arms:
            cell.turn = self.made[site]
            self.made[site] += 1
        self.store[number] = cell
        if site in self.context.counting and not self.context.globals.evaluating:
            self._escape_object(Ref(number), cell)
        return Ref(number)

    def content(self, ref: Ref) -> Cell | Dynamic:
        """The object, or the residual variable that it has become."""
        return self.store[ref.number]  # type: ignore[no-any-return]

    def fixed_part(self, value: Value, kind: Any, index: int) -> Value | None:
        """The part of a residual object of a kind, if it is known (`values.fixed`)."""
        found = self.store[value.number] if type(value) is Ref else value
        if type(found) is not Dynamic:
            return None
        part = self.facts.parts.get(found.name, {}).get((kind, index))
        if part is None or (kind == "vector" and not self.context.slots.use(index)):
            return None
        return part.value

    def assign(self, ref: Ref, index: int, value: Value) -> None:
        """Put a value into an object that the specializer owns."""
        cell = self.store[ref.number]
        if cell.is_settled:
            raise Unsettled(cell.site, cell.turn)
        self.seen = None
        if cell.owner is not self.owner:
            cell = cell.with_items(list(cell.items), self.owner)
            self.store[ref.number] = cell
        cell.items[index] = value

    # -- residual code -------------------------------------------------------------------------

    def fresh(self, hint: str) -> str:
        return self.context.variables.fresh(hint)

    def let(
        self, op: str, atoms: tuple[il.Atom, ...], type: str, hint: str, span: Span | None
    ) -> Dynamic:
        """Append an operation on atoms; the caller has seen to pending tests."""
        name = self.fresh(hint)
        span = self.placed(span)
        self.segment.bindings.append(il.Let(name, op, atoms, span))
        context = self.context
        if context.demand.watched:
            context.demand.operate(self, op, atoms, name, span)
        context.limits.count_operation(span)
        return context.variables.typed(name, type if type in SCALARS else "any")

    def placed(self, span: Span | None) -> Span | None:
        """A place in the code being run, with the calls that led there."""
        if span is None or span.calls is not None:
            return span
        return span.reached(self.through)

    def emit(self, op: str, values: Sequence[Value], site: OperationSite) -> Dynamic:
        """Append an operation on lifted values, or find it available; gives its result."""
        row = PRIMITIVES[op]
        if op in _INDEXING and self.context.demand.watched and type(values[0]) is Ref:
            self.context.demand.ask(self, values[1])
        types = [type_of(value) for value in values]
        fails = can_fail(op, types)
        if self.pending is not None and (fails or row.effect not in ("pure", "alloc")):
            self.settle()
        atoms = tuple([self.atom(value) for value in values])
        looks = op in ("equal?", "equal-hash") or "bytevector" in row.arguments
        if looks or (row.fails and self.context.mutations.handlers):
            self.observe()
        result = row.result if row.result != "number" else number_type(types)
        if row.effect == "pure" or row.effect == "read":
            table = self.available if row.effect == "pure" else self.reads
            found = table.get(key := (op, *map(atom_token, atoms)))
            if found is None:
                found = table[key] = self.let(op, atoms, result, site.hint, site.span)
                self._note_kinds(found, row, values)
                self.quiet = self.quiet and not fails
                if result == "int":
                    self._note_interval(found, op, values)
                    self.context.auto.note_integer(found.name, op, values)
                    if op in _SUMS:
                        self.facts.definitions[found.name] = (op, tuple(values))
                elif op in _SUMS:
                    self.context.auto.note_sum(found.name, op, values)
            return found
        if row.effect != "alloc":
            self.clobber()
        if row.effect != "alloc" or fails:
            self.quiet = False
        found = self.let(op, atoms, result, site.hint, site.span)
        self._note_kinds(found, row, values)
        return found

    def _note_kinds(self, found: Dynamic, row: PrimitiveRow, values: Sequence[Value]) -> None:
        """Remember of what kinds the result of an operation is, and its arguments."""
        made = kinds.of_type(row.result)
        if made != kinds.ANYTHING and found.type == "any":
            self.facts.kinds[found.name] = made
        if "type" in row.fails:
            for position, value in enumerate(values):
                if type(value) is Dynamic and value.type == "any":
                    known = self.kinds_of(value) & kinds.wanted(row, position)
                    if known and known != kinds.ANYTHING:
                        self.facts.kinds[value.name] = known

    def kinds_of(self, value: Value) -> Kinds:
        """The kinds that a value may be of."""
        kind = type(value)
        if kind is Dynamic:
            found = self.facts.kinds.get(value.name)  # type: ignore[union-attr]
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
            bounds = interval.word(self.context.options.word_size)
        else:
            bounds = interval.result(op, [self.interval(value) for value in values])
        if bounds != interval.EVERYTHING:
            self.facts.intervals[found.name] = bounds

    def interval(self, value: Value) -> Interval:
        """Between which bounds an integer lies."""
        return self.facts.interval(value)

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
            self.context.pairs.leave_primitive(value.name)  # type: ignore[union-attr]
            self.context.slots.leave_primitive(value.name)  # type: ignore[union-attr]
            return il.Prim(value.name)  # type: ignore[union-attr]
        if kind is Ref:
            if self.context.barriers.holds(value.number):  # type: ignore[union-attr]
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
            self.facts.kinds[found.name] = known
        return found

    def _lift_cyclic(self, value: Cyclic) -> il.Atom:
        term = value.quotient
        hint = base_name(value.quotient.name)
        if value.base != 1:
            term = self.emit("*", (Static(value.base), term), OperationSite(None, hint))
        return il.Var(self.shifted(term, value.remainder, hint).name)

    def shifted(self, term: Dynamic, offset: int, hint: str) -> Dynamic:
        """term + offset, emitted."""
        if offset == 0:
            return term
        op = "+" if offset > 0 else "-"
        return self.emit(op, (term, Static(abs(offset))), OperationSite(None, hint))

    def _lift_composite(self, value: Any) -> il.Atom:
        kind = type(value)
        if kind is PartialPair:
            if value.ground is not None:
                return il.Const(self.context.constants.datum(value))
            return self._lift_list(value)
        if kind is Test:
            if value is self.pending:
                self.pending = None
            return self.emit_test(value)
        if kind is PartialRecord and type(value.type) is Family:
            return il.Var(self._lift_box(value).name)
        if kind is PartialRecord:
            for field in value.fields:
                if type(field) in _LEADING:
                    self.atom(field)
            made = self.lifted.get(id(value))
            if made is not None:  # by a mutable object that it leads to, and that holds it
                return made[1]
            fields = (Static(value.type), *value.fields)
            site = OperationSite(None, value.type.name)
            return il.Var(self.emit("make-record", fields, site).name)
        if kind is Several:
            return il.Var(self.emit("values", value.values, OperationSite(None, "values")).name)
        if kind is Closure:
            return il.Var(self.context.lift_closure(self, value).name)
        if kind is Reified:
            self.context.lift_continuation(value)
        raise InternalError(f"lift: {kind.__name__}")

    def _lift_box(self, box: PartialRecord) -> Dynamic:
        """The residual record of a box (`versions.families`).  Who looks into it on this path
        finds what was put in, but of boxes in it their records, as behind a memo point: else more
        and more would be known of a stack that is looked into in each round."""
        box, apart = self.context.held.taken_apart(self, box)
        fields = [self.dynamic(value) for _, value in apart.dynamic]
        variant = self.context.families.variant(self.block, box, apart, fields, self.facts)
        site = OperationSite(None, variant.type.name)
        made = self.emit("make-record", (Static(variant.type), *fields), site)
        self.facts.variants.update(variant.told_of(made.name))
        if any(is_box(value) for _, value in apart.dynamic):
            parts = zip(fields, apart.dynamic, strict=True)
            known = [field if is_box(value) else value for field, (_, value) in parts]
            box = PartialRecord(box.type, (variant.made_of(known),))
            self.lifted[id(box)] = box, il.Var(made.name)
        self.facts.boxes[made.name] = box
        return made

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
            found = self.lifted.get(id(pair))
            if found is not None:  # by a mutable object that it leads to, and that holds it
                atom = found[1]
                continue
            if self.pending is not None:
                self.settle()
            made = self.let("cons", (car, atom), "pair", "pair", None)
            atom = self.context.pairs.become_residual(made.name, pair)
            self.lifted[id(pair)] = (pair, atom)
        return atom

    def emit_test(self, test: Test) -> il.Atom:
        """Compute a delayed test; a constant when its operands have come to say so."""
        value = self.context.rule(test.op)(self, test.arguments, OperationSite(test.span, "test"))
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
                    self.context.lift_continuation(ref)
                continue
            cell = self.store[ref.number]
            if type(cell) is not Cell:
                continue
            self._escape_object(ref, cell)

    def reachable(
        self, values: Iterable[Any], through_procedures: bool = True
    ) -> Iterator[Ref | Reified]:
        """All store objects and reified continuations that code given these values could reach; or
        those that it could without calling procedures among them."""
        return reachable(self.context, self.store, values, through_procedures)

    def _escape_object(self, ref: Ref, cell: Cell) -> None:
        """Allocate an object after its parts; a part from which the object can be reached is
        filled in afterwards."""
        if cell.is_settled:
            raise Unsettled(cell.site, cell.turn)
        kind = cell.kind
        self.escaping.add(ref.number)
        first: list[Value] = []
        later: list[tuple[int, Value]] = []
        for index, item in enumerate(cell.items):
            if self._reaches_escaping(item):
                later.append((index, item))
                item = Static(UNSPECIFIED)
            first.append(item)
        op, parts, others = allocation(kind, first)
        delayed = {index for index, _ in later}
        given = [(index, self.atom(first[index])) for index in others if index not in delayed]
        name = self.emit(op, parts, OperationSite(None, kind if type(kind) is str else kind.name))
        for index, atom in given:  # nobody else sees the object yet
            place = il.Var(name.name), il.Const(index), atom
            self.let("vector-set!", place, "unspecified", "t", None)
        self.seen = None
        self.store[ref.number] = name
        fixed = fixed_parts(self.context.mutations, kind, cell.items)
        if fixed:
            self.facts.parts[name.name] = fixed
        self.escaping.discard(ref.number)
        for index, item in later:
            op, parts = assignment(kind, name, index, item)
            self.emit(op, parts, OperationSite(None))

    def _reaches_escaping(self, value: Value) -> bool:
        if type(value) in (Static, Dynamic, Cyclic, Primitive):
            return False
        reached = self.reachable([value])
        return any(type(ref) is Ref and ref.number in self.escaping for ref in reached)


_LEADING = frozenset({Ref, PartialPair, PartialRecord, Several})
"""The kinds of values that mutable objects may be parts of."""
_INDEXING = frozenset({"vector-ref", "vector-set!"})
"""Operations for which a known object becomes one of the residual program if its index is not."""
_SUMS = frozenset({"+", "-"})
