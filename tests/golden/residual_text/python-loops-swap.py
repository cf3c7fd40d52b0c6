"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from cogen.lang.prims import PRIMITIVES

equal = PRIMITIVES['='].python
subtract = PRIMITIVES['-'].python


# from loops.scm:75
def swap(n, a, b):
    a_1, b_1, n_1 = a, b, n
    while True:
        if equal(n_1, 0):
            return subtract(a_1, b_1)
        a_1, b_1, n_1 = b_1, a_1, subtract(n_1, 1)
        continue
