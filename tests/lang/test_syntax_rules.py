"""`syntax-rules`: matching, filling templates, and hygiene in all its classical corners."""

from __future__ import annotations

from io import StringIO

import pytest

from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads

pytestmark = pytest.mark.quick

MY_OR = """
(define-syntax my-or
  (syntax-rules ()
    ((_) #f)
    ((_ e) e)
    ((_ e r ...) (let ((t e)) (if t t (my-or r ...))))))
"""
SWAP = """
(define-syntax swap!
  (syntax-rules () ((_ a b) (let ((tmp a)) (set! a b) (set! b tmp)))))
"""
WHILE = """
(define-syntax while
  (syntax-rules ()
    ((_ test body ...) (let loop () (if test (begin body ... (loop)) #f)))))
"""
BE_LIKE_BEGIN = """
(define-syntax be-like-begin
  (syntax-rules ()
    ((_ name)
     (define-syntax name
       (syntax-rules () ((_ expr (... ...)) (begin expr (... ...))))))))
"""

MATCHING = {
    "no ellipsis items": (
        "(define-syntax m (syntax-rules () ((_ a ...) '(a ...)))) (write (m))",
        "()",
    ),
    "ellipsis": (
        "(define-syntax m (syntax-rules () ((_ a ...) '(a ...)))) (write (m 1 2 3))",
        "(1 2 3)",
    ),
    "nested ellipses": (
        "(define-syntax m (syntax-rules () ((_ (a b ...) ...) '((b ... a) ...))))"
        "(write (m (1 2 3) (4) (5 6)))",
        "((2 3 1) (4) (6 5))",
    ),
    "flattening ellipses": (
        "(define-syntax m (syntax-rules () ((_ (a ...) ...) '(a ... ...))))"
        "(write (m (1 2) () (3)))",
        "(1 2 3)",
    ),
    "outer variable repeated along an inner ellipsis": (
        "(define-syntax m (syntax-rules () ((_ (a b ...) ...) '((a b) ... ...))))"
        "(write (m (1 2 3) (4 5)))",
        "((1 2) (1 3) (4 5))",
    ),
    "variables of depth one under two ellipses": (
        "(define-syntax m (syntax-rules () ((_ (a ...) (b ...)) '((a b ...) ...))))"
        "(write (m (1 2) (3 4)))",
        "((1 3 4) (2 3 4))",
    ),
    "variable without ellipsis inside one": (
        "(define-syntax m (syntax-rules () ((_ x a ...) '((x a) ...)))) (write (m 0 1 2))",
        "((0 1) (0 2))",
    ),
    "items after the ellipsis": (
        "(define-syntax m (syntax-rules () ((_ a ... y z) '(z y (a ...))))) (write (m 1 2 3 4))",
        "(4 3 (1 2))",
    ),
    "ellipsis and tail": (
        "(define-syntax m (syntax-rules () ((_ a ... . r) '((a ...) r))))"
        "(write (m 1 2)) (write (m 1 . 2))",
        "((1 2) ())((1) 2)",
    ),
    "items after the ellipsis and tail": (
        "(define-syntax m (syntax-rules () ((_ (a ... b . c)) '((a ...) b c))))"
        "(write (m (1 2 3 . 4)))",
        "((1 2) 3 4)",
    ),
    "dotted pattern": (
        "(define-syntax m (syntax-rules () ((_ a . b) '(a b)))) (write (m 1 2 3))",
        "(1 (2 3))",
    ),
    "dotted template": (
        "(define-syntax m (syntax-rules () ((_ a b) '(a . b)))) (write (m 1 (2 3)))",
        "(1 2 3)",
    ),
    "the whole tail is a variable": (
        "(define-syntax m (syntax-rules () ((_ . all) 'all))) (write (m 1 2))",
        "(1 2)",
    ),
    "vector pattern": (
        "(define-syntax m (syntax-rules () ((_ #(a b ...)) '(a (b ...))))) (write (m #(1 2 3)))",
        "(1 (2 3))",
    ),
    "vector template": (
        "(define-syntax m (syntax-rules () ((_ a ...) '#(a ... end)))) (write (m 1 2))",
        "#(1 2 end)",
    ),
    "literal data": (
        '(define-syntax m (syntax-rules () ((_ 1) "one") ((_ "s") "string") ((_ #\\a) "char")'
        '  ((_ #t) "true") ((_ 1.0) "float") ((_ x) "other")))'
        '(for-each display (list (m 1) (m "s") (m #\\a) (m #t) (m 1.0) (m 2) (m #f)))',
        "onestringchartruefloatotherother",
    ),
    "empty list pattern": (
        "(define-syntax m (syntax-rules () ((_ ()) 'empty) ((_ (a)) 'one)))"
        "(write (list (m ()) (m (1))))",
        "(empty one)",
    ),
    "underscore": ("(define-syntax m (syntax-rules () ((_ _ b _) 'b))) (write (m 1 2 3))", "2"),
    "underscore as a literal": (
        "(define-syntax m (syntax-rules (_) ((m _) 'under) ((m x) 'other)))"
        "(write (list (m _) (m 1)))",
        "(under other)",
    ),
    "first rule wins": (
        "(define-syntax m (syntax-rules () ((_ a) 'first) ((_ b) 'second))) (write (m 1))",
        "first",
    ),
    "custom ellipsis": (
        "(define-syntax m (syntax-rules ::: () ((_ a :::) '(a ::: ...)))) (write (m 1 2))",
        "(1 2 ...)",
    ),
    "custom ellipsis in a nested macro": (
        "(define-syntax outer (syntax-rules ::: ()"
        "  ((_ name) (define-syntax name (syntax-rules () ((_ a ...) '(a ...)))))))"
        "(outer inner) (write (inner 1 2))",
        "(1 2)",
    ),
    "ellipsis as a literal": (
        "(define-syntax m (syntax-rules (...) ((_ ...) 'dots) ((_ x) 'other)))"
        "(write (list (m ...) (m 1)))",
        "(dots other)",
    ),
    "escaped ellipsis": (
        "(define-syntax m (syntax-rules () ((_ a) '(a (... ...))))) (write (m 1))",
        "(1 ...)",
    ),
    "escaped template": (
        "(define-syntax m (syntax-rules () ((_ a) '(... (a ...))))) (write (m 1))",
        "(1 ...)",
    ),
    "quoted names of templates are plain symbols": (
        "(define-syntax m (syntax-rules () ((_) 'sym))) (write (eq? (m) 'sym))",
        "#t",
    ),
    "names inside quoted vectors and quasiquotes": (
        "(define-syntax m (syntax-rules () ((_ a) `(x ,a #(y ,@(list a))))))(write (m (+ 1 2)))",
        "(x 3 #(y 3))",
    ),
}

