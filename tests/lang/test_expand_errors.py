"""Mistakes that the expander finds: where it says they are, and what it says."""

from __future__ import annotations

import pytest

from cogen.lang import expander
from cogen.lang.errors import CogenError, Source
from cogen.lang.expand import expand

pytestmark = pytest.mark.quick

DOUBLING = "(define-syntax m (syntax-rules () ((_ a ...) (m a ... a ...))))\n▸(m 1)"
# In each program `▸` stands before the innermost form that is wrong.
MISTAKES = [
    # Names
    ("(display ▸foo)", "unbound name `foo`"),
    ("(define (f x) (+ x ▸y))", "unbound name `y`"),
    ("(▸dsplay 1)", "unbound name `dsplay`"),
    ("(let ((x 1)\n      (y ▸x))\n  y)", "unbound name `x`"),
    ("(define count 1)\n(display ▸cuont)", "unbound name `cuont`"),
    ("(▸%parameterize 1 2)", "unbound name `%parameterize`"),
    ("(set! ▸x 1)", "`set!` of the undefined name `x`"),
    ("(define (f)\n  (set! ▸total 0))", "`set!` of the undefined name `total`"),
    ("(set! ▸car cdr)", "`car` belongs to the language and cannot be assigned"),
    ("(set! ▸map 1)", "`map` belongs to the language and cannot be assigned"),
    ("(set! ▸if 1)", "`if` is a keyword and cannot be assigned"),
    ("(define-syntax m (syntax-rules ()))\n(set! ▸m 1)", "`m` is a macro and cannot be assigned"),
    ("(display ▸if)", "`if` is a keyword of the language's syntax, not a variable"),
    ("(list 1 ▸else)", "`else` is a keyword of the language's syntax, not a variable"),
    ("(▸=> 1 2)", "`=>` is a keyword of the language's syntax, not a variable"),
    ("(define-syntax m (syntax-rules () ((_) 1)))\n(list ▸m)", "`m` is a macro, not a variable"),
    ("(define (f x) x)\n(f ▸x)", "unbound name `x`"),
    # Left out
    ("(▸string-reverse! (make-string 1))", "`string-reverse!` is left out of this language"),
    ("(▸syntax-case 5)", "`syntax-case` is left out of this language"),
    ("(▸import-missing)", "unbound name `import-missing`"),
    # Calls
    ("▸()", "an empty combination"),
    ("▸(car 1 . 2)", "a call must be a proper list"),
    ("▸(car)", "`car` takes 1 argument, but is given 0"),
    ("(display ▸(cons 1 2 3))", "`cons` takes 2 arguments, but is given 3"),
    ("▸(-)", "`-` takes at least 1 argument, but is given 0"),
    ("▸(max)", "`max` takes at least 1 argument, but is given 0"),
    ("(define (f x) x)\n(display ▸(f 1 2))", "`f` takes 1 argument, but is given 2"),
    ("(define (f x . r) x)\n▸(f)", "`f` takes at least 1 argument, but is given 0"),
    ("(define (f) ▸(g 1))\n(define (g) 1)", "`g` takes no arguments, but is given 1"),
    ("(define g (lambda (a b) a))\n▸(g 1)", "`g` takes 2 arguments, but is given 1"),
    ("▸((lambda (x) x))", "this procedure takes 1 argument, but is given 0"),
    ("(let ((f (lambda (x) x)))\n  ▸(f))", "`f` takes 1 argument, but is given 0"),
    ("(let loop ((i 0))\n  (if i ▸(loop)))", "`loop` takes 1 argument, but is given 0"),
    ("(define (f)\n  (define (g a) a)\n  ▸(g 1 2))\n(f)", "`g` takes 1 argument, but is given 2"),
    ("(letrec ((f (lambda () ▸(g)))\n  (g (lambda (x) x))) f)", "`g` takes 1 argument, but is"),
    ("(define-record-type p (mk x) p? (x px))\n▸(mk)", "`mk` takes 1 argument, but is given 0"),
    ("(define-record-type p (mk x) p? (x px))\n▸(px 1 2)", "`px` takes 1 argument"),
    ("▸(length)", "`length` takes 1 argument, but is given 0"),
    ("▸(set-base 1)", "`set-base` takes 2 arguments, but is given 1"),
    ("▸(call/cc)", "`call/cc` takes 1 argument, but is given 0"),
    # Core forms
    ("▸(quote)", "malformed `quote`"),
    ("▸(quote a b)", "malformed `quote`"),
    ("▸(if)", "malformed `if`"),
    ("(+ 1 ▸(if 1 2 3 4))", "malformed `if`"),
    ("▸(lambda)", "malformed `lambda`"),
    ("▸(lambda (x))", "an empty body"),
    ("(lambda (x ▸1) x)", "a parameter must be a name"),
    ('(lambda ▸"x" x)', "malformed parameters of `lambda`"),
    ("(lambda (x y ▸x) x)", "duplicate parameter `x`"),
    ("(define (f a . ▸a) a)", "duplicate parameter `a`"),
    ("▸(set! x)", "malformed `set!`"),
    ("(set! ▸(car x) 1)", "only a name can be assigned"),
    ("▸(let)", "malformed `let`"),
    ("▸(let ((x 1)))", "an empty body"),
    ("(let ▸5 1)", "malformed bindings of `let`"),
    ("(let (▸(x)) x)", "malformed binding of `let`"),
    ("(let ((x 1)\n      ▸y)\n  x)", "malformed binding of `let`"),
    ("(let ((▸1 2)) 3)", "`let` binds names only"),
    ("(let ((x 1) (▸x 2)) x)", "duplicate name `x`"),
    ("(letrec ((x 1) (▸x 2)) x)", "duplicate name `x`"),
    ("(let* (▸(x 1 2)) x)", "malformed binding of `let*`"),
    ("▸(let loop)", "malformed `let`"),
    ("(let loop ((a 1) (▸a 2)) a)", "duplicate name `a`"),
    ("(let-values ((▸5 1)) 1)", "malformed parameters of `let-values`"),
    ("(let-values (((a ▸a) (values 1 2))) a)", "duplicate name `a`"),
    ("(let-values (▸((a b))) a)", "malformed binding of `let-values`"),
    ("▸(do)", "malformed `do`"),
    ("(do ((i 0)) ▸() 1)", "malformed exit of `do`"),
    ("(do (▸(i)) (#t) 1)", "malformed variable of `do`"),
    ("(+ 1 ▸(begin))", "an empty `begin`"),
    # Definitions
    ("▸(define)", "malformed `define`"),
    ("▸(define x)", "malformed `define`"),
    ("▸(define x 1 2)", "malformed `define`"),
    ("(define ▸5 1)", "malformed name of `define`"),
    ("(define (▸5) 1)", "only a name can be defined"),
    ("(define (▸(f a) b) 1)", "a curried definition"),
    ("▸(define (f))", "an empty body"),
    ("(define (f)\n  ▸(define x 1))", "a body without an expression"),
    ("(define (f)\n  (define x 1)\n  (define ▸x 2)\n  x)", "duplicate definition of `x` in a body"),
    ("(if #t ▸(define x 1))", "`define` where an expression must stand"),
    ("(+ 1 ▸(define-record-type p (mk) p?))", "`define-record-type` where an expression"),
    ("(list ▸(define-syntax m (syntax-rules ())))", "`define-syntax` where an expression"),
    ("(define-values ▸5 1)", "malformed parameters of `define-values`"),
    ("(define-values (a ▸a) (values 1 2))", "duplicate name `a`"),
    ("▸(define-values (a))", "malformed `define-values`"),
    ("▸(define-record-type p)", "malformed `define-record-type`"),
    ("(define-record-type p (mk ▸z) p? (x px))", "`z` is no field of the record type `p`"),
    ("(define-record-type p (mk x) p? ▸(x))", "malformed field of `define-record-type`"),
    ("(define-record-type p (mk) p? (x px) (▸x py))", "duplicate field `x`"),
    ("(define-record-type p ▸5 p? (x px))", "malformed constructor of `define-record-type`"),
    ("(define-record-type p (mk) ▸5)", "malformed predicate of `define-record-type`"),
    ("(define-record-type p (mk) p? (x px))\n(set! ▸px 1)", "cannot be assigned"),
    ("(define x 1)\n(define-syntax ▸x (syntax-rules ()))", "duplicate definition of `x`"),
    ("(let ()\n  ▸(import (scheme base))\n  1)", "`import` inside of a body"),
    # Derived forms
    ("▸(cond)", "malformed `cond`"),
    ("(cond ▸5)", "malformed clause of `cond`"),
    ("(cond ▸(else 1) (#t 2))", "`else` is not the last clause of `cond`"),
    ("(cond ▸(else))", "malformed clause of `cond`"),
    ("(cond ▸(1 => car cdr))", "malformed clause of `cond`"),
    ("(cond (> 1 0) ▸'pos)", "malformed clause of `cond`: it starts with the keyword `quote`"),
    ("(guard (e ▸(if e 1 2)) 3)", "malformed clause of `guard`: it starts with the keyword `if`"),
    ("(cond ▸(=> car))", "malformed clause of `cond`: it starts with the keyword `=>`"),
    ("▸(apply +)", "`apply` takes at least 2 arguments, but is given 1"),
    (
        "(define f (case-lambda ((a) 1) ((a b . c) 2)))\n(define (g) ▸(f))",
        "`f` takes 1 or at least 2 arguments, but is given 0",
    ),
    ("(define (g) (define f (case-lambda (() 1))) ▸(f 1))", "`f` takes 0 arguments, but is"),
    ("▸(case 1)", "malformed `case`"),
    ("(case 1 (▸2 3))", "malformed list of data of `case`"),
    ("(case 1 ▸(else 2) ((1) 3))", "`else` is not the last clause of `case`"),
    ("(case 1 ▸((1) => car cdr))", "malformed clause of `case`"),
    ("▸(when #t)", "malformed `when`"),
    ("▸(unless)", "malformed `unless`"),
    ("(case-lambda ▸5)", "malformed clause of `case-lambda`"),
    ("(case-lambda ▸((a)))", "an empty body"),
    ("▸(delay)", "malformed `delay`"),
    ("(parameterize (▸5) 1)", "malformed binding of `parameterize`"),
    ("▸(guard)", "malformed `guard`"),
    ("(guard ▸(e) 1)", "`guard` has no clauses"),
    ("(guard ▸5 1)", "malformed clauses of `guard`"),
    ("(guard (e ▸(else 1) (#t 2)) 3)", "`else` is not the last clause of `guard`"),
    ("`▸,@(list 1)", "`unquote-splicing` outside of a list"),
    ("`(1 ▸(unquote 1 2))", "malformed `unquote`"),
    ("(▸unquote 1)", "`unquote` is a keyword of the language's syntax, not a variable"),
    # Macros
    ("(define-syntax m ▸5)", "a macro must be defined by `syntax-rules`"),
    ("(define-syntax m ▸(lambda (x) x))", "a macro must be defined by `syntax-rules`"),
    ("▸(define-syntax m)", "malformed `define-syntax`"),
    ("(define-syntax ▸5 (syntax-rules ()))", "only a name can be defined as syntax"),
    ("(define-syntax m ▸(syntax-rules))", "malformed `syntax-rules`"),
    ("(define-syntax m (syntax-rules (▸1)))", "a literal must be a name"),
    ("(define-syntax m (syntax-rules () ▸5))", "malformed rule"),
    ("(define-syntax m (syntax-rules () ▸((_))))", "malformed rule"),
    ("(define-syntax m (syntax-rules () (▸_ 1)))", "a pattern must be a list"),
    ("(define-syntax m (syntax-rules () ((▸1) 1)))", "a pattern must start with"),
    ("(define-syntax m (syntax-rules () ((_ a ▸a) 1)))", "pattern variable `a` appears twice"),
    ("(define-syntax m (syntax-rules () ((_ ▸...) 1)))", "misplaced ellipsis in a pattern"),
    ("(define-syntax m (syntax-rules () ((_ a ... b ▸...) 1)))", "a second ellipsis"),
    ("(define-syntax m (syntax-rules () ((_ a ...) ▸a)))", "needs an ellipsis after it here"),
    ("(define-syntax m (syntax-rules () ((_ a) (a ▸...))))", "nothing to repeat before this"),
    ("(define-syntax m (syntax-rules () ((_ a) (▸... a b))))", "misplaced ellipsis in a template"),
    ("(define-syntax m (syntax-rules () ((_ a) ▸...)))", "misplaced ellipsis in a template"),
    ("(define-syntax m (syntax-rules () ((_ a) a)))\n▸(m)", "no rule of the macro `m` matches"),
    ("(define-syntax m (syntax-rules (=>) ((_ a => b) a)))\n(+ ▸(m 1 2 3) 1)", "no rule of the"),
    (
        "(define-syntax m (syntax-rules () ((_ (a ...) (b ...)) '((a b) ...))))\n▸(m (1 2) (3))",
        "`a` and `b` stand for sequences of different lengths",
    ),
    ("(define-syntax m (syntax-rules () ((_) (m))))\n▸(m)", "the expansion of the macro `m` does"),
    pytest.param(DOUBLING, "does not end", marks=pytest.mark.long),  # takes seconds
    ("(define-syntax m (syntax-rules () ((_) (+ 1 (m)))))\n▸(m)", "does not end"),
    (
        '(define-syntax m (syntax-rules () ((_) (syntax-error "bad use:" m 1))))\n▸(m)',
        "bad use: m 1",
    ),
    ("▸(syntax-error 5)", "malformed `syntax-error`"),
    ("(define-syntax m (syntax-rules () ((_) hidden)))\n▸(m)", "unbound name `hidden`"),
    ("(let-syntax ▸5 1)", "malformed bindings of `let-syntax`"),
    ("(let-syntax (▸(m)) 1)", "malformed binding of `let-syntax`"),
    ("(letrec-syntax ((m (syntax-rules ())) (▸m (syntax-rules ()))) 1)", "duplicate name `m`"),
    ("(display ▸(syntax-rules () ((_) 1)))", "`syntax-rules` where an expression must stand"),
    # Libraries
    ("▸(import)", "malformed `import`"),
    ("(import ▸5)", "malformed import set"),
    ('(import (▸"x"))', "a part of a library's name must be a name or a number"),
    ("(import (▸|../x|))", "a part of a library's name must not be a path"),
    ("(import ▸(no such library))", "there is no library (no such library)"),
    ("(import (only (scheme base) ▸nothing))", "the library does not export `nothing`"),
    ("(import ▸(prefix (scheme base)))", "malformed `prefix`"),
    ("(import (rename (scheme base) ▸car))", "malformed item of `rename`"),
    ("(include ▸5)", "the name of a file must be a string"),
    ('(include ▸"no-such-file.scm")', "there is no file no-such-file.scm to include"),
    ("▸(define-library)", "malformed `define-library`"),
    ("(define-library (a) ▸(foo))", "malformed declaration of `define-library`"),
    ("(define-library (a) (export ▸x))", "the library (a) exports `x`, which it does not define"),
    ("(define-library (a) (export x ▸x) (begin (define x 1)))", "duplicate export of `x`"),
    ("(define-library (a))\n(define-library ▸(a))", "the library (a) is defined twice"),
]


