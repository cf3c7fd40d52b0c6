"""Interprets loops: what a node means is defined here, with no thought of speed.

    machine = Machine(functions, arithmetic, threads=3)
    machine.call("main", arguments)       raises Failed where the function fails
    machine.launch(kernel, 512, 256, arguments)

Threads come one after the other: a team's loops do not look at what other threads do. Where there
are several, the error is that of the first thread which fails, as in the compiled code. Each access
is checked: it must lie in its region, and the region must still be there. The items of a work group
are threads where they wait for each other, and else come one after the other; `launch` leaves the
errors of items where the kernel's host finds them. A vector is a tuple.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.loops import tree
from cogen.array.loops.memory import (
    Numbering,
    Place,
    Region,
    Slots,
    fresh,
    new_region,
    room,
    size_of,
    target_of,
)
from cogen.array.loops.tree import (
    ERROR_SLOTS,
    ERRORS,
    F64,
    I64,
    Block,
    Expr,
    Function,
    Kernel,
    Number,
    Pointer,
    Statement,
    Type,
    Var,
    Vector,
)
from cogen.array.operations import table
from lang.errors import InternalError

MOST_THREADS: Final = 8
LONG_BLOCK: Final = 8

Tracer = Callable[[int, Place], None]


class Failed(Exception):
    """The program fails: the number of the error, and its details."""

    def __init__(self, site: int, details: Sequence[int]) -> None:
        super().__init__(site)
        self.site = site
        self.details = list(details)


class _Break(Exception):
    """The innermost loop is left."""


class Machine:
    """Functions that can be called; a team has `threads` threads."""

    def __init__(
        self,
        functions: Sequence[Function],
        arithmetic: Arithmetic,
        threads: int = 1,
        trace: Tracer | None = None,
    ) -> None:
        self.functions = {function.name: function for function in functions}
        self.arithmetic = arithmetic
        self.rows = table(arithmetic)
        self.threads = threads
        self.trace = trace
        self.addresses: list[Place] = []
        """The places whose addresses are known as ints."""

    def call(self, name: str, arguments: Sequence[Any]) -> None:
        """Call a function.  Failed where it fails."""
        function = self.functions[name]
        values = {p.name: a for p, a in zip(function.parameters, arguments, strict=True)}
        _Call(self, values).block(function.body)

    def launch(self, kernel: Kernel, items: int, group: int, arguments: Sequence[Any]) -> None:
        """Run a kernel by so many items in groups of a size. An int as argument for an address that
        is local to a group is how many bytes it has there."""
        waits = any(map(_waits, tree.all_statements(kernel.body)))
        for first in range(0, items, group):
            shared = _Group(first // group, group, threading.Barrier(group))
            given = {
                p.name: shared.room(p.name, p.type, a) if _is_local(p.type) else a
                for p, a in zip(kernel.parameters, arguments, strict=True)
            }
            calls = [_Item(self, {**given, kernel.part.name: first + n}, shared, n)
                     for n in range(group)]  # fmt: skip
            if waits:
                with ThreadPoolExecutor(group) as pool:
                    list(pool.map(lambda call: call.run(kernel), calls))
                continue
            for call in calls:
                call.run(kernel)


@dataclass(slots=True)
class _Group:
    """What the items of a work group share."""

    number: int
    size: int
    barrier: threading.Barrier
    rooms: dict[str, Place] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def room(self, name: str, t: Type, size: int) -> Place:
        """The address of `size` bytes that the items share."""
        with self.lock:
            if name not in self.rooms:
                self.rooms[name] = Place(new_region(size), 0, target_of(t))
            return self.rooms[name]


def _is_local(t: Type) -> bool:
    return isinstance(t, Pointer) and t.space == "local"


def _waits(statement: Statement) -> bool:
    """Whether an item waits for the others of its group here."""
    return isinstance(statement, tree.Do) and statement.value.function == "barrier"


class _Call:
    """One call of a function: its variables."""

    def __init__(self, machine: Machine, values: dict[str, Any]) -> None:
        self.machine = machine
        self.values = values
        self.cells: dict[str, Slots] = {}
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

    def address(self, variable: Var) -> Place:
        cell = self.cells.get(variable.name)
        if cell is None:
            now = self.values.get(variable.name)
            cell = self.cells[variable.name] = Slots([now])
        return Place(cell, 0, variable.type)

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
            case tree.Allocate(variable, element, e, _):
                size = self.value(e)
                self.declare(variable, new_region(max(0, size) * size_of(element)))
            case tree.Do(e):
                self.value(e)
            case tree.If(test, then, otherwise):
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
            case tree.Call(name, arguments):
                self.machine.call(name, [self.value(e) for e in arguments])
            case tree.Scan():
                self.scan(statement)
            case _:
                self.repeated(statement)

    def room(self, variable: Var, size: int) -> Place:
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
            case tree.Address(Var() as variable):
                return self.address(variable)
            case tree.Address(tree.Load(base, index)):
                return self.value(base).moved(self.value(index))
            case tree.Data(region, t):
                return Place(self.value(region), 0, target_of(t))
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
            return found.meaning(*values)
        truths = [t.kind == "bool" for t in found.operands]
        lanes = []
        for own in zip(*values, strict=True):
            given = [x != 0 if truth else x for x, truth in zip(own, truths, strict=True)]
            made = found.meaning(*given)
            lanes.append(-int(made) if found.result.kind == "bool" else made)
        return tuple(lanes)

    def as_type(self, t: Type, value: Any) -> Any:
        """What a place of a type has after this was stored there."""
        if isinstance(t, Pointer) and isinstance(value, Place):
            return value.seen_as(t.target)
        return number(t, value) if isinstance(t, Number) else value

    def converted(self, t: Type, value: Any) -> Any:
        if isinstance(t, Vector):
            lanes = value if isinstance(value, tuple) else (value,) * t.lanes
            return tuple([number(t.element, lane) for lane in lanes])
        if isinstance(t, Pointer):
            return value.seen_as(t.target)
        if isinstance(value, Place):
            self.machine.addresses.append(value)
            return len(self.machine.addresses) - 1
        return self.as_type(t, value)


class _Item(_Call):
    """A work item: a call of a kernel, `local` of its group."""

    def __init__(self, machine: Machine, values: dict[str, Any], group: _Group, local: int) -> None:
        super().__init__(machine, values)
        self.group = group
        self.local = local

    def run(self, kernel: Kernel) -> None:
        """Do what the kernel says, if there is anything to do for this item."""
        part = self.get(kernel.part)
        self.errors = self.get(ERRORS).moved(part * ERROR_SLOTS)
        if kernel.items is None or part < self.value(kernel.items):
            with suppress(Failed):
                self.block(kernel.body)

    def note(self, failed: Failed) -> None:
        for at, detail in enumerate((failed.site, *failed.details)):
            self.errors.moved(at).store(detail)

    def room(self, variable: Var, size: int) -> Place:
        if not _is_local(variable.type):
            return super().room(variable, size)
        bytes_ = size * size_of(target_of(variable.type))
        return self.group.room(variable.name, variable.type, bytes_)

    def invoke(self, function: str, arguments: Sequence[Any], t: Type) -> Any:
        match function, arguments:
            case "group", _:
                return self.group.number
            case "local_item", _:
                return self.local
            case "local_items", _:
                return self.group.size
            case "barrier", _:
                return self.group.barrier.wait()
            case "slot", (value,):
                pattern = "<i" if self.machine.arithmetic.real_bits == 32 else "<q"
                real = "<f" if pattern == "<i" else "<d"
                return struct.unpack(pattern, struct.pack(real, value))[0]
            case "real", (slot,):
                pattern = "<i" if self.machine.arithmetic.real_bits == 32 else "<q"
                real = "<f" if pattern == "<i" else "<d"
                return struct.unpack(real, struct.pack(pattern, slot))[0]
            case "vload", (place,):
                assert isinstance(t, Vector)
                return tuple([place.moved(lane).load() for lane in range(t.lanes)])
            case "vstore", (lanes, place):
                for lane, value in enumerate(lanes):
                    place.moved(lane).store(value)
                return None
            case "counting", _:
                assert isinstance(t, Vector)
                return tuple(range(t.lanes))
            case "lane", (lanes, lane):
                return lanes[lane]
        if function.startswith("into_"):
            return self.into(function, *arguments)
        return super().invoke(function, arguments, t)

    def into(self, function: str, place: Place, value: Any) -> None:
        """Combine what is in a slot of the group's table with a value, in one step."""
        _, kind, word = function.split("_")
        meaning = self.machine.rows[f"{kind}.{word}"].meaning
        with self.group.lock:
            if kind == "int":
                place.store(number(I64, meaning(place.load(), value)))
                return
            old = self.invoke("real", [place.load()], F64)
            place.store(self.invoke("slot", [meaning(old, value)], I64))


