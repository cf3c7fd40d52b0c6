"""Names that people know from other dialects and languages: name -> what to write here.

A name that a program does not define, that is none of R7RS (`lang.leftout` has these) and that no
library of the product has, is looked up here before names are compared by spelling: `sorted` is not
meant to be `sqrt`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_LOOP = "(import (srfi 1)) has (fold f start l), `fold-right` and `reduce`"
_KEEP = "(import (srfi 1)) has (filter good? l), `remove`, `partition` and `filter-map`"
_SORT = "(import (srfi 95)) has (sort l <), of lists and vectors"
_TABLE = (
    "(import (srfi 69)) has hash tables: (make-hash-table), (hash-table-ref/default t key else)"
)
_WRITE = "`(display x)` writes a value, `(newline)` ends the line"
_TEXT = '(import (srfi 48)) has (format #t "~a" x), which writes, and (format "~a" x)'
_FORM = "loops are written with `do` or a named `let`"
_IMPORT = "libraries are imported at the start, as in (import (srfi 1))"
_RETURN = "the last expression of a body is its value; `call/cc` leaves earlier"

_HINTS: Final[dict[str, tuple[str, ...]]] = {
    "`'()` is the empty list, `#f` is false": ("nil", "null", "none", "None", "NULL", "undefined"),
    "true is written `#t`": ("true", "t", "True", "TRUE"),
    "false is written `#f`": ("false", "False", "FALSE"),
    "write `(and a b)`": ("&&",),
    "write `lambda`": ("λ",),
    "write `(not x)`": ("!",),
    "write `(not (= a b))`, or with `equal?`": ("!=", "<>", "/="),
    "`(exit)` ends the program": ("quit", "bye"),
    "integers are divided by `quotient`; a comment begins with `;`": ("//",),
    _IMPORT: ("require", "use-modules", "use", "include-lib", "load-library"),
    _LOOP: ("foldl", "foldr", "fold-left", "reduce-left", "sum"),
    _KEEP: ("keep", "keep-matching-items", "select", "reject", "remove-if", "remove-if-not"),
    _SORT: ("sorted", "list-sort!", "sort-by", "quicksort", "merge-sort", "stable-sort"),
    _TABLE: (
        "make-equal-hash-table",
        "make-strong-eqv-hash-table",
        "make-string-hash-table",
        "make-hashtable",
        "make-eq-hashtable",
        "make-eqv-hashtable",
        "hashtable-ref",
        "hashtable-set!",
        "make-hash",
        "make-hasheq",
        "hash-table/get",
        "hash-table/put!",
        "hash-ref",
        "hash-set!",
        "dict",
    ),
    _WRITE: ("print", "displayln", "println", "writeln", "display-line", "pp"),
    _TEXT: ("printf", "fprintf", "sprintf"),
    "(import (srfi 27)) has (random-integer n) and (random-real)": ("random", "rand"),
    "(import (srfi 13)) has (string-join texts delimiter)": ("join", "implode"),
    "(import (srfi 13)) has (string-tokenize s), (import (srfi 130)) (string-split s delimiter)": (
        "split",
        "explode",
    ),
    "(import (srfi 145)) has (assert x)": ("assertion", "check"),
    _FORM: ("while", "for", "loop", "dotimes", "dolist"),
    _RETURN: ("return", "break"),
    "count in a loop: (do ((i 0 (+ i 1))) ((= i n)) …); (import (srfi 1)) has (iota n)": (
        "range",
        "in-range",
    ),
    "write `(if #f #f)`": ("void",),
    "write `(+ x 1)`": ("1+", "add1", "inc"),
    "write `(- x 1)`": ("1-", "-1+", "sub1", "dec"),
    "a procedure is defined so: (define (name parameter …) body)": (
        "defun",
        "def",
        "defn",
        "fn",
        "function",
    ),
    "variables are assigned with `set!`": ("setf", "setq", "set"),
}
"""Hints that say what to write instead, and the names that have them."""

_CALLED: Final[dict[str, tuple[str, ...]]] = {
    "bitwise-ior": ("bitwise-or", "logior", "bit-or", "logor"),
    "bitwise-and": ("logand", "bit-and"),
    "bitwise-xor": ("logxor", "bit-xor"),
    "bitwise-not": ("lognot", "bit-not"),
    "arithmetic-shift": ("ash", "shift", "shift-left", "shift-right", "bitwise-shift"),
    "modulo": ("mod", "%"),
    "quotient": ("div",),
    "square": ("sqr",),
    "current-second": ("current-time",),
    "string-append": ("strcat", "string-concat"),
    "expt": ("pow", "**"),
    "car": ("head",),
    "cdr": ("rest", "tail"),
    "null?": ("empty?", "nil?"),
    "equal?": ("==", "eql", "eql?", "equals?"),
    "list-ref": ("nth", "elt"),
    "vector-ref": ("aref",),
    "string-length": ("strlen",),
    "number->string": ("str", "to-string"),
    "string->number": ("parse-int", "to-number"),
    "begin": ("progn",),
    "apply": ("funcall",),
    "append": ("concat",),
    "length": ("len", "size"),
}
"""Names of the language, and what others call the same."""

_LITERAL: Final = re.compile(
    r"""\(\s*(?:[-+]?\d[\d.]*|"[^"]*"|\#[tf]\b|\#\\\S+)(?:\s+([^\s()]+))?"""
)
"""A form that begins with a literal, and the word behind it."""

