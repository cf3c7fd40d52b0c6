"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from cogen.lang.prims import PRIMITIVES

equal = PRIMITIVES['='].python
is_even = PRIMITIVES['even?'].python
quotient = PRIMITIVES['quotient'].python
add = PRIMITIVES['+'].python
multiply = PRIMITIVES['*'].python


# from loops.scm:35
def collatz(n):
    steps, n_1 = 0, n
    while True:
        if equal(n_1, 1):
            return steps
        if is_even(n_1):
            t = quotient(n_1, 2)
            steps, n_1 = add(steps, 1), t
            continue
        t_1 = multiply(3, n_1)
        steps, n_1 = add(steps, 1), add(t_1, 1)
        continue
