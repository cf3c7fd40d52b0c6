"""What is to be specialized, and attempts at it, with what they lead to.

In what order they are made is said in `cogen.specializer.specialize`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from cogen import binding_times
from cogen.lang import il
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, Span, Warnings
from cogen.lang.governor import Exhausted
from cogen.residual import ResidualProgram
from cogen.specializer.advice.advisedprogram import (
    CODE,
    AdvisedProgram,
)
from cogen.specializer.advice.steps import AdviceSteps
from cogen.specializer.analyses.allocation_sites import Growing, Site
from cogen.specializer.analyses.analyses import Analyses, analyses_of
from cogen.specializer.attempts import (
    Failures,
    Make,
    SpecializationAttempt,
    begun,
)
from cogen.specializer.beginning_again import carried_through
from cogen.specializer.rivals import Challenge
from cogen.specializer.specialization import Specializer
from cogen.specializer.versions.demand import Demand, Joining
from cogen.specializer.versions.effort import (
    LEAST_UNFOLDINGS,
    PARTED,
    Effort,
    TooMuch,
    is_of_memory,
    size_of_data,
    usual_effort,
    usual_size,
)
from cogen.specializer.versions.limits import Endless, Limits
from cogen.specializer.versions.options import SpecializerOptions

ATTEMPT: Final = 10
"""The part of --max-unfoldings that a block may unfold while `growth.growth_detection` is
tried."""


@dataclass
class Trying:
    """What is to be specialized, what has been tried, and what that has led to."""

    program: il.Program
    entry: str
    bts: Sequence[binding_times.BT]
    options: SpecializerOptions
    warnings: Warnings
    analyses: Analyses | None
    make: Make
    lifted: frozenset[Site] = frozenset()
    """What builds that which grows, as far as it was found."""
    is_patient: bool = False
    """Whether the advice there is has come to nothing, so that what counts may go on for longer."""
    is_built: bool = False
    """Whether anything else than numbers is among it."""
    made_by: Specializer | None = None
    """What made the residual program, when there is one."""
    successful: list[Specializer] = field(default_factory=list)
    """What made that and others, of which it was chosen."""
    hurries: bool = False
    """Whether all but the last attempts have come to nothing, so that what grows will go on so."""
    endless: Endless | None = None
    """Why the program as it is comes to no end with any effort, if that is known."""
    made_from: il.Program | None = None
    """The program, with lifts or without, that it was made from."""
    failures: Failures = field(default_factory=Failures)
    """The programs, with lifts or without, that came to nothing."""
    shared: list[il.Program] = field(default_factory=list)
    """Those that were tried with calls shared."""
    large: tuple[il.Program, Specializer, ResidualProgram] | None = None
    """The first of these that led to a residual program which is not small."""
    asked: list[tuple[il.Program, Specializer, ResidualProgram]] = field(default_factory=list)
    """Programs with lifts that were asked for while the program as it is was specialized, and what
    they led to."""
    is_overtaken: bool = False
    """Whether one of these was taken."""
    tested: set[tuple[str, Span | None]] = field(default_factory=set)
    """The tests for which, in the program as it is, what arms of conditionals give had to be known
    (`versions.demand`)."""
    has_joined: bool = False
    """Whether it was tried without that (`joined`)."""
    is_parted: bool = False
    """Whether many versions of the program as it is are for nothing but other data that arms
    gave."""
    challenge: Challenge | None = None
    """What looks at attempts that are to lead to less than what was found."""
    has_grown: bool = False
    """Whether something has grown, or too many calls were unfolded, in the program as it is."""

    @cached_property
    def _parts(self) -> int:
        """The parts of what is static."""
        return size_of_data(self.bts)

    @cached_property
    def _is_of_memory(self) -> bool:
        """Whether buffers are read and written."""
        return any(map(is_of_memory, self.bts))

    @cached_property
    def advice(self) -> AdviceSteps:
        """What there is to say about the program."""
        return on_deep_stack(self._known.advice, self.entry, self.bts, self._is_of_memory)

    @property
    def _known(self) -> Analyses:
        """What is found out about the program."""
        return self.analyses or analyses_of(self.program)

    @cached_property
    def _size(self) -> int:
        """The size of the program and of what is static."""
        return usual_size(self.program, self.bts)

    def effort(self, times: int = 1) -> Effort:
        """So many times the usual effort."""
        return usual_effort(self._size, times)

    def _effort_for(self, step: AdvisedProgram, times: int = 1) -> Effort:
        """The usual effort for a step, so many times."""
        usual = self.effort(times)
        return Effort(usual.versions, usual.unfoldings * step.calls, usual.values * step.calls)

    def _effort_beside(self, step: AdvisedProgram, spent: float) -> Effort:
        """The effort for a step where so many calls were unfolded without: an interpreter that is
        left has taken few."""
        effort = self._effort_for(step)
        if step.of == CODE or self._is_of_memory:
            return effort
        most = int(min(effort.unfoldings, 2 * spent + LEAST_UNFOLDINGS))
        return replace(effort, unfoldings=most)

    # -- attempts --------------------------------------------------------------------------------

    def plain(
        self, effort: Effort | None = None, watch: Callable[[Specializer], int] | None = None
    ) -> ResidualProgram:
        """The program as it is, with so much effort; `watch` may end that."""
        options = self.options
        return self._run(
            SpecializationAttempt(self.program, options, self.analyses, effort, watch=watch)
        )

    def _advised(self, step: AdvisedProgram, effort: Effort) -> ResidualProgram:
        """The program with the lifts of a step."""
        for asked in self.asked:
            if asked[0] is step.program:
                return self._made(*asked)
        analyses = self._known.advised(step)
        return self._run(SpecializationAttempt(step.program, self.options, analyses, effort))

    def _sharing(self, program: il.Program) -> ResidualProgram:
        """A program, with lifts or without, with calls shared (`execution.shared`)."""
        step = next((step for step in self.advice if step.program is program), None)
        analyses, effort = self.analyses, self.effort()
        if step is not None:
            analyses, effort = self._known.advised(step), self._effort_for(step)
        self.shared.append(program)
        return self._run(
            SpecializationAttempt(program, self.options, analyses, effort, sharing=True)
        )

    @property
    def _asks_of_run(self) -> bool:
        """Whether some of what the program as it is had to know is for tests that look at data of
        the run; if not, what is joined for these (`Joining.OF_RUN`) would only do the same."""
        if not self.tested:
            return False
        run_tests = on_deep_stack(self._known.run_tests, self.entry, self.bts)
        return any(run_tests.has(op, place) for op, place in self.tested)

    def joined(self, joining: Joining) -> ResidualProgram:
        """The program as it is, where more of what arms of conditionals give is one variable."""
        options, effort = self.options, self.effort()
        return self._run(
            SpecializationAttempt(self.program, options, self.analyses, effort, joining=joining)
        )

    def generalized(self, effort: Effort | None = None) -> ResidualProgram | None:
        """The program with what grows made dynamic; None if that leads nowhere."""
        return self._generalized(effort)[0]

    def _generalized(self, effort: Effort | None) -> tuple[ResidualProgram | None, bool]:
        """The specialization that `growth.growth_detection` leads to, begun again for each site
        that is to be lifted (`analyses.allocation_sites`), each time with so much effort, if it
        leads anywhere; and whether anything that is built is lifted, or numbers alone."""
        options = replace(
            self.options,
            generalize=True,
            max_size=-(-self.options.max_size // 2),
            max_unfoldings=-(-self.options.max_unfoldings // ATTEMPT),
        )
        while True:
            try:
                one = SpecializationAttempt(
                    self.program, options, self.analyses, effort, self.lifted
                )
                return self._run(one), self.is_built
            except Growing as growing:
                self.lifted |= growing.sites
                self.is_built = self.is_built or growing.is_built
            except (TooMuch, Endless):
                return None, self.is_built

    def noted(
        self,
        program: il.Program,
        options: SpecializerOptions,
        effort: Effort,
        lifted: Iterable[Site] = (),
    ) -> ResidualProgram:
        """A program with what some sites build made dynamic; if that comes to no end, the
        diagnostic knows the causes."""
        return self._run(
            SpecializationAttempt(program, options, None, effort, frozenset(lifted), noting=True)
        )

    def _run(self, attempt: SpecializationAttempt) -> ResidualProgram:
        """What an attempt leads to; that it comes to nothing is noted where it would again."""
        counted: list[tuple[Demand, Limits]] = []
        if self.challenge is not None:
            attempt = replace(attempt, watch=self.challenge.watch, judge=self.challenge.judge)

        def begin() -> Specializer:
            specializer = begun(
                attempt, self.make, self._parts, self.effort(),
                is_patient=self.is_patient, hurries=self.hurries,
            )  # fmt: skip
            counted.append((specializer.context.demand, specializer.context.limits))
            return specializer

        try:
            specializer, found = carried_through(begin, self.entry, self.bts)
        except Exhausted:
            raise
        except (TooMuch, CogenError) as failure:
            is_usual = not attempt.sharing and not attempt.joining
            if attempt.effort is not None and attempt.lifted is None and is_usual:
                self.failures.note(attempt.program, attempt.effort, failure, self.is_patient)
            raise
        finally:
            if attempt.program is self.program:
                for demand, limits in counted[-1:]:
                    self.tested.update(demand.tested)
                    self.is_parted |= demand.parted > PARTED * limits.versions
        self.successful.append(specializer)
        return self._made(attempt.program, specializer, found)

    def _made(
        self, program: il.Program, specializer: Specializer, found: ResidualProgram
    ) -> ResidualProgram:
        """Take a residual program."""
        self.warnings.messages += specializer.context.warnings.messages
        self.made_by, self.made_from = specializer, program
        return found
