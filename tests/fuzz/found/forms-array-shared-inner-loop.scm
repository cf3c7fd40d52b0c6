; kind: forms
; way: array
; left: [0, 1, 2, 3, 4, 5]
; known: [-3, -2.0, (), (), (-5.0,), ()]
; rows: [[-3, -2.0, (), (), (-5.0,), ()], [-3, -2.0, (), (), (-5.0,), ()]]
(define-array (main (k int) (z float) (xs (array int)) (ys (array int)) (fs (array float)) (rows (array (array int))))
  (tuple (array-loop ((v1 xs)) (v2 3) (if (< v2 (array-size v1)) (array-with v1 v2 (array-loop ((v3 k)) (v5 (modulo (let ((v6 (array-map (lambda (r) (modulo (array-reduce + 0 r) 1009)) rows))) (if (< 0 (array-size v6)) (array-ref v6 (modulo (modulo (array-redomap + (lambda (s v7) (+ s k)) 0 xs) 1009) (array-size v6))) 7)) 5)) (if (< k k) (modulo (+ k k) 1009) k))) v1))
         k))
