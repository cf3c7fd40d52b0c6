"""Loops of the language's own text that go through a list, which may be a circular one.

Where a procedure of lists may give an answer before it has seen the end (`memq`), it cannot look
ahead whether there is one.  So its loop looks every so many rounds: here are the loops that do,
wherever specialization, inlining or nesting have put them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from cogen.lang import il
from cogen.lang.chain import LANGUAGE, library_of
from cogen.lang.errors import Span
from cogen.lang.ilutil import blocks, bound_names, conts, functions

EXPECTED: Final = ": expected a list, got"
"""How the error of such a loop ends that finds something else than a list."""


TOGETHER: Final = frozenset({"map", "for-each"})
"""What may go through several lists at once, of which one has to end."""


@dataclass(frozen=True, slots=True)
class SearchRefusal:
    """The error of a loop that goes through lists, and the pairs of a list that the loop makes
    for the error only, in order.  What these are made of is in scope where the loop starts."""

    error: il.Let
    made: tuple[il.Let, ...]
    others: tuple[il.Atom, ...] = ()
    """Further lists that it goes through at the same time."""

    @property
    def name(self) -> str:
        """The name of the procedure."""
        message = self.error.arguments[0]
        assert type(message) is il.Const
        assert type(message.value) is str
        return searcher(message.value)

    @property
    def items(self) -> il.Atom:
        """The whole list."""
        return self.error.arguments[1]


def find_refusal(place: Span | None, body: il.Block) -> SearchRefusal | None:
    """The error of a loop that goes through a list.  None for other loops, and where the list
    cannot be told where the loop starts."""
    if library_of(place) != LANGUAGE:
        return None
    found: SearchRefusal | None = None
    for refusal in _refusals(body):
        if not is_of(place, refusal.name):
            continue  # of what comes after the loop
        if found is None:
            found = refusal
            if found.name not in TOGETHER:
                return found
        elif refusal.name == found.name and refusal.items not in (found.items, *found.others):
            others = (*found.others, refusal.items)
            found = SearchRefusal(found.error, (*found.made, *refusal.made), others)
    return found


def _refusals(body: il.Block) -> Iterator[SearchRefusal]:
    """The errors of a loop that go through lists which can be told where it starts."""
    bound: set[str] = set()
    pairs: dict[str, il.Let] = {}
    for block in _own_blocks(body):
        bound.update(bound_names(block))
        for binding in block.bindings:
            if type(binding) is not il.Let:
                continue
            if binding.op == "cons":
                pairs[binding.name] = binding
            elif binding.op == "error" and is_refusal(binding.arguments):
                made = _pairs_of(binding.arguments[1], bound, pairs)
                if made is not None:
                    yield SearchRefusal(binding, made)


DEFINE: Final = "\n(define ("
"""How definitions begin in the language's own text."""

PAIRWISE: Final = "-pairwise"
"""How what goes through two lists for a procedure is called after it."""

SIDE_BY_SIDE: Final = frozenset({"%all-pairs?", "%both-pairs?"})
"""What says for `TOGETHER` whether all of their lists go on."""

COPY: Final = "%list-copy"
"""What says nothing of what is no list: it copies it."""


def is_of(place: Span | None, *names: str) -> bool:
    """Whether a place in the language's own text is in what carries out a procedure of these names,
    itself or another procedure for it."""
    found = _definition_at(place)
    together = found in SIDE_BY_SIDE and not TOGETHER.isdisjoint(names)
    return together or found.strip("%*").removesuffix(PAIRWISE) in names


def _definition_at(place: Span | None) -> str:
    """The name of the definition of the language's own text that a place is in."""
    if place is None:
        return ""
    text = place.source.text
    start = text.rfind(DEFINE, 0, place.start + len(DEFINE)) + len(DEFINE)
    return text[start : start + 80].split(maxsplit=1)[0].rstrip(")")


def refusal_of(function: il.Function) -> SearchRefusal | None:
    """The error of a procedure that goes through a list, or goes through it by its recursion."""
    place = function.span
    if library_of(place) != LANGUAGE or not calls_itself(function):
        return None
    if _definition_at(place) == COPY and len(function.parameters) == 1:
        (items,) = function.parameters
        arguments = il.Const(f"list-copy{EXPECTED}"), il.Var(items)
        return SearchRefusal(il.Let("", "error", arguments, place), ())
    return find_refusal(place, function.body)


def _own_blocks(body: il.Block) -> Iterator[il.Block]:
    """The blocks of a loop, outer before inner, those of procedures last, without what is a loop
    inside it: that has errors of its own."""
    work = deque([body])
    while work:
        block = work.pop()
        yield block
        within = [cont.body for cont in conts(block) if not jumps(cont.body, cont.name)]
        if type(block.tail) is il.If:
            within += [block.tail.then, block.tail.otherwise]
        work.extend(reversed(within))
        work.extendleft(f.body for f in functions(block) if not calls_itself(f))


def _pairs_of(
    items: il.Atom, bound: set[str], pairs: dict[str, il.Let]
) -> tuple[il.Let, ...] | None:
    """The pairs that a list is made of, the inner ones first, up to what is not `bound`; None if
    something else is bound."""
    needed: set[str] = set()
    work = [items]
    while work:
        atom = work.pop()
        if type(atom) is not il.Var or atom.name not in bound or atom.name in needed:
            continue
        if atom.name not in pairs:
            return None
        needed.add(atom.name)
        work.extend(pairs[atom.name].arguments)
    return tuple(let for name, let in pairs.items() if name in needed)


def jumps(body: il.Block, name: str) -> bool:
    """Whether code jumps to a continuation."""
    return any(type(block.tail) is il.Jump and block.tail.cont == name for block in blocks(body))


def calls_itself(function: il.Function) -> bool:
    """Whether a procedure calls itself."""
    own = il.Var(function.name), il.Global(function.name)
    tails = (block.tail for block in blocks(function.body))
    return any(type(tail) is il.Call and tail.function in own for tail in tails)


def is_refusal(arguments: tuple[il.Atom, ...]) -> bool:
    """Whether an error says that a procedure expects a list."""
    first = arguments[0] if len(arguments) == 2 else None
    return type(first) is il.Const and type(first.value) is str and first.value.endswith(EXPECTED)


def searcher(message: str) -> str:
    """The name of the procedure, from the message of the error."""
    return message.removesuffix(EXPECTED)
