"""The top level of a program: its definitions are evaluated once, ahead of everything.

They are evaluated symbolically, so that closures, vectors and partially static data keep their
parts.  A definition that needs what only a run can do (a handler, a port) is found by a run of
the program so far, if its value is a constant; using any other is an error that says so.  Top-level
expressions are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from typing import Any

from cogen.lang import il
from cogen.lang.datum import UNSPECIFIED
from cogen.lang.errors import LimitationError, Span
from cogen.lang.interp import Interpreter
from cogen.specializer.execution.engine import Engine
from cogen.specializer.paths.path import Path
from cogen.specializer.programs.mutation import is_constant
from cogen.specializer.values.domain import Closure, Ref, Static, Stop, Value
from cogen.specializer.versions.graph import RawFunction
from cogen.specializer.versions.memo import Restart, VersionedProcedure


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
            else:
                left.append(item.span)
        self._tell(left)

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

    def _evaluate(self, path: Path, item: il.Value | il.Expression) -> Value | None:
        """The value of a definition, None if it would leave residual code."""
        engine, segment = self._engine, path.segment
        engine.taken()
        try:
            engine.run(path, (item.body, 0, {item.cont: Stop()}, None))
            engine.finish()
        except (LimitationError, Restart):
            engine.work.clear()
            return None
        return engine.taken() if not segment.bindings else None

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
            context.warnings.warn("what the top level writes is left out", item.span)
        if is_constant(value, context.mutations.bytes):
            return Static(value)
        self._globals.broken[item.name] = LimitationError(
            f"the definition of {item.name} does something that only a run can do",
            item.span,
            hint="make it a procedure, or a parameter of the entry",
        )
        context.warnings.warn(f"the definition of {item.name} is left out", item.span)
        return None


def _is_annotation(body: il.Block) -> bool:
    """Whether a top-level expression is just `(init-cache ...)`."""
    bindings = body.bindings
    return len(bindings) == 1 and type(bindings[0]) is il.Let and bindings[0].op == "init-cache"


def _nowhere(path: Path, values: list[Any]) -> None:
    """The top level is no memo point: nothing goes on from it."""
