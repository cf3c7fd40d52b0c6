"""Which variables hold data of the run in some cases, and what is known in others.

That is found of the values that get to them (`advice.flow`), for `advice.advise`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Final

from cogen.lang import il
from cogen.lang.components import reached
from cogen.lang.ilutil import blocks, functions, item_block
from cogen.specializer.advice.accumulators import collecting, searched
from cogen.specializer.advice.bounds import Bounds, Variable
from cogen.specializer.advice.flow import Flow
from cogen.specializer.advice.holders import Holders
from cogen.specializer.advice.lifts import Lifts
from cogen.specializer.advice.sizes import Sizes
from cogen.specializer.advice.texts import is_user, own_variables, results
from cogen.specializer.advice.values import (
    DATA,
    DATA_KINDS,
    GROUND,
    KNOWN,
    TRUTH,
    UNKNOWN,
    Made,
    Slot,
    holds_values,
    is_mixed,
    is_pair,
    is_procedure,
    leads_to,
)

MOST_MIXED: Final = 0.5
"""The part of a program's variables that may hold data and known values; where more seem to, the
analysis was too coarse."""


class Mixed:
    """What is mixed in the values of a program."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.nodes: set[Slot] = {n for n in flow.solution.all_nodes() if is_mixed(n)}
        self.functions = self._functions()
        """The user's procedures that may run, in the order of the program."""
        self.variables = self._variables()
        """The variables of the user's procedures that hold data and known values, in whichever
        context."""

    @property
    def is_too_coarse(self) -> bool:
        """Whether too many variables seem to hold data and known values."""
        every = sum(1 for function in self.functions for _ in own_variables(function))
        return len(self.variables) > MOST_MIXED * every

    @cached_property
    def cut(self) -> frozenset[str]:
        """The names of the variables."""
        return frozenset(name for _, name in self.variables)

    @cached_property
    def sizes(self) -> Sizes:
        """How values compare along calls."""
        return Sizes(self.flow.program, self.cut, self.flow.called)

    @cached_property
    def bounds(self) -> Bounds:
        """What grows."""
        return Bounds(self.flow, self.sizes)

    @cached_property
    def has_procedures(self) -> bool:
        """Whether there are procedures among what the variables hold."""
        return any(self._holds_procedures(function, name) for function, name in self.variables)

    def lifted_values(self) -> Lifts:
        """Lifts of values, where variables get them that hold data of the run as well."""
        values = Lifts(self.flow.program)
        for function, name in self.variables:
            values.variable(function, name)
        holders = Holders(self.flow, self.functions, self.nodes)
        for let, names in holders.parts():
            values.operands(let, names)
        for place in holders.recursive(self._is_tag()):
            values.result(place)
        for function in self._giving_to_library():
            values.returned(function)
        for let, name in collecting(self.flow, self.functions):
            values.collected(let, name)
        return values

    def _is_tag(self) -> Callable[[Slot], bool]:
        """What tells whether nodes hold pieces of what is static that name a kind of value and
        steer nothing: a constructor, but not the class of an object, which is searched for."""
        flow = self.flow
        steered = searched(flow, self.functions)
        for entry in elements(steered):
            steered.add(entry.part("car"))
        for function, context in flow.bodies:
            if not is_user(function):
                steered |= {flow.variable(context, name) for name in own_variables(function)}
        steered |= self._nodes_of(self.bounds.anchors)
        steering = self._leading_to(steered)
        return lambda node: node.tokens == {GROUND} and node not in steering

    def _nodes_of(self, variables: Iterable[Variable]) -> set[Slot]:
        """The nodes of variables in all contexts."""
        flow = self.flow
        return {flow.variable(c, name) for f, name in variables for c in flow.contexts(f)}

    def _variables(self) -> list[Variable]:
        found: list[Variable] = []
        for function in self.functions:
            contexts = self.flow.contexts(function)
            for name in own_variables(function):
                nodes = [self.flow.variable(context, name) for context in contexts]
                nodes = [node for node in nodes if node.tokens]
                dynamic = nodes and all(n.tokens & {DATA, UNKNOWN} for n in nodes)
                if dynamic and any(map(holds_values, nodes)):
                    found.append((function, name))
        return found

    def _giving_to_library(self) -> Iterable[il.Function]:
        """The user's procedures that give data in some cases and known values in others, to a
        procedure of the library that calls them: no variable of the user's holds these."""
        flow = self.flow
        variables = {
            flow.variable(context, name)
            for function, context in flow.bodies
            if not is_user(function)
            for name in results(function)
        }
        for function in self.functions:
            nodes = [flow.given(context, function) for context in flow.contexts(function)]
            nodes = [node for node in nodes if node.tokens]
            to_library = any(not variables.isdisjoint(node.next) for node in nodes)
            dynamic = all(node.tokens & {DATA, UNKNOWN} for node in nodes)
            if to_library and dynamic and any(map(holds_values, nodes)):
                yield function

    def _holds_procedures(self, function: il.Function, name: str) -> bool:
        """Whether a variable may hold procedures, in whichever context."""
        return any(
            is_procedure(token)
            for context in self.flow.contexts(function)
            for token in self.flow.variable(context, name).tokens
        )

    def is_procedure(self, function: il.Function, name: str) -> bool:
        """Whether a variable holds procedures and nothing else, continuations for instance."""
        nodes = [self.flow.variable(context, name) for context in self.flow.contexts(function)]
        tokens = {token for node in nodes for token in node.tokens}
        return all(map(is_procedure, tokens))

    def _code(self, anchors: Iterable[Variable]) -> set[Made]:
        """What is made that holds a piece of what is static which the program goes into: a record
        for a procedure of the interpreted program, with its body."""
        flow = self.flow
        going = self._nodes_of(anchors)
        found = {
            made
            for made in flow.solution.made.values()
            if any(map(leads_to(going), _ground_parts(made)))
        }
        lists = {made for made in flow.solution.made.values() if made.kind == "pair"} - found
        while more := {made for made in lists if found & made.part("cdr").tokens}:
            found |= more
            lists -= more
        return found

    def uniform_variables(self, anchors: Sequence[Variable]) -> list[Variable]:
        """The results of calls and conditionals in the user's procedures that are data of the run
        in some contexts and in some are known."""
        is_known = self.known(anchors)
        found: list[Variable] = []
        for function in self.functions:
            contexts = self.flow.contexts(function)
            for name in results(function):
                nodes = [self.flow.variable(context, name) for context in contexts]
                if any(node.tokens & {DATA, UNKNOWN} for node in nodes) and is_known(nodes):
                    found.append((function, name))
        return found

    def joined_variables(self) -> Iterable[Variable]:
        """The results of calls and conditionals that are data of the run in some cases, and truth
        values that are known in others."""
        for function in self.functions:
            contexts = self.flow.contexts(function)
            for name in results(function):
                tokens = {t for c in contexts for t in self.flow.variable(c, name).tokens}
                if TRUTH in tokens and tokens & {DATA, UNKNOWN}:
                    yield function, name

    def known(self, anchors: Sequence[Variable]) -> Callable[[Sequence[Slot]], bool]:
        """What tells whether nodes hold something known that is no procedure, and no code: with a
        piece of what is static that leads to an anchor."""
        code, steering = self._code(anchors), self._leading_to(self._nodes_of(anchors))

        def is_known(nodes: Sequence[Slot]) -> bool:
            known = {token for node in nodes for token in node.tokens} - {DATA, UNKNOWN, TRUTH}
            procedures = any(map(is_procedure, known))
            is_code = not code.isdisjoint(known) and not steering.isdisjoint(nodes)
            return bool(known) and not procedures and not is_code

        return is_known

    def _leading_to(self, nodes: Iterable[Slot]) -> set[Slot]:
        """The nodes that lead to some, as they are or by what is read of them."""
        flow = self.flow
        sources: dict[Slot, list[Slot]] = defaultdict(list)
        for node in flow.solution.all_nodes():
            for target in node.next:
                sources[target].append(node)
        for source, target in (*flow.scopes.refined, *flow.solution.reads):
            sources[target].append(source)
        return reached(nodes, sources)

    def _functions(self) -> list[il.Function]:
        running = {function for function, _ in self.flow.bodies}
        found: list[il.Function] = []
        for item in self.flow.program.items:
            if isinstance(item, il.Define):
                found.append(item.function)
            for block in blocks(item_block(item)):
                found += functions(block)
        return [function for function in found if function in running and is_user(function)]


def _ground_parts(made: Made) -> list[Slot]:
    """The parts of what is made that hold pieces of what is static, and nothing else."""
    if made.kind not in DATA_KINDS:
        return []
    return [part for part in made.parts.values() if part.tokens and part.tokens <= KNOWN]


def elements(nodes: Iterable[Slot]) -> set[Made]:
    """The pairs that are elements of lists which some nodes hold."""
    spines = {token for node in nodes for token in node.tokens if is_pair(token)}
    work = list(spines)
    while work:
        fresh = {t for t in work.pop().part("cdr").tokens if is_pair(t)} - spines
        spines |= fresh
        work += fresh
    return {token for one in spines for token in one.part("car").tokens if is_pair(token)}
