"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from functools import partial

from cogen.lang import datum
from cogen.lang.machine import Machine
from cogen.lang.prims import PRIMITIVES

machine = Machine(word_size=32)
less = PRIMITIVES['<'].python
store_word = partial(PRIMITIVES['store-word!'].python, machine)
load_word = partial(PRIMITIVES['load-word'].python, machine)
add = PRIMITIVES['+'].python
UNSPECIFIED = datum.UNSPECIFIED


# from words.scm:24
def copy(from_2, to, count):
    i = 0
    while True:
        if less(i, count):
            store_word(to, i, load_word(from_2, i))
            i = add(i, 1)
            continue
        return UNSPECIFIED
