"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from functools import partial

from cogen.lang import datum
from cogen.lang.machine import Machine
from cogen.lang.prims import PRIMITIVES

machine = Machine(word_size=64)
add = PRIMITIVES['+'].python
multiply = PRIMITIVES['*'].python
cyclic_quotient = PRIMITIVES['cyclic-quotient'].python
store_word = partial(PRIMITIVES['store-word!'].python, machine)
remainder = PRIMITIVES['remainder'].python
quotient = PRIMITIVES['quotient'].python
UNSPECIFIED = datum.UNSPECIFIED


# from arithmetic.scm:53
def known_halves(out, a, b):
    bq_2 = add(multiply(8, cyclic_quotient(b, 8, 3)), 3)
    store_word(out, 0, remainder(bq_2, 8))
    store_word(out, 1, add(quotient(bq_2, 4), quotient(multiply(a, 8), 8)))
    store_word(out, 2, 0)
    return UNSPECIFIED
