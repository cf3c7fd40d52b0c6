"""Names and places of a program's variables: where the text binds them, what states call them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final, NamedTuple

from cogen.lang import il
from cogen.lang.chain import in_library
from cogen.lang.errors import Span
from cogen.lang.ilutil import base_name, item_block, parameters
from cogen.specializer.advice.structures import LIFTS
from cogen.specializer.programs.liveness import Liveness
from cogen.specializer.values.domain import (
    Cell,
    Closure,
    Frame,
    PartialPair,
    PartialRecord,
    Ref,
    Reified,
    Several,
    Test,
)
from cogen.specializer.values.freeze import FrozenSlot, Store
from cogen.specializer.versions.memo import Point, ResidualBlock

TEMPORARY: Final = "t"
"""What the reader of programs calls a result that has no name."""

MOST_SHOWN: Final = 40
"""Characters of the program's text that are shown of an expression."""

MOST_PARTS: Final = 2000
"""Values of a state that are looked at for their names."""


class BoundAt(NamedTuple):
    """Where a variable is bound: in which procedure (None at the top level), by which text (of the
    procedure, of a parameter; else of the expression), and by which operation, if by one."""

    function: il.Function | None
    span: Span | None
    is_parameter: bool = False
    let: il.Let | None = None


def _lifted(let: il.Let, bound: Mapping[str, BoundAt]) -> BoundAt | None:
    """Where a variable is bound, if an operation is a lift of it that advice has put in: one of
    the two names is then made of the other, with a number that begins with 0."""
    if let.op not in LIFTS or type(let.arguments[0]) is not il.Var:
        return None
    name = let.arguments[0].name
    is_made = any(one.rpartition(".")[2].startswith("0") for one in (name, let.name))
    same = user_name(name) == user_name(let.name)
    return bound.get(name) if is_made and same else None


def user_name(name: str) -> str:
    """What the program calls a variable of the IL, whatever numbers were added."""
    while (stem := base_name(name)) != name:
        name = stem
    return name


def text_of(span: Span | None) -> str:
    """The text of a place on one line, shortened."""
    if span is None:
        return ""
    text = " ".join(span.source.text[span.start : span.end].split())
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…"


class ProgramNames:
    """The variables of a program, by their names in the IL, which are unique."""

    def __init__(self, program: il.Program) -> None:
        self._program = program

    @cached_property
    def bound(self) -> dict[str, BoundAt]:
        """Where each variable is bound."""
        found: dict[str, BoundAt] = {}
        work: list[tuple[il.Function | None, il.Block]] = []
        for item in self._program.items:
            if type(item) is il.Define:
                self._bind(item.function, found, work)
            else:
                work.append((None, item_block(item)))
        while work:
            function, block = work.pop()
            for binding in block.bindings:
                if type(binding) is il.Let:
                    own = BoundAt(function, binding.span, False, binding)
                    found[binding.name] = _lifted(binding, found) or own
                elif type(binding) is il.Fix:
                    for inner in binding.functions:
                        self._bind(inner, found, work)
                elif type(binding) is il.Conts:
                    for cont in binding.conts:
                        found.update((n, BoundAt(function, cont.span)) for n in cont.parameters)
                        work.append((function, cont.body))
            if type(block.tail) is il.If:
                work += [(function, block.tail.then), (function, block.tail.otherwise)]
        return found

    def _bind(
        self,
        function: il.Function,
        found: dict[str, BoundAt],
        work: list[tuple[il.Function | None, il.Block]],
    ) -> None:
        bound = BoundAt(function, function.span, True)
        found.update((name, bound) for name in parameters(function))
        work.append((function, function.body))

    def is_named(self, name: str) -> bool:
        """Whether the program's text names a variable."""
        shown, bound = user_name(name), self.bound.get(name)
        if bound is None or bound.span is None or in_library(bound.span):
            return False
        return shown != TEMPORARY and self.place(name) is not None

    def place(self, name: str) -> Span | None:
        """Where the program's text binds a variable; None if that is not seen."""
        bound = self.bound.get(name)
        if bound is None or bound.span is None:
            return None
        span = bound.span
        if bound.is_parameter and bound.function is not None:
            start = _parameters_start(bound.function)
            return occurrence(user_name(name), Span(span.source, start, span.end))
        before = span.source.text[max(0, span.start - 200) : span.start]
        shift = span.start - len(before)
        found = list(_identifier(user_name(name)).finditer(before))
        last = found[-1] if found else None
        if last is None or not _BINDING.fullmatch(before, last.end()):
            return None
        return Span(span.source, last.start() + shift, last.end() + shift)

    def shown(self, name: str) -> str:
        """What to call a variable: by its name, or the text of what it is bound to."""
        if self.is_named(name):
            return user_name(name)
        bound = self.bound.get(name)
        return text_of(bound.span) if bound is not None else user_name(name)


