"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from cogen.lang import datum
from cogen.lang.prims import PRIMITIVES
from cogen.lang.reader import read_datum

car = PRIMITIVES['car'].python
cdr = PRIMITIVES['cdr'].python
is_eq = PRIMITIVES['eq?'].python
constant = read_datum('a')
constant_2 = read_datum('(a . 1)')
constant_3 = read_datum('b')
constant_4 = read_datum('(b . 2)')
cons = PRIMITIVES['cons'].python
constant_5 = read_datum('end')
NIL = datum.NIL


# from data.scm:13
def walk(tree):
    left = car(tree)
    right = cdr(tree)
    if is_eq(left, constant):
        return constant_2
    if is_eq(left, constant_3):
        return constant_4
    return cons(left, cons(cons(right, cons(constant_5, NIL)), cons(cons(right, left), cons(2, NIL))))
