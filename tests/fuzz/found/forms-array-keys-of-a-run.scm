; kind: forms
; way: array
; left: [0, 1, 2, 4, 5]
; known: [-3, -2.0, (), (98, -9, -9, -9, -9), (3.25, -5.0, -5.0, -5.0), ()]
; rows: [[-3, -2.0, (), (98, -9, -9, -9, -9), (-5.0,), ()], [-3, -2.0, (), (98, -9, -9, -9, -9), (-5.0,), ()]]
(define-array (main (k int) (z float) (xs (array int)) (ys (array int)) (fs (array float)) (rows (array (array int))))
  (tuple (modulo (array-reduce + 0 (array-iota (+ 1 (modulo k 5)))) 1009)
         (let ((v1 (array-map (lambda (s) (modulo s 1009)) (let-tuple (k o b) (array-group-by (lambda (v2) k) ys) k)))) (array-concat fs fs))))
