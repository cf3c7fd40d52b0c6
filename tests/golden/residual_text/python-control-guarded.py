"""Made by cogen; closures and continuations are left to the interpreter."""

from cogen.lang.ilparse import parse
from cogen.lang.interp import Interpreter

program = Interpreter(parse("""
(program
  (records (promise state))
  (define guarded
    (lambda (f x) k
      ((let cell (make-cell '()))
       (fix
         (lambda-1 (k-2) k-3
           ((fix
              (guard-3 (e) k-4
                ((let %winds (cell-ref cell))
                 (fix
                   (lambda-2 (k-6) k-7
                     ((let %winds-1 (cell-ref cell))
                      (let test (eq? '() %winds-1))
                      (conts
                        (guard-4 ()
                          ((fix
                             (guard-5 () k-8
                               ((let test-1 (symbol? e))
                                (if test-1
                                  ((let pair (cons e '()))
                                   (let pair-1 (cons 'symbol pair))
                                   (jump k-8 pair-1))
                                  ((let test-2 (error-object? e))
                                   (if test-2
                                     ((let t (error-object-message e))
                                      (jump k-8 t))
                                     ((let %winds-2 (cell-ref cell))
                                      (let test-3 (eq? %winds %winds-2))
                                      (if test-3
                                        ((fix
                                           (guard-6 () k-9
                                             ((call (global guard-2) (e) k-9))))
                                         (call k-6 (guard-6) k-8))
                                        ((conts
                                           (k-10 (t-1)
                                             ((let %winds-3 (cell-ref cell))
                                              (conts
                                                (k-11 (t-2)
                                                  ((conts
                                                     (guard-7 (a m n b)
                                                       ((let test-4 (eq? a b))
                                                        (if test-4
                                                          ((let %winds-4 (cell-ref cell))
                                                           (conts
                                                            (guard-8 (%winds-5)
                                                            ((let test-5 (eq? %winds-5 a))
                                                            (if test-5
                                                            ((conts
                                                            (k-12 (t-3)
                                                            ((fix
                                                            (guard-9 () k-13
                                                            ((call (global guard-2) (e) k-13))))
                                                            (call k-6 (guard-9) k-8))))
                                                            (call (global guard-1)
                                                            (%winds a cell)
                                                            k-12))
                                                            ((let %winds-6 (cell-ref cell))
                                                            (let t-4 (car %winds-6))
                                                            (let t-5 (cdr t-4))
                                                            (let %winds-7 (cdr %winds-6))
                                                            (let %winds-8 (cell-set! cell %winds-7))
                                                            (conts
                                                            (k-14 (t-6)
                                                            ((let %winds-9 (cell-ref cell))
                                                            (jump guard-8 %winds-9))))
                                                            (call t-5 () k-14))))))
                                                           (jump guard-8 %winds-4))
                                                          ((let test-6 (> m n))
                                                           (if test-6
                                                            ((let t-7 (cdr a))
                                                            (let t-8 (- m '1))
                                                            (jump guard-7 t-7 t-8 n b))
                                                            ((let test-7 (< m n))
                                                            (if test-7
                                                            ((let t-9 (cdr b))
                                                            (let t-10 (- n '1))
                                                            (jump guard-7 a m t-10 t-9))
                                                            ((let t-11 (cdr a))
                                                            (let t-12 (- m '1))
                                                            (let t-13 (cdr b))
                                                            (let t-14 (- n '1))
                                                            (jump guard-7 t-11 t-12 t-14 t-13))))))))))
                                                   (jump guard-7 %winds t-1 t-2 %winds-3))))
                                              (call (global length) (%winds-3) k-11))))
                                         (call (global length)
                                               (%winds)
                                               k-10))))))))))
                           (call k-2 (guard-5) k-7))))
                      (if test
                        ((jump guard-4))
                        ((let %winds-10 (cell-ref cell))
                         (conts
                           (k-15 (t-15)
                             ((conts
                                (guard-10 (n-1 b-1)
                                  ((let test-8 (eq? '() b-1))
                                   (if test-8
                                     ((let %winds-11 (cell-ref cell))
                                      (conts
                                        (guard-11 (%winds-12)
                                          ((let test-9 (eq? %winds-12 '()))
                                           (if test-9
                                             ((jump guard-4))
                                             ((let %winds-13 (cell-ref cell))
                                              (let t-16 (car %winds-13))
                                              (let t-17 (cdr t-16))
                                              (let %winds-14 (cdr %winds-13))
                                              (let %winds-15 (cell-set! cell %winds-14))
                                              (conts
                                                (k-16 (t-18)
                                                  ((let %winds-16 (cell-ref cell))
                                                   (jump guard-11 %winds-16))))
                                              (call t-17 () k-16))))))
                                      (jump guard-11 %winds-11))
                                     ((let test-10 (> '0 n-1))
                                      (conts
                                        (guard-12 ()
                                          ((let t-19 (cdr '())) (jump k-7 t-19))))
                                      (if test-10
                                        ((jump guard-12))
                                        ((let test-11 (< '0 n-1))
                                         (if test-11
                                           ((let t-20 (cdr b-1))
                                            (let t-21 (- n-1 '1))
                                            (jump guard-10 t-21 t-20))
                                           ((jump guard-12))))))))))
                              (jump guard-10 t-15 %winds-10))))
                         (call (global length) (%winds-10) k-15))))))
                 (conts (k-5 (t-22) ((call t-22 () k-4))))
                 (call (prim call/cc) (lambda-2) k-5))))
            (fix
              (guard-13 () k-17
                ((let test-12 (procedure? f))
                 (if test-12
                   ((conts
                      (k-18 (t-23)
                        ((let t-24 (values->list t-23))
                         (fix
                           (guard-14 results k-19
                             ((fix
                                (guard-15 () k-20
                                  ((call (prim apply)
                                         ((prim values) results)
                                         k-20))))
                              (jump k-19 guard-15))))
                         (call (prim apply) (guard-14 t-24) k-17))))
                    (call f (x) k-18))
                   ((let t-25 (raise 'no-procedure)) (jump k-17 t-25))))))
            (call (prim with-exception-handler) (guard-3 guard-13) k-3))))
       (conts (k-1 (t-26) ((call t-26 () k))))
       (call (prim call/cc) (lambda-1) k-1))))
  (define guard-1
    (lambda (winds common %winds-17) k-21
      ((let test-13 (eq? winds common))
       (if test-13
         ((jump k-21 (special unspecified)))
         ((let t-27 (cdr winds))
          (conts
            (k-22 (t-28)
              ((let t-29 (car winds))
               (let t-30 (car t-29))
               (conts
                 (k-23 (t-31)
                   ((let %winds-18 (cell-set! %winds-17 winds))
                    (jump k-21 (special unspecified)))))
               (call t-30 () k-23))))
          (call (global guard-1) (t-27 common %winds-17) k-22))))))
  (define guard-2
    (lambda (e-1) k-24 ((call (prim raise-continuable) (e-1) k-24))))
  (define length
    (lambda (items.1%) k.3%
      ((fix
         (loop% (rest% n%) k.4%
           ((let t.4% (pair? rest%))
            (if t.4%
              ((let t.5% (cdr rest%))
               (let t.6% (+ n% '1))
               (call loop% (t.5% t.6%) k.4%))
              ((let t.7% (null? rest%))
               (if t.7%
                 ((jump k.4% n%))
                 ((let t.8% (error '\"length: expected a list, got\" items.1%))
                  (jump k.4% t.8%))))))))
       (call loop% (items.1% '0) k.3%)))))
"""), word_size=32)
program.run()


def guarded(*arguments):
    return program.call('guarded', arguments)


def guard_1(*arguments):
    return program.call('guard-1', arguments)


def guard_2(*arguments):
    return program.call('guard-2', arguments)


def length(*arguments):
    return program.call('length', arguments)
