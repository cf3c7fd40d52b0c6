"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from cogen.lang import datum
from cogen.lang.prims import PRIMITIVES
from cogen.lang.reader import read_datum

vector_ref = PRIMITIVES['vector-ref'].python
bytevector = PRIMITIVES['bytevector'].python
set_cdr = PRIMITIVES['set-cdr!'].python
multiply = PRIMITIVES['*'].python
bytevector_u8_set = PRIMITIVES['bytevector-u8-set!'].python
at_most = PRIMITIVES['<='].python
at_least = PRIMITIVES['>='].python
is_zero = PRIMITIVES['zero?'].python
is_positive = PRIMITIVES['positive?'].python
is_negative = PRIMITIVES['negative?'].python
is_even = PRIMITIVES['even?'].python
is_odd = PRIMITIVES['odd?'].python
cons = PRIMITIVES['cons'].python
add = PRIMITIVES['+'].python
quotient = PRIMITIVES['quotient'].python
remainder = PRIMITIVES['remainder'].python
subtract = PRIMITIVES['-'].python
modulo = PRIMITIVES['modulo'].python
floor_quotient = PRIMITIVES['floor-quotient'].python
bitwise_and = PRIMITIVES['bitwise-and'].python
bitwise_ior = PRIMITIVES['bitwise-ior'].python
bitwise_xor = PRIMITIVES['bitwise-xor'].python
divide = PRIMITIVES['/'].python
bytevector_length = PRIMITIVES['bytevector-length'].python
bytevector_u8_ref = PRIMITIVES['bytevector-u8-ref'].python
vector_length = PRIMITIVES['vector-length'].python
truncate_quotient = PRIMITIVES['truncate-quotient'].python
truncate_remainder = PRIMITIVES['truncate-remainder'].python
floor_remainder = PRIMITIVES['floor-remainder'].python
NIL = datum.NIL
is_eof_object = PRIMITIVES['eof-object?'].python
is_bytevector = PRIMITIVES['bytevector?'].python
is_false = PRIMITIVES['not'].python
EOF = datum.EOF
is_char_equal = PRIMITIVES['char=?'].python
constant = read_datum('#\\a')
is_char_less = PRIMITIVES['char<?'].python
constant_2 = read_datum('#\\b')
is_char_less_equal = PRIMITIVES['char<=?'].python
constant_3 = read_datum('#\\c')
is_char_greater = PRIMITIVES['char>?'].python
constant_4 = read_datum('#\\d')
is_char_greater_equal = PRIMITIVES['char>=?'].python
constant_5 = read_datum('#\\e')


# from data.scm:53
def within(items, a, b):
    x = vector_ref(items, a)
    bytes_2 = bytevector(1, 2, 3)
    set_cdr(items, multiply(a, b))
    bytevector_u8_set(bytes_2, a, b)
    if ((at_most(a, b) and at_least(a, 0)) or (((is_zero(b) or is_positive(a)) or is_negative(b)) or is_even(a))) or is_odd(b):
        return cons(add(quotient(a, b), remainder(a, b)), cons(subtract(modulo(a, b), floor_quotient(a, b)), cons(bitwise_and(a, bitwise_ior(b, bitwise_xor(a, 5))), cons(divide(a, b), cons(bytevector_length(bytes_2), cons(bytevector_u8_ref(bytes_2, a), cons(vector_length(items), cons(truncate_quotient(a, 3), cons(truncate_remainder(a, 3), cons(floor_remainder(a, 3), NIL))))))))))
    return cons(False, cons(is_eof_object(x), cons(is_bytevector(x), cons(is_false(x), cons(EOF, cons(is_char_equal(x, constant), cons(is_char_less(x, constant_2), cons(is_char_less_equal(x, constant_3), cons(is_char_greater(x, constant_4), cons(is_char_greater_equal(x, constant_5), NIL))))))))))
