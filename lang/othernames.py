"""Names that people know from other dialects and languages: name -> what to write here.

A name that a program does not define, that is none of R7RS (`lang.leftout` has these) and that no
library of the product has, is looked up here before names are compared by spelling: `sorted` is not
meant to be `sqrt`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from cogen.lang.errors import Span

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
_RECORD = "(define-record-type point (make-point x y) point? (x point-x))"
_GUARD = "errors are caught so: (guard (e (#t what-to-do)) body …), e is what `raise` was given"
_RETURN = "the last expression of a body is its value; `call/cc` leaves earlier"
_LEAVE = "(call/cc (lambda (leave) …)) gives what (leave value) is given, if that is called"
_FIXED = "numbers have one set of operations, for integers and floats: (+ a b), (< a b)"
_LOCAL = "procedures within others are defined in their bodies, or by `letrec`"
_SEVERAL = "(let-values (((a b) (values 1 2))) …) binds several values"
_PUSH = "lists are not changed: (set! l (cons x l)), (set! l (cdr l))"
_PARTIAL = "(import (srfi 26)) has (cut f 1 <>), a procedure of what stands for <>"
_PRESENT = "(memv x l) and (member x l) look for an element, (assoc key l) for a pair"

_HINTS: Final[dict[str, tuple[str, ...]]] = {
    "`'()` is the empty list, `#f` is false; `null?` asks for an empty list": (
        "nil",
        "null",
        "none",
        "None",
        "NULL",
        "undefined",
        "empty",
    ),
    "true is written `#t`": ("true", "t", "True", "TRUE"),
    "false is written `#f`": ("false", "False", "FALSE"),
    "write `(and a b)`": ("&&",),
    "write `lambda`": ("λ",),
    "write `(not x)`": ("!",),
    "write `(not (= a b))`, or with `equal?`": ("!=", "<>", "/="),
    "`(exit)` ends the program": ("quit", "bye", "sys.exit"),
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
        "hash-table-get",
        "hash-table-put!",
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
    _RETURN: ("return", "break", "continue", "return-from", "yield"),
    _LEAVE: (
        "let/ec",
        "let/cc",
        "call/ec",
        "call-with-escape-continuation",
        "within-continuation",
        "block",
    ),
    _FIXED: (
        *(f"{kind}{name}" for kind in ("fx", "fl") for name in ("+", "-", "*", "=", "<", ">")),
        *("fx<=", "fx>=", "fl<=", "fl>=", "fl/", "fxquotient", "fxmodulo", "fxremainder"),
        *("fxand", "fxior", "fxxor", "unsafe-fx+", "unsafe-fx-"),
    ),
    _LOCAL: ("labels", "flet", "letfn", "local-define"),
    _PUSH: ("push", "push!", "pop", "pop!", "append-to!", "conj!"),
    _PARTIAL: ("curry", "partial", "papply"),
    _PRESENT: ("in", "contains?", "contains", "member?", "memberp", "includes?"),
    "write `(lambda (x) (f (g x)))`": ("compose", "o", "comp"),
    "write `(lambda (x) x)`": ("identity", "id"),
    "write `(lambda ignored x)`": ("constantly", "always"),
    "write `(not (pair? x))`": ("atom?", "atom", "atomp"),
    "write `(list-tail l n)`": ("nthcdr", "drop-first"),
    "(import (srfi 1)) has (take l n), `drop`, `last` and `drop-right`": (
        *("list-head", "sublist", "butlast", "but-last", "firstn", "take-last", "drop-last"),
    ),
    "(import (srfi 1)) has (append-map f l)": ("mapcan", "mapcat", "flatmap", "flat-map"),
    "(let loop ((i 0) (rest l)) …) counts what it goes through; (import (srfi 1)) has (iota n)": (
        *("enumerate", "map-indexed", "for-each-with-index", "map-with-index"),
    ),
    "(cdr (assv key l)) is what belongs to a key; tables are in (srfi 69)": (
        *("assq-ref", "assv-ref", "assoc-ref", "getf", "get", "alist-ref", "lookup"),
    ),
    "each name is made once, so none needs to be new; (string->symbol text) makes one": (
        *("gensym", "generate-symbol", "gensym*"),
    ),
    "input is read by (read-line), (read), (read-char)": ("input", "readline", "getline", "scanf"),
    "(current-jiffy) is a clock, with (jiffies-per-second); `,time` of `cogen repl` measures": (
        *("time", "runtime", "real-time", "current-milliseconds", "clock"),
        *("current-inexact-milliseconds", "perf-counter", "cpu-time"),
    ),
    "programs start no others and do not wait": ("system", "shell", "sleep", "process"),
    "a library file is (define-library (name) (export …) (begin …)), used by (import (name))": (
        *("module", "define-module", "library", "ns", "defpackage", "in-package", "provide"),
    ),
    "cleanups stand in (dynamic-wind before body after)": ("unwind-protect",),
    "(parameterize ((p value)) …) changes a parameter of `make-parameter` for a while": (
        *("fluid-let", "binding", "with-bindings"),
    ),
    "patterns are told apart by `cond` and `case`, and taken apart by `car` and `cdr`": (
        *("match", "match-lambda", "match-let", "match-let*", "case-of", "destructuring-bind"),
    ),
    "(read (open-input-string text)) reads what a text writes": (
        *("read-from-string", "call-with-input-string", "with-input-from-text"),
    ),
    "(import (srfi 13)) has (string-null? s), `string-index` and many more": (
        *("string-empty?", "blank?", "char-at", "string-search-forward", "string-find"),
    ),
    "(vector-append v w) makes a longer vector, `vector-copy` a part": (
        *("vector-grow", "subvector", "vector-head", "vector-tail", "vector-push!"),
    ),
    "types are asked for by `number?`, `string?`, `pair?`, `procedure?`, …": (
        *("type", "typeof", "type-of", "isinstance", "instance?", "class-of"),
    ),
    "vectors are fixed, lists grow at the front: (cons x l)": ("conj", "list-add"),
    f"types of records are defined so: {_RECORD}": (
        "struct",
        "defstruct",
        "define-struct",
        "define-structure",
        "defrecord",
        "deftype",
        "class",
        "defclass",
        "define-class",
    ),
    _SEVERAL: ("multiple-value-bind", "call-values", "mvlet", "receive*"),
    _GUARD: ("try", "catch", "with-handlers", "handler-case", "ignore-errors", "except", "finally"),
    "a variable is set anew by `set!`: (set! x (+ x 1))": ("incf", "decf", "++", "--", "+="),
    "`(if test (begin …))`, `when` and `unless` choose": ("elif", "elsif", "if-not", "when-not"),
    "`set!` changes a variable, `vector-set!` an element": ("swap!", "reset!", "vector-update!"),
    "write `(f x)`: parentheses call what stands first in them": ("funcall", "call", "invoke"),
    "calls stand inside one another: (f (g x))": ("->", "->>", "~>"),
    "count in a loop: (do ((i 0 (+ i 1))) ((= i n)) …); (import (srfi 1)) has (iota n)": (
        "range",
        "in-range",
    ),
    "write `(if #f #f)`": ("void",),
    "a variable is defined so: (define x 5)": (
        *("int", "var", "val", "const", "double", "local"),
        *("defvar", "defparameter", "defconstant", "defconst", "define-constant", "defonce"),
    ),
    "write `(+ x 1)`": ("1+", "add1", "inc"),
    "write `(- x 1)`": ("1-", "-1+", "sub1", "dec"),
    "a procedure is defined so: (define (name parameter …) body)": ("defun", "def", "defn"),
    "a procedure without a name is written (lambda (parameter …) body)": (
        "fn",
        "function",
        "named-lambda",
        "λ*",
    ),
    "variables are assigned with `set!`": ("setf", "setq", "set"),
}
"""Hints that say what to write instead, and the names that have them."""

_CALLED: Final[dict[str, tuple[str, ...]]] = {
    "bitwise-ior": ("bitwise-or", "logior", "bit-or", "logor"),
    "bitwise-and": ("logand", "bit-and"),
    "bitwise-xor": ("logxor", "bit-xor"),
    "bitwise-not": ("lognot", "bit-not"),
    "arithmetic-shift": (
        *("ash", "shift", "shift-left", "shift-right", "bitwise-shift", "<<", ">>"),
        *("bitwise-arithmetic-shift", "bit-shift-left", "bit-shift-right"),
    ),
    "modulo": ("mod", "%"),
    "quotient": ("div",),
    "square": ("sqr",),
    "current-second": ("current-time",),
    "string-append": ("strcat", "string-concat"),
    "expt": ("pow", "**", "power"),
    "ceiling": ("ceil",),
    "remainder": ("rem", "fmod"),
    "pair?": ("consp", "cons?"),
    "number?": ("numberp",),
    "list?": ("listp", "seq?"),
    "even?": ("evenp",),
    "odd?": ("oddp",),
    "zero?": ("zerop",),
    "string?": ("stringp",),
    "symbol?": ("symbolp", "keyword?"),
    "car": ("head",),
    "cdr": ("rest", "tail"),
    "null?": ("empty?", "nil?"),
    "equal?": ("==", "eql", "eql?", "equals?"),
    "list-ref": ("nth", "elt"),
    "vector-ref": ("aref",),
    "string-length": ("strlen",),
    "number->string": ("str", "to-string", "int->string", "real->string", "integer->string"),
    "string->number": ("parse-int", "to-number", "string->int", "string->integer"),
    "begin": ("progn",),
    "map": ("mapcar", "mapv", "maplist"),
    "for-each": ("mapc", "doseq"),
    "raise": ("throw", "signal"),
    "string-upcase": (".toUpperCase", ".upper", "upper-case", "upcase"),
    "string-downcase": (".toLowerCase", ".lower", "lower-case", "downcase"),
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

_NAMED: Final = re.compile(r"""\(\s*([^\s()'"#]+)\s*\)""")
"""A call without arguments of what a name stands for."""

_ARROW: Final = re.compile(r"\s=>\s")
"""In a clause of `cond` or `case`."""

_METHOD: Final = re.compile(r"[a-zA-Z_]\w*\.[a-zA-Z_]\w*")
"""What stands for a method elsewhere."""

_BETWEEN: Final = re.compile(r"(?:^\(|\s)\s*([^\s()]+)\s+([^\s()]+)\s+([^\s()]+)\s*\)$")
"""The last three words of a form."""

NO_PROCEDURE: Final = "expected a procedure to call"
"""What messages of calls of what is no procedure begin with."""


def hint_of_call(text: str) -> str | None:
    """What to write instead of a call, given by its text, of what is no procedure."""
    match = _LITERAL.match(text)
    if match is not None and match[1] not in _OPERATORS:
        return "a list of data is quoted: '(1 2 3)"
    if _ARROW.search(text) is not None:
        return "what stands behind `=>` is a procedure, which is given the value of the test"
    found = hint_of_operator(text)
    if found is None and match is not None:
        return f"an operator stands first: ({match[1]} 1 2)"
    if found is None and text.startswith("(("):
        return "parentheses call what stands first in them: is a pair too much?"
    named = _NAMED.fullmatch(text)
    if named is not None:
        return f"parentheses call what stands first in them: the value alone is written {named[1]}"
    return found


def hint_of_operator(text: str) -> str | None:
    """What to write instead of a call that ends with an operator between two words."""
    match = _BETWEEN.search(text)
    if match is None or match[2] not in _OPERATORS or match[1] in _OPERATORS:
        return None
    return f"an operator stands first: ({match[2]} {match[1]} {match[3]})"


@dataclass(frozen=True, slots=True)
class Failure:
    """Messages that begin so, and have that after it, and what may have been meant."""

    beginning: str
    part: str
    hint: str


def _of_numbers() -> Iterator[Failure]:
    """Those of operations on numbers."""
    numbers, no_text = "expected a number, got ", "(string->number s) reads a number from a text"
    joins = "(string-append a b) joins texts, (string->number s) reads a number"
    yield Failure(f'+: {numbers}"', "", joins)
    for operator in ("-", "*", "/", "<", ">", "<=", ">=", "="):
        yield Failure(f'{operator}: {numbers}"', "", no_text)
    for operator in ("=", "<", ">", "<=", ">="):
        for start in "abcdefghijklmnopqrstuvwxyz(":
            other = "`eq?` compares symbols, `equal?` whatever it is"
            yield Failure(f"{operator}: {numbers}{start}", "", other)
    for operator in ("+", "-", "*", "/"):
        for start in "abcdefghijklmnopqrstuvwxyz":
            unquoted = "a name with a quote is a symbol; without it, what the name stands for"
            yield Failure(f"{operator}: {numbers}{start}", "", unquoted)
    for operator in ("+", "*"):
        yield Failure(
            f"{operator}: {numbers}(", "", f"(apply {operator} l) takes all items of a list"
        )
    for operator in ("+", "-", "*", "expt", "square"):
        floats = "integers have 64 bits; numbers with a point go further: (* 1. n)"
        yield Failure(f"{operator}: the result does not fit in 64 bits", "", floats)
    for operator in ("+", "-", "*", "/"):
        read = "what `string->number` cannot read is #f"
        yield Failure(f"{operator}: {numbers}#f", "", read)
    yield Failure("/: ", " is not divisible by", "(/ 1. 2) is 0.5, (quotient 7 2) is 3")


def _failures() -> Iterator[Failure]:
    yield from _of_numbers()
    yield Failure("list-ref: expected an index", ", got (", "the list stands first: (list-ref l 2)")
    for name in ("char-upcase", "char-downcase", "char->integer", "char-alphabetic?"):
        yield Failure(f'{name}: expected a character, got "', "", "a character is written #\\a")
    yield Failure("format: expected a string, got #", "", _TEXT)
    yield Failure("string->number: expected a string", "", "(number->string n) writes a number")
    yield Failure("number->string: expected a number", "", "(string->number s) reads a number")
    changed = "(string-copy s) makes one that can be changed"
    yield Failure("string-set!: expected a string that can be changed", "", changed)
    yield Failure('length: expected a list, got "', "", "of texts it is `string-length`")
    yield Failure("length: expected a list, got #(", "", "of vectors it is `vector-length`")
    yield Failure("vector-ref: expected a vector, got (", "", "of lists it is `list-ref`")
    yield Failure("list-ref: expected a pair, got #(", "", "of vectors it is `vector-ref`")
    for name in ("list-ref", "list-tail", "list-set!"):
        less = "the list has fewer elements than that; the first one has the index 0"
        yield Failure(f"{name}: expected a pair, got ()", "", less)
    for name in ("cdr", "car"):
        found = "what `assq`, `assv`, `assoc` and `member` do not find is #f"
        yield Failure(f"{name}: expected a pair, got #f", "", found)
    for name in ("assq", "assv", "assoc"):
        pairs = "it looks through a list of pairs: '((a . 1) (b . 2))"
        yield Failure(f"{name}: expected a pair, got ", "", pairs)
    for name in ("map", "for-each", "vector-map", "vector-for-each"):
        for what in ("a list", "a vector"):
            first = f"the procedure stands first: ({name} f items)"
            yield Failure(f"{name}: expected {what}, got #<procedure", "", first)
    several = "its last argument is a list: (apply + '(1 2))"
    yield Failure("apply: expected a list as the last argument", "", several)
    for start in "-0123456789":
        made = "(number->string n) writes a number"
        yield Failure(f"string-append: expected a string, got {start}", "", made)
    character = "string-append: expected a string, got #\\"
    yield Failure(character, "", "(string c) makes a text of characters")
    elements = {"(": "(list-ref l 0)", "#(": "(vector-ref v 0)", '"': "(string-ref s 0)"}
    for start, taken in elements.items():
        element = f"{taken} gives an element; parentheses call what stands first in them"
        yield Failure(f"{NO_PROCEDURE}, got {start}", "", element)


FAILURES: Final = tuple(_failures())
"""Failures of operations that are often seen."""


def hint_of_failure(message: str, text: str = "") -> str | None:
    """What may have been meant where a run failed with a message, at a form with this text."""
    at_call = hint_of_call(text) if message.startswith(NO_PROCEDURE) else None
    if at_call is not None:
        return at_call
    for failure in FAILURES:
        rest = message.removeprefix(failure.beginning)
        if rest != message and failure.part in rest:
            return failure.hint
    return None


def hint_at(message: str, span: Span | None) -> str | None:
    """The same for a place."""
    return hint_of_failure(message, "" if span is None else span.source.text[span.start : span.end])


AUXILIARY_HINTS: Final[Mapping[str, str]] = {
    "=>": "a procedure without a name is written (lambda (parameter …) body)",
    "else": "(if test then otherwise) has no word between; `cond` and `case` have clauses with it",
}
"""What was meant by words of the language that mean something in certain forms only."""

FOREIGN_KEYWORDS: Final = frozenset(
    {
        *("while", "for", "loop", "dotimes", "dolist"),
        *("defun", "def", "defn", "fn", "function", "lambda*", "defstruct", "define-structure"),
        *("setf", "setq", "progn", "return", "case-of", "match", "match-lambda", "let-optionals"),
        *("defvar", "defparameter", "defconstant", "defconst", "defonce", "defmacro"),
        *("multiple-value-bind", "destructuring-bind", "labels", "flet", "letfn", "return-from"),
        *("module", "library", "ns", "defpackage", "in-package", "provide", "fluid-let", "binding"),
        *("call-values", "named-lambda", "block", "receive", "and-let*", "rec"),
        *("int", "var", "val", "const", "double", "local"),
        *("require", "use-modules", "use", "//"),
        *("struct", "define-struct", "defrecord", "deftype", "class", "defclass", "define-class"),
        *("try", "catch", "handler-case", "->", "->>", "~>"),
    }
)
"""Names of forms whose parts are not all expressions, or that stand in front of what they govern:
names beside them mean nothing here because they do not."""

FOREIGN_LIBRARIES: Final = frozenset(
    ("rnrs", "chicken", "racket", "guile", "ice-9", "gauche", "chibi", "chez", "chezscheme", "std")
)
"""How names of libraries begin that others have."""

OTHER_NAMES: Final[Mapping[str, str]] = {
    **{name: hint for hint, names in _HINTS.items() for name in names},
    **{name: f"it is called `{ours}`" for ours, names in _CALLED.items() for name in names},
}
"""The hint for each name."""


def hint_of_name(name: str) -> str | None:
    """What to write instead of a name that means nothing here."""
    if name in OTHER_NAMES:
        return OTHER_NAMES[name]
    if name.endswith((".scm", ".l0", ".ss")):
        return "is a file meant? `cogen.load(path)` reads it, `cogen run FILE` runs it"
    if _METHOD.fullmatch(name):
        return "there are no methods: a procedure takes the object, (procedure object argument …)"
    return None
