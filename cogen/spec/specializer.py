"""One specialization of a program: what outlives a path.

A worklist of residual blocks.  Each is a memo point's state; running it (`Machine`) emits its code
and finds the states it jumps to.  `Restart` puts a block back when its code has become obsolete:
because a call of it turned out recursive, because constants of its state had to be lifted, or
because a continuation escaped.  What is unreachable in the end is left out.

Binding-time polyvariant and online: binding times are those of the values that arrive
(seed 004 for cyclic values, `set-base`, late normalization and early equality).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from typing import Any, Final, NoReturn

from cogen import bt as binding_times
from cogen.interval import EVERYTHING, shifted
from cogen.kinds import ANYTHING, ATOMS
from cogen.lang import il
from cogen.lang.called import Named, buffers
from cogen.lang.chain import Calls, Node, at_node
from cogen.lang.datum import Datum, Pair, RecordType
from cogen.lang.errors import Span, Warnings
from cogen.lang.governor import Exceeded, arrived
from cogen.lang.ilutil import base_name
from cogen.lang.machine import Machine as RunMachine
from cogen.lang.prelude import in_arrays, in_prelude
from cogen.residual import ResidualProgram
from cogen.spec.analyses import Analyses, analyses_of
from cogen.spec.auto import Auto
from cogen.spec.barriers import Barriers
from cogen.spec.clean import clean
from cogen.spec.demand import Demand
from cogen.spec.domain import (
    Activation,
    Cell,
    Closure,
    Dynamic,
    PartialPair,
    Reified,
    Return,
    Static,
    Value,
)
from cogen.spec.entry import Entry
from cogen.spec.families import Families
from cogen.spec.freeze import Frozen, Lifted, Store, Thawed, Token, static_token
from cogen.spec.generalize import Candidate, Generalizer
from cogen.spec.graph import Assigned, RawBlock, RawFunction, RawProgram
from cogen.spec.growth import Growth
from cogen.spec.kept import kept_procedures, with_kept
from cogen.spec.known import datum_of
from cogen.spec.limits import Endless, Limits, reached_in
from cogen.spec.machine import Machine
from cogen.spec.memo import (
    Arrival,
    Block,
    Leaf,
    Point,
    Procedure,
    Restart,
    Resume,
    Roots,
)
from cogen.spec.options import Options
from cogen.spec.pairs import Pairs
from cogen.spec.path import Path
from cogen.spec.quick import Quick, QuickArrival
from cogen.spec.reach import Reach
from cogen.spec.recursion import Recursion
from cogen.spec.results import Results, count
from cogen.spec.rules import rule_of
from cogen.spec.severalresults import with_one_result
from cogen.spec.shared import Shared
from cogen.spec.sites import Sites
from cogen.spec.toplevel import TopLevel
from cogen.spec.whistle import Whistle, own_names

FIRST: Final = 1 << 30
"""What is added to the depth of blocks that are to run before all others."""

MOST_UNSETTLED: Final = 8
"""After so many sites of objects that are assigned late, none are settled."""

MOST_RESTARTS: Final = 400
"""Blocks started again while it is tried."""


class Specializer:
    """One specialization; everything that outlives a path.  --generalize works by
    `cogen.spec.whistle` if there are `sites`."""

    def __init__(
        self,
        program: il.Program,
        options: Options,
        warnings: Warnings,
        analyses: Analyses | None = None,
    ) -> None:
        analyses = analyses or analyses_of(program)
        self.program = program
        self.options = options
        self.warnings = warnings
        self.liveness = analyses.liveness
        self.naming = analyses.naming
        self.swapped = analyses.swapped
        self.live_after = analyses.live_after
        self.looking, self.tail_calls = analyses.looking, analyses.tail_calls
        self.rule = rule_of
        self.plans = analyses.plans
        """Of blocks, made for this rule."""
        self.types: dict[str, str] = {}
        self.residual_sites: set[int] = set()
        self.procedures: dict[Hashable, Procedure] = {}
        self._together: dict[Hashable, tuple[list[Token], set[int]]] = {}
        """By residual call, but for which of its variables are one: the tokens of the first such
        call, and the positions of those that were one in some calls only."""
        self.passed: list[tuple[Datum, str]] = []
        """What is passed to the entry and known ahead, and what it is called there."""
        self._queue: list[tuple[int, int, Block]] = []
        """A heap: the deepest blocks first, of these those that came last."""
        self.reach = Reach()
        self.limits = Limits(options)
        self.shared = Shared(self, analyses.rounds)
        self.library = analyses.library
        self.results = Results(self)
        self.growth = Growth(self)
        self.machine = self.make_machine()
        self.quick = Quick(self)
        self.generalizer = Generalizer(self)
        self.whistle = Whistle(self)
        self.demand = Demand(self)
        self.sites: Sites | None = None
        self.unsettled: frozenset[Hashable] = frozenset()
        """Sites that make objects of which some are assigned late (`Path.hand_over`)."""
        self.counting: frozenset[Hashable] = frozenset()
        """Sites that make objects that are residual from the beginning."""
        self.auto = Auto(self)
        self.families = Families(self)
        self.recursion = Recursion(self)
        self.run_machine = RunMachine(options.word_size)
        self._names: dict[str, int] = {}
        self._number = 0
        self._turn = 0
        self._ground: dict[Hashable, int] = {}
        self._ground_data: dict[int, tuple[PartialPair, Datum]] = {}
        self._vectors: dict[Hashable, Datum] = {}
        self._defined: dict[int, str] = {}
        self.pairs = Pairs(self, analyses.mutations.pairs, lambda: analyses.assignable(self._entry))
        self.barriers = Barriers(self)
        self.top_level = TopLevel(self)
        self._restarts = 0
        self._entry = ""
        self.nodes: dict[int, Node] = {}
        """Those of the interpreted programs that are known (`cogen.origins`)."""
        mutations = analyses.mutations
        self.circular_lists = mutations.tails
        self._mutable_records = mutations.records
        self.mutable_bytes, self.handles_errors = mutations.bytes, mutations.handlers
        self.caches = mutations.caches

    def make_machine(self) -> Machine:
        """What carries out the program's code."""
        return Machine(self)

    def make_path(self, block: Block) -> Path:
        """What emits the code of a block."""
        return Path(self, block, dict(block.store), dict(block.lifted))

    # -- the road ------------------------------------------------------------------------------

    def run(self, entry: str, bts: Sequence[binding_times.BT]) -> ResidualProgram:
        """The whole specialization (on a deep stack)."""
        try:
            return self._whole(entry, bts)
        except Exceeded:
            arrived()
            failure = self.limits.exhausted()
        raise failure

    def _whole(self, entry: str, bts: Sequence[binding_times.BT]) -> ResidualProgram:
        self._entry = entry
        self.nodes = binding_times.nodes(bts)
        self.top_level.evaluate()
        if self.sites is not None:
            self.sites.active = True
        start = Entry(self, entry, bts, self.top_level.store)
        self._drain()
        raw = self._raw_program(start.procedure)
        specialized = self.limits.seconds()
        cleaned = clean(with_one_result(raw, self.fresh))
        self.pairs.leave(kept_procedures(cleaned, self.program))
        program = with_kept(cleaned, self.program)
        program = replace(program, named=tuple(self.named_buffers()))
        statistics = {
            "operations emitted": self.limits.operations,
            "calls unfolded": self.limits.unfoldings,
            "residual blocks": sum(len(f.blocks) for f in raw.functions.values()),
            "residual procedures": len(raw.functions),
            "restarts": self._restarts,
            "seconds": self.limits.seconds(),
            "seconds cleaning": self.limits.seconds() - specialized,
            **self.auto.statistics(self.reach.blocks()),
            **self.barriers.statistics(),
        }
        return ResidualProgram(
            program,
            start.procedure.raw.name,
            tuple(start.parameters),
            self.options.word_size,
            self.options.checked,
            statistics,
            tuple(node.place for node in self.nodes.values()),
        )

    def named_buffers(self) -> Iterator[Named]:
        """Buffers that are known ahead, and what they are called (`lang.called`)."""
        for value, name in self.passed:
            yield from buffers(name, value)
        yield from self.top_level.named()

    def _drain(self) -> None:
        """Run blocks until none is left.  One that nothing leads to when its turn comes is passed
        over; a block started again may lead to it later."""
        while True:
            while self._queue:
                _, number, block = heappop(self._queue)
                if block.queued != -number:
                    continue  # it was put in again
                block.queued = 0
                if block.raw.body is None and block.reached:
                    self._run(block)
            missing = [block for block in self.reach.blocks() if block.raw.body is None]
            if not missing:
                return
            for block in missing:
                self.enqueue(block)

    def _run(self, block: Block) -> None:
        try:
            self._start(block)
        except Restart as restart:
            self._again(block, restart.block)

    def _again(self, current: Block, target: Block) -> None:
        self._restarts += 1
        if self.sites is not None and self._restarts > MOST_RESTARTS:
            place = reached_in(target.activation, target.raw.span)
            raise Endless("too much is to be generalized", place)
        self.machine.work.clear()
        for block in (current, target):
            self.give_up(block)
            self.enqueue(block)

    def make_again(self, blocks: Iterable[Block], current: Block | None = None) -> None:
        """Have blocks started again that have been run; the one that is running is not."""
        for block in blocks:
            if block is not current and block.raw.body is not None:
                self.give_up(block)
                self.enqueue(block)

    def give_up(self, block: Block) -> None:
        """Forget a block's code; it is made again if it is still needed."""
        block.raw.body = None
        self.reach.forget(block)

    def start(self, block: Block) -> None:
        """Begin with the block of the entry."""
        self.reach.root(block)
        self.enqueue(block)

    def enqueue(self, block: Block) -> None:
        """Have a block run: what is deeper in calls first, so that loops are settled before what
        comes after them."""
        self._turn += 1
        block.queued = self._turn
        depth = 0 if block.activation is None else block.activation.depth
        if block.first:
            depth += FIRST
        heappush(self._queue, (-depth, -self._turn, block))

    def _start(self, block: Block) -> None:
        """Run one block's state to residual code."""
        path = self.make_path(block)
        path.certain, path.quiet = block.certain, True
        path.intervals, path.kinds = dict(block.intervals), dict(block.kinds)
        top = path.segment
        self.limits.unfoldings_in_block = 0
        if block.splits:
            self.auto.dispatch(path, block)
        elif block.forwards:
            self.generalizer.forward(path, block)
        else:
            count = len(block.roots) - (self.cell_count() if block.point[0] != "top" else 0)
            block.resume(path, [value for _, value in block.roots[:count]])
        self.machine.finish()
        block.raw.body = top.block()

    def _raw_program(self, entry: Procedure) -> RawProgram:
        functions: dict[str, RawFunction] = {}
        for block in self.reach.blocks():
            function = block.procedure.raw
            functions[function.name] = function
            function.blocks[block.raw.label] = block.raw
            if block.procedure.result.shape is not None:
                function.results = count(block.procedure.result.shape)
        return RawProgram(
            functions,
            entry.raw.name,
            (*self.program.records, *self.families.types()),
            self.program.source,
            self.types,
            self.options.word_size,
            Assigned(self.pairs.may_be_assigned, frozenset(self._mutable_records)),
            self.families.types(),
        )

    # -- names, counters, limits ---------------------------------------------------------------

    def fresh(self, hint: str) -> str:
        """A new name that people can recognize."""
        hint = hint or "x."
        number = self._names.get(hint, 0) + 1
        self._names[hint] = number
        return f"{hint}.{number}"

    def variable(self, name: str, type: str) -> Dynamic:
        """The residual variable of that name, its type noted."""
        if type != "any":
            self.types[name] = type.partition(":")[0]
        return Dynamic(name, type)

    def next_number(self) -> int:
        self._number += 1
        return self._number

    # -- facts of the program ------------------------------------------------------------------

    def may_settle(self, cell: Cell) -> bool:
        """Whether an object may be taken for never assigned any more."""
        return cell.site not in self.unsettled and len(self.unsettled) < MOST_UNSETTLED

    def is_mutable(self, record: RecordType) -> bool:
        """Whether anything assigns a field of the record type."""
        return id(record) in self._mutable_records

    def ground_number(self, parts: Hashable) -> int:
        """The number of all pairs with these ground parts."""
        return self._ground.setdefault(parts, len(self._ground))

    def constant_vector(self, items: list[Datum]) -> Datum:
        """The constant vector with these items, the same object for equal ones."""
        key = tuple([static_token(item) for item in items])
        return self._vectors.setdefault(key, items)

    def global_name(self, function: il.Function) -> str | None:
        """The global that a definition of the program binds to the procedure."""
        if not self._defined:
            self._defined = {
                id(item.function): item.name
                for item in self.program.items
                if isinstance(item, il.Define)
            }
        return self._defined.get(id(function))

    def ground_datum(self, pair: PartialPair) -> Datum:
        """The constant that a ground pair becomes, the same at each call."""
        found = self._ground_data.get(id(pair))
        if found is None:
            found = self._ground_data[id(pair)] = (pair, datum_of(pair))
        return found[1]

    # -- memo points ---------------------------------------------------------------------------

    def with_cells(self, roots: Sequence[tuple[str, Any]]) -> Roots:
        """The roots of a state; the mutable objects of globals and the barrier cells belong to
        every state."""
        return [*roots, *self.top_level.roots().items(), *self.barriers.roots.items()]

    def cell_count(self) -> int:
        """How many roots `with_cells` adds."""
        return len(self.top_level.roots()) + len(self.barriers.roots)

    def call_key(self, path: Path, values: tuple[Value, ...]) -> tuple[Token, ...]:
        """The static skeleton of a call: the procedure's and its arguments'.  What barrier cells
        hold does not count: a residual call finds them as they were made."""
        return self._call_key(path.store, values)

    def activation_key(self, path: Path, activation: Activation) -> tuple[Token, ...]:
        """The static skeleton of the call that an activation carries out, as it was then."""
        if activation.key is None:
            store = path.store if activation.store is None else activation.store
            activation.key = self._call_key(store, activation.values)
            activation.store = None
        return activation.key

    def _call_key(self, store: Store, values: tuple[Value, ...]) -> tuple[Token, ...]:
        key = self.quick.call_key(values)
        if key is not None:
            return key
        roots = [*(("", value) for value in values), *self.top_level.roots().items()]
        return Frozen(roots, store, {}, self.liveness).key

    def freeze(self, roots: Roots, store: Store, lifted: Lifted) -> Frozen:
        """A state to be compared with others; the last roots are those of `with_cells`."""
        count = len(self.barriers.roots)
        if len(roots) < count:
            return Frozen(roots, store, lifted, self.liveness)
        return Frozen(roots, store, lifted, self.liveness, count, self.barriers.distance(store))

    def frozen(self, block: Block) -> Frozen:
        if block.frozen is None:
            block.frozen = self.freeze(block.roots, block.store, block.lifted)
        return block.frozen

    def memo_point(
        self,
        path: Path,
        point: Point,
        roots: Sequence[tuple[str, Any]],
        resume: Resume,
        activation: Activation | None,
        span: Span | None,
        whole: bool = False,
    ) -> None:
        """End the path with a jump to the block of its state, made if the state is new; nothing
        is split from there on if `whole` (`cogen.spec.auto`)."""
        self.barriers.refuse(span)
        procedure = path.block.procedure
        whole = whole or path.block.whole
        arrival = self.arrival(path, point, roots, whole, span)
        if arrival is None:
            return
        key = (point, arrival.key, whole)
        own = block = procedure.blocks.get(key)
        if block is None or path.block.nearest.get(point, block) is not block:
            others = self.candidates(path, point, arrival, own, whole)
            if others:
                block = self.generalizer.serving(others, arrival.frozen) or own
        if block is None and not in_arrays(span):
            lifted = self.demand.covering(path, point, arrival)
            if lifted is not None:
                lifted = lifted[: len(roots)]
                self.memo_point(path, point, lifted, resume, activation, span, whole)
                return
            self.demand.generalize(path, point, arrival)
        if block is None and self.generalizer.applies(span) and point in path.block.nearest:
            precise = self.sites is not None and not in_prelude(span)
            rule = self.whistle if precise else self.generalizer
            lifted = rule.covering(path, point, roots, arrival.roots)
            if lifted is not None:
                self.memo_point(path, point, lifted, resume, activation, span, whole)
                return
            rule.generalize(path, point, arrival)
        if block is None:
            block = own = self.block_at(path, point, resume, activation, span)
            block.whole = whole
            self.begin(path, block, arrival)
            procedure.blocks[key] = block
            procedure.at_point.setdefault(point, []).append(block)
            if not self.barriers.are_clean(path.store):
                versions = (point, arrival.frozen.key[: arrival.frozen.split], whole)
                procedure.versions[versions] = procedure.versions.get(versions, 0) + 1
            self.count_variant(block)
            leaves = self.leaves_for(block, arrival, True)
        else:
            leaves = self.leaves_for(block, arrival, block is own)
            if self.demand.watched:
                self.demand.meet(path, block, leaves)
            if block.intervals or block.kinds:
                block.arrive(path, leaves)
        if block.raw.body is None and not block.queued:
            self.enqueue(block)
        self.reach.lead(path.block, block)
        atoms = self._atoms(path, leaves, block.raw.parameters)
        path.segment.tail = il.Jump(block.raw.label, atoms, span)

    def arrival(
        self,
        path: Path,
        point: Point,
        roots: Sequence[tuple[str, Any]],
        whole: bool,
        span: Span | None,
    ) -> Arrival | None:
        """The state that a memo point is met with, None if the path ended there."""
        quick = self.quick.arrival(path, roots)
        if quick is not None:
            return quick
        frozen = self.barriers.state(path, point, roots, whole, span)
        return None if frozen is None else Arrival(frozen.key, frozen.roots, frozen)

    def candidates(
        self, path: Path, point: Point, arrival: Arrival, own: Block | None, whole: bool
    ) -> list[Candidate]:
        """The blocks that are worth a look whether they serve for a state."""
        others = self.generalizer.others(path, point, whole)
        if type(arrival) is QuickArrival:
            return self.quick.candidates(others, arrival.state, own)
        return others

    def begin(self, path: Path, block: Block, arrival: Arrival) -> None:
        """Give a new block the state that it starts from, over its own parameters."""
        if type(arrival) is QuickArrival:
            self.quick.begin(path, block, arrival)
            return
        frozen = arrival.frozen
        names = self._parameters(frozen, block.raw.parameters)
        block.roots, block.store, block.lifted = frozen.thaw(names)
        self.growth.laid_down += len(frozen.tokens)
        self.auto.note(block, frozen)
        if path.intervals or path.kinds:
            for leaf in frozen.leaves:
                self.bound(path, block, (leaf.name, leaf.offset), names[(leaf.name, leaf.offset)])

    def bound(self, path: Path, block: Block, leaf: Leaf, parameter: Dynamic) -> None:
        """Note between which bounds a parameter of a new block lies, as its leaf, and of what kinds
        it is: where arms meet, not what a test in one of them tells."""
        name, offset = leaf
        known = path.kinds.get(name, ANYTHING)
        if block.point[0] == "cont" and known & ~ATOMS:
            known = path.block.kinds.get(name, ANYTHING)
        if known != ANYTHING and not offset:
            block.kinds[parameter.name] = known
        bounds = shifted(path.intervals.get(name, EVERYTHING), offset)
        if bounds != EVERYTHING:
            block.intervals[parameter.name] = bounds

    def leaves_for(self, block: Block, arrival: Arrival, own: bool) -> list[Leaf]:
        """What of a state the parameters of a block stand for, which serves for it; whether it is
        the state's `own`."""
        if own and type(arrival) is QuickArrival:
            return self.quick.leaves(block, arrival.state)
        frozen, served = arrival.frozen, self.frozen(block)
        return [
            frozen.occurrences[served.leaf_at[(leaf.name, leaf.offset)]] for leaf in served.leaves
        ]

    def count_variant(self, block: Block) -> None:
        """Count a version of a program point, and see whether they go on without end."""
        self.limits.count_variant(block)
        self.limits.check_values(self.growth.laid_down + self.growth.looked)
        self.growth.check(block)

    def block_at(
        self,
        path: Path,
        point: Point,
        resume: Resume,
        activation: Activation | None,
        span: Span | None,
    ) -> Block:
        """A new block for the state at a memo point that the path has come to."""
        hint = "join"
        if activation is not None:
            aside = in_prelude(activation.function.span)
            hint = activation.hint if aside else activation.function.label.lstrip("%")
        certain = path.certain and path.quiet
        procedure = path.block.procedure
        block = self.new_block(
            procedure, hint, point, [], resume, activation, path.block, certain, span
        )
        block.arms = path.arms
        block.first = self.demand.hurry(path)
        return block

    def new_block(
        self,
        procedure: Procedure,
        hint: str,
        point: Point,
        parameters: list[str],
        resume: Resume,
        activation: Activation | None = None,
        parent: Block | None = None,
        certain: bool = False,
        span: Span | None = None,
    ) -> Block:
        """A residual block, and what it is to start from; its roots are set by who makes it."""
        hint = hint or "loop"
        raw = RawBlock(self.fresh(hint), parameters, None, hint, span)
        block = Block(procedure, raw, point, ([], {}, {}), resume, activation, parent, certain)
        block.nearest[point] = block
        return block

    def _parameters(self, frozen: Frozen, parameters: list[str]) -> dict[tuple[str, int], Dynamic]:
        """New parameters for the leaves of a state."""
        names: dict[tuple[str, int], Dynamic] = {}
        for leaf in frozen.leaves:
            name = self.fresh(leaf.hint)
            parameters.append(name)
            names[(leaf.name, leaf.offset)] = self.variable(name, leaf.type)
            self.demand.inherit(leaf.name, name)
        return names

    def _atoms(
        self, path: Path, leaves: Iterable[Leaf], parameters: Iterable[str]
    ) -> tuple[il.Atom, ...]:
        """Leaves as arguments of a jump or call: normalized (late normalization, seed 004)."""
        atoms: list[il.Atom] = []
        for (name, offset), parameter in zip(leaves, parameters, strict=True):
            if offset:
                name = path.shifted(Dynamic(name, "int"), offset, base_name(parameter)).name
            atoms.append(il.Var(name))
        return tuple(atoms)

    def at_nodes(self, values: Iterable[Value], calls: Calls) -> Calls:
        """The calls that lead into a procedure that is given a node of an interpreted program."""
        for value in values:
            if type(value) is Static and type(value.datum) is Pair:
                node = self.nodes.get(id(value.datum))
                if node is not None:
                    return at_node(node, calls)
        return calls

    def place(self, span: Span | None, activation: Activation | None) -> Span | None:
        """A place of the program: for one in the prelude, that of the call that led there."""
        if span is None or activation is None or not in_prelude(span):
            return span
        if not activation.calls or activation.calls[0][0] is None or span.operation is not None:
            return span.reached(activation.calls)
        if activation.place is None:  # the same for all of the prelude
            activation.place = span.reached(activation.calls)
        return activation.place

    # -- residual procedures -------------------------------------------------------------------

    def procedure_name(self, hint: str) -> str:
        """A new name for a residual procedure."""
        return self.fresh(hint or "lambda")

    def residual_procedure(
        self, path: Path, closure: Closure, values: list[Value]
    ) -> tuple[Procedure, tuple[il.Atom, ...]]:
        """The residual procedure for a closure and the static part of its arguments, and the
        dynamic part as atoms."""
        function = closure.function
        hints = [base_name(name) for name in (*function.parameters, function.rest or "")]
        roots = self.with_cells([("", closure), *zip(hints, values, strict=False)])
        store = self.barriers.settled(path.store)
        frozen = self._apart(path, function, self.freeze(roots, store, path.lifted))
        key = ("procedure", function, frozen.key)
        procedure = self.procedures.get(key)
        if procedure is None:
            caller, hint = self.machine.caller, self.machine.hint_of(function)
            procedure = self._procedure(key, function, frozen, len(values), hint, caller)
        assert procedure.root is not None
        leaves = [(leaf.name, leaf.offset) for leaf in frozen.leaves]
        if self.demand.watched:
            self.demand.meet(path, procedure.root, leaves)
        self.reach.lead(path.block, procedure.root)
        return procedure, self._atoms(path, leaves, procedure.raw.parameters)

    def _apart(self, path: Path, function: il.Function, frozen: Frozen) -> Frozen:
        """The state of a residual call, in which variables are not one that were not in calls
        before which are the same otherwise: that alone is worth no version."""
        tokens = frozen.tokens
        first, apart = self._together.setdefault(
            (function, *[_LEAF if _is_leaf(token) else token for token in tokens]),
            (tokens, set()),
        )
        apart.update(
            position
            for position, (old, new) in enumerate(zip(first, tokens, strict=True))
            if old != new and "=" in (old[0], new[0])
        )
        if not any(tokens[position][0] == "=" for position in apart):
            return frozen
        names = own_names(frozen)
        own = Thawed(frozen, names)  # where each leaf is a value of its own
        frozen = self.freeze(own.roots, own.store, own.lifted)
        lifted = {
            position: path.let("lift", (path.atom(frozen.places[position]),), "any", "x", None)
            for position in sorted(apart)
            if tokens[position][0] == "="
        }
        copy = Thawed(frozen, names, lifted)
        return self.freeze(copy.roots, copy.store, copy.lifted)

    def _procedure(
        self,
        key: Hashable,
        function: il.Function,
        frozen: Frozen,
        count: int,
        hint: str,
        caller: Activation | None,
    ) -> Procedure:
        """The residual procedure for a state that is new; `caller` made the call, if any."""
        cont = self.fresh("k")
        raw = RawFunction(self.procedure_name(hint), [], cont, "", {}, hint, function.span)
        procedure = Procedure(raw)

        def resume(path: Path, values: list[Any]) -> None:
            closure, arguments = values[0], values[1 : count + 1]
            self.machine.caller = caller
            path.through = () if caller is None else caller.calls
            code, environment, activation = self.machine.enter(
                path, closure, arguments, Return(cont, procedure), function.span, root=hint
            )
            path.block.activation = activation
            self.machine.run(path, code, 0, environment, activation)

        block = self.new_block(
            procedure, hint, ("procedure", function), [], resume, span=function.span
        )
        raw.entry = block.raw.label
        raw.parameters = [self.fresh(leaf.hint) for leaf in frozen.leaves]
        names = self._parameters(frozen, block.raw.parameters)
        for outer, inner in zip(raw.parameters, block.raw.parameters, strict=True):
            if inner in self.types:
                self.types[outer] = self.types[inner]
        block.roots, block.store, block.lifted = frozen.thaw(names)
        procedure.root = block
        self.procedures[key] = procedure
        self.limits.count_variant(block)
        self.enqueue(block)
        return procedure

    def lift_closure(self, path: Path, closure: Closure) -> Dynamic:
        """Make a residual procedure value of a closure."""
        path.settle()
        path.hand_over([closure], None)
        function = closure.function
        parameters = [self.fresh(base_name(name)) for name in function.parameters]
        rest = self.fresh(base_name(function.rest)) if function.rest is not None else None
        every = parameters if rest is None else [*parameters, rest]
        roots = [("", closure), *((base_name(name), Dynamic(name)) for name in every)]
        store = self.barriers.settled(path.store)
        frozen = self.freeze(self.with_cells(roots), store, path.lifted)
        key = ("procedure", function, frozen.key)
        procedure = self.procedures.get(key)
        if procedure is None:
            hint = self.naming.home(function)
            procedure = self._procedure(key, function, frozen, len(every), hint, None)
        assert procedure.root is not None
        self.results.give_up(path, procedure)
        self.reach.lead(path.block, procedure.root)
        leaves = [(leaf.name, leaf.offset) for leaf in frozen.leaves]
        atoms = self._atoms(path, leaves, procedure.raw.parameters)
        name, cont = self.fresh(base_name(function.name)), self.fresh("k")
        body = il.Block((), il.Call(il.Global(procedure.raw.name), atoms, cont, function.span))
        wrapper = il.Function(
            name, tuple(parameters), rest, cont, body, function.span, function.label
        )
        path.segment.bindings.append(il.Fix((wrapper,), function.span))
        return Dynamic(name)

    def lift_continuation(self, reified: Reified) -> NoReturn:
        """A reified continuation escapes: its call/cc must be residual; start again there."""
        self.residual_sites.add(id(reified.site))
        raise Restart(reified.block)  # type: ignore[arg-type]


_LEAF: Final = ("leaf",)


def _is_leaf(token: Token) -> bool:
    """Whether a token is that of a variable, which may be one that came before."""
    return type(token) is tuple and token[0] in ("d", "=")
