"""il.Program, binding times -> residual program: the specializer's driver.

A worklist of residual blocks.  Each is a memo point's state; running it (`Machine`) emits its code
and finds the states it jumps to.  `Restart` puts a block back when its code has become obsolete:
because a call of it turned out recursive, because constants of its state had to be lifted, or
because a continuation escaped.  What is unreachable in the end is left out.

Binding-time polyvariant and online: binding times are those of the values that arrive
(DESIGN section 2; seed 004 for cyclic values, `set-base`, late normalization and early equality).
"""

from __future__ import annotations

import gc
import time
from collections.abc import Hashable, Sequence
from dataclasses import replace
from io import StringIO
from typing import Any, NoReturn

from cogen import bt as binding_times
from cogen.residual import ResidualProgram
from cogen.spec.clean import clean
from cogen.spec.domain import (
    Activation,
    Closure,
    Continuation,
    Cyclic,
    Dynamic,
    Frame,
    PartialPair,
    Ref,
    Reified,
    Return,
    Static,
    Stop,
    Test,
    Value,
)
from cogen.spec.entry import Entry
from cogen.spec.freeze import Frozen, Token, base_name, static_token
from cogen.spec.graph import RawBlock, RawFunction, RawProgram
from cogen.spec.liveness import Liveness, Names
from cogen.spec.machine import Machine
from cogen.spec.memo import (
    Block,
    Point,
    Procedure,
    Restart,
    Resume,
    Roots,
    generalization,
    growing_numbers,
    identity_names,
)
from cogen.spec.mutation import find_mutations, is_constant
from cogen.spec.options import Options
from cogen.spec.path import Path, datum_of, type_of
from cogen.spec.rules import rule_of
from lang import il
from lang.datum import UNSPECIFIED, Datum, RecordType
from lang.deep import on_deep_stack
from lang.errors import CogenError, LimitationError, Note, Span, Warnings
from lang.expand import PRELUDE
from lang.interp import Interpreter
from lang.machine import Machine as RunMachine
from lang.printer import write_datum


def specialize(
    program: il.Program,
    entry: str,
    bts: Sequence[binding_times.BT],
    options: Options | None = None,
    warnings: Warnings | None = None,
) -> ResidualProgram:
    """Specialize the global procedure `entry` to binding times, one for each parameter.

    The residual entry keeps its name; its parameters are the dynamic and cyclic leaves of the
    binding times, left to right.  Raises CogenError for a wrong entry or binding times, for an
    error that the source program would certainly meet, and when a limit of `options` is reached
    (the call chain is in the notes).  `warnings` collects what is left out.
    """
    options = options or Options()
    if options.auto:
        raise LimitationError(
            "auto is not there yet", hint="say (cyclic BASE REM), or use (set-base x n)"
        )
    specializer = Specializer(program, options, warnings or Warnings())
    enabled = gc.isenabled()
    gc.disable()
    try:
        return on_deep_stack(specializer.run, entry, bts)
    finally:
        if enabled:
            gc.enable()


