"""The expander: every form means what R7RS says, names resolve, known facts are recorded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

from cogen.lang import core
from cogen.lang.builtins import builtins
from cogen.lang.datum import Symbol, symbol
from cogen.lang.errors import CogenError, InternalError, LimitationError, Source
from cogen.lang.expand import expand
from cogen.lang.expand import prelude as scanned_prelude
from cogen.lang.interp import Interpreter
from cogen.lang.leftout import LEFT_OUT
from cogen.lang.load import load, loads
from cogen.lang.othernames import OTHER_NAMES
from cogen.lang.scope import GlobalBinding, PrimitiveBinding, Special

RUNS = {
    "define and call": ("(define (f x) (* x 2)) (write (f 21))", "42"),
    "define a variable": ("(define x 1) (define y (+ x 1)) (write y)", "2"),
    "rest arguments": ("(define (f a . r) (list a r)) (write (f 1 2 3))", "(1 (2 3))"),
    "rest argument alone": ("(write ((lambda r r) 1 2))", "(1 2)"),
    "forward reference": ("(define (f) (g)) (define (g) 'later) (write (f))", "later"),
    "shadowing a primitive": ("(define (car x) 'mine) (write (car 1))", "mine"),
    "shadowing a prelude procedure": (
        "(define (append . x) 'mine) (write (append 1)) (write (vector->list #(1 2)))",
        "mine(1 2)",
    ),
    "the prelude keeps its own map": (
        "(define (%map f l) 'mine) (define (length l) 'mine)"
        "(write (list-tail '(1 2 3) 1)) (write (map car '((1) (2))))",
        "(2 3)(1 2)",
    ),
    "local shadows global": ("(define x 1) (let ((x 2)) (write x)) (write x)", "21"),
    "set! of a global": ("(define x 1) (set! x 5) (write x)", "5"),
    "set! of a local": ("(let ((x 1)) (set! x (+ x 1)) (write x))", "2"),
    "if without else": ("(write (list (if #t 1)))", "(1)"),
    "let evaluates outside": ("(let ((x 1)) (let ((x 2) (y x)) (write y)))", "1"),
    "let*": ("(let* ((x 1) (y (+ x 1)) (x (* y 10))) (write (list x y)))", "(20 2)"),
    "let* twice the same name": ("(let* ((x 1) (x (+ x 1))) (write x))", "2"),
    "letrec": (
        "(write (letrec ((ev? (lambda (n) (if (= n 0) #t (od? (- n 1)))))"
        " (od? (lambda (n) (if (= n 0) #f (ev? (- n 1)))))) (ev? 101)))",
        "#f",
    ),
    "letrec*": ("(write (letrec* ((a 1) (b (+ a 1))) (list a b)))", "(1 2)"),
    "named let": (
        "(write (let loop ((i 0) (a '())) (if (= i 3) a (loop (+ i 1) (cons i a)))))",
        "(2 1 0)",
    ),
    "named let evaluates its values outside": (
        "(define (loop) 5) (write (let loop ((x (loop))) x))",
        "5",
    ),
    "let-values": (
        "(write (let-values (((a b) (values 1 2)) ((c . d) (values 3 4 5)) (e (values)))"
        " (list a b c d e)))",
        "(1 2 3 (4 5) ())",
    ),
    "let-values evaluates outside": (
        "(write (let ((a 1)) (let-values (((a) (values 2)) ((b) (values a))) (list a b))))",
        "(2 1)",
    ),
    "let*-values": (
        "(write (let*-values (((a b) (values 1 2)) ((c) (values (+ a b)))) (list a b c)))",
        "(1 2 3)",
    ),
    "define-values": ("(define-values (a . b) (values 1 2 3)) (write (list a b))", "(1 (2 3))"),
    "define-values of one name": ("(define-values all (values 1 2)) (write all)", "(1 2)"),
    "define-values in a body": (
        "(define (f) (define-values (a b) (values 1 2)) (define c (+ a b)) c) (write (f))",
        "3",
    ),
    "do": ("(write (do ((i 0 (+ i 1)) (s 0 (+ s i))) ((= i 5) s)))", "10"),
    "do with commands and a variable without step": (
        "(do ((v (make-vector 3)) (i 0 (+ i 1))) ((= i 3) (write v)) (vector-set! v i i))",
        "#(0 1 2)",
    ),
    "cond": ("(write (cond (#f 1) ((assv 2 '((2 . b))) => cdr) (else 3)))", "b"),
    "cond with a test alone": ("(write (cond (#f) (5) (else 3)))", "5"),
    "cond without a true test": ("(write (list (eq? (cond (#f 1)) (if #f #f))))", "(#t)"),
    "case": (
        "(write (map (lambda (x) (case x ((1 2) 'low) ((a) 'sym) ((#\\c) 'char)"
        " (else 'other))) '(1 2 a #\\c 9)))",
        "(low low sym char other)",
    ),
    "case with receivers": (
        "(write (list (case 5 ((5) => (lambda (x) (* x x))) (else 0))"
        " (case 6 ((5) 0) (else => -))))",
        "(25 -6)",
    ),
    "and": ("(write (list (and) (and 1) (and 1 #f 2) (and 1 2)))", "(#t 1 #f 2)"),
    "or": ("(write (list (or) (or 1) (or #f 2) (or #f #f)))", "(#f 1 2 #f)"),
    "when and unless": (
        "(when #t (write 1) (write 2)) (unless #t (write 3))"
        "(when #f (write 4)) (unless #f (write 5))",
        "125",
    ),
    "begin": ("(write (begin (write 1) 2))", "12"),
    "begin with definitions at the top level": ("(begin (define x 1) (write x))", "1"),
    "begin with definitions in a body": ("(define (f) (begin (define x 3)) x) (write (f))", "3"),
    "definitions after expressions": (
        "(define (f) (define x 1) (write x) (define y 2) (write y) (+ x y)) (write (f))",
        "123",
    ),
    "internal definitions refer to each other": (
        "(define (f n) (define (ev? n) (if (= n 0) #t (od? (- n 1))))"
        " (define (od? n) (if (= n 0) #f (ev? (- n 1)))) (ev? n)) (write (f 10))",
        "#t",
    ),
    "an internal definition shadows a parameter": (
        "(define (f x) (define x 2) x) (write (f 1))",
        "2",
    ),
    "quasiquote": ("(write `(1 ,(+ 1 1) ,@(list 3 4) 5))", "(1 2 3 4 5)"),
    "quasiquote dotted": ("(write `(1 . ,(+ 1 1)))", "(1 . 2)"),
    "quasiquote splice at the end": ("(write `(1 ,@(list 2) . 3))", "(1 2 . 3)"),
    "quasiquote vector": ("(write `#(1 ,(+ 1 1) ,@(list 3)))", "#(1 2 3)"),
    "quasiquote nested": (
        "(write `(a `(b ,(c ,(+ 1 2)))))",
        "(a `(b ,(c 3)))",
    ),
    "R7RS nested quasiquote": (
        "(write (let ((name1 'x) (name2 'y)) `(a `(b ,,name1 ,',name2 d) e)))",
        "(a `(b ,x ,'y d) e)",
    ),
    "quasiquote of a constant": ('(write `(1 #(2) "s"))', '(1 #(2) "s")'),
    "record type": (
        "(define-record-type point (make-point x y) point? (x px set-px!) (y py))"
        "(define p (make-point 1 2)) (set-px! p 10)"
        "(write (list (px p) (py p) (point? p) (point? 5)))",
        "(10 2 #t #f)",
    ),
    "record procedures are values": (
        "(define-record-type point (make-point x y) point? (x px) (y py))"
        "(write (map py (map make-point '(1 2) '(3 4))))",
        "(3 4)",
    ),
    "record constructor with fields in another order": (
        "(define-record-type p (mk b a) p? (a pa) (b pb) (c pc set-c!))"
        "(let ((r (mk 1 2))) (set-c! r 3) (write (list (pa r) (pb r) (pc r))))",
        "(2 1 3)",
    ),
    "record type in a body": (
        "(define (f) (define-record-type p (mk a) p? (a pa)) (pa (mk 7))) (write (f))",
        "7",
    ),
    "record constructor without a list": (
        "(define-record-type p mk p? (a pa) (b pb)) (write (pb (mk 1 2)))",
        "2",
    ),
    "case-lambda": (
        "(define f (case-lambda ((a) (list 'one a)) ((a b) (list 'two a b))"
        " ((a . r) (list 'more a r)))) (write (list (f 1) (f 1 2) (f 1 2 3)))",
        "((one 1) (two 1 2) (more 1 (2 3)))",
    ),
    "delay is evaluated once": (
        "(define n 0) (define p (delay (begin (set! n (+ n 1)) n)))"
        "(write (list (force p) (force p) n))",
        "(1 1 1)",
    ),
    "delay of a promise is not forced through": (
        "(write (promise? (force (delay (delay 1)))))",
        "#t",
    ),
    "delay-force": ("(write (force (delay-force (delay 3))))", "3"),
    "parameterize": (
        "(define p (make-parameter 1)) (define (f) (p))"
        "(write (list (f) (parameterize ((p 2)) (f)) (f)))",
        "(1 2 1)",
    ),
    "parameterize left by an escape": (
        "(define p (make-parameter 1))"
        "(call/cc (lambda (k) (parameterize ((p 2)) (k 0)))) (write (p))",
        "1",
    ),
    "guard": (
        "(write (guard (e ((symbol? e) (list 'sym e)) ((string? e) 'str)) (raise 'boom)))",
        "(sym boom)",
    ),
    "guard with else": ("(write (guard (e (#f 1) (else (list 'else e))) (raise 5)))", "(else 5)"),
    "guard with =>": (
        "(write (guard (e ((assq 'a e) => cdr) ((assq 'b e))) (raise (list (cons 'a 42)))))",
        "42",
    ),
    "guard without an error": ("(write (guard (e (#t 'bad)) 1 2))", "2"),
    "guard raises again": (
        "(write (guard (e ((symbol? e) 'outer)) (guard (e ((string? e) 'inner)) (raise 'x))))",
        "outer",
    ),
    "guard of an error": (
        '(write (guard (e ((error-object? e) (error-object-message e))) (error "bad" 1)))',
        '"bad"',
    ),
    "guard and dynamic-wind": (
        "(guard (e (#t (write 'caught))) (dynamic-wind (lambda () (write 'in))"
        " (lambda () (raise 'x)) (lambda () (write 'out))))",
        "inoutcaught",
    ),
    "call/cc": ("(write (+ 1 (call/cc (lambda (k) (+ 10 (k 1))))))", "2"),
    "call/cc winds": (
        "(call-with-current-continuation (lambda (k) (dynamic-wind (lambda () (write 'a))"
        " (lambda () (k 1)) (lambda () (write 'z)))))",
        "az",
    ),
    "annotations": (
        "(write (list (set-base 7 2) (lift 3) (early= 1 1) (dcall + 1 2))) (init-cache 4)",
        "(7 3 #t 3)",
    ),
    "questions to the specializer": (
        "(define c (make-barrier-cell 1 (lambda () (write 'never)))) (cell-set! c 2)"
        " (init-cache 4 'carry) (write (list (known? c) (early-different? 1 1) (cell-ref c)"
        " (early-different? 1 2) (cache-lines) (cache-carries?)))",
        "(#t #f 2 #t 0 #f)",
    ),
    "vector and bytevector literals": ("(write (list #(1 a) #u8(1 2)))", "(#(1 a) #u8(1 2))"),
    "defined twice": ("(define x 1) (define (f) x) (define x 2) (write (f))", "2"),
    "include of nothing but the language": ("(import (scheme base) (scheme write)) (write 1)", "1"),
    "import with a prefix": ("(import (prefix (scheme base) s:)) (write (s:+ 1 (+ 1 1)))", "3"),
    "prefixed syntax": ("(import (prefix (scheme base) s:)) (write (s:if #t 1 2))", "1"),
}


def run(text: str) -> str:
    """What a program prints."""
    output = StringIO()
    Interpreter(loads(text), output=output).run()
    return output.getvalue()


def expanded(text: str) -> core.CoreProgram:
    return expand(Source("test.scm", text))


def nodes(root: object) -> Iterator[object]:
    """All nodes of a piece of core."""
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, tuple):
            pending.extend(node)
            continue
        yield node
        for name in getattr(type(node), "__slots__", ()):
            pending.append(getattr(node, name))


@pytest.mark.parametrize("case", RUNS)
def test_form(case: str) -> None:
    program, output = RUNS[case]
    assert run(program) == output


def test_operands_are_evaluated_left_to_right() -> None:
    text = "(define (show x) (write x) x) (list (show 1) (show 2) (show 3))"
    assert run(text) == "123"


def test_record_constructor_evaluates_in_the_order_of_the_call() -> None:
    text = (
        "(define-record-type p (mk b a) p? (a pa) (b pb)) (define (show x) (write x) x)"
        "(mk (show 1) (show 2))"
    )
    assert run(text) == "12"


def test_call_of_a_record_procedure_is_the_primitive_with_the_span_of_the_call() -> None:
    text = "(define-record-type p (mk a) p? (a pa))\n(define (f r)\n  (pa r))"
    (form,) = [f for f in expanded(text).forms if isinstance(f, core.DefineForm) and f.name == "f"]
    calls = [node for node in nodes(form.value) if isinstance(node, core.CallForm)]
    assert len(calls) == 1
    assert isinstance(calls[0].function, core.PrimRef)
    assert calls[0].function.name == "record-ref"
    assert (calls[0].span.line, calls[0].span.column) == (3, 3)


def test_assigned_variables_are_marked_and_others_are_not() -> None:
    program = expanded("(define (f x y) (set! x 1) (lambda () (set! y 2)) (let ((z 1)) z))")
    variables = {
        node.name: node.assigned
        for node in nodes(program.forms[0])
        if isinstance(node, core.LocalVariable)
    }
    assert variables == {"x": True, "y": True, "z": False}


def test_assigned_globals() -> None:
    program = expanded(
        "(define a 1) (define b 2) (define (f) (set! a 3)) (define c 1) (define c 2)"
    )
    assert program.assigned == {"a", "c"}


def test_own_globals_and_records() -> None:
    program = expanded(
        "(define a 1) (define-record-type p (mk x) p? (x px)) (define-syntax m (syntax-rules ()))"
        "(write (reverse '(1)))"
    )
    assert program.own_globals == {"a", "mk", "p?", "px"}
    assert [record.name for record in program.records if record.name != "promise"] == ["p"]
    assert program.records[-1].fields == ("x",)


def test_only_what_is_reached_of_the_prelude_is_there() -> None:
    names = [
        f.name for f in expanded("(write (reverse '(1 2)))").forms if isinstance(f, core.DefineForm)
    ]
    assert "reverse" in names
    assert "append" not in names
    assert expanded("(write (+ 1 2))").forms[0].span.line == 1
    assert len(expanded("(write (+ 1 2))").forms) == 1


def test_a_prelude_procedure_gives_way_to_the_programs_name() -> None:
    program = expanded(
        "(define (reverse x) x) (write (call-with-port (open-output-string) car))"
        "(define (list->vector x) x) (write `#(,@(reverse 1)))"
    )
    names = [f.name for f in program.forms if isinstance(f, core.DefineForm)]
    assert names.count("list->vector") == 1
    assert "list->vector-2" in names
    assert "reverse" in program.own_globals


def test_call_cc_is_the_primitive_unless_the_program_winds() -> None:
    plain = expanded("(call/cc (lambda (k) (k 1)))")
    assert len(plain.forms) == 1
    winding = expanded("(call/cc (lambda (k) (dynamic-wind list list list)))")
    names = {f.name for f in winding.forms if isinstance(f, core.DefineForm)}
    assert "%call/cc/wind" in names


def test_procedures_are_called_after_their_names() -> None:
    program = expanded(
        "(define (f) (let ((g (lambda () 1))) (letrec ((h (lambda () 2))) (lambda () 3))))"
        "(define k (lambda () 4))"
    )
    names = {node.name for node in nodes(program.forms) if isinstance(node, core.LambdaForm)}
    assert names == {"f", "g", "h", "lambda", "k"}


def test_immediate_call_of_a_lambda_is_a_let() -> None:
    (form,) = expanded("((lambda (x) x) 1)").forms
    assert isinstance(form.value, core.LetForm)


def test_calls_are_not_checked_where_the_procedure_may_change() -> None:
    assert expanded("(define (f x) x) (set! f list) (f 1 2)").assigned == {"f"}
    assert expanded("(define (f x) x) (define (f x y) x) (f 1 2)").assigned == {"f"}
    assert expanded("(let ((f (lambda () 1))) (set! f car) (f 1))").forms


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("(dispaly 1)", "did you mean `display`?"),
        ("(make-signal 1 2 3 4 5)", "it is in a library: (import (signals))"),
        ("(fold + 0 '())", "it is in a library: (import (srfi 1))"),
        ("(sort '() <)", "it is in a library: (import (srfi 95))"),
        ("(make-hash-table)", "it is in a library: (import (srfi 69))"),
        ("(foldl + 0 '())", OTHER_NAMES["foldl"]),
        ("(define counter 1) (+ conter 1)", "did you mean `counter`?"),
        ("(lambda (value) (+ valeu 1))", "did you mean `value`?"),
        ("(set! lenght 1)", "did you mean `length`?"),
        ("(zzzzqqq)", None),
        ("(bitwise-or 1 2)", "it is called `bitwise-ior`"),
        ("(if nil 1 2)", OTHER_NAMES["none"]),
        ("(printf 1)", OTHER_NAMES["printf"]),
        ("(if)", "expected (if test then [else])"),
        ("(let ((x)) x)", "expected (name value)"),
        ("(let (x 1) x)", "expected (name value), as in (let ((name value) ...) body ...)"),
        (
            "(let ((x 1) (y x)) y)",
            "the values of a `let` do not see its names: `let*` binds from left to right, "
            "`letrec` procedures that call themselves",
        ),
        ("(if #t 1 else 2)", "`if` has no such word: (if test then otherwise)"),
        ("(cond (#t 1) 2)", "expected (test expression ...), as in (cond ((> x 0) 1) (else 2))"),
        ("(reduce + 0 '())", "it is in a library: (import (srfi 1))"),
        ("(if None 1 2)", OTHER_NAMES["nil"]),
        ("(struct point (x y))", OTHER_NAMES["defstruct"]),
        ("(try (car 1) (catch e 1))", OTHER_NAMES["with-handlers"]),
        ("(define (f #:key x) x)", "there are no keywords: parameters are told by their places"),
        ("(mapcar car '((1)))", "it is called `map`"),
        (
            "(map (fn (x) x) '())",
            "a procedure without a name is written (lambda (parameter …) body)",
        ),
        ("(list =>)", "a procedure without a name is written (lambda (parameter …) body)"),
        (
            "(text.upper 1)",
            "there are no methods: a procedure takes the object, (procedure object argument …)",
        ),
        ("power.scm", "is a file meant? `cogen.load(path)` reads it, `cogen run FILE` runs it"),
        ("(import numpy)", "libraries are named by lists, as (srfi 1): (numpy)?"),
        (
            "(list 'hello world')",
            'put a space before it if a quotation starts here; texts are written "so"',
        ),
        ("(let/ec k (k 1))", OTHER_NAMES["call/ec"]),
        ("(defvar *x* 3)", "a variable is defined so: (define x 5)"),
        ("(funcall car '(1))", "write `(f x)`: parentheses call what stands first in them"),
        ("(display (1+ 2))", "write `(+ x 1)`"),
        ("(fx+ 1 2)", OTHER_NAMES["fl+"]),
        ("(labels ((f (x) x)) (f 1))", OTHER_NAMES["flet"]),
        ("(gensym)", OTHER_NAMES["generate-symbol"]),
        ("(butlast '(1))", OTHER_NAMES["list-head"]),
        ("(assq-ref '() 'a)", OTHER_NAMES["getf"]),
        ("(numberp 1)", "it is called `number?`"),
        ("(<< 1 2)", "it is called `arithmetic-shift`"),
        ("(map #'car '())", "procedures are values, named as they are: (map car l)"),
        ("(list #\\spc)", "did you mean `#\\space`?"),
        ("(list #\\Space)", "names of characters are in lower case: `#\\space`"),
        (
            "(list #\\xyzzy)",
            'texts are written "so"; names of characters are `#\\space`, `#\\newline`, `#\\tab`, …',
        ),
        ("(list 1/3)", "(/ 1. 3) is the float that is next to it"),
        ("(list 1+2i)", "numbers are integers in [-2^63, 2^63) and binary64 floats"),
        (
            "(import (rnrs))",
            "R7RS's libraries are (scheme base), (scheme write), …; others are (srfi 1), …",
        ),
        ("(require x)", "libraries are imported at the start, as in (import (srfi 1))"),
        (
            "(string-reverse! 1)",
            "change the string with string-set! or string-copy!, or build a new one",
        ),
    ],
)
def test_hint(text: str, hint: str | None) -> None:
    with pytest.raises(CogenError) as caught:
        expanded(text)
    assert caught.value.hint == hint


@pytest.mark.parametrize(
    "text",
    [
        "(defmacro m (x) `(+ ,x 1))",
        "(receive (a b) (values 1 2) (list a b))",
        "(multiple-value-bind (a b) (floor 1 2) a)",
        "(defparameter *x* 3)",
        "(match x ((a b) a))",
        "(module m racket (f x))",
    ],
)
def test_what_stands_in_a_form_of_another_language_is_not_told(text: str) -> None:
    with pytest.raises(CogenError) as caught:
        expanded(text)
    assert caught.value.others == ()


def test_wrong_number_of_arguments_notes_the_definition() -> None:
    with pytest.raises(CogenError) as caught:
        expanded("(define (f x) x)\n(define (g)\n  (f 1 2))")
    (note,) = caught.value.notes
    assert note.span is not None
    assert (note.span.line, note.span.column) == (1, 1)


def test_duplicate_definition_notes_the_first() -> None:
    with pytest.raises(CogenError) as caught:
        expanded("(define (f)\n  (define x 1)\n  (define x 2)\n  x)")
    (note,) = caught.value.notes
    assert note.span is not None
    assert (note.span.line, note.span.column) == (2, 11)


@pytest.mark.parametrize("name", LEFT_OUT)
def test_left_out_name_is_no_name_of_the_language_and_says_so(name: str) -> None:
    assert symbol(name) not in builtins()
    assert symbol(name) not in scanned_prelude().table
    with pytest.raises(LimitationError, match="is left out of this language") as caught:
        expanded(f"(list {name})")
    assert caught.value.hint


def test_the_language_page_names_every_form_and_procedure_and_all_that_is_left_out() -> None:
    page = (Path(__file__).parents[2] / "docs" / "language.md").read_text(encoding="utf-8")
    words = set(re.findall(r"[^\s`(),]+", page))
    table = [*builtins().items(), *scanned_prelude().table.items()]
    names = [
        name.name
        for name, binding in table
        if isinstance(binding, Special | GlobalBinding | PrimitiveBinding)
        and isinstance(name, Symbol)
        and not re.fullmatch(r"%.*|c[ad]{2,4}r", name.name)
    ]
    missing = [n for n in (*names, *LEFT_OUT) if n not in words]
    assert missing == []


def test_program_may_define_a_left_out_name() -> None:
    assert run("(define (exit x) (write x)) (exit 3)") == "3"


TOKEN = re.compile(r"""\"[^"]*"|#\\.|[()']|,@|,|`|#\(|[^\s()"',`]+""")


