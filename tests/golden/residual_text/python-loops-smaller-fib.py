"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from cogen.lang.prims import PRIMITIVES

less = PRIMITIVES['<'].python
floor_quotient = PRIMITIVES['floor-quotient'].python
add = PRIMITIVES['+'].python
subtract = PRIMITIVES['-'].python


# from loops.scm:45
def smaller_fib(n):
    if less(n, 30):
        return fib(n)
    return fib(floor_quotient(n, 2))


# from loops.scm:41
def fib(n_1):
    if less(n_1, 2):
        return n_1
    return add(fib(subtract(n_1, 1)), fib(subtract(n_1, 2)))
