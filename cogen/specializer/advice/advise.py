"""Advice: where a program is to make values dynamic, found before specialization begins.

Eight reasons, each a step or two (`Advice.steps`); before them, new entries of lists that are only
searched take the place of those that they shadow (`advice.rebinding`):

*values*    A variable holds data of the run in one case, and a number or a procedure that is
            known in another: an interpreter's values, of which some are constants of the program
            that it interprets.  Told apart, they give a version for each; so what is known is
            lifted where such variables get it, and where it is put into a structure that they are
            read from.  Pairs and records that such a variable may hold, and that such values are
            put into, are lifted too: the lists of the interpreted program.  Structures that the
            interpreter itself makes (arguments, environments) are none of these.  If there are
            procedures among the values, they are left as they are at first: `filter` of an
            interpreted program has a version for each predicate.
*growth*    What grows while nothing static gets smaller (`advice.bounds`) is lifted
            where it is passed on, continuations first, then lists as well; if it has parts that are
            known, in boxes (`advice.boxes`, `…recordboxes`).
*code*      Records, lists and vectors that are values, and hold a piece of the interpreted program:
            its procedures (`advice.objects`, `…tagged`).  They are put into boxes, and
            nothing else is done.
*objects*   Records that are values and lead to what is assigned values: an object of the
            interpreted program (`advice.objects`).  They are lifted where they are
            made, in boxes.
*counters*  Numbers that are computed from themselves while nothing static gets smaller
            (`advice.counters`) are lifted, in structures too.
*results*   What calls and conditionals give is data of the run in some cases, and known in others:
            a term that a substitution has a value for, or has none.  Then it is data in all, as
            with binding times that are found before specialization; there is one version of what
            follows, where each of the cases would have one.
*arms*      The same in the arms of conditionals that only a run decides (`advice.arms`);
            what follows is made procedures (`…outlining`).

*library*   Recursive procedures, as `unify`, stay where they meet data (`advice.libraries`).

A lift is an operation put into the program, as a person would write `(lift x)`; of a value, one
that leaves names, lists and truth values as they are (`%lift-value`).  So the specializer needs
not know of advice, and what was advised can be read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import replace
from typing import Final

from cogen import binding_times
from cogen.lang import il
from cogen.lang.ilutil import blocks, functions, item_block
from cogen.specializer.advice.advisedprogram import (
    ARMS,
    CODE,
    LIBRARY,
    NUMBERS,
    OBJECTS,
    AdvisedProgram,
)
from cogen.specializer.advice.arms import Arms
from cogen.specializer.advice.bounds import Bounds, Stop, Variable
from cogen.specializer.advice.boxes import Boxes
from cogen.specializer.advice.counters import Counters
from cogen.specializer.advice.destructuring import destructured
from cogen.specializer.advice.flow import Flow
from cogen.specializer.advice.holders import Holders
from cogen.specializer.advice.libraries import with_libraries
from cogen.specializer.advice.lifts import Lift, Lifts
from cogen.specializer.advice.objects import code_types, growing_types, object_types
from cogen.specializer.advice.outlining import Outlining
from cogen.specializer.advice.ownlists import stacks_made, with_own_lists
from cogen.specializer.advice.rebinding import rebinding
from cogen.specializer.advice.recordboxes import RecordBoxes
from cogen.specializer.advice.sizes import PART, SAME, WHOLE, Arc, Sizes
from cogen.specializer.advice.spelling import spelled_out
from cogen.specializer.advice.tagged import Tagged, TaggedBoxes
from cogen.specializer.advice.texts import is_asked_late, is_user, own_variables, results
from cogen.specializer.advice.values import (
    DATA,
    DATA_KINDS,
    KNOWN,
    TRUTH,
    UNKNOWN,
    Made,
    Slot,
    holds_values,
    is_mixed,
    is_procedure,
    leads_to,
    record_type,
)
from cogen.specializer.programs.mutation import find_mutations
from cogen.specializer.programs.rounds import Rounds

MOST_MIXED: Final = 0.5
"""The part of a program's variables that may hold data and known values; where more seem to, the
analysis was too coarse."""

HIGHER_ORDER: Final = 2
"""Procedures that are known, those of the interpreted program among them, are called by others, the
library's `map` for instance: there are so many times as many calls."""


