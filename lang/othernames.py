"""Names that people know from other dialects and languages: name -> what to write here.

A name that a program does not define, and that is none of R7RS (`lang.leftout` has these), is
looked up here before names are compared by spelling: `sort` is not meant to be `sqrt`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_LOOP = "write a loop: (let loop ((l l) (result start)) (if (null? l) result (loop (cdr l) …)))"
_KEEP = "write a recursion that conses what is to be kept"
_SORT = "write one: a merge sort of lists takes about ten lines"
_TABLE = "use an association list (`assoc`, `assq`), or a vector if keys are small integers"
_WRITE = "`(display x)` writes a value, `(newline)` ends the line"
_TEXT = "there are no format strings: `(display x)` writes values, `string-append` joins strings"
_FORM = "loops are written with `do` or a named `let`"
_RETURN = "the last expression of a body is its value; `call/cc` leaves earlier"

_HINTS: Final[dict[str, tuple[str, ...]]] = {
    "`'()` is the empty list, `#f` is false": ("nil", "null", "none"),
    "true is written `#t`": ("true", "t"),
    "false is written `#f`": ("false",),
    _LOOP: ("fold", "foldl", "foldr", "fold-left", "fold-right", "reduce-left", "reduce-right"),
    _KEEP: ("filter", "remove", "delete", "partition", "filter-map", "append-map"),
    _SORT: ("sort", "sort!", "list-sort", "vector-sort", "vector-sort!", "sorted"),
    _TABLE: (
        "make-hash-table",
        "make-equal-hash-table",
        "make-eq-hashtable",
        "make-hash",
        "hash-table-ref",
        "hash-table-set!",
        "hash-ref",
        "hash-set!",
    ),
    _WRITE: ("print", "displayln", "println", "writeln", "display-line", "pp"),
    _TEXT: ("printf", "format", "fprintf"),
    _FORM: ("while", "for", "loop", "dotimes", "dolist"),
    _RETURN: ("return", "break"),
    "count in a loop: (do ((i 0 (+ i 1))) ((= i n)) …)": ("iota", "range", "in-range"),
    'write `(if (not x) (error "what is wrong" x))`': ("assert",),
    "write `(if #f #f)`": ("void",),
    "write `(+ x 1)`": ("1+", "add1", "inc"),
    "write `(- x 1)`": ("1-", "-1+", "sub1", "dec"),
    "procedures are defined with `define`": ("defun", "def", "defn", "fn", "function"),
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
    "car": ("first", "head"),
    "cdr": ("rest", "tail"),
    "cadr": ("second",),
    "caddr": ("third",),
    "null?": ("empty?", "nil?"),
    "equal?": ("==", "eql", "eql?", "equals?"),
    "list-ref": ("nth", "elt"),
    "vector-ref": ("aref",),
    "string-length": ("strlen",),
    "number->string": ("str", "to-string"),
    "string->number": ("parse-int", "to-number"),
    "begin": ("progn",),
    "apply": ("funcall",),
    "reverse": ("reverse!",),
    "append": ("append!", "concat", "concatenate"),
    "length": ("len", "size"),
}
"""Names of the language, and what others call the same."""

OTHER_NAMES: Final[Mapping[str, str]] = {
    **{name: hint for hint, names in _HINTS.items() for name in names},
    **{name: f"it is called `{ours}`" for ours, names in _CALLED.items() for name in names},
}
"""The hint for each name."""
