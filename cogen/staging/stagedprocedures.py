"""Functions that call themselves, as often as a run says, and do something with what that gives:
functions of the program, which are called.

    def depth(i):                            fun int depth(int i, [int] left, [int] right) =
        if i < 0:                              if i < 0 then 0 else
            return 0                  ->         1 + max(depth(left[i], left, right), ...)
        return 1 + max(depth(left[i]), ...)

There is one for each combination of what is known of the arguments.  Its parameters are what a run
knows of them; what the objects hold that it changes (arrays, lists, variables of functions around
it), which it gives back as well; and whatever else of the program around it is used (`FreeNames`).

What it gives is found by running it: at first calls of itself have no result (`NoResultYet`), so
the ways that lead to them are none; then the result is that of the others, as long as it becomes
wider by that.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, Final

from cogen.array.l0 import tree
from cogen.array.l0.types import BOOL, ArrayType, TupleType, Type
from cogen.array.scheme.l0code import Code
from cogen.array.scheme.symbolicvalues import SymbolicName
from cogen.lang.errors import CogenError
from cogen.staging.callkeys import (
    HELD,
    CallKey,
    Path,
    call_key,
    handed_parts,
    is_handed,
    is_same_function,
    is_value,
    key_parts,
    known_parts,
    part_names,
)
from cogen.staging.carriedvalues import type_of_leaf
from cogen.staging.convertfunctions import convert
from cogen.staging.joinvalues import is_array
from cogen.staging.listelements import rows_of
from cogen.staging.procedurevalues import (
    ProcedureForm,
    content_value,
    hold_value,
    reachable,
    result_value,
    same_content,
    snapshot,
)
from cogen.staging.sourceplaces import cannot, definition_of
from cogen.staging.stagedarrays import Array, as_array, of_type
from cogen.staging.stagedconditionals import NoResultYet
from cogen.staging.stagedexpressions import constant
from cogen.staging.stagedlists import StagedList
from cogen.staging.stagedscalars import Scalar
from cogen.staging.tracer import AgainError, content_of, current, restore
from cogen.staging.valueparts import parts_of
from cogen.staging.wholearrays import bound, together

TRIES: Final = 30
"""So often a procedure is run to find out what it gives."""

GROWING: Final = 8
"""So many calls within each other, of which each knows other numbers, are taken to have no end that
staging would find."""

MOST_ALIKE: Final = 12
"""So many procedures there are at most of one function with the same known arguments."""


class ProcedureGrowsError(BaseException):
    """A function calls itself as often as a run says; staging begins anew, with a procedure.
    `paths`: arguments that are known, and handed over; `certain`: it has no end otherwise."""

    def __init__(self, code: Any, paths: set[Path], certain: bool) -> None:
        super().__init__(code.co_name)
        self.code = code
        self.paths = paths
        self.certain = certain


class _AnewError(BaseException):
    """A procedure must be run again, since more of it is found out."""

    def __init__(self, procedure: StagedProcedure) -> None:
        super().__init__("a procedure is run again")
        self.procedure = procedure


@dataclass(slots=True, eq=False)
class StagedProcedure:
    """A function of the program, in the making or made."""

    name: str
    function: FunctionType
    key: list[Any]
    blocks: tuple[Code, ...]
    """The blocks around it, in which alone it is called."""
    seen: dict[int, tuple[Any, Any]]
    """What it may look at of the rest, with what that held."""
    busy: bool = True
    parts: dict[int, Any] = field(default_factory=dict)
    """Objects that it is given the content of."""
    changed: set[int] = field(default_factory=set)
    """Those of them that it changes."""
    forms: dict[int, ProcedureForm] = field(default_factory=dict)
    like: dict[int, Any] = field(default_factory=dict)
    """Of lists that it changes: of what kind their elements are."""
    arrays: set[int] = field(default_factory=set)
    """Arguments, by their numbers, that are arrays which it assigns to."""
    given: list[Type] = field(default_factory=list)
    """The types of the arguments that a run knows."""
    call: CallKey | None = None
    result: ProcedureForm | None = None
    definition: tree.FunctionDefinition | None = None

    def is_open(self) -> bool:
        """Whether what is around it is there."""
        return all(map(current().is_open, self.blocks))

    def differences(self) -> list[Any]:
        """The objects that hold something else than when it was run."""
        return [
            thing for key, (thing, content) in self.seen.items()
            if key not in self.parts and not same_content(content, content_of(thing))
        ]  # fmt: skip

    # Calls.

    def called(self, dynamic: Sequence[Any]) -> Any:
        """What a call gives, and does to objects."""
        tracer = current()
        arguments = self._arguments(dynamic)
        if self.result is None:
            says = f"`{self.function.__name__}` calls itself without end"
            raise NoResultYet(CogenError(says, tracer.place, "end it on some way"), tracer.place)
        place = tracer.place
        e = tree.CallExpression(place, tree.Name(place, self.name), tuple(arguments))
        types = self._result_types()
        found = iter(bound(e, types or [_NOTHING], "r"))
        value = self.result.of(iter([next(found) for _ in self.result.dynamic]))
        for key, form in self._changes():
            made = form.of(iter([next(found) for _ in form.dynamic]))
            self._change(self.parts[key], made)
        for number in sorted(self.arrays):
            whole = dynamic[number]
            if not isinstance(whole, Array):
                cannot("an array that is known is assigned to in a function that calls itself",
                       "make a copy before: a = a.copy()")  # fmt: skip
            whole.write(next(found))
        return value

    def _change(self, thing: Any, made: Any) -> None:
        if isinstance(thing, Array):
            thing.write(made)
        else:
            current().touch(thing)
            hold_value(thing, made)

    def _arguments(self, dynamic: Sequence[Any]) -> list[tree.Expression]:
        found: list[tree.Expression] = []
        for number, (x, t) in enumerate(zip(dynamic, self.given, strict=True)):
            form = ProcedureForm(of_type(SymbolicName("", t), t))
            found += form.expressions([x], number in self.arrays)
        for key, thing in self.parts.items():
            form = self.forms[key]
            leaves = form.fit(self._content(key, thing), "what a function changes")
            found += form.expressions(leaves, key in self.changed)
        self._settle()
        return found

    def _content(self, key: int, thing: Any) -> Any:
        """What an object holds, as a value; lists whose length changes are arrays from here on."""
        if isinstance(thing, StagedList) and key not in self.like:
            elements, rows, _ = thing.content()
            form = self.forms.get(key)
            if rows is not None or (form is not None and len(form.value) != len(elements)):
                before = [] if form is None else list(form.value)
                self.like[key] = rows_of((elements or before, rows, None), None)
                if self.forms.pop(key, None) is not None:
                    raise _AnewError(self)
        return content_value(thing, self.like.get(key))

    def _settle(self) -> None:
        """Run it again, if something has become wider."""
        forms = [*self.forms.values(), *([self.result] if self.result else [])]
        if any(form.widened for form in forms):
            for form in forms:
                form.widened = False
            raise _AnewError(self)

    def _changes(self) -> list[tuple[int, ProcedureForm]]:
        return [(key, self.forms[key]) for key in self.parts if key in self.changed]

    def _result_types(self) -> list[Type]:
        assert self.result is not None
        own = [t for _, form in self._changes() for t in form.dynamic]
        return [*self.result.dynamic, *own, *[self.given[k] for k in sorted(self.arrays)]]

    # Running it.

    def make(self, call: inspect.BoundArguments, paths: set[Path]) -> None:
        """Run the function until it is known what it gives."""
        tracer = current()
        for _ in range(TRIES):
            before = snapshot(self.parts)
            frames = len(tracer.calling)
            try:
                self._attempt(call, paths)
                self.busy = False
                return
            except AgainError as again:
                if again.region.kind != "procedure" or again.region.owner is not self:
                    raise
                self._note(again.region.carried)
            except CogenError as error:
                if error.span is None:
                    error.reached(definition_of(self.function), ())
                raise
            except _AnewError as anew:
                if anew.procedure is not self:
                    raise
            finally:
                del tracer.calling[frames:]
                for thing, content in before.values():
                    restore(thing, content)
        cannot(f"what `{self.function.__name__}` does could not be found out", "simplify it")

    def _note(self, things: dict[int, Any]) -> None:
        for key, thing in things.items():
            self.parts[key] = thing
            self.changed.add(key)

    def add(self, things: Sequence[Any]) -> None:
        """Hand over what objects hold, too."""
        for thing in things:
            self.parts[id(thing)] = thing

    def _attempt(self, call: inspect.BoundArguments, paths: set[Path]) -> None:
        tracer = current()
        parameters: list[tree.Parameter] = []
        place = tracer.place

        def names(types: Sequence[Type], hint: str, unique: bool) -> Iterator[SymbolicName]:
            for t in types:
                text = tracer.names.fresh(hint)
                declared = ArrayType(t.element, True) if unique and isinstance(t, ArrayType) else t
                parameters.append(tree.Parameter(tree.Name(place, text), declared))
                yield SymbolicName(text, t)

        with tracer.region("procedure") as region, tracer.block() as code:
            region.owner = self
            region.carried = {key: self.parts[key] for key in self.changed}
            bound, inside, lists = _with_slots(call, paths, names, self)
            for key, thing in self.parts.items():
                value = self._content(key, thing)
                form = self.forms.setdefault(key, ProcedureForm(value))
                form.fit(value, "what a function changes")
                form.widened = False
                hold_value(thing, form.named(names(form.dynamic, "v", key in self.changed)))
            starts = snapshot({id(x): x for x in [*inside, *lists] if not isinstance(x, Scalar)})
            found = result_value(convert(self.function)(*bound.args, **bound.kwargs))
            e, types = self._end(found, inside, starts)
        body = code.close(e)
        result = types[0] if len(types) == 1 else TupleType(tuple(types))
        self.definition = tree.FunctionDefinition(
            place, tree.Name(place, self.name), result, tuple(parameters), body
        )

    def _end(
        self, found: Any, inside: Sequence[Any], starts: dict[int, tuple[Any, Any]]
    ) -> tuple[tree.Expression, list[Type]]:
        """What the function gives, and what it makes of what it is given."""
        first = self.result is None
        if self.result is None:
            self.result = ProcedureForm(found)
        leaves = self.result.fit(found, f"what `{self.function.__name__}` gives")
        own: list[tree.Expression] = []
        types: list[Type] = list(self.result.dynamic)
        for key, form in self._changes():
            thing = self.parts[key]
            value = form.fit(self._content(key, thing), "what a function changes")
            own += form.expressions(value, True)
            types += [_unique(t) for t in form.dynamic]
        self._see_changes(inside, starts)
        self._settle()
        if first:
            raise _AnewError(self)
        for number in sorted(self.arrays):
            t = self.given[number]
            own += ProcedureForm(inside[number]).expressions([inside[number]], True)
            types.append(_unique(t))
        every = [*self.result.expressions(leaves), *own]
        return (together(every), types) if every else (constant(True), [_NOTHING])

    def _see_changes(self, inside: Sequence[Any], starts: dict[int, tuple[Any, Any]]) -> None:
        """See which arguments it changes."""
        for number, x in enumerate(inside):
            start = starts.pop(id(x), None)
            if start is not None and number not in self.arrays and x.content()[0] != start[1][0]:
                self.arrays.add(number)
                raise _AnewError(self)
        for thing, content in starts.values():
            if not same_content(content, content_of(thing)):
                cannot("a list that is handed on is changed in a function that calls itself",
                       "hand on one and the same list, or return a new one")  # fmt: skip


def _unique(t: Type) -> Type:
    return ArrayType(t.element, True) if isinstance(t, ArrayType) else t


_NOTHING: Final[Type] = BOOL


def _with_slots(
    call: inspect.BoundArguments, paths: set[Path], names: Any, procedure: StagedProcedure
) -> tuple[inspect.BoundArguments, list[Any], list[Any]]:
    """The arguments with names of parameters for what is handed over; what these stand for; and the
    lists that were made so."""
    inside: list[Any] = []
    lists: list[Any] = []

    def slot(value: Any, path: Path) -> Any:
        t = procedure.given[len(inside)]
        (name,) = names([t], str(path[0]), len(inside) in procedure.arrays)
        made = of_type(name, t)
        if isinstance(made, Array):
            made.ones = as_array(value).ones
        inside.append(made)
        return made

    def rebuilt(value: Any, path: Path) -> Any:
        found = None if is_array(value) else parts_of(value)
        if found is not None and (is_value(value) or path in paths):
            pairs = zip(part_names(value, found[0]), found[0], strict=True)
            made = found[1]([rebuilt(x, (*path, n)) for n, x in pairs])
            if not is_value(value):
                lists.append(current().made(made))
            return made
        ((_, kind, _, _),) = key_parts(value, path, paths)
        return slot(value, path) if is_handed(path, kind, paths) else value

    values = {name: rebuilt(x, (name,)) for name, x in call.arguments.items()}
    return inspect.BoundArguments(call.signature, values), inside, lists


def procedure_call(f: FunctionType, args: Any, options: Any) -> Any:
    """A call of a function that is one of the program's, or becomes one."""
    tracer = current()
    paths = tracer.rolling.procedures[f.__code__]
    key = call_key(f, args, options, paths)
    _see_busy(f, key, paths)
    dynamic, known = handed_parts(key, paths), known_parts(key, paths)
    alike = [p for p in tracer.procedures
             if is_same_function(p.function, f) and p.key == known and p.is_open()]  # fmt: skip
    missing: list[Any] = []
    for procedure in alike:
        missing = procedure.differences()
        if missing and procedure.busy:
            procedure.add(missing)
            raise _AnewError(procedure)
        if not missing:
            return procedure.called(dynamic)
    if len(alike) > MOST_ALIKE:
        cannot(f"`{f.__name__}` calls itself in too many ways", "hand on what differs")
    roots = [x for path, kind, _, x in key.leaves
             if kind in ("known", *HELD) and not is_handed(path, kind, paths)]  # fmt: skip
    made = StagedProcedure(
        tracer.names.fresh(f.__name__), f, known, tuple(tracer.blocks),
        snapshot(reachable([f, *roots])), given=[type_of_leaf(x) for x in dynamic], call=key,
    )  # fmt: skip
    made.add(missing)
    call = inspect.signature(f).bind(*args, **options)
    call.apply_defaults()
    tracer.procedures.append(made)
    try:
        made.make(call, paths)
    except BaseException:
        tracer.procedures.remove(made)
        raise
    return made.called(dynamic)


