"""il.Program, binding times -> residual program: the specializer's driver.

Note [Attempts]
    If a residual program is not small, and has no fewer blocks than what is static has parts, the
    program is specialized with the mildest lifts that `advice` has, too: if that is much smaller,
    it is taken, as what was known of the interpreted program's data was of no use then; so is what
    asks for the points that a machine goes back to.  With half
    as many, or if much of that is among its constants, it is specialized with what holds code, and
    with objects, in boxes: where a piece of the interpreter is left for each procedure of the
    interpreted program, there are more.  That is asked as soon as there are so many blocks, not in
    the end, and what is asked for may overtake the program as it is (`rivals`).  So are the lifts
    of numbers, but only where something grows: a loop that a known number ends is to be unfolded.
    When a specialization as it is has cost much for its size, or does not seem to end, the program
    is specialized with lifts, from the mildest on; what has nothing lifted comes last where
    something grew, or calls were unfolded without end: that would go on.  As soon as numbers in
    structures have counted in a few versions, the lifts come first, and the program as it is once
    more if they are of no use, with more patience.  If that costs as much, what grows is made
    dynamic (`growth.growth_detection`), with some times as much effort.  If that leads nowhere, the
    program as it is, and then with lifts, gets some times as much too, then as it is what the
    limits allow, and in the end what grows is made dynamic in it.  A program whose versions grow
    one from another (`growth.growth`) is given up at once, and is not tried with more effort; nor
    is one where numbers count on, once there was patience; and with more effort it is given up on
    the way where more and more blocks wait for their turn (`Limits.check_waiting`); as it is it is
    begun again only when all else has failed, for the diagnostic.  What has come to nothing is not
    tried again with no more effort.  If a residual program that was found is still not small, or
    lifts have led nowhere, it is tried with calls shared that have the same static arguments
    (`execution.shared`): what is used in many places may have been copied into each; if that is
    found but not small, what more effort leads to must not be much larger.  Where tests
    asked for what arms of conditionals give, the program as it is is specialized with that one for
    tests that look at data of the run, too (`versions.demand`): a count of what a run finds would
    have a version for each number; if none that asked does, that would only do the same again.
    Where many versions differ in nothing but data that arms gave, names and lists among it, and it
    is not that something grows, it is specialized with that one wherever no test asks which it is:
    six signs of numbers in a row would have 729 versions.  What is to be much smaller than what was
    found is given up when it is as large before cleaning as that was (`rivals`).  Where buffers
    are read and written there are no such attempts, as addresses must stay what is known of them,
    but one with the numbers lifted that loops carry from sample to sample (`advice.carried`), asked
    for as soon as there are many blocks, in the end, and if the program as it is comes to none; and
    what was found is tried with those split that libraries divide, if nobody has said whether to.
    Counts decide that, never the clock, so that the result is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import Final

from cogen import binding_times
from cogen.lang import il
from cogen.lang.collector import collector_paused
from cogen.lang.errors import CogenError, Warnings
from cogen.lang.governor import Exhausted, governed
from cogen.lang.ilutil import find_procedure
from cogen.residual import ResidualProgram
from cogen.specializer.advice import advisedprogram
from cogen.specializer.analyses.analyses import Analyses
from cogen.specializer.attempts import Failures, Make, SpecializationAttempt, usual_specializer
from cogen.specializer.diverging import told_with_cause
from cogen.specializer.execution.shared import are_repeated
from cogen.specializer.rivals import Challenge, Overtaken, Rivals
from cogen.specializer.specialization import Specializer
from cogen.specializer.trying import ATTEMPT, Trying
from cogen.specializer.versions.auto import MOST_CALLS, MOST_UNASKED
from cogen.specializer.versions.demand import Joining
from cogen.specializer.versions.effort import (
    JOINED_BLOCKS,
    LEFT_FOR_EACH,
    MANY_BLOCKS,
    MANY_FOR_EACH,
    MUCH,
    SHARED_FOR_EACH,
    SMALLER,
    SOME_BLOCKS,
    CallsUnfolded,
    RoundsCounted,
    TooMuch,
    VersionsGrown,
    many_left,
    size_of_program,
)
from cogen.specializer.versions.limits import Endless
from cogen.specializer.versions.options import SpecializerOptions

MORE: Final = 4
"""So many times the usual effort may be spent on the program as it is, and with lifts, after what
grows was not found with the usual one."""


GENERALIZED: Final = 3
"""So many times the usual effort may be spent on finding what grows, and making that dynamic,
before the program is specialized as it is with any effort;"""

LAST: Final = 8
"""so many in the end, when all else has come to nothing."""


def specialize(
    program: il.Program,
    entry: str,
    bts: Sequence[binding_times.BT],
    options: SpecializerOptions | None = None,
    warnings: Warnings | None = None,
    analyses: Analyses | None = None,
    make: Make | None = None,
) -> ResidualProgram:
    """Specialize the global procedure `entry` to binding times, one for each parameter.

    The residual entry keeps its name; its parameters are the dynamic and cyclic leaves of the
    binding times, left to right.  Raises CogenError for a wrong entry or binding times, for an
    error that the source program would certainly meet, and when a limit of `options` is reached
    (the call chain is in the notes).  `warnings` collects what is left out.  `analyses` of the
    program may be shared by several specializations; `make` makes another kind of specializer.
    """
    options, warnings = options or SpecializerOptions(), warnings or Warnings()
    make = make or usual_specializer
    with collector_paused():  # until what the task has made is gone, or would be gone through
        task = SpecializationTask(program, entry, bts, options, warnings, analyses, make)
        found = carried_out(task)
        for specializer in task.successful:
            specializer.take_apart()
        return found


def carried_out(task: SpecializationTask) -> ResidualProgram:
    """The residual program of a task, within its limits of time and memory."""
    try:
        budget = task.options.budget
        return governed("specialization", budget, partial(_without_collector, task))
    except Exhausted as error:
        if error.span is None:  # before the entry was begun with
            error.span = getattr(find_procedure(task.program, task.entry), "span", None)
        raise


def _without_collector(task: SpecializationTask) -> ResidualProgram:
    with collector_paused():
        return task.specialized()


class SpecializationTask(Trying):
    """How it is tried; see Note [Attempts]."""

    def specialized(self) -> ResidualProgram:
        """The residual program of the first attempt that leads to one."""
        try:
            return self._split() or self._with_addresses(self._found())
        except Endless as stopped:
            raise told_with_cause(self, stopped) from None

    def _split(self) -> ResidualProgram | None:
        """With addresses split (`versions.auto`), if that is asked for and comes to an end."""
        options = self.options
        if not options.auto:
            return None
        self.options = replace(options, max_unfoldings=-(-options.max_unfoldings // ATTEMPT))
        try:
            return self._found()
        except Endless:
            self.options = replace(options, auto=False)
            self.failures, self.lifted = Failures(), frozenset()
            self.shared, self.asked, self.large = [], [], None
            self.endless = None
            self.is_patient = self.is_built = self.hurries = False  # nothing is known of it yet
            self.has_grown = self.is_overtaken = False
            self.warnings.warn("`set-base` is not placed: the versions come to no end with it")
            return None

    def _with_addresses(self, found: ResidualProgram) -> ResidualProgram:
        """What was found, or the same with addresses split (`versions.auto`) if nobody has said
        whether to, it is of use, and does no harm: it is neither much larger nor much work."""
        maker = self.made_by
        if maker is None or not maker.context.auto.is_wanted or not self._is_of_memory:
            return found
        if (spent := maker.context.limits).unfoldings > MOST_CALLS:
            return found
        options = replace(self.options, max_unfoldings=-(-self.options.max_unfoldings // ATTEMPT))
        program, analyses = maker.context.program, maker.parts.analyses
        effort = spent.as_effort(MOST_UNASKED)
        attempt = SpecializationAttempt(program, options, analyses, effort, splitting=True)
        return self._if_smaller(found, partial(self._run, attempt), MUCH, self._arms)

    def _arms(self) -> int:
        """The versions of which what was made last is an entry, each for some addresses."""
        assert self.made_by is not None
        return self.made_by.context.auto.arms(self.made_by.context.worklist.reach.blocks())

    def _found(self) -> ResidualProgram:
        if self.options.generalize:
            return self.generalized() or self.plain()
        return self._shared_one(self._joined_one(self._smaller(self._first())))

    def _first(self) -> ResidualProgram:
        """The residual program of the first attempt that leads to one; see Note [Attempts]."""
        stopped: TooMuch | Endless
        try:
            return self.plain(None if self._is_of_memory else self.effort(), self._rivals.watch)
        except Overtaken:
            self.is_overtaken = True
            return self._made(*self.asked[0])
        except (TooMuch, Endless) as reason:
            stopped = reason.with_traceback(None)
        self.has_grown = isinstance(stopped, CallsUnfolded | RoundsCounted | VersionsGrown)
        found = self.advised() or self._joined() or self._shared()
        self.is_patient = True
        if found is None and isinstance(stopped, RoundsCounted):
            try:
                return self.plain(self.effort())
            except (TooMuch, Endless) as reason:
                stopped = reason.with_traceback(None)
        if found is None and isinstance(stopped, TooMuch):
            found = self._much_smaller(self._with_more_effort()) or self._with_any_effort()
            stopped = self.endless or stopped
        if found is None and not (isinstance(stopped, Endless) and stopped.certain):
            found = self.generalized(None if self._is_of_memory else self.effort(LAST))
        if found is None and isinstance(stopped, TooMuch):
            self.hurries = True
            return self.plain()
        if found is None:
            raise stopped
        return found

    def _smaller(self, found: ResidualProgram) -> ResidualProgram:
        """The residual program that was found, or another one if it is much smaller: with the
        mildest advice, with objects that keep their types, or where something grew, with numbers
        given up."""
        is_plain = self.made_from is self.program or self.is_overtaken
        some = MANY_BLOCKS if is_plain else SOME_BLOCKS
        if found.statistics["residual blocks"] < some:
            return found
        if self._is_of_memory:
            for step in self.advice if is_plain else ():
                found = self._smaller_one(found, step)
            return found
        mildest: advisedprogram.AdvisedProgram | None = None
        for step in self.advice.but({advisedprogram.ARMS}):
            blocks = found.statistics["residual blocks"]
            if blocks < some:
                break
            if step.of is None and mildest is None:
                mildest = step
            if self.has_grown and step.is_bare:
                continue
            if step.of in (advisedprogram.CODE, advisedprogram.OBJECTS):
                many = many_left(
                    found.program if step.of == advisedprogram.CODE else None, self._parts, some
                )
            elif step.of == advisedprogram.NUMBERS and not is_plain:
                many = some
            elif step is mildest or step.of in (advisedprogram.LIBRARY, advisedprogram.RETURNS):
                many = max(MANY_BLOCKS, MANY_FOR_EACH * self._parts)
            else:
                continue
            if blocks >= many and step.program is not self.made_from:
                found = self._smaller_one(found, step)
        return found

    def _smaller_one(
        self, found: ResidualProgram, step: advisedprogram.AdvisedProgram
    ) -> ResidualProgram:
        effort = self._effort_beside(step, found.statistics["calls unfolded"])
        if self.failures.has(step.program, effort):
            return found
        return self._if_smaller(found, partial(self._advised, step, effort), MUCH)

    def _joined_one(self, found: ResidualProgram) -> ResidualProgram:
        """The residual program that was found, or one in which tests of data of the run need not
        know what arms of conditionals give, or in which nothing is told apart for whatever data
        that is, if it is much smaller."""
        blocks = found.statistics["residual blocks"]
        if blocks < JOINED_BLOCKS or self.has_joined or self._is_of_memory:
            return found
        self.has_joined = True
        if self._is_told_apart and not self._is_small(found):
            first = found
            for joining in (Joining.DATA, Joining.TESTED):
                if found.statistics["residual blocks"] >= JOINED_BLOCKS:
                    found = self._if_smaller(found, partial(self.joined, joining), MUCH)
            if found is not first:
                return found
        if not self._asks_of_run:
            return found
        return self._if_smaller(found, partial(self.joined, Joining.OF_RUN), SMALLER)

    @property
    def _is_told_apart(self) -> bool:
        """Whether it is for what arms of conditionals give that there are many versions of the
        program as it is, and not for what grows."""
        return self.is_parted and not self.has_grown

    def _is_small(self, found: ResidualProgram) -> bool:
        """Whether a residual program is no larger than what is static, or small in any case."""
        blocks = found.statistics["residual blocks"]
        return blocks < max(MANY_BLOCKS, MANY_FOR_EACH * self._parts)

    def _joinings(self) -> Iterator[Joining]:
        """What is to be one variable where the program as it is came to nothing, in turn."""
        if not self._is_of_memory:
            if self._is_told_apart:
                yield Joining.DATA
                yield Joining.TESTED
            if self._asks_of_run:
                yield Joining.OF_RUN

    def _joined(self) -> ResidualProgram | None:
        """One of these residual programs, if it is found; None if it is none."""
        for joining in self._joinings():
            self.has_joined = True
            try:
                return self.joined(joining)
            except Exhausted:
                raise
            except (TooMuch, CogenError):
                continue
        return None

    def _shared_one(self, found: ResidualProgram) -> ResidualProgram:
        """The residual program that was found, or one with calls shared if it is much smaller."""
        made, maker = self.made_from, self.made_by
        if self._is_small(found) or self._is_of_memory or made is None or maker is None:
            return found
        if any(p is made for p in self.shared) or not are_repeated(maker.residual_blocks):
            return found
        return self._if_smaller(found, partial(self._sharing, made), MUCH)

    def _if_smaller(
        self,
        found: ResidualProgram,
        attempt: Callable[[], ResidualProgram],
        much: float,
        versions: Callable[[], int] | None = None,
    ) -> ResidualProgram:
        """What an attempt leads to, if it is so `much` smaller than what was found; or, if so many
        versions are made of that, no larger than they would be."""
        made, messages = (self.made_by, self.made_from), list(self.warnings.messages)
        if versions is None and self.made_by is not None:
            self.challenge = Challenge(self.made_by, much)
        try:
            other = attempt()
        except Exhausted:
            raise
        except (TooMuch, CogenError):
            return found
        finally:
            self.challenge = None
        self.warnings.messages[:] = messages  # they are of the same program
        before, now = size_of_program(found.program), size_of_program(other.program)
        if much * now <= before if versions is None else now <= versions() * before:
            return other
        self.made_by, self.made_from = made
        return found

    def _with_more_effort(self) -> ResidualProgram | None:
        """What is found with some times the usual effort.  Where nothing but numbers grows these
        may end after all, so that is asked first."""
        generalized, grows = self.attempted_generalized()
        if generalized is not None and grows:
            return generalized
        found = self.attempted_plain() or generalized
        if found is None and self.endless is not None and self.endless.certain:
            return None
        return found or self.advised(MORE)

    def _with_any_effort(self) -> ResidualProgram | None:
        """The program as it is, with what effort the limits allow; None if it comes to no end."""
        if self.endless is not None or self.failures.has(self.program, None):
            return None
        self.hurries = True
        try:
            return self.plain()
        except Endless as reason:
            self.endless = reason.with_traceback(None)
            return None

    # -- attempts, one or several ----------------------------------------------------------------

    @property
    def _rivals(self) -> Rivals:
        """What may overtake the program as it is."""
        return Rivals(max(MANY_BLOCKS, LEFT_FOR_EACH * self._parts), self._rival)

    def _rival(self, specializer: Specializer) -> ResidualProgram | None:
        """What would be asked for in the end, of a specializer that is not there yet, because a
        piece of the interpreter may be left for each procedure of the interpreted program."""
        messages, unfoldings = list(self.warnings.messages), specializer.context.limits.unfoldings
        for step in self.advice.but({advisedprogram.ARMS, advisedprogram.LIBRARY}):
            if (
                step.of not in (advisedprogram.CODE, advisedprogram.OBJECTS)
                and not self._is_of_memory
            ):
                continue
            try:
                found = self._advised(step, self._effort_beside(step, unfoldings))
            except Exhausted:
                raise
            except (TooMuch, CogenError):
                continue
            self.asked.append((step.program, self.successful[-1], found))
            self.warnings.messages[:] = messages
            return found
        return None

    def attempted_plain(self) -> ResidualProgram | None:
        """The program as it is, if that is found with some effort."""
        effort = self.effort(2 * MORE)
        if self.failures.has(self.program, effort):
            return None
        try:
            return self.plain(effort)
        except TooMuch:
            return None
        except Endless as reason:
            self.endless = reason.with_traceback(None)
            return None

    def advised(self, times: int = 1) -> ResidualProgram | None:
        """The program with lifts, with so many times the usual effort; None if none are of use.
        What is for more effort than the usual one comes first then."""
        later = (
            [step for step in self.advice if step.of == advisedprogram.ARMS] if times > 1 else []
        )
        for step in chain(later, self._steps_in_order()):
            effort = self._effort_for(step, times)
            if self.failures.has(step.program, effort):
                continue
            try:
                return self._advised(step, effort)
            except Exhausted:
                raise
            except (TooMuch, CogenError):
                continue
        return None

    def _steps_in_order(self) -> Iterator[advisedprogram.AdvisedProgram]:
        """The steps that ask for no more effort; those with nothing lifted come last where the
        program as it is has grown, as they will."""
        later: list[advisedprogram.AdvisedProgram] = []
        for step in self.advice.but({advisedprogram.ARMS}):
            if self.has_grown and step.is_bare:
                later.append(step)
            else:
                yield step
        yield from later

    def _shared(self) -> ResidualProgram | None:
        """The program with calls shared, with mildest lifts or none; None if it is not small."""
        mildest = [step.program for step in islice(self.advice.but({advisedprogram.LIBRARY}), 1)]
        many = max(MANY_BLOCKS, SHARED_FOR_EACH * self._parts)
        for program in () if self._is_of_memory else (self.program, *mildest):
            try:
                found = self._sharing(program)
            except Exhausted:
                raise
            except (TooMuch, CogenError):
                continue
            if found.statistics["residual blocks"] < many:
                return found
            if self.large is None:
                self.large = program, self.successful[-1], found
        return None

    def _much_smaller(self, found: ResidualProgram | None) -> ResidualProgram | None:
        """The residual program that was found, or the one with calls shared that was not small,
        if there is one and it is much smaller; or nothing else was found."""
        if self.large is None:
            return found
        size = size_of_program(self.large[2].program)
        if found is None or MUCH * size <= size_of_program(found.program):
            return self._made(*self.large)
        return found

    def attempted_generalized(self) -> tuple[ResidualProgram | None, bool]:
        """The program with what grows made dynamic, if that is found with some effort; and
        whether anything that is built grows."""
        try:
            return self._generalized(self.effort(GENERALIZED))
        except Exhausted:
            raise
        except CogenError:
            return None, False
