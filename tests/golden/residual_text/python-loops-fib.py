"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from cogen.lang.prims import PRIMITIVES

less = PRIMITIVES['<'].python
add = PRIMITIVES['+'].python
subtract = PRIMITIVES['-'].python


# from loops.scm:41
def fib(n):
    if less(n, 2):
        return n
    return add(fib(subtract(n, 1)), fib(subtract(n, 2)))
