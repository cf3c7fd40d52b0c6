"""A specialization that comes to no end -> where what grows is built, and the edit that settles it.

The program is specialized once more, with smaller limits, and it is noted which place of it builds
what (`execution.causes`).  Then it is tried whether it ends if that is made dynamic there, as by
`(lift …)`; if something else shows then that grows, that too.  So what the diagnostic says to write
has been tried.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final, Protocol

from cogen.lang import il
from cogen.lang.errors import CogenError, Note, Span
from cogen.lang.governor import Exhausted
from cogen.specializer.advice.advisedprogram import AdvisedProgram
from cogen.specializer.versions.cause import Cause
from cogen.specializer.versions.effort import Effort, TooMuch
from cogen.specializer.versions.limits import Endless
from cogen.specializer.versions.options import SpecializerOptions

VERSIONS: Final = 128
UNFOLDINGS: Final = 20_000
"""The limits with which what grows is looked for."""

MOST_CAUSES: Final = 3
"""Places that are tried one after the other,"""

MOST_EDITS: Final = 4
"""each with so many that show when it is dynamic."""

MOST_TRIED: Final = 4
"""So many specializations are tried in all."""

LOOKING: Final = 16
"""So many times the usual effort may be spent to look for what grows,"""

TRYING: Final = 4
"""and to try whether the program ends without."""

LONG: Final = 60
"""Characters of an expression that are said again in a hint."""


class Attempts(Protocol):
    """What is to be specialized, and how it is tried (`cogen.specializer.specialize`)."""

    program: il.Program
    options: SpecializerOptions

    @property
    def advice(self) -> Iterable[AdvisedProgram]:
        """What there is to say about the program."""

    def effort(self, times: int = 1) -> Effort:
        """So many times the usual effort."""

    def noted(
        self,
        program: il.Program,
        options: SpecializerOptions,
        effort: Effort,
        lifted: Iterable[Hashable] = (),
    ) -> object:
        """Specialize a program with what some sites build made dynamic; if that comes to no end,
        the diagnostic knows the causes."""


def told_with_cause(task: Attempts, stopped: Endless) -> Endless:
    """The diagnostic with what grows, its last values and what to write; with a note on what grows
    if nothing to write was found."""
    found = _causes(task)
    if found is None or not found.causes:
        return stopped
    edits = _edits(task, found)
    first = found.causes[0] if edits is None else edits[0]
    values = f"{_subject(first)} was {', then '.join(first.values)}"
    if edits is None and not stopped.certain:
        if stopped.notes and stopped.is_of_versions:
            stopped.notes = (Note(values, first.place), *stopped.notes)
        return stopped
    calls = () if found.span is None else found.span.calls or ()
    place = first.place if first.place.calls is not None else first.place.reached(calls)
    told = Endless(
        _message(found, first),
        place,
        _hint(stopped, edits),
        [Note(values), *_versions(found, place)],
        found.states,
        found.whence,
        found.certain,
    )
    told.causes = found.causes
    return told


def _versions(found: Endless, place: Span) -> list[Note]:
    """Where each of what grows has a version."""
    if found.certain or found.span is None or found.span == place:
        return []
    return [Note("there is a version of this for each", found.span)]


def _subject(cause: Cause) -> str:
    return cause.name or "what is built here"


def _message(found: Endless, cause: Cause) -> str:
    if found.certain:
        return (
            f"specialization does not seem to end: {_subject(cause)} is another one {found.whence}"
            ", and no test on the way will turn out differently"
        )
    return f"specialization does not seem to end: {_subject(cause)} grows {found.whence}"


def _hint(stopped: Endless, edits: Sequence[Cause] | None) -> str | None:
    if edits is None:
        return stopped.hint
    first, *others = edits
    texts = [f"write {_lifted(first)} here"]
    texts += [f"{_lifted(other)} at {other.place}" for other in others]
    return f"{' and '.join(texts)}, and specialization ends"


def _lifted(cause: Cause) -> str:
    text = " ".join(cause.text.split())
    return f"(lift {text})" if len(text) <= LONG else "(lift …) around this"


def _causes(task: Attempts) -> Endless | None:
    """Why the program comes to no end, with the causes."""
    for program in (task.program, *(step.program for step in [*task.advice][-1:])):
        try:
            task.noted(program, _limited(task), task.effort(LOOKING))
        except Endless as found:
            if found.causes:
                return found
        except Exhausted:
            raise
        except (TooMuch, CogenError):
            continue
    return None


def _limited(task: Attempts) -> SpecializerOptions:
    """The task's options, with limits that what grows soon comes to."""
    options = task.options
    return replace(
        options,
        max_variants=min(options.max_variants, VERSIONS),
        max_unfoldings=min(options.max_unfoldings, UNFOLDINGS),
    )


def _edits(task: Attempts, found: Endless) -> list[Cause] | None:
    """Where to write a `lift` so that the program ends; None if that was not found."""
    tries = iter(range(MOST_TRIED))
    for program in (task.program, *(step.program for step in task.advice)):
        for cause in found.causes[:MOST_CAUSES]:
            edits = _settled(task, program, cause, tries)
            if edits is not None:
                return edits
    return None


def _settled(
    task: Attempts, program: il.Program, cause: Cause, tries: Iterator[int]
) -> list[Cause] | None:
    """The cause and others that show when it is no more, if the program ends without them, as far
    as there are `tries` left."""
    edits = [cause]
    for _ in islice(tries, MOST_EDITS):
        sites = [edit.site for edit in edits]
        try:
            task.noted(program, _limited(task), task.effort(TRYING), sites)
        except Endless as other:
            new = [one for one in other.causes if one.site not in sites]
            if not new:
                return None
            edits.append(new[0])
        except Exhausted:
            raise
        except (TooMuch, CogenError):
            return None
        else:
            return edits
    return None
