;;; Ackermann's function.  With m known, one procedure for each level is left:
;;;
;;;     cogen specialize ackermann.scm --entry ack "(static 2)" _

(define (ack m n)
  (cond ((= m 0) (+ n 1))
        ((= n 0) (ack (- m 1) 1))
        (else (ack (- m 1) (ack m (- n 1))))))