HYGIENE = {
    "introduced binding does not capture": (
        MY_OR + "(define t 5) (write (my-or #f t)) (let ((t 6)) (write (my-or #f t)))",
        "56",
    ),
    "swap of tmp": (
        SWAP + "(let ((tmp 1) (other 2)) (swap! tmp other) (write (list tmp other)))",
        "(2 1)",
    ),
    "user's if does not reach the template": (
        MY_OR + "(let ((if list)) (write (my-or #f 7)))",
        "7",
    ),
    "user's let does not reach the template": (
        MY_OR + "(let ((let 1) (x 8)) (write (my-or #f x)))",
        "8",
    ),
    "loop name of the macro": (
        WHILE + "(define (loop) 'outer) (let ((i 0))"
        "  (while (< i 2) (write (loop)) (set! i (+ i 1))))",
        "outerouter",
    ),
    "free name of a template means the definition's": (
        "(define x 'global) (define-syntax m (syntax-rules () ((_) x)))"
        "(let ((x 'local)) (write (m)))",
        "global",
    ),
    "R7RS let-syntax example": (
        "(write (let ((x 'outer)) (let-syntax ((m (syntax-rules () ((m) x))))"
        "  (let ((x 'inner)) (m)))))",
        "outer",
    ),
    "R7RS letrec-syntax example": (
        "(write (letrec-syntax ((my-or (syntax-rules () ((_) #f) ((_ e) e)"
        "    ((_ e1 e2 ...) (let ((temp e1)) (if temp temp (my-or e2 ...)))))))"
        "  (let ((x #f) (y 7) (temp 8) (let odd?) (if even?)) (my-or x (let temp) (if y) y))))",
        "7",
    ),
    "R7RS be-like-begin": (
        BE_LIKE_BEGIN + "(be-like-begin sequence) (write (sequence 1 2 3 4))",
        "4",
    ),
    "R7RS => shadowed": ("(write (let ((=> #f)) (cond (#t => 'ok))))", "ok"),
    "else shadowed": ("(write (let ((else #f)) (cond (else 1) (#t 2))))", "2"),
    "literal matched only with its own meaning": (
        "(define-syntax m (syntax-rules (else) ((_ else) 'keyword) ((_ x) 'other)))"
        "(write (list (m else) (let ((else 1)) (m else))))",
        "(keyword other)",
    ),
    "unbound literal": (
        "(define-syntax m (syntax-rules (foo) ((_ foo) 'yes) ((_ x) 'no)))"
        "(write (list (m foo) (let ((foo 1)) (m foo))))",
        "(yes no)",
    ),
    "literal through another macro": (
        "(define-syntax m (syntax-rules (else) ((_ else) 'keyword) ((_ x) 'other)))"
        "(define-syntax n (syntax-rules () ((_) (m else)))) (write (n))",
        "keyword",
    ),
    "macro shadowed by a local variable": (
        "(define-syntax m (syntax-rules () ((_ x) 'macro)))"
        "(let ((m (lambda (x) 'procedure))) (write (m 1)))",
        "procedure",
    ),
    "macro shadowed by an internal definition": (
        "(define-syntax m (syntax-rules () ((_ x) 'macro)))"
        "(define (f) (define (m x) 'procedure) (m 1)) (write (f))",
        "procedure",
    ),
    "macro shadowed by a parameter": (MY_OR + "(write ((lambda (my-or) (my-or 1 2)) +))", "3"),
    "special form shadowed by a definition": (
        "(define (when x) (list 'mine x)) (write (when 1))",
        "(mine 1)",
    ),
    "special form shadowed in a body below its use": (
        "(define (f) (define (g) (unless 1)) (define (unless x) (+ x 1)) (g)) (write (f))",
        "2",
    ),
    "let-syntax shadows a variable": (
        "(define (f x) 'procedure)"
        "(write (let-syntax ((f (syntax-rules () ((_ x) 'macro)))) (f 1)))",
        "macro",
    ),
    "let-syntax sees the outer macro of the same name": (
        "(define-syntax m (syntax-rules () ((_) 'outer)))"
        "(write (let-syntax ((m (syntax-rules () ((_) (list 'inner (m)))))) (m)))",
        "(inner outer)",
    ),
    "letrec-syntax is mutually recursive": (
        "(write (letrec-syntax"
        "  ((ev? (syntax-rules () ((_) #t) ((_ a . r) (od? . r))))"
        "   (od? (syntax-rules () ((_) #f) ((_ a . r) (ev? . r)))))"
        "  (list (ev? 1 2) (ev? 1))))",
        "(#t #f)",
    ),
    "two uses of a macro do not meet": (
        "(define-syntax bind (syntax-rules () ((_ e body) (let ((v e)) (list v body)))))"
        "(write (bind 1 (bind 2 3)))",
        "(1 (2 3))",
    ),
    "binding given by the user is the user's": (
        "(define-syntax my-let1 (syntax-rules () ((_ n e b) (let ((n e)) b))))"
        "(write (my-let1 x 5 (+ x 1)))",
        "6",
    ),
    "two temporaries from one template name": (
        "(define-syntax m (syntax-rules () ((_ () ((t e) ...)) (let ((t e) ...) (list t ...)))"
        "  ((_ (x . r) (b ...)) (m r (b ... (tmp x))))))"
        "(write (m (1 2 3) ()))",
        "(1 2 3)",
    ),
    "macro-defining macro keeps the inner template's meaning": (
        "(define-syntax def-getter (syntax-rules () ((_ name var)"
        "  (define-syntax name (syntax-rules () ((_) var))))))"
        "(define x 1) (def-getter get-x x) (let ((x 2)) (write (get-x)))",
        "1",
    ),
    "alias of an alias": (
        "(define-syntax m (syntax-rules () ((_ x) (let ((t 1)) (let-syntax"
        "    ((n (syntax-rules () ((_) (list t x)))))"
        "  (let ((t 2)) (n)))))))"
        "(define t 0) (write (m t))",
        "(1 0)",
    ),
    "nested macro inserts a binding used by its argument's macro": (
        "(define-syntax outer (syntax-rules () ((_ body) (let ((x 'hidden)) body))))"
        "(define x 'visible) (define-syntax get (syntax-rules () ((_) x)))"
        "(write (outer (get))) (write (outer x))",
        "visiblevisible",
    ),
    "macro with an environment of locals": (
        "(define (f a) (define-syntax add (syntax-rules () ((_ e) (+ a e))))"
        "  (let ((a 100)) (add 1)))"
        "(write (f 10))",
        "11",
    ),
    "set! through a macro": (
        "(define-syntax inc! (syntax-rules () ((_ v) (set! v (+ v 1)))))"
        "(define n 1) (inc! n) (let ((n 10)) (inc! n) (write n)) (write n)",
        "112",
    ),
    "named lambda of a template": (
        "(define-syntax my-letrec (syntax-rules () ((_ ((n e) ...) b) (letrec ((n e) ...) b))))"
        "(write (my-letrec ((f (lambda (n) (if (= n 0) 1 (* n (f (- n 1))))))) (f 5)))",
        "120",
    ),
    "do loop of a macro": (
        "(define-syntax times (syntax-rules () ((_ n e) (do ((i 0 (+ i 1))) ((= i n)) e))))"
        "(define i 7) (times 3 (write i))",
        "777",
    ),
    "CK-style recursion": (
        "(define-syntax rev (syntax-rules () ((_ () acc) 'acc)"
        "  ((_ (x . r) acc) (rev r (x . acc)))))"
        "(write (rev (1 2 3) ()))",
        "(3 2 1)",
    ),
    "guard's names are its own": (
        "(define (leave x) 'mine)(write (guard (e (#t (leave e))) (raise 'oops)))",
        "mine",
    ),
    "quasiquote uses the language's cons": (
        "(define (cons a b) 'mine) (define (append a b) 'mine) (define x 2)"
        "(write `(1 ,x ,@(list 3) 4))",
        "(1 2 3 4)",
    ),
    "case uses the language's eqv?": (
        "(define (eqv? a b) #f) (write (case 1 ((1) 'one) (else 'other)))",
        "one",
    ),
}

