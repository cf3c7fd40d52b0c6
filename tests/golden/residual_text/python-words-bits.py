"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from functools import partial

from cogen.lang import datum
from cogen.lang.machine import Machine
from cogen.lang.prims import PRIMITIVES

machine = Machine(word_size=64)
store_word = partial(PRIMITIVES['store-word!'].python, machine)
bitwise_xor = PRIMITIVES['bitwise-xor'].python
bitwise_and = PRIMITIVES['bitwise-and'].python
bitwise_ior = PRIMITIVES['bitwise-ior'].python
bitwise_not = PRIMITIVES['bitwise-not'].python
add = PRIMITIVES['+'].python
arithmetic_shift = PRIMITIVES['arithmetic-shift'].python
word_add = PRIMITIVES['word-add'].python
word_mul = PRIMITIVES['word-mul'].python
word_sub = PRIMITIVES['word-sub'].python
word_shift_left = PRIMITIVES['word-shift-left'].python
word_shift_right = PRIMITIVES['word-shift-right'].python
bit_count = PRIMITIVES['bit-count'].python
multiply = PRIMITIVES['*'].python
buffer_words = partial(PRIMITIVES['buffer-words'].python, machine)
UNSPECIFIED = datum.UNSPECIFIED


# from words.scm:11
def bits(out, a, b):
    store_word(out, 0, bitwise_xor(bitwise_and(a, b), bitwise_ior(a, bitwise_not(b))))
    store_word(out, 1, add(arithmetic_shift(a, -3), arithmetic_shift(bitwise_and(a, 255), 4)))
    store_word(out, 2, arithmetic_shift(a, b))
    store_word(out, 3, word_add(word_mul(a, b), word_sub(a, b)))
    store_word(out, 4, bitwise_xor(word_shift_left(a, 5), word_shift_right(a, 5)))
    store_word(out, 5, bit_count(a))
    store_word(out, 6, multiply(64, buffer_words(out)))
    return UNSPECIFIED
