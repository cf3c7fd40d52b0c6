; from loops.scm:35
(define (collatz n)
  ; from loops.scm:37
  (let loop-1 ((steps 0) (n-1 n))
    (cond ((= n-1 1) steps)
          ((even? n-1) (let ((t (quotient n-1 2))) (loop-1 (+ steps 1) t)))
          (else (let ((t-1 (* 3 n-1))) (loop-1 (+ steps 1) (+ t-1 1)))))))
