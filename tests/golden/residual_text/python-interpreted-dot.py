"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from cogen.lang.prims import PRIMITIVES

add = PRIMITIVES['+'].python
multiply = PRIMITIVES['*'].python


# from interpreted.scm:39
def dot(ys, ys_1, ys_2):
    return add(multiply(2, ys), add(multiply(0, ys_1), multiply(5, ys_2)))
