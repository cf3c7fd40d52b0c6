"""Lists that are only searched: a new entry takes the place of the one that it shadows.

    (define (execute s env) … ((set) (cons (cons (cadr s) (value …)) env)) …)
    (define (lookup name env) …)                       as in `advice.searches`

An interpreter that assigns a variable so, or binds it again in dynamic scope, gets a longer list
with each round of the interpreted program's loops.  But nothing asks for the entry behind that has
the same name.  So what `cons` makes is followed by `%rebound`: where all names are known, the new
entry stands in the place of the old one, and the list is as long as before.

Which lists nothing looks at but searches is found by the closure analysis of all runs
(`advice.assigned`), which leaves nothing out.  Where `set-car!` may give an entry another key,
there are none.

Law: the program means the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from cogen.lang import il
from cogen.lang.ilutil import all_blocks, primitives
from cogen.lang.prelude import in_prelude
from cogen.specializer.advice.assigned import Heap
from cogen.specializer.advice.flow import Place
from cogen.specializer.advice.lifts import Lift
from cogen.specializer.advice.rewriting import Rewriting, Seen
from cogen.specializer.advice.searches import Place as Look
from cogen.specializer.advice.searches import find_searches
from cogen.specializer.advice.structures import LIFTS, MAKES, PASSING, READS, WRITES
from cogen.specializer.advice.values import DATA_KINDS, Made, Slot, Token

REBOUND: Final = "%rebound"

_HANDING_ON: Final = (
    frozenset(MAKES) | LIFTS | PASSING | {REBOUND} | {"global-get", "global-set!", "%circular?"}
)
_TYPE_TESTS: Final = frozenset(
    {"null?", "pair?", "not", "symbol?", "number?", "integer?", "string?", "char?", "vector?"}
    | {"boolean?", "procedure?", "record-is?", "bytevector?"}
)
_FIRST: Final = frozenset({"car", "cdr", "set-car!", "set-cdr!", "eq?", "eqv?"})
"""Operations that look at the pair itself, and not at what is in it."""


def rebinding(program: il.Program, entry: str) -> tuple[il.Program, list[Lift]]:
    """The program with new entries in the place of those that they shadow, and what is to be told
    of the operations that make these; the same one if there are none."""
    candidates = _candidates(program) if "set-car!" not in primitives(program) else {}
    searches = find_searches(program) if candidates else set()
    if not searches:
        return program, []
    looked_at = _Looks(program, entry, searches).looked_at
    found = {let: candidates[let] for let in candidates if let not in looked_at}
    told = [Lift(let.name, let.span, "takes the place of what it shadows") for let in found]
    return (_Rebinding(found).rewritten(program) if found else program), told


def _candidates(program: il.Program) -> dict[il.Let, il.Atom]:
    """Operations of the user's that put a pair that was just made in front of a list, each with
    the list."""
    made = {
        let.name
        for block in all_blocks(program)
        for let in block.bindings
        if type(let) is il.Let and let.op == "cons" and not in_prelude(let.span)
    }
    return {
        let: let.arguments[1]
        for block in all_blocks(program)
        for let in block.bindings
        if type(let) is il.Let
        and let.op == "cons"
        and not in_prelude(let.span)
        and type(let.arguments[0]) is il.Var
        and type(let.arguments[1]) is il.Var
        and let.arguments[0].name in made
    }


class _Looks(Heap):
    """Which pairs anything looks at but searches, by the operations that make them."""

    def __init__(self, program: il.Program, entry: str, searches: set[Look]) -> None:
        self._searches = searches
        self._seen: list[tuple[Slot, bool]] = []
        """What is looked at, and whether what is in it is, too."""
        super().__init__(program, entry)

    @property
    def looked_at(self) -> set[Any]:
        """The operations."""
        found: set[Token] = set(self.escaped())
        for node, is_deep in self._seen:
            found |= _within(node.tokens) if is_deep else node.tokens
        return {made.place for made in found if type(made) is Made and made.kind == "pair"}

    def _operation(
        self, op: str, values: Sequence[Slot], result: Slot, place: Any, context: Any
    ) -> None:
        if op not in _HANDING_ON and op not in _TYPE_TESTS and place not in self._searches:
            looked_at = values[:-1] if op in WRITES else values
            if op in _FIRST or op not in READS | WRITES:
                self._seen += [(value, op not in _FIRST) for value in looked_at]
        super()._operation(op, values, result, place, context)

    def _select(self, call: il.Call, value: Slot, result: Slot) -> None:
        if call not in self._searches:
            self._seen.append((value, False))
        super()._select(call, value, result)

    def _spread(self, values: Sequence[Slot], result: Slot, place: Place) -> None:
        self._seen.append((values[-1], False))
        super()._spread(values, result, place)


def _within(tokens: Iterable[Token]) -> set[Token]:
    """What some values consist of."""
    found, work = set[Token](), list(tokens)
    while work:
        token = work.pop()
        if token not in found:
            found.add(token)
            if type(token) is Made and token.kind in DATA_KINDS:
                for part in token.parts.values():
                    work += part.tokens
    return found


class _Rebinding(Rewriting):
    """Puts `%rebound` behind operations, each with the list that it puts an entry in front of."""

    def __init__(self, found: dict[il.Let, il.Atom]) -> None:
        super().__init__()
        self._found = found

    def _let(self, let: il.Let, seen: Seen, bindings: list[il.Binding]) -> None:
        if let not in self._found:
            super()._let(let, seen, bindings)
            return
        made = il.Let(self._fresh(let.name), let.op, let.arguments, let.span)
        self._put(let, made, bindings)
        operands = (il.Var(made.name), let.arguments[0], self._found[let])
        bindings.append(il.Let(let.name, REBOUND, operands, let.span))
