; Tak in which each call captures a continuation, and returns by entering one.
; smaller: (run 7 4 2) gives 4

(import (scheme base) (scheme write))

(define (ctak return x y z)
  (if (< y x)
      (call/cc
       (lambda (return)
         (ctak return
               (call/cc (lambda (k) (ctak k (- x 1) y z)))
               (call/cc (lambda (k) (ctak k (- y 1) z x)))
               (call/cc (lambda (k) (ctak k (- z 1) x y))))))
      (return z)))

(define (run x y z)
  (call/cc (lambda (k) (ctak k x y z))))

(write (run 24 16 8))