_BITS: Final = {"i64": 64, "i32": 32, "thread": 32}
_UNSIGNED: Final = {"u32": 32, "u8": 8, "size": 64}


def number(t: Number, value: Any) -> Any:
    """A number as one of a type."""
    if value is None:
        return None
    if t.name == "bool":
        return bool(value)
    if t.name in _UNSIGNED:
        return int(value) % (1 << _UNSIGNED[t.name])
    if t.name in _BITS:
        half = 1 << (_BITS[t.name] - 1)
        return (int(value) + half) % (2 * half) - half
    return float(np.float32(value)) if t.name == "f32" else float(value)


def binary(sign: str, a: Any, b: Any) -> Any:
    """Numbers that count elements, addresses, and comparisons; vectors lane by lane."""
    if isinstance(a, tuple) or isinstance(b, tuple):
        count = len(a) if isinstance(a, tuple) else len(b)
        left = a if isinstance(a, tuple) else (a,) * count
        right = b if isinstance(b, tuple) else (b,) * count
        lanes = [binary(sign, x, y) for x, y in zip(left, right, strict=True)]
        return tuple([-int(x) if isinstance(x, bool) else x for x in lanes])
    if isinstance(a, Place) and sign == "+":
        return a.moved(b)
    match sign:
        case "==":
            return a is b if a is None or b is None else a == b
        case "!=":
            return a != b
        case "<":
            return a < b
        case "<=":
            return a <= b
        case ">":
            return a > b
        case ">=":
            return a >= b
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "&":
            return a & b
        case "|":
            return a | b
        case "/" | "%":
            if a < 0 or b <= 0:
                raise InternalError(f"{a} {sign} {b}")
            return a // b if sign == "/" else a % b
    raise InternalError(f"there is no {sign}")