DEFINITIONS = {
    "definition given a name": (
        "(define-syntax def (syntax-rules () ((_ n v) (define n v)))) (def x 1) (write x)",
        "1",
    ),
    "several definitions": (
        "(define-syntax def2 (syntax-rules () ((_ a b v) (begin (define a v) (define b a)))))"
        "(def2 x y 3) (write (+ x y))",
        "6",
    ),
    "a name the macro defines is its own": (
        "(define-syntax def (syntax-rules () ((_ get v)"
        "  (begin (define hidden v) (define (get) hidden)))))"
        "(define hidden 'mine) (def a 1) (def b 2) (write (list hidden (a) (b)))",
        "(mine 1 2)",
    ),
    "definitions in a body": (
        "(define-syntax def (syntax-rules () ((_ n v) (define n v))))"
        "(define (f) (def x 1) (def y (+ x 1)) (* y 10)) (write (f))",
        "20",
    ),
    "hidden definitions in a body": (
        "(define-syntax def (syntax-rules () ((_ n v) (begin (define tmp v) (define n tmp)))))"
        "(define (f) (def x 1) (def y 2) (list x y)) (write (f))",
        "(1 2)",
    ),
    "a macro defined and used in a body": (
        "(define (f) (define-syntax two (syntax-rules () ((_ e) (* 2 e)))) (define y (two 4)) y)"
        "(write (f))",
        "8",
    ),
    "a macro used before its definition at the top level": (
        "(define (f) (m 1)) (define-syntax m (syntax-rules () ((_ x) (+ x 1)))) (write (f))",
        "2",
    ),
    "record type from a macro": (
        "(define-syntax def (syntax-rules () ((_ t mk ? get)"
        "  (define-record-type t (mk f) ? (f get)))))"
        "(def p mk p? get) (write (get (mk 4)))",
        "4",
    ),
    "define-values from a macro": (
        "(define-syntax def (syntax-rules () ((_ a b) (define-values (a b) (values 1 2)))))"
        "(def x y) (write (list x y))",
        "(1 2)",
    ),
    "begin without forms": (
        "(define-syntax nothing (syntax-rules () ((_) (begin)))) (nothing) (write 1)",
        "1",
    ),
    "self-replacing macro": (
        "(define-syntax def-const (syntax-rules () ((_ n v)"
        "  (define-syntax n (syntax-rules () ((_) v))))))"
        "(def-const five 5) (write (five))",
        "5",
    ),
    "begin of a macro mixes definitions and expressions": (
        "(define-syntax m (syntax-rules () ((_ n) (begin (write 'before) (define n 1)"
        "  (write n))))) (m x) (define (f) (m y) (+ y 1)) (write (f))",
        "before1before12",
    ),
}


