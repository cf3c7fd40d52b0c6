"""The top level of a program: its definitions are evaluated once, ahead of everything.

They are evaluated symbolically, so that closures, vectors and partially static data keep their
parts.  A definition that needs what only a run can do (a handler, a port) is found by a run of
the program so far, if its value is a constant; using any other is an error that says so.  A
top-level expression that may change what definitions have made, as one that fills a table, is
carried out in its turn; all others are left out, and so are those that only a run can carry out, or
that take long.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from io import StringIO
from typing import Any, Final

from cogen.lang import il
from cogen.lang.datum import UNSPECIFIED, Pair
from cogen.lang.errors import CogenError, LimitationError, Span
from cogen.lang.governor import Exhausted
from cogen.lang.ilutil import atoms, blocks
from cogen.lang.interp import Interpreter
from cogen.specializer.execution.engine import Engine
from cogen.specializer.paths.path import Path
from cogen.specializer.programs.mutation import is_constant
from cogen.specializer.values.domain import Closure, Ref, Static, Stop, Value
from cogen.specializer.versions.effort import TooMuch
from cogen.specializer.versions.graph import RawFunction
from cogen.specializer.versions.memo import Restart, VersionedProcedure

MOST_CALLS: Final = 20_000
"""So many calls may be unfolded to carry out an expression of the top level."""


_WRITING: Final = frozenset(
    {"display", "write", "write-shared", "write-simple", "write-string", "write-char", "newline"}
)
"""Operations that nothing else depends on."""

WRITES: Final = "what the top level writes is left out"


class TopLevel:
    """Finds the values of globals (`versions.cells.Globals`)."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._context = engine.context
        self._globals = engine.context.globals
        self._procedure = VersionedProcedure(RawFunction("top-level", [], "k", "top-level"))

    def evaluate(self) -> None:
        """Evaluate all definitions in order."""
        self._globals.evaluating = True
        try:
            self._evaluate_all()
        finally:
            self._globals.evaluating = False

    def _evaluate_all(self) -> None:
        program, globals_ = self._context.program, self._globals
        path = self._path()
        for name in sorted(program.assigned):
            globals_.cells[name] = path.allocate("cell", (Static(UNSPECIFIED),))
        caches = self._context.mutations.caches
        if caches or self._context.options.auto:
            self._engine.parts.barriers.define_setting(path, automatic=not caches)
        globals_.store = path.store
        left: list[Span | None] = []
        for item in program.items:
            if isinstance(item, il.Define):
                globals_.values[item.name] = Closure(item.function, {})
            elif isinstance(item, il.Value):
                self._define(item)
            elif _is_annotation(item.body):
                self._annotate(item)
            elif not self._carry_out(item):
                left.append(item.span)
        self._tell(left)

    def _carry_out(self, item: il.Expression) -> bool:
        """Carry out an expression that may change what definitions have made; False if it is to be
        left out."""
        left_out = self._engine.parts.analyses.left_out
        if item.span in left_out or not self._may_change_objects(item.body):
            return False
        path, limits = self._path(), self._context.limits
        with limits.apart(MOST_CALLS):
            try:
                is_done = self._evaluate(path, item, _WRITING) is not None
            except Exhausted:
                raise
            except (CogenError, TooMuch):
                self._engine.work.clear()
                is_done = False
        if not is_done:
            left_out.add(item.span)
            return False
        if path.segment.bindings:
            self._context.warnings.warn(WRITES, item.span)
        self._globals.store = self._context.barriers.settled(path.store)
        return True

    def _may_change_objects(self, body: il.Block) -> bool:
        """Whether code refers to a global that is assigned or holds a mutable object, or pairs that
        may turn out to be such, or calls what does."""
        states = set(self._globals.roots())
        if self._context.pairs.may_be_assigned:
            states.update(n for n, value in self._globals.values.items() if _may_hold_pairs(value))
        work, seen = [body], set[str]()
        while work:
            for name in referred(work.pop()) - seen:
                if name in states:
                    return True
                seen.add(name)
                value = self._globals.values.get(name)
                if type(value) is Closure:
                    work.append(value.function.body)
        return False

    def _tell(self, left: Sequence[Span | None]) -> None:
        """One warning for all expressions that are left out: a program may end with many."""
        if left:
            more = f", and {len(left) - 1} more behind it" if len(left) > 1 else ""
            self._context.warnings.warn(f"this top-level expression is left out{more}", left[0])

    def _path(self) -> Path:
        """A path of its own for each definition, on the store of those before."""
        points = self._engine.parts.points
        block = points.new_block(self._procedure, "top-level", ("top-level",), [], _nowhere)
        path = Path(self._context, block, dict(self._globals.store), {})
        path.certain = path.quiet = True
        path.made = self._globals.made
        return path

    def _define(self, item: il.Value) -> None:
        path = self._path()
        value = self._evaluate(path, item)
        if value is None:
            path = self._path()
            value = self._run(item)
        if value is None:
            return
        globals_ = self._globals
        cell = globals_.cells.get(item.name)
        if cell is None:
            globals_.values[item.name] = value
            if self._holds_objects(path, value):
                globals_.objects[item.name] = value
        else:
            path.assign(cell, 0, value)
        globals_.store = self._context.barriers.settled(path.store)

    def _holds_objects(self, path: Path, value: Value) -> bool:
        """Whether mutable objects, apart from the cells of globals, are reached from a value."""
        cells = {ref.number for ref in self._globals.cells.values()}
        reached = path.reachable([value])
        return any(type(ref) is Ref and ref.number not in cells for ref in reached)

    def _annotate(self, item: il.Expression) -> None:
        """Carry out an `init-cache` that stands for itself: it holds for every entry."""
        path = self._path()
        self._evaluate(path, item)
        self._globals.store = path.store

    def _evaluate(
        self, path: Path, item: il.Value | il.Expression, may_leave: Container[str] = ()
    ) -> Value | None:
        """The value of a definition, None if it would leave residual code other than such
        operations."""
        engine, segment = self._engine, path.segment
        engine.taken()
        try:
            engine.run(path, (item.body, 0, {item.cont: Stop()}, None))
            engine.finish()
        except (LimitationError, Restart):
            engine.work.clear()
            return None
        found = engine.taken()
        is_left = any(type(b) is not il.Let or b.op not in may_leave for b in segment.bindings)
        return None if is_left else found

    def _run(self, item: il.Value) -> Value | None:
        """The constant that a run of the program so far gives; None, and a diagnostic for who uses
        the global, if it is none."""
        context = self._context
        last = context.program.items.index(item)
        program = replace(context.program, items=context.program.items[: last + 1])
        output = StringIO()
        interpreter = Interpreter(program, context.options.word_size, output)
        interpreter.run()
        value = interpreter.machine.globals[item.name]
        if output.getvalue():
            context.warnings.warn(WRITES, item.span)
        if is_constant(value, context.mutations.bytes):
            return Static(value)
        self._globals.broken[item.name] = LimitationError(
            f"the definition of {item.name} does something that only a run can do",
            item.span,
            hint="make it a procedure, or a parameter of the entry",
        )
        context.warnings.warn(f"the definition of {item.name} is left out", item.span)
        return None


def _may_hold_pairs(value: Value) -> bool:
    """Whether pairs may be reached from a value."""
    if type(value) is Closure:
        return bool(value.environment)
    return type(value) is not Static or type(value.datum) in (Pair, list)


def referred(body: il.Block) -> set[str]:
    """The globals that code refers to."""
    found = set[str]()
    for block in blocks(body):
        for atom in atoms(block):
            if type(atom) is il.Global:
                found.add(atom.name)
        for binding in block.bindings:
            if type(binding) is il.Let and binding.op in ("global-get", "global-set!"):
                found.add(binding.arguments[0].value.name)  # type: ignore[union-attr]
    return found


def _is_annotation(body: il.Block) -> bool:
    """Whether a top-level expression is just `(init-cache ...)`."""
    bindings = body.bindings
    return len(bindings) == 1 and type(bindings[0]) is il.Let and bindings[0].op == "init-cache"


def _nowhere(path: Path, values: list[Any]) -> None:
    """The top level is no memo point: nothing goes on from it."""
