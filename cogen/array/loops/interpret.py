"""Interprets loops: what a node means is defined here, with no thought of speed.

    machine = Machine(functions, arithmetic, threads=3)
    machine.call("main", arguments)       raises Failed where the function fails

Threads come one after the other: a team's loops do not look at what other threads do. Where there
are several, the error is that of the first thread which fails, as in the compiled code. Each access
is checked: it must lie in its region, and the region must still be there. A vector is a tuple.
Kernels are interpreted by `cogen.array.loops.items`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from cogen.array.ir.operations import table
from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.l0.storage import Samples
from cogen.array.loops import tree
from cogen.array.loops.meanings import MEANINGS, Tracer, binary, number
from cogen.array.loops.memory import (
    ElementSlots,
    MemoryPlace,
    fresh,
    new_region,
    room,
    size_of,
    taken_over,
    target_of,
)
from cogen.array.loops.samples import get, in_bytes, put
from cogen.array.loops.tree import Block, Expr, Number, Pointer, Statement, Type, Var, Vector
from cogen.lang.errors import InternalError


class Failed(Exception):
    """The program fails: the number of the error, and its details."""

    def __init__(self, site: int, details: Sequence[int]) -> None:
        super().__init__(site)
        self.site = site
        self.details = list(details)


class _Break(Exception):
    """The innermost loop is left."""


class LoopMachine:
    """Functions that can be called; a team has `threads` threads."""

    def __init__(
        self,
        functions: Sequence[tree.Function],
        arithmetic: Arithmetic,
        threads: int = 1,
        trace: Tracer | None = None,
    ) -> None:
        self.functions = {function.name: function for function in functions}
        self.arithmetic = arithmetic
        self.rows = table(arithmetic)
        self.threads = threads
        self.trace = trace
        self.addresses: list[MemoryPlace] = []
        """The places whose addresses are known as ints."""

    def call(self, name: str, arguments: Sequence[Any]) -> None:
        """Call a function.  Failed where it fails."""
        function = self.functions[name]
        values = {p.name: a for p, a in zip(function.parameters, arguments, strict=True)}
        LoopCall(self, values).block(function.body)


class LoopCall:
    """One call of a function: its variables."""

    def __init__(self, machine: LoopMachine, values: dict[str, Any]) -> None:
        self.machine = machine
        self.values = values
        self.cells: dict[str, ElementSlots] = {}
        """Variables whose addresses were taken: they are there from then on."""

    # Variables.

    def get(self, variable: Var) -> Any:
        cell = self.cells.get(variable.name)
        if cell is not None:
            return cell.values[0]
        if variable.name not in self.values:
            raise InternalError(f"{variable.name} is used before it has a value")
        return self.values[variable.name]

    def set(self, variable: Var, value: Any) -> None:
        cell = self.cells.get(variable.name)
        if cell is not None:
            cell.values[0] = value
        else:
            self.values[variable.name] = value

    def declare(self, variable: Var, value: Any) -> None:
        self.cells.pop(variable.name, None)
        self.values[variable.name] = value

    def address(self, variable: Var) -> MemoryPlace:
        cell = self.cells.get(variable.name)
        if cell is None:
            now = self.values.get(variable.name)
            cell = self.cells[variable.name] = ElementSlots([now])
        return MemoryPlace(cell, 0, variable.type)

    # Statements.

    def block(self, block: Block) -> None:
        for statement in block:
            self.statement(statement)

    def statement(self, statement: Statement) -> None:
        match statement:
            case tree.Let(variable, e):
                self.declare(variable, self.as_type(variable.type, self.value(e)))
            case tree.Variable(variable, e):
                found = fresh(variable.type) if e is None else self.value(e)
                self.declare(variable, self.as_type(variable.type, found))
            case tree.Room(variable, e):
                self.declare(variable, self.room(variable, self.value(e)))
            case tree.Assign(variable, e, sign):
                new = self.value(e)
                if sign:
                    new = binary(sign, self.get(variable), new)
                self.set(variable, self.as_type(variable.type, new))
            case tree.Store(base, index, e, sign):
                place = self.value(base).moved(self.value(index))
                new = self.value(e)
                if sign:
                    new = binary(sign, place.load(), new)
                place.store(self.as_type(place.target, new))
            case tree.Put(samples, base, index, e):
                self.put(samples, self.value(base), self.value(index), self.value(e))
            case tree.Allocate(variable, element, e, _, over):
                size = max(0, self.value(e)) * size_of(element)
                old = over and taken_over(self.get(over[0]), self.get(over[1]), size)
                self.declare(variable, new_region(size) if old is None else old)
            case tree.Do(e):
                self.value(e)
            case tree.IfStatement(test, then, otherwise):
                self.block(then if self.value(test) else otherwise)
            case tree.Fail(site, details):
                failed = Failed(site, [self.value(e) for e in details])
                self.note(failed)
                raise failed
            case tree.Attempt(body):
                with suppress(Failed):
                    self.block(body)
            case tree.Break():
                raise _Break
            case tree.CallStatement(name, arguments):
                self.machine.call(name, [self.value(e) for e in arguments])
            case tree.Scan():
                self.scan(statement)
            case _:
                self.repeated(statement)

    def put(self, samples: Samples, base: MemoryPlace, index: int, value: Any) -> None:
        """Store a sample: whole bytes, or bits that are 0 before."""
        over = in_bytes(samples) is not None
        found: dict[int, int] = {}
        for where, bits in put(samples, index, value):
            before = 0 if over else base.moved(where).load()
            found[where] = found.get(where, before) | bits
        for where, bits in found.items():
            base.moved(where).store(bits)

    def room(self, variable: Var, size: int) -> MemoryPlace:
        """The address of elements for a scope."""
        return room(target_of(variable.type), size)

    def note(self, failed: Failed) -> None:
        """Something fails here."""

    def repeated(self, statement: Statement) -> None:
        """Loops, and teams."""
        try:
            match statement:
                case tree.For(index, start, stop, step, body):
                    for number in range(self.value(start), self.value(stop), self.value(step)):
                        self.declare(index, number)
                        self.block(body)
                case tree.While(test, body):
                    while self.value(test):
                        self.block(body)
                case tree.Parallel():
                    self.team(statement)
                case _:
                    raise InternalError(f"loops have no {statement!r}")
        except _Break:
            if isinstance(statement, tree.Parallel):
                raise InternalError("a team's region is no loop") from None

    def team(self, statement: tree.Parallel) -> None:
        count, size = self.value(statement.team), self.value(statement.size)
        if statement.got is not None:
            self.set(statement.got, count)
        first: Failed | None = None
        for thread in range(count):
            for variable, value in (
                (statement.thread, thread),
                (statement.parts, count),
                (statement.start, size * thread // count),
                (statement.stop, size * (thread + 1) // count),
            ):
                self.declare(variable, value)
            try:
                self.block(statement.body)
            except Failed as failed:
                first = first or failed
        if first is not None:
            raise first

    def scan(self, scan: tree.Scan) -> None:
        values, out = self.value(scan.values), self.value(scan.out)
        now = self.get(scan.accumulator)
        for at in range(self.value(scan.count)):
            self.declare(scan.left, now)
            self.declare(scan.right, values.moved(at).load())
            now = self.value(scan.operator)
            out.moved(at).store(now)
        self.set(scan.accumulator, now)

    # Expressions.

    def value(self, e: Expr) -> Any:
        match e:
            case Var():
                return self.get(e)
            case tree.Const(value):
                return value
            case tree.Binary("&&", a, b):
                return self.value(a) and self.value(b)
            case tree.Binary("||", a, b):
                return self.value(a) or self.value(b)
            case tree.Binary("<<", a, b) if isinstance(e.type, tree.Number):
                return number(e.type, binary("<<", self.value(a), self.value(b)))
            case tree.Binary(sign, a, b):
                return binary(sign, self.value(a), self.value(b))
            case tree.Not(a):
                return not self.value(a)
            case tree.Operate(row, operands):
                return self.operation(row, operands)
            case tree.Choose(test, a, b):
                chosen = self.value(test)
                if isinstance(chosen, tuple):
                    lanes = zip(chosen, self.value(a), self.value(b), strict=True)
                    return tuple([x if holds else y for holds, x, y in lanes])
                return self.value(a if chosen else b)
            case tree.Convert(t, a):
                return self.converted(t, self.value(a))
            case tree.Load(base, index):
                return self.value(base).moved(self.value(index)).load()
            case tree.Get(samples, base, _, index, t):
                start = self.value(base)
                found = get(samples, lambda k: int(start.moved(k).load()), self.value(index))
                return self.as_type(t, found)
            case tree.Address(Var() as variable):
                return self.address(variable)
            case tree.Address(tree.Load(base, index)):
                return self.value(base).moved(self.value(index))
            case tree.Data(region, t):
                return MemoryPlace(self.value(region), 0, target_of(t))
            case tree.SizeOf(t):
                return size_of(t)
            case tree.Invoke(function, arguments, t):
                return self.invoke(function, [self.value(a) for a in arguments], t)
        raise InternalError(f"no expression: {e!r}")

    def invoke(self, function: str, arguments: Sequence[Any], t: Type) -> Any:
        """The result of a function; `t` is its type."""
        meaning = MEANINGS.get(function)
        if meaning is None:
            raise InternalError(f"{function} is invoked by kernels only")
        return meaning(self.machine, *arguments)

    def operation(self, row: str, operands: Sequence[Expr]) -> Any:
        found = self.machine.rows[row]
        values = [self.value(e) for e in operands]
        if not isinstance(values[0], tuple):
            kinds = [t.kind for t in found.operands]
            given = [chr(v) if k == "char" else v for v, k in zip(values, kinds, strict=True)]
            made = found.meaning(*given)
            return ord(made) if found.result.kind == "char" else made
        truths = [t.kind == "bool" for t in found.operands]
        lanes = []
        for own in zip(*values, strict=True):
            given = [x != 0 if truth else x for x, truth in zip(own, truths, strict=True)]
            made = found.meaning(*given)
            lanes.append(-int(made) if found.result.kind == "bool" else made)
        return tuple(lanes)

    def as_type(self, t: Type, value: Any) -> Any:
        """What a place of a type has after this was stored there."""
        if isinstance(t, Pointer) and isinstance(value, MemoryPlace):
            return value.seen_as(t.target)
        return number(t, value) if isinstance(t, Number) else value

    def converted(self, t: Type, value: Any) -> Any:
        if isinstance(t, Vector):
            lanes = value if isinstance(value, tuple) else (value,) * t.lanes
            return tuple([number(t.element, lane) for lane in lanes])
        if isinstance(t, Pointer):
            return value.seen_as(t.target)
        if isinstance(value, MemoryPlace):
            self.machine.addresses.append(value)
            return len(self.machine.addresses) - 1
        return self.as_type(t, value)
