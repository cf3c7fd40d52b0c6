"""Made by cogen; closures and continuations are left to the interpreter."""

from cogen.lang.ilparse import parse
from cogen.lang.interp import Interpreter

program = Interpreter(parse("""
(program
  (records (promise state))
  (define wound
    (lambda (thunk) k
      ((let t (display '\"in \"))
       (conts
         (k-1 (t-1)
           ((let t-2 (values->list t-1))
            (let cell (make-cell (special unspecified)))
            (let pair (cons (global wound-1) (global wound-2)))
            (let pair-1 (cons pair '()))
            (let t-3 (cell-set! cell pair-1))
            (fix
              (lambda-1 results k-2
                ((let %winds (cell-ref cell))
                 (let %winds-1 (cdr %winds))
                 (let %winds-2 (cell-set! cell %winds-1))
                 (let t-4 (display '\"out\"))
                 (call (prim apply) ((prim values) results) k-2))))
            (call (prim apply) (lambda-1 t-2) k))))
       (call thunk () k-1))))
  (define wound-1 (lambda () k-3 ((let t-5 (display '\"in \")) (jump k-3 t-5))))
  (define wound-2 (lambda () k-4 ((let t-6 (display '\"out\")) (jump k-4 t-6)))))
"""), word_size=32)
program.run()


def wound(*arguments):
    return program.call('wound', arguments)


def wound_1(*arguments):
    return program.call('wound-1', arguments)


def wound_2(*arguments):
    return program.call('wound-2', arguments)
