"""The passes before native code: the programs stay programs, and mean the same."""

from __future__ import annotations

import pytest

from cogen.api import loads
from cogen.backends.native.compile import c_text
from cogen.backends.native.contify import contify
from cogen.backends.native.given import given
from cogen.backends.native.inline import inline
from cogen.backends.native.members import compare_members
from cogen.backends.native.order import undefined_at_use
from cogen.backends.native.program import emit
from cogen.backends.native.prune import prune
from cogen.backends.native.receive import receive
from cogen.lang import il
from cogen.lang.datum import NIL, Pair
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import InternalError, LimitationError
from cogen.lang.ilcheck import check
from cogen.lang.iltext import show
from cogen.lang.ilutil import all_blocks, atoms, functions
from cogen.lang.values import Procedure
from tests.cogen.nativecode.running import interpreted

pytestmark = pytest.mark.quick

PROGRAMS = [
    "(define (f l) (let loop ((l l) (n 0)) (if (null? l) n (loop (cdr l) (+ n 1)))))"
    "(write (+ 1 (f '(1 2 3))))",
    "(define (f n) (define (a n) (if (= n 0) 'a (b (- n 1)))) (define (b n) (if (= n 0) 'b"
    " (a (- n 1)))) (list (a n) 1))(write (f 5))",
    "(define (f x) (let loop ((i 0) (s 0)) (if (= i 3) s (loop (+ i 1)"
    " (let inner ((j 0) (s s)) (if (= j i) (+ s x) (inner (+ j 1) (+ s 1))))))))(write (f 7))",
    "(define (f x) (let loop ((i 0)) (if (= i 3) '() (cons (lambda () (loop 3)) (loop (+ i 1))))))"
    "(write (length (f 7)))",
    "(write (map cadr '((1 2) (3 4))))(write (cadr '(1 2)))(write (list 1 2 (caddr '(1 2 3))))",
    "(define (f l) (if (and (pair? l) (or (null? (cdr l)) (eq? (cadr l) 'x))) 1 2))"
    "(write (list (f '(1)) (f '(1 x)) (f '(1 y)) (f '())))",
    "(define (f x)\n  (+ 1 (cadr x)))\n(f '(1))",
    "(define (f x)\n  (caddr x))\n(f '(1 2))",
    "(define (f g l)\n  (g (car l)))\n(f car '(1))",
    "(define (f g l)\n  (+ 1 (g (car l))))\n(f car '(1))",
    "(define (f g) (g 1))\n(write (f -))\n(define (h g) (+ 1 (g 1)))\n(h cons)",
    "(define (f g x) (g x x)) (write (list (f + 1) (f * 2)))",
    "(define (f g l) (if (null? l) '() (cons (g (car l)) (f g (cdr l))))) (write (f - '(1 2)))",
    "(let ((ref vector-ref) (at list-ref)) (write (list (ref #(1 2) 1) (at '(1 2) 1))))",
    "(define (f g) (g))\n(define (h) x)\n(write (f (lambda () 1)))\n(f h)\n(define x 1)",
    "(define (f g) (lambda (x) (g x)))\n(write (map (f (lambda (x) (* x x))) '(1 2)))",
    "(define (f g x) (if (< x 9) (f g (g x)) (list g x)))(write (cdr (f (lambda (x) (+ x 1)) 2)))",
    "(write (let loop ((less? <) (i 0)) (if (less? i 9) (loop less? (+ i 1)) i)))",
    "(define (f g)\n  (g 'x (lambda (y) y)))\n(f vector-ref)",
    "(define (f v)\n  (define (at i) (vector-ref v i))\n  (define (two i) (list (at i) 1))\n"
    "  (write (two 0))\n  (two 1))\n(f #(1))",
    "(define (f n) (define (a n) (if (= n 0) 'a (b (- n 1)))) (define (b n) (if (= n 0) 'b"
    " (car (list (a (- n 1)))))) (list (a n) (b n) 1))(write (f 5))",
    "(define (f n) (let loop ((i 0) (j n)) (if (< i j) (loop (+ i 1) (- j 1)) (values i j))))"
    "(let-values (((i j) (f 9)) (all (f 2))) (write (list i j all)))",
    "(define (f n) (let-values (((a b) (cond ((= n 0) (values 1 2)) ((= n 1) (values 3 4)) (else"
    "\n (g n))))) (vector-ref b a)))\n(define (g n) (values 0 #(7)))(write (f 2))\n(f 1)",
    "(define (f n) (call-with-values (lambda () (if (= n 0) (values 1) (values 1 2 3)))"
    " (case-lambda ((x) x) ((x y z) (list x y z))))) (write (list (f 0) (f 1)))",
    "(define (f n)\n  (let-values (((a b) (if (= n 0) (values 1 2 3) (values 1 2)))) (list a b)))"
    "(write (f 1))\n(write (f 0))",
    "(define (f n)\n  (+ 1 (let-values (((a . b) (if (= n 0) (values) (values n 2 3))))"
    " (car (cons a b)))))(write (f 1))\n(write (f 0))",
    "(define (f g n)\n (+ 1 (call-with-values (lambda () (if (= n 0) (values 1 2) (values n)))"
    " g)))\n(write (list (f + 0) (f - 1) (f max 0)))\n(f 'g 0)",
    "(define k #f) (define (f n) (let-values (((a b) (values n (call/cc (lambda (c) (set! k c) 1)))"
    ")) (list a b))) (write (f 3)) (if k (let ((c k)) (set! k #f) (c 2)))",
    "(define (f n) (let*-values (((a b) (values n 1)) ((c d) (if (> a b) (values b a) (values a b)"
    "))) (let-values (((x y) (let-values (((e g) (values d c))) (values e g)))) (list x y))))"
    "(write (list (f 0) (f 2)))",
    "(let-values (((a b) (if (null? (list)) (values 1 2) (values 3 4))))\n  (vector-ref a b))",
    "(write (let-values (((a b) (values 1 2)))\n  (vector-ref a b)))",
    "(define (f n)\n  (let-values (((a b) (values n (+ n 1))))\n    (g a b)))\n(define (g a b)\n"
    "  (vector-ref a b))\n(f 1)",
    "(define (f c) (if (or (eof-object? c) (memv c '(#\\a 2 () #t))) 'in 'out))"
    "(write (map f (list #\\a #\\b 2 2. '() #t #f)))(write (map f '(a)))",
    "(define (f x) (let ((l (cond ((memq x '(a b c)) 1) ((member x '(1 2)) 2) (else 3))))"
    " (list l))) (write (map f '(c a 2 1 d)))",
]


