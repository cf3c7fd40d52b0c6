; from loops.scm:45
(define (smaller-fib n) (if (< n 30) (fib n) (fib (floor-quotient n 2))))

; from loops.scm:41
(define (fib n-1) (if (< n-1 2) n-1 (+ (fib (- n-1 1)) (fib (- n-1 2)))))
