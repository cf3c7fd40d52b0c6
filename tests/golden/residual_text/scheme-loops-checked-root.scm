; from loops.scm:78
(define (checked-root n)
  (cond ((< n 0) (error "no root of a negative number:" n))
        ((> 1 n) 0)
        (else (let loop-1 ((r 2) (t-1 4))
                ; from loops.scm:81
                (if (> t-1 n)
                    (- r 1)
                    (let ((r-2 (+ r 1))) (loop-1 r-2 (* r-2 r-2))))))))
