"""il.Program, entry -> which pairs each `set-car!` and `set-cdr!` of the program may get.

By the closure analysis of `advice.flow`, here of all runs of the program, so there are
no binding times.  It is asked where an assignment is left to the residual program
(`paths.pairs`).

Note [What is not followed]
    UNKNOWN stands for what comes from outside: arguments of the entry, constants, what the
    program reads.  What leaves what is followed *escapes*: results of the entry (which may be
    given to a later call), objects that are raised, what is put into something UNKNOWN or given to
    a primitive that is not modelled.  It may come back wherever something is UNKNOWN.  So
    procedures that escape are called with what is UNKNOWN, and an assignment of something UNKNOWN
    gets all that has escaped, of which the parts are UNKNOWN then.  But a record of a type of the
    program was made by it: a field of one that is UNKNOWN is what the program puts there.

Law: a pair that an assignment gets in any run was made at one of the places found for it, or comes
from outside.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Final

from cogen import binding_times
from cogen.lang import il
from cogen.lang.datum import Pair, Record
from cogen.lang.ilutil import NEVER_RETURN, parameters
from cogen.lang.prims import CONTROL, PRIMITIVES
from cogen.specializer.advice.flow import DEPTH, Flow, Place
from cogen.specializer.advice.structures import ANY, LIFTS, MAKES, SOME
from cogen.specializer.advice.texts import index_of
from cogen.specializer.advice.values import (
    DATA_KINDS,
    GROUND,
    UNKNOWN,
    Made,
    Resumption,
    Slot,
    Token,
    record_type,
)
from cogen.specializer.programs.mutation import PAIR_SETTERS, find_mutations
from cogen.specializer.versions.families import Family

PairPlace = il.Let | il.Call
"""An operation that makes or assigns a pair; or a call that does, of a primitive or because it
makes a list of arguments."""

Key = Hashable
"""What stands for a `PairPlace`; the name of a primitive for the lists that it makes."""

Assignable = Mapping[Key, frozenset[Key]]
"""By assignment: where the pairs were made that it may get."""


def key_of(place: PairPlace) -> Key:
    """What stands for a place; None for a call that stands nowhere."""
    if type(place) is il.Let:
        return place.name
    span = place.span
    return None if span is None else (span.source.name, span.start, span.end)


def find_assignable(program: il.Program, entry: str) -> Assignable:
    """Which pairs the assignments of a program get that is run from its entry on."""
    heap = Heap(program, entry)
    escaped = _places(heap.escaped())
    found: dict[Key, frozenset[Key]] = {}
    for place, node in heap.assignments:
        pairs = _places(node.tokens)
        if UNKNOWN in node.tokens:
            pairs |= escaped
        key = key_of(place)
        found[key] = found.get(key, frozenset()) | pairs
    return found


def pairs_assigned(program: il.Program, entry: str) -> tuple[frozenset[Key], bool]:
    """Where the pairs are made that a program may assign which is run from its entry on; and
    whether it may assign constants and what comes from outside."""
    heap = Heap(program, entry, depth=0)
    tokens = {token for _, node in heap.assignments for token in node.tokens}
    anything = UNKNOWN in tokens
    return _places([*tokens, *(heap.escaped() if anything else ())]), anything


def _places(tokens: Iterable[Token]) -> frozenset[Key]:
    """Where the pairs among some values were made."""
    return frozenset(
        token.place if type(token.place) is str else key_of(token.place)
        for token in tokens
        if type(token) is Made and token.kind == "pair"
    )


SEVERAL: Final = -1
SPREAD: Final = -2
"""In a context: what a call makes of the values of a continuation, of the arguments in a list."""


class Heap(Flow):
    """The values of all variables in any run; see Note [What is not followed].

    `assignments` are the places where pairs are assigned, each with what is."""

    assumes = False

    def __init__(self, program: il.Program, entry: str, depth: int = DEPTH) -> None:
        self.assignments: list[tuple[PairPlace, Slot]] = []
        self._handles_errors = find_mutations(program).handlers
        self._from_outside = {"pair": Slot(), "other": Slot()}
        """What assignments of something UNKNOWN may have put into what has escaped."""
        super().__init__(program, entry, (), depth)

    def escaped(self) -> Iterable[Token]:
        """What has escaped."""
        return [token for token in self._escaped if type(token) is Made]

    def _enter(self, entry: str, bts: Sequence[binding_times.BT]) -> None:
        self._escape(self._atom(il.Global(entry), ()))

    def constant(self, value: Any) -> Token:
        return UNKNOWN if isinstance(value, Pair | list | Record) else GROUND

    # -- operations ------------------------------------------------------------------------------

    def _operation(
        self, op: str, values: Sequence[Slot], result: Slot, place: Any, context: Any
    ) -> None:
        if op == "values" and len(values) == 1:
            self.solution.flow(values[0], result)
            return
        content = _content(op, place)
        if content is not None:
            self.solution.flow(values[content], result)
            return
        if op in ("values->list", "string->list"):
            made = self.solution.make("pair", op, ())
            self.solution.add(made.part("cdr"), [made])
            self.solution.add(result, [made])
            for value in values:
                self.solution.flow(value, made.part("car"))  # one that is not several values
                self.solution.read(value, ANY, made.part("car"))
            return
        if op == "make-barrier-cell":
            for value in values[1:]:
                self._escape(value)  # the specializer calls it
        if op in PAIR_SETTERS:
            self.assignments.append((place, values[0]))
        if op == "record-ref" and type(place) is il.Let:
            self._read_field(place, values[2], result)
            return
        if op in ("make-record", "record-set!") and type(place) is il.Let:
            self._fill_fields(place, values)
        super()._operation(op, values, result, place, context)

    def _field(self, record: Any, index: int) -> Slot:
        """What a field of records of a type may hold."""
        return self.solution.node(("field", record, index))

    def _fill_fields(self, place: il.Let, values: Sequence[Slot]) -> None:
        """What an operation puts into fields."""
        record = record_type(place)
        if place.op == "record-set!":
            self.solution.flow(values[3], self._field(record, index_of(place)))
            return
        for index, value in enumerate(values[1:]):
            self.solution.flow(value, self._field(record, index))

    def _read_field(self, place: il.Let, value: Slot, result: Slot) -> None:
        """What a field of a record gives."""
        record, index = record_type(place), index_of(place)

        def watcher(token: Token) -> None:
            if token == UNKNOWN:
                self.solution.flow(self._field(record, index), result)
                self.solution.flow(self._from_outside["other"], result)
            elif type(token) is Made and record_type(token.place) in (None, record):
                self.solution.flow(token.part(index), result)
                self.solution.flow(token.part(SOME), result)

        self.solution.watch(value, watcher)

    def _write(self, value: Slot, part: Any, new: Slot) -> None:
        super()._write(value, part, new)
        kind = "pair" if part in ("car", "cdr") else "other"

        def watcher(token: Token) -> None:
            if token == UNKNOWN:
                self.solution.add(self._from_outside[kind], [UNKNOWN])

        self.solution.watch(value, watcher)

    def _compute(self, op: str, values: Sequence[Slot], result: Slot) -> None:
        if op in LIFTS:
            for value in values:
                self.solution.flow(value, result)
            return
        row = PRIMITIVES[op]
        if op == "read":
            self.solution.add(result, [UNKNOWN])
            return
        if row.result in _SIMPLE or row.effect == "output" or op in _SCALAR:
            return
        if op in NEVER_RETURN and not self._handles_errors:
            return  # nothing gets what is raised
        for value in values:
            self._escape(value)
        if op not in NEVER_RETURN:
            self.solution.add(result, [UNKNOWN])

    # -- calls -----------------------------------------------------------------------------------

    def _apply(self, function: Slot, values: Sequence[Slot], result: Slot, place: Place) -> None:
        super()._apply(function, values, result, place)
        if len(values) != 1:
            self._watch_continuations(function, values, (), place)

    def _watch_continuations(
        self, function: Slot, values: Sequence[Slot], more: Sequence[Slot], place: Place
    ) -> None:
        """A continuation that is called with these values, and perhaps `more`, is given them as
        several values."""

        def watcher(token: Token) -> None:
            if type(token) is not Resumption:
                return
            made = self.solution.make("vector", place.call, (*place.context, SEVERAL))
            for number, value in enumerate(values):
                self.solution.flow(value, made.part(number))
                self.solution.flow(value, made.part(ANY))
            for value in more:
                self.solution.flow(value, made.part(SOME))
                self.solution.flow(value, made.part(ANY))
            self.solution.add(token.target, [made])

        self.solution.watch(function, watcher)

    def _call_primitive(
        self, name: str, values: Sequence[Slot], result: Slot, place: Place
    ) -> None:
        if name not in CONTROL:
            least, most = PRIMITIVES[name].source_arity
            if len(values) >= least and (most is None or len(values) <= most):
                self._operation(name, values, result, place.call, place.context)
        elif name == "rcall" and values:
            self._apply(values[0], values[1:], result, place)
        elif name == "with-exception-handler" and len(values) == 2:
            self._escape(values[0])
            self._apply(values[1], [], result, place)
        else:
            super()._call_primitive(name, values, result, place)

    def _spread(self, values: Sequence[Slot], result: Slot, place: Place) -> None:
        """`apply`: any argument behind those that are given may be any element of the list."""
        element = self.solution.element(values[-1], (id(place.call), place.context))
        first = values[1:-1]

        def watcher(token: Token) -> None:
            if type(token) is Resumption:
                for value in (*first, element):
                    self.solution.flow(value, token.target)
            elif token == UNKNOWN:
                for value in (*first, element):
                    self._escape(value)
                self.solution.add(result, [UNKNOWN])
            elif type(token) is not Made:
                return
            elif token.kind == "primitive":
                self._spread_to_primitive(token.place, first, element, result, place)
            elif token.kind in ("procedure", "global"):
                self._spread_to_known(token, first, element, result, place)

        self.solution.watch(values[0], watcher)
        self._watch_continuations(values[0], first, [element], place)

    def _spread_to_primitive(
        self, name: str, first: Sequence[Slot], element: Slot, result: Slot, place: Place
    ) -> None:
        if name in CONTROL:
            for value in (*first, element):
                self._escape(value)
            self.solution.add(result, [UNKNOWN])
            return
        least, most = PRIMITIVES[name].source_arity
        least = max(least, len(first))
        for count in range(least, (least + 1 if most is None else most) + 1):
            values = [*first, *[element] * (count - len(first))]
            self._call_primitive(name, values, result, place)
        if MAKES.get(name) == "vector":
            made = self.solution.make("vector", place.call, place.context)
            self.solution.flow(element, made.part(SOME))
            self.solution.flow(element, made.part(ANY))

    def _spread_to_known(
        self, token: Made, first: Sequence[Slot], element: Slot, result: Slot, place: Place
    ) -> None:
        function: il.Function = token.place
        inner = self._entered(token, place)
        self.solution.flow(self.solution.node(("return", inner, function.cont)), result)
        for number, name in enumerate(function.parameters):
            value = first[number] if number < len(first) else element
            self.solution.flow(value, self.solution.node((inner, name)))
        if function.rest is not None:
            made = self.solution.make("pair", place.call, (*inner, SPREAD))
            for value in (*first[len(function.parameters) :], element):
                self.solution.flow(value, made.part("car"))
            self.solution.add(made.part("cdr"), [made])
            self.solution.add(self.solution.node((inner, function.rest)), [made])

    # -- what leaves -----------------------------------------------------------------------------

    def _escape(self, node: Slot) -> None:
        if id(node) not in self._escaped:
            self._escaped.add(id(node))
            self._kept.append(node)
            self.solution.watch(node, self._let_out)

    def _let_out(self, token: Token) -> None:
        """A value may be looked at, called and assigned by what is not followed."""
        if type(token) is Resumption:
            self.solution.add(token.target, [UNKNOWN])
        if type(token) is not Made or token in self._escaped:
            return
        self._escaped.add(token)
        if token.kind in ("procedure", "global"):
            function: il.Function = token.place
            self._reach(function, token.context, self._owner.get(function, function.name))
            for name in parameters(function):
                self.solution.add(self.solution.node((token.context, name)), [UNKNOWN])
            self._escape(self.solution.node(("return", token.context, function.cont)))
        elif token.kind in DATA_KINDS:
            self._let_out_parts(token)

    def _let_out_parts(self, made: Made) -> None:
        is_pair = made.kind == "pair"
        for name in ("car", "cdr") if is_pair else (SOME, ANY):
            self._escape(made.part(name))
            self.solution.flow(self._from_outside["pair" if is_pair else "other"], made.part(name))


def _content(op: str, place: Any) -> int | None:
    """Which operand an operation on boxes gives, or puts into a box: a box is what is in it."""
    if op in ("%reveal", "%reveal-among", "%boxed", "%unboxed", "%rebound", "%point", "%one-of"):
        return 0
    if op in ("make-record", "record-ref") and type(record_type(place)) is Family:
        return -1
    return None


_SCALAR: Final = frozenset({"string->number", "digit-value", "eof-object", "%undefined"})
"""Operations whose results have no parts, and are of several types or none."""

_SIMPLE: Final = frozenset(
    {"int", "float", "number", "bool", "char", "string", "symbol", "bytevector", "port"}
    | {"unspecified"}
)
"""Types of results that have no parts."""
