"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from cogen.lang.prims import PRIMITIVES

less = PRIMITIVES['<'].python
error = PRIMITIVES['error'].python
greater = PRIMITIVES['>'].python
subtract = PRIMITIVES['-'].python
add = PRIMITIVES['+'].python
multiply = PRIMITIVES['*'].python


# from loops.scm:78
def checked_root(n):
    if less(n, 0):
        return error('no root of a negative number:', n)
    if greater(1, n):
        return 0
    r, t_1 = 2, 4
    while True:
        if greater(t_1, n):
            return subtract(r, 1)
        r_2 = add(r, 1)
        r, t_1 = r_2, multiply(r_2, r_2)
        continue
