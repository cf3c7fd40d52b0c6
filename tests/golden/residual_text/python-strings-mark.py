"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from functools import partial

from cogen.lang.machine import Machine
from cogen.lang.prims import PRIMITIVES
from cogen.lang.reader import read_datum

machine = Machine(word_size=32)
fresh_string = PRIMITIVES['%fresh-string'].python
string_append = PRIMITIVES['string-append'].python
string_content = PRIMITIVES['%string-content'].python
string_set = PRIMITIVES['string-set!'].python
add = PRIMITIVES['+'].python
constant = read_datum('#\\>')
write = partial(PRIMITIVES['write'].python, machine)
constant_2 = read_datum('#\\space')
string_to_symbol = PRIMITIVES['string->symbol'].python


# from strings.scm:7
def mark(text, at):
    made = fresh_string(string_append('<', string_content('string-append', text)))
    string_set(made, add(at, 1), constant)
    write(made)
    string_set(made, 0, constant_2)
    return string_to_symbol(string_content('string->symbol', made))