def _see_busy(f: FunctionType, key: CallKey, paths: set[Path]) -> None:
    """Hand over, from the beginning, what differs from call to call within each other: arrays and
    lists, numbers that only a run knows in later calls, and those of which there is no end."""
    busy = [p.call for p in current().procedures
            if p.busy and p.function.__code__ is f.__code__]  # fmt: skip
    alike = [call for call in busy if call.rest == key.rest]
    differing = [key.differing(call) for call in alike]
    found = {path for _, held in differing for path in held}
    if len(alike) > GROWING:
        found |= {path for numbers, _ in differing for path in numbers}
    slots = {path for path, kind, _, _ in key.leaves if kind == "slot"}
    for call in busy:
        found |= {path for path, kind, _, _ in call.leaves if kind == "number" and path in slots}
    if found - paths:
        raise ProcedureGrowsError(f.__code__, found, True)


def see_procedure(f: FunctionType, args: Any, options: Any, last: bool) -> None:
    """Begin anew where a function calls itself below staged conditions, not at its end, with
    nothing known that is nearer to an end."""
    tracer = current()
    own = [
        (frame, frame.called) for frame in tracer.calling
        if frame.code is f.__code__ and frame.called and is_same_function(frame.called[0], f)
    ]  # fmt: skip
    if not own or len(tracer.regions) == own[0][0].regions or not tracer.rolling.calls:
        return
    if last and all(frame.last for frame, _ in own[1:]):
        return
    key = call_key(f, args, options, set())
    grown, paths = 0, set[Path]()
    for frame, called in own[::-1]:
        if len(tracer.regions) == frame.regions:
            continue
        if frame.key is None:
            frame.key = call_key(*called, set())
        if frame.key.rest != key.rest:
            continue
        numbers, held = key.differing(frame.key)
        paths |= numbers | held
        if not numbers and tracer.changes == frame.changes:
            raise ProcedureGrowsError(f.__code__, paths, True)
        grown += 1
    if grown >= GROWING:
        raise ProcedureGrowsError(f.__code__, paths, False)
