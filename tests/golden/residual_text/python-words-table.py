"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from functools import partial

from cogen.lang.machine import Machine
from cogen.lang.prims import PRIMITIVES
from cogen.lang.reader import read_datum

machine = Machine(word_size=8)
load_word = partial(PRIMITIVES['load-word'].python, machine)
constant = read_datum('#u8(2 3 5 7 11 13 17 19)')
bitwise_and = PRIMITIVES['bitwise-and'].python


# from words.scm:33
def table(i):
    return load_word(constant, bitwise_and(i, 7))
