; kind: kernels
; way: c-O0
; word: 40
; checked: True
; division: (dynamic int) (dynamic int)
; arguments: 257,1 0,0 0,0
; bytes: 000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
(define (f a b x i)
  (if (even? (- 256)) (do ((j1 0 (+ j1 1))) ((>= j1 2)) (store-word! a 0 0)))
  (store-word! a 0 (- (- 0)))
  (arithmetic-shift 62 (floor-remainder (let loopi6 ((i6 (bitwise-and x 3)) (acc7 (let ((v5 (- 0))) (arithmetic-shift i (floor-remainder 2147483648 20))))) (if (<= i6 0) acc7 (loopi6 (- i6 1) (bitwise-and (bitwise-ior (bitwise-not acc7) i) 1048575)))) 40)))
