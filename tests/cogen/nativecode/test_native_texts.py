"""Strings and ports of native code, where it takes short ways: as by the interpreter."""

from __future__ import annotations

from pathlib import Path

from cogen.api import loads
from cogen.backends.native.compile import c_text
from tests.cogen.nativecode.running import agree

NEW_STRINGS = """
(define kept (string->symbol "kept"))
(define (show . strings) (write strings) (newline))
(define (changed s) (if (> (string-length s) 0) (string-set! s 0 #\\!)) s)
(define (try c s n)
  (let ((whole (substring s 0 (string-length s))))
    (show (changed (string c c)) (changed (string)) (changed (string c #\\x3bb c))
          (changed (make-string n c))
          (changed (list->string (list c))) (changed (string-append s "xyz" s)) (changed whole) s
          (changed (string-copy s 0 2)) (changed (string-copy s)) s (changed (number->string n))
          (changed (vector->string (vector c #\\x)))
          (changed (list->string (map char-upcase (string->list s)))))))
(try #\\a (string #\\u #\\v) 3)
(try #\\x3bb (symbol->string kept) 40)
(try #\\xe9 (symbol->string '|d\\xe9;j\\xe0;|) 0)
(show (symbol->string kept))
(let ((read (read (open-input-string "\\"ab\\""))))
  (show (changed (string-copy read)) read (changed (substring read 0 2)) read))
"""


def test_new_strings_are_nobody_elses() -> None:
    """Those that grow in their place are not what others still have."""
    run = agree(NEW_STRINGS)
    assert run.err == ""
    assert '("!b" "ab" "!b" "ab")' in run.out
    assert "own_string(" in c_text(loads(NEW_STRINGS)).text


EQUAL = """
(define a (string-append "li" (symbol->string 'st)))
(define b (make-string 4 #\\l))
(string-copy! b 1 "ist")
(define all (list "" "list" a b "lists" "lis\\x3bb;" "l\\xe9;st" 'list #\\l #(1 "list")
                  (vector 1 b) '("list") (list b) 1.5 1.5 (bytevector 1) (bytevector 1 2)
                  4611686018427387904 4611686018427387904 car))
(for-each (lambda (x) (write (map (lambda (y) (if (equal? x y) 1 0)) all)) (newline)) all)
(write (list (member b '("if" "list" "cond")) (assoc "list" (list (cons b 1)))))
"""


def test_equal_texts_of_all_kinds() -> None:
    assert agree(EQUAL).err == ""


DISPLAYED = """
(define (shown n x)
  (let ((out (open-output-string)))
    (write-string (make-string n #\\-) out)
    (display x out) (write-char #\\; out) (write-string x out)
    (if (> (string-length x) 0) (write-string x out 1))
    (string-length (get-output-string out))))
(write (map (lambda (n) (map (lambda (x) (shown n x))
                                 '("" "abc" "d\\xe9;j\\xe0;" "\\x3bb;x" "0123456789")))
            '(0 37 43 45 46 47 48 49)))
(display 'abc) (display '|d\\xe9;j\\xe0;|) (display '|a b|) (write '|a b|)
(let ((out (open-output-string)))
  (display '|a b| out) (display '|\\x3bb;| out) (write '|a b| out)
  (write (get-output-string out))
  (close-port out)
  (display 'more out))
"""


def test_texts_are_displayed_where_there_is_room_and_where_not() -> None:
    assert "the port is closed" in agree(DISPLAYED).err


FILES = """
(define (all-of name)
  (call-with-input-file name
    (lambda (in)
      (let loop ((c (read-char in)) (n 0) (sum 0))
        (if (eof-object? c)
            (list n sum)
            (loop (read-char in) (+ n 1) (modulo (+ (* 7 sum) (char->integer c)) 1000003)))))))
(define (lines-of name)
  (call-with-input-file name
    (lambda (in)
      (let loop ((l (read-line in)) (n 0) (longest 0))
        (if (eof-object? l) (list n longest)
            (loop (read-line in) (+ n 1) (max longest (string-length l))))))))
(define (copy from to)
  (call-with-input-file from
    (lambda (in)
      (call-with-output-file to
        (lambda (out)
          (do ((c (read-char in) (read-char in))) ((eof-object? c)) (write-char c out)))))))
(define (try name)
  (copy name "NAME")
  (write (list (all-of name) (all-of "NAME") (lines-of name)
               (call-with-input-file name (lambda (in) (string-length (read-string 20000 in)))))))
"""


def test_files_are_read_by_blocks(tmp_path: Path) -> None:
    """Characters that lie across the end of a block, long lines, no line at all."""
    program = FILES.replace("NAME", str(tmp_path / "copy"))
    texts = [
        "", "\n", "x", "line\n" * 5000, "a" * 8190 + "\u03bb\u03bb\u03bb" + "b" * 9000,
        "a" * 8191 + "\u20ac\n" * 3000, "\U0001f600" * 20000,
        "short\n\n" + "z" * 70000 + "\n\u00e9",
    ]  # fmt: skip
    for number, text in enumerate(texts):
        path = tmp_path / f"{number}.txt"
        path.write_text(text, encoding="utf-8")
        program += f'(if (> {len(text)} 0) (try "{path}"))\n'
    run = agree(program, stress=False)
    assert run.err == ""
    assert run.out.count("((") == len(texts) - 1
