; Fibonacci numbers by successors that are passed to continuations.
; smaller: (run 10) gives 55

(import (scheme base) (scheme write))

(define (plus a b k)
  (if (= b 0) (k a) (plus (+ a 1) (- b 1) k)))

(define (fibc n k)
  (cond ((= n 0) (k 0))
        ((= n 1) (k 1))
        (else
         (plus (call/cc (lambda (k) (fibc (- n 1) k)))
               (call/cc (lambda (k) (fibc (- n 2) k)))
               k))))

(define (run n) (fibc n (lambda (x) x)))

(write (run 32))
