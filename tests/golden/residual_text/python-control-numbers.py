"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from cogen.lang import datum
from cogen.lang.prims import PRIMITIVES

is_null = PRIMITIVES['null?'].python
cons = PRIMITIVES['cons'].python
sqrt = PRIMITIVES['sqrt'].python
NIL = datum.NIL
add = PRIMITIVES['+'].python
multiply = PRIMITIVES['*'].python
subtract = PRIMITIVES['-'].python
car = PRIMITIVES['car'].python
cdr = PRIMITIVES['cdr'].python


# from control.scm:33
def numbers(x, y, items):
    z, items_1 = x, items
    while True:
        if is_null(items_1):
            return cons(z, cons(sqrt(y), NIL))
        z, items_1 = add(multiply(z, y), subtract(car(items_1), 0.5)), cdr(items_1)
        continue
