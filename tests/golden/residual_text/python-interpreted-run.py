"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from cogen.lang.prims import PRIMITIVES

multiply = PRIMITIVES['*'].python
less = PRIMITIVES['<'].python
subtract = PRIMITIVES['-'].python


# from interpreted.scm:15
def run_2(argument):
    t = multiply(2, argument)
    if less(t, 10):
        return subtract(t, argument)
    return subtract(100, argument)
