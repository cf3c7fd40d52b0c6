"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from functools import partial

from cogen.lang.machine import Machine
from cogen.lang.prims import PRIMITIVES

machine = Machine(word_size=32)
cyclic_quotient = PRIMITIVES['cyclic-quotient'].python
equal = PRIMITIVES['='].python
load_word = partial(PRIMITIVES['load-word'].python, machine)
add = PRIMITIVES['+'].python
bitwise_and = PRIMITIVES['bitwise-and'].python
arithmetic_shift = PRIMITIVES['arithmetic-shift'].python
bitwise_ior = PRIMITIVES['bitwise-ior'].python


# from words.scm:30
def samples(buffer, from_2, to):
    fromq = cyclic_quotient(from_2, 32, 0)
    toq = cyclic_quotient(to, 32, 0)
    state, fromq_1 = 0, fromq
    while True:
        if equal(fromq_1, toq):
            return state
        t = load_word(buffer, fromq_1)
        t_5 = add(add(state, bitwise_and(t, 4095)), bitwise_and(arithmetic_shift(t, -12), 4095))
        t_6 = arithmetic_shift(t, -24)
        t_7 = load_word(buffer, add(fromq_1, 1))
        t_17 = add(add(add(t_5, bitwise_ior(t_6, arithmetic_shift(bitwise_and(t_7, 15), 8))), bitwise_and(arithmetic_shift(t_7, -4), 4095)), bitwise_and(arithmetic_shift(t_7, -16), 4095))
        t_18 = arithmetic_shift(t_7, -28)
        t_19 = load_word(buffer, add(fromq_1, 2))
        state, fromq_1 = add(add(add(t_17, bitwise_ior(t_18, arithmetic_shift(bitwise_and(t_19, 255), 4))), bitwise_and(arithmetic_shift(t_19, -8), 4095)), arithmetic_shift(t_19, -20)), add(fromq_1, 3)
        continue
