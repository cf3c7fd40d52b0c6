"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from functools import partial

from cogen.lang.machine import Machine
from cogen.lang.prims import PRIMITIVES
from cogen.lang.reader import read_datum

machine = Machine(word_size=32)
display = partial(PRIMITIVES['display'].python, machine)
char_downcase = PRIMITIVES['char-downcase'].python
write = partial(PRIMITIVES['write'].python, machine)
add = PRIMITIVES['+'].python
char_to_integer = PRIMITIVES['char->integer'].python
is_char_alphabetic = PRIMITIVES['char-alphabetic?'].python
is_char_numeric = PRIMITIVES['char-numeric?'].python
is_char_whitespace = PRIMITIVES['char-whitespace?'].python
is_char_upper_case = PRIMITIVES['char-upper-case?'].python
constant = read_datum('upper')
is_char_lower_case = PRIMITIVES['char-lower-case?'].python
constant_2 = read_datum('lower')
constant_3 = read_datum('other')
is_number = PRIMITIVES['number?'].python
constant_4 = read_datum('number')
is_complex = PRIMITIVES['complex?'].python
constant_5 = read_datum('complex')
is_real = PRIMITIVES['real?'].python
constant_6 = read_datum('real')


# from strings.scm:15
def letters(c, x):
    display(char_downcase(c))
    write(add(char_to_integer(c), 1))
    if (is_char_alphabetic(c) or is_char_numeric(c)) or is_char_whitespace(c):
        if is_char_upper_case(c):
            write(constant)
        else:
            if is_char_lower_case(c):
                write(constant_2)
            else:
                write(constant_3)
    if is_number(x):
        write(constant_4)
    if is_complex(x):
        write(constant_5)
    if is_real(x):
        write(constant_6)
        return x
    return x