def run(text: str) -> str:
    """What a program prints."""
    output = StringIO()
    Interpreter(loads(text), output=output).run()
    return output.getvalue()


@pytest.mark.parametrize("case", MATCHING)
def test_matching(case: str) -> None:
    program, output = MATCHING[case]
    assert run(program) == output


@pytest.mark.parametrize("case", HYGIENE)
def test_hygiene(case: str) -> None:
    program, output = HYGIENE[case]
    assert run(program) == output


@pytest.mark.parametrize("case", DEFINITIONS)
def test_definitions(case: str) -> None:
    program, output = DEFINITIONS[case]
    assert run(program) == output


def test_error_in_a_template_points_at_the_use_and_notes_the_template() -> None:
    text = "(define-syntax m (syntax-rules ()\n  ((_) (foo 1))))\n(display (m))"
    with pytest.raises(CogenError) as caught:
        loads(text)
    error = caught.value
    assert error.span is not None
    assert (error.span.line, error.span.column) == (3, 10)
    assert error.notes[0].span is not None
    assert (error.notes[0].span.line, error.notes[0].span.column) == (2, 9)


def test_error_in_an_argument_points_into_the_argument() -> None:
    text = "(define-syntax m (syntax-rules () ((_ a) (list a))))\n(m (+ 1 oops))"
    with pytest.raises(CogenError, match="unbound name `oops`") as caught:
        loads(text)
    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.column) == (2, 9)


