"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from cogen.backends.python.pyprogram import run
from cogen.lang.prims import PRIMITIVES

is_false = PRIMITIVES['not'].python
quotient = PRIMITIVES['quotient'].python
less = PRIMITIVES['<'].python
floor_quotient = PRIMITIVES['floor-quotient'].python
subtract = PRIMITIVES['-'].python


# from loops.scm:58
def in_turn(n):
    if run(ping(n)) is not False:
        return is_false(run(pong(n)))
    return pong(quotient(n, 2))


# from loops.scm:61
def ping(n_1):
    if less(n_1, 1):
        return True
    if run(ping(floor_quotient(n_1, 3))) is not False:
        return lambda a1=subtract(n_1, 1): pong(a1)
    return False


# from loops.scm:64
def pong(n_3):
    if less(n_3, 1):
        return False
    if run(pong(floor_quotient(n_3, 5))) is not False:
        return True
    return lambda a1=subtract(n_3, 1): ping(a1)
