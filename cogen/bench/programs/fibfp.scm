; Fibonacci numbers in floats.
; smaller: (run 10.) gives 55.0

(import (scheme base) (scheme write))

(define (fibfp n)
  (if (< n 2.) n (+ (fibfp (- n 1.)) (fibfp (- n 2.)))))

(define (run n) (fibfp n))

(write (run 35.))