def test_mismatch_shows_the_patterns_and_where_the_rules_are() -> None:
    text = "(define-syntax m\n  (syntax-rules () ((_ a b) a)\n ((_ a b c) a)))\n(m 1)"
    with pytest.raises(CogenError, match="no rule of the macro `m`") as caught:
        loads(text)
    assert caught.value.hint == "expected (_ a b) or (_ a b c)"
    assert caught.value.notes[0].span is not None
    assert caught.value.notes[0].span.line == 2


def test_a_long_tail_recursive_expansion_ends() -> None:
    items = " ".join(["x"] * 400)
    text = (
        "(define-syntax count (syntax-rules () ((_ n) n) ((_ n a . r) (count (+ 1 n) . r))))"
        f"(write (count 0 {items}))"
    )
    assert run(text) == "400"


def test_many_uses_of_a_macro_in_a_row_are_no_endless_expansion() -> None:
    uses = "(one)" * 31_000
    text = f"(define-syntax one (syntax-rules () ((_) (begin)))) {uses} (write 1)"
    assert run(text) == "1"


def test_macro_uses_nested_ten_thousand_deep() -> None:
    text = (
        "(define-syntax same (syntax-rules () ((_ e) (if #t e 0))))"
        f"(write {'(same ' * 10_000}5{')' * 10_000})"
    )
    assert run(text) == "5"
