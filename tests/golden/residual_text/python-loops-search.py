"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from functools import partial

from cogen.lang.machine import Machine
from cogen.lang.prims import PRIMITIVES

machine = Machine(word_size=32)
buffer_words = partial(PRIMITIVES['buffer-words'].python, machine)
equal = PRIMITIVES['='].python
load_word = partial(PRIMITIVES['load-word'].python, machine)
add = PRIMITIVES['+'].python


# from loops.scm:28
def search(memory, wanted):
    end = buffer_words(memory)
    i = 0
    while True:
        if equal(i, end):
            return -1
        if equal(load_word(memory, i), wanted):
            return i
        i = add(i, 1)
        continue
