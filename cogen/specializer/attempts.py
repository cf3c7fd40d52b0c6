"""One attempt at a specialization: what is specialized with what, and the specializer for it.

Which attempts there are, and in what order, is said in `cogen.specializer.specialize`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from cogen.lang import il
from cogen.lang.errors import Warnings
from cogen.specializer.analyses.allocation_sites import Site
from cogen.specializer.analyses.analyses import Analyses
from cogen.specializer.specialization import Specializer
from cogen.specializer.versions.demand import Joining
from cogen.specializer.versions.effort import (
    ANY_EFFORT,
    FIRST_NOTED,
    Effort,
    RoundsCounted,
    TooMuch,
    VersionsGrown,
)
from cogen.specializer.versions.options import SpecializerOptions


@dataclass(frozen=True, slots=True)
class SpecializationAttempt:
    """A specialization that is tried."""

    program: il.Program
    """The program, with lifts or without."""
    options: SpecializerOptions
    analyses: Analyses | None
    """What is known of the program; None if that is still to be found out."""
    effort: Effort | None
    """How much may be spent on it; None: what the limits allow."""
    lifted: frozenset[Site] | None = None
    """The sites whose values are dynamic, where what is built is watched; None if it is not."""
    noting: bool = False
    """Whether the causes of what grows are noted, for a diagnostic."""
    sharing: bool = False
    """Whether calls are shared (`execution.shared`)."""
    joining: Joining = Joining.AS_IT_IS
    """What of what arms of conditionals give is one."""
    splitting: bool = False
    """Whether addresses are split although nobody has said so (`versions.auto`)."""
    watch: Callable[[Specializer], int] | None = None
    """What looks how far it has come (`cogen.specializer.rivals`),"""
    judge: Callable[[Specializer], None] | None = None
    """and at what it has come to."""

    @property
    def gives_up(self) -> bool:
        """Whether it is given up where something grows: other attempts follow."""
        return self.effort is not None and self.lifted is None


Make = Callable[[SpecializationAttempt], Specializer]
"""What makes a specializer for an attempt."""


def usual_specializer(attempt: SpecializationAttempt) -> Specializer:
    """A specializer that watches nothing."""
    return Specializer(attempt.program, attempt.options, Warnings(), attempt.analyses)


def begun(
    attempt: SpecializationAttempt,
    make: Make,
    parts: int,
    usual: Effort,
    *,
    is_patient: bool,
    hurries: bool,
) -> Specializer:
    """A specializer for an attempt, of static data with so many parts.

    `usual` is the effort that is spent as a rule. Who `is_patient` lets what counts go on for
    longer; who `hurries` takes it that what grows will go on so where no effort ends it.
    """
    specializer = make(attempt)
    made, limits = specializer.parts, specializer.context.limits
    limits.effort = attempt.effort
    limits.usual = usual if attempt.gives_up and is_patient else None
    limits.expect(parts)
    if attempt.noting:
        limits.first_look = FIRST_NOTED
    if attempt.lifted is not None:
        made.sites.enable(attempt.lifted, attempt.noting)
    made.shared.by_static = attempt.sharing
    specializer.context.demand.joins = attempt.joining
    if attempt.splitting:
        specializer.context.auto.enabled = True
    made.growth.hurries = attempt.noting or (attempt.effort is None and hurries)
    made.growth.gives_up = attempt.gives_up
    made.growth.is_patient = is_patient
    specializer.watch, specializer.judge = attempt.watch, attempt.judge
    return specializer


@dataclass(slots=True)
class Failures:
    """The programs that came to nothing: with how much effort, None for any."""

    found: list[tuple[il.Program, Effort | None]] = field(default_factory=list)

    def has(self, program: il.Program, effort: Effort | None) -> bool:
        """Whether a program came to nothing with as much effort or more (None: as much as the
        limits allow); it would do so again."""
        return any(
            one is program and (most is None or (effort is not None and effort.within(most)))
            for one, most in self.found
        )

    def note(
        self, program: il.Program, effort: Effort, failure: Exception, is_patient: bool
    ) -> None:
        """A program came to nothing with so much effort; if not for that, it will with any.  What
        counts will go on with more of it, where there was patience."""
        is_effort = isinstance(failure, TooMuch) and not isinstance(failure, VersionsGrown)
        if is_patient and isinstance(failure, RoundsCounted):
            effort = ANY_EFFORT
        self.found.append((program, effort if is_effort else None))
