"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from functools import partial

from cogen.lang.machine import Machine
from cogen.lang.prims import PRIMITIVES

machine = Machine(word_size=8)
bitwise_and = PRIMITIVES['bitwise-and'].python
load_word = partial(PRIMITIVES['load-word'].python, machine)
add = PRIMITIVES['+'].python
store_word = partial(PRIMITIVES['store-word!'].python, machine)
bitwise_ior = PRIMITIVES['bitwise-ior'].python


# from words.scm:20
def bytes_2(memory, i):
    new = bitwise_and(load_word(memory, add(i, 1)), 15)
    store_word(memory, i, bitwise_ior(bitwise_and(load_word(memory, i), 240), new))
    return load_word(memory, i)
