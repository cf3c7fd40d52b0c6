"""The rules by which something becomes static or dynamic, and the decisions made by them.

    Decision ::= (place, kind, what, verdict, rule, reason, procedure, times)

A decision is about a variable, an operation, a test, a call, a loop, a procedure or a mutable
object of the *user's* program; what happens inside a library is told at the call that led there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from cogen.lang.errors import Span

STATIC: Final = "static"
DYNAMIC: Final = "dynamic"
CYCLIC: Final = "cyclic"
MASKED: Final = "masked"
PARTIAL: Final = "partially static"
GENERALISED: Final = "generalised"
KEPT: Final = "kept"
DECIDED: Final = "decided"
RESIDUAL: Final = "residual"
UNFOLDED: Final = "unfolded"
CALLED: Final = "residual call"
MEMO: Final = "memo point"
LOOP: Final = "loop"
PROCEDURE: Final = "residual procedure"
SPLIT: Final = "split"
ESCAPED: Final = "escaped"

KNOWLEDGE: Final = (STATIC, PARTIAL, CYCLIC, MASKED, DYNAMIC)
"""What may be known of a value, from all to nothing."""


class ToldRule(NamedTuple):
    """What a rule says, and where it comes from: a seed, the literature, or a section of
    docs/specializer.md."""

    law: str
    source: str


ONLINE: Final = "online partial evaluation (Ruf 1993), docs/specializer.md"
RULES: Final = {
    "values": ToldRule("an operation is carried out if what it needs is known", ONLINE),
    "conditional": ToldRule(
        "a conditional whose test is not known is a memo point",
        "memoisation at dynamic conditionals (Bondorf and Danvy 1991), 'What unfolds, what stays'",
    ),
    "bounds": ToldRule("the bounds of integers decide a test", "'Bounds'"),
    "unfolding": ToldRule("a call of a known procedure is unfolded", "'What unfolds, what stays'"),
    "library": ToldRule(
        "procedures of the library are unfolded as those of the program are",
        "'What unfolds, what stays'",
    ),
    "recursion": ToldRule(
        "a call inside of a call with the same static arguments is left",
        "'What unfolds, what stays'",
    ),
    "same-state": ToldRule(
        "where the same static state comes back, the residual program jumps back",
        "polyvariant specialization (Bulyonkov 1984), 'What unfolds, what stays'",
    ),
    "unknown-procedure": ToldRule(
        "a call of a procedure that is not known is left", "'What unfolds, what stays'"
    ),
    "dcall": ToldRule("`dcall` is a memo point", "'What unfolds, what stays'"),
    "rcall": ToldRule("`rcall` is left as it is", "'What unfolds, what stays'"),
    "library-call": ToldRule(
        "a library procedure is called where nothing that is known steers it",
        "'What unfolds, what stays'",
    ),
    "shared": ToldRule(
        "a recursion is one residual procedure for all its calls of which nothing is known, or the "
        "same",
        "'What unfolds, what stays'",
    ),
    "effect": ToldRule("control and effects of a run are left to it", "'What unfolds, what stays'"),
    "lift": ToldRule("`lift` makes a value dynamic", "'What unfolds, what stays'"),
    "set-base": ToldRule("`set-base` makes an integer cyclic", "Draves 1997, 'set-base'"),
    "auto": ToldRule(
        "--auto places `set-base`", "Draves 1997, 'set-base'; 'Addresses without annotations'"
    ),
    "demand": ToldRule(
        "what is known but never asked for is made dynamic", "'What nobody asks for'"
    ),
    "cyclic-demand": ToldRule(
        "of an integer whose remainder alone is asked for, the quotient is given up",
        "Draves 1997, 'What nobody asks for'",
    ),
    "upward": ToldRule(
        "a number known on the first arrival only is not",
        "upward generalisation, 'What unfolds, what stays'",
    ),
    "whistle": ToldRule(
        "what grows from version to version is made dynamic",
        "homeomorphic embedding (Sørensen and Glück 1995), 'What `--generalize` does'",
    ),
    "site": ToldRule(
        "what grows is made dynamic where it is built", "'What `--generalize` does'"
    ),
    "advice": ToldRule(
        "the analysis of the whole program puts a `lift` here",
        "boundedness (Glenstrup and Jones 2005), 'The whole program is asked'",
    ),
    "escape": ToldRule(
        "a mutable object that code of the run may reach becomes one of the residual program",
        "'What unfolds, what stays'",
    ),
}  # fmt: skip


class KnownRule(NamedTuple):
    """Values that a place of the program was known to have, as texts: in some of its versions, or
    in all (which of these, the decisions tell)."""

    place: Span
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision, or `times` equal ones in as many versions of a place.

    `kind` is variable, operation, test, call, loop, procedure or object; `what` is its name or
    text; `rule` one of `RULES`; `procedure` the procedure of the program that a variable is in.
    """

    place: Span
    kind: str
    what: str
    verdict: str
    rule: str
    reason: str = ""
    procedure: str = ""
    times: int = 1

    def json(self) -> dict[str, object]:
        """As data: the place as file, line and column from 1 (`end_` is behind the last)."""
        source = self.place.source
        line, column = source.position(self.place.start)
        end_line, end_column = source.position(self.place.end)
        rule = RULES[self.rule]
        return {
            "file": source.name,
            "line": line,
            "column": column,
            "end_line": end_line,
            "end_column": end_column,
            "kind": self.kind,
            "what": self.what,
            "verdict": self.verdict,
            "rule": self.rule,
            "law": rule.law,
            "source": rule.source,
            "reason": self.reason,
            "procedure": self.procedure,
            "times": self.times,
        }
