"""Made by cogen; closures and continuations are left to the interpreter."""

from cogen.lang.ilparse import parse
from cogen.lang.interp import Interpreter

program = Interpreter(parse("""
(program
  (records (point x y))
  (define exchanged
    (lambda (a b c) k
      ((conts
         (k-1 (t)
           ((let t-1 (values->list t))
            (fix
              (values-1 (x y . rest) k-2
                ((let t-2 (set-car! rest x))
                 (let vector-1
                   (vector y rest '\"constant\" '#\\c 'symbol '1.5 '#(1 2)))
                 (jump k-2 vector-1))))
            (call (prim apply) (values-1 t-1) k))))
       (call (prim apply) ((prim values) a b c) k-1)))))
"""), word_size=32)
program.run()


def exchanged(*arguments):
    return program.call('exchanged', arguments)
