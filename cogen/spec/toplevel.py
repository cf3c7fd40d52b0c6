"""The top level of a program: its definitions are evaluated once, ahead of everything.

They are evaluated symbolically, so that closures, vectors and partially static data keep their
parts.  A definition that needs what only a run can do (a handler, a port) is found by a run of
the program so far, if its value is a constant; using any other is an error that says so.  Top-level
expressions are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from typing import TYPE_CHECKING, Any

from cogen.lang import il
from cogen.lang.called import Named, of_globals
from cogen.lang.datum import UNSPECIFIED, Datum, Record
from cogen.lang.errors import CogenError, LimitationError
from cogen.lang.interp import Interpreter
from cogen.spec.domain import Closure, PartialRecord, Ref, Static, Stop, Value
from cogen.spec.freeze import Store
from cogen.spec.graph import RawFunction
from cogen.spec.memo import Procedure, Restart
from cogen.spec.mutation import is_constant
from cogen.spec.path import Path

if TYPE_CHECKING:
    from cogen.spec.specializer import Specializer


class TopLevel:
    """The values of globals: of those that are never assigned, and the cells of the others.

    `store` is what the definitions leave; every call of the residual entry starts from it.
    `objects` are the values of globals with mutable objects in them, which belong to every state
    as the cells do.
    """

    def __init__(self, spec: Specializer) -> None:
        self.spec = spec
        self.store: Store = {}
        self.cells: dict[str, Ref] = {}
        self.objects: dict[str, Value] = {}
        self.evaluating = False
        """Whether the definitions are being evaluated."""
        self._values: dict[str, Value] = {}
        self._broken: dict[str, CogenError] = {}
        self._procedure = Procedure(RawFunction("top-level", [], "k", "top-level"))

    def evaluate(self) -> None:
        """Evaluate all definitions in order."""
        self.evaluating = True
        try:
            self._evaluate_all()
        finally:
            self.evaluating = False

    def _evaluate_all(self) -> None:
        program = self.spec.program
        path = self._path()
        for name in sorted(program.assigned):
            self.cells[name] = path.allocate("cell", (Static(UNSPECIFIED),))
        if self.spec.caches or self.spec.options.auto:
            self.spec.barriers.define_setting(path, automatic=not self.spec.caches)
        self.store = path.store
        for item in program.items:
            if isinstance(item, il.Define):
                self._values[item.name] = Closure(item.function, {})
            elif isinstance(item, il.Value):
                self._define(item)
            elif _is_annotation(item.body):
                self._annotate(item)
            else:
                self.spec.warnings.warn("this top-level expression is left out", item.span)

    def value(self, name: str) -> Value:
        """The value of a global that is never assigned."""
        found = self._values.get(name)
        if found is not None:
            return found
        raise self._broken.get(name) or CogenError(
            f"{name} is used before its definition is evaluated"
        )

    def cell(self, name: str) -> Ref:
        """The store object of an assigned global."""
        error = self._broken.get(name)
        if error is not None:
            raise error
        return self.cells[name]

    def _path(self) -> Path:
        """A path of its own for each definition, on the store of those before."""
        block = self.spec.new_block(self._procedure, "top-level", ("top-level",), [], _nowhere)
        path = Path(self.spec, block, dict(self.store), {})
        path.certain = path.quiet = True
        return path

    def _define(self, item: il.Value) -> None:
        path = self._path()
        value = self._evaluate(path, item)
        if value is None:
            path = self._path()
            value = self._run(item)
        if value is None:
            return
        cell = self.cells.get(item.name)
        if cell is None:
            self._values[item.name] = value
            if self._holds_objects(path, value):
                self.objects[item.name] = value
        else:
            path.assign(cell, 0, value)
        self.store = self.spec.barriers.settled(path.store)

    def roots(self) -> dict[str, Value]:
        """What belongs to every state."""
        return {**self.cells, **self.objects}

    def named(self) -> Iterator[Named]:
        """The values of the program's globals that are constants, and what they are called."""
        held = {name: self.store[cell.number].items[0] for name, cell in self.cells.items()}
        values = {
            name: datum
            for name, value in (self._values | held).items()
            if (datum := _known_parts(value)) is not None
        }
        return of_globals(self.spec.program, values)

    def _holds_objects(self, path: Path, value: Value) -> bool:
        """Whether mutable objects, apart from the cells of globals, are reached from a value."""
        cells = {ref.number for ref in self.cells.values()}
        reached = path.reachable([value])
        return any(type(ref) is Ref and ref.number not in cells for ref in reached)

    def _annotate(self, item: il.Expression) -> None:
        """Carry out an `init-cache` that stands for itself: it holds for every entry."""
        path = self._path()
        self._evaluate(path, item)
        self.store = path.store

    def _evaluate(self, path: Path, item: il.Value | il.Expression) -> Value | None:
        """The value of a definition, None if it would leave residual code."""
        machine, segment = self.spec.machine, path.segment
        machine.taken()
        try:
            machine.run(path, item.body, 0, {item.cont: Stop()}, None)
            machine.finish()
        except (LimitationError, Restart):
            machine.work.clear()
            return None
        return machine.taken() if not segment.bindings else None

    def _run(self, item: il.Value) -> Value | None:
        """The constant that a run of the program so far gives; None, and a diagnostic for who uses
        the global, if it is none."""
        spec = self.spec
        last = spec.program.items.index(item)
        program = replace(spec.program, items=spec.program.items[: last + 1])
        output = StringIO()
        interpreter = Interpreter(program, spec.options.word_size, output)
        interpreter.run()
        value = interpreter.machine.globals[item.name]
        if output.getvalue():
            spec.warnings.warn("what the top level writes is left out", item.span)
        if is_constant(value, spec.mutable_bytes):
            return Static(value)
        self._broken[item.name] = LimitationError(
            f"the definition of {item.name} does something that only a run can do",
            item.span,
            hint="make it a procedure, or a parameter of the entry",
        )
        spec.warnings.warn(f"the definition of {item.name} is left out", item.span)
        return None


def _known_parts(value: Value) -> Datum:
    """A constant, or a record with those of its fields that are constants; None for others."""
    if type(value) is Static:
        return value.datum
    if type(value) is PartialRecord:
        return Record(value.type, [_known_parts(field) for field in value.fields])
    return None


def _is_annotation(body: il.Block) -> bool:
    """Whether a top-level expression is just `(init-cache ...)`."""
    bindings = body.bindings
    return len(bindings) == 1 and type(bindings[0]) is il.Let and bindings[0].op == "init-cache"


def _nowhere(path: Path, values: list[Any]) -> None:
    """The top level is no memo point: nothing goes on from it."""
