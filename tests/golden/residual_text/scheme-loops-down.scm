; from loops.scm:16
(define (down n)
  ; from loops.scm:18
  (let loop-1 ((i n) (product 1))
    (if (> i 0) (let ((t (* i product))) (loop-1 (- i 2) t)) product)))
