"""Laws of the libraries: sorting and tables compared with Python's, long lists, and what the
specializer leaves of them."""

from __future__ import annotations

import io
import subprocess
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cogen
from cogen.backends.native.compile import compile_program
from cogen.lang.interp import Interpreter
from tests.cogen.nativecode.running import agree
from tests.cogen.residualways import WAYS, native

SORTS = """
(import (srfi 95) (srfi 132) (srfi 1))
(define (by-key l) (sort l < car))
(define (of-vector l)
  (vector->list (vector-sort (lambda (a b) (< (car a) (car b))) (list->vector l))))
(define (in-place l)
  (let ((v (list->vector l)))
    (vector-sort! (lambda (a b) (< (car a) (car b))) v)
    (vector->list v)))
(define (merged l)
  (let ((half (quotient (length l) 2)))
    (list-merge (lambda (a b) (< (car a) (car b))) (by-key (take l half)) (by-key (drop l half)))))
(define (checked l) (list (sorted? l < car) (sorted? (by-key l) < car)))
"""


@cache
def residual(text: str, entry: str, count: int = 1) -> Any:
    """The residual program of an entry of which nothing is known."""
    return cogen.specialize(cogen.loads(text), entry, *[cogen.dynamic()] * count)


@cache
def python(text: str, entry: str, count: int = 1) -> Any:
    """The same as Python code, made once for all examples."""
    return residual(text, entry, count).to_python()


