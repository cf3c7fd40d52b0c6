"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from cogen.lang.prims import PRIMITIVES

greater = PRIMITIVES['>'].python
multiply = PRIMITIVES['*'].python
subtract = PRIMITIVES['-'].python


# from loops.scm:16
def down(n):
    i, product = n, 1
    while True:
        if greater(i, 0):
            t = multiply(i, product)
            i, product = subtract(i, 2), t
            continue
        return product
