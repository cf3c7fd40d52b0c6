"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from functools import partial

from cogen.lang import datum
from cogen.lang.machine import Machine
from cogen.lang.prims import PRIMITIVES

machine = Machine(word_size=64)
store_word = partial(PRIMITIVES['store-word!'].python, machine)
subtract = PRIMITIVES['-'].python
multiply = PRIMITIVES['*'].python
add = PRIMITIVES['+'].python
square = PRIMITIVES['square'].python
quotient = PRIMITIVES['quotient'].python
truncate_quotient = PRIMITIVES['truncate-quotient'].python
remainder = PRIMITIVES['remainder'].python
truncate_remainder = PRIMITIVES['truncate-remainder'].python
modulo = PRIMITIVES['modulo'].python
floor_remainder = PRIMITIVES['floor-remainder'].python
floor_quotient = PRIMITIVES['floor-quotient'].python
divide = PRIMITIVES['/'].python
absolute = PRIMITIVES['abs'].python
minimum = PRIMITIVES['min'].python
maximum = PRIMITIVES['max'].python
gcd = PRIMITIVES['gcd'].python
lcm = PRIMITIVES['lcm'].python
expt = PRIMITIVES['expt'].python
bitwise_and = PRIMITIVES['bitwise-and'].python
equal = PRIMITIVES['='].python
greater = PRIMITIVES['>'].python
is_odd = PRIMITIVES['odd?'].python
is_even = PRIMITIVES['even?'].python
less = PRIMITIVES['<'].python
at_most = PRIMITIVES['<='].python
is_eqv = PRIMITIVES['eqv?'].python
at_least = PRIMITIVES['>='].python
UNSPECIFIED = datum.UNSPECIFIED


# from arithmetic.scm:9
def integers(out, a, b):
    store_word(out, 0, subtract(multiply(3, add(a, b)), square(a)))
    store_word(out, 1, add(quotient(a, b), truncate_quotient(b, 7)))
    store_word(out, 2, add(remainder(a, b), truncate_remainder(b, 8)))
    store_word(out, 3, add(modulo(a, b), floor_remainder(b, 16)))
    store_word(out, 4, add(floor_quotient(a, b), floor_quotient(b, 16)))
    store_word(out, 5, divide(multiply(6, a), 3))
    store_word(out, 6, absolute(minimum(a, maximum(b, 100))))
    store_word(out, 7, add(gcd(a, b), lcm(a, 12)))
    store_word(out, 8, expt(a, 3))
    store_word(out, 9, expt(2, bitwise_and(b, 31)))
    t_37 = (1 if (equal(a, 0) or ((greater(b, 0) and is_odd(a)) or is_even(b))) else 0)
    store_word(out, 10, t_37)
    t_39 = (-1 if less(a, 0) else (2 if at_most(a, b) else (3 if greater(a, add(b, 10)) else 4)))
    store_word(out, 11, t_39)
    store_word(out, 12, (1 if is_eqv(equal(a, b), at_least(b, 0)) else 0))
    return UNSPECIFIED
