"""Advice: where a program is to make values dynamic, found before specialization begins.

Nine reasons, each a step or two (`Advice.steps`); before them, new entries of lists that are only
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
*returns*   Indices into the program that a machine keeps among data of the run are asked for
            which they are (`advice.returns`).

A lift is an operation put into the program, as a person would write `(lift x)`; of a value, one
that leaves names, lists and truth values as they are (`%lift-value`).  So the specializer needs
not know of advice, and what was advised can be read.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Final

from cogen import binding_times
from cogen.lang import il
from cogen.specializer.advice.accumulators import searched
from cogen.specializer.advice.advisedprogram import (
    ARMS,
    CODE,
    LIBRARY,
    NUMBERS,
    OBJECTS,
    RETURNS,
    AdvisedProgram,
)
from cogen.specializer.advice.arms import Arms
from cogen.specializer.advice.bounds import Bounds, Stop, Variable
from cogen.specializer.advice.boxes import Boxes
from cogen.specializer.advice.classedobjects import ClassedObjects, ObjectBoxes
from cogen.specializer.advice.counters import Counters
from cogen.specializer.advice.destructuring import destructured
from cogen.specializer.advice.flow import Flow
from cogen.specializer.advice.holders import Holders
from cogen.specializer.advice.libraries import with_libraries
from cogen.specializer.advice.lifts import Lift, Lifts
from cogen.specializer.advice.mixed import Mixed, elements
from cogen.specializer.advice.objects import code_types, growing_types, object_types
from cogen.specializer.advice.outlining import Outlining
from cogen.specializer.advice.ownlists import stacks_made, with_own_lists
from cogen.specializer.advice.rebinding import rebinding
from cogen.specializer.advice.recordboxes import RecordBoxes
from cogen.specializer.advice.returns import Returns
from cogen.specializer.advice.scopes import Told
from cogen.specializer.advice.sizes import PART, SAME, WHOLE, Arc
from cogen.specializer.advice.spelling import spelled_out, with_tests_in_place
from cogen.specializer.advice.steps import AdvicePart, AdviceSteps
from cogen.specializer.advice.tagged import Tagged, TaggedBoxes
from cogen.specializer.advice.texts import is_asked_late
from cogen.specializer.advice.values import (
    Made,
    record_type,
)
from cogen.specializer.programs.mutation import find_mutations
from cogen.specializer.programs.rounds import Rounds

HIGHER_ORDER: Final = 2
"""Procedures that are known, those of the interpreted program among them, are called by others, the
library's `map` for instance: there are so many times as many calls."""


MOST_LOOKS: Final = 3
"""Times that objects are looked for: where it is known what they are, fewer things may be some."""


class _LaidOut(Flow):
    """Which values get where, if lists are laid out."""

    lays_out = True


class _WithObjects(Flow):
    """Which values get where, if objects are read where they are looked at, and nowhere else."""

    def __init__(
        self, objects: ClassedObjects, entry: str, bts: Sequence[binding_times.BT]
    ) -> None:
        self._objects = objects
        super().__init__(objects.program, entry, bts)

    def _told(self, program: il.Program) -> Told:
        self.solution.fronts = self._objects.fronts
        return self._objects