def diagnosed(text: str) -> bool:
    """Whether a program is fine, or its error is one of the user's that says where it is."""
    try:
        loads(text)
    except CogenError as error:
        return error.span is not None and not isinstance(error, InternalError)
    return True


@pytest.mark.parametrize("case", RUNS)
def test_dropping_any_word_gives_a_program_or_a_diagnostic(
    case: str, request: pytest.FixtureRequest
) -> None:
    """Every third word every day."""
    words = TOKEN.findall(RUNS[case][0])
    for index in range(0, len(words), 1 if request.config.getoption("--long") else 3):
        assert diagnosed(" ".join(words[:index] + words[index + 1 :]))


DEEP = 4000
NESTED = {
    "calls": ("(+ 1 ", "1", ")"),
    "let": ("(let ((x 1)) ", "1", ")"),
    "lambda": ("(lambda (x) ", "1", ")"),
    "cond": ("(cond (#f 1) (else ", "2", "))"),
    "definitions": ("(let () (define (f) ", "1", ") f)"),
    "quasiquote": ("(list `(1 ", "2", "))"),
    "let-syntax": ("(let-syntax ((m (syntax-rules () ((_) 1)))) ", "(m)", ")"),
    "quoted": ("'(", "1", ")"),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("case", NESTED)
def test_thousands_of_levels(case: str) -> None:
    opening, middle, closing = NESTED[case]
    assert len(expanded(opening * DEEP + middle + closing * DEEP).forms) >= 1


def test_too_many_levels_are_a_diagnostic() -> None:
    with pytest.raises(LimitationError, match="nested deeper") as caught:
        expanded("(not " * 60_000 + "1" + ")" * 60_000)
    assert caught.value.span is not None


def test_load_reads_a_file_and_its_errors_are_diagnostics(tmp_path: Path) -> None:
    path = tmp_path / "program.scm"
    path.write_text("(define (f x) x)\n", encoding="utf-8")
    assert load(path).own_globals == {"f"}
    with pytest.raises(CogenError, match="there is no file"):
        load(tmp_path / "missing.scm")
    with pytest.raises(CogenError, match="is a directory"):
        load(tmp_path)
    path.write_bytes(b'(display "\xff")')
    with pytest.raises(CogenError, match="is not UTF-8 text: byte 10"):
        load(path)
    with pytest.raises(CogenError, match="cannot read"):
        load("a\0b")


def test_a_byte_order_mark_is_no_part_of_the_program(tmp_path: Path) -> None:
    path = tmp_path / "program.scm"
    path.write_bytes(b"\xef\xbb\xbf(foo)")
    with pytest.raises(CogenError) as caught:
        load(path)
    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.column) == (1, 2)


def test_other_names_lead_to_names_of_the_language() -> None:
    """What a hint calls a name is one, and no name that exists has a hint."""
    for name, hint in OTHER_NAMES.items():
        with pytest.raises(CogenError, match=re.escape(f"unbound name `{name}`")):
            expanded(f"({name})")
        if hint.startswith("it is called"):
            called = hint.split("`")[1]
            assert expanded(f"(lambda (x) ({called} x x))" if called == "begin" else called).forms
