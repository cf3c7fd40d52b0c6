"""Advice: what the arms of conditionals give that only a run decides.

    (define (walk t s)
      (if (variable? t)
          (let ((found (assoc t s)))
            (if found (walk (cdr found) s) t))     a run decides: t is to be data here
          t))                                      t decides itself: it stays what it is

Where one arm gives data of the run, and another something known, there is a version of what
follows for each.  A person who writes binding times by hand makes both data, in the arm: where no
such conditional was met, what is known stays so.  (Jones, Gomard and Sestoft 1993, section 4.4, on
the join of binding times at conditionals; here it is that of what is met on the way.)

A conditional that asks about nothing else than what an arm gives, or gives a part of, is decided
if that is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from cogen.lang import il
from cogen.specializer.advice.flow import Flow
from cogen.specializer.advice.structures import LIFTS, PASSING, READS
from cogen.specializer.advice.values import DATA, UNKNOWN, Slot

Names = frozenset[str]
Gift = tuple[il.Jump, int]
"""A jump, and which of its arguments is given."""


@dataclass(frozen=True)
class _Test:
    """A conditional on the way to a block: what it asks there, and what that is computed from."""

    block: il.Block
    asked: il.Atom
    sources: Names


class Arms:
    """The jumps in a procedure's arms that give something `is_known` where others give data:
    `gifts`."""

    def __init__(
        self, flow: Flow, function: il.Function, is_known: Callable[[Sequence[Slot]], bool]
    ) -> None:
        self._flow = flow
        self._is_known = is_known
        self._contexts = flow.contexts(function)
        self._lets: dict[str, il.Let] = {}
        self._conts: dict[str, il.Cont] = {}
        self._results: dict[str, il.Cont] = {}
        """The continuations by what they are given."""
        self._entries: dict[str, list[il.Block]] = {function.cont: []}
        self._outer: dict[il.Block, il.Block | None] = {}
        self._binder: dict[str, il.Block | None] = {function.cont: None}
        self._sources: dict[str, Names] = {}
        self._collect(function.body)
        self.gifts = list(self._found())

    def _collect(self, body: il.Block) -> None:
        """The blocks of the procedure, without those of procedures in it; each with the one that
        it is in."""
        work: list[tuple[il.Block, il.Block | None]] = [(body, None)]
        while work:
            block, outer = work.pop()
            self._outer[block] = outer
            for binding in block.bindings:
                if type(binding) is il.Let:
                    self._lets[binding.name] = binding
                elif type(binding) is il.Conts:
                    for cont in binding.conts:
                        self._conts[cont.name], self._binder[cont.name] = cont, block
                        self._results.update(dict.fromkeys(cont.parameters, cont))
                        work.append((cont.body, block))
            tail = block.tail
            if type(tail) is il.If:
                work += [(tail.then, block), (tail.otherwise, block)]
            else:
                self._entries.setdefault(tail.cont, []).append(block)

    # -- what conditionals are about -------------------------------------------------------------

    def _of(self, atoms: Iterable[il.Atom]) -> Names:
        """What atoms are computed from: parameters, and variables from outside."""
        return frozenset().union(*(self._of_one(a.name) for a in atoms if type(a) is il.Var))

    def _of_one(self, name: str) -> Names:
        known = self._sources.get(name)
        if known is None:
            self._sources[name] = frozenset([name])  # if it goes round
            known = frozenset([name])
            if name in self._lets:
                known = self._of(self._lets[name].arguments)
            elif name in self._results:
                known = self._of_result(self._results[name])
            self._sources[name] = known
        return known

    def _of_result(self, cont: il.Cont) -> Names:
        """What the values that a continuation is given are computed from."""
        found: Names = frozenset()
        for block in self._entries.get(cont.name, ()):
            tail = block.tail
            if type(tail) is il.Call:
                found |= self._of((tail.function, *tail.arguments))
            elif type(tail) is il.Jump:
                found |= self._of(tail.arguments)
            for test in self._tests(block, cont.name):
                found |= test.sources
        return found

    def _tests(self, block: il.Block, cont: str) -> Iterator[_Test]:
        """The conditionals on the way from where a continuation is bound to a block."""
        binder, inner, outer = self._binder[cont], block, self._outer[block]
        while outer is not None and inner is not binder:
            tail = outer.tail
            if type(tail) is il.If and (inner is tail.then or inner is tail.otherwise):
                yield _Test(outer, tail.test, self._of([tail.test]))
            inner, outer = outer, self._outer[outer]

    # -- what arms give --------------------------------------------------------------------------

    def _found(self) -> Iterator[Gift]:
        for cont, entries in self._entries.items():
            for block in entries if len(entries) > 1 else ():
                tail = block.tail
                if type(tail) is not il.Jump:
                    continue
                for number, atom in enumerate(tail.arguments):
                    if _is_data(self._taking(cont, number)) and self._is_gift(atom, block, cont):
                        yield tail, number

    def _taking(self, cont: str, number: int) -> list[Slot]:
        """Where an argument of a continuation goes."""
        return [self._flow.targets(cont, c, number + 1)[number] for c in self._contexts]

    def _is_gift(self, atom: il.Atom, block: il.Block, cont: str) -> bool:
        """Whether an arm gives something known where a run decides that it is this arm."""
        own = self._own(atom)
        return self._is_known(self._nodes(block, atom)) and any(
            not test.sources <= own and _is_data(self._nodes(test.block, test.asked))
            for test in self._tests(block, cont)
        )

    def _own(self, atom: il.Atom) -> Names:
        """The variable that an atom is, or a part of: it is known where that is."""
        while type(atom) is il.Var and atom.name in self._lets:
            let = self._lets[atom.name]
            if let.op in READS:
                atom = let.arguments[READS[let.op][0]]
            elif let.op in PASSING or let.op in LIFTS:
                atom = let.arguments[-1]
            else:
                return frozenset()
        return frozenset([atom.name]) if type(atom) is il.Var else frozenset()

    def _nodes(self, block: il.Block, atom: il.Atom) -> list[Slot]:
        return [self._flow.atom(context, block, atom) for context in self._contexts]


def _is_data(nodes: Iterable[Slot]) -> bool:
    return any(DATA in node.tokens or UNKNOWN in node.tokens for node in nodes)
