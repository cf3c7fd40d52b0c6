; from loops.scm:41
(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
