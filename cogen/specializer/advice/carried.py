"""Advice for programs on memory: numbers that loops carry from sample to sample.

    (let loop ((s in) (o out) (run 0) (level 0))
      ... (loop (signal-next s) (signal-next o) 0 (clamp (+ level x) 0 88))
      ... (loop (signal-next s) (signal-next o) (+ run 1) level))

A number that is known in some rounds and data of the run in others, or that counts while only a run
decides how often, gives a version of the loop for each of its values, and where there are several,
for each combination, at each place of a word.  As binding times that are found before
specialization it is data of the run in all: it is lifted where it goes round.

Left as they are: numbers that decide, known, how the loop goes on, as those of its rounds; those
that addresses are computed from; and states, which are only copied and looked at.

Law: advice only; the specializer means the same with any of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Final

from cogen import binding_times
from cogen.lang import il
from cogen.lang.components import reached
from cogen.lang.ilutil import atoms, blocks, conts, own_blocks
from cogen.lang.prims import PRIMITIVES
from cogen.specializer.advice.advisedprogram import NUMBERS, AdvisedProgram
from cogen.specializer.advice.counters import Counters
from cogen.specializer.advice.flow import Flow
from cogen.specializer.advice.lifts import Lifts
from cogen.specializer.advice.mixed import Mixed
from cogen.specializer.advice.texts import results
from cogen.specializer.advice.values import DATA, NUMBER, TRUTH, UNKNOWN, Context, Slot, Token

_ADDRESSED: Final = frozenset({"load-word", "store-word!", "store-bits!"})
"""Operations whose second operand is an address."""
_NUMBERS: Final = frozenset({DATA, UNKNOWN, NUMBER})


class _ElementsAtData(Flow):
    """The same, but what is read at an index that only a run knows is data of the run too."""

    def _operation(
        self, op: str, values: Sequence[Slot], result: Slot, place: Any, context: Context
    ) -> None:
        super()._operation(op, values, result, place, context)
        if op == "vector-ref" and len(values) > 1:

            def watcher(token: Token) -> None:
                if token in (DATA, UNKNOWN):
                    self.solution.add(result, [token])

            self.solution.watch(values[1], watcher)


def carried_numbers(
    program: il.Program, entry: str, bts: Sequence[binding_times.BT]
) -> Iterator[AdvisedProgram]:
    """The step in which they are lifted, if there are any."""
    flow = _ElementsAtData(program, entry, bts)
    mixed = Mixed(flow)
    counting = set(Counters(flow, mixed.bounds).numbers)
    links, addresses = _links(flow)
    lifts = Lifts(program)
    lifted: set[Slot] = set()
    for function in dict.fromkeys(mixed.bounds.unbounded()):
        contexts = flow.contexts(function)
        tests = {flow.variable(c, name) for name in _deciding(function) for c in contexts}
        if any(node.tokens for node in tests) and all(node.tokens <= {TRUTH} for node in tests):
            continue  # it has an end that is known
        for name in function.parameters:
            nodes = [flow.variable(context, name) for context in contexts]
            if not (_is_mixed(nodes) or (function, name) in counting):
                continue
            found = reached(nodes, links)
            decides = any(TRUTH in node.tokens for node in found & tests)
            if not decides and found.isdisjoint(addresses):
                lifts.counter(function, name)
                lifted.update(nodes)
    for function in mixed.functions:
        for name in results(function):
            nodes = [flow.variable(context, name) for context in flow.contexts(function)]
            if _is_mixed(nodes) and any(not lifted.isdisjoint(node.next) for node in nodes):
                lifts.counter(function, name)
    if lifts.lifts:
        yield AdvisedProgram(lifts.program("%lift-value"), tuple(lifts.lifts), of=NUMBERS)


def _deciding(function: il.Function) -> Iterator[str]:
    """The variables by which it is decided in a loop which of the procedures around goes on, or
    none."""
    bodies = {cont.name: cont.body for b in own_blocks(function.body) for cont in conts(b)}

    def names(root: il.Block) -> frozenset[str]:
        seen: set[str] = set()
        found: set[str] = set()
        work = [root]
        while work:
            one = work.pop()
            for block in blocks(one):
                found |= {a.name for a in atoms(block) if isinstance(a, il.Var | il.Global)}
                after = getattr(block.tail, "cont", None)
                if after in bodies and after not in seen:
                    seen.add(after)
                    work.append(bodies[after])
        return frozenset(found)

    for block in own_blocks(function.body):
        if type(block.tail) is il.If and type(block.tail.test) is il.Var:
            then, otherwise = names(block.tail.then), names(block.tail.otherwise)
            if (function.name in then) != (function.name in otherwise):
                yield block.tail.test.name


def _is_mixed(nodes: Sequence[Slot]) -> bool:
    """Whether a variable holds numbers, data of the run and known ones."""
    tokens = {token for node in nodes for token in node.tokens}
    return NUMBER in tokens and len(tokens) > 1 and tokens <= _NUMBERS


def _links(flow: Flow) -> tuple[dict[Slot, list[Slot]], set[Slot]]:
    """What is computed from what, or copied, or read of it; and which are addresses."""
    links: dict[Slot, list[Slot]] = defaultdict(list)
    addresses: set[Slot] = set()
    for node in flow.solution.all_nodes():
        links[node] += node.next
    for source, target in (*flow.scopes.refined, *flow.solution.reads):
        links[source].append(target)
    for function, context in flow.bodies:
        for block in own_blocks(function.body):
            for let in block.bindings:
                if type(let) is not il.Let or (row := PRIMITIVES.get(let.op)) is None:
                    continue
                operands = [flow.atom(context, block, atom) for atom in let.arguments]
                if row.result in ("int", "float", "number", "bool"):
                    for operand in operands:
                        links[operand].append(flow.variable(context, let.name))
                if let.op in _ADDRESSED:
                    addresses |= set(operands[1:2])
    return links, addresses
