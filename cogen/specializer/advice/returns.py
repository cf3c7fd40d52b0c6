"""Advice: where a machine goes back to, of numbers that it keeps in a vector among data of the run.

    (define (step pc sp)
      (let ((op (vector-ref code pc)))
        … ((call) (vector-set! stack sp (+ pc 1)) (step target (+ sp 1)))
          ((return) (step (vector-ref stack (- sp 1)) (- sp 1))) …))

An index into what is static, as `pc`, *steers*: it must be known.  If it may come back from a
structure that data of the run are in, too, it is asked for which of the *points* it is that have
been kept (`%one-of`, `%point`; `versions.points`).  What is kept is computed from such an index.

With each point kept, the interpreted program may be one call deeper, so what indexes vectors and
counts is made dynamic where the machine goes on from there: as arguments of the next tail call, or
in the variables that are assigned.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

from cogen.lang import il
from cogen.lang.components import components, reached
from cogen.lang.ilutil import conts, item_block, own_blocks
from cogen.specializer.advice.bounds import Stop
from cogen.specializer.advice.flow import Flow
from cogen.specializer.advice.lifts import Lifts
from cogen.specializer.advice.structures import ANY, MAKES, WRITES
from cogen.specializer.advice.values import DATA, GROUND, UNKNOWN, Made, Slot

_KEEPING: Final = (MAKES.keys() | WRITES.keys()) - {"make-cell", "cell-set!", "values"}
"""Operations that put something among other things: a variable that is assigned is no such."""


class BlockPlace(NamedTuple):
    """A block, and the procedure that it is in."""

    function: il.Function
    block: il.Block


class Returns:
    """BlockPlace a program keeps points and asks for them."""

    def __init__(self, flow: Flow, functions: Sequence[il.Function]) -> None:
        self._flow = flow
        self._lifts = Lifts(flow.program)
        self._is_kept = False
        self._handing: list[tuple[il.Function, str]] = []
        """Parameters of procedures that keep points, and other things."""
        self._places = [BlockPlace(f, block) for f in functions for block in own_blocks(f.body)]
        self._conts = {cont.name: cont for _, block in self._places for cont in conts(block)}
        links = _CopyLinks(flow)
        kept = links.keeping(links.steering(i for h, i in flow.indexed if _is_code(h, ())))
        codes = [index for held, index in flow.indexed if _is_code(held, kept)]
        self._steering = links.steering(codes)
        self._pure = links.pure(self._steering, links.seeds(codes))
        kept = links.keeping(self._steering)
        indices = [index for held, index in flow.indexed if not _is_known(held, kept)]
        self._counters = links.before(indices) & links.after(links.counting())
        back = links.after(n for one in kept for part in one.parts.values() for n in part.next)
        self._coming_back = back & set(codes)
        self._cells = dict(_cells_seen(flow.program))

    def lifts(self) -> Lifts | None:
        """What is to be put into the program; None if it keeps no points."""
        if not self._coming_back or not self._keep():
            return None
        for where in self._places:
            for let in where.block.bindings:
                if type(let) is il.Let and let.op == "vector-ref":
                    index = let.arguments[1]
                    if any(self._among(where, index, self._coming_back)):
                        assert type(index) is il.Var
                        self._lifts.asked(where.function, index.name)
        return self._lifts

    def count_at(self, stops: Iterable[Stop], lifts: Lifts) -> Lifts:
        """Lifts, and of what counts where other things are given up because they grow: a machine's
        stack pointer is made dynamic where its stack of return addresses is, and nowhere else."""
        calls = {arc.call for arc, _ in stops}
        found = lifts.stopped(())
        for where in self._places:
            if where.block.tail in calls:
                self._count(where, found)
        return found

    # -- what is kept ----------------------------------------------------------------------------

    def _keep(self) -> bool:
        """Mark points where they are kept, by an operation or a procedure; are there any?"""
        for where in self._places:
            for let in where.block.bindings:
                if type(let) is il.Let and let.op in _KEEPING:
                    for atom in let.arguments:
                        self._mark(where, atom, partial(self._lifts.kept, let))
        for target, name in self._handing:
            number = target.parameters.index(name)
            for where, call in self._calls(target):
                self._mark(where, call.arguments[number], partial(self._lifts.handed, call, number))
        return self._is_kept

    def _mark(self, where: BlockPlace, atom: il.Atom, how: Callable[[il.Var], None]) -> None:
        """Mark what is put somewhere, if it is a point; if it may be one, those who gave it do."""
        if type(atom) is not il.Var or not any(self._among(where, atom, self._steering)):
            return
        given = where.function, atom.name
        if all(self._among(where, atom, self._pure)):
            how(atom)
            self._go_on(where)
            self._is_kept = True
        elif atom.name in where.function.parameters and given not in self._handing:
            self._handing.append(given)

    def _calls(self, target: il.Function) -> Iterator[tuple[BlockPlace, il.Call]]:
        """The calls of a procedure."""
        for where in self._places:
            call = where.block.tail
            if type(call) is not il.Call or len(call.arguments) != len(target.parameters):
                continue
            if type(call.function) is il.Global:
                is_called = call.function.name == target.name
            else:
                is_called = target in self._flow.called(where.function, call.function)
            if is_called:
                yield where, call

    # -- what counts -----------------------------------------------------------------------------

    def _go_on(self, where: BlockPlace) -> None:
        """What counts is made dynamic at the calls that end the procedure from there on."""
        work = [where.block]
        for block in work:
            tail = block.tail
            if type(tail) is il.If:
                work += [tail.then, tail.otherwise]
            elif tail.cont in self._conts:
                body = self._conts[tail.cont].body
                work += [] if body in work else [body]
            elif type(tail) is il.Call:
                self._count(BlockPlace(where.function, block), self._lifts)

    def _count(self, where: BlockPlace, lifts: Lifts) -> None:
        """What counts is made dynamic at the call that ends a block."""
        call = where.block.tail
        assert type(call) is il.Call
        numbers = [
            number
            for number, atom in enumerate(call.arguments)
            if any(self._among(where, atom, self._counters))
        ]
        lifts.counted(call, numbers, self._counting_cells(where.block))

    def _counting_cells(self, block: il.Block) -> list[str]:
        """The variables that are assigned, seen in a block, and count."""
        seen = self._cells.get(block, frozenset())
        made = self._flow.solution.made.values()
        return sorted(
            {
                one.place.name
                for one in made
                if type(one.place) is il.Let
                and one.place.name in seen
                and one.part(0) in self._counters
            }
        )

    def _among(self, where: BlockPlace, atom: il.Atom, nodes: set[Slot]) -> Iterator[bool]:
        """Whether a variable is among some nodes, by context."""
        if type(atom) is il.Var:
            for context in self._flow.contexts(where.function):
                yield self._flow.atom(context, where.block, atom) in nodes


class _CopyLinks:
    """What nodes are copied to, or computed from; not through structures."""

    def __init__(self, flow: Flow) -> None:
        made = flow.solution.made.values()
        owners = {
            part: one
            for one in made
            if one.kind == "vector" and not _is_cell(one)
            for part in one.parts.values()
        }
        self._puts = [
            (node, owners[part])
            for node in flow.solution.all_nodes()
            for part in node.next
            if part in owners
        ]
        self._renamed = set(flow.scopes.refined)
        self._cells = {part for one in made if _is_cell(one) for part in one.parts.values()}
        self._cells |= {node for key, node in flow.solution.nodes.items() if key[0] == "global"}
        structures = {part for one in made if not _is_cell(one) for part in one.parts.values()}
        self._computed = {(one, result) for several, result in flow.computed for one in several}
        self._next: dict[Slot, dict[Slot, None]] = defaultdict(dict)
        self._previous: dict[Slot, dict[Slot, None]] = defaultdict(dict)
        self._read = {target for part in structures for target in part.next}
        links = [(node, target) for node in flow.solution.all_nodes() for target in node.next]
        named = set(flow.solution.nodes.values())  # the others are constants
        links += [*flow.scopes.refined, *(pair for pair in self._computed if pair[0] in named)]
        for source, target in links:
            if source not in structures and target not in structures:
                self._next[source][target] = None
                self._previous[target][source] = None

    def keeping(self, nodes: Container[Slot]) -> set[Made]:
        """The vectors that some nodes are put into."""
        return {made for node, made in self._puts if node in nodes}

    def seeds(self, indices: Iterable[Slot]) -> set[Slot]:
        """Indices, and the variables that are assigned and that they are read from."""
        work = list(indices)
        found = set(work)
        for node in work:
            before = {n for n in self._previous.get(node, ()) if (n, node) in self._renamed}
            before |= {n for n in self._previous.get(node, ()) if n in self._cells}
            work += before - found
            found |= before
        return found

    def steering(self, indices: Iterable[Slot]) -> set[Slot]:
        """What is copied or computed from seeds."""
        return self.after(self.seeds(indices))

    def pure(self, steering: set[Slot], seeds: set[Slot]) -> set[Slot]:
        """What is copied or computed from nothing else."""
        found = steering - (self._read - seeds)
        size = -1
        while len(found) != size:
            size = len(found)
            found = {n for n in found if n in seeds or found.issuperset(self._previous.get(n, ()))}
        return found

    def after(self, nodes: Iterable[Slot]) -> set[Slot]:
        """What is copied or computed from nodes, themselves too."""
        return reached(nodes, self._next)

    def before(self, nodes: Iterable[Slot]) -> set[Slot]:
        """What nodes are copied or computed from, themselves too."""
        return reached(nodes, self._previous)

    def counting(self) -> Iterator[Slot]:
        """Numbers that are computed from themselves."""
        nodes = [*self._next, *(n for n in self._previous if n not in self._next)]
        for group in components(nodes, lambda node: self._next.get(node, ())):
            members = set(group)
            if any(
                (a, b) in self._computed
                for a in group
                for b in self._next.get(a, ())
                if b in members
            ):
                yield from group


def _is_cell(made: Made) -> bool:
    return type(made.place) is il.Let and made.place.op == "make-cell"


def _is_code(held: Slot, kept: Container[Made]) -> bool:
    """Whether what is indexed may be known as a whole: no points are kept in it."""
    return any(
        token == GROUND or (type(token) is Made and token not in kept and not _has_data(token))
        for token in held.tokens
    )


def _is_known(held: Slot, kept: Container[Made]) -> bool:
    """Whether what is indexed is no vector that holds data of the run, or points."""
    return not any(type(one) is Made and (one in kept or _has_data(one)) for one in held.tokens)


def _has_data(made: Made) -> bool:
    return not {DATA, UNKNOWN}.isdisjoint(made.part(ANY).tokens)


def _cells_seen(program: il.Program) -> Iterator[tuple[il.Block, frozenset[str]]]:
    """The variables that are assigned, by the blocks that see them."""
    work = [(item_block(item), frozenset[str]()) for item in program.items]
    while work:
        block, seen = work.pop()
        for binding in block.bindings:
            if type(binding) is il.Let:
                seen |= {binding.name} if binding.op == "make-cell" else set()
            else:
                inside = binding.functions if type(binding) is il.Fix else binding.conts
                work += [(one.body, seen) for one in inside]
        yield block, seen
        if type(block.tail) is il.If:
            work += [(block.tail.then, seen), (block.tail.otherwise, seen)]
