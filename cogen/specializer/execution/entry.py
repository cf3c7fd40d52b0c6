"""The entry of a specialization: from binding times to the first state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from cogen import binding_times
from cogen.lang import il
from cogen.lang.called import name_of
from cogen.lang.datum import NIL as _NIL
from cogen.lang.errors import CogenError, InternalError
from cogen.lang.ilutil import base_name
from cogen.lang.primtable.memory import bytes_of
from cogen.residual import ResidualParameter
from cogen.specializer.execution.engine import Engine
from cogen.specializer.paths.context import Context
from cogen.specializer.paths.operation_site import OperationSite
from cogen.specializer.paths.path import Path
from cogen.specializer.rules.rule import make_pair
from cogen.specializer.values.arguments import Arguments
from cogen.specializer.values.domain import Closure, Cyclic, Dynamic, Return, Static, Value
from cogen.specializer.versions.graph import RawBlock, RawFunction
from cogen.specializer.versions.memo import ResidualBlock, VersionedProcedure

ENTRY: Final = "entry"
"""The key of the pairs that the entry's arguments are made of."""


class Entry:
    """The residual entry: `procedure` and its `parameters`, one for each dynamic leaf."""

    def __init__(self, engine: Engine, name: str, bts: Sequence[binding_times.BT]) -> None:
        self._engine = engine
        self._context = context = engine.context
        self._bts = bts
        self.parameters: list[ResidualParameter] = []
        self._closure = _procedure(context, name)
        self._function = function = self._closure.function
        _check_count(function, name, len(bts))
        self._cont = context.variables.fresh("k")
        raw = RawFunction(name, [], self._cont, "", {}, name, function.span)
        self.procedure = VersionedProcedure(raw)
        self._taken: set[str] = set()
        self._leaves: list[Dynamic] = []
        self._position = 0
        label = context.variables.fresh(name)
        raw.entry = label
        self._block = self.procedure.root = ResidualBlock(
            self.procedure,
            RawBlock(label, [], None, name, function.span),
            ("top",),
            ([], context.globals.store, {}),
            self._resume,
            None,
            None,
            True,
        )
        self._number = 0
        """The argument whose parameters are being declared."""
        for number, (bt, hint) in enumerate(zip(bts, self._hints(), strict=True)):
            self._number = number
            self._declare(bt, hint or "x")
        self._plain = self._register()
        context.worklist.begin(self._block)
        context.cycles.blocks.append(self._block)

    def _hints(self) -> list[str]:
        """What people would call the arguments."""
        function = self._function
        hints = [base_name(name) for name in function.parameters]
        rest = base_name(function.rest) if function.rest is not None else ""
        return hints + [rest] * (len(self._bts) - len(hints))

    def _resume(self, path: Path, values: list[Any]) -> None:
        """Carry out the call that the binding times describe."""
        self._position = 0
        path.made = Counter(self._context.globals.made)
        engine, function = self._engine, self._function
        calls = engine.calls
        calls.caller = None
        arguments = [self._value(path, bt) for bt in self._bts]
        if function.rest is not None:
            fixed = len(function.parameters)
            tail: Value = Static(_NIL)
            for argument in reversed(arguments[fixed:]):
                tail = make_pair(path, argument, tail, ENTRY)
            arguments = [*arguments[:fixed], tail]
        given = Arguments(arguments, Return(self._cont), function.span)
        if not self._plain and calls.call_if_recursive(path, self._closure, given):
            return
        hint = calls.hint_of(function) if self._plain else None
        control = calls.enter(path, self._closure, given, root=hint)
        path.block.activation = control[3]
        engine.run(path, control)

    def _register(self) -> bool:
        """Let recursive calls that fit call the entry itself, if its parameters are just the
        dynamic leaves of its arguments."""
        context, function, freezing = self._context, self._function, self._engine.parts.freezing
        if function.rest is not None or any(p.cyclic for p in self.parameters):
            return False
        store = context.globals.store
        path = Path(context, self._block, dict(store), {})
        self._position = 0
        arguments = [self._value(path, bt) for bt in self._bts]
        hints = [base_name(name) for name in function.parameters]
        roots = freezing.with_cells([("", self._closure), *zip(hints, arguments, strict=True)])
        frozen = freezing.freeze(roots, path.store, {})
        if [leaf.name for leaf in frozen.leaves] != [leaf.name for leaf in self._leaves]:
            return False
        own = [number for number in store if not context.barriers.holds(number)]
        if len(path.store) != len(store) or own:
            return False  # mutable arguments exist once for each call of the entry
        self._engine.parts.procedures.know(function, frozen, self.procedure)
        return True

    def _declare(self, bt: binding_times.BT, hint: str) -> None:
        """Parameters for the dynamic and cyclic leaves, depth first; names for known ones."""
        if isinstance(bt, binding_times.Dynamic):
            shaped = bt.type not in binding_times.TYPES
            self._parameter(hint, "any" if shaped else bt.type, None, bt.type if shaped else None)
        elif isinstance(bt, binding_times.Cyclic):
            self._parameter(hint, "int", (bt.base, bt.rem))
        elif isinstance(bt, binding_times.Static):
            self._context.passed.append((bt.value, hint))
        elif isinstance(bt, binding_times.Cons):
            self._declare(bt.car, hint)
            self._declare(bt.cdr, hint)
        elif isinstance(bt, binding_times.Vector):
            for item in bt.items:
                self._declare(item, hint)
        elif isinstance(bt, binding_times.Record):
            fields = self._record_type(bt).fields
            buffers = [item for item in bt.fields if is_memory(item)]
            for name, item in zip(fields, bt.fields, strict=True):
                whole = len(buffers) == 1 and item is buffers[0]  # the caller passes just that
                self._declare(item, hint if whole else name)

    def _parameter(
        self, hint: str, type: str, cyclic: tuple[int, int] | None, shape: str | None = None
    ) -> None:
        name, number = hint, 0
        while name in self._taken:
            number += 1
            name = f"{hint}-{number}"
        self._taken.add(name)
        self.parameters.append(
            ResidualParameter(name, type, cyclic, shape, self._function, self._number)
        )
        variables = self._context.variables
        self.procedure.raw.parameters.append(variables.fresh(name))
        inner = variables.fresh(name)
        self._block.raw.parameters.append(inner)
        number = len(self.parameters)
        known = f"memory:{number}" if type == "memory" else type
        self._leaves.append(variables.typed(inner, known))
        if type != "any":
            variables.types[self.procedure.raw.parameters[-1]] = type

    def _value(self, path: Path, bt: binding_times.BT) -> Value:
        """The symbolic value of an argument; takes the next leaves."""
        if isinstance(bt, binding_times.Static):
            if isinstance(bt.value, bytearray) and self._context.mutations.bytes:
                name = name_of(bt.value, self._context.named_buffers())
                known = Static(bt.value), Static(name or "")
                site = OperationSite(self._block.raw.span, name or "t")
                copy = path.emit("%copy-called", known, site)
                return self._context.variables.typed(copy.name, "memory")
            return Static(bt.value)
        if isinstance(bt, binding_times.Dynamic):
            self._position += 1
            return self._leaves[self._position - 1]
        if isinstance(bt, binding_times.Cyclic):
            leaf = self._leaves[self._position]
            self._position += 1
            operands = (leaf, Static(bt.base), Static(bt.rem))
            site = OperationSite(self._block.raw.span, base_name(leaf.name) + "q")
            quotient = path.emit("cyclic-quotient", operands, site)
            path.quiet = True
            return Cyclic(bt.base, bt.rem, Dynamic(quotient.name, "int"))
        if isinstance(bt, binding_times.Cons):
            car = self._value(path, bt.car)
            return make_pair(path, car, self._value(path, bt.cdr), ENTRY)
        if isinstance(bt, binding_times.Vector):
            return path.allocate("vector", [self._value(path, item) for item in bt.items])
        if isinstance(bt, binding_times.Later):
            raise InternalError("a value to be known later reached the specializer")
        kind = self._record_type(bt)
        fields = tuple(self._value(path, item) for item in bt.fields)
        site = OperationSite(None, kind.name)
        return self._context.rule("make-record")(path, (Static(kind), *fields), site)

    def _record_type(self, bt: binding_times.Record) -> Any:
        for record in self._context.program.records:
            if record.name == bt.name:
                if len(record.fields) != len(bt.fields):
                    raise CogenError(
                        f"the record {bt.name} has {len(record.fields)} fields, "
                        f"its binding time {len(bt.fields)}"
                    )
                return record
        raise CogenError(f"there is no record type {bt.name}")


