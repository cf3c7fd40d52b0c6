"""`read` takes one datum from a port and leaves the rest; parts of strings are written; the same by
the interpreter, as Python and by way of C."""

from __future__ import annotations

import io

import pytest

from cogen.backends.python.pyprogram import PythonProgram
from cogen.lang.errors import CogenError, Source
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from cogen.lang.printer import write_datum
from cogen.lang.reader import read
from cogen.lang.readnext import read_next
from cogen.lang.syntax import to_datum
from tests.cogen.nativecode.running import agree

pytestmark = pytest.mark.quick

READS = """
(define (all text)
  (define port (open-input-string text))
  (let loop ((found '()))
    (let ((x (guard (e (#t (error-object-message e))) (read port))))
      (if (eof-object? x)
          (reverse found)
          (loop (cons (list x (peek-char port)) found))))))
(for-each (lambda (text) (write (all text)) (newline)) TEXTS)
"""

TEXTS = [
    "a) b",
    "a (b",
    '"x"y#(1 2)(3)#\\a \'q',
    "  ; a comment",
    "1 #;2 #|3|# 4",
    "#!/usr/bin/env a\n1 #! 2",
    "abc" + " (1 2)" * 200,
    "(" + "long-name " * 100 + ") ]",
    "",
    "#u8(1 2) #u8(300) 1",
    "z\u00e9(\U0001f600)",
    "1 #0=(a) 2",
]


def test_a_port_is_read_datum_by_datum_in_every_back_end() -> None:
    shown = " ".join(map(write_datum, TEXTS))
    done = agree(READS.replace("TEXTS", f"'({shown})"))
    lines = done.out.splitlines()
    assert done.err == ""
    assert lines[0] == '((a #\\)) ("read: unexpected `)`" #<eof>))'
    assert lines[1] == '((a #\\space) ("read: unclosed `(`" #<eof>))'
    assert len(lines) == len(TEXTS)


def test_what_comes_behind_a_datum_is_left() -> None:
    text = """(define p (open-input-string "(a b) c\nd"))
              (define (f) (let* ((x (read p)) (y (read-char p)) (z (read-line p))) (list x y z)))"""
    program = PythonProgram(loads(text))
    program.run()
    assert write_datum(program.call("f", [])) == '((a b) #\\space "c")'


@pytest.mark.parametrize("text", [*TEXTS, "x" * 5000, "(a . b)c", "'()", "`(a ,b ,@c)"])
def test_one_datum_at_a_time_is_what_the_whole_text_is(text: str) -> None:
    source = Source("s", text)
    try:
        whole = [to_datum(x) for x in read(source)]
    except CogenError as error:
        whole = [error.message]
    found: list[object] = []
    place = 0
    while True:
        try:
            syntax, place = read_next(source, place)
        except CogenError as error:
            found = [error.message]
            break
        if syntax is None:
            break
        found.append(to_datum(syntax))
    assert list(map(write_datum, found)) == list(map(write_datum, whole))


def test_a_part_of_a_string_is_written_in_every_back_end() -> None:
    done = agree(
        """(write-string "hello" (current-output-port) 1)
           (write-string "hello" (current-output-port) 1 3)
           (write-string "hello" (current-output-port) 5 5)
           (define p (open-output-string))
           (write-string "h\u00e9llo" p 1 2)
           (write (get-output-string p))"""
    )
    assert done.out == 'elloel"\u00e9"'


def test_a_long_text_is_read_in_time_that_grows_with_it() -> None:
    steps = Interpreter(
        loads("""(define p (open-input-string (apply string-append (make-list 3000 "(a b) "))))
                 (define (f n) (if (eof-object? (read p)) n (f (+ n 1))))"""),
        output=io.StringIO(),
    )
    steps.run()
    assert steps.call("f", [0]) == 3000