@pytest.mark.one_in(2)
@pytest.mark.slow
@pytest.mark.parametrize("text", PROGRAMS)
def test_passes_keep_the_meaning_and_the_places_of_errors(text: str) -> None:
    program = loads(text, "test.scm")
    expected = interpreted(program)
    steps = (
        lambda p: given(p, None), inline, compare_members, contify, receive,
        lambda p: prune(p, None),
    )  # fmt: skip
    for step in steps:
        program = on_deep_stack(step, program)
        check(program)
        assert interpreted(program) == expected


def test_loops_become_continuations() -> None:
    program = loads("(define (f n) (+ 1 (let loop ((i n)) (if (= i 0) 0 (loop (- i 1))))))")
    assert "(fix" in show(program)
    assert "(fix" not in show(contify(program))


def test_values_are_received_as_they_are() -> None:
    """No values, no list, no closure, and the loop around has become one."""
    text = """
    (define (visit v)
      (define (split low high)
        (let loop ((i low) (j high))
          (if (< (vector-ref v i) (vector-ref v j)) (loop (+ i 1) (- j 1)) (values i j))))
      (let again ((low 0) (high (- (vector-length v) 1)) (n 0))
        (if (< low high)
            (let-values (((i j) (split low high))) (again i j (+ n 1)))
            n)))
    (write (visit (vector 1 2 3 4)))
    """
    inlined = contify(inline(loads(text)))
    assert "values->list" in show(inlined)
    program = prune(receive(inlined), None)
    check(program)
    assert interpreted(program).out == "1"
    for word in ("(values ", "values->list", "apply", "(fix"):
        assert word not in show(program)


def test_what_is_done_before_an_error_keeps_no_registers() -> None:
    """A call that the compiler sees would make the whole function save what it needs after it."""
    text = c_text(loads('(define (f l n) (string-append (list-ref l n) "!")) (f \'(1) 0)')).text
    assert "CALL_2(op_string_append, " in text
    assert " op_string_append(rt, " in text


