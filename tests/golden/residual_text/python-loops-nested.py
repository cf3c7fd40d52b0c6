"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from cogen.lang.prims import PRIMITIVES

equal = PRIMITIVES['='].python
add = PRIMITIVES['+'].python
multiply = PRIMITIVES['*'].python


# from loops.scm:20
def nested(rows, columns):
    sum_2, i = 0, 0
    while True:
        if equal(i, rows):
            return sum_2
        sum_1, j = sum_2, 0
        while True:
            if equal(j, columns):
                sum_2, i = sum_1, add(i, 1)
                break
            sum_1, j = add(sum_1, multiply(i, j)), add(j, 1)
            continue
        continue
