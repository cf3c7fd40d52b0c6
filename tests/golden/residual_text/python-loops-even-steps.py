"""Made by cogen; closures and continuations are left to the interpreter."""

from cogen.lang.ilparse import parse
from cogen.lang.interp import Interpreter

program = Interpreter(parse("""
(program
  (define even-steps
    (lambda (n up) k
      ((let test (< n '1))
       (if test
         ((jump k up))
         ((let t (- n '1))
          (conts
            (odd-steps-1 (n-1 n-2)
              ((let test-1 (< n-1 '1))
               (if test-1
                 ((let test-2 (< n-2 '100))
                  (let test-3 (not test-2))
                  (jump k test-3))
                 ((let n-3 (- n-1 '1))
                  (let test-4 (< n-3 '1))
                  (if test-4
                    ((let test-5 (< n-2 '100)) (jump k test-5))
                    ((let t-1 (- n-3 '1))
                     (let test-6 (< n-2 '100))
                     (if test-6
                       ((jump odd-steps-1 t-1 n-3))
                       ((jump odd-steps-2 t-1 n-3)))))))))
            (odd-steps-2 (n-4 n-5)
              ((let test-7 (< n-4 '1))
               (if test-7
                 ((let test-8 (> n-5 '5))
                  (let test-9 (not test-8))
                  (jump k test-9))
                 ((let n-6 (- n-4 '1))
                  (let test-10 (< n-6 '1))
                  (if test-10
                    ((let test-11 (> n-5 '5)) (jump k test-11))
                    ((let t-2 (- n-6 '1))
                     (let test-12 (> n-5 '5))
                     (if test-12
                       ((jump odd-steps-1 t-2 n-6))
                       ((jump odd-steps-2 t-2 n-6))))))))))
          (if up ((jump odd-steps-1 t n)) ((jump odd-steps-2 t n)))))))))
"""), word_size=32)
program.run()


def even_steps(*arguments):
    return program.call('even-steps', arguments)
