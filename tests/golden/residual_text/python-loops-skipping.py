"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from functools import partial

from cogen.lang.machine import Machine
from cogen.lang.prims import PRIMITIVES

machine = Machine(word_size=32)
equal = PRIMITIVES['='].python
store_word = partial(PRIMITIVES['store-word!'].python, machine)
load_word = partial(PRIMITIVES['load-word'].python, machine)
greater = PRIMITIVES['>'].python
is_odd = PRIMITIVES['odd?'].python
add = PRIMITIVES['+'].python


# from loops.scm:49
def skipping(memory, n):
    if equal(n, 0):
        return 0
    i, sum_2, x_1 = 0, 0, load_word(memory, 0)
    while True:
        store_word(memory, i, 0)
        sum_1, i_2 = add(sum_2, x_1), add(i, 1)
        while True:
            if equal(i_2, n):
                return sum_1
            x_2 = load_word(memory, i_2)
            if greater(x_2, 20) and is_odd(sum_1):
                sum_1, i_2 = add(sum_1, 1), add(i_2, 1)
                continue
            i, sum_2, x_1 = i_2, sum_1, x_2
            break
        continue
