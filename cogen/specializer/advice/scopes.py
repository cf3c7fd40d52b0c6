"""What variables are called where something is known of them: in the arms of conditionals that ask,
and in what several of them lead to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from cogen.lang import il
from cogen.lang.datum import RecordType
from cogen.lang.ilutil import blocks, item_block
from cogen.specializer.advice.solution import Meant, Solution
from cogen.specializer.advice.texts import index_of, tags_asked, taken_apart
from cogen.specializer.advice.values import (
    GROUND,
    IN_ARM,
    LIST,
    NULL,
    Context,
    Made,
    Question,
    Slot,
    Token,
    questions,
    tag_of,
)

Scope = Mapping[str, str]
"""What variables are called where something is known of them."""


@dataclass(frozen=True)
class Join:
    """What a variable is called before and after a continuation is entered."""

    before: str
    after: str


class Told(Protocol):
    """What a program's text tells: variables that hold what some places make, which others are
    not likely to read (`advice.untagged`, `…classedobjects`)."""

    @property
    def holders(self) -> Container[str]: ...
    @property
    def places(self) -> Collection[Any]: ...


class BlockScopes:
    """The scopes of a program's blocks, by its text alone; if it is `told` what is likely, what is
    asked whether it is a record of a type is one that the program makes, and what is `told` holds
    what certain places make; if it `lays_out`, what parts are taken of is a list that it makes
    (Note [What is meant] in `advice.flow`)."""

    def __init__(
        self,
        program: il.Program,
        solution: Solution,
        absent: Container[Any],
        told: Told | None,
        lays_out: bool,
    ) -> None:
        self._solution = solution
        self._assumes = assumes = told is not None
        self._questions = questions(program, absent)
        self._tags = tags_asked(program) if assumes else {}
        self._laid_out = taken_apart(program) if lays_out else frozenset()
        self._told = told
        self._claimed: set[Any] = set()
        """What makes that which hold code may hold, as far as that was found."""
        self._scopes: dict[il.Block, Scope] = {}
        self._joins: dict[il.Block, tuple[Join, ...]] = {}
        self.refined: list[tuple[Slot, Slot]] = []
        """What a conditional asks about, and what goes on to one of its arms."""
        for item in program.items:
            self._body(item_block(item), {})

    @property
    def holders(self) -> Container[str]:
        """The variables that hold code of an interpreted program, and are none themselves."""
        return self._told.holders if self._told is not None else ()

    def of(self, block: il.Block) -> Scope:
        """What variables are called in a block."""
        return self._scopes[block]

    def joins(self, block: il.Block) -> tuple[Join, ...]:
        """What changes its name where the end of a block leads to a continuation."""
        return self._joins.get(block, ())

    # -- by text ---------------------------------------------------------------------------------

    def _body(self, root: il.Block, scope: Scope) -> None:
        """The scopes of a procedure's blocks, and of those within."""
        left = Counter(b.tail.cont for b in blocks(root) if type(b.tail) is not il.If)
        entries: dict[str, list[il.Block]] = {}
        work: list[tuple[il.Block, Scope, str]] = [(root, scope, "")]
        while work:
            block, scope, name = work.pop()
            if name in entries and left[name] == len(entries[name]):
                scope = self._joined(name, entries[name], scope)
            self._scopes[block] = scope
            for binding in block.bindings:
                if type(binding) is il.Fix:
                    for function in binding.functions:
                        self._body(function.body, scope)
                elif type(binding) is il.Conts:
                    work += [(one.body, scope, one.name) for one in binding.conts]
            tail = block.tail
            if type(tail) is not il.If:
                entries.setdefault(tail.cont, []).append(block)
                continue
            question = self._question(tail)
            for arm, holds in ((tail.then, True), (tail.otherwise, False)):
                inner = scope
                if question is not None:
                    inner = {**scope, question.subject: _in_arm(question, tail, holds)}
                work.append((arm, inner, ""))

    def _joined(self, cont: str, entries: list[il.Block], scope: Scope) -> Scope:
        """The scope of a continuation that is entered from these, and from nowhere else: what arms
        know that lead there is known."""
        found = dict(scope)
        scopes = [self._scopes[block] for block in entries]
        for name in sorted({name for entry in scopes for name in entry}):
            inner = {entry.get(name, name) for entry in scopes}
            if len(inner) == 1:
                found[name] = inner.pop()
            elif inner != {scope.get(name, name)}:
                found[name] = f"{name}{IN_ARM}{cont}"
                for block, entry in zip(entries, scopes, strict=True):
                    join = Join(entry.get(name, name), found[name])
                    self._joins[block] = (*self.joins(block), join)
        return found

    def _question(self, tail: il.If) -> Question | None:
        """What a conditional asks about a variable."""
        return self._questions.get(tail.test.name if type(tail.test) is il.Var else "")

    # -- what arms hold --------------------------------------------------------------------------

    def arms(self, block: il.Block, context: Context) -> list[tuple[il.Block, Slot | None]]:
        """The arms of the conditional that a block ends with, each with what holds there what the
        conditional asks about; it is a variable of its own."""
        tail = block.tail
        assert type(tail) is il.If
        question = self._question(tail)
        if question is None:
            return [(tail.then, None), (tail.otherwise, None)]
        name = question.subject
        whole = self._solution.node((context, self.of(block).get(name, name)))
        meant = None
        if self._assumes and type(question.about) is RecordType:
            meant = self._solution.meant.setdefault(("arm", id(tail)), Meant(is_record))
        arms: list[tuple[il.Block, Slot | None]] = []
        for arm, holds in ((tail.then, True), (tail.otherwise, False)):
            part = self._solution.node((context, _in_arm(question, tail, holds)))
            self.refined.append((whole, part))
            meant_here = meant if holds else None
            self._solution.watch(whole, partial(self._pass_on, part, question, holds, meant_here))
            arms.append((arm, part))
        return arms

    def _pass_on(
        self, part: Slot, question: Question, holds: bool, meant: Meant | None, token: Token
    ) -> None:
        """A value goes on to an arm if the answer may be the one that leads there; what turns out
        to be the empty list is that."""
        answer = question.answer(token)
        if answer is None and holds and question.about == "null?" and not self._assumes:
            self._solution.add(part, [NULL])
        elif answer is None and meant is not None and token != GROUND:
            meant.others.append((token, partial(self._solution.add, part, [token])))
        elif answer is None or answer == holds:
            if meant is not None:
                meant.is_found = True
            self._solution.add(part, [token])

    def meant_at(self, op: str, place: Any) -> Meant | None:
        """Of what a place is likely to read something, if that is known; see Note [What is
        meant]."""
        if not self._assumes:
            return None
        found = self._solution.meant.get(place)
        if found is None and op == "record-ref":
            found = self._solution.meant[place] = Meant(is_record)
        elif found is None and type(place.arguments[0]) is il.Var:
            tags = self._tags.get(place.arguments[0].name, ())
            if tags and op != "car" and not (op == "vector-ref" and index_of(place) == 0):
                found = Meant(lambda token: tag_of(token) in tags, self._claimed)
                self._solution.meant[place] = found
            elif not tags and place.arguments[0].name in self._laid_out:
                found = self._solution.meant[place] = Meant(is_listed)
            elif not tags and place.arguments[0].name in self.holders:
                found = self._solution.meant[place] = Meant(self._is_of_code, self._claimed)
            elif not tags and self._told is not None and self._told.places:
                found = Meant(lambda made: not self._is_of_code(made), self._claimed, True)
                self._solution.meant[place] = found
        return found

    def _is_of_code(self, made: Made) -> bool:
        """Whether what is made is made of code."""
        return self._told is not None and made.place in self._told.places


def _in_arm(question: Question, tail: il.If, holds: bool) -> str:
    """What the variable that a conditional asks about is called in one of its arms."""
    return f"{question.subject}{IN_ARM}{id(tail)}{holds}"


def is_listed(made: Made) -> bool:
    """Whether what is made is a list of several things, by one call."""
    place = made.place
    is_call = type(place) is il.Call and place.function == LIST and made.context[-1:] == (0,)
    return is_call and len(place.arguments) > 1


def is_record(made: Made) -> bool:
    """Whether what is made is a record."""
    return made.kind == "record"