# The functions of `cogen.array.loops.functions`.


def _keep(machine: Machine, region: Region | None) -> Region | None:
    if region is not None:
        region.use()
        region.count += 1
    return region


def _drop(machine: Machine, region: Region | None) -> None:
    if region is not None:
        region.use()
        region.count -= 1


def _copy(machine: Machine, target: Place, source: Place, size: int) -> None:
    target.bytes(size)[:] = bytes(source.bytes(size))


def _clear(machine: Machine, target: Place, size: int) -> None:
    target.bytes(size)[:] = bytes(size)


def _team(machine: Machine, size: int, work: float) -> int:
    return max(1, min(machine.threads, size, MOST_THREADS))


def _trace(machine: Machine, place: int, slots: Place) -> None:
    if machine.trace is not None:
        machine.trace(place, slots)


def _bits(machine: Machine, value: float) -> int:
    found: int = struct.unpack("<q", struct.pack("<d", value))[0]
    return found


def _room(machine: Machine, place: Place, used: int, more: int) -> bool:
    old: Region = place.load()
    if used + more > len(old.use()):
        made = new_region(2 * (used + more))
        made.data[:used] = old.data[:used]
        _drop(machine, old)
        place.store(made)
    return True


def _starts(machine: Machine, offsets: Place, limits: int) -> None:
    total = 0
    for key in range(limits):
        own = offsets.moved(key).load()
        offsets.moved(key).store(total)
        total += own


def _ends(machine: Machine, offsets: Place, limits: int) -> None:
    _joint_ends(machine, offsets, offsets, limits)


def _joint_starts(machine: Machine, tallies: Place, threads: int, limits: int) -> None:
    total = 0
    for key in range(limits):
        for thread in range(threads):
            place = tallies.moved(thread).load().moved(key)
            own = place.load()
            place.store(total)
            total += own


def _joint_ends(machine: Machine, offsets: Place, last: Place, limits: int) -> None:
    ends = [last.moved(key).load() for key in range(limits - 1)]
    for key, end in enumerate([0, *ends]):
        offsets.moved(key).store(end)


def _numbers_begin(machine: Machine, numbers: Place, size: int) -> bool:
    numbers.store(Numbering())
    return True


def _numbers_value(machine: Machine, numbers: Place, index: int) -> int:
    found: int = numbers.load().values[index]
    return found


def _count(machine: Machine, a: int, b: int) -> int:
    return min(a * b, (1 << 63) - 1)


MEANINGS: Final[Mapping[str, Callable[..., Any]]] = {
    "keep": _keep,
    "drop": _drop,
    "count": _count,
    "copy": _copy,
    "move": _copy,
    "clear": _clear,
    "team": _team,
    "grain": lambda machine: 0,
    "threads": lambda machine: MOST_THREADS,
    "deep": lambda machine: False,
    "trace": _trace,
    "bits": _bits,
    "room": _room,
    "starts": _starts,
    "ends": _ends,
    "joint_starts": _joint_starts,
    "joint_ends": _joint_ends,
    "numbers_begin": _numbers_begin,
    "number": lambda machine, numbers, value: numbers.load().number(value),
    "numbers_count": lambda machine, numbers: len(numbers.load().values),
    "numbers_value": _numbers_value,
    "numbers_end": lambda machine, numbers: None,
    "block": lambda machine: LONG_BLOCK,
}
"""What the functions mean that functions of C invoke."""
