"""`python -m tests.corpus.report [NAME | NAME/CASE …]`: a table of what becomes of the cases.

--compile    run the residual programs through C too
--generate   compare with what generating extensions give
--grow       the programs of 1, 2, 4 and 8 times the size too
--show       print the residual programs
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from tests.corpus.cases import FACTORS, Case, interpreter, names
from tests.corpus.measure import Outcome, measure

MOST = 2.5
"""So many times as large as the ideal a residual program may be."""

HEAD = f"{'case':34} {'ends':5} {'sec':>5} {'size':>6} {'ratio':>6}  int py  C   gen  what is wrong"


def chosen(wanted: list[str], grown: bool) -> Iterator[Case]:
    """The cases of these names; all if there are none."""
    for name in wanted or names():
        owner, _, one = name.partition("/")
        found = interpreter(owner)
        cases = list(found.cases)
        if (grown or one.startswith("grow-")) and found.template is not None:
            cases += [found.grown(factor) for factor in FACTORS]
        yield from (case for case in cases if not one or case.name == one)


def row(case: Case, outcome: Outcome) -> str:
    """A line of the table."""
    signs = [
        "yes" if way == "yes" else "-" if way == "-" else "NO"
        for way in (outcome.interpreted, outcome.python, outcome.compiled, outcome.generated)
    ]
    ends = "yes" if outcome.failure is None else "NO"
    return (
        f"{case.id:34} {ends:5} {outcome.seconds:5.2f} {outcome.size:6} {outcome.ratio:6.2f}  "
        f"{' '.join(f'{sign:3}' for sign in signs)}  {'; '.join(outcome.faults(MOST))}"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="tests.corpus.report", description=__doc__)
    parser.add_argument("names", nargs="*", help="interpreters, or INTERPRETER/CASE; else all")
    for flag in ("compile", "generate", "grow", "show"):
        parser.add_argument(f"--{flag}", action="store_true")
    options = parser.parse_args()
    print(HEAD)
    good = count = 0
    for case in chosen(options.names, options.grow):
        outcome = measure(case, options.compile, options.generate)
        count += 1
        good += not outcome.faults(MOST)
        print(row(case, outcome), flush=True)
        if options.show and outcome.text:
            print(outcome.text)
    print(f"{good} of {count} as they should be")


if __name__ == "__main__":
    main()
