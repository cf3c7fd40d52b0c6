; kind: kernels
; way: c-O0
; word: 24
; checked: True
; division: (cyclic 5 1) (dynamic int)
; arguments: 1,0 1,0 1,0
; bytes: 000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
(define (f a b x i)
  (store-word! a 0 (load-word a 0))
  (if (even? (let loopi1 ((i1 (bitwise-and x 3)) (acc2 x)) (if (<= i1 0) acc2 (loopi1 (- i1 1) (bitwise-and i 1048575))))) (let loopi3 ((i3 (lift 3)) (acc4 x)) (if (<= i3 0) acc4 (loopi3 (- i3 1) (bitwise-and 0 1048575)))) (let loopi1 ((i1 (bitwise-and x 3)) (acc2 x)) (if (<= i1 0) acc2 (loopi1 (- i1 1) (bitwise-and i 1048575))))))