@pytest.mark.parametrize("entry", ["by-key", "of-vector", "in-place", "merged"])
@settings(max_examples=max(8, settings().max_examples // 20), deadline=None)
@given(keys=st.lists(st.integers(0, 9), max_size=40))
def test_sorting_is_stable(entry: str, keys: list[int]) -> None:
    items = [[key, place] for place, key in enumerate(keys)]
    expected = sorted(items, key=lambda item: item[0])
    assert python(SORTS, entry)(items) == expected


@given(keys=st.lists(st.floats(allow_nan=False), max_size=20))
@settings(max_examples=max(8, settings().max_examples // 20), deadline=None)
def test_what_is_sorted(keys: list[float]) -> None:
    items = [[key] for key in keys]
    expected = [keys == sorted(keys), True]
    assert python(SORTS, "checked")(items) == expected


def test_known_lists_are_sorted_ahead() -> None:
    text = "(import (srfi 95)) (define (f) (sort '(3 1 2) <)) (define (g) (sort (list 2 1) >))"
    assert "'(1 2 3)" in cogen.specialize(cogen.loads(text), "f").scheme
    assert "'(2 1)" in cogen.specialize(cogen.loads(text), "g").scheme


def test_an_order_that_is_not_known_does_not_make_versions() -> None:
    """Eight unknown items have 40,320 orders."""
    text = "(import (srfi 95)) (define (f a b c d e f g h) (sort (list a b c d e f g h) <))"
    made = cogen.specialize(cogen.loads(text), "f", *[cogen.dynamic()] * 8)
    assert len(made.scheme) < 20_000
    assert made.to_python()(3, 1, 2, 8, 5, 7, 6, 4) == [1, 2, 3, 4, 5, 6, 7, 8]


# Lists


def test_folds_over_unknown_lists_are_plain_loops() -> None:
    text = "(import (only (srfi 1) fold)) (define (f l) (fold + 0 l))"
    scheme = residual(text, "f").scheme
    assert "lambda" not in scheme
    assert "fold" not in scheme.replace('"fold:', "")


def test_known_lists_leave_nothing() -> None:
    text = "(import (srfi 1)) (define (f x) (fold + x (filter odd? (iota 4))))"
    assert "(+ 3 (+ 1 x))" in residual(text, "f").scheme


def test_filters_of_unknown_items_do_not_make_versions() -> None:
    text = """(import (srfi 1))
    (define (f a b c d e f g h) (length (filter odd? (list a b c d e f g h))))"""
    made = residual(text, "f", 8)
    assert len(made.scheme) < 2_000
    assert made.to_python()(1, 2, 3, 4, 5, 6, 7, 9) == 5


def test_duplicates_go_in_linear_time() -> None:
    """Of 100,000 numbers that all differ, a comparison of each with each would take hours."""
    text = (
        "(import (srfi 1)) (define (f n) (length (delete-duplicates (append (iota n) (iota n)))))"
    )
    assert python(text, "f")(100_000) == 100_000


LONG = """
(import (srfi 1) (srfi 95))
(define l (iota {size}))
(define (show x) (write x) (newline))
(show (fold + 0 l))
(show (fold-right (lambda (x n) (+ n 1)) 0 l))
(show (length (filter even? l)))
(show (length (append-map list l)))
(show (call-with-values (lambda () (partition even? l)) (lambda (a b) (- (length a) (length b)))))
(show (last (take l {size})))
(show (count odd? l))
(show (car (sort l >)))
(show (reduce max 0 l))
"""


def expected_of_long(size: int) -> str:
    numbers = [size * (size - 1) // 2, size, size // 2, size, 0, size - 1, size // 2, size - 1]
    return "".join(f"{number}\n" for number in [*numbers, size - 1])


def test_long_lists() -> None:
    stream = io.StringIO()
    Interpreter(cogen.loads(LONG.format(size=20_000)), output=stream).run()
    assert stream.getvalue() == expected_of_long(20_000)


@native
@pytest.mark.slow
def test_very_long_lists(request: pytest.FixtureRequest) -> None:
    size = 1_000_000 if request.config.getoption("--long") else 300_000
    made = compile_program(cogen.loads(LONG.format(size=size)), None)
    done = subprocess.run([made], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (expected_of_long(size), "")


# Tables

TABLES = """
(import (srfi 69))
(define (f equality steps)
  (let ((t (case equality
             ((equal) (make-hash-table))
             ((eqv) (make-hash-table eqv?))
             (else (make-hash-table (lambda (a b) (equal? a b)) hash)))))
    (for-each
     (lambda (step)
       (let ((key (cadr step)))
         (case (car step)
           ((set) (hash-table-set! t key (caddr step)))
           ((delete) (hash-table-delete! t key))
           (else (hash-table-update!/default t key (lambda (x) (+ x (caddr step))) 0)))))
     steps)
    (list (hash-table-size t)
          (map (lambda (entry) (list (car entry) (cdr entry))) (hash-table->alist t))
          (map (lambda (step) (hash-table-ref/default t (cadr step) 'none)) steps))))
"""

keys = st.integers(-20, 60) | st.sampled_from(["a", "b", "key"])
steps = st.lists(
    st.tuples(st.just("set") | st.just("update"), keys, st.integers(0, 9))
    | st.tuples(st.just("delete"), keys),
    max_size=120,
)


def told(equality: str, steps: list[tuple[Any, ...]]) -> list[Any]:
    """What a table is after the steps, by Python's dictionaries."""
    table: dict[Any, int] = {}
    for kind, key, *rest in steps:
        if kind == "delete":
            table.pop(key, None)
        else:
            table[key] = rest[0] + (table.get(key, 0) if kind == "update" else 0)
    found = [table.get(step[1], cogen.symbol("none")) for step in steps]
    return [len(table), [list(entry) for entry in table.items()], found]


@pytest.mark.parametrize("equality", ["equal", "eqv", "other"])
@settings(max_examples=max(8, settings().max_examples // 20), deadline=None)
@given(steps=steps)
def test_tables_are_dictionaries(equality: str, steps: list[tuple[Any, ...]]) -> None:
    given_steps = [[cogen.symbol(step[0]), *step[1:]] for step in steps]
    made = python(TABLES, "f", 2)
    assert made(cogen.symbol(equality), given_steps) == told(equality, steps)


@pytest.mark.parametrize("way", WAYS)
def test_large_tables_in_all_ways(way: Any) -> None:
    text = """
    (import (srfi 69))
    (define (f n)
      (let ((t (make-hash-table)))
        (do ((i 0 (+ i 1))) ((= i n)) (hash-table-set! t (list (quotient i 10) i) i))
        (do ((i 0 (+ i 3))) ((>= i n)) (hash-table-delete! t (list (quotient i 10) i)))
        (hash-table-fold t (lambda (key item sum) (+ (* item (cadr key)) sum))
                         (hash-table-size t))))
    """
    kept = [i for i in range(1000) if i % 3]
    assert way(residual(text, "f"))(1000) == len(kept) + sum(i * i for i in kept)


@native
def test_hashes_are_the_same_in_native_code() -> None:
    text = """
    (define l (list 1 2))
    (set-cdr! (cdr l) l)
    (define v (vector 1 2))
    (vector-set! v 0 v)
    (for-each
     (lambda (x) (write (equal-hash x)) (newline))
     (list 1 -1 0 9223372036854775807 -9223372036854775808 1.5 -0.0 0.0 (/ 0. 0.) "abc"
           "\u00e4\u00f6\u00fc\u20ac\U0001f600" 'abc '|a b| #\\a #t #f '() '(1 (2 . "x") 3)
           '#(1 (2 "x") #(3)) (bytevector 1 2 255) car (make-vector 2000 1)
           (vector->list (make-vector 2000 1)) (list (make-vector 999 1) 2) (if #f #f) l v))
    """
    assert len(agree(text, stress=False).out.splitlines()) == 27


INTERPRETER = """
(import (srfi 69))
(define (evaluate e table)
  (cond ((symbol? e) (hash-table-ref table e))
        ((pair? e)
         (let ((a (evaluate (cadr e) table)) (b (evaluate (caddr e) table)))
           (case (car e) ((+) (+ a b)) ((-) (- a b)) ((*) (* a b)) (else (> a b)))))
        (else e)))
(define (execute s table)
  (case (car s)
    ((set) (hash-table-set! table (cadr s) (evaluate (caddr s) table)))
    ((seq) (for-each (lambda (s) (execute s table)) (cdr s)))
    (else
     (let loop ()
       (if (evaluate (cadr s) table)
           (begin (execute (caddr s) table) (loop)))))))
(define (run program x)
  (let ((table (make-hash-table)))
    (hash-table-set! table 'x x)
    (execute program table)
    (hash-table-ref table 'result)))
"""

FACTORIAL = """
(seq (set result 1) (set a 1) (set b 2) (set c 3) (set d 4) (set e 5) (set f 6) (set g 7) (set h 8)
     (while (> x 0) (seq (set result (* result x)) (set x (- x 1)))))
"""


def test_the_tables_of_an_interpreter_disappear() -> None:
    """Ten variables: more than a table has room for when it is made."""
    program = cogen.loads(INTERPRETER)
    data = cogen.static(cogen.datum(FACTORIAL)), cogen.dynamic("int")
    made = cogen.specialize(program, "run", *data)
    assert "hash" not in made.scheme
    assert "vector" not in made.scheme
    assert made.to_python()(5) == 120
    extension = cogen.generate(program, "run", cogen.static(), cogen.dynamic("int"))
    assert extension(*data).scheme == made.scheme


def test_tables_that_are_filled_in_loops_make_no_versions() -> None:
    """The counter is known at first, and the keys with it."""
    text = """
    (import (srfi 69))
    (define (f n)
      (let ((t (make-hash-table)))
        (do ((i 0 (+ i 1))) ((= i n)) (hash-table-set! t (list (quotient i 10) i) i))
        (hash-table-size t)))
    """
    made = residual(text, "f")
    assert len(made.scheme) < 10_000
    assert made.to_python()(30) == 30


def test_an_unknown_key_is_compared_with_known_ones() -> None:
    """So what a table holds stays known: here procedures."""
    text = """
    (import (srfi 69))
    (define table (alist->hash-table (list (cons 'add +) (cons 'mul *)) eq?))
    (define (f name x y) ((hash-table-ref table name (lambda () -)) x y))
    (define (g name x y)
      (let ((table (make-hash-table)))
        (hash-table-set! table 'add +)
        (hash-table-set! table 'mul *)
        ((hash-table-ref table name (lambda () -)) x y)))
    """
    made = residual(text, "g", 3)
    assert "table" not in made.scheme
    assert "lambda" not in made.scheme
    for entry in ("f", "g"):
        call = python(text, entry, 3)
        results = [call(cogen.symbol(name), 3, 4) for name in ("add", "mul", "sub")]
        assert results == [7, 12, -1]


# Strings

STRINGS = """
(import (srfi 13) (prefix (srfi 130) c:))
(define (f text pattern)
  (list (string-contains text pattern) (c:string-contains-right text pattern)
        (string-prefix? pattern text) (string-suffix? pattern text)
        (string-trim-both text #\\a) (string-pad text 6 #\\-) (string-pad-right text 6 #\\-)
        (string-reverse text) (string-count text #\\a) (string-index text #\\b)
        (string-index-right text #\\b) (string-tokenize text (lambda (c) (char=? c #\\a)))
        (string-join (list text pattern text) pattern) (c:string-split text pattern)))
"""


def by_python(text: str, pattern: str) -> list[Any]:
    """The same by Python's methods; an index that is not there is False."""
    places = [text.find(pattern), text.rfind(pattern)]
    indices = [text.find("b"), text.rfind("b")]
    return [
        *(False if place < 0 else place for place in places),
        text.startswith(pattern),
        text.endswith(pattern),
        text.strip("a"),
        text.rjust(6, "-")[-6:],
        text.ljust(6, "-")[:6],
        text[::-1],
        text.count("a"),
        *(False if place < 0 else place for place in indices),
        [part for part in text.replace("b", " ").split(" ") if part],
        pattern.join([text, pattern, text]),
        text.split(pattern) if text else [],
    ]


letters = st.text(alphabet="ab", max_size=12)


@settings(max_examples=max(8, settings().max_examples // 20), deadline=None)
@given(text=letters, pattern=st.text(alphabet="ab", min_size=1, max_size=4))
def test_strings_are_as_in_python(text: str, pattern: str) -> None:
    assert python(STRINGS, "f", 2)(text, pattern) == by_python(text, pattern)


@pytest.mark.parametrize("pattern", ["aab", "abab", "a", "abacabab"])
def test_a_known_pattern_becomes_an_automaton(pattern: str) -> None:
    """No vector of borders, no pattern is left; and no character is read twice."""
    text = f'(import (srfi 13)) (define (f s) (string-contains s "{pattern}"))'
    made = residual(text, "f")
    assert "vector" not in made.scheme
    assert pattern not in made.scheme or pattern == "a"
    for sample in ("", "a", "aaab", "aabaab", "ababab", "abacabacabab", "bbbb"):
        place = sample.find(pattern)
        assert made.to_python()(sample) == (False if place < 0 else place)


# Formatted output, random numbers


def test_a_known_text_of_format_is_taken_apart_ahead() -> None:
    text = """(import (srfi 28)) (define (f x y) (format "~a = ~s~%" x y))"""
    made = residual(text, "f", 2)
    assert '" = "' in made.scheme
    assert "~" not in made.scheme
    assert made.to_python()("x", "y") == 'x = "y"\n'


@pytest.mark.parametrize("way", WAYS)
def test_numbers_that_are_drawn_are_the_same_in_all_ways(way: Any) -> None:
    """Those of SplitMix64 from state 7 on."""
    text = """
    (import (srfi 27))
    (define (f state)
      (let ((s (make-random-source)))
        (random-source-state-set! s state)
        (let* ((draw (random-source-make-integers s)) (a (draw 1000)) (b (draw 1000)))
          (+ (* 1000 a) b))))
    """
    assert way(residual(text, "f"))(7) == 1000 * (drawn(7, 1) % 1000) + drawn(7, 2) % 1000


def drawn(state: int, number: int) -> int:
    """The upper 62 bits of a number of SplitMix64."""
    z = (state + number * 0x9E3779B97F4A7C15) % (1 << 64)
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % (1 << 64)
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % (1 << 64)
    return (z ^ (z >> 31)) >> 2
