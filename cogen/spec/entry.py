"""The entry of a specialization: from binding times to the first state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from cogen import bt as binding_times
from cogen.lang import il
from cogen.lang.called import name_of
from cogen.lang.datum import NIL as _NIL
from cogen.lang.errors import CogenError, InternalError
from cogen.lang.ilutil import base_name
from cogen.lang.primtable.memory import bytes_of
from cogen.residual import Parameter
from cogen.spec.domain import Closure, Cyclic, Dynamic, Return, Static, Value
from cogen.spec.graph import RawBlock, RawFunction
from cogen.spec.memo import Block, Procedure
from cogen.spec.path import Path
from cogen.spec.rules.rule import make_pair

if TYPE_CHECKING:
    from cogen.spec.specializer import Specializer

ENTRY: Final = "entry"
"""The key of the pairs that the entry's arguments are made of."""


class Entry:
    """The residual entry: `procedure` and its `parameters`, one for each dynamic leaf."""

    def __init__(
        self,
        spec: Specializer,
        name: str,
        bts: Sequence[binding_times.BT],
        store: dict[int, Any],
    ) -> None:
        self.spec = spec
        self.parameters: list[Parameter] = []
        closure = _procedure(spec, name)
        function = closure.function
        _check_count(function, name, len(bts))
        cont = spec.fresh("k")
        raw = RawFunction(name, [], cont, "", {}, name, function.span)
        self.procedure = Procedure(raw)
        self.taken: set[str] = set()
        hints = [base_name(p) for p in function.parameters]
        rest = base_name(function.rest) if function.rest is not None else ""
        hints += [rest] * (len(bts) - len(hints))
        fixed = len(function.parameters)
        plain = True

        def resume(path: Path, values: list[Any]) -> None:
            self.position = 0
            spec.machine.caller = None
            arguments = [self._value(path, bt) for bt in bts]
            if function.rest is not None:
                tail: Value = Static(_NIL)
                for argument in reversed(arguments[fixed:]):
                    tail = make_pair(path, argument, tail, ENTRY)
                arguments = [*arguments[:fixed], tail]
            if not plain and spec.machine.call_if_recursive(path, closure, arguments, Return(cont)):
                return
            hint = spec.machine.hint_of(function) if plain else None
            code, environment, activation = spec.machine.enter(
                path, closure, arguments, Return(cont), function.span, root=hint
            )
            path.block.activation = activation
            spec.machine.run(path, code, 0, environment, activation)

        label = spec.fresh(name)
        block = Block(
            self.procedure,
            RawBlock(label, [], None, name, function.span),
            ("top",),
            ([], store, {}),
            resume,
            None,
            None,
            True,
        )
        raw.entry = label
        self.block = block
        self.leaves: list[Dynamic] = []
        self.function = function
        for self.number, (bt, hint) in enumerate(zip(bts, hints, strict=True)):
            self._declare(bt, hint or "x")
        self.procedure.root = block
        plain = self._register(spec, closure, bts, store)
        spec.procedures.setdefault(("entry",), self.procedure)
        spec.start(block)

    def _register(
        self,
        spec: Specializer,
        closure: Closure,
        bts: Sequence[binding_times.BT],
        store: dict[int, Any],
    ) -> bool:
        """Let recursive calls that fit call the entry itself, if its parameters are just the
        dynamic leaves of its arguments."""
        function = closure.function
        if function.rest is not None or any(p.cyclic for p in self.parameters):
            return False
        path = Path(spec, self.block, dict(store), {})
        self.position = 0
        arguments = [self._value(path, bt) for bt in bts]
        hints = [base_name(name) for name in function.parameters]
        roots = spec.with_cells([("", closure), *zip(hints, arguments, strict=True)])
        frozen = spec.freeze(roots, path.store, {})
        if [leaf.name for leaf in frozen.leaves] != [leaf.name for leaf in self.leaves]:
            return False
        own = [number for number in store if number not in spec.barriers]
        if len(path.store) != len(store) or own:
            return False  # mutable arguments exist once for each call of the entry
        spec.procedures[("procedure", function, frozen.key)] = self.procedure
        return True

    def _declare(self, bt: binding_times.BT, hint: str) -> None:
        """Parameters for the dynamic and cyclic leaves, depth first; names for known ones."""
        if isinstance(bt, binding_times.Dynamic):
            shaped = bt.type not in binding_times.TYPES
            self._parameter(hint, "any" if shaped else bt.type, None, bt.type if shaped else None)
        elif isinstance(bt, binding_times.Cyclic):
            self._parameter(hint, "int", (bt.base, bt.rem))
        elif isinstance(bt, binding_times.Static):
            self.spec.passed.append((bt.value, hint))
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
        while name in self.taken:
            number += 1
            name = f"{hint}-{number}"
        self.taken.add(name)
        self.parameters.append(Parameter(name, type, cyclic, shape, self.function, self.number))
        self.procedure.raw.parameters.append(self.spec.fresh(name))
        inner = self.spec.fresh(name)
        self.block.raw.parameters.append(inner)
        number = len(self.parameters)
        known = f"memory:{number}" if type == "memory" else type
        self.leaves.append(self.spec.variable(inner, known))
        if type != "any":
            self.spec.types[self.procedure.raw.parameters[-1]] = type

    def _value(self, path: Path, bt: binding_times.BT) -> Value:
        """The symbolic value of an argument; takes the next leaves."""
        if isinstance(bt, binding_times.Static):
            if isinstance(bt.value, bytearray) and self.spec.mutable_bytes:
                name = name_of(bt.value, self.spec.named_buffers())
                known = Static(bt.value), Static(name or "")
                copy = path.emit("%copy-called", known, self.block.raw.span, name or "t")
                return self.spec.variable(copy.name, "memory")
            return Static(bt.value)
        if isinstance(bt, binding_times.Dynamic):
            self.position += 1
            return self.leaves[self.position - 1]
        if isinstance(bt, binding_times.Cyclic):
            leaf = self.leaves[self.position]
            self.position += 1
            operands = (leaf, Static(bt.base), Static(bt.rem))
            hint = base_name(leaf.name) + "q"
            quotient = path.emit("cyclic-quotient", operands, self.block.raw.span, hint)
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
        return self.spec.rule("make-record")(path, (Static(kind), *fields), None, kind.name, False)

    def _record_type(self, bt: binding_times.Record) -> Any:
        for record in self.spec.program.records:
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


def _procedure(spec: Specializer, name: str) -> Closure:
    """The global procedure of that name."""
    for item in spec.program.items:
        if isinstance(item, il.Define | il.Value) and item.name == name:
            value = spec.top_level.value(name)
            if isinstance(value, Closure):
                return value
            raise CogenError(f"{name} is not a procedure that can be specialized", item_span(item))
    known = sorted(spec.program.own_globals)
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
