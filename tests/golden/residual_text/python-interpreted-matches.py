"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from cogen.lang.prims import PRIMITIVES
from cogen.lang.reader import read_datum

is_pair = PRIMITIVES['pair?'].python
is_eq = PRIMITIVES['eq?'].python
car = PRIMITIVES['car'].python
constant = read_datum('b')
is_null = PRIMITIVES['null?'].python
cdr = PRIMITIVES['cdr'].python
constant_2 = read_datum('a')


# from interpreted.scm:28
def matches(items):
    items_1 = items
    while True:
        test = is_pair(items_1)
        if (test is not False and is_eq(car(items_1), constant)) and is_null(cdr(items_1)):
            return True
        if test is not False and is_eq(car(items_1), constant_2):
            items_1 = cdr(items_1)
            continue
        return False
