"""Which tests of a program look at data of the run in some cases: they steer nothing that has to be
known.

    (define (compare name a b)
      (case name ((<) (< a b)) …))          of the run: a or b is what a run gives, or a constant
    (define (run code pc)
      (if (= pc (vector-length code)) …))   steers: pc is always known

An interpreter's test of values is left in the residual program where these are data of the run; if
one is known in some versions, nothing but this test is spared in them.  Where a number decides what
the interpreter does, the analysis (`advice.flow`) finds that it is never data.

Law: advice only; the specializer means the same with any of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cogen import binding_times
from cogen.among import COMPARISONS
from cogen.lang import il
from cogen.lang.errors import Span
from cogen.lang.ilutil import own_blocks
from cogen.specializer.advice.flow import Flow
from cogen.specializer.advice.texts import is_user
from cogen.specializer.advice.values import DATA, UNKNOWN
from cogen.specializer.versions.demand import CONDITIONAL


class RunTests:
    """The tests of data of the run, by operation and place."""

    def __init__(self, program: il.Program, entry: str, bts: Sequence[binding_times.BT]) -> None:
        self._known = frozenset(_tests(Flow(program, entry, bts)))

    def has(self, op: str, place: Span | None) -> bool:
        """Whether an operation at a place, or the conditional there, is such a test."""
        return place is not None and (op, place) in self._known


def _tests(flow: Flow) -> Iterator[tuple[str, Span]]:
    for function, context in flow.bodies:
        if not is_user(function):
            continue
        for block in own_blocks(function.body):
            tests = [
                (let.op, let.arguments, let.span)
                for let in block.bindings
                if type(let) is il.Let and let.op in COMPARISONS
            ]
            if type(block.tail) is il.If:
                tests.append((CONDITIONAL, (block.tail.test,), block.tail.span))
            for op, atoms, span in tests:
                nodes = [flow.atom(context, block, a) for a in atoms if type(a) is il.Var]
                if span is not None and any(n.tokens & {DATA, UNKNOWN} for n in nodes):
                    yield op, span
