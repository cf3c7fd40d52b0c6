"""C for operations on integers where an operand is a float: it must have no fraction.

(quotient x 2), x a float  ->  if (fmod(x, 1.0) != 0.0) ...; cogen_float_quotient(x, 2.0)
"""

from __future__ import annotations

from cogen.backends.ctree import values as ct
from cogen.backends.ctree.values import F64, CValue
from cogen.backends.kernel import structured as st
from cogen.backends.kernel.ccontext import RuleContext
from cogen.backends.kernel.types import FLOAT


def has_floats(c: RuleContext, o: st.Op) -> bool:
    """Whether an operand is a float."""
    return any(c.type_of(x) == FLOAT for x in o.arguments)


def whole_floats(c: RuleContext, o: st.Op, divides: bool = False) -> list[CValue]:
    """The operands as doubles; code that fails where one is no integer, or where the last one is
    zero if it divides."""
    operands = [c.settled(x) for x in o.arguments]
    one, zero = ct.floating(1.0), ct.floating(0.0)
    tests = [
        ct.compare("!=", ct.call("fmod", F64, x, one), zero) for x in operands if x.type == F64
    ]  # of what is infinite it is a NaN
    if divides:
        last = operands[-1]
        tests.append(ct.compare("==", last, zero if last.type == F64 else ct.integer(0)))
    c.fail_if(ct.either(*tests), o, *operands)
    return [ct.converted(x, F64) for x in operands]
