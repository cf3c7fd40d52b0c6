; from arithmetic.scm:26
(define (floats out x y i)
  (store-word! out 0 (float64->bits (/ (- (* 2.0 x) y) (+ y i))))
  (store-word! out 1 (float64->bits (square (abs (min x (max y i))))))
  (store-word! out 2 (float64->bits (sqrt (exp (log x)))))
  (store-word! out 3 (float64->bits (log x 2.0)))
  (let ((t-20 (sin x)) (t-21 (cos x)) (t-22 (tan x)))
    (store-word! out 4 (float64->bits (+ t-20 t-21 t-22)))
    (let ((t-27 (asin x)) (t-28 (acos x)) (t-29 (atan x)) (t-30 (atan x y)))
      (store-word! out 5 (float64->bits (+ t-27 t-28 t-29 t-30)))
      (let ((t-36 (floor x))
            (t-37 (ceiling x))
            (t-38 (round x))
            (t-39 (truncate x)))
        (store-word! out 6 (float64->bits (+ t-36 t-37 t-38 t-39)))
        (store-word! out 7 (+ (exact t-36) (inexact->exact (round y))))
        (store-word! out
                     8
                     (float64->bits (- (inexact i) (exact->inexact (+ i 1)))))
        (store-word! out 9 (float32->bits (expt x y)))
        (store-word! out
                     10
                     (float64->bits (+ (bits->float32 i) (bits->float64 i))))
        (let ((t-63 (if (or (nan? x)
                            (infinite? y)
                            (not (finite? x))
                            (integer? x))
                        1
                        0)))
          (store-word! out 11 t-63)
          (store-word!
            out
            12
            (cond ((and (rational? y) (< x y)) 1)
                  ((= x i) 2)
                  ((> x i) 3)
                  (else 4)))
          (let ((t-67 (if (or (zero? x) (positive? y) (negative? x)) 1 0)))
            (store-word! out 13 t-67)
            (if #f #f)))))))
