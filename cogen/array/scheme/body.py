"""The body of one procedure: control flow and calls -> L0 expressions (see `translate`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from cogen.array.l0 import tree
from cogen.array.l0.storage import unpacked
from cogen.array.l0.types import BOOL, ArrayType, TupleType, Type, has_packed, plain
from cogen.array.scheme.arrayoperations import VECTORS, array_operation
from cogen.array.scheme.assigning import assign, assigns, is_known, operate, vector_operation
from cogen.array.scheme.bytesandtexts import MAKING, make
from cogen.array.scheme.counted import counted
from cogen.array.scheme.countedloops import loop
from cogen.array.scheme.failing import require_not
from cogen.array.scheme.functionoperands import function_operand
from cogen.array.scheme.joinedpaths import share
from cogen.array.scheme.l0code import Code, Frame, Names
from cogen.array.scheme.meetingarms import choose
from cogen.array.scheme.objects import Objects, RowObject
from cogen.array.scheme.primitivecode import scalar
from cogen.array.scheme.recordforms import PAIRS, RECORDS, pair_operation, record_operation
from cogen.array.scheme.symbolicvalues import (
    KnownSymbol,
    SymbolicCell,
    SymbolicConstant,
    SymbolicName,
    SymbolicNumber,
    SymbolicParts,
    SymbolicProcedure,
    Untyped,
    Value,
    constant,
)
from cogen.array.scheme.testedloops import tested_loop
from cogen.array.scheme.translation import Key, Recursive, Saved, SharedCode, outside_prelude
from cogen.array.scheme.typetext import Kinds, show
from cogen.array.scheme.versions import ProcedureVersions
from cogen.lang import il
from cogen.lang.datum import UNSPECIFIED
from cogen.lang.errors import CogenError, LimitationError, Span
from cogen.lang.prims import CONTROL

MAX_INLINED = 64
"""So deeply are procedures inlined that are given procedures."""


class Body:
    """Translates a procedure, with the lambdas and loops in it."""

    def __init__(self, program: ProcedureVersions, span: Span) -> None:
        self.program = program
        self.regions = program.regions
        self.place = span
        self.env: dict[str, Value] = {}
        """What the variables of the IL stand for."""
        self.decided: dict[il.If, il.Block] = {}
        """Conditionals of which one arm is to be taken: those at the heads of loops."""
        self.heads: frozenset[str] = frozenset()
        """Continuations between the start of a loop that is left and its test: no loop begins."""
        self.untyped: frozenset[str] = frozenset()
        """Continuations that cannot be gone on with yet: loops whose end is looked for."""
        self.widths: dict[str, int] = {}
        """How many values the ends of rounds take."""
        self.taken_along: dict[str, Sequence[str]] = {}
        """Variables whose values continuations are given, because they are bound on the way."""
        self.constants: dict[int, tuple[Value, Frame]] = {}
        self.names = Names()
        self.objects = Objects(bool(program.changing))
        self.code = Code(self.names, span, self.constants, self.current)
        self.sizes: dict[Value, list[Value]] = {}
        """The sizes of arrays, as far as they were asked for."""
        self.escaping: list[Value] = []
        """What the functions of the operation that is translated give."""
        self.applying: tuple[str, Span] | None = None
        """The operation whose functions are translated."""
        self.steps = 0
        """How many blocks were gone through."""
        self.extents: dict[tuple[str, str], int] = {}
        """How many it took from continuations on to others."""
        self.shared: dict[Key, SharedCode] = {}
        self.inlined = 0
        self.hint = ""
        """What the program calls the result of the call that is translated, if anything."""

    @property
    def kinds(self) -> Kinds:
        return self.program.kinds

    def whole(
        self, function: il.Function, types: Sequence[Type]
    ) -> tuple[tuple[tree.Parameter, ...], tree.Expression, Type]:
        """A procedure for arguments of these types: its parameters, body and result's type."""
        if function.rest is not None:
            raise LimitationError("an array program has no rest arguments", function.span)
        parameters = self.parameters(function.parameters, types, self.place)
        value = self.block(function.body, function.cont)
        e, t = self.code.expression(value[0], self.place)
        return parameters, self.closed(e), t

    def apart(self, end: str) -> Body:
        """What translates code that leads to `end` here, but as a function of its own."""
        made = Body(self.program, self.place)
        made.regions, made.untyped, made.widths = self.regions, self.untyped, self.widths
        made.decided, made.inlined = self.decided, self.inlined
        made.shared, made.extents = self.shared, self.extents
        made.taken_along[end] = self.taken_along.get(end, ())
        return made

    def closed(self, e: tree.Expression) -> tree.Expression:
        """The expression under all bindings and constants: the body of a function."""
        e = self.code.close(e)
        for _, frame in reversed(self.constants.values()):
            e = frame(e)
        return e

    def parameters(
        self, names: Sequence[str], types: Sequence[Type], span: Span
    ) -> tuple[tree.Parameter, ...]:
        """Parameters; tuples among them are taken apart."""
        made = []
        for name, declared in zip(names, types, strict=True):
            text = self.code.names.fresh(name)
            t = unpacked(declared)
            stored = declared if has_packed(declared) else None
            made.append(tree.Parameter(tree.Name(span, text), plain(t), stored))
            whole = tree.VariableExpression(span, tree.Name(span, text))
            if isinstance(t, TupleType):
                self.env[name] = self.code.let(name, whole, t)
            else:
                self.env[name] = SymbolicName(text, t)
        return tuple(made)

    def span(self, span: Span | None) -> Span:
        """A place of the program; that of the procedure for what comes from elsewhere."""
        return outside_prelude(span, self.place)

    def value(self, atom: il.Atom) -> Value:
        match atom:
            case il.Var(name):
                return self.env[name]
            case il.Const(datum):
                return constant(datum)
            case il.Global(name):
                return KnownSymbol(name, False)
            case il.Prim(name):
                return KnownSymbol(name, True)

    def save(self) -> Saved:
        """What there is to be come back to, if what follows is to be translated again."""
        return Saved(
            dict(self.env), set(self.names.taken), dict(self.constants), dict(self.shared),
            dict(self.extents), len(self.code.frames), self.objects.state.copy(),
        )  # fmt: skip

    def restore(self, saved: Saved) -> None:
        """Forget what was translated since."""
        self.env = dict(saved.env)
        self.names.back_to(set(saved.names))
        self.constants.clear()
        self.constants.update(saved.constants)
        for kept, before in ((self.shared, saved.shared), (self.extents, saved.extents)):
            kept.clear()  # also of code that is translated as functions of its own
            kept.update(before)  # type: ignore[arg-type]  # each of its own kind
        del self.code.frames[saved.frames :]
        self.objects.state = saved.state.copy()

    def inner(self) -> Code:
        """Go on in new code; gives the one before, to be put back."""
        outer, self.code = self.code, Code(self.names, self.place, self.constants, self.current)
        return outer

    def current(self, value: Value, span: Span) -> Value:
        """What a value has become."""
        return self.objects.current(value, span, self._take_again)

    def _take_again(self, row: RowObject, array: Value) -> Value:
        return array_operation(self, "array-ref", [array, *row.indices], self.place)

    # -- control -------------------------------------------------------------------------------

    def block(self, block: il.Block, end: str) -> list[Value]:
        """What a block, and what it leads to, gives the continuation `end`."""
        self.steps += 1
        for binding in block.bindings:
            if isinstance(binding, il.Let):
                self.env[binding.name] = self.operation(binding)
            elif isinstance(binding, il.Fix):
                for function in binding.functions:
                    self.env[function.name] = SymbolicProcedure(function)
        tail = block.tail
        if isinstance(tail, il.If):
            return self.conditional(tail, end)
        if isinstance(tail, il.Jump):
            return self.go(tail.cont, [self.value(a) for a in tail.arguments], end)
        values = [self.value(a) for a in tail.arguments]
        self.hint = self.hints(tail.cont)[0]
        result = self.call(self.value(tail.function), values, self.span(tail.span))
        return self.go(tail.cont, [result], end)

    def hints(self, name: str) -> list[str]:
        """What the program calls the values that a continuation takes; nothing where the names are
        only made up."""
        cont = self.regions.conts.get(name)
        if cont is None:
            return [""]
        return [_hint(x) for x in cont.parameters] or [""]

    def width(self, name: str) -> int:
        """How many values a continuation takes."""
        cont = self.regions.conts.get(name)
        return self.widths.get(name, 1) if cont is None else len(cont.parameters)

    def go(self, name: str, values: list[Value], end: str) -> list[Value]:
        """Continue with values."""
        if name in self.untyped:
            raise Recursive(name)
        name = self.regions.to(name)
        if name == end:
            return values + [self.env[x] for x in self.taken_along.get(end, ())]
        cont = self.regions.conts.get(name)
        if cont is None:
            raise LimitationError("an array program cannot leave a procedure so", self.place)
        shared = share(self, cont, values, end)
        if shared is not None:
            return shared
        before = self.steps
        result = self.enter(cont, values, end)
        self.extents[name, end] = self.steps - before
        return result

    def enter(self, cont: il.Cont, values: list[Value], end: str) -> list[Value]:
        """Continue with values in code of its own.

        A loop that is entered behind its test is not counted from there: what comes before the
        test, in the first round, is translated apart.
        """
        name = cont.name
        passed = name in self.heads
        self.heads = self.heads - {name}
        if not passed and self.regions.is_loop(name, end):
            is_same = self._same_size(cont, values)
            found = counted(cont, self.regions, end, is_same, self.program.changing)
            if found is None and (behind := self.regions.behind(name, end)) != end:
                along = self.regions.rebound(frozenset({name}), behind)
                with self.taking_along(along, behind):
                    values = self.go(name, values, behind)
                return self.go_on(behind, values, along, end)
            if found is None:
                return tested_loop(self, cont, values, end)
            return loop(self, cont, found, values, end)
        self.env.update(zip(cont.parameters, values, strict=True))
        return self.block(cont.body, end)

    def _same_size(self, cont: il.Cont, values: list[Value]) -> Callable[[str, il.Call], bool]:
        """Whether a parameter of a loop that starts with these values starts as what a call in each
        round gives: the size of an array."""
        start = {**self.env, **dict(zip(cont.parameters, values, strict=True))}

        def is_same(x: str, call: il.Call) -> bool:
            array, *rest = call.arguments
            value = start.get(array.name) if isinstance(array, il.Var) else None
            if value is None or rest:
                return False
            return any(found is start[x] for found in self.sizes.get(value, ()))

        return is_same

    @contextmanager
    def taking_along(self, names: Sequence[str], end: str) -> Iterator[None]:
        """What gets to `end` gives it the values of these variables, besides its own."""
        outer = self.taken_along.get(end, ())
        self.taken_along[end] = names
        try:
            yield
        finally:
            self.taken_along[end] = outer

    @contextmanager
    def deciding(self, tail: il.If, arm: il.Block) -> Iterator[None]:
        """A conditional takes this arm."""
        outer, self.decided = self.decided, {**self.decided, tail: arm}
        try:
            yield
        finally:
            self.decided = outer

    def go_on(self, name: str, values: list[Value], along: Sequence[str], end: str) -> list[Value]:
        """Continue with values, the last of which are those of variables that came along."""
        count = len(values) - len(along)
        self.env.update(zip(along, values[count:], strict=True))
        return self.go(name, values[:count], end)

    def conditional(self, tail: il.If, end: str) -> list[Value]:
        decided = self.decided.get(tail)
        if decided is not None:
            return self.block(decided, end)
        span = self.span(tail.span)
        test = self.value(tail.test)
        if isinstance(test, (SymbolicProcedure, KnownSymbol, SymbolicConstant, SymbolicParts)):
            return self.block(tail.then, end)
        e, t = self.code.expression(test, span)
        if t != BOOL:
            return self.block(tail.then, end)
        if isinstance(e, tree.LiteralExpression):
            return self.block(tail.then if e.value else tail.otherwise, end)
        if self.regions.fails(tail.then):
            require_not(self, tail.then, e, True, span)
            return self.block(tail.otherwise, end)
        if self.regions.fails(tail.otherwise):
            require_not(self, tail.otherwise, e, False, span)
            return self.block(tail.then, end)
        meeting = self.regions.meeting(tail, end)
        if meeting == end:
            return choose(self, e, tail, meeting, span)
        along = self.regions.rebound(self.regions.arms(tail), meeting)
        with self.taking_along(along, meeting):
            values = choose(self, e, tail, meeting, span)
        return self.go_on(meeting, values, along, end)

    # -- operations ----------------------------------------------------------------------------

    def operation(self, let: il.Let) -> Value:
        """What an operation gives."""
        values = [self.value(atom) for atom in let.arguments]
        self.hint = _hint(let.name) if let.op in VECTORS else ""
        return self.primitive(let.op, values, self.span(let.span), let.name)

    def primitive(self, op: str, values: Sequence[Value], span: Span, hint: str = "t") -> Value:
        if op in ("lift", "%constant-vector"):
            return values[0]
        if assigns(op):
            return assign(self, op, values, span)
        if self.objects.active and op in _TAKING_APART:
            values = [self.current(value, span) for value in values]
        if op in RECORDS:
            return record_operation(self.code, op, values, span)
        if op in PAIRS:
            found = pair_operation(self.code, op, values, span)
            if found is not None:
                return found
        if op in ("values", "list"):
            return SymbolicParts(tuple(values)) if op == "list" or len(values) != 1 else values[0]
        if op == "values->list":
            return (
                values[0] if isinstance(values[0], SymbolicParts) else SymbolicParts((values[0],))
            )
        if op in ("known?", "known-size?"):
            return constant(True)
        if op == "%unspecified":
            return SymbolicConstant(UNSPECIFIED)
        if op == "make-vector" and len(values) == 1:
            raise LimitationError("a vector without values", span, "(array-replicate n x)")
        if op in VECTORS:
            return operate(self, VECTORS[op], values, span)
        if op in MAKING:
            return make(self, op, values, span)
        for value in values:
            if isinstance(value, Untyped):
                self.code.expression(value, span)
        if op in ("car", "cdr"):
            t = self.code.type(values[0], span)
            raise CogenError(f"{op}: expected a tuple, got a value of type {show(t)}", span)
        e, t = scalar(self.code, op, values, span)
        if isinstance(e, tree.LiteralExpression):
            return SymbolicNumber(e.value, e.type)
        return self.code.let(hint, e, t)

    # -- calls ---------------------------------------------------------------------------------

    def call(self, function: Value, values: list[Value], span: Span) -> Value:
        """What a call gives."""
        match function:
            case SymbolicProcedure(lambda_):
                return self.inline(lambda_, values, span)
            case KnownSymbol(name, True) if name == "rcall" or name == "dcall":
                return self.call(values[0], values[1:], span)
            case KnownSymbol(name, True) if name not in CONTROL:
                return self.primitive(name, values, span)
            case KnownSymbol(name, True):
                raise LimitationError(f"`{name}` is not there in array programs", span)
            case KnownSymbol(name, False) if is_known(name):
                found = vector_operation(self, name, values, span)
                return self.procedure(name, values, span) if found is None else found
            case KnownSymbol(name, False):
                return self.procedure(name, values, span)
        raise LimitationError(
            "an array program calls only procedures that are known by name", span,
            "which procedure is called must not depend on a run",
        )  # fmt: skip

    def procedure(self, name: str, values: list[Value], span: Span) -> Value:
        """A call of a residual procedure: of its L0 function; inlined if it is given procedures."""
        function = self.procedure_of(name, span)
        changes = name in self.program.changing and any(map(_has_objects, values))
        if changes or any(
            isinstance(value, SymbolicProcedure | KnownSymbol | SymbolicCell) for value in values
        ):
            return self.inline(function, values, span)
        _check_count(function, len(values), span)
        found = [self.code.expression(value, span) for value in values]
        version = self.program.version(name, tuple([t for _, t in found]), span)
        assert version.result is not None
        call = tree.CallExpression(
            span, tree.Name(span, version.name), tuple([e for e, _ in found])
        )
        result = self.code.let(name, call, version.result)
        if self.objects.active:
            self.objects.derive(result, values, span)
        return result

    def procedure_of(self, name: str, span: Span) -> il.Function:
        """The residual procedure of that name."""
        function = self.program.procedures.get(name)
        if function is None:
            raise LimitationError(f"`{name}` is not there in array programs", span)
        return function

    def inline(self, function: il.Function, values: list[Value], span: Span) -> Value:
        """The body of a procedure in place of its call."""
        if function.rest is None:
            _check_count(function, len(values), span)
        extents, self.extents = self.extents, {}
        self.inlined += 1
        if self.inlined > MAX_INLINED:
            raise LimitationError(
                "a procedure that calls itself is given a procedure, or changes what it is given: "
                "array programs have no procedures as data",
                span,
            )
        count = len(function.parameters)
        self.env.update(zip(function.parameters, values[:count], strict=True))
        if function.rest is not None:
            self.env[function.rest] = SymbolicParts(tuple(values[count:]))
        result = self.block(function.body, function.cont)
        self.inlined -= 1
        self.extents = extents
        return result[0]

    def function(
        self, value: Value, types: Sequence[Type], span: Span, expected: Type | None = None
    ) -> tuple[tree.Function, Type]:
        """A procedure as the function of a combinator: see `function_operand`."""
        return function_operand(self, value, types, span, expected)


_TAKING_APART: Final = frozenset(("values->list", *PAIRS, *RECORDS))
"""Operations that look at the parts of tuples and records."""


def _hint(name: str) -> str:
    """What the program calls a variable; nothing where the name is only made up."""
    return "" if re.fullmatch(r"([tkv]|vector)(-\d+)?", name) else name


def _has_objects(value: Value) -> bool:
    """Whether a procedure could change something that it is given."""
    return isinstance(value, SymbolicCell | SymbolicParts) or (
        isinstance(value, SymbolicName) and isinstance(value.type, ArrayType)
    )


def _check_count(function: il.Function, count: int, span: Span) -> None:
    """CogenError for a call with a number of arguments that a procedure does not take."""
    wanted = len(function.parameters)
    if function.rest is not None:
        raise LimitationError("an array program has no rest arguments", span)
    if count != wanted:
        plural = "" if wanted == 1 else "s"
        name = function.label or function.name
        raise CogenError(f"{name}: expected {wanted} argument{plural}, got {count}", span)
