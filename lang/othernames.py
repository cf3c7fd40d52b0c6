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
_RETURN = "the last expression of a body is its value; `call/cc` leaves earlier"

_HINTS: Final[dict[str, tuple[str, ...]]] = {
    "`'()` is the empty list, `#f` is false": ("nil", "null", "none"),
    "true is written `#t`": ("true", "t"),
    "false is written `#f`": ("false",),
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
    "quotient": ("div", "//"),
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


FOREIGN_KEYWORDS: Final = frozenset(
    {
        *("while", "for", "loop", "dotimes", "dolist"),
        *("defun", "def", "defn", "fn", "function", "lambda*", "defstruct", "define-structure"),
        *("setf", "setq", "progn", "return", "case-of", "match", "match-lambda", "let-optionals"),
    }
)
"""Names of forms whose parts are not all expressions, or that stand in front of what they govern:
names beside them mean nothing here because they do not."""

OTHER_NAMES: Final[Mapping[str, str]] = {
    **{name: hint for hint, names in _HINTS.items() for name in names},
    **{name: f"it is called `{ours}`" for ours, names in _CALLED.items() for name in names},
}
"""The hint for each name."""
