; kind: forms
; way: array
; left: [0, 1, 2, 3, 4, 5]
; known: [-3, -2.0, (), (), (-5.0,), ()]
; rows: [[-3, -2.0, (), (), (-5.0,), ()], [-3, -2.0, (), (), (-5.0,), ()]]
(define-array (main (k int) (z float) (xs (array int)) (ys (array int)) (fs (array float)) (rows (array (array int))))
  (tuple (modulo (+ (quotient (modulo (array-reduce + 0 (array-loop ((v1 xs)) (v2 3) (if (< v2 (array-size v1)) (array-with v1 v2 k) v1))) 1009) -3) (array-loop ((v3 k)) (v5 (modulo (floor-quotient k -2) 5)) (let-tuple (p q) (array-loop ((v6 1) (v7 (modulo (array-redomap + (lambda (s v9) (+ s v9)) 0 xs) 1009))) (v8 (modulo (if #t k v5) 5)) (tuple (modulo (+ k k) 1009) v6)) (- p q)))) 1009)
         k))