def test_looking_for_something_in_a_constant_is_comparisons() -> None:
    """Where only whether it is there is asked for; a list that might change is looked through."""
    text = (
        "(define (f c) (if (memv c '(1 #\\a x)) (g c) 'no)) (define (g c) 'yes) (write (f (read)))"
    )
    compared = show(prune(compare_members(inline(loads(text))), None))
    assert compared.count("(eqv? ") == 3
    assert "memv" not in compared
    for other in (text.replace(" x)", " 1.5)"), text.replace("(f (read))", "(memv 1 '(1))")):
        assert "memv" in show(prune(compare_members(inline(loads(other))), None))
    changing = text.replace("'yes", "(set-car! c 'yes)")
    assert "memv" in show(prune(compare_members(inline(loads(changing))), None))


def test_small_library_procedures_disappear() -> None:
    program = prune(inline(loads("(write (cadr (list 1 2)))")), None)
    calls = [b.tail for b in all_blocks(program) if isinstance(b.tail, il.Call)]
    assert calls == []
    assert len(program.items) == 1


def test_small_inner_procedures_disappear() -> None:
    text = """
    (define (f v w)
      (define (at i) (vector-ref v (+ i 1)))
      (define (both i) (list (at i) w))
      (define (unused i) (if (= i 0) (at i) (unused (- i 1))))
      (define (loop i) (if (= i 3) '() (append (both i) (loop (+ i 1)))))
      (list at (loop 0)))
    (write (length (f #(1 2 3 4) 5)))
    """
    program = inline(loads(text))
    check(program)
    assert interpreted(program).out == "2"
    names = {f.label or f.name for b in all_blocks(program) for f in functions(b)}
    assert names == {"at", "loop"}


def test_operations_that_are_passed_become_operations() -> None:
    text = """
    (define (fold f init l) (if (null? l) init (fold f (f (car l) init) (cdr l))))
    (define (last-of l) (let ((rest cdr)) (if (null? (rest l)) (car l) (last-of (rest l)))))
    (write (list (fold + 0 '(1 2 3)) (fold + 1 '(4)) (last-of '(1 2))))
    """
    program = given(loads(text), None)
    mentioned = {a for b in all_blocks(program) for a in atoms(b) if isinstance(a, il.Prim)}
    assert mentioned <= {il.Prim("write")}
    (fold,) = (i for i in program.items if isinstance(i, il.Define) and i.name == "fold")
    assert len(fold.function.parameters) == 2
    only = given(loads("(define (f v) (let ((ref vector-ref)) (+ 1 (ref v 0))))"), None)
    assert not any(isinstance(b.tail, il.Call) for b in all_blocks(only))
    entry = given(loads(text), "fold")
    (fold,) = (i for i in entry.items if isinstance(i, il.Define) and i.name == "fold")
    assert len(fold.function.parameters) == 3


def test_what_may_be_undefined() -> None:
    text = "(define (f) (g))\n(define (g) x)\n(f)\n(define x 1)\n(define (h) x)\n(write (h))"
    assert undefined_at_use(loads(text)) == {"x"}
    text = "(define (f) (g))\n(define x (f))\n(define (g) 1)"
    assert undefined_at_use(loads(text)) == {"g"}


def test_constants_that_have_no_text() -> None:
    def program(value: object) -> il.Program:
        block = il.Block((), il.Jump("k", (il.Const(value),)))
        return il.Program((il.Expression("k", block),))

    with pytest.raises(LimitationError, match="a constant that is #<procedure f> cannot"):
        emit(program(Procedure("f")))
    circle = Pair(1, NIL)
    circle.cdr = circle
    with pytest.raises(LimitationError, match="contains itself"):
        emit(program(circle))
    shared = Pair(1, NIL)
    text = emit(program(Pair(shared, shared))).text
    assert '"i1,()p=1,@1,p=0,;"' in text


def test_a_variable_out_of_scope_is_found_before_the_c_compiler_finds_it() -> None:
    block = il.Block((), il.Jump("k", (il.Var("lost"),)))
    with pytest.raises(InternalError, match="the variable lost is not in scope"):
        c_text(il.Program((il.Expression("k", block),)))
