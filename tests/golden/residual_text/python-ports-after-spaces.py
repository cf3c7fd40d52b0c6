"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""

from functools import partial

from cogen.lang.machine import Machine
from cogen.lang.prims import PRIMITIVES
from cogen.lang.reader import read_datum

machine = Machine(word_size=32)
is_eqv = PRIMITIVES['eqv?'].python
constant = read_datum('#\\space')
read_char = partial(PRIMITIVES['read-char'].python, machine)
peek_char = partial(PRIMITIVES['peek-char'].python, machine)


# from ports.scm:5
def after_spaces(port):
    t_1 = peek_char(port)
    while True:
        if is_eqv(t_1, constant):
            read_char(port)
            t_1 = peek_char(port)
            continue
        return read_char(port)
