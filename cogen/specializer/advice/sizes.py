"""How values that a call passes on compare in size with those that the caller got.

For each call of a known procedure, and for each place where one procedure makes another, an `Arc`
says of every parameter (variables from outside are parameters too) what it is of those of the
caller:

    part       a proper part of it: `(car x)`, `(cdr (assq …))`, a field
    same       it itself, or something as large: `x`, `(map f x)`
    whole      something built around it: `(cons a x)`, a procedure that holds it
    list       a list of proper parts of it: what a procedure gives that picks some

as in the size-change graphs of Lee, Jones and Ben-Amram ("The size-change principle for program
termination", 2001), with data ordered by containment.  What procedures return is compared with
their parameters in the same way, to a fixed point.  A procedure that another one makes is taken
to be entered from there: a continuation in a program is the same to it as one that is not.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from cogen.lang import il
from cogen.lang.datum import Pair, Record
from cogen.lang.ilutil import NEVER_RETURN, Free, blocks, parameters

PART: Final = "part"
SAME: Final = "same"
WHOLE: Final = "whole"
LIST: Final = "list"

Relation = frozenset[tuple[str, str]]
"""What a value is of variables of the procedure; `OTHER` if it may be something else."""

OTHER: Final = ("", "")
EMPTY: Final = ("", "empty")
"""The empty list, or another constant that has no parts."""
NOTHING: Final[Relation] = frozenset()
ANYTHING: Final[Relation] = frozenset([OTHER])


@dataclass(frozen=True, slots=True, eq=False)
class Arc:
    """A call, or the making of a procedure (then there is no `call`)."""

    source: il.Function
    target: il.Function
    relations: Mapping[str, Relation]
    call: il.Call | None
    block: il.Block | None


class Sizes:
    """The arcs between procedures of a program.  Of variables that are `cut`, nothing is followed;
    calls of them are arcs to the procedures that they may be `among`, of which it is not known
    where they were made."""

    def __init__(
        self,
        program: il.Program,
        cut: Container[str] = frozenset(),
        among: Callable[[il.Function, il.Atom], Iterable[il.Function]] | None = None,
    ) -> None:
        self.free = Free()
        self._cut = cut
        self._among = among
        self._applied: dict[il.Function, dict[tuple[str, int], Relation]] = {}
        """By procedure: what it calls a parameter with, by the parameter's name and the number of
        the argument."""
        self._given: dict[il.Function, dict[int, Relation]] = {}
        """What a procedure that is passed on is called with, compared with the variables of the
        one that makes it."""
        self._globals = {
            item.name: item.function for item in program.items if isinstance(item, il.Define)
        }
        self._known: dict[str, il.Function] = {}
        self._inside: dict[il.Function, list[il.Block]] = {}
        for function in self._globals.values():
            self._collect(function)
        self._relations: dict[il.Function, dict[str, Relation]] = {}
        self._returned: dict[il.Function, Relation] = {}
        self._settle()
        self.arcs = [arc for function in self._inside for arc in self._arcs(function)]

    def variables(self, function: il.Function) -> tuple[str, ...]:
        """The parameters of a procedure, and what it uses from outside."""
        return (*parameters(function), *sorted(self.free.of_function(function)))

    # -- procedures ------------------------------------------------------------------------------

    def _collect(self, root: il.Function) -> None:
        """The blocks of a procedure, and of those in it, apart."""
        work = [root]
        while work:
            function = work.pop()
            own: list[il.Block] = []
            inside = [function.body]
            while inside:
                block = inside.pop()
                own.append(block)
                for binding in block.bindings:
                    if type(binding) is il.Fix:
                        for made in binding.functions:
                            self._known[made.name] = made
                            work.append(made)
                    elif type(binding) is il.Conts:
                        inside += [cont.body for cont in binding.conts]
                if type(block.tail) is il.If:
                    inside += [block.tail.then, block.tail.otherwise]
            self._inside[function] = own

    def _settle(self) -> None:
        """Relations of all variables, to a fixed point."""
        for function in self._inside:
            self._relations[function] = {
                name: frozenset([(name, SAME)]) for name in self.variables(function)
            }
            self._returned[function] = NOTHING
            self._applied[function] = {}
        changed = True
        while changed:
            changed = False
            for function in self._inside:
                while self._pass(function):
                    changed = True

    def _pass(self, function: il.Function) -> bool:
        """One look at a procedure; whether something is new."""
        relations = self._relations[function]
        before = self._found(function)
        conts = {
            cont.name: cont.parameters
            for block in self._inside[function]
            for binding in block.bindings
            if type(binding) is il.Conts
            for cont in binding.conts
        }

        def give(cont: str, values: Iterable[Relation]) -> None:
            if cont == function.cont:
                self._returned[function] |= frozenset().union(*values)
                return
            for name, value in zip(conts.get(cont, ()), values, strict=False):
                relations[name] = relations.get(name, NOTHING) | value

        for block in self._inside[function]:
            for binding in block.bindings:
                if type(binding) is il.Let:
                    values = [self._atom(atom, relations) for atom in binding.arguments]
                    result = _operation(binding.op, values)
                    relations[binding.name] = relations.get(binding.name, NOTHING) | result
                elif type(binding) is il.Fix:
                    for made in binding.functions:
                        held = [relations.get(n, ANYTHING) for n in self.free.of_function(made)]
                        known = relations.get(made.name, NOTHING)
                        relations[made.name] = known | _around(held)
                        self._apply_inside(function, made, relations)
            tail = block.tail
            if type(tail) is il.Jump:
                give(tail.cont, [self._atom(atom, relations) for atom in tail.arguments])
            elif type(tail) is il.Call:
                give(tail.cont, [self._called(tail, relations)])
                self._apply(function, tail, relations)
        return self._found(function) > before

    def _found(self, function: il.Function) -> int:
        """How much is known of a procedure."""
        tables = (self._relations[function], self._applied[function])
        return sum(len(r) for table in tables for r in table.values()) + len(
            self._returned[function]
        )

    def _atom(self, atom: il.Atom, relations: Mapping[str, Relation]) -> Relation:
        if type(atom) is not il.Var or atom.name in self._cut:
            is_empty = type(atom) is il.Const and type(atom.value) not in (Pair, list, Record)
            return _NONE if is_empty else ANYTHING
        return relations.get(atom.name, NOTHING)

    def _apply(
        self, function: il.Function, call: il.Call, relations: Mapping[str, Relation]
    ) -> None:
        """Note what a call tells of how procedures that are passed on are called."""
        values = [self._atom(atom, relations) for atom in call.arguments]
        target = self._target(call)
        if target is None:
            uses: list[tuple[il.Atom, int, Relation]] = [
                (call.function, number, value) for number, value in enumerate(values)
            ]
        else:
            arguments = self._passed(target, values, relations)
            atoms: dict[str, il.Atom] = dict(zip(target.parameters, call.arguments, strict=False))
            uses = [
                (atoms.get(name, il.Var(name)), number, _through(arguments, relation))
                for (name, number), relation in self._applied[target].items()
            ]
        self._note(function, uses, relations)

    def _apply_inside(
        self, function: il.Function, made: il.Function, relations: Mapping[str, Relation]
    ) -> None:
        """Note what a procedure that is made calls what it uses from outside with."""
        outside = self._entered(made, relations)
        free = self.free.of_function(made)
        uses: list[tuple[il.Atom, int, Relation]] = [
            (il.Var(name), number, _through(outside, relation))
            for (name, number), relation in self._applied[made].items()
            if name in free
        ]
        self._note(function, uses, relations)

    def _note(
        self,
        function: il.Function,
        uses: Iterable[tuple[il.Atom, int, Relation]],
        relations: Mapping[str, Relation],
    ) -> None:
        """Note that a procedure calls something with a value as the argument of a number."""
        applied = self._applied[function]
        for atom, number, value in uses:
            if type(atom) is not il.Var:
                continue
            made = self._known.get(atom.name)
            if made is not None:
                known = self._given.setdefault(made, {})
                known[number] = known.get(number, NOTHING) | value
            for name, kind in relations.get(atom.name, NOTHING):
                if kind == SAME:
                    applied[(name, number)] = applied.get((name, number), NOTHING) | value

    def _target(self, call: il.Call) -> il.Function | None:
        if type(call.function) is il.Global:
            return self._globals.get(call.function.name)
        return self._known.get(call.function.name) if type(call.function) is il.Var else None

    def _called(self, call: il.Call, relations: Mapping[str, Relation]) -> Relation:
        """What a call gives."""
        values = [self._atom(atom, relations) for atom in call.arguments]
        if type(call.function) is il.Prim:
            return _operation(call.function.name, values)
        function = self._target(call)
        if function is None:
            return ANYTHING
        if type(call.function) is il.Global and call.function.name in _KEEPING_SIZE:
            return _as_long(values[-1]) if values else ANYTHING
        if call.function == _ELEMENT and values:
            return _composed(values[0], PART)
        arguments = self._passed(function, values, relations)
        return _through(arguments, self._returned[function])

    def _passed(
        self, function: il.Function, values: list[Relation], relations: Mapping[str, Relation]
    ) -> dict[str, Relation]:
        """What the variables of a called procedure are of those of the caller."""
        found = dict(zip(function.parameters, values, strict=False))
        if function.rest is not None:
            found[function.rest] = _around(values[len(function.parameters) :])
        for name in self.free.of_function(function):
            found[name] = relations.get(name, ANYTHING)
        return found

    def _entered(self, made: il.Function, relations: Mapping[str, Relation]) -> dict[str, Relation]:
        """What the variables of a procedure that another one makes are of those of the latter."""
        found = self._passed(made, [], relations)
        for number, value in self._given.get(made, {}).items():
            if number < len(made.parameters):
                found[made.parameters[number]] = value
        return found

    # -- arcs ------------------------------------------------------------------------------------

    def _arcs(self, function: il.Function) -> Iterable[Arc]:
        relations = self._relations[function]
        called = {
            block.tail.function.name
            for block in blocks(function.body)
            if type(block.tail) is il.Call and type(block.tail.function) is il.Var
        }
        for block in self._inside[function]:
            for binding in block.bindings:
                if type(binding) is il.Fix:
                    for made in binding.functions:
                        if made.name not in called:
                            outside = self._entered(made, relations)
                            yield Arc(function, made, outside, None, None)
            tail = block.tail
            if type(tail) is il.Call:
                target = self._target(tail)
                if target is not None:
                    values = [self._atom(atom, relations) for atom in tail.arguments]
                    passed = self._passed(target, values, relations)
                    yield Arc(function, target, passed, tail, block)
                elif self._is_cut(tail.function):
                    values = [self._atom(atom, relations) for atom in tail.arguments]
                    yield from self._arcs_of_value(function, tail, block, tail.function, values)
                elif tail.function == _APPLY and self._is_cut(tail.arguments[0]):
                    given = tail.arguments[0]
                    yield from self._arcs_of_value(function, tail, block, given, [])

    def _is_cut(self, atom: il.Atom) -> bool:
        return type(atom) is il.Var and atom.name in self._cut

    def _arcs_of_value(
        self,
        function: il.Function,
        call: il.Call,
        block: il.Block,
        called: il.Atom,
        values: list[Relation],
    ) -> Iterator[Arc]:
        """The arcs of a call of a value."""
        if self._among is not None:
            for target in self._among(function, called):
                yield Arc(function, target, self._passed(target, values, {}), call, block)


def _operation(op: str, values: list[Relation]) -> Relation:
    """What an operation gives."""
    if op in ("car", "cdr") and values:
        return _taken_apart(values[0], op)
    if op in _TAKING_APART:
        return _composed(values[2 if op == "record-ref" else 0], PART) if values else ANYTHING
    if op == "cons" and len(values) == 2 and _is_list(*values):
        return frozenset((name, LIST) for value in values for name, _ in value if name)
    if op in _BUILDING:
        return _around(values)
    if op in ("lift", "%finite", "set-base") and values:
        return values[-1]
    if op == "%rebound":  # as long as the rest, with the entry in it
        return values[-1] | (_around(values[1:2]) - ANYTHING)
    if op in NEVER_RETURN:
        return NOTHING
    return ANYTHING


def _through(arguments: Mapping[str, Relation], relation: Relation) -> Relation:
    """What something is of the caller's variables that is so of those of the called."""
    found = NOTHING
    for name, kind in relation:
        found |= _composed(arguments.get(name, ANYTHING), kind) if name else {("", kind)}
    return found


