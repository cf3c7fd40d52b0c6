; Integers and floats: what each operation becomes in C, a line each.
;
; integers "(dynamic memory)" "(dynamic int)" "(dynamic int)" --word-size 64
; integers-checked "(dynamic memory)" "(dynamic int)" "(dynamic int)" --word-size 64 --checked
; floats "(dynamic memory)" "(dynamic float)" "(dynamic float)" "(dynamic int)" --word-size 64
; asked _ _ "(dynamic bool)" --word-size 64
; known-halves "(dynamic memory)" "(dynamic int)" "(cyclic 8 3)" --word-size 64

(define (integers out a b)
  (store-word! out 0 (- (* 3 (+ a b)) (square a)))
  (store-word! out 1 (+ (quotient a b) (truncate-quotient b 7)))
  (store-word! out 2 (+ (remainder a b) (truncate-remainder b 8)))
  (store-word! out 3 (+ (modulo a b) (floor-remainder b 16)))
  (store-word! out 4 (+ (floor-quotient a b) (floor-quotient b 16)))
  (store-word! out 5 (/ (* 6 a) 3))
  (store-word! out 6 (abs (min a (max b 100))))
  (store-word! out 7 (+ (gcd a b) (lcm a 12)))
  (store-word! out 8 (expt a 3))
  (store-word! out 9 (expt 2 (bitwise-and b 31)))
  (store-word! out 10 (if (or (zero? a) (and (positive? b) (odd? a)) (even? b)) 1 0))
  (store-word! out 11 (if (negative? a) -1 (if (<= a b) 2 (if (> a (+ b 10)) 3 4))))
  (store-word! out 12 (if (eqv? (equal? a b) (>= b 0)) 1 0)))

(define (integers-checked out a b) (integers out a b))

(define (floats out x y i)
  (store-word! out 0 (float64->bits (/ (- (* 2.0 x) y) (+ y i))))
  (store-word! out 1 (float64->bits (square (abs (min x (max y i))))))
  (store-word! out 2 (float64->bits (sqrt (exp (log x)))))
  (store-word! out 3 (float64->bits (log x 2.0)))
  (store-word! out 4 (float64->bits (+ (sin x) (cos x) (tan x))))
  (store-word! out 5 (float64->bits (+ (asin x) (acos x) (atan x) (atan x y))))
  (store-word! out 6 (float64->bits (+ (floor x) (ceiling x) (round x) (truncate x))))
  (store-word! out 7 (+ (exact (floor x)) (inexact->exact (round y))))
  (store-word! out 8 (float64->bits (- (inexact i) (exact->inexact (+ i 1)))))
  (store-word! out 9 (float32->bits (expt x y)))
  (store-word! out 10 (float64->bits (+ (bits->float32 i) (bits->float64 i))))
  (store-word! out 11 (if (or (nan? x) (infinite? y) (not (finite? x)) (integer? x)) 1 0))
  (store-word! out 12 (if (and (rational? y) (< x y)) 1 (if (= x i) 2 (if (> x i) 3 4))))
  (store-word! out 13 (if (or (zero? x) (positive? y) (negative? x)) 1 0)))

;; Of what is no number, and of numbers of a type that is found out.
(define (asked a x yes)
  (cond ((or (string? a) (symbol? a) (pair? a) (null? a) (char? a) (vector? a)) 1)
        ((or (procedure? a) (values? a) (boolean? a) (bytevector? a)) 2)
        ((not (boolean=? yes (equal? a x))) 3)
        ((not (and (number? a) (real? a) (complex? a) (exact-integer? a) (exact? a))) 4)
        ((inexact? x) (bitwise-and a 5))
        ((eq? a 7) 6)
        (else (+ a (exact (* x 0.5)) (word-size)))))

;; What is known of a number is not computed.
(define (known-halves out a b)
  (store-word! out 0 (remainder b 8))
  (store-word! out 1 (+ (quotient b 4) (quotient (* a 8) 8)))
  (store-word! out 2 (bitwise-and b 4)))
