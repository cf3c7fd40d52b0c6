"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from functools import partial

from cogen.lang.machine import Machine
from cogen.lang.prims import PRIMITIVES

machine = Machine(word_size=32)
string_append = PRIMITIVES['string-append'].python
number_to_string = PRIMITIVES['number->string'].python
write = partial(PRIMITIVES['write'].python, machine)
string_to_symbol = PRIMITIVES['string->symbol'].python
display = partial(PRIMITIVES['display'].python, machine)
char_upcase = PRIMITIVES['char-upcase'].python
string_ref = PRIMITIVES['string-ref'].python
string_to_list = PRIMITIVES['string->list'].python
substring = PRIMITIVES['substring'].python
string_length = PRIMITIVES['string-length'].python


# from control.scm:26
def text(a, n):
    out = string_append(a, number_to_string(n), '\n')
    write(string_to_symbol(out))
    display(char_upcase(string_ref(out, 0)))
    return string_to_list(substring(out, 0, string_length(a)))
