"""What variables are called where something is known of them: in the arms of conditionals that ask,
and in what several of them lead to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial

from cogen.lang import il
from cogen.lang.datum import RecordType
from cogen.lang.ilutil import blocks
from cogen.spec.advice.solution import Meant, Solution
from cogen.spec.advice.values import (
    GROUND,
    IN_ARM,
    Context,
    Made,
    Node,
    Question,
    Token,
    questions,
)

Scope = Mapping[str, str]
"""What variables are called where something is known of them."""


class Scopes:
    """The scopes of a program; if it `assumes` what is likely, what is asked whether it is a record
    of a type is one that the program makes (Note [What is meant] in `cogen.spec.advice.flow`)."""

    def __init__(self, program: il.Program, solution: Solution, *, assumes: bool) -> None:
        self._solution = solution
        self._assumes = assumes
        self._questions = questions(program)
        self._tails: dict[il.Block, Counter[str]] = {}
        self.refined: list[tuple[Node, Node]] = []
        """What a conditional asks about, and what goes on to one of its arms."""

    def entered_by(self, root: il.Block) -> Counter[str]:
        """How many tails of a procedure's body lead to each continuation."""
        found = self._tails.get(root)
        if found is None:
            tails = [block.tail for block in blocks(root)]
            found = Counter(tail.cont for tail in tails if type(tail) is not il.If)
            self._tails[root] = found
        return found

    def joined(self, cont: str, entries: list[Scope], context: Context, scope: Scope) -> Scope:
        """The scope of a continuation that is entered in these, and nowhere else: what arms know
        that lead there is known."""
        found = dict(scope)
        for name in sorted({name for entry in entries for name in entry}):
            inner = {entry.get(name, name) for entry in entries}
            if len(inner) == 1:
                found[name] = inner.pop()
            elif inner != {scope.get(name, name)}:
                found[name] = f"{name}{IN_ARM}{cont}"
                node = self._solution.node
                for one in inner:
                    self._solution.flow(node((context, one)), node((context, found[name])))
        return found

    def arms(self, tail: il.If, context: Context, scope: Scope) -> list[tuple[il.Block, Scope]]:
        """The arms of a conditional; in each, what it asks about is a variable of its own."""
        test = tail.test.name if type(tail.test) is il.Var else ""
        question = self._questions.get(test)
        if question is None:
            return [(tail.then, scope), (tail.otherwise, scope)]
        name = question.subject
        whole = self._solution.node((context, scope.get(name, name)))
        meant = None
        if self._assumes and type(question.about) is RecordType:
            meant = self._solution.meant.setdefault(("arm", id(tail)), Meant(is_record))
        arms: list[tuple[il.Block, Scope]] = []
        for arm, holds in ((tail.then, True), (tail.otherwise, False)):
            inner = f"{name}{IN_ARM}{id(tail)}{holds}"
            part = self._solution.node((context, inner))
            self.refined.append((whole, part))
            meant_here = meant if holds else None
            self._solution.watch(whole, partial(self._pass_on, part, question, holds, meant_here))
            arms.append((arm, {**scope, name: inner}))
        return arms

    def _pass_on(
        self, part: Node, question: Question, holds: bool, meant: Meant | None, token: Token
    ) -> None:
        """A value goes on to an arm if the answer may be the one that leads there."""
        answer = question.answer(token)
        if answer is None and meant is not None and token != GROUND:
            meant.others.append(partial(self._solution.add, part, [token]))
        elif answer is None or answer == holds:
            if meant is not None:
                meant.is_found = True
            self._solution.add(part, [token])


def is_record(made: Made) -> bool:
    """Whether what is made is a record."""
    return made.kind == "record"
