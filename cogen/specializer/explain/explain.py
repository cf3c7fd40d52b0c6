"""il.Program, binding times -> residual program, and an `Explanation` of it.

The specializer that notes (`explain.watch`) takes the place of the usual one; which
attempts there are, and which counts, is decided as always (`cogen.specializer.specialize`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from cogen import binding_times
from cogen.lang import il
from cogen.lang.errors import Span, Warnings
from cogen.lang.ilutil import all_blocks
from cogen.lang.shown import brief, counted
from cogen.residual import ResidualProgram
from cogen.specializer.analyses.allocation_sites import Growing
from cogen.specializer.attempts import SpecializationAttempt
from cogen.specializer.explain.decisions import RULES, Decision, KnownRule
from cogen.specializer.explain.find import find_decisions, find_values
from cogen.specializer.explain.show import ShownVariable, Tried, show
from cogen.specializer.explain.watch import WatchedSpecializer
from cogen.specializer.rivals import Outgrown
from cogen.specializer.specialize import SpecializationTask, carried_out
from cogen.specializer.values.domain import Assigned, ObjectsDiffer
from cogen.specializer.versions.demand import Joining
from cogen.specializer.versions.effort import TooMuch, VersionsGrown
from cogen.specializer.versions.limits import Endless
from cogen.specializer.versions.options import SpecializerOptions


@dataclass(frozen=True)
class Explanation:
    """What was decided at each place of a program that was specialized.

    `attempts` are the ways that were tried, the last of them with success; `decisions` those that
    led to the residual program, in the order of the program's text.
    """

    entry: str
    division: tuple[str, ...]
    attempts: tuple[Tried, ...]
    decisions: tuple[Decision, ...]
    values: tuple[KnownRule, ...] = ()
    """The values of places, as far as they were known."""

    def __repr__(self) -> str:
        call = brief(" ".join([self.entry, *self.division]))
        return f"<explanation of ({call}): {counted(len(self.decisions), 'decision')}>"

    @property
    def variables(self) -> tuple[ShownVariable, ...]:
        """What is known of each variable of the user's procedures, over all versions."""
        counts: dict[tuple[str, str, Span], Counter[str]] = {}
        for one in self.decisions:
            if one.kind == "variable":
                found = counts.setdefault((one.procedure, one.what, one.place), Counter())
                found[one.verdict] += one.times
        return tuple(ShownVariable(*key, dict(found)) for key, found in counts.items())

    def _repr_html_(self) -> str:
        """The text, for notebooks."""
        from html import escape

        return f"<pre>{escape(self.text)}</pre>"

    @property
    def text(self) -> str:
        """The program's text with notes, in 100 columns."""
        return show(self.entry, self.division, self.attempts, self.decisions, self.variables)

    def json(self) -> dict[str, object]:
        """As data: what `json.dumps` takes."""
        rules = {one.rule: RULES[one.rule]._asdict() for one in self.decisions}
        return {
            "entry": self.entry,
            "binding times": list(self.division),
            "attempts": [one._asdict() for one in self.attempts],
            "decisions": [one.json() for one in self.decisions],
            "variables": [one.json() for one in self.variables],
            "rules": rules,
        }

    def __str__(self) -> str:
        return self.text


class Explained(NamedTuple):
    """A residual program, and why it is what it is."""

    program: ResidualProgram
    explanation: Explanation


def explain(
    program: il.Program,
    entry: str,
    bts: Sequence[binding_times.BT],
    options: SpecializerOptions | None = None,
    warnings: Warnings | None = None,
) -> Explained:
    """The residual program that `cogen.specializer.specialize` gives, and the decisions that led
    to it; raises what that raises."""
    options, warnings = options or SpecializerOptions(), warnings or Warnings()
    attempts = _Attempts(program)
    attempts.task = SpecializationTask(program, entry, bts, options, warnings, None, attempts.make)
    residual = carried_out(attempts.task)
    made_by = attempts.successful
    division = tuple(map(binding_times.show_bt, bts))
    decisions, values = tuple(find_decisions(made_by)), tuple(find_values(made_by))
    return Explained(residual, Explanation(entry, division, attempts.told(), decisions, values))


class _Attempts:
    """Makes a specializer for each attempt, and keeps them."""

    task: SpecializationTask

    def __init__(self, program: il.Program) -> None:
        self._made: dict[WatchedSpecializer, str] = {}
        """The specializers, and what the attempt is."""
        self._lifted = frozenset(
            binding.span
            for block in all_blocks(program)
            for binding in block.bindings
            if type(binding) is il.Let and binding.op == "lift"
        )

    def make(self, attempt: SpecializationAttempt) -> WatchedSpecializer:
        """The specializer for the next attempt."""
        program, options = attempt.program, attempt.options
        made = WatchedSpecializer(program, options, Warnings(), attempt.analyses)
        made.notes.lifted = self._lifted
        how = "as it is"
        if program is not self.task.program:
            step = next(step for step in self.task.advice if step.program is program)
            made.notes.advised = step.lifts
            count = "1 lift" if len(step.lifts) == 1 else f"{len(step.lifts)} lifts"
            how = f"with {count} that the analysis of the whole program asks for"
        elif options.generalize:
            how = "with what grows made dynamic"
        how += ", with calls shared" if attempt.sharing else ""
        how += _JOINED[attempt.joining]
        self._made[made] = how
        return made

    @property
    def successful(self) -> WatchedSpecializer:
        """What made the residual program."""
        found = self.task.made_by
        assert isinstance(found, WatchedSpecializer)
        return found

    def told(self) -> tuple[Tried, ...]:
        """All attempts, the successful one last."""
        others = [made for made in self._made if made is not self.successful]
        tried = dict.fromkeys(Tried(self._made[one], _outcome(one)) for one in others)
        return (*tried, Tried(self._made[self.successful], "this is the residual program"))


_JOINED: Final = {
    Joining.AS_IT_IS: "",
    Joining.OF_RUN: ", with what arms give one for tests of the run",
    Joining.DATA: ", with what arms give one wherever no test asks which it is",
    Joining.TESTED: ", with what arms give one for all tests",
}


def _outcome(attempt: WatchedSpecializer) -> str:
    """How an attempt came to nothing."""
    match attempt.given_up:
        case None | Outgrown():
            return "its residual program is larger, or hardly smaller"
        case VersionsGrown():
            return "given up: its versions grow one from another"
        case TooMuch():
            return "given up: it cost much for its size"
        case Endless() as error:
            return f"given up: {error.message}"
        case Growing():
            return "begun again: it is known what builds that which grows"
        case Assigned():
            return "begun again: pairs that were taken for immutable may be assigned"
        case ObjectsDiffer():
            return "begun again: objects that were taken for never assigned again are"
    return "given up"
