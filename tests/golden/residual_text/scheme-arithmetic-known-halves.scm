; from arithmetic.scm:53
(define (known-halves out a b)
  (let ((bq-2 (+ (* 8 (cyclic-quotient b 8 3)) 3)))
    (store-word! out 0 (remainder bq-2 8))
    (store-word! out 1 (+ (quotient bq-2 4) (quotient (* a 8) 8)))
    (store-word! out 2 0)
    (if #f #f)))