def _around(values: Iterable[Relation]) -> Relation:
    """What something is that holds values."""
    found = NOTHING
    for value in values:
        found |= _composed(value, WHOLE)
    return found or ANYTHING


def _is_list(head: Relation, tail: Relation) -> bool:
    """Whether a pair is a list of parts."""
    return all(kind == PART for _, kind in head) and all(
        one == EMPTY or one[1] == LIST for one in tail
    )


def _taken_apart(value: Relation, op: str) -> Relation:
    """What the `car` or `cdr` of something is."""
    lists = {name for name, kind in value if kind == LIST}
    kind = PART if op == "car" else LIST
    rest = frozenset(one for one in value if one[1] != LIST)
    return _composed(rest, PART) | {(name, kind) for name in lists}


def _as_long(value: Relation) -> Relation:
    """What something is that is as long as a value, made from its parts."""
    return frozenset(OTHER if kind == LIST else (name, kind) for name, kind in value)


def _composed(value: Relation, relation: str) -> Relation:
    """What something is of variables that is in a relation to a value."""
    if not relation:
        return ANYTHING
    found: set[tuple[str, str]] = set()
    for name, known in value:
        if name:
            kinds = _COMPOSED.get((known, relation), ("",))
            found |= {(name, kind) if kind else OTHER for kind in kinds}
        elif not known:
            found.add(OTHER)
        elif relation in (SAME, LIST):
            found.add(EMPTY)
    return frozenset(found)