def is_memory(bt: binding_times.BT) -> bool:
    """Whether a binding time is that of a buffer."""
    if isinstance(bt, binding_times.Static):
        return bytes_of(bt.value) is not None
    return isinstance(bt, binding_times.Dynamic) and bt.type == "memory"


def _procedure(context: Context, name: str) -> Closure:
    """The global procedure of that name."""
    for item in context.program.items:
        if isinstance(item, il.Define | il.Value) and item.name == name:
            value = context.globals.value(name)
            if isinstance(value, Closure):
                return value
            raise CogenError(f"{name} is not a procedure that can be specialized", item_span(item))
    known = sorted(context.program.own_globals)
    hint = f"the program defines {', '.join(known[:8])}" if known else "the program defines nothing"
    raise CogenError(f"the program has no procedure {name}", None, hint=hint)


def item_span(item: il.Define | il.Value) -> Any:
    """Where a global is defined."""
    return item.function.span if isinstance(item, il.Define) else item.span


def _check_count(function: il.Function, name: str, count: int) -> None:
    fixed = len(function.parameters)
    if count == fixed or (function.rest is not None and count > fixed):
        return
    least = "at least " if function.rest is not None else ""
    raise CogenError(
        f"{name} has {least}{fixed} parameter{'' if fixed == 1 else 's'}, but {count} binding "
        f"time{' is' if count == 1 else 's are'} given",
        function.span,
        hint=f"parameters: {' '.join(map(base_name, function.parameters))}",
    )