def occurrence(name: str, span: Span) -> Span | None:
    """Where a place first says a name."""
    found = _identifier(name).search(span.source.text, span.start, span.end)
    return None if found is None else Span(span.source, *found.span())


_BINDING: Final = re.compile(r"[\s(\[]*")
"""What may stand between a variable and the expression it is bound to."""


def _identifier(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\s()\[\]'`,\"]){re.escape(name)}(?![^\s()\[\]'`,\"])")


def _parameters_start(function: il.Function) -> int:
    """Behind the name of a procedure in its text, where that is."""
    span = function.span
    assert span is not None
    name = procedure_place(function)
    return span.start if name is None else name.end


def procedure_place(function: il.Function) -> Span | None:
    """Where the program's text names a procedure."""
    span = function.span
    if span is None or not function.label:
        return span
    return occurrence(function.label.lstrip("%"), span) or span


# -- names in states -------------------------------------------------------------------------------


class NamedText(NamedTuple):
    """A place in a state: the variable (of the IL) that it is in, if it has one, and whether it is
    only a part of what the variable holds."""

    name: str
    is_part: bool = False


NOWHERE: Final = NamedText("")


class StateNames:
    """What the program calls the places of states."""

    def __init__(self, liveness: Liveness) -> None:
        self._liveness = liveness

    def of_root(self, point: Point, index: int) -> NamedText:
        """The variable that a root of a state at a point is."""
        kind, where = point[0], point[1] if len(point) > 1 else None
        names: tuple[str, ...] = ()
        if kind == "if" and type(where) is il.If:
            names = ("", *self._liveness.of_arms(where))
        elif kind in ("call", "procedure") and type(where) is il.Function:
            names = ("", *parameters(where))
        elif kind == "cont" and type(where) is il.Cont:
            names = ("", *where.parameters)
        return NamedText(names[index]) if index < len(names) else NOWHERE

    def of_slot(self, block: ResidualBlock, slot: FrozenSlot) -> NamedText:
        """The variable that a slot of a block's state is (in)."""
        owner, key = slot
        if owner is None:
            return self.of_root(block.point, key)
        if type(owner) in (Closure, Frame):
            return NamedText(key)
        for value, name in self._walk(block):
            if value is owner or (type(owner) is Ref and _is_same(value, owner)):
                return NamedText(name.name, True)
        return NOWHERE

    def of_value(self, block: ResidualBlock, value: Any) -> NamedText:
        """The variable that holds an object of a block's state."""
        return self.find(block, lambda found: found is value)

    def find(self, block: ResidualBlock, is_it: Callable[[Any], bool]) -> NamedText:
        """The variable that holds the first value of a block's state of which that is true."""
        return next((name for value, name in self._walk(block) if is_it(value)), NOWHERE)

    def _walk(self, block: ResidualBlock) -> Iterator[tuple[Any, NamedText]]:
        """The values of a state with the variables they are in, outer ones first."""
        work = [
            (value, self.of_root(block.point, index))
            for index, (_, value) in enumerate(block.roots)
        ]
        seen: set[int] = set()
        for value, name in work:
            yield value, name
            if id(value) not in seen and len(work) < MOST_PARTS:
                seen.add(id(value))
                work += self._parts(value, name, block.store)

    def _parts(self, value: Any, name: NamedText, store: Store) -> list[tuple[Any, NamedText]]:
        inside = NamedText(name.name, True)
        match value:
            case Closure():
                names = self._liveness.of_function(value.function)
                return [(value.environment[n], NamedText(n)) for n in names]
            case Frame():
                names = self._liveness.of_cont(value.cont)
                return [(value.environment[n], NamedText(n)) for n in names]
            case PartialPair():
                return [(value.car, inside), (value.cdr, inside)]
            case PartialRecord():
                return [(item, inside) for item in value.fields]
            case Several():
                return [(item, inside) for item in value.values]
            case Test():
                return [(item, NOWHERE) for item in value.arguments]
            case Reified():
                return [(value.continuation, NOWHERE)]
            case Ref():
                content = store.get(value.number)
                if type(content) is not Cell:
                    return []
                whole = content.kind == "cell"
                return [(item, name if whole else inside) for item in content.items]
        return []


def _is_same(value: Any, owner: Ref) -> bool:
    return type(value) is Ref and value.number == owner.number


def root_of_place(
    names: StateNames, where: tuple[Any, ...], keys: tuple[Any, ...], known: Any
) -> NamedText:
    """The variable of a place that a trial tells: by keys, from the inside to a root of the state
    at a point, or of a call (`where`).  `known` tells the names of variables."""
    for number, key in enumerate(keys):
        is_root = number == len(keys) - 1
        if is_root and type(key) is int:
            named = names.of_root(where, key)
        elif type(key) is str and key in known:
            named = NamedText(key)
        else:
            continue
        return NamedText(named.name, named.is_part or number > 0)
    return NOWHERE