@pytest.mark.sources
def test_what_an_expansion_makes_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within few steps it may be very much."""
    monkeypatch.setattr(expander, "MAX_SIZE", 100_000)
    with pytest.raises(CogenError, match="the expansion of the macro `m` does not end"):
        expand(Source("test.scm", DOUBLING.replace("▸", "")))


@pytest.mark.parametrize(("program", "message"), MISTAKES)
def test_mistake_is_reported_at_the_innermost_form(program: str, message: str) -> None:
    before, after = program.split("▸")
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1
    with pytest.raises(CogenError) as caught:
        expand(Source("test.scm", before + after))
    error = caught.value
    assert message in error.message
    assert error.span is not None
    assert (error.span.line, error.span.column) == (line, column)
    assert str(error).startswith(f"test.scm:{line}:{column}: ")


# Several mistakes at once


def all_errors(text: str) -> list[str]:
    """What is told of a program, by line and column."""
    with pytest.raises(CogenError) as caught:
        expand(Source("p.scm", text))
    told = [caught.value, *caught.value.others]
    heads = [line for line in caught.value.render().splitlines() if line.startswith("p.scm:")]
    assert len([head for head in heads if ": note: " not in head]) == len(told)
    return [
        f"{error.span.line}:{error.span.column} {error.message}" for error in told if error.span
    ]


def test_all_unbound_names_are_told_once_in_order() -> None:
    text = (
        "(define (f x) (foo x (bar 1)))\n"
        "(define (g y) (+ bar (car y 2) baz))\n"
        "(define (h) (f 1 2) (foo 3))\n"
        "(display (+ (f 1) quux))"
    )
    assert all_errors(text) == [
        "1:16 unbound name `foo`",
        "1:23 unbound name `bar`",
        "2:22 `car` takes 1 argument, but is given 2",
        "2:32 unbound name `baz`",
        "3:13 `f` takes 1 argument, but is given 2",
        "4:19 unbound name `quux`",
    ]


def test_what_follows_from_another_language_is_not_told() -> None:
    assert all_errors("(define (f n)\n  (while (< i n)\n    (set! i j))\n  k)") == [
        "2:4 unbound name `while`",
        "4:3 unbound name `k`",
    ]
    assert all_errors("def f(x): return y\n(g)") == [
        "1:1 unbound name `def`",
        "2:2 unbound name `g`",
    ]
    assert all_errors("(let-optionals ((a 1)) a)") == ["1:2 unbound name `let-optionals`"]


def test_an_error_that_ends_the_expansion_is_told_with_those_before() -> None:
    assert all_errors("(list a)\n(list (if))\n(list b)") == [
        "1:7 unbound name `a`",
        "2:7 malformed `if`",
    ]


def test_there_is_an_end_to_errors() -> None:
    text = "\n".join(f"(name{number})" for number in range(100))
    assert len(all_errors(text)) == 20


def test_left_out_names_are_told_with_unbound_ones() -> None:
    assert all_errors("(list a (syntax-case 5))") == [
        "1:7 unbound name `a`",
        "1:10 `syntax-case` is left out of this language",
    ]