_OPERATORS: Final = frozenset(
    ["+", "-", "*", "/", "=", "==", "<", ">", "<=", ">=", "%", "mod", "and", "or"]
)


def hint_of_call(text: str) -> str | None:
    """What to write instead of a call, given by its text, of what is no procedure."""
    match = _LITERAL.match(text)
    if match is None:
        twice = text.startswith("((")
        return "parentheses call what stands first in them: is a pair too much?" if twice else None
    if match[1] in _OPERATORS:
        return f"an operator stands first: ({match[1]} 1 2)"
    return "a list of data is quoted: '(1 2 3)"


_FAILURES: Final = tuple(
    (re.compile(pattern), hint)
    for pattern, hint in (
        (
            r'\+: expected a number, got "',
            "(string-append a b) joins texts, (string->number s) reads a number",
        ),
        (r'[-*/<>]: expected a number, got "', "(string->number s) reads a number from a text"),
        (r'length: expected a list, got "', "of texts it is `string-length`"),
        (r"length: expected a list, got #\(", "of vectors it is `vector-length`"),
        (r"vector-ref: expected a vector, got \(", "of lists it is `list-ref`"),
        (r"list-ref: expected a pair, got #\(", "of vectors it is `vector-ref`"),
        (r"string-append: expected a string, got [-+]?\d", "(number->string n) writes a number"),
        (r"string-append: expected a string, got #\\", "(string c) makes a text of characters"),
        (r"/: .* is not divisible by", "(/ 1. 2) is 0.5, (quotient 7 2) is 3"),
    )
)
"""What messages of failures begin with, and what may have been meant."""


def hint_of_failure(message: str) -> str | None:
    """What may have been meant by an operation that failed with a message."""
    return next((hint for pattern, hint in _FAILURES if pattern.match(message)), None)


FOREIGN_KEYWORDS: Final = frozenset(
    {
        *("while", "for", "loop", "dotimes", "dolist"),
        *("defun", "def", "defn", "fn", "function", "lambda*", "defstruct", "define-structure"),
        *("setf", "setq", "progn", "return", "case-of", "match", "match-lambda", "let-optionals"),
        *("require", "use-modules", "use", "//"),
    }
)
"""Names of forms whose parts are not all expressions, or that stand in front of what they govern:
names beside them mean nothing here because they do not."""

OTHER_NAMES: Final[Mapping[str, str]] = {
    **{name: hint for hint, names in _HINTS.items() for name in names},
    **{name: f"it is called `{ours}`" for ours, names in _CALLED.items() for name in names},
}
"""The hint for each name."""
