"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from cogen.lang.prims import PRIMITIVES

is_pair = PRIMITIVES['pair?'].python
car = PRIMITIVES['car'].python
is_equal = PRIMITIVES['equal?'].python
cdr = PRIMITIVES['cdr'].python
is_null = PRIMITIVES['null?'].python
error = PRIMITIVES['error'].python
finite = PRIMITIVES['%finite'].python


# from control.scm:9
def find(wanted, items):
    items_1 = finite('for-each', items)
    while True:
        for _ in range(1048576):
            if is_pair(items_1):
                t_1 = car(items_1)
                if is_equal(t_1, wanted):
                    return t_1
                items_1 = cdr(items_1)
                continue
            if is_null(items_1):
                return False
            return error('for-each: expected a list, got', items_1)
        else:
            finite('for-each', items_1)
            continue
        break