class Specializer:
    """One specialization; everything that outlives a path."""

    GENERALIZE_AFTER = 3
    """Visits of one point, with other static arguments each time, before --generalize acts."""

    MAX_ANCESTORS = 32
    """Ancestors at the same point that a new state is compared with."""

    def __init__(self, program: il.Program, options: Options, warnings: Warnings) -> None:
        self.program = program
        self.options = options
        self.warnings = warnings
        self.liveness = Liveness()
        self.rule = rule_of
        self.types: dict[str, str] = {}
        self.recursive: dict[int, set[Hashable]] = {}
        self.residual_sites: set[int] = set()
        self.lifted_arguments: dict[int, set[int]] = {}
        self.loops: dict[int, set[Hashable]] = {}
        self.procedures: dict[Hashable, Procedure] = {}
        self.queue: list[Block] = []
        self.machine = Machine(self)
        self.run_machine = RunMachine(options.word_size)
        self._names: dict[str, int] = {}
        self._number = 0
        self._ground: dict[Hashable, int] = {}
        self._ground_data: dict[int, tuple[PartialPair, Datum]] = {}
        self._swapped: dict[int, il.If] = {}
        self._live_after: dict[tuple[int, int], Names] = {}
        self._kept: list[object] = []
        self._globals: dict[str, Value] = {}
        self._broken: dict[str, CogenError] = {}
        self._cells: dict[str, Ref] = {}
        self._operations = 0
        self._unfoldings = 0
        self._unfoldings_in_block = 0
        self._restarts = 0
        self._obsolete = False
        self._variants: dict[Hashable, int] = {}
        self._started = time.perf_counter()
        mutations = find_mutations(program)
        self.mutable_pairs, self._mutable_records = mutations.pairs, mutations.records
        self.mutable_bytes = mutations.bytes

    # -- the road ------------------------------------------------------------------------------

    def run(self, entry: str, bts: Sequence[binding_times.BT]) -> ResidualProgram:
        """The whole specialization (on a deep stack)."""
        store = self._evaluate_top_level()
        start = Entry(self, entry, bts, store)
        self._drain()
        raw = self._raw_program(start.procedure)
        program = clean(raw)
        statistics = {
            "operations emitted": self._operations,
            "calls unfolded": self._unfoldings,
            "residual blocks": sum(len(f.blocks) for f in raw.functions.values()),
            "residual procedures": len(raw.functions),
            "restarts": self._restarts,
            "seconds": time.perf_counter() - self._started,
        }
        return ResidualProgram(
            program,
            start.procedure.raw.name,
            tuple(start.parameters),
            self.options.word_size,
            self.options.checked,
            statistics,
        )

    def _evaluate_top_level(self) -> dict[int, Any]:
        """Evaluate definitions once, symbolically; gives the store they leave."""
        procedure = Procedure(RawFunction("top-level", [], "k", "top-level"))
        block = self._block(procedure, "top-level", ("top-level",), [], lambda path, values: None)
        path = Path(self, block, {}, {})
        path.certain = path.quiet = True
        for name in sorted(self.program.assigned):
            self._cells[name] = path.allocate("cell", (Static(UNSPECIFIED),))
        for item in self.program.items:
            if type(item) is il.Define:
                self._globals[item.name] = Closure(item.function, {})
            elif type(item) is il.Value:
                self._evaluate_definition(path, item)
            elif type(item) is il.Expression:
                self.warnings.warn("this top-level expression is left out", item.span)
        return path.store

    def _evaluate_definition(self, path: Path, item: il.Value) -> None:
        emitted = len(path.segment.bindings)
        store = dict(path.store)
        path.block = self._block(
            path.block.procedure, "top-level", ("top-level",), [], lambda path, values: None
        )
        try:
            self.machine.result = None
            self.machine.run(path, item.body, 0, {item.cont: Stop()}, None)
            self.machine.finish()
            value = self.machine.result
            if value is None or len(path.segment.bindings) != emitted:
                raise LimitationError("only a run can evaluate it")
        except (LimitationError, Restart):
            del path.segment.bindings[emitted:]
            self.machine.work.clear()
            path.store = store
            value = self._run_definition(item)
            if value is None:
                return
        cell = self._cells.get(item.name)
        if cell is None:
            self._globals[item.name] = value
        else:
            path.assign(cell, 0, value)

    def _run_definition(self, item: il.Value) -> Value | None:
        """The value of a definition that cannot be evaluated symbolically, found by a run of the
        program so far; None, and a diagnostic for who uses it, if it is no constant."""
        last = self.program.items.index(item)
        program = replace(self.program, items=self.program.items[: last + 1])
        output = StringIO()
        interpreter = Interpreter(program, self.options.word_size, output)
        interpreter.run()
        value = interpreter.machine.globals[item.name]
        if output.getvalue():
            self.warnings.warn("what the top level writes is left out", item.span)
        if is_constant(value, self.mutable_bytes):
            return Static(value)
        self._broken[item.name] = LimitationError(
            f"the definition of {item.name} does something that only a run can do",
            item.span,
            hint="make it a procedure, or a parameter of the entry",
        )
        self.warnings.warn(f"the definition of {item.name} is left out", item.span)
        return None

    def _drain(self) -> None:
        """Run blocks until none is left.  One that nothing leads to when its turn comes is passed
        over; a block started again may lead to it later."""
        while True:
            while self.queue:
                block = self.queue.pop()
                block.queued = False
                if block.raw.body is None and (not self._obsolete or block in self._reachable()):
                    self._run(block)
            missing = [block for block in self._reachable() if block.raw.body is None]
            if not missing:
                return
            for block in missing:
                self._enqueue(block)

    def _run(self, block: Block) -> None:
        try:
            self._start(block)
        except Restart as restart:
            self._again(block, restart.block)

    def _again(self, current: Block, target: Block) -> None:
        self._restarts += 1
        self._obsolete = True
        self.machine.work.clear()
        for block in (current, target):
            block.raw.body = None
            block.successors.clear()
            self._enqueue(block)

    def _enqueue(self, block: Block) -> None:
        if not block.queued:
            block.queued = True
            self.queue.append(block)
        else:
            self.queue.remove(block)
            self.queue.append(block)

    def _reachable(self) -> dict[Block, None]:
        """The blocks that the entry's code leads to, in order of discovery."""
        roots = [p.root for p in self.procedures.values() if p.raw.is_entry and p.root is not None]
        found: dict[Block, None] = dict.fromkeys(roots)
        work = list(roots)
        while work:
            for successor in work.pop().successors:
                if successor not in found:
                    found[successor] = None
                    work.append(successor)
        return found

    def _start(self, block: Block) -> None:
        """Run one block's state to residual code."""
        path = Path(self, block, dict(block.store), dict(block.lifted))
        path.certain, path.quiet = block.certain, True
        top = path.segment
        self._unfoldings_in_block = 0
        if block.forwards:
            self._forward(path, block)
        else:
            count = len(block.roots) - (len(self._cells) if block.point[0] != "top" else 0)
            block.resume(path, [value for _, value in block.roots[:count]])
        self.machine.finish()
        block.raw.body = top.block()

    def _forward(self, path: Path, block: Block) -> None:
        """Generalize the block's state and go on to the more general block."""
        frozen = self._frozen(block)
        replaced: dict[int, Dynamic] = {}
        for position, leader in sorted(block.lifted_positions.items()):
            if leader in replaced:
                replaced[position] = replaced[leader]
                continue
            value = frozen.places[position]
            atom = path.atom(value)
            replaced[position] = path.let("lift", (atom,), type_of(value), "x", None)
        names = identity_names(frozen, block.widened)
        roots, path.store, path.lifted = frozen.thaw(names, replaced)
        numbers: dict[Hashable, Dynamic] = {}
        for index in sorted(block.lifted_roots):
            hint, value = roots[index]
            roots[index] = (hint, self._lift_root(path, value, numbers))
        roots = roots[: len(roots) - len(self._cells)]
        self.memo_point(path, block.point, roots, block.resume, block.activation, block.raw.span)

    def _lift_root(self, path: Path, value: Value, numbers: dict[Hashable, Dynamic]) -> Value:
        """A root made dynamic: equal numbers as one variable, a delayed test in its operands."""
        if type(value) is Test:
            operands = [self._lift_root(path, part, numbers) for part in value.arguments]
            return Test(value.op, tuple(operands), value.fails, value.span)
        if type(value) is not Static or type(value.datum) not in (int, float):
            return path.dynamic(value)
        key = static_token(value.datum)
        if key not in numbers:
            numbers[key] = path.dynamic(value)
        return numbers[key]

    def _raw_program(self, entry: Procedure) -> RawProgram:
        functions: dict[str, RawFunction] = {}
        for block in self._reachable():
            function = block.procedure.raw
            functions[function.name] = function
            function.blocks[block.raw.label] = block.raw
        return RawProgram(
            functions, entry.raw.name, self.program.records, self.program.source, self.types
        )

    # -- names, counters, limits ---------------------------------------------------------------

    def fresh(self, hint: str) -> str:
        """A new name that people can recognize."""
        number = self._names.get(hint, 0) + 1
        self._names[hint] = number
        return f"{hint or 'x'}.{number}" if hint else f"x..{number}"

    def variable(self, name: str, type: str) -> Dynamic:
        """The residual variable of that name, its type noted."""
        if type != "any":
            self.types[name] = type.partition(":")[0]
        return Dynamic(name, type)

    def next_number(self) -> int:
        self._number += 1
        return self._number

    def count_operation(self, span: Span | None) -> None:
        """Count a residual operation; a limit's diagnostic when there are too many."""
        self._operations += 1
        if self._operations > self.options.max_size:
            self._limit(
                f"the residual program has more than {self.options.max_size} operations",
                span,
                None,
                "max-size",
            )
        if self._operations & 255 == 0:
            self._check_time(span, None)

    def count_unfolding(self, path: Path, activation: Activation) -> None:
        """Count an unfolded call; a limit's diagnostic when there are too many."""
        self._unfoldings += 1
        self._unfoldings_in_block += 1
        if self._unfoldings_in_block > self.options.max_unfoldings:
            self._limit(
                f"more than {self.options.max_unfoldings} calls were unfolded without reaching "
                "a dynamic conditional",
                activation.span,
                activation,
                "max-unfoldings",
            )
        if self._unfoldings & 255 == 0:
            self._check_time(activation.span, activation)

    def _check_time(self, span: Span | None, activation: Activation | None) -> None:
        limit = self.options.max_time
        if limit is not None and time.perf_counter() - self._started > limit:
            self._limit(
                f"specialization took more than {limit:g} seconds", span, activation, "max-time"
            )

    def _limit(
        self, message: str, span: Span | None, activation: Activation | None, option: str
    ) -> NoReturn:
        notes: list[Note] = []
        while activation is not None and len(notes) < 8:
            function = activation.function
            arguments = ", ".join(
                f"{base_name(name)} = {_brief(value)}"
                for name, value in zip(function.parameters, activation.values[1:], strict=False)
            )
            notes.append(
                Note(f"in the call of {function.label or base_name(function.name)} ({arguments})",
                     activation.span)
            )  # fmt: skip
            k: Continuation = activation.continuation
            activation = k.activation if type(k) is Frame else None
        raise CogenError(
            f"specialization does not seem to end: {message}",
            span,
            hint=f"{_GROWING}, or raise --{option}",
            notes=notes,
        )

    def _count_variant(self, block: Block) -> None:
        count = self._variants.get(block.point, 0) + 1
        self._variants[block.point] = count
        if count <= self.options.max_variants:
            return
        notes: list[Note] = []
        ancestor: Block | None = block
        while ancestor is not None and len(notes) < 6:
            values = ", ".join(
                f"{name} = {_brief(value)}"
                for name, value in ancestor.roots
                if name and type(value) in (Static, Cyclic, PartialPair)
            )
            notes.append(
                Note(f"a version with {values or 'no static arguments'}", ancestor.raw.span)
            )
            ancestor = ancestor.previous()
        activation = block.activation
        raise CogenError(
            f"specialization does not seem to end: more than {self.options.max_variants} versions "
            f"of {base_name(block.raw.hint) or 'one program point'}",
            block.raw.span,
            hint=f"{_GROWING}, or raise --max-variants",
            notes=[*notes, *self._chain(activation)],
        )

    def _chain(self, activation: Activation | None) -> list[Note]:
        notes: list[Note] = []
        while activation is not None and len(notes) < 6:
            function = activation.function
            notes.append(
                Note(
                    f"in the call of {function.label or base_name(function.name)}", activation.span
                )
            )
            k = activation.continuation
            activation = k.activation if type(k) is Frame else None
        return notes

    # -- facts of the program ------------------------------------------------------------------

    def is_mutable(self, record: RecordType) -> bool:
        """Whether anything assigns a field of the record type."""
        return id(record) in self._mutable_records

    def global_value(self, name: str) -> Value:
        """The value of a global that is never assigned."""
        found = self._globals.get(name)
        if found is None:
            error = self._broken.get(name)
            if error is not None:
                raise error
            raise CogenError(f"{name} is used before its definition is evaluated")
        return found

    def global_cell(self, name: str) -> Ref:
        """The store object of an assigned global."""
        error = self._broken.get(name)
        if error is not None:
            raise error
        return self._cells[name]

    def assigned_globals(self) -> list[Ref]:
        return list(self._cells.values())

    def ground_number(self, parts: Hashable) -> int:
        """The number of all pairs with these ground parts."""
        return self._ground.setdefault(parts, len(self._ground))

    def ground_datum(self, pair: PartialPair) -> Datum:
        """The constant that a ground pair becomes, the same at each call."""
        found = self._ground_data.get(id(pair))
        if found is None:
            found = self._ground_data[id(pair)] = (pair, datum_of(pair))
        return found[1]

    def swapped(self, node: il.If) -> il.If:
        """The conditional with its arms exchanged."""
        found = self._swapped.get(id(node))
        if found is None:
            found = il.If(node.test, node.otherwise, node.then, node.span)
            self._swapped[id(node)] = found
            self._kept.append(node)
        return found

    def live_after(self, code: il.Block, index: int, name: str) -> Names:
        """The names that a block needs after binding `index`, which binds `name`."""
        found = self._live_after.get((id(code), index))
        if found is None:
            rest = il.Cont("", (name,), il.Block(code.bindings[index + 1 :], code.tail))
            found = self._live_after[(id(code), index)] = self.liveness.of_cont(rest)
            self._kept.append(code)
        return found

    # -- memo points ---------------------------------------------------------------------------

    def _with_cells(self, roots: Sequence[tuple[str, Any]]) -> Roots:
        return [*roots, *self._cells.items()]

    def call_key(self, path: Path, values: tuple[Value, ...]) -> tuple[Token, ...]:
        """The static skeleton of a call: the procedure's and its arguments'."""
        roots = self._with_cells([("", value) for value in values])
        return Frozen(roots, path.store, {}, self.liveness).key

    def _frozen(self, block: Block) -> Frozen:
        if block.frozen is None:
            block.frozen = Frozen(block.roots, block.store, block.lifted, self.liveness)
        return block.frozen

    def memo_point(
        self,
        path: Path,
        point: Point,
        roots: Sequence[tuple[str, Any]],
        resume: Resume,
        activation: Activation | None,
        span: Span | None,
    ) -> None:
        """End the path with a jump to the block of its state, made if the state is new."""
        procedure = path.block.procedure
        frozen = Frozen(self._with_cells(roots), path.store, path.lifted, self.liveness)
        key = (point, frozen.key)
        block = procedure.blocks.get(key)
        if block is None or path.block.nearest.get(point, block) is not block:
            block = self._more_general(path, point, frozen) or block
        if block is None and self._generalizes(span):
            liftable = self._covered(path, point, frozen)
            if liftable:
                roots = [
                    (hint, path.dynamic(value)) if index in liftable else (hint, value)
                    for index, (hint, value) in enumerate(roots)
                ]
                self.memo_point(path, point, roots, resume, activation, span)
                return
            self._generalize(path, point, frozen)
        if block is None:
            hint = activation.function.label.lstrip("%") if activation is not None else "join"
            certain = path.certain and path.quiet
            block = self._block(
                procedure, hint, point, [], resume, activation, path.block, certain, span
            )
            names = self._parameters(frozen, block.raw.parameters)
            block.roots, block.store, block.lifted = frozen.thaw(names)
            procedure.blocks[key] = block
            procedure.at_point.setdefault(point, []).append(block)
            self._count_variant(block)
        if block.raw.body is None and not block.queued:
            self._enqueue(block)
        path.block.successors.append(block)
        atoms = self._arguments(path, frozen, self._frozen(block))
        path.segment.tail = il.Jump(block.raw.label, atoms, span)

    def _block(
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
        return names

    def _arguments(self, path: Path, frozen: Frozen, target: Frozen) -> tuple[il.Atom, ...]:
        """The leaves that the target has, as arguments of a jump or call: normalized (late
        normalization, seed 004)."""
        atoms: list[il.Atom] = []
        for leaf in target.leaves:
            name, offset = frozen.occurrences[target.leaf_at[(leaf.name, leaf.offset)]]
            hint = leaf.hint or base_name(name)
            atoms.append(il.Var(path.shifted(Dynamic(name, "int"), offset, hint).name))
        return tuple(atoms)

    def _more_general(self, path: Path, point: Point, frozen: Frozen) -> Block | None:
        """An ancestor that serves for the state too; or a restart of one that must be
        generalized (see Note [Generalizing constants to dynamic])."""
        others = [(block, False) for block in self._ancestors(path, point)]
        if point[0] == "cont":
            same = path.block.procedure.at_point.get(point, [])
            others += [(b, True) for b in same[: -self.MAX_ANCESTORS : -1] if not b.forwards]
        for other, join in others:
            old = self._frozen(other)
            difference = generalization(old.tokens, frozen.tokens, join)
            if difference is None:
                continue
            lift, widen = difference
            widen = {p for p in widen if not _is_wider(old.tokens[p][1], frozen.tokens[p][1])}
            if not lift and not widen:
                return other
            other.lifted_positions.update(lift)
            other.widened |= widen
            raise Restart(other)
        return None

    def _ancestors(self, path: Path, point: Point) -> list[Block]:
        """The blocks at the same point that led to the path, the nearest first."""
        found: list[Block] = []
        ancestor = path.block.nearest.get(point)
        while ancestor is not None and len(found) < self.MAX_ANCESTORS:
            if not ancestor.forwards:
                found.append(ancestor)
            ancestor = ancestor.previous()
        return found

    def _generalizes(self, span: Span | None) -> bool:
        """Whether what grows is made dynamic at a point: if asked for, and in the prelude.  Its
        loops count and collect; so `length` of a dynamic list becomes a loop."""
        return self.options.generalize or self.in_prelude(span)

    def in_prelude(self, span: Span | None) -> bool:
        """Whether a place is in the prelude."""
        return span is not None and span.source.name == _PRELUDE

    def place(self, span: Span | None, activation: Activation | None) -> Span | None:
        """A place of the program: for one in the prelude, that of the call that led there."""
        while span is not None and span.source.name == _PRELUDE and activation is not None:
            span = activation.span
            k = activation.continuation
            activation = k.activation if type(k) is Frame else None
        return span

    def _root_keys(self, block: Block) -> list[Hashable]:
        if block.root_keys is None:
            block.root_keys = [self._root_key(root, block.store) for root in block.roots]
        return block.root_keys

    def _root_key(self, root: tuple[str, Any], store: dict[int, Any]) -> Hashable:
        return Frozen([root], store, {}, self.liveness).key

    def _covered(self, path: Path, point: Point, frozen: Frozen) -> set[int]:
        """The roots to be lifted for the state to be that of a generalized ancestor."""
        keys = None
        for ancestor in self._ancestors(path, point):
            if ancestor.parent is None or not ancestor.parent.forwards:
                continue
            keys = keys or [self._root_key(root, path.store) for root in frozen.roots]
            old = self._root_keys(ancestor)
            differ = {i for i, key in enumerate(keys) if key != old[i]}
            if differ and all(
                type(ancestor.roots[i][1]) is Dynamic and _is_liftable(frozen.roots[i][1])
                for i in differ
            ):
                return differ
        return set()

    def _generalize(self, path: Path, point: Point, frozen: Frozen) -> None:
        """Restart the first ancestor with that lifted which changes from visit to visit."""
        ancestors = self._ancestors(path, point)
        if len(ancestors) < self.GENERALIZE_AFTER:
            return
        first, last = ancestors[-1], ancestors[0]
        numbers = growing_numbers(self._frozen(first).tokens, self._frozen(last).tokens, frozen)
        if numbers is not None:
            first.lifted_positions.update(numbers)
            raise Restart(first)
        keys = [self._root_key(root, path.store) for root in frozen.roots]
        growing = set()
        for index, history in enumerate(
            zip(keys, self._root_keys(last), self._root_keys(ancestors[1]), strict=True)
        ):
            if len(set(history)) == 1:
                continue
            values = frozen.roots[index][1], first.roots[index][1]
            if len(set(history)) < len(history) or not all(map(_is_liftable, values)):
                return
            growing.add(index)
        if growing:
            first.lifted_roots |= growing
            raise Restart(first)

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
        roots = self._with_cells([("", closure), *zip(hints, values, strict=False)])
        frozen = Frozen(roots, path.store, path.lifted, self.liveness)
        key = ("procedure", function, frozen.key)
        procedure = self.procedures.get(key)
        if procedure is None:
            procedure = self._procedure(key, function, frozen, len(values))
        assert procedure.root is not None
        path.block.successors.append(procedure.root)
        return procedure, self._arguments(path, frozen, frozen)

    def _procedure(
        self, key: Hashable, function: il.Function, frozen: Frozen, count: int
    ) -> Procedure:
        hint = self.machine.hint_of(function)
        caller = self.machine.caller
        cont = self.fresh("k")
        raw = RawFunction(self.procedure_name(hint), [], cont, "", {}, hint, function.span)
        procedure = Procedure(raw)

        def resume(path: Path, values: list[Any]) -> None:
            closure, arguments = values[0], values[1 : count + 1]
            self.machine.caller = caller
            code, environment, activation = self.machine.enter(
                path, closure, arguments, Return(cont), function.span, root=True
            )
            path.block.activation = activation
            self.machine.run(path, code, 0, environment, activation)

        block = self._block(
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
        self._count_variant(block)
        self._enqueue(block)
        return procedure

    def lift_closure(self, path: Path, closure: Closure) -> Dynamic:
        """Make a residual procedure value of a closure."""
        path.settle()
        path.escape([closure])
        function = closure.function
        parameters = [self.fresh(base_name(name)) for name in function.parameters]
        rest = self.fresh(base_name(function.rest)) if function.rest is not None else None
        every = parameters if rest is None else [*parameters, rest]
        roots = [("", closure), *((base_name(name), Dynamic(name)) for name in every)]
        frozen = Frozen(self._with_cells(roots), path.store, path.lifted, self.liveness)
        key = ("procedure", function, frozen.key)
        procedure = self.procedures.get(key)
        if procedure is None:
            procedure = self._procedure(key, function, frozen, len(every))
        assert procedure.root is not None
        path.block.successors.append(procedure.root)
        atoms = self._arguments(path, frozen, frozen)
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


_PRELUDE = str(PRELUDE)
_GROWING = "make the growing argument dynamic (lift it, or --generalize)"


def _is_wider(type: str, other: str) -> bool:
    """Whether a leaf of the one type may stand for one of the other."""
    return type == "any" or (type == "memory" and other.startswith("memory"))


def _is_liftable(value: Any) -> bool:
    """Whether a root can be made dynamic: a value, and not dynamic already."""
    return type(value) not in (Frame, Return, Stop, Dynamic)


def _brief(value: Any) -> str:
    """A value as a note shows it."""
    if type(value) is Static:
        text = write_datum(value.datum)
        return text if len(text) <= 40 else text[:39] + "…"
    if type(value) is Cyclic:
        return f"{value.base}*{base_name(value.quotient.name)}+{value.remainder}"
    if type(value) is PartialPair:
        datum = datum_of(value)
        return "a list" if datum is None else _brief(Static(datum))
    if type(value) is Closure:
        return f"#<procedure {value.function.label}>"
    return "dynamic" if type(value) is Dynamic else f"a {type(value).__name__.lower()}"