_NONE: Final[Relation] = frozenset([EMPTY])
_COMPOSED: Final = {
    (SAME, SAME): (SAME,),
    (SAME, PART): (PART,),
    (SAME, WHOLE): (WHOLE,),
    (SAME, LIST): (LIST,),
    (PART, SAME): (PART,),
    (PART, PART): (PART,),
    (PART, LIST): (LIST,),
    (WHOLE, SAME): (WHOLE,),
    (WHOLE, PART): (SAME, WHOLE, ""),
    (WHOLE, WHOLE): (WHOLE,),
    (LIST, SAME): (LIST,),
    (LIST, PART): (PART, LIST),
}
"""By what something is of a variable, and another thing of that: what the latter is of the
variable."""
_ELEMENT: Final = il.Global("list-ref")
_APPLY: Final = il.Prim("apply")
_TAKING_APART: Final = frozenset(
    {"car", "cdr", "vector-ref", "record-ref", "cell-ref", "string-ref"}
)
_BUILDING: Final = frozenset({"cons", "vector", "make-record", "make-cell", "values"})
_KEEPING_SIZE: Final = frozenset(
    {"map", "reverse", "list-copy", "filter", "vector->list", "list->vector", "vector-map"}
)
"""Procedures of the library that give something as long as their last argument, of its parts or
made from them."""
