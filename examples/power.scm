;;; x to the power n, by squaring.  With n known, the recursion is gone:
;;;
;;;     cogen specialize power.scm --entry power _ "(static 5)"
;;;     cogen specialize power.scm --entry power '(dynamic float)' '(static 13)' --emit c
;;;
;;; `_` is a parameter that is known only later.

(define (power x n)
  (cond ((= n 0) 1)
        ((= n 1) x)
        ((even? n) (square (power x (quotient n 2))))
        (else (* x (power x (- n 1))))))
