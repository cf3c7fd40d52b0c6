"""What is found out about a program once, for all its specializations."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Sequence
from typing import Final

from cogen import binding_times
from cogen.lang import il
from cogen.lang.errors import Span
from cogen.specializer.advice.absent import find_absent
from cogen.specializer.advice.advise import Advice
from cogen.specializer.advice.advisedprogram import NUMBERS, AdvisedProgram
from cogen.specializer.advice.assigned import Assignable, find_assignable
from cogen.specializer.advice.carried import carried_numbers
from cogen.specializer.advice.given import shape
from cogen.specializer.advice.runtests import RunTests
from cogen.specializer.advice.steps import AdvicePart, AdviceSteps
from cogen.specializer.advice.texts import is_advised
from cogen.specializer.analyses.callee import Callee
from cogen.specializer.analyses.library import Library
from cogen.specializer.analyses.looking import Looking
from cogen.specializer.analyses.outright import Computing
from cogen.specializer.analyses.plan import Plan
from cogen.specializer.analyses.searching import Searching
from cogen.specializer.analyses.tailcalls import TailCalls
from cogen.specializer.programs.liveness import Liveness, Names
from cogen.specializer.programs.mutation import find_mutations
from cogen.specializer.programs.naming import Naming
from cogen.specializer.programs.rounds import Rounds

REMEMBERED: Final = 4
"""Programs whose analyses are kept, those that were specialized last."""

MOST_ADVISED: Final = 2
"""Entries and shapes of binding times whose advice is kept for each of them."""


class Analyses:
    """Facts of a program, found when they are first asked for; `plans` are those for the usual
    rules of operations."""

    def __init__(self, program: il.Program) -> None:
        self.liveness = Liveness()
        self.naming = Naming(program)
        self.mutations = find_mutations(program)
        self.rounds = Rounds(program)
        self.library = Library(program, self.rounds)
        self.looking = Looking()
        self.computing = Computing(program)
        self.searching = Searching(program, self.liveness)
        self.tail_calls = TailCalls()
        self.opens = False
        """Whether there are boxes that open, or hold code (`versions.families`)."""
        self.called: frozenset[str] = frozenset()
        """Procedures of which calls are residual where nothing is known (`advice.libraries`)."""
        self.compiled: object = None
        """The procedures of the program in Python, once there are some (`cogen.generating`)."""
        self.left_out: set[Span | None] = set()
        """Expressions of the top level that cannot be carried out ahead."""
        self.gain: dict[il.Function, int] = {}
        """By procedure: how many calls its code has carried out, less what it costs to leave it."""
        self.plans: dict[il.Block, Plan] = {}
        self._program = program
        self._defined: dict[int, str] = {}
        self._assignable: dict[str, Assignable] = {}
        self._swapped: dict[il.If, il.If] = {}
        self._live_after: dict[tuple[il.Block, int], Names] = {}
        self._callees: dict[il.Function, Callee] = {}
        self._advice: dict[Hashable, AdviceSteps] = {}
        self._run_tests: tuple[Hashable, RunTests] | None = None
        self._advised: dict[int, Analyses] = {}
        """Of the programs with lifts put in, by id."""

    def assignable(self, entry: str) -> Assignable:
        """Which pairs the assignments of the program get, if this is its entry."""
        found = self._assignable.get(entry)
        if found is None:
            found = self._assignable[entry] = find_assignable(self._program, entry)
        return found

    def advice(
        self, entry: str, bts: Sequence[binding_times.BT], of_memory: bool = False
    ) -> AdviceSteps:
        """What there is to say about the program, from the mildest on; where buffers are read and
        written, only of numbers (`advice.carried`)."""
        key = entry, shape(bts), find_absent(self._program, entry, bts)
        found = self._advice.get(key)
        if found is None or found.is_broken:
            if len(self._advice) == MOST_ADVISED:
                self._advice.clear()
                self._advised.clear()
            if of_memory:
                carried = carried_numbers(self._program, entry, bts)
                found = AdviceSteps(AdvicePart(NUMBERS, carried))
            elif is_advised(self._program):  # new names would be old ones
                found = AdviceSteps()
            else:
                found = Advice(self._program, entry, bts).found
            self._advice[key] = found
        return found

    def run_tests(self, entry: str, bts: Sequence[binding_times.BT]) -> RunTests:
        """The tests of the program that look at data of the run."""
        key = entry, shape(bts), find_absent(self._program, entry, bts)
        if self._run_tests is None or self._run_tests[0] != key:
            self._run_tests = key, RunTests(self._program, entry, bts)
        return self._run_tests[1]

    def advised(self, step: AdvisedProgram) -> Analyses:
        """What is found out about the program with the lifts of one of its steps."""
        found = self._advised.get(id(step.program))
        if found is None:
            found = self._advised[id(step.program)] = Analyses(step.program)
            found.opens, found.called = step.opens, step.called
            found.left_out = self.left_out
        return found

    def callee(self, function: il.Function) -> Callee:
        """What of calls of a procedure does not depend on these."""
        found = self._callees.get(function)
        if found is None:
            found = Callee(function, self.library, self.rounds, self.naming)
            self._callees[function] = found
        return found

    def global_name(self, function: il.Function) -> str | None:
        """The global that a definition of the program binds to the procedure."""
        if not self._defined:
            self._defined = {
                id(item.function): item.name
                for item in self._program.items
                if isinstance(item, il.Define)
            }
        return self._defined.get(id(function))

    def swapped(self, node: il.If) -> il.If:
        """The conditional with its arms exchanged."""
        found = self._swapped.get(node)
        if found is None:
            found = il.If(node.test, node.otherwise, node.then, node.span)
            self._swapped[node] = found
        return found

    def live_after(self, code: il.Block, index: int, name: str) -> Names:
        """The names that a block needs after binding `index`, which binds `name`."""
        found = self._live_after.get((code, index))
        if found is None:
            rest = il.Cont("", (name,), il.Block(code.bindings[index + 1 :], code.tail))
            found = self._live_after[(code, index)] = self.liveness.of_cont(rest)
        return found


_remembered: deque[tuple[il.Program, Analyses]] = deque(maxlen=REMEMBERED)


def analyses_of(program: il.Program) -> Analyses:
    """What there is to know of a program, remembered for its next specialization."""
    for known, found in list(_remembered):
        if known is program:
            return found
    found = Analyses(program)
    _remembered.append((program, found))
    return found
