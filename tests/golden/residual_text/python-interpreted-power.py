"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from cogen.lang.prims import PRIMITIVES

multiply = PRIMITIVES['*'].python
square = PRIMITIVES['square'].python


# from interpreted.scm:9
def power(x):
    return multiply(x, square(square(x)))
