"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from functools import partial

from cogen.lang.machine import Machine
from cogen.lang.prims import PRIMITIVES

machine = Machine(word_size=32)
equal = PRIMITIVES['='].python
load_word = partial(PRIMITIVES['load-word'].python, machine)
add = PRIMITIVES['+'].python
store_word = partial(PRIMITIVES['store-word!'].python, machine)


# from loops.scm:84
def crossed(memory, n):
    i = 0
    while True:
        if equal(i, n):
            return 0
        if equal(load_word(memory, i), 1):
            i_2 = add(i, 1)
            while True:
                if equal(i_2, n):
                    return 1
                if equal(load_word(memory, i_2), 0):
                    i_3 = add(i_2, 1)
                    if equal(i_3, n):
                        return 2
                    store_word(memory, i_3, 0)
                    i = add(i_3, 1)
                    break
                i_2 = add(i_2, 1)
                continue
            continue
        i = add(i, 1)
        continue
