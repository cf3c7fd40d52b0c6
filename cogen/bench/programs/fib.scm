; Doubly recursive Fibonacci numbers: calls and small integers.

(define (fib n)
  (if (< n 2)
      n
      (+ (fib (- n 1)) (fib (- n 2)))))

(display (fib 37))
(newline)
