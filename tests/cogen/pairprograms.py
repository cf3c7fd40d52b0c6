"""Random programs that assign pairs and pass them on in all ways of the language; they always end.

`main` has two integers and a list, and gives a list.  What expressions give is an integer, a list
or a pair; `half` takes it apart if it is one, and assignments are of what is one.  What is looked
at in the end is cut off below a depth, since lists may have become circular.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hypothesis import strategies as st

HEADER: Final = """
(define-record-type rec (make-rec a b) rec? (a rec-a) (b rec-b set-rec-b!))
(define shared (cons 0 '()))
(define kept 0)
(define (show x n)
  (cond ((= n 0) '?)
        ((pair? x) (cons (show (car x) (- n 1)) (show (cdr x) (- n 1))))
        (else x)))
(define (half x) (if (pair? x) (car x) x))
(define (other x) (if (pair? x) (cdr x) x))
(define (assign! x y) (if (pair? x) (set-car! x y)))
(define (count n x) (if (= n 0) x (cons n (count (- n 1) x))))
"""

FORMS: Final = (
    "(cons {} {})",
    "(list {} {})",
    "(let ((t {})) (if (pair? t) (car t) t))",
    "(let ((t {})) (if (pair? t) (cdr t) t))",
    "(half {})",
    "(other {})",
    "(if (< a 2) {} {})",
    "(if (< b 2) {} {})",
    "(let ((v (vector {} {}))) (vector-ref v (modulo a 2)))",
    "(let ((v (make-vector 2 {}))) (vector-set! v (modulo b 2) {}) (vector-ref v 1))",
    "(let ((r (make-rec {} {}))) (set-rec-b! r {}) (rec-b r))",
    "(apply cons (list {} {}))",
    "(apply list {} (list {}))",
    "(call/cc (lambda (k) (if (< a 1) (k {}) {})))",
    "(guard (e (#t e)) (if (< b 3) (raise {}) {}))",
    "(map (lambda (z) (if (< a 2) z {})) (list {} {}))",
    "(map cons (list {}) (list {}))",
    "(append (list {}) (list {}))",
    "(reverse (list {} {}))",
    "(begin (set! kept {}) kept)",
    "kept",
    "shared",
    "(call-with-values (lambda () (values {} {})) (lambda (z . more) (if (< a 2) z more)))",
    "((lambda all all) {} {})",
    "((if (< b 2) (lambda (z) {}) (lambda (z) z)) {})",
    "(count (modulo a 3) {})",
    "(let loop ((i (modulo a 3)) (t {})) (if (= i 0) t (loop (- i 1) (cons i t))))",
    "(force (delay {}))",
    "(lift {})",
    "(rcall half {})",
)
"""Expressions, with room for others."""

EFFECTS: Final = (
    "(let ((t {})) (if (pair? t) (set-car! t {})))",
    "(let ((t {})) (if (pair? t) (set-cdr! t {})))",
    "(assign! {} {})",
    "(for-each (lambda (z) (if (pair? z) (set-car! z {}))) (list {} {}))",
    "(if (< a 2) (apply assign! (list {} {})))",
    "(let ((t {})) (if (pair? t) (apply set-car! t (list {}))))",
    "(rcall assign! {} {})",
)


@dataclass(frozen=True)
class PairProgram:
    """The text, which integers are known (s or d), and the integers to try."""

    text: str
    division: str
    integers: tuple[int, int]

    @property
    def has_state(self) -> bool:
        """Whether globals may hold something else after a call."""
        text = self.text.removeprefix(HEADER)
        return "kept" in text or "shared" in text


@st.composite
def pair_programs(draw: st.DrawFn) -> PairProgram:
    """A program with a division and arguments."""
    maker = _Maker(draw)
    texts = [maker.procedure(f"f{number}") for number in range(draw(st.integers(0, 2)))]
    texts.append(maker.main())
    division = "".join(draw(st.sampled_from("sd")) for _ in range(2))
    integers = draw(st.integers(0, 4)), draw(st.integers(0, 4))
    return PairProgram(HEADER + "\n".join(texts), division, integers)


class _Maker:
    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.procedures: list[str] = []
        self.count = 0

    def procedure(self, name: str) -> str:
        body = self.body(("x", "y"), 2)
        self.procedures.append(name)
        return f"(define ({name} a b x y) {body})"

    def main(self) -> str:
        names = ("p", *(f"x{number}" for number in range(self.draw(st.integers(1, 3)))))
        bindings = [f"({name} {self.expr(names[:i], 2)})" for i, name in enumerate(names) if i]
        effects = [self.effect(names, 1) for _ in range(self.draw(st.integers(0, 3)))]
        same = [f"(eq? {self.pick(names)} {self.expr(names, 1)})" for _ in range(2)]
        shown = " ".join(f"(show {name} 4)" for name in names)
        result = self.pick((f"(list {shown} {' '.join(same)})", self.expr(names, 1)))
        return f"(define (main a b p) (let* ({' '.join(bindings)}) {' '.join(effects)} {result}))"

    def pick(self, choices: tuple[str, ...]) -> str:
        return self.draw(st.sampled_from(choices))

    def body(self, scope: tuple[str, ...], depth: int) -> str:
        effects = [self.effect(scope, depth - 1) for _ in range(self.draw(st.integers(0, 2)))]
        return " ".join([*effects, self.expr(scope, depth)])

    def expr(self, scope: tuple[str, ...], depth: int) -> str:
        if depth == 0 or self.draw(st.integers(0, 3)) == 0:
            return self.pick((*scope, *scope, "1", "'()"))
        if self.procedures and self.draw(st.integers(0, 3)) == 0:
            form = f"({self.pick(tuple(self.procedures))} a b {{}} {{}})"
        elif self.draw(st.integers(0, 4)) == 0:
            form = f"(begin {self.effect(scope, depth - 1)} {{}})"
        else:
            form = self.pick(FORMS)
        return self.filled(form, scope, depth)

    def effect(self, scope: tuple[str, ...], depth: int) -> str:
        return self.filled(self.pick(EFFECTS), scope, max(depth, 1))

    def filled(self, form: str, scope: tuple[str, ...], depth: int) -> str:
        first, *rest = form.split("{}")
        return first + "".join(self.expr(scope, depth - 1) + part for part in rest)
