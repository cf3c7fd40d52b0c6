"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from functools import partial

from cogen.lang import datum
from cogen.lang.machine import Machine
from cogen.lang.prims import PRIMITIVES
from cogen.lang.reader import read_datum

machine = Machine(word_size=32)
is_pair = PRIMITIVES['pair?'].python
is_null = PRIMITIVES['null?'].python
cdr = PRIMITIVES['cdr'].python
is_false = PRIMITIVES['not'].python
display = partial(PRIMITIVES['display'].python, machine)
newline = partial(PRIMITIVES['newline'].python, machine)
write = partial(PRIMITIVES['write'].python, machine)
is_string = PRIMITIVES['string?'].python
is_symbol = PRIMITIVES['symbol?'].python
constant = read_datum('symbol')
is_exact_integer = PRIMITIVES['exact-integer?'].python
less = PRIMITIVES['<'].python
constant_2 = read_datum('small')
is_vector = PRIMITIVES['vector?'].python
vector_set = PRIMITIVES['vector-set!'].python
is_char = PRIMITIVES['char?'].python
EOF = datum.EOF


# from data.scm:19
def classify(a, b):
    if is_pair(a) and (is_null(cdr(a)) or not is_pair(b)):
        display(a)
        newline()
    if not (is_null(b)):
        write(b)
        newline()
    if is_string(a):
        display('text')
    if is_symbol(a):
        return constant
    if is_exact_integer(a) and less(a, 10):
        write(a)
        return constant_2
    if is_vector(a):
        vector_set(a, 0, b)
        return a
    if is_char(b):
        return False
    write(a)
    return EOF
