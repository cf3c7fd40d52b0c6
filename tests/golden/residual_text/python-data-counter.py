"""Made by cogen; closures and continuations are left to the interpreter."""

from cogen.lang.ilparse import parse
from cogen.lang.interp import Interpreter

program = Interpreter(parse("""
(program
  (records (point x y))
  (define counter
    (lambda (start) k
      ((let cell (make-cell start))
       (fix
         (lambda-1 () k-1
           ((let t (cell-ref cell))
            (let n (+ t '1))
            (let t-1 (cell-set! cell n))
            (let t-2 (cell-ref cell))
            (jump k-1 t-2))))
       (fix (lambda-2 rest k-2 ((let t-3 (cell-set! cell '0)) (jump k-2 rest))))
       (let pair (cons lambda-2 '()))
       (let pair-1 (cons lambda-1 pair))
       (jump k pair-1)))))
"""), word_size=32)
program.run()


def counter(*arguments):
    return program.call('counter', arguments)
