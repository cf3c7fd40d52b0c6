"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from cogen.lang.prims import PRIMITIVES

is_string = PRIMITIVES['string?'].python
is_symbol = PRIMITIVES['symbol?'].python
is_pair = PRIMITIVES['pair?'].python
is_null = PRIMITIVES['null?'].python
is_char = PRIMITIVES['char?'].python
is_vector = PRIMITIVES['vector?'].python
is_procedure = PRIMITIVES['procedure?'].python
is_values = PRIMITIVES['values?'].python
is_boolean = PRIMITIVES['boolean?'].python
is_bytevector = PRIMITIVES['bytevector?'].python
is_boolean_equal = PRIMITIVES['boolean=?'].python
is_equal = PRIMITIVES['equal?'].python
is_number = PRIMITIVES['number?'].python
is_real = PRIMITIVES['real?'].python
is_complex = PRIMITIVES['complex?'].python
is_exact_integer = PRIMITIVES['exact-integer?'].python
is_exact = PRIMITIVES['exact?'].python
is_inexact = PRIMITIVES['inexact?'].python
bitwise_and = PRIMITIVES['bitwise-and'].python
is_eq = PRIMITIVES['eq?'].python
add = PRIMITIVES['+'].python
exact = PRIMITIVES['exact'].python
multiply = PRIMITIVES['*'].python


# from arithmetic.scm:43
def asked(a, x, yes):
    if (is_string(a) or (is_symbol(a) or (is_pair(a) or (is_null(a) or is_char(a))))) or is_vector(a):
        return 1
    if (is_procedure(a) or (is_values(a) or is_boolean(a))) or is_bytevector(a):
        return 2
    if is_boolean_equal(yes, is_equal(a, x)):
        if (is_number(a) and (is_real(a) and (is_complex(a) and is_exact_integer(a)))) and is_exact(a):
            if is_inexact(x):
                return bitwise_and(a, 5)
            if is_eq(a, 7):
                return 6
            return add(add(a, exact(multiply(x, 0.5))), 64)
        return 4
    return 3