class Advice:
    """The advice for one program, entry and binding times: `found` has the steps from the mildest
    on, those in ARMS last; none if there is nothing to say."""

    def __init__(self, program: il.Program, entry: str, bts: Sequence[binding_times.BT]) -> None:
        self._program, self._entry, self._bts = program, entry, bts
        self._flow: Flow | None = None
        """That of the program as it is, while it is needed."""
        self._late: list[AdvisedProgram] = []
        """What is to be tried when nothing else comes to an end."""
        self._in_arms: Callable[[], Iterator[AdvisedProgram]] = lambda: iter(())
        """Finds those in ARMS."""
        self._spelled = AdvicePart(CODE, self._find_spelled())
        self._library = AdvicePart(LIBRARY, self._find_library())
        self._usual = AdvicePart(None, self._find_usual())
        self._arms = AdvicePart(ARMS, self._find_arms())
        self.found = AdviceSteps(self._spelled, self._library, self._usual, self._arms)

    @property
    def steps(self) -> list[AdvisedProgram]:
        """All steps."""
        return list(self.found)

    def _mixed(self, program: il.Program) -> Mixed:
        """What is mixed in a program."""
        if program is not self._program:
            return Mixed(Flow(program, self._entry, self._bts))
        if self._flow is None:
            self._flow = Flow(program, self._entry, self._bts)
        return Mixed(self._flow)

    def _with_classes(self, mixed: Mixed, shadowed: Sequence[Lift]) -> Iterator[AdvisedProgram]:
        """The step with objects in boxes that are lists or vectors."""
        objects: ClassedObjects | None = None
        for _ in range(MOST_LOOKS):
            entries = elements(searched(mixed.flow, mixed.functions))
            found = ClassedObjects(mixed.flow, mixed.functions, mixed.nodes, entries)
            if not found.families:
                return
            if objects is not None and found.places == objects.places:
                break
            objects = found
            mixed = Mixed(_WithObjects(objects, self._entry, self._bts))
            if mixed.is_too_coarse:
                return
        assert objects is not None
        boxes = ObjectBoxes(mixed.flow, objects)
        lifts = mixed.lifted_values().boxed(boxes, ())
        lifts.kept_as_made(boxes.replaced.get(place, place) for place in objects.places)
        for box in boxes.boxed:
            lifts.result(box)
        yield _step(shadowed, lifts, mixed.has_procedures, OBJECTS)

    # -- the parts -------------------------------------------------------------------------------

    def _find_spelled(self) -> Iterator[AdvisedProgram]:
        """Those with code, if small helpers are in the place of their calls."""
        program = spelled_out(self._program)
        if program is not self._program:
            program, entries = rebinding(program, self._entry)
            mixed = self._mixed(program)
            if mixed.is_too_coarse:
                yield from self._laid_out(program, entries)
            else:
                yield from self._with_code(mixed, mixed.lifted_values(), entries)
                yield from self._with_classes(mixed, entries)

    def _find_library(self) -> Iterator[AdvisedProgram]:
        """That in which procedures that work on data are called."""
        mixed = self._mixed(self._program)
        program, called = with_libraries(mixed.flow, mixed.functions)
        mixed = self._mixed(program) if called else mixed
        if called and not mixed.is_too_coarse:
            values = mixed.lifted_values().stopped(mixed.bounds.at_targets())
            numbers = Counters(mixed.flow, mixed.bounds).numbers
            for step in self._with_arms(values.carried_out(), mixed.bounds.anchors, numbers, ()):
                yield replace(step, of=LIBRARY, called=called)

    def _find_usual(self) -> Iterator[AdvisedProgram]:
        """Those that ask for no more effort."""
        program, entries = rebinding(with_tests_in_place(self._program), self._entry)
        mixed, is_any = self._mixed(program), False
        self._flow = None
        if mixed.is_too_coarse:  # it cannot tell the program's pieces from its data
            found = () if any(self._spelled) else self._laid_out(program, entries)
        else:
            found = self._with_lifts(mixed, entries)
        for step in chain(self._with_points(mixed, entries), found):
            is_any = True
            yield step
        if entries and not is_any:
            in_arms = list(self._in_arms())
            self._in_arms = lambda: iter(in_arms)
            if not in_arms and not any(map(any, (self._spelled, self._library))):
                yield AdvisedProgram(program, tuple(entries))
        yield from self._late

    def _find_arms(self) -> Iterator[AdvisedProgram]:
        if all(self._usual):  # it has found what these need
            yield from self._in_arms()

    def _laid_out(self, program: il.Program, entries: Sequence[Lift]) -> Iterator[AdvisedProgram]:
        """Those with code that are found if lists are laid out."""
        mixed = Mixed(_LaidOut(program, self._entry, self._bts))
        if not mixed.is_too_coarse:
            yield from self._with_code(mixed, Lifts(program), entries)

    def _with_points(self, mixed: Mixed, entries: Sequence[Lift]) -> Iterator[AdvisedProgram]:
        """The step in which it is asked which points a machine goes back to."""
        lifts = Returns(mixed.flow, mixed.functions).lifts()
        if lifts is not None:
            yield _step(entries, lifts, of=RETURNS)

    # -- steps -----------------------------------------------------------------------------------

    def _with_lifts(self, mixed: Mixed, entries: Sequence[Lift]) -> Iterator[AdvisedProgram]:
        """The steps with values lifted, and more and more of what grows."""
        flow, bounds, procedures = mixed.flow, mixed.bounds, mixed.has_procedures
        values = mixed.lifted_values()
        stacks = Bounds(flow, mixed.sizes, (SAME, WHOLE, PART)).stops
        boxes = Boxes(flow.program, self._entry, self._bts, stacks)
        step = partial(_step, entries)
        if not boxes.families and not any(self._spelled):
            yield from self._with_code(mixed, values, entries)
        if values.lifts:
            if procedures:
                yield step(values, True)
                if any(_is_of_value(arc, mixed.cut) for arc, _ in bounds.stops):
                    yield step(values.stopped(bounds.at_targets()), True)
            yield step(values)
        if boxes.families:
            yield from self._with_boxes(mixed, values, boxes, entries)
        else:
            yield from self._with_own_lists(flow.program, entries)
            yield from self._with_records(mixed, values, stacks, entries)
        if bounds.stops:
            growing = bounds.at_targets()
            procedures_only = [s for s in growing if mixed.is_procedure(s[0].target, s[1])]
            if 0 < len(procedures_only) < len(growing):
                yield step(values.stopped(procedures_only))
            values = values.stopped(growing)
            yield step(values)
        counters = Counters(flow, bounds)
        if counters.variables:
            values = values.stopped(())
            for function, name in counters.variables:
                values.counter(function, name)
            yield step(values, of=NUMBERS)
        uniform = mixed.uniform_variables(bounds.anchors)
        if uniform:
            everywhere = values.stopped(())
            for function, name in uniform:
                everywhere.uniform(function, name)
            yield step(everywhere)
        carried_out = values.carried_out()
        self._in_arms = partial(
            self._with_arms, carried_out, bounds.anchors, counters.numbers, entries
        )

    def _with_arms(
        self,
        values: Lifts,
        anchors: Sequence[Variable],
        numbers: Iterable[Variable],
        entries: Sequence[Lift],
    ) -> Iterator[AdvisedProgram]:
        """The step in which arms of conditionals give data of the run, where others do, and
        numbers that count are data too."""
        program = values.program("%lift-value")
        mixed = Mixed(Flow(program, self._entry, self._bts))
        is_known, giving = mixed.known(anchors), set()
        for function in mixed.functions:
            for jump, number in Arms(mixed.flow, function, is_known).gifts:
                values.given(jump, number, function)
                giving.add(function.name)
        for function, name in mixed.joined_variables():
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
            yield AdvisedProgram(program, (*entries, *values.lifts), of=ARMS)

    def _with_code(
        self, mixed: Mixed, values: Lifts, entries: Sequence[Lift]
    ) -> Iterator[AdvisedProgram]:
        """The steps with what holds code of the interpreted program in boxes: with nothing lifted
        besides, with its values, and with what such procedures have closed over, procedures too."""
        flow = mixed.flow
        code: RecordBoxes | TaggedBoxes
        types = code_types(flow, mixed.nodes)
        code = RecordBoxes(flow.program, types, holds_code=True)
        places: Container[il.Let | il.Call] = ()
        if not code.families:
            tagged = Tagged(flow, mixed.functions, mixed.nodes)
            code, places = TaggedBoxes(flow, tagged), tagged.families
        if not code.families:
            return

        def is_code(made: Made) -> bool:
            is_record = made.kind == "record" and record_type(made.place) in types
            return is_record or made.place in places

        captured = list(Holders(flow, mixed.functions, mixed.nodes).captured(is_code))
        if captured:
            lifts = values.stopped(())
            for let, names in captured:
                lifts.captured(let, names)
            self._late.append(_step(entries, lifts.boxed(code, ()), of=CODE))
        bare = _step(entries, Lifts(flow.program).boxed(code, ()), of=CODE)
        yield replace(bare, is_bare=bool(values.lifts or captured))
        if values.lifts:
            yield _step(entries, values.boxed(code, ()), of=CODE)

    def _with_boxes(
        self, mixed: Mixed, values: Lifts, boxes: Boxes, entries: Sequence[Lift]
    ) -> Iterator[AdvisedProgram]:
        """The steps with what grows in boxes."""
        stops, procedures = mixed.bounds.stops, mixed.has_procedures
        values = Returns(mixed.flow, mixed.functions).count_at(boxes.stops, values)
        several = [boxes.stops, _with_those(boxes.stops, stops), stops]
        for some in dict.fromkeys(tuple(dict.fromkeys((*boxes.stops, *s))) for s in several):
            yield _step(entries, values.boxed(boxes, some), procedures)

    def _with_own_lists(
        self, program: il.Program, entries: Sequence[Lift]
    ) -> Iterator[AdvisedProgram]:
        """The same for stacks that the library's `append` makes (`…ownlists`)."""
        own = with_own_lists(program)
        if own is program:
            return
        mixed = Mixed(Flow(own, self._entry, self._bts))
        boxes = Boxes(own, self._entry, self._bts, stacks_made(own, mixed.bounds))
        if boxes.families and not mixed.is_too_coarse:
            yield from self._with_boxes(mixed, mixed.lifted_values(), boxes, entries)

    def _with_records(
        self, mixed: Mixed, values: Lifts, stacks: Sequence[Stop], entries: Sequence[Lift]
    ) -> Iterator[AdvisedProgram]:
        """The steps with records in boxes by their type: those that grow, and objects."""
        flow, stops = mixed.flow, mixed.bounds.stops
        growing = RecordBoxes(flow.program, growing_types(flow, stacks))
        if growing.families:
            several = [stacks, _with_those(stacks, stops), stops]
            for some in dict.fromkeys(map(tuple, several)):
                yield _step(entries, values.boxed(growing, some), mixed.has_procedures)
        objects = RecordBoxes(flow.program, object_types(flow, mixed.nodes))
        if objects.families:
            for family in objects.families:
                family.is_of_objects = True
            lifts = values.boxed(objects, ())
            for box in objects.boxed:
                lifts.result(box)
            yield _step(entries, lifts, mixed.has_procedures, OBJECTS)
        elif not any(self._spelled):
            yield from self._with_classes(mixed, entries)


def _step(
    entries: Sequence[Lift], lifts: Lifts, but_procedures: bool = False, of: str | None = None
) -> AdvisedProgram:
    """A step with lifts, and with what else is told."""
    op = "%lift-data" if but_procedures else "%lift-value"
    calls = HIGHER_ORDER if but_procedures or of == CODE else 1
    found = (*entries, *lifts.lifts)
    return AdvisedProgram(lifts.program(op), found, calls, of, opens=lifts.opens)


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
