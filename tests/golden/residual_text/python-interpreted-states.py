"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from functools import partial

from cogen.lang.machine import Machine
from cogen.lang.prims import PRIMITIVES

machine = Machine(word_size=32)
buffer_words = partial(PRIMITIVES['buffer-words'].python, machine)
equal = PRIMITIVES['='].python
load_word = partial(PRIMITIVES['load-word'].python, machine)
add = PRIMITIVES['+'].python


# from interpreted.scm:44
def states(memory):
    end = buffer_words(memory)
    i = 0
    while True:
        if equal(i, end):
            return -1
        if equal(load_word(memory, i), 0):
            i_1 = add(i, 1)
            if equal(i_1, end):
                return -1
            if equal(load_word(memory, i_1), 1):
                i_2 = add(i_1, 1)
                if equal(i_2, end):
                    return -1
                if equal(load_word(memory, i_2), 0):
                    return add(i_2, 1)
                i = add(i_2, 1)
                continue
            i = add(i_1, 1)
            continue
        i = add(i, 1)
        continue