class _LaidOut(Flow):
    """Which values get where, if lists are laid out."""

    lays_out = True


class Advice:
    """The advice for one program, entry and binding times; `steps` from the mildest on, none if
    there is nothing to say."""

    def __init__(self, program: il.Program, entry: str, bts: Sequence[binding_times.BT]) -> None:
        self.steps: list[AdvisedProgram] = []
        self._late: list[AdvisedProgram] = []
        """What is to be tried when nothing else comes to an end."""
        self._entries: list[Lift] = []
        spelled = spelled_out(program)
        if spelled is not program:
            self._take_steps(spelled, entry, bts, only_code=True)
        self._take_steps(program, entry, bts)
        self.steps += self._late

    def _step_with_libraries(
        self, program: il.Program, entry: str, bts: Sequence[binding_times.BT]
    ) -> None:
        """The step in which procedures that work on data are called; without, its flow is left."""
        before, self.steps, self._entries = self.steps, [], []
        self._flow = Flow(program, entry, bts)
        program, called = with_libraries(self._flow, self._functions())
        if called:
            self._flow = Flow(program, entry, bts)
            self._nodes = self._mixed_nodes()
            mixed = self._mixed_variables()
            if not self._is_too_coarse(mixed):
                cut = frozenset(name for _, name in mixed)
                bounds = Bounds(self._flow, Sizes(program, cut, self._flow.called))
                values = self._lifted_values(mixed).stopped(bounds.at_targets())
                numbers = Counters(self._flow, bounds).numbers
                self._step_in_arms(values.carried_out(), entry, bts, bounds.anchors, numbers)
        self.steps = before + [replace(step, of=LIBRARY, called=called) for step in self.steps]

    def _take_steps(
        self,
        program: il.Program,
        entry: str,
        bts: Sequence[binding_times.BT],
        only_code: bool = False,
    ) -> None:
        if not only_code:
            self._step_with_libraries(program, entry, bts)
        program, self._entries = rebinding(program, entry)
        if only_code or self._flow.program is not program:
            self._flow = Flow(program, entry, bts)
        self._nodes = self._mixed_nodes()
        mixed = self._mixed_variables()
        if not self._is_too_coarse(mixed):
            values = self._lifted_values(mixed)
            if only_code:
                self._steps_with_code(values)
            else:
                self._take_other_steps(program, entry, bts, mixed, values)
        else:  # it cannot tell the program's pieces from its data
            self._flow = _LaidOut(program, entry, bts)
            self._nodes = self._mixed_nodes()
            if not self._is_too_coarse(self._mixed_variables()):
                self._steps_with_code(Lifts(program))
        if self._entries and not self.steps and not only_code:
            self.steps.append(AdvisedProgram(program, tuple(self._entries)))

    def _lifted_values(self, mixed: Sequence[Variable]) -> Lifts:
        """Lifts of values, where variables get them that hold data of the run as well."""
        values = Lifts(self._flow.program)
        for function, name in mixed:
            values.variable(function, name)
        holders = Holders(self._flow, self._functions(), self._nodes)
        for let, names in holders.parts():
            values.operands(let, names)
        for place in holders.recursive():
            values.result(place)
        for function in self._giving_to_library():
            values.returned(function)
        return values

    def _take_other_steps(
        self,
        program: il.Program,
        entry: str,
        bts: Sequence[binding_times.BT],
        mixed: Sequence[Variable],
        values: Lifts,
    ) -> None:
        procedures = any(self._holds_procedures(function, name) for function, name in mixed)
        cut = frozenset(name for _, name in mixed)
        sizes = Sizes(program, cut, self._flow.called)
        bounds = Bounds(self._flow, sizes)
        stacks = Bounds(self._flow, sizes, (SAME, WHOLE, PART)).stops
        boxes = Boxes(program, entry, bts, stacks)
        if not boxes.families:
            self._steps_with_code(values)
        if values.lifts:
            if procedures:
                self._step(values, True)
                if any(_is_of_value(arc, cut) for arc, _ in bounds.stops):
                    self._step(values.stopped(bounds.at_targets()), True)
            self._step(values)
        if boxes.families:
            self._step_with_boxes(values, boxes, bounds, procedures)
        else:
            self._step_with_own_lists(entry, bts)
            self._step_with_records(values, bounds, stacks, procedures)
        if bounds.stops:
            growing = bounds.at_targets()
            procedures_only = [s for s in growing if self._is_procedure(s[0].target, s[1])]
            if 0 < len(procedures_only) < len(growing):
                self._step(values.stopped(procedures_only))
            values = values.stopped(growing)
            self._step(values)
        counters = Counters(self._flow, bounds)
        if counters.variables:
            values = values.stopped(())
            for function, name in counters.variables:
                values.counter(function, name)
            self._step(values, of=NUMBERS)
        uniform = self._uniform_variables(bounds.anchors)
        if uniform:
            everywhere = values.stopped(())
            for function, name in uniform:
                everywhere.uniform(function, name)
            self._step(everywhere)
        self._step_in_arms(values.carried_out(), entry, bts, bounds.anchors, counters.numbers)

    def _is_too_coarse(self, mixed: Sequence[Variable]) -> bool:
        """Whether too many variables seem to hold data and known values."""
        every = sum(1 for function in self._functions() for _ in own_variables(function))
        return len(mixed) > MOST_MIXED * every

    def _step_in_arms(
        self,
        values: Lifts,
        entry: str,
        bts: Sequence[binding_times.BT],
        anchors: Sequence[Variable],
        numbers: Iterable[Variable],
    ) -> None:
        """The step in which arms of conditionals give data of the run, where others do, and
        numbers that count are data too."""
        program = values.program("%lift-value")
        self._flow = Flow(program, entry, bts)
        is_known, giving = self._known(anchors), set()
        for function in self._functions():
            for jump, number in Arms(self._flow, function, is_known).gifts:
                values.given(jump, number, function)
                giving.add(function.name)
        for function, name in self._joined_variables():
            if is_asked_late(function, name):
                values.uniform(function, name)
                giving.add(function.name)
        if giving:
            for function, name in numbers:
                values.counter(function, name)
            program = values.program("%lift-value")
            program = Outlining(program, giving, Rounds(program).loops).program
            if not find_mutations(program).pairs:
                program = destructured(program)
            self.steps.append(AdvisedProgram(program, (*self._entries, *values.lifts), of=ARMS))

    def _steps_with_code(self, values: Lifts) -> None:
        """The steps with what holds code of the interpreted program in boxes: with nothing lifted
        besides, with its values, and with what such procedures have closed over, procedures too;
        if there are none such yet."""
        if any(step.of == CODE for step in self.steps):
            return
        flow = self._flow
        code: RecordBoxes | TaggedBoxes
        types = code_types(flow, self._nodes)
        code = RecordBoxes(flow.program, types, holds_code=True)
        places: Container[il.Let | il.Call] = ()
        if not code.families:
            tagged = Tagged(flow, self._functions(), self._nodes)
            code, places = TaggedBoxes(flow, tagged), tagged.families
        if not code.families:
            return
        self._step(Lifts(flow.program).boxed(code, ()), of=CODE)
        if values.lifts:
            self._step(values.boxed(code, ()), of=CODE)

        def is_code(made: Made) -> bool:
            is_record = made.kind == "record" and record_type(made.place) in types
            return is_record or made.place in places

        captured = list(Holders(flow, self._functions(), self._nodes).captured(is_code))
        if captured:
            lifts = values.stopped(())
            for let, names in captured:
                lifts.captured(let, names)
            self._step(lifts.boxed(code, ()), of=CODE)
            self._late.append(self.steps.pop())

    def _step_with_boxes(
        self, values: Lifts, boxes: Boxes, bounds: Bounds, procedures: bool
    ) -> None:
        """The steps with what grows in boxes."""
        several = [boxes.stops, _with_those(boxes.stops, bounds.stops), bounds.stops]
        for stops in dict.fromkeys(tuple(dict.fromkeys((*boxes.stops, *s))) for s in several):
            self._step(values.boxed(boxes, stops), procedures)

    def _step_with_own_lists(self, entry: str, bts: Sequence[binding_times.BT]) -> None:
        """The same for stacks that the library's `append` makes (`…ownlists`)."""
        before = self._flow, self._nodes
        program = with_own_lists(self._flow.program)
        if program is not self._flow.program:
            self._flow = Flow(program, entry, bts)
            self._nodes = self._mixed_nodes()
            mixed = self._mixed_variables()
            cut = frozenset(name for _, name in mixed)
            sizes = Sizes(program, cut, self._flow.called)
            bounds = Bounds(self._flow, sizes)
            boxes = Boxes(program, entry, bts, stacks_made(program, bounds))
            if boxes.families and not self._is_too_coarse(mixed):
                values = self._lifted_values(mixed)
                procedures = any(self._holds_procedures(*one) for one in mixed)
                self._step_with_boxes(values, boxes, bounds, procedures)
        self._flow, self._nodes = before

    def _step_with_records(
        self, values: Lifts, bounds: Bounds, stacks: Sequence[Stop], procedures: bool
    ) -> None:
        """The steps with records in boxes by their type: those that grow, and objects."""
        growing = RecordBoxes(self._flow.program, growing_types(self._flow, stacks))
        if growing.families:
            several = [stacks, _with_those(stacks, bounds.stops), bounds.stops]
            for stops in dict.fromkeys(map(tuple, several)):
                self._step(values.boxed(growing, stops), procedures)
        objects = RecordBoxes(self._flow.program, object_types(self._flow, self._nodes))
        if objects.families:
            for family in objects.families:
                family.is_of_objects = True
            lifts = values.boxed(objects, ())
            for box in objects.boxed:
                lifts.result(box)
            self._step(lifts, procedures, OBJECTS)

    def _step(self, lifts: Lifts, but_procedures: bool = False, of: str | None = None) -> None:
        op = "%lift-data" if but_procedures else "%lift-value"
        calls = HIGHER_ORDER if but_procedures or of == CODE else 1
        found = (*self._entries, *lifts.lifts)
        self.steps.append(AdvisedProgram(lifts.program(op), found, calls, of, lifts.opens))

    # -- values ----------------------------------------------------------------------------------

    def _mixed_nodes(self) -> set[Slot]:
        return {node for node in self._flow.solution.all_nodes() if is_mixed(node)}

    def _mixed_variables(self) -> list[tuple[il.Function, str]]:
        """The variables of the user's procedures that hold data and known values, in whichever
        context."""
        found: list[tuple[il.Function, str]] = []
        for function in self._functions():
            contexts = self._flow.contexts(function)
            for name in own_variables(function):
                nodes = [self._flow.variable(context, name) for context in contexts]
                nodes = [node for node in nodes if node.tokens]
                dynamic = nodes and all(n.tokens & {DATA, UNKNOWN} for n in nodes)
                if dynamic and any(map(holds_values, nodes)):
                    found.append((function, name))
        return found

    def _giving_to_library(self) -> Iterable[il.Function]:
        """The user's procedures that give data in some cases and known values in others, to a
        procedure of the library that calls them: no variable of the user's holds these."""
        flow = self._flow
        variables = {
            flow.variable(context, name)
            for function, context in flow.bodies
            if not is_user(function)
            for name in results(function)
        }
        for function in self._functions():
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
            for context in self._flow.contexts(function)
            for token in self._flow.variable(context, name).tokens
        )

    def _is_procedure(self, function: il.Function, name: str) -> bool:
        """Whether a variable holds procedures and nothing else, continuations for instance."""
        nodes = [self._flow.variable(context, name) for context in self._flow.contexts(function)]
        tokens = {token for node in nodes for token in node.tokens}
        return all(map(is_procedure, tokens))

    def _code(self, anchors: Iterable[Variable]) -> set[Made]:
        """What is made that holds a piece of what is static which the program goes into: a record
        for a procedure of the interpreted program, with its body."""
        flow = self._flow
        going = {flow.variable(c, name) for f, name in anchors for c in flow.contexts(f)}
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

    def _uniform_variables(self, anchors: Sequence[Variable]) -> list[Variable]:
        """The results of calls and conditionals in the user's procedures that are data of the run
        in some contexts and in some are known."""
        is_known = self._known(anchors)
        found: list[Variable] = []
        for function in self._functions():
            contexts = self._flow.contexts(function)
            for name in results(function):
                nodes = [self._flow.variable(context, name) for context in contexts]
                if any(node.tokens & {DATA, UNKNOWN} for node in nodes) and is_known(nodes):
                    found.append((function, name))
        return found

    def _joined_variables(self) -> Iterable[Variable]:
        """The results of calls and conditionals that are data of the run in some cases, and truth
        values that are known in others."""
        for function in self._functions():
            contexts = self._flow.contexts(function)
            for name in results(function):
                tokens = {t for c in contexts for t in self._flow.variable(c, name).tokens}
                if TRUTH in tokens and tokens & {DATA, UNKNOWN}:
                    yield function, name

    def _known(self, anchors: Sequence[Variable]) -> Callable[[Sequence[Slot]], bool]:
        """What tells whether nodes hold something known that is no procedure, and no code: with a
        piece of what is static that leads to an anchor."""
        code, steering = self._code(anchors), self._leading_to(anchors)

        def is_known(nodes: Sequence[Slot]) -> bool:
            known = {token for node in nodes for token in node.tokens} - {DATA, UNKNOWN, TRUTH}
            procedures = any(map(is_procedure, known))
            is_code = not code.isdisjoint(known) and not steering.isdisjoint(nodes)
            return bool(known) and not procedures and not is_code

        return is_known

    def _leading_to(self, variables: Iterable[Variable]) -> set[Slot]:
        """The nodes that lead to variables, as they are or by what is read of them."""
        flow = self._flow
        sources: dict[Slot, list[Slot]] = defaultdict(list)
        for node in flow.solution.all_nodes():
            for target in node.next:
                sources[target].append(node)
        for source, target in (*flow.scopes.refined, *flow.solution.reads):
            sources[target].append(source)
        work = [flow.variable(c, name) for f, name in variables for c in flow.contexts(f)]
        found = set(work)
        for node in work:
            fresh = [source for source in sources.get(node, ()) if source not in found]
            found.update(fresh)
            work += fresh
        return found

    def _functions(self) -> list[il.Function]:
        """The user's procedures that may run, in the order of the program."""
        running = {function for function, _ in self._flow.bodies}
        found: list[il.Function] = []
        for item in self._flow.program.items:
            if isinstance(item, il.Define):
                found.append(item.function)
            for block in blocks(item_block(item)):
                found += functions(block)
        return [function for function in found if function in running and is_user(function)]


def _with_those(stops: Sequence[Stop], all_stops: Iterable[Stop]) -> list[Stop]:
    """Stops, and at their calls what grows elsewhere: a machine's stack is made dynamic where its
    stack of return addresses is, and nowhere else."""
    growing = {(arc.target, name): None for arc, name in all_stops}
    found = dict.fromkeys(stops)
    for arc, _ in stops:
        found.update(((arc, name), None) for target, name in growing if target is arc.target)
    return list(found)


def _is_of_value(arc: Arc, cut: Container[str]) -> bool:
    """Whether an arc is a call of a value."""
    return arc.call is not None and getattr(arc.call.function, "name", "") in cut


def _ground_parts(made: Made) -> list[Slot]:
    """The parts of what is made that hold pieces of what is static, and nothing else."""
    if made.kind not in DATA_KINDS:
        return []
    return [part for part in made.parts.values() if part.tokens and part.tokens <= KNOWN]
