"""Made by cogen; closures and continuations are left to the interpreter."""

from cogen.lang.ilparse import parse
from cogen.lang.interp import Interpreter

program = Interpreter(parse("""
(program
  (records (point x y))
  (define each-other
    (lambda (n) k
      ((fix
         (up (k-1) k-2
           ((let test (= k-1 '0))
            (if test
              ((jump k-2 n))
              ((let t (- k-1 '1))
               (conts (k-3 (t-1) ((let t-2 (+ '1 t-1)) (jump k-2 t-2))))
               (call (global down) (t n) k-3))))))
       (fix (down-1 (k-4) k-5 ((call (global down) (k-4 n) k-5))))
       (let pair (cons down-1 '()))
       (let pair-1 (cons up pair))
       (jump k pair-1))))
  (define down
    (lambda (k-6 n-1) k-7
      ((let test-1 (= k-6 '0))
       (if test-1
         ((jump k-7 '1))
         ((let t-3 (- k-6 '1))
          (let test-2 (= t-3 '0))
          (conts (down-2 (t-4) ((let t-5 (* '2 t-4)) (jump k-7 t-5))))
          (if test-2
            ((jump down-2 n-1))
            ((let t-6 (- t-3 '1))
             (conts (k-8 (t-7) ((let t-8 (+ '1 t-7)) (jump down-2 t-8))))
             (call (global down) (t-6 n-1) k-8)))))))))
"""), word_size=32)
program.run()


def each_other(*arguments):
    return program.call('each-other', arguments)


def down(*arguments):
    return program.call('down', arguments)
