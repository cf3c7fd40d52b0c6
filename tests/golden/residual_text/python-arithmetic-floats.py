"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from functools import partial

from cogen.lang import datum
from cogen.lang.machine import Machine
from cogen.lang.prims import PRIMITIVES

machine = Machine(word_size=64)
store_word = partial(PRIMITIVES['store-word!'].python, machine)
float64_to_bits = PRIMITIVES['float64->bits'].python
divide = PRIMITIVES['/'].python
subtract = PRIMITIVES['-'].python
multiply = PRIMITIVES['*'].python
add = PRIMITIVES['+'].python
square = PRIMITIVES['square'].python
absolute = PRIMITIVES['abs'].python
minimum = PRIMITIVES['min'].python
maximum = PRIMITIVES['max'].python
sqrt = PRIMITIVES['sqrt'].python
exp = PRIMITIVES['exp'].python
log = PRIMITIVES['log'].python
sin = PRIMITIVES['sin'].python
cos = PRIMITIVES['cos'].python
tan = PRIMITIVES['tan'].python
asin = PRIMITIVES['asin'].python
acos = PRIMITIVES['acos'].python
atan = PRIMITIVES['atan'].python
floor = PRIMITIVES['floor'].python
ceiling = PRIMITIVES['ceiling'].python
round_2 = PRIMITIVES['round'].python
truncate = PRIMITIVES['truncate'].python
exact = PRIMITIVES['exact'].python
inexact_to_exact = PRIMITIVES['inexact->exact'].python
inexact = PRIMITIVES['inexact'].python
exact_to_inexact = PRIMITIVES['exact->inexact'].python
float32_to_bits = PRIMITIVES['float32->bits'].python
expt = PRIMITIVES['expt'].python
bits_to_float32 = PRIMITIVES['bits->float32'].python
bits_to_float64 = PRIMITIVES['bits->float64'].python
is_nan = PRIMITIVES['nan?'].python
is_infinite = PRIMITIVES['infinite?'].python
is_false = PRIMITIVES['not'].python
is_finite = PRIMITIVES['finite?'].python
is_integer = PRIMITIVES['integer?'].python
is_rational = PRIMITIVES['rational?'].python
less = PRIMITIVES['<'].python
equal = PRIMITIVES['='].python
greater = PRIMITIVES['>'].python
is_zero = PRIMITIVES['zero?'].python
is_positive = PRIMITIVES['positive?'].python
is_negative = PRIMITIVES['negative?'].python
UNSPECIFIED = datum.UNSPECIFIED


# from arithmetic.scm:26
def floats(out, x, y, i):
    store_word(out, 0, float64_to_bits(divide(subtract(multiply(2.0, x), y), add(y, i))))
    store_word(out, 1, float64_to_bits(square(absolute(minimum(x, maximum(y, i))))))
    store_word(out, 2, float64_to_bits(sqrt(exp(log(x)))))
    store_word(out, 3, float64_to_bits(log(x, 2.0)))
    t_20 = sin(x)
    t_21 = cos(x)
    t_22 = tan(x)
    store_word(out, 4, float64_to_bits(add(add(t_20, t_21), t_22)))
    t_27 = asin(x)
    t_28 = acos(x)
    t_29 = atan(x)
    t_30 = atan(x, y)
    store_word(out, 5, float64_to_bits(add(add(add(t_27, t_28), t_29), t_30)))
    t_36 = floor(x)
    t_37 = ceiling(x)
    t_38 = round_2(x)
    t_39 = truncate(x)
    store_word(out, 6, float64_to_bits(add(add(add(t_36, t_37), t_38), t_39)))
    store_word(out, 7, add(exact(t_36), inexact_to_exact(round_2(y))))
    store_word(out, 8, float64_to_bits(subtract(inexact(i), exact_to_inexact(add(i, 1)))))
    store_word(out, 9, float32_to_bits(expt(x, y)))
    store_word(out, 10, float64_to_bits(add(bits_to_float32(i), bits_to_float64(i))))
    t_63 = (1 if (((is_nan(x) or is_infinite(y)) or not is_finite(x)) or is_integer(x)) else 0)
    store_word(out, 11, t_63)
    store_word(out, 12, (1 if (is_rational(y) and less(x, y)) else (2 if equal(x, i) else (3 if greater(x, i) else 4))))
    t_67 = (1 if ((is_zero(x) or is_positive(y)) or is_negative(x)) else 0)
    store_word(out, 13, t_67)
    return UNSPECIFIED
